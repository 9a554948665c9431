"""What Python calls move by move is compiled quickly, and thoroughly where compiled code calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compile.loading import load
from ttr_analysis._compile import Functions, build
from ttr_analysis._compile.calls import _rebuilt

MOVE = """
from ttr_analysis._compile import Ints
from ttr_analysis._compile import quickly_compiled

@quickly_compiled
def remainder(hand: Ints, n: int) -> int:
    total = 0
    for i in range(len(hand)):
        total = (3 * total + hand[i]) // n
    return total
"""
GAME = """
@compiled
def play(choosers: Functions, hand: Ints, n: int) -> int:
    return choosers[0](hand, n)
"""


def answers(folder: Path, *order: str) -> list[int]:
    """Return what moves and games in a new process give."""
    rules = load(folder, MOVE + GAME, name="kept_rules")
    hand = rules.np.array([5, 7, 2])
    calls = {
        "move": lambda: rules.remainder(hand, 2),
        "game": lambda: rules.play(Functions((rules.remainder,)), hand, 2),
    }
    return [calls[call]() for call in order]


def test_a_move_is_compiled_without_passes_and_a_game_with_them(tmp_path: Path, builds: list[str]) -> None:
    assert answers(tmp_path, "move", "game", "move") == [10, 10, 10]
    assert builds == ["remainder quickly", "remainder", "play"]


def test_moves_take_what_games_have_left(tmp_path: Path, builds: list[str]) -> None:
    answers(tmp_path, "game")
    builds.clear()

    assert answers(tmp_path, "move") == [10]
    assert builds == []


@pytest.mark.usefixtures("build")
def test_it_computes_as_python_does(tmp_path: Path) -> None:
    quick = load(tmp_path, MOVE)
    plain = load(tmp_path, MOVE.replace("@quickly_compiled", ""))

    hand = quick.np.array([4, 0, -3, 8])
    assert quick.remainder(hand, 2) == plain.remainder(hand, 2)
    with pytest.raises(ZeroDivisionError, match="in remainder, line"):
        quick.remainder(hand, 0)


def test_with_checks_it_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTR_CHECKS", "1")
    quick = load(tmp_path, MOVE.replace("hand[i]", "hand[i + 1]"))

    with pytest.raises(IndexError, match="index out of range in remainder, line"):
        quick.remainder(quick.np.array([4, 1]), 2)


@pytest.mark.parametrize("is_quick", [False, True])
def test_a_function_of_a_notebook_is_as_quick_in_another_process(tmp_path: Path, *, is_quick: bool) -> None:
    quick = load(tmp_path, MOVE)

    sent = _rebuilt(quick.remainder.source.function, quick.remainder.source.text.lines, is_quick)

    assert sent.is_quick == is_quick
    assert sent(quick.np.array([5, 7, 2]), 2) == 10


def test_no_notice_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "is_watched", lambda: True)
    monkeypatch.setattr(build, "_LINES_PER_SECOND", 1)
    quick = load(tmp_path, MOVE)

    assert quick.remainder(quick.np.array([5, 7, 2]), 2) == 10
    assert capsys.readouterr().err == ""
