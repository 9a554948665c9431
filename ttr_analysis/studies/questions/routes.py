"""Routes and cities: who takes them, when, whether they win, and whose tickets they cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.questions.tally import (
    Figures,
    Tally,
    Values,
    added,
    answers_with,
    check_map,
    count,
    frequency,
    grid,
    mean,
    n_players,
    rate,
    ratio,
    with_winners,
)
from ttr_analysis.studies.questions.tickets import with_fates
from ttr_analysis.studies.simulation import SimulationResult


def _filled(column: str) -> Values:
    """Return a column with 0 where nobody took the route."""
    return lambda rows: rows[column].fillna(0)


def _is_taken(rows: pd.DataFrame) -> pd.Series[Any]:
    return rows["turn"].notna()


def _of_takers(column: str) -> Values:
    """Return a column with 0 where the seat did not take the route, or visit the city."""
    return lambda rows: rows[column].where(_is_taken(rows), 0)


_ROUTES: Final[Figures] = {
    "claim_rate": rate("share of games in which it was taken", _is_taken, "_games", "claim"),
    "turn": ratio("mean turn of the claim", _filled("turn"), "_claims"),
    "cards": ratio("mean cards paid", _filled("cards"), "_players"),
    "locomotives": ratio("mean locomotives among them", _filled("locomotives"), "_players"),
    "win_association": rate("share of wins of its owners less that of all", _filled("won"), "_players", "association"),
    "_games": count(""),
    "_claims": count("", _is_taken),
    "_players": count("", lambda rows: rows["seat"] >= 0),
}


@answers_with(_ROUTES)
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
        One row for each route (index `route`):

        {columns}

        That owners win more is no proof that the route is why.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for routes, games in zip(with_winners(result, "routes"), result.iterate("games", ["game"]), strict=True):
            every = grid(games, "route", routes["route"].cat.categories).astype({"route": routes["route"].dtype})
            yield every.merge(routes, on=["game", "route"], how="left")

    found = Tally(result, rows(), ["route"], _ROUTES).table()
    found[["win_association", "association_low", "association_high"]] -= 1 / n_players(result)
    return found


_CITIES: Final[Figures] = {
    "visit_rate": rate("share of seats with a route to it", _is_taken, "_seats", "visit"),
    "turn": ratio("mean turn of the first", _filled("turn"), "_visits"),
    "win_association": rate("share of wins of these less that of all", _of_takers("won"), "_visits", "association"),
    "_seats": count(""),
    "_visits": count("", _is_taken),
}


@answers_with(_CITIES)
def city_results(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return how often the routes of a seat led to each city, from when on, and whether it won.

    Parameters
    ----------
    result
        A simulation.
    game_map
        The map that was played.

    Returns
    -------
    rates
        One row for each city (index `city`):

        {columns}

        A city in the middle is visited by whoever builds much: no proof that
        it is why they win.

    Raises
    ------
    ValueError
        If another map was played.
    """
    game_map = as_map(game_map)
    check_map(result, game_map)
    ends = pd.DataFrame(
        [(route.id, city) for route in game_map.routes for city in route.cities], columns=["route", "city"]
    )
    cities = pd.Index([city.name for city in game_map.cities])

    def rows() -> Iterator[pd.DataFrame]:
        columns = ["game", "seat", "route", "turn"]
        for routes, seats in zip(result.iterate("routes", columns), result.iterate("seats"), strict=True):
            visits = routes.astype({"route": object}).merge(ends, on="route")
            first = visits.groupby(["game", "seat", "city"])["turn"].min().reset_index()
            every = grid(seats[["game", "seat", "won"]], "city", cities)
            yield every.merge(first, on=["game", "seat", "city"], how="left")

    found = Tally(result, rows(), ["city"], _CITIES).table()
    found[["win_association", "association_low", "association_high"]] -= 1 / n_players(result)
    return found.reindex(cities.rename("city"))


_LENGTHS: Final[Figures] = {
    "claims": frequency("routes claimed by a seat in a game", "claims", "_seats"),
    "point_share": added("share of its points for routes"),
    "train_share": added("share of the trains it placed"),
    "cards": ratio("cards paid for one", "cards", "claims"),
    "points_per_card": ratio("points for a card", "points", "cards"),
    "_seats": count(""),
}


