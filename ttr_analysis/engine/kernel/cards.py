"""Train cards: the draw pile, the market, and what moves between them and the hands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import inlined, lean
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.codes import MARKET_CARD, SHUFFLED, SHUFFLED_CARDS, SHUFFLED_MARKET
from ttr_analysis.engine.kernel.tape import is_next, is_scripted, next_card, write_event
from ttr_analysis.engine.layout import (
    ADDED_DISCARDS,
    BLIND,
    DISCARDS,
    DRAW_PILE,
    HAND,
    KNOWN,
    MARKET,
    N_HAND,
    N_PILE,
    N_SHUFFLES,
    N_TAKEN,
    OLD,
    POOL,
    UNKNOWN_CARD,
)
from ttr_analysis.rules.market import (
    EMPTY,
    draws_for_face_up,
    has_too_many_locomotives,
    is_reset_due,
    may_take_face_up,
    next_empty_slot,
    sweep_market,
)
from ttr_analysis.tables.games import (
    LOCOMOTIVE_COST,
    MARKET_SIZE,
    MAX_RESETS,
    N_SEATS,
    OPEN_WITHOUT_PILES,
    RESET_AT,
    RESET_NEEDS_COLORED,
    RESET_NEEDS_FULL,
    SHUFFLE_AT_ONCE,
)

Ints = npt.NDArray[np.int64]


@inlined
def count_cards(cards: Ints) -> int:
    """Return the number of cards in nine counts."""
    total = 0
    for kind in range(N_KINDS):
        total += cards[kind]
    return total


@inlined
def has_cards(state: Ints) -> bool:
    """Return whether a card can be drawn, after a shuffle if need be."""
    if state[N_PILE] > 0:
        return True
    return bool(count_cards(state[DISCARDS : DISCARDS + N_KINDS]) > 0)


# -- the draw pile ------------------------------------------------------------


@inlined
def make_drawable(state: Ints, tables: Ints, tape: Ints) -> bool:
    """Shuffle the discards into a new pile if the pile is empty; return whether there is a card to draw."""
    if state[N_PILE] == 0:
        _shuffle_discards(state, tables, tape)
    return bool(state[N_PILE] > 0)


@lean
def _shuffle_discards(state: Ints, tables: Ints, tape: Ints) -> None:
    """Make the discards the draw pile, which is empty; what the pile may hold is then known to all."""
    n = count_cards(state[DISCARDS : DISCARDS + N_KINDS])
    if n == 0:
        return
    for kind in range(N_KINDS):
        state[DRAW_PILE + kind] += state[DISCARDS + kind]
        state[POOL + kind] = state[DISCARDS + kind]
        state[DISCARDS + kind] = 0
    state[N_PILE] = n
    state[N_SHUFFLES] += 1
    for seat in range(tables[N_SEATS]):
        state[OLD + seat] = _n_unknown(state, seat)
        for kind in range(N_KINDS):
            state[BLIND + seat * N_KINDS + kind] = 0
    write_event(tape, SHUFFLED + 128 * SHUFFLED_CARDS, 0)


@inlined
def _shuffle_if_at_once(state: Ints, tables: Ints, tape: Ints) -> None:
    if tables[SHUFFLE_AT_ONCE] and state[N_PILE] == 0:
        _shuffle_discards(state, tables, tape)


@lean
def draw_unseen(state: Ints, tables: Ints, tape: Ints, seat: int, code: int) -> None:
    """Give a seat the top card of the draw pile, which is not empty."""
    kind = next_card(state, tape, code)
    state[N_HAND + seat] += 1
    if kind != UNKNOWN_CARD:
        state[HAND + seat * N_KINDS + kind] += 1
        state[BLIND + seat * N_KINDS + kind] += 1
    _shuffle_if_at_once(state, tables, tape)


@inlined
def turn_over(state: Ints, tables: Ints, tape: Ints, code: int) -> int:
    """Turn over the top card of the draw pile, which is not empty; return its kind."""
    kind = next_card(state, tape, code)
    if kind != UNKNOWN_CARD:
        state[POOL + kind] -= 1
    _shuffle_if_at_once(state, tables, tape)
    return kind


# -- the market ---------------------------------------------------------------


@lean
def fill_slot(state: Ints, tables: Ints, tape: Ints, slot: int) -> None:
    """Put the top card into a market slot; it stays empty if there is none."""
    state[MARKET + slot] = EMPTY
    if make_drawable(state, tables, tape):
        state[MARKET + slot] = turn_over(state, tables, tape, MARKET_CARD + 128 * slot)


@lean
def fill_market(state: Ints, tables: Ints, tape: Ints) -> None:
    """Fill the empty slots in order; if there were any, replace the market as long as the rules say so."""
    if _fill_slots(state, tables, tape):
        reset_market(state, tables, tape)


@lean
def _fill_slots(state: Ints, tables: Ints, tape: Ints) -> bool:
    """Fill the empty slots in order; return whether there were any."""
    market = state[MARKET : MARKET + tables[MARKET_SIZE]]
    slot = next_empty_slot(market, 0)
    is_refill = slot < market.size
    while slot < market.size:
        fill_slot(state, tables, tape, slot)
        slot = next_empty_slot(market, slot + 1)
    return bool(is_refill)


@lean
def reset_market(state: Ints, tables: Ints, tape: Ints) -> None:
    """Replace all face-up cards as often as the rules say so after a refill."""
    n_resets = 0
    while _is_reset_due(state, tables, tape, n_resets):
        sweep_market(state[MARKET : MARKET + tables[MARKET_SIZE]], state[DISCARDS : DISCARDS + N_KINDS])
        state[ADDED_DISCARDS] = 1
        write_event(tape, SHUFFLED + 128 * SHUFFLED_MARKET, 0)
        _fill_slots(state, tables, tape)
        n_resets += 1


@lean
def _is_reset_due(state: Ints, tables: Ints, tape: Ints, n_resets: int) -> bool:
    if not has_too_many_locomotives(state[MARKET : MARKET + tables[MARKET_SIZE]], tables[RESET_AT]):
        return False  # as nearly always; then the piles need not be counted
    n_discarded = 0
    n_in_pile = 0
    for kind in range(N_COLORS):
        n_discarded += state[DISCARDS + kind]
        n_in_pile += state[DRAW_PILE + kind]
    is_due = _is_due_with(state, tables, n_discarded + min(n_in_pile, state[N_PILE]), n_resets)
    if is_due and is_scripted(tape):
        # Cards that a record does not know count as in the pile. Where they leave it open, the record decides.
        n_in_pile = max(0, state[N_PILE] - state[DRAW_PILE + LOCOMOTIVE_INDEX])
        if not _is_due_with(state, tables, n_discarded + n_in_pile, n_resets):
            return is_next(tape, MARKET_CARD)
    return is_due


@inlined
def _is_due_with(state: Ints, tables: Ints, n_colored_in_piles: int, n_resets: int) -> bool:
    """Return whether a reset is due if the piles hold so many colored cards."""
    return is_reset_due(
        state[MARKET : MARKET + tables[MARKET_SIZE]],
        n_colored_in_piles,
        n_resets,
        tables[RESET_AT],
        tables[MAX_RESETS],
        tables[RESET_NEEDS_FULL],
        tables[RESET_NEEDS_COLORED],
    )


@inlined
def may_take(state: Ints, tables: Ints, slot: int) -> bool:
    """Return whether the card in a slot may be taken now."""
    return may_take_face_up(
        state[MARKET + slot], state[N_TAKEN], has_cards(state), tables[LOCOMOTIVE_COST], tables[OPEN_WITHOUT_PILES]
    )


@lean
def can_draw(state: Ints, tables: Ints) -> bool:
    """Return whether a card can be drawn now, unseen or from the market."""
    if has_cards(state):
        return True
    for slot in range(tables[MARKET_SIZE]):
        if may_take(state, tables, slot):
            return True
    return False


@lean
def take_face_up(state: Ints, tables: Ints, tape: Ints, seat: int, slot: int) -> int:
    """Give a seat the card in a slot and fill the slot; return how many draws that cost."""
    kind = state[MARKET + slot]
    state[N_HAND + seat] += 1
    state[HAND + seat * N_KINDS + kind] += 1
    state[KNOWN + seat * N_KINDS + kind] += 1
    fill_slot(state, tables, tape, slot)
    reset_market(state, tables, tape)
    return int(draws_for_face_up(kind, tables[LOCOMOTIVE_COST]))


# -- hands --------------------------------------------------------------------


@inlined
def _n_unknown(state: Ints, seat: int) -> int:
    """Return how many cards of a seat the others do not know."""
    known = count_cards(state[KNOWN + seat * N_KINDS : KNOWN + (seat + 1) * N_KINDS])
    return int(state[N_HAND + seat] - known)


@lean
def play_cards(state: Ints, seat: int, cards: Ints) -> None:
    """
    Take cards out of a hand, for all to see.

    A card that was not known is off the pool if it must have come from the
    pile since the last shuffle; if it may be older, the pool keeps it.
    """
    n_played = 0
    for kind in range(N_KINDS):
        n = cards[kind]
        if n == 0:
            continue
        cell = seat * N_KINDS + kind
        state[HAND + cell] -= n
        unknown = max(0, n - state[KNOWN + cell])
        state[KNOWN + cell] -= n - unknown
        if state[OLD + seat] == 0:
            state[POOL + kind] -= unknown
            state[BLIND + cell] = max(0, state[BLIND + cell] - unknown)
        n_played += n
    state[N_HAND + seat] -= n_played
    state[OLD + seat] = min(state[OLD + seat], _n_unknown(state, seat))


@lean
def take_back(state: Ints, seat: int, cards: Ints) -> None:
    """Put cards that all have seen back into a hand."""
    for kind in range(N_KINDS):
        state[HAND + seat * N_KINDS + kind] += cards[kind]
        state[KNOWN + seat * N_KINDS + kind] += cards[kind]
        state[N_HAND + seat] += cards[kind]


@lean
def discard(state: Ints, tables: Ints, tape: Ints, cards: Ints) -> None:
    """Put cards on the discard pile."""
    for kind in range(N_KINDS):
        state[DISCARDS + kind] += cards[kind]
    state[ADDED_DISCARDS] = 1
    _shuffle_if_at_once(state, tables, tape)
