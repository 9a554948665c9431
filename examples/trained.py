"""
A trained player without PyTorch: its network is a few products of matrices.

    python examples/trained.py examples/nordic_ppo.npz Greedy Planner

`nordic_ppo.npz` is what `train_ppo.py` had learned after 12 minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ttr_analysis as ttr
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.state import SeatView

Weights = NDArray[np.float32]


class Trained:
    """
    A player of `Game.play`, `simulate` and tournaments: it does what its network prefers.

    Parameters
    ----------
    map_name
        The map that it was trained on, with two players.
    weights
        The weights and the offsets of each layer, the first one first.
    """

    name = "Trained"

    def __init__(self, map_name: str, *weights: Weights) -> None:
        self.map_name = map_name
        self._weights = [np.asarray(some, dtype=np.float32) for some in weights]

    @classmethod
    def load(cls, file: Path | str) -> Trained:
        """Return a player from its file."""
        with np.load(file) as saved:
            return cls(str(saved["map_name"]), *(saved[f"w{i}"] for i in range(len(saved) - 1)))

    def save(self, file: Path | str) -> None:
        """Write the network into a file, in half precision."""
        weights = {f"w{i}": some.astype(np.float16) for i, some in enumerate(self._weights)}
        np.savez_compressed(file, map_name=np.array(self.map_name), **weights)

    def prefer(self, observed: Weights, mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the legal action that the network prefers in each row."""
        hidden = observed
        for weight, offset in zip(self._weights[0:-2:2], self._weights[1:-2:2], strict=True):
            hidden = np.maximum(hidden @ weight + offset, 0)
        logits = hidden @ self._weights[-2] + self._weights[-1]
        return np.where(mask != 0, logits, -np.inf).argmax(axis=1)

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        """Return what to do, as `Game.play` asks."""
        observed, mask = ttr.envs.observe(view), ttr.envs.action_mask(view)
        return ttr.envs.to_action(int(self.prefer(observed[None], mask[None])[0]), view)


def win_rates(player: Trained, opponents: Sequence[str], n_games: int, seed: int = 2026) -> dict[str, float]:
    """Return the share of games that a player wins against each opponent, half of them at each seat."""
    found = {}
    for opponent in opponents:
        halves = []
        for seat in range(2):
            others = [None if at == seat else opponent for at in range(2)]
            batch = ttr.envs.Batch(player.map_name, n_games // 2, seed=seed, opponents=others)
            won, is_over = np.zeros(batch.n_games), np.zeros(batch.n_games, dtype=bool)
            while not is_over.all():
                rewards, done, _ = batch.step(player.prefer(batch.observe(), batch.mask()))
                first = done & ~is_over
                won[first] = rewards[first, seat]
                is_over |= done
            halves.append(won.mean())
        found[opponent] = float(np.mean(halves))
    return found


def main() -> None:
    """Print how often a player wins."""
    file, *opponents = sys.argv[1:]
    for opponent, rate in win_rates(Trained.load(file), opponents, 1_000).items():
        print(f"against {opponent}: {rate:.1%} of 1,000 games")


if __name__ == "__main__":
    main()
