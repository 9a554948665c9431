"""
Boards as SVG, a still picture or a live one that changes in a browser, and charts over the steps of a game.

Boards use the same functions, layout, shapes and styles as `plot_map`. A live board also
has everything that may appear later: trains, crosses, glows and tickets, which the style
sheet of widgets shows by classes and data attributes. Coordinates are integers, y
downwards. Names are escaped.

A chart over the steps of a game has the players' colors; the stepper's style sheet sets the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from html import escape
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markupsafe import Markup

from ttr_analysis._words import percent, with_names
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.maps.names import describe_route, name_ticket
from ttr_analysis.viz import geometry
from ttr_analysis.viz.placement import Points, placed
from ttr_analysis.viz.scene import NUMBER_SIZE, arcs_of, load_background, number_spot, ticket_arc
from ttr_analysis.viz.style import (
    BOARD,
    CARD_STYLES,
    FREE_SHARE,
    NEUTRAL_COLOR,
    PENS,
    PLAYER_COLORS,
    PLAYER_DASHES,
    Shape,
    ink_upon,
    pale,
)

if TYPE_CHECKING:
    from ttr_analysis.engine.state import Owner  # the engine is heavy, and maps do not need it

SCALE: Final = 100
"""Picture coordinates per board unit."""
WIDTH: Final = 900
"""Largest width of a board, in pixels."""
HIT: Final = 0.44
"""Width along a track that reacts to clicks, in space units."""
_FONT: Final = "font-family='DejaVu Sans, Verdana, sans-serif'"
LARGE: Final = 2.4
"""How much larger the names are if there are few."""
_FAINT: Final = 0.35
"""Opacity of routes next to those that stand out."""
_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}
_LINE: Final = 1.12
"""Distance between the lines of a label, in ems."""


class Outlines(NamedTuple):
    """
    The outlines of a route.

    `track` is the line along its middle; `cars`, `rock` (around the cars of a tunnel),
    `plates` and `locomotives` (on spaces that need one), `symbols` (on the others), `trains`
    and `crosses` are drawn space by space; `spots` are the middles of the spaces.
    """

    track: str
    cars: str
    rock: str
    plates: str
    locomotives: str
    symbols: str
    trains: str
    crosses: str
    spots: list[tuple[int, int]]


class Drawing(NamedTuple):
    """The common parts of all pictures of a board; `view` is the `viewBox`, `routes` is by id."""

    game_map: GameMap
    layout: geometry.BoardLayout
    view: tuple[int, int, int, int]
    unit: int
    radius: int
    label_size: int
    ground: str
    routes: dict[str, Outlines]


@lru_cache(maxsize=16)
def drawing(game_map: GameMap) -> Drawing:
    """Return the common parts of all pictures of a board; cached for recent maps."""
    layout = geometry.lay_out(game_map)
    left, bottom, right, top = (round(SCALE * edge) for edge in geometry.frame(layout))
    view = (left, -top, right - left, top - bottom)
    unit, radius, label_size = (round(SCALE * size) for size in (layout.unit, layout.city_radius, layout.label_size))
    routes = {route.id: _outlines(route, layout) for route in game_map.routes}
    return Drawing(game_map, layout, view, unit, radius, label_size, _ground(game_map, layout, view), routes)


def _ground(game_map: GameMap, layout: geometry.BoardLayout, view: tuple[int, int, int, int]) -> str:
    """Return the paper, with land, lakes and borders if known."""
    behind = load_background(game_map)
    left, top, width, height = view
    paper = BOARD.home if behind is None else BOARD.sea
    parts = [f"<rect x='{left}' y='{top}' width='{width}' height='{height}' fill='{paper}'/>"]
    if behind is None:
        return parts[0]
    pen = f"stroke-width='{PENS.ground * round(SCALE * layout.unit):.0f}'"
    dash = f" stroke-dasharray='{round(0.25 * SCALE * layout.unit)} {round(0.1 * SCALE * layout.unit)}'"
    for lines, fill, edge, dashes in (
        (behind.land, BOARD.land, BOARD.shore, ""),
        (behind.home, BOARD.home, "none", ""),
        (behind.lakes, BOARD.sea, BOARD.shore, ""),
        (behind.states, "none", BOARD.state, ""),
        (behind.borders, "none", BOARD.border, dash),
    ):
        parts.append(_element(path(lines, close=fill != "none"), f"fill='{fill}' stroke='{edge}' {pen}{dashes}"))
    return "".join(parts)


def _outlines(route: Route, layout: geometry.BoardLayout) -> Outlines:
    track, symbol = layout.tracks[route.id], CARD_STYLES[route.color].symbol
    wanted = [car for car in track.cars if car.locomotive]
    plain = [car for car in track.cars if not car.locomotive and symbol]
    locomotive = CARD_STYLES["locomotive"].symbol
    return Outlines(
        track=path([track.line[::4] + track.line[-1:]], close=False),
        cars=path(car.corners() for car in track.cars),
        rock=path(geometry.saw(car, layout.unit) for car in track.cars) if route.tunnel else "",
        plates=path(placed(geometry.PLATE, car, car.width) for car in wanted),
        locomotives=path(placed(locomotive, car, 0.74 * car.width) for car in wanted),
        symbols=path(placed(symbol, car, 0.66 * car.width) for car in plain),
        trains=path(geometry.train(car) for car in track.cars),
        crosses=path((stroke for car in track.cars for stroke in geometry.cross(car)), close=False),
        spots=[point(car.x, car.y) for car in track.cars],
    )


# -- numbers -------------------------------------------------------------------------------------------------------


def point(x: float, y: float) -> tuple[int, int]:
    """Return a point of the board in picture coordinates, where y points down."""
    return round(SCALE * x), round(-SCALE * y)


def path(lines: Iterable[Points | Shape], *, close: bool = True) -> str:
    """Return lines as the data of one path, in relative coordinates, which are short."""
    return "".join(_line(line) + ("z" if close else "") for line in lines)


def _line(line: Points | Shape) -> str:
    points = [point(x, y) for x, y in line]
    steps = [(x - before_x, y - before_y) for (before_x, before_y), (x, y) in pairwise(points)]
    moves = "".join(f"{_number(dx)}{_number(dy)}" for dx, dy in steps if dx or dy).lstrip()
    return f"M{points[0][0]}{_number(points[0][1])}" + (f"l{moves}" if moves else "")


def _number(number: int) -> str:
    """Format a number after another one; a minus sign separates them as well as a space does."""
    return str(number) if number < 0 else f" {number}"


# -- pictures ------------------------------------------------------------------------------------------------------


def map_svg(
    game_map: GameMap,
    owners: Mapping[str, Owner] | None = None,
    *,
    stations: Mapping[str, int] | None = None,
    highlight: Collection[Route] = (),
    cities: Iterable[City] = (),
    tickets: Iterable[Ticket] = (),
    width: int = WIDTH,
    fade: bool = True,
    few_names: bool = False,
    players: Sequence[str] = (),
) -> Markup:
    """
    Return the board of a map as an SVG picture; hovering over a route describes it.

    `owners` are seats, or "neutral", by route id, and `stations` seats by city. `highlight` and `cities` stand out;
    other routes are then faint, unless `fade` is False. The ends of tickets are connected. With `few_names`, only their
    cities and those that stand out have names, in larger type. `width` is in pixels. `players` names the seats.
    """
    board, owners, cities = drawing(game_map), owners or {}, tuple(cities)
    unit = board.unit
    ends = [(a, b) for ticket in tickets for a, b, _ in arcs_of(ticket, game_map)]
    if few_names:
        named = {*chain(*ends, *(route.cities for route in highlight)), *(city.name for city in cities)}
        layout = geometry.with_labels(game_map, board.layout, LARGE * board.layout.label_size, named)
        board = board._replace(layout=layout, label_size=round(SCALE * layout.label_size))
    highlighted = {route.id for route in highlight}
    parts: list[str] = []
    for (x, y), (to_x, to_y) in ((_position(game_map.city(a)), _position(game_map.city(b))) for a, b in ends):
        dashes = f"stroke-dasharray='{0.5 * unit:.0f} {0.3 * unit:.0f}'"
        look = f"fill='none' stroke='{BOARD.text}' {_pen(0.16, unit)} {dashes}"
        parts.append(_element(f"M{x} {y}L{to_x} {to_y}", look))
    for route in game_map.routes:
        if route.id in highlighted:
            glow = f"fill='none' stroke='{BOARD.glow}' {_pen(PENS.glow_rim, unit)}"
            parts.append(_element(board.routes[route.id].track, glow))
        is_faint = fade and (highlighted or ends) and route.id not in highlighted
        drawn = _route(board, route, owners, players)
        parts += [f"<g opacity='{_FAINT}'>", *drawn, "</g>"] if is_faint else drawn
    for x, y in map(_position, cities):
        parts.append(f"<circle cx='{x}' cy='{y}' r='{2.4 * board.radius:.0f}' fill='{BOARD.glow}'/>")
    tokens = [*board.layout.tolls, *(token for token in board.layout.swaps if not owners.keys() >= set(token.routes))]
    parts += [part for token in tokens for part in _token(token, unit, is_toll=token in board.layout.tolls)]
    parts += _cities(board, stations or {}, players)
    svg = _board(board, f"style='width:100%;max-width:{width}px'", parts)
    return Markup(svg)  # noqa: S704 - whose names are escaped


def _live_board(board: Drawing) -> str:
    """Return a board that can be changed in a browser: `data-` attributes name routes, owners, tickets and cities."""
    unit, routes = board.unit, board.game_map.routes
    layers: dict[str, Iterable[str]] = {
        "glows": (f"<path d='{board.routes[r.id].track}' {_data('route', r.id)} class='ttr-glow'/>" for r in routes),
        "routes": (part for route in routes for part in _live_route(board, route)),
        "owners": (_live_numbers(board, route) for route in routes),
        "tokens": _live_tokens(board),
        "tickets": (part for ticket in board.game_map.tickets for part in _ticket(board, ticket)),
        "cities": _cities(board, None),
    }
    looks = {  # the attributes that all parts of a layer inherit
        "glows": f"fill='none' {_pen(PENS.glow_rim, unit)}",
        "tickets": f"fill='none' text-anchor='middle' font-size='{board.label_size}' font-weight='bold'",
    }
    parts = [f"<g class='ttr-{name}' {looks.get(name, '')}>{''.join(layer)}</g>" for name, layer in layers.items()]
    return _board(board, f"class='ttr-board' style='--ttr-unit:{unit}px'", parts)


def _board(board: Drawing, attributes: str, parts: Iterable[str]) -> str:
    about, view = escape(_about(board.game_map), quote=True), " ".join(map(str, board.view))
    start = f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{about}' viewBox='{view}' {attributes}>"
    return "".join([start, board.ground, *parts, *_labels(board), "</svg>"])


def _about(game_map: GameMap) -> str:
    return f"Board of {game_map.title}: {len(game_map.cities)} cities, {len(game_map.routes)} routes"


# -- routes --------------------------------------------------------------------------------------------------------


def _route(board: Drawing, route: Route, owners: Mapping[str, Owner], players: Sequence[str]) -> Iterator[str]:
    """Yield a route, free or with trains; a free one is paler if others are taken."""
    owner, words = owners.get(route.id), escape(describe_route(route))
    if owner is None:
        yield f"<g><title>{words}</title>"
        yield from _space(board, route, FREE_SHARE if owners else 1.0)
    else:
        color = NEUTRAL_COLOR if owner == "neutral" else PLAYER_COLORS[owner % len(PLAYER_COLORS)]
        who, symbol = ("neutral player", "N") if owner == "neutral" else (with_names(f"P{owner}", players), str(owner))
        yield f"<g><title>{words}: {escape(who)}</title>"
        yield _element(board.routes[route.id].trains, f"fill='{color}' {_train_pen(board.unit)}")
        yield f"<text {_numbers(board, route)} {_FONT} fill='{ink_upon(color)}'>{symbol[0] * route.length}</text>"
    yield "</g>"


def _live_route(board: Drawing, route: Route) -> Iterator[str]:
    """Yield a route with everything that may appear on it."""
    unit, shapes = board.unit, board.routes[route.id]
    names = f"{_data('route', route.id)} {_data('color', route.color)}"
    yield f"<g class='ttr-route' {names} data-owner=''><title>{escape(describe_route(route))}</title>"
    yield from _space(board, route, 1.0)
    yield _element(shapes.trains, f"class='ttr-trains' {_train_pen(unit)}")
    yield _element(shapes.crosses, f"class='ttr-crosses' fill='none' stroke='{BOARD.closed}' {_pen(PENS.closed, unit)}")
    yield _element(shapes.track, f"class='ttr-hit' fill='none' {_pen(HIT, unit)}")
    yield "</g>"


def _live_numbers(board: Drawing, route: Route) -> str:
    """Return the element for an owner's symbol, outside the route, so that only its description names the route."""
    names = f"{_data('route', route.id)} data-owner='' aria-hidden='true'"
    return f"<text class='ttr-numbers' {names} {_numbers(board, route)}></text>"


