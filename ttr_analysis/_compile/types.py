"""
The types of compiled code: records, numbers, arrays, tuples, and the LLVM values each is made of.

A record is named fields over one array of numbers:

>>> class Purse(Record):
...     owner = cell()
...     tokens = block(2, 3)
>>> purse = Purse()
>>> purse.owner = 5
>>> purse.tokens[1, 2] = 7
>>> purse.owner, purse.tokens[1].tolist(), purse.cells.tolist()
(5, [0, 0, 7], [5, 0, 0, 0, 0, 0, 7])

Compiled code knows at compile time where each field lies; Python sees it
through views. A copy of a record is one copy of its array.

A value of several parts, such as an array (its address and its sizes) or a
tuple, is passed as these parts one by one.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

# -- records -------------------------------------------------------------------------------------------------------

DTYPES = ("int64", "int32", "int8", "float64")
"""What records, and arrays in compiled code, may hold."""


class Field:
    """
    A field of a record: one number, or a block of them.

    Parameters
    ----------
    shape
        Sizes of a block; none for one number.
    is_float
        Whether it must be in a record of floats.
    """

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
        """Return the part of an array that is this field."""
        return cells[self.offset : self.offset + self.size].reshape(self.shape)


class _Number(Field):
    """One number, read and written in place."""

    __slots__ = ()

    def door(self) -> property:
        """Return what stands in the class: a property, which Python calls faster than a field of ours."""
        at = self.offset

        def read(record: Record) -> Any:  # noqa: ANN401 - an int or a float
            return record.cells.item(at)

        def write(record: Record, value: float) -> None:
            record.cells[at] = value

        return property(read, write)


class _Block(Field):
    """An array that shares the cells of its record; made at first use and kept."""

    __slots__ = ()

    def __get__(self, record: Record | None, owner: type) -> Any:  # noqa: ANN401 - an array
        if record is None:
            return self
        view = self.view(record.cells)
        record.__dict__[self.name] = view  # found before this field from now on
        return view


def cell() -> int:
    """Declare a field of one number."""
    return cast("int", _Number(()))


def block(*shape: int) -> npt.NDArray[np.int64]:
    """
    Declare a field of several numbers.

    Parameters
    ----------
    *shape
        Its sizes, fixed.
    """
    return cast("npt.NDArray[np.int64]", _Block(_sizes(shape)))


def float_cell() -> float:
    """Declare a field of one number, in a record of floats."""
    return cast("float", _Number((), is_float=True))


def float_block(*shape: int) -> npt.NDArray[np.float64]:
    """Declare a field of several numbers, in a record of floats."""
    return cast("npt.NDArray[np.float64]", _Block(_sizes(shape), is_float=True))


def _sizes(shape: tuple[int, ...]) -> tuple[int, ...]:
    if not shape or min(shape) < 1:
        raise ValueError(f"a block has one or more sizes of at least 1, got {shape}")
    return shape


class Record:
    """
    Named fields over one array: see the module.

    A subclass declares its fields in order; one of floats is declared with
    `class Prices(Record, dtype=np.float64)`.

    Parameters
    ----------
    cells
        The array that the fields are of, shared; by default a new one of
        zeros.

    Raises
    ------
    TypeError
        If `cells` is no contiguous array of the size and dtype of the record.
    """

    fields: ClassVar[dict[str, Field]] = {}
    """All fields by name."""
    n_cells: ClassVar[int] = 0
    """Numbers in a record."""
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int64)

    cells: npt.NDArray[Any]
    """The array that the fields are of."""

    def __init_subclass__(cls, dtype: npt.DTypeLike | None = None, **more: object) -> None:
        super().__init_subclass__(**more)
        if dtype is not None:
            if cls.fields and np.dtype(dtype) != cls.dtype:
                raise TypeError(f"{cls.__name__} is a record of another dtype than what it adds to")
            cls.dtype = np.dtype(dtype)
        if cls.dtype.name not in DTYPES:
            raise TypeError(f"a record holds {', '.join(DTYPES)}, not {cls.dtype}")
        if sum(issubclass(base, Record) for base in cls.__bases__) > 1:
            raise TypeError(f"{cls.__name__} adds to more than one record")
        cls.fields = dict(cls.fields)  # a record may add fields to those of another
        for name, field in list(vars(cls).items()):
            if isinstance(field, Field):
                if name == "cells" or hasattr(Record, name):
                    raise TypeError(f"{cls.__name__}: no field can be called {name!r}")
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
            raise TypeError(
                f"{type(self).__name__} lies on a contiguous array of {self.n_cells} {self.dtype}, got {got}"
            )
        if type(given) is np.ndarray and cells.dtype is self.dtype:
            self.cells = cells
        else:  # a subclass, or an equal dtype: the same memory, in the form that compiled code takes
            self.cells = np.asarray(cells).view(self.dtype)

    def __reduce__(self) -> tuple[type[Self], tuple[npt.NDArray[Any]]]:
        """Return the class and the cells: views of them are made anew."""
        return type(self), (self.cells,)

    @classmethod
    def across(cls, rows: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """
        Return one field of many records.

        Parameters
        ----------
        rows
            The records, one a row.
        name
            The field.

        Examples
        --------
        >>> class Purse(Record):
        ...     owner = cell()
        ...     tokens = block(2)
        >>> Purse.across(np.array([[0, 1, 2], [3, 4, 5]]), "tokens").tolist()
        [[1, 2], [4, 5]]
        """
        field = cls.fields[name]
        return rows[:, field.offset : field.offset + field.size].reshape(len(rows), *field.shape)

    def copy(self) -> Self:
        """Return a copy with an array of its own."""
        made = object.__new__(type(self))
        made.cells = self.cells.copy()  # which is as it must be: nothing is left to be checked
        return made

    def __repr__(self) -> str:
        """Return the numbers that are not 0."""
        shown = ((name, field.view(self.cells)) for name, field in self.fields.items())
        return f"{type(self).__name__}({', '.join(f'{name}={v.tolist()}' for name, v in shown if v.any())})"


# -- types ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, a truth value, or nothing."""

    name: str
    llvm: str

    def __str__(self) -> str:
        """Return the name as in an annotation."""
        return self.name

    def __reduce__(self) -> str:
        """Return the name by which it is found below: there is one of each."""
        return self.name.upper()


