"""
Parse the lines of a Board Game Arena log, and resolve the names in them.

Names in a log, and tickets noted by hand, are matched to players, tracks and tickets of a map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache, lru_cache
from html import unescape
from itertools import pairwise, permutations
from typing import Any, Final, NamedTuple

from ttr_analysis._decoding import FaultList
from ttr_analysis._errors import Fault, RecordError, UnknownNameError, nearest
from ttr_analysis._words import listed
from ttr_analysis.cards import COLORS, GRAY, CardCounts
from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.maps.board import Place
from ttr_analysis.maps.loading import load_map, map_names
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.maps.names import fold
from ttr_analysis.notation.writer import pays
from ttr_analysis.records.entries import MAX_TIME, Stamp

COLOR_CODES: Final = ("locomotive", "purple", "white", "blue", "yellow", "orange", "black", "red", "green")
"""Kinds of card by their number in the log."""

_LONGEST: Final = 300
"""Longer lines, and longer names of noted tickets, are ignored."""
_MOVE: Final = re.compile(
    r"move (?P<move>\d{1,6})(?:(?P<time> ?:? ?\d[\d:./ -]*(?:[ap]m\b)?)(?P<rest> ?[^\d\s].*)?)?", re.IGNORECASE
)
"""The heading of a move; what follows its time on the same line is the first line of the move."""
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
_TAG: Final = re.compile(r"<(?:/?[a-z]|!--)[^<>]*>", re.IGNORECASE)
_LINE_ENDS: Final = ("\n", "\r")
_JOINERS: Final = re.compile(r" to | - |[-–—]")
ACTS: Final = ("keep", "draw", "take", "claim", "attempt", "decline", "station", "choose", "pass")
"""Kinds of line that are acts of players."""


class LogEntry(NamedTuple):
    """
    The content of a line.

    `move` and `time` come from the heading above it. `number` counts tickets, cards,
    cars or stations, and `turned` the cards turned over for a tunnel. `ends` names two cities, the
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
    contents = [_content(raw) for raw in text.splitlines()]
    keepers = {found["player"] for found in map(_PATTERNS["keep"].fullmatch, contents) if found}
    for line, content in enumerate(contents, start=1):
        found = _MOVE.fullmatch(content)
        if found:
            _add_move(log, of_move, you)
            of_move = []
            move, time = int(found["move"]), (found["time"] or "").strip(" :")[:MAX_TIME]
        said = (found["rest"] or "").strip() if found else content
        if not _is_talk(said, keepers) and (entry := _read_line(said, line, move, time, you)):
            of_move.append(entry)
            last = line
        elif said:
            log.unread.append((line, said))
    _leave_out_broken(log, of_move, you, is_last=last == len(contents) and text[-1:] not in _LINE_ENDS)
    _add_move(log, of_move, you)
    return log


def _leave_out_broken(log: Log, of_move: list[LogEntry], you: str, *, is_last: bool) -> None:
    """Remove from the last move what may have been cut off: a partial line, or hidden cards without a player."""
    if is_last and of_move:
        entry = of_move[-1]
        is_short = entry.kind in ("claim", "station") and len(entry.cards) < entry.number
        # "takes 1" may be the beginning of "takes 1 hidden train car card".
        is_draw = entry.kind == "take" and (
            entry.text[-2:] in (" 1", " 2") or any(other.kind == "yours" for other in of_move)
        )
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
    events = [i for i, entry in enumerate(of_move) if entry.kind not in _NOTICES]
    for at, i in enumerate(events):
        yours = of_move[i]
        if yours.kind != "yours":
            continue
        drawn = yours._replace(kind="draw", player=you or "You", number=len(yours.cards))
        for j in (*events[at + 1 : at + 2], *events[max(0, at - 1) : at]):
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


def _content(raw: str) -> str:
    """Return a line without the tags and entities of the page from which it was copied."""
    content = " ".join(unescape(_TAG.sub(" ", raw)).split())
    return "".join(filter(str.isprintable, content))[:_LONGEST]  # names in records must be printable


