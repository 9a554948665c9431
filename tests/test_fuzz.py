"""The long run of damaged files: readers read or refuse, what goes wrong is found, kept small, and tried again."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("resource")

from scripts import fuzz
from tests.fuzzing import trial
from tests.fuzzing.mutations import CHANGES, _Damage
from tests.fuzzing.subjects import SUBJECTS, RefusedError, Subject, refusing
from tests.fuzzing.trial import shrunk, tried

SEED = 2
N_MUTANTS = {"maps": 24, "records": 60, "notation": 12, "logs": 24, "simulations": 6, "resumed": 8}


@pytest.mark.parametrize("name", SUBJECTS)
def test_damaged_files_are_read_or_refused_as_documented(name: str, tmp_path: Path) -> None:
    fuzz._warm_up(name, tmp_path)
    outcomes = [fuzz._try(name, number, SEED, tmp_path) for number in range(N_MUTANTS[name])]

    assert [outcome.told for outcome in outcomes if outcome.find] == []
    n_refused = sum(not outcome.was_read for outcome in outcomes)
    least = 1 / 8 if name == "resumed" else 1 / 4  # a run that is resumed makes most files again
    assert n_refused >= least * len(outcomes)
    assert n_refused < len(outcomes) or len(outcomes) < 24, "of many some are read"


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_mutant_is_the_same_whenever_it_is_asked_for(name: str) -> None:
    subject = SUBJECTS[name]
    mutants = [subject.mutant(SEED, number) for number in range(20)]

    assert [subject.mutant(SEED, number) for number in range(20)] == mutants
    assert mutants[0] not in mutants[1:]
    assert subject.mutant(SEED + 1, 0) != mutants[0]


def test_every_change_takes_any_file() -> None:
    damage = _Damage(np.random.default_rng(SEED), [b"Oslo"], b"")
    for change in CHANGES:
        for content in (b"", b"\n", b"Oslo,3\nBergen,12\n"):
            results = {change(damage, content) for _ in range(40)}
            assert results - {content} or not content.strip()


# -- finds -----------------------------------------------------------------------------------------------------------

RIGHT = {"a.txt": b"one\ntwo\nthree\n", "b.txt": b"four\n"}


def reader(use: Callable[[bytes], object]) -> Subject:
    """Return who reads files called a.txt."""

    def read(folder: Path, _: int) -> None:
        file = folder / "a.txt"
        with refusing(ValueError):
            use(file.read_bytes() if file.is_file() else b"")

    return Subject("lines", lambda: [RIGHT], read)


def int_of(content: bytes) -> int:
    return int(content.split()[0])


def item_of(content: bytes) -> bytes:
    return content.splitlines()[2]


def test_documented_errors_are_refusals_and_others_are_finds(tmp_path: Path) -> None:
    assert tried(reader(int_of), RIGHT, tmp_path / "m").find == ""
    assert not tried(reader(int_of), RIGHT, tmp_path / "m").was_read
    assert tried(reader(item_of), RIGHT, tmp_path / "m").was_read

    outcome = tried(reader(item_of), {"a.txt": b"one\n", "c/": b""}, tmp_path / "m")

    assert (outcome.find, outcome.was_read) == ("IndexError in test_fuzz.py, item_of", False)
    assert "list index out of range" in outcome.told
    assert {path.name for path in (tmp_path / "m").iterdir()} == {"a.txt", "c"}


@pytest.mark.parametrize("message", ["", "\x1b[31m", "x" * 60_000], ids=["empty", "colors", "endless"])
def test_a_message_that_cannot_be_printed_is_a_find(message: str) -> None:
    with pytest.raises(AssertionError, match=r"message"), refusing(ValueError):
        raise ValueError(message)
    with pytest.raises(RefusedError), refusing(ValueError):
        raise ValueError("no number:\n  line 3")


def test_what_takes_long_or_much_memory_is_a_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_: bytes) -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    monkeypatch.setattr(trial, "MOST_SECONDS", 0.02)
    assert tried(reader(wait), RIGHT, tmp_path / "m").find == "slow"
    monkeypatch.setattr(trial, "MOST_SECONDS", 10.0)
    peaks = iter([100.0, 401.0])
    monkeypatch.setattr(trial, "_peak", lambda: next(peaks))
    assert tried(reader(len), RIGHT, tmp_path / "m").find == "large"


def test_files_are_made_as_small_as_they_can_be() -> None:
    files = {"a.txt": b"one\ntwo\n<bad!> three\n" * 20, "b.txt": b"six\n", "c.txt": b"x"}

    smallest = shrunk(files, [RIGHT], lambda other: b"bad" in other["a.txt"] and b"!" in other["a.txt"])

    assert smallest == {"a.txt": b"bad!", "b.txt": RIGHT["b.txt"], "c.txt": b""}


# -- the run ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return the command; threads start at once, processes take seconds."""
    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", lambda *_, **__: ThreadPoolExecutor(1))
    monkeypatch.setattr(fuzz, "_sources", lambda: "these")
    monkeypatch.setattr(fuzz, "SUBJECTS", {"lines": reader(lambda content: content.decode("ascii"))})
    monkeypatch.setattr(fuzz, "SHARES", {"lines": 1.0})
    monkeypatch.setattr(fuzz, "_WARM", set())

    def command(*options: str) -> int:
        monkeypatch.setattr(sys, "argv", ["fuzz", "--out", str(tmp_path), "--processes", "1", *options])
        return fuzz.main()

    return command


