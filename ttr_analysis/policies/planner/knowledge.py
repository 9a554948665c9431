"""What a planner knows: of a map, of its strategy, and of a game, at which it looks again in every turn."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import Record, block, cell, compiled, float_cell
from ttr_analysis.analysis.tickets.steiner import all_distances
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.kernel.scoring import join_ends
from ttr_analysis.engine.layout import State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import (
    MAX_CITIES,
    MAX_GOALS,
    MAX_ROUTES,
    MAX_SEATS,
    MAX_TICKETS,
    MEASURE_TOKENS,
    Tables,
    game_tables,
)


class Memory(Record):
    """What a planner remembers of a game, and of its plan."""

    stream = block(KEY_SIZE)
    """The seat's stream of chance."""
    is_awake = cell()
    """0 before the first look at a game."""
    degree = block(MAX_CITIES)
    """Own routes at each city."""
    rivals = block(MAX_CITIES)
    """1 for each city that routes of others touch."""
    n_seen = cell()
    """Claims that were looked at."""
    n_tickets_planned = cell()
    """Tickets held when the plan was made."""
    is_stale = cell()
    """1 if the plan must be made again."""
    n_planned = cell()
    """Routes of the plan still to be claimed."""
    gain_planned = cell()
    """Points that the tickets of the plan are worth."""
    left_planned = cell()
    """Turns that were left when the plan was made."""
    board_foreseen = cell()
    """A number of the board on which tickets of the pile were looked at last."""
    foreseen = cell()
    """What they add to what a draw brings, in parts of a point."""
    label = block(MAX_CITIES)
    """For each city a label, equal for cities that the seat's own routes join."""
    plan = block(MAX_ROUTES)
    """The routes of the plan."""
    is_planned = block(MAX_ROUTES)
    """1 for each route of the plan."""
    was_offered = block(MAX_TICKETS)
    """1 for each ticket that was offered to the seat."""
    wanted = block(N_KINDS)
    """Cards of each kind that the plan needs."""
    free = block(N_KINDS + 3)
    """Cards of the hand that the plan leaves free: see `card_value.want_cards`."""
    cards = block(3 * N_KINDS)
    """Room for hands of cards."""


# -- the numbers of a planner's strategy ---------------------------------------------------------------------------


class Params(Record, dtype=np.float64):
    """The fields of `policy.Planner`, in its order."""

    train_price = float_cell()
    route_price = float_cell()
    point_weight = float_cell()
    tunnel_price = float_cell()
    symbol_price = float_cell()
    faith = float_cell()
    late_price = float_cell()
    cards_per_turn = float_cell()
    trains_per_claim = float_cell()
    extra_train_price = float_cell()
    extra_bar = float_cell()
    wanted_price = float_cell()
    spare_price = float_cell()
    locomotive_price = float_cell()
    breadth = float_cell()
    tunnel_odds = float_cell()
    ticket_bar = float_cell()
    ticket_trains = float_cell()
    ticket_turns = float_cell()
    token_spread = float_cell()
    trail_weight = float_cell()
    opening_bar = float_cell()
    plan_bar = float_cell()
    decline_bar = float_cell()
    crowd_price = float_cell()
    crowd_part = float_cell()
    rush = float_cell()
    denial = float_cell()
    trail_step = float_cell()
    trail_join = float_cell()
    foresight = float_cell()
    bonus_pull = float_cell()
    seat_spread = float_cell()
    care = float_cell()
    late_cards = float_cell()


# -- what a planner knows about a map before the first game --------------------------------------------------------

GOAL_TRAINS: Final = 0
"""Fewest trains from the origin of a ticket to each destination, as listed in the tables."""
ROUTE_DANGER: Final = GOAL_TRAINS + MAX_GOALS
"""Trains that it costs to go around each route, times the share of tickets for which it is on the way."""
DANGER_UNIT: Final = 1000
"""A danger is in so many parts of a train."""
LORE_SIZE: Final = ROUTE_DANGER + MAX_ROUTES

_FAR: Final = 1 << 40
_LONG_WAY: Final = 8
"""Trains of the longest way around that is told apart."""


