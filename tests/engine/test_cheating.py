"""A policy gets nothing from which it could tell, or change, more than its seat may."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from ttr_analysis import Game, GameError, GameMap, IllegalActionError, SeatView
from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine import game as game_module
from ttr_analysis.engine.actions import Action, DrawCard
from ttr_analysis.engine.codes import argument_of, kind_of, make_action, make_event
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.playout import play_games
from ttr_analysis.policies.random import Random
from ttr_analysis.records.record import GameRecord
from ttr_analysis.rules.chance import _mixed, open_stream, policy_key, seed_key
from ttr_analysis.tables import Tables


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

    def decide(self, state: State, tables: Tables, *rest: Any) -> tuple[int, int]:  # noqa: ANN401
        assert not state.hand[1 - state.seat].any()
        assert not state.draw_pile.any()
        assert not state.stream.any()
        action = super().decide(state, tables, *rest)
        state.hand[:] = 9
        tables.trains_each = 3
        return action


class Seated(Random):
    """A compiled player whose codes name a seat."""

    def decide(self, *given: Any) -> tuple[int, int]:  # noqa: ANN401
        code, value = super().decide(*given)
        return make_event(kind_of(code), 3, argument_of(code)), value


class Failing(Random):
    """A compiled player that fails."""

    def decide(self, *_: object) -> tuple[int, int]:
        raise RuntimeError("boom")


@pytest.mark.compiled_only
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
    with pytest.raises(IllegalActionError, match=r"at P0 in turn 1 chose an illegal action: actions have no seat"):
        Game(nordic).play([Seated(), Greedy()], seed=5)


def test_a_compiled_policy_that_fails_is_named(nordic: GameMap) -> None:
    with pytest.raises(GameError, match=r"at P0 in turn 1 failed: RuntimeError: boom"):
        Game(nordic).play([Failing(), Greedy()], seed=5)


# -- the seed ---------------------------------------------------------------------------


def unmixed(word: int) -> int:
    """Return what `chance._mixed` made a word of."""
    mask = 0xFFFFFFFF
    word ^= word >> 16
    word = word * pow(0x4F1BBCDD, -1, 2**32) & mask
    word ^= word >> 15 ^ word >> 30
    word = word * pow(0x7FEB352D, -1, 2**32) & mask
    return word ^ word >> 16


def key_behind(stream: Ints, game: int, purpose: int) -> Ints:
    """Return the words from which a stream was opened, the lowest bit of the first one guessed."""
    key: list[int] = []
    for i, word in enumerate(stream.tolist()):
        inner = unmixed(word) ^ _mixed(purpose + 0x61C88647)
        inner = unmixed(inner) ^ _mixed((game >> 32) + 0x2545F491)
        key.append(unmixed(inner) ^ _mixed((game & 0xFFFFFFFF) + (i + 1) * 0x3504F333))
    return np.array(key)


def test_a_stream_tells_the_words_it_was_opened_from() -> None:
    key, stream = seed_key(12345), np.zeros(4, dtype=np.int64)
    open_stream(key, 5, 1, stream)

    assert (key_behind(stream, 5, 1)[1:] == key[1:]).all()


def test_the_stream_of_a_seat_tells_nothing_of_the_table_and_of_other_seats(nordic: GameMap) -> None:
    """A compiled policy computes back the words of its stream: they are of no use to it."""

    class Inverter(Random):
        found: ClassVar[list[int]] = []

        def decide(
            self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
        ) -> tuple[int, int]:
            if not self.found:
                self.found.extend(key_behind(memory[:4], 5, 1 + seat).tolist())
            return super().decide(state, tables, lore, seat, params, memory)

    Game(nordic).play([Inverter(), Greedy()], seed=12345, game=5)

    assert Inverter.found[1:] == policy_key(12345, 0).tolist()[1:]
    others = {*seed_key(12345).tolist(), *policy_key(12345, 1).tolist()}
    assert not others & set(Inverter.found)


# -- what is handed over ------------------------------------------------------------------


class Vandal(Random):
    """A compiled player that empties what it is given."""

    def decide(self, state: State, tables: Tables, lore: Ints, *rest: Any) -> tuple[int, int]:  # noqa: ANN401
        action = super().decide(state, tables, lore, *rest)
        lore[:] = 0
        return action


def test_a_policy_cannot_spoil_what_others_know_of_the_map(nordic: GameMap) -> None:
    game = Game(nordic)
    before = game.play([Random(), Random()], seed=5)

    with contextlib.suppress(GameError):  # with its own lore spoiled, a vandal fails sooner or later
        game.play([Vandal(), Random()], seed=5)

    assert game.play([Random(), Random()], seed=5) == before


@pytest.mark.compiled_only
def test_a_policy_is_not_shown_what_others_looked_at(nordic: GameMap) -> None:
    class Reader:
        def __init__(self) -> None:
            self.codecs: list[object] = []

        def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
            self.codecs.append(actions._codec)  # type: ignore[attr-defined]
            return actions[0]

    one, other = Reader(), Reader()
    Game(nordic).play([one, other], seed=5)

    assert not {id(codec) for codec in one.codecs} & {id(codec) for codec in other.codecs}


@pytest.mark.parametrize("code", [make_action(0, 77), -64, 1 << 62], ids=["argument", "negative", "huge"])
def test_codes_that_say_more_than_their_action_are_refused(nordic: GameMap, code: int) -> None:
    class Stuffing(Random):
        def decide(self, *args: Any) -> tuple[int, int]:  # noqa: ANN401
            chosen, value = super().decide(*args)
            return chosen + code, value

    with pytest.raises(IllegalActionError, match=r"chose an illegal action: (no action has code|.* codes? )"):
        Game(nordic).play([Stuffing(), Greedy()], seed=5)


def test_a_memory_without_room_for_random_numbers_is_refused(nordic: GameMap) -> None:
    class Forgetful(Random):
        memory_size = 3

    with pytest.raises(GameError, match="has a memory of 3 cells; its stream takes 4"):
        Game(nordic).play([Forgetful(), Greedy()], seed=5)


def test_a_policy_that_extends_another_is_not_taken_for_it(nordic: GameMap) -> None:
    with pytest.raises(TypeError, match="P0 must be played by"):
        play_games(nordic, [Failing(), Greedy()], 1, seed=5)


# -- records ------------------------------------------------------------------------------


@pytest.fixture
def record(nordic: GameMap) -> GameRecord:
    """Return a game of two."""
    return Game(nordic).play([Greedy(), Greedy()], seed=5)


def test_a_state_of_a_record_has_no_random_numbers(nordic: GameMap, record: GameRecord) -> None:
    game = Game(nordic)
    at = next(k for k, state in enumerate(record.states()) if game.is_legal(state, DrawCard()))

    with pytest.raises(GameError, match=r"give outcomes, or continue from .* or record.resume"):
        game.apply(record.state_at(at), DrawCard())

    resumed, state = record.resume(at, seed=1)
    assert resumed.apply(state, DrawCard()).n_hands != state.n_hands


def test_chance_needs_to_know_all_cards(nordic: GameMap, record: GameRecord) -> None:
    game = Game(nordic)
    watched = record.watched_from(0)
    at = next(k for k, state in enumerate(watched.states()) if game.is_legal(state, DrawCard()))

    with pytest.raises(GameError, match="cannot continue from a state with 4 unknown cards of P1"):
        game.apply(watched.state_at(at), DrawCard())


def test_many_legal_actions_are_listed_in_full(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_module.KernelGame(nordic, 2)
    state, _ = game.deal(1, 0)
    for _ in range(2):
        state, _ = game.step(state, *game.rows(state)[0])
    state.hand[0] = 5
    state.n_hand[0] = 45
    expected = game.rows(state)

    monkeypatch.setattr(game_module, "_N_ROWS", 100)

    assert np.array_equal(game.rows(state), expected)
