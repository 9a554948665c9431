"""Values and their types: numbers and tuples, and what each can be converted to."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING, cast

import numpy as np

from ttr_analysis._compile.source import Source
from ttr_analysis._compile.types import BOOL, FLOAT, INT, INT32, NONE, Scalar, Tuple, Type, parts_of
from ttr_analysis._compile.writer import Value, Writer, constant, number

if TYPE_CHECKING:
    from ttr_analysis._compile.program import Program


class Static:
    """A Python object that compiled code names but that has no value in it: a module, a class, a function."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing


INT_LIMIT = 1 << 63
"""Integers lie below it, and at or above its negative."""
_RANK: dict[Type, int] = {BOOL: 0, INT32: 1, INT: 2, FLOAT: 3}
"""Numbers, each of which holds all those before it."""


class Values(Writer):
    """
    Write values, and what makes one type of another.

    Parameters
    ----------
    program
        The module that is written, where other functions are found.
    source
        The function.
    """

    def __init__(self, program: Program, source: Source) -> None:
        super().__init__(is_checked=program.is_checked)
        self.program = program
        self.source = source

    # -- expressions in general -----------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        found = self.evaluate(node)
        return self.static_value(node, found.thing) if isinstance(found, Static) else found

    def evaluate(self, node: ast.expr) -> Value | Static:
        """Return the value of an expression, or the Python object that it names."""
        self.line = getattr(node, "lineno", self.line)
        method = getattr(self, f"value_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.source.refuse_node(node)
        return cast("Value | Static", method(node))

    def static_value(self, node: ast.AST, thing: object) -> Value:
        """Return the value of a Python object, if it has one."""
        if isinstance(thing, Enum):
            thing = thing.value
        if isinstance(thing, np.generic):
            thing = thing.item()
        if isinstance(thing, int) and not -INT_LIMIT <= thing < INT_LIMIT:
            raise self.source.refuse(node, f"an integer of {thing.bit_length()} bits", "stay below 2**63")
        if isinstance(thing, (bool, int, float)):
            return constant(thing)
        if type(thing) is tuple or (isinstance(thing, tuple) and hasattr(thing, "_fields")):
            made_by = type(thing) if hasattr(thing, "_fields") else None
            return self.tuple_of([self.static_value(node, item) for item in thing], made_by)
        if thing is None:
            return Value(NONE, ())
        what = f"{ast.unparse(node)!r}, a {type(thing).__name__},"
        instead = (
            "pass it as an argument" if isinstance(thing, np.ndarray) else "use numbers, arrays, tuples or records"
        )
        raise self.source.refuse(node, f"{what} as a value", instead)

    # -- tuples -----------------------------------------------------------------------

    def tuple_of(self, items: list[Value], made_by: type | None = None) -> Value:
        """Return values as one tuple."""
        kind = Tuple(tuple(item.kind for item in items), made_by)
        origin = frozenset[str]().union(*(item.origin for item in items))
        return Value(kind, tuple(part for item in items for part in item.parts), origin=origin)

    def items_of(self, value: Value) -> list[Value]:
        """Return the items of a tuple."""
        items = []
        at = 0
        for kind in cast("Tuple", value.kind).items:
            n = len(parts_of(kind))
            items.append(Value(kind, value.parts[at : at + n], origin=value.origin))
            at += n
        return items

    # -- one type as another ------------------------------------------------------------

    def convert(self, node: ast.AST, value: Value, kind: Type, role: str) -> Value:
        """Return a value as another type, where that loses nothing."""
        have = value.kind
        if have == kind:
            return value
        if kind in _RANK and have in _RANK:
            if kind is FLOAT:
                return self._as_float(value)
            if kind is INT and have is not FLOAT:
                return self.wide(value)
            if kind is INT32 and _is_narrow(value):
                part = self.get(f"zext i1 {value.one} to i32") if have is BOOL else value.one
                return Value(INT32, (part,), value.const)
        if isinstance(kind, Tuple) and isinstance(have, Tuple) and len(kind.items) == len(have.items):
            items = zip(self.items_of(value), kind.items, strict=True)
            return self.tuple_of([self.convert(node, item, to, role) for item, to in items], kind.made_by)
        raise self.source.refuse(node, f"{role} is {kind}, not {have}", f"convert it, or make it {have} from the start")

    def _as_float(self, value: Value) -> Value:
        if value.const is not None:
            return constant(float(value.const))
        return Value(FLOAT, (self.get(f"sitofp i64 {self.wide(value).one} to double"),))

    def wide(self, value: Value) -> Value:
        """Return an integer or truth value as an int."""
        if value.const is not None:
            return constant(int(value.const))
        if value.kind is BOOL:
            return Value(INT, (self.get(f"zext i1 {value.one} to i64"),))
        if value.kind is INT32:
            return Value(INT, (self.get(f"sext i32 {value.one} to i64"),))
        return value

    def common(self, node: ast.AST, values: list[Value]) -> list[Value]:
        """Return values as the one type that holds them all."""
        kind = self.common_type(node, values)
        return [self.convert(node, value, kind, "this") for value in values]

    def common_type(self, node: ast.AST, values: list[Value]) -> Type:
        """Return the type that holds all these values."""
        kinds = [value.kind for value in values]
        if all(kind == kinds[0] for kind in kinds):
            return kinds[0]
        if all(kind in _RANK for kind in kinds):
            if INT32 in kinds and all(map(_is_narrow, values)):
                return INT32
            return max(kinds, key=_RANK.__getitem__)
        if all(isinstance(kind, Tuple) for kind in kinds):
            columns = [self.items_of(value) for value in values]
            if len({len(column) for column in columns}) == 1:
                made_by = {cast("Tuple", kind).made_by for kind in kinds}
                rows = zip(*columns, strict=True)
                items = tuple(self.common_type(node, list(row)) for row in rows)
                return Tuple(items, made_by.pop() if len(made_by) == 1 else None)
        raise self.source.refuse(node, f"a choice between {kinds[0]} and {kinds[-1]}", "give both one type")

    # -- numbers ----------------------------------------------------------------------

    def number(self, node: ast.AST, value: Value) -> Value:
        """Return a value that must be a number."""
        if value.kind not in _RANK:
            raise self.source.refuse(node, f"{value.kind} where a number is needed", "write a loop over its items")
        return value

    def integer(self, node: ast.expr) -> Value:
        """Return the value of an expression that must be an integer, as an int."""
        value = self.value(node)
        if value.kind not in (INT, INT32, BOOL):
            raise self.source.refuse(node, f"{value.kind} where an int is needed", "write int(...) around it")
        return self.wide(value)

    def truth(self, node: ast.AST, value: Value) -> str:
        """Return whether a value counts as true."""
        if value.kind is BOOL:
            return value.one
        self.number(node, value)
        if value.const is not None:
            return number(bool(value.const))
        if value.kind is FLOAT:
            return self.get(f"fcmp une double {value.one}, {number(0.0)}")
        return self.get(f"icmp ne {cast('Scalar', value.kind).llvm} {value.one}, 0")

    def negated(self, part: str) -> str:
        """Return the opposite of a truth value."""
        known = {"true": "false", "false": "true"}
        return known[part] if part in known else self.get(f"xor i1 {part}, true")


def fits(value: float, bits: int) -> bool:
    """
    Return whether a number is an integer of so many bits, sign included.

    Examples
    --------
    >>> fits(127, 8), fits(128, 8), fits(1.0, 8)
    (True, False, False)
    """
    return isinstance(value, int) and -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def _is_narrow(value: Value) -> bool:
    """Return whether a number is an int32, or can be one."""
    if value.kind is INT:
        return value.const is not None and fits(value.const, 32)
    return value.kind in (INT32, BOOL)
