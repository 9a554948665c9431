"""
Speed of environments: agent steps per second, each with its observation and mask.

Batches on one thread and on two, and PettingZoo's loop over one game after another.
Actions are random legal ones; the clock stands still while those of a batch are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

import ttr_analysis as ttr
from ttr_analysis.envs import Batch, random_actions

TABLES = [("nordic", 2), ("usa", 2)]
SIZES = (64, 1_024, 2_048)
N_STEPS = 30_000
"""Agent steps per burst."""
N_PAIRS = 15
"""Bursts on one thread and on two, in turn, since machines do not always run at one speed."""
SEED = 7


def make_burst(batch: Batch) -> Callable[[], float]:
    """Return a function that plays a burst and returns agent steps per second; some steps mix the games first."""
    rng, observed, mask = np.random.default_rng(SEED), batch.observe(), batch.mask()

    def play(n: int = N_STEPS // batch.n_games) -> float:
        seconds = 0.0
        for _ in range(n):
            actions = random_actions(mask, rng)
            start = perf_counter()
            batch.step(actions, observation=observed, mask=mask)
            seconds += perf_counter() - start
        return n * batch.n_games / seconds

    play(200)
    return play


def bench_batches(name: str, n_players: int) -> None:
    """Print steps per second of batches on one thread, and the speedup with two."""
    game_map = ttr.load_map(name)
    for n_games in SIZES:
        one, two = (make_burst(Batch(game_map, n_games, n_players, seed=SEED, n_threads=n)) for n in (1, 2))
        speeds = np.array([(one(), two()) for _ in range(N_PAIRS)])
        print(
            f"{name}, {n_players} players, {n_games} games: {speeds[:, 0].max():,.0f} steps/s at best, "
            f"{np.median(speeds[:, 0]):,.0f} median, "
            f"{np.median(speeds[:, 1] / speeds[:, 0]):.2f} times on two threads",
            flush=True,
        )


def bench_agents(name: str, n_players: int, n_steps: int = 10_000) -> str:
    """Return steps per second of one game in PettingZoo's loop."""
    env, rng, n = ttr.envs.AEC(name, n_players, seed=SEED), np.random.default_rng(SEED), 0
    env.reset()
    start = perf_counter()
    while n < n_steps:
        env.reset()
        for _agent in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            action = None
            if not (terminated or truncated):  # Gymnasium's `sample` would take longer than the step
                legal = np.flatnonzero(info["action_mask"])
                action = int(legal[rng.integers(len(legal))])
            env.step(action)
            n += 1
    return f"{name}, {n_players} players, PettingZoo's loop: {n / (perf_counter() - start):,.0f} steps/s"


def main() -> None:
    """Print the speed of batches and of single games."""
    for name, n_players in TABLES:
        bench_batches(name, n_players)
        print(bench_agents(name, n_players), flush=True)


if __name__ == "__main__":
    main()
