"""
The fate of a game's tickets: the lengths of their paths, and the claims that lost them.

A ticket is lost once the seat's remaining trains cannot complete it. It is not lost as long
as they are enough for one open path, so a path is kept until it fails; only then is another
one searched for.
"""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import Ints, Record, block, cell, compiled
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, State
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, MAX_TICKETS, Tables

NEVER: Final = -1
"""A turn or claim that did not happen."""
NO_PATH: Final = -1
"""Number of routes of a path that does not exist."""
UNIT: Final = 2 * MAX_CITIES
"""The cost of a train; smaller costs break ties between paths with equal trains."""
FAR: Final = 1 << 30
"""Trains of a path that does not exist, or claims before an event that never happens."""


class Paths(Record):
    """The map as a network, the board as one seat sees it, and work space for searches."""

    near_start = block(MAX_CITIES + 1)
    """Start of each city's neighbors in `near_city` and `near_route`, plus one cell for the end."""
    near_city = block(2 * MAX_ROUTES)
    near_route = block(2 * MAX_ROUTES)
    n_opening = block(MAX_TICKETS)
    """Number of routes on each ticket's shortest path on the empty board; `NO_PATH` if the trains are not enough."""
    opening = block(MAX_TICKETS, MAX_CITIES)
    """The routes of that path."""

    n_own = cell()
    """Number of the seat's routes at the end."""
    own = block(MAX_ROUTES)
    """These routes, in the order taken."""
    own_at = block(MAX_ROUTES)
    """Number of claims in the game when the seat got each route, else `FAR`."""
    shut_at = block(MAX_ROUTES)
    """Number of claims in the game when each route was closed to the seat, else `FAR`."""

    cost = block(MAX_ROUTES)
    """Cost of each route, `FAR` if it cannot be used."""
    fewest = block(MAX_CITIES)
    """Cost of the path to each city."""
    came_by = block(MAX_CITIES)
    """The last route on that path, else `NEVER`."""
    is_goal = block(MAX_CITIES)
    queue = block(MAX_CITIES)
    """Queue of cities to search from, a ring buffer."""
    is_queued = block(MAX_CITIES)
    path = block(MAX_CITIES)
    """The routes of the path found."""
    is_on_path = block(MAX_ROUTES)


@compiled
def fill_map(tables: Tables, paths: Paths) -> None:
    """Fill in what is the same in all games."""
    n = 0
    for city in range(tables.n_cities):
        paths.near_start[city] = n
        for route in range(tables.n_routes):
            if city in (tables.city_a[route], tables.city_b[route]):
                paths.near_city[n] = tables.city_a[route] + tables.city_b[route] - city
                paths.near_route[n] = route
                n += 1
    paths.near_start[tables.n_cities] = n
    for route in range(tables.n_routes):
        paths.cost[route] = UNIT * tables.length[route]
    for ticket in range(tables.n_tickets):
        goals = tables.goal_start[ticket], tables.goal_start[ticket + 1]
        end = _search(tables, paths, ticket, goals[0], goals[1], UNIT * tables.trains_each)
        n_routes = _trace(paths, tables, end)
        paths.n_opening[ticket] = n_routes
        for i in range(n_routes):
            paths.opening[ticket, i] = paths.path[i]


# -- input of `fill_paths`: tickets offered and routes taken --------------------

GAME: Final = 0
SEAT: Final = 1
TICKET: Final = 2
IS_KEPT: Final = 3
GOAL: Final = 4
"""The destination that counted in the end, from 0; below 0 if none did."""
ROUTE: Final = 2

TRAINS_ON_PATH: Final = 0
"""Trains on the shortest path over the seat's final routes to the destination that counted, else `NEVER`."""
LOST_TO: Final = 1
"""The route whose claim lost a ticket, else `NEVER`."""