def _read_line(content: str, line: int, move: int | None, time: str, you: str) -> LogEntry | None:
    for kind, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(content):
            values = {name: _VALUES[name](part) for name, part in found.groupdict().items()}
            if you and values.get("player") == "You":
                values["player"] = you
            return LogEntry(kind, line, move, time, content, **values)
    return None


def acts_of(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, list[LogEntry]]]:
    """Yield each player's act with its outcomes."""
    starts = [i for i, entry in enumerate(entries) if entry.kind in ACTS]
    for start, end in pairwise([*starts, len(entries)]):
        yield entries[start], list(entries[start + 1 : end])


def fault(line: int, text: str, reason: str) -> RecordError:
    """Return the error for an impossible line; line 0 means the whole log."""
    return RecordError("log", [Fault("log", line, "", text, reason)])


# -- names ---------------------------------------------------------------------------------------------------------

TicketNotes = Mapping[str, Any]
"""Ticket offers noted by hand: pairs of tickets offered and kept by player, in order, or a notes file's content."""

_FEW: Final = 3
"""With no more moves than this, their order proves nothing."""

Copies = frozenset[int]
"""The numbers of all tickets with one name."""
UNKNOWN_COPIES: Final[Copies] = frozenset({UNKNOWN_TICKET})

COUNTRIES: Final = {"Germany": ("Deutschland",), "Austria": ("Österreich",), "Italy": ("Italia",)}
"""The site's names of countries, by their names on the map."""
_MAX_OFFERS: Final = 100
"""Maximum number of ticket offers noted for a player."""
_MAX_NAMES: Final = 500
"""Maximum number of ticket names in all notes: each misspelled one is compared with every ticket of the map."""


class Selection(NamedTuple):
    """Tickets offered and kept, and the move number if noted."""

    offered: tuple[Copies, ...]
    kept: tuple[Copies, ...]
    move: int | None = None

    def fits(self, n_kept: int, revealed: AbstractSet[Copies]) -> bool:
        """Return whether `n_kept` tickets were kept, all from the offer, and all `revealed` if any tickets were."""
        kept = set(self.kept)
        return len(self.kept) == n_kept and kept <= set(self.offered) and (not revealed or kept <= revealed)


def match_notes(
    noted: Sequence[Selection], keeps: Sequence[LogEntry], revealed: AbstractSet[Copies]
) -> dict[int, Selection]:
    """
    Match as many of a player's notes as possible to lines, keeping the order; return notes by line.

    Notes are made by hand: some describe draws that never happened, and some draws are
    missing. Among equally long matches, the one with more equal move numbers wins.
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


# -- who plays, and on which tracks ------------------------------------------------------------------------------------


def without_strangers(log: Log) -> Log:
    """
    Return a log without lines that only look like a move, such as chat.

    Such a line names somebody who never keeps tickets, as every player does first, and
    who appears in no other act.
    """
    acts = Counter(entry.player for entry in log.entries if entry.kind in ACTS)
    keepers = {entry.player for entry in log.entries if entry.kind == "keep"}
    strange = [e for e in log.entries if acts[e.player] == 1 and e.kind in ACTS and e.player not in {*keepers, "You"}]
    if not keepers or not strange:
        return log
    lines = {entry.line for entry in strange}
    unread = sorted([*log.unread, *((entry.line, entry.text) for entry in strange)])
    return Log([entry for entry in log.entries if entry.line not in lines], unread)


def check_order(log: Log) -> list[str]:
    """Return where move numbers first go down; raise a RecordError if the log lists the newest move first."""
    acts = [entry for entry in log.entries if entry.kind in ACTS and entry.move is not None]
    falls = [(a, b) for a, b in pairwise(acts) if (b.move or 0) < (a.move or 0)]
    if len(acts) > _FEW and len(falls) > len(acts) // 2:
        raise acts[0].fault("expected the oldest move first, but the move numbers go down")
    doubts = [
        f"the moves are in the order of the log, although move {b.move} (line {b.line}) follows move {a.move}; "
        "a part may have been pasted twice"
        for a, b in falls
        if b.kind != "keep"  # opening tickets are kept in any order
    ]
    return doubts[:1]


def players_of(log: Log, game_map: GameMap) -> tuple[str, ...]:
    """Return the players in the order of their first turns, then those without one, such as "player 4" if unnamed."""
    turns: list[str] = []
    openings: list[str] = []
    for act, _ in acts_of(log.entries):
        if act.player == "You":
            raise act.fault('expected seat="...", the name of the player that the log calls You')
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
    Return the track of each claim, attempt and route given to the neutral player, by line.

    The log does not name the track of a double route. Both claims are assigned together,
    by the points and the colors played.
    """
    claims: dict[tuple[Route, ...], list[LogEntry]] = {}
    attempts: dict[tuple[Route, ...], list[LogEntry]] = {}
    for entry in log.entries:
        if entry.kind in ("claim", "choose", "attempt"):
            of_kind = attempts if entry.kind == "attempt" else claims
            of_kind.setdefault(_routes(entry, game_map), []).append(entry)
    found: dict[int, Route] = {}
    for routes, entries in claims.items():
        found.update(_assign(routes, entries, attempts.get(routes, ())))
    claimed = dict(found)
    for entry in log.entries:
        if entry.kind == "attempt":
            routes = _routes(entry, game_map)
            taken = {route for line, route in claimed.items() if line < entry.line}
            found[entry.line] = min(routes, key=lambda route: (not _fits(route, entry), route in taken))
    return found


