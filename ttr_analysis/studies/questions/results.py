"""Who won, from which seat and by which points; loans and tunnels; strategies and rules compared on the same deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.studies import intervals
from ttr_analysis.studies.columns import ANSWERS, BONUSES, Values, bonus_points, ticket_points
from ttr_analysis.studies.playing import Run
from ttr_analysis.studies.questions.tally import Tally, answer, games_per_deal, n_players, sums_by_deal, tally
from ttr_analysis.studies.simulation import SimulationResult, simulate


@answer()
def win_rates(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each player won, and with how many points.

    Returns
    -------
    rates
        One row for each player (index `player`):

        {columns}

    Notes
    -----
    Intervals are conservative: never narrower than if all games were independent.
    To compare two players, `win_differences` is more precise.

    Examples
    --------
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=40, seed=7, progress=False)
    >>> ttr.studies.win_rates(result)[["policy", "games", "win_rate", "win_low"]].round(2).to_numpy().tolist()
    [['Greedy', 40, 0.98, 0.85], ['Random', 40, 0.02, 0.0]]
    """
    return _with_sd(tally(result, "seat_advantage", ["player", "policy"], result.iterate("seats"))).reset_index(
        "policy"
    )


@answer()
def seat_advantage(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each seat won, such as the value of going first.

    Parameters
    ----------
    result
        A simulation. If the policies differ, its games should be a multiple of the
        number of players, so that everyone has every seat equally often.

    Returns
    -------
    rates
        One row for each seat (index `seat`):

        {columns}
    """
    return _with_sd(tally(result, "seat_advantage", ["seat"], result.iterate("seats")))


def _with_sd(sums: Tally) -> pd.DataFrame:
    """Return figures of groups of seats, with the standard deviation of points."""
    found = sums.table()
    found["points_sd"] = (sums["_squares"] / sums["games"] - found["points"] ** 2).clip(lower=0) ** 0.5
    return found


@answer()
def win_differences(result: SimulationResult) -> pd.DataFrame:
    """
    Return how much better one player did than another, paired by deal.

    In the games of a deal, both have the same seats in turn and are dealt the same, so
    their difference is known more precisely than either rate.

    Parameters
    ----------
    result
        A simulation of at least two players.

    Returns
    -------
    differences
        One row for each pair of players (index `player`, `rival`):

        {columns}

    Examples
    --------
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=40, seed=7, progress=False)
    >>> win_differences(result).loc[(0, 1), ["win_difference", "win_difference_low"]].round(2).tolist()
    [0.95, 0.66]
    """

    def rows() -> Iterator[pd.DataFrame]:
        for seats in result.iterate("seats", ["game", "player", "won", "points"]):
            both = seats.merge(seats, on="game", suffixes=("", "_rival")).rename(columns={"player_rival": "rival"})
            both["won_more"] = both["won"] - both["won_rival"]
            both["points_more"] = both["points"] - both["points_rival"]
            yield both[both["player"] < both["rival"]]

    found = tally(result, "win_differences", ["player", "rival"], rows()).table()
    policies = result.meta["policies"]
    found["policy"] = [policies[a] for a, _ in found.index]
    found["rival_policy"] = [policies[b] for _, b in found.index]
    return found


@answer()
def point_sources(result: SimulationResult) -> pd.DataFrame:
    """
    Return where the points of winners and of the others came from: long routes or tickets.

    Returns
    -------
    sources
        One row for each policy, and whether it won (index `policy`, `won`; a
        shared win counts); means of a seat:

        {columns}
    """
    rows = (seats.assign(won=seats["won"] > 0) for seats in result.iterate("seats"))
    return tally(result, "point_sources", ["policy", "won"], rows).table()


@answer()
def bonus_effects(result: SimulationResult) -> pd.DataFrame:
    """
    Return what each bonus is worth, and how often it decided the game.

    Returns
    -------
    effects
        One row for each bonus that was ever scored (index `bonus`):

        {columns}

        This does not consider that players would have played differently.
    """
    parts = result.iterate("seats", ["game", "points", "won", *BONUSES])
    rows = (pd.concat([_without(seats, bonus) for bonus in BONUSES]) for seats in parts)
    sums = tally(result, "bonus_effects", ["bonus"], rows)
    return sums.table()[sums["_getters"] > 0]


def _without(seats: pd.DataFrame, bonus: str) -> pd.DataFrame:
    """Return for each game what a bonus brought, and whether a winner would have had the most points without it."""
    rest = seats["points"] - seats[bonus]
    is_best = rest == rest.groupby(seats["game"]).transform("max")
    seen = {
        "points": seats[bonus],
        "getters": seats[bonus] != 0,
        "winners": seats[bonus] * seats["won"],
        "still": is_best & (seats["won"] > 0),
    }
    sums = pd.DataFrame(seen).groupby(seats["game"]).sum().reset_index()
    return sums.assign(bonus=bonus.removesuffix("_bonus"), decided=sums["still"] == 0)


@answer()
def loan_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return results by number of loans, with the tolls that were paid.

    Returns
    -------
    rates
        One row for each policy and number of loans (index `policy`, `loans`):

        {columns}

        A player who must borrow may be behind already.
    """

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "toll"]
        for seats, routes in zip(result.iterate("seats"), result.iterate("routes", columns), strict=True):
            paid = routes.groupby(["game", "seat"])["toll"].sum().rename("tolls").reset_index()
            yield seats.merge(paid, on=["game", "seat"], how="left").fillna({"tolls": 0})

    found = tally(result, "loan_results", ["policy", "loans"], rows()).table()
    found["share"] = found["seats"] / found["seats"].groupby(level="policy", observed=True).transform("sum")
    return found


