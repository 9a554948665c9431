"""Where a player loses winning chances: the decisions of reviews, by part of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.analysis.tickets.network import ForestSolver, join_cities, reached_destinations
from ttr_analysis.engine import codes
from ttr_analysis.engine.layout import NOBODY, Phase
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.maps.model import Ticket
from ttr_analysis.policies.search.searcher import Candidate
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies.advice import planned
from ttr_analysis.studies.intervals import end_columns, interval_of_mean, with_ends
from ttr_analysis.studies.judging import BOUNDS, FORCED, Decision, label_of
from ttr_analysis.studies.reviews import Review
from ttr_analysis.studies.winning import DEFAULT_SEED

OPENING, DRAWS, END, BLOCKED, CLAIMING, DRAWING = PLACES = {
    "opening tickets": "Which tickets are kept at the start.",
    "ticket draws": "Drawing tickets, or not, and which to keep.",
    "the end": "From the moment when a player has less than a sixth of the trains left.",
    "blocked routes": "Another player then takes the better route or is in the way of a ticket, or the move ignores "
    "the routes of others.",
    "claiming": "Claiming where a card or another route was better.",
    "drawing cards": "Drawing a card where another card or a claim was better.",
}
"""The parts of a game, and what they are; each decision belongs to one."""
_LATE: Final = 6
"""The end begins when some seat has less than one in this number of its trains left."""
_TOGETHER: Final = 6
"""Maximum number of tickets for which one network is computed."""
_CLAIMS: Final = (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL)
_CARDS: Final = (codes.DRAW_CARD, codes.DRAW_FACE_UP)

DECISION_COLUMNS: Final = {
    "game": "number of the game",
    "step": "step of the record",
    "place": "part of the game, by the move played and the best one",
    "lost": "win probability lost against the best move, measured in worlds other than those in which it was found",
    "mark": "whether the review calls it an inaccuracy, mistake or blunder",
    "planned_place": "part of the game, by the move played and a planner's",
    "behind": "win probability lost against a planner's move; below 0 if the one played was better",
    "aim": "how the move differs from a planner's: often, rarely, early, late, many, few; may be empty",
}
"""Columns of the decisions behind `losses`, and their meanings."""
LOSS_COLUMNS: Final = {
    "decisions": "decisions per game in which the best move found was a different one",
    "marks": "decisions per game that reviews call an inaccuracy, mistake or blunder",
    "lost": "share of a win lost per game, compared with the best moves found",
    **end_columns("lost", "its 95% interval, over games"),
    "behind": "share of a win lost per game, compared with a planner's moves; below 0 if gained",
    **end_columns("behind", "its 95% interval, over games"),
    "aim": "in which direction most of that was lost: often, rarely, early, late, many, few; may be empty",
}
"""Columns of `losses`, and their meanings."""


def decisions_of(reviews: Iterable[tuple[int, Review]]) -> pd.DataFrame:
    """Return decisions in which the best move or a planner's was another, with the columns of `DECISION_COLUMNS`."""
    rows = [row for game, review in reviews for row in _rows(game, review)]
    return as_table(pd.DataFrame(rows, columns=list(DECISION_COLUMNS)))


def losses(decisions: pd.DataFrame, games: Sequence[int]) -> pd.DataFrame:
    """
    Return where winning chances are lost.

    Parameters
    ----------
    decisions
        From `decisions_of`.
    games
        The games that were reviewed.

    Returns
    -------
    losses
        One row for each part of the game (index `place`), with the columns of
        `LOSS_COLUMNS`.
    """
    rows = []
    for place in PLACES:
        here, of_planner = (decisions[decisions[by] == place] for by in ("place", "planned_place"))
        per_game = [
            frame.groupby("game")[what].sum().reindex(list(games), fill_value=0.0)
            for frame, what in ((here, "lost"), (of_planner, "behind"))
        ]
        aims = of_planner[of_planner["aim"] != ""].groupby("aim")["behind"].sum()
        rows.append(
            {
                "decisions": len(here) / len(games),
                "marks": here["mark"].sum() / len(games),
                **with_ends("lost", interval_of_mean(per_game[0])),
                **with_ends("behind", interval_of_mean(per_game[1])),
                "aim": aims.idxmax() if len(aims) and 2 * aims.max() > of_planner["behind"].sum() else "",
            }
        )
    return as_table(pd.DataFrame(rows, index=pd.Index(PLACES, name="place"), columns=list(LOSS_COLUMNS)))


