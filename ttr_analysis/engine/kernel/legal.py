"""What is legal: why an action is not. Those that are legal are listed in `listing`."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled, lean
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import (
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    PASS,
    PAY_TUNNEL,
    argument_of,
    kind_of,
    unpack_cards,
)
from ttr_analysis.engine.kernel.cards import can_draw, has_cards, may_take
from ttr_analysis.engine.kernel.neutral import may_choose
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.layout import (
    HAND,
    KEEP_START,
    LOANS,
    MARKET,
    N_HAND,
    N_OFFER,
    N_TAKEN,
    NEUTRAL,
    NEUTRAL_TICKET,
    NOBODY,
    OVER,
    OWNER,
    PENDING,
    PENDING_COLOR,
    PHASE,
    SEAT,
    SECOND_DRAW,
    SURCHARGE,
    TOKENS,
    TRAINS,
    TUNNEL_PHASE,
    TURN,
)
from ttr_analysis.rules.forms import count_forms
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.money import can_settle
from ttr_analysis.rules.payment import payment_fault
from ttr_analysis.rules.tunnel import pays_surcharge, spare_cards
from ttr_analysis.tables.games import (
    BOTH_OPEN,
    COLOR,
    JOKERS,
    LENGTH,
    LOAN_LIMIT,
    LOCOMOTIVE_COST,
    MARKET_SIZE,
    MAX_SEATS,
    N_ROUTES,
    NEUTRAL_A,
    NEUTRAL_B,
    OPENING_KEEP,
    PLAIN,
    SWAP_ANY,
    SWAP_SIZE,
    SYMBOLS,
    TICKET_KEEP,
    TOKENS_EACH,
    TOLL,
    TWIN,
)

Ints = npt.NDArray[np.int64]


class ActionFault(IntEnum):
    """Why an action is illegal."""

    NONE = 0
    """It is legal."""
    OVER = 1
    """The game is over."""
    PHASE = 2
    """The seat decides something else now."""
    NO_CARDS = 3
    """Draw pile and discard pile are empty."""
    SLOT = 4
    """There is no such slot."""
    EMPTY_SLOT = 5
    """No card lies there."""
    SECOND_LOCOMOTIVE = 6
    """A face-up locomotive may not be a later card of a turn."""
    MARKET_CLOSED = 7
    """Both piles are empty, and face-up cards may then not be taken."""
    ROUTE = 8
    """There is no such route."""
    TAKEN = 9
    """The route is taken."""
    TWIN_OWN = 10
    """The seat owns the other track."""
    TWIN_CLOSED = 11
    """The other track is taken, which closes this one with so few players."""
    TRAINS = 12
    """Too few trains."""
    CARDS = 13
    """The seat does not hold the cards."""
    PAYMENT = 14
    """The cards do not pay for the route: `rules.payment.payment_fault` says why."""
    LOANS = 15
    """The tokens do not suffice, and no loan is left."""
    SURCHARGE = 16
    """The cards are not what the tunnel demands."""
    NO_TICKETS = 17
    """No ticket is left."""
    KEEP_FEW = 18
    """Too few tickets are kept."""
    KEEP_OTHER = 19
    """A ticket is kept that is not offered."""
    NEUTRAL_ROUTE = 20
    """The neutral player cannot take that track now."""
    NOT_STUCK = 21
    """Another action is legal, so that passing is not."""


NONE = int(ActionFault.NONE)
_OVER = int(ActionFault.OVER)
_PHASE = int(ActionFault.PHASE)
_NO_CARDS = int(ActionFault.NO_CARDS)
_SLOT = int(ActionFault.SLOT)
_EMPTY_SLOT = int(ActionFault.EMPTY_SLOT)
_SECOND_LOCOMOTIVE = int(ActionFault.SECOND_LOCOMOTIVE)
_MARKET_CLOSED = int(ActionFault.MARKET_CLOSED)
_ROUTE = int(ActionFault.ROUTE)
_TAKEN = int(ActionFault.TAKEN)
_TWIN_OWN = int(ActionFault.TWIN_OWN)
_TWIN_CLOSED = int(ActionFault.TWIN_CLOSED)
_TRAINS = int(ActionFault.TRAINS)
_CARDS = int(ActionFault.CARDS)
_PAYMENT = int(ActionFault.PAYMENT)
_LOANS = int(ActionFault.LOANS)
_SURCHARGE = int(ActionFault.SURCHARGE)
_NO_TICKETS = int(ActionFault.NO_TICKETS)
_KEEP_FEW = int(ActionFault.KEEP_FEW)
_KEEP_OTHER = int(ActionFault.KEEP_OTHER)
_NEUTRAL_ROUTE = int(ActionFault.NEUTRAL_ROUTE)
_NOT_STUCK = int(ActionFault.NOT_STUCK)


@lean
def track_fault(state: Ints, tables: Ints, seat: int, route: int) -> int:
    """
    Return why a route is not open to a seat, whatever cards, trains and tokens it has; 0 if it is.

    Returns
    -------
    fault
        An `ActionFault`.
    """
    if state[OWNER + route] != NOBODY:
        return _TAKEN
    twin = tables[TWIN + route]
    if twin >= 0 and state[OWNER + twin] != NOBODY:
        if state[OWNER + twin] == seat:
            return _TWIN_OWN
        if not tables[BOTH_OPEN]:
            return _TWIN_CLOSED
    return NONE


@lean
def route_fault(state: Ints, tables: Ints, seat: int, route: int) -> int:
    """
    Return why a seat may not claim a route with any cards, 0 if it may.

    Returns
    -------
    fault
        An `ActionFault`.
    """
    fault = track_fault(state, tables, seat, route)
    if fault != NONE:
        return fault
    if tables[LENGTH + route] > state[TRAINS + seat]:
        return _TRAINS
    if tables[TOKENS_EACH] > 0 and tables[LOAN_LIMIT] > 0:
        tokens, loans = state[TOKENS : TOKENS + MAX_SEATS], state[LOANS : LOANS + MAX_SEATS]
        if not can_settle(tokens, loans, seat, tables[TOLL + route], tables[LOAN_LIMIT]):
            return _LOANS
    return NONE


@lean
def action_fault(state: Ints, tables: Ints, code: int, value: int) -> int:
    """
    Return why an action of the seat that acts is illegal, 0 if it is legal.

    Parameters
    ----------
    state, tables
        The game.
    code, value
        The action: see `engine.codes`.

    Returns
    -------
    fault
        An `ActionFault`.
    """
    kind = kind_of(code)
    phase = state[PHASE]
    seat = state[SEAT]
    if phase == OVER:
        return _OVER
    if not _is_due(phase, kind):
        return _PHASE
    if kind == DRAW_CARD:
        return NONE if has_cards(state) else _NO_CARDS
    if kind == DRAW_FACE_UP:
        return _slot_fault(state, tables, argument_of(code))
    if kind == CLAIM_ROUTE:
        return _claim_fault(state, tables, seat, argument_of(code), value)
    if kind == PAY_TUNNEL:
        return _surcharge_fault(state, tables, seat, value)
    if kind == DRAW_TICKETS:
        return NONE if has_tickets(state) else _NO_TICKETS
    if kind == KEEP_TICKETS:
        return _keep_fault(state, tables, seat, value)
    if kind == CHOOSE_NEUTRAL:
        return _neutral_fault(state, tables, argument_of(code))
    if kind == PASS and _can_act(state, tables, seat):
        return _NOT_STUCK
    return NONE


@lean
def _is_due(phase: int, kind: int) -> bool:
    """Return whether a phase asks for an action of this kind."""
    if phase == TURN:
        return kind in (DRAW_CARD, DRAW_FACE_UP, CLAIM_ROUTE, DRAW_TICKETS, PASS)
    if phase == SECOND_DRAW:
        return kind in (DRAW_CARD, DRAW_FACE_UP)
    if phase == TUNNEL_PHASE:
        return kind in (PAY_TUNNEL, DECLINE_TUNNEL)
    if phase == NEUTRAL:
        return kind == CHOOSE_NEUTRAL
    return kind == KEEP_TICKETS


@lean
def _slot_fault(state: Ints, tables: Ints, slot: int) -> int:
    if slot < 0 or slot >= tables[MARKET_SIZE]:
        return _SLOT
    card = state[MARKET + slot]
    if card == NOBODY:
        return _EMPTY_SLOT
    if state[N_TAKEN] > 0 and must_be_first(card, tables[LOCOMOTIVE_COST]):
        return _SECOND_LOCOMOTIVE
    return NONE if may_take(state, tables, slot) else _MARKET_CLOSED


@compiled
def _claim_fault(state: Ints, tables: Ints, seat: int, route: int, packed: int) -> int:
    if route < 0 or route >= tables[N_ROUTES]:
        return _ROUTE
    fault = route_fault(state, tables, seat, route)
    if fault != NONE:
        return fault
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(packed, cards)
    if not _holds(state, seat, cards):
        return _CARDS
    fault = payment_fault(
        cards,
        tables[COLOR + route],
        tables[PLAIN + route],
        tables[SYMBOLS + route],
        tables[JOKERS + route],
        tables[SWAP_SIZE + route],
        tables[SWAP_ANY + route],
    )
    return NONE if fault == 0 else _PAYMENT


@lean
def _holds(state: Ints, seat: int, cards: Ints) -> bool:
    for kind in range(N_KINDS):
        if cards[kind] > state[HAND + seat * N_KINDS + kind]:
            return False
    return True


@compiled
def _surcharge_fault(state: Ints, tables: Ints, seat: int, packed: int) -> int:
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(packed, cards)
    if not _holds(state, seat, cards):
        return _CARDS
    jokers = tables[JOKERS + state[PENDING]]
    return NONE if pays_surcharge(cards, state[PENDING_COLOR], jokers, state[SURCHARGE]) else _SURCHARGE


@lean
def fewest_kept(state: Ints, tables: Ints, seat: int) -> int:
    """Return how many tickets of its offer a seat must keep."""
    at_least = tables[OPENING_KEEP] if state[PHASE] == KEEP_START else tables[TICKET_KEEP]
    return int(min(at_least, state[N_OFFER + seat]))


@lean
def _keep_fault(state: Ints, tables: Ints, seat: int, kept: int) -> int:
    if kept < 0 or kept >= 1 << state[N_OFFER + seat]:
        return _KEEP_OTHER
    return NONE if count_bits(kept) >= fewest_kept(state, tables, seat) else _KEEP_FEW


@lean
def count_bits(number: int) -> int:
    """Return the number of bits that are set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@lean
