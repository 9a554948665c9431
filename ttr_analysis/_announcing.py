"""A word to who waits while something is compiled."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ttr_analysis._jit import cache_folder


def announce(function: Callable[..., object], what: str) -> None:
    """
    Say that a function is about to be compiled, if somebody watches and it is not in the cache.

    That is one line on standard error, on a terminal or in IPython; a script
    whose output goes elsewhere stays silent.

    Parameters
    ----------
    function
        A compiled function, about to be called.
    what
        What it is to the user.
    """
    signatures = getattr(function, "signatures", None)  # those compiled or loaded; plain Python has none
    if signatures != [] or not is_watched() or is_cached(function):
        return
    text = f"ttr_analysis: compiling {what}, once; it is kept for later ..."
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def is_watched() -> bool:
    """Return whether standard error is a terminal, or this is IPython, whose notebooks show it."""
    shell: Any = sys.modules.get("IPython")
    return sys.stderr.isatty() or (shell is not None and shell.get_ipython() is not None)


def is_cached(function: Callable[..., object]) -> bool:
    """Return whether compiled code of a function is on disk."""
    plain: Any = inspect.unwrap(function)
    source = Path(inspect.getfile(plain))
    return any(cache_folder(source).rglob(f"{source.stem}.{plain.__qualname__}-*.nbi"))