@compiled
def fill_paths(tables: Tables, offers: Ints, claims: Ints, found: Ints) -> None:
    """
    Fill `found` with the trains on each completed ticket's path, and the route that each other ticket was lost to.

    `offers` has rows for game, seat, ticket, whether it was kept, and the destination that
    counted; `claims` for game, seat (below 0 for the neutral player) and route.
    """
    paths = Paths()
    fill_map(tables, paths)
    state = State()
    n_offers = offers.shape[1]
    first = 0
    at = 0
    while first < n_offers:
        game = offers[GAME, first]
        at = _lay_claims(claims, game, at, state)
        end = first
        while end < n_offers and offers[GAME, end] == game:
            found[TRAINS_ON_PATH, end] = found[LOST_TO, end] = NEVER
            end += 1
        for seat in range(tables.n_seats):
            _fill_seat(state, tables, paths, seat, offers, first, end, found)
        first = end


@compiled
def _lay_claims(claims: Ints, game: int, at: int, state: State) -> int:
    """Assign the routes of a game to their owners; return the index of the next game's first claim."""
    state.owner.fill(NOBODY)
    state.n_claims = 0
    while at < claims.shape[1] and claims[GAME, at] <= game:
        if claims[GAME, at] == game:
            seat, route = claims[SEAT, at], claims[ROUTE, at]
            state.owner[route] = seat if seat >= 0 else NEUTRAL_OWNER
            state.claimed[state.n_claims] = route
            state.n_claims += 1
        at += 1
    return at


@compiled
def _fill_seat(
    state: State, tables: Tables, paths: Paths, seat: int, offers: Ints, first: int, end: int, found: Ints
) -> None:
    """Find the fates of a seat's tickets in a game."""
    is_followed = False
    for i in range(first, end):
        if offers[SEAT, i] != seat or not offers[IS_KEPT, i]:
            continue
        if not is_followed:
            follow_claims(state, tables, paths, seat)
            is_followed = True
        ticket = offers[TICKET, i]
        if offers[GOAL, i] >= 0:
            found[TRAINS_ON_PATH, i] = trains_on_path(
                tables, paths, ticket, tables.goal_start[ticket] + offers[GOAL, i]
            )
        else:
            found[LOST_TO, i] = losing_claim(state, tables, paths, ticket)


@compiled
def follow_claims(state: State, tables: Tables, paths: Paths, seat: int) -> None:
    """Fill in when each route became the seat's or was closed to it, by replaying all claims of a game."""
    owners = state.owner.copy()
    for i in range(state.n_claims):
        state.owner[state.claimed[i]] = NOBODY
    for route in range(tables.n_routes):
        paths.own_at[route] = paths.shut_at[route] = FAR
    paths.n_own = 0
    for i in range(state.n_claims):
        route = state.claimed[i]
        state.owner[route] = owners[route]
        if owners[route] == seat:
            paths.own[paths.n_own] = route
            paths.n_own += 1
            paths.own_at[route] = i + 1
        else:
            paths.shut_at[route] = min(paths.shut_at[route], i + 1)
        twin = tables.twin[route]
        if twin >= 0 and paths.own_at[twin] == FAR and track_fault(state, tables, seat, twin):
            paths.shut_at[twin] = min(paths.shut_at[twin], i + 1)


