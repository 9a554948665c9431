"""
Find the constants of what is believed of tickets, and show what they are worth: `python -m scripts.fit_beliefs`.

Planners, others unlike them, and `Greedy` play on maps of different kinds. At random moments of their games the
signs of the tickets that a seat holds are summed up, and so are those of the
tickets that are drawn for it from what another seat can know. The constants of
highest likelihood are those with which both have the same means; Newton's
method finds them, with means and covariances over worlds drawn [1]_. Games that
were not fitted to then say how likely a ticket held is, among all that are not
seen elsewhere and given the other tickets of its seat.

References
----------
.. [1] Geyer, C. J. and Thompson, E. A. "Constrained Monte Carlo maximum
   likelihood for dependent data". Journal of the Royal Statistical Society B
   54 (1992), 657-699.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from tqdm.auto import tqdm

import ttr_analysis as ttr
from scripts.strangers import KINDS
from ttr_analysis.engine.layout import AT_PILE, State
from ttr_analysis.policies.search.beliefs import (
    FIT,
    N_FEATURES,
    SHARED,
    SHARED_ALONE,
    alone_on,
    fill_ticket_features,
    pair_part,
)
from ttr_analysis.policies.search.unseen_tickets import Beliefs
from ttr_analysis.policies.search.worlds import Knowledge, fill_worlds, knowledge_of
from ttr_analysis.rules.chance import seed_key
from ttr_analysis.tables import MAX_TICKETS

if TYPE_CHECKING:
    from ttr_analysis._arrays import Floats, Ints

TABLES: Final = (("nordic", 2), ("nordic", 3), ("usa", 3), ("usa", 5), ("switzerland", 3), ("nederland", 3))
LEFT_OUT: Final = ("nederland",)
"""Maps that are shown only: how well the constants do where they were not fitted."""
STYLES: Final = {"Planner": 0.6, "perturbed planners": 0.2, "planners who draw tickets": 0.15, "Greedy": 0.05}
"""Who plays, and how often."""
N_GAMES: Final = 150
N_MOMENTS: Final = 3
"""Of each game."""
N_WORLDS: Final = 10
N_STEPS: Final = 8
SEED: Final = 11
NAMES: Final = (
    *("share", "saved", "done", "untouched", "trains alone", "routes alone", "late share", "late done"),
    *("late untouched", "scattered share", "shared", "shared alone"),
)
assert len(NAMES) == N_FEATURES + 2  # noqa: S101


class Moment(NamedTuple):
    """A moment of a game: what one seat knows, whose tickets are asked for, which they are, and all their signs."""

    known: Knowledge
    seat: int
    held: list[int]
    signs: list[Floats]
    shared: list[Ints]
    alone: Ints

    def sums(self, tickets: list[int]) -> Floats:
        """Return the sums of the signs of tickets, and of their pairs."""
        pairs = list(combinations(tickets, 2))
        joint = [sum(shared[pair] for pair in pairs) for shared in (self.shared[self.seat], self.alone)]
        return np.array([*self.signs[self.seat][tickets].sum(axis=0), *np.array(joint) * pair_part(len(tickets))])


def moments(name: str, n_players: int) -> tuple[list[Moment], list[Moment]]:
    """Return moments to fit with, and others to test with."""
    game = ttr.Game(ttr.load_map(name), n_players=n_players)
    numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
    alone = alone_on(game.game_map, n_players)
    rng = np.random.default_rng(SEED)
    found: tuple[list[Moment], list[Moment]] = ([], [])
    for number in tqdm(range(N_GAMES), desc=f"{name}, {n_players} players"):
        kinds = rng.choice(list(STYLES), n_players, p=list(STYLES.values()))
        states = game.play([KINDS[kind](rng) for kind in kinds], SEED, number).states()
        for step in sorted(rng.integers(n_players, len(states) - 1, size=N_MOMENTS)):
            state = states[int(step)]
            seat = int(rng.integers(n_players))
            known = knowledge_of(state, (seat + 1) % n_players)
            signs = [np.zeros((MAX_TICKETS, N_FEATURES)) for _ in range(n_players)]
            shared = [np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64) for _ in range(n_players)]
            for other in range(n_players):
                fill_ticket_features(known.packed, known.tables, alone, other, signs[other], shared[other])
            held = [numbers[ticket.id] for ticket in state.tickets[seat] if ticket is not None]
            found[number % 3 == 0].append(Moment(known, seat, held, signs, shared, alone.shared))
    return found


def drawn(moment: Moment, constants: Floats, number: int) -> Floats:
    """Return the sums of signs of tickets that are drawn for the seat, one row a world."""
    known = moment.known
    weights = np.exp([signs @ constants[:N_FEATURES] for signs in moment.signs])
    parts = [pair_part(n) for n in known.packed.n_held[: known.n_players]]
    joint = [constants[-2] * shared + constants[-1] * moment.alone for shared in moment.shared]
    pairs = np.exp([part * both for part, both in zip(parts, joint, strict=True)])
    worlds = np.empty((N_WORLDS, State.n_cells), dtype=np.int64)
    key = seed_key(SEED)
    fill_worlds(known.packed, known.tables, Beliefs(weights, pairs), known.looker, key, number * N_WORLDS, worlds)
    held = (world.held[moment.seat, : world.n_held[moment.seat]] for world in map(State, worlds))
    return np.array([moment.sums(tickets.tolist()) for tickets in held])


def fit(some: list[Moment]) -> Floats:
    """Return the constants with which tickets that are drawn have signs like those held."""
    true = np.mean([moment.sums(moment.held) for moment in some], axis=0)
    constants = np.zeros(len(NAMES))
    for _ in tqdm(range(N_STEPS), desc="fit"):
        samples = [drawn(moment, constants, number) for number, moment in enumerate(some)]
        mean = np.mean([sample.mean(axis=0) for sample in samples], axis=0)
        covariance = np.mean([np.cov(sample.T) for sample in samples], axis=0) + 1e-4 * np.eye(len(NAMES))
        constants += np.clip(0.7 * np.linalg.solve(covariance, true - mean), -1.5, 1.5)
    return constants


def score(some: list[Moment], constants: Floats) -> float:
    """Return the mean logarithm of the likelihood of a ticket held, given the other tickets of its seat."""
    logs = []
    for moment in some:
        places = moment.known.packed.ticket_at[: len(moment.known.game_map.tickets)]
        free = [ticket for ticket in np.flatnonzero(places == AT_PILE).tolist() if ticket not in moment.held]
        for ticket in moment.held:
            others = [other for other in moment.held if other != ticket]
            candidates = [ticket, *free]
            shared = moment.shared[moment.seat][np.ix_(candidates, others)].sum(axis=1)
            alone = moment.alone[np.ix_(candidates, others)].sum(axis=1)
            joint = np.column_stack([shared, alone]) * pair_part(len(moment.held))
            sums = np.column_stack([moment.signs[moment.seat][candidates], joint]) @ constants
            logs.append(sums[0] - np.logaddexp.reduce(sums))
    return float(np.mean(logs))


def main() -> None:
    """Fit, and print constants and scores."""
    found = {table: moments(*table) for table in TABLES}
    fitted = fit([moment for (name, _), (some, _) in found.items() if name not in LEFT_OUT for moment in some])
    in_use = np.array([*FIT, SHARED, SHARED_ALONE])
    print(f"{'':>15} fitted in use")
    print(*(f"{name:>15} {a:6.2f} {b:6.2f}" for name, a, b in zip(NAMES, fitted, in_use, strict=True)), sep="\n")
    print("\nmean log likelihood of a ticket held, in games not fitted to: all as likely, fitted, in use")
    for (name, n_players), (_, some) in found.items():
        scores = [score(some, constants) for constants in (np.zeros(len(NAMES)), fitted, in_use)]
        print(f"{name:>12} {n_players} players", *(f"{value:7.3f}" for value in scores))


if __name__ == "__main__":
    main()
