"""Simulate many games, in this process, in others or on a cluster, and keep them as tables."""

from __future__ import annotations

import contextlib
import os
import warnings
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
from contextlib import ExitStack
from functools import cache, lru_cache, partial
from itertools import chain, islice, pairwise
from operator import index, itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import cloudpickle
import numpy as np
import pandas as pd

from ttr_analysis._decoding import Range
from ttr_analysis._errors import GameError, UnknownNameError, nearest
from ttr_analysis._notebook import as_table
from ttr_analysis.engine.protocol import is_built_in
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.records.file import check_seed
from ttr_analysis.studies.columns import (
    ALL_TABLES,
    ANSWERS,
    category_types,
    columns_of,
    no_rows,
    units_of,
    wide_type,
    widened,
)
from ttr_analysis.studies.parts import META, VERSION, PartFolder, meta_of, run_of, tables_of
from ttr_analysis.studies.playing import (
    Columns,
    Entrants,
    LazyTables,
    Player,
    Run,
    as_frames,
    frame,
    joined,
    play_chunk,
    warn_of_generators,
    with_paths,
)
from ttr_analysis.tables import check_size

Key = TypeVar("Key")
T = TypeVar("T")

COMPILED_CHUNK: Final = 500
"""Games in a chunk if all policies are compiled, which takes at most half a second."""
PYTHON_CHUNK: Final = 25
N_WAITING: Final = 64
"""Chunks submitted to an executor at a time, so that memory does not grow with the number of games."""
PATIENCE: Final = 3600.0
"""Seconds within which one of the chunks submitted must finish."""

_SHOWN: Final = 3
_LAST_WORDS: Final = 5.0
"""Seconds for a broken pool to fail its chunks; canceling them meanwhile would raise errors."""
_READ_TOGETHER: Final = 2_000
"""Games in each part of a table in memory; some questions make a row for each city and seat."""


class Interrupted(UserWarning):
    """A simulation was interrupted; the finished games are kept."""


class SimulationError(GameError):
    """
    A simulation failed because of a policy or a worker.

    Attributes
    ----------
    result : SimulationResult
        The finished games.
    """

    def __init__(self, message: str, result: SimulationResult) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[SimulationError], tuple[object, ...]]:
        return type(self), (str(self), self.result)


