"""What compiled code may call besides compiled functions: some of Python's functions, arrays and their methods."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, cast

import numpy as np

from ttr_analysis._compile.arithmetic import is_int64
from ttr_analysis._compile.types import BOOL, CELLS, FLOAT, INT, INT32, NONE, Array, Cell, Scalar, Tuple
from ttr_analysis._compile.values import Static
from ttr_analysis._compile.writer import MOST_ITEMS, Fault, Place, Value, constant, number

if TYPE_CHECKING:
    from ttr_analysis._compile.expressions import Expressions


def call_builtin(self: Expressions, node: ast.Call, thing: object) -> Value:
    """Write a call of a Python object that is no compiled function."""
    name = getattr(thing, "__name__", type(thing).__name__)
    try:
        known = _BUILTINS.get(cast("Callable[..., object]", thing))
    except TypeError:
        known = None
    if known is None:
        instead = "mark it as compiled" if callable(thing) and hasattr(thing, "__code__") else "see docs/compiler.md"
        raise self.source.refuse(node, f"a call of {name!r}, which is not compiled", instead)
    return known(self, node)


def _one(self: Expressions, node: ast.Call) -> Value:
    """Return the only argument."""
    if len(node.args) != 1 or node.keywords:
        raise self.source.refuse(node, f"{ast.unparse(node.func)} with other than one argument", "give one")
    return self.value(node.args[0])


def _int(self: Expressions, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is not FLOAT:
        return self.wide(value)
    if value.const is not None and is_int64(value.const):
        return constant(int(value.const))
    if self.is_checked:  # unordered too: what is no number is no integer
        size = self.get(f"call double @llvm.fabs.f64(double {value.one})")
        self.fail_if(self.get(f"fcmp uge double {size}, {number(2.0**63)}"), Fault.OVERFLOW)
    return Value(INT, (self.get(f"call i64 @llvm.fptosi.sat.i64.f64(double {value.one})"),))


def _float(self: Expressions, node: ast.Call) -> Value:
    return self.convert(node, self.number(node, _one(self, node)), FLOAT, "this")


def _bool(self: Expressions, node: ast.Call) -> Value:
    return Value(BOOL, (self.truth(node, _one(self, node)),))


def _int32(self: Expressions, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is INT:
        return Value(INT32, (self.truncated(node, value, CELLS["int32"]),), value.const)
    return self.convert(node, value, INT32, "this")


def _len(self: Expressions, node: ast.Call) -> Value:
    value = _one(self, node)
    if isinstance(value.kind, Tuple):
        return constant(len(value.kind.items))
    if not isinstance(value.kind, Array):
        raise self.source.refuse(node, f"the length of {value.kind}", "only arrays and tuples have one")
    return Value(INT, (value.parts[1],))


def _abs(self: Expressions, node: ast.Call) -> Value:
    value = self.number(node, _one(self, node))
    if value.kind is FLOAT:
        return Value(FLOAT, (self.get(f"call double @llvm.fabs.f64(double {value.one})"),))
    value = self.wide(value)
    negative = self.binary(node, ast.Sub(), constant(0), value)
    is_negative = self.get(f"icmp slt i64 {value.one}, 0")
    return Value(INT, (self.get(f"select i1 {is_negative}, i64 {negative.one}, i64 {value.one}"),))


def _extreme(name: str) -> Callable[[Expressions, ast.Call], Value]:
    """Return how the least or greatest of some numbers is written; of equal ones, Python takes the first."""

    def write(self: Expressions, node: ast.Call) -> Value:
        if len(node.args) < 2 or node.keywords:  # noqa: PLR2004 - of one array
            raise self.source.refuse(node, f"{name} of one argument", "write a loop, or name the numbers")
        values = [self.number(node, self.value(argument)) for argument in node.args]
        known = [value.const for value in values if value.const is not None]
        if len(known) == len(values):
            return constant(min(known) if name == "min" else max(known))
        values = self.common(node, values)
        if values[0].kind is BOOL:
            values = [self.wide(value) for value in values]
        kind = cast("Scalar", values[0].kind)
        best = values[0].one
        for value in values[1:]:
            if kind is FLOAT:
                is_better = self.get(f"fcmp {'olt' if name == 'min' else 'ogt'} double {value.one}, {best}")
                best = self.get(f"select i1 {is_better}, double {value.one}, double {best}")
            else:
                llvm = kind.llvm
                best = self.get(f"call {llvm} @llvm.s{name}.{llvm}({llvm} {best}, {llvm} {value.one})")
        return Value(kind, (best,))

    return write


def _array(fill: str | None) -> Callable[[Expressions, ast.Call], Value]:
    """Return how an array is made: of anything, of zeros, or full of a number."""

    def write(self: Expressions, node: ast.Call) -> Value:
        args = list(node.args)
        n_positions = 2 if fill == "full" else 1
        dtypes = [k.value for k in node.keywords if k.arg == "dtype"] + args[n_positions:]
        if len(args) < n_positions or len(dtypes) != 1 or len(node.keywords) > 1:
            raise self.source.refuse(node, "an array without a dtype", "write dtype=np.int64 or another")
        cell = _cell(self, dtypes[0])
        shape = self.value(args[0])
        sizes = self.items_of(shape) if isinstance(shape.kind, Tuple) else [shape]
        known = [int(size.const) for size in sizes if size.const is not None]
        if not sizes or any(size.kind not in (INT, INT32) for size in sizes):
            raise self.source.refuse(node, "an array of this shape", "give its sizes as ints")
        if any(n < 0 for n in known) or prod(known) > MOST_ITEMS:
            raise self.source.refuse(node, f"an array of {ast.unparse(args[0])} items", f"at most {MOST_ITEMS} fit")
        zero = number(0.0) if cell.read is FLOAT else "0"
        part = zero if fill == "zeros" else None
        if fill == "full":
            part = self.narrowed(node, self.value(args[1]), cell)
        return self.new_local_array(cell.name, tuple(self.wide(size) for size in sizes), part)

    return write


def _cell(self: Expressions, node: ast.expr) -> Cell:
    """Return what a dtype stands for."""
    found = self.evaluate(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    name = getattr(found.thing, "__name__", "") if isinstance(found, Static) else ""
    if name not in CELLS:
        names = ", ".join(f"np.{name}" for name in CELLS)
        raise self.source.refuse(node, f"the dtype {ast.unparse(node)}", f"use one of {names}")
    return CELLS[name]


_BUILTINS: dict[Callable[..., object], Callable[[Expressions, ast.Call], Value]] = {
    int: _int,
    float: _float,
    bool: _bool,
    len: _len,
    builtins.abs: _abs,
    min: _extreme("min"),
    max: _extreme("max"),
    np.int64: _int,
    np.float64: _float,
    np.int32: _int32,
    np.empty: _array(None),
    np.zeros: _array("zeros"),
    np.full: _array("full"),
}


def call_method(self: Expressions, node: ast.Call, array: Value, name: str) -> Value:
    """Write a call of a method of an array."""
    kind = cast("Array", array.kind)
    if name == "fill" and len(node.args) == 1 and not node.keywords:
        value = self.number(node, self.value(node.args[0]))
        self.fill_array(node, array, value)
        return Value(NONE, ())
    if node.args or node.keywords or name not in ("copy", "sum"):
        raise self.source.refuse(
            node, f"the method {name!r} of an array", "there are fill, copy and sum; or write a loop"
        )
    if name == "copy":
        sizes = tuple(Value(INT, (size,)) for size in array.parts[1:])
        new = self.new_local_array(kind.cell.name, sizes, None)
        self.copy_cells(new, array)
        return new
    return _sum(self, node, array)


def _sum(self: Expressions, node: ast.Call, array: Value) -> Value:
    """Add up all items: as int64, whatever integers they are. numpy adds floats in another order than a loop."""
    cell = cast("Array", array.kind).cell
    if cell.read is FLOAT:
        raise self.source.refuse(node, "the sum of an array of floats", "write a loop: its order decides the last bits")
    total = self.slot("i64")
    self.do(f"store i64 0, ptr {total}")

    def add(i: str) -> None:
        item = self.read(Place(cell, self.address(array.parts[0], i, cell.llvm), array.origin))
        before = self.load(INT, (total,))
        self.store(self.binary(node, ast.Add(), before, self.wide(item)), (total,))

    self.count(self.size_of(array), add)
    return self.load(INT, (total,))
