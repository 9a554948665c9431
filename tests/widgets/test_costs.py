"""What routes cost as a widget shows it: what the exact functions say, for any hand."""

from __future__ import annotations

import numpy as np
import pytest
from traitlets import TraitError

import ttr_analysis as ttr
from ttr_analysis.cards import CardCounts
from ttr_analysis.widgets.costs import MOST_SHOWN, RouteCosts, most_cards


def test_answers_are_those_of_the_exact_functions(any_map: ttr.GameMap) -> None:
    rng = np.random.default_rng(6)
    deck = any_map.rules.deck
    widget = RouteCosts(any_map)

    routes = rng.choice(np.array(any_map.routes, dtype=object), 4, replace=False)
    for route, n_cards in zip(routes, (0, 6, 12, 25), strict=True):
        hand = CardCounts(tuple(map(int, rng.multivariate_hypergeometric(deck.counts, n_cards))))
        widget.set_state({"route": route.id, "hand": hand.as_dict()})
        answer = widget.answer

        cheapest = ttr.payments.cheapest(route, hand)
        options = ttr.payments.options(route, hand)
        table = ttr.payments.color_table(route, hand)
        assert [row["n_cards"] for row in answer["payments"]] == [p.n_cards for p in options[:MOST_SHOWN]]
        assert answer["n_payments"] == ttr.payments.options(route, hand, sets="all").n_options
        assert answer["missing"] == table["missing"].min()
        assert [row["color"] for row in answer["colors"]] == list(table.index)
        assert [row["missing"] for row in answer["colors"]] == list(table["missing"])
        if cheapest is None:
            waiting = ttr.payments.expected_draws(route, hand, rules=any_map.rules)
            assert answer["cheapest"] is None
            assert answer["draws"]["turns"] in {waiting.expected_turns.value, None}
        else:
            assert CardCounts.coerce(answer["cheapest"]["held"]) == cheapest.cards
            assert answer["missing"] == 0


def test_the_route_that_takes_the_most_cards_leads(any_map: ttr.GameMap) -> None:
    first, *others = (any_map.route(row["id"]) for row in RouteCosts(any_map).facts["routes"])

    assert len(others) == len(any_map.routes) - 1
    assert most_cards(first) == max(map(most_cards, any_map.routes))


def test_murmansk_lieksa_leads_and_takes_36_less_3k_cards(nordic: ttr.GameMap) -> None:
    widget = RouteCosts(nordic)

    assert widget.route == "Lieksa-Murmansk/0"
    assert [point["cards"] for point in widget.answer["curve"]["points"]] == [36 - 3 * k for k in range(10)]
    assert widget.answer["curve"]["said"] == "36 − 3k cards, with k of the color"


def test_the_curve_counts_the_locomotives_held(nordic: ttr.GameMap) -> None:
    ferry = nordic.route("Aalborg", "Kristiansand")

    for locomotives in range(3):
        points = RouteCosts(nordic, ferry, hand={"locomotive": locomotives}).answer["curve"]["points"]
        assert [p["cards"] for p in points] == [
            ttr.payments.cards_needed(ferry, own=own, locomotives=locomotives) for own in range(len(points))
        ]


def test_locomotives_that_are_no_jokers_are_not_counted(nordic: ttr.GameMap) -> None:
    curve = RouteCosts(nordic, hand={"green": 3, "locomotive": 5}).answer["curve"]

    assert curve["locomotives"] == 0
    assert [point["cards"] for point in curve["points"]] == [36 - 3 * k for k in range(10)]


def test_cards_that_cannot_pay_have_no_number(nordic: ttr.GameMap) -> None:
    route = next(route for route in nordic.routes if route.kind == "plain" and not route.swap_size)
    widget = RouteCosts(nordic, route, hand={})

    assert [p["cards"] for p in widget.answer["curve"]["points"]] == [None] * route.length + [route.length]


def test_locomotives_can_be_spared(nordic: ttr.GameMap) -> None:
    widget = RouteCosts(nordic, ("Aalborg", "Kristiansand"), hand={"red": 1, "blue": 3, "locomotive": 1})

    assert widget.answer["cheapest"]["words"] == "1 red and 1 locomotive"
    assert widget.answer["sparing"]["words"] == "1 red; in sets 3 blue"


def test_a_tunnel_says_its_odds(nordic: ttr.GameMap) -> None:
    tunnel, hand = nordic.route("Oslo", "Lillehammer"), {"purple": 2, "locomotive": 1}
    best = ttr.tunnels.best_payment(tunnel, hand)

    assert best is not None
    assert RouteCosts(nordic, tunnel, hand=hand).answer["tunnel"]["chance"] == best.probability


def test_more_cards_than_the_deck_has_are_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    assert RouteCosts(nordic, hand={"red": 13}).answer["problem"] == "The deck has 12 red cards, not 13: 13 in hand."


def test_a_hand_of_half_the_deck_is_answered(any_map: ttr.GameMap) -> None:
    hand = CardCounts(tuple(n // 2 for n in any_map.rules.deck))

    assert RouteCosts(any_map, hand=hand).answer["cheapest"] is not None


def test_what_is_no_single_route_is_refused(nordic: ttr.GameMap) -> None:
    widget = RouteCosts(nordic)
    others: list[object] = ["Oslo", 3, None, [], ["Oslo"], ["Oslo", "Murmansk"], ["Oslo", "Bergen"], list("abc"), {}]

    for route in others:
        with pytest.raises(TraitError, match="route"):
            widget.set_state({"route": route})
        assert widget.route == "Lieksa-Murmansk/0"


def test_routes_can_be_named_as_people_do(nordic: ttr.GameMap) -> None:
    widget = RouteCosts(nordic, ("lahti", "imatra"))
    assert widget.route == "Imatra-Lahti/0"
    widget.route = nordic.route("Oslo", "Bergen", color="red")
    assert widget.route == "Bergen-Oslo/1"
