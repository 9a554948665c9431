"""The lines that Board Game Arena shows beside a table, as what they tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

COLOR_CODES: Final = ("locomotive", "purple", "white", "blue", "yellow", "orange", "black", "red", "green")
"""The kinds of card by the number that stands for them."""

_LONGEST: Final = 300
"""Characters of a line that can tell anything; longer ones are not looked at."""
_MOVE: Final = re.compile(r"move (?P<move>\d{1,6}) ?:? ?(?P<time>.*)", re.IGNORECASE)
_YOUR_CARDS: Final = re.compile(r"You take hidden train car card(?:\(s\)|s)? (?P<cards>[0-8](?:, ?[0-8])*)")
_PLAYER: Final = r"(?P<player>.+?)"
_CARDS: Final = r"(?P<cards>[0-8](?:, ?[0-8])*)"
_ENDS: Final = r"(?P<ends>.+)"
_CARS: Final = r"(?P<n>\d{1,3}) train car(?:\(s\)|s)? ?: ?"
_POINTS: Final = r"(?P<points>\d{1,4}) point(?:\(s\)|s)?"
_SHAPES: Final = {
    "keep": rf"{_PLAYER} keeps? (?P<n>\d{{1,2}}) destination(?:\(s\)|s)?",
    "draw": rf"{_PLAYER} takes? (?P<n>\d{{1,2}}) hidden train car card(?:\(s\)|s)?",
    "take": rf"{_PLAYER} takes? (?P<cards>[0-8])",
    "claim": rf"{_PLAYER} gains? {_POINTS} by claiming route from {_ENDS} with {_CARS}{_CARDS}",
    "attempt": rf"{_PLAYER} attempts? the tunnel from {_ENDS} with {_CARS}{_CARDS}",
    "turned": rf"Tunnel cards ?: ?{_CARDS}",
    "decline": rf"{_PLAYER} gives? up the tunnel",
    "discard": rf"{_PLAYER} lays? {_ENDS} destination on the discards",
    "neutral": rf"Neutral destination ?: ?{_ENDS}",
    "choose": rf"{_PLAYER} gives? the neutral player the route from {_ENDS}",
    "pass": rf"{_PLAYER} pass(?:es)?",
    "reset": r"Three locomotives have been revealed, visible train cards are replaced",
    "shuffle": r"The train car deck has been reshuffled",
    "last": rf"{_PLAYER} ha(?:s|ve) (?P<n>\d{{1,2}}) train cars or less, starting final turn ?!",
    "reveal": rf"{_PLAYER} reveals? {_ENDS} destination",
    "won": rf"{_PLAYER} gains? {_POINTS} with {_ENDS} destination",
    "lost": rf"{_PLAYER} loses? {_POINTS} with {_ENDS} destination",
    "trail": rf"{_PLAYER} longest continuous path is (?P<n>\d{{1,3}}) train-cars long",
    "bonus": rf"{_PLAYER} gains? {_POINTS} with longest continuous path ?: ?(?P<n>\d{{1,3}}) train cars?",
    "completed": rf"{_PLAYER} completed a new destination ?: ?{_ENDS}",
    "end": r"End of game",
}
_PATTERNS: Final = {kind: re.compile(shape) for kind, shape in _SHAPES.items()}
_NOTICES: Final = ("reset", "shuffle")
_JOINERS: Final = re.compile(r" to | - |[-–—]")
ACTS: Final = ("keep", "draw", "take", "claim", "attempt", "decline", "choose", "pass")
"""What players do."""


class LogEntry(NamedTuple):
    """
    What a line tells.

    Parameters
    ----------
    kind
        One of the kinds above.
    line, move, time
        Number of the line, and what stands over it: the number of the move
        and the time.
    text
        The line.
    player
        Who does it; "" if nobody does.
    number
        How many tickets, cards or cars.
    points
        Points told.
    cards
        Kinds of card.
    ends
        What stands for two cities, or for a ticket.
    """

    kind: str
    line: int
    move: int | None
    time: str
    text: str
    player: str = ""
    number: int = 0
    points: int = 0
    cards: tuple[str, ...] = ()
    ends: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The two names that `ends` may stand for, wherever names hold what stands between."""
        joints = list(_JOINERS.finditer(self.ends))
        return [(self.ends[: joint.start()].strip(), self.ends[joint.end() :].strip()) for joint in joints]


