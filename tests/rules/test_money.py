"""
Tolls and loans: named cases, and an oracle that keeps the bank's purse too.

Rule book: Nederland, tolls and loans.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY
from ttr_analysis.rules.money import BANK, can_settle, settle_toll, toll_payee, transfer

PARTIES = st.integers(BANK, 3)


@pytest.mark.parametrize(
    ("tokens", "toll", "payee", "after", "n_loans"),
    [
        pytest.param([30, 30], 4, BANK, [26, 30], 0, id="the bank is paid for a first track"),
        pytest.param([30, 30], 4, 1, [26, 34], 0, id="the owner of the first track is paid for the second"),
        pytest.param([4, 30], 4, 1, [0, 34], 0, id="a toll equal to the tokens left is paid"),
        pytest.param([3, 30], 4, 1, [3, 34], 1, id="one token short: a loan, and the bank pays the owner"),
        pytest.param([3, 30], 4, BANK, [3, 30], 1, id="a loan pays nothing, not even in part"),
        pytest.param([0, 0], 1, 1, [0, 1], 1, id="no tokens at all"),
        pytest.param([0, 0], 0, BANK, [0, 0], 0, id="played without tolls"),
    ],
)
def test_a_toll_is_settled(tokens: list[int], toll: int, payee: int, after: list[int], n_loans: int) -> None:
    purse, loans = np.array(tokens), np.array([2, 0])

    assert settle_toll(purse, loans, 0, payee, toll) == n_loans
    assert purse.tolist() == after
    assert loans.tolist() == [2 + n_loans, 0]


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


@pytest.mark.parametrize(
    ("twin_owner", "n_seats", "pays_owner", "payee"),
    [
        pytest.param(1, 2, 1, 1, id="the owner of the first track"),
        pytest.param(0, 2, 1, 0, id="seat 0 is an owner like any other"),
        pytest.param(NOBODY, 2, 1, BANK, id="the first track of the two"),
        pytest.param(NEUTRAL_OWNER, 2, 1, BANK, id="a toll owed to the neutral player"),
        pytest.param(1, 2, 0, BANK, id="rules by which second tracks pay the bank"),
    ],
)
def test_who_gets_a_toll(twin_owner: int, n_seats: int, pays_owner: int, payee: int) -> None:
    assert toll_payee(twin_owner, n_seats, pays_owner) == payee


@pytest.mark.parametrize(
    ("tokens", "loans", "limit", "can"),
    [
        pytest.param([3, 0], [0, 0], 1, True, id="the first loan card"),
        pytest.param([3, 0], [0, 1], 1, False, id="another player has the only loan card"),
        pytest.param([4, 0], [0, 1], 1, True, id="who can pay needs no loan card"),
        pytest.param([3, 0], [4, 5], 0, True, id="loan cards without limit"),
        pytest.param([3, 0], [1, 1], 3, True, id="the last loan card"),
    ],
)
def test_whether_a_toll_can_be_settled(tokens: list[int], loans: list[int], limit: int, can: bool) -> None:  # noqa: FBT001
    assert bool(can_settle(np.array(tokens), np.array(loans), 0, 4, limit)) is can
