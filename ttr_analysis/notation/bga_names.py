"""Match the names in a log, and tickets noted by hand, to players, tracks and tickets of a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache, lru_cache
from itertools import pairwise, permutations
from typing import Any, Final, NamedTuple

from ttr_analysis._decoding import FaultList
from ttr_analysis._errors import RecordError, UnknownNameError, nearest
from ttr_analysis._words import listed
from ttr_analysis.cards import COLORS, GRAY, CardCounts
from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.maps.board import Place
from ttr_analysis.maps.loading import load_map, map_names
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.maps.names import fold
from ttr_analysis.notation.bga_lines import ACTS, Log, LogEntry, acts_of, fault
from ttr_analysis.notation.writer import pays

# -- names ---------------------------------------------------------------------------------------------------------

TicketNotes = Mapping[str, Any]
"""Ticket offers noted by hand: for each player, pairs of tickets offered and kept, in order."""

_FEW: Final = 3
"""With this many moves or fewer, their order proves nothing."""

Copies = frozenset[int]
"""The numbers of all tickets with one name."""
UNKNOWN_COPIES: Final[Copies] = frozenset({UNKNOWN_TICKET})

COUNTRIES: Final = {"Germany": ("Deutschland",), "Austria": ("Österreich",), "Italy": ("Italia",)}
"""The site's names of countries, by their names on the map."""
_MOST_OFFERS: Final = 100
"""Maximum number of ticket offers noted for a player."""
_MOST_NAMES: Final = 500
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


def check_order(log: Log) -> None:
    """Raise a RecordError if the log lists the newest move first."""
    acts = [entry for entry in log.entries if entry.kind in ACTS and entry.move is not None]
    n_falling = sum((b.move or 0) < (a.move or 0) for a, b in pairwise(acts))
    if len(acts) > _FEW and n_falling > len(acts) // 2:
        raise acts[0].fault("expected the oldest move first, but the move numbers go down")


def players_of(log: Log, game_map: GameMap) -> tuple[str, ...]:
    """Return the players in the order of their first turns; players without a turn come last."""
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
    Return the track of each claim and attempt, by line.

    The log does not name the track of a double route. Both claims are assigned
    together, by the colors played.
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
    """
    Assign tracks to the claims between two cities.

    If possible, each is paid in its color, and each attempt of a tunnel finds a track of
    its color free.
    """
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
    """Return the built-in map with the most of a log's names, None if it has no names."""
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
    """Raise a RecordError unless notes are lists of names, within the limits of a game."""
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


@lru_cache(maxsize=_MOST_NAMES)  # a ticket kept is named twice: as offered and as kept
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
