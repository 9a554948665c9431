"""Payments: the cards that are least missed, and the odds of a tunnel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.codes import pack_cards
from ttr_analysis.engine.layout import BLIND, DISCARDS, HAND, N_HAND, N_PILE, POOL
from ttr_analysis.policies.planner.memory import CARDS, IS_PLANNED, WANTED
from ttr_analysis.policies.planner.params import LOCOMOTIVE_PRICE, SPARE_PRICE, WANTED_PRICE, Floats
from ttr_analysis.rules.payment import (
    GRAY_INDEX,
    fewest_locomotives,
    fill_sets,
    most_locomotives,
    most_sets,
    sets_needed,
)
from ttr_analysis.rules.tunnel import claim_probability
from ttr_analysis.tables.games import COLOR, JOKERS, N_REVEALED, PLAIN, SWAP_ANY, SWAP_SIZE, SYMBOLS, TUNNEL

Ints = npt.NDArray[np.int64]


@lean
def price_cards(params: Floats, held: int, wanted: int, n: int) -> float:
    """Return the points that `n` of the cards held of a color are missed, when so many are wanted elsewhere."""
    n_wanted = min(n, max(0, n - max(0, held - wanted)))
    return float(n_wanted * params[WANTED_PRICE] + (n - n_wanted) * params[SPARE_PRICE])


@lean
def find_form(
    state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints, route: int
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
    own_want = tables[PLAIN + route] if memory[IS_PLANNED + route] else 0
    plain = tables[PLAIN + route]
    symbols = tables[SYMBOLS + route]
    jokers = tables[JOKERS + route]
    size = tables[SWAP_SIZE + route]
    swap_any = tables[SWAP_ANY + route]
    color = tables[COLOR + route]
    hand = state[HAND + seat * N_KINDS : HAND + (seat + 1) * N_KINDS]
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
            if own < 0 or state[N_HAND + seat] - own - n_locomotives < n_sets * size:
                continue
            wanted = memory[WANTED + c] - (own_want if color == c else 0)
            price = n_locomotives * params[LOCOMOTIVE_PRICE] + price_cards(params, hand[c], wanted, own)
            if n_sets > 0:
                price += _price_sets(params, memory, hand, c, own, n_sets * size)
            if best[0] < 0.0 or price < best[0]:
                best = (price, c, own, n_locomotives, n_sets)
    return best


@lean
def _price_sets(params: Floats, memory: Ints, hand: Ints, color: int, own: int, n: int) -> float:
    """Return the points that the cards of sets are missed: first those that nothing wants."""
    spare = 0
    for c in range(N_COLORS):
        spare += max(0, hand[c] - memory[WANTED + c] - (own if c == color else 0))
    n_spare = min(n, spare)
    return float(n_spare * params[SPARE_PRICE] + (n - n_spare) * params[WANTED_PRICE])


@lean
def cards_of_form(
    state: Ints, seat: int, memory: Ints, color: int, own: int, locomotives: int, n_set_cards: int
) -> int:
    """Return the cards of a form of payment, packed; those of sets are the ones that are least missed."""
    cards = memory[CARDS : CARDS + N_KINDS]
    for kind in range(N_KINDS):
        cards[kind] = 0
    if n_set_cards > 0:
        left = memory[CARDS + N_KINDS : CARDS + 2 * N_KINDS]
        rank = memory[CARDS + 2 * N_KINDS : CARDS + 3 * N_KINDS]
        for kind in range(N_KINDS):
            left[kind] = state[HAND + seat * N_KINDS + kind]
        left[color] -= own
        left[LOCOMOTIVE_INDEX] -= locomotives
        rank[LOCOMOTIVE_INDEX] = 1
        fill_sets(left, n_set_cards, rank, memory[WANTED : WANTED + N_KINDS], cards)
    cards[color] += own
    cards[LOCOMOTIVE_INDEX] += locomotives
    return pack_cards(cards)


@lean
def tunnel_odds(state: Ints, tables: Ints, seat: int, route: int, color: int, own: int, locomotives: int) -> float:
    """Return the probability that a seat can pay the surcharge of a tunnel; 1 for other routes."""
    if not tables[TUNNEL + route]:
        return 1.0
    hand = HAND + seat * N_KINDS
    spare = state[hand + LOCOMOTIVE_INDEX] - locomotives if tables[JOKERS + route] or own == 0 else 0
    matching = unseen_cards(state, seat, LOCOMOTIVE_INDEX)
    matching_discards = state[DISCARDS + LOCOMOTIVE_INDEX]
    if own > 0:
        spare += state[hand + color] - own
        matching += unseen_cards(state, seat, color)
        matching_discards += state[DISCARDS + color]
    unseen = 0
    n_discards = 0
    for kind in range(N_KINDS):
        unseen += unseen_cards(state, seat, kind)
        n_discards += state[DISCARDS + kind]
    n_pile = min(state[N_PILE], unseen)
    return claim_probability(spare, matching, unseen, n_pile, matching_discards, n_discards, tables[N_REVEALED])


@lean
def unseen_cards(state: Ints, seat: int, kind: int) -> int:
    """Return how many cards of a kind the draw pile may hold as far as a seat can know."""
    return int(max(0, state[POOL + kind] - state[BLIND + seat * N_KINDS + kind]))
