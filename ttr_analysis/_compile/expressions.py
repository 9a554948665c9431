"""Compile all expressions but arithmetic and comparisons: arrays, records, names, conditionals, tuples and calls."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ttr_analysis._compile import types
from ttr_analysis._compile.arithmetic import Arithmetic, Instance, Module, Static, fits
from ttr_analysis._compile.source import Marked, Source, is_functions, marked
from ttr_analysis._compile.types import Type
from ttr_analysis._compile.writer import MOST_ITEMS, Block, Fault, Place, Value, constant, number


class Arrays(Arithmetic):
    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(program, source)
        self.stored: set[str] = set()
        """Variables whose memory may be written."""
        self.loop_depth = 0
        self.result = source.declared("return")

    # -- parts --------------------------------------------------------------------------

    def value_of_subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base.kind, types.Tuple):
            return self._item_of_tuple(node, base)
        if isinstance(base.kind, types.Array):
            part = self.part_of_array(node, base)
            return self.read(part) if isinstance(part, Place) else part
        instead = "name its field" if isinstance(base.kind, types.Named) else "only arrays and tuples have items"
        raise self.source.error(node, f"an index into {base.kind}", instead)

    def _item_of_tuple(self, node: ast.Subscript, base: Value) -> Value:
        items = self.items_of(base)
        if isinstance(node.slice, ast.Slice):
            raise self.source.error(node, "a slice of a tuple", "list its items")
        index = self.integer(node.slice)
        if index.const is None or not -len(items) <= index.const < len(items):
            raise self.source.error(node, "an index into a tuple that is not a constant", "use an array")
        return items[int(index.const)]

    def read(self, place: Place) -> Value:
        part = self.get(f"load {place.cell.llvm}, ptr {place.address}")
        if place.cell.name == "int8":
            part = self.get(f"sext i8 {part} to i64")
        elif place.cell.name == "float32":
            part = self.get(f"fpext float {part} to double")
        return Value(place.cell.read, (part,))

    def part_of_array(self, node: ast.Subscript, base: Value) -> Value | Place:
        """Return what an index or slice selects: a subarray, or the place of a number."""
        cell = cast("types.Array", base.kind).cell
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) >= len(base.parts):
            what = f"{len(indices)} indices into {base.kind}"
            raise self.source.error(node, what, "give one for each dimension")
        offset, sizes = "0", []
        for at, n in enumerate(base.parts[1:]):
            offset = self.times(offset, n)
            index = indices[at] if at < len(indices) else None
            if isinstance(index, ast.Slice):
                if at + 1 < len(indices):
                    raise self.source.error(node, "an index after a slice", "loop over the rows")
                first, length = self._slice(index, n)
                offset = self.plus(offset, first)
                sizes.append(length)
            elif index is not None:
                offset = self.plus(offset, self._index(index, n))
            else:
                sizes.append(n)
        address = self.address(base.parts[0], offset, cell.llvm)
        if not sizes:
            return Place(cell, address, base.origin)
        return Value(types.Array(cell, len(sizes)), (address, *sizes), origin=base.origin)

    def _index(self, node: ast.expr, n: str) -> str:
        i = self.integer(node)
        if i.const is not None and i.const < 0:
            raise self.source.error(node, f"the negative index {i.const}", "count from the start")
        if self.is_checked:
            self.fail_if(self.get(f"icmp uge i64 {i.one}, {n}"), Fault.INDEX)
        return i.one

    def _slice(self, node: ast.Slice, n: str) -> tuple[str, str]:
        """Return the start and the length of a slice."""
        if node.step is not None:
            raise self.source.error(node.step, "a slice with a step", "loop with range(first, last, step)")
        first = self.integer(node.lower) if node.lower else constant(0)
        last = self.integer(node.upper) if node.upper else Value(types.INT, (n,))
        if (first.const or 0) < 0 or (last.const or 0) < 0:
            raise self.source.error(node, "a slice that counts from the end", "count from the start")
        if self.is_checked:
            self.fail_if(self.get(f"icmp ugt i64 {first.one}, {last.one}"), Fault.SLICE)
            self.fail_if(self.get(f"icmp ugt i64 {last.one}, {n}"), Fault.SLICE)
        if first.one == "0":
            return "0", last.one
        if first.const is not None and last.const is not None:
            return first.one, str(max(int(last.const - first.const), 0))
        return first.one, self.get(f"sub nsw i64 {last.one}, {first.one}")

    # -- records --------------------------------------------------------------------------

    def field(self, node: ast.Attribute, base: Value, kind: types.Named) -> Value | Place:
        """Return a field of a record: the place of a number, or an array."""
        if node.attr == "cells":
            return Value(types.Array(kind.cell, 1), (base.one, str(kind.record.n_cells)), origin=base.origin)
        field: types.Field | None = kind.record.fields.get(node.attr)
        if field is None:
            names = ", ".join(kind.record.fields)
            raise self.source.error(node, f"{kind} has no field {node.attr!r}", f"its fields are {names}")
        address = self.address(base.one, str(field.offset), kind.cell.llvm)
        if not field.shape:
            return Place(kind.cell, address, base.origin)
        return Value(types.Array(kind.cell, len(field.shape)), (address, *map(str, field.shape)), origin=base.origin)

    # -- changes --------------------------------------------------------------------------

    def place(self, node: ast.expr) -> Value | Place:
        """Return the target of an assignment: the place of a number, or part of an array."""
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            base = self.value(node.value)
            if isinstance(node, ast.Subscript) and isinstance(base.kind, types.Array):
                return self.part_of_array(node, base)
            if isinstance(node, ast.Attribute) and isinstance(base.kind, types.Named):
                field = self.field(node, base, base.kind)
                if isinstance(field, Place):
                    return field
                raise self.source.error(node, f"an assignment to {node.attr}", f"write {ast.unparse(node)}[:] = ...")
            raise self.source.error(node, f"an assignment to part of {base.kind}", "only arrays and records change")
        raise self.source.error(node, f"an assignment to {ast.unparse(node)}", "name each item")

    def put(self, node: ast.AST, place: Place, value: Value) -> None:
        self.stored |= place.origin
        self.do(f"store {place.cell.llvm} {self.narrowed(node, value, place.cell)}, ptr {place.address}")

    def narrowed(self, node: ast.AST, value: Value, cell: types.Cell) -> str:
        """Return a number converted to the dtype of an array."""
        self.number(node, value)
        if types.FLOAT in (cell.read, value.kind):
            part = self.convert(node, value, cell.read, "an item").one
            return self.get(f"fptrunc double {part} to float") if cell.name == "float32" else part
        if cell.read is types.INT32 and value.kind is types.INT32:
            return value.one
        value = self.wide(value)
        return value.one if cell.llvm == "i64" else self.truncated(node, value, cell)

    def truncated(self, node: ast.AST, value: Value, cell: types.Cell) -> str:
        if value.const is not None:
            if not fits(value.const, 8 * cell.size):
                raise self.source.error(node, f"{value.const} as {cell}", "use an array of int64")
            return value.one
        part = self.get(f"trunc i64 {value.one} to {cell.llvm}")
        if self.is_checked:
            back = self.get(f"sext {cell.llvm} {part} to i64")
            self.fail_if(self.get(f"icmp ne i64 {back}, {value.one}"), Fault.NARROW)
        return part

    def fill_array(self, node: ast.AST, array: Value, value: Value) -> None:
        """Fill an array with a number, or copy one of the same shape into it."""
        self.stored |= array.origin
        kind = cast("types.Array", array.kind)
        if not isinstance(value.kind, types.Array):
            part = self.narrowed(node, value, kind.cell)
            self.fill(array.parts[0], self.size_of(array), kind.cell.llvm, part)
            return
        if value.kind != kind:
            raise self.source.error(node, f"{kind} set to {value.kind}", "copy item by item")
        for n, m in zip(array.parts[1:], value.parts[1:], strict=True):
            if n != m:
                self.fail_if(self.get(f"icmp ne i64 {n}, {m}"), Fault.SIZES)
        self.copy_cells(array, value)

    def new_local_array(self, cell: str, sizes: tuple[Value, ...], fill: str | None) -> Value:
        """Make an array, on the stack if it is made outside loops and cannot outlive the function."""
        on_stack = self.loop_depth == 0 and self.result is not None and not types.has_memory(self.result)
        return self.new_array(types.Array(types.CELLS[cell], len(sizes)), sizes, on_stack=on_stack, fill=fill)

    def copy_cells(self, to: Value, source: Value) -> None:
        """Copy an array into another of the same size; they may overlap."""
        n = self.times(self.size_of(to), str(cast("types.Array", to.kind).cell.size))
        places = f"ptr align 1 {to.parts[0]}, ptr align 1 {source.parts[0]}"
        self.do(f"call void @llvm.memmove.p0.p0.i64({places}, i64 {n}, i1 false)")


# -- built-in and numpy functions that compiled code may call -------------------------------------------------------


def call_builtin(self: Arrays, node: ast.Call, thing: object) -> Value:
    name = getattr(thing, "__name__", type(thing).__name__)
    try:
        known = _BUILTINS.get(cast("Callable[..., object]", thing))
    except TypeError:
        known = None
    if known is None:
        instead = "mark it as compiled" if callable(thing) and hasattr(thing, "__code__") else "see docs/compiler.md"
        raise self.source.error(node, f"a call to {name!r}, which is not compiled", instead)
    return known(self, node)


def _one(self: Arrays, node: ast.Call) -> Value:
    if len(node.args) != 1 or node.keywords:
        raise self.source.error(node, f"a call to {ast.unparse(node.func)} without exactly one argument", "pass one")
    return self.value(node.args[0])


def _int(self: Arrays, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is not types.FLOAT:
        return self.wide(value)
    if value.const is not None and math.isfinite(value.const) and fits(int(value.const), 64):
        return constant(int(value.const))
    if self.is_checked:
        self.fail_if(self.get(f"fcmp uno double {value.one}, {value.one}"), Fault.NAN)
        size = self.get(f"call double @llvm.fabs.f64(double {value.one})")
        self.fail_if(self.get(f"fcmp oge double {size}, {number(2.0**63)}"), Fault.OVERFLOW)
    return Value(types.INT, (self.get(f"call i64 @llvm.fptosi.sat.i64.f64(double {value.one})"),))


def _float(self: Arrays, node: ast.Call) -> Value:
    return self.convert(node, self.number(node, _one(self, node)), types.FLOAT, "this")


def _bool(self: Arrays, node: ast.Call) -> Value:
    return Value(types.BOOL, (self.truth(node, _one(self, node)),))


def _int32(self: Arrays, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is types.INT:
        return Value(types.INT32, (self.truncated(node, value, types.CELLS["int32"]),), value.const)
    return self.convert(node, value, types.INT32, "this")


def _len(self: Arrays, node: ast.Call) -> Value:
    value = _one(self, node)
    if isinstance(value.kind, types.Tuple):
        return constant(len(value.kind.items))
    if not isinstance(value.kind, types.Array):
        raise self.source.error(node, f"the length of {value.kind}", "only arrays and tuples have one")
    return Value(types.INT, (value.parts[1],))


def _abs(self: Arrays, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is types.FLOAT:
        return Value(types.FLOAT, (self.get(f"call double @llvm.fabs.f64(double {value.one})"),))
    value = self.wide(value)
    negative = self.binary(node, ast.Sub(), constant(0), value)
    is_negative = self.get(f"icmp slt i64 {value.one}, 0")
    return Value(types.INT, (self.get(f"select i1 {is_negative}, i64 {negative.one}, i64 {value.one}"),))


def _extreme(choose: Callable[..., Any], order: ast.cmpop) -> Callable[[Arrays, ast.Call], Value]:
    """Return the code generator for `min` or `max`; of equal values it takes the first, as Python does."""

    def write(self: Arrays, node: ast.Call) -> Value:
        if len(node.args) < 2 or node.keywords:  # noqa: PLR2004 - of one array
            what = f"{choose.__name__} of one argument"
            raise self.source.error(node, what, "write a loop, or pass the numbers one by one")
        values = [self.number(node, self.value(argument)) for argument in node.args]
        known = [value.const for value in values if value.const is not None]
        if len(known) == len(values):
            return constant(choose(known))
        best, *others = self.common(node, values)
        kind = cast("types.Scalar", best.kind)
        for value in others:
            is_better = self.ordered(node, order, value, best)
            best = Value(kind, (self.get(f"select i1 {is_better}, {kind.llvm} {value.one}, {kind.llvm} {best.one}"),))
        return best

    return write


def _array(fill: str | None) -> Callable[[Arrays, ast.Call], Value]:
    """Return the code generator for a new array: uninitialized, zeros, or filled with a number."""

    def write(self: Arrays, node: ast.Call) -> Value:
        args = list(node.args)
        n_positions = 2 if fill == "full" else 1
        dtypes = [k.value for k in node.keywords if k.arg == "dtype"] + args[n_positions:]
        if len(args) < n_positions or len(dtypes) != 1 or len(node.keywords) > 1:
            raise self.source.error(node, "an array without a dtype", "write dtype=np.int64 or another")
        cell = _cell(self, dtypes[0])
        shape = self.value(args[0])
        sizes = self.items_of(shape) if isinstance(shape.kind, types.Tuple) else [shape]
        known = [int(size.const) for size in sizes if size.const is not None]
        if not sizes or any(size.kind not in (types.INT, types.INT32) for size in sizes):
            raise self.source.error(node, "an array of this shape", "give its sizes as ints")
        if any(n < 0 for n in known) or math.prod(known) > MOST_ITEMS:
            raise self.source.error(node, f"an array of {ast.unparse(args[0])} items", f"0 to {MOST_ITEMS} fit")
        zero = number(0.0) if cell.read is types.FLOAT else "0"
        part = zero if fill == "zeros" else None
        if fill == "full":
            part = self.narrowed(node, self.value(args[1]), cell)
        return self.new_local_array(cell.name, tuple(self.wide(size) for size in sizes), part)

    return write


def _cell(self: Arrays, node: ast.expr) -> types.Cell:
    found = self.evaluate(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    name = getattr(found.thing, "__name__", "") if isinstance(found, Static) else ""
    if name not in types.CELLS:
        names = ", ".join(f"np.{name}" for name in types.CELLS)
        raise self.source.error(node, f"the dtype {ast.unparse(node)}", f"use one of {names}")
    return types.CELLS[name]


_BUILTINS: dict[Callable[..., object], Callable[[Arrays, ast.Call], Value]] = {
    int: _int,
    float: _float,
    bool: _bool,
    len: _len,
    abs: _abs,
    min: _extreme(min, ast.Lt()),
    max: _extreme(max, ast.Gt()),
    np.int64: _int,
    np.float64: _float,
    np.int32: _int32,
    np.empty: _array(None),
    np.zeros: _array("zeros"),
    np.full: _array("full"),
}


def call_method(self: Arrays, node: ast.Call, array: Value, name: str) -> Value:
    kind = cast("types.Array", array.kind)
    if name == "fill" and len(node.args) == 1 and not node.keywords:
        value = self.number(node, self.value(node.args[0]))
        self.fill_array(node, array, value)
        return Value(types.NONE, ())
    if node.args or node.keywords or name not in ("copy", "sum"):
        raise self.source.error(node, f"the method {name!r} of an array", "use fill, copy, sum or a loop")
    if name == "copy":
        sizes = tuple(Value(types.INT, (size,)) for size in array.parts[1:])
        new = self.new_local_array(kind.cell.name, sizes, None)
        self.copy_cells(new, array)
        return new
    return _sum(self, node, array)


def _sum(self: Arrays, node: ast.Call, array: Value) -> Value:
    """Sum integers. Floats are rejected because numpy adds them in a different order from a loop."""
    cell = cast("types.Array", array.kind).cell
    if cell.read is types.FLOAT:
        raise self.source.error(node, "the sum of an array of floats", "write a loop: the order decides the last bits")
    total = self.slot("i64")
    self.do(f"store i64 0, ptr {total}")

    def add(i: str, *_: Block) -> None:
        item = self.read(Place(cell, self.address(array.parts[0], i, cell.llvm), array.origin))
        before = self.load(types.INT, (total,))
        self.store(self.binary(node, ast.Add(), before, self.wide(item)), (total,))

    self.count("0", self.size_of(array), add)
    return self.load(types.INT, (total,))


# -- names, choices, tuples and calls ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable: type, addresses, the line that first sets it, and the flag that shows whether it is set."""

    kind: Type
    slots: tuple[str, ...]
    line: int
    flag: str | None


