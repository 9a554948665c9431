"""Machine code is kept on disk, and made anew when anything that it depends on has changed."""

import ctypes
import gc
import importlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.compile.loading import HEAD, load, start, write
from ttr_analysis._compile import build
from ttr_analysis._compile.types import NONE

MAIN = """
import kept_rules
from kept_rules import Kind, Point, State, helper

@compiled
def main(n: int, state: State):
    return kept_rules.LIMIT * n + helper(n) + Kind.SECOND, Point(1, 2).x, state.turn
"""
RULES = """
from enum import IntEnum

LIMIT = 10

class Kind(IntEnum):
    FIRST = 1
    SECOND = 2

class Point(NamedTuple):
    x: int
    y: int

class State(Record):
    turn = cell()
    seat = cell()

STEP = 3

@compiled
def helper(n, step=STEP):
    return n + step
"""


def answer(folder: Path, main: str = MAIN, rules: str = RULES) -> object:
    """Return what a program gives as if in a new process."""
    for name, text in (("kept_rules", rules), ("kept_main", main)):
        sys.modules.pop(name, None)
        (folder / f"{name}.py").write_text(HEAD + text, encoding="utf-8")
    importlib.invalidate_caches()
    module = importlib.import_module("kept_main")
    return module.main(4, module.State(np.array([7, 8])))


def test_code_is_loaded_where_nothing_changed(tmp_path: Path, builds: list[str]) -> None:
    for _ in range(3):
        assert answer(tmp_path) == (10 * 4 + 7 + 2, 1, 7)
    assert builds == ["main"]
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == ["", ".bin"]  # one for locks


WITHOUT_HELPER = MAIN.replace("State, helper", "State").replace("helper(n)", "7")


@pytest.mark.parametrize(
    ("main", "old", "new", "wanted"),
    [
        pytest.param(MAIN, "STEP = 3", "STEP = 4", (50, 1, 7), id="a default"),
        pytest.param(MAIN, "return n + step", "return n - step", (43, 1, 7), id="a callee"),
        pytest.param(MAIN, "helper(n, ", "helper(n: float, ", (49.0, 1, 7), id="a callee's type"),
        pytest.param(WITHOUT_HELPER, "LIMIT = 10", "LIMIT = 20", (89, 1, 7), id="a constant"),
        pytest.param(WITHOUT_HELPER, "SECOND = 2", "SECOND = 5", (52, 1, 7), id="a member"),
        pytest.param(WITHOUT_HELPER, "x: int\n    y: int", "y: int\n    x: int", (49, 2, 7), id="items"),
        pytest.param(WITHOUT_HELPER, "turn = cell()\n    seat", "seat = cell()\n    turn", (49, 1, 8), id="fields"),
    ],
)
def test_a_change_elsewhere_is_noticed(
    main: str, old: str, new: str, wanted: tuple[float, ...], tmp_path: Path, builds: list[str]
) -> None:
    # Without the helper, the file that changes has no compiled function.
    rules = RULES if main == MAIN else RULES.partition("STEP = ")[0]
    assert old in rules
    assert answer(tmp_path, main, rules) == (49, 1, 7)
    for _ in range(2):
        assert answer(tmp_path, main, rules.replace(old, new)) == wanted
    assert builds == ["main", "main"]


def test_an_edit_of_the_source_is_noticed(tmp_path: Path, builds: list[str]) -> None:
    answer(tmp_path)
    assert answer(tmp_path, MAIN.replace("* n +", "* n -")) == (40 - 7 + 2, 1, 7)
    assert builds == ["main", "main"]


def test_what_runs_is_what_was_imported(tmp_path: Path) -> None:
    text = "\n@compiled\ndef f(n: int):\n    return n + 1\n"
    module = load(tmp_path, text)
    Path(str(module.__file__)).write_text("\n\n# another text\n" + HEAD + text.replace("1", "2"), encoding="utf-8")
    assert module.f(1) == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content[:2000] + b"x" + content[2001:],
        lambda content: b"something else\n" + content,
        lambda content: b"\0" * len(content),
    ],
)
def test_a_spoilt_file_is_made_anew(spoil: Callable[[bytes], bytes], tmp_path: Path, builds: list[str]) -> None:
    answer(tmp_path)
    (file,) = (tmp_path / "cache").glob("*.bin")
    whole = file.read_bytes()
    file.write_bytes(spoil(whole))
    assert answer(tmp_path) == (49, 1, 7)
    assert answer(tmp_path) == (49, 1, 7)
    assert builds == ["main", "main"]


