"""The most points that a number of trains can make: tickets and routes, with proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Literal, get_args

import numpy as np

from ttr_analysis._words import counted
from ttr_analysis.analysis.tickets.network import (
    Network,
    forest_solver,
    join_cities,
    reached_destinations,
    trains_of,
)
from ttr_analysis.analysis.tickets.program import Answer, BestProgram, Deadline, Question
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route

Components = Literal["one", "any"]

_N_PRICES = 8
"""Prices of a train that are tried at most in one proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestNetwork(Network):
    """
    The most points that a number of trains can make.

    Its `tickets` are all those of the map that `routes` complete.

    Parameters
    ----------
    trains
        The number of trains.
    bound
        No network scores more: proven.
    scope
        What the proof is about: networks whose completed tickets are
        connected ("one"; further routes may lie anywhere), or all ("any").
    seconds
        How long it took.
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
        """How much higher the bound is than the score, as a share of the score; 0: proven best."""
        return (self.bound - self.score) / max(1, self.score)

    @property
    def is_proven(self) -> bool:
        """Whether nothing can score more."""
        return self.bound <= self.score

    def __repr__(self) -> str:
        """Return the score, its parts and what is proven."""
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
    Return the routes that score most with a number of trains, over all tickets of the map.

    A player who could choose any tickets, and whom nobody disturbs: the
    points of the completed tickets (each copy counts; one to countries by the
    best that it reaches) and of the routes, without any bonus. Nobody claims
    both tracks of a double route.

    Parameters
    ----------
    game_map
        The map, or its name.
    trains
        Number of trains; None: the map's.
    components
        "one": among networks whose completed tickets lie in one
        connected part, with further routes anywhere for their points. "any":
        among all networks; takes about five times as long.
    time_limit
        Seconds. When they are over, the best network so far is returned with
        the bound proven so far; the last step may take a little longer.

    Returns
    -------
    best
        The network, its score, and the proven bound.

    Raises
    ------
    ValueError
        If `trains` is negative, or `components` unknown.

    Notes
    -----
    An integer program, solved by HiGHS: see the module `program`. It takes
    some seconds for a map; longest with few trains or few tickets, when most
    of the trains are left for routes anywhere. For "any", networks of
    several parts that complete tickets are bounded by a price for each train:
    if every part with at most half of the trains earns at most *a* points
    more than its trains cost, and every larger one at most *b*, then two or
    more parts score at most ``price * trains + a + max(a, b)`` (for *a* up to
    0; at most one part is large). The price is chosen to make that small. If
    it is still above the best score, networks of two parts are searched
    directly, then of three, and so on.

    The USA map with 45 trains has a published best score of 285, 223 of it
    from tickets [1]_.

    References
    ----------
    .. [1] Schaefer and Schaefer, "Maximizing the Score in Ticket to Ride",
       arXiv:2511.08441, 2025.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> best = best_network(ttr.load_map("nordic"))
    >>> best.trains, best.score, best.ticket_points, best.bound, best.is_proven
    (40, 330, 278, 330, True)
    """
    game_map = as_map(game_map)
    limit = game_map.rules.trains.per_player if trains is None else trains
    if limit < 0:
        msg = f"the number of trains must be 0 or more, got {trains}"
        raise ValueError(msg)
    if components not in get_args(Components):
        msg = f"components must be 'one' or 'any', got {components!r}"
        raise ValueError(msg)
    deadline = Deadline(time_limit)
    program = BestProgram(game_map)
    answer = program.solve(Question(n_parts=1, trains=(0, limit)), deadline.left)
    best = _evaluate(game_map, answer.routes or ())
    bound = max(floor(answer.bound), best.points)
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
    """Return a network with all tickets of the map that it completes, whatever the program thought of."""
    parts = join_cities(routes)
    reached = {ticket: reached_destinations(ticket, parts) for ticket in game_map.tickets}
    completed = tuple(ticket for ticket, names in reached.items() if names)
    return Network(completed, tuple(routes), (), tuple(reached[ticket] for ticket in completed))


