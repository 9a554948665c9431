"""
A simulation on disk: a folder of parts.

A part is written under a temporary name and then renamed. If writing is interrupted, a
folder whose name begins with a dot remains; it is never read, and the next run removes
it. Each part records its games, its simulation and a checksum of each table, so that
damaged or misplaced parts are rejected by name.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from ttr_analysis._decoding import write_atomically
from ttr_analysis._errors import _shorten
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.file import fingerprint
from ttr_analysis.studies.columns import ALL_TABLES, TABLES, categories, with_types

VERSION: Final = 6
"""Version of the tables on disk; columns differ between versions."""
META: Final = "simulation.json"
SUMS: Final = "checksums.json"
SAME: Final = ("format", "version", "map", "variant", "facts", "players", "seed", "rotations", "ttr_analysis")
"""Keys that are equal in all runs of a simulation, as are the categories."""
_WITH_DECISIONS: Final = "-decisions"
"""Suffix of the format of simulations with a table of decisions."""
_SHOWN: Final = 3

_LOCK: Final = "simulation.lock"
_PART: Final = re.compile(r"games-([0-9]{12})-([0-9]{12})")
_UNFINISHED: Final = ".unfinished-"
_MAX_META_BYTES: Final = 1_000_000
_META_TYPES: Final = {
    "format": str,
    "map": str,
    "variant": str,
    "facts": str,
    "policies": list,
    "players": list,
    "seed": int,
    "rotations": int,
    "n_games": int,
    "categories": dict,
    "ttr_analysis": str,
}
_UNREADABLE: Final = (AttributeError, ArithmeticError, LookupError, NotImplementedError, OSError, TypeError, ValueError)
"""Errors raised by Parquet readers and pandas types."""


def meta_of(
    kind: str,
    game_map: GameMap,
    policies: Sequence[str],
    players: Sequence[str],
    n_games: int,
    *,
    decisions: bool = False,
    **more: int | None,
) -> dict[str, Any]:
    """Return the description of a simulation, or of recorded games."""
    return {
        "format": f"{kind}{_WITH_DECISIONS if decisions else ''}",
        "version": VERSION,
        "map": game_map.name,
        "variant": game_map.rules.variant,
        "facts": fingerprint(game_map),
        "policies": list(policies),
        "players": list(players),
        **more,
        "n_games": n_games,
        "categories": categories(game_map, tuple(policies), decisions=decisions),
        "ttr_analysis": version("ttr-analysis"),
        "numpy": np.__version__,
        "pandas": pd.__version__,
    }


def tables_of(meta: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the tables of a simulation."""
    return tuple(ALL_TABLES if meta["format"].endswith(_WITH_DECISIONS) else TABLES)


def run_of(meta: dict[str, Any]) -> str:
    """Return a checksum that identifies a simulation, regardless of its number of games."""
    return _checksum([[meta[key] for key in SAME], meta["categories"]])


