"""Records: named fields over one array, the same for Python and for compiled code."""

import copy
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.compile.loading import load
from ttr_analysis._compile import Record, block, cell, float_block, float_cell

TEXT = """
class Base(Record):
    turn = cell()
    hand = block(2, 3)
    deck = block(4)

class More(Base):
    extra = cell()

class Prices(Record, dtype=np.float64):
    rate = float_cell()
    table = float_block(2, 2)

class Small(Record, dtype=np.int32):
    number = cell()
    items = block(2)

class Named(Record, dtype=np.float64, names=["card", "train"]):
    fixed = float_cell()

@compiled
def named(record: Named, n: int):
    record.train = n + record.card
    return record.train - record.fixed

@compiled
def play(state: Base, seat: int, color: int):
    state.turn += 1
    state.hand[seat, color] += state.turn
    row = state.hand[seat]
    row[0] = 7
    state.hand[1 - seat] = row
    state.deck[:2] = 5
    return state.hand[1 - seat].sum(), state.turn, len(state.deck), state.hand.size, state.cells[0]

@compiled
def more(state: More):
    state.extra = state.turn - 1
    state.deck[3] = state.extra * 2

@compiled
def price(prices: Prices, n: int):
    prices.rate = n
    prices.table[1, 0] += prices.rate / 2
    for row in prices.table:
        row[1] = -1.5
    return prices.table[1, 0] - prices.rate

@compiled
def small(record: Small, n: int):
    record.number += n
    record.items[1] = record.number

@compiled
def scratch(cells, n: int):
    made = Base()
    made.turn = n
    made.hand[1, 2] = made.turn + 1
    laid = Base(cells)
    laid.turn = made.hand[1, 2]
    for turn in range(3):
        other = Base()
        other.turn += turn
        laid.deck[turn] = other.turn
    return made.cells.sum()
"""


@pytest.fixture(name="pair")
def _pair(tmp_path: Path, build: str) -> tuple[ModuleType, ModuleType]:
    assert build
    return load(tmp_path, TEXT), load(tmp_path, TEXT, is_plain=True)


def test_plain_and_compiled_agree(pair: tuple[ModuleType, ModuleType]) -> None:
    found = []
    for module in pair:
        base, more, prices, small = module.Base(), module.More(), module.Prices(), module.Small()
        by_name = module.Named(np.array([1.5, 2.5, 0.0]))
        cells = np.zeros(module.Base.n_cells, dtype=np.int64)
        base.deck[1], more.turn = 9, 6
        said = [module.play(base, 0, 1), module.play(base, 1, 2), module.price(prices, 3), module.scratch(cells, 4)]
        module.more(more)
        module.small(small, 5)
        said.append(module.named(by_name, 4))
        found.append((said, [record.cells.tolist() for record in (base, more, prices, small, by_name)], cells.tolist()))
    assert found[0] == found[1]
    assert found[0][1][3:] == [[5, 0, 5], [1.5, 2.5, 6.5]]


def test_a_record_on_an_array_of_another_size(pair: tuple[ModuleType, ModuleType]) -> None:
    with pytest.raises(ValueError, match="record on an array of another size in scratch"):
        pair[0].scratch(np.zeros(3, dtype=np.int64), 4)


class Purse(Record):
    owner = cell()
    tokens = block(2, 3)


class Rich(Purse):
    gold = cell()


def test_fields_are_views_of_one_array() -> None:
    purse = Purse(np.arange(7))
    purse.tokens[1, 2] = 50
    purse.owner += 3
    assert purse.cells.tolist() == [3, 1, 2, 3, 4, 5, 50]
    assert purse.tokens is purse.tokens
    assert repr(purse) == "Purse(owner=3, tokens=[[1, 2, 3], [4, 5, 50]])"
    assert (Purse.n_cells, Rich.n_cells, Rich.fields["gold"].offset) == (7, 8, 7)


@pytest.mark.parametrize("copied", [Purse.copy, copy.deepcopy, lambda purse: pickle.loads(pickle.dumps(purse))])
def test_a_copy_has_cells_of_its_own(copied: object) -> None:
    purse = Purse()
    purse.tokens[0, 0] = 4
    other = copied(purse)  # type: ignore[operator]
    other.tokens[0, 0] = 9
    other.owner = 2
    assert (purse.cells[:2].tolist(), other.cells[:2].tolist()) == ([0, 4], [2, 9])
    assert copy.copy(purse).cells is purse.cells


@pytest.mark.parametrize(
    "cells",
    [
        np.zeros(6, dtype=np.int64),
        np.zeros((7, 1), dtype=np.int64),
        np.zeros(7, dtype=np.int32),
        np.zeros(7),
        np.zeros(7, dtype=">i8"),
        np.zeros(14, dtype=np.int64)[::2],
        [0] * 7,
    ],
    ids=repr,
)
def test_wrong_cells_are_refused(cells: object) -> None:
    with pytest.raises(TypeError, match="Purse needs a contiguous array of 7 int64"):
        Purse(cells)  # type: ignore[arg-type]


def test_wrong_declarations_are_refused() -> None:
    with pytest.raises(TypeError, match="holds"):
        type("Wrong", (Record,), {}, dtype=np.float32)
    with pytest.raises(TypeError, match="floats"):
        type("Wrong", (Record,), {"rate": float_cell()})
    with pytest.raises(TypeError, match="floats"):
        type("Wrong", (Record,), {"rates": float_block(3)})
    with pytest.raises(TypeError, match="different dtype"):
        type("Wrong", (Purse,), {}, dtype=np.float64)
    with pytest.raises(TypeError, match="one record"):
        type("Wrong", (Rich, type("Also", (Record,), {"a": cell()})), {})
    with pytest.raises(TypeError, match="cells"):
        type("Wrong", (Record,), {"cells": cell()})
    with pytest.raises(TypeError, match="the name 'a' is taken"):
        type("Wrong", (Record,), {}, names=["a", "a"])
    with pytest.raises(TypeError, match="the name 'a' is taken"):
        type("Wrong", (Record,), {"a": cell()}, names=["a"])
    for shape in ((), (0,), (2, -1)):
        with pytest.raises(ValueError, match="sizes"):
            block(*shape)
