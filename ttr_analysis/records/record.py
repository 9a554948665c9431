"""The record of a game, a value that is saved, loaded, replayed and continued; and the game that is recorded."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, Self, SupportsIndex

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._display import render_html
from ttr_analysis._errors import GameError, RecordError, RecordWarning, _shorten
from ttr_analysis._words import counted
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Correction, Event, Move, Rows
from ttr_analysis.engine.game import GameEngine, whole_number
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.engine.packed import seat_policy
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, PolicyLike, find_policies, policy_name
from ttr_analysis.engine.scores import Scores, score_state
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.unknowns import unknown_words
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.reading import write_atomically
from ttr_analysis.records.entries import (
    CORRECTED,
    START,
    Entry,
    EntryReader,
    Stamp,
    entries_of_tape,
    entry_data,
    entry_of,
    entry_text,
    event_of,
    in_offer_order,
    seen_entries,
    shown_entries,
)
from ttr_analysis.records.header import MAX_NAME, RecordHeader, check_seed, fingerprint, read_header, resolve_map
from ttr_analysis.records.lines import FaultList, as_line, parse_lines, read_bytes
from ttr_analysis.records.positions import PositionedGame, laid_out
from ttr_analysis.records.replay import SET_UP, States, Timeline
from ttr_analysis.records.verification import ImpossibleError, follow
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, seed_key


@dataclass(frozen=True, repr=False)
class GameRecord:
    """
    All that happened in a game, outcomes of chance included.

    A record is saved as JSON Lines: a header, then one event a line. It is
    replayed without random numbers. Cards and tickets may be unknown, as in a
    game watched from one seat or entered at a table: replaying then checks
    much, but not all: see `docs/games.md`.

    A *step* of a record is the set-up (step 0), or a move with all that
    follows from it until a seat must decide again.

    Parameters
    ----------
    header
        Map, players and origin.
    entries
        The events as numbers; `events` has them in words.
    map
        The map, as the variant that is played.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> state, dealt = game.deal(seed=7)
    >>> record = ttr.GameRecord.from_play(game, [], 7, dealt)
    >>> record
    <GameRecord nordic: 2 players, seed 7, 23 events, not over, scores 10, 10 so far>
    >>> print(record.dumps().splitlines()[1])
    {"event":"card_dealt","seat":0,"card":"blue"}
    >>> ttr.GameRecord.loads(record.dumps()) == record
    True
    """

    header: RecordHeader
    entries: tuple[Entry, ...]
    map: GameMap = field(compare=False)

    # -- making, saving and loading ---------------------------------------------

    @classmethod
    def from_play(
        cls,
        game: GameEngine,
        policies: Sequence[str],
        seed: int | None,
        events: Iterable[Event],
        *,
        number: int | None = None,
        players: Sequence[str] = (),
        title: str = "",
        note: str = "",
        date: str = "",
    ) -> Self:
        """
        Return the record of a game that was played.

        Parameters
        ----------
        game
            The game.
        policies
            Names of the policies, seat by seat; none if people played.
        seed
            The seed; None if there is none.
        events
            All that happened, from the set-up on; checked when the record is
            replayed.
        number
            Number of the game in its run.
        players
            Names of the players, seat by seat.
        title, note
            Free text.
        date
            The day on which it was played, such as "2026-03-14".

        Raises
        ------
        GameError
            If an event or a text is not well formed.
        """
        codec = codec_of(game.game_map)
        entries = tuple(in_offer_order(entry_of(event, codec) for event in events))
        record = cls._make(game.game_map, game.n_players, entries, policies, seed, number)
        header = replace(record.header, players=tuple(players), title=title, note=note, date=date)
        return replace(record, header=header)

    @classmethod
    def from_position(
        cls, state: GameState, *, players: Sequence[str] = (), title: str = "", note: str = "", date: str = ""
    ) -> Self:
        """
        Return a record that begins from a position.

        Parameters
        ----------
        state
            A state between two turns, as `Game.position` gives it. What lies
            on the table is kept, not how the game came there: which cards
            everyone has seen in a hand, or the order of tickets in the pile.
        players, title, note, date
            As in `from_play`.

        Raises
        ------
        GameError
            If the state is amid a turn, or a text is not well formed.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game("usa")
        >>> state = game.position(hands=[{"red": 3, "?": 2}, 4], tickets=[["Dallas-New York"], 2], to_move=1)
        >>> record = GameRecord.from_position(state, players=["Ann", "Bo"])
        >>> print(record.dumps().splitlines()[1][:70])
        {"event":"position","owners":{},"hands":[{"red":3,"?":2},{"?":4}],"tic
        >>> record.state_at(0) == state
        True
        """
        position, _ = laid_out(state)
        entry = Entry(START, position=position)
        record = cls._make(state.game_map, state.n_players, (entry,), (), None, None)
        header = replace(record.header, players=tuple(players), title=title, note=note, date=date)
        return replace(record, header=header)

    @classmethod
    def from_tape(
        cls,
        game_map: GameMap,
        n_players: int,
        rows: Ints | Iterable[tuple[int, int]],
        policies: Sequence[str] = (),
        seed: int | None = None,
        number: int | None = None,
        *,
        timeline: Timeline | None = None,
        before: tuple[Entry, ...] = (),
    ) -> Self:
        """
        Return the record of a game from what the kernel wrote.

        Parameters
        ----------
        game_map
            The map, as the variant that is played.
        n_players
            Number of players, without the neutral one.
        rows
            Codes and values of all events, shape (events, 2).
        policies, seed, number
            As in `from_play`.
        timeline
            The steps of the game, if it was followed as it was played.
        before
            What stands before these events, of a game that was played on.
        """
        record = cls._make(game_map, n_players, (*before, *entries_of_tape(rows, before)), policies, seed, number)
        if timeline is not None:
            record.__dict__["_timeline"] = timeline
        return record

    @classmethod
    def _make(
        cls,
        game_map: GameMap,
        n_players: int,
        entries: tuple[Entry, ...],
        policies: Sequence[str],
        seed: int | None,
        number: int | None,
    ) -> Self:
        header = RecordHeader(
            map_name=game_map.name,
            variant=game_map.rules.variant,
            n_players=n_players,
            facts=fingerprint(game_map),
            policies=tuple(_shorten(name, MAX_NAME) for name in policies),
            seed=seed,
            game=number,
        )
        return cls(header, entries, game_map)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game_map: MapLike | None = None) -> Self:
        """
        Load a record from a file.

        Parameters
        ----------
        path
            The file.
        game_map
            The map, or its folder, if it does not come with the package.

        Returns
        -------
        record
            The record, checked from the first event to the last.

        Raises
        ------
        RecordError
            If the file is damaged, tells of an impossible game, or is of a
            map with other facts. It lists the faults with line and reason:
            all of those of the text, else the first against the rules.
        OSError
            If the file cannot be read.

        Warns
        -----
        RecordWarning
            If the record ends in the middle of a line, which is left out, or
            of a move.

        Notes
        -----
        At most 32 MB and 400,000 lines. Nothing in a record is executed, and
        the name of a map in it never leads to a file.
        """
        faults = FaultList(Path(path).name, os.fspath(path))
        return cls._read(read_bytes(path, faults), game_map, faults)

    @classmethod
    def loads(cls, content: str | bytes, game_map: MapLike | None = None) -> Self:
        """
        Load a record from its text: see `load`.

        Parameters
        ----------
        content
            The text of a file, or its bytes.
        game_map
            The map, or its folder, if it does not come with the package.

        Raises
        ------
        RecordError
            If the record is damaged or tells of an impossible game.

        Warns
        -----
        RecordWarning
            If the record breaks off.
        """
        if not isinstance(content, str | bytes):
            raise TypeError(f"expected the text of a record, or its bytes, got {content!r}")
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        return cls._read(data, game_map, FaultList("text", "text"))

    @classmethod
    def _read(cls, content: bytes, game_map: MapLike | None, faults: FaultList) -> Self:
        given = None if game_map is None else as_map(game_map)
        lines, cut = parse_lines(content, faults)
        if not lines or lines[0].number > 1:
            if not faults.faults:
                faults.add(1, "", "nothing", "expected the header of a record")
            faults.raise_if_any()
        header = read_header(lines[0], faults)
        its_map = resolve_map(header, given, faults) if header else None
        reader = EntryReader(its_map, header.n_players if header else None, faults)
        entries = tuple(in_offer_order(entry for line in lines[1:] if (entry := reader.read(line)) is not None))
        faults.raise_if_any()
        assert header is not None  # noqa: S101 - else there was a fault
        assert its_map is not None  # noqa: S101
        record = cls(header, entries, its_map)
        timeline = record._follow(faults)
        record.__dict__["_timeline"] = timeline
        if cut:
            _warn(f"{faults.file}, line {cut} breaks off and is left out")
        elif timeline.due:
            _warn(f"{faults.file} ends in the middle of a move, before its {timeline.due}")
        return record

    def dumps(self) -> str:
        """Return the text of the record as `save` writes it."""
        return "".join(map(as_line, (self.header.data(), *(entry_data(entry, self.map) for entry in self.entries))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Save the record.

        Parameters
        ----------
        path
            The file; an old one stays whole until the new one is.
        """
        write_atomically(Path(path).expanduser(), self.dumps())

    # -- what happened ------------------------------------------------------------

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        codec = codec_of(self.map)
        self._timeline  # noqa: B018 - what is impossible is refused first
        return tuple(event_of(entry, codec) for entry in self.entries)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the seats, in order, without what chance did."""
        return tuple(event for event in self.events if isinstance(event, Move))

    @cached_property
    def steps(self) -> tuple[tuple[Event, ...], ...]:
        """The events step by step: `states()[k]` is the state after `steps[k]`."""
        return tuple(self.events[step.first : step.end] for step in self._timeline.steps)

    @property
    def stamps(self) -> tuple[Stamp | None, ...]:
        """Where each step stood in the source of the record: number of the move and time; None where not known."""
        return tuple(self.entries[step.first].stamp for step in self._timeline.steps)

    @property
    def corrections(self) -> tuple[tuple[int, Correction], ...]:
        """Where the record was corrected, by hand, with the steps in which it was."""
        events = enumerate(step[0] for step in self.steps if step)
        return tuple((step, event) for step, event in events if isinstance(event, Correction))

    @property
    def is_complete(self) -> bool:
        """Whether the record goes on to the end of the game."""
        return bool(self._timeline.steps) and self.states()[-1].is_over

    def states(self) -> States:
        """
        Return the states of the game, one after each step.

        Returns
        -------
        states
            A sequence, made as it is asked for. The random numbers to come in
            them are not those of the game as it was played: see `resume`.
        """
        return States(self._timeline, range(len(self._timeline.steps)))

    def state_at(self, step: SupportsIndex) -> GameState:
        """
        Return the state after a step; step 0 is the set-up, -1 the last one.

        Raises
        ------
        IndexError
            If there is no such step.
        """
        states = self.states()
        try:
            return states[index(step)]
        except IndexError:
            raise IndexError(f"the record has steps 0 to {len(states) - 1}, got {step!r}") from None

    def resume(self, step: SupportsIndex, *, seed: int) -> tuple[Game, GameState]:
        """
        Return the game and its state after a step, to be played on.

        Parameters
        ----------
        step
            The step, as in `state_at`.
        seed
            What chance does from there on.

        Raises
        ------
        GameError
            If unknown cards or tickets hold up chance: give the outcomes to `Game.step`.
        IndexError
            If there is no such step.
        """
        state = self.state_at(step)
        vector = state.packed.copy()
        if unknown := unknown_words(vector, self.header.n_players):
            raise GameError(f"chance cannot go on from a state with {unknown}")
        open_stream(seed_key(seed), 0, TABLE_STREAM, vector.stream)
        return Game(self.map, self.header.n_players), GameState(self.map, self.header.n_players, vector)

    def timeline(self, step: SupportsIndex = -1) -> Timeline:
        """
        Return the steps up to one, in the kernel's numbers, to be continued differently.

        Parameters
        ----------
        step
            The last one, as in `state_at`.

        Raises
        ------
        IndexError
            If there is no such step.
        """
        self.state_at(step)  # raises the error that names the steps there are
        return self._timeline.copy(range(len(self._timeline.steps))[step] + 1)

    # -- the result -----------------------------------------------------------------

    def score(self) -> Scores:
        """
        Return the score of every seat at the end of the record, with all its parts.

        What depends on tickets that are not known is None.
        """
        return self._scores

    @property
    def scores(self) -> tuple[int | None, ...]:
        """Points of each seat; None where they depend on tickets that are not known."""
        return tuple(score.total for score in self._scores)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty if that depends on tickets that are not known, or the game is not over."""
        return self._scores.winners if self.is_complete else ()

    @cached_property
    def _scores(self) -> Scores:
        if not self._timeline.steps:
            raise GameError(f"the record ends before the game begins: {self._timeline.due} is due")
        scores = score_state(self.map, self._last, self.header.n_players)
        named = zip(scores, self.header.players, strict=False)
        return replace(scores, seats=tuple(replace(score, name=name) for score, name in named) or scores.seats)

    # -- as seen by one seat ----------------------------------------------------------

    def watched_from(self, seat: int, *, shown: bool = True) -> Self:
        """
        Return the record with only what one seat could see.

        Cards that others drew unseen and their tickets are unknown; so is the
        seed, from which they follow. While opening tickets are chosen, the
        record ends before the first choice of another seat.

        Parameters
        ----------
        seat
            Who watches.
        shown
            Whether the others show their tickets when the game is over.

        Raises
        ------
        GameError
            If there is no such seat.
        """
        if seat not in range(self.header.n_players):
            raise GameError(f"expected a seat from 0 to {self.header.n_players - 1}, got {seat!r}")
        others = [other for other in range(self.header.n_players) if other != seat]
        entries = list(seen_entries(self.entries, seat, self.header.n_players, self.map.rules.tickets))
        if shown and self.is_complete:
            entries += shown_entries(entries, self._last, others)
        return type(self)(replace(self.header, seed=None, game=None), tuple(entries), self.map)

    # -- plumbing -------------------------------------------------------------------------

    @cached_property
    def _timeline(self) -> Timeline:
        return self._follow(FaultList("record", "of a game"))

    def _follow(self, faults: FaultList) -> Timeline:
        """Return the record followed; what is impossible is a fault of the line on which it stands in a file."""
        try:
            return follow(self.map, self.header.n_players, self.entries)
        except ImpossibleError as error:
            faults.add(error.at + 2, "", entry_text(self.entries[error.at], self.map), error.reason)
            faults.raise_if_any()
            raise

    @property
    def _last(self) -> State:
        """The packed state after the last step."""
        return self._timeline.last

    def __getstate__(self) -> dict[str, Any]:
        # What is cached is left out: it is many times as large.
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def __repr__(self) -> str:
        """Return the map, who played, and how it ended."""
        header = self.header
        name = f"{header.map_name} {header.variant}" if header.variant else header.map_name
        who = ", ".join(header.players or header.policies) or f"{header.n_players} players"
        seed = "" if header.seed is None else f", seed {header.seed}"
        n_corrected = sum(entry.kind == CORRECTED for entry in self.entries)
        corrected = f", {counted(n_corrected, 'correction')}" if n_corrected else ""
        return f"<GameRecord {name}: {who}{seed}, {len(self.entries)} events{corrected}{self._result()}>"

    def _repr_html_(self) -> str:
        return render_html(self)

    def _result(self) -> str:
        try:
            if not self._timeline.steps:
                return ", not begun"
            scores = ", ".join("?" if score is None else str(score) for score in self.scores)
            if not self.is_complete:
                return f", not over, scores {scores} so far"
        except RecordError:
            return ", impossible"
        winners = " and ".join(self._scores[seat].who for seat in self.winners)
        return f", scores {scores}" + (f", won by {winners}" if winners else "")


def _warn(message: str) -> None:
    warnings.warn(f"record {_shorten(message, 200)}", RecordWarning, stacklevel=4)


# -- a game that is recorded -------------------------------------------------------------------------------------


class Game(PositionedGame):
    """
    The game on a map by its rules.

    A game holds no state: `new` gives the first one, `apply` the next.

    Parameters
    ----------
    game_map
        The map.
    n_players
        Number of players, without the neutral one.
    variant
        A variant of the rules; None for the map's own.

    Raises
    ------
    GameError
        If the map is not for so many players, or too large to be played.
    UnknownNameError
        If the map has no such variant.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"), n_players=2)
    >>> state = game.new(seed=7)
    >>> print(game.legal_actions(state)[0])
    keep Stockholm to Bergen 8; Bergen to København 8
    >>> print(game.why_illegal(state, ttr.actions.DrawCard()))
    P0 must choose its opening tickets now; it cannot draw a card
    >>> game.apply(state, game.legal_actions(state)[0])
    <GameState nordic, 2 players: P1 KEEP_START, turn 1, scores 0-0, trains 40-40>
    """

    __slots__ = ()

    def play(
        self, policies: Sequence[PolicyLike], seed: int = 0, game: int = 0, *, start: GameState | None = None
    ) -> GameRecord:
        """
        Play a game to its end and return its record.

        Parameters
        ----------
        policies
            Who plays each seat; one of the package may be given by its name.
        seed, game
            As in `new`; the random numbers of each policy depend on them and on
            its seat alone.
        start
            A position between two turns from which the game goes on, of which
            nothing is unknown: see `GameRecord.from_position`.

        Raises
        ------
        GameError
            If there are not as many policies as players, one of them fails, or
            nobody can play on from the position.
        UnknownNameError
            If the package has no policy of a name.
        IllegalActionError
            If a policy chooses an illegal action; the message says which, in
            which turn, and why it is illegal.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> game.play(["Greedy", ttr.policies.Greedy()], seed=7).winners
        (0,)
        """
        check_seed(seed)
        players = find_policies(policies)
        entry, state = (None, None) if start is None else self._start(start, seed, game)
        timeline, rows = self._play(players, seed, game, state)
        names = [policy_name(player) for player in players]
        record = GameRecord.from_tape(self.game_map, self.n_players, rows, names, seed, game, timeline=timeline)
        if entry is None:
            return record
        record = replace(record, entries=(entry, *record.entries))
        record.__dict__["_timeline"] = timeline
        return record

    def _start(self, start: GameState, seed: int, game: int) -> tuple[Entry, State]:
        """Return a position as the first event of a record, and as a packed state with random numbers to come."""
        self._vector(start)
        position, state = laid_out(start)
        entry = Entry(START, position=position)
        if unknown := unknown_words(state, self.n_players):
            raise GameError(f"nobody can play on from a position with {unknown}: `SeatView.worlds` fills such in")
        open_stream(seed_key(seed), whole_number(game, "number of the game"), TABLE_STREAM, state.stream)
        return entry, state

    def play_rows(self, policies: Sequence[PolicyLike], seed: int, game: int = 0) -> Ints:
        """
        Play a game to its end and return all that happened as numbers.

        Parameters
        ----------
        policies, seed, game
            As in `play`.

        Returns
        -------
        rows
            Codes and values of all events, shape (events, 2): see `engine.codes`.
        """
        return np.array(self._play(find_policies(policies), seed, game)[1], dtype=np.int64)

    def _play(
        self, policies: Sequence[Policy | CompiledPolicy], seed: int, game: int, start: State | None = None
    ) -> tuple[Timeline, Rows]:
        """Play a game to its end, from the set-up or a position; return its steps and all that happened since."""
        if len(policies) != self.n_players:
            raise GameError(f"a game of {self.n_players} players needs as many policies, got {len(policies)}")
        number = whole_number(game, "number of the game")
        timeline = Timeline(self.game_map, self.n_players)
        if start is None:
            vector, written = self._packed.deal(seed, number)
            timeline.add_played(SET_UP, 0, written, vector)
        else:
            vector, written = start, []
            timeline.add_start(vector)
        choosers = [seat_policy(self._packed, policy, seat, seed, number) for seat, policy in enumerate(policies)]
        while vector.phase != OVER:
            code, value = choosers[vector.seat](vector)
            vector, rows = self._packed.play_on(vector, code, value)
            timeline.add_played(code, value, rows, vector)
            written += rows
        return timeline, written
