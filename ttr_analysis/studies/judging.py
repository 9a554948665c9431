"""Judge one decision of a game: the move played against the best move, and what the best one changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, index, itemgetter
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ttr_analysis._compile import Floats, Ints
from ttr_analysis._notebook import as_table
from ttr_analysis._words import between, counted, listed, percent
from ttr_analysis.cards import COLORS, LOCOMOTIVE_INDEX
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action, DrawCard, DrawFaceUp
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import argument_of, kind_of, seat_of, unpacked
from ttr_analysis.engine.kernel.scoring import BONUS_COLUMN, TOTAL_COLUMN, mark_completed
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, UNKNOWN_CARD, State, has_unknown_tickets, n_unknown_cards
from ttr_analysis.maps.model import Route
from ttr_analysis.policies.playout import Results, joined, scores_of
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.rollouts import NO_ACTION, Rollouts
from ttr_analysis.policies.search.searcher import Candidate, Search, halve, leads
from ttr_analysis.studies.advice import (
    FEWEST_POINTS,
    Reasons,
    considered,
    in_points,
    mean_loss,
    standard_errors,
    ticket_ends,
    view_of,
)
from ttr_analysis.studies.intervals import Interval
from ttr_analysis.studies.winning import DEFAULT_SEED
from ttr_analysis.tables import MEASURE_TRAIL, Tables

_AT_ONCE: Final = 64
"""Worlds between two checks of the clock and the interval."""
_MOST_WORLDS: Final = 4
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
"""Loss from which a decision gets each label, if its interval shows it: see `marks.label_of`."""
_HALF_WIDTH: Final = 0.02
"""Measuring stops when the interval of a loss is narrower than twice this."""
_WIDE: Final = 0.04
"""The same if even the low end makes it a blunder, or the loss is surely small."""
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
_TO_CHOOSE: Final = 32
"""The most worlds that decide whether a seat comes back; below that, the rollouts of the budget divided by this."""
_OF_SEARCH: Final = 0.75
"""Share of a decision's budget for finding the best action; the rest measures the action played against it."""


Line: TypeAlias = tuple[int, int, int, int, int]
"""
Codes and values of an action, and of another whose plan the seat follows; 1 if it takes that one later, else 0.

See `Rollouts.try_out`.
"""


