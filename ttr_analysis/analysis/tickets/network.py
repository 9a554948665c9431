"""Networks for tickets: the cheapest one, or why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from ttr_analysis._compile import Flags, Ints
from ttr_analysis._errors import UnknownNameError
from ttr_analysis._upward import render_html
from ttr_analysis._words import counted
from ttr_analysis.analysis._ends import (
    Avoidable,
    closed_and_owned,
    find_cut_routes,
    measure_name,
    routes_to_avoid,
    tickets_or_pairs,
)
from ttr_analysis.analysis.tickets import steiner
from ttr_analysis.analysis.tickets.steiner import MAX_TICKETS, TRAIN_SHIFT, UNREACHABLE, Board, Ends, pack_cost
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import CityLike, GameMap, Place, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.maps.names import fold
from ttr_analysis.tables import map_tables


class NoNetworkError(ValueError):
    """
    Some tickets cannot be completed by any network.

    Parameters
    ----------
    tickets
        Those that cannot be completed.
    cut
        Closed routes that cut them off; empty if the map itself does.
    """

    def __init__(self, tickets: Sequence[Ticket], cut: Sequence[Route]) -> None:
        self.tickets = tuple(tickets)
        self.cut = tuple(cut)
        names = "; ".join(str(ticket) for ticket in tickets)
        reason = f"cut off by closed routes {', '.join(r.id for r in cut)}" if cut else "no routes connect the ends"
        super().__init__(f"cannot be completed: {names}; {reason}")


@dataclass(frozen=True, slots=True)
class Network:
    """
    Routes to claim for some tickets, and their points.

    Parameters
    ----------
    routes
        Routes to claim, in map order.
    owned
        All routes that the player already owns.
    reached
        Destinations connected to the origin of each ticket. A ticket to countries may
        reach several; the best one scores.
    """

    tickets: tuple[Ticket, ...]
    routes: tuple[Route, ...]
    owned: tuple[Route, ...] = ()
    reached: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def length(self) -> int:
        """Trains that it takes, not counting owned routes."""
        return sum(route.length for route in self.routes)

    @property
    def toll(self) -> int:
        """Tokens that it takes if the map has tolls, not counting owned routes."""
        return sum(route.toll for route in self.routes)

    @property
    def route_points(self) -> int:
        """Points for claiming its routes, not counting owned ones."""
        return sum(route.points for route in self.routes)

    @property
    def destinations(self) -> tuple[str, ...]:
        """The destination that scores for each ticket: the best one reached, or ""."""
        return tuple(
            max(
                ((points, place.name) for place, points in ticket.destinations if place.name in reached),
                default=(0, ""),
            )[1]
            for ticket, reached in zip(self.tickets, self.reached, strict=True)
        )

    @property
    def ticket_points(self) -> int:
        """Points of its tickets, for the best destinations reached."""
        return sum(ticket.score(reached) for ticket, reached in zip(self.tickets, self.reached, strict=True))

    @property
    def points(self) -> int:
        """Points of its routes and tickets together."""
        return self.route_points + self.ticket_points

    @property
    def n_tunnels(self) -> int:
        """Number of tunnels to claim."""
        return sum(route.kind == "tunnel" for route in self.routes)

    @property
    def n_ferries(self) -> int:
        """Number of ferries to claim."""
        return sum(route.kind == "ferry" for route in self.routes)

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The cities of each connected part, including owned routes; largest part first."""
        cities: dict[str, list[str]] = {}
        for city, part in join_cities(self.routes + self.owned).items():
            cities.setdefault(part, []).append(city)
        return tuple(sorted((tuple(sorted(part)) for part in cities.values()), key=lambda p: (-len(p), p)))

    def __repr__(self) -> str:
        toll = f", toll {self.toll}" if self.toll else ""
        points = f"{self.points} points ({self.ticket_points} tickets + {self.route_points} routes)"
        tickets, routes = counted(len(self.tickets), "ticket"), counted(len(self.routes), "route")
        chosen = "".join(
            f"; {ticket.id} reaches {destination}"
            for ticket, destination in zip(self.tickets, self.destinations, strict=True)
            if len(ticket.destinations) > 1
        )
        return f"<Network for {tickets}: {self.length} trains in {routes}{toll}, {points}{chosen}>"

    _repr_html_ = render_html


