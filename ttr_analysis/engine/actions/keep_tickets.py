"""Keep some of the tickets offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row
from ttr_analysis.engine.codes import KEEP_TICKETS, NONE, ActionFault
from ttr_analysis.engine.kernel.tickets import count_bits, fewest_kept, keep_tickets
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import KEEP, KEEP_START, TURN, State
from ttr_analysis.maps.model import Ticket
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class KeepTickets:
    """
    Keep some of the tickets offered.

    Parameters
    ----------
    tickets
        Those kept; None for one that the record of a game does not know.
    """

    tickets: tuple[Ticket | None, ...]

    def __str__(self) -> str:
        names = ["an unknown ticket" if ticket is None else str(ticket) for ticket in self.tickets]
        return f"keep {'; '.join(names) or 'no ticket'}"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, kept: int) -> int:
    """Return why these tickets may not be all that is kept."""
    if kept < 0 or kept >= 1 << state.n_offer[seat]:
        return ActionFault.KEEP_OTHER
    return NONE if count_bits(kept) >= fewest_kept(state, tables, seat) else ActionFault.KEEP_FEW


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List all choices with enough tickets."""
    fewest = fewest_kept(state, tables, seat)
    for kept in range(1 << state.n_offer[seat]):
        if count_bits(kept) >= fewest:
            n = add_row(out, n, KEEP_TICKETS, kept)
    return n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, kept: int) -> None:
    """Keep tickets; at the start the next seat chooses, and seat 0 begins when all have chosen."""
    keep_tickets(state, tables, seat, kept)
    if state.phase != KEEP_START:
        end_turn(state, tables, tape)
    elif seat + 1 < tables.n_seats:
        state.seat = seat + 1
    else:
        state.seat = state.turn_seat = 0
        state.phase = TURN


def _encode(index: MapIndex, action: KeepTickets, state: State) -> tuple[int, int]:
    """Return the bits of the tickets of an offer that are kept."""
    offer = _offer(state)
    kept = 0
    for ticket in action.tickets:
        number = index.ticket_index(ticket)
        places = [i for i, t in enumerate(offer) if t == number]
        left = [i for i in places if not kept >> i & 1]
        if not left:
            what = "an unknown ticket" if ticket is None else str(ticket)
            raise IllegalActionError(f"{what} is {'kept twice' if places else 'not offered'}")
        kept |= 1 << left[0]
    return 0, kept


def _decode(index: MapIndex, _argument: int, kept: int, state: State) -> KeepTickets:
    return KeepTickets(tuple(index.ticket(t) for i, t in enumerate(_offer(state)) if kept >> i & 1))


def _offer(state: State) -> list[int]:
    """Return the tickets offered to the seat that acts, as numbers."""
    seat = state.seat
    offer: list[int] = state.offer[seat, : state.n_offer[seat]].tolist()
    return offer


def _too_few(refused: Refused) -> str:
    fewest = int(fewest_kept(refused.state, refused.tables, refused.seat))
    return f"{refused.who} must keep at least {counted(fewest, 'ticket')}, got {refused.value.bit_count()}"


HANDLER: Final = Handler(
    kind=KEEP_TICKETS,
    name="keep_tickets",
    action=KeepTickets,
    phases=(KEEP_START, KEEP),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="keep tickets",
    encode=_encode,
    decode=_decode,
    keys=("tickets",),
    faults={
        ActionFault.KEEP_FEW: _too_few,
        ActionFault.KEEP_OTHER: lambda _: "a ticket is kept that is not offered",
    },
    is_of_state=True,
)
