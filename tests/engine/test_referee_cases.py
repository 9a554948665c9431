"""Edge cases of the rules as the referee judges them, one named test each."""

from __future__ import annotations

import pytest

from tests.fixtures import load
from tests.oracles.referee import Decision, Event, Notice, Referee
from tests.oracles.referee.staging import (
    FIVE,
    arrange,
    begin,
    fault_of,
    follow,
    follow_and_settle,
    market_card,
    move,
    names,
    own,
    park_tickets,
    revealed,
    settle,
    with_rules,
)

LOCOMOTIVE = "locomotive"


# -- set-up ---------------------------------------------------------------------------


def test_set_up_deals_cards_then_the_market_then_tickets() -> None:
    referee = Referee(load("nordic"), 2)
    dealt = settle(referee)
    assert names(dealt) == ["card_dealt"] * 8 + ["market_card"] * 5 + ["ticket_offered"] * 10
    assert [event["seat"] for event in dealt if event["event"] == "card_dealt"] == [0] * 4 + [1] * 4
    assert referee.due == Decision("keep_start", 0)


def test_the_market_is_checked_for_a_reset_at_set_up() -> None:
    referee = Referee(load("usa"), 2)
    for seat in (0, 1):
        follow(referee, *({"event": "card_dealt", "seat": seat, "card": "red"} for _ in range(4)))
    cards = (LOCOMOTIVE, LOCOMOTIVE, "red", LOCOMOTIVE, "blue")
    assert follow(referee, *(market_card(i, card) for i, card in enumerate(cards))) == Notice("market_replaced")
    follow(referee, {"event": "market_replaced"})
    assert referee.table.discards == {LOCOMOTIVE: 3, "red": 1, "blue": 1}
    settle(referee)
    assert None not in referee.table.market


def test_opening_tickets_are_kept_in_seat_order() -> None:
    referee = Referee(load("nederland"), 3)
    settle(referee)
    for seat in range(3):
        offer = list(referee.table.offers[seat])
        assert referee.due == Decision("keep_start", seat)
        assert "at least 3" in fault_of(referee, move("keep_tickets", seat, tickets=offer[:2]))
        follow(referee, move("keep_tickets", seat, tickets=offer[1:4]))
        assert referee.table.held[seat] == offer[1:4]
        assert referee.table.ticket_discards[-2:] == [offer[0], offer[4]]
    assert referee.due == Decision("turn", 0)


def test_returned_opening_tickets_go_under_the_pile_in_the_order_offered() -> None:
    referee = Referee(load("usa"), 2)
    settle(referee)
    offers = [list(offer) for offer in referee.table.offers]
    follow(referee, *(move("keep_tickets", seat, tickets=[offers[seat][0], offers[seat][2]]) for seat in (0, 1)))
    assert referee.table.ticket_queue == [offers[0][1], offers[1][1]]


# -- drawing ---------------------------------------------------------------------------


def test_a_taken_slot_is_filled_before_the_second_draw_and_its_locomotive_may_not_be_taken() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee)
    follow(referee, move("draw_face_up", 0, slot=1))
    assert "market_card" in fault_of(referee, move("draw_card", 0))
    assert follow(referee, market_card(1, LOCOMOTIVE)) == Decision("second_draw", 0)
    assert "first card" in fault_of(referee, move("draw_face_up", 0, slot=1))
    follow(referee, move("draw_face_up", 0, slot=0), market_card(0, "red"))
    assert referee.due == Decision("turn", 1)


def test_a_face_up_locomotive_is_a_whole_turn_in_the_base_game() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, market=(LOCOMOTIVE, *FIVE[1:]))
    assert follow(referee, move("draw_face_up", 0, slot=0), market_card(0, "red")) == Decision("turn", 1)


@pytest.mark.parametrize("name", ["nordic", "switzerland"])
def test_two_face_up_locomotives_may_be_taken_where_they_cost_one_draw(name: str) -> None:
    referee = begin(load(name), 2)
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, *FIVE[2:]))
    follow(referee, move("draw_face_up", 0, slot=0), market_card(0, "red"))
    assert follow(referee, move("draw_face_up", 0, slot=1), market_card(1, "red")) == Decision("turn", 1)
    assert referee.table.hands[0] == {LOCOMOTIVE: 2}


