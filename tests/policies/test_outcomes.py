"""Games that are played on from given states, all in one compiled batch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.fixtures import EVERY_MAP, load
from ttr_analysis import Game, GameError, GameMap, GameRecord
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.policies.search.rollouts import play_out


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", EVERY_MAP)
def test_rows_are_those_of_the_states(name: str) -> None:
    game = Game(load(name))
    record = game.play([Random()] * game.n_players, seed=7)
    states = [record.state_at(step) for step in (0, len(record.steps) // 2, -1)]

    ends = play_out(states, ["Random"] * game.n_players, seed=3)

    assert ends.index.tolist() == [(i, seat) for i in range(3) for seat in range(game.n_players)]
    points, won = (ends[column].to_numpy().reshape(3, -1) for column in ("points", "won"))
    assert won.sum(axis=1) == pytest.approx(1)
    assert points[2].tolist() == list(record.scores)
    assert np.flatnonzero(won[2]).tolist() == list(record.winners)
    assert ((won == 0) | (points == points.max(axis=1, keepdims=True))).all()


@pytest.mark.compiled_only
def test_the_seed_decides_and_places_differ(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7)
    players = ["Greedy", "Random"]

    ends = play_out([state] * 200, players, seed=7)

    pd.testing.assert_frame_equal(ends, play_out([state] * 200, players, seed=7))
    pd.testing.assert_frame_equal(ends.loc[:99], play_out([state] * 100, players, seed=7))
    assert not ends.equals(play_out([state] * 200, players, seed=8))
    assert ends["points"].xs(0, level="seat").nunique() > 20


def test_nothing_gives_no_rows() -> None:
    assert play_out([], ["Greedy", "Greedy"], seed=7).empty


def test_what_cannot_be_played_on_is_refused(nordic: GameMap, switzerland: GameMap) -> None:
    players = [Greedy(), Greedy()]
    record = Game(nordic).play(players, seed=7)
    unknown = GameRecord.watched_from(record, 0, shown=False).state_at(4)

    with pytest.raises(GameError, match=r"state 1 cannot be played on with .*unknown"):
        play_out([record.state_at(4), unknown], players, seed=7)
    with pytest.raises(GameError, match="state 1 is on another map"):
        play_out([record.state_at(4), Game(switzerland).new(seed=7)], players, seed=7)
    with pytest.raises(GameError, match="state 0 is from a 2-player game, but there are 3 policies"):
        play_out([record.state_at(4)], ["Greedy"] * 3, seed=7)
    with pytest.raises(GameError, match="expected a GameState"):
        play_out([Game(nordic).view(record.state_at(4), 0)], players, seed=7)  # type: ignore[list-item]
