"""Who waits for the compiler is told so; nobody else."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tqdm import tqdm

from tests.compile.loading import load
from ttr_analysis._compile import build

DOUBLE = """
@compiled
def double(n: int) -> int:
    return 2 * n
"""
NOTICE = "ttr_analysis: compiling doubling.double, about "


@pytest.fixture(name="watched")
def _watched(builds: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A user who watches, and whose machine is slow."""
    monkeypatch.setattr(build, "is_watched", lambda: True)
    monkeypatch.setattr(build, "_LINES_PER_SECOND", 1)
    return builds


def complaint(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a first call in a new process prints on standard error."""
    assert load(folder, DOUBLE, name="doubling").double(4) == 8
    return capsys.readouterr().err


def test_compilation_is_announced_once_where_somebody_watches(
    tmp_path: Path, watched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = complaint(tmp_path, capsys)
    assert said.startswith(NOTICE)
    assert said.endswith(" s; the result is cached\n")
    assert said.count("\n") == 1

    assert complaint(tmp_path, capsys) == ""  # it was kept
    assert watched == ["double"]


@pytest.mark.usefixtures("watched")
def test_a_notice_does_not_run_into_a_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tqdm(total=2, leave=False, file=sys.stderr) as bar:
        bar.update()
        said = complaint(tmp_path, capsys)

    assert [line.startswith(NOTICE) for line in said.splitlines() if "compiling" in line] == [True]


@pytest.mark.parametrize(("name", "value"), [("is_watched", lambda: False), ("_LINES_PER_SECOND", 1 << 20)])
@pytest.mark.usefixtures("watched")
def test_nothing_is_said_where_nobody_watches_or_it_takes_no_time(
    name: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, name, value)

    assert complaint(tmp_path, capsys) == ""


@pytest.mark.parametrize(
    ("is_terminal", "shell", "is_watched"),
    [(True, None, True), (False, None, False), (False, "running", True), (True, "running", True)],
)
def test_a_terminal_and_a_notebook_are_watched(
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,
    shell: str | None,
    is_watched: bool,
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: is_terminal))

    assert build.is_watched() == is_watched
