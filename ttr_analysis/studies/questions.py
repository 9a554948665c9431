"""
What the games of a simulation say, with 95% confidence intervals.

Every function reads the tables part by part, so that a simulation on disk may
be larger than memory. Rates come with Wilson intervals, means with normal
ones; games count as independent, seats of one game do not: a rate over seats
is over the seats of one kind in a game, such as seat 0.

A route or ticket that goes along with winning need not be the cause: who is
ahead can afford more, and good routes are taken by good players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pandas as pd

from ttr_analysis.studies.intervals import mean_interval, wilson
from ttr_analysis.studies.simulation import SimulationResult

_OPENING: Final = 0


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
        mean `points` with `points_low` and `points_high`, and means of
        `route_points`, `ticket_points`, `bonus` (points), `tickets`,
        `completed` and `turns`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=40, seed=7, progress=False)
    >>> ttr.studies.win_rates(result)[["policy", "games", "win_rate", "win_low"]].round(2).to_numpy().tolist()
    [['Greedy', 40, 0.98, 0.87], ['Random', 40, 0.02, 0.0]]
    """
    return _rates(result, ["player", "policy"]).reset_index("policy")


def seat_advantage(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each seat won: what going first is worth.

    Parameters
    ----------
    result
        A simulation; with different policies its players sat everywhere
        equally often.

    Returns
    -------
    rates
        One row for each seat (index `seat`); columns as in `win_rates`,
        without the policy.
    """
    return _rates(result, ["seat"])


def opening_tickets(result: SimulationResult) -> pd.DataFrame:
    """
    Return how it went with so many tickets kept at the start.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each policy and number of tickets kept (index `policy`,
        `kept`): `seats`, `win_rate` with its interval and mean `points`. Who
        keeps more was often dealt better tickets.
    """

    def chunks() -> Iterator[pd.DataFrame]:
        for tickets, seats in zip(result.iterate("tickets"), result.iterate("seats"), strict=True):
            opening = tickets[(tickets["offered"] == _OPENING) & tickets["kept"]]
            kept = opening.groupby(["game", "seat"]).size().rename("kept").reset_index()
            yield seats[["game", "seat", "policy", "won", "points"]].merge(kept, on=["game", "seat"])

    sums = _summed(chunks(), ["policy", "kept"], {"seats": _ones, "won": "won", "points": "points"})
    return _with_rate(sums, "won", "seats", "win_rate", "win").assign(points=sums["points"] / sums["seats"])


def ticket_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how each ticket did: who kept it, who completed it, what it brought.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each ticket (index `ticket`): times `offered`, `keep_rate`,
        times `kept`, `completion_rate` of those kept with
        `completion_low` and `completion_high`, mean `net_points` when kept,
        mean turn of completion (`completed_in`), and `win_rate` of those who
        kept it less that of all seats (`win_association`).
    """
    columns: dict[str, Any] = {
        "offered": _ones,
        "kept": "kept",
        "completed": lambda frame: frame["completed"].notna() & frame["kept"],
        "points": "points",
        "turns": lambda frame: frame["completed"].fillna(0) * frame["kept"],
        "won": lambda frame: frame["won"] * frame["kept"],
    }
    sums = _summed(_with_winners(result, "tickets"), ["ticket"], columns)
    found = pd.DataFrame(
        {"offered": sums["offered"], "keep_rate": sums["kept"] / sums["offered"], "kept": sums["kept"]}
    )
    found = found.join(_with_rate(sums, "completed", "kept", "completion_rate", "completion").iloc[:, 1:])
    found["net_points"] = sums["points"] / sums["kept"]
    found["completed_in"] = sums["turns"] / sums["completed"]
    found["win_association"] = sums["won"] / sums["kept"] - 1 / len(result.meta["policies"])
    return found


def route_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each route was taken, when, and whether its owners won.

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    rates
        One row for each route (index `route`): `claim_rate` a game with
        `claim_low` and `claim_high`, mean `turn` of the claim, mean `cards`
        and `locomotives` paid, and the share of wins of its owners less that
        of all seats (`win_association`; no proof that the route is why).
    """
    columns: dict[str, Any] = {
        "claims": _ones,
        "turn": "turn",
        "cards": "cards",
        "locomotives": "locomotives",
        "players": lambda frame: frame["seat"] >= 0,
        "won": lambda frame: frame["won"].fillna(0),
    }
    sums = _summed(_with_winners(result, "routes"), ["route"], columns)
    sums["games"] = result.n_games
    found = _with_rate(sums, "claims", "games", "claim_rate", "claim").iloc[:, 1:]
    for column in ("turn", "cards", "locomotives"):
        found[column] = sums[column] / sums["players" if column != "turn" else "claims"]
    found["win_association"] = sums["won"] / sums["players"] - 1 / len(result.meta["policies"])
    return found


def tunnel_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how tunnels went, beside the exact odds that they could be paid.

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
    """
    policies = result.meta["policies"]

    def chunks() -> Iterator[pd.DataFrame]:
        for tunnels in result.iterate("tunnels"):
            yield tunnels.assign(policy=[policies[player] for player in tunnels["player"]])

    columns: dict[str, Any] = {"attempts": _ones, "taken": "taken", "odds": "odds", "surcharge": "surcharge"}
    sums = _summed(chunks(), ["policy"], columns)
    found = _with_rate(sums, "taken", "attempts", "success_rate", "success")
    return found.assign(odds=sums["odds"] / sums["attempts"], surcharge=sums["surcharge"] / sums["attempts"])


# -- plumbing -----------------------------------------------------------------------------


def _ones(frame: pd.DataFrame) -> pd.Series[Any]:
    return pd.Series(1, index=frame.index)


def _summed(
    frames: Iterable[pd.DataFrame], by: list[str], columns: dict[str, str | Callable[[pd.DataFrame], Any]]
) -> pd.DataFrame:
    """Return sums of columns by group, one part after the other."""
    sums = []
    for frame in frames:
        values = {name: frame[how] if isinstance(how, str) else how(frame) for name, how in columns.items()}
        numbers = frame[by].assign(**{name: value.astype("float64") for name, value in values.items()})
        sums.append(numbers.groupby(by, observed=True).sum())
    return pd.concat(sums).groupby(level=by, observed=True).sum()


def _rates(result: SimulationResult, by: list[str]) -> pd.DataFrame:
    """Return wins and means of points of groups of which a game has one seat each."""
    parts = {
        "route_points": "route_points",
        "ticket_points": lambda frame: frame["ticket_gain"] + frame["ticket_loss"],
        "bonus": lambda frame: frame[["trail_bonus", "completed_bonus", "tokens_bonus"]].sum(axis=1),
        "tickets": "tickets",
        "completed": "completed",
        "turns": "turns",
    }
    columns: dict[str, Any] = {
        "games": _ones,
        "won": "won",
        "points": "points",
        "squares": lambda frame: frame["points"].astype("float64") ** 2,
        **parts,
    }
    sums = _summed(result.iterate("seats"), by, columns)
    found = _with_rate(sums, "won", "games", "win_rate", "win")
    means = [mean_interval(*row) for row in sums[["points", "squares", "games"]].to_numpy()]
    found[["points", "points_low", "points_high"]] = means
    for name in parts:
        found[name] = sums[name] / sums["games"]
    return found


def _with_rate(sums: pd.DataFrame, successes: str, trials: str, rate: str, short: str) -> pd.DataFrame:
    """Return the number of trials and the rate of successes with its interval."""
    found = pd.DataFrame({trials: sums[trials].astype("int64")})
    rows = [wilson(min(won, n), n) for won, n in sums[[successes, trials]].to_numpy()]
    found[[rate, f"{short}_low", f"{short}_high"]] = rows
    return found


def _with_winners(result: SimulationResult, table: str) -> Iterator[pd.DataFrame]:
    """Yield a table part by part, with the share of the win of the seat of each row; missing for the neutral player."""
    for frame, seats in zip(result.iterate(table), result.iterate("seats"), strict=True):
        yield frame.merge(seats[["game", "seat", "won"]], on=["game", "seat"], how="left")
