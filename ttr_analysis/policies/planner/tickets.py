"""Tickets: which to keep, the network to build for those held, and whether to draw more."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints, Narrow, compiled
from ttr_analysis.engine.kernel.scoring import goal_reached, join_ends
from ttr_analysis.engine.kernel.turns import count_bits, fewest_kept
from ttr_analysis.engine.layout import AT_DISCARDS, UNKNOWN_TICKET
from ttr_analysis.policies.planner.knowledge import (
    POINT_SHIFT,
    POINT_UNIT,
    ROUTE_BITS,
    TRAIN_BITS,
    TRAIN_SHIFT,
    UNREACHABLE,
    Board,
    Memory,
    Networks,
    Turn,
    all_costs,
    lay_board,
    plan_network,
    solve,
    spread,
)
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables import MAX_CITIES, MAX_OFFER, MAX_ROUTES, MAX_TICKETS, MEASURE_COMPLETED, Tables

MAX_WANTED: Final = 6
"""Maximum number of tickets for which one network is computed."""
MAX_GROUPS: Final = 10
"""Maximum number of groups of nodes at their ends."""

_HELD: Final = -1
"""Stands for the position in the offer, for a ticket already held."""
_IMPOSSIBLE: Final = -1e9
_HAND_PART: Final = 0.6
"""Part of a hand that turns out to be useful."""


class Wanted(NamedTuple):
    """Tickets that can still improve: the destination aimed at, the position in the offer, and the points gained."""

    ticket: Ints
    goal: Ints
    place: Ints
    gain: Floats


@compiled
def consider_tickets(turn: Turn) -> int:
    """Plan the most valuable network, and return the tickets of an offer to keep, as bits; 0 without an offer."""
    state, seat, memory = turn.state, turn.seat, turn.memory
    board = lay_board(turn, memory.label)
    worth_now = np.empty(MAX_OFFER, dtype=np.float64)
    wanted = _want_tickets(turn, board, worth_now)
    networks = _solve_wanted(turn.tables, board, wanted)
    best, worth = _best_parts(turn, wanted, networks.forest)
    n_wanted = len(wanted.ticket)
    kept = 0
    goals = (1 << n_wanted) - 1
    if state.n_offer[seat] > 0:
        kept = _choose_offer(turn, wanted, worth_now, worth)
        for i in range(n_wanted):
            if wanted.place[i] != _HELD and not kept >> wanted.place[i] & 1:
                goals &= ~(1 << i)
    for i in range(memory.n_planned):
        memory.is_planned[memory.plan[i]] = 0
    memory.n_planned = 0
    plan_network(networks, best[goals], memory)
    total = 0.0
    for i in range(n_wanted):
        if best[goals] >> i & 1:
            total += wanted.gain[i]
    memory.gain_planned = int(total)
    memory.n_tickets_planned = state.n_held[seat] + count_bits(kept)
    memory.left_planned = int(turn.left)
    memory.is_stale = 0
    return kept


@compiled
def _want_tickets(turn: Turn, board: Board, worth_now: Floats) -> Wanted:
    """
    Return the tickets to aim for; if there are too many, without the held ones that gain least, then the last offered.

    `worth_now` gets the current points of each ticket of the offer.
    """
    state, tables, seat, memory = turn.state, turn.tables, turn.seat, turn.memory
    tickets, goals = np.empty(MAX_WANTED, dtype=np.int64), np.empty(MAX_WANTED, dtype=np.int64)
    places, gain = np.empty(MAX_WANTED, dtype=np.int64), np.empty(MAX_WANTED, dtype=np.float64)
    n_offer = state.n_offer[seat]
    n = 0
    for i in range(n_offer + state.n_held[seat]):
        place = i if i < n_offer else _HELD
        ticket = state.offer[seat, i] if i < n_offer else state.held[seat, i - n_offer]
        if place != _HELD:
            worth_now[place] = 0.0
        if ticket == UNKNOWN_TICKET:
            continue
        reached = goal_reached(tables, ticket, memory.label)
        now = -tables.penalty[ticket] if reached == NO_GOAL else tables.goal_points[reached]
        first = tables.goal_start[ticket]
        last = tables.goal_start[ticket + 1] if reached == NO_GOAL else reached
        if place != _HELD:
            worth_now[place] = float(now)
            memory.was_offered[ticket] = 1
        if first == last:
            continue
        goal = first
        if last - first > 1:
            goal = _best_goal(turn, board, ticket, last)
        more = turn.params.faith * (tables.goal_points[goal] - now)
        at = n
        if n == MAX_WANTED:
            for j in range(n):
                if places[j] == _HELD and gain[j] < more and (at == n or gain[j] < gain[at]):
                    at = j
            if at == n:
                continue
        else:
            n += 1
        tickets[at], goals[at], places[at], gain[at] = ticket, goal, place, more
    return Wanted(tickets[:n], goals[:n], places[:n], gain[:n])


@compiled
def _best_goal(turn: Turn, board: Board, ticket: int, last: int) -> int:
    """Return the destination that is most valuable by itself, among those before `last`."""
    tables = turn.tables
    row = np.full(len(board.start) - 1, UNREACHABLE, dtype=np.int32)
    place = tables.origin[ticket]
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        row[board.node[tables.place_city[i]]] = 0
    spread(board, row)
    best = tables.goal_start[ticket]
    most = 2.0 * _IMPOSSIBLE
    for goal in range(best, last):
        place = tables.goal_place[goal]
        cost = UNREACHABLE
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            cost = min(cost, row[board.node[tables.place_city[i]]])
        worth = turn.params.faith * tables.goal_points[goal] - (cost >> POINT_SHIFT) / POINT_UNIT
        if worth > most:
            most = worth
            best = goal
    return int(best)


@compiled
def _solve_wanted(tables: Tables, board: Board, wanted: Wanted) -> Networks:
    """
    Return the networks for the groups of nodes at the ends of tickets, each group once.

    A ticket that would exceed the number of groups is given a gain far below 0.
    """
    members = np.zeros((2 * MAX_WANTED + 1, len(board.start) - 1), dtype=np.int64)
    ends = np.zeros(MAX_WANTED, dtype=np.int64)
    keys = np.empty(2 * MAX_WANTED + 1, dtype=np.int64)
    n_groups = 0
    for i in range(len(wanted.ticket)):
        bits = 0
        n_new = n_groups
        for end in range(2):
            place = tables.origin[wanted.ticket[i]] if end == 0 else tables.goal_place[wanted.goal[i]]
            first = tables.place_start[place]
            last = tables.place_start[place + 1]
            key = MAX_CITIES + place if last - first > 1 else board.node[tables.place_city[first]]
            group = 0
            while group < n_new and keys[group] != key:
                group += 1
            if group == n_new:
                keys[group] = key
                n_new += 1
                members[group] = 0
                for j in range(first, last):
                    members[group, board.node[tables.place_city[j]]] = 1
            bits |= 1 << group
        if n_new <= MAX_GROUPS:
            n_groups = n_new
            ends[i] = bits
        else:
            ends[i] = ends[0]
            wanted.gain[i] = _IMPOSSIBLE
    return solve(board, members[: max(1, n_groups)], ends, len(wanted.ticket))


@compiled
def _best_parts(turn: Turn, wanted: Wanted, costs: Ints) -> tuple[Ints, Floats]:
    """Return the best subset of each set of tickets and its value, since giving some up may be better."""
    best = np.zeros(len(costs), dtype=np.int64)
    worth = np.zeros(len(costs), dtype=np.float64)
    for subset in range(1, len(costs)):
        worth[subset] = _net_worth(turn, costs[subset])
        best[subset] = subset
        for i in range(len(wanted.gain)):
            if subset >> i & 1:
                worth[subset] += wanted.gain[i]
        for i in range(len(wanted.gain)):
            without = subset & ~(1 << i)
            if worth[without] > worth[subset]:
                worth[subset] = worth[without]
                best[subset] = best[without]
    return best, worth


@compiled
def _net_worth(turn: Turn, cost: int) -> float:
    """Return minus the cost of a network; far below 0 if the trains or turns are not enough."""
    state, seat, params = turn.state, turn.seat, turn.params
    trains = (cost >> TRAIN_SHIFT) & TRAIN_BITS
    routes = cost & ROUTE_BITS
    if cost >= UNREACHABLE or trains > state.trains[seat] or (state.last_left >= 0 and routes > turn.left):
        return _IMPOSSIBLE
    turns = max(0.0, trains - _HAND_PART * state.n_hand[seat]) / params.cards_per_turn + routes
    crowd = params.crowd_price * max(0.0, trains - params.crowd_part * state.trains[seat])
    return float(-(cost >> POINT_SHIFT) / POINT_UNIT - params.late_price * max(0.0, turns - turn.left) - crowd)


@compiled
def _choose_offer(turn: Turn, wanted: Wanted, worth_now: Floats, worth: Floats) -> int:
    """Return the most valuable tickets of an offer, together with those held, as bits."""
    state, tables, seat = turn.state, turn.tables, turn.seat
    each = -turn.params.opening_bar
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
        for i in range(len(wanted.place)):
            if wanted.place[i] == _HELD or kept >> wanted.place[i] & 1:
                subset |= 1 << i
        value += worth[subset]
        if value > most:
            most = value
            chosen = kept
    return chosen


# -- whether to draw more ------------------------------------------------------------------------------------------


@compiled
def ticket_gain(turn: Turn, n_trains: int) -> float:
    """Return the expected points of a draw of tickets above its threshold; the plan leaves `n_trains`."""
    if turn.params.foresight > 0.0:
        return _foresee_draw(turn)
    return _expected_tickets(turn, n_trains) - turn.params.ticket_bar


@compiled
def _pile_tickets(turn: Turn) -> Ints:
    """Return the tickets that a draw may bring, as far as the seat can know."""
    state = turn.state
    tickets = np.empty(MAX_TICKETS, dtype=np.int64)
    is_empty = state.n_ticket_pile + state.n_queued == 0
    n = 0
    for ticket in range(turn.tables.n_tickets):
        in_discards = state.ticket_at[ticket] == AT_DISCARDS
        if in_discards == is_empty and (in_discards or not turn.memory.was_offered[ticket]):
            tickets[n] = ticket
            n += 1
    return tickets[:n]


# -- draws valued from the largest part of the seat's network ------------------------------------------------------

_SURE: Final = 0.9
"""Probability of completing a nearby ticket with plenty of time."""
_SLACK: Final = 8.0
"""Spare turns that make a ticket likely."""
_FAR: Final = 40.0
"""Trains that make a ticket unlikely."""


@compiled
def _main_label(tables: Tables, memory: Memory) -> int:
    """Return the label of the largest part of the seat's network."""
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
def _trains_from_network(turn: Turn) -> Ints:
    """Return the trains that connect each city to the largest part of the seat's network."""
    board = lay_board(turn, turn.memory.label)
    row = np.full(len(board.start) - 1, UNREACHABLE, dtype=np.int32)
    row[board.node[_main_label(turn.tables, turn.memory)]] = 0
    spread(board, row)
    trains = np.empty(MAX_CITIES, dtype=np.int64)
    for city in range(turn.tables.n_cities):
        cost = row[board.node[city]]
        trains[city] = MAX_CITIES * MAX_ROUTES if cost >= UNREACHABLE else (cost >> TRAIN_SHIFT) & TRAIN_BITS
    return trains


