"""What compiled functions take from Python, and what they refuse at the door."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import cloudpickle
import numpy as np
import pytest
from typing_extensions import TypeAliasType

from tests.compile.loading import load, run
from ttr_analysis._compile import Compiled, Functions, SubsetError, compiled, short
from ttr_analysis._compile.calls import is_plain
from ttr_analysis._compile.types import CELLS, INT, cell_from_annotation, from_annotation
from ttr_analysis.engine.codes import ARGUMENT_SHIFT, argument_of, kind_of, make_event

TEXT = """
class Point(NamedTuple):
    x: int
    y: float = 0.5

class Turned(NamedTuple):
    y: float
    x: int

class State(Record):
    turn = cell()
    hand = block(2, 3)

class Other(Record):
    hand = block(2, 3)
    turn = cell()

@compiled
def same(value):
    return value

@compiled
def first(a):
    return a[0]

@compiled
def corner(a):
    return a[1, 1]

@compiled
def write(a, b):
    c = a[1:]
    deep(c, b)

@compiled
def deep(a, b):
    pair = (a, 1)
    pair[0][0] = b[0]

@compiled
def typed(n: int, x: float, flag: bool):
    return n + 1, x, flag

@compiled
def turned(point):
    return point.x, Point(7), point

@compiled
def turn(state: State):
    state.turn += 1
    return state.turn

@compiled
def look(state):
    return state.turn

@compiled
def nothing():
    pass

@compiled
def plus(n: int, m: int) -> int:
    return n + m

@compiled
def minus(n: int, m: int) -> int:
    return n - m

@compiled
def half(n: float) -> float:
    return n / 2

@compiled
def wrong(n: int, m: int) -> int:
    return n

@compiled
def apply(functions, i: int, n: int, m: int):
    return functions[i](n, m)

@compiled
def unnamed(n: int, /, m: int):
    return n - m

@compiled
def named(__r: int, id: int, len: float, pack: Point, state: State, entry, kind: int = 5, r: float = 0.5):
    return __r + id + len + pack.x + state.turn + entry[0] + kind + r

class Methods:
    add = plus
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("door"), TEXT, name="compiled_door")


def test_numbers_keep_their_types(module: ModuleType) -> None:
    for value in (
        3,
        2.5,
        True,
        False,
        np.int64(4),
        np.float64(0.5),
        np.bool_(True),
        (1, 2.0),
        (1, (True, 3)),
        (4,),
    ):
        got = module.same(value)
        assert got == value
        assert type(got) in (int, float, bool, tuple)
        if type(value) in (bool, float):
            assert type(got) in ((bool, int) if isinstance(value, bool) else (float,))
    assert module.nothing() is None
    assert module.typed(np.int32(3), 4, 1) == (4, 4.0, True)
    assert module.typed(True, x=np.float32(1.5), flag=np.bool_(True)) == (2, 1.5, True)


def test_what_is_passed_by_name_is_not_looked_at_anew(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    state, some = module.State(), np.array([1.0])
    wanted = 4 + 1 + 2.0 + 3 + 0 + 1.0 + 5 + 0.5
    assert module.named(4, 1, 2.0, module.Point(3), state, some) == wanted
    monkeypatch.setattr("inspect.signature", None)
    assert module.named(4, 1, 2.0, module.Point(3), state, some) == wanted
    assert module.named(4, 1, len=2.0, pack=module.Point(3), state=state, entry=some, r=1.5) == wanted + 1


def test_what_is_missing_or_said_twice_is_refused(module: ModuleType) -> None:
    assert module.minus(m=2, n=7) == module.minus(7, m=2) == 5
    with pytest.raises(TypeError, match=r"missing .* argument: 'm'"):
        module.minus(7)
    with pytest.raises(TypeError, match="multiple values for argument 'n'"):
        module.minus(7, n=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        module.minus(7, 2, k=1)
    assert module.unnamed(7, m=2) == 5
    with pytest.raises(TypeError, match=r"positional[ -]only"):
        module.unnamed(n=7, m=2)


def test_another_type_is_compiled_for_anew(module: ModuleType) -> None:
    assert module.same(1.5) == 1.5
    assert module.same(2**62 + 1) == 2**62 + 1  # not as a float
    assert module.same((1, 2)) == (1, 2)
    assert module.same((1, 2, 3)) == (1, 2, 3)
    assert module.same((1.5, 2)) == (1.5, 2)
    assert module.same(False) == 0
    assert module.same(5) == 5


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((1.5, 1.0, True), TypeError, "n must be int, got float 1.5"),
        ((2**63, 1.0, True), OverflowError, "n does not fit in int"),
        ((1, "a", True), TypeError, "x must be float, got str 'a'"),
        ((1, 10**400, True), OverflowError, "too large"),
        ((1, 1.0, 2), TypeError, "flag must be bool, got int 2"),
        ((1, 1.0), TypeError, "missing .* argument: 'flag'"),
        ((1, 1.0, True, 4), TypeError, "too many positional|takes 3 positional"),
        ((None, 1.0, True), TypeError, "n must be int"),
        ((np.zeros(3), 1.0, True), TypeError, "n must be int"),
    ],
)
def test_numbers_that_are_refused(
    module: ModuleType, arguments: tuple[Any, ...], error: type[Exception], said: str
) -> None:
    for before in (False, True):
        if before:
            module.typed(1, 1.0, True)
        with pytest.raises(error, match=said):
            module.typed(*arguments)


