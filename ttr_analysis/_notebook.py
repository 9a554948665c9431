"""Show tables in notebooks and with `print` in a readable way; for code, the values stay unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from html import escape
from math import floor, log10
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, cast

import numpy as np
import pandas as pd

from ttr_analysis._compile import Floats
from ttr_analysis._words import counted

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MOST_COLUMNS: Final = 12
"""Number of columns that fit side by side on a laptop; a figure and its interval are one column."""
_UNSET: Final = (0, 20)
"""The defaults of pandas for `display.max_columns`: in a terminal, and elsewhere."""
_UNIT_PRESERVING: Final = frozenset(
    (None, "copy", "take", "reindex", "rename", "sort_values", "sort_index", "round", "astype", "fillna")
)
"""Methods that do not change the meaning of columns, by the names that pandas passes to `__finalize__`."""
_MAX_DECIMALS: Final = 3
"""Maximum number of decimals; figures too small to show any digit get up to twice as many."""

_BREAKABLE: Final = re.compile(r"<(td|th)([^>]*)>(?=[^<]{2,60}<)([^<]*[ -][^<]*)</\1>")
"""Cells with a name or an interval, which notebooks would break at a hyphen or a space; long lists may be broken."""

_NAMES: Final = {
    "trains": "length slack marginal detour detour_mean detour_both pair_detour with_one with_two in_deal "
    "ticket_mean ticket_worst deal_mean deal_worst resistance mean_resistance",
    "points": "net at_risk",
    "cards": "swap_size",
    "tokens": "toll",
    "degrees": "lat lon",
}
UNITS: Final = {name: unit for unit, names in _NAMES.items() for name in names.split()}
"""
Units of the columns of maps and their analysis: those not evident from the name, which mean the
same in all tables.
"""


class _Layout(NamedTuple):
    """The arguments of `as_table`, and the columns that it was given."""

    columns: frozenset[str]
    """All columns that `as_table` was given."""
    intervals: Mapping[str, tuple[str, str]]
    """The columns with the ends of the interval of each figure that has one."""
    first: Sequence[str]
    units: Mapping[str, str]
    why_empty: str
    note: str


class Table(pd.DataFrame):
    """
    A DataFrame that is readable in a notebook and with `print`.

    Names do not wrap. A figure and the ends of its interval are shown as one column, unless
    the user selected columns. Units that the names do not include are listed below the rows.
    If there are many columns, only some are shown, and the others are listed by name.
    Anything computed from a table is shown as usual in pandas, as are `repr(table)` and
    `pandas.DataFrame(table)`.
    """

    _metadata: ClassVar[list[str]] = ["layout"]
    layout: _Layout | None = None
    """None for a table computed from another one, since its figures may have other units."""

    @property
    def _constructor(self) -> type[Table]:
        return Table

    def __finalize__(self, other: object, method: str | None = None, **kwargs: object) -> Self:
        found = super().__finalize__(other, method, **kwargs)  # type: ignore[misc] # missing from the pandas stubs
        if method not in _UNIT_PRESERVING or not isinstance(other, Table):  # `other` may be a number: `table / 2`
            found.layout = None
        return cast("Self", found)

    def __str__(self) -> str:
        """Return what a notebook shows, as text; columns that do not fit are continued below."""
        if self.layout is None or self._has_user_columns():
            return repr(self)
        text, n_rows, notes = self._text(self.layout)
        shown = [text.to_string(max_rows=n_rows, line_width=pd.get_option("display.width"))] if len(text) else []
        return "\n".join([*shown, *notes])

    def _repr_html_(self) -> str | None:
        if self.layout is None or self._has_user_columns() or not pd.get_option("display.notebook_repr_html"):
            return super()._repr_html_()  # type: ignore[misc, no-any-return] # missing from the pandas stubs
        text, n_rows, notes = self._text(self.layout)
        with pd.option_context("display.max_colwidth", None):
            head, body, rest = text.to_html(max_rows=n_rows, border=0).partition("<tbody>")
        html = head + body + _BREAKABLE.sub(r'<\1\2 style="white-space: nowrap">\3</\1>', rest)
        return f"{html}<p>{escape('; '.join(notes))}</p>" if notes else html

    def _has_user_columns(self) -> bool:
        """Return whether the columns were made by the user."""
        return not (self.columns.is_unique and all(isinstance(name, str) for name in self.columns))

    def _text(self, layout: _Layout) -> tuple[pd.DataFrame, int | None, list[str]]:
        """Return the columns to show, as text, the number of rows to show, and notes."""
        columns = [str(name) for name in self.columns]
        numbers = {name for name in columns if pd.api.types.is_numeric_dtype(self[name])}
        is_whole = layout.columns.issubset(self.columns)  # else the user selected columns, which are shown separately
        ends = {name: pair for name, pair in layout.intervals.items() if is_whole and numbers.issuperset((name, *pair))}
        names = [name for name in columns if name not in {end for pair in ends.values() for end in pair}]
        shown = self._chosen(names, layout)
        n_rows = pd.get_option("display.max_rows") or None
        rows = pd.DataFrame(self)
        if n_rows and len(rows) > n_rows:
            n_rows = min(n_rows, pd.get_option("display.min_rows") or n_rows)
            if len(rows) > 2 * n_rows:
                # Pandas leaves out the rows in between; formatting them would take minutes in long
                # tables.
                rows = pd.concat([rows.head(n_rows), rows.tail(n_rows)])
        text = pd.DataFrame({name: _cells(rows, name, ends.get(name)) for name in shown}, rows.index)
        notes = self._notes(layout, n_rows, has_intervals=not ends.keys().isdisjoint(shown))
        if len(rows):
            notes += _units_of([*map(str, filter(None, rows.index.names)), *shown], layout.units)
        others = [name for name in names if name not in shown]
        if others:
            notes.append(f"columns not shown: {', '.join(others)}")
        return text, n_rows, notes

    def _chosen(self, names: list[str], layout: _Layout) -> list[str]:
        """Return the columns that are shown."""
        most = pd.get_option("display.max_columns")
        if most is None:
            return names
        if most not in _UNSET or not layout.columns.issubset(self.columns):  # the user chose how many, or which
            return names[: most or max(_UNSET)]
        known = [name for name in names if name in layout.columns]
        if len(known) <= MOST_COLUMNS:
            return names[: max(_UNSET)]
        chosen = [name for name in layout.first if name in names] or [
            name for name in known if _has_information(self[name])
        ]
        before = names[: names.index(known[0])]  # columns that the user added, for example by `reset_index`
        added = [name for name in names if name not in layout.columns and name not in before]
        return [*before, *chosen[:MOST_COLUMNS], *added]

    def _notes(self, layout: _Layout, n_rows: int | None, *, has_intervals: bool) -> list[str]:
        """Return notes on the rows that are shown."""
        if not len(self):
            return [f"no rows: {layout.why_empty}" if layout.why_empty else "no rows"]
        notes = [counted(f"{len(self):,}", "row")] if n_rows and len(self) > n_rows else []
        notes += ["95% intervals in parentheses"] if has_intervals else []
        return [*notes, *filter(None, [layout.note])]


def as_table(
    frame: pd.DataFrame,
    first: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
    why_empty: str = "",
    note: str = "",
) -> Table:
    """
    Return a frame as a table that is readable in a notebook.

    `first` lists the columns to show if there is no room for all, by default the first ones with any
    information; `units` adds to `UNITS` the units that column names do not include; `why_empty` is shown if
    there are no rows, and `note` if there are.

    >>> frame = pd.DataFrame({"turn": [7.25], "gain": [2.0], "gain_low": [0.5], "gain_high": [3.5]})
    >>> shown = as_table(frame, units={"gain": "points"})._repr_html_()
    >>> "<th>gain</th>" in shown, ">2.00 (0.50 to 3.50)</td>" in shown, "gain_low" in shown, "points (gain)" in shown
    (True, True, False, True)
    """
    table = Table(frame)
    table.attrs = dict(frame.attrs)
    columns = [str(name) for name in frame.columns]
    table.layout = _Layout(
        frozenset(columns),
        dict(_intervals(columns)),
        first,
        {**UNITS, **(units or {})},
        "" if len(frame) else why_empty,
        note,
    )
    return table


def _intervals(names: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each figure followed by its interval, with the names of the ends, such as `win_low` for `win_rate`."""
    for name, low, high in zip(names, names[1:], names[2:], strict=False):
        what = low.removesuffix("low")
        belongs = name.startswith(what.removesuffix("_")) or name.endswith(what.removesuffix("_"))
        if belongs and (low, high) == (f"{what}low", f"{what}high"):
            yield name, (low, high)


