"""An oracle for figures and their intervals: sums over deals, written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from tests.studies.telling import Row

if TYPE_CHECKING:
    import pandas as pd


Values = str | Sequence[float]
"""A value for each of some rows, or the name of their column."""


def average(rows: Sequence[Row], values: Values) -> float:
    """Return the mean over rows."""
    return float(np.mean(_column(rows, values)))


def _column(rows: Sequence[Row], values: Values) -> Sequence[float]:
    return [row[values] for row in rows] if isinstance(values, str) else values


def _sums(rows: Sequence[Row], values: Values, sizes: Values = ()) -> tuple[Any, Any]:
    """Return the sums of values and of sizes, by default of ones, over each deal in which there are any."""
    sums: dict[int, Any] = {}
    for row, y, n in zip(rows, _column(rows, values), _column(rows, sizes) or [1] * len(rows), strict=True):
        sums[row["deal"]] = sums.get(row["deal"], 0) + np.array([y, n], dtype=float)
    values_of_deals, sizes_of_deals = np.array([s for s in sums.values() if s[1]]).reshape(-1, 2).T
    return values_of_deals, sizes_of_deals


def mean(rows: Sequence[Row], values: Values, sizes: Values = ()) -> list[float]:
    """Return a ratio with its interval from what each deal deviates by."""
    y, n = _sums(rows, values, sizes)
    ratio = y.sum() / n.sum()
    half = stats.t.ppf(0.975, len(y) - 1) * np.sqrt(len(y) / (len(y) - 1) * ((y - ratio * n) ** 2).sum()) / n.sum()
    return [ratio, ratio - half, ratio + half]


def bounded(rows: Sequence[Row], values: Values, least: float, most: float) -> list[float]:
    """Return a mean between two bounds with the interval of the rate that it is between them."""
    share = rate(rows, [(y - least) / (most - least) for y in _column(rows, values)])
    return [least + (most - least) * x for x in share]


def frequency(rows: Sequence[Row], values: Values) -> list[float]:
    """Return a mean count; its distance from either end is so many standard errors, if the end is the mean."""
    y, n = _sums(rows, values)
    ratio, t = y.sum() / n.sum(), stats.t.ppf(0.975, len(y) - 1)
    spread = len(y) / (len(y) - 1) * ((y - ratio * n) ** 2).sum() / n.sum() ** 2
    growth = spread / ratio if spread else 1 / n.sum()
    low, high = sorted(np.roots([1, -2 * ratio - t * t * growth, ratio**2]).real)
    return [ratio, low, high]


def difference(rows: Sequence[Row], values: Values) -> list[float]:
    """Return a mean difference; its interval is that of two deals of usual size more, all won and all lost."""
    y, n = _sums(rows, values)
    ratio, size = y.sum() / n.sum(), n.mean()
    y, n = np.append(y, [size, -size]), np.append(n, [size, size])
    middle = y.sum() / n.sum()
    half = stats.t.ppf(0.975, len(y) - 1) * np.sqrt(len(y) / (len(y) - 1) * ((y - middle * n) ** 2).sum()) / n.sum()
    return [ratio, max(-1, middle - half), min(1, middle + half)]


def rate(rows: Sequence[Row], values: Values, sizes: Values = ()) -> list[float]:
    """Return a rate with the interval of rates of which more successes, or fewer, are not too unlikely."""
    y, n = _sums(rows, values, sizes)
    share, trials = y.sum() / n.sum(), n.sum()
    spread = ((y - share * n) ** 2).sum() * len(y) / max(1, len(y) - 1)
    if share in (0, 1) or len(y) < 2:
        trials = min(trials, len(y))
    elif spread:
        known = (1.959964 / stats.t.ppf(0.975, len(y) - 1)) ** 2
        trials = min(trials, known * share * (1 - share) * n.sum() ** 2 / spread)
    wins = share * trials
    low = stats.beta.ppf(0.025, wins, trials - wins + 1) if share > 0 else 0
    high = stats.beta.ppf(0.975, wins + 1, trials - wins) if share < 1 else 1
    return [share, low, high]


def rows_of(frame: pd.DataFrame) -> Iterator[tuple[Any, Any]]:
    """Yield the rows of a table, and by what they are indexed."""
    yield from frame.iterrows()


def figures(row: Any, title: str, short: str = "") -> list[float]:  # noqa: ANN401 - a row
    found: list[float] = row[[title, f"{short or title}_low", f"{short or title}_high"]].astype(float).tolist()
    return found


def near(values: list[float]) -> Any:  # noqa: ANN401 - what pytest compares with
    return pytest.approx(values, abs=1e-6, nan_ok=True)
