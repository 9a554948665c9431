"""The harness that every map, variant, number of players and policy must pass: whole games, checked state by state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, groupby
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import pytest

from tests.engine.decoding import OUTCOMES, decode
from tests.engine.invariants import Law, broken_law, wants_reset
from tests.engine.listing import ListingLaw, broken_listing_law
from tests.fixtures import EVERY_MAP, load
from tests.oracles.referee import Final, check_record
from ttr_analysis._compile import Floats, Ints, compiled
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.engine import codes
from ttr_analysis.engine.kernel import scoring
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import OVER, Ending, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.random import Random
from ttr_analysis.rules.chance import KEY_SIZE, below, open_stream, seed_key
from ttr_analysis.tables import Tables, game_tables

T = TypeVar("T")

IS_COMPILED = not is_plain()
_MAX_ACTIONS = 20_000
_TAPE_CELLS = 20_000
_STREAM = State.fields["stream"].offset
_TRIES_STREAM = 90
_N_TRIES = 3


class BrokenLawError(AssertionError):
    """A game broke a law."""


# -- what is played -------------------------------------------------------------


class Combination(NamedTuple):
    """A map, a variant of it, and a number of players."""

    name: str
    variant: str
    n_players: int

    def __str__(self) -> str:
        return "-".join([self.name, *filter(None, [self.variant]), str(self.n_players)])

    @property
    def game_map(self) -> GameMap:
        """The map as the variant is played."""
        return load_variant(self.name, self.variant)


@cache
def load_variant(name: str, variant: str) -> GameMap:
    """Return a map as a variant is played."""
    return load(name).with_variant(variant or None)


def deals_of(name: str) -> list[str]:
    """Return the variants of a map that only change its tickets and bonuses, the one with most tickets first."""
    own = replace(load(name).rules, variants=())
    only = [v for v in load(name).rules.variants if replace(v, tickets=own.tickets, bonus=own.bonus, variant="") == own]
    return sorted((v.variant for v in only), key=lambda variant: -len(load_variant(name, variant).tickets))


def variants_of(name: str) -> list[str]:
    """Return the variants of a map for most tests, "" for its own rules: of those with other tickets the largest."""
    return ["", *(v.variant for v in load(name).rules.variants if v.variant not in deals_of(name)[1:])]


def plain_with_fewest() -> list[Any]:
    """Return each combination as a parameter; as plain Python those with the fewest players are enough."""
    return [
        pytest.param(
            combination,
            id=str(combination),
            marks=() if combination.n_players == combination.game_map.rules.players[0] else pytest.mark.compiled_only,
        )
        for combination in every_combination()
    ]


def every_combination(*, thin: bool = True) -> list[Combination]:
    """
    Return each map, with each variant and each number of players.

    If `thin`, as for most tests, a variant with other tickets and bonuses only is that of the largest deal, with one
    number of players: the map itself has the other numbers.
    """
    found = []
    for i, name in enumerate(EVERY_MAP):
        for variant in variants_of(name) if thin else ("", *(v.variant for v in load(name).rules.variants)):
            low, high = load_variant(name, variant).rules.players
            numbers = range(low, high + 1)
            if thin and variant in deals_of(name):
                numbers = range(numbers[i % len(numbers)], numbers[i % len(numbers)] + 1)
            found += [Combination(name, variant, n) for n in numbers]
    return found


def by_variant() -> list[list[Combination]]:
    """Return the combinations of each map and variant."""
    return [list(tables) for _, tables in groupby(every_combination(), key=lambda combination: combination[:2])]


def some_combinations(start: int = 0) -> list[Combination]:
    """Return every map and variant with every other number of players; with `start=1`, the numbers in between."""
    return [table for i, tables in enumerate(by_variant()) for table in tables[(i + start) % 2 :: 2] or tables]


def in_turn(others: Sequence[T]) -> list[tuple[Combination, T]]:
    """Return every map and variant with each of some others, the numbers of players in turn, and each number at all."""
    return [
        (tables[i % len(tables)], others[i % len(others)])
        for tables in by_variant()
        for i in range(max(len(tables), len(others)))
    ]


class Player(Protocol):
    """What the harness asks of a policy."""

    @property
    def name(self) -> str: ...
    @property
    def memory_size(self) -> int: ...
    @property
    def params(self) -> Floats: ...
    def lore(self, game_map: GameMap, n_players: int) -> Ints: ...
    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]: ...


@dataclass(frozen=True)
class Whim:
    """
    A player that chooses among the listed actions by how much it likes each kind of action.

    Those that hoard cards and tickets come to the ends of piles where others never do.
    """

    name: str
    likes: tuple[int, ...] = (1,) * codes.N_ACTIONS
    """One weight for each kind of action, in the order of their codes."""

    memory_size = KEY_SIZE

    @property
    def params(self) -> Floats:
        return np.array(self.likes, dtype=np.float64)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        return np.zeros(1, dtype=np.int64)

    def decide(self, state: State, tables: Tables, *rest: Any) -> tuple[int, int]:  # noqa: ANN401
        _, _, params, memory = rest
        actions = _action_buffer()
        row = choose_by_liking(actions, list_actions(state, tables, actions), params, memory)
        return int(actions[row, 0]), int(actions[row, 1])


#             draw, face up, claim, pay, decline, tickets, keep, neutral, station, pass
UNIFORM = Whim("Uniform")
HOARDER = Whim("Hoarder", (400, 100, 1, 1, 1, 20, 1, 1, 1, 1))
"""Draws until nothing is left to draw."""
COLLECTOR = Whim("Collector", (40, 20, 1, 1, 1, 200, 1, 1, 1, 1))
"""Draws tickets until there are none left."""
BUILDER = Whim("Builder", (1, 1, 30, 30, 1, 1, 1, 1, 1, 1))
"""Claims whatever it can."""


@compiled
def choose_by_liking(actions: Ints, n: int, likes: Floats, stream: Ints) -> int:
    """Return the row of a listed action, drawn by the weights of their kinds."""
    total = 0
    for i in range(n):
        total += int(likes[codes.kind_of(actions[i, 0])])
    left = below(stream, total)
    row = 0
    while left >= likes[codes.kind_of(actions[row, 0])]:
        left -= int(likes[codes.kind_of(actions[row, 0])])
        row += 1
    return row


def _action_buffer() -> Ints:
    """Return room for actions, not shared: compiled code lets other threads run."""
    return np.empty((_MAX_ACTIONS, 2), dtype=np.int64)


def built_in_players() -> list[Player]:
    """Return the policies of the package."""
    return [Random(), Greedy(), Planner()]


# -- how it is played -------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A whole game: its events as rows of code and value, its states from the deal to the end, its final scores."""

    game_map: GameMap
    n_players: int
    tape: Ints
    states: Ints
    """One row for the deal and one after each move; none if they were not kept."""
    scores: Ints
    ending: Ending


