"""Evaluate the rows of `scripts/calibrate.py`: the table of `docs/winning.md`, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from scipy.optimize import minimize
from scipy.special import expit

from ttr_analysis.analysis.waiting import Z_95

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

PICTURE: Final = Path(__file__).parents[1] / "docs" / "images" / "calibration.png"
N_BINS: Final = 10
FEWEST: Final = 500
"""Minimum number of positions for a bin to be judged."""
N_RESAMPLES: Final = 1_000


def clustered(values: Floats, games: Floats) -> tuple[float, float]:
    """Return a mean and half the width of its 95% interval. Games are independent, positions of one game are not."""
    mean = float(values.mean())
    sums = pd.Series(values - mean).groupby(games).sum().to_numpy()
    return mean, Z_95 * float(np.sqrt((sums**2).sum())) / len(values)


def bins(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bin of predicted probability."""
    found = []
    numbers = np.minimum((rows["win"].to_numpy() * N_BINS).astype(int), N_BINS - 1)
    for number in np.unique(numbers):
        of_bin = rows[numbers == number]
        off, half = clustered((of_bin["won"] - of_bin["win"]).to_numpy(), of_bin["cluster"].to_numpy())
        is_fine = len(of_bin) < FEWEST or abs(off) <= 0.05 + half
        found.append((number / N_BINS, len(of_bin), of_bin["win"].mean(), of_bin["won"].mean(), off, half, is_fine))
    return pd.DataFrame(found, columns=["from", "positions", "predicted", "won", "difference", "half", "fine"])


def calibration_error(rows: pd.DataFrame) -> float:
    """Return the mean distance between prediction and outcome, weighted by the positions of each bin."""
    table = bins(rows)
    return float((table["positions"] * table["difference"].abs()).sum() / table["positions"].sum())


def noise_floor(rows: pd.DataFrame) -> float:
    """
    Return the calibration error that perfect predictions would show, by the luck of these games.

    Each bin is then off by a normal error of its size, whose distance from 0 is
    sqrt(2 / pi) standard errors on average.
    """
    table = bins(rows)
    distances = np.sqrt(2 / np.pi) * table["half"] / Z_95
    return float((table["positions"] * distances).sum() / table["positions"].sum())


def clean_error(rows: pd.DataFrame) -> float:
    """
    Return the calibration error without the part due to noise: subtracted in quadrature, and at least 0.

    The squared standard errors are subtracted from the mean squared distance. The
    calibration error itself, a mean of distances, is above 0 even for perfect
    predictions.
    """
    table = bins(rows)
    squares = table["difference"] ** 2 - (table["half"] / Z_95) ** 2
    return float(np.sqrt(max(0.0, (table["positions"] * squares).sum() / table["positions"].sum())))


def resampled_error(rows: pd.DataFrame) -> tuple[float, float]:
    """Return a 95% interval of the calibration error, by bootstrap over games."""
    rng = np.random.default_rng(7)
    numbers = np.minimum((rows["win"].to_numpy() * N_BINS).astype(int), N_BINS - 1)
    residuals = rows.assign(off=rows["won"] - rows["win"], bin=numbers)
    off = residuals.pivot_table(index="cluster", columns="bin", values="off", aggfunc="sum", fill_value=0).to_numpy()
    errors = []
    for _ in range(N_RESAMPLES):
        drawn = rng.integers(len(off), size=len(off))
        errors.append(np.abs(off[drawn].sum(axis=0)).sum() / len(rows))
    low, high = np.quantile(errors, [0.025, 0.975])
    return float(low), float(high)


