"""Scan a line of text from left to right: map names, cards, numbers and words, ignoring case and accents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from ttr_analysis._errors import GameError, _shorten, nearest
from ttr_analysis._words import with_names
from ttr_analysis.cards import CARD_KINDS, other_names
from ttr_analysis.engine.layout import UNKNOWN_CARD
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.maps.names import (
    SAINT,
    Link,
    fold,
    near_names,
    other_city_names,
    other_ends,
    route_link,
    ticket_link,
)
from ttr_analysis.records.positions import UNKNOWN

T = TypeVar("T")

_HYPHENS: Final = frozenset("-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}")
_OPTIONAL: Final = frozenset(".'’()")
"""Characters that may be omitted in names, and that mean nothing elsewhere."""
_NUMBER: Final = re.compile(r"\d+(?!\w)")
_WORD: Final = re.compile(r"\w+")
_SETS: Final = re.compile(r"sets?\b")
_BETWEEN: Final = re.compile(r"\s*(?:,|\+|and\b)\s*|\s*")
_MAX_CARDS: Final = 5_000
"""Maximum number of cards in a list; a market may be replaced many times."""
_MAX_ALIKE: Final = 64


class NotationError(GameError):
    """
    A line that cannot be read, or is impossible.

    Parameters
    ----------
    reason
        What was expected and what was found.
    at
        Position in the line, from 0.
    choices
        Strings that may follow there.
    is_illegal
        Whether the line is well-formed but against the rules.
    """

    def __init__(self, reason: str, at: int, choices: Sequence[str] = (), *, is_illegal: bool = False) -> None:
        self.reason = reason
        self.at = at
        self.choices = tuple(choices)
        self.is_illegal = is_illegal
        super().__init__(f"character {at + 1}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return partial(NotationError, is_illegal=self.is_illegal), (self.reason, self.at, self.choices)


def fold_text(text: str) -> tuple[str, list[int]]:
    """
    Normalize text for comparing names, and return the position of each character in the original.

    As in `maps.names.fold`, case, accents, hyphens, dashes and blanks do not matter, but
    arrows and punctuation between parts of a line stay.

    >>> fold_text("Bodø – Å; St.")
    ('bodo a; st', [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 13])
    """
    folded: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        is_apart = char.isspace() or (char in _HYPHENS and text[at + 1 : at + 2] != ">")
        for c in " " if is_apart else fold(char) if char not in _OPTIONAL else "":
            if c != " " or (folded and folded[-1] != " "):
                folded.append(c)
                places.append(at)
    for found in reversed([*SAINT.finditer("".join(folded))]):
        folded[slice(*found.span())] = "st"
        places[slice(*found.span())] = places[found.start() : found.start() + 2]
    return "".join(folded), [*places, len(text)]


class Names(Generic[T]):
    """Things by name, which can be matched at a position in a line; the first of equal names wins."""

    def __init__(self, items: Iterable[tuple[str, T]]) -> None:
        by_key: dict[str, tuple[str, T]] = {}
        for name, thing in items:
            by_key.setdefault(fold_text(name)[0].strip(), (name, thing))
        self._things = sorted(
            ((key, thing) for key, (_, thing) in by_key.items() if key), key=lambda item: -len(item[0])
        )
        self._by_key = {key: thing for key, (_, thing) in by_key.items()}
        self.names = {key: name for key, (name, _) in by_key.items()}

    @classmethod
    def of(cls, items: Iterable[tuple[Iterable[str], T]]) -> Names[T]:
        """Return the names of things that have several."""
        return Names((name, thing) for names, thing in items for name in names)

    def longest(self, folded: str, at: int) -> tuple[int, T] | None:
        """Return the end of the longest name at a position, and its thing."""
        for key, thing in self._things:
            end = at + len(key)
            if folded.startswith(key, at) and not (folded[end - 1 : end].isalnum() and folded[end : end + 1].isalnum()):
                return end, thing
        return None

    def thing(self, name: str) -> T:
        """Return the thing with exactly this name."""
        return self._by_key[fold_text(name)[0].strip()]

    def near(self, text: str) -> list[str]:
        """Return the names most similar to `text`, one for each thing."""
        return near_names(fold_text(text)[0].strip(), self.names, self._by_key.__getitem__)


class MapNames(NamedTuple):
    """The names of a map's routes, tickets and cities."""

    routes: Names[tuple[Route, ...]]
    tickets: Names[Ticket]
    cities: Names[City]


