"""
The types of compiled code: records, numbers, arrays, tuples.

A record is a set of named fields over one array of numbers. Compiled code knows the
position of each field; Python uses views.

>>> class Purse(Record):
...     owner = cell()
...     tokens = block(2, 3)
>>> purse = Purse()
>>> purse.owner = 5
>>> purse.tokens[1, 2] = 7
>>> purse.owner, purse.tokens[1].tolist(), purse.cells.tolist()
(5, [0, 0, 7], [5, 0, 0, 0, 0, 0, 7])

In LLVM a value has parts, which are passed one by one: for an array its address
and its sizes, for a tuple the parts of its items.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

# -- arrays --------------------------------------------------------------------------------------------------------

Ints = npt.NDArray[np.int64]
"""Whole numbers."""
Floats = npt.NDArray[np.float64]
"""Numbers with a fraction."""
Singles = npt.NDArray[np.float32]
"""The same in half the space, as machine-learning libraries expect."""
Narrow = npt.NDArray[np.int32]
"""Whole numbers in half the space, for large arrays."""
Flags = npt.NDArray[np.int8]
"""0 or 1 for each item."""

# -- records -------------------------------------------------------------------------------------------------------

DTYPES = ("int64", "int32", "int8", "float64")
"""The dtypes of records; arrays in compiled code may also be float32."""


class Field:
    """A field of a record: one number if `shape` is empty, else a block."""

    __slots__ = ("is_float", "name", "offset", "shape", "size")

    def __init__(self, shape: tuple[int, ...], *, is_float: bool = False) -> None:
        self.shape = shape
        self.is_float = is_float
        self.size = prod(shape)
        self.name = ""
        self.offset = 0

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def view(self, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return cells[self.offset : self.offset + self.size].reshape(self.shape)


class _Number(Field):
    __slots__ = ()

    def door(self) -> property:
        """Return a property for the class, which is faster than a custom descriptor."""
        at = self.offset

        def read(record: Record) -> Any:  # noqa: ANN401 - an int or a float
            return record.cells.item(at)

        def write(record: Record, value: float) -> None:
            record.cells[at] = value

        return property(read, write)


class _Block(Field):
    """A cached array view of its record's cells."""

    __slots__ = ()

    def __get__(self, record: Record | None, owner: type) -> Any:  # noqa: ANN401 - an array
        if record is None:
            return self
        view = self.view(record.cells)
        setattr(record, self.name, view)  # from now on found before this field
        return view


def cell() -> int:
    """Declare a field of one number."""
    return cast("int", _Number(()))


def block(*shape: int) -> Ints:
    """Declare a field of several numbers with a fixed shape."""
    return cast("Ints", _Block(_sizes(shape)))


def float_cell() -> float:
    """Declare a field of one number, in a record of floats."""
    return cast("float", _Number((), is_float=True))


def float_block(*shape: int) -> Floats:
    """Declare a field of several numbers, in a record of floats."""
    return cast("Floats", _Block(_sizes(shape), is_float=True))


def _sizes(shape: tuple[int, ...]) -> tuple[int, ...]:
    if not shape or min(shape) < 1:
        raise ValueError(f"a block needs one or more sizes, each at least 1, got {shape}")
    return shape


