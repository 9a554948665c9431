"""Who won, from which seat, and what the points came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pandas as pd

from ttr_analysis.studies.questions.tally import Tally, ones
from ttr_analysis.studies.simulation import SimulationResult

BONUSES: Final = ("trail_bonus", "completed_bonus", "tokens_bonus")
"""The columns of bonuses in the table of seats."""


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
        One row for each player (index `player`): its `policy`, `games`,
        `win_rate` (shared wins count in shares) with `win_low` and `win_high`,
        mean `points` with `points_low` and `points_high`, their standard
        deviation `points_sd`, and means of `route_points`, `ticket_points`,
        `bonus` (points), `tickets`, `completed` and `turns`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=40, seed=7, progress=False)
    >>> ttr.studies.win_rates(result)[["policy", "games", "win_rate", "win_low"]].round(2).to_numpy().tolist()
    [['Greedy', 40, 0.98, 0.86], ['Random', 40, 0.02, 0.0]]
    """
    return seat_rates(result, ["player", "policy"], result.iterate("seats")).reset_index("policy")


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
        One row for each seat (index `seat`); columns as in `win_rates`,
        without the policy.
    """
    return seat_rates(result, ["seat"], result.iterate("seats"))


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
        One row for each pair of players (index `player`, `rival`): `policy`
        and `rival_policy`, `games`, `win_difference` (share of the games won
        more) and `points_difference`, with `win_difference_low` and so on.

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
            yield both[both["player"] < both["rival"]]

    columns: dict[str, Any] = {
        "games": ones,
        "won": lambda frame: frame["won"] - frame["won_rival"],
        "points": lambda frame: frame["points"].astype("int64") - frame["points_rival"],
    }
    tally = Tally(result, rows(), ["player", "rival"], columns, ["games"])
    policies = result.meta["policies"]
    names = {
        "policy": [policies[a] for a, _ in tally.sums.index],
        "rival_policy": [policies[b] for _, b in tally.sums.index],
    }
    return (
        pd.DataFrame(names, index=tally.sums.index)
        .assign(games=tally.count("games"))
        .join(
            [
                tally.difference("won", "games", "win_difference"),
                tally.mean("points", "games", "points_difference"),
            ]
        )
    )


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
        shared win is one): `seats`, mean `points`, of which at the `start`, for
        `routes`, `tickets_completed`, `tickets_missed` (0 or less), `bonus`
        and `loans` (0 or less); and of all points gained, losses left aside,
        `route_share` and `ticket_share` with `_low` and `_high`.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for seats in result.iterate("seats"):
            yield seats.assign(won=seats["won"] > 0)

    parts: dict[str, Any] = {
        "start": "start",
        "routes": "route_points",
        "tickets_completed": "ticket_gain",
        "tickets_missed": "ticket_loss",
        "bonus": lambda frame: frame[list(BONUSES)].sum(axis=1),
        "loans": "loan_points",
    }
    gained = ("start", "routes", "tickets_completed", "bonus")
    columns = {"seats": ones, "points": "points", **parts}
    columns["gained"] = lambda frame: sum(
        frame[how] if isinstance(how, str) else how(frame) for how in map(parts.__getitem__, gained)
    )
    tally = Tally(result, rows(), ["policy", "won"], columns, ["seats", "gained"])
    found = pd.DataFrame({"seats": tally.count("seats"), "points": tally.ratio("points", "seats")})
    for name in parts:
        found[name] = tally.ratio(name, "seats")
    return found.join(
        [tally.mean("routes", "gained", "route_share"), tally.mean("tickets_completed", "gained", "ticket_share")]
    )


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
        One row for each bonus that was ever scored (index `bonus`): `games`,
        the mean `points` of those who got it, the mean points that `winners`
        got for it, and the share of games that it `decided`, with `decided_low`
        and `decided_high`: without it, none of the winners would have had the
        most points. What they would have done otherwise is not asked.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for seats in result.iterate("seats", ["game", "points", "won", *BONUSES]):
            yield pd.concat([_without(seats, bonus) for bonus in BONUSES])

    columns: dict[str, Any] = {
        "games": ones,
        "points": "points",
        "getters": "getters",
        "winners": "winners",
        "decided": "decided",
    }
    tally = Tally(result, rows(), ["bonus"], columns, ["games"])
    found = pd.DataFrame({"games": tally.count("games"), "points": tally.ratio("points", "getters")})
    found = found.assign(winners=tally.ratio("winners", "games")).join(tally.rate("decided", "games", "decided"))
    return found[tally["getters"] > 0]


def _without(seats: pd.DataFrame, bonus: str) -> pd.DataFrame:
    """Return for each game what a bonus brought, and whether a winner would have had the most points without it."""
    rest = seats["points"].astype("int64") - seats[bonus]
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
    parts: dict[str, Any] = {
        "route_points": "route_points",
        "ticket_points": lambda frame: frame["ticket_gain"] + frame["ticket_loss"],
        "bonus": lambda frame: frame[list(BONUSES)].sum(axis=1),
        "tickets": "tickets",
        "completed": "completed",
        "turns": "turns",
    }
    columns = {"games": ones, "won": "won", "points": "points", **parts}
    columns["squares"] = lambda frame: frame["points"].astype("float64") ** 2
    tally = Tally(result, frames, by, columns, ["games"])
    found = pd.DataFrame({"games": tally.count("games")})
    found = found.join([tally.rate("won", "games", "win_rate", "win"), tally.mean("points", "games", "points")])
    found["points_sd"] = (tally.ratio("squares", "games") - found["points"] ** 2).clip(lower=0) ** 0.5
    for name in parts:
        found[name] = tally.ratio(name, "games")
    return found
