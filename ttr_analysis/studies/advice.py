"""Advice for a seat: its options, the value of each, and the reasons in terms of the game."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, singledispatchmethod
from math import isfinite
from operator import attrgetter, index
from time import perf_counter
from typing import Any, Final, SupportsIndex

import numpy as np
import pandas as pd

from ttr_analysis._compile import Floats, Functions
from ttr_analysis._decoding import Range
from ttr_analysis._errors import GameError
from ttr_analysis._notebook import as_table
from ttr_analysis._upward import render_html
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis.paths import longest_trail
from ttr_analysis.analysis.payments.choice import cards_missing
from ttr_analysis.analysis.tickets.network import ForestSolver, Network, join_cities, reached_destinations
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine import actions
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.maps.model import Route, Ticket
from ttr_analysis.maps.names import name_route
from ttr_analysis.notation import code_text
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.playout import Results, check_turn, first_look
from ttr_analysis.policies.search.knowledge import Knowledge, Source
from ttr_analysis.policies.search.searcher import Candidate, Search, candidates, halve, leads
from ttr_analysis.policies.search.watching import know
from ttr_analysis.records.record import GameRecord
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.studies.intervals import Interval, end_columns, interval_of_difference
from ttr_analysis.studies.winning import DEFAULT_SEED, rows_of_chances

# -- reasons for an action -----------------------------------------------------------------------------------------

_MAX_TICKETS: Final = 6
"""Maximum number of tickets for which a network is computed at once, highest points first."""
_LONG: Final = 4
"""Minimum length of a route that is worth saving for without a ticket."""

_HELPS_NONE: Final = "helps with none of the"
_PAY_ALREADY: Final = "the hand already pays for any of the"
_TAKES_NONE: Final = "takes no route that is needed"
_AGAINST: Final = (_HELPS_NONE, _PAY_ALREADY, _TAKES_NONE)
"""Beginnings of reasons that speak against an action."""
_POINTS: Final = attrgetter("points")
FEWEST_POINTS: Final = 1.5
"""Smallest change in points that is reported."""


class Reasons:
    """
    Reasons for the acting seat's options, from what the seat sees.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> state = game.play(["Greedy", "Greedy"], seed=7).state_at(40)
    >>> reasons = Reasons(game.view(state, state.acting))
    >>> reasons.of(ttr.actions.DrawCard())
    '34% of the unseen cards are for routes that are needed; 1 card is missing for Helena – Salt Lake City (purple, 3)'
    """

    def __init__(self, view: SeatView) -> None:
        self._view = view
        self._solver = ForestSolver(view.game_map, view.closed, view.my_routes)

    def of(self, action: Action) -> str:
        """Return the reason for a legal action, "" if there is none."""
        return self._of(action)

    def in_favor(self, action: Action) -> str:
        """Return the reason for the best action, "" if that speaks against it."""
        reason = self.of(action)
        return "" if reason.startswith(_AGAINST) else reason

    # -- the seat's goals --------------------------------------------------------

    @cached_property
    def _plan(self) -> Network | None:
        """The network with the fewest trains for open tickets, without those worth least if trains are short."""
        return self._network(self.open_tickets[:_MAX_TICKETS])

    @cached_property
    def open_tickets(self) -> list[Ticket]:
        """The tickets that the seat still has to complete, highest points first."""
        tickets = [ticket for ticket in self._view.tickets if ticket is not None and not self._score(ticket, ())]
        return sorted(tickets, key=_POINTS, reverse=True)

    @cached_property
    def _alone(self) -> dict[str, int | None]:
        """The fewest trains for each open ticket, by its id; None if it is impossible."""
        return {ticket.id: self._solver.trains([ticket]) for ticket in self.open_tickets}

    def _network(self, tickets: list[Ticket]) -> Network | None:
        """Return the cheapest network for as many tickets as the trains allow, highest points first."""
        left = self._view.trains[self._view.seat]
        tickets = [ticket for ticket in tickets if (trains := self._alone[ticket.id]) is not None and trains <= left]
        while tickets:
            network = self._solver.solve(tickets)
            if network.length <= left:
                return network
            tickets = tickets[:-1]
        return None

    def _score(self, ticket: Ticket, more: tuple[Route, ...]) -> int:
        """Return a ticket's points once the seat also has some routes; 0 if still not completed."""
        reached = reached_destinations(ticket, join_cities(self._view.my_routes + more))
        return ticket.score(reached) if reached else 0

    @property
    def _planned(self) -> tuple[Route, ...]:
        return () if self._plan is None else self._plan.routes

    @cached_property
    def _wanted(self) -> tuple[Route, ...]:
        """Routes to save cards for: those of the plan, or long ones."""
        if self._planned:
            return self._planned
        trains = self._view.trains[self._view.seat]
        return tuple(route for route in self._view.open_routes if _LONG <= route.length <= trains)

    @cached_property
    def _whose(self) -> str:
        """What the routes to save cards for are called in reasons."""
        return "routes needed" if self._planned else "long routes"

    # -- reasons by kind of action ---------------------------------------------------

    @singledispatchmethod
    def _of(self, action: object) -> str:  # noqa: ARG002
        return ""

    @_of.register
    def _(self, action: actions.ClaimRoute | actions.AttemptTunnel) -> str:
        return self._of_route(action.route)

    @_of.register
    def _(self, action: actions.PayTunnel) -> str:
        pending = self._view.pending
        return self._of_route(pending.route) if pending else str(action)

    @_of.register
    def _(self, action: actions.DeclineTunnel) -> str:
        pending = self._view.pending
        return f"keeps {counted(pending.laid.n_cards + pending.surcharge, 'card')}" if pending else str(action)

    @_of.register
    def _(self, action: actions.DrawFaceUp) -> str:
        card = self._card(action)
        for missing, route in self._nearest(action):
            name = name_route(route)
            return f"then {counted(missing, 'card')} missing for {name}" if missing else f"then {name} can be paid"
        return "a locomotive for later" if card == LOCOMOTIVE else f"{_HELPS_NONE} {self._whose}" if card else ""

    @_of.register
    def _(self, action: actions.DrawCard) -> str:
        helpful = sum(n for kind, n in self._unseen.items() if self._nearer(kind))
        total = sum(self._unseen.values())
        if not total:
            return ""
        if not helpful and self._wanted and all(cards_missing(r, self._view.hand) == 0 for r in self._wanted):
            return f"{_PAY_ALREADY} {self._whose}"
        if not helpful:
            return f"{_HELPS_NONE} {self._whose}"
        [(missing, route)] = self._nearest(action)
        wanted = "routes that are needed" if self._planned else self._whose
        part = f"{helpful / total:.0%} of the unseen cards are for {wanted}"
        return f"{part}; {counted(missing, 'card')} {'is' if missing == 1 else 'are'} missing for {name_route(route)}"

    @_of.register
    def _(self, _action: actions.DrawTickets) -> str:
        left = counted(self._view.trains[self._view.seat], "train")
        plan, open_tickets = self._plan, self.open_tickets
        if not open_tickets:
            return f"no ticket is still to be completed, and {left} are left"
        if plan is None:
            return f"{left} are left, and no ticket can still be completed"
        others = len(open_tickets) - len(plan.tickets)
        left_out = f", with {counted(others, 'ticket')} left out" if others else ""
        return f"{left} are left, and the tickets take {plan.length} of them{left_out}"

    @_of.register
    def _(self, action: actions.KeepTickets) -> str:
        known = [ticket for ticket in action.tickets if ticket is not None]
        points = sum(map(_POINTS, known))
        together = sorted({*known, *self.open_tickets}, key=_POINTS, reverse=True)
        trains = self._solver.trains(together[:_MAX_TICKETS])
        if trains is None:
            return f"{points} points at stake, and not all can be completed"
        own = counted(self._view.trains[self._view.seat], "train")
        which = "all open tickets" if len(together) <= _MAX_TICKETS else f"the {_MAX_TICKETS} open tickets worth most"
        return (
            f"{counted(len(known), 'ticket')} worth {points} points; {which} together need {trains or 'none'} of {own}"
        )

    @_of.register
    def _(self, action: actions.ChooseNeutralRoute) -> str:
        needed = self._plan is not None and action.route in self._plan.routes
        return "takes a route that is needed" if needed else _TAKES_NONE

    @_of.register
    def _(self, action: actions.BuildStation) -> str:
        view = self._view
        others = [route for seat in range(view.n_players) if seat != view.seat for route in view.routes_of(seat)]
        nearer = [self._brought_nearer(route) for route in others if action.city.name in route.cities]
        most = max(nearer, key=lambda tickets: sum(map(_POINTS, tickets)), default=[])  # it borrows one
        names = listed(ticket_ends(ticket) for ticket in most)
        return f"borrows another player's route for {names}" if names else "borrows another player's route"

    def _brought_nearer(self, borrowed: Route) -> list[Ticket]:
        """Return the tickets that would take fewer trains with a borrowed route."""
        solver = ForestSolver(self._view.game_map, self._view.closed, (*self._view.my_routes, borrowed))
        found = []
        for ticket in self.open_tickets:
            before, after = self._alone[ticket.id], solver.trains([ticket])
            if after is not None and (before is None or after < before):
                found.append(ticket)
        return found

    @_of.register
    def _(self, _action: actions.Pass) -> str:
        return "nothing else can be done"

    # -- routes and cards ---------------------------------------------------------------

    def _of_route(self, route: Route) -> str:
        parts = [*self._completed(route), *self._on_the_way(route), *self._longest(route), *self._kept_apart(route)]
        if route.points:
            parts.append(counted(route.points, "point"))
        return "; ".join(parts)

    def _completed(self, route: Route) -> Iterator[str]:
        """Yield each ticket that a route completes."""
        for ticket in self._view.tickets:
            if ticket is not None and (gain := self._score(ticket, (route,)) - self._score(ticket, ())) > 0:
                yield f"completes the ticket {ticket_ends(ticket)} (+{gain})"

    def _on_the_way(self, route: Route) -> Iterator[str]:
        """Yield whether a route is on the tickets' paths, and the cost of losing it."""
        plan = self._plan
        if plan is None or route not in plan.routes:
            return
        ways = listed(ticket_ends(ticket) for ticket in plan.tickets if self._needs(ticket, route))
        if ways and not self._score_changes(route):
            is_alone = len(plan.tickets) == 1
            yield (
                f"on the shortest path of {ways}" if is_alone else f"for {ways} in the shortest network for all tickets"
            )
        without = self._solver.without([route]).trains(plan.tickets)
        if without is None or without > self._view.trains[self._view.seat]:
            names = listed(map(ticket_ends, plan.tickets))
            yield f"without it {names} cannot {'all ' if len(plan.tickets) > 1 else ''}be completed"
        elif without > plan.length:
            yield f"without it the tickets take {counted(without - plan.length, 'more train')}"

    def _longest(self, route: Route) -> Iterator[str]:
        """Yield whether a route makes the seat's trail the longest, if that scores."""
        if not any(bonus.measure == "longest_trail" for bonus in self._view.game_map.rules.bonus):
            return
        mine, others = self._trails
        after = self._trail((*self._view.my_routes, route))
        if mine <= others < after and others:
            yield f"makes the longest path ({counted(after, 'train')})"

    @cached_property
    def _trails(self) -> tuple[int, int]:
        """The seat's longest trail, and the longest of the others."""
        others = [self._trail(self._view.routes_of(seat)) for seat in self._others]
        return self._trail(self._view.my_routes), max(others)

    def _trail(self, routes: Sequence[Route]) -> int:
        return longest_trail(self._view.game_map, routes).length

    def _kept_apart(self, route: Route) -> Iterator[str]:
        """Yield whose networks this route keeps apart, and where."""
        game_map = self._view.game_map
        if game_map.rules.both_tracks_open(self._view.n_players) and game_map.twin(route) in self._view.open_routes:
            return
        for seat in self._others:
            parts = join_cities(self._view.routes_of(seat))
            a, b = (parts.get(city) for city in route.cities)
            if a and b and a != b and self._view.trains[seat] >= route.length:
                yield f"keeps P{seat}'s routes at {listed(route.cities)} apart"

    @property
    def _others(self) -> list[int]:
        return [seat for seat in range(self._view.n_players) if seat != self._view.seat]

    def _needs(self, ticket: Ticket, route: Route) -> bool:
        """Return whether the plan needs a route to complete a ticket."""
        assert self._plan is not None  # noqa: S101 - the route is in the plan
        others = tuple(other for other in self._plan.routes if other != route)
        return not self._score(ticket, others)

    def _score_changes(self, route: Route) -> bool:
        return any(True for _ in self._completed(route))

    @cached_property
    def _unseen(self) -> dict[str, int]:
        """The cards of each kind that the seat has not seen; only an upper bound if the market is unknown."""
        packed = self._view.packed
        left: list[int] = (packed.pool - packed.blind[self._view.seat]).tolist()
        return {kind: max(0, n) for kind, n in zip(CARD_KINDS, left, strict=True)}

    def aim(self, action: Action) -> Route | None:
        """Return the route that the card of a draw is for; None if it helps with none, and for other actions."""
        return next((route for _, route in self._nearest(action)), None)

    def _nearest(self, action: Action) -> list[tuple[int, Route]]:
        """Return the fewest cards missing for a route that the card of a draw helps with, and the route, if any."""
        kinds, hand = [], self._view.hand
        if isinstance(action, actions.DrawCard):
            kinds = [kind for kind, n in self._unseen.items() if n]
        elif isinstance(action, actions.DrawFaceUp) and (card := self._card(action)):
            kinds, hand = [card], hand + CardCounts.of(**{card: 1})
        missing = [(cards_missing(route, hand), route) for kind in kinds for route in self._nearer(kind)]
        return [min(missing, key=lambda one: one[0])] if missing else []

    def _card(self, action: actions.DrawFaceUp) -> str:
        """Return the kind of a face-up card, "" if it is unknown."""
        card = action.card or self._view.market[action.slot]
        return card if card in CARD_KINDS else ""

    def _nearer(self, card: str) -> list[Route]:
        """Return the routes to save cards for that a card helps with, longest first."""
        hand = self._view.hand
        more = hand + CardCounts.of(**{card: 1})
        found = [route for route in self._wanted if cards_missing(route, more) < cards_missing(route, hand)]
        return sorted(found, key=lambda route: -route.length)


