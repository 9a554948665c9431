"""The content of a board picture: what it shows, with all names looked up on the map, arcs of tickets, and coasts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Any, Final, Protocol, SupportsFloat, TypeAlias, runtime_checkable

import numpy as np

from ttr_analysis._errors import UnknownNameError
from ttr_analysis._words import counted
from ttr_analysis.maps.board import Projection
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.maps.model import City, CityLike, GameMap, RouteLike, Ticket, TicketLike
from ttr_analysis.viz.geometry import BoardLayout, clear_spot
from ttr_analysis.viz.placement import Points, bezier
from ttr_analysis.viz.style import PLAYER_COLORS

TICKET_BOW: Final = 0.13
"""Height of a ticket's arc, as a share of its chord."""
NUMBER_SIZE: Final = 0.95
"""Radius of the disk with the points of a ticket, in ems of a label."""


@runtime_checkable
class HasRoutes(Protocol):
    """Anything with routes: a path, a trail, a network."""

    @property
    def routes(self) -> Iterable[RouteLike]:
        """Its routes."""
        ...


class Values(Protocol):
    """Numbers by route or city: a dict, or a pandas Series."""

    def items(self) -> Iterable[tuple[Any, SupportsFloat]]:
        """Return pairs of a route or city and its number."""
        ...


Routes: TypeAlias = HasRoutes | Iterable[RouteLike]


@dataclass(frozen=True, slots=True)
class Player:
    """An owner as shown: label, color, symbol on trains (possibly empty), and route ids."""

    label: str
    color: str
    symbol: str
    routes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a picture of the board shows: routes by id, values by route id or city name, stations by city name."""

    highlight: frozenset[str]
    closed: frozenset[str]
    tickets: tuple[Ticket, ...]
    players: tuple[Player, ...]
    values: dict[str, float] | None
    stations: dict[str, Player]

    @property
    def owned(self) -> frozenset[str]:
        """Ids of the routes that have an owner."""
        return frozenset().union(*(player.routes for player in self.players))

    def value_range(self) -> tuple[float, float]:
        """Return the lowest and highest finite value; 0 and 1 without any."""
        finite = [value for value in (self.values or {}).values() if math.isfinite(value)]
        return min(finite, default=0.0), max(finite, default=1.0)

    def title(self, game_map: GameMap) -> str:
        """Return the map's title with a summary of what is shown."""
        routes = ((self.highlight, "highlighted"), (self.owned, "owned"), (self.closed, "closed"))
        parts = [counted(len(self.tickets), "ticket")] if self.tickets else []
        parts += [f"{counted(len(some), 'route')} {what}" for some, what in routes if some]
        parts += [counted(len(self.stations), "station")] if self.stations else []
        return f"{game_map.title}: {', '.join(parts)}" if parts else game_map.title


def read_scene(
    game_map: GameMap,
    *,
    highlight: Routes = (),
    closed: Routes = (),
    tickets: Iterable[TicketLike] = (),
    owned: Mapping[Any, Routes] | Routes = (),
    values: Values | None = None,
    stations: Mapping[str, Any] | Mapping[CityLike, Any] | None = None,
) -> Scene:
    """Return what `plot_map` was asked to show, with every name looked up."""
    owners = owned if isinstance(owned, Mapping) else {}
    looks = _looks([*owners, *(stations or {}).values()])
    players = tuple(replace(looks[who], routes=_ids(game_map, routes)) for who, routes in owners.items())
    if not isinstance(owned, Mapping) and (routes := _ids(game_map, owned)):
        players = (Player("owned", PLAYER_COLORS[0], "", routes),)
    return Scene(
        highlight=_ids(game_map, highlight),
        closed=_ids(game_map, closed),
        tickets=game_map.resolve_tickets(tickets),
        players=players,
        values=None if values is None else _read_values(game_map, values),
        stations={game_map.city(city).name: looks[who] for city, who in (stations or {}).items()},
    )


def _ids(game_map: GameMap, routes: Routes) -> frozenset[str]:
    found = game_map.resolve_routes(routes.routes if isinstance(routes, HasRoutes) else routes)
    return frozenset(route.id for route in found)


