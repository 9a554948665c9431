"""A game played by the rules, and its record, which can be saved, loaded, replayed and continued."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, Self, SupportsIndex, TypeVar

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._decoding import FaultList, write_atomically
from ttr_analysis._errors import GameError, RecordError, RecordWarning, _shorten
from ttr_analysis._upward import render_html
from ttr_analysis._words import counted
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Correction, Event, Move
from ttr_analysis.engine.game import GAME_NUMBERS, GameEngine, KernelGame
from ttr_analysis.engine.layout import unknown_words
from ttr_analysis.engine.position import PARTS
from ttr_analysis.engine.protocol import PolicyLike, find_policies, policy_name
from ttr_analysis.engine.scores import MaybeNone, Scores, score_state
from ttr_analysis.engine.state import GameState, Owner
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.entries import (
    CORRECTED,
    START,
    Entry,
    Stamp,
    entries_of_tape,
    entry_data,
    entry_of,
    entry_text,
    event_of,
    in_offer_order,
    read_record,
    seen_entries,
    shown_entries,
)
from ttr_analysis.records.file import MAX_FAULTS, RecordHeader, as_line, check_seed, header_of, read_bytes
from ttr_analysis.records.positions import laid_out, playable, state_of_parts
from ttr_analysis.records.replay import ImpossibleError, States, Timeline, play_game
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, seed_key

_Record = TypeVar("_Record", bound="GameRecord")


@dataclass(frozen=True, repr=False)
class GameRecord:
    """
    Everything that happened in a game, including outcomes of chance.

    A record is saved as JSON Lines: a header, then one event per line. Replaying it needs no
    random numbers. Cards and tickets may be unknown, as in a game watched from one seat or
    entered at a table; replaying then checks much, but not everything (see
    `docs/games.md`).

    A *step* of a record is the setup (step 0), or a move with everything that follows until
    a seat must decide again.

    Parameters
    ----------
    header
        Map, players and origin.
    entries
        The events as numbers; `events` has them as objects.
    map
        The map, in the variant that is played.

    Examples
    --------
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
    _followed: Timeline | None = field(default=None, init=False, compare=False)
    """The steps, once they have been replayed."""

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
        policies
            Names of the policies, seat by seat; none if people played.
        events
            Everything that happened, starting with the setup.
        number
            Number of the game in its run.
        players
            Names of the players by seat.
        date
            Date of the game, such as "2026-03-14".

        Raises
        ------
        GameError
            If an event or any text is malformed. Whether the events are possible is checked
            when the record is replayed.
        """
        codec = codec_of(game.game_map)
        entries = tuple(in_offer_order(entry_of(event, codec) for event in events))
        game_map, n_players, words = game.game_map, game.n_players, {"title": title, "note": note, "date": date}
        return cls(header_of(game_map, n_players, policies, seed, number, players=players, **words), entries, game_map)

    @classmethod
    def from_position(
        cls, state: GameState, *, players: Sequence[str] = (), title: str = "", note: str = "", date: str = ""
    ) -> Self:
        """
        Return a record that begins from a position.

        Parameters
        ----------
        state
            A state between two turns, such as from `Game.position`. Only what is on the
            table is kept, not how the game got there, such as cards that everyone has seen
            in a hand, or the order of tickets in the pile.
        players, title, note, date
            As for `from_play`.

        Raises
        ------
        GameError
            If the state is in the middle of a turn, or any text is malformed.

        Examples
        --------
        >>> game = ttr.Game("usa")
        >>> state = game.position(hands=[{"red": 3, "?": 2}, 4], tickets=[["Dallas-New York"], 2], to_move=1)
        >>> GameRecord.from_position(state, players=["Ann", "Bo"]).state_at(0) == state
        True
        """
        entry = Entry(START, position=laid_out(state)[0])
        header = header_of(state.game_map, state.n_players, players=players, title=title, note=note, date=date)
        return cls(header, (entry,), state.game_map)

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
        Return the record of a game from the events that the kernel wrote.

        Parameters
        ----------
        game_map
            The map, in the variant that is played.
        rows
            Codes and values of the events, shape (events, 2).
        policies, seed, number
            As for `from_play`.
        timeline
            The steps, if already known.
        before
            Earlier events.
        """
        header = header_of(game_map, n_players, policies, seed, number)
        record = cls(header, (*before, *entries_of_tape(rows, before)), game_map)
        return record if timeline is None else with_steps(record, timeline)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game_map: MapLike | None = None) -> Self:
        """
        Load a record from a file, checking all events.

        Parameters
        ----------
        game_map
            The map or its folder, if it is not built in.

        Raises
        ------
        RecordError
            If the file is damaged, describes an impossible game, or belongs to a map with
            different facts. It lists faults with line and reason: all malformed lines, or
            else the first violation of the rules.
        OSError
            If the file cannot be read.

        Warns
        -----
        RecordWarning
            If the record ends in the middle of a line, which is left out, or of a move.

        Notes
        -----
        At most 32 MB and 400,000 lines. Nothing in a record is executed, and a map name in
        it never leads to a file.
        """
        faults = FaultList(os.fspath(path), Path(path).name, most=MAX_FAULTS)
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
            The map or its folder, if it is not built in.

        Raises
        ------
        RecordError
            If the record is damaged or describes an impossible game.
        """
        if not isinstance(content, str | bytes):
            raise TypeError(f"expected the text of a record, or its bytes, got {content!r}")
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        return cls._read(data, game_map, FaultList("text", "text", most=MAX_FAULTS))

    @classmethod
    def _read(cls, content: bytes, game_map: MapLike | None, faults: FaultList) -> Self:
        header, entries, its_map, cut = read_record(content, None if game_map is None else as_map(game_map), faults)
        record = cls(header, entries, its_map)
        timeline = record._follow(faults)
        if cut:
            _warn(f"{faults.file}, line {cut} breaks off and is left out")
        elif timeline.due:
            _warn(f"{faults.file} ends in the middle of a move, before its {timeline.due}")
        return with_steps(record, timeline)

    def dumps(self) -> str:
        """Return the text of the record, in the form of its file."""
        return "".join(map(as_line, (self.header.data(), *(entry_data(entry, self.map) for entry in self.entries))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Save the record.

        Parameters
        ----------
        path
            The file; an existing one is replaced only once the new one is complete.
        """
        write_atomically(Path(path).expanduser(), self.dumps())

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        codec = codec_of(self.map)
        self._timeline  # noqa: B018 - raises an error if something is impossible
        return tuple(event_of(entry, codec) for entry in self.entries)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the seats, in order, without outcomes of chance."""
        return tuple(event for event in self.events if isinstance(event, Move))

    @cached_property
    def steps(self) -> tuple[tuple[Event, ...], ...]:
        """The events step by step: `states()[k]` is the state after `steps[k]`."""
        return tuple(self.events[step.first : step.end] for step in self._timeline.steps)

    @property
    def stamps(self) -> tuple[Stamp | None, ...]:
        """The place of each step in the source of the record: move number and time; None if unknown."""
        return tuple(self.entries[step.first].stamp for step in self._timeline.steps)

    @property
    def corrections(self) -> tuple[tuple[int, Correction], ...]:
        """The manual corrections, each with its step."""
        events = enumerate(step[0] for step in self.steps if step)
        return tuple((step, event) for step, event in events if isinstance(event, Correction))

    @property
    def is_complete(self) -> bool:
        """Whether the record reaches the end of the game."""
        return bool(self._timeline.steps) and self.states()[-1].is_over

    def states(self) -> States:
        """
        Return the states of the game, one after each step, computed on demand.

        They do not have the random numbers of the original game: see
        `resume`.
        """
        return States(self._timeline, range(len(self._timeline.steps)))

    def state_at(self, step: SupportsIndex) -> GameState:
        """
        Return the state after a step; 0 is the setup, -1 the last step.

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
        Return the game and its state after a step, to play on from.

        Parameters
        ----------
        step
            The step, as in `state_at`.
        seed
            Seed of the random events from there on.

        Raises
        ------
        GameError
            If chance depends on unknown cards or tickets; in that case, use `Game.step` with outcomes.
        IndexError
            If there is no such step.
        """
        state = self.state_at(step)
        vector = state.packed.copy()
        if unknown := unknown_words(vector, self.header.n_players):
            raise GameError(f"cannot continue from a state with {unknown}")
        open_stream(seed_key(seed), 0, TABLE_STREAM, vector.stream)
        return Game(self.map, self.header.n_players), GameState(self.map, self.header.n_players, vector)

    def timeline(self, step: SupportsIndex = -1) -> Timeline:
        """
        Return the steps up to one in the kernel's numbers, for a different continuation.

        Parameters
        ----------
        step
            The last step, as in `state_at`.
        """
        self.state_at(step)  # raises the error for an unknown step
        return self._timeline.copy(range(len(self._timeline.steps))[step] + 1)

    def score(self) -> Scores:
        """Return each seat's score at the end of the record; parts that depend on unknown tickets are None."""
        return self._scores

    @property
    def scores(self) -> tuple[int | MaybeNone, ...]:
        """Points of each seat; None if they depend on unknown tickets."""
        return tuple(score.total for score in self._scores)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty if that depends on unknown tickets, or the game is not over."""
        return self._scores.winners if self.is_complete else ()

    @cached_property
    def _scores(self) -> Scores:
        if not self._timeline.steps:
            raise GameError(f"the record ends before the game begins: {self._timeline.due} comes next")
        scores = score_state(self.map, self._timeline.last, self.header.n_players)
        named = zip(scores, self.header.players, strict=False)
        return replace(scores, seats=tuple(replace(score, name=name) for score, name in named) or scores.seats)

    def watched_from(self, seat: int, *, shown: bool = True) -> Self:
        """
        Return the record as one seat could see it.

        Cards that others drew unseen and their tickets become unknown, and so does the seed
        that determines them. While opening tickets are chosen, the record ends before the
        first choice of another seat.

        Parameters
        ----------
        seat
            The watching seat.
        shown
            Whether the others show their tickets at the end.

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
            entries += shown_entries(entries, self._timeline.last, others)
        return type(self)(replace(self.header, seed=None, game=None), tuple(entries), self.map)

    @property
    def _timeline(self) -> Timeline:
        if self._followed is None:
            with_steps(self, self._follow(FaultList("of a game", "record")))
        assert self._followed is not None  # noqa: S101 - an impossible record raised an error
        return self._followed

    def _follow(self, faults: FaultList) -> Timeline:
        """Return the steps; an impossible event is reported as a fault of its line in a file."""
        try:
            return Timeline.of(KernelGame(self.map, self.header.n_players), self.entries)
        except ImpossibleError as error:
            faults.add(error.at + 2, "", entry_text(self.entries[error.at], self.map), error.reason)
            faults.raise_if_any()
            raise

    def __getstate__(self) -> dict[str, Any]:
        # Caches are left out: they are many times larger.
        return {"_followed": None} | {item.name: getattr(self, item.name) for item in fields(self) if item.init}

    def __repr__(self) -> str:
        header = self.header
        name = f"{header.map_name} {header.variant}" if header.variant else header.map_name
        who = ", ".join(header.players or header.policies) or f"{header.n_players} players"
        seed = "" if header.seed is None else f", seed {header.seed}"
        n_corrected = sum(entry.kind == CORRECTED for entry in self.entries)
        corrected = f", {counted(n_corrected, 'correction')}" if n_corrected else ""
        return f"<GameRecord {name}: {who}{seed}, {len(self.entries)} events{corrected}{self._result()}>"

    _repr_html_ = render_html

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


