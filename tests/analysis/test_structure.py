"""Measures of cities and routes against their definitions, laws of physics, and countries as ends."""

from __future__ import annotations

import inspect
from fractions import Fraction
from itertools import combinations
from math import inf, prod

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples
from tests.oracles import structure as oracle
from tests.oracles.boards import boards, make_board
from tests.oracles.paths import is_joined
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.structure import (
    bridges,
    city_table,
    cut_cities,
    edge_connectivity,
    effective_resistance,
    minimum_cut,
    minimum_spanning_tree,
    resistance_matrix,
    route_table,
    spaces_table,
    summary,
)
from ttr_analysis.maps.model import GameMap, Place, Ticket

WEIGHTS = ("length", "hops")
SLOW = settings(max_examples=examples(20))


def is_connected_without(game_map: GameMap, routes: object, cities: tuple[str, ...] = ()) -> bool:
    """Oracle: whether the other cities are all joined."""
    lost = [r for r in game_map.routes if r in routes or set(r.cities) & set(cities)]  # type: ignore[operator]
    first, *others = (city.name for city in game_map.cities if city.name not in cities)
    return all(is_joined(game_map, first, other, lost) for other in others)


# -- tables ---------------------------------------------------------------


@SLOW
@given(boards(max_extra=4))
def test_city_table_follows_the_definitions(game_map: GameMap) -> None:
    table = city_table(game_map)
    cities = oracle.names(game_map)
    assert list(table.index) == cities
    for city in cities:
        row = table.loc[city]
        others = [other for other in cities if other != city]
        at = [route for route in game_map.routes if city in route.cities]
        assert row["n_tracks"] == len(at)
        assert row["n_neighbors"] == len({route.other_end(city) for route in at})
        for weight in WEIGHTS:
            distances = [oracle.distance(game_map, city, other, weight) for other in others]
            assert row[f"eccentricity_{weight}"] == max(distances)
            assert row[f"closeness_{weight}"] == pytest.approx(len(others) / sum(distances))
            assert row[f"betweenness_{weight}"] == pytest.approx(float(oracle.betweenness(game_map, city, weight)))
        resistances = [oracle.eliminate_to_two(game_map, city, other, inverse=True) for other in others]
        assert row["mean_resistance"] == pytest.approx(float(sum(resistances) / len(others)))
        assert row["is_cut_city"] == (len(others) > 1 and not is_connected_without(game_map, (), (city,)))


@SLOW
@given(boards(max_extra=4))
def test_route_table_follows_the_definitions(game_map: GameMap) -> None:
    table = route_table(game_map)
    assert list(table.index) == [route.id for route in game_map.routes]
    trees = oracle.spanning_trees(game_map)
    weights = [prod((Fraction(1, route.length) for route in tree), start=Fraction(1)) for tree in trees]
    for route in game_map.routes:
        row = table.loc[route.id]
        a, b = route.cities
        both = game_map.routes_between(a, b)
        for weight in WEIGHTS:
            share = oracle.route_betweenness(game_map, route, weight)
            assert row[f"betweenness_{weight}"] == pytest.approx(float(share))
        before = oracle.distance(game_map, a, b, "length")
        assert row["detour"] == oracle.distance(game_map, a, b, "length", [route]) - before
        assert row["pair_detour"] == oracle.distance(game_map, a, b, "length", both) - before
        assert row["is_bridge"] == (row["detour"] == inf) == (not is_connected_without(game_map, [route]))
        assert row["is_pair_bridge"] == (row["pair_detour"] == inf) == (not is_connected_without(game_map, both))
        assert row["resistance"] == pytest.approx(float(oracle.eliminate_to_two(game_map, a, b, inverse=True)))
        with_route = sum(w for tree, w in zip(trees, weights, strict=True) if route in tree)
        assert row["current_share"] == pytest.approx(float(Fraction(with_route) / sum(weights)))
    assert sum(table["length"][table["in_minimum_spanning_tree"]]) == min(
        sum(route.length for route in tree) for tree in trees
    )


