"""Puzzles: decisions from games in which one move is clearly best, for training."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import inf
from operator import index
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final

from tqdm.auto import tqdm

from ttr_analysis._decoding import Amount, Decoder, FaultList, Keys, Range, Text, read_text, write_atomically
from ttr_analysis._errors import GameError, UnknownNameError
from ttr_analysis.engine.actions import (
    Action,
    BuildStation,
    ClaimRoute,
    DeclineTunnel,
    DrawFaceUp,
    DrawTickets,
    KeepTickets,
    PayTunnel,
)
from ttr_analysis.engine.layout import UNKNOWN_CARD, Phase, has_unknown_tickets, n_unknown_cards
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.maps.loading import MapLike, as_map, data_folder, find_folder, map_names
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation import read_game, read_move, record_lines
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.watching import know
from ttr_analysis.records.file import MAX_NAME, built_in_map
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.studies.advice import advice_table, advise, check_budget, view_of
from ttr_analysis.studies.judging import FORCED, SavedWork, label_of
from ttr_analysis.studies.reviews import Review
from ttr_analysis.studies.winning import DEFAULT_SEED
from ttr_analysis.tables import MAX_SEATS

if TYPE_CHECKING:
    import pandas as pd

LEAST_LEAD: Final = 0.05
"""Share of a win by which a puzzle's best move must lead the second."""
_QUICK: Final = 400
"""Rollouts of a quick check that rejects most decisions."""
_QUICK_LEAD: Final = 0.03
"""Minimum lead of the best move in the quick check."""

OPENING, TICKETS, TICKET_DRAW, CLAIM, TUNNEL, STATION, CARDS = KINDS = (
    "opening tickets",
    "tickets",
    "ticket draw",
    "claim",
    "tunnel",
    "station",
    "cards",
)
"""The theme of a puzzle's best move."""


