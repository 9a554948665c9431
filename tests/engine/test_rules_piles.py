"""
The rules of piles that run out, and of the market's reset.

The rules, section 1, "Market reset" and "Piles that run out", and 7, "Drawing".
Rule books: Switzerland, locomotive cards; Nordic Countries, drawing train
cards. A market that no reset can mend is known from the literature.
"""

from __future__ import annotations

import pytest

from tests.engine.positions import (
    DECLINE,
    DRAW,
    TICKETS,
    Position,
    changed,
    face_up,
    revealed,
    turned,
    whole_market,
)
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.layout import Phase

WITH_RESET = ("switzerland", "nederland", "usa")
CALM = ("red", "blue", "green", "white", "black")


# -- the reset -----------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_RESET)
def test_three_face_up_locomotives_replace_the_market(name: str) -> None:
    table = Position(name).market("locomotive", "locomotive", *CALM[:3])
    table.do(face_up(2), turned(2, "locomotive"), whole_market(*CALM))

    assert table.events == [
        "market_card 2 locomotive",
        "market_replaced",
        *[f"market_card {slot} {card}" for slot, card in enumerate(CALM)],
    ]
    assert table.market_cards() == list(CALM)
    assert table.discard_pile() == {"blue": 1, "green": 1, "locomotive": 3}
    assert table.phase == Phase.SECOND_DRAW


@pytest.mark.parametrize("name", WITH_RESET)
def test_two_face_up_locomotives_are_no_reset(name: str) -> None:
    table = Position(name).market("locomotive", *CALM[:4])
    table.takes(1, "locomotive")

    assert table.market_cards().count("locomotive") == 2


def test_nordic_has_no_reset() -> None:
    table = Position("nordic").market("locomotive", "locomotive", "locomotive", "locomotive", "red")
    table.takes(4, "locomotive")

    assert table.market_cards() == ["locomotive"] * 5


@pytest.mark.parametrize("name", WITH_RESET)
def test_the_check_is_made_again_after_a_reset(name: str) -> None:
    table = Position(name).market("locomotive", "locomotive", *CALM[:3])
    again = whole_market("locomotive", "red", "locomotive", "red", "locomotive")
    table.do(face_up(2), turned(2, "locomotive"), again, whole_market(*CALM))

    assert table.events.count("market_replaced") == 2
    assert table.discard_pile() == {"blue": 1, "green": 1, "red": 2, "locomotive": 6}


@pytest.mark.parametrize("name", WITH_RESET)
def test_a_reset_after_the_last_draw_belongs_to_that_turn(name: str) -> None:
    table = Position(name).market("locomotive", "locomotive", *CALM[:3]).draws("red")
    table.do(face_up(2), turned(2, "locomotive"), whole_market(*CALM))

    assert table.seat == 1
    assert table.market_cards() == list(CALM)


@pytest.mark.parametrize(
    ("n_discards", "n_resets"),
    [
        pytest.param(1, 0, id="just below the limit: two colored cards"),
        pytest.param(2, 1, id="at the limit: three"),
        pytest.param(3, 1, id="above the limit: four"),
    ],
)
def test_a_reset_needs_three_colored_cards_in_market_and_piles(n_discards: int, n_resets: int) -> None:
    table = Position(changed("usa", market={"max_resets": 1}))
    table.market("red", "locomotive", "locomotive", "locomotive", "green").discards(blue=n_discards).pile(locomotive=1)
    table.do_by_chance(face_up(0))  # green and the discards are left

    assert table.events.count("market_replaced") == n_resets


def test_colored_cards_count_in_all_of_market_draw_pile_and_discards() -> None:
    table = Position("usa").market("red", "green", "locomotive", "locomotive", "locomotive")
    table.discards(blue=1).pile(locomotive=1, black=1)  # the market keeps green: one colored card in each
    table.do(face_up(0), turned(0, "locomotive"), turned(0, "black"), *_after_shuffle())

    assert "market_replaced" in table.events


