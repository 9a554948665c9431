"""What a planner sees on the board: what became of its plan, how long the game will last, what money is worth."""

from __future__ import annotations

from ttr_analysis._compile import compiled
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.kernel.scoring import join_ends
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.planner.knowledge import Memory, Params
from ttr_analysis.tables import MAX_SEATS, MEASURE_TOKENS, Tables


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
