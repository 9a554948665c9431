"""
What a study consists of: sections of sentences, figures, tables and pictures; and its tables as CSV files.

Plain data without any markup, so that the page, the CSV files and the tests
read the same thing. Names from a map are text like any other until the page
escapes them; `name` marks them so that a name written from right to left does
not turn the sentence around it.
"""

from __future__ import annotations

import csv
import io
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pandas as pd

from ttr_analysis._decoding import write_atomically
from ttr_analysis._words import safe_cell

if TYPE_CHECKING:
    from markupsafe import Markup

NAME_BEGINS, NAME_ENDS = "\u2068", "\u2069"
"""First-strong isolate and its end: what stands between has a direction of its own."""

_BIDI_CONTROLS = {ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}

Kind: TypeAlias = Literal["text", "color", "number", "percent"]


@dataclass(frozen=True, slots=True)
class Column:
    """
    A column of a table, with its definition.

    Parameters
    ----------
    key
        Its name in the CSV file.
    label
        Its heading on the page.
    meaning
        What it is, with its unit.
    kind
        "text" (names too), "color" of cards, "number", or "percent" (a
        probability between 0 and 1, shown as a percentage).
    digits
        Decimals shown; the CSV file has more.
    bar
        Whether a bar behind the number shows its size.
    wide
        Whether its texts are long.
    """

    key: str
    label: str
    meaning: str
    kind: Kind = "number"
    digits: int = 0
    bar: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table, on the page and as a CSV file.

    Parameters
    ----------
    name
        Name of the file, without its ending.
    title
        What it shows.
    frame
        The values; columns that are not described are left out.
    columns
        The columns, in order. Those that the frame lacks are left out.
    n_shown
        Rows shown at first; 0 for all.
    n_page
        Rows on the page at most, where the file has more; 0 for all.
    note
        A remark below it.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    n_shown: int = 0
    n_page: int = 0
    note: str = ""

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns that there are."""
        return tuple(column for column in self.columns if column.key in self.frame.columns)


@dataclass(frozen=True, slots=True)
class Picture:
    """
    A picture.

    Parameters
    ----------
    data
        The file, for light paper.
    mime
        "image/svg+xml" or "image/png".
    alt
        What it shows, in words, for those who do not see it.
    caption
        What it shows.
    dark
        The file for a dark screen, if it differs.
    wide
        Whether it takes the whole width.
    """

    data: bytes
    mime: str
    alt: str
    caption: str
    dark: bytes | None = None
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """
    A picture that is part of the page, so that parts of it can say what they are.

    Parameters
    ----------
    svg
        One `svg` element.
    caption
        What it shows.
    """

    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Figures:
    """
    Key figures.

    Parameters
    ----------
    items
        Value as text, and what it is.
    """

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list of short remarks."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """A list of terms, each with what it means."""

    items: tuple[tuple[str, str], ...]


Block: TypeAlias = Words | Heading | Points | Terms | Figures | Table | Picture | Drawing


@dataclass(frozen=True, slots=True)
class Section:
    """
    A section of the study.

    Parameters
    ----------
    id
        Its anchor.
    title
        Its heading.
    lead
        What its numbers show, in one or two sentences.
    blocks
        What it consists of.
    """

    id: str
    title: str
    lead: str
    blocks: tuple[Block, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """Its tables."""
        return tuple(block for block in self.blocks if isinstance(block, Table))


# -- words -----------------------------------------------------------------------


def name(text: object) -> str:
    """
    Return a name from a map, marked as text with a direction of its own.

    Examples
    --------
    >>> name("Oslo") == NAME_BEGINS + "Oslo" + NAME_ENDS
    True
    """
    return f"{NAME_BEGINS}{str(text).translate(_BIDI_CONTROLS)}{NAME_ENDS}"


def plain(text: str) -> str:
    """
    Return a text without the marks of `name`.

    Examples
    --------
    >>> plain(f"to {name('Oslo')}")
    'to Oslo'
    """
    return text.replace(NAME_BEGINS, "").replace(NAME_ENDS, "")


def number(value: float, digits: int = 0) -> str:
    """
    Return a number as people read it: no needless zeros, a true minus sign.

    Examples
    --------
    >>> number(3.0, 1), number(-2.345, 2), number(1234567)
    ('3', '−2.35', '1,234,567')
    """
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "\N{MINUS SIGN}")


def percent(probability: float, digits: int = 0) -> str:
    """
    Return a probability as a percentage.

    Examples
    --------
    >>> percent(0.4415), percent(0.4415, 1), percent(0.998), percent(1.0)
    ('44%', '44.1%', '>99%', '100%')
    """
    text = f"{100 * probability:.{digits}f}%"
    if probability > 0 and text == f"{0:.{digits}f}%":
        return f"<{10.0**-digits:.{digits}f}%"
    if probability < 1 and text == f"{100:.{digits}f}%":
        return f">{100 - 10.0**-digits:.{digits}f}%"
    return text


# -- tables as CSV files, with a file that says what their columns are -------------------------------------------------


README = "README.md"


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


# -- what the columns of every table are ---------------------------------------------------------------------------

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
