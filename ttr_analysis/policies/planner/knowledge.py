"""What a planner remembers of a game, the numbers of its strategy, and what it knows of a map."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import Record, block, cell, float_cell
from ttr_analysis.analysis.tickets.steiner import all_distances
from ttr_analysis.cards import N_KINDS
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import MAX_CITIES, MAX_GOALS, MAX_ROUTES, MAX_TICKETS, Tables, game_tables


class Memory(Record):
    """What a planner remembers of a game, and of its plan."""

    stream = block(KEY_SIZE)
    """The seat's stream of chance."""
    is_awake = cell()
    """0 before the first look at a game."""
    n_seen = cell()
    """Claims that were looked at."""
    n_tickets_planned = cell()
    """Tickets held when the plan was made."""
    is_stale = cell()
    """1 if the plan must be made again."""
    n_planned = cell()
    """Routes of the plan still to be claimed."""
    gain_planned = cell()
    """Points that the tickets of the plan are worth."""
    left_planned = cell()
    """Turns that were left when the plan was made."""
    label = block(MAX_CITIES)
    """For each city a label, equal for cities that the seat's own routes join."""
    plan = block(MAX_ROUTES)
    """The routes of the plan."""
    is_planned = block(MAX_ROUTES)
    """1 for each route of the plan."""
    was_offered = block(MAX_TICKETS)
    """1 for each ticket that was offered to the seat."""
    wanted = block(N_KINDS)
    """Cards of each kind that the plan wants."""
    free = block(N_KINDS + 3)
    """Cards of the hand that the plan leaves free: see `card_value.want_cards`."""
    cards = block(3 * N_KINDS)
    """Room for hands of cards."""


# -- the numbers of a planner's strategy ---------------------------------------------------------------------------


class Params(Record, dtype=np.float64):
    """The fields of `policy.Planner`, in its order."""

    train_price = float_cell()
    route_price = float_cell()
    point_weight = float_cell()
    tunnel_price = float_cell()
    symbol_price = float_cell()
    faith = float_cell()
    late_price = float_cell()
    cards_per_turn = float_cell()
    trains_per_claim = float_cell()
    extra_train_price = float_cell()
    extra_bar = float_cell()
    wanted_price = float_cell()
    spare_price = float_cell()
    locomotive_price = float_cell()
    breadth = float_cell()
    tunnel_odds = float_cell()
    ticket_bar = float_cell()
    ticket_trains = float_cell()
    ticket_turns = float_cell()
    token_spread = float_cell()
    trail_weight = float_cell()
    opening_bar = float_cell()
    plan_bar = float_cell()
    decline_bar = float_cell()


# -- what a planner knows about a map before the first game --------------------------------------------------------

GOAL_TRAINS: Final = 0
"""Fewest trains from the origin of a ticket to each destination, as listed in the tables."""
LORE_SIZE: Final = GOAL_TRAINS + MAX_GOALS

_FAR: Final = 1 << 40


@lru_cache(maxsize=64)
def planner_lore(game_map: GameMap, n_players: int) -> Ints:
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
    >>> int(planner_lore(nordic, 2)[GOAL_TRAINS]), nordic.tickets[0].id
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