def _after_shuffle() -> list[tuple[int, int, str]]:
    return [turned(1, "blue"), turned(2, "green"), turned(3, "locomotive"), turned(4, "locomotive")]


def test_a_reset_needs_five_cards_face_up() -> None:
    table = Position("usa").market("red", "red", "locomotive", "locomotive", "locomotive")
    table.pile()
    table.do(face_up(0))

    assert table.market_cards() == ["", "red", "locomotive", "locomotive", "locomotive"]


def test_resets_end_though_only_locomotives_are_left() -> None:
    table = Position("usa").market("red", "locomotive", "locomotive", "locomotive", "locomotive")
    table.pile(locomotive=3)
    table.takes(0, "locomotive")

    assert table.market_cards() == ["locomotive"] * 5
    assert table.events == ["market_card 0 locomotive"]


def test_a_hundred_resets_at_most_follow_one_refill() -> None:
    # Without the limit for colored cards a market of locomotives alone is replaced by its like.
    table = Position(changed("usa", market={"reset_needs_colored": 0}))
    table.market("red", "locomotive", "locomotive", "locomotive", "locomotive").pile(locomotive=6)
    table.do_by_chance(face_up(0))

    assert table.events.count("market_replaced") == 100
    assert table.market_cards() == ["locomotive"] * 5
    assert table.phase == Phase.SECOND_DRAW


def test_after_the_limit_of_resets_the_market_stays() -> None:
    table = Position(changed("usa", market={"max_resets": 1})).market("locomotive", "locomotive", *CALM[:3])
    many = ["locomotive", "locomotive", "locomotive", "red", "red"]
    table.do(face_up(2), turned(2, "locomotive"), whole_market(*many))

    assert table.market_cards() == many
    table.draws("red")
    assert table.market_cards() == many
    assert table.seat == 1


def test_the_next_refill_is_checked_again_after_the_limit_of_resets() -> None:
    table = Position(changed("usa", market={"max_resets": 1})).market("locomotive", "locomotive", *CALM[:3])
    table.do(face_up(2), turned(2, "locomotive"), whole_market("locomotive", "locomotive", "locomotive", "red", "red"))
    table.do(face_up(3), turned(3, "blue"), whole_market(*CALM))

    assert table.market_cards() == list(CALM)


def test_a_market_that_was_not_reset_stays_until_a_refill() -> None:
    table = Position("usa", 3).market("red", "locomotive", "locomotive", "locomotive", "green").hand(1, red=2)
    table.pile(locomotive=5)
    table.takes(0, "locomotive").draws("locomotive")

    assert table.market_cards().count("locomotive") == 4  # green alone is colored
    table.claims("Boston-New York/0", red=2)

    assert table.market_cards().count("locomotive") == 4
    table.takes(4, "locomotive")
    assert table.market_cards() == ["locomotive"] * 5


# -- the draw pile runs out -----------------------------------------------------------


def test_the_discards_are_shuffled_when_a_card_is_wanted_and_the_pile_is_empty() -> None:
    table = Position("nordic").discards(red=3).pile(blue=1)
    table.draws("blue")

    assert table.events == ["card_drawn blue"]
    assert table.discard_pile() == {"red": 3}
    table.draws("red")

    assert table.events == ["cards_shuffled", "card_drawn red"]
    assert (table.draw_pile(), table.discard_pile()) == ({"red": 2}, {})


def test_a_pile_that_nobody_draws_from_is_not_shuffled() -> None:
    table = Position("nordic").hand(0, green=1).discards(red=3).pile().claims("Boden-Tornio/0", green=1)

    assert table.number("n_shuffles") == 0
    assert table.discard_pile() == {"green": 1, "red": 3}


def test_at_once_the_discards_are_shuffled_as_soon_as_the_pile_runs_out() -> None:
    table = Position(changed("nordic", cards={"reshuffle": "at_once"})).discards(red=3).pile(blue=1)
    table.draws("blue")

    assert table.events == ["card_drawn blue", "cards_shuffled"]
    assert (table.draw_pile(), table.discard_pile()) == ({"red": 3}, {})


