"""The planner's choice in every phase of a game."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import (
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    NONE,
    PAY_TUNNEL,
    argument_of,
    make_action,
    pack_cards,
)
from ttr_analysis.engine.kernel.cards import can_draw, has_cards, may_take
from ttr_analysis.engine.kernel.claims import route_fault
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.kernel.turns import may_choose
from ttr_analysis.engine.layout import KEEP, KEEP_START, NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.policies._common import station_or_pass
from ttr_analysis.policies.planner.card_value import (
    SUM,
    cards_of_form,
    find_form,
    judge_routes,
    tunnel_odds,
    unseen_cards,
    want_cards,
)
from ttr_analysis.policies.planner.knowledge import Memory, Params
from ttr_analysis.policies.planner.last_turn import is_last_turn, score_last
from ttr_analysis.policies.planner.observation import observe, turns_left
from ttr_analysis.policies.planner.stations import NO_ROUTE, NO_STATION, saving_station
from ttr_analysis.policies.planner.tickets import consider_tickets, expected_tickets, foresee_draw
from ttr_analysis.rules.tunnel import spare_cards
from ttr_analysis.tables import MAX_ROUTES, Tables

_SOON: Final = 8.0
"""Turns left from which the plan is looked at again every turn."""


@quickly_compiled
def choose(state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """
    Return a planner's action.

    Parameters
    ----------
    state, tables
        The game, as far as the seat can see it.
    lore
        What it knows about the map: `planner_lore`.
    seat
        The seat that acts.
    params
        Its strategy: the numbers of `Params`.
    memory
        The cells of `Memory`, zeros at the start of a game but for the
        stream of chance; changed.

    Returns
    -------
    code, value
        The action: see `engine.codes`.
    """
    return decide(state, tables, lore, seat, Params(params[: Params.n_cells]), Memory(memory[: Memory.n_cells]))


@compiled
def decide(state: State, tables: Tables, lore: Ints, seat: int, params: Params, memory: Memory) -> tuple[int, int]:
    """Return a planner's action."""
    phase = state.phase
    if phase == TUNNEL_PHASE:
        return answer_tunnel(state, tables, seat, params, memory)
    observe(state, tables, seat, memory)
    if phase == NEUTRAL:
        return choose_neutral(state, tables, memory)
    if phase == TURN and is_last_turn(state, tables, params):
        code, value = score_last(state, tables, seat, params, memory)
        if code >= 0:
            return code, value
    is_offer = phase in (KEEP_START, KEEP)
    left = turns_left(state, tables, seat, params)
    if phase in (SECOND_DRAW, KEEP):
        left = max(1.0, left - 1.0)
    if memory.n_planned > 0 and left < _SOON and int(left) < memory.left_planned:
        memory.is_stale = 1
    if is_offer or memory.is_stale:
        kept = consider_tickets(state, tables, seat, params, memory, left)
        if is_offer:
            return KEEP_TICKETS, kept
    return take_turn(state, tables, lore, seat, params, memory, left)


@compiled
def take_turn(
    state: State, tables: Tables, lore: Ints, seat: int, params: Params, memory: Memory, left: float
) -> tuple[int, int]:
    """Return the action of a turn, or the second draw of one: a claim, a card, tickets, or a station."""
    free = memory.free
    value = np.empty(4 * MAX_ROUTES + 2 * N_KINDS, dtype=np.float64)
    ready = value[2 * N_KINDS :]
    n_trains = want_cards(state, tables, seat, memory, free)
    is_stuck = not can_draw(state, tables)
    if is_stuck:
        n_trains = state.trains[seat]  # none are saved for a plan that cannot be paid any more
    n_ready = judge_routes(state, tables, lore, seat, params, memory, free, n_trains, left, is_stuck, value, ready)
    draw, rate = best_draw(state, tables, seat, params, value)
    if state.phase == SECOND_DRAW:
        return draw, 0
    if is_last_turn(state, tables, params) and not is_stuck:
        n_ready = 0  # no claim adds to the score
    code, cards = best_claim(state, tables, seat, params, memory, left, is_stuck, rate, ready[: 2 * n_ready])
    if state.stations[seat] > 0 and left < _SOON:
        claim = argument_of(code) if code >= 0 else NO_ROUTE
        station, paid = saving_station(state, tables, seat, params, memory, left, claim)
        if station != NO_STATION:
            return station, paid
    if code >= 0 and memory.is_planned[argument_of(code)]:
        return code, cards
    if has_tickets(state) and n_trains >= params.ticket_trains and left >= params.ticket_turns:
        if params.foresight > 0.0:
            gain = foresee_draw(state, tables, seat, params, memory, left)
        else:
            gain = expected_tickets(state, tables, lore, seat, params, memory, n_trains, left) - params.ticket_bar
        if gain >= 0.0:
            return DRAW_TICKETS, 0
    if code >= 0:
        return code, cards
    if draw >= 0:
        return draw, 0
    return (DRAW_TICKETS, 0) if has_tickets(state) else station_or_pass(state, tables, seat)


