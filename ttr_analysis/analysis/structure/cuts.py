"""What cuts a map in two: bridges, cut cities, minimum cuts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import networkx as nx

from ttr_analysis._display import render_html
from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis._ends import End, end_cities
from ttr_analysis.analysis.structure.graphs import counted_routes, pair_graph
from ttr_analysis.maps.model import GameMap, Route, Ticket

Counting = Literal["tracks", "pairs"]
"""
What is counted: "tracks", each of a double route by itself (as when both are
open to all), or "pairs" of cities, with all tracks between them at once (as
when the first claim closes the second track).
"""

_START = "\0start"
_GOAL = "\0goal"


@dataclass(frozen=True, slots=True)
class Cut:
    """
    Routes without which there is no way between two places.

    Parameters
    ----------
    routes
        The routes, in the order of the map; all tracks of a double route.
    size
        How many they are, counted in `by`.
    by
        "tracks" or "pairs".
    side
        Names of the cities on the side of the first place, in the order of
        the map.
    """

    routes: tuple[Route, ...]
    size: int
    by: Counting
    side: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the size and the routes."""
        return f"<Cut of {self.size} {self.by}: {', '.join(route.id for route in self.routes)}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def minimum_cut(game_map: GameMap, a: End | Ticket, b: End | None = None, *, by: Counting = "tracks") -> Cut:
    """
    Return the fewest routes without which two places are not joined.

    By Menger's theorem their number is that of the ways between the places
    that share no track (or no pair of cities).

    Parameters
    ----------
    game_map
        The map. Border points count: they are ends, never on the way.
    a, b
        Cities, border points, or countries, which are cut off only at all
        border points; or a ticket alone, cut off from all its destinations.
    by
        Count "tracks", or "pairs" of cities with all tracks between them.

    Returns
    -------
    cut
        Of several, the one nearest to `b`.

    Raises
    ------
    UnknownNameError
        If a place or the way of counting does not exist.
    ValueError
        If the two places share a city, or only one place is given.

    Notes
    -----
    Maximum flow by NetworkX.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> minimum_cut(nordic, "Helsinki", "Bergen")
    <Cut of 4 tracks: Bergen-Oslo/0, Bergen-Oslo/1, Bergen-Stavanger/0, Bergen-Åndalsnes/0>
    >>> minimum_cut(nordic, nordic.ticket("København", "Murmansk"), by="pairs")
    <Cut of 2 pairs: Kirkenes-Murmansk/0, Lieksa-Murmansk/0>
    """
    _check_counting(by)
    starts, goals = _two_ends(game_map, a, b)
    if shared := sorted(set(starts) & set(goals)):
        msg = f"nothing cuts a place off from itself: both have {', '.join(shared)}"
        raise ValueError(msg)
    G: nx.Graph[str] = nx.Graph()
    for x, y, data in pair_graph(game_map, borders=True).edges(data=True):
        G.add_edge(x, y, capacity=data["n_tracks"] if by == "tracks" else 1)
    nx.add_star(G, [_START, *starts])  # no capacity: cannot be cut
    nx.add_star(G, [_GOAL, *goals])
    size, (side, _) = nx.minimum_cut(G, _START, _GOAL)
    return Cut(
        routes=tuple(route for route in game_map.routes if len(side.intersection(route.cities)) == 1),
        size=int(size),
        by=by,
        side=tuple(city.name for city in game_map.cities if city.name in side),
    )


def edge_connectivity(game_map: GameMap, a: End | Ticket, b: End | None = None, *, by: Counting = "tracks") -> int:
    """
    Return how many routes must be lost before two places are not joined.

    Parameters
    ----------
    game_map, a, b, by
        As for `minimum_cut`.

    Returns
    -------
    n_routes
        The size of a minimum cut.

    Raises
    ------
    UnknownNameError, ValueError
        As for `minimum_cut`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> edge_connectivity(nordic, "Oslo", "Stockholm"), edge_connectivity(nordic, "Oslo", "Stockholm", by="pairs")
    (7, 5)
    """
    return minimum_cut(game_map, a, b, by=by).size


def bridges(game_map: GameMap, *, by: Counting = "tracks", borders: bool = True) -> tuple[Route, ...]:
    """
    Return the routes whose loss cuts the map in two.

    Parameters
    ----------
    game_map
        The map.
    by
        "tracks": routes that cut the map alone, never a track of a double
        route. "pairs": also all tracks between two cities that only they
        join.
    borders
        Whether the routes to border points count; each of them is a bridge.

    Returns
    -------
    routes
        In the order of the map.

    Raises
    ------
    UnknownNameError
        If there is no such way of counting.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> bridges(ttr.load_map("nordic"))
    ()
    >>> len(bridges(ttr.load_map("switzerland")))
    17
    """
    _check_counting(by)
    pairs = {frozenset(pair) for pair in nx.bridges(pair_graph(game_map, borders=borders))}
    return tuple(
        route
        for route in counted_routes(game_map, borders=borders)
        if frozenset(route.cities) in pairs and (by == "pairs" or game_map.twin(route) is None)
    )


def cut_cities(game_map: GameMap, *, borders: bool = False) -> tuple[str, ...]:
    """
    Return the cities without which the map falls apart (articulation points).

    Parameters
    ----------
    game_map
        The map.
    borders
        Whether border points count: then every city with a route to one is a
        cut city.

    Returns
    -------
    cities
        Their names, in the order of the map.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> cut_cities(ttr.load_map("nordic"))
    ()
    """
    cuts = set(nx.articulation_points(pair_graph(game_map, borders=borders)))
    return tuple(city.name for city in game_map.cities if city.name in cuts)


def _two_ends(game_map: GameMap, a: End | Ticket, b: End | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the cities of both ends; those of all destinations of a ticket."""
    if isinstance(a, Ticket):
        if b is not None:
            msg = f"a ticket has both its ends, got {b!r} too"
            raise ValueError(msg)
        (ticket,) = game_map.resolve_tickets([a])
        return ticket.origin.cities, tuple(city for place, _ in ticket.destinations for city in place.cities)
    if b is None:
        msg = f"expected two places or a ticket, got {a!r} alone"
        raise ValueError(msg)
    return end_cities(game_map, a), end_cities(game_map, b)


def _check_counting(by: str) -> None:
    allowed = get_args(Counting)
    if by not in allowed:
        raise UnknownNameError("way of counting", by, nearest(str(by), allowed), allowed)
