"""Random programs of the subset give what plain Python gives."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compile.loading import load

INTS, FLOATS, BOOLS = ("i", "j", "k"), ("x", "y"), ("p", "q")
HELPERS = """
@compiled
def helper(n, x, flag):
    if flag and n > 3:
        return n - 3, x * 0.5
    return n % 7, x + 1.0

@compiled
def total(values, least):
    found = 0
    for value in values:
        if value < least:
            continue
        found += value
        if found > 1000:
            break
    return found
"""


GRAMMAR: dict[str, tuple[list[str], list[str]]] = {
    "number": (  # an int below 2**60
        [*INTS, "-7", "0", "1", "3", "64", "a[2]", "b[i & 3]", "m[k & 1, 2]", "len(a)", "a.sum()"],
        [
            "({n} + {m})",
            "({n} - {m})",
            "({n} * 5)",
            "({n} // {m})",
            "({n} % {m})",
            "({n} >> ({m} & 7))",
            "({n} << ({m} & 3))",
            "({n} & {m})",
            "({n} | {m})",
            "({n} ^ {m})",
            "(-{n})",
            "(~{n})",
            "(+{n})",
            "abs({n})",
            "min({n}, {m})",
            "max({n}, {m}, 2)",
            "({n} or {m})",
            "({n} and {m})",
            "({n} if {c} else {m})",
            "int({x} * 0.25)",
            "total(a, {n})",
            "total(a[1:4], {n})",
            "helper({n}, {x}, {c})[0]",
            "(({n}, {m})[1])",
        ],
    ),
    "real": (
        [*FLOATS, "0.5", "-2.0", "f[1]", "f[k & 1]"],
        [
            "({x} + {y})",
            "({x} - {n})",
            "({x} * 0.5)",
            "({n} / {m})",
            "({x} / {y})",
            "(-{x})",
            "abs({x})",
            "min({x}, {y})",
            "max({x}, {y})",
            "float({n})",
            "({x} if {c} else {y})",
            "helper({n}, {x}, {c})[1]",
        ],
    ),
    "truth": (
        [*BOOLS, "True", "i < 3", "j != k", "x > y"],
        [
            "({c} and {d})",
            "({c} or {d})",
            "(not {c})",
            "({n} < {m} <= 9)",
            "({n} == {m})",
            "({n} in (1, {m}, 4))",
            "({x} >= {y})",
            "({n} < {x})",
            "(({n}, {m}) <= (3, 1))",
            "bool({n})",
            "(0 <= {n} < {m} < 64)",
            "({c} == {d})",
        ],
    ),
}
"""For each kind of expression: names and constants, and forms of other expressions."""
PLACES = {"n": "number", "m": "number", "x": "real", "y": "real", "c": "truth", "d": "truth"}


@st.composite
def expression(draw: st.DrawFn, kind: str, depth: int) -> str:
    leaves, forms = GRAMMAR[kind]
    if depth <= 0 or draw(st.booleans()):
        return draw(st.sampled_from(leaves))
    form = draw(st.sampled_from(forms))
    return form.format(**{p: draw(expression(PLACES[p], depth - 1)) for p in PLACES if f"{{{p}}}" in form})


def number(depth: int = 3) -> st.SearchStrategy[str]:
    return expression("number", depth)


def real(depth: int = 2) -> st.SearchStrategy[str]:
    return expression("real", depth)


def truth(depth: int = 2) -> st.SearchStrategy[str]:
    return expression("truth", depth)


@st.composite
def statements(draw: st.DrawFn, depth: int = 2, *, in_loop: bool = False) -> list[str]:
    """Draw some lines."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kinds = ["int", "float", "bool", "augmented", "store", "swap", "unpack", "float store"]
        kinds += ["if", "for", "array", "tuple", "while"] * (depth > 0) + ["leave"] * in_loop
        match draw(st.sampled_from(kinds)):
            case "int":
                lines.append(f"{draw(st.sampled_from(INTS))} = {draw(number())} % 997")
            case "float":
                lines.append(f"{draw(st.sampled_from(FLOATS))} = {draw(real())}")
            case "bool":
                lines.append(f"{draw(st.sampled_from(BOOLS))} = {draw(truth())}")
            case "augmented":
                lines.append(
                    f"a[{draw(number(1))} & 3] {draw(st.sampled_from(['+', '-', '^', '|']))}= {draw(number(1))} & 255"
                )
            case "store":
                lines.append(f"b[{draw(number(1))} & 3] = {draw(number())} % 997")
            case "float store":
                lines.append(f"f[{draw(number(1))} & 1] = {draw(real())}")
            case "swap":
                lines.append("i, a[i & 3], a[j & 3] = j, a[j & 3], a[i & 3]")
            case "unpack":
                lines.append(f"k, x = helper({draw(number(1))} % 997, {draw(real(1))}, {draw(truth(1))})")
            case "leave":
                lines += [f"if {draw(truth(1))}:", f"    {draw(st.sampled_from(['break', 'continue']))}"]
            case "if":
                lines += [f"if {draw(truth())}:", *indented(draw(statements(depth - 1, in_loop=in_loop)))]
                if draw(st.booleans()):
                    lines += ["else:", *indented(draw(statements(depth - 1, in_loop=in_loop)))]
            case "for":
                bounds = draw(st.sampled_from(["4", "i & 3", "1, 6, 2", "5, -1, -3", "j & 3, k & 7"]))
                lines += [f"for k in range({bounds}):", *indented(draw(statements(depth - 1, in_loop=True)))]
            case "array":
                lines += ["for j in b:", *indented(draw(statements(depth - 1, in_loop=True)))]
            case "tuple":
                lines += ["for i in (3, j, 0):", *indented(draw(statements(depth - 1, in_loop=True)))]
            case "while":
                name = f"n{len(lines)}{depth}"
                body = [f"{name} += 1", *draw(statements(depth - 1, in_loop=True))]
                lines += [f"{name} = 0", f"while {name} < 3 and {draw(truth(1))}:", *indented(body)]
    return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def outcome(module: Any, numbers: tuple[int, int, int, float, float], *, as_lists: bool) -> Any:
    """Return what a program gives and leaves in its arrays, or the error with which it ends."""
    a, b, f = np.array([3, -1, 4, 1, -5]), np.array([2, 7, 1, 8]), np.array([0.5, -1.25])
    m = np.array([[1, 2, 3], [4, 5, 6]])
    given = [Listed(a.tolist()), Listed(b.tolist()), Listed(f.tolist())] if as_lists else [a, b, f]
    table = {(i, j): int(m[i, j]) for i, j in itertools.product(range(2), range(3))} if as_lists else m
    try:
        result = module.program(*given, table, *numbers)
    except ZeroDivisionError:
        return ZeroDivisionError
    return [*result, *(list(array) for array in given)]


class Listed(list[Any]):
    """An array of Python's own numbers: numpy's divide by zero with a warning."""

    def sum(self) -> Any:
        return sum(self)


def same(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and isinstance(second, float) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    lines=statements(),
    ints=st.tuples(*[st.integers(-1000, 1000)] * 3),
    floats=st.tuples(*[st.floats(-100, 100)] * 2),
)
def test_random_programs(
    lines: list[str], ints: tuple[int, int, int], floats: tuple[float, float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "\n".join(
        [
            HELPERS,
            "@compiled",
            "def program(a, b, f, m, i: int, j: int, k: int, x: float, y: float):",
            "    p = i > j",
            "    q = False",
            *indented(lines),
            "    return i, j, k, x, y, p, q",
        ]
    )
    folder = tmp_path_factory.mktemp("program")
    numbers = (*ints, *floats)
    wanted = outcome(load(folder, text, is_plain=True), numbers, as_lists=True)
    for checks in ("0", "1"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TTR_CHECKS", checks)
            got = outcome(load(Path(folder), text), numbers, as_lists=False)
        assert same(got, wanted), f"checks {checks}: {got}, not {wanted}\n{text}"
