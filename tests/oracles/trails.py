"""Longest trails found the slow and obvious way, and by an integer program."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cache

import networkx as nx
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ttr_analysis._compile import Flags
from ttr_analysis.maps.model import GameMap

Edge = tuple[int, int, int]
"""Two cities and the trains between them."""


def longest_trail_naive(edges: Sequence[tuple[Hashable, Hashable, int]]) -> int:
    """Oracle: walk on from every city in every way, no edge twice."""

    ways: dict[Hashable, list[tuple[int, Hashable, int]]] = {city: [] for a, b, _ in edges for city in (a, b)}
    for e, (a, b, length) in enumerate(edges):
        ways[a].append((1 << e, b, length))
        ways[b].append((1 << e, a, length))

    @cache
    def walk(city: Hashable, used: int) -> int:
        onward = (length + walk(end, used | edge) for edge, end, length in ways[city] if not used & edge)
        return max(onward, default=0)

    return max((walk(city, 0) for city in ways), default=0)


def longest_trail_milp(edges: Sequence[Edge]) -> int:
    """Oracle for many edges: at most two odd cities, and each solution in several parts is forbidden in turn."""
    n = len(edges)
    cities = sorted({city for a, b, _ in edges for city in (a, b)})
    n_variables = n + 2 * len(cities)  # edge used; half its degree and oddness of each city
    rows: list[np.ndarray] = []
    low: list[float] = []
    high: list[float] = []

    def constrain(row: np.ndarray, least: float, most: float) -> None:
        rows.append(row)
        low.append(least)
        high.append(most)

    odd = np.zeros(n_variables)
    odd[n + len(cities) :] = 1
    constrain(odd, 0, 2)
    for i, city in enumerate(cities):
        row = np.zeros(n_variables)
        row[[e for e, (a, b, _) in enumerate(edges) if city in (a, b)]] = 1
        row[n + i] = -2
        row[n + len(cities) + i] = -1
        constrain(row, 0, 0)
    lengths = np.concatenate([[length for _, _, length in edges], np.zeros(2 * len(cities))])
    upper = np.concatenate([np.ones(n), np.full(len(cities), n), np.ones(len(cities))])
    while True:
        solution = milp(
            -lengths,
            integrality=np.ones(n_variables, dtype=np.int64),
            bounds=Bounds(0, upper),
            constraints=LinearConstraint(np.array(rows), low, high),
        )
        assert solution.status == 0, solution.message
        used = [e for e in range(n) if solution.x[e] > 0.5]
        parts = list(nx.connected_components(nx.Graph(edges[e][:2] for e in used)))
        if len(parts) == 1:
            return round(float(lengths[used].sum()))
        for part in parts:
            # With an edge inside the part and one outside, some edge leaves it.
            leaving = [e for e, (a, b, _) in enumerate(edges) if (a in part) != (b in part)]
            inside = [e for e in used if edges[e][0] in part]
            outside = next(e for e in used if edges[e][0] not in part)
            for e in inside:
                row = np.zeros(n_variables)
                row[leaving] = -1
                row[[e, outside]] = 1
                constrain(row, -np.inf, 1)


def is_trail(edges: Iterable[Edge]) -> bool:
    """Oracle: whether the edges can be walked in one go, tried out edge by edge."""
    left = list(edges)

    def walk(city: int, rest: list[Edge]) -> bool:
        if not rest:
            return True
        return any(
            walk(b if city == a else a, rest[:i] + rest[i + 1 :]) for i, (a, b, _) in enumerate(rest) if city in (a, b)
        )

    return not left or any(walk(city, left) for a, b, _ in left for city in (a, b))


def grow_network(game_map: GameMap, trains: int, rng: np.random.Generator) -> Flags:
    """Return the routes of a player who builds on at random, never both tracks, until the trains are used up."""
    routes = game_map.routes
    chosen = {int(rng.integers(len(routes)))}
    while True:
        own = [routes[r] for r in chosen]
        cities = {city for route in own for city in route.cities}
        left = trains - sum(route.length for route in own)
        open_routes = [
            r
            for r, route in enumerate(routes)
            if r not in chosen
            and route.length <= left
            and cities & set(route.cities)
            and game_map.twin(route) not in own
        ]
        if not open_routes:
            flags = np.zeros(len(routes), dtype=np.int8)
            flags[list(chosen)] = 1
            return flags
        chosen.add(int(rng.choice(open_routes)))
