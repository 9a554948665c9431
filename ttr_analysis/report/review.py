"""A review as a self-contained page: summary, win curve, moments, and stepper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import ceil, isnan
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from ttr_analysis._words import counted, listed, percent, percentage_points, seat_names
from ttr_analysis.engine.actions.table import Places, places_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.state import GameState, Owner
from ttr_analysis.maps.names import name_ticket
from ttr_analysis.policies.search.shown import ticket_orders
from ttr_analysis.records.positions import UNKNOWN
from ttr_analysis.report.page import asset, drawing
from ttr_analysis.studies.marks import BOUNDS, MOST_DOUBT
from ttr_analysis.studies.reviews import Review, player_names
from ttr_analysis.viz.charts import plot_win_curve
from ttr_analysis.viz.html import bdi, figure, seat_mark, table, templates
from ttr_analysis.viz.svg import map_svg
from ttr_analysis.widgets.stepper import GameStepper

if TYPE_CHECKING:
    import pandas as pd

N_MOMENTS: Final = 5
BOARD_WIDTH: Final = 560
"""Maximum width of a board, in pixels."""
_NOT_CLEAR: Final = "not clear"
_UNCLEAR: Final = 0.25
"""Skill or luck is called unclear if half of its interval is wider than this."""
_PLURALS: Final = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def write_review(review: Review, path: str | os.PathLike[str], *, open_cards: pd.DataFrame | None = None) -> None:
    """
    Write a review as a page that opens from disk and needs no network.

    With `open_cards`, from `studies.win_curve(review.record)`, it can also show the win curve with all hands seen. An
    existing file is replaced only once the new one is complete.
    """
    stepper = GameStepper(review.record, seat=review.seat, review=review)
    stepper.to_html(path, before=_article(review, open_cards), styles=asset("review.css"))


def _article(review: Review, open_cards: pd.DataFrame | None = None) -> str:
    """Return everything before the stepper."""
    names = seat_names(player_names(review.record))
    moments = review.moments(N_MOMENTS)
    article: str = (
        templates("ttr_analysis.report")
        .get_template("review.html")
        .render(
            title=bdi(review.record.header.title or review.record.map.title),
            story=_story(review, names),
            doubts=_doubts(review, names),
            table=_table(review, names),
            curve=_curve(review, review.curve, moments.index.tolist()) if len(review.curve) else "",
            open_cards=_curve(review, open_cards) if open_cards is not None else "",
            n_judged=len(review.table),
            is_clear=review.lacking == 1,
            moments=[_moment(review, names, moments, step) for step in moments.index.tolist()],
            bounds=listed([f"{100 * BOUNDS[label]:.0f}" for label in _PLURALS], "or"),
        )
    )
    return article


def _story(review: Review, names: Sequence[str]) -> Iterator[Markup]:
    """Yield the summary in sentences."""
    yield _result(review, names)
    for row in review.summary().reset_index().to_dict("records"):
        name = Markup("<b>{}</b>").format(bdi(names[row["seat"]]))
        if not row["decisions"]:
            yield Markup("No decision of {} could be judged.").format(name)
            continue
        made = _marks(row)
        if row["luck_error"] > _UNCLEAR:
            yield Markup(
                "{} began with {}.{} There were too few simulated games to tell their skill from luck."
            ).format(name, percent(row["start"]), f" {made}" if row["cost"] else "")
            continue
        yield Markup("{} began with {}. Their own moves, compared with a planner's, changed that by {}. {} {}").format(
            name,
            percent(row["start"]),
            percentage_points(row["skill"]),
            f"Moves of others brought {percentage_points(row['others'])}, and luck {percentage_points(row['luck'])}."
            if review.seat is None
            else f"Luck and the moves of others brought {percentage_points(row['luck'])}.",
            made,
        )


def _marks(row: dict[Any, Any]) -> str:
    """Return how many marks a seat has, what they cost, and what of that came back."""
    n_marks = sum(row[label] for label in _PLURALS)
    bad = [counted(row[label], label, _PLURALS[label]) for label in reversed(_PLURALS) if row[label]]
    made = f"In {counted(row['decisions'], 'decision')} they made {listed(bad) or 'no clearly wrong move'}"
    if not n_marks:
        return f"{made}."
    cost, lost = (round(100 * row[what]) for what in ("cost", "lost"))
    back = "the chance stayed open, or luck or the others returned it"
    kept = (
        f"All of that came back: {back}."
        if not lost
        else "None of that came back."
        if lost >= cost
        else f"Of that, {cost - lost}% came back: {back}. They lost {lost}% for good."
    )
    theirs = "it" if n_marks == 1 else "all of these" if row["shared"] == n_marks else f"{row['shared']} of these"
    shared = f" A planner would have played {theirs} too." if row["shared"] else ""
    return f"{made}, which cost {cost}% of winning{' in total' if n_marks > 1 else ''}. {kept}{shared}"


def _doubts(review: Review, names: Sequence[str]) -> Iterator[Markup]:
    """Yield what was unknown or assumed, and how much that matters."""
    record, table = review.record, review.table
    if not review.is_whole:
        yield Markup("The review was interrupted after step {}.").format(table.index[-1])
    seats = {seat for seat in set(table["seat"]) if len(ticket_orders(record, seat)) > 1}
    if seats:
        doubtful = Markup(listed([bdi(names[seat]) for seat in sorted(seats)]))  # noqa: S704 - escaped by `bdi`
        costly = table[table["seat"].isin(seats) & (table["loss_low"] >= BOUNDS["inaccuracy"])]
        n_failed = int((costly["holds"] < 1 - MOST_DOUBT).sum())
        yield Markup(
            "The record does not say in which turn {} kept which of the tickets shown at the end. Their moves were "
            "judged with hands of tickets that they may have held, by what their routes show. {}"
        ).format(
            doubtful,
            f"{counted(n_failed, 'move')} of {len(costly)} that seemed to cost something may have been right with "
            "other tickets, and got no mark."
            if n_failed
            else "All marks hold whichever of these they held."
            if len(costly)
            else "",
        )
    reviewed = range(record.header.n_players) if review.seat is None else [review.seat]
    n_unjudged = sum(isinstance(step[0], Move) and step[0].seat in reviewed for step in record.steps) - len(table)
    if n_unjudged and review.is_whole:
        yield Markup("{} could not be judged: the record does not say what the player held or was offered.").format(
            counted(n_unjudged, "decision")
        )
    if any(UNKNOWN in state.market for state in record.states()):
        yield Markup(
            "Cards that lay face up and were not taken are unknown, and some cards in hands: a move that needed one of "
            "them was not tried."
        )
    if review.lacking > 1:
        more = f"{review.lacking:.1f} times as many are"
        if review.minutes_needed is not None:
            more = f"{counted(max(1, ceil(review.minutes_needed)), 'minute')} in all are"
        yield Markup("There were too few rollouts to judge most decisions: about {} needed.").format(more)


def _result(review: Review, names: Sequence[str]) -> Markup:
    """Return the winner, and the points of each."""
    record = review.record
    told = ["with points unknown" if score is None else score for score in record.scores]
    scored = [f"{bdi(name)} {score}" for name, score in zip(names, told, strict=True)]
    points = Markup(", ".join(scored))  # noqa: S704 - escaped by `bdi`
    if not record.is_complete:
        return Markup("The game is not over: {}.").format(points)
    winners = Markup(listed(bdi(names[seat]) for seat in record.winners))  # noqa: S704 - escaped by `bdi`
    if not winners:
        return Markup("The game is over: {}.").format(points)
    tie = record.score().tie
    return Markup("{} won: {}.{}").format(winners, points, f" {tie}." if tie else "")


def _table(review: Review, names: Sequence[str]) -> Markup:
    """Return skill and luck of each seat."""
    rows = [
        [
            Markup("{} {}").format(seat_mark(row["seat"]), bdi(names[row["seat"]])),
            *map(figure, _parts(row) if row["decisions"] else ["–"] * 6),
            *(row[label] for label in _PLURALS),
        ]
        for row in review.summary().reset_index().to_dict("records")
    ]
    headings = ["start", "own moves", "moves of others", "luck", "result", "lost for good"]
    return table(["", *headings, *_PLURALS.values()], rows)


def _parts(row: dict[Any, Any]) -> list[str]:
    """Return start, own moves, moves of others, luck, result, and what was lost for good, in percent of winning."""
    # The error of luck includes that of the moves of others.
    others = percentage_points(row["others"]) if row["luck_error"] <= _UNCLEAR else _NOT_CLEAR
    return [
        percent(row["start"]),
        _known(row["skill"], row["skill_error"]),
        "–" if isnan(row["others"]) else others,
        _known(row["luck"], row["luck_error"]),
        "–" if isnan(row["result"]) else percent(row["result"]),
        f"{100 * row['lost']:.0f}",
    ]


def _known(value: float, error: float) -> str:
    """Return a part of the result with half its interval, unless that is too wide."""
    return f"{percentage_points(value)} ± {100 * error:.0f}" if error <= _UNCLEAR else _NOT_CLEAR


def _curve(review: Review, curve: pd.DataFrame, steps: Sequence[int] = ()) -> Markup:
    """Return a win curve, on which the moments, if measured with it, link to their steps."""
    judged = review.table.loc[list(steps), ["seat"]].reset_index()
    moments = judged.merge(curve, on=["step", "seat"], how="left").set_index("step") if len(steps) else None
    players = player_names(review.record)
    return drawing(
        lambda ax: plot_win_curve(curve, ax, points=moments, players=players, title=""),
        "Win probability over the game",
        size=(11.0, 3.2),
    )


def _moment(review: Review, names: Sequence[str], moments: pd.DataFrame, step: int) -> dict[str, Any]:
    """Return a moment with boards of the move played and of the best one."""
    row: Any = moments.loc[step]
    view = review.view(step)
    before, after = review.record.state_at(step - 1), review.record.state_at(step)
    played = Places(
        tuple(route for route in after.claimed if route.id not in before.owners),
        tuple(after.game_map.city(city) for city in after.stations if city not in before.stations),
    )
    better = places_of(review.action(step))
    boards = [("The board then", _board(after, row["seat"], played))]
    if any((*played, *better)):
        boards = [("Played", boards[0][1]), ("Better", _board(before, row["seat"], better))]
    return {
        "label": row["label"],
        **{key: _SPELLED.get(row[key], row[key]) for key in ("move", "best")},
        **{end: f"{100 * max(0.0, row[end]):.0f}" for end in ("loss", "loss_low", "loss_high")},
        "chances": (percent(row["win"] + row["loss"]), percent(row["win"])),
        "step": step,
        "stamp": review.record.stamps[step],
        "standing": Markup("; ").join(
            Markup("{} {} and {}").format(bdi(name), counted(points, "point"), counted(trains, "train"))
            for name, points, trains in zip(names, before.scores, before.trains, strict=True)
        ),
        "run": (row["since"], row["until"]) if row["until"] > row["since"] else None,
        "hand": f"{view.hand}",
        "tickets": "; ".join(map(name_ticket, view.tickets)) or "none",
        "is_likely": len(set(review.known(step).hands(row["seat"]))) > 1,
        "player": Markup("{} {}").format(seat_mark(row["seat"]), bdi(names[row["seat"]])),
        "reason": row["reason"],
        "boards": boards,
    }


_SPELLED: Final = {"draw": "draw a card from the pile", "tickets": "draw tickets"}
"""Moves whose notation alone is too terse."""


def _board(state: GameState, seat: int, marked: Places) -> Markup:
    """Return a board so far; the marked places glow, and those still free are drawn as the seat's."""
    owners: dict[str, Owner] = {**{route.id: seat for route in marked.routes}, **state.owners}
    stations = {**{city.name: seat for city in marked.cities}, **state.stations}
    return map_svg(
        state.game_map,
        owners,
        stations=stations,
        highlight=marked.routes,
        cities=marked.cities,
        width=BOARD_WIDTH,
        fade=False,
    )
