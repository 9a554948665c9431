"""
Infer a seat's tickets from the routes that it has claimed.

A seat's tickets are a subset of those not seen elsewhere. The odds of a subset are a Gibbs
measure: the product of the weights of its tickets, of the pairs that connect them to one
tree, and of the seat's routes that are on the path of any of them. A ticket's weight
measures how well the seat's routes fit it; a pair's weight, how much their remaining paths
overlap; and a subset that leaves routes unexplained is less likely than one that gives each
a purpose. What a player would choose from an opening offer counts, too. `python -m
scripts.fit_beliefs` refits the constants (`FITTED`), and compares beliefs with the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled
from ttr_analysis.analysis.tickets.steiner import UNREACHABLE, all_distances
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import KEEP_START, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.random import Random
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.tables import MAX_TICKETS, Tables, game_tables


class Beliefs(NamedTuple):
    """
    The weights of each seat's tickets, with a row for each seat.

    `weights` has the weight of each ticket, `pairs` that of each pair, and `per_route` that of
    each of the seat's routes on the path of one or more tickets of the subset. `on_way` has the
    seat's routes on the path of each ticket, as bits. `chosen` is the share of the worlds in
    which each seat holds tickets that its player would choose from an opening offer: the first
    such subset drawn is kept. Tickets drawn later, for other seats or from decks that left the
    game, are not checked again.
    """

    weights: Floats
    pairs: Floats
    on_way: Ints
    per_route: Floats
    chosen: Floats


class Model(NamedTuple):
    """
    Constants of the odds of tickets.

    Parameters
    ----------
    fit
        Contribution of each feature to the log weight of a ticket.
    pair_fit
        The same for pairs: see `pair_features`. Only the pairs that connect a subset to one
        tree count: see `weight_together`.
    way_fit
        Contribution to the log weight of each of the seat's routes on the path of a
        ticket of the subset, and its increase as the seat places all its trains.
    """

    fit: Floats
    pair_fit: Floats
    way_fit: Floats


FITTED: Final = Model(
    np.array([2.27, 1.23, -0.3, 0.1, 0.01, -0.11, 1.6, 2.18, 2.29, -1.09, 0.18, -1.13]),
    np.array([0.45, -0.36, 2.28]),
    np.array([2.35, -1.33]),
)
"""Fitted to games of planners."""
EXCLUDED_WEIGHT: Final = 1e-30
"""Factor for a ticket that a seat cannot hold; it gets one only if nothing else is left."""
_OWN_TRAIN: Final = 2
"""On the path of a ticket, the cost of a train on a route that the seat has."""
_NEW_TRAIN: Final = 5
"""The same on a route that it does not have. Of ratios from 0 to 4/5, this one gave the best beliefs."""
_LAST_BIT: Final = 1 << 61
"""Bit of the last route of a seat that is used, two below the sign. No seat on the built-in maps has as many routes."""
_MAX_NEEDED: Final = 15
"""Number of routes assumed for a ticket that cannot be completed."""


@lru_cache(maxsize=64)
def alone_on(game_map: GameMap, n_players: int) -> Alone:
    """Return the features of a map's tickets on an empty board."""
    tables = game_tables(game_map, n_players)
    n = tables.n_routes
    routes, trains = np.zeros((2, MAX_TICKETS), dtype=np.int64)
    shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    fill_needs(tables, tables.length[:n], trains, shared)
    fill_needs(tables, np.ones(n, dtype=np.int64), routes, shared)
    return Alone(routes, trains, shared)


def believe(known: Knowledge, policies: Sequence[object], model: Model = FITTED) -> Beliefs:
    """
    Return the odds of each seat's tickets.

    Routes of a random player reveal nothing, so all its tickets are equally likely. Any
    other player is treated as a planner. The player itself decides what it would choose
    from an opening offer.
    """
    shape = (known.n_players, MAX_TICKETS)
    on_way = np.zeros(shape, dtype=np.int64)
    per_route, chosen = np.ones(known.n_players), np.zeros(known.n_players)
    beliefs = Beliefs(np.ones(shape), np.ones((*shape, MAX_TICKETS)), on_way, per_route, chosen)
    alone = alone_on(known.game_map, known.n_players)
    features = np.zeros((MAX_TICKETS, N_FEATURES))
    shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    for seat in range(known.n_players):
        if UNKNOWN_TICKET not in known.held(seat):
            continue
        if not isinstance(policies[seat], Random):
            fill_ticket_features(known.packed, known.tables, alone, seat, features, shared)
            np.exp(features @ model.fit, out=beliefs.weights[seat])
            _even_decks(known, alone, seat, beliefs.weights[seat], model)
            joint = np.tensordot(model.pair_fit, pair_features(known, alone, seat, shared), 1)
            np.exp(joint, out=beliefs.pairs[seat])
            fill_on_way(known.packed, known.tables, seat, on_way[seat])
            per_route[seat] = np.exp(model.way_fit @ [1.0, built_part(known, seat)])
            chosen[seat] = chosen_part(known, seat)
        beliefs.weights[seat, sorted(known.excluded[seat])] *= EXCLUDED_WEIGHT
    return beliefs


