"""The board, its structure, and the routes whose loss costs most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx

from ttr_analysis._words import counted, listed, number, percent
from ttr_analysis.analysis import structure
from ttr_analysis.cards import GRAY, ROUTE_COLORS
from ttr_analysis.maps.model import GameMap, Ticket
from ttr_analysis.report import page
from ttr_analysis.report.context import Context, route_name, ticket_name
from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.svg import map_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


def board_section(context: Context) -> page.Section:
    """Return the section on the board, as a player sees it before the first card."""
    routes = context.game_map.routes
    spaces = sum(route.length for route in routes)
    trains = context.game_map.rules.trains.per_player
    most = max(route.points for route in routes)
    best = [route for route in routes if route.points == most]
    which = (
        f"most valuable route, {route_name(best[0])}, scores"
        if len(best) == 1
        else f"{len(best)} most valuable routes each score"
    )
    by_color = _by_color(context)
    lead = (
        f"The board has {counted(len(routes), 'route')} with {number(spaces)} car spaces; one player's {trains} trains "
        f"fill {percent(min(trains / spaces, 1.0))} of them. "
        f"The {which} {counted(most, 'point')} for {counted(best[0].length, 'train')}."
    )
    colored = {row["color"]: row["spaces"] for row in by_color if row["color"] != GRAY}
    if len(set(colored.values())) > 1:
        most, least = max(colored.values()), min(colored.values())
        with_most = [color for color, n in colored.items() if n == most]
        with_least = listed(color for color, n in colored.items() if n == least)
        most_spaces = f"{'has' if len(with_most) == 1 else 'have'} the most spaces ({most})"
        lead += f" Among the colors, {listed(with_most)} {most_spaces}, {with_least} the fewest ({least})."
    return page.Section(
        id="board",
        title="The board",
        lead=lead,
        blocks=(
            page.make_table("routes_by_length", "Routes by length", _by_length(context)),
            page.make_table("routes_by_color", "Routes by color", by_color),
        ),
    )


def _by_length(context: Context) -> pd.DataFrame:
    routes = context.game_map.tables.routes
    groups = routes.assign(ferry=routes["kind"] == "ferry").groupby("length")
    table = groups.agg(n_routes=("id", "size"), n_ferries=("ferry", "sum"), n_tunnels=("tunnel", "sum")).reset_index()
    table["spaces"] = table["length"] * table["n_routes"]
    table["points"] = table["length"].map(context.game_map.rules.points_for)
    table["points_per_train"] = table["points"] / table["length"]
    return table


def _by_color(context: Context) -> list[dict[str, Any]]:
    groups = context.game_map.tables.routes.groupby("color")
    table = groups.agg(n_routes=("id", "size"), spaces=("length", "sum"), symbols=("locomotives", "sum"))
    table["share"] = table["spaces"] / table["spaces"].sum()
    table["longest"] = groups["length"].max()
    table = table.reindex([color for color in ROUTE_COLORS if color in table.index]).reset_index()
    return sorted(page.records(table), key=lambda row: (-row["spaces"], -row["n_routes"]))


def head(context: Context) -> tuple[page.Figures, page.Drawing]:
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
    caption = f"The board. Every color also has a symbol{legend}. Point at a route to see what it is."
    figures = page.Figures(tuple((value, what) for value, what in items if value != "0"))
    return figures, page.Drawing(map_svg(game_map), caption)


# -- its structure -----------------------------------------------------------------------------------------------------


_FEW_CENTERS = 3
"""Maximum number of cities in the middle to name."""


def structure_section(context: Context) -> page.Section:
    """Return the section on the structure of the map."""
    game_map = context.game_map
    numbers = {str(key): value for key, value in structure.summary(game_map, borders=False).items()}
    cities = _cities(context)
    routes = _routes(context)
    busiest = cities[0]
    center = numbers["center_length"]
    lead = (
        f"{_some(center, _FEW_CENTERS)} {'is' if len(center) == 1 else 'are'} in the middle: no city is more than "
        f"{numbers['radius_length']:g} trains away, while the two most distant cities are "
        f"{numbers['diameter_length']:g} trains apart. More shortest paths ({percent(busiest['betweenness_length'])}) "
        f"pass through {busiest['city']} than through any other city."
    )
    figures = page.Figures(
        (
            (f"{numbers['mean_distance_length']:.1f}", "trains between two cities, on average"),
            (f"{numbers['radius_length']:g} / {numbers['diameter_length']:g}", "radius and diameter in trains"),
            (f"{numbers['radius_hops']:g} / {numbers['diameter_hops']:g}", "radius and diameter in routes"),
            (f"{numbers['mean_tracks']:.2f}", "routes per city, on average"),
            (f"{numbers['cyclomatic_pairs']}", "independent loops"),
            (f"{numbers['spanning_tree_length']}", "trains of the minimum spanning tree"),
        )
    )
    borders = " Border points are left out; routes to them count in the second table." if game_map.border_points else ""
    blocks = (
        figures,
        page.make_table(
            "cities", "Cities, by the shortest paths through them", cities, n_shown=12, note=borders.strip()
        ),
        page.make_table("routes", "Routes, by the shortest paths over them", routes, n_shown=12),
    )
    return page.Section("structure", "Structure", lead, blocks)


def _some(cities: Sequence[str], most: int) -> str:
    """Return names of cities as a list; those beyond the first `most` are counted."""
    rest = len(cities) - most
    return listed([*map(page.name, cities[:most]), *([f"{rest} more"] if rest > 0 else [])])


def _cities(context: Context) -> list[dict[str, Any]]:
    table = structure.city_table(context.game_map, borders=False)
    n_tickets = context.game_map.tables.cities.set_index("name")["n_tickets"]
    table = table.assign(
        city=table.index.map(page.name),
        country=table["country"].map(lambda country: page.name(country) if country else ""),
        mean_distance=1 / table["closeness_length"].where(table["closeness_length"] > 0),
        n_tickets=n_tickets.reindex(table.index),
    )
    table = table.sort_values("betweenness_length", ascending=False, kind="stable")
    return page.records(table)


def _routes(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    table = structure.route_table(game_map).loc[[route.id for route in game_map.routes]]
    rows = [
        {**row, "route": route_name(route), **page.facts(route, "track", "color", "length", "kind", "points", "toll")}
        for route, row in zip(game_map.routes, page.records(table), strict=True)
    ]
    return sorted(rows, key=lambda row: (-row["betweenness_length"], row["route"], row["track"]))


# -- bottlenecks -------------------------------------------------------------------------------------------------------


_FEW = 6
"""Maximum number of cities cut off to name."""


def bottleneck_section(context: Context) -> page.Section:
    """Return the section on bottlenecks."""
    losses = _losses(context, context.losses)
    cuts = _ticket_cuts(context)
    bridges = _bridges(context)
    cut_cities = _cut_cities(context)
    lead = f"{_costliest(context, losses)} {_thin(bridges, cut_cities)} {_weakest(cuts)}"
    note = (
        f"For {number(context.n_loss_deals)} random {context.deals} with {context.n_players} players, assuming that "
        "all their tickets must be completed."
    )
    blocks: list[page.Block] = [
        _loss_board(context, losses),
        page.make_table("blocking", "What losing a route costs", losses, n_shown=15, note=note),
    ]
    if bridges:
        blocks.append(page.make_table("bridges", "Bridges: the only connection between two parts", bridges))
    if cut_cities:
        blocks.append(page.make_table("cut_cities", "Cut cities", cut_cities))
    blocks.append(page.make_table("ticket_cuts", "How many lost routes make a ticket impossible", cuts, n_shown=12))
    return page.Section("bottlenecks", "Bottlenecks", lead, tuple(blocks))


# -- the loss of a route ------------------------------------------------------------

_BOTH = "both tracks"


def _losses(context: Context, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each loss that one claim can cause, most costly first; a claim may close both tracks."""
    game_map = context.game_map
    opposite = "track" if not game_map.rules.both_tracks_open(context.n_players) else "both"
    named = {ticket.id: ticket_name(ticket) for ticket in game_map.tickets}
    rows = []
    for row in page.records(table):
        route = game_map.route(row["route"])
        if row["lost"] == opposite and game_map.twin(route):
            continue
        both = row["lost"] == "both"
        rows.append(
            {
                **row,
                "id": route.id,
                "route": route_name(route),
                "lost": _BOTH if both else "one track" if game_map.twin(route) else "route",
                "color": None if both else route.color,
                "worst_ticket": named.get(row["worst_ticket"]),
            }
        )
    return rows


