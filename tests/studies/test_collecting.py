"""What studies keep of a game agrees with its record."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import comb

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import variants_of
from tests.fixtures import EVERY_MAP, load
from tests.players import PLAYERS, SEED, simulate
from tests.studies.telling import fewest_trains, told_losses, told_routes, told_tickets, told_tunnels
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.cards import CARD_KINDS, COLORS, LOCOMOTIVE
from ttr_analysis.engine.actions import ClaimRoute
from ttr_analysis.engine.events import Chance, Move
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies import Planner, Random
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.columns import BONUS_COLUMNS

IS_COMPILED = not is_plain()


@pytest.fixture(scope="module")
def nordic_result() -> SimulationResult:
    return simulate(load("nordic"), 20)


def maps_and_variants() -> Iterator[tuple[str, GameMap, int]]:
    """Yield every map and variant, with the fewest or the most players in turn."""
    turn = 0
    for name in EVERY_MAP:
        for variant in variants_of(name):
            played = load(name).with_variant(variant)
            yield f"{name} {variant or ''}".strip(), played, played.rules.players[turn % 2]
            turn += 1


CASES = [pytest.param(game_map, n, id=f"{name}, {n} players") for name, game_map, n in maps_and_variants()]


@pytest.mark.parametrize(("game_map", "n_players"), CASES)
def test_tables_equal_what_the_records_tell(game_map: GameMap, n_players: int) -> None:
    result = simulate(game_map, 2, n_players=n_players)
    for g in range(2):
        seating = [PLAYERS[(seat + g) % n_players] for seat in range(n_players)]
        record = ttr.Game(game_map, n_players).play(seating, SEED, 0)
        seats, routes, tickets = (t[t["game"] == g] for t in (result.seats, result.routes, result.tickets))

        assert tuple(seats["points"]) == record.scores
        assert tuple(seats.loc[seats["won"] > 0, "seat"]) == record.winners
        assert seats["won"].sum() == pytest.approx(1)
        assert list(seats["policy"]) == list(record.header.policies)
        assert tuple(seats["trains_left"]) == record.states()[-1].trains
        assert tuple(seats["cards_left"]) == record.states()[-1].n_hands
        for seat, score in enumerate(record.score()):
            row = seats.iloc[seat]
            parts = ["start", "route_points", "ticket_gain", "ticket_loss", "loan_points", "station_points"]
            assert row[[*parts, *BONUS_COLUMNS.values()]].sum() == score.total
            assert (row["station_points"], row["stations"]) == (score.station_points, len(score.stations))
            assert row["trail"] == score.trail
            assert row["tickets"] == len(score.tickets)
            mine = tickets[(tickets["seat"] == seat) & tickets["kept"]]
            assert sorted(mine["points"]) == sorted(scored.points or 0 for scored in score.tickets)
            assert row["loans"] == score.n_loans == routes.loc[routes["seat"] == seat, "loans"].sum()
            assert row["tokens_left"] == score.tokens

        told = pd.DataFrame(told_routes(record))
        found = routes[list(told.columns)].astype({"route": object})
        assert found.to_numpy().tolist() == told.to_numpy().tolist()
        expected = list(told_tickets(record))
        columns = [
            "seat",
            "ticket",
            "offered",
            "kept",
            "completed_turn",
            "destination",
            "points",
            "trains_left",
            "trains",
        ]
        assert [
            tuple(None if value is pd.NA else value for value in row)
            for row in tickets[columns].astype(object).itertuples(index=False)
        ] == [tuple(row[column] for column in columns) for row in expected]
        if g:
            continue  # what follows takes long; one game is enough
        open_still = tickets[tickets["kept"] & tickets["completed_turn"].isna()]
        by_id = {ticket.id: ticket for ticket in game_map.tickets}
        lost = told_losses(
            record, [(int(s), by_id[str(t)]) for s, t in zip(open_still["seat"], open_still["ticket"], strict=True)]
        )
        assert [None if pd.isna(route) else route for route in open_still["lost_to"]] == lost
        assert tickets["lost_to"].count() == open_still["lost_to"].count()


def test_what_only_stations_complete_is_complete_after_the_last_turn(europe: GameMap) -> None:
    result = ttr.simulate(europe, [Random(), Random(), Random()], 400 if IS_COMPILED else 20, SEED, progress=False)

    done = result.tickets[result.tickets["completed_turn"].notna()].merge(
        result.seats[["game", "seat", "turns", "stations"]], on=["game", "seat"]
    )
    by_station = done[done["trains"].isna()]
    assert (by_station["completed_turn"] == by_station["turns"]).all()
    assert (by_station["stations"] > 0).all()
    assert by_station["destination"].notna().all()
    assert (by_station["points"] > 0).all()
    assert 0 < len(by_station) < len(done) or not IS_COMPILED
    assert (
        result.tickets.groupby(["game", "seat"])["points"].sum().tolist()
        == (result.seats["ticket_gain"] + result.seats["ticket_loss"]).tolist()
    )


def test_ways_lead_to_the_destination_that_counted() -> None:
    swiss = load("switzerland")
    lengths = {route.id: (*route.cities, route.length) for route in swiss.routes}
    result = ttr.simulate(swiss, [Planner(), Planner()], 40 if IS_COMPILED else 1, SEED, progress=False)
    networks: dict[tuple[int, int], nx.Graph[str]] = defaultdict(nx.Graph)
    for row in result.routes.to_dict("records"):
        one, other, length = lengths[row["route"]]
        networks[row["game"], row["seat"]].add_edge(one, other, length=length)

    n_longer = 0
    for row in result.tickets[result.tickets["completed_turn"].notna()].to_dict("records"):
        ticket, network = swiss.ticket(row["ticket"]), networks[row["game"], row["seat"]]
        goals = sorted(ticket.destinations, key=lambda pair: pair[1], reverse=True)
        ways = [fewest_trains(network, ticket, place.cities) for place, _ in goals]
        assert row["trains"] == ways[row["destination"]]
        assert row["points"] == goals[row["destination"]][1]
        n_longer += row["trains"] > min(way for way in ways if way is not None)
    assert n_longer > 0 or not IS_COMPILED


def test_tunnels_are_counted_as_the_records_tell(nordic_result: SimulationResult, nordic: GameMap) -> None:
    seatings = [[PLAYERS[(seat + game) % 3] for seat in range(3)] for game in range(nordic_result.n_games)]
    records = [ttr.Game(nordic, 3).play(seating, SEED, game // 3) for game, seating in enumerate(seatings)]
    told = Counter((row["route"], row["taken"]) for record in records for row in told_tunnels(record))
    assert nordic_result.tunnels.value_counts(["route", "taken"])[list(told)].to_dict() == told
    assert told.total() == len(nordic_result.tunnels)


def test_the_odds_of_tunnels_are_exact_until_cards_are_shuffled(
    nordic_result: SimulationResult, nordic: GameMap
) -> None:
    found = nordic_result.tunnels
    n_between = 0
    for game in range(2):
        record = ttr.Game(nordic, 3).play([PLAYERS[(seat + game) % 3] for seat in range(3)], SEED, 0)
        told = list(odds_until_a_shuffle(record))
        assert found.loc[found["game"] == game, "odds"].tolist()[: len(told)] == pytest.approx(told)
        n_between += sum(0 < odds < 1 for odds in told)
    assert n_between > 5


def odds_until_a_shuffle(record: ttr.GameRecord) -> Iterator[float]:
    """Yield the odds of tunnels: of three of the cards that a seat has not seen, not too many match."""
    deck = record.map.rules.deck
    for state, events in zip(record.states(), record.steps[1:], strict=False):
        if any(isinstance(event, Chance) and event.kind == "cards_shuffled" for event in events):
            return
        if not isinstance(events[0], Move) or not isinstance(events[0].action, ClaimRoute):
            continue
        seat, route, laid = events[0].seat, events[0].action.route, events[0].action.payment.cards
        if not route.tunnel:
            continue
        shown = [card for card in state.market if card is not None]
        shown += [card for card in CARD_KINDS for _ in range(state.discards[card] + state.hands[seat][card])]
        shown += [
            card for s, known in enumerate(state.known) if s != seat for card in CARD_KINDS for _ in range(known[card])
        ]
        colors = [color for color in COLORS if laid[color]]
        kinds = [*colors, LOCOMOTIVE]
        unseen = {card: deck[card] - shown.count(card) for card in CARD_KINDS}
        spare, matching = (sum(cards[kind] for kind in kinds) for cards in (state.hands[seat] - laid, unseen))
        n = sum(unseen.values())
        ways = [comb(matching, k) * comb(n - matching, 3 - k) for k in range(4)]
        yield sum(ways[: spare + 1]) / comb(n, 3)


def test_the_odds_of_tunnels_are_met(nordic_result: SimulationResult) -> None:
    tunnels = simulate(load("nordic"), 600 if IS_COMPILED else 30).tunnels
    greedy = tunnels[tunnels["player"] == 0]  # who pays whenever it can
    odds = greedy["odds"].astype(float)
    error = float(np.sqrt((odds * (1 - odds)).sum()))
    assert int(greedy["taken"].sum()) == pytest.approx(float(odds.sum()), abs=5 * error)
    assert nordic_result.tunnels["odds"].between(0, 1).all()
