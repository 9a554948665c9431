"""The minimum spanning tree of a map."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from ttr_analysis._display import render_html
from ttr_analysis.analysis.structure.graphs import counted_routes
from ttr_analysis.maps.model import GameMap, Route


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


def minimum_spanning_tree(game_map: GameMap, *, borders: bool = True) -> SpanningTree:
    """
    Return the spanning tree with the fewest trains.

    It joins all cities, so it answers a question that no player has; but it
    shows which routes are cheap where they are, and every city's shortest
    route is in a minimum spanning tree.

    Parameters
    ----------
    game_map
        The map.
    borders
        Whether border points must be joined too.

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
    routes = counted_routes(game_map, borders=borders)
    G: nx.MultiGraph[str] = nx.MultiGraph()
    for place, route in enumerate(routes):
        # No two ranks are equal, so there is only one minimum.
        G.add_edge(*route.cities, key=route.id, rank=route.length * len(routes) + place)
    ids = {key for _, _, key in nx.minimum_spanning_edges(G, weight="rank", keys=True, data=False)}
    return SpanningTree(tuple(route for route in routes if route.id in ids))
