"""Values, conversions between types, and operators with Python's meaning."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from ttr_analysis._compile.source import Source
from ttr_analysis._compile.types import BOOL, FLOAT, INT, INT32, NONE, Scalar, Tuple, Type, parts_of
from ttr_analysis._compile.writer import Fault, Value, Writer, constant, number


@dataclass(frozen=True, slots=True)
class Static:
    """A Python object without a value in compiled code: a module, a class, a function."""

    thing: object


@dataclass(frozen=True, slots=True)
class Instance:
    """A function compiled for certain argument types."""

    symbol: str
    result: Type
    may_fail: bool
    stores: tuple[int, ...]
    """Numbers of the parameters whose memory it may write."""


class Module(Protocol):
    """The module that a function is written for; `Program` implements it."""

    is_checked: bool
    """Whether indices and overflow are checked."""

    def instance(
        self, source: Source, kinds: tuple[Type, ...], caller: tuple[Source, ast.AST] | None = None
    ) -> Instance:
        """Return a function for some types, compiling it if it is not in the module yet."""

    def place(self, fault: Fault, source: Source, line: int) -> int:
        """Return the number that reports an error."""

    def table(self, symbols: list[str]) -> str:
        """Return the address of a table of functions."""

    def note(self, source: Source, name: str, thing: object) -> None:
        """Note the object of a global or dotted name."""


INT_LIMIT = 1 << 63
"""Integers are below it, and at least its negative."""
_RANK: dict[Type, int] = {BOOL: 0, INT32: 1, INT: 2, FLOAT: 3}
"""Number types, narrowest first. A value converts to any later type; floats round integers above 2**53."""


class Values(Writer):
    """Writes values, and converts them between types."""

    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(is_checked=program.is_checked)
        self.program = program
        self.source = source

    # -- expressions in general -----------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        found = self.evaluate(node)
        return self.static_value(node, found.thing) if isinstance(found, Static) else found

    def evaluate(self, node: ast.expr) -> Value | Static:
        """Return the value of an expression, or the Python object that it names."""
        self.line = getattr(node, "lineno", self.line)
        method = getattr(self, f"value_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.source.error_for(node)
        return cast("Value | Static", method(node))

    def static_value(self, node: ast.AST, thing: object) -> Value:
        """Return the compiled value of a Python object, if it has one."""
        if isinstance(thing, Enum):
            thing = thing.value
        if isinstance(thing, np.generic):
            thing = thing.item()
        if isinstance(thing, int) and not -INT_LIMIT <= thing < INT_LIMIT:
            raise self.source.error(node, f"an integer of {thing.bit_length()} bits", "stay below 2**63")
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
        raise self.source.error(node, f"{what} as a value", instead)

    # -- tuples -----------------------------------------------------------------------

    def tuple_of(self, items: list[Value], made_by: type | None = None) -> Value:
        kind = Tuple(tuple(item.kind for item in items), made_by)
        origin = frozenset[str]().union(*(item.origin for item in items))
        return Value(kind, tuple(part for item in items for part in item.parts), origin=origin)

    def items_of(self, value: Value) -> list[Value]:
        items = []
        at = 0
        for kind in cast("Tuple", value.kind).items:
            n = len(parts_of(kind))
            items.append(Value(kind, value.parts[at : at + n], origin=value.origin))
            at += n
        return items

    # -- conversions --------------------------------------------------------------------

    def convert(self, node: ast.AST, value: Value, kind: Type, role: str) -> Value:
        """Return a value as another type, if it is wider or the value is known to fit."""
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
        raise self.source.error(node, f"{role} is {kind}, not {have}", f"convert it, or use {have} from the start")

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
        kind = self.common_type(node, values)
        return [self.convert(node, value, kind, "this") for value in values]

    def common_type(self, node: ast.AST, values: list[Value]) -> Type:
        """Return the type that can hold all these values."""
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
        raise self.source.error(node, f"a choice between {kinds[0]} and {kinds[-1]}", "give both one type")

    # -- numbers ----------------------------------------------------------------------

    def number(self, node: ast.AST, value: Value) -> Value:
        if value.kind not in _RANK:
            raise self.source.error(node, f"{value.kind} where a number is needed", "write a loop over its items")
        return value

    def integer(self, node: ast.expr) -> Value:
        """Return the value of an integer expression, as an int."""
        value = self.value(node)
        if value.kind not in (INT, INT32, BOOL):
            raise self.source.error(node, f"{value.kind} where an int is needed", "write int(...) around it")
        return self.wide(value)

    def truth(self, node: ast.AST, value: Value) -> str:
        if value.kind is BOOL:
            return value.one
        self.number(node, value)
        if value.const is not None:
            return number(bool(value.const))
        if value.kind is FLOAT:
            return self.get(f"fcmp une double {value.one}, {number(0.0)}")
        return self.get(f"icmp ne {cast('Scalar', value.kind).llvm} {value.one}, 0")

    def negated(self, part: str) -> str:
        known = {"true": "false", "false": "true"}
        return known[part] if part in known else self.get(f"xor i1 {part}, true")


def fits(value: float, bits: int) -> bool:
    """Return whether a number is an integer that fits into `bits` bits, including the sign."""
    return isinstance(value, int) and -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def _is_narrow(value: Value) -> bool:
    """Return whether a number is an int32, or can be converted to one."""
    if value.kind is INT:
        return value.const is not None and fits(value.const, 32)
    return value.kind in (INT32, BOOL)


# -- operators -----------------------------------------------------------------------------------------------------

_INT_OPERATIONS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_FLOAT_OPERATIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
_BIT_OPERATIONS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_COMPARISONS = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}


def _computed(expression: ast.expr) -> Any:  # noqa: ANN401 - whatever number
    whole = ast.fix_missing_locations(ast.Expression(expression))
    return eval(compile(whole, "", "eval"), {})  # noqa: S307 - numbers and an operator


class Arithmetic(Values):
    def value_of_binop(self, node: ast.BinOp) -> Value:
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        kind = type(op)
        self.number(node, a)
        self.number(node, b)
        if a.const is not None and b.const is not None:
            folded = self._folded(node, op, a.const, b.const)
            if folded is not None:
                return folded
        if kind is ast.Div:
            return self._divide(node, a, b)
        if FLOAT in (a.kind, b.kind):
            if kind not in _FLOAT_OPERATIONS:
                return self._no(node, op)
            a, b = self.common(node, [a, b])
            return Value(FLOAT, (self.get(f"{_FLOAT_OPERATIONS[kind]} double {a.one}, {b.one}"),))
        if kind in _BIT_OPERATIONS:
            a, b = self.common(node, [a, b])
            bits = cast("Scalar", a.kind)
            return Value(bits, (self.get(f"{_BIT_OPERATIONS[kind]} {bits.llvm} {a.one}, {b.one}"),))
        if kind in _INT_OPERATIONS:
            a, b = self._as_integers(node, a, b)
            narrow = cast("Scalar", a.kind)
            return Value(narrow, (self.arithmetic(_INT_OPERATIONS[kind], a.one, b.one, narrow.llvm),))
        a, b = self.wide(a), self.wide(b)
        if kind in (ast.LShift, ast.RShift):
            return self._shift(is_left=kind is ast.LShift, a=a, b=b)
        if kind in (ast.FloorDiv, ast.Mod):
            return self._floor(is_quotient=kind is ast.FloorDiv, a=a, b=b)
        return self._no(node, op)

    def _folded(self, node: ast.AST, op: ast.operator, a: float, b: float) -> Value | None:
        """Return the result of two constants; None if it must raise an error at run time."""
        if isinstance(op, (ast.LShift, ast.Pow)) and isinstance(a, int) and b > INT_LIMIT.bit_length():
            raise self.source.error(node, "an integer of many bits", "stay below 2**63")
        try:
            result = _computed(ast.BinOp(ast.Constant(a), op, ast.Constant(b)))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            return None
        return self.static_value(node, result)

    def _as_integers(self, node: ast.AST, a: Value, b: Value) -> tuple[Value, Value]:
        a, b = self.common(node, [a, b])
        return (self.wide(a), self.wide(b)) if a.kind is BOOL else (a, b)

    def _no(self, node: ast.AST, op: ast.operator) -> Value:
        instead = {ast.Pow: "multiply, or shift 1 to the left", ast.MatMult: "write a loop"}
        what = f"the operator {type(op).__name__} on these numbers"
        raise self.source.error(node, what, instead.get(type(op), "convert to int first"))

    def _divide(self, node: ast.AST, a: Value, b: Value) -> Value:
        a, b = self.convert(node, a, FLOAT, "this"), self.convert(node, b, FLOAT, "this")
        if not b.const:
            self.fail_if(self.get(f"fcmp oeq double {b.one}, {number(0.0)}"), Fault.DIVISION)
        return Value(FLOAT, (self.get(f"fdiv double {a.one}, {b.one}"),))

    def _shift(self, *, is_left: bool, a: Value, b: Value) -> Value:
        places = b.one
        if b.const is None:
            if self.is_checked:
                self.fail_if(self.get(f"icmp ugt i64 {places}, 63"), Fault.SHIFT)
            places = self.get(f"and i64 {places}, 63")  # as the processor does anyway
        elif not 0 <= b.const < 64:  # noqa: PLR2004 - bits of an int
            self.fail_if("true", Fault.SHIFT)
            places = "0"
        if not is_left:
            return Value(INT, (self.get(f"ashr i64 {a.one}, {places}"),))
        shifted = self.get(f"shl i64 {a.one}, {places}")
        if self.is_checked:
            back = self.get(f"ashr i64 {shifted}, {places}")
            self.fail_if(self.get(f"icmp ne i64 {back}, {a.one}"), Fault.OVERFLOW)
        return Value(INT, (shifted,))

    def _floor(self, *, is_quotient: bool, a: Value, b: Value) -> Value:
        """Divide as Python does: round the quotient down, and give the remainder the sign of the divisor."""
        known = cast("int | None", b.const)
        if known is not None and known > 0 and known & (known - 1) == 0:
            text = f"ashr i64 {a.one}, {known.bit_length() - 1}" if is_quotient else f"and i64 {a.one}, {known - 1}"
            return Value(INT, (self.get(text),))
        divisor = b.one
        if not known:
            self.fail_if(self.get(f"icmp eq i64 {divisor}, 0"), Fault.DIVISION)
        if known in (None, -1):  # the least integer divided by -1 overflows, and traps on some processors
            is_minus_one = self.get(f"icmp eq i64 {divisor}, -1")
            if is_quotient:
                is_least = self.get(f"icmp eq i64 {a.one}, {-INT_LIMIT}")
                self.fail_if(self.get(f"and i1 {is_least}, {is_minus_one}"), Fault.OVERFLOW)
            else:
                divisor = self.get(f"select i1 {is_minus_one}, i64 1, i64 {divisor}")  # the remainder is 0 for both
        remainder = self.get(f"srem i64 {a.one}, {divisor}")
        signs = self.get(f"xor i64 {remainder}, {divisor}")
        is_other = self.get(f"icmp slt i64 {signs}, 0")
        is_rest = self.get(f"icmp ne i64 {remainder}, 0")
        is_off = self.get(f"and i1 {is_other}, {is_rest}")
        if is_quotient:
            quotient = self.get(f"sdiv i64 {a.one}, {divisor}")
            return Value(INT, (self.get(f"sub i64 {quotient}, {self.get(f'zext i1 {is_off} to i64')}"),))
        more = self.get(f"select i1 {is_off}, i64 {divisor}, i64 0")
        return Value(INT, (self.get(f"add i64 {remainder}, {more}"),))

    def value_of_unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (self.negated(self.condition(node.operand)),))
        value = self.number(node, self.value(node.operand))
        if isinstance(node.op, ast.UAdd):
            return value if value.kind is not BOOL else self.wide(value)
        if isinstance(node.op, ast.Invert):
            if value.kind is FLOAT:
                return self._no(node, ast.BitXor())
            return self.binary(node, ast.BitXor(), self.wide(value), constant(-1))
        if value.const is not None:
            return self.static_value(node, -value.const)
        if value.kind is FLOAT:
            return Value(FLOAT, (self.get(f"fneg double {value.one}"),))
        return self.binary(node, ast.Sub(), constant(0), value)

    def condition(self, node: ast.expr) -> str:
        """Return whether an expression is true, without computing the values of `and` and `or`."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negated(self.condition(node.operand))
        if not isinstance(node, ast.BoolOp):
            return self.truth(node, self.value(node))
        parts = (partial(self.condition, operand) for operand in node.values)
        return self.first_that_is(parts, is_true=isinstance(node.op, ast.Or))

    def first_that_is(self, parts: Iterable[Callable[[], str]], *, is_true: bool) -> str:
        """Return "any" or "all" of some truth values, stopping at the first that decides."""
        *parts, last = parts
        after, stop, go_on = self.new_block("decided"), number(is_true), number(not is_true)
        found = []
        for part in parts:
            onward, value = self.new_block("more"), part()
            if value != go_on:
                found.append((stop, self.block))
            self.branch(value, *((after, onward) if is_true else (onward, after)))
            self.start(onward)
        value = last()
        if not parts:
            return value
        found.append((value, self.block))
        self.jump(after)
        self.start(after)
        return self.phi("i1", found)

    # -- comparisons --------------------------------------------------------------------

    def value_of_compare(self, node: ast.Compare) -> Value:
        left = self.value(node.left)

        def compare(op: ast.cmpop, right: ast.expr) -> str:
            nonlocal left
            part, left = self._compare(node, op, left, right)
            return part

        parts = (partial(compare, op, right) for op, right in zip(node.ops, node.comparators, strict=True))
        return Value(BOOL, (self.first_that_is(parts, is_true=False),))

    def _compare(self, node: ast.AST, op: ast.cmpop, left: Value, right_node: ast.expr) -> tuple[str, Value]:
        """Return the result of one comparison, and its second operand."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            raise self.source.error(node, "'is' in compiled code", "compare with == or !=")
        right = self.value(right_node)
        if not isinstance(op, (ast.In, ast.NotIn)):
            return self.ordered(node, op, left, right), right
        if not isinstance(right.kind, Tuple):
            raise self.source.error(node, f"'in' with {right.kind}", "write a tuple of numbers")
        found = "false"
        for item in self.items_of(right):
            same = self.ordered(node, ast.Eq(), left, item)
            found = same if found == "false" else self.get(f"or i1 {found}, {same}")
        return (found if isinstance(op, ast.In) else self.negated(found)), right

    def ordered(self, node: ast.AST, op: ast.cmpop, a: Value, b: Value) -> str:
        """Compare two numbers, or two tuples item by item."""
        if isinstance(a.kind, Tuple) and isinstance(b.kind, Tuple) and len(a.kind.items) == len(b.kind.items) > 0:
            return self._ordered_tuples(node, op, self.items_of(a), self.items_of(b))
        self.number(node, a)
        self.number(node, b)
        if a.const is not None and b.const is not None:
            return number(_computed(ast.Compare(ast.Constant(a.const), [op], [ast.Constant(b.const)])))
        for_int, for_float = _COMPARISONS[type(op)]
        if FLOAT in (a.kind, b.kind):
            a, b = self.common(node, [a, b])
            return self.get(f"fcmp {for_float} double {a.one}, {b.one}")
        a, b = self._as_integers(node, a, b)
        return self.get(f"icmp {for_int} {cast('Scalar', a.kind).llvm} {a.one}, {b.one}")

    def _ordered_tuples(self, node: ast.AST, op: ast.cmpop, first: list[Value], second: list[Value]) -> str:
        *pairs, last = zip(first, second, strict=True)
        strict: ast.cmpop = ast.Lt() if isinstance(op, (ast.Lt, ast.LtE)) else ast.Gt()
        found = self.ordered(node, op, *last)
        for x, y in reversed(pairs):
            if isinstance(op, (ast.Eq, ast.NotEq)):
                joined = "and" if isinstance(op, ast.Eq) else "or"
                found = self.get(f"{joined} i1 {self.ordered(node, op, x, y)}, {found}")
            else:
                same = self.ordered(node, ast.Eq(), x, y)
                rest = self.get(f"and i1 {same}, {found}")
                found = self.get(f"or i1 {self.ordered(node, strict, x, y)}, {rest}")
        return found
