"""Tables of cities and routes, and the map as a whole."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, get_args

import networkx as nx
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.analysis.structure.measures import (
    bridges,
    counted_routes,
    cut_cities,
    minimum_spanning_tree,
    pair_graph,
    resistance_matrix,
    track_graph,
)
from ttr_analysis.cards import ROUTE_COLORS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.rules.ruleset import RouteKind

if TYPE_CHECKING:
    from ttr_analysis.maps.model import Route


def city_table(game_map: MapLike, *, borders: bool = False) -> pd.DataFrame:
    """
    Return the place of every city in the map's graph.

    Paths are measured by *length* (trains) and by *hops* (number of routes).
    For paths a double route counts once, with its shorter track: otherwise
    each would double the number of shortest paths over it.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points count: as rows, in the degrees, and as ends of
        paths.

    Returns
    -------
    table
        One row per city, indexed by name, in the order of the map.

        `country`
        `n_tracks`: routes that end there, both tracks of a double route (the
        degree in the multigraph).
        `n_neighbors`: cities one route away (the degree in the simple graph).
        `betweenness_length`, `betweenness_hops`: the mean, over all pairs of
        other cities, of the share of their shortest paths that pass through
        the city; 0 to 1 (Freeman's betweenness, normalized).
        `closeness_length` (1/trains), `closeness_hops` (1/routes): 1 / mean
        distance to the other cities.
        `eccentricity_length` (trains), `eccentricity_hops` (routes): distance
        to the farthest city.
        `mean_resistance`: mean effective resistance to the other cities
        (trains), see `effective_resistance`; low for a city that is well
        joined by many ways.
        `is_cut_city`: whether the map falls apart without it.

    Raises
    ------
    ValueError
        If the map has only border points and they do not count.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> table = city_table(ttr.load_map("nordic"))
    >>> table.loc["Stockholm", ["n_tracks", "n_neighbors"]].tolist()
    [10, 6]
    >>> table["betweenness_length"].idxmax()
    'Sundsvall'
    """
    game_map = as_map(game_map)
    G = pair_graph(game_map, borders=borders)
    tracks = track_graph(game_map, borders=borders)
    names = list(G)
    resistance = resistance_matrix(game_map, borders=borders)
    cuts = set(cut_cities(game_map, borders=borders))
    columns: dict[str, Any] = {
        "country": {name: game_map.city(name).country for name in names},
        "n_tracks": dict(tracks.degree),
        "n_neighbors": dict(G.degree),
        "betweenness_length": nx.betweenness_centrality(G, weight="length"),
        "betweenness_hops": nx.betweenness_centrality(G),
        "closeness_length": nx.closeness_centrality(G, distance="length"),
        "closeness_hops": nx.closeness_centrality(G),
        "eccentricity_length": nx.eccentricity(G, weight="length"),
        "eccentricity_hops": nx.eccentricity(G),
        "mean_resistance": (resistance.sum() / max(1, len(names) - 1)).to_dict(),
        "is_cut_city": {name: name in cuts for name in names},
    }
    table = pd.DataFrame({column: [values[name] for name in names] for column, values in columns.items()}, index=names)
    return as_table(table, units={"eccentricity_length": "trains", "eccentricity_hops": "routes"})


_ROUTE_FIRST: Final = (
    *("length", "color", "kind", "points", "betweenness_length", "betweenness_hops", "detour", "pair_detour"),
    *("is_bridge", "resistance", "current_share"),
)
"""What a notebook shows of a route, whose id tells its cities and track."""


def route_table(game_map: MapLike, *, borders: bool = False) -> pd.DataFrame:
    """
    Return the place of every route in the map's graph.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points count: the routes to them, and paths that end
        there. As everywhere here, they do not unless asked for.

    Returns
    -------
    table
        One row per track, indexed by route id, in the order of the map.

        `city_a`, `city_b`, `track`, `length` (trains), `color`, `kind`,
        `points`
        `betweenness_length`, `betweenness_hops`: the mean, over all pairs of
        cities, of the share of their shortest paths, by trains or by number
        of routes, that use the track; 0 to 1. Equally short tracks of a
        double route share equally.
        `detour`: trains by which the shortest path between its ends grows
        when the track is lost; 0 if that path does not need it, infinite if
        there is no other.
        `pair_detour`: the same when all tracks between its ends are lost.
        `is_bridge`: whether the map falls apart without the track.
        `is_pair_bridge`: whether it does without all tracks between its ends.
        `resistance`: effective resistance between its ends (trains), see
        `effective_resistance`.
        `current_share`: resistance / length, the share of a current between
        its ends that takes the track: 1 on a bridge, near 0 where many other
        ways are as good. Also the chance that a random spanning tree has it,
        trees weighted by the product of 1/length; over all tracks the sum is
        the number of cities less 1 (Foster's theorem).
        `in_minimum_spanning_tree`: see `minimum_spanning_tree`.

    Raises
    ------
    ValueError
        If the map has only border points and they do not count.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> table = route_table(ttr.load_map("nordic"))
    >>> float(table.loc["Lieksa-Murmansk/0", "detour"]), bool(table.loc["Lieksa-Murmansk/0", "is_bridge"])
    (4.0, False)
    """
    game_map = as_map(game_map)
    routes = counted_routes(game_map, borders=borders)
    tracks = track_graph(game_map, borders=borders)
    by_length: Any = nx.edge_betweenness_centrality(tracks, weight="length")
    by_hops: Any = nx.edge_betweenness_centrality(tracks)
    share_length = {key: share for (_, _, key), share in by_length.items()}
    share_hops = {key: share for (_, _, key), share in by_hops.items()}
    matrix = resistance_matrix(game_map, borders=borders).to_dict()
    resistance = [matrix[a][b] for a, b in (route.cities for route in routes)]
    single = set(bridges(game_map, borders=borders))
    paired = set(bridges(game_map, by="pairs", borders=borders))
    tree = set(minimum_spanning_tree(game_map, borders=borders).routes)
    columns: dict[str, list[Any]] = {
        "city_a": [route.cities[0] for route in routes],
        "city_b": [route.cities[1] for route in routes],
        "track": [route.track for route in routes],
        "length": [route.length for route in routes],
        "color": [route.color for route in routes],
        "kind": [route.kind for route in routes],
        "points": [route.points for route in routes],
        "betweenness_length": [share_length[route.id] for route in routes],
        "betweenness_hops": [share_hops[route.id] for route in routes],
        "detour": [_detour(tracks, route, [route]) for route in routes],
        "pair_detour": [_detour(tracks, route, game_map.routes_between(*route.cities)) for route in routes],
        "is_bridge": [route in single for route in routes],
        "is_pair_bridge": [route in paired for route in routes],
        "resistance": resistance,
        "current_share": [r / route.length for r, route in zip(resistance, routes, strict=True)],
        "in_minimum_spanning_tree": [route in tree for route in routes],
    }
    return as_table(pd.DataFrame(columns, index=[route.id for route in routes]), _ROUTE_FIRST)


def _detour(tracks: nx.MultiGraph[str], route: Route, lost: tuple[Route, ...] | list[Route]) -> float:
    """Return by how many trains the way between a route's ends grows without some routes."""
    a, b = route.cities
    without = nx.restricted_view(tracks, [], [(*r.cities, r.id) for r in lost])
    before = nx.dijkstra_path_length(tracks, a, b, weight="length")
    try:
        return float(nx.dijkstra_path_length(without, a, b, weight="length") - before)
    except nx.NetworkXNoPath:
        return float("inf")


def spaces_table(game_map: MapLike, *, borders: bool = False) -> pd.DataFrame:
    """
    Return the car spaces of a map by color and kind of route.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether the routes to border points count; not unless asked for, as
        everywhere here.

    Returns
    -------
    table
        One row per color, gray last: `plain`, `ferry`, `tunnel` and `total`
        spaces, locomotive symbols included, and `n_routes` (tracks).

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> table = spaces_table(ttr.load_map("nordic"))
    >>> table.loc["gray"].tolist(), int(table["total"].sum())
    ([29, 8, 0, 37, 11], 207)
    """
    game_map = as_map(game_map)
    routes = counted_routes(game_map, borders=borders)
    rows = []
    for color in ROUTE_COLORS:
        of_color = [route for route in routes if route.color == color]
        spaces = {kind: sum(r.length for r in of_color if r.kind == kind) for kind in get_args(RouteKind)}
        rows.append({**spaces, "total": sum(spaces.values()), "n_routes": len(of_color)})
    units = dict.fromkeys((*get_args(RouteKind), "total"), "spaces")
    return as_table(pd.DataFrame(rows, index=list(ROUTE_COLORS)), units=units)


def summary(game_map: MapLike, *, borders: bool = False) -> pd.Series[Any]:
    """
    Return the numbers that describe a map as a whole.

    Parameters
    ----------
    game_map
        The map, or its name.
    borders
        Whether border points count, and the routes to them; not unless asked
        for, as everywhere here.

    Returns
    -------
    numbers
        By name.

        `n_cities`; `n_routes` (tracks); `n_pairs` (of cities that a route
        joins); `n_double_routes`; `n_spaces`, and `n_tunnel_spaces`,
        `n_ferry_spaces`, `n_gray_spaces` among them.
        `mean_length` (trains a route); `mean_tracks` and `mean_neighbors`
        (means of the columns of `city_table`).
        `mean_distance_length` (trains), `mean_distance_hops` (routes): mean
        of the shortest paths between all pairs of cities.
        `radius_length`, `diameter_length`, `radius_hops`, `diameter_hops`:
        smallest and largest eccentricity; `center_...` and `periphery_...`
        are the cities that have it.
        `cyclomatic_tracks`, `cyclomatic_pairs`: independent loops, edges -
        cities + 1, in the multigraph and the simple graph.
        `n_bridges` (tracks), `n_pair_bridges` (pairs), `n_cut_cities`.
        `edge_connectivity_tracks`, `edge_connectivity_pairs`,
        `city_connectivity`: the fewest tracks, pairs or cities without which
        the map falls apart.
        `spanning_tree_length`: trains of the minimum spanning tree.
        `is_planar`: whether it can be drawn without crossings.

    Raises
    ------
    ValueError
        If the map has only border points and they do not count.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> numbers = summary(ttr.load_map("nordic"))
    >>> numbers["n_pairs"], numbers["radius_hops"], numbers["diameter_hops"]
    (67, 5, 8)
    """
    game_map = as_map(game_map)
    G = pair_graph(game_map, borders=borders)
    routes = counted_routes(game_map, borders=borders)
    n_cities, n_pairs = G.number_of_nodes(), G.number_of_edges()
    paired = {frozenset(route.cities) for route in bridges(game_map, by="pairs", borders=borders)}
    nx.set_edge_attributes(G, dict.fromkeys(G.edges, 1), "hops")
    numbers: dict[str, object] = {
        "n_cities": n_cities,
        "n_routes": len(routes),
        "n_pairs": n_pairs,
        "n_double_routes": sum(data["n_tracks"] > 1 for _, _, data in G.edges(data=True)),
        "n_spaces": sum(route.length for route in routes),
        "n_tunnel_spaces": sum(route.length for route in routes if route.kind == "tunnel"),
        "n_ferry_spaces": sum(route.length for route in routes if route.kind == "ferry"),
        "n_gray_spaces": sum(route.length for route in routes if route.color == "gray"),
        "mean_length": fmean(route.length for route in routes) if routes else 0.0,
        "mean_tracks": 2 * len(routes) / n_cities,
        "mean_neighbors": 2 * n_pairs / n_cities,
    }
    for weight in ("length", "hops"):
        eccentricity: Any = nx.eccentricity(G, weight=weight)
        radius, diameter = min(eccentricity.values()), max(eccentricity.values())
        numbers |= {
            f"mean_distance_{weight}": nx.average_shortest_path_length(G, weight=weight),
            f"radius_{weight}": radius,
            f"diameter_{weight}": diameter,
            f"center_{weight}": tuple(city for city in G if eccentricity[city] == radius),
            f"periphery_{weight}": tuple(city for city in G if eccentricity[city] == diameter),
        }
    numbers |= {
        "cyclomatic_tracks": len(routes) - n_cities + 1,
        "cyclomatic_pairs": n_pairs - n_cities + 1,
        "n_bridges": len(bridges(game_map, borders=borders)),
        "n_pair_bridges": len(paired),
        "n_cut_cities": len(cut_cities(game_map, borders=borders)),
        "edge_connectivity_tracks": int(nx.stoer_wagner(G, weight="n_tracks")[0]) if n_cities > 1 else 0,
        "edge_connectivity_pairs": nx.edge_connectivity(G),
        "city_connectivity": nx.node_connectivity(G),
        "spanning_tree_length": minimum_spanning_tree(game_map, borders=borders).length,
        "is_planar": nx.check_planarity(G)[0],
    }
    return pd.Series(numbers, name=game_map.name, dtype="object")
