"""
Reading the files of a map folder: bytes -> rows of checked fields.

The files may come from a stranger, so sizes are limited before anything is
read, and everything that is wrong is collected instead of raised.
"""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ttr_analysis._errors import Fault, nearest

MAX_FILE_BYTES = 1_000_000
MAX_TEXT = 100
"""Characters in a name."""
MAX_COLUMNS = 50
MAX_TOML_BYTES = 100_000
"""Bytes of a file of rules: Python reads TOML some fifty times slower than tables."""
MAX_LINE = 10_000
"""Characters on a line of it."""
MAX_DOTS = 50
"""Dots on a line of it: each part of a dotted key makes the next one dearer, in time and in memory."""
MAX_KEYS = 500
"""Lines with keys in it."""


@dataclass(frozen=True, slots=True)
class Column:
    """
    A column of a table.

    Parameters
    ----------
    name
        Its heading.
    parse
        Turns the text of a field into a value; a `ValueError` says what was
        expected.
    default
        Value of an empty field or missing column; `...` where one is required.
    """

    name: str
    parse: Callable[[str], Any]
    default: Any = ...


@dataclass(frozen=True, slots=True)
class Row:
    """
    A line of a table.

    Parameters
    ----------
    line
        Its number in the file.
    values
        Its values by column; None where the field is wrong.
    wrong
        The columns whose field is wrong, each with a fault of its own.
    """

    line: int
    values: dict[str, Any]
    wrong: frozenset[str] = frozenset()

    def __getitem__(self, column: str) -> Any:  # noqa: ANN401 - the columns differ in type
        """Return the value of a column."""
        return self.values[column]


def text(value: str) -> str:
    """Return a name as it stands, if it is printable and not too long."""
    if len(value) > MAX_TEXT or not value.isprintable():
        msg = f"expected a printable text of at most {MAX_TEXT} characters"
        raise ValueError(msg)
    return value


def names(value: str) -> tuple[str, ...]:
    """Return names with semicolons between them."""
    return tuple(filter(None, (text(name.strip()) for name in value.split(";"))))


def choice(*allowed: str) -> Callable[[str], str]:
    """Return a parser for one of several words."""

    def parse(value: str) -> str:
        if value not in allowed:
            hint = nearest(value, [word for word in allowed if word])
            msg = f"expected {' or '.join(map(repr, hint))}" if hint else f"expected one of {', '.join(allowed)}"
            raise ValueError(msg)
        return value

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """Return a parser for a decimal number from `low` to `high`."""

    def parse(value: str) -> float:
        if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,15})?", value) or not low <= float(value) <= high:
            msg = f"expected a number from {low:g} to {high:g}"
            raise ValueError(msg)
        return float(value)

    return parse


def flag(value: str) -> bool:
    """Return the value of a yes-or-no field written as 0 or 1."""
    if value not in {"0", "1"}:
        msg = "expected 0 or 1"
        raise ValueError(msg)
    return value == "1"


def read_text(path: Path, faults: list[Fault], max_bytes: int = MAX_FILE_BYTES) -> str | None:
    """
    Return the text of a file, or None with a fault.

    Parameters
    ----------
    path
        The file: UTF-8.
    faults
        What is wrong is added here.
    max_bytes
        How long it may be.
    """
    if path.exists() and not path.is_file():
        faults.append(Fault(path.name, 0, "", "something else", "expected a file"))
        return None
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        faults.append(Fault(path.name, 0, "", error.strerror or "an error", "expected a readable file"))
        return None
    if len(data) > max_bytes:
        faults.append(Fault(path.name, 0, "", "more", f"expected a file of at most {max_bytes:,} bytes"))
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.append(Fault(path.name, line, "", f"byte 0x{data[error.start]:02x}", "expected UTF-8 text"))
        return None


@dataclass(frozen=True, slots=True)
class Table:
    """
    The rows of a CSV file.

    Parameters
    ----------
    rows
        Its rows.
    whole
        Whether they are all of them: what a broken table lacks cannot be
        judged.
    """

    rows: list[Row]
    whole: bool = True


def read_table(path: Path, columns: Sequence[Column], max_rows: int, faults: list[Fault]) -> Table:
    """
    Return the rows of a CSV file.

    Parameters
    ----------
    path
        The file.
    columns
        What the columns mean, in any order in the file.
    max_rows
        The most rows that are allowed.
    faults
        What is wrong is added here.
    """
    content = read_text(path, faults)
    if content is None:
        return Table([], whole=False)
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    rows: list[Row] = []
    n_rows = 0
    whole = True
    try:
        header = [field.strip() for field in next(reader, [])]
        if not _check_header(path.name, header, columns, faults):
            return Table([], whole=False)
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            n_rows += 1
            if n_rows > max_rows:
                faults.append(Fault(path.name, reader.line_num, "", "more", f"expected at most {max_rows} rows"))
                return Table(rows, whole=False)
            if len(fields) == len(header):
                row_fields = dict(zip(header, fields, strict=True))
                rows.append(parse_row(path.name, reader.line_num, row_fields, columns, faults))
            else:
                expected = f"expected {len(header)} fields ({', '.join(header)})"
                faults.append(Fault(path.name, reader.line_num, "", f"{len(fields)}: {','.join(fields)}", expected))
                whole = False
    except csv.Error as error:
        faults.append(Fault(path.name, reader.line_num, "", str(error), "expected comma-separated values"))
        whole = False
    return Table(rows, whole)


