"""The legal actions of the seat that acts, listed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
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
    make_action,
    pack_cards,
    pack_single,
)
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.legal import NONE, count_bits, fewest_kept, n_forms, route_fault
from ttr_analysis.engine.kernel.neutral import may_choose
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.layout import NEUTRAL, OVER, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.rules.forms import find_form
from ttr_analysis.rules.payment import fill_sets, form_sets
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def list_actions(state: State, tables: Tables, out: Ints) -> int:
    """
    List the legal actions of the seat that acts.

    Claims come once for each route and form of payment; the sets of such a
    payment take the cards of which most are left, locomotives last. Forms that
    come to the same cards are listed once.

    Parameters
    ----------
    state, tables
        The game.
    out
        Filled with codes and values, shape (actions, 2), as far as it goes.

    Returns
    -------
    n_actions
        Their number, or more if they do not fit in `out`.
    """
    phase = state.phase
    seat = state.seat
    if phase == OVER:
        return 0
    if phase == TUNNEL_PHASE:
        return _list_surcharges(state, tables, seat, out)
    if phase == NEUTRAL:
        return _list_neutral(state, tables, out)
    if phase not in (TURN, SECOND_DRAW):
        return _list_keeps(state, tables, seat, out)
    n = _list_draws(state, tables, out)
    if phase == TURN:
        n = _list_claims(state, tables, seat, out, n)
        if has_tickets(state):
            n = _add(out, n, DRAW_TICKETS, 0)
        if n == 0:
            n = _add(out, n, PASS, 0)
    return n


@compiled
def _add(out: Ints, n: int, code: int, value: int) -> int:
    """Write an action down if there is room; return how many there are now."""
    if n < len(out):
        out[n, 0] = code
        out[n, 1] = value
    return n + 1


@compiled
def _list_draws(state: State, tables: Tables, out: Ints) -> int:
    n = 0
    if has_cards(state):
        n = _add(out, n, DRAW_CARD, 0)
    for slot in range(tables.market_size):
        if may_take(state, tables, slot):
            n = _add(out, n, make_action(DRAW_FACE_UP, slot), 0)
    return n


@compiled
def _list_claims(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) != NONE:
            continue
        first = n
        for number in range(n_forms(state, tables, seat, route)):
            cards = representative(state, tables, seat, route, number)
            if tables.swap_size[route] == 0 or not _is_listed(out, first, n, cards):
                n = _add(out, n, make_action(CLAIM_ROUTE, route), cards)
    return n


@compiled
def _is_listed(out: Ints, first: int, n: int, value: int) -> bool:
    """Return whether a value stands in the rows from `first` to `n`: two forms with sets can be the same cards."""
    for i in range(first, min(n, len(out))):
        if out[i, 1] == value:
            return True
    return False


@compiled
def representative(state: State, tables: Tables, seat: int, route: int, number: int) -> int:
    """Return the packed cards of one form of payment; its sets take the cards of which most are left."""
    cards = np.zeros(N_KINDS, dtype=np.int64)
    left = np.empty(N_KINDS, dtype=np.int64)
    n_set_cards = lay_form(state, tables, seat, route, number, cards, left)
    if n_set_cards > 0:
        add_sets(cards, left, n_set_cards)
    return pack_cards(cards)


@compiled
def add_sets(cards: Ints, left: Ints, n_set_cards: int) -> None:
    """
    Add the cards of sets to a payment: those of which most are left, locomotives last.

    Parameters
    ----------
    cards
        The payment; the cards are added.
    left
        The rest of the hand; the cards are taken away.
    n_set_cards
        How many.
    """
    rank = np.zeros(N_KINDS, dtype=np.int64)
    rank[LOCOMOTIVE_INDEX] = 1
    taken = np.empty(N_KINDS, dtype=np.int64)
    fill_sets(left, n_set_cards, rank, np.zeros(N_KINDS, dtype=np.int64), taken)
    for kind in range(N_KINDS):
        cards[kind] += taken[kind]


@compiled
def lay_form(state: State, tables: Tables, seat: int, route: int, number: int, cards: Ints, left: Ints) -> int:
    """
    Lay down the single cards of one form of payment.

    Parameters
    ----------
    state, tables, seat, route
        The game, who pays, and for what.
    number
        Which form, below `n_forms`.
    cards, left
        The single cards are added to the first, which are zeros; the second
        is filled with the rest of the hand.

    Returns
    -------
    n_set_cards
        How many cards of the rest the sets want.
    """
    hand = state.hand[seat]
    plain, symbols = tables.plain[route], tables.symbols[route]
    jokers, swap_size, swap_any = tables.jokers[route], tables.swap_size[route], tables.swap_any[route]
    color, own, locomotives = find_form(
        hand,
        state.n_hand[seat],
        tables.color[route],
        plain,
        symbols,
        jokers,
        swap_size,
        swap_any,
        number,
    )
    if own > 0:
        cards[color] += own
    cards[LOCOMOTIVE_INDEX] += locomotives
    for kind in range(N_KINDS):
        left[kind] = hand[kind] - cards[kind]
    return int(swap_size * form_sets(plain, symbols, jokers, swap_size, swap_any, own, locomotives))


@compiled
def _list_surcharges(state: State, tables: Tables, seat: int, out: Ints) -> int:
    n = 0
    for number in range(n_surcharges(state, tables, seat)):
        n = _add(out, n, PAY_TUNNEL, surcharge_cards(state, seat, number))
    return _add(out, n, DECLINE_TUNNEL, 0)


@compiled
def _most_own(state: State, seat: int) -> int:
    """Return how many cards of the color played a seat can pay of its surcharge."""
    color = state.pending_color
    if color == LOCOMOTIVE_INDEX:
        return 0
    return int(min(state.hand[seat, color], state.surcharge))


@compiled
def n_surcharges(state: State, tables: Tables, seat: int) -> int:
    """Return in how many ways a seat can pay the surcharge of its tunnel: mixes of the color and locomotives."""
    own = _most_own(state, seat)
    surcharge = state.surcharge
    only_locomotives = state.pending_color == LOCOMOTIVE_INDEX
    jokers = tables.jokers[state.pending] or only_locomotives
    locomotives = state.hand[seat, LOCOMOTIVE_INDEX] if jokers else 0
    return int(max(0, own - max(0, surcharge - locomotives) + 1))


@compiled
def surcharge_cards(state: State, seat: int, number: int) -> int:
    """Return the packed cards of one way to pay the surcharge, most cards of the color first."""
    own = _most_own(state, seat) - number
    return pack_single(state.pending_color, own, state.surcharge - own)


@compiled
def _list_neutral(state: State, tables: Tables, out: Ints) -> int:
    ticket = state.neutral_ticket
    n = 0
    for route in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        if may_choose(state, tables, route):
            n = _add(out, n, make_action(CHOOSE_NEUTRAL, route), 0)
    return n


@compiled
def _list_keeps(state: State, tables: Tables, seat: int, out: Ints) -> int:
    n = 0
    fewest = fewest_kept(state, tables, seat)
    for kept in range(1 << state.n_offer[seat]):
        if count_bits(kept) >= fewest:
            n = _add(out, n, KEEP_TICKETS, kept)
    return n