def test_a_locomotive_drawn_unseen_never_ends_the_turn() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee)
    drawn = {"event": "card_drawn", "seat": 0, "card": LOCOMOTIVE}
    assert follow(referee, move("draw_card", 0), drawn) == Decision("second_draw", 0)
    assert follow(referee, move("draw_card", 0), drawn) == Decision("turn", 1)


def test_a_reset_may_be_followed_by_another() -> None:
    referee = begin(load("switzerland"), 2)
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, *FIVE[2:]))
    replaced: Event = {"event": "market_replaced"}
    again = [market_card(slot, LOCOMOTIVE) for slot in range(5)]
    follow(referee, move("draw_face_up", 0, slot=2), market_card(2, LOCOMOTIVE), replaced, *again, replaced)
    assert referee.table.discards[LOCOMOTIVE] == 8
    settle(referee)
    assert referee.due == Decision("second_draw", 0)


def test_at_most_so_many_resets_follow_one_refill() -> None:
    referee = begin(with_rules(load("usa"), "market", max_resets=1), 2)
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, *FIVE[2:]))
    again = [market_card(slot, LOCOMOTIVE) for slot in range(5)]
    follow(referee, move("draw_face_up", 0, slot=2), market_card(2, LOCOMOTIVE), {"event": "market_replaced"}, *again)
    assert referee.due == Decision("second_draw", 0)
    drawn = {"event": "card_drawn", "seat": 0, "card": "red"}
    assert follow(referee, move("draw_card", 0), drawn) == Decision("turn", 1)


@pytest.mark.parametrize(("n_colored", "is_reset"), [(2, False), (3, True), (4, True)])
def test_a_reset_needs_three_cards_that_are_no_locomotives(n_colored: int, is_reset: bool) -> None:  # noqa: FBT001
    referee = begin(load("usa"), 2)
    pile = {LOCOMOTIVE: 9, "red": n_colored - 2}
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, "red", "red", "blue"), pile=pile)
    follow(referee, move("draw_face_up", 0, slot=4), market_card(4, LOCOMOTIVE))
    assert (referee.due == Notice("market_replaced")) == is_reset


def test_there_is_no_reset_on_nordic() -> None:
    referee = begin(load("nordic"), 2)
    arrange(referee, market=(LOCOMOTIVE,) * 4 + ("red",))
    assert follow(referee, move("draw_face_up", 0, slot=4), market_card(4, LOCOMOTIVE)) == Decision("second_draw", 0)


def test_there_is_no_reset_while_a_slot_is_empty() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, "red", "blue", None), pile={LOCOMOTIVE: 1})
    assert follow(referee, move("draw_face_up", 0, slot=2), market_card(2, LOCOMOTIVE)) == Decision("second_draw", 0)


def test_the_pile_runs_out_in_the_middle_of_a_refill() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, market=(LOCOMOTIVE, LOCOMOTIVE, *FIVE[2:]), pile={LOCOMOTIVE: 1, "red": 2})
    follow(referee, move("draw_face_up", 0, slot=2), market_card(2, LOCOMOTIVE), {"event": "market_replaced"})
    assert follow(referee, market_card(0, "red"), market_card(1, "red")) == Notice("cards_shuffled")
    settle(referee)
    assert None not in referee.table.market


def test_an_empty_slot_cannot_be_taken_and_stays_empty() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, market=("red", "blue", None, None, None), pile={})
    assert "empty" in fault_of(referee, move("draw_face_up", 0, slot=2))
    assert "no cards" in fault_of(referee, move("draw_card", 0))
    assert follow(referee, move("draw_face_up", 0, slot=0)) == Decision("second_draw", 0)
    assert follow(referee, move("draw_face_up", 0, slot=1)) == Decision("turn", 1)
    assert referee.table.market == [None] * 5


