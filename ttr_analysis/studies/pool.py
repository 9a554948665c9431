"""Run games and other jobs in threads, processes or on a cluster, a limited number at a time."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, TypeVar

import cloudpickle

from ttr_analysis._errors import GameError
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.studies.playing import Columns, Player, Run, play_chunk, with_paths

Key = TypeVar("Key")
T = TypeVar("T")

COMPILED_CHUNK: Final = 500
"""Games in a chunk if all policies are compiled, which takes at most half a second."""
PYTHON_CHUNK: Final = 25
N_WAITING: Final = 64
"""Chunks submitted to an executor at a time, so that memory does not grow with the number of games."""
PATIENCE: Final = 3600.0
"""Time limit for a chunk, in seconds."""

_SHOWN: Final = 3
_LAST_WORDS: Final = 5.0
"""Seconds for a broken pool to fail its chunks; canceling them meanwhile would raise errors."""


def in_order(
    jobs: Iterable[tuple[Key, Callable[[], T]]], n_jobs: int, unit: str, *, progress: bool
) -> Iterator[tuple[Key, T]]:
    """Run jobs in one thread per processor, and yield the results in order."""
    from tqdm.auto import tqdm  # it loads slowly

    n_threads = os.cpu_count() or 1
    pool = ThreadPoolExecutor(n_threads)
    bar = tqdm(total=n_jobs, unit=unit, disable=not progress or not n_jobs)
    waiting: deque[tuple[Key, Future[T]]] = deque()
    to_come = iter(jobs)
    try:
        while True:
            waiting.extend((key, pool.submit(job)) for key, job in islice(to_come, 2 * n_threads - len(waiting)))
            if not waiting:
                return
            key, future = waiting.popleft()
            yield key, future.result()
            bar.update()
    finally:
        bar.close()
        pool.shutdown(cancel_futures=True)


# -- chunks of games -------------------------------------------------------------------


class Chunk(NamedTuple):
    """Games of a run that are played together."""

    run: Run
    first: int
    n_games: int


def chunks_of(run: Run, first: int, end: int, size: int | None = None) -> Iterator[Chunk]:
    """Yield chunks of the games from `first` up to, not including, `end`."""
    size = size or default_chunk(run.policies)
    return (Chunk(run, start, min(size, end - start)) for start in range(first, end, size))


def default_chunk(policies: Sequence[Player]) -> int:
    """Return the default number of games in a chunk."""
    return COMPILED_CHUNK if all(map(is_compiled, policies)) else PYTHON_CHUNK


def played(
    chunks: Iterable[Chunk],
    executor: Executor | None,
    n_games: int,
    n_done: int = 0,
    *,
    n_waiting: int = N_WAITING,
    patience: float | None = PATIENCE,
    progress: bool = True,
) -> Iterator[tuple[Chunk, Columns]]:
    """
    Yield chunks with their tables as they finish; without an executor they are played here, in order.

    After an interrupt or a failure, finished chunks come first. The executor gets
    `n_waiting` chunks at a time and must finish one within `patience` seconds. A process
    that hangs is killed and raises a GameError, as does a worker that dies.
    """
    from tqdm.auto import tqdm

    if executor is None:
        found: Iterator[tuple[Chunk, Columns]] = ((chunk, play_chunk(*chunk)) for chunk in chunks)
    else:
        found = _played_elsewhere(chunks, executor, n_waiting, patience)
    with tqdm(total=n_games, initial=n_done, unit="game", disable=not progress) as bar:
        for chunk, columns in found:
            yield chunk, columns
            bar.update(chunk.n_games)


def _played_elsewhere(
    chunks: Iterable[Chunk], executor: Executor, n_waiting: int, patience: float | None
) -> Iterator[tuple[Chunk, Columns]]:
    pickled: dict[int, tuple[bytes, Run]] = {}  # by identity, so the run must stay alive
    waiting: dict[Future[Columns], Chunk] = {}
    to_come = iter(chunks)
    try:
        while True:
            for chunk in islice(to_come, n_waiting - len(waiting)):
                run, first, n_games = chunk
                if id(run) not in pickled:
                    pickled[id(run)] = cloudpickle.dumps(run), run
                waiting[executor.submit(_play_pickled, pickled[id(run)][0], first, n_games)] = chunk
            if not waiting:
                return
            finished = _finished(waiting, executor, patience)
            for future in sorted(finished, key=lambda future: waiting[future].first):
                columns = future.result()
                yield waiting.pop(future), columns
    except (Exception, KeyboardInterrupt) as fault:
        for future in [future for future in waiting if _has_result(future)]:
            yield waiting.pop(future), future.result()
        if not isinstance(fault, BrokenExecutor):
            raise
        wait(waiting, timeout=_LAST_WORDS)
        reason = "out of memory, or killed from outside"
        raise GameError(f"a worker died ({reason}) with {_games(waiting.values())} to play") from fault
    finally:
        for future in waiting:
            future.cancel()


def _has_result(future: Future[Columns]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _finished(
    waiting: Mapping[Future[Columns], Chunk], executor: Executor, patience: float | None
) -> set[Future[Columns]]:
    """Return finished chunks, as soon as there are any; raise a GameError if that takes too long."""
    finished, _ = wait(waiting, timeout=patience, return_when=FIRST_COMPLETED)
    if not finished:
        _end_processes(executor)
        wait(waiting, timeout=_LAST_WORDS)
        raise GameError(f"nothing finished within {patience:g} s of {_games(waiting.values())}: a worker hangs")
    return finished


def _games(chunks: Iterable[Chunk]) -> str:
    """Describe the games in some chunks."""
    spans = sorted((chunk.first, chunk.first + chunk.n_games - 1) for chunk in chunks)
    shown = ", ".join(f"{first} to {last}" for first, last in spans[:_SHOWN])
    more = f" and {len(spans) - _SHOWN} more chunks" if len(spans) > _SHOWN else ""
    return f"games {shown}{more}"


def _end_processes(executor: Executor) -> None:
    """Kill the processes of a pool, which Python would wait for at exit; other pools end by themselves."""
    if isinstance(executor, ProcessPoolExecutor):
        for process in list((executor._processes or {}).values()):  # noqa: SLF001 - until Python 3.14 has `kill_workers`
            with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile
                process.kill()


def _play_pickled(pickled: bytes, first: int, n_games: int) -> Columns:
    """Play a chunk in another process."""
    run = _unpickled(pickled)
    columns = dict(play_chunk(run, first, n_games))
    columns["tickets"] = with_paths(run, columns["tickets"], columns["routes"])
    return columns


@lru_cache(maxsize=64)
def _unpickled(pickled: bytes) -> Run:
    run: Run = cloudpickle.loads(pickled)
    return run
