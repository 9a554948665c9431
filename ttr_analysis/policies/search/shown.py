"""
Infer when a seat got the tickets that it shows at the end of a record.

Logs of online games give the number of tickets kept, and name the tickets only in
the final scoring. Each possible order has a likelihood, a product over tickets: a
seat builds for the tickets that it holds, so a ticket that its earlier routes
already served was probably kept earlier, and one that its next claims serve, just
then. A ticket logged as completed was held by then. Orders are drawn by Gibbs
sampling, which swaps two tickets at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import expit

from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine.layout import AT_PILE, KEEP_START, UNKNOWN_TICKET, State
from ttr_analysis.policies.search.beliefs import DONE, N_FEATURES, SHARE, alone_on, fill_on_way, fill_ticket_features
from ttr_analysis.records.record import GameRecord
from ttr_analysis.tables import MAX_TICKETS, Tables, game_tables

# Fitted by maximum likelihood to 728 seats of planners who draw many tickets, on all maps.
_SHARE_WEIGHT: Final = -1.51
"""Log odds of keeping a ticket in a turn if the seat's routes had covered its whole path before."""
_DONE_WEIGHT: Final = -2.15
"""Added to the log odds if the ticket was complete before."""
_ROUTE_WEIGHT: Final = -0.63
"""Added for each earlier claim on the ticket's path, divided among the tickets that use the route."""
_NEXT_WEIGHT: Final = 1.29
"""Added for each of the next claims on the ticket's path, divided likewise."""
_N_NEXT: Final = 2
"""Number of next claims that count."""
_NEVER: Final = -1e6
"""Log odds of an impossible turn."""
N_ORDERS: Final = 64
"""Orders of a seat: the likeliest one, and random ones."""
_N_SWEEPS: Final = 4
"""Sweeps over all pairs of tickets between two orders."""
_SEED: Final = 7
_MAX_ROUTES: Final = 62
"""Maximum number of routes of a seat, which fit into the bits of `fill_on_way`."""


@lru_cache(maxsize=2)
def packed_steps(record: GameRecord) -> tuple[Ints, Ints]:
    """Return the packed states of a record, one per row, and the code and value of the step before each."""
    timeline = record.timeline()
    return timeline.vectors(), np.array([(step.code, step.value) for step in timeline.steps])


@lru_cache(maxsize=16)
def ticket_orders(record: GameRecord, seat: int) -> Ints:
    """
    Return possible orders of a seat's tickets, one per row: the likeliest first, then random ones.

    There is a single row if only one order is possible, and none if the record knows
    all tickets when they are kept, or never names them.
    """
    states, _ = packed_steps(record)
    last, tickets = State(states[-1]), State.across(states, "held")[:, seat]
    held = last.held[seat, : last.n_held[seat]].copy()
    n_held = State.across(states, "n_held")[:, seat]
    kept_at = np.array([int(np.argmax(n_held > place)) for place in range(len(held))], dtype=np.int64)
    places = np.flatnonzero(tickets[kept_at, np.arange(len(held))] == UNKNOWN_TICKET)
    if not len(places) or UNKNOWN_TICKET in held or n_held.max() > len(held):  # a correction took one away
        return np.zeros((0, len(held)), dtype=np.int64)
    turns, turn_of = np.unique(kept_at[places], return_inverse=True)
    orders = np.tile(held, (N_ORDERS if len(turns) > 1 else 1, 1))
    shown_at = 1 + int(np.flatnonzero(tickets[:, places[0]] == UNKNOWN_TICKET)[-1])
    odds = _odds(record, seat, states[:shown_at], held[places], turns)[:, turn_of]
    from scipy.optimize import linear_sum_assignment  # only logs need it, and it loads slowly

    _, now = linear_sum_assignment(odds.T, maximize=True)
    orders[0, places] = held[places][now]
    rng = np.random.default_rng(_SEED)
    for order in orders[1:]:
        for _ in range(_N_SWEEPS):
            _change_places(now, odds, turn_of, rng)
        order[places] = held[places][now]
    return orders


def _change_places(now: Ints, odds: Floats, turn_of: Ints, rng: np.random.Generator) -> None:
    """Do one Gibbs sweep: swap each pair of tickets from different turns at random, by the odds of both orders."""
    for one, other in zip(*np.triu_indices(len(now), 1), strict=True):
        if turn_of[one] != turn_of[other]:
            a, b = now[one], now[other]
            gain = odds[b, one] + odds[a, other] - odds[a, one] - odds[b, other]
            if rng.random() < expit(gain):
                now[one], now[other] = b, a


def _odds(record: GameRecord, seat: int, states: Ints, tickets: Ints, turns: Ints) -> Floats:
    """Return the log odds that a seat kept each ticket in each turn (a step of the record)."""
    tables, alone = game_tables(record.map, record.header.n_players), alone_on(record.map, record.header.n_players)
    features, shared = np.zeros((MAX_TICKETS, N_FEATURES)), np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    phase, at = State.across(states, "phase"), State.across(states, "ticket_at")
    on_way, claimed_at = _path_shares(states, tables, seat, tickets)
    odds = np.zeros((len(tickets), len(turns)))
    for i, turn in enumerate(turns):
        odds[:, i] = _ROUTE_WEIGHT * (on_way * (claimed_at < turn)).sum(axis=1)
        if turn > 0 and phase[turn - 1] != KEEP_START:
            fill_ticket_features(State(states[turn]), tables, alone, seat, features, shared)
            odds[:, i] += _SHARE_WEIGHT * features[tickets, SHARE] + _DONE_WEIGHT * features[tickets, DONE]
            comes_next = np.isin(claimed_at, np.sort(claimed_at[claimed_at >= turn])[:_N_NEXT])
            odds[:, i] += _NEXT_WEIGHT * (on_way * comes_next).sum(axis=1)
            odds[tables.deck_leaves[tables.ticket_deck[tickets]] > 0, i] = _NEVER
        odds[(at[turn:, tickets] != AT_PILE).any(axis=0), i] = _NEVER  # seen elsewhere
    has_stations = record.map.rules.stations.number > 0  # a rival's claim can then complete a ticket
    for step, (part, stamp) in enumerate(zip(record.timeline().steps, record.stamps, strict=True)):
        if stamp is None or record.entries[part.first].seat != seat:
            continue
        # A ticket complete in an earlier turn would have been logged there.
        never = turns != step if step in turns and not has_stations else turns > step
        rows = np.isin(tickets, [record.map.ticket_numbers[ticket] for ticket in stamp.completed])
        odds[np.ix_(rows, never)] = _NEVER
    return odds


def _path_shares(states: Ints, tables: Tables, seat: int, tickets: Ints) -> tuple[Floats, Ints]:
    """Return each ticket's share in each route of a seat, and the step in which the route was claimed."""
    bits = np.zeros(MAX_TICKETS, dtype=np.int64)
    fill_on_way(State(states[-1]), tables, seat, bits)
    is_own = State.across(states, "owner")[:, : tables.n_routes] == seat
    claimed_at = is_own.argmax(axis=0)[is_own[-1]][:_MAX_ROUTES]
    on_way = (bits[tickets, np.newaxis] >> np.arange(len(claimed_at)) & 1).astype(np.float64)
    return on_way / np.maximum(1.0, on_way.sum(axis=0)), claimed_at
