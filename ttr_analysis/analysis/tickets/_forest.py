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
import numpy.typing as npt

from ttr_analysis._jit import compiled

Ints = npt.NDArray[np.int64]

UNREACHABLE: Final = 1 << 60
"""The cost of what cannot be done; three of them still add up within int64."""

MAX_TICKETS: Final = 7
"""Tickets that one network is computed for: 14 groups of cities at most."""

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
        Tunnels and ferries among them, which may want more cards.
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


@compiled
def choose_tracks(ends: Ints, cost: Ints, weight: Ints, track: Ints) -> None:
    """
    Fill in the cheapest track between each two cities.

    Parameters
    ----------
    ends, cost
        Cities at the ends of each route, and its packed cost;
        `UNREACHABLE` if it is closed. The first of equal routes is chosen.
    weight
        Filled with the cost of the chosen track; `UNREACHABLE` if there is
        none.
    track
        Filled with the position of the chosen route in `ends`, or -1.
    """
    weight[:] = UNREACHABLE
    track[:] = -1
    for r in range(len(cost)):
        a, b = ends[r, 0], ends[r, 1]
        if cost[r] < weight[a, b]:
            weight[a, b] = weight[b, a] = cost[r]
            track[a, b] = track[b, a] = r


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
    distance[:] = weight
    for v in range(n):
        distance[v, v] = 0
    for m in range(n):
        for a in range(n):
            to_m = distance[a, m]
            if to_m >= UNREACHABLE:
                continue
            for b in range(n):
                through = to_m + distance[m, b]
                if through < distance[a, b]:
                    distance[a, b] = through


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
    rows[:] = UNREACHABLE
    n_groups, n = members.shape
    for g in range(n_groups):
        for a in range(n):
            if members[g, a]:
                for v in range(n):
                    if distance[a, v] < rows[g, v]:
                        rows[g, v] = distance[a, v]


@compiled
def grow_trees(distance: Ints, rows: Ints, groups: Ints, n_groups: int, grown: Ints) -> None:
    """
    Fill in the cost of the cheapest tree that touches a set of groups and a city.

    Parameters
    ----------
    distance, rows
        Costs of paths between cities, and from groups to cities.
    groups, n_groups
        Rows of the groups in question: the first `n_groups`.
    grown
        Filled for each non-empty set of groups: `grown[mask, city]`.
    """
    n = len(distance)
    merged = np.empty(n, dtype=np.int64)
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            g = 0
            while 1 << g != low:
                g += 1
            for v in range(n):
                grown[mask, v] = rows[groups[g], v]
            continue
        for v in range(n):
            merged[v] = UNREACHABLE
        # Two smaller trees meet in a city; the part with the lowest group is `low | part`.
        part = rest
        while part:
            part = (part - 1) & rest
            one = low | part
            other = mask ^ one
            for v in range(n):
                both = grown[one, v] + grown[other, v]
                if both < merged[v]:
                    merged[v] = both
        # And a path leads on from there.
        for v in range(n):
            grown[mask, v] = merged[v]
        for u in range(n):
            start = merged[u]
            if grown[mask, u] < start or start >= UNREACHABLE:
                continue  # a path from another city passes here: it was extended, or will be
            for v in range(n):
                on = start + distance[u, v]
                if on < grown[mask, v]:
                    grown[mask, v] = on


@compiled
def collect_groups(pairs: Ints, n_tickets: int, groups: Ints, masks: Ints) -> int:
    """
    Number the groups of some tickets, each once.

    Parameters
    ----------
    pairs, n_tickets
        The two groups of each ticket; the first `n_tickets` rows count.
    groups
        Filled with the groups, in rising order.
    masks
        Filled with the set of groups of each set of tickets.

    Returns
    -------
    n_groups
        Number of different groups.
    """
    n_groups = 0
    for t in range(n_tickets):
        for end in range(2):
            group = pairs[t, end]
            at = n_groups
            while at > 0 and groups[at - 1] > group:
                at -= 1
            if at > 0 and groups[at - 1] == group:
                continue
            for i in range(n_groups, at, -1):
                groups[i] = groups[i - 1]
            groups[at] = group
            n_groups += 1
    masks[0] = 0
    for t in range(n_tickets):
        bits = 0
        for g in range(n_groups):
            if groups[g] in (pairs[t, 0], pairs[t, 1]):
                bits |= 1 << g
        for subset in range(1 << t):
            masks[1 << t | subset] = masks[subset] | bits
    return n_groups