@answer("no tunnel was attempted")
def tunnel_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often tunnels were taken, beside the odds that they could be paid.

    Returns
    -------
    rates
        One row for each policy (index `policy`):

        {columns}

        A policy that does not always pay what it could succeeds less often
        than its odds.

    Notes
    -----
    The odds are exact until the discards are first shuffled. After that, no seat can know
    whether a card that another lays down was drawn since, and assumes that it is an older
    one: over thousands of games the odds come out too high, by less than a percentage
    point.
    """
    return tally(result, "tunnel_results", ["policy"], _tunnels(result)).table()


@answer("no tunnel was attempted")
def tunnel_calibration(result: SimulationResult, *, bins: int = 10) -> pd.DataFrame:
    """
    Return how often tunnels succeeded, by the odds that they could be paid.

    Parameters
    ----------
    bins
        Bins of equal width between 0 and 1.

    Returns
    -------
    rates
        One row for each policy and bin that occurs (index `policy`, `bin`, the
        lower end):

        {columns}
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")

    def rows() -> Iterator[pd.DataFrame]:
        for every in _tunnels(result):
            tunnels = every[every["odds"].notna()]  # for games of people, they are not always known
            number = (tunnels["odds"].astype("float64") * bins).astype("int64").clip(upper=bins - 1)
            yield tunnels.assign(bin=number / bins)

    return tally(result, "tunnel_calibration", ["policy", "bin"], rows()).table()


def _tunnels(result: SimulationResult) -> Iterator[pd.DataFrame]:
    """Yield the table of tunnels with the policies."""
    policies = np.array(result.meta["policies"], dtype=object)
    for tunnels in result.iterate("tunnels"):
        yield tunnels.assign(policy=policies[tunnels["player"]])


# -- the same deals with another strategy, or by other rules -------------------------------------------------------

