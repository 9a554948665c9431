"""Who played a game when, and where each step stood in the source of its record: kept, shown, and checked."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.engine.records import Table, played, short_text
from tests.notation.bga_writer import log_text
from ttr_analysis import Game, GameError, GameRecord, RecordError, read_bga
from ttr_analysis.engine.events import Move
from ttr_analysis.notation import read_game, record_lines
from ttr_analysis.notation.session import Session
from ttr_analysis.records.entries import Stamp
from ttr_analysis.viz.summaries import record_summary
from ttr_analysis.viz.words import tell
from ttr_analysis.widgets.stepper import game_data

USA = Table("usa", "", 2)


def logged() -> GameRecord:
    """Return the record of a log, whose moves have numbers and times."""
    record = played(USA)
    return read_bga(log_text(record, np.random.default_rng(7)), title="Friday", date="2026-03-14")


def with_keys(line: int, **keys: object) -> str:
    """Return the short record with some keys more on a line."""
    lines = short_text().splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **keys})
    return "\n".join(lines) + "\n"


def test_numbers_and_times_of_a_log_are_kept() -> None:
    record = logged()

    moves = [stamp for stamp, events in zip(record.stamps, record.steps, strict=True) if isinstance(events[0], Move)]
    assert record.stamps[0] is None, "the set-up has none"
    assert all(stamp is not None and stamp.time == "00:00:00" for stamp in moves)
    assert [stamp.move for stamp in record.stamps[3:6] if stamp] == [4, 5, 6]
    again = GameRecord.loads(record.dumps())
    assert again == GameRecord(record.header, record.entries, record.map)
    assert again.stamps == record.stamps
    assert (again.header.title, again.header.date) == ("Friday", "2026-03-14")
    assert record.watched_from(0).stamps[1] == record.stamps[1]
    assert Session.of(record).record.stamps == record.stamps


def test_they_are_shown() -> None:
    record = logged()
    data = game_data(record)

    assert data["moves"][3][4] == "move 4, 00:00:00"
    assert len(data["moves"][0]) == 4
    assert data["facts"]["about"].endswith("2 players, 2026-03-14")
    assert next(told for told in tell(record) if told.stamp).stamp == str(record.stamps[1])
    summary = record_summary(record)
    assert "<small>(move 2, 00:00:00)</small>" in summary
    assert "2026-03-14" in summary
    lines = record_lines(record, comments=True)
    names = record.header.players
    assert lines[:4] == ["# Friday", "# 2026-03-14", f"# P0: {names[0]}", f"# P1: {names[1]}"]
    assert "# move 4, 00:00:00; move 5, 00:00:00" in lines or "# move 4, 00:00:00" in lines
    assert [line for line in lines if not line.startswith("#")] == record_lines(record)
    again = read_game(lines, Game(record.map, 2)).entries
    assert again == tuple(entry._replace(stamp=None) for entry in record.entries)


@pytest.mark.parametrize(
    ("line", "keys", "fault"),
    [
        pytest.param(25, {"move": -1}, "line 25, move: expected a whole number from 0 to 999999, got -1", id="below"),
        pytest.param(25, {"move": "7"}, 'line 25, move: expected a whole number from 0 to 999999, got "7"', id="text"),
        pytest.param(25, {"time": ""}, "line 25, time: expected printable text of 1 to 40 char", id="no time"),
        pytest.param(25, {"time": "x" * 41}, "line 25, time: expected printable text", id="a long time"),
        pytest.param(25, {"time": "\u0007"}, "line 25, time: expected printable text", id="a bell"),
        pytest.param(25, {"time": 12}, "line 25, time: expected printable text", id="a number"),
        pytest.param(25, {"completed": "A"}, "line 25, completed: expected a list of tickets", id="no list"),
        pytest.param(25, {"completed": ["?"]}, "line 25, completed: expected the id of a ticket", id="unknown"),
        pytest.param(2, {"move": 1}, "line 2, move: unknown key, expected event, seat, card", id="chance"),
        pytest.param(1, {"date": "14.3.2026"}, 'date: expected a date such as "2026-03-14"', id="another order"),
        pytest.param(1, {"date": "2026-02-30"}, 'date: expected a date such as "2026-03-14"', id="no such day"),
        pytest.param(1, {"date": 20260314}, 'date: expected a date such as "2026-03-14"', id="a date as a number"),
    ],
)
def test_what_is_not_right_is_refused(line: int, keys: dict[str, Any], fault: str) -> None:
    with pytest.raises(RecordError, match=re.escape(fault)):
        GameRecord.loads(with_keys(line, **keys))


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(RecordError) as info:
        GameRecord.loads(with_keys(25, move=-1, time=""))
    assert [fault.field for fault in info.value.faults] == ["move", "time"]

    header = GameRecord.loads(short_text()).header
    with pytest.raises(GameError, match=r"(?s)the title of a record: .*\nthe date of a record: expected a date such"):
        replace(header, title="\n", date="soon")


def test_what_is_said_to_be_completed_is_kept_and_private() -> None:
    record = GameRecord.loads(short_text())
    ticket = record.map.tickets[3].id
    told = GameRecord.loads(with_keys(25, completed=[ticket]))
    (stamp,) = [stamp for stamp in told.stamps if stamp and stamp.completed]
    other = told.entries[23].seat ^ 1

    assert stamp == Stamp(None, "", (ticket,))
    assert GameRecord.loads(told.dumps()).entries == told.entries
    assert stamp in told.watched_from(1 - other, shown=False).stamps
    assert not any(told.watched_from(other, shown=False).stamps)


def test_a_stamp_may_lack_either_half() -> None:
    record = GameRecord.loads(with_keys(25, time="20:15"))
    assert record.stamps[1] == Stamp(None, "20:15")
    assert str(record.stamps[1]) == "20:15"
    assert '"time":"20:15"}' in record.dumps()
    assert str(Stamp(7)) == "move 7"
