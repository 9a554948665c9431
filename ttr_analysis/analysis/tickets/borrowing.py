"""Which tickets stations could still save: those that lend the routes of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis.tickets import lending, steiner
from ttr_analysis.analysis.tickets.network import ForestSolver, NoNetworkError, solver_of, trains_of
from ttr_analysis.analysis.tickets.steiner import PackedCost
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket
from ttr_analysis.tables import map_tables


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
        city_numbers = map_tables(solver.game_map).ends
        lenders = np.array([city_numbers[solver.game_map.routes.index(route)] for route in self.routes], dtype=np.int64)
        n = len(solver.game_map.cities)
        work = steiner.make_work(len(tickets), n)
        self._costs = lending.make_lending(len(tickets), len(ends.members), self.n_stations, n)
        price = PackedCost(0, 0, 0, 0, owned=1).pack()
        lending.lend_paths(solver.board.distance, lenders, price, self._costs)
        lending.solve_lending(ends, np.arange(len(tickets), dtype=np.int64), work, self._costs)

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
        """Return the routes lent as `lending` notes them, each once."""
        numbers = {code >> lending.LENT_BITS * i & ((1 << lending.LENT_BITS) - 1) for i in range(self.n_stations)}
        return tuple(self.routes[number - 1] for number in sorted(numbers - {0}))


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
