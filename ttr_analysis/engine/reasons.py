"""Why an action is illegal, in words with names and numbers."""

from __future__ import annotations

from typing import Final

from ttr_analysis.engine.actions.handler import Refused
from ttr_analysis.engine.actions.table import HANDLERS
from ttr_analysis.engine.codes import kind_of
from ttr_analysis.engine.kernel.faults import ActionFault
from ttr_analysis.engine.layout import Phase

_DUE: Final = {
    Phase.KEEP_START: "choose its opening tickets",
    Phase.TURN: "take its turn",
    Phase.SECOND_DRAW: "draw a further card",
    Phase.TUNNEL: "pay the surcharge or take its cards back",
    Phase.KEEP: "choose which tickets to keep",
    Phase.NEUTRAL: "choose a track for the neutral player",
}


def explain(fault: ActionFault, refused: Refused) -> str:
    """
    Return the reason for which an action is illegal.

    Parameters
    ----------
    fault
        What `action_fault` says; not `NONE`.
    refused
        The action and the game.
    """
    if fault is ActionFault.OVER:
        return "the game is over"
    return _phase(refused) if fault is ActionFault.PHASE else HANDLERS[kind_of(refused.code)].faults[fault](refused)


def _phase(refused: Refused) -> str:
    due, kind = _DUE[Phase(int(refused.state.phase))], kind_of(refused.code)
    verb = HANDLERS[kind].verb if kind < len(HANDLERS) else "do that"
    return f"P{refused.seat} must {due} now; it cannot {verb}"
