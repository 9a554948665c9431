"""Errors that name the place, what was expected and what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ttr_analysis._words import counted, listed


@dataclass(frozen=True, slots=True)
class Fault:
    """
    One fault in a file.

    Parameters
    ----------
    line
        Line from 1; 0 for the whole file.
    field
        Column, dotted key or key of an event; "" for the whole line.
    value
        The wrong value; "" if there is none or `expected` names it.
    expected
        What was expected instead, or what is wrong.
    """

    file: str
    line: int
    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        if self.field:
            place += f", {_shorten(self.field)}"
        got = f", got {_shorten(self.value)}" if self.value else ""
        return f"{place}: {_shorten(self.expected, 300)}{got}"


_MAX_LISTED = 50
"""Maximum number of faults that a message lists."""


class FaultsError(ValueError):
    """
    A file or folder that cannot be loaded, with all its faults at once, by file and line.

    The message lists the first ones, and gives the total number.
    """

    what = "file"
    """The word for the source in the message: "file", "map"."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        heading = f"{self.what} {_shorten(source, 200)} has {counted(len(self.faults), 'fault')}:"
        lines = [heading, *(f"  {fault}" for fault in self.faults[:_MAX_LISTED])]
        if len(self.faults) > _MAX_LISTED:
            lines.append(f"  and {len(self.faults) - _MAX_LISTED:,} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[FaultsError], tuple[object, ...]]:
        # Pickling, as between processes, keeps all fields.
        return type(self), (self.source, self.faults)


class MapError(FaultsError):
    """A map that cannot be loaded, with all its faults at once."""

    what = "map"


class RecordError(FaultsError):
    """A damaged record, or one of an impossible game, with line and reason."""

    what = "record"


class PositionError(FaultsError):
    """An impossible position, with all its faults at once."""

    what = "position"


class RecordWarning(UserWarning):
    """An incomplete record, such as one cut off in the middle of a write."""


class UnknownNameError(LookupError):
    """
    An unknown name; the message suggests the closest valid ones.

    Parameters
    ----------
    what
        What was looked for: "city", "route", "ticket".
    candidates
        The closest valid names, best first.
    allowed
        All valid names, if there are only a few.
    hint
        What the name refers to instead, if known.
    """

    def __init__(
        self,
        what: str,
        name: object,
        candidates: Sequence[str] = (),
        allowed: Iterable[str] = (),
        hint: str = "",
    ) -> None:
        self.what = what
        self.name = name
        self.candidates = tuple(candidates)
        self.allowed = tuple(allowed)
        self.hint = hint
        message = f"no {what} {_shorten(repr(name))}"
        if self.hint:
            message += f": {self.hint}"
        elif self.candidates:
            message += f"; did you mean {listed(self.candidates, 'or')}?"
        elif self.allowed:
            message += f"; choose one of {', '.join(self.allowed)}"
        super().__init__(message)

    @classmethod
    def among(cls, what: str, name: object, allowed: Collection[str]) -> UnknownNameError:
        """
        Return the error for a name that is not in a short list, with the closest ones.

        Examples
        --------
        >>> UnknownNameError.among("weight", "tolls", ["length", "toll"]).candidates
        ('toll',)
        """
        return cls(what, name, nearest(str(name), allowed), allowed)

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[object, ...]]:
        return type(self), (self.what, self.name, self.candidates, self.allowed, self.hint)


class AmbiguousNameError(LookupError):
    """
    A name that matches several things; the message lists them.

    Parameters
    ----------
    candidates
        Everything that it matches.
    """

    def __init__(self, what: str, name: object, candidates: Sequence[str]) -> None:
        self.what = what
        self.name = name
        self.candidates = tuple(candidates)
        super().__init__(f"{what} {_shorten(str(name))} is ambiguous: {listed(self.candidates, 'or')}?")

    def __reduce__(self) -> tuple[type[AmbiguousNameError], tuple[object, ...]]:
        return type(self), (self.what, self.name, self.candidates)


class GameError(ValueError):
    """A request that a game cannot satisfy: a wrong number of players, an impossible outcome, a policy that fails."""


class IllegalActionError(GameError):
    """An action that is illegal; the message gives the reason."""


def nearest(name: str, names: Iterable[str], n: int = 3, cutoff: float = 0.5) -> list[str]:
    """
    Return the names most similar to a wrong one, best first; `cutoff` is the similarity needed, at most 1.

    >>> nearest("Helsinky", ["Helsinki", "Oslo"])
    ['Helsinki']
    """
    import difflib  # loaded only for a misspelled name

    by_lower = {candidate.lower(): candidate for candidate in names}
    return [by_lower[match] for match in difflib.get_close_matches(name.lower()[:200], by_lower, n=n, cutoff=cutoff)]


def _shorten(text: str, width: int = 80) -> str:
    """Return text from an untrusted file as one printable line of bounded width."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return line if len(line) <= width else f"{line[: width - 1]}…"
