"""
Whole games between built-in policies, compiled.

Each game depends on the seed and its own number alone: results do not change
with how games are cut into blocks, threads or processes, and they are those of
`Game.play`, event by event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ttr_analysis._jit import compiled, lean
from ttr_analysis.engine.kernel.scoring import N_COLUMNS, final_scores
from ttr_analysis.engine.kernel.setup import new_game
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.layout import ENDING, N_TURNS, OVER, PHASE, SEAT, STATE_SIZE
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import Floats, Ints
from ttr_analysis.policies.greedy import Greedy, choose_greedily
from ttr_analysis.policies.random import Random, choose_at_random
from ttr_analysis.rules.chance import N_WORDS, open_stream, seed_words
from ttr_analysis.tables.games import N_SEATS, game_tables

_RANDOM = Random.code
_GREEDY = Greedy.code

_NO_TAPE_CELLS = 4


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
    random_lore, greedy_lore
        What each policy knows of the map; one cell where it does not play.
    """

    codes: Ints
    params: Floats
    memory: Ints
    memory_size: Ints
    random_lore: Ints
    greedy_lore: Ints


BuiltIn = Random | Greedy


def seat_players(game_map: GameMap, policies: Sequence[BuiltIn]) -> Players:
    """Return policies at their seats, ready for `play_games`."""
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
    )


@lean
def choose(state: Ints, tables: Ints, players: Players) -> tuple[int, int]:
    """Return the action of the policy at the seat that acts."""
    seat = state[SEAT]
    code = players.codes[seat]
    if code == _RANDOM:
        return choose_at_random(state, tables, players.random_lore, seat, players.params[seat], players.memory[seat])
    return choose_greedily(state, tables, players.greedy_lore, seat, players.params[seat], players.memory[seat])


@lean
def play_game(tables: Ints, players: Players, words: Ints, game: int, state: Ints, tape: Ints) -> None:
    """
    Play a game to its end.

    Parameters
    ----------
    tables
        The map, its rules and the number of players.
    players
        Who plays; their memory is used.
    words, game
        Words of the seed, and number of the game.
    state
        Filled with the last state.
    tape
        Where events are written.
    """
    for seat in range(tables[N_SEATS]):
        memory = players.memory[seat]
        for cell in range(players.memory_size[seat]):
            memory[cell] = 0
        open_stream(words, game, 1 + seat, memory[:N_WORDS])
    new_game(tables, words, game, state, tape)
    while state[PHASE] != OVER:
        code, value = choose(state, tables, players)
        step(state, tables, code, value, tape)


@compiled
def play_block(
    tables: Ints, players: Players, words: Ints, first: int, results: Ints, endings: Ints, n_turns: Ints
) -> None:
    """
    Play games one after the other and score them.

    Parameters
    ----------
    tables, players, words
        As for `play_game`.
    first
        Number of the first game.
    results
        Filled with rows of `final_scores`, shape (games, seats, columns).
    endings, n_turns
        Filled with the `Ending` and the number of turns of each game.
    """
    state = np.empty(STATE_SIZE, dtype=np.int64)
    tape = np.zeros(_NO_TAPE_CELLS, dtype=np.int64)
    for i in range(len(results)):
        play_game(tables, players, words, first + i, state, tape)
        final_scores(state, tables, results[i])
        endings[i] = state[ENDING]
        n_turns[i] = state[N_TURNS]


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
        Rows of `engine.kernel.scoring.final_scores`, shape (games, seats,
        columns); the `Ending` and the number of turns of each game.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> results, endings, n_turns = play_games(ttr.load_map("usa"), [Random(), Greedy()], 10, seed=7)
    >>> results.shape[:2], set(endings.tolist())
    ((10, 2), {1})
    """
    tables = game_tables(game_map, len(policies))
    results = np.zeros((n_games, len(policies), N_COLUMNS), dtype=np.int64)
    endings = np.zeros(n_games, dtype=np.int64)
    n_turns = np.zeros(n_games, dtype=np.int64)
    play_block(tables, seat_players(game_map, policies), seed_words(seed), first, results, endings, n_turns)
    return results, endings, n_turns
