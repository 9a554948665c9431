"""
Compiled policies: asked for one move, or seated for whole games.

Each game depends on the seed and its own number alone: results do not change
with how games are cut into blocks, threads or processes, and they are those of
`Game.play`, event by event.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol, TypeGuard

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import Functions, compiled
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
"""Cells of a tape on which nothing is written."""
_LAST_GAME = 2**62 - 1
BLOCK: Final = 32
"""
Games between two chances to interrupt: enough for what a block costs in Python not to count, and few enough for
their states to stay in the processor's cache.
"""


# -- one move ------------------------------------------------------------------------------------------------------


class Player(CompiledPolicy, Protocol):
    """A policy that compiled code plays: `decide` as a compiled function."""

    @property
    def chooser(self) -> Chooser:
        """The function that plays."""
        ...


class OneFunction:
    """A policy made of one compiled function."""

    __slots__ = ()

    @property
    def params(self) -> Floats:
        """Nothing can be set."""
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
        Return what the policy would do here.

        A view has no history: the policy looks at the game for the first
        time, so that a planner plans anew. In `Game.play` and in the compiled
        loop it remembers its plan, and may keep it.

        Parameters
        ----------
        view
            What the seat can see; it acts now.
        actions
            Its legal actions; the policy knows them from the view.
        rng
            Source of randomness; it gives four numbers.

        Raises
        ------
        GameError
            If the seat does not act now.

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
    """Return code and value of what a policy does that has seen nothing of a game before, and what it remembers."""
    check_turn(view)
    tables = game_tables(view.game_map, view.n_players)
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    memory[:KEY_SIZE] = stream
    lore = policy.lore(view.game_map, view.n_players)
    code, value = policy.decide(view.packed, tables, lore, view.seat, policy.params, memory)
    return (int(code), int(value)), memory


def check_turn(view: SeatView) -> None:
    """Raise a `GameError` if the seat of a view has nothing to decide."""
    if view.is_over:
        raise GameError("the game is over: there is nothing to choose")
    if view.acting != view.seat:
        raise GameError(
            f"this is what P{view.seat} sees, but P{view.acting} acts: give its view, or leave the seat out"
        )


@compiled
def random_number(memory: Ints, n: int) -> int:
    """Return a random number from 0 to n - 1, from the seat's own stream."""
    return below(memory[:KEY_SIZE], n)


# -- who plays -----------------------------------------------------------------------------------------------------


