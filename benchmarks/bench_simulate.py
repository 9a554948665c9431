"""
Cost of `ttr.simulate`: games per second on one and two cores, memory, bytes on disk, and chunk sizes.

`python -m benchmarks.bench_simulate 100000 folder` plays that many games into a folder. It can be interrupted or
killed: the same command resumes and adds up the time. `python -m benchmarks.bench_simulate chunks 3000` compares chunk
sizes, for processes and for a local Dask cluster with two workers.
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from importlib import import_module
from multiprocessing import active_children, get_context
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Any

import ttr_analysis as ttr
from ttr_analysis.policies import Planner, Random, play_games
from ttr_analysis.policies.playout import Player
from ttr_analysis.studies.parts import PartFolder
from ttr_analysis.studies.playing import Run, as_frames, play_chunk

MAP, SEED = "nordic", 7
PLAYERS = [Planner()] * 3
FEW = 1_000
"""Games of the run that a larger one is compared with."""
N_GAMES = 3_000
N_PAIRS = 3
"""Times that games are played with tables and without."""
N_WORKERS = 2
CHUNK_SIZES = (1, 10, 100, 500, 2_000)
KILOBYTE = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of `ru_maxrss`."""

SCRIPT = """
import sys
from benchmarks.bench_simulate import play_on
if __name__ == "__main__":
    play_on(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
"""


