"""
What can be believed of the tickets of a seat from the routes that it has claimed.

The tickets of a seat are a set of those that are not seen elsewhere. The odds
of a set are the product of the weights of its tickets, of its pairs and, in one
model, of the routes of the seat that are on the way of any of them: a Gibbs
measure. The weight of a ticket shows how well the routes of the seat fit it;
that of a pair, how much of the two ways still to go is the same; and a set that
leaves routes unexplained is less likely than one that gives each a purpose.
There are two sets of constants (`Model`): `SOUND`, for questions of what is
likely, and `IN_PLAY`, for the search. `python -m scripts.fit_beliefs` finds
them again, by maximum likelihood, and compares beliefs with what was true.
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
from ttr_analysis.engine.layout import KEEP_START, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.random import Random
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.tables import MAX_OFFER, MAX_TICKETS, Tables, game_tables


class Beliefs(NamedTuple):
    """
    How likely the tickets of each seat are.

    Parameters
    ----------
    weights
        Weight of each ticket, shape (seats, `MAX_TICKETS`).
    pairs
        Weight of each two tickets, shape (seats, `MAX_TICKETS`, `MAX_TICKETS`).
    on_way
        Routes of the seat on the way of each ticket, as bits, shape (seats,
        `MAX_TICKETS`).
    per_route
        Weight of each route of the seat that is on the way of a ticket of the
        set, of one or of several.
    chosen
        Part of the worlds in which each seat holds tickets that its player would
        choose of an opening offer: of the sets drawn, the first such stays. What
        is drawn later, for other seats and of decks that left the game, is not
        asked again.
    is_tree
        1 if only those pairs count that join a set to one tree.
    """

    weights: Floats
    pairs: Floats
    on_way: Ints
    per_route: Floats
    chosen: Floats
    is_tree: int = 1


class Model(NamedTuple):
    """
    How likely tickets are, by their signs.

    Parameters
    ----------
    fit
        What each feature adds to the logarithm of a ticket's weight.
    pair_fit
        The same for a pair: see `pair_features`.
    way_fit
        What each route of a seat that is on the way of a ticket of the set adds
        to the logarithm, and what it adds once more, times the part of its trains
        that the seat has placed.
    is_tree
        Whether only the pairs count that join a set to one tree. If not, all of
        them do, each for less the more tickets a seat holds.
    since_opening
        What all its trains placed add to the logarithm for a ticket of a deck that
        is dealt at the opening only. A planner builds for such a ticket from the
        start, while others may be drawn late: then it is below 0.
    most_offered
        Largest opening offer of which the player is asked what it would choose, so
        that its tickets are such as it would; each ticket more doubles its choices,
        and the time that they take. 0: never.
    """

    fit: Floats
    pair_fit: Floats
    way_fit: Floats
    is_tree: bool
    since_opening: float
    most_offered: int

    def pair_part(self, n_held: int) -> float:
        """
        Return the part of a pair's weight that counts for a seat with this number of tickets.

        If all pairs counted in full, any cluster of tickets close to each other would
        be believed in, once a seat held enough of them.
        """
        return 1.0 if self.is_tree else 1 / sqrt(max(1, n_held - 1))


SOUND: Final = Model(
    np.array([2.27, 1.23, -0.3, 0.1, 0.01, -0.11, 1.6, 2.18, 2.29, -1.09, 0.18, -1.13]),
    np.array([0.45, -0.36, 2.28]),
    np.array([2.35, -1.33]),
    is_tree=True,
    since_opening=0.0,
    most_offered=MAX_OFFER,
)
"""With it win probabilities were soundest, of planners and others; its constants come from games of planners alone."""
IN_PLAY: Final = Model(
    np.array([3.15, 1.69, -0.59, -0.69, 0.1, -0.74, -0.2, 2.49, 3.96, -1.97, 0.0, 0.0]),
    np.array([1.74, -0.92, 0.0]),
    np.array([0.0, 0.0]),
    is_tree=False,
    since_opening=-2.5,
    most_offered=4,
)
"""
What the search plays by; the constants come from games of planners of many styles, and a few greedy players.

