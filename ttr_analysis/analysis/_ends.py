"""What users name in questions about a map: the ends of a way, and routes closed or owned."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ttr_analysis.maps.model import City, GameMap, Place, Route, RouteLike
from ttr_analysis.maps.names import NameIndex

End = str | City | Place
"""A city, a country (any of its border points) or a border point, or the name of one."""


def end_cities(game_map: GameMap, end: End) -> tuple[str, ...]:
    """
    Return the names of the cities that an end stands for.

    Parameters
    ----------
    game_map
        The map.
    end
        A city, a border point, or a country: all its border points.

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message names the nearest ones.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> end_cities(ttr.load_map("switzerland"), "austria")
    ('Austria via Davos', 'Austria via St. Gallen', 'Austria via Vaduz')
    >>> end_cities(ttr.load_map("nordic"), "tromso")
    ('Tromsø',)
    """
    name = end.name if isinstance(end, City | Place) else end
    return _end_index(game_map).find("city or country", name)


@lru_cache(maxsize=32)
def _end_index(game_map: GameMap) -> NameIndex[tuple[str, ...]]:
    cities = [(city.name, (city.name,)) for city in game_map.cities]
    return NameIndex([*cities, *((place.name, place.cities) for place in game_map.places)])


def closed_and_owned(
    game_map: GameMap, closed: Iterable[RouteLike], owned: Iterable[RouteLike]
) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
    """
    Return the routes that cannot be used and those that cost nothing.

    Parameters
    ----------
    game_map
        The map.
    closed, owned
        Routes, route ids, or pairs of cities (all tracks between them).

    Raises
    ------
    UnknownNameError
        If something named is not on the map.
    ValueError
        If a route is named as both.
    """
    shut, own = game_map.resolve_routes(closed), game_map.resolve_routes(owned)
    if both := [route.id for route in own if route in shut]:
        msg = f"a route is either closed or owned, got both for {', '.join(both)}"
        raise ValueError(msg)
    return shut, own
