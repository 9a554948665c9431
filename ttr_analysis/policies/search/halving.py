"""
Actions of a seat tried in the same worlds, and the best of them found by sequential halving.

Worlds agree with what the seat knows, and planners play them on to the end.
Sequential halving [1]_ spends the rollouts on the actions that look best.

References
----------
.. [1] Karnin, Z., Koren, T. and Somekh, O. "Almost optimal exploration in
   multi-armed bandits". ICML 2013, 1238-1246.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import ceil, log2
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis.policies.search.candidates import Candidate
from ttr_analysis.policies.search.rollouts import Results, Table
from ttr_analysis.policies.search.worlds import Knowledge

_LEAD: Final = 15.0
"""Scale of the logistic of a lead: with so many points more, it is 73% instead of 50%."""
_AT_ONCE: Final = 64
"""Worlds between two chances to interrupt."""
_GAMES_IN_TIME: Final = 8
"""Games between two looks at the clock."""
_FEWEST_PAIRS: Final = 2
"""Pairs of rollouts of which there is a standard error."""
_DOUBT: Final = 0.7
"""
What another move must gain on top, divided by the pairs of rollouts.

The one that looks best of many is hardly as good as it looks, and with few
rollouts it mostly is worse than the first.
"""


class Search:
    """
    Worlds of a seat, and how games end that go on there with one action or another.

    Parameters
    ----------
    known
        What the seat that acts knows.
    seed
        Seed of worlds and rollouts.
    threads
        Cores at work.
    memory
        What the planner at the seat remembers, with the plan that it has made:
        in the rollouts it goes on with that. By default nothing.
    """

    def __init__(self, known: Knowledge, seed: int, threads: int = 1, memory: Ints | None = None) -> None:
        self.known = known
        self._memory = memory
        self.n_worlds = 0
        """Worlds so far: none of them comes again."""
        # Players have room in which they think: each thread its own.
        self._tables = [Table(known.game_map, known.n_players, seed=seed) for _ in range(threads)]
        self._beliefs = self._tables[0].believe(known)

    @property
    def threads(self) -> int:
        """Cores at work."""
        return len(self._tables)

    def results(self, actions: Ints, n_worlds: int) -> Results:
        """Return how games end after actions, codes and values, in so many new worlds: (actions, worlds, seats)."""
        parts = [len(part) for part in np.array_split(np.arange(n_worlds), len(self._tables)) if len(part)]
        firsts = self.n_worlds + np.cumsum([0, *parts[:-1]])
        self.n_worlds += n_worlds
        given = [(table, actions, int(first), n) for table, first, n in zip(self._tables, firsts, parts, strict=False)]
        with ExitStack() as stack:
            run = stack.enter_context(ThreadPoolExecutor(len(given))).map if len(given) > 1 else map
            return _joined(list(run(self._results, *zip(*given, strict=True))), axis=1)

    def _results(self, table: Table, actions: Ints, first: int, n_worlds: int) -> Results:
        """Return the same for worlds of numbers from `first` on."""
        worlds = table.worlds(self.known, self._beliefs, n_worlds, first)
        return table.try_out(worlds, first, actions, self._memory)

    def worth(self, results: Results) -> Floats:
        """Return what results are worth to the seat: half its share of the win, half what its lead says."""
        seat = self.known.looker
        lead = leads(results, seat)
        values: Floats = 0.5 * results.won[..., seat] + 0.5 / (1.0 + np.exp(-lead / _LEAD))
        return values


def leads(results: Results, seat: int) -> Ints:
    """Return the points of a seat less the most of another one, below 0 if it is behind."""
    lead: Ints = results.points[..., seat] - np.delete(results.points, seat, axis=-1).max(axis=-1)
    return lead


class Halving(NamedTuple):
    """
    What came of actions that were tried.

    Parameters
    ----------
    best
        Number of the best action: 0 unless another one is clearly better.
    results
        For each action how games ended, shape (worlds, seats): all were tried
        in the first worlds, those that looked best in more.
    """

    best: int
    results: tuple[Results, ...]


def halve(search: Search, tried: Sequence[Candidate], rollouts: int, seconds: float | None = None) -> Halving:
    """
    Try actions out, in each round the better half of those before, and return what came of it.

    Parameters
    ----------
    search
        The worlds.
    tried
        Legal actions. The first one stays to the end: another must be better
        by one standard error of the difference to be the best.
    rollouts
        Games that are played on, or about as many: at least one for each
        action.
    seconds
        Time for all of them, in place of `rollouts`.
    """
    alive: Ints = np.arange(len(tried), dtype=np.int64)
    values = np.empty((len(tried), 0))
    parts: list[list[Results]] = [[] for _ in tried]
    n_rounds = max(1, ceil(log2(len(tried))))
    start = perf_counter()
    for number in range(1, n_rounds + 1):
        until = None if seconds is None else start + seconds * number / n_rounds
        rows = np.array(tried, dtype=np.int64)[alive]
        for n_worlds in _batches(len(alive), rollouts // n_rounds, until, search.threads):
            results = search.results(rows, n_worlds)
            values = np.hstack([values, search.worth(results)])
            for at, candidate in enumerate(alive):
                parts[candidate].append(Results(results.won[at], results.points[at]))
        best = np.argsort(-values.mean(axis=1), kind="stable")
        kept = np.union1d([0], best[: ceil(len(alive) / 2)])
        alive, values = alive[kept], values[kept]
    found = int(values.mean(axis=1).argmax())
    is_best = _is_clear(values[found] - values[0])
    return Halving(int(alive[found]) if is_best else 0, tuple(_joined(part, axis=0) for part in parts))


def _batches(n_alive: int, n_rollouts: int, until: float | None, threads: int) -> Iterator[int]:
    """Yield numbers of worlds to be tried, one after the other, as long as a round may go on."""
    if until is None:
        n_worlds = max(1, n_rollouts // n_alive)
        for first in range(0, n_worlds, _AT_ONCE):
            yield min(_AT_ONCE, n_worlds - first)
        return
    n_worlds = max(1, _GAMES_IN_TIME // n_alive) * threads
    yield n_worlds
    while perf_counter() < until:
        yield n_worlds


def _is_clear(gain: Floats) -> bool:
    """Return whether a mean gain is above one standard error of it, and more than that with few pairs."""
    n = len(gain)
    if n < _FEWEST_PAIRS:
        return False
    return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(n) + _DOUBT / n)


def _joined(parts: Sequence[Results], axis: int) -> Results:
    """Return results of worlds, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Results(*(np.concatenate(arrays, axis=axis) for arrays in zip(*parts, strict=True)))
