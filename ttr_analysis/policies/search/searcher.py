"""
`Searcher`: a player who tries its moves out before it makes one.

What it may do is tried in worlds that agree with what its seat knows, each
move in the same worlds, and planners play them on to the end. Sequential
halving [1]_ spends the rollouts on the moves that look best.

References
----------
.. [1] Karnin, Z., Koren, T. and Somekh, O. "Almost optimal exploration in
   multi-armed bandits". ICML 2013, 1238-1246.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil, isfinite, log2
from time import perf_counter
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.view import SeatView
from ttr_analysis.policies._common import check_turn, first_choice
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.search.candidates import Candidate, candidates
from ttr_analysis.policies.search.rollouts import SEEDS, Table
from ttr_analysis.policies.search.worlds import Knowledge, knowledge_of
from ttr_analysis.rules.chance import stream_from

_LEAD: Final = 15.0
"""Scale of the logistic of a lead: with so many points more, it is 73% instead of 50%."""
_AT_ONCE: Final = 64
"""Worlds between two chances to interrupt."""
_GAMES_IN_TIME: Final = 8
"""Games between two looks at the clock."""
_FEWEST_PAIRS: Final = 2
"""Pairs of rollouts of which there is a standard error."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """
    A player who tries its moves out before it makes one: the strongest of the package, and by far the slowest.

    It begins with what `Planner` would do, and considers the other draws, the
    dearest claims, tickets to draw, every choice of tickets to keep, ways to
    pay for a tunnel, and tracks for the neutral player. All of them are tried
    in the same worlds, as its seat may believe them to be, and planners play
    them to the end. Another move than Planner's must be better by one
    standard error of the difference.

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
        own = first_choice(Planner(), view, stream_from(rng))
        seed = int(rng.integers(SEEDS))
        tried = candidates(view, own, self.candidates)
        best = tried[0] if len(tried) == 1 else tried[self._search(view, tried, seed)]
        return codec_of(view.game_map).decode(*best, view.packed)

    def _search(self, view: SeatView, tried: Sequence[Candidate], seed: int) -> int:
        """Return the number of the best action; number 0 is kept if none is clearly better."""
        search = _Search(view, seed, self.threads)
        alive: Ints = np.arange(len(tried), dtype=np.int64)
        values = np.empty((len(tried), 0))
        n_rounds = ceil(log2(len(tried)))
        start = perf_counter()
        for number in range(1, n_rounds + 1):
            until = start + (self.seconds or 0.0) * number / n_rounds
            rows = np.array(tried, dtype=np.int64)[alive]
            for n_worlds in self._batches(len(alive), n_rounds, until):
                values = np.hstack([values, search.values(rows, n_worlds)])
            best = np.argsort(-values.mean(axis=1), kind="stable")
            kept = np.union1d([0], best[: ceil(len(alive) / 2)])
            alive, values = alive[kept], values[kept]
        found = int(values.mean(axis=1).argmax())
        return int(alive[found]) if _is_clear(values[found] - values[0]) else 0

    def _batches(self, n_alive: int, n_rounds: int, until: float) -> Iterator[int]:
        """Yield numbers of worlds to be tried, one after the other, as long as a round may go on."""
        if self.seconds is None:
            n_worlds = max(1, self.rollouts // (n_rounds * n_alive))
            for first in range(0, n_worlds, _AT_ONCE):
                yield min(_AT_ONCE, n_worlds - first)
            return
        n_worlds = max(1, _GAMES_IN_TIME // n_alive) * self.threads
        yield n_worlds
        while perf_counter() < until:
            yield n_worlds


def _is_clear(gain: Floats) -> bool:
    """Return whether a mean gain is above one standard error of it."""
    if len(gain) < _FEWEST_PAIRS:
        return False
    return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)))


class _Search:
    """
    Worlds of a view, and what actions are worth in them.

    Parameters
    ----------
    view
        What the seat that acts can see.
    seed
        Seed of worlds and rollouts.
    threads
        Cores at work.
    """

    def __init__(self, view: SeatView, seed: int, threads: int) -> None:
        self._known: Knowledge = knowledge_of(view, view.seat)
        # Players have room in which they think: each thread its own.
        self._tables = [Table(view.game_map, view.n_players, seed=seed) for _ in range(threads)]
        self._beliefs = self._tables[0].believe(self._known)
        self._n_worlds = 0

    def values(self, actions: Ints, n_worlds: int) -> Floats:
        """Return what actions, codes and values, are worth in so many new worlds, shape (actions, worlds)."""
        parts = [len(part) for part in np.array_split(np.arange(n_worlds), len(self._tables)) if len(part)]
        firsts = self._n_worlds + np.cumsum([0, *parts[:-1]])
        self._n_worlds += n_worlds
        given = [(table, actions, int(first), n) for table, first, n in zip(self._tables, firsts, parts, strict=False)]
        with ExitStack() as stack:
            run = stack.enter_context(ThreadPoolExecutor(len(given))).map if len(given) > 1 else map
            return np.hstack(list(run(self._values, *zip(*given, strict=True))))

    def _values(self, table: Table, actions: Ints, first: int, n_worlds: int) -> Floats:
        """Return the same for worlds of numbers from `first` on: half the share of the win, half what a lead says."""
        worlds = table.worlds(self._known, self._beliefs, n_worlds, first)
        results = table.try_out(worlds, first, actions)
        seat = self._known.looker
        lead = results.points[:, :, seat] - np.delete(results.points, seat, axis=2).max(axis=2)
        values: Floats = 0.5 * results.won[:, :, seat] + 0.5 / (1.0 + np.exp(-lead / _LEAD))
        return values
