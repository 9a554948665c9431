"""
The drawing of a board as plain data, from which SVG and JavaScript draw.

A sheet has every outline as the data of an SVG path, with its colors and words,
so that drawing only has to make elements. It comes from the same layout, shapes
and styles as `plot_map`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import cycle, pairwise
from textwrap import shorten
from typing import Any, Final, Protocol, SupportsFloat, TypeAlias, TypedDict, runtime_checkable

import numpy as np

from ttr_analysis._errors import UnknownNameError
from ttr_analysis._words import counted
from ttr_analysis.maps.model import City, CityLike, GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.maps.names import describe_route, name_ticket
from ttr_analysis.viz.coast import load_background
from ttr_analysis.viz.geometry import (
    PLATE,
    BoardLayout,
    Token,
    arrow,
    clear_spot,
    cross,
    frame,
    lay_out,
    placed,
    saw,
    station,
    train,
)
from ttr_analysis.viz.placement import LabelSpot, Points, bezier
from ttr_analysis.viz.style import BOARD, CARD_STYLES, NEUTRAL_COLOR, PLAYER_COLORS, PLAYER_DASHES, Shape, ink_upon

SCALE: Final = 100
"""Of the coordinates of a sheet: whole numbers, of which so many are one board unit."""
TICKET_BOW: Final = 0.13
"""How far the arc of a ticket bows, as a share of its chord."""
NUMBER_SIZE: Final = 0.95
"""Radius of the disk with the points of a ticket, in ems of a label."""
_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}
_LINE: Final = 1.12


class LayerSheet(TypedDict):
    """A layer of the background; `dash` is empty for a solid line."""

    path: str
    fill: str
    edge: str
    dash: str


class RouteSheet(TypedDict):
    """
    A route: its facts, its description, and its outlines.

    `track` is the line along its middle; `cars`, `rock` (around the cars of a
    tunnel), `plates` and `locomotives` (on spaces that need one), `symbols`,
    `trains` and `crosses` have an outline for each space, whose middles are `spots`.
    """

    id: str
    cities: tuple[str, str]
    words: str
    color: str
    length: int
    ferry: bool
    track: str
    cars: str
    rock: str
    plates: str
    locomotives: str
    symbols: str
    trains: str
    crosses: str
    spots: list[tuple[int, int]]


class CitySheet(TypedDict):
    """A city; `arrow` is the arrowhead of a border point, `station` the house where stations exist, else empty."""

    name: str
    x: int
    y: int
    arrow: str
    station: str


class LabelSheet(TypedDict):
    """A label: each of its lines with its base line."""

    city: str
    x: int
    lines: list[tuple[int, str]]
    anchor: str


class TokenSheet(TypedDict):
    """A toll or a remark on swaps; `kind` is "toll" or "swap"."""

    kind: str
    routes: tuple[str, ...]
    x: int
    y: int
    text: str


class ArcSheet(TypedDict):
    """One destination of a ticket: an arc between two cities, and its points upon it, where they cover no name."""

    cities: tuple[str, str]
    path: str
    x: int
    y: int
    points: int


class TicketSheet(TypedDict):
    """A ticket in words, and its arcs."""

    id: str
    words: str
    arcs: list[ArcSheet]


class CardSheet(TypedDict):
    """How a card of one color looks; `symbol` is an outline around 0, 0 that is `SCALE` wide."""

    fill: str
    ink: str
    edge: str
    symbol: str
    symbol_name: str


class PlayerSheet(TypedDict):
    """How a player looks: color of the trains, ink for text on them, and dashes of lines in widths of the line."""

    color: str
    ink: str
    dashes: tuple[float, ...]


class Sheet(TypedDict):
    """
    The drawing of a board.

    `view` is the `viewBox`; `unit`, `radius` and `label_size` are those of
    the layout. Routes and tickets are in the order of the map, `cards` by
    color, gray and the locomotive included, `players` by seat.
    """

    title: str
    about: str
    view: tuple[int, int, int, int]
    unit: int
    radius: int
    label_size: int
    paper: str
    layers: list[LayerSheet]
    routes: list[RouteSheet]
    cities: list[CitySheet]
    labels: list[LabelSheet]
    tokens: list[TokenSheet]
    tickets: list[TicketSheet]
    cards: dict[str, CardSheet]
    players: list[PlayerSheet]
    neutral: PlayerSheet
    colors: dict[str, str]


@lru_cache(maxsize=16)
def board_sheet(game_map: GameMap) -> Sheet:
    """
    Return the drawing of a board as plain data, ready for JSON.

    Cached for recent maps: do not change it. Names are not escaped. Coordinates
    are whole numbers, y downwards as in SVG.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> sheet = board_sheet(ttr.load_map("nordic"))
    >>> len(sheet["routes"]), sheet["routes"][0]["words"]
    (81, 'Aalborg – Aarhus, 1 purple')
    """
    layout, behind = lay_out(game_map), load_background(game_map)
    left, bottom, right, top = (round(SCALE * edge) for edge in frame(layout))
    n_cities, n_routes = len(game_map.cities), len(game_map.routes)
    return Sheet(
        title=game_map.title,
        about=f"Board of {game_map.title}: {n_cities} cities, {n_routes} routes",
        view=(left, -top, right - left, top - bottom),
        unit=round(SCALE * layout.unit),
        radius=round(SCALE * layout.city_radius),
        label_size=round(SCALE * layout.label_size),
        paper=BOARD.home if behind is None else BOARD.sea,
        layers=_layers(game_map, layout),
        routes=[_route(route, layout) for route in game_map.routes],
        cities=[_city(city, layout, game_map) for city in game_map.cities],
        labels=[_label(label, layout.label_size) for label in layout.labels],
        tokens=[
            _token(token, kind) for kind, tokens in (("toll", layout.tolls), ("swap", layout.swaps)) for token in tokens
        ],
        tickets=[_ticket(ticket, game_map, layout) for ticket in game_map.tickets],
        cards={
            color: CardSheet(
                fill=look.fill,
                ink=look.ink,
                edge=look.edge,
                symbol=_path([look.symbol] if look.symbol else []),
                symbol_name=look.symbol_name,
            )
            for color, look in CARD_STYLES.items()
        },
        players=[_player(color, dashes) for color, dashes in zip(PLAYER_COLORS, cycle(PLAYER_DASHES), strict=False)],
        neutral=_player(NEUTRAL_COLOR, ()),
        colors=asdict(BOARD),
    )


# -- parts --------------------------------------------------------------------------


def _player(color: str, dashes: tuple[float, ...]) -> PlayerSheet:
    return PlayerSheet(color=color, ink=ink_upon(color), dashes=dashes)


def _layers(game_map: GameMap, layout: BoardLayout) -> list[LayerSheet]:
    behind = load_background(game_map)
    if behind is None:
        return []
    dash = f"{round(0.25 * SCALE * layout.unit)} {round(0.1 * SCALE * layout.unit)}"
    layers = [
        (behind.land, BOARD.land, BOARD.shore, ""),
        (behind.home, BOARD.home, "none", ""),
        (behind.lakes, BOARD.sea, BOARD.shore, ""),
        (behind.states, "none", BOARD.state, ""),
        (behind.borders, "none", BOARD.border, dash),
    ]
    return [
        LayerSheet(path=_path(lines, close=fill != "none"), fill=fill, edge=edge, dash=dash)
        for lines, fill, edge, dash in layers
        if lines
    ]


def _route(route: Route, layout: BoardLayout) -> RouteSheet:
    track, symbol = layout.tracks[route.id], CARD_STYLES[route.color].symbol
    wanted = [car for car in track.cars if car.locomotive]
    plain = [car for car in track.cars if not car.locomotive and symbol]
    locomotive = CARD_STYLES["locomotive"].symbol
    return RouteSheet(
        id=route.id,
        cities=route.cities,
        words=describe_route(route),
        color=route.color,
        length=route.length,
        ferry=route.locomotives > 0,
        track=_path([track.line[::4] + track.line[-1:]], close=False),
        cars=_path(car.corners() for car in track.cars),
        rock=_path(saw(car, layout.unit) for car in track.cars) if route.tunnel else "",
        plates=_path(placed(PLATE, car, car.width) for car in wanted),
        locomotives=_path(placed(locomotive, car, 0.74 * car.width) for car in wanted),
        symbols=_path(placed(symbol, car, 0.66 * car.width) for car in plain),
        trains=_path(train(car) for car in track.cars),
        crosses=_path((stroke for car in track.cars for stroke in cross(car)), close=False),
        spots=[_point(car.x, car.y) for car in track.cars],
    )


def _city(city: City, layout: BoardLayout, game_map: GameMap) -> CitySheet:
    (column, row), radius = _point(city.x, city.y), layout.city_radius
    way = layout.exits.get(city.name)
    head = "" if way is None else _path([arrow(city.x, city.y, way.angle, radius)])
    house = _path([station(city.x, city.y, radius)]) if game_map.rules.stations.number else ""
    return CitySheet(name=city.name, x=column, y=row, arrow=head, station=house)


def _label(label: LabelSpot, size: float) -> LabelSheet:
    """Return a label, its lines around its middle."""
    lines = label.text.split("\n")
    bases = [label.y - size * (0.36 + _LINE * (k - (len(lines) - 1) / 2)) for k in range(len(lines))]
    return LabelSheet(
        city=label.city,
        x=round(SCALE * label.x),
        lines=[(round(-SCALE * base), line) for base, line in zip(bases, lines, strict=True)],
        anchor=_ANCHORS[label.align],
    )


def _token(token: Token, kind: str) -> TokenSheet:
    x, y = _point(token.x, token.y)
    return TokenSheet(kind=kind, routes=token.routes, x=x, y=y, text=token.text)


def _ticket(ticket: Ticket, game_map: GameMap, layout: BoardLayout) -> TicketSheet:
    return TicketSheet(
        id=ticket.id,
        words=name_ticket(ticket),
        arcs=[_arc(game_map, layout, a, b, points) for a, b, points in arcs_of(ticket, game_map)],
    )


def _arc(game_map: GameMap, layout: BoardLayout, a: str, b: str, points: int) -> ArcSheet:
    arc = ticket_arc(game_map, a, b)
    x, y = _point(*number_spot(game_map, layout, arc))
    # A quadratic curve reaches half as far as its control point.
    start, control, end = (_point(*at) for at in (arc[0], 2 * arc[len(arc) // 2] - (arc[0] + arc[-1]) / 2, arc[-1]))
    path = f"M{start[0]} {start[1]}Q{control[0]} {control[1]} {end[0]} {end[1]}"
    return ArcSheet(cities=(a, b), path=path, x=x, y=y, points=points)


# -- numbers -------------------------------------------------------------------------------------------------------


def _point(x: float, y: float) -> tuple[int, int]:
    """Return a point of the board on the sheet, where y points downwards."""
    return round(SCALE * x), round(-SCALE * y)


def _path(lines: Iterable[Points | Shape], *, close: bool = True) -> str:
    """Return lines as the data of one path, by differences, which are short."""
    return "".join(_line(line) + ("z" if close else "") for line in lines)


def _line(line: Points | Shape) -> str:
    points = [_point(x, y) for x, y in line]
    steps = [(x - before_x, y - before_y) for (before_x, before_y), (x, y) in pairwise(points)]
    moves = "".join(f"{_number(dx)}{_number(dy)}" for dx, dy in steps if dx or dy).lstrip()
    return f"M{points[0][0]}{_number(points[0][1])}" + (f"l{moves}" if moves else "")


def _number(number: int) -> str:
    """Return a number that follows another one; a minus sign separates them as well as a space."""
    return str(number) if number < 0 else f" {number}"


# -- what a picture of a board is to show --------------------------------------------------------------------------


@runtime_checkable
class HasRoutes(Protocol):
    """Anything made of routes: a path, a trail, a network."""

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
    """The owner of routes, as shown: label, color, the symbol upon trains, which may be empty, and ids of routes."""

    label: str
    color: str
    symbol: str
    routes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """
    What a picture of the board shows, all names looked up.

    Parameters
    ----------
    highlight, closed
        Ids of routes that stand out, and that are crossed out.
    tickets
        Tickets whose ends are joined.
    players
        Owners of routes.
    values
        Numbers by route id or city name; None if nothing is colored by them.
    stations
        Owner of a station, by the name of the city.
    """

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
        """Return the title of a map, and what is to be seen besides the board."""
        parts = [
            f"{counted(len(routes), 'route')} {what}"
            for routes, what in (
                (self.highlight, "highlighted"),
                (self.owned, "owned"),
                (self.closed, "closed"),
            )
            if routes
        ]
        if self.stations:
            parts.append(counted(len(self.stations), "station"))
        if self.tickets:
            parts.insert(0, counted(len(self.tickets), "ticket"))
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
    """
    Return what `plot_map` was asked to show, every name looked up.

    Raises
    ------
    UnknownNameError
        If a route, city or ticket is not on the map.
    TypeError
        If values are not numbers by route or city.
    """
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
    """Return how players look, without their routes."""
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
    Return a symbol for the trains of each player, to tell them apart without colors.

    The first one or two characters of the names if these differ and every font
    has them, else numbers.

    Examples
    --------
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
        msg = f"values: expected a dict or a pandas Series of numbers by route or city, got {_brief(values)}"
        raise TypeError(msg)
    numbers: dict[str, float] = {}
    for key, value in values.items():
        names = _names(game_map, key)
        try:
            number = float(value)
        except (TypeError, ValueError):
            msg = f"values: expected a number for {key if isinstance(key, str) else names[0]}, got {_brief(value)}"
            raise TypeError(msg) from None
        numbers.update(dict.fromkeys(names, number))
    return numbers


def _brief(value: object) -> str:
    return shorten(repr(value), 80, placeholder=" …")


def _names(game_map: GameMap, key: Any) -> list[str]:  # noqa: ANN401 - whatever the user has as keys
    """Return the ids of the routes, or the name of the city, that a key stands for."""
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
    """Return the cities that a ticket joins, for an arc each, and the points; of a country its nearest border point."""
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
    """Return where the points of a ticket are on its arc, with room for a badge."""
    return clear_spot(game_map, layout, arc, 1.2 * NUMBER_SIZE * layout.label_size)


def _distance(game_map: GameMap, a: str, b: str) -> float:
    one, other = game_map.city(a), game_map.city(b)
    return math.dist((one.x, one.y), (other.x, other.y))