FACTORY = """
n = 3

def make(n):
    @compiled
    def f(x: int):
        return x + n
    return f
"""


def test_functions_of_a_factory_do_not_share_code(tmp_path: Path) -> None:
    module: ModuleType = load(tmp_path, FACTORY)
    assert [module.make(n)(1) for n in (3, 5, 3, 7)] == [4, 6, 4, 8]


INNER = """
def make():
    class Pair(NamedTuple):
        a: int
        b: int
    @compiled
    def f(x: int):
        return Pair(x, 2)
    return f

@compiled
def g(pair):
    return pair
print(make()(1), g(make()(2)))
"""


def test_a_class_inside_a_function_is_not_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        load(tmp_path, INNER, name="with_inner_class")
        assert capsys.readouterr().out == "Pair(a=1, b=2) Pair(a=2, b=2)\n"


SLOW = "\n".join(
    [
        "import threading, time",
        *[f"@compiled\ndef f{i}(n: int):\n    return n * {i} + {f'f{i - 1}(n)' if i else '1'}\n" for i in range(40)],
        "found = []",
        "threads = [threading.Thread(target=lambda: found.append(f39(2))) for _ in range(4)]",
        "for thread in threads: thread.start()",
        "for thread in threads: thread.join()",
        "print(set(found))",
    ]
)


def test_processes_and_threads_at_once(tmp_path: Path) -> None:
    script = write(tmp_path, SLOW)
    processes = [start(script) for _ in range(2)]
    answers = [process.communicate(timeout=120) for process in processes]
    for said, complained in answers:
        assert said == f"{{{2 * 39 * 20 + 1}}}\n", complained
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == ["", ".bin"]


def test_threads_at_once(tmp_path: Path, builds: list[str]) -> None:
    module = load(tmp_path, "\n@compiled\ndef f(n: int):\n    return n + 1\n")
    all_there = threading.Barrier(8)

    def call(n: int) -> object:
        all_there.wait()
        return module.f(n)

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(call, range(8))] == [*range(1, 9)]
    assert builds == ["f"]


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for folder in ("/proc/nothing", str(tmp_path / "file" / "cache")):
        monkeypatch.setenv("TTR_CACHE_DIR", folder)
        build.cache_folder.cache_clear()
        assert answer(tmp_path) == (49, 1, 7)
        assert build.cache_folder().name.startswith("ttr_analysis-")
    assert builds == ["main", "main"]


def test_the_checked_build_is_kept_apart(tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for checks in ("0", "1", "0"):
        monkeypatch.setenv("TTR_CHECKS", checks)
        assert answer(tmp_path) == (49, 1, 7)
    assert builds == ["main", "main"]


def test_windows_gets_code_that_its_linker_can_place(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    import llvmlite.binding as llvm

    real = llvm.create_lljit_compiler

    def create(target: object, *, use_jit_link: bool) -> object:
        assert not use_jit_link, "JITLink is not currently available on Windows"  # as llvmlite says there
        return real(target, use_jit_link=use_jit_link)

    monkeypatch.setattr(llvm, "create_lljit_compiler", create)
    monkeypatch.setattr(build, "_IS_WINDOWS", True)
    request.addfinalizer(build._linker.cache_clear)
    build._linker.cache_clear()

    assert answer(tmp_path) == (49, 1, 7)
    assert builds == ["main"]


def test_forgotten_functions_leave_the_others_alone(tmp_path: Path) -> None:
    module = load(tmp_path, FACTORY)
    kept = module.make(1)
    for n in range(5):
        assert module.make(n)(1) == n + 1
        gc.collect()
    assert (kept(1), module.make(9)(1)) == (2, 10)


# -- linked code -------------------------------------------------------------------------------


TEXT = """
declare i32 @getpid()
define i64 @entry(ptr %frame) {
    %number = call i32 @getpid()
    %whole = sext i32 %number to i64
    ret i64 %whole
}
@exported = alias i64 (ptr), ptr @entry
"""


def test_a_function_of_the_c_library_is_called() -> None:
    machine = build._load(build._machine_code(TEXT, build._QUICK), NONE, [], ())

    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(machine.entry)(None) == os.getpid()
