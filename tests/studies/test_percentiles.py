"""How good a score is: as in games that were played apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from ttr_analysis import GameMap, UnknownNameError
from ttr_analysis.studies import percentile
from ttr_analysis.studies.insights import PERCENTILE_COLUMNS

pytestmark = pytest.mark.compiled_only


@pytest.fixture(scope="module")
def scores() -> Any:  # noqa: ANN401 - as pandas has it
    """Return the scores of many other games."""
    return ttr.simulate("usa", ["Planner", "Planner"], 5_000, seed=99, progress=False).seats["points"]


@pytest.mark.parametrize("points", [60, 105, 118, 140])
def test_percentiles_are_those_of_five_thousand_other_games(points: int, scores: Any) -> None:  # noqa: ANN401
    truth = (scores < points).mean() + (scores == points).mean() / 2

    found: Any = percentile("usa", points, 2).loc["Planner"]

    width = found["percentile_high"] - found["percentile_low"]
    assert list(found.index) == list(PERCENTILE_COLUMNS)
    assert found["percentile_low"] - width / 4 <= truth <= found["percentile_high"] + width / 4
    assert found["games"] == 2_000
    assert found["median"] == pytest.approx(scores.median(), abs=1)


def test_more_points_beat_more_and_stated_players_differ(nordic: GameMap) -> None:
    table: Any = percentile(nordic, 80, 2, against=["Planner", "Greedy"], n_games=100)
    better: Any = percentile(nordic, 120, 2, against=["Planner", "Greedy"], n_games=100)

    assert list(table.index) == ["Planner", "Greedy"]
    assert better.loc["Planner", "percentile"] > table.loc["Planner", "percentile"]
    assert table.loc["Greedy", "percentile"] == better.loc["Greedy", "percentile"] == 1
    assert table["wins"].between(0, 1).all()


def test_what_would_have_won_is_counted_seat_by_seat(nordic: GameMap) -> None:
    scores = ttr.simulate(nordic, ["Planner"] * 3, 50, seed=7, progress=False).seats["points"].to_numpy().reshape(-1, 3)
    wins = [max(np.delete(game, seat)) < 100 for game in scores for seat in range(3)]

    assert percentile(nordic, 100, 3, n_games=50)["wins"].tolist() == pytest.approx([np.mean(wins)])


def test_wrong_arguments_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="for 2 to 3 players, got 5"):
        percentile(nordic, 80, 5)
    with pytest.raises(ValueError, match="points must be a number, got nan"):
        percentile(nordic, float("nan"), 2)
    with pytest.raises(ValueError, match="n_games"):
        percentile(nordic, 80, 2, n_games=1)
    with pytest.raises(UnknownNameError, match="Planner"):
        percentile(nordic, 80, 2, against="Planer")
