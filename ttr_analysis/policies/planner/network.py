"""
The cheapest network for a few tickets on the board as a seat finds it: the exact Steiner forest, small and fast.

`analysis.tickets` solves the same problem from the distances between all
cities, which is best for many questions about one board. A planner asks one
question about each board. So the cities that its own routes join become one
*node*, closed routes are left out, and paths are followed from the ends of
tickets only. The algorithm is that of `analysis.tickets.steiner`. Trees that
touch sets of *groups* of nodes are grown here, in int32, of which a processor
adds twice as many at once; how the tickets are split among trees is its.

Costs are positive, packed so that comparing them compares points, then
trains, then routes. A board is three arrays:

node
    Node of each city.
start
    Where the *arcs* of each node begin in the next one, and their end.
arcs
    For each arc the node that it leads to, its packed cost, and its route.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints, Narrow
from ttr_analysis._compile import compiled
from ttr_analysis.analysis.tickets.steiner import first_tree, forest_cost
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.planner.knowledge import Memory, Params, add_planned, is_open, token_terms, toll_cost
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, Tables

UNREACHABLE: Final = 1 << 29
"""The cost of what cannot be built; two of them still add up within int32."""
ROUTE_BITS: Final = (1 << 6) - 1
TRAIN_SHIFT: Final = 6
TRAIN_BITS: Final = (1 << 8) - 1
POINT_SHIFT: Final = 14
"""A packed cost is 16ths of points << 14, plus trains << 6, plus routes: int32, which is added faster than int64."""
POINT_UNIT: Final = 16.0
_MOST_POINTS: Final = 40.0
"""That one route is taken to cost; networks stay far from `UNREACHABLE`."""

LEAST_TRAIN_PRICE: Final = 0.4
"""Part of the price of a route's trains below which its points do not lower its cost."""

HEAD: Final = 0
COST: Final = 1
ROUTE: Final = 2

TOUCH: Final = 0
TREE: Final = 1
FOREST: Final = 2
"""Rows of `nets`, a column for each set of tickets: groups at their ends, costs of the best tree and network."""

LANES: Final = 16
"""Rows of costs have so many columns, or a multiple: a processor adds them all in a few steps, without a rest."""
FEW_SETS: Final = 8
"""Sets of groups for which paths are followed one by one; for more the costs between all nodes are found first."""

ROOM_SIZE: Final = MAX_CITIES + MAX_ROUTES
"""Cells to work in."""


@compiled
def lay_board(
    state: State,
    tables: Tables,
    seat: int,
    params: Params,
    label: Ints,
    node: Ints,
    start: Ints,
    arcs: Ints,
    room: Ints,
) -> int:
    """
    Lay out the free routes that a seat has the trains for, between the nodes that its own routes make.

    Parameters
    ----------
    label
        For each city a label, equal for those that are one node.
    node, start, arcs
        Filled.
    room
        `ROOM_SIZE` cells to work in.

    Returns
    -------
    n
        Number of nodes.
    """
    n_cities = tables.n_cities
    n_routes = tables.n_routes
    token_value, at_stake = token_terms(state, tables, seat, params)
    number = room[:MAX_CITIES]
    cost = room[MAX_CITIES:]
    for city in range(n_cities):
        number[city] = -1
    n = 0
    for city in range(n_cities):
        part = label[city]
        if number[part] < 0:
            number[part] = n
            n += 1
        node[city] = number[part]
    for a in range(n + 1):
        start[a] = 0
    for r in range(n_routes):
        length = tables.length[r]
        a = node[tables.city_a[r]]
        b = node[tables.city_b[r]]
        cost[r] = 0
        if a == b or length > state.trains[seat] or not is_open(state, tables, seat, r):
            continue
        points = params.train_price * length + params.route_price + params.symbol_price * tables.symbols[r]
        points += params.tunnel_price * tables.tunnel[r] - params.point_weight * tables.points[r]
        points = max(points, LEAST_TRAIN_PRICE * params.train_price * length)
        if tables.tokens_each > 0:
            points += toll_cost(state, tables, seat, r, token_value, at_stake)
        points = min(points, _MOST_POINTS)
        cost[r] = (int(points * POINT_UNIT) << POINT_SHIFT) + (length << TRAIN_SHIFT) + 1
        start[a] += 1
        start[b] += 1
    for a in range(n):
        start[a + 1] += start[a]
    for r in range(n_routes):
        if cost[r] > 0:
            for end in range(2):
                a = node[tables.city_a[r]]
                b = node[tables.city_b[r]]
                if end:
                    a, b = b, a
                start[a] -= 1
                arcs[start[a], HEAD] = b
                arcs[start[a], COST] = cost[r]
                arcs[start[a], ROUTE] = r
    return n


