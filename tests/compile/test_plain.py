"""Without the compiler, or where it is not wanted, the same functions run as plain Python."""

import pickle
import subprocess
import sys
from pathlib import Path

from tests.compile.loading import run

TEXT = """
@compiled
def one(n: int) -> int:
    return n + 1

@compiled
def both(functions, i: int, n: int):
    return functions[i](n)

class State(Record):
    turn = cell()
    hand = block(2)

@compiled
def turn(state: State):
    state.turn += 1
    state.hand[state.turn] = 5
    return type(state).__name__  # no compiler would take this

from ttr_analysis._compile import build
build.is_watched = lambda: True
build._LINES_PER_SECOND = 1  # nothing is announced, since nothing is compiled
print(one(1), both(Functions((one,)), 0, 4), turn(State()), type(one).__name__)
"""
SAID = "2 5 State function\n"


def test_plain_where_it_is_wanted(tmp_path: Path) -> None:
    assert run(tmp_path, TEXT, TTR_PLAIN="1") == (SAID, "")
    assert not (tmp_path / "cache").exists()


def test_plain_where_llvmlite_is_missing(tmp_path: Path) -> None:
    hidden = "import sys\nsys.modules['llvmlite'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden, encoding="utf-8")
    said, complained = run(tmp_path, TEXT, PYTHONPATH=f"{tmp_path}:{Path(__file__).parents[2]}")
    assert said == SAID
    (line,) = complained.splitlines()
    assert line.startswith("ttr_analysis: no llvmlite (")
    assert "plain Python" in line


NOTEBOOK = """
import linecache, sys
source = '''
from ttr_analysis._compile import compiled
@compiled
def inner(n: int):
    return 2 * n
@compiled
def outer(n: int):
    return inner(n) + 1
'''
linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
exec(compile(source, "<cell>", "exec"), globals())
import cloudpickle
del __file__
sys.stdout.buffer.write(cloudpickle.dumps(outer))
"""


def test_functions_of_a_notebook_travel_with_their_text(tmp_path: Path) -> None:
    (tmp_path / "cell.py").write_text(NOTEBOOK, encoding="utf-8")
    packed = subprocess.run([sys.executable, str(tmp_path / "cell.py")], check=True, capture_output=True).stdout
    outer = pickle.loads(packed)
    assert outer(4) == 9
    assert pickle.loads(packed)(5) == 11
