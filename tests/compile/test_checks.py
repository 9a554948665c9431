"""What goes wrong while compiled code runs ends in an error that names function and line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compile.loading import load, start, write

A, NARROW = "np.arange(4)", "np.arange(4, dtype=np.int32)"
MOST = "2**63 - 1"
FAULTS: dict[str, tuple[str, str, str, type[Exception]]] = {
    "read": ("a, n: int", "return a[n]", f"{A}, 4", IndexError),
    "read below 0": ("a, n: int", "return a[n]", f"{A}, -1", IndexError),
    "read of a row": ("a, n: int", "return a[n, 1]", "np.zeros((2, 2), dtype=np.int64), 2", IndexError),
    "read within the block": ("a, n: int", "return a[0, n]", "np.zeros((2, 2), dtype=np.int64), 3", IndexError),
    "write": ("a, n: int", "a[n] = 1", f"{A}, 9", IndexError),
    "augmented write": ("a, n: int", "a[n] += 1", f"{A}, 4", IndexError),
    "slice that ends late": ("a, n: int", "return len(a[1:n])", f"{A}, 5", IndexError),
    "slice that begins late": ("a, n: int", "return len(a[n:])", f"{A}, 5", IndexError),
    "slice below 0": ("a, n: int", "return len(a[:n])", f"{A}, -1", IndexError),
    "copy of other sizes": ("a, n: int", "a[:n] = a[1:]", f"{A}, 2", ValueError),
    "sum": ("n: int", "return n + 1", MOST, OverflowError),
    "difference": ("n: int", "return -2 - n", MOST, OverflowError),
    "product": ("n: int", "return n * n", "2**32", OverflowError),
    "opposite": ("n: int", "return -n", "-2**63", OverflowError),
    "absolute": ("n: int", "return abs(n)", "-2**63", OverflowError),
    "narrow sum": ("a", "return a[3] + 2_147_483_647", NARROW, OverflowError),
    "shift": ("n: int", "return n << 62", "2", OverflowError),
    "shift by too much": ("n: int", "return 1 << n", "64", ValueError),
    "shift by less than 0": ("n: int", "return 8 >> n", "-1", ValueError),
    "narrow store": ("a, n: int", "a[0] = n", f"{NARROW}, 2**31", OverflowError),
    "narrow conversion": ("n: int", "return np.int32(n)", "2**31", OverflowError),
    "narrow fill": ("n: int", "return np.full(3, n, dtype=np.int8)", "128", OverflowError),
    "float": ("x: float", "return int(x)", "1e30", OverflowError),
    "no number": ("x: float", "return int(x)", "float('nan')", ValueError),
    "infinity": ("x: float", "return int(x)", "float('inf')", OverflowError),
    "total": ("a", "return a.sum()", f"np.full(2, {MOST})", OverflowError),
    "range": ("n: int", "t = 0\n    for i in range(n, 5):\n        t += 2**62\n    return t", "0", OverflowError),
}
ALWAYS: dict[str, tuple[str, str, str, type[Exception]]] = {
    "quotient": ("n: int", "return 1 // n", "0", ZeroDivisionError),
    "rest": ("n: int", "return 1 % n", "0", ZeroDivisionError),
    "ratio": ("n: int", "return 1 / n", "0", ZeroDivisionError),
    "ratio of floats": ("x: float", "return x / (x - x)", "2.0", ZeroDivisionError),
    "ratio of constants": ("n: int", "return n if n else 1 // 0", "0", ZeroDivisionError),
    "least by -1": ("n: int", "return n // -1", "-2**63", OverflowError),
    "memory": ("n: int", "return len(np.empty(n, dtype=np.int64))", "2**28", MemoryError),
    "array below 0": ("n: int", "return np.zeros(n, dtype=np.int64)", "-1", ValueError),
    "shift by a constant": ("n: int", "return n << 64", "1", ValueError),
}


def fail(folder: Path, case: tuple[str, str, str, type[Exception]]) -> None:
    parameters, body, arguments, error = case
    module = load(folder, f"\n@compiled\ndef inner({parameters}):\n    {body}\n")
    given: Any = eval(f"({arguments},)", {"np": np})  # noqa: S307
    for _ in range(2):
        with pytest.raises(error, match=r"in inner, line \d+ of .*\.py"):
            module.inner(*given)


@pytest.mark.parametrize("name", FAULTS)
def test_the_checked_build_says_where(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTR_CHECKS", "1")
    fail(tmp_path, FAULTS[name])


@pytest.mark.parametrize("name", ALWAYS)
@pytest.mark.usefixtures("build")
def test_both_builds_say_where(name: str, tmp_path: Path) -> None:
    fail(tmp_path, ALWAYS[name])


@pytest.mark.parametrize("case", [FAULTS["no number"], ALWAYS["array below 0"]])
def test_the_error_is_that_of_plain_python(
    case: tuple[str, str, str, type[Exception]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTR_CHECKS", "1")
    parameters, body, argument, error = case
    text = f"\n@compiled\ndef f({parameters}):\n    {body}\n"
    with pytest.raises(error) as plain:
        load(tmp_path, text, is_plain=True).f(eval(argument))  # noqa: S307
    with pytest.raises(error, match=f"^{plain.value}"):
        load(tmp_path, text).f(eval(argument))  # noqa: S307


PLANTED = """
@compiled
def inner(a, i: int):
    return a[i]

@compiled
def outer(a, i: int):
    a[0] = 5
    return inner(a, i) + 2**62
"""


def test_an_error_names_where_it_was_and_where_the_call_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTR_CHECKS", "1")
    outer = load(tmp_path, PLANTED).outer
    a = np.array([1, 2**62, 3])
    with pytest.raises(IndexError, match=r"^index out of range in inner, line 8 of .*, called from outer$"):
        outer(a, 9)
    with pytest.raises(OverflowError, match=r"^integer overflow in outer, line 13"):
        outer(a, 1)
    assert outer(a, 2) == 2**62 + 3


def test_without_checks_integers_wrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTR_CHECKS", "0")
    text = "\n@compiled\ndef wrap(n: int):\n    return n + 1, n * 2, n << 1, -n - 2\n"
    assert load(tmp_path, text).wrap(2**63 - 1) == (-(2**63), -2, -2, 2**63 - 1)


# -- the kernel is checked too -----------------------------------------------------------------


SCRIPT = """
import ttr_analysis as ttr
from ttr_analysis.engine.kernel.cards import may_take
from ttr_analysis.engine.layout import State
from ttr_analysis.tables import game_tables

tables = game_tables(ttr.load_map("usa"), 2)
print(may_take(State(), tables, 0))
may_take(State(), tables, State.n_cells)
"""


def test_a_kernel_that_reads_out_of_range_raises(tmp_path: Path) -> None:
    process = start(write(tmp_path, SCRIPT), TTR_CHECKS="1")

    said, complained = process.communicate()

    assert said == "True\n"
    assert process.returncode == 1
    assert "IndexError: index out of range in may_take" in complained