def join_cities(routes: Iterable[Route]) -> dict[str, str]:
    """Return a representative city of the connected part for each city that the routes touch."""
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
    """Return the destinations of a ticket connected to its origin; `parts` is from `join_cities`."""
    # A city without routes is a separate part.
    origin = {parts.get(city, city) for city in ticket.origin.cities}
    return tuple(
        place.name for place, _ in ticket.destinations if any(parts.get(city, city) in origin for city in place.cities)
    )


# -- from names to the compiled Steiner forest ---------------------------------------------------------------------


Measure = Literal["length", "toll"]
"""What a network minimizes first: trains or tokens."""


class ForestSolver:
    """Cheapest networks on a map with some routes closed and some owned; distances are computed once."""

    def __init__(
        self,
        game_map: GameMap,
        closed: tuple[Route, ...] = (),
        owned: tuple[Route, ...] = (),
        weight: Measure = "length",
    ) -> None:
        self.game_map = game_map
        self.closed = closed
        self.owned = owned
        self.weight = weight
        cost, order = _route_costs(game_map, weight)
        cost = cost.copy()
        cost[[game_map.route_numbers[route.id] for route in closed]] = UNREACHABLE
        cost[[game_map.route_numbers[route.id] for route in owned]] = pack_cost(owned=1)
        shape = (len(game_map.cities), len(game_map.cities))
        self.board = Board(*(np.empty(shape, dtype=np.int64) for _ in range(3)))
        steiner.choose_tracks(map_tables(game_map).ends, cost, order, self.board.weight, self.board.track)
        steiner.all_distances(self.board.weight, self.board.distance)

    def without(self, routes: Iterable[Route]) -> ForestSolver:
        """Return the solver with more routes closed; owned ones stay owned."""
        closed = {route.id for route in (*self.closed, *routes)} - {route.id for route in self.owned}
        closed_routes = tuple(route for route in self.game_map.routes if route.id in closed)
        return ForestSolver(self.game_map, closed_routes, self.owned, self.weight)

    def solve(self, tickets: Sequence[Ticket], targets: Sequence[Ticket] | None = None) -> Network:
        """Return the cheapest network for tickets, or for `targets`, which keep only allowed destinations."""
        network = self.find(tickets, targets)
        if network is None:
            raise self._no_network(targets or tickets)
        return network

    def find(self, tickets: Sequence[Ticket], targets: Sequence[Ticket] | None = None) -> Network | None:
        """Return what `solve` returns; None if there is no network."""
        check_tickets(tickets)
        costs, used = self.used_routes(targets or tickets, np.arange(len(tickets), dtype=np.int64)[None])
        return None if costs[0] >= UNREACHABLE else self.network(tickets, used[0])

    def trains(self, tickets: Sequence[Ticket]) -> int | None:
        """Return the fewest trains for tickets; None if there is no network."""
        network = self.find(tickets)
        return None if network is None else network.length

    def network(self, tickets: Sequence[Ticket], used: Flags) -> Network:
        """Return the network of the routes marked by `used_routes`."""
        owned = {route.id for route in self.owned}
        routes = tuple(self.game_map.routes[i] for i in used.nonzero()[0] if self.game_map.routes[i].id not in owned)
        parts = join_cities(routes + self.owned)
        reached = tuple(reached_destinations(ticket, parts) for ticket in tickets)
        return Network(tickets=tuple(tickets), routes=routes, owned=self.owned, reached=reached)

    def ends(self, tickets: Sequence[Ticket]) -> Ends:
        """Return the ends of tickets on this board, for the compiled functions."""
        members, pairs = ticket_groups(self.game_map, tickets)
        rows = np.empty_like(members)
        steiner.group_distances(self.board.distance, members, rows)
        return Ends(members, rows, pairs)

    def costs(self, tickets: Sequence[Ticket], sets: Ints) -> Ints:
        """Return the packed costs of sets of tickets: rows of positions in `tickets`, padded with -1."""
        costs = np.zeros((len(sets), 1), dtype=np.int64)
        if sets.size:
            steiner.batch_costs(self.board.distance, self.ends(tickets), sets, self._work(sets), costs)
        return costs[:, 0]

    def subset_costs(self, tickets: Sequence[Ticket], sets: Ints) -> Ints:
        """Return the packed costs of all subsets of sets of equal size: one row per set, one column per bit mask."""
        costs = np.zeros((len(sets), 1 << sets.shape[1]), dtype=np.int64)
        if sets.size:
            steiner.batch_costs(self.board.distance, self.ends(tickets), sets, self._work(sets), costs)
        return costs

    def used_routes(self, tickets: Sequence[Ticket], sets: Ints) -> tuple[Ints, Flags]:
        """Return the packed costs of sets of tickets, and 1 for each route of their networks, including owned ones."""
        costs = np.zeros(len(sets), dtype=np.int64)
        used = np.zeros((len(sets), len(self.game_map.routes)), dtype=np.int8)
        if sets.size:
            ends = self.ends(tickets)
            # The network must not depend on the order in which tickets are named.
            rank = np.lexsort((ends.pairs[:, 1], ends.pairs[:, 0])).argsort()
            key = np.where(sets < 0, len(tickets), rank[sets])
            ordered = np.take_along_axis(sets, key.argsort(axis=1, kind="stable"), axis=1)
            steiner.batch_networks(self.board, ends, ordered, self._work(sets), costs, used)
        return costs, used

    def _work(self, sets: Ints) -> steiner.Work:
        return steiner.make_work(sets.shape[1], len(self.game_map.cities))

    def _no_network(self, tickets: Sequence[Ticket]) -> NoNetworkError:
        """Return the error that names the tickets cut off, and the routes responsible."""
        closed = {route.id for route in self.closed}
        parts = join_cities(route for route in self.game_map.routes if route.id not in closed)
        lost = [ticket for ticket in tickets if not reached_destinations(ticket, parts)]
        cut: set[Route] = set()
        for ticket in lost:
            goals = [city for place, _ in ticket.destinations for city in place.cities]
            cut.update(find_cut_routes(self.game_map, self.closed, ticket.origin.cities, goals))
        return NoNetworkError(lost, [route for route in self.closed if route in cut])


