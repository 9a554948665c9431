"""One step of a game: a legal action, and all that follows until a seat must decide again."""

from __future__ import annotations

from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.table import APPLIERS
from ttr_analysis.engine.codes import PASS, Ints, argument_of, kind_of, make_event
from ttr_analysis.engine.kernel.tape import write_event
from ttr_analysis.engine.layout import NEUTRAL, State
from ttr_analysis.tables.games import Tables


@compiled
def step(state: State, tables: Tables, code: int, value: int, tape: Ints) -> None:
    """
    Apply a legal action of the seat that acts.

    Parameters
    ----------
    state
        Changed in place.
    tables
        The map, its rules and the number of players.
    code, value
        The action: see `engine.codes`.
    tape
        Script of outcomes, and where events are written.
    """
    kind, seat, argument = kind_of(code), state.seat, argument_of(code)
    write_event(tape, make_event(kind, seat, argument), value)
    if kind == PASS:
        state.n_passes += 1
    elif state.phase != NEUTRAL:  # which is no part of a turn
        state.n_passes = 0
    APPLIERS[kind](state, tables, tape, seat, argument, value)
