"""Experiments: the same deals with another strategy, or by other rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from operator import index
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.studies.intervals import (
    Interval,
    Moments,
    clustered_difference,
    clustered_mean,
    clustered_rate,
    moments_of,
)
from ttr_analysis.studies.playing import Plan
from ttr_analysis.studies.questions.results import BONUSES, seat_rates
from ttr_analysis.studies.questions.tally import Values, games_of_a_deal, n_players
from ttr_analysis.studies.simulation import SimulationResult, simulate

_MEASURES: Final[Mapping[str, Values]] = {
    "points": "points",
    "route points": "route_points",
    "ticket points": lambda seats: seats["ticket_gain"] + seats["ticket_loss"],
    "bonus points": lambda seats: seats[list(BONUSES)].sum(axis=1),
    "loan points": "loan_points",
    "station points": "station_points",
    "wins of seat 0": lambda seats: seats["won"].where(seats["seat"] == 0),
    "tickets kept": "tickets",
    "tickets completed": "completed",
    "claims": "claims",
    "loans": "loans",
    "stations built": "stations",
    "trains left": "trains_left",
    "turns": "turns",
}
"""What is compared between rules, of a seat in a game."""
_SHARES: Final = ("win", "wins of seat 0")
"""Measures between 0 and 1."""
_TOLD: Final = (
    *("games", "win_rate", "win_difference", "points", "points_difference", "route_points", "ticket_points"),
    *("bonus", "tickets", "completed"),
)
"""What a notebook shows of a strategy."""


def compare_simulations(results: Mapping[str, SimulationResult]) -> pd.DataFrame:
    """
    Return what differs between simulations: with the neutral player and without, say.

    Parameters
    ----------
    results
        Simulations by name, of equally many players. Where they have the same
        seed, deals are compared one by one, which makes differences surer.

    Returns
    -------
    measures
        One row for each measure and simulation (index `measure`,
        `simulation`): mean `value` of a seat in a game (of wins of seat 0 the
        share of games) with `low` and `high`, and its `difference` from the
        first simulation with `difference_low` and `difference_high`.

    Raises
    ------
    ValueError
        If there are none, or the numbers of players differ.
    """
    if not results:
        raise ValueError("there is no simulation to compare")
    if len({n_players(result) for result in results.values()}) > 1:
        numbers = ", ".join(f"{name} {n_players(result)}" for name, result in results.items())
        raise ValueError(f"simulations of equally many players can be compared, got {numbers}")
    samples = {
        name: _Sample(result.iterate("seats"), _MEASURES, games_of_a_deal(result)) for name, result in results.items()
    }
    seeds = {name: result.meta["seed"] for name, result in results.items()}
    first = next(iter(results))
    found = []
    for name, sample in samples.items():
        difference = sample.less(samples[first], is_paired=seeds[name] == seeds[first])
        found.append(sample.means.join(difference.add_prefix("difference")))
    whole = pd.concat(found, keys=results, names=["simulation", "measure"]).swaplevel()
    return as_table(whole.loc[[(measure, name) for measure in _MEASURES for name in results]])


def compare_strategies(
    game_map: MapLike,
    strategies: Mapping[str, PolicyLike],
    rivals: Sequence[PolicyLike],
    n_games: int,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return how strategies fare against the same rivals, with the same deals: an experiment.

    What goes along with winning may be luck or skill. Here nothing differs but
    the strategy: a planner that keeps more tickets, say, or builds longer
    routes.

    Parameters
    ----------
    game_map
        The map, as the variant that is to be played.
    strategies
        Policies by name.
    rivals
        Who plays against each of them.
    n_games
        Games of each, rounded up to whole deals: one game for each player.
    seed
        What chance does: the same for all.
    executor, progress
        As for `simulate`.

    Returns
    -------
    table
        One row for each strategy (index `strategy`): columns as in `win_rates`,
        and by how much it does better than the first one: `win_difference` and
        `points_difference` with `_low` and `_high`, from differences deal by
        deal. Where rivals are the same as the strategy, they count as it:
        `games` are then its seats.

    Raises
    ------
    ValueError
        If there is no strategy or no game, or the games cannot be played: see
        `simulate`.
    KeyboardInterrupt
        If it is interrupted: half an experiment is none.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> strategies = {"long routes": ttr.policies.Greedy(), "anything": ttr.policies.Random()}
    >>> usa, rivals = ttr.load_map("usa"), [ttr.policies.Greedy()]
    >>> table = compare_strategies(usa, strategies, rivals, n_games=40, seed=7, progress=False)
    >>> table["win_rate"].tolist()
    [0.5, 0.025]
    >>> table.loc["anything", ["win_difference", "win_difference_low"]].round(2).tolist()
    [-0.48, -0.59]
    """
    game_map = as_map(game_map)
    if not strategies:
        raise ValueError("there is no strategy to compare")
    if index(n_games) < 1:
        raise ValueError(f"n_games must be at least 1, got {n_games}")
    rows, samples = [], []
    measures: Mapping[str, Values] = {"win": "won", "points": "points"}
    for strategy in strategies.values():
        policies = [strategy, *rivals]
        rotations = Plan.of(game_map, policies, seed).n_rotations
        n_deals = -(-n_games // len(policies))
        result = simulate(game_map, policies, n_deals * rotations, seed, executor=executor, progress=progress)
        if not result.is_complete:  # an interrupt, which simulate has already told of, ends the experiment
            raise KeyboardInterrupt
        # Where rivals are the same as the strategy, all of them are it: no deal is played for each of them anew.
        [rates] = seat_rates(result, ["policy"], _seats_of(result, rotations)).reset_index().to_dict("records")
        samples.append(_Sample(_seats_of(result, rotations), measures, rotations))
        differences = samples[-1].less(samples[0], is_paired=True)
        for measure in measures:
            rates |= {f"{measure}_difference{end}": value for end, value in differences.loc[measure].items()}
        rows.append(rates)
    return as_table(pd.DataFrame(rows, index=pd.Index(strategies, name="strategy")), _TOLD, {"bonus": "points"})


def _seats_of(result: SimulationResult, rotations: int) -> Iterator[pd.DataFrame]:
    """Yield the seats of the first player, and of those that are the same."""
    for seats in result.iterate("seats"):
        yield seats[seats["player"] % rotations == 0]


class _Sample:
    """
    Means of measures over seats, and how sure they are, by deal.

    There is a row for each deal, which takes two hundred bytes: that deals can
    be compared one by one.

    Parameters
    ----------
    frames
        Rows of seats, part by part.
    measures
        What is measured of each; missing where it does not count.
    n_games
        Games of a deal.
    """

    def __init__(self, frames: Iterable[pd.DataFrame], measures: Mapping[str, Values], n_games: int) -> None:
        sums, counts = [], []
        for frame in frames:
            values = {name: frame[how] if isinstance(how, str) else how(frame) for name, how in measures.items()}
            deals = pd.DataFrame(values).astype("float64").groupby(frame["game"] // n_games)
            sums.append(deals.sum())
            counts.append(deals.count())
        self._sums, self._counts = (pd.concat(found).groupby(level=0).sum() for found in (sums, counts))

    @cached_property
    def means(self) -> pd.DataFrame:
        """The means, with ends of their 95% intervals: columns `value`, `low`, `high`."""
        return _intervals(self._sums, self._counts, clustered_rate, ["value", "low", "high"])

    def less(self, other: _Sample, *, is_paired: bool) -> pd.DataFrame:
        """
        Return by how much the means are above those of another sample: columns "", "_low", "_high".

        Where deals are not compared one by one, the distances of both means to
        the ends of their intervals add up as errors do [1]_.

        References
        ----------
        .. [1] Newcombe, R. G. "Interval estimation for the difference between
           independent proportions". Statistics in Medicine 17 (1998), 873-890:
           method 10.
        """
        ends = ["", "_low", "_high"]
        if self is other:
            return pd.DataFrame(0.0, index=self.means.index, columns=ends)
        if is_paired and self._sums.index.equals(other._sums.index):
            n_mine, n_its = self._counts.mean(), other._counts.mean()
            totals = self._sums / n_mine - other._sums / n_its
            of = (self._counts / n_mine + other._counts / n_its) / 2
            return _intervals(totals, of, clustered_difference, ends)
        mine, its = self.means, other.means
        value = mine["value"] - its["value"]
        below = np.hypot(mine["value"] - mine["low"], its["high"] - its["value"])
        above = np.hypot(mine["high"] - mine["value"], its["value"] - its["low"])
        return pd.DataFrame({"": value, "_low": value - below, "_high": value + above})


def _intervals(
    totals: pd.DataFrame, of: pd.DataFrame, of_share: Callable[[Moments], Interval], columns: list[str]
) -> pd.DataFrame:
    """Return ratios of sums by deal, one for each measure, with the ends of their 95% intervals."""
    rows = [
        (of_share if name in _SHARES else clustered_mean)(moments_of(totals[name], of[name])) for name in totals.columns
    ]
    return pd.DataFrame(rows, index=totals.columns, columns=columns)
