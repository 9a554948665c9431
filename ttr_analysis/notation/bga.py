"""Records of real games from Board Game Arena logs, with a report of how each was read."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pandas as pd

from ttr_analysis._errors import GameError, RecordError, _shorten
from ttr_analysis._words import listed
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.layout import OVER, UNKNOWN_CARD, UNKNOWN_TICKET
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation.bga_lines import ACTS, Log, acts_of, fault, read_log
from ttr_analysis.notation.bga_names import (
    TicketNotes,
    check_order,
    find_map,
    find_variant,
    players_of,
    selections_of,
    tracks_of,
    without_strangers,
)
from ttr_analysis.notation.bga_reader import LogFollower
from ttr_analysis.records.entries import in_offer_order
from ttr_analysis.records.record import Game, GameRecord

_MOST_CHARACTERS: Final = 2_000_000
_STEP_COLUMNS: Final = ["step", "line", "move", "time", "text"]
_BONUSES: Final = (("bonus", "bonus", "longest_trail"), ("globetrotter", "globetrotter", "completed_tickets"))
"""The kinds of lines about bonuses, the names of the bonuses in the totals, and their measures in the rules."""
_TOTAL_COLUMNS: Final = ["what", "player", "log", "record"]


@dataclass(frozen=True)
class LogReport:
    """
    How a log was read: its content, what later play implies, and what stays unknown.

    Parameters
    ----------
    inferred
        Facts missing from the log that later play proves.
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
        n_differ = len(self.disagreements)
        agree = "all equal to the record" if n_differ == 0 else f"{n_differ} different from the record"
        lines = [
            f"players: {', '.join(self.players)}",
            f"moves read: {len(self.steps)}; figures in the log: {len(self.totals)}, {agree}",
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
    play proves most of the opening hands.

    Parameters
    ----------
    text
        The pasted log. It may break off anywhere.
    tickets
        Ticket offers noted by hand: for each player by name, pairs of the tickets offered
        and the tickets kept, in order. Offers that do not fit the log are left out.
    seat
        The player that the log calls "You", if it does not say.
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
    if len(text) > _MOST_CHARACTERS:
        raise fault(0, f"{len(text)} characters", f"expected a log of at most {_MOST_CHARACTERS:,} characters")
    log = without_strangers(read_log(text, seat or ""))
    if not log.entries:
        line, content = log.unread[0] if log.unread else (0, "")
        raise fault(line, content, "expected the log of a game, but no line was understood")
    game_map, assumed = _map_of(log, game_map, tickets or {})
    check_order(log)
    players = players_of(log, game_map)
    selections = selections_of(tickets or {}, game_map)
    has_begun = any(entry.kind in ACTS and entry.kind != "keep" for entry in log.entries)
    if has_begun and (stray := [name for name in selections if name not in players]):
        raise fault(0, str(stray[0]), f"tickets: expected a player of the log, one of {', '.join(players)}")
    tracks = tracks_of(log, game_map)
    reader = LogFollower(game_map, players, log, selections, tracks)
    reader.read()
    if any(reader.proven.hands):
        reader = LogFollower(game_map, players, log, selections, tracks, reader.proven.hands)
        reader.read()
    reader.skipped += assumed
    return _record(reader, title, date)


def _map_of(log: Log, game_map: MapLike | None, notes: TicketNotes) -> tuple[GameMap, list[str]]:
    """Return the map of a log in the variant that fits most of its lines, and the assumptions made."""
    found = find_map(log) if game_map is None else as_map(game_map)
    texts = [] if found else ["the map is assumed to be the one of most logs, because this log names no place"]
    found = found or as_map("usa")
    played, reason = find_variant(log, found, notes)
    if reason:
        texts.append(f"the variant is {played.rules.variant}, because {reason}")
    return played, texts


def read_notes(path: Path) -> TicketNotes:
    """Return ticket offers from a JSON file, as for `read_bga`, or raise a RecordError."""
    content = path.read_bytes()
    if len(content) > _MOST_CHARACTERS:
        raise fault(0, f"{len(content)} bytes", f"tickets: expected a file of at most {_MOST_CHARACTERS:,} bytes")
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
    """Return facts missing from the log that later play proves."""
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
        "tickets kept": sum(its.count(UNKNOWN_TICKET) for its in held),
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
        for kind, what, measure in _BONUSES:
            points = sum(bonus.points or 0 for bonus in score.bonuses if bonus.measure == measure)
            rows += [(what, name, entry.points, points) for entry in own if entry.kind == kind]
        rows += [("stations", name, entry.points, score.station_points) for entry in own if entry.kind == "stations"]
    return pd.DataFrame(rows, columns=_TOTAL_COLUMNS)
