"""A compiled policy of one's own plays in the compiled loop, and the same games as move by move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from ttr_analysis import GameError, GameMap
from ttr_analysis._compile import Floats, Ints, SubsetError
from ttr_analysis.engine.codes import CLAIM_ROUTE, NONE, make_action
from ttr_analysis.engine.kernel.step import action_fault, list_actions
from ttr_analysis.engine.layout import State
from ttr_analysis.policies import Greedy, Random, play_games
from ttr_analysis.policies.greedy import Greedy as Base
from ttr_analysis.policies.playout import guarded, seat_players
from ttr_analysis.studies.winning import win_probability
from ttr_analysis.tables import Tables, game_tables


@ttr.compiled
def choose_last(
    state: State,
    tables: Tables,
    lore: Ints,
    seat: int,  # noqa: ARG001
    params: Floats,
    memory: Ints,
) -> tuple[int, int]:
    """Return the last legal action, but no tickets: a claim if there is one."""
    actions = np.empty((2000, 2), dtype=np.int64)
    n = min(list_actions(state, tables, actions), 2000)
    at = n - 1
    while at > 0 and actions[at, 0] & 63 == int(params[0]):
        at -= 1
    memory[4] += lore[0]
    return actions[at, 0], actions[at, 1]


class Last:
    """Does what is listed last."""

    name = "Last"
    memory_size = 5
    chooser = staticmethod(choose_last)

    @property
    def params(self) -> Floats:
        return np.array([5.0])

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        return np.array([len(game_map.routes), n_players])

    def decide(self, *given: Any) -> tuple[int, int]:  # noqa: ANN401
        return choose_last(*given)


class Heir(Base):
    """Inherits a compiled function, and plays otherwise."""

    __slots__ = ()

    def decide(self, *given: Any) -> tuple[int, int]:  # noqa: ANN401, ARG002
        raise AssertionError


def test_it_plays_the_same_games_in_the_compiled_loop_and_move_by_move(nordic: GameMap) -> None:
    players: list[Any] = [Last(), Greedy(), Last()]

    results, _, n_turns = play_games(nordic, players, 3, seed=7)

    for game in range(3):
        record = ttr.Game(nordic, 3).play(players, seed=7, game=game)
        assert record.state_at(-1).n_turns == n_turns[game]
        assert [score.route_points for score in record.score()] == results[game, :, 1].tolist()


def test_two_that_share_a_function_each_have_their_own_lore(nordic: GameMap) -> None:
    class Other(Last):
        chooser = staticmethod(choose_last)

        def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
            return np.array([3])

    players = seat_players(nordic, [Last(), Other(), Last()])

    lores = [players.lore[i:j].tolist() for i, j in players.lore_at]
    assert lores == [[len(nordic.routes), 3], [3], [len(nordic.routes), 3]]


@pytest.mark.compiled_only
def test_it_is_simulated_beside_others(nordic: GameMap) -> None:
    result = ttr.simulate(nordic, [Last(), Random()], 6, seed=7, progress=False)

    assert result.seats["policy"].value_counts().to_dict() == {"Last": 6, "Random": 6}


def test_it_plays_games_on_from_a_position(nordic: GameMap) -> None:
    state = ttr.Game(nordic).play(["Random", "Greedy"], seed=7).state_at(10)

    chances = win_probability(state, 0, n_rollouts=4, policies=[Last(), "Greedy"])

    assert chances["win"].sum() == pytest.approx(1)


@ttr.compiled
def choose_badly(
    state: State,
    tables: Tables,  # noqa: ARG001
    lore: Ints,  # noqa: ARG001
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,  # noqa: ARG001
) -> tuple[int, int]:
    """Look at what is secret, change what is another's, and claim a route that there is not."""
    for other in range(state.n_hand.size):
        if other != seat and state.hand[other].sum() > 0:
            return -1, 0
        state.trains[other] = 0
    return make_action(CLAIM_ROUTE, 100_000), 0


class Bad(Last):
    """Chooses what is illegal."""

    chooser = staticmethod(choose_badly)


@pytest.mark.compiled_only
def test_what_is_illegal_is_refused_and_does_no_harm(nordic: GameMap) -> None:
    bad: list[Any] = [Bad(), Greedy()]

    with pytest.raises(GameError, match="a compiled policy chose an illegal action in game 5"):
        play_games(nordic, bad, 2, seed=7, first=5)
    with pytest.raises(GameError, match="a compiled policy chose an illegal action in game 0"):
        ttr.simulate(nordic, bad, 2, seed=7, progress=False)
    state = ttr.Game(nordic).new(seed=7)
    with pytest.raises(GameError, match="a compiled policy chose an illegal action in game 0"):
        win_probability(state, n_rollouts=2, policies=bad)


@ttr.compiled
def choose_a_number(
    state: State,
    tables: Tables,  # noqa: ARG001
    lore: Ints,  # noqa: ARG001
    seat: int,  # noqa: ARG001
    params: Floats,  # noqa: ARG001
    memory: Ints,  # noqa: ARG001
) -> int:
    return int(state.seat)


class Single(Last):
    """Returns a code without a value."""

    chooser = staticmethod(choose_a_number)  # type: ignore[assignment] # what is tested


@pytest.mark.compiled_only
def test_one_that_returns_no_tuple_is_to_blame_itself(nordic: GameMap) -> None:
    players: list[Any] = [Single(), Greedy()]

    with pytest.raises(SubsetError, match=r"test_own_compiled.py:\d+: choose_a_number: a result of int, where .*tuple"):
        ttr.simulate(nordic, players, 2, seed=7, progress=False)


def test_others_are_not_seen_and_not_changed(nordic: GameMap) -> None:
    state = ttr.Game(nordic, 2).new(seed=7).packed
    before = state.cells.copy()
    tables, no_floats, no_ints = game_tables(nordic, 2), np.zeros(1), np.zeros(5, dtype=np.int64)

    code, value = guarded(choose_badly)(state, tables, no_ints, 0, no_floats, no_ints)

    assert action_fault(state, tables, code, value) == NONE  # not that of the policy, which saw no cards of others
    assert state.fault == 1
    state.fault = 0
    assert np.array_equal(state.cells, before)


def test_one_that_only_inherits_a_compiled_function_is_refused(nordic: GameMap) -> None:
    with pytest.raises(TypeError, match="P1 must be played by a compiled policy"):
        play_games(nordic, [Greedy(), Heir()], 1, seed=7)


def test_one_without_room_for_its_stream_is_refused(nordic: GameMap) -> None:
    class Small(Last):
        chooser = staticmethod(choose_last)
        memory_size = 3

    with pytest.raises(ttr.GameError, match="Last at P1 has a memory of 3 cells"):
        play_games(nordic, [Greedy(), Small()], 1, seed=7)
