"""Payments: the cards that are least missed, and the odds of a tunnel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.codes import pack_cards
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.planner.memory import Memory
from ttr_analysis.policies.planner.params import Params
from ttr_analysis.rules.payment import (
    GRAY_INDEX,
    fewest_locomotives,
    fill_sets,
    most_locomotives,
    most_sets,
    sets_needed,
)
from ttr_analysis.rules.tunnel import claim_probability
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def price_cards(params: Params, held: int, wanted: int, n: int) -> float:
    """Return the points that `n` of the cards held of a color are missed, when so many are wanted elsewhere."""
    n_wanted = min(n, max(0, n - max(0, held - wanted)))
    return float(n_wanted * params.wanted_price + (n - n_wanted) * params.spare_price)


@compiled
def find_form(
    state: State, tables: Tables, seat: int, params: Params, memory: Memory, route: int
) -> tuple[float, int, int, int, int]:
    """
    Return the form of payment for a route whose cards are missed least.

    Returns
    -------
    price
        Points that the cards are missed; below 0 if the hand does not pay.
    color, own, locomotives, n_sets
        Color, cards of it, locomotives, and sets for the other spaces.
    """
    own_want = tables.plain[route] if memory.is_planned[route] else 0
    plain = tables.plain[route]
    symbols = tables.symbols[route]
    jokers = tables.jokers[route]
    size = tables.swap_size[route]
    swap_any = tables.swap_any[route]
    color = tables.color[route]
    hand = state.hand[seat]
    locomotives = hand[LOCOMOTIVE_INDEX]
    best = (-1.0, 0, 0, 0, 0)
    for c in range(N_COLORS):
        if color not in (GRAY_INDEX, c):
            continue
        held = min(hand[c], plain)
        fewest = sets_needed(plain, symbols, jokers, size, swap_any, held, locomotives)
        if fewest < 0:
            continue
        most = min(fewest + 1, most_sets(plain, symbols, size, swap_any))
        for n_sets in range(fewest, max(fewest, most) + 1):
            n_locomotives = max(fewest_locomotives(symbols, n_sets), plain + symbols - n_sets - held)
            if n_locomotives > min(locomotives, most_locomotives(plain, symbols, jokers, swap_any, n_sets)):
                continue
            own = plain + symbols - n_sets - n_locomotives
            if own < 0 or state.n_hand[seat] - own - n_locomotives < n_sets * size:
                continue
            wanted = memory.wanted[c] - (own_want if color == c else 0)
            price = n_locomotives * params.locomotive_price + price_cards(params, hand[c], wanted, own)
            if n_sets > 0:
                price += _price_sets(params, memory, hand, c, own, n_sets * size)
            if best[0] < 0.0 or price < best[0]:
                best = (price, c, own, n_locomotives, n_sets)
    return best


@compiled
def _price_sets(params: Params, memory: Memory, hand: Ints, color: int, own: int, n: int) -> float:
    """Return the points that the cards of sets are missed: first those that nothing wants."""
    spare = 0
    for c in range(N_COLORS):
        spare += max(0, hand[c] - memory.wanted[c] - (own if c == color else 0))
    n_spare = min(n, spare)
    return float(n_spare * params.spare_price + (n - n_spare) * params.wanted_price)


@compiled
def cards_of_form(
    state: State, seat: int, memory: Memory, color: int, own: int, locomotives: int, n_set_cards: int
) -> int:
    """Return the cards of a form of payment, packed; those of sets are the ones that are least missed."""
    cards = memory.cards[:N_KINDS]
    for kind in range(N_KINDS):
        cards[kind] = 0
    if n_set_cards > 0:
        left = memory.cards[N_KINDS : 2 * N_KINDS]
        rank = memory.cards[2 * N_KINDS : 3 * N_KINDS]
        for kind in range(N_KINDS):
            left[kind] = state.hand[seat, kind]
        left[color] -= own
        left[LOCOMOTIVE_INDEX] -= locomotives
        rank[LOCOMOTIVE_INDEX] = 1
        fill_sets(left, n_set_cards, rank, memory.wanted, cards)
    cards[color] += own
    cards[LOCOMOTIVE_INDEX] += locomotives
    return pack_cards(cards)


@compiled
def tunnel_odds(state: State, tables: Tables, seat: int, route: int, color: int, own: int, locomotives: int) -> float:
    """Return the probability that a seat can pay the surcharge of a tunnel; 1 for other routes."""
    if not tables.tunnel[route]:
        return 1.0
    hand = state.hand[seat]
    spare = hand[LOCOMOTIVE_INDEX] - locomotives if tables.jokers[route] or own == 0 else 0
    matching = unseen_cards(state, seat, LOCOMOTIVE_INDEX)
    matching_discards = state.discards[LOCOMOTIVE_INDEX]
    if own > 0:
        spare += hand[color] - own
        matching += unseen_cards(state, seat, color)
        matching_discards += state.discards[color]
    unseen = 0
    n_discards = 0
    for kind in range(N_KINDS):
        unseen += unseen_cards(state, seat, kind)
        n_discards += state.discards[kind]
    n_pile = min(state.n_pile, unseen)
    return claim_probability(spare, matching, unseen, n_pile, matching_discards, n_discards, tables.n_revealed)


@compiled
def unseen_cards(state: State, seat: int, kind: int) -> int:
    """Return how many cards of a kind the draw pile may hold as far as a seat can know."""
    return int(max(0, state.pool[kind] - state.blind[seat, kind]))
