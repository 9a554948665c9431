"""All functions that a root needs, as the text of one LLVM module."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from enum import Enum
from typing import cast

import numpy as np

from ttr_analysis._compile.expressions import returned_type
from ttr_analysis._compile.records import Record
from ttr_analysis._compile.source import Source
from ttr_analysis._compile.statements import Statements
from ttr_analysis._compile.types import BOOL, CELLS, FLOAT, INT32, Array, Named, Pointers, Tuple, Type, parts_of
from ttr_analysis._compile.writer import ERROR, MAX_RESULTS, RESULTS, TYPES, Fault

MISMATCH = 1
"""What the entry of a root returns if an argument is of another type than it was compiled for."""
FAILED = 2
"""What it returns after an error."""

_HEADER = object.__basicsize__
"""Bytes at the start of every Python object, the last eight of which are the address of its type."""
# An array of numpy begins so, after that: data, number of dimensions, sizes, strides, base, dtype, flags.
_DATA, _NDIM, _SIZES, _DTYPE, _FLAGS = (_HEADER + at for at in (0, 8, 16, 40, 48))
_CONTIGUOUS_AND_ALIGNED = 0x0101

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


@dataclass(frozen=True, slots=True)
class Instance:
    """A function for arguments of certain types."""

    symbol: str
    result: Type
    may_fail: bool


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
        made = Instance(symbol, cast("Type", writer.result), writer.may_fail)
        self._instances[key] = made
        return made

    def place(self, fault: Fault, source: Source, line: int) -> int:
        """Return the number by which an error is reported."""
        self.places.append((fault.name, source.file, line, source.function.__qualname__))
        return len(self.places)

    def note(self, source: Source, name: str, thing: object) -> None:
        """Note what a global name stands for: if that changes, the module is compiled again."""
        self.notes[f"{source.function.__module__}:{name}"] = describe(thing)

    def text(self, source: Source, kinds: tuple[Type, ...]) -> tuple[str, Instance]:
        """Return the whole module, with the entry for Python, and its root."""
        root = self.instance(source, kinds)
        parts = [*self._texts, _entry(root, kinds), _exported(root, kinds)]
        return _INTRINSICS + "\n\n".join(parts), root


def describe(thing: object) -> str:
    """
    Return text that changes when what a name stands for changes.

    Examples
    --------
    >>> describe(3), describe((1, 2.5)), describe(len)
    ('3', '(1, 2.5)', 'builtins.len')
    """
    if isinstance(thing, (bool, int, float, tuple, np.generic, Enum)):
        return repr(thing)
    home = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', type(thing).__name__)}"
    if isinstance(thing, type) and issubclass(thing, Record):
        layout = [(name, field.offset, field.shape) for name, field in thing.fields.items()]
        return f"{home} {thing.dtype} {layout}"
    if isinstance(thing, type) and issubclass(thing, Enum):
        return f"{home} {[(member.name, member.value) for member in thing]}"
    if isinstance(thing, type) and hasattr(thing, "_fields"):
        return f"{home} {thing._fields}"
    return getattr(thing, "__name__", home) if type(thing) is type(sys) else home


# -- the door to Python -----------------------------------------------------------------------


class _Entry:
    """Write the function that Python calls: it reads the arguments, calls the root, and leaves its results."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.parameters: list[str] = []
        self.arguments: list[str] = []
        self._n = 0

    def get(self, text: str) -> str:
        self._n += 1
        self.lines.append(f"%e{self._n} = {text}")
        return f"%e{self._n}"

    def read(self, base: str, offset: int, llvm: str) -> str:
        return self.get(f"load {llvm}, ptr {self.get(f'getelementptr inbounds i8, ptr {base}, i64 {offset}')}")

    def need(self, condition: str) -> None:
        self._n += 1
        self.lines += [f"br i1 {condition}, label %go{self._n}, label %mismatch", f"go{self._n}:"]

    def argument(self, kind: Type) -> None:
        """Read an argument: a number as it is, an array by the address of its Python object."""
        match kind:
            case Tuple():
                for item in kind.items:
                    self.argument(item)
            case Array():
                self.arguments += self.array(kind.cell.name, kind.ndim)
            case Named():
                data, size = self.array(kind.cell.name, 1)
                self.need(self.get(f"icmp eq {size}, {kind.record.n_cells}"))
                self.arguments.append(data)
            case Pointers():
                self.arguments.append(self.array("int64", 1)[0])
            case _:
                self._number(kind)

    def parameter(self, llvm: str) -> str:
        name = f"%a{len(self.parameters)}"
        self.parameters.append(f"{llvm} {name}")
        return name

    def _number(self, kind: Type) -> None:
        if kind is FLOAT:
            self.arguments.append(f"double {self.parameter('double')}")
            return
        name = self.parameter("i64")
        if kind is BOOL:
            self.arguments.append(f"i1 {self.get(f'icmp ne i64 {name}, 0')}")
        elif kind is INT32:
            self.arguments.append(f"i32 {self.get(f'trunc i64 {name} to i32')}")
        else:
            self.arguments.append(f"i64 {name}")

    def array(self, cell: str, ndim: int) -> list[str]:
        """Read an array of numpy, if it is one of this dtype, contiguous, and with so many dimensions."""
        it = self.get(f"inttoptr i64 {self.parameter('i64')} to ptr")
        for offset, known in ((_HEADER - 8, TYPES), (_DTYPE, _DTYPE_CELLS[cell])):
            have = self.read(it, offset, "i64")
            self.need(self.get(f"icmp eq i64 {have}, {self.read('%context', 8 * known, 'i64')}"))
            if known == TYPES:
                self.need(self.get(f"icmp eq i32 {self.read(it, _NDIM, 'i32')}, {ndim}"))
        flags = self.get(f"and i32 {self.read(it, _FLAGS, 'i32')}, {_CONTIGUOUS_AND_ALIGNED}")
        self.need(self.get(f"icmp eq i32 {flags}, {_CONTIGUOUS_AND_ALIGNED}"))
        found = [f"ptr {self.read(it, _DATA, 'ptr')}"]
        sizes = self.read(it, _SIZES, "ptr")
        return found + [f"i64 {self.read(sizes, 8 * i, 'i64')}" for i in range(ndim)]


