"""Reviews: each decision of a game against the best one, those that cost most, and what was skill and what was luck."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from hashlib import blake2b
from itertools import accumulate
from math import ceil
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._decoding import write_atomically
from ttr_analysis._display import render_html
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.state import SeatView, seat_number
from ttr_analysis.engine.unknowns import show_tickets
from ttr_analysis.notation import code_text
from ttr_analysis.notation.writer import part_text
from ttr_analysis.policies.search.knowledge import Watcher
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies.advice import Reasons, at_cost_of, check_budget
from ttr_analysis.studies.decisions import Budget, Decision, Moment
from ttr_analysis.studies.intervals import interval_of_mean, with_ends
from ttr_analysis.studies.pool import in_order
from ttr_analysis.studies.simulation import Interrupted
from ttr_analysis.studies.winning import DEFAULT_SEED, win_curve

BOUNDS: Final = {"blunder": 0.10, "mistake": 0.05, "inaccuracy": 0.02}
"""What the low end of the interval of a loss must reach for a decision to be called so."""
LABELS: Final = ("best", "good", "inaccuracy", "mistake", "blunder")
"""What a decision is called where there was something to choose."""
FORCED: Final = "forced"
"""What it is called where there was not."""

_VERDICTS: Final = {"best": "the best move", FORCED: "the only move"}
_NAMES: Final = {"good": "a good move", "inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}

REVIEW_COLUMNS: Final = {
    "seat": "who decided",
    "player": "the name of who did, or of the policy",
    "move": "what was done, as a line of the notation tells it",
    "best": "what was best",
    "label": "best, good, inaccuracy, mistake or blunder; forced where there was nothing to choose",
    "loss": "win probability that it cost: after the best action less after the one played",
    "loss_low": "low end of its 95% interval",
    "loss_high": "high end of its 95% interval",
    "lead": "expected final points, less those of the best other seat, that it cost",
    "win": "probability to win after what was done, from what the seat knew; missing where it was forced",
    "skill": "win probability that it brought beyond what a planner would have done, below 0 if it cost",
    "luck": "all else that changed the seat's win probability in the step: cards, tickets and hidden hands",
    "tried": "how many actions were tried",
    "worlds": "in how many worlds the loss was measured",
}
"""The columns of the table of a review and what they say."""
_UNITS: Final = {"lead": "points"}
_MOMENT_FIRST: Final = ("player", "move", "best", "reason", "label", "loss", "lead", "win")
"""What a notebook shows of a moment."""

SUMMARY_COLUMNS: Final = {
    "player": "the name, or the policy",
    "start": "win probability after the set-up",
    "skill": "what its own decisions brought beyond what a planner would have done",
    "others": "what those of the other seats brought it, or cost it",
    "luck": "what cards, tickets and hidden hands brought it",
    "result": "share of the win, or win probability at the end of a record that breaks off: the sum of all these",
    "skill_error": "half of the 95% interval of skill",
    "luck_error": "half of the 95% interval of luck",
    "lost": "sum of the losses of its decisions",
    "decisions": "how many were judged in which there was something to choose",
    **{label: f"how many were called {label}" for label in LABELS},
}
"""The columns of the summary of a review and what they say."""


class Review:
    """
    What was best in each decision of a game, and what was luck: see `review`.

    Parameters
    ----------
    record
        The game.
    seat
        The seat that is reviewed; None for all.
    decisions
        What was found, in the order of the game.
    curve
        The win curve, from `win_curve`.
    """

    def __init__(
        self, record: GameRecord, seat: int | None, decisions: Sequence[Decision], curve: pd.DataFrame
    ) -> None:
        self.record = record
        self.seat = seat
        self.curve = curve
        self._decisions = {decision.step: decision for decision in decisions}

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each decision that was judged (index `step`), with the columns of `REVIEW_COLUMNS`."""
        names = player_names(self.record)
        rows = [
            [
                one.seat,
                names[one.seat],
                self.move(one.step),
                self.best_move(one.step),
                label_of(one),
                one.loss,
                one.loss_low,
                one.loss_high,
                one.lead,
                np.nan if one.win is None else one.win,
                one.skill[one.seat],
                self.parts.loc[(one.step, one.seat), "luck"],
                one.n_tried,
                one.worlds,
            ]
            for one in self._decisions.values()
        ]
        index = pd.Index(self._decisions, name="step", dtype=int)
        return as_table(pd.DataFrame(rows, columns=list(REVIEW_COLUMNS), index=index), units=_UNITS)

    @cached_property
    def parts(self) -> pd.DataFrame:
        """
        How each step changed the win probability of each seat (index `step`, `seat`).

        `change` is the sum of `skill`, by its own decision compared with a planner's,
        `others`, by that of another seat, and `luck`.
        """
        chances = self._chances
        n_steps, n_seats = chances.shape
        skill, others = np.zeros((2, n_steps, n_seats))
        for step, one in self._decisions.items():
            others[step] = one.skill
            skill[step, one.seat] = one.skill[one.seat]
            others[step, one.seat] = 0.0
        change = np.diff(chances, axis=0, prepend=chances[:1])
        rows = pd.MultiIndex.from_product([range(n_steps), range(n_seats)], names=["step", "seat"])
        columns = {"change": change, "skill": skill, "others": others, "luck": change - skill - others}
        return as_table(pd.DataFrame({name: values.ravel() for name, values in columns.items()}, index=rows))

    def moments(self, n: int = 5) -> pd.DataFrame:
        """
        Return the decisions that cost most.

        Parameters
        ----------
        n
            How many at most.

        Returns
        -------
        moments
            Rows of `table`, by the low end of the interval of their loss, with the `reason`
            for the best action; those whose interval contains 0 are left out.
            `advise(record, step=step - 1)` considers a decision again.
        """
        dear = self.table[self.table["loss_low"] > 0].sort_values("loss_low", ascending=False, kind="stable").head(n)
        return as_table(dear.assign(reason=[self.reason(step) for step in dear.index]), _MOMENT_FIRST, _UNITS)

    def summary(self) -> pd.DataFrame:
        """
        Return the parts of each seat's result, or of the one that is reviewed.

        Returns
        -------
        summary
            One row for each seat (index `seat`), with the columns of
            `SUMMARY_COLUMNS`.
        """
        names, chances = player_names(self.record), self._chances
        sums = self.parts.groupby("seat").sum()
        rows = []
        for seat in range(self.record.header.n_players) if self.seat is None else [self.seat]:
            table = self.table[(self.table["seat"] == seat) & (self.table["label"] != FORCED)]
            own, all_of_them = self._errors(seat)
            labels = table["label"].value_counts()
            rows.append(
                [
                    names[seat],
                    chances[0, seat],
                    *sums.loc[seat, ["skill", "others", "luck"]],
                    chances[-1, seat],
                    own,
                    all_of_them,
                    float(table["loss"].sum()),
                    len(table),
                    *(int(labels.get(label, 0)) for label in LABELS),
                ]
            )
        index = pd.Index(range(len(names)) if self.seat is None else [self.seat], name="seat")
        return as_table(pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS), index=index))

    def _errors(self, seat: int) -> tuple[float, float]:
        """Return half the 95% intervals of the skill of a seat, and of its luck."""
        own = sum(one.skill_error[seat] ** 2 for one in self._decisions.values() if one.seat == seat)
        others = sum(one.skill_error[seat] ** 2 for one in self._decisions.values() if one.seat != seat)
        ends = self.curve[self.curve["seat"] == seat].iloc[[0, -1]]
        widths = (ends["win_high"] - ends["win_low"]) / (2 * Z_95)
        of_curve = float((widths**2).sum())
        return Z_95 * float(np.sqrt(own)), Z_95 * float(np.sqrt(own + others + of_curve))

    # -- one decision -----------------------------------------------------------------

    def action(self, step: int) -> Action:
        """
        Return the best action of a decision.

        Raises
        ------
        KeyError
            If the step is no decision that was judged.
        """
        code, value = self._decisions[step].best
        return codec_of(self.record.map).decode(code, value, self.record.state_at(step - 1).packed)

    def move(self, step: int) -> str:
        """Return what was done in a step, in notation, without the chance events that followed."""
        first = self._first[step]
        return part_text(self._packed, self.record.state_at(step - 1).packed, self.record.entries[first : first + 1])

    def best_move(self, step: int) -> str:
        """Return the best action of a decision in notation."""
        one = self._decisions[step]
        if one.best == one.played:
            return self.move(step)
        return code_text(self._packed, self.record.state_at(step - 1).packed, *one.best)

    def verdict(self, step: int) -> str:
        """Return a sentence or two on a decision."""
        one = self._decisions[step]
        label, move = label_of(one), self.move(step)
        if label in _VERDICTS:
            return f"{move}: {_VERDICTS[label]}."
        loss, low, high = (f"{100 * max(0.0, share):.0f}" for share in (one.loss, one.loss_low, one.loss_high))
        reason = self.reason(step)
        better = f"{self.best_move(step)}{f' ({reason})' if reason else ''}"
        cost = f"{move}: {_NAMES[label]}, cost {loss}% of winning ({low} to {high}%)"
        return f"{cost} against {better}." if label == "good" else f"{cost}. Better: {better}."

    def reason(self, step: int) -> str:
        """Return what speaks for the best action of a decision, in terms of the game."""
        state, one = self.record.state_at(step - 1), self._decisions[step]
        reasons = Reasons(SeatView(state.game_map, state.n_players, state.packed, state.acting))
        parts = reasons.of(self.action(step)), at_cost_of(one.seat, one.points, one.points_error)
        return "; ".join(filter(None, parts))

    # -- plumbing ---------------------------------------------------------------------

    @cached_property
    def _packed(self) -> KernelGame:
        return KernelGame(self.record.map, self.record.header.n_players)

    @cached_property
    def _first(self) -> list[int]:
        """The first event of each step."""
        return [0, *accumulate(len(events) for events in self.record.steps)]

    @cached_property
    def _chances(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Win probabilities, shape (steps, seats)."""
        return self.curve.pivot_table(index="step", columns="seat", values="win").to_numpy()

    def __repr__(self) -> str:
        names = player_names(self.record)
        seats = range(len(names)) if self.seat is None else [self.seat]
        who = ", ".join(f"P{seat}" if names[seat] == f"P{seat}" else f"P{seat} {names[seat]}" for seat in seats)
        return f"<Review of {self.record.header.map_name}: {who}, {counted(len(self._decisions), 'decision')}>"

    def _repr_html_(self) -> str:
        return render_html(self)


def label_of(decision: Decision) -> str:
    """Return the label of a decision, by the bound of `BOUNDS` that the low end of the interval of its loss reaches."""
    if decision.n_tried == 1:
        return FORCED
    if decision.best == decision.played:
        return "best"
    return next((label for label, bound in BOUNDS.items() if decision.loss_low >= bound), "good")


def player_names(record: GameRecord) -> tuple[str, ...]:
    """Return the name of each seat: the player, else the policy, else P0, P1, ..."""
    header = record.header
    return header.players or header.policies or tuple(f"P{seat}" for seat in range(header.n_players))


def player_results(reviews: Iterable[Review]) -> pd.DataFrame:
    """
    Return the results of each player in reviews of many games.

    Parameters
    ----------
    reviews
        From `review`.

    Returns
    -------
    results
        One row for each name (index `player`): `games` (seats of one name count each),
        `decisions`, and the means per game of `result`, `start`, `skill`, `others`,
        `luck` and `lost`, as in `Review.summary`, of which `skill`, `luck` and `lost`
        have 95% intervals; and the number of decisions with each label.

    Raises
    ------
    ValueError
        If there are no reviews.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> games = [game.play(["Planner", "Greedy"], seed=7, game=i) for i in range(2)]
    >>> found = [ttr.studies.review(record, 1, rollouts=2, progress=False) for record in games]
    >>> player_results(found)[["games", "result"]].to_dict("index")
    {'Greedy': {'games': 2, 'result': 0.0}}
    """
    frames = [review.summary() for review in reviews]
    if not frames:
        raise ValueError("expected one review or more")
    rows = []
    for name, of_player in pd.concat(frames).groupby("player", sort=True):
        decisions = int(of_player["decisions"].sum())
        row: dict[str, object] = {"player": name, "games": len(of_player), "decisions": decisions}
        row |= {what: float(of_player[what].mean()) for what in ("result", "start", "others")}
        for what in ("skill", "luck", "lost"):
            row |= with_ends(what, interval_of_mean(of_player[what]))
        rows.append(row | {label: int(of_player[label].sum()) for label in LABELS})
    return as_table(pd.DataFrame(rows).set_index("player"))


# -- the review of a game ------------------------------------------------------------------------------------------

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

    Half of the budget of a decision finds the best action, as `advise` does, from what
    its seat knew then. The other half plays the one played and the best in the same new
    worlds. The decisions that seem to have cost most are measured again, in new worlds,
    until their 95% intervals are 4 points to either side, or the budget is spent.

    Parameters
    ----------
    record
        The game, over or not, cards unknown or not.
    seat
        Whose decisions, from what it could know; None: those of all seats, and a win
        curve with all hands in view.
    rollouts
        Games played out for each decision, approximately; 600 without `seconds`. The
        review is then the same for a seed.
    seconds
        Time for the whole review, in place of `rollouts`.
    seed
        Seed of worlds and rollouts.
    path
        A file to which the review is saved after each decision, and from which it
        resumes, if it is of this game, seat, seed and number of rollouts.
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
        If both `rollouts` and `seconds` are given, one is not above 0, or the file is
        of another review.

    Warns
    -----
    Interrupted
        If it was interrupted: the decisions judged so far are kept.

    Notes
    -----
    A decision is judged if the tickets that its seat held and chose from are known, even
    if only from the end of the game; if some cards of its hand are not, only what the
    known ones pay for is tried.

    The change of a seat's win probability has three parts: its own decisions, each
    compared with a planner's; those of the others, likewise; and luck, which is all else
    and on average 0 among planners. They add up exactly to the result minus the
    probability at the start. Losses are larger than what skill costs: they compare with
    the best action, and without the plan that `advise` continues, so its hint may differ.

    Examples
    --------
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
    cases = _decisions_of(record, seat, seed)
    until = None if seconds is None else start + _PLANNED * seconds
    try:
        _judge(cases, saved, n, until, progress=progress)
    except KeyboardInterrupt:
        if not saved.judged:
            raise
        warnings.warn("the review was interrupted; what was judged is kept", Interrupted, stacklevel=2)
    return Review(record, seat, saved.decisions, curve)


def judge_step(record: GameRecord, step: int, *, seconds: float, seed: int = DEFAULT_SEED) -> Review | None:
    """Return a review of one decision alone, without a win curve; None if the step cannot be judged."""
    move = record.steps[step][0]
    if not isinstance(move, Move):
        return None
    case = _decisions_of(record, move.seat, seed, [step]).get(step)
    if case is None:
        return None
    return Review(record, move.seat, [case.judge(Budget(0, seconds))], pd.DataFrame())


def _curve_in_time(record: GameRecord, seat: int | None, seconds: float, seed: int) -> int:
    """Return how many rollouts for each step of a win curve fit into some time, at least the fewest."""
    known = Watcher(record, seat).at(0)
    table = Rollouts(record.map, record.header.n_players, seed=seed)
    table.play(known, 1)
    start = perf_counter()
    table.play(known, _FEWEST_OF_CURVE)
    # What is left of a game is half of it on average.
    of_each_step = (perf_counter() - start) / _FEWEST_OF_CURVE / 2 / (os.cpu_count() or 1)
    return min(N_CURVE, max(_FEWEST_OF_CURVE, int(seconds / of_each_step / len(record.steps))))


def _decisions_of(
    record: GameRecord, seat: int | None, seed: int, steps: Iterable[int] | None = None
) -> dict[int, Moment]:
    """Return the decisions of a record, or those in some of its steps, that can be judged, by step."""
    n_seats = record.header.n_players
    watchers = {one: Watcher(record, one) for one in (range(n_seats) if seat is None else [seat])}
    last = record.state_at(-1).packed
    cases: dict[int, Moment] = {}
    for step in range(len(record.steps)) if steps is None else steps:
        first = record.steps[step][0]
        if not isinstance(first, Move) or first.seat not in watchers:
            continue
        known = watchers[first.seat].at(step - 1)
        show_tickets(known.packed, known.viewer, last)
        case = Moment(known, step, first.action, seed)
        if case.can_be_judged:
            cases[step] = case
    return cases


def _judge(cases: Mapping[int, Moment], saved: _Saved, n_rollouts: int, until: float | None, *, progress: bool) -> None:
    """Judge decisions that are not yet, then measure those again that seem to have cost most."""
    threads = os.cpu_count() or 1
    left = [step for step in cases if step not in saved.judged]
    seconds = None
    if until is not None:
        seconds = max(0.0, until - perf_counter()) * (1 - _OF_MOMENTS) * threads / max(1, len(left))
    each = Budget(n_rollouts, seconds)
    first = [(step, partial(cases[step].judge, each)) for step in left]
    for step, decision in in_order(first, len(first), "decision", progress=progress):
        saved.keep(step, decision)
    dearest = sorted((one for one in saved.judged.values() if one.loss_low > 0), key=lambda one: -one.loss_low)
    again = [one for one in dearest[:N_MOMENTS] if one.step not in saved.again]
    now, n_rounds = perf_counter(), ceil(len(again) / threads)
    second = []
    for at, one in enumerate(again):
        stop = None if until is None else now + (until - now) * (at // threads + 1) / n_rounds
        second.append((one.step, partial(cases[one.step].measure, one, each, stop)))
    for step, decision in in_order(second, len(second), "decision", progress=progress):
        saved.keep_again(step, decision)


# -- a review on disk ------------------------------------------------------------------------------------------------


class _Saved:
    """What has been judged, also on disk if there is a file for it; one with another key is refused."""

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
        self.judged[step] = decision
        self._write()

    def keep_again(self, step: int, decision: Decision) -> None:
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
    """Return what identifies a review, ready for JSON; one with a time limit may resume with another."""
    game = blake2b(record.dumps().encode(), digest_size=16).hexdigest()
    return {"game": game, "seat": seat, "rollouts": n, "seed": index(seed)}
