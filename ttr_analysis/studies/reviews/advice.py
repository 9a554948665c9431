"""Advice: what a seat may do now, what each action is worth, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from operator import index
from typing import Final, SupportsIndex

import numpy as np
import pandas as pd

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._display import render_html
from ttr_analysis._errors import GameError
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.view import SeatView
from ttr_analysis.notation import code_text
from ttr_analysis.policies._common import check_turn, first_look
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.search.rollouts import Results
from ttr_analysis.policies.search.searcher import Candidate, Search, candidates, halve, leads
from ttr_analysis.policies.search.worlds import Knowledge, Source, know
from ttr_analysis.records.record import GameRecord
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.studies.intervals import Interval, clustered_difference, moments_of
from ttr_analysis.studies.reviews.reasons import Reasons, at_cost_of
from ttr_analysis.studies.winning.probability import DEFAULT_SEED, succession

DEFAULT_SECONDS: Final = 2.0
_FEWEST: Final = 2
"""Values of which there is a standard error."""
N_CLAIMS: Final = 10
"""Claims that are considered, as many as `Searcher` considers."""

ADVICE_COLUMNS: Final = {
    "move": "what may be done, as a line of the notation tells it",
    "win": "probability to win after it, if planners play on",
    "win_low": "low end of its 95% interval",
    "win_high": "high end of its 95% interval",
    "points": "expected final points",
    "lead": "expected final points less those of the best other seat",
    "loss": "by how much the probability is below that of the best action, in the worlds in which both were tried",
    "loss_low": "low end of its 95% interval",
    "loss_high": "high end of its 95% interval",
    "rollouts": "how many games were played on after it",
    "reason": "what speaks for it, in terms of the game; of the best, also what others lose by it",
}
"""The columns of advice and what they say."""


class Advice:
    """
    What a seat may do now, what each action is worth, and why: see `advise`.

    Parameters
    ----------
    view
        What the seat can see.
    tried
        Codes and values of the actions that were tried, the best first.
    table
        What came of them.

    Attributes
    ----------
    view : SeatView
        What the seat can see.
    table : pandas.DataFrame
        One row for each action that was tried, the best first (index `rank`),
        with the columns of `ADVICE_COLUMNS`.
    """

    def __init__(self, view: SeatView, tried: Sequence[Candidate], table: pd.DataFrame) -> None:
        self.view = view
        self.table = table
        self._tried = tuple(tried)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that were tried, as `table` has them."""
        codec = codec_of(self.view.game_map)
        return tuple(codec.decode(*row, self.view.packed) for row in self._tried)

    @property
    def best(self) -> Action:
        """The best action."""
        return self.actions[0]

    @property
    def n_rollouts(self) -> int:
        """Games that were played on, for all actions together."""
        return int(self.table["rollouts"].sum())

    def __repr__(self) -> str:
        first = self.table.iloc[0]
        why = f" ({first['reason']})" if first["reason"] else ""
        tried = f"{counted(len(self.table), 'action')} tried, {self.n_rollouts} rollouts"
        return f"<Advice for P{self.view.seat}: {first['move']}, {100 * first['win']:.0f}% to win{why}; {tried}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def advise(
    source: Source,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    seconds: float | None = None,
    rollouts: int | None = None,
    seed: int = DEFAULT_SEED,
    threads: int | None = None,
) -> Advice:
    """
    Return what a seat may do now, what each action is worth, and why.

    What matters of all that is legal is tried, as `policies.Searcher` does
    it: each action in the same worlds, which agree with what the seat knows;
    planners play them to the end, that of the seat with the plan that it has
    made now, and the actions that look best are tried in more of them.

    Parameters
    ----------
    source
        What the seat can see, a state, or a record. Records are best: a state
        alone does not tell which tickets lay face up until a shuffle.
    seat
        The seat; by default the one that acts. No other one has anything to
        decide.
    step
        After which step of a record: 0 is the set-up, -1 the last one.
    seconds
        Time for all actions, 2 seconds if no `rollouts` are given.
    rollouts
        Games that are played on for all actions, or about as many, in place
        of `seconds`. The advice is then the same for a seed.
    seed
        Seed of worlds and rollouts.
    threads
        Cores at work; by default all.

    Returns
    -------
    advice
        `advice.table`, `advice.best`.

    Raises
    ------
    GameError
        If the seat does not act now, or the game is over.
    IndexError
        If the record has no such step.
    TypeError
        If the source is something else.
    ValueError
        If both `seconds` and `rollouts` are given, or one is not above 0.

    Notes
    -----
    Win probabilities are as those of `win_probability`, and say what becomes
    of the game among planners. Actions that were given up early have few
    rollouts and wide intervals. The worlds that choose are also those that
    measure, so that the best of many looks a little better than it is;
    `review` measures in other worlds than those that chose.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play(["Greedy", "Greedy"], seed=7)
    >>> advice = advise(record, step=40, rollouts=20)
    >>> advice.best in game.legal_actions(record.state_at(40))
    True
    >>> bool(advice.table["win"].between(0, 1).all())
    True
    """
    rollouts, seconds = check_budget(rollouts, seconds, DEFAULT_SECONDS)
    known = know(source, _whose(source, seat, step), step)
    view = view_of(known)
    tried, plan = considered(view, seed)
    search = Search(known, index(seed), threads or os.cpu_count() or 1, plan)
    best, results = halve(search, tried, rollouts, seconds)
    worths = [float(search.worth(result).mean()) for result in results]
    order = sorted(range(len(tried)), key=lambda i: (i != best, -len(results[i].won), -worths[i]))
    packed = PackedGame(view.game_map, view.n_players)
    reasons, codec = Reasons(view), codec_of(view.game_map)
    rows = [
        [
            code_text(packed, view.packed, *tried[i]),
            *_worth(results[i], results[best], view.seat, is_best=i == best),
            reasons.of(codec.decode(*tried[i], view.packed)),
        ]
        for i in order
    ]
    if len(order) > 1:
        gain = _gain(results[best], results[order[1]])
        costs = at_cost_of(view.seat, gain.mean(axis=0).tolist(), standard_errors(gain).tolist())
        rows[0][-1] = "; ".join(filter(None, (str(rows[0][-1]), costs)))
    table = pd.DataFrame(rows, columns=list(ADVICE_COLUMNS), index=pd.RangeIndex(1, len(rows) + 1, name="rank"))
    return Advice(view, [tried[i] for i in order], as_table(table, units={"lead": "points"}))