class Players(NamedTuple):
    """
    Policies at the seats of a game, one row each.

    `choosers` are the compiled functions by which they choose, each once, and
    `which` their numbers. Behind each other, `lore` has what the policies know of
    the map; `lore_at` where that of each seat begins and ends.
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
    """Return whether compiled code plays a policy: its own class, not one it inherits from, has a `chooser`."""
    return "chooser" in vars(type(policy))


def as_players(policies: Sequence[PolicyLike]) -> list[Player]:
    """Return policies, or built-in ones of some names, for the compiled loop; a `TypeError` if one is not compiled."""
    found: list[Player] = []
    for seat, policy in enumerate(find_policies(policies)):
        if not is_compiled(policy):
            raise TypeError(f"P{seat} is to be played by a compiled policy such as Planner(), got {policy!r}")
        found.append(policy)
    return found


def seat_players(game_map: GameMap, policies: Sequence[Player]) -> Players:
    """Return policies at their seats, ready for `play_block`."""
    n = len(policies)
    params = np.zeros((n, max(len(policy.params) for policy in policies)))
    for seat, policy in enumerate(policies):
        check_memory(policy, seat)
        params[seat, : len(policy.params)] = policy.params
    sizes = np.array([policy.memory_size for policy in policies], dtype=np.int64)
    played_by = [chooser_of(policy) for policy in policies]
    # In one order for all seatings, so that these share one program.
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
    """
    Return what policies know one after the other, and where that of each begins and ends.

    The same object is there once, so that more of it stays in the processor's
    cache; not so for policies of others, which may write to it.
    """
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
    """Return how a policy plays in the compiled loop: built-in ones as they are, all others guarded."""
    return policy.chooser if is_built_in(policy) else guarded(policy.chooser)


@cache
def guarded(chooser: Chooser) -> Chooser:
    """
    Return a chooser that sees what its seat can see, and cannot do what is illegal, as in `Game.play`.

    In place of an illegal action the first legal one is taken, and the state
    is marked: see `check_legal`.
    """

    @compiled
    def choose_guarded(
        state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        view = State()
        view.cells[:] = state.cells
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
            f"a compiled policy chose an illegal action in game {first + faults[0]}: Game.play says which, and why"
        )


# -- the games -----------------------------------------------------------------------------------------------------


@compiled
def play_block(tables: Tables, players: Players, keys: Ints, first: int, states: Ints, tape: Ints, deals: bool) -> None:
    """
    Play games, one a row of `states`, each to its end.

    Parameters
    ----------
    keys
        Keys of the run: see `rules.chance.run_keys`.
    tape
        Where events are written.
    deals
        Whether to set the games up first.
    """
    for i in range(len(states)):
        state = State(states[i])
        if deals:
            new_game(tables, keys[0], first + i, state, tape)
        wake_players(tables, players, 0, keys, first + i)
        finish(state, tables, players, tape)


@compiled
def finish(state: State, tables: Tables, players: Players, tape: Ints) -> None:
    """Play one game to its end."""
    while state.phase != OVER:
        code, value = choose(state, tables, players, state.seat)
        step(state, tables, code, value, tape)


@compiled
def wake_players(tables: Tables, players: Players, shift: int, keys: Ints, game: int) -> None:
    """
    Make players ready for a game: they remember nothing, and each has its stream of chance.

    Player p sits at seat p - `shift`.
    """
    for seat in range(tables.n_seats):
        player = (seat + shift) % tables.n_seats
        memory = players.memory[player, : players.memory_size[player]]
        memory.fill(0)
        open_stream(keys[1 + seat], game, 1 + seat, memory[:KEY_SIZE])


@compiled
def choose(state: State, tables: Tables, players: Players, player: int) -> tuple[int, int]:
    """Return code and value of what a player does, who sits at the seat that acts."""
    params = players.params[player][: players.n_params[player]]
    memory = players.memory[player][: players.memory_size[player]]
    lore = players.lore[players.lore_at[player, 0] : players.lore_at[player, 1]]
    code, value = players.choosers[players.which[player]](state, tables, lore, state.seat, params, memory)
    return code, value


class Results(NamedTuple):
    """How games ended: each seat's share of the win and final points, shape (games, seats) unless noted."""

    won: Floats
    points: Ints


def results_of(states: Ints, tables: Tables) -> Results:
    """Return how games ended, of which these are the last states."""
    scores = np.zeros((len(states), tables.n_seats, N_COLUMNS), dtype=np.int64)
    score_games(states, tables, scores)
    won = scores[:, :, WON_COLUMN]
    return Results(won / won.sum(axis=1, keepdims=True), scores[:, :, TOTAL_COLUMN])


def joined(parts: Sequence[Results], axis: int = 0) -> Results:
    """Return results of games, one after the other."""
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
        The map, with the rules of the variant that is played.
    policies
        One for each seat, or the names of built-in ones.
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
        If the map is not for this number of players, or a number is below 0
        or too large.
    TypeError
        If a policy is not compiled: `Game.play` takes others.
    GameError
        If the memory of a policy has no room for its stream, or it chooses
        what is illegal.

    Examples
    --------
    >>> results, endings, n_turns = play_games(ttr.load_map("usa"), ["Random", "Greedy"], 10, seed=7)
    >>> results.shape[:2], set(endings.tolist())
    ((10, 2), {1})
    """
    game_map = as_map(game_map)
    compiled_players = as_players(policies)
    if n_games < 0 or not 0 <= first <= _LAST_GAME - n_games:
        raise ValueError(f"games are numbered from 0 to {_LAST_GAME}, got {n_games} from number {first}")
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
