"""Reviews: each decision of a game against the best one, and what was skill and what was luck."""

from __future__ import annotations

import json
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from itertools import islice
from math import ceil
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Final

import pandas as pd
from tqdm.auto import tqdm

from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import UNKNOWN_TICKET, State
from ttr_analysis.engine.state import seat_number
from ttr_analysis.maps.reading import write_atomically
from ttr_analysis.policies.search.rollouts import Table
from ttr_analysis.policies.search.worlds import Knowledge, Watcher
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies.reviews.advice import check_budget
from ttr_analysis.studies.reviews.decision import Budget, Case, Decision
from ttr_analysis.studies.reviews.results import Review
from ttr_analysis.studies.simulation import Interrupted
from ttr_analysis.studies.winning.probability import DEFAULT_SEED, win_curve

DEFAULT_ROLLOUTS: Final = 600
N_CURVE: Final = 200
"""Rollouts for each step of the win curve, or fewer if a decision has fewer."""
N_MOMENTS: Final = 8
"""Decisions that are measured once more: those that seem to have cost most."""
_FEWEST_OF_CURVE: Final = 20
"""The fewest, however short the time is."""
_OF_CURVE: Final = 0.15
"""Share of the time for the curve."""
_OF_MOMENTS: Final = 0.25
"""Share of the time for that."""
_PLANNED: Final = 0.97
"""Share of the time that is planned with: the decisions at work when it ends take a little longer."""


