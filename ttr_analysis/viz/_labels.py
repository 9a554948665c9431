"""Where the labels of cities stand: beside their dots, clear of cars and of each other."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Box: TypeAlias = tuple[float, float, float, float]

SIDES = {
    "E": (1.0, 0.0),
    "W": (-1.0, 0.0),
    "NE": (0.72, 0.72),
    "NW": (-0.72, 0.72),
    "SE": (0.72, -0.72),
    "SW": (-0.72, -0.72),
    "N": (0.0, 1.0),
    "S": (0.0, -1.0),
}
"""Directions from a city, in order of preference."""

ASCENT, DESCENT, LINE = 0.76, 0.22, 1.12
"""Above and below the base line, and from line to line, in ems."""
LONGEST_LINE = 11
"""Labels longer than this may be broken in two."""
LONGEST_LABEL = 24
"""Labels longer than this must be broken, even within a word."""
REACHES = (0.32, 0.65, 1.1)
"""How far labels stand from the rim of their city (ems)."""
N_ROUNDS = 6
OUTSIDE = 30.0
"""What it costs to stand outside of the picture."""

_NARROW, _WIDE = frozenset("fijlrt.,:;'()!|I -"), frozenset("mwMW@%—")


@dataclass(frozen=True, slots=True)
class LabelSpot:
    """
    A label and where it stands.

    Parameters
    ----------
    city
        Name of the city.
    text
        The label, of one line or two.
    x, y
        Middle of its left or right end, or of its base line, by `align`.
    align
        "left", "center" or "right": which part of the text lies at `x`.
    box
        Left, bottom, right, top as estimated from the letters.
    """

    city: str
    text: str
    x: float
    y: float
    align: str
    box: Box


class WantedLabel(NamedTuple):
    """A label to be placed: name of the city, text, side or "" for any, position of the city."""

    city: str
    text: str
    side: str
    position: tuple[float, float]


def text_width(text: str) -> float:
    """
    Return the width of a line in ems, estimated from its letters (of DejaVu Sans Bold).

    Examples
    --------
    >>> round(text_width("Oslo"), 1)
    2.5
    """
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.40
    if letter in _WIDE or unicodedata.east_asian_width(letter) in {"W", "F"}:
        return 1.04
    return 0.78 if letter.isupper() else 0.68


def place_labels(
    cities: Sequence[WantedLabel],
    *,
    cars: Floats,
    tokens: Floats,
    radius: float,
    size: float,
    reaches: Sequence[float] = REACHES,
    within: Box | None = None,
) -> tuple[LabelSpot, ...]:
    """
    Return where each label stands.

    Every label takes the spot that covers least; they move in turn until none
    has a better one.

    Parameters
    ----------
    cities
        The labels, one per city.
    cars
        Points on car spaces, which labels should not cover.
    tokens
        Middles of tokens, which they should not cover either.
    radius
        Radius of a city, which they must not cover.
    size
        Height of an em.
    reaches
        How far a label may stand from the rim of its city, nearest first
        (ems).
    within
        Left, bottom, right, top: where labels should stay.
    """
    spots = [list(_candidates(city, radius, size, reaches)) for city in cities]
    dots = np.array([city.position for city in cities]).reshape(-1, 2)
    obstacles = [
        # points, how far around the box they may not lie, cost of one
        (cars.reshape(-1, 2), 0.10 * size, 0.35),
        (tokens, 0.6 * size, 3.0),
        (dots, radius + 0.05 * size, 12.0),
    ]
    costs = []
    for k, candidates in enumerate(spots):
        boxes = np.array([spot.box for spot, _ in candidates])
        cost = np.array([liking for _, liking in candidates])
        for points, margin, each in obstacles:
            others = points if points is not dots else np.delete(dots, k, axis=0)
            cost += each * _count_inside(boxes, others, margin)
        if within is not None:
            cost += OUTSIDE * ((boxes[:, :2] < within[:2]) | (boxes[:, 2:] > within[2:])).any(axis=1)
        costs.append(cost)
    chosen = [int(cost.argmin()) for cost in costs]
    for _ in range(N_ROUNDS):
        moved = False
        for k, candidates in enumerate(spots):
            boxes = np.array([spot.box for spot, _ in candidates])
            others = np.array([spots[i][chosen[i]][0].box for i in range(len(spots)) if i != k]).reshape(-1, 4)
            cost = costs[k] + 15 * _overlap(boxes, others, 0.08 * size) / size**2
            best = int(cost.argmin())
            if cost[best] < cost[chosen[k]] - 1e-9:
                chosen[k], moved = best, True
        if not moved:
            break
    return tuple(candidates[k][0] for candidates, k in zip(spots, chosen, strict=True))


def _candidates(
    wanted: WantedLabel, radius: float, size: float, reaches: Sequence[float]
) -> Iterator[tuple[LabelSpot, float]]:
    """Yield the spots a label may take, with how little each is liked."""
    city, label, side, (x, y) = wanted
    for n_lines, text in enumerate(_broken(label)):
        lines = text.split("\n")
        width = max(map(text_width, lines)) * size
        height = (ASCENT + DESCENT + LINE * (len(lines) - 1)) * size
        for rank, (name, (dx, dy)) in enumerate(SIDES.items()):
            if side and name != side:
                continue
            for away in reaches:
                reach = radius + away * size
                align = "left" if dx > 0 else "right" if dx < 0 else "center"
                left = x + reach * dx - {"left": 0.0, "right": width, "center": width / 2}[align]
                middle = y + reach * dy + (height / 2 if dy > 0 else -height / 2 if dy < 0 else 0.0)
                box = (left, middle - height / 2, left + width, middle + height / 2)
                liking = 0.12 * rank + 1.5 * (away - reaches[0]) + 0.5 * n_lines
                yield LabelSpot(city, text, x + reach * dx, middle, align, box), liking


def _broken(label: str) -> Iterator[str]:
    """Yield a label, and if it is long, the same broken in two or more lines; as it is if it has lines already."""
    if "\n" in label:
        yield label
        return
    if len(label) <= LONGEST_LABEL:
        yield label
    if len(label) > LONGEST_LINE:
        n_lines = max(2, math.ceil(len(label) / LONGEST_LABEL))
        for width in range(math.ceil(len(label) / n_lines), len(label)):
            lines = textwrap.wrap(label, width, break_long_words=len(label) > LONGEST_LABEL)
            if len(lines) <= n_lines:
                break
        if len(lines) > 1:
            yield "\n".join(lines)


def _count_inside(boxes: Floats, points: Floats, margin: float) -> Floats:
    """Return how many points lie in each box grown by a margin."""
    if not len(points):
        return np.zeros(len(boxes))
    x, y = points[:, 0], points[:, 1]
    left, bottom, right, top = (boxes[:, k, None] for k in range(4))
    inside = (x > left - margin) & (x < right + margin) & (y > bottom - margin) & (y < top + margin)
    count: Floats = inside.sum(axis=1).astype(float)
    return count


def _overlap(boxes: Floats, others: Floats, margin: float) -> Floats:
    """Return the area that each box shares with the others."""
    if not len(others):
        return np.zeros(len(boxes))
    width = np.minimum(boxes[:, None, 2], others[:, 2]) - np.maximum(boxes[:, None, 0], others[:, 0]) + margin
    height = np.minimum(boxes[:, None, 3], others[:, 3]) - np.maximum(boxes[:, None, 1], others[:, 1]) + margin
    area: Floats = (np.maximum(0, width) * np.maximum(0, height)).sum(axis=1)
    return area