@answers_with(_LENGTHS)
def route_lengths(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return how many routes of each length players take, and what they bring.

    Parameters
    ----------
    result
        A simulation.
    game_map
        The map that was played.

    Returns
    -------
    lengths
        One row for each policy and length (index `policy`, `length`):

        {columns}

    Raises
    ------
    ValueError
        If another map was played.
    """
    game_map = as_map(game_map)
    check_map(result, game_map)
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

    tally = Tally(result, rows(), ["policy", "length"], _LENGTHS)
    found = tally.table()
    points, trains = tally["points_per_card"], tally["claims"] * tally.sums.index.get_level_values("length")
    for name, sums in (("point_share", points), ("train_share", trains)):
        found[name] = sums / sums.groupby(level="policy", observed=True).transform("sum")
    return found


def _is_free(rows: pd.DataFrame) -> pd.Series[Any]:
    return rows["turn"].isna()


def _elsewhere(column: str) -> Values:
    """Return what other routes of a seat that took one add up to."""
    return lambda rows: (rows[f"all_{column}"] - rows[column]).fillna(0)


_LONGEST: Final[Figures] = {
    "seats": count("seats of the policy"),
    "claim_rate": rate("share of them that took it", _is_taken, "seats", "claim"),
    "turn": ratio("mean turn of the claim", _of_takers("turn"), "_takers"),
    "cards": ratio("mean cards paid", _of_takers("cards"), "_takers"),
    "sets": ratio("mean sets among them", _of_takers("sets"), "_takers"),
    "points_per_card": mean("points for a card of it", _of_takers("points"), "cards"),
    "elsewhere": mean("the same of their other routes", _elsewhere("points"), "_other_cards", unit="points per card"),
    "win_rate": rate("share of wins of those who took it", _of_takers("won"), "_takers", "win"),
    "rest_win_rate": rate("share of wins of the others", lambda rows: rows["won"] * _is_free(rows), "_rest", "rest"),
    "_takers": count("", _is_taken),
    "_rest": count("", _is_free),
    "_other_cards": count("", _elsewhere("cards")),
}


@answers_with(_LONGEST)
def longest_routes(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return who took the longest routes of the map, and whether that paid.

    Parameters
    ----------
    result
        A simulation.
    game_map
        The map that was played.

    Returns
    -------
    rates
        One row for each of these routes and policy (index `route`, `policy`):

        {columns}

        Who can afford it may be ahead already.

    Raises
    ------
    ValueError
        If another map was played.
    """
    game_map = as_map(game_map)
    check_map(result, game_map)
    facts = _facts(game_map)
    longest = facts.index[facts["length"] == facts["length"].max()]

    def rows() -> Iterator[pd.DataFrame]:
        for routes, seats in zip(result.iterate("routes"), result.iterate("seats"), strict=True):
            claims = routes.astype({"route": object}).join(facts["points"], on="route")
            whole = claims.groupby(["game", "seat"])[["cards", "points"]].sum().add_prefix("all_").reset_index()
            taken = claims[["game", "seat", "route", "turn", "cards", "sets", "points"]]
            every = grid(seats[["game", "seat", "policy", "won"]], "route", longest)
            yield every.merge(taken, on=["game", "seat", "route"], how="left").merge(
                whole, on=["game", "seat"], how="left"
            )

    return Tally(result, rows(), ["route", "policy"], _LONGEST).table()


_BLOCKING: Final[Figures] = {
    "blocked": mean("tickets blocked a game", "blocked", "_games"),
    "per_claim": ratio("tickets blocked each time that it was taken", "blocked", "_claims"),
    "worst_ticket": added("the ticket that it blocked most often", "ticket"),
    "worst_count": added("in how many games", "int64"),
    "_games": count(""),
    "_claims": count("", "claims"),
}


@answers_with(_BLOCKING)
def blocking_routes(result: SimulationResult) -> pd.DataFrame:
    """
    Return which routes block tickets: by whose claim another seat's trains no longer suffice.

    Parameters
    ----------
    result
        A simulation.

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
            pairs = pairs.add(
                blocked.astype({"lost_to": object, "ticket": object}).value_counts(pairs.index.names), fill_value=0
            )
            every = grid(games, "route", routes["route"].cat.categories).astype({"route": routes["route"].dtype})
            sums = blocked.groupby(["game", "lost_to"], observed=True).size().rename("blocked").reset_index()
            found = every.merge(sums.rename(columns={"lost_to": "route"}), on=["game", "route"], how="left")
            yield found.merge(routes.assign(claims=1), on=["game", "route"], how="left").fillna(
                {"blocked": 0, "claims": 0}
            )

    found = Tally(result, rows(), ["route"], _BLOCKING).table()
    # Of those that seldom block, only the ones that happened to are told of: a lower end above 0 would leave them out.
    found["blocked_low"] = found["blocked_low"].clip(lower=0)
    found = found[found["blocked"] > 0].sort_values("blocked", ascending=False, kind="stable")
    worst = [pairs.loc[route].idxmax() for route in found.index]
    found["worst_ticket"] = worst
    found["worst_count"] = [int(pairs.loc[pair]) for pair in zip(found.index, worst, strict=True)]
    return found


def _facts(game_map: GameMap) -> pd.DataFrame:
    """Return length and points of routes by id."""
    facts = {"length": [r.length for r in game_map.routes], "points": [r.points for r in game_map.routes]}
    return pd.DataFrame(facts, index=[r.id for r in game_map.routes])