def _looks(names: Iterable[Any]) -> dict[Any, Player]:
    """Return label, color and symbol of each player, without routes."""
    players = list(dict.fromkeys(names))
    return {
        who: Player(
            f"seat {who}" if isinstance(who, int) else str(who),
            PLAYER_COLORS[(who if isinstance(who, int) else rank) % len(PLAYER_COLORS)],
            symbol,
            frozenset(),
        )
        for rank, (who, symbol) in enumerate(zip(players, _symbols([str(who) for who in players]), strict=True))
    }


def _symbols(names: Sequence[str]) -> list[str]:
    """
    Return the first one or two characters of names, if these differ and every font has them, else numbers.

    >>> _symbols(["Ida", "Bo"]), _symbols(["P0: 98 points", "P1: 65 points"]), _symbols(["path A", "path B"])
    (['I', 'B'], ['P0', 'P1'], ['1', '2'])
    """
    for n in (1, 2):
        marks = [name[:1].upper() + name[1:n] for name in names]
        n_different = len({mark.casefold() for mark in marks})
        if n_different == len(marks) and all(mark.isascii() and mark.isalnum() for mark in marks):
            return marks
    return [str(number) for number, _ in enumerate(names, 1)]


def _read_values(game_map: GameMap, values: Values) -> dict[str, float]:
    if not hasattr(values, "items"):
        raise TypeError(f"values: expected a dict or a pandas Series of numbers by route or city, got {_brief(values)}")
    numbers: dict[str, float] = {}
    for key, value in values.items():
        names = _names(game_map, key)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise TypeError(
                f"values: expected a number for {key if isinstance(key, str) else names[0]}, got {_brief(value)}"
            ) from None
        numbers.update(dict.fromkeys(names, number))
    return numbers


def _brief(value: object) -> str:
    return shorten(repr(value), 80, placeholder=" …")


def _names(game_map: GameMap, key: Any) -> list[str]:  # noqa: ANN401 - any key of the user's
    """Return the route ids, or the city name, for a key."""
    if isinstance(key, City):
        return [game_map.city(key).name]
    try:
        return [route.id for route in game_map.resolve_routes([key])]
    except UnknownNameError as no_route:
        if not isinstance(key, str):
            raise
        try:
            return [game_map.city(key).name]
        except UnknownNameError as no_city:
            near = no_route.candidates[:2] + no_city.candidates[:2]
            raise UnknownNameError("route or city", key, near) from None


def arcs_of(ticket: Ticket, game_map: GameMap) -> list[tuple[str, str, int]]:
    """Return the two cities and the points for each arc of a ticket; for a country, the nearest border point."""
    arcs = []
    for place, points in ticket.destinations:
        pairs = [(a, b) for a in ticket.origin.cities for b in place.cities]
        a, b = min(pairs, key=lambda pair: _distance(game_map, *pair))
        arcs.append((a, b, points))
    return arcs


def ticket_arc(game_map: GameMap, a: str, b: str) -> Points:
    """Return points along the arc of a ticket."""
    one, other = (np.array([city.x, city.y]) for city in map(game_map.city, (a, b)))
    return bezier(one, other, TICKET_BOW * math.dist(one, other))


def number_spot(game_map: GameMap, layout: BoardLayout, arc: Points) -> tuple[float, float]:
    """Return a position on a ticket's arc with room for the badge of points."""
    return clear_spot(game_map, layout, arc, 1.2 * NUMBER_SIZE * layout.label_size)


def _distance(game_map: GameMap, a: str, b: str) -> float:
    one, other = game_map.city(a), game_map.city(b)
    return math.dist((one.x, one.y), (other.x, other.y))


# -- coasts, borders and lakes behind the board --------------------------------------------------------------------
#
# Lines are stored in degrees (`background.json` in the folder of a map) and drawn in board units. Cities on a board
# are not exactly where they are on Earth, so the lines are bent like a rubber sheet pinned to every city: a harbor
# stays on its coast.

_BACKGROUND_FILE: Final = "background.json"
_MAX_BYTES: Final = 1_000_000
_FULL_TURN: Final = 360.0
_STIFFNESS: Final = 1.0
"""Resistance of the sheet to sharp bends, in squared board units; 0 would pin every city exactly."""


@dataclass(frozen=True)
class Background:
    """
    Lines and areas behind the tracks, as points in board units; areas are rings, and holes run the other way.

    `home` are the countries on the board, `states` the lines within one.
    """

    land: tuple[Points, ...] = ()
    home: tuple[Points, ...] = ()
    lakes: tuple[Points, ...] = ()
    borders: tuple[Points, ...] = ()
    states: tuple[Points, ...] = ()


