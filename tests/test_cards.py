"""Counted cards behave like values."""

from __future__ import annotations

import numpy as np
import pytest

from ttr_analysis import CardCounts


def test_numbers_of_numpy_count_too() -> None:
    hand = CardCounts.coerce({"green": np.int64(3)})
    assert hand == CardCounts.of(green=3)
    assert hash(CardCounts([1] * 9)) == hash(CardCounts((1,) * 9))  # type: ignore[arg-type]


def test_a_kind_is_in_a_hand_that_holds_one() -> None:
    hand = CardCounts.of(red=1)
    assert "red" in hand
    assert "blue" not in hand


@pytest.mark.parametrize("count", [-1, 1.5, True, "3"])
def test_other_counts_are_refused(count: object) -> None:
    with pytest.raises(ValueError, match="the number of red cards must be a whole number of 0 or more, got"):
        CardCounts.coerce({"red": count})


@pytest.mark.parametrize(
    ("cards", "got"),
    [
        ({"pink": 1, "purple": "2"}, "'2'"),
        ({"pink": -1, "purple": 2}, "-1"),
        ({"pink": True, "purple": True}, "True"),
        ({"pink": "a", "purple": "b"}, "'a'"),
    ],
)
def test_each_count_of_a_kind_is_checked_alone(cards: dict[str, int], got: str) -> None:
    with pytest.raises(ValueError, match=f"the number of purple cards must be .*, got {got}$"):
        CardCounts.coerce(cards)


def test_more_than_there_is_cannot_be_taken() -> None:
    with pytest.raises(ValueError, match="cannot take 2 red from 1 red: 1 red too few"):
        _ = CardCounts.of(red=1) - CardCounts.of(red=2)
    with pytest.raises(TypeError):
        _ = CardCounts.of(red=1) <= 3  # type: ignore[operator]
