"""Routes and cities: who takes them and when, whether they win, and which tickets they block."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ttr_analysis.maps.loading import MapLike
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.questions.tally import answer, grid, n_players, played_map, tally, with_winners
from ttr_analysis.studies.questions.tickets import with_fates
from ttr_analysis.studies.simulation import SimulationResult

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
        The map that was played; another one is refused.

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
        The map that was played; another one is refused.

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
    for name, of in (("point_share", sums["points_per_card"]), ("train_share", trains)):
        found[name] = of / of.groupby(level="policy", observed=True).transform("sum")
    return found


@answer()
def longest_routes(result: SimulationResult, game_map: MapLike) -> pd.DataFrame:
    """
    Return who took the longest routes of the map, and whether it paid.

    Parameters
    ----------
    game_map
        The map that was played; another one is refused.

    Returns
    -------
    rates
        One row for each of these routes and policy (index `route`, `policy`):

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
