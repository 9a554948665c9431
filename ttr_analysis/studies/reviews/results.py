"""What a review found: decisions, the moments that cost most, skill and luck; and players over many games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._display import render_html
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.engine.view import SeatView
from ttr_analysis.notation import code_text
from ttr_analysis.notation.writer import part_text
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies.intervals import mean_interval
from ttr_analysis.studies.reviews.decision import Decision
from ttr_analysis.studies.reviews.reasons import Reasons, at_cost_of

BOUNDS: Final = {"blunder": 0.10, "mistake": 0.05, "inaccuracy": 0.02}
"""What the low end of the interval of a loss must reach for a decision to be called so."""
LABELS: Final = ("best", "good", "inaccuracy", "mistake", "blunder")
"""What a decision is called where there was something to choose."""
FORCED: Final = "forced"
"""What it is called where there was not."""

_VERDICTS: Final = {"best": "the best move", "good": "a good move", FORCED: "the only move"}
_ARTICLES: Final = {"inaccuracy": "an", "mistake": "a", "blunder": "a"}

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
        Whose decisions; None for those of all.
    decisions
        What was found, in the order of the game.
    curve
        The win curve, from `win_curve`.

    Attributes
    ----------
    record : GameRecord
        The game.
    seat : int or None
        Whose decisions; None for those of all.
    curve : pandas.DataFrame
        The win curve.
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
        What each step changed of the win probability of each seat (index `step`, `seat`).

        `change` is the sum of `skill`, what its own decision brought beyond
        what a planner would have done, `others`, what that of another seat
        did, and `luck`.
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
            Rows of `table`, those first of which the most is sure to be lost,
            with a column `reason`: what speaks for the best action. Decisions
            whose interval holds 0 are left out. What stood before a decision
            is `record.state_at(step - 1)`, and `advise(record, step=step - 1)`
            looks at it again.
        """
        dear = self.table[self.table["loss_low"] > 0].sort_values("loss_low", ascending=False, kind="stable").head(n)
        return as_table(dear.assign(reason=[self.reason(step) for step in dear.index]), _MOMENT_FIRST, _UNITS)

    def summary(self) -> pd.DataFrame:
        """
        Return what the game was for each seat, or for the one that is reviewed.

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
        """Return what was done in a step, as a line of the notation tells it, without what chance did upon it."""
        first = self._first[step]
        return part_text(self._packed, self.record.state_at(step - 1).packed, self.record.entries[first : first + 1])

    def best_move(self, step: int) -> str:
        """Return the best action of a decision as a line of the notation tells it."""
        one = self._decisions[step]
        if one.best == one.played:
            return self.move(step)
        return code_text(self._packed, self.record.state_at(step - 1).packed, *one.best)

    def verdict(self, step: int) -> str:
        """Return what there is to say of a decision, in a sentence or two."""
        one = self._decisions[step]
        label, move = label_of(one), self.move(step)
        if label not in BOUNDS:
            return f"{move}: {_VERDICTS[label]}."
        loss, low, high = (f"{100 * max(0.0, share):.0f}" for share in (one.loss, one.loss_low, one.loss_high))
        reason = self.reason(step)
        better = f"Better: {self.best_move(step)}{f' ({reason})' if reason else ''}."
        return f"{move}: {_ARTICLES[label]} {label}, cost {loss}% of winning ({low} to {high}%). {better}"

    def reason(self, step: int) -> str:
        """Return what speaks for the best action of a decision, in terms of the game."""
        state, one = self.record.state_at(step - 1), self._decisions[step]
        reasons = Reasons(SeatView(state.game_map, state.n_players, state.packed, state.acting))
        parts = reasons.of(self.action(step)), at_cost_of(one.seat, one.points, one.points_error)
        return "; ".join(filter(None, parts))

    # -- plumbing ---------------------------------------------------------------------

    @cached_property
    def _packed(self) -> PackedGame:
        return PackedGame(self.record.map, self.record.header.n_players)

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
    """Return what a decision is called: the low end of the interval of its loss must clear the bounds of `BOUNDS`."""
    if decision.n_tried == 1:
        return FORCED
    if decision.best == decision.played:
        return "best"
    return next((label for label, bound in BOUNDS.items() if decision.loss_low >= bound), "good")


def player_names(record: GameRecord) -> tuple[str, ...]:
    """Return what each seat is called: the player, or else the policy, or else P0, P1, ..."""
    header = record.header
    return header.players or header.policies or tuple(f"P{seat}" for seat in range(header.n_players))


def player_results(reviews: Iterable[Review]) -> pd.DataFrame:
    """
    Return what reviews of many games say of each player.

    Parameters
    ----------
    reviews
        From `review`.

    Returns
    -------
    results
        One row for each name (index `player`): `games` (of two seats of a
        name in one game both count), `decisions`, and for a game the mean
        `result`, `start`, `skill`, `others`, `luck` and `lost`, as in
        `Review.summary`, `skill`, `luck` and `lost` with their 95% intervals,
        and how many of its decisions were called what.

    Raises
    ------
    ValueError
        If there are no reviews.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
        n = len(of_player)
        row: dict[str, object] = {"player": name, "games": n, "decisions": int(of_player["decisions"].sum())}
        row |= {what: float(of_player[what].mean()) for what in ("result", "start", "others")}
        for what in ("skill", "luck", "lost"):
            values = of_player[what].to_numpy()
            row[what], row[f"{what}_low"], row[f"{what}_high"] = mean_interval(values.sum(), (values**2).sum(), n)
        rows.append(row | {label: int(of_player[label].sum()) for label in LABELS})
    return as_table(pd.DataFrame(rows).set_index("player"))