def _entry(root: Instance, kinds: tuple[Type, ...]) -> str:
    """Return the text of the function that Python calls."""
    writer = _Entry()
    for kind in kinds:
        writer.argument(kind)
    llvm = returned_type(root.result)
    call = f"call fastcc {llvm} @{root.symbol}({', '.join(['ptr %context', *writer.arguments])})"
    parts = parts_of(root.result)
    if len(parts) > MAX_RESULTS:
        raise ValueError(f"{root.symbol} returns {len(parts)} numbers, at most {MAX_RESULTS} fit")
    if not parts:
        writer.lines.append(call)
    else:
        whole = writer.get(call)
        for i, part in enumerate(parts):
            one = whole if len(parts) == 1 else writer.get(f"extractvalue {llvm} {whole}, {i}")
            if part == "i1":
                part, one = "i64", writer.get(f"zext i1 {one} to i64")  # noqa: PLW2901
            elif part == "i32":
                part, one = "i64", writer.get(f"sext i32 {one} to i64")  # noqa: PLW2901
            to = writer.get(f"getelementptr inbounds i64, ptr %context, i64 {RESULTS + i}")
            writer.lines.append(f"store {part} {one}, ptr {to}")
    error = writer.read("%context", 8 * ERROR, "i64")
    status = writer.get(f"select i1 {writer.get(f'icmp eq i64 {error}, 0')}, i64 0, i64 {FAILED}")
    head = f"define i64 @entry({', '.join(['ptr %context', *writer.parameters])}) nounwind {{"
    return "\n".join([head, *writer.lines, f"ret i64 {status}", "mismatch:", f"ret i64 {MISMATCH}", "}"])


def _exported(root: Instance, kinds: tuple[Type, ...]) -> str:
    """Return the text of the root as other modules call it by its address."""
    llvm = returned_type(root.result)
    typed = ["ptr %context"] + [f"{part} %x{i}" for i, part in enumerate(p for kind in kinds for p in parts_of(kind))]
    call = f"call fastcc {llvm} @{root.symbol}({', '.join(typed)})"
    lines = [f"{call}\nret void"] if llvm == "void" else [f"%r = {call}", f"ret {llvm} %r"]
    return "\n".join([f"define {llvm} @exported({', '.join(typed)}) nounwind {{", *lines, "}"])