@lru_cache(maxsize=64)
def names_of(game_map: GameMap) -> MapNames:
    """Return the names of a map."""
    aliases = other_city_names(game_map.cities)

    def joined(link: Link[Any]) -> list[str]:
        pairs = [names for names in link.end_names if len(names) > 1]
        return ["-".join(pair) for pair in (*pairs, *other_ends(pairs, aliases))]

    routes = [(joined(route_link(route)), game_map.routes_between(*route.cities)) for route in game_map.routes]
    cities = [((city.name, *aliases.get(city.name, ())), city) for city in game_map.cities]
    tickets = [([ticket.id], ticket) for ticket in game_map.tickets]
    tickets += [(joined(ticket_link(ticket)), ticket) for ticket in game_map.tickets if len(ticket.destinations) == 1]
    return MapNames(Names.of(routes), Names.of(tickets), Names.of(cities))


class Lexer:
    """
    Scans a line from left to right.

    >>> lexer = Lexer("blue 2, red")
    >>> [card for card, _ in lexer.cards()], lexer.is_done
    (['blue', 'blue', 'red'], True)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded, self._places = fold_text(text)
        self.at = 0

    # -- positions --------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """Whether only blanks are left."""
        return not self.folded[self.at :].strip()

    def place(self, at: int | None = None) -> int:
        """Return a position, by default the current one, as a character number of the line."""
        at = self.at if at is None else at
        if not self.folded[at:].strip():
            return len(self.text)
        return self._places[at + len(self.folded[at:]) - len(self.folded[at:].lstrip())]

    def rest(self) -> str:
        """Return the rest of this part of the line, as written, for messages."""
        return re.split(r"[;:]|->", self.text[self.place() :], maxsplit=1)[0].strip()

    def error(
        self, reason: str, choices: Sequence[str] = (), *, at: int | None = None, is_illegal: bool = False
    ) -> NotationError:
        """Return an error at a position, by default the current one."""
        return NotationError(reason, self.place(at), choices, is_illegal=is_illegal)

    def expected(self, what: str, choices: Sequence[str] = (), near: Sequence[str] = ()) -> NotationError:
        """Return an error with what was expected here, what was found, and similar names."""
        rest = self.rest()
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return self.error(f"expected {what}, got {_shorten(rest, 60) if rest else 'the end'}{hint}", choices)

    # -- tokens -----------------------------------------------------------------

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read a match of a pattern, if it comes next."""
        self._skip()
        found = pattern.match(self.folded, self.at)
        if found:
            self.at = found.end()
        return found

    def name(self, names: Names[T]) -> T | None:
        """Read a name, if it comes next."""
        self._skip()
        found = names.longest(self.folded, self.at)
        if found is None:
            return None
        self.at = found[0]
        return found[1]

    def number(self) -> int | None:
        """Read a whole number, if it comes next."""
        found = self.accept(_NUMBER)
        return int(found[0][:9]) if found else None

    def card(self, *, unknown: bool = False) -> str:
        """Read a kind of card, which may be shortened, or "?" if `unknown`."""
        self._skip()
        kinds = (*CARD_KINDS, UNKNOWN) if unknown else CARD_KINDS
        if self.folded.startswith(UNKNOWN, self.at):
            if not unknown:
                raise self.error("everyone sees this card, so it must be known", kinds)
            self.at += 1
            return UNKNOWN
        found = _WORD.match(self.folded, self.at)
        word = found[0] if found else ""
        fitting = _kinds_of(word)
        if len(fitting) != 1:
            what = " or ".join(fitting) if fitting else f"a card{' or ?' if unknown else ''}"
            near = [] if fitting else nearest(word, CARD_KINDS, 1)
            raise self.expected(what, kinds, near)
        self.at += len(word)
        return fitting[0]

    def cards(self, *, unknown: bool = False) -> list[tuple[str, int]]:
        """Read one or more cards, each with a number unless that is 1; return each kind with its position."""
        self._skip()
        counts_first = _NUMBER.match(self.folded, self.at) is not None
        cards: list[tuple[str, int]] = []
        while True:
            self._skip()
            place = self.at
            n = self.number() if counts_first else None
            kind = self.card(unknown=unknown)
            n = n if counts_first else self.number()
            cards += [(kind, place)] * min(1 if n is None else n, _MAX_ALIKE)
            if len(cards) > _MAX_CARDS:
                raise self.error("the game has fewer cards", at=place)
            if not self._has_more():
                return cards

    def listed(self) -> bool:
        """Read the comma before another item of a list, if there is one."""
        return self.accept(re.compile(r",")) is not None

    def _has_more(self) -> bool:
        """Return whether another card follows, reading the separator."""
        before = self.at
        between = _BETWEEN.match(self.folded, self.at)
        self.at = between.end() if between else self.at
        if _SETS.match(self.folded, self.at):
            self.at = before
            return False
        has_separator = "," in self.folded[before : self.at] or "+" in self.folded[before : self.at]
        word = _WORD.match(self.folded, self.at)
        is_card = word is not None and (word[0].isdecimal() or bool(_kinds_of(word[0])))
        if self.folded.startswith(UNKNOWN, self.at) or is_card or has_separator:
            return True
        self.at = before
        return False

    def _skip(self) -> None:
        while self.folded.startswith(" ", self.at):
            self.at += 1


