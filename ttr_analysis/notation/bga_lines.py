"""The lines of a log of Board Game Arena, what they say, and the names in them as parts of a map."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from html import unescape
from itertools import pairwise, permutations
from typing import Any, Final, NamedTuple

from ttr_analysis._decoding import FaultList
from ttr_analysis._errors import Fault, RecordError, UnknownNameError, nearest
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.maps.names import fold
from ttr_analysis.notation.writer import pays
from ttr_analysis.records.entries import MAX_TIME, Stamp

COLOR_CODES: Final = ("locomotive", "purple", "white", "blue", "yellow", "orange", "black", "red", "green")
"""The kinds of card by the number that stands for them."""

_LONGEST: Final = 300
"""Characters of a line, or of two names that were noted, that can tell anything; longer ones are not looked at."""
_MOVE: Final = re.compile(r"move (?P<move>\d{1,6}) ?:? ?(?P<time>.*)", re.IGNORECASE)
_PLAYER: Final = r"(?P<player>.+?)"
_NAMES: Final = {
    "pink": "purple",
    **{kind: kind for kind in COLOR_CODES},
    **{str(number): kind for number, kind in enumerate(COLOR_CODES)},
}
"""The kinds of card by what stands for them in a log."""
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
    "last": rf"{_PLAYER} ha(?:s|ve) (?P<number>\d{{1,2}}) train cars or less, starting final turn ?!",
    "reveal": rf"{_PLAYER} reveals? {_ENDS} destination",
    "won": rf"{_PLAYER} gains? {_POINTS} with {_ENDS} destination",
    "lost": rf"{_PLAYER} loses? {_POINTS} with {_ENDS} destination",
    "trail": rf"{_PLAYER} longest continuous path is (?P<number>\d{{1,3}}) train-cars long",
    "bonus": rf"{_PLAYER} gains? {_POINTS} with longest continuous path ?: ?(?P<number>\d{{1,3}}) train cars?",
    "completed": rf"{_PLAYER} completed a new destination ?: ?{_ENDS}",
    "end": r"End of game",
}
_VALUES: Final[Mapping[str, Callable[[str], Any]]] = {
    "player": str,
    "ends": str,
    "number": int,
    "points": int,
    "cards": lambda text: tuple(_NAMES[word.strip().lower()] for word in text.split(",")),
}
"""How each part of a line is read."""
_PATTERNS: Final = {kind: re.compile(shape) for kind, shape in _SHAPES.items()}
_NOTICES: Final = ("reset", "shuffle")
_TAG: Final = re.compile(r"<[^<>]*>")
_LINE_ENDS: Final = ("\n", "\r")
_JOINERS: Final = re.compile(r" to | - |[-–—]")
ACTS: Final = ("keep", "draw", "take", "claim", "attempt", "decline", "station", "choose", "pass")
"""What players do."""


class LogEntry(NamedTuple):
    """
    What a line says.

    `move` and `time` are those of the heading above it. `number` counts tickets, cards or cars.
    `ends` names two cities, one with a station, or a ticket.
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
    def stamp(self) -> Stamp | None:
        """The number of the move and the time, if either is known."""
        return Stamp(self.move, self.time) if self.move is not None or self.time else None

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The two names that `ends` may mean, wherever the names are parted."""
        joints = list(_JOINERS.finditer(self.ends)) if len(self.ends) <= _LONGEST else []
        return [(self.ends[: joint.start()].strip(), self.ends[joint.end() :].strip()) for joint in joints]

    def fault(self, reason: str) -> RecordError:
        """Return the error for a line that says what cannot be."""
        return fault(self.line, self.text, reason)


class Log(NamedTuple):
    """What a log says, outcomes after their move; and the lines that were not understood, with their numbers."""

    entries: list[LogEntry]
    unread: list[tuple[int, str]]


def read_log(text: str, you: str = "") -> Log:
    r"""
    Return what the lines of a log say; `you` is the player whom it calls "You", if known.

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
        elif not _is_talk(content, keepers) and (entry := _read_line(content, line, move, time, you)):
            of_move.append(entry)
            last = line
        elif content:
            log.unread.append((line, content))
    _leave_out_broken(log, of_move, you, is_last=last == len(text.splitlines()) and text[-1:] not in _LINE_ENDS)
    _add_move(log, of_move, you)
    return log


