"""Ticket values and blocking costs equal what solving each case by itself gives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from ttr_analysis import GameMap

pytestmark = pytest.mark.compiled_only


def trains(game_map: GameMap, *ids: str, closed: tuple[str, ...] = ()) -> int:
    return ttr.tickets.cheapest_network(game_map, ids, closed).length if ids else 0


def test_marginal_trains_equal_those_of_single_solutions() -> None:
    game_map = load("invented")
    table = ttr.tickets.value_table(game_map, n_deals=50)
    ids = [ticket.id for ticket in game_map.tickets]
    for name in ids[:3] + ids[-3:]:
        others = [other for other in ids if other != name]
        on_one = [trains(game_map, name, other) - trains(game_map, other) for other in others]
        on_two = [trains(game_map, name, *pair) - trains(game_map, *pair) for pair in combinations(others, 2)]
        assert table.loc[name, "trains"] == trains(game_map, name)
        assert table.loc[name, "with_one"] == pytest.approx(np.mean(on_one))
        assert table.loc[name, "with_two"] == pytest.approx(np.mean(on_two))


def test_detours_equal_closing_each_track_of_the_network() -> None:
    game_map = load("invented")
    table = ttr.tickets.value_table(game_map, n_deals=10)
    for ticket in game_map.tickets:
        network = ttr.tickets.cheapest_network(game_map, [ticket])
        extra: list[float] = []
        for route in network.routes:
            try:
                extra.append(trains(game_map, ticket.id, closed=(route.id,)) - network.length)
            except ValueError:
                extra.append(float("inf"))
        assert table.loc[ticket.id, "detour"] == max(extra)
        assert table.loc[ticket.id, "detour_mean"] == pytest.approx(np.mean(extra))


@pytest.mark.parametrize("name", EVERY_MAP)
def test_values_make_sense_on_every_map(name: str) -> None:
    game_map = load(name)
    table = ttr.tickets.value_table(game_map, n_deals=400, seed=3)
    assert set(table.index) == {ticket.id for ticket in game_map.tickets}
    assert (table["trains"] > 0).all()
    # What is built already is shared: on average a ticket never costs more on top of others than alone, nor less on
    # top of one than of two.
    assert (table["with_one"] <= table["trains"]).all()
    assert (table["in_deal"] >= 0).all()
    assert (table["detour"] >= 0).all()
    assert table["in_deal_se"].max() < 1
    again = ttr.tickets.value_table(game_map, n_deals=400, seed=3)
    assert table.equals(again)


def test_values_in_deals_settle_with_more_deals(nordic: GameMap) -> None:
    one, other = (ttr.tickets.value_table(nordic, n_deals=3000, seed=seed) for seed in (1, 2))
    other = other.loc[one.index]
    error = (one["in_deal_se"] ** 2 + other["in_deal_se"] ** 2) ** 0.5
    assert ((one["in_deal"] - other["in_deal"]).abs() < 5 * error).all()


def test_pairs_are_what_both_tickets_take_together(any_map: GameMap) -> None:
    pairs = ttr.tickets.best_pairs(any_map)
    assert len(pairs) == len(any_map.tickets) * (len(any_map.tickets) - 1) // 2
    for row in pairs.iloc[[0, 7, -1]].to_dict("records"):
        assert row["trains"] == trains(any_map, row["ticket_a"], row["ticket_b"])
        assert row["apart"] == trains(any_map, row["ticket_a"]) + trains(any_map, row["ticket_b"])
        assert row["saved"] == row["apart"] - row["trains"] >= 0


def test_every_choice_of_a_deal_is_ranked(any_map: GameMap) -> None:
    n = any_map.rules.tickets.opening_deal
    least = any_map.rules.tickets.opening_keep
    deal = any_map.tickets[-n:]
    table = ttr.tickets.which_to_keep(any_map, deal)
    assert len(table) == sum(len(list(combinations(deal, k))) for k in range(least, n + 1))
    assert table["n_kept"].min() == least
    assert table["net"].is_monotonic_decreasing
    for row in table.to_dict("records"):
        network = ttr.tickets.cheapest_network(any_map, row["keep"].split(", "))
        assert (row["trains"], row["ticket_points"]) == (network.length, network.ticket_points)
    with pytest.raises(ValueError, match="2 tickets must be kept, and only 1 are dealt"):
        ttr.tickets.which_to_keep(load("nordic"), ["Oslo-Vaasa"])


def test_a_choice_beyond_the_trains_comes_last(nordic: GameMap) -> None:
    deal = ["København-Murmansk", "Oslo-Honningsvåg", "Oslo-Stockholm"]
    table = ttr.tickets.which_to_keep(nordic, deal, trains=25)
    possible = table["possible"].tolist()
    assert possible == sorted(possible, reverse=True)
    assert False in possible
    closed = [("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")]
    cut_off = ttr.tickets.which_to_keep(nordic, deal, closed=closed)
    assert (cut_off["keep"].str.contains("Murmansk") == ~cut_off["possible"]).all()


def test_blocking_equals_closing_the_tracks() -> None:
    game_map = load("invented")
    table = ttr.tickets.blocking_map(game_map, n_deals=20, seed=5)
    deals = ttr.tickets.random_deals(game_map, 20, np.random.default_rng(5))
    before = [trains(game_map, *(game_map.tickets[i].id for i in deal)) for deal in deals]
    for row in table.to_dict("records"):
        route = game_map.route(row["route"])
        twin = game_map.twin(route)
        closed = (route.id, twin.id) if row["lost"] == "both" and twin else (route.id,)
        extra = []
        for deal, fewest in zip(deals, before, strict=True):
            try:
                extra.append(trains(game_map, *(game_map.tickets[i].id for i in deal), closed=closed) - fewest)
            except ValueError:
                continue
        assert row["deals_lost"] == pytest.approx(1 - len(extra) / len(deals))
        if extra:
            assert row["deal_mean"] == pytest.approx(np.mean(extra))
            assert row["deal_worst"] == max(extra)


@pytest.mark.parametrize("name", EVERY_MAP)
def test_blocking_covers_every_track_and_pair(name: str) -> None:
    game_map = load(name)
    table = ttr.tickets.blocking_map(game_map, n_deals=30)
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
