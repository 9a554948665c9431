"""The set-up of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_DEALT
from ttr_analysis.engine.kernel.cards import draw_unseen, fill_market, make_drawable
from ttr_analysis.engine.kernel.tickets import offer_tickets
from ttr_analysis.engine.layout import (
    ADDED_DISCARDS,
    AT_PILE,
    DRAW_PILE,
    KEEP_START,
    LAST_LEFT,
    LAST_SEAT,
    MARKER,
    MARKET,
    N_PILE,
    N_TICKET_PILE,
    NEUTRAL_IN,
    NEUTRAL_OWNER,
    NEUTRAL_TICKET,
    NOBODY,
    OFFER,
    OWNER,
    PENDING,
    PHASE,
    POOL,
    SCORE,
    STREAM,
    TICKET_AT,
    TOKENS,
    TRAINS,
)
from ttr_analysis.rules.chance import N_WORDS, TABLE_STREAM, open_stream
from ttr_analysis.tables.games import (
    DECK,
    MARKER_SEAT,
    MAX_OFFER,
    MAX_ROUTES,
    MAX_SEATS,
    MAX_SLOTS,
    MAX_TICKETS,
    N_SEATS,
    N_TICKETS,
    NEUTRAL_TRAINS,
    OPENING_DEAL,
    OPENING_HAND,
    START_SCORE,
    TOKENS_EACH,
    TRAINS_EACH,
)

Ints = npt.NDArray[np.int64]


@lean
def new_game(tables: Ints, words: Ints, game: int, state: Ints, tape: Ints) -> None:
    """
    Set a game up: hands, market and tickets are dealt, and seat 0 chooses its tickets.

    Parameters
    ----------
    tables
        The map, its rules and the number of players: `tables.game_tables`.
    words
        Words of the seed.
    game
        Number of the game in its run.
    state
        Filled.
    tape
        Script of outcomes, and where events are written.
    """
    state.fill(0)
    _put_pieces(tables, state)
    open_stream(words, game, TABLE_STREAM, state[STREAM : STREAM + N_WORDS])
    for seat in range(tables[N_SEATS]):
        for _ in range(tables[OPENING_HAND]):
            if make_drawable(state, tables, tape):
                draw_unseen(state, tables, tape, seat, CARD_DEALT + 16 * seat)
    fill_market(state, tables, tape)
    state[ADDED_DISCARDS] = 0
    for seat in range(tables[N_SEATS]):
        offer_tickets(state, tables, tape, seat, tables[OPENING_DEAL])
    state[PHASE] = KEEP_START


@lean
def _put_pieces(tables: Ints, state: Ints) -> None:
    """Lay out what does not depend on chance."""
    state[LAST_LEFT] = state[LAST_SEAT] = state[PENDING] = state[NEUTRAL_TICKET] = NOBODY
    for kind in range(N_KINDS):
        state[DRAW_PILE + kind] = state[POOL + kind] = tables[DECK + kind]
        state[N_PILE] += tables[DECK + kind]
    for slot in range(MAX_SLOTS):
        state[MARKET + slot] = NOBODY
    for cell in range(MAX_SEATS * MAX_OFFER):
        state[OFFER + cell] = NOBODY
    for route in range(MAX_ROUTES):
        state[OWNER + route] = NOBODY
    for ticket in range(MAX_TICKETS):
        state[TICKET_AT + ticket] = AT_PILE if ticket < tables[N_TICKETS] else NOBODY
    state[N_TICKET_PILE] = tables[N_TICKETS]
    for seat in range(tables[N_SEATS]):
        state[TRAINS + seat] = tables[TRAINS_EACH]
        state[SCORE + seat] = tables[START_SCORE + seat]
        state[TOKENS + seat] = tables[TOKENS_EACH]
    state[TRAINS + NEUTRAL_OWNER] = tables[NEUTRAL_TRAINS]
    state[NEUTRAL_IN] = tables[NEUTRAL_TRAINS] > 0
    state[MARKER] = tables[MARKER_SEAT] if tables[NEUTRAL_TRAINS] > 0 else NOBODY
