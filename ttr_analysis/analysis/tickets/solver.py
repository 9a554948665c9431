"""The door from names to the compiled Steiner forest: one map with some routes closed and some owned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from ttr_analysis.analysis._ends import closed_and_owned, fewest_cut
from ttr_analysis.analysis.tickets import _forest as forest
from ttr_analysis.analysis.tickets._cost import TRAIN_SHIFT, UNREACHABLE, PackedCost
from ttr_analysis.analysis.tickets._forest import MAX_TICKETS, Board, Ends, Flags, Ints
from ttr_analysis.analysis.tickets.model import Network, NoNetworkError, join_cities, reached_destinations
from ttr_analysis.maps.model import GameMap, Place, Route, RouteLike, Ticket
from ttr_analysis.tables import map_tables


class ForestSolver:
    """
    Cheapest networks on a map with some routes closed and some owned; distances are computed once.

    Parameters
    ----------
    game_map
        The map.
    closed, owned
        Routes of the map; none of them in both.
    """

    def __init__(self, game_map: GameMap, closed: tuple[Route, ...] = (), owned: tuple[Route, ...] = ()) -> None:
        self.game_map = game_map
        self.closed = closed
        self.owned = owned
        index, cost, order = _route_costs(game_map)
        cost = cost.copy()
        cost[[index[route.id] for route in closed]] = UNREACHABLE
        cost[[index[route.id] for route in owned]] = PackedCost(0, 0, 0, 0, owned=1).pack()
        shape = (len(game_map.cities), len(game_map.cities))
        self.board = Board(*(np.empty(shape, dtype=np.int64) for _ in range(3)))
        forest.choose_tracks(map_tables(game_map).ends, cost, order, self.board.weight, self.board.track)
        forest.all_distances(self.board.weight, self.board.distance)

    def without(self, routes: Iterable[Route]) -> ForestSolver:
        """Return the solver with more routes closed; those owned stay owned."""
        shut = {route.id for route in (*self.closed, *routes)} - {route.id for route in self.owned}
        return ForestSolver(self.game_map, tuple(r for r in self.game_map.routes if r.id in shut), self.owned)

    def solve(self, tickets: Sequence[Ticket], targets: Sequence[Ticket] | None = None) -> Network:
        """
        Return the cheapest network for tickets.

        Parameters
        ----------
        tickets
            The tickets, as they score.
        targets
            The same, with only the destinations that will do, where those
            differ.

        Raises
        ------
        NoNetworkError
            If there is none.
        ValueError
            If there are too many tickets, or one of them twice.
        """
        check_number(tickets)
        targets = targets or tickets
        costs, used = self.used_routes(targets, np.arange(len(tickets), dtype=np.int64)[None])
        if costs[0] >= UNREACHABLE:
            raise self._no_network(targets)
        return self.network(tickets, used[0])

    def network(self, tickets: Sequence[Ticket], used: Flags) -> Network:
        """Return the network of the routes marked by `used_routes`."""
        owned = {route.id for route in self.owned}
        routes = tuple(self.game_map.routes[i] for i in used.nonzero()[0] if self.game_map.routes[i].id not in owned)
        parts = join_cities(routes + self.owned)
        reached = tuple(reached_destinations(ticket, parts) for ticket in tickets)
        return Network(tickets=tuple(tickets), routes=routes, owned=self.owned, reached=reached)

    def ends(self, tickets: Sequence[Ticket]) -> Ends:
        """Return tickets on this board, for the compiled functions."""
        members, pairs = ticket_groups(self.game_map, tickets)
        rows = np.empty_like(members)
        forest.group_distances(self.board.distance, members, rows)
        return Ends(members, rows, pairs)

    def costs(self, tickets: Sequence[Ticket], sets: Ints) -> Ints:
        """
        Return the packed costs of many sets of tickets, `UNREACHABLE` where there is no network.

        Parameters
        ----------
        tickets
            Tickets.
        sets
            Positions in `tickets`, one set a line; -1 fills up a line.
        """
        costs = np.zeros((len(sets), 1), dtype=np.int64)
        if sets.size:
            forest.batch_costs(self.board.distance, self.ends(tickets), sets, self._work(sets), costs)
        return costs[:, 0]

    def subset_costs(self, tickets: Sequence[Ticket], sets: Ints) -> Ints:
        """
        Return the packed costs of every subset of many sets of equally many tickets.

        Returns
        -------
        costs
            Shape (sets, 2 ** tickets): bit j of the column is ticket j of the
            line.
        """
        costs = np.zeros((len(sets), 1 << sets.shape[1]), dtype=np.int64)
        if sets.size:
            forest.batch_costs(self.board.distance, self.ends(tickets), sets, self._work(sets), costs)
        return costs

    def used_routes(self, tickets: Sequence[Ticket], sets: Ints) -> tuple[Ints, Flags]:
        """
        Return the cheapest network of many sets of tickets.

        Returns
        -------
        costs, used
            The packed cost of each set, `UNREACHABLE` where there is no
            network; and 1 for each route that its network uses, owned ones
            included, shape (sets, routes).
        """
        costs = np.zeros(len(sets), dtype=np.int64)
        used = np.zeros((len(sets), len(self.game_map.routes)), dtype=np.int8)
        if sets.size:
            ends = self.ends(tickets)
            # The network must not depend on the order in which tickets are named.
            rank = np.lexsort((ends.pairs[:, 1], ends.pairs[:, 0])).argsort()
            key = np.where(sets < 0, len(tickets), rank[sets])
            ordered = np.take_along_axis(sets, key.argsort(axis=1, kind="stable"), axis=1)
            forest.batch_networks(self.board, ends, ordered, self._work(sets), costs, used)
        return costs, used

    def _work(self, sets: Ints) -> forest.Work:
        return forest.make_work(sets.shape[1], len(self.game_map.cities))

    def _no_network(self, tickets: Sequence[Ticket]) -> NoNetworkError:
        """Return the error that names what is cut off, and by what."""
        closed = {route.id for route in self.closed}
        parts = join_cities(route for route in self.game_map.routes if route.id not in closed)
        lost = [ticket for ticket in tickets if not reached_destinations(ticket, parts)]
        cut: set[Route] = set()
        for ticket in lost:
            goals = [city for place, _ in ticket.destinations for city in place.cities]
            cut.update(fewest_cut(self.game_map, self.closed, ticket.origin.cities, goals))
        return NoNetworkError(lost, [route for route in self.closed if route in cut])


def forest_solver(
    game_map: GameMap,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    *,
    n_players: int | None = None,
) -> ForestSolver:
    """
    Return the solver for a map with routes closed and owned; recent ones are kept.

    Parameters
    ----------
    game_map, closed, owned, n_players
        As for `closed_and_owned`.
    """
    return solver_of(game_map, *closed_and_owned(game_map, closed, owned, n_players=n_players))


@lru_cache(maxsize=256)
def solver_of(game_map: GameMap, closed: tuple[Route, ...], owned: tuple[Route, ...]) -> ForestSolver:
    """Return the solver for routes as `closed_and_owned` returns them; recent ones are kept."""
    return ForestSolver(game_map, closed, owned)


@lru_cache(maxsize=32)
def _route_costs(game_map: GameMap) -> tuple[dict[str, int], Ints, Ints]:
    """Return the numbers of the routes by id, their packed costs, and the order in which equal tracks are preferred."""
    costs = [
        PackedCost(route.length, 1, route.toll, special=int(route.kind != "plain"), owned=0).pack()
        for route in game_map.routes
    ]
    order = sorted(range(len(costs)), key=lambda i: game_map.routes[i].track)
    index = {route.id: i for i, route in enumerate(game_map.routes)}
    return index, np.array(costs, dtype=np.int64), np.array(order, dtype=np.int64)


def ticket_groups(game_map: GameMap, tickets: Sequence[Ticket]) -> tuple[Ints, Ints]:
    """
    Return the groups of cities that tickets join.

    Returns
    -------
    members, pairs
        1 where a group holds a city, shape (groups, cities); and the two
        groups of each ticket, shape (tickets, 2).
    """
    city = {city.name: i for i, city in enumerate(game_map.cities)}

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


def trains_left(game_map: GameMap, owned: Iterable[Route]) -> int:
    """
    Return the trains of the map less those on owned routes; 0 if those are more.

    Both tracks of a double route count as one: nobody owns both.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> trains_left(nordic, nordic.routes_between("Oslo", "Bergen"))
    36
    """
    lengths = {frozenset(route.cities): route.length for route in owned}
    return max(0, game_map.rules.trains.per_player - sum(lengths.values()))


def trains_of(costs: Ints) -> Ints:
    """Return the trains in packed costs; -1 where there is no network."""
    trains: Ints = np.where(costs >= UNREACHABLE, -1, costs >> TRAIN_SHIFT)
    return trains


def check_number(tickets: Sequence[Ticket]) -> None:
    """
    Check that a set of tickets can be solved.

    Raises
    ------
    ValueError
        If there are too many tickets, or one of them twice.
    """
    if len(tickets) > MAX_TICKETS:
        msg = f"at most {MAX_TICKETS} tickets can be solved exactly at once, got {len(tickets)}"
        raise ValueError(msg)
    twice = [ticket.id for ticket, n in Counter(tickets).items() if n > 1]
    if twice:
        msg = f"each ticket once, got several times: {', '.join(twice)} (copies have ids of their own)"
        raise ValueError(msg)
