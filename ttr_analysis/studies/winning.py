"""Win probabilities: how a game goes on, from one position or along a whole game."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, SupportsIndex

import numpy as np
import pandas as pd
from scipy.special import betaincinv, stdtrit

from ttr_analysis._notebook import as_table
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.notation.writer import part_text
from ttr_analysis.policies.playout import Results
from ttr_analysis.policies.search.knowledge import Knowledge, Source, Watcher, know
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies.intervals import Interval, mean_interval, wilson
from ttr_analysis.studies.pool import in_order
from ttr_analysis.studies.simulation import Interrupted

DEFAULT_ROLLOUTS = 200
DEFAULT_SEED = 7


def win_probability(
    source: Source,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return how likely each seat is to win, from what one seat can know.

    Hands and tickets that the seat does not see are drawn anew for each rollout,
    consistent with all that it saw, and the game is played to its end. Nothing
    that is hidden from the seat changes the result.

    Parameters
    ----------
    source
        A record, a state, or what a seat sees of one. Records are best: a state
        alone does not show which tickets lay face up until a shuffle, nor how the
        players play; neither does a record that begins from a position.
    seat
        Who looks; None sees all hands and tickets that the record or state has,
        but not the order of the piles.
    step
        Which step of a record: 0 is the set-up, -1 the last one.
    n_rollouts
        How often the game is played to its end.
    seed
        Seed of all chance. Rollouts from different positions begin with the same
        random numbers.
    policies
        Who plays on, one compiled policy or name for each seat. By default
        planners, some of them with varied numbers: one in four, or the share of
        players in the record who play unlike `Planner`.

    Returns
    -------
    chances
        One row for each seat (index `seat`): `win`, the probability to win
        (shared wins count in shares) with `win_low` and `win_high`, and expected
        final `points` with `points_low` and `points_high`: 95% intervals of
        chance in the rollouts, not of how well the policies represent the
        players.

    Raises
    ------
    GameError
        If there is no such seat.
    IndexError
        If the record has no such step.
    TypeError
        If the source is something else, or a policy is not compiled.
    ValueError
        If there are no rollouts, or too many or too few policies.

    Notes
    -----
    The probability is (wins + 1) / (rollouts + seats), Laplace's rule of
    succession [1]_. Without it, extreme results of few rollouts would be too
    extreme. Its interval is that of the same beta distribution, widened to
    Wilson's of the wins [2]_ where that reaches further: the beta distribution
    alone excludes 0 and 1, and with 60 rollouts and five seats it would cover the
    truth only 89% of the time. A finished game with all tickets known is certain.

    The unknown tickets of a seat are believed to be those of a planner who
    claimed its routes; those of a seat that `Random` plays, any. Players unlike
    planners are judged less well.

    How the players play is inferred from what the seat that looks did in the
    record, or from what all did where all hands are in view: each decision is
    compared with that of `Planner`, and the result is taken for all players.
    `docs/winning.md` shows how well calibrated the probabilities are among
    planners, and among other players.

    References
    ----------
    .. [1] Gelman, A. et al. "Bayesian Data Analysis", 3rd ed., section 2.1.
       CRC Press, 2013.
    .. [2] Wilson, E. B. "Probable inference, the law of succession, and
       statistical inference". Journal of the American Statistical
       Association 22 (1927), 209-212.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> record = game.play(players, seed=7)
    >>> chances = win_probability(record, 1, step=40, n_rollouts=20, policies=players)
    >>> chances["win"].round(2).tolist()
    [0.95, 0.05]
    """
    known = know(source, seat, step)
    results = Rollouts(known.game_map, known.n_players, policies, seed=seed).play(known, n_rollouts)
    return chances_of(results, is_known=known.is_known)


def chances_of(results: Results, *, is_known: bool) -> pd.DataFrame:
    """Return the rows of `win_probability`."""
    rows = _chances(results, is_known=is_known)
    return as_table(pd.DataFrame(rows, columns=_CHANCES, index=pd.RangeIndex(len(rows), name="seat")))


