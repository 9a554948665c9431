"""
The most points possible with a number of trains, proven by an integer program for routes and tickets.

Tickets are completed by *parts*: connected sets of routes. Each part is an arborescence,
rooted at its first city in map order and kept connected by cuts, which are added when
violated. The linear relaxation with all cuts is nearly exact [1]_: on maps of 50 cities
HiGHS needs a few seconds and hardly branches. Routes outside the parts only count for
their points.

References
----------
.. [1] Wong, R. T. "A dual ascent approach for Steiner tree problems on a
   directed graph". Mathematical Programming 28 (1984), 271-287.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, inf
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from ttr_analysis._compile import Floats
from ttr_analysis._words import counted
from ttr_analysis.analysis.tickets.network import Network, forest_solver, join_cities, reached_destinations
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, Ticket

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


Components = Literal["one", "any"]

_N_PRICES = 8
"""Maximum number of train prices to try in one proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestNetwork(Network):
    """
    The best network found for a given number of trains.

    Its `tickets` are all tickets of the map that `routes` complete.

    Parameters
    ----------
    bound
        Proven bound: no network of the `scope` scores more.
    scope
        Networks that the proof covers: those whose completed tickets form one connected
        part ("one"), or all networks ("any").
    """

    trains: int
    bound: int
    scope: Components
    seconds: float

    @property
    def score(self) -> int:
        """Points of tickets and routes together."""
        return self.points

    @property
    def gap(self) -> float:
        """Excess of the bound over the score, as a share of the score; 0 if proven best."""
        return (self.bound - self.score) / max(1, self.score)

    @property
    def is_proven(self) -> bool:
        """Whether no network of the `scope` can score more."""
        return self.bound <= self.score

    def __repr__(self) -> str:
        scope = ", tickets in one part" if self.scope == "one" else ""
        proof = f"proven best{scope}" if self.is_proven else f"at most {self.bound} possible{scope}"
        return (
            f"<BestNetwork for {self.trains} trains: {self.score} points = {self.ticket_points} from "
            f"{counted(len(self.tickets), 'ticket')} + {self.route_points} from "
            f"{counted(len(self.routes), 'route')}, {proof}>"
        )


def best_network(
    game_map: MapLike,
    trains: int | None = None,
    *,
    components: Components = "one",
    time_limit: float = 600.0,
) -> BestNetwork:
    """
    Return the routes that score the most with a given number of trains, counting all tickets of the map.

    The player may choose any tickets, and nobody interferes. The points are those of
    completed tickets (each copy counts; tickets to countries by the best one reached)
    and routes, without any bonus. Nobody claims both tracks of a double route.

    Parameters
    ----------
    trains
        Number of trains; by default the map's.
    components
        "one": networks whose completed tickets are in one connected part; other routes may
        be anywhere, for their points. "any": all networks, which takes about five times as
        long.
    time_limit
        Seconds, after which the best network and bound so far are returned; the
        last step may take a little longer.

    Raises
    ------
    ValueError
        If `trains` is negative, or `components` unknown.

    Notes
    -----
    An integer program, solved by HiGHS in a few seconds for a map; it takes longest
    with few trains or few tickets, because most trains are then free for other routes. For
    "any", networks of several parts that complete tickets are bounded by a price for
    each train: if every part with at most half of the trains earns at most *a* points
    more than its trains cost, every larger one *b*, and all routes outside the parts *c*,
    two or more parts score at most ``price * trains + a + max(a, b) + c`` (for *a* up to
    0; at most one part is large). If the lowest such bound exceeds the best score,
    networks of two parts are searched, then of three, and so on.

    The USA map with 45 trains has a published best score of 285, 223 of it
    from tickets [1]_.

    References
    ----------
    .. [1] Schaefer and Schaefer, "Maximizing the Score in Ticket to Ride",
       arXiv:2511.08441, 2025.

    Examples
    --------
    >>> best = best_network(ttr.load_map("nordic"))
    >>> best.trains, best.score, best.ticket_points, best.bound, best.is_proven
    (40, 330, 278, 330, True)
    """
    game_map = as_map(game_map)
    limit = game_map.rules.trains.per_player if trains is None else trains
    if limit < 0:
        raise ValueError(f"the number of trains must be 0 or more, got {trains}")
    if components not in get_args(Components):
        raise ValueError(f"components must be 'one' or 'any', got {components!r}")
    deadline = Deadline(time_limit)
    program = BestProgram(game_map)
    solution = program.solve(Subproblem(n_parts=1, trains=(0, limit)), deadline.left)
    best = _evaluate(game_map, solution.routes or ())
    bound = max(floor(solution.bound), best.points)
    if components == "any":
        best, others = _SeveralParts(program, limit, best, deadline).search()
        bound = max(bound, others, best.points)
    return BestNetwork(
        tickets=best.tickets,
        routes=best.routes,
        reached=best.reached,
        trains=limit,
        bound=bound,
        scope=components,
        seconds=deadline.spent,
    )