def in_points(seat: int, points: Sequence[float], errors: Sequence[float], *, wins_more: bool = True) -> str:
    """
    Describe what the best action clearly changes in the final points, starting with its own seat; "" if nothing.

    `points` and `errors` are each seat's gains over another action and their standard errors;
    `wins_more` is whether its own seat clearly wins more often.

    Examples
    --------
    >>> in_points(0, [6.0, -4.2, -0.3], [0.5, 0.5, 0.5])
    'on average, P0 ends with 6 points more and P1 with 4 points fewer'
    >>> in_points(0, [-10.0, -4.0], [0.5, 0.5])
    'on average, P0 ends with 10 points fewer and P1 with 4 points fewer, but P0 wins more often'
    >>> in_points(0, [-4.0, -10.0], [0.5, 0.5])
    'on average, P0 ends with 4 points fewer and P1 with 10 points fewer'
    """
    clear = [abs(gain) > max(FEWEST_POINTS, 2 * error) for gain, error in zip(points, errors, strict=True)]
    others = [other for other in range(len(points)) if other != seat and clear[other] and points[other] < 0]
    whom = [seat, *others] if clear[seat] else others
    if not whom:
        return ""
    parts = [
        f"P{one} {'ends ' if one == whom[0] else ''}with {counted(f'{abs(points[one]):.0f}', 'point')} "
        f"{'more' if points[one] > 0 else 'fewer'}"
        for one in whom
    ]
    text = f"on average, {listed(parts)}"
    if wins_more and clear[seat] and points[seat] < min((points[other] for other in others), default=0.0):
        return f"{text}, but P{seat} wins more often"
    return text