class _SeveralParts:
    """
    Networks of two or more connected parts, each of which completes tickets.

    Parameters
    ----------
    program
        The integer program of the map.
    limit
        Number of trains.
    best
        The best network known.
    deadline
        When to stop.
    """

    def __init__(self, program: BestProgram, limit: int, best: Network, deadline: Deadline) -> None:
        self.program = program
        self.limit = limit
        self.best = best
        self.deadline = deadline
        # Trains and score of parts that are known to exist: they tell which prices cannot work.
        self._known = _single_tickets(program.game_map)
        self._least = min((trains for trains, _ in self._known), default=limit + 1)

    def search(self) -> tuple[Network, int]:
        """Return the best network, and a bound for all networks of several parts."""
        bound = 0
        n_parts = 2
        while n_parts * self._least <= self.limit:
            rest = self._bound(n_parts)
            if rest <= self.best.points or self.deadline.left <= 0:
                return self.best, max(bound, rest)
            question = Question(n_parts, (0, self.limit), needs_ticket=True)
            answer = self.program.solve(question, self.deadline.left)
            found = _evaluate(self.program.game_map, answer.routes or ())
            if found.points > self.best.points:
                self.best = found
            bound = max(bound, floor(answer.bound) if answer.bound > -inf else 0)
            n_parts += 1
        return self.best, bound

    def _bound(self, n_parts: int) -> int:
        """Return the lowest bound found for networks of at least so many parts."""
        bound = self._trivial_bound()
        price = self.best.points / self.limit
        for _ in range(_N_PRICES):
            if self.deadline.left <= 0:
                break
            bound = min(bound, self._bound_at(price, n_parts))
            if bound <= self.best.points:
                break
            # Parts known by now rule out most prices; take the one that looks best.
            prices = np.linspace(0, 4, 401)[1:] * self.best.points / self.limit
            hopes = [self._total(p, n_parts, self._earned(p, small=True), self._earned(p, small=False)) for p in prices]
            if floor(min(hopes)) > self.best.points:
                break
            price = float(prices[int(np.argmin(hopes))])
        return bound

    def _bound_at(self, price: float, n_parts: int) -> int:
        """Return the bound for networks of at least so many parts that a price of a train gives."""
        half = self.limit // 2
        large = self._solve_part(price, (half + 1, self.limit - self._least * (n_parts - 1)))
        hope = self._total(price, n_parts, self._earned(price, small=True), large)
        if floor(hope) > self.best.points:
            return self._trivial_bound()  # this price does not do: the small parts need not be searched
        small = self._solve_part(price, (self._least, half))
        return floor(self._total(price, n_parts, small, large))

    def _solve_part(self, price: float, trains: tuple[int, int]) -> float:
        """Return a bound for what a part with so many trains earns above their price."""
        if trains[0] > trains[1]:
            return -inf
        question = Question(1, trains, price=price, extras=False, needs_ticket=True)
        answer: Answer = self.program.solve(question, self.deadline.left)
        if answer.routes is not None:
            self._known.append((answer.trains, answer.score))
        return answer.bound

    def _earned(self, price: float, *, small: bool) -> float:
        """Return the most that a known part earns above the price of its trains."""
        half = self.limit // 2
        return max(
            (
                score - price * trains
                for trains, score in self._known
                if (trains <= half if small else half < trains <= self.limit - self._least)
            ),
            default=-inf,
        )

    def _total(self, price: float, n_parts: int, small: float, large: float) -> float:
        """Return the bound that follows if small and large parts earn at most so much above the price."""
        # Every route outside the parts, of a double route the better track.
        outside: dict[frozenset[str], float] = {}
        for route in self.program.game_map.routes:
            ends = frozenset(route.cities)
            outside[ends] = max(outside.get(ends, 0.0), route.points - price * route.length)
        most = self.limit // self._least
        several = most if small > 0 else n_parts
        beside = (most if small > 0 else n_parts) - 1
        parts = max(several * small, large + beside * small)
        return max(0.0, price * self.limit + sum(outside.values()) + parts)

    def _trivial_bound(self) -> int:
        """Return a bound that needs no search: all tickets, and the best points per train."""
        game_map = self.program.game_map
        per_train = max((route.points / route.length for route in game_map.routes), default=0.0)
        return floor(sum(ticket.points for ticket in game_map.tickets) + per_train * self.limit)


def _single_tickets(game_map: GameMap) -> list[tuple[int, int]]:
    """Return the fewest trains for each ticket, and the score of that network; nothing for impossible ones."""
    singles = np.arange(len(game_map.tickets), dtype=np.int64)[:, None]
    solver = forest_solver(game_map)
    costs, used = solver.used_routes(game_map.tickets, singles)
    networks = [
        solver.network([ticket], flags)
        for ticket, cost, flags in zip(game_map.tickets, trains_of(costs), used, strict=True)
        if cost >= 0
    ]
    return [(network.length, network.points) for network in networks]
