"""The set-up of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_DEALT, make_event
from ttr_analysis.engine.kernel.cards import draw_unseen, fill_market, make_drawable
from ttr_analysis.engine.kernel.tickets import offer_tickets
from ttr_analysis.engine.layout import AT_PILE, KEEP_START, NEUTRAL_OWNER, NOBODY, State
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream
from ttr_analysis.tables.games import MAX_ROUTES, MAX_SEATS, MAX_SLOTS, MAX_TICKETS, Tables

Ints = npt.NDArray[np.int64]


@compiled
def new_game(tables: Tables, words: Ints, game: int, state: State, tape: Ints) -> None:
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
    state.cells.fill(0)
    _put_pieces(tables, state)
    open_stream(words, game, TABLE_STREAM, state.stream)
    for seat in range(tables.n_seats):
        for _ in range(tables.opening_hand):
            if make_drawable(state, tables, tape):
                draw_unseen(state, tables, tape, seat, make_event(CARD_DEALT, seat))
    fill_market(state, tables, tape)
    state.added_discards = 0
    for seat in range(tables.n_seats):
        offer_tickets(state, tables, tape, seat, tables.opening_deal)
    state.phase = KEEP_START


@compiled
def _put_pieces(tables: Tables, state: State) -> None:
    """Lay out what does not depend on chance."""
    state.last_left = state.last_seat = state.pending = state.neutral_ticket = NOBODY
    for kind in range(N_KINDS):
        state.draw_pile[kind] = state.pool[kind] = tables.deck[kind]
        state.n_pile += tables.deck[kind]
    for slot in range(MAX_SLOTS):
        state.market[slot] = NOBODY
    for seat in range(MAX_SEATS):
        state.offer[seat].fill(NOBODY)
    for route in range(MAX_ROUTES):
        state.owner[route] = NOBODY
    for ticket in range(MAX_TICKETS):
        state.ticket_at[ticket] = AT_PILE if ticket < tables.n_tickets else NOBODY
    state.n_ticket_pile = tables.n_tickets
    for seat in range(tables.n_seats):
        state.trains[seat] = tables.trains_each
        state.score[seat] = tables.start_score[seat]
        state.tokens[seat] = tables.tokens_each
    state.trains[NEUTRAL_OWNER] = tables.neutral_trains
    state.neutral_in = tables.neutral_trains > 0
    state.marker = tables.marker_seat if tables.neutral_trains > 0 else NOBODY
