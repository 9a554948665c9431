"""Bottlenecks: routes whose loss costs most, and where the map is thin."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import networkx as nx

from ttr_analysis.analysis import structure
from ttr_analysis.maps.model import Ticket
from ttr_analysis.report.context import Context, names, route_name, ticket_name
from ttr_analysis.report.document import Block, Picture, Section, count, measured, name, number, several
from ttr_analysis.report.files import drop_empty, make_table, records
from ttr_analysis.report.pictures import board
from ttr_analysis.viz.board import plot_map

if TYPE_CHECKING:
    import pandas as pd

_FEW = 6
"""So many names are said; more are counted."""


def section(context: Context) -> Section:
    """Return the section on bottlenecks."""
    losses = _losses(context, context.losses)
    cuts = _ticket_cuts(context)
    bridges = _bridges(context)
    cut_cities = _cut_cities(context)
    lead = f"{_dearest(context, losses)} {_thin(bridges, cut_cities)} {_weakest(cuts)}"
    note = f"{number(context.n_losses_deals)} random {context.deals}, all of whose tickets are to be completed."
    shown = drop_empty([{key: row[key] for key in row if key != "id"} for row in losses], *_RARE)
    blocks: list[Block] = [
        _board(context, losses),
        make_table("blocking", "What the loss of a route costs", shown, n_shown=15, note=note),
    ]
    if bridges:
        blocks.append(make_table("bridges", "Bridges: the only way between two parts", bridges))
    if cut_cities:
        blocks.append(make_table("cut_cities", "Cut cities", cut_cities))
    blocks.append(make_table("ticket_cuts", "How few lost routes make a ticket impossible", cuts, n_shown=12))
    return Section("bottlenecks", "Bottlenecks", lead, tuple(blocks))


# -- the loss of a route ------------------------------------------------------------

_BOTH = "both tracks"
_RARE = ("deals_lost", "tickets_lost")


def _losses(context: Context, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each loss of a track, or of both tracks, the dearest first."""
    game_map = context.game_map
    routes = {route.id: route for route in game_map.routes}
    named = {ticket.id: ticket_name(ticket) for ticket in game_map.tickets}
    rows = []
    for row in records(table):
        route = routes[row["route"]]
        both = row["lost"] == "both"
        rows.append(
            {
                **{key: row[key] for key in row if key in _SHOWN},
                "id": route.id,
                "route": route_name(route),
                "lost": _BOTH if both else "one track" if game_map.twin(route) else "route",
                "color": None if both else route.color,
                "worst_ticket": named.get(row["worst_ticket"]),
            }
        )
    return rows


_SHOWN = {
    "length",
    "n_tickets",
    "ticket_worst",
    "tickets_lost",
    "deal_mean",
    "deal_se",
    "deal_worst",
    "deals_lost",
}


def _worst(context: Context, losses: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the dearest loss of those that one claim brings about, with as many players as play the games."""
    game_map = context.game_map
    opposite = _BOTH if game_map.rules.both_tracks_open(context.n_players) else "one track"
    return max(
        (row for row in losses if row["lost"] != opposite),
        key=lambda row: _or_zero(row["deal_mean"]),
    )


def _dearest(context: Context, losses: list[dict[str, Any]]) -> str:
    first = _worst(context, losses)
    harmless = sum(_or_zero(row["deal_mean"]) == 0 and row["deals_lost"] == 0 for row in losses)
    lost = f" ({first['lost']})" if first["lost"] == _BOTH else ""
    words = (
        f"The loss of {first['route']}{lost} costs most: {measured(first['deal_mean'], 'train', 2)} more for the "
        f"tickets of an opening deal on average, {number(first['deal_worst'])} at worst."
    )
    return (
        f"{words} {count(harmless, 'loss', 'losses')} of {len(losses)} cost nothing in any deal." if harmless else words
    )


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _board(context: Context, losses: list[dict[str, Any]]) -> Picture:
    """Return the board colored by what the loss of a route costs."""
    game_map = context.game_map
    dearest = {row["id"]: _or_zero(row["deal_mean"]) for row in losses if row["lost"] != _BOTH}
    # Where a claim closes the other track, it is the loss of both that counts.
    closes = not game_map.rules.both_tracks_open(context.n_players)
    for row in losses:
        if closes and row["lost"] == _BOTH:
            tracks = game_map.routes_between(*game_map.route(row["id"]).cities)
            dearest |= {track.id: _or_zero(row["deal_mean"]) for track in tracks}
    doubled = any(row["lost"] == _BOTH for row in losses)
    twins = f"; of a double route, {'both tracks' if closes else 'one track'}" if doubled else ""
    top = _worst(context, losses)
    highest = f"{top['route']} with {measured(top['deal_mean'], 'train', 2)}"
    caption = f"How many trains more an opening deal takes on average when the route is lost{twins}."
    return board(
        lambda ax: plot_map(game_map, ax, values=dearest, value_label="extra trains", title=""),
        game_map,
        f"The board colored by the price of a loss; highest at {highest}.",
        caption,
        extra_width=1.0,
    )


# -- where the map is thin ----------------------------------------------------------


def _thin(bridges: list[dict[str, Any]], cut_cities: list[dict[str, Any]]) -> str:
    if not bridges and not cut_cities:
        return "No single route or city cuts the map in two."
    bridge = several((row["route"] for row in bridges[:3]), "or")
    city = several((row["city"] for row in cut_cities[:3]), "or")
    parts = [words for words, there in ((f"the routes {bridge}", bridges), (f"the city {city}", cut_cities)) if there]
    return f"The map falls apart without {several(parts, 'or')}."


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


def _ticket_cuts(context: Context) -> list[dict[str, Any]]:
    """Return for each ticket the fewest routes without which it cannot be completed."""
    rows: list[dict[str, Any]] = []
    for ticket in context.game_map.tickets:
        by_tracks = structure.minimum_cut(context.game_map, ticket)
        by_pairs = structure.minimum_cut(context.game_map, ticket, by="pairs")
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


def _bridges(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    G = _simple_graph(context)
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


def _cut_cities(context: Context) -> list[dict[str, Any]]:
    game_map = context.game_map
    G = _simple_graph(context)
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


def _simple_graph(context: Context) -> nx.Graph[str]:
    return nx.Graph(route.cities for route in context.game_map.routes)


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
