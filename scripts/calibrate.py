"""
Predict the winners of many positions, and store the predictions with the outcomes.

    python -m scripts.calibrate rows.csv            # 20,000 positions a map with 2 players; resumes an existing file
    python -m scripts.calibrate rows.csv --show     # print the table of `docs/winning.md`, and draw its picture

Each game gives five positions for each seat, at random steps, as that seat sees
them. Nothing it does later counts. All seats count equally, so that the luck of
one of them cannot look like a bias. `scripts/calibration.py` evaluates the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

import ttr_analysis as ttr
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.watching import Watcher, styled_share

SEED: Final = 2026
N_POSITIONS: Final = 5
"""Positions per game and seat."""
CHUNK: Final = 10
"""Games per task."""


class Setting(NamedTuple):
    """A map, a number of players, and a number of games."""

    name: str
    n_players: int
    n_games: int


SETTINGS: Final = tuple(
    Setting(name, n_players, n_games)
    for n_players, n_games in ((2, 2_000), (3, 1_000))
    for name in ("usa", "europe", "nordic", "switzerland", "nederland")
)
COLUMNS: Final = (
    *("map", "players", "game", "step", "steps", "seat", "built", "difference", "won", "expected", "rollouts"),
    *("seconds", "points", "expected_points", "seed"),
)


def positions(setting: Setting, first: int, n_games: int, n_rollouts: int, seed: int) -> list[tuple[object, ...]]:
    """Return the rows of some games."""
    game = ttr.Game(ttr.load_map(setting.name), n_players=setting.n_players)
    rows: list[tuple[object, ...]] = []
    for number in range(first, first + n_games):
        rng = np.random.default_rng([seed, crc32(setting.name.encode()), setting.n_players, number])
        record = game.play([ttr.policies.Planner()] * setting.n_players, seed, number)
        for seat in range(setting.n_players):
            watcher = Watcher(record, seat)
            for step in sorted(rng.choice(len(record.steps) - 1, N_POSITIONS, replace=False).tolist()):
                begin = time.perf_counter()
                known = watcher.at(step)._replace(styled=styled_share(record, [seat], step))
                table = Rollouts(record.map, setting.n_players, seed=int(rng.integers(2**32)))
                results = table.play(known, n_rollouts)
                seconds = time.perf_counter() - begin
                scores = np.array(record.state_at(step).scores)
                built = 1 - known.packed.trains[seat] / record.map.rules.trains.per_player
                rows.append(
                    (
                        *(setting.name, setting.n_players, number, step, len(record.steps), seat, round(built, 3)),
                        int(scores[seat] - np.delete(scores, seat).max()),
                        (seat in record.winners) / len(record.winners),
                        round(float(results.won[:, seat].sum()), 3),
                        n_rollouts,
                        round(seconds, 4),
                        record.scores[seat],
                        round(float(results.points[:, seat].mean()), 1),
                        seed,
                    )
                )
    return rows


def whole_chunks(path: Path, n_rollouts: int, seed: int) -> pd.DataFrame:
    """Return the rows of the complete chunks in a file, so that an incomplete one is played again."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    rows = pd.read_csv(path, on_bad_lines="skip").dropna()
    if (rows["rollouts"] != n_rollouts).any():
        raise SystemExit(
            f"{path} was made with another number of rollouts than {n_rollouts}: use that number, or start another file"
        )
    if (rows["seed"] != seed).any():
        raise SystemExit(f"{path} has games with another seed than {seed}: use that seed, or start another file")
    sizes = rows.groupby(["map", "players", rows["game"] // CHUNK])["game"].transform("size")
    return rows[sizes == CHUNK * N_POSITIONS * rows["players"]]


def main() -> int:
    """Play the games that are not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rollouts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the games (%(default)s)")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if asked.show:
        from scripts.calibration import show

        show(pd.read_csv(asked.path))
        return 0
    done = whole_chunks(asked.path, asked.rollouts, asked.seed)
    done.to_csv(asked.path, index=False)
    finished = set(zip(done["map"], done["players"], done["game"], strict=True))
    tasks = [
        (setting, first, CHUNK, asked.rollouts, asked.seed)
        for setting in SETTINGS
        for first in range(0, setting.n_games, CHUNK)
        if (setting.name, setting.n_players, first) not in finished
    ]
    tasks.sort(key=lambda task: task[1] / task[0].n_games)  # all settings advance equally, so any part is a sample
    pool = ProcessPoolExecutor(asked.cores, mp_context=get_context("spawn"))
    try:
        futures = [pool.submit(positions, *task) for task in tasks]
        for future in tqdm(as_completed(futures), total=len(futures), unit="chunk"):
            pd.DataFrame(future.result(), columns=COLUMNS).to_csv(asked.path, mode="a", header=False, index=False)
    finally:
        pool.shutdown(cancel_futures=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
