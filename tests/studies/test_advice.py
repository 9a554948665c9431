"""Advice and its reasons: legal, the same for a seed, in time, and true of the position."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import Any

import pytest

import ttr_analysis as ttr
from tests.oracles.networks import trains_for
from tests.studies.test_reviews import played
from ttr_analysis import Game, GameError, GameMap
from ttr_analysis._compile import Ints
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.policies.playout import Results
from ttr_analysis.policies.search.searcher import Candidate, Comparison, Search, halve
from ttr_analysis.studies import advise, review
from ttr_analysis.studies.advice import ADVICE_COLUMNS, Reasons, in_points

pytestmark = pytest.mark.compiled_only

RED = Payment("red", 1, 0)


# -- advice --------------------------------------------------------------------------------------------------------


def test_advice_is_legal_on_every_map_and_says_what_it_has_tried(any_map: GameMap) -> None:
    n_players = min(3, any_map.rules.players[1])
    record = played(any_map, n_players)
    game = Game(any_map, n_players)
    for step in (0, len(record.steps) // 2, len(record.steps) - 3):
        state = record.state_at(step)

        advice = advise(record, step=step, rollouts=24)

        assert all(game.is_legal(state, action) for action in advice.actions)
        table = advice.table
        assert list(table) == list(ADVICE_COLUMNS)
        assert advice.best == advice.actions[0]
        assert (table["rollouts"] >= 1).all()
        assert table["win"].between(table["win_low"], table["win_high"]).all()
        assert table["loss"].between(table["loss_low"], table["loss_high"]).all()
        assert table.iloc[0][["loss", "loss_low", "loss_high"]].tolist() == [0, 0, 0]
        assert set(map(type, table["reason"])) == {str}


def test_the_best_of_two_that_are_too_close_to_call_is_told_as_such(nordic: GameMap) -> None:
    state = Game(nordic, 3).position(
        owners={"Bergen-Oslo/0": 0, "Murmansk-Lieksa": 1},
        hands=[{"red": 3, "blue": 2, "locomotive": 1}, 6, 9],
        tickets=[["Oslo-Vaasa", "Stockholm-Bergen"], 3, 2],
        market=["red", "blue", "green", "purple", "white"],
        to_move=0,
    )
    said = set()
    for rollouts in (60, 240):
        table = advise(state, rollouts=rollouts).table
        first, second = table.iloc[0], table.iloc[1]
        is_close = second["loss_low"] <= 0 <= second["loss_high"]
        assert (f"too close to call: {second['move']}" in first["reason"]) == is_close
        assert not table["reason"].iloc[1:].str.contains("too close").any()
        said.add(is_close)
    assert True in said


def test_a_seed_decides_however_many_cores_and_whatever_is_hidden(nordic: GameMap) -> None:
    record = played(nordic, 3)
    state = record.state_at(60)
    view = Game(nordic, 3).view(state, state.acting)

    found = [
        advise(record, step=60, rollouts=30, threads=1),
        advise(record, step=60, rollouts=30, threads=2),
        advise(state, rollouts=30),
        advise(view, rollouts=30),
        advise(record.watched_from(state.acting), step=60, rollouts=30),
    ]

    assert all(one.table.equals(found[0].table) for one in found)
    assert not advise(view, rollouts=30, seed=8).table.equals(found[0].table)


def test_time_is_kept(nordic: GameMap) -> None:
    record = played(nordic)
    state = record.state_at(60)

    advice = advise(state, seconds=0.05)

    assert advice.n_rollouts >= len(advice.table)
    assert Game(nordic).is_legal(state, advice.best)


def test_compiling_takes_from_the_time_but_leaves_a_part(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    results, left = Search.results, []

    def compiling(search: Search, actions: Ints, n_worlds: int) -> Results:
        time.sleep(0.3)
        return results(search, actions, n_worlds)

    def trying(search: Search, tried: Sequence[Candidate], rollouts: int, seconds: float) -> Comparison:
        left.append(seconds)
        monkeypatch.setattr(Search, "results", results)
        return halve(search, tried, rollouts, seconds)

    monkeypatch.setattr(Search, "results", compiling)
    monkeypatch.setattr("ttr_analysis.studies.advice.halve", trying)

    assert advise(Game(nordic).new(seed=7), seconds=0.2).n_rollouts
    assert left == [pytest.approx(0.06)]


def test_nothing_to_choose_is_told_as_such(nordic: GameMap) -> None:
    game = Game(nordic)
    states = (state for seed in range(9) for state in game.play(["Random", "Random"], seed=seed).states())
    forced = next(state for state in states if not state.is_over and len(game.legal_actions(state)) == 1)

    advice = advise(forced, rollouts=10)

    assert len(advice.table) == 1
    assert advice.table["rollouts"].tolist() == [10]


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        pytest.param({"rollouts": 5, "seconds": 1}, "got both", id="both"),
        pytest.param({"rollouts": 0}, "1 or more, got 0", id="no rollouts"),
        pytest.param({"seconds": -1.0}, "above 0, got -1", id="no time"),
        pytest.param({"seconds": float("inf")}, "above 0, got inf", id="no end"),
    ],
)
def test_wrong_budgets_are_refused(nordic: GameMap, budget: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        advise(played(nordic), step=30, **budget)
    with pytest.raises(ValueError, match=message):
        review(played(nordic), progress=False, **budget)


def test_there_is_no_advice_where_nothing_is_to_be_decided(nordic: GameMap) -> None:
    record = played(nordic)
    with pytest.raises(GameError, match="the game is over"):
        advise(record)
    with pytest.raises(GameError, match="acts: pass its view"):
        advise(record, 1 - record.state_at(30).acting, step=30)


# -- reasons -------------------------------------------------------------------------------------------------------


def test_a_ticket_that_is_completed_is_named(nordic: GameMap) -> None:
    record = played(nordic)
    named = 0
    for step in range(1, len(record.steps)):
        move, before = record.steps[step][0], record.state_at(step - 1)
        if not isinstance(getattr(move, "action", None), ttr.actions.ClaimRoute) or record.state_at(step).pending:
            continue
        seat, after = before.acting, record.state_at(step)
        said = Reasons(Game(nordic).view(before, seat)).of(move.action)  # type: ignore[union-attr]
        done = _n_done(nordic, after, seat) - _n_done(nordic, before, seat)
        assert said.count("completes") == done
        named += done
    assert named >= 3


def _n_done(game_map: GameMap, state: ttr.GameState, seat: int) -> int:
    """Return how many tickets a seat has completed."""
    others = [route for route in game_map.routes if route not in state.routes_of(seat)]
    return sum(trains_for(game_map, [ticket], others) < inf for ticket in state.tickets[seat] if ticket)


def test_what_tickets_take_leaves_out_those_that_are_lost(usa: GameMap) -> None:
    drawing = ttr.actions.DrawTickets()
    cut_off = [route.id for route in usa.routes if "Boston" in route.cities and route.track == 0]
    tickets = [["Boston-Miami", "Kansas City-Houston"], 2]

    said = reasons(usa, tickets=tickets).of(drawing)
    assert said.endswith("trains are left, and the tickets take 17 of them")
    said = reasons(usa, tickets=tickets, owners=dict.fromkeys(cut_off, 1)).of(drawing)
    assert said == "45 trains are left, and the tickets take 5 of them, with 1 ticket left out"
    said = reasons(usa, tickets=[["Boston-Miami"], 2], owners=dict.fromkeys(cut_off, 1)).of(drawing)
    assert said == "45 trains are left, and no ticket can still be completed"


def test_a_ticket_too_long_for_the_trains_does_not_hide_a_short_one(usa: GameMap) -> None:
    far = [("Miami", "New Orleans"), ("Charleston", "Miami"), ("Seattle", "Helena"), ("Calgary", "Winnipeg")]
    far += [("Calgary", "Vancouver"), ("Calgary", "Seattle")]
    owners = {usa.route(*ends).id: 0 for ends in far}
    tickets = [["Los Angeles-New York", "Denver-El Paso"], 2]

    said = reasons(usa, tickets=tickets, owners=owners).of(ttr.actions.DrawTickets())
    assert said.endswith("the tickets take 4 of them, with 1 ticket left out")


def test_a_hand_that_pays_for_all_is_no_reason_for_more_cards(usa: GameMap) -> None:
    hand = {"red": 4, "locomotive": 2}
    said = reasons(usa, tickets=[["Denver-El Paso"], 2], hands=[hand, 4]).of(ttr.actions.DrawCard())
    assert said == "the hand already pays for any of the routes needed"


def test_without_a_plan_cards_are_for_long_routes(usa: GameMap) -> None:
    said = reasons(usa, hands=[{"red": 4}, 4]).of(ttr.actions.DrawCard())
    assert "% of the unseen cards are for long routes; " in said


def test_a_station_is_for_the_tickets_that_its_lent_route_brings_nearer(europe: GameMap) -> None:
    owners = {"Roma-Venezia/0": 0, "Venezia-Zürich/0": 1, "Brindisi-Roma/0": 1}
    known = reasons(europe, owners=owners, tickets=[["Zürich – Brindisi", "Edinburgh-Paris"], 2])

    for city in ("Zürich", "Venezia", "Roma", "Brindisi"):
        station = ttr.actions.BuildStation(europe.city(city), RED)
        assert known.of(station) == "borrows another player's route for Zürich – Brindisi"
    assert known.of(ttr.actions.BuildStation(europe.city("Kyiv"), RED)) == "borrows another player's route"


def test_a_station_lends_one_route_for_all_tickets(europe: GameMap) -> None:
    owners = {"Brest-Paris/0": 1, "Bruxelles-Paris/0": 1}
    known = reasons(europe, owners=owners, tickets=[["Brest-Marseille", "Barcelona – Bruxelles"], 2])

    said = known.of(ttr.actions.BuildStation(europe.city("Paris"), RED))
    assert (
        said == "borrows another player's route for Barcelona – Bruxelles"
    )  # each route saves one; this one pays more


def test_a_route_may_make_the_longest_path(usa: GameMap) -> None:
    houston = ttr.actions.ClaimRoute(usa.route("El Paso", "Houston"), RED)
    owners = {"Los Angeles-El Paso/0": 0, "Helena-Seattle/0": 1}

    assert reasons(usa, owners=owners).of(houston) == "makes the longest path (12 trains); 15 points"
    assert reasons(usa, owners={**owners, "Calgary-Seattle/0": 1}).of(houston).startswith("makes the longest path")
    assert reasons(usa, owners={"Los Angeles-El Paso/0": 0}).of(houston) == "15 points"
    assert reasons(usa).of(houston) == "15 points"
    assert reasons(usa, owners={**owners, "Helena-Duluth/0": 1}).of(houston) == "15 points"


def test_a_route_may_keep_the_routes_of_others_apart(usa: GameMap) -> None:
    omaha = ttr.actions.ClaimRoute(usa.route("Helena", "Omaha"), RED)
    apart = {"Helena-Seattle/0": 1, "Duluth-Omaha/0": 1}
    joined = {**apart, "Helena-Duluth/0": 1}

    assert reasons(usa, owners=apart).of(omaha) == "keeps P1's routes at Helena and Omaha apart; 10 points"
    assert reasons(usa, owners=joined).of(omaha) == "10 points"
    far = ("Miami-New Orleans", "El Paso-Houston", "Portland-Salt Lake City", "Calgary-Winnipeg", "Nashville-Raleigh")
    spent = {**apart, **dict.fromkeys([f"{name}/0" for name in (*far, "Sault Ste. Marie-Winnipeg")], 1)}
    assert reasons(usa, owners=spent).of(omaha) == "10 points"  # with four trains left
    sioux = {"Chicago-Saint Louis/0": 1, "Kansas City-Oklahoma City/0": 1}
    missouri = ttr.actions.ClaimRoute(usa.route("Kansas City", "Saint Louis", track=0), RED)
    for n_players, said in ((2, "keeps P1's routes at Kansas City and Saint Louis apart; 2 points"), (4, "2 points")):
        more = {"hands": [{}, *[4] * (n_players - 1)], "tickets": [[], *[2] * (n_players - 1)]}
        assert reasons(usa, n_players, owners=sioux, **more).of(missouri) == said  # four may use both tracks


def reasons(game_map: GameMap, n_players: int = 2, **position: Any) -> Reasons:  # noqa: ANN401 - as of Game.position
    """Return the reasons of the first seat in a position."""
    game = Game(game_map, n_players)
    state = game.position(**{"hands": [{}, 4], "tickets": [[], 2], "to_move": 0, **position})
    return Reasons(game.view(state, 0))


def test_the_cost_of_losing_a_route_to_the_tickets_is_told(usa: GameMap) -> None:
    """Another way to El Paso takes more trains; if it is closed, or the trains are too few, the ticket fails."""
    claim = ttr.actions.ClaimRoute(usa.route("El Paso", "Santa Fe"), RED)
    rest = {route.id: 1 for route in usa.routes if "El Paso" in route.cities and route != claim.route}
    phoenix = {route: owner for route, owner in rest.items() if "Phoenix" not in route}
    long = ["Calgary-Winnipeg/0", "Sault Ste. Marie-Winnipeg/0", "Miami-New Orleans/0", "Calgary-Seattle/0"]
    short = ["Los Angeles-San Francisco/0", "Charleston-Miami/0", "Boston-Montréal/0", "Sault Ste. Marie-Toronto/0"]
    few_trains = phoenix | dict.fromkeys([*long, *short], 0)

    def said(owners: dict[str, int]) -> str:
        return reasons(usa, owners=owners, tickets=[["Duluth-El Paso"], 2]).of(claim)

    on_the_way = "on the shortest path of Duluth – El Paso; without it"
    assert said(phoenix).startswith(f"{on_the_way} the tickets take 4 more trains")
    assert said(rest).startswith(f"{on_the_way} Duluth – El Paso cannot be completed")
    assert said(few_trains).startswith(f"{on_the_way} Duluth – El Paso cannot be completed")


def test_who_gains_and_loses_points_is_told() -> None:
    gains = in_points(1, [-3.2, 9, -1.0], [1.0, 1, 0.1])
    assert gains == "on average, P1 ends with 9 points more and P0 with 3 points fewer"
    assert in_points(0, [1, -5, -2], [1, 4, 0.1]) == "on average, P2 ends with 2 points fewer"
    assert in_points(0, [-7, 5], [1, 1]).startswith("on average, P0 ends with 7 points fewer, but P0")
    assert in_points(0, [-7, 5], [1, 1], wins_more=False) == "on average, P0 ends with 7 points fewer"
    assert in_points(0, [1, 5], [1, 1]) == ""
