"""Recorded games between people as the tables of a simulation."""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._compile import Ints, Narrow
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted, listed
from ttr_analysis.engine.codes import ATTEMPT_TUNNEL, CLAIM_ROUTE, kind_of
from ttr_analysis.engine.events import tape_of
from ttr_analysis.engine.layout import UNKNOWN_CARD, UNKNOWN_TICKET, State, n_unknown_cards
from ttr_analysis.engine.scores import TICKET_MEASURES
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.entries import START
from ttr_analysis.records.record import GameRecord
from ttr_analysis.records.replay import Step, identify_played, make_step
from ttr_analysis.studies import collecting as notes
from ttr_analysis.studies import columns
from ttr_analysis.studies.collecting import (
    DecisionNotes,
    collect_step,
    note_decision,
    note_end,
    outcomes,
    with_more_room,
    without_room,
)
from ttr_analysis.studies.parts import meta_of
from ttr_analysis.studies.playing import Cells, Collector, Columns, add_paths, check_name, table_of
from ttr_analysis.studies.reviews import Review
from ttr_analysis.studies.simulation import SimulationResult

if TYPE_CHECKING:
    import pandas as pd

_WITH_TICKETS: Final = ("points", "won", "ticket_gain", "ticket_loss")
_AT_THE_END: Final = (*_WITH_TICKETS, "completed", *(columns.BONUS_COLUMNS[measure] for measure in TICKET_MEASURES))
"""Columns of seats that may depend on unknown tickets."""
_WHEN_OVER: Final = (*_WITH_TICKETS, *columns.BONUS_COLUMNS.values())
"""Columns of seats that are undefined before a game is over."""


def from_records(records: Iterable[GameRecord | str | os.PathLike[str]], *, partial: bool = False) -> SimulationResult:
    """
    Return recorded games, such as your own, as the tables of a simulation.

    Parameters
    ----------
    records
        Records, or files of records, all with the same map and number of players.
    partial
        Whether to keep games that are not over, or whose winner depends on unknown
        tickets: questions count these as played but not won.

    Returns
    -------
    result
        The tables, as from `simulate`: players, by name, take the place of policies, and
        games are numbered like the records. Unknown values are missing: unnamed tickets,
        the `odds` of tunnels if a hand or the market is unknown, and `offered` and
        `trains_left` of a ticket that may be from any of several draws. Corrections count in
        the table of seats, as in the score.

    Raises
    ------
    ValueError
        If there is no record, a record begins from a position, a name cannot be stored,
        or they differ in map, variant or number of players.
    RecordError
        If a record is damaged, or of an impossible game.

    Warns
    -----
    UserWarning
        If games are skipped, with the reasons.

    Examples
    --------
    >>> game = ttr.Game("usa")
    >>> records = [game.play(["Greedy", "Random"], seed=seed) for seed in range(3)]
    >>> result = from_records(records)
    >>> result
    <SimulationResult usa: Greedy, Random, 3 games>
    >>> result.seats.groupby("policy")["points"].max().tolist()
    [43, -9]
    """
    given = [record if isinstance(record, GameRecord) else GameRecord.load(record) for record in records]
    if not given:
        raise ValueError("expected at least one record")
    _check_alike(given)
    if partway := [number for number, record in enumerate(given) if record.entries and record.entries[0].kind == START]:
        raise ValueError(f"expected records of whole games, but these begin from a position: {_some(partway)}")
    numbered = list(enumerate(given)) if partial else list(_known_to_the_end(given))
    game_map, n_players = given[0].map, given[0].header.n_players
    seating = [_players_of(record) for _, record in numbered]
    players = list(dict.fromkeys(player for seated in seating for player in seated))
    names = tuple(name for name, _ in players)
    for name in names:
        check_name(name)
    at = np.array([[players.index(player) for player in seated] for seated in seating], dtype=np.int64)
    collector = _RecordedGames(
        game_map, names, n_players, [number for number, _ in numbered], at.reshape(-1, n_players)
    )
    for i, (_, record) in enumerate(numbered):
        collector.follow(i, record)
    frames = collector.frames(columns.category_types(columns.categories(game_map, names)))
    meta = meta_of("ttr-records", game_map, names, names, len(numbered), n_players=n_players, seed=None, rotations=1)
    return SimulationResult(meta, frames, None)


