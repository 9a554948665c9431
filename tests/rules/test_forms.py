"""The forms of a payment: counted and listed as by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, count_forms, find_form, form_sets

ROUTES = [
    pytest.param(Spaces(3, 0, 1, 0, 0), id="plain, locomotives are jokers"),
    pytest.param(Spaces(3, 0, 0, 0, 0), id="plain, they are not"),
    pytest.param(Spaces(2, 2, 1, 0, 0), id="ferry without sets"),
    pytest.param(Spaces(2, 1, 0, 0, 0), id="ferry, locomotives for symbols only"),
    pytest.param(Spaces(2, 2, 1, 3, 1), id="ferry, sets anywhere"),
    pytest.param(Spaces(2, 2, 1, 3, 0), id="ferry, sets for symbols"),
    pytest.param(Spaces(2, 1, 0, 3, 1), id="ferry, sets anywhere, no jokers"),
    pytest.param(Spaces(3, 1, 0, 3, 0), id="ferry, sets for symbols, no jokers"),
    pytest.param(Spaces(0, 2, 1, 3, 1), id="symbols only"),
    pytest.param(Spaces(0, 2, 0, 0, 0), id="symbols only, no jokers, no sets"),
    pytest.param(Spaces(9, 0, 0, 4, 1), id="sets of four"),
    pytest.param(Spaces(4, 0, 1, 2, 1), id="sets of two, jokers"),
]


def list_forms(hand: list[int], color: int, route: Spaces) -> list[tuple[int, int, int]]:
    """Oracle: try every number of color cards and locomotives."""
    length = route.plain + route.symbols
    forms = []
    for c in range(8):
        if color not in (c, GRAY_INDEX):
            continue
        for own in range(1, hand[c] + 1):
            for locomotives in range(hand[8] + 1):
                n_sets = form_sets(route, own, locomotives)
                if n_sets >= 0 and sum(hand) - own - locomotives >= n_sets * route.swap_size:
                    forms.append((c, own, locomotives))
    for locomotives in range(hand[8] + 1):
        n_sets = form_sets(route, 0, locomotives)
        if n_sets >= 0 and sum(hand) - locomotives >= n_sets * route.swap_size:
            forms.append((-1, 0, locomotives))
    assert all(own <= route.plain and locomotives <= length for _, own, locomotives in forms)
    return forms


@pytest.mark.parametrize("route", ROUTES)
@given(
    hand=st.lists(st.integers(0, 4), min_size=9, max_size=9),
    color=st.integers(0, GRAY_INDEX),
)
def test_forms_equal_brute_force(hand: list[int], color: int, route: Spaces) -> None:
    cards = np.array(hand, dtype=np.int64)
    expected = list_forms(hand, color, route)

    n = count_forms(cards, sum(hand), color, route)
    found = [find_form(cards, sum(hand), color, route, number) for number in range(n)]

    assert n == len(expected)
    assert set(found) == set(expected)
