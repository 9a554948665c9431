"""Tickets: what to keep, and the network to build for those held."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.engine.codes import KEEP_TICKETS
from ttr_analysis.engine.kernel.legal import fewest_kept
from ttr_analysis.engine.kernel.scoring import goal_reached
from ttr_analysis.engine.layout import HELD, KEEP, N_HAND, N_HELD, N_OFFER, OFFER, PHASE, TRAINS, UNKNOWN_TICKET
from ttr_analysis.policies.planner.forest import (
    MAX_GROUPS,
    MAX_WANTED,
    POINT_SHIFT,
    POINT_UNIT,
    TRAIN_SHIFT,
    UNREACHABLE,
    Board,
    grow_trees,
    make_board,
    mark_members,
    points_of,
    routes_of,
    solve_subsets,
    spread,
    start_row,
    trace_forest,
    trains_of,
)
from ttr_analysis.policies.planner.memory import (
    GAIN_PLANNED,
    IS_PLANNED,
    IS_STALE,
    LABEL,
    LEFT_PLANNED,
    N_PLANNED,
    N_TICKETS_PLANNED,
    N_UNPLANNED,
    PLAN,
    WAS_OFFERED,
)
from ttr_analysis.policies.planner.params import (
    CARDS_PER_TURN,
    FAITH,
    LATE_PRICE,
    OPENING_BAR,
    POINT_WEIGHT,
    ROUTE_PRICE,
    SYMBOL_PRICE,
    TRAIN_PRICE,
    TUNNEL_PRICE,
    Floats,
)
from ttr_analysis.policies.planner.watch import add_planned, token_terms, toll_cost, turns_left
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.tables.games import (
    BONUS,
    BONUS_CELLS,
    GOAL_PLACE,
    GOAL_POINTS,
    GOAL_START,
    LENGTH,
    MAX_CITIES,
    MAX_OFFER,
    MAX_TICKETS,
    MEASURE_COMPLETED,
    N_BONUSES,
    N_ROUTES,
    N_SEATS,
    ORIGIN,
    PENALTY,
    PLACE_CITY,
    PLACE_START,
    POINTS,
    SYMBOLS,
    TOKENS_EACH,
    TUNNEL,
)

Ints = npt.NDArray[np.int64]


class Wanted(NamedTuple):
    """
    Tickets that a network is sought for.

    Parameters
    ----------
    ticket, goal
        Each ticket, and the destination meant.
    gain
        Points that completing it brings, compared with leaving it.
    """

    ticket: Ints
    goal: Ints
    gain: Floats


class Web(NamedTuple):
    """The cheapest networks for all subsets of some tickets: arrays as in `forest`."""

    board: Board
    ends: Ints
    root: Ints
    grown: Ints
    tree: Ints
    forest: Ints


@compiled
def route_costs(state: Ints, tables: Ints, seat: int, params: Floats, cost: Ints) -> None:
    """Fill in the packed cost of each route; what a seat has no trains for is out of reach."""
    token_value, at_stake = token_terms(state, tables, seat, params)
    for r in range(tables[N_ROUTES]):
        length = tables[LENGTH + r]
        if length > state[TRAINS + seat]:
            cost[r] = UNREACHABLE
            continue
        points = params[TRAIN_PRICE] * length + params[ROUTE_PRICE] + params[SYMBOL_PRICE] * tables[SYMBOLS + r]
        if tables[TUNNEL + r]:
            points += params[TUNNEL_PRICE]
        points = max(points - params[POINT_WEIGHT] * tables[POINTS + r], 0.4 * params[TRAIN_PRICE] * length)
        if tables[TOKENS_EACH] > 0:
            points += toll_cost(state, tables, seat, r, token_value, at_stake)
        cost[r] = (int(points * POINT_UNIT) << POINT_SHIFT) + (length << TRAIN_SHIFT) + 1


@compiled
def want_ticket(
    tables: Ints, params: Floats, memory: Ints, board: Board, ticket: int, wanted: Wanted, n_wanted: int, n_fixed: int
) -> int:
    """
    Add a ticket to those wanted, with the destination worth most, unless nothing better can be reached.

    Returns
    -------
    n_wanted
        Number of tickets wanted. When there are too many, the one that gains
        least is left out, but none of the first `n_fixed`.
    """
    reached = goal_reached(tables, ticket, memory[LABEL : LABEL + MAX_CITIES])
    first = tables[GOAL_START + ticket]
    if reached == first:
        return n_wanted
    now = -tables[PENALTY + ticket] if reached == NO_GOAL else tables[GOAL_POINTS + reached]
    last = tables[GOAL_START + ticket + 1] if reached == NO_GOAL else reached
    best = first
    if last - first > 1:
        best = _best_goal(tables, params, board, ticket, first, last)
    at = n_wanted
    gain = params[FAITH] * (tables[GOAL_POINTS + best] - now)
    if n_wanted == MAX_WANTED:
        for i in range(n_fixed, n_wanted):
            if wanted.gain[i] < gain and (at == n_wanted or wanted.gain[i] < wanted.gain[at]):
                at = i
        if at == n_wanted:
            return n_wanted
        n_wanted -= 1
    wanted.ticket[at] = ticket
    wanted.goal[at] = best
    wanted.gain[at] = gain
    return n_wanted + 1


@compiled
def _best_goal(tables: Ints, params: Floats, board: Board, ticket: int, first: int, last: int) -> int:
    """Return the destination worth most for itself, of those from `first` to `last`."""
    n = board.start.size - 1
    row = np.empty(n, dtype=np.int64)
    members = np.empty(n, dtype=np.int64)
    mark_members(tables, board, tables[ORIGIN + ticket], members)
    start_row(members, row)
    spread(board, row, np.empty(2 * n, dtype=np.int64))
    best = first
    most = -1e18
    for goal in range(first, last):
        place = tables[GOAL_PLACE + goal]
        cost = UNREACHABLE
        for i in range(tables[PLACE_START + place], tables[PLACE_START + place + 1]):
            cost = min(cost, row[board.node[tables[PLACE_CITY + i]]])
        worth = params[FAITH] * tables[GOAL_POINTS + goal] - points_of(cost)
        if worth > most:
            most = worth
            best = goal
    return best


@compiled
def _find_group(tables: Ints, board: Board, place: int, keys: Ints, n_groups: int) -> int:
    """Return the number of the group that a place makes, `n_groups` if it is new; its key is then noted."""
    start = tables[PLACE_START + place]
    key = MAX_CITIES + place
    if tables[PLACE_START + place + 1] - start == 1:
        key = board.node[tables[PLACE_CITY + start]]
    at = 0
    while at < n_groups and keys[at] != key:
        at += 1
    if at == n_groups:
        keys[at] = key
    return at


@compiled
def weave(tables: Ints, board: Board, wanted: Wanted, n_wanted: int) -> Web:
    """Return the cheapest networks for all subsets of the tickets wanted; too many groups leave tickets out of reach."""
    n = board.start.size - 1
    keys = np.empty(MAX_GROUPS + 2, dtype=np.int64)
    members = np.empty((MAX_GROUPS + 2, n), dtype=np.int64)
    ends = np.zeros(n_wanted, dtype=np.int64)
    n_groups = 0
    for i in range(n_wanted):
        places = (tables[ORIGIN + wanted.ticket[i]], tables[GOAL_PLACE + wanted.goal[i]])
        n_new = n_groups
        bits = 0
        for place in places:
            group = _find_group(tables, board, place, keys, n_new)
            if group == n_new:
                mark_members(tables, board, place, members[group])
                n_new += 1
            bits |= 1 << group
        if n_new <= MAX_GROUPS:
            n_groups = n_new
            ends[i] = bits
    n_free = max(n_groups - 1, 0)
    grown = np.empty((1 << n_free, n), dtype=np.int64)
    queue = np.empty(2 * n, dtype=np.int64)
    for group in range(n_free):
        start_row(members[group], grown[1 << group])
        spread(board, grown[1 << group], queue)
    grow_trees(board, grown, n_free, queue)
    tree = np.empty(1 << n_wanted, dtype=np.int64)
    forest = np.empty(1 << n_wanted, dtype=np.int64)
    solve_subsets(ends, n_wanted, members[n_free], grown, tree, forest)
    return Web(board, ends, members[n_free], grown, tree, forest)


@compiled
def subset_worth(state: Ints, seat: int, params: Floats, left: float, wanted: Wanted, cost: int, subset: int) -> float:
    """Return the points that a network for some tickets brings, less what it costs; far below 0 if it cannot be."""
    if cost >= UNREACHABLE or trains_of(cost) > state[TRAINS + seat]:
        return -1e9
    worth = -points_of(cost)
    i = 0
    while subset >> i:
        if subset >> i & 1:
            worth += wanted.gain[i]
        i += 1
    turns = max(0.0, trains_of(cost) - 0.6 * state[N_HAND + seat]) / params[CARDS_PER_TURN] + routes_of(cost)
    return worth - params[LATE_PRICE] * max(0.0, turns - left)


@compiled
def want_held(
    state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints, board: Board, wanted: Wanted, n_wanted: int
) -> int:
    """Add the tickets held to those wanted; return the number."""
    n_fixed = n_wanted
    for i in range(state[N_HELD + seat]):
        ticket = state[HELD + seat * MAX_TICKETS + i]
        if ticket == UNKNOWN_TICKET:
            continue
        n_wanted = want_ticket(tables, params, memory, board, ticket, wanted, n_wanted, n_fixed)
    return n_wanted


@compiled
def make_wanted() -> Wanted:
    """Return room for the tickets wanted."""
    return Wanted(
        np.empty(MAX_WANTED, dtype=np.int64),
        np.empty(MAX_WANTED, dtype=np.int64),
        np.empty(MAX_WANTED, dtype=np.float64),
    )


@compiled
def make_plan(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints, left: float) -> None:
    """Put the routes of the network that is worth most on the plan."""
    cost = np.empty(tables[N_ROUTES], dtype=np.int64)
    route_costs(state, tables, seat, params, cost)
    board = make_board(state, tables, seat, memory, cost)
    wanted = make_wanted()
    n_wanted = want_held(state, tables, seat, params, memory, board, wanted, 0)
    best = 0
    if n_wanted > 0:
        web = weave(tables, board, wanted, n_wanted)
        most = 0.0
        for subset in range(1, 1 << n_wanted):
            worth = subset_worth(state, seat, params, left, wanted, web.forest[subset], subset)
            if worth > most:
                most = worth
                best = subset
        write_plan(tables, memory, web, wanted, best)
    else:
        clear_plan(tables, memory)
    memory[N_UNPLANNED] = n_wanted - count_bits(best)
    memory[N_TICKETS_PLANNED] = state[N_HELD + seat]
    memory[LEFT_PLANNED] = int(left)


@compiled
def count_bits(number: int) -> int:
    """Return the number of bits that are set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@compiled