INT = Scalar("int", "i64")
INT32 = Scalar("int32", "i32")
"""What an array of int32 holds: kept narrow, for vectors of them are twice as long."""
FLOAT = Scalar("float", "double")
BOOL = Scalar("bool", "i1")
NONE = Scalar("None", "void")


@dataclass(frozen=True, slots=True)
class Cell:
    """What an array holds: its name, its type in memory, and the type it is read as."""

    name: str
    llvm: str
    size: int
    read: Scalar

    def __str__(self) -> str:
        """Return the name of the dtype."""
        return self.name


CELLS = {
    "int64": Cell("int64", "i64", 8, INT),
    "int32": Cell("int32", "i32", 4, INT32),
    "int8": Cell("int8", "i8", 1, INT),
    "float64": Cell("float64", "double", 8, FLOAT),
}
"""The dtypes that arrays may have."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array, contiguous in C order."""

    cell: Cell
    ndim: int

    def __str__(self) -> str:
        """Return dtype and number of dimensions."""
        return f"array of {self.cell} with {self.ndim} dimension{'s' * (self.ndim != 1)}"


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple, or a NamedTuple whose class is `made_by`."""

    items: tuple[Type, ...]
    made_by: type | None = None

    def __str__(self) -> str:
        """Return the class, or the items."""
        return self.made_by.__name__ if self.made_by else f"tuple of {', '.join(map(str, self.items))}"

    def place(self, name: str) -> int | None:
        """Return the number of a named item, or None."""
        names: tuple[str, ...] = getattr(self.made_by, "_fields", ())
        return names.index(name) if name in names else None


@dataclass(frozen=True, slots=True)
class Named:
    """A record: named fields over one array."""

    record: type[Record]

    @property
    def cell(self) -> Cell:
        """What the record holds."""
        return CELLS[self.record.dtype.name]

    def __str__(self) -> str:
        """Return the class."""
        return self.record.__name__


@dataclass(frozen=True, slots=True)
class Pointers:
    """Compiled functions of one signature, called by their number."""

    arguments: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        """Return what they take."""
        return f"functions of ({', '.join(map(str, self.arguments))})"


Type = Scalar | Array | Tuple | Named | Pointers


def parts_of(kind: Type) -> tuple[str, ...]:
    """
    Return the LLVM types of the parts of a value.

    Examples
    --------
    >>> parts_of(Array(CELLS["int64"], 2))
    ('ptr', 'i64', 'i64')
    """
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
    """Yield the records and NamedTuples that a type is made of."""
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
    Return the type that an annotation says, None where the call decides.

    Examples
    --------
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
    """Return what an alias of PEP 695 stands for, as an NDArray of NumPy is one since 2.5; anything else as it is."""
    while (value := getattr(typing.get_origin(annotation) or annotation, "__value__", None)) is not None:
        held = typing.get_args(annotation)
        annotation = value[held] if held else value
    return annotation


def cell_from_annotation(annotation: object) -> Cell | None:
    """Return what an annotated array holds, None if the annotation is of no array."""
    annotation = _named_by(annotation)
    if typing.get_origin(annotation) is not np.ndarray:
        return None
    (held,) = typing.get_args(typing.get_args(annotation)[1]) or (None,)
    return CELLS.get(getattr(held, "__name__", ""))


@lru_cache(maxsize=64)
def signature(function: Callable[..., Any]) -> tuple[tuple[Type, ...], Type]:
    """
    Return the types of a function that says them all; its arrays have one dimension.

    Raises
    ------
    TypeError
        If an annotation is missing or says no type of compiled code.
    """
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
    """Return the names of the positional parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def hints_of(function: Callable[..., Any]) -> dict[str, object]:
    """Return the annotations of a function; those that name what is not there are left out."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        simple = {"int": int, "float": float, "bool": bool, "None": None}
        raw = getattr(function, "__annotations__", {})
        return {name: simple.get(text, text) if isinstance(text, str) else text for name, text in raw.items()}
