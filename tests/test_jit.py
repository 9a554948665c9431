"""Compilation: the same answers either way, and a cache that notices every change that matters."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from tests.fresh import run_kernel
from ttr_analysis import _jit
from ttr_analysis._jit import _imports_of, _read, cache_folder, cache_key, compiled, imported_sources


@pytest.fixture
def fresh_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Return a cache base of this test alone; `cache_folder` finds its folder anew."""
    monkeypatch.setenv("TTR_CACHE_DIR", str(tmp_path))
    cache_folder.cache_clear()
    yield tmp_path
    cache_folder.cache_clear()


def test_an_index_out_of_range_raises_where_it_is_checked(tmp_path: Path) -> None:
    result = run_kernel(tmp_path, "read(np.arange(3), 3)", NUMBA_BOUNDSCHECK="1")

    assert result.returncode == 1
    assert "IndexError: index is out of bounds" in result.stderr


def test_unchecked_code_in_the_cache_is_not_used_where_indices_are_checked(tmp_path: Path) -> None:
    assert run_kernel(tmp_path, "read(np.arange(3), 3)").returncode == 0  # whatever lies there in memory

    assert "IndexError" in run_kernel(tmp_path, "read(np.arange(3), 3)", NUMBA_BOUNDSCHECK="1").stderr


def test_without_compilation_it_is_the_plain_function(tmp_path: Path) -> None:
    result = run_kernel(tmp_path, "print(type(read).__name__, read([7], 0))", NUMBA_DISABLE_JIT="1")

    assert result.stdout == "function 7\n"
    assert not (tmp_path / "cache").exists()


def test_a_second_process_finds_the_compiled_code(tmp_path: Path) -> None:
    code = "read(np.arange(3), 1); print(sum(read.stats.cache_hits.values()))"

    assert run_kernel(tmp_path, code).stdout == "0\n"
    assert run_kernel(tmp_path, code).stdout == "1\n"


@pytest.mark.usefixtures("fresh_folder")
def test_the_users_own_setting_of_numba_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/chosen/by/the/user", raising=False)

    compiled(test_the_users_own_setting_of_numba_stays)

    assert vars(numba.config)["CACHE_DIR"] == "/chosen/by/the/user"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package of four modules: `kernel` imports `rule`, which imports `number`; `other` stands alone."""
    folder = tmp_path / "game"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "inner" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "kernel.py").write_text("from game.inner import (\n    rule,\n)\n", encoding="utf-8")
    (folder / "inner" / "rule.py").write_text("from game.number import points\n", encoding="utf-8")
    (folder / "number.py").write_text("points = 10\n", encoding="utf-8")
    (folder / "other.py").write_text("points = 10\n", encoding="utf-8")
    return folder


def key_of(module: Path, package: Path) -> str:
    """Return the key as a new process finds it."""
    _read.cache_clear()
    _imports_of.cache_clear()
    return cache_key(module, package)


@pytest.mark.parametrize("edited", ["kernel.py", "inner/rule.py", "inner/__init__.py", "number.py"])
def test_the_key_changes_with_all_that_is_imported(edited: str, package: Path) -> None:
    before = key_of(package / "kernel.py", package)

    (package / edited).write_text("from game.number import points\n\n", encoding="utf-8")

    assert key_of(package / "kernel.py", package) != before


def test_the_key_does_not_change_with_what_is_not_imported(package: Path) -> None:
    before = key_of(package / "kernel.py", package)

    (package / "other.py").write_text("points = 15\n", encoding="utf-8")

    assert key_of(package / "kernel.py", package) == before


def test_a_module_outside_the_package_depends_on_all_of_it(package: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("", encoding="utf-8")
    before = key_of(mine, package)

    (package / "other.py").write_text("points = 15\n", encoding="utf-8")

    assert key_of(mine, package) != before


def test_the_imports_of_the_kernel_are_found() -> None:
    folder = Path(_jit.__file__).parent
    found = {path.relative_to(folder).as_posix() for path in imported_sources(folder / "engine/kernel/step.py")}

    assert {"engine/kernel/step.py", "engine/kernel/cards.py", "rules/money.py", "tables/games.py"} <= found
    assert "analysis/paths/shortest.py" not in found


@pytest.mark.parametrize(("name", "value"), [("BOUNDSCHECK", 2), ("__version__", "0.0")])
def test_the_key_changes_with_the_compiler(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = cache_key(tmp_path / "mine.py")

    monkeypatch.setattr(numba.config if name.isupper() else numba, name, value)

    assert cache_key(tmp_path / "mine.py") != before


def test_only_old_folders_are_removed(fresh_folder: Path) -> None:
    now = time.time()
    for hours in range(8):
        folder = fresh_folder / f"mine-v-{hours}"
        folder.mkdir()
        os.utime(folder, (now - 3600 * hours - 60, now - 3600 * hours - 60))
    (fresh_folder / "other").mkdir()
    os.utime(fresh_folder / "other", (0, 0))

    mine = cache_folder(Path("mine.py"))

    assert {path.name for path in fresh_folder.iterdir()} == {mine.name, "mine-v-0", "mine-v-1", "mine-v-2", "other"}


def test_folders_in_use_are_kept_however_many(fresh_folder: Path) -> None:
    for number in range(8):
        (fresh_folder / f"mine-v-{number}").mkdir()

    cache_folder(Path("mine.py"))

    assert len(list(fresh_folder.iterdir())) == 9


def test_a_temporary_folder_serves_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, fresh_folder: Path
) -> None:
    (fresh_folder / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("TTR_CACHE_DIR", str(fresh_folder / "file"))

    folder = cache_folder(Path("mine.py"))

    assert folder.is_dir()
    assert fresh_folder not in folder.parents


def test_the_cache_lies_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TTR_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert _jit._base_folder() == tmp_path / "home" / ".cache" / "ttr_analysis"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert _jit._base_folder() == tmp_path / "xdg" / "ttr_analysis"
