"""Laws that hold in every state of every game, compiled: what is never lost, never made and never out of step."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.kernel.cards import count_cards
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    BLIND,
    CLAIMED,
    DISCARDS,
    DRAW_PILE,
    ENDING,
    FAULT,
    HAND,
    HELD,
    KEEP,
    KEEP_START,
    KNOWN,
    LAID,
    LAST_LEFT,
    LAST_SEAT,
    LOANS,
    MARKET,
    N_CLAIMS,
    N_HAND,
    N_HELD,
    N_OFFER,
    N_PASSES,
    N_PILE,
    N_QUEUED,
    N_TAKEN,
    N_TICKET_DISCARDS,
    N_TICKET_PILE,
    N_TURNS,
    NEUTRAL,
    NEUTRAL_OWNER,
    NOBODY,
    OFFER,
    OLD,
    OVER,
    OWNER,
    PENDING,
    PHASE,
    POOL,
    QUEUE,
    QUEUE_HEAD,
    SCORE,
    SEAT,
    SECOND_DRAW,
    SURCHARGE,
    TICKET_AT,
    TOKENS,
    TRAINS,
    TUNNEL_PHASE,
    TURN_SEAT,
    Ending,
)
from ttr_analysis.tables.games import (
    BOTH_OPEN,
    DECK,
    DRAWS,
    LAST_ROUND_AT,
    LENGTH,
    LOAN_LIMIT,
    MARKET_SIZE,
    MAX_OFFER,
    MAX_ROUTES,
    MAX_SEATS,
    MAX_TICKETS,
    N_REVEALED,
    N_ROUTES,
    N_SEATS,
    N_TICKETS,
    NEUTRAL_TRAINS,
    PASS_ROUNDS,
    PAYS_OWNER,
    POINTS,
    RESET_AT,
    RESET_NEEDS_COLORED,
    RESET_NEEDS_FULL,
    START_SCORE,
    TOKENS_EACH,
    TOLL,
    TRAINS_EACH,
    TUNNEL,
    TWIN,
)

Ints = npt.NDArray[np.int64]


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
    TICKETS_ARE_IN_ONE_PLACE = auto()
    TICKETS_ARE_COUNTED = auto()
    PHASES_FIT = auto()
    LAST_ROUND_FITS = auto()
    GAMES_END_BY_THEMSELVES = auto()


# Plain numbers for compiled code.
_CARDS = int(Law.CARDS_ARE_CONSERVED)
_NEGATIVE = int(Law.NO_COUNT_IS_NEGATIVE)
_PILE = int(Law.PILE_IS_COUNTED)
_HANDS = int(Law.HANDS_ARE_COUNTED)
_FILLED = int(Law.MARKET_IS_FILLED)
_KNOWN = int(Law.KNOWN_CARDS_ARE_HELD)
_POOL = int(Law.POOL_HOLDS_THE_PILE)
_OLD = int(Law.OLD_CARDS_ARE_UNKNOWN)
_TRAINS = int(Law.TRAINS_ARE_CONSERVED)
_OWNERS = int(Law.ROUTES_HAVE_ONE_OWNER)
_TWINS = int(Law.TWINS_ARE_CLOSED)
_SCORES = int(Law.SCORES_FOLLOW_FROM_ROUTES)
_TOKENS = int(Law.TOKENS_FOLLOW_FROM_CLAIMS)
_TICKETS = int(Law.TICKETS_ARE_IN_ONE_PLACE)
_COUNTED = int(Law.TICKETS_ARE_COUNTED)
_PHASES = int(Law.PHASES_FIT)
_LAST_ROUND = int(Law.LAST_ROUND_FITS)
_ENDS = int(Law.GAMES_END_BY_THEMSELVES)
_BY_TRAINS = int(Ending.TRAINS)
_BY_PASSES = int(Ending.PASSES)
_TRUNCATED = int(Ending.TRUNCATED)


@compiled
def broken_law(state: Ints, tables: Ints) -> int:
    """Return the first law that a state breaks, a `Law`; 0 if it breaks none. All cards must be known."""
    broken = _broken_by_cards(state, tables)
    if broken == 0:
        broken = _broken_by_market(state, tables)
    if broken == 0:
        broken = _broken_by_routes(state, tables)
    if broken == 0:
        broken = _broken_by_tokens(state, tables)
    if broken == 0:
        broken = _broken_by_tickets(state, tables)
    if broken == 0:
        broken = _broken_by_phase(state, tables)
    return broken


@compiled
def _broken_by_cards(state: Ints, tables: Ints) -> int:
    n_pile = 0
    for kind in range(N_KINDS):
        total = state[DRAW_PILE + kind] + state[DISCARDS + kind] + state[LAID + kind]
        blind = 0
        if min(state[DRAW_PILE + kind], state[DISCARDS + kind], state[LAID + kind], state[POOL + kind]) < 0:
            return _NEGATIVE
        for slot in range(tables[MARKET_SIZE]):
            total += state[MARKET + slot] == kind
        for seat in range(tables[N_SEATS]):
            cell = seat * N_KINDS + kind
            if min(state[HAND + cell], state[BLIND + cell], state[KNOWN + cell]) < 0:
                return _NEGATIVE
            if state[KNOWN + cell] > state[HAND + cell]:
                return _KNOWN
            total += state[HAND + cell]
            blind += state[BLIND + cell]
        if total != tables[DECK + kind]:
            return _CARDS
        # For each seat the pool, less what it drew itself, then holds the pile: the rest is what others drew.
        if state[POOL + kind] != state[DRAW_PILE + kind] + blind:
            return _POOL
        n_pile += state[DRAW_PILE + kind]
    if n_pile != state[N_PILE]:
        return _PILE
    for seat in range(MAX_SEATS):
        held = 0
        known = 0
        for kind in range(N_KINDS):
            held += state[HAND + seat * N_KINDS + kind]
            known += state[KNOWN + seat * N_KINDS + kind]
        if held != state[N_HAND + seat] or (seat >= tables[N_SEATS] and held > 0):
            return _HANDS
        if not 0 <= state[OLD + seat] <= held - known:
            return _OLD
    return 0


@compiled
def _broken_by_market(state: Ints, tables: Ints) -> int:
    n_open = 0
    for slot in range(tables[MARKET_SIZE]):
        if not NOBODY <= state[MARKET + slot] < N_KINDS:
            return _FILLED
        n_open += state[MARKET + slot] != NOBODY
    n_cards = 0
    for kind in range(N_KINDS):
        n_cards += state[DRAW_PILE + kind] + state[DISCARDS + kind]
    # What is turned over for a tunnel is used at the end of the turn.
    if n_open < tables[MARKET_SIZE] and n_cards > 0 and state[PHASE] != TUNNEL_PHASE:
        return _FILLED
    return 0


@compiled
def wants_reset(state: Ints, tables: Ints) -> bool:
    """Return whether the face-up cards are to be replaced; after a refill they never are."""
    n_open = 0
    n_locomotives = 0
    for slot in range(tables[MARKET_SIZE]):
        n_open += state[MARKET + slot] != NOBODY
        n_locomotives += state[MARKET + slot] == LOCOMOTIVE_INDEX
    n_colored = n_open - n_locomotives
    for kind in range(N_COLORS):
        n_colored += state[DRAW_PILE + kind] + state[DISCARDS + kind]
    is_due = 0 < tables[RESET_AT] <= n_locomotives and n_colored >= tables[RESET_NEEDS_COLORED]
    return bool(is_due and (n_open == tables[MARKET_SIZE] or not tables[RESET_NEEDS_FULL]))


@compiled
def _broken_by_routes(state: Ints, tables: Ints) -> int:
    n_seats = tables[N_SEATS]
    built = np.zeros(MAX_SEATS + 1, dtype=np.int64)
    scored = np.zeros(MAX_SEATS + 1, dtype=np.int64)
    n_owned = 0
    for route in range(MAX_ROUTES):
        owner = state[OWNER + route]
        if owner == NOBODY:
            continue
        if route >= tables[N_ROUTES] or not (0 <= owner < n_seats or owner == NEUTRAL_OWNER):
            return _OWNERS
        n_owned += 1
        built[owner] += tables[LENGTH + route]
        scored[owner] += tables[POINTS + route]
        twin = tables[TWIN + route]
        if twin >= 0 and state[OWNER + twin] != NOBODY:
            other = state[OWNER + twin]
            if other == owner or (not tables[BOTH_OPEN] and NEUTRAL_OWNER not in (owner, other)):
                return _TWINS
    is_claimed = np.zeros(MAX_ROUTES, dtype=np.int64)
    for i in range(state[N_CLAIMS]):
        route = state[CLAIMED + i]
        if state[OWNER + route] == NOBODY or is_claimed[route]:
            return _OWNERS
        is_claimed[route] = 1
    if n_owned != state[N_CLAIMS]:
        return _OWNERS
    for owner in range(MAX_SEATS + 1):
        each = tables[TRAINS_EACH] if owner < n_seats else 0
        if owner == NEUTRAL_OWNER:
            each = tables[NEUTRAL_TRAINS]
        if state[TRAINS + owner] < 0 or state[TRAINS + owner] + built[owner] != each:
            return _TRAINS
    for seat in range(n_seats):
        if state[SCORE + seat] != tables[START_SCORE + seat] + scored[seat]:
            return _SCORES
    return 0


@compiled
def _broken_by_tokens(state: Ints, tables: Ints) -> int:
    """Derive tokens and loans again from the order of the claims."""
    n_seats = tables[N_SEATS]
    tokens = np.zeros(MAX_SEATS, dtype=np.int64)
    loans = np.zeros(MAX_SEATS, dtype=np.int64)
    bank = 0
    for seat in range(n_seats):
        tokens[seat] = tables[TOKENS_EACH]
    is_claimed = np.zeros(MAX_ROUTES, dtype=np.int64)
    for i in range(state[N_CLAIMS] if tables[TOKENS_EACH] > 0 else 0):
        route = state[CLAIMED + i]
        is_claimed[route] = 1
        owner = state[OWNER + route]
        toll = tables[TOLL + route]
        twin = tables[TWIN + route]
        payee = NOBODY
        if twin >= 0 and is_claimed[twin] and state[OWNER + twin] < n_seats and tables[PAYS_OWNER]:
            payee = state[OWNER + twin]
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
        if state[TOKENS + seat] < 0:
            return _NEGATIVE
        if state[TOKENS + seat] != tokens[seat] or state[LOANS + seat] != loans[seat]:
            return _TOKENS
        total += state[TOKENS + seat]
        n_loans += loans[seat]
    if total != n_seats * tables[TOKENS_EACH] or n_loans > tables[LOAN_LIMIT] > 0:
        return _TOKENS
    return 0


@compiled
def _broken_by_tickets(state: Ints, tables: Ints) -> int:
    n_tickets = tables[N_TICKETS]
    n_at = np.zeros(AT_REMOVED + 1, dtype=np.int64)
    for ticket in range(n_tickets):
        if not 0 <= state[TICKET_AT + ticket] <= AT_REMOVED:
            return _TICKETS
        n_at[state[TICKET_AT + ticket]] += 1
    n_offered = 0
    for seat in range(tables[N_SEATS]):
        for i in range(state[N_OFFER + seat]):
            ticket = state[OFFER + seat * MAX_OFFER + i]
            if not 0 <= ticket < n_tickets or state[TICKET_AT + ticket] != AT_OFFER:
                return _TICKETS
        for i in range(state[N_HELD + seat]):
            ticket = state[HELD + seat * MAX_TICKETS + i]
            if not 0 <= ticket < n_tickets or state[TICKET_AT + ticket] != seat:
                return _TICKETS
        n_offered += state[N_OFFER + seat]
        if n_at[seat] != state[N_HELD + seat]:
            return _COUNTED
    for i in range(state[N_QUEUED]):
        ticket = state[QUEUE + (state[QUEUE_HEAD] + i) % MAX_TICKETS]
        if not 0 <= ticket < n_tickets or state[TICKET_AT + ticket] != AT_QUEUE:
            return _TICKETS
    # Each place lists as many tickets as are marked there; a double entry would leave one unlisted.
    if n_at[AT_OFFER] != n_offered or n_at[AT_QUEUE] != state[N_QUEUED]:
        return _COUNTED
    if n_at[AT_PILE] != state[N_TICKET_PILE] or n_at[AT_DISCARDS] != state[N_TICKET_DISCARDS]:
        return _COUNTED
    return _broken_by_doubles(state, tables)


@compiled
def _broken_by_doubles(state: Ints, tables: Ints) -> int:
    """Return whether a ticket is listed twice."""
    seen = np.zeros(MAX_TICKETS, dtype=np.int64)
    for seat in range(tables[N_SEATS]):
        for i in range(state[N_OFFER + seat]):
            seen[state[OFFER + seat * MAX_OFFER + i]] += 1
        for i in range(state[N_HELD + seat]):
            seen[state[HELD + seat * MAX_TICKETS + i]] += 1
    for i in range(state[N_QUEUED]):
        seen[state[QUEUE + (state[QUEUE_HEAD] + i) % MAX_TICKETS]] += 1
    for times in seen:
        if times > 1:
            return _TICKETS
    return 0


@compiled
def _broken_by_phase(state: Ints, tables: Ints) -> int:
    phase = state[PHASE]
    n_seats = tables[N_SEATS]
    if state[FAULT] != 0 or not 0 <= state[SEAT] < n_seats:
        return _PHASES
    if state[TURN_SEAT] != (0 if phase == KEEP_START else state[N_TURNS] % n_seats):
        return _PHASES
    if phase not in (KEEP_START, NEUTRAL) and state[SEAT] != state[TURN_SEAT]:
        return _PHASES
    if (phase == SECOND_DRAW) != (state[N_TAKEN] > 0) or not 0 <= state[N_TAKEN] < tables[DRAWS]:
        return _PHASES
    for seat in range(n_seats):
        chooses = (phase == KEEP_START and seat >= state[SEAT]) or (phase == KEEP and seat == state[SEAT])
        if chooses != (state[N_OFFER + seat] > 0):
            return _PHASES
    if phase == TUNNEL_PHASE:
        route = state[PENDING]
        if not 0 <= route < tables[N_ROUTES] or not tables[TUNNEL + route] or state[OWNER + route] != NOBODY:
            return _PHASES
        if not 0 < state[SURCHARGE] <= tables[N_REVEALED]:
            return _PHASES
    elif state[PENDING] != NOBODY or state[SURCHARGE] != 0 or count_cards(state[LAID : LAID + N_KINDS]) != 0:
        return _PHASES
    return _broken_by_end(state, tables)


@compiled
def _broken_by_end(state: Ints, tables: Ints) -> int:
    n_seats = tables[N_SEATS]
    ending = state[ENDING]
    if (state[PHASE] == OVER) != (ending != 0):
        return _PHASES
    if ending == _TRUNCATED:
        return _ENDS
    if (ending == _BY_TRAINS) != (state[LAST_LEFT] == 0):
        return _LAST_ROUND
    if ending != _BY_PASSES and state[N_PASSES] >= n_seats * tables[PASS_ROUNDS]:
        return _ENDS
    has_few = False
    for seat in range(n_seats):
        if state[TRAINS + seat] <= tables[LAST_ROUND_AT]:
            has_few = True
    if has_few != (state[LAST_LEFT] != NOBODY) or has_few != (state[LAST_SEAT] != NOBODY):
        return _LAST_ROUND
    if has_few and state[TRAINS + state[LAST_SEAT]] > tables[LAST_ROUND_AT]:
        return _LAST_ROUND
    return 0