def test_a_run_goes_on_where_the_last_one_stopped(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--mutants", "250", "--minutes", "0") == 0
    assert "250 mutants are left to try" in capsys.readouterr().out
    assert run("--mutants", "150") == 0
    assert "all mutants were tried" in capsys.readouterr().out
    progress = fuzz._load(tmp_path, 1)
    assert progress.figures["lines"].tried == 150
    assert [block[1:3] for block in fuzz._blocks(progress, 280)] == [(150, 100), (250, 30)]

    monkeypatch.setattr(fuzz, "_sources", lambda: "others")
    assert fuzz._load(tmp_path, 1).figures["lines"].tried == 0
    assert "starting over" in capsys.readouterr().out
    assert not tmp_path.exists()


def test_a_find_is_written_down_with_the_smallest_files_that_show_it(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def use(content: bytes) -> None:
        if b"three" not in content:
            raise KeyError("three")

    monkeypatch.setattr(fuzz, "SUBJECTS", {"lines": reader(use)})

    assert run("--mutants", "100") == 1

    said = capsys.readouterr().out
    assert said.count("KeyError") == 1, "the others are of the same kind"
    (folder,) = (tmp_path / "finds").iterdir()
    assert folder.name in said
    assert not any(file.stat().st_size for file in (folder / "smallest").glob("a.txt"))
    assert "KeyError: 'three'" in (folder / "find.txt").read_text()
    assert run("--again", folder.name) == 1
    assert "KeyError: 'three'" in capsys.readouterr().out


def test_a_process_that_dies_is_a_find_and_passed_over_by_the_next_run(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def submit(*_: object) -> Future[Any]:
        (tmp_path / "running" / "77").write_text("lines-42 1")
        (tmp_path / "running" / "78").write_text("lines-7 1")
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool())
        return future

    def again(command: list[str], **_: object) -> SimpleNamespace:
        return SimpleNamespace(returncode=-11 if "lines-42" in command else 0)

    with monkeypatch.context() as broken:
        broken.setattr(fuzz, "ProcessPoolExecutor", lambda *_, **__: SimpleNamespace(submit=submit, shutdown=dict))
        broken.setattr(subprocess, "run", again)
        assert run("--mutants", "100") == 1
    assert "lines-42: the process died, or hung" in capsys.readouterr().out
    assert (tmp_path / "finds" / "lines-42" / "mutant" / "a.txt").exists()

    assert run("--mutants", "100") == 1
    data = json.loads((tmp_path / "progress.json").read_text())
    assert (data["figures"]["lines"]["tried"], data["figures"]["lines"]["finds"]) == (100, 1)


def test_what_goes_to_other_processes_and_back_can_travel() -> None:
    block = fuzz.Block("records", 0, 0, 1, frozenset())
    assert pickle.loads(pickle.dumps(block)) == block  # noqa: S301 - made here
    assert pickle.loads(pickle.dumps(fuzz._try_block))(block) == (fuzz.Figures(), [])  # noqa: S301
    assert sum(fuzz.SHARES.values()) == pytest.approx(1)
    assert fuzz.SHARES.keys() == SUBJECTS.keys()
