"""From Python arguments to machine code, and back to Python results."""

from __future__ import annotations

import ctypes
import functools
import inspect
import os
import sys
import threading
from collections.abc import Callable
from operator import index
from typing import Any, TypeVar, cast

import numpy as np

from ttr_analysis._compile.records import Record
from ttr_analysis._compile.source import Source
from ttr_analysis._compile.types import (
    BOOL,
    CELLS,
    FLOAT,
    INT,
    INT32,
    Array,
    Named,
    Pointers,
    Scalar,
    Tuple,
    Type,
    parts_of,
    signature,
)
from ttr_analysis._compile.writer import ERROR, MAX_RESULTS, RESULTS, SCRATCH_END, SCRATCH_TOP, TYPES, Fault

_F = TypeVar("_F", bound=Callable[..., object])

SCRATCH_BYTES = 256 << 20
"""Scratch memory of a thread; what is never touched costs nothing."""


def compiled(function: _F) -> _F:
    """
    Compile a function of numbers, arrays and records to machine code, on its first call.

    With `TTR_PLAIN=1` in the environment, and where llvmlite cannot be
    imported, the function is returned as it is. Compiled code is kept on disk;
    later processes start with it. The interpreter's lock is released while it
    runs. With `TTR_CHECKS=1` indices and overflow are checked.

    Parameters
    ----------
    function
        A function in the part of Python that docs/compiler.md describes. An
        index out of range is undefined without `TTR_CHECKS=1`.

    Raises
    ------
    SubsetError
        On the first call, if it uses anything else: with file, line, and what
        to write instead.

    Examples
    --------
    >>> import numpy as np
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


@functools.cache
def is_plain() -> bool:
    """Return whether compiled functions run as plain Python."""
    if os.environ.get("TTR_PLAIN", "") not in ("", "0"):
        return True
    try:
        import llvmlite  # noqa: F401
    except ImportError:
        text = "ttr_analysis: llvmlite is missing, so that everything runs as plain Python, hundreds of times slower"
        print(text, file=sys.stderr)  # noqa: T201
        return True
    return False


# -- the context of a thread ------------------------------------------------------------------------

_CELLS = RESULTS + MAX_RESULTS


class _Context(threading.local):
    """What compiled code is given besides its arguments: scratch memory, errors, room for results."""

    def __init__(self) -> None:
        self.cells = (ctypes.c_int64 * _CELLS)()
        self.address = ctypes.addressof(self.cells)
        self.floats = (ctypes.c_double * _CELLS).from_address(self.address)
        self.scratch = np.empty(SCRATCH_BYTES + 64, dtype=np.uint8)
        start = -(-self.scratch.ctypes.data // 64) * 64
        self.cells[SCRATCH_TOP], self.cells[SCRATCH_END] = start, start + SCRATCH_BYTES
        self.start = start
        self.cells[TYPES] = id(np.ndarray)
        for i, name in enumerate(CELLS):
            self.cells[TYPES + 1 + i] = id(np.dtype(name))


_CONTEXT = _Context()


class Functions(tuple[Callable[..., Any], ...]):
    """
    Compiled functions of one signature, to be called by their number.

    Compiled code that is given such a tuple calls `functions[i](...)`; each of
    them is compiled by itself, from its annotations.

    Parameters
    ----------
    functions
        Functions whose parameters and results are all annotated alike.
    """

    addresses: np.ndarray[tuple[int], np.dtype[np.int64]]
    kind: Pointers

    def __new__(cls, functions: tuple[Callable[..., Any], ...]) -> Functions:
        made = super().__new__(cls, functions)
        if functions and isinstance(functions[0], Compiled):
            sources = [cast("Compiled", function).source for function in functions]
            signatures = {signature(source.function) for source in sources}
            if len(signatures) != 1:
                raise TypeError(f"functions of different signatures: {', '.join(source.name for source in sources)}")
            made.kind = Pointers(*signatures.pop())
            found = [cast("Compiled", function).exported(made.kind) for function in functions]
            made.addresses = np.array(found, dtype=np.int64)
        return made


# -- one function -------------------------------------------------------------------------------------


class Compiled:
    """
    A compiled function: what `compiled` makes.

    Parameters
    ----------
    function
        The Python function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.source = Source(function)
        self._calls: dict[tuple[Type, ...], Callable[..., Any]] = {}
        self._last: Callable[..., Any] = _never
        self._pointers: dict[Pointers, Any] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return the name of the function."""
        return f"<compiled {self.source.name}>"

    def __reduce__(self) -> str:
        """Return the name of the function, by which another process finds it."""
        return self.source.function.__qualname__

    def __get__(self, owner: object, kind: type | None = None) -> Any:  # noqa: ANN401
        """Return the function as a method."""
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        """Call the machine code for these arguments, compiled if need be."""
        if not named:
            try:
                return self._last(*arguments)
            except (_OtherTypesError, TypeError, AttributeError, ctypes.ArgumentError):
                pass  # other types than in the last call; what is wrong is said when they are looked at
        return self._call_anew(arguments, named)

    def _call_anew(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401
        bound = inspect.signature(self.source.function).bind(*arguments, **named)
        bound.apply_defaults()
        plain = tuple(map(_as_plain, bound.args))
        call = self._last = self._find(plain)
        return call(*plain)

    def _find(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Return the caller for arguments, compiled if need be."""
        names = self.source.parameters
        kinds = tuple(self._type_of(name, value) for name, value in zip(names, arguments, strict=True))
        if kinds not in self._calls:
            with self._lock:
                if kinds not in self._calls:
                    self._calls[kinds] = _make_call(self.source, kinds)
        return self._calls[kinds]

    def _type_of(self, name: str, value: object) -> Type:
        """Return the type of an argument: that of its annotation, where the value fits."""
        have = _type_of(value)
        declared = self.source.declared(name)
        if have is None or (isinstance(declared, Named) and have != declared):
            raise TypeError(f"{self.source.function.__name__}: {name} must be {_wanted(declared)}, got {_shown(value)}")
        if isinstance(declared, Scalar):
            if not isinstance(have, Scalar) or (have is FLOAT and declared is not FLOAT):
                raise TypeError(f"{self.source.function.__name__}: {name} must be {declared}, got {_shown(value)}")
            return declared
        cell = self.source.declared_cell(name)
        if isinstance(have, Array) and cell is not None and have.cell != cell:
            raise TypeError(
                f"{self.source.function.__name__}: {name} must be an array of {cell}, got {_shown(value)}"
            )
        return have

    def exported(self, kind: Pointers) -> int:
        """Return the address of the function for other compiled code."""
        from ttr_analysis._compile.build import build

        if kind not in self._pointers:
            self._pointers[kind] = build(self.source, kind.arguments)
        return int(self._pointers[kind].exported)

    @property
    def is_ready(self) -> bool:
        """Whether machine code was loaded or compiled in this process."""
        return bool(self._calls or self._pointers)


