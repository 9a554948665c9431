"""A map as a NetworkX multigraph, and files of it for class."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import networkx as nx

from ttr_analysis.maps.reading import write_atomically

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap

GraphFile = Literal["graphml", "adjacency", "edges"]
"""What a graph is written as."""


def build_graph(game_map: GameMap) -> nx.MultiGraph[str]:
    """
    Return a map as a frozen multigraph: a node a city, an edge a track.

    Parameters
    ----------
    game_map
        The map.

    Returns
    -------
    G
        Nodes are city names with `lat`, `lon` (degrees), `x`, `y` (board
        units) and `country`. Edge keys are tracks 0 and 1. Edges have `id`,
        `length` (trains), `color` ("gray" = any), `double`, `tunnel`,
        `ferry` (number of locomotive symbols), `locomotives_allowed`, `toll`
        (tokens), `swap_size` (cards) and `points`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> G = build_graph(ttr.load_map("nordic"))
    >>> G.number_of_nodes(), G.number_of_edges()
    (39, 81)
    >>> G.edges["Helsinki", "Stockholm", 0]["ferry"], G.edges["Helsinki", "Stockholm", 1]["ferry"]
    (2, 1)
    """
    G: nx.MultiGraph[str] = nx.MultiGraph(name=game_map.title)
    for city in game_map.cities:
        G.add_node(city.name, lat=city.lat, lon=city.lon, x=city.x, y=city.y, country=city.country)
    for route in game_map.routes:
        a, b = route.cities
        G.add_edge(
            a,
            b,
            key=route.track,
            id=route.id,
            length=route.length,
            color=route.color,
            double=game_map.twin(route) is not None,
            tunnel=route.tunnel,
            ferry=route.locomotives,
            locomotives_allowed=route.locomotives_allowed,
            toll=route.toll,
            swap_size=route.swap_size,
            points=route.points,
        )
    nx.freeze(G)
    return G


def export_graph(game_map: GameMap, path: str | os.PathLike[str], *, kind: GraphFile = "graphml") -> None:
    """
    Write the graph of a map to a file that other programs read.

    Parameters
    ----------
    game_map
        The map.
    path
        The file.
    kind
        "graphml" with all attributes (Gephi, yEd, Cytoscape), "adjacency": a
        CSV matrix of the fewest trains of a route between each two cities,
        empty where there is none, or "edges": a CSV table, one row per track.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    writers = {"graphml": _graphml, "adjacency": _adjacency, "edges": _edges}
    if kind not in writers:
        msg = f"kind is one of {', '.join(writers)}, got {kind!r}"
        raise ValueError(msg)
    write_atomically(path, writers[kind](game_map))


def _graphml(game_map: GameMap) -> str:
    return "\n".join(nx.generate_graphml(nx.MultiGraph(build_graph(game_map)), edge_id_from_attribute="id"))


def _adjacency(game_map: GameMap) -> str:
    import pandas as pd

    names = [city.name for city in game_map.cities]
    matrix = pd.DataFrame(index=names, columns=names, dtype="object")
    for route in sorted(game_map.routes, key=lambda r: -r.length):
        a, b = route.cities
        matrix.loc[a, b] = matrix.loc[b, a] = route.length
    return matrix.to_csv()


def _edges(game_map: GameMap) -> str:
    return game_map.tables.routes.to_csv(index=False)
