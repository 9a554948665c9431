"""Simulated drawing of cards with a face-up market, by a stated greedy rule."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import add_cards, count_cards, count_colored, draw_card
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.rules.market import (
    EMPTY,
    draws_for_face_up,
    is_reset_due,
    may_take_face_up,
    next_empty_slot,
    sweep_market,
)
from ttr_analysis.rules.payment import GRAY_INDEX, Ints, can_pay, cards_missing

_NO_SLOT: Final = -1


class DrawingRules(NamedTuple):
    """
    What a rule set says about drawing, in numbers.

    Parameters
    ----------
    draws_per_turn
        Field of its `cards`.
    locomotive_cost, reset_at, max_resets, reset_needs_full, reset_needs_colored, open_without_piles
        Fields of its `market`.
    """

    draws_per_turn: int
    locomotive_cost: int
    reset_at: int
    max_resets: int
    reset_needs_full: int
    reset_needs_colored: int
    open_without_piles: int


@compiled
def simulate_drawing(
    stream: Ints,
    hand: Ints,
    color: int,
    route: Ints,
    market: Ints,
    pool: Ints,
    rules: DrawingRules,
    cards: Ints,
    turns: Ints,
) -> None:
    """
    Draw until the hand pays for a route, once for each place in `cards`.

    Parameters
    ----------
    stream
        Random stream, as in `ttr_analysis.rules.chance`; moved on.
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
    rules
        The rules of drawing.
    cards, turns
        Filled with the cards drawn and turns taken in each game; -1 where
        cards ran out first.
    """
    for i in range(cards.size):
        _draw_once(stream, hand.copy(), color, route, market.copy(), pool.copy(), rules, i, cards, turns)


@compiled
def _draw_once(
    stream: Ints,
    hand: Ints,
    color: int,
    route: Ints,
    market: Ints,
    pile: Ints,
    rules: DrawingRules,
    i: int,
    cards: Ints,
    turns: Ints,
) -> None:
    discards = np.zeros(N_KINDS, dtype=np.int64)
    refill(stream, market, pile, discards, rules)
    cards[i] = 0
    turns[i] = 0
    n_taken = rules.draws_per_turn
    while not can_pay(hand, color, route[0], route[1], route[2], route[3], route[4]):
        if n_taken >= rules.draws_per_turn:
            n_taken = 0
            turns[i] += 1
        has_piles = count_cards(pile) + count_cards(discards) > 0
        slot = _choose(hand, color, route, market, pile, n_taken, has_piles, rules)
        if slot == _NO_SLOT and not has_piles:
            slot = _any_slot(market, n_taken, has_piles, rules)
            if slot == _NO_SLOT:
                if n_taken > 0:
                    # A second card that cannot be had is skipped.
                    n_taken = rules.draws_per_turn
                    continue
                cards[i] = -1
                turns[i] = -1
                return
        if slot == _NO_SLOT:
            hand[_turn_up(stream, pile, discards)] += 1
            n_taken += 1
        else:
            kind = market[slot]
            hand[kind] += 1
            n_taken += draws_for_face_up(kind, rules.locomotive_cost)
            market[slot] = EMPTY
            refill(stream, market, pile, discards, rules)
        cards[i] += 1


@compiled
def _choose(
    hand: Ints,
    color: int,
    route: Ints,
    market: Ints,
    pile: Ints,
    n_taken: int,
    has_piles: bool,
    rules: DrawingRules,
) -> int:
    """Return the slot to take, or `_NO_SLOT` for a blind card."""
    target = _target(hand, color, route, market, pile)
    locomotives = hand[LOCOMOTIVE_INDEX]
    n = count_cards(hand)
    missing = _missing(route, hand[target], locomotives, n)
    # Where any card helps, as one of a set, a face-up one is worth no more than a blind one.
    with_any = _missing(route, hand[target], locomotives, n + 1)
    if _missing(route, hand[target] + 1, locomotives, n + 1) < missing:
        slot = _slot_with(market, target, n_taken, has_piles, rules)
        if slot != _NO_SLOT:
            return slot
    if _missing(route, hand[target], locomotives + 1, n + 1) < with_any:
        return _slot_with(market, LOCOMOTIVE_INDEX, n_taken, has_piles, rules)
    return _NO_SLOT


@compiled
def _slot_with(market: Ints, kind: int, n_taken: int, has_piles: bool, rules: DrawingRules) -> int:
    """Return the first slot with a card of this kind that may be taken now; `_NO_SLOT` if none."""
    if not may_take_face_up(kind, n_taken, has_piles, rules.locomotive_cost, rules.open_without_piles):
        return _NO_SLOT
    for slot in range(market.size):
        if market[slot] == kind:
            return slot
    return _NO_SLOT


@compiled
def _any_slot(market: Ints, n_taken: int, has_piles: bool, rules: DrawingRules) -> int:
    """Return a slot whose card may be taken now, colored ones first; `_NO_SLOT` if none."""
    found = _NO_SLOT
    for slot in range(market.size):
        kind = market[slot]
        if may_take_face_up(kind, n_taken, has_piles, rules.locomotive_cost, rules.open_without_piles):
            if kind != LOCOMOTIVE_INDEX:
                return slot
            if found == _NO_SLOT:
                found = slot
    return found


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
    n = count_cards(hand)
    for c in range(N_COLORS):
        missing = _missing(route, hand[c], hand[LOCOMOTIVE_INDEX], n)
        around = pile[c]
        for slot in range(market.size):
            around += market[slot] == c
        if c == 0 or missing < fewest or (missing == fewest and around > most):
            best = c
            fewest = missing
            most = around
    return best


@compiled
def refill(stream: Ints, market: Ints, pile: Ints, discards: Ints, rules: DrawingRules) -> int:
    """
    Fill the empty slots; if there were any, replace all cards as often as the rules demand.

    Parameters
    ----------
    stream
        Random stream; moved on.
    market
        Kinds of the face-up cards; `EMPTY` for an empty slot.
    pile, discards
        Cards of both piles.
    rules
        The rules of drawing.

    Returns
    -------
    n_resets
        How often all cards were replaced.
    """
    if next_empty_slot(market, 0) == market.size:
        return 0
    _fill_slots(stream, market, pile, discards)
    n_resets = 0
    while is_reset_due(
        market,
        count_colored(pile) + count_colored(discards),
        n_resets,
        rules.reset_at,
        rules.max_resets,
        rules.reset_needs_full,
        rules.reset_needs_colored,
    ):
        sweep_market(market, discards)
        _fill_slots(stream, market, pile, discards)
        n_resets += 1
    return n_resets


@compiled
def _fill_slots(stream: Ints, market: Ints, pile: Ints, discards: Ints) -> None:
    """Fill the empty slots in order, as long as there are cards."""
    n_cards = count_cards(pile) + count_cards(discards)
    slot = next_empty_slot(market, 0)
    while slot < market.size and n_cards > 0:
        market[slot] = _turn_up(stream, pile, discards)
        n_cards -= 1
        slot = next_empty_slot(market, slot + 1)


@compiled
def _turn_up(stream: Ints, pile: Ints, discards: Ints) -> int:
    """Return the kind of the top card, shuffling the discards first if the pile is empty."""
    if count_cards(pile) == 0:
        add_cards(discards, pile)
        discards.fill(0)
    return draw_card(pile, stream)
