"""Simulated drawing of cards with a face-up market, by a stated greedy rule."""

from __future__ import annotations

import numpy as np

from ttr_analysis._jit import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.rules.market import is_reset_due, may_take_face_up
from ttr_analysis.rules.payment import GRAY_INDEX, Ints, can_pay, cards_missing

EMPTY = -1
"""An empty slot of the market."""


@compiled
def simulate_drawing(
    rng: np.random.Generator,
    hand: Ints,
    color: int,
    route: Ints,
    market: Ints,
    pool: Ints,
    draws_per_turn: int,
    market_rules: Ints,
    cards: Ints,
    turns: Ints,
) -> None:
    """
    Draw until the hand pays for a route, once for each place in `cards`.

    Parameters
    ----------
    rng
        Source of randomness.
    hand
        Cards held.
    color
        Color of the route.
    route
        Its facts: plain, symbols, jokers, swap_size, swap_any.
    market
        Kinds of the face-up cards; `EMPTY` for a slot that is dealt first.
    pool
        Cards of the draw pile.
    draws_per_turn
        Draws in a turn.
    market_rules
        Locomotive cost, reset_at, max_resets, reset_needs_colored.
    cards, turns
        Filled with the cards drawn and turns taken in each game; -1 where
        cards ran out first.
    """
    for i in range(cards.size):
        _draw_once(
            rng, hand.copy(), color, route, market.copy(), pool.copy(), draws_per_turn, market_rules, i, cards, turns
        )


@compiled
def _draw_once(
    rng: np.random.Generator,
    hand: Ints,
    color: int,
    route: Ints,
    market: Ints,
    pile: Ints,
    draws_per_turn: int,
    market_rules: Ints,
    i: int,
    cards: Ints,
    turns: Ints,
) -> None:
    discards = np.zeros(N_KINDS, dtype=np.int64)
    _refill(rng, market, pile, discards, market_rules)
    cards[i] = 0
    turns[i] = 0
    n_taken = draws_per_turn
    while not can_pay(hand, color, route[0], route[1], route[2], route[3], route[4]):
        if n_taken >= draws_per_turn:
            n_taken = 0
            turns[i] += 1
        slot = _choose(hand, color, route, market, pile, n_taken, market_rules[0])
        if slot == EMPTY and pile.sum() + discards.sum() == 0:
            slot = _any_slot(market, n_taken, market_rules[0])
            if slot == EMPTY:
                if n_taken > 0:
                    # A second card that cannot be had is skipped.
                    n_taken = draws_per_turn
                    continue
                cards[i] = -1
                turns[i] = -1
                return
        if slot == EMPTY:
            hand[_turn_up(rng, pile, discards)] += 1
            n_taken += 1
        else:
            kind = market[slot]
            hand[kind] += 1
            n_taken += market_rules[0] if kind == LOCOMOTIVE_INDEX else 1
            market[slot] = EMPTY
            _refill(rng, market, pile, discards, market_rules)
        cards[i] += 1


@compiled
def _choose(hand: Ints, color: int, route: Ints, market: Ints, pile: Ints, n_taken: int, locomotive_cost: int) -> int:
    """Return the slot to take, or `EMPTY` for a blind card."""
    target = _target(hand, color, route, market, pile)
    locomotives = hand[LOCOMOTIVE_INDEX]
    n = hand.sum()
    missing = _missing(route, hand[target], locomotives, n)
    # Where any card helps, as one of a set, a face-up one is worth no more than a blind one.
    with_any = _missing(route, hand[target], locomotives, n + 1)
    if _missing(route, hand[target] + 1, locomotives, n + 1) < missing:
        for slot in range(market.size):
            if market[slot] == target:
                return slot
    if _missing(route, hand[target], locomotives + 1, n + 1) < with_any:
        for slot in range(market.size):
            if market[slot] == LOCOMOTIVE_INDEX and may_take_face_up(1, n_taken, locomotive_cost):
                return slot
    return EMPTY


@compiled
def _missing(route: Ints, own: int, locomotives: int, n_cards: int) -> int:
    return cards_missing(route[0], route[1], route[2], route[3], route[4], own, locomotives, n_cards)


@compiled
def _target(hand: Ints, color: int, route: Ints, market: Ints, pile: Ints) -> int:
    """Return the color with the fewest cards missing; of several the one with the most in pile and market."""
    if color != GRAY_INDEX:
        return color
    best = 0
    fewest = 0
    most = 0
    for c in range(N_COLORS):
        missing = _missing(route, hand[c], hand[LOCOMOTIVE_INDEX], hand.sum())
        around = pile[c]
        for slot in range(market.size):
            around += market[slot] == c
        if c == 0 or missing < fewest or (missing == fewest and around > most):
            best = c
            fewest = missing
            most = around
    return best


@compiled
def _any_slot(market: Ints, n_taken: int, locomotive_cost: int) -> int:
    """Return a slot that may be taken when there is nothing to draw, colored cards first; `EMPTY` if none."""
    for slot in range(market.size):
        if market[slot] not in (EMPTY, LOCOMOTIVE_INDEX):
            return slot
    for slot in range(market.size):
        if market[slot] == LOCOMOTIVE_INDEX and may_take_face_up(1, n_taken, locomotive_cost):
            return slot
    return EMPTY


@compiled
def _refill(rng: np.random.Generator, market: Ints, pile: Ints, discards: Ints, market_rules: Ints) -> None:
    """Fill the empty slots, and replace all cards as often as the rules demand."""
    for n_resets in range(market_rules[2] + 1):
        n_open = 0
        n_locomotives = 0
        for slot in range(market.size):
            if market[slot] == EMPTY and pile.sum() + discards.sum() > 0:
                market[slot] = _turn_up(rng, pile, discards)
            n_open += market[slot] != EMPTY
            n_locomotives += market[slot] == LOCOMOTIVE_INDEX
        n_colored = n_open - n_locomotives + pile[:N_COLORS].sum() + discards[:N_COLORS].sum()
        if not is_reset_due(n_open, n_locomotives, n_colored, market.size, market_rules[1], market_rules[3]):
            return
        if n_resets < market_rules[2]:
            for slot in range(market.size):
                discards[market[slot]] += 1
                market[slot] = EMPTY


@compiled
def _turn_up(rng: np.random.Generator, pile: Ints, discards: Ints) -> int:
    """Return the kind of the top card, shuffling the discards first if the pile is empty."""
    if pile.sum() == 0:
        pile += discards
        discards[:] = 0
    return draw_card(pile, rng.random())


@compiled
def draw_card(pile: Ints, u: float) -> int:
    """
    Remove a random card from a pile and return its kind.

    Parameters
    ----------
    pile
        Cards of the pile, not none.
    u
        A uniform random number from 0 to below 1.
    """
    rest = int(u * pile.sum())
    for kind in range(N_KINDS):
        rest -= pile[kind]
        if rest < 0:
            pile[kind] -= 1
            return kind
    return -1
