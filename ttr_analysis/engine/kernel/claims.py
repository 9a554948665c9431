"""Claims: laying cards down, the tunnel in between, and taking the route."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_REVEALED, unpack_cards
from ttr_analysis.engine.kernel.cards import discard, make_drawable, play_cards, take_back, turn_over
from ttr_analysis.engine.layout import (
    CLAIMED,
    LAID,
    LOANS,
    N_CLAIMS,
    NOBODY,
    OWNER,
    PAID,
    PENDING,
    PENDING_COLOR,
    PHASE,
    REVEALED,
    SCORE,
    SURCHARGE,
    TOKENS,
    TRAINS,
    TUNNEL_PHASE,
    UNKNOWN_CARD,
)
from ttr_analysis.rules.money import settle_toll, toll_payee
from ttr_analysis.rules.tunnel import color_played, matching_cards
from ttr_analysis.tables.games import (
    LENGTH,
    MAX_SEATS,
    N_REVEALED,
    N_SEATS,
    PAYS_OWNER,
    POINTS,
    TOKENS_EACH,
    TOLL,
    TUNNEL,
    TWIN,
)

Ints = npt.NDArray[np.int64]


@lean
def lay_down(state: Ints, tables: Ints, tape: Ints, seat: int, route: int, packed: int) -> bool:
    """
    Lay cards down for a route, and turn over the cards of a tunnel.

    Returns
    -------
    is_taken
        Whether the route is taken; if not, the seat must answer a surcharge.
    """
    laid = state[LAID : LAID + N_KINDS]
    unpack_cards(packed, laid)
    play_cards(state, seat, laid)
    if tables[TUNNEL + route] and _surcharge(state, tables, tape) > 0:
        state[PENDING] = route
        state[PHASE] = TUNNEL_PHASE
        return False
    take_route(state, tables, tape, seat, route)
    return True


@lean
def _surcharge(state: Ints, tables: Ints, tape: Ints) -> int:
    """Turn over the cards of a tunnel, discard them, and return how many match."""
    color = color_played(state[LAID : LAID + N_KINDS])
    revealed = state[REVEALED : REVEALED + N_KINDS]
    for kind in range(N_KINDS):
        revealed[kind] = 0
    for _ in range(tables[N_REVEALED]):
        if make_drawable(state, tables, tape):
            kind = turn_over(state, tables, tape, CARD_REVEALED)
            if kind != UNKNOWN_CARD:
                revealed[kind] += 1
    discard(state, tables, tape, revealed)
    state[PENDING_COLOR] = color
    state[SURCHARGE] = matching_cards(revealed, color)
    return int(state[SURCHARGE])


@lean
def pay_surcharge(state: Ints, tables: Ints, tape: Ints, seat: int, packed: int) -> None:
    """Pay what the tunnel demands, and take it."""
    cards = state[PAID : PAID + N_KINDS]
    unpack_cards(packed, cards)
    play_cards(state, seat, cards)
    discard(state, tables, tape, cards)
    take_route(state, tables, tape, seat, state[PENDING])


@lean
def decline_tunnel(state: Ints, seat: int) -> None:
    """Take the cards laid down back."""
    laid = state[LAID : LAID + N_KINDS]
    take_back(state, seat, laid)
    _end_attempt(state)


@lean
def take_route(state: Ints, tables: Ints, tape: Ints, seat: int, route: int) -> None:
    """Give a route to a seat whose cards are laid down: discards, trains, points, toll."""
    discard(state, tables, tape, state[LAID : LAID + N_KINDS])
    _end_attempt(state)
    state[SCORE + seat] += tables[POINTS + route]
    if tables[TOKENS_EACH] > 0:
        twin = tables[TWIN + route]
        payee = toll_payee(NOBODY if twin < 0 else state[OWNER + twin], tables[N_SEATS], tables[PAYS_OWNER])
        tokens = state[TOKENS : TOKENS + MAX_SEATS]
        settle_toll(tokens, state[LOANS : LOANS + MAX_SEATS], seat, payee, tables[TOLL + route])
    mark_owner(state, tables, seat, route)


@lean
def mark_owner(state: Ints, tables: Ints, owner: int, route: int) -> None:
    """Put the trains of a seat, or of the neutral player, on a route."""
    state[OWNER + route] = owner
    state[TRAINS + owner] -= tables[LENGTH + route]
    state[CLAIMED + state[N_CLAIMS]] = route
    state[N_CLAIMS] += 1


@lean
def _end_attempt(state: Ints) -> None:
    for kind in range(N_KINDS):
        state[LAID + kind] = 0
    state[PENDING] = NOBODY
    state[SURCHARGE] = 0