def check_budget(rollouts: int | None, seconds: float | None, default: float | None) -> tuple[int, float | None]:
    """
    Return rollouts and seconds as they were given, one of them, or the seconds that are given by default.

    Raises
    ------
    ValueError
        If both are given, or one is not above 0.
    """
    if rollouts is not None and seconds is not None:
        raise ValueError("expected seconds or rollouts, got both")
    if rollouts is not None:
        if index(rollouts) < 1:
            raise ValueError(f"rollouts is a whole number of 1 or more, got {rollouts!r}")
        return index(rollouts), None
    seconds = default if seconds is None else seconds
    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"seconds is a number above 0, got {seconds!r}")
    return 0, seconds


def _whose(source: Source, seat: int | None, step: SupportsIndex) -> int:
    """Return whose decision it is: that of the seat that is named, or else of the one that acts."""
    if seat is not None:
        return seat
    if isinstance(source, SeatView):
        return source.seat
    state = source.state_at(step) if isinstance(source, GameRecord) else source
    if not isinstance(state, GameState):
        raise TypeError(f"expected a GameRecord, a GameState or a SeatView, got {source!r}")
    if state.is_over:
        raise GameError("the game is over: there is nothing to choose")
    return state.acting


def view_of(known: Knowledge) -> SeatView:
    """Return what a seat sees, from what it knows; a `GameError` is raised if it does not act now."""
    view = SeatView(known.game_map, known.n_players, known.packed, known.looker)
    check_turn(view)
    return view


def considered(view: SeatView, seed: int) -> tuple[list[Candidate], Ints]:
    """Return the actions that are tried, first what a planner would do, and what this one remembers: its plan."""
    own, memory = first_look(Planner(), view, stream_from(np.random.default_rng(index(seed))))
    return candidates(view, own, N_CLAIMS), memory


def _worth(results: Results, of_best: Results, seat: int, *, is_best: bool) -> list[float]:
    """Return the numbers of a row."""
    n = len(results.won)
    points = results.points[:, seat].astype(np.float64)
    loss = Interval(0.0, 0.0, 0.0) if is_best else mean_loss(of_best, results, seat)
    win = succession(float(results.won[:, seat].sum()), n, results.won.shape[1])
    return [*win, float(points.mean()), float(leads(results, seat).mean()), *loss, n]


def _gain(best: Results, other: Results) -> Floats:
    """Return how many final points more each seat has after one action, in the worlds of both."""
    n = min(len(best.won), len(other.won))
    return (best.points[:n] - other.points[:n]).astype(np.float64)


def standard_errors(values: Floats) -> Floats:
    """Return the standard error of the mean of each column."""
    if len(values) < _FEWEST:
        return np.full(values.shape[1], np.inf)
    errors: Floats = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return errors


def mean_loss(best: Results, other: Results, seat: int) -> Interval:
    """Return how much less often a seat wins after another action, with a 95% interval, in the worlds of both."""
    n = min(len(best.won), len(other.won))
    loss = best.won[:n, seat] - other.won[:n, seat]
    return clustered_difference(moments_of(loss, np.ones(n)))
