"""
Actions and events as two numbers, a *code* and a *value*, and the tape on which they are kept.

A code is `kind + 16 * seat + 128 * argument`. Policies and rules leave the seat
at 0: it is the one that acts; events on a tape have it.

=================  ====================  =======================================
kind               argument              value
=================  ====================  =======================================
DRAW_CARD
DRAW_FACE_UP       slot
CLAIM_ROUTE        route                 cards laid down, packed
PAY_TUNNEL                               cards of the surcharge, packed
DECLINE_TUNNEL
DRAW_TICKETS
KEEP_TICKETS                             bit i for the i-th ticket of the offer
CHOOSE_NEUTRAL     route
PASS
CARD_DEALT                               kind of card; the seat is who gets it
CARD_DRAWN                               the same, drawn unseen
MARKET_CARD        slot                  kind of card
CARD_REVEALED                            kind of card, turned over for a tunnel
TICKET_OFFERED                           ticket; the seat is who gets it
NEUTRAL_TICKET                           ticket
SHUFFLED           one of `SHUFFLED_*`
=================  ====================  =======================================

Packed cards are nine counts of six bits each.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS

Ints = npt.NDArray[np.int64]

DRAW_CARD: Final = 0
DRAW_FACE_UP: Final = 1
CLAIM_ROUTE: Final = 2
PAY_TUNNEL: Final = 3
DECLINE_TUNNEL: Final = 4
DRAW_TICKETS: Final = 5
KEEP_TICKETS: Final = 6
CHOOSE_NEUTRAL: Final = 7
PASS: Final = 8

CARD_DEALT: Final = 9
CARD_DRAWN: Final = 10
MARKET_CARD: Final = 11
CARD_REVEALED: Final = 12
TICKET_OFFERED: Final = 13
NEUTRAL_TICKET: Final = 14
SHUFFLED: Final = 15
"""No outcome of chance but its place: the discards became a pile, or the market was replaced."""

SHUFFLED_CARDS: Final = 0
SHUFFLED_TICKETS: Final = 1
SHUFFLED_MARKET: Final = 2

_WITH_ARGUMENT: Final = frozenset({DRAW_FACE_UP, CLAIM_ROUTE, CHOOSE_NEUTRAL})
_WITH_VALUE: Final = frozenset({CLAIM_ROUTE, PAY_TUNNEL, KEEP_TICKETS})

_CARD_BITS: Final = 6
_CARD_MASK: Final = (1 << _CARD_BITS) - 1


@compiled
def make_code(kind: int, argument: int) -> int:
    """
    Return the code of an action.

    Examples
    --------
    >>> code = make_code(CLAIM_ROUTE, 80)
    >>> int(kind_of(code)), int(argument_of(code)), int(seat_of(code))
    (2, 80, 0)
    """
    return kind + 128 * argument


@compiled
def kind_of(code: int) -> int:
    """Return the kind of an action or event."""
    return code & 15


@compiled
def seat_of(code: int) -> int:
    """Return the seat of an event."""
    return (code >> 4) & 7


@compiled
def argument_of(code: int) -> int:
    """Return the slot, route or other argument."""
    return code >> 7


def is_canonical(code: int, value: int) -> bool:
    """
    Return whether a code and value of an action say nothing besides the action.

    Examples
    --------
    >>> is_canonical(DRAW_CARD, 0), is_canonical(DRAW_CARD, 3), is_canonical(DRAW_CARD + 128, 0)
    (True, False, False)
    """
    kind = kind_of(code)
    has_argument, has_value = kind in _WITH_ARGUMENT, kind in _WITH_VALUE
    return (
        0 <= code < 1 << 31
        and seat_of(code) == 0
        and (has_argument or argument_of(code) == 0)
        and 0 <= value < (1 << _CARD_BITS * N_KINDS if has_value else 1)
    )


@compiled
def pack_cards(cards: Ints) -> int:
    """
    Return nine counts as one number.

    Examples
    --------
    >>> cards = np.array([0, 3, 0, 2, 7, 0, 0, 2, 1])
    >>> again = np.zeros(9, dtype=np.int64)
    >>> unpack_cards(pack_cards(cards), again)
    >>> again.tolist()
    [0, 3, 0, 2, 7, 0, 0, 2, 1]
    """
    packed = 0
    for kind in range(N_KINDS):
        packed |= cards[kind] << (_CARD_BITS * kind)
    return packed


@compiled
def unpack_cards(packed: int, cards: Ints) -> None:
    """Fill in the nine counts of a packed number."""
    for kind in range(N_KINDS):
        cards[kind] = (packed >> (_CARD_BITS * kind)) & _CARD_MASK


@compiled
def pack_single(color: int, own: int, locomotives: int) -> int:
    """
    Return cards of one color and locomotives as one number.

    Parameters
    ----------
    color
        A color; any number if there are no such cards.
    own, locomotives
        Numbers of cards.

    Examples
    --------
    >>> cards = np.zeros(9, dtype=np.int64)
    >>> unpack_cards(pack_single(4, 2, 1), cards)
    >>> cards.tolist()
    [0, 0, 0, 0, 2, 0, 0, 0, 1]
    """
    packed = locomotives << (_CARD_BITS * LOCOMOTIVE_INDEX)
    return packed + (own << (_CARD_BITS * color)) if own > 0 else packed


# -- the tape -----------------------------------------------------------------

READ_AT: Final = 0
READ_END: Final = 1
"""Outcomes are read from the tape up to here; at 0, chance is random."""
WRITE_AT: Final = 2
WRITE_END: Final = 3
"""Events are written up to here; a tape that is full is written no further, but counted."""
TAPE_START: Final = 4
"""First cell of the outcomes to be read, two cells each; the events written follow them."""
