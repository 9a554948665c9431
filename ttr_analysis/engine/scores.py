"""Scores of a game as objects: what each seat got its points for, and who won."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._words import counted, listed
from ttr_analysis.engine.kernel import scoring as columns
from ttr_analysis.engine.kernel.scoring import goal_reached, label_at_end, score_games
from ttr_analysis.engine.layout import NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.rules.scoring import NO_GOAL, ticket_score
from ttr_analysis.tables import MAX_CITIES, MAX_STATIONS, Tables, game_tables

if TYPE_CHECKING:
    import pandas as pd

MaybeNone: TypeAlias = Any
"""None if tickets are unknown. Type checkers then see `int | MaybeNone`, almost always a number."""

TICKET_MEASURES: Final = frozenset({"completed_tickets"})
"""Measures of bonuses that depend on tickets."""


class RouteScore(NamedTuple):
    """A seat's routes of one length: their number, and points."""

    length: int
    n_routes: int
    points: int


class TicketScore(NamedTuple):
    """
    The score of a ticket.

    Parameters
    ----------
    ticket
        The ticket; None if unknown.
    points
        Its points, negative if missed; None if unknown.
    reached
        The destination that scored; "" if there is none.
    """

    ticket: Ticket | None
    points: int | None
    reached: str

    def __str__(self) -> str:
        if self.ticket is None or self.points is None:
            return "unknown ticket"
        if self.reached:
            return f"{self.ticket.origin} to {self.reached}: {counted(self.points, 'point')}"
        ends = " or ".join(str(place) for place, _ in self.ticket.destinations)
        return f"{self.ticket.origin} to {ends}: missed, {counted(-self.points, 'point')} lost"


class BonusScore(NamedTuple):
    """
    The score of a bonus.

    Parameters
    ----------
    measure
        The measure: "longest_trail", "completed_tickets" or "tokens".
    points
        The points; None if they depend on unknown tickets.
    """

    measure: str
    points: int | None


class StationScore(NamedTuple):
    """
    A station at the end of a game.

    Parameters
    ----------
    route
        The route that it borrows: the best one for its owner, None if none helps.
    """

    city: City
    route: Route | None

    def __str__(self) -> str:
        return f"{self.city.name}: {'borrows nothing' if self.route is None else f'borrows {self.route}'}"


@dataclass(frozen=True, slots=True)
class Score:
    """
    The score of one seat.

    Parameters
    ----------
    routes
        Its routes by length, shortest first.
    bonuses
        The bonuses of the rules, in their order.
    trail
        Trains on its longest trail, whether or not it earns a bonus.
    tokens
        Value of the toll tokens left.
    loan_points
        Points for loans, 0 or less.
    total
        Total points; None if they depend on unknown tickets.
    won
        Whether it won, alone or with others; None if unknown.
    stations
        Its stations, in map order of their cities; the routes that they borrow are
        optimal for the known tickets.
    station_points
        Points for unused stations.
    name
        Name of the player, if known.
    """

    seat: int
    start: int
    routes: tuple[RouteScore, ...]
    tickets: tuple[TicketScore, ...]
    bonuses: tuple[BonusScore, ...]
    trail: int
    tokens: int
    n_loans: int
    loan_points: int
    total: int | None
    won: bool | None
    stations: tuple[StationScore, ...] = ()
    station_points: int = 0
    name: str = field(default="", compare=False)

    @property
    def who(self) -> str:
        """The player's name, or the seat if there is no name."""
        return self.name or f"P{self.seat}"

    @property
    def route_points(self) -> int:
        """Points for all routes."""
        return sum(routes.points for routes in self.routes)

    @property
    def ticket_points(self) -> int:
        """Points for all known tickets, completed or not."""
        return sum(scored.points or 0 for scored in self.tickets)

    @property
    def n_completed(self) -> int:
        """Number of completed tickets among the known ones."""
        return sum(bool(scored.reached) for scored in self.tickets)

    @property
    def n_unknown(self) -> int:
        """Number of unknown tickets."""
        return sum(scored.ticket is None for scored in self.tickets)

    def __repr__(self) -> str:
        known = [self.start, self.route_points, self.ticket_points, *(b.points or 0 for b in self.bonuses)]
        total = counted(sum(known) + self.loan_points + self.station_points, "point")
        if self.total is None:
            total += " and unknown tickets"
        parts = [f"{self.start} start"] if self.start else []
        parts.append(f"{self.route_points} routes")
        lost = -sum(min(scored.points or 0, 0) for scored in self.tickets)
        notes = [f"{self.n_completed} of {len(self.tickets)}"]
        notes += [f"{lost} lost"] * bool(lost) + [f"{self.n_unknown} unknown"] * bool(self.n_unknown)
        parts.append(f"{self.ticket_points} tickets ({', '.join(notes)})")
        parts += [f"{'?' if bonus.points is None else bonus.points} {bonus.measure}" for bonus in self.bonuses]
        if self.n_loans:
            parts.append(f"{self.loan_points} loans")
        if self.stations or self.station_points:
            parts.append(f"{self.station_points} stations ({len(self.stations)} built)")
        made_of = " + ".join(parts).replace("+ -", "- ").replace("_", " ")
        return f"<Score of {self.who}: {total}: {made_of}>"


