"""Whether tickets can still be completed, why not, and what would break them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ttr_analysis._display import render_html
from ttr_analysis._words import counted
from ttr_analysis.analysis import payments
from ttr_analysis.analysis._ends import tickets_or_joins, twins_close
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.analysis.tickets.borrowing import StationHelp, helpful_stations, stations_left
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    NoNetworkError,
    check_trains,
    forest_solver,
    trains_left,
)
from ttr_analysis.cards import COLORS, GRAY, CardCounts
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.tables import spaces_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """
    Routes whose loss breaks the tickets.

    Parameters
    ----------
    routes
        The routes that are lost, tracks that close with others included.
    n_claims
        How many routes others have to claim for that: 1 or 2.
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
    Cards that a hand lacks for one route of a network.

    Parameters
    ----------
    route
        The route.
    color
        The color it is best paid with; "gray" if none is better than others.
    n_cards, n_locomotives
        Cards of that color, and locomotives for symbols, still to gather.
    """

    route: Route
    color: str
    n_cards: int
    n_locomotives: int


@dataclass(frozen=True, slots=True)
class Feasibility:
    """
    Whether tickets can be completed, and how safely.

    Parameters
    ----------
    tickets
        The tickets.
    trains
        Trains left.
    network
        The network with the fewest trains; None if there is none.
    why_not
        Why they cannot be completed, in words; "" if they can.
    bottlenecks
        Single routes, and pairs of others, whose loss would break it.
    loans
        Fewest loans that the tolls would force.
    payable
        Whether the hand pays for the whole network as it stands, tunnels
        without surcharge; None without a hand.
    missing
        What the hand lacks, route by route, if every space is paid by a
        single card.
    expected_cards
        Cards that the network takes on average, surcharges of tunnels and
        sets of cards for one included.
    stations
        Where they cannot be completed: stations of which one is enough to
        change that, by the route of another that it lends; or, where no
        single one is, the fewest that together are.
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
        """Whether the tickets can be completed with the trains left."""
        return not self.why_not

    @property
    def routes(self) -> tuple[Route, ...]:
        """Routes to claim; none if there is no network."""
        return self.network.routes if self.network else ()

    @property
    def length(self) -> int | None:
        """Fewest trains that it takes; None if nothing will do."""
        return self.network.length if self.network else None

    @property
    def slack(self) -> int | None:
        """Trains to spare, below 0 if too few; None if nothing will do."""
        return self.trains - self.network.length if self.network else None

    @property
    def cards(self) -> int | None:
        """Fewest cards that pay for the network: one a space."""
        return self.length

    @property
    def n_missing(self) -> int:
        """Cards that the hand lacks in all."""
        return sum(lack.n_cards + lack.n_locomotives for lack in self.missing)

    @property
    def bottleneck_table(self) -> pd.DataFrame:
        """
        The bottlenecks as a table.

        `routes` (ids), `n_claims` (that others have to make), `trains` (fewest without them; missing if
        cut off), `extra` (more than now).
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
            counted(len(single), "bottleneck"),
            f"{counted(len(self.bottlenecks) - len(single), 'pair')} of them",
        ]
        if self.loans:
            parts.append(counted(self.loans, "loan"))
        if self.payable is not None:
            parts.append("the hand pays" if self.payable else f"{counted(self.n_missing, 'card')} missing")
        return f"<Feasibility of {head}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        return render_html(self)


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
    Return whether tickets can be completed, why not, and what would break them.

    Parameters
    ----------
    game_map
        The map, or its name.
    tickets
        Up to 7 tickets, ticket ids or pairs of places; with two places that no
        ticket names, whether they can be joined.
    trains
        Trains left. None: the map's number less those on `owned` routes.
    closed
        Routes that others own.
    owned
        Routes that the player owns: they cost nothing.
    hand
        Cards held.
    tokens
        Tokens left, where tolls are played. None: those of the start less
        the tolls of `owned` routes.
    n_players
        With fewer players than double routes need, the loss of one track is
        the loss of both; and a single opponent takes no two tracks between
        the same cities. None: each track is lost by itself.
    stations
        Stations that can still be built. None: all that the rules give. Those
        that stand already are not looked at: what they lend is not counted.

    Returns
    -------
    feasibility
        The answer: `possible`, `why_not`, the `network` with its trains,
        toll and points, `slack`, `bottlenecks` and, with a hand, `missing`;
        on a map with stations also the `stations` that could still save it.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        If something named is not on the map.
    ValueError
        If there are more than 7 tickets, a route is closed and owned, fewer
        than no trains are left, or the rules do not give so many stations.

    Notes
    -----
    Exact, with stations still to be built: what they lend is chosen as the
    rules do at the end, one route each. Where other players have stations is
    not looked at. A route outside the network cannot break it; so a single
    bottleneck lies in the network, and of each pair one route lies in it and
    the other in the network that is best without the first.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> feasibility(nordic, ["København-Murmansk"], trains=20)
    <Feasibility of 1 ticket: impossible, it takes 24 trains and 20 are left>
    >>> feasibility(nordic, ["Narvik-Murmansk"], trains=14).possible
    True
    """
    game_map = as_map(game_map)
    chosen = tickets_or_joins(game_map, tickets)
    others = game_map.resolve_routes(closed)
    solver = forest_solver(game_map, others, owned, n_players=n_players)
    left = trains_left(game_map, solver.owned) if trains is None else trains
    check_trains(left)
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
    """Return the losses of one route, or of two, after which the tickets cannot be completed; the worst first."""
    together = twins_close(solver.game_map, n_players)
    found: dict[frozenset[str], Bottleneck] = {}
    survivors: list[tuple[tuple[Route, ...], Network]] = []
    for route in network.routes:
        lost = _lost_with(solver.game_map, route, together=together)
        without = _solve(solver.without(lost), network.tickets)
        if without is None or without.length > left:
            found[frozenset(r.id for r in lost)] = Bottleneck(lost, 1, without.length if without else None)
        else:
            survivors.append((lost, without))
    singles = {name for names in found for name in names}
    for first, other in survivors:
        closer = solver.without(first)
        for route in other.routes:
            second = _lost_with(solver.game_map, route, together=together)
            names = frozenset(r.id for r in (*first, *second))
            one_opponent_takes_both = n_players == 2 and set(first[0].cities) == set(route.cities)  # noqa: PLR2004
            if route.id in singles or names in found or one_opponent_takes_both:
                continue
            without = _solve(closer.without(second), network.tickets)
            if without is None or without.length > left:
                found[names] = Bottleneck((*first, *second), 2, without.length if without else None)
    return tuple(sorted(found.values(), key=lambda b: (b.n_claims, b.trains is not None, -(b.trains or 0))))


