"""How tunnels went, beside the odds that they could be paid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ttr_analysis.studies.questions.tally import Tally, ones
from ttr_analysis.studies.simulation import SimulationResult

_COLUMNS: dict[str, Any] = {"attempts": ones, "taken": "taken", "odds": "odds", "surcharge": "surcharge"}


def tunnel_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how tunnels went, beside the odds that they could be paid.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each policy (index `policy`): `attempts`, `success_rate`
        with `success_low` and `success_high`, mean `odds` from what the seat
        could see, and mean `surcharge` (cards). A policy that does not always
        pay what it could succeeds less often than its odds.

    Notes
    -----
    The odds are exact until the discards are first shuffled. After that nobody
    can tell of a card that another lays down whether it was drawn since, and
    they take it for an older one: over thousands of games they come out too
    high, by less than a percentage point.
    """
    return _found(Tally(result, _rows(result), ["policy"], _COLUMNS, ["attempts"]))


def tunnel_calibration(result: SimulationResult, *, bins: int = 10) -> pd.DataFrame:
    """
    Return how often tunnels succeeded, by the odds that they could be paid.

    Parameters
    ----------
    result
        A simulation.
    bins
        Bins of equal width between 0 and 1.

    Returns
    -------
    rates
        One row for each policy and bin that occurs (index `policy`, `bin`, the
        lower end): columns as in `tunnel_results`.

    Raises
    ------
    ValueError
        If there is no bin.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")

    def rows() -> Iterator[pd.DataFrame]:
        for tunnels in _rows(result):
            number = (tunnels["odds"].astype("float64") * bins).astype("int64").clip(upper=bins - 1)
            yield tunnels.assign(bin=number / bins)

    return _found(Tally(result, rows(), ["policy", "bin"], _COLUMNS, ["attempts"]))


def _rows(result: SimulationResult) -> Iterator[pd.DataFrame]:
    policies = result.meta["policies"]
    names = pd.CategoricalDtype(list(dict.fromkeys(policies)))
    for tunnels in result.iterate("tunnels"):
        policy = pd.Series([policies[player] for player in tunnels["player"]], index=tunnels.index, dtype=names)
        yield tunnels.assign(policy=policy)


def _found(tally: Tally) -> pd.DataFrame:
    found = pd.DataFrame({"attempts": tally.count("attempts")})
    found = found.join(tally.rate("taken", "attempts", "success_rate", "success"))
    return found.assign(odds=tally.ratio("odds", "attempts"), surcharge=tally.ratio("surcharge", "attempts"))