def too_close(rival: str, loss: Interval, *, is_planners: bool) -> str:
    """
    Explain why the best action ranks above a rival that may be as good; "" if the rival is clearly worse.

    `loss` is the drop in win probability with the rival.

    Examples
    --------
    >>> too_close("take white", Interval(-0.04, -0.1, 0.02), is_planners=True).split("; ")[0]
    'too close to call: take white looks 4% better, within chance'
    >>> too_close("take white", Interval(0.01, -0.05, 0.07), is_planners=False)
    'too close to call: take white may be as good'
    >>> too_close("take white", Interval(0.06, 0.02, 0.1), is_planners=True)
    ''
    """
    if not loss.low <= 0 <= loss.high:
        return ""
    if loss.value >= 0 or not is_planners:
        return f"too close to call: {rival} may be as good"
    percent = round(-100 * loss.value)
    ahead = f"looks {percent}% better, within chance" if percent else "may be as good"
    return f"too close to call: {rival} {ahead}; a planner's move is kept unless another is clearly better"


def ticket_ends(ticket: Ticket) -> str:
    """Return a ticket by its places."""
    return f"{ticket.origin.name} – {listed([place.name for place, _ in ticket.destinations], 'or')}"


# -- advice --------------------------------------------------------------------------------------------------------

DEFAULT_SECONDS: Final = 2.0
_LEAST_PART: Final = 0.3
"""Minimum share of the time for trying actions, however long compilation took."""
_FEWEST: Final = 2
"""Minimum number of values for a standard error."""
N_CLAIMS: Final = 10
"""Maximum number of claims to consider, as for `Searcher`."""

