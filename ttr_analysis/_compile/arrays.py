"""Arrays and records: their parts, slices and fields, and how they are filled."""

from __future__ import annotations

import ast
from typing import cast

from ttr_analysis._compile.arithmetic import Arithmetic
from ttr_analysis._compile.records import Field
from ttr_analysis._compile.types import FLOAT, INT, INT32, Array, Cell, Named, Tuple
from ttr_analysis._compile.values import fits
from ttr_analysis._compile.writer import Fault, Place, Value, constant


class Arrays(Arithmetic):
    """Write what reads and changes memory."""

    def __init__(self, *args: object, **named: object) -> None:
        super().__init__(*args, **named)  # type: ignore[arg-type]
        self.stored: set[str] = set()
        """Variables into whose memory something may be stored."""

    # -- parts --------------------------------------------------------------------------

    def value_of_subscript(self, node: ast.Subscript) -> Value:
        """Write `array[i, j]`, a row, a slice, or an item of a tuple."""
        base = self.value(node.value)
        if isinstance(base.kind, Tuple):
            return self._item_of_tuple(node, base)
        if isinstance(base.kind, Array):
            part = self.part_of_array(node, base)
            return self.read(part) if isinstance(part, Place) else part
        instead = "name its field" if isinstance(base.kind, Named) else "only arrays and tuples have items"
        raise self.source.refuse(node, f"an index into {base.kind}", instead)

    def _item_of_tuple(self, node: ast.Subscript, base: Value) -> Value:
        items = self.items_of(base)
        if isinstance(node.slice, ast.Slice):
            raise self.source.refuse(node, "a slice of a tuple", "name its items")
        index = self.integer(node.slice)
        if index.const is None or not -len(items) <= index.const < len(items):
            raise self.source.refuse(node, "an index into a tuple that is not known while compiling", "use an array")
        return items[int(index.const)]

    def read(self, place: Place) -> Value:
        """Return the number at a place."""
        part = self.get(f"load {place.cell.llvm}, ptr {place.address}")
        if place.cell.name == "int8":
            part = self.get(f"sext i8 {part} to i64")
        return Value(place.cell.read, (part,))

    def part_of_array(self, node: ast.Subscript, base: Value) -> Value | Place:
        """Return what an index or slice selects: a smaller array, or the place of one number."""
        cell = cast("Array", base.kind).cell
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        sizes = list(base.parts[1:])
        if len(indices) > len(sizes):
            what = f"{len(indices)} indices into {base.kind}"
            raise self.source.refuse(node, what, "use as many as there are dimensions")
        offset = "0"
        for at, index in enumerate(indices):
            n = sizes.pop(0)
            if isinstance(index, ast.Slice):
                if at + 1 < len(indices):
                    raise self.source.refuse(node, "an index after a slice", "loop over the rows")
                first, length = self._slice(index, n)
                sizes.insert(0, length)
                offset = self.plus(self.times(offset, n), first)
                for size in sizes[1:]:
                    offset = self.times(offset, size)
                return self._array_at(base, offset, sizes)
            i = self.integer(index)
            if i.const is not None and i.const < 0:
                raise self.source.refuse(node, f"the negative index {i.const}", "count from the start")
            if self.is_checked:
                self.fail_if(self.get(f"icmp uge i64 {i.one}, {n}"), Fault.INDEX)
            offset = self.plus(self.times(offset, n), i.one)
        if not sizes:
            return Place(cell, self.address(base.parts[0], offset, cell.llvm), base.origin)
        for n in sizes:
            offset = self.times(offset, n)
        return self._array_at(base, offset, sizes)

    def _array_at(self, base: Value, offset: str, sizes: list[str]) -> Value:
        """Return the part of an array that begins at an item."""
        cell = cast("Array", base.kind).cell
        address = self.address(base.parts[0], offset, cell.llvm)
        return Value(Array(cell, len(sizes)), (address, *sizes), origin=base.origin)

    def _slice(self, node: ast.Slice, n: str) -> tuple[str, str]:
        """Return the first index of a slice, and how many items it has."""
        if node.step is not None:
            raise self.source.refuse(node.step, "a slice with a step", "loop with range(first, last, step)")
        first = self.integer(node.lower) if node.lower else constant(0)
        last = self.integer(node.upper) if node.upper else Value(INT, (n,))
        if (first.const or 0) < 0 or (last.const or 0) < 0:
            raise self.source.refuse(node, "a slice that counts from the end", "count from the start")
        if self.is_checked:
            self.fail_if(self.get(f"icmp ugt i64 {first.one}, {last.one}"), Fault.SLICE)
            self.fail_if(self.get(f"icmp ugt i64 {last.one}, {n}"), Fault.SLICE)
        if first.one == "0":
            return "0", last.one
        if first.const is not None and last.const is not None:
            return first.one, str(max(int(last.const - first.const), 0))
        return first.one, self.get(f"sub nsw i64 {last.one}, {first.one}")

    # -- records --------------------------------------------------------------------------

    def field(self, node: ast.Attribute, base: Value, kind: Named) -> Value | Place:
        """Return a field of a record: the place of a number, or an array over its cells."""
        if node.attr == "cells":
            return Value(Array(kind.cell, 1), (base.one, str(kind.record.n_cells)), origin=base.origin)
        field: Field | None = kind.record.fields.get(node.attr)
        if field is None:
            names = ", ".join(kind.record.fields)
            raise self.source.refuse(node, f"{kind} has no field {node.attr!r}", f"its fields are {names}")
        address = self.address(base.one, str(field.offset), kind.cell.llvm)
        if not field.shape:
            return Place(kind.cell, address, base.origin)
        return Value(Array(kind.cell, len(field.shape)), (address, *map(str, field.shape)), origin=base.origin)

    # -- changes --------------------------------------------------------------------------

    def place(self, node: ast.expr) -> Value | Place:
        """Return where an item of an array or a field of a record lies, or the part of an array that is assigned to."""
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            base = self.value(node.value)
            if isinstance(node, ast.Subscript) and isinstance(base.kind, Array):
                return self.part_of_array(node, base)
            if isinstance(node, ast.Attribute) and isinstance(base.kind, Named):
                field = self.field(node, base, base.kind)
                if isinstance(field, Place):
                    return field
                raise self.source.refuse(node, f"an assignment to {node.attr}", f"write {ast.unparse(node)}[:] = ...")
            raise self.source.refuse(node, f"an assignment to part of {base.kind}", "only arrays and records change")
        raise self.source.refuse(node, f"an assignment to {ast.unparse(node)}", "name each")

    def put(self, node: ast.AST, place: Place, value: Value) -> None:
        """Set one number in an array or record."""
        self.stored |= place.origin
        self.do(f"store {place.cell.llvm} {self.narrowed(node, value, place.cell)}, ptr {place.address}")

    def narrowed(self, node: ast.AST, value: Value, cell: Cell) -> str:
        """Return a number as an array holds it."""
        self.number(node, value)
        if FLOAT in (cell.read, value.kind):
            return self.convert(node, value, cell.read, "an item").one
        if cell.read is INT32 and value.kind is INT32:
            return value.one
        value = self.wide(value)
        return value.one if cell.llvm == "i64" else self.truncated(node, value, cell)

    def truncated(self, node: ast.AST, value: Value, cell: Cell) -> str:
        """Return an int with fewer bits."""
        if value.const is not None:
            if not fits(value.const, 8 * cell.size):
                raise self.source.refuse(node, f"{value.const} as {cell}", "use an array of int64")
            return value.one
        part = self.get(f"trunc i64 {value.one} to {cell.llvm}")
        if self.is_checked:
            back = self.get(f"sext {cell.llvm} {part} to i64")
            self.fail_if(self.get(f"icmp ne i64 {back}, {value.one}"), Fault.NARROW)
        return part

    def fill_array(self, node: ast.AST, array: Value, value: Value) -> None:
        """Fill an array with a number, or copy one of the same shape into it."""
        self.stored |= array.origin
        kind = cast("Array", array.kind)
        if not isinstance(value.kind, Array):
            part = self.narrowed(node, value, kind.cell)
            self.fill(array.parts[0], self.size_of(array), kind.cell.llvm, part)
            return
        if value.kind != kind:
            raise self.source.refuse(node, f"{kind} set to {value.kind}", "copy item by item")
        for n, m in zip(array.parts[1:], value.parts[1:], strict=True):
            if n != m:
                self.fail_if(self.get(f"icmp ne i64 {n}, {m}"), Fault.SIZES)
        self.copy_cells(array, value)

    def copy_cells(self, to: Value, source: Value) -> None:
        """Copy all items of an array into another of the same sizes; they may overlap."""
        n = self.times(self.size_of(to), str(cast("Array", to.kind).cell.size))
        places = f"ptr align 1 {to.parts[0]}, ptr align 1 {source.parts[0]}"
        self.do(f"call void @llvm.memmove.p0.p0.i64({places}, i64 {n}, i1 false)")
