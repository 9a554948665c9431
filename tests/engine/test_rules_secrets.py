"""
The rules of what is secret and what is public.

The rules, section 1, "Secret" and "Public", section 4, "Tolls", and 7, "Set-up".
Rule books: Nordic Countries, preparation and drawing tickets; Nederland,
tickets and toll tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.engine.positions import (
    DECLINE,
    DRAW,
    TICKETS,
    Position,
    drawn,
    face_up,
    neutral,
    offered,
    pay,
    revealed,
)
from tests.engine.test_rules_setup import keep, start
from tests.fixtures import BUILT_IN, load
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import redact
from ttr_analysis.tables import MAX_TICKETS


def seen(table: Position, seat: int) -> list[int]:
    """Return what a seat can see, cell by cell."""
    return [int(cell) for cell in redact(table.state, table.tables, seat).cells]


def known(table: Position, seat: int) -> dict[str, int]:
    """Return the cards that everyone knows a seat to hold at least."""
    return CardCounts(tuple(table.state.known[seat].tolist())).as_dict()


def pool(table: Position) -> CardCounts:
    """Return the cards since the last shuffle less all that everyone has seen since."""
    return CardCounts(tuple(table.state.pool.tolist()))


# -- secret ---------------------------------------------------------------------------


NORDIC = tuple(ticket.id for ticket in load("nordic").tickets)


def new() -> Position:
    """Return a Nordic table in the turn of seat 1."""
    return Position("nordic").after_turns(1)


def offer_from(n: int) -> Position:
    """Return the same when seat 1 is offered three tickets from a number on."""
    return new().do(TICKETS, offered(*NORDIC[n : n + 3]))


@pytest.mark.parametrize(
    ("table", "secrets"),
    [
        pytest.param(lambda cards: new().hand(1, **cards), [{"blue": 3}, {"green": 2, "red": 1}], id="a hand"),
        pytest.param(lambda card: new().draws(card), ["red", "locomotive"], id="what is drawn unseen"),
        pytest.param(lambda ticket: new().tickets(1, ticket), NORDIC[:2], id="a ticket"),
        pytest.param(lambda ticket: new().tickets(1, ticket).put("phase", Phase.OVER), NORDIC[:2], id="to the end"),
        pytest.param(offer_from, [0, 5], id="an offer"),
        pytest.param(lambda n: offer_from(n).keeps(NORDIC[n]), [0, 5], id="what is kept and rejected"),
    ],
)
def test_what_is_secret_to_one_seat(table: Callable[[Any], Position], secrets: Sequence[Any]) -> None:
    one, other = map(table, secrets)

    assert seen(one, 0) == seen(other, 0)
    assert seen(one, 1) != seen(other, 1)


def test_the_order_under_the_pile_is_secret() -> None:
    one = Position("usa").under_pile("Boston-Miami", "Denver-El Paso")
    other = Position("usa").under_pile("Denver-El Paso", "Boston-Miami")

    assert seen(one, 0) == seen(other, 0)


def test_the_stream_of_chance_is_secret() -> None:
    table = Position("usa")
    before = seen(table, 0)
    table.state.stream[:] += 1

    assert seen(table, 0) == before


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_view_shows_how_others_choose_their_opening_tickets(name: str) -> None:
    views = []
    for kept in ((0, 1, 2), (1, 2), (0, 1)) if name != "nederland" else ((0, 1, 2), (2, 3, 4), (0, 1, 2, 3)):
        state, tables, _ = start(load(name), 3)
        keep(state, tables, *kept)
        views.append([redact(state, tables, seat).cells.tolist() for seat in (1, 2)])

    assert views[0] == views[1] == views[2]


def test_the_number_of_opening_tickets_kept_is_public_once_all_have_chosen() -> None:
    state, tables, _ = start(load("nordic"), 2)
    keep(state, tables, 0, 1, 4)
    keep(state, tables, 0, 1)

    assert redact(state, tables, 1).n_held[0] == 3


# -- public ---------------------------------------------------------------------------------


PUBLIC = {
    "market": "market",
    "discards": "discards",
    "owners of routes": "owner",
    "number of claims": "n_claims",
    "scores": "score",
    "trains left": "trains",
    "size of the draw pile": "n_pile",
    "size of the ticket pile": "n_ticket_pile",
    "tickets under the pile": "n_queued",
    "size of the ticket discards": "n_ticket_discards",
    "loans": "loans",
    "decision: tokens": "tokens",
    "decision: cards of each seat": "n_hand",
    "decision: tickets of each seat": "n_held",
    "marker": "marker",
    "cards turned over for a tunnel": "revealed",
    "cards known": "known",
}


@pytest.mark.parametrize("what", PUBLIC)
def test_what_every_view_shows(what: str) -> None:
    field = PUBLIC[what]
    table = Position("nederland", variant="neutral").hand(0, purple=2).tickets(1, "Amsterdam-Antwerpen")
    table.ticket_discards("Breda-Haarlem").own("neutral", "Emden-Emmen/0").put("loans", 2)
    table.claims("Breda-Rotterdam/0", purple=2).do_by_chance(face_up(0), face_up(1))

    for seat in (0, 1):
        view = redact(table.state, table.tables, seat)
        assert np.array_equal(getattr(view, field), getattr(table.state, field))


def test_ticket_discards_lie_face_up_in_nederland() -> None:
    tickets = [ticket.id for ticket in load("nederland").tickets]
    one, other = (Position("nederland").ticket_discards(ticket) for ticket in tickets[:2])

    assert seen(one, 0) != seen(other, 0)


def test_the_ticket_turned_up_for_the_neutral_player_is_public() -> None:
    table = Position("nederland", variant="neutral").after_turns(11)
    table.draws("red").do(DRAW, drawn("red"), neutral("Breda-Haarlem"))

    for seat in (0, 1):
        assert redact(table.state, table.tables, seat).neutral_ticket == table.state.neutral_ticket


def test_a_seat_sees_its_own_cards_and_tickets() -> None:
    table = Position("nordic").hand(1, red=2, locomotive=1).tickets(1, "Oslo-Stockholm", "Oslo-København")
    view = redact(table.state, table.tables, 1)

    assert np.array_equal(view.hand[1], table.state.hand[1])
    assert np.array_equal(view.held[1, :2], table.state.held[1, :2])
    own = [ticket for ticket in range(MAX_TICKETS) if table.state.ticket_at[ticket] == 1]
    assert [int(view.ticket_at[ticket]) for ticket in own] == [1, 1]


# -- what follows from what is public ------------------------------------------------------------


def taken_green() -> Position:
    """Return a table where seat 0 holds two green cards, one of them taken face up, and has the turn again."""
    table = Position("nordic").market("green", "red", "red", "white", "white").hand(0, green=1)
    return table.takes(0, "red").draws("yellow").do_by_chance(DRAW, DRAW)


def in_a_tunnel() -> Position:
    """Return a table where seat 0 laid two green cards for a tunnel and is to pay a third."""
    table = Position("nordic").hand(0, green=4)
    return table.claims("Kristiansand-Stavanger/0", revealed("green", "red", "red"), green=2)


@pytest.mark.parametrize(
    ("table", "cards"),
    [
        pytest.param(taken_green, {"green": 1}, id="a card taken face up, none drawn unseen"),
        # Whether the green card left is the one that was taken nobody else knows.
        pytest.param(lambda: taken_green().claims("Boden-Tornio/0", green=1), {}, id="once it is played no longer"),
        pytest.param(in_a_tunnel, {}, id="no cards laid down"),
        pytest.param(lambda: in_a_tunnel().do(DECLINE), {"green": 2}, id="cards taken back"),
        pytest.param(lambda: in_a_tunnel().do(pay(green=1)), {}, id="no cards paid for a surcharge"),
    ],
)
def test_which_cards_everyone_knows_a_seat_to_hold(table: Callable[[], Position], cards: dict[str, int]) -> None:
    assert known(table(), 0) == cards


def test_the_pool_loses_what_is_turned_up_and_not_what_is_drawn_unseen() -> None:
    table = Position("nordic")
    before = pool(table)
    table.draws("red")
    assert pool(table) == before
    table.takes(0, "blue")

    assert pool(table) == before - CardCounts.of(blue=1)


def test_the_pool_loses_cards_that_are_played() -> None:
    table = Position("nordic").hand(0, green=2)
    before = pool(table)
    table.claims("Boden-Tornio/0", green=1)

    assert pool(table) == before - CardCounts.of(green=1)


def test_after_a_shuffle_the_pool_is_the_discards() -> None:
    table = Position("nordic").discards(red=3, blue=2).pile()
    table.draws("red")

    assert pool(table) == CardCounts.of(red=3, blue=2)
    assert table.draw_pile() == {"blue": 2, "red": 2}


def test_playing_a_card_that_may_be_older_than_the_shuffle_leaves_its_like_in_the_pool() -> None:
    table = Position("nordic").hand(0, green=1).discards(red=3, green=1).pile()
    table.draws("red", "red").do_by_chance(TICKETS)
    table.do_by_chance(table.keep(table.offer()[0]))
    table.claims("Boden-Tornio/0", green=1)

    assert pool(table) == CardCounts.of(red=3, green=1)
    assert table.draw_pile() == {"green": 1, "red": 1}
