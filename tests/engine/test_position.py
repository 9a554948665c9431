"""Positions and corrections: states of what lies on the table, records that begin there, and all faults at once."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.records import Table, each_variant, played
from tests.fixtures import load
from tests.widgets.moments import replay_moments
from ttr_analysis import Game, GameError, GameRecord, GameState, PositionError, RecordError
from ttr_analysis._words import counted
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.events import Correction, StartPosition
from ttr_analysis.engine.layout import OVER, TURN, State, unknown_words
from ttr_analysis.engine.position import Position, corrected, position_of, state_of, words_of
from ttr_analysis.notation import NotationError, read_game, record_lines
from ttr_analysis.notation.session import Session
from ttr_analysis.records.positions import read_position
from ttr_analysis.tables import game_tables
from ttr_analysis.viz.words import tell
from ttr_analysis.widgets.stepper import game_data

USA = Game("usa")
OWNERS = {"Boston-New York/0": 0, ("Dallas", "Little Rock"): 1}


def between_turns(record: GameRecord) -> list[GameState]:
    return [state for state in record.states() if state.packed.phase in (TURN, OVER)]


@cache
def usa_game() -> GameRecord:
    return USA.play(["Greedy", "Planner"], seed=3)


def usa_record(n_entries: int = 120) -> GameRecord:
    record = usa_game()
    return GameRecord(record.header, record.entries[:n_entries], record.map)


def with_line(record: GameRecord, **data: object) -> str:
    """Return a record up to its last turn that is complete, with an event more."""
    states, steps = record.states(), record._timeline.steps
    last = max(k for k, state in enumerate(states) if state.packed.phase in (TURN, OVER))
    entries = record.entries[: steps[last].end]
    return GameRecord(record.header, entries, record.map).dumps() + json.dumps(data) + "\n"


# -- positions ----------------------------------------------------------------------


@each_variant
def test_every_state_between_two_turns_can_be_told_as_a_position(table: Table) -> None:
    record = played(table)
    tables = game_tables(record.map, table.n_players)
    for state in between_turns(record)[::37]:
        if state.ending == "passes":  # which a position cannot say
            continue
        laid, problems = state_of(position_of(state.packed, tables), record.map, table.n_players)

        assert problems == []
        again = GameState(record.map, table.n_players, laid)
        for what in ("owners", "hands", "market", "discards", "n_pile", "tickets", "n_ticket_pile", "trains", "scores"):
            assert getattr(again, what) == getattr(state, what)
        for what in ("stations", "n_stations"):
            assert getattr(again, what) == getattr(state, what)
        for what in ("tokens", "loans", "turns_left", "acting", "n_turns", "is_over", "marker", "has_neutral"):
            assert getattr(again, what) == getattr(state, what)
        game = Game(record.map, table.n_players)
        assert [score.total for score in game.score(again)] == [score.total for score in game.score(state)]
        if not state.is_over:
            legal = [set(map(str, game.legal_actions(of))) for of in (again, state)]
            assert legal[0] == legal[1]


@pytest.mark.compiled_only
@each_variant
def test_a_record_that_begins_from_a_position_is_a_record(table: Table) -> None:
    record = played(table)
    states = between_turns(record)
    game, state = Game(record.map, table.n_players), states[3 * len(states) // 4]

    on = game.play(["Greedy"] * table.n_players, seed=5, start=state)

    assert on.is_complete
    assert on.state_at(0).owners == state.owners
    again = GameRecord.loads(on.dumps(), record.map)
    assert again == on
    assert list(again.states()) == list(on.states())
    assert isinstance(on.events[0], StartPosition)
    built = f" and {counted(len(state.stations), 'station')} built" if state.stations else ""
    text = f"The game begins from a position, with {counted(len(state.owners), 'route')} taken{built}"
    assert next(tell(on)).text == text
    assert len(list(tell(on))) == len(on.steps) == len(game_data(on)["moments"])
    watched = GameRecord.loads(on.watched_from(0).dumps(), record.map)
    assert watched.scores == on.scores
    views = [game.view(of.state_at(7), 0) for of in (watched, on)]
    assert views[0].hand == views[1].hand
    assert views[0].pool == views[1].pool
    assert read_game(record_lines(on), game).entries == on.entries
    assert Session.of(on).record.entries == on.entries


def test_a_finished_game_is_scored() -> None:
    state = USA.position(owners=OWNERS, tickets=[["Boston-Miami"], 1])

    assert state.is_over
    assert (state.scores, state.trains) == ((2, 2), (43, 43))
    assert USA.score(state).winners == ()
    known = USA.position(owners=OWNERS, tickets=[[load("usa").ticket("Boston", "Miami")], [("Dallas", "New York")]])
    assert [score.total for score in USA.score(known)] == [2 - 12 + 10, 2 - 11 + 10]
    assert USA.score(known).winners == (1,)


def test_words_are_singular_where_they_count_one() -> None:
    one = (1,) + (0,) * 9
    position = Position(
        owners=((0, 1),), hands=(one, one[::-1]), pile=1, ticket_pile=1, trains=(1, 2), turns=1, turns_left=1, neutral=1
    )
    assert list(words_of(position, USA.game_map)) == [
        f"{USA.game_map.routes[0].id} belongs to P1",
        "P0 holds 1 purple",
        "P1 holds 1 unknown card",
        "P0 has 1 train",
        "P1 has 2 trains",
        "the pile has 1 card",
        "the ticket pile has 1 ticket",
        "1 turn completed",
        "1 turn left",
        "the neutral player is in the game",
    ]
    two = Position(hands=((0,) * 8 + (2, 0),), stations=((0, -1),), neutral=0)
    assert list(words_of(two, USA.game_map)) == [
        "P0 holds 2 locomotives",
        f"there is no station in {USA.game_map.cities[0].name}",
        "the neutral player is out of the game",
    ]


@pytest.mark.compiled_only
def test_what_is_not_told_is_unknown_and_can_be_guessed_and_played_on() -> None:
    state = USA.position(owners=OWNERS, hands=[["red", "red", "?"], 4], tickets=[["Boston-Miami"], 2], to_move=1)

    assert (state.acting, state.turn_seat, state.n_turns) == (1, 1, 3)
    assert state.market == ("?",) * 5
    assert (
        unknown_words(state.packed, 2)
        == "1 unknown card of P0, 4 unknown cards of P1 and 5 unknown cards in the market"
    )
    view = USA.view(state, 1)
    worlds = view.worlds(4, np.random.default_rng(1))
    assert all(USA.view(world, 1).n_hands == (3, 4) for world in worlds)
    assert len(ttr.play_out(worlds, ["Greedy", "Greedy"], seed=1)) == 8
    chances = ttr.studies.win_probability(state, n_rollouts=10)
    assert chances["win"].sum() == pytest.approx(1, abs=0.2)
    with pytest.raises(GameError, match="cannot play on from a position with"):
        USA.play(["Greedy", "Greedy"], start=state)
    assert USA.play(["Greedy", "Greedy"], start=worlds[0]).is_complete
    record = GameRecord.from_position(state, players=["Ann", "Bo"], title="From here")
    assert GameRecord.loads(record.dumps()) == record
    assert record.state_at(0) == state
    session = Session.of(record)
    session.write("Bo: draw ?, red")
    assert session.record.state_at(-1).n_hands == (3, 6)
    assert ttr.studies.win_curve(session.record, 1, n_rollouts=4, progress=False)["step"].max() == 2


@pytest.mark.parametrize("name", ["europe", "invented"])
def test_a_state_with_stations_is_the_same_when_it_is_told_and_read_again(name: str) -> None:
    """Random builds stations in most games: the last position has them."""
    game = Game(load(name))
    states = [state for state in between_turns(game.play(["Random"] * 2, seed=2)) if state.stations]
    assert states

    for state in states[:: len(states) // 4]:
        record = GameRecord.from_position(state)
        again = GameRecord.loads(record.dumps(), record.map)
        assert again == record
        assert again.state_at(0) == record.state_at(0)
        assert (again.state_at(0).stations, again.state_at(0).n_stations) == (state.stations, state.n_stations)
        assert GameRecord.from_position(again.state_at(0)) == record
        told: Any = json.loads(record.dumps().splitlines()[1])
        del told["event"]
        assert game.position(**told) == record.state_at(0)
        if state.is_over:
            assert game.score(again.state_at(0)) == game.score(state)


def test_stations_of_a_position_count_for_turns_costs_and_points() -> None:
    europe = load("europe")
    game = Game(europe)
    stations: dict[Any, int] = {europe.city("Wien"): 0, "roma": 0, "Paris": 1}
    state = game.position(stations=stations, hands=[{"red": 3}, 4], tickets=[1, 2], to_move=0)

    assert state.stations == {"Paris": 1, "Roma": 0, "Wien": 0}
    assert (state.n_stations, state.n_turns) == ((1, 2), 4)
    assert str(game.preview_station(state, "Riga")) == "P0 may build a station in Riga with 3 red"
    done = game.position(stations=stations, tickets=[[], []])
    assert [score.station_points for score in game.score(done)] == [4, 8]
    text = '{"map": "europe", "players": ["Ann", "Bo"], "tickets": [0, 0], "stations": {"Wien": "Bo"}}'
    assert read_position(text, "table")[0].stations == {"Wien": 1}


def table(**told: object) -> str:
    """Return a position of three players as it is written down."""
    return json.dumps({"map": "usa", "players": ["Anna", "Ben", "Carla"], "tickets": [0, 0, 0]} | told)


@pytest.mark.parametrize(
    ("told", "faults"),
    [
        pytest.param(
            {"tickets": {"Anna": [], "Ben": [], "Karla": []}},
            ["table, tickets: no player 'Karla'; did you mean Carla?"],
            id="tickets",
        ),
        pytest.param(
            {"owners": {"Dallas-Houston/0": "Bem"}, "to_move": "Zoë", "hands": {"Carla": 3, "Annna": 2}},
            [
                "table, owners: no player 'Bem'; did you mean Ben?",
                "table, hands: no player 'Annna'; did you mean Anna?",
                "table, to_move: no player 'Zoë'; choose one of Anna, Ben, Carla",
            ],
            id="each part",
        ),
        pytest.param({"hands": {"Ben": 1, "BEN": 2}}, ["table, hands: expected each player once, got BEN"], id="twice"),
        pytest.param({"stations": {"Miami": "neutral"}}, ["no player 'neutral'"], id="neutral has no station"),
    ],
)
def test_a_wrong_name_of_a_player_is_the_only_one_blamed(told: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(PositionError) as info:
        read_position(table(**told), "table")

    assert len(info.value.faults) == len(faults)
    assert all(fault in str(said) for fault, said in zip(faults, info.value.faults, strict=True))


def test_faults_of_a_position_call_players_by_name() -> None:
    told = {"owners": {"Boston-New York/0": "Anna", "Boston-New York/1": "Anna"}}
    with pytest.raises(
        PositionError, match=r"owners: .*other than Anna, who also has Boston-New York/0, got Boston-New York/1"
    ):
        read_position(table(**told), "table")


def test_players_are_named_whatever_the_case() -> None:
    told = {"owners": {"Dallas-Houston/0": "ben"}, "hands": {"ANNA": 3, "carla": 2, "Ben": 1}, "to_move": "carla"}

    state = read_position(table(**told), "table")[0]

    assert (state.n_hands, state.acting, state.scores) == ((3, 1, 2), 2, (0, 1, 0))


def test_a_name_that_two_players_may_have_is_ambiguous() -> None:
    told = {"players": ["Bo", "bo", "Cy"], "owners": {"Dallas-Houston/0": "bo"}}
    assert read_position(table(**told), "table")[0].scores == (0, 1, 0)
    with pytest.raises(PositionError, match="owners: player BO is ambiguous: Bo or bo"):
        read_position(table(**told | {"owners": {"Dallas-Houston/0": "BO"}}), "table")


def test_a_deal_has_one_long_ticket() -> None:
    game = Game("europe")
    long = [ticket.id for ticket in load("europe").tickets if ticket.deck == "long"]
    with pytest.raises(PositionError, match="tickets: expected at most 1 for P1 from the deck long, got 2"):
        game.position(tickets=[[], long[:2]])

    text = GameRecord.from_position(game.position(tickets=[long[:1], 2])).dumps()
    shown = {"event": "tickets_shown", "seat": 1}
    with pytest.raises(RecordError, match="P1 cannot hold 2 tickets from a deck that dealt it only 1"):
        GameRecord.loads(text + json.dumps({**shown, "tickets": long[1:3]}) + "\n")
    record = GameRecord.loads(text + json.dumps({**shown, "tickets": [long[1], "Berlin-Roma"]}) + "\n")
    assert [ticket and ticket.id for ticket in record.state_at(-1).tickets[1]] == [long[1], "Berlin-Roma"]


def test_a_station_is_corrected_and_told() -> None:
    begun = Game("europe").position(stations={"Wien": 0}, hands=[3, 3], tickets=[1, 1], to_move=0)
    text = GameRecord.from_position(begun, players=["Ann", "Bo"]).dumps()
    text += '{"event":"correction","reason":"misread","stations":{"Wien":null,"Zagrab":0,"Roma":1}}\n'

    record = GameRecord.loads(text)

    assert record.dumps() == text
    after = record.state_at(-1)
    assert (after.stations, after.n_stations) == ({"Roma": 1, "Zagrab": 0}, (2, 2))
    assert (after.n_turns, after.n_hands) == (begun.n_turns, begun.n_hands)
    assert list(tell(record))[-1].text == (
        "Corrected here (misread): there is no station in Wien; Ann has a station in Zagrab; Bo has a station in Roma"
    )
    assert list(replay_moments(game_data(record)))[-1]["stations"] == after.stations


def test_all_faults_of_a_position_are_told_at_once() -> None:
    usa = Game("usa", 2)
    twins = {"Boston-New York/0": 0, "Boston-New York/1": 0}
    with pytest.raises(PositionError) as info:
        usa.position(
            owners=twins,
            hands=[{"red": 9}, {"red": 4}],
            trains=[44, 45],
            tickets=[["Boston-Miami"], ["Boston-Miami"]],
            market=["red"] * 6,
            to_move=0,
            turns=3,
            turns_left=2,
        )

    assert [fault.field for fault in info.value.faults] == [
        *("owners", "trains", "turns", "turns_left", "market", "hands", "tickets"),
    ]
    assert "who also has Boston-New York/0, got Boston-New York/1" in str(info.value)
    assert "expected 41 for P0, which follows from its routes, got 44" in str(info.value)
    assert "expected at most 12 red cards in hands, market and discards, got 18" in str(info.value)
    with pytest.raises(PositionError) as info:
        usa.position(
            owners={"Boston-Nowhere": 0, "Dallas-Houston/0": 7},
            hands=[{"rd": 1}, -1],
            tickets=[["Nowhere-Miami"], -1],
            market=["blu"],
        )
    assert len(info.value.faults) == 7


@pytest.mark.parametrize(
    ("name", "n_players", "told", "fault"),
    [
        pytest.param("usa", 2, {}, "tickets: expected the tickets of P0", id="no tickets"),
        pytest.param("usa", 2, {"to_move": 0}, "hands: expected the cards of P0", id="no hands"),
        pytest.param(
            "usa",
            2,
            {"owners": {"Boston-New York/0": 0, "Boston-New York/1": 1}},
            "a free track in a 2-player game",
            id="two",
        ),
        pytest.param("usa", 2, {"owners": {"Boston-New York/0": "neutral"}}, "no neutral player", id="no neutral"),
        pytest.param("usa", 2, {"tokens": [3, 0]}, "have no tolls", id="tokens"),
        pytest.param("usa", 2, {"pile": 200}, "pile: expected at most 105", id="pile"),
        pytest.param("usa", 2, {"hands": [60, 60]}, "hands: expected at most 110 cards", id="too many cards"),
        pytest.param("usa", 2, {"tickets": [20, 20]}, "tickets: expected at most 30 tickets", id="too many tickets"),
        pytest.param("usa", 2, {"ticket_pile": 40}, "ticket_pile: expected at most 30", id="ticket pile"),
        pytest.param("usa", 2, {"to_move": 2}, "to_move: expected a whole number from 0 to 1", id="no such seat"),
        pytest.param("usa", 2, {"turns": True}, "turns: expected a whole number", id="no number"),
        pytest.param(
            "nederland", 2, {"owners": {"Amsterdam-Utrecht/0": 0}}, "tokens: expected the value", id="no tokens"
        ),
        pytest.param("usa", 2, {"discards": [1]}, "discards: expected one of", id="no card"),
        pytest.param("usa", 2, {"owners": [1]}, "owners: expected owners by route", id="no owners"),
        pytest.param("usa", 2, {"stations": {"Miami": 0}}, "stations: expected none for P0: the rules", id="no rule"),
        pytest.param("europe", 2, {"stations": ["Wien"]}, "stations: expected seats by city", id="no stations"),
        pytest.param("europe", 2, {"stations": {"Wienn": 0}}, "stations: no city 'Wienn'; did you", id="no city"),
        pytest.param("europe", 2, {"stations": {"Wien": 2}}, "stations: expected a seat from 0 to 1 or null", id="who"),
        pytest.param(
            "europe",
            2,
            {"stations": {"Wien": 1, "Roma": 1, "Paris": 1, "Riga": 1}},
            "stations: expected at most 3 for P1, got 4",
            id="too many stations",
        ),
        pytest.param("europe", 2, {"stations": {"Wien": 0, "wien": 1}}, "stations: expected it only once", id="twice"),
    ],
)
def test_what_cannot_be_is_refused(name: str, n_players: int, told: dict[str, Any], fault: str) -> None:
    with pytest.raises(PositionError, match=re.escape(fault)):
        Game(name, n_players).position(**({"tickets": [0, 0]} if told else {}) | told)


@pytest.mark.parametrize(
    ("owners", "said"),
    [
        ({"Boston-Nowhere": 0}, "position, owners: no route 'Boston-Nowhere'; did you mean Boston-New York"),
        ({"Boston-New York": 0}, "position, owners: route Boston-New York is ambiguous: "),
    ],
)
def test_a_name_that_is_refused_is_told_once(owners: dict[str, int], said: str) -> None:
    with pytest.raises(PositionError) as info:
        USA.position(owners=owners, tickets=[0, 0])

    fault = str(info.value.faults[0])
    assert fault.startswith(said)
    assert fault.endswith("?")
    assert ", got " not in fault


def test_cards_have_the_names_that_they_have_everywhere() -> None:
    """Whatever a payment takes, a position takes: there is one reader of the names of cards."""
    told: dict[str, Any] = {"tickets": [0, 0], "to_move": 0}
    wanted = USA.position(
        hands=[{"locomotive": 1, "purple": 3}, {"locomotive": 2}],
        market=["purple", "locomotive", "?", None, "red"],
        discards={"purple": 2, "?": 1},
        **told,
    )

    state = USA.position(
        hands=[{"loco": 1, "pink": 2, "Purple": 1}, ["wild", "locomotives"]],
        market=["pink", "joker", "?", None, "Red"],
        discards={"pink": 2, "?": 1},
        **told,
    )

    assert state == wanted
    assert CardCounts.coerce({"pink": 2, "purple": 1, "locos": 1}) == CardCounts.of(purple=3, locomotive=1)
    with pytest.raises(PositionError, match='market: expected blue, "\\?" or null, got bleu'):
        USA.position(hands=[0, 0], market=["bleu"], **told)


@pytest.mark.parametrize(
    ("hand", "got"),
    [
        ({"pink": 1, "purple": None}, "null"),
        ({"pink": True, "purple": 1}, "true"),
        ({"pink": -1, "purple": 2}, "-1"),
        ({"pink": "a", "purple": 1}, "a"),
    ],
)
def test_each_count_of_a_kind_is_checked_alone(hand: dict[str, object], got: str) -> None:
    with pytest.raises(PositionError) as info:
        USA.position(hands=[hand, 0], tickets=[0, 0], to_move=0)
    assert len(info.value.faults) == 1
    assert str(info.value.faults[0]).endswith(f"hands: expected a whole number from 0 to 9999, got {got}")


def test_the_last_round_is_told() -> None:
    routes = sorted(load("usa").routes, key=lambda route: -route.length)
    owners: dict[str, int] = {}
    left = 45
    for route in routes:
        if route.track == 0 and route.length <= left:
            owners[route.id] = 1
            left -= route.length
    told: dict[str, Any] = {"owners": owners, "hands": [3, 3], "tickets": [1, 1], "to_move": 0}
    with pytest.raises(PositionError, match="turns_left: expected the number of turns left, since P1 has"):
        USA.position(**told)
    state = USA.position(**told, turns_left=2)
    assert (state.turns_left, state.is_last_round) == (2, True)
    with pytest.raises(PositionError, match="expected P0, who moves last, to have at most 2 trains"):
        USA.position(**told, turns_left=1)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param(
            {"owners": {"Boston-New York/0": 9}}, 'line 2, owners: expected a seat from 0 to 1, "neu', id="seat"
        ),
        pytest.param({"owners": {"Boston-Nw York/0": 0}}, "line 2, owners: expected Boston-New York", id="route"),
        pytest.param({"tickets": [["Boston-Mimi"], 0]}, "line 2, tickets: expected Boston-Miami", id="ticket"),
        pytest.param({"hands": [{"?": -1}, 2], "to_move": 0}, "line 2, hands: expected a whole number", id="count"),
        pytest.param({"hands": [13]}, "line 2, hands: expected a list with one item for each of 2 seats", id="seats"),
        pytest.param({"color": 3}, "line 2, color: unknown key, expected event, owners", id="key"),
        pytest.param({"tickets": [[], []], "hands": [{"red": 13}, 0]}, "at most 12 red cards", id="13 red"),
    ],
)
def test_a_wrong_position_in_a_file_is_refused_with_line_and_part(line: dict[str, Any], fault: str) -> None:
    header = usa_record().dumps().splitlines()[0]

    with pytest.raises(RecordError, match=re.escape(fault)):
        GameRecord.loads(f"{header}\n{json.dumps({'event': 'position', 'tickets': [0, 0], **line})}\n")


def test_a_record_begins_only_between_turns_and_only_once() -> None:
    record = usa_record()
    mid = next(state for state in record.states() if state.packed.phase not in (TURN, OVER))
    with pytest.raises(GameError, match="a record begins between two turns"):
        GameRecord.from_position(mid)
    with pytest.raises(RecordError, match="a position must come first"):
        GameRecord.loads(with_line(record, event="position", tickets=[0, 0]))


# -- corrections --------------------------------------------------------------------


@each_variant
def test_a_correction_changes_what_it_tells_and_nothing_else(table: Table) -> None:
    record = played(table)
    for state in between_turns(record)[::20]:
        after, problems = corrected(state.packed, Position(reason="nothing"), record.map, table.n_players)
        assert problems == []
        np.testing.assert_array_equal(after.cells, state.packed.cells)
        moved = Position(reason="", to_move=(state.turn_seat + 1) % table.n_players)
        after, problems = corrected(state.packed, moved, record.map, table.n_players)
        changed = [
            name for name in State.fields if not np.array_equal(getattr(after, name), getattr(state.packed, name))
        ]
        assert state.is_over or state.is_last_round or set(changed) - {"n_passes"} == {"seat", "turn_seat", "n_turns"}


def test_a_forgotten_move_is_corrected_and_told() -> None:
    record = usa_record()
    state = record.state_at(-1)
    next_seat = 1 - between_turns(record)[-1].turn_seat
    text = with_line(record, event="correction", reason="Bo moved twice", to_move=next_seat, move=7)

    again = GameRecord.loads(text)

    assert again.dumps() == text.replace(": ", ":").replace(", ", ",").replace("Bo moved", "Bo moved")
    [(step, correction)] = again.corrections
    assert isinstance(correction, Correction)
    assert (correction.reason, step) == ("Bo moved twice", len(again.steps) - 1)
    assert str(correction) == f"corrected here (Bo moved twice): P{next_seat} is to move"
    assert again.state_at(-1).acting == next_seat
    assert ", 1 correction, not over" in repr(again)
    assert again.stamps[-1] is not None
    assert list(tell(again))[-1].text.startswith("Corrected here (Bo moved twice): ")
    assert state.owners == again.state_at(-1).owners
    session = Session.of(again)
    assert session.lines[-1].startswith('{"event":"correction"')
    assert session.undo() == session_line(again)
    session.write(session_line(again))
    assert session.record.entries == again.entries


def session_line(record: GameRecord) -> str:
    return record_lines(record)[-1]


def test_routes_hands_and_tickets_are_corrected() -> None:
    record = usa_record()
    before = between_turns(record)[-1]
    lost, owner = next(iter(before.owners.items()))
    told = {
        "owners": {lost: None, "Phoenix-Santa Fe/0": 1 - int(owner)},
        "hands": [None, {"blue": 2, "?": 1}],
        "tickets": [["Boston-Miami", "?"], None],
    }
    again = GameRecord.loads(with_line(record, event="correction", reason="as we found", **told))
    after = again.state_at(-1)

    assert lost not in after.owners
    assert after.owners["Phoenix-Santa Fe/0"] == 1 - int(owner)
    length = load("usa").route(lost).length
    assert after.trains[int(owner)] == before.trains[int(owner)] + length
    assert after.n_hands == (before.n_hands[0], 3)
    assert after.hands[1].as_dict() == {"blue": 2}
    assert [ticket and ticket.id for ticket in after.tickets[0]] == ["Boston-Miami", None]
    assert after.tickets[1] == before.tickets[1]
    data = game_data(again)
    assert list(replay_moments(data))[-1]["owners"] == after.owners
    assert data["moments"][-1]["owners"][lost] is None
    watched = GameRecord.loads(again.watched_from(0).dumps())
    assert watched.state_at(-1).n_hands == after.n_hands
    assert watched.state_at(-1).hands[1].n_cards == 0


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        pytest.param({"reason": "", "to_move": 0}, "reason: expected printable text of 1 to 200", id="no reason"),
        pytest.param({"reason": "x"}, "expected at least one corrected part: owners, hands", id="nothing"),
        pytest.param({"reason": "x", "hands": [{"red": 13}, None]}, "hands: expected at most 12 red", id="13 red"),
        pytest.param({"reason": "x", "scores": [99, None]}, "scores: expected", id="a score"),
        pytest.param({"to_move": 1}, "reason: expected this key", id="reason"),
    ],
)
def test_a_wrong_correction_is_refused(data: dict[str, Any], fault: str) -> None:
    with pytest.raises(RecordError, match=re.escape(fault)):
        GameRecord.loads(with_line(usa_record(), event="correction", **data))


def test_a_correction_stands_between_two_turns() -> None:
    record = usa_record()
    line = {"event": "correction", "reason": "x", "to_move": 0}
    header, *events = record.dumps().splitlines()
    with pytest.raises(RecordError, match="card_dealt of P0 must come first"):
        GameRecord.loads(f"{header}\n{json.dumps(line)}\n")
    session = Session(USA)
    with pytest.raises(NotationError, match="a position or a correction"):
        session.write('{"event":"pass","seat":0}')
    with pytest.raises(NotationError, match="card_dealt of P0 must come first"):
        session.write(json.dumps(line))
    with pytest.raises(NotationError, match="hands: expected a list"):
        session.write('{"event":"position","hands":3}')
    states = record.states()
    amid = next(k for k, state in enumerate(states) if state.packed.phase not in (TURN, OVER) and k > 3)
    end = record._timeline.steps[amid].end
    with pytest.raises(RecordError, match="a correction must be between two turns"):
        GameRecord.loads("\n".join([header, *events[:end], json.dumps(line), ""]))


def test_tables_are_made_of_corrected_records_but_not_of_those_that_begin_amid_a_game() -> None:
    record = usa_game()
    entries = GameRecord.loads(with_line(record, event="correction", reason="x", hands=[2, None])).entries
    fixed = GameRecord(record.header, entries, record.map)

    assert ttr.studies.from_records([fixed]).seats["cards_left"].tolist()[0] == 2
    with pytest.raises(ValueError, match="these begin from a position: 0"):
        ttr.studies.from_records([USA.play(["Greedy"] * 2, start=between_turns(record)[3])])