@SLOW
@given(boards(max_extra=4))
def test_summary_follows_the_definitions(game_map: GameMap) -> None:
    numbers = summary(game_map)
    cities = oracle.names(game_map)
    pairs = {frozenset(route.cities) for route in game_map.routes}
    assert numbers["n_cities"] == len(cities)
    assert numbers["n_pairs"] == len(pairs)
    assert numbers["n_double_routes"] == len(game_map.routes) - len(pairs)
    assert numbers["cyclomatic_pairs"] == len(pairs) - len(cities) + 1
    assert numbers["n_cut_cities"] == len(cut_cities(game_map))
    for weight in WEIGHTS:
        distances = [oracle.distance(game_map, a, b, weight) for a, b in combinations(cities, 2)]
        assert numbers[f"mean_distance_{weight}"] == pytest.approx(sum(distances) / len(distances))
        assert numbers[f"diameter_{weight}"] == max(distances)
        farthest = {a: max(oracle.distance(game_map, a, b, weight) for b in cities if b != a) for a in cities}
        assert numbers[f"radius_{weight}"] == min(farthest.values())
        assert numbers[f"center_{weight}"] == tuple(c for c in cities if farthest[c] == min(farthest.values()))
        assert numbers[f"periphery_{weight}"] == tuple(c for c in cities if farthest[c] == max(distances))
    for by, groups in (
        ("tracks", [(route,) for route in game_map.routes]),
        ("pairs", [game_map.routes_between(*pair) for pair in pairs]),
    ):
        fewest = next(
            n
            for n in range(len(groups) + 1)
            if any(not is_connected_without(game_map, sum(lost, ())) for lost in combinations(groups, n))
        )
        assert numbers[f"edge_connectivity_{by}"] == fewest


def test_tables_of_every_map_add_up(any_map: GameMap) -> None:
    for borders in {True, not any_map.border_points}:
        cities = city_table(any_map, borders=borders)
        routes = route_table(any_map, borders=borders)
        n_cities = len(any_map.cities) - (0 if borders else len(any_map.border_points))
        assert len(cities) == n_cities
        assert cities["n_tracks"].sum() == 2 * len(routes)
        assert cities["n_neighbors"].sum() == 2 * (routes["track"] == 0).sum()
        assert routes["current_share"].sum() == pytest.approx(n_cities - 1)  # Foster's theorem
        assert routes["in_minimum_spanning_tree"].sum() == n_cities - 1
        assert routes["current_share"][routes["is_bridge"]].tolist() == pytest.approx(
            [1] * int(routes["is_bridge"].sum())
        )
        # Every shortest way of d routes counts d times, once for each of its routes.
        numbers = summary(any_map, borders=borders)
        assert routes["betweenness_hops"].sum() == pytest.approx(numbers["mean_distance_hops"])
        used = routes["betweenness_length"] * routes["length"]
        assert used.sum() == pytest.approx(numbers["mean_distance_length"])
        assert spaces_table(any_map, borders=borders)["total"].sum() == routes["length"].sum() == numbers["n_spaces"]
        assert numbers["is_planar"] in (True, False)


def test_border_points_are_left_out_only_when_asked_for(switzerland: GameMap) -> None:
    all_, inner = city_table(switzerland), city_table(switzerland, borders=False)
    assert (len(inner), len(all_)) == (34, 51)
    borders = all_.loc[list(switzerland.border_points)]
    assert (borders["n_tracks"] == 1).all()
    assert (borders["betweenness_length"] == 0).all()
    assert (all_["n_tracks"] - inner["n_tracks"]).sum() == 17
    assert (len(route_table(switzerland, borders=False)), len(route_table(switzerland))) == (71, 88)
    assert summary(switzerland)["n_routes"] == spaces_table(switzerland)["n_routes"].sum() == 88
    assert summary(switzerland, borders=False)["n_routes"] == 71
    assert (len(bridges(switzerland, borders=False)), len(bridges(switzerland))) == (0, 17)
    assert len(minimum_spanning_tree(switzerland, borders=False).routes) == 33
    assert len(minimum_spanning_tree(switzerland).routes) == 50
    assert resistance_matrix(switzerland, borders=False).shape == (34, 34)


def test_all_tables_and_graphs_of_a_map_have_the_same_cities(any_map: GameMap) -> None:
    cities = [city.name for city in any_map.cities]
    matrix = ttr.paths.distance_matrix(any_map)

    for found in (any_map.graph, any_map.simple_graph, matrix, city_table(any_map).index, resistance_matrix(any_map)):
        assert list(found) == cities
    assert summary(any_map)["n_cities"] == len(cities)
    assert list(any_map.tables.cities["name"]) == cities


def test_functions_agree_whether_border_points_count() -> None:
    functions = [getattr(ttr.structure, name) for name in ttr.structure.__all__]
    defaults = {
        function.__name__: inspect.signature(function).parameters["borders"].default
        for function in functions
        if inspect.isfunction(function) and "borders" in inspect.signature(function).parameters
    }
    assert len(defaults) >= 8
    assert set(defaults.values()) == {True}


