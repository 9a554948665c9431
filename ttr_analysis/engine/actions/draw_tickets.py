"""Draw tickets, some of which must be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.handler import Handler, add_row
from ttr_analysis.engine.codes import DRAW_TICKETS, NONE, ActionFault
from ttr_analysis.engine.kernel.tickets import has_tickets, offer_tickets
from ttr_analysis.engine.layout import KEEP, TURN, State
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class DrawTickets:
    """Draw tickets, some of which must be kept."""

    def __str__(self) -> str:
        return "draw tickets"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    """Return why no ticket can be drawn."""
    return NONE if has_tickets(state) else ActionFault.NO_TICKETS


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List it if there is a ticket."""
    return add_row(out, n, DRAW_TICKETS, 0) if has_tickets(state) else n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    """Offer the seat tickets, of which it chooses next."""
    offer_tickets(state, tables, tape, seat, tables.ticket_draw)
    state.phase = KEEP


HANDLER: Final = Handler(
    kind=DRAW_TICKETS,
    name="draw_tickets",
    action=DrawTickets,
    phases=(TURN,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="draw tickets",
    faults={ActionFault.NO_TICKETS: lambda _: "no ticket is left"},
)