@compiled
def _expected_tickets(turn: Turn, n_trains: int) -> float:
    """Return the expected points of a draw of tickets if the good ones are kept."""
    tables = turn.tables
    tickets, trains = _pile_tickets(turn), _trains_from_network(turn)
    n = len(tickets)
    if n == 0:
        return _IMPOSSIBLE
    n_bad = 0
    good = 0.0
    bad = 0.0
    for ticket in tickets:
        gain = _prospect(turn, ticket, trains, n_trains)
        if gain > 0.0:
            good += gain
        else:
            n_bad += 1
            bad += gain
    n_drawn = min(tables.ticket_draw, n)
    all_bad = 1.0
    for i in range(n_drawn):
        all_bad *= max(0, n_bad - i) / (n - i)
    total = good * n_drawn / n
    if n_bad > 0:
        total += all_bad * tables.ticket_keep * 0.6 * bad / n_bad
    return float(total)


@compiled
def _prospect(turn: Turn, ticket: int, trains: Ints, n_trains: int) -> float:
    """Return the points of a ticket minus the cost of its trains."""
    tables, params = turn.tables, turn.params
    reached = goal_reached(tables, ticket, turn.memory.label)
    best = float(-tables.penalty[ticket])
    if reached != NO_GOAL:
        best = float(tables.goal_points[reached])
    origin = _nearest(tables, tables.origin[ticket], trains)
    for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
        need = min(turn.facts.goal_trains[goal], origin + _nearest(tables, tables.goal_place[goal], trains))
        turns = need / params.cards_per_turn + need / params.trains_per_claim
        # More routes mean more interference, and the game may end sooner.
        chance = min(_SURE, (turn.left - 1.0 - turns) / _SLACK - need / _FAR)
        odds = params.faith if need == 0 else params.faith * chance
        if need > n_trains or odds <= 0.0:
            continue
        points = odds * (tables.goal_points[goal] + tables.penalty[ticket]) - tables.penalty[ticket]
        best = max(best, float(points - need * (params.train_price - 0.5 * params.point_weight)))
    return float(best)