def _routes(entry: LogEntry, game_map: GameMap) -> tuple[Route, ...]:
    """Return the tracks between the two places of a line; to a country, all tracks from the city."""
    for a, b in entry.pairs:  # a name may contain a hyphen
        places = [place_named(end, game_map) for end in (a, b)]
        for city, end in (places, places[::-1]):
            if city is None or end is None or city.is_country:
                continue
            if tracks := [route for to in end.cities for route in game_map.routes_between(city.name, to)]:
                return tuple(tracks)
    raise entry.fault(f"expected a route on the map {game_map.title}")


def place_named(name: str, game_map: GameMap) -> Place | None:
    """Return a city or country by its English or local name, None if unknown."""
    return _places(game_map).get(fold(name))


@lru_cache(maxsize=8)
def _places(game_map: GameMap) -> dict[str, Place]:
    names = [name for place in game_map.places for name in (place.name, *COUNTRIES.get(place.name, ()))]
    names += [name for city in game_map.cities for name in city.also]
    found = {}
    for name in names:
        with suppress(UnknownNameError):
            home = next((place for place, its in COUNTRIES.items() if name in its), name)
            found[fold(name)] = game_map.place(home)
    return found


def _fits(route: Route, entry: LogEntry) -> bool:
    """Return whether a line's points and cards fit a track; for a tunnel, the cards may include a surcharge."""
    if entry.kind == "claim" and entry.points != route.points:
        return False
    cards = CardCounts.coerce(entry.cards)
    if not route.tunnel:
        return pays(route, cards)
    colors = {kind for kind in entry.cards if kind in COLORS}
    return len(colors) <= 1 and (route.color == GRAY or colors <= {route.color})


def _assign(routes: Sequence[Route], entries: Sequence[LogEntry], attempts: Sequence[LogEntry]) -> dict[int, Route]:
    """Assign tracks to the claims between two cities: if possible, of the color paid, and free for each attempt."""
    if len(entries) > len(routes):
        late = entries[len(routes)]
        raise late.fault(f"{' and '.join(route.id for route in routes)} are already taken")

    def n_wrong(tracks: Sequence[Route]) -> int:
        pairs = list(zip(tracks, entries, strict=True))
        n_blocked = 0
        for attempt in attempts:
            taken = [route for route, entry in pairs if entry.line < attempt.line]
            n_blocked += not any(_fits(route, attempt) and route not in taken for route in routes)
        return n_blocked + sum(entry.kind == "claim" and not _fits(route, entry) for route, entry in pairs)

    best = min(permutations(routes, len(entries)), key=n_wrong)
    return {entry.line: route for entry, route in zip(entries, best, strict=True)}


# -- which map ---------------------------------------------------------------------------------------------------------

