"""The longest trail: named cases, a naive search, an integer program."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.trails import Edge, grow_network, is_trail, longest_trail_milp, longest_trail_naive
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.trails import MAX_FRONTIER, NOT_WALKED, longest_trail, walked_trail
from ttr_analysis.tables import map_tables


def solve(edges: Sequence[Edge]) -> tuple[int, list[Edge]]:
    """Return the length of the longest trail and its edges."""
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    length = np.array([edge[2] for edge in edges], dtype=np.int64)
    trail = np.full(len(edges), 9, dtype=np.int8)
    trains = longest_trail(ends, length, np.ones(len(edges), dtype=np.int8), trail)
    return int(trains), [edge for edge, on in zip(edges, trail, strict=True) if on == 1]


def edge_lists(max_cities: int, max_edges: int) -> st.SearchStrategy[list[Edge]]:
    """Any edges between different cities: parallel ones, several parts, cities left out."""
    city = st.integers(0, max_cities - 1)
    edge = st.tuples(city, city, st.integers(1, 6)).filter(lambda e: e[0] != e[1])
    return st.lists(edge, max_size=max_edges)


@settings(deadline=None)  # the first example compiles
@given(edge_lists(6, 9))
def test_equals_walking_in_every_way(edges: list[Edge]) -> None:
    trains, trail = solve(edges)
    assert trains == longest_trail_naive(edges)
    assert trains == sum(length for _, _, length in trail)
    assert is_trail(trail)


@settings(deadline=None)
@given(edge_lists(12, 11))
def test_equals_walking_in_every_way_on_sparse_networks(edges: list[Edge]) -> None:
    assert solve(edges)[0] == longest_trail_naive(edges)


SQUARE = [(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 0, 4)]


@pytest.mark.parametrize(
    ("edges", "trains"),
    [
        pytest.param([], 0, id="no routes"),
        pytest.param([(0, 1, 9)], 9, id="one route"),
        pytest.param([(0, 1, 2), (0, 1, 3)], 5, id="both tracks of a double route, there and back"),
        pytest.param(SQUARE, 10, id="a loop counts in full"),
        pytest.param([*SQUARE, (0, 4, 5)], 15, id="a loop with a tail"),
        pytest.param([(0, 1, 3), (0, 2, 4), (0, 3, 5)], 9, id="a star: the two longest rays"),
        pytest.param([(0, 1, 3), (5, 6, 4)], 4, id="two parts are never joined"),
        pytest.param([*SQUARE, (5, 6, 11)], 11, id="a long route beats a shorter loop elsewhere"),
        pytest.param(
            [(0, 1, 9), (1, 2, 9), (2, 0, 9), (0, 3, 1), (3, 4, 9), (4, 5, 9), (5, 3, 9)],
            55,
            id="a loop at each end of a bridge",
        ),
        pytest.param(
            # Without the bridge, two cities are odd and 41 trains are left, but in two parts.
            [(0, 1, 6), (1, 2, 6), (2, 0, 6), (0, 3, 1), (3, 4, 6), (4, 5, 6), (5, 3, 6), (1, 6, 5)],
            37,
            id="the cheapest route to leave out holds the trail together",
        ),
    ],
)
def test_named_cases(edges: list[Edge], trains: int) -> None:
    assert longest_trail_naive(edges) == trains
    assert solve(edges)[0] == trains


def test_routes_not_chosen_do_not_count() -> None:
    ends = np.array([[0, 1], [1, 2], [2, 3]])
    length = np.array([1, 2, 4])
    trail = np.zeros(3, dtype=np.int8)
    assert longest_trail(ends, length, np.array([1, 0, 1], dtype=np.int8), trail) == 4
    assert trail.tolist() == [0, 0, 1]


def test_equals_the_naive_search_on_networks_of_a_game(any_map: GameMap) -> None:
    tables = map_tables(any_map)
    rng = np.random.default_rng(1)
    trail = np.zeros(tables.length.size, dtype=np.int8)
    for _ in range(20):
        chosen = grow_network(tables, any_map.rules.trains.per_player, rng)
        trains = longest_trail(tables.ends, tables.length, chosen, trail)
        edges = [(int(a), int(b), int(n)) for (a, b), n in zip(tables.ends, tables.length, strict=True)]
        assert trains == longest_trail_naive([edge for edge, on in zip(edges, chosen, strict=True) if on])


def test_equals_the_naive_search_on_scattered_claims(any_map: GameMap) -> None:
    # Players in turn claim any open route: many parts, most of them small.
    tables = map_tables(any_map)
    rng = np.random.default_rng(2)
    n_walked = 0
    ends = np.ascontiguousarray(tables.ends.T)
    edges = [(int(a), int(b), int(n)) for (a, b), n in zip(tables.ends, tables.length, strict=True)]
    for _ in range(20):
        owner = np.full(tables.length.size, -1)
        for i, r in enumerate(rng.permutation(owner.size)[: owner.size // 3]):
            owner[r] = i % 2
        for seat in range(2):
            own = [edge for edge, whose in zip(edges, owner, strict=True) if whose == seat]
            trains = walked_trail(ends[0], ends[1], tables.length, owner, seat, len(any_map.cities))
            assert solve(own)[0] == longest_trail_naive(own)
            assert trains in (solve(own)[0], NOT_WALKED)
            n_walked += trains != NOT_WALKED
    assert n_walked > 30


@pytest.mark.parametrize("n_loops", range(6))
def test_equals_the_naive_search_whatever_the_number_of_loops(n_loops: int) -> None:
    # A tree, and routes that close loops: up to some number every way is walked, beyond it a program solves it.
    rng = np.random.default_rng(n_loops)
    for _ in range(20):
        tree = [(int(rng.integers(city)), city) for city in range(1, 9)]
        pairs = [tuple(rng.choice(9, 2, replace=False).tolist()) for _ in range(n_loops)]
        edges = [(a, b, int(rng.integers(1, 7))) for a, b in [*tree, *pairs]]
        trains, trail = solve(edges)
        assert trains == longest_trail_naive(edges) == sum(length for _, _, length in trail)
        assert is_trail(trail)


@pytest.mark.compiled_only
def test_equals_the_integer_program_on_whole_maps(any_map: GameMap) -> None:
    tables = map_tables(any_map)
    edges = [(int(a), int(b), int(n)) for (a, b), n in zip(tables.ends, tables.length, strict=True)]
    assert solve(edges)[0] == longest_trail_milp(edges)


@pytest.mark.compiled_only
@pytest.mark.parametrize("seed", range(2))
def test_equals_the_integer_program_on_large_sets_with_many_bridges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = []
    for i in range(5):
        a, b, c, d = range(4 * i, 4 * i + 4)
        edges += [(a, b), (b, c), (c, d), (d, a), (b, 40 + i), (c, 50 + i)]
        if i:
            edges.append((a, int(rng.integers(4 * i))))
    weighted = [(a, b, int(rng.integers(1, 7))) for a, b in edges]
    assert solve(weighted)[0] == longest_trail_milp(weighted)


def test_too_entangled_routes_are_refused() -> None:
    # Of a complete graph on 24 cities, all but one are on the frontier at once.
    edges = [(a, b, 1) for a, b in nx.complete_graph(MAX_FRONTIER + 4).edges]
    assert solve(edges)[0] == -1


@pytest.mark.compiled_only
def test_as_many_routes_as_a_map_may_have_are_not_too_many() -> None:
    # 64 cities with 4 routes each at random: far from any board, all cities even.
    graph = nx.random_regular_graph(4, 64, seed=1)
    edges = [(a, b, 1) for a, b in graph.edges]
    assert solve(edges)[0] == len(edges) == 128
