"""A summary of a map for its author, with warnings about probable mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import dist, hypot
from operator import itemgetter
from statistics import covariance, median

from ttr_analysis._words import counted, listed
from ttr_analysis.maps.model import GameMap

_NEAR = 0.5
"""Board units; the dots of cities this close overlap."""
_CRAMPED = 0.4
"""Minimum space, relative to most tracks; with less, the spaces of a track do not fit between its cities."""


def offers(game_map: GameMap) -> list[str]:
    r"""
    Return the contents of a map, one per line.

    Examples
    --------
    >>> from ttr_analysis.maps.loading import load_map
    >>> print(*offers(load_map("nordic")), sep="\n")
    2-3 players with 40 trains each
    39 cities, 81 tracks of 1 to 9 spaces, 28 of them beside another
    10 tunnels, 24 ferries
    46 tickets of 3 to 24 points
    variants: resets
    """
    rules, routes = game_map.rules, game_map.routes
    low, high = rules.players
    lengths, doubles = [route.length for route in routes], sum(game_map.twin(route) is not None for route in routes)
    points = [points for ticket in game_map.tickets for _, points in ticket.destinations]
    countries = sum(len(place.cities) > 1 for place in game_map.places)
    cities, tracks = counted(len(game_map.cities), "city", "cities"), counted(len(routes), "track")
    lines = [
        f"{low}-{high} players with {rules.trains.per_player} trains each",
        f"{cities}, {tracks} of {min(lengths)} to {max(lengths)} spaces, {doubles} of them beside another",
    ]
    kinds = {
        "tunnel": sum(route.tunnel for route in routes),
        "ferry": sum(route.locomotives > 0 for route in routes),
        "track with a toll": sum(route.toll > 0 for route in routes),
        "country": countries,
    }
    plurals = {"ferry": "ferries", "track with a toll": "tracks with a toll", "country": "countries"}
    special = [counted(n, kind, plurals.get(kind, "")) for kind, n in kinds.items() if n]
    lines += [", ".join(special)] if special else []
    lines.append(f"{counted(len(game_map.tickets), 'ticket')} of {min(points)} to {max(points)} points")
    lines += [f"variants: {listed(variant.variant for variant in rules.variants)}"] if rules.variants else []
    return lines


def doubts(game_map: GameMap) -> Iterator[str]:
    """Yield warnings about probable mistakes."""
    yield from _doubts_of_the_picture(game_map)
    seen: dict[frozenset[str], str] = {}
    for ticket in game_map.tickets:
        if len(ticket.destinations) == 1:  # tickets to several countries are supposed to be alike
            ends = frozenset({ticket.origin.name, ticket.destinations[0][0].name})
            if ends in seen:
                yield f"the tickets {seen[ends]} and {ticket.id} connect the same places"
            seen[ends] = ticket.id
    yield from _doubts_of_the_trains(game_map)


def _doubts_of_the_picture(game_map: GameMap) -> Iterator[str]:
    cities = game_map.cities
    if covariance([city.lat for city in cities], [city.y for city in cities]) < 0:
        yield "the map looks upside down: y grows upwards, as latitude does"
    for one, other in combinations(cities, 2):
        if hypot(one.x - other.x, one.y - other.y) < _NEAR:
            yield f"{one.name} and {other.name} are at the same position"
    at = {city.name: (city.x, city.y) for city in cities}
    room = {route.id: dist(at[route.cities[0]], at[route.cities[1]]) / route.length for route in game_map.routes}
    usual = median(room.values())
    cramped = [route for route, space in sorted(room.items(), key=itemgetter(1)) if space < _CRAMPED * usual]
    if cramped:
        others = f" and {counted(len(cramped) - 1, 'other')}" if len(cramped) > 1 else ""
        yield f"{cramped[0]}{others} have little room for their spaces: scripts/tune_positions.py finds positions"


def _doubts_of_the_trains(game_map: GameMap) -> Iterator[str]:
    """Yield tracks and tickets that take more trains than a player has, in any variant."""
    import networkx as nx

    trains = min(rules.trains.per_player for rules in (game_map.rules, *game_map.rules.variants))
    for route in game_map.routes:
        if route.length > trains:
            yield f"{route.id} has {route.length} spaces, and a player only {trains} trains"
    for ticket in game_map.tickets:
        distance = nx.multi_source_dijkstra_path_length(game_map.simple_graph, {*ticket.origin.cities}, weight="length")
        needed = min(distance[city] for place, _ in ticket.destinations for city in place.cities)
        if needed > trains:
            yield f"the ticket {ticket.id} takes {needed} trains, and a player has only {trains}"
