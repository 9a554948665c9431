"""What more tickets may bring."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled, lean
from ttr_analysis.engine.kernel.scoring import goal_reached
from ttr_analysis.engine.layout import AT_DISCARDS, N_QUEUED, N_TICKET_PILE, TICKET_AT
from ttr_analysis.policies.planner.lore import GOAL_TRAINS
from ttr_analysis.policies.planner.memory import LABEL, WAS_OFFERED
from ttr_analysis.policies.planner.network import ROOM_SIZE, TRAIN_BITS, TRAIN_SHIFT, UNREACHABLE, lay_board, spread
from ttr_analysis.policies.planner.params import (
    CARDS_PER_TURN,
    FAITH,
    POINT_WEIGHT,
    TRAIN_PRICE,
    TRAINS_PER_CLAIM,
    Floats,
)
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables.games import (
    GOAL_PLACE,
    GOAL_POINTS,
    GOAL_START,
    MAX_CITIES,
    MAX_ROUTES,
    N_CITIES,
    N_TICKETS,
    ORIGIN,
    PENALTY,
    PLACE_CITY,
    PLACE_START,
    TICKET_DRAW,
    TICKET_KEEP,
)

Ints = npt.NDArray[np.int64]

_SURE: Final = 0.9
"""Odds of a ticket that is near, with plenty of time."""
_SLACK: Final = 8.0
"""Turns to spare that make a ticket likely."""
_FAR: Final = 40.0
"""Trains that make it unlikely."""


@lean
def main_label(tables: Ints, memory: Ints) -> int:
    """Return the label of the largest part of the own network."""
    best = 0
    most = 0
    for city in range(tables[N_CITIES]):
        label = memory[LABEL + city]
        n = 0
        for other in range(tables[N_CITIES]):
            n += memory[LABEL + other] == label
        if n > most:
            most = n
            best = label
    return best


@compiled
def network_trains(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints, trains: Ints) -> None:
    """Fill in the trains that join each city to the largest part of the own network."""
    node = np.empty(MAX_CITIES, dtype=np.int64)
    start = np.empty(MAX_CITIES + 1, dtype=np.int64)
    arcs = np.empty((2 * MAX_ROUTES, 3), dtype=np.int64)
    room = np.empty(ROOM_SIZE, dtype=np.int64)
    n = lay_board(state, tables, seat, params, memory, node, start, arcs, room)
    row = np.full(n, UNREACHABLE, dtype=np.int32)
    row[node[main_label(tables, memory)]] = 0
    spread(start, arcs, row, room)
    for city in range(tables[N_CITIES]):
        cost = row[node[city]]
        trains[city] = MAX_CITIES * MAX_ROUTES if cost >= UNREACHABLE else (cost >> TRAIN_SHIFT) & TRAIN_BITS


@compiled
def expected_tickets(
    state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints, n_trains: int, left: float
) -> float:
    """Return the points that a draw of tickets may be expected to bring when the good ones are kept."""
    trains = np.empty(MAX_CITIES, dtype=np.int64)
    network_trains(state, tables, seat, params, memory, trains)
    empty = state[N_TICKET_PILE] + state[N_QUEUED] == 0
    n = 0
    n_bad = 0
    good = 0.0
    bad = 0.0
    for ticket in range(tables[N_TICKETS]):
        in_discards = state[TICKET_AT + ticket] == AT_DISCARDS
        if in_discards != empty or (memory[WAS_OFFERED + ticket] and not in_discards):
            continue
        gain = _prospect(tables, lore, params, memory, ticket, trains, n_trains, left - 1.0)
        n += 1
        if gain > 0.0:
            good += gain
        else:
            n_bad += 1
            bad += gain
    if n == 0:
        return -1e9
    n_drawn = min(tables[TICKET_DRAW], n)
    all_bad = 1.0
    for i in range(n_drawn):
        all_bad *= max(0, n_bad - i) / (n - i)
    total = good * n_drawn / n
    if n_bad > 0:
        total += all_bad * tables[TICKET_KEEP] * 0.6 * bad / n_bad
    return float(total)


@lean
def _prospect(
    tables: Ints, lore: Ints, params: Floats, memory: Ints, ticket: int, trains: Ints, n_trains: int, left: float
) -> float:
    """Return the points that a ticket brings, less what its trains cost."""
    reached = goal_reached(tables, ticket, memory[LABEL : LABEL + MAX_CITIES])
    best = float(-tables[PENALTY + ticket])
    if reached != NO_GOAL:
        best = float(tables[GOAL_POINTS + reached])
    origin = _nearest(tables, tables[ORIGIN + ticket], trains)
    for goal in range(tables[GOAL_START + ticket], tables[GOAL_START + ticket + 1]):
        need = min(lore[GOAL_TRAINS + goal], origin + _nearest(tables, tables[GOAL_PLACE + goal], trains))
        turns = need / params[CARDS_PER_TURN] + need / params[TRAINS_PER_CLAIM]
        # Others are in the way the more routes it takes, and the game may end sooner.
        odds = params[FAITH] if need == 0 else params[FAITH] * min(_SURE, (left - turns) / _SLACK - need / _FAR)
        if need > n_trains or odds <= 0.0:
            continue
        points = odds * (tables[GOAL_POINTS + goal] + tables[PENALTY + ticket]) - tables[PENALTY + ticket]
        best = max(best, float(points - need * (params[TRAIN_PRICE] - 0.5 * params[POINT_WEIGHT])))
    return float(best)


@lean
def _nearest(tables: Ints, place: int, trains: Ints) -> int:
    """Return the fewest trains to a city of a place."""
    fewest = MAX_CITIES * MAX_ROUTES
    for i in range(tables[PLACE_START + place], tables[PLACE_START + place + 1]):
        fewest = min(fewest, trains[tables[PLACE_CITY + i]])
    return fewest
