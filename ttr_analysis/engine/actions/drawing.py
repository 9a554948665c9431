"""Draw cards and tickets, and keep tickets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ttr_analysis._compile import Ints, compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.cards import CARD_KINDS, N_KINDS, card_index
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row, number_of
from ttr_analysis.engine.codes import ActionFault, make_action, make_event
from ttr_analysis.engine.kernel import cards, turns
from ttr_analysis.engine.layout import KEEP, KEEP_START, NOBODY, SECOND_DRAW, TURN, UNKNOWN_CARD, State
from ttr_analysis.maps.model import Ticket
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.tables import Tables

# -- draw the top card of the draw pile --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DrawCard:
    """Draw the top card of the draw pile, hidden from the others."""

    def __str__(self) -> str:
        return "draw a card from the pile"


@compiled
def _draw_card_fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    return codes.NONE if cards.has_cards(state) else ActionFault.NO_CARDS


@compiled
def _list_draw_card(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return add_row(out, n, codes.DRAW_CARD, 0) if cards.has_cards(state) else n


@compiled
def _apply_draw_card(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    cards.make_drawable(state, tables, tape)
    cards.draw_unseen(state, tables, tape, seat, make_event(codes.CARD_DRAWN, seat))
    turns.after_draw(state, tables, tape, 1)


DRAW_CARD_HANDLER: Final = Handler(
    kind=codes.DRAW_CARD,
    name="draw_card",
    action=DrawCard,
    phases=(TURN, SECOND_DRAW),
    fault=_draw_card_fault,
    list_legal=_list_draw_card,
    apply=_apply_draw_card,
    verb="draw a card",
    faults={ActionFault.NO_CARDS: lambda _: "the draw pile and the discard pile are empty"},
)


# -- take a face-up card -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class DrawFaceUp:
    """
    Take a face-up card.

    Parameters
    ----------
    slot
        Slot of the market, from 0.
    card
        The card, given only if it was unknown until now, as in a game whose market was
        not recorded.
    """

    slot: int
    card: str | None = None

    def __repr__(self) -> str:
        return f"DrawFaceUp(slot={self.slot}" + (f", card={self.card!r})" if self.card else ")")

    def __str__(self) -> str:
        return f"take the card in market slot {self.slot}" + (f", {self.card}" if self.card else "")


@compiled
def _draw_face_up_fault(state: State, tables: Tables, seat: int, slot: int, value: int) -> int:
    if slot < 0 or slot >= tables.market_size:
        return ActionFault.SLOT
    card = state.market[slot]
    if card == NOBODY:
        return ActionFault.EMPTY_SLOT
    if card >= UNKNOWN_CARD:
        if value == 0 or value > N_KINDS:
            return ActionFault.UNKNOWN_FACE_UP
        card = value - 1
        if state.draw_pile[card] == 0:
            return ActionFault.NONE_UNSEEN
    elif value != 0:
        return ActionFault.KNOWN_FACE_UP
    if state.n_taken > 0 and must_be_first(card, tables.locomotive_cost):
        return ActionFault.SECOND_LOCOMOTIVE
    return codes.NONE if cards.may_take_kind(state, tables, card) else ActionFault.MARKET_CLOSED


@compiled
def _list_draw_face_up(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    for slot in range(tables.market_size):
        if state.market[slot] >= UNKNOWN_CARD:
            for value in range(1, N_KINDS + 1):
                if _draw_face_up_fault(state, tables, seat, slot, value) == codes.NONE:
                    n = add_row(out, n, make_action(codes.DRAW_FACE_UP, slot), value)
        elif cards.may_take(state, tables, slot):
            n = add_row(out, n, make_action(codes.DRAW_FACE_UP, slot), 0)
    return n


@compiled
def _apply_draw_face_up(state: State, tables: Tables, tape: Ints, seat: int, slot: int, value: int) -> None:
    if value > 0:
        cards.identify_face_up(state, slot, value - 1)
    turns.after_draw(state, tables, tape, cards.take_face_up(state, tables, tape, seat, slot))


def _encode_draw_face_up(_index: MapIndex, action: DrawFaceUp, _state: State) -> tuple[int, int]:
    return number_of(action.slot, "market slot"), 0 if action.card is None else 1 + card_index(action.card)


def _no_slot(refused: Refused) -> str:
    return f"there is no market slot {refused.number}: slots are numbered 0 to {int(refused.tables.market_size) - 1}"


def _known(refused: Refused) -> str:
    return f"the card in market slot {refused.number} is known to be {CARD_KINDS[refused.state.market[refused.number]]}"


DRAW_FACE_UP_HANDLER: Final = Handler(
    kind=codes.DRAW_FACE_UP,
    name="draw_face_up",
    action=DrawFaceUp,
    phases=(TURN, SECOND_DRAW),
    fault=_draw_face_up_fault,
    list_legal=_list_draw_face_up,
    apply=_apply_draw_face_up,
    verb="take a face-up card",
    encode=_encode_draw_face_up,
    decode=lambda _, slot, value, _state: DrawFaceUp(slot, CARD_KINDS[value - 1] if value else None),
    keys=("slot",),
    optional_keys=("taken",),
    faults={
        ActionFault.SLOT: _no_slot,
        ActionFault.EMPTY_SLOT: lambda refused: f"market slot {refused.number} is empty",
        ActionFault.SECOND_LOCOMOTIVE: lambda _: "a face-up locomotive may only be the first card of a turn",
        ActionFault.UNKNOWN_FACE_UP: lambda refused: (
            f"the card in market slot {refused.number} is unknown: name the card taken"
        ),
        ActionFault.KNOWN_FACE_UP: _known,
        ActionFault.NONE_UNSEEN: lambda refused: f"every {CARD_KINDS[refused.value - 1]} card is known to be elsewhere",
        ActionFault.MARKET_CLOSED: lambda _: (
            "the draw pile and the discard pile are empty, so face-up cards may not be taken"
        ),
    },
)


# -- draw tickets, some of which must be kept --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DrawTickets:
    """Draw tickets, some of which must be kept."""

    def __str__(self) -> str:
        return "draw tickets"


@compiled
def _draw_tickets_fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    return codes.NONE if turns.has_tickets(state) else ActionFault.NO_TICKETS


@compiled
def _list_draw_tickets(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return add_row(out, n, codes.DRAW_TICKETS, 0) if turns.has_tickets(state) else n


@compiled
def _apply_draw_tickets(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    turns.offer_tickets(state, tables, tape, seat, tables.ticket_draw)
    state.phase = KEEP


DRAW_TICKETS_HANDLER: Final = Handler(
    kind=codes.DRAW_TICKETS,
    name="draw_tickets",
    action=DrawTickets,
    phases=(TURN,),
    fault=_draw_tickets_fault,
    list_legal=_list_draw_tickets,
    apply=_apply_draw_tickets,
    verb="draw tickets",
    faults={ActionFault.NO_TICKETS: lambda _: "no ticket is left"},
)


# -- keep some of the tickets offered ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeepTickets:
    """
    Keep some of the tickets offered.

    Parameters
    ----------
    tickets
        Those kept; None for one that is unknown in the record of a game.
    """

    tickets: tuple[Ticket | None, ...]

    def __str__(self) -> str:
        names = ["an unknown ticket" if ticket is None else str(ticket) for ticket in self.tickets]
        return f"keep {'; '.join(names) or 'no ticket'}"


@compiled
def _keep_tickets_fault(state: State, tables: Tables, seat: int, argument: int, kept: int) -> int:
    if kept < 0 or kept >= 1 << state.n_offer[seat]:
        return ActionFault.KEEP_OTHER
    return codes.NONE if turns.count_bits(kept) >= turns.fewest_kept(state, tables, seat) else ActionFault.KEEP_FEW


@compiled
def _list_keep_tickets(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    fewest = turns.fewest_kept(state, tables, seat)
    for kept in range(1 << state.n_offer[seat]):
        if turns.count_bits(kept) >= fewest:
            n = add_row(out, n, codes.KEEP_TICKETS, kept)
    return n


@compiled
def _apply_keep_tickets(state: State, tables: Tables, tape: Ints, seat: int, argument: int, kept: int) -> None:
    """Keep tickets; at the start the next seat chooses, and seat 0 begins when all have chosen."""
    turns.keep_tickets(state, tables, seat, kept)
    if state.phase != KEEP_START:
        turns.end_turn(state, tables, tape)
    elif seat + 1 < tables.n_seats:
        state.seat = seat + 1
    else:
        state.seat = state.turn_seat = 0
        state.phase = TURN


def _encode_keep_tickets(index: MapIndex, action: KeepTickets, state: State) -> tuple[int, int]:
    """Return 0 and the bits of the kept tickets in the offer."""
    offer = offer_of(state)
    kept, others = bits_kept(offer, list(map(index.ticket_index, action.tickets)))
    if others:
        what = index.ticket(others[0]) or "an unknown ticket"
        raise IllegalActionError(f"{what} is {'kept twice' if others[0] in offer else 'not offered'}")
    return 0, kept


def _decode_keep_tickets(index: MapIndex, _argument: int, kept: int, state: State) -> KeepTickets:
    return KeepTickets(tuple(index.ticket(t) for i, t in enumerate(offer_of(state)) if kept >> i & 1))


def offer_of(state: State) -> list[int]:
    """Return the numbers of the tickets offered to the acting seat."""
    offer: list[int] = state.offer[state.seat, : state.n_offer[state.seat]].tolist()
    return offer


def bits_kept(offer: Sequence[int], tickets: Iterable[int]) -> tuple[int, list[int]]:
    """Return the bits of the kept tickets in an offer, and the kept tickets that were not offered."""
    bits, others = 0, []
    for ticket in tickets:
        left = [i for i, offered in enumerate(offer) if offered == ticket and not bits >> i & 1]
        bits |= 1 << left[0] if left else 0
        others += [] if left else [ticket]
    return bits, others


def _too_few(refused: Refused) -> str:
    fewest = int(turns.fewest_kept(refused.state, refused.tables, refused.seat))
    return f"{refused.who} must keep at least {counted(fewest, 'ticket')}, got {refused.value.bit_count()}"


KEEP_TICKETS_HANDLER: Final = Handler(
    kind=codes.KEEP_TICKETS,
    name="keep_tickets",
    action=KeepTickets,
    phases=(KEEP_START, KEEP),
    fault=_keep_tickets_fault,
    list_legal=_list_keep_tickets,
    apply=_apply_keep_tickets,
    verb="keep tickets",
    encode=_encode_keep_tickets,
    decode=_decode_keep_tickets,
    keys=("tickets",),
    faults={
        ActionFault.KEEP_FEW: _too_few,
        ActionFault.KEEP_OTHER: lambda _: "only offered tickets can be kept",
    },
    needs_state=True,
)
