"""A bug in the package, for tests of the message on the page."""

from __future__ import annotations

FAULT = "A bug in this package made this fail in Python: IndexError: list index out of range"


def fail(*_: object) -> None:
    """Fail as only a bug in the package does."""
    raise IndexError("list index out of range")
