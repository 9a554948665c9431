"""
Train a player by masked PPO: a small network in plain PyTorch, on batches of games against built-in players.

    pip install "ttr-analysis[train]"
    python examples/train_ppo.py nordic --minutes 60 --opponents Greedy,Planner

Every report adds a line to `curve.csv` in the folder `--out`; a run that is
stopped resumes from there. The network is written to `weights.npz`, which
`examples/trained.py` plays without PyTorch.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from trained import Trained, win_rates

import ttr_analysis as ttr
from ttr_analysis.engine.kernel.scoring import goal_reached, label_cities
from ttr_analysis.engine.layout import State
from ttr_analysis.rules.scoring import ticket_score
from ttr_analysis.tables import MAX_CITIES, Tables

WIDTH = 160
N_SLOTS, N_STEPS = 256, 64
"""Games side by side, all opponents together, and steps of each between two updates."""
N_EPOCHS, N_BATCH = 3, 2048
CLIP, TRACE, VALUE, ENTROPY, RATE = 0.2, 0.97, 0.5, 0.01, 7e-4
"""Of PPO: clip range, lambda of GAE, weights of the value's error and of entropy, and the learning rate at first."""
WON, POINTS = 1.0, 1 / 50
"""What the learner gains for winning, and for each point that it is ahead."""
_NEVER = -50.0
"""What a network thinks of illegal actions; exponentials of much less are slow to compute."""
REPORT, JUDGED = 25, 200
"""Updates between two reports, and games that each of them plays against each opponent."""


@ttr.compiled
def points_now(state: State, tables: Tables, seat: int) -> float:
    """Return the points of a seat as if the game ended here, bonuses aside."""
    label = np.empty(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, seat, label)
    points = state.score[seat]
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        points += ticket_score(goal_reached(tables, ticket, label), tables.goal_points, tables.penalty[ticket])
    return float(points)


@ttr.compiled
def lead(state: State, tables: Tables, seat: int) -> float:
    """Return how far a seat is ahead of the other."""
    return points_now(state, tables, seat) - points_now(state, tables, 1 - seat)


