"""
When a seat got the tickets that it shows at the end, where a record does not say which it kept.

The log of a game played on a site says how many tickets a player keeps, and names them
only in the final scoring. Each order in which the seat may have got them has odds: a
product over tickets, by what its routes show. A seat builds for the tickets that it
holds, so one for which it had built before it kept any ticket in that turn is likely
an earlier one. What a log says of completed tickets shows that they were held by then.
Orders are drawn by Gibbs sampling, two tickets changing places at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis.engine.layout import AT_PILE, KEEP_START, UNKNOWN_TICKET, State
from ttr_analysis.policies.search.beliefs import DONE, N_FEATURES, SHARE, alone_on, fill_on_way, fill_ticket_features
from ttr_analysis.records.record import GameRecord
from ttr_analysis.tables import MAX_TICKETS, Tables, game_tables

# Fitted by maximum likelihood to 256 seats of planners and searchers on all maps. In other games the orders drawn have
# 2 of 3 tickets in the right turn (4 in 10 by chance).
_OF_SHARE: Final = -3.7
"""Logarithm of the odds of a later turn, if the seat's routes had saved all of the ticket's way by then."""
_OF_DONE: Final = -2.2
"""The same if it had been completed by then, on top."""
_OF_ROUTE: Final = -0.56
"""The same for each route on its way claimed before a turn, shared among the tickets that use the route."""
_NEVER: Final = -1e6
"""In place of that logarithm where a ticket cannot have come in a turn."""
N_ORDERS: Final = 64
"""Orders of a seat, the likeliest and those drawn."""
_N_SWEEPS: Final = 4
"""Rounds in which each two tickets may change places, between two orders."""
_SEED: Final = 7
_MOST_ROUTES: Final = 62
"""Routes of a seat whose ways are known: see `fill_on_way`."""


@lru_cache(maxsize=2)
def packed_steps(record: GameRecord) -> tuple[Ints, Ints]:
    """Return the packed states of a record, one a row, and code and value of the step that led to each."""
    timeline = record.timeline()
    return timeline.vectors(), np.array([(step.code, step.value) for step in timeline.steps])


@lru_cache(maxsize=16)
def ticket_orders(record: GameRecord, seat: int) -> Ints:
    """
    Return orders in which a seat may have got its tickets, one a row: the likeliest first, then drawn at random.

    There is one row if there is no doubt, and none if the record knows all tickets
    as they are kept, or never names them.
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
    _, now = linear_sum_assignment(odds.T, maximize=True)
    orders[0, places] = held[places][now]
    rng = np.random.default_rng(_SEED)
    for order in orders[1:]:
        for _ in range(_N_SWEEPS):
            _change_places(now, odds, turn_of, rng)
        order[places] = held[places][now]
    return orders


def _change_places(now: Ints, odds: Floats, turn_of: Ints, rng: np.random.Generator) -> None:
    """Let each two tickets of different turns change places, or not, by the odds of both orders."""
    for one, other in zip(*np.triu_indices(len(now), 1), strict=True):
        if turn_of[one] != turn_of[other]:
            a, b = now[one], now[other]
            gain = odds[b, one] + odds[a, other] - odds[a, one] - odds[b, other]
            if rng.random() < expit(gain):
                now[one], now[other] = b, a


def _odds(record: GameRecord, seat: int, states: Ints, tickets: Ints, turns: Ints) -> Floats:
    """Return the logarithm of the odds that a seat kept each ticket in each turn, a step of the record."""
    tables, alone = game_tables(record.map, record.header.n_players), alone_on(record.map, record.header.n_players)
    features, shared = np.zeros((MAX_TICKETS, N_FEATURES)), np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    phase, at = State.across(states, "phase"), State.across(states, "ticket_at")
    on_way, claimed_at = _ways(states, tables, seat, tickets)
    odds = np.zeros((len(tickets), len(turns)))
    for i, turn in enumerate(turns):
        odds[:, i] = _OF_ROUTE * (on_way * (claimed_at < turn)).sum(axis=1)
        if turn > 0 and phase[turn - 1] != KEEP_START:
            fill_ticket_features(State(states[turn]), tables, alone, seat, features, shared)
            odds[:, i] += _OF_SHARE * features[tickets, SHARE] + _OF_DONE * features[tickets, DONE]
            odds[tables.deck_leaves[tables.ticket_deck[tickets]] > 0, i] = _NEVER
        odds[(at[turn:, tickets] != AT_PILE).any(axis=0), i] = _NEVER  # it is seen elsewhere
    has_stations = record.map.rules.stations.number > 0  # with which a claim of another may complete a ticket
    for step, (part, stamp) in enumerate(zip(record.timeline().steps, record.stamps, strict=True)):
        if stamp is None or record.entries[part.first].seat != seat:
            continue
        # A log would have named a ticket before it was kept in this turn, had it been held then and complete.
        never = turns != step if step in turns and not has_stations else turns > step
        rows = np.isin(tickets, [record.map.ticket_numbers[ticket] for ticket in stamp.completed])
        odds[np.ix_(rows, never)] = _NEVER
    return odds


def _ways(states: Ints, tables: Tables, seat: int, tickets: Ints) -> tuple[Floats, Ints]:
    """Return which part of each route of a seat is on the way of each ticket, and after which step it was claimed."""
    bits = np.zeros(MAX_TICKETS, dtype=np.int64)
    fill_on_way(State(states[-1]), tables, seat, bits)
    is_own = State.across(states, "owner")[:, : tables.n_routes] == seat
    claimed_at = is_own.argmax(axis=0)[is_own[-1]][:_MOST_ROUTES]
    on_way = (bits[tickets, np.newaxis] >> np.arange(len(claimed_at)) & 1).astype(np.float64)
    return on_way / np.maximum(1.0, on_way.sum(axis=0)), claimed_at
