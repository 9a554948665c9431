"""
The packed state of a game: one record for every map and number of players.

Cards count as in `CARD_KINDS`. **Secret** fields must not influence a seat that
cannot see them; `engine.state` blanks them. All other fields are public.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from ttr_analysis._compile import Record, block, cell
from ttr_analysis.cards import N_KINDS
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import MAX_CITIES, MAX_OFFER, MAX_ROUTES, MAX_SEATS, MAX_SLOTS, MAX_TICKETS


class Phase(IntEnum):
    """What the seat that acts decides."""

    KEEP_START = 0
    """Which of its opening tickets it keeps."""
    TURN = 1
    """What it does with its turn."""
    SECOND_DRAW = 2
    """Which further card it draws."""
    TUNNEL = 3
    """Whether and how it pays the surcharge of a tunnel."""
    KEEP = 4
    """Which of the tickets drawn it keeps."""
    NEUTRAL = 5
    """Which track the neutral player takes; decided outside the seat's turn."""
    OVER = 6
    """Nothing more."""


class Ending(IntEnum):
    """Why a game is over."""

    NOT_OVER = 0
    TRAINS = 1
    """Every player has taken its last turn."""
    PASSES = 2
    """Everyone passed."""
    TRUNCATED = 3
    """The limit of turns was reached."""


# Phases as plain numbers, which cost nothing in plain Python.
KEEP_START: Final = 0
TURN: Final = 1
SECOND_DRAW: Final = 2
TUNNEL_PHASE: Final = 3
KEEP: Final = 4
NEUTRAL: Final = 5
OVER: Final = 6

NOBODY: Final = -1
"""Owner of a free route; also an empty market slot, and no pending route."""
NEUTRAL_OWNER: Final = MAX_SEATS
"""Owner of the routes of the neutral player."""
UNKNOWN_CARD: Final = N_KINDS
"""Kind of a card that a record does not know."""
OLD_UNKNOWN_CARD: Final = UNKNOWN_CARD + 1
"""The same in the market, where it lay before the last shuffle."""
UNKNOWN_MATCH: Final = UNKNOWN_CARD + 1
"""In place of the kind of a card turned over for a tunnel: it matches; `UNKNOWN_CARD` there: it does not."""
UNKNOWN_TICKET: Final = MAX_TICKETS
"""Number of a ticket that a record does not know."""

AT_PILE: Final = 8
"""A ticket in the pile in random order, or one that a record does not know."""
AT_QUEUE: Final = 9
"""A ticket under the pile."""
AT_OFFER: Final = 10
"""A ticket that a seat chooses from."""
AT_DISCARDS: Final = 11
"""A ticket on the discard pile, for all to see."""
AT_REMOVED: Final = 12
"""A ticket out of the game."""


