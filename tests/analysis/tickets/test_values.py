"""Ticket values and blocking costs equal what solving each case by itself gives."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import inf

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from tests.oracles.networks import trains_for
from ttr_analysis import GameMap

pytestmark = pytest.mark.compiled_only


def test_marginal_trains_equal_those_of_single_solutions() -> None:
    game_map = load("invented")
    table = ttr.tickets.value_table(game_map, n_deals=50)
    ids = [ticket.id for ticket in game_map.tickets]
    for name in ids[:3] + ids[-3:]:
        others = [other for other in ids if other != name]
        on_one = [trains_for(game_map, [name, other]) - trains_for(game_map, [other]) for other in others]
        on_two = [trains_for(game_map, [name, *pair]) - trains_for(game_map, pair) for pair in combinations(others, 2)]
        assert table.loc[name, "trains"] == trains_for(game_map, [name])
        assert table.loc[name, "with_one"] == pytest.approx(np.mean(on_one))
        assert table.loc[name, "with_two"] == pytest.approx(np.mean(on_two))


def test_detours_equal_closing_each_track_of_the_network() -> None:
    game_map = load("invented")
    table = ttr.tickets.value_table(game_map, n_deals=10)
    for ticket in game_map.tickets:
        network = ttr.tickets.cheapest_network(game_map, [ticket])
        extra = [trains_for(game_map, [ticket], [route]) - network.length for route in network.routes]
        assert table.loc[ticket.id, "detour"] == max(extra)
        assert table.loc[ticket.id, "detour_mean"] == pytest.approx(np.mean(extra))
    assert (table["detour_both"] >= table["detour"]).all()


def test_the_other_track_is_lost_too_where_few_play(nordic: GameMap) -> None:
    table = ttr.tickets.value_table(nordic, n_deals=10)
    row = table.to_dict("index")["Stockholm-Bergen"]
    assert (row["detour"], row["detour_both"]) == (0, 2)


def test_tickets_to_countries_tell_the_nearest_and_the_best_destination(switzerland: GameMap) -> None:
    row = ttr.tickets.value_table(switzerland, n_deals=10).to_dict("index")["Lugano-countries"]
    assert (row["destination"], row["points"], row["trains"]) == ("Italy", 2, 2)
    assert (row["most_points"], row["most_points_trains"]) == (14, 14)


@pytest.mark.parametrize("n_tickets", [1, 2])
def test_maps_with_few_tickets_have_values_too(nordic: GameMap, n_tickets: int) -> None:
    table = ttr.tickets.value_table(replace(nordic, tickets=nordic.tickets[:n_tickets]), n_deals=10)
    assert table["with_two"].isna().all()
    assert table["trains"].tolist() == [trains_for(nordic, [name]) for name in table.index]
    with pytest.raises(ValueError, match="at least one deal is needed, got 0"):
        ttr.tickets.blocking_map(nordic, n_deals=0)


@pytest.mark.parametrize("name", EVERY_MAP)
def test_values_make_sense_on_every_map(name: str) -> None:
    game_map = load(name)
    table = ttr.tickets.value_table(game_map, n_deals=200, seed=3)
    assert set(table.index) == {ticket.id for ticket in game_map.tickets}
    assert (table["trains"] > 0).all()
    # What is built already is shared: on average a ticket never costs more on top of others than alone, nor less on
    # top of one than of two.
    assert (table["with_one"] <= table["trains"]).all()
    assert (table["in_deal"] >= 0).all()
    assert (table["detour"] >= 0).all()
    assert table["in_deal_se"].max() < 1.5


def test_values_in_deals_settle_with_more_deals(invented: GameMap) -> None:
    one, again, other = (ttr.tickets.value_table(invented, n_deals=300, seed=seed) for seed in (1, 1, 2))
    assert one.equals(again)
    other = other.loc[one.index]
    error = (one["in_deal_se"] ** 2 + other["in_deal_se"] ** 2) ** 0.5
    assert ((one["in_deal"] - other["in_deal"]).abs() < 5 * error).all()


def test_pairs_are_what_both_tickets_take_together(any_map: GameMap) -> None:
    pairs = ttr.tickets.best_pairs(any_map)
    assert len(pairs) == len(any_map.tickets) * (len(any_map.tickets) - 1) // 2
    for row in pairs.iloc[[0, 7, -1]].to_dict("records"):
        assert row["trains"] == trains_for(any_map, [row["ticket_a"], row["ticket_b"]])
        assert row["apart"] == trains_for(any_map, [row["ticket_a"]]) + trains_for(any_map, [row["ticket_b"]])
        assert row["saved"] == row["apart"] - row["trains"] >= 0


def test_blocking_equals_closing_the_tracks() -> None:
    game_map = load("invented")
    table = ttr.tickets.blocking_map(game_map, n_deals=20, seed=5)
    deals = [
        [game_map.tickets[i] for i in deal] for deal in ttr.tickets.random_deals(game_map, 20, np.random.default_rng(5))
    ]
    before = [trains_for(game_map, deal) for deal in deals]
    for row in table.to_dict("records"):
        route = game_map.route(row["route"])
        twin = game_map.twin(route)
        closed = (route, twin) if row["lost"] == "both" and twin else (route,)
        after = [trains_for(game_map, deal, closed) for deal in deals]
        extra = [trains - fewest for trains, fewest in zip(after, before, strict=True) if trains < inf]
        assert row["deals_lost"] == pytest.approx(1 - len(extra) / len(deals))
        if extra:
            assert row["deal_mean"] == pytest.approx(np.mean(extra))
            assert row["deal_worst"] == max(extra)


@pytest.mark.parametrize("name", EVERY_MAP)
def test_blocking_covers_every_track_and_pair(name: str) -> None:
    game_map = load(name)
    table = ttr.tickets.blocking_map(game_map, n_deals=10)
    n_double = sum(game_map.twin(route) is not None for route in game_map.routes) // 2
    assert len(table) == len(game_map.routes) + n_double
    both = table[table["lost"] == "both"].set_index("route")
    track = table[table["lost"] == "track"].set_index("route").loc[both.index]
    assert (both["ticket_mean"] >= track["ticket_mean"]).all()
    equal = [game_map.route(name) for name in both.index]
    for route in equal:
        twin = game_map.twin(route)
        if twin is not None and twin.length == route.length:
            assert track.loc[route.id, "ticket_worst"] == 0


def test_deals_have_as_many_tickets_of_each_deck_as_are_dealt(europe: GameMap) -> None:
    deals = ttr.tickets.random_deals(europe, 400, np.random.default_rng(0))
    decks = [[europe.tickets[i].deck for i in deal] for deal in deals]
    assert decks == [["long", "short", "short", "short"]] * 400
    assert all(len(set(deal)) == 4 for deal in deals.tolist())
    assert set(deals.ravel()) == set(range(len(europe.tickets)))


def test_deals_of_very_many_tickets_are_cut_to_what_can_be_solved() -> None:
    game_map = load("invented")
    rules = replace(game_map.rules, tickets=replace(game_map.rules.tickets, opening_deal=12))
    deals = ttr.tickets.random_deals(replace(game_map, rules=rules), 3, np.random.default_rng(0))
    assert deals.shape == (3, 7)
    assert all(len(set(deal)) == 7 for deal in deals.tolist())
