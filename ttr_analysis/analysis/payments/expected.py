"""How many cards a hand must draw to pay for a route."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import comb, prod
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.analysis.payments.model import Cards, as_array, color_index, colors_of
from ttr_analysis.analysis.waiting import WaitingTime, check_samples, coefficients_of, ways_to_draw
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.market import (
    EMPTY,
    FaceUpRules,
    count_cards,
    draws_for_face_up,
    may_take_face_up,
    refill,
    turn_up,
)
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, can_pay, cards_missing
from ttr_analysis.rules.ruleset import RuleSet
from ttr_analysis.tables import face_up_rules_of, spaces_of

BASE_RULES = RuleSet("base game")
"""The default rules."""


def expected_draws(
    route: Route,
    hand: Cards = (),
    *,
    rules: RulesLike = BASE_RULES,
    pool: Cards | None = None,
    spare: int = 0,
) -> WaitingTime:
    """
    Return the exact distribution of the number of blind draws until a hand pays for a route.

    Parameters
    ----------
    rules
        Map or rule set: its deck and its draws per turn.
    pool
        Cards that the pile may hold; by default the deck without the hand.
    spare
        Extra cards beyond the length, as for a surcharge: of the same color, or
        locomotives where they are wild.

    Raises
    ------
    ValueError
        If `spare` is below 0, or the deck lacks cards of the hand and no pool is given.

    Notes
    -----
    Each card drawn is equally likely to be any card of the pool, whatever others draw
    unseen; discards are never reshuffled. A gray route is paid in the first color that pays.
    Unlike in `simulate_draws`, nobody takes face-up cards, so the two differ by more
    than chance unless `market=False`.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride". FDG 2020.

    Examples
    --------
    Five blue cards from a fresh deck, with wild locomotives (5 x 111/27, see
    [1]_), and Lieksa-Murmansk with four green cards in hand:

    >>> usa, nordic = ttr.load_map("usa"), ttr.load_map("nordic")
    >>> print(expected_draws(usa.route("Miami", "Atlanta"), rules=usa.rules).expected_cards)
    20.5556 (exact)
    >>> print(expected_draws(nordic.route("Murmansk", "Lieksa"), {"green": 4}, rules=nordic.rules).expected_cards)
    16.3445 (exact)
    """
    rules = as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    unpaid = unpaid_odds(spaces_of(_longer(route, spare)), colors_of(route), hand, pool)
    return WaitingTime.from_unpaid(unpaid, rules.cards.draws_per_turn)


def simulate_draws(
    route: Route,
    hand: Cards = (),
    *,
    rng: np.random.Generator,
    rules: RulesLike = BASE_RULES,
    pool: Cards | None = None,
    face_up: Cards | None = None,
    market: bool = True,
    spare: int = 0,
    n: int = 10_000,
) -> WaitingTime:
    """
    Simulate the number of draws until a hand pays for a route, with or without a market.

    Parameters
    ----------
    route, hand, rules, spare
        As for `expected_draws`.
    pool
        Cards in the draw pile; by default the deck without hand and market.
    face_up
        Face-up cards at the start; the pool fills the remaining slots. A full
        market does not change until a card is taken.
    market
        If False, all cards are drawn blind, as in `expected_draws`; face-up cards
        only show what is not in the pool.

    Returns
    -------
    waiting
        Distribution, means and standard errors. A face-up locomotive counts as
        one card, whatever it costs in draws.

    Raises
    ------
    ValueError
        If `n` is below 1, or more cards are face up than the rules allow.

    Notes
    -----
    The player is greedy. The target is the color with the fewest cards missing; ties go
    to the one with the most cards in pile and market. The player takes a face-up card
    of that color if it helps; else a face-up locomotive, if it helps more than an
    arbitrary card and the rules allow it (only as the first card where it costs two
    draws); else a blind card. Nobody else draws.

    Examples
    --------
    The market saves turns; without it, the result agrees with `expected_draws`:

    >>> usa = ttr.load_map("usa")
    >>> route = usa.route("Miami", "Atlanta")
    >>> rng = np.random.default_rng(1)
    >>> print(simulate_draws(route, {"blue": 2}, rng=rng, rules=usa).expected_turns)
    4.8794 ± 0.0266 (standard error, 10,000 samples)
    >>> print(simulate_draws(route, {"blue": 2}, rng=rng, rules=usa, market=False).expected_turns)
    6.7883 ± 0.0303 (standard error, 10,000 samples)
    >>> print(expected_draws(route, {"blue": 2}, rules=usa).expected_turns)
    6.7904 (exact)
    """
    check_samples(n)
    open_cards = CardCounts.coerce(face_up if face_up is not None else ())
    rules = as_rules(rules)
    size = rules.market.size
    if open_cards.n_cards > size:
        raise ValueError(f"at most {size} cards can be face up, got {open_cards}")
    hand, pool = hand_and_pool(hand, pool, rules, open_cards)
    kinds = [i for i, _ in enumerate(CARD_KINDS) for _ in range(open_cards.counts[i])]
    slots = kinds + [EMPTY] * (size - len(kinds)) if market else []
    cards = np.empty(n, dtype=np.int64)
    turns = np.empty(n, dtype=np.int64)
    start = _Drawing(
        color_index(route),
        spaces_of(_longer(route, spare)),
        as_array(hand),
        np.array(slots, dtype=np.int64),
        as_array(pool),
        rules.cards.draws_per_turn,
        face_up_rules_of(rules),
    )
    _simulate(stream_from(rng), start, cards, turns)
    return WaitingTime.from_samples(cards.tolist(), turns.tolist())


def hand_and_pool(
    hand: Cards, pool: Cards | None, rules: RuleSet, seen: CardCounts | None = None
) -> tuple[CardCounts, CardCounts]:
    """Return hand and pool; by default the pool is the deck without the hand and other cards seen."""
    hand = CardCounts.coerce(hand)
    if pool is None:
        return hand, rules.deck - hand - (seen or CardCounts())
    return hand, CardCounts.coerce(pool)


def pile_size(n_pile: int | None, pool: CardCounts) -> int:
    """Return the checked number of cards in the pile; by default the whole pool."""
    if n_pile is None:
        return pool.n_cards
    if not 0 <= n_pile <= pool.n_cards:
        raise ValueError(f"n_pile must be from 0 to {pool.n_cards}, the cards of the pool, got {n_pile}")
    return n_pile


def _longer(route: Route, spare: int) -> Route:
    if spare < 0:
        raise ValueError(f"spare must be 0 or more, got {spare}")
    return replace(route, length=route.length + spare) if spare else route


# -- exact odds that a hand pays for a route after some blind draws ------------------------------------------------
#
# Cards drawn blind are a random choice from a known pool. Whether a hand pays for a
# route depends only on its locomotives, its total number of cards and the most cards
# it has of one color, so all choices can be counted exactly, color by color.

_NEVER = 1_000_000


def unpaid_odds(spaces: Spaces, colors: Collection[int], hand: CardCounts, pool: CardCounts) -> list[Fraction]:
    """Return the probability that a hand cannot pay after 0, 1, ... draws, up to the whole pool."""
    n_pool, n_locomotives = pool.n_cards, pool.locomotives
    ways_by_need: dict[int, list[int]] = {}
    unpaid = []
    for n in range(n_pool + 1):
        ways = 0
        for b in range(min(n_locomotives, n) + 1):
            need = _own_needed(spaces, hand.locomotives + b, hand.n_cards + n)
            if need not in ways_by_need:
                # Of each color that may pay, fewer cards than would be enough; of the others, any.
                most = [need - 1 - hand.counts[c] if c in colors else pool.counts[c] for c in range(N_COLORS)]
                packed = prod(ways_to_draw(pool.counts[c], most[c]) for c in range(N_COLORS))
                ways_by_need[need] = list(coefficients_of(packed, n_pool + 1))
            ways += comb(n_locomotives, b) * ways_by_need[need][n - b]
        unpaid.append(Fraction(ways, comb(n_pool, n)))
    return unpaid


@lru_cache(maxsize=1 << 16)  # many routes of a map have equal spaces
def _own_needed(spaces: Spaces, locomotives: int, n_cards: int) -> int:
    """Return the fewest cards of a color with which a hand pays, `_NEVER` if it never does."""
    for own in range(spaces.plain + 1):
        if rule.can_pay_with(spaces, own, locomotives, n_cards):
            return own
    return _NEVER


# -- simulated drawing of cards with a face-up market --------------------------------------------------------------

_NO_SLOT: Final = -1


class _Drawing(NamedTuple):
    """A player who draws cards for a route."""

    color: int
    spaces: Spaces
    hand: Ints
    market: Ints
    pile: Ints
    draws: int
    rules: FaceUpRules


@compiled
def _simulate(stream: Ints, start: _Drawing, cards: Ints, turns: Ints) -> None:
    """Draw until the hand pays, once for each cell of `cards` and `turns`; -1 where cards run out."""
    for i in range(cards.size):
        hand, market, pile = start.hand.copy(), start.market.copy(), start.pile.copy()
        game = _Drawing(start.color, start.spaces, hand, market, pile, start.draws, start.rules)
        cards[i], turns[i] = _draw_once(stream, game)


@compiled
def _draw_once(stream: Ints, game: _Drawing) -> tuple[int, int]:
    """Return the cards drawn and turns taken until the hand pays; -1 for both if cards run out."""
    hand, market, pile, rules = game.hand, game.market, game.pile, game.rules
    discards = np.zeros(N_KINDS, dtype=np.int64)
    refill(stream, market, pile, discards, rules)
    n_cards = turns = 0
    n_taken = game.draws
    while not can_pay(hand, game.color, game.spaces):
        if n_taken >= game.draws:
            n_taken = 0
            turns += 1
        has_piles = count_cards(pile) + count_cards(discards) > 0
        slot = _choose(game, n_taken, has_piles)
        if slot == _NO_SLOT and not has_piles:
            slot = _any_slot(market, n_taken, has_piles, rules)
            if slot == _NO_SLOT:
                if n_taken > 0:
                    # The player skips a second card that cannot be drawn.
                    n_taken = game.draws
                    continue
                return -1, -1
        if slot == _NO_SLOT:
            hand[turn_up(stream, pile, discards)] += 1
            n_taken += 1
        else:
            kind = market[slot]
            hand[kind] += 1
            n_taken += draws_for_face_up(kind, rules.locomotive_cost)
            market[slot] = EMPTY
            refill(stream, market, pile, discards, rules)
        n_cards += 1
    return n_cards, turns


@compiled
def _choose(game: _Drawing, n_taken: int, has_piles: bool) -> int:
    """Return the slot to take, or `_NO_SLOT` for a blind card."""
    hand, market, spaces, rules = game.hand, game.market, game.spaces, game.rules
    target = _target(game)
    locomotives = hand[LOCOMOTIVE_INDEX]
    n = count_cards(hand)
    missing = cards_missing(spaces, hand[target], locomotives, n)
    # If any card would help as part of a set, a locomotive must help more than that.
    with_any = cards_missing(spaces, hand[target], locomotives, n + 1)
    if cards_missing(spaces, hand[target] + 1, locomotives, n + 1) < missing:
        slot = _slot_with(market, target, n_taken, has_piles, rules)
        if slot != _NO_SLOT:
            return slot
    if cards_missing(spaces, hand[target], locomotives + 1, n + 1) < with_any:
        return _slot_with(market, LOCOMOTIVE_INDEX, n_taken, has_piles, rules)
    return _NO_SLOT


@compiled
def _slot_with(market: Ints, kind: int, n_taken: int, has_piles: bool, rules: FaceUpRules) -> int:
    """Return the first slot with a card of this kind that may be taken now; `_NO_SLOT` if none."""
    if not may_take_face_up(kind, n_taken, has_piles, rules):
        return _NO_SLOT
    for slot in range(market.size):
        if market[slot] == kind:
            return slot
    return _NO_SLOT


@compiled
def _any_slot(market: Ints, n_taken: int, has_piles: bool, rules: FaceUpRules) -> int:
    """Return a slot whose card may be taken now, preferring colored cards; `_NO_SLOT` if none."""
    found = _NO_SLOT
    for slot in range(market.size):
        kind = market[slot]
        if may_take_face_up(kind, n_taken, has_piles, rules):
            if kind != LOCOMOTIVE_INDEX:
                return slot
            if found == _NO_SLOT:
                found = slot
    return found


@compiled
def _target(game: _Drawing) -> int:
    """Return the color with the fewest cards missing; on a tie, the one with the most in pile and market."""
    if game.color != GRAY_INDEX:
        return game.color
    hand = game.hand
    best = 0
    fewest = 0
    most = 0
    n = count_cards(hand)
    for c in range(N_COLORS):
        missing = cards_missing(game.spaces, hand[c], hand[LOCOMOTIVE_INDEX], n)
        around = game.pile[c]
        for slot in range(game.market.size):
            around += game.market[slot] == c
        if c == 0 or missing < fewest or (missing == fewest and around > most):
            best = c
            fewest = missing
            most = around
    return best
