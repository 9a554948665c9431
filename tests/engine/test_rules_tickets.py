"""
The rules of drawing tickets.

The rules, sections 1 to 5, and 7, "Tickets". Rule books: Nordic Countries, drawing
tickets; Switzerland, destination tickets; Nederland, tickets. Opening tickets
are tested with the set-up, what tickets score with the scoring.
"""

from __future__ import annotations

import pytest

from tests.engine.positions import DRAW, PASS, TICKETS, Fields, Position, changed, offered
from ttr_analysis.engine.codes import KEEP_TICKETS, ActionFault
from ttr_analysis.engine.layout import AT_DISCARDS, AT_OFFER, AT_PILE, AT_QUEUE, AT_REMOVED, Phase

USA = ("Boston-Miami", "Calgary-Phoenix", "Denver-El Paso", "Duluth-Houston", "Seattle-New York", "Toronto-Miami")


def ids(name: str, n: int) -> list[str]:
    """Return the first tickets of a map."""
    return [ticket.id for ticket in Position(name).map.tickets[:n]]


@pytest.mark.parametrize(
    ("name", "n"),
    [
        pytest.param("nordic", 3, id="Nordic, drawing tickets: 3"),
        pytest.param("switzerland", 3, id="Switzerland, tickets: 3"),
        pytest.param("nederland", 4, id="Nederland, tickets: 4"),
        pytest.param("usa", 3, id="USA: 3"),
        pytest.param("europe", 3, id="Europe: 3 short ones"),
    ],
)
def test_how_many_are_drawn_and_at_least_one_is_kept(name: str, n: int) -> None:
    tickets = ids(name, n)
    table = Position(name).do(TICKETS, offered(*tickets))

    assert (table.phase, table.seat) == (Phase.KEEP, 0)
    assert table.offer() == tickets
    assert table.fault(table.keep()) == ActionFault.KEEP_FEW
    assert {kept for _, kept in table.legal()} == set(range(1, 1 << n))
    assert table.fault((KEEP_TICKETS, 1 << n)) == ActionFault.KEEP_OTHER


@pytest.mark.parametrize("n_kept", [1, 2, 3])
def test_one_two_or_all_may_be_kept(n_kept: int) -> None:
    table = Position("usa").do(TICKETS, offered(*USA[:3])).keeps(*USA[:n_kept])

    assert table.held(0) == list(USA[:n_kept])
    assert (table.phase, table.seat) == (Phase.TURN, 1)


@pytest.mark.parametrize("action", [DRAW, TICKETS, PASS])
def test_nothing_else_is_due_while_tickets_are_chosen(action: tuple[int, int]) -> None:
    table = Position("usa").do(TICKETS, offered(*USA[:3]))

    assert table.fault(action) == ActionFault.PHASE


def test_tickets_offered_are_in_no_pile() -> None:
    table = Position("usa").do(TICKETS, offered(*USA[:3]))

    assert {table.ticket_at(ticket) for ticket in USA[:3]} == {AT_OFFER}
    assert table.number("n_ticket_pile") == 27


def test_tickets_are_kept_beside_those_held_before() -> None:
    table = Position("usa").tickets(0, USA[4]).do(TICKETS, offered(*USA[:3])).keeps(USA[2])

    assert table.held(0) == [USA[4], USA[2]]


def test_a_hand_of_tickets_has_no_limit() -> None:
    tickets = ids("nordic", 46)
    table = Position("nordic").tickets(0, *tickets[:43]).do(TICKETS, offered(*tickets[43:])).keeps(*tickets[43:])

    assert table.number("n_held") == 46


# -- tickets that are not kept ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields", "place"),
    [
        pytest.param("nordic", {}, AT_REMOVED, id="Nordic: they leave the game"),
        pytest.param("switzerland", {}, AT_REMOVED, id="Switzerland: they leave the game"),
        pytest.param("nederland", {}, AT_DISCARDS, id="Nederland: to the discards"),
        pytest.param("usa", {}, AT_QUEUE, id="USA: under the pile"),
        pytest.param("nederland", {"unkept": "removed"}, AT_REMOVED, id="a field: removed"),
        pytest.param("nederland", {"unkept": "under_pile"}, AT_QUEUE, id="a field: under the pile"),
    ],
)
def test_where_tickets_go_that_are_not_kept(name: str, fields: Fields, place: int) -> None:
    table = Position(changed(name, tickets=fields)).do_by_chance(TICKETS)
    first, kept, *rest = table.offer()
    table.keeps(kept)
    others = [first, *rest]

    assert table.held(0) == [kept]
    assert {table.ticket_at(ticket) for ticket in others} == {place}
    assert table.number("n_ticket_discards") == len(others) * (place == AT_DISCARDS)
    assert table.number("n_queued") == len(others) * (place == AT_QUEUE)


def test_tickets_under_the_pile_come_up_again_after_it_in_the_order_returned() -> None:
    table = Position("usa").ticket_pile(*USA[:4]).do(TICKETS, offered(USA[2], USA[0], USA[3])).keeps(USA[0])
    table.do(TICKETS, offered(USA[1], USA[2], USA[3]))  # the last of the pile, then those returned
    table.keeps(USA[2])

    assert table.do(TICKETS, offered(USA[1], USA[3])).offer() == [USA[1], USA[3]]