@dataclass(frozen=True, slots=True)
class Scores:
    """
    The scores of a game: one `Score` for each seat, and the winners.

    Parameters
    ----------
    winners
        The seats that won, several if they share the win; empty if that depends on
        unknown tickets.
    tie_break
        The tie-break that decided between the seats with the most points, as in the rules;
        "" if points decided, or no tie-break did.
    tied
        The seats between which the tie-break decided.

    Examples
    --------
    A game that has just begun, scored as if it ended here: both have completed the
    same number of tickets, none.

    >>> game = ttr.Game(ttr.load_map("nordic"), n_players=2)
    >>> game.score(game.new(seed=7))
    <Scores of 2 seats, won by P0 and P1>
      <Score of P0: 10 points: 0 routes + 0 tickets (0 of 0) + 10 completed tickets>
      <Score of P1: 10 points: 0 routes + 0 tickets (0 of 0) + 10 completed tickets>
    """

    seats: tuple[Score, ...]
    winners: tuple[int, ...]
    tie_break: str = ""
    tied: tuple[int, ...] = ()

    @property
    def table(self) -> pd.DataFrame:
        """
        One row per seat.

        `start`, `routes`, `gained` and `lost` (points for tickets completed and missed),
        `bonus_...` for each bonus, `loans` and `stations` (points) add up to `total`. The
        others are `won`, `n_routes`, `n_completed`, `n_failed`, `n_unknown` (tickets),
        `trail` (trains on the longest one), `tokens`, `n_loans` and `n_stations` (built).
        Values that depend on unknown tickets are missing.
        """
        import pandas as pd

        from ttr_analysis._notebook import as_table

        table = pd.DataFrame([_row(score) for score in self.seats]).set_index("seat")
        unsure = [column for column in table.columns if column == "total" or column.startswith("bonus_")]
        points = {*table.columns[: table.columns.get_loc("total")], "total"}
        return as_table(
            table.astype({**dict.fromkeys(unsure, "Int64"), "won": "boolean"}),
            units={**dict.fromkeys(points, "points"), "trail": "trains"},
        )

    def __getitem__(self, seat: int) -> Score:
        return self.seats[seat]

    def __len__(self) -> int:
        return len(self.seats)

    def __iter__(self) -> Iterator[Score]:
        return iter(self.seats)

    def __repr__(self) -> str:
        return "\n".join([f"<Scores of {len(self)} seats, {self._outcome}>", *(f"  {score!r}" for score in self.seats)])

    @property
    def _outcome(self) -> str:
        winners = listed(self.seats[seat].who for seat in self.winners)
        who = f"won by {winners}" if winners else "winners not known"
        return f"{who}; {self.tie}" if self.tie else who

    @property
    def tie(self) -> str:
        """
        The tie-break between equal points in words; "" if points decided, or no tie-break did.

        >>> from dataclasses import replace
        >>> scores = ttr.Game(ttr.load_map("usa")).play(["Greedy", "Greedy"], seed=7).score()
        >>> equal = [replace(score, total=90, trail=20 + score.seat) for score in scores]
        >>> replace(scores, seats=tuple(equal), tie_break="longest_trail", tied=(0, 1)).tie
        'P0 and P1 have 90 points each: the longer trail decides (21 to 20)'
        """
        if not self.tie_break:
            return ""
        equal = _best(self.seats, [score.total or 0 for score in self.seats])
        tied = [self.seats[seat] for seat in self.tied]
        measure, what = _TIE_MEASURES[self.tie_break]
        values = sorted((measure(score) for score in tied), reverse=True)
        numbers = "" if self.tie_break == "path_bonus" else f" ({' to '.join(str(abs(value)) for value in values)})"
        points = counted(equal[0].total or 0, "point")
        among = f"between {listed(score.who for score in tied)} " if len(tied) < len(equal) else ""
        return f"{listed(score.who for score in equal)} have {points} each: {among}{what} decides{numbers}"

    def _repr_html_(self) -> str:
        table: Any = self.table  # missing from the pandas stubs
        table.insert(0, "player", [score.who for score in self.seats])
        return f"<p>{escape(self._outcome[0].upper() + self._outcome[1:])}.</p>{table._repr_html_()}"


