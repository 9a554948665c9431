"""
Fit the constants of the ticket beliefs and measure how good they are: `python -m scripts.fit_beliefs`.

`--in-use` fits nothing and evaluates the constants in use on all games. For
games that none was fitted to, give a `--seed` other than 11 and 14, which they
were fitted with.

Planners play on different kinds of maps. At random moments of the games, the
features of the tickets that a seat holds are summed, and so are those of the
tickets drawn for it from what another seat can know. The constants make both
means equal, which is the maximum likelihood fit where worlds do not model the
choice of tickets. Newton's method finds them, with means and covariances over
sampled worlds [1]_. Games not used for fitting then give the probability of a
held ticket: the share of worlds in which its seat holds it.

References
----------
.. [1] Geyer, C. J. and Thompson, E. A. "Constrained Monte Carlo maximum
   likelihood for dependent data". Journal of the Royal Statistical Society B
   54 (1992), 657-699.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from tqdm.auto import tqdm

import ttr_analysis as ttr
from ttr_analysis.engine.layout import State
from ttr_analysis.policies import Planner, Random
from ttr_analysis.policies.search.beliefs import (
    FITTED,
    N_FEATURES,
    Model,
    alone_on,
    believe,
    built_part,
    fill_on_way,
    fill_ticket_features,
    pair_features,
)
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.tables import MAX_TICKETS

if TYPE_CHECKING:
    from ttr_analysis._compile import Floats, Ints

TABLES: Final = (("nordic", 2), ("nordic", 3), ("usa", 3), ("usa", 5), ("switzerland", 3), ("nederland", 3))
LEFT_OUT: Final = ("nederland",)
"""Maps not used for fitting, to show how well the constants do elsewhere."""
N_WORLDS: Final = 10
N_STEPS: Final = 8
NAMES: Final = (
    *("share", "saved", "done", "untouched", "trains alone", "routes alone", "late share", "late done"),
    *("late untouched", "scattered share", "detour", "late routes"),
    *("shared", "shared alone", "shared late"),
    *("on the way", "on the way late"),
)
PAIRS: Final = slice(N_FEATURES, N_FEATURES + len(FITTED.pair_fit))
WAYS: Final = slice(PAIRS.stop, len(NAMES))
assert len(FITTED.way_fit) == WAYS.stop - WAYS.start  # noqa: S101


class Moment(NamedTuple):
    """A moment of a game: one seat's knowledge, another seat, its tickets, and the features of all tickets."""

    known: Knowledge
    seat: int
    held: list[int]
    signs: Floats
    pairs: Floats
    on_way: Ints

    def sums(self, sets: list[list[int]], model: Model) -> Floats:
        """Return a row for each set of tickets: the sums of its features, of its pairs that count, and of routes."""
        weights = np.tensordot(model.pair_fit, self.pairs, 1)
        signs = [self.signs[tickets].sum(axis=0) for tickets in sets]
        joint = [
            sum((self.pairs[:, one, other] for one, other in tree(weights, tickets)), np.zeros(len(self.pairs)))
            for tickets in sets
        ]
        n_routes = np.array([int(np.bitwise_or.reduce(self.on_way[tickets])).bit_count() for tickets in sets])
        return np.column_stack([signs, joint, n_routes, built_part(self.known, self.seat) * n_routes])


