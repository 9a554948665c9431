"""The lines that Board Game Arena shows beside a table, as what they tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from html import unescape
from itertools import pairwise
from typing import Final, NamedTuple

from ttr_analysis.records.entries import MAX_TIME

COLOR_CODES: Final = ("locomotive", "purple", "white", "blue", "yellow", "orange", "black", "red", "green")
"""The kinds of card by the number that stands for them."""

_LONGEST: Final = 300
"""Characters of a line, or of two names that were noted, that can tell anything; longer ones are not looked at."""
_MOVE: Final = re.compile(r"move (?P<move>\d{1,6}) ?:? ?(?P<time>.*)", re.IGNORECASE)
_PLAYER: Final = r"(?P<player>.+?)"
_NAMES: Final = {"pink": "purple"} | {kind: kind for kind in COLOR_CODES}
"""The kinds of card by what stands for them in a log that names them."""
_CARD: Final = rf"(?:[0-8]|(?i:{'|'.join(_NAMES)}))"
_CARDS: Final = rf"(?P<cards>{_CARD}(?:, ?{_CARD})*)"
_ENDS: Final = r"(?P<ends>.+)"
_CARS: Final = r"(?P<n>\d{1,3}) train car(?:\(s\)|s)? ?: ?"
_POINTS: Final = r"(?P<points>\d{1,4}) point(?:\(s\)|s)?"
_SHAPES: Final = {
    "yours": rf"You take hidden train car card(?:\(s\)|s)? {_CARDS}",
    "keep": rf"{_PLAYER} keeps? (?P<n>\d{{1,2}}) destination(?:\(s\)|s)?",
    "draw": rf"{_PLAYER} takes? (?P<n>\d{{1,2}}) hidden train car card(?:\(s\)|s)?",
    "take": rf"{_PLAYER} takes? (?P<cards>{_CARD})",
    "claim": rf"{_PLAYER} gains? {_POINTS} by claiming route from {_ENDS} with {_CARS}{_CARDS}",
    "attempt": rf"{_PLAYER} attempts? the tunnel from {_ENDS} with {_CARS}{_CARDS}",
    "station": rf"{_PLAYER} builds? (?:a|the)?(?: ?train)? ?station (?:in|at) {_ENDS} with {_CARS}{_CARDS}",
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
_TAG: Final = re.compile(r"<[^<>]*>")
_LINE_ENDS: Final = ("\n", "\r")
_JOINERS: Final = re.compile(r" to | - |[-–—]")
ACTS: Final = ("keep", "draw", "take", "claim", "attempt", "decline", "station", "choose", "pass")
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
        What stands for two cities, for one with a station, or for a ticket.
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
        joints = list(_JOINERS.finditer(self.ends)) if len(self.ends) <= _LONGEST else []
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
    of_move: list[LogEntry] = []
    move: int | None = None
    time = ""
    last = 0
    keepers = {
        found["player"] for found in map(_PATTERNS["keep"].fullmatch, map(str.strip, text.splitlines())) if found
    }
    for line, raw in enumerate(text.splitlines(), start=1):
        content = " ".join(raw.split()) if len(raw) <= _LONGEST else raw[:_LONGEST]
        if not content.isprintable():  # as no name of a record may be
            content = "".join(filter(str.isprintable, content))
        if found := _MOVE.fullmatch(_without_marks(content) if content.startswith("<") else content):
            _add_move(log, of_move, you)
            of_move = []
            move, time = int(found["move"]), found["time"].strip()[:MAX_TIME]
        elif not _is_talk(content, keepers) and (entry := _read_marked_line(content, line, move, time, you)):
            of_move.append(entry)
            last = line
        elif content:
            log.unread.append((line, content))
    _leave_out_broken(log, of_move, you, is_last=last == len(text.splitlines()) and text[-1:] not in _LINE_ENDS)
    _add_move(log, of_move, you)
    return log


def _leave_out_broken(log: Log, of_move: list[LogEntry], you: str, *, is_last: bool) -> None:
    """Leave out, of the last move, what the end of a log may have cut: a line, and hidden cards of nobody told."""
    if is_last and of_move:
        entry = of_move[-1]
        is_short = entry.kind in ("claim", "attempt", "station") and len(entry.cards) < entry.number
        is_draw = entry.kind == "take" and any(other.kind == "yours" for other in of_move)
        if is_short or is_draw or entry.kind == "neutral":
            log.unread.append((entry.line, entry.text))
            of_move.pop()
    acted = [entry for entry in of_move if entry.kind not in _NOTICES]
    if acted and acted[-1].kind == "yours" and not you and (len(acted) == 1 or acted[-2].cards):
        log.unread.append((acted[-1].line, acted[-1].text))
        of_move.remove(acted[-1])


def _add_move(log: Log, of_move: Sequence[LogEntry], you: str) -> None:
    """Add what the lines of a move tell; what comes of it stands after it."""
    early: list[LogEntry] = []
    has_acted = False
    for entry in _paired(of_move, you):
        if entry.kind in _NOTICES and not has_acted:
            early.append(entry)
            continue
        is_act = entry.kind in ACTS
        has_acted = has_acted or is_act
        if not (entry.kind == "keep" and _is_told(log, entry)):
            log.entries.append(entry)
        if is_act:
            log.entries.extend(early)
            early = []
    log.entries.extend(early)


def _is_told(log: Log, keep: LogEntry) -> bool:
    """Return whether a line of tickets kept stands there for the second time."""
    before = next((entry for entry in reversed(log.entries) if entry.kind in ACTS), None)
    return (
        before is not None
        and (before.kind, before.player, before.number) == ("keep", keep.player, keep.number)
        and before.move == keep.move
    )


def _paired(of_move: Sequence[LogEntry], you: str) -> list[LogEntry]:
    """
    Return the lines of a move with hidden cards in the draws that they stand beside.

    A shuffle between the two lines of one draw comes of that draw. A draw of
    "You" that no line of a player stands beside is of the one who looks on.
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
    """Return whether a line is what a player says, whatever it says: a name and a colon, and no longer name."""
    begins = [name for name in keepers if content.startswith(name)]
    longest = max(begins, key=len, default="")
    return bool(longest) and content[len(longest) :].lstrip().startswith(":")


def _read_marked_line(content: str, line: int, move: int | None, time: str, you: str) -> LogEntry | None:
    """Return what a line tells, whether or not it was copied with the marks of the page that it stood on."""
    entry = _read_line(content, line, move, time, you)
    if entry is None and "<" in content:
        entry = _read_line(_without_marks(content), line, move, time, you)
    return entry


def _without_marks(content: str) -> str:
    """Return a line without tags, and with what stands for other characters as these."""
    return " ".join(unescape(_TAG.sub(" ", content)).split())


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
    """Return the cards that a line lists by number, or by name."""
    words = [word.strip().lower() for word in numbers.split(",")] if numbers else []
    return tuple(_NAMES[word] if word in _NAMES else COLOR_CODES[int(word)] for word in words)


def acts_of(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, list[LogEntry]]]:
    """Yield each thing that a player does, with what comes of it."""
    starts = [i for i, entry in enumerate(entries) if entry.kind in ACTS]
    for start, end in pairwise([*starts, len(entries)]):
        yield entries[start], list(entries[start + 1 : end])
