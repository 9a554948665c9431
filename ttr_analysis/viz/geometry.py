"""
The layout of a board, in board units.

Nothing here draws: `lay_out` turns a map into curved tracks, car spaces, label positions
and toll tokens, from which Matplotlib, SVG and JavaScript draw alike. Every track is a
quadratic Bezier curve between two cities, bowed as much as its car spaces need and to
keep clear of other cities and tracks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.viz import placement
from ttr_analysis.viz.placement import Box, LabelSpot, WantedLabel
from ttr_analysis.viz.style import Shape

SMALLEST_UNIT, LARGEST_UNIT = 0.026, 0.042
"""Limits of the space unit, relative to the longer side of the board."""
MARGIN = 0.015
"""Margin, relative to the longer side of the board."""
ENDS_SHARE = 0.2
"""Part of a line at either end without numbers, where they could not be attributed to it."""
LABEL_SIZE = 0.345
"""Height of an em of a city label, in space units."""


@dataclass(frozen=True, slots=True)
class Token:
    """A toll, or a badge on routes, at `x` and `y`."""

    routes: tuple[str, ...]
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """A border point of a country: its name, that of the country, and the outward direction in radians."""

    city: str
    country: str
    angle: float


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """
    The picture of a board as numbers.

    `unit` is the arc length of one car space, where there is room; `label_size` is an em;
    `bounds` are left, bottom, right and top of everything, including labels. Tracks are by
    route id, in map order; exits are border points, by city name.
    """

    unit: float
    city_radius: float
    label_size: float
    bounds: tuple[float, float, float, float]
    tracks: dict[str, placement.Track]
    tolls: tuple[Token, ...]
    swaps: tuple[Token, ...]
    exits: dict[str, Exit]
    labels: tuple[LabelSpot, ...]


@lru_cache(maxsize=16)
def lay_out(game_map: GameMap) -> BoardLayout:
    """
    Return the layout of a map, in the units of its cities' `x` and `y`.

    Deterministic, and cached for recent maps.

    >>> layout = lay_out(ttr.load_map("nordic"))
    >>> sum(len(track.cars) for track in layout.tracks.values())
    207
    """
    position = {city.name: np.array([city.x, city.y]) for city in game_map.cities}
    bundles = _bundles(game_map.routes)
    unit = _space_unit(position, bundles)
    radius = placement.CITY_RADIUS * unit
    chords = np.array([[position[a], position[b]] for a, b in (bundle.cities for bundle in bundles)]).reshape(-1, 2, 2)
    n_spaces = np.array([bundle.n_spaces for bundle in bundles], dtype=float)
    too_long = np.hypot(*(chords[:, 1] - chords[:, 0]).T) - placement.LONGEST_STEP * unit * n_spaces
    bows = placement.choose_bows(
        chords,
        needed=unit * (n_spaces + placement.RIM_GAP) + 2 * radius,
        # A car at the very rim would touch those of other tracks.
        bare=np.maximum(radius + (placement.RIM_GAP + 0.25) * unit, too_long / 2),
        half_widths=np.array([bundle.width for bundle in bundles]) * unit / 2,
        dots=np.array(list(position.values())).reshape(-1, 2),
        radius=radius,
        margin=0.12 * unit,
    )
    placed = placement.place_cars(bundles, chords, bows, unit)
    tracks = {route.id: placed[route.id] for route in game_map.routes}
    layout = BoardLayout(
        unit=unit,
        city_radius=radius,
        label_size=LABEL_SIZE * unit,
        bounds=(0.0, 0.0, 0.0, 0.0),
        tracks=tracks,
        tolls=tuple(_toll_tokens(bundles, tracks)),
        swaps=tuple(_swap_tokens(game_map.routes, tracks)),
        exits=_exits(game_map, position),
        labels=(),
    )
    labels = _labels(game_map, layout, layout.label_size)
    corners = [corner for track in tracks.values() for car in track.cars for corner in car.corners()]
    boxes = [corner for label in labels for corner in (label.box[:2], label.box[2:])]
    everything = np.array([*corners, *boxes, *position.values()])
    (left, bottom), (right, top) = everything.min(axis=0), everything.max(axis=0)
    return replace(layout, bounds=(float(left), float(bottom), float(right), float(top)), labels=labels)


def with_labels(
    game_map: GameMap, layout: BoardLayout, size: float, cities: Collection[str] | None = None
) -> BoardLayout:
    """
    Return a layout with labels of another size (an em), on the same board, for all cities or these.

    Labels that would cover another named city are left out; of overlapping ones, those of cities with fewer routes.

    >>> usa = ttr.load_map("usa")
    >>> layout = lay_out(usa)
    >>> small, large = (with_labels(usa, layout, share * layout.label_size) for share in (0.8, 2.5))
    >>> len(small.labels) == len(usa.cities), len(large.labels) < len(usa.cities)
    (True, True)
    """
    found, radius = _labels(game_map, layout, size, frame(layout), cities), layout.city_radius
    n_routes = Counter(city for route in game_map.routes for city in route.cities)
    named = [game_map.city(label.city) for label in found]
    dots = {city.name: (city.x - radius, city.y - radius, city.x + radius, city.y + radius) for city in named}
    kept: dict[str, Box] = {}
    for label in sorted(found, key=lambda one: (one.city in layout.exits, -n_routes[one.city])):
        others = [*kept.values(), *(dot for city, dot in dots.items() if city != label.city)]
        if not any(_cover(label.box, other) for other in others):
            kept[label.city] = label.box
    return replace(layout, label_size=size, labels=tuple(label for label in found if label.city in kept))


def _cover(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _labels(
    game_map: GameMap,
    layout: BoardLayout,
    size: float,
    within: Box | None = None,
    cities: Collection[str] | None = None,
) -> tuple[LabelSpot, ...]:
    """Return the positions of the names of cities and countries on a board, with an em of this size."""
    names = {city.name: city.label for city in game_map.cities}
    names |= {city: way.country for city, way in layout.exits.items()}
    named = [city for city in game_map.cities if cities is None or city.name in cities]
    wanted = [WantedLabel(city.name, names[city.name], city.label_at, (city.x, city.y)) for city in named]
    cars = np.array([corner for track in layout.tracks.values() for car in track.cars for corner in _outline(car)])
    spots = [(token.x, token.y) for token in (*layout.tolls, *layout.swaps)]
    spots += [(city.x, city.y) for city in game_map.cities if city not in named]
    tokens = np.array(spots).reshape(-1, 2)
    return placement.place_labels(wanted, cars=cars, tokens=tokens, radius=layout.city_radius, size=size, within=within)


def frame(layout: BoardLayout) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of the picture, with a margin."""
    left, bottom, right, top = layout.bounds
    margin = MARGIN * max(right - left, top - bottom) + layout.city_radius
    return left - margin, bottom - margin, right + margin, top + margin


