"""Intervals: their limits, and how often they hold the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ttr_analysis.studies.intervals import (
    ClusterSums,
    Interval,
    clustered_bounded_mean,
    clustered_difference,
    clustered_mean,
    clustered_rate,
    mean_interval,
    moments_of,
    rate_interval,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SEED = 7


def test_intervals_know_their_limits() -> None:
    assert rate_interval(0, 0)[1:] == (0, 1)
    assert np.isnan(mean_interval(5, 25, 1).low)
    assert np.isnan(clustered_mean(ClusterSums(0, 0, 0, 0, 0, 0)).value)
    assert np.isnan(clustered_mean(ClusterSums(1, 5, 1, 25, 5, 1)).low)
    assert clustered_rate(ClusterSums(0, 0, 0, 0, 0, 0))[1:] == (0, 1)
    assert clustered_rate(ClusterSums(1, 2, 4, 4, 8, 16)) == (0.5, *rate_interval(0.5, 1)[1:])
    assert clustered_rate(ClusterSums(10, 0, 30, 0, 0, 90)) == rate_interval(0, 10)
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        rate_interval(3, 2)


@pytest.mark.parametrize("values", [[200, 100, 230], [7, 7, 7], [0, 0], [0.1] * 30, [-5], [1e9, 1e9 + 1]])
def test_sums_that_no_values_have_are_refused(values: list[float]) -> None:
    n, total, of_squares = len(values), sum(values), sum(value**2 for value in values)

    assert mean_interval(total, of_squares, n).value == pytest.approx(total / n)
    if n > 1 and of_squares:
        with pytest.raises(ValueError, match=r"^the squares of \d+ values with the sum .* add up to .* or more"):
            mean_interval(total, 0.999 * total**2 / n, n)


def test_squares_that_ran_over_are_refused() -> None:
    points = np.array([200, 190, 210], dtype=np.int16)

    with pytest.raises(ValueError, match="did the square of a narrow integer overflow"):
        mean_interval(points.sum(), (points**2).sum(), len(points))


def test_intervals_print_as_plain_floats() -> None:
    values = np.array([20.0, 24.0, 34.0])
    assert repr(mean_interval(values.sum(), (values**2).sum(), len(values))).startswith("Interval(value=26.0, low=8.")
    assert "np" not in repr(rate_interval(values.sum(), np.float64(100)))
    assert "np" not in repr(clustered_mean(moments_of(values, np.ones(3))))


def sums(y: Floats, n: Floats) -> ClusterSums:
    return ClusterSums(len(y), y.sum(), n.sum(), (y**2).sum(), (y * n).sum(), (n**2).sum())


def share_that_holds(intervals: list[Interval], truth: float) -> float:
    return float(np.mean([low <= truth <= high for _, low, high in intervals]))


@pytest.mark.parametrize("n_clusters", [3, 5, 10, 60])
def test_intervals_of_clusters_hold_the_truth_as_often_as_they_say(n_clusters: int) -> None:
    rng = np.random.default_rng(SEED)
    three = np.full(n_clusters, 3.0)
    chance = rng.beta(2, 3, size=(2_000, n_clusters))  # of each deal: its three games are alike
    wins = rng.binomial(3, chance).astype(float)
    points = rng.normal(rng.normal(80, 20, size=(2_000, n_clusters)), 10) * 3
    rivals = rng.binomial(3, 1 - chance / 2)

    assert share_that_holds([clustered_rate(sums(y, three)) for y in wins], 0.4) > 0.93
    assert share_that_holds([clustered_mean(sums(y, three)) for y in points], 80) == pytest.approx(0.95, abs=0.02)
    assert share_that_holds([clustered_difference(sums(y, three)) for y in wins - rivals], -0.4) > 0.93
    if n_clusters == 60:
        assert share_that_holds([rate_interval(y.sum(), 180) for y in wins], 0.4) < 0.93


@pytest.mark.parametrize(("n_deals", "chance"), [(10, 0.45), (50, 0.5), (200, 0.45), (200, 0.9)])
def test_where_luck_goes_to_both_in_turn_the_difference_is_surer_than_the_rate(n_deals: int, chance: float) -> None:
    """Most deals are won by who sits where: each player then wins one of its two games."""
    rng = np.random.default_rng(SEED)
    both = (max(0.0, 2 * chance - 1) + chance**2) / 2
    two = np.full(n_deals, 2.0)
    shares = [both, 2 * (chance - both), 1 + both - 2 * chance]
    wins = rng.choice([2.0, 1.0, 0.0], p=shares, size=(1_000, n_deals))

    of_rate = [clustered_rate(sums(y, two)) for y in wins]
    of_difference = [clustered_difference(sums(2 * y - two, two)) for y in wins]

    assert share_that_holds(of_difference, 2 * chance - 1) > 0.93
    assert share_that_holds(of_rate, chance) > 0.93
    if n_deals >= 50 and chance < 0.9:
        assert share_that_holds(of_rate, chance) > 0.975
        widths = [np.mean([high - low for _, low, high in some]) for some in (of_difference, of_rate)]
        assert widths[0] / 2 < 0.85 * widths[1]


@pytest.mark.parametrize("truth", [0.001, 0.0013, 0.01, 0.03, 0.5, 0.99, 0.999])
@pytest.mark.parametrize("alike", [0.0, 0.4, 1.0])
def test_intervals_of_rates_hold_rare_ones_at_thirty_deals_of_two_games(truth: float, alike: float) -> None:
    """`alike`: in what share of deals both games end the same."""
    rng, two = np.random.default_rng(SEED), np.full(30, 2.0)
    one, other = (rng.random((2, 400, 30)) < truth).astype(float)
    wins = one + np.where(rng.random((400, 30)) < alike, one, other)

    assert share_that_holds([clustered_rate(sums(y, two)) for y in wins], truth) > 0.93
    assert share_that_holds([clustered_difference(sums(2 * y - two, two)) for y in wins], 2 * truth - 1) > 0.93
    bounded = [clustered_bounded_mean(sums(20 * y - 8 * two, two), -8, 12) for y in wins]
    assert share_that_holds(bounded, 20 * truth - 8) > 0.93


def test_values_that_are_few_make_wide_intervals() -> None:
    rng = np.random.default_rng(SEED)
    for n in (2, 5):
        values = rng.normal(10, 3, size=(2_000, n))
        found = [mean_interval(y.sum(), (y**2).sum(), n) for y in values]
        assert share_that_holds(found, 10) == pytest.approx(0.95, abs=0.02)


def test_differences_have_a_width_where_all_agree() -> None:
    for n, value in ((4, 1.0), (4, 0.0), (400, -1.0)):
        found = clustered_difference(sums(np.full(n, 3 * value), np.full(n, 3.0)))
        assert found.value == value
        assert found.high - found.low > 1 / n
    assert clustered_difference(ClusterSums(0, 0, 0, 0, 0, 0))[1:] == (-1, 1)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 7.3])
def test_a_mean_at_the_end_of_what_can_be_lies_in_its_interval(value: float) -> None:
    for n in range(2, 60):
        found = clustered_bounded_mean(moments_of([value] * n, [1] * n), -3 * value, value)
        assert found.low <= found.value <= found.high
