"""The bows of tracks, the positions of car spaces along them, and the positions of labels."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ttr_analysis._compile import Floats
from ttr_analysis.maps.model import Route
from ttr_analysis.viz.style import Shape

# -- curves, as rows of points ------------------------------------------------------------------------------------

Points: TypeAlias = Floats
"""Positions, one row each: x, y in board units."""

N_SAMPLES = 33
"""Points of a sampled curve."""


def bezier(start: Points, end: Points, bow: float) -> Points:
    """Return points along a quadratic Bezier curve, whose middle is `bow` to the left of the chord."""
    return _bowed(start, end, np.array(bow), np.linspace(0, 1, N_SAMPLES)[:, None])


def _bowed(start: Points, end: Points, bow: Floats, t: Floats) -> Points:
    """Return the points at the fractions `t` of quadratic curves; all arrays are broadcast."""
    chord = end - start
    size = np.maximum(np.hypot(chord[..., 0], chord[..., 1]), 1e-9)
    normal = np.stack([-chord[..., 1], chord[..., 0]], axis=-1) / size[..., None]
    control = (start + end) / 2 + 2 * bow[..., None] * normal
    curve: Points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return curve


def sideways(line: Points, offset: float) -> Points:
    """Return the line parallel to another one, at a distance to its left."""
    direction = np.gradient(line, axis=0)
    size = np.hypot(direction[:, 0], direction[:, 1])[:, None]
    direction = direction / np.where(size > 0, size, 1)
    return line + offset * np.column_stack([-direction[:, 1], direction[:, 0]])


def arc_length(line: Points) -> Floats:
    """Return the arc length from the start to each point of a line."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def point_at(line: Points, distances: Iterable[float]) -> Points:
    """Return the points at the given arc lengths from the start of a line."""
    arc = arc_length(line)
    wanted = np.fromiter(distances, dtype=float)
    return np.column_stack([np.interp(wanted, arc, line[:, axis]) for axis in (0, 1)])


def outside(line: Points, circles: Points, radius: float) -> Points:
    """Return the part of a line outside two circles of one radius around its ends."""
    fine = point_at(line, np.linspace(0, arc_length(line)[-1], 8 * N_SAMPLES))
    kept = fine[(np.hypot(*(fine[:, None] - circles).transpose(2, 0, 1)) >= radius).all(axis=1)]
    # Cities so close that nothing is left: cars are then drawn on the dots.
    return kept if len(kept) > 1 and arc_length(kept)[-1] > 0.25 * radius else line


# -- the bow of each track -----------------------------------------------------------------------------------------

MORE_BOW = (0.0, 0.05, 0.11, 0.19, 0.29)
"""Bows to try beyond the smallest one, relative to the chord."""
LARGEST_BOW = 0.42
"""Largest bow, relative to the chord; beyond it a track would look like a detour."""
N_POINTS = 11
N_BOW_ROUNDS = 5


def choose_bows(
    chords: Floats,
    *,
    needed: Floats,
    bare: Floats,
    half_widths: Floats,
    dots: Floats,
    radius: float,
    margin: float,
) -> Floats:
    """
    Return how far the middle of each track is to the left of its chord.

    Bows give the cars (`needed`, an arc length) room between the ends without cars (`bare`).
    Each track starts with the bow that is best by itself; then one track at a time changes
    while that reduces the sum of bows and overlaps. `chords` has shape (n, 2, 2).
    """
    n = len(chords)
    if n == 0:
        return np.zeros(0)
    lengths = np.maximum(np.hypot(*(chords[:, 1] - chords[:, 0]).T), 1e-9)
    least = np.minimum(np.sqrt(0.375 * lengths * np.maximum(0, needed - lengths)), 0.85 * LARGEST_BOW * lengths)
    sizes = np.minimum(least[:, None] + np.array(MORE_BOW) * lengths[:, None], LARGEST_BOW * lengths[:, None])
    bows = np.concatenate([sizes, -sizes], axis=1)
    bare = np.minimum(bare / lengths, 0.45)[:, None]  # cars are between the fractions `bare` and 1 - `bare`
    t = (bare + (1 - 2 * bare) * np.linspace(0, 1, N_POINTS))[:, None, :, None]
    points = _bowed(chords[:, None, None, 0], chords[:, None, None, 1], bows[:, :, None], t)
    own = 5.0 * np.abs(bows) / lengths[:, None]
    own += _encroachment_on_dots(points, chords, dots, radius + half_widths + margin)
    between = _encroachments(points, half_widths, margin)
    chosen = own.argmin(axis=1)
    for _ in range(N_BOW_ROUNDS):
        before = chosen.copy()
        for i in range(n):
            cost = own[i] + sum((costs[:, chosen[j]] for j, costs in between[i].items()), np.zeros(bows.shape[1]))
            if cost.min() < cost[chosen[i]] - 1e-9:
                chosen[i] = int(cost.argmin())
        if (chosen == before).all():
            break
    result: Floats = bows[np.arange(n), chosen]
    return result


