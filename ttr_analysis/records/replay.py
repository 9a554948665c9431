"""
A game followed step by step: checked as it comes, made again without random numbers, or put together bit by bit.

A *step* is the set-up, or a move with all that follows from it until a seat
must decide again. Its outcomes of chance are a script for the kernel. A record
is of a possible game if all that the kernel writes, places of shuffles
included, is what the record says. Where cards are unknown, what is checked is
necessary, not sufficient.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, overload

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._errors import GameError
from ttr_analysis._words import counted
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.actions.table import shows_cards
from ttr_analysis.engine.codes import ActionFault, kind_of, make_action, unpacked
from ttr_analysis.engine.events import Rows, tape_of, why_not
from ttr_analysis.engine.game import NO_KEY, KernelGame
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.kernel.step import step as kernel_step
from ttr_analysis.engine.kernel.turns import new_game, where_unkept
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.position import corrected, state_of
from ttr_analysis.engine.protocol import CompiledPolicy, Policy, seat_policy
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.unknowns import (
    has_unknown_cards,
    identify_cards,
    identify_tickets,
    impossible_kind,
    n_short_in_pile,
    n_unknown_cards,
)
from ttr_analysis.records.entries import CORRECTED, SHOWN, START, UNKNOWN, Entry, entry_name
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, Tables

SET_UP: Final = -1
"""Code of the first step."""
LAID: Final = -2
"""Code of a step that lays a position out, or corrects one."""
_EVERY: Final = 32
"""A state is kept for every so many steps."""
_NOTHING: Final = -1
_CARD_EVENTS: Final = (codes.CARD_DEALT, codes.CARD_DRAWN, codes.MARKET_CARD, codes.CARD_REVEALED)
_TICKET_EVENTS: Final = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)


class Step(NamedTuple):
    """
    What brings a game from one state to the next.

    It has its events in the record, from `first` to `end`; the action, or
    `SET_UP`; the tickets that a seat shows, if it is that; outcomes of chance
    without places of shuffles; and the state after a position or a correction.
    """

    first: int
    end: int
    code: int
    value: int
    shown: Entry | None
    script: Rows
    laid: State | None = None


class ImpossibleError(Exception):
    """An event that cannot come where a record has it: which one, from 0, and why."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(at, reason)
        self.at = at
        self.reason = reason


def outcomes_of(rows: Rows) -> Rows:
    """Return the outcomes of chance among events, without places of shuffles."""
    return [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]


# -- the steps of a game -------------------------------------------------------------------------------------------


