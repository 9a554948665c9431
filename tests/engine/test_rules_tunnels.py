"""
The rules of tunnels.

The rules, sections 2 and 3, "Tunnel", and 7, "Tunnels". Rule books: Nordic
Countries, tunnels, examples 1 to 3; Switzerland, tunnels.
"""

from __future__ import annotations

import pytest

from tests.engine.positions import DECLINE, DRAW, PASS, TICKETS, Action, Position, changed, pay, revealed
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.layout import NOBODY, Phase

GREEN = "Kristiansand-Stavanger/0"
"""A Nordic tunnel of two green spaces."""
BLUE = "Bergen-Oslo/0"
"""A Nordic tunnel of four blue spaces."""
GRAY = "France via Martigny-Martigny/0"
"""A Swiss tunnel of two gray spaces."""


def attempt(cards: dict[str, int], spare: dict[str, int], *turned: str) -> Position:
    """Return a Nordic table after seat 0, with spare cards in hand, attempted the green tunnel."""
    hand = {kind: cards.get(kind, 0) + spare.get(kind, 0) for kind in {*cards, *spare}}
    table = Position("nordic").hand(0, **hand)
    return table.claims(GREEN, revealed(*turned), **cards)


# -- the examples of the book ---------------------------------------------------------


def test_example_1_a_green_card_is_turned_over() -> None:
    table = attempt({"green": 2}, {"green": 1}, "green", "red", "blue")

    assert table.phase == Phase.TUNNEL
    assert table.number("surcharge") == 1
    table.do(pay(green=1))
    assert table.owner(GREEN) == 0


def test_example_2_a_locomotive_is_turned_over() -> None:
    table = attempt({"green": 2}, {"green": 1}, "locomotive", "red", "blue")

    assert table.number("surcharge") == 1
    assert table.do(pay(green=1)).owner(GREEN) == 0


def test_example_3_locomotives_were_played_and_one_is_turned_over() -> None:
    table = attempt({"locomotive": 2}, {"locomotive": 1, "green": 2}, "locomotive", "green", "green")

    assert table.number("surcharge") == 1
    assert table.fault(pay(green=1)) == ActionFault.SURCHARGE
    assert table.do(pay(locomotive=1)).owner(GREEN) == 0


# -- what matches, and what pays ----------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "turned", "surcharge"),
    [
        pytest.param({"green": 2}, ("red", "blue", "white"), 0, id="nothing matches"),
        pytest.param({"green": 2}, ("green", "green", "green"), 3, id="all three are of the color"),
        pytest.param({"green": 2}, ("locomotive", "green", "locomotive"), 3, id="color and locomotives"),
        pytest.param({"green": 1, "locomotive": 1}, ("green", "red", "locomotive"), 2, id="a mixture plays its color"),
        pytest.param({"locomotive": 2}, ("green", "green", "green"), 0, id="locomotives alone match no color"),
        pytest.param({"locomotive": 2}, ("locomotive", "green", "locomotive"), 2, id="but locomotives"),
    ],
)
def test_each_match_demands_one_more_card(cards: dict[str, int], turned: tuple[str, ...], surcharge: int) -> None:
    table = attempt(cards, {"green": 4, "locomotive": 4}, *turned)

    assert (table.phase == Phase.TUNNEL) == (surcharge > 0)
    if surcharge:
        assert table.number("surcharge") == surcharge
        assert table.do(table.legal()[0]).owner(GREEN) == 0
    else:
        assert table.owner(GREEN) == 0


@pytest.mark.parametrize(
    ("payment", "fault"),
    [
        pytest.param(pay(green=2), ActionFault.NONE, id="the color"),
        pytest.param(pay(green=1, locomotive=1), ActionFault.NONE, id="a mix"),
        pytest.param(pay(locomotive=2), ActionFault.NONE, id="locomotives"),
        pytest.param(pay(green=1), ActionFault.SURCHARGE, id="not in full"),
        pytest.param(pay(), ActionFault.SURCHARGE, id="nothing"),
        pytest.param(pay(green=2, locomotive=1), ActionFault.SURCHARGE, id="too much"),
        pytest.param(pay(green=1, red=1), ActionFault.SURCHARGE, id="another color"),
        pytest.param(pay(green=2, red=1), ActionFault.SURCHARGE, id="a card of another color beside it"),
        pytest.param(pay(red=3, green=1), ActionFault.SURCHARGE, id="three cards for a locomotive"),
        pytest.param(pay(green=3), ActionFault.CARDS, id="more than is left in the hand"),
    ],
)
def test_what_pays_the_surcharge(payment: Action, fault: ActionFault) -> None:
    table = attempt({"green": 2}, {"green": 2, "locomotive": 2, "red": 3}, "green", "locomotive", "red")

    assert table.fault(payment) == fault