def with_steps(record: _Record, timeline: Timeline) -> _Record:
    """Return a record with known steps, which need not be replayed."""
    object.__setattr__(record, "_followed", timeline)
    return record


def _warn(message: str) -> None:
    warnings.warn(f"record {_shorten(message, 200)}", RecordWarning, stacklevel=4)


# -- games -------------------------------------------------------------------------------------------------------------


class Game(GameEngine):
    """
    The game on a map, played by the rules.

    A game has no state: `new` returns the first state, `apply` the next. A state of another
    game raises a `GameError`.

    Parameters
    ----------
    variant
        A variant of the rules; None for the map's standard rules.

    Raises
    ------
    GameError
        If the map does not allow this number of players, or is too large to be played.
    UnknownNameError
        If the map has no such variant.

    Examples
    --------
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

    def position(
        self,
        *,
        owners: Mapping[Any, Owner] | None = None,
        hands: Sequence[object] | None = None,
        tickets: Sequence[object] | None = None,
        market: Sequence[str | None] | None = None,
        to_move: int | None = None,
        turns_left: int | None = None,
        discards: object = None,
        pile: int | None = None,
        ticket_pile: int | None = None,
        ticket_discards: Sequence[object] | None = None,
        tickets_out: Sequence[object] | None = None,
        trains: Sequence[int | None] | None = None,
        scores: Sequence[int | None] | None = None,
        tokens: Sequence[int | None] | None = None,
        loans: Sequence[int | None] | None = None,
        stations: Mapping[Any, int] | None = None,
        turns: int | None = None,
        marker: int | None = None,
        neutral: int | None = None,
    ) -> GameState:
        """
        Return the state of a game between two turns, from what is on the table.

        Parameters
        ----------
        owners
            The owner of each taken route: a seat, or "neutral".
        hands
            Each seat's cards: counts by kind, "?" for unknown ones; a list of cards; or a
            number of cards. Optional if the game is over.
        tickets
            Each seat's tickets: a list, "?" for unknown ones; or a number.
        market
            The face-up cards, "?" for unknown ones, None for an empty slot. By default all
            are unknown.
        to_move
            The seat whose turn it is; None if the game is over.
        turns_left
            Turns left in the last round, for all seats together.
        discards
            The discard pile, as counts by kind. By default all cards not named elsewhere are
            in the draw pile, as after a shuffle.
        pile, ticket_pile
            Number of cards, and tickets, in the piles; the rest is unknown discards, or
            unknown tickets out of the game.
        ticket_discards, tickets_out
            Tickets discarded face up, and tickets out of the game.
        trains, scores
            Each seat's trains left, and points on the scoring track. They follow from the
            routes, and are only compared.
        tokens, loans
            Each seat's value of toll tokens, and number of loans.
        stations
            The seat that has a station in each city.
        turns
            Completed turns of all seats together; by default the fewest that the routes and
            stations took.
        marker, neutral
            The seat with the neutral player's marker, by default the one that starts with
            it; and 0 if the neutral player has left the game.

        Returns
        -------
        state
            The state. `score` shows the winner if the game is over; views, worlds and win
            probabilities work as for any other state, and `GameRecord.from_position` begins a
            record with it.

        Raises
        ------
        PositionError
            If something is impossible; the message lists all faults.

        Examples
        --------
        The game is over: who won?

        >>> game = ttr.Game("usa")
        >>> owners = {"Boston-New York/0": 0, ("Dallas", "Little Rock"): 1}
        >>> game.score(game.position(owners=owners, tickets=[["Boston-Miami"], []]))
        <Scores of 2 seats, won by P1>
          <Score of P0: 0 points: 2 routes - 12 tickets (0 of 1, 12 lost) + 10 longest trail>
          <Score of P1: 12 points: 2 routes + 0 tickets (0 of 0) + 10 longest trail>
        """
        parts = {name: value for name, value in locals().items() if name in PARTS}
        return state_of_parts(self.game_map, self.n_players, parts)

    def play(
        self, policies: Sequence[PolicyLike], seed: int = 0, game: int = 0, *, start: GameState | None = None
    ) -> GameRecord:
        """
        Play a game to the end and return its record.

        Parameters
        ----------
        policies
            One policy for each seat: an object, or the name of a built-in one.
        seed
            Random seed. By default 0, so that the same call always plays the same game.
        game
            Number of the game in a run with that seed.
        start
            A position between two turns to play on from, without unknowns, such as from
            `Game.position`.

        Raises
        ------
        GameError
            If the number of policies is wrong, one of them fails, or the position has
            unknowns.
        UnknownNameError
            If no built-in policy has the name.
        IllegalActionError
            If a policy chooses an illegal action; the message gives the action, the turn and
            the reason.

        Examples
        --------
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> game.play(["Greedy", ttr.policies.Greedy()], seed=7).winners
        (0,)
        """
        check_seed(seed)
        players = find_policies(policies)
        number = GAME_NUMBERS.check(game, "game", GameError)
        before: tuple[Entry, ...] = ()
        state = None
        if start is not None:
            self._vector(start)
            position, state = playable(start, seed, number)
            before = (Entry(START, position=position),)
        timeline, rows = play_game(self._kernel, players, seed, number, state)
        names = [policy_name(player) for player in players]
        return GameRecord.from_tape(
            self.game_map, self.n_players, rows, names, seed, game, timeline=timeline, before=before
        )

    def play_rows(self, policies: Sequence[PolicyLike], seed: int, game: int = 0) -> Ints:
        """
        Play a game to the end and return all its events as numbers.

        Parameters
        ----------
        policies, seed, game
            As for `play`.

        Returns
        -------
        rows
            Codes and values of all events, shape (events, 2): see `engine.codes`.
        """
        number = GAME_NUMBERS.check(game, "game", GameError)
        return np.array(play_game(self._kernel, find_policies(policies), seed, number)[1], dtype=np.int64)
