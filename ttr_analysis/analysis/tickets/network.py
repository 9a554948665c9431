"""The network with the fewest trains for a set of tickets, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from ttr_analysis._display import render_html
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.tickets import forest
from ttr_analysis.analysis.tickets.forest import Ints
from ttr_analysis.maps.model import GameMap, Place, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.tables import map_tables

MAX_TICKETS = 7
"""The exact method takes three times as long for each end of a ticket."""


class NoNetworkError(ValueError):
    """
    Tickets that no network can complete.

    Parameters
    ----------
    tickets
        The tickets that cannot be completed.
    cut
        The closed routes that cut them off.
    """

    def __init__(self, tickets: Sequence[Ticket], cut: Sequence[Route]) -> None:
        self.tickets = tuple(tickets)
        self.cut = tuple(cut)
        names = "; ".join(str(ticket) for ticket in tickets)
        super().__init__(f"cannot be completed: {names}; cut off by closed routes {', '.join(r.id for r in cut)}")


@dataclass(frozen=True, slots=True)
class Network:
    """
    Routes to claim, and what they bring.

    Parameters
    ----------
    tickets
        The tickets it is for.
    routes
        The routes to claim, in the order of the map.
    owned
        Routes that the player owns already, all of them.
    reached
        For each ticket, the destinations that `routes` and `owned` join to
        its origin; empty if it is not completed.
    """

    tickets: tuple[Ticket, ...]
    routes: tuple[Route, ...]
    owned: tuple[Route, ...] = ()
    reached: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def length(self) -> int:
        """Trains that it takes, owned routes not counted."""
        return sum(route.length for route in self.routes)

    @property
    def toll(self) -> int:
        """Tokens that it takes."""
        return sum(route.toll for route in self.routes)

    @property
    def route_points(self) -> int:
        """Points for claiming its routes."""
        return sum(route.points for route in self.routes)

    @property
    def ticket_points(self) -> int:
        """Points of its tickets, those not completed counted against it."""
        return sum(ticket.score(reached) for ticket, reached in zip(self.tickets, self.reached, strict=True))

    @property
    def points(self) -> int:
        """Points of its routes and tickets together."""
        return self.route_points + self.ticket_points

    @property
    def n_tunnels(self) -> int:
        """Number of tunnels to claim."""
        return sum(route.tunnel for route in self.routes)

    @property
    def n_ferries(self) -> int:
        """Number of ferries to claim."""
        return sum(route.kind == "ferry" for route in self.routes)

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The cities of each connected part, owned routes included; the largest part first."""
        parts = join_cities(self.routes + self.owned)
        cities: dict[str, list[str]] = {}
        for city, part in parts.items():
            cities.setdefault(part, []).append(city)
        return tuple(sorted((tuple(sorted(part)) for part in cities.values()), key=lambda p: (-len(p), p)))

    def __repr__(self) -> str:
        """Return the counts."""
        tickets = f"{len(self.tickets)} ticket{'s' if len(self.tickets) != 1 else ''}"
        routes = f"{len(self.routes)} route{'s' if len(self.routes) != 1 else ''}"
        toll = f", toll {self.toll}" if self.toll else ""
        points = f"{self.points} points ({self.ticket_points} tickets + {self.route_points} routes)"
        return f"<Network for {tickets}: {self.length} trains in {routes}{toll}, {points}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def cheapest_network(
    game_map: GameMap,
    tickets: Iterable[TicketLike],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    destinations: Mapping[str, str] | None = None,
) -> Network:
    """
    Return the network with the fewest trains that completes tickets.

    A Steiner *forest*: the tickets need not hang together. Among networks
    with equally few trains it is one with the fewest routes to claim, then
    the lowest toll, then the fewest tunnels and ferries.

    Parameters
    ----------
    game_map
        The map.
    tickets
        Up to 7 tickets, ticket ids or pairs of places. A ticket to countries
        is complete at its cheapest destination; `reached` says which.
    closed
        Routes that others own: routes, route ids or pairs of cities (both
        tracks).
    owned
        Routes that the player owns: they cost nothing.
    destinations
        For a ticket to countries, by its id: the one to be reached.

    Returns
    -------
    network
        The network; its `routes` are those still to claim.

    Raises
    ------
    NoNetworkError
        If some ticket cannot be completed. It names the tickets, and the
        closed routes that cut them off.
    UnknownNameError, AmbiguousNameError
        If something named is not on the map.
    ValueError
        If there are more than 7 tickets, or a route is closed and owned.

    Notes
    -----
    Exact: Dreyfus and Wagner's dynamic program over the ends of the tickets
    [1]_, each end a group of cities, then over the ways to split the tickets
    into trees. Border points are dead ends, so that nothing passes through a
    country.

    References
    ----------
    .. [1] Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs",
       Networks 1, 195-207, 1971.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> ttr.tickets.cheapest_network(nordic, [("Oslo", "Vaasa"), ("Oslo", "Stockholm")])
    <Network for 2 tickets: 10 trains in 5 routes, 24 points (13 tickets + 11 routes)>
    """
    chosen = fix_destinations(game_map.resolve_tickets(tickets), destinations or {})
    solver = forest_solver(game_map, closed, owned)
    return solver.solve(chosen)


