"""
Tickets, routes and cities.

Which tickets are completed and kept, when to draw more, what they are lost to, and what makes
one hard; who takes routes and cities and when, whether they win, and which tickets they block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import atanh, sqrt, tanh
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from ttr_analysis.analysis.paths import shortest_path
from ttr_analysis.analysis.structure import effective_resistance
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.maps.loading import MapLike
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.columns import ANSWERS, FATES, columns_of, of_fate, rate
from ttr_analysis.studies.intervals import Interval, clustered_bounded_mean, with_ends
from ttr_analysis.studies.questions.tally import (
    Tally,
    answer,
    games_per_deal,
    grid,
    n_players,
    played_map,
    tally,
    with_winners,
)
from ttr_analysis.studies.simulation import SimulationResult
from ttr_analysis.tables import game_tables

OPENING: Final = 0
"""Value of the column `offered` for the opening deal."""
_NEUTRAL: Final = -1
_LAST: Final = 127
"""A seat number above all seats, since the neutral player moves last."""


@answer()
def opening_tickets(result: SimulationResult) -> pd.DataFrame:
    """
    Return results by number of tickets kept at the start.

    Returns
    -------
    rates
        One row for each policy and number of tickets kept (index `policy`,
        `kept`):

        {columns}

        Players who keep more were often dealt better tickets. To compare the choices
        themselves, use `compare_strategies`.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for tickets, seats in zip(result.iterate("tickets"), result.iterate("seats"), strict=True):
            opening = tickets[(tickets["offered"] == OPENING) & tickets["kept"]]
            kept = opening.groupby(["game", "seat"]).size().rename("kept").reset_index()
            yield seats[["game", "seat", "policy", "won", "points"]].merge(kept, on=["game", "seat"])

    return tally(result, "opening_tickets", ["policy", "kept"], rows()).table()


@answer()
def ticket_results(
    result: SimulationResult, values: pd.DataFrame | None = None, game_map: MapLike | None = None
) -> pd.DataFrame:
    """
    Return how often each ticket was kept and completed, and the points that it scored.

    Parameters
    ----------
    values
        Structural values of tickets to add, from `ttr.tickets.value_table`.
    game_map
        The map that was played. It provides the maximum points of tickets with several
        destinations, which the games may not show; without it, `net_high` of such a
        ticket may be too low.

    Returns
    -------
    rates
        One row for each ticket that was offered (index `ticket`):

        {columns}

        The path is the shortest over the seat's routes to the destination that counted;
        a ticket completed only by a station has none. A ticket can be linked with
        winning without causing it.

        With `values`, also the structural `points`, fewest `trains`, `points_per_train`
        and `in_deal` (trains on top of the other tickets of a deal); and, as played,
        `played_per_train` (points of tickets completed without a station, divided by the
        trains of their paths) and `net_per_train` (net points divided by the fewest
        trains).

    Raises
    ------
    ValueError
        If the games were played on a map other than `game_map`.
    """
    tables = with_winners(result, "tickets")
    bounds: dict[str, tuple[float, float]] = {}
    if game_map is None:
        tables = _noting_bounds(tables, bounds)
    else:
        game_map = played_map(result, game_map)
        goals = _goals(game_map, n_players(result))
        bounds = {name: (goals[name][-1][1], goals[name][0][1]) for name in goals}
    sums = tally(result, "ticket_results", ["ticket"], tables)
    found = sums.table()
    nets = []
    for name, net in sums.moments("net_points").items():
        least, most = bounds.get(name, (np.nan, np.nan))  # for a ticket that nobody kept, nothing is known
        nets.append(clustered_bounded_mean(net, -least, most))
    found[["net_points", "net_low", "net_high"]] = np.reshape(nets, (-1, 3))
    found[["win_association", "association_low", "association_high"]] -= 1 / n_players(result)
    if values is None:
        return found
    found = found.join(values[["points", "trains", "points_per_train", "in_deal"]], validate="1:1")
    found["played_per_train"] = sums["_gained"] / sums["way"]
    found["net_per_train"] = found["net_points"] / found["trains"]
    return found


