"""
A map as flat arrays.

Compiled code sees cities, routes, places and tickets as the indices of these
arrays. All differences between maps end here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis.cards import ROUTE_COLORS
from ttr_analysis.maps.model import GameMap, Place, Ticket

Ints = npt.NDArray[np.int64]


class MapTables(NamedTuple):
    """
    A map as arrays of int64. Indices follow the order in the map.

    Parameters
    ----------
    ends
        Cities at the two ends of each route, shape (routes, 2).
    length, color, tunnel, locomotives, locomotives_allowed, swap_size, swap_any, toll, points
        Of each route. Colors count as in `ROUTE_COLORS`: gray is 8; flags are
        0 or 1; `swap_any` is 1 where sets may fill any space.
    twin
        The other track of each double route, or -1.
    place_cities
        1 where a place contains a city, shape (places, cities).
    ticket_origin
        Place at which each ticket begins.
    ticket_start
        Where the destinations of each ticket begin in the next two, with the
        end of the last: shape (tickets + 1,).
    ticket_place, ticket_points
        Place and points of each destination of each ticket.
    """

    ends: Ints
    length: Ints
    color: Ints
    tunnel: Ints
    locomotives: Ints
    locomotives_allowed: Ints
    swap_size: Ints
    swap_any: Ints
    toll: Ints
    points: Ints
    twin: Ints
    place_cities: Ints
    ticket_origin: Ints
    ticket_start: Ints
    ticket_place: Ints
    ticket_points: Ints


class TicketTables(NamedTuple):
    """Tickets as arrays, described at `MapTables`."""

    origin: Ints
    start: Ints
    place: Ints
    points: Ints


@lru_cache(maxsize=32)
def map_tables(game_map: GameMap) -> MapTables:
    """
    Return the arrays of a map; made once for each map.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tables = map_tables(ttr.load_map("nordic"))
    >>> int(tables.length.sum()), tables.ends.shape
    (207, (81, 2))
    """
    city = {city.name: i for i, city in enumerate(game_map.cities)}
    route = {route.id: i for i, route in enumerate(game_map.routes)}
    twins = [game_map.twin(r) for r in game_map.routes]
    tickets = ticket_tables(game_map, game_map.tickets)
    place_cities = np.zeros((len(game_map.places), len(city)), dtype=np.int64)
    for i, place in enumerate(game_map.places):
        place_cities[i, [city[name] for name in place.cities]] = 1
    return MapTables(
        ends=_ints([[city[a], city[b]] for a, b in (r.cities for r in game_map.routes)]),
        length=_ints([r.length for r in game_map.routes]),
        color=_ints([ROUTE_COLORS.index(r.color) for r in game_map.routes]),
        tunnel=_ints([r.tunnel for r in game_map.routes]),
        locomotives=_ints([r.locomotives for r in game_map.routes]),
        locomotives_allowed=_ints([r.locomotives_allowed for r in game_map.routes]),
        swap_size=_ints([r.swap_size for r in game_map.routes]),
        swap_any=_ints([r.swap_fills == "any" for r in game_map.routes]),
        toll=_ints([r.toll for r in game_map.routes]),
        points=_ints([r.points for r in game_map.routes]),
        twin=_ints([-1 if twin is None else route[twin.id] for twin in twins]),
        place_cities=place_cities,
        ticket_origin=tickets.origin,
        ticket_start=tickets.start,
        ticket_place=tickets.place,
        ticket_points=tickets.points,
    )


def ticket_tables(game_map: GameMap, tickets: Sequence[Ticket]) -> TicketTables:
    """
    Return any tickets between places of a map as arrays.

    Parameters
    ----------
    game_map
        The map.
    tickets
        Tickets of the map, or home-made ones between its places.
    """
    index = {place.name: i for i, place in enumerate(game_map.places)}

    def place_index(place: Place) -> int:
        return index[place.name]

    destinations = [pair for ticket in tickets for pair in ticket.destinations]
    return TicketTables(
        origin=_ints([place_index(ticket.origin) for ticket in tickets]),
        start=np.cumsum([0, *(len(ticket.destinations) for ticket in tickets)], dtype=np.int64),
        place=_ints([place_index(place) for place, _ in destinations]),
        points=_ints([points for _, points in destinations]),
    )


def _ints(values: Sequence[int] | Sequence[Sequence[int]]) -> Ints:
    return np.array(values, dtype=np.int64)
