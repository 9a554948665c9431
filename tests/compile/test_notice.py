"""Who waits for the compiler is told so; nobody else."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.compile.loading import run
from ttr_analysis._compile import build

WATCHED = """
from ttr_analysis._compile import build

build.is_watched = lambda: True
build._LINES_PER_SECOND = 1

@compiled
def double(n: int) -> int:
    return 2 * n

print(double(4))
"""


def test_compilation_is_announced_where_somebody_watches(tmp_path: Path) -> None:
    said, complained = run(tmp_path, WATCHED)

    assert said == "8\n"
    assert complained.startswith("ttr_analysis: compiling __main__.double, about ")
    assert complained.endswith(" s; it is kept for later\n")
    assert complained.count("\n") == 1


def test_a_notice_does_not_run_into_a_bar(tmp_path: Path) -> None:
    bar = "from tqdm import tqdm\nbar = tqdm(total=2, leave=False)\nbar.update()\n"

    _, complained = run(tmp_path, WATCHED.replace("print", f"{bar}print"))

    notices = [line for line in complained.splitlines() if "compiling" in line]
    assert [line.startswith("ttr_analysis: compiling __main__.double, about ") for line in notices] == [True]


def test_what_is_kept_is_not_announced(tmp_path: Path) -> None:
    run(tmp_path, WATCHED)

    assert run(tmp_path, WATCHED) == ("8\n", "")


def test_plain_python_is_not_announced(tmp_path: Path) -> None:
    assert run(tmp_path, WATCHED, TTR_PLAIN="1") == ("8\n", "")


def test_what_takes_no_time_is_not_announced(tmp_path: Path) -> None:
    assert run(tmp_path, WATCHED.replace("build._LINES_PER_SECOND = 1\n", "")) == ("8\n", "")


def test_nothing_is_said_where_nobody_watches(tmp_path: Path) -> None:
    assert run(tmp_path, WATCHED.replace("build.is_watched = lambda: True\n", "")) == ("8\n", "")


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
