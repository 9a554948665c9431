"""
Make the puzzles that ship with the maps, or measure them again.

Run it as `nice python scripts/puzzles.py`; run it again to resume. It plays games between policies, and looks at
their decisions in random order, each as its seat saw it: from a record that ends there and in which all else is
unknown. `find_puzzle` searches twice, with 4,000 rollouts and, in other worlds, with 8,000: the same move must be best
both times, by 5% of winning and by an interval above 0 over the others that were tried to the end. The results of
the second search are kept. For each map, puzzles are chosen kind by kind, so that they vary.

`python scripts/puzzles.py --check 1` searches each puzzle again, with 16,000 rollouts and another seed, and prints in
how many the best move stays the same.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from ttr_analysis import Game, GameRecord, load_map
from ttr_analysis.engine.events import Move
from ttr_analysis.maps.loading import data_folder, map_names
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation import move_text
from ttr_analysis.studies import Puzzle, advise, load_puzzles, save_puzzles
from ttr_analysis.studies.puzzles import FILE, KINDS, find_puzzle, watched

BUILD = Path(__file__).parents[1] / "build" / "puzzles"
ROLLOUTS = 4_000
N_PUZZLES = 10
"""Puzzles per map."""
FROM_A_GAME = 3
N_FOUND = 30
"""Puzzles of a map from which to choose, if there are that many in `N_GAMES`."""
N_GAMES = 24
LINE_UPS = (["Planner", "Planner"], ["Greedy", "Planner"], ["Planner", "Greedy"], ["Planner", "Greedy", "Planner"])


def puzzles_of(record: GameRecord, seed: int) -> list[Puzzle]:
    """Return puzzles of a game: of the opening, and of other decisions in random order."""
    found: list[Puzzle] = []
    game = Game(record.map, record.header.n_players)
    made = [(step - 1, first.action) for step, (first, *_) in enumerate(record.steps) if isinstance(first, Move)]
    for number in [0, *1 + np.random.default_rng(seed).permutation(len(made) - 1)]:
        step, action = made[number]
        seen = watched(record, step)
        if len(seen.steps) != step + 1:  # it does not show that moment
            continue
        seen = replace(seen, header=replace(seen.header, policies=()))
        played = move_text(action, game, record.state_at(step))
        puzzle = find_puzzle(seen, step, rollouts=ROLLOUTS, seed=seed, played=played)
        if puzzle is not None:
            print(f"  {puzzle!r}: {puzzle.table['move'].iloc[0]}, {puzzle.lead:.0%} better", flush=True)
            found.append(puzzle)
        if len(found) == FROM_A_GAME:
            break
    return found


def pool_of(game_map: GameMap) -> list[Puzzle]:
    """Return the puzzles found in games on a map, game by game; they are kept, with the number of the next game."""
    path, progress = BUILD / f"{game_map.name}.jsonl", BUILD / f"{game_map.name}.next"
    pool = list(load_puzzles(path)) if path.exists() else []
    begin = int(progress.read_text()) if progress.exists() else 0
    for number in range(begin, N_GAMES):
        if len(pool) >= N_FOUND:
            break
        players = LINE_UPS[number % len(LINE_UPS)]
        print(f"{game_map.name}, game {number}: {' '.join(players)}", flush=True)
        pool += puzzles_of(Game(game_map, len(players)).play(players, seed=number), number)
        save_puzzles(pool, path)
        progress.write_text(str(number + 1))
    return pool


def chosen(pool: list[Puzzle]) -> list[Puzzle]:
    """Return varied puzzles of one map: kind by kind, first those in which another move was played."""
    of_kind: dict[str, list[Puzzle]] = {kind: [] for kind in KINDS}
    for puzzle in sorted(pool, key=lambda one: one.find(one.read(one.played)) == 0):
        of_kind[puzzle.kind].append(puzzle)
    in_turn = chain.from_iterable(zip_longest(*of_kind.values()))
    return [puzzle for puzzle in in_turn if puzzle is not None][:N_PUZZLES]


def check(seed: int) -> None:
    """Search each puzzle again, and print in how many the best move stays the same."""
    found = load_puzzles()
    stay = []
    for puzzle in found:
        again = advise(puzzle.record, step=puzzle.step, rollouts=4 * ROLLOUTS, seed=seed)
        stay.append(puzzle.find(again.best) == 0)
        if not stay[-1]:
            print(f"{puzzle!r}: {puzzle.table['move'].iloc[0]}, now {again.table['move'].iloc[0]}", flush=True)
    print(f"{sum(stay)} of {len(stay)} best moves stay", Counter(puzzle.kind for puzzle in found))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=int, metavar="SEED", help="search the shipped puzzles again, with this seed")
    arguments = parser.parse_args()
    if arguments.check is not None:
        check(arguments.check)
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in map_names():
        save_puzzles(chosen(pool_of(load_map(name))), data_folder() / name / FILE)


if __name__ == "__main__":
    main()
