"""Confidence intervals of figures from games, and their wording."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, stdtrit

from ttr_analysis._words import number, percent
from ttr_analysis.analysis.waiting import Z_95

if TYPE_CHECKING:
    import pandas as pd

Unit: TypeAlias = Literal["share", "points", "points a train", "trains"]
"""The unit of a figure; a share is between 0 and 1."""

FEWEST: Final = 30
"""Minimum number of observations for a figure to be reported."""

_ROUNDING: Final = 1e-5
"""Relative error allowed in sums of 32-bit floats."""


def t_95(n: float) -> float:
    """
    Return the half-width of a 95% interval in standard errors, if the error is estimated from `n` >= 2 values.

    >>> [round(t_95(n), 2) for n in (2, 5, 1_000)]
    [12.71, 2.78, 1.96]
    """
    return float(stdtrit(n - 1, 0.975))


class Interval(NamedTuple):
    """A figure with its 95% confidence interval."""

    value: float
    low: float
    high: float

    def ends(self, form: Callable[[float], str]) -> str:
        """Return its ends in words, each formatted by a function such as `percent`."""
        return f"95% interval {form(self.low)} to {form(self.high)}"


def rate_interval(successes: float, n: float) -> Interval:
    """
    Return a rate with its exact interval.

    Parameters
    ----------
    successes
        Successes; a win shared by k players counts 1/k.
    n
        Independent trials; an effective number can be fractional.

    Returns
    -------
    interval
        The rate and its 95% confidence interval [1]_, which is as reliable for a rate
        of 0.1% as for 50%; (nan, 0, 1) without trials.

    References
    ----------
    .. [1] Clopper, C. J. and Pearson, E. S. "The use of confidence or fiducial
       limits illustrated in the case of the binomial". Biometrika 26 (1934),
       404-413.

    Examples
    --------
    >>> [round(x, 3) for x in rate_interval(81, 100)]
    [0.81, 0.719, 0.882]
    >>> [round(x, 3) for x in rate_interval(20, 20)]
    [1.0, 0.832, 1.0]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be between 0 and the number of trials ({n}), got {successes}")
    if n == 0:
        return Interval(float("nan"), 0.0, 1.0)
    successes, n = float(successes), float(n)
    low = float(betaincinv(successes, n - successes + 1, 0.025)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 0.975)) if successes < n else 1.0
    return Interval(successes / n, low, high)


def mean_interval(total: float, total_of_squares: float, n: float) -> Interval:
    """
    Return a mean with its 95% confidence interval.

    Parameters
    ----------
    total, total_of_squares
        Sums of the values, and of their squares.
    n
        Number of independent values.

    Returns
    -------
    interval
        The mean and its interval; with fewer than two values, its ends are nan. If all
        values are equal, the interval has no width.

    Raises
    ------
    ValueError
        If no values have such sums: the squares must add up to at least total ** 2 / n.

    Examples
    --------
    >>> values = np.array([9, 10, 14])
    >>> [round(x, 2) for x in mean_interval(values.sum(), (values**2).sum(), len(values))]
    [11.0, 4.43, 17.57]
    """
    total, total_of_squares, n = float(total), float(total_of_squares), float(n)
    if total * total > n * total_of_squares * (1 + _ROUNDING):
        raise ValueError(
            f"the squares of {n:g} values with the sum {total:g} add up to {total * total / n if n else 0:g} or more, "
            f"got {total_of_squares:g}: did the square of a narrow integer overflow?"
        )
    nan = float("nan")
    if n == 0:
        return Interval(nan, nan, nan)
    mean = total / n
    if n == 1:
        return Interval(mean, nan, nan)
    variance = max(0.0, total_of_squares - n * mean * mean) / (n - 1)
    half = t_95(n) * sqrt(variance / n)
    return Interval(mean, mean - half, mean + half)


def interval_of_mean(values: npt.ArrayLike) -> Interval:
    """Return the mean of independent values with its 95% confidence interval."""
    numbers = np.asarray(values, dtype=float)
    return mean_interval(numbers.sum(), (numbers**2).sum(), len(numbers))


class ClusterSums(NamedTuple):
    """
    Sums over clusters of observations, enough for a ratio and its standard error.

    Games on one deal resemble each other, and so do seats of one game: they form a cluster,
    and only clusters are independent. The ratio is `total` / `size`, such as wins per game;
    the other fields are sums over clusters of squares and products of the two.
    """

    n_clusters: float
    total: float
    size: float
    total_squares: float
    products: float
    size_squares: float

    @property
    def variance(self) -> float:
        """The variance of the ratio; nan with fewer than two clusters."""
        if self.n_clusters < 2 or self.size == 0:  # noqa: PLR2004
            return float("nan")
        ratio = self.total / self.size
        spread = self.total_squares - 2 * ratio * self.products + ratio * ratio * self.size_squares
        return max(0.0, spread) * self.n_clusters / (self.n_clusters - 1) / self.size**2


