"""The final score, from the board, the tickets, the tokens and the loans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import networkx as nx

from tests.oracles.referee.table import NEUTRAL, Table
from tests.oracles.trails import longest_trail_naive
from ttr_analysis.maps.model import Route, Ticket
from ttr_analysis.rules.ruleset import BonusRules


@dataclass
class SeatScore:
    """All that goes into the score of one seat."""

    seat: int
    start: int
    routes: int
    tickets: dict[str, int]
    """Points of each ticket, below 0 if it is not completed."""
    n_completed: int
    longest_trail: int
    trains_left: int
    tokens: int
    n_loans: int
    loans: int
    """Points lost by loans."""
    n_stations: int
    stations: int
    """Points for stations not built."""
    bonuses: list[int] = field(default_factory=list)
    """Points by each bonus of the rules, in their order."""

    @property
    def total(self) -> int:
        """All points."""
        return self.start + self.routes + sum(self.tickets.values()) + sum(self.bonuses) - self.loans + self.stations


@dataclass
class Final:
    """The end of a game."""

    seats: list[SeatScore]
    winners: list[int]
    ending: str
    n_turns: int

    @property
    def scores(self) -> list[int]:
        """The total of each seat."""
        return [seat.total for seat in self.seats]

    @property
    def truncated(self) -> bool:
        """Whether the limit of turns ended the game."""
        return self.ending == "truncated"


def final(table: Table) -> Final:
    """Score a game as it stands."""
    seats = [_score(table, seat) for seat in table.seats]
    for bonus in table.rules.bonus:
        for seat, points in zip(seats, award(bonus, seats, zero_ties=table.rules.scoring.zero_ties), strict=True):
            seat.bonuses.append(points)
    return Final(seats, winners(table, seats), table.ending, table.n_turns)


def _score(table: Table, seat: int) -> SeatScore:
    routes = table.routes_of(seat)
    tickets = [table.tickets[name] for name in table.held[seat]]
    network = with_stations(table, seat, tickets)
    n_stations = len(table.stations_of(seat))
    return SeatScore(
        seat=seat,
        start=table.start_scores[seat],
        routes=sum(table.rules.points_for(route.length) for route in routes),
        tickets={ticket.id: ticket_points(ticket, network) for ticket in tickets},
        n_completed=sum(bool(reached(ticket, network)) for ticket in tickets),
        longest_trail=longest_trail_naive([(*route.cities, route.length) for route in routes]),
        trains_left=table.trains[seat],
        tokens=table.tokens[seat],
        n_loans=table.loans[seat],
        loans=table.loans[seat] * table.rules.money.loan.penalty,
        n_stations=n_stations,
        stations=(table.rules.stations.number - n_stations) * table.rules.stations.points_left,
    )


def with_stations(table: Table, seat: int, tickets: Sequence[Ticket]) -> list[Route]:
    """Return the routes of a player and those that its stations lend, to its best: all ways are tried."""
    own = table.routes_of(seat)
    lenders = [other for other in table.seats if other != seat]
    others = [route for other in lenders for route in table.routes_of(other)]
    if table.rules.stations.lends_from == "anyone":
        others += table.routes_of(NEUTRAL)
    # Two tracks between two cities serve as well as one.
    lendable = list({route.cities: route for route in others}.values())
    ways = product(*([None, *(r for r in lendable if city in r.cities)] for city in table.stations_of(seat)))
    networks = [[*own, *filter(None, way)] for way in ways]
    if len(networks) == 1:
        return own

    def worth(network: Sequence[Route]) -> tuple[int, int, int, int]:
        points = [ticket_points(ticket, network) for ticket in tickets]
        n_completed = sum(bool(reached(ticket, network)) for ticket in tickets)
        return sum(points), n_completed, -len(network), sum(brought for brought in points if brought > 0)

    return max(networks, key=worth)


def _joined(routes: Sequence[Route]) -> dict[str, int]:
    """Return for each city on some routes the number of the network that it belongs to."""
    networks = nx.connected_components(nx.Graph(route.cities for route in routes))
    return {city: number for number, cities in enumerate(networks) for city in cities}


def reached(ticket: Ticket, routes: Sequence[Route]) -> list[int]:
    """Return the points of each destination that routes join to the origin of a ticket."""
    network = _joined(routes)

    def joined(a: str, b: str) -> bool:
        return a in network and b in network and network[a] == network[b]

    return [
        points
        for place, points in ticket.destinations
        if any(joined(a, b) for a in ticket.origin.cities for b in place.cities)
    ]


def ticket_points(ticket: Ticket, routes: Sequence[Route]) -> int:
    """Return the best destination reached, or minus the lowest of all."""
    points = reached(ticket, routes)
    return max(points) if points else -min(points for _, points in ticket.destinations)


def award(bonus: BonusRules, seats: Sequence[SeatScore], *, zero_ties: bool) -> list[int]:
    """Return the points of each seat by a bonus: those of its rank among the seats that take part."""
    points = bonus.ranked_points(len(seats))
    values = {
        seat.seat: _measure(bonus.measure, seat) for seat in seats if bonus.requires != "no_loans" or seat.n_loans == 0
    }
    awarded = []
    for seat in seats:
        value = values.get(seat.seat)
        tied_at_zero = value == 0 and list(values.values()).count(0) > 1
        if value is None or (tied_at_zero and not zero_ties):
            awarded.append(0)
            continue
        rank = sum(other > value for other in values.values())
        awarded.append(points[rank] if rank < len(points) else 0)
    return awarded


def _measure(measure: str, seat: SeatScore) -> int:
    return {
        "longest_trail": seat.longest_trail,
        "completed_tickets": seat.n_completed,
        "tokens": seat.tokens,
        "fewest_stations": -seat.n_stations,
    }[measure]


def winners(table: Table, seats: Sequence[SeatScore]) -> list[int]:
    """Return who wins: the best score, then the tie-breaks in their order; who is still tied shares the win."""
    tied = [seat for seat in seats if seat.total == max(other.total for other in seats)]
    for tie_break in table.rules.scoring.tie_breaks:
        if tie_break == "path_bonus":
            tied = [seat for seat in tied if _has_path_bonus(table, seat)] or tied
        else:
            best = max(_measure(tie_break, seat) for seat in tied)
            tied = [seat for seat in tied if _measure(tie_break, seat) == best]
    return [seat.seat for seat in tied]


def _has_path_bonus(table: Table, seat: SeatScore) -> bool:
    return any(
        points > 0
        for bonus, points in zip(table.rules.bonus, seat.bonuses, strict=True)
        if bonus.measure == "longest_trail"
    )
