"""
The last turn: what a seat claims when nothing comes after it.

Cards, trains and the plan are worth nothing then. A claim is worth what it
adds to the final score if the others' claims are done, times the odds that it
succeeds.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.codes import CLAIM_ROUTE, NONE, argument_of, make_action
from ttr_analysis.engine.kernel.claims import n_forms, representative, route_fault, tunnel_odds
from ttr_analysis.engine.kernel.scoring import award_bonus, join_ends
from ttr_analysis.engine.layout import NOBODY, State
from ttr_analysis.policies.planner.knowledge import Memory, Params
from ttr_analysis.policies.planner.stations import NO_ROUTE, NO_STATION, lend_to_stations, saving_station
from ttr_analysis.rules.money import settle_toll, toll_payee
from ttr_analysis.rules.trails import walked_trail
from ttr_analysis.tables import MAX_ROUTES, MAX_SEATS, MEASURE_TOKENS, MEASURE_TRAIL, Tables

_STEPS: Final = 1_000
"""Steps of the search for a trail, after which it is taken for none."""


@compiled
def is_last_turn(state: State, tables: Tables, params: Params) -> bool:
    """Return whether the seat that acts is known to have no turn after this one, and minds it."""
    return params.care > 0.0 and 0 <= state.last_left <= tables.n_seats


@compiled
def score_last(state: State, tables: Tables, seat: int, params: Params, memory: Memory) -> tuple[int, int]:
    """Return the best claim or station of a last turn, and its cards; -1 if none adds points."""
    code, cards = last_claim(state, tables, seat, memory)
    if state.stations[seat] > 0:
        claim = argument_of(code) if code >= 0 else NO_ROUTE
        station, paid = saving_station(state, tables, seat, params, memory, 1.0, claim)
        if station != NO_STATION:
            return station, paid
    return code, cards


@compiled
def last_claim(state: State, tables: Tables, seat: int, memory: Memory) -> tuple[int, int]:
    """Return the claim that adds most to a seat's final score, and its cards; -1 if none adds any."""
    label = memory.label.copy()
    tickets = lend_to_stations(state, tables, seat, label)
    trails = np.empty(MAX_SEATS, dtype=np.int64)
    hope = _measure_trails(state, tables, seat, trails)
    most = 0.0
    code = -1
    cards = 0
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) != NONE or n_forms(state, tables, seat, route) == 0:
            continue
        gain = float(tables.points[route])
        for city in range(tables.n_cities):
            label[city] = memory.label[city]
        if join_ends(tables, route, label):
            gain += lend_to_stations(state, tables, seat, label) - tickets
        if tables.toll[route] > 0:
            gain -= _toll_cost(state, tables, seat, route)
        if gain + hope <= most:
            continue
        if hope > 0 and _may_overtake(tables, seat, memory, route, trails):
            gain += _trail_gain(state, tables, seat, route, trails)
        odds, form = _likeliest_form(state, tables, seat, route)
        if odds * gain > most:
            most = odds * gain
            code = make_action(CLAIM_ROUTE, route)
            cards = form
    return code, cards


@compiled
def _likeliest_form(state: State, tables: Tables, seat: int, route: int) -> tuple[float, int]:
    """Return the odds that a claim succeeds, and the cards with which they are best."""
    if not tables.tunnel[route]:
        return 1.0, representative(state, tables, seat, route, 0)
    best = -1.0
    cards = 0
    for number in range(n_forms(state, tables, seat, route)):
        form = representative(state, tables, seat, route, number)
        odds = tunnel_odds(state, tables, seat, route, form)
        if odds > best:
            best, cards = odds, form
    return best, cards


# -- bonuses -------------------------------------------------------------------------------------------------------


@compiled
def _bonus(tables: Tables, seat: int, measure: int, amounts: Ints, loans: Ints) -> int:
    """Return the points of a seat in the bonuses for one measure, of which each seat has an amount."""
    bonus = np.empty(tables.n_seats, dtype=np.int64)
    points = 0
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == measure:
            award_bonus(tables, i, amounts[: tables.n_seats], loans, bonus)
            points += int(bonus[seat])
    return points


@compiled
def _toll_cost(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the points that the toll of a route costs a seat: in loans, and in bonuses for tokens."""
    tokens, loans = state.tokens.copy(), state.loans.copy()
    before = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    twin = tables.twin[route]
    payee = toll_payee(NOBODY if twin < 0 else state.owner[twin], tables.n_seats, tables.pays_owner)
    settle_toll(tokens, loans, seat, payee, tables.toll[route])
    after = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    return int(before - after)


@compiled
def _measure_trails(state: State, tables: Tables, seat: int, trails: Ints) -> int:
    """Fill in the longest trail of each seat, and return by how many points that of one might yet score more."""
    most = 0
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == MEASURE_TRAIL:
            most += tables.bonus_points[i, 0]
    if most > 0:
        for other in range(tables.n_seats):
            trails[other] = _longest_trail(tables, state.owner, other)
        most -= _bonus(tables, seat, MEASURE_TRAIL, trails, state.loans)
    return int(most)


@compiled
def _may_overtake(tables: Tables, seat: int, memory: Memory, route: int, trails: Ints) -> bool:
    """Return whether a route may bring the longest trail up to that of another; a branch adds its length at most."""
    if memory.degree[tables.city_a[route]] > 0 and memory.degree[tables.city_b[route]] > 0:
        return True
    longer = trails[seat] + tables.length[route]
    for other in range(tables.n_seats):
        if trails[seat] < trails[other] <= longer:
            return True
    return False


@compiled
def _trail_gain(state: State, tables: Tables, seat: int, route: int, trails: Ints) -> int:
    """Return the points that a route adds to the bonuses for the longest trail."""
    owner = state.owner.copy()
    owner[route] = seat
    longer = trails.copy()
    longer[seat] = _longest_trail(tables, owner, seat)
    before = _bonus(tables, seat, MEASURE_TRAIL, trails, state.loans)
    return _bonus(tables, seat, MEASURE_TRAIL, longer, state.loans) - before


@compiled
def _longest_trail(tables: Tables, owner: Ints, seat: int) -> int:
    """Return the longest trail of a seat; below 0 if it is not found at once."""
    n = tables.n_routes
    trail = np.empty(MAX_ROUTES, dtype=np.int8)
    return walked_trail(
        tables.city_a[:n], tables.city_b[:n], tables.length[:n], owner[:n], seat, tables.n_cities, _STEPS, trail
    )
