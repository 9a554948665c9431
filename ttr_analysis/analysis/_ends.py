"""Resolve the names that users pass to map analyses: ends, tickets, weights, and closed, owned or avoided routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.cards import GRAY
from ttr_analysis.maps.model import City, CityLike, GameMap, Place, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.maps.names import NameIndex, city_names
from ttr_analysis.tables import check_players

if TYPE_CHECKING:
    import networkx as nx

End = str | City | Place
"""A city, a country (any of its border points) or a border point, or the name of one."""
START: Final = "\0start"
GOAL: Final = "\0goal"
"""Virtual nodes connected to all cities of an end; no city has such a name."""
_SYNONYMS: Final = {"trains": "length", "routes": "hops"}


def measure_name(weight: object, measures: Sequence[str]) -> Any:  # noqa: ANN401 - one of the measures
    """Resolve a weight to one of `measures`; "trains" is a synonym of "length", and "routes" of "hops"."""
    # Compared, not looked up, since user values may not be hashable.
    measure = next((measure for synonym, measure in _SYNONYMS.items() if weight == synonym), weight)
    if measure not in measures:
        raise UnknownNameError.among("weight", weight, measures)
    return measure


def end_cities(game_map: GameMap, end: End) -> tuple[str, ...]:
    """Return the names of the cities of an end: one city, or all border points of a country."""
    name = end.name if isinstance(end, City | Place) else end
    return _end_index(game_map).find("city or country", name)


@lru_cache(maxsize=32)
def _end_index(game_map: GameMap) -> NameIndex[tuple[str, ...]]:
    cities = [(name, (city.name,)) for name, city in city_names(game_map.cities)]
    return NameIndex([*cities, *((place.name, place.cities) for place in game_map.places)])


def tickets_or_pairs(game_map: GameMap, wanted: Iterable[TicketLike | City | Place]) -> tuple[Ticket, ...]:
    """
    Return the tickets that a user named; a pair of places that is not a ticket becomes one worth 0 points.

    >>> usa = ttr.load_map("usa")
    >>> [str(ticket) for ticket in tickets_or_pairs(usa, [("miami", "boston"), ("boston", "seattle")])]
    ['Boston to Miami 12', 'Boston to Seattle 0']
    """
    if isinstance(wanted, Ticket | str):
        wanted = [wanted]
    return tuple(_ticket_or_pair(game_map, item) for item in wanted)


def _ticket_or_pair(game_map: GameMap, item: TicketLike | City | Place) -> Ticket:
    try:
        return game_map.ticket(item)
    except UnknownNameError:
        if not isinstance(item, tuple | list):
            raise
    origin, destination = map(game_map.place, item)  # may raise the error for an unknown name
    if origin == destination:
        raise ValueError(f"expected two different places, got {origin} twice")
    return Ticket(f"{origin}-{destination}", origin, ((destination, 0),))


def closed_and_owned(
    game_map: GameMap, closed: Iterable[RouteLike], owned: Iterable[RouteLike], *, n_players: int | None = None
) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
    """
    Return the routes that cannot be used, and those that cost nothing.

    If there are too few players for both tracks of a double route, closing one track closes
    the other too; with None, it does not.

    >>> closed, _ = closed_and_owned(ttr.load_map("nordic"), ["Bergen-Oslo/0"], (), n_players=2)
    >>> [route.id for route in closed]
    ['Bergen-Oslo/0', 'Bergen-Oslo/1']
    """
    closed_routes, own = game_map.resolve_routes(closed), game_map.resolve_routes(owned)
    if both := sorted({route.id for route in own} & {route.id for route in closed_routes}):
        raise ValueError(f"a route cannot be both closed and owned, got both for {', '.join(both)}")
    if closes_twin(game_map, n_players):
        pairs = {frozenset(route.cities) for route in closed_routes}
        kept = {route.id for route in own}
        closed_routes = tuple(r for r in game_map.routes if frozenset(r.cities) in pairs and r.id not in kept)
    return closed_routes, own


Avoidable = Literal["tunnels", "ferries", "gray", "tolls"] | CityLike
"""What a path can avoid: routes of a kind, or all routes of a city."""

_AVOIDED: Final[dict[str, Callable[[Route], bool]]] = {
    "tunnels": lambda route: route.tunnel,
    "ferries": lambda route: route.kind == "ferry",
    "gray": lambda route: route.color == GRAY,
    "tolls": lambda route: route.toll > 0,
}


def routes_to_avoid(game_map: GameMap, avoid: Iterable[Avoidable]) -> tuple[Route, ...]:
    """Return the routes to avoid, in the order of the map."""
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


def closes_twin(game_map: GameMap, n_players: int | None) -> bool:
    """Return whether claiming one track of a double route closes the other."""
    if n_players is None:
        return False
    check_players(game_map, n_players)
    return not game_map.rules.both_tracks_open(n_players)


def find_minimum_cut(G: nx.Graph[str], starts: Iterable[str], goals: Iterable[str]) -> tuple[int, set[str]]:
    """Return a minimum cut's size and the nodes on the side of `starts`; this adds two virtual nodes to `G`."""
    import networkx as nx

    nx.add_star(G, [START, *starts])
    nx.add_star(G, [GOAL, *goals])
    size, (side, _) = nx.minimum_cut(G, START, GOAL)
    return int(size), side


def find_cut_routes(
    game_map: GameMap, closed: Iterable[Route], starts: Iterable[str], goals: Iterable[str]
) -> tuple[Route, ...]:
    """Return a smallest set of closed routes that separates the start cities from the goal cities."""
    import networkx as nx

    closed_ids = {route.id for route in closed}
    G: nx.Graph[str] = nx.Graph()
    for route in game_map.routes:
        x, y = route.cities
        if route.id not in closed_ids:
            G.add_edge(x, y)  # an edge without capacity cannot be cut
        elif not G.has_edge(x, y):
            G.add_edge(x, y, capacity=1)
        elif "capacity" in G.edges[x, y]:
            G.edges[x, y]["capacity"] += 1
    _, near = find_minimum_cut(G, starts, goals)
    return tuple(r for r in game_map.routes if r.id in closed_ids and len(near.intersection(r.cities)) == 1)