def _encroachment_on_dots(points: Floats, chords: Floats, dots: Floats, clearance: Floats) -> Floats:
    """Return by how much each candidate curve is too close to cities other than its ends."""
    distance = np.hypot(
        points[..., None, 0] - dots[:, 0],
        points[..., None, 1] - dots[:, 1],
    ).min(axis=2)
    clearance = clearance[:, None, None]
    too_near = np.maximum(0, clearance - distance) / clearance
    is_end = (chords[:, :, None] == dots).all(axis=-1).any(axis=1)
    too_near[np.broadcast_to(is_end[:, None], too_near.shape)] = 0
    total: Floats = 12 * too_near.sum(axis=2)
    return total


def _encroachments(points: Floats, half_widths: Floats, margin: float) -> list[dict[int, Floats]]:
    """Return, for each pair of nearby tracks, how much each pair of their candidate curves overlaps."""
    n = len(points)
    low, high = points.min(axis=(1, 2)) - half_widths[:, None], points.max(axis=(1, 2)) + half_widths[:, None]
    between: list[dict[int, Floats]] = [{} for _ in range(n)]
    for i in range(n - 1):
        boxes_meet = (low[i] - margin <= high[i + 1 :]) & (low[i + 1 :] - margin <= high[i])
        near = np.flatnonzero(boxes_meet.all(axis=1)) + i + 1
        if not len(near):
            continue
        one, others = points[i][None, :, None, :, None], points[near][:, None, :, None]
        distance = np.hypot(one[..., 0] - others[..., 0], one[..., 1] - others[..., 1]).min(axis=4)
        clearance = (half_widths[i] + half_widths[near] + margin)[:, None, None, None]
        cost = 2 * (np.maximum(0, clearance - distance) / clearance).sum(axis=3)
        for j, costs in zip(near, cost, strict=True):
            if costs.any():
                between[i][int(j)] = costs
                between[int(j)][i] = costs.T
    return between


# -- cars along the tracks -----------------------------------------------------------------------------------------

# All sizes are relative to the space unit, the arc length of one car space.
CAR_LENGTH = 0.90
CAR_WIDTH = 0.37
CITY_RADIUS = 0.30
TRACK_GAP = 0.05
"""Gap between the tracks of a double route."""
RIM_GAP = 0.10
"""Gap between a city and the nearest end of a car."""
LONGEST_CAR = 1.15
"""How much longer than usual a car may be drawn where there is room."""
LONGEST_STEP = 1.55
"""Longest arc length of one car space; longer tracks begin and end with bare line."""
SHORTEST_STEP = 0.80
"""Shortest arc length of one car space to make room for neighbors."""
BROADEST_CAR = 0.75
"""Largest width of a car relative to its length; wider cars would not look like cars."""
SET_BACK = 0.06
"""Step by which a track is set back."""
N_ROUNDS = 16
N_NEAR = 2
"""Cars at either end of a track that may overlap others."""


