"""What a stepper shows at each step is what the states of the record say."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ttr_analysis as ttr
from tests.engine.goldens import golden_paths, golden_record
from tests.engine.positions import Position
from tests.engine.walks import state_of
from tests.widgets.moments import replay_moments
from ttr_analysis import GameRecord, GameState
from ttr_analysis.analysis.paths import NoPathError
from ttr_analysis.analysis.tunnels import best_payment
from ttr_analysis.engine.events import Chance
from ttr_analysis.widgets.snapshot import UNKNOWN, Moments, Options, Status
from ttr_analysis.widgets.stepper import game_data

GOLDENS = [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in golden_paths()]
QUARTER = GOLDENS[::4]
SOME = GOLDENS[::6]


@cache
def golden_data(path: Path) -> dict[str, Any]:
    """Return what a stepper shows of a golden record."""
    return game_data(golden_record(path))


def expected(state: GameState) -> dict[str, Any]:
    """Return what a moment has to say of a state, but for what is said of seats."""
    return {
        "owners": state.owners,
        "stations": state.stations,
        "left": None if state.is_over else state.turns_left,
        "market": list(state.market),
        "pile": state.n_pile,
        "discards": list(state.discards),
        "ticketPile": state.n_ticket_pile,
        "ticketDiscards": state.n_ticket_discards,
    }


def expected_seat(state: GameState, seat: int) -> dict[str, Any]:
    """Return what it has to say of a seat, but for how tickets and points stand."""
    numbers = {ticket.id: i for i, ticket in enumerate(state.game_map.tickets)}
    hand = state.hands[seat]
    return {
        "hand": [*hand, state.n_hands[seat] - hand.n_cards],
        "trains": state.trains[seat],
        "score": state.scores[seat],
        "tokens": state.tokens[seat],
        "loans": state.loans[seat],
        "stations": state.n_stations[seat],
        "offer": [UNKNOWN if ticket is None else numbers[ticket.id] for ticket in state.offers[seat]],
    }


def part_of(wanted: dict[str, Any], shown: object) -> dict[str, Any]:
    """Return what is shown of what is wanted."""
    assert isinstance(shown, dict)
    return {key: shown[key] for key in wanted}


def check(record: GameRecord, data: dict[str, Any]) -> None:
    """Check every moment of a record."""
    states, moments = record.states(), list(replay_moments(data))
    assert len(moments) == len(data["moves"]) == len(states)
    for moment, state in zip(moments, states, strict=True):
        wanted = expected(state)
        assert part_of(wanted, moment) == wanted
        for seat, (shown, held) in enumerate(zip(moment["seats"], state.tickets, strict=True)):
            wanted = expected_seat(state, seat)
            assert part_of(wanted, shown) == wanted
            tickets = [ticket for ticket, _, _ in shown["tickets"]]
            assert [None if t == UNKNOWN else record.map.tickets[t] for t in tickets] == list(held)


@pytest.mark.parametrize("path", QUARTER)
def test_moments_are_the_states(path: Path) -> None:
    check(golden_record(path), golden_data(path))


@pytest.mark.parametrize("path", SOME)
def test_moments_of_a_watched_game_are_its_states(path: Path) -> None:
    record = golden_record(path).watched_from(1, shown=False)
    data = game_data(record)

    check(record, data)
    assert [seat["hand"][-1] > 0 for seat in data["moments"][0]["seats"]][:2] == [True, False]


@pytest.mark.parametrize("path", SOME)
def test_points_add_up_and_end_with_the_score(path: Path) -> None:
    watched = golden_record(path).watched_from(0, shown=False)
    for record, data in ((golden_record(path), golden_data(path)), (watched, game_data(watched))):
        *moments, end = replay_moments(data)
        for moment in moments:
            assert moment["winners"] == []
            for seat in moment["seats"]:
                assert sum(points or 0 for _, points in seat["parts"]) == seat["points"]
        assert end["winners"] == list(record.winners)
        for score, seat in zip(record.score(), end["seats"], strict=True):
            parts = [points for _, points in seat["parts"]]
            assert seat["points"] == score.total
            assert score.total is None if None in parts else score.total == sum(filter(None, parts))


def has_stations(state: GameState, seat: int) -> bool:
    """Return whether a seat has stations, or may still build some."""
    return state.n_stations[seat] > 0 or seat in state.stations.values()


def fewest_trains(state: GameState, record: GameRecord, seat: int, number: int) -> int | None:
    """Return the trains that a ticket still takes, by way of shortest paths; None if there is no way."""
    view = ttr.Game(record.map, record.header.n_players).view(state, seat)
    ticket = record.map.tickets[number]
    trains = []
    for place, _ in ticket.destinations:
        try:
            path = ttr.paths.shortest_path(record.map, ticket.origin, place, closed=view.closed, owned=view.my_routes)
        except NoPathError:
            continue
        trains.append(path.trains)
    return min(trains, default=None)


@pytest.mark.parametrize("path", SOME)
def test_a_ticket_is_possible_while_a_path_of_open_routes_is_short_enough(path: Path) -> None:
    record = golden_record(path)
    states, moments = record.states(), list(replay_moments(golden_data(path)))
    for step in range(0, len(states), 61):
        for seat in range(record.header.n_players):
            for ticket, status, trains in moments[step]["seats"][seat]["tickets"]:
                need = fewest_trains(states[step], record, seat, ticket)
                possible = need is not None and need <= states[step].trains[seat] and not states[step].is_over
                assert trains == need
                wanted = {"done" if need == 0 else "possible" if possible else "lost"}
                if wanted == {"lost"} and has_stations(states[step], seat):
                    wanted.add("done" if states[step].is_over else "borrowing")
                assert status in wanted


@pytest.mark.parametrize("path", SOME)
def test_what_is_done_or_lost_stays_so_and_is_so_in_the_score(path: Path) -> None:
    record = golden_record(path)
    before: dict[tuple[int, int], Status] = {}
    for moment in replay_moments(golden_data(path)):
        now = {(s, k): mark[1] for s, seat in enumerate(moment["seats"]) for k, mark in enumerate(seat["tickets"])}
        assert all(now[key] == status for key, status in before.items() if status in ("done", "lost"))
        before = now
    for score in record.score():
        for k, scored in enumerate(score.tickets):
            assert before[score.seat, k] == ("done" if scored.reached else "lost")


@cache
def borrowed() -> GameRecord:
    """Return a game in which one station completes two tickets of a seat."""
    return ttr.Game("europe", n_players=3).play([ttr.policies.Random()] * 3, seed=37)


def test_stations_are_told_and_in_the_end_what_they_lend() -> None:
    record = borrowed()
    *moments, end = replay_moments(game_data(record))
    n_built = sum(len(score.stations) for score in record.score())

    assert n_built > 3
    assert {len(seat["built"]) + seat["stations"] for moment in [*moments, end] for seat in moment["seats"]} == {3}
    assert sum(len(seat["built"]) for seat in end["seats"]) == n_built
    assert {city for seat in moments[-1]["seats"] for city in seat["built"]} == set(moments[-1]["stations"])
    assert end["seats"][1]["built"] == [
        "Danzig borrows nothing",
        "Rostov borrows Kharkov – Rostov (green, 2)",
        "Sochi borrows nothing",
    ]
    unsure = game_data(record.watched_from(0, shown=False))
    assert list(replay_moments(unsure))[-1]["seats"][1]["built"] == ["Danzig", "Rostov", "Sochi"]
    spared = ttr.Game("europe").play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    n_left = spared.states()[-1].n_stations[0]
    assert ("stations", 4 * n_left) in list(replay_moments(game_data(spared)))[-1]["seats"][0]["parts"]


def test_a_ticket_that_stations_complete_was_never_lost() -> None:
    record = borrowed()
    moments = list(replay_moments(game_data(record)))
    n_borrowed = 0
    for score in record.score():
        for k, scored in enumerate(score.tickets):
            held = [moment["seats"][score.seat]["tickets"] for moment in moments]
            fates = [tickets[k][1] for tickets in held if len(tickets) > k]
            assert fates[-1] == ("done" if scored.reached else "lost")
            if scored.reached:
                assert "lost" not in fates
            n_borrowed += fates[-2:] == ["borrowing", "done"]
    assert n_borrowed == 2


def test_a_closed_twin_is_no_way(nordic: ttr.GameMap) -> None:
    """With two players, the claim of one track of a double route closes the other to the opponent."""
    game = ttr.Game(nordic)
    record = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7)
    doubles = [route for route in nordic.routes if nordic.twin(route)]
    states = record.states()
    taken = [r for r in doubles if states[-1].owners.get(r.id) == 0]
    assert taken
    assert all(nordic.twin(r) in game.view(states[-1], 1).closed for r in taken)


def test_only_what_changes_is_sent(nordic: ttr.GameMap) -> None:
    record = ttr.Game(nordic, n_players=3).play([ttr.policies.Planner()] * 3, seed=7)
    data = game_data(record)
    whole = list(replay_moments(data))

    for before, after, sent in zip(whole, whole[1:], data["moments"][1:], strict=False):
        seats = {key: value for key, value in sent.get("seats", {}).items() if value}
        assert sent.get("seats", {}) == seats
        assert sent.keys() == {key for key, value in after.items() if value != dict(before)[key]}
        assert not sent.get("owners", {}).keys() & before["owners"].keys()
        for seat, (old, new) in enumerate(zip(before["seats"], after["seats"], strict=True)):
            assert seats.get(str(seat), {}).keys() == {key for key, value in new.items() if value != dict(old)[key]}


@pytest.mark.parametrize("path", QUARTER)
def test_the_data_is_small(path: Path) -> None:
    """Of a record of 300 events; the longest golden ones have three times as many."""
    size = len(json.dumps(golden_data(path), ensure_ascii=False, separators=(",", ":")).encode())
    assert size < 320_000


def test_points_follow_the_routes_after_moves_were_taken_back() -> None:
    game, long = state_of(Position("usa").own(0, "Duluth-Helena/0"))
    _, short = state_of(Position("usa").own(0, "Helena-Winnipeg/0"))
    moments = Moments(game)

    assert [moments.whole(state)["seats"][0]["points"] for state in (long, short)] == [15, 7]


def test_the_chance_of_a_tunnel_is_that_of_the_cards_named() -> None:
    """More red cards than purple ones are face up, so that red is less likely to be turned over."""
    game, state = state_of(Position("switzerland").hand(0, purple=4, red=4).market("red", "red", "blue", "red", "blue"))
    best = best_payment(game.game_map.route("Bellinzona", "Wassen", track=0), state.hands[0], pool=state.pile)

    assert best is not None
    told = f"You can pay with 4 cards: 4 red. Chance of success: {100 * best.probability:.0f}%."
    assert Options(game, state, 0).about("Bellinzona-Wassen/0").endswith(told)


def test_cards_that_moved_are_told(nordic: ttr.GameMap) -> None:
    record = ttr.Game(nordic).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    moves = game_data(record)["moves"]

    for (seat, text, cards, _), state, events in zip(moves, record.states(), record.steps, strict=True):
        drawn = [event.card for event in events if isinstance(event, Chance) and event.kind == "card_drawn"]
        if drawn:
            (card,) = drawn
            assert card is not None
            assert text.startswith("draws a")
            assert cards[0] == ["drawn", [card]]
            assert card in state.hands[seat]


def test_a_record_that_has_not_begun_is_refused(nordic: ttr.GameMap) -> None:
    game = ttr.Game(nordic)
    _, dealt = game.deal(seed=7)
    record = GameRecord.from_play(game, [], 7, dealt[:5])

    with pytest.raises(ttr.GameError, match="ends before the game begins"):
        game_data(record)


def test_a_game_that_breaks_off_has_no_result_yet(nordic: ttr.GameMap) -> None:
    game = ttr.Game(nordic)
    _, dealt = game.deal(seed=7)
    data = game_data(GameRecord.from_play(game, [], 7, dealt))

    (moment,) = replay_moments(data)
    assert moment["winners"] == []
    assert (moment["acting"], moment["turn"]) == (0, "chooses its opening tickets")
    assert moment["seats"][0]["points"] == 0
