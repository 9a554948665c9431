"""
Fit the constants of the ticket beliefs and measure how good they are: `python -m scripts.fit_beliefs`.

`--in-use` fits nothing and evaluates the constants in use on all games. For
games that none was fitted to, give a `--seed` other than 11, which they were
fitted with, and 14, the other half of `SOUND`.

Planners play on different kinds of maps; for the model of the search, different
players and `Greedy` join them. At random moments of the games, the features of
the tickets that a seat holds are summed, and so are those of the tickets drawn
for it from what another seat can know. The constants make both means equal,
which is the maximum likelihood fit where worlds do not model the choice of
tickets. Newton's method finds them, with means and covariances over sampled
worlds [1]_. Constants of 0, for features that a model does not use, are not
fitted. Games not used for fitting then give the probability of a held ticket:
the share of worlds in which its seat holds it.

References
----------
.. [1] Geyer, C. J. and Thompson, E. A. "Constrained Monte Carlo maximum
   likelihood for dependent data". Journal of the Royal Statistical Society B
   54 (1992), 657-699.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from tqdm.auto import tqdm

import ttr_analysis as ttr
from scripts.strangers import KINDS
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.playout import as_players, seat_players
from ttr_analysis.policies.search.beliefs import (
    IN_PLAY,
    N_FEATURES,
    SOUND,
    Alone,
    Beliefs,
    Model,
    alone_on,
    built_part,
    chosen_part,
    fill_on_way,
    fill_ticket_features,
    pair_features,
)
from ttr_analysis.policies.search.knowledge import Knowledge, knowledge_of
from ttr_analysis.policies.search.worlds import fill_worlds
from ttr_analysis.rules.chance import seed_key
from ttr_analysis.tables import MAX_TICKETS

if TYPE_CHECKING:
    from ttr_analysis._arrays import Floats, Ints

TABLES: Final = (("nordic", 2), ("nordic", 3), ("usa", 3), ("usa", 5), ("switzerland", 3), ("nederland", 3))
LEFT_OUT: Final = ("nederland",)
"""Maps that are shown only: how well the constants do where they were not fitted."""
STYLES: Final = {"Planner": 0.6, "perturbed planners": 0.2, "planners who draw tickets": 0.15, "Greedy": 0.05}
"""Who plays, and how often, in the games that the model of the search is fitted to."""
N_WORLDS: Final = 10
N_STEPS: Final = 8
NAMES: Final = (
    *("share", "saved", "done", "untouched", "trains alone", "routes alone", "late share", "late done"),
    *("late untouched", "scattered share", "detour", "late routes"),
    *("shared", "shared alone", "shared late"),
    *("on the way", "on the way late"),
)
PAIRS: Final = slice(N_FEATURES, N_FEATURES + len(SOUND.pair_fit))
WAYS: Final = slice(PAIRS.stop, len(NAMES))
assert len(SOUND.way_fit) == WAYS.stop - WAYS.start  # noqa: S101


class Moment(NamedTuple):
    """A moment of a game: what one seat knows, whose tickets are asked for, which they are, and all their signs."""

    known: Knowledge
    seat: int
    held: list[int]
    signs: list[Floats]
    shared: list[Ints]
    on_way: Ints
    alone: Alone

    def pairs(self, seat: int) -> Floats:
        """Return the signs of each two tickets of a seat."""
        return pair_features(self.known, self.alone, seat, self.shared[seat])

    def sums(self, sets: list[list[int]], constants: Floats, model: Model) -> Floats:
        """Return the sums of signs of some sets of tickets, of their pairs that count, and of routes; a row each."""
        pairs = self.pairs(self.seat)
        weights = np.tensordot(constants[PAIRS], pairs, 1)
        signs = [self.signs[self.seat][tickets].sum(axis=0) for tickets in sets]
        joint = []
        for tickets in sets:
            counting = tree(weights, tickets) if model.is_tree else combinations(tickets, 2)
            joint.append(sum((pairs[:, one, other] for one, other in counting), np.zeros(len(pairs))))
        parts = [[model.pair_part(len(tickets))] for tickets in sets]
        n_routes = [int(np.bitwise_or.reduce(self.on_way[self.seat][tickets])).bit_count() for tickets in sets]
        return np.column_stack(
            [signs, np.array(parts) * joint, n_routes, built_part(self.known, self.seat) * np.array(n_routes)]
        )


def tree(weights: Floats, tickets: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of tickets that join them to one tree, of those with the largest weight."""
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
    """What is played on each map."""

    seed: int
    n_games: int
    n_moments: int
    """Of each game."""


def moments(name: str, n_players: int, model: Model, games: Games) -> tuple[list[Moment], list[Moment]]:
    """Return moments to fit a model with, and others to test it with."""
    game = ttr.Game(ttr.load_map(name), n_players=n_players)
    numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
    alone = alone_on(game.game_map, n_players)
    rng = np.random.default_rng(games.seed)
    found: tuple[list[Moment], list[Moment]] = ([], [])
    for number in tqdm(range(games.n_games), desc=f"{name}, {n_players} players"):
        players = [KINDS["Planner"](rng)] * n_players
        if model is IN_PLAY:
            players = [KINDS[kind](rng) for kind in rng.choice(list(STYLES), n_players, p=list(STYLES.values()))]
        states = game.play(players, games.seed, number).states()
        for step in sorted(rng.integers(n_players, len(states) - 1, size=games.n_moments)):
            state = states[int(step)]
            seat = int(rng.integers(n_players))
            known = knowledge_of(state, (seat + 1) % n_players)
            signs = [np.zeros((MAX_TICKETS, N_FEATURES)) for _ in range(n_players)]
            shared = [np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64) for _ in range(n_players)]
            on_way = np.zeros((n_players, MAX_TICKETS), dtype=np.int64)
            for other in range(n_players):
                fill_ticket_features(known.packed, known.tables, alone, other, signs[other], shared[other])
                fill_on_way(known.packed, known.tables, other, on_way[other])
            held = [numbers[ticket.id] for ticket in state.tickets[seat] if ticket is not None]
            found[number % 3 == 0].append(Moment(known, seat, held, signs, shared, on_way, alone))
    return found