def forest_solver(
    game_map: GameMap,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    n_players: int | None = None,
) -> ForestSolver:
    """Return the solver for a map, with closed and owned routes as `closed_and_owned` takes them."""
    return solver_of(game_map, *closed_and_owned(game_map, closed, owned, n_players=n_players))


@lru_cache(maxsize=256)
def solver_of(
    game_map: GameMap, closed: tuple[Route, ...], owned: tuple[Route, ...], weight: Measure = "length"
) -> ForestSolver:
    """Return the solver for routes as `closed_and_owned` returns them; recent ones are kept."""
    return ForestSolver(game_map, closed, owned, weight)


@lru_cache(maxsize=32)
def _route_costs(game_map: GameMap, weight: Measure) -> tuple[Ints, Ints]:
    """Return the packed costs of the routes, and the order in which equal tracks are preferred."""
    costs = [
        pack_cost(route.length, 1, route.toll, int(route.kind != "plain"), toll_first=weight == "toll")
        for route in game_map.routes
    ]
    order = sorted(range(len(costs)), key=lambda i: game_map.routes[i].track)
    return np.array(costs, dtype=np.int64), np.array(order, dtype=np.int64)


def ticket_groups(game_map: GameMap, tickets: Sequence[Ticket]) -> tuple[Ints, Ints]:
    """Return an array (groups, cities) with 1 where a group has a city, and the two groups of each ticket."""
    city = game_map.city_numbers

    def group(places: Iterable[Place]) -> tuple[int, ...]:
        return tuple(sorted({city[name] for place in places for name in place.cities}))

    ends = [(group([t.origin]), group(place for place, _ in t.destinations)) for t in tickets]
    groups = sorted({end for pair in ends for end in pair})
    members = np.zeros((len(groups), len(city)), dtype=np.int64)
    for i, cities in enumerate(groups):
        members[i, list(cities)] = 1
    number = {cities: i for i, cities in enumerate(groups)}
    pairs = np.array([(number[a], number[b]) for a, b in ends], dtype=np.int64).reshape(-1, 2)
    return members, pairs