def test_the_surcharge_is_paid_from_the_rest_of_the_hand() -> None:
    table = attempt({"green": 2}, {}, "green", "red", "red")

    assert table.fault(pay(green=1)) == ActionFault.CARDS
    assert table.legal() == [DECLINE]


def test_the_surcharge_adds_no_trains_and_no_points() -> None:
    table = attempt({"green": 2}, {"green": 3}, "green", "green", "green").do(pay(green=3))

    assert table.number("trains") == 38
    assert table.number("score") == 2


def test_laid_turned_over_and_paid_cards_are_discarded() -> None:
    table = attempt({"green": 2}, {"green": 1, "red": 1}, "green", "white", "blue").do(pay(green=1))

    assert table.discard_pile() == {"blue": 1, "white": 1, "green": 4}
    assert table.hand_of(0) == {"red": 1}
    assert table.seat == 1


def test_with_no_match_the_tunnel_is_taken_and_there_is_no_declining() -> None:
    table = attempt({"green": 2}, {"green": 1}, "red", "white", "blue")

    assert (table.phase, table.seat) == (Phase.TURN, 1)
    assert table.owner(GREEN) == 0
    assert table.discard_pile() == {"blue": 1, "white": 1, "green": 2, "red": 1}
    assert table.fault(DECLINE) == ActionFault.PHASE


# -- taking everything back ----------------------------------------------------------------


def test_who_declines_takes_everything_back_and_the_turn_ends() -> None:
    table = attempt({"green": 1, "locomotive": 1}, {"green": 1}, "green", "white", "blue").do(DECLINE)

    assert table.hand_of(0) == {"green": 2, "locomotive": 1}
    assert table.number("n_hand") == 3
    assert table.owner(GREEN) == NOBODY
    assert (table.number("trains"), table.number("score")) == (40, 0)
    assert (table.phase, table.seat) == (Phase.TURN, 1)


def test_the_cards_turned_over_are_discarded_when_a_player_declines() -> None:
    table = attempt({"green": 2}, {}, "green", "white", "blue").do(DECLINE)

    assert table.discard_pile() == {"blue": 1, "white": 1, "green": 1}


def test_everyone_knows_the_cards_taken_back() -> None:
    table = attempt({"green": 1, "locomotive": 1}, {"green": 1}, "green", "white", "blue").do(DECLINE)

    assert table.state.known[0].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_a_player_who_could_pay_may_decline() -> None:
    table = attempt({"green": 2}, {"green": 1}, "green", "white", "blue")

    assert table.legal() == [pay(green=1), DECLINE]


@pytest.mark.parametrize("action", [DRAW, TICKETS, PASS])
def test_nothing_else_is_due_while_the_surcharge_is_open(action: Action) -> None:
    table = attempt({"green": 2}, {"green": 2}, "green", "white", "blue")

    assert table.fault(action) == ActionFault.PHASE
    assert table.fault(table.claim("Boden-Tornio/0", green=1)) == ActionFault.PHASE


def test_paying_or_declining_is_not_due_outside_a_tunnel() -> None:
    table = Position("nordic").hand(0, green=2)

    assert table.fault(pay(green=1)) == table.fault(DECLINE) == ActionFault.PHASE


def test_a_tunnel_declined_may_be_attempted_again() -> None:
    table = attempt({"green": 2}, {}, "green", "white", "blue").do(DECLINE)
    table.draws("red", "red")
    table.claims(GREEN, revealed("red", "red", "red"), green=2)

    assert table.owner(GREEN) == 0


def test_a_tunnel_declined_leaves_its_twin_open() -> None:
    table = attempt({"green": 2}, {}, "green", "white", "blue").hand(1, orange=2, locomotive=1).do(DECLINE)

    assert table.fault(table.claim("Kristiansand-Stavanger/1", orange=2, locomotive=1)) == ActionFault.NONE


# -- before the reveal -----------------------------------------------------------------------


def test_trains_are_checked_before_the_reveal() -> None:
    table = Position("nordic").hand(0, blue=6).put("trains", 3)

    assert table.fault(table.claim(BLUE, blue=4)) == ActionFault.TRAINS


def test_trains_for_the_length_are_enough() -> None:
    table = Position("nordic").hand(0, blue=6).put("trains", 4)
    table.claims(BLUE, revealed("blue", "blue", "red"), blue=4).do(pay(blue=2))

    assert table.number("trains") == 0


def test_the_cards_for_the_length_are_laid_down_first() -> None:
    table = Position("nordic").hand(0, blue=6)

    assert table.fault(table.claim(BLUE, blue=5)) == ActionFault.PAYMENT
    assert table.fault(table.claim(BLUE, blue=3)) == ActionFault.PAYMENT


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        pytest.param({"white": 2}, True, id="the color"),
        pytest.param({"white": 1, "locomotive": 1}, True, id="Switzerland, locomotives: a joker"),
        pytest.param({"locomotive": 2}, True, id="Switzerland, locomotives: alone"),
        pytest.param({"red": 2}, False, id="another color"),
    ],
)
def test_locomotives_on_a_swiss_tunnel(cards: dict[str, int], legal: bool) -> None:  # noqa: FBT001
    table = Position("switzerland").hand(0, white=2, red=2, locomotive=2)

    fault = table.fault(table.claim("Brig-Interlaken/0", **cards))
    assert fault == (ActionFault.NONE if legal else ActionFault.PAYMENT)


