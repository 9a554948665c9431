"""Shortest paths against every way there is, expected cards against every deal, and the longest trail's order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.boards import boards, make_board, make_route
from tests.oracles.paths import all_simple_tracks, cities_on, is_joined
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.paths import (
    NoPathError,
    Path,
    Weight,
    distance_matrix,
    expected_cards,
    longest_trail,
    shortest_path,
    shortest_paths,
)
from ttr_analysis.cards import COLORS
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.rules.ruleset import CardRules, RuleSet

WEIGHTS: dict[str, Callable[[Route], Fraction]] = {
    "length": lambda route: Fraction(route.length),
    "toll": lambda route: Fraction(route.toll),
    "hops": lambda _: Fraction(1),
    "cards": lambda route: Fraction(route.length),  # boards have plain routes only
    "function": lambda route: Fraction(3 * route.toll + 1, 10),
}


def tenths(route: Route) -> float:
    """Return costs that do not add up as floats: 0.1 + 0.2 is not 0.3."""
    return [0.1, 0.4, 0.7][route.toll]


Question = tuple[GameMap, str, str, str, list[Route], list[Route]]
"""A board, two cities, a weight, and routes closed and owned."""


@st.composite
def questions(draw: st.DrawFn) -> Question:
    game_map = draw(boards())
    state = draw(st.lists(st.sampled_from(["open", "closed", "owned"]), min_size=len(game_map.routes)))
    sorted_out = {
        kind: [route for route, is_ in zip(game_map.routes, state, strict=False) if is_ == kind] for kind in state
    }
    a, b = (draw(st.sampled_from(game_map.cities)).name for _ in range(2))
    weight = draw(st.sampled_from(sorted(WEIGHTS)))
    return game_map, a, b, weight, sorted_out.get("closed", []), sorted_out.get("owned", [])


def order(game_map: GameMap, way: tuple[Route, ...], weight: str, owned: list[Route]) -> tuple[object, ...]:
    """Oracle: cost, trains, tokens, routes, and the routes that come last in the map."""
    claimed = [route for route in way if route not in owned]
    return (
        sum((WEIGHTS[weight](route) for route in claimed), Fraction(0)),
        sum(route.length for route in claimed),
        sum(route.toll for route in claimed),
        len(way),
        sorted((game_map.routes.index(route) for route in way), reverse=True),
    )


def ask(game_map: GameMap, a: str, b: str, weight: str, closed: list[Route], owned: list[Route]) -> Path:
    return shortest_path(game_map, a, b, tenths if weight == "function" else weight, closed, owned)  # type: ignore[arg-type]


@given(questions())
def test_shortest_path_is_the_first_of_all_ways(question: Question) -> None:
    game_map, a, b, weight, closed, owned = question
    ways = list(all_simple_tracks(game_map, a, b, closed))
    if not ways:
        with pytest.raises(NoPathError):
            ask(*question)
        return
    best = min(ways, key=lambda way: order(game_map, way, weight, owned))

    path = ask(*question)

    assert path.routes == best
    assert path.cities == cities_on(best, a)
    assert path.cost == float(order(game_map, best, weight, owned)[0])  # type: ignore[arg-type]
    assert path.owned == tuple(route for route in best if route in owned)
    assert path.length == sum(route.length for route in best)
    assert (
        (path.cost, path.trains, path.toll, path.n_routes)
        == tuple(
            float(x) if i == 0 else x  # type: ignore[arg-type]
            for i, x in enumerate(order(game_map, best, weight, owned)[:4])
        )
    )
    back = ask(game_map, b, a, weight, closed, owned)
    assert back.routes == path.routes[::-1]


@given(questions())
def test_shortest_paths_are_all_ways_of_that_cost(question: Question) -> None:
    game_map, a, b, weight, closed, owned = question
    ways = list(all_simple_tracks(game_map, a, b, closed))
    if not ways:
        with pytest.raises(NoPathError):
            shortest_paths(game_map, a, b, closed=closed)
        return
    least = min(order(game_map, way, weight, owned)[0] for way in ways)  # type: ignore[type-var]
    expected: dict[tuple[str, ...], tuple[Route, ...]] = {}
    for way in sorted(ways, key=lambda way: order(game_map, way, weight, owned)):
        if order(game_map, way, weight, owned)[0] == least:
            expected.setdefault(cities_on(way, a), way)

    measure = tenths if weight == "function" else weight
    paths = shortest_paths(game_map, a, b, measure, closed, owned)  # type: ignore[arg-type]

    assert [path.routes for path in paths] == list(expected.values())


@given(questions())
def test_distance_matrix_has_the_cost_of_every_path(question: Question) -> None:
    game_map, a, b, weight, closed, owned = question
    measure = tenths if weight == "function" else weight
    matrix = distance_matrix(game_map, measure, closed, owned)  # type: ignore[arg-type]
    ways = [order(game_map, way, weight, owned)[0] for way in all_simple_tracks(game_map, a, b, closed)]
    assert matrix.loc[a, b] == min(map(float, ways), default=float("inf"))  # type: ignore[arg-type]
    assert (matrix == matrix.T).all(axis=None)


@given(boards(max_extra=3), st.data())
def test_the_cut_in_the_error_is_the_smallest_of_the_closed_routes(game_map: GameMap, data: st.DataObject) -> None:
    closed = [route for route in game_map.routes if data.draw(st.booleans())]
    a, b = game_map.cities[0].name, game_map.cities[-1].name
    if is_joined(game_map, a, b, closed):
        return
    with pytest.raises(NoPathError) as error:
        shortest_path(game_map, a, b, closed=closed)
    smallest = next(
        size
        for size in range(1, len(closed) + 1)
        if any(not is_joined(game_map, a, b, cut) for cut in combinations(closed, size))
    )
    assert len(error.value.cut) == smallest
    assert not is_joined(game_map, a, b, error.value.cut)
    assert all(route.id in str(error.value) for route in error.value.cut)


def test_ties_go_by_trains_then_tokens_then_routes_then_the_order_of_the_map() -> None:
    board = make_board([("A", "B", 2, 1), ("A", "C", 1, 1), ("B", "C", 1, 1), ("A", "D", 1, 1), ("B", "D", 1, 0)])
    assert shortest_path(board, "A", "B").cities == ("A", "B")
    assert [path.cities for path in shortest_paths(board, "A", "B")] == [("A", "B"), ("A", "D", "B"), ("A", "C", "B")]
    assert [path.toll for path in shortest_paths(board, "A", "B")] == [1, 1, 2]
    board = make_board([("A", "C", 1, 0), ("B", "C", 1, 0), ("A", "D", 1, 0), ("B", "D", 1, 0)])
    assert shortest_path(board, "A", "B").cities == ("A", "C", "B")


def test_the_way_between_two_border_points_of_one_country_runs_through_switzerland(switzerland: GameMap) -> None:
    country = next(place for place in switzerland.places if place.is_country)
    for a, b in combinations(country.cities, 2):
        path = shortest_path(switzerland, a, b)
        assert path.cities[0] == a
        assert path.cities[-1] == b
        assert path.cities[1:-1]
        assert not set(path.cities[1:-1]) & set(switzerland.border_points)


def test_a_country_as_an_end_is_its_nearest_border_point(any_map: GameMap) -> None:
    countries = [place for place in any_map.places if place.is_country]
    others = [city.name for city in any_map.cities if city.name not in any_map.border_points][:3]
    for country in countries:
        for other in [*map(any_map.place, others), *countries]:
            if other is country:
                continue
            path = shortest_path(any_map, country, other)
            ends = other.cities
            assert path.cities[0] in country.cities
            assert path.cities[-1] in ends
            assert path.cost == min(shortest_path(any_map, a, b).cost for a in country.cities for b in ends)
            assert shortest_path(any_map, country.name, other.name) == path


def test_routes_lie_end_to_end(any_map: GameMap) -> None:
    first, *others = (city.name for city in any_map.cities)
    for weight in ("length", "toll", "hops", "cards"):
        for other in others:
            path = shortest_path(any_map, first, other, weight)
            assert [set(route.cities) for route in path.routes] == [set(pair) for pair in pairwise(path.cities)]


def test_owned_routes_cost_nothing_and_closed_ones_are_not_used(nordic: GameMap) -> None:
    direct = nordic.route("Bergen", "Oslo", color="red")
    other = nordic.route("Bergen", "Oslo", color="blue")
    path = shortest_path(nordic, "Bergen", "Stockholm", owned=[direct])
    assert path.routes[0] == direct
    assert (path.cost, path.length, path.trains) == (4, 8, 4)
    assert path.to_claim == path.routes[1:]
    assert shortest_path(nordic, "Bergen", "Oslo", closed=[other]).routes == (direct,)
    assert ("Bergen", "Oslo") not in pairwise(
        shortest_path(nordic, "Bergen", "Oslo", closed=[("Bergen", "Oslo")]).cities
    )


def test_a_route_is_not_both_closed_and_owned(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="cannot be both closed and owned, got both for Bergen-Oslo/1"):
        shortest_path(nordic, "Bergen", "Oslo", closed=[("Bergen", "Oslo")], owned=["Bergen-Oslo/1"])


def test_a_path_that_is_cut_off_says_by_what(nordic: GameMap) -> None:
    closed = [route for route in nordic.routes if "Lieksa" in route.cities or "Kirkenes" in route.cities]
    with pytest.raises(NoPathError, match=r"no path from Oslo to Murmansk.*Kirkenes-Murmansk/0, Lieksa-Murmansk/0"):
        shortest_path(nordic, "Oslo", "Murmansk", closed=closed)
    with pytest.raises(NoPathError, match="closed routes"):
        shortest_paths(nordic, "Oslo", "Murmansk", closed=closed)


def test_from_a_city_to_itself_there_is_nothing_to_do(nordic: GameMap) -> None:
    path = shortest_path(nordic, "Oslo", "oslo")
    assert (path.cities, path.routes, path.cost) == (("Oslo",), (), 0)


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (-1, "-1"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ("3", "'3'"),
        (None, "None"),
    ],
)
def test_a_bad_weight_names_the_route(nordic: GameMap, answer: object, shown: str) -> None:
    def weight(route: Route) -> float:
        return answer if route.id == "Helsinki-Turku/0" else 1  # type: ignore[return-value]

    with pytest.raises(ValueError, match=f"the weight of route Helsinki-Turku/0 must be a finite number.*got {shown}"):
        shortest_path(nordic, "Oslo", "Bergen", weight)


@pytest.mark.parametrize("number", [np.int64(2), np.float64(0.5), Fraction(1, 3), True, 10**30, 1e-300])
def test_any_kind_of_number_is_a_weight(nordic: GameMap, number: float) -> None:
    path = shortest_path(nordic, "Oslo", "Bergen", lambda _: number)
    assert path.cost == pytest.approx(float(number))


@pytest.mark.parametrize(("word", "measure"), [("trains", "length"), ("routes", "hops")])
def test_what_is_counted_may_be_the_weight(nordic: GameMap, word: Weight, measure: Weight) -> None:
    path = shortest_path(nordic, "Bergen", "Murmansk", word)

    assert path == shortest_path(nordic, "Bergen", "Murmansk", measure)
    assert path.weight == measure


def test_a_weight_as_networkx_has_them_is_told_what_it_gets(nordic: GameMap) -> None:
    with pytest.raises(TypeError, match=r"weight must be a function of one route.*missing a required argument: 'v'"):
        shortest_path(nordic, "Oslo", "Bergen", lambda u, v, d: 1)  # type: ignore[arg-type, misc]  # noqa: ARG005
    with pytest.raises(TypeError, match="too many positional arguments"):
        shortest_path(nordic, "Oslo", "Bergen", lambda: 1)  # type: ignore[arg-type, misc]


def test_a_wrong_weight_or_city_is_answered_with_the_nearest(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match="no weight 'lenght'; did you mean length"):
        shortest_path(nordic, "Oslo", "Bergen", "lenght")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no city or country 'Berlen'; did you mean Bergen"):
        shortest_path(nordic, "Oslo", "Berlen")


def test_too_many_shortest_paths_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="more than 5 shortest paths from Bergen to Murmansk"):
        shortest_paths(nordic, "Bergen", "Murmansk", limit=5)
    assert len(shortest_paths(nordic, "Bergen", "Murmansk", limit=6)) == 6
    with pytest.raises(ValueError, match="more than 1000"):
        shortest_paths(nordic, "Bergen", "Murmansk", "toll")  # a map without tolls: every way costs 0


def test_the_repr_names_cities_cost_and_tracks(nordic: GameMap) -> None:
    path = shortest_path(nordic, "Bergen", "Oslo")
    assert repr(path) == "<Path Bergen - Oslo: length 4, 4 trains; Bergen-Oslo/0 blue>"
    assert "Bergen-Oslo/0" in path._repr_html_()
    assert shortest_path(nordic, "Bergen", "Oslo", tenths).weight == "tenths"


# -- expected cards -------------------------------------------------------


def deal_every_set(rules: RuleSet, route: Route) -> Fraction:
    """Oracle: keep every possible set of cards for the spaces that sets may fill, and pay from it."""
    deck = [color for color in COLORS for _ in range(rules.cards.per_color)] + ["joker"] * rules.cards.locomotives
    n_spaces = route.locomotives or route.length
    n_kept = n_spaces * route.swap_size
    total = 0
    for kept in combinations(deck, n_kept):
        counts = Counter(kept)
        jokers = counts.pop("joker", 0)
        if route.locomotives:
            wanted = jokers
        else:
            wanted = max(counts.values(), default=0) if route.color == "gray" else counts[route.color]
            wanted += jokers if route.locomotives_allowed else 0
        wanted = min(wanted, n_spaces)
        total += wanted + route.swap_size * (n_spaces - wanted)
    return Fraction(total, comb(len(deck), n_kept)) + (route.length - n_spaces)


@pytest.mark.parametrize("color", ["gray", "red"])
@pytest.mark.parametrize("jokers", [True, False])
@pytest.mark.parametrize(
    ("length", "symbols", "swap"), [(3, 1, 3), (3, 2, 3), (2, 0, 3), (2, 0, 2), (5, 0, 1), (1, 0, 4), (4, 4, 1)]
)
@pytest.mark.parametrize("cards", [CardRules(per_color=1, locomotives=3), CardRules(per_color=2, locomotives=1)])
def test_expected_cards_equal_the_mean_over_all_deals(
    cards: CardRules, length: int, symbols: int, swap: int, color: str, *, jokers: bool
) -> None:
    rules = RuleSet("Small deck", cards=cards)
    route = make_route(
        "A", "B", length=length, color=color, locomotives=symbols, locomotives_allowed=jokers, swap_size=swap
    )
    board = replace(make_board([("A", "B", 1, 0)], rules=rules), routes=(route,))
    assert expected_cards(board, route) == pytest.approx(float(deal_every_set(rules, route)))


def test_expected_cards_of_the_kinds_of_route(nordic: GameMap) -> None:
    plain = nordic.route("Oslo", "Örebro", track=0)
    assert expected_cards(nordic, plain) == plain.length
    tunnel = nordic.route("Bergen", "Oslo", color="red")
    assert expected_cards(nordic, tunnel) == pytest.approx(4 + 3 * 26 / 110)
    ferry = nordic.route("Aalborg", "Göteborg")
    no_locomotive = comb(96, 3) / comb(110, 3)
    assert expected_cards(nordic, ferry) == pytest.approx(1 + 1 + 2 * no_locomotive)
    assert 9 < expected_cards(nordic, nordic.route("Lieksa", "Murmansk")) < 36


def test_expected_cards_are_the_weight_of_a_path(nordic: GameMap) -> None:
    path = shortest_path(nordic, "Bergen", "Murmansk", "cards")
    assert path.cost == pytest.approx(sum(expected_cards(nordic, route) for route in path.routes))
    assert path.cost < sum(
        expected_cards(nordic, route) for route in shortest_path(nordic, "Bergen", "Murmansk").routes
    )


# -- the longest trail ----------------------------------------------------


@given(boards(max_cities=8, max_extra=9), st.data())
def test_the_longest_trail_can_be_walked(game_map: GameMap, data: st.DataObject) -> None:
    routes = [route for route in game_map.routes if data.draw(st.booleans())]
    trail = longest_trail(game_map, routes)
    assert set(trail.routes) <= set(routes)
    assert len(set(trail.routes)) == len(trail.routes)
    assert [set(route.cities) for route in trail.routes] == [set(pair) for pair in pairwise(trail.cities)]
    assert trail.length == sum(route.length for route in trail.routes)
    assert trail.is_closed == (bool(routes) and trail.cities[0] == trail.cities[-1])


def test_longest_trails_of_named_sets(nordic: GameMap) -> None:
    assert longest_trail(nordic, []).cities == ()
    assert longest_trail(nordic, [("Bergen", "Oslo")]).length == 8  # both tracks: there and back
    assert longest_trail(nordic, ["Bergen-Oslo/0"]).cities == ("Bergen", "Oslo")
    assert repr(longest_trail(nordic, ["Bergen-Oslo/0"])) == "<Trail of 4 trains on 1 routes: Bergen - Oslo>"
    assert "Bergen - Oslo" in longest_trail(nordic, ["Bergen-Oslo/0"])._repr_html_()


def test_what_is_avoided_is_not_used(any_map: GameMap) -> None:
    a, b = any_map.cities[0], any_map.cities[5]
    for what, is_it in (
        ("tunnels", lambda route: route.tunnel),
        ("ferries", lambda route: route.locomotives > 0),
        ("gray", lambda route: route.color == "gray"),
        ("tolls", lambda route: route.toll > 0),
        (any_map.cities[7].name, lambda route: any_map.cities[7].name in route.cities),
    ):
        closed = [route for route in any_map.routes if is_it(route)]
        try:
            path = shortest_path(any_map, a, b, avoid=[what])
        except NoPathError:
            with pytest.raises(NoPathError):
                shortest_path(any_map, a, b, closed=closed)
            continue
        assert not any(is_it(route) for route in path.routes)
        assert path == shortest_path(any_map, a, b, closed=closed)
        if closed:
            assert shortest_path(any_map, a, b, owned=closed, avoid=[what]) == shortest_path(
                any_map, a, b, owned=closed
            )


def test_only_what_there_is_can_be_avoided(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match="no kind of route or city to avoid 'tunels'; did you mean tunnels"):
        shortest_path(nordic, "Oslo", "Bergen", avoid=["tunels"])
