"""PettingZoo's and Gymnasium's own tests, on every map and variant; and the games of `Game.play`."""

from __future__ import annotations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination, some_combinations
from tests.envs.encoders import peek
from tests.envs.numbered import by_number
from tests.fixtures import load
from ttr_analysis import IllegalActionError
from ttr_analysis.envs import AEC, Encoder, Single, Vector, random_actions, to_index

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

SEED = 2026
COMBINATIONS = [pytest.param(combination, id=str(combination)) for combination in some_combinations()]
pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_pettingzoo_finds_no_fault(combination: Combination) -> None:
    def make() -> AEC:
        return AEC(combination.game_map, combination.n_players, seed=SEED)

    api_test(make(), num_cycles=80)
    seed_test(make, num_cycles=30)


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_gymnasium_finds_no_fault(combination: Combination) -> None:
    n_others = combination.n_players - 1
    check_env(Single(combination.game_map, ["Greedy"] * n_others, seat=n_others), skip_render_check=True)


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_games_of_agents_are_those_of_play(combination: Combination) -> None:
    game = ttr.Game(combination.game_map, combination.n_players)
    env = AEC(combination.game_map, combination.n_players)
    env.reset(seed=SEED)
    env.reset()
    record = game.play(by_number(combination), seed=SEED, game=1)
    for state, move in zip(record.states(), record.moves, strict=False):
        assert env.agent_selection == f"player_{move.seat}"
        packed = env.game.packed
        packed.stream[:] = 0
        assert np.array_equal(packed.cells, state.packed.cells)
        env.step(to_index(move.action, state))
    assert game.score(env.game).winners == record.winners
    assert env.rewards == {
        f"player_{seat}": (seat in record.winners) / len(record.winners) for seat in range(combination.n_players)
    }
    assert all(env.terminations.values())
    for agent in env.agent_iter():
        assert env.last()[1] == (int(agent[-1]) in record.winners) / len(record.winners)
        env.step(None)
    assert env.agents == []


def test_an_illegal_action_of_an_agent_is_refused() -> None:
    env = AEC("usa", seed=SEED)
    env.reset()
    with pytest.raises(IllegalActionError, match="P0 in slot 0 may not do this now"):
        env.step(0)


def test_gymnasium_makes_one_and_many() -> None:
    name = "ttr_analysis.envs.gym:TicketToRide-v0"
    env = gymnasium.make(name, game_map="nordic", opponents=["Planner"], seat=1)
    _, info = env.reset(seed=SEED)
    assert ttr.envs.action_words("nordic")[np.flatnonzero(info["action_mask"])[0]].startswith("keep")
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        total, over = total + float(reward), terminated or truncated
        assert not info["illegal"]
    assert not info["action_mask"].any()

    envs = gymnasium.make_vec(name, num_envs=5, game_map="usa", opponents=["Greedy", "Greedy"], n_threads=2)
    assert isinstance(envs.unwrapped, Vector)
    rng, n_over = np.random.default_rng(1), 0
    observations, infos = envs.reset(seed=SEED)
    for _ in range(250):
        assert observations in envs.observation_space
        observations, _, terminations, _, infos = envs.step(random_actions(infos["action_mask"], rng))
        n_over += int(terminations.sum())
        if terminations.any():
            final = infos["final_obs"]
            assert [last is not None for last in final] == terminations.tolist()
    assert n_over > 0


def test_what_is_illegal_is_replaced_or_raised() -> None:
    env = Single("usa")
    env.reset(seed=SEED)
    assert env.step(0)[4]["illegal"]
    strict = Single("usa", on_illegal="raise")
    strict.reset(seed=SEED)
    with pytest.raises(IllegalActionError, match="may not do this now: action 0"):
        strict.step(0)


def test_the_board_is_rendered() -> None:
    drawn = {}
    for mode in ("svg", "rgb_array"):
        env = AEC(load("europe"), 2, seed=SEED, render_mode=mode)
        env.reset()
        drawn[mode] = env.render()
    assert drawn["svg"].startswith("<svg")
    assert drawn["rgb_array"].dtype == np.uint8
    assert drawn["rgb_array"].ndim == 3
    assert drawn["rgb_array"].shape[2] == 3
    assert AEC(load("europe")).render() is None


def test_options_that_make_no_environment_are_refused() -> None:
    with pytest.raises(ValueError, match="render_mode of 'svg' or 'rgb_array'"):
        AEC("usa", render_mode="human")
    with pytest.raises(ValueError, match="a seat from 0 to 1, got 2"):
        Single("usa", seat=2)
    with pytest.raises(ValueError, match="'random' or 'raise', got 'lose'"):
        Single("usa", on_illegal="lose")  # type: ignore[arg-type]
    unbounded = AEC("usa", encoder=Encoder(peek, lambda _map, _n: ["one", "two"]))
    assert not unbounded.observation_space("player_0").is_bounded()
