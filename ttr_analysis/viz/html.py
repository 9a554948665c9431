"""What a map, and an answer made of routes, show of themselves in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.viz.sheet import board_sheet
from ttr_analysis.viz.style import CARD_STYLES
from ttr_analysis.viz.svg import draw_board

if TYPE_CHECKING:
    from ttr_analysis.engine.state import Owner  # the engine is heavy, and a map needs none of it

WIDTH = 900
"""Most pixels across."""


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
    return draw_board(board_sheet(game_map), owners or {}, width=width)


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
