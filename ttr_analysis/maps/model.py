"""`GameMap`: a board with its tickets and rules, asked by name, changed for a what-if, and given in other forms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttr_analysis._display import render_html
from ttr_analysis._errors import AmbiguousNameError, Fault, MapError, UnknownNameError
from ttr_analysis.maps.board import City, Place, Route, Ticket, double_routes
from ttr_analysis.maps.decoding import encode_rules
from ttr_analysis.maps.names import NameIndex, fold
from ttr_analysis.maps.reading import write_atomically
from ttr_analysis.maps.rows import (
    CITY_COLUMNS,
    PLACE_COLUMNS,
    ROUTE_COLUMNS,
    TICKET_COLUMNS,
    map_rows,
    read_route,
    route_under,
    to_csv,
)
from ttr_analysis.maps.validation import check_rows
from ttr_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    import networkx as nx

    from ttr_analysis.maps.frames import MapFrames
    from ttr_analysis.maps.graph import GraphFile

__all__ = ["City", "GameMap", "Place", "Route", "RouteLike", "Ticket", "TicketLike", "first_equal"]

RouteLike = Route | str | tuple[str, str]
"""A route, a route id, or a pair of cities: all tracks between them."""

TicketLike = Ticket | str | tuple[str, str]
"""A ticket, a ticket id, or the pair of places that it joins."""


@dataclass(frozen=True)
class GameMap:
    """
    A board with its tickets and rules.

    Parameters
    ----------
    name
        Short name: of its folder.
    title
        Name for people.
    cities, places, routes, tickets
        All of them. Each copy of a ticket counts.
    rules
        The rule set, variants included.

    Examples
    --------
    >>> import ttr_analysis as ttr
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

    # -- looking things up ------------------------------------------------

    def city(self, name: str) -> City:
        """
        Return a city by name, whatever the case and accents.

        Raises
        ------
        UnknownNameError
            If there is none; the message names the nearest ones.
        """
        return self._cities.find("city", name)

    def place(self, name: str) -> Place:
        """
        Return what a ticket can name: a city, or a country.

        Raises
        ------
        UnknownNameError
            If there is none.
        """
        return self._places.find("city or country", name)

    def routes_between(self, a: str, b: str) -> tuple[Route, ...]:
        """
        Return the tracks between two cities: none, one or two.

        Raises
        ------
        UnknownNameError
            If there is no such city.
        """
        return self._by_ends.get(frozenset((self.city(a).name, self.city(b).name)), ())

    def route(self, a: str, b: str | None = None, *, color: str | None = None, track: int | None = None) -> Route:
        """
        Return one route.

        Parameters
        ----------
        a, b
            The two cities in any order; or the id of the route alone.
        color, track
            Tell the two tracks of a double route apart.

        Raises
        ------
        UnknownNameError
            If there is no such city or route; the message says what there is.
        AmbiguousNameError
            If both tracks of a double route fit.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> nordic = ttr.load_map("nordic")
        >>> nordic.route("Oslo", "Bergen", color="red").id
        'Bergen-Oslo/1'
        """
        if b is None:
            return self._route_by_id(a)
        ends = (self.city(a).name, self.city(b).name)
        tracks = self.routes_between(*ends)
        if not tracks:
            neighbors = sorted({r.other_end(ends[0]) for r in self.routes if ends[0] in r.cities})
            raise UnknownNameError("route", f"{ends[0]}-{ends[1]}", [f"{ends[0]}-{city}" for city in neighbors])
        fitting = [r for r in tracks if color in (None, r.color) and track in (None, r.track)]
        if not fitting:
            wanted = " ".join([*([color] if color else []), *([f"track {track}"] if track is not None else [])])
            raise UnknownNameError("route", f"{ends[0]}-{ends[1]} {wanted}", [f"{r} track {r.track}" for r in tracks])
        if len(fitting) > 1:
            raise AmbiguousNameError("route", f"{ends[0]}-{ends[1]}", [f"{r} track {r.track}" for r in fitting])
        return fitting[0]

    def _route_by_id(self, name: str) -> Route:
        try:
            return self._routes.find("route", name)
        except UnknownNameError:
            # A city's name is the likely slip where a pair of cities was meant.
            of_city = [r.id for r in self.routes if any(fold(name) == fold(city) for city in r.cities)]
            if of_city:
                raise UnknownNameError("route", name, of_city) from None
            raise

    def ticket(self, origin: str, destination: str | None = None) -> Ticket:
        """
        Return one ticket.

        Parameters
        ----------
        origin, destination
            The two places in any order; or the id of the ticket alone, or the
            origin of a ticket to countries.

        Raises
        ------
        UnknownNameError
            If there is no such place or ticket.
        AmbiguousNameError
            If several tickets fit; the message lists their ids.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> ttr.load_map("nordic").ticket("murmansk", "kobenhavn").points
        24
        """
        if destination is None:
            return self._ticket_by_id(origin)
        a, b = self.place(origin).name, self.place(destination).name
        fitting = [t for t in self.tickets if _names_both(t, a, b)]
        if not fitting:
            of_a = [t.id for t in self.tickets if a == t.origin.name or any(a == p.name for p, _ in t.destinations)]
            raise UnknownNameError("ticket", f"{a}-{b}", of_a)
        if len(fitting) > 1:
            raise AmbiguousNameError("ticket", f"{a}-{b}", [t.id for t in fitting])
        return fitting[0]

    def _ticket_by_id(self, name: str) -> Ticket:
        try:
            return self._tickets.find("ticket", name)
        except UnknownNameError:
            # A place's name is the likely slip where a pair of places was meant.
            ends = {t.id: [t.origin.name, *(place.name for place, _ in t.destinations)] for t in self.tickets}
            of_place = [id_ for id_, names in ends.items() if fold(name) in map(fold, names)]
            copies = [t.id for t in self.tickets if fold(t.origin.name) == fold(name) and len(t.destinations) > 1]
            if len(copies) > 1:
                raise AmbiguousNameError("ticket", name, copies) from None
            if of_place:
                raise UnknownNameError("ticket", name, of_place) from None
            raise

    def resolve_routes(self, routes: Iterable[RouteLike]) -> tuple[Route, ...]:
        """
        Return the routes that a user named.

        Parameters
        ----------
        routes
            Routes, route ids, or pairs of cities (all tracks between them).

        Returns
        -------
        routes
            Routes of this map, in the order of the map, each once.

        Raises
        ------
        UnknownNameError
            If something named is not on this map.
        """
        if isinstance(routes, Route | str):
            routes = [routes]
        found = {route.id for item in routes for route in self._resolve_route(item)}
        return tuple(r for r in self.routes if r.id in found)

    def _resolve_route(self, item: object) -> tuple[Route, ...]:
        match item:
            case Route():
                here = self._routes.find("route", item.id)
                if here != item:
                    msg = f"route {item.id} is of another map: {item} there, {here} here"
                    raise ValueError(msg)
                return (here,)
            case str():
                return (self._route_by_id(item),)
            case (str(a), str(b)):
                return self.routes_between(a, b) or (self.route(a, b),)
            case _:
                msg = f"expected a Route, a route id or a pair of cities, got {item!r}"
                raise TypeError(msg)

    def resolve_tickets(self, tickets: Iterable[TicketLike]) -> tuple[Ticket, ...]:
        """
        Return the tickets that a user named, in the order given.

        Parameters
        ----------
        tickets
            Tickets (home-made ones too, between places of this map), ticket
            ids, or pairs of places.

        Raises
        ------
        UnknownNameError, AmbiguousNameError
            If something named is not on this map, or fits several tickets.
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
            case str():
                return self.ticket(item)
            case (str(a), str(b)):
                return self.ticket(a, b)
            case _:
                msg = f"expected a Ticket, a ticket id or a pair of places, got {item!r}"
                raise TypeError(msg)

    def twin(self, route: Route) -> Route | None:
        """
        Return the other track of a double route, or None.

        Decision: routes to two border points of a country are two routes,
        both of which one player may hold, though they begin in one city, as
        from Kreuzlingen to Germany. The sheet only counts the routes to each
        country.
        """
        others = [r for r in self._by_ends[frozenset(route.cities)] if r.id != route.id]
        return others[0] if others else None

    @property
    def border_points(self) -> tuple[str, ...]:
        """Names of the cities that are border points of a country: dead ends."""
        return tuple(city for place in self.places if place.is_country for city in place.cities)

    # -- other forms --------------------------------------------------------

    @cached_property
    def graph(self) -> nx.MultiGraph[str]:
        """
        The map as a frozen NetworkX multigraph.

        Nodes are city names with `lat`, `lon`, `x`, `y`, `country`; edge keys
        are tracks 0 and 1; edges have `id`, `length`, `color`, `double`,
        `tunnel`, `ferry` (number of locomotive symbols),
        `locomotives_allowed`, `toll`, `swap_size` and `points`. The library
        itself never reads values back from it.
        """
        from ttr_analysis.maps.graph import build_graph

        return build_graph(self.title, self.cities, self.routes)

    @property
    def tables(self) -> MapFrames:
        """The map as pandas tables: `.cities`, `.routes`, `.tickets`."""
        from ttr_analysis.maps.frames import MapFrames

        return MapFrames(self.name, self.cities, self.places, self.routes, self.tickets)

    def export(self, path: str | os.PathLike[str], *, kind: GraphFile = "graphml") -> None:
        """
        Write the graph of the map to a file that other programs read.

        Parameters
        ----------
        path
            The file.
        kind
            "graphml" with all attributes (Gephi, yEd, Cytoscape),
            "adjacency": a CSV matrix of the fewest trains of a route between
            each two cities, empty where there is none, or "edges": a CSV
            table, one row per track.

        Raises
        ------
        ValueError
            If there is no such kind.
        """
        from ttr_analysis.maps.graph import build_graph, graph_text

        G = build_graph(self.title, self.cities, self.routes)  # whatever a user has done to `graph`
        write_atomically(path, graph_text(kind, G, self.tables))

    def to_folder(self, path: str | os.PathLike[str]) -> None:
        """
        Write the map as a folder that `load_map` reads.

        Parameters
        ----------
        path
            A new folder, or one whose map is to be replaced.
        """
        import tomli_w

        folder = Path(path).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        rows = map_rows(self.cities, self.places, self.routes, self.tickets, self.rules)
        files = {
            "cities.csv": to_csv(CITY_COLUMNS, rows.cities),
            "routes.csv": to_csv(ROUTE_COLUMNS, rows.routes),
            "tickets.csv": to_csv(TICKET_COLUMNS, rows.tickets),
            "places.csv": to_csv(PLACE_COLUMNS, rows.places),
            "rules.toml": tomli_w.dumps(encode_rules(self.rules)),
        }
        for name, content in files.items():
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
            A missing `track` is the first one that is free.

        Raises
        ------
        MapError
            If the map with them is not valid.
        """
        faults: list[Fault] = []
        added: list[Route] = []
        for i, item in enumerate(routes, start=1):
            route = read_route(item, f"new route {i}", [*self.routes, *added], self.rules, faults)
            if route is not None:
                added.append(route)
        if faults:
            raise MapError(self.name, faults)
        return self._with((*self.routes, *added), self.tickets)

    def without(self, routes: Iterable[RouteLike]) -> GameMap:
        """
        Return the map without some routes: a what-if map.

        The track left of a double route becomes a single route: track 0, in
        its id too.

        Parameters
        ----------
        routes
            Routes, route ids or pairs of cities.

        Raises
        ------
        UnknownNameError
            If a route is not on the map.
        MapError
            If the rest is not valid: not connected, say.
        """
        gone = {route.id for route in self.resolve_routes(routes)}
        kept = [route for route in self.routes if route.id not in gone]
        ends = {(frozenset(r.cities), r.track) for r in kept}
        tracks = tuple(_as_single(r) if r.track == 1 and (frozenset(r.cities), 0) not in ends else r for r in kept)
        double = double_routes(tracks)
        # The neutral player builds on double routes only.
        tickets = tuple(
            replace(t, neutral=None) if t.neutral and frozenset(t.neutral) not in double else t for t in self.tickets
        )
        return self._with(tracks, tickets)

    def with_variant(self, name: str | None) -> GameMap:
        """
        Return the map as one of its variants is played.

        Parameters
        ----------
        name
            The variant; None for the map itself.

        Raises
        ------
        UnknownNameError
            If the map has no such variant.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> nederland = ttr.load_map("nederland")
        >>> sum(route.toll for route in nederland.with_variant("no_tolls").routes)
        0
        """
        rules = self.rules.with_variant(name)
        if rules is self.rules:
            return self
        routes = tuple(route_under(rules, route, self.rules) for route in self.routes)
        return replace(first_equal(replace(self, title=rules.title, routes=routes, rules=rules)))

    def _with(self, routes: tuple[Route, ...], tickets: tuple[Ticket, ...]) -> GameMap:
        """Return the map with other routes and tickets, checked."""
        faults: list[Fault] = []
        check_rows(map_rows(self.cities, self.places, routes, tickets, self.rules), self.rules, faults)
        if faults:
            raise MapError(self.name, faults)
        return replace(self, routes=routes, tickets=tickets)

    # -- plumbing -------------------------------------------------------------

    @cached_property
    def _cities(self) -> NameIndex[City]:
        return NameIndex((c.name, c) for c in self.cities)

    @cached_property
    def _places(self) -> NameIndex[Place]:
        return NameIndex((p.name, p) for p in self.places)

    @cached_property
    def _routes(self) -> NameIndex[Route]:
        return NameIndex((r.id, r) for r in self.routes)

    @cached_property
    def _tickets(self) -> NameIndex[Ticket]:
        by_id = [(t.id, t) for t in self.tickets]
        n_copies = Counter(t.origin.name for t in self.tickets if len(t.destinations) > 1)
        by_origin = [
            (t.origin.name, t) for t in self.tickets if len(t.destinations) > 1 and n_copies[t.origin.name] == 1
        ]
        return NameIndex([*by_origin, *by_id])

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

    def __getstate__(self) -> dict[str, Any]:
        # What is cached is left out: hashes of texts differ from process to process.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(first_equal(GameMap(**state)).__getstate__())

    def __hash__(self) -> int:
        """Return a hash, computed once: maps are keys of the tables made from them."""
        return self._hash

    def __repr__(self) -> str:
        """Return the name and the counts."""
        low, high = self.rules.players
        return (
            f"<GameMap {self.name!r}: {len(self.cities)} cities, {len(self.routes)} routes, "
            f"{len(self.tickets)} tickets, {low}-{high} players>"
        )

    def _repr_html_(self) -> str:
        return render_html(self)


@lru_cache(maxsize=64)
def first_equal(game_map: GameMap) -> GameMap:
    """
    Return the first map with the same facts, of the latest ones.

    A map made of its cities, routes and rules is compared with it in no time:
    they are the same objects. Much is computed once for each map and looked up
    by it in every turn of a game; to compare all facts takes half a millisecond.
    """
    return game_map


def _names_both(ticket: Ticket, a: str, b: str) -> bool:
    """Return whether a ticket joins `a` and `b`, in any order."""
    ends = [place.name for place, _ in ticket.destinations]
    return (ticket.origin.name == a and b in ends) or (ticket.origin.name == b and a in ends)


def _as_single(route: Route) -> Route:
    """Return a lone second track as what it now is, the first: as it would be read from a folder."""
    return replace(route, track=0, id=f"{route.cities[0]}-{route.cities[1]}/0")