@compiled
def _nearest(tables: Tables, place: int, trains: Ints) -> int:
    """Return the fewest trains to any city of a place."""
    fewest = MAX_CITIES * MAX_ROUTES
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        fewest = min(fewest, trains[tables.place_city[i]])
    return fewest


# -- draws valued as if the plan were built ------------------------------------------------------------------------
#
# The constants come from least squares, in games between planners on all maps: at about 60,000 turns, both a draw of
# tickets and the planner's own choice were played to the end. They predict the change of the lead in points.

_NEAR: Final = 9
"""Number of trains in the plan from which no draw is considered: it would lose more than any tickets bring."""
_BASE: Final = -1.9
_PER_BEST: Final = 0.86
"""For each point of the best ticket drawn."""
_PER_TURN: Final = 0.3
"""For each turn left."""
_PER_TRAIN: Final = -2.56
"""For each train of the plan."""
_PER_ROUTE: Final = 3.43
"""For each route of the plan."""
_PER_HELD: Final = -1.44
"""For each ticket held."""
_PER_BONUS: Final = 0.825
"""For each point of a seat's share in bonuses for completed tickets."""
_PER_MEAN: Final = 0.244
"""For each point by which the mean value of tickets exceeds `_MEAN`."""
_MEAN: Final = 12.0
_BEST: Final = 12.0
"""Upper bound on the points of the best ticket drawn: if a draw is not worthwhile even then, nothing is computed."""

