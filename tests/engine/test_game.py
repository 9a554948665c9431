"""Games and their states as values."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import pytest

from tests.engine.walks import on_each_walk, some_states, whole_game
from tests.fixtures import load
from ttr_analysis import Game, GameError, GameMap, GameState, UnknownNameError
from ttr_analysis.engine.actions import DrawCard
from ttr_analysis.engine.events import Chance
from ttr_analysis.engine.layout import OVER, Phase


@on_each_walk
def test_old_states_never_change(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    before = [state.packed.cells for state in states]
    for state in states:
        for action in game.legal_actions(state)[:40]:
            assert game.apply(state, action) != state
        game.score(state)

    assert all(np.array_equal(cells, state.packed.cells) for cells, state in zip(before, states, strict=True))


def test_what_follows_depends_on_state_and_action_alone() -> None:
    game, states = some_states("nordic", None)
    again = Game(load("nordic"))
    for state, other in zip(states, whole_game_states(again), strict=True):
        assert state == other
        assert hash(state) == hash(other)
        assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own
        for action in game.legal_actions(state)[:5]:
            assert game.step(state, action) == again.step(other, action)


def whole_game_states(game: Game) -> Sequence[GameState]:
    """Return the states that `some_states` has, played anew."""
    some_states.cache_clear()
    return some_states(game.game_map.name, game.game_map.rules.variant or None, game.n_players)[1]


def test_seed_and_number_of_the_game_decide_what_is_dealt(nordic: GameMap) -> None:
    game = Game(nordic, 3)
    dealt = [game.new(seed, number) for seed in (0, 7) for number in (0, 1)]

    assert game.new(seed=7, game=1) == dealt[3]
    assert len(set(dealt)) == 4


def test_states_in_words(nordic: GameMap) -> None:
    game = Game(nordic, 2)
    state, dealt = game.deal(seed=7)

    assert repr(game) == "<Game nordic, 2 players>"
    assert repr(state) == "<GameState nordic, 2 players: P0 KEEP_START, turn 1, scores 0-0, trains 40-40>"
    assert (state.phase, state.acting, state.turn, state.n_turns) == (Phase.KEEP_START, 0, 0, 0)
    assert (state.is_over, state.is_last_round, state.turns_left, state.ending) == (False, False, None, None)
    assert [event.card for event in dealt if event.kind == "market_card"] == list(state.market)  # type: ignore[union-attr]
    assert [event.ticket for event in dealt if isinstance(event, Chance) and event.ticket] == [
        *state.offers[0],
        *state.offers[1],
    ]
    assert state.pile.n_cards == state.n_pile == 97
    assert (state.pending, state.marker, state.has_neutral, state.discards.n_cards) == (None, None, False, 0)


def test_a_game_that_is_over() -> None:
    *_, state = whole_game(Game(load("invented")), 7)

    assert (state.is_over, state.ending, state.turns_left, state.phase) == (True, "trains", 0, Phase.OVER)
    assert len(Game(load("invented")).legal_actions(state)) == 0
    assert "over (trains)" in repr(state)


def test_a_state_cannot_be_written(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7)
    state.packed.phase = OVER
    assert not state.is_over
    with pytest.raises(AttributeError):
        state.phase = Phase.OVER  # type: ignore[misc]
    with pytest.raises(GameError, match="expected a packed state"):
        GameState(nordic, 2, np.zeros(3, dtype=np.int64))  # type: ignore[arg-type]


def test_a_state_is_a_copy_of_the_packed_one(nordic: GameMap) -> None:
    packed = Game(nordic).new(seed=7).packed
    state = GameState(nordic, 2, packed)
    packed.phase = OVER
    assert not state.is_over


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda m: Game(m, 4), GameError, "for 2 to 3 players, got 4"),
        (
            lambda m: Game(m, cast("int", 2.5)),
            GameError,
            "n_players must be a whole number of 0 or more, below .*, got 2.5",
        ),
        (lambda _: Game(7), TypeError, "expected a map, or the name of one, got 7"),  # type: ignore[arg-type]
        (lambda m: Game(m, 2, "no_tols"), UnknownNameError, "no variant of Nordic Countries 'no_tols'"),
        (lambda m: Game(m).new(-1), ValueError, "a seed must be a whole number"),
        (lambda m: Game(m).new(7, -1), GameError, "game must be a whole number"),
        (lambda m: Game(m).legal_actions(Game(m, 3).new(7)), GameError, "is not a state of <Game nordic, 2 players>"),
        (lambda m: Game(m).view(7, 0), GameError, "expected a GameState"),  # type: ignore[arg-type]
        (lambda m: Game(m).apply(Game(load("usa")).new(7), DrawCard()), GameError, "is not a state of"),
    ],
)
def test_wrong_questions(nordic: GameMap, make: Callable[[GameMap], object], error: type, reason: str) -> None:
    with pytest.raises(error, match=reason):
        make(nordic)


def test_games_are_values(nordic: GameMap) -> None:
    assert Game(nordic) == Game(nordic, 2)
    assert Game(nordic) != Game(nordic, 3)
    assert hash(Game(nordic)) == hash(Game(nordic))
    assert pickle.loads(pickle.dumps(Game(nordic, 3))) == Game(nordic, 3)  # noqa: S301 - our own
    nederland = load("nederland")
    assert Game(nederland, 2, "neutral") == Game(nederland.with_variant("neutral"), 2)
    assert repr(Game(nederland, 2, "neutral")) == "<Game nederland neutral, 2 players>"
