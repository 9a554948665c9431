"""What a planner knows about a map before the first game: made once, in Python."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ttr_analysis.analysis.tickets._forest import all_distances
from ttr_analysis.maps.model import GameMap
from ttr_analysis.tables.games import MAX_GOALS, Tables, game_tables

Ints = npt.NDArray[np.int64]

GOAL_TRAINS: Final = 0
"""Fewest trains from the origin of a ticket to each destination, as listed in the tables."""
LORE_SIZE: Final = GOAL_TRAINS + MAX_GOALS

_FAR: Final = 1 << 40


@lru_cache(maxsize=64)
def make_lore(game_map: GameMap, n_players: int) -> Ints:
    """
    Return what a planner knows about a map beforehand.

    Parameters
    ----------
    game_map
        The map.
    n_players
        Number of players.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> int(make_lore(nordic, 2)[GOAL_TRAINS]), nordic.tickets[0].id
    (5, 'Aalborg-Norrköping')
    """
    tables = game_tables(game_map, n_players)
    n = tables.n_cities
    weight = np.full((n, n), _FAR, dtype=np.int64)
    for r in range(tables.n_routes):
        a, b = tables.city_a[r], tables.city_b[r]
        weight[a, b] = weight[b, a] = min(weight[a, b], tables.length[r])
    distance = np.empty((n, n), dtype=np.int64)
    all_distances(weight, distance)
    lore = np.zeros(LORE_SIZE, dtype=np.int64)
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            lore[GOAL_TRAINS + goal] = distance[np.ix_(origin, there)].min()
    return lore


def _cities_of(tables: Tables, place: int) -> Ints:
    """Return the cities of a place."""
    return tables.place_city[tables.place_start[place] : tables.place_start[place + 1]]
