"""Records, advice and reviews in a notebook: who won with what, the last moves, the best action, what cost most."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Final

from ttr_analysis._errors import GameError, RecordError
from ttr_analysis.engine.actions.table import places_of
from ttr_analysis.engine.scores import Score
from ttr_analysis.records.record import GameRecord
from ttr_analysis.viz.html import map_svg
from ttr_analysis.viz.style import PLAYER_COLORS, ink_upon
from ttr_analysis.viz.words import final_parts, tell, tell_station

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.studies.reviews import Advice, Review


N_FIRST, N_LAST = 3, 5
"""Moves shown from either end of the game."""
WIDTH = 560
"""Most pixels across of the board."""


def record_summary(record: GameRecord) -> str:
    """
    Return a record as HTML: its result, its board, its first and last moves.

    Parameters
    ----------
    record
        Any record; one that is impossible or has not begun is shown by its
        `repr`.

    Returns
    -------
    html
        One `div` element; names from the record and its map are escaped.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> "made of" in record_summary(record)
    True
    """
    try:
        scores = list(record.score())
    except (GameError, RecordError):
        return f"<pre>{escape(repr(record))}</pre>"
    return "".join(_parts(record, scores))


def _parts(record: GameRecord, scores: list[Score]) -> Iterator[str]:
    header, rules, last = record.header, record.map.rules, record.states()[-1]
    about = [record.map.title, rules.variant.replace("_", " "), f"{header.n_players} players", header.date]
    seed = [] if header.seed is None else [f"seed {header.seed}"]
    result = "over" if last.is_over else "not over"
    words = ", ".join([*filter(None, about), *seed, f"{len(record.entries)} events", result])
    yield (
        f"<div><p><strong>{_text(header.title)}</strong> {_text(words)}</p>"
        if header.title
        else (f"<div><p><strong>{_text(words)}</strong></p>")
    )
    head = "".join(f"<th>{name}</th>" for name in ("seat", "player", "points", "made of", "trains left"))
    yield f"<table><thead><tr>{head}</tr></thead><tbody>"
    names = header.players or header.policies or ("",) * header.n_players
    for score, name, trains in zip(scores, names, last.trains, strict=True):
        won = score.seat in record.winners
        points = "?" if score.total is None else str(score.total)
        cells = [
            _mark(score.seat),
            f"<bdi>{_text(name)}</bdi>",
            f"<strong>{points}</strong>{' won' if won else ''}",
            "<br>".join([_made_of(score), *(_text(tell_station(use)) for use in score.stations)]),
            str(trains),
        ]
        yield f"<tr>{''.join(f'<td style=text-align:left>{cell}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"
    yield map_svg(record.map, last.owners, stations=last.stations, width=WIDTH)
    yield from _moves(record)
    yield "</div>"


def _moves(record: GameRecord) -> Iterator[str]:
    """Yield the first and last moves as a list."""
    n_steps = len(record.steps)
    yield f"<p>First and last of {n_steps} steps; <code>ttr.widgets.GameStepper(record)</code> shows all:</p><ul>"
    for step, told in enumerate(tell(record)):
        if step < N_FIRST or step >= n_steps - N_LAST:
            stamp = f" <small>({_text(told.stamp)})</small>" if told.stamp else ""
            yield f"<li>{step}: {_text(str(told))}{stamp}</li>"
        elif step == N_FIRST:
            yield "<li>…</li>"
    yield "</ul>"


def _made_of(score: Score) -> str:
    """Return the parts of a score as a sum."""
    words = ""
    for k, (what, points) in enumerate(final_parts(score)):
        sign = "" if k == 0 else " − " if points is not None and points < 0 else " + "
        words += f"{sign}{'?' if points is None else abs(points) if k else points} {what}"
    return _text(words)


def _mark(seat: int) -> str:
    color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
    style = f"background:{color};color:{ink_upon(color)};padding:0 0.45em;border-radius:4px;font-weight:bold"
    return f"<span style='{style}'>{seat}</span>"


def _text(text: str) -> str:
    return escape(text, quote=True)


# -- advice and reviews --------------------------------------------------------------------------------------------

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