def test_the_order_under_the_pile_is_not_shuffled() -> None:
    table = Position("usa").under_pile(USA[5], USA[1], USA[3], USA[0]).ticket_pile().do_by_chance(TICKETS)
    assert table.offer() == [USA[5], USA[1], USA[3]]
    table.do_by_chance(table.keep(USA[1]))

    assert table.do_by_chance(TICKETS).offer() == [USA[0], USA[5], USA[3]]


# -- the pile runs out ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nordic", "switzerland", "usa"])
def test_fewer_than_three_left_are_drawn(name: str) -> None:
    tickets = ids(name, 2)
    table = Position(name).ticket_pile(*tickets).do(TICKETS, offered(*tickets))

    assert table.offer() == tickets
    assert table.fault(table.keep()) == ActionFault.KEEP_FEW
    table.keeps(tickets[0])
    assert table.held(0) == [tickets[0]]


@pytest.mark.parametrize("name", ["nordic", "switzerland"])
def test_the_pile_can_run_out(name: str) -> None:
    tickets = ids(name, 3)
    table = Position(name).ticket_pile(*tickets).do(TICKETS, offered(*tickets)).keeps(tickets[0])

    assert table.fault(TICKETS) == ActionFault.NO_TICKETS


@pytest.mark.parametrize("name", ["nordic", "switzerland", "nederland", "usa"])
def test_drawing_tickets_is_illegal_only_when_there_are_none(name: str) -> None:
    tickets = ids(name, 1)

    assert Position(name).ticket_pile().fault(TICKETS) == ActionFault.NO_TICKETS
    assert Position(name).ticket_pile(*tickets).fault(TICKETS) == ActionFault.NONE


def test_tickets_under_the_pile_can_be_drawn_though_it_is_empty() -> None:
    assert Position("usa").under_pile(USA[0]).ticket_pile().fault(TICKETS) == ActionFault.NONE


def test_ticket_discards_can_be_drawn_though_the_pile_is_empty() -> None:
    ticket = ids("nederland", 1)[0]

    assert Position("nederland").ticket_discards(ticket).ticket_pile().fault(TICKETS) == ActionFault.NONE


def test_the_discards_are_shuffled_in_the_middle_of_a_draw() -> None:
    tickets = ids("nederland", 6)
    table = Position("nederland").ticket_discards(*tickets[2:]).ticket_pile(*tickets[:2])
    table.do(TICKETS, offered(tickets[0], tickets[1], tickets[5], tickets[3]))

    assert table.events == [
        f"ticket_offered {tickets[0]}",
        f"ticket_offered {tickets[1]}",
        "tickets_shuffled",
        f"ticket_offered {tickets[5]}",
        f"ticket_offered {tickets[3]}",
    ]
    assert table.number("n_ticket_pile") == 2
    assert table.number("n_ticket_discards") == 0
    assert {table.ticket_at(ticket) for ticket in (tickets[2], tickets[4])} == {AT_PILE}


def test_tickets_being_chosen_from_are_never_shuffled() -> None:
    tickets = ids("nederland", 3)
    table = Position("nederland").ticket_discards(tickets[2]).ticket_pile(*tickets[:2])
    table.do(TICKETS, offered(tickets[1], tickets[0], tickets[2]))

    assert len(table.offer()) == 3
    table.keeps(tickets[2])
    assert table.number("n_ticket_discards") == 2


def test_a_pile_that_is_just_used_up_is_not_shuffled() -> None:
    tickets = ids("nederland", 6)
    table = Position("nederland").ticket_discards(*tickets[4:]).ticket_pile(*tickets[:4])
    table.do(TICKETS, offered(*tickets[:4]))

    assert "tickets_shuffled" not in table.events
    assert table.number("n_ticket_discards") == 2


def test_pile_and_discards_together_hold_what_is_left() -> None:
    tickets = ids("nederland", 3)
    table = Position("nederland").ticket_discards(tickets[0]).ticket_pile(*tickets[1:])

    assert len(table.do_by_chance(TICKETS).offer()) == 3


# -- fields -------------------------------------------------------------------------------


def test_a_discard_pile_instead_of_under_the_pile() -> None:
    table = Position(changed("usa", tickets={"unkept": "discard_pile"})).ticket_pile(*USA[:3])
    table.do(TICKETS, offered(*USA[:3])).keeps(USA[0])

    assert table.do(TICKETS, offered(USA[2], USA[1])).events[0] == "tickets_shuffled"


@pytest.mark.parametrize(("draw", "keep"), [(1, 1), (2, 2), (5, 3), (2, 3)])
def test_numbers_drawn_and_kept(draw: int, keep: int) -> None:
    tickets = ids("usa", draw)
    table = Position(changed("usa", tickets={"draw": draw, "keep": keep})).do(TICKETS, offered(*tickets))
    fewest = min(draw, keep)

    assert table.fault(table.keep(*tickets[: fewest - 1])) == ActionFault.KEEP_FEW
    assert table.fault(table.keep(*tickets[:fewest])) == ActionFault.NONE
