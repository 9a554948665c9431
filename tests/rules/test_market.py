"""The rules of the market, against what the book says in words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.layout import NOBODY
from ttr_analysis.rules.market import (
    EMPTY,
    FaceUpRules,
    draws_for_face_up,
    has_too_many_locomotives,
    is_reset_due,
    may_take_face_up,
    must_be_first,
    next_empty_slot,
    sweep_market,
)

SLOTS = st.lists(st.integers(EMPTY, N_KINDS - 1), min_size=1, max_size=10)


def test_the_engine_says_the_same_of_an_empty_slot() -> None:
    assert EMPTY == NOBODY


@given(SLOTS)
def test_empty_slots_are_filled_from_the_first_to_the_last(slots: list[int]) -> None:
    market = np.array(slots)
    filled = []
    slot = next_empty_slot(market, 0)
    while slot < market.size:
        filled.append(slot)
        slot = next_empty_slot(market, slot + 1)

    assert filled == [i for i, kind in enumerate(slots) if kind == EMPTY]


@given(
    st.lists(st.sampled_from([EMPTY, 0, 7, LOCOMOTIVE_INDEX, LOCOMOTIVE_INDEX]), min_size=1, max_size=6),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 1),
    st.integers(0, 6),
)
def test_when_a_reset_is_due(
    slots: list[int],
    n_in_piles: int,
    n_resets: int,
    reset_at: int,
    max_resets: int,
    needs_full: int,
    needs_colored: int,
) -> None:
    n_locomotives = slots.count(LOCOMOTIVE_INDEX)
    n_colored = n_in_piles + sum(kind not in {EMPTY, LOCOMOTIVE_INDEX} for kind in slots)
    conditions = [
        reset_at > 0,
        n_locomotives >= reset_at,
        n_resets < max_resets,
        not needs_full or EMPTY not in slots,
        n_colored >= needs_colored,
    ]
    market = np.array(slots)
    rules = FaceUpRules(2, reset_at, max_resets, needs_full, needs_colored, 1)

    assert is_reset_due(market, n_in_piles, n_resets, rules) == all(conditions)
    assert has_too_many_locomotives(market, reset_at) == all(conditions[:2])


@given(SLOTS)
def test_a_market_is_swept_onto_the_discards(slots: list[int]) -> None:
    market = np.array(slots)
    discards = np.arange(N_KINDS)

    sweep_market(market, discards)

    assert market.tolist() == [EMPTY] * len(slots)
    assert discards.tolist() == [kind + slots.count(kind) for kind in range(N_KINDS)]


@pytest.mark.parametrize("cost", [1, 2])
def test_what_may_be_taken(cost: int) -> None:
    for kind, n_taken, has_piles, is_open in product((EMPTY, 0, LOCOMOTIVE_INDEX), (0, 1), (False, True), (0, 1)):
        second_locomotive = kind == LOCOMOTIVE_INDEX and n_taken > 0 and cost == 2
        closed = not has_piles and not is_open
        may = kind != EMPTY and not second_locomotive and not closed

        assert may_take_face_up(kind, n_taken, has_piles, FaceUpRules(cost, 3, 100, 1, 3, is_open)) == may


def test_what_a_face_up_card_costs() -> None:
    assert [draws_for_face_up(LOCOMOTIVE_INDEX, cost) for cost in (1, 2)] == [1, 2]
    assert [must_be_first(LOCOMOTIVE_INDEX, cost) for cost in (1, 2)] == [False, True]
    assert draws_for_face_up(0, 2) == 1
    assert not must_be_first(0, 2)
