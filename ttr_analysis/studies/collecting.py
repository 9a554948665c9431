"""
From the events of a game to the numbers that studies keep, compiled.

A game is followed a second time, event by event, through the same `step` that
played it; between its moves the state is asked what studies want to know. So
nothing here knows a rule, and whoever played (the kernel, a policy in Python,
people at a table) is counted alike.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import (
    CARD_DEALT,
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    KEEP_TICKETS,
    NEUTRAL_TICKET,
    PASS,
    PAY_TUNNEL,
    READ_AT,
    READ_END,
    TAPE_START,
    WRITE_AT,
    WRITE_END,
    argument_of,
    kind_of,
    seat_of,
    unpack_cards,
)
from ttr_analysis.engine.kernel.legal import track_fault
from ttr_analysis.engine.kernel.scoring import goal_reached, label_cities
from ttr_analysis.engine.kernel.setup import new_game
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.layout import KEEP_START, NEUTRAL_OWNER, NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.policies.planner.pay import tunnel_odds
from ttr_analysis.rules.chance import N_WORDS
from ttr_analysis.rules.scoring import NO_GOAL, ticket_score
from ttr_analysis.rules.tunnel import color_played
from ttr_analysis.tables.games import MAX_CITIES, MAX_ROUTES, Tables

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEVER: Final = -1
"""A turn that did not come."""
NEUTRAL_SEAT: Final = -1
"""The neutral player, where a seat is named."""
CLOSED: Final = -1
"""The cost of a route that cannot be used."""
FAR: Final = 1 << 30
"""Trains of a way that there is not."""

# -- columns of a row of tickets, one for each ticket offered ------------------

TICKET_SEAT: Final = 0
TICKET: Final = 1
OFFERED: Final = 2
"""The seat's turn in which it was offered; 0 at the start."""
IS_KEPT: Final = 3
COMPLETED: Final = 4
"""The seat's turn after which it was first complete, else `NEVER`."""
GOAL: Final = 5
"""Which of its destinations counted in the end, from 0, else `NO_GOAL`."""
TICKET_POINTS: Final = 6
TRAINS_THEN: Final = 7
"""Trains of the seat when it was offered."""
TRAINS_ON_WAY: Final = 8
"""Trains on the shortest way over the seat's routes in the end, to the destination that counted, else `NEVER`."""
LOST_TO: Final = 9
"""The route by whose claim it was lost (see `_losing_claim`), else `NEVER`."""
N_TICKET_COLUMNS: Final = 10

# -- columns of a row of claims, one for each attempt --------------------------

CLAIM_SEAT: Final = 0
ROUTE: Final = 1
CLAIM_TURN: Final = 2
IS_TAKEN: Final = 3
LAID_DOWN: Final = 4
"""Cards laid down, packed."""
PLAYED: Final = 5
"""The color played; 8 for locomotives alone."""
DEMANDED: Final = 6
"""Surcharge of a tunnel (cards)."""
PAID_MORE: Final = 7
"""Cards paid for it, packed."""
NEW_LOANS: Final = 8
N_CLAIM_COLUMNS: Final = 9

N_MOVE_KINDS: Final = PASS + 1
"""Kinds of moves; a seat's moves are counted by kind."""


@compiled
def script_game(rows: Ints, tape: Ints) -> None:
    """
    Write the outcomes of chance of a game on a tape, to be read in order.

    Parameters
    ----------
    rows
        Codes and values of all events, shape (events, 2).
    tape
        Filled; `TAPE_START` cells longer than the events, or more.
    """
    at = TAPE_START
    for i in range(len(rows)):
        if CARD_DEALT <= kind_of(rows[i, 0]) <= NEUTRAL_TICKET:
            tape[at] = rows[i, 0]
            tape[at + 1] = rows[i, 1]
            at += 2
    tape[READ_AT] = TAPE_START
    tape[READ_END] = tape[WRITE_AT] = tape[WRITE_END] = at