class _Lines(NamedTuple):
    """What to measure: the best action, and the one played and the planner's, each in the best of its `ways`."""

    played: Line
    best: Line
    planned: Line


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
    (in shares and in final points), and `skill` is its own gain over the planner's. After
    another action than the best, the seat goes on in the best of several ways: `way` is its
    number in `ways`. So does a planner.
    Errors are standard errors. All were measured in `worlds` other than those that found
    the best action, so it may not be better: see `believed`. `is_clear` is whether it looked
    clearly better than the planner's there. If `n_tried` is 1, nothing was measured.
    `lead` is the gain in points over the best other seat. If the seat's tickets are
    uncertain, or some of its cards, `holds` is the probability that the loss is at least 2%
    with those that it held. `is_seen` is whether the record knows all cards that the seat saw.
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
        """Return the decision with the action played as the best one if it is not worse, and surely no blunder."""
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

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Decision:
        """Restore a decision from `dataclasses.asdict` and JSON."""
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
        """Find the action that looks best with most of a budget; with the rest, measure the one played against it."""
        view = view_of(self._known)
        tried = _with(self._played, considered(view, self._seed), self._known.packed)
        if len(tried) == 1:
            return self._forced(tried[0])
        search = Search(self._known, self._seed)
        seconds = budget.seconds
        until = None if seconds is None else perf_counter() + seconds
        found = halve(search, tried, int(_OF_SEARCH * budget.rollouts), seconds and _OF_SEARCH * seconds)
        best, planned = tried[found.highest], tried[0]
        n_worlds = _TO_CHOOSE if seconds is not None else min(_TO_CHOOSE, max(1, budget.rollouts // _TO_CHOOSE))
        better = self._better(search, [ways(self._played, best), ways(planned, best)], n_worlds)
        lines = _Lines(better[0], alone(best), better[1])
        search.n_worlds = _FIRST_MEASURED
        n_worlds = max(2, int((1 - _OF_SEARCH) * budget.rollouts) // len(set(lines)))
        made = self._decision(lines, len(tried), _measured(search, lines, n_worlds, until), search)
        return replace(made, is_clear=found.highest == found.best)

    def measure(self, before: Decision, budget: Budget, until: float | None) -> Decision:
        """Measure a decision again in new worlds, until its loss is precise enough or time is up."""
        search, seat = Search(self._known, self._seed), before.seat
        search.n_worlds = _MEASURED_AGAIN
        best = alone(before.best)
        of_played, of_planned = (ways(action, before.best) for action in (before.played, before.planned))
        most = _MOST_WORLDS * max(budget.rollouts, 1) if until is None else 1 << 30

        def is_settled(results: Mapping[Line, Results]) -> bool:
            return _is_settled(mean_loss(results[best], results[_best_for(seat, of_played, results)], seat))

        results = _measured(search, [*of_played, best, *of_planned], most, until, is_settled)
        # A mark must hold against all ways in the same worlds: with fewer others, chance often picked a worse one.
        lines = _Lines(_best_for(seat, of_played, results), best, _best_for(seat, of_planned, results))
        return replace(self._decision(lines, before.n_tried, results, search), is_clear=before.is_clear)

    def _better(self, search: Search, of_each: Sequence[Sequence[Line]], n_worlds: int) -> list[Line]:
        """Return the way of each action that looks best in other worlds than those that will measure it."""
        different = [line for lines in of_each if len(set(lines)) > 1 for line in lines]
        results = _measured(search, different, n_worlds, None) if different else {}
        return [_best_for(self._known.viewer, lines, results) if lines[0] in results else lines[0] for lines in of_each]

    def _forced(self, action: Candidate) -> Decision:
        nothing = (0.0,) * self._known.n_players
        made = (self._step, self._known.viewer, *(action,) * 3, 1, 0)
        return Decision(*made, *(nothing,) * 2, 0.0, 0.0, 1.0, 0.0, *(nothing,) * 4)

    def _decision(self, lines: _Lines, n_tried: int, results: Mapping[Line, Results], search: Search) -> Decision:
        seat, state = self._known.viewer, self._known.packed
        played, of_best, of_planned = (results[line] for line in lines)
        best, planned = lines.best[:2], lines.planned[:2]
        loss = Interval(0.0, 0.0, 0.0) if best == self._played else mean_loss(of_best, played, seat)
        lost = of_best.won - played.won
        gains = played.won - of_planned.won
        points = (of_best.points - played.points).astype(np.float64)
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
            lead=float((leads(of_best, seat) - leads(played, seat)).mean()),
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
    Return the ways to go on after the action played: freely, with the plan of the best action, and taking that one too.

    Planners who play on do only the first, but a player may do all. If the best action cannot wait, the third way is
    the second. A choice of tickets to keep has only the first: its plan is for other tickets.
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


def _with(played: Candidate, tried: list[Candidate], state: State) -> list[Candidate]:
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
    """Return whether a loss is precise enough; less so if it is surely a blunder, or surely small."""
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

    for n in _batches(n_worlds, until, is_open=is_settled is not None):
        parts.append(search.results(actions, n))
        if is_settled is not None and is_settled(so_far()):
            break
    return so_far()


def _batches(n_worlds: int, until: float | None, *, is_open: bool) -> Iterator[int]:
    """Yield batch sizes until there are enough worlds or time is up."""
    if until is None:
        for first in range(0, n_worlds, _AT_ONCE):
            yield min(_AT_ONCE, n_worlds - first)
        return
    yield _AT_ONCE if is_open else _AT_ONCE // 4
    while perf_counter() < until:
        yield _AT_ONCE // 4


# -- why the best action is better ----------------------------------------------------------------------------------

_N_GAMES: Final = 160
"""Games after each action that show what it changes."""
_FIRST_GAME: Final = 1 << 40
"""Number of the first of these worlds, which neither the search nor the measuring has used."""
_FEWEST_GAMES: Final = 40
"""A ticket is reported only if the seat holds it in at least this number of worlds."""
_CLEAR_CHANGE: Final = 0.1
"""Smallest change of a share of games that is reported."""
_OFTEN: Final = 0.1
"""Smallest share of games in which a route is closed, and of those who close it, that is reported."""
_CLEAR_CLAIM: Final = 0.15
"""Smallest change of the share of games in which the seat has a route that is reported: there are many routes."""
_MOST_ROUTES: Final = 2
"""The most of these routes that a reason names."""
_NEARLY_ALWAYS: Final = 0.8
"""Smallest share of games in which the seat claims a route later that shows that it can wait."""
_MOSTLY: Final = 0.5
"""Smallest share of games in which the seat claims a route of its plan, and of claims that one color pays."""
_SOMETIMES: Final = 1 / 3
"""Smallest share of games with a route whose change is reported."""
_MOST_NEXT: Final = 4
"""The most routes of a plan."""
_MOST_ROWS: Final = 5
"""The most routes in an outlook."""

CLAIMS, COMPLETES, GETS, SCORES = "claims", "completes", "gets", "scores"
PATH, POINTS = "the longest path", "points"
OUTLOOK_COLUMNS: Final = {
    "what": "a route, a ticket, the longest path, or points",
    "best": "share of the games after the best action; points are a mean",
    "played": "the same after the action played",
    "best_cards": "color that pays for most claims of a route after the best action; empty if none",
    "played_cards": "the same after the action played",
}
"""Columns of an outlook, and their meanings."""


class Row(NamedTuple):
    """What a seat does in games after the best action and after the one played: a value for each game."""

    seat: int
    does: str
    what: str
    best: Floats
    played: Floats
    route: int = NOBODY
    cards: tuple[str, str] = ("", "")
    condition: str = ""

    @property
    def means(self) -> tuple[float, float]:
        """Both means."""
        return float(self.best.mean()), float(self.played.mean())

    @property
    def is_telling(self) -> bool:
        """Whether the seat mostly claims a route after an action, or often and clearly more than after the other."""
        most = max(self.means)
        return most >= _MOSTLY or (most >= _SOMETIMES and abs(self.change) >= _CLEAR_CLAIM)

    @property
    def change(self) -> float:
        """The clear gain by the best action; 0 if there is none."""
        if len(self.best) != len(self.played):  # a ticket that the seat keeps after one action only
            return 0.0
        gains = self.best - self.played
        least = max(FEWEST_POINTS if self.what == POINTS else _CLEAR_CHANGE, 2 * float(standard_errors(gains)))
        return float(gains.mean()) if abs(gains.mean()) > least else 0.0

    def __str__(self) -> str:
        best, played = map(percent, self.means)
        return f"{self.what} ({best}, not {played}{self.condition})"


class Why(NamedTuple):
    """
    Why the best action of a decision is better.

    `reasons` and `changes` are in words; changes are what the seat does more often in later
    games. `plan` has the routes that the seat mostly claims next, in order, each with the color
    that pays for most of its claims, or else the route that a card is drawn for. `rows` compare
    later games.
    """

    reasons: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    plan: tuple[tuple[Route, str], ...] = ()
    rows: tuple[Row, ...] = ()

    def outlook(self) -> pd.DataFrame:
        """Return the rows, with the columns of `OUTLOOK_COLUMNS`, by `seat` and what it `does`."""
        rows = [[row.seat, row.does, f"{row.what}{row.condition}", *row.means, *row.cards] for row in self.rows]
        return as_table(pd.DataFrame(rows, columns=["seat", "does", *OUTLOOK_COLUMNS]).set_index(["seat", "does"]))


class _Future(NamedTuple):
    """Games after an action: their last states, and the routes that the seat claims in each, in order, with cards."""

    ends: Ints
    claims: list[dict[int, int]]


def explained(one: Decision, known: Knowledge, *, is_marked: bool) -> Why:
    """Return why the best action of a decision is better; games are played only for a mark."""
    reasons = Reasons(view_of(known))
    action = codec_of(known.game_map).decode(*one.best, known.packed)
    why = what_changes(known, alone(one.best), ways(one.played, one.best)[one.way]) if is_marked else Why()
    is_shown = why.plan and isinstance(action, DrawCard | DrawFaceUp)  # games show better what a card is for
    aim = reasons.aim(action)
    gains = in_points(one.seat, one.points, one.points_error, wins_more=one.loss_low > 0)
    kept = locomotives_kept(known.tables, one.best, one.played)
    return why._replace(
        reasons=tuple(filter(None, (kept, "" if is_shown else reasons.in_favor(action), *why.reasons))),
        changes=tuple(filter(None, (*why.changes, gains))),
        plan=why.plan or (((aim, ""),) if aim else ()),
    )


def what_changes(known: Knowledge, best: Sequence[int], other: Sequence[int]) -> Why:
    """Return how the best of two lines (see `Rollouts.try_out`) helps the seat in games that planners play on."""
    tables, seat, game_map = known.tables, known.viewer, known.game_map
    if any(action_fault(known.packed, tables, *line[:2]) != codes.NONE for line in (best, other)):
        return Why()  # the seat's known cards may not pay for it
    table = Rollouts(game_map, known.n_players, seed=DEFAULT_SEED)
    worlds = table.worlds_to_play(known, table.believe(known), _N_GAMES, _FIRST_GAME)
    futures = [_future(table, known, worlds, line) for line in (best, other)]
    own, replaced = (_tracks(tables, line[0]) for line in (best, other))
    claims, tickets, paths = _claimed(known, futures), _completed(known, worlds, futures), _paths(known, futures)
    later = [row for row in claims if row.route not in own]
    more = sorted(
        (row for row in later if row.is_telling and row.change >= _CLEAR_CLAIM), key=attrgetter("change"), reverse=True
    )[:_MOST_ROUTES]
    telling = [row for row in claims if row.route in {*own, *replaced} or row.is_telling]
    telling = sorted(telling, key=lambda row: (row.route in {*own, *replaced}, abs(row.change)), reverse=True)
    shown = {row.route for row in telling[:_MOST_ROWS]}
    reasons = _route_taken(known, best[0], futures[1].ends), _can_wait(known, best[0], other[0], futures[0].ends)
    return Why(
        tuple(filter(None, reasons)),
        tuple(filter(None, [_more_often(seat, more, tickets, paths), _less_often(seat, paths)])),
        tuple((game_map.routes[row.route], row.cards[0]) for row in later if row.means[0] >= _MOSTLY)[:_MOST_NEXT],
        (
            *(row for row in claims if row.route in shown),
            *tickets,
            *sorted((row for row in paths if row.seat == seat or row.change), key=lambda row: row.seat != seat),
            *_points(known, futures),
        ),
    )


def _more_often(seat: int, *groups: Iterable[Row]) -> str:
    """Describe what the seat does more often."""
    gains = [[row for row in rows if row.seat == seat and row.change > 0] for rows in groups]
    *before, last = [f"{rows[0].does} {listed(map(str, rows))}" for rows in gains if rows] or [""]
    more = f"{', '.join(before)}, and {last}" if before else last
    return f"in games that planners play on from here, P{seat} more often {more}" if more else ""


def _less_often(seat: int, paths: Iterable[Row]) -> str:
    """Describe which rival gets the longest path less often, unless the seat gets it more often."""
    changed = [row for row in paths if (row.change > 0 if row.seat == seat else row.change < 0)]
    rival = min(changed, key=lambda row: (row.seat != seat, row.change), default=None)
    if rival is None or rival.seat == seat:
        return ""
    return f"P{rival.seat} {GETS} {PATH} less often {str(rival).removeprefix(f'{PATH} ')}"


def _future(table: Rollouts, known: Knowledge, worlds: Ints, line: Sequence[int]) -> _Future:
    """Play on from worlds after an action."""
    ends, claims = np.empty_like(worlds), []
    for i, world in enumerate(worlds):
        end, events = table.follow(world, _FIRST_GAME + i, np.array([line], dtype=np.int64))
        ends[i] = end.cells
        made: dict[int, int] = {}
        for code, cards in events.tolist():
            tracks = _tracks(known.tables, code) if seat_of(code) == known.viewer else []
            if tracks and end.owner[tracks[0]] == known.viewer:  # not a tunnel that was declined
                made.setdefault(min(tracks), cards)
        claims.append(made)
    return _Future(ends, claims)


def _claimed(known: Knowledge, futures: Sequence[_Future]) -> list[Row]:
    """Return the routes that the seat claims, in the order in which it mostly does so, first after the best action."""
    rows: list[tuple[float, Row]] = []
    for route in sorted(set().union(*(made for future in futures for made in future.claims))):
        has = [np.array([route in made for made in future.claims], dtype=np.float64) for future in futures]
        made_in = [[made for made in future.claims if route in made] for future in futures]
        colors = [_color([made[route] for made in games]) for games in made_in]
        name = between(known.game_map.routes[route].cities)
        place = np.mean([[*made].index(route) for made in made_in[0] or made_in[1]])
        rows.append((float(place), Row(known.viewer, CLAIMS, name, has[0], has[1], route, (colors[0], colors[1]))))
    return [row for _, row in sorted(rows, key=itemgetter(0))]


def _color(payments: Sequence[int]) -> str:
    """Return the color of most payments; "" if none or no single color pays for most."""
    counts = (zip(COLORS, unpacked(cards).counts, strict=False) for cards in payments)  # the rest are locomotives
    colors = Counter(color for count in counts for color, n in count if n)
    color, n = colors.most_common(1)[0] if colors else ("", 0)
    return color if n >= _MOSTLY * len(payments) else ""


def _completed(known: Knowledge, worlds: Ints, futures: Sequence[_Future]) -> list[Row]:
    """Return the tickets that the seat holds or chooses from and may still complete, in games in which it has them."""
    seat, state = known.viewer, known.packed
    n_held, n_offered = state.n_held[seat], state.n_offer[seat]
    held, offered = State.across(worlds, "held")[:, seat, :n_held], State.across(worlds, "offer")[:, seat, :n_offered]
    rows = []
    for ticket in np.unique(np.concatenate([held.ravel(), offered.ravel()])).tolist():
        best, played = (_done(known, future.ends, ticket) for future in futures)
        condition = "" if (held == ticket).any(axis=1).all() or ticket in offered else ", if it is held"
        row = Row(seat, COMPLETES, ticket_ends(known.game_map.tickets[ticket]), best, played, condition=condition)
        if max(len(best), len(played)) >= _FEWEST_GAMES and row.means not in {(0.0, 0.0), (1.0, 1.0)}:
            rows.append(row)
    return rows


def _done(known: Knowledge, ends: Ints, ticket: int) -> Floats:
    """Return whether the seat completes a ticket in each of the games in which it has it; a NaN if there are none."""
    held, n_held = (State.across(ends, name)[:, known.viewer] for name in ("held", "n_held"))
    has = ((held == ticket) & (np.arange(held.shape[1]) < n_held[:, np.newaxis])).any(axis=1)
    done = np.zeros((len(ends), 1), dtype=np.int8)
    mark_completed(known.tables, ends, np.full(len(ends), known.viewer), np.array([ticket]), done)
    return done[has, 0].astype(np.float64) if has.any() else np.array([np.nan])


def _paths(known: Knowledge, futures: Sequence[_Future]) -> list[Row]:
    """Return who gets the longest path; nothing if the map has no bonus for it."""
    tables = known.tables
    columns = BONUS_COLUMN + np.flatnonzero(tables.bonus_measure[: tables.n_bonuses] == MEASURE_TRAIL)
    if not len(columns):
        return []
    has = [scores_of(future.ends, tables)[..., columns].sum(axis=-1) > 0 for future in futures]
    best, played = (one.astype(np.float64) for one in has)
    return [Row(seat, GETS, PATH, best[:, seat], played[:, seat]) for seat in range(tables.n_seats)]


def _points(known: Knowledge, futures: Sequence[_Future]) -> list[Row]:
    """Return the points of the seat, and of others for whom they clearly change."""
    best, played = (scores_of(future.ends, known.tables)[..., TOTAL_COLUMN].astype(np.float64) for future in futures)
    rows = [Row(seat, SCORES, POINTS, best[:, seat], played[:, seat]) for seat in range(known.n_players)]
    return sorted(
        (row for row in rows if row.seat == known.viewer or row.change), key=lambda row: row.seat != known.viewer
    )


def _tracks(tables: Tables, code: int) -> list[int]:
    """Return the route that an action claims or attempts, and its twin if it has one; nothing for other actions."""
    if kind_of(code) not in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL):
        return []
    route = argument_of(code)
    return [track for track in (route, int(tables.twin[route])) if track >= 0]


def _route_taken(known: Knowledge, best: int, ends: Ints) -> str:
    """Return how often others close the route of the best action by the end, if they often do."""
    tables = known.tables
    tracks = [track for track in _tracks(tables, best) if known.packed.owner[track] == NOBODY]
    if not tracks:
        return ""
    owners = State.across(ends, "owner")[:, tracks]
    others = (owners != NOBODY) & (owners != known.viewer)
    is_closed = others.all(axis=1) if tables.both_open else others.any(axis=1)
    is_closed &= (owners != known.viewer).all(axis=1)
    if is_closed.mean() <= _OFTEN:
        return ""
    takers = Counter(owners[others & is_closed[:, np.newaxis]].tolist())
    often = [owner for owner, n in takers.most_common() if n > _OFTEN * takers.total()]
    who = ["the neutral player" if owner == NEUTRAL_OWNER else f"P{owner}" for owner in often]
    # Nobody may own both tracks, so it takes two to close them.
    is_pair = tables.both_open and len(tracks) > 1
    taken = f"{listed(who)} take both tracks" if is_pair else f"{listed(who, 'or')} takes it"
    return f"otherwise {taken} in {percent(float(is_closed.mean()))} of games"


def _can_wait(known: Knowledge, best: int, other: int, ends: Ints) -> str:
    """Return how often the seat still claims the route of the other action after the best one, if nearly always."""
    tracks = _tracks(known.tables, other)
    if not tracks or tracks[0] in _tracks(known.tables, best):
        return ""
    share = float((State.across(ends, "owner")[:, tracks] == known.viewer).any(axis=1).mean())
    if share < _NEARLY_ALWAYS:
        return ""
    name = between(known.game_map.routes[tracks[0]].cities)
    return f"{name} can wait: P{known.viewer} still claims it in {percent(share)} of games"


def locomotives_kept(tables: Tables, best: Candidate, other: Candidate) -> str:
    """Return how many locomotives the best action keeps that another spends in place of other cards; "" if none."""
    spent, replaced = _locomotives(tables, *other)
    spent_by_best, replaced_by_best = _locomotives(tables, *best)
    n_kept = min(spent - spent_by_best, replaced - replaced_by_best)
    return f"keeps {'a locomotive' if n_kept == 1 else counted(n_kept, 'locomotive')}" if n_kept > 0 else ""


def _locomotives(tables: Tables, code: int, value: int) -> tuple[int, int]:
    """Return the locomotives that an action spends, and how many of them replace cards of a color."""
    kind = kind_of(code)
    if kind not in (codes.CLAIM_ROUTE, codes.PAY_TUNNEL, codes.BUILD_STATION):
        return 0, 0
    spent = unpacked(value).counts[LOCOMOTIVE_INDEX]
    asked = int(tables.symbols[argument_of(code)]) if kind == codes.CLAIM_ROUTE else 0
    return spent, max(0, spent - asked)
