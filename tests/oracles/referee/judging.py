"""The referee itself: one event after the other, each judged before it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from tests.oracles.referee import moves
from tests.oracles.referee.due import Chance, Decision, Due, Event, Notice, Script
from tests.oracles.referee.flow import rest_of_game, whole_game
from tests.oracles.referee.scoring import Final
from tests.oracles.referee.scoring import final as final_score
from tests.oracles.referee.table import Table
from ttr_analysis.maps.model import GameMap


class Referee:
    """
    Follows one game.

    Parameters
    ----------
    game_map
        The map, with the rules of the variant that is played.
    n_players
        Number of players, without the neutral one.

    Attributes
    ----------
    table
        The whole position.
    due
        What has to come next; None when the game is over.
    n_events
        Events so far.
    """

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self._begin(Table(game_map, n_players), whole_game)

    @classmethod
    def at(cls, table: Table) -> Self:
        """Return a referee who takes over at the beginning of a turn."""
        referee = cls.__new__(cls)
        referee._begin(table, rest_of_game)
        return referee

    def _begin(self, table: Table, game: Callable[[Table], Script]) -> None:
        self.table = table
        self._script = game(table)
        self.due: Due | None = next(self._script)
        self.n_events = 0

    def fault(self, event: Event) -> str:
        """Return why an event cannot come now, or nothing if it can."""
        match self.due:
            case None:
                return "the game is over"
            case Decision() as decision:
                return moves.fault(self.table, decision, event)
            case Notice(name):
                return "" if dict(event) == {"event": name} else f"{name} is due"
            case Chance(fixed, what, possible):
                rest = {key: value for key, value in event.items() if key != what}
                if rest != dict(fixed) or what not in event:
                    return f"{dict(fixed)} with a {what} is due"
                return "" if event[what] in possible else f"{event[what]!r} cannot be turned up, only {dict(possible)}"

    def is_legal_move(self, event: Event) -> bool:
        """Return whether an event is a legal move of the seat that decides."""
        return isinstance(self.due, Decision) and not self.fault(event)

    def legal_moves(self) -> list[Event]:
        """Return every legal move, each choice of cards tried; only for hands with few choices."""
        return moves.legal_moves(self.table, self.due) if isinstance(self.due, Decision) else []

    def apply(self, event: Event) -> None:
        """
        Follow one event.

        Raises
        ------
        AssertionError
            If the event cannot come now; the referee stays as it was.
        """
        fault = self.fault(event)
        assert not fault, f"event {self.n_events}, {dict(event)}: {fault}"
        self.n_events += 1
        try:
            self.due = self._script.send(event)
        except StopIteration:
            self.due = None

    def conserved(self) -> None:
        """Assert that no card, train, ticket or token is lost or made."""
        self.table.conserved()

    def final(self) -> Final:
        """Return the final score of a game that is over."""
        assert self.due is None, f"the game goes on: {self.due}"
        return final_score(self.table)


def check_record(game_map: GameMap, n_players: int, events: Iterable[Event]) -> Final:
    """
    Follow a whole game, with the position checked after each event, and return its score.

    Raises
    ------
    AssertionError
        If an event is against the rules, something is lost, or the record
        ends before the game.
    """
    referee = Referee(game_map, n_players)
    for event in events:
        referee.apply(event)
        referee.conserved()
    return referee.final()
