"""
The exact Steiner forest, compiled: the cheapest routes that connect the ends of tickets.

A ticket connects two *groups* of cities: it is complete when some city of one group and
some city of the other are in the same connected network. (A country is the group of its
border points.) The cheapest network of several tickets is a forest. Its trees come from the
algorithm of Dreyfus and Wagner [1]_, started from groups instead of cities; the best split
of the tickets among trees comes from a second dynamic program, over sets of tickets. Both
also give the cost of every subset of the tickets. Networks that may borrow a few routes, as
stations allow, come from the same programs with one more dimension: the maximum number of
borrowed routes.

Costs are positive int64 numbers that compare trains, then routes, then tolls,
and so on (see `pack_cost`). Sets of groups and of tickets are bit masks.

References
----------
.. [1] Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs".
   Networks 1 (1971), 195-207.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Flags, Ints, compiled

MAX_TICKETS: Final = 7
"""Maximum number of tickets for one network, which have at most 14 groups of cities."""


class Board(NamedTuple):
    """Cost and number of the cheapest track, and cost of the cheapest path, between each pair of cities."""

    weight: Ints
    track: Ints
    distance: Ints


class Ends(NamedTuple):
    """The ends of tickets: cities of each group, cheapest paths from it to each city, groups of each ticket."""

    members: Ints
    rows: Ints
    pairs: Ints


class Work(NamedTuple):
    """Results of `solve_subsets`, in arrays that are reused; `UNREACHABLE` where there is no tree or network."""

    groups: Ints
    masks: Ints
    grown: Ints
    tree: Ints
    forest: Ints


@compiled
def choose_tracks(ends: Ints, cost: Ints, order: Ints, weight: Ints, track: Ints) -> None:
    """Fill in cost and number of the cheapest track between each pair of cities; ties go to the first in `order`."""
    weight.fill(UNREACHABLE)
    track.fill(-1)
    for r in order:
        a, b = ends[r, 0], ends[r, 1]
        if cost[r] < weight[a, b]:
            weight[a, b] = cost[r]
            weight[b, a] = cost[r]
            track[a, b] = r
            track[b, a] = r


@compiled
def all_distances(weight: Ints, distance: Ints) -> None:
    """Fill in the cost of the cheapest path between each pair of cities (Floyd-Warshall)."""
    n = len(weight)
    for a in range(n):
        for b in range(n):
            distance[a, b] = weight[a, b] if a != b else 0
    for m in range(n):
        for a in range(n):
            to_m = distance[a, m]
            if to_m >= UNREACHABLE:
                continue
            for b in range(n):
                through = to_m + distance[m, b]
                distance[a, b] = min(distance[a, b], through)


@compiled
def group_distances(distance: Ints, members: Ints, rows: Ints) -> None:
    """Fill in the cost of the cheapest path from each group to each city."""
    rows.fill(UNREACHABLE)
    n_groups, n = members.shape
    for g in range(n_groups):
        for a in range(n):
            if members[g, a]:
                for v in range(n):
                    rows[g, v] = min(rows[g, v], distance[a, v])


def make_work(n_tickets: int, n: int) -> Work:
    """Return the arrays for sets of up to `n_tickets` tickets on a board of `n` cities."""
    return Work(
        np.empty(2 * n_tickets, dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
        np.empty((1 << (2 * n_tickets - 1), n), dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
    )


@compiled
def collect_groups(ends: Ends, tickets: Ints, n_tickets: int, work: Work) -> int:
    """Fill in the distinct groups of the tickets, in ascending order, and the `masks`; return the number of groups."""
    groups, masks = work.groups, work.masks
    n_groups = 0
    for i in range(n_tickets):
        for end in range(2):
            group = ends.pairs[tickets[i], end]
            at = n_groups
            while at > 0 and groups[at - 1] > group:
                at -= 1
            if at > 0 and groups[at - 1] == group:
                continue
            for j in range(n_groups, at, -1):
                groups[j] = groups[j - 1]
            groups[at] = group
            n_groups += 1
    masks[0] = 0
    for i in range(n_tickets):
        bits = 0
        for g in range(n_groups):
            if groups[g] == ends.pairs[tickets[i], 0] or groups[g] == ends.pairs[tickets[i], 1]:
                bits |= 1 << g
        for subset in range(1 << i):
            masks[1 << i | subset] = masks[subset] | bits
    return n_groups


@compiled
def grow_trees(distance: Ints, rows: Ints, n_groups: int, work: Work) -> None:
    """Fill in `grown` for all sets of the first `n_groups` groups."""
    n = len(distance)
    grown = work.grown
    merged = np.empty(n, dtype=np.int64)
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            group = work.groups[lowest_bit(mask)]
            for v in range(n):
                grown[mask, v] = rows[group, v]
            continue
        merged.fill(UNREACHABLE)
        # Two smaller trees meet in a city; the one with the lowest group is `low | part`.
        part = rest
        while part:
            part = (part - 1) & rest
            one = grown[low | part]
            other = grown[rest ^ part]
            for v in range(n):
                both = one[v] + other[v]
                merged[v] = min(merged[v], both)
        # Then a path extends the tree.
        cheapest = grown[mask]
        for v in range(n):
            cheapest[v] = merged[v]
        for u in range(n):
            start = merged[u]
            if cheapest[u] < start or start >= UNREACHABLE:
                continue  # a cheaper path from another city leads here, and also onward
            for v in range(n):
                onward = start + distance[u, v]
                cheapest[v] = min(cheapest[v], onward)


@compiled
def lowest_bit(mask: int) -> int:
    """Return the position of the lowest bit that is set."""
    bit = 0
    while not mask >> bit & 1:
        bit += 1
    return bit


@compiled
def solve_subsets(distance: Ints, ends: Ends, tickets: Ints, n_tickets: int, work: Work) -> int:
    """Fill in the cheapest network of every subset of the first `n_tickets` tickets; return the number of groups."""
    n = len(distance)
    tree, forest = work.tree, work.forest
    tree[0] = 0
    forest[0] = 0
    n_groups = collect_groups(ends, tickets, n_tickets, work)
    if n_groups == 0:
        return 0
    grow_trees(distance, ends.rows, n_groups - 1, work)
    root = ends.rows[work.groups[n_groups - 1]]
    for subset in range(1, 1 << n_tickets):
        mask = work.masks[subset]
        rest = mask & ~(1 << (n_groups - 1))
        cost = UNREACHABLE
        if rest == 0:
            cost = 0
        elif rest == mask:
            for v in range(n):
                cost = min(cost, work.grown[rest, v])
        else:
            for v in range(n):
                cost = min(cost, work.grown[rest, v] + root[v])
        tree[subset] = cost
        forest[subset] = forest_cost(tree, forest, subset)
    return n_groups


@compiled
def forest_cost(tree: Ints, forest: Ints, tickets: int) -> int:
    """Return the cost of the cheapest network: the tree of the first ticket, and the best for the others."""
    cost = tree[tickets]
    low = tickets & -tickets
    others = tickets ^ low
    part = others
    while part:
        part = (part - 1) & others
        cost = min(cost, tree[low | part] + forest[others ^ part])
    return int(cost)


@compiled
def first_tree(tree: Ints, forest: Ints, tickets: int) -> int:
    """Return the tickets that the first tree of the cheapest network completes."""
    low = tickets & -tickets
    others = tickets ^ low
    part = others
    while tree[low | part] + forest[others ^ part] != forest[tickets]:
        part = (part - 1) & others
    return low | part


@compiled
def count_tickets(tickets: Ints) -> int:
    """Return the number of tickets before the first -1."""
    n_tickets = 0
    while n_tickets < len(tickets) and tickets[n_tickets] >= 0:
        n_tickets += 1
    return n_tickets


@compiled
def batch_costs(distance: Ints, ends: Ends, sets: Ints, work: Work, costs: Ints) -> None:
    """Fill in `costs[i, mask]` for subsets of each row of tickets (-1: none); with one column, for the whole row."""
    for i in range(len(sets)):
        n_tickets = count_tickets(sets[i])
        solve_subsets(distance, ends, sets[i], n_tickets, work)
        if costs.shape[1] == 1:
            costs[i, 0] = work.forest[(1 << n_tickets) - 1]
        else:
            for subset in range(1 << n_tickets):
                costs[i, subset] = work.forest[subset]


@compiled
def batch_networks(board: Board, ends: Ends, sets: Ints, work: Work, costs: Ints, used: Flags) -> None:
    """Fill in the cost of each set of tickets, and 1 for each route that its network uses, owned ones included."""
    used.fill(0)
    for i in range(len(sets)):
        n_tickets = count_tickets(sets[i])
        n_groups = solve_subsets(board.distance, ends, sets[i], n_tickets, work)
        everything = (1 << n_tickets) - 1
        costs[i] = work.forest[everything]
        if costs[i] < UNREACHABLE:
            _mark_forest(board, ends, work, n_groups, everything, used[i])


@compiled
def _mark_forest(board: Board, ends: Ends, work: Work, n_groups: int, tickets: int, used: Flags) -> None:
    """Mark the routes of the cheapest network for a set of tickets: the first choices that give its cost."""
    root = work.groups[n_groups - 1]
    while tickets:
        first = first_tree(work.tree, work.forest, tickets)
        tickets ^= first
        cost = work.tree[first]
        mask = work.masks[first]
        rest = mask & ~(1 << (n_groups - 1))
        if rest == 0:
            continue
        v = 0
        if rest == mask:
            while work.grown[rest, v] != cost:
                v += 1
        else:
            while work.grown[rest, v] + ends.rows[root, v] != cost:
                v += 1
            _mark_path(board, v, _nearest_member(board, ends, root, v), used)
        _mark_tree(board, ends, work, rest, v, used)


@compiled
def _mark_tree(board: Board, ends: Ends, work: Work, groups: int, city: int, used: Flags) -> None:
    grown = work.grown
    todo = np.empty((2 * len(work.groups), 2), dtype=np.int64)
    todo[0, 0] = groups
    todo[0, 1] = city
    n_todo = 1
    while n_todo:
        n_todo -= 1
        mask = todo[n_todo, 0]
        v = todo[n_todo, 1]
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            _mark_path(board, v, _nearest_member(board, ends, work.groups[lowest_bit(mask)], v), used)
            continue
        u = 0
        part = (rest - 1) & rest
        while grown[low | part, u] + grown[rest ^ part, u] + board.distance[u, v] != grown[mask, v]:
            if part:
                part = (part - 1) & rest
            else:
                part = (rest - 1) & rest
                u += 1
        _mark_path(board, v, u, used)
        todo[n_todo, 0] = low | part
        todo[n_todo + 1, 0] = rest ^ part
        todo[n_todo, 1] = u
        todo[n_todo + 1, 1] = u
        n_todo += 2


@compiled
def _nearest_member(board: Board, ends: Ends, group: int, city: int) -> int:
    """Return the nearest city of a group to `city`, the first if tied."""
    v = 0
    while not ends.members[group, v] or board.distance[v, city] != ends.rows[group, city]:
        v += 1
    return v


@compiled
def _mark_path(board: Board, a: int, b: int, used: Flags) -> None:
    """Mark the tracks of a cheapest path; costs are positive, so it terminates."""
    while a != b:
        v = 0
        while v == a or board.weight[a, v] + board.distance[v, b] != board.distance[a, b]:
            v += 1
        used[board.track[a, v]] = 1
        a = v


# -- with a few borrowed routes -------------------------------------------------------------------------------------

ROUTE_BITS: Final = 8
"""Bits for each borrowed route: its position among those that can be borrowed, from 1; 0 means none."""


class Costs(NamedTuple):
    """Packed costs by maximum number of borrowed routes, and those routes: `ROUTE_BITS` for each, the first lowest."""

    cost: Ints
    routes: Ints


class Borrowing(NamedTuple):
    """Results of `solve_borrowing`: paths of cities and groups, trees by groups, trees and networks by tickets."""

    distance: Costs
    rows: Costs
    grown: Costs
    tree: Costs
    forest: Costs


def make_borrowing(n_tickets: int, n_groups: int, n_stations: int, n: int) -> Borrowing:
    """Return the arrays for `n_tickets` tickets with `n_groups` groups on a board of `n` cities."""

    def costs(*shape: int) -> Costs:
        return Costs(np.full(shape, UNREACHABLE, dtype=np.int64), np.zeros(shape, dtype=np.int64))

    layers = n_stations + 1
    return Borrowing(
        costs(layers, n, n),
        costs(n_groups, layers, n),
        costs(1 << max(0, n_groups - 1), layers, n),
        costs(1 << n_tickets, layers),
        costs(1 << n_tickets, layers),
    )


@compiled
def borrow_paths(distance: Ints, borrowable: Ints, price: int, borrowing: Borrowing) -> None:
    """Fill in `distance`: the cheapest paths that borrow routes of `borrowable`, each for a packed `price`."""
    cost, routes = borrowing.distance
    n = len(distance)
    for a in range(n):
        for b in range(n):
            cost[0, a, b] = distance[a, b]
    for layer in range(1, len(cost)):
        for a in range(n):
            for b in range(n):
                cost[layer, a, b] = cost[layer - 1, a, b]
                routes[layer, a, b] = routes[layer - 1, a, b]
        for i in range(2 * len(borrowable)):
            near = borrowable[i // 2, i % 2]
            far = borrowable[i // 2, 1 - i % 2]
            last = (i // 2 + 1) << (ROUTE_BITS * (layer - 1))
            for a in range(n):
                start = cost[layer - 1, a, near] + price
                for b in range(n):
                    if start + distance[far, b] < cost[layer, a, b]:
                        cost[layer, a, b] = start + distance[far, b]
                        routes[layer, a, b] = routes[layer - 1, a, near] | last


@compiled
def borrow_rows(members: Ints, borrowing: Borrowing) -> None:
    """Fill in `rows`: the cheapest paths from each group of cities."""
    cost, routes = borrowing.rows
    n_groups, n_layers, n = cost.shape
    for g in range(n_groups):
        for layer in range(n_layers):
            for a in range(n):
                if members[g, a]:
                    for v in range(n):
                        if borrowing.distance.cost[layer, a, v] < cost[g, layer, v]:
                            cost[g, layer, v] = borrowing.distance.cost[layer, a, v]
                            routes[g, layer, v] = borrowing.distance.routes[layer, a, v]


@compiled
def grow_borrowing(n_groups: int, work: Work, borrowing: Borrowing) -> None:
    """Fill in `grown` for all sets of the first `n_groups` groups of `work`, as `grow_trees` does."""
    cost, routes = borrowing.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            group = work.groups[lowest_bit(mask)]
            for layer in range(n_layers):
                for v in range(n):
                    cost[mask, layer, v] = borrowing.rows.cost[group, layer, v]
                    routes[mask, layer, v] = borrowing.rows.routes[group, layer, v]
            continue
        part = rest
        while part:
            part = (part - 1) & rest
            for one in range(n_layers):
                for other in range(n_layers - one):
                    _merge(borrowing.grown, mask, low | part, one, rest ^ part, other)
        _extend_trees(borrowing, mask)


@compiled
def _merge(grown: Costs, mask: int, first: int, one: int, second: int, other: int) -> None:
    cost, routes = grown
    for v in range(cost.shape[2]):
        both = cost[first, one, v] + cost[second, other, v]
        if both < cost[mask, one + other, v]:
            cost[mask, one + other, v] = both
            routes[mask, one + other, v] = routes[first, one, v] | routes[second, other, v] << (ROUTE_BITS * one)


@compiled
def _extend_trees(borrowing: Borrowing, mask: int) -> None:
    """Extend trees of a set of groups by a path, in place: adding two paths is never better than adding one."""
    cost, routes = borrowing.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for target in range(n_layers - 1, -1, -1):
        for one in range(target, -1, -1):
            for u in range(n):
                start = cost[mask, one, u]
                if start >= UNREACHABLE:
                    continue
                for v in range(n):
                    onward = start + borrowing.distance.cost[target - one, u, v]
                    if onward < cost[mask, target, v]:
                        cost[mask, target, v] = onward
                        routes[mask, target, v] = routes[mask, one, u] | borrowing.distance.routes[
                            target - one, u, v
                        ] << (ROUTE_BITS * one)


@compiled
def solve_borrowing(ends: Ends, tickets: Ints, work: Work, borrowing: Borrowing) -> None:
    """Fill in `tree` and `forest`: the cheapest network of each set of tickets, by number of borrowed routes."""
    forest = borrowing.forest
    n_layers = forest.cost.shape[1]
    n_groups = collect_groups(ends, tickets, len(tickets), work)
    borrow_rows(ends.members, borrowing)
    grow_borrowing(n_groups - 1, work, borrowing)
    for layer in range(n_layers):
        forest.cost[0, layer] = 0
        forest.routes[0, layer] = 0
    for subset in range(1, 1 << len(tickets)):
        _solve_tree(work, n_groups, subset, borrowing)
        low = subset & -subset
        others = subset ^ low
        part = others
        while True:
            for one in range(n_layers):
                for other in range(n_layers - one):
                    both = borrowing.tree.cost[low | part, one] + forest.cost[others ^ part, other]
                    if both < forest.cost[subset, one + other]:
                        forest.cost[subset, one + other] = both
                        forest.routes[subset, one + other] = borrowing.tree.routes[low | part, one] | forest.routes[
                            others ^ part, other
                        ] << (ROUTE_BITS * one)
            if part == 0:
                break
            part = (part - 1) & others


@compiled
def _solve_tree(work: Work, n_groups: int, subset: int, borrowing: Borrowing) -> None:
    """Fill in the cheapest tree for a set of tickets, with the last group as its root if it touches that group."""
    cost, routes = borrowing.tree
    grown, rows = borrowing.grown, borrowing.rows
    n_layers, n = grown.cost.shape[1], grown.cost.shape[2]
    root = work.groups[n_groups - 1]
    mask = work.masks[subset]
    rest = mask & ~(1 << (n_groups - 1))
    for one in range(n_layers):
        if rest == 0:
            cost[subset, one] = 0
            routes[subset, one] = 0
            continue
        for v in range(n):
            if rest == mask:
                if grown.cost[rest, one, v] < cost[subset, one]:
                    cost[subset, one] = grown.cost[rest, one, v]
                    routes[subset, one] = grown.routes[rest, one, v]
                continue
            for other in range(n_layers - one):
                both = grown.cost[rest, one, v] + rows.cost[root, other, v]
                if both < cost[subset, one + other]:
                    cost[subset, one + other] = both
                    routes[subset, one + other] = grown.routes[rest, one, v] | rows.routes[root, other, v] << (
                        ROUTE_BITS * one
                    )


# -- costs ---------------------------------------------------------------------------------------------------------

UNREACHABLE: Final = 1 << 60
"""The cost of something impossible; three of them still add up within int64."""

TRAIN_SHIFT: Final = 44
"""A packed cost shifted right by this number of bits is its trains, or with `toll_first` its toll."""


def pack_cost(
    trains: int = 0, routes: int = 0, toll: int = 0, special: int = 0, owned: int = 0, *, toll_first: bool = False
) -> int:
    """
    Return the cost of a network as one number, which compares part by part in this order.

    `special` are tunnels and ferries among the routes to claim, which may need
    more cards; `owned` are routes it uses that are already owned. The toll has
    14 bits, all other parts 10; with `toll_first` it comes before the trains.

    >>> pack_cost(9, 2, 3, 1) < pack_cost(9, 3, 0, 0)
    True
    """
    first = (toll << 24) + (trains << 10) + routes if toll_first else (trains << 24) + (routes << 14) + toll
    return (first << 20) + (special << 10) + owned
