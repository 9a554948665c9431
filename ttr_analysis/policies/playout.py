"""
Compiled policies, for single moves and for whole games.

Each game depends only on the seed and its number. Results do not depend on how games
are split into blocks, threads or processes, and they match `Game.play` event by event.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol, TypeGuard

import numpy as np

from ttr_analysis._compile import Floats, Functions, Ints, compiled
from ttr_analysis._errors import GameError
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of, is_well_formed
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.scoring import N_COLUMNS, TOTAL_COLUMN, WON_COLUMN, score_games
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import OVER, State
from ttr_analysis.engine.protocol import Chooser, PolicyLike, check_memory, find_policies, is_built_in
from ttr_analysis.engine.protocol import CompiledPolicy as CompiledPolicy  # noqa: PLC0414 - a public name here
from ttr_analysis.engine.protocol import Policy as Policy  # noqa: PLC0414 - a public name here
from ttr_analysis.engine.state import SeatView, hide_secrets
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE, below, open_stream, run_keys, stream_from
from ttr_analysis.tables import Tables, game_tables

NO_TAPE_CELLS: Final = 4
"""Cells of a tape without room for events."""
_LAST_GAME = 2**62 - 1
BLOCK: Final = 32
"""
Games between two checks for interrupts: enough to make Python's overhead per block negligible, and few enough for
their states to stay in the processor's cache.
"""


# -- single moves --------------------------------------------------------------------------------------------------


class Player(CompiledPolicy, Protocol):
    """A policy with a compiled `chooser`."""

    @property
    def chooser(self) -> Chooser:
        """The compiled function that plays."""
        ...


class OneFunction:
    """A policy made of one compiled function."""

    __slots__ = ()

    @property
    def params(self) -> Floats:
        """A placeholder: there are no parameters."""
        return np.zeros(1)

    def decide(
        self: Player, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """Return the action chosen."""
        return self.chooser(state, tables, lore, seat, params, memory)

    def choose(
        self: CompiledPolicy,
        view: SeatView,
        actions: Sequence[Action],  # noqa: ARG002
        rng: np.random.Generator,
    ) -> Action:
        """
        Return the action that the policy would take here.

        A view has no history, so the policy sees the game for the first time, and a planner
        makes a new plan. In `Game.play` and in the compiled loop it remembers its plan, and
        may keep it.

        Parameters
        ----------
        view
            What the acting seat sees.
        actions
            Its legal actions; the policy knows them from the view.
        rng
            Random generator; it provides four numbers.

        Raises
        ------
        GameError
            If the view's seat is not the acting one.

        Examples
        --------
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> state = game.play(["Greedy", "Greedy"], seed=7).state_at(12)
        >>> view, actions = game.view(state, state.acting), game.legal_actions(state)
        >>> str(ttr.policies.Greedy().choose(view, actions, np.random.default_rng(7)))
        'claim Atlanta-Raleigh (gray, 2) with 2 green'
        """
        return codec_of(view.game_map).decode(*first_look(self, view, stream_from(rng))[0], view.packed)


def first_look(policy: CompiledPolicy, view: SeatView, stream: Ints) -> tuple[tuple[int, int], Ints]:
    """Return the code and value of a policy's first action in a game, and its memory."""
    check_turn(view)
    tables = game_tables(view.game_map, view.n_players)
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    memory[:KEY_SIZE] = stream
    lore = policy.lore(view.game_map, view.n_players)
    code, value = policy.decide(view.packed, tables, lore, view.seat, policy.params, memory)
    return (int(code), int(value)), memory


def check_turn(view: SeatView) -> None:
    """Raise a `GameError` if a view's seat has nothing to decide."""
    if view.is_over:
        raise GameError("the game is over: there is nothing to choose")
    if view.acting != view.seat:
        raise GameError(f"this is what P{view.seat} sees, but P{view.acting} acts: pass its view, or omit the seat")


@compiled
def random_number(memory: Ints, n: int) -> int:
    """Return a random number from 0 to n - 1, from the seat's own stream."""
    return below(memory[:KEY_SIZE], n)


# -- players -------------------------------------------------------------------------------------------------------


class Players(NamedTuple):
    """
    The policies at the seats of a game, one row each.

    `choosers` are the distinct compiled functions, and `which` their indices by seat.
    `lore` concatenates the policies' data on the map, and `lore_at` has the start and end
    of each seat's data.
    """

    choosers: Functions
    which: Ints
    params: Floats
    n_params: Ints
    memory: Ints
    memory_size: Ints
    lore: Ints
    lore_at: Ints


