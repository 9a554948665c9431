"""What the routes that a planner wants ask of its hand: what is ready, and what a card of each kind is worth."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._jit import lean
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.layout import HAND, N_HAND, NOBODY, OWNER, TRAINS
from ttr_analysis.policies.planner.memory import GAIN_PLANNED, IS_PLANNED, LABEL, N_PLANNED, PLAN, WANTED
from ttr_analysis.policies.planner.params import EXTRA_TRAIN_PRICE, TRAIL_WEIGHT, Floats
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
MOST: Final = N_KINDS + 2
"""In `free`: the most cards held of a color."""

SUM: Final = N_KINDS
"""In `value`: where the sums over routes begin, behind the highest value of one route."""

_LONG: Final = 3
"""Shorter routes outside the plan are left for the end."""
_LATE: Final = 6.0
"""Turns left at which it is near."""


@lean
def want_cards(state: Ints, tables: Ints, seat: int, memory: Ints, free: Ints) -> int:
    """
    Fill in the cards that the plan wants, and those of the hand that are free of it.

    Of a double route the track is planned of whose color fewer cards are
    missing.

    Returns
    -------
    n_trains
        Trains that the plan leaves.
    """
    hand = HAND + seat * N_KINDS
    n_trains = state[TRAINS + seat]
    for kind in range(N_KINDS):
        memory[WANTED + kind] = 0
    for i in range(memory[N_PLANNED]):
        route = memory[PLAN + i]
        twin = tables[TWIN + route]
        if (
            twin >= 0
            and tables[LENGTH + twin] <= state[TRAINS + seat]
            and is_open(state, tables, seat, twin)
            and _rough_need(state, tables, memory, hand, twin) < _rough_need(state, tables, memory, hand, route)
        ):
            memory[PLAN + i] = twin
            memory[IS_PLANNED + route] = 0
            memory[IS_PLANNED + twin] = 1
            route = twin
        if tables[COLOR + route] != GRAY_INDEX:
            memory[WANTED + tables[COLOR + route]] += tables[PLAIN + route]
        memory[WANTED + LOCOMOTIVE_INDEX] += tables[SYMBOLS + route]
        n_trains -= tables[LENGTH + route]
    free[SPARE] = free[TOP] = free[MOST] = 0
    for c in range(N_COLORS):
        free[c] = max(0, state[hand + c] - memory[WANTED + c])
        free[SPARE] += free[c]
        free[MOST] = max(free[MOST], state[hand + c])
        if free[c] > free[free[TOP]]:
            free[TOP] = c
    free[LOCOMOTIVE_INDEX] = state[hand + LOCOMOTIVE_INDEX]
    return int(n_trains)


@lean
def _rough_need(state: Ints, tables: Ints, memory: Ints, hand: int, route: int) -> int:
    """Return roughly how many cards of a hand a route wants, in quarters; a toll counts a little."""
    color = tables[COLOR + route]
    need = tables[PLAIN + route] * 4
    if color == GRAY_INDEX:
        need -= 6
    else:
        need -= 4 * min(tables[PLAIN + route], max(0, state[hand + color] - memory[WANTED + color]))
    return int(need + 6 * tables[SYMBOLS + route] + 3 * tables[TUNNEL + route] + tables[TOLL + route])


@lean
def judge_color(
    tables: Ints,
    route: int,
    color: int,
    own: int,
    free: Ints,
    worth: float,
    left: float,
    value: Floats,
) -> None:
    """
    Note what cards are worth for one route, paid in one color.

    A route is worth more the fewer draws it wants yet: its points, shared out
    over the draws and the turn of claiming, which counts as two. A tunnel
    wants one card more than its length.

    Parameters
    ----------
    own
        Cards of the color for it.
    free
        As `want_cards` fills it in.
    worth
        Points that the route brings.
    left
        Turns left in the game.
    value
        Changed.
    """
    symbols = tables[SYMBOLS + route]
    locomotives = free[LOCOMOTIVE_INDEX]
    jokers = tables[JOKERS + route]
    no_symbols = max(0, symbols - locomotives)
    no_color = max(0, tables[PLAIN + route] + tables[TUNNEL + route] - own)
    if jokers:
        no_color = max(0, no_color - max(0, locomotives - symbols))
    missing = float(no_symbols + no_color)
    size = tables[SWAP_SIZE + route]
    if size > 0 and missing > 0.0:
        spare = free[SPARE] - min(own, free[color])
        missing = max(1.0, missing - min(missing if tables[SWAP_ANY + route] else float(no_symbols), spare / size))
    if missing > 2.0 * left - 1.0:
        return
    share = worth / (missing + 2.0)
    if no_color > 0:
        value[color] = max(value[color], share)
        value[SUM + color] += share
    if no_symbols > 0 or (jokers and no_color > 0):
        value[LOCOMOTIVE_INDEX] = max(value[LOCOMOTIVE_INDEX], share)
        value[SUM + LOCOMOTIVE_INDEX] += share
    if size > 0 and missing > 0.0:
        for kind in range(N_COLORS):
            value[kind] = max(value[kind], share / size)


@lean
def judge_routes(
    state: Ints,
    tables: Ints,
    seat: int,
    params: Floats,
    memory: Ints,
    free: Ints,
    n_trains: int,
    left: float,
    is_stuck: bool,
    value: Floats,
    ready: Floats,
) -> int:
    """
    Note what cards are worth for the plan, and for other routes that the trains suffice for.

    Parameters
    ----------
    free, n_trains
        As `want_cards` gives them.
    left
        Turns left in the game.
    is_stuck
        Whether no card can be drawn: then every route is looked at.
    value
        Filled.
    ready
        Filled with routes that the hand may pay for and their worth, two
        cells each, those of the plan first.

    Returns
    -------
    n_ready
        Their number.
    """
    hand = HAND + seat * N_KINDS
    for cell in range(2 * N_KINDS):
        value[cell] = 0.0
    share = memory[GAIN_PLANNED] / max(1, memory[N_PLANNED])
    price = params[EXTRA_TRAIN_PRICE] * min(1.0, max(0.0, (left - 2.0) / 8.0))
    least = 1 if is_stuck or left < _LATE else _LONG
    trail = 0.0
    for i in range(tables[N_BONUSES]):
        if tables[BONUS + i * BONUS_CELLS] == MEASURE_TRAIL:
            trail = params[TRAIL_WEIGHT]
    token_value, at_stake = token_terms(state, tables, seat, params)
    n_planned = memory[N_PLANNED]
    n_ready = 0
    for i in range(n_planned + tables[N_ROUTES]):
        is_plan = i < n_planned
        if is_plan:
            route = memory[PLAN + i]
            worth = share + tables[POINTS + route]
        else:
            route = i - n_planned
            length = tables[LENGTH + route]
            if length < least or length > n_trains or state[OWNER + route] != NOBODY or memory[IS_PLANNED + route]:
                continue
            worth = tables[POINTS + route] - price * length
            if trail > 0.0 and leads_on(tables, memory, route):
                worth += trail * length
            if tables[TOKENS_EACH] > 0:
                worth -= toll_cost(state, tables, seat, route, token_value, at_stake)
            if not is_open(state, tables, seat, route) or (worth <= 0.0 and not is_stuck):
                continue
        color = tables[COLOR + route]
        first = color
        last = color + 1
        own = state[hand + min(color, LOCOMOTIVE_INDEX)]
        if color == GRAY_INDEX:
            first = 0 if is_plan else free[TOP]
            last = N_COLORS if is_plan else first + 1
            own = free[MOST]
        for c in range(first, last):
            held = own if is_plan and color != GRAY_INDEX else free[c]
            judge_color(tables, route, c, held, free, worth, left, value)
        jokers = free[LOCOMOTIVE_INDEX] if tables[JOKERS + route] or tables[SYMBOLS + route] else 0
        if tables[SWAP_SIZE + route] > 0:
            own = min(own, tables[PLAIN + route])
            jokers += (state[N_HAND + seat] - own - jokers) // tables[SWAP_SIZE + route]
        if is_stuck or own + jokers >= tables[LENGTH + route]:
            ready[2 * n_ready] = route
            ready[2 * n_ready + 1] = worth
            n_ready += 1
    return n_ready


@lean
def leads_on(tables: Ints, memory: Ints, route: int) -> bool:
    """Return whether a route leads on from the own network without closing a circle."""
    a = memory[LABEL + tables[CITY_A + route]]
    b = memory[LABEL + tables[CITY_B + route]]
    return bool(a != b and (a != tables[CITY_A + route] or b != tables[CITY_B + route]))
