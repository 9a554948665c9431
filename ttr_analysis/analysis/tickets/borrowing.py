"""Which tickets a station could still save: one that lends the route of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis.tickets.network import ForestSolver, NoNetworkError, solver_of
from ttr_analysis.maps.model import Route, RouteLike, Ticket


class StationHelp(NamedTuple):
    """
    A station that makes tickets possible which are not without it.

    Parameters
    ----------
    route
        The route of another that it lends; it may stand at either end.
    trains
        Fewest trains to be placed besides.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> print(StationHelp(ttr.load_map("europe").route("Brest", "Dieppe"), 3))
    a station in Brest or Dieppe, and 3 trains
    """

    route: Route
    trains: int

    def __str__(self) -> str:
        return f"a station in {listed(self.route.cities, 'or')}, and {counted(self.trains, 'train')}"


def helpful_stations(
    solver: ForestSolver, tickets: Sequence[Ticket], left: int, closed: Iterable[RouteLike]
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

    Returns
    -------
    stations
        None on a map without stations.
    """
    if not solver.game_map.rules.stations.number:
        return ()
    found = []
    for route in {frozenset(route.cities): route for route in solver.game_map.resolve_routes(closed)}.values():
        others = tuple(other for other in solver.closed if other != route)
        try:
            length = solver_of(solver.game_map, others, (*solver.owned, route)).solve(tickets).length
        except NoNetworkError:
            continue
        if length <= left:
            found.append(StationHelp(route, length))
    return tuple(sorted(found, key=lambda station: station.trains))
