"""The final score of a game: one row per seat, one column per part."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._compile import Flags, Ints, Narrow, compiled, quickly_compiled
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.rules.scoring import NO_GOAL, award, best_goal, is_lent, join_cities, keep_best, relabel, ticket_score
from ttr_analysis.rules.trails import MAX_STEPS, NOT_WALKED, solved_trail, walked_trail
from ttr_analysis.tables import (
    BREAK_PATH_BONUS,
    BREAK_STATIONS,
    MAX_BONUSES,
    MAX_CITIES,
    MAX_ROUTES,
    MAX_STATIONS,
    MEASURE_COMPLETED,
    MEASURE_TOKENS,
    MEASURE_TRAIL,
    N_MEASURES,
    Tables,
)

# -- columns of a result ------------------------------------------------------

START_COLUMN: Final = 0
"""Points at the start."""
ROUTES_COLUMN: Final = 1
"""Points for routes."""
GAINED_COLUMN: Final = 2
"""Points for completed tickets."""
LOST_COLUMN: Final = 3
"""Points for the other tickets: 0 or less."""
LOAN_POINTS_COLUMN: Final = 4
"""Points for loans: 0 or less."""
STATIONS_COLUMN: Final = 5
"""Points for unused stations."""
BONUS_COLUMN: Final = 6
"""Points for the first bonus of the rules; the others follow."""
N_PARTS: Final = BONUS_COLUMN + MAX_BONUSES
"""Columns of points so far; together they are the total."""
MEASURE_COLUMN: Final = N_PARTS
"""First column of the measures that bonuses and tie-breaks compare, in the order of their numbers."""
TRAIL_COLUMN: Final = MEASURE_COLUMN + MEASURE_TRAIL
COMPLETED_COLUMN: Final = MEASURE_COLUMN + MEASURE_COMPLETED
"""Number of completed tickets."""
TOKENS_COLUMN: Final = MEASURE_COLUMN + MEASURE_TOKENS
PATH_BONUS_COLUMN: Final = MEASURE_COLUMN + BREAK_PATH_BONUS
"""1 for each seat with a bonus for the longest trail."""
STATIONS_LEFT_COLUMN: Final = MEASURE_COLUMN + BREAK_STATIONS
UNKNOWN_COLUMN: Final = MEASURE_COLUMN + N_MEASURES
"""Number of tickets unknown to the record; they score nothing."""
LOANS_COLUMN: Final = UNKNOWN_COLUMN + 1
TOTAL_COLUMN: Final = LOANS_COLUMN + 1
WON_COLUMN: Final = TOTAL_COLUMN + 1
"""1 for each winner."""
N_COLUMNS: Final = WON_COLUMN + 1


def score_games(states: Ints, tables: Tables, results: Ints) -> None:
    """Fill in the current scores of games: one row for each game, seat and column."""
    fill_trails(states, tables, results)
    for game, seat in np.argwhere(results[:, :, TRAIL_COLUMN] == NOT_WALKED):
        results[game, seat, TRAIL_COLUMN] = _solved_trail(State(states[game]), tables, seat)
    fill_scores(states, tables, results)


def margins(points: Ints | Narrow) -> Ints:
    """Return each seat's lead over the best other seat in each game."""
    wide = points.astype(np.int64)
    if wide.shape[1] == 1:
        return wide
    ranked = np.sort(wide, axis=1)
    best, second = ranked[:, -1:], ranked[:, -2:-1]
    ahead: Ints = np.where(wide == best, wide - second, wide - best)
    return ahead


def _solved_trail(state: State, tables: Tables, seat: int) -> int:
    n = tables.n_routes
    ends = np.stack([tables.city_a[:n], tables.city_b[:n]], axis=1)
    chosen = (state.owner[:n] == seat).astype(np.int8)
    return solved_trail(ends, tables.length[:n], chosen, np.zeros_like(chosen))


@compiled
def fill_trails(states: Ints, tables: Tables, results: Ints) -> None:
    """Fill in the longest trails, or `NOT_WALKED`."""
    n = tables.n_routes
    trail = np.empty(n, dtype=np.int8)
    for game in range(len(states)):
        state = State(states[game])
        for seat in range(tables.n_seats):
            results[game, seat, TRAIL_COLUMN] = walked_trail(
                tables.city_a[:n],
                tables.city_b[:n],
                tables.length[:n],
                state.owner[:n],
                seat,
                tables.n_cities,
                MAX_STEPS,
                trail,
            )


@compiled
def fill_scores(states: Ints, tables: Tables, results: Ints) -> None:
    """Fill in everything except the trails, which must already be filled in."""
    for game in range(len(states)):
        _score_game(State(states[game]), tables, results[game])


