"""`planner.toml`: the numbers of `Planner` on a map, read with all faults, written, and found for each game."""

from __future__ import annotations

import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, INVENTED, load
from ttr_analysis import MapError
from ttr_analysis.maps.loading import data_folder, map_names
from ttr_analysis.maps.toml_files import NUMBERS, Fitted, strategies_text
from ttr_analysis.policies import Planner, Planner1
from ttr_analysis.policies.planner.fitting import games_of
from ttr_analysis.policies.planner.knowledge import NUMBER_UNIT, MapFacts
from ttr_analysis.policies.planner.policy import kept_strategies, planner_facts, strategy_on


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(INVENTED, tmp_path / "own"))


def test_all_faults_are_told(folder: Path) -> None:
    text = """\
[[fitted]]
n_players = 2
train_price = -1
cards_per_turn = 0
fait = 0.5

[[fitted]]
n_players = 2
faith = nan
"""
    (folder / "planner.toml").write_text(text)
    with pytest.raises(MapError) as error:
        ttr.load_map(folder)

    assert [str(fault) for fault in error.value.faults] == [
        "planner.toml, line 3, fitted.0.train_price: expected a number of 0 or more, got -1",
        "planner.toml, line 4, fitted.0.cards_per_turn: expected a number above 0, got 0",
        'planner.toml, line 5, fitted.0.fait: unknown key, expected faith, got "fait"',
        "planner.toml, line 9, fitted.1.faith: expected a number of 0 or more, got NaN",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('n_players = 2\nvariant = "moon"\n', 'line 3, fitted.0.variant: expected .*, got "moon"'),
        ("n_players = 6\n", "line 2, fitted.0.n_players: expected a whole number from 2 to 3, got 6"),
        ("n_players = 2\n[[fitted]]\nn_players = 2\n", "line 4, fitted.1.n_players: expected one strategy"),
    ],
)
def test_strategies_are_for_games_of_the_map(tmp_path: Path, text: str, fault: str) -> None:
    folder = Path(shutil.copytree(data_folder() / "nordic", tmp_path / "north"))
    (folder / "planner.toml").write_text(f"[[fitted]]\n{text}")
    with pytest.raises(MapError, match=fault):
        ttr.load_map(folder)


def test_a_map_may_have_a_strategy_for_each_of_its_games(tmp_path: Path) -> None:
    usa = load("usa")
    games = sorted(games_of(usa))
    usa.to_folder(tmp_path)
    found = [replace(usa.strategies[0], variant=variant, n_players=n_players) for variant, n_players in games]
    (tmp_path / "planner.toml").write_text(strategies_text(found))
    assert len(games) == 16
    assert ttr.load_map(tmp_path).strategies == tuple(found)
    most = [replace(found[0], variant=f"variant {i:02}", n_players=n) for i in range(21) for n in range(2, 7)]
    (tmp_path / "planner.toml").write_text(strategies_text(most))
    with pytest.raises(MapError, match="variant 00"):  # not of this map, but read
        ttr.load_map(tmp_path)


def test_a_map_keeps_its_strategies(folder: Path) -> None:
    own = Fitted(n_players=3, tunnel_odds=0.25)
    (folder / "planner.toml").write_text(strategies_text([own]))
    game_map = ttr.load_map(folder)
    game_map.to_folder(folder.with_name("copy"))

    assert ttr.load_map(folder.with_name("copy")).strategies == game_map.strategies == (own,)
    assert game_map == replace(game_map, strategies=())


def test_numbers_are_those_of_the_game_most_like_it() -> None:
    one, two = Fitted(n_players=3, faith=0.1), Fitted(n_players=4, faith=0.2)
    game_map = replace(ttr.load_map("usa"), strategies=(one, two))

    assert [Planner().on(game_map, n).faith for n in (2, 3, 4, 5)] == [0.1, 0.1, 0.2, 0.2]
    assert Planner(faith=0.3).on(game_map, 3).faith == 0.3
    assert Planner1().on(game_map, 3) == Planner1()
    general = kept_strategies()["general"]
    assert Planner().on(replace(game_map, strategies=()), 3) == Planner(**asdict(general))


@pytest.mark.parametrize("name", EVERY_MAP)
def test_a_planner_plays_by_the_numbers_of_the_map(name: str) -> None:
    game_map = load(name)
    for variant, n_players in games_of(game_map):
        played = game_map.with_variant(variant or None)
        told = [getattr(strategy_on(played, n_players), number) for number in NUMBERS]
        facts = MapFacts(planner_facts(played, n_players))
        assert (facts.numbers / NUMBER_UNIT).tolist() == told
        own = ttr.policies.play_games(played, [Planner()] * n_players, 4, seed=7)
        written = ttr.policies.play_games(played, [Planner().on(played, n_players)] * n_players, 4, seed=7)
        assert all(np.array_equal(a, b) for a, b in zip(own, written, strict=True))


@pytest.mark.parametrize("name", map_names())
def test_each_map_has_numbers_for_each_game_by_its_own_rules(name: str) -> None:
    game_map = ttr.load_map(name)
    fitted = [(one.variant, one.n_players) for one in game_map.strategies]
    assert {game for game in games_of(game_map) if not game[0]} <= set(fitted) <= set(games_of(game_map))
