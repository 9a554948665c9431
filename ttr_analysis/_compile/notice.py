"""A line for those who wait while a large function is compiled."""

from __future__ import annotations

import sys
from typing import Any

_LINES_PER_SECOND = 6_000
"""Lines of LLVM text that a core of some years ago compiles in a second."""
_LEAST_SECONDS = 2.0


def announce(name: str, text: str) -> None:
    """
    Say how long compiling will take, if that is long and somebody watches.

    That is one line on standard error, on a terminal or in IPython; a script
    whose output goes elsewhere stays silent.

    Parameters
    ----------
    name
        What is compiled.
    text
        The module in LLVM's language.
    """
    seconds = text.count("\n") / _LINES_PER_SECOND
    if seconds >= _LEAST_SECONDS and is_watched():
        line = f"ttr_analysis: compiling {name}, about {seconds:.0f} s; it is kept for later"
        print(line, file=sys.stderr, flush=True)  # noqa: T201


def is_watched() -> bool:
    """Return whether standard error is a terminal, or this is IPython, whose notebooks show it."""
    shell: Any = sys.modules.get("IPython")
    return sys.stderr.isatty() or (shell is not None and shell.get_ipython() is not None)
