"""
The file of a record: lines of JSON, from bytes to checked objects and back, and the header on its first line.

Files may come from strangers: their size is limited before anything is read, JSON is
parsed strictly, and all faults are collected with their lines.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date
from functools import lru_cache
from hashlib import sha256
from operator import index
from pathlib import Path
from typing import Any, Final, NamedTuple, SupportsIndex

from ttr_analysis._decoding import Allowed, FaultList, Range, Text, shown
from ttr_analysis._errors import GameError, UnknownNameError, _shorten, nearest
from ttr_analysis.maps.loading import load_map, map_names
from ttr_analysis.maps.model import GameMap, Route, Ticket
from ttr_analysis.tables import MAX_SEATS, check_size

MAX_BYTES: Final = 32_000_000
MAX_LINES: Final = 400_000
MAX_LINE_BYTES: Final = 20_000
MAX_FAULTS: Final = 100
"""Maximum number of faults, after which reading stops."""

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


# -- the header -----------------------------------------------------------------------------------------------------

FORMAT: Final = "ttr-game"
VERSION: Final = 1

MAX_NAME: Final = 200
"""Maximum length of a name or title."""
_MAX_NOTE: Final = 2_000
_MAX_GAME: Final = 2**62 - 1
_MAX_SEED: Final = 10**MAX_DIGITS - 1
_JOINERS: Final = {0x200C: None, 0x200D: None}
"""Unprintable characters that join letters of some scripts, and emoji."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeader:
    """
    The first line of a record.

    Parameters
    ----------
    variant
        The variant; "" for the map's standard rules.
    facts
        Fingerprint of the facts and rules (see `fingerprint`).
    policies
        Names of the policies by seat; empty if people played.
    seed, game
        Seed, and number of the game in its run; None if unknown.
    players
        Names of the players by seat; empty if not given.
    date
        Date of the game, such as "2026-03-14"; "" if unknown.

    Raises
    ------
    GameError
        If any text is not printable or too long, a number is out of range, the number of
        names is wrong, or the date does not exist. The message lists all faults.
    """

    map_name: str
    variant: str = ""
    n_players: int
    facts: str
    policies: tuple[str, ...] = ()
    seed: int | None = None
    game: int | None = None
    players: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        for key in ("n_players", "seed", "game"):
            value = getattr(self, key)
            if isinstance(value, SupportsIndex) and not isinstance(value, bool):
                object.__setattr__(self, key, index(value))  # JSON has no NumPy integers
        wrong = []
        for key, value, expected in _faults(self.data()):
            got = "a longer one" if isinstance(value, int) and abs(value) > _MAX_SEED else repr(value)
            wrong.append(f"the {key} of a record: {expected}, got {got}")
        if wrong:
            raise GameError("\n".join(wrong))

    def data(self) -> dict[str, object]:
        """Return the JSON object of the first line, without empty fields."""
        given = {
            "seed": self.seed,
            "game": self.game,
            "players": list(self.players) or None,
            "title": self.title or None,
            "note": self.note or None,
            "date": self.date or None,
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "map": self.map_name,
            "variant": self.variant,
            "n_players": self.n_players,
            "facts": self.facts,
            "policies": list(self.policies),
            **{key: value for key, value in given.items() if value is not None},
        }


def header_of(
    game_map: GameMap,
    n_players: int,
    policies: Iterable[str] = (),
    seed: int | None = None,
    number: int | None = None,
    *,
    players: Iterable[str] = (),
    **words: str,
) -> RecordHeader:
    """Return the header of a game on a map; `words` are title, note and date."""
    return RecordHeader(
        map_name=game_map.name,
        variant=game_map.rules.variant,
        n_players=n_players,
        facts=fingerprint(game_map),
        policies=tuple(_shorten(name, MAX_NAME) for name in policies),
        seed=seed,
        game=number,
        players=tuple(players),
        **words,
    )