@compiled
def _score_game(state: State, tables: Tables, result: Ints) -> None:
    for seat in range(tables.n_seats):
        row = result[seat]
        row[START_COLUMN] = tables.start_score[seat]
        row[ROUTES_COLUMN] = state.score[seat] - tables.start_score[seat]
        _score_tickets(state, tables, seat, row)
        row[TOKENS_COLUMN] = state.tokens[seat]
        row[LOANS_COLUMN] = state.loans[seat]
        row[LOAN_POINTS_COLUMN] = -tables.loan_penalty * state.loans[seat]
        row[STATIONS_COLUMN] = tables.station_points * state.stations[seat]
        row[STATIONS_LEFT_COLUMN] = state.stations[seat]
        row[BONUS_COLUMN:N_PARTS] = 0
        row[PATH_BONUS_COLUMN] = 0
    _award_bonuses(state, tables, result)
    for seat in range(tables.n_seats):
        result[seat, TOTAL_COLUMN] = result[seat, :N_PARTS].sum()
    _mark_winners(tables, result)


@quickly_compiled
def label_cities(state: State, tables: Tables, seat: int, label: Ints) -> None:
    """Label the cities connected by a seat's routes, as `join_cities` does."""
    n = tables.n_routes
    join_cities(tables.city_a[:n], tables.city_b[:n], state.owner[:n], seat, label[: tables.n_cities])


@compiled
def join_ends(tables: Tables, route: int, label: Ints) -> bool:
    """Merge the labels of a route's two ends; return whether they differed."""
    old, new = label[tables.city_a[route]], label[tables.city_b[route]]
    relabel(label[: tables.n_cities], old, new)
    return bool(old != new)


@quickly_compiled
def goal_reached(tables: Tables, ticket: int, label: Ints) -> int:
    """Return the best destination that a ticket reaches, as `best_goal` does."""
    return best_goal(
        ticket,
        tables.origin,
        tables.goal_start,
        tables.goal_place,
        tables.place_start,
        tables.place_city,
        label,
    )


@compiled
def _score_tickets(state: State, tables: Tables, seat: int, row: Ints) -> None:
    label = np.empty(MAX_CITIES, dtype=np.int64)
    borrowed = np.empty(MAX_STATIONS, dtype=np.int64)
    label_at_end(state, tables, seat, label, borrowed)
    row[GAINED_COLUMN] = row[LOST_COLUMN] = row[COMPLETED_COLUMN] = row[UNKNOWN_COLUMN] = 0
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket == UNKNOWN_TICKET:
            row[UNKNOWN_COLUMN] += 1
            continue
        goal = goal_reached(tables, ticket, label)
        points = ticket_score(goal, tables.goal_points, tables.penalty[ticket])
        if goal == NO_GOAL:
            row[LOST_COLUMN] += points
        else:
            row[GAINED_COLUMN] += points
            row[COMPLETED_COLUMN] += 1


@compiled
def mark_completed(tables: Tables, states: Ints, seats: Ints, tickets: Ints, done: Flags) -> None:
    """Mark which tickets, held or not, a seat of each game has completed; `done` has shape (games, tickets)."""
    label = np.empty(MAX_CITIES, dtype=np.int64)
    borrowed = np.empty(MAX_STATIONS, dtype=np.int64)
    for i in range(len(states)):
        label_at_end(State(states[i]), tables, seats[i], label, borrowed)
        for j in range(len(tickets)):
            done[i, j] = goal_reached(tables, tickets[j], label) != NO_GOAL


# -- stations ------------------------------------------------------------------------------------------------------


@quickly_compiled
def label_at_end(state: State, tables: Tables, seat: int, label: Ints, borrowed: Ints) -> None:
    """
    Label the cities connected by a seat's own and borrowed routes, and fill in the borrowed ones.

    Each station borrows one route, the same for all tickets, or none (-1). The best choice
    has the most points for tickets, then the most tickets completed, then the fewest routes
    borrowed, then the most points gained. All choices are tried; ties go to the first.
    """
    label_cities(state, tables, seat, label)
    borrowed[:MAX_STATIONS] = NOBODY
    if state.stations[seat] == tables.stations_each:
        return
    routes = np.empty(MAX_STATIONS * MAX_ROUTES, dtype=np.int64)
    first = np.empty(MAX_STATIONS + 1, dtype=np.int64)
    _find_lendable(state, tables, seat, label, routes, first)
    own = label.copy()
    way, best_way = first[:MAX_STATIONS].copy(), first[:MAX_STATIONS].copy()
    best = _try_way(state, tables, seat, own, routes, first, way, label)
    while _next_way(first, way):
        worth = _try_way(state, tables, seat, own, routes, first, way, label)
        if worth > best:
            best = worth
            for station in range(MAX_STATIONS):
                best_way[station] = way[station]
    _try_way(state, tables, seat, own, routes, first, best_way, label)
    for station in range(MAX_STATIONS):
        borrowed[station] = routes[best_way[station]] if first[station] < first[station + 1] else NOBODY