def _check_header(file: str, header: Sequence[str], columns: Sequence[Column], faults: list[Fault]) -> bool:
    """Return whether the headings are right."""
    known = {column.name for column in columns}
    required = {column.name for column in columns if column.default is ...}
    if len(header) > MAX_COLUMNS:
        faults.append(Fault(file, 1, "", f"{len(header)} columns", f"expected at most {MAX_COLUMNS} columns"))
        return False
    before = len(faults)
    meant: set[str] = set()
    for name in dict.fromkeys(header):
        if name not in known:
            hint = nearest(name, known - set(header)) or sorted(known - set(header))
            meant.update(hint)
            faults.append(Fault(file, 1, name, name, f"unknown column, expected {' or '.join(hint)}"))
        elif header.count(name) > 1:
            faults.append(Fault(file, 1, name, f"{header.count(name)} of them", "expected each column once"))
    missing = sorted(required - set(header) - meant)
    faults += [Fault(file, 1, name, "no such column", "expected this column") for name in missing]
    return len(faults) == before


def parse_row(file: str, line: int, fields: dict[str, str], columns: Sequence[Column], faults: list[Fault]) -> Row:
    """
    Return the values of a line, with a fault for each field that is wrong.

    Parameters
    ----------
    file, line
        Where the line stands, for the faults.
    fields
        Its texts by column.
    columns
        What the columns mean.
    faults
        What is wrong is added here.
    """
    values: dict[str, Any] = {}
    wrong: set[str] = set()
    for column in columns:
        raw = fields.get(column.name, "").strip()
        values[column.name] = None if column.default is ... else column.default
        if not raw and column.default is not ...:
            continue
        try:
            if not raw:
                raise ValueError("expected a value")  # noqa: TRY301
            values[column.name] = column.parse(raw)
        except ValueError as error:
            faults.append(Fault(file, line, column.name, repr(raw) if raw else "nothing", str(error)))
            values[column.name] = None
            wrong.add(column.name)
    return Row(line, values, frozenset(wrong))


def read_toml(path: Path, faults: list[Fault]) -> tuple[dict[str, Any], str] | None:
    """
    Return the content of a TOML file and its text, or None with a fault.

    Parameters
    ----------
    path
        The file.
    faults
        What is wrong is added here.
    """
    content = read_text(path, faults, MAX_TOML_BYTES)
    if content is None or not _check_lines(path.name, content, faults):
        return None
    try:
        return tomllib.loads(content), content
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at line (\d+)", str(error))
        line = int(match[1]) if match else content.count("\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        faults.append(Fault(path.name, line, "", reason, "expected TOML"))
    except ValueError:
        faults.append(Fault(path.name, 0, "", "a number of thousands of digits", "expected TOML"))
    except RecursionError:
        faults.append(Fault(path.name, 0, "", "values nested too deeply", "expected TOML"))
    return None


def _check_lines(file: str, content: str, faults: list[Fault]) -> bool:
    """Return whether a TOML file is short enough to be parsed: every line, the keys on it, and their number."""
    for line, source in enumerate(content.split("\n"), start=1):
        if len(source) > MAX_LINE:
            faults.append(Fault(file, line, "", f"{len(source):,}", f"expected at most {MAX_LINE:,} characters"))
            return False
        # Those in texts and comments count too: to tell them apart is the parser's business.
        if source.count(".") > MAX_DOTS:
            faults.append(Fault(file, line, "", f"{source.count('.'):,}", f"expected at most {MAX_DOTS} dots"))
            return False
    if len(_toml_lines(content)) > MAX_KEYS:
        faults.append(Fault(file, 0, "", "more", f"expected at most {MAX_KEYS} keys"))
        return False
    return True


def toml_line(content: str, keys: Sequence[str]) -> int:
    r"""
    Return the line on which a key of a TOML file stands, or its table; 0 if unknown.

    Parameters
    ----------
    content
        The text of the file.
    keys
        The dotted key, part by part; the number of a table in an array counts
        from 0.

    Examples
    --------
    >>> toml_line("[market]\nsize = 5\n", ["market", "size"])
    2
    """
    lines = _toml_lines(content)
    path = tuple(keys)
    return next((lines[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in lines), 0)


@lru_cache(maxsize=4)
def _toml_lines(content: str) -> dict[tuple[str, ...], int]:
    """Return the line of each key and table of a TOML file; tables of an array are numbered from 0."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    n_seen: dict[tuple[str, ...], int] = {}
    for line, source in enumerate(content.splitlines(), start=1):
        stripped = source.strip()
        if stripped.startswith("[["):
            array = _split_key(stripped[2:].partition("]")[0])
            n_seen[array] = n_seen.get(array, -1) + 1
            path = table = (*array, str(n_seen[array]))
        elif stripped.startswith("["):
            path = table = _inside_array(_split_key(stripped[1:].partition("]")[0]), n_seen)
        else:
            key, equals, _ = stripped.partition("=")
            if not key or not equals or "#" in key or "[" in key:
                continue
            path = (*table, *_split_key(key))
        lines.setdefault(path, line)
    return lines


def _inside_array(table: tuple[str, ...], n_seen: dict[tuple[str, ...], int]) -> tuple[str, ...]:
    """Return the path of a table with the number of the array's table that it lies in."""
    for depth in range(len(table), 0, -1):
        if table[:depth] in n_seen:
            return (*table[:depth], str(n_seen[table[:depth]]), *table[depth:])
    return table


def _split_key(key: str) -> tuple[str, ...]:
    """Return the parts of a dotted TOML key without quotes."""
    return tuple(part.strip().strip("\"'") for part in key.split("."))


# -- writing files so that a reader never sees half of one ---------------------------------------------------------


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """
    Write a file under a temporary name beside it, then rename it.

    Parameters
    ----------
    path
        The file; an old one stays whole if writing fails.
    content
        Text (UTF-8) or bytes.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        # mkstemp makes files that only their owner may read.
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
