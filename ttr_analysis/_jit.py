"""
Compilation of the numeric cores: the decorator `compiled`, and where its results are kept.

Numba keeps compiled code on disk, but notices neither an edit in a *called*
module nor a change of `NUMBA_BOUNDSCHECK`. The cache therefore lives in a
folder named by everything that the code depends on; numba itself tells
processors apart.
"""

import atexit
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit

# A compiled function keeps its own signature for type checkers.
_F = TypeVar("_F", bound=Callable[..., object])

_CONFIG: Any = numba.config  # its settings come from the environment; type checkers know none of them
_PACKAGE = Path(__file__).parent
_N_KEPT = 4  # caches of the latest versions of the sources
_KEPT_SECONDS = 3600.0  # a cache used in the last hour may belong to a running process


def compiled(function: _F) -> _F:
    """
    Compile a function of numbers and arrays to machine code, on its first call.

    With `NUMBA_DISABLE_JIT=1` in the environment the function is returned as
    it is, so that it can be debugged and its coverage measured. Compiled code
    is kept on disk (see `cache_folder`); later processes start with it. The
    interpreter's lock is released while it runs.

    Parameters
    ----------
    function
        A function in the part of Python that numba accepts: no keyword-only
        parameters, no exceptions for control flow. Its arguments are not
        checked; an index out of range is undefined unless
        `NUMBA_BOUNDSCHECK=1` is set.

    Examples
    --------
    >>> @compiled
    ... def spaces(lengths):
    ...     total = 0
    ...     for length in lengths:
    ...         total += length
    ...     return total
    >>> spaces((9, 3, 2))
    14
    """
    if _CONFIG.DISABLE_JIT:
        return function
    # The folder of the cache is fixed here, when the dispatcher is made; afterwards the user's own setting holds again.
    users_folder, _CONFIG.CACHE_DIR = _CONFIG.CACHE_DIR, str(cache_folder())
    has_source = Path(inspect.getfile(function)).is_file()  # not in a doctest or a notebook
    try:
        return cast("_F", njit(cache=has_source, nogil=True)(function))
    finally:
        _CONFIG.CACHE_DIR = users_folder


@cache
def cache_folder() -> Path:
    """
    Return the folder of this version's compiled code, made if need be.

    It lies in `TTR_CACHE_DIR`, else in `ttr_analysis` in the user's cache
    folder (`XDG_CACHE_HOME`, else `~/.cache`). If that cannot be written, it
    is a temporary folder, removed when Python ends. Folders of versions that
    have not been used for some time are removed.
    """
    try:
        base = _base_folder()
        folder = base / cache_key(_PACKAGE)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # "used just now", for `_prune`
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        folder = Path(tempfile.mkdtemp(prefix="ttr_analysis-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        _prune(base)
    return folder


def cache_key(package: Path) -> str:
    """Return a name for all that compiled code depends on: sources, versions, and whether indices are checked."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {sys.version} {_CONFIG.BOUNDSCHECK}".encode())
    return f"v-{digest.hexdigest()}"


def _base_folder() -> Path:
    if chosen := os.environ.get("TTR_CACHE_DIR"):
        return Path(chosen).expanduser()
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "ttr_analysis"


def _prune(base: Path) -> None:
    """Remove all but the latest few caches, and none that was used within the hour."""
    used = []
    for folder in base.glob("v-*"):
        try:
            used.append((folder.stat().st_mtime, folder))
        except OSError:  # another process removed it just now
            continue
    for last_use, folder in sorted(used, reverse=True)[_N_KEPT:]:
        if last_use < time.time() - _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
