"""Numbers, chances and lists in words."""

from __future__ import annotations

import pytest

from ttr_analysis._words import listed, number, percent


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [(0.0, 2, "0"), (-0.001, 2, "0"), (1e6, 0, "1,000,000"), (2.5, 2, "2.5"), (-7, 0, "−7")],
)
def test_numbers_in_words(value: float, digits: int, expected: str) -> None:
    assert number(value, digits) == expected


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(0.0, "0%"), (0.001, "<1%"), (0.005, "<1%"), (0.015, "2%"), (0.5, "50%"), (0.9951, ">99%"), (1.0, "100%")],
)
def test_a_small_chance_is_not_called_none(probability: float, expected: str) -> None:
    assert percent(probability) == expected


def test_a_small_loss_has_no_sign() -> None:
    assert (percent(-0.001), percent(-0.0001, 1), percent(-0.006)) == ("0%", "0.0%", "−1%")


def test_lists_in_words() -> None:
    assert [listed([]), listed(["a"]), listed(["a", "b"], "or")] == ["", "a", "a or b"]