def baseline(rows: pd.DataFrame, *, with_built: bool) -> Floats:
    """Return probabilities by a logistic curve in the difference of scores, fitted to the other half of the games."""
    found = np.zeros(len(rows))
    lead, built, won = rows["difference"].to_numpy() / 20, rows["built"].to_numpy(), rows["won"].to_numpy()
    signs = [np.ones(len(rows)), lead, *([built, built * lead] if with_built else [])]
    x: Floats = np.column_stack(signs)
    setting = rows.groupby(["map", "players"]).ngroup().to_numpy()
    half = rows["game"].to_numpy() % 2
    for of in np.unique(setting):
        for part in (0, 1):
            fit, test = (setting == of) & (half != part), (setting == of) & (half == part)

            def loss(weights: Floats, fit: npt.NDArray[np.bool_] = fit) -> float:
                logits = x[fit] @ weights
                return float((np.logaddexp(0, logits) - won[fit] * logits).mean())

            found[test] = expit(x[test] @ minimize(loss, np.zeros(x.shape[1])).x)
    return found


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return calibration error and Brier scores of each setting, and of all together."""
    found = []
    settings = [(f"{name}, {players} players", of) for (name, players), of in rows.groupby(["map", "players"])]
    for name, of in [*settings, ("all", rows)]:
        scores = [(of[column] - of["won"]) ** 2 for column in ("win", "by_score", "by_score_and_trains")]
        gain, half = clustered((scores[2] - scores[0]).to_numpy(), of["cluster"].to_numpy())
        bias = (of["win"] - of["won"]).mean()
        errors = calibration_error(of), noise_floor(of), *resampled_error(of), clean_error(of)
        found.append((name, len(of), bias, *errors, *(score.mean() for score in scores), gain, half))
    columns = ["setting", "positions", "bias", "error", "error_floor", "error_low", "error_high", "error_clean"]
    return pd.DataFrame(found, columns=[*columns, "brier", "brier_score", "brier_trains", "gain", "gain_half"])


def show(rows: pd.DataFrame) -> None:
    """Print tables, and draw the picture."""
    rows = rows.assign(
        win=(rows["expected"] + 1) / (rows["rollouts"] + rows["players"]),
        cluster=rows.groupby(["map", "players", "game"]).ngroup(),
    )
    rows["by_score"] = baseline(rows, with_built=False)
    rows["by_score_and_trains"] = baseline(rows, with_built=True)
    pd.set_option("display.width", 200, "display.max_columns", 20)
    table = bins(rows)
    print(table.round(3).to_string(index=False), "\n")
    print(summary(rows).round(4).to_string(index=False), "\n")
    cost = rows.groupby(["map", "players"])[["seconds", "rollouts"]].mean()
    print(cost.round(3).to_string(), f"\n{rows['seconds'].sum():,.0f} processor seconds in all")
    draw(table, calibration_error(rows), len(rows))


def draw(table: pd.DataFrame, error: float, n_positions: int) -> None:
    """Draw the outcomes against the predictions."""
    figure, (ax, below) = plt.subplots(
        2, 1, figsize=(6.2, 6.6), layout="constrained", sharex=True, height_ratios=(4, 1)
    )
    ax.plot([0, 1], [0, 1], color="#8a8a8a", lw=1, ls="--")
    ax.fill_between([0, 1], [-0.05, 0.95], [0.05, 1.05], color="#8a8a8a", alpha=0.15, lw=0, label="within 5 points")
    ax.errorbar(
        table["predicted"],
        table["won"],
        table["half"],
        fmt="o",
        color="#0072b2",
        capsize=3,
        label="games won, 95% interval",
    )
    ax.set(ylabel="games won", xlim=(0, 1), ylim=(0, 1), title=_title(error, n_positions))
    ax.legend(frameon=False, loc="upper left")
    below.bar(table["from"] + 0.5 / N_BINS, table["positions"], 0.9 / N_BINS, color="#0072b2", alpha=0.5)
    below.set(xlabel="predicted probability of winning", ylabel="positions")
    for axes in (ax, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    figure.savefig(PICTURE, dpi=100)


def _title(error: float, n_positions: int) -> str:
    return f"Predicted and won, {n_positions:,} positions: mean error {100 * error:.1f} points"