def _evaluate(game_map: GameMap, routes: Sequence[Route]) -> Network:
    """Return a network with all tickets of the map that it completes, whether the program counted them or not."""
    parts = join_cities(routes)
    reached = {ticket: reached_destinations(ticket, parts) for ticket in game_map.tickets}
    completed = tuple(ticket for ticket, names in reached.items() if names)
    return Network(completed, tuple(routes), (), tuple(reached[ticket] for ticket in completed))


class _SeveralParts:
    """Search for networks of several connected parts, each of which completes tickets, that beat the best one."""

    def __init__(self, program: BestProgram, limit: int, best: Network, deadline: Deadline) -> None:
        self.program = program
        self.limit = limit
        self.best = best
        self.deadline = deadline
        # Trains and score of known parts, which rule out some prices.
        self._known = _single_tickets(program.game_map)
        self._least = min((trains for trains, _ in self._known), default=limit + 1)

    def search(self) -> tuple[Network, int]:
        bound = 0
        n_parts = 2
        while n_parts * self._least <= self.limit:
            rest = self._bound(n_parts)
            if rest <= self.best.points or self.deadline.left <= 0:
                return self.best, max(bound, rest)
            subproblem = Subproblem(n_parts, (0, self.limit), needs_ticket=True)
            solution = self.program.solve(subproblem, self.deadline.left)
            found = _evaluate(self.program.game_map, solution.routes or ())
            if found.points > self.best.points:
                self.best = found
            bound = max(bound, floor(solution.bound) if solution.bound > -inf else 0)
            n_parts += 1
        return self.best, bound

    def _bound(self, n_parts: int) -> int:
        """Return the lowest bound found for networks of at least `n_parts` parts."""
        bound = self._trivial_bound()
        price = self.best.points / self.limit
        for _ in range(_N_PRICES):
            if self.deadline.left <= 0:
                break
            bound = min(bound, self._bound_at(price, n_parts))
            if bound <= self.best.points:
                break
            # Known parts rule out most prices; take the most promising one.
            prices = np.linspace(0, 4, 401)[1:] * self.best.points / self.limit
            least = [self._total(p, n_parts, self._earned(p, small=True), self._earned(p, small=False)) for p in prices]
            if floor(min(least)) > self.best.points:
                break
            price = float(prices[int(np.argmin(least))])
        return bound

    def _bound_at(self, price: float, n_parts: int) -> int:
        """Return the bound for networks of at least `n_parts` parts, at a price per train."""
        half = self.limit // 2
        large = self._solve_part(price, (half + 1, self.limit - self._least * (n_parts - 1)))
        optimistic = self._total(price, n_parts, self._earned(price, small=True), large)
        if floor(optimistic) > self.best.points:
            return self._trivial_bound()  # the price fails anyway, so the small parts need not be searched
        small = self._solve_part(price, (self._least, half))
        return floor(self._total(price, n_parts, small, large))

    def _solve_part(self, price: float, trains: tuple[int, int]) -> float:
        """Return an upper bound on what a part with this range of trains earns above the price."""
        if trains[0] > trains[1]:
            return -inf
        subproblem = Subproblem(1, trains, price=price, extras=False, needs_ticket=True)
        solution: Solution = self.program.solve(subproblem, self.deadline.left)
        if solution.routes is not None:
            self._known.append((solution.trains, solution.score))
        return solution.bound

    def _earned(self, price: float, *, small: bool) -> float:
        half = self.limit // 2
        least, most = (0, half) if small else (half + 1, self.limit - self._least)
        return max((score - price * trains for trains, score in self._known if least <= trains <= most), default=-inf)

    def _total(self, price: float, n_parts: int, small: float, large: float) -> float:
        """Return the bound that follows from the most that small and large parts earn above the price."""
        # Every route outside the parts; of a double route, the better track.
        outside: dict[frozenset[str], float] = {}
        for route in self.program.game_map.routes:
            ends = frozenset(route.cities)
            outside[ends] = max(outside.get(ends, 0.0), route.points - price * route.length)
        most = self.limit // self._least
        several = most if small > 0 else n_parts
        parts = max(several * small, large + (several - 1) * small)
        return max(0.0, price * self.limit + sum(outside.values()) + parts)

    def _trivial_bound(self) -> int:
        """Return a bound that needs no search: all tickets, and the best points per train."""
        game_map = self.program.game_map
        per_train = max((route.points / route.length for route in game_map.routes), default=0.0)
        return floor(sum(ticket.points for ticket in game_map.tickets) + per_train * self.limit)


