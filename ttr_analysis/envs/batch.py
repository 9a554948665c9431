"""
Batches of games as arrays: a learner reads observations and masks, and answers with an action number per game.

Slot i of N plays games i, i + N, i + 2N and so on of a run. Each is the game with that
number that `Game.play` plays with the seed, whatever N and the number of threads. When a
game ends, the next one starts in its slot at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from ttr_analysis._compile import Flags, Floats, Functions, Ints, Singles, compiled
from ttr_analysis._decoding import Range
from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.engine.kernel.numbering import Numbering, code_of, fill_mask, numbering_of
from ttr_analysis.engine.kernel.scoring import TOTAL_COLUMN, WON_COLUMN, margins
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.engine.protocol import PolicyLike, is_built_in
from ttr_analysis.engine.state import GameState
from ttr_analysis.envs.observing import BUILT_IN, Encoder, action_words, guarded
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.policies.playout import (
    NO_TAPE_CELLS,
    Players,
    as_players,
    check_legal,
    choose,
    scores_of,
    seat_players,
    wake_players,
)
from ttr_analysis.rules.chance import below, run_keys, stream_from
from ttr_analysis.tables import Tables, game_tables

Worth = Callable[[State, Tables, int], float]
"""A compiled function of state, tables and seat that returns the value of the state for the seat."""

Reward: TypeAlias = Literal["win", "margin"] | Worth
"""
Rewards: each seat's share of the win at the end of a game, its lead over the best other seat at the end, or after each
step the change in value by a compiled function.
"""

_LAST_SEED_GAME: Final = 2**62 - 1
_SHARE: Final = 128
"""Minimum number of games per thread."""


# -- compiled: a block of games ----------------------------------------------------------------------------------------


@compiled
def begin_games(
    tables: Tables, players: Players, opposes: Ints, keys: Ints, numbers: Ints, slots: Ints, states: Ints, memory: Ints
) -> None:
    """Set up games in some slots, and let opponents act until another seat must."""
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    for i in range(len(slots)):
        slot = slots[i]
        state, seated = State(states[slot]), _with_memory(players, memory[slot])
        new_game(tables, keys[0], numbers[slot], state, tape)
        wake_players(tables, seated, 0, keys, numbers[slot])
        _oppose(state, tables, seated, opposes, tape)


@compiled
def _with_memory(players: Players, memory: Ints) -> Players:
    """Return players as seated in one of the games."""
    return Players(
        players.choosers,
        players.which,
        players.params,
        players.n_params,
        memory,
        players.memory_size,
        players.lore,
        players.lore_at,
    )


@compiled
def _oppose(state: State, tables: Tables, players: Players, opposes: Ints, tape: Ints) -> None:
    while state.phase != OVER and opposes[state.seat]:
        code, value = choose(state, tables, players, state.seat)
        step(state, tables, code, value, tape)


@compiled
def find_codes(states: Ints, tables: Tables, numbers: Numbering, actions: Ints, codes: Ints) -> int:
    """Fill in the code and value of each action; return the first game in which it is illegal, -1 if none."""
    for i in range(len(states)):
        code, value = code_of(State(states[i]), tables, numbers, actions[i])
        if code < 0:
            return i
        codes[i, 0] = code
        codes[i, 1] = value
    return -1


@compiled
def step_games(
    states: Ints,
    tables: Tables,
    players: Players,
    opposes: Ints,
    codes: Ints,
    memory: Ints,
    done: Flags,
    encode: Functions,
    lore: Ints,
    observations: Singles,
    numbers: Numbering,
    masks: Flags,
) -> None:
    """
    Perform one action in each game, and let opponents act until another seat must.

    Fill in that seat's observation and mask, unless there are no rows for it. Everything
    for one game happens at once, while its state is in the processor's cache, and one call
    handles many games, because threads that return to Python wait for each other.
    """
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    for i in range(len(states)):
        state = State(states[i])
        step(state, tables, codes[i, 0], codes[i, 1], tape)
        _oppose(state, tables, _with_memory(players, memory[i]), opposes, tape)
        done[i] = int(state.phase == OVER)
        if len(observations) > 0:
            observations[i].fill(0)
            encode[0](state, tables, lore, state.seat, observations[i])
        if len(masks) > 0:
            fill_mask(state, tables, numbers, masks[i])


@compiled
def add_changes(states: Ints, tables: Tables, worth: Functions, before: Floats, rewards: Floats) -> None:
    """Add the change in value of each game for each seat, and remember the value."""
    for i in range(len(states)):
        state = State(states[i])
        for seat in range(tables.n_seats):
            now = worth[0](state, tables, seat)
            rewards[i, seat] += now - before[i, seat]
            before[i, seat] = now


@compiled
def observe_games(
    states: Ints, tables: Tables, encode: Functions, lore: Ints, seats: Ints, observations: Singles
) -> None:
    """Fill in the observation of a seat in each game."""
    for i in range(len(states)):
        observations[i].fill(0)
        encode[0](State(states[i]), tables, lore, seats[i], observations[i])


@compiled
def mask_games(states: Ints, tables: Tables, numbers: Numbering, masks: Flags) -> None:
    """Fill in the mask of each game."""
    for i in range(len(states)):
        fill_mask(State(states[i]), tables, numbers, masks[i])


@compiled
def _draw_legal(masks: Flags, stream: Ints, actions: Ints) -> None:
    for i in range(len(masks)):
        mask, n = masks[i], 0
        for at in range(len(mask)):
            n += int(mask[at])  # more than a mask's int8 holds
        left, chosen = below(stream, max(1, n)), -1
        while left >= 0 and n > 0:
            chosen += 1
            left -= int(mask[chosen])
        actions[i] = chosen


def random_actions(masks: Flags, rng: np.random.Generator) -> Ints:
    """
    Return a random legal action for each row of masks, uniformly; -1 if none is legal.

    Parameters
    ----------
    masks
        Masks, shape (games, actions), from `Batch.mask`.

    Examples
    --------
    >>> random_actions(np.array([[0, 0, 1], [0, 0, 0]], dtype=np.int8), np.random.default_rng(7)).tolist()
    [2, -1]
    """
    actions = np.zeros(len(masks), dtype=np.int64)
    _draw_legal(masks, stream_from(rng), actions)
    return actions


# -- the batch ---------------------------------------------------------------------------------------------------------


class Batch:
    """
    Many games of one map, stepped together by compiled code.

    Parameters
    ----------
    game_map
        The map, in the variant to play.
    n_games
        Number of games.
    opponents
        One entry for each seat: None for a seat that you play, else a compiled policy or
        the name of one, such as "Planner". None: you play all seats.
    reward
        "win" (shared in a tie) or "margin" (points ahead of the best other seat), both at
        the end of a game; or a compiled function of state, tables and seat, whose change
        is the reward of each step.
    encoder
        How to make observations; by default the built-in encoder. Your own encoder sees
        only what its seat sees.
    n_threads
        Threads to use, at most one per 128 games, since smaller shares do not pay for the
        synchronization. Python's lock is released while they work.
    auto_reset
        Whether the next game starts at once when one ends; otherwise when you call
        `renew`.

    Attributes
    ----------
    features : tuple of str
        Meaning of each number of an observation.
    words : tuple of str
        Meaning of each action.
    n_threads : int
        Threads in use.
    numbers : array
        Number of the game in each slot.
    final_scores : array
        Points of each seat in the last finished game of each slot.
    endings : array
        How that game ended: an `engine.layout.Ending`, 0 if there is none.

    Raises
    ------
    ValueError, GameError
        If the map does not allow this number of players, a number is out of range,
        there is not one entry for each seat, or no seat is yours.
    TypeError
        If an opponent is not compiled.

    Examples
    --------
    >>> batch = ttr.envs.Batch("usa", 8, opponents=[None, "Greedy"], seed=7)
    >>> rng, won = np.random.default_rng(7), np.zeros(2)
    >>> for _ in range(400):
    ...     actions = ttr.envs.random_actions(batch.mask(), rng)
    ...     rewards, done, seats = batch.step(actions)
    ...     won += rewards.sum(axis=0)
    >>> won.tolist(), batch.observe().shape == (8, len(batch.features))
    ([0.0, 46.0], True)
    """

    def __init__(
        self,
        game_map: MapLike,
        n_games: int,
        n_players: int = 2,
        *,
        seed: int = 0,
        opponents: Sequence[PolicyLike | None] | None = None,
        reward: Reward = "win",
        encoder: Encoder | None = None,
        n_threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        self.game_map, self.n_players = as_map(game_map), n_players
        self.n_games = Range(1).check(n_games, "n_games")
        self._tables = game_tables(self.game_map, n_players)
        self._numbering = numbering_of(self.game_map)
        self.words = action_words(self.game_map)
        self._seat_opponents([None] * n_players if opponents is None else list(opponents))
        encoder = encoder or BUILT_IN
        self.features = tuple(encoder.names(self.game_map, n_players))
        self._lore = encoder.lore(self.game_map, n_players)
        self._encode = Functions((encoder.function if encoder is BUILT_IN else guarded(encoder.function),))
        if isinstance(reward, str) and reward not in ("win", "margin"):
            raise ValueError(f"expected the reward 'win', 'margin' or a compiled function, got {reward!r}")
        self._reward, self._auto_reset = reward, auto_reset
        self._worth = None if isinstance(reward, str) else Functions((reward,))
        self.n_threads = min(Range(1).check(n_threads, "n_threads"), max(1, self.n_games // _SHARE))
        edges = [self.n_games * i // self.n_threads for i in range(self.n_threads + 1)]
        self._blocks = [slice(a, b) for a, b in pairwise(edges)]
        self._pool = ThreadPoolExecutor(self.n_threads - 1) if self.n_threads > 1 else None
        self._allocate()
        self.reset(seed)

    def _seat_opponents(self, opponents: list[PolicyLike | None]) -> None:
        if len(opponents) != self.n_players:
            raise GameError(f"expected one opponent or None for each of {self.n_players} seats, got {opponents!r}")
        if None not in opponents:
            raise GameError(f"opponents play all seats: give None for one that you play, got {opponents!r}")
        self._opposes = np.array([opponent is not None for opponent in opponents], dtype=np.int64)
        # Your seats need no player.
        stand_in = next((opponent for opponent in opponents if opponent is not None), "Random")
        seated = [stand_in if opponent is None else opponent for opponent in opponents]
        players = as_players(seated)
        self._players = seat_players(self.game_map, players)
        self._may_fault = not all(map(is_built_in, players))

    def _allocate(self) -> None:
        n, seats = self.n_games, self.n_players
        self._states = np.zeros((n, State.n_cells), dtype=np.int64)
        self._seat_of = State.across(self._states, "seat")
        self._memory = np.zeros((n, *self._players.memory.shape), dtype=np.int64)
        self._codes = np.zeros((n, 2), dtype=np.int64)
        self._done = np.zeros(n, dtype=np.int8)
        self._before = np.zeros((n, seats))
        self.numbers = np.arange(n, dtype=np.int64)
        self.final_scores = np.zeros((n, seats), dtype=np.int64)
        self.endings = np.zeros(n, dtype=np.int64)

    def reset(self, seed: int | None = None, first: int = 0) -> None:
        """
        Restart the run.

        Parameters
        ----------
        seed
            A new seed; None keeps the current one.
        first
            Number of the game in the first slot.
        """
        if seed is not None:
            self._keys = run_keys(seed, self.n_players)
        first = Range(0, _LAST_SEED_GAME - self.n_games).check(first, "first")
        self.numbers[:] = np.arange(first, first + self.n_games)
        self.endings.fill(0)
        self.final_scores.fill(0)
        self._begin(np.arange(self.n_games))

    # -- observations ------------------------------------------------------------------

    @property
    def seats(self) -> Ints:
        """The acting seat of each game."""
        return self._seat_of.copy()

    @property
    def n_actions(self) -> int:
        """Number of actions in total."""
        return len(self.words)

    def observe(self, out: Singles | None = None, *, seats: Ints | None = None) -> Singles:
        """
        Return the acting seat's observation in each game, shape (games, features).

        Parameters
        ----------
        out
            A float32 array for the result; by default a new one.
        seats
            Seats to observe instead, one for each game.
        """
        filled = _output(out, (self.n_games, len(self.features)), np.float32)
        observers = np.ascontiguousarray(self._seat_of if seats is None else seats, dtype=np.int64)
        if observers.shape != (self.n_games,) or ((observers < 0) | (observers >= self.n_players)).any():
            raise ValueError(f"expected a seat from 0 to {self.n_players - 1} for each of {self.n_games} games")
        self._on_threads(lambda block: self._observe(self._states[block], observers[block], filled[block]))
        return filled

    def _observe(self, states: Ints, observers: Ints, filled: Singles) -> None:
        observe_games(states, self._tables, self._encode, self._lore, observers, filled)

    def mask(self, out: Flags | None = None) -> Flags:
        """
        Return 1 for each legal action of a game, 0 for others, shape (games, actions).

        Parameters
        ----------
        out
            An int8 array for the result; by default a new one.
        """
        filled = _output(out, (self.n_games, len(self.words)), np.int8)
        self._on_threads(lambda block: self._mask(self._states[block], filled[block]))
        return filled

    def _mask(self, states: Ints, filled: Flags) -> None:
        mask_games(states, self._tables, self._numbering, filled)

    def state(self, slot: int) -> GameState:
        """Return the full state of the game in a slot."""
        return GameState(self.game_map, self.n_players, State(self._states[slot].copy()))

    def scores(self) -> Ints:
        """Return the points of each seat as if all games ended here, shape (games, seats)."""
        return scores_of(self._states, self._tables)[:, :, TOTAL_COLUMN]

    # -- steps -------------------------------------------------------------------------

    def step(
        self, actions: Ints, *, observation: Singles | None = None, mask: Flags | None = None
    ) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.bool_]], Ints]:
        """
        Perform an action in every game, and let opponents act until another seat must.

        Parameters
        ----------
        actions
            The number of a legal action for each game.
        observation, mask
            Arrays for the results that `observe` and `mask` would return next: faster than
            calling them after the step, especially with several threads.

        Returns
        -------
        rewards, done, seats
            The reward of each seat of each game, shape (games, seats); whether the game ended
            (with `auto_reset`, the next one has begun); and the acting seats.

        Raises
        ------
        IllegalActionError
            If an action is illegal; no game has changed then.
        GameError
            If an opponent chose an illegal action; call `reset` then.
        """
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != (self.n_games,):
            raise ValueError(f"expected one action for each of {self.n_games} games, got shape {chosen.shape}")
        # Arrays without rows mean that nothing is requested.
        seen = np.empty((0, len(self.features)), np.float32)
        allowed = np.empty((0, len(self.words)), np.int8)
        if observation is not None:
            seen = _output(observation, (self.n_games, len(self.features)), np.float32)
        if mask is not None:
            allowed = _output(mask, (self.n_games, len(self.words)), np.int8)
        # Check all games before anything happens, and on this thread, since waking others would
        # take longer.
        self._find_codes(chosen)
        rewards = np.zeros((self.n_games, self.n_players))
        self._on_threads(lambda block: self._advance(block, rewards, seen, allowed))
        if self._may_fault:
            check_legal(self._states, 0)
        ended = np.flatnonzero(self._done)
        if len(ended):
            self._end(ended, rewards)
            if self._auto_reset:
                self._renew(ended)
                self._refresh(ended, seen, allowed)
        return rewards, self._done.astype(np.bool_), self.seats

    def _find_codes(self, chosen: Ints) -> None:
        slot = find_codes(self._states, self._tables, self._numbering, chosen, self._codes)
        if slot >= 0:
            action = chosen[slot]
            what = f"action {action}" + (f" ({self.words[action]})" if 0 <= action < self.n_actions else "")
            raise IllegalActionError(f"P{self._seat_of[slot]} in slot {slot} may not do this now: {what}")

    def _advance(self, block: slice, rewards: Floats, seen: Singles, allowed: Flags) -> None:
        states = self._states[block]
        step_games(
            states,
            self._tables,
            self._players,
            self._opposes,
            self._codes[block],
            self._memory[block],
            self._done[block],
            self._encode,
            self._lore,
            seen[block],
            self._numbering,
            allowed[block],
        )
        if self._worth is not None:
            add_changes(states, self._tables, self._worth, self._before[block], rewards[block])

    def _end(self, ended: Ints, rewards: Floats) -> None:
        """Store the scores of finished games, and reward their seats."""
        scores = scores_of(self._states[ended], self._tables)
        total, won = scores[:, :, TOTAL_COLUMN], scores[:, :, WON_COLUMN]
        self.final_scores[ended] = total
        self.endings[ended] = State.across(self._states, "ending")[ended]
        if self._reward == "win":
            rewards[ended] = won / won.sum(axis=1, keepdims=True)
        elif self._reward == "margin":
            rewards[ended] = margins(total)

    def _refresh(self, slots: Ints, seen: Singles, allowed: Flags) -> None:
        """Fill in observations and masks of slots with a new game."""
        states = self._states[slots]
        if len(seen):
            fresh_seen = seen[slots]
            self._observe(states, self._seat_of[slots], fresh_seen)
            seen[slots] = fresh_seen
        if len(allowed):
            fresh_allowed = allowed[slots]
            self._mask(states, fresh_allowed)
            allowed[slots] = fresh_allowed

    def renew(self) -> None:
        """Start the next game in each slot whose game is over."""
        self._renew(np.flatnonzero(State.across(self._states, "phase") == OVER))

    def _renew(self, slots: Ints) -> None:
        self.numbers[slots] += self.n_games
        self._begin(slots)

    def _begin(self, slots: Ints) -> None:
        begin_games(
            self._tables, self._players, self._opposes, self._keys, self.numbers, slots, self._states, self._memory
        )
        if self._worth is not None:
            before = np.zeros((len(slots), self.n_players))
            add_changes(self._states[slots], self._tables, self._worth, before, np.zeros_like(before))
            self._before[slots] = before

    def _on_threads(self, work: Callable[[slice], None]) -> None:
        others = [self._pool.submit(work, block) for block in self._blocks[1:]] if self._pool else []
        try:
            work(self._blocks[0])
        finally:
            for other in others:
                other.exception()  # wait for all threads before raising
        for other in others:
            other.result()

    def __repr__(self) -> str:
        return f"<Batch of {self.n_games} games: {self.game_map.name}, {self.n_players} players>"


def _output(out: np.ndarray | None, shape: tuple[int, int], dtype: type) -> np.ndarray:
    if out is None:
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"expected an array of {np.dtype(dtype)} and shape {shape}, got {out.dtype} and {out.shape}")
    return out
