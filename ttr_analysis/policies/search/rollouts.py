"""Games played on to their end, many times: from what is known of them, or from whole states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import GameError
from ttr_analysis.engine.codes import TAPE_START, WRITE_AT, WRITE_END
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import keep_tickets
from ttr_analysis.engine.layout import KEEP_START, OVER, State
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.engine.unknowns import unknown_words
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import (
    BLOCK,
    NO_TAPE_CELLS,
    Players,
    Results,
    as_players,
    check_legal,
    chooser_of,
    finish,
    joined,
    play_block,
    results_of,
    seat_players,
    wake_players,
)
from ttr_analysis.policies.search.beliefs import Beliefs, believe
from ttr_analysis.policies.search.knowledge import EVERYBODY, Knowledge, knowledge_of, planner_styles
from ttr_analysis.policies.search.worlds import fill_worlds
from ttr_analysis.rules.chance import KEY_SIZE, TABLE_STREAM, open_stream, run_keys
from ttr_analysis.tables import Tables, game_tables

if TYPE_CHECKING:
    import pandas as pd

_OPENING_STREAM: Final = 32
"""Purpose of the streams of seats that chose their opening tickets before; those that play on are below."""
_TAPE_EVENTS: Final = 2_048
"""Events for which there is room at first; a game has some hundreds."""
_MANY_OFFERED: Final = 5
"""Opening tickets offered from which several rollouts have the same tickets,"""
_EACH: Final = 3
"""and how many. Four would be as good on average, but worse near the end, where tickets decide more."""
NOTHING: Final[Ints] = np.zeros(0, dtype=np.int64)
"""What a player remembers who has seen nothing of a game."""
_NO_ACTIONS: Final[Ints] = np.zeros((0, 2), dtype=np.int64)
_NO_STYLES: Final[Floats] = np.zeros((0, 0, 0))
SEEDS: Final = 1 << 62
"""A generator gives one of so many seeds."""


def rollouts_each(known: Knowledge) -> int:
    """
    Return how many rollouts in a row have the same tickets: several where it takes long to find some.

    Each ticket more in an opening offer doubles what a player may choose from it. With
    five, three rollouts each give an interval of the same width in 0.6 of the time; with
    three or four, next to nothing is saved.
    """
    is_seen = known.viewer == EVERYBODY or known.packed.phase == KEEP_START
    return 1 if is_seen or known.tables.opening_deal < _MANY_OFFERED else _EACH


class Rollouts:
    """
    Players who play games on from what is known of them.

    By default they are planners, in `play` of the styles that the players seem to
    have. Rollouts of one number begin with the same random numbers, whatever the
    position, so that differences between positions are found with fewer of them.

    Raises
    ------
    TypeError
        If a policy is not compiled.
    ValueError
        If there are too many or too few of them.
    """

    def __init__(
        self, game_map: GameMap, n_players: int, policies: Sequence[PolicyLike] | None = None, *, seed: int = 7
    ) -> None:
        self._is_free = policies is None
        self.policies = as_players(["Planner"] * n_players if policies is None else policies)
        if len(self.policies) != n_players:
            raise ValueError(f"expected {n_players} policies, one for each seat, got {len(self.policies)}")
        self._game_map = game_map
        # Words of their own: rollouts of a seed know nothing of the games of that seed.
        own_seed = blake2b(f"{index(seed)}".encode(), digest_size=16, person=b"rollouts").digest()
        self._keys = run_keys(int.from_bytes(own_seed, "little"), n_players)
        self._players: Players = seat_players(game_map, self.policies)

    def believe(self, known: Knowledge) -> Beliefs:
        """Return what can be believed of the tickets of each seat, from who plays it."""
        return believe(known, self.policies)

    def worlds(self, known: Knowledge, beliefs: Beliefs, n: int, first: int = 0) -> Ints:
        """Return states that agree with what is known, one a row, from the number `first` on."""
        worlds = np.empty((n, State.n_cells), dtype=np.int64)
        if known.orders:  # each world by itself
            parts = [(known.possible(first + i), first + i, worlds[i : i + 1]) for i in range(n)]
        else:
            parts = [(known.packed, first, worlds)]
        for packed, number, rows in parts:
            fill_worlds(packed, known.tables, beliefs, self._players, known.viewer, self._keys[0], number, rows)
        if known.packed.phase == KEEP_START and known.viewer != EVERYBODY:
            for i, world in enumerate(worlds):
                self._choose_opening(State(world), known, first + i)
        return worlds

    def _choose_opening(self, world: State, known: Knowledge, number: int) -> None:
        """Let seats keep opening tickets that have done so unseen by the viewer."""
        acting = int(world.seat)
        for seat in range(acting):
            if seat == known.viewer:
                continue
            policy = self.policies[seat]
            memory = np.zeros(policy.memory_size, dtype=np.int64)
            open_stream(self._keys[1 + seat], number, _OPENING_STREAM + seat, memory[:KEY_SIZE])
            world.seat = seat
            lore = policy.lore(known.game_map, known.n_players)
            _, kept = chooser_of(policy)(world, known.tables, lore, seat, policy.params, memory)
            keep_tickets(world, known.tables, seat, kept)
        world.seat = acting

    def play(self, known: Knowledge, n_rollouts: int) -> Results:
        """
        Play games on from what is known; return how they end.

        Raises
        ------
        ValueError
            If there are no rollouts.
        """
        if n_rollouts < 1:
            raise ValueError(f"expected 1 rollout or more, got {n_rollouts}")
        beliefs = self.believe(known)
        rng = np.random.default_rng(self._keys[0].tolist())
        styles = planner_styles(known.game_map, known.n_players, known.styled, rng)
        parts: list[Results] = []
        each = rollouts_each(known)
        for first in range(0, n_rollouts, BLOCK // each * each):
            worlds = self._dealt(known, beliefs, min(BLOCK // each * each, n_rollouts - first), first, each)
            if known.packed.phase != OVER:
                self._play_on(known.tables, worlds, first, styles)
                check_legal(worlds, first)
            parts.append(results_of(worlds, known.tables))
        return joined(parts)

    def _dealt(self, known: Knowledge, beliefs: Beliefs, n: int, first: int, each: int) -> Ints:
        """Return worlds as `worlds` does, of which `each` in a row have the same tickets, and cards of their own."""
        worlds = self.worlds(known, beliefs, -(-n // each), first // each)
        if each == 1:
            return worlds
        blind = beliefs._replace(chosen=np.zeros(known.n_players), is_tree=0)  # soonest done: its tickets are replaced
        dealt = self.worlds(known, blind, n, first)
        for name in ("held", "offer", "queue", "ticket_at"):
            State.across(dealt, name)[:] = State.across(worlds, name).repeat(each, axis=0)[:n]
        return dealt

    def _play_on(self, tables: Tables, worlds: Ints, first: int, styles: Iterator[Floats]) -> None:
        """Play worlds to their ends; by planners of these styles, unless policies were given."""
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        players, numbers = self._players, _NO_STYLES
        if self._is_free:
            numbers = np.array(list(islice(styles, len(worlds))))
            players = players._replace(params=np.empty_like(numbers[0]))
        _play_block(tables, players, self._keys, first, _NO_ACTIONS, NOTHING, numbers, worlds, tape)

    def try_out(self, worlds: Ints, first: int, actions: Ints, memory: Ints | None = None) -> Results:
        """
        Let the seat that acts do one thing or another in each of some worlds, and play on.

        Parameters
        ----------
        worlds
            What `worlds` returned; not changed.
        first
            Number of the first of them.
        actions
            Codes and values of actions that are legal in all of them.
        memory
            What the seat that acts remembers, such as its plan; by default
            nothing. Its stream of chance is another one in each world.

        Returns
        -------
        results
            Of shape (actions, worlds, seats). What follows different actions in one
            world begins with the same random numbers.
        """
        states = np.tile(worlds, (len(actions), 1))
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        tables = game_tables(self._game_map, len(self.policies))
        remembered = NOTHING if memory is None else memory[KEY_SIZE:]
        _play_block(tables, self._players, self._keys, first, actions, remembered, _NO_STYLES, states, tape)
        check_legal(states, first)
        ends = results_of(states, tables)
        shape = (len(actions), len(worlds), len(self.policies))
        return Results(ends.won.reshape(shape), ends.points.reshape(shape))

    def follow(self, known: Knowledge, beliefs: Beliefs, number: int) -> tuple[State, Ints]:
        """Play one rollout, and return its last state with codes and values of the events from here on."""
        n_events = _TAPE_EVENTS
        while True:
            worlds = self.worlds(known, beliefs, 1, number)
            tape = np.zeros(TAPE_START + 2 * n_events, dtype=np.int64)
            tape[WRITE_AT], tape[WRITE_END] = TAPE_START, len(tape)
            play_block(known.tables, self._players, self._keys, number, worlds, tape, deals=False)
            check_legal(worlds, number)
            if tape[WRITE_AT] <= len(tape):
                return State(worlds[0]), tape[TAPE_START : tape[WRITE_AT]].reshape(-1, 2)
            n_events = int(tape[WRITE_AT])


@compiled
def _play_block(
    tables: Tables,
    players: Players,
    keys: Ints,
    first: int,
    actions: Ints,
    remembered: Ints,
    styles: Floats,
    states: Ints,
    tape: Ints,
) -> None:
    """
    Play worlds on to the end: after each action in copies of the same ones, if there are any.

    With styles, planners have the numbers of each world there.
    """
    n_worlds = len(states) // max(1, len(actions))
    for i in range(len(states)):
        state = State(states[i])
        world = i % n_worlds
        if len(styles) > 0:
            players.params[:] = styles[world]
        wake_players(tables, players, 0, keys, first + world)
        if len(actions) > 0:
            players.memory[state.seat, KEY_SIZE : KEY_SIZE + len(remembered)] = remembered
            step(state, tables, actions[i // n_worlds, 0], actions[i // n_worlds, 1], tape)
        finish(state, tables, players, tape)


def draw_worlds(view: SeatView, n: int, rng: np.random.Generator) -> tuple[GameState, ...]:
    """Return whole states that agree with what a seat sees: see `SeatView.worlds`."""
    if n < 0:
        raise ValueError(f"expected a number of worlds of 0 or more, got {n}")
    known = knowledge_of(view, view.seat)
    table = Rollouts(view.game_map, view.n_players, seed=int(rng.integers(SEEDS)))
    worlds = table.worlds(known, table.believe(known), n)
    return tuple(GameState(view.game_map, view.n_players, State(world)) for world in worlds)


# -- from whole states ------------------------------------------------------------------------------------------


def play_out(states: Sequence[GameState], policies: Sequence[PolicyLike], *, seed: int) -> pd.DataFrame:
    """
    Play games from given states to their ends, and return how they end.

    Parameters
    ----------
    states
        States of one game: one map, one number of players. Nothing in them may
        be unknown; `SeatView.worlds` gives whole states that agree with what a
        seat knows.
    policies
        One compiled policy for each seat, or names of built-in ones. They have
        seen nothing of the games before.
    seed
        Seed of all chance from here on. With the place of a state in the
        sequence it decides what is drawn: a state given twice is played twice.

    Returns
    -------
    ends
        One row for each state and seat (index `state`, `seat`): final `points`,
        and `won`, its share of the win.

    Raises
    ------
    GameError
        If the states are not of one game, or something in one is unknown; if
        there are not as many policies as players, or one chooses what is
        illegal.
    TypeError
        If a policy is not compiled.
    UnknownNameError
        If the package has no policy of a name.

    Notes
    -----
    All games run in compiled code, some hundreds or thousands a second.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> state = game.play(["Greedy", "Random"], seed=7).state_at(30)
    >>> ends = play_out([state] * 20, ["Greedy", "Random"], seed=7)
    >>> ends.groupby("seat")["won"].mean().tolist()
    [1.0, 0.0]
    """
    import pandas as pd

    players = as_players(policies)
    packed = _pack(states, len(players))
    keys = run_keys(seed, len(players))
    parts = [Results(np.zeros((0, len(players))), np.zeros((0, len(players)), dtype=np.int64))]
    if len(packed):
        game_map = states[0].game_map
        tables, seated = game_tables(game_map, len(players)), seat_players(game_map, players)
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        for first in range(0, len(packed), BLOCK):
            block = packed[first : first + BLOCK]
            for i, row in enumerate(block):
                open_stream(keys[0], first + i, TABLE_STREAM, State(row).stream)
            play_block(tables, seated, keys, first, block, tape, deals=False)
            check_legal(block, first)
            parts.append(results_of(block, tables))
    won, points = joined(parts)
    rows = pd.MultiIndex.from_product([range(len(packed)), range(len(players))], names=["state", "seat"])
    return pd.DataFrame({"points": points.ravel(), "won": won.ravel()}, index=rows)


def _pack(states: Sequence[GameState], n_players: int) -> Ints:
    """Return states as rows, after a check that they are whole, and of one game for so many players."""
    packed = np.empty((len(states), State.n_cells), dtype=np.int64)
    for i, state in enumerate(states):
        if not isinstance(state, GameState):
            raise GameError(f"expected a GameState, as Game.new gives it, got {state!r}")
        if state.n_players != n_players:
            raise GameError(f"state {i} is of a game of {state.n_players} players, but there are {n_players} policies")
        if state.game_map != states[0].game_map:
            raise GameError(f"state {i} is on another map, or another variant of it, than state 0")
        if unknown := unknown_words(state.packed, n_players):
            raise GameError(f"state {i} cannot be played on with {unknown}: `SeatView.worlds` fills such in")
        packed[i] = state.packed.cells
    return packed
