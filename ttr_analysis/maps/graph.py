"""A map as graphs of NetworkX, and files of it for class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import networkx as nx

from ttr_analysis._words import safe_cell
from ttr_analysis.maps.board import City, Route, double_routes

if TYPE_CHECKING:
    from ttr_analysis.maps.frames import MapFrames

GraphFile = Literal["graphml", "adjacency", "edges"]
"""What a graph is written as."""


def build_graph(title: str, cities: Iterable[City], routes: Sequence[Route]) -> nx.MultiGraph[str]:
    """
    Return a map as a frozen multigraph: a node a city, an edge a track.

    Parameters
    ----------
    title
        Name of the map, for people.
    cities, routes
        What it shows.

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
    >>> G = ttr.load_map("nordic").graph
    >>> G.number_of_nodes(), G.number_of_edges()
    (39, 81)
    >>> G.edges["Helsinki", "Stockholm", 0]["ferry"], G.edges["Helsinki", "Stockholm", 1]["ferry"]
    (2, 1)
    """
    G: nx.MultiGraph[str] = nx.MultiGraph(name=title)
    double = double_routes(routes)
    for city in cities:
        G.add_node(city.name, **_attributes(city))
    for route in routes:
        a, b = route.cities
        G.add_edge(
            a,
            b,
            key=route.track,
            id=route.id,
            length=route.length,
            color=route.color,
            double=frozenset(route.cities) in double,
            tunnel=route.tunnel,
            ferry=route.locomotives,
            locomotives_allowed=route.locomotives_allowed,
            toll=route.toll,
            swap_size=route.swap_size,
            points=route.points,
        )
    nx.freeze(G)
    return G


def build_simple_graph(title: str, cities: Iterable[City], routes: Iterable[Route]) -> nx.Graph[str]:
    """
    Return a map as a frozen simple graph: a node a city, an edge two cities that routes join.

    `nx.Graph(G)` of the multigraph keeps the track that comes last, which may
    be the longer one.

    Parameters
    ----------
    title, cities, routes
        As for `build_graph`.

    Returns
    -------
    G
        Nodes as of `build_graph`. Edges have `length` (trains of the shortest
        track), `n_tracks` and `n_spaces` (trains of all tracks together).

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> G = ttr.load_map("nordic").simple_graph
    >>> G.number_of_edges(), G.edges["Kristiansand", "Stavanger"]
    (67, {'length': 2, 'n_tracks': 2, 'n_spaces': 5})
    """
    G: nx.Graph[str] = nx.Graph(name=title)
    for city in cities:
        G.add_node(city.name, **_attributes(city))
    for route in routes:
        a, b = route.cities
        before = G.get_edge_data(a, b) or {"length": route.length, "n_tracks": 0, "n_spaces": 0}
        G.add_edge(
            a,
            b,
            length=min(route.length, before["length"]),
            n_tracks=before["n_tracks"] + 1,
            n_spaces=before["n_spaces"] + route.length,
        )
    nx.freeze(G)
    return G


def _attributes(city: City) -> dict[str, object]:
    """Return what the node of a city says."""
    return {"lat": city.lat, "lon": city.lon, "x": city.x, "y": city.y, "country": city.country}


def graph_text(kind: GraphFile, G: nx.MultiGraph[str], tables: MapFrames) -> str:
    """
    Return a map as the text of a file that other programs read.

    Parameters
    ----------
    kind
        What is written: see `GameMap.export`.
    G, tables
        The map as a graph, and as tables.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    match kind:
        case "graphml":
            return "\n".join(nx.generate_graphml(nx.MultiGraph(G), edge_id_from_attribute="id"))
        case "adjacency":
            return _adjacency(tables)
        case "edges":
            return tables.routes.map(_safe).to_csv(index=False)
    raise ValueError(f"kind is one of {', '.join(get_args(GraphFile))}, got {kind!r}")


def _adjacency(tables: MapFrames) -> str:
    import pandas as pd

    names = list(tables.cities["name"])
    matrix = pd.DataFrame(index=names, columns=names, dtype="object")
    routes = tables.routes.sort_values("length", ascending=False)
    for a, b, length in zip(routes["city_a"], routes["city_b"], routes["length"], strict=True):
        matrix.loc[a, b] = matrix.loc[b, a] = length
    return matrix.rename(index=safe_cell, columns=safe_cell).to_csv()


def _safe(value: object) -> object:
    """Return a value of a table as a spreadsheet may have it."""
    return safe_cell(value) if isinstance(value, str) else value