@lru_cache(maxsize=64)
def planner_lore(game_map: GameMap, n_players: int) -> Ints:
    """
    Return what a planner knows about a map beforehand.

    Parameters
    ----------
    game_map
        The map.
    n_players
        Number of players.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> int(planner_lore(nordic, 2)[GOAL_TRAINS]), nordic.tickets[0].id
    (5, 'Aalborg-Norrköping')
    """
    tables = game_tables(game_map, n_players)
    n = tables.n_cities
    weight = np.full((n, n), _FAR, dtype=np.int64)
    for r in range(tables.n_routes):
        a, b = tables.city_a[r], tables.city_b[r]
        weight[a, b] = weight[b, a] = min(weight[a, b], tables.length[r])
    distance = np.empty((n, n), dtype=np.int64)
    all_distances(weight, distance)
    lore = np.zeros(LORE_SIZE, dtype=np.int64)
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            lore[GOAL_TRAINS + goal] = distance[np.ix_(origin, there)].min()
    lore[ROUTE_DANGER : ROUTE_DANGER + MAX_ROUTES] = _dangers(tables, weight, distance)
    return lore


def _dangers(tables: Tables, weight: Ints, distance: Ints) -> Ints:
    """Return what losing each route costs those who want it: see `ROUTE_DANGER`."""
    share = _shares(tables, distance)
    danger = np.zeros(MAX_ROUTES, dtype=np.int64)
    for r in range(tables.n_routes):
        a, b, twin = tables.city_a[r], tables.city_b[r], tables.twin[r]
        others = weight.copy()
        others[a, b] = others[b, a] = tables.length[twin] if twin >= 0 and tables.both_open else _FAR
        detour = min(_LONG_WAY, _distances_from(a, others)[b] - distance[a, b])
        danger[r] = round(DANGER_UNIT * share[r] * detour)
    return danger


def _distances_from(city: int, weight: Ints) -> Ints:
    """Return the cost of the cheapest path from a city to each other one, of one more track in each step."""
    distance: Ints = weight[city]
    while True:
        nearer = np.minimum(distance, (distance[:, np.newaxis] + weight).min(axis=0))
        if np.array_equal(nearer, distance):
            return distance
        distance = nearer


def _shares(tables: Tables, distance: Ints) -> Floats:
    """Return for each route the share of all tickets, by points, for which it may be on the way."""
    share = np.zeros(tables.n_routes)
    a, b, length = (block[: tables.n_routes] for block in (tables.city_a, tables.city_b, tables.length))
    total = 0
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        ways = []
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            between = distance[np.ix_(origin, there)]
            i, j = np.unravel_index(between.argmin(), between.shape)
            ways.append((tables.goal_points[goal] - between.min(), origin[i], there[j], tables.goal_points[goal]))
        _, start, end, points = max(ways, key=lambda way: way[0])
        via = length + np.minimum(distance[start, a] + distance[b, end], distance[start, b] + distance[a, end])
        share += np.where(via <= distance[start, end] + 1, points, 0)
        total += int(points)
    return share / max(1, total)


def _cities_of(tables: Tables, place: int) -> Ints:
    """Return the cities of a place."""
    return tables.place_city[tables.place_start[place] : tables.place_start[place + 1]]


# -- what a planner sees on the board ------------------------------------------------------------------------------


@compiled
def is_open(state: State, tables: Tables, seat: int, route: int) -> bool:
    """Return whether a route is free for a seat, trains and tolls aside."""
    return track_fault(state, tables, seat, route) == NONE


@compiled
def observe(state: State, tables: Tables, seat: int, memory: Memory) -> None:
    """Look at the claims since the last look, and mark the plan as stale if something in it changed."""
    if not memory.is_awake:
        memory.is_awake = 1
        for city in range(tables.n_cities):
            memory.label[city] = city
    for i in range(memory.n_seen, state.n_claims):
        route = state.claimed[i]
        if state.owner[route] == seat:
            join_ends(tables, route, memory.label)
            memory.degree[tables.city_a[route]] += 1
            memory.degree[tables.city_b[route]] += 1
            if not drop_planned(tables, route, memory) and memory.n_planned > 0:
                memory.is_stale = 1
        else:
            memory.rivals[tables.city_a[route]] = memory.rivals[tables.city_b[route]] = 1
            _lose_route(state, tables, seat, route, memory)
    memory.n_seen = state.n_claims
    if memory.n_tickets_planned != state.n_held[seat]:
        memory.is_stale = 1


