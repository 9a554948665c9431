"""Who waits for the compiler is told so; nobody else."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import ttr_analysis as ttr
from tests.fresh import run_kernel
from ttr_analysis import GameMap
from ttr_analysis import _announcing as announcing
from ttr_analysis.analysis.paths import trail
from ttr_analysis.rules.trails import walked_trail

WATCHED = """
from ttr_analysis import _announcing as announcing
announcing.announce(read, "the reader")
announcing.is_watched = lambda: True
announcing.announce(read, "the reader")
read(np.arange(3), 1)
announcing.announce(read, "the reader")
"""


def test_compilation_is_announced_where_somebody_watches(tmp_path: Path) -> None:
    first = run_kernel(tmp_path, WATCHED)

    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr == "ttr_analysis: compiling the reader, once; it is kept for later ...\n"


def test_what_is_in_the_cache_is_not_announced(tmp_path: Path) -> None:
    run_kernel(tmp_path, WATCHED)

    assert run_kernel(tmp_path, WATCHED).stderr == ""


def test_what_is_not_compiled_is_not_announced(tmp_path: Path) -> None:
    assert run_kernel(tmp_path, WATCHED, NUMBA_DISABLE_JIT="1").stderr == ""


@pytest.mark.parametrize(
    ("is_terminal", "shell", "is_watched"),
    [(True, None, True), (False, None, False), (False, "running", True), (True, "running", True)],
)
def test_a_terminal_and_a_notebook_are_watched(
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,  # noqa: FBT001
    shell: str | None,
    is_watched: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: is_terminal))

    assert announcing.is_watched() == is_watched


def test_the_search_for_longest_trails_is_announced(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[object] = []
    monkeypatch.setattr(trail, "announce", lambda function, _what: announced.append(function))

    ttr.paths.longest_trail(nordic, nordic.routes)

    assert announced == [walked_trail]
