"""Experiments: strategies and rules on the same deals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import ttr_analysis as ttr
from tests.fixtures import load
from tests.studies.telling import no_games
from ttr_analysis.policies import Greedy, Planner2, Random
from ttr_analysis.studies.questions import results

if TYPE_CHECKING:
    from ttr_analysis.engine.protocol import CompiledPolicy

# Of any type: to find out the types of what is computed from tables takes mypy seconds.
S: Any = ttr.studies
simulate: Any = ttr.simulate
SEED = 7


def test_strategies_meet_the_same_deals(usa: ttr.GameMap) -> None:
    rivals: list[CompiledPolicy] = [Greedy()]
    strategies: dict[str, CompiledPolicy] = {"as they do": Greedy(), "at random": Random()}
    found = S.compare_strategies(usa, strategies, rivals, 20, SEED, progress=False)

    same, other = (
        simulate(usa, [strategy, *rivals], n, SEED, progress=False).seats
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
    with pytest.raises(ValueError, match="n_games must be a whole number of 1 or more, got 0"):
        S.compare_strategies(usa, strategies, rivals, 0, SEED)
    with pytest.raises(ValueError, match="there is no strategy to compare"):
        S.compare_strategies(usa, {}, rivals, 20, SEED)


@pytest.mark.parametrize("seed", [SEED, SEED + 1], ids=["the same deals", "other deals"])
def test_rules_are_compared(seed: int, nederland: ttr.GameMap) -> None:
    players: list[CompiledPolicy] = [Greedy(), Random()]
    results = {
        "without": simulate(nederland, players, 8, SEED, progress=False),
        "with": simulate(nederland.with_variant("neutral"), players, 8, seed, progress=False),
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


def test_loans_that_one_of_two_took_may_come_in_games_of_the_other(invented: ttr.GameMap) -> None:
    played = {
        "none": simulate(invented, [Planner2(), Planner2()], 10, SEED, progress=False),
        "some": simulate(invented, [Greedy(), Random()], 10, SEED, progress=False),
    }
    loans = S.compare_simulations(played).loc["loans"]

    assert loans.loc["none", ["value", "low"]].tolist() == [0, 0]
    assert loans.loc["none", "high"] == pytest.approx(stats.t.ppf(0.975, 9) ** 2 / 20)  # ten deals of two seats
    assert loans.loc["some", "difference_low"] < loans.loc["some", "value"] - loans.loc["none", "high"] / 2
    assert S.compare_simulations({"none": played["none"]}).loc[("loans", "none")].eq(0).all()


@pytest.mark.parametrize("seed", [SEED, SEED + 3], ids=["the same deals", "other deals"])
def test_wins_are_compared_as_shares(seed: int) -> None:
    """Few games, of which some one may have won all: no interval leaves 0 to 1, and none is without width."""
    usa, players = load("usa"), [Greedy(), Greedy()]
    results = {
        "one": simulate(usa, players, 6, SEED, progress=False),
        "two": simulate(usa, players, 6, seed, progress=False),
        "mixed": simulate(usa, [Greedy(), Random()], 7, seed, progress=False),
    }
    found = S.compare_simulations(results).loc["wins of seat 0"]

    for name, result in results.items():
        rates = S.seat_advantage(result).loc[0, ["win_rate", "win_low", "win_high"]]
        assert list(found.loc[name, ["value", "low", "high"]]) == pytest.approx(list(rates))
    difference = found.filter(like="difference").set_axis(["value", "low", "high"], axis=1)
    assert list(difference.loc["one"]) == [0, 0, 0]
    assert difference["value"].to_numpy() == pytest.approx((found["value"] - found.loc["one", "value"]).to_numpy())
    for _, (value, low, high) in difference.drop(index="one").iterrows():
        assert -1 <= low < value < high <= 1
    if seed != SEED:
        one, two = found.loc["one"], found.loc["two"]
        below = np.hypot(two["value"] - two["low"], one["high"] - one["value"])
        assert difference.loc["two", "low"] == pytest.approx(two["value"] - one["value"] - below)


def test_an_interrupt_ends_an_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = no_games(load("usa"), [Greedy(), Random()])
    monkeypatch.setattr(results, "simulate", lambda *_, **__: begun)

    with pytest.raises(KeyboardInterrupt):
        S.compare_strategies(load("usa"), {"a": Greedy(), "b": Random()}, [Random()], 4, SEED, progress=False)
