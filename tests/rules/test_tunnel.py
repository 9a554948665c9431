"""The rule of tunnels in every order of small decks; the examples of the book are in `test_rules_tunnels`."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import examples
from tests.oracles.payment import Counts, spread
from tests.oracles.tunnel import enumerate_claims
from ttr_analysis.cards import COLORS, LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.rules import tunnel

GREEN, RED = COLORS.index("green"), COLORS.index("red")


def array(cards: Counts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(cards, dtype=np.int64)


def test_locomotives_pay_no_surcharge_where_they_are_no_jokers() -> None:
    hand = array(spread({GREEN: 1, LOCOMOTIVE_INDEX: 3}))

    assert tunnel.spare_cards(hand, GREEN, 0) == 1
    assert tunnel.spare_cards(hand, GREEN, 1) == 4
    assert not tunnel.pays_surcharge(array(spread({LOCOMOTIVE_INDEX: 1})), GREEN, 0, 1)


@pytest.mark.parametrize(("pile", "discards", "turned"), [(3, 0, 3), (2, 40, 3), (1, 1, 2), (0, 0, 0)])
def test_what_there_is_is_turned_over(pile: int, discards: int, turned: int) -> None:
    assert tunnel.n_turned_over(pile, discards, 3) == turned


@given(st.data())
def test_matches_are_hypergeometric(data: st.DataObject) -> None:
    unseen = data.draw(st.integers(0, 110))
    matching = data.draw(st.integers(0, unseen))
    revealed = data.draw(st.integers(0, min(5, unseen)))

    for k in range(-1, revealed + 2):
        ways = comb(matching, k) * comb(unseen - matching, revealed - k) if 0 <= k <= revealed else 0
        assert tunnel.match_probability(k, matching, unseen, revealed) == pytest.approx(ways / comb(unseen, revealed))


@settings(max_examples=examples(60))
@given(st.data())
def test_claims_equal_every_order_of_the_cards(data: st.DataObject) -> None:
    """Also through a reshuffle, with fewer than three cards in the pile, and in both piles."""
    counts = st.tuples(*[st.integers(0, 2)] * 3)
    kinds = (GREEN, RED, LOCOMOTIVE_INDEX)
    pool = spread(dict(zip(kinds, data.draw(counts.filter(lambda c: sum(c) <= 5)), strict=True)))
    discards = spread(dict(zip(kinds, data.draw(counts.filter(lambda c: sum(c) <= 4)), strict=True)))
    n_pile = data.draw(st.integers(0, sum(pool)))
    spare = data.draw(st.integers(0, 3))
    color = data.draw(st.sampled_from([GREEN, LOCOMOTIVE_INDEX]))

    p = tunnel.claim_probability(
        spare,
        tunnel.matching_cards(array(pool), color),
        sum(pool),
        n_pile,
        tunnel.matching_cards(array(discards), color),
        sum(discards),
        3,
    )

    assert p == pytest.approx(float(enumerate_claims(color, spare, pool, n_pile, discards, 3)[1]))


def test_every_kind_can_be_played() -> None:
    for kind in range(N_KINDS):
        assert tunnel.color_played(array(spread({kind: 2}))) == kind
