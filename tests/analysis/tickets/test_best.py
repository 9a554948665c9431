"""The best network against every set of routes, and against the published result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples, load
from tests.oracles.boards import boards, make_board
from ttr_analysis.analysis.tickets import best_network
from ttr_analysis.analysis.tickets.best import Components
from ttr_analysis.analysis.tickets.network import join_cities, reached_destinations
from ttr_analysis.maps.model import GameMap, Place, Route, Ticket


def affordable(game_map: GameMap, trains: int) -> Iterator[tuple[Route, ...]]:
    """Every set of routes for so many trains, with one track of a double route at most."""
    for chosen in chain.from_iterable(combinations(game_map.routes, n) for n in range(len(game_map.routes) + 1)):
        ends = [route.cities for route in chosen]
        if sum(route.length for route in chosen) <= trains and len(set(ends)) == len(ends):
            yield chosen


def ticket_points(game_map: GameMap, routes: Sequence[Route], part: str | None = None) -> int:
    """Points of the tickets that routes complete; in one connected part only, if it is given."""
    parts = join_cities(routes)
    if part is not None:
        parts = {city: part if of == part else city for city, of in parts.items()}
    scores = [ticket.score(reached_destinations(ticket, parts)) for ticket in game_map.tickets]
    return sum(score for score in scores if score > 0)


def best_score(game_map: GameMap, trains: int, *, connected: bool) -> int:
    """Oracle: the most points of all sets of routes."""
    best = 0
    for chosen in affordable(game_map, trains):
        points = sum(route.points for route in chosen)
        parts = set(join_cities(chosen).values()) if connected else {None}
        best = max(best, points + max((ticket_points(game_map, chosen, part) for part in parts), default=0))
    return best


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[GameMap, int]:
    """A small board with points of its own, tickets between its cities, one to two destinations, and trains."""
    game_map = draw(boards(max_cities=6, max_extra=2))
    places = [Place(city.name, (city.name,)) for city in game_map.cities]
    places.append(Place("Land", (game_map.cities[0].name, game_map.cities[-1].name)))
    tickets = []
    for i in range(draw(st.integers(1, 5))):
        ends = draw(st.lists(st.sampled_from(places[:-1]), min_size=2, max_size=2, unique=True))
        origin, destination = ends
        destinations = [(destination, draw(st.integers(1, 12)))]
        others = set(places[-1].cities)
        if draw(st.booleans()) and not others & {origin.name, destination.name}:
            destinations.append((places[-1], draw(st.integers(1, 12))))
        tickets.append(Ticket(f"{i}", origin, tuple(destinations)))
    routes = tuple(replace(r, points=draw(st.integers(0, 6))) for r in game_map.routes)
    trains = draw(st.integers(0, 12))
    return replace(game_map, routes=routes, places=tuple(places), tickets=tuple(tickets)), trains


@pytest.mark.compiled_only
@given(puzzles())
@settings(max_examples=examples(30))
def test_best_network_of_one_part_is_the_best_of_all_sets_of_routes(puzzle: tuple[GameMap, int]) -> None:
    game_map, trains = puzzle
    expected = best_score(game_map, trains, connected=True)

    best = best_network(game_map, trains)

    # Further routes, taken for their points, may happen to complete a ticket of their own.
    assert expected <= best.score <= best_score(game_map, trains, connected=False)
    assert best.is_proven
    assert_consistent(game_map, best, trains)


@pytest.mark.compiled_only
@given(puzzles())
@settings(max_examples=examples(24))
def test_best_network_of_any_parts_is_the_best_of_all_sets_of_routes(puzzle: tuple[GameMap, int]) -> None:
    game_map, trains = puzzle

    best = best_network(game_map, trains, components="any")

    assert best.score == best_score(game_map, trains, connected=False)
    assert best.is_proven
    assert_consistent(game_map, best, trains)


def assert_consistent(game_map: GameMap, best: ttr.tickets.BestNetwork, trains: int) -> None:
    """Check that the network is allowed, and scores what it says."""
    assert best.length <= trains == best.trains
    assert len({route.cities for route in best.routes}) == len(best.routes)
    assert best.score == ticket_points(game_map, best.routes) + sum(route.points for route in best.routes)
    assert best.gap == 0
    assert set(best.tickets) == {t for t in game_map.tickets if reached_destinations(t, join_cities(best.routes))}


def far_apart() -> GameMap:
    """Two good tickets at the ends of a long line, three of them in all."""
    game_map = make_board([("A", "B", 1, 0), ("B", "C", 6, 0), ("C", "D", 1, 0), ("D", "E", 6, 0), ("E", "F", 1, 0)])
    tickets = [
        Ticket(f"{a}-{b}", game_map.place(a), ((game_map.place(b), points),))
        for a, b, points in (("A", "B", 9), ("C", "D", 8), ("E", "F", 7), ("A", "F", 1))
    ]
    return replace(game_map, tickets=tuple(tickets))


@pytest.mark.parametrize(
    ("trains", "one", "several"),
    [
        pytest.param(1, 10, 10, id="one ticket"),
        pytest.param(2, 11, 19, id="two parts"),
        pytest.param(3, 12, 27, id="three parts"),
        pytest.param(15, 40, 40, id="the whole line"),
    ],
)
def test_several_parts_are_searched_where_they_are_better(trains: int, one: int, several: int) -> None:
    game_map = far_apart()
    connected = best_score(game_map, trains, connected=True)
    assert connected == one
    assert best_network(game_map, trains).bound >= one
    best = best_network(game_map, trains, components="any")
    assert (best.score, best.bound) == (several, several)


def test_copies_of_a_ticket_each_count() -> None:
    game_map = far_apart()
    ticket = game_map.ticket("E-F")
    doubled = replace(game_map, tickets=(*game_map.tickets, replace(ticket, id="E-F/1")))
    best = best_network(doubled, 1)
    assert [t.id for t in best.tickets] == ["E-F", "E-F/1"]
    assert best.ticket_points == 14


def test_no_trains_score_nothing(nordic: GameMap) -> None:
    best = best_network(nordic, 0, components="any")
    assert (best.score, best.routes, best.tickets, best.bound) == (0, (), (), 0)


def test_routes_alone_count_where_there_are_no_tickets(nordic: GameMap) -> None:
    best = best_network(replace(nordic, tickets=()), 9, components="any")
    assert [route.points for route in best.routes] == [27]


def test_out_of_time_gives_a_bound_that_holds(nordic: GameMap) -> None:
    best = best_network(nordic, 20, components="any", time_limit=0.2)
    assert best.bound >= 114
    assert best.score <= 114
    assert not best.is_proven
    assert best.gap > 0
    assert f"at most {best.bound} possible>" in repr(best)


def test_wrong_options_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="the number of trains must be 0 or more, got -1"):
        best_network(nordic, -1)
    with pytest.raises(ValueError, match="components must be 'one' or 'any', got 'all'"):
        best_network(nordic, components="all")  # type: ignore[arg-type]


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("name", "trains", "components", "score", "from_tickets"),
    [
        # Schaefer & Schaefer, arXiv:2511.08441: 285, of which 223 from tickets.
        pytest.param("usa", 45, "one", 285, 223, id="usa, published"),
        # The nordic map is proven in the example of `best_network`.
        pytest.param("switzerland", 40, "one", 366, 318, id="switzerland"),
        pytest.param("nederland", 40, "one", 527, 480, id="nederland"),
        # Any parts: that of one part is searched before those of several.
        pytest.param("invented", 8, "any", 39, 31, id="invented, in any parts"),
    ],
)
def test_best_networks_of_the_maps_are_proven(
    name: str, trains: int, components: Components, score: int, from_tickets: int
) -> None:
    game_map = load(name)
    best = best_network(game_map, trains, components=components)
    assert (best.score, best.bound, best.scope) == (score, score, components)
    assert best.ticket_points == from_tickets
    assert_consistent(game_map, best, trains)
