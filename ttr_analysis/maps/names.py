"""Finding things by name, however people write it: without case and accents, with hyphens, dashes or blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeVar

from ttr_analysis._errors import UnknownNameError, nearest

T = TypeVar("T")

# Letters that Unicode does not decompose into a letter and a mark.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_APART: Final = re.compile(r"[\s\N{HYPHEN-MINUS}\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]+")
"""What stands between words: blanks, hyphens and dashes of all kinds."""
_UNHEARD: Final = re.compile("[.,;:()'’\u2068\u2069]")
"""What is printed with names and may be left out."""
SAINT: Final = re.compile(r"\b(?:saint|sainte|sankt|ste)\b")
_TRACK: Final = re.compile(r"\btrack (\d)|\bcopy (\d)|/(\d)")


@lru_cache(maxsize=4096)  # letters of lines as they are typed, again and again
def fold(name: str) -> str:
    """
    Return a name as names are compared.

    Case, accents, kinds of hyphens and dashes, blanks and the spelling of
    "Saint" do not matter.

    Examples
    --------
    >>> fold("København") == fold("KOBENHAVN")
    True
    >>> fold("Tromsø"), fold("Sault Ste. Marie"), fold("La Chaux–de Fonds")
    ('tromso', 'sault st marie', 'la chaux de fonds')
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    heard = _APART.sub(" ", _UNHEARD.sub("", plain)).strip()
    # A name of signs alone is known by them.
    return SAINT.sub("st", heard) or " ".join(plain.split())


class NameIndex(Generic[T]):
    """
    Things by name.

    Parameters
    ----------
    items
        Pairs of a name and the thing it names.
    """

    def __init__(self, items: Iterable[tuple[str, T]]) -> None:
        self._exact = dict(items)
        self._folded = {fold(name): name for name in self._exact}

    def __contains__(self, name: str) -> bool:
        """Return whether something has a name."""
        return name in self._exact or fold(name) in self._folded

    def near(self, name: str) -> list[str]:
        """Return the names that look most like a wrong one."""
        return [self._folded[match] for match in nearest(fold(name), self._folded)]

    def find(self, what: str, name: object) -> T:
        """
        Return the thing with a name.

        Parameters
        ----------
        what
            What is looked for, for the message.
        name
            Its name, as `fold` compares them; anything but text is an error.

        Raises
        ------
        UnknownNameError
            If there is none; the message names the nearest ones.
        """
        if not isinstance(name, str):
            msg = f"the name of a {what} is text, got {name!r}"
            raise TypeError(msg)
        if name in self._exact:
            return self._exact[name]
        known = self._folded.get(fold(name))
        if known is None:
            raise UnknownNameError(what, name, self.near(name))
        return self._exact[known]


@dataclass(frozen=True, slots=True)
class Link(Generic[T]):
    """
    A thing that joins named ends, and how it may be called.

    Parameters
    ----------
    thing
        What is named.
    id
        Its own name, which no other thing has.
    heads
        Names of its ends, in every order and number that may stand first.
    words
        What may follow, to tell it from others with the same ends.
    """

    thing: T
    id: str
    heads: tuple[tuple[str, ...], ...]
    words: str


class LinkIndex(Generic[T]):
    """
    Things that join named ends, by whatever is printed of them.

    "København–Murmansk", "murmansk to kobenhavn 24" and the id name the same.

    Parameters
    ----------
    what
        What they are, for messages.
    links
        The things.
    is_end
        Whether a name is that of an end, of one that nothing joins too.
    """

    def __init__(self, what: str, links: Iterable[Link[T]], is_end: Callable[[str], bool]) -> None:
        self._what = what
        self._links = tuple(links)
        self._is_end = is_end
        self._by_id = {link.id: link.thing for link in self._links}
        self._words = {link.id: frozenset(_plain(link.words).split()) for link in self._links}
        self._by_head: dict[str, list[Link[T]]] = {}
        self._offers: dict[str, str] = {}
        for link in self._links:
            forms = {_plain(link.id): link.id}
            for head in link.heads:
                forms |= {_plain(joint.join(head)): "-".join(head) for joint in (" to ", "-")}
            for form, offer in forms.items():
                self._by_head.setdefault(form, []).append(link)
                self._offers.setdefault(form, offer)

    def find(self, text: str) -> tuple[T, ...]:
        """
        Return all things that a text can mean.

        Raises
        ------
        UnknownNameError
            If there is none; the message names the nearest ones.
        """
        if text in self._by_id:
            return (self._by_id[text],)
        words = _plain(text).split()
        for n in range(len(words), 0, -1):
            named = self._by_head.get(" ".join(words[:n]), ())
            meant = [link for link in named if self._words[link.id].issuperset(words[n:])]
            if n < len(words):  # what is printed whole begins with its first end
                meant = [link for link in meant if words[0] == fold(link.heads[0][0]).split()[0]] or meant
            if meant:
                return tuple(link.thing for link in meant)
        raise UnknownNameError(self._what, text, self._near(text))

    def _near(self, text: str) -> list[str]:
        """Return what may have been meant: what there is at an end that is named, else what looks alike."""
        ends = [text] if self._is_end(text) else []
        for cut in _APART.finditer(text):
            pair = text[: cut.start()], text[cut.end() :]
            ends += pair if all(map(self._is_end, pair)) else ()
        for end in ends:
            pairs = dict.fromkeys(head for link in self._links for head in link.heads if len(head) > 1)
            if here := ["-".join(pair) for pair in pairs if fold(pair[0]) == fold(end)]:
                return here
        alike = nearest(_plain(text), self._offers, 6)
        return list(dict.fromkeys(self._offers[form] for form in alike))[:3]


def _plain(text: str) -> str:
    """Return a text as links are compared: folded, and a track or copy as a word of its own."""
    return " ".join(_TRACK.sub(_track_word, fold(text)).split())


def _track_word(found: re.Match[str]) -> str:
    track, copy, number = found.groups()
    return f" /{track or number or int(copy) - 1}"
