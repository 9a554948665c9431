"""Chunks of games: played here, in other processes or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import cloudpickle

from ttr_analysis._errors import GameError
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.studies.playing import Columns, Plan, Player, play_chunk, with_ways

COMPILED_CHUNK: Final = 500
"""Games in a chunk if all policies are compiled: half a second at most."""
PYTHON_CHUNK: Final = 25
N_WAITING: Final = 64
"""Chunks given to an executor at a time, so that memory does not grow with the number of games."""
PATIENCE: Final = 3600.0
"""Seconds in which an executor must finish a chunk."""

_SHOWN: Final = 3
_LAST_WORDS: Final = 5.0
"""Seconds in which a broken pool says so of each chunk: it stumbles over those that are called off meanwhile."""


class Chunk(NamedTuple):
    """
    Games that are played together.

    Parameters
    ----------
    plan
        The run they belong to.
    first
        Number of the first.
    n_games
        How many.
    """

    plan: Plan
    first: int
    n_games: int


def played(
    chunks: Iterable[Chunk],
    executor: Executor | None,
    n_waiting: int = N_WAITING,
    patience: float | None = PATIENCE,
) -> Iterator[tuple[Chunk, Columns]]:
    """
    Play chunks, here or elsewhere; return them with their tables, as they finish.

    If it is interrupted or fails, what has finished meanwhile comes first.

    Parameters
    ----------
    chunks
        What to play. Many may have one plan, which is packed once.
    executor
        Where; None plays here, in order.
    n_waiting
        Chunks given to the executor at a time.
    patience
        Seconds in which the executor must finish a chunk; None: any time.

    Raises
    ------
    GameError
        If a worker died, or no chunk was finished in time. Processes that hang
        are then ended, so that nothing waits for them.
    """
    if executor is None:
        return ((chunk, play_chunk(*chunk)) for chunk in chunks)
    return _played_elsewhere(chunks, executor, n_waiting, patience)


def _played_elsewhere(
    chunks: Iterable[Chunk], executor: Executor, n_waiting: int, patience: float | None
) -> Iterator[tuple[Chunk, Columns]]:
    packed: dict[int, tuple[bytes, Plan]] = {}  # by identity, so the plan must live on
    waiting: dict[Future[Columns], Chunk] = {}
    to_come = iter(chunks)
    try:
        while True:
            for chunk in islice(to_come, n_waiting - len(waiting)):
                plan, first, n_games = chunk
                if id(plan) not in packed:
                    packed[id(plan)] = cloudpickle.dumps(plan), plan
                waiting[executor.submit(_play_packed, packed[id(plan)][0], first, n_games)] = chunk
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
        reason = "out of memory, or ended from outside"
        raise GameError(f"a worker died ({reason}) with {_games(waiting.values())} to play") from fault
    finally:
        for future in waiting:
            future.cancel()


def _has_result(future: Future[Columns]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _finished(
    waiting: Mapping[Future[Columns], Chunk], executor: Executor, patience: float | None
) -> set[Future[Columns]]:
    """Return what has finished, as soon as anything has; raise a GameError if that takes too long."""
    finished, _ = wait(waiting, timeout=patience, return_when=FIRST_COMPLETED)
    if not finished:
        _end_processes(executor)
        wait(waiting, timeout=_LAST_WORDS)
        raise GameError(f"nothing was finished in {patience:g} s, of {_games(waiting.values())}: a worker hangs")
    return finished


def _games(chunks: Iterable[Chunk]) -> str:
    """Return which games are in some chunks, in words."""
    spans = sorted((chunk.first, chunk.first + chunk.n_games - 1) for chunk in chunks)
    shown = ", ".join(f"{first} to {last}" for first, last in spans[:_SHOWN])
    more = f" and {len(spans) - _SHOWN} chunks more" if len(spans) > _SHOWN else ""
    return f"games {shown}{more}"


def _end_processes(executor: Executor) -> None:
    """End the processes of a pool, which would be waited for when the script ends; others end by themselves."""
    if isinstance(executor, ProcessPoolExecutor):
        for process in list((executor._processes or {}).values()):  # noqa: SLF001 - until Python 3.14 has `kill_workers`
            with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile
                process.kill()


def _play_packed(packed: bytes, first: int, n_games: int) -> Columns:
    """Play a chunk in another process."""
    plan = _unpacked(packed)
    columns = dict(play_chunk(plan, first, n_games))
    columns["tickets"] = with_ways(plan, columns["tickets"], columns["routes"])
    return columns


@lru_cache(maxsize=64)
def _unpacked(packed: bytes) -> Plan:
    plan: Plan = cloudpickle.loads(packed)
    return plan


def default_chunk(policies: Sequence[Player]) -> int:
    """Return how many games are played together if nothing is said."""
    return COMPILED_CHUNK if all(map(is_compiled, policies)) else PYTHON_CHUNK
