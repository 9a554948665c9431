"""The trained player in `examples` loads, plays, and beats Greedy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import ttr_analysis as ttr

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 7


@pytest.fixture(scope="module")
def trained() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trained", EXAMPLES / "trained.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_trained_player_plays_what_its_network_prefers(trained: ModuleType, tmp_path: Path) -> None:
    player = trained.Trained.load(EXAMPLES / "nordic_ppo.npz")
    record = ttr.Game("nordic").play([player, "Greedy"], SEED)
    assert record.winners == (0,)

    player.save(tmp_path / "again.npz")
    again = trained.Trained.load(tmp_path / "again.npz")
    for step in (3, 40):
        state = record.state_at(step)
        row = ttr.envs.observe(state)[None], ttr.envs.action_mask(state)[None]
        assert np.array_equal(player.prefer(*row), again.prefer(*row))


@pytest.mark.compiled_only
def test_the_trained_player_beats_greedy(trained: ModuleType) -> None:
    player = trained.Trained.load(EXAMPLES / "nordic_ppo.npz")
    assert trained.win_rates(player, ["Greedy"], 16)["Greedy"] > 0.9


def test_the_network_is_small() -> None:
    assert (EXAMPLES / "nordic_ppo.npz").stat().st_size <= 500_000
