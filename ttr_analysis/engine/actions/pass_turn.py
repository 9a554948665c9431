"""Pass, if nothing else is legal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.handler import Handler, add_row
from ttr_analysis.engine.codes import NONE, PASS, ActionFault
from ttr_analysis.engine.kernel.cards import can_draw
from ttr_analysis.engine.kernel.claims import can_claim
from ttr_analysis.engine.kernel.stations import n_station_forms
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import TURN, State
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing; legal only for a seat that can do nothing else."""

    def __str__(self) -> str:
        return "pass"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    """Return whether the seat can do anything in its turn but pass."""
    if can_draw(state, tables) or has_tickets(state) or can_claim(state, tables, seat):
        return ActionFault.NOT_STUCK
    return NONE if n_station_forms(state, tables, seat) == 0 else ActionFault.NOT_STUCK


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List it, which comes last, if nothing else is listed."""
    return add_row(out, n, PASS, 0) if n == 0 else n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    """End the turn; `step` counts the passes in a row."""
    end_turn(state, tables, tape)


HANDLER: Final = Handler(
    kind=PASS,
    name="pass",
    action=Pass,
    phases=(TURN,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="pass",
    faults={
        ActionFault.NOT_STUCK: lambda refused: f"{refused.who} can do something else; who can may not pass",
    },
)