class State(Record):
    """
    A game at one moment: the fields that compiled code reads and changes.

    >>> state = State()
    >>> state.trains[1] = 40
    >>> state.copy().trains[1], state.phase
    (np.int64(40), 0)
    """

    phase = cell()
    """A `Phase`."""
    seat = cell()
    """The seat that acts now."""
    turn_seat = cell()
    """The seat whose turn it is; not always the one that acts."""
    n_turns = cell()
    """Turns that are complete."""
    n_taken = cell()
    """Draws used in this turn."""
    last_left = cell()
    """Turns left in the game once the last round has begun, else -1."""
    last_seat = cell()
    """The seat that set off the last round, else -1."""
    n_passes = cell()
    """Passes in a row."""
    ending = cell()
    """An `Ending`."""
    n_claims = cell()
    """Routes taken so far, those of the neutral player included."""
    n_pile = cell()
    """Cards in the draw pile."""
    added_discards = cell()
    """1 if cards were discarded in this turn."""
    n_swept = cell()
    """Unknown cards on the discard pile: from a market that was replaced, or turned over for tunnels."""
    n_shuffles = cell()
    """Times that the discards became the draw pile."""
    pending = cell()
    """The tunnel that is attempted, else -1."""
    pending_color = cell()
    """The color in which it is attempted; 8 for locomotives alone."""
    surcharge = cell()
    """Cards that it demands more; where `ATTEMPT_TUNNEL` laid none down, those for its spaces are among them."""
    n_ticket_pile = cell()
    """Tickets in the pile in random order; they are drawn before the queue."""
    n_queued = cell()
    """Tickets under the pile, in known order; SECRET while opening tickets are chosen."""
    queue_head = cell()
    """Where in `queue` the top one of them is."""
    n_ticket_discards = cell()
    """Tickets on the discard pile; SECRET while opening tickets are chosen."""
    neutral_in = cell()
    """1 while the neutral player is in the game."""
    marker = cell()
    """The seat that holds the neutral player's marker."""
    neutral_ticket = cell()
    """The ticket last turned up for the neutral player, else -1."""
    fault = cell()
    """1 if a script of outcomes did not fit: the state is then of no use."""
    stream = block(KEY_SIZE)
    """SECRET: the stream of chance."""

    draw_pile = block(N_KINDS)
    """SECRET: cards in the draw pile by kind. Unknown cards in hands, market and discard pile are among them."""
    discards = block(N_KINDS)
    market = block(MAX_SLOTS)
    """Kind of the card in each slot, or -1; `UNKNOWN_CARD` or `OLD_UNKNOWN_CARD` where a record does not know it."""
    laid = block(N_KINDS)
    """Cards laid down for the pending tunnel."""
    revealed = block(N_KINDS)
    """Cards turned over for it; they are in the discard pile."""
    paid = block(N_KINDS)
    """Cards last paid for a surcharge; they are in the discard pile."""
    pool = block(N_KINDS)
    """Cards since the last shuffle less all that everyone has seen since; for a seat, less its own blind draws."""
    hand = block(MAX_SEATS, N_KINDS)
    """SECRET: cards of each seat."""
    blind = block(MAX_SEATS, N_KINDS)
    """SECRET: cards that each seat drew unseen since the last shuffle, less those shown since for certain."""
    known = block(MAX_SEATS, N_KINDS)
    """Cards that everyone knows each seat to hold at least."""
    n_hand = block(MAX_SEATS)
    """Cards of each seat."""
    old = block(MAX_SEATS)
    """At most so many cards of each seat, unknown to the others, are from before the last shuffle."""
    swept_match = block(N_KINDS)
    """Unknown discards that match a color, by color: of it, or locomotives."""
    swept_other = block(N_KINDS)
    """Unknown discards that do not match a color, by color; 8 for those that are no locomotives."""
    shown_color = block(MAX_SEATS)
    """The color in which each seat last attempted a tunnel with cards that a record does not know."""
    n_shown = block(MAX_SEATS)
    """Cards of that color, or locomotives, that everyone knows each seat to hold at least for that."""
    trains = block(MAX_SEATS + 1)
    """Trains left of each seat, and of the neutral player."""
    score = block(MAX_SEATS)
    """Start score and points for routes of each seat."""
    tokens = block(MAX_SEATS)
    loans = block(MAX_SEATS)
    n_held = block(MAX_SEATS)
    """Tickets of each seat; while opening tickets are chosen, SECRET for the other seats."""
    n_offer = block(MAX_SEATS)
    """Tickets that each seat chooses from; while opening tickets are chosen, SECRET for the other seats."""
    offer = block(MAX_SEATS, MAX_OFFER)
    """SECRET: those tickets, in the order dealt."""
    held = block(MAX_SEATS, MAX_TICKETS)
    """SECRET: tickets of each seat, in the order kept."""
    ticket_at = block(MAX_TICKETS)
    """Partly SECRET: where each ticket is: the seat that holds it, or one of `AT_*`."""
    returned_by = block(MAX_TICKETS)
    """SECRET from the others: 1 + the seat that last gave each ticket back; it need not lie there any more."""
    queue = block(MAX_TICKETS)
    """SECRET: tickets under the pile, a ring that begins at `queue_head`."""
    queued_at = block(MAX_TICKETS)
    """How many turns were complete when each of them was put there: only those who did know the order of one turn."""
    owner = block(MAX_ROUTES)
    """Owner of each route: a seat, `NEUTRAL_OWNER` or -1."""
    claimed = block(MAX_ROUTES)
    """Routes in the order in which they were taken."""
    stations = block(MAX_SEATS)
    """Stations left of each seat."""
    station_at = block(MAX_CITIES)
    """1 + the seat that has a station in each city; 0 where there is none."""