class Record:
    """
    Named fields over one array: `cells` if given, else new zeros.

    A subclass declares its fields in order; `names=` adds a number for each name. A record of
    floats is declared with `class Prices(Record, dtype=np.float64)`. If `cells` is not a
    contiguous array of the record's size and dtype, a TypeError is raised.
    """

    fields: ClassVar[dict[str, Field]] = {}
    """All fields by name."""
    n_cells: ClassVar[int] = 0
    """Number of cells in a record."""
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int64)

    cells: npt.NDArray[Any]
    """The underlying array."""

    def __init_subclass__(cls, dtype: npt.DTypeLike | None = None, names: Iterable[str] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        if dtype is not None:
            if cls.fields and np.dtype(dtype) != cls.dtype:
                raise TypeError(f"{cls.__name__} has a different dtype from the record that it extends")
            cls.dtype = np.dtype(dtype)
        if cls.dtype.name not in DTYPES:
            raise TypeError(f"a record holds {', '.join(DTYPES)}, not {cls.dtype}")
        if sum(issubclass(base, Record) for base in cls.__bases__) > 1:
            raise TypeError(f"{cls.__name__} extends more than one record")
        numbers = [(name, _Number((), is_float=cls.dtype.kind == "f")) for name in names]
        cls.fields = dict(cls.fields)  # a record may add fields to those of another
        for name, field in [*vars(cls).items(), *numbers]:
            if isinstance(field, Field):
                if name in ("cells", *cls.fields) or hasattr(Record, name):
                    raise TypeError(f"{cls.__name__}: the name {name!r} is taken; call the field something else")
                if field.is_float and cls.dtype.kind != "f":
                    raise TypeError(f"{cls.__name__}.{name} is declared as floats, in a record of {cls.dtype}")
                field.offset = cls.n_cells
                cls.n_cells += field.size
                cls.fields[name] = field
                if isinstance(field, _Number):
                    setattr(cls, name, field.door())

    def __init__(self, cells: npt.NDArray[Any] | None = None) -> None:
        given: object = cells
        if cells is None:
            cells = np.zeros(self.n_cells, dtype=self.dtype)
        elif (
            not isinstance(given, np.ndarray)
            or (cells.shape, cells.dtype) != ((self.n_cells,), self.dtype)
            or not (cells.flags.c_contiguous and cells.flags.aligned)
        ):
            got = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
            raise TypeError(f"{type(self).__name__} needs a contiguous array of {self.n_cells} {self.dtype}, got {got}")
        if type(given) is np.ndarray and cells.dtype is self.dtype:
            self.cells = cells
        else:  # a subclass, or an equal dtype: the same memory, in the form that compiled code takes
            self.cells = np.asarray(cells).view(self.dtype)

    def __reduce__(self) -> tuple[type[Self], tuple[npt.NDArray[Any]]]:
        """Return class and cells; views are recreated."""
        return type(self), (self.cells,)

    @classmethod
    def across(cls, rows: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """
        Return one field of many records, one per row.

        >>> class Purse(Record):
        ...     owner = cell()
        ...     tokens = block(2)
        >>> Purse.across(np.array([[0, 1, 2], [3, 4, 5]]), "tokens").tolist()
        [[1, 2], [4, 5]]
        """
        field = cls.fields[name]
        return rows[:, field.offset : field.offset + field.size].reshape(len(rows), *field.shape)

    def copy(self) -> Self:
        made = object.__new__(type(self))
        made.cells = self.cells.copy()  # already valid, so nothing needs checking
        return made

    def __repr__(self) -> str:
        """Return the fields that are not 0."""
        shown = ((name, field.view(self.cells)) for name, field in self.fields.items())
        return f"{type(self).__name__}({', '.join(f'{name}={v.tolist()}' for name, v in shown if v.any())})"


# -- types ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, a truth value, or nothing."""

    name: str
    llvm: str

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        """Return the name of the single instance below."""
        return self.name.upper()


INT = Scalar("int", "i64")
INT32 = Scalar("int32", "i32")
"""The type of int32 array items, kept narrow because vectors of them hold twice as many."""
FLOAT = Scalar("float", "double")
BOOL = Scalar("bool", "i1")
NONE = Scalar("None", "void")


@dataclass(frozen=True, slots=True)
class Cell:
    """The item type of an array: its dtype, LLVM type, size, and the type it is read as."""

    name: str
    llvm: str
    size: int
    read: Scalar

    def __str__(self) -> str:
        return self.name


CELLS = {
    "int64": Cell("int64", "i64", 8, INT),
    "int32": Cell("int32", "i32", 4, INT32),
    "int8": Cell("int8", "i8", 1, INT),
    "float32": Cell("float32", "float", 4, FLOAT),
    "float64": Cell("float64", "double", 8, FLOAT),
}
"""The dtypes that arrays may have."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array, contiguous in C order."""

    cell: Cell
    ndim: int

    def __str__(self) -> str:
        return f"array of {self.cell} with {self.ndim} dimension{'s' * (self.ndim != 1)}"


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple, or a NamedTuple of class `made_by`."""

    items: tuple[Type, ...]
    made_by: type | None = None

    def __str__(self) -> str:
        return self.made_by.__name__ if self.made_by else f"tuple of {', '.join(map(str, self.items))}"

    def place(self, name: str) -> int | None:
        names: tuple[str, ...] = getattr(self.made_by, "_fields", ())
        return names.index(name) if name in names else None


@dataclass(frozen=True, slots=True)
class Named:
    """A record."""

    record: type[Record]

    @property
    def cell(self) -> Cell:
        return CELLS[self.record.dtype.name]

    def __str__(self) -> str:
        return self.record.__name__


@dataclass(frozen=True, slots=True)
class Pointers:
    """Compiled functions with one signature, called by index."""

    arguments: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"functions of ({', '.join(map(str, self.arguments))})"


Type = Scalar | Array | Tuple | Named | Pointers


def parts_of(kind: Type) -> tuple[str, ...]:
    """Return the LLVM types of the parts of a value."""
    match kind:
        case Scalar():
            return () if kind is NONE else (kind.llvm,)
        case Array():
            return ("ptr", *("i64",) * kind.ndim)
        case Tuple():
            return tuple(part for item in kind.items for part in parts_of(item))
        case Named():
            return ("ptr",)
        case Pointers():
            return ("ptr", "i64")


def has_memory(kind: Type) -> bool:
    """Return whether a value points to memory."""
    return "ptr" in parts_of(kind)


def classes_of(kind: Type) -> Iterator[type]:
    """Yield the records and NamedTuples in a type."""
    match kind:
        case Named():
            yield kind.record
        case Tuple():
            if kind.made_by:
                yield kind.made_by
            for item in kind.items:
                yield from classes_of(item)
        case Pointers():
            for item in (*kind.arguments, kind.result):
                yield from classes_of(item)


def from_annotation(annotation: object) -> Type | None:
    """
    Return the type for an annotation, or None.

    >>> str(from_annotation(tuple[int, float]))
    'tuple of int, float'
    """
    plain: dict[object, Scalar] = {int: INT, float: FLOAT, bool: BOOL, None: NONE, type(None): NONE, np.int32: INT32}
    annotation = _named_by(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return Named(annotation)
    if typing.get_origin(annotation) is tuple:
        items = [from_annotation(item) for item in typing.get_args(annotation)]
        return Tuple(tuple(item for item in items if item is not None)) if None not in items else None
    try:
        return plain.get(annotation)
    except TypeError:  # not hashable, so none of these
        return None


def _named_by(annotation: object) -> object:
    """Resolve a PEP 695 alias, such as NDArray since NumPy 2.5; return anything else unchanged."""
    while (value := getattr(typing.get_origin(annotation) or annotation, "__value__", None)) is not None:
        held = typing.get_args(annotation)
        annotation = value[held] if held else value
    return annotation


def cell_from_annotation(annotation: object) -> Cell | None:
    """Return the dtype of an annotated array, None if it is not one, or arrays may not have its dtype."""
    annotation = _named_by(annotation)
    if typing.get_origin(annotation) is not np.ndarray:
        return None
    (held,) = typing.get_args(typing.get_args(annotation)[1]) or (None,)
    return CELLS.get(getattr(held, "__name__", ""))


@lru_cache(maxsize=64)
def signature(function: Callable[..., Any]) -> tuple[tuple[Type, ...], Type]:
    """Return the types of a fully annotated function; its arrays have one dimension."""
    hints = hints_of(function)
    types: dict[str, Type] = {}
    for name in [*parameters_of(function), "return"]:
        kind = from_annotation(hints[name]) if name in hints else None
        cell = cell_from_annotation(hints.get(name))
        if kind is None and cell is not None:
            kind = Array(cell, 1)
        if kind is None:
            raise TypeError(
                f"{function.__name__}: the annotation of {name} must be a type of compiled code, "
                f"got {hints.get(name, 'none')}"
            )
        types[name] = kind
    result = types.pop("return")
    return tuple(types.values()), result


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def hints_of(function: Callable[..., Any]) -> dict[str, object]:
    """Return the annotations of a function; if one has an unknown name, all but the simplest remain text."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        simple = {"int": int, "float": float, "bool": bool, "None": None}
        raw = getattr(function, "__annotations__", {})
        return {name: simple.get(text, text) if isinstance(text, str) else text for name, text in raw.items()}
