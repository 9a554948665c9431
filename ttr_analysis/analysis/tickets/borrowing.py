"""
Which tickets stations could still save: those that lend the routes of others.

Cheapest networks that may borrow a few routes come of the dynamic programs of
`steiner`, with one more dimension: how many routes are borrowed at most. A
tree that borrows two comes of two trees that borrow two and none, one and one,
or none and two. Beside each cost stands what it borrows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis.tickets import steiner
from ttr_analysis.analysis.tickets.network import ForestSolver, NoNetworkError, solver_of, trains_of
from ttr_analysis.analysis.tickets.steiner import UNREACHABLE, Ends, PackedCost, Work, collect_groups, lowest_bit
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket
from ttr_analysis.tables import map_tables

LENT_BITS: Final = 8
"""Bits for each route borrowed: its place among those that can be, from 1. 0: none."""


class Costs(NamedTuple):
    """
    Packed costs by the number of routes borrowed at most, and which these are.

    Parameters
    ----------
    cost
        The costs; `UNREACHABLE` where there is no way.
    lent
        `LENT_BITS` for each route borrowed, those of `n` routes in the lowest
        `n` places.
    """

    cost: Ints
    lent: Ints


class Lending(NamedTuple):
    """
    Results of `solve_lending`.

    Parameters
    ----------
    distance
        Of paths between cities, shape (routes borrowed, cities, cities).
    rows
        Of paths from groups to cities, shape (groups, routes borrowed, cities).
    grown
        Of trees by set of groups, shape (sets, routes borrowed, cities).
    tree, forest
        Of one tree and of whole networks by set of tickets, shape (sets,
        routes borrowed).
    """

    distance: Costs
    rows: Costs
    grown: Costs
    tree: Costs
    forest: Costs


def make_lending(n_tickets: int, n_groups: int, n_stations: int, n: int) -> Lending:
    """Return the arrays for so many tickets with so many groups of cities, of `n`, and for so many routes borrowed."""

    def costs(*shape: int) -> Costs:
        return Costs(np.full(shape, UNREACHABLE, dtype=np.int64), np.zeros(shape, dtype=np.int64))

    layers = n_stations + 1
    return Lending(
        costs(layers, n, n),
        costs(n_groups, layers, n),
        costs(1 << max(0, n_groups - 1), layers, n),
        costs(1 << n_tickets, layers),
        costs(1 << n_tickets, layers),
    )


@compiled
def lend_paths(distance: Ints, lenders: Ints, price: int, lending: Lending) -> None:
    """
    Fill in `distance`: the cheapest paths that borrow at most so many routes.

    Parameters
    ----------
    distance
        Costs of paths between cities that borrow none.
    lenders
        Cities at the ends of each route that can be borrowed.
    price
        Packed cost of one that is.
    lending
        With room for them.
    """
    cost, lent = lending.distance
    n = len(distance)
    for a in range(n):
        for b in range(n):
            cost[0, a, b] = distance[a, b]
    for layer in range(1, len(cost)):
        for a in range(n):
            for b in range(n):
                cost[layer, a, b] = cost[layer - 1, a, b]
                lent[layer, a, b] = lent[layer - 1, a, b]
        for i in range(2 * len(lenders)):
            near = lenders[i // 2, i % 2]
            far = lenders[i // 2, 1 - i % 2]
            last = (i // 2 + 1) << (LENT_BITS * (layer - 1))
            for a in range(n):
                start = cost[layer - 1, a, near] + price
                for b in range(n):
                    if start + distance[far, b] < cost[layer, a, b]:
                        cost[layer, a, b] = start + distance[far, b]
                        lent[layer, a, b] = lent[layer - 1, a, near] | last


@compiled
def lend_rows(members: Ints, lending: Lending) -> None:
    """Fill in `rows`: the cheapest paths from each group of cities, of which 1 in `members` marks those of a group."""
    cost, lent = lending.rows
    n_groups, n_layers, n = cost.shape
    for g in range(n_groups):
        for layer in range(n_layers):
            for a in range(n):
                if members[g, a]:
                    for v in range(n):
                        if lending.distance.cost[layer, a, v] < cost[g, layer, v]:
                            cost[g, layer, v] = lending.distance.cost[layer, a, v]
                            lent[g, layer, v] = lending.distance.lent[layer, a, v]


@compiled
def grow_lending(n_groups: int, work: Work, lending: Lending) -> None:
    """Fill in `grown` for all sets of the first `n_groups` groups of `work`, as `steiner.grow_trees` does."""
    cost, lent = lending.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            group = work.groups[lowest_bit(mask)]
            for layer in range(n_layers):
                for v in range(n):
                    cost[mask, layer, v] = lending.rows.cost[group, layer, v]
                    lent[mask, layer, v] = lending.rows.lent[group, layer, v]
            continue
        part = rest
        while part:
            part = (part - 1) & rest
            for one in range(n_layers):
                for other in range(n_layers - one):
                    _merge(lending.grown, mask, low | part, one, rest ^ part, other)
        _lead_on(lending, mask)


@compiled
def _merge(grown: Costs, mask: int, first: int, one: int, second: int, other: int) -> None:
    """Let two smaller trees that borrow so many routes meet in each city."""
    cost, lent = grown
    for v in range(cost.shape[2]):
        both = cost[first, one, v] + cost[second, other, v]
        if both < cost[mask, one + other, v]:
            cost[mask, one + other, v] = both
            lent[mask, one + other, v] = lent[first, one, v] | lent[second, other, v] << (LENT_BITS * one)


@compiled
def _lead_on(lending: Lending, mask: int) -> None:
    """Let a path lead on from where trees of a set of groups meet, in place: two paths are never better than one."""
    cost, lent = lending.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for target in range(n_layers - 1, -1, -1):
        for one in range(target, -1, -1):
            for u in range(n):
                start = cost[mask, one, u]
                if start >= UNREACHABLE:
                    continue
                for v in range(n):
                    onward = start + lending.distance.cost[target - one, u, v]
                    if onward < cost[mask, target, v]:
                        cost[mask, target, v] = onward
                        lent[mask, target, v] = lent[mask, one, u] | lending.distance.lent[target - one, u, v] << (
                            LENT_BITS * one
                        )


@compiled
def solve_lending(ends: Ends, tickets: Ints, work: Work, lending: Lending) -> None:
    """
    Fill in `tree` and `forest`: the cheapest networks of every set of tickets that borrow at most so many routes.

    Parameters
    ----------
    ends, tickets
        The board and the tickets on it.
    work
        For so many tickets.
    lending
        With its `distance`.
    """
    forest = lending.forest
    n_layers = forest.cost.shape[1]
    n_groups = collect_groups(ends, tickets, len(tickets), work)
    lend_rows(ends.members, lending)
    grow_lending(n_groups - 1, work, lending)
    for layer in range(n_layers):
        forest.cost[0, layer] = 0
        forest.lent[0, layer] = 0
    for subset in range(1, 1 << len(tickets)):
        _plant(work, n_groups, subset, lending)
        low = subset & -subset
        others = subset ^ low
        part = others
        while True:
            for one in range(n_layers):
                for other in range(n_layers - one):
                    both = lending.tree.cost[low | part, one] + forest.cost[others ^ part, other]
                    if both < forest.cost[subset, one + other]:
                        forest.cost[subset, one + other] = both
                        forest.lent[subset, one + other] = lending.tree.lent[low | part, one] | forest.lent[
                            others ^ part, other
                        ] << (LENT_BITS * one)
            if part == 0:
                break
            part = (part - 1) & others


@compiled
def _plant(work: Work, n_groups: int, subset: int, lending: Lending) -> None:
    """Fill in the cheapest tree for a set of tickets, with the last group as its root if it touches that."""
    cost, lent = lending.tree
    grown, rows = lending.grown, lending.rows
    n_layers, n = grown.cost.shape[1], grown.cost.shape[2]
    root = work.groups[n_groups - 1]
    mask = work.masks[subset]
    rest = mask & ~(1 << (n_groups - 1))
    for one in range(n_layers):
        if rest == 0:
            cost[subset, one] = 0
            lent[subset, one] = 0
            continue
        for v in range(n):
            if rest == mask:
                if grown.cost[rest, one, v] < cost[subset, one]:
                    cost[subset, one] = grown.cost[rest, one, v]
                    lent[subset, one] = grown.lent[rest, one, v]
                continue
            for other in range(n_layers - one):
                both = grown.cost[rest, one, v] + rows.cost[root, other, v]
                if both < cost[subset, one + other]:
                    cost[subset, one + other] = both
                    lent[subset, one + other] = grown.lent[rest, one, v] | rows.lent[root, other, v] << (
                        LENT_BITS * one
                    )


# -- which tickets stations still save -----------------------------------------------------------------------------


class StationHelp(NamedTuple):
    """
    Stations that make tickets possible which are not without them: most often one.

    Parameters
    ----------
    route
        The route of another that it lends; it may stand at either end.
    trains
        Fewest trains to be placed besides.
    more
        Where one station is not enough: the routes that the others lend.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> europe = ttr.load_map("europe")
    >>> print(StationHelp(europe.route("Brest", "Dieppe"), 3))
    a station in Brest or Dieppe, and 3 trains
    >>> print(StationHelp(europe.route("Brest", "Dieppe"), 1, (europe.route("Palermo", "Roma"),)))
    stations in Brest or Dieppe and in Palermo or Roma, and 1 train
    """

    route: Route
    trains: int
    more: tuple[Route, ...] = ()

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes that are lent, one for each station."""
        return (self.route, *self.more)

    def __str__(self) -> str:
        places = listed(f"in {listed(route.cities, 'or')}" for route in self.routes)
        return f"{'stations' if self.more else 'a station'} {places}, and {counted(self.trains, 'train')}"


