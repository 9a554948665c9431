"""A planner's turn: claim, draw cards, or draw tickets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_CARD, DRAW_FACE_UP, DRAW_TICKETS, PASS, make_code
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.legal import NONE, route_fault
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.layout import (
    LAST_LEFT,
    MARKET,
    N_TAKEN,
    NOBODY,
    TRAINS,
)
from ttr_analysis.policies.planner.demand import (
    card_value,
    judge_others,
    judge_plan,
    planned_trains,
    want_cards,
)
from ttr_analysis.policies.planner.memory import GAIN_PLANNED, IS_STALE, LEFT_PLANNED, N_PLANNED, PLAN
from ttr_analysis.policies.planner.params import (
    EXTRA_BAR,
    PLAN_BAR,
    TICKET_BAR,
    TICKET_TRAINS,
    TICKET_TURNS,
    TUNNEL_ODDS,
    Floats,
)
from ttr_analysis.policies.planner.pay import Form, cards_of_form, find_form, tunnel_odds, unseen_cards
from ttr_analysis.policies.planner.prospects import expected_tickets
from ttr_analysis.policies.planner.tickets import make_plan
from ttr_analysis.policies.planner.watch import turns_left
from ttr_analysis.tables.games import (
    DRAWS,
    LOCOMOTIVE_COST,
    MARKET_SIZE,
    MAX_ROUTES,
    N_ROUTES,
    PLAIN,
    POINTS,
)

Ints = npt.NDArray[np.int64]


@compiled
def take_turn(state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return the action of a turn."""
    left = turns_left(state, tables, seat, params)
    refresh_plan(state, tables, seat, params, memory, left)
    free = np.empty(N_KINDS + 2, dtype=np.int64)
    value = np.zeros(2 * N_KINDS, dtype=np.float64)
    ready = np.empty(2 * MAX_ROUTES, dtype=np.float64)
    want_cards(state, tables, seat, memory, free)
    n_trains = state[TRAINS + seat] - planned_trains(tables, memory)
    share = plan_share(memory)
    judge_plan(state, tables, seat, memory, free, share, left, value)
    n_ready = judge_others(state, tables, seat, params, memory, free, n_trains, left, value, ready)
    draw, rate = best_draw(state, tables, seat, params, value)
    best = 0.0
    code = -1
    cards = 0
    for i in range(memory[N_PLANNED]):
        route = memory[PLAN + i]
        form = find_form(state, tables, seat, params, memory, route, tables[PLAIN + route])
        if form.price < 0.0:
            continue
        worth = share + tables[POINTS + route] - form.price
        if worth > max(best, 2.0 * params[PLAN_BAR] * rate) and may_attempt(state, tables, seat, params, route, form):
            best = worth
            code = make_code(CLAIM_ROUTE, route)
            cards = cards_of_form(state, tables, seat, memory, route, form)
    if code < 0 and wants_tickets(state, tables, lore, seat, params, memory, n_trains, left):
        return DRAW_TICKETS, 0
    if code < 0:
        for i in range(n_ready):
            route = int(ready[2 * i])
            form = find_form(state, tables, seat, params, memory, route, 0)
            if form.price < 0.0:
                continue
            worth = ready[2 * i + 1] - form.price
            if worth > max(best, 2.0 * params[EXTRA_BAR] * rate) and may_attempt(
                state, tables, seat, params, route, form
            ):
                best = worth
                code = make_code(CLAIM_ROUTE, route)
                cards = cards_of_form(state, tables, seat, memory, route, form)
    if code >= 0:
        return code, cards
    if draw >= 0:
        return draw, 0
    return last_resort(state, tables, seat, params, memory)


@compiled
def may_attempt(state: Ints, tables: Ints, seat: int, params: Floats, route: int, form: Form) -> bool:
    """Return whether a tunnel may be attempted; any other route may."""
    odds = tunnel_odds(state, tables, seat, route, form)
    return bool(odds >= params[TUNNEL_ODDS] or (state[LAST_LEFT] >= 0 and odds > 0.0))


