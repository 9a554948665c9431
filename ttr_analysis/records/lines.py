"""
JSON Lines: from bytes to checked objects, one a line, and back.

A file may come from a stranger: its size is limited before anything is read,
JSON is taken strictly, and all faults are collected with their lines.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ttr_analysis._decoding import FaultList

MAX_BYTES: Final = 32_000_000
MAX_LINES: Final = 400_000
MAX_LINE_BYTES: Final = 20_000
MAX_FAULTS: Final = 100
"""After so many faults no further ones are looked for."""

MAX_DIGITS: Final = 400
"""Digits of a number."""
_MAX_DEPTH: Final = 20
"""Far more than a record needs, and far less than Python's JSON can read and write."""
_NO_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[^"{}\[\]]+')
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line of a file: its number, from 1, and the object on it."""

    number: int
    data: dict[str, object]


class Lines(NamedTuple):
    """The lines that hold an object, and the number of the last line if it breaks off, else 0."""

    lines: list[Line]
    cut: int


def read_bytes(path: str | os.PathLike[str], faults: FaultList) -> bytes:
    """Return the content of a file, or a little more than `MAX_BYTES` of it; a RecordError says that it is no file."""
    path = Path(path).expanduser()
    if path.exists() and not path.is_file():
        faults.add(0, "", "something else", "expected a file")
        faults.raise_if_any()
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def parse_lines(content: bytes, faults: FaultList) -> Lines:
    """
    Return the objects of JSON Lines in UTF-8.

    A last line without its line feed that may be the beginning of a right one
    was cut in the middle of a write; it is left out. The first line must be
    whole. A RecordError is raised at once if the limits of this module are
    exceeded.
    """
    if len(content) > MAX_BYTES:
        faults.add(0, "", "more", f"expected at most {MAX_BYTES:,} bytes")
        faults.raise_if_any()
    raw = content.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    last = raw.pop()
    if len(raw) + bool(last) > MAX_LINES:
        faults.add(0, "", "more", f"expected at most {MAX_LINES:,} lines")
        faults.raise_if_any()
    lines = [
        Line(number, data)
        for number, text in enumerate(raw, start=1)
        if (data := _parse_line(number, text, faults)) is not None
    ]
    if not last:
        return Lines(lines, 0)
    number = len(raw) + 1
    last = last[: len(last.rstrip(b"\0")) + 1]  # a power failure may leave any number of them
    try:
        return Lines([*lines, Line(number, _decode(last))], 0)
    except _LineError as error:
        if number > 1 and error.may_be_cut:
            return Lines(lines, number)
        faults.add(number, error.field, error.value, error.expected)
    return Lines(lines, 0)


def _parse_line(number: int, text: bytes, faults: FaultList) -> dict[str, object] | None:
    """Return the object on a line, or None with a fault."""
    try:
        return _decode(text)
    except _LineError as error:
        faults.add(number, error.field, error.value, error.expected)
    return None


def _decode(text: bytes) -> dict[str, object]:
    """Return the object on a line."""
    if len(text) > MAX_LINE_BYTES:
        raise _LineError("", f"{len(text):,} bytes", f"expected at most {MAX_LINE_BYTES:,} bytes on a line")
    if not text.strip():
        raise _LineError("", "a blank line", "expected a JSON object", may_be_cut=True)
    try:
        line = text.decode()
    except UnicodeDecodeError as error:
        raise _LineError("", f"byte 0x{text[error.start]:02x}", "expected UTF-8 text", may_be_cut=True) from None
    if _depth(line) > _MAX_DEPTH:
        raise _LineError("", "values nested too deeply", "expected a JSON object")
    try:
        data = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise _LineError("", line.strip(), f"expected a JSON object ({_reason(error)})", may_be_cut=True) from None
    if not isinstance(data, dict):
        raise _LineError("", as_json(data), "expected a JSON object")
    return data


def _depth(line: str) -> int:
    """Return how deep values are nested, at least; only counted if there are many brackets."""
    if line.count("[") + line.count("{") <= _MAX_DEPTH:
        return 0
    depth = deepest = 0
    for bracket in _NO_BRACKETS.sub("", line):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _reason(error: json.JSONDecodeError) -> str:
    """Return what a decoder says is wrong, and where on the line."""
    return f"{error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}".replace(" at at ", " at ")


class _LineError(Exception):
    """What is wrong with a line; `may_be_cut` if it may be the beginning of a right one."""

    def __init__(self, field: str, value: str, expected: str, *, may_be_cut: bool = False) -> None:
        super().__init__(field, value, expected)
        self.field = field
        self.value = value
        self.expected = expected
        self.may_be_cut = may_be_cut


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) < len(pairs):
        twice, n = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _LineError(twice, f"{n} of them", "expected each key once")
    return data


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _LineError("", f"a number of {len(digits):,} digits", "expected numbers of a few digits")
    return int(digits)


def _no_fraction(number: str) -> object:
    raise _LineError("", number, "expected whole numbers")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_fraction
)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def as_json(value: object) -> str:
    """Return a value as JSON on one line, names with their accents."""
    return _ENCODER.encode(value)


def as_line(data: Mapping[str, object]) -> str:
    r"""Return an object as a line of a file."""
    return as_json(data) + "\n"
