"""Tables as a notebook shows them; what they hold, and what code reads of them, stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd

from ttr_analysis._arrays import Floats
from ttr_analysis._words import counted

MOST_COLUMNS: Final = 12
"""Columns that fit beside each other on a laptop, an interval told with its figure."""

_BREAKABLE: Final = re.compile(r"<(td|th)>(?=[^<]{2,60}<)([^<]*[ -][^<]*)</\1>")
"""Cells that notebooks would break at a hyphen or a space, though they hold a name or an interval; not long lists."""

_NAMES: Final = {
    "trains": "length trail way slack marginal detour detour_mean detour_both pair_detour with_one with_two in_deal "
    "ticket_mean ticket_worst deal_mean deal_worst resistance mean_resistance",
    "points": "bonus net gain free_gain at_risk ticket_gain ticket_loss trail_bonus completed_bonus tokens_bonus "
    "worth surplus margin lead",
    "turns": "left turns_left",
    "turn": "completed_in",
    "cards": "surcharge swap_size",
    "tokens": "toll tolls",
    "Elo": "rating",
    "degrees": "lat lon",
}
UNITS: Final = {name: unit for unit, names in _NAMES.items() for name in names.split()}
"""The units of columns whose names do not tell them, and have one meaning in all tables."""


class Table(pd.DataFrame):
    """
    A DataFrame that a notebook shows so that it can be read.

    Names stay whole; a figure and the ends of its interval are one column;
    columns that need it have their unit in the header; of many columns only
    some are shown and the others named. `pandas.DataFrame(table)` shows it as
    pandas does.
    """

    _metadata: ClassVar[list[str]] = ["shown_first", "header_units", "why_empty"]
    shown_first: Sequence[str] = ()
    header_units: Mapping[str, str] = UNITS
    why_empty: str = ""

    @property
    def _constructor(self) -> type[Table]:
        return Table

    def _repr_html_(self) -> str | None:
        labels: list[object] = [*self.columns]
        columns = [name for name in labels if isinstance(name, str)]
        if len(columns) < len(labels) or not self.columns.is_unique:  # a table of the reader's own making
            return super()._repr_html_()  # type: ignore[misc, no-any-return] # the stubs of pandas leave it out
        ends = dict(_intervals(columns))
        names = [name for name in columns if name not in {end for pair in ends.values() for end in pair}]
        shown = self._chosen(names)
        n_rows = pd.get_option("display.max_rows")
        rows = pd.DataFrame(self)
        if n_rows and len(rows) > n_rows:
            n_rows = pd.get_option("display.min_rows") or n_rows
            # Pandas leaves out all between, of which the text would take minutes in long tables.
            rows = pd.concat([rows.head(n_rows), rows.tail(n_rows)])
        text = pd.DataFrame({self._header(name): _cells(rows, name, ends.get(name)) for name in shown}, rows.index)
        text.index.names = [None if name is None else self._header(str(name)) for name in rows.index.names]
        with pd.option_context("display.max_colwidth", None):
            head, body, rest = text.to_html(max_rows=n_rows, border=0).partition("<tbody>")
        html = head + body + _BREAKABLE.sub(r'<\1 style="white-space: nowrap">\2</\1>', rest)
        notes = self._notes(names, shown, n_rows, has_intervals=not ends.keys().isdisjoint(shown))
        return f"{html}<p>{escape('; '.join(notes))}</p>" if notes else html

    def _chosen(self, names: list[str]) -> list[str]:
        """Return the columns that are shown."""
        if len(names) <= MOST_COLUMNS or pd.get_option("display.max_columns") is None:
            return names
        chosen = [name for name in self.shown_first if name in names] or [
            name for name in names if _says_something(self[name])
        ]
        return chosen[:MOST_COLUMNS]

    def _header(self, name: str) -> str:
        return f"{name} ({self.header_units[name]})" if name in self.header_units else str(name)

    def _notes(self, names: list[str], shown: list[str], n_rows: int | None, *, has_intervals: bool) -> list[str]:
        """Return what to know of what is shown."""
        if self.empty:
            return [f"no rows: {self.why_empty}" if self.why_empty else "no rows"]
        notes = [counted(f"{len(self):,}", "row")] if n_rows and len(self) > n_rows else []
        if has_intervals:
            notes.append("95% intervals in parentheses")
        others = [name for name in names if name not in shown]
        if others:
            notes.append(f"columns not shown: {', '.join(others)}")
        return notes


def as_table(
    frame: pd.DataFrame, first: Sequence[str] = (), units: Mapping[str, str] | None = None, why_empty: str = ""
) -> Table:
    """
    Return a frame that shows itself well.

    Parameters
    ----------
    frame
        The frame.
    first
        Columns to show if there are too many for all; by default the first of
        those that say something.
    units
        Of columns that mean something else than in other tables.
    why_empty
        What to say if there are no rows.

    Examples
    --------
    >>> frame = pd.DataFrame({"turn": [7.25], "gain": [2.0], "gain_low": [0.5], "gain_high": [3.5]})
    >>> shown = as_table(frame)._repr_html_()
    >>> "<th>gain (points)</th>" in shown, ">2.00 (0.50 to 3.50)</td>" in shown, "gain_low" in shown
    (True, True, False)
    """
    table = Table(frame)
    table.attrs = dict(frame.attrs)
    table.shown_first = tuple(first)
    table.header_units = {**UNITS, **(units or {})}
    table.why_empty = why_empty
    return table


def _intervals(names: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the columns that have an interval, which stands behind them, and the names of its ends."""
    for name, low, high in zip(names, names[1:], names[2:], strict=False):
        if low.endswith("low") and high.endswith("high") and low[: -len("low")] == high[: -len("high")]:
            yield name, (low, high)


def _says_something(column: pd.Series[Any]) -> bool:
    """Return whether a column is more than zeros, blanks and what is missing."""
    known = column.dropna()
    return not known.isin([0, ""]).all()


def _cells(rows: pd.DataFrame, name: str, ends: tuple[str, str] | None) -> list[str]:
    """Return a column as text, with its interval if it has one."""
    if not pd.api.types.is_float_dtype(rows[name]):
        return ["" if missing else str(value) for value, missing in zip(rows[name], rows[name].isna(), strict=True)]
    figures = rows[[name, *(ends or ())]].to_numpy(dtype=float, na_value=np.nan)
    digits = _decimals(figures)
    return [_cell([f"{value:.{digits}f}" for value in row], row) for row in figures]


def _cell(texts: list[str], row: Floats) -> str:
    if np.isnan(row[0]):
        return ""
    return f"{texts[0]} ({texts[1]} to {texts[2]})" if len(texts) > 1 and not np.isnan(row[1:]).any() else texts[0]


def _decimals(figures: Floats) -> int:
    """Return how many decimals tell figures apart: three digits or so, none if all are whole."""
    known = np.abs(figures[np.isfinite(figures)])
    if (known == np.round(known)).all():
        return 0
    return int(np.clip(2 - np.floor(np.log10(known.max())), 0, 3))
