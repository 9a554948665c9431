"""What a player who searches considers: the actions that matter, of all that are legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_FACE_UP, argument_of, kind_of, unpacked
from ttr_analysis.engine.kernel.step import list_actions
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.engine.view import SeatView
from ttr_analysis.tables import Tables, game_tables

Candidate: TypeAlias = tuple[int, int]
"""Code and value of an action."""

_N_ROWS = 512


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
        dearest claims, and all that is neither. Each route comes with the
        payment that spends fewest cards and locomotives first, and with its
        other ones after those of all routes. A card of the market that is not
        known is none of them.
    """
    state = view.packed
    tables = game_tables(view.game_map, view.n_players)
    rows = _legal(state, tables)
    claims = [row for row in rows if kind_of(row[0]) == CLAIM_ROUTE]
    face_up = [row for row in rows if kind_of(row[0]) == DRAW_FACE_UP]
    others = [row for row in rows if kind_of(row[0]) not in (CLAIM_ROUTE, DRAW_FACE_UP)]
    dearest = [row for row in _dearest_first(claims, state, tables) if row != own][:n_claims]
    return list(dict.fromkeys([own, *others, *_one_of_each_kind(face_up, own, state), *dearest]))


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
    hand = state.hand[state.seat]

    def cost(row: Candidate) -> tuple[int, int, int]:
        """Return cards and locomotives spent, and the cards left of the color spent most."""
        cards = unpacked(row[1])
        most = int(np.argmax(cards.counts[:-1]))
        return cards.n_cards, cards.counts[-1], -int(hand[most])

    n_before: Counter[int] = Counter()
    ranked: list[tuple[int, int, Candidate]] = []
    for row in sorted(claims, key=cost):
        route = argument_of(row[0])
        ranked.append((n_before[route], -int(tables.points[route]), row))
        n_before[route] += 1
    return [row for _, _, row in sorted(ranked, key=lambda one: one[:2])]
