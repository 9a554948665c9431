"""
Games step by step: checked, replayed without random numbers, or built up event by event.

A *step* is the setup, or a move with everything that follows until a seat must decide
again. Its outcomes of chance are a script for the kernel. A record describes a possible game
if everything that the kernel writes, including shuffles, matches the record.
If cards are unknown, this condition is necessary but not sufficient.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, overload

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._errors import GameError
from ttr_analysis._words import counted
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.actions.drawing import bits_kept, offer_of
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
from ttr_analysis.records.entries import CORRECTED, SHOWN, START, Entry, entry_name
from ttr_analysis.records.positions import ticket_name
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, Tables

SET_UP: Final = -1
"""Code of the first step."""
LAID: Final = -2
"""Code of a step that sets up a position or makes a correction."""
_EVERY: Final = 32
"""Number of steps between stored states."""
_NOTHING: Final = -1
_CARD_EVENTS: Final = (codes.CARD_DEALT, codes.CARD_DRAWN, codes.MARKET_CARD, codes.CARD_REVEALED)
_TICKET_EVENTS: Final = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)


class Step(NamedTuple):
    """
    A transition from one state of a game to the next.

    It has its events in the record, from `first` to `end`; the action, or `SET_UP`; the
    tickets, if a seat shows them; outcomes of chance without shuffles; and the
    state after a position or correction.
    """

    first: int
    end: int
    code: int
    value: int
    shown: Entry | None
    script: Rows
    laid: State | None = None


class ImpossibleError(Exception):
    """An event that is impossible at its place in a record: its index, and the reason."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(at, reason)
        self.at = at
        self.reason = reason


def outcomes_of(rows: Rows) -> Rows:
    """Return the outcomes of chance among events, without shuffles."""
    return [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]


# -- the steps of a game -------------------------------------------------------------------------------------------


class Timeline:
    """The steps of a game in numbers, and some of its states; `apply` checks and adds further steps."""

    def __init__(self, game: KernelGame) -> None:
        self.game = game
        self.steps: list[Step] = []
        self.due = ""
        """The outcomes missing from the last move, if the events end in the middle of it."""
        self._kept: list[State] = []
        self._latest = (-1, State())
        """The step and state last requested or added."""

    @classmethod
    def of(cls, game: KernelGame, entries: Sequence[Entry]) -> Timeline:
        """Return the steps of a record; raise an `ImpossibleError` at the first impossible event."""
        timeline = cls(game)
        timeline.apply(entries)
        return timeline

    def vector(self, at: int) -> State:
        """Return the packed state after a step, computed from the last stored one before it or from the latest one."""
        done, state = self._latest
        if not at // _EVERY * _EVERY <= done <= at:
            done, state = at // _EVERY * _EVERY, self._kept[at // _EVERY]
        state = _without_chance(state)
        for number in range(done + 1, at + 1):
            make_step(state, self.game.tables, self.steps[number])
        self._latest = (at, state)
        return state.copy()

    def vectors(self) -> Ints:
        """Return the packed states after all steps, one per row."""
        rows, state = np.empty((len(self.steps), State.n_cells), dtype=np.int64), State()
        for row, step in zip(rows, self.steps, strict=True):
            make_step(state, self.game.tables, step)
            row[:] = state.cells
        return rows

    @property
    def n_events(self) -> int:
        """Number of events of the record in its steps."""
        return self.steps[-1].end if self.steps else 0

    @property
    def last(self) -> State:
        """The packed state after the last step."""
        return self.vector(len(self.steps) - 1)

    def copy(self, n_steps: int | None = None) -> Timeline:
        """Return a copy of the timeline, or of its first steps, for a different continuation."""
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
        Check the events after the steps so far, and add their steps.

        `entries` are all events of the record, including those of the steps so far. If the last
        step lacks outcomes, `due` is set to the next one. An `ImpossibleError` is raised at the
        first event that is impossible at its place.
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
        Add a step that was played: its action (code `SET_UP` for the setup), its events and the state after it.

        The state is not copied, and must not change later.
        """
        first = self.n_events
        self._add(Step(first, first + len(rows), code, value, None, outcomes_of(rows)), state)

    def add_start(self, state: State) -> None:
        """Add the initial position of a record."""
        laid = _without_chance(state)
        self._add(Step(0, 1, LAID, 0, None, [], laid), laid)

    def _add(self, step: Step, state: State) -> None:
        if len(self.steps) % _EVERY == 0:
            self._kept.append(_without_chance(state))
        self._latest = (len(self.steps), state)
        self.steps.append(step)


def _without_chance(state: State) -> State:
    """Return a copy of a state without random numbers, as in all states of a record."""
    replayed = state.copy()
    replayed.stream[:] = 0
    return replayed


class States(Sequence[GameState]):
    """
    The states of a record, one after each step, corrections and tickets shown included.

    A state is computed on demand, from one stored at most 32 steps earlier; iterating in
    order computes each step once.

    Parameters
    ----------
    timeline
        The steps of the record.
    numbers
        Step numbers of these states.
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
    """Make a step with a legal move, changing the state in place."""
    if step.laid is not None:
        state.cells[:] = step.laid.cells
    elif step.shown is not None:
        layout.identify_tickets(state, tables, step.shown.seat, step.shown.tickets)
    elif step.code == SET_UP:
        new_game(tables, NO_KEY, 0, state, tape_of(step.script, 0))
        state.stream[:] = 0
    else:
        identify_played(state, step)
        kernel_step(state, tables, step.code, step.value, tape_of(step.script, 0))