@dataclass(frozen=True, slots=True)
class Car:
    """One car space: a rectangle around `x` and `y`, at an angle in (-pi/2, pi/2], perhaps with a symbol."""

    x: float
    y: float
    angle: float
    length: float
    width: float
    locomotive: bool = False

    def corners(self, grow: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Return the four corners of the rectangle, grown by `grow` on all sides."""
        half, across = self.length / 2 + grow, self.width / 2 + grow
        return placed(((-half, -across), (half, -across), (half, across), (-half, across)), self, 1.0)


def placed(shape: Shape, car: Car, size: float) -> Shape:
    """Return a shape on a car, rotated with it."""
    cos, sin = math.cos(car.angle) * size, math.sin(car.angle) * size
    return tuple((car.x + u * cos - v * sin, car.y + u * sin + v * cos) for u, v in shape)


@dataclass(frozen=True, slots=True)
class Track:
    """One route in the picture: points along its middle, from rim to rim of its cities, and its car spaces."""

    route: str
    line: tuple[tuple[float, float], ...]
    cars: tuple[Car, ...]


@dataclass(frozen=True)
class Bundle:
    """All tracks between two cities, which are in alphabetical order; tracks are side by side from right to left."""

    cities: tuple[str, str]
    routes: tuple[Route, ...]

    @property
    def n_spaces(self) -> int:
        """Number of car spaces of its longest track."""
        return max(route.length for route in self.routes)

    @property
    def width(self) -> float:
        """Width of all tracks, in space units."""
        n = len(self.routes)
        return n * CAR_WIDTH + (n - 1) * TRACK_GAP


def place_cars(bundles: Sequence[Bundle], chords: Points, bows: Floats, unit: float) -> dict[str, Track]:
    """
    Return the tracks of all bundles, by route id.

    If cars of two tracks that share a city would overlap, the one with more room is set
    back from the city step by step. `chords` has shape (n, 2, 2).
    """
    lines = [_lines(*row, unit) for row in zip(bundles, chords, bows, strict=True)]
    # Room for setting back: the slack of the tightest track of the bundle.
    spare = np.array([
        min(arc_length(line)[-1] - SHORTEST_STEP * unit * r.length for r, line in zip(b.routes, ls, strict=True))
        for b, ls in zip(bundles, lines, strict=True)
    ])  # fmt: skip
    set_back = np.zeros((len(bundles), 2))
    tracks = [_tracks(*row, unit) for row in zip(bundles, lines, set_back, strict=True)]
    for _ in range(N_ROUNDS):
        crowded = _crowded_ends(bundles, tracks, spare - set_back.sum(axis=1), unit)
        for bundle, end in crowded:
            set_back[bundle, end] += SET_BACK * unit
        for k in {bundle for bundle, _ in crowded}:
            tracks[k] = _tracks(bundles[k], lines[k], set_back[k], unit)
        if not crowded:
            break
    return {track.route: track for members in tracks for track in members}


def _lines(bundle: Bundle, chord: Points, bow: float, unit: float) -> list[Points]:
    """Return the middle lines of a bundle's tracks, from rim to rim."""
    middle = bezier(chord[0], chord[1], bow)
    spread = (np.arange(len(bundle.routes)) - (len(bundle.routes) - 1) / 2) * (CAR_WIDTH + TRACK_GAP) * unit
    rim = (CITY_RADIUS + 0.5 * RIM_GAP) * unit
    return [outside(sideways(middle, float(offset)), chord, rim) for offset in spread]


def _tracks(bundle: Bundle, lines: Sequence[Points], set_back: Floats, unit: float) -> list[Track]:
    return [
        _make_track(route, line, set_back, unit)
        if route.cities == bundle.cities
        else _make_track(route, line[::-1], set_back[::-1], unit)
        for route, line in zip(bundle.routes, lines, strict=True)
    ]


def _make_track(route: Route, line: Points, set_back: Floats, unit: float) -> Track:
    first, last = float(set_back[0]), float(arc_length(line)[-1] - set_back[1])
    step = min((last - first) / route.length, LONGEST_STEP * unit)
    length = min(CAR_LENGTH * step, LONGEST_CAR * CAR_LENGTH * unit)
    width = min(CAR_WIDTH * unit, BROADEST_CAR * length)
    at = (first + last) / 2 + step * (np.arange(route.length) - (route.length - 1) / 2)
    middle, back, front = point_at(line, at), point_at(line, at - length / 2), point_at(line, at + length / 2)
    wanted = _locomotive_spaces(route)
    cars = tuple(
        Car(float(x), float(y), _upright(math.atan2(dy, dx)), length, width, k in wanted)
        for k, ((x, y), (dx, dy)) in enumerate(zip(middle, front - back, strict=True))
    )
    sparse = line[np.linspace(0, len(line) - 1, min(len(line), N_SAMPLES)).astype(int)]
    return Track(route.id, tuple((float(x), float(y)) for x, y in sparse), cars)


def _locomotive_spaces(route: Route) -> range:
    """Return which spaces of a ferry have a locomotive symbol: adjacent ones in the middle."""
    first = (route.length - route.locomotives) // 2
    return range(first, first + route.locomotives)


def _upright(angle: float) -> float:
    """Return the angle of the same line in (-pi/2, pi/2], so that nothing on a car is upside down."""
    return angle - math.pi * math.ceil(angle / math.pi - 0.5)


# -- overlaps ---------------------------------------------------------------------


def _crowded_ends(
    bundles: Sequence[Bundle], tracks: Sequence[Sequence[Track]], spare: Floats, unit: float
) -> set[tuple[int, int]]:
    """Return which ends of which bundles to set back: index of the bundle, 0 or 1."""
    bundle_of: list[int] = []
    cars: list[Car] = []
    for k, members in enumerate(tracks):
        for track in members:
            # Cars further away from the city would not benefit.
            ends = track.cars[:N_NEAR] + track.cars[max(N_NEAR, len(track.cars) - N_NEAR) :]
            cars += ends
            bundle_of += [k] * len(ends)
    crowded = set()
    for a, b in overlapping(cars, 0.02 * unit):
        i, j = bundle_of[a], bundle_of[b]
        shared = set(bundles[i].cities) & set(bundles[j].cities) if i != j else set()
        for city in shared:
            k = i if spare[i] / bundles[i].n_spaces >= spare[j] / bundles[j].n_spaces else j
            if spare[k] > SET_BACK * unit:
                crowded.add((k, bundles[k].cities.index(city)))
    return crowded


def overlapping(cars: Sequence[Car], grow: float = 0.0) -> list[tuple[int, int]]:
    """Return the pairs of cars that overlap when grown on all sides, by the separating axis theorem."""
    centers = np.array([(car.x, car.y) for car in cars]).reshape(-1, 2)
    reach = np.array([math.hypot(car.length, car.width) / 2 + 2 * grow for car in cars])
    near = np.hypot(*(centers[:, None] - centers).transpose(2, 0, 1)) < reach[:, None] + reach
    first, second = np.nonzero(np.triu(near, 1))
    if not len(first):
        return []
    corners = np.array([car.corners(grow) for car in cars])
    one, other = corners[first], corners[second]
    apart = np.zeros(len(first), dtype=bool)
    for shape in (one, other):
        for k in range(2):
            axis = (shape[:, k + 1] - shape[:, k])[:, None]
            p, q = (one * axis).sum(axis=2), (other * axis).sum(axis=2)
            apart |= (p.max(axis=1) <= q.min(axis=1)) | (q.max(axis=1) <= p.min(axis=1))
    return [(int(a), int(b)) for a, b in zip(first[~apart], second[~apart], strict=True)]


# -- city labels ---------------------------------------------------------------------------------------------------

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
"""Space above and below the baseline, and between lines, in ems."""
LONGEST_LINE = 11
"""Labels longer than this may be split in two."""
LONGEST_LABEL = 24
"""Labels longer than this must be split, even within a word."""
REACHES = (0.32, 0.65, 1.1)
"""Distance of labels from the rim of their city (ems)."""
N_LABEL_ROUNDS = 6
OUTSIDE = 30.0
"""Cost of a label outside the picture."""

_NARROW, _WIDE = frozenset("fijlrt.,:;'()!|I -"), frozenset("mwMW@%—")


@dataclass(frozen=True, slots=True)
class LabelSpot:
    """A label of one or more lines; `align` is the anchor at `x`, `y`, and `box` is estimated from its letters."""

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
    """Return the width of a line in ems, estimated from its letters (of DejaVu Sans Bold)."""
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
    Return a position for each label: where it covers least, improved one by one until none moves.

    Labels avoid the points in `cars`, the centers of `tokens` and all cities, with their `radius`,
    and stay `within` a box. `size` is an em; `reaches` are distances from the rim of the
    city in ems, nearest first.
    """
    spots = [list(_candidates(city, radius, size, reaches)) for city in cities]
    dots = np.array([city.position for city in cities]).reshape(-1, 2)
    obstacles = [
        # points, the margin around boxes without them, cost of each
        (cars.reshape(-1, 2), 0.10 * size, 0.35),
        (tokens, 0.6 * size, 3.0),
        (dots, radius + 0.05 * size, 12.0),
    ]
    costs = []
    for k, candidates in enumerate(spots):
        boxes = np.array([spot.box for spot, _ in candidates])
        cost = np.array([position_cost for _, position_cost in candidates])
        for points, margin, each in obstacles:
            others = points if points is not dots else np.delete(dots, k, axis=0)
            cost += each * _count_inside(boxes, others, margin)
        if within is not None:
            cost += OUTSIDE * ((boxes[:, :2] < within[:2]) | (boxes[:, 2:] > within[2:])).any(axis=1)
        costs.append(cost)
    chosen = [int(cost.argmin()) for cost in costs]
    for _ in range(N_LABEL_ROUNDS):
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
    """Yield the possible positions of a label, each with its cost."""
    city, label, side, (x, y) = wanted
    for n_lines, text in enumerate(_split_versions(label)):
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
                position_cost = 0.12 * rank + 1.5 * (away - reaches[0]) + 0.5 * n_lines
                yield LabelSpot(city, text, x + reach * dx, middle, align, box), position_cost


def _split_versions(label: str) -> Iterator[str]:
    """Yield a label, and if it is long, versions split into two or more lines; unchanged if it has lines already."""
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
