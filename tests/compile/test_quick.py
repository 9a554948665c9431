"""What Python calls move by move is compiled quickly, and thoroughly where compiled code calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compile.loading import HEAD, load, run
from ttr_analysis._compile.calls import _rebuilt

MOVE = """
from ttr_analysis._arrays import Ints
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
COUNTED = """
from ttr_analysis._compile import build

made = []
compile_now = build._compile

def counted(source, kinds, effort, file):
    made.append(f"{source.function.__name__} {'soon' if effort == build._QUICK else 'well'}")
    return compile_now(source, kinds, effort, file)

build._compile = counted

from rules import play, remainder

hand = np.array([5, 7, 2])
"""
CALLS = {"move": "print(remainder(hand, 2))", "game": "print(play(Functions((remainder,)), hand, 2))"}


def said(folder: Path, *order: str) -> list[str]:
    """Return what moves and games in a new process give, and at last what was compiled for them, and how hard."""
    (folder / "rules.py").write_text(HEAD + MOVE + GAME, encoding="utf-8")
    calls = "\n".join(CALLS[call] for call in order)
    return run(folder, f"{COUNTED}\n{calls}\nprint(*made, sep=', ')")[0].splitlines()


def test_a_move_is_compiled_without_passes_and_a_game_with_them(tmp_path: Path) -> None:
    assert said(tmp_path, "move", "game", "move") == ["10", "10", "10", "remainder soon, remainder well, play well"]


def test_moves_take_what_games_have_left(tmp_path: Path) -> None:
    said(tmp_path, "game")

    assert said(tmp_path, "move") == ["10", ""]


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


def test_no_notice_is_given(tmp_path: Path) -> None:
    watched = "from ttr_analysis._compile import build\nbuild.is_watched = lambda: True\nbuild._LINES_PER_SECOND = 1\n"

    assert run(tmp_path, f"{watched}{MOVE}\nprint(remainder(np.array([5, 7, 2]), 2))") == ("10\n", "")