def _costliest(context: Context, losses: list[dict[str, Any]]) -> str:
    first = _worst(losses)
    harmless = sum(_or_zero(row["deal_mean"]) == 0 and row["deals_lost"] == 0 for row in losses)
    lost = f" ({first['lost']})" if first["lost"] == _BOTH else ""
    words = (
        f"Losing {first['route']}{lost} costs the most: with {context.n_players} players, the tickets of an opening "
        f"deal then take {counted(number(first['deal_mean'], 2), 'extra train')} on average, and "
        f"{number(first['deal_worst'])} at worst."
    )
    if not harmless:
        return words
    return f"{words} Of {len(losses)} possible losses, {harmless} cost nothing in these deals."


def _worst(losses: list[dict[str, Any]]) -> dict[str, Any]:
    return max(losses, key=lambda row: _or_zero(row["deal_mean"]))


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _loss_board(context: Context, losses: list[dict[str, Any]]) -> page.Picture:
    """Return the board colored by the cost of losing each route."""
    game_map = context.game_map
    costs: dict[str, float] = {}
    for row in losses:
        tracks = game_map.routes_between(*game_map.route(row["id"]).cities) if row["lost"] == _BOTH else ()
        costs |= dict.fromkeys([row["id"], *(track.id for track in tracks)], _or_zero(row["deal_mean"]))
    doubled = next((row["lost"] for row in losses if row["lost"] != "route"), "")
    twins = f"; for a double route, {doubled}" if doubled else ""
    top = _worst(losses)
    highest = f"{top['route']} with {counted(number(top['deal_mean'], 2), 'train')}"
    caption = f"How many more trains an opening deal takes on average when the route is lost{twins}."
    return page.board(
        lambda ax: plot_map(game_map, ax, values=costs, value_label="extra trains", title=""),
        game_map,
        f"The board colored by the cost of losing each route; highest at {highest}.",
        caption,
        extra_width=1.0,
    )