@compiled
def drop_planned(tables: Tables, route: int, memory: Memory) -> bool:
    """Strike a route, or its twin, off the plan; return whether it was in it."""
    if not memory.is_planned[route]:
        twin = tables.twin[route]
        if twin < 0 or not memory.is_planned[twin]:
            return False
        route = twin
    memory.is_planned[route] = 0
    memory.n_planned -= 1
    last = memory.plan[memory.n_planned]
    at = 0
    while memory.plan[at] != route:
        at += 1
    memory.plan[at] = last
    return True


@compiled
def _lose_route(state: State, tables: Tables, seat: int, route: int, memory: Memory) -> None:
    """Take note that somebody else took a route: its twin may do instead."""
    twin = tables.twin[route]
    if memory.is_planned[route]:
        drop_planned(tables, route, memory)
        if twin >= 0 and is_open(state, tables, seat, twin):
            add_planned(twin, memory)
        else:
            memory.is_stale = 1
    elif twin >= 0 and memory.is_planned[twin] and not is_open(state, tables, seat, twin):
        drop_planned(tables, twin, memory)
        memory.is_stale = 1


@compiled
def add_planned(route: int, memory: Memory) -> None:
    """Put a route on the plan."""
    memory.plan[memory.n_planned] = route
    memory.n_planned += 1
    memory.is_planned[route] = 1


@compiled
def turns_left(state: State, tables: Tables, seat: int, params: Params) -> float:
    """Return how many turns a seat will have yet, this one included: an estimate, exact in the last round."""
    n_seats = tables.n_seats
    if state.last_left >= 0:
        return float(1.0 + (state.last_left - 1) // n_seats)
    fewest = 1e9
    for other in range(n_seats):
        trains = max(0, state.trains[other] - tables.last_round_at)
        cards = max(0.0, trains - 0.7 * state.n_hand[other])
        turns = cards / params.cards_per_turn + trains / params.trains_per_claim
        if other != seat:
            turns += 0.5
        fewest = min(fewest, turns)
    return float(max(1.0, fewest) + tables.last_turns)


@compiled
def token_terms(state: State, tables: Tables, seat: int, params: Params) -> tuple[float, float]:
    """
    Return what money is worth to a seat, in points.

    Returns
    -------
    token_value
        What one token more adds to the expected bonus for most tokens.
    at_stake
        The expected bonus itself, which a loan may forfeit.
    """
    token_value = 0.0
    at_stake = 0.0
    if tables.tokens_each == 0:
        return token_value, at_stake
    spread = params.token_spread + params.seat_spread * (tables.n_seats - 2)
    for i in range(tables.n_bonuses):
        points = tables.bonus_points[i]
        without_loans = tables.bonus_without_loans[i]
        if tables.bonus_measure[i] != MEASURE_TOKENS or (without_loans and state.loans[seat] > 0):
            continue
        rank = 0.0
        slope = 0.0
        for other in range(tables.n_seats):
            if other != seat and not (without_loans and state.loans[other] > 0):
                behind = (state.tokens[other] - state.tokens[seat]) / spread
                share = 1.0 + abs(behind)
                rank += 0.5 + 0.5 * behind / share
                slope += 0.5 / (share * share * spread)
        whole = int(rank)
        step = points[whole] - points[whole + 1] if whole + 1 < MAX_SEATS else 0
        token_value += float(slope * step)
        at_stake += points[whole] - (rank - whole) * step
    return token_value, at_stake


@compiled
def toll_cost(state: State, tables: Tables, seat: int, route: int, token_value: float, at_stake: float) -> float:
    """Return the points that the toll of a route costs a seat: tokens, or a loan and a bonus forfeited."""
    toll = tables.toll[route]
    if toll <= state.tokens[seat]:
        return float(toll * token_value)
    return float(tables.loan_penalty + at_stake)
