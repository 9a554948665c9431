"""
Worlds: whole states that agree with what somebody knows of a game, drawn at random, compiled.

What is known is a packed state with unknowns, as a record that was watched
from one seat has them: cards of hands that are missing from `HAND` lie in the
draw pile, and tickets in hands, offers and under the pile are
`UNKNOWN_TICKET`. A world fills them in. Cards that must be from before the
last shuffle go to seats that may hold such cards; all others are dealt
uniformly among the gaps and the pile, of which each order is as likely. (That
is an approximation: what somebody has played says a little of what is left in
the hand, and of how much of it is from before the shuffle.) The tickets of
seats are drawn by Gibbs sampling [1]_, one given all others, from
what can be believed of them: see `beliefs`.

References
----------
.. [1] Geman, S. and Geman, D. "Stochastic relaxation, Gibbs distributions, and
   the Bayesian restoration of images". IEEE Transactions on Pattern Analysis
   and Machine Intelligence 6 (1984), 721-741.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled, lean
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    BLIND,
    DISCARDS,
    DRAW_PILE,
    HAND,
    HELD,
    KEEP_START,
    KNOWN,
    LAID,
    MARKET,
    N_HAND,
    N_HELD,
    N_OFFER,
    N_QUEUED,
    N_TICKET_DISCARDS,
    N_TICKET_PILE,
    OFFER,
    OLD,
    PHASE,
    POOL,
    QUEUE,
    QUEUE_HEAD,
    SEAT,
    STREAM,
    TICKET_AT,
    UNKNOWN_TICKET,
)
from ttr_analysis.rules.chance import N_WORDS, TABLE_STREAM, below, open_stream
from ttr_analysis.tables.games import (
    DECK,
    MARKET_SIZE,
    MAX_OFFER,
    MAX_TICKETS,
    N_SEATS,
    N_TICKETS,
    OPENING_DEAL,
    UNKEPT,
    UNKEPT_DISCARDED,
    UNKEPT_UNDER_PILE,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EVERYBODY: Final = -1
"""In place of the seat that looks: nothing is known to one seat alone."""

_WORLD_STREAM: Final = 64
"""Purpose of the stream that fills worlds; those of the table and of policies are below."""
_FINE: Final = 1 << 31
"""A random number is one of so many."""
_N_SWEEPS: Final = 6
"""How often each unknown ticket is drawn again, given the others: more of it changes nothing."""


class Beliefs(NamedTuple):
    """
    How likely the tickets of each seat are: a set of them as the product of its weights.

    Parameters
    ----------
    weights
        Weight of each ticket, shape (seats, `MAX_TICKETS`).
    pairs
        Weight of each two tickets, shape (seats, `MAX_TICKETS`,
        `MAX_TICKETS`).
    """

    weights: Floats
    pairs: Floats


@compiled
def fill_worlds(
    known: Ints, tables: Ints, beliefs: Beliefs, looker: int, words: Ints, first: int, worlds: Ints
) -> None:
    """
    Fill worlds that agree with what is known.

    Parameters
    ----------
    known
        The packed state with unknowns; not changed.
    tables
        The map, its rules and the number of players.
    beliefs
        How likely the tickets of each seat are.
    looker
        The seat whose knowledge it is, or `EVERYBODY`. While opening tickets
        are chosen, what the others are offered is filled in as well, and they
        have chosen none.
    words
        Words of the seed.
    first
        Number of the first world: each depends on what is known, the seed
        and its number alone.
    worlds
        Filled, one a row.
    """
    stream = np.empty(N_WORDS, dtype=np.int64)
    free = np.empty(MAX_TICKETS, dtype=np.int64)
    chances = np.empty(MAX_TICKETS, dtype=np.float64)
    for i in range(len(worlds)):
        state = worlds[i]
        state[:] = known
        open_stream(words, first + i, _WORLD_STREAM, stream)
        open_stream(words, first + i, TABLE_STREAM, state[STREAM : STREAM + N_WORDS])
        _fill_cards(state, tables, looker, stream)
        if state[PHASE] == KEEP_START and looker != EVERYBODY:
            _count_opening(state, tables, looker)
        _fill_tickets(state, tables, beliefs, stream, free, chances)


# -- cards ----------------------------------------------------------------------------


@compiled
def _fill_cards(state: Ints, tables: Ints, looker: int, stream: Ints) -> None:
    """Deal the cards that are not seen among the gaps in hands and the draw pile."""
    fresh = np.empty(N_KINDS, dtype=np.int64)
    stale = np.empty(N_KINDS, dtype=np.int64)
    n_seats = tables[N_SEATS]
    drawer = _least_known(state, n_seats, looker)
    for kind in range(N_KINDS):
        unseen = tables[DECK + kind] - state[DISCARDS + kind] - state[LAID + kind]
        for slot in range(tables[MARKET_SIZE]):
            unseen -= state[MARKET + slot] == kind
        of_pool = state[POOL + kind]
        for seat in range(n_seats):
            cell = seat * N_KINDS + kind
            state[HAND + cell] = max(state[HAND + cell], state[KNOWN + cell])
            unseen -= state[HAND + cell]
            of_pool -= state[BLIND + cell]
        # Cards of the pool that were shown since are unseen no more; what is unseen but not in it is from before.
        fresh[kind] = min(unseen, of_pool)
        stale[kind] = unseen - fresh[kind]
        # The pool goes on counting cards that were shown, as drawn by somebody whose draws were not seen.
        state[BLIND + drawer * N_KINDS + kind] += of_pool - fresh[kind]
    _deal_stale(state, n_seats, stale, stream)
    n_fresh = 0
    for kind in range(N_KINDS):
        n_fresh += fresh[kind] + stale[kind]  # of which none is left, unless what is known cannot be
        fresh[kind] += stale[kind]
    for seat in range(n_seats):
        for _ in range(n_missing(state, seat)):
            kind = _draw(fresh, n_fresh, stream)
            n_fresh -= 1
            state[HAND + seat * N_KINDS + kind] += 1
            state[BLIND + seat * N_KINDS + kind] += 1
    for kind in range(N_KINDS):
        state[DRAW_PILE + kind] = fresh[kind]


@lean
def _least_known(state: Ints, n_seats: int, looker: int) -> int:
    """Return the seat, not that of the looker, of whose hand most is not known."""
    found = 1 if looker == 0 else 0
    for seat in range(n_seats):
        if seat != looker and n_missing(state, seat) > n_missing(state, found):
            found = seat
    return found


@compiled
def _deal_stale(state: Ints, n_seats: int, stale: Ints, stream: Ints) -> None:
    """Deal the cards from before the last shuffle among the gaps in hands that may hold such cards."""
    n_stale = 0
    n_places = 0
    for kind in range(N_KINDS):
        n_stale += stale[kind]
    for seat in range(n_seats):
        n_places += min(state[OLD + seat], n_missing(state, seat))
    places = np.empty(n_places, dtype=np.int64)
    at = 0
    for seat in range(n_seats):
        for _ in range(min(state[OLD + seat], n_missing(state, seat))):
            places[at] = seat
            at += 1
    for _ in range(min(n_stale, n_places)):
        kind = _draw(stale, n_stale, stream)
        at = below(stream, n_places)
        state[HAND + places[at] * N_KINDS + kind] += 1
        n_stale -= 1
        n_places -= 1
        places[at] = places[n_places]


@lean
def n_missing(state: Ints, seat: int) -> int:
    """Return how many cards of a hand are not known."""
    n = state[N_HAND + seat]
    for kind in range(N_KINDS):
        n -= state[HAND + seat * N_KINDS + kind]
    return int(n)


@lean
def _draw(cards: Ints, n: int, stream: Ints) -> int:
    """Draw one of `n` cards, given as nine counts; return its kind."""
    left = below(stream, n)
    kind = 0
    while left >= cards[kind]:
        left -= cards[kind]
        kind += 1
    cards[kind] -= 1
    return kind


# -- tickets --------------------------------------------------------------------------


@lean
def _count_opening(state: Ints, tables: Ints, looker: int) -> None:
    """Note how many opening tickets the others are offered, and where those lie that the looker gave back."""
    left = tables[N_TICKETS]
    for seat in range(tables[N_SEATS]):
        n = min(tables[OPENING_DEAL], left)
        left -= n
        if seat != looker:
            state[N_OFFER + seat] = n
            for i in range(n):
                state[OFFER + seat * MAX_OFFER + i] = UNKNOWN_TICKET
        elif looker < state[SEAT]:
            n -= state[N_HELD + looker]
            if tables[UNKEPT] == UNKEPT_UNDER_PILE:
                _queue_given_back(state, tables, n)
            elif tables[UNKEPT] == UNKEPT_DISCARDED:
                state[N_TICKET_DISCARDS] = n


@lean
def _queue_given_back(state: Ints, tables: Ints, n: int) -> None:
    """Put tickets under the pile, those first of which it is known; no others lie there yet."""
    state[QUEUE_HEAD] = 0
    state[N_QUEUED] = n
    at = 0
    for ticket in range(tables[N_TICKETS]):
        if state[TICKET_AT + ticket] == AT_QUEUE:
            state[QUEUE + at] = ticket
            at += 1
    for i in range(at, n):
        state[QUEUE + i] = UNKNOWN_TICKET


@compiled
def _fill_tickets(state: Ints, tables: Ints, beliefs: Beliefs, stream: Ints, free: Ints, chances: Floats) -> None:
    """Fill in the tickets that are not known."""
    n_free = 0
    n_discards = state[N_TICKET_DISCARDS]
    for ticket in range(tables[N_TICKETS]):
        n_discards -= state[TICKET_AT + ticket] == AT_DISCARDS
        if state[TICKET_AT + ticket] == AT_PILE:
            free[n_free] = ticket
            n_free += 1
    n_free = _fill_held(state, tables, beliefs, stream, free, n_free, chances)
    for seat in range(tables[N_SEATS]):
        offer = state[OFFER + seat * MAX_OFFER : OFFER + seat * MAX_OFFER + state[N_OFFER + seat]]
        n_free = _fill_unknown(state, offer, AT_OFFER, stream, free, n_free)
    for i in range(state[N_QUEUED]):
        cell = QUEUE + (state[QUEUE_HEAD] + i) % MAX_TICKETS
        n_free = _fill_unknown(state, state[cell : cell + 1], AT_QUEUE, stream, free, n_free)
    n_removed = n_free - n_discards - state[N_TICKET_PILE]
    for i in range(n_discards + n_removed):
        _take(state, free, n_free, AT_DISCARDS if i < n_discards else AT_REMOVED, stream)
        n_free -= 1


@lean
def _fill_unknown(state: Ints, cells: Ints, place: int, stream: Ints, free: Ints, n_free: int) -> int:
    """Fill in the unknown tickets of some cells; return how many tickets are still free."""
    for i in range(len(cells)):
        if cells[i] == UNKNOWN_TICKET:
            cells[i] = _take(state, free, n_free, place, stream)
            n_free -= 1
    return n_free


@lean
def _take(state: Ints, free: Ints, n_free: int, place: int, stream: Ints) -> int:
    """Put one of the free tickets in a place; return its number."""
    at = below(stream, n_free)
    ticket = free[at]
    free[at] = free[n_free - 1]
    state[TICKET_AT + ticket] = place
    return int(ticket)


@compiled
def _fill_held(
    state: Ints, tables: Ints, beliefs: Beliefs, stream: Ints, free: Ints, n_free: int, chances: Floats
) -> int:
    """Fill in the unknown tickets of all seats; return how many tickets are still free."""
    cells = np.empty(MAX_TICKETS, dtype=np.int64)
    seats = np.empty(MAX_TICKETS, dtype=np.int64)
    n_cells = 0
    for seat in range(tables[N_SEATS]):
        for cell in range(HELD + seat * MAX_TICKETS, HELD + seat * MAX_TICKETS + state[N_HELD + seat]):
            if state[cell] == UNKNOWN_TICKET:
                cells[n_cells] = cell
                seats[n_cells] = seat
                n_cells += 1
    for i in range(n_cells):
        n_free -= 1
        at = _draw_ticket(state, beliefs, seats[i], cells[i], stream, free, n_free + 1, chances)
        state[cells[i]] = free[at]
        free[at] = free[n_free]
    for _ in range(_N_SWEEPS):
        for i in range(n_cells):
            free[n_free] = state[cells[i]]
            at = _draw_ticket(state, beliefs, seats[i], cells[i], stream, free, n_free + 1, chances)
            state[cells[i]] = free[at]
            free[at] = free[n_free]
    for i in range(n_cells):
        state[TICKET_AT + state[cells[i]]] = seats[i]
    return n_free


@lean
def _draw_ticket(
    state: Ints, beliefs: Beliefs, seat: int, cell: int, stream: Ints, free: Ints, n_free: int, chances: Floats
) -> int:
    """Draw one of the free tickets for a cell of a seat, given its other tickets; return its place among the free."""
    first = HELD + seat * MAX_TICKETS
    total = 0.0
    for i in range(n_free):
        chance = beliefs.weights[seat, free[i]]
        for other in range(first, first + state[N_HELD + seat]):
            if other != cell and state[other] != UNKNOWN_TICKET:
                chance *= beliefs.pairs[seat, free[i], state[other]]
        total += chance
        chances[i] = total
    aim = below(stream, _FINE) / _FINE * total
    at = 0
    while at < n_free - 1 and chances[at] <= aim:
        at += 1
    return at
