"""Calls from Python to machine code and back: packing arguments and unpacking results."""

from __future__ import annotations

import ctypes
import functools
import inspect
import math
import operator
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np

from ttr_analysis._compile import types
from ttr_analysis._compile.arithmetic import fits
from ttr_analysis._compile.source import Marked, Source, Text
from ttr_analysis._compile.types import Type
from ttr_analysis._compile.writer import CONTEXT_CELLS, MISMATCH, SCRATCH_END, SCRATCH_TOP, Fault

if TYPE_CHECKING:
    from ttr_analysis._compile.build import Machine

_F = TypeVar("_F", bound=Callable[..., object])

SCRATCH_BYTES = 256 << 20
"""Scratch memory per thread; untouched pages cost nothing."""
CELL_BYTES = 128
"""
Room for each thread's cells, in cache lines that no other thread uses.

Threads that write to the same line wait for each other. Processors fetch lines of 64 bytes in pairs.
"""


def compiled(function: _F) -> _F:
    """
    Compile a function of numbers, arrays and records to machine code, on its first call.

    Machine code is cached on disk for later processes, and runs without the
    interpreter's lock. With `TTR_PLAIN=1` in the environment, or without
    llvmlite, the function is returned unchanged.

    Parameters
    ----------
    function
        A function in the subset of Python described in docs/compiler.md. An index
        out of range is undefined behavior without `TTR_CHECKS=1`.

    Raises
    ------
    SubsetError
        On the first call, if the function uses anything outside the subset.

    Examples
    --------
    >>> @compiled
    ... def spaces(lengths):
    ...     total = 0
    ...     for length in lengths:
    ...         total += length
    ...     return total
    >>> int(spaces(np.array([9, 3, 2])))
    14
    """
    if is_plain():
        return function
    return cast("_F", Compiled(function))


def quickly_compiled(function: _F) -> _F:
    """
    Compile a function that Python calls about once per move.

    It compiles in a quarter of the time that `compiled` takes, and runs a third as fast when
    called from Python; compiled code inlines it like any other function.

    >>> @quickly_compiled
    ... def next_seat(seat: int, n_seats: int) -> int:
    ...     return (seat + 1) % n_seats
    >>> next_seat(2, 3)
    0
    """
    if is_plain():
        return function
    return cast("_F", Compiled(function, is_quick=True))


def short(function: _F) -> _F:
    """
    Keep a one- or two-line function as Python, and inline it into compiled callers.

    Calling machine code takes half a microsecond, in which Python can run such a function
    several times.

    >>> @short
    ... def lowest_bits(number: int, n: int) -> int:
    ...     return number & ((1 << n) - 1)
    >>> lowest_bits(13, 2)
    1
    """
    if not is_plain():
        function.__compiled__ = Compiled(function)  # type: ignore[attr-defined]
    return function


@functools.cache
def is_plain() -> bool:
    """Return whether compiled functions run as plain Python."""
    if os.environ.get("TTR_PLAIN", "") not in ("", "0"):
        return True
    try:
        import llvmlite.binding  # noqa: F401
    except (ImportError, OSError, RuntimeError) as error:  # llvmlite or its library is missing or unsuitable
        text = f"ttr_analysis: no llvmlite ({error}), so everything runs as plain Python, hundreds of times slower"
        print(text, file=sys.stderr)  # noqa: T201
        return True
    return False


# -- threads ----------------------------------------------------------------------------------------