@compiled
def best_claim(
    state: State,
    tables: Tables,
    seat: int,
    params: Params,
    memory: Memory,
    left: float,
    is_stuck: bool,
    rate: float,
    ready: Floats,
) -> tuple[int, int]:
    """
    Return the best claim of the plan, or else of other routes, and its cards; -1 if none is good enough.

    Parameters
    ----------
    left
        Turns left in the game.
    is_stuck
        Whether no card can be drawn: then any claim will do.
    rate
        What the card of a draw is worth.
    ready
        Routes and what they are worth, as `judge_routes` fills it in.
    """
    best = 0.0
    code = -1
    cards = 0
    missed = min(1.0, (left - 1.0) / params.late_cards) if params.late_cards > 0.0 else 1.0
    for i in range(len(ready) // 2):
        route = int(ready[2 * i])
        is_plan = memory.is_planned[route]
        if code >= 0 and not is_plan and (params.care <= 0.0 or memory.is_planned[argument_of(code)]):
            break  # routes of the plan stand first
        bar = max(best, 2.0 * (params.plan_bar if is_plan else params.extra_bar) * rate)
        if ready[2 * i + 1] <= bar and not (is_stuck and code < 0):
            continue
        form = find_form(state, tables, seat, params, memory, route)
        worth = ready[2 * i + 1] - missed * form.price
        if form.price < 0.0 or not (worth > bar or (is_stuck and code < 0)):
            continue
        odds = tunnel_odds(state, tables, seat, route, form.color, form.own, form.locomotives)
        if odds < params.tunnel_odds and not is_stuck and not (state.last_left >= 0 and odds > 0.0):
            continue
        if route_fault(state, tables, seat, route) == NONE:
            best = worth
            code = make_action(CLAIM_ROUTE, route)
            cards = cards_of_form(state, tables, seat, memory, route, form)
    return code, cards


@compiled
def best_draw(state: State, tables: Tables, seat: int, params: Params, value: Floats) -> tuple[int, float]:
    """
    Return the best draw, -1 if there is none, and what its card is worth.

    Parameters
    ----------
    value
        What cards are worth, as `judge_routes` fills it in; changed to one
        number a kind.
    """
    total = 0
    blind = 0.0
    for kind in range(N_KINDS):
        value[kind] += params.breadth * (value[SUM + kind] - value[kind])
        n = unseen_cards(state, seat, kind)
        total += n
        blind += n * value[kind]
    code = -1
    best = -1.0
    second = 0.0
    if has_cards(state):
        code = DRAW_CARD
        best = second = blind / max(1, total)
    locomotive = -1
    for slot in range(tables.market_size):
        kind = state.market[slot]
        if not may_take(state, tables, slot):
            continue
        if kind == LOCOMOTIVE_INDEX and tables.locomotive_cost > 1 and state.n_taken + 1 < tables.draws:
            locomotive = slot
        elif value[kind] > best:
            second = best
            best = value[kind]
            code = make_action(DRAW_FACE_UP, slot)
        else:
            second = max(second, value[kind])
    if locomotive >= 0 and (code < 0 or value[LOCOMOTIVE_INDEX] > best + second):
        return make_action(DRAW_FACE_UP, locomotive), max(best, 0.0)
    return code, max(best, 0.0)


@compiled
def answer_tunnel(state: State, tables: Tables, seat: int, params: Params, memory: Memory) -> tuple[int, int]:
    """Return the payment of a surcharge with the cards missed least, or decline it if they are missed too much."""
    color = state.pending_color
    hand = state.hand[seat]
    jokers = tables.jokers[state.pending]
    surcharge = state.surcharge
    if spare_cards(hand, color, jokers) < surcharge:
        return DECLINE_TUNNEL, 0
    cards = memory.cards[:N_KINDS]
    for kind in range(N_KINDS):
        cards[kind] = 0
    price = 0.0
    for _ in range(surcharge):
        takes_color = color != LOCOMOTIVE_INDEX and hand[color] > cards[color]
        takes_joker = (jokers or color == LOCOMOTIVE_INDEX) and hand[LOCOMOTIVE_INDEX] > cards[LOCOMOTIVE_INDEX]
        is_wanted = hand[color] - cards[color] <= memory.wanted[color]
        own = params.wanted_price if is_wanted else params.spare_price
        if takes_color and (own <= params.locomotive_price or not takes_joker):
            cards[color] += 1
            price += own
        else:
            cards[LOCOMOTIVE_INDEX] += 1
            price += params.locomotive_price
    if price > params.decline_bar and state.last_left < 0:
        return DECLINE_TUNNEL, 0
    return PAY_TUNNEL, pack_cards(cards)


@compiled
def choose_neutral(state: State, tables: Tables, memory: Memory) -> tuple[int, int]:
    """Return the track that the neutral player takes: one that is not planned, if there is."""
    one = tables.neutral_a[state.neutral_ticket]
    other = tables.neutral_b[state.neutral_ticket]
    takes_other = one < 0 or memory.is_planned[one] or not may_choose(state, tables, one)
    if takes_other and may_choose(state, tables, other):
        return make_action(CHOOSE_NEUTRAL, other), 0
    return make_action(CHOOSE_NEUTRAL, one), 0
