"""
Boards as SVG: a still picture, or a live one that changes in a browser.

Both are drawn from the same sheet by the same functions. A live board also has
everything that may appear later: trains, crosses, glows and tickets, which the
style sheet of widgets shows by classes and data attributes. Names are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, TypedDict

from markupsafe import Markup

from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.viz.sheet import (
    NUMBER_SIZE,
    CardSheet,
    CitySheet,
    LabelSheet,
    PlayerSheet,
    RouteSheet,
    Sheet,
    TicketSheet,
    TokenSheet,
    arcs_of,
    board_sheet,
)
from ttr_analysis.viz.style import BOARD, CARD_STYLES, FREE_SHARE, PENS, pale

if TYPE_CHECKING:
    from ttr_analysis.engine.state import Owner  # the engine is heavy, and a map needs none of it

_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"
_FAINT = 0.35
"""How much is seen of routes beside those that stand out."""
HIT = 0.44
"""Width along a track in which a click counts, in space units."""


WIDTH = 900
"""Most pixels across of a board."""


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
) -> Markup:
    """
    Return the board of a map as an SVG picture, in which hovering over a route describes it.

    Parameters
    ----------
    game_map
        Any map.
    owners
        Seat or "neutral" by the id of each taken route.
    stations
        Seat by the name of each city that has a station.
    highlight, cities
        Routes and cities that stand out.
    tickets
        Tickets whose ends are joined.
    width
        Most pixels across.
    fade
        Whether all other routes are faint, where some stand out.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> map_svg(ttr.load_map("nordic")).startswith("<svg")
    True
    """
    svg = draw_board(
        board_sheet(game_map),
        owners or {},
        stations=stations,
        highlight={route.id for route in highlight},
        cities=[city.name for city in cities],
        ends=[(a, b) for ticket in tickets for a, b, _ in arcs_of(ticket, game_map)],
        width=width,
        fade=fade,
    )
    return Markup(svg)  # noqa: S704 - whose names `draw_board` escapes


def draw_board(
    sheet: Sheet,
    owners: Mapping[str, Owner],
    *,
    stations: Mapping[str, int] | None = None,
    highlight: Collection[str] = (),
    cities: Collection[str] = (),
    ends: Sequence[tuple[str, str]] = (),
    width: int,
    fade: bool = True,
) -> str:
    """Return a board as a picture, as `map_svg` does, of routes, cities and ticket `ends` given by ids and names."""
    unit = sheet["unit"]
    spots = {city["name"]: (city["x"], city["y"]) for city in sheet["cities"]}
    parts: list[str] = []
    for a, b in ends:
        way = f"M{spots[a][0]} {spots[a][1]}L{spots[b][0]} {spots[b][1]}"
        dashes = f"stroke-dasharray='{0.5 * unit:.0f} {0.3 * unit:.0f}'"
        parts.append(_path(way, f"fill='none' stroke='{BOARD.text}' {_pen(0.16, unit)} {dashes}"))
    for route in sheet["routes"]:
        if route["id"] in highlight:
            parts.append(_path(route["track"], f"fill='none' stroke='{BOARD.glow}' {_pen(PENS.glow_rim, unit)}"))
        is_faint = fade and (highlight or ends) and route["id"] not in highlight
        drawn = _route(sheet, route, owners)
        parts += [f"<g opacity='{_FAINT}'>", *drawn, "</g>"] if is_faint else drawn
    for x, y in (spots[name] for name in cities):
        parts.append(f"<circle cx='{x}' cy='{y}' r='{2.4 * sheet['radius']:.0f}' fill='{BOARD.glow}'/>")
    style = f"style='width:100%;max-width:{width}px'"
    return "".join(_board(sheet, style, [*parts, *_tokens(sheet, owners), *_cities(sheet, stations or {})]))


def draw_live_board(sheet: Sheet) -> str:
    """
    Return a board that can be changed in a browser.

    Routes are `g` elements of the class "ttr-route" with `data-route` and
    `data-owner`, and so are the `text` elements "ttr-numbers" on them; glows and
    tickets have `data-route` and `data-ticket`, cities `data-city`, and remarks on
    cards that replace others `data-routes`.
    """
    unit = sheet["unit"]
    glow = f"class='ttr-glow' fill='none' stroke-width='{PENS.glow_rim * unit:.0f}'"
    parts = [
        *_group("glows", (f"<path d='{r['track']}' {_data('route', r['id'])} {glow}/>" for r in sheet["routes"])),
        *_group("routes", (part for route in sheet["routes"] for part in _live_route(sheet, route))),
        *_group("owners", (_live_numbers(route, unit) for route in sheet["routes"])),
        *_group("tokens", (part for token in sheet["tokens"] for part in _live_token(token, unit))),
        *_group("tickets", (part for ticket in sheet["tickets"] for part in _ticket(sheet, ticket))),
        *_group("cities", _cities(sheet, None)),
    ]
    return "".join(_board(sheet, f"class='ttr-board' style='--ttr-unit:{unit}px'", parts))


def _board(sheet: Sheet, attributes: str, parts: list[str]) -> Iterator[str]:
    left, top, width, height = sheet["view"]
    yield (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{escape(sheet['about'], quote=True)}' "
        f"viewBox='{left} {top} {width} {height}' {attributes}>"
    )
    yield f"<rect x='{left}' y='{top}' width='{width}' height='{height}' fill='{sheet['paper']}'/>"
    pen = f"stroke-width='{PENS.ground * sheet['unit']:.0f}'"
    for layer in sheet["layers"]:
        dash = f" stroke-dasharray='{layer['dash']}'" if layer["dash"] else ""
        yield _path(layer["path"], f"fill='{layer['fill']}' stroke='{layer['edge']}' {pen}{dash}")
    yield from parts
    yield from _labels(sheet["labels"], sheet)
    yield "</svg>"


# -- routes --------------------------------------------------------------------------------------------------------


def _route(sheet: Sheet, route: RouteSheet, owners: Mapping[str, Owner]) -> Iterator[str]:
    """Yield a route, free or with trains; a free one is paler where others are taken."""
    unit, owner = sheet["unit"], owners.get(route["id"])
    if owner is None:
        yield f"<g><title>{escape(route['words'])}</title>"
        yield from _space(route, unit, FREE_SHARE if owners else 1.0)
    else:
        look = sheet["neutral"] if owner == "neutral" else sheet["players"][owner % len(sheet["players"])]
        who, symbol = ("neutral player", "N") if owner == "neutral" else (f"P{owner}", str(owner))
        yield f"<g><title>{escape(route['words'])}: {who}</title>"
        yield _path(route["trains"], f"fill='{look['color']}' {_train_pen(unit)}")
        yield f"<text {_numbers(route, unit)} {_FONT} fill='{look['ink']}'>{symbol[0] * route['length']}</text>"
    yield "</g>"


def _live_route(sheet: Sheet, route: RouteSheet) -> Iterator[str]:
    """Yield a route with everything that may appear on it."""
    unit, names = sheet["unit"], f"{_data('route', route['id'])} {_data('color', route['color'])}"
    yield f"<g class='ttr-route' {names} data-owner=''><title>{escape(route['words'])}</title>"
    yield from _space(route, unit, 1.0)
    yield _path(route["trains"], f"class='ttr-trains' {_train_pen(unit)}")
    cross = f"class='ttr-crosses' fill='none' stroke='{BOARD.closed}' {_pen(PENS.closed, unit)}"
    yield _path(route["crosses"], cross)
    yield _path(route["track"], f"class='ttr-hit' fill='none' {_pen(HIT, unit)}")
    yield "</g>"


def _live_numbers(route: RouteSheet, unit: int) -> str:
    """Return the place of an owner's symbol, outside of the route, whose name is its description alone."""
    names = f"{_data('route', route['id'])} data-owner='' aria-hidden='true'"
    return f"<text class='ttr-numbers' {names} {_numbers(route, unit)}></text>"


