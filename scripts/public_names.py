"""
Print every public name of the package with its signature, one per line.

    python -m scripts.public_names > before.txt

Compare the output of two revisions to see what a change does to users' code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType

import ttr_analysis


def signature_of(value: object) -> str:
    """Return the signature of a function or class, "" if it has none."""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""


def names_of(name: str, value: object) -> Iterator[str]:
    """Yield a line for a name, and for those in it."""
    is_ours = getattr(value, "__module__", getattr(value, "__name__", "")).startswith("ttr_analysis")
    if isinstance(value, ModuleType):
        if value.__name__.startswith("ttr_analysis"):
            yield f"{name} module"
            for each in sorted(getattr(value, "__all__", dir(value))):
                yield from () if each.startswith("_") else names_of(f"{name}.{each}", getattr(value, each))
    elif inspect.isclass(value):
        yield f"{name} class{signature_of(value)}"
        for each in sorted(dir(value)) if is_ours else ():
            member = inspect.getattr_static(value, each)
            if not each.startswith("_"):
                function = getattr(member, "__func__", member)
                yield f"{name}.{each} {type(member).__name__}{signature_of(function)}"
    else:
        yield f"{name} {type(value).__name__}{signature_of(value)}"


if __name__ == "__main__":
    print(*sorted(set(names_of("ttr", ttr_analysis))), sep="\n")
