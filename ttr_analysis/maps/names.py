"""Finding things by name, whatever the case and accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Generic, TypeVar

from ttr_analysis._errors import UnknownNameError, nearest

T = TypeVar("T")

# Letters that Unicode does not decompose into a letter and a mark.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"})


@lru_cache(maxsize=4096)  # letters of lines as they are typed, again and again
def fold(name: str) -> str:
    """
    Return a name without case, accents and superfluous blanks.

    Examples
    --------
    >>> fold("København") == fold("KOBENHAVN")
    True
    >>> fold("Tromsø"), fold("Åndalsnes"), fold("Liège")
    ('tromso', 'andalsnes', 'liege')
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


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

    def find(self, what: str, name: object) -> T:
        """
        Return the thing with a name.

        Parameters
        ----------
        what
            What is looked for, for the message.
        name
            Its name, in any case, with accents or without; anything but text is an error.

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
            candidates = [self._folded[match] for match in nearest(fold(name), self._folded)]
            raise UnknownNameError(what, name, candidates)
        return self._exact[known]