@compiled
def spread(start: Ints, arcs: Ints, row: Narrow, queue: Ints) -> None:
    """
    Lower the costs of a row to those of the cheapest paths that lead on from its nodes.

    Parameters
    ----------
    start, arcs
        The board.
    row
        Costs of the nodes, changed.
    queue
        Room for twice as many.
    """
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
        for arc in range(start[u], start[u + 1]):
            v = arcs[arc, HEAD]
            onward = row[u] + arcs[arc, COST]
            if onward < row[v]:
                row[v] = onward
                if not waiting[v]:
                    waiting[v] = 1
                    end = at + n_queue
                    queue[end if end < n else end - n] = v
                    n_queue += 1


@compiled
def measure(start: Ints, arcs: Ints, distance: Narrow) -> None:
    """
    Fill in the costs of the cheapest paths between all nodes of a board.

    Parameters
    ----------
    start, arcs
        The board.
    distance
        Filled, a padded row for each node; it may have none.
    """
    n = distance.shape[0]
    width = distance.shape[1]
    distance.fill(UNREACHABLE)
    for u in range(n):
        row = distance[u]
        row[u] = 0
        for arc in range(start[u], start[u + 1]):
            v = arcs[arc, HEAD]
            row[v] = min(row[v], arcs[arc, COST])
    onward = np.empty(MAX_CITIES, dtype=np.int32)
    for middle in range(n):
        onward[:width] = distance[middle]
        for u in range(n):
            near = onward[u]
            if near >= UNREACHABLE:
                continue
            row = distance[u]
            for first in range(0, width, LANES):
                for lane in range(LANES):
                    v = first + lane
                    both = np.int32(near + onward[v])
                    row[v] = both if both < row[v] else row[v]  # noqa: FURB136 - `min` would widen both


@compiled
def solve(
    start: Ints, arcs: Ints, members: Ints, ends: Ints, distance: Narrow, grown: Narrow, nets: Ints, room: Ints
) -> None:
    """
    Fill in the cheapest networks of all sets of some tickets.

    Rows of costs are worked on in blocks of `LANES`, each of which stays in
    registers until it is done.

    Parameters
    ----------
    start, arcs
        The board.
    members
        1 where a group has a node, shape (groups, nodes); the last group is
        the root of the trees that touch it.
    ends
        The set of groups at the ends of each ticket.
    distance
        Costs between nodes, as `measure` fills them in. Without rows, paths
        are followed for each set of groups, which is faster for a few of them.
    grown
        Filled with the cost of the cheapest tree that touches a set of
        groups, without the last one, and a node; its rows are padded.
    nets
        Filled, a column for each set of tickets.
    room
        `ROOM_SIZE` cells to work in.
    """
    n = members.shape[1]
    width = grown.shape[1]
    merged = np.empty(MAX_CITIES, dtype=np.int32)
    costs = np.empty(LANES, dtype=np.int32)
    group = 0
    for mask in range(1, grown.shape[0]):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            for v in range(width):
                merged[v] = 0 if v < n and members[group, v] else UNREACHABLE
            group += 1
        else:
            for first in range(0, width, LANES):
                costs.fill(UNREACHABLE)
                part = rest
                while part:
                    # Two smaller trees meet in a node; the one with the lowest group is `low | part`.
                    part = (part - 1) & rest
                    one = grown[low | part, first : first + LANES]
                    other = grown[rest ^ part, first : first + LANES]
                    for lane in range(LANES):
                        both = np.int32(one[lane] + other[lane])
                        costs[lane] = both if both < costs[lane] else costs[lane]  # noqa: FURB136 - as above
                merged[first : first + LANES] = costs
        if distance.shape[0] == 0:
            grown[mask] = merged[:width]
            spread(start, arcs, grown[mask, :n], room)
            continue
        for first in range(0, width, LANES):
            # From where two trees meet, or from an end, the tree goes on to all other nodes.
            costs.fill(UNREACHABLE)
            for u in range(n):
                way = distance[u, first : first + LANES]
                near = merged[u]
                for lane in range(LANES):
                    both = np.int32(near + way[lane])
                    costs[lane] = both if both < costs[lane] else costs[lane]  # noqa: FURB136 - as above
            grown[mask, first : first + LANES] = costs
    _split_tickets(ends, members[group], grown, nets)


