"""
The cheapest network for a set of tickets: an exact group Steiner forest, compiled.

Cities are 0 to n - 1. A ticket joins two *groups* of cities, any city of the
one to any of the other: groups hold one city each, or all border points of
the countries on a ticket.

Costs are packed into one integer, so that the fewest trains come first, then
the fewest routes still to claim, then the lowest toll: see `packed_cost`.

References
----------
Dreyfus, S. E. and Wagner, R. A. "The Steiner problem in graphs", Networks 1,
195-207, 1971.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled

Ints = npt.NDArray[np.int64]

OPEN, CLOSED, OWNED = 0, 1, 2
"""What a route is to the player who asks."""

UNREACHABLE = 1 << 60
"""A cost beyond that of any network; two of them still fit in an int64."""

_TRAINS, _ROUTES, _TOLL = 40, 30, 12


@compiled
def packed_cost(length: int, toll: int, special: int, track: int) -> int:
    """
    Return the cost of claiming a route, to be added up and compared.

    Parameters
    ----------
    length, toll
        Trains and tokens.
    special
        1 for a tunnel or ferry, which asks for more than its length in cards.
    track
        0 or 1.

    Examples
    --------
    Fewer trains go before everything else:

    >>> bool(packed_cost(3, 0, 0, 0) < packed_cost(4, 0, 0, 0) < packed_cost(4, 1, 0, 0))
    True
    """
    return (length << _TRAINS) + (1 << _ROUTES) + (toll << _TOLL) + 2 * special + track


@compiled
def trains_of(cost: int) -> int:
    """
    Return the trains in a packed cost; -1 if nothing can be built.

    Examples
    --------
    >>> int(trains_of(packed_cost(3, 2, 1, 0) + packed_cost(4, 1, 0, 1)))
    7
    """
    return -1 if cost >= UNREACHABLE else cost >> _TRAINS


@compiled
def best_tracks(n: int, ends: Ints, cost: Ints, status: Ints) -> tuple[Ints, Ints]:
    """
    Return the cheapest usable track between each two cities.

    Parameters
    ----------
    n
        Number of cities.
    ends, cost, status
        Of each route: its two cities, its packed cost, and `OPEN`, `CLOSED`
        or `OWNED` (which costs nothing).

    Returns
    -------
    between, track
        Packed cost and route for each two cities: `UNREACHABLE` and -1 where
        there is none.
    """
    between = np.full((n, n), UNREACHABLE, dtype=np.int64)
    track = np.full((n, n), -1, dtype=np.int64)
    for route in range(len(cost)):
        if status[route] == CLOSED:
            continue
        a, b = ends[route, 0], ends[route, 1]
        c = 0 if status[route] == OWNED else cost[route]
        if c < between[a, b]:
            between[a, b] = between[b, a] = c
            track[a, b] = track[b, a] = route
    return between, track


@compiled
def all_distances(between: Ints) -> tuple[Ints, Ints]:
    """
    Return all cheapest paths (Floyd and Warshall).

    Returns
    -------
    distance, step
        Packed cost from each city to each other, and the first city on the
        way.
    """
    n = len(between)
    distance = between.copy()
    step = np.zeros((n, n), dtype=np.int64)
    for a in range(n):
        distance[a, a] = 0
        for b in range(n):
            step[a, b] = b
    for via in range(n):
        for a in range(n):
            to_via = distance[a, via]
            if to_via >= UNREACHABLE:
                continue
            for b in range(n):
                around = to_via + distance[via, b]
                if around < distance[a, b]:
                    distance[a, b] = around
                    step[a, b] = step[a, via]
    return distance, step


@compiled
def tree_costs(distance: Ints, groups: Ints, n_groups: int, trees: Ints) -> None:
    """
    Fill in the cheapest tree that joins each set of groups and ends at each city.

    Parameters
    ----------
    distance
        From `all_distances`.
    groups
        1 where a group holds a city, shape (at least `n_groups`, cities).
    n_groups
        Number of groups in use.
    trees
        Shape (at least 2 ** n_groups, cities): `trees[set, city]` becomes the
        packed cost.
    """
    n = len(distance)
    joined = np.empty(n, dtype=np.int64)
    for groups_in in range(1, 1 << n_groups):
        for city in range(n):
            joined[city] = UNREACHABLE
        low = groups_in & -groups_in
        if groups_in == low:
            group = 0
            while 1 << group != low:
                group += 1
            for city in range(n):
                if groups[group, city]:
                    joined[city] = 0
        else:
            # Each split is met once: the part with the lowest group is the first one.
            rest = groups_in ^ low
            part = (rest - 1) & rest
            while True:
                first, second = trees[part | low], trees[rest ^ part]
                for city in range(n):
                    both = first[city] + second[city]
                    if both < joined[city]:
                        joined[city] = both
                if part == 0:
                    break
                part = (part - 1) & rest
        cheapest = trees[groups_in]
        for city in range(n):
            cheapest[city] = joined[city]
        for via in range(n):
            if joined[via] >= UNREACHABLE:
                continue
            for city in range(n):
                onward = joined[via] + distance[via, city]
                if onward < cheapest[city]:
                    cheapest[city] = onward


@compiled
def forest_costs(trees: Ints, ticket_groups: Ints, n_tickets: int, forests: Ints, blocks: Ints) -> None:
    """
    Fill in the cheapest forest for each subset of tickets.

    Parameters
    ----------
    trees
        From `tree_costs`.
    ticket_groups
        The groups that each ticket joins, as a bit mask.
    n_tickets
        Number of tickets in use.
    forests, blocks
        Length at least 2 ** n_tickets. `forests[subset]` becomes the packed
        cost, `blocks[subset]` the tickets in the tree of its lowest ticket.
    """
    n = trees.shape[1]
    forests[0] = 0
    blocks[0] = 0
    tree = np.empty(1 << n_tickets, dtype=np.int64)
    for subset in range(1, 1 << n_tickets):
        groups_in = 0
        for ticket in range(n_tickets):
            if subset >> ticket & 1:
                groups_in |= ticket_groups[ticket]
        tree[subset] = UNREACHABLE
        for city in range(n):
            tree[subset] = min(tree[subset], trees[groups_in, city])
        low = subset & -subset
        rest = subset ^ low
        forests[subset] = tree[subset]
        blocks[subset] = subset
        others = (rest - 1) & rest
        while rest:
            block = others | low
            cost = tree[block] + forests[subset ^ block]
            if cost < forests[subset]:
                forests[subset] = cost
                blocks[subset] = block
            if others == 0:
                break
            others = (others - 1) & rest
        forests[subset] = min(forests[subset], UNREACHABLE)


@compiled
def mark_path(a: int, b: int, step: Ints, track: Ints, used: Ints) -> None:
    """Set `used` to 1 for each route on the cheapest path between two cities."""
    while a != b:
        onward = step[a, b]
        used[track[a, onward]] = 1
        a = onward


@compiled
def mark_tree(groups_in: int, distance: Ints, step: Ints, track: Ints, groups: Ints, trees: Ints, used: Ints) -> None:
    """
    Set `used` to 1 for each route of the cheapest tree that joins a set of groups.

    Parameters
    ----------
    groups_in
        The groups, as a bit mask.
    distance, step, track, groups, trees
        As filled in by the functions above.
    used
        Of each route.
    """
    n = len(distance)
    todo = [(groups_in, int(np.argmin(trees[groups_in])))]
    while todo:
        part, end = todo.pop()
        cost = trees[part, end]
        low = part & -part
        rest = part ^ low
        found = False
        for via in range(n):
            onward = distance[via, end]
            if onward > cost:
                continue
            if rest == 0:
                group = 0
                while 1 << group != low:
                    group += 1
                found = groups[group, via] == 1 and onward == cost
            else:
                other = (rest - 1) & rest
                while True:
                    if trees[other | low, via] + trees[rest ^ other, via] + onward == cost:
                        todo.append((other | low, via))
                        todo.append((rest ^ other, via))
                        found = True
                        break
                    if other == 0:
                        break
                    other = (other - 1) & rest
            if found:
                mark_path(via, end, step, track, used)
                break


@compiled
def solve_set(distance: Ints, group_cities: Ints, ticket_ends: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """
    Return the cheapest forests for all subsets of a set of tickets.

    Parameters
    ----------
    distance
        From `all_distances`.
    group_cities
        1 where a group holds a city, shape (groups, cities).
    ticket_ends
        The two groups of each ticket, shape (tickets, 2).

    Returns
    -------
    forests, blocks, trees, groups, ticket_groups
        As described at the functions that fill them in; `groups` are the
        groups in use, in the order of the bits.
    """
    n_tickets = len(ticket_ends)
    n = len(distance)
    index = np.full(len(group_cities), -1, dtype=np.int64)
    ticket_groups = np.zeros(n_tickets, dtype=np.int64)
    n_groups = 0
    for ticket in range(n_tickets):
        for end in range(2):
            group = ticket_ends[ticket, end]
            if index[group] < 0:
                index[group] = n_groups
                n_groups += 1
            ticket_groups[ticket] |= 1 << index[group]
    groups = np.zeros((n_groups, n), dtype=np.int64)
    for group in range(len(group_cities)):
        if index[group] >= 0:
            groups[index[group]] = group_cities[group]
    trees = np.full((1 << n_groups, n), UNREACHABLE, dtype=np.int64)
    tree_costs(distance, groups, n_groups, trees)
    forests = np.empty(1 << n_tickets, dtype=np.int64)
    blocks = np.empty(1 << n_tickets, dtype=np.int64)
    forest_costs(trees, ticket_groups, n_tickets, forests, blocks)
    return forests, blocks, trees, groups, ticket_groups


@compiled
def solve_many(distance: Ints, group_cities: Ints, ticket_ends: Ints, sets: Ints) -> Ints:
    """
    Return the packed cost of many sets of tickets.

    Parameters
    ----------
    distance, group_cities, ticket_ends
        As in `solve_set`, for all tickets there are.
    sets
        The tickets of each set, shape (sets, most tickets); -1 fills up.
    """
    costs = np.empty(len(sets), dtype=np.int64)
    for i in range(len(sets)):
        n_tickets = 0
        while n_tickets < sets.shape[1] and sets[i, n_tickets] >= 0:
            n_tickets += 1
        ends = np.empty((n_tickets, 2), dtype=np.int64)
        for j in range(n_tickets):
            ends[j] = ticket_ends[sets[i, j]]
        forests = solve_set(distance, group_cities, ends)[0]
        costs[i] = forests[(1 << n_tickets) - 1]
    return costs


@compiled
def solve_subsets(distance: Ints, group_cities: Ints, ticket_ends: Ints, sets: Ints) -> Ints:
    """
    Return the packed cost of every subset of many sets of equally many tickets.

    Parameters
    ----------
    distance, group_cities, ticket_ends
        As in `solve_set`, for all tickets there are.
    sets
        The tickets of each set, shape (sets, tickets).

    Returns
    -------
    costs
        Shape (sets, 2 ** tickets): bit j of the column is ticket j of the set.
    """
    n_tickets = sets.shape[1]
    costs = np.empty((len(sets), 1 << n_tickets), dtype=np.int64)
    ends = np.empty((n_tickets, 2), dtype=np.int64)
    for i in range(len(sets)):
        for j in range(n_tickets):
            ends[j] = ticket_ends[sets[i, j]]
        costs[i] = solve_set(distance, group_cities, ends)[0]
    return costs


@compiled
def forest_routes(
    distance: Ints, step: Ints, track: Ints, group_cities: Ints, ticket_ends: Ints, n_routes: int
) -> tuple[int, Ints]:
    """
    Return the cheapest forest for a set of tickets.

    Parameters
    ----------
    distance, step, track
        From `all_distances` and `best_tracks`.
    group_cities, ticket_ends
        As in `solve_set`.
    n_routes
        Number of routes of the map.

    Returns
    -------
    cost, used
        Its packed cost, and 1 for each route in it (owned ones too).
    """
    forests, blocks, trees, groups, ticket_groups = solve_set(distance, group_cities, ticket_ends)
    used = np.zeros(n_routes, dtype=np.int64)
    left = len(forests) - 1
    cost = forests[left]
    if cost >= UNREACHABLE:
        return cost, used
    while left:
        block = blocks[left]
        groups_in = 0
        for ticket in range(len(ticket_ends)):
            if block >> ticket & 1:
                groups_in |= ticket_groups[ticket]
        mark_tree(groups_in, distance, step, track, groups, trees, used)
        left ^= block
    return cost, used
