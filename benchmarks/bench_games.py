"""
Speed of whole games on one core, and strength of the players.

Games per second are for a warm process; the ratio is to the same code without
compilation. `python -m benchmarks.bench_games 1000` plays that many games of
each pair of players for their win rates.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from time import perf_counter

import numpy as np

import ttr_analysis as ttr
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.engine.actions import Action, ClaimRoute
from ttr_analysis.engine.kernel.scoring import WON_COLUMN
from ttr_analysis.policies import Greedy, Planner, Random, play_games
from ttr_analysis.policies.playout import Player
from ttr_analysis.studies import rate_interval

TABLES = [("nordic", 2), ("nordic", 3), ("switzerland", 3), ("nederland", 5), ("usa", 2), ("usa", 4)]
PLAYERS: tuple[Player, ...] = (Random(), Greedy(), Planner())
MAPS = ("nordic", "switzerland", "nederland", "usa")
PAIRS: list[tuple[Player, Player]] = [(Planner(), Greedy()), (Planner(), Random()), (Greedy(), Random())]
N_GAMES = 200
"""Games for win rates, each also with seats swapped."""
SECONDS = 1.0
"""Seconds for each measurement of speed."""
SEED = 7

# Prints games per second of one player at all seats, in another process.
SCRIPT = """
import sys
from benchmarks.bench_games import PLAYERS, games_per_second
player, name, n_players, seconds = sys.argv[1:]
seats = [p for p in PLAYERS if p.name == player] * int(n_players)
print(*games_per_second(name, seats, float(seconds)))
"""


class Builder:
    """A Python policy: it claims the route that scores most, draws if it cannot, and takes tickets last."""

    def choose(self, view: ttr.SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return the action: see the class."""
        best: tuple[int, int] | None = None
        chosen = actions[0]
        for action in actions:
            if isinstance(action, ClaimRoute):
                payment: Payment = action.payment
                rating = (action.route.points, -payment.locomotives)
                if best is None or rating > best:
                    best, chosen = rating, action
        if best is None and view.n_pile and len(actions) > 1:
            chosen = actions[int(rng.integers(min(len(actions), 6)))]
        return chosen


def games_per_second(name: str, policies: Sequence[Player], seconds: float = SECONDS) -> tuple[float, float]:
    """Return games per second, after a first game, and the mean number of turns."""
    game_map = ttr.load_map(name)
    play_games(game_map, policies, 1, SEED)
    n, at, n_turns, start = 1, 0, 0, perf_counter()
    while (spent := perf_counter() - start) < seconds:
        n_turns += int(play_games(game_map, policies, n, SEED, at)[2].sum())
        at += n
        n *= 2
    return at / spent, n_turns / at


def elsewhere(script: str, *arguments: object, **environment: str) -> tuple[str, float]:
    """Return the output of a fresh process, and its time."""
    start = perf_counter()
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(  # noqa: S603 - scripts of this file
        command, env={**os.environ, **environment}, check=True, capture_output=True, text=True
    )
    return done.stdout, perf_counter() - start


def bench_speed(name: str, n_players: int) -> str:
    """Return games per second for every player in all seats."""
    parts = []
    for player in PLAYERS:
        speed, n_turns = games_per_second(name, [player] * n_players)
        plain = float(elsewhere(SCRIPT, player.name, name, n_players, 0.2, TTR_PLAIN="1")[0].split()[0])
        parts.append(
            f"{player.name} {speed:,.0f} games/s, {speed * n_turns:,.0f} turns/s ({n_turns:.0f} a game), "
            f"{speed / plain:,.0f} times as fast as without compilation"
        )
    return "; ".join(parts)


def bench_strength(name: str, n_games: int) -> str:
    """Return how often players beat each other, with seats swapped halfway; shared wins count half."""
    game_map = ttr.load_map(name)
    parts = []
    for one, other in PAIRS:
        wins = 0.0
        for seats in ((0, 1), (1, 0)):
            policies = [one, other] if seats == (0, 1) else [other, one]
            won = play_games(game_map, policies, n_games // 2, SEED, seats[0] * n_games)[0][:, :, WON_COLUMN]
            wins += float(np.sum(won[:, seats[0]] / won.sum(axis=1)))
        rate, low, high = rate_interval(wins, n_games // 2 * 2)
        parts.append(f"{one.name} beats {other.name} in {rate:.1%} ({low:.1%} to {high:.1%})")
    return "; ".join(parts)


def bench_facade() -> str:
    """Return games per second of a Python policy."""
    game = ttr.Game(ttr.load_map("usa"))
    game.play([Builder(), Random()], seed=SEED)
    n, n_turns, start = 0, 0, perf_counter()
    while (spent := perf_counter() - start) < SECONDS:
        n_turns += game.play([Builder(), Random()], seed=SEED, game=n).states()[-1].n_turns
        n += 1
    return f"usa, 2 players: a policy in Python against Random {n / spent:.0f} games/s ({n_turns / n:.0f} turns a game)"


def bench_first() -> str:
    """Return the time of a fresh process to its first game, with an empty cache of compiled code and a full one."""
    with tempfile.TemporaryDirectory() as folder:
        played = "import ttr_analysis as ttr; from ttr_analysis.policies import "
        script = f"{played}play_games, Random; play_games(ttr.load_map('nordic'), [Random()] * 2, 1, 7)"
        facade = f"{played}Random; ttr.Game(ttr.load_map('nordic')).play([Random()] * 2, 7)"
        parts = []
        for what, code in (("play_games", script), ("then Game.play", facade)):
            cold = elsewhere(code, TTR_CACHE_DIR=folder)[1]
            warm = min(elsewhere(code, TTR_CACHE_DIR=folder)[1] for _ in range(3))
            parts.append(f"{what} cold {cold:.1f} s, warm {warm:.1f} s")
    return f"first game of a fresh process: {'; '.join(parts)}"


def main(n_games: int = N_GAMES) -> None:
    """Print speed, strength and the time to the first game."""
    for name, n_players in TABLES:
        print(f"{name}, {n_players} players: {bench_speed(name, n_players)}", flush=True)
    print(bench_facade(), flush=True)
    for name in MAPS:
        print(f"{name}, 2 players, {n_games} games: {bench_strength(name, n_games)}", flush=True)
    print(bench_first(), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
