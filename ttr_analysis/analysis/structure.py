"""
The structure of a map: graph theory on its cities and routes, mostly with NetworkX.

Border points of countries count as cities, as in `GameMap.graph` and `ttr.paths`. Since
they are dead ends, `borders=False` leaves them and the routes to them out without losing
paths between other cities.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, Literal, get_args

import networkx as nx
import pandas as pd

from ttr_analysis._errors import UnknownNameError
from ttr_analysis._notebook import as_table
from ttr_analysis._upward import render_html
from ttr_analysis.analysis._ends import End, end_cities, find_minimum_cut, tickets_or_pairs
from ttr_analysis.cards import ROUTE_COLORS
from ttr_analysis.maps.forms import build_simple_graph
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, Ticket, TicketLike
from ttr_analysis.rules.ruleset import RouteKind

__all__ = [
    "Cut",
    "SpanningTree",
    "bridges",
    "city_table",
    "cut_cities",
    "edge_connectivity",
    "effective_resistance",
    "minimum_cut",
    "minimum_spanning_tree",
    "resistance_matrix",
    "route_table",
    "spaces_table",
    "summary",
]


def __dir__() -> list[str]:
    return __all__


# -- the graphs of a map -------------------------------------------------------------------------------------------


def counted_routes(game_map: GameMap, *, borders: bool) -> tuple[Route, ...]:
    """Return the routes that count; without `borders`, none to border points."""
    left_out = set() if borders else set(game_map.border_points)
    return tuple(route for route in game_map.routes if not left_out.intersection(route.cities))


def counted_cities(game_map: GameMap, *, borders: bool) -> tuple[str, ...]:
    """Return the names of the cities that count, in the order of the map."""
    left_out = set() if borders else set(game_map.border_points)
    cities = tuple(city.name for city in game_map.cities if city.name not in left_out)
    if not cities:
        raise ValueError(f"map {game_map.name} has only border points: use borders=True")
    return cities


def track_graph(game_map: GameMap, *, borders: bool) -> nx.MultiGraph[str]:
    """Return the map with an edge for each track: its key is the route id, its `length` the trains."""
    G: nx.MultiGraph[str] = nx.MultiGraph()
    G.add_nodes_from(counted_cities(game_map, borders=borders))
    for route in counted_routes(game_map, borders=borders):
        G.add_edge(*route.cities, key=route.id, length=route.length)
    return G


def pair_graph(game_map: GameMap, *, borders: bool) -> nx.Graph[str]:
    """Return the map with an edge for each pair of adjacent cities, as in `GameMap.simple_graph`."""
    cities = map(game_map.city, counted_cities(game_map, borders=borders))
    return build_simple_graph(game_map.title, cities, counted_routes(game_map, borders=borders))


# -- what cuts a map in two ----------------------------------------------------------------------------------------

Counting = Literal["tracks", "pairs"]
"""
What to count: "tracks", where each track of a double route counts (as when both are
open to all), or "pairs" of cities, with all tracks between them (as when the first
claim closes the second track).
"""


@dataclass(frozen=True, slots=True)
class Cut:
    """
    Routes whose removal separates two places.

    Parameters
    ----------
    routes
        In map order; all tracks of a double route.
    size
        Their number, counted in `by`.
    by
        "tracks" or "pairs".
    side
        Cities on the side of the first place.
    """

    routes: tuple[Route, ...]
    size: int
    by: Counting
    side: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Cut of {self.size} {self.by}: {', '.join(route.id for route in self.routes)}>"

    _repr_html_ = render_html


def minimum_cut(game_map: MapLike, a: End | TicketLike, b: End | None = None, *, by: Counting = "tracks") -> Cut:
    """
    Return the fewest routes that separate two places.

    By Menger's theorem their number equals the number of paths between the places that
    share no track (or no pair of cities).

    Parameters
    ----------
    a, b
        Cities, border points or countries; or a ticket (or a pair of places) alone. A
        country is separated at all its border points, a ticket from all its destinations.
    by
        Count "tracks", or "pairs" of cities with all tracks between them.

    Returns
    -------
    cut
        Among several minimum cuts, the one nearest to `b`.

    Raises
    ------
    UnknownNameError
        If a place, a ticket or the value of `by` does not exist.
    ValueError
        If the two places share a city, or a second place is given with a ticket.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> minimum_cut(nordic, "Helsinki", "Bergen")
    <Cut of 4 tracks: Bergen-Oslo/0, Bergen-Oslo/1, Bergen-Stavanger/0, Bergen-Åndalsnes/0>
    >>> minimum_cut(nordic, nordic.ticket("København", "Murmansk"), by="pairs")
    <Cut of 2 pairs: Kirkenes-Murmansk/0, Lieksa-Murmansk/0>
    """
    game_map = as_map(game_map)
    _check("way of counting", by, Counting)
    starts, goals = _two_ends(game_map, a, b)
    if shared := sorted(set(starts) & set(goals)):
        raise ValueError(f"a place cannot be cut off from itself: both include {', '.join(shared)}")
    G: nx.Graph[str] = nx.Graph()
    for x, y, data in pair_graph(game_map, borders=True).edges(data=True):
        G.add_edge(x, y, capacity=data["n_tracks"] if by == "tracks" else 1)
    size, side = find_minimum_cut(G, starts, goals)
    return Cut(
        routes=tuple(route for route in game_map.routes if len(side.intersection(route.cities)) == 1),
        size=size,
        by=by,
        side=tuple(city.name for city in game_map.cities if city.name in side),
    )


def edge_connectivity(game_map: MapLike, a: End | TicketLike, b: End | None = None, *, by: Counting = "tracks") -> int:
    """
    Return the size of the `minimum_cut` between two places.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> edge_connectivity(nordic, "Oslo", "Stockholm"), edge_connectivity(nordic, "Oslo", "Stockholm", by="pairs")
    (7, 5)
    """
    return minimum_cut(game_map, a, b, by=by).size


def bridges(game_map: MapLike, *, by: Counting = "tracks", borders: bool = True) -> tuple[Route, ...]:
    """
    Return the bridges: routes whose loss cuts the map in two, in map order.

    Parameters
    ----------
    by
        "tracks": routes that cut the map on their own, never a track of a double
        route. "pairs": also double routes whose tracks cut it together.
    borders
        Include border points; every route to one is a bridge.

    Examples
    --------
    >>> bridges(ttr.load_map("nordic"))
    ()
    >>> switzerland = ttr.load_map("switzerland")
    >>> len(bridges(switzerland)), len(bridges(switzerland, borders=False))
    (17, 0)
    """
    game_map = as_map(game_map)
    _check("way of counting", by, Counting)
    pairs = {frozenset(pair) for pair in nx.bridges(pair_graph(game_map, borders=borders))}
    return tuple(
        route
        for route in counted_routes(game_map, borders=borders)
        if frozenset(route.cities) in pairs and (by == "pairs" or game_map.twin(route) is None)
    )


def cut_cities(game_map: MapLike, *, borders: bool = True) -> tuple[str, ...]:
    """
    Return the cut cities, without which the map falls apart (articulation points), in map order.

    Parameters
    ----------
    borders
        Include border points; every city next to one is a cut city.

    Examples
    --------
    >>> cut_cities(ttr.load_map("nordic"))
    ()
    """
    game_map = as_map(game_map)
    cuts = set(nx.articulation_points(pair_graph(game_map, borders=borders)))
    return tuple(city.name for city in game_map.cities if city.name in cuts)


def _two_ends(game_map: GameMap, a: End | TicketLike, b: End | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if b is None:
        (ticket,) = tickets_or_pairs(game_map, [a])
        return ticket.origin.cities, tuple(city for place, _ in ticket.destinations for city in place.cities)
    if isinstance(a, Ticket | tuple):
        raise ValueError(f"a ticket already has two ends, so give no second place, got {b!r}")  # noqa: TRY004 - the number of ends is wrong
    return end_cities(game_map, a), end_cities(game_map, b)


def _check(what: str, value: str, choices: object) -> None:
    if value not in get_args(choices):
        raise UnknownNameError.among(what, value, get_args(choices))


# -- effective resistance ------------------------------------------------------------------------------------------

Conductance = Literal["inverse_length", "length"]


def effective_resistance(game_map: MapLike, a: End, b: End, *, conductance: Conductance = "inverse_length") -> float:
    """
    Return the effective resistance between two places.

    Every track is a wire with its length as resistance, so its *conductance* is 1/length.
    The result is the length of the path if there is only one, and less with every other
    path and every second track: it shows how hard it is to connect two cities while other
    players take routes.

    Parameters
    ----------
    game_map
        Map or its name; all its routes count.
    a, b
        Cities, border points, or countries, whose border points form one terminal.
    conductance
        "inverse_length", or "length" as in [1]_, where long routes are easy.

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
    >>> nordic = ttr.load_map("nordic")
    >>> round(effective_resistance(nordic, "Bergen", "Oslo"), 3)
    1.167
    """
    game_map = as_map(game_map)
    starts, goals = end_cities(game_map, a), end_cities(game_map, b)
    _check("conductance", conductance, Conductance)
    if set(starts) == set(goals):
        return 0.0
    if shared := sorted(set(starts) & set(goals)):
        raise ValueError(f"the two places share {', '.join(shared)}")
    start, goal = starts[0], goals[0]
    joined = dict.fromkeys(starts, start) | dict.fromkeys(goals, goal)
    merged: nx.MultiGraph[str] = nx.MultiGraph()
    for u, v, data in track_graph(game_map, borders=True).edges(data=True):
        merged.add_edge(joined.get(u, u), joined.get(v, v), length=data["length"])
    inverse = conductance == "inverse_length"
    resistance: Any = nx.resistance_distance(merged, start, goal, weight="length", invert_weight=inverse)
    return float(resistance)


def resistance_matrix(
    game_map: MapLike, *, conductance: Conductance = "inverse_length", borders: bool = True
) -> pd.DataFrame:
    """
    Return the `effective_resistance` between all pairs of cities, in map order.

    Parameters
    ----------
    game_map, conductance
        As for `effective_resistance`.
    borders
        Include border points.

    Examples
    --------
    >>> matrix = resistance_matrix(ttr.load_map("nordic"))
    >>> round(float(matrix.loc["Bergen", "Oslo"]), 3)
    1.167
    """
    game_map = as_map(game_map)
    _check("conductance", conductance, Conductance)
    G = track_graph(game_map, borders=borders)
    resistance: Any = nx.resistance_distance(G, weight="length", invert_weight=conductance == "inverse_length")
    return pd.DataFrame(resistance).loc[list(G), list(G)]


# -- the minimum spanning tree of a map ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpanningTree:
    """Routes that connect all cities without a loop, in map order."""

    routes: tuple[Route, ...]

    @property
    def length(self) -> int:
        """Trains on all its routes."""
        return sum(route.length for route in self.routes)

    def __repr__(self) -> str:
        return f"<SpanningTree: {len(self.routes)} routes, {self.length} trains>"

    _repr_html_ = render_html


def minimum_spanning_tree(game_map: MapLike, *, borders: bool = True) -> SpanningTree:
    """
    Return the spanning tree with the fewest trains; ties go to the first routes on the map (Kruskal).

    No player needs to connect all cities, but the tree contains a shortest route from every
    city.

    Parameters
    ----------
    borders
        Include border points.

    Examples
    --------
    >>> minimum_spanning_tree(ttr.load_map("nordic"))
    <SpanningTree: 38 routes, 71 trains>
    """
    game_map = as_map(game_map)
    routes = counted_routes(game_map, borders=borders)
    G: nx.MultiGraph[str] = nx.MultiGraph()
    for position, route in enumerate(routes):
        # No two ranks are equal, so the minimum is unique.
        G.add_edge(*route.cities, key=route.id, rank=route.length * len(routes) + position)
    ids = {key for _, _, key in nx.minimum_spanning_edges(G, weight="rank", keys=True, data=False)}
    return SpanningTree(tuple(route for route in routes if route.id in ids))


# -- tables of cities and routes, and the map as a whole -----------------------------------------------------------

_ROUTE_COLUMNS: Final = (
    *("length", "color", "kind", "points", "betweenness_length", "betweenness_hops", "detour", "pair_detour"),
    *("is_bridge", "resistance", "current_share"),
)
"""Columns that notebooks show for a route; its id names the cities and the track."""


def city_table(game_map: MapLike, *, borders: bool = True) -> pd.DataFrame:
    """
    Return the position of every city in the map's graph.

    Paths are measured by *length* (trains) and by *hops* (number of routes). They
    use the shorter track of a double route; `mean_resistance` uses both.

    Parameters
    ----------
    borders
        Count border points: as rows, in degrees, and as ends of paths.

    Returns
    -------
    table
        One row per city, indexed by name, in the order of the map.

        `country`
        `n_tracks`, `n_neighbors`: degree in the multigraph and the simple graph.
        `betweenness_length`, `betweenness_hops`: mean share, over all pairs of
        other cities, of their shortest paths through the city; 0 to 1 (Freeman's
        normalized betweenness).
        `closeness_length` (1/trains), `closeness_hops` (1/routes): 1 / mean
        distance to the other cities.
        `eccentricity_length` (trains), `eccentricity_hops` (routes): distance
        to the farthest city.
        `mean_resistance` (trains): mean `effective_resistance` to the other
        cities; low if many paths lead there.
        `is_cut_city`: whether the map falls apart without it.

    Examples
    --------
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


