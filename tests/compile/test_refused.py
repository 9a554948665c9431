"""What is outside the subset is refused with file, line, the construct, and what to write instead."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compile.loading import load
from ttr_analysis._compile import SubsetError, compiled

HEAD = """
LIMIT = 5
ARRAY = np.zeros(3)

class Point(NamedTuple):
    x: int
    y: int

class State(Record):
    turn = cell()
    hand = block(3)

def plain(n):
    return n

@compiled
def twice(n: int):
    return 2 * n

@compiled
def again(n: int):
    return again(n)
"""
# Name: lines of a function of an int `n` and an array `a`, the construct, what to write instead.
REFUSED: dict[str, tuple[str, str, str]] = {
    "lambda": ("f = lambda: 3", "a lambda", "define a compiled function"),
    "list comprehension": ("b = [n for n in a]", "a list comprehension", "fill an array"),
    "set comprehension": ("b = {n for n in a}", "a set comprehension", "array of flags"),
    "dict comprehension": ("b = {n: n for n in a}", "a dict comprehension", "fill an array"),
    "generator": ("b = any(n for n in a)", "a call to 'any'", "see docs/compiler.md"),
    "generator as a value": ("b = (n for n in a)", "a generator", "write a loop"),
    "list": ("b = [1, 2]", "a list", "write a tuple, or an array"),
    "dict": ("b = {1: 2}", "a dict", "a record with named fields"),
    "set": ("b = {1, 2}", "a set", "write a tuple"),
    "text": ("b = 'a'", "the constant 'a'", "use numbers"),
    "formatted text": ("b = f'{n}'", "an f-string", "return a number"),
    "yield": ("yield n", "yield", "fill an array"),
    "yield from": ("yield from a", "yield from", "fill an array"),
    "walrus": ("b = (c := n) + 1", "an assignment inside an expression", "on a separate line"),
    "starred": ("b = (*a, n)", "a starred expression", "one by one"),
    "starred target": ("b, *c = 1, 2", "an assignment of int to *c", "name each item"),
    "try": ("try:\n        n = 1\n    except ValueError:\n        n = 2", "try", "return an error code"),
    "raise": ("raise ValueError", "raise", "return an error code"),
    "assert": ("assert n", "assert", "check in the caller"),
    "with": ("with n:\n        pass", "with", "in the caller"),
    "match": ("match n:\n        case 1:\n            n = 2", "match", "if and elif"),
    "del": ("del n", "del", "remove it"),
    "global": ("global LIMIT\n    LIMIT = n", "global", "pass the value"),
    "import": ("import math", "an import", "at the top"),
    "from import": ("from math import sqrt", "an import", "at the top"),
    "inner function": ("def g():\n        return 1", "a function in a function", "at the top of the module"),
    "inner class": ("class C:\n        pass", "a class in a function", "at the top of the module"),
    "while else": ("while n:\n        n = 0\n    else:\n        n = 1", "else after a loop", "set a flag"),
    "for else": ("for i in a:\n        n = 0\n    else:\n        n = 1", "else after a loop", "set a flag"),
    "enumerate": ("for i, b in enumerate(a):\n        n = i", "a loop over enumerate(a)", "loop over range"),
    "zip": ("for i, b in zip(a, a):\n        n = i", "a loop over zip(a, a)", "loop over range"),
    "step not known": ("for i in range(0, 9, n):\n        n = i", "a step that is not a constant", "while"),
    "step 0": ("for i in range(0, 9, 0):\n        n = i", "a step that is not a constant", "while"),
    "loop over a number": ("for i in n:\n        n = i", "a loop over int", "a range, an array or a tuple"),
    "power": ("b = n ** 2", "the operator Pow", "multiply"),
    "matrix product": ("b = a @ a", "array of int64 with 1 dimension where a number", "write a loop"),
    "sum of arrays": ("b = a + a", "array of int64 with 1 dimension where a number", "write a loop"),
    "arithmetic in place": ("a += 1", "array of int64 with 1 dimension where a number", "write a loop"),
    "arithmetic of a slice": ("a[1:] += 1", "arithmetic on a whole array", "write a loop"),
    "rest of floats": ("b = 1.5 % n", "the operator Mod", "convert to int"),
    "bits of a float": ("b = 1.5 & n", "the operator BitAnd", "convert to int"),
    "opposite bits of a float": ("b = ~1.5", "the operator BitXor", "convert to int"),
    "is": ("b = n is None", "'is'", "=="),
    "in an array": ("b = n in a", "'in' with array", "a tuple"),
    "truth of an array": ("if a:\n        n = 1", "array of int64 with 1 dimension where a number", "write a loop"),
    "negative index": ("b = a[-1]", "the negative index -1", "count from the start"),
    "negative slice": ("b = a[:-1]", "a slice that counts from the end", "count from the start"),
    "slice with a step": ("b = a[::2]", "a slice with a step", "loop with range"),
    "too many indices": ("b = a[1, 2]", "2 indices into array", "one for each dimension"),
    "index after a slice": (
        "b = np.zeros((2, 2), dtype=np.int64)[:, 1]",
        "an index after a slice",
        "loop over the rows",
    ),
    "index that is a float": ("b = a[1.0]", "float where an int is needed", "write int(...)"),
    "index into a tuple": ("b = (1, 2)[n]", "an index into a tuple that is not a constant", "use an array"),
    "slice of a tuple": ("b = (1, 2)[1:]", "a slice of a tuple", "list its items"),
    "index into a number": ("b = n[0]", "an index into int", "only arrays and tuples"),
    "change of a tuple": ("b = (1, 2)\n    b[0] = 3", "an assignment to part of tuple", "only arrays and records"),
    "another type": ("b = 1\n    b = 1.5", "is int, not float", "convert it"),
    "None as a value": ("b = None", "b = None", "-1"),
    "float in an array of ints": ("a[0] = 1.5", "an item is int, not float", "convert it"),
    "array in an array": ("a[0] = a", "array of int64 with 1 dimension where a number", "write a loop"),
    "copy of another dtype": ("a[:] = np.zeros(3, dtype=np.int32)", "set to array of int32", "item by item"),
    "constant too large for int8": ("np.zeros(3, dtype=np.int8)[0] = 128", "128 as int8", "int64"),
    "constant too large for int32": ("b = np.int32(2147483648)", "2147483648 as int32", "int64"),
    "integer beyond 64 bits": ("b = 1 << 63", "an integer of 64 bits", "below 2**63"),
    "integer of many bits": ("b = 2 ** 1000", "an integer of many bits", "below 2**63"),
    "choice of types": ("b = a if n else 1", "a choice between array", "give both one type"),
    "two results": ("if n:\n        return 1\n    return 1.5", "the return value is int, not float", "convert it"),
    "no result": ("if n:\n        return 1", "f has a path without a return", "return a value on every path"),
    "name before its value": ("b = c\n    c = 1", "'c' before it has a value", "set it on every path"),
    "unknown name": ("b = nothing", "the unknown name 'nothing'", "at the top of the module"),
    "unknown attribute": ("b = np.nothing", "the unknown name 'np.nothing'", "check the spelling"),
    "attribute of an array": ("b = a.T", "has no 'T'", "see docs"),
    "method of an array": ("b = a.max()", "the method 'max'", "use fill, copy, sum or a loop"),
    "method of a record": ("b = State().copy()", "the method 'copy' of State", "compiled function"),
    "sum of floats": ("b = np.zeros(3, dtype=np.float64).sum()", "the sum of an array of floats", "write a loop"),
    "global array": ("b = ARRAY", "'ARRAY', a ndarray,", "pass it as an argument"),
    "function as a value": ("b = plain", "'plain', a function,", "use numbers"),
    "plain function": ("b = plain(n)", "a call to 'plain'", "mark it as compiled"),
    "function of numpy": ("b = np.sqrt(n)", "a call to 'sqrt'", "see docs"),
    "print": ("print(n)", "a call to 'print'", "see docs"),
    "call of a number": ("n()", "a call to int", "by its name"),
    "call of itself": ("again(n)", "again calls itself", "write a loop"),
    "call by number": ("b = (1, 2)\n    b[0]()", "a call to an item of tuple", "Functions"),
    "call with *": ("twice(*a)", "a call with * or **", "one by one"),
    "call with **": ("twice(**a)", "a call with * or **", "one by one"),
    "too many arguments": ("twice(n, n)", "arguments that twice does not have", "it takes n"),
    "unknown argument": ("twice(m=n)", "arguments that twice does not have", "it takes n"),
    "argument given twice": ("twice(n, n=n)", "an argument of twice given twice", "once"),
    "missing argument": ("twice()", "twice without n", "pass it"),
    "argument of another type": ("twice(1.5)", "n of twice is int, not float", "convert it"),
    "missing item": ("b = Point(1)", "Point without y", "pass it"),
    "unknown item": ("b = Point(1, 2).z", "Point has no 'z'", "see docs"),
    "unknown field": ("b = State().other", "State has no field 'other'", "its fields are turn, hand"),
    "assignment to a block": ("State().hand = a", "an assignment to hand", "State().hand[:] = ..."),
    "record on floats": ("b = State(np.zeros(4, dtype=np.float64))", "a State on array of float64", "int64"),
    "index into a record": ("b = State()[0]", "an index into State", "name its field"),
    "record as a result": ("return State()", "a State returned to Python", "return numbers"),
    "array without a dtype": ("b = np.zeros(3)", "an array without a dtype", "dtype=np.int64"),
    "array of bools": ("b = np.zeros(3, dtype=np.bool_)", "the dtype np.bool_", "np.int64"),
    "array of no size": ("b = np.zeros(1.5, dtype=np.int64)", "an array of this shape", "as ints"),
    "array of less than nothing": ("b = np.zeros(-1, dtype=np.int64)", "an array of -1 items", "0 to 1"),
    "min of an array": ("b = min(a)", "min of one argument", "write a loop"),
    "length of a number": ("b = len(n)", "the length of int", "only arrays and tuples"),
    "int of two": ("b = int(n, 2)", "a call to int without exactly one argument", "pass one"),
    "expression for nothing": ("n + 1", "an expression that does nothing", "remove it"),
    "declaration without a value": ("b: int", "a declaration without a value", "assign a value"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    lines, what, instead = REFUSED[name]
    module = load(tmp_path, f"{HEAD}\n@compiled\ndef f(n: int, a):\n    {lines}\n")
    with pytest.raises(SubsetError) as caught:
        module.f(1, np.arange(3))
    place, _, said = str(caught.value).partition(".py:")
    line, _, said = said.partition(": ")
    assert (tmp_path / Path(place).name).with_suffix(".py").is_file()
    assert 25 <= int(line) <= 35 or name == "call of itself"
    where, _, said = said.partition(": ")
    assert where in ("f", "again")
    said_what, _, said_instead = said.partition("; ")
    assert what in said_what
    assert instead in said_instead


def test_enough_is_refused() -> None:
    assert len(REFUSED) >= 40


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("async def f(n):\n    return n", "an async function"),
        ("def f(*n):\n    return 1", "make all parameters positional"),
        ("def f(n, *, m=1):\n    return 1", "make all parameters positional"),
        ("def f(n, **m):\n    return 1", "make all parameters positional"),
    ],
)
def test_refused_as_a_whole(text: str, what: str, tmp_path: Path) -> None:
    module = load(tmp_path, f"\n@compiled\n{text}\n")
    with pytest.raises(SubsetError, match=re.escape(what)):
        module.f(1)


def test_a_function_without_text_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def f(n):\n    return n", names)  # noqa: S102
    for function in (names["f"], lambda n: n):
        with pytest.raises(SubsetError, match="define it"):
            compiled(function)(1)
