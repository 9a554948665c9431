"""What a planner sees on the board: what became of its plan, how long the game will last, what money is worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.engine.kernel.legal import NONE, track_fault
from ttr_analysis.engine.layout import (
    CLAIMED,
    LAST_LEFT,
    LOANS,
    N_CLAIMS,
    N_HAND,
    N_HELD,
    OWNER,
    TOKENS,
    TRAINS,
)
from ttr_analysis.policies.planner.memory import (
    IS_AWAKE,
    IS_PLANNED,
    IS_STALE,
    LABEL,
    N_PLANNED,
    N_SEEN,
    N_TICKETS_PLANNED,
    PLAN,
)
from ttr_analysis.policies.planner.params import CARDS_PER_TURN, TOKEN_SPREAD, TRAINS_PER_CLAIM, Floats
from ttr_analysis.tables.games import (
    BONUS,
    BONUS_CELLS,
    CITY_A,
    CITY_B,
    LAST_ROUND_AT,
    LAST_TURNS,
    LOAN_PENALTY,
    MAX_SEATS,
    MEASURE_TOKENS,
    N_BONUSES,
    N_CITIES,
    N_SEATS,
    TOKENS_EACH,
    TOLL,
    TWIN,
)

Ints = npt.NDArray[np.int64]


@lean
def is_open(state: Ints, tables: Ints, seat: int, route: int) -> bool:
    """Return whether a route is free for a seat, trains and tolls aside."""
    return track_fault(state, tables, seat, route) == NONE


@lean
def observe(state: Ints, tables: Ints, seat: int, memory: Ints) -> None:
    """Look at the claims since the last look, and mark the plan as stale if something in it changed."""
    if not memory[IS_AWAKE]:
        memory[IS_AWAKE] = 1
        for city in range(tables[N_CITIES]):
            memory[LABEL + city] = city
    for i in range(memory[N_SEEN], state[N_CLAIMS]):
        route = state[CLAIMED + i]
        if state[OWNER + route] == seat:
            _join_ends(tables, route, memory)
            if not drop_planned(tables, route, memory) and memory[N_PLANNED] > 0:
                memory[IS_STALE] = 1
        else:
            _lose_route(state, tables, seat, route, memory)
    memory[N_SEEN] = state[N_CLAIMS]
    if memory[N_TICKETS_PLANNED] != state[N_HELD + seat]:
        memory[IS_STALE] = 1


@lean
def _join_ends(tables: Ints, route: int, memory: Ints) -> None:
    """Give the cities that an own route joins one label."""
    old = memory[LABEL + tables[CITY_A + route]]
    new = memory[LABEL + tables[CITY_B + route]]
    if old != new:
        for cell in range(LABEL, LABEL + tables[N_CITIES]):
            if memory[cell] == old:
                memory[cell] = new


@lean
def drop_planned(tables: Ints, route: int, memory: Ints) -> bool:
    """Strike a route, or its twin, off the plan; return whether it was in it."""
    if not memory[IS_PLANNED + route]:
        twin = tables[TWIN + route]
        if twin < 0 or not memory[IS_PLANNED + twin]:
            return False
        route = twin
    memory[IS_PLANNED + route] = 0
    memory[N_PLANNED] -= 1
    last = memory[PLAN + memory[N_PLANNED]]
    at = PLAN
    while memory[at] != route:
        at += 1
    memory[at] = last
    return True


@lean
def _lose_route(state: Ints, tables: Ints, seat: int, route: int, memory: Ints) -> None:
    """Take note that somebody else took a route: its twin may do instead."""
    twin = tables[TWIN + route]
    if memory[IS_PLANNED + route]:
        drop_planned(tables, route, memory)
        if twin >= 0 and is_open(state, tables, seat, twin):
            add_planned(twin, memory)
        else:
            memory[IS_STALE] = 1
    elif twin >= 0 and memory[IS_PLANNED + twin] and not is_open(state, tables, seat, twin):
        drop_planned(tables, twin, memory)
        memory[IS_STALE] = 1


@lean
def add_planned(route: int, memory: Ints) -> None:
    """Put a route on the plan."""
    memory[PLAN + memory[N_PLANNED]] = route
    memory[N_PLANNED] += 1
    memory[IS_PLANNED + route] = 1


@lean
def turns_left(state: Ints, tables: Ints, seat: int, params: Floats) -> float:
    """Return how many turns a seat will have yet, this one included: an estimate, exact in the last round."""
    n_seats = tables[N_SEATS]
    if state[LAST_LEFT] >= 0:
        return float(1.0 + (state[LAST_LEFT] - 1) // n_seats)
    fewest = 1e9
    for other in range(n_seats):
        trains = max(0, state[TRAINS + other] - tables[LAST_ROUND_AT])
        cards = max(0.0, trains - 0.7 * state[N_HAND + other])
        turns = cards / params[CARDS_PER_TURN] + trains / params[TRAINS_PER_CLAIM]
        if other != seat:
            turns += 0.5
        fewest = min(fewest, turns)
    return float(max(1.0, fewest) + tables[LAST_TURNS])


@lean
def token_terms(state: Ints, tables: Ints, seat: int, params: Floats) -> tuple[float, float]:
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
    if tables[TOKENS_EACH] == 0:
        return token_value, at_stake
    for i in range(tables[N_BONUSES]):
        at = BONUS + i * BONUS_CELLS
        without_loans = tables[at + 1]
        if tables[at] != MEASURE_TOKENS or (without_loans and state[LOANS + seat] > 0):
            continue
        rank = 0.0
        slope = 0.0
        for other in range(tables[N_SEATS]):
            if other != seat and not (without_loans and state[LOANS + other] > 0):
                behind = (state[TOKENS + other] - state[TOKENS + seat]) / params[TOKEN_SPREAD]
                share = 1.0 + abs(behind)
                rank += 0.5 + 0.5 * behind / share
                slope += 0.5 / (share * share * params[TOKEN_SPREAD])
        whole = int(rank)
        step = tables[at + 2 + whole] - tables[at + 3 + whole] if whole + 1 < MAX_SEATS else 0
        token_value += float(slope * step)
        at_stake += tables[at + 2 + whole] - (rank - whole) * step
    return token_value, at_stake


@lean
def toll_cost(state: Ints, tables: Ints, seat: int, route: int, token_value: float, at_stake: float) -> float:
    """Return the points that the toll of a route costs a seat: tokens, or a loan and a bonus forfeited."""
    toll = tables[TOLL + route]
    if toll <= state[TOKENS + seat]:
        return float(toll * token_value)
    return float(tables[LOAN_PENALTY] + at_stake)
