"""Who won, from which seat, by which points; loans and tunnels; and the same deals with other strategies or rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from operator import index
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.studies.columns import BONUS_COLUMNS
from ttr_analysis.studies.intervals import (
    Interval,
    Moments,
    clustered_count,
    clustered_difference,
    clustered_mean,
    clustered_rate,
    moments_of,
)
from ttr_analysis.studies.playing import Plan
from ttr_analysis.studies.questions.tally import (
    Figure,
    Figures,
    Tally,
    Values,
    added,
    answers_with,
    count,
    games_of_a_deal,
    mean,
    n_players,
    rate,
    ratio,
)
from ttr_analysis.studies.simulation import SimulationResult, simulate

BONUSES: Final = tuple(BONUS_COLUMNS.values())
"""The columns of bonuses in the table of seats."""
_SEATS: Final[Figures] = {
    "games": count("games"),
    "win_rate": rate("share of wins; shared wins count in shares", "won", "games", "win"),
    "points": mean("final points", "points", "games"),
    "points_sd": added("their standard deviation"),
    "route_points": ratio("points for routes", "route_points", "games"),
    "ticket_points": ratio("points of tickets", lambda seats: seats["ticket_gain"] + seats["ticket_loss"], "games"),
    "bonus": ratio("of bonuses", lambda seats: seats[list(BONUSES)].sum(axis=1), "games", "points"),
    "tickets": ratio("tickets kept", "tickets", "games"),
    "completed": ratio("tickets completed", "completed", "games"),
    "turns": ratio("turns taken", "turns", "games"),
    "_squares": count("", lambda seats: seats["points"].astype("float64") ** 2),
}
"""What groups of seats did; means of a seat in a game."""


@answers_with({"policy": added("name of the policy", "policy"), **_SEATS})
def win_rates(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each player won, and with how many points.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each player (index `player`):

        {columns}

    Notes
    -----
    Intervals are cautious: never narrower than if all games were independent.
    Whether one player is better than another, `win_differences` tells surer.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=40, seed=7, progress=False)
    >>> ttr.studies.win_rates(result)[["policy", "games", "win_rate", "win_low"]].round(2).to_numpy().tolist()
    [['Greedy', 40, 0.98, 0.86], ['Random', 40, 0.02, 0.0]]
    """
    return seat_rates(result, ["player", "policy"], result.iterate("seats")).reset_index("policy")


