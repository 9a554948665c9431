"""
Time of a fresh process to its first answers, with a warm compile cache; bare Python is the baseline.

Python stores its bytecode in a temporary folder here, as it does for a user:
with `PYTHONDONTWRITEBYTECODE` it would compile every module again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import perf_counter

N_RUNS = 5
SCRIPTS = {
    "bare Python": "pass",
    "import ttr_analysis": "import ttr_analysis",
    "load_map": "import ttr_analysis as ttr; ttr.load_map('switzerland')",
    "load_map and .graph": "import ttr_analysis as ttr; ttr.load_map('switzerland').graph",
    "first compiled answer": (
        "import ttr_analysis as ttr; m = ttr.load_map('nordic'); ttr.tickets.cheapest_network(m, m.tickets[:5])"
    ),
    "first game": (
        "import ttr_analysis as ttr; from ttr_analysis.policies import Greedy, Random; "
        "repr(ttr.Game(ttr.load_map('nordic')).play([Greedy(), Random()], seed=7))"
    ),
    "first picture": "import ttr_analysis as ttr; ttr.viz.plot_map(ttr.load_map('nordic'))",
}


def seconds(script: str, bytecode: str) -> float:
    """Return the best time of a fresh process that runs a script, after one run that fills the caches."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(N_RUNS + 1):
        start = perf_counter()
        subprocess.run(  # noqa: S603 - scripts of this file
            [sys.executable, "-c", script], check=True, env={**inherited, "PYTHONPYCACHEPREFIX": bytecode}
        )
        times.append(perf_counter() - start)
    return min(times[1:])


def main() -> None:
    """Print the time of each script, bare Python included and subtracted."""
    with tempfile.TemporaryDirectory() as folder:
        bare = seconds(SCRIPTS["bare Python"], folder)
        for name, script in SCRIPTS.items():
            whole = seconds(script, folder)
            print(f"{name}: {whole:.2f} s, {whole - bare:.2f} s more than bare Python", flush=True)


if __name__ == "__main__":
    main()