def _single_tickets(game_map: GameMap) -> list[tuple[int, int]]:
    solver = forest_solver(game_map)
    networks = [solver.find([ticket]) for ticket in game_map.tickets]
    return [(network.length, network.points) for network in networks if network]


Terms = list[tuple[int, float]]

_THRESHOLD = 0.5  # a binary variable above this counts as 1
_TOLERANCE = 1e-4  # HiGHS treats numbers as integers, and bounds as reached, within about 1e-6


class Subproblem(NamedTuple):
    """Number of parts, limits and price of trains, whether routes outside count, whether each part needs a ticket."""

    n_parts: int
    trains: tuple[int, int]
    price: float = 0.0
    extras: bool = True
    needs_ticket: bool = False


class Solution(NamedTuple):
    """Routes claimed, None if none were found; their length, their points including tickets, and an upper bound."""

    routes: tuple[Route, ...] | None
    trains: int
    score: int
    bound: float


@dataclass(slots=True)
class _Rows:
    """Binary variables, and linear constraints on them."""

    worth: list[float] = field(default_factory=list)
    entries: list[tuple[int, int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def variable(self, worth: float = 0.0) -> int:
        self.worth.append(worth)
        return len(self.worth) - 1

    def constrain(self, terms: Iterable[tuple[int, float]], low: float, high: float) -> None:
        self.entries += [(len(self.low), variable, weight) for variable, weight in terms]
        self.low.append(low)
        self.high.append(high)

    def maximize(self, time_limit: float, *, relaxed: bool = False) -> OptimizeResult:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        rows, columns, weights = zip(*self.entries, strict=True)
        matrix = coo_array((weights, (rows, columns)), shape=(len(self.low), len(self.worth))).tocsr()
        return milp(
            -np.array(self.worth),
            integrality=np.full(len(self.worth), 0 if relaxed else 1),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, np.array(self.low), np.array(self.high)),
            options={"mip_rel_gap": 0, "time_limit": max(time_limit, 0.01)},
        )


class _Part(NamedTuple):
    """The variables of a part: whether a city is inside, whether it is the root, and whether an arc is used."""

    inside: list[int]
    root: list[int]
    arcs: list[tuple[int, int]]
    open: list[int]

    def terms(self, cut: PartCut) -> Terms:
        entering = [
            (variable, 1.0)
            for (start, end), variable in zip(self.arcs, self.open, strict=True)
            if end in cut.cities and start not in cut.cities
        ]
        return [*entering, *((self.root[v], 1.0) for v in sorted(cut.cities)), (self.inside[cut.city], -1.0)]


class BestProgram:
    """The integer program of a map."""

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map
        self._number = game_map.city_numbers
        self._choices = _distinct_tracks(game_map.routes)
        self._tickets = _distinct_tickets(game_map.tickets)
        # Cuts are valid for every subproblem, so they are kept for later ones.
        self._cuts = dict.fromkeys(cycle_cuts(self._ends(route) for route in self._choices))

    def solve(self, subproblem: Subproblem, time_limit: float) -> Solution:
        """Return the best solution, or the best found within `time_limit` seconds, with a proven bound."""
        deadline = Deadline(time_limit)
        rows = _Rows()
        use: dict[str, Terms] = {route.id: [] for route in self._choices}
        parts = [self._add_part(rows, subproblem, use) for _ in range(subproblem.n_parts)]
        self._add_tickets(rows, subproblem, parts)
        _keep_parts_apart(rows, parts)
        if subproblem.extras:
            for route in self._choices:
                use[route.id].append((rows.variable(route.points - subproblem.price * route.length), 1.0))
        self._add_limits(rows, subproblem, use)
        self._add_cuts(rows, parts, self._cuts)
        self._relax(rows, parts, deadline)
        bound = np.inf
        while True:
            result = rows.maximize(deadline.left)
            solution = self._read(result, subproblem.price, use, rows)
            bound = min(bound, solution.bound)
            cuts = [] if result.x is None else _missing(parts, result.x)
            if not cuts or deadline.left <= 0:
                return solution._replace(bound=bound)
            # Each cut is new, since the solution violates it.
            self._cuts.update(dict.fromkeys(cuts))
            self._add_cuts(rows, parts, cuts)

    def _relax(self, rows: _Rows, parts: list[_Part], deadline: Deadline) -> None:
        """Add the cuts that fractional solutions violate, as long as there are any."""
        while deadline.left > 0:
            x = rows.maximize(deadline.left, relaxed=True).x
            if x is None:
                return
            cuts = [
                cut for part in parts for cut in violated_cuts(part.arcs, x[part.open], x[part.root], x[part.inside])
            ]
            new = [cut for cut in dict.fromkeys(cuts) if cut not in self._cuts]
            if not new:
                return
            self._cuts.update(dict.fromkeys(new))
            self._add_cuts(rows, parts, new)

    def _add_part(self, rows: _Rows, subproblem: Subproblem, use: dict[str, Terms]) -> _Part:
        n = len(self._number)
        part = _Part([rows.variable() for _ in range(n)], [rows.variable() for _ in range(n)], [], [])
        for route in self._choices:
            a, b = self._ends(route)
            both: Terms = []
            for ends in ((a, b), (b, a)):
                both.append((rows.variable(route.points - subproblem.price * route.length), 1.0))
                part.arcs.append(ends)
                part.open.append(both[-1][0])
            use[route.id] += both
            for v in (a, b):
                rows.constrain([*both, (part.inside[v], -1.0)], -np.inf, 0)
        rows.constrain([(root, 1.0) for root in part.root], 1.0 if subproblem.needs_ticket else 0.0, 1.0)
        for v in range(n):
            entering = [(arc, 1.0) for (_, end), arc in zip(part.arcs, part.open, strict=True) if end == v]
            rows.constrain([*entering, (part.root[v], 1.0), (part.inside[v], -1.0)], 0, 0)
            # The root is the first city of the part; otherwise any city could be it.
            rows.constrain([(part.inside[v], 1.0), *((part.root[u], -1.0) for u in range(v + 1))], -np.inf, 0)
        return part

    def _add_tickets(self, rows: _Rows, subproblem: Subproblem, parts: list[_Part]) -> None:
        """Add the tickets that each part completes: both ends are inside, each ticket scores once."""
        completed: list[Terms] = [[] for _ in parts]
        exits = [self._leaving(part) for part in parts]
        for origin, ends, points in self._tickets:
            once: Terms = []
            for part, of_part, part_exits in zip(parts, completed, exits, strict=True):
                for cities, worth in zip(ends, points, strict=True):
                    done = rows.variable(worth)
                    for group in (origin, cities):
                        reached = [(part.inside[self._number[c]], -1.0) for c in group]
                        rows.constrain([(done, 1.0), *reached], -np.inf, 0)
                    once.append((done, 1.0))
                    of_part.append((done, 1.0))
                    for city in {*origin, *cities}:
                        part_exits[self._number[city]].append((done, -1.0))
            rows.constrain(once, 0, 1)
        # A part ends only in cities of its tickets: a route that leads elsewhere belongs outside the parts.
        for part, part_exits in zip(parts, exits, strict=True):
            for v, terms in enumerate(part_exits):
                rows.constrain([(part.inside[v], 1.0), *terms], -np.inf, 0)
        if subproblem.needs_ticket:
            for of_part in completed:
                rows.constrain(of_part, 1, np.inf)

    def _leaving(self, part: _Part) -> list[Terms]:
        leaving: list[Terms] = [[] for _ in part.inside]
        for (start, _), variable in zip(part.arcs, part.open, strict=True):
            leaving[start].append((variable, -1.0))
        return leaving

    def _add_limits(self, rows: _Rows, subproblem: Subproblem, use: dict[str, Terms]) -> None:
        fewest, most = subproblem.trains
        trains = [(term, w * route.length) for route in self._choices for term, w in use[route.id]]
        rows.constrain(trains, fewest, most)
        between: dict[frozenset[str], Terms] = {}
        for route in self._choices:
            between.setdefault(frozenset(route.cities), []).extend(use[route.id])
        for terms in between.values():
            rows.constrain(terms, 0, 1)

    def _add_cuts(self, rows: _Rows, parts: list[_Part], cuts: Iterable[PartCut]) -> None:
        for cut in cuts:
            for part in parts:
                rows.constrain(part.terms(cut), 0, np.inf)

    def _read(self, result: OptimizeResult, price: float, use: dict[str, Terms], rows: _Rows) -> Solution:
        infeasible = 2
        x, dual = result.x, result.get("mip_dual_bound")
        if result.status == infeasible:
            return Solution(None, 0, 0, -np.inf)
        bound = sum(w for w in rows.worth if w > 0) if dual is None or not np.isfinite(dual) else -dual
        if x is None:
            return Solution(None, 0, 0, bound)
        routes = tuple(r for r in self._choices if any(x[term] > _THRESHOLD for term, _ in use[r.id]))
        trains = sum(route.length for route in routes)
        worth = float(np.dot(rows.worth, np.round(x)))
        return Solution(routes, trains, round(worth + price * trains), bound + _TOLERANCE)

    def _ends(self, route: Route) -> tuple[int, int]:
        a, b = route.cities
        return self._number[a], self._number[b]


def _missing(parts: list[_Part], x: Floats) -> list[PartCut]:
    cuts = []
    for part in parts:
        arcs = [ends for ends, variable in zip(part.arcs, part.open, strict=True) if x[variable] > _THRESHOLD]
        root, inside = ([v for v, i in enumerate(of) if x[i] > _THRESHOLD] for of in (part.root, part.inside))
        cuts += missing_cuts(arcs, root, inside)
    return cuts


def _keep_parts_apart(rows: _Rows, parts: list[_Part]) -> None:
    """Make parts disjoint, and order them by their roots."""
    if len(parts) == 1:
        return
    for cities in zip(*(part.inside for part in parts), strict=True):
        rows.constrain([(inside, 1.0) for inside in cities], 0, 1)
    for first, second in pairwise(parts):
        before = [(root, -float(v)) for v, root in enumerate(first.root)]
        after = [(root, float(v)) for v, root in enumerate(second.root)]
        rows.constrain([*before, *after], 1, np.inf)


def _distinct_tracks(routes: Iterable[Route]) -> list[Route]:
    """Remove equal tracks between the same cities, keeping the cheapest."""
    best: dict[tuple[frozenset[str], int, int], Route] = {}
    for route in sorted(routes, key=lambda r: (r.toll, r.kind != "plain", r.track)):
        best.setdefault((frozenset(route.cities), route.length, route.points), route)
    kept = {route.id for route in best.values()}
    return [route for route in routes if route.id in kept]


def _distinct_tickets(
    tickets: Iterable[Ticket],
) -> list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]]:
    """Return the cities of the origin and of each destination, with points added up over copies."""
    n_copies: dict[tuple[tuple[str, ...], tuple[tuple[tuple[str, ...], int], ...]], int] = {}
    for ticket in tickets:
        key = (ticket.origin.cities, tuple((place.cities, points) for place, points in ticket.destinations))
        n_copies[key] = n_copies.get(key, 0) + 1
    return [
        (origin, tuple(cities for cities, _ in ends), tuple(n * points for _, points in ends))
        for (origin, ends), n in n_copies.items()
    ]