def clear_plan(tables: Ints, memory: Ints) -> None:
    """Empty the plan."""
    for i in range(memory[N_PLANNED]):
        memory[IS_PLANNED + memory[PLAN + i]] = 0
    memory[N_PLANNED] = 0
    memory[GAIN_PLANNED] = 0
    memory[IS_STALE] = 0


@compiled
def write_plan(tables: Ints, memory: Ints, web: Web, wanted: Wanted, subset: int) -> None:
    """Put the routes of the network for a set of tickets on the plan."""
    clear_plan(tables, memory)
    routes = np.empty(4 * MAX_CITIES, dtype=np.int64)
    n = trace_forest(web.board, web.ends, subset, web.root, web.grown, web.tree, web.forest, routes)
    for i in range(n):
        if not memory[IS_PLANNED + routes[i]]:
            add_planned(routes[i], memory)
    gain = 0.0
    for i in range(web.ends.size):
        if subset >> i & 1:
            gain += wanted.gain[i]
    memory[GAIN_PLANNED] = int(gain)


@compiled
def count_bonus(tables: Ints) -> float:
    """Return what one completed ticket more adds to a bonus for most of them: a share of it."""
    total = 0.0
    for i in range(tables[N_BONUSES]):
        at = BONUS + i * BONUS_CELLS
        if tables[at] == MEASURE_COMPLETED:
            total += 0.3 * tables[at + 2] / tables[N_SEATS]
    return total


