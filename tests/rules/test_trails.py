"""The longest trail: named cases, a naive search, an integer program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.trails import Edge, grow_network, is_trail, longest_trail_milp, longest_trail_naive
from ttr_analysis._compile import Flags, Ints
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.trails import MAX_STEPS, NOT_WALKED, longest_trail, solved_trail, walked_trail
from ttr_analysis.tables import MapTables, map_tables


def solve(edges: Sequence[Edge], max_steps: int = MAX_STEPS) -> tuple[int, list[Edge]]:
    """Return the length of the longest trail and its edges, walked in so many steps or else solved."""
    ends, length, trail = arrays(edges)
    trains = longest_trail(ends, length, np.ones(len(edges), dtype=np.int8), trail, max_steps)
    return trains, [edge for edge, on in zip(edges, trail, strict=True) if on == 1]


def walk(edges: Sequence[Edge], max_steps: int = MAX_STEPS) -> int:
    """Return what walking alone finds."""
    ends, length, trail = arrays(edges)
    city_a, city_b = np.ascontiguousarray(ends.T)
    owner = np.zeros(len(edges), dtype=np.int64)
    return int(walked_trail(city_a, city_b, length, owner, 0, int(ends.max(initial=0)) + 1, max_steps, trail))


def arrays(edges: Sequence[Edge]) -> tuple[Ints, Ints, Flags]:
    """Return ends and lengths, and where a trail is to be marked."""
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    length = np.array([edge[2] for edge in edges], dtype=np.int64)
    return ends, length, np.full(len(edges), 9, dtype=np.int8)


def edges_of(tables: MapTables) -> list[Edge]:
    """Return all routes of a map."""
    return [(int(a), int(b), int(n)) for (a, b), n in zip(tables.ends, tables.length, strict=True)]


def edge_lists(max_cities: int, max_edges: int) -> st.SearchStrategy[list[Edge]]:
    """Any edges between different cities: parallel ones, several parts, cities left out."""
    city = st.integers(0, max_cities - 1)
    edge = st.tuples(city, city, st.integers(1, 6)).filter(lambda e: e[0] != e[1])
    return st.lists(edge, max_size=max_edges)


@given(edge_lists(6, 9))
def test_equals_walking_in_every_way(edges: list[Edge]) -> None:
    trains, trail = solve(edges)
    assert trains == longest_trail_naive(edges)
    assert trains == sum(length for _, _, length in trail)
    assert is_trail(trail)


@given(edge_lists(12, 11))
def test_equals_walking_in_every_way_on_sparse_networks(edges: list[Edge]) -> None:
    assert solve(edges)[0] == longest_trail_naive(edges)


@pytest.mark.compiled_only
@given(edge_lists(6, 9), st.sampled_from([0, 3, 30]))
def test_equals_walking_in_every_way_where_walking_is_given_up(edges: list[Edge], max_steps: int) -> None:
    trains, trail = solve(edges, max_steps)
    assert trains == longest_trail_naive(edges) == sum(length for _, _, length in trail)
    assert is_trail(trail)
    assert walk(edges, max_steps) in (trains, NOT_WALKED)


@pytest.mark.compiled_only
@given(edge_lists(8, 9).filter(bool))
def test_the_integer_program_alone_equals_walking_in_every_way(edges: list[Edge]) -> None:
    ends, length, trail = arrays(edges)
    trains = solved_trail(ends, length, np.ones_like(trail), trail)
    assert trains == longest_trail_naive(edges) == length[trail == 1].sum()
    assert is_trail([edge for edge, on in zip(edges, trail, strict=True) if on])


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
    assert solve(edges)[0] == solve(edges, 0)[0] == trains


@pytest.mark.parametrize("find", [longest_trail, solved_trail])
def test_routes_not_chosen_do_not_count(find: Callable[[Ints, Ints, Flags, Flags], int]) -> None:
    ends = np.array([[0, 1], [1, 2], [2, 3]])
    length = np.array([1, 2, 4])
    trail = np.ones(3, dtype=np.int8)
    assert find(ends, length, np.array([1, 0, 1], dtype=np.int8), trail) == 4
    assert trail.tolist() == [0, 0, 1]


@pytest.mark.parametrize("max_steps", [0, MAX_STEPS])
def test_equal_networks_have_the_same_trail(max_steps: int) -> None:
    # A star of equal rays: any two of them are a longest trail.
    star = [(0, city, 2) for city in range(1, 8)]
    assert solve(star, max_steps) == solve(star, max_steps)


def test_walking_is_given_up_after_so_many_steps() -> None:
    star = [(0, 1, 3), (0, 2, 4), (0, 3, 5)]
    n_steps = next(n for n in range(100) if walk(star, n) != NOT_WALKED)
    assert 0 < n_steps < 20
    assert [walk(star, n) for n in (0, n_steps - 1, n_steps)] == [NOT_WALKED, NOT_WALKED, 9]


def test_equals_the_naive_search_on_networks_of_a_game(any_map: GameMap) -> None:
    tables = map_tables(any_map)
    rng = np.random.default_rng(1)
    trail = np.zeros(tables.length.size, dtype=np.int8)
    for _ in range(20):
        chosen = grow_network(any_map, any_map.rules.trains.per_player, rng)
        trains = longest_trail(tables.ends, tables.length, chosen, trail)
        assert trains == longest_trail_naive([edge for edge, on in zip(edges_of(tables), chosen, strict=True) if on])


def test_equals_the_naive_search_on_scattered_claims(any_map: GameMap) -> None:
    # Players in turn claim any open route: many parts, most of them small.
    tables = map_tables(any_map)
    rng = np.random.default_rng(2)
    city_a, city_b = np.ascontiguousarray(tables.ends.T)
    trail = np.zeros(tables.length.size, dtype=np.int8)
    for _ in range(20):
        owner = np.full(tables.length.size, -1)
        for i, r in enumerate(rng.permutation(owner.size)[: owner.size // 3]):
            owner[r] = i % 2
        for seat in range(2):
            own = [edge for edge, whose in zip(edges_of(tables), owner, strict=True) if whose == seat]
            n_cities = len(any_map.cities)
            trains = walked_trail(city_a, city_b, tables.length, owner, seat, n_cities, MAX_STEPS, trail)
            assert trains == longest_trail_naive(own) == tables.length[trail == 1].sum()
            assert solve(own) == (trains, [edge for edge, on in zip(edges_of(tables), trail, strict=True) if on])


@pytest.mark.compiled_only
@pytest.mark.parametrize("n_loops", range(6))
def test_equals_the_naive_search_whatever_the_number_of_loops(n_loops: int) -> None:
    # A tree, and routes that close loops: the more of them, the more ways there are to walk.
    rng = np.random.default_rng(n_loops)
    for _ in range(20):
        tree = [(int(rng.integers(city)), city) for city in range(1, 9)]
        pairs = [tuple(rng.choice(9, 2, replace=False).tolist()) for _ in range(n_loops)]
        edges = [(a, b, int(rng.integers(1, 7))) for a, b in [*tree, *pairs]]
        trains, trail = solve(edges)
        assert trains == longest_trail_naive(edges) == sum(length for _, _, length in trail)
        assert is_trail(trail)


@pytest.mark.compiled_only
def test_equals_another_integer_program_on_whole_maps(any_map: GameMap) -> None:
    edges = edges_of(map_tables(any_map))
    assert solve(edges)[0] == longest_trail_milp(edges)


@pytest.mark.compiled_only
def test_equals_another_integer_program_on_networks_that_are_not_walked(nordic: GameMap) -> None:
    tables = map_tables(nordic)
    rng = np.random.default_rng(3)
    for _ in range(3):
        edges = [edge for edge in edges_of(tables) if rng.random() < 0.8]
        assert walk(edges) == NOT_WALKED
        trains, trail = solve(edges)
        assert trains == longest_trail_milp(edges) == sum(length for _, _, length in trail)


@pytest.mark.compiled_only
def test_equals_another_integer_program_on_large_sets_with_many_bridges() -> None:
    rng = np.random.default_rng(1)
    edges = []
    for i in range(5):
        a, b, c, d = range(4 * i, 4 * i + 4)
        edges += [(a, b), (b, c), (c, d), (d, a), (b, 40 + i), (c, 50 + i)]
        if i:
            edges.append((a, int(rng.integers(4 * i))))
    weighted = [(a, b, int(rng.integers(1, 7))) for a, b in edges]
    assert solve(weighted)[0] == longest_trail_milp(weighted)


def test_the_densest_web_is_not_too_dense() -> None:
    # Of 24 odd cities, all but the two ends leave a route out: eleven routes, each for two of them.
    edges = [(a, b, 1) for a, b in nx.complete_graph(24).edges]
    assert solve(edges)[0] == len(edges) - 11


def test_as_many_routes_as_a_map_may_have_are_not_too_many() -> None:
    # 64 cities with 4 routes each at random: far from any board, all cities even.
    graph = nx.random_regular_graph(4, 64, seed=1)
    edges = [(a, b, 1) for a, b in graph.edges]
    assert solve(edges)[0] == len(edges) == 128
