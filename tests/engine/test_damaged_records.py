"""Damaged records: one that was cut is read as far as it goes; any other damage is refused, or is what it says."""

from __future__ import annotations

import contextlib
import json
import warnings
from pathlib import Path

import pytest

from tests.engine.records import Table, played, short_text
from tests.fuzzing.subjects import SUBJECTS, RefusedError
from ttr_analysis import GameRecord, RecordError, RecordWarning
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
    cuts = range(len(last_lines[0]) + 1, len(text))

    for cut in (cut for cut in cuts if cut % 5 == 0 or b"\n" in text[cut - 2 : cut + 2]):
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


# -- damage of any kind, of which `fuzzing` tries more -------------------------------------------


@pytest.mark.parametrize(
    "text",
    [b"", short_text().encode().replace(b"\n", b"\r\n"), short_text().encode() + b"\0" * 500],
    ids=["empty", "other ends of lines", "zeros at the end"],
)
def test_a_record_with_odd_ends_is_refused_or_is_what_it_says(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_bytes(text)

    with contextlib.suppress(RefusedError):
        SUBJECTS["records"].use(tmp_path, 0)
