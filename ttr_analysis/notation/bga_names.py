"""The names in a log as things of a map: players and their seats, tracks, tickets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, Final, NamedTuple

from ttr_analysis._errors import Fault, RecordError, UnknownNameError, nearest
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.maps.names import fold
from ttr_analysis.notation.bga_lines import ACTS, Log, LogEntry, acts_of
from ttr_analysis.notation.writer import pays

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
    """Tickets that were offered and kept, and in which move if that was noted."""

    offered: tuple[Copies, ...]
    kept: tuple[Copies, ...]
    move: int | None = None

    def fits(self, n_kept: int, revealed: AbstractSet[Copies]) -> bool:
        """Return whether so many were kept, of those offered and of those shown at the end, if any were."""
        kept = set(self.kept)
        return len(self.kept) == n_kept and kept <= set(self.offered) and (not revealed or kept <= revealed)


def match_notes(
    noted: Sequence[Selection], keeps: Sequence[LogEntry], revealed: AbstractSet[Copies]
) -> dict[int, Selection]:
    """
    Return which notes of a player tell of which lines, by line: as many as can in the order of both.

    Notes are made by hand: some tell of draws that never were, and some draws
    were not noted. Of matches of as many notes, those with the same numbers
    of moves are taken.
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
    """Return the error for a line that tells what cannot be; line 0 if it is of no line."""
    return RecordError("log", [Fault("log", line, "", text, reason)])


# -- who plays, and on which tracks ------------------------------------------------------------------------------------


def without_strangers(log: Log) -> Log:
    """
    Return a log without lines that only look like a move, as somebody may write in the chat.

    Those are of a name that stands over no other act, and that never kept
    tickets, as all players do first.
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
    """Raise a RecordError if moves come in falling order, as where the newest stands on top."""
    acts = [entry for entry in log.entries if entry.kind in ACTS and entry.move is not None]
    n_falling = sum((b.move or 0) < (a.move or 0) for a, b in pairwise(acts))
    if len(acts) > _FEW and n_falling > len(acts) // 2:
        raise fault(acts[0].line, acts[0].text, "expected the oldest move first: numbers of moves are falling")


def players_of(log: Log, game_map: GameMap) -> tuple[str, ...]:
    """Return the players by seat: in the order in which they first take a turn, those who have not yet after them."""
    turns: list[str] = []
    openings: list[str] = []
    for act, _ in acts_of(log.entries):
        if act.player == "You":
            raise fault(act.line, act.text, 'expected seat="...", the name of the player whom the log calls You')
        if act.kind == "keep" and not turns and act.player not in openings:
            openings.append(act.player)
        elif act.player not in turns and act.kind != "choose":
            turns.append(act.player)
    players = [*turns, *(name for name in openings if name not in turns)]
    least, most = game_map.rules.players
    if len(players) > most:
        act = next(act for act, _ in acts_of(log.entries) if act.player == players[most])
        raise fault(act.line, act.text, f"expected at most {most} players, with {', '.join(players[:most])}")
    return (*players, *(f"player {i + 1}" for i in range(len(players), least)))


def tracks_of(log: Log, game_map: GameMap) -> dict[int, Route]:
    """
    Return the track of each claim, by line.

    Of a double route the log does not say which track was taken: the claims
    of both are assigned together, by the colors that were played.
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
            paid = [route for route in routes if pays(route, card_counts(entry.cards))]
            found[entry.line] = min(paid or routes, key=lambda route: route in taken)
    return found


def _routes(entry: LogEntry, game_map: GameMap) -> tuple[Route, ...]:
    """Return the tracks between the two cities of a line."""
    for a, b in entry.pairs:
        with suppress(UnknownNameError):  # a name may have a hyphen of its own
            if routes := game_map.routes_between(a, b):
                return routes
    raise fault(entry.line, entry.text, f"expected a route of {game_map.title}")


def _assign(routes: Sequence[Route], entries: Sequence[LogEntry]) -> dict[int, Route]:
    """Return tracks for the claims between two cities so that each is paid in its color, if there is a way."""
    if len(entries) > len(routes):
        late = entries[len(routes)]
        raise fault(late.line, late.text, f"{' and '.join(route.id for route in routes)} are taken already")

    def n_wrong(tracks: Sequence[Route]) -> int:
        pairs = zip(tracks, entries, strict=True)
        return sum(entry.kind == "claim" and not pays(route, card_counts(entry.cards)) for route, entry in pairs)

    best = min(permutations(routes, len(entries)), key=n_wrong)
    return {entry.line: route for entry, route in zip(entries, best, strict=True)}


def card_counts(cards: Sequence[str]) -> CardCounts:
    """Return cards that are listed as counts."""
    return CardCounts.coerce(list(cards))


# -- tickets that were noted -------------------------------------------------------------------------------------------


class Note(NamedTuple):
    """Names of tickets that somebody noted as offered and kept, and the number of the move if that was noted too."""

    offered: Sequence[str]
    kept: Sequence[str]
    move: int | None = None


def by_player(notes: TicketNotes) -> dict[str, list[Note]]:
    """Return noted offers by player; a file of notes lists players with their selections."""
    try:
        if "players" not in notes:
            found = {name: [Note(offered, kept) for offered, kept in pairs] for name, pairs in notes.items()}
        else:
            found = {
                player["playerName"]: [
                    Note(chosen["offered"], chosen["kept"], chosen.get("moveNumber"))
                    for chosen in player["destinationSelections"]
                ]
                for player in notes["players"]
            }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        expected = "tickets: expected players with their playerName and destinationSelections, or pairs by player"
        raise fault(0, str(error), expected) from None
    _check_notes(found)
    return found


def _check_notes(found: Mapping[str, Sequence[Note]]) -> None:
    """Raise a RecordError unless notes are lists of names, and no more of them than a game can have."""
    names: set[str] = set()
    for name, noted in found.items():
        if len(noted) > _MOST_OFFERS:
            raise fault(0, f"{len(noted):,}", f"tickets: expected at most {_MOST_OFFERS} offers for {name}")
        parts: list[Any] = [part for note in noted for part in note[:2]]
        for part in parts:
            if isinstance(part, str) or not isinstance(part, Sequence) or not all(isinstance(i, str) for i in part):
                raise fault(0, str(part), f"tickets: expected lists of names for {name}")
            names.update(part)
    if len(names) > _MOST_NAMES:
        raise fault(0, f"{len(names):,}", f"tickets: expected at most {_MOST_NAMES} names of tickets")


def selections_of(notes: Iterable[Note], game_map: GameMap) -> list[Selection]:
    """Return noted offers by numbers of tickets; notes are made by hand, so that the nearest name will do."""
    return [
        Selection(
            tuple(_noted(name, game_map) for name in note.offered),
            tuple(_noted(name, game_map) for name in note.kept),
            note.move,
        )
        for note in notes
    ]


@lru_cache(maxsize=_MOST_NAMES)  # a name is noted twice at least: as offered, and as kept
def _noted(name: str, game_map: GameMap) -> Copies:
    """Return the ticket that somebody noted."""
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
    """Return the tickets by name as it is compared."""
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
    raise fault(entry.line, entry.text, f"expected a ticket of {game_map.title}")
