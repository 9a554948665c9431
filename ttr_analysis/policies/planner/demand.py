"""What the routes that a planner wants ask of its hand: missing cards, and what a card of each kind is worth."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.layout import HAND, NOBODY, OWNER, TRAINS
from ttr_analysis.policies.planner.memory import IS_PLANNED, LABEL, N_PLANNED, PLAN, WANTED
from ttr_analysis.policies.planner.params import BREADTH, EXTRA_TRAIN_PRICE, TRAIL_WEIGHT, Floats
from ttr_analysis.policies.planner.watch import is_open, token_terms, toll_cost
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.tables.games import (
    BONUS,
    BONUS_CELLS,
    CITY_A,
    CITY_B,
    COLOR,
    JOKERS,
    LENGTH,
    MEASURE_TRAIL,
    N_BONUSES,
    N_ROUTES,
    PLAIN,
    POINTS,
    SWAP_ANY,
    SWAP_SIZE,
    SYMBOLS,
    TOKENS_EACH,
    TOLL,
    TUNNEL,
    TWIN,
)

Ints = npt.NDArray[np.int64]

SPARE: Final = N_KINDS
"""In `free`: how many of the colored cards nothing wants."""
TOP: Final = N_KINDS + 1
"""In `free`: the color of which most cards are free."""
SUM: Final = N_KINDS
"""In `value`: where the sums over routes begin, behind the highest value of one route."""


@compiled
def planned_trains(tables: Ints, memory: Ints) -> int:
    """Return the trains that the plan takes yet."""
    total = 0
    for i in range(memory[N_PLANNED]):
        total += tables[LENGTH + memory[PLAN + i]]
    return total


@compiled
def want_cards(state: Ints, tables: Ints, seat: int, memory: Ints, free: Ints) -> None:
    """
    Fill in the cards that the plan wants, and those of the hand that are free of it.

    Of a double route the track is planned of whose color more is missed least.
    """
    hand = HAND + seat * N_KINDS
    for kind in range(N_KINDS):
        memory[WANTED + kind] = 0
    for i in range(memory[N_PLANNED]):
        route = memory[PLAN + i]
        twin = tables[TWIN + route]
        if twin >= 0 and _suits_better(state, tables, seat, memory, hand, twin, route):
            memory[PLAN + i] = twin
            memory[IS_PLANNED + route] = 0
            memory[IS_PLANNED + twin] = 1
            route = twin
        if tables[COLOR + route] != GRAY_INDEX:
            memory[WANTED + tables[COLOR + route]] += tables[PLAIN + route]
        memory[WANTED + LOCOMOTIVE_INDEX] += tables[SYMBOLS + route]
    free[SPARE] = 0
    free[TOP] = 0
    for c in range(N_COLORS):
        free[c] = max(0, state[hand + c] - memory[WANTED + c])
        free[SPARE] += free[c]
        if free[c] > free[free[TOP]]:
            free[TOP] = c
    free[LOCOMOTIVE_INDEX] = state[hand + LOCOMOTIVE_INDEX]


@compiled
def _suits_better(state: Ints, tables: Ints, seat: int, memory: Ints, hand: int, one: int, other: int) -> bool:
    """Return whether a free track wants fewer cards that are not in the hand than its twin."""
    if not is_open(state, tables, seat, one) or tables[LENGTH + one] > state[TRAINS + seat]:
        return False
    return _rough_need(state, tables, memory, hand, one) < _rough_need(state, tables, memory, hand, other)


@compiled
def _rough_need(state: Ints, tables: Ints, memory: Ints, hand: int, route: int) -> int:
    """Return roughly how many cards of a hand a route wants, in quarters; a toll counts a little."""
    color = tables[COLOR + route]
    need = tables[PLAIN + route] * 4
    if color == GRAY_INDEX:
        need -= 6
    else:
        need -= 4 * min(tables[PLAIN + route], max(0, state[hand + color] - memory[WANTED + color]))
    return int(need + 6 * tables[SYMBOLS + route] + 3 * tables[TUNNEL + route] + tables[TOLL + route])


@compiled
def judge_color(
    tables: Ints,
    route: int,
    color: int,
    own: int,
    free: Ints,
    worth: float,
    left: float,
    value: Floats,
) -> float:
    """
    Note what cards are worth for one route, paid in one color.

    A route is worth more the fewer draws it wants yet: its points, shared out
    over the draws and the turn of claiming, which counts as two.

    Returns
    -------
    missing
        Cards that are missing: draws that it takes at least.
    """
    symbols = tables[SYMBOLS + route]
    locomotives = free[LOCOMOTIVE_INDEX]
    no_symbols = max(0, symbols - locomotives)
    no_color = max(0, tables[PLAIN + route] + tables[TUNNEL + route] - own)
    jokers = tables[JOKERS + route]
    if jokers:
        no_color = max(0, no_color - max(0, locomotives - symbols))
    missing = float(no_symbols + no_color)
    size = tables[SWAP_SIZE + route]
    if size > 0 and missing > 0.0:
        spare = free[SPARE] - min(own, free[color])
        missing = max(1.0, missing - min(missing if tables[SWAP_ANY + route] else float(no_symbols), spare / size))
    if missing * 0.5 + 1.0 > left + 0.5:
        return missing
    share = worth / (missing + 2.0)
    if no_color > 0:
        _note(value, color, share)
    if no_symbols > 0 or (jokers and no_color > 0):
        _note(value, LOCOMOTIVE_INDEX, share)
    if size > 0 and missing > 0.0:
        for kind in range(N_COLORS):
            value[kind] = max(value[kind], share / size)
    return missing


@compiled
def _note(value: Floats, kind: int, share: float) -> None:
    value[kind] = max(value[kind], share)
    value[SUM + kind] += share


@compiled
def judge_plan(
    state: Ints, tables: Ints, seat: int, memory: Ints, free: Ints, share: float, left: float, value: Floats
) -> None:
    """Note what cards are worth for the plan; `share` is what each of its routes adds to the tickets."""
    for i in range(memory[N_PLANNED]):
        route = memory[PLAN + i]
        color = tables[COLOR + route]
        worth = share + tables[POINTS + route]
        if color == GRAY_INDEX:
            for c in range(N_COLORS):
                judge_color(tables, route, c, free[c], free, worth, left, value)
        else:
            own = state[HAND + seat * N_KINDS + color]
            judge_color(tables, route, color, own, free, worth, left, value)


@compiled
def has_trail_bonus(tables: Ints) -> bool:
    """Return whether the longest trail has a bonus."""
    for i in range(tables[N_BONUSES]):
        if tables[BONUS + i * BONUS_CELLS] == MEASURE_TRAIL:
            return True
    return False


@compiled
def judge_others(
    state: Ints,
    tables: Ints,
    seat: int,
    params: Floats,
    memory: Ints,
    free: Ints,
    n_trains: int,
    left: float,
    value: Floats,
    ready: Floats,
) -> int:
    """
    Note what cards are worth for routes outside the plan, of at most `n_trains` trains.

    Returns
    -------
    n_ready
        Number of routes that the cards free of the plan pay for; `ready` is
        filled with the route and its worth, two cells each.
    """
    price = params[EXTRA_TRAIN_PRICE] * min(1.0, max(0.0, (left - 2.0) / 8.0))
    trail = params[TRAIL_WEIGHT] if has_trail_bonus(tables) else 0.0
    token_value, at_stake = token_terms(state, tables, seat, params)
    n_ready = 0
    for route in range(tables[N_ROUTES]):
        length = tables[LENGTH + route]
        if state[OWNER + route] != NOBODY or length > n_trains or memory[IS_PLANNED + route]:
            continue
        worth = tables[POINTS + route] - price * length
        if trail > 0.0 and touches_network(tables, memory, route):
            worth += trail * length
        if tables[TOKENS_EACH] > 0:
            worth -= toll_cost(state, tables, seat, route, token_value, at_stake)
        if worth <= 0.0 or not is_open(state, tables, seat, route):
            continue
        color = tables[COLOR + route]
        if color == GRAY_INDEX:
            color = free[TOP]
        missing = judge_color(tables, route, color, free[color], free, worth, left, value)
        if missing <= tables[TUNNEL + route] or tables[SWAP_SIZE + route] > 0:
            ready[2 * n_ready] = route
            ready[2 * n_ready + 1] = worth
            n_ready += 1
    return n_ready


@compiled
def touches_network(tables: Ints, memory: Ints, route: int) -> bool:
    """Return whether a route leads on from the own network without closing a circle."""
    a = memory[LABEL + tables[CITY_A + route]]
    b = memory[LABEL + tables[CITY_B + route]]
    return bool(a != b and (a != tables[CITY_A + route] or b != tables[CITY_B + route]))


@compiled
def card_value(params: Floats, value: Floats, kind: int) -> float:
    """Return what a card of a kind is worth."""
    return float(value[kind] + params[BREADTH] * (value[SUM + kind] - value[kind]))
