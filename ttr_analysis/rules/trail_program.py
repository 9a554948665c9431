"""
The longest trail of an entangled set of routes, by dynamic programming.

A set of routes is one trail exactly if it is connected and at most two cities
touch an odd number of its routes (Euler). So the longest trail is the longest
connected subset with at most two *odd* cities, and it is found by leaving
routes out:

1. Without the word "connected" the problem is solved by dynamic programming:
   routes are taken up one after the other, and of all that happened it is
   enough to remember which cities of the *frontier* (touched, with routes
   still to come) are odd, and how many finished cities are.
2. If the answer is connected, it is the longest trail. If not, it bounds the
   trail from above; one route that would join two of its parts is then fixed,
   once as used and once as unused (branch and bound).

Exact for every set of routes. The time doubles with each city more on the
frontier, and boards are nearly planar: whole maps have a frontier of about
six to nine cities, what one player builds three or four.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.int8]

MAX_FRONTIER: Final = 20
"""Cities on the frontier beyond which the search gives up: the tables would fill gigabytes."""

_WIDE: Final = 12
"""Cities on the frontier from which it pays to look for a better order."""

_UNUSED: Final = 0
_FREE: Final = 1
_USED: Final = 2

_MOST_ODD: Final = 2

# Far below any sum of lengths, and far from overflow when lengths are added.
_IMPOSSIBLE: Final = -(1 << 40)


class _Plan(NamedTuple):
    """
    An order in which routes are taken up.

    Parameters
    ----------
    order
        The routes.
    slots
        For each of them, the slots of its two ends on the frontier.
    finish
        For an end that then has no more routes: when it is finished (0, 1,
        ...); else -1.
    n_slots
        How many slots are needed meanwhile.
    """

    order: Ints
    slots: Ints
    finish: Ints
    n_slots: Ints


@compiled
def search(edges: Ints, lengths: Ints, best: int, found: Flags) -> int:
    """
    Return the length of the longest trail, if there is one longer than `best`.

    Parameters
    ----------
    edges
        Cities at the two ends of each route, shape (routes, 2), numbered from
        0 without gaps.
    lengths
        Trains of each route.
    best
        Trains to be exceeded.
    found
        If there is a longer trail, filled: 1 for its routes, else 0.

    Returns
    -------
    trains
        `best` if there is none longer, -1 if the frontier gets wider than
        `MAX_FRONTIER`.

    Examples
    --------
    A star of three routes, of which the two longest are a trail:

    >>> found = np.zeros(3, dtype=np.int8)
    >>> int(search(np.array([[0, 1], [0, 2], [0, 3]]), np.array([3, 4, 5]), 0, found)), found.tolist()
    (9, [0, 1, 1])
    """
    n = lengths.size
    part = np.empty(n, dtype=np.int64)
    kept = np.empty(n, dtype=np.int8)
    # Sets of routes still to be searched: each route unused, free or used.
    # On the way down, each branching fixes a route and each split of a set
    # separates some, so that no more than 2n sets ever wait.
    waiting = np.full((2 * n + 4, n), _FREE, dtype=np.int8)
    status = np.empty(n, dtype=np.int8)
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        for e in range(n):
            status[e] = waiting[n_waiting, e]
        n_parts = _find_parts(edges, status, part)
        if n_parts != 1:
            n_waiting = _push_parts(waiting, n_waiting, status, part, n_parts)
            continue
        if _trains_of(lengths, part, n_parts - 1) <= best:
            continue
        bound = _longest_with_two_odd(edges, lengths, status, kept)
        if bound < 0:
            return -1
        if bound <= best:
            continue
        n_parts = _find_parts(edges, kept, part)
        heaviest = _heaviest_part(lengths, part, n_parts)
        trains = _trains_of(lengths, part, heaviest)
        if trains > best:
            best = trains
            for e in range(n):
                found[e] = part[e] == heaviest
        if bound > best:
            n_waiting = _push_branches(waiting, n_waiting, status, _joining_route(edges, status, part, n_parts))
    return best


@compiled
def _push_branches(waiting: Flags, n_waiting: int, status: Flags, joining: int) -> int:
    """Add the set without a route and the set that must use it; return how many wait now."""
    for e in range(status.size):
        waiting[n_waiting, e] = _UNUSED if e == joining else status[e]
        waiting[n_waiting + 1, e] = _USED if e == joining else status[e]
    return n_waiting + 2


@compiled
def _n_cities(edges: Ints) -> int:
    """Return the number of cities that the routes touch."""
    highest = -1
    for e in range(edges.shape[0]):
        highest = max(highest, edges[e, 0], edges[e, 1])
    return highest + 1


@compiled
def _find_parts(edges: Ints, status: Flags, part: Ints) -> int:
    """Return the number of connected parts of the routes not unused; `part` tells which, -1 for unused."""
    n = status.size
    root = np.arange(_n_cities(edges))
    for e in range(n):
        if status[e] != _UNUSED:
            a = _root_of(root, edges[e, 0])
            b = _root_of(root, edges[e, 1])
            root[b] = a
    number = np.full(root.size, -1, dtype=np.int64)
    n_parts = 0
    for e in range(n):
        part[e] = -1
        if status[e] != _UNUSED:
            a = _root_of(root, edges[e, 0])
            if number[a] < 0:
                number[a] = n_parts
                n_parts += 1
            part[e] = number[a]
    return n_parts


@compiled
def _root_of(root: Ints, city: int) -> int:
    """Return the representative of a city's part, halving the way to it."""
    while root[city] != city:
        root[city] = root[root[city]]
        city = root[city]
    return city