def trains_left(game_map: GameMap, owned: Iterable[Route], trains: int | None = None) -> int:
    """Return a checked number of trains; by default the map's minus those on owned routes, at least 0."""
    if trains is None:
        lengths = {frozenset(route.cities): route.length for route in owned}  # tracks of a double route count once
        return max(0, game_map.rules.trains.per_player - sum(lengths.values()))
    if trains < 0:
        raise ValueError(f"the trains left must be 0 or more, got {trains}")
    return trains


def trains_of(costs: Ints) -> Ints:
    """Return the trains in packed costs; -1 where there is no network."""
    trains: Ints = np.where(costs >= UNREACHABLE, -1, costs >> TRAIN_SHIFT)
    return trains


def check_tickets(tickets: Sequence[Ticket]) -> None:
    """Raise a ValueError for more tickets than can be solved, or repeated ones."""
    if len(tickets) > MAX_TICKETS:
        raise ValueError(f"at most {MAX_TICKETS} tickets can be solved exactly at once, got {len(tickets)}")
    twice = [ticket.id for ticket, n in Counter(tickets).items() if n > 1]
    if twice:
        msg = f"expected each ticket once, got repeats of {', '.join(twice)} (copies have separate ids)"
        raise ValueError(msg)


# -- the network with the fewest trains for a set of tickets -------------------------------------------------------


def cheapest_network(
    game_map: MapLike,
    tickets: Iterable[TicketLike],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    destinations: Mapping[Any, CityLike | Place] | None = None,
    n_players: int | None = None,
    weight: Measure | Literal["trains"] = "length",
    avoid: Iterable[Avoidable] = (),
) -> Network:
    """
    Return the network with the fewest trains that completes tickets.

    This is a Steiner *forest*: the tickets need not be connected to each other. Ties go to
    the fewest routes to claim, then the lowest toll, then the fewest tunnels and ferries.
    By toll, ties go to the fewest trains, then routes.

    Parameters
    ----------
    tickets
        Up to 7 tickets, ticket ids or pairs of places. A ticket to countries is
        complete at its cheapest destination; `reached` shows which. A pair
        without a ticket scores 0 points.
    closed
        Routes that other players own: routes, ids or pairs of cities (both tracks).
    owned
        Routes you own, at no cost.
    destinations
        For a ticket to countries: the one to reach. The ticket still scores the
        best destination that it reaches.
    n_players
        With few players, closing one track of a double route closes the other
        too; with None, it does not.
    weight
        What to minimize: "length" or "trains", or "toll" (tokens).
    avoid
        Any of "tunnels", "ferries", "gray" and "tolls", and cities. Owned
        routes are never avoided.

    Raises
    ------
    NoNetworkError
        If some ticket cannot be completed. It names the tickets, and the closed
        or avoided routes that cut them off.
    UnknownNameError, AmbiguousNameError
        If something named is not on the map, or there is no such weight.
    ValueError
        If there are more than 7 tickets, or a route is closed and owned.

    Notes
    -----
    Exact: Dreyfus and Wagner's dynamic program over the ends of the tickets
    [1]_, each end a group of cities, then over all splits of the tickets
    into trees. Border points are dead ends, so nothing passes through a country.

    References
    ----------
    .. [1] Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs",
       Networks 1, 195-207, 1971.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> ttr.tickets.cheapest_network(nordic, [("Oslo", "Vaasa"), ("Oslo", "Stockholm")])
    <Network for 2 tickets: 10 trains in 5 routes, 24 points (13 tickets + 11 routes)>

    A Steiner tree for four cities, without tickets:

    >>> others = ["Helsinki", "Bergen", "Narvik"]
    >>> ttr.tickets.cheapest_network(nordic, [("Stockholm", city) for city in others]).length
    23

    Without tunnels, and with the fewest tokens:

    >>> ttr.tickets.cheapest_network(nordic, ["Bergen-Narvik"], avoid=["tunnels"]).n_tunnels
    0
    >>> nederland = ttr.load_map("nederland")
    >>> pair = nederland.tickets[:2]
    >>> [ttr.tickets.cheapest_network(nederland, pair, weight=w).toll for w in ("length", "toll")]
    [8, 7]
    """
    game_map = as_map(game_map)
    measure: Measure = measure_name(weight, get_args(Measure))
    chosen = tickets_or_pairs(game_map, tickets)
    closed_routes, own = closed_and_owned(game_map, closed, owned, n_players=n_players)
    avoided = (route for route in routes_to_avoid(game_map, avoid) if route not in own)
    closed_routes = tuple(dict.fromkeys((*closed_routes, *avoided)))
    ids = {ticket.id for ticket in chosen}
    fixed = {
        ticket if ticket in ids else game_map.ticket(ticket).id: place if isinstance(place, str) else place.name
        for ticket, place in (destinations or {}).items()
    }
    return _cheapest(game_map, chosen, fix_destinations(chosen, fixed), closed_routes, own, measure)


