"""The board: what lies on it."""

from __future__ import annotations

from typing import Any

from ttr_analysis.cards import GRAY, ROUTE_COLORS
from ttr_analysis.report.context import Context, route_name
from ttr_analysis.report.document import Drawing, Figures, Section, count, number, percent, several
from ttr_analysis.report.files import drop_empty, make_table
from ttr_analysis.viz.html import map_svg


def section(context: Context) -> Section:
    """Return the section on the board: what a player sees before the first card."""
    routes = context.game_map.routes
    spaces = sum(route.length for route in routes)
    trains = context.game_map.rules.trains.per_player
    most = max(route.points for route in routes)
    dearest = [route for route in routes if route.points == most]
    where = route_name(dearest[0]) if len(dearest) == 1 else f"each of {len(dearest)} routes"
    by_color = _by_color(context)
    lead = (
        f"The board has {count(len(routes), 'route')} with {number(spaces)} car spaces; the {trains} trains "
        f"of one player fill {percent(min(trains / spaces, 1.0))} of them. "
        f"The most points lie on {where}: {most} for {count(dearest[0].length, 'train')}."
    )
    colored = {row["color"]: row["spaces"] for row in by_color if row["color"] != GRAY}
    if len(set(colored.values())) > 1:
        most, least = max(colored.values()), min(colored.values())
        with_most = several(color for color, n in colored.items() if n == most)
        with_least = several(color for color, n in colored.items() if n == least)
        lead += f" Of the colored ones most are {with_most} ({most}), fewest {with_least} ({least})."
    return Section(
        id="board",
        title="The board",
        lead=lead,
        blocks=(
            make_table("routes_by_length", "Routes by length", _by_length(context)),
            make_table("routes_by_color", "Routes by color", by_color),
        ),
    )


def _by_length(context: Context) -> list[dict[str, Any]]:
    rows = []
    for length in sorted({route.length for route in context.game_map.routes}):
        routes = [route for route in context.game_map.routes if route.length == length]
        points = context.game_map.rules.points_for(length)
        rows.append(
            {
                "length": length,
                "n_routes": len(routes),
                "n_ferries": sum(route.kind == "ferry" for route in routes),
                "n_tunnels": sum(route.tunnel for route in routes),
                "spaces": length * len(routes),
                "points": points,
                "points_per_train": points / length,
            }
        )
    return drop_empty(rows, "n_ferries", "n_tunnels")


def _by_color(context: Context) -> list[dict[str, Any]]:
    total = sum(route.length for route in context.game_map.routes)
    rows = []
    for color in ROUTE_COLORS:
        routes = [route for route in context.game_map.routes if route.color == color]
        if routes:
            spaces = sum(route.length for route in routes)
            rows.append(
                {
                    "color": color,
                    "n_routes": len(routes),
                    "spaces": spaces,
                    "share": spaces / total,
                    "symbols": sum(route.locomotives for route in routes),
                    "longest": max(route.length for route in routes),
                }
            )
    return drop_empty(sorted(rows, key=lambda row: (-row["spaces"], -row["n_routes"])), "symbols")


def head(context: Context) -> tuple[Figures, Drawing]:
    """Return the key figures and the picture of the board."""
    game_map = context.game_map
    routes = game_map.routes
    borders = len(game_map.border_points)
    n_tunnels = sum(route.tunnel for route in routes)
    n_ferries = sum(route.kind == "ferry" for route in routes)
    n_tolls = sum(route.toll > 0 for route in routes)
    low, high = game_map.rules.players
    items = [
        (f"{low}–{high}" if high > low else str(low), "players"),
        (str(game_map.rules.trains.per_player), "trains each"),
        (str(len(game_map.cities) - borders), "cities"),
        (str(borders), "border points"),
        (str(len(routes)), "routes"),
        (str(len(routes) - len({frozenset(route.cities) for route in routes})), "double routes"),
        (str(sum(route.length for route in routes)), "car spaces"),
        (str(n_tunnels), "tunnels"),
        (str(n_ferries), "ferries"),
        (str(len(game_map.tickets)), "tickets"),
        (str(sum(ticket.points for ticket in game_map.tickets)), "ticket points"),
    ]
    marks = [
        (n_tunnels, "toothed edges are tunnels"),
        (n_ferries, "locomotives mark ferries"),
        (n_tolls, "numbers are tolls"),
    ]
    legend = "".join(f"; {mark}" for n, mark in marks if n)
    caption = f"The board. Every color has a symbol of its own{legend}. Point at a route to read what it is."
    figures = Figures(tuple((value, what) for value, what in items if value != "0"))
    return figures, Drawing(map_svg(game_map), caption)