def decisions(records: Iterable[GameRecord | Review | str | os.PathLike[str]]) -> pd.DataFrame:
    """
    Return one row for each decision of recorded games, as in `SimulationResult.decisions`.

    Parameters
    ----------
    records
        Records, files of records, or reviews, all with the same map and number of players.

    Returns
    -------
    table
        The columns of `SimulationResult.describe("decisions")`, plus `loss`, the share of
        the win that a decision lost, where a review judged it. Values that depend on
        unknown tickets are missing, and `legal` has no actions with unknown cards.

    Raises
    ------
    ValueError
        If there is no record, or they differ in map, variant or number of players.

    Examples
    --------
    >>> table = decisions([ttr.Game("usa").play(["Greedy", "Random"], seed=7)])
    >>> row = table.iloc[2]
    >>> int(row["step"]), int(row["n_legal"]), int(row["action"]), row["words"]
    (3, 43, 41, 'claim Atlanta-Nashville (gray, 1) with purple')
    """
    read = (one if isinstance(one, GameRecord | Review) else GameRecord.load(one) for one in records)
    games = [one if isinstance(one, Review) else Review(one, None, []) for one in read]
    given = [game.record for game in games]
    if not given:
        raise ValueError("expected at least one record")
    _check_alike(given)
    game_map, n_players = given[0].map, given[0].header.n_players
    notes_of = DecisionNotes(game_map, n_players)
    for number, record in enumerate(given):
        _note_decisions(notes_of, number, record)
    cells = notes_of.columns()
    at = cells["game"], cells["seat"]
    names = [[name for name, _ in _players_of(record)] for record in given]
    policies = tuple(dict.fromkeys(name for seated in names for name in seated))
    policy = np.array([[policies.index(name) for name in seated] for seated in names])[at]
    points = np.array([[seat.total or 0 for seat in record.score()] for record in given])
    is_winner = np.array([[seat in record.winners for seat in range(n_players)] for record in given])
    unknown = ~np.array([record.is_complete and bool(record.winners) for record in given])[cells["game"]]
    ends = {name: values[at] for name, values in outcomes(points, is_winner).items()}
    cells |= {"player": policy, "policy": policy, "words": cells["action"], **ends}
    table = table_of(
        "decisions",
        {name: cells[name].astype(columns.cell_type(column.dtype)) for name, column in columns.DECISIONS.items()},
        columns.category_types(columns.categories(game_map, policies, decisions=True)),
        {**dict.fromkeys(ends, unknown), "words": cells["action"] < 0},
    )
    losses = [game.table["loss"].to_dict() for game in games]
    table["loss"] = [losses[game].get(step, np.nan) for game, step in zip(table["game"], table["step"], strict=True)]
    return as_table(columns.widened(table))


def _note_decisions(notes_of: DecisionNotes, number: int, record: GameRecord) -> None:
    """Note the decisions of a record, each from the state before its step."""
    steps, states = record._timeline.steps, record._timeline.vectors()  # noqa: SLF001 - it is followed
    made = [at for at, step in enumerate(steps) if at and step.shown is None and step.laid is None]
    noted, legal = notes_of.room(len(made))
    for i, at in enumerate(made):
        state = State(states[at - 1].copy())
        identify_played(state, steps[at])
        note_decision(state, notes_of.tables, notes_of.numbers, steps[at].code, steps[at].value, noted[i], legal[i])
    notes_of.add(number, np.array(made, dtype=np.int64), noted, legal)


