"""Tolls and loans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ttr_analysis.studies.questions.tally import Tally, ones
from ttr_analysis.studies.simulation import SimulationResult


def loan_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how it went with so many loans, and with the tolls that were paid.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each policy and number of loans (index `policy`, `loans`):
        `seats`; `share` of the seats of the policy; means of `tolls` paid and
        `tokens_left` (tokens), of `bonus` for tokens and `loan_points`
        (points); mean `points` with `points_low` and `points_high`; `win_rate`
        with `win_low` and `win_high`. Whoever must borrow may be behind
        already.
    """

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "toll"]
        for seats, routes in zip(result.iterate("seats"), result.iterate("routes", columns), strict=True):
            paid = routes.groupby(["game", "seat"])["toll"].sum().rename("tolls").reset_index()
            yield seats.merge(paid, on=["game", "seat"], how="left").fillna({"tolls": 0})

    means = {"tolls": "tolls", "tokens_left": "tokens_left", "bonus": "tokens_bonus", "loan_points": "loan_points"}
    columns: dict[str, Any] = {"seats": ones, "won": "won", "points": "points", **means}
    tally = Tally(result, rows(), ["policy", "loans"], columns, ["seats"])
    seats = tally.count("seats")
    found = pd.DataFrame(
        {"seats": seats, "share": seats / seats.groupby(level="policy", observed=True).transform("sum")}
    )
    for name in means:
        found[name] = tally.ratio(name, "seats")
    return found.join([tally.mean("points", "seats", "points"), tally.rate("won", "seats", "win_rate", "win")])
