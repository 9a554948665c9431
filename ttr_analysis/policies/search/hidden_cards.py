"""The train cards of a world: unseen cards, dealt to the unknown places in hands, market and piles; see `worlds`."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.layout import OLD_UNKNOWN_CARD, UNKNOWN_CARD, State
from ttr_analysis.rules.chance import below
from ttr_analysis.rules.market import add_cards, count_cards, draw_card, has_too_many_locomotives
from ttr_analysis.rules.tunnel import matching_cards
from ttr_analysis.tables import Tables

_N_MARKETS: Final = 100
"""Attempts to find a market that would not have been replaced."""


@compiled
def fill_cards(state: State, tables: Tables, viewer: int, stream: Ints) -> None:
    """Deal the unseen cards to the unknown places in hands, the market and both piles."""
    fresh = np.empty(N_KINDS, dtype=np.int64)
    stale = np.empty(N_KINDS, dtype=np.int64)
    n_seats = tables.n_seats
    drawer = _least_known(state, n_seats, viewer)
    is_seen = True
    for slot in range(tables.market_size):
        is_seen = is_seen and state.market[slot] < UNKNOWN_CARD
    for kind in range(N_KINDS):
        unseen = tables.deck[kind] - state.discards[kind] - state.laid[kind]
        for slot in range(tables.market_size):
            unseen -= state.market[slot] == kind
        of_pool = state.pool[kind]
        for seat in range(n_seats):
            state.hand[seat, kind] = max(state.hand[seat, kind], state.known[seat, kind])
            unseen -= state.hand[seat, kind]
            of_pool -= state.blind[seat, kind]
        # Pool cards that were shown since are no longer unseen; unseen cards outside the pool are older.
        fresh[kind] = min(unseen, of_pool)
        stale[kind] = unseen - fresh[kind]
        if is_seen:
            # The pool still counts cards shown by players whose draws were unknown.
            state.blind[drawer, kind] += of_pool - fresh[kind]
        else:
            state.pool[kind] -= of_pool - fresh[kind]  # only an upper bound if the market is unknown
    _fill_shown(state, n_seats, fresh, stale, stream)
    _fill_swept(state, fresh, stale, stream)
    _fill_face_up(state, tables, fresh, stale, stream)
    _deal_stale(state, n_seats, stale, stream)
    add_cards(stale, fresh)  # none are left, unless the known facts contradict each other
    for seat in range(n_seats):
        for _ in range(_n_missing(state, seat)):
            kind = draw_card(fresh, stream)
            state.hand[seat, kind] += 1
            state.blind[seat, kind] += 1
    state.draw_pile[:] = fresh


@compiled
def _fill_shown(state: State, n_seats: int, fresh: Ints, stale: Ints, stream: Ints) -> None:
    """Give seats what a tunnel attempt proves that they hold: cards of its color, or locomotives."""
    for seat in range(n_seats):
        if state.n_shown[seat] == 0:
            continue
        color = state.shown_color[seat]
        n = state.n_shown[seat] - matching_cards(state.hand[seat], color)
        for _ in range(min(n, _n_missing(state, seat))):
            kind = _draw_fitting(fresh, color, 1, stream)
            if kind >= 0:
                state.blind[seat, kind] += 1
            else:
                kind = _draw_fitting(stale, color, 1, stream)
            if kind >= 0:
                state.hand[seat, kind] += 1


@compiled
def _fill_swept(state: State, fresh: Ints, stale: Ints, stream: Ints) -> None:
    """Put unknown cards on the discard pile that are known to match a color, or not to."""
    for color in range(N_KINDS):
        for matches in range(2):
            n = state.swept_match[color] if matches == 1 else state.swept_other[color]
            for _ in range(n):
                kind = _draw_fitting(fresh, color, matches, stream)
                if kind >= 0:
                    state.pool[kind] -= 1
                else:
                    kind = _draw_fitting(stale, color, matches, stream)
                if kind >= 0:  # otherwise nothing is known about it
                    state.discards[kind] += 1
                    state.n_swept -= 1
    state.swept_match.fill(0)
    state.swept_other.fill(0)


@compiled
def _draw_fitting(cards: Ints, color: int, matches: int, stream: Ints) -> int:
    """Remove a random card that matches the color (or does not, if `matches` is 0); return its kind, -1 if none."""
    fitting = np.zeros(N_KINDS, dtype=np.int64)
    for kind in range(N_KINDS):
        if (kind in (color, LOCOMOTIVE_INDEX)) == (matches == 1):
            fitting[kind] = cards[kind]
    if count_cards(fitting) <= 0:
        return -1
    kind = draw_card(fitting, stream)
    cards[kind] -= 1
    return kind


@compiled
def _fill_face_up(state: State, tables: Tables, fresh: Ints, stale: Ints, stream: Ints) -> None:
    """Fill in the unknown cards of the market and the discard pile."""
    market = state.market[: tables.market_size]
    unknown = market.copy()
    pool = state.pool.copy()
    all_fresh = fresh.copy()
    all_stale = stale.copy()
    for _ in range(_N_MARKETS):
        state.pool[:] = pool
        fresh[:] = all_fresh
        stale[:] = all_stale
        for slot in range(tables.market_size):
            if unknown[slot] >= UNKNOWN_CARD:
                market[slot] = _draw_seen(state, fresh, stale, unknown[slot], stream)
        if not has_too_many_locomotives(market, tables.reset_at):
            break  # otherwise it would have been replaced; if that is impossible, the last attempt stays
    for _ in range(min(state.n_swept, count_cards(fresh) + count_cards(stale))):
        state.discards[_draw_seen(state, fresh, stale, UNKNOWN_CARD, stream)] += 1
    state.n_swept = 0


@compiled
def _draw_seen(state: State, fresh: Ints, stale: Ints, unknown: int, stream: Ints) -> int:
    """Draw a card that everyone has seen (if it is old, from before the last shuffle); return its kind."""
    if count_cards(fresh) == 0 or (unknown == OLD_UNKNOWN_CARD and count_cards(stale) > 0):
        return draw_card(stale, stream)
    kind = draw_card(fresh, stream)
    state.pool[kind] -= 1
    return kind


@compiled
def _least_known(state: State, n_seats: int, viewer: int) -> int:
    """Return the seat, other than the viewer's, with the most unknown cards."""
    found = 1 if viewer == 0 else 0
    for seat in range(n_seats):
        if seat != viewer and _n_missing(state, seat) > _n_missing(state, found):
            found = seat
    return found


@compiled
def _deal_stale(state: State, n_seats: int, stale: Ints, stream: Ints) -> None:
    """Deal the cards from before the last shuffle to unknown places in hands that may hold such cards."""
    n_places = 0
    for seat in range(n_seats):
        n_places += min(state.old[seat], _n_missing(state, seat))
    places = np.empty(n_places, dtype=np.int64)
    at = 0
    for seat in range(n_seats):
        for _ in range(min(state.old[seat], _n_missing(state, seat))):
            places[at] = seat
            at += 1
    for _ in range(min(count_cards(stale), n_places)):
        kind = draw_card(stale, stream)
        at = below(stream, n_places)
        state.hand[places[at], kind] += 1
        n_places -= 1
        places[at] = places[n_places]


@compiled
def _n_missing(state: State, seat: int) -> int:
    """Return the number of unknown cards of a hand."""
    return int(state.n_hand[seat] - count_cards(state.hand[seat]))
