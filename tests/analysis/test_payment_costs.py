"""How long a route's cards take, and what else they would earn."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings

import ttr_analysis as ttr
from tests.fixtures import examples
from tests.oracles.draws import enumerate_draws
from tests.oracles.payment import Counts, all_payments
from tests.oracles.strategies import any_route, some_cards
from ttr_analysis.cards import CardCounts
from ttr_analysis.maps.model import GameMap, Route

# -- waiting for the cards ------------------------------------------------


@settings(max_examples=examples(60))
@given(any_route(3), some_cards(2), some_cards(2).filter(lambda c: sum(c) <= 6))
def test_expected_draws_equal_every_order_of_the_pool(route: Route, hand: Counts, pool: Counts) -> None:
    exact = enumerate_draws(pool, hand, lambda cards: bool(all_payments(route, cards)))

    waiting = ttr.payments.expected_draws(route, CardCounts(hand), pool=CardCounts(pool))

    for n, p in enumerate(waiting.cards):
        assert p == pytest.approx(float(exact.get(n, 0)))
    assert waiting.never == pytest.approx(float(exact.get(-1, 0)))
    mean = math.inf if -1 in exact else float(sum(n * p for n, p in exact.items()))
    assert waiting.expected_cards.value == pytest.approx(mean)
    assert waiting.expected_cards.is_exact
    turns = math.inf if -1 in exact else float(sum(-(-n // 2) * p for n, p in exact.items()))
    assert waiting.expected_turns.value == pytest.approx(turns)


def test_spare_cards_take_longer(nordic: GameMap) -> None:
    tunnel = nordic.route("Mo i Rana", "Trondheim", color="green")

    waits = [ttr.payments.expected_draws(tunnel, rules=nordic.rules, spare=n).expected_cards.value for n in range(4)]

    assert waits == pytest.approx([(5 + n) * 111 / 27 for n in range(4)])
    with pytest.raises(ValueError, match="spare must be 0 or more"):
        ttr.payments.expected_draws(tunnel, spare=-1)


def test_a_hand_that_pays_waits_for_nothing(murmansk_lieksa: Route) -> None:
    waiting = ttr.payments.expected_draws(murmansk_lieksa, {"green": 9})

    assert waiting.expected_cards.value == waiting.expected_turns.value == waiting.quantile(1) == 0


# -- what else the cards would earn ---------------------------------------


def _best_by_trying(game_map: GameMap, others: list[Route], trains: int, budget: float, per_claim: int) -> int:
    best = 0
    for n in range(4):
        for chosen in combinations(others, n):
            if len({frozenset(r.cities) for r in chosen}) < n or sum(r.length for r in chosen) > trains:
                continue
            if sum(float(ttr.payments.expected_cards(game_map, r)) + per_claim for r in chosen) <= budget + 1e-9:
                best = max(best, sum(r.points for r in chosen))
    return best


@pytest.mark.parametrize("trains", [4, 7])
def test_the_best_elsewhere_equals_trying_every_set_of_routes(nordic: GameMap, trains: int) -> None:
    """Up to three of eleven routes, double ones and tunnels among them, in few cards."""
    route = nordic.route("Mo i Rana", "Trondheim", color="green")
    pairs = [("Bergen", "Oslo"), ("Kiruna", "Narvik"), ("Oslo", "Lillehammer"), ("Aalborg", "Oslo")]
    pairs += [("Kristiansand", "Stavanger"), ("Göteborg", "Oslo"), ("Helsinki", "Stockholm")]
    others = list(nordic.resolve_routes(pairs))
    closed = [r for r in nordic.routes if r not in others]

    table = ttr.payments.opportunity_cost(nordic, route, trains=trains, closed=[r for r in closed if r is not route])

    assert len(others) == 11
    # A tunnel takes three times 26 of 110 cards more on average; with its color played no more than 5 cards at first.
    cards = 5 + 3 * 26 / 110
    assert table["cards"].tolist() == pytest.approx([cards] * 6)
    assert (table["same_cards"] == _best_by_trying(nordic, others, trains, cards, 0)).all()
    assert (table["same_turns"] == _best_by_trying(nordic, others, trains, cards + 2, 2)).all()


def test_what_27_points_cost(nordic: GameMap, murmansk_lieksa: Route) -> None:
    table = ttr.payments.opportunity_cost(nordic, murmansk_lieksa).set_index("own")

    assert (table["points_per_train"] == 3).all()
    assert (table["best_per_train"] == 2.5).all()
    seven = table.to_dict("index")[7]
    assert (seven["cards"], seven["turns"], seven["points"]) == (15, 8.5, 27)
    assert table.loc[9, "points_per_turn"] == pytest.approx(27 / 5.5)
    # With more trains than nine, the cards of a dear payment earn more elsewhere.
    many = ttr.payments.opportunity_cost(nordic, murmansk_lieksa, trains=40).set_index("own")
    assert (many["same_cards"] >= table["same_cards"]).all()
    assert many["same_cards"].iloc[-1] > 27
    with pytest.raises(ValueError, match="trains must be 0 or more"):
        ttr.payments.opportunity_cost(nordic, murmansk_lieksa, trains=-1)


def test_closed_routes_are_not_built_elsewhere(nordic: GameMap, murmansk_lieksa: Route) -> None:
    others = [r for r in nordic.routes if r.length > 1 and r is not murmansk_lieksa]

    table = ttr.payments.opportunity_cost(nordic, murmansk_lieksa, closed=others)

    ones = {frozenset(r.cities) for r in nordic.routes if r.length == 1}
    assert (table["same_cards"] == min(9, len(ones))).all()


def test_opportunity_cost_of_every_kind_of_route(any_map: GameMap) -> None:
    for kind in {(r.kind, r.swap_size) for r in any_map.routes}:
        route = next(r for r in any_map.routes if (r.kind, r.swap_size) == kind)
        table = ttr.payments.opportunity_cost(any_map, route)
        assert (table["cards"] >= route.length).all()
        by_cards = table.sort_values("cards")
        assert by_cards["same_cards"].is_monotonic_increasing
        # Who claims at all spends a turn on it, as the route itself does: the same turns buy no more cards.
        assert (table["same_turns"] <= table["same_cards"]).all()


def test_the_other_track_of_an_owned_route_is_no_alternative(nordic: GameMap) -> None:
    owned = [nordic.route("Helsinki", "Stockholm", color="gray")]
    table = ttr.payments.opportunity_cost(nordic, nordic.route("Lieksa", "Murmansk"), trains=40, owned=owned)
    assert not table["same_cards_routes"].str.contains("Helsinki-Stockholm").any()