ADVICE_COLUMNS: Final = {
    "move": "the option, in notation",
    "win": "probability of winning after it, if planners play on",
    **end_columns("win"),
    "points": "expected final points",
    "lead": "expected final points minus those of the best other seat",
    "loss": "drop in win probability compared with the best action, in the worlds where both were tried",
    **end_columns("loss"),
    "rollouts": "number of games played out after it",
    "reason": "why to choose it, in terms of the game; for the best one, also what it changes in the final points, and "
    "whether another may be as good",
}
"""Columns of advice and their meanings."""


class Advice:
    """
    A seat's options, the value of each, and the reasons: see `advise`.

    Parameters
    ----------
    view
        What the seat can see.
    tried
        Codes and values of the actions tried, best first.
    table
        One row for each action (index `rank`), with the columns of `ADVICE_COLUMNS`.
    """

    def __init__(self, view: SeatView, tried: Sequence[Candidate], table: pd.DataFrame) -> None:
        self.view = view
        self.table = table
        self._tried = tuple(tried)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions tried, in the order of `table`."""
        codec = codec_of(self.view.game_map)
        return tuple(codec.decode(*row, self.view.packed) for row in self._tried)

    @property
    def best(self) -> Action:
        """The best action."""
        return self.actions[0]

    @property
    def n_rollouts(self) -> int:
        """Games played out for all actions together."""
        return int(self.table["rollouts"].sum())

    def __repr__(self) -> str:
        first = self.table.iloc[0]
        why = f" ({first['reason']})" if first["reason"] else ""
        tried = f"{counted(len(self.table), 'action')} tried, {self.n_rollouts} rollouts"
        return f"<Advice for P{self.view.seat}: {first['move']}, {100 * first['win']:.0f}% to win{why}; {tried}>"

    _repr_html_ = render_html


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
    Return a seat's options, the value of each, and the reasons.

    Actions that matter are tried as in `policies.Searcher`: planners play games to the end
    in worlds that agree with the seat's knowledge, the same worlds for each action, and
    more of them for the best actions.

    Parameters
    ----------
    source
        What the seat can see, a state, or a record. A record is best, since a state does
        not show which tickets lay face up before a shuffle.
    seat
        The acting seat, the only one that can decide.
    step
        Step of the record after which to advise: 0 is the setup, -1 the last step.
    seconds
        Time for all actions; 2 seconds by default without `rollouts`. At least 30% of it
        is for trying actions, even on the first call on a machine, which compiles for some
        seconds first.
    rollouts
        Approximate number of games to play out for all actions, instead of `seconds`;
        the advice then depends only on the seed.
    seed
        Seed of worlds and rollouts.
    threads
        Cores to use; by default all.

    Returns
    -------
    advice
        `advice.table`, `advice.best`.

    Raises
    ------
    GameError
        If the seat is not the acting one, or the game is over.
    IndexError, TypeError
        If the record has no such step, or the source has another type.
    ValueError
        If both `seconds` and `rollouts` are given, one is not above 0, or a view is another's.

    Notes
    -----
    Win probabilities are computed as in `win_probability`, among planners. Actions dropped
    early have few rollouts and wide intervals. The same worlds choose and measure, so the
    best action looks slightly better than it is; `review` measures in new worlds.

    A planner's action counts as best unless another is better by at least one standard
    error; its reason mentions a difference that is too close to call.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play(["Greedy", "Greedy"], seed=7)
    >>> advice = advise(record, step=40, rollouts=20)
    >>> advice.best in game.legal_actions(record.state_at(40))
    True
    """
    started = perf_counter()
    rollouts, seconds = check_budget(rollouts, seconds, DEFAULT_SECONDS)
    Functions((Planner().chooser,))  # compiled here for whole games, so that it need not be compiled for single moves
    known = know(source, _whose(source, seat, step), step)
    view = view_of(known)
    search = Search(known, index(seed), threads or os.cpu_count() or 1)
    tried = considered(view, seed)
    if seconds is not None:
        search.results(np.array(tried[:1], dtype=np.int64), 1)  # compiles
        search.n_worlds = 0
        seconds = max(_LEAST_PART * seconds, seconds - (perf_counter() - started))
    reasons, codec = Reasons(view), codec_of(view.game_map)
    actions_tried = [codec.decode(*row, view.packed) for row in tried]
    with ThreadPoolExecutor(1) as beside:  # the functions that find reasons are compiled in the meantime
        why_each = beside.map(reasons.of, actions_tried)
        best, _, results = halve(search, tried, rollouts, seconds)
    why = list(why_each)
    why[best] = reasons.in_favor(actions_tried[best])
    worths = [float(search.worth(result).mean()) for result in results]
    order = sorted(range(len(tried)), key=lambda i: (i != best, -len(results[i].won), -worths[i]))
    packed = KernelGame(view.game_map, view.n_players)
    rows = [
        [
            code_text(packed, view.packed, *tried[i]),
            *_worth(results[i], results[best], view.seat, search.each, is_best=i == best),
            why[i],
        ]
        for i in order
    ]
    if len(order) > 1:
        gain = _gain(results[best], results[order[1]])
        loss = mean_loss(results[best], results[order[1]], view.seat)
        means, errors = gain.mean(axis=0).tolist(), standard_errors(gain).tolist()
        costs = in_points(view.seat, means, errors, wins_more=loss.low > 0)
        close = too_close(str(rows[1][0]), loss, is_planners=best == 0)
        rows[0][-1] = "; ".join(filter(None, (str(rows[0][-1]), costs, close)))
    return Advice(view, [tried[i] for i in order], advice_table(rows))