_NAMED: Final = ("claim", "attempt", "station", "reveal")
"""Kinds of line that name something on a map."""


def find_map(log: Log) -> GameMap | None:
    """Return the built-in map with the most of a log's names, None if no map has any."""
    named = {(e.kind, e.ends): e for e in log.entries if e.kind in _NAMED}.values()
    counts = [(sum(_is_on(e, game_map) for e in named), game_map) for game_map in _package_maps()]
    n, best = max(counts, key=lambda count: count[0])
    return best if n else None


@cache  # a folder may hold many logs, and loading the maps takes longer than reading a log
def _package_maps() -> tuple[GameMap, ...]:
    return tuple(map(load_map, map_names()))


def _is_on(entry: LogEntry, game_map: GameMap) -> bool:
    if entry.kind == "station":
        return place_named(entry.ends, game_map) is not None
    ends = ([a, *b.split("/")] for a, b in entry.pairs)
    return any(all(place_named(end, game_map) for end in its) for its in ends)


_MARKET: Final = ("reset", "stay")
_TICKET: Final = ("reveal", "completed", "won", "lost")
BONUS_OF: Final = {"bonus": "longest_trail", "globetrotter": "completed_tickets"}
"""The kinds of lines about bonuses, with the measures of the bonuses in the rules."""
_REASONS: Final = {
    **dict.fromkeys(_MARKET, "the market was replaced"),
    **dict.fromkeys(_TICKET, "its tickets are named"),
    **dict.fromkeys(BONUS_OF, "its bonus was won"),
    "keep": "tickets from its deals were kept",
}
"""Kinds of line that distinguish variants, with the reason to report."""


def find_variant(log: Log, game_map: GameMap, notes: TicketNotes) -> tuple[GameMap, str]:
    """
    Return the variant of a map that agrees best with a log and notes, and why.

    Ties go to variants all of whose bonuses were won, if the game is complete; then to the
    map itself, then to the fewest tickets.
    """
    openings: dict[str, int] = {}
    for entry in log.entries:
        if entry.kind == "keep":
            openings.setdefault(entry.player, entry.line)
    lines = {(e.kind, e.player, e.ends, e.line in openings.values(), e.number): e for e in log.entries}
    telling = [entry for entry in lines.values() if entry.kind in _REASONS]
    noted = {name for its in _by_player(notes).values() for offered, kept, _ in its for name in (*offered, *kept)}
    telling += [LogEntry("reveal", 0, None, "", name, ends=name) for name in sorted(noted)]

    kinds = {entry.kind for entry in log.entries}
    nobodys = {measure for kind, measure in BONUS_OF.items() if "end" in kinds and kind not in kinds}
    tables = [game_map, *(game_map.with_variant(rules.variant) for rules in game_map.rules.variants)]
    agreeing = [{entry for entry in telling if _agrees(entry, played, openings)} for played in tables]

    def fits(i: int) -> tuple[int, ...]:
        n_strange = sum(bonus.measure in nobodys for bonus in tables[i].rules.bonus)
        return len(agreeing[i]), -n_strange, i == 0, -len(tables[i].tickets)

    best = max(range(len(tables)), key=fits)
    why = [_REASONS[entry.kind] for entry in telling if entry in agreeing[best] - agreeing[0]]
    return tables[best], listed(dict.fromkeys(why or ["nobody got another bonus"])) if best else ""


def _agrees(entry: LogEntry, game_map: GameMap, openings: Mapping[str, int]) -> bool:
    """Return whether a line is possible on a map."""
    rules = game_map.rules
    if entry.kind in _MARKET:
        return rules.market.reset_at > 0
    if entry.kind in BONUS_OF:
        return any(bonus.measure == BONUS_OF[entry.kind] for bonus in rules.bonus)
    if entry.kind == "keep":
        is_opening = openings.get(entry.player) == entry.line
        least, most = (
            (rules.tickets.opening_keep, rules.tickets.opening_deal)
            if is_opening
            else (rules.tickets.keep, rules.tickets.draw)
        )
        return least <= entry.number <= most
    try:
        tickets = [game_map.tickets[i] for i in copies_named(entry, game_map)]
    except RecordError:
        return False
    scores = {points for ticket in tickets for points in (-ticket.penalty, *(n for _, n in ticket.destinations))}
    return entry.kind not in ("won", "lost") or entry.points * (1 if entry.kind == "won" else -1) in scores


