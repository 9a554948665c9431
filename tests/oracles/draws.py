"""Waiting for cards by drawing a pool in every order. Slow, and obviously right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

from tests.oracles.payment import Counts, each_kind, fewest_more, payable
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.maps.model import Route


def enumerate_draws(pool: Counts, hand: Counts, enough: Callable[[Counts], bool]) -> dict[int, Fraction]:
    """Return the odds of each number of cards drawn until a hand is enough; -1 for never."""
    counts: Counter[int] = Counter()
    orders = list(permutations(each_kind(pool)))
    known: dict[Counts, bool] = {}
    for order in orders:
        held = list(hand)
        n = 0
        while True:
            key = tuple(held)
            if key not in known:
                known[key] = enough(key)
            if known[key] or n == len(order):
                counts[n if known[key] else -1] += 1
                break
            held[order[n]] += 1
            n += 1
    return {n: Fraction(count, len(orders)) for n, count in counts.items()}


def enumerate_market(
    route: Route, hand: Counts, pool: Counts, size: int, cost: int, reset_at: int, draws_per_turn: int
) -> dict[tuple[int, int], Fraction]:
    """
    Return the odds of each number of cards and turns of the greedy rule.

    The route is of one color. The market is dealt from the pool; at most one
    reset follows a refill, and there is no reshuffle: choose pools that do
    not need it.
    """
    color = ["purple", "blue", "orange", "white", "green", "yellow", "black", "red"].index(route.color)
    counts: Counter[tuple[int, int]] = Counter()
    orders = list(permutations(each_kind(pool)))
    for order in orders:
        counts[_greedy(route, color, hand, list(order), size, cost, reset_at, draws_per_turn)] += 1
    return {result: Fraction(count, len(orders)) for result, count in counts.items()}


def _greedy(
    route: Route, color: int, hand: Counts, pile: list[int], size: int, cost: int, reset_at: int, draws_per_turn: int
) -> tuple[int, int]:
    held = list(hand)
    market = _refilled([], pile, size, reset_at)
    n_cards = n_turns = 0
    while not payable(route, tuple(held)):
        n_turns += 1
        taken = 0
        while taken < draws_per_turn and not payable(route, tuple(held)):
            missing = fewest_more(route, tuple(held), route.length)

            def helps(kind: int, missing: int | None = missing) -> bool:
                more = tuple(n + (k == kind) for k, n in enumerate(held))
                return fewest_more(route, more, route.length) != missing

            card = None
            if color in market and helps(color):
                card = color
            elif LOCOMOTIVE_INDEX in market and helps(LOCOMOTIVE_INDEX) and (cost == 1 or taken == 0):
                card = LOCOMOTIVE_INDEX
            if card is not None:
                market.remove(card)
                taken += cost if card == LOCOMOTIVE_INDEX else 1
                held[card] += 1
                n_cards += 1
                market = _refilled(market, pile, size, reset_at)
            elif pile:
                held[pile.pop(0)] += 1
                taken += 1
                n_cards += 1
            else:
                return -1, -1
    return n_cards, n_turns


def _refilled(market: list[int], pile: list[int], size: int, reset_at: int) -> list[int]:
    market = list(market)
    for attempt in range(2):
        while len(market) < size and pile:
            market.append(pile.pop(0))
        due = reset_at and market.count(LOCOMOTIVE_INDEX) >= reset_at and len(market) == size
        colored = sum(kind < N_COLORS for kind in (*market, *pile))
        if not due or colored < 1 or attempt == 1:
            break
        market = []
    return market