def play(combination: Combination, players: Sequence[Player], seed: int, game: int, *, checked: bool = True) -> Played:
    """
    Play a game and check each state of it.

    Raises
    ------
    BrokenLawError
        If a state breaks a law; it names the game and the move.
    """
    game_map = combination.game_map
    tables = game_tables(game_map, combination.n_players)
    key = seed_key(seed)
    lore = [player.lore(game_map, combination.n_players) for player in players]
    params = [player.params for player in players]
    memories = open_memories(players, key, game)
    tries = np.zeros(KEY_SIZE, dtype=np.int64)
    open_stream(key, game, _TRIES_STREAM, tries)
    state = State()
    tape = recording_tape()
    new_game(tables, key, game, state, tape)
    states = [state.cells.copy()]
    try:
        while state.phase != OVER:
            if checked:
                check_state(state, tables, tries)
            seat = int(state.seat)
            code, value = players[seat].decide(state, tables, lore[seat], seat, params[seat], memories[seat])
            check_action(state, tables, code, value)
            at = int(tape[codes.WRITE_AT])
            step(state, tables, code, value, tape)
            states.append(state.cells.copy())
            if checked:
                check_market(state, tables, tape[at : tape[codes.WRITE_AT]].reshape(-1, 2))
        if checked:
            check_state(state, tables, tries)
    except BrokenLawError as violation:
        names = ", ".join(player.name for player in players)
        raise BrokenLawError(
            f"{combination}, {names}, seed {seed}, game {game}, after {len(states) - 1} moves: {violation}"
        ) from None
    scores = np.zeros((combination.n_players, scoring.N_COLUMNS), dtype=np.int64)
    scoring.score_games(state.cells[None], tables, scores[None])
    written = tape[codes.TAPE_START : tape[codes.WRITE_AT]].reshape(-1, 2).copy()
    return Played(game_map, combination.n_players, written, np.array(states), scores, Ending(int(state.ending)))


