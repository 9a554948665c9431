"""What makes a ticket hard: its place on the map against how often it was completed in games."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import Final

import pandas as pd

from ttr_analysis.analysis.paths import shortest_path
from ttr_analysis.analysis.structure import effective_resistance
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.intervals import Z_95, Interval
from ttr_analysis.studies.questions import ticket_results
from ttr_analysis.studies.questions.tally import check_map
from ttr_analysis.studies.simulation import SimulationResult

MEASURES: Final = ("length", "hops", "resistance", "length_as_conductance")
"""What may make a ticket hard, as columns of `ticket_difficulty`."""
_LEAST: Final = 4
"""Tickets without which a correlation has no interval."""
_PERFECT: Final = 1 - 1e-9
"""A correlation from which Fisher's transformation would give an interval of no width."""


def ticket_difficulty(result: SimulationResult, game_map: GameMap) -> pd.DataFrame:
    """
    Return how often each ticket was completed, beside measures of how hard it should be.

    Parameters
    ----------
    result
        A simulation.
    game_map
        The map on which it was played.

    Returns
    -------
    table
        One row for each ticket that was kept at least once (index `ticket`):
        `kept`, `completion_rate` of those with `completion_low` and
        `completion_high`; and of the map, to the destination that is nearest
        by each measure: `length` (trains of the shortest path), `hops` (fewest
        routes), `resistance` (trains: see
        `ttr.structure.effective_resistance`), and `length_as_conductance`, the
        resistance with length for conductance, as it was published by mistake
        (1/trains).

    Raises
    ------
    ValueError
        If the simulation is of another map.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> usa = ttr.load_map("usa")
    >>> result = ttr.simulate(usa, [ttr.policies.Greedy()] * 2, n_games=20, seed=7, progress=False)
    >>> table = ticket_difficulty(result, usa)
    >>> int(table.loc["Denver-El Paso", "length"]), round(float(table.loc["Denver-El Paso", "resistance"]), 2)
    (4, 1.22)
    """
    check_map(result, game_map)
    rates = ticket_results(result)[["kept", "completion_rate", "completion_low", "completion_high"]]
    table = rates[rates["kept"] > 0].copy()
    tickets = [game_map.ticket(str(ticket)) for ticket in table.index]
    ways = [[(ticket.origin, place) for place, _ in ticket.destinations] for ticket in tickets]
    table["length"] = [min(shortest_path(game_map, *way).length for way in some) for some in ways]
    table["hops"] = [min(len(shortest_path(game_map, *way, weight="hops").routes) for way in some) for some in ways]
    table["resistance"] = [min(effective_resistance(game_map, *way) for way in some) for some in ways]
    table["length_as_conductance"] = [
        min(effective_resistance(game_map, *way, conductance="length") for way in some) for some in ways
    ]
    return table


def difficulty_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """
    Return how well each measure foretells which tickets are completed.

    Parameters
    ----------
    table
        From `ticket_difficulty`.

    Returns
    -------
    correlations
        One row for each of `MEASURES` (index `measure`): `correlation` of the
        measure with the rate of completion over all tickets, by Pearson, with
        its 95% interval `low` and `high` (Fisher's transformation: as if the
        tickets were a sample of all that there could be). The nearer to -1,
        the better. Of fewer than four tickets, or if the correlation is
        perfect, the interval is from -1 to 1: it says nothing.

    Examples
    --------
    >>> columns = {"completion_rate": [0.9, 0.7, 0.6, 0.3, 0.2]}
    >>> columns |= {name: [1, 2, 3, 4, 5] for name in MEASURES}
    >>> found = difficulty_correlations(pd.DataFrame(columns))
    >>> found.loc["length"].round(2).tolist()
    [-0.99, -1.0, -0.82]
    """
    rows = [_correlation(table[measure], table["completion_rate"]) for measure in MEASURES]
    return pd.DataFrame(rows, index=pd.Index(MEASURES, name="measure"), columns=["correlation", "low", "high"])


def _correlation(x: pd.Series[float], y: pd.Series[float]) -> Interval:
    r, n = float(x.corr(y)), len(x)
    if n < _LEAST or not abs(r) < _PERFECT:  # not a number, too, if all values are the same
        return Interval(r, -1.0, 1.0)
    half = Z_95 / sqrt(n - 3)
    return Interval(r, tanh(atanh(r) - half), tanh(atanh(r) + half))
