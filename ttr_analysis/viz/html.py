"""The board as SVG, for notebooks: what a map shows of itself without being asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.viz.sheet import PlayerSheet, RouteSheet, Sheet, TokenSheet, board_sheet
from ttr_analysis.viz.style import BOARD, CARD_STYLES

if TYPE_CHECKING:
    from ttr_analysis.engine.state import Owner  # the engine is heavy, and a map needs none of it

WIDTH = 900
"""Most pixels across."""
_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"


def map_svg(game_map: GameMap, owners: Mapping[str, Owner] | None = None, *, width: int = WIDTH) -> str:
    """
    Return the board of a map as an SVG picture.

    Hovering over a route says what it is. Everything that comes from the map
    is escaped.

    Parameters
    ----------
    game_map
        Any map.
    owners
        Seat or "neutral" by the id of each route that is taken: it bears
        trains with the number of the seat.
    width
        Most pixels across.

    Returns
    -------
    svg
        One `svg` element, to be put into a page as it is.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> map_svg(ttr.load_map("nordic"))[:4]
    '<svg'
    """
    return "".join(_parts(board_sheet(game_map), owners or {}, width))


def _parts(sheet: Sheet, owners: Mapping[str, Owner], pixels: int) -> Iterator[str]:
    left, top, width, height = sheet["view"]
    yield (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{escape(sheet['about'], quote=True)}' "
        f"viewBox='{left} {top} {width} {height}' style='width:100%;max-width:{pixels}px'>"
    )
    yield f"<rect x='{left}' y='{top}' width='{width}' height='{height}' fill='{sheet['paper']}'/>"
    unit = sheet["unit"]
    for layer in sheet["layers"]:
        dash = f" stroke-dasharray='{layer['dash']}'" if layer["dash"] else ""
        yield _path(
            layer["path"], f"fill='{layer['fill']}' stroke='{layer['edge']}' stroke-width='{0.03 * unit:.0f}'{dash}"
        )
    for route in sheet["routes"]:
        if (owner := owners.get(route["id"])) is None:
            yield from _route(route, unit)
        else:
            look = sheet["neutral"] if owner == "neutral" else sheet["players"][owner % len(sheet["players"])]
            yield from _owned_route(route, unit, look, owner)
    for token in sheet["tokens"]:
        yield from _token(token, unit)
    yield from _cities(sheet)
    yield from _labels(sheet)
    yield "</svg>"


def _route(route: RouteSheet, unit: int) -> Iterator[str]:
    """Yield one route: its bed, its cars and their symbols."""
    style, look = CARD_STYLES[route["color"]], CARD_STYLES["locomotive"]
    ferry = f"stroke='{BOARD.ferry}' stroke-dasharray='{0.18 * unit:.0f} {0.11 * unit:.0f}'"
    bed = ferry if route["ferry"] else f"stroke='{BOARD.bed}'"
    yield f"<g><title>{escape(route['words'])}</title>"
    yield _path(route["track"], f"fill='none' stroke-width='{0.05 * unit:.0f}' {bed}")
    yield _path(route["rock"], f"fill='{BOARD.tunnel}'")
    yield _path(route["cars"], f"fill='{style.fill}' stroke='{style.edge}' stroke-width='{0.03 * unit:.0f}'")
    yield _path(route["plates"], f"fill='{look.fill}'")
    yield _path(route["locomotives"], f"fill='{look.ink}'")
    yield _path(route["symbols"], f"fill='{style.ink}'")
    yield "</g>"


def _owned_route(route: RouteSheet, unit: int, look: PlayerSheet, owner: Owner) -> Iterator[str]:
    """Yield one route with trains upon it, each with the number of the seat."""
    who, symbol = ("neutral player", "N") if owner == "neutral" else (f"P{owner}", str(owner))
    xs, ys = " ".join(str(x) for x, _ in route["spots"]), " ".join(f"{y + 0.13 * unit:.0f}" for _, y in route["spots"])
    yield f"<g><title>{escape(route['words'])}: {who}</title>"
    yield _path(route["cars"], f"fill='{BOARD.halo}' stroke='{look['color']}' stroke-width='{0.03 * unit:.0f}'")
    yield _path(route["trains"], f"fill='{look['color']}' stroke='#fff' stroke-width='{0.045 * unit:.0f}'")
    style = f"{_FONT} font-weight='bold' font-size='{0.36 * unit:.0f}' text-anchor='middle' fill='{look['ink']}'"
    yield f"<text x='{xs}' y='{ys}' {style}>{symbol[0] * route['length']}</text></g>"


def _token(token: TokenSheet, unit: int) -> Iterator[str]:
    """Yield a toll as a coin, a remark on swaps as a plaque."""
    x, y, text, pen = token["x"], token["y"], token["text"], f"stroke='{BOARD.coin}' stroke-width='{0.04 * unit:.0f}'"
    if token["kind"] == "toll":
        size = 0.28 * unit
        yield f"<circle cx='{x}' cy='{y}' r='{0.19 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    else:
        size, width, height = 0.36 * unit, (0.24 * len(text) + 0.2) * unit, 0.5 * unit
        at = f"x='{x - width / 2:.0f}' y='{y - height / 2:.0f}' width='{width:.0f}' height='{height:.0f}'"
        yield f"<rect {at} rx='{0.1 * unit:.0f}' fill='{BOARD.home}' {pen}/>"
    at = f"x='{x}' y='{y + 0.36 * size:.0f}' text-anchor='middle' font-size='{size:.0f}'"
    yield f"<text {at} {_FONT} font-weight='bold' fill='{BOARD.text}'>{escape(text)}</text>"


def _cities(sheet: Sheet) -> Iterator[str]:
    pen = f"stroke='{BOARD.rim}' stroke-width='{0.08 * sheet['unit']:.0f}'"
    for city in sheet["cities"]:
        if city["arrow"]:
            yield _path(city["arrow"], f"fill='{BOARD.quiet_text}'")
        else:
            yield f"<circle cx='{city['x']}' cy='{city['y']}' r='{sheet['radius']}' fill='{BOARD.city}' {pen}/>"


def _labels(sheet: Sheet) -> Iterator[str]:
    size = sheet["label_size"]
    yield (
        f"<g {_FONT} font-size='{size}' paint-order='stroke' stroke='{BOARD.halo}' "
        f"stroke-width='{0.3 * size:.0f}' stroke-linejoin='round'>"
    )
    leaves = {city["name"] for city in sheet["cities"] if city["arrow"]}
    for label in sheet["labels"]:
        look = (
            f"font-style='italic' fill='{BOARD.quiet_text}'"
            if label["city"] in leaves
            else f"font-weight='bold' fill='{BOARD.text}'"
        )
        for y, line in label["lines"]:
            yield f"<text x='{label['x']}' y='{y}' text-anchor='{label['anchor']}' {look}>{escape(line)}</text>"
    yield "</g>"


def _path(path: str, style: str) -> str:
    return f"<path d='{path}' {style}/>" if path else ""


# -- answers made of routes ----------------------------------------------------------------------------------------


class RouteAnswer(Protocol):
    """A path, trail, network, cut or tree."""

    @property
    def routes(self) -> Sequence[Route]:
        """Its routes."""


def route_list(answer: RouteAnswer) -> str:
    """
    Return an answer made of routes as an HTML table.

    Parameters
    ----------
    answer
        A path, trail, network, cut or spanning tree: its `repr` becomes the
        caption.

    Returns
    -------
    html
        One `table` element; names from the map are escaped.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> path = ttr.paths.shortest_path(ttr.load_map("nordic"), "Oslo", "Bergen")
    >>> route_list(path).count("<tr>")
    2
    """
    columns = {
        "route": [f"{a} – {b}" for a, b in (route.cities for route in answer.routes)],
        "color": [route.color for route in answer.routes],
        "kind": [route.kind for route in answer.routes],
        "length": [route.length for route in answer.routes],
        "points": [route.points for route in answer.routes],
    }
    if any(route.toll for route in answer.routes):
        columns["toll"] = [route.toll for route in answer.routes]
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(_cell(name, value) for name, value in zip(columns, row, strict=True))}</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    caption = escape(repr(answer).strip("<>"))
    style = "caption-side:top;text-align:left;font-weight:bold;padding:0.3em 0"
    title = f"<caption style='{style}'>{caption}</caption>"
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(column: str, value: object) -> str:
    if column == "color":
        look = CARD_STYLES[str(value)]
        swatch = f"<span style='background:{look.fill};border:1px solid {look.edge};padding:0 0.6em'></span>"
        return f"<td style='text-align:left'>{swatch} {escape(str(value))}</td>"
    align = "right" if isinstance(value, int) else "left"
    return f"<td style='text-align:{align}'>{escape(str(value))}</td>"
