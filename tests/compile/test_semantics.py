"""Compiled functions do as plain Python does, in both builds."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.compile.loading import load
from ttr_analysis._compile import calls

pytestmark = pytest.mark.usefixtures("build")
LEAST, MOST = -(2**63), 2**63 - 1
NUMBERS = (-9, -8, -7, -3, -1, 0, 1, 2, 3, 7, 8, 10**12, -(10**12))

FUNCTIONS = """
@compiled
def divide(a: int, b: int):
    return a // b, a % b

@compiled
def divide_by_constants(a: int):
    return a // 8, a % 8, a // 7, a % 7, a // -4, a % -4, a % -1, a >> 2, a // True

@compiled
def chain(log, a: int, b: int, c: int):
    return note(log, a) < note(log, b) <= note(log, c)

@compiled
def note(log, value: int):
    log[0] += 1
    log[log[0]] = value
    return value

@compiled
def order(log):
    log[note(log, 1)], log[8] = note(log, 7), note(log, 9)
    return note(log, 2) - note(log, 3) * note(log, 4)

@compiled
def values(a: int, b: int, x: float):
    return a or b, a and b, x or a, (a and b) or 7, not a, a or x

@compiled
def least(a: int, b: int, x: float, y: float):
    return min(a, b), max(a, b, 3), min(x, y), max(x, y), max(2, 3), min(True, a > b), max(a > b, a < 0, a == 4)

@compiled
def after_loop(n: int):
    i = -1
    for i in range(n):
        if i == 5:
            break
        i += 100
    return i

@compiled
def bound_of_loop(n: int):
    turns = 0
    for _ in range(n):
        n = 0
        turns += 1
    return turns

@compiled
def steps(first: int, last: int):
    total = 0
    turns = 0
    for i in range(first, last, 7):
        total ^= i
        turns += 1
    for i in range(last, first, -3):
        total ^= i
        turns += 1
        if turns > 99:
            break
    return total, turns

@compiled
def swap(a, i: int, j: int):
    a[i], a[j] = a[j], a[i]
    i, a[i] = j, i
    return i, j

@compiled
def augmented(log, a):
    a[note(log, 2)] += note(log, 5)
    a[note(log, 1)] -= a[2]
    a[0] <<= 2
    return a[0] + a[1] + a[2]

@compiled
def branch(flag: bool, a: int):
    if flag:
        found = a
    else:
        found = -a
    return found

@compiled
def unrolled(n: int):
    found = 0
    for item in (5, n, 7, n, 9):
        if item == n:
            continue
        if item == 9:
            break
        found = found * 10 + item
    for a, b in ((1, n), (n, 2)):
        found = found * 10 + a - b
    return found, item

@compiled
def unreachable(n: int):
    while True:
        n += 1
        if n > 10:
            return n
            n = 0
        continue
        n += 100

@compiled
def rows(n: int):
    made = np.zeros((n, 3), dtype=np.int64)
    for i in range(n):
        row = np.full(3, i, dtype=np.int64)
        row[1] = 9
        made[i] = row
    made[0, 1:] = 4
    copied = made.copy()
    made[:] = 0
    copied[1].fill(6)
    return copied, copied.shape, copied.size, len(copied), copied.sum()

@compiled
def bound_anew(a, n: int):
    latest = a.copy()
    best = latest
    total = 0
    while n > 0:
        before = latest.copy()
        for i in range(len(latest)):
            latest[i] = before[(i + 1) % len(before)] + n % (2 + abs(before[i]))
        if latest[0] > best[0]:
            best = latest
            latest = before
        elif n % 3 == 0:
            best, latest = latest, best.copy()
        total += best[n % len(best)] // (1 + abs(latest[0]))
        n -= 1
    return total, latest, best

@compiled
def alias(a, flag: bool):
    b = a[1:] if flag else a
    c = b
    c[0] = 50
    b = a
    b[2] += c[0]
    return a

@compiled
def truth(flag: bool, other: bool, n: int):
    return flag + other, flag * 3, -flag, ~flag, flag & other, flag ^ n, flag << 2, flag == n, int(flag), flag < other

@compiled
def comparisons(x: float, y: float):
    return x == y, x != y, x < y, x <= y, x > y, x >= y, not x < y, bool(x)

@compiled
def whole(x: float):
    return int(x)

@compiled
def floats(n: int, x: float):
    return n / 4, x / 3, n + x, n - x, -x, abs(x), abs(n), float(n), x if n > 0 else n

@compiled
def tuples(a: int, b: int):
    pair = (a, (b, a + b))
    first, (second, third) = pair
    return pair[1][0], pair[-1], len(pair), pair < (b, (a, 0)), (a, b) == (b, a), (a, b) in ((1, 2), (b, a)), third

@compiled
def keywords(a: int, b: int = 5, c: int = 7):
    return a * 100 + b * 10 + c

@compiled
def calls(a: int):
    return keywords(a), keywords(c=1, a=a), keywords(a, 2, c=3)

