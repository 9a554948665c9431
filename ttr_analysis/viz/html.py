"""The board as SVG, for notebooks: what a map shows of itself without being asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.viz._cars import Car
from ttr_analysis.viz._curves import Points
from ttr_analysis.viz._shapes import PLATE, arrow, placed, saw
from ttr_analysis.viz.background import Background, load_background
from ttr_analysis.viz.geometry import BoardLayout, Token, frame, lay_out
from ttr_analysis.viz.style import BOARD, CARD_STYLES, Shape

WIDTH = 900
"""Most pixels across."""
_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"


def map_svg(game_map: GameMap) -> str:
    """
    Return the board of a map as an SVG picture.

    Hovering over a route says what it is. Everything that comes from the map
    is escaped.

    Parameters
    ----------
    game_map
        Any map.

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
    layout = lay_out(game_map)
    return "".join(_parts(game_map, layout, load_background(game_map)))


def _parts(game_map: GameMap, layout: BoardLayout, behind: Background | None) -> Iterator[str]:
    left, bottom, right, top = frame(layout)
    n_routes, n_cities = len(game_map.routes), len(game_map.cities)
    about = escape(f"Board of {game_map.title}: {n_cities} cities, {n_routes} routes", quote=True)
    width, height = right - left, top - bottom
    yield (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{about}' "
        f"viewBox='{left:.2f} {-top:.2f} {width:.2f} {height:.2f}' style='width:100%;max-width:{WIDTH}px'>"
    )
    paper = BOARD.home if behind is None else BOARD.sea
    yield f"<rect x='{left:.2f}' y='{-top:.2f}' width='{width:.2f}' height='{height:.2f}' fill='{paper}'/>"
    if behind is not None:
        yield from _background(behind, layout.unit)
    for route in game_map.routes:
        yield from _route(route, layout)
    for token in layout.tolls:
        yield _disk(token.x, token.y, 0.19 * layout.unit, BOARD.home, BOARD.coin, 0.04 * layout.unit)
        yield _token_text(token, 0.28 * layout.unit)
    for token in layout.swaps:
        yield _plaque(token, layout.unit)
        yield _token_text(token, 0.36 * layout.unit)
    yield from _cities(game_map, layout)
    yield from _labels(layout)
    yield "</svg>"


def _background(behind: Background, unit: float) -> Iterator[str]:
    thin = 0.03 * unit
    for rings, fill, edge in (
        (behind.land, BOARD.land, BOARD.shore),
        (behind.home, BOARD.home, "none"),
        (behind.lakes, BOARD.sea, BOARD.shore),
    ):
        yield _path(rings, f"fill='{fill}' stroke='{edge}' stroke-width='{thin:.3f}'")
    yield _path(behind.states, f"fill='none' stroke='{BOARD.state}' stroke-width='{thin:.3f}'", close=False)
    dashes = f"stroke-dasharray='{0.25 * unit:.2f} {0.1 * unit:.2f}'"
    yield _path(behind.borders, f"fill='none' stroke='{BOARD.border}' stroke-width='{thin:.3f}' {dashes}", close=False)


def _route(route: Route, layout: BoardLayout) -> Iterator[str]:
    """Yield one route: its bed, its cars and their symbols."""
    unit, track, style = layout.unit, layout.tracks[route.id], CARD_STYLES[route.color]
    ferry = f"stroke='{BOARD.ferry}' stroke-dasharray='{0.18 * unit:.2f} {0.11 * unit:.2f}'"
    bed = ferry if route.locomotives else f"stroke='{BOARD.bed}'"
    yield f"<g><title>{escape(_describe(route))}</title>"
    yield _path([track.line[::4] + track.line[-1:]], f"fill='none' stroke-width='{0.05 * unit:.3f}' {bed}", close=False)
    if route.tunnel:
        yield _path((saw(car, unit) for car in track.cars), f"fill='{BOARD.tunnel}'")
    edge = f"stroke='{style.edge}' stroke-width='{0.03 * unit:.3f}'"
    yield _path((car.corners() for car in track.cars), f"fill='{style.fill}' {edge}")
    wanted = [car for car in track.cars if car.locomotive]
    if wanted:
        look = CARD_STYLES["locomotive"]
        yield _path((placed(PLATE, car, car.width) for car in wanted), f"fill='{look.fill}'")
        yield _symbols(wanted, look.symbol, 0.74, look.ink)
    yield _symbols([car for car in track.cars if not car.locomotive], style.symbol, 0.66, style.ink)
    yield "</g>"


