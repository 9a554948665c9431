"""
Damage many maps, records, typed games, logs and simulations, and check that each is read or rejected.

Run it from the project root: python -m scripts.fuzz --minutes 10

A damaged file may be rejected with the errors its reader documents. Any other
error is a find, and so is taking more than a second of CPU time or 300 MB. The
first find of each kind is stored in the folder `finds`, as it was and reduced.
Progress is stored too: a run that was interrupted or limited by `--minutes`
resumes. A change of the sources starts again. The exit code is 1 if there are
finds.

To repeat one: python -m scripts.fuzz --again maps-1234
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as OutOfTimeError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from scripts.soak import fingerprint
from tests.fuzzing.subjects import SUBJECTS
from tests.fuzzing.trial import Outcome, shrunk, tried, write_files
from ttr_analysis._decoding import write_atomically

ROOT = Path(__file__).parents[1]
SHARES = {"maps": 0.25, "records": 0.55, "notation": 0.09, "logs": 0.06, "simulations": 0.04, "resumed": 0.01}
"""Share of each kind in a run."""

_BLOCK = 100
_HUNG_SECONDS = 60
_STDERR = 2
_MOST_BYTES = 4 * 2**30
"""Limit on address space beyond what a process starts with: more would slow down the whole machine."""


class Block(NamedTuple):
    """Consecutive mutants, except those that killed a process."""

    subject: str
    first: int
    n_mutants: int
    seed: int
    deadly: frozenset[int]


class Find(NamedTuple):
    """A mutant that shows a problem."""

    subject: str
    number: int
    what: str
    told: str

    @property
    def case(self) -> str:
        """Its name."""
        return f"{self.subject}-{self.number}"


@dataclass
class Figures:
    """Results for the mutants of one kind."""

    tried: int = 0
    read: int = 0
    finds: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    largest: float = 0.0

    def add(self, other: Figures) -> None:
        """Count other mutants too."""
        self.tried += other.tried
        self.read += other.read
        self.finds += other.finds
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.largest = max(self.largest, other.largest)


@dataclass
class Progress:
    """The results so far, and the first find of each kind."""

    seed: int
    figures: dict[str, Figures] = field(default_factory=lambda: {name: Figures() for name in SUBJECTS})
    finds: list[Find] = field(default_factory=list)

    def add(self, subject: str, figures: Figures, finds: list[Find]) -> list[Find]:
        """Add some mutants; return the finds of a new kind."""
        self.figures[subject].add(figures)
        new = []
        for find in finds:
            if (find.subject, find.what) not in {(known.subject, known.what) for known in self.finds}:
                self.finds.append(find)
                new.append(find)
        return new


def main() -> int:
    """Try the remaining mutants, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="stop after this number of minutes (default: 10)")
    parser.add_argument("--mutants", type=int, default=100_000, help="mutants of all kinds together")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other mutants")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz", help="folder for progress and finds")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", metavar="CASE", help="try one mutant, such as maps-1234, and print the result")
    options = parser.parse_args()
    if options.again:
        return _again(options.again, options.seed)
    progress = _load(options.out, options.seed)
    _run(progress, options.mutants, options.out, options.processes, time.monotonic() + 60 * options.minutes)
    _print_table(progress)
    n_left = sum(block.n_mutants for block in _blocks(progress, options.mutants))
    print(f"\n{n_left:,} mutants are left to try" if n_left else "\nall mutants were tried")
    for find in progress.finds:
        print(f"{find.case}: {find.what}; see {options.out / 'finds' / find.case}")
    return int(bool(progress.finds))


def _again(case: str, seed: int) -> int:
    """Try one mutant and print the result."""
    name, _, number = case.rpartition("-")
    with tempfile.TemporaryDirectory() as directory:
        _warm_up(name, Path(directory))
        outcome = _try(name, int(number), seed, Path(directory))
    print(outcome.told or ("read" if outcome.was_read else "rejected"))
    print(f"{outcome.seconds:.2f} s, {outcome.megabytes:.0f} MB")
    return int(bool(outcome.find))


# -- trying ----------------------------------------------------------------------------------------------------------


def _run(progress: Progress, n_mutants: int, out: Path, processes: int, deadline: float) -> None:
    """Try mutants until all are done, time is up or a process died."""
    blocks = list(_blocks(progress, n_mutants))
    running = out / "running"
    running.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(running,))
    futures = [pool.submit(_try_block, block) for block in blocks]
    with tqdm(total=sum(block.n_mutants for block in blocks), unit="mutant", disable=None) as bar:
        for block, future in zip(blocks, futures, strict=True):
            try:
                figures, finds = future.result(timeout=max(0.0, deadline - time.monotonic()))
            except OutOfTimeError:
                break
            except BrokenProcessPool:
                figures, finds = Figures(), [find for find in map(_deadly, running.iterdir()) if find]
            for find in progress.add(block.subject, figures, finds):
                _write_down(out, find, block.seed)
            _save(out, progress)
            if figures.tried == 0:
                break
            bar.update(block.n_mutants)
    pool.shutdown(wait=False, cancel_futures=True)


def _blocks(progress: Progress, n_mutants: int) -> Iterator[Block]:
    """Yield the remaining work, always of the kind that is furthest behind."""
    wanted = {name: round(share * n_mutants) for name, share in SHARES.items()}
    at = {name: progress.figures[name].tried for name in wanted}
    while left := [name for name, n in wanted.items() if at[name] < n]:
        name = min(left, key=lambda name: at[name] / wanted[name])
        n = min(_BLOCK, wanted[name] - at[name])
        deadly = frozenset(find.number for find in progress.finds if (find.subject, find.what) == (name, _DEATH))
        yield Block(name, at[name], n, progress.seed, deadly)
        at[name] += n


