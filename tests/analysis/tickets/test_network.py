"""The cheapest network against an integer program and against every set of routes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from tests.oracles.boards import boards, make_board
from tests.oracles.steiner_milp import cheapest_cost
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.tickets import Network, NoNetworkError, cheapest_network, fewest_trains
from ttr_analysis.analysis.tickets.network import forest_solver, join_cities, reached_destinations
from ttr_analysis.analysis.tickets.steiner import MAX_TICKETS, TRAIN_SHIFT, pack_cost
from ttr_analysis.maps.model import GameMap, Place, Route, Ticket

T = TypeVar("T")

N_SETS = {1: 5, 2: 4, 3: 2, 4: 1, 5: 1}
"""Random sets of so many tickets on each map; large ones take the integer program seconds each."""
SEEDS = {1: 5, 2: 12, 3: 0, 4: 15, 5: 11}
"""Some sets go to countries, some nowhere, and none takes the integer program as long as all others together."""


def sample(rng: np.random.Generator, things: Sequence[T], n: int) -> list[T]:
    """Return `n` different things."""
    return [things[i] for i in rng.choice(len(things), n, replace=False)]


def make_ticket(origin: Place, *destinations: Place, points: int = 5) -> Ticket:
    """Return a home-made ticket."""
    names = "+".join(place.name for place in destinations)
    return Ticket(f"{origin.name}-{names}", origin, tuple((place, points + i) for i, place in enumerate(destinations)))


def ticket_on(game_map: GameMap, a: str, b: str) -> Ticket:
    return make_ticket(game_map.place(a), game_map.place(b))


def cost_of(network: Network) -> tuple[int, int, int]:
    """Return the trains, routes and tokens of a network."""
    return network.length, len(network.routes), network.toll


def assert_completes(network: Network, closed: list[Route]) -> None:
    """Check that a network holds what it says, and uses no closed route."""
    assert not set(network.routes) & set(closed)
    assert not set(network.routes) & set(network.owned)
    parts = join_cities(network.routes + network.owned)
    assert network.reached == tuple(reached_destinations(ticket, parts) for ticket in network.tickets)
    assert all(network.reached)
    assert network.ticket_points > 0


@pytest.mark.compiled_only
@pytest.mark.parametrize("n_tickets", N_SETS)
@pytest.mark.parametrize("name", EVERY_MAP)
def test_network_equals_an_integer_program(name: str, n_tickets: int) -> None:
    game_map = load(name)
    rng = np.random.default_rng([*name.encode(), n_tickets, SEEDS[n_tickets]])
    n_impossible = n_countries = 0
    for _ in range(N_SETS[n_tickets]):
        tickets = sample(rng, game_map.tickets, n_tickets)
        taken = sample(rng, game_map.routes, int(rng.choice([0, 6, 12, 24])))
        n_closed = rng.integers(len(taken) + 1)
        closed, owned = taken[:n_closed], taken[n_closed:]
        expected = cheapest_cost(game_map, tickets, closed, owned)
        n_countries += any(len(ticket.destinations) > 1 for ticket in tickets)

        if expected is None:
            n_impossible += 1
            with pytest.raises(NoNetworkError):
                cheapest_network(game_map, tickets, closed, owned)
        else:
            network = cheapest_network(game_map, tickets, closed, owned)
            assert cost_of(network) == expected
            assert_completes(network, closed)
    assert n_impossible <= N_SETS[n_tickets] / 2
    assert n_countries or not any(len(ticket.destinations) > 1 for ticket in game_map.tickets)


@pytest.mark.compiled_only
@pytest.mark.parametrize("table", [("usa", "1910"), ("usa", "mega"), ("europe", "mega"), ("europe", "big_cities")])
def test_networks_of_other_tickets_equal_an_integer_program(table: tuple[str, str]) -> None:
    game_map = load(table[0]).with_variant(table[1])
    rng = np.random.default_rng(5)
    for n_tickets in (1, 2, 2):
        tickets = sample(rng, game_map.tickets, n_tickets)
        assert cost_of(cheapest_network(game_map, tickets)) == cheapest_cost(game_map, tickets, [], [])


@pytest.mark.compiled_only
def test_a_whole_deal_of_the_largest_game_is_solved() -> None:
    mega = load("europe").with_variant("mega")
    tickets = sample(np.random.default_rng(5), mega.tickets, mega.rules.tickets.opening_deal)
    assert len(tickets) == MAX_TICKETS
    assert_completes(cheapest_network(mega, tickets), [])


Question = tuple[GameMap, list[Ticket], list[Route], list[Route]]
"""A small board, tickets between any groups of its cities, and routes closed and owned."""


@st.composite
def questions(draw: st.DrawFn) -> Question:
    game_map = draw(boards(max_cities=6, max_extra=4))
    names = [city.name for city in game_map.cities]
    groups = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)
    tickets = []
    for i in range(draw(st.integers(1, 4))):
        origin, *destinations = (
            Place("/".join(sorted(cities)) + f"/{i}{j}", tuple(cities))
            for j, cities in enumerate(draw(st.lists(groups, min_size=2, max_size=3)))
        )
        tickets.append(make_ticket(origin, *destinations))
    state = draw(st.lists(st.sampled_from(["open", "open", "closed", "owned"]), min_size=9, max_size=9))
    closed, owned = (
        [r for r, is_ in zip(game_map.routes, state, strict=False) if is_ == kind] for kind in ("closed", "owned")
    )
    return game_map, tickets, closed, owned


def enumerate_networks(
    game_map: GameMap, tickets: list[Ticket], closed: list[Route], owned: list[Route]
) -> list[tuple[int, int, int, int]]:
    """Oracle: trains, routes, tokens, tunnels and ferries of every set of routes that completes the tickets."""
    free = [route for route in game_map.routes if route not in closed and route not in owned]
    costs = []
    for chosen in chain.from_iterable(combinations(free, n) for n in range(len(free) + 1)):
        parts = join_cities([*chosen, *owned])
        if all(reached_destinations(ticket, parts) for ticket in tickets):
            special = sum(route.kind != "plain" for route in chosen)
            costs.append((sum(r.length for r in chosen), len(chosen), sum(r.toll for r in chosen), special))
    return costs


@given(questions())
def test_network_is_the_cheapest_of_all_sets_of_routes(question: Question) -> None:
    game_map, tickets, closed, owned = question
    costs = enumerate_networks(game_map, tickets, closed, owned)
    if not costs:
        with pytest.raises(NoNetworkError):
            cheapest_network(game_map, tickets, closed, owned)
        return

    network = cheapest_network(game_map, tickets, closed, owned)

    assert cost_of(network) == min(costs)[:3]
    assert_completes(network, closed)


@given(questions(), st.sampled_from([(), ("tunnels",), ("tolls",), ("gray", "ferries")]))
def test_network_by_toll_is_the_cheapest_without_what_is_avoided(question: Question, avoid: tuple[str, ...]) -> None:
    game_map, tickets, closed, owned = question
    is_avoided: dict[str, Callable[[Route], bool]] = {
        "tunnels": lambda route: route.tunnel,
        "ferries": lambda route: route.kind == "ferry",
        "gray": lambda route: route.color == "gray",
        "tolls": lambda route: route.toll > 0,
    }
    shut = [r for r in game_map.routes if r not in owned and (r in closed or any(is_avoided[a](r) for a in avoid))]
    costs = enumerate_networks(game_map, tickets, shut, owned)
    if not costs:
        with pytest.raises(NoNetworkError):
            cheapest_network(game_map, tickets, closed, owned, weight="toll", avoid=avoid)
        return

    network = cheapest_network(game_map, tickets, closed, owned, weight="toll", avoid=avoid)

    trains, n_routes, toll = cost_of(network)
    assert (toll, trains, n_routes) == min((cost[2], cost[0], cost[1]) for cost in costs)
    assert_completes(network, shut)


def test_a_network_goes_around_cities_but_not_around_what_is_owned(nordic: GameMap) -> None:
    whole = cheapest_network(nordic, ["Bergen-Narvik"])
    between = min({city for route in whole.routes for city in route.cities} - {"Bergen", "Narvik"})
    around = cheapest_network(nordic, ["Bergen-Narvik"], avoid=[between])
    assert not any(between in route.cities for route in around.routes)
    assert around.length > whole.length
    with pytest.raises(NoNetworkError):
        cheapest_network(nordic, ["Bergen-Narvik"], avoid=["Bergen"])
    first = [route for route in whole.routes if "Bergen" in route.cities]
    assert cheapest_network(nordic, ["Bergen-Narvik"], owned=first, avoid=["Bergen"]).routes == tuple(
        route for route in whole.routes if route not in first
    )


def test_trains_are_taken_for_length(nordic: GameMap) -> None:
    tickets = ["Oslo-Vaasa", "Bergen-Narvik"]
    assert cheapest_network(nordic, tickets, weight="trains") == cheapest_network(nordic, tickets)


@given(questions())
def test_costs_of_all_subsets_equal_single_ones(question: Question) -> None:
    game_map, tickets, closed, owned = question
    subsets = [[t for i, t in enumerate(tickets) if mask >> i & 1] for mask in range(1 << len(tickets))]

    costs = forest_solver(game_map, closed, owned).subset_costs(tickets, np.arange(len(tickets))[None])[0]

    trains = fewest_trains(game_map, subsets, closed, owned)
    assert [-1 if n == -1 else int(c) >> TRAIN_SHIFT for n, c in zip(trains, costs, strict=True)] == trains


@pytest.mark.compiled_only
def test_network_does_not_depend_on_the_order_of_the_tickets(any_map: GameMap) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        tickets = sample(rng, any_map.tickets, 4)
        network = cheapest_network(any_map, tickets)
        assert cheapest_network(any_map, tickets[::-1]).routes == network.routes


def test_a_network_asked_for_again_is_at_hand_however_its_routes_are_named(nordic: GameMap) -> None:
    route = nordic.route("Oslo", "Örebro", color="green")
    network = cheapest_network(nordic, ["Oslo-Stockholm"], closed=[route])
    assert cheapest_network(nordic, [("Oslo", "Stockholm")], closed=[route.id]) is network
    assert cheapest_network(nordic, ["Oslo-Stockholm"], owned=[route]) != network


def test_no_tickets_want_no_routes(nordic: GameMap) -> None:
    assert cheapest_network(nordic, []) == Network((), ())
    assert fewest_trains(nordic, [[], ["Oslo-Vaasa"]]) == [0, 9]
    assert fewest_trains(nordic, []) == []


# -- forests, countries, double routes ------------------------------------------


def test_two_trees_are_cheaper_than_one() -> None:
    #  A-B and C-D lie far apart.
    game_map = make_board([("A", "B", 1, 0), ("B", "C", 6, 0), ("C", "D", 1, 0)])
    tickets = [ticket_on(game_map, a, b) for a, b in ("AB", "CD")]

    network = cheapest_network(game_map, tickets)

    assert network.length == 2
    assert network.components == (("A", "B"), ("C", "D"))


def test_one_tree_serves_three_tickets() -> None:
    #  A star is cheaper than the three sides of the triangle.
    game_map = make_board([("A", "B", 3, 0), ("B", "C", 3, 0), ("A", "C", 3, 0), *((c, "M", 2, 0) for c in "ABC")])
    tickets = [ticket_on(game_map, a, b) for a, b in ("AB", "BC", "AC")]

    assert cheapest_network(game_map, tickets).length == 6
    assert fewest_trains(game_map, [tickets[:1], tickets[:2]]) == [3, 6]


def test_most_real_hands_are_forests_of_several_trees_now_and_then(nordic: GameMap) -> None:
    rng = np.random.default_rng(0)
    n_parts = [len(cheapest_network(nordic, sample(rng, nordic.tickets, 3)).components) for _ in range(100)]
    assert min(n_parts) == 1
    assert max(n_parts) >= 2


def test_nothing_passes_through_a_country() -> None:
    #  Through the country it would be 2 trains from A to B; its border points are not connected by it.
    game_map = make_board(
        [("A", "Abroad a", 1, 0), ("Abroad b", "B", 1, 0), ("A", "B", 5, 0)],
        countries={"Abroad": ("Abroad a", "Abroad b")},
    )
    home, abroad = game_map.place("A"), game_map.place("Abroad")

    assert fewest_trains(game_map, [[make_ticket(home, game_map.place("B"))], [make_ticket(home, abroad)]]) == [5, 1]


def test_tickets_to_the_same_country_may_use_different_border_points(switzerland: GameMap) -> None:
    network = cheapest_network(
        switzerland,
        ["Lugano-countries", "Zürich-countries"],
        destinations={"Lugano-countries": "Italy", "Zürich-countries": "Germany"},
    )
    assert [route.id for route in network.routes if "Italy" in route.id] == ["Italy via Lugano-Lugano/0"]
    assert len(network.components) == 2


@pytest.mark.compiled_only
def test_border_points_are_ends_of_every_swiss_network(switzerland: GameMap) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        network = cheapest_network(switzerland, sample(rng, switzerland.tickets, 5))
        for city in switzerland.border_points:
            assert sum(city in route.cities for route in network.routes) <= 1


def test_country_ticket_goes_to_its_cheapest_destination_and_says_which(switzerland: GameMap) -> None:
    ticket = switzerland.ticket("Zürich-countries")
    trains = {
        place.name: cheapest_network(switzerland, [ticket], destinations={ticket.id: place.name}).length
        for place, _ in ticket.destinations
    }

    network = cheapest_network(switzerland, [ticket])

    assert network.length == min(trains.values())
    assert [trains[name] for name in network.reached[0]] == [network.length]


def test_country_ticket_scores_the_best_destination_that_it_happens_to_reach(switzerland: GameMap) -> None:
    ticket = switzerland.ticket("Bern-countries")
    network = cheapest_network(switzerland, [ticket], destinations={ticket.id: "Germany"})
    assert network.reached == (("Germany",),)
    assert network.ticket_points == 6

    austria = ttr.paths.shortest_path(switzerland, "Bern", "Austria via Davos").routes
    network = cheapest_network(switzerland, [ticket], owned=austria, destinations={ticket.id: "Germany"})
    assert set(network.reached[0]) == {"Austria", "Germany"}
    assert network.ticket_points == 11


def test_of_two_tracks_the_shorter_then_the_plain_one_is_named(nordic: GameMap) -> None:
    #  Kristiansand-Stavanger: a tunnel of 2 and a ferry of 3.
    ticket = make_ticket(nordic.place("Kristiansand"), nordic.place("Stavanger"))
    tunnel, ferry = sorted(nordic.routes_between("Kristiansand", "Stavanger"), key=lambda r: r.length)
    assert cheapest_network(nordic, [ticket]).routes == (tunnel,)
    assert cheapest_network(nordic, [ticket], closed=[tunnel]).routes == (ferry,)


def test_lower_toll_decides_between_equal_tracks() -> None:
    game_map = make_board([("A", "B", 2, 3), ("A", "B", 2, 1)])
    network = cheapest_network(game_map, [ticket_on(game_map, "A", "B")])
    assert [route.id for route in network.routes] == ["A-B/1"]
    assert network.toll == 1


def test_plain_track_goes_before_a_ferry_of_the_same_length() -> None:
    game_map = make_board([("A", "B", 2, 0), ("A", "B", 2, 0)])
    ferry = replace(game_map, routes=(replace(game_map.routes[0], locomotives=1), game_map.routes[1]))
    ticket = ticket_on(game_map, "A", "B")
    assert [route.id for route in cheapest_network(game_map, [ticket]).routes] == ["A-B/0"]
    assert [route.id for route in cheapest_network(ferry, [ticket]).routes] == ["A-B/1"]


def test_fewer_routes_go_before_a_lower_toll() -> None:
    game_map = make_board([("A", "B", 4, 3), ("A", "M", 2, 0), ("B", "M", 2, 0)])
    network = cheapest_network(game_map, [ticket_on(game_map, "A", "B")])
    assert [route.id for route in network.routes] == ["A-B/0"]


def test_owned_routes_cost_nothing_and_are_listed_apart(nordic: GameMap) -> None:
    path = ttr.paths.shortest_path(nordic, "Oslo", "Stockholm").routes
    network = cheapest_network(nordic, ["Oslo-Stockholm"], owned=path)
    assert (network.length, network.routes, set(network.owned)) == (0, (), set(path))
    assert (network.ticket_points, network.route_points) == (4, 0)


# -- what cannot be done --------------------------------------------------------


def test_what_cuts_a_ticket_off_is_named(nordic: GameMap) -> None:
    closed = [("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk"), ("Oslo", "Bergen")]
    with pytest.raises(
        NoNetworkError, match=r"København to Murmansk 24; cut off by closed routes Kirk.*, Lieksa"
    ) as error:
        cheapest_network(nordic, ["København-Murmansk", "Oslo-Vaasa"], closed=closed)
    assert [ticket.id for ticket in error.value.tickets] == ["København-Murmansk"]
    assert {route.cities for route in error.value.cut} == {("Kirkenes", "Murmansk"), ("Lieksa", "Murmansk")}


def test_ends_that_the_map_does_not_join_are_named() -> None:
    game_map = make_board([("A", "B", 1, 0), ("C", "D", 1, 0)])
    with pytest.raises(NoNetworkError, match="A to D 5; no routes connect the ends"):
        cheapest_network(game_map, [ticket_on(game_map, "A", "D")])


def test_bad_questions_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="cannot be both closed and owned, got both for Bergen-Oslo/0, Bergen-Oslo/1"):
        cheapest_network(nordic, ["Oslo-Vaasa"], closed=[("Oslo", "Bergen")], owned=[("Oslo", "Bergen")])
    with pytest.raises(ValueError, match="at most 7 tickets can be solved exactly at once, got 8"):
        cheapest_network(nordic, nordic.tickets[: MAX_TICKETS + 1])
    with pytest.raises(ValueError, match=r"each ticket once, got repeats of Oslo-Vaasa"):
        cheapest_network(nordic, ["Oslo-Vaasa", "Oslo-Vaasa"])
    with pytest.raises(UnknownNameError, match="no weight 'tolls'; did you mean toll"):
        cheapest_network(nordic, ["Oslo-Vaasa"], weight="tolls")  # type: ignore[arg-type]


def test_copies_of_a_ticket_are_two_tickets(switzerland: GameMap) -> None:
    network = cheapest_network(switzerland, ["France-countries/0", "France-countries/1"])
    assert network.length == fewest_trains(switzerland, [["France-countries/0"]])[0]
    assert network.ticket_points == 2 * network.tickets[0].score(network.reached[0])


def test_wrong_destinations_are_refused(switzerland: GameMap) -> None:
    with pytest.raises(UnknownNameError, match=r"destination of Bern-countries 'Spain'; did you mean Austria"):
        cheapest_network(switzerland, ["Bern-countries"], destinations={"Bern-countries": "Spain"})
    with pytest.raises(
        UnknownNameError, match=r"ticket among those given 'Chur-countries'; did you mean Bern-countries"
    ):
        cheapest_network(switzerland, ["Bern-countries"], destinations={"Chur-countries": "Italy"})


def test_network_shows_itself(nordic: GameMap) -> None:
    network = cheapest_network(nordic, ["Oslo-Vaasa", "Oslo-Stockholm"])
    assert repr(network) == "<Network for 2 tickets: 10 trains in 5 routes, 24 points (13 tickets + 11 routes)>"
    assert "2 tickets" in network._repr_html_()


def test_packed_costs_compare_the_toll_first_where_it_is_asked_for() -> None:
    parts = [(2, 3, 40, 3, 4), (3, 0, 40, 0, 0), (0, 2, 41, 0, 0), (900, 0, 41, 0, 0), (0, 0, 42, 0, 0)]
    packed = [pack_cost(*p, toll_first=True) for p in parts]
    assert packed == sorted(packed)


def test_packed_costs_compare_part_by_part() -> None:
    parts = [(2, 3, 40, 3, 4), (2, 3, 41, 0, 0), (2, 4, 0, 0, 0), (3, 0, 0, 0, 0)]
    packed = [pack_cost(*p) for p in parts]
    assert packed == sorted(packed)
    assert [p >> TRAIN_SHIFT for p in packed] == [trains for trains, *_ in parts]


def test_any_two_places_can_be_joined(usa: GameMap) -> None:
    network = cheapest_network(usa, [("boston", "seattle")])

    assert (network.length, network.ticket_points) == (ttr.paths.shortest_path(usa, "Boston", "Seattle").length, 0)
    assert str(network.tickets[0]) == "Boston to Seattle 0"
    assert fewest_trains(usa, [[("Boston", "Seattle")]]) == [network.length]
    assert ttr.tickets.feasibility(usa, [("Boston", "Seattle")], trains=5).possible is False
    assert "svg" in network._repr_html_()


def test_a_pair_of_places_with_a_ticket_is_the_ticket(usa: GameMap) -> None:
    assert cheapest_network(usa, [("miami", "boston")]).tickets == (usa.ticket("Boston", "Miami"),)


def test_what_cannot_be_joined_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no city or country 'Seatle'; did you mean Seattle"):
        cheapest_network("usa", [("Boston", "Seatle")])
    with pytest.raises(UnknownNameError, match="no ticket 'Boston-Seattle'; did you mean Boston-Miami"):
        cheapest_network("usa", ["Boston-Seattle"])
    with pytest.raises(ValueError, match="expected two different places, got Boston twice"):
        cheapest_network("usa", [("Boston", "boston")])
    with pytest.raises(TypeError, match="expected a Ticket, a ticket id or a pair of places, got"):
        cheapest_network("usa", [("Boston", "Seattle", "Miami")])  # type: ignore[list-item]