def _neutral_fault(state: Ints, tables: Ints, route: int) -> int:
    ticket = state[NEUTRAL_TICKET]
    if route < 0 or route not in (tables[NEUTRAL_A + ticket], tables[NEUTRAL_B + ticket]):
        return _NEUTRAL_ROUTE
    return NONE if may_choose(state, tables, route) else _NEUTRAL_ROUTE


@lean
def _can_act(state: Ints, tables: Ints, seat: int) -> bool:
    """Return whether the seat can do anything in its turn but pass."""
    if can_draw(state, tables) or has_tickets(state):
        return True
    for route in range(tables[N_ROUTES]):
        if route_fault(state, tables, seat, route) == NONE and n_forms(state, tables, seat, route) > 0:
            return True
    return False


@lean
def n_forms(state: Ints, tables: Ints, seat: int, route: int) -> int:
    """Return in how many forms a seat's hand pays for a route."""
    return count_forms(
        state[HAND + seat * N_KINDS : HAND + (seat + 1) * N_KINDS],
        state[N_HAND + seat],
        tables[COLOR + route],
        tables[PLAIN + route],
        tables[SYMBOLS + route],
        tables[JOKERS + route],
        tables[SWAP_SIZE + route],
        tables[SWAP_ANY + route],
    )


@lean
def can_pay_surcharge(state: Ints, tables: Ints) -> bool:
    """Return whether the seat that acts holds what its tunnel demands."""
    hand = state[HAND + state[SEAT] * N_KINDS : HAND + (state[SEAT] + 1) * N_KINDS]
    jokers = tables[JOKERS + state[PENDING]]
    return bool(spare_cards(hand, state[PENDING_COLOR], jokers) >= state[SURCHARGE])
