"""Names of routes and tickets in what the package prints, and which of them no map reads."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache

from ttr_analysis import GameMap
from ttr_analysis._errors import AmbiguousNameError, UnknownNameError

UNSEEN = re.compile(r"<(script|style)\b.*?</\1>", flags=re.DOTALL)
INLINE = re.compile(r"</?(?:b|bdi|em|i|span|strong)\b[^>]*>")
TAG = re.compile(r"<[a-zA-Z/][^>]*>")


def text_of(page: str) -> str:
    """
    Return the text of HTML, with a line for each of its parts.

    Examples
    --------
    >>> text_of("<td><bdi>Oslo</bdi>–Bergen</td><td>4</td>").split()
    ['Oslo–Bergen', '4']
    """
    return html.unescape(TAG.sub("\n", INLINE.sub("", UNSEEN.sub("", page))))


def printed_names(text: str, game_map: GameMap) -> list[tuple[str, str, str]]:
    """
    Return every name of a route or a ticket in a text: a place, a dash, and a place, even if that is cut.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> printed_names("Oslo–Bergen (gray, 4) and Narvik - Murm…", ttr.load_map("nordic"))
    [('Oslo', '–', 'Bergen'), ('Narvik', ' - ', 'Murm…')]
    """
    return _pattern(game_map).findall(text)


def unread_names(text: str, game_maps: Sequence[GameMap], *, pairs: bool = False) -> tuple[int, list[str]]:
    """
    Return how many names a text has, and those that none of its maps reads.

    With `pairs`, two cities that any dash joins are read as such, between which there need be nothing.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> unread_names("Oslo–Bergen (gray, 4) and Narvik - Murm…, Lieksa–Narvik", [nordic])
    (3, ['Lieksa–Narvik', 'Narvik - Murm…'])
    >>> unread_names("Oslo–Bergen (gray, 4) and Narvik - Murm…, Lieksa–Narvik", [nordic], pairs=True)
    (3, ['Narvik - Murm…'])
    """
    found = {(name, game_map) for game_map in game_maps for name in printed_names(text, game_map)}
    names = {"".join(parts) for parts, _ in found}
    cities = {"".join(parts) for parts, game_map in found if pairs and _are_cities(parts, game_map)}
    unread = [name for name in names - cities if not any(_is_read(name, one) for one in game_maps)]
    return len(names), sorted(unread)


@cache
def _pattern(game_map: GameMap) -> re.Pattern[str]:
    """Return what finds a place of a map, a dash, and the place or the capitalized word behind it."""
    names = {str(place) for place in (*game_map.cities, *game_map.places)}
    place = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    word = r"[^\W\da-z_][\w.…]*"
    # The second is only looked at: in a path it is the first of the next name.
    return re.compile(rf"(?<!\w)({place})(?=( ?[-–] ?)((?:{place})(?![\w…])|{word}))")


def _are_cities(parts: tuple[str, str, str], game_map: GameMap) -> bool:
    names = {city.name for city in game_map.cities}
    return parts[0] in names and parts[2] in names


@cache
def _is_read(name: str, game_map: GameMap) -> bool:
    for read in (lambda: game_map.resolve_routes([name]), lambda: game_map.ticket(name)):
        try:
            read()
        except UnknownNameError:
            continue
        except AmbiguousNameError:  # of several that are printed alike, which it names
            return True
        return True
    return False