@dataclass(frozen=True, repr=False)
class Puzzle:
    """
    A decision in which one move is clearly best: see `puzzles`.

    Attributes
    ----------
    record
        The game. Later events, and what the seat could not know, are not used.
    step
        The step of the record after which the seat decides.
    played
        The move played, in notation; "" if unknown.
    table
        Value and reasons of each move that was tried, best first: the table of an
        `Advice`.
    """

    record: GameRecord
    step: int
    played: str
    table: pd.DataFrame = field(compare=False)

    @property
    def game(self) -> Game:
        """The map and the number of players, as a `Game`."""
        return Game(self.record.map, self.record.header.n_players)

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self.record.state_at(self.step).acting

    @cached_property
    def view(self) -> SeatView:
        """What the seat saw: board, hand, tickets and market."""
        state = self.record.state_at(self.step)
        is_market_known = (state.packed.market < UNKNOWN_CARD).all()
        if has_unknown_tickets(state.packed, state.acting) or not is_market_known:  # revealed later in the record
            return view_of(know(self.record, state.acting, self.step))
        return SeatView(self.record.map, state.n_players, state.packed, state.acting)

    @property
    def state(self) -> GameState:
        """The position as the seat saw it."""
        return GameState(self.record.map, self.record.header.n_players, self.view.packed)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The moves of the table."""
        return tuple(self.read(move) for move in self.table["move"])

    @property
    def best(self) -> Action:
        """The best move."""
        return self.actions[0]

    @property
    def lead(self) -> float:
        """Share of a win by which the best move leads the second."""
        return float(_rivals(self.table, self.actions, self.view)["loss"].min())

    @property
    def kind(self) -> str:
        """The theme of the best move, one of `KINDS`."""
        match self.best:
            case KeepTickets():
                return OPENING if self.view.phase is Phase.KEEP_START else TICKETS
            case ClaimRoute(route, _):
                return TUNNEL if route.tunnel else CLAIM
            case PayTunnel() | DeclineTunnel():
                return TUNNEL
            case DrawTickets():
                return TICKET_DRAW
            case BuildStation():
                return STATION
        return CARDS

    @property
    def key(self) -> str:
        """An identifier for saved results; puzzles of the same decision share it."""
        parts = [self.record.map.name, str(self.step), *record_lines(self.record)[: self.step + 1]]
        return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()

    def read(self, line: str) -> Action:
        """
        Return the move for a line of notation.

        Raises
        ------
        NotationError
            If the line cannot be read, or the move is illegal.
        """
        return read_move(line, self.game, self.state)

    def find(self, action: Action) -> int | None:
        """
        Return the row of the table with a move, from 0, or None if it was not tried.

        Equivalent moves share a row: payments for one route, tracks between the same cities,
        cards of one color, and so on. The first such row counts.
        """
        return next((row for row, tried in enumerate(self.actions) if self.counts_as(tried, action)), None)

    def counts_as(self, action: Action, other: Action) -> bool:
        """Return whether two moves are equivalent: see `find`."""
        return _idea(action, self.view) == _idea(other, self.view)

    def __repr__(self) -> str:
        header = self.record.header
        return f"<Puzzle of {header.map_name}: {self.kind}, P{self.seat} to move after step {self.step}>"


def _idea(action: Action, view: SeatView) -> object:
    """Return the key that equivalent moves share."""
    match action:
        case ClaimRoute(route, _):
            return frozenset(route.cities)
        case BuildStation(city, _):
            return city
        case DrawFaceUp(slot):
            return view.market[slot]
        case PayTunnel():
            return PayTunnel
        case KeepTickets(tickets):
            return frozenset(tickets)
    return action


def _rivals(table: pd.DataFrame, actions: Iterable[Action], view: SeatView) -> pd.DataFrame:
    """Return the rows of the strongest rivals that are not equivalent to the best move."""
    first, *rest = (_idea(action, view) for action in actions)
    others = table.iloc[[row for row, idea in enumerate(rest, start=1) if idea != first]]
    rivals: pd.DataFrame = others[others["rollouts"] == others["rollouts"].max()]
    return rivals


# -- search --------------------------------------------------------------------------------------------------------


def puzzles(
    reviews: Iterable[Review],
    *,
    n: int = 10,
    rollouts: int = 4_000,
    seed: int = DEFAULT_SEED,
    seconds: float | None = None,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> tuple[Puzzle, ...]:
    """
    Return decisions of reviewed games in which one move is clearly best.

    The costliest decisions, a player's own mistakes, come first.

    Parameters
    ----------
    reviews
        From `review`, or `Insights.reviews.values()`.
    rollouts
        Rollouts to find the best move; twice as many, in other worlds, must confirm it.
    seconds
        Time limit; the decision being searched when it ends is finished.
    path
        A file for saving the search after each decision and resuming it, possibly with
        more games. A file of another version of this package is discarded.

    Returns
    -------
    puzzles
        Decisions whose best move leads all finalists of the search by at least 5% of a win,
        with a 95% interval above 0, and is confirmed by the second search.

    Raises
    ------
    ValueError
        If `n` or `rollouts` is below 1, `seconds` is not above 0, or the file belongs to
        another search.

    Notes
    -----
    The table of a puzzle comes from the second search, which is independent of the first,
    so a lead that was only luck is not confirmed. Decisions are skipped if the record does
    not show all cards and tickets of the seat.

    Examples
    --------
    >>> lines = ttr.Game("usa").play(["Greedy", "Greedy"], seed=3).dumps().splitlines(keepends=True)
    >>> opening = ttr.GameRecord.loads("".join(lines[:22]))  # until both have kept tickets
    >>> found = ttr.studies.review(opening, 1, rollouts=4, progress=False)
    >>> [puzzle] = puzzles([found], n=1, rollouts=200, progress=False)
    >>> puzzle, len(puzzle.best.tickets), puzzle.played
    (<Puzzle of usa: opening tickets, P1 to move after step 1>, 3, 'keep Calgary-Phoenix, Helena-Los Angeles')
    """
    n, rollouts = Range(1).check(n, "n"), Range(1).check(rollouts, "rollouts")
    _, seconds = check_budget(None, seconds, None)
    until = inf if seconds is None else perf_counter() + seconds
    saved = SavedWork(path, "search", {"rollouts": rollouts, "seed": index(seed)})
    searched = saved.read("seed or number of rollouts", _decoded) or {}
    found: list[Puzzle] = []
    for review, step, key in tqdm(_decisions(reviews), unit="decision", disable=not progress):
        record, played = _as_stored(review.record), review.move(step)
        if key not in searched:
            if perf_counter() >= until:
                continue  # later decisions may be in the file already
            puzzle = find_puzzle(record, step - 1, rollouts=rollouts, seed=seed, played=played)
            searched[key] = puzzle.table if puzzle else advice_table([])
            saved.write({"decisions": {one: list(map(asdict, _moves_of(table))) for one, table in searched.items()}})
        if len(searched[key]):
            found.append(Puzzle(record, step - 1, played, searched[key]))
        if len(found) == n:
            break
    return tuple(found)


def _decisions(reviews: Iterable[Review]) -> list[tuple[Review, int, str]]:
    """
    Return the steps with decisions: the most costly first, then those that may have cost nothing.

    The strings identify them in the search file.
    """
    made = []
    for number, review in enumerate(reviews):
        game = blake2b(review.record.dumps().encode(), digest_size=8).hexdigest()
        for one in review.decisions:
            if label_of(one) != FORCED:
                cost = one.loss_low if one.best != one.played else 0.0
                made.append((-cost, number, one.step, review, f"{game} {one.step}"))
    return [(review, step, key) for _, _, step, review, key in sorted(made, key=lambda row: row[:3])]


def find_puzzle(
    record: GameRecord, step: int, *, rollouts: int = 4_000, seed: int = DEFAULT_SEED, played: str = ""
) -> Puzzle | None:
    """Return the puzzle of the decision after a step, if two searches find one move clearly best."""
    seat = record.state_at(step).acting
    if not _is_known(know(record, seat, step)):
        return None

    def search(n: int, search_seed: int, lead: float) -> tuple[Action, pd.DataFrame] | None:
        advice = advise(record, seat, step=step, rollouts=n, seed=search_seed)
        losses = _rivals(advice.table, advice.actions, advice.view)
        is_clear = len(losses) and losses["loss"].min() >= lead and (n < rollouts or losses["loss_low"].min() > 0)
        return (advice.best, advice.table) if is_clear else None

    # A quick check rejects most decisions, without details of the other moves.
    if rollouts > _QUICK and search(_QUICK, seed + 2, _QUICK_LEAD) is None:
        return None
    first = search(rollouts, seed, LEAST_LEAD)
    again = first and search(2 * rollouts, seed + 1, LEAST_LEAD)
    if not first or not again or first[0] != again[0]:
        return None
    return Puzzle(record, step, played, again[1])


@lru_cache(maxsize=2)
def _as_stored(record: GameRecord) -> GameRecord:
    """Return a record without data that puzzle files omit, such as completed tickets."""
    return replace(record, entries=tuple(entry._replace(stamp=None) for entry in record.entries))


def watched(record: GameRecord, step: int) -> GameRecord:
    """Return a record up to a step as seen by the seat to move; shorter if the record does not show that moment."""
    end = sum(len(events) for events in record.steps[: step + 1])
    return replace(record, entries=record.entries[:end]).watched_from(record.state_at(step).acting)


def _is_known(known: Knowledge) -> bool:
    """Return whether the record shows all cards and tickets of the seat."""
    seat = known.viewer
    is_in_doubt = has_unknown_tickets(known.packed, seat) or n_unknown_cards(known.packed, seat) > 0
    return not is_in_doubt and len(set(known.hands(seat).tolist())) <= 1


# -- files ---------------------------------------------------------------------------------------------------------

FILE: Final = "puzzles.jsonl"
"""File name of a map's puzzles, in its folder."""
_MAX_BYTES: Final = 10_000_000
_DIGITS: Final = 4


