"""The players of the package have names, by which every door that takes a policy knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from ttr_analysis import GameMap
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.engine.protocol import BUILT_IN, Policy, find_policy, is_built_in, policy_name
from ttr_analysis.policies import Greedy, Planner, Random, play_games
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.studies.questions.results import compare_strategies
from ttr_analysis.studies.tournaments import beats, tournament
from ttr_analysis.studies.winning import win_probability
from ttr_analysis.widgets.human_game import HumanGame

NAMED: list[Any] = ["Greedy", " random"]
MADE: list[Any] = [Greedy(), Random()]


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_is_found_and_trusted(name: str) -> None:
    policy = find_policy(name)

    assert policy_name(policy) == name
    assert policy == find_policy(name.upper())
    assert is_built_in(policy)
    assert isinstance(policy, Policy)


def test_all_but_the_one_that_searches_are_compiled() -> None:
    assert [name for name in BUILT_IN if not is_compiled(find_policy(name))] == ["Searcher"]


def test_all_that_are_public_are_listed() -> None:
    public = {name for name in dir(ttr.policies) if is_player(getattr(ttr.policies, name))}
    assert public == set(BUILT_IN)


def is_player(thing: object) -> bool:
    return isinstance(thing, type) and hasattr(thing, "choose") and not hasattr(thing, "_is_protocol")


def test_an_heir_of_the_same_name_is_not_one_of_them() -> None:
    heir = type("Greedy", (Greedy,), {"__slots__": ()})

    assert not is_built_in(heir())


@pytest.mark.compiled_only
def test_a_name_does_what_its_player_does(nordic: GameMap) -> None:
    game = ttr.Game(nordic)
    state = game.play(MADE, seed=7).state_at(8)

    assert game.play(NAMED, seed=7) == game.play(MADE, seed=7)
    assert np.array_equal(game.play_rows(NAMED, seed=7), game.play_rows(MADE, seed=7))
    arrays = [play_games(nordic, players, 2, seed=7) for players in (NAMED, MADE)]
    assert all(map(np.array_equal, *arrays))
    for named, made in (
        [ttr.simulate(nordic, players, 4, seed=7, progress=False).seats for players in (NAMED, MADE)],
        [tournament(nordic, players, 4, progress=False).table for players in (NAMED, MADE)],
        [
            beats(nordic, player, players, 4, progress=False)
            for player, players in (("planner", NAMED), (Planner(), MADE))
        ],
        [win_probability(state, 0, n_rollouts=2, policies=players) for players in (NAMED, MADE)],
        [
            compare_strategies(nordic, {"one": players[0]}, players[1:], 4, seed=7, progress=False)
            for players in (NAMED, MADE)
        ],
    ):
        pd.testing.assert_frame_equal(named, made)


def test_a_seat_at_the_table_is_given_by_name(nordic: GameMap) -> None:
    table = HumanGame(ttr.Game(nordic, 2), ["greedy"], seed=7)
    table.replace_policy(1, "Planner")

    assert table.names == ("Person", "Greedy, then Planner")


def test_a_wrong_name_is_answered_with_the_right_ones(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match="no policy 'Plannr'; did you mean Planner"):
        ttr.Game(nordic).play(["Planner", "Plannr"], seed=7)
    with pytest.raises(UnknownNameError, match="no policy 'me'; choose one of Random, Greedy, Planner"):
        play_games(nordic, ["me", "Greedy"], 1, seed=7)
