"""Which tickets of a deal to keep: every choice, its best destinations, and what it costs."""

from __future__ import annotations

from itertools import combinations, product

import pytest

import ttr_analysis as ttr
from ttr_analysis import GameMap

pytestmark = pytest.mark.compiled_only


def best_net(game_map: GameMap, ids: list[str], train_value: float, left: int) -> tuple[bool, float]:
    """Oracle: the best of all choices of destinations, each solved by itself."""
    tickets = game_map.resolve_tickets(ids)
    answers = []
    for names in product(*([place.name for place, _ in ticket.destinations] for ticket in tickets)):
        network = ttr.tickets.cheapest_network(game_map, ids, destinations=dict(zip(ids, names, strict=True)))
        answers.append((network.length <= left, network.points - train_value * network.length))
    return max(answers)


def test_every_choice_of_a_deal_is_ranked(any_map: GameMap) -> None:
    n = any_map.rules.tickets.opening_deal
    least = any_map.rules.tickets.opening_keep
    deal = any_map.tickets[-n:]
    table = ttr.tickets.which_to_keep(any_map, deal, train_value=1.5)
    assert len(table) == sum(len(list(combinations(deal, k))) for k in range(least, n + 1))
    assert table["n_kept"].min() == least
    possible = table[table["possible"]]
    assert possible["net"].is_monotonic_decreasing
    left = any_map.rules.trains.per_player
    for row in table.iloc[:: max(1, len(table) // 6)].to_dict("records"):
        expected = best_net(any_map, row["keep"].split(", "), 1.5, left)
        assert (row["possible"], row["net"]) == (expected[0], pytest.approx(expected[1]))
        assert row["slack"] == left - row["trains"]


def test_a_ticket_to_countries_is_valued_at_its_best_destination(switzerland: GameMap) -> None:
    table = ttr.tickets.which_to_keep(switzerland, ["Zürich-countries", "Bern-Zürich"], at_least=1)
    best = table.to_dict("records")[0]
    assert (best["n_kept"], best["destinations"]) == (2, "Zürich-countries: Italy")
    assert (best["trains"], best["ticket_points"] + best["route_points"]) == (14, 36)


def test_fewer_tickets_than_must_be_kept_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="at least 2 tickets must be kept: expected a number from 1 to the 1 dealt"):
        ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa"])
    with pytest.raises(ValueError, match="at least 0 tickets must be kept"):
        ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa"], at_least=0)


def test_held_tickets_are_always_kept(nordic: GameMap) -> None:
    held = ["København-Murmansk", "Oslo-Vaasa"]
    drawn = ["Oslo-Stockholm", "Narvik-Murmansk", "Bergen-Trondheim"]
    table = ttr.tickets.which_to_keep(nordic, drawn, held=held)
    assert len(table) == 7
    assert not table["drop"].str.contains("København").any()
    for row in table.to_dict("records"):
        kept = row["keep"].split(", ")
        assert row["trains"] == ttr.tickets.cheapest_network(nordic, [*held, *kept]).length
        without_first = ttr.tickets.cheapest_network(nordic, [*held, *kept[1:]]).length
        assert row["marginal"].split(", ")[0] == f"{kept[0]} {row['trains'] - without_first}"


def test_a_choice_beyond_the_trains_comes_last(nordic: GameMap) -> None:
    deal = ["København-Murmansk", "Oslo-Honningsvåg", "Oslo-Stockholm"]
    table = ttr.tickets.which_to_keep(nordic, deal, trains=25)
    possible = table["possible"].tolist()
    assert possible == sorted(possible, reverse=True)
    assert False in possible


def test_what_cannot_be_built_is_told_in_the_same_columns(nordic: GameMap) -> None:
    closed = [("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")]
    deal = ["København-Murmansk", "Narvik-Murmansk"]
    cut_off = ttr.tickets.which_to_keep(nordic, deal, closed=closed)
    assert list(cut_off.columns) == list(ttr.tickets.which_to_keep(nordic, deal).columns)
    assert not cut_off["possible"].any()
    assert cut_off["trains"].isna().all()


def test_trains_on_owned_routes_are_gone(nordic: GameMap) -> None:
    owned = [("Oslo", "Bergen"), ("Lieksa", "Murmansk")]
    table = ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm"], owned=owned)
    best = table.to_dict("records")[0]
    assert best["slack"] == 40 - 4 - 9 - best["trains"]
