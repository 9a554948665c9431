"""
Whole games between built-in policies, compiled.

Each game depends on the seed and its own number alone: results do not change
with how games are cut into blocks, threads or processes, and they are those of
`Game.play`, event by event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._announcing import announce
from ttr_analysis._jit import lean
from ttr_analysis.engine.kernel.scoring import N_COLUMNS, score_games
from ttr_analysis.engine.kernel.setup import new_game
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.layout import ENDING, N_TURNS, OVER, PHASE, SEAT, STATE_SIZE
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import Floats, Ints
from ttr_analysis.policies.greedy import Greedy, choose_greedily
from ttr_analysis.policies.planner.choose import choose as choose_by_plan
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.random import Random, choose_at_random
from ttr_analysis.rules.chance import N_WORDS, open_stream, run_words
from ttr_analysis.tables.games import N_SEATS, game_tables

_RANDOM = Random.code
_GREEDY = Greedy.code

NO_TAPE_CELLS: Final = 4
"""Cells of a tape on which nothing is written."""
_LAST_GAME = 2**62 - 1
_BLOCK = 32
"""Games between two chances to interrupt; few enough for their states to stay in the processor's cache."""


class Players(NamedTuple):
    """
    Built-in policies at the seats of a game.

    Parameters
    ----------
    codes
        Which policy plays each seat.
    params
        Its parameters, one row a seat.
    memory
        Its memory, one row a seat; `memory_size` cells of it are used.
    memory_size
        Cells of each seat's memory.
    random_lore, greedy_lore, planner_lore
        What each policy knows of the map; one cell where it does not play.
    """

    codes: Ints
    params: Floats
    memory: Ints
    memory_size: Ints
    random_lore: Ints
    greedy_lore: Ints
    planner_lore: Ints


BuiltIn = Random | Greedy | Planner
"""The policies of the package."""


def seat_players(game_map: GameMap, policies: Sequence[BuiltIn]) -> Players:
    """Return policies at their seats, ready for `play_block`."""
    n = len(policies)
    params = np.zeros((n, max(len(policy.params) for policy in policies)))
    for seat, policy in enumerate(policies):
        params[seat, : len(policy.params)] = policy.params
    sizes = np.array([policy.memory_size for policy in policies], dtype=np.int64)

    def lore(kind: type[BuiltIn]) -> Ints:
        playing = [policy for policy in policies if isinstance(policy, kind)]
        return playing[0].lore(game_map, n) if playing else np.zeros(1, dtype=np.int64)

    return Players(
        codes=np.array([policy.code for policy in policies], dtype=np.int64),
        params=params,
        memory=np.zeros((n, sizes.max()), dtype=np.int64),
        memory_size=sizes,
        random_lore=lore(Random),
        greedy_lore=lore(Greedy),
        planner_lore=lore(Planner),
    )


@lean
def deal_block(tables: Ints, words: Ints, first: int, states: Ints, tape: Ints) -> None:
    """
    Set games up, one after the other.

    Parameters
    ----------
    tables
        The map, its rules and the number of players.
    words
        Words of the run: see `rules.chance.run_words`.
    first
        Number of the first game.
    states
        Filled, one a row.
    tape
        Where events are written.
    """
    for i in range(len(states)):
        new_game(tables, words[0], first + i, states[i], tape)


@lean
def play_block(tables: Ints, players: Players, words: Ints, first: int, states: Ints, tape: Ints) -> None:
    """
    Play games on, one after the other, each to its end.

    One function, for each further one between it and the policies would be
    optimized with all of them again.

    Parameters
    ----------
    tables
        The map, its rules and the number of players.
    players
        Who plays; their memory is used. They remember nothing of what
        happened before.
    words
        Words of the run: see `rules.chance.run_words`.
    first
        Number of the first game.
    states
        The games, one a row, each with its stream of chance; changed to the
        last states.
    tape
        Where events are written.
    """
    for i in range(len(states)):
        state = states[i]
        for seat in range(tables[N_SEATS]):
            memory = players.memory[seat]
            for cell in range(players.memory_size[seat]):
                memory[cell] = 0
            open_stream(words[1 + seat], first + i, 1 + seat, memory[:N_WORDS])
        while state[PHASE] != OVER:
            seat = state[SEAT]
            params, memory = players.params[seat], players.memory[seat]
            if players.codes[seat] == _RANDOM:
                code, value = choose_at_random(state, tables, players.random_lore, seat, params, memory)
            elif players.codes[seat] == _GREEDY:
                code, value = choose_greedily(state, tables, players.greedy_lore, seat, params, memory)
            else:
                code, value = choose_by_plan(state, tables, players.planner_lore, seat, params, memory)
            step(state, tables, code, value, tape)


def play_games(
    game_map: GameMap, policies: Sequence[BuiltIn], n_games: int, seed: int, first: int = 0
) -> tuple[Ints, Ints, Ints]:
    """
    Play games between built-in policies and return their results as arrays.

    Parameters
    ----------
    game_map
        The map, with the rules of the variant that is played.
    policies
        One for each seat.
    n_games
        How many games.
    seed
        Seed of the run.
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
        If the map is not for so many players, or a number is below 0 or too
        large.
    TypeError
        If a policy is not one of the package's own: `Game.play` takes others.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> results, endings, n_turns = play_games(ttr.load_map("usa"), [Random(), Greedy()], 10, seed=7)
    >>> results.shape[:2], set(endings.tolist())
    ((10, 2), {1})
    """
    for seat, policy in enumerate(policies):
        if type(policy) not in (Random, Greedy, Planner):  # a subclass may play otherwise, which would go unnoticed
            raise TypeError(f"P{seat} is to be played by Random(), Greedy() or Planner(), got {policy!r}")
    if n_games < 0 or not 0 <= first <= _LAST_GAME - n_games:
        raise ValueError(f"games are numbered from 0 to {_LAST_GAME}, got {n_games} from number {first}")
    announce(play_block, "the game and its players")
    tables = game_tables(game_map, len(policies))
    players = seat_players(game_map, policies)
    words = run_words(seed, len(policies))
    results = np.zeros((n_games, len(policies), N_COLUMNS), dtype=np.int64)
    endings = np.zeros(n_games, dtype=np.int64)
    n_turns = np.zeros(n_games, dtype=np.int64)
    states = np.zeros((min(n_games, _BLOCK), STATE_SIZE), dtype=np.int64)
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    for start in range(0, n_games, _BLOCK):
        block = slice(start, min(start + _BLOCK, n_games))
        played = states[: block.stop - start]
        deal_block(tables, words, first + start, played, tape)
        play_block(tables, players, words, first + start, played, tape)
        score_games(played, tables, results[block])
        endings[block] = played[:, ENDING]
        n_turns[block] = played[:, N_TURNS]
    return results, endings, n_turns
