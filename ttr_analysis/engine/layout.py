"""
The state of a game as one vector of int64: which cell means what.

Compiled code reads `state[TRAINS + seat]` and the like. The layout is the same
for every map and number of players (limits: `tables.games`). Cells that begin
a block say what the block is indexed by. Cards count as in `CARD_KINDS`, nine
cells each.

**Secret** cells must not influence a seat that cannot see them; `engine.view`
blanks them. All other cells are public.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from ttr_analysis.cards import N_KINDS
from ttr_analysis.rules.chance import N_WORDS
from ttr_analysis.tables.games import MAX_OFFER, MAX_ROUTES, MAX_SEATS, MAX_SLOTS, MAX_TICKETS


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


# Phases and offsets as plain numbers: numba reads them as constants, and they cost nothing in plain Python.
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
UNKNOWN_TICKET: Final = MAX_TICKETS
"""Number of a ticket that a record does not know."""

# -- single cells -------------------------------------------------------------

PHASE: Final = 0
SEAT: Final = 1
"""The seat that acts now."""
TURN_SEAT: Final = 2
"""The seat whose turn it is; not always the one that acts."""
N_TURNS: Final = 3
"""Turns that are complete."""
N_TAKEN: Final = 4
"""Draws used in this turn."""
LAST_LEFT: Final = 5
"""Turns left in the game once the last round has begun, else -1."""
LAST_SEAT: Final = 6
"""The seat that set off the last round, else -1."""
N_PASSES: Final = 7
"""Passes in a row."""
ENDING: Final = 8
"""An `Ending`."""
N_CLAIMS: Final = 9
"""Routes taken so far, those of the neutral player included."""
N_PILE: Final = 10
"""Cards in the draw pile."""
ADDED_DISCARDS: Final = 11
"""1 if cards were discarded in this turn."""
N_SHUFFLES: Final = 12
"""Times that the discards became the draw pile."""
PENDING: Final = 13
"""The tunnel that is attempted, else -1."""
PENDING_COLOR: Final = 14
"""The color in which it is attempted; 8 for locomotives alone."""
SURCHARGE: Final = 15
"""Cards that it demands more."""
N_TICKET_PILE: Final = 16
"""Tickets in the pile in random order; they are drawn before the queue."""
N_QUEUED: Final = 17
"""Tickets under the pile, in known order; SECRET while opening tickets are chosen."""
QUEUE_HEAD: Final = 18
"""Where in `QUEUE` the top one of them is."""
N_TICKET_DISCARDS: Final = 19
"""Tickets on the discard pile; SECRET while opening tickets are chosen."""
NEUTRAL_IN: Final = 20
"""1 while the neutral player is in the game."""
MARKER: Final = 21
"""The seat that holds the neutral player's marker."""
NEUTRAL_TICKET: Final = 22
"""The ticket last turned up for the neutral player, else -1."""
FAULT: Final = 23
"""1 if a script of outcomes did not fit: the state is then of no use."""
STREAM: Final = 24
"""SECRET: words of the stream of chance."""

# -- blocks -------------------------------------------------------------------

DRAW_PILE: Final = STREAM + N_WORDS
"""SECRET: cards in the draw pile by kind. With unknown cards in hands, those are among them."""
DISCARDS: Final = DRAW_PILE + N_KINDS
MARKET: Final = DISCARDS + N_KINDS
"""Kind of the card in each slot, or -1."""
LAID: Final = MARKET + MAX_SLOTS
"""Cards laid down for the pending tunnel."""
REVEALED: Final = LAID + N_KINDS
"""Cards turned over for it; they are in the discard pile."""
PAID: Final = REVEALED + N_KINDS
"""Cards last paid for a surcharge; they are in the discard pile."""
POOL: Final = PAID + N_KINDS
"""Cards since the last shuffle less all that everyone has seen since; for a seat, less its own blind draws."""
HAND: Final = POOL + N_KINDS
"""SECRET: cards of each seat, nine cells each."""
BLIND: Final = HAND + MAX_SEATS * N_KINDS
"""SECRET: cards that each seat drew unseen since the last shuffle, less those shown since for certain."""
KNOWN: Final = BLIND + MAX_SEATS * N_KINDS
"""Cards that everyone knows each seat to hold at least, nine cells each."""
N_HAND: Final = KNOWN + MAX_SEATS * N_KINDS
"""Cards of each seat."""
OLD: Final = N_HAND + MAX_SEATS
"""At most so many cards of each seat, unknown to the others, are from before the last shuffle."""
TRAINS: Final = OLD + MAX_SEATS
"""Trains left of each seat, and of the neutral player."""
SCORE: Final = TRAINS + MAX_SEATS + 1
"""Start score and points for routes of each seat."""
TOKENS: Final = SCORE + MAX_SEATS
LOANS: Final = TOKENS + MAX_SEATS
N_HELD: Final = LOANS + MAX_SEATS
"""Tickets of each seat; while opening tickets are chosen, SECRET for the other seats."""
N_OFFER: Final = N_HELD + MAX_SEATS
"""Tickets that each seat chooses from; while opening tickets are chosen, SECRET for the other seats."""
OFFER: Final = N_OFFER + MAX_SEATS
"""SECRET: those tickets, `MAX_OFFER` cells for each seat, in the order dealt."""
HELD: Final = OFFER + MAX_SEATS * MAX_OFFER
"""SECRET: tickets of each seat, `MAX_TICKETS` cells each, in the order kept."""
TICKET_AT: Final = HELD + MAX_SEATS * MAX_TICKETS
"""Partly SECRET: where each ticket is: the seat that holds it, or one of the next."""
QUEUE: Final = TICKET_AT + MAX_TICKETS
"""SECRET: tickets under the pile, a ring that begins at `QUEUE_HEAD`."""
OWNER: Final = QUEUE + MAX_TICKETS
"""Owner of each route: a seat, `NEUTRAL_OWNER` or -1."""
CLAIMED: Final = OWNER + MAX_ROUTES
"""Routes in the order in which they were taken."""
STATE_SIZE: Final = CLAIMED + MAX_ROUTES

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