@compiled
def _find_lendable(state: State, tables: Tables, seat: int, label: Ints, routes: Ints, first: Ints) -> None:
    """List what each station may borrow, starting at `first`: nothing (-1), then one route for each group of cities."""
    station = n = 0
    for city in range(tables.n_cities):
        if state.station_at[city] == 1 + seat:
            first[station] = n
            station += 1
            routes[n] = NOBODY
            n += 1
            for route in range(tables.n_routes):
                if city not in (tables.city_a[route], tables.city_b[route]):
                    continue
                if not is_lent(state.owner[route], seat, NEUTRAL_OWNER, tables.lends_neutral):
                    continue
                other = _other_label(tables, route, city, label)
                is_new = other != label[city]
                for i in range(first[station - 1] + 1, n):
                    is_new = is_new and other != _other_label(tables, routes[i], city, label)
                if is_new:
                    routes[n] = route
                    n += 1
    for rest in range(station, MAX_STATIONS + 1):
        first[rest] = n


@compiled
def _other_label(tables: Tables, route: int, city: int, label: Ints) -> int:
    return int(label[tables.city_a[route] + tables.city_b[route] - city])


@compiled
def _next_way(first: Ints, way: Ints) -> bool:
    for station in range(MAX_STATIONS):
        if way[station] + 1 < first[station + 1]:
            way[station] += 1
            return True
        way[station] = first[station]
    return False


@compiled
def _try_way(
    state: State, tables: Tables, seat: int, own: Ints, routes: Ints, first: Ints, way: Ints, label: Ints
) -> tuple[int, int, int, int]:
    """Label the cities with borrowed routes; return points, completed tickets, minus routes borrowed, points gained."""
    label[: tables.n_cities] = own[: tables.n_cities]
    n_used = 0
    for station in range(MAX_STATIONS):
        if way[station] > first[station]:
            n_used += 1
            join_ends(tables, routes[way[station]], label)
    points = gained = completed = 0
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET:
            goal = goal_reached(tables, ticket, label)
            brought = ticket_score(goal, tables.goal_points, tables.penalty[ticket])
            points += brought
            gained += max(0, brought)
            completed += int(goal != NO_GOAL)
    return points, completed, -n_used, gained


# -- bonuses and ties ----------------------------------------------------------------------------------------------


@compiled
def _award_bonuses(state: State, tables: Tables, result: Ints) -> None:
    measure = np.empty(tables.n_seats, dtype=np.int64)
    bonus = np.empty(tables.n_seats, dtype=np.int64)
    for i in range(tables.n_bonuses):
        _read_column(result, MEASURE_COLUMN + tables.bonus_measure[i], measure)
        award_bonus(tables, i, measure, state.loans, bonus)
        for seat in range(tables.n_seats):
            result[seat, BONUS_COLUMN + i] = bonus[seat]
            if tables.bonus_measure[i] == MEASURE_TRAIL and bonus[seat] > 0:
                result[seat, PATH_BONUS_COLUMN] = 1


@compiled
def award_bonus(tables: Tables, number: int, measure: Ints, loans: Ints, bonus: Ints) -> None:
    """Fill in each seat's points for a bonus, given its measure; some bonuses exclude players with loans."""
    takes_part = np.empty(tables.n_seats, dtype=np.int64)
    for seat in range(tables.n_seats):
        takes_part[seat] = 0 if tables.bonus_without_loans[number] and loans[seat] > 0 else 1
    award(measure, takes_part, tables.bonus_points[number], tables.zero_ties, bonus)


@compiled
def _read_column(result: Ints, column: int, measure: Ints) -> None:
    for seat in range(measure.size):
        measure[seat] = result[seat, column]


@compiled
def _mark_winners(tables: Tables, result: Ints) -> None:
    """
    Mark the winners: most points, ties broken step by step, and remaining ties shared.

    Decision: if the path bonus is to break a tie but the map has none, as in Nederland,
    that step is skipped; the rule sheets do not cover ties.
    """
    n_seats = tables.n_seats
    winners = np.full(n_seats, 1, dtype=np.int64)
    measure = np.empty(n_seats, dtype=np.int64)
    _read_column(result, TOTAL_COLUMN, measure)
    n_winners = keep_best(winners, measure)
    for i in range(tables.n_tie_breaks):
        if n_winners > 1:
            _read_column(result, MEASURE_COLUMN + tables.tie_break[i], measure)
            n_winners = keep_best(winners, measure)
    for seat in range(n_seats):
        result[seat, WON_COLUMN] = winners[seat]