@compiled
def trains_on_path(tables: Tables, paths: Paths, ticket: int, goal: int) -> int:
    """Return the trains on a ticket's shortest path over the seat's final routes; `NEVER` if there is none."""
    for route in range(tables.n_routes):
        paths.cost[route] = FAR if paths.own_at[route] == FAR else UNIT * tables.length[route]
    city = _search(tables, paths, ticket, goal, goal + 1, FAR - 1)
    return NEVER if city == NEVER else int(paths.fewest[city] // UNIT)


@compiled
def losing_claim(state: State, tables: Tables, paths: Paths, ticket: int) -> int:
    """Return the route whose claim lost a ticket; `NEVER` if it was never lost, or was lost from the start."""
    n_routes = paths.n_opening[ticket]
    for i in range(n_routes):
        paths.path[i] = paths.opening[ticket, i]
    lost_at = 0
    while n_routes != NO_PATH:
        lost_at = _served_until(tables, paths, n_routes)
        if lost_at == FAR:
            return NEVER
        n_routes = _path_after(tables, paths, ticket, lost_at)
    return NEVER if lost_at == 0 else int(state.claimed[lost_at - 1])


@compiled
def _served_until(tables: Tables, paths: Paths, n_routes: int) -> int:
    """Return the number of claims after which the path found is closed or too long for the trains left, else `FAR`."""
    end = FAR
    spare = tables.trains_each
    for i in range(n_routes):
        route = paths.path[i]
        end = min(end, paths.shut_at[route])
        spare -= tables.length[route]
        paths.is_on_path[route] = 1
    for i in range(paths.n_own):
        route = paths.own[i]
        if not paths.is_on_path[route]:
            spare -= tables.length[route]
            if spare < 0:
                end = min(end, paths.own_at[route])
                break
    for i in range(n_routes):
        paths.is_on_path[paths.path[i]] = 0
    return int(end)


@compiled
def _path_after(tables: Tables, paths: Paths, ticket: int, n_claims: int) -> int:
    """Find a ticket's shortest path after some claims, preferring routes that close late; return its length in hops."""
    trains = tables.trains_each
    for route in range(tables.n_routes):
        length = tables.length[route]
        if paths.own_at[route] <= n_claims:
            paths.cost[route] = 0
            trains -= length
        else:
            cost = UNIT * length + (1 if paths.shut_at[route] < FAR else 0)
            paths.cost[route] = FAR if paths.shut_at[route] <= n_claims else cost
    first, end = tables.goal_start[ticket], tables.goal_start[ticket + 1]
    return _trace(paths, tables, _search(tables, paths, ticket, first, end, UNIT * trains + UNIT - 1))


@compiled
def _search(tables: Tables, paths: Paths, ticket: int, first: int, end: int, most: int) -> int:
    """Find a ticket's cheapest path to a goal; return its last city, or `NEVER` if it costs more than `most`."""
    head = 0
    n_queued = _begin_search(tables, paths, ticket, first, end)
    if n_queued == 0:
        return int(paths.queue[0])
    nearest = NEVER
    while n_queued > 0:
        here = paths.queue[head]
        head = (head + 1) % MAX_CITIES
        n_queued -= 1
        paths.is_queued[here] = 0
        so_far = paths.fewest[here]
        if so_far > most:
            continue
        for i in range(paths.near_start[here], paths.near_start[here + 1]):
            there = paths.near_city[i]
            cost = so_far + paths.cost[paths.near_route[i]]
            if cost > most or cost >= paths.fewest[there]:
                continue
            paths.fewest[there] = cost
            paths.came_by[there] = paths.near_route[i]
            if paths.is_goal[there]:
                nearest = there
                most = cost - 1  # a path of equal cost does not help
            elif not paths.is_queued[there]:
                paths.is_queued[there] = 1
                paths.queue[(head + n_queued) % MAX_CITIES] = there
                n_queued += 1
    return int(nearest)


@compiled
def _begin_search(tables: Tables, paths: Paths, ticket: int, first: int, end: int) -> int:
    """Queue the start cities of a ticket and mark its goals; return 0 if a start is a goal, else their number."""
    for city in range(tables.n_cities):
        paths.fewest[city] = FAR
        paths.is_goal[city] = paths.is_queued[city] = 0
    for goal in range(first, end):
        place = tables.goal_place[goal]
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            paths.is_goal[tables.place_city[i]] = 1
    n_queued = 0
    place = tables.origin[ticket]
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        city = tables.place_city[i]
        paths.fewest[city] = 0
        paths.came_by[city] = NEVER
        if paths.is_goal[city]:
            paths.queue[0] = city
            return 0
        paths.queue[n_queued] = city
        n_queued += 1
    return n_queued


@compiled
def _trace(paths: Paths, tables: Tables, city: int) -> int:
    """Store the routes of the path found to a city; return their number, `NO_PATH` if there is none."""
    if city == NEVER:
        return NO_PATH
    n_routes = 0
    while paths.came_by[city] != NEVER:
        route = paths.came_by[city]
        paths.path[n_routes] = route
        n_routes += 1
        city = tables.city_a[route] + tables.city_b[route] - city
    return n_routes