def _wanted(declared: Type | None) -> str:
    return str(declared) if declared is not None else "a number, an array, a record or a tuple of those"


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with {value.ndim} dimensions"
    return f"{type(value).__name__} {value!r}"


class _OtherTypesError(Exception):
    """The arguments are not of the types that machine code was compiled for."""


def _never(*_arguments: object) -> Any:  # noqa: ANN401
    raise _OtherTypesError


def _type_of(value: object) -> Type | None:
    """Return the type of a Python object in compiled code, None if it has none."""
    match value:
        case bool():
            return BOOL
        case int():
            return INT
        case float():
            return FLOAT
        case np.ndarray() if value.dtype.name in CELLS and value.ndim > 0:
            return Array(CELLS[value.dtype.name], value.ndim)
        case Record():
            return Named(type(value))
        case Functions():
            return value.kind
        case tuple():
            items = [_type_of(item) for item in value]
            made_by = type(value) if hasattr(value, "_fields") else None
            return None if None in items else Tuple(tuple(cast("list[Type]", items)), made_by)
    return None


def _as_plain(value: Any) -> Any:  # noqa: ANN401
    """Return an argument as machine code takes it: numbers of numpy as Python's, arrays contiguous or refused."""
    if isinstance(value, (bool, float, Record, Functions)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous or not value.flags.aligned:
            raise TypeError(f"{_shown(value)} that is not contiguous: pass a copy, by np.ascontiguousarray")
        if type(value) is not np.ndarray:
            value = value.view(np.ndarray)
        native = np.dtype(value.dtype.name)
        if value.dtype is not native and value.dtype == native:
            value = value.view(native)  # the same numbers; the dtype is another object
        return value
    if isinstance(value, tuple):
        items = tuple(map(_as_plain, value))
        return type(value)(*items) if hasattr(value, "_fields") else items
    try:
        return index(value)
    except TypeError:
        return value


# -- callers ----------------------------------------------------------------------------------------------


def _make_call(source: Source, kinds: tuple[Type, ...]) -> Callable[..., Any]:
    """
    Return a Python function that calls the machine code of a root.

    It is written as text, for these types: what it does for each argument is
    then a few bytecodes, and arrays are passed by the address of their Python
    object, from which machine code reads the rest.
    """
    from ttr_analysis._compile.build import build
    from ttr_analysis._compile.program import MISMATCH

    machine = build(source, kinds)
    names = [f"a{i}" for i in range(len(kinds))]
    passed: list[str] = []
    argtypes: list[Any] = [ctypes.c_void_p]
    for name, kind in zip(names, kinds, strict=True):
        _pass_argument(name, kind, passed, argtypes)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *argtypes)
    lines = [
        f"def call({', '.join(names)}):",
        f"    status = entry({', '.join(['context.address', *passed])})",
        f"    if status == {MISMATCH}:",
        "        raise other",
        "    if status:",
        "        fail(places)",
        f"    return {_returned(machine.result, [0])}",
    ]
    inside: dict[str, Any] = {
        "entry": prototype(machine.entry),
        "context": _CONTEXT,
        "other": _OtherTypesError,
        "fail": functools.partial(_fail, source),
        "places": machine.places,
        "index": index,
        "keep": machine,
        "array": _array_back,
        "classes": _classes(machine.result),
    }
    exec("\n".join(lines), inside)  # noqa: S102 - text of this function's own making
    return cast("Callable[..., Any]", inside["call"])


