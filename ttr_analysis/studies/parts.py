"""
Parts of a simulation on disk: each is a folder of Parquet files, whole or absent.

A part is written under another name and then renamed. What breaks off on the
way leaves a folder that begins with a dot, which nobody reads and the next run
removes.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import uuid
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pandas as pd

from ttr_analysis.maps.writing import write_atomically
from ttr_analysis.studies.columns import TABLES

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