@compiled
def _push_parts(waiting: Flags, n_waiting: int, status: Flags, part: Ints, n_parts: int) -> int:
    """
    Add each part as a set of its own; return how many wait now.

    If some routes must be used, only a part that holds all of them can.
    """
    must = -1
    for e in range(status.size):
        if status[e] == _USED:
            if must >= 0 and must != part[e]:
                return n_waiting
            must = part[e]
    for p in range(n_parts):
        if must in (-1, p):
            for e in range(status.size):
                waiting[n_waiting, e] = status[e] if part[e] == p else _UNUSED
            n_waiting += 1
    return n_waiting


@compiled
def _trains_of(lengths: Ints, part: Ints, p: int) -> int:
    """Return the trains on the routes of part `p`."""
    trains = 0
    for e in range(part.size):
        if part[e] == p:
            trains += lengths[e]
    return trains


@compiled
def _count_odd(edges: Ints, status: Flags) -> int:
    """Return the number of cities that touch an odd number of the routes not unused."""
    odd = np.zeros(_n_cities(edges), dtype=np.int64)
    for e in range(status.size):
        if status[e] != _UNUSED:
            odd[edges[e, 0]] ^= 1
            odd[edges[e, 1]] ^= 1
    return int(odd.sum())


@compiled
def _heaviest_part(lengths: Ints, part: Ints, n_parts: int) -> int:
    """Return the part with the most trains; the first of several."""
    trains = np.zeros(n_parts, dtype=np.int64)
    for e in range(part.size):
        if part[e] >= 0:
            trains[part[e]] += lengths[e]
    return int(trains.argmax())


@compiled
def _joining_route(edges: Ints, status: Flags, part: Ints, n_parts: int) -> int:
    """
    Return a route that leaves the part with the fewest ways out.

    Fixing such a route decides soonest whether that part can be joined on.
    """
    at = np.full(_n_cities(edges), -1, dtype=np.int64)
    for e in range(part.size):
        if part[e] >= 0:
            at[edges[e, 0]] = part[e]
            at[edges[e, 1]] = part[e]
    n_ways = np.zeros(n_parts, dtype=np.int64)
    route = np.full(n_parts, -1, dtype=np.int64)
    for e in range(part.size):
        if status[e] == _FREE and part[e] < 0:
            a = at[edges[e, 0]]
            b = at[edges[e, 1]]
            if a != b:
                if a >= 0:
                    n_ways[a] += 1
                    route[a] = e
                if b >= 0:
                    n_ways[b] += 1
                    route[b] = e
    return int(route[n_ways.argmin()])


