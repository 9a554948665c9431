"""`GameMap`: a board with its tickets and rules, with lookup by name, what-if changes, and conversions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from ttr_analysis._decoding import FaultList, write_atomically
from ttr_analysis._errors import AmbiguousNameError, MapError, UnknownNameError
from ttr_analysis._upward import render_html
from ttr_analysis._words import listed
from ttr_analysis.cards import ROUTE_COLORS, kind_name
from ttr_analysis.maps.board import City, Place, Route, Ticket, double_routes
from ttr_analysis.maps.names import (
    LinkIndex,
    NameIndex,
    city_names,
    name_track,
    other_city_names,
    route_link,
    ticket_link,
)
from ttr_analysis.maps.rows import SetTicket, check_rows, map_rows, read_route, route_under, table_texts, tickets_of
from ttr_analysis.maps.toml_files import STRATEGY_FILE, Fitted, rules_text, strategies_text
from ttr_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    import networkx as nx

    from ttr_analysis.maps.forms import GraphFile, MapFrames

__all__ = [
    "City",
    "CityLike",
    "GameMap",
    "Place",
    "Route",
    "RouteLike",
    "Ticket",
    "TicketLike",
    "first_equal",
    "home_of",
]

CityLike = City | str
"""A city, or its name."""

RouteLike = (
    Route
    | str
    | tuple[CityLike, CityLike]
    | tuple[CityLike, CityLike, int]
    | tuple[CityLike, CityLike, Mapping[str, Any]]
    | tuple[CityLike, CityLike, int, Mapping[str, Any]]
)
"""
A route, or a name for it: its id; its cities, as one string or a pair, which mean all tracks between them; or an edge
of the graph, with its track, its data or both.
"""

TicketLike = Ticket | str | tuple[CityLike | Place, CityLike | Place]
"""A ticket, or a name for it: its id, or its places, as one string or a pair."""


@dataclass(frozen=True)
class GameMap:
    """
    A board with its tickets and rules.

    Parameters
    ----------
    name
        Short name: the name of its folder.
    title
        Display name.
    cities, places, routes, tickets
        Those in play. Each copy of a ticket counts.
    rules
        The rule set, including variants.
    all_tickets
        If variants play other tickets: all tickets of the folder, each with its sets;
        else empty.
    strategies
        The parameters of `Planner` on this map. They are not facts of the game, so
        comparing maps ignores them.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> nordic
    <GameMap 'nordic': 39 cities, 81 routes, 46 tickets, 2-3 players>
    >>> nordic.route("lieksa", "murmansk").points
    27
    """

    name: str
    title: str
    cities: tuple[City, ...]
    places: tuple[Place, ...]
    routes: tuple[Route, ...]
    tickets: tuple[Ticket, ...]
    rules: RuleSet
    all_tickets: tuple[SetTicket, ...] = field(default=(), repr=False)
    strategies: tuple[Fitted, ...] = field(default=(), compare=False, repr=False)

    # -- lookup -----------------------------------------------------------

    def city(self, name: CityLike) -> City:
        """
        Return a city by any of its names, ignoring case, accents and hyphens.

        Raises
        ------
        UnknownNameError
            If there is none; the message suggests the nearest names. A country is a
            `place`, not a city.

        Examples
        --------
        >>> ttr.load_map("europe").city("Vienna")
        <City 'Wien', Austria>
        """
        wanted = name.name if isinstance(name, City) else name
        try:
            return self._cities.find("city", wanted)
        except UnknownNameError:
            if wanted not in self._places:
                raise
        points = self.place(wanted).cities
        hint = f"it is a country, which `place` finds; its border points are {listed(points)}"
        raise UnknownNameError("city", wanted, points, hint=hint)

    def place(self, name: CityLike | Place) -> Place:
        """Return the city or country that a ticket names, or raise an UnknownNameError."""
        return self._places.find("city or country", name.name if isinstance(name, City | Place) else name)

    def routes_between(self, a: CityLike, b: CityLike) -> tuple[Route, ...]:
        """Return the tracks between two cities, none to two; raise an UnknownNameError for an unknown city."""
        return self._by_ends.get(frozenset((self.city(a).name, self.city(b).name)), ())

    def route(
        self, a: RouteLike | City, b: CityLike | None = None, *, color: str | None = None, track: int | None = None
    ) -> Route:
        """
        Return one route.

        Parameters
        ----------
        a, b
            The two cities in any order; or a single name of the route: its id, its cities
            as one string, or an edge of the graph.
        color, track
            Picks a track of a double route.

        Raises
        ------
        UnknownNameError
            If there is no such city or route; the message lists what exists.
        AmbiguousNameError
            If both tracks of a double route match.

        Examples
        --------
        >>> nordic = ttr.load_map("nordic")
        >>> nordic.route("Oslo", "Bergen", color="red").id
        'Bergen-Oslo/1'
        >>> nordic.route("Oslo – Bergen (red, 4)") == nordic.route("bergen-oslo/1")
        True
        """
        tracks = self._resolve_route(a if b is None else (a, b))
        wanted = None if color is None else kind_name("color", color, ROUTE_COLORS)
        fitting = [r for r in tracks if wanted in (None, r.color) and track in (None, r.track)]
        name = "-".join(tracks[0].cities if b is None else (self.city(end).name for end in (a, b)))  # type: ignore[arg-type] # both are cities, or `_resolve_route` raised
        if not fitting:
            full = " ".join([name, *([color] if color else []), *([f"track {track}"] if track is not None else [])])
            raise UnknownNameError("route", full, [name_track(r) for r in tracks])
        if len(fitting) > 1:
            raise AmbiguousNameError("route", name, [name_track(r) for r in fitting])
        return fitting[0]

    def ticket(self, origin: TicketLike | City | Place, destination: CityLike | Place | None = None) -> Ticket:
        """
        Return one ticket.

        Parameters
        ----------
        origin, destination
            The two places in any order; or a single name of the ticket: its id, its places
            as one string, or the origin of a ticket to countries. Among equal copies, the
            first is returned.

        Raises
        ------
        UnknownNameError
            If there is no such place or ticket.
        AmbiguousNameError
            If several tickets match; the message lists their ids.

        Examples
        --------
        >>> ttr.load_map("nordic").ticket("murmansk", "kobenhavn").points
        24
        """
        return self._resolve_ticket(origin if destination is None else (origin, destination))

    def resolve_routes(self, routes: Iterable[RouteLike]) -> tuple[Route, ...]:
        """
        Return the routes that a user named, in map order, each once.

        Parameters
        ----------
        routes
            Routes, or names for them: ids, strings as printed, edges of the graph; or pairs
            of cities, for all tracks between them. A NetworkX graph means its edges.

        Raises
        ------
        UnknownNameError
            If a name is not on this map, or if a list of single cities is given; only pairs
            of cities name routes.

        Examples
        --------
        >>> import networkx as nx
        >>> nordic = ttr.load_map("nordic")
        >>> tree = nx.minimum_spanning_tree(nordic.graph, weight="length")
        >>> len(nordic.resolve_routes(tree))
        38
        >>> path = nx.shortest_path(nordic.graph, "Oslo", "Sundsvall")
        >>> [route.id for route in nordic.resolve_routes(nx.utils.pairwise(path))]
        ['Oslo-Örebro/0', 'Oslo-Örebro/1', 'Sundsvall-Örebro/0']
        """
        items = _list_routes(routes)
        if len(items) > 1 and self._are_cities(items):
            raise _city_list_error(items)
        found = {route.id for item in items for route in self._resolve_route(item)}
        return tuple(r for r in self.routes if r.id in found)

    def _are_cities(self, items: Iterable[object]) -> bool:
        return all(isinstance(item, City) or (isinstance(item, str) and item in self._cities) for item in items)

    def _resolve_route(self, item: object) -> tuple[Route, ...]:
        match item:
            case (_, _, *_, {"id": str(edge)}):
                return self._routes.find(edge)
            case (a, b, *track, Mapping()):
                return self._resolve_route((a, b, *track))
            case (_, _, _, *_) if self._are_cities(item):
                raise _city_list_error(item)
            case Route():
                (here,) = self._routes.find(item.id)
                if here != item:
                    msg = f"route {item.id} belongs to another map: {item} there, {here} here"
                    raise ValueError(msg)
                return (here,)
            case str():
                return self._routes.find(item)
            case ((str() | City()) as a, (str() | City()) as b, *track) if len(track) <= 1:
                tracks = self.routes_between(a, b)
                edge = "/".join([f"{self.city(a).name}-{self.city(b).name}", *map(str, track)])
                return tuple(r for r in tracks if not track or r.track == track[0]) or self._routes.find(edge)
            case _:
                msg = f"expected a Route, a route id or a pair of cities, got {item!r}"
                raise TypeError(msg)

    def resolve_tickets(self, tickets: Iterable[TicketLike]) -> tuple[Ticket, ...]:
        """
        Return the tickets that a user named, in the order given.

        Parameters
        ----------
        tickets
            Tickets (also your own, between places of this map), or names for them: ids,
            strings as printed, or pairs of places.

        Raises
        ------
        UnknownNameError, AmbiguousNameError
            If a name is not on this map, or matches several tickets.
        """
        if isinstance(tickets, Ticket | str):
            tickets = [tickets]
        return tuple(self._resolve_ticket(item) for item in tickets)

    def _resolve_ticket(self, item: object) -> Ticket:
        match item:
            case Ticket():
                for place in (item.origin, *(place for place, _ in item.destinations)):
                    for city in place.cities:
                        self.city(city)
                return item
            case City() | Place():
                name = item.name
            case str():
                name = item
            case ((str() | City() | Place()) as a, (str() | City() | Place()) as b):
                name = f"{self.place(a).name}-{self.place(b).name}"
            case _:
                msg = f"expected a Ticket, a ticket id or a pair of places, got {item!r}"
                raise TypeError(msg)
        fitting = self._tickets.find(name)
        if len({(t.origin, t.destinations, t.neutral) for t in fitting}) > 1:
            raise AmbiguousNameError("ticket", name, [t.id for t in fitting])
        return fitting[0]

    def twin(self, route: Route) -> Route | None:
        """
        Return the other track of a double route, or None.

        Decision: routes to two border points of a country are separate routes, even from the
        same city (as from Kreuzlingen to Germany), and one player may own both. The rule
        sheet only counts the routes to each country.
        """
        others = [r for r in self._by_ends[frozenset(route.cities)] if r.id != route.id]
        return others[0] if others else None

    @cached_property
    def route_numbers(self) -> dict[str, int]:
        """Positions of the routes in `routes` by their ids."""
        return {route.id: i for i, route in enumerate(self.routes)}

    @cached_property
    def ticket_numbers(self) -> dict[str, int]:
        """Positions of the tickets in `tickets` by their ids."""
        return {ticket.id: i for i, ticket in enumerate(self.tickets)}

    @cached_property
    def city_numbers(self) -> dict[str, int]:
        """Positions of the cities in `cities` by their names."""
        return {city.name: i for i, city in enumerate(self.cities)}

    @property
    def border_points(self) -> tuple[str, ...]:
        """Names of the cities that are border points of a country, which are dead ends."""
        return tuple(city for place in self.places if place.is_country for city in place.cities)

    # -- conversions --------------------------------------------------------

    @cached_property
    def graph(self) -> nx.MultiGraph[str]:
        """
        The map as a frozen NetworkX multigraph with an edge for each track.

        Nodes are city names with `lat`, `lon`, `x`, `y`, `country`; edge keys are
        tracks 0 and 1; edges have `id`, `length`, `color` ("gray" = any), `double`,
        `tunnel`, `ferry` (number of locomotive symbols), `locomotives_allowed`,
        `toll`, `swap_size` and `points`. The library itself never reads values back
        from it.
        """
        from ttr_analysis.maps.forms import build_graph

        return build_graph(self.title, self.cities, self.routes)

    @cached_property
    def simple_graph(self) -> nx.Graph[str]:
        """
        The map as a frozen NetworkX graph with one edge for each pair of adjacent cities.

        For algorithms that do not accept multigraphs; `nx.Graph(graph)` might keep the longer
        track. Nodes are those of `graph`; edges have `length` (of the shortest track),
        `n_tracks` and `n_spaces` (of all tracks together).
        """
        from ttr_analysis.maps.forms import build_simple_graph

        return build_simple_graph(self.title, self.cities, self.routes)

    @property
    def tables(self) -> MapFrames:
        """The map as pandas tables: `.cities`, `.routes`, `.tickets`."""
        from ttr_analysis.maps.forms import MapFrames

        return MapFrames(self.name, self.cities, self.places, self.routes, self.tickets)

    def export(self, path: str | os.PathLike[str], *, kind: GraphFile = "graphml") -> None:
        """
        Write the graph of the map to a file for other programs.

        Parameters
        ----------
        kind
            "graphml" with all attributes (Gephi, yEd, Cytoscape), "adjacency": a CSV
            matrix of the shortest route between each pair of cities (in trains), empty if
            there is none, or "edges": a CSV table, one row per track.

        Raises
        ------
        ValueError
            If there is no such kind, or the file name has an ending of another kind.
        """
        from ttr_analysis.maps.forms import build_graph, graph_text

        G = build_graph(self.title, self.cities, self.routes)  # unaffected by a user's changes to `graph`
        write_atomically(path, graph_text(path, kind, G, self.tables))

    def to_folder(self, path: str | os.PathLike[str]) -> None:
        """Write the map as a folder for `load_map`: a new one, or one whose map is replaced."""
        folder = Path(path).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        rows = map_rows(self.cities, self.places, self.routes, self._set_tickets, self.rules)
        texts = {**table_texts(rows), "rules.toml": rules_text(self.rules)}
        # A variant becomes a separate map.
        names = {self.rules.variant: "", **{rules.variant: rules.variant for rules in self.rules.variants}}
        if strategies := [replace(s, variant=names[s.variant]) for s in self.strategies if s.variant in names]:
            texts[STRATEGY_FILE] = strategies_text(strategies)
        for name, content in texts.items():
            write_atomically(folder / name, content)

    # -- other maps -----------------------------------------------------------

    def with_routes(self, *routes: Route | dict[str, Any]) -> GameMap:
        """
        Return the map with more routes: a what-if map.

        Parameters
        ----------
        routes
            Routes, or their columns as in `routes.csv`:
            `{"city_a": "Oslo", "city_b": "Vaasa", "length": 4, "color": "gray"}`.
            By default, `track` is the first free one.

        Raises
        ------
        MapError
            If the resulting map is not valid.
        """
        faults = FaultList(self.name, error=MapError)
        added: list[Route] = []
        for i, item in enumerate(routes, start=1):
            route = read_route(item, [*self.routes, *added], self.rules, faults.of(f"new route {i}"))
            if route is not None:
                added.append(route)
        faults.raise_if_any()
        return self._with((*self.routes, *added), self._set_tickets)

    def without(self, routes: Iterable[RouteLike]) -> GameMap:
        """
        Return the map without the given routes: a what-if map.

        The remaining track of a double route becomes a single route: track 0, also in its
        id.

        Parameters
        ----------
        routes
            Routes, route ids or pairs of cities.

        Raises
        ------
        UnknownNameError
            If a route is not on the map.
        MapError
            If the rest is not valid, for example not connected.
        """
        gone = {route.id for route in self.resolve_routes(routes)}
        kept = [route for route in self.routes if route.id not in gone]
        ends = {(frozenset(r.cities), r.track) for r in kept}
        tracks = tuple(_as_single(r) if r.track == 1 and (frozenset(r.cities), 0) not in ends else r for r in kept)
        double = double_routes(tracks)
        # The neutral player builds only on double routes.
        tickets = tuple(
            (replace(t, neutral=None) if t.neutral and frozenset(t.neutral) not in double else t, sets)
            for t, sets in self._set_tickets
        )
        return self._with(tracks, tickets)

    def with_variant(self, name: str | None) -> GameMap:
        """
        Return the map with the rules and tickets of a variant, or this map for None.

        Raises
        ------
        UnknownNameError
            If the map has no such variant.

        Examples
        --------
        >>> nederland = ttr.load_map("nederland")
        >>> sum(route.toll for route in nederland.with_variant("no_tolls").routes)
        0
        """
        rules = self.rules.with_variant(name)
        if rules is self.rules:
            return self
        routes = tuple(route_under(rules, route, self.rules) for route in self.routes)
        tickets = tickets_of(self._set_tickets, rules)
        variant = replace(self, title=rules.title, routes=routes, rules=rules, tickets=tickets, all_tickets=())
        return replace(first_equal(variant), strategies=self.strategies)

    def _with(self, routes: tuple[Route, ...], tickets: tuple[SetTicket, ...]) -> GameMap:
        """Return the map with other routes and tickets, after checking it."""
        faults = FaultList(self.name, error=MapError)
        check_rows(map_rows(self.cities, self.places, routes, tickets, self.rules), self.rules, faults)
        faults.raise_if_any()
        all_tickets = tickets if any(sets for _, sets in tickets) else ()
        return replace(self, routes=routes, tickets=tickets_of(tickets, self.rules), all_tickets=all_tickets)

    @property
    def _set_tickets(self) -> tuple[SetTicket, ...]:
        """All tickets with their sets; if a user has replaced the tickets, those in play, in all sets."""
        own = tuple((ticket, ()) for ticket in self.tickets)
        return self.all_tickets if tickets_of(self.all_tickets, self.rules) == self.tickets else own

    # -- internals ------------------------------------------------------------

    @cached_property
    def _cities(self) -> NameIndex[City]:
        return NameIndex(city_names(self.cities))

    @cached_property
    def _aliases(self) -> dict[str, tuple[str, ...]]:
        return other_city_names(self.cities)

    @cached_property
    def _places(self) -> NameIndex[Place]:
        others = [(name, place) for place in self.places for name in self._aliases.get(place.name, ())]
        return NameIndex([*others, *((place.name, place) for place in self.places)])

    @cached_property
    def _routes(self) -> LinkIndex[Route]:
        return LinkIndex("route", map(route_link, self.routes), self._aliases, self._cities.__contains__)

    @cached_property
    def _tickets(self) -> LinkIndex[Ticket]:
        return LinkIndex("ticket", map(ticket_link, self.tickets), self._aliases, self._places.__contains__)

    @cached_property
    def _by_ends(self) -> dict[frozenset[str], tuple[Route, ...]]:
        by_ends: dict[frozenset[str], tuple[Route, ...]] = {}
        for route in sorted(self.routes, key=lambda r: r.track):
            key = frozenset(route.cities)
            by_ends[key] = (*by_ends.get(key, ()), route)
        return by_ends

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.routes, self.tickets, self.rules))

    def __post_init__(self) -> None:
        _LIVING[id(self)] = self

    def __getstate__(self) -> dict[str, Any]:
        # Caches are left out: text hashes differ between processes.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(first_equal(GameMap(**state)).__getstate__())
        self.__post_init__()

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        low, high = self.rules.players
        return (
            f"<GameMap {self.name!r}: {len(self.cities)} cities, {len(self.routes)} routes, "
            f"{len(self.tickets)} tickets, {low}-{high} players>"
        )

    _repr_html_ = render_html


@lru_cache(maxsize=64)
def first_equal(game_map: GameMap) -> GameMap:
    """Return the first map with the same facts, since comparing maps is fast if they share their objects."""
    return game_map


_LIVING: Final[WeakValueDictionary[int, GameMap]] = WeakValueDictionary()
"""All maps in use: a route or ticket is displayed on the board of its map, but has no reference to it."""


def home_of(*, routes: Iterable[Route] = (), tickets: Iterable[Ticket] = ()) -> GameMap | None:
    """
    Return a map with the given routes and tickets, or None; among several, the one with the most routes.

    >>> nordic = ttr.load_map("nordic")
    >>> home_of(tickets=[nordic.ticket("Oslo", "Vaasa")]).name
    'nordic'
    """
    routes, tickets = [*routes], [*tickets]
    homes = [
        game_map
        for living in _LIVING.valuerefs()
        if (game_map := living()) is not None
        and all(route in game_map.routes for route in routes)
        and all(ticket in game_map.tickets for ticket in tickets)
    ]
    return max(homes, key=lambda game_map: len(game_map.routes), default=None)


def _list_routes(routes: Any) -> list[Any]:  # noqa: ANN401 - any names for routes
    """Return names for routes as a list; for a NetworkX graph, its edges with their data."""
    if isinstance(routes, Route | str):
        return [routes]
    if hasattr(routes, "is_multigraph"):
        return [*(routes.edges(keys=True, data=True) if routes.is_multigraph() else routes.edges(data=True))]
    if not isinstance(routes, Iterable):
        msg = f"expected routes, or names for them, got {routes!r}"
        raise TypeError(msg)
    return [*routes]


def _city_list_error(cities: Sequence[object]) -> UnknownNameError:
    """Return the error for a list of cities given in place of routes."""
    first, second, *_ = (city.name if isinstance(city, City) else city for city in cities)
    hint = (
        f"it is a city; name routes by pairs of cities, as [{(first, second)}], "
        "and those along a path of cities by zip(path, path[1:]) or nx.utils.pairwise(path)"
    )
    return UnknownNameError("route", first, hint=hint)


def check_route(route: object) -> None:
    """Raise a `TypeError` for anything other than a route, such as its id, which needs a map."""
    if not isinstance(route, Route):
        if isinstance(route, str | tuple):
            msg = f"expected a Route, such as game_map.route({route!r}): there is no map here to look the name up in"
        else:
            msg = f"expected a Route, such as game_map.route('Oslo', 'Helsinki'), got {route!r}"
        raise TypeError(msg)


def _as_single(route: Route) -> Route:
    """Turn a remaining second track into the first, as if read from a folder."""
    return replace(route, track=0, id=f"{route.cities[0]}-{route.cities[1]}/0")
