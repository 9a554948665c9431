"""The two graphs of a map that the measures are taken on."""

from __future__ import annotations

import networkx as nx

from ttr_analysis.maps.model import GameMap, Route


def counted_routes(game_map: GameMap, *, borders: bool) -> tuple[Route, ...]:
    """Return the routes that count: without `borders`, none to a border point."""
    left_out = set() if borders else set(game_map.border_points)
    return tuple(route for route in game_map.routes if not left_out.intersection(route.cities))


def counted_cities(game_map: GameMap, *, borders: bool) -> tuple[str, ...]:
    """
    Return the names of the cities that count, in the order of the map.

    Raises
    ------
    ValueError
        If no city counts.
    """
    left_out = set() if borders else set(game_map.border_points)
    cities = tuple(city.name for city in game_map.cities if city.name not in left_out)
    if not cities:
        msg = f"map {game_map.name} has only border points: nothing is left without them, ask with borders=True"
        raise ValueError(msg)
    return cities


def track_graph(game_map: GameMap, *, borders: bool) -> nx.MultiGraph[str]:
    """
    Return the map with an edge for each track.

    Parameters
    ----------
    game_map
        The map.
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
    G: nx.MultiGraph[str] = nx.MultiGraph()
    G.add_nodes_from(counted_cities(game_map, borders=borders))
    for route in counted_routes(game_map, borders=borders):
        G.add_edge(*route.cities, key=route.id, length=route.length)
    return G


def pair_graph(game_map: GameMap, *, borders: bool) -> nx.Graph[str]:
    """
    Return the map with an edge for each two cities that a route joins.

    Parameters
    ----------
    game_map
        The map.
    borders
        Whether border points count.

    Returns
    -------
    G
        Edges have `length` (trains of the shortest track) and `n_tracks`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> G = pair_graph(ttr.load_map("nordic"), borders=True)
    >>> G.number_of_edges(), G.edges["Kristiansand", "Stavanger"]
    (67, {'length': 2, 'n_tracks': 2})
    """
    G: nx.Graph[str] = nx.Graph()
    G.add_nodes_from(counted_cities(game_map, borders=borders))
    for route in counted_routes(game_map, borders=borders):
        a, b = route.cities
        if G.has_edge(a, b):
            G.edges[a, b]["length"] = min(route.length, G.edges[a, b]["length"])
            G.edges[a, b]["n_tracks"] += 1
        else:
            G.add_edge(a, b, length=route.length, n_tracks=1)
    return G
