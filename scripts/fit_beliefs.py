"""
Find the constants of what is believed of tickets, and show what they are worth: `python -m scripts.fit_beliefs`.

Planners play on maps of different kinds. At random moments of their games each
ticket of each seat is asked for, given its other tickets: how likely is it,
among all that another seat does not see elsewhere? The constants are those
that make the tickets held most likely, on two games of three; on the third the
mean logarithm of that likelihood is compared with that of tickets that are all
as likely. On a map on which planners do not build for their tickets, these
constants claim too much: it is left out of the fit, and shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize
from tqdm.auto import tqdm

import ttr_analysis as ttr
from ttr_analysis.engine.layout import AT_PILE, TICKET_AT
from ttr_analysis.studies.winning.beliefs import FIT, SHARED, SHARED_ALONE, alone_on
from ttr_analysis.studies.winning.knowledge import knowledge_of
from ttr_analysis.studies.winning.signs import N_SIGNS, fill_signs
from ttr_analysis.tables.games import MAX_TICKETS

if TYPE_CHECKING:
    from ttr_analysis.studies.winning.signs import Floats, Ints

TABLES: Final = (
    ("nordic", 2),
    ("nordic", 3),
    ("usa", 2),
    ("usa", 3),
    ("usa", 5),
    ("switzerland", 2),
    ("switzerland", 3),
)
LEFT_OUT: Final = (("nederland", 3),)
N_GAMES: Final = 150
N_MOMENTS: Final = 3
"""Of each game."""
SEED: Final = 11
NAMES: Final = ("share", "saved", "done", "late done", "trains alone", "routes alone", "shared", "shared alone")


class Asked:
    """Tickets asked for: the signs of each candidate, the one held first, and where each question begins."""

    def __init__(self, questions: list[Floats]) -> None:
        self.signs = np.concatenate(questions)
        self.sizes = np.array([len(question) for question in questions])
        self.first = np.cumsum(self.sizes) - self.sizes

    def score(self, constants: Floats) -> tuple[float, Floats]:
        """Return minus the mean logarithm of the likelihood of what is held, and its gradient."""
        logs = self.signs @ constants
        logs -= np.repeat(np.maximum.reduceat(logs, self.first), self.sizes)
        chances = np.exp(logs)
        totals = np.add.reduceat(chances, self.first)
        value = np.log(totals) - logs[self.first]
        expected = (chances / np.repeat(totals, self.sizes)) @ self.signs
        gradient = (expected - self.signs[self.first].sum(axis=0)) / len(self.first)
        return float(value.mean()), gradient


def ask(name: str, n_players: int) -> tuple[list[Floats], list[Floats]]:
    """Return questions to fit with, and others to test with."""
    game = ttr.Game(ttr.load_map(name), n_players=n_players)
    numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
    alone = alone_on(game.game_map, n_players)
    rng = np.random.default_rng(SEED)
    signs, shared = np.zeros((MAX_TICKETS, N_SIGNS)), np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    questions: tuple[list[Floats], list[Floats]] = ([], [])
    for number in tqdm(range(N_GAMES), desc=f"{name}, {n_players} players"):
        record = game.play([ttr.policies.Planner()] * n_players, SEED, number)
        states = record.states()
        for step in sorted(rng.integers(n_players, len(states) - 1, size=N_MOMENTS)):
            state = states[int(step)]
            for seat in range(n_players):
                known = knowledge_of(state, (seat + 1) % n_players)
                fill_signs(known.vector, known.tables, alone, seat, signs, shared)
                held = [numbers[ticket.id] for ticket in state.tickets[seat] if ticket is not None]
                places = known.vector[TICKET_AT : TICKET_AT + len(numbers)]
                free = [ticket for ticket in np.flatnonzero(places == AT_PILE).tolist() if ticket not in held]
                questions[number % 3 == 0].extend(_questions(held, free, signs, shared, alone.shared))
    return questions


def _questions(held: list[int], free: list[int], signs: Floats, shared: Ints, alone: Ints) -> list[Floats]:
    found = []
    for ticket in held:
        others = [other for other in held if other != ticket]
        candidates = [ticket, *free]
        pairs = [matrix[np.ix_(candidates, others)].sum(axis=1) for matrix in (shared, alone)]
        found.append(np.column_stack([signs[candidates], *pairs]))
    return found


def main() -> None:
    """Fit, and print constants and scores."""
    asked = {table: ask(*table) for table in (*TABLES, *LEFT_OUT)}
    fit = Asked([question for table in TABLES for question in asked[table][0]])
    result = minimize(fit.score, np.zeros(len(NAMES)), jac=True, method="BFGS")
    print(*(f"{name:>13} {value:6.2f}" for name, value in zip(NAMES, result.x, strict=True)), sep="\n")
    in_use = np.array([*FIT, SHARED, SHARED_ALONE])
    print("\nmean log likelihood of a ticket held, in games not fitted to: all as likely, fitted now, in use")
    for (name, n_players), (_, questions) in asked.items():
        test = Asked(questions)
        scores = [-test.score(constants)[0] for constants in (np.zeros(len(NAMES)), result.x, in_use)]
        print(f"{name:>12} {n_players} players", *(f"{score:7.3f}" for score in scores))


if __name__ == "__main__":
    main()