@compiled
def mixed(flag: bool, narrow, n: int):
    pair = (n, narrow[0]) if flag else (True, 2)
    return pair

@compiled
def constants():
    return (1 << 62) - 1, -(1 << 63 - 1), 7 // -2, 2**10, 0xFF ^ 1, 7.5 // 2, 1e308 * 10, -7 % 3
"""


@pytest.fixture(name="pair")
def _pair(tmp_path_factory: pytest.TempPathFactory, build: str) -> tuple[ModuleType, ModuleType]:
    """The functions compiled, and plain."""
    if build not in MODULES:
        folder = tmp_path_factory.mktemp("semantics")
        MODULES[build] = load(folder, FUNCTIONS), load(folder, FUNCTIONS, is_plain=True)
    return MODULES[build]


MODULES: dict[str, tuple[ModuleType, ModuleType]] = {}


def agree(pair: tuple[ModuleType, ModuleType], name: str, *arguments: Any) -> None:
    compiled, plain = (getattr(module, name) for module in pair)
    copies = [[np.array(a) if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)]
    got, wanted = compiled(*copies[0]), plain(*copies[1])
    assert equal(got, wanted), (name, arguments, got, wanted)
    assert all(map(equal, copies[0], copies[1]))


def equal(first: Any, second: Any) -> bool:
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(equal, first, second))
    return bool(np.array_equal(first, second, equal_nan=isinstance(first, float)))


CASES: list[tuple[str, tuple[Any, ...]]] = [
    *[("divide", (a, b)) for a, b in itertools.product(NUMBERS, NUMBERS) if b],
    *[("divide_by_constants", (a,)) for a in (*NUMBERS, LEAST, MOST)],
    *[("chain", (np.zeros(9, dtype=np.int64), *abc)) for abc in itertools.product((1, 2, 3), repeat=3)],
    ("order", (np.zeros(12, dtype=np.int64),)),
    *[("values", (a, b, x)) for a, b, x in itertools.product((0, 4), (0, -2), (0.0, 1.5))],
    *[("least", (a, b, 0.5 * b, 0.5 * a)) for a, b in itertools.product((-1, 4), (4, 0))],
    ("least", (1, 2, float("nan"), 1.0)),
    ("least", (1, 2, 1.0, float("nan"))),
    *[("after_loop", (n,)) for n in (-1, 0, 3, 9)],
    ("bound_of_loop", (4,)),
    *[("steps", ends) for ends in ((0, 50), (5, 5), (9, 0), (MOST - 20, MOST), (LEAST, LEAST + 20))],
    ("swap", (np.arange(5), 1, 3)),
    ("augmented", (np.zeros(9, dtype=np.int64), np.arange(5))),
    *[("branch", (flag, 3)) for flag in (True, False)],
    ("unrolled", (3,)),
    ("unreachable", (4,)),
    ("rows", (4,)),
    *[("bound_anew", (np.arange(5), n)) for n in (0, 1, 7, 200)],
    *[("alias", (np.arange(6), flag)) for flag in (True, False)],
    *[("truth", (*flags, 1)) for flags in itertools.product((True, False), repeat=2)],
    *[("comparisons", (x, y)) for x, y in itertools.product((1.0, 0.0, float("nan"), float("inf")), repeat=2)],
    *[("whole", (x,)) for x in (0.0, -0.9, 2.9, -1e15, 2.0**62)],
    ("floats", (-3, 2.5)),
    ("floats", (3, -0.0)),
    ("tuples", (3, 1)),
    ("tuples", (1, 3)),
    ("calls", (4,)),
    *[("mixed", (flag, np.array([5], dtype=np.int32), 3)) for flag in (True, False)],
    ("constants", ()),
]


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")  # of a bool, since Python 3.12
@pytest.mark.parametrize("name", dict.fromkeys(name for name, _ in CASES))
def test_as_in_python(pair: tuple[ModuleType, ModuleType], name: str) -> None:
    for arguments in [arguments for case, arguments in CASES if case == name]:
        agree(pair, name, *arguments)


NARROW = """
@compiled
def narrow(a, n: int):
    a[1] = a[0] + 1
    b = a[0]
    b += 2
    big = a[0] + n
    return big, b - 7, a.sum(), max(a[0], 5), a[0] << 31, a[0] if n else 0, abs(a[0]), int(a[2])

@compiled
def limit(a: np.int32):
    return a
"""


def test_int32_stays_narrow_with_constants_and_widens_with_ints(tmp_path: Path) -> None:
    module = load(tmp_path, NARROW)
    a = np.array([2**31 - 4, 0, -5], dtype=np.int32)
    most = 2**31 - 4
    wanted = (most + 10, most - 5, 2 * most - 4, most, most << 31, most, most, -5)
    assert module.narrow(a, 10) == wanted
    assert a.tolist() == [most, most + 1, -5]
    assert module.limit(-5) == -5


FLOWS = """
@compiled
def maybe(flag: bool, a):
    if flag:
        found = 3
    return found

