"""
Actions and events as two numbers, a *code* and a *value*, and the tape that stores them.

A code holds a kind in its lowest bits, then a seat, then an argument: see
`make_event`. In actions the seat is 0, whoever acts (`make_action`); only events on
a tape name the seat.

=================  ====================  =======================================
kind               argument              value
=================  ====================  =======================================
DRAW_CARD
DRAW_FACE_UP       slot                  1 + kind of card, if it was unknown
CLAIM_ROUTE        route                 cards laid down, packed
PAY_TUNNEL                               cards for the surcharge, packed
DECLINE_TUNNEL
DRAW_TICKETS
KEEP_TICKETS                             bit i for the i-th ticket of the offer
CHOOSE_NEUTRAL     route
BUILD_STATION      city                  cards, packed
PASS
ATTEMPT_TUNNEL     route                 a card of the color, packed
CARD_DEALT                               kind of card; the seat receives it
CARD_DRAWN                               the same, drawn unseen
MARKET_CARD        slot                  kind of card
CARD_REVEALED                            kind of card, turned over for a tunnel, or
                                         whether it matches: `UNKNOWN_MATCH`,
                                         `UNKNOWN_CARD`
TICKET_OFFERED                           ticket; the seat receives it
NEUTRAL_TICKET                           ticket
SHUFFLED           one of `SHUFFLED_*`
=================  ====================  =======================================

Packed cards are nine counts of six bits each: see `pack_cards`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from ttr_analysis._compile import Ints, compiled, quickly_compiled, short
from ttr_analysis._errors import IllegalActionError
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts

DRAW_CARD: Final = 0
DRAW_FACE_UP: Final = 1
CLAIM_ROUTE: Final = 2
PAY_TUNNEL: Final = 3
DECLINE_TUNNEL: Final = 4
DRAW_TICKETS: Final = 5
KEEP_TICKETS: Final = 6
CHOOSE_NEUTRAL: Final = 7
BUILD_STATION: Final = 8
PASS: Final = 9
ATTEMPT_TUNNEL: Final = 10
N_ACTIONS: Final = ATTEMPT_TUNNEL + 1

FIRST_EVENT: Final = 32
"""Kinds below this one are actions; this one and those above are outcomes of chance."""
CARD_DEALT: Final = FIRST_EVENT
CARD_DRAWN: Final = FIRST_EVENT + 1
MARKET_CARD: Final = FIRST_EVENT + 2
CARD_REVEALED: Final = FIRST_EVENT + 3
TICKET_OFFERED: Final = FIRST_EVENT + 4
NEUTRAL_TICKET: Final = FIRST_EVENT + 5
SHUFFLED: Final = FIRST_EVENT + 6
"""Marks when the discards became a pile or the market was replaced; nothing random is stored."""

SHUFFLED_CARDS: Final = 0
SHUFFLED_TICKETS: Final = 1
SHUFFLED_MARKET: Final = 2

KIND_BITS: Final = 6
SEAT_BITS: Final = 3
SEAT_SHIFT: Final = KIND_BITS
ARGUMENT_SHIFT: Final = KIND_BITS + SEAT_BITS
CODE_BITS: Final = 31
"""Bits of a whole code: kind, seat and argument."""
KIND_MASK: Final = (1 << KIND_BITS) - 1
_SEAT_MASK: Final = (1 << SEAT_BITS) - 1
NO_SEAT: Final = ~(_SEAT_MASK << SEAT_SHIFT)
"""All bits of a code except those of the seat."""

CARD_BITS: Final = 6
MOST_OF_A_KIND: Final = (1 << CARD_BITS) - 1
"""Most cards of one kind that fit into packed cards; nobody ever holds more."""


@short
def make_event(kind: int, seat: int, argument: int = 0) -> int:
    """
    Return the code of an event.

    >>> code = make_event(CLAIM_ROUTE, 3, 80)
    >>> kind_of(code), seat_of(code), argument_of(code)
    (2, 3, 80)
    """
    return kind | seat << SEAT_SHIFT | argument << ARGUMENT_SHIFT


@short
def make_action(kind: int, argument: int) -> int:
    """Return the code of an action, with seat 0."""
    return make_event(kind, 0, argument)


@short
def without_seat(code: int) -> int:
    """Return an event's code with the seat set to 0, which is the code of its action."""
    return code & NO_SEAT


@short
def kind_of(code: int) -> int:
    """Return the kind of an action or event."""
    return code & KIND_MASK


@short
def seat_of(code: int) -> int:
    """Return the seat of an event."""
    return (code >> SEAT_SHIFT) & _SEAT_MASK