@lru_cache(maxsize=256)
def _cheapest(
    game_map: GameMap,
    tickets: tuple[Ticket, ...],
    targets: tuple[Ticket, ...],
    closed: tuple[Route, ...],
    owned: tuple[Route, ...],
    weight: Measure,
) -> Network:
    """Return the network, cached because a player asks every turn and it changes only with claims."""
    return solver_of(game_map, closed, owned, weight).solve(tickets, targets)


def fewest_trains(
    game_map: MapLike,
    sets: Iterable[Iterable[TicketLike]],
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> list[int]:
    """
    Return the fewest trains for each of many sets of tickets, in one compiled call; -1 if they cannot be completed.

    Parameters
    ----------
    sets
        Sets of up to 7 tickets, or pairs of places.
    game_map, closed, owned
        As for `cheapest_network`.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> fewest_trains(nordic, [["Oslo-Vaasa"], ["Oslo-Vaasa", "Oslo-Stockholm"]])
    [9, 10]
    """
    game_map = as_map(game_map)
    chosen = [tickets_or_pairs(game_map, tickets) for tickets in sets]
    known = {ticket: i for i, ticket in enumerate(dict.fromkeys(t for tickets in chosen for t in tickets))}
    rows = np.full((len(chosen), max(map(len, chosen), default=0)), -1, dtype=np.int64)
    for i, tickets in enumerate(chosen):
        check_tickets(tickets)
        rows[i, : len(tickets)] = [known[ticket] for ticket in tickets]
    costs = forest_solver(game_map, closed, owned).costs(list(known), rows)
    return [int(trains) for trains in trains_of(costs)]


def fix_destinations(tickets: Sequence[Ticket], destinations: Mapping[str, str]) -> tuple[Ticket, ...]:
    """Return tickets with only the destination named for each, by ticket id; raise an error for unknown names."""
    ids = [ticket.id for ticket in tickets]
    for name in destinations:
        if name not in ids:
            raise UnknownNameError("ticket among those given", name, ids)
    fixed = []
    for ticket in tickets:
        wanted = destinations.get(ticket.id)
        kept = tuple(pair for pair in ticket.destinations if wanted is None or fold(pair[0].name) == fold(wanted))
        if not kept:
            names = [place.name for place, _ in ticket.destinations]
            raise UnknownNameError(f"destination of {ticket.id}", wanted, names)
        fixed.append(ticket if wanted is None else replace(ticket, destinations=kept))
    return tuple(fixed)