def _leave_out_broken(log: Log, of_move: list[LogEntry], you: str, *, is_last: bool) -> None:
    """Leave out of the last move what the end of a log may have cut: a line, or hidden cards without a player."""
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
    """Add what the lines of a move say, outcomes after it."""
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
    """Return whether the same line of tickets kept came before."""
    before = next((entry for entry in reversed(log.entries) if entry.kind in ACTS), None)
    return (
        before is not None
        and (before.kind, before.player, before.number) == ("keep", keep.player, keep.number)
        and before.move == keep.move
    )


def _paired(of_move: Sequence[LogEntry], you: str) -> list[LogEntry]:
    """
    Return the lines of a move with hidden cards added to the draws beside which they stand.

    A shuffle between the two lines of one draw belongs to that draw. A draw of
    "You" without a line of a player is the viewer's own.
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
    """Return whether a line is chat: a player's name, no longer name, and a colon."""
    begins = [name for name in keepers if content.startswith(name)]
    longest = max(begins, key=len, default="")
    return bool(longest) and content[len(longest) :].lstrip().startswith(":")


def _without_marks(content: str) -> str:
    """Return a line without tags, and with HTML entities as characters."""
    return " ".join(unescape(_TAG.sub(" ", content)).split())


def _read_line(content: str, line: int, move: int | None, time: str, you: str) -> LogEntry | None:
    """Return what a line says, with or without the tags of the page from which it was copied."""
    for text in dict.fromkeys([content, _without_marks(content) if "<" in content else content]):
        for kind, pattern in _PATTERNS.items():
            if found := pattern.fullmatch(text):
                values = {name: _VALUES[name](part) for name, part in found.groupdict().items()}
                if you and values.get("player") == "You":
                    values["player"] = you
                return LogEntry(kind, line, move, time, text, **values)
    return None


def acts_of(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, list[LogEntry]]]:
    """Yield each act of a player with its outcomes."""
    starts = [i for i, entry in enumerate(entries) if entry.kind in ACTS]
    for start, end in pairwise([*starts, len(entries)]):
        yield entries[start], list(entries[start + 1 : end])


# -- names ---------------------------------------------------------------------------------------------------------

TicketNotes = Mapping[str, Any]
"""Offers of tickets that somebody noted: for each player, pairs of those offered and those kept, in order."""

_FEW: Final = 3
"""Of so many moves, or fewer, the order tells nothing."""

Copies = frozenset[int]
"""A ticket by name: the numbers of all tickets that are called so."""
UNKNOWN_COPIES: Final[Copies] = frozenset({UNKNOWN_TICKET})

_MOST_OFFERS: Final = 100
"""Offers of tickets that may be noted of a player."""
_MOST_NAMES: Final = 500
"""Names of tickets in all notes: each that is misspelled is compared with every ticket of the map."""


class Selection(NamedTuple):
    """Tickets that were offered and kept, and the number of the move if it was noted."""

    offered: tuple[Copies, ...]
    kept: tuple[Copies, ...]
    move: int | None = None

    def fits(self, n_kept: int, revealed: AbstractSet[Copies]) -> bool:
        """Return whether this many were kept, all of them offered, and shown at the end if any were."""
        kept = set(self.kept)
        return len(self.kept) == n_kept and kept <= set(self.offered) and (not revealed or kept <= revealed)


def match_notes(
    noted: Sequence[Selection], keeps: Sequence[LogEntry], revealed: AbstractSet[Copies]
) -> dict[int, Selection]:
    """
    Return which notes of a player belong to which lines, by line: as many as possible in the order of both.

    Notes are made by hand: some are of draws that never were, and some draws were
    not noted. Among equally long matches, those with equal numbers of moves win.
    """
    best: list[list[tuple[int, int, dict[int, Selection]]]] = [[(0, 0, {})] * (len(keeps) + 1)]
    for note in noted:
        row = [best[-1][0]]
        for j, keep in enumerate(keeps):
            found = max(best[-1][j + 1], row[j], key=lambda match: match[:2])
            n, n_same, lines = best[-1][j]
            match = (n + 1, n_same + (note.move is not None and note.move == keep.move))
            if note.fits(keep.number, revealed) and match > found[:2]:
                found = (*match, {**lines, keep.line: note})
            row.append(found)
        best.append(row)
    return best[-1][-1][2]