@compiled
def choose_tickets(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return the action of keeping the tickets of an offer that are worth most together with those held."""
    n_offer = state[N_OFFER + seat]
    cost = np.empty(tables[N_ROUTES], dtype=np.int64)
    route_costs(state, tables, seat, params, cost)
    board = make_board(state, tables, seat, memory, cost)
    wanted = make_wanted()
    position = np.full(n_offer, -1, dtype=np.int64)
    done = np.zeros(n_offer, dtype=np.float64)
    n_wanted = 0
    for i in range(n_offer):
        ticket = state[OFFER + seat * MAX_OFFER + i]
        if ticket == UNKNOWN_TICKET:
            continue
        memory[WAS_OFFERED + ticket] = 1
        n_before = n_wanted
        if n_before < MAX_WANTED:
            n_wanted = want_ticket(tables, params, memory, board, ticket, wanted, n_wanted, n_wanted)
        if n_wanted > n_before:
            position[i] = n_before
        reached = goal_reached(tables, ticket, memory[LABEL : LABEL + MAX_CITIES])
        done[i] = -tables[PENALTY + ticket] if reached == NO_GOAL else tables[GOAL_POINTS + reached]
    n_open = n_wanted
    n_wanted = want_held(state, tables, seat, params, memory, board, wanted, n_open)
    web = weave(tables, board, wanted, n_wanted)
    left = turns_left(state, tables, seat, params)
    if state[PHASE] == KEEP:
        left -= 1.0
    worth = np.zeros(1 << n_wanted, dtype=np.float64)
    best = np.zeros(1 << n_wanted, dtype=np.int64)
    for subset in range(1, 1 << n_wanted):
        worth[subset] = subset_worth(state, seat, params, left, wanted, web.forest[subset], subset)
        best[subset] = subset
        for i in range(n_wanted):
            without = subset & ~(1 << i)
            if worth[without] > worth[subset]:
                worth[subset] = worth[without]
                best[subset] = best[without]
    at_least = fewest_kept(state, tables, seat)
    most = -1e18
    chosen = 0
    for kept in range(1, 1 << n_offer):
        n_kept = count_bits(kept)
        if n_kept < at_least:
            continue
        subset = (1 << n_wanted) - (1 << n_open) if n_wanted > n_open else 0
        value = (count_bonus(tables) - params[OPENING_BAR]) * n_kept
        for i in range(n_offer):
            if kept >> i & 1:
                value += done[i]
                if position[i] >= 0:
                    subset |= 1 << position[i]
        if value + worth[subset] > most:
            most = value + worth[subset]
            chosen = kept
    return KEEP_TICKETS, chosen