def _noting_bounds(tables: Iterable[pd.DataFrame], bounds: dict[str, tuple[float, float]]) -> Iterator[pd.DataFrame]:
    """Yield tables of tickets, noting the fewest and the most points that each ticket scored or cost."""
    for tickets in tables:
        kept = tickets[tickets["kept"]]
        seen = kept["points"].abs().astype("float64").groupby(kept["ticket"].astype(object)).agg(["min", "max"])
        for name, least, most in seen.dropna().itertuples():
            before = bounds.get(name, (least, most))
            bounds[name] = min(before[0], least), max(before[1], most)
        yield tickets


@answer("no tickets were drawn after the opening")
def late_tickets(
    result: SimulationResult, by: Literal["turn", "trains_left"] = "turn", *, width: int = 5
) -> pd.DataFrame:
    """
    Return the results of drawing tickets, by time of the draw.

    Parameters
    ----------
    by
        Whether to group draws by the seat's turn or by its trains left.
    width
        Turns, or trains, per row.

    Returns
    -------
    draws
        One row for each policy and time (index `policy` and `turn` or
        `trains_left`, the lowest of its row):

        {columns}

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
                done=drawn["completed_turn"].notna(),
                ready=(drawn["completed_turn"] == drawn["offered"]).fillna(value=False),
            )
            draws = drawn.groupby(keys, observed=True)[["kept", "done", "ready", "points"]].sum().reset_index()
            when = draws["offered"] if by == "turn" else draws["trains_left"]
            first = (when - 1) // width * width + 1 if by == "turn" else when // width * width
            yield draws.assign(**{by: first.astype("int64")})

    return tally(result, "late_tickets", ["policy", by], rows()).table()


@answer()
def ticket_fates(result: SimulationResult) -> pd.DataFrame:
    """
    Return what became of the tickets kept: completed, or the reason for their loss.

    A ticket is lost when its seat has too few trains left for the shortest path still open.
    It is *blocked* if another player's claim caused that, *out of trains* if the seat's own
    claim did, and *hopeless* if it was already lost when kept. It is *out of time* if the
    trains were enough until the end.

    Returns
    -------
    fates
        One row for each policy and fate (index `policy`, `fate`):

        {columns}
    """
    figures = {
        f"{name} {fate}": figure._replace(per=figure.per and f"{figure.per} {fate}", ends=fate)
        for fate in FATES
        for name, figure in of_fate(fate).items()
    }
    policies = pd.CategoricalDtype(list(dict.fromkeys(result.meta["policies"])))
    rows = (tickets.astype({"policy": policies}) for tickets in with_fates(result))
    whole = Tally(rows, ["policy"], figures, games_per_deal(result)).table()
    names = list(columns_of(of_fate("")))
    found = [whole.iloc[:, i * len(names) : (i + 1) * len(names)].set_axis(names, axis=1) for i in range(len(FATES))]
    order = pd.CategoricalIndex(FATES, FATES, name="fate")
    return pd.concat(found, keys=order).swaplevel().sort_index()


def with_fates(result: SimulationResult) -> Iterator[pd.DataFrame]:
    """Yield the tickets kept, in parts, with their `fate` and the seat whose claim they were lost to (`by`)."""
    for tickets, routes in zip(
        with_winners(result, "tickets"), result.iterate("routes", ["game", "seat", "route", "turn"]), strict=True
    ):
        kept = tickets[tickets["kept"]]
        claims = routes.rename(columns={"seat": "by", "route": "lost_to", "turn": "claimed"})
        found = kept.merge(claims, on=["game", "lost_to"], how="left")
        is_before = (found["claimed"] < found["offered"]) | (
            (found["claimed"] == found["offered"]) & (found["by"].replace(_NEUTRAL, _LAST) < found["seat"])
        )
        is_before = is_before.astype("boolean").fillna(False).astype(bool)  # noqa: FBT003 - people's draws may be unknown
        fate = np.select(
            [found["completed_turn"].notna(), found["lost_to"].isna(), is_before, found["by"] == found["seat"]],
            ["completed", "out of time", "hopeless", "out of trains"],
            "blocked",
        )
        yield found.assign(fate=fate)


@answer("no ticket of the map has several destinations")
def destination_results(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return which destination of each ticket counted, for tickets with several, and what it scored.

    Parameters
    ----------
    game_map
        The map that was played; any other raises a ValueError.

    Returns
    -------
    rates
        One row for each destination of each ticket that has several and was ever kept, best
        first (index `ticket`, `destination`; "none" for tickets not completed); empty if
        the map has no such tickets:

        {columns}
    """
    game_map = played_map(result, game_map)
    several = {ticket: goals for ticket, goals in _goals(game_map, n_players(result)).items() if len(goals) > 1}

    def rows() -> Iterator[pd.DataFrame]:
        for tickets in result.iterate("tickets", ["game", "ticket", "kept", "destination", "points"]):
            yield tickets[tickets["kept"] & tickets["ticket"].isin(list(several))]

    n_most = max(map(len, several.values()), default=0)
    columns = ANSWERS["destination_results"]
    figures = {name: columns[name] for name in ("kept", "net_points")}
    for place in range(n_most):

        def counts(tickets: pd.DataFrame, place: int = place) -> pd.Series[Any]:
            return (tickets["destination"] == place).fillna(value=False)

        figures[str(place)] = rate("", counts, "kept")
    figures["none"] = rate("", lambda tickets: tickets["destination"].isna(), "kept")
    sums = Tally(rows(), ["ticket"], figures, games_per_deal(result))
    whole = sums.table()
    found = []
    for name, net in sums.moments("net_points").items():
        goals = several[name]
        ends = clustered_bounded_mean(net, -goals[-1][1], goals[0][1])
        means = with_ends("net_points", ends, "net")
        named = [(place, points, str(i)) for i, (place, points) in enumerate(goals)]
        for destination, points, column in (*named, ("none", -goals[-1][1], "none")):
            share, low, high = whole.loc[name, [column, f"{column}_low", f"{column}_high"]]
            found.append(
                {"ticket": name, "destination": destination, "points": points, "kept": whole.loc[name, "kept"]}
                | {"rate": share, "low": low, "high": high, **means}
                | {"yield": means["net_points"] / goals[0][1]}
            )
    index = ["ticket", "destination"]
    return pd.DataFrame(found, columns=[*index, *columns_of(columns)]).set_index(index)


