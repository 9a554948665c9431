"""Tunnel odds by laying out every order of the cards. Slow, and obviously right."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

from tests.oracles.payment import Counts, each_kind
from ttr_analysis.cards import LOCOMOTIVE_INDEX


def enumerate_surcharges(matching: int, unseen: int, revealed: int) -> list[Fraction]:
    """Turn over every possible set of cards and count."""
    n = min(revealed, unseen)
    counts = Counter(sum(card < matching for card in cards) for cards in combinations(range(unseen), n))
    total = sum(counts.values())
    return [Fraction(counts[k], total) for k in range(n + 1)]


def enumerate_claims(
    color: int, spare: int, pool: Counts, n_pile: int, discards: Counts, revealed: int, n_unseen: int = 0
) -> tuple[list[Fraction], Fraction]:
    """
    Return the odds of each surcharge, and that the spare cards pay: every order of pile and discards.

    The cards of the pool that follow those of the pile are the unseen discards.
    """
    surcharges: Counter[int] = Counter()
    for order in permutations(each_kind(pool)):
        pile = list(order[:n_pile])
        if len(pile) >= revealed:
            surcharges[_matches(pile[:revealed], color)] += 1
            continue
        # Weights are even: each order of the pool meets each order of the discards.
        for shuffled in permutations([*each_kind(discards), *order[n_pile : n_pile + n_unseen]]):
            turned = [*pile, *shuffled][:revealed]
            surcharges[_matches(turned, color)] += 1
    total = sum(surcharges.values())
    odds = [Fraction(surcharges[k], total) for k in range(revealed + 1)]
    return odds, sum(odds[: spare + 1], Fraction(0))


def _matches(turned: list[int], color: int) -> int:
    return sum(card in {color, LOCOMOTIVE_INDEX} for card in turned)


def enumerate_path(
    colors: list[int], lengths: list[int], hand: Counts, pile: Counts, discards: Counts, revealed: int
) -> list[Fraction]:
    """
    Return the odds that exactly the first k tunnels are claimed, each tried once.

    The hand has no locomotives, so that every payment is forced; the pile is
    known up to its order, and is reshuffled when a card is wanted.
    """
    odds = [Fraction(0)] * (len(colors) + 1)
    for order in set(permutations(each_kind(pile))):
        for n, p in _play(colors, lengths, list(hand), list(order), list(each_kind(discards)), revealed).items():
            odds[n] += p
    total = sum(odds)
    return [p / total for p in odds]


def _play(
    colors: list[int], lengths: list[int], hand: list[int], pile: list[int], discards: list[int], revealed: int
) -> dict[int, Fraction]:
    if not colors or hand[colors[0]] < lengths[0]:
        return {0: Fraction(1)}
    color, length = colors[0], lengths[0]
    spare = hand[color] - length
    results: Counter[int] = Counter()
    outcomes: dict[int, Fraction] = {}
    short = revealed > len(pile)
    shuffles = list(permutations(discards)) if short else [()]
    for shuffled in shuffles:
        deck = pile + list(shuffled)
        turned, rest = deck[:revealed], deck[revealed:]
        thrown = [] if short else list(discards)
        matches = _matches(turned, color)
        if matches > spare:
            results[0] += 1
            continue
        left = [n - (length + matches) * (kind == color) for kind, n in enumerate(hand)]
        thrown += turned + [color] * (length + matches)
        for n, p in _play(colors[1:], lengths[1:], left, rest, thrown, revealed).items():
            outcomes[n + 1] = outcomes.get(n + 1, Fraction(0)) + p / len(shuffles)
    if results[0]:
        outcomes[0] = Fraction(results[0], len(shuffles))
    return outcomes