def fault(line: int, text: str, reason: str) -> RecordError:
    """Return the error for a line that says what cannot be; line 0 for none in particular."""
    return RecordError("log", [Fault("log", line, "", text, reason)])


# -- who plays, and on which tracks ------------------------------------------------------------------------------------


def without_strangers(log: Log) -> Log:
    """
    Return a log without lines that only look like a move, such as chat.

    Their name occurs in no other act, and never kept tickets, as all players do first.
    """
    acts = Counter(entry.player for entry in log.entries if entry.kind in ACTS)
    keepers = {entry.player for entry in log.entries if entry.kind == "keep"}
    strange = [e for e in log.entries if acts[e.player] == 1 and e.kind in ACTS and e.player not in {*keepers, "You"}]
    if not keepers or not strange:
        return log
    lines = {entry.line for entry in strange}
    unread = sorted([*log.unread, *((entry.line, entry.text) for entry in strange)])
    return Log([entry for entry in log.entries if entry.line not in lines], unread)


def check_order(log: Log) -> None:
    """Raise a RecordError if the newest move comes first."""
    acts = [entry for entry in log.entries if entry.kind in ACTS and entry.move is not None]
    n_falling = sum((b.move or 0) < (a.move or 0) for a, b in pairwise(acts))
    if len(acts) > _FEW and n_falling > len(acts) // 2:
        raise acts[0].fault("expected the oldest move first, but the move numbers go down")


def players_of(log: Log, game_map: GameMap) -> tuple[str, ...]:
    """Return the players by seat: in the order of their first turns; those without one come last."""
    turns: list[str] = []
    openings: list[str] = []
    for act, _ in acts_of(log.entries):
        if act.player == "You":
            raise act.fault('expected seat="...", the name of the player whom the log calls You')
        if act.kind == "keep" and not turns and act.player not in openings:
            openings.append(act.player)
        elif act.player not in turns and act.kind != "choose":
            turns.append(act.player)
    players = [*turns, *(name for name in openings if name not in turns)]
    least, most = game_map.rules.players
    if len(players) > most:
        act = next(act for act, _ in acts_of(log.entries) if act.player == players[most])
        raise act.fault(f"expected at most {most} players, with {', '.join(players[:most])}")
    return (*players, *(f"player {i + 1}" for i in range(len(players), least)))


def tracks_of(log: Log, game_map: GameMap) -> dict[int, Route]:
    """
    Return the track of each claim, by line.

    The log does not say which track of a double route was taken: the claims of
    both are assigned together, by the colors that were played.
    """
    claims: dict[tuple[Route, ...], list[LogEntry]] = {}
    attempts: dict[str, LogEntry] = {}
    for entry in log.entries:
        if entry.kind == "attempt":
            attempts[entry.player] = entry
        elif entry.kind in ("claim", "choose"):
            attempt = attempts.pop(entry.player, None)
            # What was laid down tells the color; the claim of a tunnel also lists the surcharge.
            laid = entry if attempt is None else entry._replace(cards=attempt.cards)
            claims.setdefault(_routes(entry, game_map), []).append(laid)
        elif entry.kind in ACTS:
            attempts.pop(entry.player, None)
    found: dict[int, Route] = {}
    for routes, entries in claims.items():
        found.update(_assign(routes, entries))
    for entry in log.entries:
        if entry.kind == "attempt":
            routes = _routes(entry, game_map)
            taken = {found[line] for line in found if line < entry.line}
            paid = [route for route in routes if pays(route, CardCounts.coerce(entry.cards))]
            found[entry.line] = min(paid or routes, key=lambda route: route in taken)
    return found


def _routes(entry: LogEntry, game_map: GameMap) -> tuple[Route, ...]:
    """Return the tracks between the two cities of a line."""
    for a, b in entry.pairs:
        with suppress(UnknownNameError):  # a name may have a hyphen of its own
            if routes := game_map.routes_between(a, b):
                return routes
    raise entry.fault(f"expected a route of {game_map.title}")


