"""Whether tickets can still be completed, why not, which losses break them, and which stations would save them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis._upward import render_html
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis import payments
from ttr_analysis.analysis._ends import closes_twin, tickets_or_pairs
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.analysis.tickets import steiner
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    NoNetworkError,
    forest_solver,
    solver_of,
    trains_left,
    trains_of,
)
from ttr_analysis.cards import COLORS, GRAY, CardCounts
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.tables import map_tables, spaces_of

if TYPE_CHECKING:
    import pandas as pd


# -- stations --------------------------------------------------------------------------------------------------------


class StationHelp(NamedTuple):
    """
    Stations that make impossible tickets possible: usually one.

    Parameters
    ----------
    route
        The opponent's route that the station borrows; the station may be at either end.
    trains
        Fewest trains still to place.
    more
        Routes for further stations, if one is not enough.

    Examples
    --------
    >>> europe = ttr.load_map("europe")
    >>> print(StationHelp(europe.route("Brest", "Dieppe"), 1, (europe.route("Palermo", "Roma"),)))
    stations in Brest or Dieppe and in Palermo or Roma, and 1 train
    """

    route: Route
    trains: int
    more: tuple[Route, ...] = ()

    @property
    def routes(self) -> tuple[Route, ...]:
        """The borrowed routes, one for each station."""
        return (self.route, *self.more)

    def __str__(self) -> str:
        places = listed(f"in {listed(route.cities, 'or')}" for route in self.routes)
        return f"{'stations' if self.more else 'a station'} {places}, and {counted(self.trains, 'train')}"


def stations_left(game_map: GameMap, stations: int | None) -> int:
    """Return how many stations can still be built; by default the number in the rules."""
    most = game_map.rules.stations.number
    if stations is None:
        return most
    if not 0 <= stations <= most:
        raise ValueError(f"stations must be from 0 to {most}, the number in the rules, got {stations}")
    return stations


class StationNetworks:
    """Cheapest networks for each set of tickets if stations borrow closed routes, at most one per pair of cities."""

    def __init__(
        self, solver: ForestSolver, tickets: Sequence[Ticket], closed: Iterable[RouteLike], stations: int
    ) -> None:
        routes = {frozenset(route.cities): route for route in solver.game_map.resolve_routes(closed)}
        self.routes = tuple(routes.values())
        self.n_stations = stations if routes and tickets else 0
        if not self.n_stations:
            return
        ends = solver.ends(tickets)
        borrowable = map_tables(solver.game_map).ends[[solver.game_map.route_numbers[r.id] for r in self.routes]]
        n = len(solver.game_map.cities)
        work = steiner.make_work(len(tickets), n)
        self._costs = steiner.make_borrowing(len(tickets), len(ends.members), self.n_stations, n)
        steiner.borrow_paths(solver.board.distance, borrowable, steiner.pack_cost(owned=1), self._costs)
        steiner.solve_borrowing(ends, np.arange(len(tickets), dtype=np.int64), work, self._costs)

    def fewest(self, bits: int, left: int) -> StationHelp | None:
        """Return the fewest stations, then trains, for the tickets in mask `bits`; None if none help or are needed."""
        if not self.n_stations:
            return None
        forest = self._costs.forest
        trains = trains_of(forest.cost[bits])
        enough = np.flatnonzero((trains >= 0) & (trains <= left))
        if not len(enough):
            return None
        code, mask = int(forest.routes[bits, enough[0]]), (1 << steiner.ROUTE_BITS) - 1
        numbers = {code >> steiner.ROUTE_BITS * i & mask for i in range(self.n_stations)} - {0}
        borrowed = tuple(self.routes[number - 1] for number in sorted(numbers))
        return StationHelp(borrowed[0], int(trains[enough[0]]), borrowed[1:]) if borrowed else None


def may_borrow(
    solver: ForestSolver, ticket: Ticket, left: int, seat: int, built: Mapping[str, int], stations: int
) -> bool:
    """
    Return whether stations may complete a ticket for which a seat has too few trains.

    `built` has the owner of each city's station, and `stations` is the number that the seat
    has left. Open routes count as borrowable, since others may claim them, and two stations
    may share a city, so "no" is certain but "yes" is not.

    >>> europe = ttr.load_map("europe")
    >>> ticket = europe.ticket("Brest-Petrograd")
    >>> [may_borrow(ForestSolver(europe), ticket, 10, 0, {}, stations) for stations in range(4)]
    [False, False, False, True]
    """
    own = {city for city, owner in built.items() if owner == seat}
    sites = own | ({city.name for city in solver.game_map.cities} - built.keys() if stations else set())
    borrowable = [route for route in solver.game_map.routes if not sites.isdisjoint(route.cities)]
    return StationNetworks(solver, [ticket], borrowable, stations + len(own)).fewest(1, left) is not None


def helpful_stations(
    solver: ForestSolver, tickets: Sequence[Ticket], left: int, closed: Sequence[RouteLike], stations: int
) -> tuple[StationHelp, ...]:
    """Return each single station that is enough, fewest trains first; if none is, the smallest combination that is."""
    networks = StationNetworks(solver, tickets, closed, stations)
    fewest = networks.fewest((1 << len(tickets)) - 1, left)
    if fewest is None or fewest.more:
        return () if fewest is None else (fewest,)
    found = []
    for route in networks.routes:
        others = tuple(other for other in solver.closed if other != route)
        network = solver_of(solver.game_map, others, (*solver.owned, route)).find(tickets)
        if network and network.length <= left:
            found.append(StationHelp(route, network.length))
    return tuple(sorted(found, key=lambda station: station.trains))


# -- whether tickets can be completed ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """
    Routes whose loss makes the tickets impossible.

    Parameters
    ----------
    routes
        Routes lost, including tracks that close with others.
    n_claims
        Claims needed: 1 or 2.
    trains
        Fewest trains without them; None if the tickets are cut off.
    """

    routes: tuple[Route, ...]
    n_claims: int
    trains: int | None

    def __str__(self) -> str:
        cost = "cut off" if self.trains is None else f"{self.trains} trains"
        return f"{' and '.join(route.id for route in self.routes)}: {cost}"


@dataclass(frozen=True, slots=True)
class MissingCards:
    """
    Cards missing in a hand for one route of a network.

    Parameters
    ----------
    color
        Best color to pay in; "gray" for a gray route if no cards of a color would help.
    n_cards, n_locomotives
        Cards of that color, and locomotives for symbols, still needed.
    """

    route: Route
    color: str
    n_cards: int
    n_locomotives: int


@dataclass(frozen=True, slots=True)
class Feasibility:
    """
    Whether tickets can be completed, and how robustly.

    Parameters
    ----------
    network
        The network with the fewest trains, if any.
    why_not
        The reason why they cannot be completed; "" if they can.
    bottlenecks
        Single routes, and pairs of other routes, whose loss makes the tickets impossible.
    loans
        Fewest loans needed for the tolls.
    payable
        Whether the hand can pay for the whole network, without surcharges; None
        without a hand.
    missing
        Cards missing in the hand by route, if each space takes a single card.
    expected_cards
        Mean cards that the network takes, including surcharges and sets.
    stations
        If they cannot be completed: each single station that would make them possible, by
        the route it borrows; if none would, the smallest combination that does.
    """

    tickets: tuple[Ticket, ...]
    trains: int
    network: Network | None
    why_not: str
    bottlenecks: tuple[Bottleneck, ...] = field(default=(), repr=False)
    loans: int = 0
    payable: bool | None = None
    missing: tuple[MissingCards, ...] = field(default=(), repr=False)
    expected_cards: float = 0.0
    stations: tuple[StationHelp, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether the trains left are enough to complete the tickets."""
        return not self.why_not

    @property
    def routes(self) -> tuple[Route, ...]:
        """Routes to claim; none if there is no network."""
        return self.network.routes if self.network else ()

    @property
    def length(self) -> int | None:
        """Fewest trains needed; None if there is no network."""
        return self.network.length if self.network else None

    @property
    def slack(self) -> int | None:
        """Trains to spare, below 0 if too few; None if there is no network."""
        return self.trains - self.network.length if self.network else None

    @property
    def cards(self) -> int | None:
        """Fewest cards that pay for the network, one per space."""
        return self.length

    @property
    def n_missing(self) -> int:
        """Total cards missing in the hand."""
        return sum(lack.n_cards + lack.n_locomotives for lack in self.missing)

    @property
    def bottleneck_table(self) -> pd.DataFrame:
        """
        The bottlenecks as a table.

        `routes` (ids), `n_claims` (by others), `trains` (fewest without them; missing
        if cut off), `extra` (more than now).
        """
        import pandas as pd

        rows = [
            {
                "routes": ", ".join(route.id for route in b.routes),
                "n_claims": b.n_claims,
                "trains": b.trains,
                "extra": None if b.trains is None or self.length is None else b.trains - self.length,
            }
            for b in self.bottlenecks
        ]
        table = pd.DataFrame(rows, columns=["routes", "n_claims", "trains", "extra"])
        return table.astype({"trains": "Int64", "extra": "Int64"})

    def __repr__(self) -> str:
        head = counted(len(self.tickets), "ticket")
        if not self.possible:
            saved = f"; possible with {self.stations[0]}" if self.stations else ""
            return f"<Feasibility of {head}: impossible, {self.why_not}{saved}>"
        single = [b for b in self.bottlenecks if b.n_claims == 1]
        parts = [
            f"possible with {self.length} of {self.trains} trains ({self.slack} to spare)",
            f"{counted(len(single), 'bottleneck')} of one route",
            f"{len(self.bottlenecks) - len(single)} of two",
        ]
        if self.loans:
            parts.append(counted(self.loans, "loan"))
        if self.payable is not None:
            parts.append("the hand can pay" if self.payable else f"{counted(self.n_missing, 'card')} missing")
        return f"<Feasibility of {head}: {', '.join(parts)}>"

    _repr_html_ = render_html


