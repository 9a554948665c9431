"""Names of things, and finding things by name regardless of case, accents and hyphens."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, Generic, TypeVar

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis._words import between, counted, isolate
from ttr_analysis.cards import LOCOMOTIVE, other_names
from ttr_analysis.maps.board import City, Route, Ticket

T = TypeVar("T")

# Letters that Unicode does not decompose into a letter and a mark.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_SEPARATORS: Final = re.compile(r"[\s\N{HYPHEN-MINUS}\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]+")
"""Separators between words: blanks, hyphens and dashes of all kinds."""
_OPTIONAL: Final = re.compile("[.,;:()'’\u2068\u2069]")
"""Printed with names, but optional."""
SAINT: Final = re.compile(r"\b(?:saint|sainte|sankt|ste)\b")
_TRACK: Final = re.compile(r"\btrack (\d)|\bcopy (\d)|/(\d)")


@lru_cache(maxsize=4096)  # called often while lines are typed
def fold(name: str) -> str:
    """
    Return the normalized form of a name, for comparisons.

    Case, accents, kinds of hyphens and dashes, blanks and the spelling of "Saint" do not
    matter.

    >>> fold("København") == fold("KOBENHAVN")
    True
    >>> fold("Tromsø"), fold("Sault Ste. Marie"), fold("La Chaux–de Fonds")
    ('tromso', 'sault st marie', 'la chaux de fonds')
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    words = _SEPARATORS.sub(" ", _OPTIONAL.sub("", plain)).strip()
    # A name that consists only of symbols keeps them.
    return SAINT.sub("st", words) or " ".join(plain.split())


class NameIndex(Generic[T]):
    """Things by name, in any spelling."""

    def __init__(self, items: Iterable[tuple[str, T]]) -> None:
        self._exact = dict(items)
        self._folded = {fold(name): name for name in self._exact}

    def __contains__(self, name: str) -> bool:
        return name in self._exact or fold(name) in self._folded

    def near(self, name: str) -> list[str]:
        """Return the names most similar to a wrong one, one for each thing."""
        return near_names(fold(name), self._folded, lambda key: self._exact[self._folded[key]])

    def find(self, what: str, name: object) -> T:
        """Return the thing with a name; `what` is its kind, for error messages."""
        if not isinstance(name, str):
            msg = f"the name of a {what} must be text, got {name!r}"
            raise TypeError(msg)
        if name in self._exact:
            return self._exact[name]
        known = self._folded.get(fold(name))
        if known is None:
            raise UnknownNameError(what, name, self.near(name))
        return self._exact[known]


@dataclass(frozen=True, slots=True)
class Link(Generic[T]):
    """A thing that connects named ends: `end_names` in each order; `words` distinguish those with the same ends."""

    thing: T
    id: str
    end_names: tuple[tuple[str, ...], ...]
    words: str


class LinkIndex(Generic[T]):
    """
    Things that connect named ends, by any text printed for them: "murmansk to kobenhavn 24", or the id.

    `aliases` has the other names of an end; `is_end` also accepts ends that nothing
    connects.
    """

    def __init__(
        self,
        what: str,
        links: Iterable[Link[T]],
        aliases: Mapping[str, tuple[str, ...]],
        is_end: Callable[[str], bool],
    ) -> None:
        self._what = what
        self._links = tuple(links)
        self._is_end = is_end
        self._main_names = {fold(other): name for name, others in aliases.items() for other in others}
        self._by_id = {link.id: link.thing for link in self._links}
        self._words = {link.id: frozenset(_plain(link.words).split()) for link in self._links}
        self._by_ends: dict[str, list[Link[T]]] = {}
        self._offers: dict[str, str] = {}
        for link in self._links:
            forms = {_plain(link.id): link.id}
            for ends in link.end_names:
                forms |= {_plain(joint.join(ends)): "-".join(ends) for joint in (" to ", "-")}
            for form, offer in forms.items():
                self._by_ends.setdefault(form, []).append(link)
                self._offers.setdefault(form, offer)
            for ends in other_ends(link.end_names, aliases):
                for joint in (" to ", "-"):
                    self._by_ends.setdefault(_plain(joint.join(ends)), []).append(link)

    def find(self, text: str) -> tuple[T, ...]:
        """Return all things that `text` can mean, or raise an UnknownNameError with the nearest names."""
        if text in self._by_id:
            return (self._by_id[text],)
        words = _plain(text).split()
        for n in range(len(words), 0, -1):
            named = self._by_ends.get(" ".join(words[:n]), ())
            meant = [link for link in named if self._words[link.id].issuperset(words[n:])]
            if n < len(words):  # text as printed begins with the first end
                meant = [link for link in meant if words[0] == fold(link.end_names[0][0]).split()[0]] or meant
            if meant:
                return tuple(link.thing for link in meant)
        raise UnknownNameError(self._what, text, self._near(text))

    def _near(self, text: str) -> list[str]:
        """Return suggestions: the links of a named end, else similar names."""
        ends = [text] if self._is_end(text) else []
        for cut in _SEPARATORS.finditer(text):
            pair = text[: cut.start()], text[cut.end() :]
            ends += pair if all(map(self._is_end, pair)) else ()
        for end in ends:
            home = fold(self._main_names.get(fold(end), end))
            pairs = dict.fromkeys(names for link in self._links for names in link.end_names if len(names) > 1)
            if here := ["-".join(pair) for pair in pairs if fold(pair[0]) == home]:
                return here
        alike = nearest(_plain(text), self._offers, 6)
        return list(dict.fromkeys(self._offers[form] for form in alike))[:3]


