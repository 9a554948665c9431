"""All functions that a root needs, as the text of one LLVM module."""

from __future__ import annotations

import ast
import re
from typing import cast

from ttr_analysis._compile.arithmetic import Instance
from ttr_analysis._compile.expressions import returned_type
from ttr_analysis._compile.source import Source, describe
from ttr_analysis._compile.statements import Statements
from ttr_analysis._compile.types import (
    BOOL,
    CELLS,
    FLOAT,
    INT32,
    Array,
    Named,
    Pointers,
    Scalar,
    Tuple,
    Type,
    classes_of,
    parts_of,
)
from ttr_analysis._compile.writer import ATTRIBUTES, ERROR, MISMATCH, TYPES, Fault

_HEADER = object.__basicsize__
"""Bytes at the start of every Python object, the last eight of which are the address of its type."""
# An array of numpy begins so, after that: data, number of dimensions, sizes, strides, base, dtype, flags.
_DATA, _NDIM, _SIZES, _DTYPE, _FLAGS = (_HEADER + at for at in (0, 8, 16, 40, 48))
_CONTIGUOUS_AND_ALIGNED = 0x0101
_WRITEABLE = 0x0400

_DTYPE_CELLS = {name: TYPES + 1 + i for i, name in enumerate(CELLS)}

_INTRINSICS = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare double @llvm.fabs.f64(double)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare {i64, i1} @llvm.sadd.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.ssub.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.ssub.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.smul.with.overflow.i32(i32, i32)
"""


class Program:
    """
    The module of a root.

    Parameters
    ----------
    is_checked
        Whether indices and overflow are checked.
    """

    def __init__(self, *, is_checked: bool) -> None:
        self.is_checked = is_checked
        self.places: list[tuple[str, str, int, str]] = []
        """For each error: the fault, and file, line and function."""
        self.notes: dict[str, str] = {}
        """What each global name stands for that the functions use."""
        self.sources: dict[Source, None] = {}
        """All functions of the module."""
        self._texts: list[str] = []
        self._instances: dict[tuple[Source, tuple[Type, ...]], Instance | None] = {}

    def instance(
        self, source: Source, kinds: tuple[Type, ...], caller: tuple[Source, ast.AST] | None = None
    ) -> Instance:
        """Return a function for some types, compiled now if it is not in the module yet."""
        key = (source, kinds)
        if key in self._instances:
            known = self._instances[key]
            if known is None:
                where, node = caller or (source, source.tree)
                raise where.refuse(node, f"{source.function.__name__} calls itself", "write a loop")
            return known
        self._instances[key] = None
        self.sources[source] = None
        writer = Statements(self, source)
        name = re.sub(r"[^0-9A-Za-z_]", "_", source.function.__name__)
        symbol = f"f{len(self._instances)}.{name}"
        self._texts.append(writer.write(kinds, symbol))
        made = Instance(symbol, cast("Type", writer.result), writer.may_fail, writer.stores())
        self._instances[key] = made
        self.notes[f"{source.function.__module__}:{source.function.__qualname__}"] = describe(source)
        for made_of in (*kinds, made.result):
            for used in classes_of(made_of):
                self.notes[f"{used.__module__}:{used.__qualname__}"] = describe(used)
        return made

    def place(self, fault: Fault, source: Source, line: int) -> int:
        """Return the number by which an error is reported."""
        self.places.append((fault.name, source.file, line, source.function.__qualname__))
        return len(self.places)

    def note(self, source: Source, name: str, thing: object) -> None:
        """Note what a global name, or a dotted one, stands for: if that changes, the module is compiled again."""
        self.notes[f"{source.function.__module__}:{name}"] = describe(thing)

    def text(self, source: Source, kinds: tuple[Type, ...]) -> tuple[str, Instance]:
        """Return the whole module, with the entry for Python, and its root."""
        root = self.instance(source, kinds)
        if not _can_leave(root.result):
            what = f"a {root.result} returned to Python"
            raise source.refuse(source.tree, what, "return numbers, arrays or tuples of them")
        parts = [*self._texts, _entry(root, kinds), _exported(root, kinds)]
        return _INTRINSICS + "\n\n".join(parts), root


def _can_leave(kind: Type) -> bool:
    """Return whether Python can be given a value."""
    if isinstance(kind, Tuple):
        return all(map(_can_leave, kind.items))
    return isinstance(kind, (Scalar, Array))


# -- the door to Python -----------------------------------------------------------------------


class _Entry:
    """
    Write the function that Python calls: it reads the arguments, calls the root, and leaves its results.

    It is given one address: of cells of eight bytes, with the address of the
    context, the arguments, and room for the results.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.n_cells = 0
        self._n_names = 0

    def get(self, text: str) -> str:
        self._n_names += 1
        self.lines.append(f"%e{self._n_names} = {text}")
        return f"%e{self._n_names}"

    def read(self, base: str, offset: int, llvm: str) -> str:
        return self.get(f"load {llvm}, ptr {self.get(f'getelementptr inbounds i8, ptr {base}, i64 {offset}')}")

    def cell(self, llvm: str) -> str:
        """Read the next cell."""
        self.n_cells += 1
        return self.read("%frame", 8 * (self.n_cells - 1), llvm)

    def need(self, condition: str) -> None:
        self._n_names += 1
        onward = f"go{self._n_names}"
        self.lines += [f"br i1 {condition}, label %{onward}, label %mismatch", f"{onward}:"]

    def argument(self, kind: Type, *, is_stored: bool) -> None:
        """Read an argument: a number as it is, an array by the address of its Python object."""
        match kind:
            case Tuple():
                for item in kind.items:
                    self.argument(item, is_stored=is_stored)
            case Array():
                self.arguments += self.array(kind.cell.name, kind.ndim, is_stored=is_stored)
            case Named():
                data, size = self.array(kind.cell.name, 1, is_stored=is_stored)
                self.need(self.get(f"icmp eq {size}, {kind.record.n_cells}"))
                self.arguments.append(data)
            case Pointers():
                self.arguments += self.array("int64", 1, is_stored=False)
            case _:
                self.arguments.append(self.number(kind))

    def number(self, kind: Type) -> str:
        if kind is FLOAT:
            return f"double {self.cell('double')}"
        cell = self.cell("i64")
        if kind is BOOL:
            self.need(self.get(f"icmp ult i64 {cell}, 2"))
            return f"i1 {self.get(f'trunc i64 {cell} to i1')}"
        if kind is INT32:
            part = self.get(f"trunc i64 {cell} to i32")
            self.need(self.get(f"icmp eq i64 {cell}, {self.get(f'sext i32 {part} to i64')}"))
            return f"i32 {part}"
        return f"i64 {cell}"

    def array(self, cell: str, ndim: int, *, is_stored: bool) -> list[str]:
        """Read an array of numpy, if it is one of this dtype, contiguous, and with so many dimensions."""
        it = self.cell("ptr")
        self._need_same(it, _HEADER - 8, TYPES)
        self.need(self.get(f"icmp eq i32 {self.read(it, _NDIM, 'i32')}, {ndim}"))
        self._need_same(it, _DTYPE, _DTYPE_CELLS[cell])
        wanted = _CONTIGUOUS_AND_ALIGNED | (_WRITEABLE if is_stored else 0)
        flags = self.get(f"and i32 {self.read(it, _FLAGS, 'i32')}, {wanted}")
        self.need(self.get(f"icmp eq i32 {flags}, {wanted}"))
        found = [f"ptr {self.read(it, _DATA, 'ptr')}"]
        sizes = self.read(it, _SIZES, "ptr")
        return found + [f"i64 {self.read(sizes, 8 * i, 'i64')}" for i in range(ndim)]

    def _need_same(self, it: str, offset: int, known: int) -> None:
        """Go on if an address in a Python object is the one in a cell of the context."""
        have = self.read(it, offset, "i64")
        self.need(self.get(f"icmp eq i64 {have}, {self.read('%context', 8 * known, 'i64')}"))


