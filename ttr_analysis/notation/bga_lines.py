"""Parse the lines of a Board Game Arena log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import unescape
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ttr_analysis._errors import Fault, RecordError
from ttr_analysis.records.entries import MAX_TIME, Stamp

COLOR_CODES: Final = ("locomotive", "purple", "white", "blue", "yellow", "orange", "black", "red", "green")
"""Kinds of card by their number in the log."""

_LONGEST: Final = 300
"""Longer lines, and longer names of noted tickets, are ignored."""
_MOVE: Final = re.compile(r"move (?P<move>\d{1,6}) ?:? ?(?P<time>.*)", re.IGNORECASE)
_PLAYER: Final = r"(?P<player>.+?)"
_NAMES: Final = {
    "pink": "purple",
    **{kind: kind for kind in COLOR_CODES},
    **{str(number): kind for number, kind in enumerate(COLOR_CODES)},
}
"""Kinds of card by their spelling in the log."""
_CARD: Final = rf"(?ai:{'|'.join(_NAMES)})"
_CARDS: Final = rf"(?P<cards>{_CARD}(?:, ?{_CARD})*)"
_ENDS: Final = r"(?P<ends>.+)"
_CARS: Final = r"(?P<number>\d{1,3}) train car(?:\(s\)|s)? ?: ?"
_POINTS: Final = r"(?P<points>\d{1,4}) point(?:\(s\)|s)?"
_SHAPES: Final = {
    "yours": rf"You take hidden train car card(?:\(s\)|s)? {_CARDS}",
    "keep": rf"{_PLAYER} keeps? (?P<number>\d{{1,2}}) destination(?:\(s\)|s)?",
    "draw": rf"{_PLAYER} takes? (?P<number>\d{{1,2}}) hidden train car card(?:\(s\)|s)?",
    "take": rf"{_PLAYER} takes? (?P<cards>{_CARD})",
    "claim": rf"{_PLAYER} gains? {_POINTS} by claiming route from {_ENDS} with {_CARS}{_CARDS}",
    "attempt": rf"{_PLAYER} tr(?:ies|y) to build a tunnel from (?P<ends>.+?)(?: with color ?(?P<cards>{_CARD})?)?",
    "station": rf"{_PLAYER} builds? a (?i:train station) (?:on|in|at) {_ENDS} with {_CARS}{_CARDS}",
    "surcharge": (
        r"(?P<number>\d) extra cards? over the (?P<turned>\d) train car cards? revealed from the deck "
        r"(?:are|is) needed to claim the route"
    ),
    "free": r"No train car card in deck or discard, tunnel is free",
    "decline": rf"{_PLAYER} skips? tunnel claim",
    "discard": rf"{_PLAYER} lays? {_ENDS} destination on the discards",
    "neutral": rf"Neutral destination ?: ?{_ENDS}",
    "choose": rf"{_PLAYER} gives? the neutral player the route from {_ENDS}",
    "pass": rf"{_PLAYER} pass(?:es)?",
    "reset": r"Three locomotives have been revealed, visible train cards are replaced",
    "stay": r"Three locomotives have been revealed multiples? times in a row, they will stay visible",
    "shuffle": r"The train car deck has been reshuffled",
    "last": rf"{_PLAYER} ha(?:s|ve) (?P<number>\d{{1,2}}) train cars or less, starting final turn ?!",
    "reveal": rf"{_PLAYER} reveals? {_ENDS} destination",
    "globetrotter": rf"{_PLAYER} gains? {_POINTS} with Globetrotter ?: ?(?P<number>\d{{1,3}}) completed destinations?",
    "stations": rf"{_PLAYER} gains? {_POINTS} with (?P<number>\d) remaining stations?(?:\(s\))?",
    "won": rf"{_PLAYER} gains? {_POINTS} with {_ENDS} destination",
    "lost": rf"{_PLAYER} loses? {_POINTS} with {_ENDS} destination",
    "trail": rf"{_PLAYER} longest continuous path is (?P<number>\d{{1,3}}) train-cars long",
    "bonus": rf"{_PLAYER} gains? {_POINTS} with longest continuous path ?: ?(?P<number>\d{{1,3}}) train cars?",
    "completed": rf"{_PLAYER} completed a new destination ?: ?(?P<ends>[^<]+?)(?: using station\(s\) ?: ?.+)?",
    "end": r"End of game",
}
_VALUES: Final[Mapping[str, Callable[[str], Any]]] = {
    "player": str,
    "ends": str,
    "number": int,
    "points": int,
    "turned": int,
    "cards": lambda text: tuple(_NAMES[word.strip().lower()] for word in (text or "").split(",") if word),
}
"""How to read each part of a line."""
_PATTERNS: Final = {kind: re.compile(shape) for kind, shape in _SHAPES.items()}
_NOTICES: Final = ("reset", "shuffle", "stay")
_TAG: Final = re.compile(r"<[^<>]*>")
_LINE_ENDS: Final = ("\n", "\r")
_JOINERS: Final = re.compile(r" to | - |[-–—]")
ACTS: Final = ("keep", "draw", "take", "claim", "attempt", "decline", "station", "choose", "pass")
"""Kinds of line that are acts of players."""


class LogEntry(NamedTuple):
    """
    The content of a line.

    `move` and `time` come from the heading above it. `number` counts tickets, cards or
    cars, and `turned` the cards turned over for a tunnel. `ends` names two cities, the
    city of a station, or a ticket.
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
    turned: int = 0

    @property
    def stamp(self) -> Stamp | None:
        """The move number and the time, if either is known."""
        return Stamp(self.move, self.time) if self.move is not None or self.time else None

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All ways to split `ends` into two names, which may contain hyphens."""
        joints = list(_JOINERS.finditer(self.ends)) if len(self.ends) <= _LONGEST else []
        return [(self.ends[: joint.start()].strip(), self.ends[joint.end() :].strip()) for joint in joints]

    def fault(self, reason: str) -> RecordError:
        """Return the error for an impossible line."""
        return fault(self.line, self.text, reason)


class Log(NamedTuple):
    """The content of a log, with outcomes after their move, and the numbered lines that were not understood."""

    entries: list[LogEntry]
    unread: list[tuple[int, str]]


def read_log(text: str, you: str = "") -> Log:
    r"""
    Parse the lines of a log; `you` is the name of the player whom it calls "You", if known.

    >>> entries, unread = read_log("Move 4 :10:02:11\nAnn takes 7\nNice one!\nBo passes")
    >>> [(entry.kind, entry.player, entry.move) for entry in entries], unread
    ([('take', 'Ann', 4), ('pass', 'Bo', 4)], [(3, 'Nice one!')])
    """
    log = Log([], [])
    of_move: list[LogEntry] = []
    move: int | None = None
    time = ""
    last = 0
    keepers = {
        found["player"] for found in map(_PATTERNS["keep"].fullmatch, map(str.strip, text.splitlines())) if found
    }
    for line, raw in enumerate(text.splitlines(), start=1):
        content = " ".join(raw.split()) if len(raw) <= _LONGEST else raw[:_LONGEST]
        if not content.isprintable():  # names in records must be printable
            content = "".join(filter(str.isprintable, content))
        if found := _MOVE.fullmatch(_without_marks(content) if content.startswith("<") else content):
            _add_move(log, of_move, you)
            of_move = []
            move, time = int(found["move"]), found["time"].strip()[:MAX_TIME]
        elif not _is_talk(content, keepers) and (entry := _read_line(content, line, move, time, you)):
            of_move.append(entry)
            last = line
        elif content:
            log.unread.append((line, content))
    _leave_out_broken(log, of_move, you, is_last=last == len(text.splitlines()) and text[-1:] not in _LINE_ENDS)
    _add_move(log, of_move, you)
    return log


def _leave_out_broken(log: Log, of_move: list[LogEntry], you: str, *, is_last: bool) -> None:
    """Remove from the last move what may have been cut off: a partial line, or hidden cards without a player."""
    if is_last and of_move:
        entry = of_move[-1]
        is_short = entry.kind in ("claim", "station") and len(entry.cards) < entry.number
        is_draw = entry.kind == "take" and any(other.kind == "yours" for other in of_move)
        if is_short or is_draw or entry.kind in ("neutral", "attempt"):
            log.unread.append((entry.line, entry.text))
            of_move.pop()
    acted = [entry for entry in of_move if entry.kind not in _NOTICES]
    if acted and acted[-1].kind == "yours" and not you and (len(acted) == 1 or acted[-2].cards):
        log.unread.append((acted[-1].line, acted[-1].text))
        of_move.remove(acted[-1])


def _add_move(log: Log, of_move: Sequence[LogEntry], you: str) -> None:
    """Add the lines of a move, outcomes last."""
    early: list[LogEntry] = []
    has_acted = False
    for entry in _paired(of_move, you):
        if entry.kind in _NOTICES and not has_acted:
            early.append(entry)
            continue
        is_act = entry.kind in ACTS
        has_acted = has_acted or is_act
        if not (entry.kind == "keep" and _is_repeated(log, entry)):
            log.entries.append(entry)
        if is_act:
            log.entries.extend(early)
            early = []
    log.entries.extend(early)


def _is_repeated(log: Log, keep: LogEntry) -> bool:
    """Return whether the log already has this line of tickets kept."""
    before = next((entry for entry in reversed(log.entries) if entry.kind in ACTS), None)
    return (
        before is not None
        and (before.kind, before.player, before.number) == ("keep", keep.player, keep.number)
        and before.move == keep.move
    )


def _paired(of_move: Sequence[LogEntry], you: str) -> list[LogEntry]:
    """
    Return the lines of a move, with hidden cards added to the adjacent draws.

    A shuffle between the two lines of one draw belongs to that draw. A draw by "You"
    without a line that names a player is the viewer's.
    """
    entries: list[LogEntry | None] = list(of_move)
    told = [i for i, entry in enumerate(of_move) if entry.kind not in _NOTICES]
    for at, i in enumerate(told):
        yours = of_move[i]
        if yours.kind != "yours":
            continue
        drawn = yours._replace(kind="draw", player=you or "You", number=len(yours.cards))
        for j in (*told[at + 1 : at + 2], *told[max(0, at - 1) : at]):
            draw = entries[j]
            if draw is not None and draw.kind == "draw" and not draw.cards and draw.number == len(yours.cards):
                drawn = draw._replace(cards=yours.cards)
                entries[max(i, j)] = None
                break
        else:
            j = i
        entries[min(i, j)] = drawn
    return [entry for entry in entries if entry is not None]


def _is_talk(content: str, keepers: AbstractSet[str]) -> bool:
    """Return whether a line is chat: a player's name, not part of a longer one, and a colon."""
    begins = [name for name in keepers if content.startswith(name)]
    longest = max(begins, key=len, default="")
    return bool(longest) and content[len(longest) :].lstrip().startswith(":")


def _without_marks(content: str) -> str:
    """Strip tags and decode HTML entities."""
    return " ".join(unescape(_TAG.sub(" ", content)).split())


def _read_line(content: str, line: int, move: int | None, time: str, you: str) -> LogEntry | None:
    """Parse a line, with or without the tags of the page from which it was copied."""
    for text in dict.fromkeys([content, _without_marks(content) if "<" in content else content]):
        for kind, pattern in _PATTERNS.items():
            if found := pattern.fullmatch(text):
                values = {name: _VALUES[name](part) for name, part in found.groupdict().items()}
                if you and values.get("player") == "You":
                    values["player"] = you
                return LogEntry(kind, line, move, time, text, **values)
    return None


def acts_of(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, list[LogEntry]]]:
    """Yield each player's act with its outcomes."""
    starts = [i for i, entry in enumerate(entries) if entry.kind in ACTS]
    for start, end in pairwise([*starts, len(entries)]):
        yield entries[start], list(entries[start + 1 : end])


def fault(line: int, text: str, reason: str) -> RecordError:
    """Return the error for an impossible line; line 0 means the whole log."""
    return RecordError("log", [Fault("log", line, "", text, reason)])
