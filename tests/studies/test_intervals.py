"""Intervals: their limits, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from ttr_analysis.studies.intervals import Moments, clustered_mean, clustered_rate, mean_interval, wilson

SEED = 7


def test_intervals_know_their_limits() -> None:
    assert wilson(0, 0)[1:] == (0, 1)
    assert np.isnan(mean_interval(5, 25, 1).low)
    assert np.isnan(clustered_mean(Moments(0, 0, 0, 0, 0, 0)).value)
    assert np.isnan(clustered_mean(Moments(1, 5, 1, 25, 5, 1)).low)
    assert clustered_rate(Moments(0, 0, 0, 0, 0, 0))[1:] == (0, 1)
    assert clustered_rate(Moments(1, 2, 4, 4, 8, 16)) == (0.5, *wilson(0.5, 1)[1:])
    assert clustered_rate(Moments(10, 0, 30, 0, 0, 90)) == wilson(0, 10)
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        wilson(3, 2)


def test_intervals_of_clusters_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(SEED)
    chance = rng.beta(2, 3, size=(2_000, 60))  # of each deal: its three games are alike
    wins = rng.binomial(3, chance)
    clustered, single = [], []
    for y in wins.astype(float):
        clustered.append(clustered_rate(Moments(60, y.sum(), 180, (y**2).sum(), 3 * y.sum(), 540)))
        single.append(wilson(y.sum(), 180))
    holds = [np.mean([low <= 0.4 <= high for _, low, high in found]) for found in (clustered, single)]
    assert holds[0] == pytest.approx(0.95, abs=0.02)
    assert holds[1] < 0.92