# -- noted tickets -----------------------------------------------------------------------------------------------------


_Note = tuple[Sequence[str], Sequence[str], int | None]
"""Names of tickets offered and kept, and the move number if noted."""


def selections_of(notes: TicketNotes, game_map: GameMap) -> dict[str, list[Selection]]:
    """Return each player's noted offers as ticket numbers; handwritten names match the closest ticket."""
    return {
        name: [
            Selection(_all_noted(offered, game_map), _all_noted(kept, game_map), move) for offered, kept, move in its
        ]
        for name, its in _by_player(notes).items()
    }


def _by_player(notes: TicketNotes) -> dict[str, list[_Note]]:
    """Return noted offers by player, from pairs or from the players of a notes file."""
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
    """Raise a RecordError unless notes are lists of names, within the limits on their number."""
    faults, names = FaultList("log", "log"), set[str]()
    for name, noted in found.items():
        if len(noted) > _MAX_OFFERS:
            faults.add(0, "tickets", f"{len(noted):,}", f"expected at most {_MAX_OFFERS} offers for {name}")
        parts: list[Any] = [part for note in noted for part in note[:2]]
        for part in parts:
            if isinstance(part, Sequence) and not isinstance(part, str) and all(isinstance(i, str) for i in part):
                names.update(part)
            else:
                faults.add(0, "tickets", str(part), f"expected lists of names for {name}")
    if len(names) > _MAX_NAMES:
        faults.add(0, "tickets", f"{len(names):,}", f"expected at most {_MAX_NAMES} names of tickets")
    faults.raise_if_any()


def _all_noted(names: Iterable[str], game_map: GameMap) -> tuple[Copies, ...]:
    return tuple(_noted(name, game_map) for name in names)


@lru_cache(maxsize=_MAX_NAMES)  # a ticket kept is named twice: as offered and as kept
def _noted(name: str, game_map: GameMap) -> Copies:
    names = _ticket_names(game_map)
    try:
        return copies_named(LogEntry("reveal", 0, None, "", name, ends=name), game_map)
    except RecordError:
        near = nearest(fold(name.replace(" - ", "-")), names, 1)
        if not near:
            raise
        return names[near[0]]


@lru_cache(maxsize=16)
def _ticket_names(game_map: GameMap) -> dict[str, Copies]:
    names: dict[str, set[int]] = {}
    for i, ticket in enumerate(game_map.tickets):
        names.setdefault(fold(ticket.id.partition("/")[0]), set()).add(i)
    return {name: frozenset(numbers) for name, numbers in names.items()}


@lru_cache(maxsize=16)
def _tickets_by_ends(game_map: GameMap) -> dict[tuple[str, frozenset[str]], Copies]:
    """Return tickets by origin and destinations; those with one destination in both directions."""
    found: dict[tuple[str, frozenset[str]], set[int]] = {}
    for i, ticket in enumerate(game_map.tickets):
        ends = [place.name for place, _ in ticket.destinations]
        found.setdefault((ticket.origin.name, frozenset(ends)), set()).add(i)
        if len(ends) == 1:
            found.setdefault((ends[0], frozenset([ticket.origin.name])), set()).add(i)
    return {names: frozenset(numbers) for names, numbers in found.items()}


def copies_named(entry: LogEntry, game_map: GameMap) -> Copies:
    """Return the tickets with the name in a line."""
    names, by_ends = _ticket_names(game_map), _tickets_by_ends(game_map)
    for a, b in entry.pairs:
        if found := names.get(fold(f"{a}-{b}")):
            return found
        origin, *ends = (place_named(end, game_map) for end in (a, *b.split("/")))
        if origin and (found := by_ends.get((origin.name, frozenset(end.name for end in ends if end)))):
            return found
    raise entry.fault(f"expected a ticket for the map {game_map.title}")