def _describe(route: Route) -> str:
    """Return what a route is, in words."""
    words = [f"{route.cities[0]} – {route.cities[1]}", f"{route.length} {route.color}"]
    if route.tunnel:
        words.append("tunnel")
    if route.locomotives:
        words.append(f"ferry ({route.locomotives} locomotive{'s' if route.locomotives > 1 else ''})")
    if route.toll:
        words.append(f"toll {route.toll}")
    return ", ".join(words)


def _symbols(cars: Iterable[Car], symbol: Shape, size: float, ink: str) -> str:
    return _path((placed(symbol, car, size * car.width) for car in cars), f"fill='{ink}'") if symbol else ""


def _cities(game_map: GameMap, layout: BoardLayout) -> Iterator[str]:
    radius = layout.city_radius
    for city in game_map.cities:
        way = layout.exits.get(city.name)
        if way is None:
            yield _disk(city.x, city.y, radius, BOARD.city, BOARD.rim, 0.08 * layout.unit)
        else:
            yield _path([arrow(city.x, city.y, way.angle, radius)], f"fill='{BOARD.quiet_text}'")


def _labels(layout: BoardLayout) -> Iterator[str]:
    size = layout.label_size
    yield (
        f"<g {_FONT} font-size='{size:.2f}' paint-order='stroke' stroke='{BOARD.halo}' "
        f"stroke-width='{0.3 * size:.2f}' stroke-linejoin='round'>"
    )
    anchors = {"left": "start", "center": "middle", "right": "end"}
    for label in layout.labels:
        look = (
            f"font-style='italic' fill='{BOARD.quiet_text}'"
            if label.city in layout.exits
            else f"font-weight='bold' fill='{BOARD.text}'"
        )
        lines = label.text.split("\n")
        for k, line in enumerate(lines):
            y = -label.y + size * (0.36 + 1.12 * (k - (len(lines) - 1) / 2))
            at = f"x='{label.x:.2f}' y='{y:.2f}' text-anchor='{anchors[label.align]}'"
            yield f"<text {at} {look}>{escape(line)}</text>"
    yield "</g>"


# -- elements -----------------------------------------------------------------------


def _path(lines: Iterable[Points | Shape], style: str, *, close: bool = True) -> str:
    """Return lines as one path; y points upwards on the board and downwards in SVG."""
    end = "z" if close else ""
    drawn = "".join("M" + "L".join(f"{x:.2f},{-y:.2f}" for x, y in line) + end for line in lines)
    return f"<path d='{drawn}' {style}/>" if drawn else ""


def _disk(x: float, y: float, radius: float, fill: str, edge: str, pen: float) -> str:
    at = f"cx='{x:.2f}' cy='{-y:.2f}' r='{radius:.2f}'"
    return f"<circle {at} fill='{fill}' stroke='{edge}' stroke-width='{pen:.2f}'/>"


def _plaque(token: Token, unit: float) -> str:
    width, height = (0.24 * len(token.text) + 0.2) * unit, 0.5 * unit
    at = f"x='{token.x - width / 2:.2f}' y='{-token.y - height / 2:.2f}' width='{width:.2f}' height='{height:.2f}'"
    return (
        f"<rect {at} rx='{0.1 * unit:.2f}' fill='{BOARD.home}' stroke='{BOARD.coin}' stroke-width='{0.04 * unit:.2f}'/>"
    )


def _token_text(token: Token, size: float) -> str:
    at = f"x='{token.x:.2f}' y='{-token.y + 0.36 * size:.2f}' text-anchor='middle' font-size='{size:.2f}'"
    return f"<text {at} {_FONT} font-weight='bold' fill='{BOARD.text}'>{escape(token.text)}</text>"