class MemoryWatch(Thread):
    """
    Measures the memory of this process and its workers from now on.

    Where the system reports it (Linux), pages shared between processes, such as
    libraries, count once. Elsewhere it is the peak of this process plus that of its
    largest worker times the number of workers, an upper bound.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._peak = 0
        self._stopped = Event()
        self.start()

    def run(self) -> None:
        """Look once a second, since looking takes time too."""
        while not self._stopped.wait(1.0):
            self._peak = max(self._peak, sum(map(proportional_set, ["self", *(p.pid for p in active_children())])))

    def stop(self, n_cores: int) -> int:
        """Return the peak in bytes."""
        self._stopped.set()
        self.join()
        if self._peak:
            return self._peak
        own, worker = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return (own + (n_cores * worker if n_cores > 1 else 0)) * KILOBYTE


def proportional_set(process: int | str | None) -> int:
    """Return the memory of a process in bytes, with its part of shared pages; 0 if the system does not report it."""
    try:
        told = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
    except OSError:  # another system, or a process that has just ended
        return 0
    return 1024 * next((int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")), 0)


def start_pool(n_workers: int = N_WORKERS) -> ProcessPoolExecutor:
    """Return new processes, started in a way that every system supports."""
    return ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"))


def play_on(n_games: int, n_cores: int, out: str) -> None:
    """
    Play the games missing from a folder, ask two questions, and print the cost as JSON.

    The peak of memory is that of this process and its workers together.
    """
    watch = MemoryWatch()
    nordic, start = ttr.load_map(MAP), perf_counter()
    before = ttr.SimulationResult.load(out).n_games if Path(out).exists() else 0

    def play(executor: Executor | None) -> ttr.SimulationResult:
        return ttr.simulate(nordic, PLAYERS, n_games, SEED, executor=executor, out=out, resume=True)

    if n_cores == 1:
        result = play(None)
    else:
        with start_pool(n_cores) as pool:
            result = play(pool)
    seconds = perf_counter() - start
    ttr.studies.win_rates(result)
    ttr.studies.ticket_results(result)
    print(json.dumps({"games": result.n_games - before, "seconds": seconds, "peak": watch.stop(n_cores)}))


def bench_run(n_games: int, n_cores: int, folder: Path) -> str:
    """Play games in a fresh process, or resume; return speed, memory and disk of all sessions together."""
    out, notes = folder / f"{n_games}-games-{n_cores}", folder / f"{n_games}-games-{n_cores}.jsonl"
    told = notes.read_text("utf-8").splitlines() if notes.exists() else []
    if not out.exists() or not ttr.SimulationResult.load(out).is_complete:
        command = [sys.executable, "-c", SCRIPT, str(n_games), str(n_cores), str(out)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - of this file
        told.append(done.stdout.strip())
        notes.write_text("\n".join(told) + "\n", "utf-8")
    sessions = [json.loads(line) for line in told]
    games, seconds = (sum(session[key] for session in sessions) for key in ("games", "seconds"))
    peak = max(session["peak"] for session in sessions)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    return (
        f"{seconds:,.0f} s, {games / seconds:,.0f} games/s with the start of all processes, "
        f"peak memory {peak / 1e6:,.0f} MB, {size / n_games:,.0f} bytes a game on disk"
    )


def bench_cost(name: str, players: Sequence[Player], n_games: int) -> str:
    """Return games per second with and without tables in memory: the best of alternating pairs."""
    game_map, n_games = ttr.load_map(name), n_games - n_games % len(players)
    times = []
    for n in (1, *[n_games] * N_PAIRS):
        start = process_time()
        play_games(game_map, players, n, SEED)
        is_plain = process_time()
        ttr.simulate(game_map, players, n, SEED, progress=False)
        times.append((is_plain - start, process_time() - is_plain))
    without, with_tables = (min(part) for part in zip(*times[1:], strict=True))
    return (
        f"{n_games / with_tables:,.0f} games/s with tables, {n_games / without:,.0f} without: "
        f"{without / with_tables:.0%} of the speed of `play_games`"
    )


def bench_chunks(n_games: int, executor: Executor, sizes: tuple[int, ...] = CHUNK_SIZES) -> str:
    """Return games per second by chunk size, warm, the better of two runs."""
    nordic, speeds = ttr.load_map(MAP), []

    def play(n: int, size: int) -> float:
        start = perf_counter()
        ttr.simulate(nordic, PLAYERS, n, SEED, executor=executor, chunk_size=size, progress=False)
        return perf_counter() - start

    play(20 * N_WORKERS, 1)
    for size in sizes:
        n = max(2 * N_WORKERS * size, min(n_games, 300 * size))  # chunks of one game are slow: few will do
        speeds.append(f"{size}: {n / min(play(n, size), play(n, size)):,.0f}")
    return f"games/s by size of chunk: {', '.join(speeds)}"


def bench_chunk_costs(size: int) -> str:
    """Return the CPU time to play a chunk, to send it to another process, and to write it."""
    run = Run(ttr.load_map(MAP), tuple(PLAYERS), SEED)
    play_chunk(run, 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        parts, times = PartFolder(Path(folder)), []
        for k in range(max(3, 1_000 // size)):
            start = process_time()
            columns = dict(play_chunk(run, k * size, size))
            is_played = process_time()
            packed = pickle.dumps(columns)
            pickle.loads(packed)  # noqa: S301 - packed above
            has_traveled = process_time()
            parts.write(k * size, size, as_frames(run, columns))
            times.append((is_played - start, has_traveled - is_played, process_time() - has_traveled))
    played, traveled, written = (1_000 * min(part) for part in zip(*times, strict=True))
    share = (traveled + written) / (played + traveled + written)
    return (
        f"chunks of {size}: {played / size:.2f} ms a game to play, {traveled:.0f} ms a chunk to travel "
        f"({len(packed) / 1e6:.2f} MB), {written:.0f} ms to be written; {share:.0%} is not play"
    )


def compare_chunks(n_games: int = N_GAMES) -> None:
    """Print the cost of chunks of several sizes, and games per second for processes and for Dask."""
    for size in CHUNK_SIZES:
        print(bench_chunk_costs(size), flush=True)
    distributed: Any = import_module("distributed")  # without types
    with start_pool() as pool:
        print(f"{N_WORKERS} processes, {bench_chunks(n_games, pool)}", flush=True)
    with (
        distributed.LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        print(f"{N_WORKERS} Dask workers, {bench_chunks(n_games, client.get_executor())}", flush=True)


def main(n_games: int | str = N_GAMES, folder: str | None = None) -> None:
    """Print the cost of tables, then speed, memory and disk of three Planners, in a folder or a temporary one."""
    n_games = int(n_games)
    for what, name, players in (("two Randoms", "usa", [Random()] * 2), ("three Planners", MAP, PLAYERS)):
        cost = bench_cost(name, players, min(n_games, N_GAMES))
        print(f"{name}, {what}, in memory on one core: {cost}", flush=True)
    with tempfile.TemporaryDirectory() as removed:
        kept = Path(folder or removed)
        kept.mkdir(parents=True, exist_ok=True)
        for n_cores in (1, N_WORKERS):
            for n in sorted({FEW, n_games}):
                print(f"{n:,} games on {n_cores} core{'s' * (n_cores > 1)}: {bench_run(n, n_cores, kept)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["chunks"]:
        compare_chunks(*map(int, sys.argv[2:]))
    else:
        main(*sys.argv[1:])
