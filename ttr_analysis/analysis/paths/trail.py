"""The longest trail of a set of routes: the game's longest continuous path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from ttr_analysis._display import render_html
from ttr_analysis.maps.model import GameMap, Route, RouteLike
from ttr_analysis.rules import trails
from ttr_analysis.tables import map_tables


@dataclass(frozen=True, slots=True)
class Trail:
    """
    A walk that uses no route twice; cities may repeat.

    Parameters
    ----------
    cities
        Names of the cities in order, one more than routes.
    routes
        The routes in the order in which they are walked.
    length
        Trains on all of them.
    """

    cities: tuple[str, ...]
    routes: tuple[Route, ...]
    length: int

    @property
    def is_closed(self) -> bool:
        """Whether it ends where it began."""
        return bool(self.routes) and self.cities[0] == self.cities[-1]

    def __repr__(self) -> str:
        """Return the length and the cities."""
        way = " - ".join(self.cities) or "no routes"
        return f"<Trail of {self.length} trains on {len(self.routes)} routes: {way}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def longest_trail(game_map: GameMap, routes: Iterable[RouteLike]) -> Trail:
    """
    Return the longest trail in a set of routes: the longest continuous path.

    A trail uses no route twice, but may pass through a city several times and
    may end where it began. A path may not; what the rule books call a path is
    a trail.

    Parameters
    ----------
    game_map
        The map.
    routes
        Any routes of it, connected or not; pairs of cities mean all tracks
        between them.

    Returns
    -------
    trail
        One of the longest, always the same; without cities if there are no
        routes. It begins at the first city, in the order of the map, at which
        it can.

    Raises
    ------
    UnknownNameError
        If a route is not on the map.

    Notes
    -----
    Exact for every set of routes, by the definition in
    `ttr_analysis.rules.trails`. What players build takes some microseconds
    compiled, besides the names; a whole map, which is left to an integer
    program, about 30 ms. The order of the routes is an Euler trail by NetworkX.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> ids = ["Bergen-Oslo/0", "Oslo-Örebro/0", "Göteborg-Oslo/0", "Göteborg-Örebro/0"]
    >>> trail = longest_trail(nordic, ids)
    >>> trail.length, trail.cities
    (10, ('Bergen', 'Oslo', 'Göteborg', 'Örebro', 'Oslo'))

    All routes of the map, 207 spaces, on one trail but for 21 of them:

    >>> longest_trail(nordic, nordic.routes).length
    186
    """
    named = {route.id for route in game_map.resolve_routes(routes)}
    tables = map_tables(game_map)
    chosen = np.array([route.id in named for route in game_map.routes], dtype=np.int8)
    marked = np.zeros_like(chosen)
    length = trails.longest_trail(tables.ends, tables.length, chosen, marked)
    on_trail = [route for route, mark in zip(game_map.routes, marked, strict=True) if mark]
    if not on_trail:
        return Trail((), (), 0)
    cities, ids = _walk(on_trail, [city.name for city in game_map.cities])
    by_id = {route.id: route for route in on_trail}
    return Trail(tuple(cities), tuple(by_id[id_] for id_ in ids), length)


def _walk(routes: Sequence[Route], order: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the cities and the route ids of a walk over all routes, each once."""
    G: nx.MultiGraph[str] = nx.MultiGraph()
    for route in routes:
        G.add_edge(*route.cities, key=route.id)
    degree = Counter(city for route in routes for city in route.cities)
    start = next((city for city in order if degree[city] % 2), None) or next(city for city in order if degree[city])
    steps = list(nx.eulerian_path(G, source=start, keys=True))
    return [start, *(step[1] for step in steps)], [step[2] for step in steps]
