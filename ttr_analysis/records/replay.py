"""
A record as steps, made again without random numbers; and a step whose outcomes are told one by one.

A *step* is the set-up, or a move with all that follows from it until a seat
must decide again. Its outcomes of chance are a script for the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, overload

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.table import shows_cards
from ttr_analysis.engine.codes import kind_of, unpacked
from ttr_analysis.engine.events import Rows, is_secret_unknown, tape_of, why_not
from ttr_analysis.engine.kernel.step import step as kernel_step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.unknowns import identify_cards, identify_tickets, n_unknown_cards
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.entries import Entry
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import Tables, game_tables

# -- a step of a game whose outcomes of chance are told one by one -------------------------------------------------


class ScriptedStep:
    """
    A step whose outcomes are told one by one.

    Parameters
    ----------
    packed
        The game.
    before
        The packed state before the step; None for the set-up.
    code, value
        A legal action of the seat that acts; of no meaning for the set-up.
    told
        Outcomes told before, which fit.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> setup = ScriptedStep(PackedGame(ttr.load_map("nordic"), 2), None)
    >>> setup.due
    Entry(kind=32, seat=0, argument=0, value=0, tickets=(), stamp=None, position=None)
    >>> setup.tell(3), setup.due.seat
    ('', 0)
    """

    def __init__(
        self,
        packed: PackedGame,
        before: State | None,
        code: int = 0,
        value: int = 0,
        told: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._packed = packed
        self._before = before
        self._action = (code, value)
        self.script = list(told)
        self._after, self._rows = self._run(self.script)

    @property
    def due(self) -> Entry | None:
        """The outcome that comes next, its value yet unknown (0); None if the step is complete."""
        outcomes = _outcomes(self._rows)
        if len(outcomes) <= len(self.script):
            return None
        code = outcomes[len(self.script)][0]
        return Entry.of(code)

    def tell(self, value: int) -> str:
        """
        Tell the outcome that is due.

        Parameters
        ----------
        value
            Kind of card, or number of a ticket.

        Returns
        -------
        reason
            Why that cannot be; nothing is then told. "" if it can.
        """
        due = self.due
        assert due is not None  # noqa: S101 - who tells looks first
        row = (due.code, value)
        return "" if self._try(row) else why_not(*row)

    def tell_replaced(self, value: int) -> bool:
        """
        Tell the first card of a market that is replaced where unknown cards leave open whether it is.

        Parameters
        ----------
        value
            Kind of the card.

        Returns
        -------
        can_be
            Whether it may be replaced; if not, nothing is told.
        """
        return self._try((codes.MARKET_CARD, value))

    def _try(self, row: tuple[int, int]) -> bool:
        """Tell an outcome; return whether it can be."""
        after, rows = self._run([*self.script, row])
        told = _outcomes(rows)[: len(self.script) + 1]
        if told != [*self.script, row] or is_secret_unknown(*row):
            return False
        self.script.append(row)
        self._after, self._rows = after, rows
        return True

    @property
    def after(self) -> State:
        """The packed state after the step, if it is complete."""
        return self._after

    def entries(self) -> list[Entry]:
        """Return what has happened so far: the move, unless the step is the set-up, and the outcomes told."""
        n_left = len(self.script)
        entries = []
        for code, value in self._rows:
            if codes.CARD_DEALT <= kind_of(code) < codes.SHUFFLED:
                if n_left == 0:
                    break
                n_left -= 1
            entries.append(Entry.of(code, value))
        return entries

    def _run(self, script: list[tuple[int, int]]) -> tuple[State, list[tuple[int, int]]]:
        after, rows = self._packed.try_script(self._before, *self._action, script)
        after.stream[:] = 0  # what is told has no random numbers to come
        return after, rows


def _outcomes(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the events that a script tells."""
    return [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]


# -- a record as steps ---------------------------------------------------------------------------------------------
#
# A *step* is the set-up, or a move with all that follows from it until a seat
# must decide again. Its outcomes of chance are a script for the kernel.

SET_UP: Final = -1
"""Code of the first step."""
LAID: Final = -2
"""Code of a step that lays a position out, or corrects one."""
_EVERY: Final = 32
"""A state is kept for every so many steps."""
_NO_KEY: Final = np.zeros(KEY_SIZE, dtype=np.int64)


class Step(NamedTuple):
    """
    What brings a game from one state to the next.

    Parameters
    ----------
    first, end
        Its events in the record.
    code, value
        The action, as the kernel takes it; code `SET_UP` for the set-up.
    shown
        The seat and the tickets that it shows, if the step is that.
    script
        Its outcomes of chance, codes and values, without places of shuffles.
    laid
        The packed state that it leads to, if it is no move, but a position
        or a correction.
    """

    first: int
    end: int
    code: int
    value: int
    shown: Entry | None
    script: Rows
    laid: State | None = None