@answers_with(_SEATS)
def seat_advantage(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each seat won: what going first is worth.

    Parameters
    ----------
    result
        A simulation. With different policies, play whole multiples of the
        players: then each of them sat everywhere equally often.

    Returns
    -------
    rates
        One row for each seat (index `seat`):

        {columns}
    """
    return seat_rates(result, ["seat"], result.iterate("seats"))


_DIFFERENCES: Final[Figures] = {
    "policy": added("name of the policy", "policy"),
    "rival_policy": added("name of that of the rival", "policy"),
    "games": count("games"),
    "win_difference": Figure("share of games won more", "won_more", "games", clustered_difference),
    "points_difference": mean("points more", "points_more", "games"),
}


@answers_with(_DIFFERENCES)
def win_differences(result: SimulationResult) -> pd.DataFrame:
    """
    Return by how much one player did better than another, deal by deal.

    In the games of a deal both sit at the same seats in turn and are dealt the
    same, so their difference is known better than either of their rates.

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
    >>> import ttr_analysis as ttr
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

    found = Tally(result, rows(), ["player", "rival"], _DIFFERENCES).table()
    policies = result.meta["policies"]
    found["policy"] = [policies[a] for a, _ in found.index]
    found["rival_policy"] = [policies[b] for _, b in found.index]
    return found


_GAINED: Final = ("start", "route_points", "ticket_gain", *BONUSES, "station_points")
_SOURCES: Final[Figures] = {
    "seats": count("seats"),
    "points": ratio("final points", "points", "seats"),
    "start": ratio("of which at the start", "start", "seats", "points"),
    "routes": ratio("for routes", "route_points", "seats", "points"),
    "tickets_completed": ratio("of completed tickets", "ticket_gain", "seats", "points"),
    "tickets_missed": ratio("of the others, 0 or less", "ticket_loss", "seats", "points"),
    "bonus": ratio("of bonuses", lambda seats: seats[list(BONUSES)].sum(axis=1), "seats", "points"),
    "loans": ratio("for loans, 0 or less", "loan_points", "seats", "points"),
    "stations": ratio("for stations not built", "station_points", "seats", "points"),
    "route_share": mean("share of routes in all points gained, losses left aside", "route_points", "_gained"),
    "ticket_share": mean("share of completed tickets in these", "ticket_gain", "_gained"),
    "_gained": count("", lambda seats: seats[list(_GAINED)].sum(axis=1)),
}


@answers_with(_SOURCES)
def point_sources(result: SimulationResult) -> pd.DataFrame:
    """
    Return what the points of winners and of the others came from: long routes against tickets.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    sources
        One row for each policy, and whether it won (index `policy`, `won`; a
        shared win is one); means of a seat:

        {columns}
    """

    def rows() -> Iterator[pd.DataFrame]:
        for seats in result.iterate("seats"):
            yield seats.assign(won=seats["won"] > 0)

    return Tally(result, rows(), ["policy", "won"], _SOURCES).table()


_EFFECTS: Final[Figures] = {
    "games": count("games"),
    "points": ratio("mean points of those who got it", "points", "_getters"),
    "winners": ratio("mean points that winners got for it", "winners", "games"),
    "decided": rate("share of games in which, without it, no winner would have had most points", "decided", "games"),
    "_getters": count("", "getters"),
}


@answers_with(_EFFECTS)
def bonus_effects(result: SimulationResult) -> pd.DataFrame:
    """
    Return what each bonus is worth, and how often it decided the game.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    effects
        One row for each bonus that was ever scored (index `bonus`):

        {columns}

        What players would have done otherwise is not asked.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for seats in result.iterate("seats", ["game", "points", "won", *BONUSES]):
            yield pd.concat([_without(seats, bonus) for bonus in BONUSES])

    tally = Tally(result, rows(), ["bonus"], _EFFECTS)
    return tally.table()[tally["_getters"] > 0]


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


def seat_rates(result: SimulationResult, by: list[str], frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return wins and means of points of groups of seats."""
    tally = Tally(result, frames, by, _SEATS)
    found = tally.table()
    found["points_sd"] = (tally["_squares"] / tally["games"] - found["points"] ** 2).clip(lower=0) ** 0.5
    return found


# -- tolls and loans -----------------------------------------------------------------------------------------------


_LOANS: Final[Figures] = {
    "seats": count("seats"),
    "share": added("share of the seats of the policy"),
    "tolls": ratio("mean tolls paid", "tolls", "seats", "tokens"),
    "tokens_left": ratio("mean value of the tokens left", "tokens_left", "seats"),
    "bonus": ratio("mean bonus for tokens", "tokens_bonus", "seats", "points"),
    "loan_points": ratio("mean points for loans, 0 or less", "loan_points", "seats"),
    "points": mean("mean final points", "points", "seats"),
    "win_rate": rate("share of wins", "won", "seats", "win"),
}


@answers_with(_LOANS)
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

        {columns}

        Whoever must borrow may be behind already.
    """

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "toll"]
        for seats, routes in zip(result.iterate("seats"), result.iterate("routes", columns), strict=True):
            paid = routes.groupby(["game", "seat"])["toll"].sum().rename("tolls").reset_index()
            yield seats.merge(paid, on=["game", "seat"], how="left").fillna({"tolls": 0})

    found = Tally(result, rows(), ["policy", "loans"], _LOANS).table()
    found["share"] = found["seats"] / found["seats"].groupby(level="policy", observed=True).transform("sum")
    return found


# -- how tunnels went ----------------------------------------------------------------------------------------------

_TUNNELS: Final[Figures] = {
    "attempts": count("tunnels attempted"),
    "success_rate": rate("share of them taken", "taken", "attempts", "success"),
    "odds": ratio("mean odds that they could be paid, from what the seat could see", "odds", "_judged"),
    "surcharge": ratio("mean surcharge", "surcharge", "attempts", "cards"),
    "_judged": count("", lambda tunnels: tunnels["odds"].notna()),
}


@answers_with(_TUNNELS, why_empty="no tunnel was attempted")
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
        One row for each policy (index `policy`):

        {columns}

        A policy that does not always pay what it could succeeds less often
        than its odds.

    Notes
    -----
    The odds are exact until the discards are first shuffled. After that nobody
    can tell of a card that another lays down whether it was drawn since, and
    they take it for an older one: over thousands of games they come out too
    high, by less than a percentage point.
    """
    return Tally(result, _tunnels_with_policy(result), ["policy"], _TUNNELS).table()


@answers_with(_TUNNELS, why_empty="no tunnel was attempted")
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
        lower end):

        {columns}

    Raises
    ------
    ValueError
        If there is no bin.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")

    def rows() -> Iterator[pd.DataFrame]:
        for whole in _tunnels_with_policy(result):
            tunnels = whole[whole["odds"].notna()]  # of people's games they are not always known
            number = (tunnels["odds"].astype("float64") * bins).astype("int64").clip(upper=bins - 1)
            yield tunnels.assign(bin=number / bins)

    return Tally(result, rows(), ["policy", "bin"], _TUNNELS).table()