def _row(score: Score) -> dict[str, Any]:
    points = [scored.points for scored in score.tickets if scored.points is not None]
    n_seen: dict[str, int] = defaultdict(int)
    bonuses = {}
    for measure, bonus in score.bonuses:
        n_seen[measure] += 1
        bonuses[f"bonus_{measure}" + (f"_{n_seen[measure]}" if n_seen[measure] > 1 else "")] = bonus
    return {
        "seat": score.seat,
        "start": score.start,
        "routes": score.route_points,
        "gained": sum(p for p in points if p > 0),
        "lost": sum(p for p in points if p < 0),
        **bonuses,
        "loans": score.loan_points,
        "stations": score.station_points,
        "total": score.total,
        "won": score.won,
        "n_routes": sum(routes.n_routes for routes in score.routes),
        "n_completed": score.n_completed,
        "n_failed": len(score.tickets) - score.n_completed - score.n_unknown,
        "n_unknown": score.n_unknown,
        "trail": score.trail,
        "tokens": score.tokens,
        "n_loans": score.n_loans,
        "n_stations": len(score.stations),
    }


def score_state(game_map: GameMap, state: State, n_players: int) -> Scores:
    """Return the current scores of a packed state, whose tickets may be unknown."""
    tables = game_tables(game_map, n_players)
    result = np.zeros((n_players, columns.N_COLUMNS), dtype=np.int64)
    score_games(state.cells[None], tables, result[None])
    is_known = not result[:, columns.UNKNOWN_COLUMN].any()
    seats = tuple(
        _score_of(game_map, state, tables, seat, result[seat], is_known=is_known) for seat in range(n_players)
    )
    return Scores(seats, tuple(score.seat for score in seats if score.won), *tie_break_of(game_map, seats))


def tie_break_of(game_map: GameMap, seats: Sequence[Score]) -> tuple[str, tuple[int, ...]]:
    """Return the last tie-break that decided between the seats with the most points, and these; "" if none did."""
    decided: tuple[str, tuple[int, ...]] = ("", ())
    if any(score.won is None or score.total is None for score in seats):
        return decided
    tied = _best(seats, [score.total or 0 for score in seats])
    for measure in game_map.rules.scoring.tie_breaks:
        left = _best(tied, [_TIE_MEASURES[measure][0](score) for score in tied])
        if len(left) < len(tied):
            decided, tied = (measure, tuple(score.seat for score in tied)), left
    return decided


