"""One decision of a game: what was played, what was best, and what the difference was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Floats
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import argument_of, kind_of, unpacked
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.engine.unknowns import has_unknown_tickets, n_unknown_cards
from ttr_analysis.policies.playout import Results
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.searcher import Candidate, Search, halve, leads
from ttr_analysis.studies.advice import considered, mean_loss, standard_errors, view_of
from ttr_analysis.studies.intervals import Interval, interval_of_difference

_AT_ONCE: Final = 64
"""Worlds that are measured between two looks at the clock and at the interval."""
_MOST_WORLDS: Final = 20
"""Rollouts of the budget of a decision, times this, are the most worlds in which it is measured once more."""
_FIRST_MEASURED: Final = 1 << 20
"""
Number of the first world that measures, the same for all decisions, so that curves are smoother. Those that find the
best action have lower numbers.
"""
_HALF_WIDTH: Final = 0.04
"""Half the width of the interval of a loss at which nothing more is measured, if it surely cost something."""
_NARROWEST: Final = 0.02
"""The same, if it may have cost nothing."""
LEAST_LOSS: Final = 0.02
"""What must have been lost at least for a mark: share of the win."""
_OF_SEARCH: Final = 0.75
"""Share of the budget of a decision that finds the best action; the rest measures what was played against it."""


class Budget(NamedTuple):
    """What may be spent on a decision: about that many rollouts, or seconds in place of them."""

    rollouts: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """
    A decision, and what came of measuring it.

    Codes and values of actions: what was `played`, what was `best`, and what a
    planner would have done, `planned`. Tuples have a value for each seat: `chances`
    are the shares of the win after what was played; what the best would have
    brought beyond that is `lost`, in final points `points`; what was played brought
    `skill` beyond a planner's. Errors are standard errors. All were measured in
    `worlds` other than those in which the best was found; `n_tried` is 1 if there
    was nothing to choose, and nothing was measured. `lead` is in points, compared
    with the best other seat. If the tickets of the seat are in doubt, `holds` is the
    share of the worlds with hands in which the best was better. `is_seen` is whether
    the record knows all cards that the seat saw.
    """

    step: int
    seat: int
    played: Candidate
    best: Candidate
    planned: Candidate
    n_tried: int
    worlds: int
    chances: tuple[float, ...]
    lost: tuple[float, ...]
    loss_low: float
    loss_high: float
    holds: float
    lead: float
    points: tuple[float, ...]
    points_error: tuple[float, ...]
    skill: tuple[float, ...]
    skill_error: tuple[float, ...]
    is_seen: bool = True

    @property
    def loss(self) -> float:
        """What the seat lost: share of the win after the best action, less that after the one played."""
        return self.lost[self.seat]

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Decision:
        """Return a decision from what `dataclasses.asdict` and JSON made of it."""
        whole: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**whole)


class Moment:
    """A decision to be judged: what its seat knew, its step and action, and the seed of worlds and rollouts."""

    def __init__(self, known: Knowledge, step: int, action: Action, seed: int) -> None:
        self._step = step
        self._known = known
        self._seed = index(seed)
        self.can_be_judged = not has_unknown_tickets(known.packed, known.viewer)
        """Whether the tickets of the seat are known, or can be sampled, and what it did is legal."""
        if self.can_be_judged:
            played = codec_of(known.game_map).encode(action, known.packed)
            self._known, self._played = _as_seen(known, played)
            self.can_be_judged = action_fault(self._known.packed, known.tables, *self._played) == codes.NONE

    def judge(self, budget: Budget) -> Decision:
        """Find the best action with most of a budget, and measure what was played against it with the rest."""
        view = view_of(self._known)
        tried = _with(self._played, considered(view, self._seed), self._known.packed)
        if len(tried) == 1:
            return self._decision(tried[0], tried[0], 1, None)
        search = Search(self._known, self._seed)
        seconds = budget.seconds
        until = None if seconds is None else perf_counter() + seconds
        found = halve(search, tried, int(_OF_SEARCH * budget.rollouts), seconds and _OF_SEARCH * seconds)
        best = tried[found.best]
        rows = list(dict.fromkeys([self._played, best, tried[0]]))
        search.n_worlds = _FIRST_MEASURED
        n_worlds = max(2, int((1 - _OF_SEARCH) * budget.rollouts) // len(rows))
        results = _measured(search, rows, n_worlds, until)
        return self._decision(best, tried[0], len(tried), dict(zip(rows, results, strict=True)))

    def measure(self, before: Decision, budget: Budget, until: float | None) -> Decision:
        """Measure a decision again, in new worlds, until its loss is known well enough or the time is over."""
        rows = list(dict.fromkeys([before.played, before.best, before.planned]))
        # Another seed: the worlds that said that this was a moment are not those that measure it.
        search = Search(self._known, self._seed + 1)
        search.n_worlds = _FIRST_MEASURED
        most = _MOST_WORLDS * max(budget.rollouts, 1) if until is None else 1 << 30
        results = _measured(search, rows, most, until, before.seat)
        return self._decision(before.best, before.planned, before.n_tried, dict(zip(rows, results, strict=True)))

    def _decision(
        self, best: Candidate, planned: Candidate, n_tried: int, results: dict[Candidate, Results] | None
    ) -> Decision:
        seat, state = self._known.viewer, self._known.packed
        nothing = (0.0,) * self._known.n_players
        made = (self._step, seat, self._played, best, planned, n_tried)
        if results is None:
            return Decision(*made, 0, nothing, nothing, 0.0, 0.0, 1.0, 0.0, nothing, nothing, nothing, nothing)
        played, of_best, of_planned = results[self._played], results[best], results[planned]
        loss = Interval(0.0, 0.0, 0.0) if best == self._played else mean_loss(of_best, played, seat)
        lost = of_best.won - played.won
        gains = played.won - of_planned.won
        points = (of_best.points - played.points).astype(np.float64)
        errors = nothing if self._played == planned else tuple(standard_errors(gains).tolist())
        return Decision(
            *made,
            worlds=len(played.won),
            chances=tuple(played.won.mean(axis=0).tolist()),
            lost=tuple(lost.mean(axis=0).tolist()),
            loss_low=loss.low,
            loss_high=loss.high,
            holds=self._holds(lost[:, seat]),
            lead=float((leads(of_best, seat) - leads(played, seat)).mean()),
            points=tuple(points.mean(axis=0).tolist()),
            points_error=tuple(standard_errors(points).tolist()),
            skill=tuple(gains.mean(axis=0).tolist()),
            skill_error=errors,
            is_seen=not (n_unknown_cards(state, seat) or (state.market >= UNKNOWN_CARD).any()),
        )

    def _holds(self, lost: Floats) -> float:
        """Return the share of worlds with hands of tickets in which something was lost on average."""
        hands = self._known.hands(self._known.viewer)
        if not len(hands) or not lost.any():
            return 1.0
        held = hands[(_FIRST_MEASURED + np.arange(len(lost))) % len(hands)]
        _, hand, n = np.unique(held, return_inverse=True, return_counts=True)
        # A hand has few worlds, so its mean is drawn to the mean of all, as far as chance explains the difference.
        means, mean = np.bincount(hand, lost) / n, lost.mean()
        noise = ((lost - means[hand]) ** 2).sum() / max(1, len(lost) - len(n)) / n
        between = max(0.0, float(np.average((means - mean) ** 2 - noise, weights=n)))
        likely = mean + (means - mean) * between / np.maximum(between + noise, 1e-12)
        return float((likely[hand] > 0).mean())


def _as_seen(known: Knowledge, played: Candidate) -> tuple[Knowledge, Candidate]:
    """Return what the seat must have seen when it acted, even if the record did not know it then, and what it did."""
    code, value = played
    state, seat = known.packed.copy(), known.viewer
    kind = kind_of(code)
    if kind == codes.DRAW_FACE_UP:  # which card lies there is known: see `Watcher.at`
        return known, (code, 0)
    if kind in (codes.ATTEMPT_TUNNEL, codes.CLAIM_ROUTE, codes.PAY_TUNNEL):
        missing = np.maximum(0, np.array(unpacked(value).counts) - state.hand[seat])
        if missing.sum() <= n_unknown_cards(state, seat):
            state.hand[seat] += missing
    return known._replace(packed=state), played


def _with(played: Candidate, tried: list[Candidate], state: State) -> list[Candidate]:
    """Return the actions to try with the one played, which replaces others that take the same kind of card."""

    def same(row: Candidate) -> bool:
        kinds = kind_of(row[0]), kind_of(played[0])
        if kinds != (codes.DRAW_FACE_UP, codes.DRAW_FACE_UP):
            return row == played
        return bool(state.market[argument_of(row[0])] == state.market[argument_of(played[0])])

    return list(dict.fromkeys([*(played if same(row) else row for row in tried), played]))


def _measured(
    search: Search, rows: list[Candidate], n_worlds: int, until: float | None, seat: int | None = None
) -> list[Results]:
    """
    Return how games end after each action, in new worlds; the rows begin with the action played and the best one.

    Without a time to stop (`perf_counter`), there are `n_worlds`. If a seat is
    given, measuring stops when the interval of its loss is narrow enough.
    """
    actions = np.array(rows, dtype=np.int64)
    parts: list[Results] = []
    for n in _batches(n_worlds, until, is_open=seat is not None):
        parts.append(search.results(actions, n))
        if seat is not None and len(rows) > 1:
            losses = [part.won[1, :, seat] - part.won[0, :, seat] for part in parts]
            loss = interval_of_difference(np.concatenate(losses))
            half = _HALF_WIDTH if loss.low >= LEAST_LOSS or loss.high < LEAST_LOSS else _NARROWEST
            if loss.high - loss.low < 2 * half:
                break
    won, points = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
    return [Results(won[i], points[i]) for i in range(len(rows))]


def _batches(n_worlds: int, until: float | None, *, is_open: bool) -> Iterator[int]:
    """Yield numbers of worlds until there are enough, or time is over."""
    if until is None:
        for first in range(0, n_worlds, _AT_ONCE):
            yield min(_AT_ONCE, n_worlds - first)
        return
    yield _AT_ONCE if is_open else _AT_ONCE // 4
    while perf_counter() < until:
        yield _AT_ONCE // 4
