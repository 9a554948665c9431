"""Take a card of the market."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.cards import CARD_KINDS, N_KINDS, card_index
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row, number_of
from ttr_analysis.engine.codes import DRAW_FACE_UP, NONE, ActionFault, make_action
from ttr_analysis.engine.kernel.cards import identify_face_up, may_take, may_take_kind, take_face_up
from ttr_analysis.engine.kernel.turns import after_draw
from ttr_analysis.engine.layout import NOBODY, SECOND_DRAW, TURN, UNKNOWN_CARD, State
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True, repr=False)
class DrawFaceUp:
    """
    Take a card of the market.

    Parameters
    ----------
    slot
        Where it lies, from 0.
    card
        Which one it is, only where that was not known before, as in a game
        whose market nobody wrote down.
    """

    slot: int
    card: str | None = None

    def __repr__(self) -> str:
        return f"DrawFaceUp(slot={self.slot}" + (f", card={self.card!r})" if self.card else ")")

    def __str__(self) -> str:
        return f"take the card in market slot {self.slot}" + (f", {self.card}" if self.card else "")


@compiled
def fault(state: State, tables: Tables, seat: int, slot: int, value: int) -> int:
    """Return why the card in a slot may not be taken."""
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
    return NONE if may_take_kind(state, tables, card) else ActionFault.MARKET_CLOSED


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List the slots whose card may be taken."""
    for slot in range(tables.market_size):
        if state.market[slot] >= UNKNOWN_CARD:
            for value in range(1, N_KINDS + 1):
                if fault(state, tables, seat, slot, value) == NONE:
                    n = add_row(out, n, make_action(DRAW_FACE_UP, slot), value)
        elif may_take(state, tables, slot):
            n = add_row(out, n, make_action(DRAW_FACE_UP, slot), 0)
    return n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, slot: int, value: int) -> None:
    """Give the seat the card, and fill the slot."""
    if value > 0:
        identify_face_up(state, slot, value - 1)
    after_draw(state, tables, tape, take_face_up(state, tables, tape, seat, slot))


def _encode(_index: MapIndex, action: DrawFaceUp, _state: State) -> tuple[int, int]:
    return number_of(action.slot, "market slot"), 0 if action.card is None else 1 + card_index(action.card)


def _decode(_index: MapIndex, slot: int, value: int, _state: State) -> DrawFaceUp:
    return DrawFaceUp(slot, CARD_KINDS[value - 1] if value else None)


def _no_slot(refused: Refused) -> str:
    return f"there is no market slot {refused.number}: they are 0 to {int(refused.tables.market_size) - 1}"


def _known(refused: Refused) -> str:
    return f"the card in market slot {refused.number} is known to be {CARD_KINDS[refused.state.market[refused.number]]}"


HANDLER: Final = Handler(
    kind=DRAW_FACE_UP,
    name="draw_face_up",
    action=DrawFaceUp,
    phases=(TURN, SECOND_DRAW),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="take a face-up card",
    encode=_encode,
    decode=_decode,
    keys=("slot",),
    optional_keys=("taken",),
    faults={
        ActionFault.SLOT: _no_slot,
        ActionFault.EMPTY_SLOT: lambda refused: f"no card lies in market slot {refused.number}",
        ActionFault.SECOND_LOCOMOTIVE: lambda _: "a face-up locomotive may not be a later card of a turn",
        ActionFault.UNKNOWN_FACE_UP: lambda refused: (
            f"the card in market slot {refused.number} is not known: say which one is taken"
        ),
        ActionFault.KNOWN_FACE_UP: _known,
        ActionFault.NONE_UNSEEN: lambda refused: f"all {CARD_KINDS[refused.value - 1]} cards are seen elsewhere",
        ActionFault.MARKET_CLOSED: lambda _: (
            "draw pile and discard pile are empty; face-up cards may then not be taken"
        ),
    },
)
