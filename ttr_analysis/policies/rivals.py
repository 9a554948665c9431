"""
Outside rivals: four published players, reimplemented from their descriptions.

They are named after what they care about. Where the originals would wait forever, such
as for a card that cannot come, these fall back to playing like `Greedy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.kernel.scoring import goal_reached, join_ends, label_cities
from ttr_analysis.engine.kernel.turns import fewest_kept, has_tickets
from ttr_analysis.engine.layout import KEEP, KEEP_START, SECOND_DRAW, TURN, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.greedy import can_claim, cheapest_cards, choose_greedily, greedy_lore
from ttr_analysis.policies.playout import OneFunction
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, Tables

_FAR: Final = 1 << 20
SHORTEST, BY_HOPS, ONE_TICKET, KEEPS_ALL, APPETITE, IDLE = range(6)
"""
Indices in a rival's vector: the shortest route in its plans; whether a path is judged
by routes instead of trains; whether it pursues one ticket at a time; whether it keeps
all tickets dealt; the spare trains from which it draws tickets; and the trains that
everybody must have before it draws when all tickets are done. `NEVER` is more than
anybody has.
"""
NEVER: Final = 1_000.0
_SPARE: Final = 5
"""Spare trains that it tries to have left after keeping tickets."""


class Plan(NamedTuple):
    """A rival's plan: 1 for each route, and the cities connected by its routes, owned or planned."""

    routes: Ints
    label: Ints


@quickly_compiled
def choose_for_tickets(
    state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
) -> tuple[int, int]:
    """Return the code and value of a rival's action."""
    phase = state.phase
    if phase in (KEEP_START, KEEP):
        return codes.KEEP_TICKETS, _choose_tickets(state, tables, seat, params)
    if phase in (TURN, SECOND_DRAW):
        plan = _make_plan(state, tables, seat, params, 0)
        trains = _trains_of(tables, plan)
        if phase == TURN:
            if has_tickets(state) and _wants_tickets(state, tables, seat, params, trains):
                return codes.DRAW_TICKETS, 0
            for i in range(tables.n_routes):
                route = lore[i]
                if plan.routes[route] and can_claim(state, tables, seat, route):
                    return codes.make_action(codes.CLAIM_ROUTE, route), cheapest_cards(state, tables, seat, route)
        if trains > 0:
            draw = _draw_for(state, tables, seat, plan)
            if draw >= 0:
                return draw, 0
    return choose_greedily(state, tables, lore, seat, params, memory)


@compiled
def _wants_tickets(state: State, tables: Tables, seat: int, params: Floats, trains: int) -> bool:
    """Return whether a rival draws tickets, given the number of trains that its plan takes."""
    if state.trains[seat] - trains > params[APPETITE]:
        return True
    fewest = state.trains[seat]
    for other in range(tables.n_seats):
        fewest = min(fewest, state.trains[other])
    return trains == 0 and fewest >= params[IDLE]


@compiled
def _choose_tickets(state: State, tables: Tables, seat: int, params: Floats) -> int:
    """Return the tickets of an offer to keep, as bits: all, or the feasible ones with the most points per train."""
    n = state.n_offer[seat]
    everything = (1 << n) - 1
    if params[KEEPS_ALL] > 0.0:
        return int(everything)
    at_least = fewest_kept(state, tables, seat)
    chosen = fallback = 0
    best = -1.0
    least = float(_FAR)
    for kept in range(1, everything + 1):
        points = 0.0
        n_kept = 0
        for i in range(n):
            if kept >> i & 1:
                ticket = state.offer[seat, i]
                points += 0.0 if ticket == UNKNOWN_TICKET else float(tables.penalty[ticket])
                n_kept += 1
        if n_kept < at_least:
            continue
        plan = _make_plan(state, tables, seat, params, kept)
        trains = _trains_of(tables, plan)
        if points < least:
            least, fallback = points, kept
        worth = points / max(1, trains)
        if trains <= state.trains[seat] - _SPARE:
            worth += _FAR
        if trains <= state.trains[seat] and _reaches(state, tables, seat, plan, kept) and worth > best:
            best, chosen = worth, kept
    return int(chosen if best >= 0.0 else fallback)


