"""The JavaScript and CSS of widgets: plain files, joined to one text."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

SHARED: Final = ("dom", "cards", "board")
"""Files that come before those of a widget, in this order."""


@cache
def esm(*names: str) -> str:
    """
    Return the ES module of a widget.

    Parameters
    ----------
    names
        Files in `static`, without `.js`, after those that all widgets share.
        They import nothing: they are joined, and the last one has the
        `export default`.

    Examples
    --------
    >>> esm().count("function drawBoard(")
    1
    """
    return "\n".join(_read(f"{name}.js") for name in (*SHARED, *names))


@cache
def css(*names: str) -> str:
    """
    Return the style sheet of a widget.

    Parameters
    ----------
    names
        Files in `static`, without `.css`, after the one that all widgets
        share.

    Examples
    --------
    >>> ".ttr-board {" in css()
    True
    """
    return "\n".join(_read(f"{name}.css") for name in ("base", *names))


def _read(file: str) -> str:
    return resources.files(__package__).joinpath("static", file).read_text(encoding="utf-8")