def test_face_up_cards_stay_without_piles_where_the_rules_say_so() -> None:
    referee = begin(with_rules(load("usa"), "market", open_without_piles=False), 2)
    arrange(referee, pile={})
    assert "stay" in fault_of(referee, move("draw_face_up", 0, slot=0))


def test_a_second_card_that_cannot_be_had_is_skipped() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, market=("red", LOCOMOTIVE, None, None, None), pile={})
    assert follow(referee, move("draw_face_up", 0, slot=0)) == Decision("turn", 1)


def test_empty_slots_are_filled_at_the_end_of_a_turn_that_added_discards() -> None:
    referee = begin(load("usa"), 2)
    cards = {"red": 2, LOCOMOTIVE: 2}
    arrange(referee, cards, market=(LOCOMOTIVE, None, LOCOMOTIVE, None, "blue"), pile={})
    follow(referee, move("claim_route", 0, route=route_of(referee, 2, "gray"), cards={"red": 2}))
    follow(referee, {"event": "cards_shuffled"}, market_card(1, "red"), market_card(3, "red"))
    assert referee.due == Decision("turn", 1)


def route_of(referee: Referee, length: int, color: str) -> str:
    """Return some route without a twin."""
    return next(
        route.id
        for route in referee.table.map.routes
        if (route.length, route.color) == (length, color)
        and route.id not in referee.table.twins
        and not route.tunnel
        and not route.locomotives
    )


def test_a_market_that_was_not_reset_stays_until_a_refill() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, {"red": 3}, market=(LOCOMOTIVE, LOCOMOTIVE, LOCOMOTIVE, "blue", "red"), pile={})
    claim = move("claim_route", 0, route=route_of(referee, 2, "gray"), cards={"red": 2})
    assert follow(referee, claim) == Decision("turn", 1)


def test_a_reset_may_follow_the_refill_at_the_end_of_a_turn() -> None:
    referee = begin(load("usa"), 2)
    arrange(referee, {"red": 2, LOCOMOTIVE: 1}, market=(LOCOMOTIVE, LOCOMOTIVE, None, "blue", "black"), pile={})
    claim = move("claim_route", 0, route=route_of(referee, 2, "gray"), cards={"red": 1, LOCOMOTIVE: 1})
    follow(referee, claim, {"event": "cards_shuffled"})
    assert follow(referee, market_card(2, LOCOMOTIVE)) == Notice("market_replaced")


def test_the_pile_is_shuffled_when_a_card_is_wanted_or_at_once() -> None:
    for reshuffle, due in (("when_wanted", Decision("second_draw", 0)), ("at_once", Notice("cards_shuffled"))):
        referee = begin(with_rules(load("usa"), "cards", reshuffle=reshuffle), 2)
        arrange(referee, pile={"red": 1}, discards={"blue": 4})
        drawn = {"event": "card_drawn", "seat": 0, "card": "red"}
        assert follow(referee, move("draw_card", 0), drawn) == due


# -- claiming ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("route", "cards", "is_legal"),
    [
        pytest.param("Lieksa-Murmansk/0", {"green": 7, "red": 4, "blue": 4}, True, id="seven green and eight others"),
        pytest.param("Lieksa-Murmansk/0", {"green": 9}, True, id="nine of a color"),
        pytest.param("Lieksa-Murmansk/0", {"green": 8, LOCOMOTIVE: 1}, False, id="no joker on the long route"),
        pytest.param("Lieksa-Murmansk/0", {"green": 8, LOCOMOTIVE: 4}, True, id="four locomotives for one card"),
        pytest.param("Lieksa-Murmansk/0", {"green": 12}, True, id="four cards of the color for one card"),
        pytest.param("Lieksa-Murmansk/0", {"green": 10}, False, id="a card left over"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 2, LOCOMOTIVE: 1}, True, id="a symbol by a locomotive"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 3}, False, id="a symbol by a color"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 2, "red": 1, "blue": 2}, True, id="a symbol by any three"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 5}, True, id="the three may be of the color"),
        pytest.param("Kristiansand-Stavanger/1", {"orange": 1, "red": 6}, True, id="three for a color card too"),
        pytest.param("Kristiansand-Stavanger/1", {LOCOMOTIVE: 3}, True, id="locomotives alone"),
        pytest.param("Kristiansand-Stavanger/1", {"red": 2, LOCOMOTIVE: 1}, False, id="another color"),
        pytest.param("Bergen-Oslo/0", {"blue": 3, "red": 3}, False, id="no set on a tunnel"),
        pytest.param("Bergen-Oslo/0", {"blue": 3, LOCOMOTIVE: 1}, True, id="a joker on a tunnel"),
    ],
)
def test_payments_on_nordic(route: str, cards: dict[str, int], is_legal: bool) -> None:  # noqa: FBT001
    referee = begin(load("nordic"), 2)
    arrange(referee, cards)
    assert referee.is_legal_move(move("claim_route", 0, route=route, cards=cards)) == is_legal