def stations_left(game_map: GameMap, stations: int | None) -> int:
    """
    Return how many stations can still lend a route.

    Raises
    ------
    ValueError
        If the rules do not give so many.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> stations_left(ttr.load_map("europe"), None), stations_left(ttr.load_map("nordic"), None)
    (3, 0)
    """
    most = game_map.rules.stations.number
    if stations is None:
        return most
    if not 0 <= stations <= most:
        msg = f"the stations must be a number from 0 to the {most} that the rules give, got {stations}"
        raise ValueError(msg)
    return stations


class Lenders:
    """
    What routes of others could do for tickets, by stations that lend them; every set of the tickets is solved at once.

    Parameters
    ----------
    solver
        Of the map as it is.
    tickets
        Tickets.
    closed
        Routes of others. Of two between the same cities one is tried: they
        lead to the same places.
    stations
        How many stations there are to lend one each.
    """

    def __init__(
        self, solver: ForestSolver, tickets: Sequence[Ticket], closed: Iterable[RouteLike], stations: int
    ) -> None:
        routes = {frozenset(route.cities): route for route in solver.game_map.resolve_routes(closed)}
        self.routes = tuple(routes.values())
        self.n_stations = stations if routes and tickets else 0
        if not self.n_stations:
            return
        ends = solver.ends(tickets)
        lenders = map_tables(solver.game_map).ends[[solver.game_map.route_numbers[route.id] for route in self.routes]]
        n = len(solver.game_map.cities)
        work = steiner.make_work(len(tickets), n)
        self._costs = make_lending(len(tickets), len(ends.members), self.n_stations, n)
        price = PackedCost(0, 0, 0, 0, owned=1).pack()
        lend_paths(solver.board.distance, lenders, price, self._costs)
        solve_lending(ends, np.arange(len(tickets), dtype=np.int64), work, self._costs)

    def fewest(self, bits: int, left: int) -> StationHelp | None:
        """
        Return the fewest stations that make a set of tickets possible, of these those that leave fewest trains.

        None if all of them do not help, or none is needed.
        """
        if not self.n_stations:
            return None
        forest = self._costs.forest
        trains = trains_of(forest.cost[bits])
        enough = np.flatnonzero((trains >= 0) & (trains <= left))
        lent = self._lent(int(forest.lent[bits, enough[0]])) if len(enough) else ()
        return StationHelp(lent[0], int(trains[enough[0]]), lent[1:]) if lent else None

    def _lent(self, code: int) -> tuple[Route, ...]:
        """Return the routes lent, of which a code has the numbers, each once."""
        numbers = {code >> LENT_BITS * i & ((1 << LENT_BITS) - 1) for i in range(self.n_stations)}
        return tuple(self.routes[number - 1] for number in sorted(numbers - {0}))


