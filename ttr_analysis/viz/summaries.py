"""How objects display in a notebook: boards, tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Final, Protocol

from markupsafe import Markup

from ttr_analysis._errors import GameError, RecordError
from ttr_analysis._words import number, percent
from ttr_analysis.engine.actions.table import places_of
from ttr_analysis.engine.scores import Score
from ttr_analysis.engine.state import PublicState
from ttr_analysis.maps.model import Route, Ticket, home_of
from ttr_analysis.records.record import GameRecord
from ttr_analysis.viz.html import color_swatch, figure, seat_mark, table
from ttr_analysis.viz.svg import map_svg
from ttr_analysis.viz.words import final_parts, tell, tell_station

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice
    from ttr_analysis.studies.reviews import Review

RECORD_WIDTH: Final = 560
ADVICE_WIDTH: Final = 460
"""Maximum width of the boards of records and advice, in pixels."""
N_FIRST, N_LAST = 3, 5
"""Moves shown from each end of a game."""
N_ACTIONS: Final = 8
"""Actions of advice to list; its `table` has all of them."""


# -- paths, networks, tickets, states ------------------------------------------------------------------------------


class RouteAnswer(Protocol):
    """A path, trail, network, cut or tree."""

    @property
    def routes(self) -> Sequence[Route]:
        """Its routes."""


def route_list(answer: RouteAnswer) -> Markup:
    """Return an object made of routes as a table, captioned by its `repr`."""
    has_tolls = any(route.toll for route in answer.routes)
    rows = [
        (
            *(f"{route.cities[0]} – {route.cities[1]}", color_swatch(route.color)),
            *(route.kind, route.length, route.points),
            *([route.toll] if has_tolls else []),
        )
        for route in answer.routes
    ]
    head = ["route", "color", "kind", "length", "points", *(["toll"] if has_tolls else [])]
    return table(head, rows, repr(answer).strip("<>"))


def route_board(answer: RouteAnswer) -> str:
    """Return an object made of routes as a board on which they stand out, and as a table."""
    tickets = getattr(answer, "tickets", ())
    home = home_of(routes=answer.routes) if answer.routes else None
    return (map_svg(home, highlight=answer.routes, tickets=tickets) if home else Markup()) + route_list(answer)


def ticket_board(ticket: Ticket) -> str:
    """Return a ticket as a board on which its places are connected, with a caption."""
    home = home_of(tickets=[ticket])
    words = Markup("<div><b>{}</b></div>").format(ticket)
    return map_svg(home, tickets=[ticket]) + words if home else words


def game_board(state: PublicState) -> str:
    """Return a game at one moment as its board, with a row for each seat."""
    has_tokens = any(state.tokens)
    head = ["seat", "points", "trains", "cards", "tickets", *(["tokens"] if has_tokens else [])]
    columns = [state.scores, state.trains, state.n_hands, state.n_tickets, *([state.tokens] if has_tokens else [])]
    rows = [[f"P{seat}", *row] for seat, row in enumerate(zip(*columns, strict=True))]
    return map_svg(state.game_map, state.owners, stations=state.stations) + table(head, rows, repr(state).strip("<>"))


# -- records -------------------------------------------------------------------------------------------------------


def record_summary(record: GameRecord) -> str:
    """Return a record as HTML: result, board, first and last moves; an impossible one by its `repr`."""
    try:
        scores = list(record.score())
    except (GameError, RecordError):
        return f"<pre>{escape(repr(record))}</pre>"
    last = record.states()[-1]
    names = record.header.players or record.header.policies or ("",) * record.header.n_players
    seats = [
        (
            seat_mark(score.seat),
            name,
            Markup("<strong>{}</strong>{}").format(
                "?" if score.total is None else score.total, " won" if score.seat in record.winners else ""
            ),
            Markup("<br>").join([_made_of(score), *map(tell_station, score.stations)]),
            str(trains),
        )
        for score, name, trains in zip(scores, names, last.trains, strict=True)
    ]
    parts = [
        Markup("<div><p>{}</p>").format(_heading(record)),
        table(["seat", "player", "points", "made of", "trains left"], seats),
        map_svg(record.map, last.owners, stations=last.stations, width=RECORD_WIDTH),
        f"<p>First and last of {len(record.steps)} steps; <code>ttr.widgets.GameStepper(record)</code> shows all:</p>",
        f"<ul>{''.join(_moves(record))}</ul></div>",
    ]
    return "".join(parts)


def _heading(record: GameRecord) -> Markup:
    header = record.header
    words = ", ".join(
        [
            *filter(None, [record.map.title, record.map.rules.variant.replace("_", " ")]),
            f"{header.n_players} players",
            *filter(None, [header.date]),
            *([] if header.seed is None else [f"seed {header.seed}"]),
            f"{len(record.entries)} events",
            "over" if record.states()[-1].is_over else "not over",
        ]
    )
    if not header.title:
        return Markup("<strong>{}</strong>").format(words)
    return Markup("<strong>{}</strong> {}").format(header.title, words)


def _moves(record: GameRecord) -> Iterator[Markup]:
    """Yield the first and last moves as items of a list."""
    n_steps = len(record.steps)
    for step, told in enumerate(tell(record)):
        if step < N_FIRST or step >= n_steps - N_LAST:
            stamp = Markup(" <small>({})</small>").format(told.stamp) if told.stamp else ""
            yield Markup("<li>{}: {}{}</li>").format(step, told, stamp)
        elif step == N_FIRST:
            yield Markup("<li>…</li>")


def _made_of(score: Score) -> str:
    """Return the parts of a score as a sum."""
    words = ""
    for k, (what, points) in enumerate(final_parts(score)):
        sign = "" if k == 0 else " − " if points is not None and points < 0 else " + "
        words += f"{sign}{'?' if points is None else abs(points) if k else points} {what}"
    return words


# -- advice and reviews --------------------------------------------------------------------------------------------


def advice_html(advice: Advice) -> str:
    """Return advice as HTML: the first actions of its table, and the board if the best one concerns a place."""
    view = advice.view
    rows = [
        [
            row["move"],
            _chance(row["win"], row["win_low"], row["win_high"]),
            figure(number(row["points"])),
            figure(number(row["lead"], sign=True)),
            row["reason"],
        ]
        for row in advice.table.head(N_ACTIONS).to_dict("records")
    ]
    shown = table(["move", "win", "points", "lead", "reason"], rows, repr(advice).strip("<>"))
    routes, cities = places_of(advice.best)
    if not routes and not cities:
        return shown
    owners = {**view.owners, **{route.id: view.seat for route in routes}}
    stations = {**view.stations, **{city.name: view.seat for city in cities}}
    return shown + map_svg(
        view.game_map, owners, stations=stations, highlight=routes, cities=cities, width=ADVICE_WIDTH, fade=False
    )


def review_html(review: Review) -> str:
    """Return a review as HTML: skill and luck of each seat, and the costliest decisions."""
    shares, counts = ["start", "skill", "others", "luck", "result"], ["inaccuracy", "mistake", "blunder"]
    seats = [
        [
            f"P{row['seat']} {row['player']}",
            *(figure("–" if isnan(row[what]) else percent(row[what])) for what in shares),
            *(row[n] for n in counts),
        ]
        for row in review.summary().reset_index().to_dict("records")
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
        for row in review.moments().reset_index().to_dict("records")
    ]
    whole = table(["", *shares, *counts], seats, repr(review).strip("<>"))
    if not moments:
        return whole + Markup("<p>No decision is sure to have cost anything.</p>")
    return whole + table(["step", "player", "move", "", "cost", "better", "reason"], moments, "What cost the most")


def _chance(value: float, low: float, high: float) -> str:
    """Return a probability with its interval."""
    return f"{percent(value)} ({100 * max(0.0, low):.0f}–{100 * high:.0f})"
