"""Players and executors of tests; policies go to other processes by the name of their module."""

from __future__ import annotations

from collections.abc import Container, Sequence
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import ttr_analysis as ttr
from ttr_analysis import GameMap
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.engine.state import SeatView
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies import SimulationResult

if TYPE_CHECKING:
    import numpy as np


class First:
    """Does what comes first."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        return actions[0]


SEED = 7
PLAYERS: tuple[CompiledPolicy, ...] = (Greedy(), Random(), Random(), Greedy(), Random())


def simulate(game_map: GameMap, n_games: int, n_players: int = 3, **options: Any) -> SimulationResult:  # noqa: ANN401
    """Return games of the first of `PLAYERS`."""
    return ttr.simulate(game_map, PLAYERS[:n_players], n_games, SEED, progress=False, **options)


class Here(Executor):
    """Plays at once, but is interrupted in some chunks, by their number from 1."""

    def __init__(self, interrupted: Container[int] = ()) -> None:
        self.interrupted = interrupted
        self.n_chunks = 0

    def submit(self, function, /, *given, **named):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN003, ANN201
        self.n_chunks += 1
        future: Future[object] = Future()
        if self.n_chunks in self.interrupted:
            future.set_exception(KeyboardInterrupt())
        else:
            future.set_result(function(*given, **named))
        return future
