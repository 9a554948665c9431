"""Records of strangers: what no game can have written is refused with a reason, what one can have is read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from tests.engine.records import Table, Whim, changed, played, short_text
from tests.engine.test_broken_records import faults_of, header
from tests.fixtures import load
from ttr_analysis import Game, GameError, GameRecord, RecordError, RecordWarning
from ttr_analysis.engine.events import Move, TicketsShown
from ttr_analysis.records.file import MAX_DIGITS

# -- lines ------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", '{"event":"draw_card","seat":0,"x":', '{"event":'])
def test_values_nested_to_any_depth_are_refused(before: str) -> None:
    end = "}" if before else ""
    for depth in [1, 19, 20, 21, *range(900, 1001, 9), 3_000]:
        for opening, closing in ("[]", "{}"):
            nested = '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1) if opening == "{" else "[" * depth + "]" * depth
            faults = faults_of(f"{short_text()}{before}{nested}{end}\n")

            assert {line for line, _ in faults} == {44}, closing


def test_brackets_in_texts_are_not_nested() -> None:
    text = short_text().replace('"policies":[]', '"policies":[],"title":"' + r"\"[{" * 40 + '"')

    assert GameRecord.loads(text).header.title == '"[{' * 40


def test_many_quotes_and_brackets_take_no_time() -> None:
    for tail in ('"' + '\\"' * 9_000, '\\"' * 9_000, '"' * 19_000):
        assert faults_of(short_text() + "[" * 50 + tail + "\n")[0][0] == 44


@pytest.mark.parametrize(
    "tail",
    [
        '{"event":NaN}',
        '{"event":"draw_card","seat":0,"seat":1}',
        "[1,2]",
        '{"event":"' + "a" * 30_000,
        "[" * 50,
        '{"event":"draw_card","seat":1.5',
        '{"event":"draw_cart","seat":0}',
    ],
)
def test_a_last_line_that_is_the_beginning_of_no_event_is_refused(tail: str) -> None:
    assert [line for line, _ in faults_of(short_text() + tail)] == [44]


@pytest.mark.parametrize(
    "tail", ['{"event":"dr', '{"event":"draw_card","seat":', "\0" * 50_000, '{"eve' + "\0" * 50_000]
)
def test_a_last_line_that_breaks_off_is_left_out(tail: str) -> None:
    with pytest.warns(RecordWarning, match="line 44 breaks off"):
        assert GameRecord.loads(short_text() + tail) == GameRecord.loads(short_text())


# -- tickets shown ------------------------------------------------------------------


def test_tickets_are_shown_by_seats_of_the_game_once_and_only_if_they_are_unknown() -> None:
    record = played(Table("nordic", "", 2))
    watched = record.watched_from(0)
    shown = watched.events[-1]
    assert isinstance(shown, TicketsShown)
    _, *others = shown.tickets
    own = tuple(ticket for ticket in record.state_at(-1).tickets[0] if ticket)

    for events, message in [
        ([*watched.events, shown], "the tickets of P1 are known"),
        ([*watched.events, TicketsShown(0, own)], "the tickets of P0 are known"),
        ([*record.events, shown], "the tickets of P1 are known"),
        ([*watched.events, TicketsShown(4, ())], "there is no P4"),
        ([*watched.events[:-1], TicketsShown(1, (*others, others[0]))], "P1 shows the same ticket twice"),
    ]:
        made = GameRecord.from_play(Game(record.map), [], None, events)
        with pytest.raises(RecordError, match=message):
            made.states()


# -- unknown cards ------------------------------------------------------------------


def test_cards_that_the_draw_pile_cannot_be_without_are_not_played() -> None:
    record = played(Table("usa", "", 2), "hoarding", seed=0).watched_from(0)
    rows = record.dumps().splitlines()
    at = next(i for i, row in enumerate(rows) if '"claim_route","seat":1,"route":"El Paso-Phoenix/0"' in row)
    move = json.loads(rows[at])
    rows[at] = json.dumps({**move, "cards": {"orange": 3}})

    assert sum(move["cards"].values()) == 3
    ((line, said),) = faults_of("\n".join(rows) + "\n")
    assert line == at + 1
    assert "1 card of the draw pile would have no possible kind" in said
    assert GameRecord.loads(record.dumps()) == record


# -- headers ------------------------------------------------------------------------


def test_a_seed_that_no_record_can_hold_is_refused() -> None:
    game = Game(load("nordic"))
    longest = 10**MAX_DIGITS - 1
    record = GameRecord.from_play(game, [], longest, game.deal(1)[1])

    assert GameRecord.loads(record.dumps()) == record
    assert str(longest) in repr(record)
    for seed in (longest + 1, 10**5_000, -(10**5_000)):
        with pytest.raises(GameError, match=r"the seed of a record: .*at most 400 digits, got a longer one"):
            GameRecord.from_play(game, [], seed, [])
    with pytest.raises(GameError, match="a seed has at most 400 digits"):
        game.play([Whim({}), Whim({})], seed=longest + 1)


def test_numbers_of_numpy_are_numbers() -> None:
    game = Game(load("nordic"))
    events = list(GameRecord.loads(short_text()).events)
    mine: list[Any] = [
        replace(event, seat=cast("int", np.int64(event.seat))) if isinstance(event, Move) else event for event in events
    ]

    record = GameRecord.from_play(game, [], np.int64(7), mine, number=np.int64(0))  # type: ignore[arg-type]

    assert GameRecord.loads(record.dumps()) == record
    assert (record.header.seed, record.header.game) == (7, 0)
    with pytest.raises(GameError, match="expected a seat from 0 to 5, got True"):
        GameRecord.from_play(game, [], 7, [replace(mine[23], seat=True)])


def test_the_first_game_of_a_run_has_its_number() -> None:
    assert '"seed":7,"game":0}' in played(Table("nordic", "", 2)).dumps().splitlines()[0]
    assert "game" not in GameRecord.loads(short_text()).header.data()


def test_a_map_of_another_name_is_refused() -> None:
    assert faults_of(short_text(), load("usa")) == [(1, 'expected "usa", the map you passed, got "nordic"')]


def test_both_maps_are_named_where_their_facts_differ() -> None:
    nordic = load("nordic")

    ((_, said),) = faults_of(short_text(), replace(nordic, tickets=nordic.tickets[:-1]))

    assert "the facts of the map 'nordic' differ from those in the record of 'nordic'" in said


def test_faults_of_a_header_come_in_one_order_and_none_follows_from_another() -> None:
    text = changed(1, header(n_players=9, policies=["A", "B"], zebra=1, apple=2, mouse=3))

    assert [said.rpartition(" got ")[2] for _, said in faults_of(text)] == ["9", '"apple"', '"mouse"', '"zebra"']


def test_names_of_all_scripts_are_names() -> None:
    game = Game(load("nordic"))
    players = ["\u0645\u06cc\u200c\u062e\u0648", "\U0001f469\u200d\U0001f680"]
    record = GameRecord.from_play(game, [], 7, game.deal(7)[1], players=players)

    assert GameRecord.loads(record.dumps()).header.players == tuple(players)
    for name in ("a\u202eb", "a\u2066b", "a\x1bb", "a\u200fb"):
        with pytest.raises(GameError, match="players of a record: expected 2 printable names"):
            GameRecord.from_play(game, [], 7, [], players=[name, "Bob"])


# -- what is asked wrongly ------------------------------------------------------------


def test_what_is_no_text_map_step_or_seed_is_told_so() -> None:
    record = GameRecord.loads(short_text())

    with pytest.raises(TypeError, match="expected the text of a record, or its bytes, got None"):
        GameRecord.loads(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a map, or the name of one, got 3"):
        GameRecord.loads(short_text(), 3)  # type: ignore[arg-type]
    assert GameRecord.loads(short_text(), "nordic") == record
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        record.state_at("a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a seed must be a whole number of 0 or more, got -1"):
        record.resume(-1, seed=-1)
    assert faults_of(short_text() + "\n") == [(44, "expected a JSON object, got a blank line")]
