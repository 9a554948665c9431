"""Who waits long for the compiler is told how long; nobody else."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from ttr_analysis._compile import notice

LONG = "\n" * 30_000
SHORT = "\n" * 3_000


def test_a_long_wait_is_announced_with_an_estimate_where_somebody_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notice, "is_watched", lambda: True)

    notice.announce("policies.planner.choose", LONG)

    assert (
        capsys.readouterr().err == "ttr_analysis: compiling policies.planner.choose, about 5 s; it is kept for later\n"
    )


@pytest.mark.parametrize(("text", "is_watched"), [(SHORT, True), (LONG, False)], ids=["short", "nobody watches"])
def test_else_nothing_is_said(
    text: str,
    is_watched: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(notice, "is_watched", lambda: is_watched)

    notice.announce("policies.planner.choose", text)

    assert capsys.readouterr().err == ""


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

    assert notice.is_watched() == is_watched