def fewest_trains(
    game_map: GameMap,
    sets: Iterable[Iterable[TicketLike]],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> list[int]:
    """
    Return the fewest trains for each of many sets of tickets, in one compiled call.

    Parameters
    ----------
    game_map
        The map.
    sets
        Sets of up to 7 tickets each.
    closed, owned
        As in `cheapest_network`.

    Returns
    -------
    trains
        For each set; -1 if it cannot be completed.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> fewest_trains(nordic, [["Oslo-Vaasa"], ["Oslo-Vaasa", "Oslo-Stockholm"]])
    [9, 10]
    """
    chosen = [game_map.resolve_tickets(tickets) for tickets in sets]
    solver = forest_solver(game_map, closed, owned)
    return [int(trains) for trains in solver.trains(chosen)]


def fix_destinations(tickets: Sequence[Ticket], destinations: Mapping[str, str]) -> tuple[Ticket, ...]:
    """
    Return tickets with only the destination that is fixed for them.

    Parameters
    ----------
    tickets
        Tickets.
    destinations
        Name of the destination by the id of the ticket.

    Raises
    ------
    UnknownNameError
        If there is no such ticket among them, or no such destination on it.
    """
    ids = [ticket.id for ticket in tickets]
    for name in destinations:
        if name not in ids:
            raise UnknownNameError("ticket among those given", name, ids)
    fixed = []
    for ticket in tickets:
        wanted = destinations.get(ticket.id)
        kept = tuple(pair for pair in ticket.destinations if wanted in (None, pair[0].name))
        if not kept:
            names = [place.name for place, _ in ticket.destinations]
            raise UnknownNameError(f"destination of {ticket.id}", wanted, names)
        fixed.append(ticket if wanted is None else replace(ticket, destinations=kept))
    return tuple(fixed)


def join_cities(routes: Iterable[Route]) -> dict[str, str]:
    """
    Return for each city that the routes touch one city that stands for its connected part.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> parts = join_cities(nordic.resolve_routes([("Oslo", "Bergen"), ("Lahti", "Imatra")]))
    >>> parts["Oslo"] == parts["Bergen"] != parts["Lahti"]
    True
    """
    above: dict[str, str] = {}

    def top(city: str) -> str:
        while (higher := above.setdefault(city, city)) != city:
            city = higher
        return city

    for route in routes:
        a, b = map(top, route.cities)
        above[a] = b
    return {city: top(city) for city in above}


def reached_destinations(ticket: Ticket, parts: Mapping[str, str]) -> tuple[str, ...]:
    """
    Return the destinations of a ticket that a network joins to its origin.

    Parameters
    ----------
    ticket
        The ticket.
    parts
        The network, as `join_cities` returns it.
    """
    origin = {parts[city] for city in ticket.origin.cities if city in parts}
    return tuple(
        place.name
        for place, _ in ticket.destinations
        if any(parts.get(city) in origin for city in place.cities if city in parts)
    )


class ForestSolver:
    """
    Solves for a map with some routes closed and some owned; distances are computed once.

    Parameters
    ----------
    game_map
        The map.
    closed, owned
        Routes of the map.
    """

    def __init__(self, game_map: GameMap, closed: tuple[Route, ...], owned: tuple[Route, ...]) -> None:
        self.game_map = game_map
        self.closed = closed
        self.owned = owned
        index = {route.id: i for i, route in enumerate(game_map.routes)}
        tables = map_tables(game_map)
        status = np.zeros(len(game_map.routes), dtype=np.int64)
        status[[index[route.id] for route in closed]] = forest.CLOSED
        status[[index[route.id] for route in owned]] = forest.OWNED
        special = (tables.tunnel > 0) | (tables.locomotives > 0)
        track = np.array([route.track for route in game_map.routes], dtype=np.int64)
        cost = np.array(
            [
                forest.packed_cost(int(length), int(toll), int(s), int(t))
                for length, toll, s, t in zip(tables.length, tables.toll, special, track, strict=True)
            ],
            dtype=np.int64,
        )
        between, self._track = forest.best_tracks(len(game_map.cities), tables.ends, cost, status)
        self._distance, self._step = forest.all_distances(between)

    def solve(self, tickets: Sequence[Ticket]) -> Network:
        """
        Return the cheapest network for tickets.

        Raises
        ------
        NoNetworkError
            If there is none.
        ValueError
            If there are too many tickets.
        """
        _check_number(tickets)
        if not tickets:
            return Network((), (), self.owned, ())
        groups, ends = ticket_groups(self.game_map, tickets)
        n_routes = len(self.game_map.routes)
        cost, used = forest.forest_routes(self._distance, self._step, self._track, groups, ends, n_routes)
        if cost >= forest.UNREACHABLE:
            raise self._no_network(tickets)
        bought = {route.id for route in self.owned}
        routes = tuple(
            r for r, is_used in zip(self.game_map.routes, used, strict=True) if is_used and r.id not in bought
        )
        parts = join_cities(routes + self.owned)
        return Network(
            tickets=tuple(tickets),
            routes=routes,
            owned=self.owned,
            reached=tuple(reached_destinations(ticket, parts) for ticket in tickets),
        )

    def trains(self, sets: Sequence[Sequence[Ticket]]) -> Ints:
        """Return the fewest trains for each set of tickets; -1 where there is no network."""
        if not sets:
            return np.zeros(0, dtype=np.int64)
        known = {ticket: i for i, ticket in enumerate(dict.fromkeys(t for tickets in sets for t in tickets))}
        rows = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int64)
        for i, tickets in enumerate(sets):
            _check_number(tickets)
            rows[i, : len(tickets)] = [known[ticket] for ticket in tickets]
        return self.trains_of_rows(list(known), rows)

    def trains_of_rows(self, tickets: Sequence[Ticket], rows: Ints) -> Ints:
        """Return the fewest trains for sets given as rows of positions in `tickets`; -1 fills up a row."""
        groups, ends = ticket_groups(self.game_map, tickets)
        return _trains(forest.solve_many(self._distance, groups, ends, rows))

    def trains_of_subsets(self, tickets: Sequence[Ticket], rows: Ints) -> Ints:
        """
        Return the fewest trains for every subset of sets of equally many tickets.

        Returns
        -------
        trains
            Shape (sets, 2 ** tickets): bit j of the column is ticket j of the
            row.
        """
        groups, ends = ticket_groups(self.game_map, tickets)
        return _trains(forest.solve_subsets(self._distance, groups, ends, rows))

    def _no_network(self, tickets: Sequence[Ticket]) -> NoNetworkError:
        """Return the error that names what is cut off, and by what."""
        closed = {route.id for route in self.closed}
        parts = join_cities(route for route in self.game_map.routes if route.id not in closed)
        lost = [ticket for ticket in tickets if not reached_destinations(ticket, parts)]
        islands = {parts.get(city, city) for ticket in lost for city in ticket.origin.cities}
        cut = [
            route
            for route in self.closed
            if len({parts.get(city, city) for city in route.cities}) > 1
            and islands & {parts.get(city, city) for city in route.cities}
        ]
        return NoNetworkError(lost, cut)


