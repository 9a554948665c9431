"""`fit`: numbers that win, found again by the same seed, and written into the folder of a map."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import INVENTED
from ttr_analysis import RecordError
from ttr_analysis.maps.toml_files import NUMBERS, Fitted
from ttr_analysis.policies import Planner, fit
from ttr_analysis.policies.planner.fitting import PART_FILE, Middle, begin, fit_folder, win_share

pytestmark = pytest.mark.compiled_only


def numbers_of(fitted: object) -> dict[str, float]:
    return {number: getattr(fitted, number) for number in NUMBERS}


def test_a_few_rounds_mend_a_bad_player(usa: ttr.GameMap) -> None:
    bad = Planner(plan_bar=6.0, faith=0.2).on(usa, 2)
    spread = begin(usa, 2, []).spread
    fitted = fit(usa, 2, [bad], rounds=2, middle=Middle(0, bad.params, spread), progress=False)

    assert win_share(usa, Planner(**numbers_of(fitted)), bad, 2, 200, seed=7) > 0.6


def test_a_fit_goes_on_where_it_stopped() -> None:
    invented = ttr.load_map(INVENTED)
    kept: list[Middle] = []
    whole = fit(invented, 2, ["Greedy"], rounds=2, seed=3, keep=kept.append, progress=False)

    assert fit(invented, 2, ["Greedy"], rounds=2, seed=3, middle=kept[0], progress=False) == whole
    assert [now.n_rounds for now in kept] == [1, 2]


def test_a_folder_is_fitted_and_an_interrupted_fit_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(INVENTED, tmp_path / "own"))
    seen: list[Middle | None] = []

    def stops(*_: object, keep: object, middle: Middle | None, **__: object) -> None:
        seen.append(middle)
        keep(Middle(5, np.full(len(NUMBERS), 0.5), np.ones(len(NUMBERS)), (np.zeros(len(NUMBERS)),)))  # type: ignore[operator]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("ttr_analysis.policies.planner.fitting.fit", stops)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                next(fit_folder(folder, [("", 2)], rounds=9, seed=3, progress=False))
    assert seen[0] is None
    assert seen[1] is not None
    assert (seen[1].n_rounds, seen[1].former[0].tolist()) == (5, [0.0] * len(NUMBERS))

    (found,) = fit_folder(folder, [("", 2)], rounds=5, seed=3, progress=False)
    assert found.faith == 0.5
    assert ttr.load_map(folder).strategies == (found,)
    assert not (folder / PART_FILE).exists()


def test_a_damaged_part_is_told(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INVENTED, tmp_path / "own"))
    (folder / PART_FILE).write_text(json.dumps({"variant": "", "n_players": -1}))
    with pytest.raises(RecordError, match="n_players: expected a whole number of 0 or more, got -1"):
        next(fit_folder(folder, [("", 2)], rounds=1, seed=3, progress=False))


def test_games_fitted_before_an_interrupt_are_not_fitted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(INVENTED, tmp_path / "own"))
    tried: list[int] = []

    def stops_at_three(_: object, n_players: int, *, keep: object, **__: object) -> Fitted:
        tried.append(n_players)
        if n_players == 3 and tried.count(3) == 1:
            keep(Middle(5, np.full(len(NUMBERS), 0.5), np.ones(len(NUMBERS))))  # type: ignore[operator]
            raise KeyboardInterrupt
        return Fitted(n_players=n_players)

    monkeypatch.setattr("ttr_analysis.policies.planner.fitting.fit", stops_at_three)
    games = [("", 2), ("", 3)]
    with pytest.raises(KeyboardInterrupt):
        list(fit_folder(folder, games, rounds=9, seed=3, progress=False))
    list(fit_folder(folder, games, rounds=9, seed=3, progress=False))

    assert tried == [2, 3, 3]


def test_a_fit_without_opponents_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least one opponent"):
        fit("usa", opponents=[], rounds=1, progress=False)
