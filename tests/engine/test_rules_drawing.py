"""
The rules of drawing train cards.

The rules, section 1, "Drawing cards", sections 2 and 3, "Locomotives", and 7,
"Drawing". Rule books: Nordic Countries, drawing train cards; Switzerland,
locomotive cards. Piles that run out have tests of their own, and so have
resets.
"""

from __future__ import annotations

import pytest

from tests.engine.positions import DRAW, PASS, TICKETS, Action, Outcome, Position, changed, drawn, face_up, turned
from tests.fixtures import BUILT_IN
from ttr_analysis.engine.codes import DRAW_FACE_UP, ActionFault, make_action
from ttr_analysis.engine.layout import Phase

BASE_GAME = ("nederland", "usa")
LOCOMOTIVES_ARE_CARDS = ("nordic", "switzerland")
FACE_UP = ("red", "blue", "green", "white", "black")


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    ("first", "second", "hand"),
    [
        pytest.param((DRAW, drawn("red")), (DRAW, drawn("blue")), {"blue": 1, "red": 1}, id="unseen"),
        pytest.param(
            (face_up(3), turned(3, "red")), (face_up(0), turned(0, "red")), {"white": 1, "red": 1}, id="of the market"
        ),
        pytest.param((DRAW, drawn("red")), (face_up(4), turned(4, "red")), {"red": 1, "black": 1}, id="one of each"),
        pytest.param((DRAW, drawn("locomotive")), (DRAW, drawn("locomotive")), {"locomotive": 2}, id="locomotives"),
    ],
)
def test_two_cards_are_a_turn(
    name: str, first: tuple[Action, Outcome], second: tuple[Action, Outcome], hand: dict[str, int]
) -> None:
    table = Position(name).market(*FACE_UP).do(*first)
    assert (table.phase, table.seat) == (Phase.SECOND_DRAW, 0)
    table.do(*second)

    assert (table.phase, table.seat) == (Phase.TURN, 1)
    assert table.hand_of(0) == hand


def test_a_taken_slot_is_refilled_before_the_second_draw() -> None:
    table = Position("nordic").market(*FACE_UP).takes(2, "yellow")

    assert table.phase == Phase.SECOND_DRAW
    assert table.market_cards() == ["red", "blue", "yellow", "white", "black"]


def test_the_refill_may_be_taken_as_the_second_card() -> None:
    table = Position("nordic").market(*FACE_UP).takes(2, "yellow").takes(2, "purple")

    assert table.hand_of(0) == {"green": 1, "yellow": 1}


def test_a_card_drawn_unseen_leaves_the_market_alone() -> None:
    table = Position("usa").market(*FACE_UP).draws("yellow")

    assert table.market_cards() == list(FACE_UP)


@pytest.mark.parametrize("action", [TICKETS, PASS, (0, 0)], ids=["tickets", "pass", "draw"])
def test_the_second_draw_allows_drawing_only(action: tuple[int, int]) -> None:
    table = Position("nordic").hand(0, green=3).draws("red")

    assert table.fault(action) == (ActionFault.NONE if action == DRAW else ActionFault.PHASE)
    assert table.fault(table.claim("Boden-Tornio/0", green=1)) == ActionFault.PHASE


def test_a_hand_has_no_limit() -> None:
    table = Position("nordic").pile(red=2).after_turns(1)
    table.do_by_chance(DRAW, DRAW)

    assert table.number("n_hand", 1) == 105


# -- locomotives ------------------------------------------------------------------


@pytest.mark.parametrize("name", BASE_GAME)
def test_a_face_up_locomotive_counts_as_both_draws(name: str) -> None:
    table = Position(name).market("red", "locomotive", "green", "white", "black").takes(1, "blue")

    assert (table.phase, table.seat) == (Phase.TURN, 1)
    assert table.hand_of(0) == {"locomotive": 1}