class Expressions(Arrays):
    def __init__(self, program: Module, source: Source) -> None:
        super().__init__(program, source)
        self.variables: dict[str, Variable] = {}

    # -- names and constants --------------------------------------------------------

    def value_of_constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, (str, bytes, complex)) or node.value is ...:
            raise self.source.error(node, f"the constant {node.value!r}", "use numbers")
        return self.static_value(node, node.value)

    def value_of_name(self, node: ast.Name) -> Value | Static:
        variable = self.variables.get(node.id)
        if variable is not None:
            if variable.flag is not None:
                self.fail_if(self.negated(self.get(f"load i1, ptr {variable.flag}")), Fault.UNBOUND)
            return self.load(variable.kind, variable.slots, frozenset((node.id,)))
        if node.id in self.source.local_names:
            raise self.source.error(node, f"{node.id!r} before it has a value", "set it on every path")
        if node.id not in self.source.names:
            raise self.source.error(node, f"the unknown name {node.id!r}", "define it at the top of the module")
        thing = self.source.names[node.id]
        self.program.note(self.source, node.id, thing)
        return Static(thing)

    def value_of_attribute(self, node: ast.Attribute) -> Value | Static:
        base = self.evaluate(node.value)
        if isinstance(base, Static):
            if not hasattr(base.thing, node.attr):
                raise self.source.error(node, f"the unknown name {ast.unparse(node)!r}", "check the spelling")
            thing = getattr(base.thing, node.attr)
            self.program.note(self.source, ast.unparse(node), thing)
            return Static(thing)
        match base.kind:
            case types.Array() if node.attr == "size":
                return Value(types.INT, (self.size_of(base),))
            case types.Array() if node.attr == "shape":
                return self.tuple_of([Value(types.INT, (size,)) for size in base.parts[1:]])
            case types.Tuple() if (place := base.kind.place(node.attr)) is not None:
                return self.items_of(base)[place]
            case types.Named():
                field = self.field(node, base, base.kind)
                return self.read(field) if isinstance(field, Place) else field
        raise self.source.error(node, f"{base.kind} has no {node.attr!r} in compiled code", "see docs/compiler.md")

    def value_of_tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of([self.value(item) for item in node.elts])

    # -- choices ------------------------------------------------------------------------

    def value_of_boolop(self, node: ast.BoolOp) -> Value:
        """Compile `and` and `or`; the value is that of the last operand evaluated."""
        after = self.new_block("either")
        found = []
        for operand in node.values[:-1]:
            value = self.value(operand)
            stay, onward = self.new_block("stay"), self.new_block("more")
            part = self.truth(operand, value)
            self.branch(part, *((stay, onward) if isinstance(node.op, ast.Or) else (onward, stay)))
            self.start(stay)
            found.append((value, self.block))
            self.start(onward)
        found.append((self.value(node.values[-1]), self.block))
        return self._joined(node, found, after)

    def value_of_ifexp(self, node: ast.IfExp) -> Value:
        """Compile `a if condition else b`; for a constant condition, only one branch."""
        yes, no, after = (self.new_block(hint) for hint in ("yes", "no", "chosen"))
        part = self.condition(node.test)
        if part in ("true", "false"):
            return self.value(node.body if part == "true" else node.orelse)
        self.branch(part, yes, no)
        self.start(yes)
        first = self.value(node.body), self.block
        self.start(no)
        second = self.value(node.orelse), self.block
        return self._joined(node, [first, second], after)

    def _joined(self, node: ast.AST, found: list[tuple[Value, Block]], after: Block) -> Value:
        """Merge several blocks into one, with the value of the block that ran."""
        kind = self.common_type(node, [value for value, _ in found])
        values = []
        for value, block in found:
            self.block = block  # a conversion belongs to the block of its value
            values.append(self.convert(node, value, kind, "one of the values"))
            self.jump(after)
        self.start(after)
        parts = []
        for i, llvm in enumerate(types.parts_of(kind)):
            incoming = [(value.parts[i], block) for value, (_, block) in zip(values, found, strict=True)]
            parts.append(self.phi(llvm, incoming))
        return Value(kind, tuple(parts), origin=frozenset[str]().union(*(value.origin for value in values)))

    # -- calls --------------------------------------------------------------------------

    def value_of_call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Subscript):
            return self._call_by_index(node, node.func)
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value)
            if isinstance(base, Value):
                if isinstance(base.kind, types.Array):
                    return call_method(self, node, base, node.func.attr)
                what = f"the method {node.func.attr!r} of {base.kind}"
                raise self.source.error(node, what, "write a compiled function that takes it as an argument")
        callee = self.evaluate(node.func)
        if isinstance(callee, Value):
            raise self.source.error(node, f"a call to {callee.kind}", "call a compiled function by its name")
        thing = callee.thing
        if (function := marked(thing)) is not None:
            return self._call_compiled(node, function.source)
        if isinstance(thing, type) and issubclass(thing, types.Record):
            return self._construct_record(node, thing)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            made_by = cast("Any", thing)
            items = self._arguments(node, made_by._fields, thing.__name__, made_by._field_defaults)
            return self.tuple_of(items, thing)
        return call_builtin(self, node, thing)

    def _arguments(self, node: ast.Call, names: Sequence[str], what: str, defaults: dict[str, object]) -> list[Value]:
        """Return arguments in the order of the parameters, evaluated in the order written."""
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise self.source.error(node, "a call with * or **", "pass the arguments one by one")
        given = [*zip(names, node.args, strict=False), *((str(k.arg), k.value) for k in node.keywords)]
        if len(node.args) > len(names) or {name for name, _ in given} - set(names):
            raise self.source.error(
                node, f"arguments that {what} does not have", f"it takes {', '.join(names) or 'none'}"
            )
        found = {name: self.value(argument) for name, argument in given}
        if len(found) < len(given):
            raise self.source.error(node, f"an argument of {what} given twice", "give it once")
        missing = [name for name in names if name not in found and name not in defaults]
        if missing:
            raise self.source.error(node, f"{what} without {', '.join(missing)}", "pass it")
        return [found[name] if name in found else self.static_value(node, defaults[name]) for name in names]

    def _call_compiled(self, node: ast.Call, source: Source) -> Value:
        arguments = self._arguments(node, source.parameters, source.function.__name__, source.defaults)
        self.line = node.lineno
        instance, arguments = self._instance(node, source, arguments)
        return self._invoke(f"@{instance.symbol}", arguments, instance.result, may_fail=instance.may_fail)

    def _instance(self, node: ast.Call, source: Source, values: list[Value]) -> tuple[Instance, list[Value]]:
        """Return the compiled function for these arguments, and the arguments converted to its annotations."""
        arguments = []
        for name, value in zip(source.parameters, values, strict=True):
            declared = source.declared(name)
            role = f"{name} of {source.function.__name__}"
            arguments.append(value if declared is None else self.convert(node, value, declared, role))
        instance = self.program.instance(source, tuple(value.kind for value in arguments), caller=(self.source, node))
        for i in instance.stores:
            self.stored |= arguments[i].origin
        return instance, arguments

    def _invoke(self, address: str, arguments: list[Value], result: Type, *, may_fail: bool) -> Value:
        typed = ["ptr %context"]
        for value in arguments:
            typed += [f"{llvm} {part}" for llvm, part in zip(types.parts_of(value.kind), value.parts, strict=True)]
        llvm = returned_type(result)
        whole = self.get(f"call fastcc {llvm} {address}({', '.join(typed)})")
        parts = tuple(self.get(f"extractvalue {llvm} {whole}, {i}") for i in range(len(types.parts_of(result))))
        if may_fail:
            self.fail_after_call()
        if not types.has_memory(result):
            return Value(result, parts)
        self.uses_scratch = True
        return Value(result, parts, origin=frozenset[str]().union(*(value.origin for value in arguments)))

    def _construct_record(self, node: ast.Call, record: type[types.Record]) -> Value:
        """Compile `State()`, a new record, or `State(cells)`, a record that views an array."""
        kind = types.Named(record)
        if not node.args and not node.keywords:
            zero = number(0.0) if kind.cell.read is types.FLOAT else "0"
            new = self.new_local_array(kind.cell.name, (constant(record.n_cells),), zero)
            return Value(kind, new.parts[:1])
        (array,) = self._arguments(node, ("cells",), record.__name__, {})
        if array.kind != types.Array(kind.cell, 1):
            raise self.source.error(node, f"a {record.__name__} on {array.kind}", f"give an array of {kind.cell}")
        self.fail_if(self.get(f"icmp ne i64 {array.parts[1]}, {record.n_cells}"), Fault.RECORD)
        return Value(kind, array.parts[:1], origin=array.origin)

    def _call_by_index(self, node: ast.Call, where: ast.Subscript) -> Value:
        """Compile `functions[i](...)`, for `Functions` or a module-level tuple of functions."""
        base = self.evaluate(where.value)
        index = self.integer(where.slice)
        values = [self.value(argument) for argument in node.args]
        self.line = node.lineno
        if isinstance(base, Static) and is_functions(base.thing):
            sources = [function.source for function in cast("tuple[Marked, ...]", base.thing)]
            self._check_n_arguments(node, {len(source.parameters) for source in sources})
            found = [self._instance(node, source, values) for source in sources]
            kinds = {(instance.result, *(value.kind for value in arguments)) for instance, arguments in found}
            if len(kinds) > 1:
                raise self.source.error(
                    node, "a call by index of functions with different types", "annotate them alike"
                )
            instances, (arguments, *_) = zip(*found, strict=True)
            may_fail = any(instance.may_fail for instance in instances)
            table, n = self.program.table([instance.symbol for instance in instances]), str(len(instances))
            result = instances[0].result
        else:
            base = self.static_value(where.value, base.thing) if isinstance(base, Static) else base
            if not isinstance(base.kind, types.Pointers):
                raise self.source.error(node, f"a call to an item of {base.kind}", "pass Functions as an argument")
            self._check_n_arguments(node, {len(base.kind.arguments)})
            pairs = zip(values, base.kind.arguments, strict=True)
            arguments = [self.convert(node, value, kind, "this argument") for value, kind in pairs]
            self.stored = self.stored.union(*(value.origin for value in arguments))
            may_fail, result, (table, n) = True, base.kind.result, base.parts
        self.fail_if(self.get(f"icmp uge i64 {index.one}, {n}"), Fault.INDEX)
        function = self.get(f"load ptr, ptr {self.address(table, index.one, 'ptr')}")
        return self._invoke(function, arguments, result, may_fail=may_fail)

    def _check_n_arguments(self, node: ast.Call, n_parameters: set[int]) -> None:
        if node.keywords or n_parameters != {len(node.args)}:
            take = " or ".join(map(str, sorted(n_parameters)))
            raise self.source.error(node, "a call by index with other arguments", f"pass {take}, by position")


def returned_type(result: Type) -> str:
    return f"{{{', '.join(types.parts_of(result))}}}"
