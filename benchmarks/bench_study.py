"""Time of the study of each map, with an empty cache of compiled code and with a full one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from ttr_analysis.maps.loading import data_folder


def bench_study(name: str, cache: Path) -> str:
    """Return the time of a first study, of the same study again, and the size of its output."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [sys.executable, "-m", "ttr_analysis", "study", name, "--out", str(out), "--no-progress"]
        times = []
        for _ in range(2):
            start = perf_counter()
            environment = {**os.environ, "TTR_CACHE_DIR": str(cache)}
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - ours
            times.append(perf_counter() - start)
        size = (out / "report.html").stat().st_size / 1e6
        n_tables = len(list((out / "tables").glob("*.csv")))
    return f"study cold {times[0]:.1f} s, warm {times[1]:.1f} s; page {size:.2f} MB, {n_tables} tables"


def main() -> None:
    """Print the times for every map of the package, each from an empty cache."""
    for folder in sorted(data_folder().iterdir()):
        if (folder / "rules.toml").is_file():
            with tempfile.TemporaryDirectory() as cache:
                print(f"{folder.name}: {bench_study(folder.name, Path(cache))}", flush=True)


if __name__ == "__main__":
    main()
