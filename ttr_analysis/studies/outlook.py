"""Why the best move of a decision is better: how games continue after it, and after the move played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from ttr_analysis._compile import Floats, Ints
from ttr_analysis._notebook import as_table
from ttr_analysis._words import between, counted, listed, percent
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import DrawCard, DrawFaceUp
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.kernel.scoring import PATH_BONUS_COLUMN, TOTAL_COLUMN, mark_completed
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, State
from ttr_analysis.maps.model import Route
from ttr_analysis.policies.playout import results_from, scores_of
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.searcher import Candidate
from ttr_analysis.studies import advice
from ttr_analysis.studies.judging import LEAST_LOSS, Decision, ways
from ttr_analysis.studies.winning import DEFAULT_SEED
from ttr_analysis.tables import MEASURE_TRAIL, Tables

_N_GAMES: Final = 160
"""Games after each action."""
_FIRST_GAME: Final = 1 << 40
"""Number of the first of these worlds, which neither the search nor the measurement used."""
_FEWEST_GAMES: Final = 40
"""A ticket is reported only if the seat holds it in at least this number of worlds."""
_CLEAR_CHANGE: Final = 0.1
"""Smallest reported change in a share of games."""
_OFTEN: Final = 0.1
"""Smallest reported share of games in which others take a route, and of these for one player."""
_CLEAR_CLAIM: Final = 0.15
"""Smallest reported change in the share of games in which a route is claimed; larger, as there are many routes."""
_SOMETIMES: Final = 1 / 3
"""Smallest share of games in which such a route is claimed, after the action with more claims."""
_MAX_ROUTES: Final = 2
"""Maximum number of these routes that the changes name."""
_NEARLY_ALWAYS: Final = 0.9
"""If the seat claims a route later in at least this share of games, the route can wait."""
_MOSTLY: Final = 0.5
"""Smallest share of games for a route to be in the plan, and of its claims for a color to pay for it."""
_MAX_NEXT: Final = 6
"""Maximum number of routes in a plan."""
_MAX_ROWS: Final = 8
"""Maximum number of routes in an outlook."""

CLAIMS, COMPLETES, GETS, SCORES = "claims", "completes", "gets", "scores"
PATH, POINTS = "the longest path", "points"
OUTLOOK_COLUMNS: Final = {
    "what": "a route, a ticket, the longest path, or points",
    "best": "share of the games after the best action; points are a mean",
    "played": "the same after the action played",
    "best_cards": "color that pays for most claims of a route after the best action; may be empty",
    "played_cards": "the same after the action played",
}
"""Columns of an outlook, and their meanings."""


@dataclass(frozen=True, eq=False)
class Row:
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
        """Both means, NaN if there are no games."""
        best, played = (float(values.mean()) if len(values) else np.nan for values in (self.best, self.played))
        return best, played

    @property
    def change(self) -> float:
        """The gain from the best action if it is clear, else 0."""
        if len(self.best) != len(self.played):  # a ticket that the seat keeps after one action only
            return 0.0
        gains = self.best - self.played
        least = max(
            advice.FEWEST_POINTS if self.what == POINTS else _CLEAR_CHANGE, 2 * float(advice.standard_errors(gains))
        )
        return float(gains.mean()) if abs(gains.mean()) > least else 0.0

    @property
    def is_clear(self) -> bool:
        """Whether the seat claims a route clearly more often after one of the actions, and often enough to matter."""
        return max(self.means) >= _SOMETIMES and abs(self.change) >= _CLEAR_CLAIM

    @property
    def shares(self) -> str:
        """Both means in words."""
        best, played = map(percent, self.means)
        return f"({best}, not {played}{self.condition})"


@dataclass(frozen=True, eq=False)
class Why:
    """
    Why the best action of a decision is better.

    `reasons` and `changes` are in words; changes are differences in later games. `plan` has
    up to six routes that the seat claims in most of these games after the best action, in
    order, with the color that mostly pays for gray ones. `rows` compare these games. `aim` is
    the route that a drawn card is for.
    """

    reasons: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    plan: tuple[tuple[Route, str], ...] = ()
    rows: tuple[Row, ...] = ()
    aim: Route | None = None

    def outlook(self) -> pd.DataFrame:
        """Return the rows, with the columns of `OUTLOOK_COLUMNS`, by `seat` and what it `does`."""
        rows = [[row.seat, row.does, f"{row.what}{row.condition}", *row.means, *row.cards] for row in self.rows]
        return as_table(pd.DataFrame(rows, columns=["seat", "does", *OUTLOOK_COLUMNS]).set_index(["seat", "does"]))


def explained(decision: Decision, known: Knowledge, *, is_marked: bool) -> Why:
    """Return why the best action of a decision is better; games are played only if it `is_marked`."""
    reasons = advice.Reasons(advice.view_of(known))
    action, played = (codec_of(known.game_map).decode(*code, known.packed) for code in (decision.best, decision.played))
    why = what_changes(known, decision.best, ways(decision.played, decision.best)[decision.way]) if is_marked else Why()
    is_shown = why.plan and isinstance(action, DrawCard | DrawFaceUp)  # the games show more clearly what a card is for
    gains = advice.in_points(decision.seat, decision.points, decision.points_error, wins_more=decision.loss_low > 0)
    kept = locomotives_kept(known.tables, decision.best, decision.played)
    played_reasons = reasons.of(played).split("; ")
    favor = [] if is_shown else [part for part in reasons.in_favor(action).split("; ") if part not in played_reasons]
    return replace(
        why,
        reasons=tuple(filter(None, (kept, *favor, *why.reasons))),
        changes=tuple(filter(None, (*why.changes, gains))),
        aim=reasons.aim(action),
    )


def what_changes(known: Knowledge, best: Candidate, other: Sequence[int]) -> Why:
    """Return how an action helps the seat more than another line (see `Rollouts.try_out`) if planners play on."""
    if any(action_fault(known.packed, known.tables, *action) != codes.NONE for action in (best, other[:2])):
        return Why()  # the seat's known cards may not pay for it
    return _Games(known, best, other).why()


class _Future(NamedTuple):
    """Games after an action: last states, scores, and the routes that the seat claims, with track and cards."""

    ends: Ints
    scores: Ints
    claims: list[dict[int, tuple[int, int]]]


class _Games:
    """Games of planners who play on in the same worlds after two actions, the best one and another."""

    def __init__(self, known: Knowledge, best: Candidate, other: Sequence[int]) -> None:
        self._known, self._tables, self._seat = known, known.tables, known.viewer
        self._best, self._other = best, other
        self._own, self._replaced = _tracks(known, best[0]), _tracks(known, other[0])
        self._rollouts = Rollouts(known.game_map, known.n_players, seed=DEFAULT_SEED)
        self._worlds = self._rollouts.worlds_to_play(known, self._rollouts.believe(known), _N_GAMES, _FIRST_GAME)
        self._futures = [self._future(line) for line in (best, other)]

    def _future(self, line: Sequence[int]) -> _Future:
        ends, claims = np.empty_like(self._worlds), []
        claim, attempt = (codes.make_event(kind, self._seat) for kind in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL))
        pays = [tuple(line[:2])] if codes.kind_of(line[0]) == codes.PAY_TUNNEL else []  # the attempt came before
        for i, world in enumerate(self._worlds):
            end, events = self._rollouts.follow(world, _FIRST_GAME + i, np.array([line], dtype=np.int64))
            ends[i] = end.cells
            made: dict[int, tuple[int, int]] = {}
            kinds = events[:, 0] % (1 << codes.ARGUMENT_SHIFT)
            own = events[(kinds == claim) | (kinds == attempt)].tolist()
            for tracks, cards in [(_tracks(self._known, code), cards) for code, cards in [*pays, *own]]:
                if end.owner[tracks[0]] == self._seat:
                    made.pop(min(tracks), None)  # an earlier attempt at this tunnel was declined
                    made[min(tracks)] = tracks[0], cards
            claims.append(made)
        return _Future(ends, scores_of(ends, self._tables), claims)

    def why(self) -> Why:
        """Return how the best action helps."""
        claims, tickets, paths = self._claims(), self._tickets(), self._paths()
        others = [row for row in claims if row.route not in self._own]
        more = sorted((row for row in others if row.is_clear and row.change > 0), key=lambda row: -row.change)
        planned = [row for row in others if row.means[0] >= _MOSTLY][:_MAX_NEXT]
        routes = self._known.game_map.routes
        reasons = self._at_once(planned), self._route_taken(), self._saves(more), self._can_wait(claims)
        return Why(
            tuple(filter(None, reasons)),
            tuple(filter(None, (self._more_often(more[:_MAX_ROUTES], tickets, paths), self._less_often(paths)))),
            tuple((routes[row.route], row.cards[0] if routes[row.route].color == GRAY else "") for row in planned),
            (*self._points(), *tickets, *paths, *self._shown(claims, {row.route for row in planned})),
        )

    # -- what the seat does later ------------------------------------------------------

    def _claims(self) -> list[Row]:
        """Return the routes that the seat claims, in their average order after the best action."""
        rows: list[tuple[float, Row]] = []
        for route in sorted(set().union(*(made for future in self._futures for made in future.claims))):
            has = [np.array([route in made for made in future.claims], dtype=np.float64) for future in self._futures]
            games = [[made for made in future.claims if route in made] for future in self._futures]
            colors = [_color([made[route][1] for made in some]) if len(some) >= _FEWEST_GAMES else "" for some in games]
            [(track, _)] = Counter(made[route][0] for made in games[0] or games[1]).most_common(1)
            place = np.mean([[*made].index(route) for made in games[0] or games[1]])
            name = between(self._known.game_map.routes[track].cities)
            rows.append((float(place), Row(self._seat, CLAIMS, name, has[0], has[1], track, (colors[0], colors[1]))))
        return [row for _, row in sorted(rows, key=itemgetter(0))]

    def _shown(self, claims: Sequence[Row], planned: Collection[int]) -> list[Row]:
        """Return the routes of both actions, those of the plan, and others that clearly change, at most `_MAX_ROWS`."""
        first = {*self._own, *self._replaced}
        some = [row for row in claims if row.route in first or row.route in planned or row.is_clear]
        some.sort(key=lambda row: (row.route in first, row.route in planned, abs(row.change)), reverse=True)
        kept = {row.route for row in some[:_MAX_ROWS]}
        return [row for row in claims if row.route in kept]

    def _tickets(self) -> list[Row]:
        """Return the tickets that the seat has yet to complete or chooses from, in games in which it holds them."""
        seat, state = self._seat, self._known.packed
        held = State.across(self._worlds, "held")[:, seat, : state.n_held[seat]]
        offered = state.offer[seat, : state.n_offer[seat]].tolist()
        tickets = np.unique([*held.ravel(), *offered]).astype(np.int64)
        before = self._completes(self._worlds, tickets)
        after = [self._completes(future.ends, tickets) for future in self._futures]
        rows = []
        for i, ticket in enumerate(tickets.tolist()):
            holds = (held == ticket).any(axis=1)
            if before[:, i].all() or (ticket not in offered and holds.sum() < _FEWEST_GAMES):
                continue
            best, played = (
                done[holds | _is_kept(ticket, offered, action), i]
                for done, action in zip(after, (self._best, self._other), strict=True)
            )
            condition = ", if it is held" if holds.any() and not holds.all() else ""
            name = advice.ticket_ends(self._known.game_map.tickets[ticket])
            if len(best) or len(played):
                rows.append(Row(seat, COMPLETES, name, best, played, condition=condition))
        return rows

    def _completes(self, states: Ints, tickets: Ints) -> Floats:
        """Return 1 where the seat has completed a ticket, held or not: shape (states, tickets)."""
        done = np.zeros((len(states), len(tickets)), dtype=np.int8)
        mark_completed(self._tables, states, np.full(len(states), self._seat), tickets, done)
        return done.astype(np.float64)

    def _paths(self) -> list[Row]:
        """Return how often the seat gets the longest path, and each other seat for which that clearly changes."""
        if MEASURE_TRAIL not in self._tables.bonus_measure[: self._tables.n_bonuses]:
            return []
        return self._of_scores(GETS, PATH, lambda scores: scores[..., PATH_BONUS_COLUMN])

    def _points(self) -> list[Row]:
        """Return the points of the seat, and of each other seat for which they clearly change."""
        return self._of_scores(SCORES, POINTS, lambda scores: scores[..., TOTAL_COLUMN])

    def _of_scores(self, does: str, what: str, value: Callable[[Ints], Ints]) -> list[Row]:
        """Return a row for the seat, and for each other seat for which the value of its scores clearly changes."""
        best, played = (value(future.scores).astype(np.float64) for future in self._futures)
        rows = [Row(seat, does, what, best[:, seat], played[:, seat]) for seat in range(self._known.n_players)]
        rows.insert(0, rows.pop(self._seat))
        return [row for row in rows if row.seat == self._seat or row.change]

    # -- in words ----------------------------------------------------------------------

    def _more_often(self, *groups: Iterable[Row]) -> str:
        gains = [[row for row in rows if row.seat == self._seat and row.change > 0] for rows in groups]
        clauses = [(rows[0].does, listed(f"{row.what} {row.shares}" for row in rows)) for rows in gains if rows]
        *before, last = [f"{does} {what}" for does, what in clauses] or [""]
        more = f"{', '.join(before)}, and {last}" if before else last
        return f"if planners play on from here, P{self._seat} more often {more}" if more else ""

    def _less_often(self, paths: Sequence[Row]) -> str:
        """Describe which rival gets the longest path less often, unless the seat gets it more often."""
        rivals = [row for row in paths if row.seat != self._seat and row.change < 0]
        if not rivals or paths[0].change > 0:
            return ""
        rival = min(rivals, key=lambda row: row.change)
        return f"P{rival.seat} {GETS} {PATH} less often {rival.shares}"

    def _route_taken(self) -> str:
        """Describe how often others take the best action's route after the other action, if often."""
        tracks = [track for track in self._own if self._known.packed.owner[track] == NOBODY]
        if not tracks:
            return ""
        both_open = self._tables.both_open
        owners = State.across(self._futures[1].ends, "owner")[:, tracks]
        others = (owners != NOBODY) & (owners != self._seat)
        is_closed = others.all(axis=1) if both_open else others.any(axis=1)
        is_closed &= (owners != self._seat).all(axis=1)
        if is_closed.mean() <= _OFTEN:
            return ""
        takers = Counter(owners[others & is_closed[:, np.newaxis]].tolist())
        often = [owner for owner, n in takers.most_common() if n > _OFTEN * takers.total()]
        who = ["the neutral player" if owner == NEUTRAL_OWNER else f"P{owner}" for owner in often]
        # Nobody may own both tracks, so it takes two to close them.
        is_pair = both_open and len(tracks) > 1
        taken = f"{listed(who)} take both tracks" if is_pair else f"{listed(who, 'or')} takes the route"
        return f"otherwise {taken} in {percent(float(is_closed.mean()))} of games"

    def _can_wait(self, claims: Iterable[Row]) -> str:
        """Describe how often the seat still claims the route of the other action later, if nearly always."""
        for row in claims:
            if row.route in self._replaced and row.route not in self._own and row.means[0] >= _NEARLY_ALWAYS:
                return f"{row.what} can wait: P{self._seat} still claims it in {percent(row.means[0])} of games"
        return ""

    def _saves(self, more: Sequence[Row]) -> str:
        """Describe which route needs the color that the other action spends."""
        if not self._replaced:
            return ""
        spent, routes = _color([self._other[1]]), self._known.game_map.routes
        if self._own and spent and _color([self._best[1]]) == spent:
            own, replaced = routes[self._own[0]], routes[self._replaced[0]]
            if own.color != GRAY == replaced.color:
                return f"only {spent} pays for {between(own.cities)}, any color for {between(replaced.cities)}"
        needed = [row.what for row in more if row.cards[0] == spent and row.means[0] >= _MOSTLY]
        return f"keeps {spent} for {needed[0]}" if spent and needed else ""

    def _at_once(self, planned: Sequence[Row]) -> str:
        """Describe whether claiming a route of the plan now may be as good, if drawing a card is best."""
        if codes.kind_of(self._best[0]) not in (codes.DRAW_CARD, codes.DRAW_FACE_UP):
            return ""
        wanted = {row.route for row in planned} - {*self._replaced}
        tried = advice.considered(advice.view_of(self._known), DEFAULT_SEED)
        claims = [action for action in tried if wanted.intersection(_tracks(self._known, action[0]))]
        if not claims:
            return ""
        won = self._rollouts.try_out(self._worlds, _FIRST_GAME, np.array(claims, dtype=np.int64)).won
        losses = (results_from(self._futures[0].scores).won - won)[..., self._seat]
        least = int(losses.mean(axis=1).argmin())
        name = between(self._known.game_map.routes[codes.argument_of(claims[least][0])].cities)
        is_close = losses[least].mean() <= max(LEAST_LOSS, 2 * float(advice.standard_errors(losses[least])))
        return f"claiming {name} now {'may be as good' if is_close else 'would be worse'}"


