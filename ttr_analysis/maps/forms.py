"""Conversion of maps: pandas tables, NetworkX graphs, and files for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ttr_analysis._words import listed, safe_cell
from ttr_analysis.maps.board import City, Place, Route, Ticket, double_routes

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

# -- tables --------------------------------------------------------------------------------------------------------

_ROUTE_COLUMNS: Final = (
    *("id", "length", "color", "kind", "double", "tunnel", "locomotives", "locomotives_allowed", "swap_size", "toll"),
    "points",
)
"""Columns that notebooks show for a route; its id names the cities and the track."""


class MapFrames:
    """The cities, routes and tickets of a map as DataFrames."""

    def __init__(
        self,
        name: str,
        cities: tuple[City, ...],
        places: tuple[Place, ...],
        routes: tuple[Route, ...],
        tickets: tuple[Ticket, ...],
    ) -> None:
        self._name = name
        self._cities = cities
        self._places = places
        self._routes = routes
        self._tickets = tickets

    @cached_property
    def cities(self) -> pd.DataFrame:
        """
        One row per city.

        `name`, `label`, `country`, `lat` and `lon` (degrees, WGS84), `x` and
        `y` (board units), `border_of` (the country whose border point it is,
        or ""), `n_routes` (tracks that end there), `n_tickets` (tickets that
        name it).
        """
        border_of = {city: place.name for place in self._places if place.is_country for city in place.cities}
        named = [
            {place.name for place in (ticket.origin, *(p for p, _ in ticket.destinations))} for ticket in self._tickets
        ]
        rows = [
            {
                **{field: getattr(city, field) for field in ("name", "label", "country", "lat", "lon", "x", "y")},
                "border_of": border_of.get(city.name, ""),
                "n_routes": sum(city.name in route.cities for route in self._routes),
                "n_tickets": sum(city.name in names for names in named),
            }
            for city in self._cities
        ]
        return _frame(rows, units={"x": "board units", "y": "board units"})

    @cached_property
    def routes(self) -> pd.DataFrame:
        """
        One row per track.

        `id`, `city_a`, `city_b`, `track`, `length` (trains), `color`,
        `double`, `kind` ("plain", "ferry", "tunnel"), `tunnel`,
        `locomotives` (symbols), `locomotives_allowed`, `swap_size` (cards),
        `swap_fills`, `toll` (tokens), `points`.
        """
        double = double_routes(self._routes)
        before, after = ("track", "length", "color"), [field.name for field in fields(Route)[5:]]
        rows = [
            {
                "id": route.id,
                "city_a": route.cities[0],
                "city_b": route.cities[1],
                **{field: getattr(route, field) for field in before},
                "double": frozenset(route.cities) in double,
                **{field: getattr(route, field) for field in ("kind", *after)},
            }
            for route in self._routes
        ]
        return _frame(rows, first=_ROUTE_COLUMNS)

    @cached_property
    def tickets(self) -> pd.DataFrame:
        """
        One row per ticket and destination.

        `id`, `origin`, `destination`, `points`, `n_destinations`,
        `neutral_a` and `neutral_b` (cities at the foot of the ticket, or ""),
        `deck` (its deck, or "").
        """
        rows = []
        for ticket in self._tickets:
            neutral_a, neutral_b = ticket.neutral or ("", "")
            rows += [
                {
                    "id": ticket.id,
                    "origin": ticket.origin.name,
                    "destination": place.name,
                    "points": points,
                    "n_destinations": len(ticket.destinations),
                    "neutral_a": neutral_a,
                    "neutral_b": neutral_b,
                    "deck": ticket.deck,
                }
                for place, points in ticket.destinations
            ]
        return _frame(rows)

    def __repr__(self) -> str:
        return f"<tables of {self._name!r}: .cities, .routes, .tickets>"


def _frame(rows: list[dict[str, Any]], first: Sequence[str] = (), units: dict[str, str] | None = None) -> pd.DataFrame:
    import pandas as pd

    from ttr_analysis._notebook import as_table

    return as_table(pd.DataFrame(rows), first, units)


# -- graphs --------------------------------------------------------------------------------------------------------

_EDGE_FACTS: Final = ("id", "length", "color", "tunnel", "locomotives_allowed", "toll", "swap_size", "points")


def build_graph(title: str, cities: Iterable[City], routes: Sequence[Route]) -> nx.MultiGraph[str]:
    """
    Return a map as a frozen multigraph with a node for each city and an edge for each track: see `GameMap.graph`.

    >>> G = ttr.load_map("nordic").graph
    >>> G.number_of_nodes(), G.number_of_edges(), G.edges["Helsinki", "Stockholm", 0]["ferry"]
    (39, 81, 2)
    """
    import networkx as nx

    G: nx.MultiGraph[str] = nx.MultiGraph(name=title)
    double = double_routes(routes)
    _add_cities(G, cities)
    for route in routes:
        facts = {fact: getattr(route, fact) for fact in _EDGE_FACTS}
        is_double = frozenset(route.cities) in double
        G.add_edge(*route.cities, key=route.track, **facts, double=is_double, ferry=route.locomotives)
    nx.freeze(G)
    return G


def build_simple_graph(title: str, cities: Iterable[City], routes: Iterable[Route]) -> nx.Graph[str]:
    """
    Return a map as a frozen simple graph with one edge for each pair of adjacent cities.

    >>> G = ttr.load_map("nordic").simple_graph
    >>> G.number_of_edges(), G.edges["Kristiansand", "Stavanger"]
    (67, {'length': 2, 'n_tracks': 2, 'n_spaces': 5})
    """
    import networkx as nx

    G: nx.Graph[str] = nx.Graph(name=title)
    _add_cities(G, cities)
    for route in routes:
        before = G.get_edge_data(*route.cities) or {"length": route.length, "n_tracks": 0, "n_spaces": 0}
        G.add_edge(
            *route.cities,
            length=min(route.length, before["length"]),
            n_tracks=before["n_tracks"] + 1,
            n_spaces=before["n_spaces"] + route.length,
        )
    nx.freeze(G)
    return G


def _add_cities(G: nx.Graph[str], cities: Iterable[City]) -> None:
    for city in cities:
        G.add_node(city.name, lat=city.lat, lon=city.lon, x=city.x, y=city.y, country=city.country)


# -- files ---------------------------------------------------------------------------------------------------------

GraphFile = Literal["graphml", "adjacency", "edges"]
"""File types of graphs."""
_ENDS: Final[dict[GraphFile, tuple[str, ...]]] = {
    "graphml": (".graphml", ".xml"),
    "adjacency": (".csv", ".txt"),
    "edges": (".csv", ".txt"),
}


def graph_text(path: str | os.PathLike[str], kind: GraphFile, G: nx.MultiGraph[str], tables: MapFrames) -> str:
    """Return the text of a graph file, or raise a ValueError as `GameMap.export` does."""
    if kind not in _ENDS:
        raise ValueError(f"kind must be one of {', '.join(_ENDS)}, got {kind!r}")
    end = Path(path).suffix.lower()
    if end and end not in _ENDS[kind]:
        others = [f'kind="{other}"' for other, ends in _ENDS.items() if end in ends]
        hint = f", or use {listed(others, 'or')}" if others else ""
        raise ValueError(f"expected a file that ends in {_ENDS[kind][0]} for {kind}{hint}, got {Path(path).name!r}")
    match kind:
        case "graphml":
            import networkx as nx

            return "\n".join(nx.generate_graphml(nx.MultiGraph(G), edge_id_from_attribute="id"))
        case "adjacency":
            return _adjacency(tables)
        case "edges":
            safe = tables.routes.map(lambda value: safe_cell(value) if isinstance(value, str) else value)
            return safe.to_csv(index=False)


def _adjacency(tables: MapFrames) -> str:
    import pandas as pd

    names = list(tables.cities["name"])
    matrix = pd.DataFrame(index=names, columns=names, dtype="object")
    routes = tables.routes.sort_values("length", ascending=False)
    for a, b, length in zip(routes["city_a"], routes["city_b"], routes["length"], strict=True):
        matrix.loc[a, b] = matrix.loc[b, a] = length
    return matrix.rename(index=safe_cell, columns=safe_cell).to_csv()
