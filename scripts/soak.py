"""
Play many games on every map, variant and number of players, and check every state.

Run it from the project root: python -m scripts.soak --minutes 30

Progress is stored in a folder: a run that was interrupted or limited by
`--minutes` resumes. A change of the sources starts again. The exit code is 1 as
soon as a game breaks a law; the game is named, and the next run plays it again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from tests.engine.conformance import (
    COLLECTOR,
    HOARDER,
    BrokenLawError,
    Combination,
    Player,
    built_in_players,
    check_game,
    every_combination,
)
from ttr_analysis._decoding import write_atomically
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.random import Random

ROOT = Path(__file__).parents[1]
SEED = 1
_BLOCK = 20
_MANY = {Random.name, Greedy.name}
_REFEREE_EVERY = 10

Key = tuple[str, str]
"""A combination and a player, by name."""


class Block(NamedTuple):
    """Consecutive games of one combination and player."""

    combination: Combination
    player: str
    first: int
    n_games: int

    @property
    def key(self) -> Key:
        """The key under which it is counted."""
        return str(self.combination), self.player


class Result(NamedTuple):
    """The result of a block: how its games ended, or what was broken."""

    block: Block
    endings: Counter[str]
    broken: str


def main() -> int:
    """Play the remaining games, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0, help="stop after this number of minutes (default: 30)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "soak", help="folder for progress")
    parser.add_argument("--games", type=int, default=1000, help="games of each combination by Random and by Greedy")
    parser.add_argument("--others", type=int, default=200, help="games of each combination by each other player")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    wanted = {name: options.games if name in _MANY else options.others for name in _players()}
    file: Path = options.out / "progress.json"
    done = _load(file)
    broken = _play(done, wanted, file, options.processes, time.monotonic() + 60 * options.minutes)
    _print_table(done, wanted)
    if broken:
        print(f"\n{broken}")
        return 1
    n_left = sum(block.n_games for block in _blocks(done, wanted))
    print(f"\nno law is broken; {n_left} games are left to play" if n_left else "\nno law is broken")
    return 0


def _players() -> dict[str, Player]:
    return {player.name: player for player in [*built_in_players(), HOARDER, COLLECTOR]}


def _play(done: dict[Key, Counter[str]], wanted: dict[str, int], file: Path, processes: int, deadline: float) -> str:
    """Play until all is done, time is up or a law is broken; return a message about the broken law."""
    blocks = list(_blocks(done, wanted))
    with (
        multiprocessing.get_context("spawn").Pool(processes) as pool,
        tqdm(total=sum(block.n_games for block in blocks), unit="game", disable=None) as bar,
    ):
        results = pool.imap(_play_block, blocks)
        for _ in blocks:
            try:
                result = results.next(timeout=max(0.0, deadline - time.monotonic()))
            except multiprocessing.TimeoutError:
                break
            if result.broken:
                return result.broken
            done.setdefault(result.block.key, Counter()).update(result.endings)
            _save(file, done)
            bar.update(result.block.n_games)
    return ""


def _blocks(done: dict[Key, Counter[str]], wanted: dict[str, int]) -> Iterator[Block]:
    """Yield the remaining work: first a little of everything, then more and more."""
    most = max(wanted.values())
    for first in range(0, most, _BLOCK):
        for combination in every_combination(thin=False):
            for player, n_wanted in wanted.items():
                last = min(first + _BLOCK, n_wanted)
                begin = max(first, done.get((str(combination), player), Counter()).total())
                if begin < last:
                    yield Block(combination, player, begin, last - begin)


def _play_block(block: Block) -> Result:
    """Play a block. The referee checks every tenth game."""
    endings: Counter[str] = Counter()
    seated = [_players()[block.player]] * block.combination.n_players
    for game in range(block.first, block.first + block.n_games):
        try:
            played = check_game(block.combination, seated, SEED, game, referee=game % _REFEREE_EVERY == 0)
        except BrokenLawError as broken:
            return Result(block, endings, str(broken))
        endings[played.ending.name.lower()] += 1
    return Result(block, endings, "")


# -- progress ---------------------------------------------------------------------


def _load(file: Path) -> dict[Key, Counter[str]]:
    """Return the endings of the games that were played with these sources."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["sources"] == _sources():
            return {(name, player): Counter(endings) for name, player, endings in data["done"]}
        print("the sources have changed since the last run: starting over")
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError):
        print(f"{file} cannot be read: starting over")
    return {}


def _save(file: Path, done: dict[Key, Counter[str]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [[*key, endings] for key, endings in done.items()]
    write_atomically(file, json.dumps({"sources": _sources(), "done": rows}) + "\n")


@cache
def fingerprint(*folders: str) -> str:
    """Return a hash of everything in folders of the project."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(path for name in folders for path in (ROOT / name).rglob("*.*") if path.suffix != ".pyc"):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _sources() -> str:
    """Return a hash of everything the games depend on."""
    return fingerprint("ttr_analysis", "data", "tests/engine", "tests/oracles", "tests/invented")


def _print_table(done: dict[Key, Counter[str]], wanted: dict[str, int]) -> None:
    print(f"{'':24}" + "".join(f"{player:>20}" for player in wanted))
    for combination in every_combination(thin=False):
        cells = []
        for player in wanted:
            endings = done.get((str(combination), player), Counter())
            passes = f" ({endings['passes']} passed)" if endings["passes"] else ""
            cells.append(f"{endings.total()}{passes}")
        print(f"{combination!s:24}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
