"""The columns of the tables of a map folder, and the parsing of their fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ttr_analysis._decoding import Range, Text
from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.cards import ROUTE_COLORS, kind_name

MAX_TEXT: Final = 100
"""Maximum length of a name."""
MAX_LENGTH: Final = 12
"""Maximum length of a route, in spaces."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    parse: Callable[[str], Any]
    """Parses the text of a field; a `ValueError` says what was expected."""
    default: Any = ...
    """Value of an empty field or missing column; `...` if required."""


def _text(value: str) -> str:
    if value not in Text(MAX_TEXT):
        raise ValueError(f"expected {Text(MAX_TEXT)}")
    return value


def _names(value: str) -> tuple[str, ...]:
    """Split names at semicolons."""
    return tuple(filter(None, (_text(name.strip()) for name in value.split(";"))))


def _choice(*allowed: str) -> Callable[[str], str]:
    """Return a parser for one of several words."""

    def parse(value: str) -> str:
        if value not in allowed:
            hint = " or ".join(map(repr, nearest(value, [word for word in allowed if word])))
            raise ValueError(f"expected {hint or 'one of ' + ', '.join(allowed)}")
        return value

    return parse


def _number(low: float, high: float) -> Callable[[str], float]:
    """Return a parser for a decimal number from `low` to `high`."""

    def parse(value: str) -> float:
        if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,15})?", value) or not low <= float(value) <= high:
            raise ValueError(f"expected a number from {low:g} to {high:g}")
        return float(value)

    return parse


def _flag(value: str) -> bool:
    if value not in {"0", "1"}:
        raise ValueError("expected 0 or 1")
    return value == "1"


def _color(value: str) -> str:
    """Return a route color, also by another name: most boards print the purple cards pink."""
    try:
        return kind_name("color", value, ROUTE_COLORS)
    except UnknownNameError:
        return _choice(*ROUTE_COLORS)(value)


CITY_COLUMNS: Final = (
    Column("name", _text),
    Column("label", _text, ""),
    Column("country", _text, ""),
    Column("lat", _number(-90, 90)),
    Column("lon", _number(-180, 180)),
    Column("x", _number(-10_000, 10_000), None),
    Column("y", _number(-10_000, 10_000), None),
    Column("label_at", _choice("N", "NE", "E", "SE", "S", "SW", "W", "NW", ""), ""),
    Column("also", _names, ()),
)
PLACE_COLUMNS: Final = (Column("place", _text), Column("city", _text))
ROUTE_COLUMNS: Final = (
    Column("city_a", _text),
    Column("city_b", _text),
    Column("track", Range(0, 1).parse, 0),
    Column("length", Range(1, MAX_LENGTH).parse),
    Column("color", _color),
    Column("tunnel", _flag, False),  # noqa: FBT003 - the default of a flag
    Column("locomotives", Range(0, MAX_LENGTH).parse, 0),
    Column("toll", Range(0, 20).parse, 0),
    Column("swap_size", Range(0, 9).parse, None),
    Column("swap_fills", _choice("any", "symbols"), None),
)
TICKET_COLUMNS: Final = (
    Column("ticket", _text),
    Column("origin", _text),
    Column("destination", _text),
    Column("points", Range(0, 200).parse),
    Column("neutral_a", _text, ""),
    Column("neutral_b", _text, ""),
    Column("deck", _text, ""),
    Column("sets", _names, ()),
)
