"""How long a fresh process takes to the first answers, with a warm compile cache; bare Python is the baseline."""

from __future__ import annotations

import subprocess
import sys
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
    "first picture": "import ttr_analysis as ttr; ttr.viz.plot_map(ttr.load_map('nordic'))",
}


def seconds(script: str) -> float:
    """Return the best time of a fresh process that runs a script, after one run that fills the caches."""
    times = []
    for _ in range(N_RUNS + 1):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", script], check=True)  # noqa: S603 - scripts of this file
        times.append(perf_counter() - start)
    return min(times[1:])


def main() -> None:
    """Print the time of each script, bare Python included and subtracted."""
    bare = seconds(SCRIPTS["bare Python"])
    for name, script in SCRIPTS.items():
        whole = seconds(script)
        print(f"{name}: {whole:.2f} s, {whole - bare:.2f} s more than bare Python", flush=True)


if __name__ == "__main__":
    main()