class _Context(threading.local):
    """The context of compiled code in a thread: scratch memory, and a cell for errors."""

    def __init__(self) -> None:
        self.memory = np.empty(SCRATCH_BYTES + 2 * CELL_BYTES, dtype=np.uint8)
        self.address = -(-self.memory.ctypes.data // CELL_BYTES) * CELL_BYTES
        self.cells = (ctypes.c_int64 * CONTEXT_CELLS).from_address(self.address)
        start = self.address + CELL_BYTES
        self.cells[SCRATCH_TOP], self.cells[SCRATCH_END] = start, start + SCRATCH_BYTES


_CONTEXT = _Context()


class Functions(tuple[Callable[..., Any], ...]):  # noqa: SLOT001 - a subclass of tuple can have no slots
    """
    Compiled functions with equal annotations, which compiled code calls by index: `functions[i](...)`.

    Each is compiled separately.
    """

    addresses: np.ndarray[tuple[int], np.dtype[np.int64]]
    kind: types.Pointers

    def __new__(cls, functions: tuple[Callable[..., Any], ...]) -> Self:
        made = super().__new__(cls, functions)
        if not made:
            raise TypeError("expected at least one function")
        compiled_ones = [function for function in made if isinstance(function, Compiled)]
        if not compiled_ones:
            return made
        if len(compiled_ones) < len(made):
            raise TypeError("some of the functions are not compiled")
        signatures = {types.signature(function.source.function) for function in compiled_ones}
        if len(signatures) > 1:
            raise TypeError(f"functions with different signatures: {', '.join(map(repr, made))}")
        kind = types.Pointers(*signatures.pop())
        made.kind = _POINTERS.setdefault(kind, kind)
        made.addresses = np.array([function.exported(kind) for function in compiled_ones], dtype=np.int64)
        return made

    def __reduce__(self) -> tuple[type[Functions], tuple[tuple[Callable[..., Any], ...]]]:
        return Functions, (tuple(self),)


_POINTERS: dict[types.Pointers, types.Pointers] = {}
"""One object per signature."""


# -- one function -------------------------------------------------------------------------------------


class Compiled(Marked):
    """
    A compiled function, the result of `compiled`.

    `source` is its text, if it cannot be read from its file. With `is_quick` it compiles
    faster, and runs more slowly.
    """

    __slots__ = ("__call__",)
    __call__: Callable[..., Any]
    """The callable of the last call, stored per instance so that a call costs no more than a function's."""
    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], source: Source | None = None, *, is_quick: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.source = source or Source(function)
        self.is_quick = is_quick
        self._calls: dict[tuple[Type, ...], Callable[..., Any]] = {}
        self._machines: dict[tuple[tuple[Type, ...], bool], Machine] = {}
        self.__call__ = self.dispatch

    def __repr__(self) -> str:
        return f"<compiled {self.source.name}>"

    def __reduce__(self) -> str | tuple[Callable[..., Compiled], tuple[object, ...]]:
        """Pickle by name, or with its source text if it was defined in a notebook."""
        function = self.source.function
        if function.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
            return _rebuilt, (function, self.source.text.lines, self.is_quick)
        return function.__qualname__

    def __get__(self, owner: object, kind: type | None = None) -> Any:  # noqa: ANN401
        return self if owner is None else functools.partial(self, owner)

    def dispatch(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        """Call machine code with arguments of any types, compiling it if needed."""
        return self.dispatch_after(None, arguments, named)

    def dispatch_after(self, missed: tuple[Type, ...] | None, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401
        """
        Call the machine code for these arguments, after the code for the types `missed` has rejected them.

        The current `__call__` does not show which one that was, since another thread may have set it.
        """
        bound = inspect.signature(self.source.function).bind(*arguments, **named)
        bound.apply_defaults()
        plain = tuple(map(_as_plain, bound.args))
        kinds = tuple(self._type_of(name, value) for name, value in zip(self.source.parameters, plain, strict=True))
        plain = tuple(bool(value) if kind is types.BOOL else value for value, kind in zip(plain, kinds, strict=True))
        known = self._calls.get(kinds)
        is_plain = len(plain) == len(arguments) and all(map(operator.is_, plain, arguments))
        if is_plain and kinds == missed:
            raise TypeError(self._misfit(kinds, plain))
        if known is None:
            known = self._calls[kinds] = _Caller().function(self, kinds)
        self.__call__ = known
        return known(*plain)

    def _type_of(self, name: str, value: object) -> Type:
        """Return the type of an argument: that of its annotation, if the value fits."""
        have = _type_of(value)
        declared = self.source.declared(name)
        cell = self.source.declared_cell(name)
        wanted = str(
            declared or (f"an array of {cell}" if cell else "a number, an array, a record or a tuple of those")
        )
        if isinstance(declared, types.Named):
            is_known = have == declared
        elif isinstance(declared, types.Scalar):
            is_known = have in _FITTING[declared] and (declared is not types.BOOL or value in (0, 1))
        else:
            is_known = have is not None and (cell is None or (isinstance(have, types.Array) and have.cell == cell))
        if not is_known:
            raise TypeError(f"{self.source.function.__name__}: {name} must be {wanted}, got {_shown(value)}")
        kind = cast("Type", declared if isinstance(declared, types.Scalar) else have)
        if (
            isinstance(value, int)
            and kind in (types.INT, types.INT32)
            and not fits(value, 64 if kind is types.INT else 32)
        ):
            raise OverflowError(f"{self.source.function.__name__}: {name} does not fit in {kind}: {value}")
        if isinstance(value, int) and kind is types.FLOAT:
            float(value)  # may raise OverflowError
        return kind

    def _misfit(self, kinds: tuple[Type, ...], arguments: tuple[object, ...]) -> str:
        """Return why machine code rejects arguments of the right types."""
        name = self.source.function.__name__
        for i in self.machine(kinds, is_quick=self.is_quick).stores:
            if any(not array.flags.writeable for array in _arrays_of(arguments[i])):
                return f"{name}: {self.source.parameters[i]} is written to, but is read-only: pass a copy"
        return f"{name}: a record's `cells` must be the array that it was created with"

    def machine(self, kinds: tuple[Type, ...], *, is_quick: bool) -> Machine:
        from ttr_analysis._compile.build import LOCK, build

        with LOCK:
            if (kinds, is_quick) not in self._machines:
                self._machines[kinds, is_quick] = build(self.source, kinds, is_quick=is_quick)
            return self._machines[kinds, is_quick]

    def exported(self, kind: types.Pointers) -> int:
        """Return the address of the function for other compiled code."""
        machine = self.machine(kind.arguments, is_quick=False)
        if machine.result != kind.result:
            raise TypeError(f"{self.source.function.__name__} must return {kind.result}, but returns {machine.result}")
        return machine.exported


_FITTING: dict[Type, tuple[Type, ...]] = {
    types.INT: (types.BOOL, types.INT),
    types.INT32: (types.BOOL, types.INT),
    types.FLOAT: (types.BOOL, types.INT, types.FLOAT),
    types.BOOL: (types.BOOL, types.INT),
}
"""What may be passed for each type of number; for a truth value, only 0 and 1."""


def _rebuilt(function: Callable[..., Any], lines: list[str], is_quick: bool) -> Compiled:  # noqa: FBT001
    return Compiled(function, Source(function, Text(lines)), is_quick=is_quick)


def _arrays_of(value: object) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, types.Record):
        yield value.cells
    elif isinstance(value, tuple):
        for item in value:
            yield from _arrays_of(item)


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with {value.ndim} dimensions"
    return f"{type(value).__name__} {value!r}"


def _type_of(value: object) -> Type | None:
    """Return the compiled type of a Python object, None if it has none."""
    match value:
        case bool():
            return types.BOOL
        case int():
            return types.INT
        case float():
            return types.FLOAT
        case np.ndarray() if value.dtype.name in types.CELLS and value.dtype.isnative and value.ndim > 0:
            return types.Array(types.CELLS[value.dtype.name], value.ndim)
        case types.Record():
            return types.Named(type(value))
        case Functions():
            return value.kind
        case tuple():
            items = [_type_of(item) for item in value]
            made_by = type(value) if hasattr(value, "_fields") else None
            return None if None in items else types.Tuple(tuple(cast("list[Type]", items)), made_by)
    return None


def _as_plain(value: Any) -> Any:  # noqa: ANN401
    """Return an argument in the form that machine code takes, unchanged if possible."""
    if isinstance(value, (bool, float, types.Record, Functions)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _as_plain_array(value)
    if isinstance(value, tuple):
        items = tuple(map(_as_plain, value))
        if all(map(operator.is_, items, value)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else items
    try:
        return operator.index(value)
    except TypeError:
        return value


def _as_plain_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    for is_good, what in ((array.flags.c_contiguous, "contiguous"), (array.flags.aligned, "aligned in memory")):
        if not is_good:
            raise TypeError(f"{_shown(array)} that is not {what}: pass array.copy()")
    native = np.dtype(array.dtype.name) if array.dtype.name in types.CELLS else array.dtype
    if native != array.dtype or (native is array.dtype and type(array) is np.ndarray):
        return array
    return array.view(native, np.ndarray)  # a subclass, or an equal dtype, with the same memory


# -- callers ----------------------------------------------------------------------------------------------


_CODES = {"ptr": "q", "i64": "q", "double": "d", "i32": "i4x", "i1": "?7x"}
"""The format that packs each part of a value into eight bytes."""


class _Caller:
    """
    Generates the Python wrapper that calls a function's machine code for given argument types.

    The wrapper packs them into a frame of eight bytes each, arrays by the address of their object;
    machine code takes their buffers, and stores its results in the same frame. Each call has
    its own frame and its own part of scratch memory, so a signal handler may make another
    call while one is running.
    """

    def __init__(self) -> None:
        self.retry = ""
        self.lines: list[str] = []
        self.packed: list[str] = []
        self.format = _CODES["ptr"]
        self.results: list[str] = []
        self.namespace: dict[str, Any] = {}

    def bind(self, thing: object) -> str:
        """Return the name under which the function refers to a Python object."""
        name = f"__k{len(self.namespace)}"
        self.namespace[name] = thing
        return name

    def guard(self, condition: str) -> None:
        """Call again with new types if a condition fails."""
        self.lines += [f"    if not ({condition}):", f"        return {self.retry}"]

    def argument(self, text: str, kind: Type, *, is_declared: bool) -> None:
        match kind:
            case types.Array():
                self.guard(f"{text}.__class__ is {self.bind(np.ndarray)}")
                self.pack(f"__id({text})", _CODES["ptr"])
            case types.Named():
                self.guard(f"{text}.__class__ is {self.bind(kind.record)}")
                self.pack_held(f"{text}.cells")
            case types.Pointers():
                self.guard(f"{text}.kind is {self.bind(_POINTERS[kind])}")
                self.pack_held(f"{text}.addresses")
            case types.Tuple():
                self.guard(
                    f"{text}.__class__ is {self.bind(kind.made_by or tuple)} and __len({text}) == {len(kind.items)}"
                )
                for i, item in enumerate(kind.items):
                    self.argument(f"{text}[{i}]", item, is_declared=False)
            case _:
                if kind is types.BOOL or (kind is types.FLOAT and not is_declared):
                    self.guard(f"__isinstance({text}, {'bool' if kind is types.BOOL else 'float'})")
                self.pack(text, _CODES[kind.llvm])

    def pack(self, text: str, code: str) -> None:
        self.packed.append(text)
        self.format += code

    def pack_held(self, text: str) -> None:
        """Pack the address of an object to which the call must hold a reference."""
        name = f"__h{len(self.packed)}"
        self.lines.append(f"    {name} = {text}")
        self.pack(f"__id({name})", _CODES["ptr"])

    def result(self, kind: Type) -> str:
        """Return the expression for a result, made of the next parts in the frame."""
        if isinstance(kind, types.Tuple):
            inside = f"({', '.join(map(self.result, kind.items))}{',' * (len(kind.items) == 1)})"
            return f"{self.bind(kind.made_by)}{inside}" if kind.made_by else inside
        first = len(self.results)
        self.results += [_CODES[part] for part in types.parts_of(kind)]
        if isinstance(kind, types.Array):
            shape = "".join(f"__r[{first + 1 + i}], " for i in range(kind.ndim))
            return f"__array(__r[{first}], ({shape}), {kind.cell.name!r})"
        return "None" if kind is types.NONE else f"__r[{first}]"

    def function(self, compiled_function: Compiled, kinds: tuple[Type, ...]) -> Callable[..., Any]:
        machine = compiled_function.machine(kinds, is_quick=compiled_function.is_quick)
        source = compiled_function.source
        # The parameters keep their names, for keyword arguments; all other names here begin with two underscores.
        names = [f"__{i}" if name.startswith("__") else name for i, name in enumerate(source.parameters)]
        self.retry = f"__retry({', '.join(names)})"
        for name, parameter, kind in zip(names, source.parameters, kinds, strict=True):
            self.argument(name, kind, is_declared=source.declared(parameter) is not None)
        result = self.result(machine.result)
        entry = ctypes.PYFUNCTYPE(ctypes.c_int64)(machine.entry)
        cast("Any", entry).argtypes = None  # so that bytes are passed by address, without conversion
        self.namespace |= {
            "__array": _array_back,
            "__context": _CONTEXT,
            "__entry": entry,
            "__machine": machine,  # keeps the code in memory
            "__fail": functools.partial(_fail, source, machine.places),
            "__id": id,
            "__isinstance": isinstance,
            "__len": len,
            "__retry": lambda *arguments: compiled_function.dispatch_after(kinds, arguments, {}),
            "__errors": (struct.error, TypeError),
            "__pack": struct.Struct(f"{self.format}{8 * len(self.results)}x").pack,
            "__unpack": struct.Struct(f"{8 + 8 * len(self.packed)}x{''.join(self.results)}").unpack,
        }
        lines = [
            "    try:",
            f"        __frame = __pack({', '.join(['__context.address', *self.packed])})",
            "    except __errors:",
            f"        return {self.retry}",
            "    __status = __entry(__frame)",
            "    if __status:",
            f"        return {self.retry} if __status == {MISMATCH} else __fail(__status)",
        ]
        if self.results:
            lines.append("    __r = __unpack(__frame)")
        lines.append(f"    return {result}")
        if types.has_memory(machine.result):  # released once the result is copied
            before = ["    __cells = __context.cells", f"    __top = __cells[{SCRATCH_TOP}]", "    try:"]
            after = ["    finally:", f"        __cells[{SCRATCH_TOP}] = __top"]
            lines = [*before, *(f"    {line}" for line in lines), *after]
        by_position = source.function.__code__.co_posonlyargcount
        declared = [*names[:by_position], *["/"] * (by_position > 0), *names[by_position:]]
        lines = [f"def call({', '.join(declared)}):", *self.lines, *lines]
        exec("\n".join(lines), self.namespace)  # noqa: S102 - text made here
        call = cast("FunctionType", self.namespace["call"])
        call.__name__, call.__qualname__ = source.function.__name__, source.function.__qualname__
        call.__defaults__ = source.function.__defaults__
        return call


def _array_back(address: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Return a copy of an array from scratch memory."""
    n_bytes = math.prod(shape) * types.CELLS[dtype].size
    raw = ctypes.string_at(address, n_bytes)
    return np.frombuffer(bytearray(raw), dtype=dtype).reshape(shape)


def _fail(source: Source, places: list[tuple[str, str, int, str]], number: int) -> None:
    """Raise the error that ended compiled code."""
    fault, file, line, function = places[number - 1]
    error, what = Fault[fault].value
    where = "" if function == source.function.__qualname__ else f", called from {source.function.__qualname__}"
    raise error(f"{what} in {function}, line {line} of {file}{where}")
