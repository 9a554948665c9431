"""Moments of games whose players come to the ends of piles, of which each test of a policy takes some."""

from __future__ import annotations

from functools import cache

from tests.engine.conformance import COLLECTOR, HOARDER, UNIFORM, Combination, by_variant, play
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.engine.state import GameState

COMBINATIONS = [tables[-(i % 2)] for i, tables in enumerate(by_variant())]
"""Every map and variant, with the fewest or the most players in turn."""
PLAYERS = (UNIFORM, HOARDER, COLLECTOR)


@cache
def some_states(combination: Combination, every: int = 60) -> list[GameState]:
    """Return the states of some games in which a phase comes for the first time, and one of each so many."""
    found: list[GameState] = []
    seen: set[int] = set()
    for game in range(len(PLAYERS)):
        players = [PLAYERS[(game + seat) % len(PLAYERS)] for seat in range(combination.n_players)]
        for at, state in enumerate(map(State, play(combination, players, 7, game, checked=False).states)):
            if state.phase != OVER and (at % every == 0 or int(state.phase) not in seen):
                seen.add(int(state.phase))
                # The rows of one array: copied, so that the others are not kept.
                found.append(GameState(combination.game_map, combination.n_players, state.copy()))
    return found
