"""A fault of the package, for tests of what a page is told then."""

from __future__ import annotations

FAULT = "This failed because of a bug in ttr_analysis: IndexError: list index out of range"


def fail(*_: object) -> None:
    """Fail as only a fault of the package does."""
    raise IndexError("list index out of range")
