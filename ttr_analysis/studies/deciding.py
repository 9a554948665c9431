"""
From games to one row for each decision, compiled: what the seat had, what it could do, and what it did.

A game is followed by its events, as `collecting` does, so that all players are noted alike.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ttr_analysis._arrays import Flags, Ints, Narrow
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.engine.codes import FIRST_EVENT, KIND_MASK, TAPE_START, kind_of, without_seat
from ttr_analysis.engine.kernel.numbering import Numbering, index_of, numbering_of
from ttr_analysis.engine.kernel.numbering import fill_mask as fill_legal
from ttr_analysis.engine.kernel.scoring import goal_reached, label_cities, margins
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import KEEP_START, NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.scoring import NO_GOAL
from ttr_analysis.studies.collecting import script_game
from ttr_analysis.tables import MAX_CITIES, Tables, game_tables

NOTED: Final = (
    "seat",
    "turn",
    "phase",
    "cards",
    "locomotives",
    "most_of_a_color",
    "trains",
    "points",
    "tickets",
    "connected",
    "rival_trains",
    "rival_points",
    "pile",
    "is_last",
    "action",
)
"""What is noted of each decision, in this order."""


@compiled
def _note(state: State, tables: Tables, numbers: Numbering, code: int, value: int, noted: Narrow, legal: Flags) -> None:
    fill_legal(state, tables, numbers, legal)
    seat, n_seats = state.seat, tables.n_seats
    most, connected, label = 0, 0, np.empty(MAX_CITIES, dtype=np.int64)
    for color in range(N_COLORS):
        most = max(most, state.hand[seat, color])
    label_cities(state, tables, seat, label)
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET and goal_reached(tables, ticket, label) != NO_GOAL:
            connected += 1
    rival = (seat + 1) % n_seats
    fewest, best = state.trains[rival], state.score[rival]
    for other in range(n_seats):
        if other != seat:
            fewest, best = min(fewest, state.trains[other]), max(best, state.score[other])
    noted[0] = seat
    noted[1] = 0 if state.phase == KEEP_START else state.n_turns // n_seats + 1
    noted[2] = state.phase
    noted[3] = state.n_hand[seat]
    noted[4] = state.hand[seat, LOCOMOTIVE_INDEX]
    noted[5] = most
    noted[6] = state.trains[seat]
    noted[7] = state.score[seat]
    noted[8] = state.n_held[seat]
    noted[9] = connected
    noted[10] = fewest
    noted[11] = best
    noted[12] = state.n_pile
    noted[13] = int(state.last_left != NOBODY)
    noted[14] = index_of(state, tables, numbers, code, value)


@quickly_compiled
def note_decision(
    state: State, tables: Tables, numbers: Numbering, code: int, value: int, noted: Narrow, legal: Flags
) -> None:
    """Note a decision of the seat that acts, and mark which actions were legal."""
    _note(state, tables, numbers, code, value, noted, legal)


@quickly_compiled
def _follow(
    tables: Tables, numbers: Numbering, events: Ints, state: State, tape: Ints, noted: Narrow, legal: Flags
) -> None:
    """Follow the events of a game from its beginning, and note its decisions, one a row."""
    script_game(events, tape)
    new_game(tables, np.zeros(KEY_SIZE, dtype=np.int64), 0, state, tape)
    n = 0
    for i in range(len(events)):
        if kind_of(events[i, 0]) < FIRST_EVENT:
            code, value = without_seat(events[i, 0]), events[i, 1]
            _note(state, tables, numbers, code, value, noted[n], legal[n])
            step(state, tables, code, value, tape)
            n += 1


def outcomes(points: Narrow, won: Narrow) -> dict[str, npt.NDArray[Any]]:
    """Return how games ended for each seat, shape (games, seats), from final points and 1 for each winner."""
    return {
        "final_points": points,
        "margin": margins(points),
        "won": won / np.maximum(1, won.sum(axis=1, keepdims=True)),
    }


class DecisionNotes:
    """Notes of the decisions of some games: `game` and `step` number them, and `n_legal` cuts `legal` into rows."""

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self.tables, self.numbers = game_tables(game_map, n_players), numbering_of(game_map)
        self._parts: list[dict[str, npt.NDArray[Any]]] = []

    def follow(self, game: int, events: Ints) -> None:
        """Add the decisions of a game, from all its events."""
        noted, legal = self.room(int(((events[:, 0] & KIND_MASK) < FIRST_EVENT).sum()))
        tape = np.zeros(TAPE_START + events.size, dtype=np.int64)
        _follow(self.tables, self.numbers, events, State(), tape, noted, legal)
        self.add(game, np.arange(1, 1 + len(noted)), noted, legal)

    def room(self, n: int) -> tuple[Narrow, Flags]:
        """Return arrays for the notes and legal actions of n decisions."""
        return np.zeros((n, len(NOTED)), dtype=np.int32), np.zeros((n, len(self.numbers.rows)), dtype=np.int8)

    def add(self, game: int, steps: Ints, noted: Narrow, legal: Flags) -> None:
        """Add decisions that were noted, by the steps of a record that they make."""
        marked = np.flatnonzero(legal.view(np.bool_))
        self._parts.append(
            {
                "game": np.full(len(steps), game),
                "step": steps,
                "n_legal": legal.sum(axis=1),
                "legal": (marked % legal.shape[1]).astype(np.int16),
                **dict(zip(NOTED, noted.T, strict=True)),
            }
        )

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the notes of all games."""
        names = ("game", "step", "n_legal", "legal", *NOTED)
        parts = self._parts or [dict.fromkeys(names, np.zeros(0, dtype=np.int64))]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
