"""Read, decode and check external files and values, and report all faults at once with file, line and field."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from math import isfinite
from operator import index
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from ttr_analysis._errors import Fault, FaultsError, RecordError, nearest

T = TypeVar("T")
Keys: TypeAlias = tuple[str, ...]
"""The keys that lead to a value in a file."""

MAX_BYTES: Final = 1_000_000
_HUGE: Final = 10**15
_MAX_ITEMS: Final = 100
_MAX_TEXT: Final = 200
_MIN_SIMILARITY: Final = 0.75
"""
Minimum similarity for suggesting a known key instead of an unknown one; high, so that one rule is
not taken for another.
"""


# -- what is allowed -----------------------------------------------------------------------------------------------


class Allowed(Protocol):
    """A set of allowed values; as text, it follows the word "expected" in messages."""

    def __contains__(self, value: object, /) -> bool:
        """Return whether a value is allowed."""


@dataclass(frozen=True, slots=True)
class Range:
    """
    The whole numbers from `low` to `high`, both included; without `high`, all from `low` up.

    Examples
    --------
    >>> 3 in Range(1, 5), True in Range(1, 5), 2.0 in Range()
    (True, False, False)
    >>> print(Range(1, 5), Range(), sep=", ")
    a whole number from 1 to 5, a whole number of 0 or more
    """

    low: int = 0
    high: int | None = None

    def __contains__(self, value: object, /) -> bool:
        return type(value) is int and self.low <= value and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"a whole number of {self.low} or more"
        if self.high > _HUGE:
            return f"a whole number of {self.low} or more, below 2**{self.high.bit_length()}"
        return f"a whole number from {self.low} to {self.high}"

    def check(self, value: object, what: str, error: type[Exception] = ValueError) -> int:
        """
        Return a user's number, possibly NumPy's, as an `int`; if out of range, raise an `error` that names `what`.

        Examples
        --------
        >>> Range(1, 6).check(7, "n_players")
        Traceback (most recent call last):
        ValueError: n_players must be a whole number from 1 to 6, got 7
        """
        number = index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else value
        if number not in self:
            raise error(f"{what} must be {self}, got {_number_text(value)}")
        return number  # type: ignore[return-value] # an int, as it is in the range

    def parse(self, text: str) -> int:
        """Parse a number, or raise a ValueError that gives what was expected."""
        number = int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None
        if number not in self:
            raise ValueError(f"expected {self}")
        return number  # type: ignore[return-value] # an int, as it is in the range


@dataclass(frozen=True, slots=True)
class Text:
    """Printable strings of `least` to `most` characters."""

    most: int
    least: int = 0

    def __contains__(self, value: object, /) -> bool:
        return isinstance(value, str) and self.least <= len(value) <= self.most and value.isprintable()

    def __str__(self) -> str:
        length = f"{self.least} to" if self.least else "at most"
        return f"printable text of {length} {self.most:,} characters"


@dataclass(frozen=True, slots=True)
class Amount:
    """
    The finite numbers from `low` up, or those above it; without `low`, all of them.

    >>> 0 in Amount(0.0), 0 in Amount(0.0, is_above=True), float("nan") in Amount()
    (True, False, False)
    >>> print(Amount(), Amount(0.0), Amount(0.0, is_above=True), sep=", ")
    a number, a number of 0 or more, a number above 0
    """

    low: float | None = None
    is_above: bool = False

    def __contains__(self, value: object, /) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            return False
        return self.low is None or value > self.low or (value == self.low and not self.is_above)

    def __str__(self) -> str:
        if self.low is None:
            return "a number"
        return f"a number above {self.low:g}" if self.is_above else f"a number of {self.low:g} or more"


def _number_text(value: object) -> str:
    """Return a value for a message; Python refuses to print whole numbers of thousands of digits."""
    if isinstance(value, int) and abs(value) >= _HUGE:
        return f"a number of {value.bit_length()} bits"
    return repr(value)


# -- faults --------------------------------------------------------------------------------------------------------


@dataclass
class FaultList:
    """
    All faults of a source, which is one file or several.

    `raise_if_any` raises an `error` about the `source`, the path or name that was asked for; `add`
    calls it once there are `most` faults.
    """

    source: str
    file: str = ""
    error: type[FaultsError] = RecordError
    most: int | None = None
    faults: list[Fault] = field(default_factory=list)

    def of(self, file: str) -> FaultList:
        """Return a list for another file of the source, which shares the faults."""
        return replace(self, file=file)

    def add(self, line: int, key: str, value: object, expected: str) -> None:
        """Add a fault at a column or key of a line; line 0 is the whole file. A string value is shown as is."""
        self.faults.append(Fault(self.file, line, key, value if isinstance(value, str) else shown(value), expected))
        if len(self.faults) == self.most:
            self.faults.append(Fault(self.file, 0, "", "", f"stopped after {self.most} faults"))
            self.raise_if_any()

    def raise_if_any(self, order: Iterable[str] = ()) -> None:
        """Raise the error with all faults by file and line, if there are any; those of a whole file come last."""
        if self.faults:
            files = list(dict.fromkeys([*order, *(fault.file for fault in self.faults)]))
            ranked = sorted(self.faults, key=lambda fault: (files.index(fault.file), not fault.line, fault.line))
            raise self.error(self.source, ranked)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def shown(value: object) -> str:
    """Return a value roughly as it is written in a file: a number, string or list, in JSON."""
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a huge number"
    return _ENCODER.encode(value)


# -- files ---------------------------------------------------------------------------------------------------------


def read_text(path: Path, faults: FaultList, max_bytes: int = MAX_BYTES) -> str | None:
    """Return the text of a UTF-8 file of at most `max_bytes`, or None with a fault."""
    if path.exists() and not path.is_file():
        faults.add(0, "", "something else", "expected a file")
        return None
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        faults.add(0, "", error.strerror or "an error", "expected a readable file")
        return None
    if len(data) > max_bytes:
        faults.add(0, "", "more", f"expected a file of at most {max_bytes:,} bytes")
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.add(line, "", f"byte 0x{data[error.start]:02x}", "expected UTF-8 text")
        return None


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """
    Write a file under a temporary name, then rename it, so that a failure leaves the old file.

    An OSError names the file, not the temporary one.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        _write_then_rename(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write_then_rename(path: Path, data: bytes) -> None:
    temporary = path.parent / f".{path.name}.{os.urandom(6).hex()}"
    try:
        with temporary.open("xb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


# -- decoding by types ---------------------------------------------------------------------------------------------


class Decoder:
    """
    Decodes values by their types.

    A type states what is allowed: `bool`, `str`, `Literal`, `Annotated` with an `Allowed`, a
    dataclass (a table), a tuple (a list), or a tuple of pairs (a table whose keys are numbers).
    `refuse` is called with the keys of a wrong value, its text and what was expected; the value
    is decoded as None, and the others are still checked. `hidden` fields of dataclasses are not keys.
    """

    Refuse: TypeAlias = Callable[[Keys, str, str], None]

    def __init__(self, refuse: Refuse, hidden: AbstractSet[str] = frozenset()) -> None:
        self.refuse = refuse
        self._hidden = hidden

    def check(self, path: Keys, value: T, allowed: Allowed) -> T | None:
        """Return a value that is allowed, or None with a fault."""
        if value in allowed:
            return value
        self.refuse(path, shown(value), f"expected {allowed}")
        return None

    def name(self, path: Keys, value: object, names: Mapping[str, T], what: str) -> T | None:
        """Return the value for a name, or None with a fault that suggests the nearest valid names."""
        if isinstance(value, str) and value in names:
            return names[value]
        hint = nearest(value, names) if isinstance(value, str) else []
        self.refuse(path, shown(value), f"expected {' or '.join(hint) or what}")
        return None

    def table(self, cls: type[Any], data: object, path: Keys = ()) -> Any:  # noqa: ANN401 - an instance of `cls`
        """Return an instance of a dataclass, or None with faults."""
        if not isinstance(data, dict):
            self.refuse(path, shown(data), "expected a table")
            return None
        hints = {name: hint for name, hint in _hints(cls).items() if name not in self._hidden}  # type: ignore[arg-type] # classes are hashable
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key in hints:
                values[key] = self.value(hints[key], value, (*path, key))
            else:
                suggestions = nearest(key, hints, cutoff=_MIN_SIMILARITY)
                hint = " or ".join(suggestions) or f"one of {', '.join(hints)}"
                self.refuse((*path, key), shown(key), f"unknown key, expected {hint}")
        missing = [f.name for f in fields(cls) if f.default is f.default_factory is MISSING and f.name not in data]
        for name in missing:
            self.refuse((*path, name), "nothing", "expected this key")
        return None if missing or None in values.values() else cls(**values)

    def value(self, hint: Any, value: object, path: Keys) -> Any:  # noqa: ANN401 - of the type `hint`
        """Return a value of a type, or None with a fault."""
        expected = _expected(hint, value)
        if expected:
            self.refuse(path, "a table" if isinstance(value, dict) else shown(value), expected)
            return None
        if is_dataclass(hint):
            return self.table(hint, value, path)  # type: ignore[arg-type] # a class
        if get_origin(hint) is tuple:
            return self._numbers(hint, value, path) if isinstance(value, dict) else self._tuple(hint, value, path)
        return value

    def _numbers(self, hint: Any, value: dict[str, object], path: Keys) -> tuple[Any, ...] | None:  # noqa: ANN401
        """Return the pairs of a table whose keys are whole numbers."""
        item_hint = get_args(get_args(hint)[0])[1]
        for key in value:
            if not re.fullmatch(r"[1-9][0-9]{0,2}", key):
                self.refuse((*path, key), shown(key), "expected a number from 1 to 999 as key")
                return None
        pairs = sorted((int(key), self.value(item_hint, item, (*path, key))) for key, item in value.items())
        return None if any(item is None for _, item in pairs) else tuple(pairs)

    def _tuple(self, hint: Any, value: Any, path: Keys) -> tuple[Any, ...] | None:  # noqa: ANN401
        args = get_args(hint)
        hints = args[:1] * len(value) if args[-1] is ... else args
        tables = any(isinstance(item, dict) for item in value)
        decoded = tuple(
            self.value(item_hint, item, (*path, str(i)) if tables else path)
            for i, (item_hint, item) in enumerate(zip(hints, value, strict=True))
        )
        return None if None in decoded else decoded


def allowed_in(cls: type[Any]) -> dict[str, Any]:
    """Return the allowed values of a dataclass's fields, by name."""
    return {name: get_args(hint)[1] for name, hint in _hints(cls).items()}  # type: ignore[arg-type] # classes are hashable


@cache  # needed for each table of each variant, and slower to make than everything else together
def _hints(cls: type[Any]) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _expected(hint: Any, value: object) -> str:  # noqa: ANN401
    """Return what was expected instead of a value, for type `hint`; "" if it fits, apart from the items it contains."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        fits, expected = value in args[1], str(args[1])
    elif origin is Literal:
        fits = any(value == item and type(value) is type(item) for item in args)
        expected = " or ".join(map(shown, args))
    elif is_dataclass(hint):
        fits, expected = isinstance(value, dict), "a table"
    elif origin is tuple and get_origin(args[0]) is tuple:
        fits, expected = isinstance(value, dict), "a table whose keys are numbers"
    elif origin is tuple:
        n = None if args[-1] is ... else len(args)
        is_list = isinstance(value, list) and len(value) <= _MAX_ITEMS
        fits = is_list and n in {None, len(value)}  # type: ignore[arg-type] # a list
        expected = f"a list of {n}" if is_list and n else "a list"
    elif hint is str:
        fits, expected = value in Text(_MAX_TEXT), str(Text(_MAX_TEXT))
    else:
        fits, expected = type(value) is hint, "true or false" if hint is bool else f"a value of type {hint.__name__}"
    return "" if fits else f"expected {expected}"
