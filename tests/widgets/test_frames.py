"""What a stepper shows at each step is what the states of the record say."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ttr_analysis as ttr
from tests.engine.goldens import golden_paths, load_events
from ttr_analysis import GameRecord, GameState
from ttr_analysis.analysis.paths import NoPathError
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.events import Chance
from ttr_analysis.widgets.snapshot import UNKNOWN, Frame, game_data, replay_frames

GOLDENS = [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in golden_paths()]
HALF = GOLDENS[::2]
SOME = GOLDENS[::6]


@cache
def golden(path: Path) -> GameRecord:
    """Return a golden record."""
    return GameRecord.load(path, load_events(path)[2])


@cache
def golden_data(path: Path) -> dict[str, Any]:
    """Return what a stepper shows of a golden record."""
    return game_data(golden(path))


def number(kind: str | None) -> int:
    """Return how a card that may be unknown is written."""
    return UNKNOWN if kind is None else CARD_KINDS.index(kind)


def expected(state: GameState) -> Frame:
    """Return what a frame has to say of a state, but for how tickets and points stand."""
    tickets = {ticket.id: i for i, ticket in enumerate(state.game_map.tickets)}
    frame: Frame = {
        "claims": len(state.owners),
        "left": None if state.is_over else state.turns_left,
        "market": [None if kind is None else number(kind) for kind in state.market],
        "pile": state.n_pile,
        "discards": list(state.discards),
        "ticketPile": state.n_ticket_pile,
        "ticketDiscards": state.n_ticket_discards,
    }
    for seat in range(state.n_players):
        hand = state.hands[seat]
        frame[f"hand:{seat}"] = [*hand, state.n_hands[seat] - hand.n_cards]
        frame[f"trains:{seat}"] = state.trains[seat]
        frame[f"score:{seat}"] = state.scores[seat]
        frame[f"tokens:{seat}"] = state.tokens[seat]
        frame[f"loans:{seat}"] = state.loans[seat]
        frame[f"offer:{seat}"] = [UNKNOWN if t is None else tickets[t.id] for t in state.offers[seat]]
    return frame


def check(record: GameRecord, data: dict[str, Any]) -> None:
    """Check every frame of a record."""
    routes = [route.id for route in record.map.routes]
    states, frames = record.states(), list(replay_frames(data))
    assert len(frames) == len(data["moves"]) == len(states)
    for frame, state in zip(frames, states, strict=True):
        wanted = expected(state)
        assert {key: frame[key] for key in wanted} == wanted
        claims = data["claims"][: frame["claims"]]
        assert {routes[route]: owner for route, owner in claims} == state.owners
        for seat, held in enumerate(state.tickets):
            shown = [ticket for ticket, _, _ in frame[f"tickets:{seat}"]]
            assert [None if t == UNKNOWN else record.map.tickets[t] for t in shown] == list(held)


@pytest.mark.parametrize("path", HALF)
def test_frames_are_the_states(path: Path) -> None:
    check(golden(path), golden_data(path))


@pytest.mark.parametrize("path", SOME)
def test_frames_of_a_watched_game_are_its_states(path: Path) -> None:
    record = golden(path).watched_from(1, shown=False)
    data = game_data(record)

    check(record, data)
    assert data["frames"][0]["hand:0"][-1] > 0
    assert data["frames"][0]["hand:1"][-1] == 0


@pytest.mark.parametrize("path", SOME)
def test_points_add_up_and_end_with_the_score(path: Path) -> None:
    watched = golden(path).watched_from(0, shown=False)
    for record, data in ((golden(path), golden_data(path)), (watched, game_data(watched))):
        frames = list(replay_frames(data))
        for frame in frames[:-1]:
            for seat in range(record.header.n_players):
                assert sum(points for _, points in frame[f"parts:{seat}"]) == frame[f"points:{seat}"]
        scores = record.score()
        for score in scores:
            parts = [points for _, points in frames[-1][f"parts:{score.seat}"]]
            assert frames[-1][f"points:{score.seat}"] == score.total
            assert score.total is None if None in parts else score.total == sum(parts)


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
    record = golden(path)
    states, frames = record.states(), list(replay_frames(golden_data(path)))
    for step in range(0, len(states), 61):
        for seat in range(record.header.n_players):
            for ticket, status, trains in frames[step][f"tickets:{seat}"]:
                need = fewest_trains(states[step], record, seat, ticket)
                possible = need is not None and need <= states[step].trains[seat] and not states[step].is_over
                assert trains == need
                assert status == ("done" if need == 0 else "possible" if possible else "lost")


@pytest.mark.parametrize("path", SOME)
def test_what_is_done_or_lost_stays_so_and_is_so_in_the_score(path: Path) -> None:
    record = golden(path)
    before: dict[tuple[int, int], str] = {}
    for frame in replay_frames(golden_data(path)):
        now = {(s, k): mark[1] for s in range(record.header.n_players) for k, mark in enumerate(frame[f"tickets:{s}"])}
        assert all(now[key] == status for key, status in before.items() if status in ("done", "lost"))
        before = now
    for score in record.score():
        for k, scored in enumerate(score.tickets):
            assert before[score.seat, k] == ("done" if scored.reached else "lost")


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
    whole = list(replay_frames(data))

    for before, after, sent in zip(whole, whole[1:], data["frames"][1:], strict=False):
        assert sent.keys() == {key for key in after if after[key] != before[key]}


@pytest.mark.parametrize("path", HALF)
def test_the_data_is_small(path: Path) -> None:
    """Of a record of 300 events; the longest golden ones have three times as many."""
    size = len(json.dumps(golden_data(path), ensure_ascii=False, separators=(",", ":")).encode())
    assert size < 300_000


def test_cards_that_moved_are_told(nordic: ttr.GameMap) -> None:
    record = ttr.Game(nordic).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    moves = game_data(record)["moves"]

    for (seat, text, cards, _), state, events in zip(moves, record.states(), record.steps, strict=True):
        drawn = [event.card for event in events if isinstance(event, Chance) and event.kind == "card_drawn"]
        if drawn:
            (card,) = drawn
            assert card is not None
            assert text.startswith("draws a")
            assert cards[0] == ["drawn", [CARD_KINDS.index(card)]]
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

    (frame,) = replay_frames(data)
    assert data["game"]["winners"] == []
    assert frame["turn"] == [0, "P0 is to choose its opening tickets"]
    assert frame["points:0"] == 0
