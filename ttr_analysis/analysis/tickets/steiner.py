"""
The exact Steiner forest, compiled: what joins the ends of some tickets at the lowest cost.

A ticket joins two *groups* of cities: it is complete when some city of the one
and some city of the other lie in one connected network. (A city is a group of
one; a country is the group of its border points.) The cheapest network of
several tickets is a forest: each of its trees touches both groups of every
ticket that it completes. Trees come from the algorithm of Dreyfus and Wagner
[1]_, started from groups instead of cities; the best split of the tickets
among trees from a second dynamic program, over sets of tickets. Both give the
cost of every subset of the tickets on the way.

Costs are positive int64 numbers, packed so that comparing them compares
trains, then routes, then tolls, and so on (see `PackedCost`). Sets of groups
and of tickets are bit masks.

References
----------
.. [1] Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs".
   Networks 1 (1971), 195-207.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Flags, Ints
from ttr_analysis._compile import compiled

MAX_TICKETS: Final = 7
"""Tickets that one network is computed for: 14 groups of cities at most."""


class Board(NamedTuple):
    """
    A map with some routes closed and some owned.

    Parameters
    ----------
    weight, track
        Packed cost and number of the cheapest track between each two cities,
        as `choose_tracks` fills them in.
    distance
        Packed cost of the cheapest path between each two cities, as
        `all_distances` fills it in.
    """

    weight: Ints
    track: Ints
    distance: Ints


class Ends(NamedTuple):
    """
    The ends of tickets on a board.

    Parameters
    ----------
    members
        1 where a group has a city, shape (groups, cities).
    rows
        Cost of the cheapest path from each group to each city, as
        `group_distances` fills it in; of the same shape.
    pairs
        The two groups of each ticket.
    """

    members: Ints
    rows: Ints
    pairs: Ints


class Work(NamedTuple):
    """
    Results of `solve_subsets`, in arrays that are used again.

    Parameters
    ----------
    groups
        The groups of the tickets in question, each once.
    masks
        The set of groups of each set of tickets.
    grown
        Cost of the cheapest tree that touches a set of groups and a city:
        `grown[mask, city]`.
    tree, forest
        Cost of the cheapest tree, and of the cheapest network, for each set
        of tickets; `UNREACHABLE` if there is none.
    """

    groups: Ints
    masks: Ints
    grown: Ints
    tree: Ints
    forest: Ints


@compiled
def choose_tracks(ends: Ints, cost: Ints, order: Ints, weight: Ints, track: Ints) -> None:
    """
    Fill in the cheapest track between each two cities.

    Parameters
    ----------
    ends, cost
        Cities at the ends of each route, and its packed cost, `UNREACHABLE`
        if it is closed.
    order
        All routes; of equal tracks the one that comes first is chosen.
    weight
        Filled with the cost of the chosen track; `UNREACHABLE` if there is
        none.
    track
        Filled with the number of the chosen route, or -1.
    """
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
    """
    Fill in the cost of the cheapest path between each two cities (Floyd and Warshall).

    Parameters
    ----------
    weight
        Cost of the track between two cities, or `UNREACHABLE`.
    distance
        Filled with costs of paths.
    """
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
    """
    Fill in the cost of the cheapest path from each group to each city.

    Parameters
    ----------
    distance
        Costs of paths between cities.
    members
        1 where a group has a city, shape (groups, cities).
    rows
        Filled with the costs, of the same shape.
    """
    rows.fill(UNREACHABLE)
    n_groups, n = members.shape
    for g in range(n_groups):
        for a in range(n):
            if members[g, a]:
                for v in range(n):
                    rows[g, v] = min(rows[g, v], distance[a, v])


def make_work(n_tickets: int, n: int) -> Work:
    """Return the arrays for sets of up to so many tickets, one or more, on a board of `n` cities."""
    return Work(
        np.empty(2 * n_tickets, dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
        np.empty((1 << (2 * n_tickets - 1), n), dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
        np.empty(1 << n_tickets, dtype=np.int64),
    )


@compiled
def collect_groups(ends: Ends, tickets: Ints, n_tickets: int, work: Work) -> int:
    """
    Fill in the groups of some tickets, each once and in rising order, and the `masks`.

    Returns
    -------
    n_groups
        Number of different groups.
    """
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
    """
    Fill in `grown` for all sets of the first `n_groups` groups.

    Parameters
    ----------
    distance, rows
        Costs of paths between cities, and from groups to cities.
    n_groups
        Number of groups.
    work
        With its `groups`.
    """
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
        # And a path leads on from there.
        cheapest = grown[mask]
        for v in range(n):
            cheapest[v] = merged[v]
        for u in range(n):
            start = merged[u]
            if cheapest[u] < start or start >= UNREACHABLE:
                continue  # a path from another city passes here, and goes on from that one
            for v in range(n):
                onward = start + distance[u, v]
                cheapest[v] = min(cheapest[v], onward)


@compiled
def lowest_bit(mask: int) -> int:
    """
    Return the position of the lowest bit that is set.

    Examples
    --------
    >>> int(lowest_bit(12))
    2
    """
    bit = 0
    while not mask >> bit & 1:
        bit += 1
    return bit


@compiled
def solve_subsets(distance: Ints, ends: Ends, tickets: Ints, n_tickets: int, work: Work) -> int:
    """
    Fill in the cheapest network of every subset of some tickets.

    Parameters
    ----------
    distance, ends
        The board and the tickets on it.
    tickets, n_tickets
        The first `n_tickets` of these are meant; bit i of a set of tickets
        is the one at position i.
    work
        Filled. The last group is the root of the trees that touch it, so that
        `grown` has no sets with it.

    Returns
    -------
    n_groups
        Number of different groups.
    """
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
    """
    Return the cost of the cheapest network: the tree that completes the first ticket, and the best for those it leaves.

    Parameters
    ----------
    tree
        Cost of the cheapest tree for each set of tickets, up to this one.
    forest
        Cost of the cheapest network for each set before this one.
    tickets
        The set of tickets, not empty.
    """
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
    """Return which tickets the first tree of the cheapest network completes: the first choice that gives its cost."""
    low = tickets & -tickets
    others = tickets ^ low
    part = others
    while tree[low | part] + forest[others ^ part] != forest[tickets]:
        part = (part - 1) & others
    return low | part


@compiled
def count_tickets(tickets: Ints) -> int:
    """Return how many tickets stand before the first -1."""
    n_tickets = 0
    while n_tickets < len(tickets) and tickets[n_tickets] >= 0:
        n_tickets += 1
    return n_tickets


@compiled
def batch_costs(distance: Ints, ends: Ends, sets: Ints, work: Work, costs: Ints) -> None:
    """
    Fill in what the cheapest networks of many sets of tickets cost.

    Parameters
    ----------
    distance, ends
        The board and the tickets on it.
    sets
        Tickets, one set a line; -1 fills up a line.
    work
        For sets of so many tickets.
    costs
        Filled with packed costs: `costs[i, mask]` for the tickets of line `i`
        whose bits are set in `mask`. Or, if it has one column only, the cost
        of each whole set.
    """
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
    """
    Fill in the cheapest networks of many sets of tickets.

    Parameters
    ----------
    board, ends
        The board and the tickets on it.
    sets
        Tickets, one set a line; -1 fills up a line.
    work
        For sets of so many tickets.
    costs
        Filled with the packed cost of each set, `UNREACHABLE` if there is no
        network.
    used
        Filled with 1 where the network of a set uses a route, owned ones
        included; shape (sets, routes).
    """
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
    """Mark the routes of the tree behind `grown[groups, city]`."""
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
    """Return the first city of a group among those nearest to `city`."""
    v = 0
    while not ends.members[group, v] or board.distance[v, city] != ends.rows[group, city]:
        v += 1
    return v


@compiled
def _mark_path(board: Board, a: int, b: int, used: Flags) -> None:
    """Mark the tracks of a cheapest path; costs are positive, so it comes to an end."""
    while a != b:
        v = 0
        while v == a or board.weight[a, v] + board.distance[v, b] != board.distance[a, b]:
            v += 1
        used[board.track[a, v]] = 1
        a = v


# -- what a network costs ------------------------------------------------------------------------------------------

UNREACHABLE: Final = 1 << 60
"""The cost of what cannot be done; three of them still add up within int64."""

_OWNED_BITS: Final = 10
_SPECIAL_BITS: Final = 10
_TOLL_BITS: Final = 14
_ROUTE_BITS: Final = 10
_SPECIAL_SHIFT: Final = _OWNED_BITS
_TOLL_SHIFT: Final = _SPECIAL_SHIFT + _SPECIAL_BITS
_ROUTE_SHIFT: Final = _TOLL_SHIFT + _TOLL_BITS
TRAIN_SHIFT: Final = _ROUTE_SHIFT + _ROUTE_BITS
"""A packed cost shifted right by so many bits is its trains."""


class PackedCost(NamedTuple):
    """
    What a network costs, in the order in which costs are compared.

    Parameters
    ----------
    trains
        Trains still to place.
    routes
        Routes still to claim.
    toll
        Tokens for them.
    special
        Tunnels and ferries among them, which may need more cards.
    owned
        Routes already owned that the network uses.

    Examples
    --------
    >>> PackedCost.unpack(PackedCost(9, 2, 3, 1, 0).pack())
    PackedCost(trains=9, routes=2, toll=3, special=1, owned=0)
    >>> PackedCost(9, 2, 3, 1, 0).pack() < PackedCost(9, 3, 0, 0, 0).pack()
    True
    """

    trains: int
    routes: int
    toll: int
    special: int
    owned: int

    def pack(self) -> int:
        """Return the cost as one number."""
        return (
            (self.trains << TRAIN_SHIFT)
            + (self.routes << _ROUTE_SHIFT)
            + (self.toll << _TOLL_SHIFT)
            + (self.special << _SPECIAL_SHIFT)
            + self.owned
        )

    def pack_toll_first(self) -> int:
        """
        Return the cost as one number that compares tokens first, then trains, routes, and so on.

        Examples
        --------
        >>> PackedCost(9, 2, 3, 1, 0).pack_toll_first() < PackedCost(5, 1, 4, 0, 0).pack_toll_first()
        True
        >>> PackedCost(9, 2, 3, 1, 0).pack_toll_first() < PackedCost(8, 3, 3, 1, 0).pack_toll_first()
        False
        """
        return (
            (self.toll << TRAIN_SHIFT)
            + (self.trains << _TOLL_SHIFT + _ROUTE_BITS)
            + (self.routes << _TOLL_SHIFT)
            + (self.special << _SPECIAL_SHIFT)
            + self.owned
        )

    @classmethod
    def unpack(cls, cost: int) -> PackedCost:
        """Return the parts of a packed cost."""
        return cls(
            trains=cost >> TRAIN_SHIFT,
            routes=(cost >> _ROUTE_SHIFT) & ((1 << _ROUTE_BITS) - 1),
            toll=(cost >> _TOLL_SHIFT) & ((1 << _TOLL_BITS) - 1),
            special=(cost >> _SPECIAL_SHIFT) & ((1 << _SPECIAL_BITS) - 1),
            owned=cost & ((1 << _OWNED_BITS) - 1),
        )
