"""The measures of a graph from their definitions, by listing paths and subsets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from itertools import combinations

from tests.oracles.paths import all_simple_tracks, cities_on, is_joined
from ttr_analysis.maps.model import GameMap, Route


def names(game_map: GameMap) -> list[str]:
    return [city.name for city in game_map.cities]


def size(way: Iterable[Route], weight: str) -> int:
    return sum(route.length if weight == "length" else 1 for route in way)


def shortest_ways(game_map: GameMap, a: str, b: str, weight: str) -> list[tuple[Route, ...]]:
    """Oracle: all shortest ways by tracks."""
    ways = list(all_simple_tracks(game_map, a, b))
    least = min(size(way, weight) for way in ways)
    return [way for way in ways if size(way, weight) == least]


def distance(game_map: GameMap, a: str, b: str, weight: str, without: Collection[Route] = ()) -> float:
    """Oracle: the length of a shortest way, infinite if there is none."""
    return min((size(way, weight) for way in all_simple_tracks(game_map, a, b, without)), default=float("inf"))


def betweenness(game_map: GameMap, city: str, weight: str) -> Fraction:
    """Oracle: mean share of the shortest ways, told apart by cities only, that pass through a city."""
    others = [name for name in names(game_map) if name != city]
    shares = []
    for a, b in combinations(others, 2):
        ways = {cities_on(way, a) for way in shortest_ways(game_map, a, b, weight)}
        shares.append(Fraction(sum(city in way for way in ways), len(ways)))
    return sum(shares, Fraction(0)) / max(1, len(shares))


def route_betweenness(game_map: GameMap, route: Route, weight: str) -> Fraction:
    """
    Oracle: mean share of the shortest ways that use a track.

    Each way by cities weighs the same; tracks that are equally good between
    two cities share its use.
    """
    shares = []
    for a, b in combinations(names(game_map), 2):
        by_cities: dict[tuple[str, ...], list[tuple[Route, ...]]] = {}
        for way in shortest_ways(game_map, a, b, weight):
            by_cities.setdefault(cities_on(way, a), []).append(way)
        used = [Fraction(sum(route in way for way in ways), len(ways)) for ways in by_cities.values()]
        shares.append(sum(used, Fraction(0)) / len(by_cities))
    return sum(shares, Fraction(0)) / len(shares)


def smallest_cuts(
    game_map: GameMap, starts: Collection[str], goals: Collection[str], groups: Collection[tuple[Route, ...]]
) -> list[set[Route]]:
    """Oracle: the smallest sets of groups of routes that leave no start joined to any goal."""
    for n in range(len(groups) + 1):
        cuts = [{route for group in chosen for route in group} for chosen in combinations(groups, n)]
        cuts = [cut for cut in cuts if not any(is_joined(game_map, a, b, cut) for a in starts for b in goals)]
        if cuts:
            return cuts
    msg = "the two ends share a city"
    raise AssertionError(msg)


def eliminate_to_two(game_map: GameMap, a: str, b: str, *, inverse: bool) -> Fraction:
    """Oracle: effective resistance by taking away the other cities one by one (star to mesh), in exact fractions."""
    conductance: dict[frozenset[str], Fraction] = {}

    def join(x: str, y: str, c: Fraction) -> None:
        if x != y:
            conductance[frozenset((x, y))] = conductance.get(frozenset((x, y)), Fraction(0)) + c

    for route in game_map.routes:
        join(*route.cities, Fraction(1, route.length) if inverse else Fraction(route.length))
    for city in names(game_map):
        if city in (a, b):
            continue
        star = {next(iter(pair - {city})): conductance.pop(pair) for pair in list(conductance) if city in pair}
        total = sum(star.values(), Fraction(0))
        for (x, c), (y, d) in combinations(star.items(), 2):
            join(x, y, c * d / total)
    return 1 / conductance[frozenset((a, b))]


def spanning_trees(game_map: GameMap) -> list[tuple[Route, ...]]:
    """Oracle: every set of tracks, one fewer than cities, that joins all cities."""
    first, *others = names(game_map)
    return [
        tree
        for tree in combinations(game_map.routes, len(others))
        if all(is_joined(game_map, first, other, set(game_map.routes) - set(tree)) for other in others)
    ]