def _space(board: Drawing, route: Route, share: float) -> Iterator[str]:
    """Yield what is printed on the board: the line along a route, its cars, and their symbols."""
    unit, shapes = board.unit, board.routes[route.id]

    def ink(color: str) -> str:
        return pale(color, share)

    look, locomotive = CARD_STYLES[route.color], CARD_STYLES["locomotive"]
    dashes = f"stroke-dasharray='{0.18 * unit:.0f} {0.11 * unit:.0f}'"
    ferry = f"stroke='{BOARD.ferry}' {_pen(PENS.ferry, unit)} {dashes}"
    bed = ferry if route.locomotives else f"stroke='{BOARD.bed}' {_pen(PENS.bed, unit)}"
    pen = f"stroke='{ink(look.edge)}' {_pen(PENS.car, unit)}"
    yield _element(shapes.track, f"fill='none' {bed}")
    yield _element(shapes.rock, f"class='ttr-rock' fill='{ink(BOARD.tunnel)}'")
    yield _element(shapes.cars, f"class='ttr-cars' fill='{ink(look.fill)}' {pen}")
    yield _element(shapes.plates, f"class='ttr-plates' fill='{ink(locomotive.fill)}'")
    yield _element(shapes.locomotives, f"class='ttr-locomotives' fill='{ink(locomotive.ink)}'")
    yield _element(shapes.symbols, f"class='ttr-symbols' fill='{ink(look.ink)}'")


