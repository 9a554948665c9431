"""Reviews: each decision of a game compared with the best one, the costliest decisions, and skill against luck."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from hashlib import blake2b
from itertools import accumulate
from math import ceil, inf
from operator import index
from time import perf_counter
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis._upward import render_html
from ttr_analysis._words import counted, point_drop, with_names
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.state import SeatView, seat_number
from ttr_analysis.notation import code_text
from ttr_analysis.notation.writer import part_text
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies import judging
from ttr_analysis.studies.advice import check_budget, view_of
from ttr_analysis.studies.intervals import end_columns
from ttr_analysis.studies.judging import BOUNDS, FORCED, LABELS, Budget, Decision, Moment, label_of
from ttr_analysis.studies.outlook import Why, explained
from ttr_analysis.studies.simulation import Interrupted, in_order
from ttr_analysis.studies.winning import DEFAULT_SEED

_VERDICTS: Final = {"best": "the best move", FORCED: "the only move"}
_NAMES: Final = {"good": "a good move", "inaccuracy": "an inaccuracy", "mistake": "a mistake", "blunder": "a blunder"}

REVIEW_COLUMNS: Final = {
    "seat": "who decided",
    "player": "name of the player or policy",
    "move": "the action, in notation",
    "best": "the best action",
    "label": "best, good, inaccuracy, mistake or blunder; forced if there was no choice",
    "loss": "win probability lost: after the best action minus after the one played",
    **end_columns("loss"),
    "lead": "lead over the best other seat that it lost, in expected final points",
    "win": "probability of winning after the action, given what the seat knew; missing if forced",
    "skill": "win probability gained over a planner's action; below 0 if lost",
    "luck": "change of the win probability up to the seat's next decision, by cards, tickets and hidden hands",
    "holds": "probability that it lost at least 2% with the seat's tickets and cards; 1 if they are known",
    "tried": "number of actions tried",
    "worlds": "number of worlds in which the loss was measured",
}
"""Columns of a review's table, and their meanings."""
_UNITS: Final = {"lead": "points"}
_MOMENT_FIRST: Final = ("player", "move", "best", "reason", "label", "loss", "lead", "win")
"""Columns of moments that notebooks show."""

SUMMARY_COLUMNS: Final = {
    "player": "name of the player or policy",
    "start": "a planner's win probability before the seat's first decision",
    "cost": "sum of the losses of its marks, counting only the largest for a route, card or tickets missed repeatedly",
    "shared": "how many of these marked moves a planner would have played too",
    "lost": "what of that cost did not come back: at most the highest win probability that it had, minus its result",
    "found": "skill plus lost: gain of its decisions over a planner's if nothing had been lost",
    "skill": "gain of its decisions over a planner's, as first measured: see `Review.first_measured`",
    "others": "the same for the other seats' decisions; missing if one seat is reviewed",
    "luck": "gain by cards, tickets and hidden hands; if others is missing, also by the other seats",
    "result": "share of the win, or win probability at the end of an incomplete record",
    "skill_error": "half of the 95% interval of skill",
    "luck_error": "half of the 95% interval of luck",
    "decisions": "number of judged decisions with a choice",
    **{
        label: f"number called {label}; those that missed the same route, card or draw of tickets count once"
        for label in LABELS
    },
}
"""Columns of a review's summary, and their meanings."""

CURVE_COLUMNS: Final = {
    "step": "step of the record, from 0, the setup",
    "seat": "seat whose probability this is",
    "acting": "the seat that moved in this step; -1 if none: the setup, a correction, or tickets shown",
    "win": "probability of winning after the step, if the seat's next decision is the best one",
    **end_columns("win"),
    "after": "probability right after the seat's own move, before cards are turned up; missing if it did not move",
}
"""Columns of a review's curve, and their meanings."""