# -- where the map is thin ----------------------------------------------------------


def _thin(bridges: list[dict[str, Any]], cut_cities: list[dict[str, Any]]) -> str:
    if not bridges and not cut_cities:
        return "No single route or city cuts the map in two."
    bridge = listed((row["route"] for row in bridges[:3]), "or")
    city = listed((row["city"] for row in cut_cities[:3]), "or")
    parts = ((f"the {bridge} connection", bridges), (f"the city of {city}", cut_cities))
    return f"Losing {listed([words for words, there in parts if there], 'or')} splits the map."


def _weakest(cuts: list[dict[str, Any]]) -> str:
    if not cuts:
        return ""
    fewest = cuts[0]["tracks"]
    n_weakest = sum(row["tracks"] == fewest for row in cuts)
    most = cuts[-1]["tracks"]
    if fewest == most:
        return f"Every ticket can become impossible with the loss of {counted(fewest, 'route')}."
    return (
        f"The loss of {counted(fewest, 'route')} is enough to make the weakest tickets impossible "
        f"({n_weakest}, such as {cuts[0]['ticket']}); the strongest takes {most} ({cuts[-1]['ticket']})."
    )


def _ticket_cuts(context: Context) -> list[dict[str, Any]]:
    """Return for each ticket the fewest routes whose loss makes it impossible."""
    rows: list[dict[str, Any]] = []
    for ticket in context.game_map.tickets:
        by_tracks = structure.minimum_cut(context.game_map, ticket)
        pairs = structure.minimum_cut(context.game_map, ticket, by="pairs").size
        cut = listed(dict.fromkeys(map(route_name, by_tracks.routes)))
        row = {"ticket": ticket_name(ticket), "points": ticket.points, "tracks": by_tracks.size, "pairs": pairs}
        rows.append({**row, "cut": cut})
    return sorted(rows, key=lambda row: (row["tracks"], row["pairs"], -row["points"]))


def _bridges(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    G = nx.Graph(route.cities for route in game_map.routes)
    rows: list[dict[str, Any]] = []
    for ends in dict.fromkeys(frozenset(r.cities) for r in structure.bridges(game_map, by="pairs", borders=False)):
        tracks = game_map.routes_between(*sorted(ends))
        row = {"route": route_name(tracks[0]), "n_tracks": len(tracks)}
        rows.append(row | _cut_off(game_map, nx.restricted_view(G, [], [tuple(ends)])))
    return sorted(rows, key=lambda row: (-row["n_cut_off"], row["route"]))


def _cut_cities(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    G = nx.Graph(route.cities for route in game_map.routes)
    cities = structure.cut_cities(game_map, borders=False)
    rows = [{"city": page.name(city), **_cut_off(game_map, nx.restricted_view(G, [city], []))} for city in cities]
    return sorted(rows, key=lambda row: (-row["n_cut_off"], row["city"]))


def _cut_off(game_map: GameMap, G: nx.Graph[str]) -> dict[str, Any]:
    """Return the cities outside the largest part of a map, apart from border points, and the tickets lost."""
    parts = list(nx.connected_components(G))
    largest = max(parts, key=lambda part: (len(part), sorted(part)))
    cities = sorted(set(G) - largest - set(game_map.border_points))
    n_tickets = sum(not _is_possible(ticket, parts) for ticket in game_map.tickets)
    return {"n_cut_off": len(cities), "cut_off": _some(cities, _FEW), "n_tickets": n_tickets}


def _is_possible(ticket: Ticket, parts: list[set[str]]) -> bool:
    """Return whether one part of the map contains the origin and a destination."""
    ends = [set(place.cities) for place, _ in ticket.destinations]
    return any(part & set(ticket.origin.cities) and any(part & end for end in ends) for part in parts)
