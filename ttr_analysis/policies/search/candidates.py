"""What a player who searches considers: the actions that matter, of all that are legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ttr_analysis.engine.codes import BUILD_STATION, CLAIM_ROUTE, DRAW_FACE_UP, argument_of, kind_of, unpacked
from ttr_analysis.engine.kernel.scoring import label_cities
from ttr_analysis.engine.kernel.step import list_actions
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.engine.view import SeatView
from ttr_analysis.policies.planner.stations import best_lent, lend_to_stations
from ttr_analysis.tables import MAX_CITIES, Tables, game_tables

Candidate: TypeAlias = tuple[int, int]
"""Code and value of an action."""

_N_ROWS = 512
_N_STATIONS = 3
"""Stations that are tried at most."""


def candidates(view: SeatView, own: Candidate, n_claims: int) -> list[Candidate]:
    """
    Return the actions that a searcher tries.

    Parameters
    ----------
    view
        What the seat that acts can see.
    own
        What it would do without a search, a legal action.
    n_claims
        How many other claims at most.

    Returns
    -------
    found
        First `own`; then, of what is legal, one face-up card of each kind, the
        dearest claims, the stations that would add most to the seat's tickets
        as they stand, and all that is none of these. Each route comes with the
        payment that spends fewest cards and locomotives first, and with its
        other ones after those of all routes. A card of the market that is not
        known is none of them.
    """
    state = view.packed
    tables = game_tables(view.game_map, view.n_players)
    rows = _legal(state, tables)
    claims = [row for row in rows if kind_of(row[0]) == CLAIM_ROUTE]
    face_up = [row for row in rows if kind_of(row[0]) == DRAW_FACE_UP]
    stations = [row for row in rows if kind_of(row[0]) == BUILD_STATION]
    others = [row for row in rows if kind_of(row[0]) not in (CLAIM_ROUTE, DRAW_FACE_UP, BUILD_STATION)]
    dearest = [row for row in _dearest_first(claims, state, tables) if row != own][:n_claims]
    best = _best_stations(stations, state, tables)
    return list(dict.fromkeys([own, *others, *_one_of_each_kind(face_up, own, state), *dearest, *best]))


def _legal(state: State, tables: Tables) -> list[Candidate]:
    """Return codes and values of all legal actions, as `list_actions` lists them."""
    rows = np.empty((_N_ROWS, 2), dtype=np.int64)
    n = int(list_actions(state, tables, rows))
    if n > len(rows):
        rows = np.empty((n, 2), dtype=np.int64)
        n = int(list_actions(state, tables, rows))
    return [(code, value) for code, value in rows[:n].tolist()]


def _one_of_each_kind(face_up: Iterable[Candidate], own: Candidate, state: State) -> list[Candidate]:
    """Return face-up cards, of each kind the one in the first slot, none of a kind that is taken anyway."""
    slots: dict[int, Candidate] = {}
    for row in face_up:
        kind = int(state.market[argument_of(row[0])])
        if kind < UNKNOWN_CARD and (kind not in slots or row == own):
            slots[kind] = row
    return list(slots.values())


def _best_stations(stations: Iterable[Candidate], state: State, tables: Tables) -> list[Candidate]:
    """Return the stations that add most to the tickets of the seat that acts, each with the cards missed least."""
    cheapest = {argument_of(row[0]): row for row in sorted(stations, key=lambda row: _cost(row, state), reverse=True)}
    if not cheapest:
        return []
    label = np.zeros(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, state.seat, label)
    now = lend_to_stations(state, tables, state.seat, label)
    gain = {city: best_lent(state, tables, state.seat, city, label)[1] - now for city in cheapest}
    ranked = sorted(cheapest, key=lambda city: -gain[city])
    return [cheapest[city] for city in ranked[:_N_STATIONS] if gain[city] > 0]


def _dearest_first(claims: Iterable[Candidate], state: State, tables: Tables) -> list[Candidate]:
    """Return claims: the cheapest payment for each route first, of those the routes with most points."""
    n_before: Counter[int] = Counter()
    ranked: list[tuple[int, int, Candidate]] = []
    for row in sorted(claims, key=lambda row: _cost(row, state)):
        route = argument_of(row[0])
        ranked.append((n_before[route], -int(tables.points[route]), row))
        n_before[route] += 1
    return [row for _, _, row in sorted(ranked, key=lambda one: one[:2])]


def _cost(row: Candidate, state: State) -> tuple[int, int, int]:
    """Return cards and locomotives spent, and the cards left of the color spent most."""
    cards = unpacked(row[1])
    most = int(np.argmax(cards.counts[:-1]))
    return cards.n_cards, cards.counts[-1], -int(state.hand[state.seat][most])