@short
def argument_of(code: int) -> int:
    """Return the argument of a code, such as a slot or route."""
    return code >> ARGUMENT_SHIFT


@quickly_compiled
def pack_cards(cards: Ints) -> int:
    """
    Pack nine counts into one number.

    >>> cards = np.array([0, 3, 0, 2, 7, 0, 0, 2, 1])
    >>> again = np.zeros(9, dtype=np.int64)
    >>> unpack_cards(pack_cards(cards), again)
    >>> again.tolist()
    [0, 3, 0, 2, 7, 0, 0, 2, 1]
    """
    packed = 0
    for kind in range(N_KINDS):
        packed |= cards[kind] << (CARD_BITS * kind)
    return packed


@quickly_compiled
def unpack_cards(packed: int, cards: Ints) -> None:
    """Unpack a number into nine counts."""
    for color in range(N_COLORS):  # written eight at a time, so that a later wide read does not stall on a narrow store
        cards[color] = (packed >> (CARD_BITS * color)) & MOST_OF_A_KIND
    cards[LOCOMOTIVE_INDEX] = (packed >> (CARD_BITS * LOCOMOTIVE_INDEX)) & MOST_OF_A_KIND


def unpack_all(packed: Ints) -> Ints:
    """Unpack many numbers, into one row for each kind of card."""
    counts: Ints = packed >> CARD_BITS * np.arange(N_KINDS)[:, None] & MOST_OF_A_KIND
    return counts


@compiled
def pack_single(color: int, own: int, locomotives: int) -> int:
    """Pack cards of one color and locomotives; the color does not matter if `own` is 0."""
    packed = locomotives << (CARD_BITS * LOCOMOTIVE_INDEX)
    return packed + (own << (CARD_BITS * color)) if own > 0 else packed


def unpacked(value: int) -> CardCounts:
    """Unpack a number into counts by name."""
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    return CardCounts(tuple(cards.tolist()))


def packed(cards: CardCounts) -> int:
    """
    Pack counts; raise an `IllegalActionError` for anything else, or for more cards of a kind than fit.

    >>> unpacked(packed(CardCounts.of(blue=3, locomotive=1)))
    CardCounts.of(blue=3, locomotive=1)
    """
    if not isinstance(cards, CardCounts):
        raise IllegalActionError(f"expected CardCounts such as CardCounts.of(red=2), got {cards!r}")
    if max(cards) > MOST_OF_A_KIND:
        raise IllegalActionError(f"nobody can hold {cards}")
    return int(pack_cards(np.array(cards.counts, dtype=np.int64)))


# -- the tape -----------------------------------------------------------------

READ_AT: Final = 0
READ_END: Final = 1
"""End of the scripted outcomes; 0 means that outcomes are drawn at random."""
WRITE_AT: Final = 2
WRITE_END: Final = 3
"""End of the room for events; further events are counted but not stored."""
TAPE_START: Final = 4
"""First cell of the scripted outcomes, two cells each; the events follow them."""


# -- why an action is illegal --------------------------------------------------------------------------------------


class ActionFault(IntEnum):
    """Why an action is illegal; each action's handler has the messages."""

    NONE = 0
    OVER = 1
    PHASE = 2
    """The seat must decide something else now."""
    NO_CARDS = 3
    SLOT = 4
    EMPTY_SLOT = 5
    SECOND_LOCOMOTIVE = 6
    """A face-up locomotive may only be the first card of a turn."""
    MARKET_CLOSED = 7
    """Both piles are empty, and the rules then forbid taking face-up cards."""
    ROUTE = 8
    TAKEN = 9
    TWIN_OWN = 10
    """The seat owns the other track."""
    TWIN_CLOSED = 11
    """The other track is taken, which closes this one with this number of players."""
    TRAINS = 12
    CARDS = 13
    PAYMENT = 14
    """The cards do not pay (`rules.payment.payment_fault` gives the reason), or an attempt's color does not."""
    LOANS = 15
    """There are too few tokens, and no loan is left."""
    SURCHARGE = 16
    NO_TICKETS = 17
    KEEP_FEW = 18
    KEEP_OTHER = 19
    NEUTRAL_ROUTE = 20
    NOT_STUCK = 21
    """Passing is illegal because another action is legal."""
    UNKNOWN_FACE_UP = 22
    """The card in that slot is unknown, and the action does not name it."""
    KNOWN_FACE_UP = 23
    """The action names the card in that slot, which is already known."""
    NONE_UNSEEN = 24
    """No card of that kind is unseen."""
    CITY = 25
    STATION_TAKEN = 26
    NO_STATIONS = 27


NONE: Final = 0
