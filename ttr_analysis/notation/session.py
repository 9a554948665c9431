"""A game written down line by line, while it is played at a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Self

from ttr_analysis._decoding import FaultList
from ttr_analysis._errors import GameError, RecordError
from ttr_analysis._words import with_names
from ttr_analysis.engine import codes
from ttr_analysis.engine.events import Event
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.state import GameState
from ttr_analysis.notation.lexer import NotationError, headed
from ttr_analysis.notation.parser import LineParser
from ttr_analysis.notation.writer import setup_lines, timeline_lines
from ttr_analysis.records.entries import Entry, EntryReader, entry_text, event_of
from ttr_analysis.records.file import parse_lines
from ttr_analysis.records.record import Game, GameRecord, with_steps
from ttr_analysis.records.replay import ImpossibleError, Timeline


class _Written(NamedTuple):
    """A line of a session, with the events and steps up to its end."""

    line: str
    entries: tuple[Entry, ...]
    timeline: Timeline


class Reading(NamedTuple):
    """
    An interpreted line.

    Parameters
    ----------
    line
        The line in canonical form, beginning with the player's name, if any.
    """

    line: str
    events: tuple[Event, ...]


class Session:
    """
    A game written down line by line: see `notation`.

    Each line is checked against the rules and the lines before. You can get the record at
    any time.

    Parameters
    ----------
    game
        Map, variant and number of players.
    players
        Names of the players by seat, which can be used instead of seats.

    Examples
    --------
    >>> session = Session(ttr.Game(ttr.load_map("nordic")), players=["Ida", "Bo"])
    >>> session.write("ida: hand blue 2, red, loc").line
    'Ida: hand blue, blue, red, locomotive'
    >>> session.write("P1: hand 4").line
    'Bo: hand 4'
    >>> session.read("market red, blu, ?, red, red").line
    'market red, blue, ?, red, red'
    """

    def __init__(self, game: Game, *, players: Sequence[str] = (), title: str = "", note: str = "") -> None:
        self._empty = GameRecord.from_play(game, [], None, [], players=players, title=title, note=note)
        self._packed = KernelGame(game.game_map, game.n_players)
        self._written = [_Written("", (), Timeline.of(self._packed, ()))]

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        """Return the session of a record, to be continued. A last move that lacks outcomes is left out."""
        header = record.header
        game = Game(record.map, header.n_players)
        session = cls(game, players=header.players, title=header.title, note=header.note)
        session._empty = replace(record, entries=())
        timeline = Timeline.of(session._packed, record.entries)
        if timeline.steps:
            lines = timeline_lines(session._packed, timeline, record.entries)
        else:
            lines = setup_lines(record.entries, record.map)
        for text, end in lines:
            line = headed(text, header.players)
            n_steps = sum(step.end <= end for step in timeline.steps)
            session._written.append(_Written(line, record.entries[:end], timeline.copy(n_steps)))
        return session

    # -- content ----------------------------------------------------------------

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the players by seat, if given."""
        return self._empty.header.players

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines in canonical form."""
        return tuple(written.line for written in self._written[1:])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The events as numbers."""
        return self._written[-1].entries

    @property
    def record(self) -> GameRecord:
        """The record of the game so far."""
        record = replace(self._empty, entries=self.entries)
        return record if self._vector is None else with_steps(record, self._written[-1].timeline)

    @property
    def game(self) -> Game:
        """The game that is written down."""
        return Game(self._packed.game_map, self._packed.n_players)

    @property
    def state(self) -> GameState | None:
        """The state after the last line; None before the setup is complete."""
        vector = self._vector
        return None if vector is None else GameState(self._packed.game_map, self._packed.n_players, vector)

    # -- writing ------------------------------------------------------------------

    def read(self, text: str) -> Reading:
        """Interpret a line without adding it, or raise a NotationError."""
        written, events = self._next(text)
        return Reading(written.line, events)

    def write(self, text: str) -> Reading:
        """Add a line and return its interpretation, or raise a NotationError."""
        written, events = self._next(text)
        self._written.append(written)
        return Reading(written.line, events)

    def undo(self) -> str:
        """Take back the last line and return it; raise a GameError if there is none."""
        if len(self._written) == 1:
            raise GameError("there is no line to take back")
        return self._written.pop().line

    def missing(self) -> NotationError | None:
        """Return the error of an empty line, which names what may come next; None if there is no error."""
        try:
            self.read("")
        except NotationError as error:
            return error
        return None

    # -- internals ------------------------------------------------------------------

    @property
    def _vector(self) -> State | None:
        timeline = self._written[-1].timeline
        return timeline.last if timeline.steps else None

    def _next(self, text: str) -> tuple[_Written, tuple[Event, ...]]:
        """Return the session after a line, and the events of the line."""
        last = self._written[-1]
        if text.lstrip().startswith("{"):
            return self._next_object(text)
        is_setup = not last.timeline.steps
        setup = last.entries if is_setup else ()
        reader = LineParser(
            self._packed,
            self._vector,
            text,
            dealt=[(entry.code, entry.value) for entry in setup if entry.kind != codes.SHUFFLED],
            players=self.players,
        )
        reader.read()
        entries = tuple(reader.entries) if is_setup else (*last.entries, *reader.entries)
        timeline = self._followed(entries)
        added = entries[len(last.entries) :]
        line = self._canonical(timeline, entries, len(last.timeline.steps), added)
        return _Written(line, entries, timeline), tuple(event_of(entry, self._packed.codec) for entry in added)

    def _next_object(self, text: str) -> tuple[_Written, tuple[Event, ...]]:
        """Return the session after a position or a correction, written as in the file of a record."""
        game_map = self._packed.game_map
        faults = FaultList("line", "line")
        try:
            lines = parse_lines(f"{text.strip()}\n".encode("utf-8", "surrogatepass"), faults).lines
            reader = EntryReader(game_map, self._packed.n_players, faults)
            entry = next((reader.read(line) for line in lines), None)
            faults.raise_if_any()
        except RecordError as error:
            raise NotationError("; ".join(f"{f.field}: {f.expected}".lstrip(": ") for f in error.faults), 0) from None
        if entry is None or entry.position is None:
            raise NotationError("expected a position or a correction; write everything else in words", 0)
        entries = (*self.entries, entry)
        written = _Written(entry_text(entry, game_map), entries, self._followed(entries))
        return written, (event_of(entry, self._packed.codec),)

    def _followed(self, entries: tuple[Entry, ...]) -> Timeline:
        """Return the steps of all entries, which begin with those already written."""
        timeline = self._written[-1].timeline.copy()
        try:
            timeline.apply(entries)
        except ImpossibleError as error:
            raise NotationError(with_names(error.reason, self.players), 0, is_illegal=True) from None
        return timeline

    def _canonical(self, timeline: Timeline, entries: tuple[Entry, ...], first: int, added: tuple[Entry, ...]) -> str:
        """Return a line in canonical form: the steps from `first` on, or a part of the setup."""
        if first == 0:
            return headed(next(line for line, _ in setup_lines(added, timeline.game.game_map)), self.players)
        turns = [line for line, _ in timeline_lines(self._packed, timeline, entries, first)]
        return headed("; ".join([turns[0], *(line.partition(": ")[2] for line in turns[1:])]), self.players)