def review(
    record: GameRecord,
    seat: int | None = None,
    *,
    rollouts: int | None = None,
    seconds: float | None = None,
    seed: int = DEFAULT_SEED,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Review:
    """
    Return what was best in each decision of a game, what the one played cost, and what was luck.

    Half of what is spent on a decision finds the best action, as `advise`
    does, from what its seat knew then. The other half plays the one played
    and the best in the same new worlds, and says what the difference is. The
    decisions that seem to have cost most are then measured once more, in
    worlds of their own, until their 95% intervals are 4 points to either side
    of the loss, or the budget is spent.

    Parameters
    ----------
    record
        The game, over or not, cards unknown or not.
    seat
        Whose decisions, with what it could know; by default those of all
        seats, and a win curve with all hands in view.
    rollouts
        Games that are played on for each decision, or about as many: 600 if
        no `seconds` are given. The review is then the same for a seed.
    seconds
        Time for the whole review, in place of `rollouts`.
    seed
        Seed of worlds and rollouts.
    path
        A file to which the review is saved after each decision. If it is
        there, of this game, seat, seed and number of rollouts, the review
        goes on where it was interrupted.
    progress
        Whether to show progress bars.

    Returns
    -------
    review
        `review.table`, `review.moments()`, `review.summary()`.

    Raises
    ------
    GameError
        If there is no such seat, or the record has not begun.
    OSError
        If the file cannot be read or written.
    ValueError
        If both `rollouts` and `seconds` are given, or one is not above 0, or
        the file is of another review.

    Warns
    -----
    Interrupted
        If it was interrupted: the decisions judged so far are kept.

    Notes
    -----
    A decision is judged if the tickets that its seat held are known, if only
    from the end of the game, and so are those that it chose from. Where cards
    of its hand are not known, only what the known ones pay for is tried.

    What changed the win probability of a seat is split in three: its own
    decisions, each compared with what a planner would have done, as far as
    the seat could know; those of the others, likewise; and luck, which is all
    else: cards, tickets and hidden hands, and what is unsure in the rollouts.
    Luck is 0 on average among planners. The three add up to the result less
    the probability at the start, exactly; `summary` has the error of each.
    Losses are larger than that: they compare with the best, not with a
    planner. They are judged without the plan that `advise` goes on with: a
    hint and the cost told later may differ a little.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play(["Greedy", "Greedy"], seed=7)
    >>> found = review(record, 1, rollouts=4, progress=False)
    >>> found
    <Review of usa: P1 Greedy, 63 decisions>
    """
    record.score()  # refuses a record that has not begun
    if seat is not None:
        seat = seat_number(seat, record.header.n_players)
    n, seconds = check_budget(rollouts, seconds, None)
    n = n or DEFAULT_ROLLOUTS
    saved = _Saved(path, _key(record, seat, n if seconds is None else None, seed))
    start = perf_counter()
    n_curve = min(N_CURVE, n) if seconds is None else _curve_in_time(record, seat, _OF_CURVE * seconds, seed)
    curve = win_curve(record, seat, n_rollouts=n_curve, seed=seed, progress=progress)
    if curve["step"].iloc[-1] < len(record.steps) - 1:
        raise KeyboardInterrupt  # which the curve has kept to itself
    cases = _cases(record, seat, seed)
    until = None if seconds is None else start + _PLANNED * seconds
    try:
        _judge(cases, saved, n, until, progress=progress)
    except KeyboardInterrupt:
        if not saved.judged:
            raise
        warnings.warn("the review was interrupted; what was judged is kept", Interrupted, stacklevel=2)
    return Review(record, seat, saved.decisions, curve)


def judge_step(record: GameRecord, step: int, *, seconds: float, seed: int = DEFAULT_SEED) -> Review | None:
    """
    Return a review of one decision alone, from what its seat knew, without a win curve.

    Parameters
    ----------
    record
        The game.
    step
        The step of the decision.
    seconds
        Time for it.
    seed
        Seed of worlds and rollouts.

    Returns
    -------
    review
        None if the step is no decision that can be judged.
    """
    move = record.steps[step][0]
    if not isinstance(move, Move):
        return None
    case = _cases(record, move.seat, seed, [step]).get(step)
    if case is None:
        return None
    return Review(record, move.seat, [case.judge(Budget(0, seconds))], pd.DataFrame())


def _curve_in_time(record: GameRecord, seat: int | None, seconds: float, seed: int) -> int:
    """Return how many rollouts for each step of a win curve can be had in some time, at least the fewest."""
    known = Watcher(record, seat).at(0)
    table = Table(record.map, record.header.n_players, seed=seed)
    table.play(known, 1)
    start = perf_counter()
    table.play(known, _FEWEST_OF_CURVE)
    # What is left of a game is half of it on average.
    of_each_step = (perf_counter() - start) / _FEWEST_OF_CURVE / 2 / (os.cpu_count() or 1)
    return min(N_CURVE, max(_FEWEST_OF_CURVE, int(seconds / of_each_step / len(record.steps))))


def _cases(record: GameRecord, seat: int | None, seed: int, steps: Iterable[int] | None = None) -> dict[int, Case]:
    """Return the decisions of a record, or those in some of its steps, that can be judged, by step."""
    n_seats = record.header.n_players
    watchers = {one: Watcher(record, one) for one in (range(n_seats) if seat is None else [seat])}
    last = record.state_at(-1).packed
    cases: dict[int, Case] = {}
    for step in range(len(record.steps)) if steps is None else steps:
        first = record.steps[step][0]
        if not isinstance(first, Move) or first.seat not in watchers:
            continue
        known = watchers[first.seat].at(step - 1)
        case = Case(_with_tickets(known, last), step, first.action, seed)
        if case.can_be_judged:
            cases[step] = case
    return cases


def _with_tickets(known: Knowledge, last: State) -> Knowledge:
    """
    Return what a seat knew of its tickets, from what it held in the end.

    Which of those that it showed together came first nobody has recorded:
    they count in the order shown.
    """
    held, in_the_end = known.held(known.looker), last.held[known.looker]
    missing = held == UNKNOWN_TICKET
    if not missing.any() or UNKNOWN_TICKET in in_the_end[: len(held)]:
        return known
    state = known.packed.copy()
    state.held[known.looker, : len(held)] = in_the_end[: len(held)]
    state.ticket_at[in_the_end[: len(held)][missing]] = known.looker
    return known._replace(packed=state)


def _judge(cases: Mapping[int, Case], saved: _Saved, n_rollouts: int, until: float | None, *, progress: bool) -> None:
    """Judge decisions that are not yet, then measure those once more that seem to have cost most."""
    threads = os.cpu_count() or 1
    left = [step for step in cases if step not in saved.judged]
    seconds = None
    if until is not None:
        seconds = max(0.0, until - perf_counter()) * (1 - _OF_MOMENTS) * threads / max(1, len(left))
    each = Budget(n_rollouts, seconds)
    for step, decision in _done({step: partial(cases[step].judge, each) for step in left}, threads, progress=progress):
        saved.keep(step, decision)
    dearest = sorted((one for one in saved.judged.values() if one.loss_low > 0), key=lambda one: -one.loss_low)
    again = [one for one in dearest[:N_MOMENTS] if one.step not in saved.again]
    now, n_rounds = perf_counter(), ceil(len(again) / threads)
    jobs = {}
    for at, one in enumerate(again):
        stop = None if until is None else now + (until - now) * (at // threads + 1) / n_rounds
        jobs[one.step] = partial(cases[one.step].measure, one, each, stop)
    for step, decision in _done(jobs, threads, progress=progress):
        saved.keep_again(step, decision)


def _done(
    jobs: Mapping[int, Callable[[], Decision]], threads: int, *, progress: bool
) -> Iterator[tuple[int, Decision]]:
    """Yield the decisions of steps, judged by some threads, in order."""
    pool = ThreadPoolExecutor(threads)
    bar = tqdm(total=len(jobs), desc="review", unit="decision", disable=not progress or not jobs)
    waiting: deque[tuple[int, Future[Decision]]] = deque()
    left = iter(jobs.items())
    try:
        while True:
            waiting.extend((step, pool.submit(job)) for step, job in islice(left, 2 * threads - len(waiting)))
            if not waiting:
                return
            step, future = waiting.popleft()
            yield step, future.result()
            bar.update()
    finally:
        bar.close()
        pool.shutdown(cancel_futures=True)


# -- a review on disk ------------------------------------------------------------------------------------------------


class _Saved:
    """
    What has been judged, on disk too if there is a file for it.

    Parameters
    ----------
    path
        The file; None for none.
    key
        What the review is of. A file of another one is refused.
    """

    def __init__(self, path: str | os.PathLike[str] | None, key: Mapping[str, object]) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._key = key
        self.judged: dict[int, Decision] = {}
        self.again: dict[int, Decision] = {}
        if self._path is not None and self._path.exists():
            self._read(self._path)

    @property
    def decisions(self) -> list[Decision]:
        """The decisions in order, as they were measured last."""
        return [self.again.get(step, decision) for step, decision in sorted(self.judged.items())]

    def keep(self, step: int, decision: Decision) -> None:
        """Keep a decision that was judged."""
        self.judged[step] = decision
        self._write()

    def keep_again(self, step: int, decision: Decision) -> None:
        """Keep a decision that was measured once more."""
        self.again[step] = decision
        self._write()

    def _read(self, path: Path) -> None:
        try:
            data = json.loads(path.read_text("utf-8"))
            is_same = data["review"] == self._key
            kept = [{one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again")]
        except (ValueError, LookupError, TypeError) as error:
            raise ValueError(f"{path} is no review that was saved") from error
        if not is_same:
            raise ValueError(f"{path} is of another review: another game, seat, seed or number of rollouts")
        self.judged, self.again = kept

    def _write(self) -> None:
        if self._path is not None:
            kept = {name: list(map(asdict, getattr(self, name).values())) for name in ("judged", "again")}
            write_atomically(self._path, json.dumps({"review": self._key, **kept}))


def _key(record: GameRecord, seat: int | None, n: int | None, seed: int) -> dict[str, object]:
    """Return what a review is of, ready for JSON; one in time goes on in any other time."""
    game = blake2b(record.dumps().encode(), digest_size=16).hexdigest()
    return {"game": game, "seat": seat, "rollouts": n, "seed": index(seed)}
