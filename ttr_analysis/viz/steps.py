"""A chart over the steps of a game as SVG, colored by the stepper's style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Final, TypeAlias

from ttr_analysis._words import percent
from ttr_analysis.viz.style import PLAYER_COLORS, PLAYER_DASHES, ink_upon

Values: TypeAlias = Sequence[float | None]
"""One value per step, None if there is none."""

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 150, 52, 570, 12, 132
_LINE: Final = 2.4
"""Width of the lines; dashes are in multiples of it."""
_LEAD: Final = 30
"""Length of the segment that leads to a symbol."""
_APART: Final = 22
"""Distance between symbols at the ends of lines, slightly more than the height of a tag in the largest type."""


def seen_from(viewer: object) -> str:
    """Describe the viewer of win probabilities, given the `looker` of their table."""
    views: dict[object, str] = {
        None: "",
        "all": ", with all hands in view",
        "own": ", each from what its player could know",
    }
    return views.get(viewer, f", from what P{viewer} could know")


def step_chart(label: str, names: Sequence[str], values: Sequence[Values], *, is_share: bool = False) -> str:
    """
    Return a chart with a line for each seat; at its end, each line leads to its seat number.

    Examples
    --------
    >>> chart = step_chart("Points", ["Ida", "Bo"], [[0, 3, 7], [0, 0, None]])
    >>> chart.count("class='ttr-curve'"), "<title>Ida</title>" in chart
    (4, True)
    """
    known = [0.0, 1.0] if is_share else [0.0, *(value for line in values for value in line if value is not None)]
    tick = 0.25 if is_share else _tick(max(known) - min(known))
    low = math.floor(min(known) / tick) * tick
    high = max(low + tick, math.ceil(max(known) / tick) * tick)
    last = len(values[0]) - 1

    def x(step: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * step / max(last, 1), 1)

    def y(value: float) -> float:
        return round(_TOP + (_BOTTOM - _TOP) * (high - value) / (high - low), 1)

    parts = []
    for k in range(round((high - low) / tick) + 1):
        value = low + k * tick
        kind = "gridline" if value else "axis"
        text = percent(value) if is_share else f"{value:.0f}"
        parts.append(f"<line class='ttr-{kind}' x1='{_LEFT}' x2='{_RIGHT}' y1='{y(value)}' y2='{y(value)}'/>")
        parts.append(f"<text x='{_LEFT - 5}' y='{y(value) + 4}' text-anchor='end'>{text}</text>")
    ends = {}
    for seat, line in enumerate(values):
        points = [(x(step), y(value)) for step, value in enumerate(line) if value is not None]
        if points:
            parts += _line(seat, names[seat], _stairs(points))
            ends[seat] = points[-1]
    for seat, at in spread(((seat, v) for seat, (_, v) in ends.items()), _APART, _HEIGHT - 12):
        parts += _end(seat, names[seat], *ends[seat], at)
    parts.append(f"<line class='ttr-cursor' x1='0' x2='0' y1='{_TOP}' y2='{_BOTTOM}'/>")
    look = f"class='ttr-chart' role='img' data-steps='{_LEFT} {_RIGHT} {last}' viewBox='0 0 {_WIDTH} {_HEIGHT}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {look} aria-label='{escape(label)}'>{''.join(parts)}</svg>"


def spread(ends: Iterable[tuple[int, float]], gap: float, most: float) -> Iterator[tuple[int, float]]:
    """
    Yield positions for the symbols at the ends of lines, so that they do not overlap.

    Examples
    --------
    >>> dict(spread([(0, 50.0), (1, 51.0), (2, 99.0)], 10, 100))
    {2: 99.0, 1: 60.0, 0: 50.0}
    """
    placed: list[tuple[int, float]] = []
    for seat, at in sorted(ends, key=lambda end: end[1]):
        placed.append((seat, max(at, placed[-1][1] + gap) if placed else at))
    for seat, at in reversed(placed):
        most = min(at, most)
        yield seat, most
        most -= gap


def _stairs(points: Sequence[tuple[float, float]]) -> str:
    """Return a path that moves horizontally to each point where the value changes, and to the last one."""
    (u, v), (last, _) = points[0], points[-1]
    steps = (f"H{x}V{y}" for (_, before), (x, y) in pairwise(points) if y != before)
    return f"M{u} {v}{''.join(steps)}H{last}"


def _tick(span: float) -> float:
    """Return the distance between grid lines: about five of them, at round numbers."""
    rough = max(span, 1) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return max(1.0, power * next(k for k in (1, 2, 5, 10) if k * power >= rough))


def _line(seat: int, name: str, way: str) -> Iterator[str]:
    """Yield a line with its dashes. A casing separates pale colors from the page."""
    dashes = " ".join(f"{_LINE * length:.1f}" for length in PLAYER_DASHES[seat % len(PLAYER_DASHES)])
    dashed = f"stroke-dasharray='{dashes}'" if dashes else ""
    look = f"stroke='{PLAYER_COLORS[seat % len(PLAYER_COLORS)]}' stroke-width='{_LINE}'"
    yield f"<path class='ttr-casing' d='{way}' stroke-width='{_LINE + 1.2:.1f}' {dashed}/>"
    yield f"<path class='ttr-curve' d='{way}' {look} {dashed}><title>{escape(name)}</title></path>"


def _end(seat: int, name: str, x: float, y: float, at: float) -> Iterator[str]:
    """Yield the segment from the end of a line to its symbol, on a tag of its color."""
    color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
    yield from _line(seat, name, f"M{x} {y}L{x + _LEAD} {at}")
    yield f"<g transform='translate({x + _LEAD} {at})'>"
    yield f"<rect y='-0.65em' width='2.3em' height='1.3em' rx='4' fill='{color}'/>"
    middle = f"x='1.15em' y='0.36em' text-anchor='middle' fill='{ink_upon(color)}'"
    yield f"<text class='ttr-end' {middle}>{seat}</text></g>"
