"""Payments of a hand for a route, against trying everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples
from tests.oracles.payment import Counts, all_forms, all_payments, make_route, pays_all, spread
from tests.oracles.strategies import any_route, some_cards
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CARD_KINDS, COLORS, FULL_DECK, GRAY, LOCOMOTIVE_INDEX, N_COLORS, CardCounts
from ttr_analysis.maps.model import GameMap, Route

# -- all payments ---------------------------------------------------------


@given(any_route(), some_cards())
def test_all_options_are_every_way_to_pay(route: Route, hand: Counts) -> None:
    everything = ttr.payments.options(route, CardCounts(hand), sets="all")

    payments = list(everything)
    assert sorted(p.cards.counts for p in payments) == sorted(all_payments(route, hand))
    assert len(payments) == everything.n_options
    assert [p.n_cards for p in payments] == sorted(p.n_cards for p in payments)
    assert all(ttr.payments.why_illegal(route, p) is None for p in payments)


@given(any_route(), some_cards())
def test_representatives_are_one_for_each_form(route: Route, hand: Counts) -> None:
    payments = ttr.payments.options(route, CardCounts(hand))

    forms = [p.form for p in payments]
    assert sorted(map(str, forms)) == sorted(map(str, all_forms(route, hand)))
    assert all(p.cards <= CardCounts(hand) and ttr.payments.is_legal(route, p) for p in payments)
    assert ttr.payments.can_pay(route, CardCounts(hand)) == bool(payments)


def test_payments_for_every_route_of_every_map(any_map: GameMap) -> None:
    rng = np.random.default_rng(2)
    for route in any_map.routes:
        color = int(rng.integers(N_COLORS)) if route.color == GRAY else COLORS.index(route.color)
        other = (color + 1 + int(rng.integers(N_COLORS - 1))) % N_COLORS
        most = {color: min(6, route.length), other: min(6, route.length + 1), LOCOMOTIVE_INDEX: 3}
        hand = spread({kind: int(rng.integers(0, n + 1)) for kind, n in most.items()})

        everything = ttr.payments.options(route, CardCounts(hand), sets="all")

        assert {p.cards.counts for p in everything} == all_payments(route, hand), (route, hand)
        assert everything.n_options == len(all_payments(route, hand))


def test_a_large_hand_is_counted_without_listing(murmansk_lieksa: Route) -> None:
    everything = ttr.payments.options(murmansk_lieksa, FULL_DECK, sets="all")

    assert everything.n_options > 10**8
    assert next(iter(everything)) == Payment("purple", 9, 0)


def test_a_payment_in_words() -> None:
    sets = CardCounts.of(blue=1, red=2)
    assert str(Payment(None, 0, 0, sets)) == "1 blue, 2 red in sets"
    assert str(Payment("red", 2, 1, sets)) == "2 red, 1 locomotive, and 1 blue, 2 red in sets"


def test_sets_is_one_of_two(murmansk_lieksa: Route) -> None:
    with pytest.raises(ValueError, match="'representative' or 'all', got 'some'"):
        ttr.payments.options(murmansk_lieksa, {}, sets="some")  # type: ignore[call-overload]


# -- the cheapest ---------------------------------------------------------


def _broken(wanted: Counts, hand: Counts, cards: Counts) -> int:
    """Return how many wanted cards that were there are there no more."""
    before = sum(map(min, wanted, hand))
    after = sum(min(w, h - c) for w, h, c in zip(wanted, hand, cards, strict=True))
    return before - after


@given(any_route(), some_cards(), some_cards(2), st.permutations(["purple", "green", "red", "locomotive"]), st.data())
def test_the_cheapest_is_the_best_of_all_payments(
    route: Route, hand: Counts, wanted: Counts, kinds: list[str], data: st.DataObject
) -> None:
    order = kinds[: data.draw(st.integers(1, 4))]
    legal = all_payments(route, hand)

    def number(cards: Counts) -> tuple[int, ...]:
        return sum(cards), cards[LOCOMOTIVE_INDEX]

    def spent(cards: Counts) -> tuple[int, ...]:
        return (*(cards[CARD_KINDS.index(kind)] for kind in order), *number(cards))

    found = {
        "cards": (ttr.payments.cheapest(route, CardCounts(hand)), number),
        "locomotives": (
            ttr.payments.cheapest(route, CardCounts(hand), keep="locomotives"),
            lambda cards: (cards[LOCOMOTIVE_INDEX], sum(cards)),
        ),
        "order": (ttr.payments.cheapest(route, CardCounts(hand), keep=order), spent),
        "wanted": (
            ttr.payments.cheapest(route, CardCounts(hand), keep=CardCounts(wanted)),
            lambda cards: (_broken(wanted, hand, cards), *number(cards)),
        ),
    }

    for name, (payment, cost) in found.items():
        if not legal:
            assert payment is None
        else:
            assert payment is not None
            assert payment.cards.counts in legal
            assert cost(payment.cards.counts) == min(map(cost, legal)), name


def test_an_order_that_does_not_exist_is_refused(murmansk_lieksa: Route) -> None:
    with pytest.raises(UnknownNameError, match="did you mean locomotives"):
        ttr.payments.cheapest(murmansk_lieksa, {}, keep="locomotive")
    with pytest.raises(UnknownNameError, match="did you mean green"):
        ttr.payments.cheapest(murmansk_lieksa, {}, keep=["gren"])


# -- legal or not, and why ------------------------------------------------


@given(any_route(), some_cards())
def test_legal_cards_make_a_payment(route: Route, cards: Counts) -> None:
    laid = CardCounts(cards)
    if ttr.payments.is_legal(route, laid):
        payment = ttr.payments.from_cards(route, laid)
        assert payment.cards == laid
        assert ttr.payments.is_legal(route, payment)
    else:
        reason = ttr.payments.why_illegal(route, laid)
        assert reason is not None
        assert reason.startswith("Here-There")
        with pytest.raises(ValueError, match="Here-There"):
            ttr.payments.from_cards(route, laid)


@pytest.mark.parametrize(
    ("route", "cards", "reason"),
    [
        pytest.param(make_route(3, "red", jokers=False), {"red": 2}, "takes exactly 3 cards, got 2", id="too few"),
        pytest.param(make_route(3, "red"), {"red": 4}, "takes exactly 3 cards, got 4", id="too many"),
        pytest.param(
            make_route(2, symbols=1, swap_size=3), {"red": 7}, "takes at most 6 cards, got 7", id="too many for sets"
        ),
        pytest.param(
            make_route(2, symbols=1, swap_size=3), {"red": 1}, "takes at least 2 cards, got 1", id="too few for sets"
        ),
        pytest.param(
            make_route(2, symbols=1, swap_size=3), {"red": 3}, "3 cards are not 2 plus complete sets", id="half a set"
        ),
        pytest.param(
            make_route(2, symbols=1, swap_size=3),
            {"red": 2},
            "each of its 1 locomotive symbols needs a locomotive or 3 cards for it",
            id="no locomotive",
        ),
        pytest.param(make_route(3, "red", jokers=False), {"red": 2, "locomotive": 1}, "not wild", id="joker"),
        pytest.param(make_route(3, "red"), {"red": 2, "blue": 1}, "must be red, got 1 blue, 2 red", id="color"),
        pytest.param(make_route(3), {"red": 2, "blue": 1}, "must be of one color, got 1 blue, 2 red", id="two colors"),
        pytest.param(
            make_route(9, jokers=False, swap_size=4), {"red": 5, "blue": 4}, "outside sets must be of one", id="no sets"
        ),
    ],
)
def test_why_cards_do_not_pay(route: Route, cards: dict[str, int], reason: str) -> None:
    assert reason in str(ttr.payments.why_illegal(route, cards))
    assert not ttr.payments.is_legal(route, cards)


def test_a_payment_must_be_split_as_it_says() -> None:
    ferry = make_route(3, "green", symbols=1, swap_size=3)

    assert ttr.payments.is_legal(ferry, Payment("green", 2, 0, CardCounts.of(green=3)))
    assert "but not split as in this payment" in str(
        ttr.payments.why_illegal(ferry, Payment("green", 5, 0)),
    )
    assert "but not split as in this payment" in str(
        ttr.payments.why_illegal(ferry, Payment("red", 2, 0, CardCounts.of(green=2, locomotive=1))),
    )


@pytest.mark.parametrize(
    ("route", "hand", "reason"),
    [
        pytest.param(
            make_route(4, "blue", jokers=False),
            {"blue": 2, "locomotive": 3},
            "Here-There (blue, 4) needs 4 blue, got 2 blue (locomotives are not wild here): "
            "at least 2 more cards are needed",
            id="no jokers",
        ),
        pytest.param(
            make_route(4, "blue"),
            {"blue": 2, "locomotive": 1, "red": 5},
            "Here-There (blue, 4) needs 4 blue, got 2 blue and 1 locomotive: at least 1 more card is needed",
            id="jokers",
        ),
        pytest.param(
            make_route(3, "blue", symbols=2),
            {"blue": 2},
            "Here-There (blue, 3) needs 1 blue and 2 locomotives, got 2 blue and 0 locomotives: "
            "at least 2 more cards are needed",
            id="symbols",
        ),
        pytest.param(
            make_route(3, "blue", symbols=1, swap_size=3),
            {"blue": 2, "red": 2},
            "Here-There (blue, 3) needs 5 cards with 2 blue and 0 locomotives, got 4: at least 1 more card is needed",
            id="sets",
        ),
    ],
)
def test_why_a_hand_does_not_pay(route: Route, hand: dict[str, int], reason: str) -> None:
    assert ttr.payments.why_not(route, hand) == reason


@given(any_route(), some_cards())
def test_there_is_a_reason_exactly_if_a_hand_does_not_pay(route: Route, hand: Counts) -> None:
    assert (ttr.payments.why_not(route, CardCounts(hand)) is None) == bool(all_payments(route, hand))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("green", 0, 1), "expected a color with cards outside sets"),
        ((None, 2, 1), "expected a color with cards outside sets"),
        (("green", -1, 1), "own must be 0 or more cards, got -1"),
        (("green", 1, -1), "locomotives must be 0 or more cards, got -1"),
    ],
)
def test_a_payment_makes_sense(arguments: tuple[str | None, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Payment(*arguments)


def test_a_payment_of_an_unknown_color_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean green"):
        Payment("grean", 1, 0)
    with pytest.raises(TypeError, match="expected a Route"):
        ttr.payments.can_pay("Oslo-Bergen", {})  # type: ignore[arg-type]


# -- costs ----------------------------------------------------------------


def test_cards_needed_on_murmansk_lieksa(murmansk_lieksa: Route) -> None:
    assert [ttr.payments.cards_needed(murmansk_lieksa, own=k) for k in range(10)] == [36 - 3 * k for k in range(10)]
    assert ttr.payments.cards_needed(murmansk_lieksa, own=12, locomotives=5) == 9


def test_cards_needed_where_nothing_helps() -> None:
    with pytest.raises(ValueError, match=r"cannot be paid with 2 of its color and 0 locomotives: sets of other cards"):
        ttr.payments.cards_needed(make_route(3, "green"), own=2)
    with pytest.raises(ValueError, match="own must be 0 or more"):
        ttr.payments.cards_needed(make_route(3, "green"), own=-1)


@settings(max_examples=examples(50))
@given(any_route())
def test_the_table_of_costs_holds_every_form(route: Route) -> None:
    table = ttr.payments.cards_table(route)

    plenty = tuple(30 for _ in CARD_KINDS)
    forms = {(own, locomotives) for _, own, locomotives in all_forms(route, plenty)}
    assert set(zip(table["own"], table["locomotives"], strict=True)) == forms
    assert (table["cards"] == table["own"] + table["locomotives"] + table["set_cards"]).all()
    for own, locomotives, cards in zip(table["own"], table["locomotives"], table["cards"], strict=True):
        assert ttr.payments.cards_needed(route, own=own, locomotives=locomotives) <= cards


@settings(max_examples=examples(50))
@given(any_route(), some_cards())
def test_the_cards_missing_are_those_of_the_best_color(route: Route, hand: Counts) -> None:
    cards = CardCounts(hand)
    assert ttr.payments.cards_missing(route, cards) == ttr.payments.color_table(route, cards)["missing"].min()


def test_the_cheapest_color(murmansk_lieksa: Route) -> None:
    hand = {"green": 4, "red": 6, "blue": 5}

    table = ttr.payments.color_table(murmansk_lieksa, hand)

    assert ttr.payments.cheapest_color(murmansk_lieksa, hand) == table.index[0] == "red"
    assert table.loc["red", "cards_needed"] == 18
    assert list(table["can_pay"]) == [False] * 8
    assert ttr.payments.color_table(make_route(3, "green"), {"green": 1})["cards_needed"].isna().all()


# -- several routes from one hand -----------------------------------------


@given(st.lists(any_route(3), min_size=0, max_size=3), some_cards(3))
def test_one_hand_for_several_routes(routes: list[Route], hand: Counts) -> None:
    payments = ttr.payments.pay_all(routes, CardCounts(hand))

    assert (payments is not None) == pays_all(routes, hand)
    assert ttr.payments.can_pay_all(routes, CardCounts(hand)) == (payments is not None)
    if payments is not None:
        assert all(ttr.payments.is_legal(r, p) for r, p in zip(routes, payments, strict=True))
        assert sum((p.cards for p in payments), CardCounts()) <= CardCounts(hand)


@given(
    st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.integers(1, 3)), min_size=1, max_size=2),
    some_cards(4),
)
def test_one_hand_for_equal_gray_routes(kinds: list[tuple[int, bool, int]], hand: Counts) -> None:
    """The search takes equal routes and equally many cards as interchangeable."""
    routes = [make_route(length, jokers=jokers) for length, jokers, n in kinds for _ in range(n)]

    assert ttr.payments.can_pay_all(routes, CardCounts(hand)) == pays_all(routes, hand)


def test_many_equal_routes_that_no_hand_pays_are_refused_at_once() -> None:
    """Twelve gray routes of two and three cards of each color: 24 cards, but only eight pairs."""
    routes = [make_route(2, jokers=False)] * 12

    assert not ttr.payments.can_pay_all(routes, CardCounts((3,) * 8 + (0,)))


def test_paying_one_route_after_the_other_is_greedy_and_wrong() -> None:
    """The ferry must leave the only locomotive to the tunnel, and take three others."""
    ferry = make_route(1, "red", symbols=1, swap_size=3)
    tunnel = make_route(2, "green", tunnel=True)
    hand = {"green": 1, "locomotive": 1, "blue": 3}
    first = ttr.payments.cheapest(ferry, hand)
    assert first is not None

    assert not ttr.payments.can_pay(tunnel, CardCounts.coerce(hand) - first.cards)
    assert ttr.payments.can_pay_all([ferry, tunnel], hand)
