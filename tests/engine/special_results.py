"""What the scoring of a game shows of the special rules: detectors for its result."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracles.referee import Final
from tests.oracles.referee.scoring import with_stations
from tests.oracles.referee.table import Table


def _bonus(measure: str) -> Callable[[Final, Table], bool]:
    def detector(final: Final, table: Table) -> bool:
        return any(
            bonus.measure == measure and any(seat.bonuses[i] > 0 for seat in final.seats)
            for i, bonus in enumerate(table.rules.bonus)
        )

    return detector


def _shared_bonus(final: Final, table: Table) -> bool:
    points = [[seat.bonuses[i] for seat in final.seats] for i in range(len(table.rules.bonus))]
    return any(max(column) > 0 and column.count(max(column)) > 1 for column in points)


def _loan_excludes(final: Final, table: Table) -> bool:
    """The seat with most tokens has a loan, and gets no bonus for them."""
    most = max(final.seats, key=lambda seat: seat.tokens)
    return most.n_loans > 0 and any(bonus.measure == "tokens" for bonus in table.rules.bonus)


def _country(*, completed: bool) -> Callable[[Final, Table], bool]:
    def detector(final: Final, table: Table) -> bool:
        return any(
            len(table.tickets[name].destinations) > 1 and (points > 0) == completed
            for seat in final.seats
            for name, points in seat.tickets.items()
        )

    return detector


def _lesser_country(final: Final, table: Table) -> bool:
    """A ticket with several destinations scores one that is not its best."""
    return any(
        0 < points < max(value for _, value in table.tickets[name].destinations)
        for seat in final.seats
        for name, points in seat.tickets.items()
    )


def _lends(final: Final, table: Table) -> bool:
    """A station lends its owner a route that completes a ticket."""
    return any(
        len(with_stations(table, seat.seat, [table.tickets[name] for name in seat.tickets]))
        > len(table.routes_of(seat.seat))
        for seat in final.seats
    )


def _tie_broken(*, by_tickets: bool) -> Callable[[Final, Table], bool]:
    """Return whether one of the seats that are tied wins, by completing more tickets than the others or not."""

    def detector(final: Final, _table: Table) -> bool:
        tied = [seat.n_completed for seat in final.seats if seat.total == max(final.scores)]
        return len(tied) > len(final.winners) == 1 and (tied.count(max(tied)) == 1) == by_tickets

    return detector


BY_RESULT: dict[str, Callable[[Final, Table], bool]] = {
    "ends by the last round": lambda final, _: final.ending == "trains",
    "ends by passes": lambda final, _: final.ending == "passes",
    "ends at the limit of turns": lambda final, _: final.ending == "truncated",
    "start scores by seat": lambda final, _: len({seat.start for seat in final.seats}) > 1,
    "bonus: longest trail": _bonus("longest_trail"),
    "bonus: completed tickets": _bonus("completed_tickets"),
    "bonus: tokens": _bonus("tokens"),
    "bonus shared": _shared_bonus,
    "bonus: a loan excludes": _loan_excludes,
    "country ticket completed": _country(completed=True),
    "country ticket lost": _country(completed=False),
    "country ticket at less than its best": _lesser_country,
    "tie broken by completed tickets": _tie_broken(by_tickets=True),
    "tie broken after completed tickets": _tie_broken(by_tickets=False),
    "station lends a route": _lends,
    "points for stations left": lambda final, _: any(seat.stations > 0 for seat in final.seats),
    "shared win": lambda final, _: len(final.winners) > 1,
}
"""Rules seen in the result of a game."""
