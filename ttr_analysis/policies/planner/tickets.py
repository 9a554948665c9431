"""Tickets: which to keep, and the network to build for those held."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints, Narrow
from ttr_analysis._compile import compiled
from ttr_analysis.engine.kernel.scoring import goal_reached, join_ends
from ttr_analysis.engine.kernel.turns import count_bits, fewest_kept
from ttr_analysis.engine.layout import AT_DISCARDS, UNKNOWN_TICKET, State
from ttr_analysis.policies.planner.knowledge import (
    FEW_SETS,
    FOREST,
    GOAL_TRAINS,
    LANES,
    POINT_SHIFT,
    POINT_UNIT,
    ROOM_SIZE,
    ROUTE_BITS,
    TRAIN_BITS,
    TRAIN_SHIFT,
    UNREACHABLE,
    Memory,
    Params,
    lay_board,
    measure,
    solve,
    spread,
    trace,
)
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables import (
    MAX_CITIES,
    MAX_OFFER,
    MAX_ROUTES,
    MAX_TICKETS,
    MEASURE_COMPLETED,
    Tables,
)

MAX_WANTED: Final = 6
"""Tickets that one network is computed for."""
MAX_GROUPS: Final = 10
"""Groups of nodes that they may have at their ends."""

_TICKET: Final = 0
_GOAL: Final = 1
_PLACE: Final = 2
"""Columns of `wanted`: a ticket, the destination meant, and its place in the offer, -1 for one held."""

_IMPOSSIBLE: Final = -1e9
_HAND_PART: Final = 0.6
"""Part of a hand that turns out to be of use."""


@compiled
def consider_tickets(state: State, tables: Tables, seat: int, params: Params, memory: Memory, left: float) -> int:
    """
    Plan the network that is worth most, and choose from an offer.

    Parameters
    ----------
    left
        Turns left in the game.

    Returns
    -------
    kept
        Tickets of the offer that are kept, as bits; 0 without an offer.
    """
    node = np.empty(MAX_CITIES, dtype=np.int64)
    start = np.empty(MAX_CITIES + 1, dtype=np.int64)
    arcs = np.empty((2 * MAX_ROUTES, 3), dtype=np.int64)
    room = np.empty(ROOM_SIZE, dtype=np.int64)
    row = np.empty(MAX_CITIES, dtype=np.int32)
    n = lay_board(state, tables, seat, params, memory.label, node, start, arcs, room)
    wanted = np.empty((MAX_WANTED, 3), dtype=np.int64)
    gain = np.empty(MAX_WANTED, dtype=np.float64)
    worth_now = np.empty(MAX_OFFER, dtype=np.float64)
    n_wanted = _want_tickets(
        state, tables, seat, params, memory, node, start, arcs, n, wanted, gain, worth_now, row, room
    )
    members = np.zeros((2 * MAX_WANTED + 1, n), dtype=np.int64)
    ends = np.zeros(MAX_WANTED, dtype=np.int64)
    n_groups = _find_groups(tables, node, wanted, n_wanted, gain, members, ends, room)
    width = (n + LANES - 1) // LANES * LANES
    grown = np.empty((1 << max(0, n_groups - 1), width), dtype=np.int32)
    nets = np.empty((3, 1 << n_wanted), dtype=np.int64)
    distance = np.empty((n if len(grown) > FEW_SETS else 0, width), dtype=np.int32)
    measure(start, arcs, distance)
    solve(start, arcs, members, ends, distance, grown, nets, room)
    # The best part of each set of tickets: some may be better given up.
    best = np.zeros(1 << n_wanted, dtype=np.int64)
    worth = np.zeros(1 << n_wanted, dtype=np.float64)
    for subset in range(1, 1 << n_wanted):
        worth[subset] = _net_worth(state, seat, params, left, nets[FOREST, subset])
        best[subset] = subset
        for i in range(n_wanted):
            if subset >> i & 1:
                worth[subset] += gain[i]
        for i in range(n_wanted):
            without = subset & ~(1 << i)
            if worth[without] > worth[subset]:
                worth[subset] = worth[without]
                best[subset] = best[without]
    kept = 0
    goals = (1 << n_wanted) - 1
    if state.n_offer[seat] > 0:
        kept = _choose_offer(state, tables, seat, params, wanted, n_wanted, worth_now, worth)
        for i in range(n_wanted):
            if wanted[i, _PLACE] >= 0 and not kept >> wanted[i, _PLACE] & 1:
                goals &= ~(1 << i)
    for i in range(memory.n_planned):
        memory.is_planned[memory.plan[i]] = 0
    memory.n_planned = 0
    trace(start, arcs, members, grown, nets, best[goals], memory, room)
    total = 0.0
    for i in range(n_wanted):
        if best[goals] >> i & 1:
            total += gain[i]
    memory.gain_planned = int(total)
    memory.n_tickets_planned = state.n_held[seat] + count_bits(kept)
    memory.left_planned = int(left)
    memory.is_stale = 0
    return kept


@compiled
def _want_tickets(
    state: State,
    tables: Tables,
    seat: int,
    params: Params,
    memory: Memory,
    node: Ints,
    start: Ints,
    arcs: Ints,
    n: int,
    wanted: Ints,
    gain: Floats,
    worth_now: Floats,
    row: Narrow,
    room: Ints,
) -> int:
    """
    List the tickets, offered and held, for which something better can be reached.

    Parameters
    ----------
    node, start, arcs, n
        The board.
    wanted, gain
        Filled with tickets, and points that completing them brings.
    worth_now
        Filled with the points of each ticket of the offer as it stands.

    Returns
    -------
    n_wanted
        Their number. When there are too many, those held that gain least are
        left out.
    """
    label = memory.label
    n_offer = state.n_offer[seat]
    n_wanted = 0
    for i in range(n_offer + state.n_held[seat]):
        if i < n_offer:
            place = i
            ticket = state.offer[seat, i]
            worth_now[i] = 0.0
        else:
            place = -1
            ticket = state.held[seat, i - n_offer]
        if ticket == UNKNOWN_TICKET:
            continue
        reached = goal_reached(tables, ticket, label)
        now = -tables.penalty[ticket] if reached == NO_GOAL else tables.goal_points[reached]
        first = tables.goal_start[ticket]
        last = tables.goal_start[ticket + 1] if reached == NO_GOAL else reached
        if place >= 0:
            worth_now[place] = float(now)
            memory.was_offered[ticket] = 1
        if first == last:
            continue
        goal = first
        if last - first > 1:
            goal = _best_goal(tables, params, node, start, arcs, ticket, last, row[:n], room)
        more = params.faith * (tables.goal_points[goal] - now)
        at = n_wanted
        if n_wanted == MAX_WANTED:
            for j in range(n_wanted):
                if wanted[j, _PLACE] < 0 and gain[j] < more and (at == n_wanted or gain[j] < gain[at]):
                    at = j
            if at == n_wanted:
                continue
        else:
            n_wanted += 1
        wanted[at, _TICKET] = ticket
        wanted[at, _GOAL] = goal
        wanted[at, _PLACE] = place
        gain[at] = more
    return n_wanted


@compiled
def _best_goal(
    tables: Tables, params: Params, node: Ints, start: Ints, arcs: Ints, ticket: int, last: int, row: Narrow, room: Ints
) -> int:
    """Return the destination worth most for itself, of those before `last`."""
    for v in range(row.size):
        row[v] = UNREACHABLE
    place = tables.origin[ticket]
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        row[node[tables.place_city[i]]] = 0
    spread(start, arcs, row, room)
    best = tables.goal_start[ticket]
    most = 2.0 * _IMPOSSIBLE
    for goal in range(best, last):
        place = tables.goal_place[goal]
        cost = UNREACHABLE
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            cost = min(cost, row[node[tables.place_city[i]]])
        worth = params.faith * tables.goal_points[goal] - (cost >> POINT_SHIFT) / POINT_UNIT
        if worth > most:
            most = worth
            best = goal
    return int(best)


@compiled
def _find_groups(
    tables: Tables, node: Ints, wanted: Ints, n_wanted: int, gain: Floats, members: Ints, ends: Ints, room: Ints
) -> int:
    """
    Find the groups of nodes at the ends of tickets, each once.

    Parameters
    ----------
    members
        Zeros; filled with 1 where a group has a node.
    ends
        Filled with the groups of each ticket. If there are too many, it is no
        gain.

    Returns
    -------
    n_groups
        Number of groups.
    """
    n_groups = 0
    for i in range(n_wanted):
        bits = 0
        n_new = n_groups
        for end in range(2):
            place = tables.origin[wanted[i, _TICKET]] if end == 0 else tables.goal_place[wanted[i, _GOAL]]
            first = tables.place_start[place]
            last = tables.place_start[place + 1]
            key = MAX_CITIES + place if last - first > 1 else node[tables.place_city[first]]
            group = 0
            while group < n_new and room[group] != key:
                group += 1
            if group == n_new:
                room[group] = key
                n_new += 1
                for v in range(members.shape[1]):
                    members[group, v] = 0
                for j in range(first, last):
                    members[group, node[tables.place_city[j]]] = 1
            bits |= 1 << group
        if n_new <= MAX_GROUPS:
            n_groups = n_new
            ends[i] = bits
        else:
            ends[i] = ends[0]
            gain[i] = _IMPOSSIBLE
    return n_groups


@compiled
def _net_worth(state: State, seat: int, params: Params, left: float, cost: int) -> float:
    """Return what a network costs, below 0; far below if the trains or the turns do not suffice."""
    trains = (cost >> TRAIN_SHIFT) & TRAIN_BITS
    routes = cost & ROUTE_BITS
    if cost >= UNREACHABLE or trains > state.trains[seat] or (state.last_left >= 0 and routes > left):
        return _IMPOSSIBLE
    turns = max(0.0, trains - _HAND_PART * state.n_hand[seat]) / params.cards_per_turn + routes
    crowd = params.crowd_price * max(0.0, trains - params.crowd_part * state.trains[seat])
    return float(-(cost >> POINT_SHIFT) / POINT_UNIT - params.late_price * max(0.0, turns - left) - crowd)


@compiled
def _choose_offer(
    state: State,
    tables: Tables,
    seat: int,
    params: Params,
    wanted: Ints,
    n_wanted: int,
    worth_now: Floats,
    worth: Floats,
) -> int:
    """Return the tickets of an offer that are worth most, together with those held, as bits."""
    each = -params.opening_bar
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == MEASURE_COMPLETED:
            each += 0.3 * tables.bonus_points[i, 0] / tables.n_seats
    at_least = fewest_kept(state, tables, seat)
    most = 2.0 * _IMPOSSIBLE
    chosen = 0
    for kept in range(1, 1 << state.n_offer[seat]):
        n_kept = count_bits(kept)
        if n_kept < at_least:
            continue
        value = each * n_kept
        for i in range(state.n_offer[seat]):
            if kept >> i & 1:
                value += worth_now[i]
        subset = 0
        for i in range(n_wanted):
            if wanted[i, _PLACE] < 0 or kept >> wanted[i, _PLACE] & 1:
                subset |= 1 << i
        value += worth[subset]
        if value > most:
            most = value
            chosen = kept
    return chosen


# -- what more tickets may bring -----------------------------------------------------------------------------------

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
    n = lay_board(state, tables, seat, params, memory.label, node, start, arcs, room)
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


# -- what a draw of tickets changes --------------------------------------------------------------------------------
#
# The constants are of least squares, in games between planners on all maps: at some 60,000 turns both a draw of tickets
# and the planner's own choice were played to the end. What they foresee is the change of the lead, in points.

_NEAR: Final = 9
"""Trains of the plan from which on a draw is not considered: it has lost more than any tickets bring."""
_BASE: Final = -1.9
_PER_BEST: Final = 0.86
"""For each point of the best ticket drawn."""
_PER_TURN: Final = 0.3
"""For each turn left,"""
_PER_TRAIN: Final = -2.56
"""each train and"""
_PER_ROUTE: Final = 3.43
"""each route of the plan, and"""
_PER_HELD: Final = -1.44
"""each ticket held."""
_PER_BONUS: Final = 0.825
"""For each point of a seat's share in bonuses for completed tickets, and"""
_PER_MEAN: Final = 0.244
"""each by which tickets are worth more on average than"""
_MEAN: Final = 12.0
_BEST: Final = 12.0
"""Points that the best ticket drawn hardly brings more than: what is not worth it even then need not be computed."""