def _begin(running: Path) -> None:
    """Prepare a process: it notes what it tries, and its memory is limited."""
    _NOTE.append(running / str(os.getpid()))
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if Path("/proc").is_dir() else 0
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _MOST_BYTES,) * 2)


_NOTE: list[Path] = []


def _try_block(block: Block) -> tuple[Figures, list[Find]]:
    """Try a block. A mutant that hangs ends the process."""
    figures, finds = Figures(), []
    with tempfile.TemporaryDirectory() as directory:
        _warm_up(block.subject, Path(directory))
        for number in range(block.first, block.first + block.n_mutants):
            for note in _NOTE:
                note.write_text(f"{block.subject}-{number} {block.seed}", encoding="utf-8")
            faulthandler.dump_traceback_later(_HUNG_SECONDS, file=_STDERR, exit=True)
            outcome = _try(block.subject, number, block.seed, Path(directory)) if number not in block.deadly else _DEAD
            faulthandler.cancel_dump_traceback_later()
            is_find = bool(outcome.find)
            figures.add(Figures(1, outcome.was_read, is_find, outcome.seconds, outcome.seconds, outcome.megabytes))
            if is_find:
                finds.append(Find(block.subject, number, outcome.find, outcome.told))
    return figures, finds


_DEATH = "the process died, or hung"
_DEAD = Outcome(_DEATH, was_read=False, seconds=0.0, megabytes=0.0)


def _try(name: str, number: int, seed: int, folder: Path) -> Outcome:
    return tried(SUBJECTS[name], SUBJECTS[name].mutant(seed, number), folder / "mutant", number)


def _warm_up(name: str, folder: Path) -> None:
    """Read valid files once per process: loading and compiling take longer than any of them."""
    if name not in _WARM:
        _WARM.add(name)
        outcomes = [tried(SUBJECTS[name], files, folder / "mutant") for files in SUBJECTS[name].seeds()]
        wrong = [outcome for outcome in outcomes if not outcome.was_read and outcome.find not in {"slow", "large"}]
        if wrong:
            raise AssertionError(f"valid files of {name} are rejected: {wrong[0].find}\n{wrong[0].told}")


_WARM: set[str] = set()


def _deadly(note: Path) -> Find | None:
    """Return a mutant as a find if the process that tries it dies."""
    case, seed = note.read_text(encoding="utf-8").split()
    command = [sys.executable, "-m", "scripts.fuzz", "--again", case, "--seed", seed]
    try:
        limit = 2 * _HUNG_SECONDS
        code = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=limit, check=False).returncode  # noqa: S603
    except subprocess.TimeoutExpired:
        code = -1
    name, _, number = case.rpartition("-")
    return None if code in {0, 1} else Find(name, int(number), _DEATH, f"exit code {code}")


# -- progress --------------------------------------------------------------------------------------------------------


def _load(out: Path, seed: int) -> Progress:
    """Return the progress made with these sources and this seed."""
    file = out / "progress.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if (data["sources"], data["seed"]) == (_sources(), seed):
            figures = {name: Figures(**data["figures"][name]) for name in SUBJECTS}
            return Progress(seed, figures, [Find(*find) for find in data["finds"]])
        print("the sources or the seed have changed since the last run: starting over")
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError):
        print(f"{file} cannot be read: starting over")
    shutil.rmtree(out, ignore_errors=True)
    return Progress(seed)


def _save(out: Path, progress: Progress) -> None:
    data = {"sources": _sources(), **asdict(progress), "finds": progress.finds}
    write_atomically(out / "progress.json", json.dumps(data) + "\n")


def _sources() -> str:
    return fingerprint("ttr_analysis", "data", "tests/fuzzing", "tests/invented", "tests/engine", "tests/notation")


def _write_down(out: Path, find: Find, seed: int) -> None:
    """Store a find: the mutant, the smallest files that show the same problem, and the message."""
    subject, folder = SUBJECTS[find.subject], out / "finds" / find.case
    files = subject.mutant(seed, find.number)
    write_files(folder / "mutant", files)
    if find.what != _DEATH:
        with tempfile.TemporaryDirectory() as directory:
            tries = Path(directory) / "mutant"
            smallest = shrunk(
                files, subject.seeds(), lambda other: tried(subject, other, tries, find.number).find == find.what
            )
        write_files(folder / "smallest", smallest)
    told = f"{find.what}\n\n{find.told}\npython -m scripts.fuzz --again {find.case} --seed {seed}\n"
    (folder / "find.txt").write_text(told, encoding="utf-8")


def _print_table(progress: Progress) -> None:
    print(f"{'':12}{'tried':>9}{'read':>9}{'finds':>7}{'mean ms':>9}{'most s':>8}{'most MB':>9}")
    total = Figures()
    for name, figures in progress.figures.items():
        total.add(figures)
        print(_row(name, figures))
    print(_row("all", total))


def _row(name: str, figures: Figures) -> str:
    mean = 1000 * figures.seconds / max(1, figures.tried)
    numbers = f"{figures.tried:>9,}{figures.read:>9,}{figures.finds:>7,}{mean:>9.1f}"
    return f"{name:12}{numbers}{figures.longest:>8.2f}{figures.largest:>9.1f}"


if __name__ == "__main__":
    sys.exit(main())
