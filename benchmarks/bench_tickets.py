"""Speed of cheapest networks; a mixed-integer program for the same question is the baseline."""

from __future__ import annotations

from itertools import combinations
from time import perf_counter

import numpy as np

import ttr_analysis as ttr
from benchmarks._timing import milliseconds
from tests.oracles import steiner_milp
from ttr_analysis.analysis.tickets.network import forest_solver
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.maps.model import GameMap

N_SETS = 20
SECONDS = 120.0
"""Time limit for the best network of a map."""


def bench_networks(game_map: GameMap) -> str:
    """Return the times for all pairs, for sets of 2 to 7, and the ratio to the integer program for sets of 3."""
    solver = forest_solver(game_map)
    n = len(game_map.tickets)
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64)
    all_pairs = milliseconds(lambda: solver.costs(game_map.tickets, pairs))
    rng = np.random.default_rng(1)
    times = []
    for size in range(2, 8):
        sets = [[game_map.tickets[i] for i in rng.choice(n, size, replace=False)] for _ in range(N_SETS)]
        times.append(
            milliseconds(lambda sets=sets: [ttr.tickets.cheapest_network(game_map, s) for s in sets], N_SETS)  # type: ignore[misc]
        )
    threes = [[game_map.tickets[i] for i in rng.choice(n, 3, replace=False)] for _ in range(3)]
    start = perf_counter()
    for tickets in threes:
        steiner_milp.cheapest_cost(game_map, tickets)
    program = 1000 * (perf_counter() - start) / len(threes)
    each = " / ".join(f"{t:.2f}" for t in times)
    return (
        f"all {len(pairs)} pairs {all_pairs:.1f} ms; sets of 2 / 3 / 4 / 5 / 6 / 7 {each} ms each; "
        f"{program / times[1]:,.0f} times as fast as the integer program for 3"
    )


def bench_best(game_map: GameMap) -> str:
    """Return the time to the best network of all, its score, and how far it is proven."""
    best = ttr.tickets.best_network(game_map, time_limit=SECONDS)
    every = ttr.tickets.best_network(game_map, components="any", time_limit=SECONDS)
    return (
        f"{best!r} in {best.seconds:.1f} s (gap {best.gap:.1%}); "
        f"of any parts {every.score}, bound {every.bound}, in {every.seconds:.1f} s"
    )


def main() -> None:
    """Print the times for every map of the package."""
    for folder in sorted(data_folder().iterdir()):
        game_map = ttr.load_map(folder)
        for bench in (bench_networks, bench_best):
            print(f"{game_map.name}: {bench(game_map)}", flush=True)


if __name__ == "__main__":
    main()
