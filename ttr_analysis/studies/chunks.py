"""Chunks of games: played here, in other processes or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import cloudpickle

from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.studies.playing import Columns, Plan, Player, play_chunk, with_ways

COMPILED_CHUNK: Final = 500
"""Games in a chunk if all policies are compiled: half a second at most."""
PYTHON_CHUNK: Final = 25
N_WAITING: Final = 64
"""Chunks given to an executor at a time, so that memory does not grow with the number of games."""


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
    chunks: Iterable[Chunk], executor: Executor | None, n_waiting: int = N_WAITING
) -> Iterator[tuple[Chunk, Columns]]:
    """
    Play chunks, here or elsewhere; return them with their tables, as they finish.

    If it is interrupted, what has finished meanwhile comes first.

    Parameters
    ----------
    chunks
        What to play. Many may have one plan, which is packed once.
    executor
        Where; None plays here, in order.
    n_waiting
        Chunks given to the executor at a time.
    """
    if executor is None:
        return ((chunk, play_chunk(*chunk)) for chunk in chunks)
    return _played_elsewhere(chunks, executor, n_waiting)


def _played_elsewhere(chunks: Iterable[Chunk], executor: Executor, n_waiting: int) -> Iterator[tuple[Chunk, Columns]]:
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
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=lambda future: waiting[future].first):
                columns = future.result()
                yield waiting.pop(future), columns
    except KeyboardInterrupt:
        for future in [future for future in waiting if _has_result(future)]:
            yield waiting.pop(future), future.result()
        raise
    finally:
        for future in waiting:
            future.cancel()


def _has_result(future: Future[Columns]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


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
