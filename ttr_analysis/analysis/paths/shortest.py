"""Shortest paths, with routes closed or owned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

import networkx as nx

from ttr_analysis._display import render_html
from ttr_analysis.analysis._ends import End, closed_and_owned, end_cities, fewest_cut
from ttr_analysis.analysis.paths.costs import Weight, route_costs
from ttr_analysis.maps.model import GameMap, Route, RouteLike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Path:
    """
    A way from one city to another, by named tracks.

    Parameters
    ----------
    cities
        Names of the cities in order, both ends included.
    routes
        The tracks in order, one fewer.
    cost
        What was to be as small as possible. Owned routes cost nothing.
    weight
        In what the cost is measured: "length" (trains), "toll" (tokens),
        "hops" (routes), "cards", or the name of the user's function.
    owned
        Those of the routes that were owned before.
    """

    cities: tuple[str, ...]
    routes: tuple[Route, ...]
    cost: float
    weight: str = "length"
    owned: tuple[Route, ...] = ()

    @property
    def length(self) -> int:
        """Spaces of all its routes, owned ones too (trains)."""
        return sum(route.length for route in self.routes)

    @property
    def to_claim(self) -> tuple[Route, ...]:
        """Those of its routes that are still to be claimed, in order."""
        return tuple(route for route in self.routes if route not in self.owned)

    @property
    def trains(self) -> int:
        """Trains that its routes still to be claimed take."""
        return sum(route.length for route in self.to_claim)

    @property
    def toll(self) -> int:
        """Tokens that its routes still to be claimed cost."""
        return sum(route.toll for route in self.to_claim)

    @property
    def points(self) -> int:
        """Points for its routes still to be claimed."""
        return sum(route.points for route in self.to_claim)

    @property
    def n_routes(self) -> int:
        """Number of its routes."""
        return len(self.routes)

    def __repr__(self) -> str:
        """Return the cities, the cost and the tracks."""
        tracks = ", ".join(f"{route.id} {route.color}" for route in self.routes) or "no routes"
        return f"<Path {' - '.join(self.cities)}: {self.weight} {self.cost:g}, {self.trains} trains; {tracks}>"

    def _repr_html_(self) -> str:
        return render_html(self)


class NoPathError(ValueError):
    """
    Two places that no open route joins; the message says what cuts them off.

    Parameters
    ----------
    a, b
        The two places.
    cut
        The fewest closed routes without which there would be a path.
    """

    def __init__(self, a: str, b: str, cut: Sequence[Route]) -> None:
        self.cut = tuple(cut)
        reason = (
            f"cut off by the closed routes {', '.join(route.id for route in cut)}" if cut else "they are not joined"
        )
        super().__init__(f"no path from {a} to {b}: {reason}")


def shortest_path(
    game_map: GameMap,
    a: End,
    b: End,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> Path:
    """
    Return the shortest path between two places.

    Parameters
    ----------
    game_map
        The map.
    a, b
        Cities, border points, or countries: any border point of the country
        will do, and there is no passing through a country.
    weight
        What is to be as small as possible: "length" (trains), "toll"
        (tokens), "hops" (number of routes), "cards" (`expected_cards`), or a
        function that gives each route a finite number of 0 or more.
    closed
        Routes that cannot be used.
    owned
        Routes that are the player's already, and cost nothing.

    Returns
    -------
    path
        With its tracks. Of several that cost the same, the one with the
        fewest trains to place, then the fewest tokens to pay, then the
        fewest routes in all; and of what is still equal, always the same one,
        by the order of the routes of the map.

    Raises
    ------
    NoPathError
        If the closed routes cut `a` off from `b`.
    UnknownNameError
        If a place, a route or the weight does not exist.
    ValueError
        If a route is both closed and owned, or the function gives a route
        something other than a finite number of 0 or more.

    Notes
    -----
    Costs are added exactly, as fractions: equal costs are recognized as equal
    whatever the order of the routes. Dijkstra's algorithm by NetworkX.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> path = shortest_path(nordic, "Bergen", "Stockholm")
    >>> path.cities, path.length
    (('Bergen', 'Oslo', 'Örebro', 'Stockholm'), 8)

    With the direct way out of Bergen closed:

    >>> shortest_path(nordic, "Bergen", "Stockholm", closed=[("Bergen", "Oslo")]).length
    10
    """
    board = _Board(game_map, weight, closed, owned)
    starts, goals = end_cities(game_map, a), end_cities(game_map, b)
    found: Any = nx.multi_source_dijkstra(board.graph, set(starts), weight="rank")
    costs, ways = found
    reached = [goal for goal in goals if goal in costs]
    if not reached:
        raise board.no_path(a, b)
    return board.path(ways[min(reached, key=lambda goal: costs[goal])])


def shortest_paths(
    game_map: GameMap,
    a: End,
    b: End,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    limit: int = 1000,
) -> tuple[Path, ...]:
    """
    Return all paths between two places that cost the least.

    Parameters
    ----------
    game_map, a, b, weight, closed, owned
        As for `shortest_path`.
    limit
        More paths than this are an error.

    Returns
    -------
    paths
        One for each sequence of cities, no city twice; between two cities the
        track that `shortest_path` would take. In the order of the ties, so
        that the first is the answer of `shortest_path`.

    Raises
    ------
    NoPathError
        If the closed routes cut `a` off from `b`.
    ValueError
        If there are more than `limit` paths, and as for `shortest_path`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> [path.cities[1:-1] for path in shortest_paths(nordic, "Bergen", "Helsinki")]
    [('Oslo', 'Örebro', 'Stockholm'), ('Oslo', 'Örebro', 'Stockholm', 'Turku')]
    """
    board = _Board(game_map, weight, closed, owned)
    G = board.graph.copy()
    nx.add_star(G, [_Board.START, *end_cities(game_map, a)], cost=0)
    nx.add_star(G, [_Board.GOAL, *end_cities(game_map, b)], cost=0)
    if not nx.has_path(G, _Board.START, _Board.GOAL):
        raise board.no_path(a, b)
    ways: set[tuple[str, ...]] = set()  # a set: NetworkX repeats paths that begin with an edge of no cost
    for _, *way, _ in nx.all_shortest_paths(G, _Board.START, _Board.GOAL, weight="cost"):
        ways.add(tuple(way))
        if len(ways) > limit:
            msg = f"more than {limit} shortest paths from {_name(a)} to {_name(b)}; ask for more with a larger limit"
            raise ValueError(msg)
    return tuple(board.path(way) for way in sorted(ways, key=board.rank))


def distance_matrix(
    game_map: GameMap,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> pd.DataFrame:
    """
    Return the least cost between every two cities.

    Parameters
    ----------
    game_map, weight, closed, owned
        As for `shortest_path`.

    Returns
    -------
    matrix
        Rows and columns are all cities in the order of the map, border points
        included; the values are in units of the weight, infinite where there
        is no path.

    Raises
    ------
    UnknownNameError, ValueError
        As for `shortest_path`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> matrix = distance_matrix(ttr.load_map("nordic"))
    >>> float(matrix.loc["Bergen", "Stockholm"]), float(matrix.loc["Bergen"].max())
    (8.0, 26.0)
    """
    import pandas as pd

    board = _Board(game_map, weight, closed, owned)
    names = [city.name for city in game_map.cities]
    costs: dict[str, Any] = dict(nx.all_pairs_dijkstra_path_length(board.graph, weight="cost"))
    rows = [
        [float(Fraction(costs[a][b], board.scale)) if b in costs[a] else float("inf") for b in names] for a in names
    ]
    return pd.DataFrame(rows, index=pd.Index(names), columns=pd.Index(names))


class _Board:
    """
    The open routes as a simple graph, with the best track between each two cities.

    Edges have `cost` and `rank`, both whole numbers: the cost in units of
    1/`scale`, and a number that orders paths by cost and then by all that
    decides ties.
    """

    START = "\0start"
    GOAL = "\0goal"

    def __init__(
        self, game_map: GameMap, weight: Weight, closed: Iterable[RouteLike], owned: Iterable[RouteLike]
    ) -> None:
        self.game_map = game_map
        self.closed, self.owned = closed_and_owned(game_map, closed, owned)
        self.weight = getattr(weight, "__name__", "function") if callable(weight) else weight
        costs = route_costs(game_map, weight) | {route.id: Fraction(0) for route in self.owned}
        self.scale = lcm(*(cost.denominator for cost in costs.values()))
        self.graph: nx.Graph[str] = nx.Graph()
        self.graph.add_nodes_from(city.name for city in game_map.cities)
        for rank, cost, route in self._ranked({id_: int(cost * self.scale) for id_, cost in costs.items()}):
            a, b = route.cities
            if route not in self.closed and (not self.graph.has_edge(a, b) or rank < self.graph.edges[a, b]["rank"]):
                self.graph.add_edge(a, b, rank=rank, cost=cost, route=route)

    def _ranked(self, costs: dict[str, int]) -> list[tuple[int, int, Route]]:
        """
        Return rank and cost of each route.

        A rank is the cost, trains, tokens, number of routes and place in the
        map as the digits of one number, each with room for the sum over all
        routes: ranks add up digit by digit. Places are powers of 2, so that no
        two sets of routes have the same sum.
        """
        routes = self.game_map.routes
        room_trains = 1 + sum(route.length for route in routes)
        room_toll = 1 + sum(route.toll for route in routes)
        ranked = []
        for place, route in enumerate(routes):
            mine = route in self.owned
            rank = costs[route.id] * room_trains + (0 if mine else route.length)
            rank = rank * room_toll + (0 if mine else route.toll)
            rank = (rank * (1 + len(routes)) + 1) << len(routes)
            ranked.append((rank + (1 << place), costs[route.id], route))
        return ranked

    def path(self, cities: Sequence[str]) -> Path:
        """Return the path through some cities, by the best tracks."""
        edges = [self.graph.edges[pair] for pair in pairwise(cities)]
        routes = tuple(edge["route"] for edge in edges)
        cost = Fraction(sum(edge["cost"] for edge in edges), self.scale)
        return Path(
            cities=tuple(cities),
            routes=routes,
            cost=cost.numerator if cost.denominator == 1 else float(cost),
            weight=self.weight,
            owned=tuple(route for route in routes if route in self.owned),
        )

    def rank(self, cities: Sequence[str]) -> int:
        """Return the number that orders the paths through some cities."""
        return sum(self.graph.edges[pair]["rank"] for pair in pairwise(cities))

    def no_path(self, a: End, b: End) -> NoPathError:
        """Return the error for two places, with the fewest closed routes that cut them off."""
        cut = fewest_cut(self.game_map, self.closed, end_cities(self.game_map, a), end_cities(self.game_map, b))
        return NoPathError(_name(a), _name(b), cut)


def _name(end: End) -> str:
    return end if isinstance(end, str) else end.name
