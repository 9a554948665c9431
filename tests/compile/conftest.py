"""Tests of the compiler: a cache of their own, and nothing where there is no compiler."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.fixture(params=["unchecked", "checked"])
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test in both builds."""
    monkeypatch.setenv("TTR_CHECKS", "1" if request.param == "checked" else "0")
    return str(request.param)
