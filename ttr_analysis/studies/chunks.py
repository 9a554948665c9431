"""Chunks of games: played here, in other processes or on a cluster, and kept in parts on disk."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import cloudpickle
import pandas as pd

from ttr_analysis.maps.reading import write_atomically
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.studies.columns import TABLES
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


# -- parts of a simulation on disk ---------------------------------------------------------------------------------
#
# A part is written under another name and then renamed. What breaks off on the
# way leaves a folder that begins with a dot, which nobody reads and the next run
# removes.

META: Final = "simulation.json"
_LOCK: Final = "simulation.lock"
_PART: Final = re.compile(r"games-(\d{12})-(\d{12})")
_UNFINISHED: Final = ".unfinished-"
_MAX_META_BYTES: Final = 1_000_000


class PartFolder:
    """
    A folder of parts.

    Parameters
    ----------
    path
        The folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_free(self) -> bool:
        """Whether nothing is there."""
        return not self.path.exists() or all(file.name == _LOCK for file in self.path.iterdir())

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """
        Keep other processes from writing as long as this lasts, where the system can; the dead keep nobody out.

        Raises
        ------
        BlockingIOError
            If another process writes.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / _LOCK).open("ab") as file:
            with contextlib.suppress(ImportError):
                import fcntl

                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise BlockingIOError(f"another process is writing into {self.path}") from None
            yield

    # -- what was simulated ---------------------------------------------------------

    def read_meta(self) -> dict[str, Any] | None:
        """
        Return what the folder is a simulation of; None if it is none.

        Raises
        ------
        ValueError
            If the file that says so is damaged.
        """
        file = self.path / META
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            text = opened.read(_MAX_META_BYTES + 1)
        try:
            meta = json.loads(text)
        except ValueError:
            meta = None
        if not isinstance(meta, dict):
            raise ValueError(f"{file} does not say what was simulated: it is damaged")  # noqa: TRY004 - not a wrong argument
        return meta

    def write_meta(self, meta: dict[str, Any]) -> None:
        """Write down what is simulated, and remove what an earlier run left unfinished; only if `locked`."""
        for left in self.path.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
        write_atomically(self.path / META, json.dumps(meta, indent=1, ensure_ascii=False) + "\n")

    # -- parts ------------------------------------------------------------------------

    def parts(self) -> list[tuple[int, int, Path]]:
        """
        Return the parts in order: first game, end (one past the last game) and folder.

        Raises
        ------
        ValueError
            If two parts hold the same games.
        """
        folders = self.path.iterdir() if self.path.is_dir() else ()
        found = ((_PART.fullmatch(folder.name), folder) for folder in folders)
        parts = sorted((int(match[1]), int(match[2]), folder) for match, folder in found if match)
        for (_, end, one), (first, _, other) in pairwise(parts):
            if first < end:
                raise ValueError(f"{one.name} and {other.name} in {self.path} hold the same games: remove one")
        return parts

    def missing(self, n_games: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of games, from the first to one past the last, that no part holds."""
        at = 0
        for first, end, _ in self.parts():
            if first > at:
                yield at, min(first, n_games)
            at = max(at, end)
        if at < n_games:
            yield at, n_games

    def write(self, first: int, n_games: int, frames: dict[str, pd.DataFrame]) -> None:
        """
        Write a part; it is there whole or not at all.

        Raises
        ------
        OSError
            If it cannot be written, because the disk is full, say.
        """
        unfinished = self.path / f"{_UNFINISHED}{uuid.uuid4().hex}"
        unfinished.mkdir()  # not by tempfile, which would shut others out
        try:
            for name, frame in frames.items():
                frame.to_parquet(unfinished / f"{name}.parquet", compression="zstd", index=False)
            unfinished.rename(self.path / f"games-{first:012d}-{first + n_games:012d}")
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    def read(self, table: str, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield a table part by part."""
        if table not in TABLES:
            raise ValueError(f"there is no table {table!r}; there are {', '.join(TABLES)}")
        for _, _, folder in self.parts():
            yield pd.read_parquet(folder / f"{table}.parquet", columns=columns)
