"""One step of a game: a legal action, and all that follows until a seat must decide again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.engine.codes import (
    CARD_DRAWN,
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    PASS,
    PAY_TUNNEL,
    argument_of,
    kind_of,
    make_event,
)
from ttr_analysis.engine.kernel.cards import can_draw, draw_unseen, make_drawable, take_face_up
from ttr_analysis.engine.kernel.claims import decline_tunnel, lay_down, pay_surcharge
from ttr_analysis.engine.kernel.neutral import choose_neutral
from ttr_analysis.engine.kernel.tape import write_event
from ttr_analysis.engine.kernel.tickets import keep_tickets, offer_tickets
from ttr_analysis.engine.kernel.turns import end_turn, go_on
from ttr_analysis.engine.layout import KEEP, KEEP_START, SECOND_DRAW, TURN, State
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def step(state: State, tables: Tables, code: int, value: int, tape: Ints) -> None:
    """
    Apply a legal action of the seat that acts.

    Parameters
    ----------
    state
        Changed in place.
    tables
        The map, its rules and the number of players.
    code, value
        The action: see `engine.codes`.
    tape
        Script of outcomes, and where events are written.
    """
    seat = state.seat
    kind = kind_of(code)
    write_event(tape, make_event(kind, seat, argument_of(code)), value)
    if kind == PASS:
        state.n_passes += 1
    elif kind != CHOOSE_NEUTRAL:  # which is no part of a turn
        state.n_passes = 0
    if kind == DRAW_CARD:
        make_drawable(state, tables, tape)
        draw_unseen(state, tables, tape, seat, make_event(CARD_DRAWN, seat))
        _after_draw(state, tables, tape, 1)
    elif kind == DRAW_FACE_UP:
        _after_draw(state, tables, tape, take_face_up(state, tables, tape, seat, argument_of(code)))
    elif kind == CLAIM_ROUTE:
        if lay_down(state, tables, tape, seat, argument_of(code), value):
            end_turn(state, tables, tape)
    elif kind == PAY_TUNNEL:
        pay_surcharge(state, tables, tape, seat, value)
        end_turn(state, tables, tape)
    elif kind == DECLINE_TUNNEL:
        decline_tunnel(state, seat)
        end_turn(state, tables, tape)
    elif kind == DRAW_TICKETS:
        offer_tickets(state, tables, tape, seat, tables.ticket_draw)
        state.phase = KEEP
    elif kind == KEEP_TICKETS:
        _keep(state, tables, tape, seat, value)
    elif kind == CHOOSE_NEUTRAL:
        choose_neutral(state, tables, argument_of(code))
        go_on(state)
    else:
        end_turn(state, tables, tape)


@compiled
def _after_draw(state: State, tables: Tables, tape: Ints, cost: int) -> None:
    """Count the draws of a turn; a further card that cannot be had is skipped."""
    state.n_taken += cost
    if state.n_taken < tables.draws and can_draw(state, tables):
        state.phase = SECOND_DRAW
    else:
        end_turn(state, tables, tape)


@compiled
def _keep(state: State, tables: Tables, tape: Ints, seat: int, kept: int) -> None:
    """Keep tickets; at the start the next seat chooses, and seat 0 begins when all have chosen."""
    keep_tickets(state, tables, seat, kept)
    if state.phase != KEEP_START:
        end_turn(state, tables, tape)
    elif seat + 1 < tables.n_seats:
        state.seat = seat + 1
    else:
        state.seat = state.turn_seat = 0
        state.phase = TURN