def tells(line: str) -> bool:
    """Return whether a line is neither blank nor a comment."""
    return line.strip() != "" and not line.lstrip().startswith("#")


def _kinds_of(word: str) -> list[str]:
    """Return the kinds of card that a word may mean, even "pinks"."""
    begins = word.removesuffix("s") or word
    kinds = [kind for kind in CARD_KINDS if word and kind.startswith(begins)]
    return kinds or [kind for kind in CARD_KINDS if begins in other_names(kind)]


def card_value(kind: str) -> int:
    """Return the number of a kind of card, including "?"."""
    return UNKNOWN_CARD if kind == UNKNOWN else CARD_KINDS.index(kind)


# -- the seat of a line -----------------------------------------------------------------------------------------------

_HEAD: Final = re.compile(r"P(\d{1,3}): ")
_SEAT: Final = re.compile(r"p(\d{1,3}) ?:")
_COLON: Final = re.compile(r":")


def read_seat(scan: Lexer, players: Names[int]) -> int | None:
    """Read the seat of a line, if given."""
    found = scan.accept(_SEAT)
    if found:
        return int(found[1])
    seat = scan.name(players)
    if seat is None or not scan.accept(_COLON):
        scan.at = 0
        return None
    return seat


@lru_cache(maxsize=64)
def line_heads(players: tuple[str, ...]) -> tuple[str, ...]:
    """
    Return the prefixes of the players' lines: the name if it reads back as the same seat, else the seat.

    >>> line_heads(("Ida", "#Bo", "P0", "Max", "MAX"))
    ('Ida: ', 'P1: ', 'P2: ', 'P3: ', 'P4: ')
    """
    counts = Counter(fold_text(name)[0].strip() for name in players)
    names = Names((name, seat) for seat, name in enumerate(players) if counts[fold_text(name)[0].strip()] == 1)
    heads = []
    for seat, name in enumerate(players):
        head = f"{name}: "
        is_line = tells(head) and not head.lstrip().startswith("{")
        scan = Lexer(head)
        is_read = is_line and read_seat(scan, names) == seat and scan.is_done
        heads.append(head if is_read else f"P{seat}: ")
    return tuple(heads)


def headed(line: str, players: tuple[str, ...]) -> str:
    """Replace the seat at the beginning of a line by the player's name."""
    found = _HEAD.match(line)
    if found is None or int(found[1]) >= len(players):
        return line
    return line_heads(players)[int(found[1])] + line[found.end() :]


def named(error: NotationError, players: tuple[str, ...]) -> NotationError:
    """Replace seats by players' names in an error, except in the text typed by the user."""
    reason, got, typed = error.reason.partition(", got ")
    choices = [headed(choice, players) for choice in error.choices]
    return NotationError(with_names(reason, players) + got + typed, error.at, choices, is_illegal=error.is_illegal)