def alike(records: Sequence[GameRecord]) -> dict[tuple[str, str, str, int], list[int]]:
    """Return the numbers of the records by map (name, variant and facts) and number of players."""
    kinds: dict[tuple[str, str, str, int], list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        header = record.header
        kinds[header.map_name, header.variant, header.facts, header.n_players].append(number)
    return kinds


def _check_alike(records: Sequence[GameRecord]) -> None:
    """Raise a ValueError that lists the records of each kind of game, if there are several kinds."""
    kinds = alike(records)
    if len(kinds) > 1:
        words = [
            f"{' '.join(filter(None, [name, variant]))}, {n} players: {counted(len(games), 'record')} ({_some(games)})"
            for (name, variant, _, n), games in kinds.items()
        ]
        raise ValueError(f"expected records of one map and number of players, got {'; '.join(words)}")


def _some(numbers: Sequence[int], most: int = 8) -> str:
    """Return numbers, or the first of them."""
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return ", ".join(map(str, numbers[:most])) + more


def _known_to_the_end(records: Sequence[GameRecord]) -> Iterable[tuple[int, GameRecord]]:
    """Yield finished records with known winners, and their numbers; warn about the others."""
    left_out: dict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        if record.winners:
            yield number, record
        else:
            left_out["their winner is not known" if record.is_complete else "they are not over"].append(number)
    if left_out:
        words = listed(f"{_some(numbers)}, since {why}" for why, numbers in left_out.items())
        warnings.warn(f"games left out: {words} (partial=True keeps them)", UserWarning, stacklevel=3)


def _players_of(record: GameRecord) -> list[tuple[str, int]]:
    """Return the player of each seat: a name, and its count among equal names of the game."""
    header = record.header
    names = header.players or header.policies or tuple(f"P{seat}" for seat in range(header.n_players))
    return [(name, names[:seat].count(name)) for seat, name in enumerate(names)]


class _RecordedGames(Collector):
    """Follows records and collects notes of their games; `players` gives the players of each game by seat."""

    def __init__(
        self, game_map: GameMap, names: Sequence[str], n_players: int, numbers: Sequence[int], players: Ints
    ) -> None:
        super().__init__(game_map, names, n_players, 0, len(numbers))
        self._numbers = np.array(numbers, dtype=np.int64)
        self._players = players
        self._is_over = np.zeros(len(numbers), dtype=bool)
        self._is_known = np.zeros((len(numbers), n_players), dtype=bool)
        """Whether each seat's points are known."""
        self._is_won_known = np.zeros(len(numbers), dtype=bool)
        self._unsure: list[int] = []
        """Tickets drawn in an unknown turn."""

    def _players_at(self, game: Ints, seat: Ints | Narrow) -> Ints:
        found: Ints = self._players[game, seat]
        return found

    def _deals(self, game: Ints) -> dict[str, Cells]:
        return {"deal": game, "rotation": np.full(len(game), -1)}

    # -- following ------------------------------------------------------------------

    def follow(self, i: int, record: GameRecord) -> None:
        """Follow a record to its end, or to where it breaks off, taking notes."""
        score = record.score()  # raises for a record that is impossible or has not begun
        timeline, first = record._timeline, int(self._notes.counts[notes.TICKETS])  # noqa: SLF001 - it is followed
        state = timeline.vector(0)
        for step in timeline.steps[1:]:
            self._make(state, step, i)
        note_end(state, self._tables, self._seats[i])
        self._name_tickets(state, first)
        self._ends[1 + i] = self._notes.counts
        self._add_score(i, state.cells.reshape(1, -1))
        self._is_over[i] = record.is_complete
        self._is_known[i] = [seat.total is not None for seat in score]
        self._is_won_known[i] = bool(record.winners)

    def _make(self, state: State, step: Step, i: int) -> None:
        """Make a step and take notes; odds are unknown if the record does not show what the seat could see."""
        if step.shown is not None or step.laid is not None:
            make_step(state, self._tables, step)
            return
        is_seen = n_unknown_cards(state, int(state.seat)) == 0 and not (state.market >= UNKNOWN_CARD).any()
        identify_played(state, step)
        tape = tape_of(step.script, 0)
        while not collect_step(state, self._tables, step.code, step.value, tape, self._notes, self._seats[i]):
            self._notes = with_more_room(self._notes)
        kind = kind_of(step.code)
        if kind == ATTEMPT_TUNNEL or (kind == CLAIM_ROUTE and not is_seen):
            self._notes.odds[self._notes.counts[notes.CLAIMS] - 1] = np.nan

    def _name_tickets(self, state: State, first: int) -> None:
        """Fill in kept tickets that became known only at the end."""
        tickets = self._notes.tickets[:, first : self._notes.counts[notes.TICKETS]]
        for seat in range(self._n_players):
            mine = (tickets[notes.TICKET_SEAT] == seat) & (tickets[notes.IS_KEPT] == 1)
            unnamed = np.flatnonzero(mine & (tickets[notes.TICKET] == UNKNOWN_TICKET))
            held = state.held[seat, : state.n_held[seat]].tolist()
            shown = [ticket for ticket in held if ticket not in tickets[notes.TICKET, mine]]
            if len(shown) != len(unnamed):
                continue
            tickets[notes.TICKET, unnamed] = shown
            if len(set(tickets[notes.OFFERED, unnamed].tolist())) > 1:
                tickets[notes.OFFERED, unnamed] = 0
                self._unsure += (first + unnamed).tolist()

    # -- tables ---------------------------------------------------------------------

    def frames(self, types: Mapping[str, pd.CategoricalDtype]) -> dict[str, pd.DataFrame]:
        """Return the tables; columns with missing values get a nullable pandas type."""
        self._notes = without_room(self._notes)
        found: dict[str, Mapping[str, Cells]] = {name: self.columns(name) for name in columns.TABLES}
        kept = found["tickets"]["kept"]
        named = {**found["tickets"], "kept": kept & (self._notes.tickets[notes.TICKET] != UNKNOWN_TICKET)}
        found["tickets"] = {**add_paths(self._tables, named, found["routes"]), "kept": kept}
        missing = self._missing(found)
        frames = {name: table_of(name, found[name], types, missing[name]) for name in columns.TABLES}
        for frame in frames.values():
            frame["game"] = self._numbers[frame["game"]]
        for name in ("games", "seats"):
            frames[name]["deal"] = frames[name]["game"]
        return frames

    def _missing(self, found: Columns) -> dict[str, dict[str, Cells]]:
        """Return the masks of unknown cells for each table."""
        is_over, n = self._is_over, self._n_players
        unknown, unfinished = ~self._is_known.ravel(), np.repeat(~is_over, n)
        seats = dict.fromkeys(_AT_THE_END, unknown)
        seats |= {column: unfinished | seats.get(column, False) for column in _WHEN_OVER}
        seats["won"] = np.repeat(~self._is_won_known, n)
        noted, tickets = self._notes.tickets, found["tickets"]
        is_unnamed = noted[notes.TICKET] == UNKNOWN_TICKET
        is_unsure = np.isin(np.arange(noted.shape[1]), self._unsure)
        is_kept = tickets["kept"].astype(bool)
        return {
            "games": {
                "rotation": np.ones(len(is_over), dtype=bool),
                "winners": ~self._is_won_known,
                "ending": ~is_over,
            },
            "seats": seats,
            "tickets": {
                "ticket": is_unnamed,
                "offered": is_unsure,
                "trains_left": is_unsure,
                "points": is_kept & (is_unnamed | ~is_over[tickets["game"]]),
            },
            "routes": {},
            "tunnels": {},
        }
