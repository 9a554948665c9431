"""
Measure beliefs and win probabilities about players unlike `Planner`: `python -m scripts.strangers [games]`.

Players of one kind at a time play 2- and 3-player games. At random moments, one seat predicts each ticket in another's
hand, and its own chance of winning. The table in `docs/winning.md` shows how often confident predictions were right,
and the slope of win probabilities: 1 is ideal; below 1, they are too extreme.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

import ttr_analysis as ttr
from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import RIVALS, CompiledPolicy, find_policy
from ttr_analysis.policies import Greedy, Planner, Planner1, Planner2
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.watching import Watcher, styled_share
from ttr_analysis.studies import rate_interval

TABLES: Final = (("usa", 2), ("europe", 3), ("nordic", 3), ("switzerland", 2), ("nederland", 3))
N_GAMES: Final = 60
"""Games for each table and kind."""
N_MOMENTS: Final = 3
N_WORLDS: Final = 150
N_ROLLOUTS: Final = 40
SEED: Final = 5
SURE: Final = 0.9
SPREAD: Final = 0.4
"""Standard deviation of the change in the logarithm of each number of a perturbed planner."""


def perturbed(rng: np.random.Generator) -> CompiledPolicy:
    """Return a planner of either kind with all its numbers changed."""
    base = Planner1() if rng.random() < 1 / 2 else Planner2()
    numbers = {field.name: float(getattr(base, field.name)) for field in fields(base)}
    return Planner(**{name: number * float(np.exp(SPREAD * rng.normal())) for name, number in numbers.items()})


def drawer(rng: np.random.Generator) -> CompiledPolicy:
    """Return a planner who draws many tickets."""
    return Planner(ticket_bar=float(rng.uniform(-12, 0)), ticket_trains=float(rng.uniform(6, 18)), ticket_turns=3.0)


STRANGERS: Final = ("perturbed planners", "planners who draw tickets")
"""Kinds for which the table also has a joint line."""
KINDS: Final[dict[str, Callable[[np.random.Generator], CompiledPolicy]]] = {
    "Planner": lambda _: Planner(),
    "Planner1": lambda _: Planner1(),
    "perturbed planners": perturbed,
    "planners who draw tickets": drawer,
    "Greedy": lambda _: Greedy(),
    **{name: (lambda _, name=name: find_policy(name)) for name in RIVALS},
}


class Moment(NamedTuple):
    """A moment of a game: what one seat knows, another's tickets, and the share of the win that the seat got."""

    known: Knowledge
    seat: int
    held: list[int]
    won: float
    number: int


def moments(kind: str, name: str, n_players: int, n_games: int, seed: int = SEED) -> Iterator[Moment]:
    """Yield moments of games between players of one kind."""
    game = ttr.Game(ttr.load_map(name), n_players=n_players)
    numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
    for number in range(n_games):
        rng = np.random.default_rng([seed, n_players, number])
        record = game.play([KINDS[kind](rng) for _ in range(n_players)], seed, number)
        for step in rng.choice(len(record.steps) - 1, N_MOMENTS, replace=False).tolist():
            state = record.state_at(step)
            looker = int(rng.integers(n_players))
            seat = (looker + 1) % n_players
            held = [numbers[ticket.id] for ticket in state.tickets[seat] if ticket is not None]
            won = (looker in record.winners) / len(record.winners)
            known = Watcher(record, looker).at(step)._replace(styled=styled_share(record, [looker], step))
            yield Moment(known, seat, held, won, number)


def table_of(moment: Moment) -> Rollouts:
    """Return the rollouts from a moment."""
    return Rollouts(moment.known.game_map, moment.known.n_players, seed=moment.number)


def tickets_of(moment: Moment, n_worlds: int = N_WORLDS) -> list[tuple[float, bool]]:
    """Return the predicted probability of each ticket for the seat, and whether the seat held it."""
    chances = believed(table_of(moment), moment.known, moment.seat, n_worlds)
    return [(float(p), ticket in moment.held) for ticket, p in enumerate(chances) if p > 0]


def win_of(moment: Moment) -> tuple[float, float]:
    """Return the predicted chance of the viewer, and its share of the win."""
    won = table_of(moment).play(moment.known, N_ROLLOUTS).won[:, moment.known.viewer].sum()
    return (won + 1) / (N_ROLLOUTS + moment.known.n_players), moment.won


def believed(table: Rollouts, known: Knowledge, seat: int, n_worlds: int) -> Floats:
    """Return the probability that a seat holds each ticket of a map."""
    worlds = table.worlds(known, table.believe(known), n_worlds)
    counts = np.zeros(len(known.game_map.tickets))
    for world in map(State, worlds):
        counts[world.held[seat, : world.n_held[seat]]] += 1
    return counts / n_worlds


def slope_of(predicted: Floats, won: Floats) -> float:
    """Return the slope of a logistic regression of outcomes on predicted log odds."""
    odds = logit(predicted)

    def loss(weights: Floats) -> float:
        chance = np.clip(expit(weights[0] + weights[1] * odds), 1e-9, 1 - 1e-9)
        return float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())

    return float(minimize(loss, [0.0, 1.0]).x[1])


def line(kind: str, tickets: Floats, wins: Floats) -> str:
    """Return a line of the table, from predictions and outcomes."""
    sure = tickets[tickets[:, 0] > SURE, 1]
    rate, low, high = rate_interval(float(sure.sum()), max(1, len(sure)))
    predicted, won = wins.T
    brier = float(((predicted - won) ** 2).mean())
    slope = slope_of(predicted, won)
    drawn = [slope_of(predicted[at], won[at]) for at in resamples(len(won))]
    return (
        f"| {kind} | {len(sure):,} | {rate:.0%} ({low:.0%} to {high:.0%}) "
        f"| {slope:.2f} ({np.quantile(drawn, 0.025):.2f} to {np.quantile(drawn, 0.975):.2f}) | {brier:.3f} |"
    )


def main(n_games: int = N_GAMES) -> None:
    """Print the table."""
    print("| players | tickets predicted above 90% | of these held | slope of win probabilities | Brier score |")
    print("|---|---|---|---|---|")
    tickets: dict[str, Floats] = {}
    wins: dict[str, Floats] = {}
    for kind in KINDS:
        found = [moment for name, n_players in TABLES for moment in moments(kind, name, n_players, n_games)]
        tickets[kind] = np.array([row for moment in found for row in tickets_of(moment)])
        wins[kind] = np.array([win_of(moment) for moment in found])
        print(line(kind, tickets[kind], wins[kind]), flush=True)
    both = [np.concatenate([rows[kind] for kind in STRANGERS]) for rows in (tickets, wins)]
    print(line(" and ".join(STRANGERS), *both))


def resamples(n: int) -> list[Ints]:
    """Return indices of resampled positions, keeping those of a game together."""
    rng = np.random.default_rng(SEED)
    games = np.arange(n).reshape(-1, N_MOMENTS)
    return [games[rng.integers(len(games), size=len(games))].ravel() for _ in range(100)]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
