"""Rollouts: play games to the end many times, from partial knowledge or from complete states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Final

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled
from ttr_analysis._errors import GameError
from ttr_analysis.engine.codes import (
    CLAIM_ROUTE,
    DRAW_FACE_UP,
    NONE,
    PAY_TUNNEL,
    TAPE_START,
    WRITE_AT,
    WRITE_END,
    argument_of,
    kind_of,
)
from ttr_analysis.engine.kernel.step import action_fault, step
from ttr_analysis.engine.kernel.turns import keep_tickets
from ttr_analysis.engine.layout import KEEP_START, OVER, TURN, State, unknown_words
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.planner.claims import NO_ROUTE
from ttr_analysis.policies.planner.knowledge import Memory, take_plan
from ttr_analysis.policies.playout import (
    BLOCK,
    NO_TAPE_CELLS,
    Players,
    Results,
    as_players,
    check_legal,
    choose,
    chooser_of,
    copied,
    finish,
    joined,
    play_block,
    results_from,
    results_of,
    scores_of,
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
"""Purpose of the random streams of seats that already chose opening tickets; those for play have lower numbers."""
_TAPE_EVENTS: Final = 2_048
"""Initial room for events; a game has a few hundred."""
_MANY_OFFERED: Final = 5
"""With at least this many opening tickets offered, several rollouts share tickets."""
_GROUP_SIZE: Final = 3
"""
The number of rollouts that share tickets. Four would be as good on average, but worse near the end,
where tickets decide more.
"""
NOTHING: Final[Ints] = np.zeros(0, dtype=np.int64)
"""Memory of a player who has seen nothing of a game."""
NO_ACTION: Final = (-1, 0)
"""In place of the code and value of another action, if there is none."""
_NO_ACTIONS: Final[Ints] = np.zeros((0, 2), dtype=np.int64)
_NO_STYLES: Final[Floats] = np.zeros((0, 0, 0))
SEEDS: Final = 1 << 62
"""Number of seeds from which a generator draws."""


def group_size(known: Knowledge) -> int:
    """
    Return the number of consecutive rollouts that share tickets: several if finding tickets is slow.

    Each additional ticket in an opening offer doubles the choices. With five, groups of
    three rollouts give intervals of equal width in 60% of the time; with three or four, the
    gain is negligible. If the viewer's own tickets are uncertain, each rollout has its own.
    """
    is_seen = known.viewer == EVERYBODY or known.packed.phase == KEEP_START
    return 1 if is_seen or known.orders or known.tables.opening_deal < _MANY_OFFERED else _GROUP_SIZE


class Rollouts:
    """
    Players who play on from partial knowledge of a game.

    By default they are planners with the inferred styles of the players. Rollouts with the
    same number begin with the same random numbers, whatever the position, so differences
    between positions need fewer of them.

    Raises
    ------
    TypeError
        If a policy is not compiled.
    ValueError
        If the number of policies is wrong.
    """

    def __init__(
        self, game_map: GameMap, n_players: int, policies: Sequence[PolicyLike] | None = None, *, seed: int = 7
    ) -> None:
        self._is_free = policies is None
        self.policies = as_players(["Planner"] * n_players if policies is None else policies)
        if len(self.policies) != n_players:
            raise ValueError(f"expected {n_players} policies, one for each seat, got {len(self.policies)}")
        self._tables = game_tables(game_map, n_players)
        # a separate stream: rollouts with a seed are independent of the games with that seed
        own_seed = blake2b(f"{index(seed)}".encode(), digest_size=16, person=b"rollouts").digest()
        self._keys = run_keys(int.from_bytes(own_seed, "little"), n_players)
        self._players: Players = seat_players(game_map, self.policies)

    def believe(self, known: Knowledge) -> Beliefs:
        """Return the odds of each seat's tickets, given who plays it."""
        return believe(known, self.policies)

    def worlds(self, known: Knowledge, beliefs: Beliefs, n: int, first: int = 0) -> Ints:
        """Return states consistent with the known facts, one per row, starting at number `first`."""
        worlds = np.empty((n, State.n_cells), dtype=np.int64)
        if known.orders:  # each world separately
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
        """Let seats keep opening tickets if they did so unseen by the viewer."""
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
        Play on from the known facts; return the results.

        Raises
        ------
        ValueError
            If there are no rollouts.
        """
        if n_rollouts < 1:
            raise ValueError(f"expected at least 1 rollout, got {n_rollouts}")
        beliefs = self.believe(known)
        rng = np.random.default_rng(self._keys[0].tolist())
        styles = planner_styles(known.game_map, known.n_players, known.styled, rng)
        parts: list[Results] = []
        each = group_size(known)
        for first in range(0, n_rollouts, BLOCK // each * each):
            worlds = self.worlds_to_play(known, beliefs, min(BLOCK // each * each, n_rollouts - first), first)
            if known.packed.phase != OVER:
                self._play_on(known.tables, worlds, first, styles)
                check_legal(worlds, first)
            parts.append(results_of(worlds, known.tables))
        return joined(parts)

    def worlds_to_play(self, known: Knowledge, beliefs: Beliefs, n: int, first: int) -> Ints:
        """Return worlds as `worlds` does, but in groups of `group_size` that share tickets, not cards."""
        each = group_size(known)
        if each == 1:
            return self.worlds(known, beliefs, n, first)
        group = np.arange(first, first + n) // each
        worlds = self.worlds(known, beliefs, group[-1] - group[0] + 1, group[0])
        unasked = beliefs._replace(chosen=np.zeros(known.n_players))  # faster, and these tickets are replaced
        dealt = self.worlds(known, unasked, n, first)
        for name in ("held", "offer", "queue", "ticket_at"):
            State.across(dealt, name)[:] = State.across(worlds, name)[group - group[0]]
        return dealt

    def _play_on(self, tables: Tables, worlds: Ints, first: int, styles: Iterator[Floats]) -> None:
        """Play worlds to the end, with planners of these styles unless policies were given."""
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        players, numbers = self._players, _NO_STYLES
        if self._is_free:
            numbers = np.array(list(islice(styles, len(worlds))))
            players = players._replace(params=np.empty_like(numbers[0]))
        _play_block(tables, players, self._keys, first, _NO_ACTIONS, NOTHING, numbers, worlds, tape)

    def try_out(self, worlds: Ints, first: int, actions: Ints, memory: Ints | None = None) -> Results:
        """
        Play on after each of some actions of the acting seat, in each of some worlds.

        Parameters
        ----------
        worlds
            From `worlds`; not modified.
        first
            Number of the first of them.
        actions
            Codes and values of actions that are legal in all worlds. Three more columns, if
            any, pair each with another such action, or `NO_ACTION`: the seat, a planner, then
            keeps the plan that it would have made after the other. If the last column is 1,
            it also takes the other as soon as it is legal, at the latest on its next turn (a face-up
            card only if it is still there).
        memory
            Memory of the acting seat, such as its plan; empty by default. Each world has its
            own random stream.

        Returns
        -------
        results
            Shape (actions, worlds, seats). In one world, play after different actions begins
            with the same random numbers.
        """
        states = self.ends(worlds, first, actions, memory)
        scores = scores_of(states, self._tables)
        return results_from(scores.reshape(len(actions), len(worlds), *scores.shape[1:]))

    def ends(self, worlds: Ints, first: int, actions: Ints, memory: Ints | None = None) -> Ints:
        """Return the last states of the games of `try_out`, those after the first action first."""
        if actions.shape[1] > len(NO_ACTION) and not self._is_free:
            raise ValueError("only planners, the default policies, follow the plans of other actions")
        states = np.tile(worlds, (len(actions), 1))
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        remembered = NOTHING if memory is None else memory[KEY_SIZE:]
        _play_block(self._tables, self._players, self._keys, first, actions, remembered, _NO_STYLES, states, tape)
        check_legal(states, first)
        return states

    def follow(self, world: Ints, number: int, actions: Ints = _NO_ACTIONS) -> tuple[State, Ints]:
        """Play on from one of `worlds`, after the action if there is one; return the last state and the events."""
        n_events = _TAPE_EVENTS
        while True:
            states = world[np.newaxis].copy()
            tape = np.zeros(TAPE_START + 2 * n_events, dtype=np.int64)
            tape[WRITE_AT], tape[WRITE_END] = TAPE_START, len(tape)
            _play_block(self._tables, self._players, self._keys, number, actions, NOTHING, _NO_STYLES, states, tape)
            check_legal(states, number)
            if tape[WRITE_AT] <= len(tape):
                return State(states[0]), tape[TAPE_START : tape[WRITE_AT]].reshape(-1, 2)
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
    Play worlds to the end, after each action (if any) in copies of the same worlds.

    With styles, planners use the parameters of each world. For five columns of actions, see `Rollouts.try_out`.
    """
    n_worlds = len(states) // max(1, len(actions))
    for i in range(len(states)):
        state = State(states[i])
        world = i % n_worlds
        if len(styles) > 0:
            players.params[:] = styles[world]
        wake_players(tables, players, 0, keys, first + world)
        if len(actions) > 0:
            row, seat = actions[i // n_worlds], state.seat
            players.memory[seat, KEY_SIZE : KEY_SIZE + len(remembered)] = remembered
            if len(row) > len(NO_ACTION) and row[2] != NO_ACTION[0]:
                before, market = copied(state), state.market.copy()
                step(state, tables, row[0], row[1], tape)
                _share_plan(tables, players, before, state, seat, row[2], row[3])
                if row[4] == 1:
                    _take_later(tables, players, state, seat, row[2], row[3], market, tape)
            else:
                step(state, tables, row[0], row[1], tape)
        finish(state, tables, players, tape)


@compiled
def _share_plan(
    tables: Tables, players: Players, before: State, state: State, seat: int, code: int, value: int
) -> None:
    """Give a planner the plan that it would have made if it had taken another action in the state before."""
    memory = players.memory[seat]
    unaware, kind = memory.copy(), kind_of(code)
    route = NO_ROUTE
    if kind == CLAIM_ROUTE:
        route = argument_of(code)
    elif kind == PAY_TUNNEL:
        route = before.pending
    step(before, tables, code, value, np.zeros(NO_TAPE_CELLS, dtype=np.int64))
    _look(tables, players, before, seat)
    other = memory.copy()
    memory[:] = unaware
    _look(tables, players, state, seat)
    take_plan(state, tables, seat, Memory(memory[: Memory.n_cells]), Memory(other[: Memory.n_cells]), route)


@compiled
def _look(tables: Tables, players: Players, state: State, seat: int) -> None:
    """Let a seat choose as if it had the next turn, so that it remembers what it sees and makes a plan."""
    if state.phase != OVER:
        imagined = copied(state)
        imagined.phase = TURN
        imagined.seat = imagined.turn_seat = seat
        imagined.n_taken = 0
        choose(imagined, tables, players, seat)


@compiled
def _take_later(
    tables: Tables, players: Players, state: State, seat: int, code: int, value: int, market: Ints, tape: Ints
) -> None:
    """Play on until a seat can take an action, up to its next turn; a face-up card must be the one in `market`."""
    is_card, slot = kind_of(code) == DRAW_FACE_UP, argument_of(code)
    while state.phase != OVER:
        if state.seat == seat:
            is_there = not is_card or state.market[slot] == market[slot]
            if is_there and action_fault(state, tables, code, value) == NONE:
                step(state, tables, code, value, tape)
                return
            if state.phase == TURN:
                return
        own_code, own_value = choose(state, tables, players, state.seat)
        step(state, tables, own_code, own_value, tape)


def draw_worlds(view: SeatView, n: int, rng: np.random.Generator) -> tuple[GameState, ...]:
    """Return complete states consistent with what a seat sees: see `SeatView.worlds`."""
    if n < 0:
        raise ValueError(f"expected a number of worlds of 0 or more, got {n}")
    known = knowledge_of(view, view.seat)
    rollouts = Rollouts(view.game_map, view.n_players, seed=int(rng.integers(SEEDS)))
    worlds = rollouts.worlds(known, rollouts.believe(known), n)
    return tuple(GameState(view.game_map, view.n_players, State(world)) for world in worlds)


# -- from complete states ---------------------------------------------------------------------------------------


def play_out(states: Sequence[GameState], policies: Sequence[PolicyLike], *, seed: int) -> pd.DataFrame:
    """
    Play games from given states to the end, and return the results.

    Parameters
    ----------
    states
        States of one map and number of players, without unknowns; `SeatView.worlds`
        returns complete states consistent with what a seat knows.
    policies
        One compiled policy for each seat, or names of built-in ones. They have not seen
        the games before.
    seed
        Random seed. Together with a state's position in the sequence it determines the
        random events, so a state given twice is played twice.

    Returns
    -------
    ends
        One row for each state and seat (index `state`, `seat`): final `points`,
        and `won`, its share of the win.

    Raises
    ------
    GameError
        If the states belong to different games or have unknowns, the number of policies
        is wrong, or a policy chooses an illegal action.
    TypeError
        If a policy is not compiled.
    UnknownNameError
        If no built-in policy has a given name.

    Notes
    -----
    All games run in compiled code, hundreds or thousands per second.

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
    """Return states as rows, after checking that they are complete and from games with `n_players` players."""
    packed = np.empty((len(states), State.n_cells), dtype=np.int64)
    for i, state in enumerate(states):
        if not isinstance(state, GameState):
            raise GameError(f"expected a GameState, such as Game.new returns, got {state!r}")
        if state.n_players != n_players:
            raise GameError(f"state {i} is from a {state.n_players}-player game, but there are {n_players} policies")
        if state.game_map != states[0].game_map:
            raise GameError(f"state {i} is on another map, or another variant of it, than state 0")
        if unknown := unknown_words(state.packed, n_players):
            raise GameError(f"state {i} cannot be played on with {unknown}: `SeatView.worlds` fills them in")
        packed[i] = state.packed.cells
    return packed
