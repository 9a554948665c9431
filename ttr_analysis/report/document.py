"""
The contents of a study: sections with text, figures, tables and pictures; and its tables as CSV files.

Plain data without markup, shared by the page, the CSV files and the tests. Names from a map stay plain
text until the page escapes them; `name` marks them so that names in right-to-left scripts do not
affect the sentence around them.
"""

from __future__ import annotations

import csv
import io
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from ttr_analysis._decoding import write_atomically
from ttr_analysis._words import safe_cell
from ttr_analysis.studies.columns import ANSWERS

if TYPE_CHECKING:
    from markupsafe import Markup

NAME_BEGINS, NAME_ENDS = "\u2068", "\u2069"
"""First-strong isolate and its end: the text between has its own direction."""

_BIDI_CONTROLS = {ord(c): "\N{REPLACEMENT CHARACTER}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}

Kind: TypeAlias = Literal["text", "color", "number", "percent"]


class Column(NamedTuple):
    """
    A column of a table: its `key` in the CSV file, its heading, and its definition with the unit.

    Percentages are shares from 0 to 1. `digits` is the number of decimals on the page; the CSV file has more. `bar` is
    whether a bar behind the number shows its size, and `wide` whether its texts are long.
    """

    key: str
    label: str
    meaning: str
    kind: Kind = "number"
    digits: int = 0
    bar: bool = False
    wide: bool = False


class Table(NamedTuple):
    """
    A table on the page, and as a CSV file of the same name.

    Columns missing in the frame are left out. `n_shown` is the number of rows shown at first, and `n_page` the maximum
    on the page, if the file has more; 0 means all.
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
        """The columns that the frame has."""
        return tuple(column for column in self.columns if column.key in self.frame.columns)


class Picture(NamedTuple):
    """A picture as a file in memory; `dark` is a version for dark screens, if different."""

    data: bytes
    mime: str
    alt: str
    caption: str
    dark: bytes | None = None
    wide: bool = False


class Drawing(NamedTuple):
    """A picture inside the page, whose parts can show tooltips."""

    svg: Markup
    caption: str


class Figures(NamedTuple):
    """Key figures: a value as text, and its name."""

    items: tuple[tuple[str, str], ...]


class Words(NamedTuple):
    """A paragraph."""

    text: str


class Heading(NamedTuple):
    """A heading within a section."""

    text: str


class Points(NamedTuple):
    """A list of short notes."""

    items: tuple[str, ...]


class Terms(NamedTuple):
    """A list of terms with explanations."""

    items: tuple[tuple[str, str], ...]


Block: TypeAlias = Words | Heading | Points | Terms | Figures | Table | Picture | Drawing


class Section(NamedTuple):
    """A section: anchor, heading, a lead of one or two sentences, and blocks."""

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
    """Return a name from a map, marked as text with its own direction."""
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


# -- tables as CSV files, with a file that says what their columns are -------------------------------------------------


README = "README.md"


def to_csv(table: Table) -> str:
    """Return a table as CSV text; empty cells are unknown or do not apply."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = table.shown_columns
    writer.writerow([column.key for column in columns])
    values = [[_cell(value, column) for value in table.frame[column.key].tolist()] for column in columns]
    writer.writerows(zip(*values, strict=True))
    return out.getvalue()


def _cell(value: object, column: Column) -> str:
    if not is_known(value):
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
    """Return the meanings of the tables' columns, as Markdown."""
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
    """Return a text as one line of Markdown without markup."""
    text = " ".join(plain(text).split())
    for special in "\\`*_<[#|":
        text = text.replace(special, "\\" + special)
    return text


def write_tables(folder: Path, tables: Iterable[Table]) -> None:
    """Write tables as CSV files into an existing folder, replacing each file atomically."""
    for table in tables:
        write_atomically(folder / f"{table.name}.csv", to_csv(table))


# -- descriptions of columns ---------------------------------------------------------------------------------------

Rows = Sequence[Mapping[str, Any]]
"""Rows of a table, each with its values by column."""


@cache
def descriptions() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the contents of `columns.toml`: descriptions of each column, by table."""
    text = (resources.files("ttr_analysis.report") / "assets" / "columns.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def make_table(
    name: str, title: str, rows: Rows | pd.DataFrame, *, n_shown: int = 0, n_page: int = 0, note: str = ""
) -> Table:
    """Return a table with columns in the order of its rows, described in `columns.toml`."""
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    columns: list[Column] = []
    for key in map(str, frame.columns):
        is_end = key.endswith(("_low", "_high"))
        columns.append(_end_of_interval(key, columns) if is_end else _column(name, key))
    return Table(name, title, frame, tuple(columns), n_shown, n_page, note)


def _column(table: str, key: str) -> Column:
    own = descriptions().get(table, {})
    like = descriptions()[str(own.get("like", "shared"))]
    general, n = re.sub("[0-9]+$", "#", key), key.strip(ascii_letters)
    facts: dict[str, Any] = {}
    for described in (like, own):
        facts |= described.get(key) or described.get(general) or {}
    if not facts:
        raise KeyError(f"table {table} has no description of {key}")
    if "meaning" not in facts:
        meaning = ANSWERS[str(own["answers"])][key].meaning
        facts["meaning"] = f"{meaning[0].upper()}{meaning[1:]}."
    for text in ("label", "meaning"):
        facts[text] = facts[text].replace("#", n)
    return Column(key, **facts)


def _end_of_interval(key: str, before: Sequence[Column]) -> Column:
    """Return an end of the interval of the previous figure."""
    figure = next(column for column in reversed(before) if not column.key.endswith(("_low", "_high")))
    label, which = ("from", "Lower") if key.endswith("_low") else ("to", "Upper")
    return Column(key, label, f"{which} end of its 95% interval.", figure.kind, figure.digits)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, each with its values by column."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def facts(item: object, *names: str) -> dict[str, Any]:
    """Return attributes of a route or ticket by name, for a row."""
    return {name: getattr(item, name) for name in names}


def drop_empty(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Drop those of the given columns that hold only zeros, because the map lacks such things."""
    return without(rows, *(key for key in keys if not any(row.get(key) for row in rows)))


def drop_equal(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Drop those of the given columns that are equal in every row."""
    return without(rows, *(key for key in keys if len({row.get(key) for row in rows}) <= 1))


def without(rows: Rows, *keys: str) -> list[dict[str, Any]]:
    """Return rows without the given columns."""
    return [{key: value for key, value in row.items() if key not in keys} for row in rows]


def is_known(value: object) -> bool:
    """Return whether a cell has a value."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def finite(value: float) -> float | None:
    """Return a number, or None if it is infinite or nan."""
    return value if math.isfinite(value) else None