def advice_table(rows: Sequence[Any]) -> pd.DataFrame:
    """Return the table of an `Advice`, from the values of `ADVICE_COLUMNS` for each action, best first."""
    table = pd.DataFrame(rows, columns=list(ADVICE_COLUMNS), index=pd.RangeIndex(1, len(rows) + 1, name="rank"))
    return as_table(table, units={"lead": "points"})


def check_budget(rollouts: int | None, seconds: float | None, default: float | None) -> tuple[int, float | None]:
    """Return rollouts, 0 if not given, and seconds, None with rollouts; both given numbers must be above 0."""
    if rollouts is not None and seconds is not None:
        raise ValueError("expected seconds or rollouts, got both")
    if rollouts is not None:
        return Range(1).check(rollouts, "rollouts"), None
    seconds = default if seconds is None else seconds
    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"seconds must be a number above 0, got {seconds!r}")
    return 0, seconds


def _whose(source: Source, seat: int | None, step: SupportsIndex) -> int:
    """Return the given seat, or else the acting one."""
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
    """Return what a seat sees, given its knowledge; raise a `GameError` if it is not the acting seat."""
    view = SeatView(known.game_map, known.n_players, known.packed, known.viewer)
    check_turn(view)
    return view


def considered(view: SeatView, seed: int) -> list[Candidate]:
    """Return the actions to try, a planner's first."""
    return candidates(view, planned(view, seed), N_CLAIMS)


