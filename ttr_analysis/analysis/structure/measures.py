"""Cuts, bridges, effective resistance and spanning trees, and the two graphs on which they are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import networkx as nx
import pandas as pd

from ttr_analysis._display import render_html
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis._ends import End, end_cities, tickets_or_joins
from ttr_analysis.maps.forms import build_simple_graph
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, Ticket, TicketLike


def counted_routes(game_map: MapLike, *, borders: bool) -> tuple[Route, ...]:
    """Return the routes that count: without `borders`, none to a border point."""
    game_map = as_map(game_map)
    left_out = set() if borders else set(game_map.border_points)
    return tuple(route for route in game_map.routes if not left_out.intersection(route.cities))


def counted_cities(game_map: MapLike, *, borders: bool) -> tuple[str, ...]:
    """
    Return the names of the cities that count, in the order of the map.

    Raises
    ------
    ValueError
        If no city counts.
    """
    game_map = as_map(game_map)
    left_out = set() if borders else set(game_map.border_points)
    cities = tuple(city.name for city in game_map.cities if city.name not in left_out)
    if not cities:
        msg = f"map {game_map.name} has only border points: nothing is left without them, ask with borders=True"
        raise ValueError(msg)
    return cities


def track_graph(game_map: MapLike, *, borders: bool) -> nx.MultiGraph[str]:
    """
    Return the map with an edge for each track.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points count.

    Returns
    -------
    G
        Edge keys are route ids; edges have `length` (trains).

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> G = track_graph(ttr.load_map("switzerland"), borders=False)
    >>> G.number_of_nodes(), G.number_of_edges()
    (34, 71)
    """
    game_map = as_map(game_map)
    G: nx.MultiGraph[str] = nx.MultiGraph()
    G.add_nodes_from(counted_cities(game_map, borders=borders))
    for route in counted_routes(game_map, borders=borders):
        G.add_edge(*route.cities, key=route.id, length=route.length)
    return G


def pair_graph(game_map: MapLike, *, borders: bool) -> nx.Graph[str]:
    """
    Return the map with an edge for each two cities that a route joins.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points count.

    Returns
    -------
    G
        As `GameMap.simple_graph`, but for the border points.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> G = pair_graph(ttr.load_map("nordic"), borders=True)
    >>> G.number_of_edges(), G.edges["Kristiansand", "Stavanger"]
    (67, {'length': 2, 'n_tracks': 2, 'n_spaces': 5})
    """
    game_map = as_map(game_map)
    cities = map(game_map.city, counted_cities(game_map, borders=borders))
    return build_simple_graph(game_map.title, cities, counted_routes(game_map, borders=borders))


# -- what cuts a map in two ----------------------------------------------------------------------------------------

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


def minimum_cut(game_map: MapLike, a: End | TicketLike, b: End | None = None, *, by: Counting = "tracks") -> Cut:
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
        border points; or a ticket alone, cut off from all its destinations;
        or the two places as a pair.
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
    game_map = as_map(game_map)
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


def edge_connectivity(game_map: MapLike, a: End | TicketLike, b: End | None = None, *, by: Counting = "tracks") -> int:
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
    game_map = as_map(game_map)
    return minimum_cut(game_map, a, b, by=by).size


def bridges(game_map: MapLike, *, by: Counting = "tracks", borders: bool = False) -> tuple[Route, ...]:
    """
    Return the routes whose loss cuts the map in two.

    Parameters
    ----------
    game_map
        The map, or its name.
    by
        "tracks": routes that cut the map alone, never a track of a double
        route. "pairs": also all tracks between two cities that only they
        join.
    borders
        Whether the routes to border points count; each of them is a bridge.
        As everywhere here, they do not unless asked for.

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
    >>> switzerland = ttr.load_map("switzerland")
    >>> len(bridges(switzerland)), len(bridges(switzerland, borders=True))
    (0, 17)
    """
    game_map = as_map(game_map)
    _check_counting(by)
    pairs = {frozenset(pair) for pair in nx.bridges(pair_graph(game_map, borders=borders))}
    return tuple(
        route
        for route in counted_routes(game_map, borders=borders)
        if frozenset(route.cities) in pairs and (by == "pairs" or game_map.twin(route) is None)
    )


def cut_cities(game_map: MapLike, *, borders: bool = False) -> tuple[str, ...]:
    """
    Return the cities without which the map falls apart (articulation points).

    Parameters
    ----------
    game_map
        The map, or its name.
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
    game_map = as_map(game_map)
    cuts = set(nx.articulation_points(pair_graph(game_map, borders=borders)))
    return tuple(city.name for city in game_map.cities if city.name in cuts)