class Review:
    """
    The best decisions of a game, and its luck: see `review`.

    Parameters
    ----------
    record
        The game.
    seat
        The reviewed seat; None for all.
    decisions
        Results, in game order.
    seconds
        Time taken, if there was a time limit.
    is_whole
        Whether all decisions were judged; if not, the review ends with the last judged one.
    first
        Decisions as first measured, if those that seemed costly were measured again.
    """

    def __init__(
        self,
        record: GameRecord,
        seat: int | None,
        decisions: Sequence[Decision],
        seconds: float | None = None,
        *,
        is_whole: bool = True,
        first: Iterable[Decision] = (),
    ) -> None:
        self.record = record
        self.seat = seat
        self.is_whole = is_whole
        self._seconds = seconds
        self._decisions = {decision.step: decision.believed() for decision in decisions}
        self._at_first = {decision.step: decision for decision in (*decisions, *first)}
        self._watchers: dict[int, Watcher] = {}
        self._why: dict[int, Why] = {}

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The judged decisions, in game order."""
        return tuple(self._decisions.values())

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each judged decision (index `step`), with the columns of `REVIEW_COLUMNS`."""
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
                one.chances[one.seat] if one.worlds else np.nan,
                one.skill[one.seat],
                self._luck.get(one.step, 0.0),
                one.holds,
                one.n_tried,
                one.worlds,
            ]
            for one in self._decisions.values()
        ]
        index = pd.Index(self._decisions, name="step", dtype=int)
        return as_table(pd.DataFrame(rows, columns=list(REVIEW_COLUMNS), index=index), units=_UNITS)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """
        Each seat's win probability after each step, with the columns of `CURVE_COLUMNS`.

        It comes from the same worlds as the losses: from what a seat could know, with the best
        move next. It falls by the loss from there to `after`; later changes are luck and the
        others' moves. Each seat sees its own probability; if one seat is reviewed, that seat
        sees all, and `curve.attrs["looker"]` is its number instead of "own". Between a seat's
        decisions, the probability is interpolated.
        """
        frames = [self._line(seat) for seat in range(self.record.header.n_players) if self._measured(seat)]
        curve = pd.concat(frames) if frames else pd.DataFrame(columns=list(CURVE_COLUMNS))
        curve = curve.sort_values(["step", "seat"], ignore_index=True)
        curve.attrs["looker"] = "own" if self.seat is None else self.seat
        return as_table(curve)

    def _line(self, seat: int) -> pd.DataFrame:
        made, n_steps = self._measured(seat), self._n_steps
        after = {one.step: one.chances[seat] for one in made}
        before = {one.step - 1: one.chances[seat] + one.lost[seat] for one in made}
        known = pd.Series({**after, n_steps - 1: self._result(seat), **before}).sort_index()
        worlds = pd.Series({one.step - at: one.worlds for one in made for at in (0, 1)}).sort_index()
        steps = np.arange(n_steps)
        win, n = (np.interp(steps, line.index, line.to_numpy()) for line in (known, worlds))
        half = Z_95 * np.sqrt(win * (1 - win) / n + 1 / n**2)
        line = pd.DataFrame({"step": steps, "seat": seat})
        moves = [step[0] for step in self.record.steps[:n_steps]]
        line["acting"] = [move.seat if isinstance(move, Move) else -1 for move in moves]
        line["win"], line["win_low"], line["win_high"] = (np.clip(end, 0, 1) for end in (win, win - half, win + half))
        line["after"] = line["step"].map(after).where(line["acting"] == seat)
        return line

    def moments(self, n: int = 5) -> pd.DataFrame:
        """
        Return the costliest decisions.

        Parameters
        ----------
        n
            Maximum number to return.

        Returns
        -------
        moments
            Rows of `table` with a mark, sorted by the low end of their loss, with the
            `reason` for the best action. If a seat missed the same route, card or draw
            of tickets several times, it has one row: the clearest mark, with how often,
            `times`, and the first and last step, `since` and `until`.
            `advise(record, step=step - 1)` considers a decision again.
        """
        ideas = [[one for one in missed if label_of(one) in BOUNDS] for missed in self._missed.values()]
        clearest = {max(marked, key=lambda one: one.loss_low).step: marked for marked in ideas if marked}
        found = self.table.loc[list(clearest)].sort_values("loss_low", ascending=False, kind="stable").head(n)
        found = found.assign(
            times=[len(clearest[step]) for step in found.index],
            since=[clearest[step][0].step for step in found.index],
            until=[clearest[step][-1].step for step in found.index],
        )
        return as_table(found.assign(reason=[self.reason(step) for step in found.index]), _MOMENT_FIRST, _UNITS)

    @cached_property
    def _missed(self) -> dict[tuple[int, object], list[Decision]]:
        return judging.missed_ideas(
            self._decisions.values(), self.record.map, lambda step: self.known(step).packed.market
        )

    def summary(self) -> pd.DataFrame:
        """
        Return the parts of the result, for each seat or the reviewed one.

        Returns
        -------
        summary
            One row for each seat (index `seat`), with the columns of
            `SUMMARY_COLUMNS`.
        """
        names = player_names(self.record)
        rows = []
        for seat in range(self.record.header.n_players) if self.seat is None else [self.seat]:
            made = self._own(seat)
            table = self.table[(self.table["seat"] == seat) & (self.table["label"] != FORCED)]
            start = made[0].chances[seat] - made[0].skill[seat] if made else np.nan
            all_missed = [missed for (whose, _), missed in self._missed.items() if whose == seat]
            ideas = [[one for one in missed if label_of(one) in BOUNDS] for missed in all_missed]
            costliest = [max(marked, key=lambda one: one.loss) for marked in ideas if marked]
            skill, result = self._gain(seat, made), self._result(seat)
            cost = sum(one.loss for one in costliest)
            lost = min(cost, judging.lost_for_good((one for one in made if label_of(one) in BOUNDS), result))
            others = self._gain(seat, self._of_others(seat)) if self.seat is None else np.nan
            marks = Counter(max(map(label_of, missed), key=LABELS.index) for missed in all_missed)
            marks["best"] = sum(one.best == one.played for one in made)
            skill_error, luck_error = self._errors(seat)
            rows.append(
                {
                    "seat": seat,
                    "player": names[seat],
                    "start": start,
                    "found": skill + lost,
                    "lost": lost,
                    "skill": skill,
                    "others": others,
                    "luck": result - start - skill - np.nan_to_num(others),
                    "result": result,
                    "skill_error": skill_error,
                    "luck_error": luck_error,
                    "cost": cost,
                    "shared": sum(one.played == one.planned for one in costliest),
                    "decisions": len(table),
                    **{label: marks[label] for label in LABELS},
                }
            )
        return as_table(pd.DataFrame(rows).set_index("seat")[list(SUMMARY_COLUMNS)])

    def _errors(self, seat: int) -> tuple[float, float]:
        """Return half the 95% intervals of a seat's skill and luck."""
        made = self._own(seat)
        own, others = (
            sum(self.first_measured(one.step).skill_error[seat] ** 2 for one in some)
            for some in (made, self._of_others(seat))
        )
        n = made[0].worlds if made else 0
        start = (made[0].chances[seat] * n + 1) / (n + 2) if made else 0.5  # never certain after few rollouts
        of_start = start * (1 - start) / n if n else np.inf
        return Z_95 * float(np.sqrt(own)), Z_95 * float(np.sqrt(own + others + of_start))

    @property
    def lacking(self) -> float:
        """
        Factor by which more rollouts are needed to judge most decisions; 1 if these are enough.

        They are enough if, for half of the decisions, the interval of the loss is at most
        10 points to either side, or would be if another action had been best.
        """
        halves = [
            (one.loss_high - one.loss_low) / 2 if one.best != one.played else Z_95 / (2 * np.sqrt(one.worlds))
            for one in map(self.first_measured, self._decisions)
            if one.worlds
        ]
        return max(1.0, float(np.median(halves) / _CLEAR) ** 2) if halves else 1.0

    @property
    def minutes_needed(self) -> float | None:
        """Total minutes needed to judge most decisions; None if there was no time limit."""
        return None if self._seconds is None else self._seconds * self.lacking / 60

    # -- changes between decisions ----------------------------------------------------

    def _measured(self, seat: int) -> list[Decision]:
        """Return the decisions for a seat's win probability: its own, if any was measured."""
        return self._own(seat) or [one for one in self._decisions.values() if one.worlds]

    def _own(self, seat: int) -> list[Decision]:
        return [one for one in self._decisions.values() if one.worlds and one.seat == seat]

    def _of_others(self, seat: int) -> list[Decision]:
        """Return the other seats' measured decisions since a seat's first one."""
        first = min((one.step for one in self._measured(seat)), default=0)
        return [one for one in self._decisions.values() if one.worlds and one.seat != seat and one.step > first]

    def _gain(self, seat: int, decisions: list[Decision]) -> float:
        """Return what decisions gained for a seat over a planner's, as first measured."""
        return sum(self.first_measured(one.step).skill[seat] for one in decisions)

    def _result(self, seat: int) -> float:
        """Return the share of the win, or the last win probability of an incomplete record or review."""
        winners = self.record.winners if self.record.is_complete and self.is_whole else ()
        if winners:
            return (seat in winners) / len(winners)
        made = self._measured(seat)
        return made[-1].chances[seat] if made else np.nan

    @property
    def _n_steps(self) -> int:
        """Steps up to the end, or to the last decision of an interrupted review."""
        return len(self.record.steps) if self.is_whole else max(self._decisions, default=0) + 1

    @cached_property
    def _luck(self) -> dict[int, float]:
        """The luck from each measured decision to the next one of its seat."""
        luck: dict[int, float] = {}
        for seat in range(self.record.header.n_players):
            made, others = self._own(seat), self._of_others(seat)
            for one, following in zip(made, [*made, None][1:], strict=True):
                end = self._result(seat) if following is None else following.chances[seat] - following.skill[seat]
                until = self._n_steps if following is None else following.step
                between = sum(other.skill[seat] for other in others if one.step < other.step < until)
                luck[one.step] = end - one.chances[seat] - between
        return luck

    # -- one decision -----------------------------------------------------------------

    def first_measured(self, step: int) -> Decision:
        """
        Return a decision as first measured, for sums over decisions.

        Those that seemed costly were measured again, and seem less costly then. Sums of
        later measurements alone would therefore praise every player.
        """
        return self._at_first[step]

    def action(self, step: int) -> Action:
        """
        Return the best action of a decision.

        Raises
        ------
        KeyError
            If no decision was judged at that step.
        """
        code, value = self._decisions[step].best
        return codec_of(self.record.map).decode(code, value, self.known(step).packed)

    def move(self, step: int) -> str:
        """Return the action of a step in notation, without the chance events after it."""
        first = self._first[step]
        return part_text(self._packed, self.record.state_at(step - 1).packed, self.record.entries[first : first + 1])

    def best_move(self, step: int) -> str:
        """Return the best action of a decision in notation."""
        one = self._decisions[step]
        if one.best == one.played:
            return self.move(step)
        return code_text(self._packed, self.known(step).packed, *one.best)

    def verdict(self, step: int) -> str:
        """Describe a decision in a sentence or two."""
        one = self._decisions[step]
        label, move = label_of(one), self.move(step)
        if label in _VERDICTS:
            return f"{move}: {_VERDICTS[label]}."
        reason = self.reason(step)
        better = f"{self.best_move(step)}{f' ({reason})' if reason else ''}"
        cost = f"{move}: {_NAMES[label]}, {self.cost(step)}"
        return f"{cost} against {better}." if label == "good" else f"{cost}. Better: {better}."

    def cost(self, step: int) -> str:
        """Describe the loss of a decision: "cost 23 percentage points of win probability (18 to 27)"."""
        one = self._decisions[step]
        after = one.chances[one.seat]
        loss = max(0, point_drop(after + one.loss, after))
        low, high = (max(0, round(100 * end)) for end in (one.loss_low, one.loss_high))
        return f"cost {counted(loss, 'percentage point')} of win probability ({min(low, loss)} to {max(high, loss)})"

    def reason(self, step: int) -> str:
        """Return the reason for the best action of a decision."""
        why = self.why(step)
        return with_names("; ".join((*why.reasons, *why.changes)), player_names(self.record))

    def outlook(self, step: int) -> pd.DataFrame:
        """
        Return how planners play on after the best action of a marked decision, and after the one played.

        There is a row for each route, ticket and result that matters in 160 games after each (index
        `seat`, `does`), with the columns of `outlook.OUTLOOK_COLUMNS`; none if there is no mark.
        """
        return self.why(step).outlook()

    def why(self, step: int) -> Why:
        """Return why the best action of a decision is better; raise a `KeyError` if none was judged at that step."""
        if step not in self._why:
            one = self._decisions[step]
            self._why[step] = explained(one, self.known(step), is_marked=label_of(one) in BOUNDS)
        return self._why[step]

    def view(self, step: int) -> SeatView:
        """Return what the deciding seat saw in a step; for uncertain tickets, the likeliest ones."""
        return view_of(self.known(step))

    def known(self, step: int) -> Knowledge:
        """Return what the deciding seat knew in a step."""
        seat = self._decisions[step].seat
        if seat not in self._watchers:
            self._watchers[seat] = Watcher(self.record, seat)
        return self._watchers[seat].at(step - 1)

    # -- internals --------------------------------------------------------------------

    @cached_property
    def _packed(self) -> KernelGame:
        return KernelGame(self.record.map, self.record.header.n_players)

    @cached_property
    def _first(self) -> list[int]:
        """The first event of each step."""
        return [0, *accumulate(len(events) for events in self.record.steps)]

    def __repr__(self) -> str:
        names = player_names(self.record)
        seats = range(len(names)) if self.seat is None else [self.seat]
        who = ", ".join(f"P{seat}" if names[seat] == f"P{seat}" else f"P{seat} {names[seat]}" for seat in seats)
        return f"<Review of {self.record.header.map_name}: {who}, {counted(len(self._decisions), 'decision')}>"

    _repr_html_ = render_html


