"""The planner's choice in every phase of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import CHOOSE_NEUTRAL, DECLINE_TUNNEL, PAY_TUNNEL, make_code, pack_cards
from ttr_analysis.engine.kernel.neutral import may_choose
from ttr_analysis.engine.layout import (
    HAND,
    KEEP,
    KEEP_START,
    LAST_LEFT,
    NEUTRAL,
    NEUTRAL_TICKET,
    PENDING,
    PENDING_COLOR,
    PHASE,
    SECOND_DRAW,
    SURCHARGE,
    TUNNEL_PHASE,
)
from ttr_analysis.policies.planner.memory import IS_PLANNED, WANTED
from ttr_analysis.policies.planner.params import DECLINE_BAR, LOCOMOTIVE_PRICE, SPARE_PRICE, WANTED_PRICE, Floats
from ttr_analysis.policies.planner.tickets import choose_tickets
from ttr_analysis.policies.planner.turn import draw_again, take_turn
from ttr_analysis.policies.planner.watch import observe
from ttr_analysis.rules.tunnel import spare_cards
from ttr_analysis.tables.games import JOKERS, NEUTRAL_A, NEUTRAL_B

Ints = npt.NDArray[np.int64]


@compiled
def choose(state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """
    Return a planner's action.

    Parameters
    ----------
    state, tables
        The game, as far as the seat can see it.
    lore
        What it knows about the map: `make_lore`.
    seat
        The seat that acts.
    params
        Its strategy: `Planner.pack`.
    memory
        `MEMORY_SIZE` cells, zeros at the start of a game but for the stream
        of chance; changed.

    Returns
    -------
    code, value
        The action: see `engine.codes`.
    """
    observe(state, tables, seat, memory)
    phase = state[PHASE]
    if phase == SECOND_DRAW:
        return draw_again(state, tables, seat, params, memory)
    if phase == TUNNEL_PHASE:
        return answer_tunnel(state, tables, seat, params, memory)
    if phase in (KEEP_START, KEEP):
        return choose_tickets(state, tables, seat, params, memory)
    if phase == NEUTRAL:
        return choose_neutral(state, tables, memory)
    return take_turn(state, tables, lore, seat, params, memory)


@compiled
def answer_tunnel(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return the payment of a surcharge with the cards missed least, or decline it if they are missed too much."""
    color = state[PENDING_COLOR]
    hand = state[HAND + seat * N_KINDS : HAND + (seat + 1) * N_KINDS]
    jokers = tables[JOKERS + state[PENDING]]
    surcharge = state[SURCHARGE]
    if spare_cards(hand, color, jokers) < surcharge:
        return DECLINE_TUNNEL, 0
    cards = np.zeros(N_KINDS, dtype=np.int64)
    price = 0.0
    for _ in range(surcharge):
        own = 1e9
        if color != LOCOMOTIVE_INDEX and hand[color] > cards[color]:
            is_wanted = hand[color] - cards[color] <= memory[WANTED + color]
            own = params[WANTED_PRICE] if is_wanted else params[SPARE_PRICE]
        joker = 1e9
        if (jokers or color == LOCOMOTIVE_INDEX) and hand[LOCOMOTIVE_INDEX] > cards[LOCOMOTIVE_INDEX]:
            joker = params[LOCOMOTIVE_PRICE]
        price += min(own, joker)
        cards[color if own <= joker else LOCOMOTIVE_INDEX] += 1
    if price > params[DECLINE_BAR] and state[LAST_LEFT] < 0:
        return DECLINE_TUNNEL, 0
    return PAY_TUNNEL, pack_cards(cards)


@compiled
def choose_neutral(state: Ints, tables: Ints, memory: Ints) -> tuple[int, int]:
    """Return the track that the neutral player takes: one that is not planned, if there is."""
    one = tables[NEUTRAL_A + state[NEUTRAL_TICKET]]
    other = tables[NEUTRAL_B + state[NEUTRAL_TICKET]]
    if other >= 0 and may_choose(state, tables, other):
        if one < 0 or memory[IS_PLANNED + one] or not may_choose(state, tables, one):
            return make_code(CHOOSE_NEUTRAL, other), 0
    return make_code(CHOOSE_NEUTRAL, one), 0
