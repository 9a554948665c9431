"""
The fate of a game's tickets: the lengths of their paths, and the claims that lost them.

A ticket is lost once the seat's remaining trains cannot complete it, and then stays lost:
a claim costs at least the trains that it saves.
"""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import Ints, Record, block, compiled
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, State
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, Tables

NEVER: Final = -1
"""A turn or claim that did not happen."""
FAR: Final = 1 << 30
"""Trains of a path that does not exist, or claims before an event that never happens."""


class Paths(Record):
    """The map as a network, the board as one seat sees it, and work space for searches."""

    near_start = block(MAX_CITIES + 1)
    """Start of each city's neighbors in `near_city` and `near_route`, plus one cell for the end."""
    near_city = block(2 * MAX_ROUTES)
    near_route = block(2 * MAX_ROUTES)
    own_at = block(MAX_ROUTES)
    """Number of claims in the game when the seat got each route, else `FAR`."""
    shut_at = block(MAX_ROUTES)
    """Number of claims in the game when each route was closed to the seat, else `FAR`."""

    cost = block(MAX_ROUTES)
    """Trains that each route costs, `FAR` if it cannot be used."""
    fewest = block(MAX_CITIES)
    """Trains on the path to each city."""
    is_goal = block(MAX_CITIES)
    queue = block(MAX_CITIES)
    """Queue of cities to search from, a ring buffer."""
    is_queued = block(MAX_CITIES)


@compiled
def fill_map(tables: Tables, paths: Paths) -> None:
    """Fill in the parts that are the same in all games."""
    n = 0
    for city in range(tables.n_cities):
        paths.near_start[city] = n
        for route in range(tables.n_routes):
            if city in (tables.city_a[route], tables.city_b[route]):
                paths.near_city[n] = tables.city_a[route] + tables.city_b[route] - city
                paths.near_route[n] = route
                n += 1
    paths.near_start[tables.n_cities] = n


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
    Fill `found` with the trains on each completed ticket's path, and the route whose claim lost each other ticket.

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
    for i in range(state.n_claims):
        route = state.claimed[i]
        state.owner[route] = owners[route]
        if owners[route] == seat:
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
        paths.cost[route] = FAR if paths.own_at[route] == FAR else tables.length[route]
    trains = _fewest_trains(tables, paths, ticket, goal, goal + 1, FAR - 1, 0)
    return NEVER if trains == FAR else trains


@compiled
def losing_claim(state: State, tables: Tables, paths: Paths, ticket: int) -> int:
    """Return the route whose claim lost a ticket; `NEVER` if it was never lost, or was lost from the start."""
    if _can_complete(tables, paths, ticket, state.n_claims):
        return NEVER
    first, last = 0, state.n_claims
    while first < last:
        middle = (first + last) // 2
        if _can_complete(tables, paths, ticket, middle):
            first = middle + 1
        else:
            last = middle
    return NEVER if last == 0 else int(state.claimed[last - 1])


@compiled
def _can_complete(tables: Tables, paths: Paths, ticket: int, n_claims: int) -> bool:
    """Return whether the seat's trains were enough for a ticket after some claims."""
    trains = tables.trains_each
    for route in range(tables.n_routes):
        length = tables.length[route]
        if paths.own_at[route] <= n_claims:
            paths.cost[route] = 0
            trains -= length
        else:
            paths.cost[route] = FAR if paths.shut_at[route] <= n_claims else length
    first, end = tables.goal_start[ticket], tables.goal_start[ticket + 1]
    return _fewest_trains(tables, paths, ticket, first, end, trains, trains) <= trains


@compiled
def _fewest_trains(tables: Tables, paths: Paths, ticket: int, first: int, end: int, most: int, enough: int) -> int:
    """Return the trains on a ticket's shortest path, or on the first with at most `enough`; `most + 1` if none."""
    head = 0
    n_queued = _begin_search(tables, paths, ticket, first, end)
    if n_queued == 0:
        return 0
    found = most + 1
    while n_queued > 0:
        here = paths.queue[head]
        head = (head + 1) % MAX_CITIES
        n_queued -= 1
        paths.is_queued[here] = 0
        for i in range(paths.near_start[here], paths.near_start[here + 1]):
            there = paths.near_city[i]
            cost = paths.fewest[here] + paths.cost[paths.near_route[i]]
            if cost >= found or cost >= paths.fewest[there]:
                continue
            paths.fewest[there] = cost
            if paths.is_goal[there]:
                found = cost
                if found <= enough:
                    return int(found)
            elif not paths.is_queued[there]:
                paths.is_queued[there] = 1
                paths.queue[(head + n_queued) % MAX_CITIES] = there
                n_queued += 1
    return int(found)


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
        if paths.is_goal[city]:
            return 0
        paths.queue[n_queued] = city
        n_queued += 1
    return n_queued
