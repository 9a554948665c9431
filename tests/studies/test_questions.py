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
from tests.studies.figures import bounded, difference, figures, frequency, mean, near, rate, rows_of
from tests.studies.telling import Row, ToldGame, no_games, tell
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


def play(game_map: GameMap, n_players: int, n_games: int, out: Path) -> tuple[SimulationResult, list[ToldGame]]:
    """Return games on disk, which are read part by part, and the same games as their records tell them."""
    result = ttr.simulate(game_map, PLAYERS[:n_players], n_games, SEED, chunk_size=4, out=out, progress=False)
    told = []
    for number in range(n_games):
        players = [(seat + number) % n_players for seat in range(n_players)]
        record = ttr.Game(game_map, n_players).play([PLAYERS[p] for p in players], SEED, number // n_players)
        told.append(tell(record, number // n_players, players))
    return result, told


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[SimulationResult, list[ToldGame]]:
    return play(load("invented"), N, N_GAMES, tmp_path_factory.mktemp("games") / "run")


@pytest.fixture(scope="module")
def neutral(tmp_path_factory: pytest.TempPathFactory) -> tuple[SimulationResult, list[ToldGame]]:
    return play(load("invented").with_variant("neutral"), 2, 9, tmp_path_factory.mktemp("games") / "run")


@pytest.fixture(params=["both", "neutral"], ids=["three players", "a neutral player too"])
def run(request: pytest.FixtureRequest) -> tuple[SimulationResult, list[ToldGame]]:
    found: tuple[SimulationResult, list[ToldGame]] = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def result(both: tuple[SimulationResult, list[ToldGame]]) -> SimulationResult:
    return both[0]


@pytest.fixture
def games(both: tuple[SimulationResult, list[ToldGame]]) -> list[ToldGame]:
    return both[1]


# -- who won -------------------------------------------------------------------------------


@pytest.mark.parametrize(("function", "key"), [(S.win_rates, "player"), (S.seat_advantage, "seat")])
def test_wins_and_points(
    function: Callable[[SimulationResult], pd.DataFrame], key: str, result: SimulationResult, games: list[ToldGame]
) -> None:
    for value, row in rows_of(function(result)):
        mine = [[seat for seat in game.seats if seat[key] == value] for game in games]
        by_game = dict(zip(map(id, games), mine, strict=True))
        assert row["games"] == N_GAMES
        assert figures(row, "win_rate", "win") == near(rate(games, lambda g: [(s["won"], 1) for s in by_game[id(g)]]))  # noqa: B023
        assert figures(row, "points") == near(mean(games, lambda g: [(s["points"], 1) for s in by_game[id(g)]]))  # noqa: B023
        flat = [seat for seats in mine for seat in seats]
        assert row["points_sd"] == pytest.approx(np.std([seat["points"] for seat in flat]))
        assert row["ticket_points"] == pytest.approx(np.mean([s["ticket_gain"] + s["ticket_loss"] for s in flat]))
        for column, told in {
            "route_points": "routes",
            "bonus": "bonus",
            "tickets": "tickets",
            "turns": "turns",
        }.items():
            assert row[column] == pytest.approx(np.mean([s[told] for s in flat]))
        assert row["completed"] == pytest.approx(np.mean([s["completed"] for s in flat]))


def test_players_are_compared_deal_by_deal(result: SimulationResult, games: list[ToldGame]) -> None:
    found = S.win_differences(result)

    assert list(found.index) == list(combinations(range(N), 2))
    for (a, b), row in rows_of(found):

        def ahead(game: ToldGame, what: str, a: int = a, b: int = b) -> list[tuple[float, float]]:
            by_player = {seat["player"]: seat[what] for seat in game.seats}
            return [(by_player[a] - by_player[b], 1)]

        assert figures(row, "win_difference") == near(difference(games, lambda g: ahead(g, "won")))
        assert figures(row, "points_difference") == near(mean(games, lambda g: ahead(g, "points")))
    assert list(found["rival_policy"]) == ["Random", "Greedy", "Greedy"]


def test_points_come_from_somewhere(result: SimulationResult, games: list[ToldGame]) -> None:
    for (policy, won), row in rows_of(S.point_sources(result)):

        def mine(game: ToldGame, policy: str = policy, won: bool = won) -> list[Row]:  # noqa: FBT001
            return [seat for seat in game.seats if seat["policy"] == policy and (seat["won"] > 0) == won]

        flat = [seat for game in games for seat in mine(game)]
        assert row["seats"] == len(flat)
        assert row["points"] == pytest.approx(np.mean([seat["points"] for seat in flat]))
        names = ["start", "routes", "tickets_completed", "tickets_missed", "bonus", "loans", "stations"]
        assert row[names].sum() == pytest.approx(row["points"])
        assert row["tickets_missed"] == pytest.approx(np.mean([seat["ticket_loss"] for seat in flat]))
        assert row["loans"] == pytest.approx(np.mean([seat["loan_points"] for seat in flat]))
        assert row["stations"] == pytest.approx(np.mean([seat["station_points"] for seat in flat]))

        def gained(seat: Row) -> float:
            return float(seat["points"] - seat["ticket_loss"] - seat["loan_points"])

        expected = mean(games, lambda g: [(s["ticket_gain"], gained(s)) for s in mine(g)])
        assert figures(row, "ticket_share") == near(expected)


def test_a_bonus_decides_where_no_winner_would_lead_without_it(result: SimulationResult, games: list[ToldGame]) -> None:
    found = S.bonus_effects(result)

    assert set(found.index) == {"trail", "tokens"}
    for name, measure in {"trail": "longest_trail", "tokens": "tokens"}.items():

        def decided(game: ToldGame, measure: str = measure) -> bool:
            rest = [seat["points"] - seat["bonuses"][measure] for seat in game.seats]
            return not any(seat["won"] and rest[seat["seat"]] == max(rest) for seat in game.seats)

        assert figures(found.loc[name], "decided") == near(rate(games, lambda g: [(decided(g), 1)]))
        scored = [seat["bonuses"][measure] for game in games for seat in game.seats if seat["bonuses"][measure]]
        assert found.loc[name, "points"] == pytest.approx(np.mean(scored))


# -- tickets ---------------------------------------------------------------------------------


def test_tickets_are_counted_by_offer(result: SimulationResult, games: list[ToldGame]) -> None:
    values = ttr.tickets.value_table(load("invented"), n_deals=10)
    found = S.ticket_results(result, values, load("invented"))

    offered = Counter(row["ticket"] for game in games for row in game.tickets)
    assert dict(found["offered"]) == offered
    for name, row in rows_of(found):
        kept = [
            t | {"won": g.seats[t["seat"]]["won"]}
            for g in games
            for t in g.tickets
            if t["ticket"] == name and t["kept"]
        ]
        assert row["kept"] == len(kept)
        if not kept:
            continue

        def mine(game: ToldGame, name: object = name) -> list[Row]:
            return [t for t in game.tickets if t["ticket"] == name and t["kept"]]

        done = [t for t in kept if t["completed_turn"] is not None]
        assert figures(row, "completion_rate", "completion") == near(
            rate(games, lambda g: [(t["completed_turn"] is not None, 1) for t in mine(g)])
        )
        goals = [points for _, points in load("invented").ticket(str(name)).destinations]
        assert figures(row, "net_points", "net") == near(
            bounded(games, lambda g: [(t["points"], 1) for t in mine(g)], -min(goals), max(goals))
        )
        assert row["win_association"] == pytest.approx(np.mean([t["won"] for t in kept]) - 1 / N)
        assert row["net_per_train"] == pytest.approx(row["net_points"] / values.loc[name, "trains"])
        if done:
            assert row["completed_in"] == pytest.approx(np.mean([t["completed_turn"] for t in done]))
        built = [t for t in done if t["trains"] is not None]
        if built:
            assert row["way"] == pytest.approx(np.mean([t["trains"] for t in built]))
            played = sum(max(0, t["points"]) for t in built) / sum(t["trains"] for t in built)
            assert row["played_per_train"] == pytest.approx(played)


def test_opening_tickets_are_counted_by_policy(result: SimulationResult, games: list[ToldGame]) -> None:
    found = S.opening_tickets(result)

    assert found["seats"].sum() == N * N_GAMES
    for (policy, kept), row in rows_of(found):

        def mine(game: ToldGame, policy: str = policy, kept: int = kept) -> list[Row]:
            opening = Counter(t["seat"] for t in game.tickets if t["offered"] == 0 and t["kept"])
            return [seat for seat in game.seats if seat["policy"] == policy and opening[seat["seat"]] == kept]

        assert figures(row, "win_rate", "win") == near(rate(games, lambda g: [(s["won"], 1) for s in mine(g)]))
        assert row["points"] == pytest.approx(np.mean([s["points"] for g in games for s in mine(g)]))


@pytest.mark.parametrize("by", ["turn", "trains_left"])
def test_late_tickets_are_counted_by_draw(by: Any, result: SimulationResult, games: list[ToldGame]) -> None:  # noqa: ANN401
    found = S.late_tickets(result, by, width=4)

    draws: dict[tuple[int, int, str, int], list[tuple[int, int, int, int]]] = {}
    for number, game in enumerate(games):
        offers: dict[tuple[int, int], list[Row]] = {}
        for ticket in game.tickets:
            if ticket["offered"]:
                offers.setdefault((ticket["seat"], ticket["offered"]), []).append(ticket)
        for (seat, turn), offer in offers.items():
            when = 4 * ((turn - 1) // 4) + 1 if by == "turn" else 4 * (offer[0]["trains_left"] // 4)
            kept = [t for t in offer if t["kept"]]
            ready = sum(t["completed_turn"] == t["offered"] for t in kept)
            row = len(kept), sum(t["completed_turn"] is not None for t in kept), ready, sum(t["points"] for t in kept)
            draws.setdefault((number, seat, game.seats[seat]["policy"], when), []).append(row)
    for (policy, when), row in rows_of(found):

        def mine(game: ToldGame, policy: str = policy, when: int = when) -> list[tuple[int, int, int, int]]:
            number = games.index(game)
            return [d for key, rows in draws.items() if key[0] == number and key[2:] == (policy, when) for d in rows]

        flat = [draw for game in games for draw in mine(game)]
        assert row["draws"] == len(flat)
        assert figures(row, "ready_rate", "ready") == near(rate(games, lambda g: [d[2::-2] for d in mine(g)]))
        assert figures(row, "completion_rate", "completion") == near(rate(games, lambda g: [d[1::-1] for d in mine(g)]))
        assert row["points"] == pytest.approx(np.mean([d[3] for d in flat]))
        assert figures(row, "gain_rate", "gain") == near(rate(games, lambda g: [(d[3] > 0, 1) for d in mine(g)]))
    assert found["draws"].sum() == sum(map(len, draws.values())) > 5


def fate(ticket: Row, game: ToldGame) -> str:
    """Return what became of a ticket, from who took the route that it was lost to, and when."""
    if ticket["completed_turn"] is not None:
        return "completed"
    if ticket["lost_to"] is None:
        return "out of time"
    [claim] = [route for route in game.routes if route["route"] == ticket["lost_to"]]
    seat = 99 if claim["seat"] < 0 else claim["seat"]  # the neutral player comes after all others
    if (claim["turn"], seat) < (ticket["offered"], ticket["seat"]):
        return "hopeless"
    return "out of trains" if claim["seat"] == ticket["seat"] else "blocked"


def test_tickets_are_lost_to_something(run: tuple[SimulationResult, list[ToldGame]]) -> None:
    result, games = run
    found = S.ticket_fates(result)

    for (policy, name), row in rows_of(found):

        def mine(game: ToldGame, policy: str = policy) -> list[Row]:
            return [t for t in game.tickets if t["kept"] and game.seats[t["seat"]]["policy"] == policy]

        expected = rate(games, lambda g: [(fate(t, g) == name, 1) for t in mine(g)])  # noqa: B023
        assert row[["rate", "low", "high"]].tolist() == near(expected)
    assert found.groupby("policy", observed=True)["rate"].sum().tolist() == near([1, 1])
    assert (found["rate"] > 0).groupby("fate", observed=True).any().sum() >= 4


def test_destinations_add_up(result: SimulationResult, games: list[ToldGame]) -> None:
    invented = load("invented")
    found = S.destination_results(result, invented)

    assert set(found.index.get_level_values("ticket")) <= {t.id for t in invented.tickets if len(t.destinations) > 1}
    for (name, destination), row in rows_of(found):

        def mine(game: ToldGame, name: str = name) -> list[Row]:
            return [t for t in game.tickets if t["kept"] and t["ticket"] == name]

        expected = rate(games, lambda g: [((t["reached"] or "none") == destination, 1) for t in mine(g)])  # noqa: B023
        assert row[["rate", "low", "high"]].tolist() == near(expected)
        goals = [points for _, points in next(t for t in invented.tickets if t.id == name).destinations]
        net = bounded(games, lambda g: [(t["points"], 1) for t in mine(g)], -min(goals), max(goals))
        assert figures(row, "net_points", "net") == near(net)
        assert row["yield"] == pytest.approx(net[0] / max(goals))
    brought = (found["rate"] * found["points"]).groupby("ticket").sum()
    assert brought.to_numpy() == pytest.approx(found["net_points"].groupby("ticket").first().to_numpy())
    assert len(found) > 3


def test_a_ticket_brings_what_its_destinations_say(result: SimulationResult) -> None:
    """Where no country of the best points was reached, too, and where none was missed."""
    invented = load("invented")
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


def test_routes_are_counted_once_a_game(run: tuple[SimulationResult, list[ToldGame]]) -> None:
    result, games = run
    found = S.route_results(result)

    assert list(found.index) == [route.id for route in load("invented").routes]
    for name, row in rows_of(found):
        taken = [(g, r) for g in games for r in g.routes if r["route"] == name]
        owned = [(g, r) for g, r in taken if r["seat"] >= 0]
        expected = rate(games, lambda g: [(any(r["route"] == name for r in g.routes), 1)])  # noqa: B023
        assert figures(row, "claim_rate", "claim") == near(expected)
        if taken:
            assert row["turn"] == pytest.approx(np.mean([r["turn"] for _, r in taken]))
        if owned:
            assert row["cards"] == pytest.approx(np.mean([r["cards"] for _, r in owned]))
            wins = np.mean([g.seats[r["seat"]]["won"] for g, r in owned])
            assert row["win_association"] == pytest.approx(wins - 1 / len(games[0].seats))


def test_cities_are_counted_once_a_seat(result: SimulationResult, games: list[ToldGame]) -> None:
    invented = load("invented")
    ends = {route.id: route.cities for route in invented.routes}
    found = S.city_results(result, invented)

    assert list(found.index) == [city.name for city in invented.cities]
    for name, row in rows_of(found):

        def first(game: ToldGame, name: object = name) -> list[float]:
            turns = [
                [r["turn"] for r in game.routes if r["seat"] == seat and name in ends[r["route"]]] for seat in range(N)
            ]
            return [min(seat, default=np.inf) for seat in turns]

        expected = rate(games, lambda g: [(turn < np.inf, 1) for turn in first(g)])
        assert figures(row, "visit_rate", "visit") == near(expected)
        turns = [turn for game in games for turn in first(game) if turn < np.inf]
        assert row["turn"] == pytest.approx(np.mean(turns))
        wins = [s["won"] for g in games for s, turn in zip(g.seats, first(g), strict=True) if turn < np.inf]
        assert row["win_association"] == pytest.approx(np.mean(wins) - 1 / N)


def test_routes_are_told_apart_by_length(result: SimulationResult, games: list[ToldGame]) -> None:
    invented = load("invented")
    facts = {route.id: route for route in invented.routes}
    lengths, longest = S.route_lengths(result, invented), S.longest_routes(result, invented)

    for (policy, length), row in rows_of(lengths):

        def claims(game: ToldGame, policy: str = policy, length: int = length) -> list[list[Row]]:
            taken = [r for r in game.routes if facts[r["route"]].length == length]
            seats = [s["seat"] for s in game.seats if s["policy"] == policy]
            return [[r for r in taken if r["seat"] == seat] for seat in seats]

        assert figures(row, "claims") == near(frequency(games, lambda g: [(len(rows), 1) for rows in claims(g)]))
    assert lengths.groupby("policy", observed=True)[["point_share", "train_share"]].sum().to_numpy() == pytest.approx(1)
    most = max(route.length for route in invented.routes)
    assert {facts[name].length for name, _ in longest.index} == {most}
    for (name, policy), row in rows_of(longest):

        def seats(game: ToldGame, policy: str = policy, name: str = name) -> list[tuple[Row, list[Row], list[Row]]]:
            rows = [
                (s, [r for r in game.routes if r["seat"] == s["seat"]]) for s in game.seats if s["policy"] == policy
            ]
            split = [([r for r in mine if r["route"] == name], mine, s) for s, mine in rows]
            return [(s, it, [r for r in mine if r not in it]) for it, mine, s in split]

        assert figures(row, "claim_rate", "claim") == near(rate(games, lambda g: [(bool(x[1]), 1) for x in seats(g)]))
        takers = [seat for game in games for seat in seats(game) if seat[1]]
        if takers:
            assert row["cards"] == pytest.approx(np.mean([it[0]["cards"] for _, it, _ in takers]))
            others = [r for _, _, rest in takers for r in rest]
            points = sum(facts[r["route"]].points for r in others)
            assert row["elsewhere"] == pytest.approx(points / sum(r["cards"] for r in others))
            assert row["win_rate"] == pytest.approx(np.mean([s["won"] for s, _, _ in takers]))


def test_routes_that_block_are_those_that_tickets_are_lost_to(run: tuple[SimulationResult, list[ToldGame]]) -> None:
    result, games = run
    found = S.blocking_routes(result)

    blocked = [[(t["lost_to"], t["ticket"]) for t in g.tickets if t["kept"] and fate(t, g) == "blocked"] for g in games]
    counts = Counter(route for pairs in blocked for route, _ in pairs)
    pairs = Counter(pair for some in blocked for pair in some)
    assert set(found.index) == set(counts)
    assert counts
    for name, row in rows_of(found):
        by_game = dict(zip(map(id, games), blocked, strict=True))
        value, low, high = mean(games, lambda g: [(sum(r == name for r, _ in by_game[id(g)]), 1)])  # noqa: B023
        assert figures(row, "blocked") == near([value, max(0, low), high])
        claims = sum(r["route"] == name for g in games for r in g.routes)
        assert row["per_claim"] == pytest.approx(counts[str(name)] / claims)
        most = max(n for (route, _), n in pairs.items() if route == name)
        assert pairs[str(name), row["worst_ticket"]] == row["worst_count"] == most


# -- tunnels and tolls ---------------------------------------------------------------------


def test_tunnels_stand_beside_their_odds(result: SimulationResult, games: list[ToldGame]) -> None:
    found, by_odds, odds = S.tunnel_results(result), S.tunnel_calibration(result, bins=4), result.tunnels["odds"]

    told = [[t | {"policy": g.seats[t["seat"]]["policy"]} for t in g.tunnels] for g in games]
    for tunnel, chance in zip((t for some in told for t in some), odds, strict=True):
        tunnel |= {"odds": float(chance), "bin": min(3, int(4 * float(chance))) / 4}
    by_game = dict(zip(map(id, games), told, strict=True))
    for policy, row in rows_of(found):
        assert figures(row, "success_rate", "success") == near(
            rate(games, lambda g: [(t["taken"], 1) for t in by_game[id(g)] if t["policy"] == policy])  # noqa: B023
        )
    for (policy, lower), row in rows_of(by_odds):
        mine = [t for some in told for t in some if (t["policy"], t["bin"]) == (policy, lower)]
        assert row["attempts"] == len(mine)
        assert row["odds"] == pytest.approx(np.mean([t["odds"] for t in mine]))
        assert row["success_rate"] == pytest.approx(np.mean([t["taken"] for t in mine]))
    assert by_odds["attempts"].sum() == found["attempts"].sum() == len(odds)


def test_loans_go_with_what_was_paid(result: SimulationResult, games: list[ToldGame]) -> None:
    found = S.loan_results(result)

    for (policy, loans), row in rows_of(found):

        def mine(game: ToldGame, policy: str = policy, loans: int = loans) -> list[Row]:
            return [seat for seat in game.seats if (seat["policy"], seat["loans"]) == (policy, loans)]

        flat = [seat for game in games for seat in mine(game)]
        assert row["seats"] == len(flat)
        for column in ("tolls", "tokens_left", "loan_points"):
            assert row[column] == pytest.approx(np.mean([seat[column] for seat in flat]))
        assert row["bonus"] == pytest.approx(np.mean([seat["bonuses"]["tokens"] for seat in flat]))
        assert figures(row, "win_rate", "win") == near(rate(games, lambda g: [(s["won"], 1) for s in mine(g)]))
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
