"""
The types of compiled code, and the LLVM values that each is made of.

A value of several parts, such as an array (its address and its sizes) or a
tuple, is passed as these parts one by one.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ttr_analysis._compile.records import Record


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
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return Named(annotation)
    if typing.get_origin(annotation) is tuple:
        items = [from_annotation(item) for item in typing.get_args(annotation)]
        return Tuple(tuple(item for item in items if item is not None)) if None not in items else None
    try:
        return plain.get(annotation)
    except TypeError:  # not hashable, so none of these
        return None


def cell_from_annotation(annotation: object) -> Cell | None:
    """Return what an annotated array holds, None if the annotation is of no array."""
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
