"""A map: cities, places, routes, tickets, and the board that is asked by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from ttr_analysis._display import render_html
from ttr_analysis._errors import AmbiguousNameError, UnknownNameError
from ttr_analysis.maps.names import NameIndex, fold

if TYPE_CHECKING:
    import os

    import networkx as nx

    from ttr_analysis.maps.frames import MapFrames
    from ttr_analysis.maps.graph import GraphFile
    from ttr_analysis.rules.ruleset import RouteKind, RuleSet


@dataclass(frozen=True, slots=True)
class City:
    """
    A city, or a border point where a route leaves the country.

    Parameters
    ----------
    name
        As printed on the board, with accents; the node of the graph.
    label
        The text in pictures, where it differs from the name.
    lat, lon
        Position in degrees, WGS84.
    x, y
        Position on the board picture, y upwards.
    country
        The country it lies in.
    label_at
        Side of the city's dot on which its label stands in pictures: "N",
        "NE" and so on; "" for the side with the most room.
    """

    name: str
    label: str
    lat: float
    lon: float
    x: float
    y: float
    country: str
    label_at: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """
    What a ticket names: one city, or a country by all its border points.

    Parameters
    ----------
    name
        Name of the city or country.
    cities
        Names of the cities, any of which will do.
    """

    name: str
    cities: tuple[str, ...]

    @property
    def is_country(self) -> bool:
        """Whether the place is a country: its cities are border points, each a dead end."""
        return self.cities != (self.name,)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True, slots=True)
class Route:
    """
    One track of car spaces between two cities.

    Parameters
    ----------
    id
        Stable text, for records and messages: `"Bergen-Oslo/0"`.
    cities
        Its two ends.
    track
        0, or 1 for the second track of a double route.
    length
        Car spaces, locomotive symbols included (trains).
    color
        A card color, or "gray" for any one color.
    tunnel
        Whether it is a tunnel.
    locomotives
        Locomotive symbols among its spaces; more than 0 on a ferry.
    locomotives_allowed
        Whether a locomotive may be played as a joker.
    swap_size
        So many cards of any kind may stand in for one card; 0: not allowed.
    swap_fills
        Spaces that such a set may fill: "any", or "symbols" only.
    toll
        Tokens that claiming it costs.
    points
        Points for claiming it.
    """

    id: str
    cities: tuple[str, str]
    track: int
    length: int
    color: str
    tunnel: bool
    locomotives: int
    locomotives_allowed: bool
    swap_size: int
    swap_fills: Literal["any", "symbols"]
    toll: int
    points: int

    @property
    def kind(self) -> RouteKind:
        """Whether it is a "tunnel", a "ferry" or "plain"."""
        return "tunnel" if self.tunnel else "ferry" if self.locomotives else "plain"

    def other_end(self, city: str) -> str:
        """
        Return the city at the other end.

        Raises
        ------
        ValueError
            If the route does not touch `city`.
        """
        a, b = self.cities
        if city not in self.cities:
            msg = f"route {self.id} does not touch {city}"
            raise ValueError(msg)
        return b if city == a else a

    def __eq__(self, other: object) -> bool:
        """Return whether two routes are the same; their ids, compared first, nearly always tell them apart."""
        if self is other:
            return True
        if not isinstance(other, Route):
            return NotImplemented
        return self.id == other.id and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        """Return the route in words, for messages."""
        a, b = self.cities
        return f"{a}-{b} ({self.color}, {self.length})"


_facts: Callable[[Route], tuple[object, ...]] = attrgetter(*(field.name for field in fields(Route)))
"""All fields of a route."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """
    A destination ticket.

    Parameters
    ----------
    id
        Stable text, for records and messages: `"Bergen-Narvik"`.
    origin
        Where it begins.
    destinations
        Where it may end, each with its points; more than one on tickets to
        countries.
    neutral
        The two cities at its foot between which the neutral player builds, or
        None.
    """

    id: str
    origin: Place
    destinations: tuple[tuple[Place, int], ...]
    neutral: tuple[str, str] | None = None

    @property
    def points(self) -> int:
        """Points of the best destination."""
        return max(points for _, points in self.destinations)

    @property
    def penalty(self) -> int:
        """Points lost if no destination is reached: those of the lowest one."""
        return min(points for _, points in self.destinations)

    def score(self, reached: Iterable[str]) -> int:
        """
        Return the points of the ticket.

        Parameters
        ----------
        reached
            Names of the destinations that the player's network joins to the
            origin.

        Returns
        -------
        points
            Those of the best destination reached, or minus the lowest of all
            if there is none.
        """
        names = set(reached)
        return max((points for place, points in self.destinations if place.name in names), default=-self.penalty)

    def __str__(self) -> str:
        """Return the ticket in words, for messages."""
        ends = ", ".join(f"{place} {points}" for place, points in self.destinations)
        return f"{self.origin} to {ends}"


# -- a board with its tickets and rules as an immutable value that is asked by name --------------------------------

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
        """Return the other track of a double route, or None."""
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

        return build_graph(self)

    @property
    def tables(self) -> MapFrames:
        """The map as pandas tables: `.cities`, `.routes`, `.tickets`."""
        from ttr_analysis.maps.frames import MapFrames

        return MapFrames(self)

    def with_routes(self, *routes: Route | dict[str, Any]) -> GameMap:
        """
        Return the map with more routes: a what-if map.

        Parameters
        ----------
        routes
            Routes, or their columns as in `routes.csv`:
            `{"city_a": "Oslo", "city_b": "Vaasa", "length": 4, "color": "gray"}`.

        Raises
        ------
        MapError
            If the map with them is not valid.
        """
        from ttr_analysis.maps.editing import with_routes

        return with_routes(self, routes)

    def without(self, routes: Iterable[RouteLike]) -> GameMap:
        """
        Return the map without some routes: a what-if map.

        Raises
        ------
        UnknownNameError
            If a route is not on the map.
        MapError
            If the rest is not valid: not connected, say.
        """
        from ttr_analysis.maps.editing import without

        return without(self, routes)

    def to_folder(self, path: str | os.PathLike[str]) -> None:
        """
        Write the map as a folder that `load_map` reads.

        Parameters
        ----------
        path
            A new folder, or one whose map is to be replaced.
        """
        from ttr_analysis.maps.editing import to_folder

        to_folder(self, path)

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
        from ttr_analysis.maps.editing import with_variant

        return with_variant(self, name)

    def export(self, path: str | os.PathLike[str], *, kind: GraphFile = "graphml") -> None:
        """
        Write the graph of the map to a file that other programs read.

        Parameters
        ----------
        path
            The file.
        kind
            "graphml", "adjacency" or "edges": see `export_graph`.
        """
        from ttr_analysis.maps.graph import export_graph

        export_graph(self, path, kind=kind)

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