def _space(route: RouteSheet, unit: int, share: float) -> Iterator[str]:
    """Yield what is printed on the board: the line along a route, its cars, and their symbols."""

    def ink(color: str) -> str:
        return pale(color, share)

    look, locomotive = CARD_STYLES[route["color"]], CARD_STYLES["locomotive"]
    dashes = f"stroke-dasharray='{0.18 * unit:.0f} {0.11 * unit:.0f}'"
    ferry = f"stroke='{BOARD.ferry}' {_pen(PENS.ferry, unit)} {dashes}"
    bed = ferry if route["ferry"] else f"stroke='{BOARD.bed}' {_pen(PENS.bed, unit)}"
    yield _path(route["track"], f"fill='none' {bed}")
    yield _path(route["rock"], f"class='ttr-rock' fill='{ink(BOARD.tunnel)}'")
    pen = f"stroke='{ink(look.edge)}' {_pen(PENS.car, unit)}"
    yield _path(route["cars"], f"class='ttr-cars' fill='{ink(look.fill)}' {pen}")
    yield _path(route["plates"], f"class='ttr-plates' fill='{ink(locomotive.fill)}'")
    yield _path(route["locomotives"], f"class='ttr-locomotives' fill='{ink(locomotive.ink)}'")
    yield _path(route["symbols"], f"class='ttr-symbols' fill='{ink(look.ink)}'")