def open_memories(players: Sequence[Player], key: Ints, game: int) -> list[Ints]:
    """Return the memories of players at the start of a game."""
    memories = [np.zeros(player.memory_size, dtype=np.int64) for player in players]
    for seat, memory in enumerate(memories):
        open_stream(key, game, 1 + seat, memory[:KEY_SIZE])
    return memories


def check_state(state: State, tables: Tables, tries: Ints) -> None:
    """Raise a `BrokenLawError` if a state or its list of legal actions breaks a law."""
    broken = broken_law(state, tables)
    if broken:
        raise BrokenLawError(Law(broken).name)
    broken = broken_listing_law(state, tables, _action_buffer(), tries, _N_TRIES)
    if broken:
        raise BrokenLawError(ListingLaw(broken).name)


def check_market(state: State, tables: Tables, events: Ints) -> None:
    """Raise a `BrokenLawError` if face-up cards should have been replaced after they were filled up."""
    is_refill = (events[:, 0] & codes.KIND_MASK == codes.MARKET_CARD).any()
    n_resets = (events[:, 0] == codes.make_event(codes.SHUFFLED, 0, codes.SHUFFLED_MARKET)).sum()
    if is_refill and n_resets < tables.max_resets and wants_reset(state, tables):
        raise BrokenLawError("the market should be replaced")


def check_action(state: State, tables: Tables, code: int, value: int) -> None:
    """Raise a `BrokenLawError` if an action is illegal."""
    fault = action_fault(state, tables, code, value)
    if fault:
        raise BrokenLawError(f"an illegal action, ({code}, {value}): {codes.ActionFault(fault).name}")


# -- tapes -----------------------------------------------------------------------


def recording_tape() -> Ints:
    """Return a tape that records; chance is random."""
    tape = np.zeros(_TAPE_CELLS, dtype=np.int64)
    tape[codes.WRITE_AT] = codes.TAPE_START
    tape[codes.WRITE_END] = len(tape)
    return tape


def is_move(code: int) -> bool:
    """Return whether an event is a move, no outcome of chance."""
    return codes.kind_of(code) < codes.FIRST_EVENT


def script_of(tape: Ints) -> Ints:
    """Return a tape that scripts the outcomes of a recorded one, and records again."""
    kinds = tape[:, 0] & codes.KIND_MASK
    outcomes = tape[(kinds >= codes.FIRST_EVENT) & (kinds < codes.FIRST_EVENT + len(OUTCOMES))].ravel()
    script = np.zeros(codes.TAPE_START + len(outcomes) + tape.size, dtype=np.int64)
    script[codes.READ_AT] = codes.TAPE_START
    script[codes.READ_END] = script[codes.WRITE_AT] = codes.TAPE_START + len(outcomes)
    script[codes.WRITE_END] = len(script)
    script[codes.TAPE_START : script[codes.READ_END]] = outcomes
    return script


def moves_of(tape: Ints) -> Ints:
    """Return the moves of a tape, the seats of their codes at 0."""
    moves = tape[(tape[:, 0] & codes.KIND_MASK) < codes.FIRST_EVENT].copy()
    moves[:, 0] &= ~(-1 << codes.SEAT_SHIFT) | (-1 << codes.ARGUMENT_SHIFT)
    return moves


