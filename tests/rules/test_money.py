"""
Tolls and loans against an oracle that keeps the bank's purse too; the book's cases are in `test_rules_money`.

Rule book: Nederland, tolls and loans.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.rules.money import BANK, settle_toll, transfer

PARTIES = st.integers(BANK, 3)


@given(
    st.lists(st.integers(0, 30), min_size=4, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), PARTIES, st.integers(0, 4)).filter(lambda t: t[0] != t[1]), max_size=30),
)
def test_money_only_changes_hands(start: list[int], tolls: list[tuple[int, int, int]]) -> None:
    tokens, loans = np.array(start), np.zeros(4, dtype=np.int64)
    purses = Counter({BANK: 1000, **dict(enumerate(start))})
    borrowed: Counter[int] = Counter()
    for payer, payee, toll in tolls:
        owed_by = payer if purses[payer] >= toll else BANK
        borrowed[payer] += owed_by == BANK
        purses[owed_by] -= toll
        purses[payee] += toll

        settle_toll(tokens, loans, payer, payee, toll)

        assert tokens.tolist() == [purses[seat] for seat in range(4)]
        assert loans.tolist() == [borrowed[seat] for seat in range(4)]
        assert tokens.min() >= 0
    assert purses.total() == 1000 + sum(start)


def test_the_bank_pays_and_takes_without_a_purse() -> None:
    tokens = np.array([5, 7])

    transfer(tokens, BANK, 0, 3)
    transfer(tokens, 1, BANK, 2)
    transfer(tokens, BANK, BANK, 4)

    assert tokens.tolist() == [8, 5]