_FINE: Final = 1000.0
"""Units per point in which remembered predictions are stored."""

_BELIEF: Final = 0.85
"""Probability of completing a nearby ticket."""
_BELIEF_LOST: Final = 0.02
"""Drop of this probability for each train that the ticket needs."""
_EARLY: Final = 6.0
_SPAN: Final = 8.0
"""The probability is scaled down with fewer than two spare turns, to 0 with `_EARLY` too few."""
_TRAIN_WORTH: Final = 1.26
"""Points that a train earns elsewhere."""


@compiled
def _foresee_draw(turn: Turn) -> float:
    """Return the expected gain of lead by drawing tickets, minus the threshold; far below 0 if clearly too little."""
    state, tables, seat, params, memory = turn.state, turn.tables, turn.seat, turn.params, turn.memory
    n_trains = 0
    for i in range(memory.n_planned):
        n_trains += tables.length[memory.plan[i]]
    if n_trains > _NEAR:
        return _IMPOSSIBLE
    points = _BASE + _PER_TURN * turn.left + _PER_TRAIN * n_trains + _PER_ROUTE * memory.n_planned
    points += _PER_HELD * state.n_held[seat] - params.ticket_bar
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == MEASURE_COMPLETED:
            points += (_PER_BONUS + params.bonus_pull) * tables.bonus_points[i, 0] / tables.n_seats
    if points + _PER_BEST * _BEST < 0.0:
        return _IMPOSSIBLE
    # The pile's tickets are revalued after a claim, a new ticket or a change in the number of planned routes.
    number = (state.n_claims * MAX_ROUTES + memory.n_planned) * MAX_TICKETS + state.n_held[seat] + 1
    if memory.board_foreseen != number:
        memory.board_foreseen = number
        worth, mean = _prospects(turn, n_trains)
        best = _expected_best(worth, tables.ticket_draw) if len(worth) > 0 else _IMPOSSIBLE
        memory.foreseen = int(_FINE * (_PER_BEST * best + _PER_MEAN * (mean - _MEAN)))
    return float(points + memory.foreseen / _FINE)


@compiled
def _prospects(turn: Turn, n_trains: int) -> tuple[Floats, float]:
    """Return the points of each ticket in the pile once the plan of `n_trains` is built, and their mean points."""
    state, tables, memory = turn.state, turn.tables, turn.memory
    label = memory.label.copy()
    for i in range(memory.n_planned):
        join_ends(tables, memory.plan[i], label)
    board = lay_board(turn, label)
    distance = all_costs(board, len(board.start) - 1)
    free = state.trains[turn.seat] - n_trains
    spare = turn.left - 1.0 - memory.n_planned
    worth = np.empty(MAX_TICKETS, dtype=np.float64)
    n = 0
    total = 0.0
    for ticket in _pile_tickets(turn):
        reached = goal_reached(tables, ticket, label)
        last = tables.goal_start[ticket + 1] if reached == NO_GOAL else reached + 1
        most = -2.0 * MAX_ROUTES
        points = 0.0
        for goal in range(tables.goal_start[ticket], last):
            cost = _between(tables, board.node, distance, tables.origin[ticket], tables.goal_place[goal])
            trains = (cost >> TRAIN_SHIFT) & TRAIN_BITS
            odds = 0.0
            if trains == 0:
                odds = 1.0
            elif cost < UNREACHABLE and trains <= free:
                cards = max(0.0, n_trains + trains - _HAND_PART * state.n_hand[turn.seat])
                slack = spare - (cost & ROUTE_BITS) - cards / turn.params.cards_per_turn
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
    return worth[:n], total / max(1, n)


@compiled
def _between(tables: Tables, node: Ints, distance: Narrow, place: int, other: int) -> int:
    """Return the cost of the cheapest path between two places."""
    cost = UNREACHABLE
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        row = distance[node[tables.place_city[i]]]
        for j in range(tables.place_start[other], tables.place_start[other + 1]):
            cost = min(cost, row[node[tables.place_city[j]]])
    return int(cost)


@compiled
def _expected_best(worth: Floats, n_drawn: int) -> float:
    """Return the mean of the maximum of some draws from the values, which are sorted in place, best first."""
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
