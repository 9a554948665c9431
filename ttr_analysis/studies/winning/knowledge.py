"""What somebody knows of a game, as a packed state with unknowns: see `worlds`."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

from ttr_analysis.engine.codes import Ints
from ttr_analysis.engine.layout import AT_QUEUE, AT_REMOVED, QUEUE, TICKET_AT
from ttr_analysis.engine.record import GameRecord
from ttr_analysis.engine.state import GameState, seat_number
from ttr_analysis.engine.view import SeatView, redact
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.winning.worlds import EVERYBODY
from ttr_analysis.tables import game_tables
from ttr_analysis.tables.games import MAX_TICKETS

Source = GameRecord | GameState | SeatView
"""What a position is taken from."""


class Knowledge(NamedTuple):
    """
    What somebody knows of a game.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    vector
        The packed state with unknowns.
    looker
        The seat that knows it, or `EVERYBODY` who watches all hands.
    """

    game_map: GameMap
    n_players: int
    vector: Ints
    looker: int

    @property
    def tables(self) -> Ints:
        """The map and its rules as one vector."""
        return game_tables(self.game_map, self.n_players)


class Watcher:
    """
    Watches a record from one seat, or with all hands in view.

    Parameters
    ----------
    record
        The game.
    seat
        Who watches; None for somebody who sees all that the record knows.

    Raises
    ------
    GameError
        If there is no such seat.
    """

    def __init__(self, record: GameRecord, seat: int | None) -> None:
        self._record = record
        self._seat = None if seat is None else seat_number(seat, record.header.n_players)
        self._watched = None if seat is None else record.watched_from(seat, shown=False).states()

    def at(self, step: SupportsIndex) -> Knowledge:
        """Return what is known after a step of the record."""
        state = self._record.state_at(step)
        if self._seat is None or self._watched is None:
            return Knowledge(state.game_map, state.n_players, state.vector.copy(), EVERYBODY)
        known = knowledge_of(state, self._seat)
        number = range(len(self._record.states()))[step]
        if number < len(self._watched):
            _remember(known.vector, self._watched[number].vector)
        return known


def _remember(vector: Ints, watched: Ints) -> None:
    """Note where the tickets are that the seat gave back itself, which a state alone does not tell."""
    places = slice(TICKET_AT, TICKET_AT + MAX_TICKETS)
    own = (watched[places] == AT_REMOVED) | (watched[places] == AT_QUEUE)
    vector[places][own] = watched[places][own]
    vector[QUEUE : QUEUE + MAX_TICKETS] = watched[QUEUE : QUEUE + MAX_TICKETS]


def knowledge_of(state: GameState | SeatView, seat: int | None) -> Knowledge:
    """Return what a seat can see of a state, or all that is in the state."""
    vector = state.vector.copy()
    if seat is None:
        return Knowledge(state.game_map, state.n_players, vector, EVERYBODY)
    seat = seat_number(seat, state.n_players)
    tables = game_tables(state.game_map, state.n_players)
    return Knowledge(state.game_map, state.n_players, redact(vector, tables, seat), seat)


def know(source: Source, seat: int | None, step: SupportsIndex) -> Knowledge:
    """
    Return what a seat knows of a position.

    Parameters
    ----------
    source
        A record, a state, or what a seat sees of one.
    seat
        Who looks; None for somebody who sees all hands, or for the seat of
        the view.
    step
        Which step of the record; not asked for otherwise.

    Raises
    ------
    TypeError
        If the source is something else.
    ValueError
        If a view is to be seen from another seat.
    """
    if isinstance(source, GameRecord):
        return Watcher(source, seat).at(step)
    if isinstance(source, SeatView):
        if seat not in (None, source.seat):
            raise ValueError(f"this is what P{source.seat} sees, which says nothing of what P{seat} knows")
        return knowledge_of(source, source.seat)
    if isinstance(source, GameState):
        return knowledge_of(source, seat)
    raise TypeError(f"expected a GameRecord, a GameState or a SeatView, got {source!r}")
