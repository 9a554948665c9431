"""Draw the top card of the draw pile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.handler import Handler, add_row
from ttr_analysis.engine.codes import CARD_DRAWN, DRAW_CARD, NONE, ActionFault, make_event
from ttr_analysis.engine.kernel.cards import draw_unseen, has_cards, make_drawable
from ttr_analysis.engine.kernel.turns import after_draw
from ttr_analysis.engine.layout import SECOND_DRAW, TURN, State
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class DrawCard:
    """Draw the top card of the draw pile, unseen by the others."""

    def __str__(self) -> str:
        return "draw a card from the pile"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    """Return why no card can be drawn."""
    return NONE if has_cards(state) else ActionFault.NO_CARDS


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List it if there is a card."""
    return add_row(out, n, DRAW_CARD, 0) if has_cards(state) else n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    """Give the seat the card."""
    make_drawable(state, tables, tape)
    draw_unseen(state, tables, tape, seat, make_event(CARD_DRAWN, seat))
    after_draw(state, tables, tape, 1)


HANDLER: Final = Handler(
    kind=DRAW_CARD,
    name="draw_card",
    action=DrawCard,
    phases=(TURN, SECOND_DRAW),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="draw a card",
    faults={ActionFault.NO_CARDS: lambda _: "draw pile and discard pile are empty"},
)
