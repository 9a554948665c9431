"""
Records: named fields over one array of numbers.

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
"""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt


class Field:
    """
    A field of a record: one number, or a block of them.

    Parameters
    ----------
    shape
        Sizes of a block; none for one number.
    """

    __slots__ = ("name", "offset", "shape", "size")

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
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

    def __get__(self, record: Record | None, owner: type) -> Any:  # noqa: ANN401 - an int or a float
        return self if record is None else record.cells.item(self.offset)

    def __set__(self, record: Record, value: float) -> None:
        record.cells[self.offset] = value


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
    return cast("npt.NDArray[np.int64]", _Block(shape))


def float_cell() -> float:
    """Declare a field of one number, in a record of floats."""
    return cast("float", _Number(()))


def float_block(*shape: int) -> npt.NDArray[np.float64]:
    """Declare a field of several numbers, in a record of floats."""
    return cast("npt.NDArray[np.float64]", _Block(shape))


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
            cls.dtype = np.dtype(dtype)
        cls.fields = dict(cls.fields)  # a record may add fields to those of another
        for name, field in list(vars(cls).items()):
            if isinstance(field, Field):
                field.offset = cls.n_cells
                cls.n_cells += field.size
                cls.fields[name] = field

    def __init__(self, cells: npt.NDArray[Any] | None = None) -> None:
        if cells is None:
            cells = np.zeros(self.n_cells, dtype=self.dtype)
        elif cells.shape != (self.n_cells,) or cells.dtype != self.dtype or not cells.flags.c_contiguous:
            raise TypeError(
                f"{type(self).__name__} lies on a contiguous array of {self.n_cells} {self.dtype}, "
                f"got {cells.dtype} of shape {cells.shape}"
            )
        self.cells = cells

    def copy(self) -> Self:
        """Return a copy with an array of its own."""
        return type(self)(self.cells.copy())

    def __repr__(self) -> str:
        """Return the numbers that are not 0."""
        shown = ((name, field.view(self.cells)) for name, field in self.fields.items())
        return f"{type(self).__name__}({', '.join(f'{name}={v.tolist()}' for name, v in shown if v.any())})"