@compiled
def _reaches(state: State, tables: Tables, seat: int, plan: Plan, kept: int) -> bool:
    """Return whether a plan completes the kept tickets of an offer."""
    for i in range(state.n_offer[seat]):
        ticket = state.offer[seat, i]
        if kept >> i & 1 and ticket != UNKNOWN_TICKET and goal_reached(tables, ticket, plan.label) == NO_GOAL:
            return False
    return True


@compiled
def _make_plan(state: State, tables: Tables, seat: int, params: Floats, kept: int) -> Plan:
    """Return the plan for tickets held and kept, adding path after path, most points first."""
    routes, label = np.zeros(MAX_ROUTES, dtype=np.int64), np.zeros(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, seat, label)
    n_held = state.n_held[seat]
    tickets = np.zeros(n_held + state.n_offer[seat], dtype=np.int64)
    n = 0
    for i in range(n_held):
        tickets[n] = state.held[seat, i]
        n += 1
    for i in range(state.n_offer[seat]):
        if kept >> i & 1:
            tickets[n] = state.offer[seat, i]
            n += 1
    plan = Plan(routes, label)
    for _ in range(n):
        best = -1
        for i in range(n):
            ticket = tickets[i]
            if ticket < 0 or ticket == UNKNOWN_TICKET or goal_reached(tables, ticket, label) != NO_GOAL:
                continue
            if best < 0 or tables.penalty[ticket] > tables.penalty[tickets[best]]:
                best = i
        if best < 0:
            break
        is_found = _add_path(state, tables, seat, params, tickets[best], plan)
        tickets[best] = -1
        if is_found and params[ONE_TICKET] > 0.0 and kept == 0:
            break
    return plan


