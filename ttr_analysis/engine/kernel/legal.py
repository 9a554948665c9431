"""What is legal: why an action is not. Those that are legal are listed in `listing`."""

from __future__ import annotations

from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.table import DUE, FAULTS
from ttr_analysis.engine.codes import argument_of, kind_of
from ttr_analysis.engine.kernel.faults import ActionFault
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.tables.games import Tables


@compiled
def action_fault(state: State, tables: Tables, code: int, value: int) -> int:
    """
    Return why an action of the seat that acts is illegal, 0 if it is legal.

    Parameters
    ----------
    state, tables
        The game.
    code, value
        The action: see `engine.codes`.

    Returns
    -------
    fault
        An `ActionFault`.
    """
    kind = kind_of(code)
    if state.phase == OVER:
        return ActionFault.OVER
    if (state.phase, kind) not in DUE:
        return ActionFault.PHASE
    return FAULTS[kind](state, tables, state.seat, argument_of(code), value)
