"""
What can be believed of the tickets of a seat from the routes that it has claimed.

The tickets of a seat are a set of those that are not seen elsewhere. A set is
as likely as the product of the weights of its tickets and of its pairs: a
Gibbs measure. The weight of a ticket says how well the routes of the seat fit
it; that of a pair, how far the ways still to go fall together. The constants
come from games between planners of many styles, and a few greedy players:
`python -m scripts.fit_beliefs` finds them again, by maximum likelihood, and
compares what they believe with what was true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis.tickets.steiner import UNREACHABLE, all_distances
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.random import Random
from ttr_analysis.policies.search.unseen_tickets import Beliefs
from ttr_analysis.policies.search.worlds import Knowledge
from ttr_analysis.tables import MAX_TICKETS, Tables, game_tables

FIT: Final[Floats] = np.array([3.15, 1.69, -0.59, -0.69, 0.1, -0.74, -0.2, 2.49, 3.96, -1.97])
"""What each feature adds to the logarithm of a ticket's weight."""
SHARED: Final = 1.74
"""What each route adds to that of a pair which its two ways still to go have in common, of two tickets held,"""
SHARED_ALONE: Final = -0.92
"""and each that they had in common on an empty board: what is built already speaks for both of them at once."""


BARRED: Final = 1e-12
"""By this the weight of a ticket is multiplied that a seat cannot hold: it gets one only where there is no other."""
SINCE_OPENING: Final = -2.5
"""
What all its trains placed add to the logarithm for a ticket of a deck that is dealt at the opening only. The others are
of tickets of any time, of which those drawn late lie unbuilt; for such a ticket a planner builds from the start.
"""


@lru_cache(maxsize=64)
def alone_on(game_map: GameMap, n_players: int) -> Alone:
    """Return what the tickets of a map take on an empty board."""
    tables = game_tables(game_map, n_players)
    n = tables.n_routes
    routes, trains = np.zeros((2, MAX_TICKETS), dtype=np.int64)
    shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    fill_needs(tables, tables.length[:n], trains, shared)
    fill_needs(tables, np.ones(n, dtype=np.int64), routes, shared)
    return Alone(routes, trains, shared)


def believe(known: Knowledge, policies: Sequence[object]) -> Beliefs:
    """
    Return how likely the tickets of each seat are.

    Routes of a player at random say nothing: all its tickets are as likely.
    Those of any other are taken for a planner's.
    """
    beliefs = Beliefs(np.ones((known.n_players, MAX_TICKETS)), np.ones((known.n_players, MAX_TICKETS, MAX_TICKETS)))
    alone = alone_on(known.game_map, known.n_players)
    features = np.zeros((MAX_TICKETS, N_FEATURES))
    shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    for seat in range(known.n_players):
        if UNKNOWN_TICKET not in known.held(seat):
            continue
        if not isinstance(policies[seat], Random):
            fill_ticket_features(known.packed, known.tables, alone, seat, features, shared)
            np.exp(features @ FIT, out=beliefs.weights[seat])
            _even_decks(known, alone, seat, beliefs.weights[seat])
            joint = SHARED * shared + SHARED_ALONE * alone.shared
            np.exp(joint * pair_part(known.packed.n_held[seat]), out=beliefs.pairs[seat])
        beliefs.weights[seat, sorted(known.barred[seat])] *= BARRED
    return beliefs


def pair_part(n_held: int) -> float:
    """
    Return the part of what a pair of tickets says that counts for a seat which holds so many.

    Each ticket is in a pair with every other one: if all of these counted in full, any cluster of tickets close to each
    other would be believed in, once a seat held enough of them.
    """
    return 1 / sqrt(max(1, n_held - 1))