def chosen_part(known: Knowledge, seat: int) -> float:
    """
    Return the share of the worlds in which a seat holds what its player would choose from an opening offer.

    It is 0 if any of its tickets is known, or it cannot have kept this many; else 1, until
    half of its trains are placed. It then drops with each one: its routes reveal more, and
    players other than planners would have chosen differently.
    """
    held, tables, state = known.held(seat), known.tables, known.packed
    is_as_many = tables.opening_keep <= len(held) <= tables.opening_deal
    if state.phase == KEEP_START or not is_as_many or (held != UNKNOWN_TICKET).any():
        return 0.0
    return min(1.0, 2 * float(state.trains[seat] / tables.trains_each))


def built_part(known: Knowledge, seat: int) -> float:
    """Return the share of its trains that a seat has placed."""
    return float(1.0 - known.packed.trains[seat] / known.tables.trains_each)


def pair_features(known: Knowledge, alone: Alone, seat: int, shared: Ints) -> Floats:
    """
    Return the number of routes that the paths of each pair of tickets share.

    There are three values: of the remaining paths; of the paths on an empty board, since
    existing routes already fit both; and the first value times the share of the seat's
    trains placed.
    """
    return np.array([shared, alone.shared, built_part(known, seat) * shared])


def _even_decks(known: Knowledge, alone: Alone, seat: int, weights: Floats, model: Model) -> None:
    """
    Remove the influence of an empty board on the choice of deck, if a deck is dealt only at the opening.

    The odds of keeping a ticket of it depend on how many the seat kept. The length of
    tickets, and their overlap, then only distinguish tickets of the same deck.
    """
    tables = known.tables
    n = tables.n_tickets
    deck = tables.ticket_deck[:n]
    stays = tables.deck_leaves[deck] == 0
    if stays.all() or not stays.any():
        return
    at_first = np.exp(model.fit[TRAINS_ALONE] * alone.trains[:n] + model.fit[ROUTES_ALONE] * alone.routes[:n])
    n_others = known.packed.n_held[seat] - 1
    if n_others > 0:
        joint = np.exp((model.pair_fit @ [1.0, 1.0, 0.0]) * alone.shared[:n, :n][:, stays])
        at_first *= mean_largest(joint, at_first[stays], n_others)
    for leaving in np.unique(deck[~stays]):
        some = np.flatnonzero(deck == leaving)
        weights[some] *= at_first[stays].mean() / at_first[some].mean()


def mean_largest(values: Floats, weights: Floats, n: int) -> Floats:
    """Return the mean of the largest of `n` values drawn from each row by weight."""
    order = np.argsort(values, axis=1)
    below = np.cumsum(weights[order], axis=1) / weights.sum()
    parts = np.diff(below**n, axis=1, prepend=0.0)
    means: Floats = (np.take_along_axis(values, order, axis=1) * parts).sum(axis=1)
    return means


# -- evidence that a seat holds a ticket --------------------------------------------------------------------------


SHARE: Final = 0
"""Share of the ticket's fewest routes on an empty board that the seat's routes save."""
SAVED: Final = 1
"""Number of routes that they save."""
DONE: Final = 2
"""1 if the seat has completed it."""
UNTOUCHED: Final = 3
"""1 if they save none."""
TRAINS_ALONE: Final = 4
"""Fewest trains on an empty board; long tickets are kept more often."""
ROUTES_ALONE: Final = 5
"""Fewest routes on an empty board; tickets with few routes are kept more often."""
LATE_SHARE: Final = 6
"""Three of the features again, times the share of the seat's trains placed."""
LATE_DONE: Final = 7
LATE_UNTOUCHED: Final = 8
SCATTERED_SHARE: Final = 9
"""
`SHARE` again, times networks per route of the seat. A seat that builds in scattered places does not build for tickets,
and saves routes of some by chance; a first route is just as uninformative.
"""
DETOUR: Final = 10
"""Extra routes compared with an empty board, because of detours around other players' routes."""
LATE_ROUTES: Final = 11
"""Routes on an empty board, times the share of the seat's trains placed."""
N_FEATURES: Final = 12


class Alone(NamedTuple):
    """Features of tickets on an empty board: fewest routes and trains, and the routes that each pair can share."""

    routes: Ints
    trains: Ints
    shared: Ints


