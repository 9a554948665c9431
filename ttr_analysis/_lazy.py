"""Packages that import what lies in them at its first use (PEP 562), with `dir()` and completion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def late_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """
    Return the `__getattr__` and `__dir__` of a package that imports public names at their first use.

    Parameters
    ----------
    package
        Name of the package.
    homes
        The module of ttr_analysis in which each public name lives; a module
        stands for itself.

    Examples
    --------
    >>> look_up, names = late_names(__name__, {"Random": "policies.random", "paths": "analysis.paths"})
    >>> look_up("Random"), look_up("paths").__name__
    (<class 'ttr_analysis.policies.random.Random'>, 'ttr_analysis.analysis.paths')
    >>> [name for name in names() if not name.startswith("_")]
    ['Random', 'paths']
    """
    there = vars(sys.modules[package])

    def look_up(name: str) -> object:
        """Import a public name at its first use."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        module = import_module(f"ttr_analysis.{home}")
        value: object = module if home.rpartition(".")[2] == name else getattr(module, name)
        there[name] = value
        return value

    def names() -> list[str]:
        """Return the public names, for completion."""
        return sorted({*homes, *(name for name in there if name.startswith("__"))})

    return look_up, names
