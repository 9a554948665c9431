"""Figures and their intervals as people read them, and in sentences whether a route is worth it."""

from __future__ import annotations

from math import inf, isinf
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ttr_analysis._words import counted, listed
from ttr_analysis.maps.model import Route

if TYPE_CHECKING:
    import pandas as pd

Unit: TypeAlias = Literal["share", "points", "points a train", "trains"]
"""What a figure counts; a share is between 0 and 1."""

FEWEST: Final = 30
"""Times that something was seen before it is spoken of."""
_EMPTY: Final = (0, inf)
"""The moment of `route_worth` in which every game begins."""


def in_words(value: float, unit: Unit, *, sign: bool = False) -> str:
    """
    Return a figure as people read it.

    Examples
    --------
    >>> in_words(0.4415, "share"), in_words(0.0261, "share"), in_words(-13.56, "points"), in_words(1, "trains")
    ('44%', '2.6%', '−13.6 points', '1 train')
    >>> in_words(1.034, "points a train"), in_words(12.7, "points", sign=True)
    ('1.03 points a train', '+12.7 points')
    """
    text = number_text(value, unit, sign=sign)
    if unit == "share":
        return text
    one = unit.replace("points", "point") if unit != "trains" else "train"
    return f"{text} {one if text.lstrip('+') == '1' else unit}"


def number_text(value: float, unit: Unit, *, sign: bool = False) -> str:
    """Return a figure without its unit, but for the sign of a share."""
    plus = "+" if sign else ""
    if unit == "share":
        digits = 1 if 0 < abs(value) < 0.1 else 0  # noqa: PLR2004 - few of a hundred: tenths tell
        text = f"{100 * value:{plus}.{digits}f}%"
    else:
        text = f"{value:{plus}.{2 if unit == 'points a train' else 1}f}".removesuffix(".0")
    return text.replace("-", "\N{MINUS SIGN}")


def interval_text(low: float, high: float, unit: Unit) -> str:
    """Return a 95% interval as people read it."""
    return f"95% interval {number_text(low, unit)} to {number_text(high, unit)}"


def row_at(table: pd.DataFrame, at: int) -> dict[str, Any]:
    """Return a row of a table by its place, with its `name`."""
    return {**{str(key): value for key, value in table.iloc[at].to_dict().items()}, "name": table.index[at]}


def pays_from(worth: pd.DataFrame) -> tuple[int, float] | None:
    """
    Return from which moment on it surely pays to go for a route: with more own cards no interval of the gain reaches 0.

    Parameters
    ----------
    worth
        From `route_worth`.

    Returns
    -------
    moment
        Own cards and the bound of turns left, as in the index: of several
        bounds the largest one with which it pays. None if it surely pays with
        no number of cards that was seen often.
    """
    known = worth[worth["positions"] >= FEWEST]
    bounds = known.index.get_level_values("turns_left")
    for bound in sorted(set(bounds), reverse=True):
        own = None
        rows = known[bounds == bound].sort_index(ascending=False)
        for cards, low in zip(rows.index.get_level_values("own"), rows["gain_low"], strict=True):
            if not low > 0:
                break
            own = int(cards)
        if own is not None:
            return own, float(bound)
    return None


def worth_in_words(route: Route, worth: pd.DataFrame, own: int | None = None) -> str:
    """
    Return whether a route is worth it, in two to four sentences.

    All figures are of rows that are named, with the bound of turns left if
    there is one. Of rows with fewer than 30 positions it is only said that they
    are left out.

    Parameters
    ----------
    route
        The route.
    worth
        From `route_worth`.
    own
        Only from so many own cards, or the next fewer ones that were played
        out, with each bound. None: from which moment on it pays.
    """
    known = worth[worth["positions"] >= FEWEST]
    if own is not None:
        held = known.index.get_level_values("own")
        if (held <= own).any():
            return _at_hand(known[held == held[held <= own].max()])
    name = "-".join(route.cities)
    if own is not None or known.empty:
        return f"Whether {name} is worth it cannot be said: the moment to go for it came too rarely."
    start = pays_from(worth)
    if start is None:
        row = row_at(known, -1)
        verdict = "is not worth going for on purpose" if known["gain_high"].max() < 0 else "does not surely pay"
        words = f"{name} {verdict}: with {moment(row)} that {_gain(row)}."
    else:
        alike = known[known.index.get_level_values("turns_left") == start[1]]
        row, first = row_at(alike, alike.index.tolist().index(start)), row_at(alike, 0)
        words = f"Go for {name} with {moment(row, ' or more')}: that {_gain(row)}, against leaving it."
        if first["name"] != start and first["gain_high"] < 0:
            words += (
                f" {'From an empty hand' if first['name'] == _EMPTY else f'With {moment(first)}'} it {_gain(first)}."
            )
    taken = in_words(row["free_claimed"], "share")
    words += f" Left to itself with {moment(row)}, a player takes it in {taken} of the games."
    return " ".join(filter(None, (words, _left_out(worth))))


def _at_hand(rows: pd.DataFrame) -> str:
    """Return what going for a route brings with so many own cards: the largest bound of turns left, then the others."""
    first, *others = (row_at(rows, i) for i in reversed(range(len(rows))))
    words = f"Played out with {moment(first)}, going for it {_gain(first)}, against leaving it."
    return " ".join([words, *(f"With {moment(row)} it {_gain(row)}." for row in others)])


def moment(row: dict[str, Any], more: str = "") -> str:
    """Return from which moment a row of `route_worth` plays on; `more` stands behind the number of cards."""
    own, left = row["name"]
    in_time = "" if isinf(left) else f" and at most {counted(f'{left:g}', 'turn')} left"
    return f"{counted(own, 'own card')}{more}{in_time}"


def _left_out(worth: pd.DataFrame) -> str:
    """Return which rows are not spoken of, and why; "" if all are."""
    rare = worth[worth["positions"] < FEWEST]
    rows = [row_at(rare, i) for i in range(len(rare))]
    moments = listed(f"{moment(row)} ({row['positions']:.0f})" for row in rows)
    return f"Left out, as fewer than {FEWEST} games came to it: {moments}." if rows else ""


def _gain(row: dict[str, Any]) -> str:
    """Return what going for a route gains or costs, in words."""
    is_gain = row["gain"] > 0
    ends = (row["gain_low"], row["gain_high"]) if is_gain else (-row["gain_high"], -row["gain_low"])
    amount = in_words(abs(row["gain"]), "points")
    return f"{'gains' if is_gain else 'costs'} {amount} ({interval_text(*ends, 'points')})"
