"""Laws that hold in every state of every game, compiled: what is never lost, never made and never out of step."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP,
    KEEP_START,
    NEUTRAL,
    NEUTRAL_OWNER,
    NOBODY,
    OVER,
    SECOND_DRAW,
    TUNNEL_PHASE,
    Ending,
    State,
)
from ttr_analysis.rules.market import count_cards
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, MAX_SEATS, MAX_TICKETS, Tables


class Law(IntEnum):
    """What was broken."""

    NONE = 0
    CARDS_ARE_CONSERVED = auto()
    NO_COUNT_IS_NEGATIVE = auto()
    PILE_IS_COUNTED = auto()
    HANDS_ARE_COUNTED = auto()
    MARKET_IS_FILLED = auto()
    KNOWN_CARDS_ARE_HELD = auto()
    POOL_HOLDS_THE_PILE = auto()
    OLD_CARDS_ARE_UNKNOWN = auto()
    TRAINS_ARE_CONSERVED = auto()
    ROUTES_HAVE_ONE_OWNER = auto()
    TWINS_ARE_CLOSED = auto()
    SCORES_FOLLOW_FROM_ROUTES = auto()
    TOKENS_FOLLOW_FROM_CLAIMS = auto()
    STATIONS_ARE_CONSERVED = auto()
    TICKETS_ARE_IN_ONE_PLACE = auto()
    TICKETS_ARE_COUNTED = auto()
    PHASES_FIT = auto()
    LAST_ROUND_FITS = auto()
    GAMES_END_BY_THEMSELVES = auto()


@compiled
def broken_law(state: State, tables: Tables) -> int:
    """Return the first law that a state breaks, a `Law`; 0 if it breaks none. All cards must be known."""
    broken = _broken_by_cards(state, tables)
    if broken == 0:
        broken = _broken_by_market(state, tables)
    if broken == 0:
        broken = _broken_by_routes(state, tables)
    if broken == 0:
        broken = _broken_by_tokens(state, tables)
    if broken == 0:
        broken = _broken_by_stations(state, tables)
    if broken == 0:
        broken = _broken_by_tickets(state, tables)
    if broken == 0:
        broken = _broken_by_phase(state, tables)
    return broken


@compiled
def _broken_by_cards(state: State, tables: Tables) -> int:
    n_pile = 0
    for kind in range(N_KINDS):
        total = state.draw_pile[kind] + state.discards[kind] + state.laid[kind]
        blind = 0
        if min(state.draw_pile[kind], state.discards[kind], state.laid[kind], state.pool[kind]) < 0:
            return Law.NO_COUNT_IS_NEGATIVE
        for slot in range(tables.market_size):
            total += state.market[slot] == kind
        for seat in range(tables.n_seats):
            if min(state.hand[seat, kind], state.blind[seat, kind], state.known[seat, kind]) < 0:
                return Law.NO_COUNT_IS_NEGATIVE
            if state.known[seat, kind] > state.hand[seat, kind]:
                return Law.KNOWN_CARDS_ARE_HELD
            total += state.hand[seat, kind]
            blind += state.blind[seat, kind]
        if total != tables.deck[kind]:
            return Law.CARDS_ARE_CONSERVED
        # For each seat the pool, less what it drew itself, then holds the pile: the rest is what others drew.
        if state.pool[kind] != state.draw_pile[kind] + blind:
            return Law.POOL_HOLDS_THE_PILE
        n_pile += state.draw_pile[kind]
    if n_pile != state.n_pile:
        return Law.PILE_IS_COUNTED
    for seat in range(MAX_SEATS):
        held = 0
        known = 0
        for kind in range(N_KINDS):
            held += state.hand[seat, kind]
            known += state.known[seat, kind]
        if held != state.n_hand[seat] or (seat >= tables.n_seats and held > 0):
            return Law.HANDS_ARE_COUNTED
        if not 0 <= state.old[seat] <= held - known:
            return Law.OLD_CARDS_ARE_UNKNOWN
    return 0


@compiled
def _broken_by_market(state: State, tables: Tables) -> int:
    n_open = 0
    for slot in range(tables.market_size):
        if not NOBODY <= state.market[slot] < N_KINDS:
            return Law.MARKET_IS_FILLED
        n_open += state.market[slot] != NOBODY
    n_cards = 0
    for kind in range(N_KINDS):
        n_cards += state.draw_pile[kind] + state.discards[kind]
    # What is turned over for a tunnel is used at the end of the turn.
    if n_open < tables.market_size and n_cards > 0 and state.phase != TUNNEL_PHASE:
        return Law.MARKET_IS_FILLED
    return 0


@compiled
def wants_reset(state: State, tables: Tables) -> bool:
    """Return whether the face-up cards are to be replaced; after a refill they never are."""
    n_open = 0
    n_locomotives = 0
    for slot in range(tables.market_size):
        n_open += state.market[slot] != NOBODY
        n_locomotives += state.market[slot] == LOCOMOTIVE_INDEX
    n_colored = n_open - n_locomotives
    for kind in range(N_COLORS):
        n_colored += state.draw_pile[kind] + state.discards[kind]
    is_due = 0 < tables.reset_at <= n_locomotives and n_colored >= tables.reset_needs_colored
    return bool(is_due and (n_open == tables.market_size or not tables.reset_needs_full))


@compiled
def _broken_by_routes(state: State, tables: Tables) -> int:
    n_seats = tables.n_seats
    built = np.zeros(MAX_SEATS + 1, dtype=np.int64)
    scored = np.zeros(MAX_SEATS + 1, dtype=np.int64)
    n_owned = 0
    for route in range(MAX_ROUTES):
        owner = state.owner[route]
        if owner == NOBODY:
            continue
        if route >= tables.n_routes or not (0 <= owner < n_seats or owner == NEUTRAL_OWNER):
            return Law.ROUTES_HAVE_ONE_OWNER
        n_owned += 1
        built[owner] += tables.length[route]
        scored[owner] += tables.points[route]
        twin = tables.twin[route]
        if twin >= 0 and state.owner[twin] != NOBODY:
            other = state.owner[twin]
            if other == owner or (not tables.both_open and NEUTRAL_OWNER not in (owner, other)):
                return Law.TWINS_ARE_CLOSED
    is_claimed = np.zeros(MAX_ROUTES, dtype=np.int64)
    for i in range(state.n_claims):
        route = state.claimed[i]
        if state.owner[route] == NOBODY or is_claimed[route]:
            return Law.ROUTES_HAVE_ONE_OWNER
        is_claimed[route] = 1
    if n_owned != state.n_claims:
        return Law.ROUTES_HAVE_ONE_OWNER
    for owner in range(MAX_SEATS + 1):
        each = tables.trains_each if owner < n_seats else 0
        if owner == NEUTRAL_OWNER:
            each = tables.neutral_trains
        if state.trains[owner] < 0 or state.trains[owner] + built[owner] != each:
            return Law.TRAINS_ARE_CONSERVED
    for seat in range(n_seats):
        if state.score[seat] != tables.start_score[seat] + scored[seat]:
            return Law.SCORES_FOLLOW_FROM_ROUTES
    return 0


@compiled
def _broken_by_tokens(state: State, tables: Tables) -> int:
    """Derive tokens and loans again from the order of the claims."""
    n_seats = tables.n_seats
    tokens = np.zeros(MAX_SEATS, dtype=np.int64)
    loans = np.zeros(MAX_SEATS, dtype=np.int64)
    bank = 0
    for seat in range(n_seats):
        tokens[seat] = tables.tokens_each
    is_claimed = np.zeros(MAX_ROUTES, dtype=np.int64)
    for i in range(state.n_claims if tables.tokens_each > 0 else 0):
        route = state.claimed[i]
        is_claimed[route] = 1
        owner = state.owner[route]
        toll = tables.toll[route]
        twin = tables.twin[route]
        payee = NOBODY
        if twin >= 0 and is_claimed[twin] and state.owner[twin] < n_seats and tables.pays_owner:
            payee = state.owner[twin]
        if owner == NEUTRAL_OWNER:
            bank -= toll if payee != NOBODY else 0
        elif tokens[owner] >= toll:
            tokens[owner] -= toll
            bank += toll if payee == NOBODY else 0
        else:
            loans[owner] += 1
            bank -= toll if payee != NOBODY else 0
        if payee != NOBODY:
            tokens[payee] += toll
    total = bank
    n_loans = 0
    for seat in range(MAX_SEATS):
        if state.tokens[seat] < 0:
            return Law.NO_COUNT_IS_NEGATIVE
        if state.tokens[seat] != tokens[seat] or state.loans[seat] != loans[seat]:
            return Law.TOKENS_FOLLOW_FROM_CLAIMS
        total += state.tokens[seat]
        n_loans += loans[seat]
    if total != n_seats * tables.tokens_each or n_loans > tables.loan_limit > 0:
        return Law.TOKENS_FOLLOW_FROM_CLAIMS
    return 0


@compiled
def _broken_by_stations(state: State, tables: Tables) -> int:
    n_built = np.zeros(MAX_SEATS, dtype=np.int64)
    for city in range(MAX_CITIES):
        seat = state.station_at[city] - 1
        if not NOBODY <= seat < tables.n_seats or (seat >= 0 and city >= tables.n_cities):
            return Law.STATIONS_ARE_CONSERVED
        if seat >= 0:
            n_built[seat] += 1
    for seat in range(MAX_SEATS):
        each = tables.stations_each if seat < tables.n_seats else 0
        if state.stations[seat] < 0 or state.stations[seat] + n_built[seat] != each:
            return Law.STATIONS_ARE_CONSERVED
    return 0


@compiled
def _broken_by_tickets(state: State, tables: Tables) -> int:
    n_tickets = tables.n_tickets
    n_at = np.zeros(AT_REMOVED + 1, dtype=np.int64)
    for ticket in range(n_tickets):
        if not 0 <= state.ticket_at[ticket] <= AT_REMOVED:
            return Law.TICKETS_ARE_IN_ONE_PLACE
        n_at[state.ticket_at[ticket]] += 1
    n_offered = 0
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            ticket = state.offer[seat, i]
            if not 0 <= ticket < n_tickets or state.ticket_at[ticket] != AT_OFFER:
                return Law.TICKETS_ARE_IN_ONE_PLACE
        for i in range(state.n_held[seat]):
            ticket = state.held[seat, i]
            if not 0 <= ticket < n_tickets or state.ticket_at[ticket] != seat:
                return Law.TICKETS_ARE_IN_ONE_PLACE
        n_offered += state.n_offer[seat]
        if n_at[seat] != state.n_held[seat]:
            return Law.TICKETS_ARE_COUNTED
    for i in range(state.n_queued):
        ticket = state.queue[(state.queue_head + i) % MAX_TICKETS]
        if not 0 <= ticket < n_tickets or state.ticket_at[ticket] != AT_QUEUE:
            return Law.TICKETS_ARE_IN_ONE_PLACE
    # Each place lists as many tickets as are marked there; a double entry would leave one unlisted.
    if n_at[AT_OFFER] != n_offered or n_at[AT_QUEUE] != state.n_queued:
        return Law.TICKETS_ARE_COUNTED
    if n_at[AT_PILE] != state.n_ticket_pile or n_at[AT_DISCARDS] != state.n_ticket_discards:
        return Law.TICKETS_ARE_COUNTED
    return _broken_by_doubles(state, tables)


@compiled
def _broken_by_doubles(state: State, tables: Tables) -> int:
    """Return whether a ticket is listed twice."""
    seen = np.zeros(MAX_TICKETS, dtype=np.int64)
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            seen[state.offer[seat, i]] += 1
        for i in range(state.n_held[seat]):
            seen[state.held[seat, i]] += 1
    for i in range(state.n_queued):
        seen[state.queue[(state.queue_head + i) % MAX_TICKETS]] += 1
    for times in seen:
        if times > 1:
            return Law.TICKETS_ARE_IN_ONE_PLACE
    return 0


@compiled
def _broken_by_phase(state: State, tables: Tables) -> int:
    phase = state.phase
    n_seats = tables.n_seats
    if state.fault != 0 or not 0 <= state.seat < n_seats:
        return Law.PHASES_FIT
    if state.turn_seat != (0 if phase == KEEP_START else state.n_turns % n_seats):
        return Law.PHASES_FIT
    if phase not in (KEEP_START, NEUTRAL) and state.seat != state.turn_seat:
        return Law.PHASES_FIT
    if (phase == SECOND_DRAW) != (state.n_taken > 0) or not 0 <= state.n_taken < tables.draws:
        return Law.PHASES_FIT
    for seat in range(n_seats):
        chooses = (phase == KEEP_START and seat >= state.seat) or (phase == KEEP and seat == state.seat)
        if chooses != (state.n_offer[seat] > 0):
            return Law.PHASES_FIT
    if phase == TUNNEL_PHASE:
        route = state.pending
        if not 0 <= route < tables.n_routes or not tables.tunnel[route] or state.owner[route] != NOBODY:
            return Law.PHASES_FIT
        if not 0 < state.surcharge <= tables.n_revealed:
            return Law.PHASES_FIT
    elif state.pending != NOBODY or state.surcharge != 0 or count_cards(state.laid) != 0:
        return Law.PHASES_FIT
    return _broken_by_end(state, tables)


@compiled
def _broken_by_end(state: State, tables: Tables) -> int:
    n_seats = tables.n_seats
    ending = state.ending
    if (state.phase == OVER) != (ending != 0):
        return Law.PHASES_FIT
    if ending == Ending.TRUNCATED:
        return Law.GAMES_END_BY_THEMSELVES
    if (ending == Ending.TRAINS) != (state.last_left == 0):
        return Law.LAST_ROUND_FITS
    if ending != Ending.PASSES and state.n_passes >= n_seats * tables.pass_rounds:
        return Law.GAMES_END_BY_THEMSELVES
    has_few = False
    for seat in range(n_seats):
        if state.trains[seat] <= tables.last_round_at:
            has_few = True
    if has_few != (state.last_left != NOBODY) or has_few != (state.last_seat != NOBODY):
        return Law.LAST_ROUND_FITS
    if has_few and state.trains[state.last_seat] > tables.last_round_at:
        return Law.LAST_ROUND_FITS
    return 0
