"""Simulations that fail: what failed is named, what is finished is kept, and the script can end."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.engine.actions import Action
from ttr_analysis.policies import Random
from ttr_analysis.studies import SimulationError, SimulationResult

if TYPE_CHECKING:
    import numpy as np

SEED = 7


class Moody:
    """Goes wrong in the middle of some game."""

    def __init__(self, mood: str) -> None:
        self.mood = mood

    def choose(self, view: ttr.SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        if view.n_turns > 10 and rng.integers(300) == 0:
            if self.mood == "fails":
                raise ValueError("no idea")
            if self.mood == "dies":
                os._exit(3)
            if self.mood == "hangs":
                time.sleep(600)
        return actions[0]


def simulate(mood: str, **options: object) -> SimulationResult:
    players = [Moody(mood), Random()]
    return ttr.simulate(load("usa"), players, 20, SEED, chunk_size=1, progress=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "disk"])
def test_a_policy_that_fails_names_its_game_and_keeps_those_before(on_disk: bool, tmp_path: Path) -> None:  # noqa: FBT001
    with pytest.raises(SimulationError) as caught:
        simulate("fails", out=tmp_path / "run" if on_disk else None)
    error, result = caught.value, caught.value.result
    assert result.n_games > 0
    deal = result.n_games // 2
    assert str(error).startswith(f"game {result.n_games} of the simulation with seed 7 (deal {deal}): Moody at P")
    assert str(error).endswith(f"ValueError: no idea; {result.n_games} games are kept")
    assert isinstance(error.__cause__, ValueError)
    expected = simulate("plays").seats
    pd.testing.assert_frame_equal(result.seats, expected[expected["game"] < result.n_games].reset_index(drop=True))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - packed here
    assert (str(again), again.result.n_games) == (str(error), result.n_games)


def test_a_policy_that_fails_elsewhere_names_its_game() -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(SimulationError, match=r"game \d+ of the simulation with seed 7"),
    ):
        simulate("fails", executor=pool)


def test_a_worker_that_dies_is_told_in_words() -> None:
    with ProcessPoolExecutor(1) as pool, pytest.raises(SimulationError, match="a worker died") as caught:
        simulate("dies", executor=pool)
    assert isinstance(caught.value.__cause__, BrokenProcessPool)
    assert "games are kept" in str(caught.value)


def test_a_worker_that_hangs_is_ended_in_time() -> None:
    start = time.monotonic()
    with ProcessPoolExecutor(1) as pool, pytest.raises(SimulationError, match=r"none of games .* finished within 4 s"):
        simulate("hangs", executor=pool, patience=4)
    assert time.monotonic() - start < 60  # the pool has ended, too


@pytest.mark.parametrize("name", ["a\x1b[31m", "two\nlines", "half \ud800", "long" * 100])
def test_names_that_cannot_be_written_are_refused(name: str, tmp_path: Path) -> None:
    player = Moody("plays")
    player.name = name  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"expected a policy's name .* without control characters, got '"):
        ttr.simulate(load("usa"), [player, Random()], 2, SEED, out=tmp_path / "run", progress=False)
    with pytest.raises(ValueError, match=r"expected a policy's name"):
        ttr.simulate(load("usa"), {name: Random(), "b": Random()}, 2, SEED, progress=False)
