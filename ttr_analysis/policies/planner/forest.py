"""
The cheapest network for a few tickets on the board as a seat finds it: the exact Steiner forest, small and fast.

`analysis.tickets` solves the same problem from the distances between all
cities, which is best for many questions about one board. A planner asks one
question about each board. So the cities that its own routes join become one
*node*, closed routes are left out, and paths are followed from the ends of
tickets only. What remains is the algorithm of `analysis.tickets._forest`:
trees that touch sets of *groups* of nodes, then the best split of the tickets
among trees.

Costs are positive, packed so that comparing them compares points, then
trains, then routes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.policies.planner.memory import LABEL
from ttr_analysis.policies.planner.watch import is_open
from ttr_analysis.tables.games import CITY_A, CITY_B, N_CITIES, N_ROUTES, PLACE_CITY, PLACE_START

Ints = npt.NDArray[np.int64]

MAX_WANTED: Final = 6
"""Tickets that one network is computed for."""
MAX_GROUPS: Final = 10
"""Groups of nodes that they may have at their ends."""

UNREACHABLE: Final = 1 << 50
"""The cost of what cannot be built; three of them still add up."""
TRAIN_SHIFT: Final = 10
POINT_SHIFT: Final = 20
"""A packed cost is 64ths of points << 20, plus trains << 10, plus routes."""
POINT_UNIT: Final = 64.0


class Board(NamedTuple):
    """
    The free routes between the nodes.

    Parameters
    ----------
    node
        Node of each city.
    start
        Where the arcs of each node begin in the next two, and their end.
    head, arc_route
        Node that an arc leads to, and its route.
    cost
        Packed cost of each route.
    """

    node: Ints
    start: Ints
    head: Ints
    arc_route: Ints
    cost: Ints


@compiled
def points_of(cost: int) -> float:
    """Return the points of a packed cost."""
    return float((cost >> POINT_SHIFT) / POINT_UNIT)


@compiled
def trains_of(cost: int) -> int:
    """Return the trains of a packed cost."""
    return int((cost >> TRAIN_SHIFT) & 1023)


@compiled
def routes_of(cost: int) -> int:
    """Return the routes of a packed cost."""
    return int(cost & 1023)


@compiled
def make_board(state: Ints, tables: Ints, seat: int, memory: Ints, cost: Ints) -> Board:
    """Return the free routes that a seat has the trains for, between the nodes that its own routes make."""
    n_cities = tables[N_CITIES]
    n_routes = tables[N_ROUTES]
    node = np.empty(n_cities, dtype=np.int64)
    number = np.empty(n_cities, dtype=np.int64)
    number.fill(-1)
    n = 0
    for city in range(n_cities):
        label = memory[LABEL + city]
        if number[label] < 0:
            number[label] = n
            n += 1
        node[city] = number[label]
    start = np.zeros(n + 1, dtype=np.int64)
    for r in range(n_routes):
        a = node[tables[CITY_A + r]]
        b = node[tables[CITY_B + r]]
        if a == b or cost[r] >= UNREACHABLE or not is_open(state, tables, seat, r):
            cost[r] = UNREACHABLE
        else:
            start[a] += 1
            start[b] += 1
    for a in range(n):
        start[a + 1] += start[a]
    head = np.empty(start[n], dtype=np.int64)
    arc_route = np.empty(start[n], dtype=np.int64)
    for r in range(n_routes):
        if cost[r] < UNREACHABLE:
            a = node[tables[CITY_A + r]]
            b = node[tables[CITY_B + r]]
            start[a] -= 1
            head[start[a]] = b
            arc_route[start[a]] = r
            start[b] -= 1
            head[start[b]] = a
            arc_route[start[b]] = r
    return Board(node, start, head, arc_route, cost)


@compiled
def mark_members(tables: Ints, board: Board, place: int, members: Ints) -> None:
    """Mark the nodes of a place."""
    members.fill(0)
    for i in range(tables[PLACE_START + place], tables[PLACE_START + place + 1]):
        members[board.node[tables[PLACE_CITY + i]]] = 1


@compiled
def start_row(members: Ints, row: Ints) -> None:
    """Fill in a row that begins at some nodes."""
    for v in range(row.size):
        row[v] = 0 if members[v] else UNREACHABLE


@compiled
def spread(board: Board, row: Ints, queue: Ints) -> None:
    """Lower the costs of a row to those of the cheapest paths that lead on from its nodes."""
    n = row.size
    waiting = queue[n:]
    n_queue = 0
    for v in range(n):
        waiting[v] = 0
        if row[v] < UNREACHABLE:
            queue[n_queue] = v
            waiting[v] = 1
            n_queue += 1
    at = 0
    while n_queue:
        u = queue[at]
        at = at + 1 if at + 1 < n else 0
        n_queue -= 1
        waiting[u] = 0
        for arc in range(board.start[u], board.start[u + 1]):
            v = board.head[arc]
            onward = row[u] + board.cost[board.arc_route[arc]]
            if onward < row[v]:
                row[v] = onward
                if not waiting[v]:
                    waiting[v] = 1
                    end = at + n_queue
                    queue[end if end < n else end - n] = v
                    n_queue += 1


@compiled
def grow_trees(board: Board, grown: Ints, n_groups: int, queue: Ints) -> None:
    """Fill in the cheapest trees that touch a set of groups and a node; sets of one group are there already."""
    n = grown.shape[1]
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            continue
        row = grown[mask]
        row.fill(UNREACHABLE)
        part = rest
        while part:
            part = (part - 1) & rest
            one = grown[low | part]
            other = grown[rest ^ part]
            for v in range(n):
                row[v] = min(row[v], one[v] + other[v])
        spread(board, row, queue)


@compiled
def solve_subsets(ends: Ints, n_tickets: int, root: Ints, grown: Ints, tree: Ints, forest: Ints) -> None:
    """
    Fill in the cheapest tree and the cheapest network for every subset of some tickets.

    Parameters
    ----------
    ends
        The set of groups at the ends of each ticket.
    n_tickets
        Number of tickets.
    root
        1 for the nodes of the last group, with which `grown` has no sets.
    grown
        Trees, as `grow_trees` fills them in.
    tree, forest
        Filled.
    """
    n = grown.shape[1]
    tree[0] = 0
    forest[0] = 0
    for subset in range(1, 1 << n_tickets):
        low = subset & -subset
        others = subset ^ low
        mask = groups_of(ends, subset)
        rest = mask & (grown.shape[0] - 1)
        cost = UNREACHABLE
        for v in range(n):
            if rest == mask or root[v]:
                cost = min(cost, grown[rest, v])
        tree[subset] = cost
        part = others
        while part:
            part = (part - 1) & others
            cost = min(cost, tree[low | part] + forest[others ^ part])
        forest[subset] = cost


@compiled
def groups_of(ends: Ints, tickets: int) -> int:
    """Return the groups at the ends of a set of tickets."""
    mask = 0
    i = 0
    while tickets >> i:
        if tickets >> i & 1:
            mask |= ends[i]
        i += 1
    return mask


@compiled
def trace_forest(
    board: Board, ends: Ints, tickets: int, root: Ints, grown: Ints, tree: Ints, forest: Ints, routes: Ints
) -> int:
    """List the routes of the cheapest network for a set of tickets; return their number."""
    n = grown.shape[1]
    n_routes = 0
    while tickets:
        low = tickets & -tickets
        others = tickets ^ low
        part = others
        while tree[low | part] + forest[others ^ part] != forest[tickets]:
            part = (part - 1) & others
        tickets = others ^ part
        mask = groups_of(ends, low | part)
        rest = mask & (grown.shape[0] - 1)
        v = 0
        while v < n and (grown[rest, v] != tree[low | part] or (rest != mask and not root[v])):
            v += 1
        n_routes = _trace_tree(board, grown, rest, v, routes, n_routes)
    return n_routes


@compiled
def _trace_tree(board: Board, grown: Ints, groups: int, node: int, routes: Ints, n_routes: int) -> int:
    """List the routes of the tree behind `grown[groups, node]`."""
    todo = np.empty((MAX_GROUPS + 1, 2), dtype=np.int64)
    todo[0, 0] = groups
    todo[0, 1] = node
    n_todo = 1
    while n_todo:
        n_todo -= 1
        mask = todo[n_todo, 0]
        v = todo[n_todo, 1]
        row = grown[mask]
        low = mask & -mask
        rest = mask ^ low
        part = _split_of(grown, mask, v)
        while part < 0 and row[v] > 0:
            # The tree comes to `v` along an arc; costs are positive, so this ends.
            arc = board.start[v]
            while row[board.head[arc]] + board.cost[board.arc_route[arc]] != row[v]:
                arc += 1
            routes[n_routes] = board.arc_route[arc]
            n_routes += 1
            v = board.head[arc]
            part = _split_of(grown, mask, v)
        if part >= 0:
            todo[n_todo, 0] = low | part
            todo[n_todo + 1, 0] = rest ^ part
            todo[n_todo, 1] = todo[n_todo + 1, 1] = v
            n_todo += 2
    return n_routes


@compiled
def _split_of(grown: Ints, mask: int, node: int) -> int:
    """Return the part of a tree with which two smaller trees meet in a node, -1 if none do."""
    low = mask & -mask
    rest = mask ^ low
    part = rest
    while part:
        part = (part - 1) & rest
        if grown[low | part, node] + grown[rest ^ part, node] == grown[mask, node]:
            return part
    return -1
