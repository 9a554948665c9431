"""
JSON Lines: from bytes to checked objects, one a line, and back.

A file may come from a stranger: its size is limited before anything is read,
JSON is taken strictly, and everything that is wrong is collected with its
line.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ttr_analysis._errors import Fault, RecordError

MAX_BYTES: Final = 32_000_000
MAX_LINES: Final = 400_000
MAX_LINE_BYTES: Final = 20_000
MAX_FAULTS: Final = 100
"""After so many faults no further ones are looked for."""

_MAX_DIGITS: Final = 400
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class FaultList:
    """
    What is wrong in one file.

    Parameters
    ----------
    file
        Name of the file, for the messages.
    source
        What was asked for: a path, or what stands for it.
    """

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.source = source
        self.faults: list[Fault] = []

    def add(self, line: int, field: str, value: object, expected: str) -> None:
        """
        Add a fault.

        Parameters
        ----------
        line
            Line from 1; 0 if the fault is of the whole file.
        field
            Key of the object on that line, "" if of all of it.
        value
            What stands there; text is shown as it is.
        expected
            What was expected instead.

        Raises
        ------
        RecordError
            If there are so many faults that the rest is not looked at.
        """
        self.faults.append(Fault(self.file, line, field, value if isinstance(value, str) else as_json(value), expected))
        if len(self.faults) == MAX_FAULTS:
            self.faults.append(Fault(self.file, 0, "", "so many", f"expected fewer than {MAX_FAULTS} faults"))
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise a RecordError with all faults in the order of the lines, if there is any."""
        if self.faults:
            raise RecordError(self.source, sorted(self.faults, key=lambda fault: fault.line or MAX_LINES + 1))


class Line(NamedTuple):
    """
    A line of a file.

    Parameters
    ----------
    number
        Its number, from 1.
    data
        The object on it.
    """

    number: int
    data: dict[str, object]


class Lines(NamedTuple):
    """
    The lines of a file.

    Parameters
    ----------
    lines
        Those that hold an object.
    cut
        Number of the last line if it breaks off, else 0.
    """

    lines: list[Line]
    cut: int


def read_bytes(path: str | os.PathLike[str], faults: FaultList) -> bytes:
    """
    Return the content of a file of at most `MAX_BYTES`.

    Raises
    ------
    RecordError
        If it is larger, or no file.
    OSError
        If it cannot be read: there is none of that name, say.
    """
    path = Path(path).expanduser()
    if path.exists() and not path.is_file():
        faults.add(0, "", "something else", "expected a file")
        faults.raise_if_any()
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def parse_lines(content: bytes, faults: FaultList) -> Lines:
    """
    Return the objects of JSON Lines.

    A last line without its end of line that is no JSON was cut in the middle
    of a write; it is left out. The first line must be whole.

    Parameters
    ----------
    content
        UTF-8 text; lines end with a line feed.
    faults
        What is wrong is added here.

    Raises
    ------
    RecordError
        If the whole is larger than the limits of this module.
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
    probe = FaultList("", "")
    data = _parse_line(number, last, probe)
    if data is not None:
        return Lines([*lines, Line(number, data)], 0)
    if number == 1:
        _parse_line(number, last, faults)
    return Lines(lines, number)


def _parse_line(number: int, text: bytes, faults: FaultList) -> dict[str, object] | None:
    """Return the object on a line, or None with a fault."""
    if len(text) > MAX_LINE_BYTES:
        faults.add(number, "", f"{len(text):,} bytes", f"expected at most {MAX_LINE_BYTES:,} bytes on a line")
        return None
    try:
        line = text.decode()
    except UnicodeDecodeError as error:
        faults.add(number, "", f"byte 0x{text[error.start]:02x}", "expected UTF-8 text")
        return None
    try:
        data = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        faults.add(number, "", line.strip() or "nothing", f"expected a JSON object ({_reason(error)})")
    except _NotStrictError as error:
        faults.add(number, error.field, error.value, error.expected)
    except RecursionError:
        faults.add(number, "", "values nested too deeply", "expected a JSON object")
    else:
        if isinstance(data, dict):
            return data
        faults.add(number, "", data, "expected a JSON object")
    return None


def _reason(error: json.JSONDecodeError) -> str:
    """Return what a decoder says is wrong, and where on the line."""
    return f"{error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}".replace(" at at ", " at ")


class _NotStrictError(Exception):
    """What Python reads, but a record may not hold."""

    def __init__(self, field: str, value: str, expected: str) -> None:
        super().__init__(field, value, expected)
        self.field = field
        self.value = value
        self.expected = expected


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) < len(pairs):
        twice, n = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _NotStrictError(twice, f"{n} of them", "expected each key once")
    return data


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _NotStrictError("", f"a number of {len(digits):,} digits", "expected numbers of a few digits")
    return int(digits)


def _no_fraction(number: str) -> object:
    raise _NotStrictError("", number, "expected whole numbers")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_fraction
)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def as_json(value: object) -> str:
    """Return a value as JSON on one line, names with their accents."""
    return _ENCODER.encode(value)


def as_line(data: Mapping[str, object]) -> str:
    r"""
    Return an object as a line of a file.

    Examples
    --------
    >>> as_line({"event": "ticket_offered", "seat": 0, "ticket": "Göteborg-Åndalsnes"})
    '{"event":"ticket_offered","seat":0,"ticket":"Göteborg-Åndalsnes"}\n'
    """
    return as_json(data) + "\n"