def route_table(game_map: MapLike, *, borders: bool = True) -> pd.DataFrame:
    """
    Return the position of every route in the map's graph.

    Parameters
    ----------
    borders
        Count routes to border points, and paths that end there.

    Returns
    -------
    table
        One row per track, indexed by route id, in the order of the map.

        `city_a`, `city_b`, `track`, `length` (trains), `color`, `kind`, `points`
        `betweenness_length`, `betweenness_hops`: mean share, over all pairs of
        cities, of their shortest paths that use the track; 0 to 1. Equally short
        tracks of a double route share.
        `detour`: how many trains longer the shortest path between its ends is without
        the track; infinite if there is no other path.
        `pair_detour`: the same without all tracks between its ends.
        `is_bridge`: whether the map falls apart without the track.
        `is_pair_bridge`: the same without all tracks between its ends.
        `resistance` (trains): `effective_resistance` between its ends.
        `current_share`: resistance / length, the share of a current between its ends that
        takes the track: 1 on a bridge, near 0 if many other paths are equally good. It is
        also the probability that a random spanning tree, weighted by the product of 1/length,
        contains the track; the sum over all tracks is the number of cities minus 1 (Foster's
        theorem).
        `in_minimum_spanning_tree`: see `minimum_spanning_tree`.

    Examples
    --------
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
        **{fact: [getattr(route, fact) for route in routes] for fact in ("track", "length", "color", "kind", "points")},
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
    return as_table(pd.DataFrame(columns, index=[route.id for route in routes]), _ROUTE_COLUMNS)


def _detour(tracks: nx.MultiGraph[str], route: Route, lost: tuple[Route, ...] | list[Route]) -> float:
    """Return how many trains longer the shortest path between a route's ends is without the `lost` routes."""
    a, b = route.cities
    without = nx.restricted_view(tracks, [], [(*r.cities, r.id) for r in lost])
    before = nx.dijkstra_path_length(tracks, a, b, weight="length")
    try:
        return float(nx.dijkstra_path_length(without, a, b, weight="length") - before)
    except nx.NetworkXNoPath:
        return float("inf")