def test_summary_counts_as_the_functions_do(any_map: GameMap) -> None:
    numbers = summary(any_map)
    assert numbers["n_bridges"] == len(bridges(any_map)) == route_table(any_map)["is_bridge"].sum()
    assert numbers["n_cut_cities"] == len(cut_cities(any_map)) == city_table(any_map)["is_cut_city"].sum()
    assert numbers["spanning_tree_length"] == minimum_spanning_tree(any_map).length
    assert numbers["n_spaces"] == spaces_table(any_map)["total"].sum()


def test_a_map_with_little_but_border_points() -> None:
    one = make_board([("A", "X1", 1, 0), ("A", "X2", 2, 0)], countries={"X": ("X1", "X2")})
    assert city_table(one, borders=False).loc["A", "n_tracks"] == 0
    assert list(route_table(one).columns) == list(route_table(one, borders=False).columns)
    assert (len(route_table(one, borders=False)), len(minimum_spanning_tree(one, borders=False).routes)) == (0, 0)
    inner = summary(one, borders=False)
    assert inner["n_routes"] == inner["edge_connectivity_tracks"] == 0
    assert summary(one)["n_routes"] == 2
    none = make_board([("X1", "Y1", 1, 0)], countries={"X": ("X1",), "Y": ("Y1",)})
    assert len(city_table(none)) == 2
    for measure in (city_table, summary, resistance_matrix, cut_cities):
        with pytest.raises(ValueError, match="map board has only border points"):
            measure(none, borders=False)


def test_spaces_of_the_nordic_board(nordic: GameMap) -> None:
    table = spaces_table(nordic)
    assert table["total"].sum() == 207
    assert table["n_routes"].sum() == 81
    assert table["tunnel"].sum() == sum(route.length for route in nordic.routes if route.tunnel)
    assert summary(nordic)["n_ferry_spaces"] == table["ferry"].sum()


def test_changes_of_the_graph_change_no_answer() -> None:
    game_map = ttr.load_map("nordic").without([])
    before, path = route_table(game_map), ttr.paths.shortest_path(game_map, "Bergen", "Stockholm")
    for _, _, data in game_map.graph.edges(data=True):
        data["length"] = 1
    assert route_table(game_map).equals(before)
    assert ttr.paths.shortest_path(game_map, "Bergen", "Stockholm") == path


# -- resistance -----------------------------------------------------------


@SLOW
@given(boards(), st.sampled_from(["inverse_length", "length"]))
def test_resistance_equals_taking_cities_away(game_map: GameMap, conductance: str) -> None:
    matrix = resistance_matrix(game_map, conductance=conductance)  # type: ignore[arg-type]
    for a, b in combinations(oracle.names(game_map), 2):
        expected = float(oracle.eliminate_to_two(game_map, a, b, inverse=conductance == "inverse_length"))
        assert matrix.loc[a, b] == pytest.approx(expected)
        assert effective_resistance(game_map, a, b, conductance=conductance) == pytest.approx(expected)  # type: ignore[arg-type]


def test_in_a_row_resistances_add_up_and_side_by_side_conductances() -> None:
    row = make_board([("A", "B", 2, 0), ("B", "C", 3, 0)])
    assert effective_resistance(row, "A", "C") == pytest.approx(5)
    double = make_board([("A", "B", 2, 0), ("A", "B", 3, 0)])
    assert effective_resistance(double, "A", "B") == pytest.approx(1 / (1 / 2 + 1 / 3))
    # The published program has it the other way round: a long route joins better than a short one.
    assert effective_resistance(row, "A", "C", conductance="length") == pytest.approx(1 / 2 + 1 / 3)
    assert effective_resistance(double, "A", "B", conductance="length") == pytest.approx(1 / 5)


@SLOW
@given(boards(), st.data())
def test_another_track_never_raises_a_resistance(game_map: GameMap, data: st.DataObject) -> None:
    tracks = [(*route.cities, route.length, 0) for route in game_map.routes]
    cities = st.sampled_from(oracle.names(game_map))
    a, b = data.draw(cities), data.draw(cities)
    if a != b:
        more = make_board([*tracks, (a, b, data.draw(st.integers(1, 4)), 0)])
        assert ((resistance_matrix(game_map) - resistance_matrix(more)) > -1e-9).all(axis=None)


