"""Which tickets of a deal to keep: every choice, its best destinations, and what it costs."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations, product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import load
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
    with pytest.raises(ValueError, match=r"expected at least 2 tickets, the fewest to keep .*, got 1"):
        ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa"])
    with pytest.raises(ValueError, match=r"at_least must be from 1 to 1, .* got 0"):
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


def test_few_trains_to_spare_are_warned_of_even_where_the_worst_loss_can_be_made_good(nordic: GameMap) -> None:
    """Played out, all five are completed in half of the games."""
    deal = ["Helsinki-Bergen", "Oslo-Honningsvåg", "Tampere-Tallinn", "Stockholm-Umeå", "Narvik-Tallinn"]
    best = ttr.tickets.which_to_keep(nordic, deal).to_dict("records")[0]
    assert (best["n_kept"], best["possible"], best["slack"]) == (5, True, 8)
    assert best["detour"] <= best["slack"]
    assert best["warning"] == "only 8 of 40 trains to spare"
    enough = ttr.tickets.which_to_keep(nordic, deal[2:], at_least=1).set_index("keep")
    assert enough.loc["Tampere-Tallinn", "warning"] == ""


def test_the_least_is_kept_where_nothing_fits(usa: GameMap) -> None:
    deal = ["Portland-Nashville", "Seattle-New York", "Los Angeles-New York"]
    table = ttr.tickets.which_to_keep(usa, deal, at_least=1, trains=8)
    assert table["keep"].tolist()[0] == "Portland-Nashville"
    assert table["keep"].tolist()[-1] == ", ".join(deal)
    assert table["net"].tolist() == [-17, -21, -22, -38, -39, -43, -60]
    assert not table["possible"].any()
    assert (table["written_off"] == table["keep"]).all()
    assert (table["net"] == -table["at_risk"]).all()
    last = table.to_dict("records")[-1]
    assert (last["trains"], last["slack"]) == (0, 8)
    assert last["warning"] == f"21 trains too few, {', '.join(deal[:2])} and {deal[2]} written off"


def test_a_held_ticket_that_is_lost_counts_the_same_in_every_row(usa: GameMap) -> None:
    deal = ["Kansas City-Houston", "Denver-El Paso", "Seattle-New York"]
    closed = [route for route in usa.routes if "Miami" in route.cities]
    for trains in (12, 45):
        alone = ttr.tickets.which_to_keep(usa, deal, at_least=1, closed=closed, trains=trains)
        table = ttr.tickets.which_to_keep(usa, deal, held=["Boston-Miami"], closed=closed, trains=trains)
        assert table["keep"].tolist() == alone["keep"].tolist()
        assert (table["net"] + 12).tolist() == pytest.approx(alone["net"].tolist())
        for same in ("trains", "slack", "detour", "marginal", "points_per_train"):
            assert table[same].tolist() == pytest.approx(alone[same].tolist(), nan_ok=True)
        assert table["written_off"].str.endswith("Boston-Miami").all()
        assert table["warning"].str.startswith("Boston-Miami can no longer be completed").all()


def test_a_held_ticket_beyond_the_trains_is_written_off(usa: GameMap) -> None:
    deal = ["Kansas City-Houston", "Denver-El Paso", "Seattle-New York"]
    table = ttr.tickets.which_to_keep(usa, deal, held=["Los Angeles-Miami"], trains=12)
    best = table.to_dict("records")[0]
    assert (best["keep"], best["written_off"]) == ("Kansas City-Houston, Denver-El Paso", "Los Angeles-Miami")
    assert (best["ticket_points"], best["trains"], best["slack"]) == (5 + 4 - 20, 9, 3)
    assert best["points_per_train"] == (9 + 9) / 9
    assert best["warning"] == (
        "14 trains too few, Los Angeles-Miami written off; "
        "3 trains to spare, but 4 more needed if the worst route is lost"
    )


def most_net(game_map: GameMap, ids: list[str], train_value: float, left: int, closed: list[str]) -> tuple[bool, float]:
    """Oracle: try every way to write tickets off, and every destination of the others."""

    def networks(some: tuple[str, ...]) -> list[ttr.tickets.Network]:
        found = []
        places = ([place.name for place, _ in game_map.ticket(name).destinations] for name in some)
        for names in product(*places):
            with suppress(ttr.tickets.NoNetworkError):
                ends = dict(zip(some, names, strict=True))
                found.append(ttr.tickets.cheapest_network(game_map, some, closed, destinations=ends))
        return found

    def best(kept: tuple[str, ...]) -> float:
        lost = sum(game_map.ticket(name).penalty for name in ids if name not in kept)
        fitting = [n for n in networks(kept) if n.length <= left]
        return max((n.points - train_value * n.length for n in fitting), default=-inf) - lost

    still_open = tuple(name for name in ids if networks((name,)))
    if best(still_open) > -inf:
        return len(still_open) == len(ids), best(still_open)
    return False, max(best(kept) for n in range(len(still_open)) for kept in combinations(still_open, n))


@given(st.data())
def test_net_is_that_of_the_best_tickets_to_write_off(data: st.DataObject) -> None:
    game_map = load(data.draw(st.sampled_from(["usa", "switzerland", "invented"]), label="map"))
    names = [ticket.id for ticket in game_map.tickets]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=2, max_size=4, unique=True), label="tickets")
    n_held = data.draw(st.integers(0, len(chosen) - 1), label="held")
    routes = [route.id for route in game_map.routes]
    closed = data.draw(st.lists(st.sampled_from(routes), max_size=len(routes) // 2, unique=True), label="closed")
    left = data.draw(st.integers(0, 30), label="trains")
    held, deal = chosen[:n_held], chosen[n_held:]

    table = ttr.tickets.which_to_keep(
        game_map, deal, held=held, at_least=1, train_value=2.0, trains=left, closed=closed
    )

    assert table["net"].is_monotonic_decreasing
    for row in table.to_dict("records"):
        kept = [*row["keep"].split(", "), *held]
        possible, net = most_net(game_map, kept, 2.0, left, closed)
        assert (row["possible"], row["net"]) == (possible, pytest.approx(net))
        assert row["net"] == pytest.approx(row["ticket_points"] + row["route_points"] - 2.0 * row["trains"])
        assert row["slack"] == left - row["trains"] >= 0
        assert row["possible"] == (row["written_off"] == "")
        assert set(filter(None, row["written_off"].split(", "))) <= set(kept)


def test_what_cannot_be_built_is_told_in_the_same_columns(nordic: GameMap) -> None:
    closed = [("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")]
    deal = ["København-Murmansk", "Narvik-Murmansk"]
    cut_off = ttr.tickets.which_to_keep(nordic, deal, closed=closed)
    assert list(cut_off.columns) == list(ttr.tickets.which_to_keep(nordic, deal).columns)
    assert not cut_off["possible"].any()
    assert (cut_off["trains"] == 0).all()
    assert cut_off["warning"].tolist() == ["København-Murmansk and Narvik-Murmansk can no longer be completed"]


def test_fewer_than_no_trains_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="the trains left must be 0 or more, got -1"):
        ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa"], at_least=1, trains=-1)
    with pytest.raises(ValueError, match="the trains left must be 0 or more, got -1"):
        ttr.tickets.feasibility(nordic, ["Oslo-Vaasa"], trains=-1)


def test_trains_on_owned_routes_are_gone(nordic: GameMap) -> None:
    owned = [("Oslo", "Bergen"), ("Lieksa", "Murmansk")]
    table = ttr.tickets.which_to_keep(nordic, ["Oslo-Vaasa", "Oslo-Stockholm"], owned=owned)
    best = table.to_dict("records")[0]
    assert best["slack"] == 40 - 4 - 9 - best["trains"]
