"""
The longest continuous path of a player: in graph theory, a longest trail.

A trail uses no route twice; it may pass a city several times. A connected set
of routes is one trail exactly if at most two cities touch an odd number of
them (Euler). So each connected part of a network is treated by itself:

1. With at most two *odd* cities, all of it is the trail.
2. With more, both ends of its longest trail are odd: a trail that can go on
   nowhere has used up its last city, and one that is closed would be all of
   the part. From all odd cities but one, every way is walked. Each odd city
   but the two ends leaves a route out, which bounds the trail from above: a
   part that cannot exceed the best so far is not walked.
3. The number of ways grows with the number of loops. A part with many of them
   is left to the dynamic program of `trail_program`.

Exact for every set of routes. What a player builds in a game falls mostly into
small parts without loops, which take about a microsecond together.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.rules.trail_program import MAX_FRONTIER, search

__all__ = ["MAX_FRONTIER", "NOT_WALKED", "Flags", "Ints", "longest_trail", "walked_trail"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.int8]

_MAX_LOOPS: Final = 2
"""Routes of a part beyond those of a tree, up to which walking takes less time than the dynamic program."""

_MOST_ODD: Final = 2


NOT_WALKED: Final = -2
"""What `walked_trail` returns for a network of many loops."""


class _Network(NamedTuple):
    """
    Routes with their two *sides*: side 2r and 2r + 1 of route r.

    Parameters
    ----------
    city
        The city of each side.
    length
        Trains of each route.
    onward
        For each side the next one at the same city, or -1.
    first
        The first side at each city, or -1.
    odd
        1 for the cities with an odd number of routes, else 0.
    explored
        1 for the cities whose part is known, else 0.
    part
        The connected part of each route, or -1 before it is explored.
    """

    city: Ints
    length: Ints
    onward: Ints
    first: Ints
    odd: Ints
    explored: Ints
    part: Ints


@compiled
def longest_trail(ends: Ints, length: Ints, chosen: Flags, trail: Flags) -> int:
    """
    Return the length of the longest trail in a set of routes.

    Parameters
    ----------
    ends
        Cities at the two ends of each route, shape (routes, 2); two different
        ones, numbered from 0.
    length
        Trains of each route.
    chosen
        Not 0 for the routes in the set.
    trail
        Filled: 1 for the routes of one longest trail, else 0. Equal input
        gives the same one.

    Returns
    -------
    trains
        Trains on the longest trail; 0 if no route is chosen, -1 if the routes
        are too entangled (a frontier of more than `MAX_FRONTIER` cities,
        which no board has).

    Examples
    --------
    A square of four routes with a tail: the tail and the whole square.

    >>> ends = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 4]])
    >>> length = np.array([1, 2, 3, 4, 5])
    >>> trail = np.zeros(5, dtype=np.int8)
    >>> int(longest_trail(ends, length, np.ones(5, dtype=np.int8), trail))
    15
    """
    edges, lengths, routes = _compact(ends, length, chosen)
    found = np.zeros(routes.size, dtype=np.int8)
    trains = _longest(edges.reshape(-1), lengths, 2 * routes.size, found)
    for r in range(trail.size):
        trail[r] = 0
    for e in range(routes.size):
        trail[routes[e]] = found[e]
    return trains


@compiled
def walked_trail(city_a: Ints, city_b: Ints, length: Ints, owner: Ints, seat: int, n_cities: int) -> int:
    """
    Return the length of the longest trail of a seat, if walks alone find it.

    For the kernel: what `longest_trail` needs besides takes long to compile,
    and few networks have so many loops.

    Parameters
    ----------
    city_a, city_b
        Cities at the two ends of each route, numbered from 0.
    length
        Trains of each route.
    owner
        Owner of each route.
    seat
        The owner whose routes count.
    n_cities
        Number of cities.

    Returns
    -------
    trains
        Trains on the longest trail; `NOT_WALKED` if there are too many loops.

    Examples
    --------
    >>> a, b = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> [int(walked_trail(a, b, np.array([2, 3, 4]), np.array([0, 0, 1]), seat, 3)) for seat in range(3)]
    [5, 4, 0]
    """
    sides = np.empty(2 * owner.size, dtype=np.int64)
    lengths = np.empty(owner.size, dtype=np.int64)
    n = 0
    for r in range(owner.size):
        if owner[r] == seat:
            sides[2 * n] = city_a[r]
            sides[2 * n + 1] = city_b[r]
            lengths[n] = length[r]
            n += 1
    network = _link_sides(sides[: 2 * n], lengths[:n], n_cities)
    work = np.empty((3, n + 1), dtype=np.int64)
    best, n_parts = _walk_parts(network, work, np.zeros(n, dtype=np.int8))
    for p in range(n_parts):
        if work[1, p] > best:
            return NOT_WALKED
    return best


@compiled
def _longest(city: Ints, length: Ints, n_cities: int, found: Flags) -> int:
    """Return the length of the longest trail, or -1; mark its routes in `found`."""
    network = _link_sides(city, length, n_cities)
    work = np.empty((3, length.size + 1), dtype=np.int64)  # one array is made faster than three
    best, n_parts = _walk_parts(network, work, found)
    for p in range(n_parts):
        if work[1, p] > best:
            trains = _search_part(network, p, best, found)
            if trains < 0:
                return -1
            best = max(best, trains)
    return best


@compiled
def _walk_parts(network: _Network, work: Ints, found: Flags) -> tuple[int, int]:
    """
    Find the longest trail in all parts but those with many loops.

    Parameters
    ----------
    network, found
        The routes; those of the trail are marked.
    work
        The second row is filled with a bound for each part with many loops,
        0 for the others.

    Returns
    -------
    best, n_parts
        Length of the trail, and number of parts.
    """
    n = network.length.size
    waiting, bound, n_loops = work[0], work[1], work[2]
    best = 0
    whole = -1  # the part that is the best trail as it is
    n_parts = 0
    for r in range(n):
        if network.part[r] < 0:
            trains, n_odd, bound[n_parts], n_loops[n_parts] = _explore_part(network, r, n_parts, waiting)
            if n_odd <= _MOST_ODD:
                bound[n_parts] = 0  # nothing more to be found
                if trains > best:
                    best = trains
                    whole = n_parts
            n_parts += 1
    for p in range(n_parts):
        if n_loops[p] > _MAX_LOOPS:
            continue
        if bound[p] > best:
            trains = _walk(network, p, bound[p], best, waiting, found)
            if trains > best:
                best = trains
                whole = -1
        bound[p] = 0
    if whole >= 0:
        for r in range(n):
            found[r] = network.part[r] == whole
    return best, n_parts


@compiled
def _link_sides(city: Ints, length: Ints, n_cities: int) -> _Network:
    """Return the network of some routes."""
    n = length.size
    work = np.zeros(3 * n + 3 * n_cities, dtype=np.int64)
    network = _Network(
        city,
        length,
        work[: 2 * n],
        work[3 * n : 3 * n + n_cities],
        work[3 * n + n_cities : 3 * n + 2 * n_cities],
        work[3 * n + 2 * n_cities :],
        work[2 * n : 3 * n],
    )
    for c in range(n_cities):
        network.first[c] = -1
    for side in range(2 * n):
        network.onward[side] = network.first[city[side]]
        network.first[city[side]] = side
        network.odd[city[side]] ^= 1
    for r in range(n):
        network.part[r] = -1
    return network


@compiled
def _explore_part(network: _Network, route: int, p: int, waiting: Ints) -> tuple[int, int, int, int]:
    """
    Put all routes that are connected with a route into part `p`.

    Return its trains, the number of its odd cities, an upper bound of its
    longest trail if those are more than two, and the number of its loops.
    """
    trains = 0
    n_odd = 0
    n_loops = 1
    # The shortest routes at the odd cities; two of those cities leave none out, a route may be left out for two.
    left_out = 0
    longest = 0
    second = 0
    waiting[0] = network.city[2 * route]
    network.explored[waiting[0]] = 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        n_loops -= 1
        city = waiting[n_waiting]
        side = network.first[city]
        shortest = network.length[side >> 1]
        while side >= 0:
            r = side >> 1
            shortest = min(shortest, network.length[r])
            if network.part[r] < 0:
                network.part[r] = p
                trains += network.length[r]
                n_loops += 1
            other = network.city[side ^ 1]
            if not network.explored[other]:
                network.explored[other] = 1
                waiting[n_waiting] = other
                n_waiting += 1
            side = network.onward[side]
        if network.odd[city]:
            n_odd += 1
            left_out += shortest
            second = max(second, min(longest, shortest))
            longest = max(longest, shortest)
    return trains, n_odd, trains - (left_out - longest - second + 1) // 2, n_loops


@compiled
def _walk(network: _Network, p: int, bound: int, best: int, steps: Ints, found: Flags) -> int:
    """
    Walk every way from the odd cities of part `p`.

    Return the length of its longest trail if it is longer than `best`, marked
    in `found`; else `best`.
    """
    used = np.zeros(found.size, dtype=np.int8)
    is_last_end = True  # of a trail; it need not begin there
    for start in range(network.city.size):
        city = network.city[start]
        if network.part[start >> 1] != p or not network.odd[city] or network.first[city] != start:
            continue
        if is_last_end:
            is_last_end = False
            continue
        best = _walk_from(network, start, best, used, steps, found)
        if best == bound:
            return best
    return best


@compiled
def _walk_from(network: _Network, start: int, best: int, used: Flags, steps: Ints, found: Flags) -> int:
    """Do as `_walk` does, from the city of the side `start`; no route is `used` before and after."""
    n_steps = 0
    trains = 0
    side = start
    while True:
        while side >= 0 and used[side >> 1]:
            side = network.onward[side]
        if side >= 0:
            used[side >> 1] = 1
            trains += network.length[side >> 1]
            steps[n_steps] = side
            n_steps += 1
            side = network.first[network.city[side ^ 1]]
            continue
        if trains > best:
            best = trains
            for r in range(found.size):
                found[r] = used[r]
        if n_steps == 0:
            return best
        n_steps -= 1
        side = steps[n_steps]
        used[side >> 1] = 0
        trains -= network.length[side >> 1]
        side = network.onward[side]


@compiled
def _search_part(network: _Network, p: int, best: int, found: Flags) -> int:
    """Do as `_walk` does, by the dynamic program; return -1 if the routes are too entangled for it."""
    n = network.length.size
    chosen = np.empty(n, dtype=np.int8)
    for r in range(n):
        chosen[r] = network.part[r] == p
    edges, lengths, routes = _compact(network.city.reshape(n, 2), network.length, chosen)
    marked = np.zeros(routes.size, dtype=np.int8)
    trains = search(edges, lengths, best, marked)
    if trains > best:
        for r in range(n):
            found[r] = 0
        for e in range(routes.size):
            found[routes[e]] = marked[e]
    return trains


@compiled
def _compact(ends: Ints, length: Ints, chosen: Flags) -> tuple[Ints, Ints, Ints]:
    """Return ends and lengths of the chosen routes, their cities numbered from 0 without gaps, and which they are."""
    n = 0
    n_cities = 0
    for r in range(chosen.size):
        if chosen[r]:
            n += 1
            n_cities = max(n_cities, ends[r, 0] + 1, ends[r, 1] + 1)
    number = np.full(n_cities, -1, dtype=np.int64)
    edges = np.empty((n, 2), dtype=np.int64)
    lengths = np.empty(n, dtype=np.int64)
    routes = np.empty(n, dtype=np.int64)
    e = 0
    n_seen = 0
    for r in range(chosen.size):
        if chosen[r]:
            for side in range(2):
                city = ends[r, side]
                if number[city] < 0:
                    number[city] = n_seen
                    n_seen += 1
                edges[e, side] = number[city]
            lengths[e] = length[r]
            routes[e] = r
            e += 1
    return edges, lengths, routes
