"""How sure a figure from games is."""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

Z_95: Final = 1.959964
"""Standard errors on each side of a 95% interval."""


class Interval(NamedTuple):
    """A figure with its 95% confidence interval."""

    value: float
    low: float
    high: float


def wilson(successes: float, n: float) -> Interval:
    """
    Return a rate with its Wilson interval.

    Parameters
    ----------
    successes
        Successes; shares of a shared win count as such.
    n
        Trials that are independent of each other.

    Returns
    -------
    interval
        The rate and its 95% confidence interval; (nan, 0, 1) without trials.

    References
    ----------
    .. [1] Wilson, E. B. "Probable inference, the law of succession, and
       statistical inference". Journal of the American Statistical
       Association 22 (1927), 209-212.

    Examples
    --------
    >>> [round(x, 3) for x in wilson(81, 100)]
    [0.81, 0.722, 0.875]
    >>> [round(x, 3) for x in wilson(20, 20)]
    [1.0, 0.839, 1.0]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes are between 0 and the number of trials ({n}), got {successes}")
    if n == 0:
        return Interval(float("nan"), 0.0, 1.0)
    rate, z = successes / n, Z_95
    center = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(rate, max(0.0, center - half), min(1.0, center + half))


def mean_interval(total: float, total_of_squares: float, n: float) -> Interval:
    """
    Return a mean with its 95% confidence interval.

    Parameters
    ----------
    total, total_of_squares
        Sums of the values, and of their squares.
    n
        Number of values, independent of each other.

    Returns
    -------
    interval
        The mean and its interval; without two values it has no ends (nan).

    Examples
    --------
    >>> [round(x, 2) for x in mean_interval(300, 3_100, 30)]
    [10.0, 9.34, 10.66]
    """
    nan = float("nan")
    if n == 0:
        return Interval(nan, nan, nan)
    mean = total / n
    if n == 1:
        return Interval(mean, nan, nan)
    variance = max(0.0, total_of_squares - n * mean * mean) / (n - 1)
    half = Z_95 * sqrt(variance / n)
    return Interval(mean, mean - half, mean + half)