def may_borrow(
    solver: ForestSolver, ticket: Ticket, left: int, seat: int, built: Mapping[str, int], stations: int
) -> bool:
    """
    Return whether stations, built or left, may join the ends of a ticket for which the trains left are not enough.

    Routes that are open count as lent too: another player may claim them. That
    two stations need different cities is not looked at. So "no" is sure, and
    "yes" is not.

    Parameters
    ----------
    solver
        Of the map as it is for a player.
    ticket
        Its ticket.
    left
        Its trains left.
    seat
        Its seat.
    built
        Whose stations stand in which cities.
    stations
        How many stations it has left.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> europe = ttr.load_map("europe")
    >>> ticket = europe.ticket("Brest-Petrograd")
    >>> [may_borrow(ForestSolver(europe), ticket, 10, 0, {}, stations) for stations in range(4)]
    [False, False, False, True]
    """
    own = {city for city, owner in built.items() if owner == seat}
    lending = own | ({city.name for city in solver.game_map.cities} - built.keys() if stations else set())
    lenders = [route for route in solver.game_map.routes if not lending.isdisjoint(route.cities)]
    return Lenders(solver, [ticket], lenders, stations + len(own)).fewest(1, left) is not None


def helpful_stations(
    solver: ForestSolver, tickets: Sequence[Ticket], left: int, closed: Sequence[RouteLike], stations: int
) -> tuple[StationHelp, ...]:
    """
    Return the stations of which each alone makes tickets possible, those that leave fewest trains to place first.

    Parameters
    ----------
    solver
        Of the map as it is.
    tickets
        Tickets that are not possible without a station.
    left
        Trains left.
    closed
        Routes of others. Of two between the same cities one is tried: they
        lead to the same places.
    stations
        How many stations there are.

    Returns
    -------
    stations
        Where no single one does it: the fewest that do together, as one.
        None where so many do not help.
    """
    lenders = Lenders(solver, tickets, closed, stations)
    fewest = lenders.fewest((1 << len(tickets)) - 1, left)
    if fewest is None or fewest.more:
        return () if fewest is None else (fewest,)
    found = []
    for route in lenders.routes:
        others = tuple(other for other in solver.closed if other != route)
        try:
            length = solver_of(solver.game_map, others, (*solver.owned, route)).solve(tickets).length
        except NoNetworkError:
            continue
        if length <= left:
            found.append(StationHelp(route, length))
    return tuple(sorted(found, key=lambda station: station.trains))