_MEASURES: Final[Mapping[str, Values]] = {
    "points": "points",
    "route points": "route_points",
    "ticket points": ticket_points,
    "bonus points": bonus_points,
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
"""The measures that are compared between rules, for each seat of a game."""
_SHARES: Final = ("win", "wins of seat 0")
"""Measures between 0 and 1."""
_COUNTS: Final = ("loans", "stations built")
"""Measures of events that are rare in many games; a count of 0 does not mean that they never happen."""
_SHOWN: Final = (
    *("games", "win_rate", "win_difference", "points", "points_difference", "route_points", "ticket_points"),
    *("bonus", "tickets", "completed"),
)
"""The columns of a strategy that a notebook shows."""
_ENDS: Final = ["", "_low", "_high"]


def compare_simulations(results: Mapping[str, SimulationResult]) -> pd.DataFrame:
    """
    Return the differences between simulations, such as with and without the neutral player.

    Parameters
    ----------
    results
        Simulations by name, with the same number of players. Those with the same seed
        and deals are compared deal by deal, which is more precise.

    Returns
    -------
    measures
        One row for each measure and simulation (index `measure`, `simulation`): mean
        `value` of a seat in a game with `low` and `high`, and its `difference` from the
        first simulation with `difference_low` and `difference_high`. The intervals of
        loans and stations, which are rare, allow for those that did not happen here.

    Raises
    ------
    ValueError
        If there are none, or the numbers of players differ.
    """
    if not results:
        raise ValueError("there is no simulation to compare")
    if len({n_players(result) for result in results.values()}) > 1:
        numbers = ", ".join(f"{name} {n_players(result)}" for name, result in results.items())
        raise ValueError(f"simulations to compare must have the same number of players, got {numbers}")
    samples = {
        name: _Sample(result.iterate("seats"), _MEASURES, games_per_deal(result)) for name, result in results.items()
    }
    seeds = {name: result.meta["seed"] for name, result in results.items()}
    first = next(iter(results))
    rare = [measure for measure in _COUNTS if any(sample.has(measure) for sample in samples.values())]
    found = []
    for name, sample in samples.items():
        difference = sample.less(samples[first], rare, is_paired=seeds[name] == seeds[first])
        found.append(sample.means(rare).join(difference.add_prefix("difference")))
    rows = pd.concat(found, keys=results, names=["simulation", "measure"]).swaplevel()
    return as_table(rows.loc[[(measure, name) for measure in _MEASURES for name in results]])


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

    What correlates with winning may be luck or skill. Here only the strategy differs, such
    as a planner that keeps more tickets or builds longer routes.

    Parameters
    ----------
    strategies
        Policies by name.
    rivals
        Policies that play against each of them.
    n_games
        Games of each, rounded up to whole deals: one game for each player.

    Returns
    -------
    table
        One row for each strategy (index `strategy`): columns as in `win_rates`, and
        `win_difference` and `points_difference` from the first one, deal by deal, with
        `_low` and `_high`. Rivals that are the same as the strategy count as it.

    Raises
    ------
    ValueError, KeyboardInterrupt
        If there is no strategy, or the games cannot be played: see `simulate`; if it is
        interrupted.

    Examples
    --------
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
    n_games = Range(1).check(n_games, "n_games")
    rows, samples = [], []
    measures: Mapping[str, Values] = {"win": "won", "points": "points"}
    for strategy in strategies.values():
        policies = [strategy, *rivals]
        rotations = Run.of(game_map, policies, seed).n_rotations
        n_deals = -(-n_games // len(policies))
        result = simulate(game_map, policies, n_deals * rotations, seed, executor=executor, progress=progress)
        if not result.is_complete:  # interrupted, and `simulate` has already warned
            raise KeyboardInterrupt
        # Rivals that are the same as the strategy count as it: no deal is played again for each of them.
        seats = [every[every["player"] % rotations == 0] for every in result.iterate("seats")]
        rates = _with_sd(Tally(seats, ["policy"], ANSWERS["seat_advantage"], rotations))
        [row] = rates.reset_index().to_dict("records")
        samples.append(_Sample(seats, measures, rotations))
        differences = samples[-1].less(samples[0], is_paired=True)
        for measure in measures:
            row |= {f"{measure}_difference{end}": value for end, value in differences.loc[measure].items()}
        rows.append(row)
    return as_table(pd.DataFrame(rows, index=pd.Index(strategies, name="strategy")), _SHOWN, {"bonus": "points"})


class _Sample:
    """Means of measures over seats, with their sums by deal, so that deals of `n_games` can be compared one by one."""

    def __init__(self, frames: Iterable[pd.DataFrame], measures: Mapping[str, Values], n_games: int) -> None:
        measured = (
            pd.DataFrame({name: frame[how] if isinstance(how, str) else how(frame) for name, how in measures.items()})
            .astype("float64")
            .assign(game=frame["game"])
            for frame in frames
        )
        both = (frame.join(frame[list(measures)].notna().add_prefix("n ")) for frame in measured)
        names, counts = list(measures), [f"n {name}" for name in measures]
        sums = pd.concat(list(sums_by_deal(both, {name: name for name in (*names, *counts)}, [], n_games)))
        self._sums, self._counts = sums[names], sums[counts].set_axis(names, axis=1)

    def has(self, measure: str) -> bool:
        """Return whether a measure is anything but 0 in some deal."""
        return bool(self._sums[measure].any())

    def means(self, rare: Sequence[str] = ()) -> pd.DataFrame:
        """Return the means with the ends of their 95% intervals: `value`, `low`, `high`."""
        return _intervals(self._sums, self._counts, intervals.clustered_rate, ["value", "low", "high"], rare)

    def less(self, other: _Sample, rare: Sequence[str] = (), *, is_paired: bool) -> pd.DataFrame:
        """
        Return by how much the means are above those of another sample: columns "", "_low", "_high".

        Where deals are not compared one by one, and for rare counts of which one sample has none, the distances to the
        ends of both intervals add up as errors do (Newcombe 1998, method 10).
        """
        mine, its = self.means(rare), other.means(rare)
        if self is other:
            return pd.DataFrame(0.0, index=mine.index, columns=_ENDS)
        value = mine["value"] - its["value"]
        below = np.hypot(mine["value"] - mine["low"], its["high"] - its["value"])
        above = np.hypot(mine["high"] - mine["value"], its["value"] - its["low"])
        found = pd.DataFrame({"": value, "_low": value - below, "_high": value + above})
        if is_paired and self._sums.index.equals(other._sums.index):
            names = [name for name in found.index if name not in rare or (self.has(name) and other.has(name))]
            n_mine, n_its = self._counts[names].mean(), other._counts[names].mean()
            totals = self._sums[names] / n_mine - other._sums[names] / n_its
            of = (self._counts[names] / n_mine + other._counts[names] / n_its) / 2
            found.loc[names] = _intervals(totals, of, intervals.clustered_difference, _ENDS)
        return found


def _intervals(
    totals: pd.DataFrame,
    of: pd.DataFrame,
    of_share: Callable[[intervals.ClusterSums], intervals.Interval],
    columns: list[str],
    rare: Sequence[str] = (),
) -> pd.DataFrame:
    """Return ratios of sums by deal, one for each measure, with the ends of their 95% intervals."""
    how = {**dict.fromkeys(_SHARES, of_share), **dict.fromkeys(rare, intervals.clustered_count)}
    rows = [
        how.get(name, intervals.clustered_mean)(intervals.moments_of(totals[name], of[name])) for name in totals.columns
    ]
    return pd.DataFrame(rows, index=totals.columns, columns=columns)