def _assign(routes: Sequence[Route], entries: Sequence[LogEntry]) -> dict[int, Route]:
    """Return tracks for the claims between two cities so that each is paid in its color, if possible."""
    if len(entries) > len(routes):
        late = entries[len(routes)]
        raise late.fault(f"{' and '.join(route.id for route in routes)} are taken already")

    def n_wrong(tracks: Sequence[Route]) -> int:
        pairs = zip(tracks, entries, strict=True)
        return sum(entry.kind == "claim" and not pays(route, CardCounts.coerce(entry.cards)) for route, entry in pairs)

    best = min(permutations(routes, len(entries)), key=n_wrong)
    return {entry.line: route for entry, route in zip(entries, best, strict=True)}


# -- tickets that were noted -------------------------------------------------------------------------------------------


_Note = tuple[Sequence[str], Sequence[str], int | None]
"""Names of tickets that were offered and kept, and the number of the move if it was noted."""


def selections_of(notes: TicketNotes, game_map: GameMap) -> dict[str, list[Selection]]:
    """Return noted offers of each player by numbers of tickets; the nearest name will do, as notes are made by hand."""
    return {
        name: [
            Selection(_all_noted(offered, game_map), _all_noted(kept, game_map), move) for offered, kept, move in its
        ]
        for name, its in _by_player(notes).items()
    }


def _by_player(notes: TicketNotes) -> dict[str, list[_Note]]:
    """Return noted offers by player; a file of notes lists players with their selections."""
    found: dict[str, list[_Note]]
    try:
        if "players" not in notes:
            found = {name: [(offered, kept, None) for offered, kept in pairs] for name, pairs in notes.items()}
        else:
            found = {
                player["playerName"]: [
                    (chosen["offered"], chosen["kept"], chosen.get("moveNumber"))
                    for chosen in player["destinationSelections"]
                ]
                for player in notes["players"]
            }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        expected = "tickets: expected players with their playerName and destinationSelections, or pairs by player"
        raise fault(0, str(error), expected) from None
    _check_notes(found)
    return found


def _check_notes(found: Mapping[str, Sequence[_Note]]) -> None:
    """Raise a RecordError unless notes are lists of names, and no more of them than a game can have."""
    faults, names = FaultList("log", "log"), set[str]()
    for name, noted in found.items():
        if len(noted) > _MOST_OFFERS:
            faults.add(0, "tickets", f"{len(noted):,}", f"expected at most {_MOST_OFFERS} offers for {name}")
        parts: list[Any] = [part for note in noted for part in note[:2]]
        for part in parts:
            if isinstance(part, Sequence) and not isinstance(part, str) and all(isinstance(i, str) for i in part):
                names.update(part)
            else:
                faults.add(0, "tickets", str(part), f"expected lists of names for {name}")
    if len(names) > _MOST_NAMES:
        faults.add(0, "tickets", f"{len(names):,}", f"expected at most {_MOST_NAMES} names of tickets")
    faults.raise_if_any()


def _all_noted(names: Iterable[str], game_map: GameMap) -> tuple[Copies, ...]:
    return tuple(_noted(name, game_map) for name in names)


@lru_cache(maxsize=_MOST_NAMES)  # a name is noted twice at least: as offered, and as kept
def _noted(name: str, game_map: GameMap) -> Copies:
    names = _ticket_names(game_map)
    try:
        return copies_named(LogEntry("reveal", 0, None, "", name, ends=name), game_map)
    except RecordError:
        near = nearest(fold(name.replace(" - ", "-")), names, 1)
        if not near:
            raise
        return names[near[0]]


@lru_cache(maxsize=8)
def _ticket_names(game_map: GameMap) -> dict[str, Copies]:
    names: dict[str, set[int]] = {}
    for i, ticket in enumerate(game_map.tickets):
        names.setdefault(fold(ticket.id.partition("/")[0]), set()).add(i)
    return {name: frozenset(numbers) for name, numbers in names.items()}


def copies_named(entry: LogEntry, game_map: GameMap) -> Copies:
    """Return the ticket that a line names."""
    names = _ticket_names(game_map)
    for a, b in [*entry.pairs, *((b, a) for a, b in entry.pairs)]:
        if found := names.get(fold(f"{a}-{b}")):
            return found
    raise entry.fault(f"expected a ticket of {game_map.title}")