def feasibility(
    game_map: MapLike,
    tickets: Iterable[TicketLike],
    trains: int | None = None,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
    hand: Cards | None = None,
    *,
    tokens: int | None = None,
    n_players: int | None = None,
    stations: int | None = None,
) -> Feasibility:
    """
    Return whether tickets can be completed, why not, and which losses would prevent it.

    Parameters
    ----------
    tickets
        Up to 7 tickets, ticket ids or pairs of places.
    trains
        Trains left; by default the map's number less those on `owned` routes.
    closed
        Routes that other players own.
    owned
        Routes you own, at no cost.
    tokens
        Value of the tokens left, if the map has tolls; by default the value at the start
        minus the tolls of `owned` routes.
    n_players
        With few players both tracks of a double route are lost together; and a
        single opponent takes only one track between two cities. None: each track
        counts by itself.
    stations
        Stations that can still be built; by default the number in the rules.
        Existing stations do not count.

    Returns
    -------
    feasibility
        The answer: `possible`, `why_not`, the `network` with its trains, toll
        and points, `slack`, `bottlenecks` and, with a hand, `missing`; on a map
        with stations also the `stations` that would make the tickets possible.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        If something named is not on the map.
    ValueError
        If there are more than 7 tickets, a route is closed and owned, `trains`
        is negative, or `stations` exceeds the number in the rules.

    Notes
    -----
    Exact. Each station borrows one route, chosen as at the end of the game, without
    regard to other players' stations. The loss of a route outside the network does
    not break it; so a single bottleneck is in the network, and of each pair one
    route is in it and the other in the best network without the first.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> feasibility(nordic, ["København-Murmansk"], trains=20)
    <Feasibility of 1 ticket: impossible, it takes 24 trains and 20 are left>
    >>> feasibility(nordic, ["Narvik-Murmansk"], trains=14).possible
    True
    """
    game_map = as_map(game_map)
    chosen = tickets_or_pairs(game_map, tickets)
    others = game_map.resolve_routes(closed)
    solver = forest_solver(game_map, others, owned, n_players=n_players)
    left = trains_left(game_map, solver.owned, trains)
    n_stations = stations_left(game_map, stations)
    try:
        network = solver.solve(chosen)
    except NoNetworkError as error:
        saving = helpful_stations(solver, chosen, left, others, n_stations)
        return Feasibility(chosen, left, None, str(error), stations=saving)
    too_long = f"it takes {counted(network.length, 'train')} and {left} are left" if network.length > left else ""
    money = game_map.rules.money.tokens
    if tokens is None:
        tokens = max(0, money - sum(route.toll for route in solver.owned))
    return Feasibility(
        tickets=chosen,
        trains=left,
        network=network,
        why_not=too_long,
        bottlenecks=() if too_long else _bottlenecks(solver, network, left, n_players),
        loans=fewest_loans(network.routes, tokens) if money else 0,
        payable=None if hand is None else payments.can_pay_all(network.routes, hand),
        missing=() if hand is None else missing_cards(network.routes, hand),
        expected_cards=float(sum(payments.expected_cards(game_map, route) for route in network.routes)),
        stations=helpful_stations(solver, chosen, left, others, n_stations) if too_long else (),
    )