def _solve(solver: ForestSolver, tickets: Sequence[Ticket]) -> Network | None:
    try:
        return solver.solve(tickets)
    except NoNetworkError:
        return None


def _lost_with(game_map: GameMap, route: Route, *, together: bool) -> tuple[Route, ...]:
    """Return what is closed when another player claims a route."""
    twin = game_map.twin(route) if together else None
    return (route,) if twin is None else (route, twin)


def fewest_loans(routes: Iterable[Route], tokens: int) -> int:
    """
    Return the fewest loans that the tolls of routes force.

    Parameters
    ----------
    routes
        The routes to claim; what others pay for second tracks is left out.
    tokens
        Tokens at hand.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nederland = ttr.load_map("nederland")
    >>> fewest_loans(nederland.routes_between("Breda", "Rotterdam"), tokens=7)
    1
    """
    # The cheapest ones first: so most of them are paid.
    unpaid = 0
    for toll in sorted(route.toll for route in routes):
        if toll <= tokens:
            tokens -= toll
        else:
            unpaid += 1
    return unpaid


def missing_cards(routes: Sequence[Route], hand: Cards) -> tuple[MissingCards, ...]:
    """
    Return the fewest cards that a hand lacks for several routes, route by route.

    Parameters
    ----------
    routes
        The routes, each to be paid by cards of its own. For tunnels: their
        length.
    hand
        Cards held.

    Returns
    -------
    missing
        For each route that lacks cards: which, if every space is paid by a
        single card. Sets of cards for one may make up for some of them.

    Notes
    -----
    A small integer program: a color for each gray route, and where each card
    of the hand is best used.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    # Variables: the color of each route; cards of that color used; jokers used; locomotives on symbols.
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