def moments_of(totals: npt.ArrayLike, sizes: npt.ArrayLike) -> ClusterSums:
    """
    Return the sums over clusters; entries with size 0 do not count as clusters.

    >>> moments_of([20, 24, 34, 0], [2, 2, 2, 0])
    ClusterSums(n_clusters=3.0, total=78.0, size=6.0, total_squares=2132.0, products=156.0, size_squares=12.0)
    """
    total, size = np.asarray(totals, dtype=float), np.asarray(sizes, dtype=float)
    sums = (size != 0), total, size, total**2, total * size, size**2
    return ClusterSums(*(float(values.sum()) for values in sums))


def clustered_mean(moments: ClusterSums) -> Interval:
    """
    Return a mean, or another ratio of sums, with its 95% confidence interval.

    With fewer than two clusters the ends of the interval [1]_ are nan; if all clusters agree it has no width.

    References
    ----------
    .. [1] Cochran, W. G. "Sampling Techniques", 3rd ed., section 6.3. Wiley,
       1977.

    Examples
    --------
    Three deals of two games each; the two games of a deal give equal points:

    >>> [round(x, 2) for x in clustered_mean(moments_of([20, 24, 34], [2, 2, 2]))]
    [13.0, 4.04, 21.96]
    """
    if moments.size == 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    ratio = moments.total / moments.size
    if moments.n_clusters < 2:  # noqa: PLR2004 - a variance needs two
        return Interval(ratio, float("nan"), float("nan"))
    half = t_95(moments.n_clusters) * sqrt(moments.variance)
    return Interval(ratio, ratio - half, ratio + half)


def effective_trials(moments: ClusterSums) -> float:
    """Return the effective number of independent trials of a rate: see `clustered_rate`."""
    rate = min(1.0, max(0.0, moments.total / moments.size))
    variance = moments.variance
    if rate in (0.0, 1.0) or moments.n_clusters < 2:  # noqa: PLR2004
        return min(moments.size, moments.n_clusters)
    known = (Z_95 / t_95(moments.n_clusters)) ** 2
    return min(moments.size, known * rate * (1 - rate) / variance) if variance > 0 else moments.size


def clustered_rate(moments: ClusterSums) -> Interval:
    """
    Return a rate with the exact interval of the effective number of independent trials.

    The interval [1]_ is never narrower than for independent trials. If all trials agree, or there
    is only one cluster, each cluster counts as one trial.

    References
    ----------
    .. [1] Korn, E. L. and Graubard, B. I. "Confidence intervals for proportions
       with small expected number of positive counts estimated from survey
       data". Survey Methodology 24 (1998), 193-201.

    Examples
    --------
    Fifty deals of two equal games each count as fifty games:

    >>> moments = moments_of([2] * 20 + [0] * 30, [2] * 50)  # 20 deals were won, both games
    >>> [round(x, 2) for x in clustered_rate(moments)], [round(x, 2) for x in rate_interval(20, 50)]
    ([0.4, 0.26, 0.55], [0.4, 0.26, 0.55])
    """
    if moments.size == 0:
        return rate_interval(0, 0)
    rate, effective = min(1.0, max(0.0, moments.total / moments.size)), effective_trials(moments)
    return rate_interval(rate * effective, effective)._replace(value=rate)


def clustered_bounded_mean(moments: ClusterSums, least: float, most: float) -> Interval:
    """
    Return a mean of values between two bounds, with the interval of a rate scaled to them.

    A ticket scores one of two numbers. If it was completed every time, its values do not
    show how often it can be missed, so the interval of `clustered_mean` has no width.

    A ticket of 8 points was completed in each of 20 games:

    >>> moments = moments_of([8] * 20, [1] * 20)
    >>> [round(x, 1) for x in clustered_bounded_mean(moments, -8, 8)]
    [8.0, 5.3, 8.0]
    """
    n, total, size, total_squares, products, size_squares = moments
    if size == 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    span = most - least
    if span == 0:
        return Interval(total / size, least, most)
    above = (total - least * size) / span
    above_squares = (total_squares - 2 * least * products + least**2 * size_squares) / span**2
    above_products = (products - least * size_squares) / span
    _, low, high = clustered_rate(ClusterSums(n, above, size, above_squares, above_products, size_squares))
    mean = total / size
    # If all values are at a bound, rounding must not push the mean outside.
    return Interval(mean, min(mean, least + span * low), max(mean, least + span * high))