def _two_ends(game_map: GameMap, a: End | TicketLike, b: End | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the cities of both ends; those of all destinations of a ticket."""
    if b is None:
        (ticket,) = tickets_or_joins(game_map, [a])
        return ticket.origin.cities, tuple(city for place, _ in ticket.destinations for city in place.cities)
    if isinstance(a, Ticket | tuple):
        msg = f"a ticket has both its ends, got {b!r} too"
        raise ValueError(msg)  # noqa: TRY004 - it is the number of ends that is wrong
    return end_cities(game_map, a), end_cities(game_map, b)


def _check_counting(by: str) -> None:
    allowed = get_args(Counting)
    if by not in allowed:
        raise UnknownNameError.among("way of counting", by, allowed)


# -- effective resistance ------------------------------------------------------------------------------------------

Conductance = Literal["inverse_length", "length"]


def effective_resistance(game_map: MapLike, a: End, b: End, *, conductance: Conductance = "inverse_length") -> float:
    """
    Return the effective resistance between two places.

    Every track is a wire whose resistance is its length, so that its
    *conductance* is 1/length. In a row resistances add up, side by side
    conductances: the result is the length of the way if there is only one,
    and less with every other way, also with the second track of a double
    route. It is the better guide to how hard two cities are to join, the
    more ways the other players may take.

    Parameters
    ----------
    game_map
        The map. All its routes count, border routes too; as dead ends they
        change nothing between other cities.
    a, b
        Cities, border points, or countries: all border points of a country
        joined to one terminal, as any of them will do.
    conductance
        "inverse_length", or "length" to compare with the figures published in
        [1]_, whose program takes lengths for conductances, which makes long
        routes easy.

    Returns
    -------
    resistance
        In trains; in 1/trains for "length". 0 between a place and itself.

    Raises
    ------
    UnknownNameError
        If a place or the conductance does not exist.
    ValueError
        If two different places share a city.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride", FDG 2020.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> round(effective_resistance(nordic, "Bergen", "Oslo"), 3)
    1.167
    """
    game_map = as_map(game_map)
    starts, goals = end_cities(game_map, a), end_cities(game_map, b)
    _check_conductance(conductance)
    if set(starts) == set(goals):
        return 0.0
    if shared := sorted(set(starts) & set(goals)):
        msg = f"the two places share {', '.join(shared)}"
        raise ValueError(msg)
    G = track_graph(game_map, borders=True)
    start, goal = starts[0], goals[0]
    joined = dict.fromkeys(starts, start) | dict.fromkeys(goals, goal)
    merged: nx.MultiGraph[str] = nx.MultiGraph()
    for u, v, data in G.edges(data=True):
        merged.add_edge(joined.get(u, u), joined.get(v, v), length=data["length"])
    inverse = conductance == "inverse_length"
    resistance: Any = nx.resistance_distance(merged, start, goal, weight="length", invert_weight=inverse)
    return float(resistance)


def resistance_matrix(
    game_map: MapLike, *, conductance: Conductance = "inverse_length", borders: bool = False
) -> pd.DataFrame:
    """
    Return the effective resistance between every two cities.

    Parameters
    ----------
    game_map
        The map, or its name.
    conductance
        As for `effective_resistance`.
    borders
        Whether border points have rows and columns; not unless asked for,
        though they have in `ttr.paths.distance_matrix`: tickets lead there.

    Returns
    -------
    matrix
        Rows and columns are cities in the order of the map; in trains, in
        1/trains for "length".

    Raises
    ------
    UnknownNameError
        If there is no such conductance.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> matrix = resistance_matrix(ttr.load_map("nordic"))
    >>> round(float(matrix.loc["Bergen", "Oslo"]), 3)
    1.167
    """
    game_map = as_map(game_map)
    _check_conductance(conductance)
    G = track_graph(game_map, borders=borders)
    resistance: Any = nx.resistance_distance(G, weight="length", invert_weight=conductance == "inverse_length")
    return pd.DataFrame(resistance).loc[list(G), list(G)]


def _check_conductance(conductance: str) -> None:
    allowed = get_args(Conductance)
    if conductance not in allowed:
        raise UnknownNameError.among("conductance", conductance, allowed)


# -- the minimum spanning tree of a map ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpanningTree:
    """
    Routes that join all cities without a loop.

    Parameters
    ----------
    routes
        Its routes, in the order of the map: one fewer than cities.
    """

    routes: tuple[Route, ...]

    @property
    def length(self) -> int:
        """Trains on all its routes."""
        return sum(route.length for route in self.routes)

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<SpanningTree: {len(self.routes)} routes, {self.length} trains>"

    def _repr_html_(self) -> str:
        return render_html(self)


def minimum_spanning_tree(game_map: MapLike, *, borders: bool = False) -> SpanningTree:
    """
    Return the spanning tree with the fewest trains.

    It joins all cities, so it answers a question that no player has; but it
    shows which routes are cheap where they are, and every city's shortest
    route is in a minimum spanning tree.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points must be joined too; not unless asked for, as
        everywhere here.

    Returns
    -------
    tree
        Of several, the one of the routes that come first: routes of equal
        length are taken in the order of the map (Kruskal's algorithm).

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> minimum_spanning_tree(ttr.load_map("nordic"))
    <SpanningTree: 38 routes, 71 trains>
    """
    game_map = as_map(game_map)
    routes = counted_routes(game_map, borders=borders)
    G: nx.MultiGraph[str] = nx.MultiGraph()
    for place, route in enumerate(routes):
        # No two ranks are equal, so there is only one minimum.
        G.add_edge(*route.cities, key=route.id, rank=route.length * len(routes) + place)
    ids = {key for _, _, key in nx.minimum_spanning_edges(G, weight="rank", keys=True, data=False)}
    return SpanningTree(tuple(route for route in routes if route.id in ids))
