"""Board Game Arena logs: records of real games, with a report of how each log was read; and records as logs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from ttr_analysis._errors import GameError, RecordError, _shorten
from ttr_analysis._words import listed
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine import actions, codes
from ttr_analysis.engine.actions.table import HANDLER_OF
from ttr_analysis.engine.events import Chance, Correction, Event, Move, StartPosition
from ttr_analysis.engine.layout import OVER, UNKNOWN_CARD, UNKNOWN_TICKET
from ttr_analysis.engine.scores import Scores, score_state
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, Ticket
from ttr_analysis.notation import bga_log
from ttr_analysis.notation.bga_log import ACTS, COLOR_CODES, Log, TicketNotes, acts_of, fault, read_log
from ttr_analysis.notation.bga_reader import LogFollower
from ttr_analysis.records.entries import COMPLETING, in_offer_order
from ttr_analysis.records.record import Game, GameRecord

if TYPE_CHECKING:
    import numpy as np

_MAX_CHARACTERS: Final = 2_000_000
_STEP_COLUMNS: Final = ["step", "line", "move", "time", "text"]
_TOTAL_COLUMNS: Final = ["what", "player", "log", "record"]


@dataclass(frozen=True)
class LogReport:
    """
    How a log was read: its content, what later play implies, and what stays unknown.

    Parameters
    ----------
    inferred
        Facts missing from the log: proved by later play, or assumed.
    unknown
        Unknown facts.
    unread
        Lines that were not understood, with their numbers.
    steps
        The source of each step after the setup: columns step, line, move, time,
        text.
    totals
        Figures from the log and the record: columns what, player, log, record.
    """

    players: tuple[str, ...]
    inferred: tuple[str, ...]
    unknown: tuple[str, ...]
    unread: tuple[tuple[int, str], ...]
    steps: pd.DataFrame = field(compare=False)
    totals: pd.DataFrame = field(compare=False)

    @property
    def disagreements(self) -> pd.DataFrame:
        """The rows of `totals` in which log and record differ."""
        return self.totals[self.totals["log"] != self.totals["record"]]

    def __str__(self) -> str:
        differ = [
            f"{what}{f' of {_shorten(player)}' if player else ''}: {log} in the log, {own} in the record"
            for what, player, log, own in self.disagreements.itertuples(index=False)
        ]
        agree = f"{len(differ)} different from the record" if differ else "all equal to the record"
        lines = [
            f"players: {', '.join(self.players)}",
            f"moves read: {len(self.steps)}; figures in the log: {len(self.totals)}, {agree}",
            *(f"different: {text}" for text in differ[:10]),
            *(f"inferred: {text}" for text in self.inferred),
            *(f"unknown: {text}" for text in self.unknown),
            *(f"line {number} not understood: {_shorten(text)}" for number, text in self.unread[:10]),
        ]
        if len(self.unread) > 10:  # noqa: PLR2004 - as many are shown
            lines.append(f"and {len(self.unread) - 10} more lines")
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class LoggedRecord(GameRecord):
    """
    The record of a game that was read from a log.

    Parameters
    ----------
    report
        How it was read; not saved with the record.
    """

    report: LogReport | None = field(default=None, compare=False)


def read_bga(
    text: str,
    *,
    tickets: TicketNotes | None = None,
    seat: str | None = None,
    game_map: MapLike | None = None,
    title: str = "",
    date: str = "",
) -> LoggedRecord:
    """
    Return the record of a game from its Board Game Arena log.

    The log shows who takes, draws and claims what, but not the market, the opening hands,
    or the tickets offered; for a tunnel it shows only the color and the number of matches,
    not the cards laid down and turned over. Unknown facts stay unknown in the record; later
    play reveals most of the opening hands.

    Parameters
    ----------
    text
        The pasted log. It may break off anywhere.
    tickets
        Ticket offers noted by hand: for each player by name, pairs of the tickets offered
        and the tickets kept, in order. Offers that do not fit the log are left out.
    seat
        The player that the log calls "You", if the log does not give the name.
    game_map
        The map, or its name. If None, the map is found from the places in the log. If a
        variant agrees better with the log's tickets, bonuses and markets, it is used.
    date
        Date of the game, such as "2026-03-14"; the log has only times.

    Returns
    -------
    record
        The record, with move numbers and times; its `report` lists what was read, what
        was inferred, and what is unknown.

    Raises
    ------
    RecordError
        If the log is impossible; the message names the line and the reason.
    GameError
        If the title is not printable, or the date does not exist.

    Examples
    --------
    >>> record = ttr.read_bga('''
    ... Move 2 :20:15:01
    ... Ann keeps 2 destination(s)
    ... Move 3 :20:15:07
    ... Bo keeps 3 destination(s)
    ... Move 4 :20:15:44
    ... Bo takes 7
    ... Move 5 :20:15:50
    ... Bo takes 7
    ... Move 6 :20:16:20
    ... Ann gains 2 point(s) by claiming route from New York to Boston with 2 train car(s) : 4,4
    ... ''')
    >>> record
    <GameRecord usa: Bo, Ann, 26 events, not over, scores ?, ? so far>
    >>> print(record.report)
    players: Bo, Ann
    moves read: 5; figures in the log: 1, all equal to the record
    inferred: Ann was dealt yellow, yellow
    unknown: cards dealt: 4 to Bo, 2 to Ann
    unknown: tickets kept: 5
    """
    if len(text) > _MAX_CHARACTERS:
        raise fault(0, f"{len(text)} characters", f"expected a log of at most {_MAX_CHARACTERS:,} characters")
    log = bga_log.without_strangers(read_log(text, seat or ""))
    if not log.entries:
        line, content = log.unread[0] if log.unread else (0, "")
        raise fault(line, content, "expected the log of a game, but no line was understood")
    game_map, assumed = _map_of(log, game_map, tickets or {})
    assumed += bga_log.check_order(log)
    players = bga_log.players_of(log, game_map)
    selections = bga_log.selections_of(tickets or {}, game_map)
    has_begun = any(entry.kind in ACTS and entry.kind != "keep" for entry in log.entries)
    if has_begun and (stray := [name for name in selections if name not in players]):
        raise fault(0, str(stray[0]), f"tickets: expected a player of the log, one of {', '.join(players)}")
    tracks = bga_log.tracks_of(log, game_map)
    reader = LogFollower(game_map, players, log, selections, tracks)
    reader.read()
    if any(reader.known_cards.dealt):
        reader = LogFollower(game_map, players, log, selections, tracks, reader.known_cards.dealt)
        reader.read()
    reader.skipped += assumed
    return _record(reader, title, date)


def _map_of(log: Log, game_map: MapLike | None, notes: TicketNotes) -> tuple[GameMap, list[str]]:
    """Return the map of a log in the variant that fits most of its lines, and the assumptions made."""
    found = bga_log.find_map(log) if game_map is None else as_map(game_map)
    texts = [] if found else ["the log names no place, so it is assumed to be from the most common map"]
    found = found or as_map("usa")
    played, reason = bga_log.find_variant(log, found, notes)
    if reason:
        texts.append(f"the variant is {played.rules.variant}, because {reason}")
    return played, texts


def read_notes(path: Path) -> TicketNotes:
    """Return ticket offers from a JSON file, as for `read_bga`, or raise a RecordError."""
    content = path.read_bytes()
    if len(content) > _MAX_CHARACTERS:
        raise fault(0, f"{len(content)} bytes", f"tickets: expected a file of at most {_MAX_CHARACTERS:,} bytes")
    try:
        notes = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise fault(0, path.name, f"tickets: expected JSON ({error})") from None
    if not isinstance(notes, dict):
        raise fault(0, path.name, "tickets: expected a JSON object")
    return notes


# -- the report --------------------------------------------------------------------------------------------------------


def _record(reader: LogFollower, title: str, date: str) -> LoggedRecord:
    game = Game(reader.game_map, len(reader.players))
    try:
        empty = LoggedRecord.from_play(game, [], None, [], players=reader.players)
    except GameError as error:
        raise fault(0, ", ".join(reader.players), str(error)) from None
    header = replace(empty.header, title=title, date=date)
    record = LoggedRecord(header, tuple(in_offer_order(reader.entries)), reader.game_map)
    try:
        record.states()
    except RecordError as error:
        impossible = error.faults[0]
        act = reader.act_of(impossible.line - 2)  # events come after the header, which is line 1
        line, text = (act.line, act.text) if act else (0, impossible.value)
        raise fault(line, text, impossible.expected) from None
    report = LogReport(
        reader.players,
        tuple(_inferred(reader)),
        tuple(_unknown(reader)),
        tuple(reader.log.unread),
        pd.DataFrame(reader.steps, columns=_STEP_COLUMNS),
        _totals(reader, record),
    )
    object.__setattr__(record, "report", report)
    return record


def _inferred(reader: LogFollower) -> list[str]:
    """Return facts missing from the log, proved by later play or assumed."""
    texts = []
    for seat, name in enumerate(reader.players):
        if known := [CARD_KINDS[kind] for kind in reader.hand(seat) if kind != UNKNOWN_CARD]:
            texts.append(f"{name} was dealt {', '.join(known)}")
    return [*texts, *reader.skipped]


def _unknown(reader: LogFollower) -> list[str]:
    texts = []
    if reader.vector.phase != OVER and any(entry.kind == "end" for entry in reader.log.entries):
        texts.append("why the game ended: under the rules it was not over")
    # The first act of each player is to keep opening tickets, in any order.
    acts = Counter(act.player for act, _ in acts_of(reader.log.entries) if act.kind != "choose")
    if len(waiting := [name for name in reader.players if acts[name] <= 1]) > 1:
        texts.append(f"order of {listed(waiting)}, who have not had a turn")
    seats = range(len(reader.players))
    dealt = [(reader.hand(seat).count(UNKNOWN_CARD), reader.players[seat]) for seat in seats]
    n_drawn = sum(entry.kind == codes.CARD_DRAWN and entry.value == UNKNOWN_CARD for entry in reader.entries)
    held = [reader.vector.held[seat, : reader.vector.n_held[seat]].tolist() for seat in seats]
    counts = {
        "cards dealt": ", ".join(f"{n} to {name}" for n, name in dealt if n),
        "cards drawn": n_drawn,
        "tickets kept": sum(tickets.count(UNKNOWN_TICKET) for tickets in held),
    }
    texts += [f"{what}: {count}" for what, count in counts.items() if count]
    return [*texts, *reader.unused]


def _totals(reader: LogFollower, record: GameRecord) -> pd.DataFrame:
    """Return figures from the log and the record."""
    rows: list[tuple[str, str, int, int]] = []
    n_shuffles = sum(entry.kind == "shuffle" for entry in reader.log.entries)
    if n_shuffles or reader.vector.n_shuffles:
        rows.append(("reshuffles", "", n_shuffles, int(reader.vector.n_shuffles)))
    n_resets = sum(entry.kind == "reset" for entry in reader.log.entries)
    made = sum(e.kind == codes.SHUFFLED and e.argument == codes.SHUFFLED_MARKET for e in reader.entries)
    if n_resets or made:
        rows.append(("market replaced", "", n_resets, made))
    for score, name in zip(record.score(), reader.players, strict=True):
        own = [entry for entry in reader.log.entries if entry.player == name]
        if claims := sum(entry.points for entry in own if entry.kind == "claim"):
            rows.append(("points for routes", name, claims, score.route_points))
        won = [entry.points * (1 if entry.kind == "won" else -1) for entry in own if entry.kind in ("won", "lost")]
        if won:
            rows.append(("points for tickets", name, sum(won), score.ticket_points))
        rows += [("longest trail", name, entry.number, score.trail) for entry in own if entry.kind == "trail"]
        for kind, measure in bga_log.BONUS_OF.items():
            points = sum(bonus.points or 0 for bonus in score.bonuses if bonus.measure == measure)
            rows += [(kind, name, entry.points, points) for entry in own if entry.kind == kind]
        rows += [("stations", name, entry.points, score.station_points) for entry in own if entry.kind == "stations"]
    return pd.DataFrame(rows, columns=_TOTAL_COLUMNS)


# -- a record as a log ---------------------------------------------------------------------------------------------

_NAMES: Final = ("Ann", "Bo", "Cleo", "Dan", "Eve", "Fay")
_NOTICES: Final = {
    "market_replaced": "Three locomotives have been revealed, visible train cards are replaced",
    "cards_shuffled": "The train car deck has been reshuffled",
}
_STAYS: Final = "Three locomotives have been revealed multiples times in a row, they will stay visible"


def write_bga(record: GameRecord, *, seat: int | None = None, rng: np.random.Generator | None = None) -> str:
    r"""
    Return a record as the lines of a Board Game Arena log, which `read_bga` can read.

    A log has less information than a record: no market, opening hands or ticket offers, and
    not the cards laid down and turned over for a tunnel. For actions on maps that the site
    does not offer, this package defines its own lines.

    Parameters
    ----------
    record
        The record; players without a name get one.
    seat
        The viewing seat, which sees its own hidden cards and completed tickets; None for
        a log that shows everybody's, such as that of a replay.
    rng
        Random generator for the order of opening choices, cards and cities, and for other
        names of cities; None keeps those of the record.

    Raises
    ------
    GameError
        If the record begins from a position.

    Examples
    --------
    >>> record = ttr.Game("usa").play(["Greedy", "Random"], seed=7)
    >>> print(*ttr.write_bga(record).splitlines()[6:10], sep="\n")
    Move 4 :00:00:00
    Ann gains 1 point(s) by claiming route from Atlanta to Nashville with 1 train car(s) : 1
    Move 5 :00:00:00
    Bo gains 2 point(s) by claiming route from Kansas City to Oklahoma City with 2 train car(s) : 2,0
    """
    return "\n".join(_Writer(record, seat, rng).lines()) + "\n"


class _Writer:
    def __init__(self, record: GameRecord, seat: int | None, rng: np.random.Generator | None) -> None:
        self._record = record
        self._map = record.map
        self._seat = seat
        self._rng = rng
        n_players = record.header.n_players
        self._done: list[set[Ticket]] = [set() for _ in range(n_players)]
        """Tickets of each seat that were reported as completed."""
        self._names = record.header.players or _NAMES[:n_players]

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        record, states, numbers = self._record, self._record.states(), count(2)
        if any(isinstance(event, StartPosition) for event in record.steps[0]):
            raise GameError("a log begins with the opening, not from a position")
        n_players = record.header.n_players
        yield from self._notices(record.steps[0], states[0])
        openings = list(range(1, min(1 + n_players, len(record.steps))))
        order = openings if self._rng is None else self._rng.permutation(openings).tolist()
        for step in [*order, *range(1 + n_players, len(record.steps))]:
            lines = [*self._of_step(record.steps[step], states[step - 1], states[step])]
            if lines:
                yield f"Move {next(numbers)} :00:00:00"
                yield from self._completes(record.steps[step][0], states[step])
                yield from lines
        if record.is_complete:
            yield from self._scoring(record.score())

    def _of_step(self, events: Sequence[Event], before: GameState, after: GameState) -> Iterator[str]:
        first = events[0]
        if isinstance(first, Correction):
            yield first.reason
        if not isinstance(first, Move):
            return
        yield from self._act(first.seat, first.action, events, before, after)
        for event in events:
            if isinstance(event, Chance) and event.kind == "neutral_ticket" and event.ticket is not None:
                yield f"Neutral destination : {self._ticket(event.ticket)}"
        yield from self._notices(events, after)
        if after.is_last_round and not before.is_last_round:
            n = self._map.rules.trains.last_round_at
            yield f"{self._names[first.seat]} has {n} train cars or less, starting final turn !"

    def _completes(self, event: Event, after: GameState) -> Iterator[str]:
        """Yield the private lines about tickets that a move completes."""
        if not isinstance(event, Move) or self._seat not in (None, event.seat):
            return
        if HANDLER_OF[type(event.action)].kind not in COMPLETING:
            return
        done = {
            scored.ticket
            for scored in score_state(self._map, after.packed, len(self._names))[event.seat].tickets
            if scored.ticket and scored.reached
        }
        new = done - self._done[event.seat]
        self._done[event.seat] |= new
        yield from (
            f"You completed a new destination : {self._ticket(ticket)}" for ticket in self._map.tickets if ticket in new
        )

    def _notices(self, events: Sequence[Event], after: GameState) -> Iterator[str]:
        """Yield the lines about the piles and the market."""
        kinds = [event.kind for event in events if isinstance(event, Chance) and event.kind in _NOTICES]
        yield from (_NOTICES[kind] for kind in kinds)
        reset_at = self._map.rules.market.reset_at
        if "market_replaced" in kinds and 0 < reset_at <= after.market.count(LOCOMOTIVE):
            yield _STAYS

    # -- actions ------------------------------------------------------------------------

    def _act(
        self, seat: int, action: actions.Action, events: Sequence[Event], before: GameState, after: GameState
    ) -> Iterator[str]:
        """Yield the lines of an action; drawing tickets and passing have none."""
        name = self._names[seat]
        match action:
            case actions.DrawCard():
                cards = [event.card for event in events if isinstance(event, Chance) and event.kind == "card_drawn"]
                if self._seat in (None, seat) and cards[0] is not None:
                    yield f"You take hidden train car card(s) {COLOR_CODES.index(cards[0])}"
                yield f"{name} takes 1 hidden train car card(s)"
            case actions.DrawFaceUp(slot, card):
                yield f"{name} takes {COLOR_CODES.index(card or before.market[slot] or '')}"
            case actions.ClaimRoute(route, payment):
                if route.tunnel:
                    yield from self._tries(seat, route, payment.color, events, after)
                if after.pending is None:
                    yield self._gains(seat, route, payment.cards)
            case actions.AttemptTunnel(route, color):
                yield from self._tries(seat, route, color, events, after)
            case actions.PayTunnel(paid) if before.pending is not None:
                yield self._gains(seat, before.pending.route, before.pending.laid + paid)
            case actions.DeclineTunnel():
                yield f"{name} skip tunnel claim"
            case actions.KeepTickets(tickets):
                yield from [f"{name} keeps {len(tickets)} destination(s)"] * 2
                if self._map.rules.tickets.unkept == "discard_pile":
                    left = list(before.offers[seat])
                    for ticket in tickets:
                        left.remove(ticket)
                    yield from (f"{name} lays {self._ticket(t)} destination on the discards" for t in left if t)
            case actions.BuildStation(city, payment):
                where, codes = self._city(city.name), self._codes(payment.cards)
                yield f"{name} builds a Train Station on {where} with {payment.n_cards} train car(s) : {codes}"
            case actions.ChooseNeutralRoute(route):
                a, b = self._cities(route)
                yield f"{name} gives the neutral player the route from {a} to {b}"

    def _tries(
        self, seat: int, route: Route, color: str | None, events: Sequence[Event], after: GameState
    ) -> Iterator[str]:
        a, b = self._cities(route)
        code = 0 if color is None else COLOR_CODES.index(color)
        yield f"{self._names[seat]} tries to build a tunnel from {a} to {b} with color {code}"
        turned = [event for event in events if isinstance(event, Chance) and event.kind == "card_revealed"]
        if not turned:
            yield "No train car card in deck or discard, tunnel is free"
            return
        pending = after.pending
        n = 0 if pending is None else pending.surcharge - (0 if pending.laid.n_cards else route.length)
        yield (
            f"{n} extra cards over the {len(turned)} train car cards revealed from the deck "
            "are needed to claim the route"
        )

    def _gains(self, seat: int, route: Route, cards: CardCounts) -> str:
        a, b = self._cities(route)
        n = cards.n_cards if route.tunnel else route.length
        return (
            f"{self._names[seat]} gains {route.points} point(s) by claiming route from {a} to {b} "
            f"with {n} train car(s) : {self._codes(cards)}"
        )

    # -- names --------------------------------------------------------------------------

    def _codes(self, cards: CardCounts) -> str:
        """Return cards as the numbers of their kinds."""
        kinds = [kind for kind, n in cards.as_dict().items() for _ in range(n)]
        order = kinds if self._rng is None else self._rng.permutation(kinds).tolist()
        return ",".join(str(COLOR_CODES.index(kind)) for kind in order)

    def _cities(self, route: Route) -> tuple[str, str]:
        a, b = route.cities if self._rng is None else self._rng.permutation(route.cities).tolist()
        return self._end(a), self._end(b)

    def _end(self, name: str) -> str:
        """Return an end of a route; for a border point, its country."""
        country = next((place.name for place in self._map.places if place.is_country and name in place.cities), None)
        return self._city(name) if country is None else _country(country)

    def _city(self, name: str) -> str:
        """Return a city by one of its names."""
        names = [name, *self._map.city(name).also]
        return name if self._rng is None else str(self._rng.choice(names))

    def _ticket(self, ticket: Ticket) -> str:
        ends = " / ".join(_country(place.name) for place, _ in ticket.destinations)
        return f"{_country(ticket.origin.name)} to {ends}"

    # -- final scoring --------------------------------------------------------------------

    def _scoring(self, scores: Scores) -> Iterator[str]:
        for score in scores:
            name = self._names[score.seat]
            for scored in score.tickets:
                if scored.ticket is not None and scored.points is not None:
                    ticket, verb = self._ticket(scored.ticket), "gains" if scored.points > 0 else "loses"
                    yield f"{name} reveals {ticket} destination"
                    yield f"{name} {verb} {abs(scored.points)} points with {ticket} destination"
        for score in scores:
            if self._map.rules.stations.number:
                n = self._record.states()[-1].n_stations[score.seat]
                yield f"{self._names[score.seat]} gains {score.station_points} points with {n} remaining station(s)"
        for score in scores:
            yield f"{self._names[score.seat]} longest continuous path is {score.trail} train-cars long"
        for score in scores:
            for measure, points in score.bonuses:
                if points and measure in _BONUS_LINES:
                    n_completed = sum(scored.points is not None and scored.points > 0 for scored in score.tickets)
                    n = score.trail if measure == "longest_trail" else n_completed
                    yield f"{self._names[score.seat]} gains {points} points with {_BONUS_LINES[measure].format(n)}"
        yield "End of game"


_BONUS_LINES: Final = {
    "longest_trail": "longest continuous path : {} train cars",
    "completed_tickets": "Globetrotter : {} completed destinations",
}


def _country(name: str) -> str:
    return bga_log.COUNTRIES.get(name, (name,))[0]