def _train_pen(unit: int) -> str:
    return f"stroke='{BOARD.rim}' {_pen(PENS.train, unit)} stroke-linejoin='round'"


def _numbers(board: Drawing, route: Route) -> str:
    """Return the position of the owner's symbol on each space."""
    unit, spots = board.unit, board.routes[route.id].spots
    xs, ys = " ".join(str(x) for x, _ in spots), " ".join(f"{y + 0.15 * unit:.0f}" for _, y in spots)
    return f"x='{xs}' y='{ys}' font-weight='bold' font-size='{0.42 * unit:.0f}' text-anchor='middle'"


# -- everything else -----------------------------------------------------------------------------------------------


def _live_tokens(board: Drawing) -> Iterator[str]:
    """Yield the tokens; the browser hides badges that no longer matter."""
    for token in board.layout.tolls:
        yield from _token(token, board.unit, is_toll=True)
    for token in board.layout.swaps:
        yield f"<g class='ttr-swap' {_data('routes', json.dumps(token.routes))}>"
        yield from _token(token, board.unit, is_toll=False)
        yield "</g>"


def _token(token: geometry.Token, unit: int, *, is_toll: bool) -> Iterator[str]:
    """Yield a toll as a coin, or a badge on swaps as a plaque."""
    (x, y), text, pen = point(token.x, token.y), token.text, f"stroke='{BOARD.coin}' {_pen(PENS.token, unit)}"
    if is_toll:
        size = 0.28 * unit
        yield f"<circle cx='{x}' cy='{y}' r='{0.19 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    else:
        size, width, height = 0.36 * unit, (0.24 * len(text) + 0.2) * unit, 0.5 * unit
        at = f"x='{x - width / 2:.0f}' y='{y - height / 2:.0f}' width='{width:.0f}' height='{height:.0f}'"
        yield f"<rect {at} rx='{0.1 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    at = f"x='{x}' y='{y + 0.36 * size:.0f}' text-anchor='middle' font-size='{size:.0f}'"
    yield f"<text {at} {_FONT} font-weight='bold' fill='{BOARD.text}'>{escape(text)}</text>"


