"""
The rules of ferries and of Murmansk-Lieksa: sets of cards that stand in for one.

The rules, section 2, "Ferry" and "Murmansk-Lieksa", and 7, "Claiming". Rule book:
Nordic Countries, controlling a line, with the example of seven green cards and
eight others; ferries, with the example of Stavanger-Kristiansand.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.positions import Position, changed
from ttr_analysis.cards import N_KINDS, CardCounts
from ttr_analysis.engine.codes import CLAIM_ROUTE, ActionFault, argument_of, kind_of, unpack_cards

ORANGE_FERRY = "Kristiansand-Stavanger/1"
"""Three spaces, one of them with a locomotive symbol."""
GRAY_FERRY = "Helsinki-Stockholm/0"
"""Four spaces, two of them with symbols."""
LONG = "Lieksa-Murmansk/0"
"""Nine gray spaces; four cards stand in for one."""
TUNNEL = "Bergen-Oslo/0"
"""Four blue spaces."""
PLAIN = "Boden-Kiruna/0"
"""Three black spaces."""


def is_legal(table: Position, route: str, cards: dict[str, int]) -> bool:
    """Return whether cards pay for a route."""
    fault = table.fault(table.claim(route, **cards))
    assert fault in (ActionFault.NONE, ActionFault.PAYMENT)
    return fault == ActionFault.NONE


@pytest.fixture(scope="module")
def rich() -> Position:
    """Return a Nordic table where seat 0 holds nearly everything."""
    cards = dict.fromkeys(("purple", "blue", "orange", "white", "green", "yellow", "black", "red"), 11)
    return Position("nordic").hand(0, locomotive=14, **cards)


@pytest.mark.parametrize(
    ("route", "cards", "legal"),
    [
        pytest.param(ORANGE_FERRY, {"orange": 2, "locomotive": 1}, True, id="Nordic, ferries, example 3"),
        pytest.param(ORANGE_FERRY, {"orange": 3}, False, id="a symbol needs a locomotive"),
        pytest.param(ORANGE_FERRY, {"orange": 1, "locomotive": 2}, True, id="a locomotive for a color card"),
        pytest.param(ORANGE_FERRY, {"locomotive": 3}, True, id="locomotives alone"),
        pytest.param(ORANGE_FERRY, {"red": 2, "locomotive": 1}, False, id="another color"),
        pytest.param(ORANGE_FERRY, {"orange": 1, "red": 1, "locomotive": 1}, False, id="two colors"),
        pytest.param(ORANGE_FERRY, {"orange": 2, "red": 3}, True, id="three cards of a kind for the locomotive"),
        pytest.param(ORANGE_FERRY, {"orange": 2, "red": 1, "blue": 1, "white": 1}, True, id="any three cards"),
        pytest.param(ORANGE_FERRY, {"orange": 5}, True, id="a set of the color itself"),
        pytest.param(ORANGE_FERRY, {"orange": 2, "locomotive": 3}, True, id="a set of locomotives"),
        pytest.param(ORANGE_FERRY, {"orange": 2, "red": 2}, False, id="a set of two"),
        pytest.param(ORANGE_FERRY, {"orange": 2, "red": 4}, False, id="a set of four"),
        pytest.param(ORANGE_FERRY, {"orange": 1, "red": 6}, True, id="decision: a set where a joker would stand in"),
        pytest.param(ORANGE_FERRY, {"red": 6, "blue": 3}, True, id="decision: sets only"),
        pytest.param(ORANGE_FERRY, {"orange": 1, "locomotive": 1, "red": 3}, True, id="color, locomotive and set"),
        pytest.param(ORANGE_FERRY, {"orange": 3, "locomotive": 1}, False, id="a card too many"),
        pytest.param(GRAY_FERRY, {"white": 2, "locomotive": 2}, True, id="two symbols: two locomotives"),
        pytest.param(GRAY_FERRY, {"white": 3, "locomotive": 1}, False, id="two symbols: one is not enough"),
        pytest.param(GRAY_FERRY, {"white": 2, "locomotive": 1, "red": 3}, True, id="one locomotive and one set"),
        pytest.param(GRAY_FERRY, {"white": 2, "red": 6}, True, id="two sets"),
        pytest.param(GRAY_FERRY, {"white": 1, "blue": 1, "locomotive": 2}, False, id="two colors on gray"),
        pytest.param(GRAY_FERRY, {"white": 4, "blue": 3, "red": 5}, True, id="every space by a set"),
        pytest.param(GRAY_FERRY, {"white": 4, "blue": 3, "red": 6}, False, id="more than every space by a set"),
        pytest.param(TUNNEL, {"blue": 3, "red": 3}, False, id="never on a tunnel"),
        pytest.param(TUNNEL, {"blue": 4, "red": 2}, False, id="nor in place of nothing"),
        pytest.param(PLAIN, {"black": 2, "red": 3}, False, id="never on a plain route"),
    ],
)
def test_what_pays_for_a_ferry(rich: Position, route: str, cards: dict[str, int], legal: bool) -> None:  # noqa: FBT001
    assert is_legal(rich, route, cards) == legal


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        pytest.param({"green": 9}, True, id="nine of a color"),
        pytest.param({"green": 7, "red": 3, "blue": 3, "white": 2}, True, id="Nordic, example: 7 green and 8 others"),
        pytest.param({"green": 7, "red": 8}, True, id="two sets of one kind"),
        pytest.param({"green": 7, "red": 7}, False, id="a set of three"),
        pytest.param({"green": 7, "red": 9}, False, id="a card too many"),
        pytest.param({"green": 8, "locomotive": 1}, False, id="a locomotive is no joker"),
        pytest.param({"green": 8, "locomotive": 4}, True, id="four locomotives stand in for a card"),
        pytest.param({"green": 8, "red": 3, "locomotive": 1}, True, id="a locomotive in a set"),
        pytest.param({"green": 11, "red": 1}, True, id="cards of the color in a set"),
        pytest.param({"green": 8, "red": 1}, False, id="two colors"),
        pytest.param({"locomotive": 9}, False, id="locomotives alone"),
    ],
)
def test_what_pays_for_murmansk_lieksa(rich: Position, cards: dict[str, int], legal: bool) -> None:  # noqa: FBT001
    assert is_legal(rich, LONG, cards) == legal


@pytest.mark.parametrize("k", range(10))
def test_k_cards_of_the_color_and_36_minus_3k_in_all(rich: Position, k: int) -> None:
    n_others = 4 * (9 - k)
    others = {"red": min(n_others, 11), "blue": min(max(0, n_others - 11), 11), "white": max(0, n_others - 22)}
    white, others["white"] = others["white"], min(others["white"], 11)

    assert is_legal(rich, LONG, {"green": k, **others, "black": white - others["white"]})
    if k < 9:
        assert not is_legal(rich, LONG, {"green": k, **others, "black": white - others["white"] + 1})


def test_a_payment_with_sets_is_nine_trains_and_27_points() -> None:
    table = Position("nordic").hand(0, green=7, red=3, blue=3, white=2).claims(LONG, green=7, red=3, blue=3, white=2)

    assert table.number("trains") == 31
    assert table.number("score") == 27
    assert sum(table.discard_pile().values()) == 15


def test_cards_of_sets_are_discarded_too() -> None:
    table = Position("nordic").hand(0, orange=2, red=1, blue=2).claims(ORANGE_FERRY, orange=2, red=1, blue=2)

    assert table.discard_pile() == {"blue": 2, "orange": 2, "red": 1}
    assert table.number("trains") == 37


def listed_payments(table: Position) -> list[dict[str, int]]:
    """Return the payments for the orange ferry that are listed."""
    route = argument_of(table.claim(ORANGE_FERRY)[0])
    payments = []
    for code, value in table.legal():
        if kind_of(code) == CLAIM_ROUTE and argument_of(code) == route:
            cards = np.zeros(N_KINDS, dtype=np.int64)
            unpack_cards(value, cards)
            payments.append(CardCounts(tuple(cards)).as_dict())
    return payments


def test_one_payment_of_each_form_is_listed_and_every_other_is_legal() -> None:
    table = Position("nordic").hand(0, orange=2, red=2, white=2)

    assert len(listed_payments(table)) == 1
    for cards in ({"red": 2, "white": 1}, {"red": 1, "white": 2}):
        assert is_legal(table, ORANGE_FERRY, {"orange": 2, **cards})


def test_the_set_that_is_listed_spends_the_cards_of_which_most_are_left() -> None:
    table = Position("nordic").hand(0, orange=2, red=4, white=1)

    assert listed_payments(table) == [{"orange": 2, "red": 3}, {"orange": 2, "white": 1, "red": 4}]


def test_two_forms_that_come_to_the_same_cards_are_listed_once() -> None:
    """Two orange cards and a set of locomotives; one of each, and a set of the other three."""
    table = Position("nordic").hand(0, orange=2, locomotive=3)

    payments = listed_payments(table)

    assert sorted(sum(cards.values()) for cards in payments) == [3, 3, 3, 5]
    assert payments.count({"orange": 2, "locomotive": 3}) == 1


# -- fields -----------------------------------------------------------------------------


@pytest.mark.parametrize(("fills", "legal"), [("any", True), ("symbols", False)])
def test_which_spaces_a_set_may_fill(fills: str, legal: bool) -> None:  # noqa: FBT001
    table = Position(changed("nordic", claims={"ferry_swap_fills": fills})).hand(0, orange=4, red=9, locomotive=4)

    assert is_legal(table, ORANGE_FERRY, {"orange": 1, "red": 6}) == legal
    assert is_legal(table, ORANGE_FERRY, {"orange": 2, "red": 3})
    assert is_legal(table, ORANGE_FERRY, {"orange": 1, "locomotive": 1, "red": 3})


@pytest.mark.parametrize("size", [0, 2, 3, 4])
def test_how_many_cards_stand_in_for_a_locomotive(size: int) -> None:
    table = Position(changed("nordic", claims={"ferry_swap_size": size})).hand(0, orange=4, red=9)

    for n in range(1, (size or 5) + 1):
        assert is_legal(table, ORANGE_FERRY, {"orange": 2, "red": n}) == (n == size)


def test_other_maps_have_no_sets() -> None:
    for name in ("switzerland", "nederland", "usa"):
        assert {route.swap_size for route in Position(name).map.routes} == {0}
