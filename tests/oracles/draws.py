"""Waiting for cards by drawing a pool in every order. Slow, and obviously right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

from tests.oracles.payment import Counts, each_kind, fewest_more, payable
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.ruleset import MarketRules


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
    route: Route, hand: Counts, pool: Counts, rules: MarketRules, draws_per_turn: int
) -> dict[tuple[int, int], Fraction]:
    """
    Return the odds of each number of cards and turns of the greedy rule.

    The route is of one color. The market is dealt from the pool, and there is
    no reshuffle: choose pools that do not need it, and rules that replace
    locomotives only, for colored cards of the discards are not counted.
    """
    color = ["purple", "blue", "orange", "white", "green", "yellow", "black", "red"].index(route.color)
    counts: Counter[tuple[int, int]] = Counter()
    orders = list(permutations(each_kind(pool)))
    for order in orders:
        counts[_greedy(route, color, hand, list(order), rules, draws_per_turn)] += 1
    return {result: Fraction(count, len(orders)) for result, count in counts.items()}


def _greedy(
    route: Route, color: int, hand: Counts, pile: list[int], rules: MarketRules, draws_per_turn: int
) -> tuple[int, int]:
    held = list(hand)
    cost = rules.locomotive_cost
    market = _refilled([], pile, rules)
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
                market = _refilled(market, pile, rules)
            elif pile:
                held[pile.pop(0)] += 1
                taken += 1
                n_cards += 1
            else:
                return -1, -1
    return n_cards, n_turns


def _refilled(market: list[int], pile: list[int], rules: MarketRules) -> list[int]:
    market = list(market)
    for n_resets in range(rules.max_resets + 1):
        while len(market) < rules.size and pile:
            market.append(pile.pop(0))
        due = rules.reset_at and market.count(LOCOMOTIVE_INDEX) >= rules.reset_at and len(market) == rules.size
        colored = sum(kind < N_COLORS for kind in (*market, *pile))
        if not due or colored < rules.reset_needs_colored or n_resets == rules.max_resets:
            break
        market = []
    return market