def drawn(moment: Moment, constants: Floats, model: Model, seed: int, number: int) -> list[list[int]]:
    """Return the tickets that are drawn for the seat, one set a world."""
    known = moment.known
    n_players = known.n_players
    weights = np.exp([signs @ constants[:N_FEATURES] for signs in moment.signs])
    parts = [model.pair_part(n) for n in known.packed.n_held[:n_players]]
    joint = [np.tensordot(constants[PAIRS], moment.pairs(seat), 1) for seat in range(n_players)]
    is_asked = known.tables.opening_deal <= model.most_offered
    chosen = np.array([chosen_part(known, seat) if is_asked else 0.0 for seat in range(n_players)])
    per_route = np.exp([constants[WAYS] @ [1.0, built_part(known, seat)] for seat in range(n_players)])
    joint_weights = np.exp(np.reshape(parts, (-1, 1, 1)) * joint)
    beliefs = Beliefs(weights, joint_weights, moment.on_way, per_route, chosen, int(model.is_tree))
    players = seat_players(known.game_map, as_players(["Planner"] * n_players))
    worlds = np.empty((N_WORLDS, State.n_cells), dtype=np.int64)
    key = seed_key(seed)
    fill_worlds(known.packed, known.tables, beliefs, players, known.viewer, key, number * N_WORLDS, worlds)
    return [world.held[moment.seat, : world.n_held[moment.seat]].tolist() for world in map(State, worlds)]


def constants_of(model: Model) -> Floats:
    """Return the constants of a model, in the order of their names."""
    return np.concatenate([model.fit, model.pair_fit, model.way_fit])


def fit(some: list[Moment], model: Model, seed: int) -> Floats:
    """Return the constants with which tickets that are drawn have signs like those held."""
    used = np.flatnonzero(constants_of(model))
    constants = np.zeros(len(NAMES))
    for _ in tqdm(range(N_STEPS), desc="fit"):
        sets = [drawn(moment, constants, model, seed, number) for number, moment in enumerate(some)]
        samples = [moment.sums(them, constants, model)[:, used] for moment, them in zip(some, sets, strict=True)]
        true = np.mean([moment.sums([moment.held], constants, model)[0, used] for moment in some], axis=0)
        mean = np.mean([sample.mean(axis=0) for sample in samples], axis=0)
        covariance = np.mean([np.cov(sample.T) for sample in samples], axis=0) + 1e-4 * np.eye(len(used))
        constants[used] += np.clip(0.7 * np.linalg.solve(covariance, true - mean), -1.5, 1.5)
    return constants


def score(some: list[Moment], constants: Floats, model: Model, seed: int) -> float:
    """Return how likely a ticket is, on average, that a seat holds: in how many of the worlds it does."""
    shares = []
    for number, moment in enumerate(some):
        sets = drawn(moment, constants, model, seed, number)
        shares += [sum(ticket in tickets for tickets in sets) / len(sets) for ticket in moment.held]
    return float(np.mean(shares))


def main(arguments: Sequence[str] | None = None) -> None:
    """Show how good both models are, newly fitted or as in use."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11, help="of the games and of the worlds (%(default)s)")
    parser.add_argument("--games", type=int, default=150, help="on each map (%(default)s)")
    parser.add_argument("--moments", type=int, default=3, help="of each game (%(default)s)")
    parser.add_argument("--in-use", action="store_true", help="fit nothing: only show the constants in use")
    given = parser.parse_args(arguments)
    games = Games(given.seed, given.games, given.moments)
    for title, model in (("what is asked", SOUND), ("the search", IN_PLAY)):
        print(f"\nof {title}")
        show(model, games, is_fitted=not given.in_use)


def show(model: Model, games: Games, *, is_fitted: bool) -> None:
    """Print what a model is worth; if it is fitted, its constants, too."""
    found = {table: moments(*table, model, games) for table in TABLES}
    in_use = constants_of(model)
    even = model._replace(most_offered=0)
    tried = {"all as likely": (np.zeros(len(NAMES)), even), "in use": (in_use, model)}
    if is_fitted:
        some = [moment for (name, _), (to_fit, _) in found.items() if name not in LEFT_OUT for moment in to_fit]
        fitted = fit(some, model, games.seed)
        tried["fitted"] = fitted, model
        print(f"{'':>15} fitted in use")
        print(*(f"{name:>15} {a:6.2f} {b:6.2f}" for name, a, b in zip(NAMES, fitted, in_use, strict=True)), sep="\n")
    judged = "games not fitted to" if is_fitted else "all games"
    print(f"\nhow likely a ticket is that is held, in {judged}: {', '.join(tried)}")
    for (name, n_players), (to_fit, others) in found.items():
        some = others if is_fitted else [*to_fit, *others]
        scores = [score(some, *believed, games.seed) for believed in tried.values()]
        print(f"{name:>12} {n_players} players", *(f"{value:6.2f}" for value in scores))


if __name__ == "__main__":
    main()
