"""Tickets: the pile, what is offered, kept, and put back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.engine.codes import SHUFFLED, SHUFFLED_TICKETS, TICKET_OFFERED, kind_of
from ttr_analysis.engine.kernel.tape import is_scripted, random_below, read_outcome, write_event
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    FAULT,
    HELD,
    N_HELD,
    N_OFFER,
    N_QUEUED,
    N_TICKET_DISCARDS,
    N_TICKET_PILE,
    NEUTRAL_IN,
    NOBODY,
    OFFER,
    QUEUE,
    QUEUE_HEAD,
    TICKET_AT,
    UNKNOWN_TICKET,
)
from ttr_analysis.tables.games import (
    MAX_OFFER,
    MAX_TICKETS,
    N_TICKETS,
    UNKEPT,
    UNKEPT_DISCARDED,
    UNKEPT_UNDER_PILE,
)

Ints = npt.NDArray[np.int64]


@lean
def has_tickets(state: Ints) -> bool:
    """Return whether a ticket can be drawn, after a shuffle if need be."""
    return bool(state[N_TICKET_PILE] + state[N_QUEUED] + state[N_TICKET_DISCARDS] > 0)


@lean
def find_ticket_pile(state: Ints, tables: Ints, tape: Ints) -> bool:
    """
    Shuffle the ticket discards into a new pile if the pile is empty; return whether there is a ticket to draw.

    A neutral player leaves when the pile is found empty.
    """
    if state[N_TICKET_PILE] + state[N_QUEUED] > 0:
        return True
    state[NEUTRAL_IN] = 0
    if state[N_TICKET_DISCARDS] == 0:
        return False
    for ticket in range(tables[N_TICKETS]):
        if state[TICKET_AT + ticket] == AT_DISCARDS:
            state[TICKET_AT + ticket] = AT_PILE
    state[N_TICKET_PILE] = state[N_TICKET_DISCARDS]
    state[N_TICKET_DISCARDS] = 0
    write_event(tape, SHUFFLED + 128 * SHUFFLED_TICKETS, 0)
    return True


@lean
def next_ticket(state: Ints, tape: Ints, code: int) -> int:
    """Take the top ticket of the pile, which is not empty; return its number."""
    if state[N_TICKET_PILE] > 0:
        ticket = _scripted_ticket(state, tape, code) if is_scripted(tape) else _random_ticket(state)
        state[N_TICKET_PILE] -= 1
    else:
        ticket = state[QUEUE + state[QUEUE_HEAD]]
        if is_scripted(tape):
            ticket = _scripted_from_queue(state, tape, code, ticket)
        state[QUEUE_HEAD] = (state[QUEUE_HEAD] + 1) % MAX_TICKETS
        state[N_QUEUED] -= 1
    write_event(tape, code, ticket)
    return ticket


@lean
def _random_ticket(state: Ints) -> int:
    left = random_below(state, state[N_TICKET_PILE])
    ticket = 0
    while True:
        if state[TICKET_AT + ticket] == AT_PILE:
            if left == 0:
                return ticket
            left -= 1
        ticket += 1


@lean
def _scripted_ticket(state: Ints, tape: Ints, code: int) -> int:
    ticket = read_outcome(state, tape, code)
    if ticket == UNKNOWN_TICKET and kind_of(code) == TICKET_OFFERED:
        return ticket
    if 0 <= ticket < MAX_TICKETS and state[TICKET_AT + ticket] == AT_PILE:
        return ticket
    state[FAULT] = 1
    return UNKNOWN_TICKET


@lean
def _scripted_from_queue(state: Ints, tape: Ints, code: int, ticket: int) -> int:
    """Return the ticket that the script says; where it is known which one lies there, it must be that one."""
    said = read_outcome(state, tape, code)
    if said == UNKNOWN_TICKET and ticket != UNKNOWN_TICKET:
        state[TICKET_AT + ticket] = AT_PILE  # whoever got it may put it back unseen
    if said in (ticket, UNKNOWN_TICKET):
        return said
    if ticket == UNKNOWN_TICKET and 0 <= said < MAX_TICKETS and state[TICKET_AT + said] == AT_PILE:
        return said
    state[FAULT] = 1
    return UNKNOWN_TICKET


@lean
def offer_tickets(state: Ints, tables: Ints, tape: Ints, seat: int, n: int) -> None:
    """Deal a seat `n` tickets to choose from, fewer if there are no more."""
    for i in range(n):
        if not find_ticket_pile(state, tables, tape):
            return
        ticket = next_ticket(state, tape, TICKET_OFFERED + 16 * seat)
        state[OFFER + seat * MAX_OFFER + i] = ticket
        state[N_OFFER + seat] += 1
        if ticket != UNKNOWN_TICKET:
            state[TICKET_AT + ticket] = AT_OFFER


@lean
def keep_tickets(state: Ints, tables: Ints, seat: int, kept: int) -> None:
    """Keep the tickets of an offer whose bits are set; put the others, in order, where the rules say."""
    for i in range(state[N_OFFER + seat]):
        ticket = state[OFFER + seat * MAX_OFFER + i]
        state[OFFER + seat * MAX_OFFER + i] = NOBODY
        if kept >> i & 1:
            state[HELD + seat * MAX_TICKETS + state[N_HELD + seat]] = ticket
            state[N_HELD + seat] += 1
            _put(state, ticket, seat)
        elif tables[UNKEPT] == UNKEPT_UNDER_PILE:
            state[QUEUE + (state[QUEUE_HEAD] + state[N_QUEUED]) % MAX_TICKETS] = ticket
            state[N_QUEUED] += 1
            _put(state, ticket, AT_QUEUE)
        elif tables[UNKEPT] == UNKEPT_DISCARDED:
            discard_ticket(state, ticket)
        else:
            _put(state, ticket, AT_REMOVED)
    state[N_OFFER + seat] = 0


@lean
def discard_ticket(state: Ints, ticket: int) -> None:
    """Put a ticket face up on the ticket discards."""
    state[N_TICKET_DISCARDS] += 1
    _put(state, ticket, AT_DISCARDS)


@lean
def _put(state: Ints, ticket: int, place: int) -> None:
    if ticket != UNKNOWN_TICKET:
        state[TICKET_AT + ticket] = place