@compiled
def _split_tickets(ends: Ints, root: Ints, grown: Narrow, nets: Ints) -> None:
    """Fill in the cheapest tree and network for each set of tickets, from the trees that touch sets of groups."""
    n = root.size
    touch, tree, forest = nets[TOUCH], nets[TREE], nets[FOREST]
    touch[0] = tree[0] = forest[0] = 0
    ticket = 0
    for subset in range(1, tree.size):
        if subset == 1 << (ticket + 1):
            ticket += 1
        mask = touch[subset ^ (1 << ticket)] | ends[ticket]
        rest = mask & (grown.shape[0] - 1)
        cost = UNREACHABLE
        for v in range(n):
            if rest == mask or root[v]:
                cost = min(cost, grown[rest, v])
        touch[subset] = mask
        tree[subset] = cost
        forest[subset] = forest_cost(tree, forest, subset)


@compiled
def trace(
    start: Ints, arcs: Ints, members: Ints, grown: Narrow, nets: Ints, tickets: int, memory: Memory, todo: Ints
) -> None:
    """Put the routes of the cheapest network for a set of tickets on the plan."""
    n = grown.shape[1]
    group = 0
    while 1 << group < grown.shape[0]:
        group += 1
    root = members[group]
    n_todo = 0
    while tickets or n_todo:
        if n_todo == 0:
            # One tree after the other.
            first = first_tree(nets[TREE], nets[FOREST], tickets)
            tickets ^= first
            mask = nets[TOUCH, first]
            rest = mask & (grown.shape[0] - 1)
            v = 0
            while v < n and (grown[rest, v] != nets[TREE, first] or (rest != mask and not root[v])):
                v += 1
            todo[0] = rest
            todo[1] = v
            n_todo = 1
        n_todo -= 1
        mask = todo[2 * n_todo]
        v = todo[2 * n_todo + 1]
        low = mask & -mask
        rest = mask ^ low
        while grown[mask, v] > 0:
            split = -1
            part = rest
            while part and split < 0:
                part = (part - 1) & rest
                if grown[low | part, v] + grown[rest ^ part, v] == grown[mask, v]:
                    split = part
            if split >= 0:
                todo[2 * n_todo] = low | split
                todo[2 * n_todo + 2] = rest ^ split
                todo[2 * n_todo + 1] = todo[2 * n_todo + 3] = v
                n_todo += 2
                break
            # No trees meet here: the tree comes along an arc. Costs are positive, so this ends.
            arc = start[v]
            while grown[mask, arcs[arc, HEAD]] + arcs[arc, COST] != grown[mask, v]:
                arc += 1
            if not memory.is_planned[arcs[arc, ROUTE]]:
                add_planned(arcs[arc, ROUTE], memory)
            v = arcs[arc, HEAD]
