"""The end of a turn, of a round and of the game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.engine.kernel.cards import fill_market
from ttr_analysis.engine.kernel.neutral import play_neutral
from ttr_analysis.engine.layout import (
    ADDED_DISCARDS,
    ENDING,
    LAST_LEFT,
    LAST_SEAT,
    N_PASSES,
    N_TAKEN,
    N_TURNS,
    NEUTRAL_IN,
    OVER,
    PHASE,
    SEAT,
    TRAINS,
    TURN,
    TURN_SEAT,
    Ending,
)
from ttr_analysis.tables.games import (
    LAST_ROUND_AT,
    LAST_TURNS,
    MAX_TURNS,
    N_SEATS,
    NEUTRAL_AFTER_LAST,
    NEUTRAL_FROM,
    PASS_ROUNDS,
)

Ints = npt.NDArray[np.int64]

_TRAINS = int(Ending.TRAINS)
_PASSES = int(Ending.PASSES)
_TRUNCATED = int(Ending.TRUNCATED)


@lean
def end_turn(state: Ints, tables: Ints, tape: Ints) -> None:
    """End the turn of the seat whose turn it is, and begin what comes next."""
    if state[ADDED_DISCARDS]:
        fill_market(state, tables, tape)
    state[ADDED_DISCARDS] = 0
    state[N_TAKEN] = 0
    state[N_TURNS] += 1
    _look_for_the_end(state, tables)
    n_seats = tables[N_SEATS]
    state[TURN_SEAT] = (state[TURN_SEAT] + 1) % n_seats
    go_on(state)
    is_round = state[N_TURNS] % n_seats == 0 and state[N_TURNS] >= n_seats * tables[NEUTRAL_FROM]
    if state[NEUTRAL_IN] and is_round and (state[PHASE] != OVER or tables[NEUTRAL_AFTER_LAST]):
        play_neutral(state, tables, tape)


@lean
def go_on(state: Ints) -> None:
    """Let the seat whose turn it is act, unless the game is over."""
    state[SEAT] = state[TURN_SEAT]
    state[PHASE] = OVER if state[ENDING] else TURN


@lean
def _look_for_the_end(state: Ints, tables: Ints) -> None:
    """Count the last turns, or set off the last round; the game may be over."""
    seat = state[TURN_SEAT]
    if state[LAST_LEFT] > 0:
        state[LAST_LEFT] -= 1
        if state[LAST_LEFT] == 0:
            state[ENDING] = _TRAINS
            return
    elif state[TRAINS + seat] <= tables[LAST_ROUND_AT]:
        state[LAST_LEFT] = tables[N_SEATS] * tables[LAST_TURNS]
        state[LAST_SEAT] = seat
    if state[N_PASSES] >= tables[N_SEATS] * tables[PASS_ROUNDS]:
        state[ENDING] = _PASSES
    elif state[N_TURNS] >= tables[MAX_TURNS]:
        state[ENDING] = _TRUNCATED
