"""What somebody knows of a game, as a packed state with unknowns: see `worlds`."""

from __future__ import annotations

from collections import deque
from operator import index
from typing import NamedTuple, SupportsIndex

import numpy as np

from ttr_analysis.engine.codes import (
    FIRST_EVENT,
    KEEP_TICKETS,
    NEUTRAL_TICKET,
    SHUFFLED,
    SHUFFLED_TICKETS,
    TICKET_OFFERED,
    Ints,
)
from ttr_analysis.engine.entries import SHOWN, Entry
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP_START,
    OVER,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.engine.record import GameRecord
from ttr_analysis.engine.state import GameState, seat_number
from ttr_analysis.engine.view import SeatView, redact
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.winning.worlds import EVERYBODY
from ttr_analysis.tables import game_tables
from ttr_analysis.tables.games import MAX_TICKETS, UNKEPT_DISCARDED, UNKEPT_UNDER_PILE, Tables

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
    packed
        The packed state with unknowns.
    looker
        The seat that knows it, or `EVERYBODY` who watches all hands.
    barred
        For each seat, tickets that it cannot hold, though they are not seen.
    """

    game_map: GameMap
    n_players: int
    packed: State
    looker: int
    barred: tuple[frozenset[int], ...]

    @property
    def tables(self) -> Tables:
        """The map and its rules as one record."""
        return game_tables(self.game_map, self.n_players)

    @property
    def is_known(self) -> bool:
        """Whether the game is over and all tickets that score are known."""
        held = [self.held(seat) for seat in range(self.n_players)]
        return bool(self.packed.phase == OVER and UNKNOWN_TICKET not in np.concatenate(held))

    def held(self, seat: int) -> Ints:
        """Return the tickets of a seat, `UNKNOWN_TICKET` for one that is not known."""
        return self.packed.held[seat, : self.packed.n_held[seat]]


class _Memory(NamedTuple):
    """
    What a seat remembers of tickets that a state alone does not tell.

    Parameters
    ----------
    places
        Where the tickets are that it gave back.
    queue
        Tickets under the pile, top first.
    barred
        For each seat, tickets that lay face up until a shuffle and that it
        cannot hold, as it has drawn none since.
    """

    places: dict[int, int]
    queue: tuple[int, ...]
    barred: tuple[frozenset[int], ...]


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
        self._memories = [] if self._seat is None else _remember(record, self._seat)

    def at(self, step: SupportsIndex) -> Knowledge:
        """Return what is known after a step of the record."""
        state = self._record.state_at(step)
        known = knowledge_of(state, self._seat)
        if known.looker == EVERYBODY:
            return known
        memory = self._memories[range(len(self._record.states()))[index(step)]]
        vector = known.packed
        for ticket, place in memory.places.items():
            is_secret = place != AT_DISCARDS or vector.phase == KEEP_START
            if is_secret and vector.ticket_at[ticket] == AT_PILE:
                vector.ticket_at[ticket] = place
        for i, ticket in enumerate(memory.queue[: vector.n_queued]):
            vector.queue[(vector.queue_head + i) % MAX_TICKETS] = ticket
        return known._replace(barred=memory.barred)


def _remember(record: GameRecord, looker: int) -> list[_Memory]:
    """Return what a seat remembers after each step of a record."""
    desk = _TicketDesk(record, looker)
    memories: list[_Memory] = []
    for entry in record.entries:
        if entry.kind < FIRST_EVENT or entry.kind == SHOWN:
            memories.append(desk.memory)
        desk.note(entry)
    return [*memories, desk.memory]


class _TicketDesk:
    """Follows tickets through a game, as far as one seat sees them."""

    def __init__(self, record: GameRecord, looker: int) -> None:
        tables = game_tables(record.map, record.header.n_players)
        self._unkept = int(tables.unkept)
        self._looker = looker
        self._n_pile = int(tables.n_tickets)
        self._offers: dict[int, list[int]] = {}
        self._places: dict[int, int] = {}
        self._queue: deque[int] = deque()
        self._face_up: set[int] = set()
        self._n_discards = 0
        self._barred: list[frozenset[int]] = [frozenset()] * record.header.n_players

    @property
    def memory(self) -> _Memory:
        """What the seat remembers now."""
        return _Memory(dict(self._places), tuple(self._queue), tuple(self._barred))

    def note(self, entry: Entry) -> None:
        """Take note of an event."""
        if entry.kind == TICKET_OFFERED:
            self._draw()
            self._offers.setdefault(entry.seat, []).append(entry.value)
            self._barred[entry.seat] = frozenset()
        elif entry.kind == NEUTRAL_TICKET:
            self._draw()
            self._lay_open(entry.value)
        elif entry.kind == KEEP_TICKETS:
            self._give_back(entry)
        elif entry.kind == SHUFFLED and entry.argument == SHUFFLED_TICKETS:
            self._n_pile, self._n_discards = self._n_discards, 0
            self._barred = [barred | self._face_up for barred in self._barred]
            self._face_up = set()

    def _draw(self) -> None:
        """Draw the top ticket of the pile, or of those under it."""
        if self._n_pile > 0:
            self._n_pile -= 1
        elif self._queue:
            self._places.pop(self._queue.popleft(), None)

    def _give_back(self, entry: Entry) -> None:
        kept = list(entry.tickets)
        for ticket in self._offers.pop(entry.seat, []):
            if ticket in kept:
                kept.remove(ticket)
                continue
            is_own = entry.seat == self._looker and ticket != UNKNOWN_TICKET
            if self._unkept == UNKEPT_DISCARDED:
                self._lay_open(ticket)
            elif self._unkept == UNKEPT_UNDER_PILE:
                self._queue.append(ticket if is_own else UNKNOWN_TICKET)
            if is_own:
                self._places[ticket] = _PLACES[self._unkept]

    def _lay_open(self, ticket: int) -> None:
        self._n_discards += 1
        if ticket != UNKNOWN_TICKET:
            self._face_up.add(ticket)


_PLACES = {0: AT_REMOVED, UNKEPT_UNDER_PILE: AT_QUEUE, UNKEPT_DISCARDED: AT_DISCARDS}
"""Where tickets go that are not kept."""


def knowledge_of(state: GameState | SeatView, seat: int | None) -> Knowledge:
    """
    Return what a seat can see of a state, or all that is in the state.

    When a game is over all tickets are shown.
    """
    vector = state.packed
    barred = (frozenset[int](),) * state.n_players
    if seat is not None:
        seat = seat_number(seat, state.n_players)
    if seat is None or (state.is_over and isinstance(state, GameState)):
        return Knowledge(state.game_map, state.n_players, vector, EVERYBODY, barred)
    tables = game_tables(state.game_map, state.n_players)
    return Knowledge(state.game_map, state.n_players, redact(vector, tables, seat), seat, barred)


def know(source: Source, seat: int | None, step: SupportsIndex) -> Knowledge:
    """
    Return what a seat knows of a position.

    Parameters
    ----------
    source
        A record, a state, or what a seat sees of one. A record also tells
        which tickets the seat gave back.
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