@compiled
def _longest_with_two_odd(edges: Ints, lengths: Ints, status: Flags, kept: Flags) -> int:
    """
    Return the most trains on a subset with at most two odd cities.

    The subset need not be connected, but it has all routes that must be used.
    It is marked in `kept`. 0 if there is none, -1 if the frontier gets too
    wide.
    """
    if _count_odd(edges, status) <= _MOST_ODD:
        trains = 0
        for e in range(status.size):
            kept[e] = status[e] != _UNUSED
            trains += kept[e] * lengths[e]
        return trains
    plan = _narrowest_plan(edges, status)
    width = plan.n_slots.max()
    if width > MAX_FRONTIER:
        return -1
    # best[n, mask]: most trains with n finished odd cities and the odd cities
    # of the frontier in `mask`, by slot. Bit n of `took` and `ended` tells
    # whether that was reached by taking the route, by ending in the city.
    best = np.full((_MOST_ODD + 1, 1 << width), _IMPOSSIBLE, dtype=np.int64)
    best[0, 0] = 0
    took = np.zeros((plan.order.size, 1 << width), dtype=np.int8)
    ended = np.zeros((plan.finish.max() + 1, 1 << width), dtype=np.int8)
    for k in range(plan.order.size):
        e = plan.order[k]
        flip = (1 << plan.slots[k, 0]) ^ (1 << plan.slots[k, 1])
        n_masks = 1 << plan.n_slots[k]
        _take_or_leave(best, took[k], flip, n_masks, lengths[e], status[e] == _USED)
        for side in range(2):
            if plan.finish[k, side] >= 0:
                _finish_city(best, ended[plan.finish[k, side]], 1 << plan.slots[k, side], n_masks)
    n_odd = 2 if best[2, 0] > best[0, 0] else 0
    _trace_back(plan, took, ended, n_odd, kept)
    return max(0, int(best[n_odd, 0]))


@compiled
def _trace_back(plan: _Plan, took: Flags, ended: Flags, n_odd: int, kept: Flags) -> None:
    """Mark the routes that were taken on the way to `n_odd` odd cities in all."""
    for e in range(kept.size):
        kept[e] = 0
    mask = 0
    for k in range(plan.order.size - 1, -1, -1):
        for side in range(1, -1, -1):
            if plan.finish[k, side] >= 0 and (ended[plan.finish[k, side], mask] >> n_odd) & 1:
                mask |= 1 << plan.slots[k, side]
                n_odd -= 1
        taken = (took[k, mask] >> n_odd) & 1
        if taken:
            mask ^= (1 << plan.slots[k, 0]) ^ (1 << plan.slots[k, 1])
        kept[plan.order[k]] = taken


@compiled
def _take_or_leave(best: Ints, took: Flags, flip: int, n_masks: int, trains: int, must: bool) -> None:
    """Take up one route: leave it, unless it must be used, or take it, which flips its two ends."""
    for n in range(_MOST_ODD + 1):
        for mask in range(n_masks):
            other = mask ^ flip
            if mask < other:
                a = best[n, mask]
                b = best[n, other]
                if must or b + trains > a:
                    best[n, mask] = b + trains
                    took[mask] |= 1 << n
                if must or a + trains > b:
                    best[n, other] = a + trains
                    took[other] |= 1 << n


