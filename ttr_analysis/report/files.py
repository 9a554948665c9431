"""The tables of a study as CSV files, with a file that says what their columns are."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable
from pathlib import Path

from ttr_analysis.maps.writing import write_atomically
from ttr_analysis.report.document import Column, Table, plain

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula."""

README = "README.md"


def safe_cell(text: str) -> str:
    """
    Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("Oslo")
    ("'=1+1", 'Oslo')
    """
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def to_csv(table: Table) -> str:
    """
    Return a table as CSV text: a line of column names, then one line a row.

    Empty cells are unknown or do not apply. Texts that a spreadsheet would
    take for a formula begin with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = table.shown_columns
    writer.writerow([column.key for column in columns])
    values = [[_cell(value, column) for value in table.frame[column.key].tolist()] for column in columns]
    writer.writerows(zip(*values, strict=True))
    return out.getvalue()


def _cell(value: object, column: Column) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if column.kind in ("text", "color"):
        return safe_cell(plain(str(value)))
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    number = float(str(value))
    return str(int(number)) if number.is_integer() else f"{number:.6g}"


def describe_tables(tables: Iterable[Table], title: str) -> str:
    """Return what the columns of the tables mean, as Markdown."""
    lines = [f"# Tables of the study of {_line(title)}", ""]
    lines += [
        "UTF-8, comma separated, one line of column names. Probabilities lie between 0 and 1. Empty cells are unknown",
        "or do not apply; `inf` means never. An apostrophe before `=`, `+`, `-` or `@` keeps a spreadsheet from taking",
        "a name for a formula.",
        "The page `../report.html` says how the numbers were computed.",
    ]
    for table in tables:
        lines += ["", f"## {table.name}.csv", "", _line(table.title) + ".", ""]
        lines += [f"- `{column.key}`: {_line(column.meaning)}" for column in table.shown_columns]
    return "\n".join(lines) + "\n"


def described_tables(readme: Path) -> list[str]:
    """Return the names of the tables that the file of an earlier study describes."""
    try:
        text = readme.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return re.findall(r"^## ([a-z_]+)\.csv$", text, flags=re.MULTILINE)


def _line(text: str) -> str:
    """Return a text as one line of Markdown in which nothing is markup."""
    text = " ".join(plain(text).split())
    for special in "\\`*_<[#|":
        text = text.replace(special, "\\" + special)
    return text


def write_tables(folder: Path, tables: Iterable[Table]) -> list[Path]:
    """
    Write tables as CSV files.

    Parameters
    ----------
    folder
        An existing folder.
    tables
        The tables; a file of the same name is replaced as a whole.

    Returns
    -------
    paths
        The files.
    """
    paths = []
    for table in tables:
        path = folder / f"{table.name}.csv"
        write_atomically(path, to_csv(table))
        paths.append(path)
    return paths