def _units_of(names: Sequence[str], units: Mapping[str, str]) -> list[str]:
    """Return a note on the units that column names do not include, if there are any."""
    by_unit: dict[str, list[str]] = {}
    for name in names:
        unit = units.get(name, "")
        if unit and unit.removesuffix("s") not in name:
            by_unit.setdefault(unit, []).append(name)
    listed = [f"{unit} ({', '.join(of)})" for unit, of in by_unit.items()]
    return [f"units: {', '.join(listed)}"] if listed else []


def _has_information(column: pd.Series[Any]) -> bool:
    """Return whether a column has anything but zeros, blanks and missing values."""
    return bool((column.notna() & (column != 0) & (column != "")).any())


def _cells(rows: pd.DataFrame, name: str, ends: tuple[str, str] | None) -> list[str]:
    """Return a column as text, with its interval if it has one."""
    if ends is None and not pd.api.types.is_float_dtype(rows[name]):
        return ["" if missing else str(value) for value, missing in zip(rows[name], rows[name].isna(), strict=True)]
    figures = rows[[name, *(ends or ())]].to_numpy(dtype=float, na_value=np.nan)
    digits = _decimals(figures)
    return [_cell([f"{value:z.{digits}f}" for value in row], row) for row in figures]


def _cell(texts: list[str], row: Floats) -> str:
    if np.isnan(row[0]):
        return ""
    return f"{texts[0]} ({texts[1]} to {texts[2]})" if len(texts) > 1 and not np.isnan(row[1:]).any() else texts[0]


def _decimals(figures: Floats) -> int:
    """Return how many decimals show about three digits of the largest figure, and one of the smallest."""
    known = np.abs(figures[np.isfinite(figures)])
    if (known == np.round(known)).all():
        return 0
    of_largest = -floor(log10(known.max()))
    most = min(max(_MAX_DECIMALS, of_largest + 1), 2 * _MAX_DECIMALS)
    small = np.abs(figures[:, 0])  # the ends of intervals may be arbitrarily close to 0
    small = small[np.isfinite(small) & (small >= 0.1**most)]
    of_smallest = -floor(log10(small.min())) if len(small) else 0
    return min(max(of_largest + 2, of_smallest, 0), most)


def same_fields(one: DataclassInstance, other: object) -> bool:
    """Return whether two results have the same class and equal fields, including tables."""
    if type(one) is not type(other):
        return False
    pairs = [(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)]
    return all(a.equals(b) if isinstance(a, pd.DataFrame) else a == b for a, b in pairs)