def test_each_illegal_claim_has_its_reason() -> None:
    referee = begin(load("nordic"), 2)
    plain = route_of(referee, 3, "gray")
    arrange(referee, {"red": 4, "blue": 4, LOCOMOTIVE: 4})

    def claim(route: str, **cards: int) -> str:
        return fault_of(referee, move("claim_route", 0, route=route, cards=cards))

    assert "do not pay" in claim(plain, red=2, blue=1)
    assert "do not pay" in claim(plain, red=2, locomotive=1)
    assert "not {'green': 3}" in claim(plain, green=3)
    own(referee, 1, plain, "Bergen-Oslo/0")
    own(referee, 0, "Kristiansand-Stavanger/0")
    assert "belongs to 1" in claim(plain, red=3)
    assert "is closed" in claim("Bergen-Oslo/1", red=4)
    assert "other track" in claim("Kristiansand-Stavanger/1", locomotive=3)
    referee.table.trains[0] = 3
    assert "needs 4 trains" in claim("Mo i Rana-Narvik/0", locomotive=4)


@pytest.mark.parametrize(("n_players", "is_open"), [(2, False), (3, True)])
def test_the_first_claim_closes_the_twin_below_the_limit(n_players: int, is_open: bool) -> None:  # noqa: FBT001
    referee = begin(load("nordic"), n_players)
    arrange(referee, {"white": 1}, {"purple": 1})
    follow(referee, move("claim_route", 0, route="Kiruna-Narvik/1", cards={"white": 1}))
    follow(referee, revealed("red"), revealed("red"), revealed("red"))
    assert referee.table.owners == {"Kiruna-Narvik/1": 0}
    assert referee.is_legal_move(move("claim_route", 1, route="Kiruna-Narvik/0", cards={"purple": 1})) == is_open


# -- tunnels ---------------------------------------------------------------------------


def attempt(hand: dict[str, int], laid: dict[str, int], *turned_up: str) -> Referee:
    """Return a game in which seat 0 attempts Kristiansand-Stavanger, a green tunnel of two."""
    referee = begin(load("nordic"), 2)
    arrange(referee, hand)
    follow(referee, move("claim_route", 0, route="Kristiansand-Stavanger/0", cards=laid), *map(revealed, turned_up))
    return referee


@pytest.mark.parametrize(
    ("laid", "turned_up", "pay", "refused"),
    [
        pytest.param({"green": 2}, "green", {"green": 1}, {"red": 1}, id="example 1: a card of the color"),
        pytest.param({"green": 2}, LOCOMOTIVE, {LOCOMOTIVE: 1}, {"green": 2}, id="example 2: a locomotive"),
        pytest.param({LOCOMOTIVE: 2}, LOCOMOTIVE, {LOCOMOTIVE: 1}, {"green": 1}, id="example 3: locomotives alone"),
    ],
)
def test_surcharge(laid: dict[str, int], turned_up: str, pay: dict[str, int], refused: dict[str, int]) -> None:
    referee = attempt({"green": 4, "red": 1, LOCOMOTIVE: 4}, laid, "red", turned_up, "blue")
    assert referee.due == Decision("tunnel", 0)
    fault_of(referee, move("pay_tunnel", 0, cards=refused))
    assert follow(referee, move("pay_tunnel", 0, cards=pay)) == Decision("turn", 1)
    assert referee.table.owners == {"Kristiansand-Stavanger/0": 0}
    assert referee.table.trains[0] == 38
    assert referee.table.discards.total() == 6


