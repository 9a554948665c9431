"""
`Searcher`: a player who tries its moves out before it makes one.

What it may do is tried in worlds that agree with what its seat knows: see
`halving`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.view import SeatView
from ttr_analysis.policies._common import check_turn, first_look
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.search.candidates import Candidate, candidates
from ttr_analysis.policies.search.halving import Search, halve
from ttr_analysis.policies.search.rollouts import SEEDS
from ttr_analysis.policies.search.worlds import knowledge_of
from ttr_analysis.rules.chance import stream_from


@dataclass(frozen=True, slots=True)
class Searcher:
    """
    A player who tries its moves out before it makes one: the strongest of the package, and by far the slowest.

    It begins with what `Planner` would do, and considers the other draws, the
    dearest claims, tickets to draw, every choice of tickets to keep, ways to
    pay for a tunnel, and tracks for the neutral player. All of them are tried
    in the same worlds, as its seat may believe them to be, and planners play
    them to the end. Another move than Planner's must be better by one
    standard error of the difference, and by more after few rollouts.

    Parameters
    ----------
    rollouts
        Games that are played on for a decision, or about as many: at least
        one for each move.
    seconds
        Time for a decision, in place of `rollouts`. What is chosen then
        depends on how fast the machine is.
    candidates
        How many claims are considered, the dearest routes first.
    threads
        Cores at work on a decision. It does not change what is chosen, unless
        `seconds` are given.

    Raises
    ------
    ValueError
        If a number is below 1, or the seconds are not above 0.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play([Searcher(rollouts=20), ttr.policies.Greedy()], seed=7)
    >>> record.header.policies, record.winners
    (('Searcher', 'Greedy'), (0,))
    """

    rollouts: int = 400
    seconds: float | None = None
    candidates: int = 10
    threads: int = 1

    name: ClassVar[str] = "Searcher"

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing can be searched."""
        for what in ("rollouts", "candidates", "threads"):
            number: object = getattr(self, what)
            if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{what} is a whole number of 1 or more, got {number!r}")
        if self.seconds is not None and not (isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"seconds is a number above 0, got {self.seconds!r}")

    def choose(
        self,
        view: SeatView,
        actions: Sequence[Action],  # noqa: ARG002
        rng: np.random.Generator,
    ) -> Action:
        """
        Return what it would do.

        Parameters
        ----------
        view
            What the seat can see; it acts now. Nothing else is known of the
            game.
        actions
            Its legal actions, which are known from the view.
        rng
            Source of randomness; it gives a seed. One in the same state gives
            the same choice, unless `seconds` are given.

        Raises
        ------
        GameError
            If the seat does not act now.
        """
        check_turn(view)
        own, memory = first_look(Planner(), view, stream_from(rng))
        seed = int(rng.integers(SEEDS))
        tried = candidates(view, own, self.candidates)
        best = tried[0] if len(tried) == 1 else tried[self._search(view, tried, seed, memory)]
        return codec_of(view.game_map).decode(*best, view.packed)

    def _search(self, view: SeatView, tried: Sequence[Candidate], seed: int, memory: Ints) -> int:
        """Return the number of the best action; number 0 is kept if none is clearly better."""
        search = Search(knowledge_of(view, view.seat), seed, self.threads, memory)
        return halve(search, tried, self.rollouts, self.seconds).best