def test_a_country_is_one_terminal() -> None:
    board = make_board(
        [("A", "B", 2, 0), ("B", "X1", 3, 0), ("A", "X2", 1, 0), ("A", "Y1", 1, 0)],
        countries={"X": ("X1", "X2"), "Y": ("Y1",)},
    )
    assert effective_resistance(board, "B", "X") == pytest.approx(1 / (1 / 3 + 1 / 3))
    assert effective_resistance(board, "Y", "X") == pytest.approx(1 + 1 / (1 / 1 + 1 / 5))
    assert effective_resistance(board, "A", "B") == pytest.approx(2)  # X is no way through
    assert effective_resistance(board, "X", "X") == 0
    with pytest.raises(ValueError, match="the two places share X1"):
        effective_resistance(board, "X", "X1")


def test_a_wrong_conductance_is_answered(nordic: GameMap) -> None:
    for ask in (
        lambda: effective_resistance(nordic, "Oslo", "Bergen", conductance="lengths"),  # type: ignore[arg-type]
        lambda: resistance_matrix(nordic, conductance="lengths"),  # type: ignore[arg-type]
    ):
        with pytest.raises(UnknownNameError, match="no conductance 'lengths'; did you mean length"):
            ask()


# -- cuts -----------------------------------------------------------------


@given(boards(max_extra=4), st.sampled_from(["tracks", "pairs"]))
def test_minimum_cut_is_the_smallest_of_all(game_map: GameMap, by: str) -> None:
    a, b = game_map.cities[0].name, game_map.cities[-1].name
    pairs = {frozenset(route.cities): game_map.routes_between(*route.cities) for route in game_map.routes}
    groups = [(route,) for route in game_map.routes] if by == "tracks" else list(pairs.values())
    smallest = oracle.smallest_cuts(game_map, [a], [b], groups)

    cut = minimum_cut(game_map, a, b, by=by)  # type: ignore[arg-type]

    assert set(cut.routes) in smallest
    assert cut.size == sum(bool(set(group) & set(cut.routes)) for group in groups)
    assert edge_connectivity(game_map, a, b, by=by) == cut.size  # type: ignore[arg-type]
    # The nearest to b leaves as many cities as possible on the side of a.
    sides = [{c for c in oracle.names(game_map) if not is_joined(game_map, c, b, lost)} for lost in smallest]
    assert set(cut.side) == set().union(*sides)


@given(boards(max_extra=4))
def test_bridges_and_cut_cities_are_those_whose_loss_cuts_the_map(game_map: GameMap) -> None:
    assert bridges(game_map) == tuple(r for r in game_map.routes if not is_connected_without(game_map, [r]))
    assert bridges(game_map, by="pairs") == tuple(
        r for r in game_map.routes if not is_connected_without(game_map, game_map.routes_between(*r.cities))
    )
    if len(game_map.cities) > 2:
        assert cut_cities(game_map) == tuple(
            c for c in oracle.names(game_map) if not is_connected_without(game_map, (), (c,))
        )


def test_the_tracks_of_a_double_route_are_a_bridge_only_together() -> None:
    board = make_board([("A", "B", 1, 0), ("A", "B", 2, 0), ("B", "C", 1, 0)])
    assert [route.id for route in bridges(board)] == ["B-C/0"]
    assert [route.id for route in bridges(board, by="pairs")] == ["A-B/0", "A-B/1", "B-C/0"]
    table = route_table(board)
    assert table["is_bridge"].tolist() == [False, False, True]
    assert table["is_pair_bridge"].tolist() == [True, True, True]
    assert table["detour"].tolist() == [1, 0, inf]
    assert table["betweenness_length"].tolist() == pytest.approx([2 / 3, 0, 2 / 3])
    assert table["betweenness_hops"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3])
    assert edge_connectivity(board, "A", "B") == 2
    assert edge_connectivity(board, "A", "B", by="pairs") == 1


def test_a_country_is_cut_off_at_all_its_border_points() -> None:
    board = make_board(
        [("A", "B", 1, 0), ("B", "C", 1, 0), ("C", "A", 1, 0), ("B", "X1", 1, 0), ("C", "X2", 1, 0), ("C", "Y1", 1, 0)],
        countries={"X": ("X1", "X2"), "Y": ("Y1",)},
    )
    assert {route.id for route in minimum_cut(board, "A", "X").routes} == {"B-X1/0", "C-X2/0"}
    assert edge_connectivity(board, "X", "A") == 2
    assert edge_connectivity(board, "A", "X1") == 1
    assert edge_connectivity(board, "X", "Y") == 1


