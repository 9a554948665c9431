"""
What can be believed of the tickets of a seat from the routes that it has claimed.

The tickets of a seat are a set of those that are not seen elsewhere. A set is
as likely as the product of the weights of its tickets and of its pairs: a
Gibbs measure. The weight of a ticket says how well the routes of the seat fit
it; that of a pair, how far the ways still to go fall together. The constants
come from games between planners: `python -m scripts.fit_beliefs` finds them
again, by pseudo-likelihood [1]_, and compares what they believe with what was
true.

References
----------
.. [1] Besag, J. "Statistical analysis of non-lattice data". The Statistician
   24 (1975), 179-195.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import BuiltIn
from ttr_analysis.policies.random import Random
from ttr_analysis.studies.winning.knowledge import Knowledge
from ttr_analysis.studies.winning.signs import N_SIGNS, Alone, Floats, fill_needs, fill_signs
from ttr_analysis.studies.winning.worlds import Beliefs
from ttr_analysis.tables import game_tables
from ttr_analysis.tables.games import MAX_TICKETS

FIT: Final[Floats] = np.array([1.5, 1.94, -1.0, -0.93, 0.18, -0.98, 3.15, 3.2, 4.0])
"""What each sign adds to the logarithm of a ticket's weight."""
SHARED: Final = 1.02
"""What each route adds to that of a pair which its two ways still to go have in common,"""
SHARED_ALONE: Final = -0.64
"""and each that they had in common on an empty board: what is built already speaks for both of them at once."""


BARRED: Final = 1e-12
"""By this the weight of a ticket is multiplied that a seat cannot hold: it gets one only where there is no other."""


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


def believe(known: Knowledge, policies: Sequence[BuiltIn]) -> Beliefs:
    """
    Return how likely the tickets of each seat are.

    Routes of a player at random say nothing: all its tickets are as likely.
    Those of any other are taken for a planner's.
    """
    beliefs = Beliefs(np.ones((known.n_players, MAX_TICKETS)), np.ones((known.n_players, MAX_TICKETS, MAX_TICKETS)))
    alone = alone_on(known.game_map, known.n_players)
    signs = np.zeros((MAX_TICKETS, N_SIGNS))
    shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    for seat in range(known.n_players):
        if UNKNOWN_TICKET not in known.held(seat):
            continue
        if not isinstance(policies[seat], Random):
            fill_signs(known.packed, known.tables, alone, seat, signs, shared)
            np.exp(signs @ FIT, out=beliefs.weights[seat])
            np.exp(SHARED * shared + SHARED_ALONE * alone.shared, out=beliefs.pairs[seat])
        beliefs.weights[seat, sorted(known.barred[seat])] *= BARRED
    return beliefs
