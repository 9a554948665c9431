"""Whether tickets can be completed, and what breaks them."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from tests.oracles.networks import trains_for
from ttr_analysis import CardCounts, GameMap, Route
from ttr_analysis.analysis.tickets.feasibility import missing_cards
from ttr_analysis.cards import COLORS

pytestmark = pytest.mark.compiled_only


def broken_by(game_map: GameMap, tickets: list[str], trains: int) -> set[frozenset[str]]:
    """Oracle: close every route, and every two routes of which neither alone breaks the tickets."""
    ids = [route.id for route in game_map.routes]

    def breaks(*closed: str) -> bool:
        return trains_for(game_map, tickets, closed) > trains

    single = {name for name in ids if breaks(name)}
    pairs = {frozenset(pair) for pair in combinations(sorted(set(ids) - single), 2) if breaks(*pair)}
    return {frozenset([name]) for name in single} | pairs


@pytest.mark.parametrize("spare", [0, 1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_bottlenecks_equal_closing_every_route_and_pair(seed: int, spare: int) -> None:
    game_map = load("invented")
    rng = np.random.default_rng(seed)
    tickets = [game_map.tickets[i].id for i in rng.choice(len(game_map.tickets), 2, replace=False)]
    trains = int(trains_for(game_map, tickets)) + spare
    answer = ttr.tickets.feasibility(game_map, tickets, trains)
    assert answer.possible
    assert answer.slack == spare
    found = {frozenset(route.id for route in b.routes) for b in answer.bottlenecks}
    assert found == broken_by(game_map, tickets, trains)
    for bottleneck in answer.bottlenecks:
        assert (bottleneck.trains or inf) == trains_for(game_map, tickets, bottleneck.routes)


def test_with_few_players_the_loss_of_one_track_is_the_loss_of_both(nordic: GameMap) -> None:
    tracks = [f"Mo i Rana-Trondheim/{track}" for track in (0, 1)]
    for n_players, ids, n_claims in ((None, tracks[:1], 1), (3, tracks[:1], 1), (2, tracks, 1)):
        answer = ttr.tickets.feasibility(nordic, ["Oslo-Mo i Rana"], trains=10, n_players=n_players)
        assert (ids, n_claims) in [([route.id for route in b.routes], b.n_claims) for b in answer.bottlenecks]
    both = [f"Oslo-Örebro/{track}" for track in (0, 1)]
    for n_players, n_claims in ((3, 2), (2, 1)):
        answer = ttr.tickets.feasibility(nordic, ["Oslo-Stockholm"], trains=4, n_players=n_players)
        assert (both, n_claims) in [([route.id for route in b.routes], b.n_claims) for b in answer.bottlenecks]


def test_a_station_still_saves_what_is_cut_off() -> None:
    europe, closed = load("europe"), [("Edinburgh", "London")]
    for n_players in (2, None):
        answer = ttr.tickets.feasibility(europe, ["Edinburgh-Paris"], closed=closed, n_players=n_players)
        (station,) = answer.stations
        assert not answer.possible
        assert set(station.route.cities) == {"Edinburgh", "London"}
        owned = ttr.tickets.feasibility(europe, ["Edinburgh-Paris"], owned=[station.route])
        assert station.trains == owned.length
        assert repr(answer).endswith("; possible with a station in Edinburgh or London, and 3 trains>")

    table = ttr.tickets.which_to_keep(europe, ["Edinburgh-Paris", "Brest-Venezia"], closed=closed, at_least=1)
    told = table.set_index("keep")["warning"]
    assert (
        told["Edinburgh-Paris"]
        == "Edinburgh-Paris can no longer be completed; possible with a station in Edinburgh or London, and 3 trains"
    )
    assert "station" not in told["Brest-Venezia"]


def test_a_station_still_saves_what_takes_too_many_trains(europe: GameMap) -> None:
    rng = np.random.default_rng(8)
    n_saved = 0
    for _ in range(6):
        tickets = [europe.tickets[i].id for i in rng.choice(len(europe.tickets), 2, replace=False)]
        closed = [europe.routes[i].id for i in rng.choice(len(europe.routes), 30, replace=False)]
        answer = ttr.tickets.feasibility(europe, tickets, 12, closed=closed)
        expected = set()
        for name in closed:
            others = [other for other in closed if other != name]
            length = trains_for(europe, tickets, others, [name])
            if length <= 12 and not answer.possible:
                expected.add((frozenset(europe.route(name).cities), length))
        alone = [station for station in answer.stations if not station.more]
        assert {(frozenset(station.route.cities), station.trains) for station in alone} == expected
        n_saved += len(expected)
    assert n_saved > 0


def test_where_no_stations_are_played_none_saves_anything(nordic: GameMap) -> None:
    closed = [("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")]
    assert ttr.tickets.feasibility(nordic, ["København-Murmansk"], closed=closed).stations == ()


def test_why_not_says_what_is_missing(nordic: GameMap) -> None:
    short = ttr.tickets.feasibility(nordic, ["København-Murmansk"], trains=20)
    assert (short.possible, short.slack, short.why_not) == (False, -4, "it takes 24 trains and 20 are left")
    cut = ttr.tickets.feasibility(
        nordic, ["København-Murmansk"], closed=[("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")]
    )
    assert (cut.possible, cut.network, cut.slack, cut.routes) == (False, None, None, ())
    assert "cut off by closed routes Kirkenes-Murmansk/0, Lieksa-Murmansk/0" in cut.why_not
    assert repr(cut).startswith("<Feasibility of 1 ticket: impossible, cannot be completed: København to Murmansk 24")


@pytest.mark.parametrize("name", EVERY_MAP)
def test_feasibility_holds_together_on_every_map(name: str) -> None:
    game_map = load(name)
    rng = np.random.default_rng(11)
    for n_tickets in (1, 3):
        tickets = [game_map.tickets[i] for i in rng.choice(len(game_map.tickets), n_tickets, replace=False)]
        hand = CardCounts(tuple(int(n) for n in rng.integers(0, 4, 9)))
        answer = ttr.tickets.feasibility(game_map, tickets, hand=hand)
        network = answer.network
        assert network is not None
        assert answer.slack == game_map.rules.trains.per_player - network.length
        assert answer.expected_cards >= network.length
        assert len(answer.bottleneck_table) == len(answer.bottlenecks)
        assert answer.payable == (answer.n_missing == 0) or answer.payable
        assert answer._repr_html_().count("<tr>") == len(network.routes) + 1
        owned = list({route.cities: route for route in network.routes}.values())[:2]
        later = ttr.tickets.feasibility(game_map, tickets, owned=owned)
        assert later.length == network.length - sum(route.length for route in owned)


def test_tolls_force_loans(nederland: GameMap) -> None:
    routes = nederland.resolve_routes([("Breda", "Rotterdam"), ("Amsterdam", "Haarlem")])
    assert [route.toll for route in routes] == [1, 1, 4, 4]
    loans = [ttr.tickets.fewest_loans(routes, tokens) for tokens in (0, 1, 2, 5, 6, 9, 10)]
    assert loans == [4, 3, 2, 2, 1, 1, 0]
    assert ttr.tickets.feasibility(nederland, ["'s-Gravenhage-Antwerpen"], tokens=1).loans > 0
    owned = nederland.routes[:12]
    assert sum(route.toll for route in owned) == 30
    assert ttr.tickets.feasibility(nederland, ["'s-Gravenhage-Antwerpen"], owned=owned).loans > 0
    assert ttr.tickets.feasibility(load("nordic"), ["Oslo-Vaasa"]).loans == 0


def test_the_other_track_of_a_closed_one_is_closed_for_few_players(nordic: GameMap) -> None:
    closed = ["Sundsvall-Umeå/0"]
    assert ttr.tickets.feasibility(nordic, ["Aalborg-Umeå"], trains=11, closed=closed, n_players=3).possible
    assert ttr.tickets.feasibility(nordic, ["Aalborg-Umeå"], trains=11, closed=closed, n_players=2).length == 12
    assert ttr.tickets.cheapest_network(nordic, ["Aalborg-Umeå"], closed, n_players=2).length == 12
    with pytest.raises(ValueError, match="Nordic Countries is for 2 to 3 players, got 9"):
        ttr.tickets.feasibility(nordic, ["Aalborg-Umeå"], n_players=9)


def test_trains_on_the_board_are_gone(nordic: GameMap) -> None:
    owned = [route for route in nordic.routes if route.track == 0][:12]
    answer = ttr.tickets.feasibility(nordic, ["København-Murmansk"], owned=owned)
    assert answer.trains == 40 - sum(route.length for route in owned) == 11
    assert answer.why_not == "it takes 18 trains and 11 are left"


def test_one_opponent_takes_no_two_tracks_between_the_same_cities(nederland: GameMap) -> None:
    for n_players, expected in ((2, False), (3, True)):
        answer = ttr.tickets.feasibility(nederland, ["'s-Gravenhage-Amsterdam"], trains=3, n_players=n_players)
        pairs = [{route.cities for route in b.routes} for b in answer.bottlenecks if b.n_claims == 2]
        assert any(len(pair) == 1 for pair in pairs) == expected


def test_only_what_cuts_a_ticket_off_is_named(nordic: GameMap) -> None:
    closed = [route for route in nordic.routes if {"Murmansk", "Bergen"} & set(route.cities)]
    answer = ttr.tickets.feasibility(nordic, ["København-Murmansk"], closed=closed)
    assert answer.why_not.endswith("cut off by closed routes Kirkenes-Murmansk/0, Lieksa-Murmansk/0")


def fewest_lacking(routes: list[Route], hand: CardCounts) -> int:
    """Oracle: try every color for every route, and every way to share out the locomotives."""
    spaces = sum(route.length for route in routes)
    colors = [range(8) if r.color == "gray" else [COLORS.index(r.color)] for r in routes]
    best = 0
    for choice in np.array(np.meshgrid(*colors)).T.reshape(-1, len(routes)):
        wanted = np.zeros(8, dtype=int)
        for route, color in zip(routes, choice, strict=True):
            wanted[color] += route.length - route.locomotives
        singles = int(np.minimum(wanted, hand.counts[:8]).sum())
        # What is left for jokers: the spaces of routes that allow them, once the others took what there is.
        plain_only = np.zeros(8, dtype=int)
        for route, color in zip(routes, choice, strict=True):
            if not route.locomotives_allowed:
                plain_only[color] += route.length - route.locomotives
        stuck = int(np.maximum(plain_only - np.array(hand.counts[:8]), 0).sum())
        open_to_jokers = int(wanted.sum()) - singles - stuck
        symbols = sum(route.locomotives for route in routes)
        best = max(best, singles + min(hand.locomotives, symbols + max(0, open_to_jokers)))
    return spaces - best


@pytest.mark.parametrize("name", EVERY_MAP)
def test_missing_cards_are_the_fewest(name: str) -> None:
    game_map = load(name)
    rng = np.random.default_rng(5)
    for _ in range(12):
        routes = [game_map.routes[i] for i in rng.choice(len(game_map.routes), 3, replace=False)]
        hand = CardCounts(tuple(int(n) for n in rng.integers(0, 5, 9)))
        missing = missing_cards(routes, hand)
        assert sum(lack.n_cards + lack.n_locomotives for lack in missing) == fewest_lacking(routes, hand)
