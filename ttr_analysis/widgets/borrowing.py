"""What stations may still do for a ticket, while a game goes on."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import TypeAlias

from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.model import Ticket

Step: TypeAlias = tuple[str, int, int]
"""A city next to another one, the trains that the way takes, and how many routes it borrows."""


def may_borrow(view: SeatView, ticket: Ticket) -> bool:
    """
    Return whether stations, built or left, may join the ends of a ticket where the trains left do not.

    What is open may be claimed by the seat, or by another and be borrowed
    then. A station is counted for each route borrowed; that two of them need
    different cities is not looked at. So "no" is sure, and "yes" is not.

    Parameters
    ----------
    view
        What the seat can see.
    ticket
        Its ticket.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game("europe")
    >>> view = game.view(game.new(seed=7), 0)
    >>> may_borrow(view, game.game_map.tickets[0])
    True
    """
    trains, n_stations = view.trains[view.seat], _n_stations(view)
    if not n_stations:
        return False
    steps = _steps(view)
    goals = {city for place, _ in ticket.destinations for city in place.cities}
    fewest: dict[tuple[str, int], int] = {}
    waiting = [(0, 0, city) for city in ticket.origin.cities]
    while waiting:
        spent, borrowed, city = heapq.heappop(waiting)
        if city in goals:
            return True
        if fewest.get((city, borrowed), trains + 1) <= spent:
            continue
        fewest[city, borrowed] = spent
        for other, cost, borrows in steps[city]:
            if spent + cost <= trains and borrowed + borrows <= n_stations:
                heapq.heappush(waiting, (spent + cost, borrowed + borrows, other))
    return False


def _n_stations(view: SeatView) -> int:
    """Return how many stations the seat may have in the end."""
    return view.n_stations[view.seat] + sum(owner == view.seat for owner in view.stations.values())


def _steps(view: SeatView) -> dict[str, list[Step]]:
    """Return the ways from each city, over each route in the ways in which the seat may come to use it."""
    owners, stations, closed = view.owners, view.stations, {route.id for route in view.closed}
    lending = {city for city, owner in stations.items() if owner == view.seat}
    if view.n_stations[view.seat]:
        lending |= {city.name for city in view.game_map.cities if city.name not in stations}
    steps: dict[str, list[Step]] = defaultdict(list)
    for route in view.game_map.routes:
        a, b = route.cities
        is_own = owners.get(route.id) == view.seat
        uses = [(0, 0)] if is_own else []
        if route.id not in closed and route.id not in owners:
            uses.append((route.length, 0))
        if not is_own and (a in lending or b in lending):
            uses.append((0, 1))
        for cost, borrows in uses:
            steps[a].append((b, cost, borrows))
            steps[b].append((a, cost, borrows))
    return steps
