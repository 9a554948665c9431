"""All actions in a table, from which the rules, records and messages are driven; each has a file of its own."""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.actions import (
    choose_neutral,
    claim_route,
    decline_tunnel,
    draw_card,
    draw_face_up,
    draw_tickets,
    keep_tickets,
    pass_turn,
    pay_tunnel,
)
from ttr_analysis.engine.actions.handler import Handler
from ttr_analysis.engine.codes import CARD_BITS, CODE_BITS, argument_of, kind_of, seat_of

Action = (
    draw_card.DrawCard
    | draw_face_up.DrawFaceUp
    | claim_route.ClaimRoute
    | pay_tunnel.PayTunnel
    | decline_tunnel.DeclineTunnel
    | draw_tickets.DrawTickets
    | keep_tickets.KeepTickets
    | choose_neutral.ChooseNeutralRoute
    | pass_turn.Pass
)
"""Anything that a seat can do."""

HANDLERS: Final[tuple[Handler, ...]] = (
    draw_card.HANDLER,
    draw_face_up.HANDLER,
    claim_route.HANDLER,
    pay_tunnel.HANDLER,
    decline_tunnel.HANDLER,
    draw_tickets.HANDLER,
    keep_tickets.HANDLER,
    choose_neutral.HANDLER,
    pass_turn.HANDLER,
)
"""By kind, the order in which legal actions are listed; passing is last, for it is legal if nothing else is."""

HANDLER_OF: Final[dict[type, Handler]] = {handler.action: handler for handler in HANDLERS}
"""By the type of the action."""

# What compiled code asks, by kind.
FAULTS: Final = tuple(handler.fault for handler in HANDLERS)
LISTERS: Final = tuple(handler.list_legal for handler in HANDLERS)
APPLIERS: Final = tuple(handler.apply for handler in HANDLERS)
DUE: Final = tuple((phase, handler.kind) for handler in HANDLERS for phase in handler.phases)
"""Phases, each with a kind that is due in it."""


@compiled
def is_well_formed(code: int, value: int) -> bool:
    """
    Return whether a code and value may be those of an action: in range, and without a seat.

    Examples
    --------
    >>> from ttr_analysis.engine.codes import DRAW_CARD, make_event
    >>> bool(is_well_formed(DRAW_CARD, 0)), bool(is_well_formed(make_event(DRAW_CARD, 1), 0))
    (True, False)
    """
    return 0 <= code < 1 << CODE_BITS and seat_of(code) == 0 and 0 <= value < 1 << CARD_BITS * N_KINDS


def is_canonical(code: int, value: int) -> bool:
    """
    Return whether a code and value of an action say nothing besides the action.

    Examples
    --------
    >>> from ttr_analysis.engine.codes import DRAW_CARD, make_action
    >>> is_canonical(DRAW_CARD, 0), is_canonical(DRAW_CARD, 3), is_canonical(make_action(DRAW_CARD, 1), 0)
    (True, False, False)
    """
    kind = kind_of(code)
    handler = HANDLERS[kind] if kind < len(HANDLERS) else None
    has_argument, has_value = (handler.has_argument, handler.has_value) if handler else (False, False)
    return (
        0 <= code < 1 << CODE_BITS
        and seat_of(code) == 0
        and (has_argument or argument_of(code) == 0)
        and 0 <= value < (1 << CARD_BITS * N_KINDS if has_value else 1)
    )