def clustered_count(moments: ClusterSums) -> Interval:
    """
    Return a mean of counts with its 95% confidence interval, valid for rare events too.

    The interval contains all means consistent with these clusters, with variance
    proportional to the mean. If all clusters agree, the variance is that of the Poisson
    distribution. With fewer than two clusters its ends are nan.

    An event that never happened in 60 games may still happen once in fifteen:

    >>> [round(x, 3) for x in clustered_count(moments_of([0] * 60, [1] * 60))]
    [0.0, 0.0, 0.067]
    """
    if moments.size == 0 or moments.n_clusters < 2:  # noqa: PLR2004 - a variance needs two
        return clustered_mean(moments)
    ratio, z = moments.total / moments.size, t_95(moments.n_clusters)
    one = moments.variance / ratio if ratio > 0 else 0.0  # the variance for a mean of 1
    one = one or 1 / moments.size
    middle, half = ratio + z * z * one / 2, z * sqrt(one * ratio + z * z * one * one / 4)
    return Interval(ratio, max(0.0, middle - half), middle + half)


def clustered_difference(moments: ClusterSums) -> Interval:
    """
    Return a mean of differences between -1 and 1, such as wins, with its 95% confidence interval.

    It has a width even if all clusters agree, because two clusters are added, one with 1
    and one with -1 [1]_; (nan, -1, 1) without clusters.

    References
    ----------
    .. [1] Agresti, A. and Min, Y. "Simple improved confidence intervals for
       comparing matched proportions". Statistics in Medicine 24 (2005),
       729-740, for single pairs.

    Examples
    --------
    >>> [round(x, 2) for x in clustered_difference(moments_of([1] * 20, [1] * 20))]
    [1.0, 0.72, 1.0]
    """
    if moments.size == 0:
        return Interval(float("nan"), -1.0, 1.0)
    n, total, size, total_squares, products, size_squares = moments
    each = size / n
    more = ClusterSums(n + 2, total, size + 2 * each, total_squares + 2 * each**2, products, size_squares + 2 * each**2)
    value, (_, low, high) = total / size, clustered_mean(more)
    return Interval(value, max(-1.0, min(low, value)), min(1.0, max(high, value)))


def interval_of_difference(values: npt.ArrayLike) -> Interval:
    """Return the mean of independent differences between -1 and 1, as `clustered_difference` does."""
    return clustered_difference(moments_of(values, np.ones(np.shape(values))))


# -- formatting ------------------------------------------------------------------------


def in_words(value: float, unit: Unit) -> str:
    """
    Return a figure with its unit.

    >>> in_words(0.4415, "share"), in_words(0.0261, "share"), in_words(-13.56, "points"), in_words(1, "trains")
    ('44%', '2.6%', '−13.6 points', '1 train')
    >>> in_words(1.0, "points a train"), in_words(12.7, "points")
    ('1.00 points a train', '12.7 points')
    """
    text = number_text(value, unit)
    if unit == "share":
        return text
    one = unit.replace("points", "point") if unit != "trains" else "train"
    return f"{text} {one if text == '1' else unit}"


def number_text(value: float, unit: Unit) -> str:
    """Return a figure without its unit, except for the sign of a percentage."""
    if unit == "share":
        return percent(value, 1 if 0 < abs(value) < 0.1 else 0)  # noqa: PLR2004 - a small one needs tenths
    if unit == "points a train":
        return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
    return number(value, 1)


def interval_text(low: float, high: float, unit: Unit) -> str:
    """Return a 95% interval in words."""
    return f"95% interval {number_text(low, unit)} to {number_text(high, unit)}"


def with_ends(name: str, found: Interval, ends: str = "") -> dict[str, float]:
    """Return a figure and its interval's ends by column name, with `ends` before _low and _high."""
    return {name: found.value, f"{ends or name}_low": found.low, f"{ends or name}_high": found.high}


def end_columns(name: str, interval: str = "its 95% interval") -> dict[str, str]:
    """Return the columns of the ends of a figure's interval, with their meanings."""
    return {f"{name}_{end}": f"{end} end of {interval}" for end in ("low", "high")}


def row_at(table: pd.DataFrame, at: int) -> dict[str, Any]:
    """Return a row of a table by its position, with its `name`."""
    return {**{str(key): value for key, value in table.iloc[at].to_dict().items()}, "name": table.index[at]}