def test_at_once_the_discards_are_shuffled_when_a_refill_takes_the_last_card() -> None:
    table = Position(changed("nordic", cards={"reshuffle": "at_once"})).discards(red=3).pile(blue=1)
    table.takes(0, "blue")

    assert table.events == ["market_card 0 blue", "cards_shuffled"]


def test_at_once_discards_are_the_new_pile_where_there_was_none() -> None:
    table = Position(changed("nordic", cards={"reshuffle": "at_once"})).hand(0, green=1).pile()
    table.claims("Boden-Tornio/0", green=1)

    assert (table.draw_pile(), table.discard_pile()) == ({"green": 1}, {})


def test_the_pile_runs_out_in_the_middle_of_a_refill() -> None:
    table = Position("usa").market("locomotive", "locomotive", *CALM[:3]).discards(yellow=2).pile(locomotive=1, black=2)
    table.do(
        face_up(2),
        turned(2, "locomotive"),
        turned(0, "black"),
        turned(1, "black"),
        turned(2, "yellow"),
        turned(3, "blue"),
        turned(4, "locomotive"),
    )

    assert table.events == [
        "market_card 2 locomotive",
        "market_replaced",
        "market_card 0 black",
        "market_card 1 black",
        "cards_shuffled",
        "market_card 2 yellow",
        "market_card 3 blue",
        "market_card 4 locomotive",
    ]
    assert table.draw_pile() == {"green": 1, "yellow": 1, "locomotive": 2}


def test_a_taken_slot_is_refilled_from_the_shuffled_discards() -> None:
    table = Position("nordic").market(*CALM).discards(yellow=1).pile()
    table.takes(0, "yellow")

    assert table.events == ["cards_shuffled", "market_card 0 yellow"]


def test_a_card_taken_is_not_shuffled_with_the_discards() -> None:
    table = Position("nordic").market(*CALM).discards(yellow=1).pile()
    table.do_by_chance(face_up(0))

    assert table.hand_of(0) == {"red": 1}
    assert table.market_cards()[0] == "yellow"


# -- both piles are empty -----------------------------------------------------------------


def test_with_both_piles_empty_face_up_cards_may_be_taken() -> None:
    table = Position("nordic").market(*CALM).pile()

    assert table.fault(DRAW) == ActionFault.NO_CARDS
    table.do(face_up(1)).do(face_up(4))

    assert table.market_cards() == ["red", "", "green", "white", ""]
    assert table.hand_of(0) == {"blue": 1, "black": 1}
    assert table.seat == 1


def test_without_open_without_piles_face_up_cards_may_then_not_be_taken() -> None:
    table = Position(changed("nordic", market={"open_without_piles": False})).market(*CALM).pile()

    assert table.fault(face_up(1)) == ActionFault.MARKET_CLOSED


def test_without_open_without_piles_the_market_opens_with_the_discards() -> None:
    table = Position(changed("nordic", market={"open_without_piles": False})).market(*CALM).discards(red=1).pile()

    assert table.fault(face_up(1)) == ActionFault.NONE


def test_drawing_is_illegal_if_no_card_can_be_taken() -> None:
    table = Position("nordic").market().pile()

    assert table.fault(DRAW) == ActionFault.NO_CARDS
    assert {table.fault(face_up(slot)) for slot in range(5)} == {ActionFault.EMPTY_SLOT}
    assert table.legal() == [TICKETS]


def test_a_second_card_that_cannot_be_had_is_skipped() -> None:
    table = Position("nordic").market("red").pile()
    table.do(face_up(0))

    assert (table.phase, table.seat) == (Phase.TURN, 1)


def test_the_last_card_of_the_pile_may_be_the_only_one_of_a_turn() -> None:
    table = Position("nordic").market().pile(red=1)
    table.draws("red")

    assert (table.phase, table.seat) == (Phase.TURN, 1)


