"""What routes and tunnels cost as widgets show it: what the exact functions say, for any hand."""

from __future__ import annotations

import re

import numpy as np
import pytest
from traitlets import TraitError

import ttr_analysis as ttr
from tests.widgets.faults import FAULT, fail
from ttr_analysis.cards import CardCounts
from ttr_analysis.widgets.costs import MOST_SHOWN, MOST_SHOWN_ODDS, RouteCosts, TunnelOdds, most_cards, tunnel_choices


def some_cards(rng: np.random.Generator, deck: CardCounts, n: int) -> CardCounts:
    """Return some cards of a deck, drawn blind."""
    return CardCounts(tuple(map(int, rng.multivariate_hypergeometric(deck.counts, n))))


def test_answers_are_those_of_the_exact_functions(any_map: ttr.GameMap) -> None:
    rng = np.random.default_rng(6)
    deck = any_map.rules.deck
    widget = RouteCosts(any_map)

    routes = rng.choice(np.array(any_map.routes, dtype=object), 4, replace=False)
    for route, n_cards in zip(routes, (0, 6, 12, 25), strict=True):
        hand = some_cards(rng, deck, n_cards)
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
    widget.hand = {}
    assert re.search("turns on average; at most [0-9]+ turns nine times in ten[.]$", widget.answer["draws"]["said"])


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


# -- the odds of tunnels -------------------------------------------------------------------


def test_odds_are_those_of_the_exact_function(any_map: ttr.GameMap) -> None:
    rng = np.random.default_rng(7)
    deck, revealed = any_map.rules.deck, any_map.rules.tunnel.revealed
    widget = TunnelOdds(any_map)

    for tunnel in tunnel_choices(any_map).values():
        hand = some_cards(rng, deck, 14)
        seen = some_cards(rng, deck - hand, 5)
        discards = some_cards(rng, deck - hand - seen, 20)
        widget.set_state({"route": tunnel.id, "hand": hand.as_dict(), "seen": seen.as_dict()})
        widget.discards = discards

        pool = deck - hand - seen - discards
        exact = ttr.tunnels.claim_odds(tunnel, hand, pool=pool, discards=discards, revealed=revealed)
        shown = widget.answer["payments"]
        assert widget.answer["n_payments"] == len(exact)
        assert [row["chance"] for row in shown] == [odds.probability for odds in exact[:MOST_SHOWN_ODDS]]
        assert [tuple(row["odds"]) for row in shown] == [odds.distribution for odds in exact[:MOST_SHOWN_ODDS]]
        assert [CardCounts.coerce(row["held"]) for row in shown] == [o.payment.cards for o in exact[:MOST_SHOWN_ODDS]]
        assert widget.answer["unseen"] == pool.as_dict()


@pytest.mark.parametrize("pile", [0, 1, 2, 3, 40])
def test_a_small_pile_is_filled_up_from_the_discards(nordic: ttr.GameMap, pile: int) -> None:
    tunnel, hand, discards = (
        nordic.route("Oslo", "Lillehammer"),
        CardCounts.of(purple=3),
        CardCounts.of(purple=4, red=4),
    )
    widget = TunnelOdds(nordic, tunnel, hand=hand, discards=discards, pile=pile)

    pool = nordic.rules.deck - hand - discards
    exact = ttr.tunnels.claim_odds(tunnel, hand, pool=pool, n_pile=pile, discards=discards)
    assert [row["chance"] for row in widget.answer["payments"]] == [odds.probability for odds in exact]
    assert widget.answer["reshuffled"] == (pile < 3)


def test_the_best_payment_is_said_in_words(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, "length 3", hand={"red": 3, "locomotive": 1})

    assert widget.answer["said"].startswith("With 3 red and 1 locomotive: 89% if you lay down 3 red and keep 1 card")


def test_a_hand_that_does_not_pay_is_told_what_is_missing(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, "length 3", hand={"red": 1})

    assert widget.answer["payments"] == []
    assert widget.answer["said"] == "With 1 red: 2 cards short of the 3 to lay down."
    assert widget.answer["bare"]["color"] == "red"
    assert widget.answer["bare"]["odds"] == list(ttr.tunnels.surcharge_distribution(25, 109))


def test_cards_of_three_places_are_counted_together(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, hand={"red": 10}, discards={"red": 3})

    assert widget.answer["problem"] == "The deck has 12 red cards, not 13: 10 in hand, 3 discarded."
    assert widget.answer["kind"] == "red"
    widget.hand = {"red": 9}
    assert widget.answer["problem"] == ""


def test_a_pile_of_more_cards_than_are_unseen_is_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, hand={"red": 10}, pile=101)

    assert widget.answer["problem"] == "The pile cannot have 101 cards: only 100 are unseen."


def test_a_map_without_tunnels_answers_for_tunnels_in_no_place(usa: ttr.GameMap) -> None:
    assert [route["id"] for route in TunnelOdds(usa).facts["routes"]] == [f"length {n}" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("hand", {"rosa": 1}, "no kind of card 'rosa'"),
        ("hand", {"red": -1}, "0 or more, got -1"),
        ("hand", {"red": True}, "got True"),
        ("hand", {"red": "2"}, "got '2'"),
        ("hand", {"red": 1.5}, "got 1.5"),
        ("seen", "red", "expected cards"),
        ("discards", None, "expected cards"),
        ("pile", -1, "0 or more, or None, got -1"),
        ("pile", True, "got True"),
        ("route", "Oslo", "no route 'Oslo'; did you mean Oslo-"),
        ("route", None, "expected a Route, a route id"),
        ("route", ["Oslo"], "expected a Route, a route id"),
    ],
)
def test_nonsense_about_tunnels_is_refused_and_changes_nothing(
    nordic: ttr.GameMap, name: str, value: object, words: str
) -> None:
    widget = TunnelOdds(nordic)
    before = (getattr(widget, name), widget.answer)

    with pytest.raises(TraitError, match=words):
        setattr(widget, name, value)
    with pytest.raises(TraitError, match=words):
        widget.set_state({name: value})  # as the browser does

    assert (getattr(widget, name), widget.answer) == before


def test_the_browser_cannot_write_odds(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic)
    before = widget.answer

    widget.set_state({"answer": {"said": "100%"}, "facts": {}, "pile": 7})

    assert widget.pile == 7
    assert widget.answer["said"] == before["said"]
    assert widget.facts["revealed"] == 3


def test_a_fault_of_the_package_is_told(nordic: ttr.GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = TunnelOdds(nordic)

    with monkeypatch.context() as broken:
        broken.setattr("ttr_analysis.widgets.costs.tunnel_odds", fail)
        with pytest.raises(IndexError):
            widget.set_state({"hand": {"green": 6}})
    assert widget.answer["problem"].endswith(FAULT)
    widget.set_state({"hand": {"green": 5}})
    assert not widget.answer["problem"]


def test_several_changes_at_once_are_answered_once(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic)
    answers: list[object] = []
    widget.observe(answers.append, "answer")

    widget.set_state({"hand": {"green": 6}, "seen": {"green": 2}, "discards": {"red": 1}})

    assert len(answers) == 1
