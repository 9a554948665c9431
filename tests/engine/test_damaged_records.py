"""Damaged records: one that was cut is read as far as it goes; any other damage is refused, or is what it says."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.engine.records import Table, played, short_text
from ttr_analysis import GameRecord, RecordError, RecordWarning
from ttr_analysis._errors import Fault
from ttr_analysis.cards import CARD_KINDS, N_KINDS

# -- records that were cut -------------------------------------------------------------------


def read_cut(text: bytes) -> tuple[GameRecord, list[str]]:
    """Return a record that may have been cut, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        record = GameRecord.loads(text)
    assert all(warning.category is RecordWarning for warning in caught)
    return record, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("whole", [True, False], ids=["a whole game", "the short record"])
def test_a_record_cut_anywhere_in_its_last_lines_loads_up_to_its_last_whole_event(*, whole: bool) -> None:
    text = (played(Table("nordic", "", 2)).dumps() if whole else short_text()).encode()
    entries = GameRecord.loads(text).entries
    last_lines = text.rstrip(b"\n").rsplit(b"\n", 2 if whole else 18)

    for cut in range(len(last_lines[0]) + 1, len(text)):
        record, said = read_cut(text[:cut])

        n_whole = text[:cut].count(b"\n") - 1
        is_line = text[cut : cut + 1] == b"\n"  # only the end of the line is missing
        assert record.entries == entries[: n_whole + is_line]
        breaks_off = not is_line and text[cut - 1 : cut] != b"\n"
        assert any("breaks off" in message for message in said) == breaks_off
        assert len(said) <= 1
        assert record.is_complete == (whole and cut == len(text) - 1)


def test_a_record_cut_in_the_middle_of_a_letter_loads() -> None:
    text = short_text().encode()

    record, said = read_cut(text[: text.index("ö".encode()) + 1])

    assert len(record.entries) == 19
    assert said == ["record text, line 21 breaks off and is left out"]


def test_a_move_without_all_of_its_outcomes_is_told_but_makes_no_state() -> None:
    record, said = read_cut("\n".join(short_text().splitlines()[:28]).encode())

    assert said == ["record text ends in the middle of a move, before its card_revealed"]
    assert len(record.entries) == len(record.events) == 27
    assert len(record.states()) == 3
    assert record.steps[-1] == (record.events[24],)
    again, _ = read_cut(record.dumps().encode())
    assert again == record


def test_a_record_cut_in_the_set_up_has_no_state_yet() -> None:
    record, said = read_cut("\n".join(short_text().splitlines()[:8]).encode())

    assert said == ["record text ends in the middle of a move, before its card_dealt of P1"]
    assert (len(record.entries), len(record.states()), record.moves) == (7, 0, ())
    assert repr(record) == "<GameRecord nordic: 2 players, 7 events, not begun>"
    with pytest.raises(ValueError, match="the record ends before the game begins: card_dealt of P1 comes next"):
        _ = record.scores


# -- what only a long game shows -----------------------------------------------------------------


def test_after_a_shuffle_only_the_cards_that_lay_face_up_can_come() -> None:
    record = played(Table("invented", "", 5)).watched_from(0)
    rows = record.dumps().splitlines()
    n_refused, at = 0, len(record.steps[0])

    for step, state in zip(record.steps[1:], record.states(), strict=False):
        at += len(step)  # the line of its last event, the header being line 0
        row = json.loads(rows[at])
        pool, pile = state.packed.pool.tolist(), state.packed.draw_pile.tolist()
        gone = [CARD_KINDS[kind] for kind in range(N_KINDS) if pool[kind] == 0 < pile[kind]]
        if gone and len(step) == 2 and row["event"] == "market_card":
            rows_then = [*rows[:at], json.dumps({**row, "card": gone[0]})]
            reason = f"line {at + 1}: all {gone[0]} cards that were shuffled into the draw pile have left it"
            with pytest.raises(RecordError, match=reason):
                GameRecord.loads("\n".join(rows_then), record.map)
            n_refused += 1

    assert n_refused > 0


# -- damage of any kind -------------------------------------------------------------------------


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """Return a record with a few bytes or lines changed."""
    text = short_text().encode()
    if draw(st.booleans(), label="watched"):
        text = GameRecord.loads(text).watched_from(draw(st.integers(0, 1))).dumps().encode()
    for _ in range(draw(st.integers(1, 3), label="n_changes")):
        text = draw(st.sampled_from([flip_byte, drop_line, repeat_line, swap_lines, cut, take_line]))(draw, text)
    return text


def flip_byte(draw: st.DrawFn, text: bytes) -> bytes:
    at = draw(st.integers(0, max(0, len(text) - 1)))
    return text[:at] + bytes([draw(st.integers(0, 255))]) + text[at + 1 :]


def drop_line(draw: st.DrawFn, text: bytes) -> bytes:
    at, rows = line_of(draw, text)
    return b"".join(rows[:at] + rows[at + 1 :])


def repeat_line(draw: st.DrawFn, text: bytes) -> bytes:
    at, rows = line_of(draw, text)
    return b"".join(rows[: at + 1] + rows[at:])


def swap_lines(draw: st.DrawFn, text: bytes) -> bytes:
    at, rows = line_of(draw, text)
    other, _ = line_of(draw, text)
    rows[at : at + 1], rows[other : other + 1] = rows[other : other + 1], rows[at : at + 1]
    return b"".join(rows)


def take_line(draw: st.DrawFn, text: bytes) -> bytes:
    """Put a line of a whole other game somewhere."""
    at, rows = line_of(draw, text)
    others = played(Table("nordic", "", 2)).dumps().encode().splitlines(keepends=True)
    return b"".join([*rows[:at], draw(st.sampled_from(others[1:])), *rows[at + draw(st.integers(0, 1)) :]])


def cut(draw: st.DrawFn, text: bytes) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


def line_of(draw: st.DrawFn, text: bytes) -> tuple[int, list[bytes]]:
    rows = text.splitlines(keepends=True)
    return draw(st.integers(0, max(0, len(rows) - 1))), rows


@given(damaged_texts())
@example(b"")
@example(short_text().encode().replace(b"\n", b"\r\n"))
@example(short_text().encode() + b"\0" * 500)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_record_is_refused_or_is_what_it_says(text: bytes) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        record, said = read_cut(text)
    except RecordError as error:
        faults = error.faults
    if faults:
        assert all(fault.expected and len(str(fault)) < 600 for fault in faults)
        return

    rows = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if rows[-1] == b"" or any("breaks off" in message for message in said):
        rows.pop()
    written = record.dumps().splitlines()
    assert [comparable(row) for row in rows] == [comparable(row.encode()) for row in written]
    again, _ = read_cut(record.dumps().encode())
    assert again == record
    assert list(again.states()) == list(record.states())


def comparable(row: bytes) -> dict[str, object]:
    """Return what a line says: in a header, what is empty may be left out; the order of tickets kept means nothing."""
    data = json.loads(row)
    if "format" in data:
        return {key: value for key, value in data.items() if value not in ("", [])}
    return {key: sorted(value) if isinstance(value, list) else value for key, value in data.items()}
