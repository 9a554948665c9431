"""Judge decisions: compare the move played with the best move, label it, and save decisions on disk."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy.special import ndtr

from ttr_analysis import __version__
from ttr_analysis._compile import Floats, Ints
from ttr_analysis._decoding import write_atomically
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import argument_of, kind_of, unpacked
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.layout import UNKNOWN_CARD, State, has_unknown_tickets, n_unknown_cards
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import Results, joined
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.rollouts import NO_ACTION
from ttr_analysis.policies.search.searcher import WORLDS_AT_ONCE, Candidate, Search, batches, halve, leads
from ttr_analysis.studies.advice import considered, mean_loss, standard_errors, view_of
from ttr_analysis.studies.intervals import Interval

_MAX_WORLDS: Final = 4
"""Maximum number of worlds when a decision is measured again, in multiples of its budgeted rollouts."""
_FIRST_MEASURED: Final = 1 << 20
"""
Number of the first world for measuring. It is the same for all decisions, which makes curves smoother; the search for
the best action uses lower numbers.
"""
_MEASURED_AGAIN: Final = 1 << 21
"""The same for measuring again: the worlds that selected a decision must not measure it."""
LEAST_LOSS: Final = 0.02
"""The smallest loss that gets a mark (share of the win)."""
BOUNDS: Final = {"blunder": 0.10, "mistake": 0.05, "inaccuracy": LEAST_LOSS}
"""Smallest loss for each label, if its interval is high enough too: see `label_of`."""
_LEAST_LOW_END: Final = LEAST_LOSS / 2
"""The low end of the interval that an inaccuracy needs."""
LABELS: Final = ("best", "good", "inaccuracy", "mistake", "blunder")
"""Labels of decisions with a choice."""
FORCED: Final = "forced"
"""Label of decisions without a choice."""
MOST_DOUBT: Final = 0.1
"""A mark may be wrong for this share of the tickets and cards that a seat may have held."""
_NARROW: Final = 0.06
"""A decision gets no mark if half the interval of its loss is wider."""
_HALF_WIDTH: Final = 0.02
"""Measuring stops when the interval of a loss is narrower than twice this."""
_WIDE: Final = 0.04
"""The same if even the low end makes it a blunder, or even the high end is small."""
_NO_SPREAD: Final = 1e-12
"""In place of a spread of 0."""
_CAN_WAIT: Final = {
    codes.DRAW_FACE_UP,
    codes.CLAIM_ROUTE,
    codes.ATTEMPT_TUNNEL,
    codes.BUILD_STATION,
    codes.DRAW_TICKETS,
}
"""Kinds of actions that a seat may still take a turn later."""
_LINE_WORLDS: Final = 32
"""Maximum number of worlds for choosing among `ways`; with a small budget, its rollouts divided by this."""
_SEARCH_SHARE: Final = 0.75
"""Share of a decision's budget for finding the best action; the rest measures the action played against it."""


Line: TypeAlias = tuple[int, int, int, int, int]
"""
Codes and values of an action, and of another whose plan the seat follows; 1 if it takes the other later, else 0.

See `Rollouts.try_out`.
"""


class _Lines(NamedTuple):
    """What to measure: the best action, and the one played and the planner's, each in the best of its `ways`."""

    played: Line
    best: Line
    planned: Line


T = TypeVar("T")