def check_seed(seed: object) -> None:
    """Raise a GameError if a seed has more digits than a record can hold."""
    if isinstance(seed, SupportsIndex) and index(seed) > _MAX_SEED:
        raise GameError(f"a seed has at most {MAX_DIGITS} digits")


def read_header(line: Line, faults: FaultList) -> RecordHeader | None:
    """Return the header on a line, or None with faults."""
    found = list(_faults(line.data))
    for key, value, expected in found:
        faults.add(line.number, key, value if value is _MISSING else as_json(value), expected)
    if found:
        return None
    data: dict[str, Any] = {key: value for key, value in line.data.items() if key not in {"format", "version", "map"}}
    for key in ("policies", "players"):
        data[key] = tuple(data.get(key, ()))
    return RecordHeader(map_name=str(line.data["map"]), **data)


def resolve_map(header: RecordHeader, given: GameMap | None, faults: FaultList) -> GameMap | None:
    """Return the map of a record in its variant, or None with faults. Maps that are not built in must be given."""
    if given is None:
        given = built_in_map(header.map_name)
        if given is None:
            expected = f"expected one of {', '.join(map_names())}; pass any other map as game_map"
            faults.add(1, "map", as_json(header.map_name), expected)
            return None
    elif given.name != header.map_name:
        faults.add(1, "map", as_json(header.map_name), f"expected {as_json(given.name)}, the map you passed")
        return None
    try:
        game_map = given.with_variant(header.variant or None)
        check_size(game_map, header.n_players)
    except UnknownNameError as error:
        faults.add(1, "variant", as_json(header.variant), str(error))
        return None
    except ValueError as error:
        faults.add(1, "n_players", str(header.n_players), str(error))
        return None
    facts = fingerprint(game_map)
    if facts != header.facts:
        its, ours = _title(header.map_name, header.variant), _title(game_map.name, game_map.rules.variant)
        expected = f"expected {as_json(facts)}: the facts of the map {ours} differ from those in the record of {its}"
        faults.add(1, "facts", as_json(header.facts), expected)
        return None
    return game_map


def _title(name: str, variant: str) -> str:
    return f"{name!r}, variant {variant!r}" if variant else repr(name)


@lru_cache(maxsize=8)
def built_in_map(name: str) -> GameMap | None:
    """Return a built-in map, never a folder: the name may come from an untrusted file."""
    return load_map(name) if name in map_names() else None


# -- allowed values of a header ---------------------------------------------------

_MISSING: Final = "nothing"


class _Only(NamedTuple):
    """A single allowed value."""

    value: str | int
    words: str = ""

    def __contains__(self, value: object, /) -> bool:
        return value == self.value and type(value) is type(self.value)

    def __str__(self) -> str:
        return self.words or shown(self.value)


class _Joined(Text):
    """Text that may contain the unprintable joiners of some scripts and of emoji."""

    def __contains__(self, value: object, /) -> bool:
        return isinstance(value, str) and len(value) <= self.most and value.translate(_JOINERS) in Text(self.most)


class _Day:
    """Dates such as "2026-03-14"."""

    def __contains__(self, value: object, /) -> bool:
        try:
            return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
        except ValueError:
            return False

    def __str__(self) -> str:
        return 'a date such as "2026-03-14"'


class _Names(NamedTuple):
    """Lists with a name for each player, or empty; of any length if the number of players is wrong."""

    n_players: int

    def __contains__(self, value: object, /) -> bool:
        fits = isinstance(value, list) and (len(value) in (0, self.n_players) or not self.n_players)
        return fits and all(item in _Joined(MAX_NAME) for item in value)  # type: ignore[attr-defined] # a list

    def __str__(self) -> str:
        number = f"{self.n_players} " if self.n_players else ""
        return f"{number}printable names of at most {MAX_NAME} characters, or none"


class _Seeds(Range):
    """Seeds, with up to hundreds of digits."""

    def __str__(self) -> str:
        return f"a whole number of 0 or more, of at most {MAX_DIGITS} digits"


