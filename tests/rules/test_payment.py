"""The rule of payments against trying everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import examples
from tests.oracles.payment import Counts, all_forms, all_payments, choices, fewest_more, make_route, parts, pays, spread
from tests.oracles.strategies import GREEN, RED, any_route, some_cards
from ttr_analysis._compile import Ints
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, ROUTE_COLORS
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.rules.payment import (
    GRAY_INDEX,
    PaymentFault,
    Spaces,
    can_pay,
    cards_missing,
    cards_needed,
    count_forms,
    fill_sets,
    find_form,
    form_sets,
    payment_fault,
    sets_needed,
)
from ttr_analysis.tables import spaces_of


def color_of(route: Route) -> int:
    return ROUTE_COLORS.index(route.color)


def array(cards: Counts) -> Ints:
    return np.array(cards, dtype=np.int64)


def legal_parts(route: Route, hand: Counts) -> set[Counts]:
    return {part for part in parts(hand) if payment_fault(array(part), color_of(route), spaces_of(route)) == 0}


def fault_of(route: Route, **cards: int) -> PaymentFault:
    counts = [cards.get(kind, 0) for kind in (*COLORS, "locomotive")]
    return PaymentFault(payment_fault(array(tuple(counts)), color_of(route), spaces_of(route)))


# -- against the oracle ---------------------------------------------------


@settings(max_examples=examples(100))
@given(any_route(), some_cards())
def test_cards_are_legal_exactly_if_they_fill_the_spaces(route: Route, cards: Counts) -> None:
    assert (payment_fault(array(cards), color_of(route), spaces_of(route)) == 0) == pays(route, cards)


@given(any_route(), some_cards(3))
def test_every_part_of_a_hand_is_judged_right(route: Route, hand: Counts) -> None:
    legal = legal_parts(route, hand)

    assert legal == all_payments(route, hand)
    assert bool(can_pay(array(hand), color_of(route), spaces_of(route))) == bool(legal)


@pytest.mark.compiled_only
@given(any_route(), some_cards(3))
def test_cards_needed_is_the_smallest_payment(route: Route, hand: Counts) -> None:
    # Cards for sets beyond doubt: of a color that does not pay for a green route.
    hand = tuple(n + 16 * (kind == 0) for kind, n in enumerate(hand))
    route = replace(route, color="green")

    needed = cards_needed(spaces_of(route), hand[GREEN], hand[LOCOMOTIVE_INDEX])

    assert needed == min((sum(cards) for cards in all_payments(route, hand)), default=-1)


@given(any_route(), some_cards(4))
def test_a_form_fits_exactly_if_the_spaces_can_be_filled_so(route: Route, hand: Counts) -> None:
    plenty = tuple(20 for _ in hand)
    forms = {(own, locomotives) for _, own, locomotives in all_forms(route, plenty)}

    for own, locomotives in product(range(route.length + 2), repeat=2):
        assert (form_sets(spaces_of(route), own, locomotives) >= 0) == ((own, locomotives) in forms)


@settings(max_examples=examples(60))
@given(any_route(3), some_cards(2, (0, GREEN, LOCOMOTIVE_INDEX)))
def test_missing_cards_are_counted(route: Route, hand: Counts) -> None:
    most = route.length
    of_hand = [
        cards_missing(spaces_of(route), hand[c], hand[LOCOMOTIVE_INDEX], sum(hand))
        for c in (range(N_COLORS) if route.color == GRAY else [GREEN])
    ]

    assert min(of_hand) == fewest_more(route, hand, most)


@given(st.tuples(*[st.integers(0, 3)] * 4), st.tuples(*[st.integers(0, 2)] * 4), st.permutations(range(4)), st.data())
def test_sets_take_the_cards_least_missed(
    left: tuple[int, ...], wanted: tuple[int, ...], order: list[int], data: st.DataObject
) -> None:
    """No other choice breaks into fewer wanted cards, nor, of these, spares the dear kinds better."""
    n = data.draw(st.integers(0, sum(left)))
    cards, keep, rank = (tuple(x) + (0,) * (N_KINDS - 4) for x in (left, wanted, order))
    taken, rest = np.zeros(N_KINDS, dtype=np.int64), array(cards)

    fill_sets(rest, n, array(rank), array(keep), taken)

    def cost(chosen: Counts) -> tuple[int, ...]:
        broken = sum(max(0, c - max(0, h - w)) for h, w, c in zip(cards, keep, chosen, strict=True))
        return (broken, *(chosen[kind] for kind in sorted(range(4), key=lambda k: -rank[k])))

    assert (rest + taken).tolist() == list(cards)
    assert cost(tuple(taken.tolist())) == min(cost(chosen) for chosen in choices(cards, n))


def test_the_cards_of_every_route_of_every_map(any_map: GameMap) -> None:
    """Hands drawn at random, of three kinds and more the longer the route is."""
    rng = np.random.default_rng(1)
    for route in any_map.routes:
        color = rng.integers(N_COLORS) if route.color == GRAY else COLORS.index(route.color)
        other = (color + 1 + rng.integers(N_COLORS - 1)) % N_COLORS
        for _ in range(3):
            most = min(7, route.length + 2)
            counts = {int(color): most - 2, int(other): most - 1, LOCOMOTIVE_INDEX: 4}
            hand = spread({kind: int(rng.integers(0, n + 1)) for kind, n in counts.items()})
            assert legal_parts(route, hand) == all_payments(route, hand), (route, hand)


# -- the rule book --------------------------------------------------------


@pytest.mark.parametrize(
    ("route", "cards", "fault"),
    [
        pytest.param("Lieksa-Murmansk/0", {"green": 8}, PaymentFault.TOO_FEW, id="too few"),
        pytest.param("Lieksa-Murmansk/0", {"green": 8, "red": 3}, PaymentFault.BROKEN_SET, id="a set of three"),
        pytest.param("Lieksa-Murmansk/0", {"green": 8, "red": 1}, PaymentFault.TWO_COLORS, id="two colors"),
        pytest.param("Lieksa-Murmansk/0", {"green": 8, "locomotive": 1}, PaymentFault.LOCOMOTIVE, id="a joker"),
        pytest.param("Lieksa-Murmansk/0", {"green": 26, "red": 13}, PaymentFault.TOO_MANY, id="more than nine sets"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 3}, PaymentFault.MISSING_LOCOMOTIVE, id="a symbol"),
        pytest.param("Kristiansand-Stavanger/1", {"red": 2, "locomotive": 1}, PaymentFault.COLOR, id="another color"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 4}, PaymentFault.BROKEN_SET, id="one card too many"),
        pytest.param("Boden-Kiruna/0", {"black": 2, "locomotive": 1}, PaymentFault.LOCOMOTIVE, id="on a plain route"),
        pytest.param("Boden-Kiruna/0", {"black": 4}, PaymentFault.TOO_MANY, id="a card left over"),
    ],
)
def test_why_cards_do_not_pay(nordic: GameMap, route: str, cards: dict[str, int], fault: PaymentFault) -> None:
    assert fault_of(nordic.route(route), **cards) is fault


def test_a_locomotive_is_not_spent_on_a_symbol_that_a_set_can_fill() -> None:
    """
    Greedy payment fails here: the locomotive on the symbol, then one color card is missing.

    It must stand in for the color card, and three others for the symbol, where
    sets fill symbols only.
    """
    ferry = make_route(3, "green", symbols=1, swap_size=3, swap_any=False)
    hand = spread({GREEN: 1, LOCOMOTIVE_INDEX: 1, RED: 3})

    assert can_pay(array(hand), GREEN, spaces_of(ferry))
    assert sets_needed(spaces_of(ferry), 1, 1) == 1
    assert fault_of(ferry, green=1, locomotive=1, red=3) is PaymentFault.NONE


# -- forms: counted and listed as by brute force -------------------------

FORM_ROUTES = [
    pytest.param(Spaces(3, 0, 1, 0, 0), id="plain, locomotives are jokers"),
    pytest.param(Spaces(3, 0, 0, 0, 0), id="plain, they are not"),
    pytest.param(Spaces(2, 2, 1, 0, 0), id="ferry without sets"),
    pytest.param(Spaces(2, 1, 0, 0, 0), id="ferry, locomotives for symbols only"),
    pytest.param(Spaces(2, 2, 1, 3, 1), id="ferry, sets anywhere"),
    pytest.param(Spaces(2, 2, 1, 3, 0), id="ferry, sets for symbols"),
    pytest.param(Spaces(2, 1, 0, 3, 1), id="ferry, sets anywhere, no jokers"),
    pytest.param(Spaces(3, 1, 0, 3, 0), id="ferry, sets for symbols, no jokers"),
    pytest.param(Spaces(0, 2, 1, 3, 1), id="symbols only"),
    pytest.param(Spaces(0, 2, 0, 0, 0), id="symbols only, no jokers, no sets"),
    pytest.param(Spaces(9, 0, 0, 4, 1), id="sets of four"),
    pytest.param(Spaces(4, 0, 1, 2, 1), id="sets of two, jokers"),
]


@pytest.mark.parametrize("spaces", FORM_ROUTES)
@given(
    hand=st.lists(st.integers(0, 4), min_size=9, max_size=9),
    color=st.integers(0, GRAY_INDEX),
)
def test_forms_equal_brute_force(hand: list[int], color: int, spaces: Spaces) -> None:
    cards = np.array(hand, dtype=np.int64)
    plain, symbols, jokers, swap_size, swap_any = spaces
    route = make_route(
        plain + symbols,
        ROUTE_COLORS[color],
        symbols=symbols,
        jokers=bool(jokers),
        swap_size=swap_size,
        swap_any=bool(swap_any),
    )

    n = count_forms(cards, sum(hand), color, spaces)
    found = [find_form(cards, sum(hand), color, spaces, number) for number in range(n)]

    assert spaces_of(route) == spaces
    assert sorted(found) == sorted((COLORS.index(c) if c else -1, *ns) for c, *ns in all_forms(route, tuple(hand)))
