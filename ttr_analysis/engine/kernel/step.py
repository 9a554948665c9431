"""Legality, and one step of a game: an action and everything that follows until a seat must decide again."""

from __future__ import annotations

import numpy as np

from ttr_analysis._compile import Ints, quickly_compiled
from ttr_analysis.engine.actions.table import APPLIERS, DUE, FAULTS, LISTERS
from ttr_analysis.engine.codes import N_ACTIONS, PASS, ActionFault, argument_of, kind_of, make_event
from ttr_analysis.engine.kernel.cards import write_event
from ttr_analysis.engine.layout import NEUTRAL, OVER, TURN, State
from ttr_analysis.tables import Tables


@quickly_compiled
def step(state: State, tables: Tables, code: int, value: int, tape: Ints) -> None:
    """Apply a legal action of the acting seat, with outcomes and events on the tape."""
    kind, seat, argument = kind_of(code), state.seat, argument_of(code)
    write_event(tape, make_event(kind, seat, argument), value)
    if kind == PASS and state.phase == TURN:
        state.n_passes += 1
    elif state.phase != NEUTRAL:  # that phase is not part of a turn
        state.n_passes = 0
    APPLIERS[kind](state, tables, tape, seat, argument, value)


# -- legality ------------------------------------------------------------------------------------------------------


@quickly_compiled
def action_fault(state: State, tables: Tables, code: int, value: int) -> int:
    """Return why an action of the acting seat is illegal, an `ActionFault`; 0 if it is legal."""
    kind = kind_of(code)
    if state.phase == OVER:
        return ActionFault.OVER
    if (state.phase, kind) not in DUE:
        return ActionFault.PHASE
    return FAULTS[kind](state, tables, state.seat, argument_of(code), value)


# -- legal actions -------------------------------------------------------------------------------------------------


@quickly_compiled
def list_actions(state: State, tables: Tables, out: Ints) -> int:
    """List the codes and values of legal actions, as far as there is room; return their number."""
    n = 0
    for kind in range(N_ACTIONS):
        if (state.phase, kind) in DUE:
            n = LISTERS[kind](state, tables, state.seat, out, n)
    return n


@quickly_compiled
def has_choice(state: State, tables: Tables) -> bool:
    """Return whether more than one action is legal, much faster than listing them."""
    out = np.empty((2, 2), dtype=np.int64)
    n = 0
    for kind in range(N_ACTIONS):
        if n < len(out) and (state.phase, kind) in DUE:
            n = LISTERS[kind](state, tables, state.seat, out, n)
    return n > 1