def clear_spot(game_map: GameMap, layout: BoardLayout, line: placement.Points, radius: float) -> tuple[float, float]:
    """
    Return the position nearest to the middle of a line where a disk covers no name or city, else the middle.

    >>> nordic = ttr.load_map("nordic")
    >>> layout, oslo = lay_out(nordic), nordic.city("Oslo")
    >>> line = np.linspace((oslo.x, oslo.y - 9), (oslo.x, oslo.y + 9), 99)
    >>> x, y = clear_spot(nordic, layout, line, radius=1.0)
    >>> layout.city_radius + 1 < abs(y - oslo.y) < layout.city_radius + 2
    True
    """
    n = len(line)
    near_ends = round(ENDS_SHARE * n)
    inner = np.array(sorted(range(near_ends, n - near_ends), key=lambda k: abs(k - n // 2)))
    x, y = line[inner][:, None].transpose(2, 0, 1)
    left, bottom, right, top = np.array([label.box for label in layout.labels]).reshape(-1, 4).T
    to_names = np.hypot(np.maximum(0, np.maximum(left - x, x - right)), np.maximum(0, np.maximum(bottom - y, y - top)))
    to_cities = np.hypot(*(line[inner][:, None] - [(city.x, city.y) for city in game_map.cities]).transpose(2, 0, 1))
    free = (to_names > radius).all(axis=1) & (to_cities > radius + layout.city_radius).all(axis=1)
    spot = line[inner[free.argmax()]]  # the first free one, else the very first, in the middle
    return float(spot[0]), float(spot[1])


# -- sizes, tokens, exits -----------------------------------------------------------


def _outline(car: placement.Car) -> Shape:
    """Return points on a car, so close together that no label fits between them."""
    spots = [(u * car.length, v * car.width) for u in (-0.5, -0.25, 0.0, 0.25, 0.5) for v in (-0.5, 0.0, 0.5)]
    return placement.placed(tuple(spots), car, 1.0)


def _bundles(routes: Iterable[Route]) -> list[placement.Bundle]:
    """Return the tracks between each pair of cities."""
    by_cities: dict[tuple[str, str], list[Route]] = {}
    for route in sorted(routes, key=lambda r: r.track):
        a, b = sorted(route.cities)
        by_cities.setdefault((a, b), []).append(route)
    return [placement.Bundle(cities, tuple(members)) for cities, members in by_cities.items()]


def _space_unit(position: dict[str, placement.Points], bundles: Sequence[placement.Bundle]) -> float:
    """Return the arc length of one space: the largest for which most tracks have room, within limits."""
    extent = float(np.ptp(np.array(list(position.values())), axis=0).max()) or 1.0
    rooms = sorted(
        math.dist(*(position[city] for city in bundle.cities)) / (bundle.n_spaces + 2 * placement.CITY_RADIUS)
        for bundle in bundles
    )
    room = rooms[len(rooms) // 12] if rooms else extent
    return max(SMALLEST_UNIT * extent, min(LARGEST_UNIT * extent, room))


def _toll_tokens(bundles: Iterable[placement.Bundle], tracks: dict[str, placement.Track]) -> Iterable[Token]:
    """Yield one token per toll between two cities, in the gap nearest to the middle of the track."""
    for bundle in bundles:
        for toll in sorted({route.toll for route in bundle.routes if route.toll}):
            routes = [route for route in bundle.routes if route.toll == toll]
            spots = np.array([_gap_point(tracks[route.id]) for route in routes])
            x, y = spots.mean(axis=0)
            yield Token(tuple(route.id for route in routes), float(x), float(y), str(toll))


def _swap_tokens(routes: Iterable[Route], tracks: dict[str, placement.Track]) -> Iterable[Token]:
    """Yield a badge for each route, other than a ferry, on which a set of cards can replace one."""
    for route in routes:
        if route.swap_size and not route.locomotives:
            x, y = _gap_point(tracks[route.id])
            yield Token((route.id,), x, y, f"{route.swap_size}:1")


def _gap_point(track: placement.Track) -> tuple[float, float]:
    """Return the point between two cars that is nearest to the middle, or one near the end of a single car."""
    if len(track.cars) == 1:
        car = track.cars[0]
        away = 0.36 * car.length
        return car.x + away * math.cos(car.angle), car.y + away * math.sin(car.angle)
    k = len(track.cars) // 2
    one, other = track.cars[k - 1], track.cars[k]
    return (one.x + other.x) / 2, (one.y + other.y) / 2


def _exits(game_map: GameMap, position: dict[str, placement.Points]) -> dict[str, Exit]:
    exits = {}
    for place in game_map.places:
        if not place.is_country:
            continue
        for city in place.cities:
            neighbors = [route.other_end(city) for route in game_map.routes if city in route.cities]
            inward = np.mean([position[name] for name in neighbors] or [position[city]], axis=0)
            dx, dy = position[city] - inward
            exits[city] = Exit(city, place.name, math.atan2(dy, dx))
    return exits


# -- outlines as corners in board units ----------------------------------------------------------------------------

PLATE: Shape = ((-0.62, -0.40), (0.62, -0.40), (0.62, 0.40), (-0.62, 0.40))
"""Plate behind a locomotive symbol, in car widths."""
_ARROW: Shape = ((1.2, 0.0), (-0.6, 0.9), (-0.2, 0.0), (-0.6, -0.9))
_HOUSE: Shape = ((-1.35, -1.2), (1.35, -1.2), (1.35, 0.55), (0.0, 1.8), (-1.35, 0.55))
_CIRCLE: Shape = tuple((math.cos(math.tau * k / 40), math.sin(math.tau * k / 40)) for k in range(40))
_TOOTH = 0.20
"""Distance between teeth of a tunnel, in space units."""


def train(car: placement.Car) -> Shape:
    """Return the outline of a plastic train on a car space."""
    u, v = 0.5 * car.length / car.width, 0.52
    half = ((-u, -0.6 * v), (0.2 - u, -v), (u - 0.2, -v), (u, -0.6 * v))
    return placement.placed((*half, *((-x, -y) for x, y in half)), car, car.width)


def saw(car: placement.Car, unit: float) -> Shape:
    """Return the rough rock around a tunnel's car: the car with teeth along its long sides."""
    n_teeth = max(3, round(car.length / (_TOOTH * unit)))
    half, low, high = car.length / 2 + 0.02 * unit, car.width / 2 + 0.02 * unit, car.width / 2 + 0.12 * unit
    steps = [-half + half * k / n_teeth for k in range(2 * n_teeth + 1)]
    side = [(x, high if k % 2 else low) for k, x in enumerate(steps)]
    return placement.placed((*side, *((x, -y) for x, y in side[::-1])), car, 1.0)


def cross(car: placement.Car) -> tuple[Shape, Shape]:
    """Return the two strokes of a cross on a car."""
    size = 0.62
    return (
        placement.placed(((-size, -size), (size, size)), car, car.width),
        placement.placed(((-size, size), (size, -size)), car, car.width),
    )


def band(track: placement.Track, width: float) -> Shape:
    """Return the outline of a band along a track."""
    line = np.array(track.line)
    left, right = placement.sideways(line, width / 2), placement.sideways(line, -width / 2)
    return tuple((float(x), float(y)) for x, y in np.concatenate([left, right[::-1]]))


def disk(x: float, y: float, radius: float) -> Shape:
    """Return a circle."""
    return tuple((x + radius * u, y + radius * v) for u, v in _CIRCLE)


def station(x: float, y: float, radius: float) -> Shape:
    """Return the house of a station on the dot of its city."""
    return tuple((x + radius * u, y + radius * v) for u, v in _HOUSE)


def arrow(x: float, y: float, angle: float, size: float) -> Shape:
    """Return an arrowhead at a border point."""
    return placement.placed(_ARROW, placement.Car(x, y, angle, size, size), size)