def _train_pen(unit: int) -> str:
    return f"stroke='{BOARD.rim}' {_pen(PENS.train, unit)} stroke-linejoin='round'"


def _numbers(route: RouteSheet, unit: int) -> str:
    """Return the place of the owner's symbol on each space."""
    xs, ys = " ".join(str(x) for x, _ in route["spots"]), " ".join(f"{y + 0.15 * unit:.0f}" for _, y in route["spots"])
    return f"x='{xs}' y='{ys}' font-weight='bold' font-size='{0.42 * unit:.0f}' text-anchor='middle'"


# -- all else ------------------------------------------------------------------------------------------------------


def _tokens(sheet: Sheet, owners: Mapping[str, Owner]) -> Iterator[str]:
    """Yield tolls, and remarks on cards that replace others where a route is still free."""
    for token in sheet["tokens"]:
        if token["kind"] == "toll" or not owners.keys() >= set(token["routes"]):
            yield from _token(token, sheet["unit"])


def _live_token(token: TokenSheet, unit: int) -> Iterator[str]:
    """Yield a token; the browser hides remarks that no longer matter."""
    if token["kind"] == "toll":
        yield from _token(token, unit)
        return
    yield f"<g class='ttr-swap' {_data('routes', json.dumps(token['routes']))}>"
    yield from _token(token, unit)
    yield "</g>"


def _token(token: TokenSheet, unit: int) -> Iterator[str]:
    """Yield a toll as a coin, a remark on swaps as a plaque."""
    x, y, text, pen = token["x"], token["y"], token["text"], f"stroke='{BOARD.coin}' {_pen(PENS.token, unit)}"
    if token["kind"] == "toll":
        size = 0.28 * unit
        yield f"<circle cx='{x}' cy='{y}' r='{0.19 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    else:
        size, width, height = 0.36 * unit, (0.24 * len(text) + 0.2) * unit, 0.5 * unit
        at = f"x='{x - width / 2:.0f}' y='{y - height / 2:.0f}' width='{width:.0f}' height='{height:.0f}'"
        yield f"<rect {at} rx='{0.1 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    at = f"x='{x}' y='{y + 0.36 * size:.0f}' text-anchor='middle' font-size='{size:.0f}'"
    yield f"<text {at} {_FONT} font-weight='bold' fill='{BOARD.text}'>{escape(text)}</text>"


def _cities(sheet: Sheet, stations: Mapping[str, int] | None) -> Iterator[str]:
    """Yield the cities with their stations; with None, with what may become one in a browser."""
    pen = f"stroke='{BOARD.rim}' {_pen(PENS.city, sheet['unit'])}"
    for city in sheet["cities"]:
        seat = (stations or {}).get(city["name"])
        words = city["name"] if seat is None else f"{city['name']}: station of P{seat}"
        yield f"<g class='ttr-city' {_data('city', city['name'])}><title>{escape(words)}</title>"
        if city["arrow"]:
            yield _path(city["arrow"], f"fill='{BOARD.quiet_text}'")
        else:
            yield f"<circle cx='{city['x']}' cy='{city['y']}' r='{sheet['radius']}' fill='{BOARD.city}' {pen}/>"
        if stations is None and city["station"]:
            house = _path(city["station"], f"class='ttr-house' {pen} stroke-linejoin='round'")
            yield f"<g class='ttr-station' data-owner=''>{house}<text {_number_at(city, sheet)}></text></g>"
        elif seat is not None:
            look = sheet["players"][seat % len(sheet["players"])]
            yield _path(city["station"], f"fill='{look['color']}' {pen} stroke-linejoin='round'")
            yield f"<text {_number_at(city, sheet)} {_FONT} fill='{look['ink']}'>{seat}</text>"
        yield "</g>"


def _number_at(city: CitySheet, sheet: Sheet) -> str:
    at = f"x='{city['x']}' y='{city['y'] + 0.6 * sheet['radius']:.0f}'"
    return f"{at} font-weight='bold' font-size='{1.75 * sheet['radius']:.0f}' text-anchor='middle'"