def _cities(board: Drawing, stations: Mapping[str, int] | None, players: Sequence[str] = ()) -> Iterator[str]:
    """Yield the cities with their stations; with None, with empty ones for the browser."""
    layout, radius, has_stations = board.layout, board.radius, board.game_map.rules.stations.number > 0
    pen = f"stroke='{BOARD.rim}' {_pen(PENS.city, board.unit)}"
    for city in board.game_map.cities:
        x, y = _position(city)
        seat = (stations or {}).get(city.name)
        words = city.name if seat is None else f"{city.name}: station of {with_names(f'P{seat}', players)}"
        yield f"<g class='ttr-city' {_data('city', city.name)}><title>{escape(words)}</title>"
        if way := layout.exits.get(city.name):
            yield _element(
                path([geometry.arrow(city.x, city.y, way.angle, layout.city_radius)]), f"fill='{BOARD.quiet_text}'"
            )
        else:
            yield f"<circle cx='{x}' cy='{y}' r='{radius}' fill='{BOARD.city}' {pen}/>"
        house = path([geometry.station(city.x, city.y, layout.city_radius)]) if has_stations else ""
        at = f"x='{x}' y='{y + 0.6 * radius:.0f}' font-weight='bold' font-size='{1.75 * radius:.0f}'"
        at += " text-anchor='middle'"
        if stations is None and house:
            shape = _element(house, f"class='ttr-house' {pen} stroke-linejoin='round'")
            yield f"<g class='ttr-station' data-owner=''>{shape}<text {at}></text></g>"
        elif seat is not None:
            color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
            yield _element(house, f"fill='{color}' {pen} stroke-linejoin='round'")
            yield f"<text {at} {_FONT} fill='{ink_upon(color)}'>{seat}</text>"
        yield "</g>"