def _bottlenecks(solver: ForestSolver, network: Network, left: int, n_players: int | None) -> tuple[Bottleneck, ...]:
    """Return the losses of one or two routes that make the tickets impossible; worst first."""
    together = closes_twin(solver.game_map, n_players)
    found: dict[frozenset[str], Bottleneck] = {}
    survivors: list[tuple[tuple[Route, ...], Network]] = []
    for route in network.routes:
        lost = lost_with(solver.game_map, route, together=together)
        without = solver.without(lost).find(network.tickets)
        if without is None or without.length > left:
            found[frozenset(r.id for r in lost)] = Bottleneck(lost, 1, without.length if without else None)
        else:
            survivors.append((lost, without))
    singles = {name for names in found for name in names}
    for first, other in survivors:
        closer = solver.without(first)
        for route in other.routes:
            second = lost_with(solver.game_map, route, together=together)
            names = frozenset(r.id for r in (*first, *second))
            one_opponent_takes_both = n_players == 2 and set(first[0].cities) == set(route.cities)  # noqa: PLR2004
            if route.id in singles or names in found or one_opponent_takes_both:
                continue
            without = closer.without(second).find(network.tickets)
            if without is None or without.length > left:
                found[names] = Bottleneck((*first, *second), 2, without.length if without else None)
    return tuple(sorted(found.values(), key=lambda b: (b.n_claims, b.trains is not None, -(b.trains or 0))))


