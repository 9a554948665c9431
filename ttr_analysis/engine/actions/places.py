"""Where on the board an action takes something."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ttr_analysis.engine.actions.build_station import BuildStation
from ttr_analysis.engine.actions.claim_route import ClaimRoute

if TYPE_CHECKING:
    from ttr_analysis.engine.actions.table import Action
    from ttr_analysis.maps.model import City, Route


class Places(NamedTuple):
    """The routes that a seat claims, and the cities in which it builds stations."""

    routes: tuple[Route, ...] = ()
    cities: tuple[City, ...] = ()


def places_of(action: Action | None) -> Places:
    """
    Return what an action takes on the board: nothing, unless it claims or builds.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> claim = ttr.actions.ClaimRoute(route, ttr.payments.from_cards(route, {"red": 9}))
    >>> [route.id for route in places_of(claim).routes]
    ['Lieksa-Murmansk/0']
    >>> any(places_of(ttr.actions.DrawCard()))
    False
    """
    match action:
        case ClaimRoute(route):
            return Places(routes=(route,))
        case BuildStation(city):
            return Places(cities=(city,))
    return Places()
