"""Rules of scoring on numbers: tickets against NetworkX, ranks against sorting, ties against plain comparison."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.rules.scoring import NO_GOAL, award, best_goal, join_cities, keep_best, places_joined, ticket_score

N_CITIES = 7
CITY = st.integers(0, N_CITIES - 1)
ROUTES = st.lists(st.tuples(CITY, CITY, st.integers(-1, 1)).filter(lambda r: r[0] != r[1]), max_size=12)
"""Two cities and an owner."""
PLACES = st.lists(st.lists(CITY, min_size=1, max_size=3, unique=True), min_size=2, max_size=5)


def labels_of(routes: Sequence[tuple[int, int, int]], seat: int) -> list[int]:
    """Return the labels of all cities."""
    columns = np.array(routes, dtype=np.int64).reshape(-1, 3)
    label = np.full(N_CITIES, 99)
    join_cities(columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy(), seat, label)
    return [int(city) for city in label]


def network_of(routes: Sequence[tuple[int, int, int]], seat: int) -> nx.Graph[int]:
    """Return the network of a seat, with all cities."""
    G: nx.Graph[int] = nx.Graph()
    G.add_nodes_from(range(N_CITIES))
    G.add_edges_from((a, b) for a, b, owner in routes if owner == seat)
    return G


def offsets(groups: Sequence[Sequence[int]]) -> np.ndarray:
    """Return where each group begins in all of them."""
    return np.cumsum([0, *map(len, groups)])


# -- tickets ------------------------------------------------------------------------


@given(ROUTES)
def test_cities_have_equal_labels_exactly_if_they_are_joined(routes: list[tuple[int, int, int]]) -> None:
    label = labels_of(routes, 0)
    for part in nx.connected_components(network_of(routes, 0)):
        assert {city for city in range(N_CITIES) if label[city] == label[min(part)]} == part


@given(ROUTES, PLACES, st.data())
def test_the_best_destination_reached_is_found(
    routes: list[tuple[int, int, int]], places: list[list[int]], data: st.DataObject
) -> None:
    place = st.integers(1, len(places) - 1)
    tickets = data.draw(st.lists(st.lists(place, min_size=1, max_size=3, unique=True), min_size=1, max_size=3))
    G = network_of(routes, 0)
    for ticket, goals in enumerate(tickets):
        start = int(offsets(tickets)[ticket])
        reached = [
            start + i
            for i, goal in enumerate(goals)
            if any(nx.has_path(G, a, b) for a in places[0] for b in places[goal])
        ]

        found = best_goal(
            ticket,
            np.zeros(len(tickets), dtype=np.int64),
            offsets(tickets),
            np.array([goal for goals in tickets for goal in goals]),
            offsets(places),
            np.array([city for cities in places for city in cities]),
            np.array(labels_of(routes, 0)),
        )

        assert found == min(reached, default=NO_GOAL)


def test_two_border_points_of_one_country_are_not_joined_by_it() -> None:
    # Cities 0 and 3 are each joined to a border point, 1 or 2, of the country.
    label = np.array(labels_of([(0, 1, 0), (3, 2, 0)], 0))
    start, cities = np.array([0, 1, 3, 4]), np.array([0, 1, 2, 3])

    assert places_joined(0, 1, start, cities, label)
    assert places_joined(2, 1, start, cities, label)
    assert not places_joined(0, 2, start, cities, label)


@pytest.mark.parametrize(
    ("goal", "points"),
    [pytest.param(0, 12, id="best"), pytest.param(1, 10, id="lower"), pytest.param(NO_GOAL, -10, id="lowest lost")],
)
def test_a_ticket_scores_its_destination_or_loses_its_penalty(goal: int, points: int) -> None:
    assert ticket_score(goal, np.array([12, 10]), 10) == points


# -- bonuses --------------------------------------------------------------------------


def awarded(measure: list[int], takes_part: list[int], points: Sequence[int], zero_ties: int = 1) -> list[int]:
    """Return the bonus of each player."""
    bonus = np.full(len(measure), 99)
    award(np.array(measure), np.array(takes_part), np.array(points, dtype=np.int64), zero_ties, bonus)
    return [int(n) for n in bonus]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=6),
    st.lists(st.integers(0, 60), max_size=6),
    st.booleans(),
)
def test_ranks_are_those_of_the_sorted_measures(
    players: list[tuple[int, bool]],
    points: list[int],
    zero_ties: bool,  # noqa: FBT001
) -> None:
    in_order = sorted((measure for measure, takes_part in players if takes_part), reverse=True)
    expected = []
    for measure, takes_part in players:
        rank = in_order.index(measure) if takes_part else len(points)
        void = not zero_ties and measure == 0 and in_order.count(0) > 1
        expected.append(points[rank] if rank < len(points) and not void else 0)

    assert awarded([m for m, _ in players], [int(t) for _, t in players], points, int(zero_ties)) == expected


# -- ties -------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=6))
def test_those_with_most_stay_among_the_winners(players: list[tuple[int, bool]]) -> None:
    winners = np.array([int(is_tied) for _, is_tied in players])
    best = max((measure for measure, is_tied in players if is_tied), default=None)
    expected = [int(is_tied and measure == best) for measure, is_tied in players]

    assert keep_best(winners, np.array([measure for measure, _ in players])) == sum(expected)
    assert winners.tolist() == expected