def planned(view: SeatView, seed: int) -> Candidate:
    """Return a planner's action."""
    own, _ = first_look(Planner(), view, stream_from(np.random.default_rng(index(seed))))
    return own


def _worth(results: Results, of_best: Results, seat: int, each: int, *, is_best: bool) -> list[float]:
    loss = Interval(0.0, 0.0, 0.0) if is_best else mean_loss(of_best, results, seat)
    win, low, high, points, *_ = rows_of_chances(results, each, is_known=False)[seat]
    return [win, low, high, points, float(leads(results, seat).mean()), *loss, len(results.won)]


def _gain(best: Results, other: Results) -> Floats:
    """Return each seat's gain in final points by one action over another, in the worlds of both."""
    n = min(len(best.won), len(other.won))
    return (best.points[:n] - other.points[:n]).astype(np.float64)


def standard_errors(values: Floats) -> Floats:
    """Return the standard error of each column's mean."""
    if len(values) < _FEWEST:
        return np.full(values.shape[1:], np.inf)
    errors: Floats = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return errors


def mean_loss(best: Results, other: Results, seat: int) -> Interval:
    """Return a seat's drop in win rate with another action, with a 95% interval, in the worlds of both."""
    n = min(len(best.won), len(other.won))
    return interval_of_difference(best.won[:n, seat] - other.won[:n, seat])