@compiled
def _add_path(state: State, tables: Tables, seat: int, params: Floats, ticket: int, plan: Plan) -> bool:
    """Add the shortest path that completes a ticket to a plan; return whether there is one."""
    n = tables.n_cities
    cost, previous = np.full(n, _FAR, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    place = tables.origin[ticket]
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        cost[tables.place_city[i]] = 0
    changes = True
    while changes:
        changes = False
        for route in range(tables.n_routes):
            step = _route_cost(state, tables, seat, params, route, plan)
            if step < 0:
                continue
            for end in range(2):
                a = tables.city_b[route] if end else tables.city_a[route]
                b = tables.city_a[route] if end else tables.city_b[route]
                if cost[a] + step < cost[b]:
                    cost[b], previous[b] = cost[a] + step, route
                    changes = True
    goal = -1
    for i in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
        place = tables.goal_place[i]
        for j in range(tables.place_start[place], tables.place_start[place + 1]):
            city = tables.place_city[j]
            if cost[city] < _FAR and (goal < 0 or cost[city] < cost[goal]):
                goal = city
    if goal < 0:
        return False
    while cost[goal] > 0:
        route = previous[goal]
        if state.owner[route] != seat and not plan.routes[route]:
            plan.routes[route] = 1
            join_ends(tables, route, plan.label)
        goal = tables.city_a[route] if tables.city_b[route] == goal else tables.city_b[route]
    return True


@compiled
def _route_cost(state: State, tables: Tables, seat: int, params: Floats, route: int, plan: Plan) -> int:
    """Return the cost of a route in a path: 0 if owned or planned, below 0 if unavailable."""
    if state.owner[route] == seat or plan.routes[route]:
        return 0
    length = tables.length[route]
    is_open = track_fault(state, tables, seat, route) == codes.NONE and length <= state.trains[seat]
    if not is_open or length < min(params[SHORTEST], float(state.trains[seat])):
        return -1
    return 1 if params[BY_HOPS] > 0.0 else int(length)


@compiled
def _trains_of(tables: Tables, plan: Plan) -> int:
    trains = 0
    for route in range(tables.n_routes):
        trains += plan.routes[route] * tables.length[route]
    return int(trains)


@compiled
def _draw_for(state: State, tables: Tables, seat: int, plan: Plan) -> int:
    """Return the draw for a plan: the color missing most, else a locomotive, else blind; -1 if none."""
    needed = np.zeros(N_KINDS, dtype=np.int64)
    top = 0
    for color in range(1, N_COLORS):
        if state.hand[seat, color] > state.hand[seat, top]:
            top = color
    for route in range(tables.n_routes):
        if plan.routes[route]:
            color = tables.color[route]
            needed[top if color == GRAY_INDEX else color] += tables.length[route]
            needed[LOCOMOTIVE_INDEX] += tables.symbols[route]
    best = -1
    most = 0
    for slot in range(tables.market_size):
        if not may_take(state, tables, slot):
            continue
        kind = state.market[slot]
        missing = needed[kind] - state.hand[seat, kind]
        if kind == LOCOMOTIVE_INDEX and must_be_first(kind, tables.locomotive_cost):
            missing = max(1, missing)
        if missing > most:
            best, most = slot, missing
    if best >= 0:
        return codes.make_action(codes.DRAW_FACE_UP, best)
    return codes.DRAW_CARD if has_cards(state) else -1


class _Rival(OneFunction):
    """A rival: one function, and a vector of its preferences."""

    __slots__ = ()
    memory_size = KEY_SIZE
    cares: ClassVar[tuple[float, ...]]
    """Its vector."""

    @property
    def params(self) -> Floats:
        """Its preferences."""
        return np.array(self.cares)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the routes of a map, longest first."""
        return greedy_lore(game_map)


@dataclass(frozen=True, slots=True)
class OneStep(_Rival):
    """
    Thinks one ticket ahead: keeps all tickets, and pursues the most valuable one with the fewest routes.

    Once all are done, it draws more if everybody has at least eight trains.

    References
    ----------
    F. de Mesentier Silva, S. Lee, J. Togelius, A. Nealen, AI-based playtesting of
    contemporary board games, FDG 2017.

    Examples
    --------
    >>> OneStep()
    OneStep()
    """

    name = "OneStep"
    chooser = staticmethod(choose_for_tickets)
    cares = (1.0, 1.0, 1.0, 1.0, NEVER, 8.0)


@dataclass(frozen=True, slots=True)
class LongRoutes(_Rival):
    """
    Loves long routes: plans with routes of at least three trains, for one ticket at a time.

    References
    ----------
    See `OneStep`; there called the long-route junkie. The authors' program keeps the
    tickets with the fewest points, by mistake; this one keeps those with the most points
    per train.

    Examples
    --------
    >>> LongRoutes()
    LongRoutes()
    """

    name = "LongRoutes"
    chooser = staticmethod(choose_for_tickets)
    cares = (3.0, 1.0, 1.0, 0.0, NEVER, NEVER)


@dataclass(frozen=True, slots=True)
class Paths(_Rival):
    """
    Keeps all tickets dealt, and builds a path with the fewest routes for each, most points first.

    References
    ----------
    See `OneStep`; there called the path agent.

    Examples
    --------
    >>> Paths()
    Paths()
    """

    name = "Paths"
    chooser = staticmethod(choose_for_tickets)
    cares = (1.0, 1.0, 0.0, 1.0, NEVER, NEVER)


@dataclass(frozen=True, slots=True)
class Hungry(_Rival):
    """
    Hungry for tickets: draws more as long as the plan leaves more than eight trains.

    References
    ----------
    See `OneStep`; there called the hungry agent.

    Examples
    --------
    >>> Hungry()
    Hungry()
    """

    name = "Hungry"
    chooser = staticmethod(choose_for_tickets)
    cares = (1.0, 0.0, 0.0, 0.0, 8.0, NEVER)
