"""The final score of a game: one row a seat, one column for each part of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._jit import compiled
from ttr_analysis.engine.codes import Ints
from ttr_analysis.engine.layout import HELD, LOANS, N_HELD, OWNER, SCORE, TOKENS, UNKNOWN_TICKET
from ttr_analysis.rules.scoring import NO_GOAL, award, best_goal, join_cities, keep_best, ticket_score
from ttr_analysis.rules.trails import MAX_STEPS, NOT_WALKED, solved_trail, walked_trail
from ttr_analysis.tables.games import (
    BONUS,
    BONUS_CELLS,
    BREAK_PATH_BONUS,
    CITY_A,
    CITY_B,
    GOAL_PLACE,
    GOAL_POINTS,
    GOAL_START,
    LENGTH,
    LOAN_PENALTY,
    MAX_BONUSES,
    MAX_CITIES,
    MAX_GOALS,
    MAX_SEATS,
    MAX_TICKETS,
    MEASURE_COMPLETED,
    MEASURE_TRAIL,
    N_BONUSES,
    N_CITIES,
    N_ROUTES,
    N_SEATS,
    N_TIE_BREAKS,
    ORIGIN,
    PENALTY,
    PLACE_CITY,
    PLACE_START,
    START_SCORE,
    TIE_BREAK,
    ZERO_TIES,
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
COMPLETED_COLUMN: Final = 4
"""Number of completed tickets."""
UNKNOWN_COLUMN: Final = 5
"""Number of tickets that a record does not know; they score nothing."""
TRAIL_COLUMN: Final = 6
"""Trains on the longest trail."""
TOKENS_COLUMN: Final = 7
LOANS_COLUMN: Final = 8
LOAN_POINTS_COLUMN: Final = 9
"""Points for loans: 0 or less."""
TOTAL_COLUMN: Final = 10
WON_COLUMN: Final = 11
"""1 for each winner."""
BONUS_COLUMN: Final = 12
"""Points for the first bonus of the rules; the others follow."""
N_COLUMNS: Final = BONUS_COLUMN + MAX_BONUSES


def score_games(states: Ints, tables: Ints, results: Ints) -> None:
    """
    Score games as they stand.

    Trails are apart, for one that takes too long to walk is not found in
    compiled code.

    Parameters
    ----------
    states
        States of games on one map with one number of players, one a row; not
        changed.
    tables
        The map, its rules and the number of players.
    results
        Filled: for each game a row for each seat with the columns `*_COLUMN`;
        those of bonuses that the rules do not have are 0.
    """
    fill_trails(states, tables, results)
    for game, seat in np.argwhere(results[:, :, TRAIL_COLUMN] == NOT_WALKED):
        results[game, seat, TRAIL_COLUMN] = _solved_trail(states[game], tables, seat)
    fill_scores(states, tables, results)


def _solved_trail(state: Ints, tables: Ints, seat: int) -> int:
    """Return the longest trail of a seat, however long it takes to walk."""
    n = tables[N_ROUTES]
    ends = np.stack([tables[CITY_A : CITY_A + n], tables[CITY_B : CITY_B + n]], axis=1)
    chosen = (state[OWNER : OWNER + n] == seat).astype(np.int8)
    return solved_trail(ends, tables[LENGTH : LENGTH + n], chosen, np.zeros_like(chosen))


@compiled
def fill_trails(states: Ints, tables: Ints, results: Ints) -> None:
    """Fill in the longest trails, or `NOT_WALKED`."""
    n = tables[N_ROUTES]
    trail = np.empty(n, dtype=np.int8)
    for game in range(len(states)):
        state = states[game]
        for seat in range(tables[N_SEATS]):
            results[game, seat, TRAIL_COLUMN] = walked_trail(
                tables[CITY_A : CITY_A + n],
                tables[CITY_B : CITY_B + n],
                tables[LENGTH : LENGTH + n],
                state[OWNER : OWNER + n],
                seat,
                tables[N_CITIES],
                MAX_STEPS,
                trail,
            )


@compiled
def fill_scores(states: Ints, tables: Ints, results: Ints) -> None:
    """Fill in all but the trails, which are there already."""
    for game in range(len(states)):
        _score_game(states[game], tables, results[game])


@compiled
def _score_game(state: Ints, tables: Ints, result: Ints) -> None:
    for seat in range(tables[N_SEATS]):
        row = result[seat]
        row[START_COLUMN] = tables[START_SCORE + seat]
        row[ROUTES_COLUMN] = state[SCORE + seat] - tables[START_SCORE + seat]
        _score_tickets(state, tables, seat, row)
        row[TOKENS_COLUMN] = state[TOKENS + seat]
        row[LOANS_COLUMN] = state[LOANS + seat]
        row[LOAN_POINTS_COLUMN] = -tables[LOAN_PENALTY] * state[LOANS + seat]
        for i in range(MAX_BONUSES):
            row[BONUS_COLUMN + i] = 0
    _award_bonuses(state, tables, result)
    for seat in range(tables[N_SEATS]):
        row = result[seat]
        row[TOTAL_COLUMN] = (
            row[START_COLUMN] + row[ROUTES_COLUMN] + row[GAINED_COLUMN] + row[LOST_COLUMN] + row[LOAN_POINTS_COLUMN]
        )
        for i in range(tables[N_BONUSES]):
            row[TOTAL_COLUMN] += row[BONUS_COLUMN + i]
    _mark_winners(tables, result)


@compiled
def label_cities(state: Ints, tables: Ints, seat: int, label: Ints) -> None:
    """Label the cities that a seat's routes join, as `join_cities` does."""
    n = tables[N_ROUTES]
    join_cities(
        tables[CITY_A : CITY_A + n],
        tables[CITY_B : CITY_B + n],
        state[OWNER : OWNER + n],
        seat,
        label[: tables[N_CITIES]],
    )