def test_a_color_does_not_match_locomotives_alone() -> None:
    referee = attempt({LOCOMOTIVE: 2}, {LOCOMOTIVE: 2}, "green", "green", "green")
    assert referee.due == Decision("turn", 1)
    assert referee.table.owners


def test_who_cannot_pay_takes_all_cards_back() -> None:
    referee = attempt({"green": 2}, {"green": 2}, "green", LOCOMOTIVE, "blue")
    assert referee.table.laid == {"green": 2}
    fault_of(referee, move("pay_tunnel", 0, cards={"green": 2}))
    assert follow(referee, move("decline_tunnel", 0)) == Decision("turn", 1)
    assert referee.table.hands[0] == {"green": 2}
    assert referee.table.discards == {"green": 1, LOCOMOTIVE: 1, "blue": 1}
    assert not referee.table.owners


def test_cards_laid_down_are_not_shuffled_by_the_reveal() -> None:
    referee = begin(load("nordic"), 2)
    arrange(referee, {"green": 2}, pile={"red": 1}, discards={"blue": 1})
    follow(referee, move("claim_route", 0, route="Kristiansand-Stavanger/0", cards={"green": 2}), revealed("red"))
    assert follow(referee, {"event": "cards_shuffled"}) is not None
    assert referee.table.pile == {"blue": 1}
    assert follow(referee, revealed("blue")) == Decision("turn", 1)  # no third card: the laid ones are no discards
    assert referee.table.discards == {"green": 2, "red": 1, "blue": 1}


def test_trains_are_checked_before_the_reveal() -> None:
    referee = begin(load("nordic"), 2)
    arrange(referee, {"green": 2})
    referee.table.trains[0] = 1
    claim = move("claim_route", 0, route="Kristiansand-Stavanger/0", cards={"green": 2})
    assert "needs 2 trains" in fault_of(referee, claim)


# -- tickets ---------------------------------------------------------------------------


def test_fewer_tickets_than_wanted_are_drawn() -> None:
    referee = begin(load("nordic"), 2)
    park_tickets(referee, pile=2)
    assert names(follow_and_settle(referee, move("draw_tickets", 0))) == ["ticket_offered"] * 2
    offer = list(referee.table.offers[0])
    assert "0 tickets kept" in fault_of(referee, move("keep_tickets", 0, tickets=[]))
    follow(referee, move("keep_tickets", 0, tickets=offer[:1]))
    assert referee.table.removed == offer[1:]
    assert "no tickets" in fault_of(referee, move("draw_tickets", 1))


def test_ticket_discards_are_shuffled_when_a_ticket_is_wanted() -> None:
    referee = begin(load("nederland"), 2)
    park_tickets(referee, pile=1, discards=2)
    drawn = follow_and_settle(referee, move("draw_tickets", 0))
    assert names(drawn) == ["ticket_offered", "tickets_shuffled", "ticket_offered", "ticket_offered"]


def test_tickets_chosen_from_are_never_shuffled() -> None:
    referee = begin(load("nederland"), 2)
    park_tickets(referee, pile=4, discards=0)
    drawn = follow_and_settle(referee, move("draw_tickets", 0))
    assert names(drawn) == ["ticket_offered"] * 4
    follow(referee, move("keep_tickets", 0, tickets=referee.table.offers[0][:1]))
    assert not referee.table.ticket_pile
    assert len(referee.table.ticket_discards) == 3


def test_tickets_under_the_pile_come_in_their_order() -> None:
    referee = begin(load("usa"), 2)
    table = referee.table
    table.ticket_queue += table.ticket_pile[1:]
    table.ticket_pile, queue = table.ticket_pile[:1], list(table.ticket_queue)
    drawn = follow_and_settle(referee, move("draw_tickets", 0))
    assert [event["ticket"] for event in drawn[1:]] == queue[:2]
