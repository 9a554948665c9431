"""`ttr-analysis train`: whose puzzles it shows, what it keeps, and what it refuses."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from tests.fixtures import Command
from tests.serving import served
from tests.studies.test_reviews import judge_only
from ttr_analysis import Game, GameRecord, cli
from ttr_analysis.cli import games
from ttr_analysis.studies import Puzzle, advise, load_puzzles, save_puzzles

pytestmark = pytest.mark.compiled_only


def test_a_folder_without_a_game_of_the_player_is_refused(command: Command) -> None:
    said = command("train --no-browser . --player Ann", code=cli.FAULTS)
    assert "no game of 'Ann' can be used" in said


def test_results_of_something_else_are_refused(tmp_path: Path, command: Command) -> None:
    (tmp_path / "mine.json").write_text("[]")
    said = command("train --no-browser --map usa --results mine.json", code=cli.USAGE)
    assert "does not contain training results" in said


def test_your_own_games_are_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Game("usa", 2).play(["Greedy", "Planner"], seed=1)
    replace(record, header=replace(record.header, players=("Ann/B", "Bo"))).save(tmp_path / "game.jsonl")
    options = (str(tmp_path), "--player", "Ann/B", "--minutes", "0.1", "--puzzles", "1")

    def any_decision(record: GameRecord, step: int, *, played: str, **_: object) -> Puzzle:
        return Puzzle(record, step, played, advise(record, step=step, rollouts=20).table)

    monkeypatch.setattr(import_module("ttr_analysis.studies.puzzles"), "find_puzzle", any_decision)
    judge_only(monkeypatch, range(30, 40))
    with games.train.make_context("train", [*options]):
        games._own_puzzles(tmp_path, "Ann/B", 0.001, 1)
    assert capsys.readouterr().out.startswith("reviewing games of Ann/B")
    found = load_puzzles(tmp_path / "Ann-B.puzzles")
    assert len(found) == 1
    assert found[0].seat == 0
    with served(*options, command="train", folder=tmp_path) as again:
        assert again.address.startswith("http://127.0.0.1")
        code, said, noted = again.stop()
    assert (code, said) == (0, "nothing was answered")
    assert noted == "1 puzzle found before; to look for more, give a larger --puzzles, or --minutes\n"


@pytest.mark.parametrize(
    ("options", "n_shown"),
    [
        pytest.param([], 3, id="nothing is asked for"),
        pytest.param(["--puzzles", "2"], 2, id="fewer"),
        pytest.param(["--puzzles", "3", "--minutes", "9"], 3, id="as many"),
        pytest.param(["--puzzles", "4"], 0, id="more"),
        pytest.param(["--minutes", "9"], 0, id="a longer search, for up to 20"),
    ],
)
def test_more_puzzles_than_were_found_before_are_looked_for(
    options: list[str], n_shown: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.jsonl").touch()
    os.utime(tmp_path / "game.jsonl", (0, 0))
    kept = tmp_path / "Ann.puzzles"
    save_puzzles(load_puzzles("usa")[:3], kept)
    with games.train.make_context("train", [str(tmp_path), "--player", "Ann", *options]) as context:
        assert len(games._kept_puzzles(kept, tmp_path, context.params["n"])) == n_shown
        assert ("3 puzzles found before" in capsys.readouterr().err) == (n_shown > 0)
        os.utime(tmp_path / "game.jsonl")
        assert games._kept_puzzles(kept, tmp_path, 1) == ()  # of a new game
