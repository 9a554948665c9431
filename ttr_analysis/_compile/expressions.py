"""What has a value: numbers, arrays, records, tuples, and operations on them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ttr_analysis._compile.records import Field, Record
from ttr_analysis._compile.source import Source, SubsetError
from ttr_analysis._compile.types import (
    BOOL,
    CELLS,
    FLOAT,
    INT,
    INT32,
    NONE,
    Array,
    Named,
    Pointers,
    Scalar,
    Tuple,
    Type,
    has_memory,
    parts_of,
)
from ttr_analysis._compile.writer import Fault, Value, Writer, constant, number

if TYPE_CHECKING:
    from ttr_analysis._compile.program import Program


class Static:
    """A Python object that compiled code names but that has no value in it: a module, a class, a function."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing


_NUMBER_LIMIT = 1 << 63
_RANK: dict[Type, int] = {BOOL: 0, INT32: 1, INT: 2, FLOAT: 3}
_FOLDED: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Pow: operator.pow,
}
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


class Variable:
    """A local variable: its type, where it lies, and the line that made it."""

    __slots__ = ("kind", "line", "slots")

    def __init__(self, kind: Type, slots: tuple[str, ...], line: int) -> None:
        self.kind = kind
        self.slots = slots
        self.line = line


class Expressions(Writer):
    """
    Write what expressions compute.

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
        self.variables: dict[str, Variable] = {}
        self.loop_depth = 0
        self.result = source.declared("return")

    # -- values and their types ---------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        found = self.evaluate(node)
        return self.static_value(node, found.thing) if isinstance(found, Static) else found

    def evaluate(self, node: ast.expr) -> Value | Static:
        """Return the value of an expression, or the Python object that it names."""
        self.line = getattr(node, "lineno", self.line)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.source.refuse_node(node)
        return cast("Value | Static", method(node))

    def static_value(self, node: ast.AST, thing: object) -> Value:
        """Return the value of a Python object, if it has one."""
        if isinstance(thing, Enum):
            thing = thing.value
        if isinstance(thing, (bool, int, float)) and not isinstance(thing, np.generic):
            if isinstance(thing, int) and not -_NUMBER_LIMIT <= thing < _NUMBER_LIMIT:
                raise self.source.refuse(node, f"the integer {thing}", "stay below 2**63")
            return constant(thing)
        if isinstance(thing, np.generic):
            return self.static_value(node, thing.item())
        if isinstance(thing, tuple):
            return self.tuple_of([self.static_value(node, item) for item in thing])
        if thing is None:
            return Value(NONE, ())
        what = f"{ast.unparse(node)!r}, a {type(thing).__name__},"
        instead = "pass it as an argument" if isinstance(thing, np.ndarray) else "use numbers, arrays, tuples or records"
        raise self.source.refuse(node, f"{what} as a value", instead)

    def tuple_of(self, items: list[Value], made_by: type | None = None) -> Value:
        """Return values as one tuple."""
        kind = Tuple(tuple(item.kind for item in items), made_by)
        return Value(kind, tuple(part for item in items for part in item.parts))

    def items_of(self, value: Value) -> list[Value]:
        """Return the items of a tuple."""
        items = []
        at = 0
        for kind in cast("Tuple", value.kind).items:
            n = len(parts_of(kind))
            items.append(Value(kind, value.parts[at : at + n]))
            at += n
        return items

    def convert(self, node: ast.AST, value: Value, kind: Type, role: str) -> Value:
        """Return a value as another type, where that loses nothing."""
        have = value.kind
        if have == kind:
            return value
        if isinstance(kind, Scalar) and isinstance(have, Scalar) and NONE not in (kind, have):
            if kind is FLOAT:
                if value.const is not None:
                    return constant(float(value.const))
                return Value(FLOAT, (self.get(f"sitofp {have.llvm} {self.wide(value).one} to double"),)) if (
                    have is INT
                ) else self.convert(node, self.wide(value), FLOAT, role)
            if kind is INT and have is not FLOAT:
                return self.wide(value)
            if kind is INT32 and have is INT and value.const is not None and -(1 << 31) <= value.const < 1 << 31:
                return Value(INT32, value.parts, value.const)
            if kind is INT32 and have is BOOL:
                return Value(INT32, (self.get(f"zext i1 {value.one} to i32"),))
        if isinstance(kind, Tuple) and isinstance(have, Tuple) and len(kind.items) == len(have.items):
            items = zip(self.items_of(value), kind.items, strict=True)
            return self.tuple_of([self.convert(node, item, to, role) for item, to in items], kind.made_by)
        raise self.source.refuse(node, f"{role} is {kind}, not {have}", f"convert it, or make it {have} from the start")

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
        kinds = [value.kind for value in values]
        if all(kind == kinds[0] for kind in kinds):
            return values
        if all(kind in _RANK for kind in kinds):
            widest = max(kinds, key=_RANK.__getitem__)
            narrow = {INT32, BOOL}
            if widest is INT and INT32 in kinds and all(v.kind in narrow or _fits_int32(v) for v in values):
                widest = INT32
            return [self.convert(node, value, widest, "this") for value in values]
        if all(isinstance(kind, Tuple) for kind in kinds):
            columns = [self.items_of(value) for value in values]
            if len({len(column) for column in columns}) == 1:
                rows = [self.common(node, list(row)) for row in zip(*columns, strict=True)]
                made_by = cast("Tuple", kinds[0]).made_by
                return [self.tuple_of([row[i] for row in rows], made_by) for i in range(len(values))]
        raise self.source.refuse(node, f"a choice between {kinds[0]} and {kinds[-1]}", "give both one type")

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

    def condition(self, node: ast.expr) -> str:
        """Return whether an expression is true, without computing `and` and `or` as values."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            return self.negated(inner)
        if not isinstance(node, ast.BoolOp):
            return self.truth(node, self.value(node))
        after = self.new_block("any" if isinstance(node.op, ast.Or) else "all")
        stop = "true" if isinstance(node.op, ast.Or) else "false"
        ways = []
        for operand in node.values[:-1]:
            onward = self.new_block("more")
            part = self.condition(operand)
            ways.append((stop, self.block))
            self.branch(part, *((after, onward) if stop == "true" else (onward, after)))
            if part in ("true", "false") and part != stop:
                ways.pop()
            self.start(onward)
        ways.append((self.condition(node.values[-1]), self.block))
        self.jump(after)
        self.start(after)
        return self.phi("i1", ways)

    def negated(self, part: str) -> str:
        """Return the opposite of a truth value."""
        known = {"true": "false", "false": "true"}
        return known[part] if part in known else self.get(f"xor i1 {part}, true")

    # -- names and constants --------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Value | Static:
        if isinstance(node.value, (str, bytes, complex)) or node.value is ...:
            raise self.source.refuse(node, f"the constant {node.value!r}", "use numbers")
        return self.static_value(node, node.value)

    def _name(self, node: ast.Name) -> Value | Static:
        variable = self.variables.get(node.id)
        if variable is not None:
            return self.load(variable.kind, variable.slots)
        if node.id in self.local_names:
            raise self.source.refuse(node, f"{node.id!r} before it has a value", "set it first, on every way")
        if node.id not in self.source.names:
            raise self.source.refuse(node, f"the unknown name {node.id!r}", "define it at the top of the module")
        thing = self.source.names[node.id]
        self.program.note(self.source, node.id, thing)
        return Static(thing)

    def _attribute(self, node: ast.Attribute) -> Value | Static:
        base = self.evaluate(node.value)
        if isinstance(base, Static):
            if not hasattr(base.thing, node.attr):
                raise self.source.refuse(node, f"the unknown name {ast.unparse(node)!r}", "see what there is")
            return Static(getattr(base.thing, node.attr))
        match base.kind:
            case Array() if node.attr == "size":
                return Value(INT, (self.size_of(base),))
            case Array() if node.attr == "shape":
                return self.tuple_of([Value(INT, (size,)) for size in base.parts[1:]])
            case Tuple() if (place := base.kind.place(node.attr)) is not None:
                return self.items_of(base)[place]
            case Named():
                return self.field(node, base, base.kind)
        raise self.source.refuse(node, f"{base.kind} has no {node.attr!r} in compiled code", "see docs/compiler.md")

    def field(self, node: ast.Attribute, base: Value, kind: Named) -> Value:
        """Return a field of a record: a number, or an array over its cells."""
        if node.attr == "cells":
            return Value(Array(kind.cell, 1), (base.one, str(kind.record.n_cells)))
        field = self.field_named(node, kind)
        address = self.address(base.one, str(field.offset), kind.cell.llvm)
        if not field.shape:
            return Value(kind.cell.read, (self.get(f"load {kind.cell.llvm}, ptr {address}"),))
        return Value(Array(kind.cell, len(field.shape)), (address, *map(str, field.shape)))

    def field_named(self, node: ast.Attribute, kind: Named) -> Field:
        """Return the declaration of a field."""
        if node.attr not in kind.record.fields:
            names = ", ".join(kind.record.fields)
            raise self.source.refuse(node, f"{kind} has no field {node.attr!r}", f"its fields are {names}")
        return kind.record.fields[node.attr]

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of([self.value(item) for item in node.elts])

    # -- arithmetic -------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """Return the result of an operator."""
        kind = type(op)
        self.number(node, a)
        self.number(node, b)
        if a.const is not None and b.const is not None and not (b.const == 0 and kind in (ast.Div, ast.FloorDiv, ast.Mod)):
            return self.static_value(node, _FOLDED[kind](a.const, b.const)) if kind in _FOLDED else self._no(node, op)
        if kind is ast.Div:
            return self._divide(node, a, b)
        if kind in _BIT_OPERATIONS:
            return self._bits(node, _BIT_OPERATIONS[kind], a, b)
        is_float = FLOAT in (a.kind, b.kind)
        if is_float and kind in _FLOAT_OPERATIONS:
            a, b = self.common(node, [a, b])
            return Value(FLOAT, (self.get(f"{_FLOAT_OPERATIONS[kind]} double {a.one}, {b.one}"),))
        if is_float:
            return self._no(node, op)
        if kind in _INT_OPERATIONS:
            a, b = self.common(node, [a, b])
            if a.kind is BOOL:
                a, b = self.wide(a), self.wide(b)
            narrow = cast("Scalar", a.kind)
            return Value(narrow, (self.arithmetic(_INT_OPERATIONS[kind], a.one, b.one, narrow.llvm),))
        a, b = self.wide(a), self.wide(b)
        if kind in (ast.LShift, ast.RShift):
            return self._shift(is_left=kind is ast.LShift, a=a, b=b)
        if kind in (ast.FloorDiv, ast.Mod):
            return self._floor(is_quotient=kind is ast.FloorDiv, a=a, b=b)
        return self._no(node, op)

    def _no(self, node: ast.AST, op: ast.operator) -> Value:
        """Refuse an operator."""
        instead = {ast.Pow: "multiply, or shift 1 to the left", ast.MatMult: "write a loop"}
        usual = "convert to int first" if isinstance(op, (ast.FloorDiv, ast.Mod)) else "write it out"
        raise self.source.refuse(node, f"the operator {type(op).__name__} on these numbers", instead.get(type(op), usual))

    def _divide(self, node: ast.AST, a: Value, b: Value) -> Value:
        a, b = self.convert(node, a, FLOAT, "this"), self.convert(node, b, FLOAT, "this")
        if b.const is None or b.const == 0:
            self.fail_if(self.get(f"fcmp oeq double {b.one}, {number(0.0)}"), Fault.DIVISION)
        return Value(FLOAT, (self.get(f"fdiv double {a.one}, {b.one}"),))

    def _bits(self, node: ast.AST, operation: str, a: Value, b: Value) -> Value:
        if FLOAT in (a.kind, b.kind):
            raise self.source.refuse(node, "bits of a float", "convert to int first")
        a, b = self.common(node, [a, b])
        kind = cast("Scalar", a.kind)
        return Value(kind, (self.get(f"{operation} {kind.llvm} {a.one}, {b.one}"),))

    def _shift(self, *, is_left: bool, a: Value, b: Value) -> Value:
        places = b.one
        if b.const is None:
            if self.is_checked:
                self.fail_if(self.get(f"icmp ugt i64 {places}, 63"), Fault.SHIFT)
            places = self.get(f"and i64 {places}, 63")  # which the processor does anyway
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
        """Divide as Python does: the quotient is rounded down, the remainder has the sign of the divisor."""
        if b.const is not None and b.const > 0 and b.const & (b.const - 1) == 0:  # type: ignore[operator]
            bits = int(b.const).bit_length() - 1
            text = f"ashr i64 {a.one}, {bits}" if is_quotient else f"and i64 {a.one}, {int(b.const) - 1}"
            return Value(INT, (self.get(text),))
        if b.const is None or b.const == 0:
            self.fail_if(self.get(f"icmp eq i64 {b.one}, 0"), Fault.DIVISION)
        if b.const is None or b.const == -1:
            is_least = self.get(f"icmp eq i64 {a.one}, {-_NUMBER_LIMIT}")
            is_minus_one = self.get(f"icmp eq i64 {b.one}, -1")
            self.fail_if(self.get(f"and i1 {is_least}, {is_minus_one}"), Fault.OVERFLOW)
        remainder = self.get(f"srem i64 {a.one}, {b.one}")
        signs = self.get(f"xor i64 {remainder}, {b.one}")
        is_other = self.get(f"icmp slt i64 {signs}, 0")
        is_rest = self.get(f"icmp ne i64 {remainder}, 0")
        is_off = self.get(f"and i1 {is_other}, {is_rest}")
        if is_quotient:
            quotient = self.get(f"sdiv i64 {a.one}, {b.one}")
            return Value(INT, (self.get(f"sub i64 {quotient}, {self.get(f'zext i1 {is_off} to i64')}"),))
        more = self.get(f"select i1 {is_off}, i64 {b.one}, i64 0")
        return Value(INT, (self.get(f"add i64 {remainder}, {more}"),))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (self.condition(node),))
        value = self.number(node, self.value(node.operand))
        if isinstance(node.op, ast.UAdd):
            return value if value.kind is not BOOL else self.wide(value)
        if isinstance(node.op, ast.Invert):
            if value.kind is FLOAT:
                raise self.source.refuse(node, "bits of a float", "convert to int first")
            return self.binary(node, ast.BitXor(), self.wide(value), constant(-1))
        if value.const is not None:
            return self.static_value(node, -value.const)
        if value.kind is FLOAT:
            return Value(FLOAT, (self.get(f"fneg double {value.one}"),))
        return self.binary(node, ast.Sub(), constant(0), value)

    # -- comparisons and choices --------------------------------------------------------

    def _compare(self, node: ast.Compare) -> Value:
        left = self.value(node.left)
        if len(node.ops) == 1:
            return Value(BOOL, (self.compare(node, node.ops[0], left, node.comparators[0])[0],))
        after = self.new_block("compared")
        ways = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            part, left = self.compare(node, op, left, right)
            if right is node.comparators[-1]:
                ways.append((part, self.block))
                self.jump(after)
            else:
                onward = self.new_block("more")
                ways.append(("false", self.block))
                if part in ("true", "false"):
                    part = self.get(f"or i1 {part}, false")
                self.branch(part, onward, after)
                self.start(onward)
        self.start(after)
        return Value(BOOL, (self.phi("i1", ways),))

    def compare(self, node: ast.AST, op: ast.cmpop, left: Value, right_node: ast.expr) -> tuple[str, Value]:
        """Return whether two values compare so, and the second."""
        if isinstance(op, (ast.In, ast.NotIn)):
            right = self.value(right_node)
            if not isinstance(right.kind, Tuple):
                raise self.source.refuse(node, f"'in' with {right.kind}", "name a tuple of numbers")
            found = "false"
            for item in self.items_of(right):
                same = self.ordered(node, ast.Eq(), left, item)
                found = same if found == "false" else self.get(f"or i1 {found}, {same}")
            return (found if isinstance(op, ast.In) else self.negated(found)), right
        if isinstance(op, (ast.Is, ast.IsNot)):
            raise self.source.refuse(node, "'is' in compiled code", "compare with == or !=")
        right = self.value(right_node)
        return self.ordered(node, op, left, right), right

    def ordered(self, node: ast.AST, op: ast.cmpop, a: Value, b: Value) -> str:
        """Return whether two numbers, or two tuples item by item, compare so."""
        if isinstance(a.kind, Tuple) and isinstance(b.kind, Tuple) and len(a.kind.items) == len(b.kind.items) > 0:
            *pairs, last = zip(self.items_of(a), self.items_of(b), strict=True)
            if isinstance(op, (ast.Eq, ast.NotEq)):
                strict: ast.cmpop = op
            else:
                strict = ast.Lt() if isinstance(op, (ast.Lt, ast.LtE)) else ast.Gt()
            found = self.ordered(node, op, *last)
            for x, y in reversed(pairs):
                first = self.ordered(node, strict, x, y)
                if isinstance(op, ast.Eq):
                    found = self.get(f"and i1 {first}, {found}")
                elif isinstance(op, ast.NotEq):
                    found = self.get(f"or i1 {first}, {found}")
                else:
                    same = self.ordered(node, ast.Eq(), x, y)
                    found = self.get(f"or i1 {first}, {self.get(f'and i1 {same}, {found}')}")
            return found
        self.number(node, a)
        self.number(node, b)
        if a.const is not None and b.const is not None:
            names = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
            return number(bool(getattr(operator, names[type(op).__name__])(a.const, b.const)))
        a, b = self.common(node, [a, b])
        if a.kind is BOOL:
            a, b = self.wide(a), self.wide(b)
        for_int, for_float = _COMPARISONS[type(op)]
        if a.kind is FLOAT:
            return self.get(f"fcmp {for_float} double {a.one}, {b.one}")
        return self.get(f"icmp {for_int} {cast('Scalar', a.kind).llvm} {a.one}, {b.one}")

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Return what `and` and `or` give: the last operand that was looked at."""
        after = self.new_block("either")
        found = []
        for operand in node.values[:-1]:
            value = self.value(operand)
            onward = self.new_block("more")
            part = self.truth(operand, value)
            if part in ("true", "false"):
                part = self.get(f"or i1 {part}, false")
            stay = self.new_block("stay")
            self.branch(part, *((stay, onward) if isinstance(node.op, ast.Or) else (onward, stay)))
            self.start(stay)
            found.append((value, self.block))
            self.start(onward)
        found.append((self.value(node.values[-1]), self.block))
        return self.joined(node, found, after)

    def _ifexp(self, node: ast.IfExp) -> Value:
        yes, no, after = (self.new_block(hint) for hint in ("yes", "no", "chosen"))
        part = self.condition(node.test)
        if part in ("true", "false"):
            return self.value(node.body if part == "true" else node.orelse)
        self.branch(part, yes, no)
        self.start(yes)
        first = self.value(node.body), self.block
        self.start(no)
        second = self.value(node.orelse), self.block
        return self.joined(node, [first, second], after)

    def joined(self, node: ast.AST, found: list[tuple[Value, Any]], after: Any) -> Value:  # noqa: ANN401 - blocks
        """Go on from several blocks in one, with the value of the block it is reached from."""
        last = self.block
        blocks = [block for _, block in found]
        kinds = [value.kind for value, _ in found]
        if any(kind != kinds[0] for kind in kinds):
            # A conversion belongs to the block of its value; all are open yet.
            probe = _widest(kinds, [value for value, _ in found])
            converted = []
            for value, block in found:
                self.block = block
                to = probe if probe is not None else self.common(node, [value for value, _ in found])[0].kind
                converted.append(self.convert(node, value, to, "one of the values"))
            values = converted
        else:
            values = [value for value, _ in found]
        for block in blocks:
            self.block = block
            self.jump(after)
        self.block = last
        self.start(after)
        kind = values[0].kind
        parts = []
        for i, llvm in enumerate(parts_of(kind)):
            parts.append(self.phi(llvm, [(value.parts[i], block) for value, block in zip(values, blocks, strict=True)]))
        return Value(kind, tuple(parts))

    # -- arrays ---------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        match base.kind:
            case Tuple():
                return self._item_of_tuple(node, base)
            case Array():
                item = self.part_of_array(node, base)
                return self.read(item) if item.kind in CELLS.values() else cast("Value", item)
            case Named():
                raise self.source.refuse(node, f"an index into {base.kind}", "name its field")
        raise self.source.refuse(node, f"an index into {base.kind}", "only arrays and tuples have items")

    def _item_of_tuple(self, node: ast.Subscript, base: Value) -> Value:
        items = self.items_of(base)
        if isinstance(node.slice, ast.Slice):
            raise self.source.refuse(node, "a slice of a tuple", "name its items")
        index = self.integer(node.slice)
        if index.const is None or not -len(items) <= index.const < len(items):
            raise self.source.refuse(node, "an index into a tuple that is not known while compiling", "use an array")
        return items[int(index.const)]

    def read(self, place: Any) -> Value:  # noqa: ANN401 - a place
        """Return the number at a place in an array."""
        cell = place.kind
        part = self.get(f"load {cell.llvm}, ptr {place.one}")
        if cell.name == "int8":
            part = self.get(f"sext i8 {part} to i64")
        return Value(cell.read, (part,))

    def part_of_array(self, node: ast.Subscript, base: Value) -> Any:  # noqa: ANN401
        """
        Return what an index or slice selects.

        Returns
        -------
        part
            A value that is a smaller array; or the place of one number, whose
            kind is a `Cell`.
        """
        kind = cast("Array", base.kind)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        address, *sizes = base.parts
        if len(indices) > kind.ndim:
            raise self.source.refuse(node, f"{len(indices)} indices into {kind}", "use as many as there are dimensions")
        offset = "0"
        for at, index in enumerate(indices):
            if isinstance(index, ast.Slice):
                if at + 1 < len(indices):
                    raise self.source.refuse(node, "an index after a slice", "loop over the rows")
                return self._slice(index, kind, address, offset, sizes)
            i = self.integer(index)
            n = sizes.pop(0)
            if i.const is not None and i.const < 0:
                raise self.source.refuse(node, f"the negative index {i.const}", "count from the start")
            if self.is_checked:
                self.fail_if(self.get(f"icmp uge i64 {i.one}, {n}"), Fault.INDEX)
            offset = self.plus(self.times(offset, n) if offset != "0" else "0", i.one)
        for n in sizes:
            offset = self.times(offset, n) if offset != "0" else "0"
        place = self.address(address, offset, kind.cell.llvm)
        if sizes:
            return Value(Array(kind.cell, len(sizes)), (place, *sizes))
        return Value(cast("Any", kind.cell), (place,))

    def _slice(self, node: ast.Slice, kind: Array, address: str, offset: str, sizes: list[str]) -> Value:
        if node.step is not None:
            raise self.source.refuse(node.step, "a slice with a step", "loop with range(first, last, step)")
        n, *others = sizes
        first = self.integer(node.lower) if node.lower else constant(0)
        last = self.integer(node.upper) if node.upper else Value(INT, (n,))
        if (first.const or 0) < 0 or (last.const is not None and last.const < 0):
            raise self.source.refuse(node, "a slice that counts from the end", "count from the start")
        if self.is_checked:
            self.fail_if(self.get(f"icmp ugt i64 {first.one}, {last.one}"), Fault.NEGATIVE_SLICE)
            self.fail_if(self.get(f"icmp sgt i64 {last.one}, {n}"), Fault.NEGATIVE_SLICE)
        offset = self.plus(self.times(offset, n) if offset != "0" else "0", first.one)
        for size in others:
            offset = self.times(offset, size) if offset != "0" else "0"
        if first.one == "0":
            length = last.one
        elif first.const is not None and last.one.isdigit():
            length = str(int(last.one) - int(first.const))
        else:
            length = self.get(f"sub nsw i64 {last.one}, {first.one}")
        place = self.address(address, offset, kind.cell.llvm)
        return Value(Array(kind.cell, len(sizes)), (place, length, *others))

    # -- calls -----------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        from ttr_analysis._compile.builtins import call_builtin, call_method
        from ttr_analysis._compile.calls import Compiled

        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value)
            if isinstance(base, Value) and isinstance(base.kind, Array):
                return call_method(self, node, base, node.func.attr)
        callee = self.evaluate(node.func) if not self._is_pointer(node.func) else None
        if callee is None:
            return self._call_pointer(node)
        if isinstance(callee, Value):
            raise self.source.refuse(node, f"a call of {callee.kind}", "call a compiled function by its name")
        thing = callee.thing
        if isinstance(thing, Compiled):
            return self._call_compiled(node, thing.source)
        if isinstance(thing, type) and issubclass(thing, Record):
            return self._lay_record(node, thing)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            names = cast("Any", thing)._fields
            return self.tuple_of(self._arguments(node, names, thing.__name__, {}), thing)
        return call_builtin(self, node, thing)

    def _arguments(self, node: ast.Call, names: tuple[str, ...], what: str, defaults: dict[str, object]) -> list[Value]:
        """Return the arguments of a call in the order of the parameters."""
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
            raise self.source.refuse(node, "a call with * or **", "pass the arguments one by one")
        given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg is not None}
        unknown = [k.arg for k in node.keywords if k.arg not in names]
        if len(node.args) > len(names) or unknown:
            raise self.source.refuse(node, f"too many arguments for {what}", f"it takes {', '.join(names) or 'none'}")
        found = {name: self.value(argument) for name, argument in given.items()}  # in the order written
        missing = [name for name in names if name not in found and name not in defaults]
        if missing:
            raise self.source.refuse(node, f"{what} without {', '.join(missing)}", "pass it")
        return [found[name] if name in found else self.static_value(node, defaults[name]) for name in names]

    def _call_compiled(self, node: ast.Call, source: Source) -> Value:
        function = source.function
        n_required = len(source.parameters) - len(function.__defaults__ or ())
        defaults = dict(zip(source.parameters[n_required:], function.__defaults__ or (), strict=True))
        arguments = self._arguments(node, source.parameters, function.__name__, defaults)
        for i, name in enumerate(source.parameters):
            declared = source.declared(name)
            if declared is not None:
                arguments[i] = self.convert(node, arguments[i], declared, f"{name} of {function.__name__}")
        self.line = node.lineno
        instance = self.program.instance(source, tuple(value.kind for value in arguments), caller=(self.source, node))
        return self.invoke(
            f"fastcc {{}} @{instance.symbol}", arguments, instance.result, may_fail=instance.may_fail
        )

    def invoke(self, target: str, arguments: list[Value], result: Type, *, may_fail: bool) -> Value:
        """Call a function, and return its result; `target` has a place for the type of that."""
        typed = ["ptr %context"]
        for value in arguments:
            typed += [f"{llvm} {part}" for llvm, part in zip(parts_of(value.kind), value.parts, strict=True)]
        llvm = returned_type(result)
        text = f"call {target.format(llvm)}({', '.join(typed)})"
        parts: tuple[str, ...] = ()
        if llvm == "void":
            self.do(text)
        else:
            whole = self.get(text)
            n = len(parts_of(result))
            parts = (whole,) if n == 1 else tuple(self.get(f"extractvalue {llvm} {whole}, {i}") for i in range(n))
        if has_memory(result):
            self.uses_scratch = True
        if may_fail:
            self.fail_after_call()
        return Value(result, parts)

    def _lay_record(self, node: ast.Call, record: type[Record]) -> Value:
        kind = Named(record)
        if not node.args:
            return Value(kind, self._new_array(kind.cell.name, (constant(record.n_cells),), number_zero(kind)).parts[:1])
        array = self.value(node.args[0])
        if array.kind != Array(kind.cell, 1):
            raise self.source.refuse(node, f"a {record.__name__} on {array.kind}", f"give an array of {kind.cell}")
        if self.is_checked:
            self.fail_if(self.get(f"icmp ne i64 {array.parts[1]}, {record.n_cells}"), Fault.SIZES)
        return Value(kind, array.parts[:1])

    def _new_array(self, cell: str, sizes: tuple[Value, ...], fill: str | None) -> Value:
        """Make an array; it may lie on the stack if nothing can outlive the function or the turn of a loop."""
        on_stack = self.loop_depth == 0 and self.result is not None and not has_memory(self.result)
        return self.new_array(Array(CELLS[cell], len(sizes)), sizes, on_stack=on_stack, fill=fill)

    def _is_pointer(self, node: ast.expr) -> bool:
        """Return whether a call is of one of several functions, by its number."""
        if not isinstance(node, ast.Subscript):
            return False
        base = self.evaluate(node.value)
        return isinstance(base, Value) and isinstance(base.kind, Pointers)

    def _call_pointer(self, node: ast.Call) -> Value:
        where = cast("ast.Subscript", node.func)
        base = self.value(where.value)
        kind = cast("Pointers", base.kind)
        index = self.integer(where.slice)
        if node.keywords or len(node.args) != len(kind.arguments):
            raise self.source.refuse(node, "a call by number with other arguments", f"give {len(kind.arguments)}")
        pairs = zip(node.args, kind.arguments, strict=True)
        arguments = [self.convert(arg, self.value(arg), to, "this argument") for arg, to in pairs]
        address = self.get(f"load ptr, ptr {self.address(base.one, index.one, 'ptr')}")
        return self.invoke(f"{{}} {address}", arguments, kind.result, may_fail=True)

    @property
    def local_names(self) -> frozenset[str]:
        """Names that the function assigns."""
        return frozenset(self.source.function.__code__.co_varnames)


def returned_type(result: Type) -> str:
    """Return the LLVM type that a function returns."""
    parts = parts_of(result)
    return "void" if not parts else parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"


def number_zero(kind: Named) -> str:
    """Return the zero of what a record holds."""
    return number(0.0) if kind.cell.read is FLOAT else "0"


def _fits_int32(value: Value) -> bool:
    return isinstance(value.const, int) and -(1 << 31) <= value.const < 1 << 31


def _widest(kinds: list[Type], values: list[Value]) -> Type | None:
    """Return the type that holds all these numbers, None if they are no numbers."""
    if not all(kind in _RANK for kind in kinds):
        return None
    if INT32 in kinds and all(v.kind in (INT32, BOOL) or _fits_int32(v) for v in values):
        return INT32
    return max(kinds, key=_RANK.__getitem__)


__all__ = ["Expressions", "Static", "SubsetError", "Variable", "returned_type"]
