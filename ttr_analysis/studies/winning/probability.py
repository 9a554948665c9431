"""Win probabilities: how a game goes on, played many times from what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import pandas as pd
from scipy.stats import beta

from ttr_analysis.policies.playout import BuiltIn
from ttr_analysis.studies.intervals import Interval, mean_interval
from ttr_analysis.studies.winning.knowledge import Source, know
from ttr_analysis.studies.winning.rollouts import Results, Table

DEFAULT_ROLLOUTS = 200
DEFAULT_SEED = 7


def win_probability(
    source: Source,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[BuiltIn] | None = None,
) -> pd.DataFrame:
    """
    Return how likely each seat is to win, from what one seat can know.

    Hands and tickets that the seat does not see are drawn anew for each
    rollout, as they may be after all that it saw, and the game is played on to
    its end. Nothing that is hidden from the seat changes the result.

    Parameters
    ----------
    source
        A record, a state, or what a seat sees of one. Records are best: from
        a state alone, a seat does not know which tickets it gave back.
    seat
        Who looks; None for somebody who sees all hands and tickets that the
        record or state has, but not the order of the piles.
    step
        Which step of a record: 0 is the set-up, -1 the last one.
    n_rollouts
        How often the game is played on.
    seed
        Seed of all chance. Rollouts from different positions begin with the
        same random numbers.
    policies
        Who plays on, one policy of the package for each seat; by default
        planners.

    Returns
    -------
    chances
        One row for each seat (index `seat`): `win`, the probability to win
        (shared wins count in shares) with `win_low` and `win_high`, and
        expected final `points` with `points_low` and `points_high`: 95%
        intervals of what chance does in the rollouts. How well the policies
        stand for who really plays, they do not tell.

    Raises
    ------
    GameError
        If there is no such seat.
    IndexError
        If the record has no such step.
    TypeError
        If the source is something else, or a policy is not one of the
        package's own.
    ValueError
        If there are no rollouts, or too many or too few policies.

    Notes
    -----
    The probability is (wins + 1) / (rollouts + seats), Laplace's rule of
    succession, and its interval that of the same beta distribution [1]_:
    nothing was known of it before. Without it, extreme results of few
    rollouts would be too extreme. A game that is over, with all tickets
    known, is certain.

    Unknown tickets of a seat are believed to be those of a planner who
    claimed its routes; those of a seat that `Random` plays, any. Who plays
    otherwise is judged less well. `docs/winning.md` shows how well calibrated
    the probabilities are among planners.

    References
    ----------
    .. [1] Gelman, A. et al. "Bayesian Data Analysis", 3rd ed., section 2.1.
       CRC Press, 2013.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> chances = win_probability(record, 1, step=40, n_rollouts=20, policies=players)
    >>> chances["win"].round(2).tolist()
    [0.95, 0.05]
    """
    known = know(source, seat, step)
    results = Table(known.game_map, known.n_players, policies, seed=seed).play(known, n_rollouts)
    return chances_of(results, is_known=known.is_known)


def chances_of(results: Results, *, is_known: bool) -> pd.DataFrame:
    """Return the rows of `win_probability`."""
    n_rollouts, n_seats = results.won.shape
    rows = []
    for seat in range(n_seats):
        total, points = float(results.won[:, seat].sum()), results.points[:, seat].astype(np.float64)
        if is_known:
            rows.append([total / n_rollouts] * 3 + [float(points.mean())] * 3)
        else:
            expected = mean_interval(points.sum(), (points**2).sum(), n_rollouts)
            rows.append([*_succession(total, n_rollouts, n_seats), *expected])
    columns = ["win", "win_low", "win_high", "points", "points_low", "points_high"]
    return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(n_seats, name="seat"))


def _succession(wins: float, n: int, n_seats: int) -> Interval:
    """Return the probability of one of some seats to win after `n` rollouts, with its 95% interval."""
    low, high = (beta.ppf(end, wins + 1, n - wins + n_seats - 1) for end in (0.025, 0.975))
    return Interval((wins + 1) / (n + n_seats), float(low), float(high))