def player_names(record: GameRecord) -> tuple[str, ...]:
    """Return the name of each seat: the player, or the policy, or P0, P1, ..."""
    header = record.header
    return header.players or header.policies or tuple(f"P{seat}" for seat in range(header.n_players))


# -- the review of a game ------------------------------------------------------------------------------------------

DEFAULT_ROLLOUTS: Final = 2_400
N_MOMENTS: Final = 20
"""Decisions per seat that are measured again, the costliest; twice as many without a time limit."""
_CLEAR: Final = 0.1
"""A decision counts as judged up to this half width; those that seem costly are measured again."""
_OF_MOMENTS: Final = 0.4
"""Share of the time for measuring again."""
_PLANNED: Final = 0.97
"""Share of the time that is planned, since decisions in progress at the end overrun."""


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
    Return the best action in each decision of a game, the cost of the one played, and the luck.

    Three quarters of a decision's budget go to finding the action of highest value, from
    what its seat knew then. The rest plays out the action played and that one in the same
    new worlds. Decisions that seem costliest are measured again, until it is clear what they
    cost or the budget is spent. An action counts as best unless another is clearly better.

    Parameters
    ----------
    record
        The game; it may be unfinished, with unknown cards.
    seat
        Review only this seat's decisions, from what it could know; None: those of all
        seats, each from what it could know.
    rollouts
        Approximate number of games played out per decision; 2,400 without `seconds`. The
        review then depends only on the seed.
    seconds
        Time for the whole review, instead of `rollouts`.
    seed
        Seed of worlds and rollouts.
    path
        A file for saving the review after each decision and resuming it, if it is of the
        same game, seat, seed and number of rollouts. A file of another version of this
        package is discarded.
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
        If both `rollouts` and `seconds` are given, one is not above 0, or the file
        belongs to another review.

    Warns
    -----
    Interrupted
        If interrupted; the decisions judged so far are kept.

    Notes
    -----
    A decision is judged if the tickets that its seat held and chose from are known, even
    if only from the end of the game. If a log does not show when a seat kept each of its
    tickets, decisions are judged with hands of tickets that it may have held, and a mark
    must hold for nearly all of them. If some cards of the hand are unknown, only payments
    with known cards are tried.

    Curve, losses, marks and skill share one measure: the share of games that the seat wins
    in the same worlds after the best move found, after the move played, and after a
    planner's move. The curve falls by the loss. A seat's `skill` is what its moves would
    have gained over a planner's (`found`), minus what its marked moves `lost`. Skill, the
    others' moves, and luck (the rest, 0 on average among planners) add up exactly to the
    result minus the probability at the start.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play(["Greedy", "Greedy"], seed=7)
    >>> found = review(record, 1, rollouts=4, progress=False)
    >>> found
    <Review of usa: P1 Greedy, 63 decisions>
    """
    record.score()  # raises for a record that has not begun
    if seat is not None:
        seat = seat_number(seat, record.header.n_players)
    n, seconds = check_budget(rollouts, seconds, None)
    n = n or DEFAULT_ROLLOUTS
    saved = judging.SavedReview(path, _key(record, seat, n if seconds is None else None, seed))
    start = perf_counter()
    cases = _decisions_of(record, seat, seed)
    until = None if seconds is None else start + _PLANNED * seconds
    is_whole = False
    try:
        _judge(cases, saved, n, until, progress=progress)
        is_whole = True
    except KeyboardInterrupt:
        if not saved.judged:
            raise
        saved.write()
        warnings.warn("the review was interrupted; the judged decisions are kept", Interrupted, stacklevel=2)
    return Review(
        record,
        seat,
        saved.decisions,
        seconds,
        is_whole=is_whole or len(saved.judged) == len(cases),
        first=saved.judged.values(),
    )


def judge_step(record: GameRecord, step: int, *, seconds: float, seed: int = DEFAULT_SEED) -> Review | None:
    """Return a review of a single decision, without a win curve; None if the step cannot be judged."""
    move = record.steps[step][0]
    if not isinstance(move, Move):
        return None
    case = _decisions_of(record, move.seat, seed, [step]).get(step)
    if case is None:
        return None
    return Review(record, move.seat, [case.judge(Budget(0, seconds))])


def _decisions_of(
    record: GameRecord, seat: int | None, seed: int, steps: Iterable[int] | None = None
) -> dict[int, Moment]:
    """Return the decisions of a record, or of some of its steps, that can be judged, by step."""
    n_seats = record.header.n_players
    watchers = {one: Watcher(record, one) for one in (range(n_seats) if seat is None else [seat])}
    cases: dict[int, Moment] = {}
    for step in range(len(record.steps)) if steps is None else steps:
        first = record.steps[step][0]
        if not isinstance(first, Move) or first.seat not in watchers:
            continue
        known = watchers[first.seat].at(step - 1)
        case = Moment(known, step, first.action, seed)
        if case.can_be_judged:
            cases[step] = case
    return cases


def _judge(
    cases: Mapping[int, Moment], saved: judging.SavedReview, n_rollouts: int, until: float | None, *, progress: bool
) -> None:
    """Judge the remaining decisions, then measure again those that seem costliest."""
    threads = os.cpu_count() or 1
    left = [step for step in cases if step not in saved.judged]
    seconds = None
    if until is not None:
        seconds = max(0.0, until - perf_counter()) * (1 - _OF_MOMENTS) * threads / max(1, len(left))
    each = Budget(n_rollouts, seconds)
    first = [(step, partial(cases[step].judge, each)) for step in left]
    for step, decision in in_order(first, len(first), "decision", progress=progress):
        saved.keep(step, decision)
    # With few worlds, real mistakes hide as easily as false ones appear. With a time limit, the costliest need it.
    least, clear = BOUNDS["inaccuracy"], BOUNDS["mistake"] if until is None else inf
    costly = [one for one in saved.judged.values() if one.loss >= least or one.loss_high >= clear]
    n_most = N_MOMENTS * len({one.seat for one in saved.judged.values()}) * (2 if until is None else 1)
    costliest = sorted(costly, key=lambda one: -one.loss_low)
    again = [one for one in costliest[:n_most] if one.step not in saved.again]
    now, n_rounds = perf_counter(), ceil(len(again) / threads)
    second = []
    for at, one in enumerate(again):
        stop = None if until is None else now + (until - now) * (at // threads + 1) / n_rounds
        second.append((one.step, partial(cases[one.step].measure, one, each, stop)))
    for step, decision in in_order(second, len(second), "decision", progress=progress):
        saved.keep_again(step, decision)


def _key(record: GameRecord, seat: int | None, n: int | None, seed: int) -> dict[str, object]:
    """Return the identity of a review, ready for JSON; reviews with a time limit may resume with another limit."""
    game = blake2b(record.dumps().encode(), digest_size=16).hexdigest()
    return {"game": game, "seat": seat, "rollouts": n, "seed": index(seed)}