def is_compiled(policy: object) -> TypeGuard[Player]:
    """Return whether compiled code plays a policy: its own class, not a base class, has a `chooser`."""
    return "chooser" in vars(type(policy))


def as_players(policies: Sequence[PolicyLike]) -> list[Player]:
    """Return the policies, by name or given, for the compiled loop; raise a `TypeError` if one is not compiled."""
    found: list[Player] = []
    for seat, policy in enumerate(find_policies(policies)):
        if not is_compiled(policy):
            raise TypeError(f"P{seat} must be played by a compiled policy such as Planner(), got {policy!r}")
        found.append(policy)
    return found


def seat_players(game_map: GameMap, policies: Sequence[Player]) -> Players:
    """Return the policies at their seats, ready for `play_block`."""
    n = len(policies)
    params = np.zeros((n, max(len(policy.params) for policy in policies)))
    for seat, policy in enumerate(policies):
        check_memory(policy, seat)
        params[seat, : len(policy.params)] = policy.params
    sizes = np.array([policy.memory_size for policy in policies], dtype=np.int64)
    played_by = [chooser_of(policy) for policy in policies]
    # In a fixed order, so that all seatings share one compiled program.
    choosers = sorted(dict.fromkeys(played_by), key=lambda chooser: chooser.__module__)
    lores, lore_at = _lay_out(policies, [policy.lore(game_map, n) for policy in policies])
    return Players(
        choosers=Functions(tuple(choosers)),
        which=np.array([choosers.index(chooser) for chooser in played_by], dtype=np.int64),
        params=params,
        n_params=np.array([len(policy.params) for policy in policies], dtype=np.int64),
        memory=np.zeros((n, sizes.max()), dtype=np.int64),
        memory_size=sizes,
        lore=lores,
        lore_at=lore_at,
    )