def test_face_up_locomotives_alone_are_no_second_card_in_the_base_game() -> None:
    table = Position("usa").market("locomotive", "locomotive", "locomotive", None, "red").pile()
    table.do(face_up(4))

    assert (table.phase, table.seat) == (Phase.TURN, 1)
    table.do(face_up(0))
    assert table.hand_of(1)["locomotive"] >= 1


def test_face_up_locomotives_are_a_second_card_where_they_count_as_one() -> None:
    table = Position("nordic").market("locomotive", None, None, None, "red").pile()

    assert table.do(face_up(4)).phase == Phase.SECOND_DRAW


# -- empty slots are filled -------------------------------------------------------------------


def test_empty_slots_are_filled_in_order_at_the_end_of_a_turn_that_added_discards() -> None:
    table = Position("nordic").hand(0, red=2, green=1).market("red", None, "blue").pile()
    table.claims("Boden-Tornio/0", turned(1, "green"), green=1)

    assert table.events == ["cards_shuffled", "market_card 1 green"]
    assert table.market_cards() == ["red", "green", "blue", "", ""]
    assert table.seat == 1


def test_slots_stay_empty_at_the_end_of_a_turn_without_discards() -> None:
    table = Position("nordic").market("red", None, "blue", "blue").pile()
    table.do(face_up(0)).do(face_up(2))

    assert table.market_cards() == ["", "", "", "blue", ""]


def test_the_reset_check_follows_when_empty_slots_are_filled() -> None:
    table = Position("usa").hand(0, red=2).market("locomotive", "locomotive", "locomotive", "blue").pile()
    table.do_by_chance(table.claim("Boston-New York/0", red=2))

    assert table.events[:3] == ["cards_shuffled", "market_card 4 red", "market_replaced"]


def test_cards_turned_over_for_a_tunnel_that_is_declined_fill_empty_slots() -> None:
    table = Position("nordic").hand(0, yellow=2).market("red", None, "blue", None, "white").pile(yellow=1, black=2)
    table.claims("Lillehammer-Åndalsnes/0", revealed("yellow", "black", "black"), yellow=2)

    assert table.market_cards() == ["red", "", "blue", "", "white"]
    table.do(DECLINE, turned(1, "black"), turned(3, "yellow"))
    assert table.draw_pile() == {"black": 1}
    assert table.market_cards() == ["red", "black", "blue", "yellow", "white"]


@pytest.mark.parametrize("needs_full", [True, False])
def test_whether_a_reset_needs_a_full_market(needs_full: bool) -> None:  # noqa: FBT001
    rules = {"reset_needs_full": needs_full, "reset_needs_colored": 0, "max_resets": 1}
    table = Position(changed("usa", market=rules)).hand(0, green=1)
    table.market("locomotive", "locomotive", "locomotive").pile()
    table.do_by_chance(table.claim("Dallas-Houston/0", green=1))

    assert table.events[:2] == ["cards_shuffled", "market_card 3 green"]
    assert ("market_replaced" in table.events) != needs_full


@pytest.mark.parametrize("needed", [0, 3, 10])
def test_the_number_of_colored_cards_that_a_reset_needs(needed: int) -> None:
    table = Position(changed("usa", market={"reset_needs_colored": needed, "max_resets": 1}))
    table.market("red", "locomotive", "locomotive", "locomotive", "green").pile(locomotive=6, blue=4)
    table.do_by_chance(face_up(0))  # then 5 colored cards are left

    assert ("market_replaced" in table.events) == (needed <= 5)


def test_the_number_of_locomotives_that_is_too_many() -> None:
    table = Position(changed("usa", market={"reset_at": 2})).market("locomotive", *CALM[:4])
    table.do(face_up(1), turned(1, "locomotive"), whole_market(*CALM))

    assert table.market_cards() == list(CALM)


def test_a_market_of_another_size() -> None:
    table = Position(changed("usa", market={"size": 3})).market("red", "blue", "green")

    assert table.fault(face_up(3)) == ActionFault.SLOT
    assert table.takes(2, "white").market_cards() == ["red", "blue", "white"]
