"""The neutral player: its phase after a round, its marker, its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.engine.codes import NEUTRAL_TICKET as NEUTRAL_TICKET_EVENT
from ttr_analysis.engine.kernel.claims import mark_owner
from ttr_analysis.engine.kernel.tickets import discard_ticket, find_ticket_pile, next_ticket
from ttr_analysis.engine.layout import NEUTRAL, NEUTRAL_OWNER, NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.rules.money import BANK, toll_payee, transfer
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def play_neutral(state: State, tables: Tables, tape: Ints) -> None:
    """
    Play the neutral player's phase.

    If the holder of the marker must choose between two tracks, the phase
    stops there: that seat acts next.
    """
    state.neutral_ticket = NOBODY
    find_ticket_pile(state, tables, tape)
    if not state.neutral_in:
        return
    ticket = next_ticket(state, tape, NEUTRAL_TICKET_EVENT)
    discard_ticket(state, ticket)
    state.neutral_ticket = ticket
    if ticket == UNKNOWN_TICKET:
        return
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if a < 0:
        return
    owner_a = state.owner[a]
    owner_b = NOBODY if b < 0 else state.owner[b]
    if NEUTRAL_OWNER in (owner_a, owner_b):
        return
    n_free = int(owner_a == NOBODY) + int(b >= 0 and owner_b == NOBODY)
    n_tracks = 1 + int(b >= 0)
    if n_free == n_tracks:
        if may_choose(state, tables, a) or may_choose(state, tables, b):
            state.phase = NEUTRAL
            state.seat = state.marker
        else:
            state.neutral_in = 0
    elif n_free == 1:
        _take_other(state, tables, a if owner_a == NOBODY else b, owner_b if owner_a == NOBODY else owner_a)


@compiled
def may_choose(state: State, tables: Tables, route: int) -> bool:
    """Return whether the neutral player can take a track (-1: there is none)."""
    return route >= 0 and state.owner[route] == NOBODY and tables.length[route] <= state.trains[NEUTRAL_OWNER]


@compiled
def _take_other(state: State, tables: Tables, route: int, player: int) -> None:
    """Take the track beside a player's; the bank pays the toll to whom a second track pays it."""
    if not may_choose(state, tables, route):
        state.neutral_in = 0
        return
    mark_owner(state, tables, NEUTRAL_OWNER, route)
    if tables.tokens_each > 0:
        payee = toll_payee(player, tables.n_seats, tables.pays_owner)
        transfer(state.tokens, BANK, payee, tables.toll[route])
