"""Why an action is illegal, as numbers; each has its words beside the action."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class ActionFault(IntEnum):
    """Why an action is illegal."""

    NONE = 0
    """It is legal."""
    OVER = 1
    """The game is over."""
    PHASE = 2
    """The seat decides something else now."""
    NO_CARDS = 3
    """Draw pile and discard pile are empty."""
    SLOT = 4
    """There is no such slot."""
    EMPTY_SLOT = 5
    """No card lies there."""
    SECOND_LOCOMOTIVE = 6
    """A face-up locomotive may not be a later card of a turn."""
    MARKET_CLOSED = 7
    """Both piles are empty, and face-up cards may then not be taken."""
    ROUTE = 8
    """There is no such route."""
    TAKEN = 9
    """The route is taken."""
    TWIN_OWN = 10
    """The seat owns the other track."""
    TWIN_CLOSED = 11
    """The other track is taken, which closes this one with so few players."""
    TRAINS = 12
    """Too few trains."""
    CARDS = 13
    """The seat does not hold the cards."""
    PAYMENT = 14
    """The cards do not pay for the route: `rules.payment.payment_fault` says why."""
    LOANS = 15
    """The tokens do not suffice, and no loan is left."""
    SURCHARGE = 16
    """The cards are not what the tunnel demands."""
    NO_TICKETS = 17
    """No ticket is left."""
    KEEP_FEW = 18
    """Too few tickets are kept."""
    KEEP_OTHER = 19
    """A ticket is kept that is not offered."""
    NEUTRAL_ROUTE = 20
    """The neutral player cannot take that track now."""
    NOT_STUCK = 21
    """Another action is legal, so that passing is not."""
    UNKNOWN_FACE_UP = 22
    """The record does not know the card in that slot, and it is not said."""
    KNOWN_FACE_UP = 23
    """It is said which card lies in that slot, though the record knows it."""
    NONE_UNSEEN = 24
    """No card of that kind is unseen."""
    CITY = 25
    """There is no such city."""
    STATION_TAKEN = 26
    """A station stands in the city."""
    NO_STATIONS = 27
    """The seat has no station left."""


NONE: Final = 0