def _tunnels_with_policy(result: SimulationResult) -> Iterator[pd.DataFrame]:
    policies = result.meta["policies"]
    names = pd.CategoricalDtype(list(dict.fromkeys(policies)))
    for tunnels in result.iterate("tunnels"):
        policy = pd.Series([policies[player] for player in tunnels["player"]], index=tunnels.index, dtype=names)
        yield tunnels.assign(policy=policy)


# -- the same deals with another strategy, or by other rules -------------------------------------------------------

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
_COUNTS: Final = ("loans", "stations built")
"""Measures of what is rare in many games: if it happens at all, it may also in games like those in which it did not."""
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
        first simulation with `difference_low` and `difference_high`. Of loans
        and stations, which are rare, intervals say how many there may be in
        other games, too, if there are any in one of the simulations.

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
    rare = [measure for measure in _COUNTS if any(sample.has(measure) for sample in samples.values())]
    found = []
    for name, sample in samples.items():
        difference = sample.less(samples[first], rare, is_paired=seeds[name] == seeds[first])
        found.append(sample.means(rare).join(difference.add_prefix("difference")))
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

    def has(self, measure: str) -> bool:
        """Return whether a measure is anything but 0 in some deal."""
        return bool(self._sums[measure].any())

    def means(self, rare: Sequence[str] = ()) -> pd.DataFrame:
        """Return the means, with ends of their 95% intervals, those of counts that are rare: `value`, `low`, `high`."""
        return _intervals(self._sums, self._counts, clustered_rate, ["value", "low", "high"], rare)

    def less(self, other: _Sample, rare: Sequence[str] = (), *, is_paired: bool) -> pd.DataFrame:
        """
        Return by how much the means are above those of another sample: columns "", "_low", "_high".

        Where deals are not compared one by one, and for counts that are rare of
        which one sample has none, the distances of both means to the ends of
        their intervals add up as errors do [1]_.

        References
        ----------
        .. [1] Newcombe, R. G. "Interval estimation for the difference between
           independent proportions". Statistics in Medicine 17 (1998), 873-890:
           method 10.
        """
        ends = ["", "_low", "_high"]
        mine, its = self.means(rare), other.means(rare)
        if self is other:
            return pd.DataFrame(0.0, index=mine.index, columns=ends)
        value = mine["value"] - its["value"]
        below = np.hypot(mine["value"] - mine["low"], its["high"] - its["value"])
        above = np.hypot(mine["high"] - mine["value"], its["value"] - its["low"])
        found = pd.DataFrame({"": value, "_low": value - below, "_high": value + above})
        if is_paired and self._sums.index.equals(other._sums.index):
            names = [name for name in found.index if name not in rare or (self.has(name) and other.has(name))]
            n_mine, n_its = self._counts[names].mean(), other._counts[names].mean()
            totals = self._sums[names] / n_mine - other._sums[names] / n_its
            of = (self._counts[names] / n_mine + other._counts[names] / n_its) / 2
            found.loc[names] = _intervals(totals, of, clustered_difference, ends)
        return found


def _intervals(
    totals: pd.DataFrame,
    of: pd.DataFrame,
    of_share: Callable[[Moments], Interval],
    columns: list[str],
    rare: Sequence[str] = (),
) -> pd.DataFrame:
    """Return ratios of sums by deal, one for each measure, with the ends of their 95% intervals."""
    how = {**dict.fromkeys(_SHARES, of_share), **dict.fromkeys(rare, clustered_count)}
    rows = [how.get(name, clustered_mean)(moments_of(totals[name], of[name])) for name in totals.columns]
    return pd.DataFrame(rows, index=totals.columns, columns=columns)
