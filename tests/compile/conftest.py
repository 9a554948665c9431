"""Tests of the compiler: a cache of their own, and nothing where there is no compiler."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ttr_analysis._compile import build
from ttr_analysis._compile.build import cache_folder
from ttr_analysis._compile.calls import is_plain


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("machine-code")
        patch.setenv("TTR_CACHE_DIR", str(folder))
        cache_folder.cache_clear()
        yield folder
        cache_folder.cache_clear()


@pytest.fixture(autouse=True)
def _needs_a_compiler() -> None:
    if is_plain():
        pytest.skip("everything runs as plain Python")


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The functions that were compiled, not loaded, in a cache of this test's own."""
    found: list[str] = []
    compile_now = build._compile

    def counted(source: Any, kinds: Any, effort: Any, file: Path | None) -> build.Machine:
        found.append(f"{source.function.__name__}{' quickly' * (effort == build._QUICK)}")
        return compile_now(source, kinds, effort, file)

    monkeypatch.setattr(build, "_compile", counted)
    monkeypatch.setenv("TTR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    cache_folder.cache_clear()
    yield found
    cache_folder.cache_clear()
    for name in ("kept_main", "kept_rules"):
        sys.modules.pop(name, None)


@pytest.fixture(name="build", params=["unchecked", "checked"])
def _build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test in both builds."""
    monkeypatch.setenv("TTR_CHECKS", "1" if request.param == "checked" else "0")
    return str(request.param)
