"""Games watched by strangers: texts and records that no game can have written are refused, and nothing else fails."""

from __future__ import annotations

import pytest

from tests.engine.records import short_text
from tests.engine.test_broken_records import faults_of
from ttr_analysis import GameRecord, RecordWarning

# -- lines ------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", '{"event":"draw_card","seat":0,"x":', '{"event":'])
def test_values_nested_to_any_depth_are_refused(before: str) -> None:
    end = "}" if before else ""
    for depth in [1, 19, 20, 21, *range(900, 1001), 3_000]:
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