# -- a gray tunnel --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "surcharge"),
    [
        pytest.param({"red": 2}, 2, id="attempted in red"),
        pytest.param({"red": 1, "locomotive": 1}, 2, id="in red with a locomotive"),
        pytest.param({"blue": 2}, 1, id="in blue"),
        pytest.param({"locomotive": 2}, 1, id="with locomotives alone"),
    ],
)
def test_the_choice_for_a_gray_tunnel_decides_what_matches(cards: dict[str, int], surcharge: int) -> None:
    table = Position("switzerland").hand(0, red=4, blue=4, locomotive=4)
    table.claims(GRAY, revealed("red", "locomotive", "white"), **cards)

    assert table.number("surcharge") == surcharge


def test_the_surcharge_of_a_gray_tunnel_is_paid_in_the_color_chosen() -> None:
    table = Position("switzerland").hand(0, red=3, blue=4).claims(GRAY, revealed("red", "white", "white"), red=2)

    assert table.fault(pay(blue=1)) == ActionFault.SURCHARGE
    assert table.do(pay(red=1)).owner(GRAY) == 0


def test_two_colors_never_attempt_a_gray_tunnel() -> None:
    table = Position("switzerland").hand(0, red=3, blue=4)

    assert table.fault(table.claim(GRAY, red=1, blue=1)) == ActionFault.PAYMENT


# -- short piles -------------------------------------------------------------------------------


def test_with_fewer_than_three_cards_what_there_is_is_turned_over() -> None:
    table = Position("nordic").hand(0, green=2).discards(red=1).pile(green=1)
    table.claims(GREEN, revealed("green", "red"), green=2)

    assert table.events == ["card_revealed green", "cards_shuffled", "card_revealed red"]
    assert table.number("surcharge") == 1


def test_with_no_cards_a_tunnel_is_taken_at_once() -> None:
    table = Position("nordic").hand(0, green=2).pile().claims(GREEN, green=2)

    assert table.owner(GREEN) == 0
    assert table.discard_pile() == {"green": 2}


def test_the_pile_runs_out_in_the_middle_of_a_reveal() -> None:
    table = Position("nordic").hand(0, green=2).discards(red=2, white=3).pile(green=1)
    table.claims(GREEN, revealed("green", "white", "red"), green=2)

    assert table.events == ["card_revealed green", "cards_shuffled", "card_revealed white", "card_revealed red"]
    assert table.draw_pile() == {"red": 1, "white": 2}
    assert table.discard_pile() == {"white": 1, "green": 1, "red": 1}


def test_cards_turned_over_are_not_shuffled_into_the_pile_of_the_same_reveal() -> None:
    table = Position("nordic").hand(0, green=2).discards(red=1).pile(green=1, white=1)
    table.claims(GREEN, revealed("green", "white", "red"), green=2)

    assert table.draw_pile() == {}
    assert table.discard_pile() == {"white": 1, "green": 1, "red": 1}


def test_cards_laid_down_are_not_in_the_discards_during_the_reveal() -> None:
    table = Position("nordic").hand(0, green=3).discards(red=1).pile().claims(GREEN, revealed("red"), green=2)

    assert table.events == ["cards_shuffled", "card_revealed red"]
    assert table.discard_pile() == {"green": 2, "red": 1}


def test_cards_laid_down_wait_outside_all_piles_until_the_player_decides() -> None:
    table = attempt({"green": 2}, {"green": 1}, "green", "white", "blue")

    assert table.discard_pile() == {"blue": 1, "white": 1, "green": 1}
    assert table.hand_of(0) == {"green": 1}


def test_at_once_a_pile_that_ran_out_is_shuffled_without_the_cards_of_the_reveal() -> None:
    at_once = changed("nordic", cards={"reshuffle": "at_once"})
    table = Position(at_once).hand(0, green=3).discards(red=1).pile(white=1, green=1)
    table.claims(GREEN, revealed("white", "green", "red"), green=2)

    assert table.events == [
        "card_revealed white",
        "card_revealed green",
        "cards_shuffled",
        "card_revealed red",
        "cards_shuffled",
    ]
    assert table.draw_pile() == {"white": 1, "green": 1, "red": 1}


# -- fields -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 5])
def test_how_many_cards_are_turned_over(n: int) -> None:
    table = Position(changed("nordic", tunnel={"revealed": n})).hand(0, green=2)
    table.claims(GREEN, revealed(*["red"] * n), green=2)

    assert table.events == ["card_revealed red"] * n
    assert table.owner(GREEN) == 0