@dataclass
class Timeline:
    """
    A record that was followed: its steps, and some of its states.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    """

    game_map: GameMap
    n_players: int
    tables: Tables = field(init=False, repr=False)
    steps: list[Step] = field(default_factory=list, init=False)
    due: str = field(default="", init=False)
    """What the last move still lacks, if the record ends in the middle of one."""
    _kept: list[State] = field(default_factory=list, init=False, repr=False)
    _latest: tuple[int, State] = field(init=False, repr=False)
    """The step whose state was asked for last, and that state."""

    def __post_init__(self) -> None:
        self.tables = game_tables(self.game_map, self.n_players)
        self._latest = (-1, State())

    def vector(self, at: int) -> State:
        """Return the packed state after a step; at most `_EVERY` steps are made for it, one if it is the next one."""
        done, state = self._latest
        if not at // _EVERY * _EVERY <= done <= at:
            done, state = at // _EVERY * _EVERY, self._kept[at // _EVERY]
        state = state.copy()
        for number in range(done + 1, at + 1):
            make_step(state, self.tables, self.steps[number])
        self._latest = (at, state)
        return state.copy()

    @property
    def n_events(self) -> int:
        """Events of the record in its steps."""
        return self.steps[-1].end if self.steps else 0

    @property
    def last(self) -> State:
        """The packed state after the last step."""
        return self.vector(len(self.steps) - 1)

    def copy(self, n_steps: int | None = None) -> Timeline:
        """
        Return the same timeline, or its first steps, to be continued differently.

        Parameters
        ----------
        n_steps
            How many steps; None for all.
        """
        n = len(self.steps) if n_steps is None else n_steps
        other = Timeline(self.game_map, self.n_players)
        other.steps, other._kept = self.steps[:n], self._kept[: -(-n // _EVERY)]
        if self._latest[0] < n:
            other._latest = self._latest
        if n == len(self.steps):
            other.due = self.due
        return other

    def add_played(self, code: int, value: int, rows: Rows, state: State) -> None:
        """
        Add a step that was played.

        Parameters
        ----------
        code, value
            The action; code `SET_UP` for the set-up.
        rows
            Codes and values of its events, the move included.
        state
            The packed state that it led to; not changed.
        """
        script = [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]
        first = self.n_events
        replayed = state.copy()
        replayed.stream[:] = 0
        self.add(Step(first, first + len(rows), code, value, None, script), replayed)

    def add_start(self, state: State) -> None:
        """Add the position from which a record begins; the state is not changed."""
        laid = state.copy()
        laid.stream[:] = 0
        self.add(Step(0, 1, LAID, 0, None, [], laid), laid.copy())

    def add(self, step: Step, state: State) -> None:
        """Add a step that leads to a state."""
        if len(self.steps) % _EVERY == 0:
            self._kept.append(state.copy())
        self._latest = (len(self.steps), state)
        self.steps.append(step)


class States(Sequence[GameState]):
    """
    The states of a record: after the set-up, after each move, and after tickets are shown.

    A state is made when it is asked for, from one kept at most 32 steps
    before; going through all of them in order makes each step once.

    Parameters
    ----------
    timeline
        The record, followed.
    numbers
        Which states.
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
        """Return a state, or several."""
        if isinstance(at, slice):
            return States(self._timeline, self._numbers[at])
        vector = self._timeline.vector(self._numbers[at])
        return GameState(self._timeline.game_map, self._timeline.n_players, vector)

    def __repr__(self) -> str:
        return f"<{len(self)} states>"


def make_step(state: State, tables: Tables, step: Step, tape: Ints | None = None) -> None:
    """
    Make a step.

    Parameters
    ----------
    state
        Changed in place.
    tables
        The map, its rules and the number of players.
    step
        Its move must be legal.
    tape
        Its script on a tape with room for events, if they are wanted.
    """
    if step.laid is not None:
        state.cells[:] = step.laid.cells
        return
    if step.shown is not None:
        identify_tickets(state, tables, step.shown.seat, step.shown.tickets)
        return
    identify_played(state, step)
    tape = tape_of(step.script, 0) if tape is None else tape
    if step.code == SET_UP:
        new_game(tables, _NO_KEY, 0, state, tape)
        state.stream[:] = 0  # which no stream is: replayed states have no random numbers
    else:
        kernel_step(state, tables, step.code, step.value, tape)


def identify_played(state: State, step: Step) -> None:
    """Fill in the cards that the seat that acts shows by its move, where they are not known."""
    seat = int(state.seat)
    if _shows_cards(step.code) and n_unknown_cards(state, seat):
        identify_cards(state, seat, unpacked(step.value).counts)


def _shows_cards(code: int) -> bool:
    """Return whether cards of a hand are shown by an action."""
    return code >= 0 and shows_cards(code)
