"""Take the cards laid down for a tunnel back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.handler import Handler, add_row
from ttr_analysis.engine.codes import DECLINE_TUNNEL, NONE
from ttr_analysis.engine.kernel.cards import take_back
from ttr_analysis.engine.kernel.claims import end_attempt
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import TUNNEL_PHASE, State
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class DeclineTunnel:
    """Take the cards laid down for a tunnel back."""

    def __str__(self) -> str:
        return "take the cards for the tunnel back"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    """Return 0: whoever is asked to pay may decline."""
    return NONE


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List it, after the ways to pay."""
    return add_row(out, n, DECLINE_TUNNEL, 0)


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    """Put the cards laid down back into the hand."""
    take_back(state, seat, state.laid)
    end_attempt(state)
    end_turn(state, tables, tape)


HANDLER: Final = Handler(
    kind=DECLINE_TUNNEL,
    name="decline_tunnel",
    action=DeclineTunnel,
    phases=(TUNNEL_PHASE,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="decline a tunnel",
)