That `Searcher` plays as well with `SOUND` in its place could not be shown: see `docs/winning.md`.
"""
EXCLUDED_WEIGHT: Final = 1e-30
"""By this the weight of a ticket is multiplied that a seat cannot hold: it gets one only where there is no other."""
_OWN_TRAIN: Final = 2
"""On the way of a ticket, what a train counts on a route that the seat has,"""
_NEW_TRAIN: Final = 5
"""and on one that it has not. Of ratios from 0 to 4 in 5, beliefs were best with this one."""
_LAST_BIT: Final = 1 << 61
"""Of the last route of a seat that is looked at: the next but one would be below 0. No seat of our maps has as many."""
_MOST_NEEDED: Final = 15
"""Routes that a ticket is said to need which cannot be completed."""


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


def believe(known: Knowledge, policies: Sequence[object], model: Model = SOUND) -> Beliefs:
    """
    Return how likely the tickets of each seat are, by a model.

    Routes of a player at random show nothing: all its tickets are as likely. Any
    other player is taken for a planner. What was chosen of an opening offer is
    asked of the player itself.
    """
    shape = (known.n_players, MAX_TICKETS)
    on_way = np.zeros(shape, dtype=np.int64)
    per_route, chosen = np.ones(known.n_players), np.zeros(known.n_players)
    beliefs = Beliefs(np.ones(shape), np.ones((*shape, MAX_TICKETS)), on_way, per_route, chosen, int(model.is_tree))
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
            np.exp(joint * model.pair_part(known.packed.n_held[seat]), out=beliefs.pairs[seat])
            if model.way_fit.any():
                fill_on_way(known.packed, known.tables, seat, on_way[seat])
                per_route[seat] = np.exp(model.way_fit @ [1.0, built_part(known, seat)])
            chosen[seat] = chosen_part(known, seat) if known.tables.opening_deal <= model.most_offered else 0.0
        beliefs.weights[seat, sorted(known.excluded[seat])] *= EXCLUDED_WEIGHT
    return beliefs


def chosen_part(known: Knowledge, seat: int) -> float:
    """
    Return the part of the worlds in which a seat holds what its player would choose of an opening offer.

    All of them, if none of its tickets is known and they may be those that it kept;
    once it has placed half of its trains, fewer the more it places: its routes show more
    by then, and asking its player would cost more time than the rollout.
    """
    held, tables, state = known.held(seat), known.tables, known.packed
    is_as_many = tables.opening_keep <= len(held) <= tables.opening_deal
    if state.phase == KEEP_START or not is_as_many or (held != UNKNOWN_TICKET).any():
        return 0.0
    return min(1.0, 2 * float(state.trains[seat] / tables.trains_each))


def built_part(known: Knowledge, seat: int) -> float:
    """Return the part of its trains that a seat has placed."""
    return float(1.0 - known.packed.trains[seat] / known.tables.trains_each)


def pair_features(known: Knowledge, alone: Alone, seat: int, shared: Ints) -> Floats:
    """
    Return how many routes the ways of each two tickets have in common.

    First those still to go, then those on an empty board: what is built already
    speaks for both at once. Then the former times the part of its trains that the
    seat has placed.
    """
    return np.array([shared, alone.shared, built_part(known, seat) * shared])


def _even_decks(known: Knowledge, alone: Alone, seat: int, weights: Floats, model: Model) -> None:
    """
    Let an empty board say nothing of the deck of a ticket, where one is dealt at the opening only.

    How likely the seat is to have kept a ticket of it then depends on how many it
    kept. The length of tickets, and what they have in common with others, only
    distinguish those of one deck.
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
        of_shared = (model.pair_fit @ [1.0, 1.0, 0.0]) * model.pair_part(n_others + 1)
        joint = np.exp(of_shared * alone.shared[:n, :n][:, stays])
        if model.is_tree:
            at_first *= mean_largest(joint, at_first[stays], n_others)
        else:
            at_first *= np.average(joint, axis=1, weights=at_first[stays]) ** n_others
    since_opening = np.exp(model.since_opening * built_part(known, seat))
    for leaving in np.unique(deck[~stays]):
        some = np.flatnonzero(deck == leaving)
        weights[some] *= at_first[stays].mean() / at_first[some].mean() * since_opening


def mean_largest(values: Floats, weights: Floats, n: int) -> Floats:
    """Return the mean of the largest of `n` values that are drawn from each row by their weights."""
    order = np.argsort(values, axis=1)
    below = np.cumsum(weights[order], axis=1) / weights.sum()
    parts = np.diff(below**n, axis=1, prepend=0.0)
    means: Floats = (np.take_along_axis(values, order, axis=1) * parts).sum(axis=1)
    return means


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
DETOUR: Final = 10
"""Routes that it takes more than on an empty board, on a way around what others have closed."""
LATE_ROUTES: Final = 11
"""Routes that it takes on an empty board, times the part of its trains that the seat has placed."""
N_FEATURES: Final = 12


class Alone(NamedTuple):
    """What tickets take on an empty board: fewest routes and trains, and routes that each two can share."""

    routes: Ints
    trains: Ints
    shared: Ints


@compiled
def fill_needs(tables: Tables, cost: Ints, need: Ints, shared: Ints) -> None:
    """
    Fill in what each ticket costs at least, and what each two have in common.

    Parameters
    ----------
    cost
        Cost of each route, `UNREACHABLE` if it is closed.
    need
        Filled with costs to the nearest destination; `UNREACHABLE` or more if
        there is none.
    shared
        Filled with what two tickets cost less together than each alone.
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
    """Fill in the least cost between each two cities."""
    n = tables.n_cities
    weight = np.full((n, n), UNREACHABLE, dtype=np.int64)
    for route in range(tables.n_routes):
        a, b = tables.city_a[route], tables.city_b[route]
        weight[a, b] = weight[b, a] = min(weight[a, b], cost[route])
    all_distances(weight, distance)


@compiled
def _fill_ends(tables: Tables, ticket: int, distance: Ints, rows: Ints) -> int:
    """Fill in the distance of each city from both ends of a ticket, of its destinations the nearest; return theirs."""
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
    Fill in the features of each ticket, and what the ways of each two still have in common.

    These are no more routes than on an empty board: on a way around what others
    have closed any two tickets fall together.
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
        row[DETOUR] = max(0, min(need[ticket], _MOST_NEEDED) - alone.routes[ticket])
        row[LATE_ROUTES] = built * row[ROUTES_ALONE]


@compiled
def fill_on_way(state: State, tables: Tables, seat: int, on_way: Ints) -> None:
    """
    Fill in which routes of a seat are on the way of each ticket: bits, the nth for its nth route.

    Ways are the shortest in trains, all of several that are equally short. A route
    that the seat has counts for less than half, so that a way along what is built
    is preferred to new ones that are not much shorter. 0 if there is no way.
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