_FINE: Final = 1000.0
"""What was foreseen is remembered in so many parts of a point."""

_BELIEF: Final = 0.85
"""That a ticket is completed which is near,"""
_BELIEF_LOST: Final = 0.02
"""less for each of its trains;"""
_EARLY: Final = 6.0
_SPAN: Final = 8.0
"""and in proportion, with fewer turns to spare than two; with so many too few it is none."""
_TRAIN_WORTH: Final = 1.26
"""Points that a train brings elsewhere."""


@compiled
def foresee_draw(state: State, tables: Tables, seat: int, params: Params, memory: Memory, left: float) -> float:
    """
    Return by how many points a draw of tickets may be expected to change the lead, less the bar that it must reach.

    Far below 0 if it is plain that it does not.
    """
    n_trains = 0
    for i in range(memory.n_planned):
        n_trains += tables.length[memory.plan[i]]
    if n_trains > _NEAR:
        return _IMPOSSIBLE
    points = _BASE + _PER_TURN * left + _PER_TRAIN * n_trains + _PER_ROUTE * memory.n_planned
    points += _PER_HELD * state.n_held[seat] - params.ticket_bar
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == MEASURE_COMPLETED:
            points += (_PER_BONUS + params.bonus_pull) * tables.bonus_points[i, 0] / tables.n_seats
    if points + _PER_BEST * _BEST < 0.0:
        return _IMPOSSIBLE
    # The tickets are looked at again when a claim, a ticket or the plan has changed what they bring.
    board = (state.n_claims * MAX_ROUTES + memory.n_planned) * MAX_TICKETS + state.n_held[seat] + 1
    if memory.board_foreseen != board:
        memory.board_foreseen = board
        worth = np.empty(MAX_TICKETS, dtype=np.float64)
        n, mean = _fill_prospects(state, tables, seat, params, memory, n_trains, left, worth)
        best = _expected_best(worth[:n], tables.ticket_draw) if n > 0 else _IMPOSSIBLE
        memory.foreseen = int(_FINE * (_PER_BEST * best + _PER_MEAN * (mean - _MEAN)))
    return float(points + memory.foreseen / _FINE)


