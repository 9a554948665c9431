"""What speaks for an action, in terms of the game: tickets, ways, cards missing, points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, singledispatchmethod
from typing import Final

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis.payments.choice import cards_missing
from ttr_analysis.analysis.tickets.network import (
    ForestSolver,
    Network,
    NoNetworkError,
    join_cities,
    reached_destinations,
)
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine import actions
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.model import Route, Ticket

_MOST_TICKETS: Final = 6
"""Tickets of which a network is looked for at once, the dearest first."""
_LONG: Final = 4
"""Spaces of a route for which cards are gathered where no ticket asks for one."""

_FEWEST_POINTS: Final = 1.5
"""Points that another seat must lose for it to be said."""


class Reasons:
    """
    Reasons for what a seat may do, from what it sees.

    Parameters
    ----------
    view
        What the seat can see; it acts now.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> state = game.play(["Greedy", "Greedy"], seed=7).state_at(40)
    >>> reasons = Reasons(game.view(state, state.acting))
    >>> reasons.of(ttr.actions.DrawCard())
    '34% of the unseen cards help with routes you need'
    """

    def __init__(self, view: SeatView) -> None:
        self._view = view
        self._solver = ForestSolver(view.game_map, view.closed, view.my_routes)

    def of(self, action: Action) -> str:
        """Return what speaks for a legal action, "" if nothing is to be said."""
        return self._of(action)

    # -- what the seat is about --------------------------------------------------

    @cached_property
    def _plan(self) -> Network | None:
        """The fewest trains for the tickets still to be completed, without the cheapest ones if they are too many."""
        return self._network(self._open_tickets[:_MOST_TICKETS])

    @cached_property
    def _open_tickets(self) -> list[Ticket]:
        """The tickets that are not completed, the dearest first."""
        tickets = [ticket for ticket in self._view.tickets if ticket is not None and not self._score(ticket, ())]
        return sorted(tickets, key=_points, reverse=True)

    @cached_property
    def _alone(self) -> dict[str, int | None]:
        """The fewest trains for each ticket that is not completed, by its id; None if there is no way."""
        return {ticket.id: _trains(self._solver, [ticket]) for ticket in self._open_tickets}

    def _network(self, tickets: list[Ticket]) -> Network | None:
        """Return the cheapest network for as many tickets as the trains suffice for, the dearest first."""
        left = self._view.trains[self._view.seat]
        tickets = [ticket for ticket in tickets if (trains := self._alone[ticket.id]) is not None and trains <= left]
        while tickets:
            network = self._solver.solve(tickets)
            if network.length <= left:
                return network
            tickets = tickets[:-1]
        return None

    def _score(self, ticket: Ticket, more: tuple[Route, ...]) -> int:
        """Return what a ticket scores with some routes more; 0 as long as it is not completed."""
        reached = reached_destinations(ticket, join_cities(self._view.my_routes + more))
        return ticket.score(reached) if reached else 0

    @cached_property
    def _wanted(self) -> tuple[Route, ...]:
        """Routes to gather cards for: those of the plan, or long ones."""
        if self._plan is not None and self._plan.routes:
            return self._plan.routes
        trains = self._view.trains[self._view.seat]
        return tuple(route for route in self._view.open_routes if _LONG <= route.length <= trains)

    @cached_property
    def _whose(self) -> str:
        """How the routes to gather cards for are called."""
        return "routes you need" if self._plan is not None and self._plan.routes else "long routes"

    # -- one kind of action after the other ------------------------------------------

    @singledispatchmethod
    def _of(self, action: object) -> str:  # noqa: ARG002
        return ""

    @_of.register
    def _(self, action: actions.ClaimRoute) -> str:
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
        card = action.card or self._view.market[action.slot]
        return self._of_card(card) if card in CARD_KINDS else ""

    @_of.register
    def _(self, _action: actions.DrawCard) -> str:
        packed = self._view.packed
        # Where a record does not know the market, the pool is no more than a bound.
        unseen = [max(0, n) for n in (packed.pool - packed.blind[self._view.seat]).tolist()]
        helpful = sum(n for kind, n in zip(CARD_KINDS, unseen, strict=True) if self._nearer(kind))
        total = sum(unseen)
        if not total:
            return ""
        if not helpful and self._wanted and all(cards_missing(r, self._view.hand) == 0 for r in self._wanted):
            return f"your cards pay for any of the {self._whose} already"
        return f"{100 * helpful / total:.0f}% of the unseen cards help with {self._whose}"

    @_of.register
    def _(self, _action: actions.DrawTickets) -> str:
        left = counted(self._view.trains[self._view.seat], "train")
        plan, open_tickets = self._plan, self._open_tickets
        if not open_tickets:
            return f"none of your tickets is still to be completed, and {left} are left"
        if plan is None:
            return f"{left} are left, and no ticket of yours can still be completed"
        others = len(open_tickets) - len(plan.tickets)
        left_out = f", with {counted(others, 'ticket')} left out" if others else ""
        return f"{left} are left, and your tickets take {plan.length} of them{left_out}"

    @_of.register
    def _(self, action: actions.KeepTickets) -> str:
        known = [ticket for ticket in action.tickets if ticket is not None]
        points = sum(map(_points, known))
        together = sorted({*known, *self._open_tickets}, key=_points, reverse=True)
        trains = _trains(self._solver, together[:_MOST_TICKETS])
        if trains is None:
            return f"{points} points at stake, and not all can be completed"
        own = counted(self._view.trains[self._view.seat], "train")
        return f"{points} points for tickets; with what you hold they take {trains} of {own}"

    @_of.register
    def _(self, action: actions.ChooseNeutralRoute) -> str:
        needed = self._plan is not None and action.route in self._plan.routes
        return "takes a route that you need" if needed else "takes no route that you need"

    @_of.register
    def _(self, action: actions.BuildStation) -> str:
        view = self._view
        others = [route for seat in range(view.n_players) if seat != view.seat for route in view.routes_of(seat)]
        nearer = [self._brought_nearer(route) for route in others if action.city.name in route.cities]
        most = max(nearer, key=lambda tickets: sum(map(_points, tickets)), default=[])  # it lends one
        names = listed(ticket.id for ticket in most)
        return f"lends a route of another for {names}" if names else "lends a route of another"

    def _brought_nearer(self, lent: Route) -> list[Ticket]:
        """Return the tickets that take fewer trains once a route is lent."""
        solver = ForestSolver(self._view.game_map, self._view.closed, (*self._view.my_routes, lent))
        found = []
        for ticket in self._open_tickets:
            before, after = self._alone[ticket.id], _trains(solver, [ticket])
            if after is not None and (before is None or after < before):
                found.append(ticket)
        return found

    @_of.register
    def _(self, _action: actions.Pass) -> str:
        return "nothing else can be done"

    # -- routes and cards ---------------------------------------------------------------

    def _of_route(self, route: Route) -> str:
        parts = [*self._completed(route), *self._on_the_way(route)]
        if route.points:
            parts.append(counted(route.points, "point"))
        return "; ".join(parts)

    def _completed(self, route: Route) -> Iterator[str]:
        """Yield which tickets a route completes."""
        for ticket in self._view.tickets:
            if ticket is not None and (gain := self._score(ticket, (route,)) - self._score(ticket, ())) > 0:
                yield f"completes {ticket.id} (+{gain})"

    def _on_the_way(self, route: Route) -> Iterator[str]:
        """Yield whether a route is on the way of the tickets, and what it would cost if somebody else took it."""
        plan = self._plan
        if plan is None or route not in plan.routes:
            return
        ways = listed(ticket.id for ticket in plan.tickets if self._needs(ticket, route))
        if ways and not self._score_changes(route):
            yield f"on the shortest way of {ways}"
        without = _trains(self._solver.without([route]), plan.tickets)
        if without is None:
            yield "without it there is no way"
        elif without > plan.length:
            yield f"without it {counted(without - plan.length, 'train')} more"

    def _needs(self, ticket: Ticket, route: Route) -> bool:
        """Return whether the plan completes a ticket only with a route."""
        assert self._plan is not None  # noqa: S101 - there is a way
        others = tuple(other for other in self._plan.routes if other != route)
        return not self._score(ticket, others)

    def _score_changes(self, route: Route) -> bool:
        return any(True for _ in self._completed(route))

    def _of_card(self, card: str) -> str:
        """Return what a card is good for."""
        nearer = self._nearer(card)
        if not nearer:
            return "a locomotive for later" if card == LOCOMOTIVE else f"helps with none of the {self._whose}"
        hand = self._view.hand + CardCounts.of(**{card: 1})
        missing, route = min(((cards_missing(route, hand), route) for route in nearer), key=lambda one: one[0])
        name = f"{route.id} ({route.color}, {route.length})"
        return f"then {name} can be paid" if missing == 0 else f"then {counted(missing, 'card')} missing for {name}"

    def _nearer(self, card: str) -> list[Route]:
        """Return the wanted routes that a card brings nearer, for the longest first."""
        hand = self._view.hand
        more = hand + CardCounts.of(**{card: 1})
        found = [route for route in self._wanted if cards_missing(route, more) < cards_missing(route, hand)]
        return sorted(found, key=lambda route: -route.length)


def at_cost_of(seat: int, points: Sequence[float], errors: Sequence[float]) -> str:
    """
    Return which other seats have clearly fewer points in the end, "" if none has.

    Parameters
    ----------
    seat
        Who acts.
    points, errors
        By how much the final points of each seat are more than after another
        action, and the standard errors.

    Examples
    --------
    >>> at_cost_of(0, [6.0, -4.2, -0.3], [0.5, 0.5, 0.5])
    'P1 ends with 4 points less'
    """
    found = [
        f"P{other} ends with {counted(f'{-gain:.0f}', 'point')} less"
        for other, (gain, error) in enumerate(zip(points, errors, strict=True))
        if other != seat and gain < min(-_FEWEST_POINTS, -2 * error)
    ]
    return listed(found)


def _points(ticket: Ticket) -> int:
    """Return the most that a ticket may score."""
    return max(points for _, points in ticket.destinations)


def _trains(solver: ForestSolver, tickets: Iterable[Ticket]) -> int | None:
    """Return the fewest trains for some tickets; None if there is no way."""
    try:
        return solver.solve(list(tickets)).length
    except NoNetworkError:
        return None
