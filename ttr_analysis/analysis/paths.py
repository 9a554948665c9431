"""
Shortest paths between cities, and the longest trail of a set of routes.

Answers name tracks as well as cities, since the tracks of a double route may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from itertools import pairwise
from math import comb, isfinite, lcm
from numbers import Rational
from typing import TYPE_CHECKING, Any, Literal, get_args

import networkx as nx
import numpy as np

from ttr_analysis._upward import render_html
from ttr_analysis.analysis._ends import (
    GOAL,
    START,
    Avoidable,
    End,
    closed_and_owned,
    end_cities,
    find_cut_routes,
    measure_name,
    routes_to_avoid,
)
from ttr_analysis.analysis.payments.choice import expected_surcharge
from ttr_analysis.analysis.waiting import coefficient_of, hypergeometric, ways_to_draw
from ttr_analysis.cards import GRAY, N_COLORS
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike
from ttr_analysis.rules import trails
from ttr_analysis.tables import map_tables

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.rules.ruleset import RuleSet

__all__ = [
    "NoPathError",
    "Path",
    "Trail",
    "Weight",
    "distance_matrix",
    "expected_cards",
    "longest_trail",
    "shortest_path",
    "shortest_paths",
]


def __dir__() -> list[str]:
    return __all__


Measure = Literal["length", "toll", "hops", "cards"]
Weight = Measure | Literal["trains", "routes"] | Callable[[Route], float]
"""
How to measure a path: "length" (trains), "toll" (tokens), "hops" (number of
routes), "cards" (see `expected_cards`), or a function that returns a number of 0
or more for each route. "trains" is a synonym for "length", "routes" for "hops".
"""


def route_costs(game_map: MapLike, weight: Weight) -> dict[str, Fraction]:
    """Return the exact cost of every route by its id; a float counts as the decimal it prints as."""
    game_map = as_map(game_map)
    if callable(weight):
        _check_function(weight)
        return {route.id: _checked(route, weight(route)) for route in game_map.routes}
    costs: dict[str, Callable[[Route], float]] = {
        "length": lambda route: route.length,
        "toll": lambda route: route.toll,
        "hops": lambda _: 1,
        "cards": lambda route: expected_cards(game_map, route),
    }
    cost = costs[measure_name(weight, get_args(Measure))]
    return {route.id: _exact(cost(route)) for route in game_map.routes}


def expected_cards(game_map: MapLike, route: RouteLike) -> float:
    """
    Return the number of cards a route takes on average, before any card is seen.

    It assumes one card of the right color for each space; all other cards come from
    a fresh deck. Two things make a route cost more than its length:

    - *Tunnel*: the expected surcharge of a payment in a color (26 of 110 cards match).
    - *Sets*: any `k` cards may replace one needed card: the locomotive of a symbol if
      the route has symbols, else the card of any space. For each such space the player
      keeps `k` random cards; every needed card among them pays for a space, and each
      space left over takes a set of `k`. On a gray route the color needed is the one
      of which most were drawn.

    Raises
    ------
    UnknownNameError
        If the route is not on the map.

    Examples
    --------
    A tunnel of two spaces; a ferry of two spaces, one with a symbol (three cards
    include a locomotive in 34% of cases); and nine spaces where four cards replace
    one:

    >>> nordic = ttr.load_map("nordic")
    >>> ids = "Kristiansand-Stavanger/0", "Aalborg-Göteborg/0", "Lieksa-Murmansk/0"
    >>> [round(expected_cards(nordic, id), 2) for id in ids]
    [2.71, 3.32, 17.12]
    """
    game_map = as_map(game_map)
    route = game_map.route(route)
    rules = game_map.rules
    return float(route.length + expected_surcharge(rules, route) + _expected_swaps(rules, route))


def _expected_swaps(rules: RuleSet, route: Route) -> Fraction:
    """Return the expected number of cards that sets take beyond one per space."""
    if not route.swap_size:
        return Fraction(0)
    cards, n_cards = rules.cards, rules.deck.n_cards
    n_spaces = route.locomotives or route.length
    n_kept = min(n_spaces * route.swap_size, n_cards)
    jokers = cards.locomotives if route.locomotives_allowed else 0
    if route.locomotives:
        singles = _singles_of_kind(cards.locomotives, n_cards, n_kept, n_spaces)
    elif route.color != GRAY:
        singles = _singles_of_kind(cards.per_color + jokers, n_cards, n_kept, n_spaces)
    else:
        singles = _singles_of_best_color(cards.per_color, cards.locomotives, bool(jokers), n_kept, n_spaces)
    return (route.swap_size - 1) * (n_spaces - singles)


@lru_cache(maxsize=256)
def _singles_of_kind(n_kind: int, n_cards: int, n_kept: int, n_spaces: int) -> Fraction:
    """Return the mean number of spaces paid for by the needed cards among those kept."""
    chances = hypergeometric(n_kind, n_cards, n_kept)
    return sum((min(k, n_spaces) * p for k, p in enumerate(chances)), Fraction(0))


@lru_cache(maxsize=256)
def _singles_of_best_color(per_color: int, n_locomotives: int, jokers: bool, n_kept: int, n_spaces: int) -> Fraction:
    """Return the same mean if the cards needed are those of the color kept most, and locomotives if they are wild."""
    # The mean of min(n_spaces, most) is the sum of the probabilities that most exceeds 0, 1, ..., n_spaces - 1.
    ways = 0
    for limit in range(n_spaces):
        for n in range(min(n_locomotives, n_kept) + 1):
            colored = ways_to_draw(per_color, limit - n if jokers else limit) ** N_COLORS
            ways += comb(n_locomotives, n) * coefficient_of(colored, n_kept - n)
    return n_spaces - Fraction(ways, comb(N_COLORS * per_color + n_locomotives, n_kept))


def _check_function(weight: Callable[..., object]) -> None:
    """Raise a TypeError unless the function takes one route; a NetworkX weight takes two nodes and an edge."""
    try:
        parameters = signature(weight)
    except ValueError:  # some functions written in C have no signature
        return
    try:
        parameters.bind(None)
    except TypeError as error:
        raise TypeError(
            f"weight must be a function of one route, such as lambda route: route.length (called with a route: {error})"
        ) from None


def _checked(route: Route, cost: object) -> Fraction:
    try:
        number = float(cost)  # type: ignore[arg-type]  # may be anything
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(cost, str) or not isfinite(number) or number < 0:
        raise ValueError(f"the weight of route {route.id} must be a finite number of 0 or more, got {cost!r}")
    return _exact(cost if isinstance(cost, Rational) else number)


def _exact(cost: float | Rational) -> Fraction:
    if isinstance(cost, Rational):
        return Fraction(int(cost.numerator), int(cost.denominator))
    return Fraction(repr(float(cost)))


# -- shortest paths ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Path:
    """
    A path between two cities, with its tracks.

    Parameters
    ----------
    cities
        City names in order, including both ends.
    cost
        The minimized quantity; owned routes count 0.
    weight
        "length" (trains), "toll" (tokens), "hops" (routes), "cards", or the
        name of your function.
    owned
        The routes of the path that you own.
    """

    cities: tuple[str, ...]
    routes: tuple[Route, ...]
    cost: float
    weight: str = "length"
    owned: tuple[Route, ...] = ()

    @property
    def length(self) -> int:
        """Length of all routes, including owned ones (trains)."""
        return sum(route.length for route in self.routes)

    @property
    def to_claim(self) -> tuple[Route, ...]:
        """The routes still to claim, in order."""
        return tuple(route for route in self.routes if route not in self.owned)

    @property
    def trains(self) -> int:
        """Trains for the routes still to claim."""
        return sum(route.length for route in self.to_claim)

    @property
    def toll(self) -> int:
        """Tokens for the routes still to claim."""
        return sum(route.toll for route in self.to_claim)

    @property
    def points(self) -> int:
        """Points for the routes still to claim."""
        return sum(route.points for route in self.to_claim)

    @property
    def n_routes(self) -> int:
        """Number of routes."""
        return len(self.routes)

    def __repr__(self) -> str:
        tracks = ", ".join(f"{route.id} {route.color}" for route in self.routes) or "no routes"
        return f"<Path {' - '.join(self.cities)}: {self.weight} {self.cost:g}, {self.trains} trains; {tracks}>"

    _repr_html_ = render_html


class NoPathError(ValueError):
    """
    No open routes connect two places; the message names the closed routes between them.

    Parameters
    ----------
    cut
        Fewest closed routes that separate them.
    """

    def __init__(self, a: str, b: str, cut: Sequence[Route]) -> None:
        self.cut = tuple(cut)
        reason = f"cut off by the closed routes {', '.join(r.id for r in cut)}" if cut else "they are not connected"
        super().__init__(f"no path from {a} to {b}: {reason}")


def shortest_path(
    game_map: MapLike,
    a: End,
    b: End,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    avoid: Iterable[Avoidable] = (),
) -> Path:
    """
    Return the shortest path between two places.

    Parameters
    ----------
    a, b
        Cities, border points or countries. Any border point of a country will do;
        paths never pass through a country.
    weight
        What to minimize: "length" (trains), "toll" (tokens), "hops" (number of
        routes), "cards" (`expected_cards`), or a function from a route to a
        finite number of 0 or more.
    closed
        Routes that cannot be used.
    owned
        Routes you own, at no cost.
    avoid
        Any of "tunnels", "ferries", "gray", "tolls" and city names. Owned routes
        are never avoided.

    Returns
    -------
    path
        Ties go to the path with the fewest trains, then tokens, then routes, then
        to the routes that come first on the map.

    Raises
    ------
    NoPathError
        If the closed routes separate `a` from `b`.
    UnknownNameError
        If a place, a route or the weight does not exist.
    ValueError
        If a route is both closed and owned, or the weight function does not return
        a finite number of 0 or more.

    Notes
    -----
    NetworkX's Dijkstra on exact fractions, so that equal costs compare equal
    whatever the order of the routes.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> path = shortest_path(nordic, "Bergen", "Stockholm")
    >>> path.cities, path.length
    (('Bergen', 'Oslo', 'Örebro', 'Stockholm'), 8)

    Without Bergen-Oslo; without tunnels and Oslo:

    >>> shortest_path(nordic, "Bergen", "Stockholm", closed=[("Bergen", "Oslo")]).length
    10
    >>> shortest_path(nordic, "Bergen", "Stockholm", avoid=["tunnels", "Oslo"]).cities[1:4]
    ('Stavanger', 'Kristiansand', 'Aalborg')
    """
    game_map = as_map(game_map)
    board = _Board(game_map, weight, closed, owned, avoid)
    starts, goals = end_cities(game_map, a), end_cities(game_map, b)
    found: Any = nx.multi_source_dijkstra(board.graph, set(starts), weight="rank")
    costs, paths = found
    reached = [goal for goal in goals if goal in costs]
    if not reached:
        raise board.no_path(a, b)
    return board.path(paths[min(reached, key=lambda goal: costs[goal])])


def shortest_paths(
    game_map: MapLike,
    a: End,
    b: End,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    avoid: Iterable[Avoidable] = (),
    limit: int = 1000,
) -> tuple[Path, ...]:
    """
    Return all paths of least cost between two places.

    Parameters
    ----------
    game_map, a, b, weight, closed, owned, avoid
        As for `shortest_path`.
    limit
        More paths than this raise an error.

    Returns
    -------
    paths
        One path for each sequence of cities, on the tracks that `shortest_path`
        prefers; the first is the path that it returns.

    Raises
    ------
    ValueError
        If there are more than `limit` paths; other errors as for `shortest_path`.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> [path.cities[1:-1] for path in shortest_paths(nordic, "Bergen", "Helsinki")]
    [('Oslo', 'Örebro', 'Stockholm'), ('Oslo', 'Örebro', 'Stockholm', 'Turku')]
    """
    game_map = as_map(game_map)
    board = _Board(game_map, weight, closed, owned, avoid)
    G = board.graph.copy()
    nx.add_star(G, [START, *end_cities(game_map, a)], cost=0)
    nx.add_star(G, [GOAL, *end_cities(game_map, b)], cost=0)
    if not nx.has_path(G, START, GOAL):
        raise board.no_path(a, b)
    paths: set[tuple[str, ...]] = set()  # NetworkX repeats paths that begin with an edge of cost 0
    for _, *cities, _ in nx.all_shortest_paths(G, START, GOAL, weight="cost"):
        paths.add(tuple(cities))
        if len(paths) > limit:
            msg = f"more than {limit} shortest paths from {_name(a)} to {_name(b)}; use a larger limit"
            raise ValueError(msg)
    return tuple(board.path(cities) for cities in sorted(paths, key=board.rank))


def distance_matrix(
    game_map: MapLike,
    weight: Weight = "length",
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> pd.DataFrame:
    """
    Return the least cost between all pairs of cities; parameters and errors are those of `shortest_path`.

    Returns
    -------
    matrix
        Rows and columns are the cities in map order, border points included;
        infinite where there is no path.

    Examples
    --------
    >>> matrix = distance_matrix(ttr.load_map("nordic"))
    >>> float(matrix.loc["Bergen", "Stockholm"]), float(matrix.loc["Bergen"].max())
    (8.0, 26.0)
    """
    game_map = as_map(game_map)
    import pandas as pd

    board = _Board(game_map, weight, closed, owned)
    names = [city.name for city in game_map.cities]
    costs: dict[str, Any] = dict(nx.all_pairs_dijkstra_path_length(board.graph, weight="cost"))
    rows = [
        [float(Fraction(costs[a][b], board.scale)) if b in costs[a] else float("inf") for b in names] for a in names
    ]
    return pd.DataFrame(rows, index=pd.Index(names), columns=pd.Index(names))


class _Board:
    """The open routes as a simple graph of the best tracks; edges have `cost` in units of 1/`scale`, and `rank`."""

    def __init__(
        self,
        game_map: GameMap,
        weight: Weight,
        closed: Iterable[RouteLike],
        owned: Iterable[RouteLike],
        avoid: Iterable[Avoidable] = (),
    ) -> None:
        self.game_map = game_map
        closed_routes, self.owned = closed_and_owned(game_map, closed, owned)
        avoided = (route for route in routes_to_avoid(game_map, avoid) if route not in self.owned)
        self.closed = tuple(dict.fromkeys((*closed_routes, *avoided)))
        self.weight: str = (
            getattr(weight, "__name__", "function") if callable(weight) else measure_name(weight, get_args(Measure))
        )
        costs = route_costs(game_map, weight) | {route.id: Fraction(0) for route in self.owned}
        self.scale = lcm(*(cost.denominator for cost in costs.values()))
        self.graph: nx.Graph[str] = nx.Graph()
        self.graph.add_nodes_from(city.name for city in game_map.cities)
        for rank, cost, route in self._ranked({id_: int(cost * self.scale) for id_, cost in costs.items()}):
            a, b = route.cities
            if route not in self.closed and (not self.graph.has_edge(a, b) or rank < self.graph.edges[a, b]["rank"]):
                self.graph.add_edge(a, b, rank=rank, cost=cost, route=route)

    def _ranked(self, costs: dict[str, int]) -> list[tuple[int, int, Route]]:
        """Return rank and cost of each route; ranks sort by cost, trains, tokens, routes, position on the map."""
        # These are digits of one number, each with room for the sum over all routes. Positions are powers of 2, so no
        # two sets of routes have the same sum.
        routes = self.game_map.routes
        room_trains = 1 + sum(route.length for route in routes)
        room_toll = 1 + sum(route.toll for route in routes)
        ranked = []
        for position, route in enumerate(routes):
            trains, toll = (0, 0) if route in self.owned else (route.length, route.toll)
            rank = (costs[route.id] * room_trains + trains) * room_toll + toll
            rank = (rank * (1 + len(routes)) + 1) << len(routes)
            ranked.append((rank + (1 << position), costs[route.id], route))
        return ranked

    def path(self, cities: Sequence[str]) -> Path:
        """Return the path through these cities, on the best tracks."""
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
        """Return the sort key of the path through these cities."""
        return sum(self.graph.edges[pair]["rank"] for pair in pairwise(cities))

    def no_path(self, a: End, b: End) -> NoPathError:
        """Return the error for two places, with the fewest closed routes that separate them."""
        cut = find_cut_routes(self.game_map, self.closed, end_cities(self.game_map, a), end_cities(self.game_map, b))
        return NoPathError(_name(a), _name(b), cut)


def _name(end: End) -> str:
    return end if isinstance(end, str) else end.name


# -- the longest trail of a set of routes --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trail:
    """
    A walk that uses no route twice; cities may repeat.

    Parameters
    ----------
    cities
        City names in order.
    length
        Total trains.
    """

    cities: tuple[str, ...]
    routes: tuple[Route, ...]
    length: int

    @property
    def is_closed(self) -> bool:
        """Whether the trail ends where it begins."""
        return bool(self.routes) and self.cities[0] == self.cities[-1]

    def __repr__(self) -> str:
        cities = " - ".join(self.cities) or "no routes"
        return f"<Trail of {self.length} trains on {len(self.routes)} routes: {cities}>"

    _repr_html_ = render_html


def longest_trail(game_map: MapLike, routes: Iterable[RouteLike]) -> Trail:
    """
    Return the longest trail in a set of routes: the longest continuous path.

    A trail uses no route twice, but may visit a city several times and may end
    where it begins. The "path" of the rule books is a trail.

    Parameters
    ----------
    routes
        Routes, ids, or pairs of cities (all their tracks).

    Returns
    -------
    trail
        Among equally long trails always the same one, starting at the earliest
        possible city in map order; empty if there are no routes.

    Raises
    ------
    UnknownNameError
        If a route is not on the map.

    Notes
    -----
    Exact; see `ttr_analysis.rules.trails`. One player's routes take a few
    microseconds when compiled; a whole map takes an integer program, about 30 ms.
    NetworkX orders the routes as an Euler trail.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> ids = ["Bergen-Oslo/0", "Oslo-Örebro/0", "Göteborg-Oslo/0", "Göteborg-Örebro/0"]
    >>> trail = longest_trail(nordic, ids)
    >>> trail.length, trail.cities
    (10, ('Bergen', 'Oslo', 'Göteborg', 'Örebro', 'Oslo'))

    All routes of the map have 207 spaces; the trail leaves out 21:

    >>> longest_trail(nordic, nordic.routes).length
    186
    """
    game_map = as_map(game_map)
    named = {route.id for route in game_map.resolve_routes(routes)}
    tables = map_tables(game_map)
    chosen = np.array([route.id in named for route in game_map.routes], dtype=np.int8)
    marked = np.zeros_like(chosen)
    length = trails.longest_trail(tables.ends, tables.length, chosen, marked)
    on_trail = [route for route, mark in zip(game_map.routes, marked, strict=True) if mark]
    if not on_trail:
        return Trail((), (), 0)
    G: nx.MultiGraph[str] = nx.MultiGraph()
    for route in on_trail:
        G.add_edge(*route.cities, key=route.id)
    touched = [city.name for city in game_map.cities if city.name in G]
    start = next((city for city in touched if G.degree[city] % 2), touched[0])
    steps = list(nx.eulerian_path(G, source=start, keys=True))
    by_id = {route.id: route for route in on_trail}
    return Trail((start, *(city for _, city, _ in steps)), tuple(by_id[id_] for *_, id_ in steps), length)
