"""What a map, and an answer made of routes, show of themselves in a notebook."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from ttr_analysis.maps.model import City, GameMap, Route, Ticket, home_of
from ttr_analysis.viz.sheet import arcs_of, board_sheet
from ttr_analysis.viz.style import CARD_STYLES
from ttr_analysis.viz.svg import draw_board

if TYPE_CHECKING:
    from ttr_analysis.engine.state import Owner, PublicState  # the engine is heavy, and a map needs none of it

WIDTH = 900
"""Most pixels across."""


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
) -> str:
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
    stations
        Seat by the name of each city that has a station.
    highlight
        Routes that stand out.
    cities
        Cities that stand out.
    tickets
        Tickets whose ends are joined.
    width
        Most pixels across.
    fade
        Whether all other routes are faint, where some stand out.

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
    ends = [(a, b) for ticket in tickets for a, b, _ in arcs_of(ticket, game_map)]
    shown = {route.id for route in highlight}
    sheet = board_sheet(game_map)
    names = [city.name for city in cities]
    return draw_board(
        sheet, owners or {}, stations=stations, highlight=shown, cities=names, ends=ends, width=width, fade=fade
    )


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
    columns: dict[str, Sequence[object]] = {
        "route": [f"{a} – {b}" for a, b in (route.cities for route in answer.routes)],
        "color": [route.color for route in answer.routes],
        "kind": [route.kind for route in answer.routes],
        "length": [route.length for route in answer.routes],
        "points": [route.points for route in answer.routes],
    }
    if any(route.toll for route in answer.routes):
        columns["toll"] = [route.toll for route in answer.routes]
    return _table(repr(answer).strip("<>"), columns)


def route_board(answer: RouteAnswer) -> str:
    """
    Return an answer made of routes as a board on which they stand out, and as a table.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> path = ttr.paths.shortest_path(ttr.load_map("nordic"), "Oslo", "Bergen")
    >>> route_board(path)[:4]
    '<svg'
    """
    tickets = getattr(answer, "tickets", ())
    home = home_of(routes=answer.routes) if answer.routes else None
    return (map_svg(home, highlight=answer.routes, tickets=tickets) if home else "") + route_list(answer)


def ticket_board(ticket: Ticket) -> str:
    """
    Return a ticket as a board on which its places are joined, with its words.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> ticket_board(ttr.load_map("nordic").ticket("Oslo", "Vaasa"))[-33:]
    '<div><b>Oslo to Vaasa 9</b></div>'
    """
    home = home_of(tickets=[ticket])
    return (map_svg(home, tickets=[ticket]) if home else "") + f"<div><b>{escape(str(ticket))}</b></div>"


def game_board(state: PublicState) -> str:
    """
    Return a game at one moment as its board, with a row for each seat.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game_board(ttr.Game(ttr.load_map("nordic")).new(seed=7)).count("<tr>")
    3
    """
    columns: dict[str, Sequence[object]] = {
        "seat": [f"P{seat}" for seat in range(state.n_players)],
        "points": state.scores,
        "trains": state.trains,
        "cards": state.n_hands,
        "tickets": state.n_tickets,
    }
    if any(state.tokens):
        columns["tokens"] = state.tokens
    return map_svg(state.game_map, state.owners, stations=state.stations) + _table(repr(state).strip("<>"), columns)


def _table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """Return columns as an HTML table."""
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(_cell(name, value) for name, value in zip(columns, row, strict=True))}</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    style = "caption-side:top;text-align:left;font-weight:bold;padding:0.3em 0"
    title = f"<caption style='{style}'>{escape(caption)}</caption>"
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(column: str, value: object) -> str:
    if column == "color":
        look = CARD_STYLES[str(value)]
        swatch = f"<span style='background:{look.fill};border:1px solid {look.edge};padding:0 0.6em'></span>"
        return f"<td style='text-align:left'>{swatch} {escape(str(value))}</td>"
    align = "right" if isinstance(value, int) else "left"
    return f"<td style='text-align:{align}'>{escape(str(value))}</td>"