@compiled
def make(n: int):
    return np.full(n, n, dtype=np.int64)

@compiled
def add_up(n: int, times: int):
    total = 0
    for _ in range(times):
        total += make(n)[0]
    return total

@compiled
def in_calls(n: int, times: int):
    total = 0
    for _ in range(times):
        total += add_up(n, 2)
    return total

@compiled
def two(n: int):
    a = make(n)
    b = make(n + 1)
    a[0] = 77
    return a, b, a[1:], np.zeros(0, dtype=np.float64)

@compiled
def size(n: int, m: int):
    return len(np.zeros((n, m), dtype=np.int64))
"""


def test_scratch_memory_is_bounded_given_back_and_reset(tmp_path: Path) -> None:
    module = load(tmp_path, FLOWS)
    assert module.add_up(1000, 10) == 10_000
    assert module.in_calls(100_000, 300) == 60_000_000
    for _ in range(2):
        with pytest.raises(MemoryError, match="make, line"):
            module.add_up(1_000_000, 1000)
        a, b, c, nothing = module.two(3)
        assert (a.tolist(), b.tolist(), c.tolist(), nothing.tolist()) == ([77, 3, 3], [4] * 4, [3, 3], [])
    for sizes in ((-1, 1), (1, -1), (-1, -1), (2**40, 2**40), (2**62, 4), (2**29, 2**29)):
        with pytest.raises((MemoryError, ValueError)):
            module.size(*sizes)
    assert module.size(3, 0) == 3


def test_a_variable_that_may_have_no_value(tmp_path: Path, build: str) -> None:
    module = load(tmp_path, FLOWS)
    assert module.maybe(True, 0) == 3
    if build == "checked":
        with pytest.raises(UnboundLocalError, match="maybe, line"):
            module.maybe(False, 0)


LIBRARY = f"""
@compiled
def length(a):
    n = 0
    while a[n] != 0:
        n += 1
    return n

@compiled
def same(n: int):
    a = np.zeros(100, dtype=np.int64)
    b = np.zeros(100, dtype=np.int64)
    a[n] = b[n // 2] = n
    for i in {tuple(range(100))}:
        if a[i] != b[i]:
            return False
    return True
"""


def test_a_loop_that_is_a_function_of_c_stays_a_loop(tmp_path: Path) -> None:
    module = load(tmp_path, LIBRARY)
    for dtype in (np.int8, np.int32, np.int64):
        assert module.length(np.array([3, 4, 5, 0, 6], dtype=dtype)) == 3
    assert [module.same(n) for n in range(3)] == [True, False, False]


NARROW_FLOATS = """
@compiled
def halves(out, n: int):
    half = np.full(3, 0.1, dtype=np.float32)
    for i in range(len(out)):
        out[i] = n / 2
        n += 1
    out[0] = n
    return float(out[1]), half.copy(), float(half[0])
"""


def test_floats_of_32_bits_are_rounded_when_they_are_stored(tmp_path: Path) -> None:
    out = np.zeros(3, dtype=np.float32)
    first, half, read = load(tmp_path, NARROW_FLOATS).halves(out, 3)
    assert (out.tolist(), first) == ([6.0, 2.0, 2.5], 2.0)
    assert half.dtype == np.float32
    assert read == float(np.float32(0.1)) != 0.1


def test_a_call_that_interrupts_another_leaves_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a signal may come when machine code has returned, and its array is not yet copied."""
    other, module = load(tmp_path, FLOWS), load(tmp_path, FLOWS)
    other.make(3)
    copied = calls._array_back

    def interrupted(*given: Any) -> Any:
        other.make(9)
        with pytest.raises(MemoryError):
            other.add_up(1_000_000, 1000)
        return copied(*given)

    monkeypatch.setattr(calls, "_array_back", interrupted)
    a, b, *_ = module.two(3)

    assert (a.tolist(), b.tolist()) == ([77, 3, 3], [4] * 4)


def test_a_call_is_answered_though_another_thread_called_with_the_same_types_meanwhile(tmp_path: Path) -> None:
    twice = load(tmp_path, "\n@compiled\ndef twice(a):\n    return a * 2\n").twice
    first = twice.__call__  # what a thread found before another one called
    assert twice(1) == first(1) == 2
    of_integers = twice.__call__
    assert twice(1.5) == of_integers(1.5) == 3.0


def test_threads_have_contexts_of_their_own(tmp_path: Path) -> None:
    module = load(tmp_path, FLOWS)
    all_there = threading.Barrier(6)

    def work(n: int) -> list[bool]:
        all_there.wait()
        return [module.two(n + i)[1].sum() == (n + i + 1) ** 2 for i in range(50)]

    with ThreadPoolExecutor(6) as pool:
        assert all(map(all, pool.map(work, range(2, 602, 100))))