def _lay_out(policies: Sequence[Player], lores: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Concatenate the policies' data, and return the start and end of each."""
    # Equal objects are stored once, so that more fit into the processor's cache; but user policies may write to theirs.
    parts: list[Ints] = []
    spans: dict[int, tuple[int, int]] = {}
    keys = [
        id(lore) if is_built_in(policy) else -seat
        for seat, (policy, lore) in enumerate(zip(policies, lores, strict=True))
    ]
    end = 0
    for key, lore in zip(keys, lores, strict=True):
        if key not in spans:
            spans[key] = end, end + len(lore)
            end += len(lore)
            parts.append(lore)
    return np.concatenate(parts), np.array([spans[key] for key in keys], dtype=np.int64)


def chooser_of(policy: Player) -> Chooser:
    """Return a policy's function for the compiled loop: its own if it is built in, else a guarded one."""
    return policy.chooser if is_built_in(policy) else guarded(policy.chooser)


@compiled
def copied(state: State) -> State:
    """Return a copy of a state, in compiled code."""
    copy = State()
    copy.cells[:] = state.cells
    return copy


@cache
def guarded(chooser: Chooser) -> Chooser:
    """
    Return a chooser that, as in `Game.play`, sees only what its seat can see, and cannot make illegal moves.

    An illegal action is replaced by the first legal one, and the state is marked: see
    `check_legal`.
    """

    @compiled
    def choose_guarded(
        state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        view = copied(state)
        hide_secrets(view, tables, seat)
        code, value = chooser(view, tables, lore, seat, params, memory)
        if is_well_formed(code, value) and action_fault(state, tables, code, value) == NONE:
            return code, value
        state.fault = 1
        legal = np.empty((1, 2), dtype=np.int64)
        list_actions(state, tables, legal)
        return legal[0, 0], legal[0, 1]

    return choose_guarded


def check_legal(states: Ints, first: int) -> None:
    """Raise a `GameError` if a policy chose an illegal action in one of some games, numbered from `first`."""
    faults = np.flatnonzero(State.across(states, "fault"))
    if len(faults):
        raise GameError(
            f"a compiled policy chose an illegal action in game {first + faults[0]}: Game.play shows the reason"
        )


# -- the games -----------------------------------------------------------------------------------------------------


@compiled
def play_block(tables: Tables, players: Players, keys: Ints, first: int, states: Ints, tape: Ints, deals: bool) -> None:
    """
    Play games to the end, one per row of `states`, with the events of each on `tape`.

    `keys` are those of the run: see `rules.chance.run_keys`. With `deals`, the games are set up first.
    """
    for i in range(len(states)):
        state = State(states[i])
        if deals:
            new_game(tables, keys[0], first + i, state, tape)
        wake_players(tables, players, 0, keys, first + i)
        finish(state, tables, players, tape)


@compiled
def finish(state: State, tables: Tables, players: Players, tape: Ints) -> None:
    """Play one game to the end."""
    while state.phase != OVER:
        code, value = choose(state, tables, players, state.seat)
        step(state, tables, code, value, tape)


@compiled
def wake_players(tables: Tables, players: Players, shift: int, keys: Ints, game: int) -> None:
    """Prepare players for a game, with empty memories and new random streams. Player p sits at seat p - `shift`."""
    for seat in range(tables.n_seats):
        player = (seat + shift) % tables.n_seats
        memory = players.memory[player, : players.memory_size[player]]
        memory.fill(0)
        open_stream(keys[1 + seat], game, 1 + seat, memory[:KEY_SIZE])


@compiled
def choose(state: State, tables: Tables, players: Players, player: int) -> tuple[int, int]:
    """Return the code and value of the action of the player at the acting seat."""
    params = players.params[player][: players.n_params[player]]
    memory = players.memory[player][: players.memory_size[player]]
    lore = players.lore[players.lore_at[player, 0] : players.lore_at[player, 1]]
    code, value = players.choosers[players.which[player]](state, tables, lore, state.seat, params, memory)
    return code, value


class Results(NamedTuple):
    """Results of games: each seat's share of the win and final points, shape (games, seats) unless noted."""

    won: Floats
    points: Ints


def results_of(states: Ints, tables: Tables) -> Results:
    """Return the results of games, given their last states."""
    return results_from(scores_of(states, tables))


def scores_of(states: Ints, tables: Tables) -> Ints:
    """Return the rows of `score_games` for games, given their last states: (games, seats, columns)."""
    scores = np.zeros((len(states), tables.n_seats, N_COLUMNS), dtype=np.int64)
    score_games(states, tables, scores)
    return scores


def results_from(scores: Ints) -> Results:
    """Return the results from some scores, whose last two axes are seats and columns."""
    won = scores[..., WON_COLUMN]
    return Results(won / won.sum(axis=-1, keepdims=True), scores[..., TOTAL_COLUMN].copy())


def joined(parts: Sequence[Results], axis: int = 0) -> Results:
    """Concatenate results of games."""
    if len(parts) == 1:
        return parts[0]
    return Results(*(np.concatenate(arrays, axis=axis) for arrays in zip(*parts, strict=True)))


def play_games(
    game_map: MapLike, policies: Sequence[PolicyLike], n_games: int, seed: int, first: int = 0
) -> tuple[Ints, Ints, Ints]:
    """
    Play games between compiled policies and return their results as arrays.

    Parameters
    ----------
    game_map
        The map in the variant to play.
    policies
        Policies, one for each seat, or names of built-in ones.
    first
        Number of the first game in the run.

    Returns
    -------
    results, endings, n_turns
        Rows of `engine.kernel.scoring.score_games`, shape (games, seats,
        columns); the `Ending` and the number of turns of each game.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, or a number is below 0
        or too large.
    TypeError
        If a policy is not compiled; `Game.play` accepts others.
    GameError
        If a policy's memory has no room for its random stream, or it chooses an illegal
        action.

    Examples
    --------
    >>> results, endings, n_turns = play_games(ttr.load_map("usa"), ["Random", "Greedy"], 10, seed=7)
    >>> results.shape[:2], set(endings.tolist())
    ((10, 2), {1})
    """
    game_map = as_map(game_map)
    compiled_players = as_players(policies)
    if n_games < 0 or not 0 <= first <= _LAST_GAME - n_games:
        raise ValueError(f"game numbers range from 0 to {_LAST_GAME}, got {n_games} from number {first}")
    tables = game_tables(game_map, len(policies))
    players = seat_players(game_map, compiled_players)
    keys = run_keys(seed, len(policies))
    results = np.zeros((n_games, len(policies), N_COLUMNS), dtype=np.int64)
    endings = np.zeros(n_games, dtype=np.int64)
    n_turns = np.zeros(n_games, dtype=np.int64)
    states = np.zeros((min(n_games, BLOCK), State.n_cells), dtype=np.int64)
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    for start in range(0, n_games, BLOCK):
        block = slice(start, min(start + BLOCK, n_games))
        played = states[: block.stop - start]
        play_block(tables, players, keys, first + start, played, tape, deals=True)
        check_legal(played, first + start)
        score_games(played, tables, results[block])
        endings[block] = State.across(played, "ending")
        n_turns[block] = State.across(played, "n_turns")
    return results, endings, n_turns
