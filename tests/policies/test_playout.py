"""Whole games, compiled: the games of the facade, however they are cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

from tests.engine.conformance import IS_COMPILED, Combination, in_turn, recording_tape
from tests.engine.decoding import decode
from tests.fixtures import load
from ttr_analysis import Game, GameRecord
from ttr_analysis._compile import Ints
from ttr_analysis.engine.codes import TAPE_START, WRITE_AT, WRITE_END
from ttr_analysis.engine.kernel.scoring import TOTAL_COLUMN
from ttr_analysis.engine.layout import Ending, State
from ttr_analysis.policies import Greedy, Planner, Random, play_games
from ttr_analysis.policies.playout import Player, play_block, seat_players
from ttr_analysis.rules.chance import run_keys
from ttr_analysis.tables import game_tables

SEED = 2026
N_GAMES = 50 if IS_COMPILED else 8
MIX: tuple[Player, ...] = (Greedy(), Random(), Planner(), Planner(tunnel_odds=0.3))

EVERY_SEATING: tuple[tuple[Player, ...], ...] = ((Random(),), (Greedy(),), MIX, (Planner(),), MIX[::-1])
GAMES = [
    pytest.param(
        combination,
        players,
        id=f"{combination}-{'-'.join(player.name for player in players)}",
        marks=pytest.mark.compiled_only if any(isinstance(player, Planner) for player in players) else (),
    )
    for combination, players in in_turn(EVERY_SEATING)
]


def seated(players: tuple[Player, ...], n_players: int) -> list[Player]:
    """Return players for all seats, again from the first where there are too few."""
    return [players[seat % len(players)] for seat in range(n_players)]


def tape_of(combination: Combination, policies: list[Player], seed: int, game: int) -> Ints:
    """Return the events of a compiled game, rows of code and value."""
    tables = game_tables(combination.game_map, combination.n_players)
    players = seat_players(combination.game_map, policies)
    tape = recording_tape()
    keys = run_keys(seed, len(policies))
    state = np.zeros((1, State.n_cells), dtype=np.int64)
    play_block(tables, players, keys, game, state, tape, deals=True)
    assert tape[WRITE_AT] <= tape[WRITE_END]
    rows: Ints = tape[TAPE_START : tape[WRITE_AT]].reshape(-1, 2)
    return rows


# -- the same games as those of the facade -----------------------------------------


@pytest.mark.parametrize(("combination", "players"), GAMES)
def test_a_compiled_game_is_that_of_the_facade_event_by_event(
    combination: Combination, players: tuple[Player, ...]
) -> None:
    game_map, n_players = combination.game_map, combination.n_players
    policies = seated(players, n_players)
    results, endings, n_turns = play_games(game_map, policies, 2, SEED)
    for game in range(2 if IS_COMPILED else 1):
        record = Game(game_map, n_players).play(policies, SEED, game)
        rows = tape_of(combination, policies, SEED, game)
        names = [policy.name for policy in policies]

        assert decode(game_map, rows) == [json.loads(line) for line in record.dumps().splitlines()[1:]]
        assert GameRecord.from_tape(game_map, n_players, rows, names, SEED, game) == record
        assert tuple(results[game, :, TOTAL_COLUMN].tolist()) == record.scores
        assert Ending(endings[game]).name.lower() == record.states()[-1].ending
        assert n_turns[game] == record.states()[-1].packed.n_turns


# -- cut into blocks, threads, processes ---------------------------------------------


def played(executor: Executor | None, size: int) -> tuple[list[int], ...]:
    """Return the results of some games, played in blocks of a size, by workers or one after the other."""
    game_map = load("invented")
    play = partial(play_games, game_map, seated((Random(), Greedy()), 4))
    firsts = range(0, N_GAMES, size)
    sizes = [min(size, N_GAMES - first) for first in firsts]
    seeds = [SEED] * len(sizes)
    parts: Iterable[tuple[Ints, Ints, Ints]] = (executor.map if executor else map)(play, sizes, seeds, firsts)
    return tuple(np.concatenate(column).ravel().tolist() for column in zip(*parts, strict=True))


@pytest.mark.parametrize("size", [1, 7, N_GAMES - 1])
def test_blocks_do_not_matter(size: int) -> None:
    assert played(None, size) == played(None, N_GAMES)


@pytest.mark.parametrize("size", [1, 7])
def test_threads_do_not_matter(size: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert played(pool, size) == played(None, N_GAMES)


def test_processes_do_not_matter() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert played(pool, (N_GAMES + 1) // 2) == played(None, N_GAMES)


@pytest.mark.compiled_only
def test_the_number_of_games_does_not_matter() -> None:
    policies = [Random(), Random()]
    many = play_games(load("usa"), policies, 200, SEED)
    few = play_games(load("usa"), policies, 60, SEED, 100)

    for whole, part in zip(many, few, strict=True):
        assert np.array_equal(whole[100:160], part)


def test_a_policy_forgets_a_game() -> None:
    policies = seated(MIX, 4)
    _, _, n_turns = play_games(load("invented"), policies, 2, SEED)

    assert n_turns[1] == play_games(load("invented"), policies, 1, SEED, first=1)[2][0]


def test_no_game_is_no_result() -> None:
    results, endings, n_turns = play_games(load("usa"), [Random(), Greedy()], 0, SEED)

    assert (len(results), len(endings), len(n_turns)) == (0, 0, 0)


# -- seeds -------------------------------------------------------------------------------


def test_equal_seeds_give_equal_games_and_different_ones_different_games() -> None:
    combination = Combination("usa", "", 2)
    pairs = [(seed, game) for seed in (7, 8, 2**60) for game in (0, 1, 2**40)]
    tapes = [tape_of(combination, [Random(), Greedy()], *pair).tobytes() for pair in pairs]

    assert tapes == [tape_of(combination, [Random(), Greedy()], *pair).tobytes() for pair in pairs]
    assert len(set(tapes)) == len(pairs)


def test_seats_have_random_numbers_of_their_own() -> None:
    results, _, _ = play_games(load("usa"), [Random()] * 5, N_GAMES, SEED)
    totals = results[:, :, TOTAL_COLUMN]

    assert all(len(set(seats)) > 1 for seats in totals.tolist())
