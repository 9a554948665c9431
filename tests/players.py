"""Players and executors of tests; policies go to other processes by the name of their module."""

from __future__ import annotations

from collections.abc import Container, Sequence
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.state import SeatView

if TYPE_CHECKING:
    import numpy as np


class First:
    """Does what comes first."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        return actions[0]


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