@compiled
def _finish_city(best: Ints, ended: Flags, bit: int, n_masks: int) -> None:
    """Take a city off the frontier: if odd, it is one of the two ends."""
    for n in range(_MOST_ODD, -1, -1):
        for mask in range(n_masks):
            if mask & bit:
                best[n, mask] = _IMPOSSIBLE
            elif n > 0 and best[n - 1, mask | bit] > best[n, mask]:
                best[n, mask] = best[n - 1, mask | bit]
                ended[mask] |= 1 << n


@compiled
def _narrowest_plan(edges: Ints, status: Flags) -> _Plan:
    """Return the plan from the first city; if that gets wide, the narrowest one from any city."""
    best = _plan_from(edges, status, edges[0, 0])
    for city in range(_n_cities(edges)):
        if best.n_slots.max() <= _WIDE:
            break
        plan = _plan_from(edges, status, city)
        if plan.n_slots.max() < best.n_slots.max():
            best = plan
    return best


@compiled
def _plan_from(edges: Ints, status: Flags, first: int) -> _Plan:
    """
    Return an order of the routes that keeps the frontier narrow.

    First come the routes of the city `first`, then again and again those of
    the frontier city that brings in the fewest new cities.
    """
    n = 0
    n_left = np.zeros(_n_cities(edges), dtype=np.int64)
    for e in range(status.size):
        if status[e] != _UNUSED:
            n += 1
            n_left[edges[e, 0]] += 1
            n_left[edges[e, 1]] += 1
    plan = _Plan(np.empty(n, np.int64), np.empty((n, 2), np.int64), np.empty((n, 2), np.int64), np.empty(n, np.int64))
    waiting = status.copy()
    slot = np.full(n_left.size, -1, dtype=np.int64)
    occupied = np.zeros(n_left.size, dtype=np.int8)
    n_finished = 0
    k = 0
    city = first
    while k < n:
        if n_left[city] == 0:
            city = _next_city(edges, waiting, slot, n_left)
        for e in range(status.size):
            if waiting[e] != _UNUSED and city in (edges[e, 0], edges[e, 1]):
                waiting[e] = _UNUSED
                plan.order[k] = e
                plan.n_slots[k] = _put_on_frontier(edges[e], slot, occupied, plan.slots[k])
                n_finished = _take_off_frontier(edges[e], slot, occupied, n_left, plan.finish[k], n_finished)
                k += 1
    return plan


@compiled
def _put_on_frontier(ends: Ints, slot: Ints, occupied: Flags, slots: Ints) -> int:
    """Give each end of a route a slot if it has none; return how many slots the masks need."""
    for side in range(2):
        if slot[ends[side]] < 0:
            slot[ends[side]] = occupied.argmin()
            occupied[slot[ends[side]]] = 1
        slots[side] = slot[ends[side]]
    n_slots = occupied.size
    while not occupied[n_slots - 1]:
        n_slots -= 1
    return n_slots


@compiled
def _take_off_frontier(ends: Ints, slot: Ints, occupied: Flags, n_left: Ints, finish: Ints, n_finished: int) -> int:
    """Free the slots of the ends that have no more routes; return how many cities are finished."""
    for side in range(2):
        city = ends[side]
        n_left[city] -= 1
        finish[side] = -1
        if n_left[city] == 0:
            finish[side] = n_finished
            n_finished += 1
            occupied[slot[city]] = 0
            slot[city] = -1
    return n_finished


@compiled
def _next_city(edges: Ints, waiting: Flags, slot: Ints, n_left: Ints) -> int:
    """Return the city of the frontier that brings in the fewest new ones; any city with routes if it is empty."""
    n_new = np.zeros(slot.size, dtype=np.int64)
    for e in range(waiting.size):
        if waiting[e] != _UNUSED:
            n_new[edges[e, 0]] += slot[edges[e, 1]] < 0
            n_new[edges[e, 1]] += slot[edges[e, 0]] < 0
    best = -1
    for city in range(slot.size):
        if n_left[city] > 0:
            if slot[city] < 0:
                n_new[city] += slot.size
            if best < 0 or n_new[city] < n_new[best]:
                best = city
    return best