def lost_with(game_map: GameMap, route: Route, *, together: bool) -> tuple[Route, ...]:
    """Return the routes that close with one: itself, and the other track of a double route if both close together."""
    twin = game_map.twin(route) if together else None
    return (route,) if twin is None else (route, twin)


def fewest_loans(routes: Iterable[Route], tokens: int) -> int:
    """
    Return the fewest loans needed for the tolls of routes to claim, given the value of the tokens left.

    Examples
    --------
    >>> nederland = ttr.load_map("nederland")
    >>> fewest_loans(nederland.routes_between("Breda", "Rotterdam"), tokens=7)
    1
    """
    # Cheapest first, so that as many as possible are paid in tokens.
    unpaid = 0
    for toll in sorted(route.toll for route in routes):
        if toll <= tokens:
            tokens -= toll
        else:
            unpaid += 1
    return unpaid


def missing_cards(routes: Sequence[Route], hand: Cards) -> tuple[MissingCards, ...]:
    """
    Return the fewest cards missing in a hand for several routes, if each space takes a single card.

    >>> nordic = ttr.load_map("nordic")
    >>> for lack in missing_cards([nordic.route("Lieksa", "Murmansk")], {"green": 7, "red": 3}):
    ...     print(lack.color, lack.n_cards, lack.n_locomotives)
    green 2 0
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    counts = CardCounts.coerce(hand)
    pairs = [(i, c) for i, r in enumerate(routes) for c, color in enumerate(COLORS) if r.color in (color, GRAY)]
    n, m = len(routes), len(pairs)
    if not n:
        return ()
    plain, symbols, jokers, _, _ = np.array([spaces_of(route) for route in routes]).T
    # Variables: the color of each route; cards of that color used; wild locomotives used; locomotives on symbols.
    of_route = np.array([[i == r for i, _ in pairs] for r in range(n)], dtype=float)
    of_color = np.array([[c == k for _, c in pairs] for k in range(len(COLORS))], dtype=float)
    nothing, each = np.zeros((n, m)), np.eye(n)
    none = np.zeros((n, n))
    used = np.diag(plain[[i for i, _ in pairs]].astype(float))
    rows = [
        LinearConstraint(np.hstack([of_route, nothing, none, none]), 1, 1),
        LinearConstraint(np.hstack([-used, np.eye(m), np.zeros((m, 2 * n))]), -np.inf, 0),
        LinearConstraint(np.hstack([nothing, of_route, each, none]), -np.inf, plain),
        LinearConstraint(
            np.hstack([np.zeros((len(COLORS), m)), of_color, np.zeros((len(COLORS), 2 * n))]), 0, counts.counts[:-1]
        ),
        LinearConstraint(np.hstack([np.zeros(2 * m), np.ones(2 * n)])[None], 0, counts.locomotives),
    ]
    upper = np.concatenate([np.ones(m), plain[[i for i, _ in pairs]], jokers * plain, symbols])
    gain = -np.concatenate([np.zeros(m), np.ones(m + 2 * n)])
    best = milp(gain, integrality=np.ones(len(gain), dtype=np.int64), bounds=Bounds(0, upper), constraints=rows)
    assert best.x is not None  # noqa: S101 - using no card at all is a solution
    x = np.rint(best.x).astype(int)
    missing = []
    for i, route in enumerate(routes):
        mine = [k for k, (r, _) in enumerate(pairs) if r == i]
        singles = int(x[[m + k for k in mine]].sum())
        color = next((COLORS[pairs[k][1]] for k in mine if x[m + k]), route.color)
        lack = int(plain[i] - singles - x[2 * m + i])
        locomotives = int(symbols[i] - x[2 * m + n + i])
        if lack or locomotives:
            missing.append(MissingCards(route, color, lack, locomotives))
    return tuple(missing)