class Budget(NamedTuple):
    """The budget for a decision: an approximate number of rollouts, or seconds instead."""

    rollouts: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """
    A decision and its measurements.

    Actions are codes and values: the one `played`, the `best`, and the one `planned` by
    a planner. Tuples have a value for each seat: `chances` are the shares of the win
    after the action played, `lost` and `points` are the gains of the best action over it
    (in shares and in final points), and `skill` is the gain of the action played over the
    planner's. After any action but the best, the seat plays on in the best of its `ways`;
    `way` is the number of the one after the action played.
    Errors are standard errors. All were measured in `worlds` other than those that found
    the best action, so it may not be better: see `believed`. `is_clear` is whether it looked
    clearly better than the planner's when it was found. If `n_tried` is 1, nothing was measured.
    `lead` is the gain in points over the best other seat. If the seat's tickets are
    uncertain, or some of its cards, `holds` is the probability that the loss is at least 2%
    with those that it held. `is_seen` is whether the record shows all cards that the seat saw.
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
    way: int = 0
    is_seen: bool = True
    is_clear: bool = True

    @property
    def loss(self) -> float:
        """The seat's loss: the share of the win after the best action, minus that after the one played."""
        return self.lost[self.seat]

    def believed(self) -> Decision:
        """Return the decision, with the action played as the best unless it is clearly worse, or may be a blunder."""
        if self.best == self.played or self.loss_low > 0 or self.loss_high >= BOUNDS["blunder"]:
            return self
        nothing = (0.0,) * len(self.lost)
        return replace(
            self,
            best=self.played,
            lost=nothing,
            loss_low=0.0,
            loss_high=0.0,
            holds=1.0,
            lead=0.0,
            points=nothing,
            points_error=nothing,
        )

    def to_data(self) -> dict[str, Any]:
        """Return data for `from_data`, ready for JSON. Called for all decisions each time one has been judged."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Decision:
        """Restore a decision from `to_data` and JSON."""
        whole: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**whole)


class Moment:
    """A decision to judge: the seat's knowledge, the step, the action, and the seed of worlds and rollouts."""

    def __init__(self, known: Knowledge, step: int, action: Action, seed: int) -> None:
        self._step = step
        self._known = known
        self._seed = index(seed)
        self.can_be_judged = not has_unknown_tickets(known.packed, known.viewer)
        """Whether the action is legal, and the seat's tickets are known or can be sampled."""
        if self.can_be_judged:
            played = codec_of(known.game_map).encode(action, known.packed)
            self._known, self._played = _as_seen(known, played)
            self.can_be_judged = action_fault(self._known.packed, known.tables, *self._played) == codes.NONE

    def judge(self, budget: Budget) -> Decision:
        """Spend most of a budget on finding the best action, and the rest on measuring the one played against it."""
        view = view_of(self._known)
        tried = _with_played(self._played, considered(view, self._seed), self._known.packed)
        if len(tried) == 1:
            return self._forced(tried[0])
        search = Search(self._known, self._seed)
        seconds = budget.seconds
        until = None if seconds is None else perf_counter() + seconds
        found = halve(search, tried, int(_SEARCH_SHARE * budget.rollouts), seconds and _SEARCH_SHARE * seconds)
        best, planned = tried[found.highest], tried[0]
        n_worlds = _LINE_WORLDS if seconds is not None else min(_LINE_WORLDS, max(1, budget.rollouts // _LINE_WORLDS))
        better = self._better(search, [ways(self._played, best), ways(planned, best)], n_worlds)
        lines = _Lines(better[0], alone(best), better[1])
        search.n_worlds = _FIRST_MEASURED
        n_worlds = max(2, int((1 - _SEARCH_SHARE) * budget.rollouts) // len(set(lines)))
        made = self._decision(lines, len(tried), _measured(search, lines, n_worlds, until), search)
        return replace(made, is_clear=found.highest == found.best)

    def measure(self, before: Decision, budget: Budget, until: float | None) -> Decision:
        """Measure a decision again in new worlds, until its loss is precise enough or time is up."""
        search, seat = Search(self._known, self._seed), before.seat
        search.n_worlds = _MEASURED_AGAIN
        best = alone(before.best)
        played_lines, planned_lines = (ways(action, before.best) for action in (before.played, before.planned))
        most = _MAX_WORLDS * max(budget.rollouts, 1) if until is None else 1 << 30

        def is_settled(results: Mapping[Line, Results]) -> bool:
            return _is_settled(mean_loss(results[best], results[_best_for(seat, played_lines, results)], seat))

        results = _measured(search, [*played_lines, best, *planned_lines], most, until, is_settled)
        # Compare all lines in the same worlds: picked in fewer other worlds, a line was often not the best, by chance.
        lines = _Lines(_best_for(seat, played_lines, results), best, _best_for(seat, planned_lines, results))
        return replace(self._decision(lines, before.n_tried, results, search), is_clear=before.is_clear)

    def _better(self, search: Search, of_each: Sequence[Sequence[Line]], n_worlds: int) -> list[Line]:
        """Return the line of each action that looks best in other worlds than those that will measure it."""
        different = [line for lines in of_each if len(set(lines)) > 1 for line in lines]
        results = _measured(search, different, n_worlds, None) if different else {}
        return [_best_for(self._known.viewer, lines, results) if lines[0] in results else lines[0] for lines in of_each]

    def _forced(self, action: Candidate) -> Decision:
        nothing = (0.0,) * self._known.n_players
        made = (self._step, self._known.viewer, *(action,) * 3, 1, 0)
        return Decision(*made, *(nothing,) * 2, 0.0, 0.0, 1.0, 0.0, *(nothing,) * 4)

    def _decision(self, lines: _Lines, n_tried: int, results: Mapping[Line, Results], search: Search) -> Decision:
        seat, state = self._known.viewer, self._known.packed
        played, best_results, planned_results = (results[line] for line in lines)
        best, planned = lines.best[:2], lines.planned[:2]
        loss = Interval(0.0, 0.0, 0.0) if best == self._played else mean_loss(best_results, played, seat)
        lost = best_results.won - played.won
        gains = played.won - planned_results.won
        points = (best_results.points - played.points).astype(np.float64)
        errors = standard_errors(gains) if self._played != planned else np.zeros(len(lost[0]))
        return Decision(
            self._step,
            seat,
            self._played,
            best,
            planned,
            n_tried,
            worlds=len(played.won),
            chances=tuple(played.won.mean(axis=0).tolist()),
            lost=tuple(lost.mean(axis=0).tolist()),
            loss_low=loss.low,
            loss_high=loss.high,
            holds=self._holds(lost[:, seat], search),
            lead=float((leads(best_results, seat) - leads(played, seat)).mean()),
            points=tuple(points.mean(axis=0).tolist()),
            points_error=tuple(standard_errors(points).tolist()),
            skill=tuple(gains.mean(axis=0).tolist()),
            skill_error=tuple(errors.tolist()),
            way=ways(self._played, best).index(lines.played),
            is_seen=not (n_unknown_cards(state, seat) or (state.market >= UNKNOWN_CARD).any()),
        )

    def _holds(self, lost: Floats, search: Search) -> float:
        """Return the probability of a loss that gets a mark with the cards and tickets that the seat held."""
        seat = self._known.viewer
        is_known = seat not in self._known.orders and not n_unknown_cards(self._known.packed, seat)
        if is_known or not lost.any():
            return 1.0
        held = search.holdings(search.n_worlds - len(lost), len(lost))
        _, hand, n = np.unique(held, axis=0, return_inverse=True, return_counts=True)
        hand = hand.ravel()  # NumPy 2.0 returns a column
        # A hand has few worlds, so its mean is shrunk toward the overall mean (empirical Bayes).
        means, mean = np.bincount(hand, lost) / n, lost.mean()
        noise = ((lost - means[hand]) ** 2).sum() / max(1, len(lost) - len(n)) / n
        between = max(0.0, float(np.average((means - mean) ** 2 - noise, weights=n)))
        weight = between / np.maximum(between + noise, _NO_SPREAD)
        likely, spread = mean + (means - mean) * weight, np.sqrt(noise * weight)
        return float(ndtr((likely - LEAST_LOSS) / np.maximum(spread, _NO_SPREAD))[hand].mean())


def ways(played: Candidate, best: Candidate) -> tuple[Line, Line, Line]:
    """
    Return the lines after the action played: play on freely, follow the best action's plan, or also take that action.

    Planners only play on freely, but a player may do any of the three. If the best action cannot wait, the third line
    equals the second. A choice of tickets to keep has only the first: its plan is for other tickets.
    """
    if best == played or kind_of(best[0]) == codes.KEEP_TICKETS:
        return (alone(played),) * 3
    return alone(played), (*played, *best, 0), (*played, *best, int(kind_of(best[0]) in _CAN_WAIT))


def alone(action: Candidate) -> Line:
    """Return an action after which planners play on."""
    return (*action, *NO_ACTION, 0)


def _as_seen(known: Knowledge, played: Candidate) -> tuple[Knowledge, Candidate]:
    """Add to the seat's knowledge what its action shows that it saw; return the knowledge and the action."""
    code, value = played
    state, seat = known.packed.copy(), known.viewer
    kind = kind_of(code)
    if kind == codes.DRAW_FACE_UP:  # that card is known by now: see `Watcher.at`
        return known, (code, 0)
    if kind in (codes.ATTEMPT_TUNNEL, codes.CLAIM_ROUTE, codes.PAY_TUNNEL):
        missing = np.maximum(0, np.array(unpacked(value).counts) - state.hand[seat])
        if missing.sum() <= n_unknown_cards(state, seat):
            state.hand[seat] += missing
    return known._replace(packed=state), played


def _with_played(played: Candidate, tried: list[Candidate], state: State) -> list[Candidate]:
    """Return the actions to try, including the one played, which replaces others that take the same kind of card."""

    def same(row: Candidate) -> bool:
        kinds = kind_of(row[0]), kind_of(played[0])
        if kinds != (codes.DRAW_FACE_UP, codes.DRAW_FACE_UP):
            return row == played
        return bool(state.market[argument_of(row[0])] == state.market[argument_of(played[0])])

    return list(dict.fromkeys([*(played if same(row) else row for row in tried), played]))


def _best_for(seat: int, lines: Iterable[Line], results: Mapping[Line, Results]) -> Line:
    """Return the line in which a seat wins most, the first of equal ones."""
    return max(lines, key=lambda line: float(results[line].won[:, seat].mean()))


def _is_settled(loss: Interval) -> bool:
    """Return whether a loss is precise enough; less precision is needed for a clear blunder or a clearly small loss."""
    is_small = loss.value < LEAST_LOSS and loss.high < BOUNDS["mistake"]
    is_plain = is_small or loss.low >= BOUNDS["blunder"]
    return loss.high - loss.low < 2 * (_WIDE if is_plain else _HALF_WIDTH)


def _measured(
    search: Search,
    lines: Iterable[Line],
    n_worlds: int,
    until: float | None,
    is_settled: Callable[[Mapping[Line, Results]], bool] | None = None,
) -> dict[Line, Results]:
    """
    Return how games end after each different line, in new worlds, until `is_settled`.

    Without a time limit `until` (`perf_counter`), there are at most `n_worlds` worlds.
    """
    different = list(dict.fromkeys(lines))
    actions = np.array(different, dtype=np.int64)
    parts: list[Results] = []

    def so_far() -> dict[Line, Results]:
        whole = joined(parts, axis=1)
        return {line: Results(whole.won[i], whole.points[i]) for i, line in enumerate(different)}

    first = WORLDS_AT_ONCE if is_settled is not None else WORLDS_AT_ONCE // 4
    for n in batches(n_worlds, until, first, WORLDS_AT_ONCE // 4):
        parts.append(search.results(actions, n))
        if is_settled is not None and is_settled(so_far()):
            break
    return so_far()


# -- labels of decisions, and the final cost of marked ones ----------------------------------------------------------


def label_of(decision: Decision) -> str:
    """
    Return the label of a decision, by the highest bound of `BOUNDS` that its loss, in whole percent, reaches.

    The low end of the interval must also reach the bound of the next milder label (if not
    all that the seat saw is in the record, the midpoint of the two bounds); otherwise the
    decision gets the milder label. A decision is good if its loss may be next to nothing, if
    it was measured too imprecisely (among hundreds, some would look costly by
    chance), or if it may have been right with other tickets or cards.
    """
    if decision.n_tried == 1:
        return FORCED
    if decision.best == decision.played:
        return "best"
    is_clear = decision.loss_high - decision.loss_low <= 2 * _NARROW
    if not is_clear or decision.holds < 1 - MOST_DOUBT:
        return "good"
    least = least_low_ends(is_seen=decision.is_seen)
    for label, bound in BOUNDS.items():
        if round(decision.loss, 2) >= bound and decision.loss_low >= least[label]:
            return label
    return "good"


def least_low_ends(*, is_seen: bool) -> dict[str, float]:
    """Return what the low end of a loss must reach for each label: see `label_of`."""
    milder = [*list(BOUNDS.values())[1:], _LEAST_LOW_END]
    return {
        label: sure if is_seen or sure == _LEAST_LOW_END else (sure + bound) / 2
        for (label, bound), sure in zip(BOUNDS.items(), milder, strict=True)
    }


def missed_ideas(
    decisions: Iterable[Decision], game_map: GameMap, market_at: Callable[[int], Ints]
) -> dict[tuple[int, object], list[Decision]]:
    """
    Return the decisions in which something else was best, in the order of the game, by seat and idea.

    Those that missed the same route, tunnel or station are one idea. So are those that
    missed a face-up card of one kind, or tickets, until the seat took such a card, or drew
    tickets. Any other decision is a separate idea. `market_at` returns the face-up cards
    that the deciding seat saw at a step.
    """
    missed: dict[tuple[int, object], list[Decision]] = {}
    n_taken: Counter[tuple[int, int, int]] = Counter()

    def taken(one: Decision, action: Candidate) -> tuple[int, int, int]:
        kind = kind_of(action[0])
        return one.seat, kind, int(market_at(one.step)[argument_of(action[0])]) if kind == codes.DRAW_FACE_UP else 0

    for one in decisions:
        if one.n_tried > 1 and one.best != one.played:
            kind, at = kind_of(one.best[0]), argument_of(one.best[0])
            idea: object = one.step
            if kind in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL):
                idea = game_map.routes[at].cities
            elif kind == codes.BUILD_STATION:
                idea = kind, at
            elif kind in (codes.DRAW_FACE_UP, codes.DRAW_TICKETS):
                what = taken(one, one.best)
                idea = *what, n_taken[what]
            missed.setdefault((one.seat, idea), []).append(one)
        n_taken[taken(one, one.played)] += 1
    return missed


def lost_for_good(marked: Iterable[Decision], result: float) -> float:
    """
    Return the part of the loss from a seat's marked decisions, given in order, that it never won back.

    A loss comes back to the extent that the seat's win probability rises before its next
    marked decision, or the end: because the chance was still open, by luck, or because of how
    the others played. So two marks never count the same chance, and the sum is at most
    the highest probability that the seat had, less its `result`, the share of the win.
    """
    lost = after = 0.0
    for one in marked:
        lost = max(0.0, lost - max(0.0, one.chances[one.seat] + one.loss - after)) + one.loss
        after = one.chances[one.seat]
    return max(0.0, lost - max(0.0, result - after))


# -- decisions on disk while they are judged -----------------------------------------------------------------------


class SavedWork:
    """
    Work saved on disk, if a path is given.

    `name` says what is saved, and `key` identifies it. Other versions of this package judge moves differently.
    """

    def __init__(self, path: str | os.PathLike[str] | None, name: str, key: Mapping[str, object]) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._name, self._key = name, {"version": __version__, **key}

    def read(self, parts: str, decode: Callable[[Any], T]) -> T | None:
        """Return the content, or None if there is none of this version; raise a ValueError if its key differs."""
        if self._path is None or not self._path.exists():
            return None
        try:
            data = json.loads(self._path.read_text("utf-8"))
            saved = data[self._name]
            if saved.get("version") != __version__:
                return None
            kept = decode(data)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{self._path} is not a saved {self._name}") from error
        if saved != self._key:
            raise ValueError(f"{self._path} belongs to another {self._name}: another {parts}")
        return kept

    def write(self, data: Mapping[str, object]) -> None:
        """Replace the content."""
        if self._path is not None:
            write_atomically(self._path, json.dumps({self._name: self._key, **data}))


class SavedReview:
    """The judged decisions, also on disk if there is a file; a file of another version is discarded."""

    def __init__(self, path: str | os.PathLike[str] | None, key: Mapping[str, object]) -> None:
        self._saved = SavedWork(path, "review", key)
        self.judged: dict[int, Decision] = {}
        self.again: dict[int, Decision] = {}
        if kept := self._saved.read("game, seat, seed or number of rollouts", _decoded):
            self.judged, self.again = kept

    @property
    def decisions(self) -> list[Decision]:
        """The decisions in order, with their latest measurements."""
        return [self.again.get(step, decision) for step, decision in sorted(self.judged.items())]

    def keep(self, step: int, decision: Decision) -> None:
        """Save a judged decision."""
        self.judged[step] = decision
        self.write()

    def keep_again(self, step: int, decision: Decision) -> None:
        """Save a decision that was measured again."""
        self.again[step] = decision
        self.write()

    def write(self) -> None:
        """Save all decisions; after an interrupt, this includes one that was kept, but not yet saved."""
        parts = {"judged": self.judged, "again": self.again}
        self._saved.write({name: [one.to_data() for one in part.values()] for name, part in parts.items()})


def _decoded(data: Any) -> tuple[dict[int, Decision], dict[int, Decision]]:  # noqa: ANN401 - what a file holds
    judged, again = ({one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again"))
    return judged, again
