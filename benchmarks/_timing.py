"""Timing, shared by all benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


def milliseconds(function: Callable[[], object], n: int = 1) -> float:
    """Return the best of three times, in ms for each of `n` answers, after a first call that compiles."""
    function()
    times = []
    for _ in range(3):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return 1000 * min(times) / n
