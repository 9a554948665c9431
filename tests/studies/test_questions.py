"""Questions to simulations: against sums over the records of the same games, written out."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from tests.studies.figures import average, bounded, difference, figures, frequency, mean, near, rate, rows_of
from tests.studies.telling import Row, Told, no_games
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.columns import ANSWERS

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from ttr_analysis import GameMap

S = ttr.studies
PLAYERS = (Greedy(), Random(), Greedy())
N, N_GAMES, SEED = 3, 11, 7
"""The last deal is not played to its end, and parts of four games cut others."""


def play(game_map: GameMap, n_players: int, n_games: int, out: Path) -> tuple[SimulationResult, Told]:
    """Return games on disk, which are read part by part, and the same games as their records tell them."""
    result = ttr.simulate(game_map, PLAYERS[:n_players], n_games, SEED, chunk_size=4, out=out, progress=False)
    told = Told()
    for number in range(n_games):
        players = [(seat + number) % n_players for seat in range(n_players)]
        record = ttr.Game(game_map, n_players).play([PLAYERS[p] for p in players], SEED, number // n_players)
        told.add(record, number // n_players, players)
    return result, told


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[SimulationResult, Told]:
    return play(load("invented"), N, N_GAMES, tmp_path_factory.mktemp("games") / "run")


@pytest.fixture(scope="module")
def neutral(tmp_path_factory: pytest.TempPathFactory) -> tuple[SimulationResult, Told]:
    return play(load("invented").with_variant("neutral"), 2, 9, tmp_path_factory.mktemp("games") / "run")


@pytest.fixture(params=["both", "neutral"], ids=["three players", "a neutral player too"])
def run(request: pytest.FixtureRequest) -> tuple[SimulationResult, Told]:
    found: tuple[SimulationResult, Told] = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def result(both: tuple[SimulationResult, Told]) -> SimulationResult:
    return both[0]


@pytest.fixture
def told(both: tuple[SimulationResult, Told]) -> Told:
    return both[1]


# -- who won -------------------------------------------------------------------------------


@pytest.mark.parametrize(("function", "key"), [(S.win_rates, "player"), (S.seat_advantage, "seat")])
def test_wins_and_points(
    function: Callable[[SimulationResult], pd.DataFrame], key: str, result: SimulationResult, told: Told
) -> None:
    for value, row in rows_of(function(result)):
        mine = [seat for seat in told.seats if seat[key] == value]
        assert row["games"] == N_GAMES
        assert figures(row, "win_rate", "win") == near(rate(mine, "won"))
        assert figures(row, "points") == near(mean(mine, "points"))
        assert row["points_sd"] == pytest.approx(np.std([seat["points"] for seat in mine]))
        assert row["ticket_points"] == pytest.approx(average(mine, "ticket_gain") + average(mine, "ticket_loss"))
        assert row["route_points"] == pytest.approx(average(mine, "routes"))
        for column in ("bonus", "tickets", "turns", "completed"):
            assert row[column] == pytest.approx(average(mine, column))


def test_players_are_compared_deal_by_deal(result: SimulationResult, told: Told) -> None:
    found = S.win_differences(result)

    assert list(found.index) == list(combinations(range(N), 2))
    for (a, b), row in rows_of(found):
        one, other = ([seat for seat in told.seats if seat["player"] == player] for player in (a, b))
        won, points = ([x[what] - y[what] for x, y in zip(one, other, strict=True)] for what in ("won", "points"))
        assert figures(row, "win_difference") == near(difference(one, won))
        assert figures(row, "points_difference") == near(mean(one, points))
    assert list(found["rival_policy"]) == ["Random", "Greedy", "Greedy"]


def test_points_come_from_somewhere(result: SimulationResult, told: Told) -> None:
    for (policy, won), row in rows_of(S.point_sources(result)):
        mine = [seat for seat in told.seats if seat["policy"] == policy and (seat["won"] > 0) == won]
        assert row["seats"] == len(mine)
        assert row["points"] == pytest.approx(average(mine, "points"))
        names = ["start", "routes", "tickets_completed", "tickets_missed", "bonus", "loans", "stations"]
        assert row[names].sum() == pytest.approx(row["points"])
        assert row["tickets_missed"] == pytest.approx(average(mine, "ticket_loss"))
        assert row["loans"] == pytest.approx(average(mine, "loan_points"))
        assert row["stations"] == pytest.approx(average(mine, "station_points"))
        gained = [seat["points"] - seat["ticket_loss"] - seat["loan_points"] for seat in mine]
        assert figures(row, "ticket_share") == near(mean(mine, "ticket_gain", gained))


def test_a_bonus_decides_where_no_winner_would_lead_without_it(result: SimulationResult, told: Told) -> None:
    found = S.bonus_effects(result)

    assert set(found.index) == {"trail", "tokens"}
    for name, measure in {"trail": "longest_trail", "tokens": "tokens"}.items():
        decided = []
        for game in told.games:
            seats = [seat for seat in told.seats if seat["game"] == game["game"]]
            rest = [seat["points"] - seat["bonuses"][measure] for seat in seats]
            decided.append(not any(seat["won"] and rest[seat["seat"]] == max(rest) for seat in seats))
        assert figures(found.loc[name], "decided") == near(rate(told.games, decided))
        scored = [seat["bonuses"][measure] for seat in told.seats if seat["bonuses"][measure]]
        assert found.loc[name, "points"] == pytest.approx(np.mean(scored))


# -- tickets ---------------------------------------------------------------------------------


def test_tickets_are_counted_by_offer(result: SimulationResult, told: Told) -> None:
    values = ttr.tickets.value_table(load("invented"), n_deals=10)
    found = S.ticket_results(result, values, load("invented"))

    assert dict(found["offered"]) == Counter(row["ticket"] for row in told.tickets)
    for name, row in rows_of(found):
        kept = [t for t in told.tickets if t["ticket"] == name and t["kept"]]
        assert row["kept"] == len(kept)
        if not kept:
            continue
        done = [t for t in kept if t["completed_turn"] is not None]
        assert figures(row, "completion_rate", "completion") == near(
            rate(kept, [t["completed_turn"] is not None for t in kept])
        )
        goals = [points for _, points in load("invented").ticket(str(name)).destinations]
        assert figures(row, "net_points", "net") == near(bounded(kept, "points", -min(goals), max(goals)))
        assert row["win_association"] == pytest.approx(average(kept, "won") - 1 / N)
        assert row["net_per_train"] == pytest.approx(row["net_points"] / values.loc[name, "trains"])
        if done:
            assert row["completed_in"] == pytest.approx(average(done, "completed_turn"))
        built = [t for t in done if t["trains"] is not None]
        if built:
            assert row["way"] == pytest.approx(average(built, "trains"))
            played = sum(max(0, t["points"]) for t in built) / sum(t["trains"] for t in built)
            assert row["played_per_train"] == pytest.approx(played)


def test_opening_tickets_are_counted_by_policy(result: SimulationResult, told: Told) -> None:
    found = S.opening_tickets(result)

    assert found["seats"].sum() == N * N_GAMES
    opening = Counter(t["at"] for t in told.tickets if t["offered"] == 0 and t["kept"])
    for (policy, kept), row in rows_of(found):
        mine = [seat for seat in told.seats if (seat["policy"], opening[seat["at"]]) == (policy, kept)]
        assert figures(row, "win_rate", "win") == near(rate(mine, "won"))
        assert row["points"] == pytest.approx(average(mine, "points"))


@pytest.mark.parametrize("by", ["turn", "trains_left"])
def test_late_tickets_are_counted_by_draw(by: Any, result: SimulationResult, told: Told) -> None:  # noqa: ANN401
    found = S.late_tickets(result, by, width=4)

    offers: dict[tuple[object, int], list[Row]] = {}
    for ticket in told.tickets:
        if ticket["offered"]:
            offers.setdefault((ticket["at"], ticket["offered"]), []).append(ticket)
    draws = []
    for (_, turn), offer in offers.items():
        kept = [t for t in offer if t["kept"]]
        draw = {
            "when": 4 * ((turn - 1) // 4) + 1 if by == "turn" else 4 * (offer[0]["trains_left"] // 4),
            "kept": len(kept),
            "completed": sum(t["completed_turn"] is not None for t in kept),
            "ready": sum(t["completed_turn"] == t["offered"] for t in kept),
            "points": sum(t["points"] for t in kept),
        }
        draws.append(offer[0] | draw)
    for (policy, when), row in rows_of(found):
        mine = [draw for draw in draws if (draw["policy"], draw["when"]) == (policy, when)]
        assert row["draws"] == len(mine)
        assert figures(row, "ready_rate", "ready") == near(rate(mine, "ready", "kept"))
        assert figures(row, "completion_rate", "completion") == near(rate(mine, "completed", "kept"))
        assert row["points"] == pytest.approx(average(mine, "points"))
        assert figures(row, "gain_rate", "gain") == near(rate(mine, [draw["points"] > 0 for draw in mine]))
    assert found["draws"].sum() == len(draws) > 5


def test_tickets_are_lost_to_something(run: tuple[SimulationResult, Told]) -> None:
    result, told = run
    found = S.ticket_fates(result)

    for (policy, name), row in rows_of(found):
        mine = [t for t in told.tickets if t["kept"] and t["policy"] == policy]
        assert row[["rate", "low", "high"]].tolist() == near(rate(mine, [t["fate"] == name for t in mine]))
    assert found.groupby("policy", observed=True)["rate"].sum().tolist() == near([1, 1])
    assert (found["rate"] > 0).groupby("fate", observed=True).any().sum() >= 4


def test_destinations_add_up(result: SimulationResult, told: Told, invented: GameMap) -> None:
    found = S.destination_results(result, invented)

    assert set(found.index.get_level_values("ticket")) <= {t.id for t in invented.tickets if len(t.destinations) > 1}
    for (name, destination), row in rows_of(found):
        mine = [t for t in told.tickets if t["kept"] and t["ticket"] == name]
        expected = rate(mine, [(t["reached"] or "none") == destination for t in mine])
        assert row[["rate", "low", "high"]].tolist() == near(expected)
        goals = [points for _, points in invented.ticket(name).destinations]
        net = bounded(mine, "points", -min(goals), max(goals))
        assert figures(row, "net_points", "net") == near(net)
        assert row["yield"] == pytest.approx(net[0] / max(goals))
    brought = (found["rate"] * found["points"]).groupby("ticket").sum()
    assert brought.to_numpy() == pytest.approx(found["net_points"].groupby("ticket").first().to_numpy())
    assert len(found) > 3


def test_a_ticket_brings_what_its_destinations_say(result: SimulationResult, invented: GameMap) -> None:
    """Where no country of the best points was reached, too, and where none was missed."""
    by_ticket = S.ticket_results(result, game_map=invented)
    by_destination = S.destination_results(result, invented).groupby("ticket").first()

    net = ["net_points", "net_low", "net_high"]
    np.testing.assert_allclose(by_ticket.loc[by_destination.index, net], by_destination[net])
    unknown = S.ticket_results(result).loc[by_destination.index]
    assert (unknown["net_low"] <= by_destination["net_points"]).all()
    assert (by_destination["net_points"] <= unknown["net_high"]).all()
    with pytest.raises(ValueError, match="the games were played on invented, not on this"):
        S.ticket_results(result, game_map=load("nordic"))


# -- routes and cities ---------------------------------------------------------------------


def test_routes_are_counted_once_a_game(run: tuple[SimulationResult, Told]) -> None:
    result, told = run
    found = S.route_results(result)
    n_players = len({seat["seat"] for seat in told.seats})

    assert list(found.index) == [route.id for route in load("invented").routes]
    for name, row in rows_of(found):
        taken = [r for r in told.routes if r["route"] == name]
        owned = [r for r in taken if r["seat"] >= 0]
        where = {r["game"] for r in taken}
        expected = rate(told.games, [game["game"] in where for game in told.games])
        assert figures(row, "claim_rate", "claim") == near(expected)
        if taken:
            assert row["turn"] == pytest.approx(average(taken, "turn"))
        if owned:
            assert row["cards"] == pytest.approx(average(owned, "cards"))
            assert row["win_association"] == pytest.approx(average(owned, "won") - 1 / n_players)


def test_cities_are_counted_once_a_seat(result: SimulationResult, told: Told, invented: GameMap) -> None:
    ends = {route.id: route.cities for route in invented.routes}
    found = S.city_results(result, invented)

    assert list(found.index) == [city.name for city in invented.cities]
    for name, row in rows_of(found):
        first: dict[object, int] = {}
        for route in told.routes:
            if name in ends[route["route"]]:
                first[route["at"]] = min(route["turn"], first.get(route["at"], route["turn"]))
        visits = [seat for seat in told.seats if seat["at"] in first]
        assert figures(row, "visit_rate", "visit") == near(rate(told.seats, [s["at"] in first for s in told.seats]))
        assert row["turn"] == pytest.approx(np.mean([first[seat["at"]] for seat in visits]))
        assert row["win_association"] == pytest.approx(average(visits, "won") - 1 / N)


def test_routes_are_told_apart_by_length(result: SimulationResult, told: Told, invented: GameMap) -> None:
    facts = {route.id: route for route in invented.routes}
    lengths, longest = S.route_lengths(result, invented), S.longest_routes(result, invented)

    for (policy, length), row in rows_of(lengths):
        mine = [seat for seat in told.seats if seat["policy"] == policy]
        n_claims = Counter(r["at"] for r in told.routes if facts[r["route"]].length == length)
        assert figures(row, "claims") == near(frequency(mine, [n_claims[seat["at"]] for seat in mine]))
    assert lengths.groupby("policy", observed=True)[["point_share", "train_share"]].sum().to_numpy() == pytest.approx(1)
    most = max(route.length for route in invented.routes)
    assert {facts[name].length for name, _ in longest.index} == {most}
    for (name, policy), row in rows_of(longest):
        mine = [seat for seat in told.seats if seat["policy"] == policy]
        claims = [r for r in told.routes if r["route"] == name and r["policy"] == policy]
        takers = {r["at"] for r in claims}
        assert figures(row, "claim_rate", "claim") == near(rate(mine, [seat["at"] in takers for seat in mine]))
        if claims:
            assert row["cards"] == pytest.approx(average(claims, "cards"))
            others = [r for r in told.routes if r["at"] in takers and r["route"] != name]
            points = sum(facts[r["route"]].points for r in others)
            assert row["elsewhere"] == pytest.approx(points / sum(r["cards"] for r in others))
            assert row["win_rate"] == pytest.approx(average(claims, "won"))


def test_routes_that_block_are_those_that_tickets_are_lost_to(run: tuple[SimulationResult, Told]) -> None:
    result, told = run
    found = S.blocking_routes(result)

    blocked = [t for t in told.tickets if t["fate"] == "blocked"]
    counts = Counter(t["lost_to"] for t in blocked)
    pairs = Counter((t["lost_to"], t["ticket"]) for t in blocked)
    assert set(found.index) == set(counts)
    assert counts
    for name, row in rows_of(found):
        here = Counter(t["game"] for t in blocked if t["lost_to"] == name)
        value, low, high = mean(told.games, [here[game["game"]] for game in told.games])
        assert figures(row, "blocked") == near([value, max(0, low), high])
        claims = sum(r["route"] == name for r in told.routes)
        assert row["per_claim"] == pytest.approx(counts[name] / claims)
        most = max(n for (route, _), n in pairs.items() if route == name)
        assert pairs[name, row["worst_ticket"]] == row["worst_count"] == most


# -- tunnels and tolls ---------------------------------------------------------------------


def test_tunnels_stand_beside_their_odds(result: SimulationResult, told: Told) -> None:
    found, by_odds, odds = S.tunnel_results(result), S.tunnel_calibration(result, bins=4), result.tunnels["odds"]

    tunnels = [
        tunnel | {"odds": chance, "bin": min(3, int(4 * chance)) / 4}
        for tunnel, chance in zip(told.tunnels, map(float, odds), strict=True)
    ]
    for policy, row in rows_of(found):
        mine = [t for t in tunnels if t["policy"] == policy]
        assert figures(row, "success_rate", "success") == near(rate(mine, "taken"))
    for (policy, lower), row in rows_of(by_odds):
        mine = [t for t in tunnels if (t["policy"], t["bin"]) == (policy, lower)]
        assert row["attempts"] == len(mine)
        assert row["odds"] == pytest.approx(average(mine, "odds"))
        assert row["success_rate"] == pytest.approx(average(mine, "taken"))
    assert by_odds["attempts"].sum() == found["attempts"].sum() == len(odds)


def test_loans_go_with_what_was_paid(result: SimulationResult, told: Told) -> None:
    found = S.loan_results(result)

    for (policy, loans), row in rows_of(found):
        mine = [seat for seat in told.seats if (seat["policy"], seat["loans"]) == (policy, loans)]
        assert row["seats"] == len(mine)
        for column in ("tolls", "tokens_left", "loan_points"):
            assert row[column] == pytest.approx(average(mine, column))
        assert row["bonus"] == pytest.approx(np.mean([seat["bonuses"]["tokens"] for seat in mine]))
        assert figures(row, "win_rate", "win") == near(rate(mine, "won"))
    assert found.index.get_level_values("loans").max() > 0
    assert found.groupby("policy", observed=True)["share"].sum().tolist() == near([1, 1])


# -- what cannot be asked, and what has no answer ------------------------------------------


def test_what_cannot_be_compared_is_refused(result: SimulationResult) -> None:
    two = ttr.simulate(load("usa"), [Greedy(), Random()], 2, SEED, progress=False)

    with pytest.raises(ValueError, match="must have the same number of players, got a 3, b 2"):
        S.compare_simulations({"a": result, "b": two})
    with pytest.raises(ValueError, match="no simulation"):
        S.compare_simulations({})
    with pytest.raises(ValueError, match="played on usa, not on this"):
        S.city_results(two, load("nordic"))
    with pytest.raises(ValueError, match="by must be 'turn' or 'trains_left', got 'day'"):
        S.late_tickets(result, "day")  # type: ignore[arg-type]
    for function, option in ((S.late_tickets, "width"), (S.tunnel_calibration, "bins")):
        with pytest.raises(ValueError, match=f"{option} must be at least 1, got 0"):
            function(result, **{option: 0})  # type: ignore[arg-type]


def test_no_games_make_empty_answers() -> None:
    game_map = load("switzerland")
    none = no_games(game_map, [Greedy(), Random()])
    whole = (S.win_rates, S.seat_advantage, S.win_differences, S.point_sources, S.bonus_effects, S.opening_tickets)
    parts = (S.ticket_results, S.late_tickets, S.ticket_fates, S.blocking_routes, S.route_results, S.tunnel_results)
    for function in (*whole, *parts, S.tunnel_calibration, S.loan_results):
        assert len(function(none)) == 0
    for question in (S.route_lengths, S.longest_routes, S.destination_results):
        assert len(question(none, game_map)) == 0


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_an_answer_has_the_columns_of_its_list(name: str, result: SimulationResult) -> None:
    question = getattr(S, name)
    takes_map = "game_map" in inspect.signature(question).parameters
    answer = question(result, game_map=load("invented")) if takes_map else question(result)
    described = result.describe(name)

    assert answer.columns.tolist() == described.index.tolist()
    for column, dtype in described["dtype"].items():
        if dtype in ("int64", "float64"):
            assert answer[column].dtype == dtype
        assert f"- `{column}`: " in question.__doc__


def test_what_is_no_table_has_no_columns() -> None:
    with pytest.raises(UnknownNameError, match="no table or question 'win_rate'; did you mean win_rates"):
        SimulationResult.describe("win_rate")