class PartFolder:
    """A folder (which may not exist yet) with the parts of the simulation that `run_of` identifies."""

    def __init__(self, path: Path, run: str = "", tables: Sequence[str] = tuple(TABLES)) -> None:
        self.path = path
        self.run = run
        self._tables = tables

    @contextlib.contextmanager
    def opened(self, meta: dict[str, Any], *, resume: bool) -> Iterator[None]:
        """
        Open the folder for writing, with a lock and its `META`; a dead process holds no lock.

        Raises a `BlockingIOError` if another process is writing, a `FileExistsError` if the
        folder has other content, or this simulation without `resume`, and a `ValueError` if
        it has another simulation, or more games of this one.
        """
        with contextlib.ExitStack() as stack:
            try:
                self._check(meta, resume=resume)
                self.path.mkdir(parents=True, exist_ok=True)
                self._lock(stack.enter_context((self.path / _LOCK).open("ab")))
                self._check(meta, resume=resume)  # no other process was first
                self._write_meta(meta)
                self._remove_broken()
            except (PermissionError, NotADirectoryError, FileExistsError) as fault:
                if fault.errno is None:
                    raise
                raise type(fault)(f"cannot write to {self.path}: {fault.strerror}") from fault
            yield

    def _lock(self, file: io.BufferedWriter) -> None:
        """Lock a file until it is closed, if the system supports that."""
        with contextlib.suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BlockingIOError(f"another process is writing to {self.path}") from None

    def _check(self, meta: dict[str, Any], *, resume: bool) -> None:
        """Raise an error unless the folder is empty, or holds a simulation that may be resumed."""
        old = self.read_meta()
        if old is None:
            if self.path.exists() and any(file.name != _LOCK for file in self.path.iterdir()):
                raise FileExistsError(f"{self.path} holds something else: give an empty folder, or a new one")
            return
        differ = [f"{key} {old.get(key)!r} instead of {meta[key]!r}" for key in SAME if old.get(key) != meta[key]]
        if not differ and old.get("categories") != meta["categories"]:
            differ = ["routes, tickets or players in another order, or with other names"]
        if differ:
            more = f", and {len(differ) - _SHOWN} more" if len(differ) > _SHOWN else ""
            raise ValueError(f"{self.path / META} belongs to another simulation: {'; '.join(differ[:_SHOWN])}{more}")
        if not resume:
            raise FileExistsError(
                f"{self.path} already holds this simulation: resume it with resume=True, or give another folder"
            )
        held, asked = max((end for _, end, _ in self.parts()), default=0), meta["n_games"]
        if held > asked:
            raise ValueError(
                f"{self.path} already holds games up to {held:,}, but only {asked:,} were requested: load it instead"
            )

    # -- description ----------------------------------------------------------------

    def read_meta(self) -> dict[str, Any] | None:
        """Return the description of the simulation, None if there is none; in other versions, keys may be missing."""
        file = self.path / META
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            meta = _as_dict(opened.read(_MAX_META_BYTES + 1))
        checksum = meta.pop("checksum", None) if meta else None
        is_whole = meta and (meta.get("version") != VERSION or (checksum == _checksum(meta) and _is_valid_meta(meta)))
        if not is_whole:
            raise ValueError(f"{file} is damaged: it has no valid description")
        return meta

    def _write_meta(self, meta: dict[str, Any]) -> None:
        """Write the description, and remove unfinished parts of an earlier run."""
        for left in self.path.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
        signed = {**meta, "checksum": _checksum(meta)}
        write_atomically(self.path / META, json.dumps(signed, indent=1, ensure_ascii=False) + "\n")

    def _remove_broken(self) -> None:
        """Remove parts with missing or truncated tables, so that they are played again."""
        for first, end, part in self.parts():
            if not self._is_whole(part, first, end):
                broken = self.path / f"{_UNFINISHED}{uuid.uuid4().hex}"
                part.rename(broken)
                shutil.rmtree(broken, ignore_errors=True)

    # -- parts ------------------------------------------------------------------------

    def parts(self) -> list[tuple[int, int, Path]]:
        """Return the parts in order: first game, end (one past the last game) and folder; parts must not overlap."""
        folders = self.path.iterdir() if self.path.is_dir() else ()
        found = ((_PART.fullmatch(folder.name), folder) for folder in folders)
        parts = sorted((int(match[1]), int(match[2]), folder) for match, folder in found if match)
        for first, end, part in parts:
            if first >= end:
                raise ValueError(f"{part.name} in {self.path} holds no games: remove it")
        for (_, end, one), (first, _, other) in pairwise(parts):
            if first < end:
                raise ValueError(f"{one.name} and {other.name} in {self.path} hold the same games: remove one")
        return parts

    def missing(self, n_games: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of games, end exclusive, that no part holds."""
        at = 0
        for first, end, _ in self.parts():
            if first > at:
                yield at, min(first, n_games)
            at = max(at, end)
        if at < n_games:
            yield at, n_games

    def write(self, first: int, n_games: int, frames: dict[str, pd.DataFrame]) -> None:
        """Write a part atomically."""
        unfinished = self.path / f"{_UNFINISHED}{uuid.uuid4().hex}"
        try:
            unfinished.mkdir()  # folders made by tempfile are readable only by their owner
            sums = {}
            for name, frame in frames.items():
                file = unfinished / f"{name}.parquet"
                frame.to_parquet(file, compression="zstd", index=False)
                sums[file.name] = [file.stat().st_size, _sha256(file.read_bytes())]
            what = {"run": self.run, "first": first, "end": first + n_games, "tables": sums}
            (unfinished / SUMS).write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
            unfinished.rename(self.path / f"games-{first:012d}-{first + n_games:012d}")
        except OSError as fault:
            last, reason = first + n_games - 1, fault.strerror or str(fault)
            message = f"cannot write games {first} to {last}: {reason}; earlier parts are kept"
            raise OSError(fault.errno, message, str(self.path)) from fault
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def read(
        self, table: str, columns: list[str] | None, types: Mapping[str, pd.CategoricalDtype]
    ) -> Iterator[pd.DataFrame]:
        """Yield a table part by part, with its category types; a damaged part raises a ValueError with its name."""
        from pyarrow import ArrowException

        for first, end, part in self.parts():
            content = self._content(part, first, end, table)
            try:
                frame = with_types(table, pd.read_parquet(io.BytesIO(content), columns=columns), types)
            except (*_UNREADABLE, ArrowException) as error:
                raise self._damage(part, f"{table}.parquet cannot be read: {_shorten(str(error), 200)}") from error
            if list(frame.columns) != (list(ALL_TABLES[table]) if columns is None else columns):
                raise self._damage(part, f"{table}.parquet has other columns")
            yield frame

    # -- checking parts ---------------------------------------------------------------------

    def _content(self, part: Path, first: int, end: int, table: str) -> bytes:
        """Return a part's table after checking it."""
        sums = self._sums(part, first, end)
        if sums is None:
            raise self._damage(part, f"{SUMS} is missing or cannot be read")
        file = part / f"{table}.parquet"
        size, checksum = sums[file.name]
        if not file.is_file():
            raise self._damage(part, f"{file.name} is missing")
        content = file.read_bytes() if file.stat().st_size == size else b""
        if _sha256(content) != checksum:
            raise self._damage(part, f"{file.name} is not what was written")
        return content

    def _is_whole(self, part: Path, first: int, end: int) -> bool:
        """Return whether all tables of a part are complete."""
        sums = self._sums(part, first, end)
        if sums is None:
            return False
        return all((part / name).is_file() and (part / name).stat().st_size == size for name, (size, _) in sums.items())

    def _sums(self, part: Path, first: int, end: int) -> dict[str, tuple[int, str]] | None:
        """Return the size and checksum of each table of a part, None if unknown."""
        file = part / SUMS
        what = _as_dict(file.read_bytes()[:_MAX_META_BYTES]) if file.is_file() else {}
        match what:
            case {"run": str(its), "first": int(its_first), "end": int(its_end), "tables": dict(tables)}:
                pass
            case _:
                return None
        if its != self.run:
            raise ValueError(f"{part.name} in {self.path} belongs to another simulation: remove it")
        if (its_first, its_end) != (first, end):
            raise ValueError(f"{part.name} in {self.path} holds games {its_first} to {its_end - 1}: remove it")
        sums = {}
        for table in self._tables:
            match tables.get(f"{table}.parquet"):
                case [int(size), str(checksum)]:
                    sums[f"{table}.parquet"] = size, checksum
                case _:
                    return None
        return sums

    def _damage(self, part: Path, what: str) -> ValueError:
        again = "remove it, and simulate with resume=True to play its games again"
        return ValueError(f"{part.name} in {self.path} is damaged ({what}): {again}")


def _as_dict(text: bytes) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _is_valid_meta(meta: dict[str, Any]) -> bool:
    """Return whether a description has all keys, with values of the right types."""
    if not all(type(meta.get(key)) is kind for key, kind in _META_TYPES.items()):
        return False
    lists = [meta["policies"], *meta["categories"].values()]
    return all(isinstance(some, list) and all(isinstance(name, str) for name in some) for some in lists)


def _checksum(data: object) -> str:
    return _sha256(json.dumps(data, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