def _goals(game_map: GameMap, n_players: int) -> dict[str, list[tuple[str, int]]]:
    """Return the destinations of each ticket with their points, as games number them: best first."""
    tables = game_tables(game_map, n_players)
    first = tables.goal_start[: len(game_map.tickets) + 1].tolist()
    place, points = tables.goal_place[: first[-1]].tolist(), tables.goal_points[: first[-1]].tolist()
    goals = [(game_map.places[at].name, worth) for at, worth in zip(place, points, strict=True)]
    return {ticket.id: goals[a:b] for ticket, (a, b) in zip(game_map.tickets, pairwise(first), strict=True)}


# -- what makes a ticket hard --------------------------------------------------------------------------------------

MEASURES: Final = ("length", "hops", "resistance", "length_as_conductance")
"""Possible causes of difficulty, as columns of `ticket_difficulty`."""
_LEAST: Final = 4
"""Minimum number of tickets for a correlation to have an interval."""
_PERFECT: Final = 1 - 1e-9
"""A correlation this close to 1 would give Fisher's transformation an interval without width."""


def ticket_difficulty(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return how often each ticket was completed, with measures of its expected difficulty.

    Parameters
    ----------
    game_map
        The map on which it was played.

    Returns
    -------
    table
        One row for each ticket that was kept at least once (index `ticket`): `kept`,
        `completion_rate` with `completion_low` and `completion_high`; and from the map,
        to the destination nearest by each measure: `length` (trains of the shortest
        path), `hops` (fewest routes), `resistance` (trains, see
        `ttr.structure.effective_resistance`), and `length_as_conductance`, the resistance
        with length as conductance, as published by mistake (1/trains).

    Raises
    ------
    ValueError
        If the simulation was played on another map.

    Examples
    --------
    >>> usa = ttr.load_map("usa")
    >>> result = ttr.simulate(usa, [ttr.policies.Greedy()] * 2, n_games=20, seed=7, progress=False)
    >>> table = ticket_difficulty(result, usa)
    >>> int(table.loc["Denver-El Paso", "length"]), round(float(table.loc["Denver-El Paso", "resistance"]), 2)
    (4, 1.22)
    """
    game_map = played_map(result, game_map)
    rates = ticket_results(result)[["kept", "completion_rate", "completion_low", "completion_high"]]
    table = rates[rates["kept"] > 0].copy()
    tickets = [game_map.ticket(str(ticket)) for ticket in table.index]
    pairs = [[(ticket.origin, place) for place, _ in ticket.destinations] for ticket in tickets]
    table["length"] = [min(shortest_path(game_map, *pair).length for pair in some) for some in pairs]
    table["hops"] = [min(len(shortest_path(game_map, *pair, weight="hops").routes) for pair in some) for some in pairs]
    table["resistance"] = [min(effective_resistance(game_map, *pair) for pair in some) for some in pairs]
    table["length_as_conductance"] = [
        min(effective_resistance(game_map, *pair, conductance="length") for pair in some) for some in pairs
    ]
    return table


def difficulty_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """
    Return how well each measure predicts which tickets are completed.

    Parameters
    ----------
    table
        From `ticket_difficulty`.

    Returns
    -------
    correlations
        One row for each of `MEASURES` (index `measure`): its Pearson
        `correlation` with the rate of completion over all tickets, with the 95%
        interval `low` and `high` by Fisher's transformation, as if the tickets
        were a sample. The nearer to -1, the better. With fewer than four tickets,
        or a perfect correlation, the interval is from -1 to 1.

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
    if n < _LEAST or not abs(r) < _PERFECT:  # r is nan if all values are equal
        return Interval(r, -1.0, 1.0)
    half = Z_95 / sqrt(n - 3)
    return Interval(r, tanh(atanh(r) - half), tanh(atanh(r) + half))


# -- routes and cities ---------------------------------------------------------------------------------------------

_ASSOCIATION = ["win_association", "association_low", "association_high"]


@answer()
def route_results(result: SimulationResult) -> pd.DataFrame:
    """
    Return how often each route was taken, when, and whether its owners won.

    Returns
    -------
    rates
        One row for each route (index `route`):

        {columns}

        That owners win more does not prove that the route is the reason.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for routes, games in zip(with_winners(result, "routes"), result.iterate("games", ["game"]), strict=True):
            yield _every_route(games, routes).merge(routes, on=["game", "route"], how="left")

    found = tally(result, "route_results", ["route"], rows()).table()
    found[_ASSOCIATION] -= 1 / n_players(result)
    return found


@answer()
def city_results(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return how often a seat's routes reached each city, from which turn, and whether the seat won.

    Parameters
    ----------
    game_map
        The map that was played; any other raises a ValueError.

    Returns
    -------
    rates
        One row for each city (index `city`):

        {columns}

        Players who build a lot reach the central cities: that does not prove that these
        cities win games.
    """
    game_map = played_map(result, game_map)
    pairs = [(route.id, city) for route in game_map.routes for city in route.cities]
    ends = pd.DataFrame(pairs, columns=["route", "city"])
    cities = pd.Index([city.name for city in game_map.cities])

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "route", "turn"]
        for routes, seats in zip(result.iterate("routes", columns), result.iterate("seats"), strict=True):
            visits = routes.astype({"route": object}).merge(ends, on="route")
            first = visits.groupby(["game", "seat", "city"])["turn"].min().reset_index()
            every = grid(seats[["game", "seat", "won"]], "city", cities)
            yield every.merge(first, on=["game", "seat", "city"], how="left")

    found = tally(result, "city_results", ["city"], rows()).table()
    found[_ASSOCIATION] -= 1 / n_players(result)
    return found.reindex(cities.rename("city"))