@compiled
def subset_costs(
    distance: Ints,
    rows: Ints,
    pairs: Ints,
    n_tickets: int,
    groups: Ints,
    masks: Ints,
    grown: Ints,
    tree: Ints,
    forest: Ints,
) -> int:
    """
    Fill in the cost of the cheapest network of every subset of some tickets.

    Parameters
    ----------
    distance, rows
        Costs of paths between cities, and from groups to cities.
    pairs, n_tickets
        The two groups of each ticket, as rows of `rows`.
    groups, masks, grown
        Filled as by `collect_groups` and `grow_trees`. The last group is the
        root of the trees that hold it: `grown` has no sets with it.
    tree
        Filled with the cost of one tree for each set of tickets.
    forest
        Filled with the cost of the cheapest network for each set of tickets,
        `UNREACHABLE` if there is none.

    Returns
    -------
    n_groups
        Number of different groups.
    """
    n = len(distance)
    n_groups = collect_groups(pairs, n_tickets, groups, masks)
    n_grown = n_groups - 1
    grow_trees(distance, rows, groups, n_grown, grown)
    root = groups[n_groups - 1]
    tree[0] = 0
    forest[0] = 0
    for subset in range(1, 1 << n_tickets):
        mask = masks[subset]
        rest = mask & ((1 << n_grown) - 1)
        cost = UNREACHABLE
        if rest == 0:
            cost = 0
        elif rest == mask:
            for v in range(n):
                cost = min(cost, grown[rest, v])
        else:
            for v in range(n):
                cost = min(cost, grown[rest, v] + rows[root, v])
        tree[subset] = cost
        # The tree that holds the first ticket, and the best network of the others.
        low = subset & -subset
        others = subset ^ low
        part = others
        while part:
            part = (part - 1) & others
            cost = min(cost, tree[low | part] + forest[others ^ part])
        forest[subset] = cost
    return n_groups


@compiled
def batch_costs(distance: Ints, rows: Ints, pairs: Ints, sets: Ints, costs: Ints) -> None:
    """
    Fill in the cost of the cheapest network of every subset of many sets of tickets.

    Parameters
    ----------
    distance, rows
        Costs of paths between cities, and from groups to cities.
    pairs
        The two groups of each ticket, as rows of `rows`.
    sets
        Positions of tickets in `pairs`, one set a line.
    costs
        Filled with packed costs: `costs[i, mask]` for the tickets of line `i`
        whose bits are set in `mask`. Or, if it has one column only, the cost
        of each whole set.
    """
    n_sets, n_tickets = sets.shape
    n_masks = 1 << n_tickets
    groups = np.empty(2 * n_tickets, dtype=np.int64)
    masks = np.empty(n_masks, dtype=np.int64)
    grown = np.empty((1 << (2 * n_tickets - 1), len(distance)), dtype=np.int64)
    tree = np.empty(n_masks, dtype=np.int64)
    forest = np.empty(n_masks, dtype=np.int64)
    chosen = np.empty((n_tickets, 2), dtype=np.int64)
    for i in range(n_sets):
        for t in range(n_tickets):
            chosen[t, 0] = pairs[sets[i, t], 0]
            chosen[t, 1] = pairs[sets[i, t], 1]
        subset_costs(distance, rows, chosen, n_tickets, groups, masks, grown, tree, forest)
        if costs.shape[1] == 1:
            costs[i, 0] = forest[n_masks - 1]
        else:
            for mask in range(n_masks):
                costs[i, mask] = forest[mask]


@compiled
def batch_networks(
    distance: Ints,
    weight: Ints,
    track: Ints,
    rows: Ints,
    members: Ints,
    pairs: Ints,
    sets: Ints,
    costs: Ints,
    used: npt.NDArray[np.int8],
) -> None:
    """
    Fill in the cheapest network of many sets of tickets.

    Parameters
    ----------
    distance, weight, track, rows, members
        The map, as the functions above fill it in.
    pairs
        The two groups of each ticket, as rows of `rows`.
    sets
        Positions of tickets in `pairs`, one set a line.
    costs
        Filled with the packed cost of each set, `UNREACHABLE` if there is no
        network.
    used
        Filled with 1 where the network of a set uses a route, shape
        (sets, routes).
    """
    n_sets, n_tickets = sets.shape
    n_masks = 1 << n_tickets
    groups = np.empty(2 * n_tickets, dtype=np.int64)
    masks = np.empty(n_masks, dtype=np.int64)
    grown = np.empty((1 << (2 * n_tickets - 1), len(distance)), dtype=np.int64)
    tree = np.empty(n_masks, dtype=np.int64)
    forest = np.empty(n_masks, dtype=np.int64)
    chosen = np.empty((n_tickets, 2), dtype=np.int64)
    used[:] = 0
    for i in range(n_sets):
        for t in range(n_tickets):
            chosen[t, 0] = pairs[sets[i, t], 0]
            chosen[t, 1] = pairs[sets[i, t], 1]
        n_groups = subset_costs(distance, rows, chosen, n_tickets, groups, masks, grown, tree, forest)
        costs[i] = forest[n_masks - 1]
        if costs[i] < UNREACHABLE:
            _mark_forest(distance, weight, track, rows, members, groups, n_groups, masks, grown, tree, forest, used[i])


