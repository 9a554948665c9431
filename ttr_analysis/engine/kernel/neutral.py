"""The neutral player: its phase after a round, its marker, its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.engine.codes import NEUTRAL_TICKET as NEUTRAL_TICKET_EVENT
from ttr_analysis.engine.kernel.claims import mark_owner
from ttr_analysis.engine.kernel.tickets import discard_ticket, find_ticket_pile, next_ticket
from ttr_analysis.engine.layout import (
    MARKER,
    NEUTRAL,
    NEUTRAL_IN,
    NEUTRAL_OWNER,
    NEUTRAL_TICKET,
    NOBODY,
    OWNER,
    PHASE,
    SEAT,
    TOKENS,
    TRAINS,
    UNKNOWN_TICKET,
)
from ttr_analysis.rules.money import BANK, toll_payee, transfer
from ttr_analysis.tables.games import LENGTH, MAX_SEATS, N_SEATS, NEUTRAL_A, NEUTRAL_B, PAYS_OWNER, TOKENS_EACH, TOLL

Ints = npt.NDArray[np.int64]


@lean
def play_neutral(state: Ints, tables: Ints, tape: Ints) -> None:
    """
    Play the neutral player's phase.

    If the holder of the marker must choose between two tracks, the phase
    stops there: that seat acts next.
    """
    state[NEUTRAL_TICKET] = NOBODY
    find_ticket_pile(state, tables, tape)
    if not state[NEUTRAL_IN]:
        return
    ticket = next_ticket(state, tape, NEUTRAL_TICKET_EVENT)
    discard_ticket(state, ticket)
    state[NEUTRAL_TICKET] = ticket
    if ticket == UNKNOWN_TICKET:
        return
    a = tables[NEUTRAL_A + ticket]
    b = tables[NEUTRAL_B + ticket]
    if a < 0:
        return
    owner_a = state[OWNER + a]
    owner_b = NOBODY if b < 0 else state[OWNER + b]
    if NEUTRAL_OWNER in (owner_a, owner_b):
        return
    n_free = int(owner_a == NOBODY) + int(b >= 0 and owner_b == NOBODY)
    n_tracks = 1 + int(b >= 0)
    if n_free == n_tracks:
        if may_choose(state, tables, a) or may_choose(state, tables, b):
            state[PHASE] = NEUTRAL
            state[SEAT] = state[MARKER]
        else:
            state[NEUTRAL_IN] = 0
    elif n_free == 1:
        _take_other(state, tables, a if owner_a == NOBODY else b, owner_b if owner_a == NOBODY else owner_a)


@lean
def may_choose(state: Ints, tables: Ints, route: int) -> bool:
    """Return whether the neutral player can take a track (-1: there is none)."""
    return route >= 0 and state[OWNER + route] == NOBODY and tables[LENGTH + route] <= state[TRAINS + NEUTRAL_OWNER]


@lean
def _take_other(state: Ints, tables: Ints, route: int, player: int) -> None:
    """Take the track beside a player's; the bank pays the toll to whom a second track pays it."""
    if not may_choose(state, tables, route):
        state[NEUTRAL_IN] = 0
        return
    mark_owner(state, tables, NEUTRAL_OWNER, route)
    if tables[TOKENS_EACH] > 0:
        payee = toll_payee(player, tables[N_SEATS], tables[PAYS_OWNER])
        transfer(state[TOKENS : TOKENS + MAX_SEATS], BANK, payee, tables[TOLL + route])


@lean
def choose_neutral(state: Ints, tables: Ints, route: int) -> None:
    """Let the neutral player take the track that the holder of the marker chose; the marker goes on."""
    mark_owner(state, tables, NEUTRAL_OWNER, route)
    state[MARKER] = (state[MARKER] + 1) % tables[N_SEATS]