@answer()
def route_lengths(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return how many routes of each length players take, and what these bring.

    Parameters
    ----------
    game_map
        The map that was played; any other raises a ValueError.

    Returns
    -------
    lengths
        One row for each policy and length (index `policy`, `length`):

        {columns}
    """
    game_map = played_map(result, game_map)
    facts = _facts(game_map)
    lengths = pd.Index(sorted(facts["length"].unique()))

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "route", "cards"]
        for routes, seats in zip(result.iterate("routes", columns), result.iterate("seats"), strict=True):
            claims = routes.astype({"route": object}).join(facts, on="route").assign(claims=1)
            sums = claims.groupby(["game", "seat", "length"])[["claims", "cards", "points"]].sum().reset_index()
            every = grid(seats[["game", "seat", "policy"]], "length", lengths)
            yield every.merge(sums, on=["game", "seat", "length"], how="left").fillna(
                {"claims": 0, "cards": 0, "points": 0}
            )

    sums = tally(result, "route_lengths", ["policy", "length"], rows())
    found = sums.table()
    trains = sums["claims"] * sums.sums.index.get_level_values("length")
    for name, amounts in (("point_share", sums["points_per_card"]), ("train_share", trains)):
        found[name] = amounts / amounts.groupby(level="policy", observed=True).transform("sum")
    return found


@answer()
def longest_routes(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return who took the longest routes of the map, and whether it paid.

    Parameters
    ----------
    game_map
        The map that was played; any other raises a ValueError.

    Returns
    -------
    rates
        One row for each of these routes and each policy (index `route`, `policy`):

        {columns}

        A player who can afford one may already be ahead.
    """
    game_map = played_map(result, game_map)
    facts = _facts(game_map)
    longest = facts.index[facts["length"] == facts["length"].max()]

    def rows() -> Iterator[pd.DataFrame]:
        seat = ["game", "seat"]
        for routes, seats in zip(result.iterate("routes"), result.iterate("seats"), strict=True):
            claims = routes.astype({"route": object}).join(facts["points"], on="route")
            totals = claims.groupby(seat)[["cards", "points"]].sum().add_prefix("all_").reset_index()
            taken = claims[[*seat, "route", "turn", "cards", "sets", "points"]]
            every = grid(seats[[*seat, "policy", "won"]], "route", longest)
            yield every.merge(taken, on=[*seat, "route"], how="left").merge(totals, on=seat, how="left")

    return tally(result, "longest_routes", ["route", "policy"], rows()).table()


@answer()
def blocking_routes(result: SimulationResult) -> pd.DataFrame:
    """
    Return which routes block tickets: after the claim, another seat has too few trains left for its ticket.

    Returns
    -------
    routes
        One row for each route that blocked a ticket, the worst first (index
        `route`; see `ticket_fates`):

        {columns}
    """
    pairs = pd.Series(dtype="float64", index=pd.MultiIndex.from_tuples([], names=["lost_to", "ticket"]))

    def rows() -> Iterator[pd.DataFrame]:
        nonlocal pairs
        parts = zip(with_fates(result), result.iterate("routes", ["game", "route"]), result.iterate("games", ["game"]))  # noqa: B905 - of the same parts
        for tickets, routes, games in parts:
            blocked = tickets[tickets["fate"] == "blocked"]
            names = blocked.astype({"lost_to": object, "ticket": object})
            pairs = pairs.add(names.value_counts(pairs.index.names), fill_value=0)
            sums = blocked.groupby(["game", "lost_to"], observed=True).size().rename("blocked").reset_index()
            found = _every_route(games, routes).merge(
                sums.rename(columns={"lost_to": "route"}), on=["game", "route"], how="left"
            )
            yield found.merge(routes.assign(claims=1), on=["game", "route"], how="left").fillna(
                {"blocked": 0, "claims": 0}
            )

    found = tally(result, "blocking_routes", ["route"], rows()).table()
    # Only routes that blocked a ticket are listed, so a lower end below 0 would be misleading.
    found["blocked_low"] = found["blocked_low"].clip(lower=0)
    found = found[found["blocked"] > 0].sort_values("blocked", ascending=False, kind="stable")
    worst = [pairs.loc[route].idxmax() for route in found.index]
    found["worst_ticket"] = worst
    found["worst_count"] = [int(pairs.loc[pair]) for pair in zip(found.index, worst, strict=True)]
    return found


def _every_route(games: pd.DataFrame, routes: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each game and route, taken or not."""
    every = grid(games, "route", routes["route"].cat.categories)
    return every.astype({"route": routes["route"].dtype})


def _facts(game_map: GameMap) -> pd.DataFrame:
    """Return length and points of routes by id."""
    return game_map.tables.routes.set_index("id")[["length", "points"]]