class Special(np.ndarray[Any, Any]):
    pass


def test_arrays_that_are_taken(module: ModuleType) -> None:
    a = np.array([5, 6])
    assert module.first(a) == 5
    assert module.first(a.astype(np.int32)) == 5
    assert module.first(a.astype(np.int8)) == 5
    assert module.first(a / 2) == 2.5
    assert module.first(a.view(Special)) == 5
    assert module.first(a.astype(np.longlong)) == 5
    assert module.first(a[1:]) == 6
    assert module.corner(np.arange(4).reshape(2, 2)) == 3
    assert type(module.same(a)) is np.ndarray


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.arange(6)[::2], "not contiguous"),
        (np.arange(4).reshape(2, 2).T, "not contiguous"),
        (np.frombuffer(b"\0" * 25, dtype=np.int8)[1:].view(np.int64), "not aligned"),
        *[(np.zeros(3, dtype), "must be") for dtype in (">i8", np.uint64, np.int16, bool, np.float16, object)],
        *[(other, "must be") for other in (np.array(3), [1, 2], "ab", None, np.arange(3).data)],
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, memoryview) else repr(value),
)
def test_arrays_that_are_refused(module: ModuleType, array: object, said: str) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=said):
            module.first(array)
        assert module.first(np.array([4])) == 4


def test_only_what_is_written_to_must_be_writeable(module: ModuleType) -> None:
    fixed, free = np.arange(3), np.arange(3)
    fixed.setflags(write=False)
    assert module.first(fixed) == 0
    module.write(free, free + 5)
    module.write(free, fixed)
    for _ in range(2):
        with pytest.raises(TypeError, match="write: a is written to, but is read-only: pass"):
            module.write(fixed, free)
    assert fixed.tolist() == [0, 1, 2]
    state = module.State(np.zeros(7, dtype=np.int64))
    state.cells.setflags(write=False)
    assert module.look(state) == 0
    with pytest.raises(TypeError, match="read-only"):
        module.turn(state)


def test_named_tuples_are_not_taken_for_each_other(module: ModuleType) -> None:
    for _ in range(2):
        assert module.turned(module.Point(1, 2.5)) == (1, (7, 0.5), (1, 2.5))
        x, point, turned = module.turned(module.Turned(1.5, 4))
        assert (x, type(point), type(turned)) == (4, module.Point, module.Turned)


def test_records_are_not_taken_for_each_other(module: ModuleType) -> None:
    state, other = module.State(), module.Other()
    assert (module.turn(state), module.turn(state), state.turn) == (1, 2, 2)
    other.turn = 9
    for _ in range(2):
        assert (module.look(state), module.look(other)) == (2, 9)
        with pytest.raises(TypeError, match="state must be State"):
            module.turn(other)
    state.cells = np.zeros(3, dtype=np.int64)
    with pytest.raises(TypeError, match="record"):
        module.turn(state)