def near_names(folded: str, names: Mapping[str, str], thing: Callable[[str], object]) -> list[str]:
    """Return up to three of `names` (by folded form) most similar to a wrong one, one for each `thing`."""
    found: dict[int, str] = {}
    for key in nearest(folded, names, 6):
        found.setdefault(id(thing(key)), names[key])
    return [*found.values()][:3]


def other_ends(ends: Iterable[tuple[str, ...]], aliases: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the names of ends in which at least one end has another name."""
    for names in ends:
        spellings = product(*((end, *aliases.get(end, ())) for end in names))
        yield from (spelling for spelling in spellings if spelling != names)


def _plain(text: str) -> str:
    """Normalize text for comparing links: folded, with a track or copy as a separate word."""
    return " ".join(_TRACK.sub(_track_word, fold(text)).split())


def _track_word(found: re.Match[str]) -> str:
    track, copy, number = found.groups()
    return f" /{track or number or int(copy) - 1}"


def other_city_names(cities: Sequence[City]) -> dict[str, tuple[str, ...]]:
    """Return other names of cities, by their names on the board, unless another city has them."""
    n_named = Counter(form for city in cities for form in {fold(name) for name in (city.name, *city.also)})
    return {city.name: tuple(name for name in city.also if n_named[fold(name)] == 1) for city in cities if city.also}


def city_names(cities: Sequence[City]) -> list[tuple[str, City]]:
    """Return all names of cities, each with its city."""
    aliases = other_city_names(cities)
    others = [(name, city) for city in cities for name in aliases.get(city.name, ())]
    n_labeled = Counter(city.label for city in cities)
    labeled = [(city.label, city) for city in cities if n_labeled[city.label] == 1]
    return [*others, *labeled, *((city.name, city) for city in cities)]


def route_link(route: Route) -> Link[Route]:
    """Return the names of a route."""
    a, b = route.cities
    words = [*other_names(route.color), str(route.length), f"/{route.track}", route.kind, f"{route.points} points"]
    if route.locomotives:
        words.append(f"{route.locomotives} locomotive locomotives")
    if route.toll:
        words.append(f"toll {route.toll}")
    if route.swap_size:
        words.append(f"any {route.swap_size} cards for one locomotive")
    words.append("second track" if route.track else "first track")
    return Link(route, route.id, ((a, b), (b, a)), " ".join(words))


def ticket_link(ticket: Ticket) -> Link[Ticket]:
    """Return the names of a ticket; one from or to countries can also be named by its origin alone."""
    origin = ticket.origin.name
    has_origin_name = ticket.origin.is_country or len(ticket.destinations) > 1
    end_names: list[tuple[str, ...]] = [(origin,)] if has_origin_name else []
    for place, _ in ticket.destinations:
        end_names += [(origin, place.name), (place.name, origin)]
    words = [f"{place.name} {points}" for place, points in ticket.destinations]
    copy = ticket.id[ticket.id.rfind("/") :] if "/" in ticket.id else ""
    return Link(ticket, ticket.id, tuple(end_names), " ".join([*words, copy, "or and points"]))


# -- routes and tickets in words -----------------------------------------------------------------------------------


def name_route(route: Route) -> str:
    """
    Return a route as its cities, color and length.

    >>> name_route(ttr.load_map("nordic").route("Murmansk", "Lieksa"))
    'Lieksa – Murmansk (gray, 9)'
    """
    return f"{between(route.cities)} ({route.color}, {route.length})"


def name_track(route: Route) -> str:
    """
    Return one of two tracks as its id, color and length, for messages.

    >>> name_track(ttr.load_map("nordic").route("Bergen-Oslo/1"))
    'Bergen-Oslo/1 (red, 4)'
    """
    return f"{route.id} ({route.color}, {route.length})"


def describe_route(route: Route) -> str:
    """
    Return all facts of a route in words.

    >>> nordic = ttr.load_map("nordic")
    >>> describe_route(nordic.route("Oslo", "Aalborg"))
    'Aalborg – Oslo, 3 white, ferry (1 locomotive), any 3 cards for one'
    >>> describe_route(nordic.route("Murmansk", "Lieksa"))
    'Lieksa – Murmansk, 9 gray, any 4 cards for one'
    """
    words = [between(route.cities), f"{route.length} {route.color}"]
    if route.tunnel:
        words.append("tunnel")
    if route.locomotives:
        words.append(f"ferry ({counted(route.locomotives, LOCOMOTIVE)})")
    if route.toll:
        words.append(f"toll {route.toll}")
    if route.swap_size:
        stands_for = "one" if route.swap_fills == "any" else f"one {LOCOMOTIVE}"
        words.append(f"any {route.swap_size} cards for {stands_for}")
    return ", ".join(words)


def name_ticket(ticket: Ticket | None) -> str:
    """
    Return a ticket as its places and points; None is an unknown one.

    >>> name_ticket(ttr.load_map("nordic").ticket("Bergen", "Narvik"))
    'Bergen – Narvik 16'
    """
    if ticket is None:
        return "unknown ticket"
    ends = ", ".join(f"{isolate(place.name)} {points}" for place, points in ticket.destinations)
    return f"{isolate(ticket.origin.name)} – {ends}"
