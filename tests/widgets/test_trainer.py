"""The trainer: answers are judged, results are kept, what was missed comes back, and only what the seat saw is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ttr_analysis import Game, GameError, GameRecord
from ttr_analysis.studies import Puzzle, load_puzzles
from ttr_analysis.viz.words import Narration, tell
from ttr_analysis.widgets import Trainer
from ttr_analysis.widgets import trainer as trainer_module
from ttr_analysis.widgets.trainer import Results

pytestmark = pytest.mark.compiled_only

PUZZLES = load_puzzles("usa")[:5]


def wrong(trainer: Trainer) -> str:
    """Return a move that is not the best."""
    puzzle = trainer.puzzle
    return next(str(move) for move in puzzle.table["move"] if puzzle.find(puzzle.read(move)) != 0)


def best(trainer: Trainer) -> str:
    return str(trainer.puzzle.table["move"].iloc[0])


def test_the_best_move_is_right_and_shown_with_its_worth() -> None:
    trainer = Trainer(PUZZLES)
    assert trainer.answer(best(trainer))
    answered = trainer.answered
    first, second = answered["rows"][:2]
    assert answered["right"]
    assert answered["heading"] == "That is the best move"
    assert first["who"] == "Best"
    assert "% to win (" in first["win"]
    assert second["cost"].startswith("costs ")
    assert trainer.tally == "1 of 5 solved"
    assert trainer.now["options"] is None
    with pytest.raises(GameError, match="already answered"):
        trainer.answer(best(trainer))


def test_another_move_is_shown_beside_the_best_one() -> None:
    trainer = Trainer(PUZZLES)
    line = wrong(trainer)
    assert not trainer.answer(line)
    assert [row["who"] for row in trainer.answered["rows"][:2]] == ["Best", "You"]
    assert trainer.answered["rows"][1]["cost"].startswith("costs ")
    assert trainer.tally == "0 of 5 solved, 1 to come back"


UNTRIED = next(one for one in load_puzzles("nordic") if one.find(one.read(one.played)) is None)


@pytest.mark.parametrize(
    ("played", "line", "rows"),
    [
        pytest.param(UNTRIED.played, UNTRIED.table["move"].iloc[0], ["Best", "In the game"], id="the best move"),
        pytest.param(UNTRIED.played, UNTRIED.table["move"].iloc[1], ["Best", "You", "In the game"], id="another one"),
        pytest.param(UNTRIED.played, "Lahti-Tampere blue 1", ["Best", "You", "In the game"], id="another untried one"),
        pytest.param(UNTRIED.played, UNTRIED.played, ["Best", "You"], id="the one played"),
        pytest.param("keep all", UNTRIED.played, ["Best", "You", "In the game"], id="the one played cannot be read"),
        pytest.param("", UNTRIED.table["move"].iloc[0], ["Best", "Second"], id="the one played is not known"),
    ],
)
def test_what_was_played_is_shown_though_no_search_tried_it(played: str, line: str, rows: list[str]) -> None:
    trainer = Trainer([replace(UNTRIED, played=played)])
    trainer.answer(line)
    shown = trainer.answered["rows"]
    assert [row["who"] for row in shown] == rows
    assert all(row["win"] == "not measured" for row in shown if row["who"] == "In the game")


def test_a_missed_puzzle_comes_back_after_three_others() -> None:
    trainer = Trainer(PUZZLES)
    missed = trainer.puzzle
    trainer.answer(wrong(trainer))
    seen = []
    for _ in range(4):
        trainer.next()
        seen.append(trainer.puzzle)
        trainer.answer(best(trainer))
    assert seen.index(missed) == 3
    assert trainer.tally == "4 of 5 solved"


def test_results_are_kept_and_missed_ones_come_first(tmp_path: Path) -> None:
    path = tmp_path / "new" / "training.json"
    trainer = Trainer(PUZZLES, results=path)
    trainer.answer(best(trainer))
    trainer.next()
    missed = trainer.puzzle
    trainer.answer(wrong(trainer))

    again = Trainer(PUZZLES, results=path)

    assert again.puzzle == missed
    assert again.tally == "1 of 5 solved, 1 to come back"


def test_an_answer_that_cannot_be_saved_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    trainer = Trainer(PUZZLES, results=tmp_path / "file" / "training.json")
    with pytest.raises(OSError, match="file"):
        trainer.answer(best(trainer))
    assert trainer.answered == {}
    assert trainer.tally == "0 of 5 solved"
    assert trainer._results.solved(trainer.puzzle.key) is None


@pytest.mark.parametrize("content", ["", "[]", '{"answers": 3}', '{"answers": {"a": 3}}'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(GameError, match="does not contain training results"):
        Trainer(PUZZLES, results=path)


def test_without_puzzles_there_is_no_trainer() -> None:
    with pytest.raises(ValueError, match="at least one puzzle"):
        Trainer([])


def test_the_order_is_missed_new_solved() -> None:
    results = Results()
    for key, is_right in [("a", True), ("b", False), ("c", True), ("a", True)]:
        results.add(key, is_right=is_right)
    assert results.in_order(["a", "b", "c", "d"]) == ["b", "d", "c", "a"]


@pytest.mark.parametrize("name", ["usa", "europe", "nederland", "nordic", "switzerland"])
def test_the_page_gets_only_what_the_seat_saw(name: str) -> None:
    trainer = Trainer(load_puzzles(name))
    for _ in range(10):
        seat = trainer.facts["seat"]
        for other, seen in enumerate(trainer.now["moment"]["seats"]):
            if other != seat:
                assert all(ticket == -1 for ticket, *_ in seen["tickets"])
                assert all(ticket == -1 for ticket in seen["offer"])
        assert "win" not in json.dumps(trainer.now["options"])
        assert trainer.answered == {}
        trainer.next()


@pytest.mark.parametrize(("step", "n_seen"), [(1, 1), (40, 41)])
def test_of_a_whole_game_only_what_came_before_is_told(step: int, n_seen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """While opening tickets are chosen, nobody sees how many the others keep."""
    record = Game("usa", 2).play(["Greedy", "Planner"], seed=1)
    told: list[GameRecord] = []

    def tell_it(seen: GameRecord) -> Iterator[Narration]:
        told.append(seen)
        return tell(seen)

    monkeypatch.setattr(trainer_module, "tell", tell_it)
    trainer = Trainer([Puzzle(record, step, "", PUZZLES[0].table)])

    log = trainer.now["log"]
    assert [len(seen.steps) for seen in told] == [n_seen]
    assert log == [
        [one.seat, one.text, one.route.id if one.route else None]
        for one in list(tell(record.watched_from(trainer.facts["seat"])))[:n_seen]
    ]


def test_messages_answer_and_go_on() -> None:
    trainer = Trainer(PUZZLES)
    step = trainer.now["step"]
    trainer._handle({"do": "move", "step": step, "line": "claim the moon"})
    assert "expected" in str(trainer.problem["text"])
    trainer._handle({"do": "move", "step": step + 1, "line": best(trainer)})
    assert trainer.answered == {}
    trainer._handle({"do": "move", "step": step, "line": best(trainer)})
    assert trainer.answered["right"]
    trainer._handle({"do": "next", "step": step})
    assert trainer.now["step"] == step + 1
    trainer._handle({"do": "about", "route": trainer.puzzle.record.map.routes[0].id})
    assert "point" in str(trainer.about["words"])
    trainer._handle({"do": "nonsense"})
