"""The board: what lies on it."""

from __future__ import annotations

import pandas as pd

from ttr_analysis.cards import ROUTE_COLORS
from ttr_analysis.report.document import Column, Figures, Picture, Section, Table, count, number, percent
from ttr_analysis.report.pictures import board
from ttr_analysis.report.workbench import Workbench, route_name
from ttr_analysis.viz.board import plot_map

_BY_LENGTH = (
    Column("length", "Length", "Car spaces of a route (trains)."),
    Column("n_routes", "Routes", "Number of routes of that length; both tracks of a double route count."),
    Column("n_ferries", "Ferries", "Routes among them with locomotive symbols."),
    Column("n_tunnels", "Tunnels", "Routes among them that are tunnels."),
    Column("spaces", "Spaces", "Car spaces of these routes together.", bar=True),
    Column("points", "Points", "Points for claiming one of them."),
    Column("points_per_train", "Points per train", "Points divided by length.", digits=2, bar=True),
)
_BY_COLOR = (
    Column("color", "Color", "Color of the cards that a route wants; gray for any one color.", kind="color"),
    Column("n_routes", "Routes", "Number of routes of that color."),
    Column("spaces", "Spaces", "Car spaces of these routes, locomotive symbols included.", bar=True),
    Column("share", "Share", "Share of all car spaces of the board.", kind="percent", digits=1),
    Column("symbols", "Locomotive symbols", "Locomotive symbols among these spaces."),
    Column("longest", "Longest", "Length of the longest of them (trains)."),
)


def section(bench: Workbench) -> Section:
    """Return the section on the board: what a player sees before the first card."""
    game_map = bench.game_map
    routes = game_map.routes
    spaces = sum(route.length for route in routes)
    longest = max(routes, key=lambda route: (route.points, route.length))
    by_color = _by_color(bench)
    colored = by_color[by_color["color"] != "gray"]
    lead = (
        f"The board has {count(len(routes), 'route')} with {number(spaces)} car spaces; the {game_map.rules.trains.per_player} trains "
        f"of one player fill {percent(game_map.rules.trains.per_player / spaces)} of them. "
        f"The most points lie on {route_name(longest)}: {longest.points} for {count(longest.length, 'train')}."
    )
    if len(colored):
        most, least = colored.iloc[0], colored.iloc[-1]
        if most["spaces"] > least["spaces"]:
            lead += f" {str(most['color']).capitalize()} has most spaces of its own ({most['spaces']}), {least['color']} fewest ({least['spaces']})."
    return Section(
        id="board",
        title="The board",
        lead=lead,
        blocks=(
            Table("routes_by_length", "Routes by length", _by_length(bench), _BY_LENGTH),
            Table("routes_by_color", "Routes by color", by_color, _BY_COLOR),
        ),
    )


def _by_length(bench: Workbench) -> pd.DataFrame:
    rows = []
    for length in sorted({route.length for route in bench.game_map.routes}):
        routes = [route for route in bench.game_map.routes if route.length == length]
        points = bench.game_map.rules.points_for(length)
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
    return without_empty(pd.DataFrame(rows), "n_ferries", "n_tunnels")


def _by_color(bench: Workbench) -> pd.DataFrame:
    total = sum(route.length for route in bench.game_map.routes)
    rows = []
    for color in ROUTE_COLORS:
        routes = [route for route in bench.game_map.routes if route.color == color]
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
    frame = pd.DataFrame(rows).sort_values(["spaces", "n_routes"], ascending=False, kind="stable", ignore_index=True)
    return without_empty(frame, "symbols")


def without_empty(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a table without those of some columns that hold nothing but zeros: the map has no such thing."""
    return frame.drop(columns=[c for c in columns if c in frame and not frame[c].any()])


def head(bench: Workbench) -> tuple[Figures | Picture, ...]:
    """Return the picture of the board and its key figures."""
    game_map = bench.game_map
    routes = game_map.routes
    borders = len(game_map.border_points)
    n_tunnels = sum(route.tunnel for route in routes)
    n_ferries = sum(route.kind == "ferry" for route in routes)
    pairs = {frozenset(route.cities) for route in routes}
    low, high = game_map.rules.players
    items = [
        (f"{low}–{high}" if high > low else str(low), "players"),
        (str(game_map.rules.trains.per_player), "trains each"),
        (str(len(game_map.cities) - borders), "cities"),
        (str(borders), "border points"),
        (str(len(routes)), "routes"),
        (str(len(routes) - len(pairs)), "double routes"),
        (str(sum(route.length for route in routes)), "car spaces"),
        (str(n_tunnels), "tunnels"),
        (str(n_ferries), "ferries"),
        (str(len(game_map.tickets)), "tickets"),
        (str(sum(ticket.points for ticket in game_map.tickets)), "ticket points"),
    ]
    figures = Figures(tuple((value, what) for value, what in items if value != "0"))
    marks = [text for n, text in ((n_tunnels, "toothed edges are tunnels"), (n_ferries, "locomotive symbols mark ferries")) if n]
    alt = (
        f"Board of {game_map.title}: {count(len(game_map.cities), 'city', 'cities')} joined by {count(len(routes), 'route')}, "
        f"drawn as rows of car spaces in the colors of their cards."
    )
    caption = "The board. Every color has a symbol of its own" + "".join(f"; {mark}" for mark in marks) + "."
    picture = board(lambda ax: plot_map(game_map, ax, title=""), game_map, alt, caption, wide=True)
    return figures, picture