@compiled
def fill_needs(tables: Tables, cost: Ints, need: Ints, shared: Ints) -> None:
    """
    Fill in each ticket's least cost, and the savings of each pair.

    In `cost` and `need`, `UNREACHABLE` or more means a closed route, or a ticket without a
    reachable destination. `shared` is how much less two tickets cost together than
    separately.
    """
    n = tables.n_cities
    distance = np.empty((n, n), dtype=np.int64)
    _fill_distances(tables, cost, distance)
    rows = np.empty((tables.n_tickets, 2, n), dtype=np.int64)
    for ticket in range(tables.n_tickets):
        need[ticket] = _fill_ends(tables, ticket, distance, rows[ticket])
        for other in range(ticket):
            apart = need[ticket] + need[other]
            joint = apart
            if 0 < need[ticket] < UNREACHABLE and 0 < need[other] < UNREACHABLE:
                joint = _fewest_joint(rows[ticket], rows[other], distance, apart)
            shared[ticket, other] = shared[other, ticket] = apart - joint


@compiled
def _fill_distances(tables: Tables, cost: Ints, distance: Ints) -> None:
    """Fill in the least cost between each pair of cities."""
    n = tables.n_cities
    weight = np.full((n, n), UNREACHABLE, dtype=np.int64)
    for route in range(tables.n_routes):
        a, b = tables.city_a[route], tables.city_b[route]
        weight[a, b] = weight[b, a] = min(weight[a, b], cost[route])
    all_distances(weight, distance)


@compiled
def _fill_ends(tables: Tables, ticket: int, distance: Ints, rows: Ints) -> int:
    """Fill in each city's distances from the ends of a ticket (nearest destination); return that between them."""
    least = UNREACHABLE
    goal = tables.goal_start[ticket]
    for i in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
        between = _fewest_between(tables, tables.origin[ticket], tables.goal_place[i], distance)
        if between < least:
            least = between
            goal = i
    _fill_row(tables, tables.origin[ticket], distance, rows[0])
    _fill_row(tables, tables.goal_place[goal], distance, rows[1])
    return least


@compiled
def _fill_row(tables: Tables, place: int, distance: Ints, row: Ints) -> None:
    """Fill in each city's distance from a place."""
    for city in range(len(row)):
        row[city] = UNREACHABLE
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            row[city] = min(row[city], distance[tables.place_city[i], city])


@compiled
def _fewest_joint(one: Ints, two: Ints, distance: Ints, apart: int) -> int:
    """Return the cost of a tree with two branching cities that connects the ends of two tickets; at most `apart`."""
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
    Fill in the features of each ticket, and the overlap of the remaining paths of each pair.

    The overlap is capped at that on an empty board, since on detours around other
    players' routes, any two tickets overlap.
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
        row[DETOUR] = max(0, min(need[ticket], _MAX_NEEDED) - alone.routes[ticket])
        row[LATE_ROUTES] = built * row[ROUTES_ALONE]


@compiled
def fill_on_way(state: State, tables: Tables, seat: int, on_way: Ints) -> None:
    """
    Fill in which of a seat's routes are on the path of each ticket: bit n for its nth route.

    Paths are the shortest in trains; of several equally short ones, all count. The seat's
    own routes cost less than half, so that a path along them is preferred to new paths
    that are not much shorter. 0 if there is no path.
    """
    cost = np.empty(tables.n_routes, dtype=np.int64)
    distance = np.empty((tables.n_cities, tables.n_cities), dtype=np.int64)
    for route in range(tables.n_routes):
        is_open = track_fault(state, tables, seat, route) == NONE
        per_train = _OWN_TRAIN if state.owner[route] == seat else _NEW_TRAIN
        cost[route] = per_train * tables.length[route] if is_open or state.owner[route] == seat else UNREACHABLE
    _fill_distances(tables, cost, distance)
    rows = np.empty((2, tables.n_cities), dtype=np.int64)
    for ticket in range(tables.n_tickets):
        least = _fill_ends(tables, ticket, distance, rows)
        on_way[ticket] = 0
        if least >= UNREACHABLE:
            continue
        bit = 1
        for route in range(tables.n_routes):
            if state.owner[route] == seat and bit <= _LAST_BIT:
                a, b = tables.city_a[route], tables.city_b[route]
                if cost[route] + min(rows[0, a] + rows[1, b], rows[1, a] + rows[0, b]) == least:
                    on_way[ticket] |= bit
                bit <<= 1


@compiled
def _scatter(state: State, tables: Tables, seat: int) -> float:
    """Return the number of separate networks of a seat's routes, divided by its number of routes."""
    network = np.zeros(tables.n_cities, dtype=np.int64)  # network of each city, 0 for none
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
