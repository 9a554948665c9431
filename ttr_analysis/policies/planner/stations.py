"""
Stations: one for a ticket that the own routes will not complete.

One idea: toward the end of the game the plan says which tickets are still to
be completed by claims, and the others are lost, unless a station lends a route
of another. The best such route is looked for beside those that the stations
already built lend. In the last turn the plan counts for nothing any more, and
a station is weighed against the claim that would be made.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import BUILD_STATION, make_action, unpack_cards
from ttr_analysis.engine.kernel.scoring import goal_reached, join_ends
from ttr_analysis.engine.kernel.stations import n_station_forms, station_cards
from ttr_analysis.engine.layout import NEUTRAL_OWNER, UNKNOWN_TICKET, State
from ttr_analysis.policies.planner.knowledge import Memory, Params
from ttr_analysis.rules.scoring import ticket_score
from ttr_analysis.rules.stations import is_lent
from ttr_analysis.tables import MAX_CITIES, Tables

NO_ROUTE: Final = -1
NO_STATION: Final = -1
ANY_CITY: Final = -1
_LAST: Final = 2.0
"""Fewer turns left are the last one."""


@compiled
def saving_station(
    state: State, tables: Tables, seat: int, params: Params, memory: Memory, left: float, claim: int
) -> tuple[int, int]:
    """
    Return the station that is worth building now, and its cards.

    Parameters
    ----------
    left
        Turns left, this one included.
    claim
        The route that would be claimed instead, `NO_ROUTE` for none.

    Returns
    -------
    code, cards
        The action; `NO_STATION` if none is worth a turn, its cards, and the
        points that a station not built scores.
    """
    label = memory.label.copy()
    if left >= _LAST:
        for i in range(memory.n_planned):
            join_ends(tables, memory.plan[i], label)
    points = lend_to_stations(state, tables, seat, label)
    route, most = best_lent(state, tables, seat, ANY_CITY, label)
    if route == NO_ROUTE or most - points <= tables.station_points:
        return NO_STATION, 0
    instead = params.route_price
    if left < _LAST and claim != NO_ROUTE:
        join_ends(tables, claim, label)
        instead = float(tables.points[claim] + ticket_points(state, tables, seat, label) - points)
    price, cards = _cheapest_form(state, tables, seat, params, memory)
    if cards == 0 or most - points - tables.station_points - price <= instead:
        return NO_STATION, 0
    city = tables.city_a[route]
    if state.station_at[city] > 0:
        city = tables.city_b[route]
    return make_action(BUILD_STATION, city), cards


@quickly_compiled
def lend_to_stations(state: State, tables: Tables, seat: int, label: Ints) -> int:
    """Join what a seat's stations lend, each in turn what is best; return the points of its tickets."""
    for city in range(tables.n_cities):
        if state.station_at[city] == 1 + seat:
            route, _ = best_lent(state, tables, seat, city, label)
            if route != NO_ROUTE:
                join_ends(tables, route, label)
    return ticket_points(state, tables, seat, label)


@quickly_compiled
def best_lent(state: State, tables: Tables, seat: int, city: int, label: Ints) -> tuple[int, int]:
    """
    Return the route of another that adds most to a seat's tickets, and the points of all of them with it.

    Parameters
    ----------
    city
        Where its station is; `ANY_CITY` for a station yet to be built.
    label
        What the seat's routes join.

    Returns
    -------
    route, points
        `NO_ROUTE` if none adds any.
    """
    joined = np.empty(MAX_CITIES, dtype=np.int64)
    best = NO_ROUTE
    most = ticket_points(state, tables, seat, label)
    for route in range(tables.n_routes):
        a, b = tables.city_a[route], tables.city_b[route]
        if label[a] == label[b] or not is_lent(state.owner[route], seat, NEUTRAL_OWNER, tables.lends_neutral):
            continue
        is_near = city in (a, b) or (city == ANY_CITY and (state.station_at[a] == 0 or state.station_at[b] == 0))
        if is_near:
            for other in range(tables.n_cities):
                joined[other] = label[other]
            join_ends(tables, route, joined)
            points = ticket_points(state, tables, seat, joined)
            if points > most:
                best, most = route, points
    return best, most


@compiled
def ticket_points(state: State, tables: Tables, seat: int, label: Ints) -> int:
    """Return what the tickets of a seat would score."""
    points = 0
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET:
            points += ticket_score(goal_reached(tables, ticket, label), tables.goal_points, tables.penalty[ticket])
    return points


@compiled
def _cheapest_form(state: State, tables: Tables, seat: int, params: Params, memory: Memory) -> tuple[float, int]:
    """Return what the cards of a station that are missed least are worth, and these cards; 0 cards for none."""
    cards = memory.cards[:N_KINDS]
    least = 0.0
    best = 0
    for number in range(n_station_forms(state, tables, seat)):
        form = station_cards(state, tables, seat, number)
        unpack_cards(form, cards)
        price = params.locomotive_price * cards[LOCOMOTIVE_INDEX]
        for color in range(LOCOMOTIVE_INDEX):
            is_wanted = state.hand[seat, color] - cards[color] < memory.wanted[color]
            price += cards[color] * (params.wanted_price if is_wanted else params.spare_price)
        if best == 0 or price < least:
            least, best = price, form
    return least, best