def identify_played(state: State, step: Step) -> None:
    """Fill in the unknown cards that the acting seat shows by its move."""
    seat = int(state.seat)
    if step.code >= 0 and shows_cards(step.code) and layout.n_unknown_cards(state, seat):
        layout.identify_cards(state, seat, unpacked(step.value).counts)


# -- playing -------------------------------------------------------------------------------------------------------


def play_game(
    game: KernelGame, policies: Sequence[Policy | CompiledPolicy], seed: int, number: int, start: State | None = None
) -> tuple[Timeline, Rows]:
    """Play a game to the end, from the setup or a position; return its steps and all events since."""
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


# -- steps with outcomes one by one --------------------------------------------------------------------------------


class ScriptedStep:
    """
    A step to which outcomes are added one by one, given the state before (or None) and a legal action.

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
        """The next outcome, with value 0 as it is unknown yet; None if the step is complete."""
        outcomes = outcomes_of(self._rows)
        return Entry.of(outcomes[len(self.script)][0]) if len(outcomes) > len(self.script) else None

    def add(self, value: int) -> str:
        """Add the next outcome, a kind of card or a ticket; return "", or why it is impossible."""
        outcome = self.next_outcome
        assert outcome is not None  # noqa: S101 - callers look first
        row = (outcome.code, value)
        return "" if self._try(row) else why_not(outcome.code)

    def add_replaced(self, kind: int) -> bool:
        """Add the first card of a market that may be replaced; return whether it is possible."""
        return self._try((codes.MARKET_CARD, kind))

    def _try(self, row: tuple[int, int]) -> bool:
        """Add an outcome if possible; return whether it was."""
        after, rows = self._run([*self.script, row])
        if outcomes_of(rows)[: len(self.script) + 1] != [*self.script, row]:
            return False
        self.script.append(row)
        self.after, self._rows = after, rows
        return True

    def entries(self) -> list[Entry]:
        """Return the events so far: the move, unless the step is the setup, and the outcomes added."""
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
        ran.state.stream[:] = 0  # states after scripts have no random numbers
        return ran.state, ran.rows


# -- checking a step -----------------------------------------------------------------------------------------------


class _Unfitting(NamedTuple):
    """The index of an outcome that does not fit, the code of the correct one, and the number of later tickets."""

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
        """Return the end of the events of the step, which is the next move."""
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
            self._reject(after, unfitting)
            return None
        if layout.has_unknown_cards(after):
            if (kind := layout.impossible_kind(after, self.game.tables)) is not None:
                self._reject_kind(kind)
            if n_short := layout.n_short_in_pile(after, self.game.tables):
                cards = f"{counted(n_short, 'card')} of the draw pile"
                raise ImpossibleError(self.first, f"{cards} would have no possible kind")
        return step, after

    # -- positions --------------------------------------------------------------

    def _lay(self, before: State) -> tuple[Step, State]:
        """Return the step of a position or correction, and the state after it."""
        entry, game = self.entries[self.first], self.game
        is_start = entry.kind == START
        if is_start and not self.is_set_up:
            raise ImpossibleError(self.first, "a position must come first")
        if not is_start and before.phase not in (layout.TURN, layout.OVER):
            raise ImpossibleError(self.first, "a correction must be between two turns")
        if self.end > self.first + 1:
            raise ImpossibleError(self.first + 1, f"no {entry_name(self.entries[self.first + 1])} belongs here")
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
        """Return the step of a legal move."""
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
        """Return the code and value of a legal move."""
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
        """Return the bits of the kept tickets of an offer."""
        offer = offer_of(state)
        bits, others = bits_kept(offer, entry.tickets)
        if others:
            offered = ", ".join(map(self._ticket, offer))
            raise ImpossibleError(self.first, f"P{entry.seat} is not offered {self._ticket(others[0])}, but {offered}")
        unkept = [offered for i, offered in enumerate(offer) if not bits >> i & 1]
        if where_unkept(state, self.game.tables) == UNKEPT_DISCARDED and layout.UNKNOWN_TICKET in unkept:
            reason = "rejected tickets are face up: each must be named in the offer"
            raise ImpossibleError(self.first, reason)
        return bits

    def _check_shown(self, state: State, entry: Entry) -> None:
        if state.phase != layout.OVER:
            raise ImpossibleError(self.first, "tickets are shown only when the game is over")
        if entry.seat >= self.game.n_players:
            raise ImpossibleError(self.first, f"there is no P{entry.seat}")
        reason = layout.identify_tickets(state.copy(), self.game.tables, entry.seat, entry.tickets)
        if reason:
            raise ImpossibleError(self.first, reason)

    # -- outcomes ---------------------------------------------------------------

    def _first_unfitting(self, written: Rows, *, is_fault: bool) -> _Unfitting | None:
        """Return the first outcome that differs between the record and the kernel."""
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

    def _reject(self, state: State, unfitting: _Unfitting) -> None:
        """Raise an error for an outcome that does not fit; if the record ends there, only note the next outcome."""
        due = "" if unfitting.code == _NOTHING else _event_name(unfitting.code)
        if unfitting.at == len(self.outcomes):
            if self.end < len(self.entries):
                raise ImpossibleError(self.end, f"{due} must come first")
            self.due = due
            return
        entry = self.outcomes[unfitting.at]
        if not due:
            after = "the game is over" if state.phase == layout.OVER else f"P{state.seat} acts now"
            reason = f"no {entry_name(entry)} belongs here: {after}"
        elif entry.code != unfitting.code:
            reason = f"{due} belongs here"
        elif entry.kind in _TICKET_EVENTS:
            reason = f"{self._ticket(entry.value)} is impossible here: {self._place(state, entry.value, unfitting)}"
        else:
            reason = f"the draw pile has no {CARD_KINDS[entry.value]} card"  # an unknown one always fits
        raise ImpossibleError(self.first_outcome + unfitting.at, reason)

    def _reject_kind(self, kind: int) -> None:
        """Reject a step after which more cards of a kind have left the pile than were shuffled into it."""
        shown = (i for i, entry in enumerate(self.outcomes) if entry.kind in _CARD_EVENTS and entry.value == kind)
        at = next((self.first_outcome + i for i in shown), self.first)
        raise ImpossibleError(at, f"all {CARD_KINDS[kind]} cards that were shuffled into the draw pile have left it")

    # -- words ------------------------------------------------------------------

    def _ticket(self, number: int) -> str:
        return ticket_name(number, self.game.game_map)

    def _place(self, state: State, ticket: int, unfitting: _Unfitting) -> str:
        """Return where a ticket is, or which ticket is on top of the pile instead."""
        at = int(state.ticket_at[ticket])
        if at in (layout.AT_PILE, layout.AT_QUEUE):
            # The kernel has continued, and drawn this ticket and later ones.
            return f"{self._ticket(state.queue[(state.queue_head - 1 - unfitting.n_later) % MAX_TICKETS])} is on top"
        return _PLACES.get(at, f"P{at} holds it")


_PLACES: Final = {
    layout.AT_OFFER: "it is in a seat's offer",
    layout.AT_DISCARDS: "it is on the ticket discards",
    layout.AT_REMOVED: "it is out of the game",
}


def _event_name(code: int) -> str:
    entry = Entry.of(code)
    name = entry_name(entry)
    if entry.kind in (codes.CARD_DEALT, codes.CARD_DRAWN, codes.TICKET_OFFERED):
        return f"{name} of P{entry.seat}"
    return f"{name} in slot {entry.argument}" if entry.kind == codes.MARKET_CARD else name
