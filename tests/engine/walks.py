"""States of games at random, through the facade."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pytest

from tests.engine.conformance import variants_of
from tests.engine.positions import Position
from tests.fixtures import EVERY_MAP, load
from ttr_analysis import Game, GameState

WALKS: list[tuple[str, str | None]] = [(name, variant or None) for name in EVERY_MAP for variant in variants_of(name)]
"""Every map in every variant."""

on_each_walk = pytest.mark.parametrize(
    ("name", "variant"),
    [
        pytest.param(*walk, id="-".join(filter(None, walk)), marks=() if i % 5 == 0 else pytest.mark.compiled_only)
        for i, walk in enumerate(WALKS)
    ],
)
"""For a test that needs each of them compiled, and some as plain Python, which `test_plain` compares with it."""

_EVERY = 13
"""A state is looked at after every so many moves, and whenever a seat decides anything but its turn."""


def whole_game(game: Game, seed: int) -> Iterator[GameState]:
    """Yield the states of a game in which all seats choose uniformly."""
    rng = np.random.default_rng(seed)
    state = game.new(seed)
    while not state.is_over:
        yield state
        actions = game.legal_actions(state)
        state = game.apply(state, actions[int(rng.integers(len(actions)))])
    yield state


@lru_cache(maxsize=32)
def some_states(name: str, variant: str | None, n_players: int = 2, seed: int = 7) -> tuple[Game, list[GameState]]:
    """Return a game, and some of the states of one way to play it."""
    game = Game(load(name), n_players, variant)
    states = list(whole_game(game, seed))
    others = [state for state in states if state.phase.name not in {"TURN", "SECOND_DRAW"}]
    return game, states[::_EVERY] + others[:12]


def state_of(table: Position) -> tuple[Game, GameState]:
    """Return a position as a state, and its game."""
    game = Game(table.map, table.n_players)
    return game, GameState(table.map, table.n_players, table.state)