def test_a_ticket_is_cut_off_from_all_its_destinations(switzerland: GameMap) -> None:
    ticket = max(switzerland.tickets, key=lambda t: len(t.destinations))
    goals = [city for place, _ in ticket.destinations for city in place.cities]
    cut = minimum_cut(switzerland, ticket)
    for start in ticket.origin.cities:
        for goal in goals:
            assert not is_joined(switzerland, start, goal, cut.routes)
    assert cut.size >= max(edge_connectivity(switzerland, ticket.origin, place) for place, _ in ticket.destinations)
    to_one = Ticket("Bern-Chur", Place("Bern", ("Bern",)), ((Place("Chur", ("Chur",)), 10),))
    assert minimum_cut(switzerland, to_one) == minimum_cut(switzerland, "Bern", "Chur")


@pytest.mark.parametrize("by", ["tracks", "pairs"])
def test_as_many_disjoint_ways_as_the_cut_is_large(any_map: GameMap, by: str) -> None:
    a, b = any_map.cities[0].name, any_map.cities[-1].name
    graph = nx.MultiGraph(any_map.graph) if by == "tracks" else nx.Graph(any_map.graph)
    ways: nx.Graph[str | int] = (
        nx.Graph()
    )  # each edge divided in two, so that the two tracks of a double route are different edges
    for i, (x, y) in enumerate(graph.edges()):
        nx.add_path(ways, [x, i, y])
    n_ways = len(list(nx.edge_disjoint_paths(ways, a, b)))
    assert edge_connectivity(any_map, a, b, by=by) == n_ways  # type: ignore[arg-type]


def test_two_places_may_be_a_pair_with_or_without_a_ticket(europe: GameMap) -> None:
    assert minimum_cut(europe, ("Lisboa", "Moskva")) == minimum_cut(europe, "Lisboa", "Moskva")
    assert minimum_cut(europe, ("lisboa", "danzig")) == minimum_cut(europe, europe.ticket("Lisboa", "Danzig"))
    with pytest.raises(UnknownNameError, match="no city or country 'Moskwa'; did you mean Moskva"):
        edge_connectivity(europe, ("Lisboa", "Moskwa"))


def test_what_cannot_be_cut_is_an_error(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="a place cannot be cut off from itself: both include Oslo"):
        minimum_cut(nordic, "Oslo", "oslo")
    with pytest.raises(UnknownNameError, match="no ticket 'Oslo'; did you mean Oslo-Helsinki"):
        minimum_cut(nordic, "Oslo")
    with pytest.raises(ValueError, match="a ticket already has two ends, so give no second place, got 'Oslo'"):
        minimum_cut(nordic, nordic.tickets[0], "Oslo")
    with pytest.raises(UnknownNameError, match="no way of counting 'pair'; did you mean pairs"):
        minimum_cut(nordic, "Oslo", "Bergen", by="pair")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no way of counting 'both'"):
        bridges(nordic, by="both")  # type: ignore[arg-type]


# -- the minimum spanning tree --------------------------------------------


@SLOW
@given(boards(max_extra=5))
def test_no_spanning_tree_is_shorter(game_map: GameMap) -> None:
    trees = oracle.spanning_trees(game_map)
    tree = minimum_spanning_tree(game_map)
    best = min(trees, key=lambda t: (sum(r.length for r in t), [game_map.routes.index(r) for r in t]))
    assert tree.length == sum(route.length for route in best)
    assert tree.routes in trees
    assert is_connected_without(game_map, set(game_map.routes) - set(tree.routes))


def test_equal_routes_are_taken_in_the_order_of_the_map() -> None:
    board = make_board([("B", "C", 1, 0), ("A", "C", 1, 0), ("A", "B", 1, 0), ("A", "B", 1, 0)])
    assert [route.id for route in minimum_spanning_tree(board).routes] == ["B-C/0", "A-C/0"]


def test_reprs_say_what_there_is(nordic: GameMap) -> None:
    assert repr(minimum_spanning_tree(nordic)) == "<SpanningTree: 38 routes, 71 trains>"
    assert "71 trains" in minimum_spanning_tree(nordic)._repr_html_()
    assert "4 tracks: Bergen-Oslo/0" in minimum_cut(nordic, "Oslo", "Bergen")._repr_html_()