@compiled
def first_difference(tables: Tables, key: Ints, script: Ints, moves: Ints, states: Ints) -> int:
    """Replay moves by a script; return the number of the first state that is another one, -1 if none is."""
    state = State()
    new_game(tables, key, 0, state, script)
    for i in range(len(states)):
        if i > 0:
            step(state, tables, moves[i - 1, 0], moves[i - 1, 1], script)

        for cell in range(State.n_cells):
            if state.cells[cell] != states[i, cell] and not _STREAM <= cell < _STREAM + KEY_SIZE:
                return i
    return -1


def check_replay(played: Played) -> None:
    """Raise a `BrokenLawError` if the outcomes of a tape alone, without random numbers, give another game."""
    tables = game_tables(played.game_map, played.n_players)
    script = script_of(played.tape)
    end = int(script[codes.READ_END])
    at = first_difference(tables, seed_key(0), script, moves_of(played.tape), played.states)
    if at >= 0:
        raise BrokenLawError(f"the replay differs after {at} moves")
    if not np.array_equal(script[end : script[codes.WRITE_AT]].reshape(-1, 2), played.tape):
        raise BrokenLawError("the replay wrote other events")


# -- the second opinion ------------------------------------------------------------


def check_by_referee(played: Played) -> Final:
    """Raise a `BrokenLawError` if the independent referee refuses the events or scores them otherwise."""
    try:
        final = check_record(played.game_map, played.n_players, decode(played.game_map, played.tape))
    except AssertionError as refusal:
        raise BrokenLawError(f"refused by the referee: {refusal}") from refusal
    check_scores(played, final)
    return final


def check_scores(played: Played, final: Final) -> None:
    """Raise a `BrokenLawError` unless the scores of a game are those of the referee, part by part."""
    scores, rules = played.scores.copy(), played.game_map.rules
    expected = np.zeros_like(scores)
    for row, seat in zip(expected, final.seats, strict=True):
        row[scoring.START_COLUMN] = seat.start
        row[scoring.ROUTES_COLUMN] = seat.routes
        row[scoring.GAINED_COLUMN] = sum(points for points in seat.tickets.values() if points > 0)
        row[scoring.LOST_COLUMN] = sum(points for points in seat.tickets.values() if points < 0)
        row[scoring.COMPLETED_COLUMN] = seat.n_completed
        row[scoring.UNKNOWN_COLUMN] = 0
        row[scoring.TRAIL_COLUMN] = seat.longest_trail
        row[scoring.TOKENS_COLUMN] = seat.tokens
        row[scoring.LOANS_COLUMN] = seat.n_loans
        row[scoring.LOAN_POINTS_COLUMN] = -seat.loans
        row[scoring.STATIONS_COLUMN] = seat.stations
        row[scoring.TOTAL_COLUMN] = seat.total
        row[scoring.WON_COLUMN] = seat.seat in final.winners
        row[scoring.BONUS_COLUMN : scoring.BONUS_COLUMN + len(seat.bonuses)] = seat.bonuses
        of_paths = [bonus.measure == "longest_trail" for bonus in rules.bonus]
        row[scoring.PATH_BONUS_COLUMN] = any(points > 0 for points in compress(seat.bonuses, of_paths))
        row[scoring.STATIONS_LEFT_COLUMN] = rules.stations.number - seat.n_stations
    if not np.array_equal(scores, expected):
        raise BrokenLawError(f"scores {scores.tolist()}, the referee says {expected.tolist()}")
    if played.ending != Ending[final.ending.upper()]:
        raise BrokenLawError(f"ended by {played.ending.name}, the referee says {final.ending}")


def check_game(
    combination: Combination, players: Sequence[Player], seed: int, game: int, *, referee: bool = True
) -> Played:
    """
    Play a game with every check there is.

    Parameters
    ----------
    referee
        Whether the referee looks at it too, which takes a thousand times as long.

    Raises
    ------
    BrokenLawError
        If anything is wrong; it names the game.
    """
    played = play(combination, players, seed, game)
    try:
        check_replay(played)
        if referee:
            check_by_referee(played)
    except BrokenLawError as violation:
        names = ", ".join(player.name for player in players)
        raise BrokenLawError(f"{combination}, {names}, seed {seed}, game {game}: {violation}") from violation
    return played
