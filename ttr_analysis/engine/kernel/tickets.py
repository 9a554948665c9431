"""Tickets: the pile, what is offered, kept, and put back."""

from __future__ import annotations

from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.engine.codes import SHUFFLED, SHUFFLED_TICKETS, TICKET_OFFERED, kind_of, make_event
from ttr_analysis.engine.kernel.cards import is_scripted, random_below, read_outcome, write_event
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP_START,
    NOBODY,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, UNKEPT_UNDER_PILE, Tables

ANY_DECK: Final = -1
"""In place of a deck: the pile from which tickets are drawn after the opening."""


@compiled
def has_tickets(state: State) -> bool:
    """Return whether a ticket can be drawn, after a shuffle if need be."""
    return bool(state.n_ticket_pile + state.n_queued + state.n_ticket_discards > 0)


@compiled
def find_ticket_pile(state: State, tables: Tables, tape: Ints) -> bool:
    """
    Shuffle the ticket discards into a new pile if the pile is empty; return whether there is a ticket to draw.

    A neutral player leaves when the pile is found empty. Decision: so the
    discards are shuffled only when a ticket is needed; by the sheets of
    Nederland when the pile has run out.
    """
    if state.n_ticket_pile + state.n_queued > 0:
        return True
    state.neutral_in = 0
    if state.n_ticket_discards == 0:
        return False
    for ticket in range(tables.n_tickets):
        if state.ticket_at[ticket] == AT_DISCARDS:
            state.ticket_at[ticket] = AT_PILE
    state.n_ticket_pile = state.n_ticket_discards
    state.n_ticket_discards = 0
    write_event(tape, make_event(SHUFFLED, 0, SHUFFLED_TICKETS), 0)
    return True


@compiled
def next_ticket(state: State, tables: Tables, tape: Ints, code: int, deck: int = ANY_DECK) -> int:
    """Take the top ticket of the pile, or at the start of one of the decks, which is not empty; return its number."""
    if state.n_ticket_pile > 0:
        scripted = is_scripted(tape)
        ticket = _scripted_ticket(state, tables, tape, code, deck) if scripted else _random_ticket(state, tables, deck)
        state.n_ticket_pile -= 1
    else:
        ticket = state.queue[state.queue_head]
        if is_scripted(tape):
            ticket = _scripted_from_queue(state, tables, tape, code, ticket)
        state.queue_head = (state.queue_head + 1) % MAX_TICKETS
        state.n_queued -= 1
    write_event(tape, code, ticket)
    return ticket


@compiled
def _random_ticket(state: State, tables: Tables, deck: int) -> int:
    if deck == ANY_DECK or tables.n_decks == 1:
        number = random_below(state, state.n_ticket_pile)
        ticket = 0
        n = 0  # all tickets are looked at: a way out that cannot be foreseen costs a processor more
        for t in range(tables.n_tickets):
            n += int(state.ticket_at[t] == AT_PILE)
            ticket += int(number >= n)
        return ticket
    n = 0
    for t in range(tables.n_tickets):
        n += int(state.ticket_at[t] == AT_PILE and tables.ticket_deck[t] == deck)
    left = random_below(state, n)
    ticket = -1
    while left >= 0:
        ticket += 1
        left -= int(state.ticket_at[ticket] == AT_PILE and tables.ticket_deck[ticket] == deck)
    return ticket


@compiled
def _scripted_ticket(state: State, tables: Tables, tape: Ints, code: int, deck: int) -> int:
    ticket = read_outcome(state, tape, code)
    if ticket == UNKNOWN_TICKET and kind_of(code) == TICKET_OFFERED:
        return ticket
    if _may_be_unknown(state, tables, ticket, deck):
        return ticket
    state.fault = 1
    return UNKNOWN_TICKET


@compiled
def _may_be_unknown(state: State, tables: Tables, ticket: int, deck: int) -> bool:
    """Return whether there is such a ticket, not seen elsewhere than in the pile, that may come from that deck."""
    if not (0 <= ticket < tables.n_tickets and state.ticket_at[ticket] == AT_PILE):
        return False
    of = tables.ticket_deck[ticket]
    # A deck that left the game still seems to lie there where it is not known which of its tickets were dealt.
    return bool(of == deck or (deck == ANY_DECK and tables.deck_leaves[of] == 0))


@compiled
def _scripted_from_queue(state: State, tables: Tables, tape: Ints, code: int, ticket: int) -> int:
    """Return the ticket that the script says; where it is known which ones lie there, it must be one of those."""
    said = read_outcome(state, tape, code)
    if said not in (ticket, UNKNOWN_TICKET):
        _bring_up(state, tables, said)
        ticket = state.queue[state.queue_head]
    if said == UNKNOWN_TICKET and ticket != UNKNOWN_TICKET:
        state.ticket_at[ticket] = AT_PILE  # whoever got it may put it back unseen
    if said in (ticket, UNKNOWN_TICKET):
        return said
    if ticket == UNKNOWN_TICKET and _may_be_unknown(state, tables, said, ANY_DECK):
        return said
    state.fault = 1
    return UNKNOWN_TICKET


