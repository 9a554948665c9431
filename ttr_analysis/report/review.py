"""A review as one self-contained page: what happened in words, the win curve, the moments, and the stepper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any, Final

from ttr_analysis._words import counted, listed, seat_names
from ttr_analysis.engine.actions.table import Places, places_of
from ttr_analysis.engine.state import GameState, Owner
from ttr_analysis.studies.reviews.whole_game import BOUNDS, Review, player_names
from ttr_analysis.viz.html import map_svg
from ttr_analysis.viz.style import PLAYER_COLORS, PLAYER_DASHES
from ttr_analysis.widgets.stepper import GameStepper

N_MOMENTS: Final = 5
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1000, 260, 44, 150, 14, 26
"""Of the curve, in pixels at full width."""
_APART: Final = 17
"""Pixels between names at the ends of lines."""
_LONGEST_NAME: Final = 18
_BOARD: Final = 560
"""Most pixels across of a board."""


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
    style = (resources.files(__package__) / "assets" / "review.css").read_text(encoding="utf-8")
    stepper.to_html(path, before=_page(review), styles=style)


def _page(review: Review) -> str:
    """Return all that stands before the stepper."""
    record = review.record
    names = seat_names(player_names(record))
    steps = review.moments(N_MOMENTS).index.tolist()
    parts = [
        f"<h1>{_name(record.header.title or record.map.title)}: a review</h1>",
        *(f"<p>{sentence}</p>" for sentence in _story(review, names)),
        "<h2>Skill and luck</h2>",
        _table(review, names),
        "<h2>How likely each was to win</h2>",
        _curve(review, names, {step: review.table.loc[step, "seat"] for step in steps}),
        "<h2>The moments that cost most</h2>",
        *(_moment(review, names, rank, step) for rank, step in enumerate(steps, start=1)),
        "" if steps else "<p>No move is sure to have cost anything.</p>",
        f'<p class="quiet">{_METHOD}</p>',
        "<h2>Step through the game</h2>",
    ]
    return f'<article class="ttr ttr-review">{"".join(parts)}</article>\n'


_METHOD: Final = (
    "Each decision is judged from what its player could know then: what else could be done was tried in the same "
    "possible worlds, and planners played them on to the end. Losses are of the probability to win, with 95% "
    "intervals, measured in other worlds than those that found the better move. A move is called an inaccuracy, a "
    f"mistake or a blunder if at least {100 * BOUNDS['inaccuracy']:.0f}, {100 * BOUNDS['mistake']:.0f} or "
    f"{100 * BOUNDS['blunder']:.0f}% of winning are sure to be lost."
)


# -- in words ----------------------------------------------------------------------------------------------------------


def _story(review: Review, names: Sequence[str]) -> Iterator[str]:
    """Yield what happened, in sentences of HTML."""
    yield _result(review, names)
    for row in review.summary().reset_index().to_dict("records"):
        bad = [counted(row[label], label, _PLURALS[label]) for label in reversed(_PLURALS) if row[label]]
        yield (
            f"<b>{_name(names[row['seat']])}</b> began with {_percent(row['start'])}. {_signed(row['skill'])} came "
            f"from their own moves, compared with a planner's, {_signed(row['others'])} from those of others, and "
            f"{_signed(row['luck'])} from luck. In {counted(row['decisions'], 'decision')} they made "
            f"{listed(bad) or 'no move that was surely wrong'}."
        )


_PLURALS: Final = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def _result(review: Review, names: Sequence[str]) -> str:
    """Return who won, and how many points each has."""
    record = review.record
    points = ", ".join(
        f"{_name(name)} {'?' if score is None else score}" for name, score in zip(names, record.scores, strict=True)
    )
    if not record.is_complete:
        return f"The game is not over: {points}."
    winners = listed(_name(names[seat]) for seat in record.winners)
    tie = escape(record.score().tie)  # it holds the names of players, as anybody wrote them
    decided = f" {tie}." if tie else ""
    return f"{winners} won: {points}.{decided}" if winners else f"The game is over: {points}."


def _table(review: Review, names: Sequence[str]) -> str:
    """Return skill and luck of each seat."""
    head = "".join(
        f"<th scope='col'>{word}</th>"
        for word in ("", "start", "own moves", "moves of others", "luck", "result", *_PLURALS.values())
    )
    rows = []
    for row in review.summary().reset_index().to_dict("records"):
        cells = [
            _percent(row["start"]),
            f"{_signed(row['skill'])} ± {100 * row['skill_error']:.0f}",
            _signed(row["others"]),
            f"{_signed(row['luck'])} ± {100 * row['luck_error']:.0f}",
            _percent(row["result"]),
            *(str(row[label]) for label in _PLURALS),
        ]
        name = f"<td>{_mark(row['seat'])} {_name(names[row['seat']])}</td>"
        rows.append(f"<tr>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    note = "In percent of winning; start, moves and luck add up to the result. ± is half a 95% interval."
    return f'<div class="scroll" tabindex="0">{table}</div><p class="quiet">{note}</p>'


# -- the curve ---------------------------------------------------------------------------------------------------------


def _curve(review: Review, names: Sequence[str], moments: Mapping[int, int]) -> str:
    """Return the win curve as SVG that takes its colors from the page, with the moments: steps, and whose they were."""
    curve = review.curve
    wins_of = {seat: curve.loc[curve["seat"] == seat, "win"].tolist() for seat in range(len(names))}
    last = max(1, len(wins_of[0]) - 1)

    def x(step: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * step / last, 1)

    def y(win: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - win), 1)

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f"<line class='grid' x1='{x(0)}' x2='{x(last)}' y1='{y(share)}' y2='{y(share)}'/>")
        parts.append(f"<text x='{_LEFT - 6}' y='{y(share) + 4}' text-anchor='end'>{share:.0%}</text>")
    parts.append(f"<text x='{x(last)}' y='{_HEIGHT - 6}' text-anchor='end'>step {last}</text>")
    heights = _ends({seat: y(of_seat[-1]) for seat, of_seat in wins_of.items()})
    for seat, at in heights.items():
        first, *others = map(y, wins_of[seat])
        way = "".join(f"H{x(step)}V{win}" for step, win in enumerate(others, start=1))
        parts += _line(seat, f"M{x(0)} {first}{way}L{x(last) + 14} {round(at, 1)}")
        parts.append(f"<text x='{x(last) + 20}' y='{at + 4}'>{seat} {_shown(names[seat])}</text>")
    for rank, (step, seat) in enumerate(moments.items(), start=1):
        place = f"translate({x(step)} {y(wins_of[seat][step])})"
        number = f"<circle r='9'/><text text-anchor='middle' y='4'>{rank}</text>"
        parts.append(f"<a href='#{step}' class='moment' transform='{place}'><title>step {step}</title>{number}</a>")
    about = f"viewBox='0 0 {_WIDTH} {_HEIGHT}' role='group' aria-label='Win probability over the game'"
    return f"<svg class='curve' {about}>{''.join(parts)}</svg>"


def _line(seat: int, way: str) -> list[str]:
    """Return the line of a seat in its color and dashes, with a casing that keeps pale colors apart from the page."""
    dashes = " ".join(f"{2.4 * length:g}" for length in PLAYER_DASHES[seat % len(PLAYER_DASHES)])
    dashed = f"stroke-dasharray='{dashes}'" if dashes else ""
    color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
    return [
        f"<path class='line casing' d='{way}' stroke-width='3.6' {dashed}/>",
        f"<path class='line' d='{way}' stroke='{color}' stroke-width='2.4' {dashed}/>",
    ]


def _ends(heights: dict[int, float]) -> dict[int, float]:
    """Return heights for names at the ends of lines that keep apart."""
    placed: dict[int, float] = {}
    lowest = float(_HEIGHT - _BOTTOM + _APART)
    for seat in sorted(heights, key=heights.__getitem__, reverse=True):
        placed[seat] = lowest = min(heights[seat], lowest - _APART)
    return dict(sorted(placed.items()))


def _shown(name: str) -> str:
    """Return a name at the end of a line, cut if it is long."""
    return escape(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…")


# -- moments -----------------------------------------------------------------------------------------------------------


def _moment(review: Review, names: Sequence[str], rank: int, step: int) -> str:
    """Return a moment with the boards of what was played and of what was best."""
    row: Any = review.table.loc[step]
    loss, low, high = (f"{100 * max(0.0, row[end]):.0f}" for end in ("loss", "loss_low", "loss_high"))
    before, after = review.record.state_at(step - 1), review.record.state_at(step)
    reason = review.reason(step)
    who = f"{_mark(row['seat'])} {_name(names[row['seat']])}"
    words = (
        f"Played <b>{_name(row['move'])}</b>, which cost {loss}% of winning ({low} to {high}%). "
        f"Better was <b>{_name(row['best'])}</b>{f' – {escape(reason)}' if reason else ''}."
    )
    played = Places(
        tuple(route for route in after.claimed if route.id not in before.owners),
        tuple(after.game_map.city(city) for city in after.stations if city not in before.stations),
    )
    better = places_of(review.action(step))
    has_places = any((*played, *better))
    boards = _board("Played" if has_places else "The board then", after, row["seat"], played)
    if has_places:
        boards += _board("Better", before, row["seat"], better)
    head = f"<h3>{rank}. {who}, <a href='#{step}'>step {step}</a>: {row['label']}</h3>"
    return f"<section class='moment-of'>{head}<p>{words}</p><div class='boards'>{boards}</div></section>"


def _board(caption: str, state: GameState, seat: int, marked: Places) -> str:
    """Return a board with what is taken so far; the places marked glow, and those still free are the seat's."""
    owners: dict[str, Owner] = {**{route.id: seat for route in marked.routes}, **state.owners}
    stations = {**{city.name: seat for city in marked.cities}, **state.stations}
    board = map_svg(
        state.game_map,
        owners,
        stations=stations,
        highlight=marked.routes,
        cities=marked.cities,
        width=_BOARD,
        fade=False,
    )
    return f"<figure><figcaption>{_name(caption)}</figcaption>{board}</figure>"


# -- pieces ------------------------------------------------------------------------------------------------------------


def _mark(seat: int) -> str:
    return f"<span class='ttr-mark' data-owner='{seat}'>{seat}</span>"


def _name(text: str) -> str:
    return f"<bdi>{escape(text, quote=True)}</bdi>"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _signed(share: float) -> str:
    """Return a share in percent with its sign."""
    points = round(100 * share)
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"
