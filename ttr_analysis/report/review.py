"""A review as one self-contained page: what happened in words, the win curve, the moments, and the stepper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markupsafe import Markup

from ttr_analysis._words import counted, listed, percent, percentage_points, seat_names
from ttr_analysis.engine.actions.table import Places, places_of
from ttr_analysis.engine.state import GameState, Owner
from ttr_analysis.report.page import asset, drawing
from ttr_analysis.studies.reviews import BOUNDS, Review, player_names
from ttr_analysis.viz.charts import plot_win_curve
from ttr_analysis.viz.html import bdi, figure, seat_mark, table, templates
from ttr_analysis.viz.svg import map_svg
from ttr_analysis.widgets.stepper import GameStepper

N_MOMENTS: Final = 5
BOARD_WIDTH: Final = 560
"""Most pixels across of a board."""
_PLURALS: Final = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def write_review(review: Review, path: str | os.PathLike[str]) -> None:
    """
    Write a review as one page that opens from disk and needs no network.

    Parameters
    ----------
    review
        From `studies.review`.
    path
        The file; an old one stays whole until the new one is.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    stepper = GameStepper(review.record, seat=review.seat, review=review)
    stepper.to_html(path, before=_article(review), styles=asset("review.css"))


def _article(review: Review) -> str:
    """Return all that comes before the stepper."""
    names = seat_names(player_names(review.record))
    steps = review.moments(N_MOMENTS).index.tolist()
    article: str = (
        templates("ttr_analysis.report")
        .get_template("review.html")
        .render(
            title=bdi(review.record.header.title or review.record.map.title),
            story=_story(review, names),
            table=_table(review, names),
            curve=_curve(review, steps),
            moments=[_moment(review, names, step) for step in steps],
            bounds=listed([f"{100 * BOUNDS[label]:.0f}" for label in _PLURALS], "or"),
        )
    )
    return article


def _story(review: Review, names: Sequence[str]) -> Iterator[Markup]:
    """Yield what happened, in sentences."""
    yield _result(review, names)
    for row in review.summary().reset_index().to_dict("records"):
        bad = [counted(row[label], label, _PLURALS[label]) for label in reversed(_PLURALS) if row[label]]
        yield Markup(
            "<b>{}</b> began with {}. {} came from their own moves, compared with a planner's, {} from those of "
            "others, and {} from luck. In {} they made {}."
        ).format(
            bdi(names[row["seat"]]),
            percent(row["start"]),
            *(percentage_points(row[source]) for source in ("skill", "others", "luck")),
            counted(row["decisions"], "decision"),
            listed(bad) or "no clearly wrong move",
        )


def _result(review: Review, names: Sequence[str]) -> Markup:
    """Return who won, and how many points each has."""
    record = review.record
    scored = [
        f"{bdi(name)} {'?' if score is None else score}" for name, score in zip(names, record.scores, strict=True)
    ]
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
            figure(percent(row["start"])),
            figure(f"{percentage_points(row['skill'])} ± {100 * row['skill_error']:.0f}"),
            figure(percentage_points(row["others"])),
            figure(f"{percentage_points(row['luck'])} ± {100 * row['luck_error']:.0f}"),
            figure(percent(row["result"])),
            *(row[label] for label in _PLURALS),
        ]
        for row in review.summary().reset_index().to_dict("records")
    ]
    return table(["", "start", "own moves", "moves of others", "luck", "result", *_PLURALS.values()], rows)


def _curve(review: Review, steps: list[int]) -> Markup:
    """Return the win curve, on which the moments lead to their steps."""
    judged = review.table.loc[steps, ["seat"]].reset_index()
    judged = judged.merge(review.curve, on=["step", "seat"], how="left").set_index("step")
    moments, players = judged.assign(after=judged["win"]), player_names(review.record)
    return drawing(
        lambda ax: plot_win_curve(review.curve, ax, points=moments, players=players, title=""),
        "Win probability over the game",
        size=(11.0, 3.2),
    )


def _moment(review: Review, names: Sequence[str], step: int) -> dict[str, Any]:
    """Return a moment with the boards of what was played and of what was best."""
    row: Any = review.table.loc[step]
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
        **{key: row[key] for key in ("label", "move", "best")},
        **{key: f"{100 * max(0.0, row[end]):.0f}" for key, end in _LOSSES.items()},
        "step": step,
        "player": Markup("{} {}").format(seat_mark(row["seat"]), bdi(names[row["seat"]])),
        "reason": review.reason(step),
        "boards": boards,
    }


_LOSSES: Final = {"loss": "loss", "low": "loss_low", "high": "loss_high"}


def _board(state: GameState, seat: int, marked: Places) -> Markup:
    """Return a board with what is taken so far; the places marked glow, and those still free are the seat's."""
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
