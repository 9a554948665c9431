"""
Run all benchmarks, or those named: `python -m benchmarks paths tickets`.

`python -m benchmarks against REV` compares this checkout with another revision.

Times are the best of a few runs, after a first one that compiles. Ratios are
against a baseline timed in the same call, so they hold on any machine.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks import against


def main(names: list[str]) -> None:
    """Run the benchmarks with these names, all if there are none."""
    if names[:1] == ["against"]:
        against.main(names[1:])
        return
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    for name in names or known:
        if name not in known:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(known)}")
        print(f"--- {name}", flush=True)
        import_module(f"benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
