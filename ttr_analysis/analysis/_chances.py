"""How many cards of a kind, or of the best color, turn up among cards drawn: exact distributions."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

from ttr_analysis.cards import N_COLORS


@lru_cache(maxsize=256)
def chances_of_kind(n_kind: int, n_cards: int, n_drawn: int) -> tuple[Fraction, ...]:
    """Return the chances that at most 0, 1, ... cards drawn are of a kind."""
    ways = [comb(n_kind, k) * comb(n_cards - n_kind, n_drawn - k) for k in range(min(n_kind, n_drawn) + 1)]
    return tuple(Fraction(w, comb(n_cards, n_drawn)) for w in accumulate(ways))


@lru_cache(maxsize=256)
def chances_of_best_color(per_color: int, n_locomotives: int, jokers: bool, n_drawn: int) -> tuple[Fraction, ...]:
    """Return the chances that at most 0, 1, ... cards drawn are of the color with most, with locomotives if jokers."""
    n_cards = N_COLORS * per_color + n_locomotives
    most = min(n_drawn, per_color + (n_locomotives if jokers else 0))
    chances = []
    for limit in range(most + 1):
        ways = 0
        for n_jokers in range(min(n_locomotives, n_drawn) + 1):
            of_color = limit - n_jokers if jokers else limit
            colored = _ways_with_at_most(per_color, of_color, n_drawn - n_jokers)
            ways += comb(n_locomotives, n_jokers) * colored
        chances.append(Fraction(ways, comb(n_cards, n_drawn)))
    return tuple(chances)


@lru_cache(maxsize=4096)
def _ways_with_at_most(per_color: int, limit: int, n_drawn: int) -> int:
    """Return the number of ways to draw colored cards with no more than `limit` of each color."""
    if limit < 0:
        return 0
    ways = [1] + [0] * n_drawn
    for _ in range(N_COLORS):
        ways = [
            sum(ways[n - k] * comb(per_color, k) for k in range(min(limit, per_color, n) + 1))
            for n in range(n_drawn + 1)
        ]
    return ways[n_drawn]