LAYERS = ("land", "home", "lakes", "borders", "states")


@lru_cache(maxsize=16)
def load_background(game_map: GameMap, path: Path | None = None) -> Background | None:
    """
    Return the background of a map in board units; None if it has none, or the built-in one does not match its cities.

    A file has optional lists `land`, `home`, `lakes`, `borders` and `states` of lines written lon, lat, lon, lat, ...
    in degrees.
    """
    built_in = path is None
    if path is None:
        # A name is never used as a path, since a map may be called "../x".
        folders = {folder.name: folder for folder in data_folder().iterdir()}
        folder = folders.get(game_map.name)
        if folder is None or not (folder / _BACKGROUND_FILE).is_file():
            return None
        path = folder / _BACKGROUND_FILE
    layers = _read(path)
    lines = [line for layer in layers.values() for line in layer]
    if not lines or (built_in and not _covers(lines, game_map)):
        return None
    lonlat = np.concatenate(lines)
    bent = _bend(game_map, lonlat)
    pieces = iter(np.split(bent, np.cumsum([len(line) for line in lines])[:-1]))
    return Background(**{name: tuple(next(pieces) for _ in layer) for name, layer in layers.items()})


def _read(path: Path) -> dict[str, list[Points]]:
    """Return the lines of a file by layer: points of lon, lat."""
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path}: expected a file of at most {_MAX_BYTES:,} bytes")
    try:
        content = json.loads(data)
        return {name: [_line(line) for line in content.get(name, [])] for name in LAYERS}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path}: expected JSON lists {', '.join(LAYERS)} of lines [lon, lat, lon, lat, ...] in degrees ({error})"
        ) from error


def _line(numbers: Any) -> Points:  # noqa: ANN401 - whatever the JSON holds
    line = np.array(numbers, dtype=float).reshape(-1, 2)
    if not len(line) or not np.isfinite(line).all() or np.abs(line).max() > _FULL_TURN:
        raise ValueError("a line has no points, or a coordinate that is not an angle in degrees")
    return line


def _covers(lines: Sequence[Points], game_map: GameMap) -> bool:
    """Return whether most cities are within the frame of the lines."""
    points = np.concatenate(lines)
    low, high = points.min(axis=0), points.max(axis=0)
    cities = np.array([(city.lon, city.lat) for city in game_map.cities])
    n_inside = int(((cities >= low) & (cities <= high)).all(axis=1).sum())
    return 2 * n_inside > len(cities)


def _bend(game_map: GameMap, lonlat: Points) -> Points:
    """Return points in board units: projected, and moved along with nearby cities."""
    projection = Projection.fit((city.lat, city.lon) for city in game_map.cities)
    flat = np.array([projection.project(lat, lon) for lon, lat in lonlat])
    pins = np.array([projection.project(city.lat, city.lon) for city in game_map.cities])
    moves = np.array([(city.x, city.y) for city in game_map.cities]) - pins
    if not moves.any():
        return flat
    return flat + thin_plate(pins, moves, flat)


def thin_plate(pins: Points, moves: Points, points: Points) -> Points:
    """
    Return the displacement of points when pins in a thin elastic plate move: Duchon's smoothing spline [1]_.

    References
    ----------
    .. [1] Wahba, G. "Spline Models for Observational Data", section 2.4. SIAM, 1990.
    """
    n = len(pins)
    affine = np.column_stack([np.ones(n), pins])
    system = np.block([[_kernel(pins, pins) + _STIFFNESS * np.eye(n), affine], [affine.T, np.zeros((3, 3))]])
    right = np.concatenate([moves, np.zeros((3, 2))])
    # Least squares: if cities are on one line, or fewer than three, the plate can still turn.
    weights = np.linalg.lstsq(system, right, rcond=None)[0]
    moved: Points = _kernel(points, pins) @ weights[:n] + np.column_stack([np.ones(len(points)), points]) @ weights[n:]
    return moved


def _kernel(points: Points, pins: Points) -> Points:
    """Return r^2 log r between points and pins."""
    squared = ((points[:, None] - pins) ** 2).sum(axis=2)
    result: Points = 0.5 * squared * np.log(np.where(squared > 0, squared, 1.0))
    return result
