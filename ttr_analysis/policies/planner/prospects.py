"""What more tickets may bring."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.engine.kernel.scoring import goal_reached
from ttr_analysis.engine.layout import AT_DISCARDS, State
from ttr_analysis.policies.planner.lore import GOAL_TRAINS
from ttr_analysis.policies.planner.memory import Memory
from ttr_analysis.policies.planner.network import ROOM_SIZE, TRAIN_BITS, TRAIN_SHIFT, UNREACHABLE, lay_board, spread
from ttr_analysis.policies.planner.params import Params
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables.games import MAX_CITIES, MAX_ROUTES, Tables

Ints = npt.NDArray[np.int64]

_SURE: Final = 0.9
"""Odds of a ticket that is near, with plenty of time."""
_SLACK: Final = 8.0
"""Turns to spare that make a ticket likely."""
_FAR: Final = 40.0
"""Trains that make it unlikely."""


@compiled
def main_label(tables: Tables, memory: Memory) -> int:
    """Return the label of the largest part of the own network."""
    best = 0
    most = 0
    for city in range(tables.n_cities):
        label = memory.label[city]
        n = 0
        for other in range(tables.n_cities):
            n += memory.label[other] == label
        if n > most:
            most = n
            best = label
    return best


@compiled
def network_trains(state: State, tables: Tables, seat: int, params: Params, memory: Memory, trains: Ints) -> None:
    """Fill in the trains that join each city to the largest part of the own network."""
    node = np.empty(MAX_CITIES, dtype=np.int64)
    start = np.empty(MAX_CITIES + 1, dtype=np.int64)
    arcs = np.empty((2 * MAX_ROUTES, 3), dtype=np.int64)
    room = np.empty(ROOM_SIZE, dtype=np.int64)
    n = lay_board(state, tables, seat, params, memory, node, start, arcs, room)
    row = np.full(n, UNREACHABLE, dtype=np.int32)
    row[node[main_label(tables, memory)]] = 0
    spread(start, arcs, row, room)
    for city in range(tables.n_cities):
        cost = row[node[city]]
        trains[city] = MAX_CITIES * MAX_ROUTES if cost >= UNREACHABLE else (cost >> TRAIN_SHIFT) & TRAIN_BITS


@compiled
def expected_tickets(
    state: State, tables: Tables, lore: Ints, seat: int, params: Params, memory: Memory, n_trains: int, left: float
) -> float:
    """Return the points that a draw of tickets may be expected to bring when the good ones are kept."""
    trains = np.empty(MAX_CITIES, dtype=np.int64)
    network_trains(state, tables, seat, params, memory, trains)
    empty = state.n_ticket_pile + state.n_queued == 0
    n = 0
    n_bad = 0
    good = 0.0
    bad = 0.0
    for ticket in range(tables.n_tickets):
        in_discards = state.ticket_at[ticket] == AT_DISCARDS
        if in_discards != empty or (memory.was_offered[ticket] and not in_discards):
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
    n_drawn = min(tables.ticket_draw, n)
    all_bad = 1.0
    for i in range(n_drawn):
        all_bad *= max(0, n_bad - i) / (n - i)
    total = good * n_drawn / n
    if n_bad > 0:
        total += all_bad * tables.ticket_keep * 0.6 * bad / n_bad
    return float(total)


@compiled
def _prospect(
    tables: Tables, lore: Ints, params: Params, memory: Memory, ticket: int, trains: Ints, n_trains: int, left: float
) -> float:
    """Return the points that a ticket brings, less what its trains cost."""
    reached = goal_reached(tables, ticket, memory.label)
    best = float(-tables.penalty[ticket])
    if reached != NO_GOAL:
        best = float(tables.goal_points[reached])
    origin = _nearest(tables, tables.origin[ticket], trains)
    for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
        need = min(lore[GOAL_TRAINS + goal], origin + _nearest(tables, tables.goal_place[goal], trains))
        turns = need / params.cards_per_turn + need / params.trains_per_claim
        # Others are in the way the more routes it takes, and the game may end sooner.
        odds = params.faith if need == 0 else params.faith * min(_SURE, (left - turns) / _SLACK - need / _FAR)
        if need > n_trains or odds <= 0.0:
            continue
        points = odds * (tables.goal_points[goal] + tables.penalty[ticket]) - tables.penalty[ticket]
        best = max(best, float(points - need * (params.train_price - 0.5 * params.point_weight)))
    return float(best)


@compiled
def _nearest(tables: Tables, place: int, trains: Ints) -> int:
    """Return the fewest trains to a city of a place."""
    fewest = MAX_CITIES * MAX_ROUTES
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        fewest = min(fewest, trains[tables.place_city[i]])
    return fewest