class _Lines:
    """Lines of notation."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, list) and all(isinstance(line, str) for line in value)

    def __str__(self) -> str:
        return "a list of lines"


@dataclass(frozen=True)
class _Move:
    """A row of the table."""

    move: Annotated[str, Text(1_000, 1)]
    win: Annotated[float, Amount(0.0)]
    win_low: Annotated[float, Amount(0.0)]
    win_high: Annotated[float, Amount(0.0)]
    points: Annotated[float, Amount()]
    lead: Annotated[float, Amount()]
    loss: Annotated[float, Amount()]
    loss_low: Annotated[float, Amount()]
    loss_high: Annotated[float, Amount()]
    rollouts: Annotated[int, Range(1)]
    reason: Annotated[str, Text(2_000)]


def _moves_of(table: pd.DataFrame) -> tuple[_Move, ...]:
    return tuple(_Move(*row) for row in table.round(_DIGITS).itertuples(index=False))


def _table_of(moves: Iterable[_Move]) -> pd.DataFrame:
    return advice_table(list(map(asdict, moves)))


def _decoded(data: Any) -> dict[str, pd.DataFrame]:  # noqa: ANN401 - what a file holds
    """Return the table of each searched decision, without rows if it is not a puzzle."""
    return {key: _table_of(_Move(**move) for move in moves) for key, moves in data["decisions"].items()}


@dataclass(frozen=True)
class _Stored:
    """A puzzle's line in a file."""

    map: Annotated[str, Text(MAX_NAME, 1)]
    variant: Annotated[str, Text(MAX_NAME)]
    seats: Annotated[int, Range(2, MAX_SEATS)]
    players: tuple[Annotated[str, Text(MAX_NAME)], ...]
    step: Annotated[int, Range(0)]
    played: Annotated[str, Text(1_000)]
    moves: tuple[_Move, ...]
    game: Annotated[tuple[str, ...], _Lines()]

    @classmethod
    def of(cls, puzzle: Puzzle) -> _Stored:
        header = puzzle.record.header
        of_game = (header.map_name, header.variant, header.n_players, header.players)
        return cls(*of_game, puzzle.step, puzzle.played, _moves_of(puzzle.table), tuple(record_lines(puzzle.record)))

    def puzzle(self, given_map: GameMap | None) -> Puzzle:
        game_map = given_map if given_map is not None and self.map == given_map.name else built_in_map(self.map)
        if game_map is None:
            known = ", ".join([*map_names(), "or game_map" if given_map is None else given_map.name])
            raise GameError(f"expected one of the maps {known}, got {self.map!r}")
        record = read_game(self.game, Game(game_map, self.seats, self.variant or None), players=self.players)
        puzzle = Puzzle(record, self.step, self.played, _table_of(self.moves))
        if not puzzle.actions:
            raise GameError("expected at least one move")
        return puzzle