def _labels(board: Drawing) -> Iterator[str]:
    size, em = board.label_size, board.layout.label_size
    yield (
        f"<g class='ttr-labels' {_FONT} font-size='{size}' paint-order='stroke' stroke='{BOARD.halo}' "
        f"stroke-width='{0.3 * size:.0f}' stroke-linejoin='round'>"
    )
    for label in board.layout.labels:
        look = f"font-weight='bold' fill='{BOARD.text}'"
        if label.city in board.layout.exits:
            look = f"font-style='italic' fill='{BOARD.quiet_text}'"
        lines = label.text.split("\n")
        for k, line in enumerate(lines):  # centered on the label
            x, y = point(label.x, label.y - em * (0.36 + _LINE * (k - (len(lines) - 1) / 2)))
            yield f"<text x='{x}' y='{y}' text-anchor='{_ANCHORS[label.align]}' {look}>{escape(line)}</text>"
    yield "</g>"


def _ticket(board: Drawing, ticket: Ticket) -> Iterator[str]:
    """Yield the arcs of a ticket with its points, hidden at first; their layer sets fills and fonts."""
    game_map, unit, radius, size = board.game_map, board.unit, board.radius, board.label_size
    yield f"<g class='ttr-ticket' {_data('ticket', ticket.id)} style='display:none'>"
    yield f"<title>{escape(name_ticket(ticket))}</title>"
    for a, b, points in arcs_of(ticket, game_map):
        arc = ticket_arc(game_map, a, b)
        x, y = point(*number_spot(game_map, board.layout, arc))
        # A quadratic curve reaches only half as far as its control point.
        start, control, end = (point(*at) for at in (arc[0], 2 * arc[len(arc) // 2] - (arc[0] + arc[-1]) / 2, arc[-1]))
        line = f"d='M{start[0]} {start[1]}Q{control[0]} {control[1]} {end[0]} {end[1]}'"
        yield f"<path {line} stroke='{BOARD.halo}' {_pen(PENS.ticket_rim, unit)}/>"
        yield f"<path {line} class='ttr-arc' {_pen(PENS.ticket, unit)}/>"
        for at_x, at_y in (start, end):
            ring = f"class='ttr-ring' r='{1.7 * radius:.0f}' {_pen(PENS.ticket_end, unit)}"
            yield f"<circle cx='{at_x}' cy='{at_y}' {ring}/>"
        disk = f"class='ttr-points' fill='#fff' {_pen(PENS.city, unit)}"
        yield f"<circle cx='{x}' cy='{y}' r='{NUMBER_SIZE * size:.0f}' {disk}/>"
        yield f"<text x='{x}' y='{y + 0.36 * size:.0f}' fill='{BOARD.text}'>{points}</text>"
    yield "</g>"


def _position(city: City) -> tuple[int, int]:
    return point(city.x, city.y)


def _data(name: str, value: str) -> str:
    return f"data-{name}='{escape(value, quote=True)}'"


def _pen(width: float, unit: int) -> str:
    return f"stroke-width='{width * unit:.0f}'"


def _element(data: str, style: str) -> str:
    return f"<path d='{data}' {style}/>" if data else ""


# -- data for the browser ------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def live_sheet(game_map: GameMap) -> dict[str, Any]:
    """
    Return a live board, ready for JSON.

    Besides the picture it has its `viewBox` as `view`, the length of a space as `unit`, and the
    id, position and description of everything that can be chosen: routes and tickets in map
    order, cities without border points. `cards` is by color, including gray and the
    locomotive. Cached for recent maps: do not change it.

    >>> sheet = live_sheet(ttr.load_map("nordic"))
    >>> sheet["svg"].count("class='ttr-route'"), sheet["routes"][0]["words"]
    (81, 'Aalborg – Aarhus, 1 purple')
    """
    board = drawing(game_map)
    return {
        "svg": _live_board(board),
        "title": game_map.title,
        "about": _about(game_map),
        "view": board.view,
        "unit": board.unit,
        "routes": [
            {"id": route.id, "at": board.routes[route.id].spots[route.length // 2], "words": describe_route(route)}
            for route in game_map.routes
        ],
        "cities": [
            {"id": city.name, "at": _position(city), "words": city.name}
            for city in game_map.cities
            if city.name not in board.layout.exits
        ],
        "tickets": [{"id": ticket.id, "words": name_ticket(ticket)} for ticket in game_map.tickets],
        "cards": {
            color: {**asdict(look), "symbol": path([look.symbol] if look.symbol else [])}
            for color, look in CARD_STYLES.items()
        },
    }


# -- a chart over the steps of a game ------------------------------------------------------------------------------

Values: TypeAlias = Sequence[float | None]
"""One value per step, None if there is none."""

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 150, 52, 570, 12, 132
_STROKE: Final = 2.4
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

    >>> chart = step_chart("Points", ["Ida", "Bo"], [[0, 3, 7], [0, 0, None]])
    >>> chart.count("class='ttr-curve'"), "<title>Ida</title>" in chart
    (4, True)
    """
    known = [0.0, 1.0] if is_share else [0.0, *(value for line in values for value in line if value is not None)]
    tick = 0.25 if is_share else max(1.0, round_step(max(known) - min(known) or 1.0, 4))
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
            parts += _curve(seat, names[seat], _stairs(points))
            ends[seat] = points[-1]
    for seat, at in spread(((seat, v) for seat, (_, v) in ends.items()), _APART, _HEIGHT - 12):
        parts += _end(seat, names[seat], *ends[seat], at)
    parts.append(f"<line class='ttr-cursor' x1='0' x2='0' y1='{_TOP}' y2='{_BOTTOM}'/>")
    look = f"class='ttr-chart' role='img' data-steps='{_LEFT} {_RIGHT} {last}' viewBox='0 0 {_WIDTH} {_HEIGHT}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {look} aria-label='{escape(label)}'>{''.join(parts)}</svg>"


def round_step(span: float, most: int) -> float:
    """Return the smallest step of 1, 2 or 5 times a power of ten that fits into a span above 0 at most `most` times."""
    least = span / most
    power = 10.0 ** math.floor(math.log10(least))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least)


def spread(ends: Iterable[tuple[int, float]], gap: float, most: float) -> Iterator[tuple[int, float]]:
    """
    Yield positions for the symbols at the ends of lines, so that they do not overlap.

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


def _curve(seat: int, name: str, way: str) -> Iterator[str]:
    """Yield a line with its dashes. A casing separates pale colors from the page."""
    dashes = " ".join(f"{_STROKE * length:.1f}" for length in PLAYER_DASHES[seat % len(PLAYER_DASHES)])
    dashed = f"stroke-dasharray='{dashes}'" if dashes else ""
    look = f"stroke='{PLAYER_COLORS[seat % len(PLAYER_COLORS)]}' stroke-width='{_STROKE}'"
    yield f"<path class='ttr-casing' d='{way}' stroke-width='{_STROKE + 1.2:.1f}' {dashed}/>"
    yield f"<path class='ttr-curve' d='{way}' {look} {dashed}><title>{escape(name)}</title></path>"


def _end(seat: int, name: str, x: float, y: float, at: float) -> Iterator[str]:
    """Yield the segment from the end of a line to its symbol, on a tag of its color."""
    color = PLAYER_COLORS[seat % len(PLAYER_COLORS)]
    yield from _curve(seat, name, f"M{x} {y}L{x + _LEAD} {at}")
    yield f"<g transform='translate({x + _LEAD} {at})'>"
    yield f"<rect y='-0.65em' width='2.3em' height='1.3em' rx='4' fill='{color}'/>"
    middle = f"x='1.15em' y='0.36em' text-anchor='middle' fill='{ink_upon(color)}'"
    yield f"<text class='ttr-end' {middle}>{seat}</text></g>"
