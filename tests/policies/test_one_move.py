"""A policy of the package, asked for one move from a view."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.conformance import Combination
from tests.fixtures import EVERY_MAP, load
from tests.policies.moments import COMBINATIONS, some_states
from ttr_analysis import Game, GameError, GameMap
from ttr_analysis._compile import Ints
from ttr_analysis.engine.game import GameEngine, KernelGame
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.policies.playout import Player


@pytest.mark.compiled_only
@pytest.mark.parametrize("policy", [Random(), Greedy(), Planner()], ids=lambda policy: policy.name)
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_it_is_legal_and_what_the_compiled_function_does(
    combination: Combination, policy: Random | Greedy | Planner
) -> None:
    game = GameEngine(combination.game_map, combination.n_players)
    packed = KernelGame(combination.game_map, combination.n_players)
    for state in some_states(combination):
        rng = np.random.default_rng(7)
        action = policy.choose(game.view(state, state.acting), game.legal_actions(state), rng)

        assert game.why_illegal(state, action) is None
        memory = fresh_memory(policy)
        lore = policy.lore(combination.game_map, combination.n_players)
        decided = policy.decide(state.packed, packed.tables, lore, state.acting, policy.params, memory)
        assert packed.encode(state.packed, action) == decided


def fresh_memory(policy: Player) -> Ints:
    """Return the memory of a player who has seen nothing, with the numbers of a generator as its stream."""
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    memory[:4] = np.random.default_rng(7).integers(0, 2**32, 4, dtype=np.int64)
    memory[0] |= 1
    return memory


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", EVERY_MAP)
def test_who_remembers_nothing_chooses_as_in_a_game(name: str) -> None:
    game = Game(load(name))

    class Asked:
        """Asks Greedy for each move."""

        def choose(self, *given: object) -> object:
            return Greedy().choose(*given)  # type: ignore[arg-type]

    asked = game.play([Asked(), Asked()], seed=7)  # type: ignore[list-item]
    assert asked.events == game.play(["Greedy", "Greedy"], seed=7).events


def test_who_does_not_act_is_refused(nordic: GameMap) -> None:
    game = Game(nordic)
    state = game.new(seed=7)
    rng = np.random.default_rng(7)

    with pytest.raises(GameError, match="this is what P1 sees, but P0 acts"):
        Greedy().choose(game.view(state, 1), game.legal_actions(state), rng)
    over = game.play([Random(), Random()], seed=7).state_at(-1)
    with pytest.raises(GameError, match="the game is over"):
        Greedy().choose(game.view(over, 0), [], rng)