def forest_solver(game_map: GameMap, closed: Iterable[RouteLike] = (), owned: Iterable[RouteLike] = ()) -> ForestSolver:
    """
    Return the solver for a map with routes closed and owned; recent ones are kept.

    Raises
    ------
    ValueError
        If a route is closed and owned.
    """
    shut, own = game_map.resolve_routes(closed), game_map.resolve_routes(owned)
    both = [route.id for route in shut if route in own]
    if both:
        msg = f"a route is closed (another's) or owned, not both: {', '.join(both)}"
        raise ValueError(msg)
    return _solver(game_map, shut, own)


@lru_cache(maxsize=256)
def _solver(game_map: GameMap, closed: tuple[Route, ...], owned: tuple[Route, ...]) -> ForestSolver:
    return ForestSolver(game_map, closed, owned)


def ticket_groups(game_map: GameMap, tickets: Sequence[Ticket]) -> tuple[Ints, Ints]:
    """
    Return the groups of cities that tickets join, for the compiled functions.

    Returns
    -------
    groups, ends
        1 where a group holds a city, shape (groups, cities); and the two
        groups of each ticket, shape (tickets, 2).
    """
    city = {city.name: i for i, city in enumerate(game_map.cities)}
    numbers: dict[frozenset[str], int] = {}

    def number(places: Iterable[Place]) -> int:
        return numbers.setdefault(frozenset(c for place in places for c in place.cities), len(numbers))

    ends = [(number([t.origin]), number(place for place, _ in t.destinations)) for t in tickets]
    groups = np.zeros((len(numbers), len(city)), dtype=np.int64)
    for members, i in numbers.items():
        groups[i, [city[name] for name in members]] = 1
    return groups, np.array(ends, dtype=np.int64).reshape(-1, 2)


def _trains(costs: Ints) -> Ints:
    """Return the trains in packed costs; -1 where nothing can be built."""
    trains: Ints = np.where(costs >= forest.UNREACHABLE, -1, costs >> 40)
    return trains


def _check_number(tickets: Sequence[Ticket]) -> None:
    if len(tickets) > MAX_TICKETS:
        msg = f"at most {MAX_TICKETS} tickets can be solved exactly at once, got {len(tickets)}"
        raise ValueError(msg)
    twice = [ticket.id for ticket, n in Counter(tickets).items() if n > 1]
    if twice:
        msg = f"each ticket once, got several times: {', '.join(twice)} (copies have ids of their own)"
        raise ValueError(msg)
