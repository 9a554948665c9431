"""The end of a turn, of a round and of the game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.engine.kernel.cards import can_draw, fill_market
from ttr_analysis.engine.kernel.neutral import play_neutral
from ttr_analysis.engine.layout import OVER, SECOND_DRAW, TURN, Ending, State
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def after_draw(state: State, tables: Tables, tape: Ints, cost: int) -> None:
    """Count the draws of a turn; a further card that cannot be had is skipped."""
    state.n_taken += cost
    if state.n_taken < tables.draws and can_draw(state, tables):
        state.phase = SECOND_DRAW
    else:
        end_turn(state, tables, tape)


@compiled
def end_turn(state: State, tables: Tables, tape: Ints) -> None:
    """End the turn of the seat whose turn it is, and begin what comes next."""
    if state.added_discards:
        fill_market(state, tables, tape)
    state.added_discards = 0
    state.n_taken = 0
    state.n_turns += 1
    _look_for_the_end(state, tables)
    n_seats = tables.n_seats
    state.turn_seat = (state.turn_seat + 1) % n_seats
    go_on(state)
    is_round = state.n_turns % n_seats == 0 and state.n_turns >= n_seats * tables.neutral_from
    if state.neutral_in and is_round and (state.phase != OVER or tables.neutral_after_last):
        play_neutral(state, tables, tape)


@compiled
def go_on(state: State) -> None:
    """Let the seat whose turn it is act, unless the game is over."""
    state.seat = state.turn_seat
    state.phase = OVER if state.ending else TURN


@compiled
def _look_for_the_end(state: State, tables: Tables) -> None:
    """Count the last turns, or set off the last round; the game may be over."""
    seat = state.turn_seat
    if state.last_left > 0:
        state.last_left -= 1
        if state.last_left == 0:
            state.ending = Ending.TRAINS
            return
    elif state.trains[seat] <= tables.last_round_at:
        state.last_left = tables.n_seats * tables.last_turns
        state.last_seat = seat
    if state.n_passes >= tables.n_seats * tables.pass_rounds:
        state.ending = Ending.PASSES
    elif state.n_turns >= tables.max_turns:
        state.ending = Ending.TRUNCATED