def _tracks(known: Knowledge, code: int) -> list[int]:
    """Return the route that an action takes, and its twin if it has one; nothing for other actions."""
    kind = codes.kind_of(code)
    if kind not in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL, codes.PAY_TUNNEL):
        return []
    route = int(known.packed.pending) if kind == codes.PAY_TUNNEL else codes.argument_of(code)
    return [track for track in (route, int(known.tables.twin[route])) if track >= 0]


def _is_kept(ticket: int, offered: Sequence[int], action: Sequence[int]) -> bool:
    """Return whether an action keeps a ticket of an offer."""
    code, value = action[:2]
    return codes.kind_of(code) == codes.KEEP_TICKETS and any(
        value >> i & 1 for i, one in enumerate(offered) if one == ticket
    )


def _color(payments: Sequence[int]) -> str:
    """Return the color that pays for most of the claims; "" if there is none."""
    paid = ([c for c, n in zip(COLORS, codes.unpacked(cards).counts, strict=False) if n] for cards in payments)
    colors = Counter(some[0] for some in paid if len(some) == 1)  # not if cards of several colors replace others
    color, n = colors.most_common(1)[0] if colors else ("", 0)
    return color if n > _MOSTLY * len(payments) else ""


def locomotives_kept(tables: Tables, best: Candidate, other: Candidate) -> str:
    """Return how many locomotives the best action keeps that another spends in place of other cards; "" if none."""
    spent, replaced = _locomotives(tables, *other)
    spent_by_best, replaced_by_best = _locomotives(tables, *best)
    n_kept = min(spent - spent_by_best, replaced - replaced_by_best)
    return f"keeps {'a locomotive' if n_kept == 1 else counted(n_kept, 'locomotive')}" if n_kept > 0 else ""


def _locomotives(tables: Tables, code: int, value: int) -> tuple[int, int]:
    """Return the locomotives that an action spends, and how many of them replace cards of a color."""
    kind = codes.kind_of(code)
    if kind not in (codes.CLAIM_ROUTE, codes.PAY_TUNNEL, codes.BUILD_STATION):
        return 0, 0
    spent = codes.unpacked(value).counts[LOCOMOTIVE_INDEX]
    required = int(tables.symbols[codes.argument_of(code)]) if kind == codes.CLAIM_ROUTE else 0
    return spent, max(0, spent - required)
