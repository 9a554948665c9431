"""What is legal: why an action is not. Those that are legal are listed in `listing`."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
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
    KEEP_START,
    NEUTRAL,
    NOBODY,
    OVER,
    SECOND_DRAW,
    TUNNEL_PHASE,
    TURN,
    State,
)
from ttr_analysis.rules.forms import count_forms
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.money import can_settle
from ttr_analysis.rules.payment import payment_fault
from ttr_analysis.rules.tunnel import pays_surcharge, spare_cards
from ttr_analysis.tables.games import Tables

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


@compiled
def track_fault(state: State, tables: Tables, seat: int, route: int) -> int:
    """
    Return why a route is not open to a seat, whatever cards, trains and tokens it has; 0 if it is.

    Returns
    -------
    fault
        An `ActionFault`.
    """
    if state.owner[route] != NOBODY:
        return _TAKEN
    twin = tables.twin[route]
    if twin >= 0 and state.owner[twin] != NOBODY:
        if state.owner[twin] == seat:
            return _TWIN_OWN
        if not tables.both_open:
            return _TWIN_CLOSED
    return NONE


@compiled
def route_fault(state: State, tables: Tables, seat: int, route: int) -> int:
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
    if tables.length[route] > state.trains[seat]:
        return _TRAINS
    if tables.tokens_each > 0 and tables.loan_limit > 0:
        tokens, loans = state.tokens, state.loans
        if not can_settle(tokens, loans, seat, tables.toll[route], tables.loan_limit):
            return _LOANS
    return NONE


@compiled
def action_fault(state: State, tables: Tables, code: int, value: int) -> int:
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
    phase = state.phase
    seat = state.seat
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


@compiled
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


@compiled
def _slot_fault(state: State, tables: Tables, slot: int) -> int:
    if slot < 0 or slot >= tables.market_size:
        return _SLOT
    card = state.market[slot]
    if card == NOBODY:
        return _EMPTY_SLOT
    if state.n_taken > 0 and must_be_first(card, tables.locomotive_cost):
        return _SECOND_LOCOMOTIVE
    return NONE if may_take(state, tables, slot) else _MARKET_CLOSED


@compiled
def _claim_fault(state: State, tables: Tables, seat: int, route: int, packed: int) -> int:
    if route < 0 or route >= tables.n_routes:
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
        tables.color[route],
        tables.plain[route],
        tables.symbols[route],
        tables.jokers[route],
        tables.swap_size[route],
        tables.swap_any[route],
    )
    return NONE if fault == 0 else _PAYMENT


@compiled
def _holds(state: State, seat: int, cards: Ints) -> bool:
    for kind in range(N_KINDS):
        if cards[kind] > state.hand[seat, kind]:
            return False
    return True


@compiled
def _surcharge_fault(state: State, tables: Tables, seat: int, packed: int) -> int:
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(packed, cards)
    if not _holds(state, seat, cards):
        return _CARDS
    jokers = tables.jokers[state.pending]
    return NONE if pays_surcharge(cards, state.pending_color, jokers, state.surcharge) else _SURCHARGE


@compiled
def fewest_kept(state: State, tables: Tables, seat: int) -> int:
    """Return how many tickets of its offer a seat must keep."""
    at_least = tables.opening_keep if state.phase == KEEP_START else tables.ticket_keep
    return int(min(at_least, state.n_offer[seat]))


@compiled
def _keep_fault(state: State, tables: Tables, seat: int, kept: int) -> int:
    if kept < 0 or kept >= 1 << state.n_offer[seat]:
        return _KEEP_OTHER
    return NONE if count_bits(kept) >= fewest_kept(state, tables, seat) else _KEEP_FEW


@compiled
def count_bits(number: int) -> int:
    """Return the number of bits that are set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@compiled
def _neutral_fault(state: State, tables: Tables, route: int) -> int:
    ticket = state.neutral_ticket
    if route < 0 or route not in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        return _NEUTRAL_ROUTE
    return NONE if may_choose(state, tables, route) else _NEUTRAL_ROUTE


@compiled
def _can_act(state: State, tables: Tables, seat: int) -> bool:
    """Return whether the seat can do anything in its turn but pass."""
    if can_draw(state, tables) or has_tickets(state):
        return True
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) == NONE and n_forms(state, tables, seat, route) > 0:
            return True
    return False


@compiled
def n_forms(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return in how many forms a seat's hand pays for a route."""
    return count_forms(
        state.hand[seat],
        state.n_hand[seat],
        tables.color[route],
        tables.plain[route],
        tables.symbols[route],
        tables.jokers[route],
        tables.swap_size[route],
        tables.swap_any[route],
    )


@compiled
def can_pay_surcharge(state: State, tables: Tables) -> bool:
    """Return whether the seat that acts holds what its tunnel demands."""
    hand = state.hand[state.seat]
    jokers = tables.jokers[state.pending]
    return bool(spare_cards(hand, state.pending_color, jokers) >= state.surcharge)
