"""Puzzles: one move is best, another search agrees, and a position is what its seat saw."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures import INVENTED, load
from tests.notation.bga_writer import log_text, ticket_notes
from tests.studies.test_reviews import judge_only
from ttr_analysis import Game, GameRecord, RecordError, __version__, read_bga
from ttr_analysis.cards import N_KINDS
from ttr_analysis.maps.loading import data_folder, map_names
from ttr_analysis.policies.search.watching import know
from ttr_analysis.records.entries import CORRECTED
from ttr_analysis.studies import Puzzle, Review, advise, load_puzzles, puzzles, review, save_puzzles
from ttr_analysis.studies.puzzles import KINDS, _rivals

pytestmark = pytest.mark.compiled_only


@pytest.fixture(scope="module")
def shipped() -> tuple[Puzzle, ...]:
    return load_puzzles()


# -- those that ship -----------------------------------------------------------------------------------------------


def test_ten_vary_on_each_map(shipped: tuple[Puzzle, ...]) -> None:
    kinds = {name: Counter(one.kind for one in shipped if one.record.map.name == name) for name in map_names()}
    assert {name: sum(found.values()) for name, found in kinds.items()} == dict.fromkeys(map_names(), 10)
    assert all(len(found) >= 4 for found in kinds.values())
    assert {kind for found in kinds.values() for kind in found} <= set(KINDS)
    assert len({one.key for one in shipped}) == len(shipped)


def test_one_move_is_clearly_the_best_in_each(shipped: tuple[Puzzle, ...]) -> None:
    for puzzle in shipped:
        table = puzzle.table
        assert puzzle.lead >= 0.05, puzzle
        assert (_rivals(table, puzzle.actions, puzzle.view)["loss_low"] > 0).all(), puzzle
        assert str(puzzle.read(puzzle.played))
        assert table["reason"].iloc[0] or puzzle.kind != "claim"


def test_each_shows_only_what_its_seat_saw(shipped: tuple[Puzzle, ...]) -> None:
    for puzzle in shipped:
        record = puzzle.record
        assert record.watched_from(puzzle.seat).entries == record.entries
        assert len(record.steps) == puzzle.step + 1
        assert not any(entry.kind == CORRECTED for entry in record.entries)
        assert not hasattr(puzzle.view, "hands")


def test_another_search_agrees(shipped: tuple[Puzzle, ...]) -> None:
    some = shipped[::10]
    assert all(one.find(advise(one.record, step=one.step, rollouts=500, seed=99).best) == 0 for one in some)


# -- your own ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviews() -> list[Review]:
    """Return a review of some decisions, of which the second is a puzzle."""
    record = Game("europe", 2).play(["Greedy", "Planner"], seed=1)
    with pytest.MonkeyPatch.context() as patch:
        judge_only(patch, (1, 3, 6, 7, 10, 21, 31, 41))
        return [review(record, 0, rollouts=6, progress=False)]


def test_a_puzzle_of_a_log_shows_the_card_that_the_next_taker_proves(tmp_path: Path) -> None:
    played = Game("usa", 2).play(["Planner"] * 2, seed=7)
    rng = np.random.default_rng(7)
    log = read_bga(log_text(played, rng), tickets=ticket_notes(played, rng))
    step = next(step for step in range(30, 90) if know(log, log.state_at(step).acting, step).packed.market[0] < N_KINDS)
    table = advise(log, step=step, rollouts=60).table

    puzzle = Puzzle(log, step, "", table)
    assert log.state_at(step).market[0] == "?" != puzzle.view.market[0]
    assert f"take {puzzle.view.market[0]}" in set(table["move"])
    save_puzzles([puzzle], tmp_path / "puzzles.jsonl")
    (again,) = load_puzzles(tmp_path / "puzzles.jsonl")
    assert again.actions == puzzle.actions


def test_puzzles_of_your_games(reviews: list[Review], tmp_path: Path) -> None:
    found = puzzles(reviews, n=1, rollouts=200)
    assert len(found) == 1
    for puzzle in found:
        assert puzzle.seat == puzzle.view.seat == 0
        assert puzzle.lead >= 0.05
        assert puzzle.best in Game(puzzle.record.map, 2).legal_actions(puzzle.record.state_at(puzzle.step))
    save_puzzles(found, tmp_path / "mine.puzzles")
    loaded = load_puzzles(tmp_path / "mine.puzzles")
    assert [one.record.entries for one in loaded] == [one.record.entries for one in found]
    assert [one.key for one in loaded] == [one.key for one in found]
    assert loaded[0].table["move"].tolist() == found[0].table["move"].tolist()


def searched(monkeypatch: pytest.MonkeyPatch, *, stop_after: int | None = None) -> list[int]:
    """Let every fifth decision be a puzzle; return the steps that are searched."""
    steps: list[int] = []

    def search(record: GameRecord, step: int, *, rollouts: int, played: str, **_: object) -> Puzzle | None:
        if len(steps) == stop_after:
            raise KeyboardInterrupt
        steps.append(step)
        if step % 5:
            return None
        return Puzzle(record, step, played, advise(record, step=step, rollouts=rollouts).table)

    monkeypatch.setattr(import_module("ttr_analysis.studies.puzzles"), "find_puzzle", search)
    return steps


def test_a_search_resumes_where_it_was_interrupted(
    reviews: list[Review], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = partial(puzzles, reviews, n=3, rollouts=40, progress=False)
    with monkeypatch.context() as patch:
        in_one_go = searched(patch)
        whole = look()
    path = tmp_path / "search"
    with monkeypatch.context() as patch:
        before = searched(patch, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            look(path=path)
    with monkeypatch.context() as patch:
        after = searched(patch)
        found = look(path=path)

    assert before + after == in_one_go
    assert found == whole
    assert [one.table["move"].tolist() for one in found] == [one.table["move"].tolist() for one in whole]
    assert [one.lead for one in found] == pytest.approx([one.lead for one in whole], abs=1e-4)


def test_a_search_keeps_its_time_and_what_it_found(
    reviews: list[Review], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search"
    steps = searched(monkeypatch)
    module = import_module("ttr_analysis.studies.puzzles")
    ticks = count()
    monkeypatch.setattr(module, "perf_counter", lambda: 0.05 * len(steps) + 1e-6 * next(ticks))  # 0.05 a search
    short = puzzles(reviews, n=100, rollouts=40, seconds=0.2, path=path, progress=False)
    n_searched = len(steps)
    assert n_searched == 4
    again = puzzles(reviews, n=100, rollouts=40, seconds=1e-9, path=path, progress=False)
    assert len(steps) == n_searched
    assert again == short

    path.write_text(path.read_text().replace(f'"{__version__}"', '"0.8"'))
    puzzles(reviews, n=100, rollouts=40, seconds=0.2, path=path, progress=False)
    assert steps[n_searched:] == steps[:n_searched]  # begun anew


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is not a saved search"),
        (f'{{"search": {{"version": "{__version__}", "seed": 1}}, "decisions": {{}}}}', "belongs to another search"),
        (
            f'{{"search": {{"version": "{__version__}"}}, "decisions": {{"a 1": [{{"move": "draw"}}]}}}}',
            "is not a saved search",
        ),
    ],
)
def test_a_file_of_another_search_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "search").write_text(content)
    with pytest.raises(ValueError, match=message):
        puzzles([], path=tmp_path / "search")


def test_payments_and_slots_count_as_one_move(shipped: tuple[Puzzle, ...]) -> None:
    for puzzle in shipped:
        for row, move in enumerate(puzzle.table["move"]):
            found = puzzle.find(puzzle.read(move))
            assert found is not None
            assert found <= row


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="n must be a whole number of 1 or more, got 0"):
        puzzles([], n=0)
    with pytest.raises(ValueError, match="rollouts must be a whole number"):
        puzzles([], rollouts=0)
    with pytest.raises(ValueError, match="seconds must be a number above 0, got 0"):
        puzzles([], seconds=0)


def test_all_faults_of_a_file_are_told(shipped: tuple[Puzzle, ...], tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    save_puzzles(shipped[:1], path)
    line = path.read_text("utf-8")
    path.write_text(line.replace('"seats": ', '"seats": 9') + "nonsense\n" + line.replace('"step": ', '"step": 9'))
    with pytest.raises(RecordError) as caught:
        load_puzzles(path)
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3]


def test_the_name_of_a_map_leads_to_no_file(shipped: tuple[Puzzle, ...], tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    save_puzzles(shipped[:1], path)
    name = shipped[0].record.map.name
    shutil.copytree(data_folder() / name, tmp_path / "mine")
    path.write_text(path.read_text("utf-8").replace(f'"{name}"', json.dumps(str(tmp_path / "mine")), 1), "utf-8")
    with pytest.raises(RecordError, match="expected one of the maps"):
        load_puzzles(path)


def test_puzzles_of_your_own_map_are_read_with_it(shipped: tuple[Puzzle, ...], tmp_path: Path) -> None:
    game_map = load("invented")
    record = Game(game_map, 2).play(["Planner", "Greedy"], seed=7)
    made = Puzzle(record, 20, "", advise(record, step=20, rollouts=50).table)
    path = tmp_path / "mine.jsonl"
    save_puzzles([made, *shipped[:2]], path)

    for given in (game_map, INVENTED):
        found = load_puzzles(path, given)
        assert [one.key for one in found] == [made.key, *(one.key for one in shipped[:2])]
        assert found[0].record.map == game_map
        assert found[0].table["move"].tolist() == made.table["move"].tolist()
    with pytest.raises(RecordError, match=r"expected one of the maps .*, or game_map, got 'invented'"):
        load_puzzles(path)


def test_a_record_of_a_position_is_a_puzzle_too(shipped: tuple[Puzzle, ...], tmp_path: Path) -> None:
    puzzle = next(one for one in shipped if one.view.phase.name == "TURN")
    record = GameRecord.from_position(puzzle.state)
    made = Puzzle(record, 0, "", puzzle.table)
    save_puzzles([made], tmp_path / "one.jsonl")
    assert load_puzzles(tmp_path / "one.jsonl")[0].view.hand == puzzle.view.hand