class Deadline:
    """A time limit in seconds, starting now."""

    def __init__(self, seconds: float) -> None:
        self._start = time.perf_counter()
        self._seconds = seconds

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds left; negative after the limit."""
        return self._seconds - self.spent


# -- cuts that keep the parts connected ----------------------------------------------------------------------------
#
# A part of a network is an arborescence: arcs lead from its root to all its
# cities. That holds if and only if, for each set of cities without the root, an
# arc enters the set whenever one of its cities is inside the part. There are far
# too many such *cuts* to list, but few of them matter: those around short cycles,
# and those that a solution violates, found as minimum cuts.

MAX_CYCLE = 5
"""Maximum number of cities of the cycles around which cuts are included from the start."""

_SCALE = 1_000_000  # flows are integers
_SMALL = 1e-4


class PartCut(NamedTuple):
    """If `city`, one of `cities`, is inside the part, an arc enters `cities` or the root is among them."""

    cities: frozenset[int]
    city: int


def cycle_cuts(pairs: Iterable[tuple[int, int]]) -> list[PartCut]:
    """Return the cuts around all short cycles of a map."""
    import networkx as nx

    G = nx.Graph(pairs)
    cycles = sorted(sorted(cycle) for cycle in nx.simple_cycles(G, length_bound=MAX_CYCLE))
    return list(dict.fromkeys(PartCut(frozenset(cycle), city) for cycle in cycles for city in cycle))


def violated_cuts(arcs: Sequence[tuple[int, int]], open_arcs: Floats, root: Floats, inside: Floats) -> list[PartCut]:
    """Return cuts that a fractional solution violates, two for each city that is cut off."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n = len(root)
    tails = np.concatenate([np.full(n, n), [a for a, _ in arcs]])
    heads = np.concatenate([np.arange(n), [b for _, b in arcs]])
    capacity = (np.concatenate([root, open_arcs]).clip(0, 1) * _SCALE).astype(np.int32)
    graph = csr_array((capacity, (tails, heads)), shape=(n + 1, n + 1))
    cuts = []
    for city in np.argsort(-inside, kind="stable"):
        if inside[city] < _SMALL:
            break
        flow = maximum_flow(graph, n, int(city))
        if flow.flow_value >= (inside[city] - _SMALL) * _SCALE:
            continue
        rest = csr_array(graph - flow.flow)
        rest.data = rest.data.clip(0)
        rest.eliminate_zeros()
        from_root = breadth_first_order(rest, n, return_predecessors=False)
        to_city = breadth_first_order(csr_array(rest.T), int(city), return_predecessors=False)
        cuts += [
            PartCut(frozenset(range(n)) - frozenset(from_root.tolist()), int(city)),
            PartCut(frozenset(to_city.tolist()), int(city)),
        ]
    return list(dict.fromkeys(cuts))


def missing_cuts(arcs: Iterable[tuple[int, int]], root: Iterable[int], inside: Iterable[int]) -> list[PartCut]:
    """
    Return cuts that an integer solution violates; none if it is connected.

    >>> cuts = missing_cuts([(0, 1), (2, 3), (3, 2)], [0], [0, 1, 2, 3])  # a cycle that the root does not reach
    >>> [(sorted(cut.cities), cut.city) for cut in cuts]
    [([2, 3], 2), ([2, 3], 3)]
    """
    import networkx as nx

    G = nx.DiGraph(list(arcs))
    G.add_nodes_from(inside)
    reached = {city for start in root if start in G for city in (start, *nx.descendants(G, start))}
    return [
        PartCut(frozenset(part), city)
        for part in nx.weakly_connected_components(G.subgraph(set(inside) - reached))
        for city in sorted(part)
    ]
