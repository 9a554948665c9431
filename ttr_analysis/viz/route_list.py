"""Answers made of routes, as HTML: one line that says what it is, and its routes in a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from ttr_analysis.maps.model import Route
from ttr_analysis.viz.style import CARD_STYLES


class HasRoutes(Protocol):
    """A path, trail, network, cut or tree."""

    @property
    def routes(self) -> Sequence[Route]:
        """Its routes."""


def route_list(answer: HasRoutes) -> str:
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