def test_functions_are_called_by_number(module: ModuleType) -> None:
    both = Functions((module.plus, module.minus))
    assert [module.apply(both, i, 7, 2) for i in (0, 1)] == [9, 5]
    again = pickle.loads(pickle.dumps(both))
    assert again == both
    assert module.apply(again, 1, 7, 2) == 5
    for i in (2, -1):
        with pytest.raises(IndexError, match="apply, line"):
            module.apply(both, i, 7, 2)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("", "at least one function"),
        ("plus half", "with different signatures"),
        ("first", "annotation of a"),
        ("wrong Point", "not compiled"),
    ],
)
def test_functions_that_do_not_fit(module: ModuleType, names: str, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Functions(tuple(getattr(module, name) for name in names.split()))


def test_functions_of_another_signature_are_not_called(module: ModuleType) -> None:
    assert module.apply(Functions((module.plus,)), 0, 1, 2) == 3
    with pytest.raises(Exception, match="with other arguments"):
        module.apply(Functions((module.half,)), 0, 1, 2)


@pytest.mark.parametrize("pack", [pickle.dumps, cloudpickle.dumps])
def test_pickled_by_name(module: ModuleType, pack: Callable[[object], bytes]) -> None:
    assert pickle.loads(pack(module.plus)) is module.plus
    assert pickle.loads(pack([module.plus, module.half])) == [module.plus, module.half]


def test_a_compiled_function_says_what_it_is(module: ModuleType) -> None:
    assert isinstance(module.plus, Compiled)
    assert repr(module.plus) == "<compiled compiled_door.plus>"
    assert module.plus.__name__ == "plus"
    assert module.Methods.add is module.plus


def test_calls_may_interrupt_each_other(tmp_path: Path) -> None:
    text = """
import signal

@compiled
def add(a, n: int):
    total = n
    for value in a:
        total += value
    return total, n

def interrupt(*_):
    assert add(np.arange(100), 5) == (4955, 5)

add(np.arange(3), 1)
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.001)
for i in range(10_000):
    assert add(np.arange(3), i) == (i + 3, i)
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    run(tmp_path, text)


WAYS = {
    "item": "a[0] = 1",
    "augmented item": "a[0] += 1",
    "fill": "a.fill(1)",
    "slice": "a[1:] = 1",
    "copy": "a[:2] = b[:2]",
    "another name": "c = a\n    c[0] = 1",
    "a name set later": "c = b\n    for i in range(2):\n        c[0] = 1\n        c = a",
    "a chain of names": "c = b\n    d = b\n    for i in range(3):\n        d[0] = 1\n        d = c\n        c = a",
    "a choice": "c = a if n else b\n    c[0] = 1",
    "or": "c = (a, 1) if n else (b, 2)\n    c[0][0] = 1",
    "a tuple": "c, d = (b, a)\n    d[0] = 1",
    "a loop over a tuple": "for c in (b, a):\n        c[0] = 1",
    "a row": "m[1][0] = 1",
    "a loop over rows": "for row in m:\n        row[0] = 1",
    "a callee": "put(b, a)",
    "a callee that returns it": "same(b, a)[0] = 1",
    "a record": "State(a).turn = 1",
    "a block": "State(a).hand[0] = 1",
    "cells of a record": "State(a).cells[0] = 1",
    "a swap": "a[0], b[0] = b[0], a[0]",
    "a function by number": "functions[0](a)",
}
WRITERS = """
class State(Record):
    turn = cell()
    hand = block(3)

@compiled
def put(b, a):
    a[0] = b[0]

@compiled
def same(b, a):
    return a

@compiled
def first(a: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    return a[0]
"""


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_is_seen(way: str, tmp_path: Path) -> None:
    text = f"{WRITERS}\n@compiled\ndef f(a, b, m, n, functions):\n    {WAYS[way]}\n"
    module = load(tmp_path, text)
    a, m = np.zeros(4, dtype=np.int64), np.zeros((2, 2), dtype=np.int64)
    functions = Functions((module.first,))
    module.f(a, np.ones(4, dtype=np.int64), m, 1, functions)
    a.setflags(write=False)
    m.setflags(write=False)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"[am] is written to, but is read-only"):
            module.f(a, np.ones(4, dtype=np.int64), m, 1, functions)


def test_an_array_may_be_named_by_an_alias() -> None:
    """So NumPy names it since 2.5, for Python 3.12 and later."""
    scalar = TypeVar("scalar", bound=np.generic)
    array = TypeAliasType("array", np.ndarray[tuple[Any, ...], np.dtype[scalar]], type_params=(scalar,))

    named: Any = TypeAliasType
    assert from_annotation(named("number", int)) == INT
    assert cell_from_annotation(named("cards", named("hand", array.__getitem__(np.int64)))) == CELLS["int64"]
    for name in CELLS:
        assert cell_from_annotation(array.__getitem__(np.dtype(name).type)) == CELLS[name]


# -- short functions ---------------------------------------------------------------------------


@compiled
def argument_plus(code: int, n: int) -> int:
    """Call a short function from compiled code."""
    return argument_of(code) + n


def test_python_calls_the_function_itself() -> None:
    assert inspect.isfunction(kind_of)
    assert kind_of(make_event(5, 3, 80)) == 5


def test_compiled_code_takes_it_in() -> None:
    assert argument_plus(80 << ARGUMENT_SHIFT, 2) == 82


def test_what_it_may_hold_is_what_compiled_functions_may() -> None:
    @short
    def text(n: int) -> str:
        return f"{n}"

    @compiled
    def caller(n: int) -> int:
        text(n)
        return n

    assert text(3) == "3"
    if not is_plain():
        with pytest.raises(SubsetError, match="text"):
            caller(3)
