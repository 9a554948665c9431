"""What the columns of every table are: from `assets/columns.toml`."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import pandas as pd

from ttr_analysis.report.document import Column, Table

Rows = Sequence[Mapping[str, Any]]
"""Rows of a table, each with its values by column."""


@cache
def all_columns() -> dict[str, dict[str, Column]]:
    """Return the columns of every table that a study may hold, by their keys."""
    text = (resources.files("ttr_analysis.report") / "assets" / "columns.toml").read_text(encoding="utf-8")
    return {
        table: {key: Column(key, **facts) for key, facts in columns.items()}
        for table, columns in tomllib.loads(text).items()
    }


def make_table(
    name: str, title: str, rows: Rows | pd.DataFrame, *, n_shown: int = 0, n_page: int = 0, note: str = ""
) -> Table:
    """
    Return a table with its columns described.

    Parameters
    ----------
    name
        Name of the table in `columns.toml`, and of its file.
    title
        What it shows.
    rows
        Its rows.
    n_shown, n_page, note
        As of `Table`.

    Raises
    ------
    KeyError
        If the table or one of its columns is not described.
    """
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    columns = tuple(_in_order(all_columns()[name], frame))
    unknown = [str(key) for key in frame.columns if key not in {column.key for column in columns}]
    if unknown:
        msg = f"table {name} has no description of {', '.join(unknown)}"
        raise KeyError(msg)
    return Table(name, title, frame, columns, n_shown, n_page, note)


def _in_order(described: Mapping[str, Column], frame: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns of a frame in the order in which they are described."""
    for known, column in described.items():
        for key in _matching(known, frame):
            number = key.removeprefix(known.partition("#")[0])
            label, meaning = (text.replace("#", number) for text in (column.label, column.meaning))
            yield Column(key, label, meaning, column.kind, column.digits, column.bar, column.wide)


def _matching(known: str, frame: pd.DataFrame) -> list[str]:
    pattern = re.compile(re.escape(known).replace(r"\#", "[0-9]+"))
    return [key for key in frame.columns if pattern.fullmatch(key)]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, each with its values by column."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def drop_empty(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Return rows without those of some columns that hold nothing but zeros: the map has no such thing."""
    return without(rows, *(key for key in keys if not any(row.get(key) for row in rows)))


def drop_equal(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Return rows without those of some columns that say the same in every row."""
    return without(rows, *(key for key in keys if len({row.get(key) for row in rows}) <= 1))


def without(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Return rows without some columns."""
    return [{key: value for key, value in row.items() if key not in keys} for row in rows]


def finite(value: float) -> float | None:
    """
    Return a number, or None in place of one that is infinite or none at all.

    Examples
    --------
    >>> finite(2.0), finite(float("inf"))
    (2.0, None)
    """
    return value if math.isfinite(value) else None