@compiled
def _bring_up(state: State, tables: Tables, ticket: int) -> None:
    """
    Let a ticket be the top one, if it, or one that is not known, was put under the pile as early as that one.

    In which order the tickets of one turn lie is seen by nobody who wrote the
    game down: the one that comes up first tells.
    """
    head = state.queue_head
    for i in range(1, state.n_queued):
        at = (head + i) % MAX_TICKETS
        if state.queued_at[at] != state.queued_at[head]:
            return
        is_unknown = state.queue[at] == UNKNOWN_TICKET and _may_be_unknown(state, tables, ticket, ANY_DECK)
        if state.queue[at] == ticket or is_unknown:
            state.queue[at] = state.queue[head]
            state.queue[head] = ticket
            return


@compiled
def offer_tickets(state: State, tables: Tables, tape: Ints, seat: int, n: int) -> None:
    """Deal a seat `n` tickets to choose from, fewer if there are no more."""
    for _ in range(n):
        if not find_ticket_pile(state, tables, tape):
            return
        _offer(state, seat, next_ticket(state, tables, tape, make_event(TICKET_OFFERED, seat)))


@compiled
def deal_opening(state: State, tables: Tables, tape: Ints) -> None:
    """Deal all seats their opening tickets, deck by deck; what is left of a deck goes where the rules say."""
    for seat in range(tables.n_seats):
        for deck in range(tables.n_decks):
            n_left = tables.deck_size[deck] - seat * tables.deck_deal[deck]
            for _ in range(min(tables.deck_deal[deck], n_left)):
                _offer(state, seat, next_ticket(state, tables, tape, make_event(TICKET_OFFERED, seat), deck))
    for deck in range(tables.n_decks):
        if tables.deck_leaves[deck]:
            _remove_deck(state, tables, deck)


@compiled
def _offer(state: State, seat: int, ticket: int) -> None:
    """Let a seat choose from one more ticket."""
    state.offer[seat, state.n_offer[seat]] = ticket
    state.n_offer[seat] += 1
    _put(state, ticket, AT_OFFER)


@compiled
def _remove_deck(state: State, tables: Tables, deck: int) -> None:
    """Take what was not dealt of a deck out of the game; which tickets these are, only who knows all dealt knows."""
    n_left = max(0, tables.deck_size[deck] - tables.n_seats * tables.deck_deal[deck])
    n_found = 0
    for ticket in range(tables.n_tickets):
        n_found += int(tables.ticket_deck[ticket] == deck and state.ticket_at[ticket] == AT_PILE)
    state.n_ticket_pile -= n_left
    for ticket in range(tables.n_tickets):
        if n_found == n_left and tables.ticket_deck[ticket] == deck and state.ticket_at[ticket] == AT_PILE:
            state.ticket_at[ticket] = AT_REMOVED


@compiled
def fewest_kept(state: State, tables: Tables, seat: int) -> int:
    """Return how many tickets of its offer a seat must keep."""
    at_least = tables.opening_keep if state.phase == KEEP_START else tables.ticket_keep
    return int(min(at_least, state.n_offer[seat]))


@compiled
def count_bits(number: int) -> int:
    """Return the number of bits that are set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@quickly_compiled
def where_unkept(state: State, tables: Tables) -> int:
    """Return where tickets go that are not kept now: one of `UNKEPT_*`."""
    return int(tables.opening_unkept if state.phase == KEEP_START else tables.unkept)


@quickly_compiled
def keep_tickets(state: State, tables: Tables, seat: int, kept: int) -> None:
    """Keep the tickets of an offer whose bits are set; put the others, in order, where the rules say."""
    unkept = where_unkept(state, tables)
    for i in range(state.n_offer[seat]):
        ticket = state.offer[seat, i]
        state.offer[seat, i] = NOBODY
        if kept >> i & 1:
            state.held[seat, state.n_held[seat]] = ticket
            state.n_held[seat] += 1
            _put(state, ticket, seat)
            continue
        if ticket != UNKNOWN_TICKET:
            state.returned_by[ticket] = 1 + seat
        if unkept == UNKEPT_UNDER_PILE:
            last = (state.queue_head + state.n_queued) % MAX_TICKETS
            state.queue[last] = ticket
            state.queued_at[last] = state.n_turns
            state.n_queued += 1
            _put(state, ticket, AT_QUEUE)
        elif unkept == UNKEPT_DISCARDED:
            discard_ticket(state, ticket)
        else:
            _put(state, ticket, AT_REMOVED)
    state.n_offer[seat] = 0


@compiled
def discard_ticket(state: State, ticket: int) -> None:
    """Put a ticket face up on the ticket discards."""
    state.n_ticket_discards += 1
    _put(state, ticket, AT_DISCARDS)


@compiled
def _put(state: State, ticket: int, place: int) -> None:
    if ticket != UNKNOWN_TICKET:
        state.ticket_at[ticket] = place