def _even_decks(known: Knowledge, alone: Alone, seat: int, weights: Floats) -> None:
    """
    Let an empty board say nothing of the deck of a ticket, where one is dealt at the opening only.

    How likely the seat is to have kept a ticket of it then follows from how many it kept; how long tickets are, and how
    much they have in common with others, which the weights count, only tells those of one deck apart.
    """
    tables = known.tables
    n = tables.n_tickets
    deck = tables.ticket_deck[:n]
    stays = tables.deck_leaves[deck] == 0
    if stays.all() or not stays.any():
        return
    at_first = np.exp(FIT[TRAINS_ALONE] * alone.trains[:n] + FIT[ROUTES_ALONE] * alone.routes[:n])
    n_others = known.packed.n_held[seat] - 1
    joint = np.exp((SHARED + SHARED_ALONE) * pair_part(n_others + 1) * alone.shared[:n, :n][:, stays])
    at_first *= np.average(joint, axis=1, weights=at_first[stays]) ** n_others
    built = 1.0 - known.packed.trains[seat] / tables.trains_each
    for leaving in np.unique(deck[~stays]):
        some = np.flatnonzero(deck == leaving)
        weights[some] *= at_first[stays].mean() / at_first[some].mean() * np.exp(SINCE_OPENING * built)


# -- what tells that a seat holds a ticket ------------------------------------------------------------------------


SHARE: Final = 0
"""Share of its routes, of the fewest on an empty board, that the routes of the seat save."""
SAVED: Final = 1
"""Routes that they save."""
DONE: Final = 2
"""1 if the seat has completed it."""
UNTOUCHED: Final = 3
"""1 if they save nothing."""
TRAINS_ALONE: Final = 4
"""Fewest trains that it takes on an empty board: long tickets are kept more often,"""
ROUTES_ALONE: Final = 5
"""and those of few routes: fewest that it takes there."""
LATE_SHARE: Final = 6
"""Three of the features once more, times the part of its trains that the seat has placed."""
LATE_DONE: Final = 7
LATE_UNTOUCHED: Final = 8
SCATTERED_SHARE: Final = 9
"""
`SHARE` once more, times networks a route of the seat: who builds here and there does not build for tickets, and saves
routes of some by chance; a first route alone tells as little.
"""
N_FEATURES: Final = 10


class Alone(NamedTuple):
    """
    What tickets take on an empty board.

    Parameters
    ----------
    routes, trains
        The fewest for each ticket, to the nearest of its destinations.
    shared
        Routes that two tickets can have in common, for each two.
    """

    routes: Ints
    trains: Ints
    shared: Ints


@compiled
def fill_needs(tables: Tables, cost: Ints, need: Ints, shared: Ints) -> None:
    """
    Fill in what each ticket costs at least, to the nearest of its destinations, and what each two have in common.

    Parameters
    ----------
    tables
        The map, or its name.
    cost
        Cost of each route, `UNREACHABLE` if it is closed.
    need
        Filled with costs; `UNREACHABLE` or more if there is no way.
    shared
        Filled for each two tickets with what it costs less to complete both
        than to complete each alone.
    """
    n = tables.n_cities
    weight = np.full((n, n), UNREACHABLE, dtype=np.int64)
    distance = np.empty((n, n), dtype=np.int64)
    for route in range(tables.n_routes):
        a, b = tables.city_a[route], tables.city_b[route]
        weight[a, b] = weight[b, a] = min(weight[a, b], cost[route])
    all_distances(weight, distance)
    rows = np.empty((tables.n_tickets, 2, n), dtype=np.int64)
    for ticket in range(tables.n_tickets):
        need[ticket] = UNREACHABLE
        goal = tables.goal_start[ticket]
        for i in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            between = _fewest_between(tables, tables.origin[ticket], tables.goal_place[i], distance)
            if between < need[ticket]:
                need[ticket] = between
                goal = i
        _fill_row(tables, tables.origin[ticket], distance, rows[ticket, 0])
        _fill_row(tables, tables.goal_place[goal], distance, rows[ticket, 1])
        for other in range(ticket):
            apart = need[ticket] + need[other]
            joint = apart
            if 0 < need[ticket] < UNREACHABLE and 0 < need[other] < UNREACHABLE:
                joint = _fewest_joint(rows[ticket], rows[other], distance, apart)
            shared[ticket, other] = shared[other, ticket] = apart - joint