@compiled
def collect_game(
    tables: Tables,
    rows: Ints,
    state: State,
    tape: Ints,
    tickets: Ints,
    claims: Ints,
    odds: Floats,
    moves: Ints,
) -> tuple[int, int]:
    """
    Follow a game to its end; note its tickets and claims, and count the moves of each seat.

    Parameters
    ----------
    tables
        The map, its rules and the number of players.
    rows
        Codes and values of all events, shape (events, 2).
    state
        Filled with the last state.
    tape
        To work with: see `script_game`.
    tickets, claims
        Filled with one row for each ticket offered and each claim attempted,
        those of the neutral player included, as many as there are events at
        most.
    odds
        For each row of claims, the probability that the seat could pay what
        the tunnel demands, from all that it could see; 1 without a tunnel.
    moves
        Filled with the number of moves of each seat by kind.

    Returns
    -------
    n_tickets, n_claims
        Rows filled; -1 if the events are not those of a game on this map.
    """
    label = np.empty(MAX_CITIES, dtype=np.int64)
    moves[:] = 0
    script_game(rows, tape)
    new_game(tables, np.zeros(N_WORDS, dtype=np.int64), 0, state, tape)
    n_tickets = 0
    n_claims = 0
    for i in range(len(rows)):
        kind, seat, value = kind_of(rows[i, 0]), seat_of(rows[i, 0]), rows[i, 1]
        if kind > PASS:
            continue
        moves[seat, kind] += 1
        turn = _turn(state, tables, kind)
        n_routes, loans = state.n_claims, state.loans[seat]
        if kind == KEEP_TICKETS:
            n_tickets = _note_offer(state, seat, turn, value, tickets, n_tickets)
        elif kind == CLAIM_ROUTE:
            route = argument_of(rows[i, 0])
            odds[n_claims] = _note_claim(state, tables, seat, turn, route, value, claims[n_claims])
            n_claims += 1
        elif kind == PAY_TUNNEL:
            claims[n_claims - 1, PAID_MORE] = value
        step(state, tables, rows[i, 0] - 16 * seat, value, tape)
        if kind == CLAIM_ROUTE and state.pending >= 0:
            claims[n_claims - 1, DEMANDED] = state.surcharge
        elif kind in (CLAIM_ROUTE, PAY_TUNNEL):
            claims[n_claims - 1, IS_TAKEN] = 1
            claims[n_claims - 1, NEW_LOANS] = state.loans[seat] - loans
        if state.n_claims > n_routes or kind == KEEP_TICKETS:
            n_claims = _note_neutral(state, n_routes, turn, claims, odds, n_claims)
            _note_completed(state, tables, seat, turn, label, tickets[:n_tickets])
    for seat in range(tables.n_seats):
        _note_points(state, tables, seat, label, tickets[:n_tickets])
        _note_ways(state, tables, seat, tickets[:n_tickets])
    return (-1, -1) if state.fault else (n_tickets, n_claims)


@compiled
def _turn(state: State, tables: Tables, kind: int) -> int:
    """Return the turn of the seat that moves; the round that is complete, if the neutral player is moved."""
    n_rounds = state.n_turns // tables.n_seats
    if state.phase == KEEP_START:
        return 0
    return int(n_rounds if kind == CHOOSE_NEUTRAL else n_rounds + 1)


@compiled
def _note_offer(state: State, seat: int, turn: int, kept: int, tickets: Ints, n: int) -> int:
    """Note the tickets that a seat chooses from; return the number of rows."""
    for i in range(state.n_offer[seat]):
        row = tickets[n]
        row[TICKET_SEAT] = seat
        row[TICKET] = state.offer[seat, i]
        row[OFFERED] = turn
        row[IS_KEPT] = kept >> i & 1
        row[COMPLETED] = NEVER
        row[GOAL] = NO_GOAL
        row[TICKET_POINTS] = 0
        row[TRAINS_THEN] = state.trains[seat]
        row[TRAINS_ON_WAY] = NEVER
        row[LOST_TO] = NEVER
        n += 1
    return n


@compiled
def _note_claim(state: State, tables: Tables, seat: int, turn: int, route: int, packed: int, row: Ints) -> float:
    """Note what is laid down for a route; return the odds that it can be taken."""
    laid = np.empty(N_KINDS, dtype=np.int64)
    unpack_cards(packed, laid)
    color = color_played(laid)
    row[:] = 0
    row[CLAIM_SEAT], row[ROUTE], row[CLAIM_TURN], row[LAID_DOWN], row[PLAYED] = seat, route, turn, packed, color
    own = 0 if color == LOCOMOTIVE_INDEX else laid[color]
    return tunnel_odds(state, tables, seat, route, color, own, laid[LOCOMOTIVE_INDEX])


@compiled
def _note_neutral(state: State, first: int, turn: int, claims: Ints, odds: Floats, n: int) -> int:
    """Note the routes that the neutral player has taken meanwhile; return the number of rows."""
    for i in range(first, state.n_claims):
        route = state.claimed[i]
        if state.owner[route] == NEUTRAL_OWNER:
            claims[n] = 0
            claims[n, CLAIM_SEAT], claims[n, ROUTE], claims[n, CLAIM_TURN] = NEUTRAL_SEAT, route, turn
            claims[n, IS_TAKEN] = 1
            odds[n] = 1.0
            n += 1
    return n


@compiled
def _note_completed(state: State, tables: Tables, seat: int, turn: int, label: Ints, tickets: Ints) -> None:
    """Note which tickets of a seat its routes complete now."""
    is_labeled = False
    for row in tickets:
        if row[TICKET_SEAT] != seat or not row[IS_KEPT] or row[COMPLETED] != NEVER or row[TICKET] == UNKNOWN_TICKET:
            continue
        if not is_labeled:
            label_cities(state, tables, seat, label)
            is_labeled = True
        if goal_reached(tables, row[TICKET], label) != NO_GOAL:
            row[COMPLETED] = turn


