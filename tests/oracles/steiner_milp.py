"""
Oracle: the cheapest network as one integer program, solved by HiGHS.

Nothing is shared with the library's dynamic programs. The first ticket of each
connected part leads it: a city of its origin is the root, from which arcs of
that part lead away. Every ticket follows one leader, and a unit flows from the
leader's root to an end of the ticket, along arcs of that part only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from ttr_analysis.maps.model import GameMap, Place, Route, Ticket

# More than all routes of a network, and less than one token in as many as a network can cost.
_TRAIN, _ROUTE, _TOKEN = 64.0, 1.0, 1 / 128


class _Program:
    """Variables and constraints, one by one."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.binary: list[int] = []
        self.entries: list[tuple[int, int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def variable(self, cost: float = 0, *, binary: bool = True) -> int:
        """Return a new variable between 0 and 1."""
        self.cost.append(cost)
        self.binary.append(int(binary))
        return len(self.cost) - 1

    def constrain(self, terms: Iterable[tuple[int, float]], low: float, high: float) -> None:
        """Demand that a weighted sum of variables lies between `low` and `high`."""
        self.entries += [(len(self.low), variable, weight) for variable, weight in terms]
        self.low.append(low)
        self.high.append(high)

    def solve(self) -> np.ndarray | None:
        """Return the values of the variables at the lowest cost; None if there are none."""
        rows, columns, weights = zip(*self.entries, strict=True)
        matrix = coo_array((weights, (rows, columns)), shape=(len(self.low), len(self.cost))).tocsr()
        answer = milp(
            np.array(self.cost),
            integrality=np.array(self.binary),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, np.array(self.low), np.array(self.high)),
            options={"mip_rel_gap": 0},
        )
        assert answer.status in {0, 2}, answer.message
        x: np.ndarray | None = answer.x
        return x


def cheapest_cost(
    game_map: GameMap, tickets: Sequence[Ticket], closed: Iterable[Route] = (), owned: Iterable[Route] = ()
) -> tuple[int, int, int] | None:
    """Return the fewest trains, then routes, then tokens, that complete all tickets; None if nothing does."""
    shut = {route.id for route in closed}
    own = {route.id for route in owned}
    program = _Program()
    routes = [route for route in game_map.routes if route.id not in shut]
    take = {r.id: program.variable(0 if r.id in own else _TRAIN * r.length + _ROUTE + _TOKEN * r.toll) for r in routes}
    neighbors = sorted({(min(r.cities), max(r.cities)) for r in routes})
    arcs = [*neighbors, *((b, a) for a, b in neighbors)]
    in_part = []
    follows: dict[tuple[int, int], int] = {}
    for leader in range(len(tickets)):
        part = {arc: program.variable() for arc in arcs}
        in_part.append(part)
        root = {city: program.variable() for city in _cities([tickets[leader].origin])}
        for t in range(leader, len(tickets)):
            follows[t, leader] = program.variable()
        program.constrain([*((r, 1) for r in root.values()), (follows[leader, leader], -1)], 0, 0)
        for t in range(leader, len(tickets)):
            program.constrain([(follows[t, leader], 1), (follows[leader, leader], -1)], -1, 0)
            for places in ([tickets[t].origin], [place for place, _ in tickets[t].destinations]):
                _add_flow(program, game_map, part, root, follows[t, leader], _cities(places))
    for t in range(len(tickets)):
        program.constrain([(follows[t, leader], 1) for leader in range(t + 1)], 1, 1)
    for a, b in neighbors:
        used = [(part[arc], 1) for part in in_part for arc in ((a, b), (b, a))]
        tracks = [(take[r.id], -1) for r in routes if set(r.cities) == {a, b}]
        program.constrain([*used, *tracks], -2, 0)
    x = program.solve()
    if x is None:
        return None
    taken = [route for route in routes if x[take[route.id]] > 0.5 and route.id not in own]
    return sum(r.length for r in taken), len(taken), sum(r.toll for r in taken)


def _add_flow(
    program: _Program,
    game_map: GameMap,
    part: dict[tuple[str, str], int],
    root: dict[str, int],
    amount: int,
    goal: set[str],
) -> None:
    """Send the amount from the root to any city of `goal`, along arcs of one part."""
    flow = {arc: program.variable(binary=False) for arc in part}
    start = {city: program.variable(binary=False) for city in root}
    end = {city: program.variable(binary=False) for city in goal}
    for arc, is_open in part.items():
        program.constrain([(flow[arc], 1), (is_open, -1)], -1, 0)
    for name, is_root in root.items():
        program.constrain([(start[name], 1), (is_root, -1)], -1, 0)
    program.constrain([*((s, 1) for s in start.values()), (amount, -1)], 0, 0)
    for city in game_map.cities:
        terms = [(flow[arc], 1.0 if arc[1] == city.name else -1.0) for arc in part if city.name in arc]
        terms += [(start[city.name], 1.0)] if city.name in start else []
        terms += [(end[city.name], -1.0)] if city.name in end else []
        if terms:
            program.constrain(terms, 0, 0)


def _cities(places: Iterable[Place]) -> set[str]:
    return {city for place in places for city in place.cities}
