"""An oracle for figures and their intervals: sums over deals, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from tests.studies.telling import ToldGame

if TYPE_CHECKING:
    import pandas as pd


def parts(games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]]) -> tuple[Any, Any]:
    """Return two sums over each deal, of deals that have any of the second."""
    sums = {game.deal: np.zeros(2) for game in games}
    for game in games:
        for row in rows(game):
            sums[game.deal] += row
    y, n = np.array([s for s in sums.values() if s[1]]).reshape(-1, 2).T
    return y, n


def mean(games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]]) -> list[float]:
    """Return a ratio with its interval from what each deal deviates by."""
    y, n = parts(games, rows)
    ratio = y.sum() / n.sum()
    half = stats.t.ppf(0.975, len(y) - 1) * np.sqrt(len(y) / (len(y) - 1) * ((y - ratio * n) ** 2).sum()) / n.sum()
    return [ratio, ratio - half, ratio + half]


def bounded(
    games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]], least: float, most: float
) -> list[float]:
    """Return a mean between two bounds with the interval of the rate that it is between them."""
    share = rate(games, lambda game: [((y - least * n) / (most - least), n) for y, n in rows(game)])
    return [least + (most - least) * x for x in share]


def frequency(games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]]) -> list[float]:
    """Return a mean count; its distance from either end is so many standard errors, if the end is the mean."""
    y, n = parts(games, rows)
    ratio, t = y.sum() / n.sum(), stats.t.ppf(0.975, len(y) - 1)
    spread = len(y) / (len(y) - 1) * ((y - ratio * n) ** 2).sum() / n.sum() ** 2
    growth = spread / ratio if spread else 1 / n.sum()
    low, high = sorted(np.roots([1, -2 * ratio - t * t * growth, ratio**2]).real)
    return [ratio, low, high]


def difference(games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]]) -> list[float]:
    """Return a mean difference; its interval is that of two deals of usual size more, all won and all lost."""
    y, n = parts(games, rows)
    ratio, size = y.sum() / n.sum(), n.mean()
    y, n = np.append(y, [size, -size]), np.append(n, [size, size])
    middle = y.sum() / n.sum()
    half = stats.t.ppf(0.975, len(y) - 1) * np.sqrt(len(y) / (len(y) - 1) * ((y - middle * n) ** 2).sum()) / n.sum()
    return [ratio, max(-1, middle - half), min(1, middle + half)]


def rate(games: list[ToldGame], rows: Callable[[ToldGame], Iterable[tuple[float, float]]]) -> list[float]:
    """Return a rate with the interval of rates of which more successes, or fewer, are not too unlikely."""
    y, n = parts(games, rows)
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
