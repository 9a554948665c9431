"""
Compare this checkout with another revision: `python -m benchmarks against 12f3fe2 [words of names ...]`.

The other revision gets a worktree and an environment in `build/against`, which
are kept for the next time. Each measurement is a fresh process, of this checkout
and the other in turn, and counts CPU seconds, because machines are noisy and the
two of a pair are affected alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "against"
N_PAIRS = 3

# What both revisions understand. A script prints one number; `spent` is the CPU time since the process began.
_HEAD = """
import time
import ttr_analysis as ttr
from ttr_analysis.policies import Greedy, Planner, Random, play_games
spent = time.process_time

def per_second(play, seconds=1.5):
    play(1)
    n, done, start = 8, 0, spent()
    while spent() - start < seconds:
        play(n)
        done += n
        n *= 2
    return done / (spent() - start)
"""


@dataclass(frozen=True)
class Measurement:
    """Something to measure: a script that prints one number."""

    name: str
    script: str
    unit: str = "games/s"
    is_cold: bool = False
    """Whether it starts with an empty cache of compiled code."""


def _games(what: str, players: str) -> str:
    return f"m = ttr.load_map({what!r}); print(per_second(lambda n: play_games(m, {players}, n, 7)))"


def _simulated(what: str, players: str) -> str:
    return f"m = ttr.load_map({what!r}); print(per_second(lambda n: ttr.simulate(m, {players}, n, 7, progress=False)))"


MEASUREMENTS = [
    Measurement("Random, usa, 2 players", _games("usa", "[Random()] * 2")),
    Measurement("Random, nordic, 3 players", _games("nordic", "[Random()] * 3")),
    Measurement("Greedy, nordic, 3 players", _games("nordic", "[Greedy()] * 3")),
    Measurement("Planner, nordic, 3 players", _games("nordic", "[Planner()] * 3")),
    Measurement("Planner, usa, 2 players", _games("usa", "[Planner()] * 2")),
    Measurement("Planner, switzerland, 3 players", _games("switzerland", "[Planner()] * 3")),
    Measurement("Planner, nederland, 5 players", _games("nederland", "[Planner()] * 5")),
    Measurement("simulate Random, usa, 2 players", _simulated("usa", "[Random()] * 2")),
    Measurement("simulate Planner, nordic, 3 players", _simulated("nordic", "[Planner()] * 3")),
    Measurement(
        "Game.play of planners, nordic, 2 players",
        "g = ttr.Game(ttr.load_map('nordic')); g.play([Planner()] * 2, 7)\n"
        "start = spent()\nfor i in range(40): g.play([Planner()] * 2, 7, i)\nprint(40 / (spent() - start))",
    ),
    Measurement(
        "first play_games with Planner, cold",
        "play_games(ttr.load_map('nordic'), [Planner()] * 2, 1, 7); print(spent())",
        "s",
        is_cold=True,
    ),
    Measurement(
        "first Game.play with Planner, cold",
        "ttr.Game(ttr.load_map('nordic')).play([Planner()] * 2, 7); print(spent())",
        "s",
        is_cold=True,
    ),
    Measurement(
        "import to first game, warm", "play_games(ttr.load_map('usa'), [Greedy()] * 2, 1, 7); print(spent())", "s"
    ),
    Measurement(
        "import to first network, warm",
        "m = ttr.load_map('nordic'); ttr.tickets.cheapest_network(m, m.tickets[:5]); print(spent())",
        "s",
    ),
]


def checkout(revision: str) -> Path:
    """Return the folder of another revision, creating it with its environment if needed."""
    found = subprocess.run(  # noqa: S603
        ["git", "rev-parse", "--short=12", f"{revision}^{{commit}}"],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    folder = KEPT / found.stdout.strip()
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(folder)], check=True)  # noqa: S603, S607
        subprocess.run(["git", "checkout", "--quiet", folder.name], cwd=folder, check=True)  # noqa: S603, S607
    subprocess.run(["make", "--silent", ".venv/.ready"], cwd=folder, check=True)  # noqa: S607
    return folder


# Settings of developers, not users: without bytecode, Python would parse every module of the package again.
_OF_NO_USER = ("TTR_", "NUMBA_", "PYTHONDONTWRITEBYTECODE")


def measure(folder: Path, measurement: Measurement, cache: str) -> float:
    """Return the number that a fresh process of a checkout prints."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(_OF_NO_USER)},
            "TTR_CACHE_DIR": empty if measurement.is_cold else cache,
        }
        done = subprocess.run(  # noqa: S603 - scripts of this file
            [folder / ".venv" / "bin" / "python", "-c", _HEAD + measurement.script],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
    return float(done.stdout.split()[-1])


def compare(revision: str, words: list[str]) -> None:
    """Print each measurement of both checkouts, and the median of their ratios."""
    other = checkout(revision)
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        for measurement in MEASUREMENTS:
            if words and not all(word in measurement.name for word in words):
                continue
            if not measurement.is_cold:
                measure(ROOT, measurement, ours)
                measure(other, measurement, theirs)
            n = 1 if measurement.is_cold else N_PAIRS
            pairs = [(measure(ROOT, measurement, ours), measure(other, measurement, theirs)) for _ in range(n)]
            here, there = median(a for a, _ in pairs), median(b for _, b in pairs)
            ratio = median(a / b for a, b in pairs)
            print(
                f"{measurement.name}: {here:,.2f} {measurement.unit}, {revision} {there:,.2f}; ratio {ratio:.2f}",
                flush=True,
            )


def main(arguments: list[str]) -> None:
    """Compare with a revision."""
    if not arguments:
        sys.exit("name a revision: python -m benchmarks against REV")
    compare(arguments[0], arguments[1:])
