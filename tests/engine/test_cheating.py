"""A policy gets nothing from which it could tell, or change, more than its seat may."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ttr_analysis import Game, GameError, GameMap, IllegalActionError, SeatView
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine import packed as packed_module
from ttr_analysis.engine.actions import Action, DrawCard
from ttr_analysis.engine.codes import Ints
from ttr_analysis.engine.layout import DRAW_PILE, HAND, N_HAND, STREAM, TRAINS
from ttr_analysis.engine.record import GameRecord
from ttr_analysis.policies._common import Floats
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.random import Random


class Entropy:
    """A player that asks its generator for the seed of the game."""

    def __init__(self) -> None:
        self.found: list[int] = []

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        entropy: object = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        self.found += entropy if isinstance(entropy, list) else []
        return actions[0]


class Meddler(Random):
    """A compiled player that looks at other hands, and changes all that it is given."""

    seen: Ints = np.zeros(0, dtype=np.int64)

    def decide(self, state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
        other = HAND + (1 - seat) * N_KINDS
        assert not state[other : other + N_KINDS].any()
        assert not state[DRAW_PILE : DRAW_PILE + N_KINDS].any()
        assert not state[STREAM : STREAM + 4].any()
        action = super().decide(state, tables, lore, seat, params, memory)
        state[HAND : HAND + 2 * N_KINDS] = 9
        tables[TRAINS] = 3
        return action


class Sitting(Random):
    """A compiled player whose codes name a seat."""

    def decide(self, state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
        code, value = super().decide(state, tables, lore, seat, params, memory)
        return code + 16 * 3, value


class Failing(Random):
    """A compiled player that fails."""

    def decide(self, *_: object) -> tuple[int, int]:
        raise RuntimeError("boom")


def test_the_seed_of_the_game_cannot_be_told_from_a_generator(nordic: GameMap) -> None:
    player = Entropy()
    Game(nordic).play([player, Greedy()], seed=12345, game=3)

    assert player.found
    assert not {12345, 3} & set(player.found)


def test_a_compiled_policy_sees_and_changes_a_copy_of_its_view(nordic: GameMap) -> None:
    game = Game(nordic)

    record = game.play([Meddler(), Greedy()], seed=5)

    assert record.dumps().partition("\n")[2] == game.play([Random(), Greedy()], seed=5).dumps().partition("\n")[2]
    assert Game(nordic).new(1).trains == (40, 40)


def test_codes_that_name_a_seat_are_refused(nordic: GameMap) -> None:
    with pytest.raises(IllegalActionError, match=r"at P0 in turn 1 chose what is illegal: its code names a seat"):
        Game(nordic).play([Sitting(), Greedy()], seed=5)


def test_a_compiled_policy_that_fails_is_named(nordic: GameMap) -> None:
    with pytest.raises(GameError, match=r"at P0 in turn 1 failed: RuntimeError: boom"):
        Game(nordic).play([Failing(), Greedy()], seed=5)


@pytest.fixture
def record(nordic: GameMap) -> GameRecord:
    """Return a game of two."""
    return Game(nordic).play([Greedy(), Greedy()], seed=5)


def test_a_state_of_a_record_has_no_random_numbers(nordic: GameMap, record: GameRecord) -> None:
    game = Game(nordic)
    at = next(k for k, state in enumerate(record.states()) if game.is_legal(state, DrawCard()))

    with pytest.raises(GameError, match=r"say what chance does \(outcomes\), or go on from record.resume"):
        game.apply(record.state_at(at), DrawCard())

    resumed, state = record.resume(at, seed=1)
    assert resumed.apply(state, DrawCard()).n_hands != state.n_hands


def test_chance_needs_to_know_all_cards(nordic: GameMap, record: GameRecord) -> None:
    game = Game(nordic)
    watched = record.watched_from(0)
    at = next(k for k, state in enumerate(watched.states()) if game.is_legal(state, DrawCard()))

    with pytest.raises(GameError, match="chance cannot go on from a state with 4 unknown cards of P1"):
        game.apply(watched.state_at(at), DrawCard())


def test_many_legal_actions_are_listed_in_full(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    game = packed_module.PackedGame(nordic, 2)
    state, _ = game.deal(1, 0)
    for _ in range(2):
        state, _ = game.step(state, *game.rows(state)[0])
    state[HAND : HAND + N_KINDS] = 5
    state[N_HAND] = 45
    expected = game.rows(state)

    monkeypatch.setattr(packed_module, "_N_ROWS", 100)

    assert np.array_equal(game.rows(state), expected)
