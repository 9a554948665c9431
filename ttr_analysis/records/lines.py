"""
JSON Lines: from bytes to checked objects, one per line, and back.

Files may come from strangers: their size is limited before anything is read, JSON is
parsed strictly, and all faults are collected with their lines.
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
"""Reading stops after this many faults."""

MAX_DIGITS: Final = 400
"""Maximum number of digits in a number."""
_MAX_DEPTH: Final = 20
"""Far deeper than a record needs, and far less than Python's JSON can handle."""
_NO_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[^"{}\[\]]+')
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line of a file: its number, from 1, and its object."""

    number: int
    data: dict[str, object]


class Lines(NamedTuple):
    """The lines with objects, and the number of a truncated last line, else 0."""

    lines: list[Line]
    cut: int


def read_bytes(path: str | os.PathLike[str], faults: FaultList) -> bytes:
    """Return the content of a file, at most slightly more than `MAX_BYTES`; raise a RecordError if it is not a file."""
    path = Path(path).expanduser()
    if path.exists() and not path.is_file():
        faults.add(0, "", "something else", "expected a file")
        faults.raise_if_any()
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def parse_lines(content: bytes, faults: FaultList) -> Lines:
    """
    Return the objects of JSON Lines in UTF-8.

    A last line without a line feed that may be the beginning of a valid one was cut off
    during a write, and is left out. The first line must be complete. Exceeding the limits of
    this module raises a RecordError at once.
    """
    if len(content) > MAX_BYTES:
        faults.add(0, "", "more", f"expected at most {MAX_BYTES:,} bytes")
        faults.raise_if_any()
    *raw, last = content.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    if last:
        raw.append(last[: len(last.rstrip(b"\0")) + 1])  # a power failure may leave any number of them
    if len(raw) > MAX_LINES:
        faults.add(0, "", "more", f"expected at most {MAX_LINES:,} lines")
        faults.raise_if_any()
    lines: list[Line] = []
    for number, text in enumerate(raw, start=1):
        try:
            lines.append(Line(number, _decode(text)))
        except _LineError as error:
            if last and error.may_be_cut and 1 < number == len(raw):
                return Lines(lines, number)
            faults.add(number, error.field, error.value, error.expected)
    return Lines(lines, 0)


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
    """Return a lower bound of the nesting depth; it is computed only if there are many brackets."""
    if line.count("[") + line.count("{") <= _MAX_DEPTH:
        return 0
    depth = deepest = 0
    for bracket in _NO_BRACKETS.sub("", line):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _reason(error: json.JSONDecodeError) -> str:
    """Return a decoder's message with the position on the line."""
    return f"{error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}".replace(" at at ", " at ")


class _LineError(Exception):
    """A faulty line; `may_be_cut` if it may be the beginning of a valid one."""

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
    """Return a value as JSON on one line, keeping accents."""
    return _ENCODER.encode(value)


def as_line(data: Mapping[str, object]) -> str:
    r"""Return an object as a line of a file."""
    return as_json(data) + "\n"
