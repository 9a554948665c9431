"""A game on packed states: what `Game` says in words, and what choosers at their seats ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.analysis import payments
from ttr_analysis.engine.actions import KIND_OF_ACTION, Action, ClaimRoute, codec_of, unpacked
from ttr_analysis.engine.announcing import announce
from ttr_analysis.engine.codes import (
    CARD_DEALT,
    CLAIM_ROUTE,
    NEUTRAL_TICKET,
    PAY_TUNNEL,
    READ_AT,
    READ_END,
    TAPE_START,
    WRITE_AT,
    WRITE_END,
    Ints,
)
from ttr_analysis.engine.events import Chance, Move, decode_event, script_of
from ttr_analysis.engine.identify import identify_cards, n_unknown_cards, unknown_words
from ttr_analysis.engine.kernel.legal import ActionFault, action_fault
from ttr_analysis.engine.kernel.listing import list_actions
from ttr_analysis.engine.kernel.setup import new_game
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.layout import FAULT, SEAT, STATE_SIZE, STREAM
from ttr_analysis.engine.misfit import misfit
from ttr_analysis.engine.reasons import Refused, explain
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import N_WORDS, seed_words
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

    def deal(self, seed: int, game: int, outcomes: Iterable[Chance] | None = None) -> tuple[Ints, Happened]:
        """Return the first state, and what was dealt: see `Game.deal`."""
        announce(step, "the rules of the game")
        words = seed_words(seed)
        empty = np.zeros(STATE_SIZE, dtype=np.int64)
        return self._run(empty, lambda after, tape: new_game(self.tables, words, game, after, tape), outcomes)

    def step(
        self, state: Ints, code: int, value: int, outcomes: Iterable[Chance] | None = None
    ) -> tuple[Ints, Happened]:
        """Return the state after a legal action, and what happened: see `Game.step`."""
        before = _identified(state, code, value)
        return self._run(before, lambda after, tape: step(after, self.tables, code, value, tape), outcomes)

    def rows(self, state: Ints) -> Ints:
        """Return codes and values of the legal actions, one row each."""
        rows = np.empty((_N_ROWS, 2), dtype=np.int64)
        n = int(list_actions(state, self.tables, rows))
        if n > len(rows):
            # Payments that are alike are found among those that fit: there may be fewer now.
            rows = np.empty((n, 2), dtype=np.int64)
            n = int(list_actions(state, self.tables, rows))
        return rows[:n]

    def why_illegal(self, state: Ints, code: int, value: int) -> str | None:
        """Return why the action of a code and value is illegal, None if it is legal."""
        fault = self._fault(state, code, value)
        return explain(fault, Refused(self.game_map, self.tables, state, code, value)) if fault else None

    def encode(self, state: Ints, action: Action) -> tuple[int, int]:
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
            kind = KIND_OF_ACTION.get(type(action))
            if kind is not None and self._fault(state, kind, 0) in (ActionFault.OVER, ActionFault.PHASE):
                raise IllegalActionError(self.why_illegal(state, kind, 0)) from None
            raise
        reason = self.why_illegal(state, code, value)
        if reason is None and isinstance(action, ClaimRoute) and not self.codec.is_canonical(action, code, value):
            reason = payments.why_illegal(action.route, action.payment)
        if reason is not None:
            raise IllegalActionError(reason)
        return code, value

    def _fault(self, state: Ints, code: int, value: int) -> ActionFault:
        return ActionFault(action_fault(_identified(state, code, value), self.tables, code, value))

    def _run(
        self, state: Ints, run: Callable[[Ints, Ints], None], outcomes: Iterable[Chance] | None
    ) -> tuple[Ints, Happened]:
        """Let the kernel run on a copy of a state; return what became of it, and the events."""
        script = None if outcomes is None else script_of(self.codec, outcomes)
        n_events = _TAPE_EVENTS
        while True:
            after = state.copy()
            tape = _tape(script, n_events)
            start = int(tape[WRITE_AT])
            run(after, tape)
            n_written = (int(tape[WRITE_AT]) - start) // 2
            if n_written <= n_events:
                break
            n_events = n_written
        written = tape[start : start + 2 * n_written].tolist()
        rows = list(zip(written[::2], written[1::2], strict=True))
        if script is not None and (after[FAULT] or tape[READ_AT] < tape[READ_END]):
            raise GameError(misfit(self.codec, script, rows))
        if script is None and any(CARD_DEALT <= code & 15 <= NEUTRAL_TICKET for code, _ in rows):
            self._check_chance(after)
        return after, tuple(decode_event(self.codec, code, value, state) for code, value in rows)

    def _check_chance(self, state: Ints) -> None:
        """Raise a `GameError` if a state cannot say what chance did."""
        if unknown := unknown_words(state, self.n_players):
            raise GameError(f"chance cannot go on from a state with {unknown}: say what it does (outcomes)")
        if not state[STREAM : STREAM + N_WORDS].any():
            raise GameError(
                "a state of a record has no random numbers of its own: say what chance does (outcomes), "
                "or go on from record.resume(step, seed)"
            )


def _identified(state: Ints, code: int, value: int) -> Ints:
    """Return a state in which the seat that acts holds the cards it plays, if they may be its unknown ones."""
    if code & 15 not in (CLAIM_ROUTE, PAY_TUNNEL):
        return state
    seat = int(state[SEAT])
    if n_unknown_cards(state, seat) == 0:
        return state
    identified = state.copy()
    reason = identify_cards(identified, seat, unpacked(value).counts)
    return state if reason else identified


def _tape(script: list[tuple[int, int]] | None, n_events: int) -> Ints:
    """Return a tape with a script of outcomes, and room for events."""
    start = TAPE_START + 2 * len(script or ())
    tape = np.zeros(start + 2 * n_events, dtype=np.int64)
    if script is not None:  # an empty one too: what is read ends above 0
        tape[READ_AT], tape[READ_END] = TAPE_START, start
        tape[TAPE_START:start] = np.array(script, dtype=np.int64).reshape(-1)
    tape[WRITE_AT], tape[WRITE_END] = start, len(tape)
    return tape