def save_puzzles(found: Iterable[Puzzle], path: str | os.PathLike[str]) -> None:
    """
    Save puzzles as JSON Lines.

    Parameters
    ----------
    path
        The file; an existing one is replaced only once the new one is complete.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> save_puzzles(load_puzzles("usa")[:2], path)
    >>> load_puzzles(path) == load_puzzles("usa")[:2]
    True
    """
    lines = [json.dumps(asdict(_Stored.of(puzzle)), ensure_ascii=False) for puzzle in found]
    write_atomically(Path(path).expanduser(), "".join(f"{line}\n" for line in lines))


def load_puzzles(source: str | os.PathLike[str] | None = None, game_map: MapLike | None = None) -> tuple[Puzzle, ...]:
    """
    Return the puzzles of a map or a file.

    Parameters
    ----------
    source
        The name of a built-in map, for its own puzzles; a map folder with a file
        `puzzles.jsonl`; or a file written by `save_puzzles`. None: those of all built-in
        maps, alternating between maps.
    game_map
        The map of the puzzles, or its folder, if it is not built in.

    Raises
    ------
    RecordError
        If the file has faults; the message lists all of them.
    UnknownNameError
        If there is no such map or file.

    Examples
    --------
    >>> puzzle = load_puzzles("usa")[0]
    >>> puzzle, puzzle.table.loc[1, "move"]
    (<Puzzle of usa: opening tickets, P0 to move after step 0>, 'keep Los Angeles-Chicago, Portland-Nashville')
    """
    if source is None:
        of_maps = [load_puzzles(name) for name in map_names() if (data_folder() / name / FILE).is_file()]
        longest = max(map(len, of_maps), default=0)
        return tuple(of_map[i] for i in range(longest) for of_map in of_maps if i < len(of_map))
    path = Path(source).expanduser()
    path = path if path.is_file() else find_folder(source) / FILE
    if game_map is None and path.name == FILE and (path.parent / "rules.toml").is_file():
        game_map = path.parent
    given_map = None if game_map is None else as_map(game_map)
    faults = FaultList(str(path), path.name)
    lines = enumerate((read_text(path, faults, _MAX_BYTES) or "").splitlines(), start=1)
    found = [_read(line, number, given_map, faults) for number, line in lines]
    faults.raise_if_any()
    return tuple(puzzle for puzzle in found if puzzle is not None)


def _read(line: str, number: int, given_map: GameMap | None, faults: FaultList) -> Puzzle | None:
    """Return the puzzle on a line, adding faults."""

    def add_fault(keys: Keys, value: str, expected: str) -> None:
        faults.add(number, ".".join(keys), value, expected)

    try:
        stored: _Stored | None = Decoder(add_fault).table(_Stored, json.loads(line))
        return None if stored is None else stored.puzzle(given_map)
    except (UnknownNameError, GameError, IndexError, RecursionError, ValueError) as error:
        add_fault((), "something else", f"expected a puzzle: {error}")
    return None
