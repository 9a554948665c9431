"""A planner's knowledge of a map before the first game: parameters, ends of tickets, and contested routes."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._decoding import Amount, allowed_in
from ttr_analysis.analysis.tickets.steiner import all_distances
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.strategy import Fitted, Strategy, strategy_for
from ttr_analysis.policies.planner.knowledge import DANGER_UNIT, NUMBER_UNIT, MapFacts
from ttr_analysis.tables import Tables, game_tables

_FAR: Final = 1 << 40
_LONG_WAY: Final = 8
"""Detours longer than this cost no more."""
NUMBERS: Final = tuple(field.name for field in fields(Strategy))
"""The parameters of a strategy, in the order of `knowledge.Params`."""
_GENERAL: Final = "general"


def planner_facts(game_map: GameMap, n_players: int) -> Ints:
    """
    Return the cells of `MapFacts` for a map, cached by map and parameters.

    >>> nordic = ttr.load_map("nordic")
    >>> int(MapFacts(planner_facts(nordic, 2)).goal_trains[0]), nordic.tickets[0].id
    (5, 'Aalborg-Norrköping')
    """
    return _facts_with(game_map, n_players, strategy_on(game_map, n_players))


@lru_cache(maxsize=64)
def _facts_with(game_map: GameMap, n_players: int, strategy: Strategy) -> Ints:
    facts = MapFacts(_map_facts(game_map, n_players).copy())
    facts.numbers[:] = [round(getattr(strategy, number) * NUMBER_UNIT) for number in NUMBERS]
    return facts.cells


@lru_cache(maxsize=64)
def _map_facts(game_map: GameMap, n_players: int) -> Ints:
    tables = game_tables(game_map, n_players)
    n = tables.n_cities
    weight = np.full((n, n), _FAR, dtype=np.int64)
    for r in range(tables.n_routes):
        a, b = tables.city_a[r], tables.city_b[r]
        weight[a, b] = weight[b, a] = min(weight[a, b], tables.length[r])
    distance = np.empty((n, n), dtype=np.int64)
    all_distances(weight, distance)
    facts = MapFacts()
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            facts.goal_trains[goal] = distance[np.ix_(origin, there)].min()
    share = _shares(tables, distance)
    for r in range(tables.n_routes):
        a, b, twin = tables.city_a[r], tables.city_b[r], tables.twin[r]
        others = weight.copy()
        others[a, b] = others[b, a] = tables.length[twin] if twin >= 0 and tables.both_open else _FAR
        detour = min(_LONG_WAY, _distances_from(a, others)[b] - distance[a, b])
        facts.danger[r] = round(DANGER_UNIT * share[r] * detour)
    return facts.cells


def _distances_from(city: int, weight: Ints) -> Ints:
    """Return the cost of the cheapest path from a city to each other one; plain Python is faster than all pairs."""
    distance: Ints = weight[city]
    while True:
        nearer = np.minimum(distance, (distance[:, np.newaxis] + weight).min(axis=0))
        if np.array_equal(nearer, distance):
            return distance
        distance = nearer


def _shares(tables: Tables, distance: Ints) -> Floats:
    """Return for each route the share of all tickets, by points, whose paths may include it."""
    share = np.zeros(tables.n_routes)
    a, b, length = (block[: tables.n_routes] for block in (tables.city_a, tables.city_b, tables.length))
    total = 0
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        ways = []
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            between = distance[np.ix_(origin, there)]
            i, j = np.unravel_index(between.argmin(), between.shape)
            ways.append((tables.goal_points[goal] - between.min(), origin[i], there[j], tables.goal_points[goal]))
        _, start, end, points = max(ways, key=lambda way: way[0])
        via = length + np.minimum(distance[start, a] + distance[b, end], distance[start, b] + distance[a, end])
        share += np.where(via <= distance[start, end] + 1, points, 0)
        total += int(points)
    return share / max(1, total)


def _cities_of(tables: Tables, place: int) -> Ints:
    """Return the cities of a place."""
    return tables.place_city[tables.place_start[place] : tables.place_start[place + 1]]


# -- the parameters: those of a map, of a fixed player, or the general ones --------------------------------------------


@cache
def kept_strategies() -> dict[str, Strategy]:
    """Return the strategies of fixed players by name, and the general one."""
    text = Path(__file__).with_name("players.toml").read_text(encoding="utf-8")
    return {name: Strategy(**numbers) for name, numbers in tomllib.loads(text).items()}


def strategy_on(game_map: GameMap, n_players: int) -> Strategy:
    """
    Return the parameters of planners on a map: its own, from the most similar game, or else the general ones.

    >>> strategy_on(ttr.load_map("usa"), 2).care
    1.0
    """
    return _completed(strategy_for(game_map.strategies, game_map.rules.variant, n_players))


@lru_cache(maxsize=64)
def _completed(told: Fitted | None) -> Strategy:
    general = asdict(kept_strategies()[_GENERAL])
    own = {} if told is None else {name: getattr(told, name) for name in NUMBERS}
    return Strategy(**general | {name: float(number) for name, number in own.items() if number is not None})


@cache
def allowed_numbers() -> dict[str, Amount]:
    """Return the allowed values of each parameter."""
    return allowed_in(Strategy)