@compiled
def _note_points(state: State, tables: Tables, seat: int, label: Ints, tickets: Ints) -> None:
    """Note what the tickets of a seat score in the end."""
    label_cities(state, tables, seat, label)
    for row in tickets:
        if row[TICKET_SEAT] == seat and row[IS_KEPT] and row[TICKET] != UNKNOWN_TICKET:
            ticket = row[TICKET]
            goal = goal_reached(tables, ticket, label)
            row[TICKET_POINTS] = ticket_score(goal, tables.goal_points, tables.penalty[ticket])
            row[GOAL] = NO_GOAL if goal == NO_GOAL else goal - tables.goal_start[ticket]


@compiled
def _note_ways(state: State, tables: Tables, seat: int, tickets: Ints) -> None:
    """Note how long the ways of completed tickets are, and what the other ones were lost to."""
    costs = np.empty(MAX_ROUTES, dtype=np.int64)
    room = np.empty(MAX_CITIES, dtype=np.int64)
    owners = state.owner.copy()
    for row in tickets:
        if row[TICKET_SEAT] != seat or not row[IS_KEPT] or row[TICKET] == UNKNOWN_TICKET:
            continue
        if row[COMPLETED] != NEVER:
            for route in range(tables.n_routes):
                costs[route] = tables.length[route] if owners[route] == seat else CLOSED
            goal = tables.goal_start[row[TICKET]] + row[GOAL]
            row[TRAINS_ON_WAY] = _fewest_trains(tables, row[TICKET], goal, goal + 1, costs, room)
        else:
            row[LOST_TO] = _losing_claim(state, tables, seat, row[TICKET], owners, costs, room)


@compiled
def _losing_claim(state: State, tables: Tables, seat: int, ticket: int, owners: Ints, costs: Ints, room: Ints) -> int:
    """
    Return the route by whose claim a seat's trains no longer sufficed to complete a ticket.

    A claim of the seat takes as many trains as it shortens the way by, or
    more; a claim of another never shortens it. So a ticket once lost stays
    lost, and the claim is found by halving.

    Returns
    -------
    route
        `NEVER` if they sufficed to the end, or not even at the start.
    """
    if not _is_lost(state, tables, seat, ticket, state.n_claims, owners, costs, room):
        return NEVER
    low, high = -1, int(state.n_claims)
    while high - low > 1:
        middle = (low + high) // 2
        if _is_lost(state, tables, seat, ticket, middle, owners, costs, room):
            high = middle
        else:
            low = middle
    _set_back(state, owners, state.n_claims)
    return NEVER if high == 0 else int(state.claimed[high - 1])


@compiled
def _is_lost(
    state: State, tables: Tables, seat: int, ticket: int, n_claims: int, owners: Ints, costs: Ints, room: Ints
) -> bool:
    """Return whether a seat had too few trains for a ticket, on the board as it was after some claims."""
    _set_back(state, owners, n_claims)
    trains = tables.trains_each
    for route in range(tables.n_routes):
        if state.owner[route] == seat:
            costs[route] = 0
            trains -= tables.length[route]
        else:
            costs[route] = CLOSED if track_fault(state, tables, seat, route) else tables.length[route]
    first, end = tables.goal_start[ticket], tables.goal_start[ticket + 1]
    return bool(_fewest_trains(tables, ticket, first, end, costs, room) > trains)


@compiled
def _set_back(state: State, owners: Ints, n_claims: int) -> None:
    """Set the owners of routes to what they were after the first claims."""
    for i in range(state.n_claims):
        route = state.claimed[i]
        state.owner[route] = owners[route] if i < n_claims else NOBODY


@compiled
def _fewest_trains(tables: Tables, ticket: int, first: int, end: int, costs: Ints, room: Ints) -> int:
    """Return what the cheapest way of a ticket to one of its goals from `first` to before `end` costs, else `FAR`."""
    for city in range(room.size):
        room[city] = FAR
    place = tables.origin[ticket]
    for i in range(tables.place_start[place], tables.place_start[place + 1]):
        room[tables.place_city[i]] = 0
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for route in range(tables.n_routes):
            if costs[route] == CLOSED:
                continue
            a, b = tables.city_a[route], tables.city_b[route]
            for here, there in ((a, b), (b, a)):
                if room[here] + costs[route] < room[there]:
                    room[there] = room[here] + costs[route]
                    is_shorter = True
    fewest = FAR
    for goal in range(first, end):
        place = tables.goal_place[goal]
        for i in range(tables.place_start[place], tables.place_start[place + 1]):
            fewest = min(fewest, room[tables.place_city[i]])
    return int(fewest)


@compiled
def unpack_all(packed: Ints, cards: Ints) -> None:
    """Fill in the nine counts of each packed number, one row each."""
    for i in range(len(packed)):
        unpack_cards(packed[i], cards[i])
