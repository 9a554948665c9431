"""
Compilation of the numeric cores: the decorator `compiled`, and where its results are kept.

Numba keeps compiled code on disk, but notices neither an edit in a *called*
module nor a change of `NUMBA_BOUNDSCHECK`. The compiled code of a module
therefore lies in a folder named by all that it depends on: the module, whatever
of this package it imports, directly or not, and the compiler. Numba itself
tells processors apart.
"""

import atexit
import hashlib
import inspect
import os
import re
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
# What a line imports: a module of the package, and names of it, in brackets or to the end of the line.
_IMPORT = r"^[ \t]*from ({}[\w.]*) import (\([^)]*\)|[^\n]*)"
_N_KEPT = 4  # caches of the latest versions of a module
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
    return _compile(function, _nrt=True)  # not said, it would be the caller's


def lean(function: _F) -> _F:
    """
    Compile a function that makes no arrays, as `compiled` does, but without counting references to arrays.

    Counting costs some nanoseconds for each array and each call, which is more
    than most rules take. Such a function may read and change the arrays it is
    given and pass slices of them on; it may neither make arrays nor get one
    back from a function that it calls.

    Parameters
    ----------
    function
        As for `compiled`.

    Examples
    --------
    >>> import numpy as np
    >>> @lean
    ... def add_to(values, n):
    ...     for i in range(len(values)):
    ...         values[i] += n
    >>> values = np.arange(3)
    >>> add_to(values[1:], 10)
    >>> values.tolist()
    [0, 11, 12]
    """
    return _compile(function, _nrt=False)


def inlined(function: _F) -> _F:
    """
    Compile a function as `lean` does, and put it into its callers instead of having it called.

    For the smallest only: a call takes a nanosecond for each array.

    Parameters
    ----------
    function
        As for `lean`.

    Examples
    --------
    >>> @inlined
    ... def lowest_bits(number, n):
    ...     return number & ((1 << n) - 1)
    >>> lowest_bits(13, 2)
    1
    """
    return _compile(function, _nrt=False, forceinline=True)


def _compile(function: _F, **options: bool) -> _F:
    if _CONFIG.DISABLE_JIT:
        return function
    # The folder of the cache is fixed here, when the dispatcher is made; afterwards the user's own setting holds again.
    source = Path(inspect.getfile(function))
    users_folder, _CONFIG.CACHE_DIR = _CONFIG.CACHE_DIR, str(cache_folder(source))
    try:
        jit: Any = njit  # whose types do not know all options
        # A function without a file is from a doctest or a notebook.
        dispatcher = jit(cache=source.is_file(), nogil=True, no_cfunc_wrapper=True, **options)(function)
    finally:
        _CONFIG.CACHE_DIR = users_folder
    _forget_literals(dispatcher)
    return cast("_F", dispatcher)


def _forget_literals(dispatcher: Any) -> None:  # noqa: ANN401 - numba's
    """Let a call with a constant use the function for any number, instead of compiling one for this constant."""
    resolve = dispatcher.get_call_template
    unliteral: Any = numba.types.unliteral

    def resolve_without_literals(args: Any, kws: Any) -> Any:  # noqa: ANN401
        return resolve(tuple(map(unliteral, args)), {name: unliteral(value) for name, value in kws.items()})

    dispatcher.get_call_template = resolve_without_literals


@cache
def cache_folder(source: Path) -> Path:
    """
    Return the folder of the compiled code of a module, made if need be.

    It lies in `TTR_CACHE_DIR`, else in `ttr_analysis` in the user's cache
    folder (`XDG_CACHE_HOME`, else `~/.cache`). If that cannot be written, it
    is a temporary folder, removed when Python ends. Folders of versions that
    have not been used for some time are removed.
    """
    try:
        base = _base_folder()
        folder = base / f"{_dotted(source)}-{cache_key(source)}"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # "used just now", for `_prune`
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        folder = Path(tempfile.mkdtemp(prefix="ttr_analysis-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        _prune(base, _dotted(source))
    return folder


def _dotted(source: Path) -> str:
    """Return the name of a module of the package, without the package; several have files of one name."""
    inside = source.relative_to(_PACKAGE) if _PACKAGE in source.parents else Path(source.name)
    return ".".join(inside.with_suffix("").parts)


def cache_key(source: Path, package: Path = _PACKAGE) -> str:
    """
    Return a name for all that the compiled code of a module depends on: sources, versions, whether indices are checked.

    A module outside the package, such as a user's own, counts as depending on
    all of it.
    """
    sources = imported_sources(source, package) if package in source.parents else {source, *package.rglob("*.py")}
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(path for path in sources if path.is_file()):
        text = _read(path)
        digest.update(f"{path.as_posix()}\0{len(text)}\0".encode())
        digest.update(text)
    digest.update(f"{numba.__version__} {sys.version} {_CONFIG.BOUNDSCHECK}".encode())
    return f"v-{digest.hexdigest()}"


def imported_sources(source: Path, package: Path = _PACKAGE) -> set[Path]:
    """Return the modules of the package that a module imports, directly or not, itself among them."""
    found = {source}
    waiting = [source]
    while waiting:
        for path in _imports_of(waiting.pop(), package):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found


@cache
def _imports_of(source: Path, package: Path) -> tuple[Path, ...]:
    """Return the modules of the package that a module imports itself; looked up once, for many depend on it."""
    imported = []
    pattern = _IMPORT.format(re.escape(package.name)).encode()
    for module, names in re.findall(pattern, _read(source), re.MULTILINE):
        home = package.parent.joinpath(*module.decode().split("."))
        parts = (home, *(home / name for name in re.findall(r"\w+", names.decode())))
        imported += [file for part in parts for file in (part.with_suffix(".py"), part / "__init__.py")]
    return tuple(path for path in imported if path.is_file())


@cache
def _read(path: Path) -> bytes:
    """Return the text of a source, read once: what runs is what was imported."""
    return path.read_bytes()


def _base_folder() -> Path:
    if chosen := os.environ.get("TTR_CACHE_DIR"):
        return Path(chosen).expanduser()
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "ttr_analysis"


def _prune(base: Path, module: str) -> None:
    """Remove all but the latest few caches of a module, and none that was used within the hour."""
    used = []
    for folder in base.glob(f"{module}-v-*"):
        try:
            used.append((folder.stat().st_mtime, folder))
        except OSError:  # another process removed it just now
            continue
    for last_use, folder in sorted(used, reverse=True)[_N_KEPT:]:
        if last_use < time.time() - _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
