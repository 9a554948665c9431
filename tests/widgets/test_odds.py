"""The odds of tunnels as a widget shows them: those of the exact functions, and refused where they cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from traitlets import TraitError

import ttr_analysis as ttr
from tests.widgets.faults import FAULT, fail
from ttr_analysis.cards import CardCounts
from ttr_analysis.widgets.costs import MOST_SHOWN_ODDS, TunnelOdds, tunnels_to_ask


def some_cards(rng: np.random.Generator, deck: CardCounts, n: int) -> CardCounts:
    """Return some cards of a deck, drawn blind."""
    return CardCounts(tuple(map(int, rng.multivariate_hypergeometric(deck.counts, n))))


def test_answers_are_those_of_the_exact_function(any_map: ttr.GameMap) -> None:
    rng = np.random.default_rng(7)
    deck, revealed = any_map.rules.deck, any_map.rules.tunnel.revealed
    widget = TunnelOdds(any_map)

    for tunnel in tunnels_to_ask(any_map).values():
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


def test_more_cards_than_the_deck_has_are_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, hand={"red": 10}, discards={"red": 3})

    assert widget.answer["problem"] == "The deck has 12 red cards, not 13: 10 in hand, 3 discarded."
    assert widget.answer["kind"] == "red"
    widget.hand = {"red": 9}
    assert widget.answer["problem"] == ""


def test_a_pile_of_more_cards_than_are_unseen_is_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    widget = TunnelOdds(nordic, hand={"red": 10}, pile=101)

    assert widget.answer["problem"] == "The pile cannot have 101 cards: only 100 are unseen."


def test_a_map_without_tunnels_answers_for_tunnels_in_no_place() -> None:
    usa = ttr.load_map("usa")

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
def test_nonsense_is_refused_and_changes_nothing(nordic: ttr.GameMap, name: str, value: object, words: str) -> None:
    widget = TunnelOdds(nordic)
    before = (getattr(widget, name), widget.answer)

    with pytest.raises(TraitError, match=words):
        setattr(widget, name, value)
    with pytest.raises(TraitError, match=words):
        widget.set_state({name: value})  # as the browser does

    assert (getattr(widget, name), widget.answer) == before


def test_the_browser_cannot_write_answers(nordic: ttr.GameMap) -> None:
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