def _best(seats: Sequence[Score], values: Sequence[int]) -> list[Score]:
    """Return the seats with the highest value."""
    return [score for score, value in zip(seats, values, strict=True) if value == max(values)]


_TIE_MEASURES: Final[dict[str, tuple[Callable[[Score], int], str]]] = {
    "completed_tickets": (lambda score: score.n_completed, "the number of completed tickets"),
    "longest_trail": (lambda score: score.trail, "the longer trail"),
    "fewest_stations": (lambda score: -len(score.stations), "the smaller number of stations"),
    "path_bonus": (
        lambda score: any(b.points for b in score.bonuses if b.measure == "longest_trail"),
        "the bonus for the longest trail",
    ),
}
"""The tie-breaks of the rules: the measure that the winner maximizes, and its wording."""


def _score_of(game_map: GameMap, state: State, tables: Tables, seat: int, row: Ints, *, is_known: bool) -> Score:
    """Return the score of a seat from its row; `is_known` is whether all tickets of the game are known."""
    bonuses = tuple(
        BonusScore(rules.measure, points if is_known or rules.measure not in TICKET_MEASURES else None)
        for rules, points in zip(game_map.rules.bonus, row[columns.BONUS_COLUMN :].tolist(), strict=False)
    )
    label, borrowed = np.zeros(MAX_CITIES, dtype=np.int64), np.zeros(MAX_STATIONS, dtype=np.int64)
    label_at_end(state, tables, seat, label, borrowed)
    sure = row[columns.UNKNOWN_COLUMN] == 0 and all(bonus.points is not None for bonus in bonuses)
    return Score(
        seat=seat,
        start=int(row[columns.START_COLUMN]),
        routes=_route_scores(game_map, state, seat),
        tickets=_ticket_scores(game_map, state, tables, seat, label),
        bonuses=bonuses,
        trail=int(row[columns.TRAIL_COLUMN]),
        tokens=int(row[columns.TOKENS_COLUMN]),
        n_loans=int(row[columns.LOANS_COLUMN]),
        loan_points=int(row[columns.LOAN_POINTS_COLUMN]),
        total=int(row[columns.TOTAL_COLUMN]) if sure else None,
        won=bool(row[columns.WON_COLUMN]) if is_known else None,
        stations=_station_scores(game_map, state, seat, borrowed.tolist()),
        station_points=int(row[columns.STATIONS_COLUMN]),
    )


def _route_scores(game_map: GameMap, state: State, seat: int) -> tuple[RouteScore, ...]:
    by_length: dict[int, list[int]] = defaultdict(list)
    for route, owner in zip(game_map.routes, state.owner.tolist(), strict=False):
        if owner == seat:
            by_length[route.length].append(route.points)
    return tuple(RouteScore(length, len(points), sum(points)) for length, points in sorted(by_length.items()))


def _station_scores(game_map: GameMap, state: State, seat: int, borrowed: Sequence[int]) -> tuple[StationScore, ...]:
    cities = [game_map.cities[i] for i in np.flatnonzero(state.station_at == 1 + seat)]
    routes = [None if route == NOBODY else game_map.routes[route] for route in borrowed]
    return tuple(map(StationScore, cities, routes))


def _ticket_scores(game_map: GameMap, state: State, tables: Tables, seat: int, label: Ints) -> tuple[TicketScore, ...]:
    """Return a seat's tickets, in the order kept; `label` shows which cities are connected."""
    scores = []
    for t in state.held[seat, : state.n_held[seat]].tolist():
        if t == UNKNOWN_TICKET:
            scores.append(TicketScore(None, None, ""))
            continue
        goal = int(goal_reached(tables, t, label))
        points = ticket_score(goal, tables.goal_points, game_map.tickets[t].penalty)
        reached = "" if goal == NO_GOAL else game_map.places[tables.goal_place[goal]].name
        scores.append(TicketScore(game_map.tickets[t], int(points), reached))
    return tuple(scores)