class SimulationResult:
    """
    The games of a simulation, as tables.

    Each table is a pandas `DataFrame`; `describe(name)` explains its columns. A
    table on disk is read when you access it; `iterate` reads it in parts.

    Parameters
    ----------
    frames
        The tables; None if they are on disk.
    folder
        Folder of the tables; None in memory.

    Examples
    --------
    >>> usa = ttr.load_map("usa")
    >>> result = ttr.simulate(usa, [ttr.policies.Greedy(), ttr.policies.Random()], n_games=20, seed=7, progress=False)
    >>> result
    <SimulationResult usa: Greedy, Random, 20 games, seed 7>
    >>> result.seats.groupby("policy")["won"].sum().tolist()
    [20.0, 0.0]
    """

    def __init__(
        self, meta: dict[str, Any], frames: Mapping[str, pd.DataFrame] | None, folder: PartFolder | None
    ) -> None:
        self.meta = meta
        self._frames = frames
        self._folder = folder

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """
        Return a simulation on disk, complete or not.

        Parameters
        ----------
        path
            The folder given to `simulate` as `out`.

        Raises
        ------
        FileNotFoundError
            If there is no simulation in the folder.
        ValueError
            If its description is damaged, or its tables have the format of another
            version of this package.
        """
        folder = PartFolder(Path(path).expanduser())
        meta = folder.read_meta()
        if meta is None:
            raise FileNotFoundError(f"there is no simulation in {folder.path}: it has no {META}")
        if meta.get("version") != VERSION:
            raise ValueError(
                f"{folder.path} holds tables of version {meta.get('version')}, not {VERSION}: simulate again"
            )
        return cls(meta, None, PartFolder(folder.path, run_of(meta), tables_of(meta)))

    # -- tables -------------------------------------------------------------------

    @property
    def games(self) -> pd.DataFrame:
        """One row for each game."""
        return self.table("games")

    @property
    def seats(self) -> pd.DataFrame:
        """One row for each seat of each game."""
        return self.table("seats")

    @property
    def tickets(self) -> pd.DataFrame:
        """One row for each ticket offered to a seat."""
        return self.table("tickets")

    @property
    def routes(self) -> pd.DataFrame:
        """One row for each route taken."""
        return self.table("routes")

    @property
    def tunnels(self) -> pd.DataFrame:
        """One row for each tunnel attempted."""
        return self.table("tunnels")

    @property
    def decisions(self) -> pd.DataFrame:
        """One row for each decision, if simulated with `decisions=True`."""
        return self.table("decisions")

    def table(self, name: str, columns: list[str] | None = None) -> pd.DataFrame:
        """
        Return a copy of a table.

        Integers have 64 bits here, but fewer in storage. For a million games of two
        players, the seats take 0.5 GB and the routes 2 to 4 GB: select a few columns, or
        use `iterate`.

        Parameters
        ----------
        name
            "games", "seats", "tickets", "routes", "tunnels" or "decisions".

        Raises
        ------
        ValueError
            If there is no such table or column, or a part on disk is damaged or belongs
            to another simulation.
        """
        self._check_asked(name, columns)
        frames = list(self._parts(name, columns)) if self._frames is None else [self._frames[name]]
        whole = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
        return _shown(name, whole if columns is None else whole[columns])

    def iterate(self, name: str, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield a table part by part, however many games there are."""
        self._check_asked(name, columns)
        if self._frames is not None:
            for first, end in self._cuts(name):
                part = self._frames[name].iloc[first:end]
                yield _shown(name, part if columns is None else part[columns])
        else:
            for part in self._parts(name, columns):
                yield _shown(name, part)

    def _check_asked(self, name: str, columns: list[str] | None) -> None:
        """Raise a ValueError unless there is such a table, with these columns."""
        tables = tables_of(self.meta)
        if name not in tables:
            more = "; simulate with decisions=True to store them" if name == "decisions" else ""
            raise ValueError(f"there is no table {name!r}; choose one of {', '.join(tables)}{more}")
        unknown = [column for column in columns or () if column not in ALL_TABLES[name]]
        if unknown:
            hint = nearest(str(unknown[0]), ALL_TABLES[name]) or list(ALL_TABLES[name])
            raise ValueError(f"{name} have no column {unknown[0]!r}; did you mean {' or '.join(hint)}?")

    def _parts(self, name: str, columns: list[str] | None) -> Iterator[pd.DataFrame]:
        """Yield the parts of a table on disk, in its storage format."""
        if self._folder is not None:
            types, is_empty = category_types(self.meta["categories"]), True
            for part in self._folder.read(name, columns, types):
                yield part
                is_empty = False
            if is_empty:
                yield no_rows(name, types)[columns or list(ALL_TABLES[name])]

    def _cuts(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield the row bounds of each part of a table in memory; parts hold the same games in every table."""
        frames = self._frames or {}
        borders = frames["games"]["game"].iloc[_READ_TOGETHER::_READ_TOGETHER]
        rows = np.searchsorted(frames[name]["game"], borders).tolist()
        yield from pairwise([0, *rows, len(frames[name])])

    @staticmethod
    def describe(name: str) -> pd.DataFrame:
        """
        Return the type, meaning and unit of the columns of a table, or of a question's answer.

        Parameters
        ----------
        name
            "games", "seats", "tickets", "routes", "tunnels" or "decisions"; or the name
            of a question, such as "win_rates".

        Raises
        ------
        UnknownNameError
            If there is no such table or question.

        Examples
        --------
        >>> SimulationResult.describe("opening_tickets").loc["win_rate", ["meaning", "unit"]].tolist()
        ['share of wins', 'share']
        """
        known = {**ALL_TABLES, **{question: columns_of(figures) for question, figures in ANSWERS.items()}}
        if name not in known:
            raise UnknownNameError.among("table or question", name, known)
        columns = [column._replace(dtype=wide_type(column.dtype)) for column in known[name].values()]
        return pd.DataFrame(columns, index=pd.Index(known[name], name="column"))

    # -- description ----------------------------------------------------------------

    @property
    def n_games(self) -> int:
        """Number of games played."""
        if self._frames is not None:
            return len(self._frames["games"])
        return sum(end - first for first, end, _ in self._folder.parts()) if self._folder else 0

    @property
    def is_complete(self) -> bool:
        """Whether all requested games were played."""
        return bool(self.n_games >= self.meta["n_games"])

    def __repr__(self) -> str:
        meta = self.meta
        name = f"{meta['map']} {meta['variant']}" if meta["variant"] else meta["map"]
        n_games = f"{self.n_games:,} games" if self.is_complete else f"{self.n_games:,} of {meta['n_games']:,} games"
        seed = "" if meta["seed"] is None else f", seed {meta['seed']}"
        return f"<SimulationResult {name}: {', '.join(meta['policies'])}, {n_games}{seed}>"


def _shown(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of rows in 64 bits, displayed as a table with units."""
    return as_table(widened(frame), units=units_of(ALL_TABLES[name]), why_empty=f"the games hold no {name}")


def simulate(  # noqa: PLR0913 - options
    game_map: MapLike,
    policies: Entrants,
    n_games: int,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    decisions: bool = False,
    chunk_size: int | None = None,
    n_waiting: int = N_WAITING,
    patience: float | None = PATIENCE,
    progress: bool = True,
) -> SimulationResult:
    """
    Play many games and return them as tables.

    Each deal of random numbers is played once in every distinct rotation of the
    players; equal players need only one game per deal. The same seed gives the same
    rows, wherever and in whatever chunks the games are played.

    Parameters
    ----------
    policies
        The players, or a dict of players by name; built-in ones are much faster than
        those written in Python. Different players with the same name get numbers. Each
        seat of each game gets its own copy of a Python policy, so policies cannot
        remember other games; they must draw from the `rng` passed to them.
    n_games
        How many games, 1 or more. With a multiple of the number of players, everyone has
        every seat equally often.
    executor
        Where to play, such as a `ProcessPoolExecutor`, or Dask's
        `client.get_executor()` (policies are sent by cloudpickle). None plays in this
        process.
    out
        A folder for the tables, written as Parquet files in parts as games finish;
        memory then does not grow with the number of games.
    resume
        Play only the games missing in `out`. Python policies are compared only by name:
        give a changed one a new name or folder.
    decisions
        Whether to also store all decisions, about 100 to 300 rows per game.
    chunk_size
        Games that are played and stored together; each takes a few kB of memory.
    n_waiting
        Chunks submitted to the executor at a time; use several times its workers.
    patience
        Seconds within which one of the chunks submitted must finish; None waits forever. The
        processes of a `ProcessPoolExecutor` that fails to do so are killed.

    Returns
    -------
    result
        The tables; if you interrupt the run, those of the finished games.

    Raises
    ------
    ValueError
        If a number is out of range, the map does not allow this number of players, a name
        cannot be stored, or the folder holds another simulation or more games.
    SimulationError
        If a policy fails (the message gives game and seed), or a worker dies or hangs.
        Its `result` has the finished games.
    FileExistsError
        If the folder holds other files, or this simulation and `resume` is False.
    BlockingIOError
        If another process is writing to the folder.
    OSError
        If a part cannot be written; earlier parts stay.

    Warns
    -----
    Interrupted, UserWarning
        If the run was interrupted, or if a policy holds a random generator.

    Examples
    --------
    >>> players = [ttr.policies.Random(), ttr.policies.Random(), ttr.policies.Greedy()]
    >>> result = ttr.simulate(ttr.load_map("nordic"), players, n_games=6, seed=1, progress=False)
    >>> result.games[["game", "deal", "rotation"]].to_numpy().tolist()[:4]
    [[0, 0, 0], [1, 0, 1], [2, 0, 2], [3, 1, 0]]
    """
    game_map = as_map(game_map)
    check_size(game_map, len(policies))
    check_seed(seed)
    n_games = Range(1).check(n_games, "n_games")
    run = Run.of(game_map, policies, index(seed), decisions=decisions)
    warn_of_generators(run.policies)
    size = Range(1).check(default_chunk(run.policies) if chunk_size is None else chunk_size, "chunk_size")
    n_waiting = Range(1).check(n_waiting, "n_waiting")
    if patience is not None and not patience > 0:
        raise ValueError(f"patience must be a number of seconds above 0, or None, got {patience!r}")
    named = zip(run.policies, run.names, strict=True)
    players = [repr(policy) if is_built_in(policy) else name for policy, name in named]
    of_run = {"seed": run.seed, "rotations": run.n_rotations}
    meta = meta_of("ttr-simulation", game_map, run.names, players, n_games, decisions=decisions, **of_run)
    failure: GameError | None = None
    with ExitStack() as stack:
        folder = None
        if out is not None:
            folder = PartFolder(Path(out).expanduser(), run_of(meta), run.tables)
            stack.enter_context(folder.opened(meta, resume=resume))
        gaps = [(0, n_games)] if folder is None else list(folder.missing(n_games))
        chunks = chain.from_iterable(chunks_of(run, first, end, size) for first, end in gaps)
        n_done = n_games - sum(end - first for first, end in gaps)
        done: list[tuple[int, Columns]] = []
        try:
            for chunk, columns in played(
                chunks, executor, n_games, n_done, n_waiting=n_waiting, patience=patience, progress=progress
            ):
                if folder is None:
                    done.append((chunk.first, columns))
                else:
                    folder.write(chunk.first, chunk.n_games, as_frames(run, columns))
        except KeyboardInterrupt:
            warnings.warn("the simulation was interrupted; the finished games are kept", Interrupted, stacklevel=2)
        except GameError as fault:
            failure = fault
    frames = None
    if folder is None:
        whole_run = joined([columns for _, columns in sorted(done, key=itemgetter(0))] or [play_chunk(run, 0, 0)])
        frames = LazyTables(cache(partial(frame, run, columns=whole_run)), run.tables)
    result = SimulationResult(meta, frames, folder)
    if failure is not None:
        message = f"{failure}; {result.n_games:,} games are kept"
        raise SimulationError(message, result) from (failure.__cause__ or failure)
    return result


# -- chunks of games, in this process or others --------------------------------------------------------------------


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
    `n_waiting` chunks at a time and must finish one within `patience` seconds; otherwise
    its processes are killed. Raises a GameError then, and if a worker dies.
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
        raise GameError(f"none of {_games(waiting.values())} finished within {patience:g} s: a worker hangs")
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
        for process in list((executor._processes or {}).values()):  # noqa: SLF001 - `kill_workers` needs Python 3.14
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
