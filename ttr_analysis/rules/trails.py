"""
The longest continuous path of a player: in graph theory, a longest trail.

A trail uses no route twice but may visit a city several times. A connected set of
routes is a single trail if and only if at most two cities touch an odd number of
them (Euler). So each connected part of a network is handled separately:

1. With at most two *odd* cities, the whole part is the trail.
2. With more, both ends of its longest trail are odd: a trail that cannot continue
   has used every route of its last city, and a closed one would be the whole part.
   The search tries every walk from all odd cities but one. Every odd city other than
   the two ends leaves out at least one route; this gives an upper bound, and parts
   that cannot beat the best trail so far are skipped.
3. The number of walks grows with the number of cycles. After too many steps, an
   integer program, also based on Euler's theorem, takes over.

The result is exact for every set of routes. Most networks in games consist of small
parts without cycles and take about a microsecond.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Flags, Ints, compiled

MAX_STEPS: Final = 100_000
"""
Steps after which the search gives up.

Compiled, they take about a millisecond; the integer program takes 30, rarely 200.
None of 13,000 seats in random games needs a tenth of the steps; of 6,000 networks
grown at random to 45 trains, eight need more.
"""

NOT_WALKED: Final = -1
"""What `walked_trail` returns for a network that takes too many steps."""


class _Network(NamedTuple):
    """
    The routes of a seat, each with two *sides*: 2r and 2r + 1 for route r.

    `city` is the city at each side, `onward` the next side at the same city or -1,
    `first` the first side at each city or -1, `part` the connected part of each city
    (-1 until explored), and `begins` is 1 for cities where walks start.
    """

    routes: Ints
    city: Ints
    length: Ints
    onward: Ints
    first: Ints
    part: Ints
    begins: Ints


def longest_trail(ends: Ints, length: Ints, chosen: Flags, trail: Flags, max_steps: int = MAX_STEPS) -> int:
    """
    Return the length of the longest trail in a set of routes.

    Parameters
    ----------
    ends
        Cities at the two ends of each route, numbered from 0, shape (routes, 2);
        the two must differ.
    length
        Trains of each route.
    chosen
        Nonzero for the routes in the set.
    trail
        Output: 1 for the routes of one longest trail, else 0. The choice is
        deterministic.
    max_steps
        Steps from city to city before the integer program takes over.

    Returns
    -------
    trains
        Trains on the longest trail; 0 if no route is chosen.

    Examples
    --------
    A square of four routes with a tail: the tail and the whole square.

    >>> ends = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 4]])
    >>> length = np.array([1, 2, 3, 4, 5])
    >>> trail = np.zeros(5, dtype=np.int8)
    >>> longest_trail(ends, length, np.ones(5, dtype=np.int8), trail)
    15
    """
    city_a, city_b = np.ascontiguousarray(ends.T)
    owner = (chosen != 0).astype(np.int64)
    n_cities = int(ends.max(initial=-1)) + 1
    trains = int(walked_trail(city_a, city_b, length, owner, 1, n_cities, max_steps, trail))
    return solved_trail(ends, length, chosen, trail) if trains == NOT_WALKED else trains


@compiled
def walked_trail(
    city_a: Ints, city_b: Ints, length: Ints, owner: Ints, seat: int, n_cities: int, max_steps: int, trail: Flags
) -> int:
    """
    Return the length of a seat's longest trail by search, or `NOT_WALKED` after `max_steps` steps.

    `trail` is filled as in `longest_trail`, and undefined for `NOT_WALKED`.

    >>> a, b = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> length, owner, trail = np.array([2, 3, 4]), np.array([0, 0, 1]), np.zeros(3, dtype=np.int8)
    >>> int(walked_trail(a, b, length, owner, 0, 3, 100, trail)), trail.tolist()
    (5, [1, 1, 0])
    """
    n = owner.size
    network = _link_routes(city_a, city_b, length, owner, seat, n_cities)
    scratch = np.empty(n + n_cities + 1, dtype=np.int64)
    bound = np.empty(n_cities, dtype=np.int64)
    best = 0
    whole = -1  # the best trail, if it is an entire part
    n_parts = 0
    for city in range(n_cities):
        if network.first[city] >= 0 and network.part[city] < 0:
            trains, at_most = _explore_part(network, city, n_parts, scratch)
            if trains == at_most and trains > best:
                best = trains
                whole = n_parts
            bound[n_parts] = at_most
            n_parts += 1
    trail.fill(0)
    for r in network.routes:
        trail[r] = network.part[city_a[r]] == whole
    used = np.zeros(n, dtype=np.int8)
    for city in range(n_cities):
        if network.begins[city] and bound[network.part[city]] > best:
            best, max_steps = _walk_from(network, city, best, max_steps, used, scratch, trail)
            if max_steps < 0:
                return NOT_WALKED
    return best


@compiled
def _link_routes(city_a: Ints, city_b: Ints, length: Ints, owner: Ints, seat: int, n_cities: int) -> _Network:
    n = owner.size
    work = np.empty(5 * n + 3 * n_cities, dtype=np.int64)  # allocating one array is faster than six
    routes = work[4 * n + 3 * n_cities :]
    n_routes = 0
    for r in range(n):
        # Branch-free: an entry that is not the seat's is overwritten by the next one.
        routes[n_routes] = r
        n_routes += int(owner[r] == seat)
    network = _Network(
        routes[:n_routes],
        work[: 2 * n],
        length,
        work[2 * n : 4 * n],
        work[4 * n : 4 * n + n_cities],
        work[4 * n + n_cities : 4 * n + 2 * n_cities],
        work[4 * n + 2 * n_cities : 4 * n + 3 * n_cities],
    )
    for city in range(n_cities):
        network.first[city] = -1
        network.part[city] = -1
        network.begins[city] = 0
    for r in network.routes:
        network.city[2 * r] = city_a[r]
        network.city[2 * r + 1] = city_b[r]
        for side in range(2 * r, 2 * r + 2):
            network.onward[side] = network.first[network.city[side]]
            network.first[network.city[side]] = side
    return network


@compiled
def _explore_part(network: _Network, first: int, p: int, waiting: Ints) -> tuple[int, int]:
    """
    Put all cities connected to a city into part `p`, and mark the cities where walks start.

    Return the part's trains and an upper bound on its longest trail; they are equal if
    the whole part is a trail.
    """
    sides_trains = 0
    n_odd = 0
    # Trains of the shortest route at each odd city: sum, longest, second. Two ends leave none out; one can serve two.
    left_out = 0
    longest = 0
    second = 0
    network.part[first] = p
    waiting[0] = first
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        city = waiting[n_waiting]
        side = network.first[city]
        shortest = network.length[side >> 1]
        n_sides = 0
        while side >= 0:
            n_sides += 1
            sides_trains += network.length[side >> 1]
            shortest = min(shortest, network.length[side >> 1])
            other = network.city[side ^ 1]
            if network.part[other] < 0:
                network.part[other] = p
                waiting[n_waiting] = other
                n_waiting += 1
            side = network.onward[side]
        if n_sides % 2 == 1:
            if n_odd > 0:  # a trail has two odd ends, so one odd city can be skipped
                network.begins[city] = 1
            n_odd += 1
            left_out += shortest
            second = max(second, min(longest, shortest))
            longest = max(longest, shortest)
    trains = sides_trains // 2
    return trains, trains - (left_out - longest - second + 1) // 2


@compiled
def _walk_from(
    network: _Network, start: int, best: int, max_steps: int, used: Flags, steps: Ints, trail: Flags
) -> tuple[int, int]:
    """
    Try every walk from a city.

    Return the length of the longest trail if it beats `best` (marking it in `trail`),
    else `best`, and the steps left, below 0 if they ran out. `used` must be all 0, and
    is all 0 again unless the steps ran out.
    """
    n_steps = 0
    trains = 0
    side = network.first[start]
    while True:
        while side >= 0 and used[side >> 1]:
            side = network.onward[side]
        if side >= 0:
            max_steps -= 1
            if max_steps < 0:
                return best, max_steps
            used[side >> 1] = 1
            trains += network.length[side >> 1]
            steps[n_steps] = side
            n_steps += 1
            side = network.first[network.city[side ^ 1]]
            continue
        if trains > best:
            best = trains
            for r in range(used.size):
                trail[r] = used[r]
        if n_steps == 0:
            return best, max_steps
        n_steps -= 1
        side = steps[n_steps]
        used[side >> 1] = 0
        trains -= network.length[side >> 1]
        side = network.onward[side]


def solved_trail(ends: Ints, length: Ints, chosen: Flags, trail: Flags) -> int:
    """
    Return the same as `longest_trail`, by integer programming alone.

    Add an imaginary city connected to both ends of the trail. The trail is then closed,
    with an even number of routes at each city. The program leaves out the fewest trains
    that make this so. If the rest falls into several parts, each part without the extra
    city is excluded and the program runs again.

    A star of three routes, whose two longest form the trail:

    >>> trail = np.zeros(3, dtype=np.int8)
    >>> solved_trail(np.array([[0, 1], [0, 2], [0, 3]]), np.array([3, 4, 5]), np.ones(3, dtype=np.int8), trail)
    9
    >>> trail.tolist()
    [0, 1, 1]
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    routes = np.flatnonzero(chosen)
    cities, numbers = np.unique(ends[routes], return_inverse=True)
    sides = numbers.reshape(-1, 2)
    n, n_cities = len(routes), len(cities)
    touches = np.zeros((n_cities, n))
    touches[sides.T, np.arange(n)] = 1
    degree = touches.sum(axis=1)
    # Variables: whether each route is left out; for each city, the number of trail ends there, and an integer k that
    # fixes parity: routes left out plus ends are 2k at even cities and 2k + 1 at odd ones.
    trains = np.concatenate([length[routes], np.zeros(2 * n_cities)])
    most = np.concatenate([np.ones(n), np.full(n_cities, 2), degree])
    two_ends = np.concatenate([np.zeros(n), np.ones(n_cities), np.zeros(n_cities)])
    parity = np.hstack([touches, np.eye(n_cities), -2 * np.eye(n_cities)])
    constraints = [LinearConstraint(two_ends, 2, 2), LinearConstraint(parity, degree % 2, degree % 2)]
    while True:
        result = milp(
            trains,
            integrality=np.ones_like(trains),
            bounds=Bounds(0, most),
            constraints=constraints,
            options={"mip_rel_gap": 0},
        )
        assert result.success, result.message  # noqa: S101 - any single route is a trail
        left_out, n_ends, _ = np.split(np.rint(result.x), [n, n + n_cities])
        kept = left_out == 0
        a, b = sides[kept].T
        _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n_cities, n_cities)), directed=False)
        if len(np.unique(part[a])) == 1:
            break
        for p in np.unique(part[a]):
            inside = part == p
            if not n_ends[inside].any():
                # A trail with a route inside must enter and leave: on two routes across the border, or at its ends.
                passed = np.flatnonzero(kept & inside[sides[:, 0]])
                leaving = inside[sides[:, 0]] != inside[sides[:, 1]]
                cuts = np.tile(np.concatenate([-1.0 * leaving, inside, np.zeros(n_cities)]), (len(passed), 1))
                cuts[np.arange(len(passed)), passed] = 2
                constraints.append(LinearConstraint(cuts, 2 - leaving.sum(), np.inf))
    trail[:] = 0
    trail[routes[kept]] = 1
    return int(length[routes[kept]].sum())
