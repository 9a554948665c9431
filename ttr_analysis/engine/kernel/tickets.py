"""Tickets: the pile, what is offered, kept, and put back."""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
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
def next_ticket(state: State, tape: Ints, code: int) -> int:
    """Take the top ticket of the pile, which is not empty; return its number."""
    if state.n_ticket_pile > 0:
        ticket = _scripted_ticket(state, tape, code) if is_scripted(tape) else _random_ticket(state)
        state.n_ticket_pile -= 1
    else:
        ticket = state.queue[state.queue_head]
        if is_scripted(tape):
            ticket = _scripted_from_queue(state, tape, code, ticket)
        state.queue_head = (state.queue_head + 1) % MAX_TICKETS
        state.n_queued -= 1
    write_event(tape, code, ticket)
    return ticket


@compiled
def _random_ticket(state: State) -> int:
    left = random_below(state, state.n_ticket_pile)
    ticket = -1
    while left >= 0:
        ticket += 1
        left -= int(state.ticket_at[ticket] == AT_PILE)
    return ticket


@compiled
def _scripted_ticket(state: State, tape: Ints, code: int) -> int:
    ticket = read_outcome(state, tape, code)
    if ticket == UNKNOWN_TICKET and kind_of(code) == TICKET_OFFERED:
        return ticket
    if _may_be_unknown(state, ticket):
        return ticket
    state.fault = 1
    return UNKNOWN_TICKET


@compiled
def _may_be_unknown(state: State, ticket: int) -> bool:
    """Return whether there is such a ticket, and it has not been seen elsewhere than in the pile."""
    return bool(0 <= ticket < MAX_TICKETS and state.ticket_at[ticket] == AT_PILE)


@compiled
def _scripted_from_queue(state: State, tape: Ints, code: int, ticket: int) -> int:
    """Return the ticket that the script says; where it is known which ones lie there, it must be one of those."""
    said = read_outcome(state, tape, code)
    if said not in (ticket, UNKNOWN_TICKET):
        _bring_up(state, said)
        ticket = state.queue[state.queue_head]
    if said == UNKNOWN_TICKET and ticket != UNKNOWN_TICKET:
        state.ticket_at[ticket] = AT_PILE  # whoever got it may put it back unseen
    if said in (ticket, UNKNOWN_TICKET):
        return said
    if ticket == UNKNOWN_TICKET and _may_be_unknown(state, said):
        return said
    state.fault = 1
    return UNKNOWN_TICKET


@compiled
def _bring_up(state: State, ticket: int) -> None:
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
        is_unknown = state.queue[at] == UNKNOWN_TICKET and _may_be_unknown(state, ticket)
        if state.queue[at] == ticket or is_unknown:
            state.queue[at] = state.queue[head]
            state.queue[head] = ticket
            return


@compiled
def offer_tickets(state: State, tables: Tables, tape: Ints, seat: int, n: int) -> None:
    """Deal a seat `n` tickets to choose from, fewer if there are no more."""
    for i in range(n):
        if not find_ticket_pile(state, tables, tape):
            return
        ticket = next_ticket(state, tape, make_event(TICKET_OFFERED, seat))
        state.offer[seat, i] = ticket
        state.n_offer[seat] += 1
        if ticket != UNKNOWN_TICKET:
            state.ticket_at[ticket] = AT_OFFER


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


@compiled
def keep_tickets(state: State, tables: Tables, seat: int, kept: int) -> None:
    """Keep the tickets of an offer whose bits are set; put the others, in order, where the rules say."""
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
        if tables.unkept == UNKEPT_UNDER_PILE:
            last = (state.queue_head + state.n_queued) % MAX_TICKETS
            state.queue[last] = ticket
            state.queued_at[last] = state.n_turns
            state.n_queued += 1
            _put(state, ticket, AT_QUEUE)
        elif tables.unkept == UNKEPT_DISCARDED:
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