@compiled
def _fill_row(tables: Tables, place: int, distance: Ints, row: Ints) -> None:
    """Fill in the distance of each city from a place."""
    for city in range(len(row)):
        row[city] = UNREACHABLE
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            row[city] = min(row[city], distance[tables.place_city[i], city])


@compiled
def _fewest_joint(one: Ints, two: Ints, distance: Ints, apart: int) -> int:
    """Return the cost of a tree, with branches at two cities, that joins the ends of two tickets; `apart` if less."""
    joint = apart
    n = len(distance)
    for v in range(n):
        if one[0, v] + min(two[0, v], two[1, v]) >= joint:
            continue
        for w in range(n):
            straight = one[0, v] + two[0, v] + one[1, w] + two[1, w]
            crossed = one[0, v] + two[1, v] + one[1, w] + two[0, w]
            joint = min(joint, distance[v, w] + min(straight, crossed))
    return joint


@compiled
def _fewest_between(tables: Tables, place: int, other: int, distance: Ints) -> int:
    """Return the distance between the nearest cities of two places."""
    fewest = UNREACHABLE
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        for j in range(tables.place_start[other], tables.place_start[other + 1]):
            fewest = min(fewest, distance[tables.place_city[i], tables.place_city[j]])
    return fewest


@compiled
def fill_ticket_features(state: State, tables: Tables, alone: Alone, seat: int, features: Floats, shared: Ints) -> None:
    """
    Fill in what tells whether each ticket is held by a seat, and what the ways of each two still have in common.

    Parameters
    ----------
    state, tables
        The game, as far as it is known.
    alone
        What tickets take on an empty board.
    seat
        Whose routes.
    features
        Filled, a row for each ticket.
    shared
        Filled with routes, for each two tickets: no more than they had in
        common on an empty board, for on a way around what others have closed
        any two tickets fall together.
    """
    cost = np.empty(tables.n_routes, dtype=np.int64)
    need = np.empty(MAX_TICKETS, dtype=np.int64)
    for route in range(tables.n_routes):
        is_open = track_fault(state, tables, seat, route) == NONE
        cost[route] = 0 if state.owner[route] == seat else 1 if is_open else UNREACHABLE
    fill_needs(tables, cost, need, shared)
    built = 1.0 - state.trains[seat] / tables.trains_each
    scatter = _scatter(state, tables, seat)
    for ticket in range(tables.n_tickets):
        for other in range(tables.n_tickets):
            shared[ticket, other] = min(shared[ticket, other], alone.shared[ticket, other])
        row = features[ticket]
        row[SAVED] = max(0, alone.routes[ticket] - need[ticket])
        row[SHARE] = row[SAVED] / max(1, alone.routes[ticket])
        row[DONE] = need[ticket] == 0
        row[UNTOUCHED] = row[SAVED] == 0
        row[TRAINS_ALONE] = alone.trains[ticket]
        row[ROUTES_ALONE] = alone.routes[ticket]
        row[LATE_SHARE] = built * row[SHARE]
        row[LATE_DONE] = built * row[DONE]
        row[LATE_UNTOUCHED] = built * row[UNTOUCHED]
        row[SCATTERED_SHARE] = scatter * row[SHARE]


@compiled
def _scatter(state: State, tables: Tables, seat: int) -> float:
    """Return how many separate networks the routes of a seat make, as a part of how many routes they are."""
    network = np.zeros(tables.n_cities, dtype=np.int64)  # of each city; 0 is none
    n_routes = n_networks = 0
    for route in range(tables.n_routes):
        if state.owner[route] == seat:
            one, two = network[tables.city_a[route]], network[tables.city_b[route]]
            n_routes += 1
            n_networks += 1 - int(one > 0) - int(two > 0 and two != one)
            network[tables.city_a[route]] = network[tables.city_b[route]] = n_routes
            for city in range(tables.n_cities):
                if network[city] > 0 and network[city] in (one, two):
                    network[city] = n_routes
    return float(n_networks / max(1, n_routes))