def _pass_argument(text: str, kind: Type, passed: list[str], argtypes: list[Any]) -> None:
    """Add the expressions by which an argument is passed."""
    match kind:
        case Array():
            passed.append(f"id({text})")
            argtypes.append(ctypes.c_int64)
        case Named():
            passed.append(f"id({text}.cells)")
            argtypes.append(ctypes.c_int64)
        case Pointers():
            passed.append(f"id({text}.addresses)")
            argtypes.append(ctypes.c_int64)
        case Tuple():
            for i, item in enumerate(kind.items):
                _pass_argument(f"{text}[{i}]", item, passed, argtypes)
        case _:
            passed.append(text if kind is FLOAT else f"index({text})")
            argtypes.append(ctypes.c_double if kind is FLOAT else ctypes.c_int64)


def _returned(kind: Type, at: list[int]) -> str:
    """Return the expression of a result, whose parts lie in the context from `at` on."""
    cell = RESULTS + at[0]
    if isinstance(kind, Tuple):
        items = [_returned(item, at) for item in kind.items]
        inside = f"({', '.join(items)},)"
        return f"classes[{kind.made_by.__name__!r}]{inside}" if kind.made_by else inside
    at[0] += len(parts_of(kind))
    if isinstance(kind, Array):
        return f"array(context, {cell}, {kind.cell.name!r}, {kind.ndim})"
    if isinstance(kind, Scalar):
        texts = {INT: "context.cells[{}]", INT32: "context.cells[{}]", BOOL: "context.cells[{}] != 0"}
        return "None" if not parts_of(kind) else texts.get(kind, "context.floats[{}]").format(cell)
    raise TypeError(f"a root cannot return {kind}: return numbers or arrays")


def _classes(kind: Type) -> dict[str, type]:
    """Return the classes of NamedTuples in a result."""
    if not isinstance(kind, Tuple):
        return {}
    inside = {name: made for item in kind.items for name, made in _classes(item).items()}
    return {**inside, kind.made_by.__name__: kind.made_by} if kind.made_by else inside


def _array_back(context: _Context, cell: int, dtype: str, ndim: int) -> np.ndarray[Any, Any]:
    """Return a copy of an array that compiled code made, or was given, as an array of its own; free scratch memory."""
    shape = tuple(context.cells[cell + 1 + i] for i in range(ndim))
    n_bytes = int(np.prod(shape)) * CELLS[dtype].size
    raw = (ctypes.c_char * n_bytes).from_address(context.cells[cell]) if n_bytes else b""
    context.cells[SCRATCH_TOP] = context.start
    return np.frombuffer(raw, dtype=dtype).reshape(shape).copy()


def _fail(source: Source, places: list[tuple[str, str, int, str]]) -> None:
    """Raise the error with which compiled code ended."""
    number = _CONTEXT.cells[ERROR]
    _CONTEXT.cells[ERROR] = 0
    _CONTEXT.cells[SCRATCH_TOP] = _CONTEXT.start
    fault, file, line, function = places[number - 1]
    error, what = Fault[fault].value
    where = "" if function == source.function.__qualname__ else f", called from {source.function.__qualname__}"
    raise error(f"{what} in {function}, line {line} of {file}{where}")
