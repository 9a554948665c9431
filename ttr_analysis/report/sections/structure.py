"""The map as a graph: its center, its cities and its routes."""

from __future__ import annotations

from typing import Any

from ttr_analysis.analysis import structure
from ttr_analysis.report.context import Context, names, route_name
from ttr_analysis.report.document import Figures, Section, name, number, percent
from ttr_analysis.report.files import drop_empty, drop_equal, make_table, records

_FEW = 3
"""So many names are said; more are counted."""


def section(context: Context) -> Section:
    """Return the section on the structure of the map."""
    game_map = context.game_map
    numbers = {str(key): value for key, value in structure.summary(game_map).items()}
    cities = _cities(context)
    routes = _routes(context)
    busiest = cities[0]
    center = numbers["center_length"]
    lead = (
        f"{_some(center)} {'is' if len(center) == 1 else 'are'} in the middle: no city is more than "
        f"{numbers['radius_length']:g} trains away, while the farthest two lie {numbers['diameter_length']:g} apart. "
        f"Most shortest paths pass through {busiest['city']} ({percent(busiest['betweenness_length'])})."
    )
    figures = Figures(
        (
            (f"{numbers['mean_distance_length']:.1f}", "trains between two cities, on average"),
            (f"{numbers['radius_length']:g} / {numbers['diameter_length']:g}", "radius and diameter in trains"),
            (f"{numbers['radius_hops']:g} / {numbers['diameter_hops']:g}", "radius and diameter in routes"),
            (f"{numbers['mean_tracks']:.2f}", "routes at a city, on average"),
            (f"{numbers['cyclomatic_pairs']}", "independent loops"),
            (f"{numbers['spanning_tree_length']}", "trains of the minimum spanning tree"),
        )
    )
    borders = " Border points are left out; routes to them count in the second table." if game_map.border_points else ""
    blocks = (
        figures,
        make_table("cities", "Cities, by the shortest paths through them", cities, n_shown=12, note=borders.strip()),
        make_table("routes", "Routes, by the shortest paths over them", routes, n_shown=12),
    )
    return Section("structure", "Structure", lead, blocks)


def _some(cities: tuple[str, ...]) -> str:
    return (
        names(cities) if len(cities) <= _FEW else f"{names(cities[:_FEW], ',')} and {number(len(cities) - _FEW)} others"
    )


def _cities(context: Context) -> list[dict[str, Any]]:
    table = structure.city_table(context.game_map)
    n_tickets = context.game_map.tables.cities.set_index("name")["n_tickets"]
    rows = []
    for city, row in zip(table.index, records(table), strict=True):
        closeness = row["closeness_length"]
        rows.append(
            {
                "city": name(city),
                "country": name(row["country"]) if row["country"] else "",
                **{key: row[key] for key in row if key in _CITY_COLUMNS},
                "mean_distance": 1 / closeness if closeness else None,
                "n_tickets": int(n_tickets[city]),
            }
        )
    rows.sort(key=lambda row: -row["betweenness_length"])
    return drop_equal(rows, "country")


_CITY_COLUMNS = {
    "n_tracks",
    "n_neighbors",
    "betweenness_length",
    "betweenness_hops",
    "eccentricity_length",
    "eccentricity_hops",
    "mean_resistance",
}


def _routes(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    table = structure.route_table(game_map)
    found = {str(key): row for key, row in zip(table.index, records(table), strict=True)}
    rows = []
    for route in game_map.routes:
        row = found[route.id]
        rows.append(
            {
                "route": route_name(route),
                "track": route.track,
                "color": route.color,
                "length": route.length,
                "kind": route.kind,
                "points": route.points,
                "toll": route.toll,
                **{key: row[key] for key in ("betweenness_length", "detour", "pair_detour", "current_share")},
            }
        )
    rows.sort(key=lambda row: (-row["betweenness_length"], row["route"], row["track"]))
    return drop_equal(drop_empty(rows, "track", "toll"), "kind")