@compiled
def goal_reached(tables: Ints, ticket: int, label: Ints) -> int:
    """Return the best destination of a ticket that is reached, as `best_goal` does."""
    return best_goal(
        ticket,
        tables[ORIGIN : ORIGIN + MAX_TICKETS],
        tables[GOAL_START : GOAL_START + MAX_TICKETS + 1],
        tables[GOAL_PLACE : GOAL_PLACE + MAX_GOALS],
        tables[PLACE_START : PLACE_START + MAX_GOALS + 1],
        tables[PLACE_CITY : PLACE_CITY + MAX_GOALS],
        label,
    )


@compiled
def _score_tickets(state: Ints, tables: Ints, seat: int, row: Ints) -> None:
    """Score the tickets of a seat."""
    label = np.empty(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, seat, label)
    for column in range(GAINED_COLUMN, UNKNOWN_COLUMN + 1):
        row[column] = 0
    for i in range(state[N_HELD + seat]):
        ticket = state[HELD + seat * MAX_TICKETS + i]
        if ticket == UNKNOWN_TICKET:
            row[UNKNOWN_COLUMN] += 1
            continue
        goal = goal_reached(tables, ticket, label)
        points = ticket_score(goal, tables[GOAL_POINTS : GOAL_POINTS + MAX_GOALS], tables[PENALTY + ticket])
        if goal == NO_GOAL:
            row[LOST_COLUMN] += points
        else:
            row[GAINED_COLUMN] += points
            row[COMPLETED_COLUMN] += 1


@compiled
def _award_bonuses(state: Ints, tables: Ints, result: Ints) -> None:
    """Fill in the columns of the bonuses."""
    n_seats = tables[N_SEATS]
    takes_part = np.empty(n_seats, dtype=np.int64)
    for i in range(tables[N_BONUSES]):
        at = BONUS + i * BONUS_CELLS
        without_loans = tables[at + 1]
        for seat in range(n_seats):
            takes_part[seat] = 0 if without_loans and state[LOANS + seat] > 0 else 1
        award(
            result[:n_seats, _column_of(tables[at])],
            takes_part,
            tables[at + 2 : at + 2 + MAX_SEATS],
            tables[ZERO_TIES],
            result[:n_seats, BONUS_COLUMN + i],
        )


@compiled
def _column_of(measure: int) -> int:
    """Return the column of a measure."""
    if measure == MEASURE_TRAIL:
        return TRAIL_COLUMN
    if measure == MEASURE_COMPLETED:
        return COMPLETED_COLUMN
    return TOKENS_COLUMN


@compiled
def _mark_winners(tables: Ints, result: Ints) -> None:
    """Mark who has most points; ties are broken step by step, and what is then still tied is a shared win."""
    n_seats = tables[N_SEATS]
    winners = result[:n_seats, WON_COLUMN]
    for seat in range(n_seats):
        winners[seat] = 1
    n_winners = keep_best(winners, result[:n_seats, TOTAL_COLUMN])
    for i in range(tables[N_TIE_BREAKS]):
        if n_winners == 1:
            return
        measure = tables[TIE_BREAK + i]
        if measure == BREAK_PATH_BONUS:
            has_bonus = np.zeros(n_seats, dtype=np.int64)
            _mark_path_bonus(tables, result, has_bonus)
            n_winners = keep_best(winners, has_bonus)
        else:
            n_winners = keep_best(winners, result[:n_seats, _column_of(measure)])


@compiled
def _mark_path_bonus(tables: Ints, result: Ints, has_bonus: Ints) -> None:
    """Mark who has points for the longest trail."""
    for i in range(tables[N_BONUSES]):
        if tables[BONUS + i * BONUS_CELLS] == MEASURE_TRAIL:
            for seat in range(has_bonus.size):
                if result[seat, BONUS_COLUMN + i] > 0:
                    has_bonus[seat] = 1
