"""How long it takes to gather cards of a color, or of any one color."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.analysis.payments.blind import unpaid_odds
from ttr_analysis.analysis.payments.expected import BASE_RULES, hand_and_pool
from ttr_analysis.analysis.payments.model import RouteFacts
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import CARD_KINDS, GRAY, LOCOMOTIVE, N_COLORS, CardCounts
from ttr_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd


def draws_to_gather(
    k: int,
    color: str,
    *,
    locomotives: bool = False,
    hand: Cards = (),
    pool: Cards | None = None,
    rules: RuleSet = BASE_RULES,
) -> WaitingTime:
    """
    Return how many blind draws it takes to hold `k` cards of a color. Exact.

    Parameters
    ----------
    k
        Cards wanted, those in the hand included.
    color
        A color, "locomotive", or "gray" for any one color: the first of which
        there are enough.
    locomotives
        Whether locomotives count as cards of the color.
    hand
        Cards held at the start.
    pool
        The cards that the pile may hold: those not seen. The deck without the
        hand if not given.
    rules
        Their deck and draws per turn are used; those of the base game if not
        given.

    Returns
    -------
    waiting
        Distribution and mean of the number of cards to draw, and of turns in
        which nothing else is done.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If `k` is below 0.

    Notes
    -----
    The number of cards is negative hypergeometric: with `m` cards that count
    in a pool of `N`, its mean is k (N + 1) / (m + 1), so (111/13) k from a
    full deck, and (111/27) k with locomotives [1]_. For gray, all choices in
    which no color has enough are counted.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride". FDG 2020.

    Examples
    --------
    >>> print(draws_to_gather(3, "red").expected_cards)
    25.6154 (exact)
    >>> print(draws_to_gather(3, "red", locomotives=True).expected_cards)
    12.3333 (exact)
    >>> print(draws_to_gather(3, "gray", locomotives=True).expected_cards)
    6.4876 (exact)
    """
    if k < 0:
        msg = f"the number of cards to gather must be 0 or more, got {k}"
        raise ValueError(msg)
    if color not in (*CARD_KINDS, GRAY):
        raise UnknownNameError("color", color, nearest(str(color), (*CARD_KINDS, GRAY)), (*CARD_KINDS, GRAY))
    hand, pool = hand_and_pool(hand, pool, rules)
    if color == GRAY:
        facts = RouteFacts(plain=k, symbols=0, jokers=int(locomotives), swap_size=0, swap_any=0)
        unpaid = unpaid_odds(facts, range(N_COLORS), hand, pool)
    else:
        unpaid = _one_color_unpaid(k - _count(hand, color, locomotives), _count(pool, color, locomotives), pool)
    return WaitingTime.from_unpaid(unpaid, rules.cards.draws_per_turn)


def gather_table(
    counts: Sequence[int] = range(1, 7),
    *,
    hand: Cards = (),
    pool: Cards | None = None,
    rules: RuleSet = BASE_RULES,
) -> pd.DataFrame:
    """
    Return what it takes to gather cards of one given color, and of any. Exact.

    Parameters
    ----------
    counts
        Numbers of cards to gather.
    hand, pool, rules
        As of `draws_to_gather`. The given color is the one of which most are
        held, and of equal ones the first.

    Returns
    -------
    table
        One row for each number of cards, color or gray, and whether
        locomotives count: `n_cards`, `color` ("gray" for any one color),
        `locomotives`, `cards` (mean number drawn), `turns` (mean), and the
        fewest turns that suffice with a probability of one half and of nine
        tenths, `turns_50` and `turns_90`.

    Examples
    --------
    >>> table = gather_table([4])
    >>> print(table.round(2).to_string(index=False))
     n_cards  color  locomotives  cards  turns  turns_50  turns_90
           4 purple        False  34.15  17.33        17        26
           4 purple         True  16.44   8.47         8        13
           4   gray        False  16.37   8.44         8        11
           4   gray         True   9.69   5.10         5         7
    """
    import pandas as pd

    held = CardCounts.coerce(hand)
    first = max(CARD_KINDS[:N_COLORS], key=lambda color: held[color])
    rows = []
    for k in counts:
        for color in (first, GRAY):
            for locomotives in (False, True):
                waiting = draws_to_gather(k, color, locomotives=locomotives, hand=hand, pool=pool, rules=rules)
                means = (waiting.expected_cards.value, waiting.expected_turns.value)
                quantiles = (waiting.turns_quantile(0.5), waiting.turns_quantile(0.9))
                rows.append((k, color, locomotives, *means, *quantiles))
    columns = ["n_cards", "color", "locomotives", "cards", "turns", "turns_50", "turns_90"]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({"turns_50": "Int64", "turns_90": "Int64"})


def _count(cards: CardCounts, color: str, locomotives: bool) -> int:
    return cards[color] + (cards.locomotives if locomotives and color != LOCOMOTIVE else 0)


def _one_color_unpaid(k: int, matching: int, pool: CardCounts) -> list[Fraction]:
    """Return for each number of cards drawn the probability that fewer than `k` of them match."""
    n_pool = pool.n_cards
    others = n_pool - matching
    return [
        Fraction(sum(comb(matching, i) * comb(others, n - i) for i in range(min(k, n + 1))), comb(n_pool, n))
        for n in range(n_pool + 1)
    ]
