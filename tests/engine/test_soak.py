"""The long run of checked games: it plays what is left, keeps what is done, and stops at what is broken."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import SimpleNamespace

import pytest

from scripts import soak
from tests.engine.conformance import BrokenLawError, Combination
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.random import Random

USA = Combination("usa", "", 2)


@pytest.fixture(autouse=True)
def one_table_and_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play on one map; threads start at once, processes take seconds."""
    monkeypatch.setattr(soak, "every_combination", lambda **_: [USA])
    monkeypatch.setattr("multiprocessing.get_context", lambda _: SimpleNamespace(Pool=ThreadPool))


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> int:
    arguments = ["--games", "2", "--others", "0", "--processes", "1", "--out", str(folder), *options]
    monkeypatch.setattr(sys, "argv", ["soak", *arguments])
    return soak.main()


def left(folder: Path, n_games: int) -> list[tuple[str, int, int]]:
    done = soak._load(folder / "progress.json")
    blocks = soak._blocks(done, {Random.name: n_games, Greedy.name: n_games})
    return [(block.player, block.first, block.n_games) for block in blocks]


@pytest.mark.compiled_only
def test_a_run_goes_on_where_the_last_one_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, "--minutes", "0") == 0
    assert "no law is broken; 4 games are left to play" in capsys.readouterr().out
    assert left(tmp_path, 2) == [(Random.name, 0, 2), (Greedy.name, 0, 2)]

    assert run(monkeypatch, tmp_path, "--minutes", "5") == 0
    assert capsys.readouterr().out.endswith("\nno law is broken\n")
    assert left(tmp_path, 2) == []
    assert left(tmp_path, 5) == [(Random.name, 2, 3), (Greedy.name, 2, 3)]


def test_a_broken_law_ends_the_run_and_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(combination: Combination, players: list[object], seed: int, game: int, *, referee: bool) -> None:
        assert len(players) == combination.n_players
        assert referee == (game % 10 == 0)
        raise BrokenLawError(f"{combination}, seed {seed}, game {game}: cards are lost")

    monkeypatch.setattr(soak, "check_game", check)

    assert run(monkeypatch, tmp_path, "--minutes", "1") == 1
    assert capsys.readouterr().out.endswith(f"{USA}, seed {soak.SEED}, game 0: cards are lost\n")
    assert left(tmp_path, 2) == [(Random.name, 0, 2), (Greedy.name, 0, 2)]


def test_what_goes_to_other_processes_and_back_can_travel() -> None:
    block = soak.Block(USA, Random.name, 0, 0)
    assert pickle.loads(pickle.dumps(block)) == block  # noqa: S301 - made here
    assert pickle.loads(pickle.dumps(soak._play_block))(block) == (block, Counter(), "")  # noqa: S301


def test_other_sources_and_a_damaged_file_begin_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "progress.json"
    done = {(str(USA), Random.name): Counter(trains=2)}
    monkeypatch.setattr(soak, "_sources", lambda: "these")
    soak._save(file, done)
    assert soak._load(file) == done

    monkeypatch.setattr(soak, "_sources", lambda: "others")
    assert soak._load(file) == {}
    assert "the sources have changed" in capsys.readouterr().out

    file.write_text('{"sources": ', encoding="utf-8")
    assert soak._load(file) == {}
    assert "cannot be read: starting over" in capsys.readouterr().out