class Timeline:
    """The steps of a game in numbers, and some of its states; `apply` checks and adds further ones."""

    def __init__(self, game: KernelGame) -> None:
        self.game = game
        self.steps: list[Step] = []
        self.due = ""
        """What the last move still lacks, if the events end in the middle of one."""
        self._kept: list[State] = []
        self._latest = (-1, State())
        """The step whose state was asked for last, and that state."""

    @classmethod
    def of(cls, game: KernelGame, entries: Sequence[Entry]) -> Timeline:
        """Return the steps of a record; an `ImpossibleError` says where it cannot be."""
        timeline = cls(game)
        timeline.apply(entries)
        return timeline

    def vector(self, at: int) -> State:
        """Return the packed state after a step; at most `_EVERY` steps are made for it, one if it is the next one."""
        done, state = self._latest
        if not at // _EVERY * _EVERY <= done <= at:
            done, state = at // _EVERY * _EVERY, self._kept[at // _EVERY]
        state = _without_chance(state)
        for number in range(done + 1, at + 1):
            make_step(state, self.game.tables, self.steps[number])
        self._latest = (at, state)
        return state.copy()

    def vectors(self) -> Ints:
        """Return the packed states after all steps, one a row."""
        rows, state = np.empty((len(self.steps), State.n_cells), dtype=np.int64), State()
        for row, step in zip(rows, self.steps, strict=True):
            make_step(state, self.game.tables, step)
            row[:] = state.cells
        return rows

    @property
    def n_events(self) -> int:
        """Events of the record in its steps."""
        return self.steps[-1].end if self.steps else 0

    @property
    def last(self) -> State:
        """The packed state after the last step."""
        return self.vector(len(self.steps) - 1)

    def copy(self, n_steps: int | None = None) -> Timeline:
        """Return the same timeline, or its first steps, to be continued differently."""
        n = len(self.steps) if n_steps is None else n_steps
        other = Timeline(self.game)
        other.steps, other._kept = self.steps[:n], self._kept[: -(-n // _EVERY)]
        if self._latest[0] < n:
            other._latest = self._latest
        if n == len(self.steps):
            other.due = self.due
        return other

    def apply(self, entries: Sequence[Entry]) -> None:
        """
        Check the events after the steps so far, and add the steps that they make.

        `entries` are all events of the record, those of the steps so far included.
        If the last step lacks outcomes, `due` says which comes next. An
        `ImpossibleError` is raised at the first event that cannot come where it does.
        """
        at, self.due = self.n_events, ""
        state = self.last if self.steps else State()
        while at < len(entries) or not self.steps:
            checker = _StepChecker(self, entries, at)
            made = checker.try_step(state)
            if made is None:
                self.due = checker.due
                break
            state = made[1]
            self._add(*made)
            at = checker.end

    def add_played(self, code: int, value: int, rows: Rows, state: State) -> None:
        """
        Add a step that was played: its action (code `SET_UP` for the set-up), its events and the state after it.

        The state is not copied, and must not change afterwards.
        """
        first = self.n_events
        self._add(Step(first, first + len(rows), code, value, None, outcomes_of(rows)), state)

    def add_start(self, state: State) -> None:
        """Add the position from which a record begins."""
        laid = _without_chance(state)
        self._add(Step(0, 1, LAID, 0, None, [], laid), laid)

    def _add(self, step: Step, state: State) -> None:
        if len(self.steps) % _EVERY == 0:
            self._kept.append(_without_chance(state))
        self._latest = (len(self.steps), state)
        self.steps.append(step)


def _without_chance(state: State) -> State:
    """Return a copy of a state that has no random numbers to come, as no state of a record has."""
    replayed = state.copy()
    replayed.stream[:] = 0
    return replayed


class States(Sequence[GameState]):
    """
    The states of a record: after the set-up, after each move, and after tickets are shown.

    A state is made when it is asked for, from one kept at most 32 steps
    before; going through all of them in order makes each step once.

    Parameters
    ----------
    timeline
        The steps of the record.
    numbers
        The steps whose states these are.
    """

    __slots__ = ("_numbers", "_timeline")

    def __init__(self, timeline: Timeline, numbers: range) -> None:
        self._timeline = timeline
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> GameState: ...
    @overload
    def __getitem__(self, at: slice) -> States: ...
    def __getitem__(self, at: int | slice) -> GameState | States:
        if isinstance(at, slice):
            return States(self._timeline, self._numbers[at])
        game = self._timeline.game
        return GameState(game.game_map, game.n_players, self._timeline.vector(self._numbers[at]))

    def __repr__(self) -> str:
        return f"<{len(self)} states>"


def make_step(state: State, tables: Tables, step: Step) -> None:
    """Make a step whose move is legal; the state is changed in place."""
    if step.laid is not None:
        state.cells[:] = step.laid.cells
    elif step.shown is not None:
        identify_tickets(state, tables, step.shown.seat, step.shown.tickets)
    elif step.code == SET_UP:
        new_game(tables, NO_KEY, 0, state, tape_of(step.script, 0))
        state.stream[:] = 0
    else:
        identify_played(state, step)
        kernel_step(state, tables, step.code, step.value, tape_of(step.script, 0))


def identify_played(state: State, step: Step) -> None:
    """Fill in the cards that the seat that acts shows by its move, where they are not known."""
    seat = int(state.seat)
    if step.code >= 0 and shows_cards(step.code) and n_unknown_cards(state, seat):
        identify_cards(state, seat, unpacked(step.value).counts)


# -- playing -------------------------------------------------------------------------------------------------------


def play_game(
    game: KernelGame, policies: Sequence[Policy | CompiledPolicy], seed: int, number: int, start: State | None = None
) -> tuple[Timeline, Rows]:
    """Play a game to its end, from the set-up or a position; return its steps and all that happened since."""
    if len(policies) != game.n_players:
        raise GameError(f"a game of {game.n_players} players needs {game.n_players} policies, got {len(policies)}")
    timeline = Timeline(game)
    if start is None:
        state, events = game.deal(seed, number)
        timeline.add_played(SET_UP, 0, events, state)
    else:
        state, events = start, []
        timeline.add_start(state)
    choosers = [seat_policy(game, policy, seat, seed, number) for seat, policy in enumerate(policies)]
    while state.phase != layout.OVER:
        code, value = choosers[state.seat](state)
        state, rows = game.play_on(state, code, value)
        timeline.add_played(code, value, rows, state)
        events += rows
    return timeline, events


# -- a step whose outcomes come one by one -------------------------------------------------------------------------


class ScriptedStep:
    """
    A step to which outcomes are added one by one, after the state before, or None, and a legal action.

    >>> setup = ScriptedStep(KernelGame(ttr.load_map("nordic"), 2), None)
    >>> setup.next_outcome
    Entry(kind=32, seat=0, argument=0, value=0, tickets=(), stamp=None, position=None)
    >>> setup.add(3), setup.next_outcome.seat
    ('', 0)
    """

    def __init__(
        self,
        game: KernelGame,
        before: State | None,
        code: int = 0,
        value: int = 0,
        outcomes: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._game = game
        self._before = before
        self._action = (code, value)
        self.script = list(outcomes)
        self.after, self._rows = self._run(self.script)

    @property
    def next_outcome(self) -> Entry | None:
        """The outcome that comes next, its value not yet known (0); None if the step is complete."""
        outcomes = outcomes_of(self._rows)
        return Entry.of(outcomes[len(self.script)][0]) if len(outcomes) > len(self.script) else None

    def add(self, value: int) -> str:
        """Add the outcome that comes next, a kind of card or a ticket; return why it cannot be, or ""."""
        outcome = self.next_outcome
        assert outcome is not None  # noqa: S101 - callers look first
        row = (outcome.code, value)
        return "" if self._try(row) else why_not(outcome.code)

    def add_replaced(self, kind: int) -> bool:
        """Add the first card of a market of which it is open whether it is replaced; return whether it can be."""
        return self._try((codes.MARKET_CARD, kind))

    def _try(self, row: tuple[int, int]) -> bool:
        """Add an outcome, if it can be; return whether."""
        after, rows = self._run([*self.script, row])
        if outcomes_of(rows)[: len(self.script) + 1] != [*self.script, row]:
            return False
        self.script.append(row)
        self.after, self._rows = after, rows
        return True

    def entries(self) -> list[Entry]:
        """Return the events so far: the move, unless the step is the set-up, and the outcomes added."""
        n_left = len(self.script)
        entries = []
        for code, value in self._rows:
            if codes.CARD_DEALT <= kind_of(code) < codes.SHUFFLED:
                if n_left == 0:
                    break
                n_left -= 1
            entries.append(Entry.of(code, value))
        return entries

    def _run(self, script: Rows) -> tuple[State, Rows]:
        ran = self._game.run(self._before, *self._action, script)
        ran.state.stream[:] = 0  # a script leaves no random numbers to come
        return ran.state, ran.rows


# -- checking a step -----------------------------------------------------------------------------------------------


class _Unfitting(NamedTuple):
    """The number of an outcome that does not fit, the code of what comes there, and how many tickets come later."""

    at: int
    code: int
    n_later: int = 0


class _StepChecker:
    """Checks the events of a record that make the step after those of a timeline."""

    def __init__(self, timeline: Timeline, entries: Sequence[Entry], first: int) -> None:
        self.game = timeline.game
        self.entries = entries
        self.first = first
        self.is_set_up = not timeline.steps
        self.end = self._end_of_step()
        self.first_outcome = first if self.is_set_up else first + 1
        self.outcomes = entries[self.first_outcome : self.end]
        self.due = ""

    def _end_of_step(self) -> int:
        """Return where the events of the step end: at the next move."""
        entries, first = self.entries, self.first
        begins_with_outcomes = self.is_set_up and not (first < len(entries) and entries[first].kind == START)
        end = first if begins_with_outcomes else first + 1
        while end < len(entries) and entries[end].is_chance:
            end += 1
        return end

    def try_step(self, before: State) -> tuple[Step, State] | None:
        """Return the step and the state after it; None if the record ends before its last outcomes."""
        if self.first < self.end and self.entries[self.first].kind in (START, CORRECTED):
            return self._lay(before)
        step = self._begin(before)
        if step.shown is not None:
            after, written, is_fault = before.copy(), [], False
            make_step(after, self.game.tables, step)
        else:
            ran = self.game.run(None if self.is_set_up else before, step.code, step.value, step.script)
            after, written, is_fault = ran.state, ran.rows[0 if self.is_set_up else 1 :], bool(ran.state.fault)
            if self.is_set_up:
                after.stream[:] = 0
        unfitting = self._first_unfitting(written, is_fault=is_fault)
        if unfitting:
            self._refuse(after, unfitting)
            return None
        if has_unknown_cards(after):
            if (kind := impossible_kind(after, self.game.tables)) is not None:
                self._refuse_kind(kind)
            if n_short := n_short_in_pile(after, self.game.tables):
                cards = f"{counted(n_short, 'card')} of the draw pile"
                raise ImpossibleError(self.first, f"{cards} can be of no kind after it")
        return step, after

    # -- positions --------------------------------------------------------------

    def _lay(self, before: State) -> tuple[Step, State]:
        """Return the step of a position, or a correction, and the state after it."""
        entry, game = self.entries[self.first], self.game
        is_start = entry.kind == START
        if is_start and not self.is_set_up:
            raise ImpossibleError(self.first, "a position stands at the beginning")
        if not is_start and before.phase not in (layout.TURN, layout.OVER):
            raise ImpossibleError(self.first, "a correction stands between two turns")
        if self.end > self.first + 1:
            raise ImpossibleError(self.first + 1, f"no {entry_name(self.entries[self.first + 1])} comes here")
        assert entry.position is not None  # noqa: S101 - both kinds have one
        if is_start:
            after, problems = state_of(entry.position, game.game_map, game.n_players)
        else:
            after, problems = corrected(before, entry.position, game.game_map, game.n_players)
        if problems:
            words = (f"{part}: {expected}, got {value}" for part, value, expected in problems)
            raise ImpossibleError(self.first, "; ".join(words))
        return Step(self.first, self.end, LAID, 0, None, [], after), after

    # -- moves ------------------------------------------------------------------

    def _begin(self, before: State) -> Step:
        """Return the step, its move legal."""
        script = [(entry.code, entry.value) for entry in self.outcomes if entry.kind != codes.SHUFFLED]
        code, value, shown = SET_UP, 0, None
        if not self.is_set_up:
            entry = self.entries[self.first]
            if entry.kind == SHOWN:
                self._check_shown(before, entry)
                shown = entry
            else:
                code, value = self._check_move(before, entry)
        return Step(self.first, self.end, code, value, shown, script)

    def _check_move(self, state: State, entry: Entry) -> tuple[int, int]:
        """Return code and value of a legal move."""
        game, seat = self.game, int(state.seat)
        if state.phase == layout.OVER:
            raise ImpossibleError(self.first, "the game is over")
        if entry.seat != seat:
            raise ImpossibleError(self.first, f"P{seat} acts now, not P{entry.seat}")
        code, value = make_action(entry.kind, entry.argument), entry.value
        if entry.kind == codes.KEEP_TICKETS and action_fault(state, game.tables, code, value) != ActionFault.PHASE:
            value = self._kept(state, entry)
        reason = game.why_illegal(state, code, value)
        if reason is not None:
            raise ImpossibleError(self.first, reason)
        return code, value

    def _kept(self, state: State, entry: Entry) -> int:
        """Return the bits of the tickets of an offer that are kept."""
        offer = state.offer[entry.seat, : state.n_offer[entry.seat]].tolist()
        bits = 0
        for ticket in entry.tickets:
            left = [i for i, offered in enumerate(offer) if offered == ticket and not bits >> i & 1]
            if not left:
                offered = ", ".join(map(self._ticket, offer))
                raise ImpossibleError(self.first, f"P{entry.seat} is not offered {self._ticket(ticket)}, but {offered}")
            bits |= 1 << left[0]
        unkept = [offered for i, offered in enumerate(offer) if not bits >> i & 1]
        if where_unkept(state, self.game.tables) == UNKEPT_DISCARDED and layout.UNKNOWN_TICKET in unkept:
            reason = "tickets that are not kept lie face up: each must be named where it is offered"
            raise ImpossibleError(self.first, reason)
        return bits

    def _check_shown(self, state: State, entry: Entry) -> None:
        if state.phase != layout.OVER:
            raise ImpossibleError(self.first, "tickets are shown only when the game is over")
        if entry.seat >= self.game.n_players:
            raise ImpossibleError(self.first, f"there is no P{entry.seat}")
        reason = identify_tickets(state.copy(), self.game.tables, entry.seat, entry.tickets)
        if reason:
            raise ImpossibleError(self.first, reason)

    # -- outcomes ---------------------------------------------------------------

    def _first_unfitting(self, written: Rows, *, is_fault: bool) -> _Unfitting | None:
        """Return the first outcome that the record has otherwise than the kernel wrote it."""
        for i, entry in enumerate(self.outcomes):
            if i == len(written):
                return _Unfitting(i, _NOTHING)
            if written[i] != (entry.code, entry.value):
                n_later = sum(kind_of(code) in _TICKET_EVENTS for code, _ in written[i + 1 :])
                return _Unfitting(i, written[i][0], n_later)
        n = len(self.outcomes)
        if len(written) > n:
            return _Unfitting(n, written[n][0])
        return _Unfitting(n - 1, _NOTHING) if is_fault else None

    def _refuse(self, state: State, unfitting: _Unfitting) -> None:
        """Raise the reason for an outcome that does not fit; if the record ends there, only note what is due."""
        due = "" if unfitting.code == _NOTHING else _event_name(unfitting.code)
        if unfitting.at == len(self.outcomes):
            if self.end < len(self.entries):
                raise ImpossibleError(self.end, f"{due} must come first")
            self.due = due
            return
        entry = self.outcomes[unfitting.at]
        if not due:
            after = "the game is over" if state.phase == layout.OVER else f"P{state.seat} acts now"
            reason = f"no {entry_name(entry)} comes here: {after}"
        elif entry.code != unfitting.code:
            reason = f"{due} comes here"
        elif entry.kind in _TICKET_EVENTS:
            reason = f"{self._ticket(entry.value)} cannot come here: {self._place(state, entry.value, unfitting)}"
        else:
            reason = f"the draw pile has no {CARD_KINDS[entry.value]} card"  # an unknown one always fits
        raise ImpossibleError(self.first_outcome + unfitting.at, reason)

    def _refuse_kind(self, kind: int) -> None:
        """Refuse a step after which more cards of a kind have come from the pile than were shuffled into it."""
        at = next(
            (i for i, entry in enumerate(self.outcomes) if entry.kind in _CARD_EVENTS and entry.value == kind), -1
        )
        reason = f"all {CARD_KINDS[kind]} cards that were shuffled into the draw pile have come out of it"
        raise ImpossibleError(self.first if at < 0 else self.first_outcome + at, reason)

    # -- words ------------------------------------------------------------------

    def _ticket(self, number: int) -> str:
        return UNKNOWN if number == layout.UNKNOWN_TICKET else self.game.game_map.tickets[number].id

    def _place(self, state: State, ticket: int, unfitting: _Unfitting) -> str:
        """Return where a ticket is, if it is not on top of the pile, or which one is."""
        at = int(state.ticket_at[ticket])
        if at in (layout.AT_PILE, layout.AT_QUEUE):
            # The kernel has gone on, and drawn this ticket and later ones.
            return f"{self._ticket(state.queue[(state.queue_head - 1 - unfitting.n_later) % MAX_TICKETS])} lies on top"
        return _PLACES.get(at, f"P{at} holds it")


_PLACES: Final = {
    layout.AT_OFFER: "a seat chooses from it",
    layout.AT_DISCARDS: "it lies on the ticket discards",
    layout.AT_REMOVED: "it is out of the game",
}


def _event_name(code: int) -> str:
    entry = Entry.of(code)
    name = entry_name(entry)
    if entry.kind in (codes.CARD_DEALT, codes.CARD_DRAWN, codes.TICKET_OFFERED):
        return f"{name} of P{entry.seat}"
    return f"{name} in slot {entry.argument}" if entry.kind == codes.MARKET_CARD else name