@compiled
def _fill_prospects(
    state: State,
    tables: Tables,
    seat: int,
    params: Params,
    memory: Memory,
    n_trains: int,
    left: float,
    worth: Floats,
) -> tuple[int, float]:
    """
    Fill in what each ticket of the pile would bring, as if the plan were built.

    Parameters
    ----------
    n_trains
        Trains of the plan.
    worth
        Filled with points.

    Returns
    -------
    n, mean
        Number of tickets, and the points on them on average.
    """
    label = memory.label.copy()
    for i in range(memory.n_planned):
        join_ends(tables, memory.plan[i], label)
    node = np.empty(MAX_CITIES, dtype=np.int64)
    start = np.empty(MAX_CITIES + 1, dtype=np.int64)
    arcs = np.empty((2 * MAX_ROUTES, 3), dtype=np.int64)
    room = np.empty(ROOM_SIZE, dtype=np.int64)
    n_nodes = lay_board(state, tables, seat, params, label, node, start, arcs, room)
    distance = np.empty((n_nodes, (n_nodes + LANES - 1) // LANES * LANES), dtype=np.int32)
    measure(start, arcs, distance)
    free = state.trains[seat] - n_trains
    spare = left - 1.0 - memory.n_planned
    empty = state.n_ticket_pile + state.n_queued == 0
    n = 0
    total = 0.0
    for ticket in range(tables.n_tickets):
        in_discards = state.ticket_at[ticket] == AT_DISCARDS
        if in_discards != empty or (memory.was_offered[ticket] and not in_discards):
            continue
        reached = goal_reached(tables, ticket, label)
        last = tables.goal_start[ticket + 1] if reached == NO_GOAL else reached + 1
        most = -2.0 * MAX_ROUTES
        points = 0.0
        for goal in range(tables.goal_start[ticket], last):
            cost = _between(tables, node, distance, tables.origin[ticket], tables.goal_place[goal])
            trains = (cost >> TRAIN_SHIFT) & TRAIN_BITS
            odds = 0.0
            if trains == 0:
                odds = 1.0
            elif cost < UNREACHABLE and trains <= free:
                cards = max(0.0, n_trains + trains - _HAND_PART * state.n_hand[seat])
                slack = spare - (cost & ROUTE_BITS) - cards / params.cards_per_turn
                odds = max(0.0, _BELIEF - _BELIEF_LOST * trains) * max(0.0, min(1.0, (slack + _EARLY) / _SPAN))
            bring = odds * (tables.goal_points[goal] + tables.penalty[ticket])
            if odds > 0.0:
                bring -= _TRAIN_WORTH * trains
            if bring > most:
                most = bring
                points = float(tables.goal_points[goal])
        worth[n] = max(0.0, most) - tables.penalty[ticket]
        total += points
        n += 1
    return n, total / max(1, n)


@compiled
def _between(tables: Tables, node: Ints, distance: Narrow, place: int, other: int) -> int:
    """Return the cost of the cheapest way between two places."""
    cost = UNREACHABLE
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        row = distance[node[tables.place_city[i]]]
        for j in range(tables.place_start[other], tables.place_start[other + 1]):
            cost = min(cost, row[node[tables.place_city[j]]])
    return int(cost)


@compiled
def _expected_best(worth: Floats, n_drawn: int) -> float:
    """Return what the best of some numbers drawn from others is on average; they are sorted, the best first."""
    n = len(worth)
    for i in range(1, n):
        one = worth[i]
        at = i
        while at > 0 and worth[at - 1] < one:
            worth[at] = worth[at - 1]
            at -= 1
        worth[at] = one
    best = 0.0
    none_yet = 1.0
    for i in range(n):
        odds = none_yet * min(1.0, n_drawn / (n - i))
        best += odds * worth[i]
        none_yet -= odds
    return float(best)
