"""How tickets do: which are completed and kept, when to draw more, what they are lost to, what makes one hard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import atanh, sqrt, tanh
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from ttr_analysis.analysis.paths import shortest_path
from ttr_analysis.analysis.structure import effective_resistance
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.intervals import Z_95, Interval
from ttr_analysis.studies.questions.tally import Tally, check_map, n_players, ones, with_winners
from ttr_analysis.studies.simulation import SimulationResult
from ttr_analysis.tables import game_tables

OPENING: Final = 0
"""In the column `offered`: at the start."""
FATES: Final = ("completed", "blocked", "out of trains", "out of time", "hopeless")
_NEUTRAL: Final = -1
_LAST: Final = 127
"""The neutral player comes after all seats."""


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
        `kept`): `seats`, `win_rate` with `win_low` and `win_high`, and mean
        `points` with `points_low` and `points_high`. Who keeps more was often
        dealt better tickets: `compare_strategies` makes a player keep more.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for tickets, seats in zip(result.iterate("tickets"), result.iterate("seats"), strict=True):
            opening = tickets[(tickets["offered"] == OPENING) & tickets["kept"]]
            kept = opening.groupby(["game", "seat"]).size().rename("kept").reset_index()
            yield seats[["game", "seat", "policy", "won", "points"]].merge(kept, on=["game", "seat"])

    columns: dict[str, Any] = {"seats": ones, "won": "won", "points": "points"}
    tally = Tally(result, rows(), ["policy", "kept"], columns, ["seats"])
    found = pd.DataFrame({"seats": tally.count("seats")})
    return found.join([tally.rate("won", "seats", "win_rate", "win"), tally.mean("points", "seats", "points")])


def ticket_results(result: SimulationResult, values: pd.DataFrame | None = None) -> pd.DataFrame:
    """
    Return how each ticket did: who kept it, who completed it, what it brought.

    Parameters
    ----------
    result
        A simulation.
    values
        What tickets are worth by structure, from `ttr.tickets.value_table`, to
        stand beside it.

    Returns
    -------
    rates
        One row for each ticket that was offered (index `ticket`):

        - times `offered`, `keep_rate`, times `kept`;
        - `completion_rate` of those kept, with `completion_low` and
          `completion_high`;
        - mean `net_points` when kept, with `net_low` and `net_high`;
        - mean turn of completion (`completed_in`), and mean trains on the
          shortest way over the routes of those who completed it, to the
          destination that counted (`way`);
        - `win_association`: the share of wins of those who kept it less that of
          all seats, with `association_low` and `association_high`. A ticket
          that goes along with winning need not be the cause.

        With `values` also `points`, fewest `trains` and `points_per_train` by
        structure, `in_deal` (trains on top of the other tickets of a deal),
        and as played: `played_per_train` (points of completed tickets by the
        trains of their ways) and `net_per_train` (net points by the fewest
        trains).
    """
    columns: dict[str, Any] = {
        "offered": ones,
        "kept": "kept",
        "completed": lambda frame: frame["completed"].notna(),
        "points": "points",
        "turns": lambda frame: frame["completed"].fillna(0),
        "way": lambda frame: frame["trains"].fillna(0),
        "gained": lambda frame: frame["points"].clip(lower=0),
        "won": lambda frame: frame["won"] * frame["kept"],
    }
    tally = Tally(result, with_winners(result, "tickets"), ["ticket"], columns, ["offered", "kept"])
    found = pd.DataFrame({"offered": tally.count("offered"), "keep_rate": tally.ratio("kept", "offered")})
    found["kept"] = tally.count("kept")
    association = tally.rate("won", "kept", "win_association", "association") - 1 / n_players(result)
    found = found.join(
        [
            tally.rate("completed", "kept", "completion_rate", "completion"),
            tally.mean("points", "kept", "net_points", "net"),
        ]
    )
    found["completed_in"] = tally.ratio("turns", "completed")
    found["way"] = tally.ratio("way", "completed")
    found = found.join(association)
    if values is None:
        return found
    found = found.join(values[["points", "trains", "points_per_train", "in_deal"]], validate="1:1")
    found["played_per_train"] = tally.ratio("gained", "way")
    found["net_per_train"] = found["net_points"] / found["trains"]
    return found


def late_tickets(
    result: SimulationResult, by: Literal["turn", "trains_left"] = "turn", *, width: int = 5
) -> pd.DataFrame:
    """
    Return what drawing tickets brought, by when they were drawn.

    Parameters
    ----------
    result
        A simulation.
    by
        Whether draws are told apart by the turn of the seat, or by the trains
        that it had left.
    width
        Turns, or trains, that make one row.

    Returns
    -------
    draws
        One row for each policy and time (index `policy` and `turn` or
        `trains_left`, the first of its row): number of `draws`; tickets `kept`
        at each; `ready_rate`, the share of those kept that were complete at
        once, with `ready_low` and `ready_high`; `completion_rate` with `completion_low` and `completion_high`;
        `points` that a draw brought in the end, with `points_low` and
        `points_high`, and `gain_rate`, the share of draws that brought any,
        with `gain_low` and `gain_high`. A draw costs a turn besides.

    Raises
    ------
    ValueError
        If `by` is neither, or `width` below 1.
    """
    if by not in ("turn", "trains_left"):
        raise ValueError(f"by must be 'turn' or 'trains_left', got {by!r}")
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    keys = ["game", "seat", "policy", "offered", "trains_left"]

    def rows() -> Iterator[pd.DataFrame]:
        for tickets in with_winners(result, "tickets"):
            drawn = tickets[tickets["offered"] > OPENING]
            drawn = drawn.assign(
                done=drawn["completed"].notna(), ready=(drawn["completed"] == drawn["offered"]).fillna(value=False)
            )
            draws = drawn.groupby(keys, observed=True)[["kept", "done", "ready", "points"]].sum().reset_index()
            when = draws["offered"] if by == "turn" else draws["trains_left"]
            first = (when - 1) // width * width + 1 if by == "turn" else when // width * width
            yield draws.assign(**{by: first.astype("int64")})

    columns: dict[str, Any] = {
        "draws": ones,
        "kept": "kept",
        "ready": "ready",
        "done": "done",
        "points": "points",
        "gain": lambda frame: frame["points"] > 0,
    }
    tally = Tally(result, rows(), ["policy", by], columns, ["draws", "kept"])
    found = pd.DataFrame({"draws": tally.count("draws"), "kept": tally.ratio("kept", "draws")})
    return found.join(
        [
            tally.rate("ready", "kept", "ready_rate", "ready"),
            tally.rate("done", "kept", "completion_rate", "completion"),
            tally.mean("points", "draws", "points"),
            tally.rate("gain", "draws", "gain_rate", "gain"),
        ]
    )


def ticket_fates(result: SimulationResult) -> pd.DataFrame:
    """
    Return what became of the tickets kept: completed, or lost to what.

    A ticket is lost when the trains of its seat no longer suffice for the
    shortest way that is still open. It is *blocked* if that happens by the claim
    of another player, *out of trains* by a claim of its own; *hopeless* if it
    was lost before it was kept; *out of time* if the trains sufficed to the
    end. (So are, on a map of such tickets, those for which the trains of a
    player never suffice.)

    Parameters
    ----------
    result
        A simulation.

    Returns
    -------
    fates
        One row for each policy and fate (index `policy`, `fate`): tickets
        `kept` in all, `rate` of this fate with `low` and `high`, and mean
        `points` of the tickets with it.
    """
    columns: dict[str, Any] = {"kept": ones}
    for fate in FATES:
        columns[fate] = lambda frame, fate=fate: frame["fate"] == fate
        columns[f"{fate} points"] = lambda frame, fate=fate: frame["points"].where(frame["fate"] == fate, 0)
    tally = Tally(result, with_fates(result), ["policy"], columns, ["kept"])
    found = []
    for fate in FATES:
        rates = tally.rate(fate, "kept", "rate", "x").rename(columns={"x_low": "low", "x_high": "high"})
        rates.insert(0, "kept", tally.count("kept"))
        found.append(rates.assign(points=tally.ratio(f"{fate} points", fate)))
    order = pd.CategoricalIndex(FATES, FATES, name="fate")
    return pd.concat(found, keys=order).swaplevel().sort_index()


def with_fates(result: SimulationResult) -> Iterator[pd.DataFrame]:
    """Yield the tickets kept, part by part, with their `fate` and the seat that made the `lost_to` claim (`by`)."""
    for tickets, routes in zip(
        with_winners(result, "tickets"), result.iterate("routes", ["game", "seat", "route", "turn"]), strict=True
    ):
        kept = tickets[tickets["kept"]]
        claims = routes.rename(columns={"seat": "by", "route": "lost_to", "turn": "claimed"})
        found = kept.merge(claims, on=["game", "lost_to"], how="left")
        is_before = (found["claimed"] < found["offered"]) | (
            (found["claimed"] == found["offered"]) & (found["by"].replace(_NEUTRAL, _LAST) < found["seat"])
        )
        fate = np.select(
            [found["completed"].notna(), found["lost_to"].isna(), is_before, found["by"] == found["seat"]],
            ["completed", "out of time", "hopeless", "out of trains"],
            "blocked",
        )
        yield found.assign(fate=fate)


def destination_results(result: SimulationResult, game_map: GameMap) -> pd.DataFrame:
    """
    Return which destination of tickets with several counted, and what they yielded.

    Parameters
    ----------
    result
        A simulation.
    game_map
        The map that was played.

    Returns
    -------
    rates
        One row for each ticket with several destinations that was ever kept,
        and each of these, best first (index `ticket`, `destination`; "none" for
        tickets not completed): its `points`, times that the ticket was `kept`,
        and the `rate` at which this destination counted with `low` and `high`;
        and of the ticket as a whole mean `net_points` with `net_low` and
        `net_high`, and `yield`, these as a part of its best destination's.
        Empty if the map has no such tickets.

    Raises
    ------
    ValueError
        If another map was played.
    """
    check_map(result, game_map)
    several = {ticket: goals for ticket, goals in _goals(game_map, n_players(result)).items() if len(goals) > 1}

    def rows() -> Iterator[pd.DataFrame]:
        for tickets in result.iterate("tickets", ["game", "ticket", "kept", "destination", "points"]):
            yield tickets[tickets["kept"] & tickets["ticket"].isin(list(several))]

    n_most = max(map(len, several.values()), default=0)
    columns: dict[str, Any] = {"kept": ones, "points": "points"}
    for place in range(n_most):
        columns[str(place)] = lambda frame, place=place: (frame["destination"] == place).fillna(value=False)
    columns["none"] = lambda frame: frame["destination"].isna()
    tally = Tally(result, rows(), ["ticket"], columns, ["kept"])
    rates = {name: tally.rate(name, "kept", "rate", "x") for name in (*map(str, range(n_most)), "none")}
    net = tally.mean("points", "kept", "net_points", "net")
    found = []
    for name in tally.sums.index:
        goals = several[name]
        means: Any = net.loc[name]
        ways = [(place, points, str(i)) for i, (place, points) in enumerate(goals)]
        for destination, points, column in (*ways, ("none", -goals[-1][1], "none")):
            rate, low, high = rates[column].loc[name]
            found.append(
                {"ticket": name, "destination": destination, "points": points, "kept": tally.count("kept")[name]}
                | {"rate": rate, "low": low, "high": high, **means}
                | {"yield": means["net_points"] / goals[0][1]}
            )
    columns_of = ["points", "kept", "rate", "low", "high", "net_points", "net_low", "net_high", "yield"]
    return pd.DataFrame(found, columns=["ticket", "destination", *columns_of]).set_index(["ticket", "destination"])


def _goals(game_map: GameMap, n_players: int) -> dict[str, list[tuple[str, int]]]:
    """Return the destinations of each ticket with their points, numbered as games number them: best first."""
    tables = game_tables(game_map, n_players)
    first = tables.goal_start[: len(game_map.tickets) + 1].tolist()
    place, points = tables.goal_place[: first[-1]].tolist(), tables.goal_points[: first[-1]].tolist()
    goals = [(game_map.places[at].name, worth) for at, worth in zip(place, points, strict=True)]
    return {ticket.id: goals[a:b] for ticket, (a, b) in zip(game_map.tickets, pairwise(first), strict=True)}


# -- what makes a ticket hard --------------------------------------------------------------------------------------

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
