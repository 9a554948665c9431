"""Who won, from which seat, what the points came from; loans and tunnels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pandas as pd

from ttr_analysis.studies.columns import BONUS_COLUMNS
from ttr_analysis.studies.intervals import clustered_difference
from ttr_analysis.studies.questions.tally import Figure, Figures, Tally, added, answers_with, count, mean, rate, ratio
from ttr_analysis.studies.simulation import SimulationResult

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
