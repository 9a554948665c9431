"""
Cheapest networks that may borrow a few routes of others, compiled.

The dynamic programs of `steiner`, with one more dimension: how many routes are
borrowed at most. A tree that borrows two comes of two trees that borrow two and
none, one and one, or none and two. Beside each cost stands what it borrows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis.tickets.steiner import UNREACHABLE, Ends, Work, collect_groups, lowest_bit

LENT_BITS: Final = 8
"""Bits for each route borrowed: its place among those that can be, from 1. 0: none."""


class Costs(NamedTuple):
    """
    Packed costs by the number of routes borrowed at most, and which these are.

    Parameters
    ----------
    cost
        The costs; `UNREACHABLE` where there is no way.
    lent
        `LENT_BITS` for each route borrowed, those of `n` routes in the lowest
        `n` places.
    """

    cost: Ints
    lent: Ints


class Lending(NamedTuple):
    """
    Results of `solve_lending`.

    Parameters
    ----------
    distance
        Of paths between cities, shape (routes borrowed, cities, cities).
    rows
        Of paths from groups to cities, shape (groups, routes borrowed, cities).
    grown
        Of trees by set of groups, shape (sets, routes borrowed, cities).
    tree, forest
        Of one tree and of whole networks by set of tickets, shape (sets,
        routes borrowed).
    """

    distance: Costs
    rows: Costs
    grown: Costs
    tree: Costs
    forest: Costs


def make_lending(n_tickets: int, n_groups: int, n_stations: int, n: int) -> Lending:
    """Return the arrays for so many tickets with so many groups of cities, of `n`, and for so many routes borrowed."""

    def costs(*shape: int) -> Costs:
        return Costs(np.full(shape, UNREACHABLE, dtype=np.int64), np.zeros(shape, dtype=np.int64))

    layers = n_stations + 1
    return Lending(
        costs(layers, n, n),
        costs(n_groups, layers, n),
        costs(1 << max(0, n_groups - 1), layers, n),
        costs(1 << n_tickets, layers),
        costs(1 << n_tickets, layers),
    )


@compiled
def lend_paths(distance: Ints, lenders: Ints, price: int, lending: Lending) -> None:
    """
    Fill in `distance`: the cheapest paths that borrow at most so many routes.

    Parameters
    ----------
    distance
        Costs of paths between cities that borrow none.
    lenders
        Cities at the ends of each route that can be borrowed.
    price
        Packed cost of one that is.
    lending
        With room for them.
    """
    cost, lent = lending.distance
    n = len(distance)
    for a in range(n):
        for b in range(n):
            cost[0, a, b] = distance[a, b]
    for layer in range(1, len(cost)):
        for a in range(n):
            for b in range(n):
                cost[layer, a, b] = cost[layer - 1, a, b]
                lent[layer, a, b] = lent[layer - 1, a, b]
        for i in range(2 * len(lenders)):
            near = lenders[i // 2, i % 2]
            far = lenders[i // 2, 1 - i % 2]
            last = (i // 2 + 1) << (LENT_BITS * (layer - 1))
            for a in range(n):
                start = cost[layer - 1, a, near] + price
                for b in range(n):
                    if start + distance[far, b] < cost[layer, a, b]:
                        cost[layer, a, b] = start + distance[far, b]
                        lent[layer, a, b] = lent[layer - 1, a, near] | last


@compiled
def lend_rows(members: Ints, lending: Lending) -> None:
    """Fill in `rows`: the cheapest paths from each group of cities, of which 1 in `members` marks those of a group."""
    cost, lent = lending.rows
    n_groups, n_layers, n = cost.shape
    for g in range(n_groups):
        for layer in range(n_layers):
            for a in range(n):
                if members[g, a]:
                    for v in range(n):
                        if lending.distance.cost[layer, a, v] < cost[g, layer, v]:
                            cost[g, layer, v] = lending.distance.cost[layer, a, v]
                            lent[g, layer, v] = lending.distance.lent[layer, a, v]


@compiled
def grow_lending(n_groups: int, work: Work, lending: Lending) -> None:
    """Fill in `grown` for all sets of the first `n_groups` groups of `work`, as `steiner.grow_trees` does."""
    cost, lent = lending.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for mask in range(1, 1 << n_groups):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            group = work.groups[lowest_bit(mask)]
            for layer in range(n_layers):
                for v in range(n):
                    cost[mask, layer, v] = lending.rows.cost[group, layer, v]
                    lent[mask, layer, v] = lending.rows.lent[group, layer, v]
            continue
        part = rest
        while part:
            part = (part - 1) & rest
            for one in range(n_layers):
                for other in range(n_layers - one):
                    _merge(lending.grown, mask, low | part, one, rest ^ part, other)
        _lead_on(lending, mask)


@compiled
def _merge(grown: Costs, mask: int, first: int, one: int, second: int, other: int) -> None:
    """Let two smaller trees that borrow so many routes meet in each city."""
    cost, lent = grown
    for v in range(cost.shape[2]):
        both = cost[first, one, v] + cost[second, other, v]
        if both < cost[mask, one + other, v]:
            cost[mask, one + other, v] = both
            lent[mask, one + other, v] = lent[first, one, v] | lent[second, other, v] << (LENT_BITS * one)


@compiled
def _lead_on(lending: Lending, mask: int) -> None:
    """Let a path lead on from where trees of a set of groups meet, in place: two paths are never better than one."""
    cost, lent = lending.grown
    n_layers, n = cost.shape[1], cost.shape[2]
    for target in range(n_layers - 1, -1, -1):
        for one in range(target, -1, -1):
            for u in range(n):
                start = cost[mask, one, u]
                if start >= UNREACHABLE:
                    continue
                for v in range(n):
                    onward = start + lending.distance.cost[target - one, u, v]
                    if onward < cost[mask, target, v]:
                        cost[mask, target, v] = onward
                        lent[mask, target, v] = lent[mask, one, u] | lending.distance.lent[target - one, u, v] << (
                            LENT_BITS * one
                        )


@compiled
def solve_lending(ends: Ends, tickets: Ints, work: Work, lending: Lending) -> None:
    """
    Fill in `tree` and `forest`: the cheapest networks of every set of tickets that borrow at most so many routes.

    Parameters
    ----------
    ends, tickets
        The board and the tickets on it.
    work
        For so many tickets.
    lending
        With its `distance`.
    """
    forest = lending.forest
    n_layers = forest.cost.shape[1]
    n_groups = collect_groups(ends, tickets, len(tickets), work)
    lend_rows(ends.members, lending)
    grow_lending(n_groups - 1, work, lending)
    for layer in range(n_layers):
        forest.cost[0, layer] = 0
        forest.lent[0, layer] = 0
    for subset in range(1, 1 << len(tickets)):
        _plant(work, n_groups, subset, lending)
        low = subset & -subset
        others = subset ^ low
        part = others
        while True:
            for one in range(n_layers):
                for other in range(n_layers - one):
                    both = lending.tree.cost[low | part, one] + forest.cost[others ^ part, other]
                    if both < forest.cost[subset, one + other]:
                        forest.cost[subset, one + other] = both
                        forest.lent[subset, one + other] = lending.tree.lent[low | part, one] | forest.lent[
                            others ^ part, other
                        ] << (LENT_BITS * one)
            if part == 0:
                break
            part = (part - 1) & others


@compiled
def _plant(work: Work, n_groups: int, subset: int, lending: Lending) -> None:
    """Fill in the cheapest tree for a set of tickets, with the last group as its root if it touches that."""
    cost, lent = lending.tree
    grown, rows = lending.grown, lending.rows
    n_layers, n = grown.cost.shape[1], grown.cost.shape[2]
    root = work.groups[n_groups - 1]
    mask = work.masks[subset]
    rest = mask & ~(1 << (n_groups - 1))
    for one in range(n_layers):
        if rest == 0:
            cost[subset, one] = 0
            lent[subset, one] = 0
            continue
        for v in range(n):
            if rest == mask:
                if grown.cost[rest, one, v] < cost[subset, one]:
                    cost[subset, one] = grown.cost[rest, one, v]
                    lent[subset, one] = grown.lent[rest, one, v]
                continue
            for other in range(n_layers - one):
                both = grown.cost[rest, one, v] + rows.cost[root, other, v]
                if both < cost[subset, one + other]:
                    cost[subset, one + other] = both
                    lent[subset, one + other] = grown.lent[rest, one, v] | rows.lent[root, other, v] << (
                        LENT_BITS * one
                    )
