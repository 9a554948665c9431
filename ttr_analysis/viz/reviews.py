"""Advice and reviews in a notebook: the best action on the board, and the decisions that cost most."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from ttr_analysis.engine.actions.table import places_of
from ttr_analysis.viz.html import map_svg

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.studies.reviews import Advice, Review

_N_ACTIONS: Final = 8
"""Actions that are listed; `table` has them all."""
_WIDTH: Final = 460
"""Most pixels across of the board."""


def advice_html(advice: Advice) -> str:
    """
    Return advice as HTML: the first actions of its table, and the board if the best one is about a place.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> state = ttr.Game(ttr.load_map("usa")).new(seed=7)
    >>> advice_html(ttr.studies.advise(state, rollouts=8)).count("<table>")
    1
    """
    view = advice.view
    rows = [
        [
            row["move"],
            _chance(row["win"], row["win_low"], row["win_high"]),
            f"{row['points']:.0f}",
            f"{row['lead']:+.0f}".replace("-", "−"),
            row["reason"],
        ]
        for row in _records(advice.table.head(_N_ACTIONS))
    ]
    routes, cities = places_of(advice.best)
    board = ""
    if routes or cities:
        owners = {**view.owners, **{route.id: view.seat for route in routes}}
        stations = {**view.stations, **{city.name: view.seat for city in cities}}
        board = map_svg(
            view.game_map, owners, stations=stations, highlight=routes, cities=cities, width=_WIDTH, fade=False
        )
    return f"{_table(repr(advice).strip('<>'), ['move', 'win', 'points', 'lead', 'reason'], rows)}{board}"


def review_html(review: Review) -> str:
    """
    Return a review as HTML: skill and luck of each seat, and the decisions that cost most.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> record = ttr.Game(ttr.load_map("usa")).play(["Greedy", "Greedy"], seed=7)
    >>> review_html(ttr.studies.review(record, 0, rollouts=2, progress=False)).count("<table>")
    1
    """
    whole = ["start", "skill", "others", "luck", "result"]
    counts = ["inaccuracy", "mistake", "blunder"]
    seats = [
        [f"P{row['seat']} {row['player']}", *(f"{100 * row[what]:.0f}%".replace("-", "−") for what in whole)]
        + [str(row[what]) for what in counts]
        for row in _records(review.summary().reset_index())
    ]
    moments = [
        [
            str(row["step"]),
            f"P{row['seat']} {row['player']}",
            row["move"],
            row["label"],
            _chance(row["loss"], row["loss_low"], row["loss_high"]),
            row["best"],
            row["reason"],
        ]
        for row in _records(review.moments().reset_index())
    ]
    head = ["step", "player", "move", "", "cost", "better", "reason"]
    nothing = "<p>Of no decision it is sure that it cost anything.</p>"
    told = _table("What cost most", head, moments) if moments else nothing
    return _table(repr(review).strip("<>"), ["", *whole, *counts], seats) + told


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows of a table."""
    return table.to_dict("records")


def _chance(value: float, low: float, high: float) -> str:
    """Return a probability with its interval."""
    return f"{100 * value:.0f}% ({100 * max(0.0, low):.0f}–{100 * high:.0f})"


def _table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """Return rows of texts as a table."""
    style = "caption-side:top;text-align:left;font-weight:bold;padding:0.3em 0"
    names = "".join(f"<th style='text-align:left'>{name}</th>" for name in head)
    body = "".join(
        f"<tr>{''.join(f'<td style=text-align:left><bdi>{escape(cell, quote=True)}</bdi></td>' for cell in row)}</tr>"
        for row in rows
    )
    title = f"<caption style='{style}'>{escape(caption, quote=True)}</caption>"
    return f"<table>{title}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