def tree(weights: Floats, tickets: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of tickets that form a tree with the largest total weight."""
    left = tickets[1:]
    nearest = dict.fromkeys(left, tickets[0])
    edges = []
    while left:
        best = max(left, key=lambda ticket: weights[ticket, nearest[ticket]])
        left.remove(best)
        edges.append((best, nearest[best]))
        for ticket in left:
            if weights[ticket, best] > weights[ticket, nearest[ticket]]:
                nearest[ticket] = best
    return edges


class Games(NamedTuple):
    """The games to play on each map."""

    seed: int
    n_games: int
    n_moments: int
    """Moments per game."""


def moments(name: str, n_players: int, games: Games) -> tuple[list[Moment], list[Moment]]:
    """Return moments to fit the constants with, and others to test them with."""
    game = ttr.Game(ttr.load_map(name), n_players=n_players)
    numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
    alone = alone_on(game.game_map, n_players)
    rng = np.random.default_rng(games.seed)
    found: tuple[list[Moment], list[Moment]] = ([], [])
    for number in tqdm(range(games.n_games), desc=f"{name}, {n_players} players"):
        record = game.play([Planner()] * n_players, games.seed, number)
        states = record.states()
        for step in sorted(rng.integers(n_players, len(states) - 1, size=games.n_moments)):
            state = states[int(step)]
            seat = int(rng.integers(n_players))
            known = Watcher(record, (seat + 1) % n_players).at(int(step))
            signs = np.zeros((MAX_TICKETS, N_FEATURES))
            shared = np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
            on_way = np.zeros(MAX_TICKETS, dtype=np.int64)
            fill_ticket_features(known.packed, known.tables, alone, seat, signs, shared)
            fill_on_way(known.packed, known.tables, seat, on_way)
            held = [numbers[ticket.id] for ticket in state.tickets[seat] if ticket is not None]
            pairs = pair_features(known, alone, seat, shared)
            found[number % 3 == 0].append(Moment(known, seat, held, signs, pairs, on_way))
    return found


def worlds_of(moment: Moment, model: Model | None, seed: int) -> list[State]:
    """Return worlds of a moment; without a model, all tickets are equally likely."""
    known = moment.known
    table = Rollouts(known.game_map, known.n_players, seed=seed)
    beliefs = believe(known, table.policies, model) if model else believe(known, [Random()] * known.n_players)
    return [State(world) for world in table.worlds(known, beliefs, N_WORLDS)]


def drawn(moment: Moment, model: Model | None, seed: int) -> list[list[int]]:
    """Return the tickets that are drawn for the seat, one set per world."""
    return [world.held[moment.seat, : world.n_held[moment.seat]].tolist() for world in worlds_of(moment, model, seed)]


def model_of(constants: Floats) -> Model:
    """Return a model with these constants, in the order of their names."""
    return Model(constants[:N_FEATURES], constants[PAIRS], constants[WAYS])


def fit(some: list[Moment], seed: int) -> Floats:
    """Return the constants with which the tickets drawn have features like those held."""
    constants = np.zeros(len(NAMES))
    for _ in tqdm(range(N_STEPS), desc="fit"):
        model = model_of(constants)
        sets = [drawn(moment, model, seed + number) for number, moment in enumerate(some)]
        samples = [moment.sums(them, model) for moment, them in zip(some, sets, strict=True)]
        true = np.mean([moment.sums([moment.held], model)[0] for moment in some], axis=0)
        mean = np.mean([sample.mean(axis=0) for sample in samples], axis=0)
        covariance = np.mean([np.cov(sample.T) for sample in samples], axis=0) + 1e-4 * np.eye(len(NAMES))
        constants += np.clip(0.7 * np.linalg.solve(covariance, true - mean), -1.5, 1.5)
    return constants


def score(some: list[Moment], model: Model | None, seed: int) -> float:
    """Return the mean probability of the tickets that are held: the share of worlds in which the seat holds them."""
    shares = []
    for number, moment in enumerate(some):
        sets = drawn(moment, model, seed + number)
        shares += [sum(ticket in tickets for tickets in sets) / len(sets) for ticket in moment.held]
    return float(np.mean(shares))


def main(arguments: Sequence[str] | None = None) -> None:
    """Show how good the beliefs are, newly fitted or in use; if they are fitted, show the constants too."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11, help="seed of the games and the worlds (%(default)s)")
    parser.add_argument("--games", type=int, default=150, help="games on each map (%(default)s)")
    parser.add_argument("--moments", type=int, default=3, help="moments of each game (%(default)s)")
    parser.add_argument("--in-use", action="store_true", help="fit nothing: only show the constants in use")
    given = parser.parse_args(arguments)
    games = Games(given.seed, given.games, given.moments)
    found = {table: moments(*table, games) for table in TABLES}
    tried: dict[str, Model | None] = {"equally likely": None, "in use": FITTED}
    if not given.in_use:
        some = [moment for (name, _), (to_fit, _) in found.items() if name not in LEFT_OUT for moment in to_fit]
        fitted, in_use = fit(some, games.seed), np.concatenate(FITTED)
        tried["fitted"] = model_of(fitted)
        print(f"{'':>15} fitted in use")
        print(*(f"{name:>15} {a:6.2f} {b:6.2f}" for name, a, b in zip(NAMES, fitted, in_use, strict=True)), sep="\n")
    judged = "all games" if given.in_use else "games not fitted to"
    print(f"\nmean probability of a held ticket, in {judged}: {', '.join(tried)}")
    for (name, n_players), (to_fit, others) in found.items():
        judging = [*to_fit, *others] if given.in_use else others
        scores = [score(judging, model, games.seed) for model in tried.values()]
        print(f"{name:>12} {n_players} players", *(f"{value:6.2f}" for value in scores))


if __name__ == "__main__":
    main()
