"""Bottlenecks: routes whose loss costs most, and where the map is thin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx

from ttr_analysis.analysis import structure
from ttr_analysis.maps.model import Ticket
from ttr_analysis.report.columns import make_table
from ttr_analysis.report.document import Block, Section, count, name, several
from ttr_analysis.report.workbench import Workbench, names, route_name, ticket_name

_FEW = 6
"""So many names are said; more are counted."""


def section(bench: Workbench) -> Section:
    """Return the section on bottlenecks."""
    cuts = _ticket_cuts(bench)
    bridges = _bridges(bench)
    cut_cities = _cut_cities(bench)
    lead = f"{_thin(bridges, cut_cities)} {_weakest(cuts)}"
    blocks: list[Block] = []
    if bridges:
        blocks.append(make_table("bridges", "Bridges: the only way between two parts", bridges))
    if cut_cities:
        blocks.append(make_table("cut_cities", "Cut cities", cut_cities))
    blocks.append(make_table("ticket_cuts", "How few lost routes make a ticket impossible", cuts, n_shown=12))
    return Section("bottlenecks", "Bottlenecks", lead, tuple(blocks))


# -- where the map is thin ----------------------------------------------------------


def _thin(bridges: list[dict[str, Any]], cut_cities: list[dict[str, Any]]) -> str:
    if not bridges and not cut_cities:
        return "No single route and no single city cuts the map in two: 0 bridges, 0 cut cities."
    parts = [
        *([f"{count(len(bridges), 'bridge')} ({several(row['route'] for row in bridges[:3])})"] if bridges else []),
        *(
            [f"{count(len(cut_cities), 'city', 'cities')} ({several(row['city'] for row in cut_cities[:3])})"]
            if cut_cities
            else []
        ),
    ]
    return f"The map falls apart without any of {several(parts)}."


def _weakest(cuts: list[dict[str, Any]]) -> str:
    if not cuts:
        return ""
    fewest = cuts[0]["tracks"]
    n_weakest = sum(row["tracks"] == fewest for row in cuts)
    most = cuts[-1]["tracks"]
    if fewest == most:
        return f"Every ticket is lost with {count(fewest, 'route')}."
    return (
        f"To make a ticket impossible takes from {count(fewest, 'lost route')} "
        f"({count(n_weakest, 'ticket')}, such as {cuts[0]['ticket']}) to {most} ({cuts[-1]['ticket']})."
    )


def _ticket_cuts(bench: Workbench) -> list[dict[str, Any]]:
    """Return for each ticket the fewest routes without which it cannot be completed."""
    rows: list[dict[str, Any]] = []
    for ticket in bench.game_map.tickets:
        by_tracks = structure.minimum_cut(bench.game_map, ticket)
        by_pairs = structure.minimum_cut(bench.game_map, ticket, by="pairs")
        rows.append(
            {
                "ticket": ticket_name(ticket),
                "points": ticket.points,
                "tracks": by_tracks.size,
                "pairs": by_pairs.size,
                "cut": several(dict.fromkeys(route_name(route) for route in by_tracks.routes)),
            }
        )
    rows.sort(key=lambda row: (row["tracks"], row["pairs"], -row["points"]))
    return rows


def _bridges(bench: Workbench) -> list[dict[str, Any]]:
    game_map = bench.game_map
    G = _simple_graph(bench)
    rows: list[dict[str, Any]] = []
    for ends in dict.fromkeys(frozenset(r.cities) for r in structure.bridges(game_map, by="pairs", borders=False)):
        a, b = sorted(ends)
        parts = list(nx.connected_components(nx.restricted_view(G, [], [(a, b)])))
        cut_off = _smaller(parts, game_map.border_points)
        rows.append(
            {
                "route": route_name(game_map.routes_between(a, b)[0]),
                "n_tracks": len(game_map.routes_between(a, b)),
                "n_cut_off": len(cut_off),
                "cut_off": _some(cut_off),
                "n_tickets": sum(not _is_possible(ticket, parts) for ticket in game_map.tickets),
            }
        )
    rows.sort(key=lambda row: (-row["n_cut_off"], row["route"]))
    return rows


def _cut_cities(bench: Workbench) -> list[dict[str, Any]]:
    game_map = bench.game_map
    G = _simple_graph(bench)
    rows: list[dict[str, Any]] = []
    for city in structure.cut_cities(game_map):
        parts = list(nx.connected_components(nx.restricted_view(G, [city], [])))
        cut_off = _smaller(parts, game_map.border_points)
        rows.append(
            {
                "city": name(city),
                "n_cut_off": len(cut_off),
                "cut_off": _some(cut_off),
                "n_tickets": sum(not _is_possible(ticket, parts) for ticket in game_map.tickets),
            }
        )
    rows.sort(key=lambda row: (-row["n_cut_off"], row["city"]))
    return rows


def _simple_graph(bench: Workbench) -> nx.Graph[str]:
    return nx.Graph(route.cities for route in bench.game_map.routes)


def _smaller(parts: list[set[str]], borders: Iterable[str]) -> list[str]:
    """Return the cities outside the largest part, border points left out."""
    largest = max(parts, key=lambda part: (len(part), sorted(part)))
    return sorted(set().union(*parts) - largest - set(borders))


def _is_possible(ticket: Ticket, parts: list[set[str]]) -> bool:
    """Return whether one part of the map touches the origin and a destination."""
    ends = [set(place.cities) for place, _ in ticket.destinations]
    return any(part & set(ticket.origin.cities) and any(part & end for end in ends) for part in parts)


def _some(cities: list[str]) -> str:
    return (
        names(cities) if len(cities) <= _FEW else f"{names(cities[: _FEW - 1], ',')} and {len(cities) - _FEW + 1} more"
    )