class Log(NamedTuple):
    """
    A log as it was read.

    Parameters
    ----------
    entries
        What it tells, in order; what comes of a move stands after it.
    unread
        Lines that tell nothing known, with their numbers.
    """

    entries: list[LogEntry]
    unread: list[tuple[int, str]]


def read_log(text: str, you: str = "") -> Log:
    r"""
    Return what the lines of a log tell.

    Parameters
    ----------
    text
        The log.
    you
        The player whom it calls "You", if it is told who that is.

    Examples
    --------
    >>> entries, unread = read_log("Move 4 :10:02:11\nAnn takes 7\nNice one!\nBo passes")
    >>> [(entry.kind, entry.player, entry.move) for entry in entries], unread
    ([('take', 'Ann', 4), ('pass', 'Bo', 4)], [(3, 'Nice one!')])
    """
    log = Log([], [])
    move: int | None = None
    time = ""
    yours: LogEntry | None = None
    waiting: list[LogEntry] = []
    for line, raw in enumerate(text.splitlines(), start=1):
        content = " ".join(raw.split()) if len(raw) <= _LONGEST else raw[:_LONGEST]
        if found := _MOVE.fullmatch(content):
            move, time = int(found["move"]), found["time"].strip()
        elif found := _YOUR_CARDS.fullmatch(content):
            if yours is not None:
                _add_all(log, [*_as_drawn(yours, you), *waiting])
            yours = LogEntry("draw", line, move, time, content, "You", cards=_kinds(found["cards"]))
            waiting = []
        elif entry := _read_line(content, line, move, time, you):
            if yours is not None and entry.kind in _NOTICES:
                waiting.append(entry)  # a shuffle between the two lines of one draw comes of that draw
                continue
            if yours is not None and entry.kind == "draw" and entry.number == len(yours.cards):
                entry = entry._replace(cards=yours.cards)
            elif yours is not None:
                _add_all(log, _as_drawn(yours, you))
            _add_all(log, [entry, *waiting])
            yours, waiting = None, []
        elif content:
            log.unread.append((line, content))
    if yours is not None and you:
        _add_all(log, [*_as_drawn(yours, you), *waiting])
    elif yours is not None:
        log.unread.append((yours.line, yours.text))  # the log breaks off before it says who
    return log


def _as_drawn(yours: LogEntry, you: str) -> list[LogEntry]:
    """Return a draw of "You" that no line of a player stands beside: it is the draw of the one who looks on."""
    return [yours._replace(player=you or "You", number=len(yours.cards))]


def _add_all(log: Log, entries: Sequence[LogEntry]) -> None:
    """Add entries; a line of tickets kept that stands there twice is one."""
    for entry in entries:
        is_told = entry.kind == "keep" and any(
            other.kind == "keep" and other[2:4] == entry[2:4] and other[5:] == entry[5:] for other in log.entries[-2:]
        )
        if not is_told:
            log.entries.append(entry)


def _read_line(content: str, line: int, move: int | None, time: str, you: str) -> LogEntry | None:
    for kind, pattern in _PATTERNS.items():
        found = pattern.fullmatch(content)
        if found:
            told = found.groupdict()
            player = told.get("player") or ""
            return LogEntry(
                kind,
                line,
                move,
                time,
                content,
                you if player == "You" and you else player,
                int(told.get("n") or 0),
                int(told.get("points") or 0),
                _kinds(told.get("cards") or ""),
                told.get("ends") or "",
            )
    return None


def _kinds(numbers: str) -> tuple[str, ...]:
    return tuple(COLOR_CODES[int(number)] for number in numbers.split(",")) if numbers else ()


def acts_of(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, list[LogEntry]]]:
    """Yield each thing that a player does, with what comes of it."""
    starts = [i for i, entry in enumerate(entries) if entry.kind in ACTS]
    for start, end in pairwise([*starts, len(entries)]):
        yield entries[start], list(entries[start + 1 : end])
