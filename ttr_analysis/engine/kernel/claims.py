"""Claims: laying cards down, the tunnel in between, and taking the route."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_REVEALED, unpack_cards
from ttr_analysis.engine.kernel.cards import discard, make_drawable, play_cards, take_back, turn_over
from ttr_analysis.engine.layout import NOBODY, TUNNEL_PHASE, UNKNOWN_CARD, State
from ttr_analysis.rules.money import settle_toll, toll_payee
from ttr_analysis.rules.tunnel import color_played, matching_cards
from ttr_analysis.tables.games import Tables

Ints = npt.NDArray[np.int64]


@compiled
def lay_down(state: State, tables: Tables, tape: Ints, seat: int, route: int, packed: int) -> bool:
    """
    Lay cards down for a route, and turn over the cards of a tunnel.

    Returns
    -------
    is_taken
        Whether the route is taken; if not, the seat must answer a surcharge.
    """
    laid = state.laid
    unpack_cards(packed, laid)
    play_cards(state, seat, laid)
    if tables.tunnel[route] and _surcharge(state, tables, tape) > 0:
        state.pending = route
        state.phase = TUNNEL_PHASE
        return False
    take_route(state, tables, tape, seat, route)
    return True


@compiled
def _surcharge(state: State, tables: Tables, tape: Ints) -> int:
    """Turn over the cards of a tunnel, discard them, and return how many match."""
    color = color_played(state.laid)
    revealed = state.revealed
    for kind in range(N_KINDS):
        revealed[kind] = 0
    for _ in range(tables.n_revealed):
        if make_drawable(state, tables, tape):
            kind = turn_over(state, tables, tape, CARD_REVEALED)
            if kind != UNKNOWN_CARD:
                revealed[kind] += 1
    discard(state, tables, tape, revealed)
    state.pending_color = color
    state.surcharge = matching_cards(revealed, color)
    return int(state.surcharge)


@compiled
def pay_surcharge(state: State, tables: Tables, tape: Ints, seat: int, packed: int) -> None:
    """Pay what the tunnel demands, and take it."""
    cards = state.paid
    unpack_cards(packed, cards)
    play_cards(state, seat, cards)
    discard(state, tables, tape, cards)
    take_route(state, tables, tape, seat, state.pending)


@compiled
def decline_tunnel(state: State, seat: int) -> None:
    """Take the cards laid down back."""
    laid = state.laid
    take_back(state, seat, laid)
    _end_attempt(state)


@compiled
def take_route(state: State, tables: Tables, tape: Ints, seat: int, route: int) -> None:
    """Give a route to a seat whose cards are laid down: discards, trains, points, toll."""
    discard(state, tables, tape, state.laid)
    _end_attempt(state)
    state.score[seat] += tables.points[route]
    if tables.tokens_each > 0:
        twin = tables.twin[route]
        payee = toll_payee(NOBODY if twin < 0 else state.owner[twin], tables.n_seats, tables.pays_owner)
        tokens = state.tokens
        settle_toll(tokens, state.loans, seat, payee, tables.toll[route])
    mark_owner(state, tables, seat, route)


@compiled
def mark_owner(state: State, tables: Tables, owner: int, route: int) -> None:
    """Put the trains of a seat, or of the neutral player, on a route."""
    state.owner[route] = owner
    state.trains[owner] -= tables.length[route]
    state.claimed[state.n_claims] = route
    state.n_claims += 1


@compiled
def _end_attempt(state: State) -> None:
    for kind in range(N_KINDS):
        state.laid[kind] = 0
    state.pending = NOBODY
    state.surcharge = 0
