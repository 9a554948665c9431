"""
Exact odds that a hand pays for a route after some blind draws.

Cards drawn blind are a random choice from a known pool. Whether a hand pays
for one route depends on few numbers: the locomotives, the number of all cards,
and whether some color has enough. So all choices can be counted, color by
color, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

from ttr_analysis.analysis.payments.model import RouteFacts
from ttr_analysis.cards import N_COLORS, CardCounts
from ttr_analysis.rules import payment as rule

_NEVER = 1_000_000


def unpaid_odds(facts: RouteFacts, colors: Sequence[int], hand: CardCounts, pool: CardCounts) -> list[Fraction]:
    """
    Return the probability that a hand does not pay yet, by the cards drawn.

    Parameters
    ----------
    facts
        The route.
    colors
        The colors that may pay for it.
    hand
        Cards held at the start.
    pool
        Cards of which those drawn are a random choice.

    Returns
    -------
    unpaid
        `unpaid[n]` after `n` cards, for 0 to all of the pool. Exact.

    Notes
    -----
    For each number of locomotives drawn, the fewest cards of one color that
    would pay are found; the choices in which every color stays below are
    counted by multiplying the polynomials whose coefficients are the ways to
    draw so many cards of a color.
    """
    n_pool, n_locomotives = pool.n_cards, pool.locomotives
    ways_by_need: dict[int, list[int]] = {}
    unpaid = []
    for n in range(n_pool + 1):
        ways = 0
        for b in range(min(n_locomotives, n) + 1):
            need = _own_needed(facts, hand.locomotives + b, hand.n_cards + n)
            if need not in ways_by_need:
                ways_by_need[need] = _ways_below(need, colors, hand, pool)
            colored = ways_by_need[need]
            if n - b < len(colored):
                ways += comb(n_locomotives, b) * colored[n - b]
        unpaid.append(Fraction(ways, comb(n_pool, n)))
    return unpaid


@lru_cache(maxsize=1 << 16)  # most routes of a map are alike, and a study asks for all of them
def _own_needed(facts: RouteFacts, locomotives: int, n_cards: int) -> int:
    """Return the fewest cards of a color with which a hand pays; more than there are in any deck if none do."""
    for own in range(facts.plain + 1):
        if rule.can_pay_with(*facts, own, locomotives, n_cards):
            return own
    return _NEVER


def _ways_below(need: int, colors: Sequence[int], hand: CardCounts, pool: CardCounts) -> list[int]:
    """Return the ways to draw colored cards so that no color that may pay has enough."""
    ways = [1]
    for c in range(N_COLORS):
        n = pool.counts[c]
        most = need - 1 - hand.counts[c] if c in colors else n
        if most < 0:
            return [0]
        ways = multiply(ways, [comb(n, k) for k in range(min(n, most) + 1)])
    return ways


def multiply(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the product of two polynomials."""
    product = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                product[i + j] += x * y
    return product
