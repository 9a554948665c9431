"""What a record shows of itself in a notebook: result, board and moves, safe against names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ttr_analysis as ttr
from tests.engine.goldens import golden_paths, golden_record
from tests.fixtures import load
from tests.report.pages import read_page
from ttr_analysis import GameRecord
from ttr_analysis.viz.summaries import record_summary


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """Return a short game."""
    return ttr.Game(load("invented")).play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)


def test_a_record_shows_itself_in_a_notebook(record: GameRecord) -> None:
    assert record._repr_html_() == record_summary(record)


@pytest.mark.parametrize("path", golden_paths()[::7], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_result_board_and_moves_are_there(path: Path) -> None:
    record = golden_record(path)

    page = record_summary(record)
    text = read_page(page).words

    for score in record.score():
        assert f"{score.route_points} routes" in text
        assert str(score.total) in text
    assert text.count(" won") == len(record.winners)
    owned = [owner for owner in record.states()[-1].owners.values() if owner != "neutral"]
    assert page.count(": P") >= len(owned)
    assert f"{len(record.steps) - 1}: " in text
    assert "the game is over" in text


def test_what_is_not_known_is_shown_as_unknown(record: GameRecord) -> None:
    text = read_page(record_summary(record.watched_from(0, shown=False))).words

    assert "? unknown tickets" in text
    assert " won" not in text


def test_a_record_that_has_not_begun_shows_its_repr(nordic: ttr.GameMap) -> None:
    _, dealt = ttr.Game(nordic).deal(seed=7)
    record = GameRecord.from_play(ttr.Game(nordic), [], 7, dealt[:5])

    assert record_summary(record).startswith("<pre>&lt;GameRecord nordic")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "</div>&amp;"])
def test_names_stay_text(record: GameRecord, name: str) -> None:
    hostile = replace(record, header=replace(record.header, title=name, players=(name, name)))

    seen, plain = (read_page(record_summary(one)) for one in (hostile, record))

    assert seen.faults == []
    assert seen.words.count(name) > 3  # in the table, and whenever a step names who acts
    assert {tag for tag, _ in seen.tags} == {tag for tag, _ in plain.tags} | {"strong"}
