"""Which tickets several stations could still save, together."""

from __future__ import annotations

from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples, load
from tests.oracles.networks import trains_for
from ttr_analysis import GameMap, Route
from ttr_analysis.analysis.tickets.feasibility import StationNetworks, may_borrow
from ttr_analysis.analysis.tickets.network import forest_solver

pytestmark = pytest.mark.compiled_only

OWNED = ["Roma-Venezia/0"]
TICKET = "Zürich-Brindisi"


def around(game_map: GameMap, *cities: str) -> list[str]:
    """Return the ids of the routes to some cities."""
    return [route.id for route in game_map.routes if set(cities) & set(route.cities)]


def test_two_stations_together_save_what_none_saves_alone(europe: GameMap) -> None:
    closed = around(europe, "Zürich", "Brindisi")

    answer = ttr.tickets.feasibility(europe, [TICKET], trains=40, owned=OWNED, closed=closed)

    (saving,) = answer.stations
    assert not answer.possible
    assert {route.id for route in saving.routes} == {"Venezia-Zürich/0", "Brindisi-Roma/0"}
    assert saving.trains == 0
    assert repr(answer).endswith("; possible with stations in Brindisi or Roma and in Venezia or Zürich, and 0 trains>")
    table = ttr.tickets.which_to_keep(europe, [TICKET], trains=40, owned=OWNED, closed=closed, at_least=1)
    assert table["warning"].tolist() == [f"{TICKET} can no longer be completed; possible with {saving}"]


def test_the_score_agrees_with_what_two_stations_lend(europe: GameMap) -> None:
    game = ttr.Game(europe, n_players=4)
    owners = {OWNED[0]: 0} | dict.fromkeys(around(europe, "Zürich", "Brindisi"), 1)
    tickets = [[TICKET], [], [], []]

    def is_completed(*cities: str) -> bool:
        stations = dict.fromkeys(cities, 0)
        score = game.score(game.position(owners=owners, tickets=tickets, stations=stations))[0]
        return score.n_completed == 1

    assert not is_completed()
    assert not is_completed("Zürich")
    assert not is_completed("Brindisi")
    assert is_completed("Zürich", "Brindisi")


def test_no_more_stations_are_used_than_are_left(europe: GameMap) -> None:
    closed = around(europe, "Zürich", "Brindisi")
    found = [
        len(ttr.tickets.feasibility(europe, [TICKET], trains=40, owned=OWNED, closed=closed, stations=n).stations)
        for n in range(4)
    ]
    assert found == [0, 0, 1, 1]
    table = ttr.tickets.which_to_keep(europe, [TICKET], trains=40, owned=OWNED, closed=closed, at_least=1, stations=1)
    assert table["warning"].tolist() == [f"{TICKET} can no longer be completed"]


def test_each_route_borrowed_takes_a_station_in_one_of_its_cities(europe: GameMap) -> None:
    """Without trains and routes, three stations borrow all of a way of three routes; two do not."""
    ticket, solver = europe.ticket("Paris-Wien"), forest_solver(europe, [route.id for route in europe.routes])

    def may(built: dict[str, int], stations: int) -> bool:
        return may_borrow(solver, ticket, 0, 1, built, stations)

    assert [may({}, n) for n in range(4)] == [False, False, False, True]
    assert [may({"Frankfurt": 1, "München": 1}, n) for n in range(2)] == [False, True]
    assert not may({"Lisboa": 1, "Cádiz": 1, "Madrid": 1}, 0)
    assert not may(dict.fromkeys((city.name for city in europe.cities), 0), 3)


def test_more_stations_than_the_rules_give_are_refused() -> None:
    with pytest.raises(ValueError, match="stations must be from 0 to 3, the number in the rules, got 4"):
        ttr.tickets.feasibility("europe", [TICKET], stations=4)
    with pytest.raises(ValueError, match="from 0 to 0, the number in the rules, got 1"):
        ttr.tickets.which_to_keep("nordic", ["Oslo-Vaasa"], at_least=1, stations=1)


def pair_of(route: Route) -> tuple[str, ...]:
    return tuple(sorted(route.cities))


def fewest_trains(game_map: GameMap, tickets: list[str], closed: list[str], n_lent: int) -> float:
    """Oracle: lend every set of so many closed routes, one of each two between the same cities."""
    lendable = {pair_of(game_map.route(name)): name for name in closed}
    lengths = (
        trains_for(game_map, tickets, {*closed} - {*lent}, lent) for lent in combinations(lendable.values(), n_lent)
    )
    return min(lengths, default=inf)


@settings(max_examples=examples(15))
@given(st.data())
def test_the_fewest_stations_are_those_of_trying_all(data: st.DataObject) -> None:
    game_map = load(data.draw(st.sampled_from(["europe", "invented"]), label="map"))
    chosen = data.draw(
        st.lists(st.sampled_from(game_map.tickets), min_size=1, max_size=2, unique=True), label="tickets"
    )
    ends = {city for ticket in chosen for city in ticket.origin.cities}
    near = sorted({pair_of(route) for route in game_map.routes if ends & set(route.cities)})
    far = data.draw(st.lists(st.sampled_from([pair_of(route) for route in game_map.routes]), max_size=6), label="far")
    shut = {*near[: 10 - len(far)], *far}
    closed = [route.id for route in game_map.routes if pair_of(route) in shut]
    left = data.draw(st.integers(0, 15), label="trains")

    lenders = StationNetworks(forest_solver(game_map, closed), chosen, closed, 3)

    for bits in range(1, 1 << len(chosen)):
        some = [ticket.id for i, ticket in enumerate(chosen) if bits >> i & 1]
        lengths = [fewest_trains(game_map, some, closed, n_lent) for n_lent in range(4)]
        enough = [(n_lent, length) for n_lent, length in enumerate(lengths) if length <= left]
        found = lenders.fewest(bits, left)
        expected = enough[0] if enough and enough[0][0] > 0 else None
        assert (found and (len(found.routes), found.trains)) == expected
        if found:
            lent = {route.id for route in found.routes}
            assert trains_for(game_map, some, {*closed} - lent, lent) == found.trains