@compiled
def _mark_forest(
    distance: Ints,
    weight: Ints,
    track: Ints,
    rows: Ints,
    members: Ints,
    groups: Ints,
    n_groups: int,
    masks: Ints,
    grown: Ints,
    tree: Ints,
    forest: Ints,
    used: npt.NDArray[np.int8],
) -> None:
    """Mark the routes of the cheapest network, found again from the costs: the first choice that gives each."""
    n = len(distance)
    n_grown = n_groups - 1
    root = groups[n_groups - 1]
    left = len(tree) - 1
    while left:
        low = left & -left
        others = left ^ low
        part = others
        while tree[low | part] + forest[others ^ part] != forest[left]:
            part = (part - 1) & others
        subset = low | part
        left ^= subset
        mask = masks[subset]
        rest = mask & ((1 << n_grown) - 1)
        if rest == 0:
            continue
        v = 0
        if rest == mask:
            while grown[rest, v] != tree[subset]:
                v += 1
        else:
            while grown[rest, v] + rows[root, v] != tree[subset]:
                v += 1
            _mark_path(distance, weight, track, v, _nearest_member(distance, rows, members, root, v), used)
        _mark_tree(distance, weight, track, rows, members, groups, grown, rest, v, n, used)


@compiled
def _mark_tree(
    distance: Ints,
    weight: Ints,
    track: Ints,
    rows: Ints,
    members: Ints,
    groups: Ints,
    grown: Ints,
    mask: int,
    city: int,
    n: int,
    used: npt.NDArray[np.int8],
) -> None:
    """Mark the routes of the tree behind `grown[mask, city]`."""
    todo = np.empty((2 * len(groups) + 2, 2), dtype=np.int64)
    todo[0, 0] = mask
    todo[0, 1] = city
    n_todo = 1
    while n_todo:
        n_todo -= 1
        mask = todo[n_todo, 0]
        v = todo[n_todo, 1]
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            g = 0
            while 1 << g != low:
                g += 1
            _mark_path(distance, weight, track, v, _nearest_member(distance, rows, members, groups[g], v), used)
            continue
        for u in range(n):
            part = rest
            found = False
            while part and not found:
                part = (part - 1) & rest
                one = low | part
                found = grown[one, u] + grown[mask ^ one, u] + distance[u, v] == grown[mask, v]
            if found:
                _mark_path(distance, weight, track, v, u, used)
                todo[n_todo, 0] = low | part
                todo[n_todo, 1] = u
                todo[n_todo + 1, 0] = rest ^ part
                todo[n_todo + 1, 1] = u
                n_todo += 2
                break


@compiled
def _nearest_member(distance: Ints, rows: Ints, members: Ints, group: int, city: int) -> int:
    """Return the first city of a group among those nearest to `city`."""
    v = 0
    while not members[group, v] or distance[v, city] != rows[group, city]:
        v += 1
    return v


@compiled
def _mark_path(distance: Ints, weight: Ints, track: Ints, a: int, b: int, used: npt.NDArray[np.int8]) -> None:
    """Mark the tracks of a cheapest path."""
    while a != b:
        v = 0
        while v == a or weight[a, v] + distance[v, b] != distance[a, b]:
            v += 1
        used[track[a, v]] = 1
        a = v


@compiled
def joined_cities(ends: Ints, routes: Ints, label: Ints) -> None:
    """
    Fill in which cities a set of routes connects.

    Parameters
    ----------
    ends
        Cities at the ends of each route.
    routes
        1 for each route of the set.
    label
        Filled with the lowest city that each city is connected to.
    """
    for v in range(len(label)):
        label[v] = v
    changed = True
    while changed:
        changed = False
        for r in range(len(routes)):
            if routes[r]:
                a, b = label[ends[r, 0]], label[ends[r, 1]]
                if a != b:
                    low = min(a, b)
                    label[ends[r, 0]] = label[ends[r, 1]] = low
                    changed = True
