"""What users name in questions about a map: ends of a way, what is to be joined, a measure, routes closed or owned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, Literal

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.cards import GRAY
from ttr_analysis.maps.model import (
    City,
    CityLike,
    GameMap,
    Place,
    Route,
    RouteLike,
    Ticket,
    TicketLike,
)
from ttr_analysis.maps.names import NameIndex, city_names
from ttr_analysis.tables import check_players

End = str | City | Place
"""A city, a country (any of its border points) or a border point, or the name of one."""
_OTHER_MEASURES: Final = {"trains": "length", "routes": "hops"}


def measure_name(weight: str) -> str:
    """
    Return the name of a measure that people call otherwise, too; any other name as it is.

    Examples
    --------
    >>> measure_name("trains"), measure_name("toll")
    ('length', 'toll')
    """
    # Compared, not looked up: what users give for a name may have no hash.
    return next((meant for other, meant in _OTHER_MEASURES.items() if weight == other), weight)


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
    cities = [(name, (city.name,)) for name, city in city_names(game_map.cities)]
    return NameIndex([*cities, *((place.name, place.cities) for place in game_map.places)])


def tickets_or_joins(game_map: GameMap, wanted: Iterable[TicketLike | City | Place]) -> tuple[Ticket, ...]:
    """
    Return the tickets that a user named; for two places without one, a home-made ticket worth nothing.

    Parameters
    ----------
    game_map
        The map.
    wanted
        Tickets, or what names them; any two places as a pair.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        If something named is not on the map, or fits several tickets.
    ValueError
        If a pair is one place twice.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> usa = ttr.load_map("usa")
    >>> [str(ticket) for ticket in tickets_or_joins(usa, [("miami", "boston"), ("boston", "seattle")])]
    ['Boston to Miami 12', 'Boston to Seattle 0']
    """
    if isinstance(wanted, Ticket | str):
        wanted = [wanted]
    return tuple(_ticket_or_join(game_map, item) for item in wanted)


def _ticket_or_join(game_map: GameMap, item: TicketLike | City | Place) -> Ticket:
    """Return the ticket that was named, or one for the two places that were."""
    try:
        return game_map.ticket(item)
    except UnknownNameError:
        if not isinstance(item, tuple | list):
            raise
    origin, destination = map(game_map.place, item)  # which may be the name that is unknown
    if origin == destination:
        msg = f"two places are to be joined, got {origin} twice"
        raise ValueError(msg)
    return Ticket(f"{origin}-{destination}", origin, ((destination, 0),))


def closed_and_owned(
    game_map: GameMap, closed: Iterable[RouteLike], owned: Iterable[RouteLike], *, n_players: int | None = None
) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
    """
    Return the routes that cannot be used and those that cost nothing.

    Parameters
    ----------
    game_map
        The map.
    closed, owned
        Routes, route ids, or pairs of cities (all tracks between them).
    n_players
        With fewer players than double routes need, the other track of a
        closed one is closed too. None: each track for itself.

    Raises
    ------
    UnknownNameError
        If something named is not on the map.
    ValueError
        If a route is named as both, or the map is not for so many players.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> closed, _ = closed_and_owned(ttr.load_map("nordic"), ["Bergen-Oslo/0"], (), n_players=2)
    >>> [route.id for route in closed]
    ['Bergen-Oslo/0', 'Bergen-Oslo/1']
    """
    shut, own = game_map.resolve_routes(closed), game_map.resolve_routes(owned)
    if both := sorted({route.id for route in own} & {route.id for route in shut}):
        msg = f"a route is either closed or owned, got both for {', '.join(both)}"
        raise ValueError(msg)
    if twins_close(game_map, n_players):
        pairs = {frozenset(route.cities) for route in shut}
        kept = {route.id for route in own}
        shut = tuple(r for r in game_map.routes if frozenset(r.cities) in pairs and r.id not in kept)
    return shut, own


Avoidable = Literal["tunnels", "ferries", "gray", "tolls"] | CityLike
"""What a path can do without: routes of a kind, or all routes of a city."""

_AVOIDED: Final[dict[str, Callable[[Route], bool]]] = {
    "tunnels": lambda route: route.tunnel,
    "ferries": lambda route: route.kind == "ferry",
    "gray": lambda route: route.color == GRAY,
    "tolls": lambda route: route.toll > 0,
}


def routes_to_avoid(game_map: GameMap, avoid: Iterable[Avoidable]) -> tuple[Route, ...]:
    """
    Return the routes that are to be avoided, in the order of the map.

    Parameters
    ----------
    game_map
        The map.
    avoid
        Any of "tunnels", "ferries", "gray", "tolls", and cities.

    Raises
    ------
    UnknownNameError
        If something is neither.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> len(routes_to_avoid(ttr.load_map("nordic"), ["tunnels", "Murmansk"]))
    12
    """
    kinds, cities = [], set()
    for what in [avoid] if isinstance(avoid, str | City) else avoid:
        kind = what.strip().lower() if isinstance(what, str) else ""
        if kind in _AVOIDED:
            kinds.append(_AVOIDED[kind])
            continue
        try:
            cities.add(game_map.city(what).name)
        except UnknownNameError as error:
            near = [*nearest(kind, _AVOIDED, 1), *error.candidates]
            raise UnknownNameError("kind of route or city to avoid", what, near, _AVOIDED) from None
    return tuple(
        route
        for route in game_map.routes
        if not cities.isdisjoint(route.cities) or any(is_kind(route) for is_kind in kinds)
    )


def twins_close(game_map: GameMap, n_players: int | None) -> bool:
    """
    Return whether the claim of one track of a double route closes the other.

    Raises
    ------
    ValueError
        If the map is not for so many players.
    """
    if n_players is None:
        return False
    check_players(game_map, n_players)
    return not game_map.rules.both_tracks_open(n_players)


def fewest_cut(
    game_map: GameMap, closed: Iterable[Route], starts: Iterable[str], goals: Iterable[str]
) -> tuple[Route, ...]:
    """
    Return the fewest closed routes that keep some cities apart from others.

    Parameters
    ----------
    game_map
        The map.
    closed
        Routes that cannot be used; without them no start is joined to a goal.
    starts, goals
        Names of cities.
    """
    import networkx as nx

    shut = {route.id for route in closed}
    G: nx.Graph[str] = nx.Graph()
    for route in game_map.routes:
        x, y = route.cities
        if route.id not in shut:
            G.add_edge(x, y)  # an edge without capacity cannot be cut
        elif not G.has_edge(x, y):
            G.add_edge(x, y, capacity=1)
        elif "capacity" in G.edges[x, y]:
            G.edges[x, y]["capacity"] += 1
    start, goal = "\0start", "\0goal"  # no city has such a name
    nx.add_star(G, [start, *starts])
    nx.add_star(G, [goal, *goals])
    _, (near, _) = nx.minimum_cut(G, start, goal)
    return tuple(r for r in game_map.routes if r.id in shut and len(near.intersection(r.cities)) == 1)