class Network(nn.Module):
    """Two hidden layers, from which come the preferences for actions and the value."""

    def __init__(self, n_features: int, n_actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_features, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU())
        self.policy, self.value = nn.Linear(WIDTH, n_actions), nn.Linear(WIDTH, 1)
        with torch.no_grad():
            self.policy.weight.mul_(0.01)

    def forward(self, observed: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithm of the probability of each action, and the value."""
        hidden = self.trunk(observed)
        logits = self.policy(hidden).masked_fill(mask == 0, _NEVER)
        return torch.log_softmax(logits, dim=1), self.value(hidden).squeeze(1)

    def weights(self) -> list[np.ndarray]:
        """Return the weights of the policy: those and the offsets of each layer."""
        layers = [self.trunk[0], self.trunk[2], self.policy]
        return [part.detach().numpy() for layer in layers for part in (layer.weight.T, layer.bias)]


class Rollout(NamedTuple):
    """What happened in some steps of all games, one row a step and column a game."""

    observed: torch.Tensor
    mask: torch.Tensor
    actions: torch.Tensor
    log_chances: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    ended: torch.Tensor


class Games:
    """Batches of games against each opponent, at each seat."""

    def __init__(self, game_map: ttr.GameMap, opponents: list[str], seed: int) -> None:
        pairs = [(seat, opponent) for opponent in opponents for seat in range(2)]
        size = N_SLOTS // len(pairs)
        self.seats = [seat for seat, _ in pairs]
        self.batches = [
            ttr.envs.Batch(game_map, size, seed=seed + i, opponents=_around(opponent, seat), reward=lead)
            for i, (seat, opponent) in enumerate(pairs)
        ]
        self.slots = [slice(size * i, size * (i + 1)) for i in range(len(pairs))]
        self.n_slots = size * len(pairs)

    def play(self, network: Network) -> tuple[Rollout, float, int]:
        """Play some steps; return them, the share of games won, and how many games ended."""
        first = self.batches[0]
        observed = torch.zeros(N_STEPS + 1, self.n_slots, len(first.features))
        mask = torch.zeros(N_STEPS + 1, self.n_slots, first.n_actions, dtype=torch.int8)
        actions = torch.zeros(N_STEPS, self.n_slots, dtype=torch.int64)
        log_chances, rewards, ended = (torch.zeros(N_STEPS, self.n_slots) for _ in range(3))
        values = torch.zeros(N_STEPS + 1, self.n_slots)
        won, n_games = 0.0, 0
        for batch, slots in zip(self.batches, self.slots, strict=True):
            batch.observe(observed[0, slots].numpy())
            batch.mask(mask[0, slots].numpy())
        for t in range(N_STEPS):
            with torch.no_grad():
                chances, values[t] = network(observed[t], mask[t])
            actions[t] = torch.multinomial(chances.exp() * mask[t], 1).squeeze(1)
            log_chances[t] = chances.gather(1, actions[t, :, None]).squeeze(1)
            for batch, slots, seat in zip(self.batches, self.slots, self.seats, strict=True):
                seen, allowed = observed[t + 1, slots].numpy(), mask[t + 1, slots].numpy()
                gained, done, _ = batch.step(actions[t, slots].numpy(), observation=seen, mask=allowed)
                ahead = np.sign(batch.final_scores[:, seat] - batch.final_scores[:, 1 - seat]) * done
                rewards[t, slots] = torch.from_numpy(POINTS * gained[:, seat] + WON * ahead).float()
                ended[t, slots] = torch.from_numpy(done).float()
                won, n_games = won + ((ahead + 1) / 2)[done].sum(), n_games + int(done.sum())
        with torch.no_grad():
            _, values[N_STEPS] = network(observed[N_STEPS], mask[N_STEPS])
        steps = Rollout(observed[:-1], mask[:-1], actions, log_chances, values, rewards, ended)
        return steps, won / max(1, n_games), n_games


def _around(opponent: str, seat: int) -> list[str | None]:
    return [None if at == seat else opponent for at in range(2)]


def advantages_of(steps: Rollout) -> torch.Tensor:
    """Return how much better each action did than was expected (GAE without discount)."""
    found, after = torch.zeros_like(steps.rewards), torch.zeros(steps.rewards.shape[1])
    for t in reversed(range(len(found))):
        goes_on = 1 - steps.ended[t]
        surprise = steps.rewards[t] + goes_on * steps.values[t + 1] - steps.values[t]
        after = surprise + TRACE * goes_on * after
        found[t] = after
    return found


def update(network: Network, optimizer: torch.optim.Optimizer, steps: Rollout) -> tuple[float, float]:
    """Improve the network by some steps; return its entropy and the error of its values."""
    advantages = advantages_of(steps)
    returns = (advantages + steps.values[:-1]).flatten()
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
    observed, mask = steps.observed.flatten(0, 1), steps.mask.flatten(0, 1)
    actions, before = steps.actions.flatten(), steps.log_chances.flatten()
    entropies, errors = [], []
    for _ in range(N_EPOCHS):
        for rows in torch.randperm(len(actions)).split(N_BATCH):
            log_chances, values = network(observed[rows], mask[rows])
            ratio = (log_chances.gather(1, actions[rows, None]).squeeze(1) - before[rows]).exp()
            gain = torch.minimum(ratio * advantages[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[rows]).mean()
            error = (values - returns[rows]).square().mean()
            entropy = -(log_chances.exp() * log_chances).sum(1).mean()
            optimizer.zero_grad()
            (VALUE * error - gain - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            entropies.append(entropy.item())
            errors.append(error.item())
    return float(np.mean(entropies)), float(np.mean(errors))


def train(game_map: ttr.GameMap, opponents: list[str], minutes: float, out: Path, seed: int) -> None:
    """Train until the time is used up, and report on the way."""
    games = Games(game_map, opponents, seed)
    network = Network(len(games.batches[0].features), games.batches[0].n_actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, eps=1e-5)
    n_updates, spent = 0, 0.0
    saved = out / "state.pt"
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        n_updates, spent = state["n_updates"], state["spent"]
        for i, batch in enumerate(games.batches):
            batch.reset(seed + i + 1_000 * n_updates)
        print(f"resumed after {n_updates} updates and {spent / 60:.1f} minutes", flush=True)
    while spent < 60 * minutes:
        start = monotonic()
        for group in optimizer.param_groups:
            group["lr"] = RATE * max(0.05, 1 - spent / (60 * minutes))
        steps, won, _ = games.play(network)
        entropy, error = update(network, optimizer, steps)
        n_updates += 1
        spent += monotonic() - start
        if n_updates % REPORT == 0 or spent >= 60 * minutes:
            player = Trained(game_map.name, *network.weights())
            player.save(out / "weights.npz")
            rates = win_rates(player, opponents, JUDGED)
            report(out / "curve.csv", spent / 60, n_updates * games.n_slots * N_STEPS, won, entropy, error, rates)
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "n_updates": n_updates, "spent": spent}, saved)


def report(
    file: Path, minutes: float, n_steps: int, won: float, entropy: float, error: float, rates: dict[str, float]
) -> None:
    """Print a line of the curve, and add it to a file."""
    row = {
        "minutes": f"{minutes:.1f}",
        "steps": n_steps,
        "won": f"{won:.3f}",
        "entropy": f"{entropy:.3f}",
        "error": f"{error:.3f}",
        **{f"against {name}": f"{rate:.3f}" for name, rate in rates.items()},
    }
    is_new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, row)
        if is_new:
            writer.writeheader()
        writer.writerow(row)
    judged = ", ".join(f"{name} {rate:4.0%} {'#' * round(20 * rate):20s}" for name, rate in rates.items())
    print(f"{minutes:5.1f} min, {n_steps / 1e6:5.2f} million steps: {judged} entropy {entropy:.2f}", flush=True)


def main() -> None:
    """Read the arguments, and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", nargs="?", default="nordic", help="map to play with two players")
    parser.add_argument("--opponents", default="Greedy,Planner", help="built-in players, by name")
    parser.add_argument("--minutes", type=float, default=60, help="time to train, earlier runs included")
    parser.add_argument("--out", type=Path, default=Path("trained"), help="folder of the run")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch")
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    train(ttr.load_map(given.map), given.opponents.split(","), given.minutes, given.out, given.seed)


if __name__ == "__main__":
    main()
