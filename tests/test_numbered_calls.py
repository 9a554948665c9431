"""Compiled functions in a tuple at the top of a module, called by their number."""

from __future__ import annotations

import numpy as np

from ttr_analysis._compile import Ints, compiled


@compiled
def add_one(cells: Ints, n: int) -> int:
    cells[0] += 1
    return n + 1


@compiled
def double(cells: Ints, n: int) -> int:
    cells[1] += 10
    return 2 * n


@compiled
def note(cells: Ints, n: int) -> None:
    cells[0] = n


@compiled
def clear(cells: Ints, _n: int) -> None:
    cells.fill(0)


NUMBERS = (add_one, double)
ORDERS = (note, clear)


@compiled
def call_all(cells: Ints, n: int) -> int:
    total = 0
    for i in range(len(cells)):
        total += NUMBERS[i](cells, n)
    return total


@compiled
def obey(cells: Ints, which: int, n: int) -> None:
    ORDERS[which](cells, n)


def test_a_function_is_called_by_its_number() -> None:
    cells = np.zeros(2, dtype=np.int64)

    assert call_all(cells, 5) == 6 + 10
    assert cells.tolist() == [1, 10]


def test_functions_that_return_nothing_are_called_too() -> None:
    cells = np.ones(2, dtype=np.int64)

    obey(cells, 0, 7)
    assert cells.tolist() == [7, 1]
    obey(cells, 1, 7)
    assert cells.tolist() == [0, 0]
