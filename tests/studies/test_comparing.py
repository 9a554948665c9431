"""Experiments: strategies and rules on the same deals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies.questions import comparing

if TYPE_CHECKING:
    from ttr_analysis.engine.protocol import CompiledPolicy

S = ttr.studies
SEED = 7


def test_strategies_meet_the_same_deals() -> None:
    usa = load("usa")
    rivals: list[CompiledPolicy] = [Greedy()]
    strategies: dict[str, CompiledPolicy] = {"as they do": Greedy(), "at random": Random()}
    found = S.compare_strategies(usa, strategies, rivals, 20, SEED, progress=False)

    same, other = (
        ttr.simulate(usa, [strategy, *rivals], n, SEED, progress=False).seats
        for strategy, n in zip(strategies.values(), (10, 20), strict=True)
    )
    assert list(found.loc["as they do", ["games", "win_rate", "points"]]) == pytest.approx(
        [20, 0.5, same["points"].mean()]
    )
    mine = other[other["player"] == 0]
    assert list(found.loc["at random", ["games", "win_rate", "points"]]) == pytest.approx(
        [20, mine["won"].mean(), mine["points"].mean()]
    )
    deals = mine.groupby(mine["game"] // 2)["points"].mean() - same.groupby("game")["points"].mean()
    half = stats.t.ppf(0.975, 9) * deals.std(ddof=1) / np.sqrt(10)
    expected = [deals.mean(), deals.mean() - half, deals.mean() + half]
    ends = ["points_difference", "points_difference_low", "points_difference_high"]
    assert list(found.loc["at random", ends]) == pytest.approx(expected)
    assert list(found.filter(like="difference").loc["as they do"]) == [0] * 6
    with pytest.raises(ValueError, match="n_games must be at least 1, got 0"):
        S.compare_strategies(usa, strategies, rivals, 0, SEED)
    with pytest.raises(ValueError, match="no strategy"):
        S.compare_strategies(usa, {}, rivals, 20, SEED)


@pytest.mark.parametrize("seed", [SEED, SEED + 1], ids=["the same deals", "other deals"])
def test_rules_are_compared(seed: int) -> None:
    nederland = load("nederland")
    players: list[CompiledPolicy] = [Greedy(), Random()]
    results = {
        "without": ttr.simulate(nederland, players, 8, SEED, progress=False),
        "with": ttr.simulate(nederland.with_variant("neutral"), players, 8, seed, progress=False),
    }
    found = S.compare_simulations(results)

    three = stats.t.ppf(0.975, 3)
    for measure, column in {"points": "points", "claims": "claims", "turns": "turns"}.items():
        deals = [r.seats.groupby(r.seats["game"] // 2)[column].mean() for r in results.values()]
        error = [deal.std(ddof=1) / 2 for deal in deals]
        half = (deals[1] - deals[0]).std(ddof=1) / 2 if seed == SEED else np.hypot(error[0], error[1])
        row = found.loc[(measure, "with"), :]
        value = deals[1].mean()
        assert list(row[["value", "low"]]) == pytest.approx([value, value - three * error[1]])
        assert row["difference"] == pytest.approx(value - deals[0].mean())
        assert row["difference_high"] - row["difference"] == pytest.approx(three * half)
    first = results["with"].seats.groupby("seat")["won"].mean()[0]
    assert found.loc[("wins of seat 0", "with"), "value"] == pytest.approx(first)


def test_an_interrupt_ends_an_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = ttr.simulate(load("usa"), [Greedy(), Random()], 0, SEED, progress=False)
    begun.meta["n_games"] = 4
    monkeypatch.setattr(comparing, "simulate", lambda *_, **__: begun)

    with pytest.raises(KeyboardInterrupt):
        S.compare_strategies(load("usa"), {"a": Greedy(), "b": Random()}, [Random()], 4, SEED, progress=False)
