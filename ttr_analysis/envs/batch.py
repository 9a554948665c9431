"""
Many games side by side, as arrays: a learner reads observations and masks, and gives the number of an action for each.

Slot i of N plays the games i, i + N, i + 2N and so on of a run; each is the game
of that number that `Game.play` plays with the seed, whatever N and however many
threads. A game that ends makes room for the next one at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from ttr_analysis._arrays import Flags, Floats, Ints, Singles
from ttr_analysis._compile import Functions, compiled
from ttr_analysis._decoding import Range
from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.engine.kernel.numbering import Numbering, code_of, fill_mask, numbering_of
from ttr_analysis.engine.kernel.scoring import N_COLUMNS, TOTAL_COLUMN, WON_COLUMN, margins, score_games
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.engine.protocol import PolicyLike, is_built_in
from ttr_analysis.engine.state import GameState
from ttr_analysis.envs.numbering import action_words
from ttr_analysis.envs.observing import OURS, Encoder, guarded
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.policies.playout import (
    NO_TAPE_CELLS,
    Players,
    as_players,
    check_legal,
    choose,
    seat_players,
    wake_players,
)
from ttr_analysis.rules.chance import below, run_keys, stream_from
from ttr_analysis.tables import Tables, game_tables

Worth = Callable[[State, Tables, int], float]
"""A compiled function of state, tables and seat: what the state is worth to the seat."""

Reward: TypeAlias = Literal["win", "margin"] | Worth
"""
What games reward: each seat's share of the win when the game ends, its lead over the best other seat then, or after
each step the change of what a compiled function says that the state is worth.
"""

_LAST_SEED_GAME: Final = 2**62 - 1
_SHARE: Final = 128
"""Games of a thread, at least."""


@compiled
def _nothing(state: State, tables: Tables, seat: int) -> float:  # noqa: ARG001
    """Return what is worth nothing."""
    return 0.0


# -- compiled: one block of games --------------------------------------------------------------------------------------


@compiled
def begin_games(
    tables: Tables, players: Players, opposes: Ints, keys: Ints, numbers: Ints, slots: Ints, states: Ints, memory: Ints
) -> None:
    """Set up the games of some numbers in some slots, and let opponents act until another seat must."""
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    for i in range(len(slots)):
        slot = slots[i]
        state, seated = State(states[slot]), _with_memory(players, memory[slot])
        new_game(tables, keys[0], numbers[slot], state, tape)
        wake_players(tables, seated, 0, keys, numbers[slot])
        _oppose(state, tables, seated, opposes, tape)


@compiled
def _with_memory(players: Players, memory: Ints) -> Players:
    """Return players as they sit in one of the games."""
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
    """Fill in code and value of each action; return the first game in which it is illegal, -1 if there is none."""
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
    Take one action in each game, and let opponents act until another seat must.

    Fill in what that seat observes and may do, unless there are no rows for it.
    All of one game is done at once, while its state is near the processor, and in
    one call for many games, because threads that go back to Python wait for each other.
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
    """Add by how much the worth of each game changed for each seat, and remember what it is."""
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
    """Fill in what a seat of each game observes."""
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
            n += mask[at]
        left, chosen = below(stream, max(1, n)), -1
        while left >= 0 and n > 0:
            chosen += 1
            left -= mask[chosen]
        actions[i] = chosen


def random_actions(masks: Flags, rng: np.random.Generator) -> Ints:
    """
    Return a random legal action for each row of masks, all alike; -1 where none is legal.

    Parameters
    ----------
    masks
        Masks, shape (games, actions), as `Batch.mask` gives them.

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
        The map, as the variant to play.
    n_games
        Games side by side.
    opponents
        One entry for each seat: None for a seat that you play, or a compiled
        policy, or the name of one, such as "Planner". None: you play all seats.
    reward
        "win" (shared by all who tie), "margin" (points ahead of the best other
        seat), both when a game ends; or a compiled function of state, tables and
        seat, whose change rewards each step.
    encoder
        How observations are made; that of the package unless you give one, which
        then sees what its seat sees.
    n_threads
        Threads at work, at most one for each 128 games, as smaller shares take less
        time than threads need to meet; Python is free while they work.
    auto_reset
        Whether a game that ends makes room for the next one at once; otherwise
        when you call `renew`.

    Attributes
    ----------
    features : tuple of str
        What each number of an observation is.
    words : tuple of str
        What each action is.
    n_threads : int
        Threads at work.
    numbers : array
        The number of the game in each slot.
    final_scores : array
        Points of each seat in the last game that ended in each slot.
    endings : array
        How it ended: an `engine.layout.Ending`, 0 before.

    Raises
    ------
    ValueError, GameError
        If the map is not for this number of players, a number is out of range,
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
        encoder = encoder or OURS
        self.features = tuple(encoder.names(self.game_map, n_players))
        self._lore = encoder.lore(self.game_map, n_players)
        self._encode = Functions((encoder.function if encoder is OURS else guarded(encoder.function),))
        if isinstance(reward, str) and reward not in ("win", "margin"):
            raise ValueError(f"expected the reward 'win', 'margin' or a compiled function, got {reward!r}")
        self._reward, self._auto_reset = reward, auto_reset
        self._worth = None if isinstance(reward, str) else Functions((reward,))
        self.n_threads = min(Range(1).check(n_threads, "n_threads"), max(1, self.n_games // _SHARE))
        edges = [self.n_games * i // self.n_threads for i in range(self.n_threads + 1)]
        self._blocks = [slice(a, b) for a, b in pairwise(edges)]
        self._pool = ThreadPoolExecutor(self.n_threads - 1) if self.n_threads > 1 else None
        self._make_room()
        self.reset(seed)

    def _seat_opponents(self, opponents: list[PolicyLike | None]) -> None:
        if len(opponents) != self.n_players:
            raise GameError(f"expected one opponent or None for each of {self.n_players} seats, got {opponents!r}")
        if None not in opponents:
            raise GameError(f"opponents play all seats: give None for one that you play, got {opponents!r}")
        self._opposes = np.array([opponent is not None for opponent in opponents], dtype=np.int64)
        # Nobody asks who sits at your seats.
        stand_in = next((opponent for opponent in opponents if opponent is not None), "Random")
        seated = [stand_in if opponent is None else opponent for opponent in opponents]
        players = as_players(seated)
        self._players = seat_players(self.game_map, players)
        self._may_fault = not all(map(is_built_in, players))

    def _make_room(self) -> None:
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
        Begin again.

        Parameters
        ----------
        seed
            A new seed; None for the same one.
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

    # -- what is seen ------------------------------------------------------------------

    @property
    def seats(self) -> Ints:
        """The seat that acts in each game."""
        return self._seat_of.copy()

    @property
    def n_actions(self) -> int:
        """Number of actions, legal or not."""
        return len(self.words)

    def observe(self, out: Singles | None = None, *, seats: Ints | None = None) -> Singles:
        """
        Return what the seat that acts in each game observes, shape (games, features).

        Parameters
        ----------
        out
            An array of float32 to fill in; a new one if None.
        seats
            Seats that observe instead, one for each game.
        """
        filled = _room(out, (self.n_games, len(self.features)), np.float32)
        looking = np.ascontiguousarray(self._seat_of if seats is None else seats, dtype=np.int64)
        if looking.shape != (self.n_games,) or ((looking < 0) | (looking >= self.n_players)).any():
            raise ValueError(f"expected a seat from 0 to {self.n_players - 1} for each of {self.n_games} games")
        self._on_threads(lambda block: self._observe(self._states[block], looking[block], filled[block]))
        return filled

    def _observe(self, states: Ints, looking: Ints, filled: Singles) -> None:
        observe_games(states, self._tables, self._encode, self._lore, looking, filled)

    def mask(self, out: Flags | None = None) -> Flags:
        """
        Return 1 for each action that is legal in a game, 0 for others, shape (games, actions).

        Parameters
        ----------
        out
            An array of int8 to fill in; a new one if None.
        """
        filled = _room(out, (self.n_games, len(self.words)), np.int8)
        self._on_threads(lambda block: self._mask(self._states[block], filled[block]))
        return filled

    def _mask(self, states: Ints, filled: Flags) -> None:
        mask_games(states, self._tables, self._numbering, filled)

    def state(self, slot: int) -> GameState:
        """Return the whole state of the game in a slot."""
        return GameState(self.game_map, self.n_players, State(self._states[slot].copy()))

    def scores(self) -> Ints:
        """Return the points of each seat as if all games ended here, shape (games, seats)."""
        return self._score(self._states)[:, :, TOTAL_COLUMN]

    # -- what is done ------------------------------------------------------------------

    def step(
        self, actions: Ints, *, observation: Singles | None = None, mask: Flags | None = None
    ) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.bool_]], Ints]:
        """
        Take an action in every game, and let opponents act until another seat must.

        Parameters
        ----------
        actions
            The number of a legal action for each game.
        observation, mask
            Arrays to fill in with what `observe` and `mask` then give: faster than
            to ask after the step, above all on several threads.

        Returns
        -------
        rewards, done, seats
            What each seat of each game gained, shape (games, seats); whether the
            game ended, so that a new one began in its slot; the seat that acts now.

        Raises
        ------
        IllegalActionError
            If an action is illegal; then nothing has happened in any game.
        GameError
            If an opponent of yours chose an illegal action; then begin again with `reset`.
        """
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != (self.n_games,):
            raise ValueError(f"expected one action for each of {self.n_games} games, got shape {chosen.shape}")
        # Arrays without rows stand for what nobody asks for.
        seen = np.empty((0, len(self.features)), np.float32)
        allowed = np.empty((0, len(self.words)), np.int8)
        if observation is not None:
            seen = _room(observation, (self.n_games, len(self.features)), np.float32)
        if mask is not None:
            allowed = _room(mask, (self.n_games, len(self.words)), np.int8)
        # All of them, before anything happens; on this thread, since others would take longer to wake than to help.
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
                self._see_anew(ended, seen, allowed)
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
        """Keep the scores of games that ended, and reward their seats."""
        scores = self._score(self._states[ended])
        total, won = scores[:, :, TOTAL_COLUMN], scores[:, :, WON_COLUMN]
        self.final_scores[ended] = total
        self.endings[ended] = State.across(self._states, "ending")[ended]
        if self._reward == "win":
            rewards[ended] = won / won.sum(axis=1, keepdims=True)
        elif self._reward == "margin":
            rewards[ended] = margins(total)

    def _see_anew(self, slots: Ints, seen: Singles, allowed: Flags) -> None:
        """Fill in what is seen and may be done in slots where a game began."""
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
        """Begin the next game in each slot whose game is over."""
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

    def _score(self, states: Ints) -> Ints:
        scores = np.zeros((len(states), self.n_players, N_COLUMNS), dtype=np.int64)
        score_games(states, self._tables, scores)
        return scores

    def _on_threads(self, work: Callable[[slice], None]) -> None:
        others = [self._pool.submit(work, block) for block in self._blocks[1:]] if self._pool else []
        try:
            work(self._blocks[0])
        finally:
            for other in others:
                other.exception()  # all are at rest before an error is raised
        for other in others:
            other.result()

    def __repr__(self) -> str:
        return f"<Batch of {self.n_games} games: {self.game_map.name}, {self.n_players} players>"


def _room(out: np.ndarray | None, shape: tuple[int, int], dtype: type) -> np.ndarray:
    if out is None:
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"expected an array of {np.dtype(dtype)} and shape {shape}, got {out.dtype} and {out.shape}")
    return out