@compiled
def plan_share(memory: Ints) -> float:
    """Return what each route of the plan adds to the tickets."""
    return float(memory[GAIN_PLANNED] / max(1, memory[N_PLANNED]))


@compiled
def refresh_plan(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints, left: float) -> None:
    """Plan again if something changed, or if the time runs out."""
    if memory[N_PLANNED] > 0 and left < 8.0 and int(left) < memory[LEFT_PLANNED]:
        memory[IS_STALE] = 1
    if memory[IS_STALE]:
        make_plan(state, tables, seat, params, memory, left)


@compiled
def best_draw(state: Ints, tables: Ints, seat: int, params: Floats, value: Floats) -> tuple[int, float]:
    """Return the best draw, -1 if there is none, and what the card is worth."""
    total = 0
    blind = 0.0
    for kind in range(N_KINDS):
        n = unseen_cards(state, seat, kind)
        total += n
        blind += n * card_value(params, value, kind)
    code = -1
    best = -1.0
    if has_cards(state):
        code = DRAW_CARD
        best = blind / max(1, total)
    second = best
    for slot in range(tables[MARKET_SIZE]):
        kind = state[MARKET + slot]
        if kind == NOBODY or kind == LOCOMOTIVE_INDEX or not may_take(state, tables, slot):
            continue
        worth = card_value(params, value, kind)
        if worth > best:
            second = best
            best = worth
            code = make_code(DRAW_FACE_UP, slot)
        else:
            second = max(second, worth)
    for slot in range(tables[MARKET_SIZE]):
        if state[MARKET + slot] == LOCOMOTIVE_INDEX and may_take(state, tables, slot):
            worth = card_value(params, value, LOCOMOTIVE_INDEX)
            uses_up = tables[LOCOMOTIVE_COST] > 1 and state[N_TAKEN] + 1 < tables[DRAWS]
            if uses_up and worth > best + max(second, 0.0):
                return make_code(DRAW_FACE_UP, slot), worth
            if not uses_up and (tables[LOCOMOTIVE_COST] == 1 or state[N_TAKEN] == 0) and worth > best:
                best = worth
                code = make_code(DRAW_FACE_UP, slot)
    return code, max(best, 0.0)


@compiled
def draw_again(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return the action of drawing a further card."""
    left = max(1.0, turns_left(state, tables, seat, params) - 1.0)
    free = np.empty(N_KINDS + 2, dtype=np.int64)
    value = np.zeros(2 * N_KINDS, dtype=np.float64)
    ready = np.empty(2 * MAX_ROUTES, dtype=np.float64)
    want_cards(state, tables, seat, memory, free)
    n_trains = state[TRAINS + seat] - planned_trains(tables, memory)
    judge_plan(state, tables, seat, memory, free, plan_share(memory), left, value)
    judge_others(state, tables, seat, params, memory, free, n_trains, left, value, ready)
    code, _ = best_draw(state, tables, seat, params, value)
    return code, 0


@compiled
def wants_tickets(
    state: Ints,
    tables: Ints,
    lore: Ints,
    seat: int,
    params: Floats,
    memory: Ints,
    n_trains: int,
    left: float,
) -> bool:
    """Return whether more tickets are worth a turn."""
    if not has_tickets(state) or n_trains < params[TICKET_TRAINS] or left < params[TICKET_TURNS]:
        return False
    return bool(expected_tickets(state, tables, lore, seat, params, memory, n_trains, left) >= params[TICKET_BAR])


@compiled
def last_resort(state: Ints, tables: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return an action when nothing is worth anything and no card can be drawn: a claim, tickets, or a pass."""
    for route in range(tables[N_ROUTES]):
        if route_fault(state, tables, seat, route) == NONE:
            form = find_form(state, tables, seat, params, memory, route, 0)
            if form.price >= 0.0:
                return make_code(CLAIM_ROUTE, route), cards_of_form(state, tables, seat, memory, route, form)
    if has_tickets(state):
        return DRAW_TICKETS, 0
    return PASS, 0
