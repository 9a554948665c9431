"""The win probabilities of a whole game, and its turning points."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import OVER, PHASE
from ttr_analysis.engine.notetext import part_text
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.engine.record import GameRecord
from ttr_analysis.policies.playout import BuiltIn
from ttr_analysis.studies.intervals import mean_interval
from ttr_analysis.studies.simulation import Interrupted
from ttr_analysis.studies.winning.knowledge import Knowledge, Watcher
from ttr_analysis.studies.winning.probability import DEFAULT_ROLLOUTS, DEFAULT_SEED, chances_of
from ttr_analysis.studies.winning.rollouts import Results, Table

CURVE_COLUMNS: Final = {
    "step": "step of the record, from 0, the set-up",
    "seat": "whose probability it is",
    "acting": "the seat that moved in this step; -1 for the set-up",
    "win": "probability to win after the step",
    "win_low": "low end of its 95% interval",
    "win_high": "high end of its 95% interval",
    "points": "expected final points",
    "points_low": "low end of their 95% interval",
    "points_high": "high end of their 95% interval",
    "swing": "probability less that after the step before; missing for the first",
    "swing_low": "low end of its 95% interval, from the difference of each two rollouts of one number",
    "swing_high": "high end of its 95% interval",
}
"""The columns of a curve and what they say."""


def win_curve(
    record: GameRecord,
    seat: int | None = None,
    *,
    steps: Iterable[int] | None = None,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[BuiltIn] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return how likely each seat was to win after each step of a game.

    Parameters
    ----------
    record
        The game.
    seat
        Who looks, as in `win_probability`: a seat, or None for somebody who
        watches all hands.
    steps
        Which steps; by default all. A swing is from one of them to the next.
    n_rollouts, seed, policies
        As in `win_probability`.
    progress
        Whether to show a progress bar.

    Returns
    -------
    curve
        A row for each step and seat, with the columns of `CURVE_COLUMNS`;
        `curve.attrs["seat"]` says who looked.

    Raises
    ------
    GameError
        If there is no such seat, or the record has not begun.
    IndexError
        If the record has no such step.

    Warns
    -----
    Interrupted
        If it was interrupted: the curve then ends early.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> record = game.play(players, seed=7)
    >>> curve = win_curve(record, steps=(0, 30, -1), n_rollouts=20, policies=players, progress=False)
    >>> curve.pivot(index="step", columns="seat", values="win").round(2).iloc[:2].to_numpy().tolist()
    [[0.95, 0.05], [0.95, 0.05]]
    """
    record.score()  # refuses a record that has not begun
    n_steps = len(record.steps)
    numbers = sorted({range(n_steps)[step] for step in (range(n_steps) if steps is None else steps)})
    n_players = record.header.n_players

    def play(known: Knowledge) -> Results:
        return Table(record.map, n_players, policies, seed=seed).play(known, n_rollouts)

    Table(record.map, n_players, policies)  # refuses wrong policies before anything is played
    watcher = Watcher(record, seat)
    frames: list[pd.DataFrame] = []
    before: Results | None = None
    try:
        for number, known, results in _in_order(play, watcher, numbers, progress=progress):
            frames.append(_rows(record, number, results, before, is_over=bool(known.vector[PHASE] == OVER)))
            before = results
    except KeyboardInterrupt:
        if not frames:
            raise
        warnings.warn("the curve was interrupted; it ends early", Interrupted, stacklevel=2)
    curve = pd.concat(frames, ignore_index=True)
    curve.attrs["seat"] = seat
    return curve


def _in_order(
    play: Callable[[Knowledge], Results], watcher: Watcher, numbers: Sequence[int], *, progress: bool
) -> Iterator[tuple[int, Knowledge, Results]]:
    """Yield the results of steps in order, played by as many threads as there are processors."""
    n_threads = os.cpu_count() or 1
    pool = ThreadPoolExecutor(n_threads)
    bar = tqdm(total=len(numbers), desc="rollouts", unit="step", disable=not progress)
    waiting: deque[tuple[int, Knowledge, Future[Results]]] = deque()
    left = iter(numbers)
    try:
        while True:
            for number in islice(left, 2 * n_threads - len(waiting)):
                known = watcher.at(number)
                waiting.append((number, known, pool.submit(play, known)))
            if not waiting:
                return
            number, known, future = waiting.popleft()
            yield number, known, future.result()
            bar.update()
    finally:
        bar.close()
        pool.shutdown(cancel_futures=True)


def _rows(record: GameRecord, number: int, results: Results, before: Results | None, *, is_over: bool) -> pd.DataFrame:
    """Return the rows of a step."""
    rows = chances_of(results, is_over=is_over).reset_index()
    move = record.steps[number][0]
    rows.insert(0, "step", number)
    rows.insert(2, "acting", move.seat if isinstance(move, Move) else -1)
    if before is None:
        return rows.assign(swing=np.nan, swing_low=np.nan, swing_high=np.nan)
    changes = results.won - before.won
    swings = [mean_interval(change.sum(), (change**2).sum(), len(change)) for change in changes.T]
    rows[["swing", "swing_low", "swing_high"]] = swings
    return rows


def turning_points(record: GameRecord, curve: pd.DataFrame, n: int = 5) -> pd.DataFrame:
    """
    Return the steps of a game that changed the win probabilities most.

    A swing is of what was done and of what chance did upon it: a card drawn, a
    tunnel that failed.

    Parameters
    ----------
    record
        The game.
    curve
        From `win_curve`.
    n
        How many.

    Returns
    -------
    points
        One row for each, those first of which the most is sure (index
        `step`): `acting`, the seat that moved, its `move` as a line of the
        notation tells it, `seat`, whose probability changed most, its
        probability `before` and `after`, and `swing` with `swing_low` and
        `swing_high`. Swings whose interval holds 0 are left out.

    Raises
    ------
    ValueError
        If the curve is of another game.
    """
    if curve["step"].max() >= len(record.steps):
        raise ValueError(f"the curve has step {curve['step'].max()}, the record steps 0 to {len(record.steps) - 1}")
    swings = curve.dropna(subset="swing")
    # What is sure: else, of so many steps, those would come first that chance made look large.
    sure = pd.concat([swings["swing_low"], -swings["swing_high"]], axis=1).max(axis=1)
    largest = swings.loc[sure[sure > 0].sort_values(ascending=False, kind="stable").index]
    largest = largest.drop_duplicates("step").head(n)
    found = pd.DataFrame(
        {
            "acting": largest["acting"],
            "move": [step_text(record, step) for step in largest["step"]],
            "seat": largest["seat"],
            "before": largest["win"] - largest["swing"],
            "after": largest["win"],
            "swing": largest["swing"],
            "swing_low": largest["swing_low"],
            "swing_high": largest["swing_high"],
        }
    )
    return found.set_axis(pd.Index(largest["step"], name="step"))


def step_text(record: GameRecord, step: int) -> str:
    """Return a step of a record as a line of the notation tells it, without who acts."""
    packed = PackedGame(record.map, record.header.n_players)
    first = sum(len(events) for events in record.steps[:step])
    entries = record.entries[first : first + len(record.steps[step])]
    return part_text(packed, record.state_at(step - 1).vector, entries) if step else "set-up"