def _rows(game: int, review: Review) -> Iterator[tuple[object, ...]]:
    for one in review.decisions:
        if label_of(one) == FORCED:
            continue
        first = review.first_measured(one.step)
        moment = _Moment(review, one)
        behind = -first.skill[one.seat]
        # Selected in other worlds, not by their measured loss: those would be too large on average.
        best, lost = (first.best, first.loss) if first.is_clear else (one.planned, behind)
        place, of_planner = (moment.place(other) if other != one.played else "" for other in (best, one.planned))
        if place or of_planner:
            aim = moment.aim(one.planned) if of_planner else ""
            yield game, one.step, place, lost, label_of(one) in BOUNDS, of_planner, behind, aim


@dataclass(frozen=True)
class _Moment:
    """A decision in its game."""

    review: Review
    one: Decision

    @property
    def record(self) -> GameRecord:
        return self.review.record

    def place(self, other: Candidate) -> str:
        """Return the part of the game that a decision belongs to, compared with another action."""
        kinds, before = self._kinds(other), self.record.state_at(self.one.step - 1)
        if codes.KEEP_TICKETS in kinds:
            return OPENING if before.phase == Phase.KEEP_START else DRAWS
        if codes.DRAW_TICKETS in kinds:
            return DRAWS
        if self._is_blocked(other, kinds):
            return BLOCKED
        if _is_end(before):
            return END
        return CLAIMING if kinds[0] not in _CARDS else DRAWING

    def _is_blocked(self, other: Candidate, kinds: tuple[int, int]) -> bool:
        """Return whether another action is better because of the routes of others."""
        if kinds[0] in _CLAIMS and kinds[1] in _CARDS:
            return False
        if self._is_contested(other) or self._is_as_if_free:
            return True
        before = self.record.state_at(self.one.step - 1)
        return not _is_end(before) and _is_in_the_way(before, self.one.seat, self._held(before))

    def _held(self, before: GameState) -> Sequence[Ticket | None]:
        """Return the tickets of the seat, which a log reveals only at its end."""
        held = before.tickets[self.one.seat]
        return self.review.view(self.one.step).tickets if None in held else held

    def aim(self, other: Candidate) -> str:
        """Return how the action played differs from another one."""
        played, better = self._kinds(other)
        if played == better == codes.KEEP_TICKETS:
            n_more = self.one.played[1].bit_count() - other[1].bit_count()
            return "many" if n_more > 0 else "few" if n_more < 0 else ""
        if codes.DRAW_TICKETS in (played, better):
            return "often" if played == codes.DRAW_TICKETS else "rarely"
        if played in _CLAIMS and better in _CARDS:
            return "early"
        return "late" if played in _CARDS and better in _CLAIMS else ""

    @cached_property
    def _is_as_if_free(self) -> bool:
        """Return whether a planner would play this, or a move that it waits for, if all routes of others were free."""
        if self.one.played == self.one.planned:
            return False
        view = self.review.view(self.one.step)
        packed = view.packed.copy()
        packed.owner[packed.owner != view.seat] = NOBODY
        wanted = planned(SeatView(view.game_map, view.n_players, packed, view.seat), DEFAULT_SEED)
        is_taken = codes.kind_of(wanted[0]) in _CLAIMS and view.packed.owner[codes.argument_of(wanted[0])] != NOBODY
        return wanted == self.one.played or (is_taken and codes.kind_of(self.one.played[0]) in _CARDS)

    def _kinds(self, other: Candidate) -> tuple[int, int]:
        return codes.kind_of(self.one.played[0]), codes.kind_of(other[0])

    def _is_contested(self, other: Candidate) -> bool:
        """Return whether an action claims a route all of whose tracks others took before the seat did."""
        if codes.kind_of(other[0]) not in _CLAIMS:
            return False
        end, cities = self.record.states()[-1], self.record.map.routes[codes.argument_of(other[0])].cities
        owners = [end.owners.get(route.id) for route in self.record.map.routes_between(*cities)]
        return self.one.seat not in owners and any(owner is not None for owner in owners)


def _is_end(before: GameState) -> bool:
    return before.is_last_round or min(before.trains) * _LATE < before.game_map.rules.trains.per_player


def _is_in_the_way(before: GameState, seat: int, held: Iterable[Ticket | None]) -> bool:
    """Return whether another player's route makes a ticket, or the best ones together, longer or impossible."""
    own = before.routes_of(seat)
    others = tuple(route for route in before.claimed if before.owners[route.id] != seat)
    parts = join_cities(own)
    tickets = [ticket for ticket in held if ticket is not None and not reached_destinations(ticket, parts)]
    tickets.sort(key=lambda ticket: ticket.points, reverse=True)
    closed, free = ForestSolver(before.game_map, others, own), ForestSolver(before.game_map, (), own)
    wanted = [*([ticket] for ticket in tickets), *([tickets[:_TOGETHER]] if len(tickets) > 1 else [])]
    return any(closed.trains(some) != free.trains(some) for some in wanted)