def spaces_table(game_map: MapLike, *, borders: bool = True) -> pd.DataFrame:
    """
    Return the car spaces of a map by color and kind of route.

    Parameters
    ----------
    borders
        Count routes to border points.

    Returns
    -------
    table
        One row per color, gray last: `plain`, `ferry`, `tunnel` and `total`
        spaces, locomotive symbols included, and `n_routes` (tracks).

    Examples
    --------
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


def summary(game_map: MapLike, *, borders: bool = True) -> pd.Series[Any]:
    """
    Return the numbers that describe a map as a whole.

    Parameters
    ----------
    borders
        Count border points and the routes to them.

    Returns
    -------
    numbers
        By name.

        `n_cities`; `n_routes` (tracks); `n_pairs` (of cities joined by a
        route); `n_double_routes`; `n_spaces`, and `n_tunnel_spaces`,
        `n_ferry_spaces`, `n_gray_spaces` among them.
        `mean_length` (trains per route); `mean_tracks` and `mean_neighbors`
        (means of the columns of `city_table`).
        `mean_distance_length` (trains), `mean_distance_hops` (routes): mean
        shortest path over all pairs of cities.
        `radius_length`, `diameter_length`, `radius_hops`, `diameter_hops`:
        smallest and largest eccentricity; `center_...` and `periphery_...` are
        the cities that have it.
        `cyclomatic_tracks`, `cyclomatic_pairs`: independent loops (edges -
        cities + 1) of the multigraph and the simple graph.
        `n_bridges` (tracks), `n_pair_bridges` (pairs), `n_cut_cities`.
        `edge_connectivity_tracks`, `edge_connectivity_pairs`,
        `city_connectivity`: the fewest tracks, pairs or cities without which
        the map falls apart.
        `spanning_tree_length`: trains of the minimum spanning tree.
        `is_planar`: whether it can be drawn without crossings.

    Examples
    --------
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