_CHANCES: Final = ["win", "win_low", "win_high", "points", "points_low", "points_high"]


def _chances(results: Results, *, is_known: bool) -> list[list[float]]:
    """Return the values of `_CHANCES` for each seat."""
    n_rollouts, n_seats = results.won.shape
    rows = []
    for seat in range(n_seats):
        total, points = float(results.won[:, seat].sum()), results.points[:, seat].astype(np.float64)
        if is_known:
            rows.append([total / n_rollouts] * 3 + [float(points.mean())] * 3)
        else:
            expected = mean_interval(points.sum(), (points**2).sum(), n_rollouts)
            rows.append([*succession(total, n_rollouts, n_seats), *expected])
    return rows


def succession(wins: float, n: int, n_seats: int) -> Interval:
    """Return the probability of one of some seats to win after `n` rollouts, with the interval of `win_probability`."""
    low, high = (float(betaincinv(wins + 1, n - wins + n_seats - 1, end)) for end in (0.025, 0.975))
    of_wins = wilson(wins, n)
    return Interval((wins + 1) / (n + n_seats), min(low, of_wins.low), max(high, of_wins.high))


# -- the win probabilities of a whole game -------------------------------------------------------------------------

CURVE_COLUMNS: Final = {
    "step": "step of the record, from 0, the set-up",
    "seat": "whose probability it is",
    "acting": "the seat that moved in this step; -1 for the set-up, or where tickets are shown",
    "win": "probability to win after the step",
    "win_low": "low end of its 95% interval",
    "win_high": "high end of its 95% interval",
    "points": "expected final points",
    "points_low": "low end of their 95% interval",
    "points_high": "high end of their 95% interval",
    "rollouts": "how many games were played on from here",
    "since": "the step of the curve before; missing for the first",
    "swing": "probability less that after `since`; missing for the first",
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
    policies: Sequence[PolicyLike] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return how likely each seat was to win after each step of a game.

    Parameters
    ----------
    record
        The game.
    seat
        Who looks, as in `win_probability`: a seat, or None to see all hands.
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
        `curve.attrs["looker"]` is the seat that looked, or "all".

    Raises
    ------
    GameError
        If there is no such seat, or the record has not begun.
    IndexError
        If the record has no such step.
    TypeError, ValueError
        As `win_probability`, or if there are no steps.

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
    if not numbers:
        raise ValueError("expected one step or more")
    n_players = record.header.n_players

    def play(known: Knowledge) -> tuple[Results, bool]:
        return Rollouts(record.map, n_players, policies, seed=seed).play(known, n_rollouts), known.is_known

    watcher = Watcher(record, seat)
    jobs = ((number, partial(play, watcher.at(number))) for number in numbers)
    rows: list[tuple[float, ...]] = []
    before: tuple[int, Results] | None = None
    try:
        for number, (results, is_known) in in_order(jobs, len(numbers), "step", progress=progress):
            rows += _rows(record, number, results, before, is_known=is_known)
            before = number, results
    except KeyboardInterrupt:
        if not rows:
            raise
        warnings.warn("the curve was interrupted; it ends early", Interrupted, stacklevel=2)
    curve = pd.DataFrame(rows, columns=list(CURVE_COLUMNS))
    curve.attrs["looker"] = "all" if seat is None else seat
    return as_table(curve)


def _rows(
    record: GameRecord, number: int, results: Results, before: tuple[int, Results] | None, *, is_known: bool
) -> list[tuple[float, ...]]:
    """Return the rows of a step, with the columns of `CURVE_COLUMNS`."""
    move = record.steps[number][0]
    acting = move.seat if isinstance(move, Move) else -1
    chances = _chances(results, is_known=is_known)
    swings = [(np.nan,) * 4] * len(chances) if before is None else _swings(results, before, chances)
    return [
        (number, seat, acting, *chance, len(results.won), *swing)
        for seat, (chance, swing) in enumerate(zip(chances, swings, strict=True))
    ]


def _swings(
    results: Results, before: tuple[int, Results], chances: Sequence[Sequence[float]]
) -> list[tuple[float, float, float, float]]:
    """Return for each seat the step from which its probability swung, by how much, and the ends of the interval."""
    since, old = before
    changes = results.won - old.won
    # Two more differences, one up and one down, keep the interval honest where all rollouts change alike: Bonett and
    # Price, Journal of Educational and Behavioral Statistics 37 (2012), 479-488.
    n = changes.shape[0] + changes.shape[1]
    swings = []
    for change, now, then in zip(changes.T, chances, _chances(old, is_known=False), strict=True):
        swing = now[0] - then[0]
        end = mean_interval(change.sum(), (change**2).sum() + 2, n)
        half = (end.high - end.low) / 2
        swings.append((float(since), swing, max(-1.0, swing - half), min(1.0, swing + half)))
    return swings


def turning_points(record: GameRecord, curve: pd.DataFrame, n: int = 5) -> pd.DataFrame:
    """
    Return the steps of a game that changed the win probabilities most.

    A swing includes what chance did after a move: a card drawn, a tunnel that
    failed. Among hundreds of swings some would look large by chance alone: the
    intervals are wide enough for all of a game together (Bonferroni), and swings
    whose interval then contains 0 are left out.

    Parameters
    ----------
    record
        The game.
    curve
        From `win_curve`. Where it skips steps, a swing is of all of them.
    n
        How many at most.

    Returns
    -------
    points
        One row for each, the clearest first (index `step`): `since`, the step
        from which it counts, `acting`, the seat that moved (-1 for several
        steps), its `move` in notation, `seat`, whose probability changed most,
        its probability `before` and `after`, and `swing` with `swing_low` and
        `swing_high`. If a seat looked, moves are shown as it saw them.

    Raises
    ------
    ValueError
        If the curve is of another game.
    """
    if curve["step"].max() >= len(record.steps) or set(curve["seat"]) != set(range(record.header.n_players)):
        raise ValueError(f"expected a curve of {record!r}: steps 0 to {len(record.steps) - 1}, all seats")
    swings = curve.dropna(subset="swing").astype({"since": "int64"})
    df = swings["rollouts"] + record.header.n_players - 1  # of the intervals that `_rows` gives
    wider = stdtrit(df, 0.025 / max(1, len(swings))) / stdtrit(df, 0.025)
    low = swings["swing"] - wider * (swings["swing"] - swings["swing_low"])
    high = swings["swing"] + wider * (swings["swing_high"] - swings["swing"])
    sure = pd.concat([low, -high], axis=1).max(axis=1)
    largest = swings.assign(swing_low=low.clip(lower=-1), swing_high=high.clip(upper=1), sure=sure)
    largest = largest[sure > 0].sort_values("sure", ascending=False, kind="stable").drop_duplicates("step").head(n)
    is_one = largest["step"] - largest["since"] == 1
    looker = curve.attrs.get("looker", "all")
    seen = record if looker == "all" else record.watched_from(looker)
    moves = [
        step_text(seen, step) if one else f"steps {since + 1} to {step}"
        for step, since, one in zip(largest["step"], largest["since"], is_one, strict=True)
    ]
    found = pd.DataFrame(
        {
            "since": largest["since"],
            "acting": largest["acting"].where(is_one, -1),
            "move": moves,
            "seat": largest["seat"],
            "before": largest["win"] - largest["swing"],
            "after": largest["win"],
            "swing": largest["swing"],
            "swing_low": largest["swing_low"],
            "swing_high": largest["swing_high"],
        }
    )
    return as_table(found.set_axis(pd.Index(largest["step"], name="step")))


def step_text(record: GameRecord, step: int) -> str:
    """Return a step of a record in notation, without who acts."""
    packed = KernelGame(record.map, record.header.n_players)
    first = sum(len(events) for events in record.steps[:step])
    entries = record.entries[first : first + len(record.steps[step])]
    return part_text(packed, record.state_at(step - 1).packed, entries) if step else "set-up"
