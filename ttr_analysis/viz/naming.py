"""Routes and tickets in words, as people read them on a picture."""

from __future__ import annotations

import unicodedata
from typing import Final

from ttr_analysis._words import counted
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.maps.model import Route, Ticket

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolate(name: str) -> str:
    """
    Return a name that leaves the direction of the words around it alone.

    Examples
    --------
    >>> isolate("Oslo"), len(isolate("תל אביב"))
    ('Oslo', 9)
    """
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name):
        return f"{_ISOLATE}{name}{_END}"
    return name


def name_route(route: Route) -> str:
    """
    Return a route by its cities, color and length.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> name_route(ttr.load_map("nordic").route("Murmansk", "Lieksa"))
    'Lieksa – Murmansk (gray, 9)'
    """
    a, b = map(isolate, route.cities)
    return f"{a} – {b} ({route.color}, {route.length})"


def name_ticket(ticket: Ticket | None) -> str:
    """
    Return a ticket by its places and points; None is one that a record does not know.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> name_ticket(ttr.load_map("nordic").ticket("Bergen", "Narvik"))
    'Bergen – Narvik 16'
    """
    if ticket is None:
        return "unknown ticket"
    ends = ", ".join(f"{isolate(place.name)} {points}" for place, points in ticket.destinations)
    return f"{isolate(ticket.origin.name)} – {ends}"


def describe_route(route: Route) -> str:
    """
    Return all that a route is, in words.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> describe_route(ttr.load_map("nordic").route("Oslo", "Aalborg"))
    'Aalborg – Oslo, 3 white, ferry (1 locomotive)'
    """
    words = [" – ".join(map(isolate, route.cities)), f"{route.length} {route.color}"]
    if route.tunnel:
        words.append("tunnel")
    if route.locomotives:
        words.append(f"ferry ({counted(route.locomotives, LOCOMOTIVE)})")
    if route.toll:
        words.append(f"toll {route.toll}")
    return ", ".join(words)