def _labels(labels: list[LabelSheet], sheet: Sheet) -> Iterator[str]:
    size = sheet["label_size"]
    yield (
        f"<g class='ttr-labels' {_FONT} font-size='{size}' paint-order='stroke' stroke='{BOARD.halo}' "
        f"stroke-width='{0.3 * size:.0f}' stroke-linejoin='round'>"
    )
    leaves = {city["name"] for city in sheet["cities"] if city["arrow"]}
    for label in labels:
        look = (
            f"font-style='italic' fill='{BOARD.quiet_text}'"
            if label["city"] in leaves
            else f"font-weight='bold' fill='{BOARD.text}'"
        )
        for y, line in label["lines"]:
            yield f"<text x='{label['x']}' y='{y}' text-anchor='{label['anchor']}' {look}>{escape(line)}</text>"
    yield "</g>"


def _ticket(sheet: Sheet, ticket: TicketSheet) -> Iterator[str]:
    """Yield the arcs of a ticket with its points, hidden at first."""
    unit, radius, size = sheet["unit"], sheet["radius"], sheet["label_size"]
    places = {city["name"]: (city["x"], city["y"]) for city in sheet["cities"]}
    yield f"<g class='ttr-ticket' {_data('ticket', ticket['id'])} style='display:none'>"
    yield f"<title>{escape(ticket['words'])}</title>"
    for arc in ticket["arcs"]:
        x, y, line = arc["x"], arc["y"], f"d='{arc['path']}' fill='none'"
        yield f"<path {line} stroke='{BOARD.halo}' {_pen(PENS.ticket_rim, unit)}/>"
        yield f"<path {line} class='ttr-arc' {_pen(PENS.ticket, unit)}/>"
        for at_x, at_y in (places[end] for end in arc["cities"]):
            ring = f"class='ttr-ring' r='{1.7 * radius:.0f}' {_pen(PENS.ticket_end, unit)}"
            yield f"<circle cx='{at_x}' cy='{at_y}' fill='none' {ring}/>"
        disk = f"class='ttr-points' fill='#fff' {_pen(PENS.city, unit)}"
        yield f"<circle cx='{x}' cy='{y}' r='{NUMBER_SIZE * size:.0f}' {disk}/>"
        at = f"x='{x}' y='{y + 0.36 * size:.0f}' text-anchor='middle' font-size='{size}' font-weight='bold'"
        yield f"<text {at} fill='{BOARD.text}'>{arc['points']}</text>"
    yield "</g>"


def _group(name: str, parts: Iterator[str]) -> Iterator[str]:
    yield f"<g class='ttr-{name}'>"
    yield from parts
    yield "</g>"


def _data(name: str, value: str) -> str:
    return f"data-{name}='{escape(value, quote=True)}'"


def _pen(width: float, unit: int) -> str:
    return f"stroke-width='{width * unit:.0f}'"


def _path(path: str, style: str) -> str:
    return f"<path d='{path}' {style}/>" if path else ""


# -- what a browser needs ------------------------------------------------------------------------------------------


class LivePlace(TypedDict):
    """A route or city that can be chosen: its id or name, its position, and its description."""

    id: str
    at: tuple[int, int]
    words: str


class LiveTicket(TypedDict):
    """A ticket: its id, and its description."""

    id: str
    words: str


class LiveSheet(TypedDict):
    """
    A live board, with its `viewBox` and the space of a train.

    Routes and tickets are in the order of the map; `cities` has no border points.
    `cards` is by color, gray and the locomotive included, `players` by seat.
    """

    svg: str
    title: str
    about: str
    view: tuple[int, int, int, int]
    unit: int
    routes: list[LivePlace]
    cities: list[LivePlace]
    tickets: list[LiveTicket]
    cards: dict[str, CardSheet]
    players: list[PlayerSheet]
    neutral: PlayerSheet


@lru_cache(maxsize=16)
def live_sheet(game_map: GameMap) -> LiveSheet:
    """
    Return a live board, ready for JSON.

    Cached for recent maps: do not change it.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> sheet = live_sheet(ttr.load_map("nordic"))
    >>> sheet["svg"].count("class='ttr-route'"), sheet["routes"][0]["words"]
    (81, 'Aalborg – Aarhus, 1 purple')
    """
    sheet = board_sheet(game_map)
    return LiveSheet(
        svg=draw_live_board(sheet),
        title=sheet["title"],
        about=sheet["about"],
        view=sheet["view"],
        unit=sheet["unit"],
        routes=[
            LivePlace(id=route["id"], at=route["spots"][route["length"] // 2], words=route["words"])
            for route in sheet["routes"]
        ],
        cities=[
            LivePlace(id=city["name"], at=(city["x"], city["y"]), words=city["name"])
            for city in sheet["cities"]
            if not city["arrow"]
        ],
        tickets=[LiveTicket(id=ticket["id"], words=ticket["words"]) for ticket in sheet["tickets"]],
        cards=sheet["cards"],
        players=sheet["players"],
        neutral=sheet["neutral"],
    )
