"""
The integer program behind the best network: which routes to claim for the most points.

Tickets are completed by *parts*: connected sets of routes. Each part is an
arborescence, rooted at the city of it that comes first on the map, and a unit
flows from the root to each city of the part that a ticket may need [1]_. That
makes the linear relaxation nearly exact: on maps of 50 cities HiGHS needs a
few seconds and hardly branches. Routes outside the parts count for their
points only.

References
----------
.. [1] Wong, R. T. "A dual ascent approach for Steiner tree problems on a
   directed graph". Mathematical Programming 28 (1984), 271-287.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import coo_array

from ttr_analysis.maps.model import GameMap, Route, Ticket

Floats = npt.NDArray[np.float64]
Terms = list[tuple[int, float]]

_TOLERANCE = 1e-4  # HiGHS takes numbers for whole, and bounds for reached, within some 1e-6


class Question(NamedTuple):
    """
    What the program is asked.

    Parameters
    ----------
    n_parts
        Number of connected parts that complete tickets.
    trains
        Fewest and most trains in all.
    price
        Points that are taken off for each train.
    extras
        Whether routes outside the parts may be claimed too.
    needs_ticket
        Whether each part must complete a ticket.
    """

    n_parts: int
    trains: tuple[int, int]
    price: float = 0.0
    extras: bool = True
    needs_ticket: bool = False


class Answer(NamedTuple):
    """
    What came of it.

    Parameters
    ----------
    routes
        The routes claimed; None if none were found.
    trains, score
        Their trains, and their points with those of the tickets, nothing
        taken off.
    bound
        No answer is worth more, prices taken off; minus infinity if there is
        none at all.
    """

    routes: tuple[Route, ...] | None
    trains: int
    score: int
    bound: float


@dataclass(slots=True)
class _Rows:
    """Variables between 0 and 1, and linear constraints on them, one by one."""

    worth: list[float] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)
    entries: list[tuple[int, int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def variable(self, worth: float = 0.0, *, whole: bool = True) -> int:
        self.worth.append(worth)
        self.whole.append(int(whole))
        return len(self.worth) - 1

    def constrain(self, terms: Iterable[tuple[int, float]], low: float, high: float) -> None:
        self.entries += [(len(self.low), variable, weight) for variable, weight in terms]
        self.low.append(low)
        self.high.append(high)

    def constraint(self) -> LinearConstraint:
        rows, columns, weights = zip(*self.entries, strict=True)
        shape = (len(self.low), len(self.worth))
        matrix = coo_array((weights, (rows, columns)), shape=shape).tocsr()
        return LinearConstraint(matrix, np.array(self.low), np.array(self.high))


class BestProgram:
    """
    The routes of the most points on a map, for a number of trains.

    Parameters
    ----------
    game_map
        The map.
    """

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map
        self._number = {city.name: i for i, city in enumerate(game_map.cities)}
        self._choices = _distinct_tracks(game_map.routes)
        self._tickets = _distinct_tickets(game_map.tickets)
        named = {city for origin, ends, _ in self._tickets for cities in (origin, *ends) for city in cities}
        self._terminals = sorted(self._number[city] for city in named)

    def solve(self, question: Question, time_limit: float) -> Answer:
        """
        Return the best answer, or the best found until the time is up, with a proven bound.

        Parameters
        ----------
        question
            What is asked.
        time_limit
            Seconds.
        """
        rows = _Rows()
        use: dict[str, Terms] = {route.id: [] for route in self._choices}
        parts = [self._add_part(rows, question, use) for _ in range(question.n_parts)]
        self._add_tickets(rows, question, [inside for inside, _ in parts])
        _keep_parts_apart(rows, parts)
        if question.extras:
            for route in self._choices:
                use[route.id].append((rows.variable(route.points - question.price * route.length), 1.0))
        self._add_limits(rows, question, use)
        answer = milp(
            -np.array(rows.worth),
            integrality=np.array(rows.whole),
            bounds=Bounds(0, 1),
            constraints=rows.constraint(),
            options={"mip_rel_gap": 0, "time_limit": max(time_limit, 0.01)},
        )
        return self._read(answer, question.price, use, rows)

    def _add_part(self, rows: _Rows, question: Question, use: dict[str, Terms]) -> tuple[list[int], list[int]]:
        """Add a connected part; return its variables "is inside" and "is the root" for each city."""
        n = len(self._number)
        inside = [rows.variable() for _ in range(n)]
        root = [rows.variable() for _ in range(n)]
        arcs: list[tuple[int, int, int]] = []
        for route in self._choices:
            a, b = (self._number[city] for city in route.cities)
            for start, end in ((a, b), (b, a)):
                arc = rows.variable(route.points - question.price * route.length)
                arcs.append((start, end, arc))
                use[route.id].append((arc, 1.0))
        rows.constrain([(r, 1.0) for r in root], 1.0 if question.needs_ticket else 0.0, 1.0)
        for v in range(n):
            entering = [(arc, 1.0) for _, end, arc in arcs if end == v]
            rows.constrain([*entering, (root[v], 1.0), (inside[v], -1.0)], 0, 0)
            # The root is the first city of the part: else each city could be it.
            rows.constrain([(inside[v], 1.0), *((root[u], -1.0) for u in range(v + 1))], -np.inf, 0)
        for terminal in self._terminals:
            flow = [(start, end, arc, rows.variable(whole=False)) for start, end, arc in arcs]
            source = [rows.variable(whole=False) for _ in range(n)]
            for _, _, arc, amount in flow:
                rows.constrain([(amount, 1.0), (arc, -1.0)], -np.inf, 0)
            for v in range(n):
                rows.constrain([(source[v], 1.0), (root[v], -1.0)], -np.inf, 0)
                balance = [(source[v], 1.0)]
                balance += [(amount, 1.0) for _, end, _, amount in flow if end == v]
                balance += [(amount, -1.0) for start, _, _, amount in flow if start == v]
                rows.constrain([*balance, (inside[v], -1.0)] if v == terminal else balance, 0, 0)
        return inside, root

    def _add_tickets(self, rows: _Rows, question: Question, parts: list[list[int]]) -> None:
        """Add the tickets that each part completes: both ends are inside, each ticket scores once."""
        completed: list[Terms] = [[] for _ in parts]
        for origin, ends, points in self._tickets:
            once: Terms = []
            for inside, of_part in zip(parts, completed, strict=True):
                for cities, worth in zip(ends, points, strict=True):
                    done = rows.variable(worth)
                    for group in (origin, cities):
                        rows.constrain([(done, 1.0), *((inside[self._number[c]], -1.0) for c in group)], -np.inf, 0)
                    once.append((done, 1.0))
                    of_part.append((done, 1.0))
            rows.constrain(once, 0, 1)
        if question.needs_ticket:
            for of_part in completed:
                rows.constrain(of_part, 1, np.inf)

    def _add_limits(self, rows: _Rows, question: Question, use: dict[str, Terms]) -> None:
        """Add the number of trains, and that nobody claims both tracks of a double route."""
        fewest, most = question.trains
        trains = [(term, w * route.length) for route in self._choices for term, w in use[route.id]]
        rows.constrain(trains, fewest, most)
        between: dict[frozenset[str], Terms] = {}
        for route in self._choices:
            between.setdefault(frozenset(route.cities), []).extend(use[route.id])
        for terms in between.values():
            rows.constrain(terms, 0, 1)

    def _read(self, answer: OptimizeResult, price: float, use: dict[str, Terms], rows: _Rows) -> Answer:
        """Return the answer of HiGHS in our words."""
        infeasible = 2
        x, dual = answer.x, answer.get("mip_dual_bound")
        if answer.status == infeasible:
            return Answer(None, 0, 0, -np.inf)
        bound = sum(w for w in rows.worth if w > 0) if dual is None or not np.isfinite(dual) else -dual
        if x is None:
            return Answer(None, 0, 0, bound)
        half = 0.5
        routes = tuple(r for r in self._choices if any(x[term] > half for term, _ in use[r.id]))
        trains = sum(route.length for route in routes)
        worth = float(np.dot(rows.worth, np.round(x)))
        return Answer(routes, trains, round(worth + price * trains), bound + _TOLERANCE)


def _keep_parts_apart(rows: _Rows, parts: list[tuple[list[int], list[int]]]) -> None:
    """Demand that parts have no city in common, and come in the order of their roots."""
    if len(parts) == 1:
        return
    for cities in zip(*(inside for inside, _ in parts), strict=True):
        rows.constrain([(inside, 1.0) for inside in cities], 0, 1)
    for (_, first), (_, second) in pairwise(parts):
        order = [(root, -float(v)) for v, root in enumerate(first)] + [
            (root, float(v)) for v, root in enumerate(second)
        ]
        rows.constrain(order, 1, np.inf)


def _distinct_tracks(routes: Iterable[Route]) -> list[Route]:
    """Return the routes without tracks that equal another between the same cities; the cheapest of them stays."""
    best: dict[tuple[frozenset[str], int, int], Route] = {}
    for route in sorted(routes, key=lambda r: (r.toll, r.kind != "plain", r.track)):
        best.setdefault((frozenset(route.cities), route.length, route.points), route)
    kept = {route.id for route in best.values()}
    return [route for route in routes if route.id in kept]


def _distinct_tickets(
    tickets: Iterable[Ticket],
) -> list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]]:
    """Return the cities of the origin and of each destination, with points; those of copies are added up."""
    n_copies: dict[tuple[tuple[str, ...], tuple[tuple[tuple[str, ...], int], ...]], int] = {}
    for ticket in tickets:
        key = (ticket.origin.cities, tuple((place.cities, points) for place, points in ticket.destinations))
        n_copies[key] = n_copies.get(key, 0) + 1
    return [
        (origin, tuple(cities for cities, _ in ends), tuple(n * points for _, points in ends))
        for (origin, ends), n in n_copies.items()
    ]


class Deadline:
    """
    A time by which to be done.

    Parameters
    ----------
    seconds
        From now.
    """

    def __init__(self, seconds: float) -> None:
        self._start = time.perf_counter()
        self._seconds = seconds

    @property
    def spent(self) -> float:
        """Seconds gone by."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds left; negative when they are over."""
        return self._seconds - self.spent