_SEEDS: Final = _Seeds(0, _MAX_SEED)
_PLAYERS: Final = Range(2, MAX_SEATS)
_LATER: Final = _Only(VERSION, f"{VERSION}: the record was written by a later version of this package")
_REQUIRED: Final = ("format", "version", "map", "n_players", "facts")


def _faults(data: Mapping[str, object]) -> Iterator[tuple[str, object, str]]:
    """Yield each wrong key with its value and what was expected."""
    n_players, version = data.get("n_players"), data.get("version")
    names = _Names(n_players if n_players in _PLAYERS else 0)  # type: ignore[arg-type] # an int
    allowed: dict[str, Allowed] = {
        "format": _Only(FORMAT),
        "version": _LATER if isinstance(version, int) and version > VERSION else _Only(VERSION),
        **dict.fromkeys(("map", "variant", "title"), _Joined(MAX_NAME)),
        "n_players": _PLAYERS,
        "facts": _Joined(64),
        **dict.fromkeys(("policies", "players"), names),
        "seed": _SEEDS,
        "game": Range(0, _MAX_GAME),
        "note": _Joined(_MAX_NOTE),
        "date": _Day(),
    }
    for key, fits in allowed.items():
        if key in data and data[key] not in fits:
            yield key, data[key], f"expected {fits}"
        elif key not in data and key in _REQUIRED:
            yield key, _MISSING, "expected this key"
    for key in sorted(data.keys() - allowed.keys()):
        yield key, key, f"unknown key, expected {' or '.join(nearest(key, allowed) or allowed)}"


# -- the fingerprint of a map --------------------------------------------------------------------------------------

_DIGITS: Final = 16
_NO_RULES: Final = {"title", "variants"}
"""Fields of a rule set that do not affect games."""
_SETS: Final = {"locomotives_on"}
"""Fields whose order does not matter."""


@lru_cache(maxsize=64)
def fingerprint(game_map: GameMap) -> str:
    """
    Return a fingerprint of the facts and rules of a map in its variant.

    Two maps share it if games on them are the same: positions, labels, titles and the
    order of routes and tickets do not matter. Rules at their default are left out, so
    adding a rule whose default is the old behavior changes no fingerprint.

    >>> nederland = ttr.load_map("nederland")
    >>> fingerprint(nederland) == fingerprint(nederland.with_variant("no_tolls"))
    False
    """
    facts = {
        "cities": sorted(city.name for city in game_map.cities),
        "countries": sorted([place.name, *sorted(place.cities)] for place in game_map.places if place.is_country),
        "routes": sorted(_route_facts(route) for route in game_map.routes),
        "tickets": sorted(_ticket_facts(ticket) for ticket in game_map.tickets),
        "rules": _rule_facts(game_map.rules),
    }
    text = json.dumps(facts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _route_facts(route: Route) -> list[Any]:
    facts = {field.name: getattr(route, field.name) for field in fields(Route) if field.name != "track"}
    return [*(facts | {"cities": sorted(route.cities)}).values()]


def _ticket_facts(ticket: Ticket) -> list[Any]:
    goals = sorted([place.name, points] for place, points in ticket.destinations)
    deck = [ticket.deck] if ticket.deck else []  # left out if there is none, so that old fingerprints stay valid
    return [ticket.id, ticket.origin.name, goals, sorted(ticket.neutral or ()), *deck]


def _rule_facts(rules: object) -> Any:  # noqa: ANN401
    """Return the rules that differ from their defaults, as JSON data."""
    if is_dataclass(rules):
        different = {}
        for field in fields(rules):
            value = getattr(rules, field.name)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            if field.name not in _NO_RULES and value != default:
                different[field.name] = _rule_facts(tuple(sorted(value)) if field.name in _SETS else value)
        return different
    if isinstance(rules, tuple):
        return [_rule_facts(item) for item in rules]
    return rules