_AS_CELL = {"i1": ("i64", "zext i1 {} to i64"), "i32": ("i64", "sext i32 {} to i64")}
"""Numbers of fewer than 64 bits as they are left for Python."""


def _entry(root: Instance, kinds: tuple[Type, ...]) -> str:
    """Return the text of the function that Python calls."""
    writer = _Entry()
    context = writer.cell("ptr")
    writer.lines.append(f"%context = getelementptr i8, ptr {context}, i64 0")
    for i, kind in enumerate(kinds):
        writer.argument(kind, is_stored=i in root.stores)
    to = writer.get(f"getelementptr inbounds i64, ptr %context, i64 {ERROR}")
    writer.lines.append(f"store i64 0, ptr {to}")
    llvm = returned_type(root.result)
    call = f"call fastcc {llvm} @{root.symbol}({', '.join(['ptr %context', *writer.arguments])})"
    parts = parts_of(root.result)
    if not parts:
        writer.lines.append(call)
    else:
        whole = writer.get(call)
        for i, part in enumerate(parts):
            one = whole if len(parts) == 1 else writer.get(f"extractvalue {llvm} {whole}, {i}")
            wide, conversion = _AS_CELL.get(part, (part, ""))
            if conversion:
                one = writer.get(conversion.format(one))
            to = writer.get(f"getelementptr inbounds i64, ptr %frame, i64 {writer.n_cells + i}")
            writer.lines.append(f"store {wide} {one}, ptr {to}")
    error = writer.read("%context", 8 * ERROR, "i64")
    return "\n".join(
        [
            f"define i64 @entry(ptr %frame) {ATTRIBUTES} {{",
            *writer.lines,
            f"ret i64 {error}",
            "mismatch:",
            f"ret i64 {MISMATCH}",
            "}",
        ]
    )


def _exported(root: Instance, kinds: tuple[Type, ...]) -> str:
    """Return the text of the root as other modules call it by its address."""
    llvm = returned_type(root.result)
    typed = ["ptr %context"] + [f"{part} %x{i}" for i, part in enumerate(p for kind in kinds for p in parts_of(kind))]
    call = f"call fastcc {llvm} @{root.symbol}({', '.join(typed)})"
    lines = [f"{call}\nret void"] if llvm == "void" else [f"%r = {call}", f"ret {llvm} %r"]
    return "\n".join([f"define {llvm} @exported({', '.join(typed)}) {ATTRIBUTES} {{", *lines, "}"])
