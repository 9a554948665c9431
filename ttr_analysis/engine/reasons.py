"""Why an action is illegal, and why an outcome does not fit, in words with names and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.handler import Refused
from ttr_analysis.engine.actions.table import HANDLERS, Codec
from ttr_analysis.engine.codes import kind_of
from ttr_analysis.engine.events import Chance, ChanceKind, decode_chance
from ttr_analysis.engine.kernel.faults import ActionFault
from ttr_analysis.engine.layout import UNKNOWN_CARD, Phase

DUE: Final = {
    Phase.KEEP_START: "choose its opening tickets",
    Phase.TURN: "take its turn",
    Phase.SECOND_DRAW: "draw a further card",
    Phase.TUNNEL: "pay the surcharge or take its cards back",
    Phase.KEEP: "choose which tickets to keep",
    Phase.NEUTRAL: "choose a track for the neutral player",
}
"""What a seat must do in each phase."""


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
    due, kind = DUE[Phase(int(refused.state.phase))], kind_of(refused.code)
    verb = HANDLERS[kind].verb if kind < len(HANDLERS) else "do that"
    return f"{refused.who} must {due} now; it cannot {verb}"


# -- outcomes of chance that do not fit a step of a game -----------------------------------------------------------


def outcome_error(codec: Codec, script: Sequence[tuple[int, int]], rows: Sequence[tuple[int, int]]) -> str:
    """
    Return which outcome of a script is the first that does not fit, and why.

    Parameters
    ----------
    codec
        The codec of the map.
    script
        The outcomes that were given, as codes and values.
    rows
        The events that the kernel wrote. Where the script did not fit, it
        went on with an unknown card or ticket.
    """
    wanted = [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]
    for i, (given, done) in enumerate(zip(script, wanted, strict=False)):
        if given[0] != done[0]:
            due = due_words(decode_chance(codec, *done))
            return f"outcome {i + 1} does not fit: {decode_chance(codec, *given)}, where {due} is due"
        if given[1] != done[1] or is_secret_unknown(*given):
            return f"outcome {i + 1} does not fit: {decode_chance(codec, *given)}, but {why_not(*given)}"
    if len(script) < len(wanted):
        due = due_words(decode_chance(codec, *wanted[len(script)]))
        return f"outcome {len(script) + 1} is missing: {due} is due"
    return f"outcome {len(wanted) + 1} is one too many: {decode_chance(codec, *script[len(wanted)])}"


def is_secret_unknown(code: int, value: int) -> bool:
    """Return whether a card turned over for a tunnel, on which the surcharge depends, is said to be unknown."""
    return kind_of(code) == codes.CARD_REVEALED and value == UNKNOWN_CARD


def why_not(code: int, value: int) -> str:
    """Return why an outcome of the right kind cannot be."""
    if kind_of(code) in (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET):
        return "it cannot come from the ticket pile now"
    return "the surcharge depends on that card" if is_secret_unknown(code, value) else "the draw pile has none"


def due_words(due: Chance) -> str:
    """Return what is due, whichever card or ticket it is, in words."""
    texts: dict[ChanceKind, str] = {
        "card_dealt": f"a card dealt to P{due.seat}",
        "card_drawn": f"a card that P{due.seat} draws",
        "market_card": f"a card for market slot {due.slot}",
        "card_revealed": "a card turned over for the tunnel",
        "ticket_offered": f"a ticket offered to P{due.seat}",
        "neutral_ticket": "a ticket for the neutral player",
    }
    return texts[due.kind]