@pytest.mark.parametrize("name", BASE_GAME)
@pytest.mark.parametrize("first", ["unseen", "face up"])
def test_a_face_up_locomotive_is_no_second_card(name: str, first: str) -> None:
    table = Position(name).market("red", "locomotive", "green", "white", "black")
    if first == "unseen":
        table.draws("red")
    else:
        table.takes(0, "blue")

    assert table.fault(face_up(1)) == ActionFault.SECOND_LOCOMOTIVE
    assert table.fault(face_up(2)) == ActionFault.NONE


@pytest.mark.parametrize("name", BASE_GAME)
def test_a_locomotive_that_refills_the_slot_is_no_second_card(name: str) -> None:
    table = Position(name).market(*FACE_UP).takes(0, "locomotive")

    assert table.fault(face_up(0)) == ActionFault.SECOND_LOCOMOTIVE


@pytest.mark.parametrize("name", LOCOMOTIVES_ARE_CARDS)
def test_face_up_locomotives_are_taken_like_any_card(name: str) -> None:
    table = Position(name).market("locomotive", "locomotive", "green", "white", "black").takes(0, "red")

    assert table.phase == Phase.SECOND_DRAW
    table.takes(1, "blue")

    assert table.hand_of(0) == {"locomotive": 2}
    assert table.seat == 1


@pytest.mark.parametrize("name", LOCOMOTIVES_ARE_CARDS)
def test_a_locomotive_that_refills_a_slot_may_be_taken_where_it_is_a_card_like_others(name: str) -> None:
    table = Position(name).market(*FACE_UP).takes(0, "locomotive").takes(0, "red")

    assert table.hand_of(0) == {"red": 1, "locomotive": 1}


# -- slots ---------------------------------------------------------------------------


def test_there_is_no_sixth_slot() -> None:
    table = Position("nordic")

    assert table.fault(face_up(5)) == ActionFault.SLOT
    assert table.fault((make_action(DRAW_FACE_UP, -1), 0)) == ActionFault.SLOT


def test_an_empty_slot_cannot_be_taken() -> None:
    table = Position("nordic", 3).market("red", None, "green").pile()

    assert table.fault(face_up(1)) == ActionFault.EMPTY_SLOT
    assert table.fault(face_up(0)) == ActionFault.NONE


# -- fields ---------------------------------------------------------------------


def test_three_draws_in_a_turn() -> None:
    table = Position(changed("usa", cards={"draws_per_turn": 3})).draws("red", "red")

    assert (table.phase, table.seat) == (Phase.SECOND_DRAW, 0)
    table.draws("red")

    assert (table.phase, table.seat) == (Phase.TURN, 1)


def test_of_three_draws_a_face_up_locomotive_takes_two() -> None:
    table = Position(changed("usa", cards={"draws_per_turn": 3}))
    table.market("locomotive", "locomotive", "green", "white", "black")
    table.takes(0, "red")

    assert table.phase == Phase.SECOND_DRAW
    assert table.fault(face_up(1)) == ActionFault.SECOND_LOCOMOTIVE
    table.takes(2, "red")
    assert table.seat == 1


def test_of_one_draw_a_face_up_locomotive_takes_it() -> None:
    table = Position(changed("usa", cards={"draws_per_turn": 1}))
    table.market("locomotive", "blue", "green", "white", "black")

    assert table.takes(0, "red").seat == 1
    assert table.draws("red").seat == 0


@pytest.mark.parametrize(("cost", "phase"), [(1, Phase.SECOND_DRAW), (2, Phase.TURN)])
def test_the_cost_of_a_face_up_locomotive(cost: int, phase: Phase) -> None:
    table = Position(changed("usa", market={"locomotive_cost": cost}))
    table.market("locomotive", "blue", "green", "white", "black")

    assert table.takes(0, "red").phase == phase


def test_the_draw_pile_shrinks_by_what_is_drawn_and_turned_up() -> None:
    table = Position("nordic")
    before = table.number("n_pile")
    table.draws("red").takes(0, "red")

    assert table.number("n_pile") == before - 2
