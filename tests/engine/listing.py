"""Laws of the list of legal actions, compiled: what is listed is legal, and what is legal is listed."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.kernel.step import action_fault, has_choice, list_actions
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.rules.chance import below
from ttr_analysis.tables import Tables


class ListingLaw(IntEnum):
    """What was broken."""

    NONE = 0
    THERE_IS_AN_ACTION = auto()
    ALL_FIT_IN_THE_LIST = auto()
    LISTED_IS_LEGAL = auto()
    NOTHING_IS_LISTED_TWICE = auto()
    LEGAL_IS_LISTED = auto()
    A_CHOICE_IS_OF_TWO_OR_MORE = auto()


@compiled
def broken_listing_law(state: State, tables: Tables, actions: Ints, stream: Ints, n_tries: int) -> int:
    """
    Return the first law that the list of legal actions breaks, a `ListingLaw`; 0 if it breaks none.

    Parameters
    ----------
    state, tables
        The game.
    actions
        Filled with the legal actions.
    stream
        Random numbers for claims and surcharges that are tried beside the
        listed ones.
    n_tries
        How many of each.
    """
    n = list_actions(state, tables, actions)
    if (n == 0) != (state.phase == OVER):
        return ListingLaw.THERE_IS_AN_ACTION
    if n > len(actions):
        return ListingLaw.ALL_FIT_IN_THE_LIST
    if has_choice(state, tables) != (n > 1):
        return ListingLaw.A_CHOICE_IS_OF_TWO_OR_MORE
    for i in range(n):
        if action_fault(state, tables, actions[i, 0], actions[i, 1]) != 0:
            return ListingLaw.LISTED_IS_LEGAL
        if _find(actions, i, actions[i, 0], actions[i, 1]):
            return ListingLaw.NOTHING_IS_LISTED_TWICE
    if _finds_unlisted(state, tables, actions, n):
        return ListingLaw.LEGAL_IS_LISTED
    for _ in range(n_tries):
        if _finds_unlisted_payment(state, tables, actions, n, stream):
            return ListingLaw.LEGAL_IS_LISTED
    return 0


@compiled
def _find(actions: Ints, n: int, code: int, value: int) -> bool:
    for i in range(n):
        if actions[i, 0] == code and actions[i, 1] == value:
            return True
    return False


@compiled
def _is_unlisted(state: State, tables: Tables, actions: Ints, n: int, code: int, value: int) -> bool:
    """Return whether an action is legal and neither listed nor one of several choices of cards for sets."""
    if action_fault(state, tables, code, value) != 0:
        return False
    if codes.kind_of(code) == codes.CLAIM_ROUTE and tables.swap_size[codes.argument_of(code)] > 0:
        return not _lists_route(actions, n, code)
    return not _find(actions, n, code, value)


@compiled
def _lists_route(actions: Ints, n: int, code: int) -> bool:
    """Return whether some payment for the route of a claim is listed."""
    for i in range(n):
        if actions[i, 0] == code:
            return True
    return False


@compiled
def _finds_unlisted(state: State, tables: Tables, actions: Ints, n: int) -> bool:
    """Try every action without a choice of cards, of any phase, and some that never exist."""
    for kind in (codes.DRAW_CARD, codes.DECLINE_TUNNEL, codes.DRAW_TICKETS, codes.PASS):
        if _is_unlisted(state, tables, actions, n, kind, 0):
            return True
    for slot in range(-1, tables.market_size + 2):
        if _is_unlisted(state, tables, actions, n, codes.make_action(codes.DRAW_FACE_UP, slot), 0):
            return True
    for route in range(-1, tables.n_routes + 2):
        if _is_unlisted(state, tables, actions, n, codes.make_action(codes.CHOOSE_NEUTRAL, route), 0):
            return True
        if _is_unlisted(state, tables, actions, n, codes.make_action(codes.CLAIM_ROUTE, route), 0):
            return True
    for kept in range(-1, (1 << state.n_offer[state.seat]) + 2):
        if _is_unlisted(state, tables, actions, n, codes.KEEP_TICKETS, kept):
            return True
    return _is_unlisted(state, tables, actions, n, codes.PAY_TUNNEL, 0)


@compiled
def _finds_unlisted_payment(state: State, tables: Tables, actions: Ints, n: int, stream: Ints) -> bool:
    """Try a listed payment for another route, the same with one card more, less or changed, and cards at random."""
    cards = np.zeros(N_KINDS, dtype=np.int64)
    route = below(stream, tables.n_routes)
    hand = state.hand[state.seat]
    for kind in range(N_KINDS):
        cards[kind] = below(stream, hand[kind] + 1) if below(stream, 3) == 0 else 0
    if _tries(state, tables, actions, n, route, cards):
        return True
    row = below(stream, n) if n > 0 else 0
    if n == 0 or codes.kind_of(actions[row, 0]) not in (codes.CLAIM_ROUTE, codes.PAY_TUNNEL, codes.BUILD_STATION):
        return False
    listed = codes.argument_of(actions[row, 0])
    codes.unpack_cards(actions[row, 1], cards)
    if _tries(state, tables, actions, n, route, cards):
        return True
    cards[below(stream, N_KINDS)] += 1
    if _tries(state, tables, actions, n, listed, cards):
        return True
    given = below(stream, N_KINDS)
    cards[given] = max(0, cards[given] - 1)
    return _tries(state, tables, actions, n, listed, cards)


@compiled
def _tries(state: State, tables: Tables, actions: Ints, n: int, route: int, cards: Ints) -> bool:
    packed = codes.pack_cards(cards)
    for code in (
        codes.make_action(codes.CLAIM_ROUTE, route),
        codes.make_action(codes.BUILD_STATION, route),
        codes.PAY_TUNNEL,
    ):
        if _is_unlisted(state, tables, actions, n, code, packed):
            return True
    return False
