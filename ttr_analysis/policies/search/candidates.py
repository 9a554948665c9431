"""What a player who searches considers: the actions that matter, of all that are legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ttr_analysis.engine.codes import BUILD_STATION, CLAIM_ROUTE, DRAW_FACE_UP, argument_of, kind_of, unpacked
from ttr_analysis.engine.kernel.step import list_actions
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.engine.view import SeatView
from ttr_analysis.tables import Tables, game_tables

Candidate: TypeAlias = tuple[int, int]
"""Code and value of an action."""

_N_ROWS = 512
_N_STATIONS = 6
"""Stations that are considered: there may be hundreds, with all that pays for them."""


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
        dearest claims, some stations, and all that is none of these. A station
        is considered where a route of another seat meets an end of a ticket or
        of a route of this one, with the cheapest payment. Each route comes with the
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
    return list(
        dict.fromkeys([own, *others, *_one_of_each_kind(face_up, own, state), *dearest, *_useful(stations, view)])
    )


def _useful(stations: Iterable[Candidate], view: SeatView) -> list[Candidate]:
    """Return stations where a route of another seat may be of use, ends of tickets first."""
    of_tickets = {
        city
        for ticket in view.tickets
        if ticket is not None
        for place in (ticket.origin, *(goal for goal, _ in ticket.destinations))
        for city in place.cities
    }
    of_routes = {city for route in view.my_routes for city in route.cities}
    lent = {
        city
        for route in view.game_map.routes
        if view.owners.get(route.id, view.seat) != view.seat
        for city in route.cities
    }
    names = [city.name for city in view.game_map.cities]
    cheapest: dict[str, Candidate] = {}
    for row in sorted(stations, key=lambda row: _cost(row, view.packed)):
        cheapest.setdefault(names[argument_of(row[0])], row)
    wanted = [*sorted(of_tickets & lent), *sorted((of_routes & lent) - of_tickets)]
    return [cheapest[name] for name in wanted if name in cheapest][:_N_STATIONS]


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
    """Return cards and locomotives spent, and how few are left of the color spent most."""
    cards = unpacked(row[1])
    most = int(np.argmax(cards.counts[:-1]))
    return cards.n_cards, cards.counts[-1], -int(state.hand[state.seat][most])
