"""Who won, from which seat, what the points came from; loans and tunnels."""

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


# -- tolls and loans -----------------------------------------------------------------------------------------------


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


# -- how tunnels went ----------------------------------------------------------------------------------------------

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
