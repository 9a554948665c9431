"""A game on packed states: what `Game` says in words, and what choosers at their seats ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.analysis import payments
from ttr_analysis.engine.actions import Action, ClaimRoute
from ttr_analysis.engine.actions.codec import codec_of
from ttr_analysis.engine.actions.handler import Refused
from ttr_analysis.engine.actions.table import HANDLER_OF
from ttr_analysis.engine.codes import (
    CARD_DEALT,
    CLAIM_ROUTE,
    NEUTRAL_TICKET,
    PAY_TUNNEL,
    READ_AT,
    READ_END,
    WRITE_AT,
    Ints,
    kind_of,
    unpacked,
)
from ttr_analysis.engine.events import Chance, Move, Rows, decode_event, script_of, tape_of
from ttr_analysis.engine.identify import identify_cards, n_unknown_cards, unknown_words
from ttr_analysis.engine.kernel.faults import ActionFault
from ttr_analysis.engine.kernel.legal import action_fault
from ttr_analysis.engine.kernel.listing import list_actions
from ttr_analysis.engine.kernel.setup import new_game
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.misfit import misfit
from ttr_analysis.engine.reasons import explain
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import seed_words
from ttr_analysis.tables import game_tables

Happened = tuple[Move | Chance, ...]
"""A move and the outcomes of chance after it."""

_TAPE_EVENTS: Final = 128
_N_ROWS: Final = 512


class PackedGame:
    """
    The game on a map, on packed states. None of its methods changes a state.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.

    Raises
    ------
    ValueError
        If the map is not for so many players, or too large to be played.
    """

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self.game_map = game_map
        self.n_players = n_players
        self.tables = game_tables(game_map, n_players)
        self.codec = codec_of(game_map)

    def deal(self, seed: int, game: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the first state, and what was dealt: see `Game.deal`."""
        words = seed_words(seed)
        empty = State()
        return self._run(empty, lambda after, tape: new_game(self.tables, words, game, after, tape), outcomes)

    def step(self, state: State, code: int, value: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the state after a legal action, and what happened: see `Game.step`."""
        before, _ = _identified(state, code, value)
        after, rows = self._run(before, lambda new, tape: step(new, self.tables, code, value, tape), outcomes)
        if outcomes is None and any(CARD_DEALT <= kind_of(code) <= NEUTRAL_TICKET for code, _ in rows):
            self._check_chance(after)
        return after, rows

    def play_on(self, state: State, code: int, value: int) -> tuple[State, Rows]:
        """Return the same as `step` where chance decides, from a state in which nothing is unknown."""
        return self._run(state, lambda new, tape: step(new, self.tables, code, value, tape), None)

    def events(self, rows: Rows, before: State) -> Happened:
        """Return what happened in words, from the state before it."""
        return tuple(decode_event(self.codec, code, value, before) for code, value in rows)

    def try_script(
        self, state: State | None, code: int, value: int, script: list[tuple[int, int]]
    ) -> tuple[State, list[tuple[int, int]]]:
        """
        Return the state after a legal action and the events, whether its script is whole, fits or neither.

        Parameters
        ----------
        state
            The packed state; None for the set-up, whose code and value mean
            nothing.
        code, value
            The action.
        script
            Outcomes. Where one does not fit or is missing, the kernel goes on
            with an unknown one.
        """
        if state is None:
            empty, words = State(), seed_words(0)
            after, rows, _ = _written(empty, lambda new, tape: new_game(self.tables, words, 0, new, tape), script)
        else:
            before, _ = _identified(state, code, value)
            after, rows, _ = _written(before, lambda new, tape: step(new, self.tables, code, value, tape), script)
        return after, rows

    def rows(self, state: State) -> Ints:
        """Return codes and values of the legal actions, one row each."""
        rows = np.empty((_N_ROWS, 2), dtype=np.int64)
        n = int(list_actions(state, self.tables, rows))
        if n > len(rows):
            # Payments that are alike are found among those that fit: there may be fewer now.
            rows = np.empty((n, 2), dtype=np.int64)
            n = int(list_actions(state, self.tables, rows))
        return rows[:n]

    def why_illegal(self, state: State, code: int, value: int) -> str | None:
        """Return why the action of a code and value is illegal, None if it is legal."""
        known, reason = _identified(state, code, value)
        fault = ActionFault(action_fault(known, self.tables, code, value))
        if fault is ActionFault.CARDS and reason:
            return reason
        return explain(fault, Refused(self.game_map, self.tables, state, code, value)) if fault else None

    def encode(self, state: State, action: Action) -> tuple[int, int]:
        """
        Return the code and value of a legal action.

        Raises
        ------
        IllegalActionError
            If it is illegal; the message says why.
        """
        try:
            code, value = self.codec.encode(action, state)
        except IllegalActionError:
            handler = HANDLER_OF.get(type(action))
            if handler and action_fault(state, self.tables, handler.kind, 0) in (ActionFault.OVER, ActionFault.PHASE):
                raise IllegalActionError(self.why_illegal(state, handler.kind, 0)) from None
            raise
        reason = self.why_illegal(state, code, value)
        if reason is None and isinstance(action, ClaimRoute) and not self.codec.is_decoded(action, code, value, state):
            reason = payments.why_illegal(action.route, action.payment)
        if reason is not None:
            raise IllegalActionError(reason)
        return code, value

    def _run(
        self, state: State, run: Callable[[State, Ints], None], outcomes: Iterable[Chance] | None
    ) -> tuple[State, Rows]:
        """Let the kernel run on a copy of a state; return what became of it, and the events."""
        script = None if outcomes is None else script_of(self.codec, outcomes)
        after, rows, is_read = _written(state, run, script)
        if script is not None and (after.fault or not is_read):
            raise GameError(misfit(self.codec, script, rows))
        return after, rows

    def _check_chance(self, state: State) -> None:
        """Raise a `GameError` if a state cannot say what chance did."""
        if unknown := unknown_words(state, self.n_players):
            raise GameError(f"chance cannot go on from a state with {unknown}: say what it does (outcomes)")
        if not state.stream.any():
            raise GameError(
                "a state of a record has no random numbers of its own: say what chance does (outcomes), "
                "or go on from record.resume(step, seed)"
            )


def _written(
    state: State, run: Callable[[State, Ints], None], script: list[tuple[int, int]] | None
) -> tuple[State, Rows, bool]:
    """Let the kernel run on a copy of a state: return the copy, the events, and whether all of a script was read."""
    n_events = _TAPE_EVENTS
    while True:
        after = state.copy()
        tape = tape_of(script, n_events)
        start = int(tape[WRITE_AT])
        run(after, tape)
        n_written = (int(tape[WRITE_AT]) - start) // 2
        if n_written <= n_events:
            break
        n_events = n_written
    written = tape[start : start + 2 * n_written].tolist()
    return after, list(zip(written[::2], written[1::2], strict=True)), bool(tape[READ_AT] >= tape[READ_END])


def _identified(state: State, code: int, value: int) -> tuple[State, str]:
    """
    Return a state in which the seat that acts holds the cards it plays, if they may be its unknown ones.

    Else return the same state, and why they cannot be; "" if no card of the
    seat is unknown.
    """
    seat = int(state.seat)
    if kind_of(code) not in (CLAIM_ROUTE, PAY_TUNNEL) or n_unknown_cards(state, seat) == 0:
        return state, ""
    identified = state.copy()
    reason = identify_cards(identified, seat, unpacked(value).counts)
    return (state if reason else identified), reason
