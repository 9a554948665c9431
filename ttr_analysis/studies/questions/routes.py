"""Routes and cities: who takes them, when, whether they win, and whose tickets they cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.questions.tally import Tally, check_map, grid, n_players, ones, with_winners
from ttr_analysis.studies.questions.tickets import with_fates
from ttr_analysis.studies.simulation import SimulationResult


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
        and `locomotives` paid, and `win_association`, the share of wins of its
        owners less that of all seats, with `association_low` and
        `association_high`: no proof that the route is why.
    """

    def rows() -> Iterator[pd.DataFrame]:
        for routes, games in zip(with_winners(result, "routes"), result.iterate("games", ["game"]), strict=True):
            every = grid(games, "route", routes["route"].cat.categories).astype({"route": routes["route"].dtype})
            yield every.merge(routes, on=["game", "route"], how="left")

    columns: dict[str, Any] = {
        "games": ones,
        "claims": lambda frame: frame["seat"].notna(),
        "players": lambda frame: frame["seat"] >= 0,
        **{name: lambda frame, name=name: frame[name].fillna(0) for name in ("turn", "cards", "locomotives", "won")},
    }
    tally = Tally(result, rows(), ["route"], columns, ["games", "players"])
    found = tally.rate("claims", "games", "claim_rate", "claim")
    found["turn"] = tally.ratio("turn", "claims")
    found["cards"] = tally.ratio("cards", "players")
    found["locomotives"] = tally.ratio("locomotives", "players")
    return found.join(tally.rate("won", "players", "win_association", "association") - 1 / n_players(result))


def city_results(result: SimulationResult, game_map: GameMap) -> pd.DataFrame:
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
        One row for each city (index `city`): `visit_rate`, the share of seats
        with a route to it, with `visit_low` and `visit_high`; mean `turn` of
        the first; `win_association`, the share of wins of these seats less
        that of all, with `association_low` and `association_high`. A city in
        the middle is visited by whoever builds much: no proof that it is why.

    Raises
    ------
    ValueError
        If another map was played.
    """
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

    columns: dict[str, Any] = {
        "seats": ones,
        "visits": lambda frame: frame["turn"].notna(),
        "turn": lambda frame: frame["turn"].fillna(0),
        "won": lambda frame: frame["won"].where(frame["turn"].notna(), 0),
    }
    tally = Tally(result, rows(), ["city"], columns, ["seats", "visits"])
    found = tally.rate("visits", "seats", "visit_rate", "visit")
    found["turn"] = tally.ratio("turn", "visits")
    association = tally.rate("won", "visits", "win_association", "association") - 1 / n_players(result)
    return found.join(association).reindex(cities.rename("city"))


def route_lengths(result: SimulationResult, game_map: GameMap) -> pd.DataFrame:
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
        One row for each policy and length (index `policy`, `length`): `claims`
        for a seat in a game, with `claims_low` and `claims_high`; the share of
        its points for routes (`point_share`) and of the trains it placed
        (`train_share`); `cards` paid for one; and `points_per_card`.

    Raises
    ------
    ValueError
        If another map was played.
    """
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

    columns: dict[str, Any] = {"seats": ones, "claims": "claims", "cards": "cards", "points": "points"}
    tally = Tally(result, rows(), ["policy", "length"], columns, ["seats"])
    found = tally.mean("claims", "seats", "claims")
    points, trains = tally["points"], tally["claims"] * tally.sums.index.get_level_values("length")
    for name, sums in (("point_share", points), ("train_share", trains)):
        found[name] = sums / sums.groupby(level="policy", observed=True).transform("sum")
    found["cards"] = tally.ratio("cards", "claims")
    found["points_per_card"] = tally.ratio("points", "cards")
    return found


def longest_routes(result: SimulationResult, game_map: GameMap) -> pd.DataFrame:
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
        `seats` of the policy; `claim_rate`, the share of them that took it,
        with `claim_low` and `claim_high`; mean `turn`, `cards` paid and `sets`
        among them; `points_per_card` of it, and `elsewhere`, those of the same
        seats' other routes, with `_low` and `_high`; `win_rate` of those who
        took it, and `rest_win_rate` of the other seats of the policy, with
        `win_low`, `rest_low` and so on. Who can afford it may be ahead already.

    Raises
    ------
    ValueError
        If another map was played.
    """
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

    def of_takers(name: str) -> Any:  # noqa: ANN401 - what a tally takes
        return lambda frame: frame[name].where(frame["turn"].notna(), 0)

    columns: dict[str, Any] = {
        "seats": ones,
        "takers": lambda frame: frame["turn"].notna(),
        "rest": lambda frame: frame["turn"].isna(),
        **{name: of_takers(name) for name in ("turn", "cards", "sets", "points", "won")},
        "rest_won": lambda frame: frame["won"].where(frame["turn"].isna(), 0),
        "other_cards": lambda frame: (frame["all_cards"] - frame["cards"]).fillna(0),
        "other_points": lambda frame: (frame["all_points"] - frame["points"]).fillna(0),
    }
    per = ["seats", "takers", "rest", "cards", "other_cards"]
    tally = Tally(result, rows(), ["route", "policy"], columns, per)
    found = pd.DataFrame({"seats": tally.count("seats")}).join(tally.rate("takers", "seats", "claim_rate", "claim"))
    for name in ("turn", "cards", "sets"):
        found[name] = tally.ratio(name, "takers")
    return found.join(
        [
            tally.mean("points", "cards", "points_per_card"),
            tally.mean("other_points", "other_cards", "elsewhere"),
            tally.rate("won", "takers", "win_rate", "win"),
            tally.rate("rest_won", "rest", "rest_win_rate", "rest"),
        ]
    )


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
        `route`): tickets `blocked` a game, with `blocked_low` and
        `blocked_high`; `per_claim`, tickets blocked each time that it was
        taken; the ticket that it blocked most often (`worst_ticket`), and in
        how many games (`worst_count`). See `ticket_fates`.
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

    columns: dict[str, Any] = {"games": ones, "blocked": "blocked", "claims": "claims"}
    tally = Tally(result, rows(), ["route"], columns, ["games"])
    found = tally.mean("blocked", "games", "blocked")
    found["per_claim"] = tally.ratio("blocked", "claims")
    found = found[found["blocked"] > 0].sort_values("blocked", ascending=False, kind="stable")
    worst = [pairs.loc[route].idxmax() for route in found.index]
    found["worst_ticket"] = worst
    found["worst_count"] = [int(pairs.loc[pair]) for pair in zip(found.index, worst, strict=True)]
    return found


def _facts(game_map: GameMap) -> pd.DataFrame:
    """Return length and points of routes by id."""
    facts = {"length": [r.length for r in game_map.routes], "points": [r.points for r in game_map.routes]}
    return pd.DataFrame(facts, index=[r.id for r in game_map.routes])
