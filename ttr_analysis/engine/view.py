"""What one seat can see of a game."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP_START,
    NOBODY,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.engine.state import GameState, PublicState, seat_number
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket
from ttr_analysis.tables import MAX_OFFER, MAX_ROUTES, MAX_TICKETS, Tables, game_tables

WORLDS: Final = "ttr_analysis.policies.search.rollouts"
"""
The module whose `draw_worlds` fills a view in, imported when it is asked.

What is believed of tickets depends on how planners play: it lies above.
"""


@quickly_compiled
def hide_secrets(view: State, tables: Tables, seat: int) -> None:
    """
    Blank what a seat cannot see of a state.

    Cells that are secret from the seat say nothing: no cards, unknown tickets,
    places as if a ticket were in the pile. Where the tickets lie that it gave
    back itself, it knows. While opening tickets are chosen, the choices of the
    others are secret too.

    Parameters
    ----------
    view
        The packed state; changed.
    tables
        The map, its rules and the number of players.
    seat
        Who looks.
    """
    view.stream.fill(0)
    view.draw_pile.fill(0)
    _hide_queue(view, seat)
    for other in range(tables.n_seats):
        if other != seat:
            _hide_seat(view, other)
    _hide_places(view, tables, seat)
    if view.phase == KEEP_START:
        view.n_queued = 0
        view.n_ticket_discards = 0


def redact(state: State, tables: Tables, seat: int) -> State:
    """Return what a seat can see of a state: see `hide_secrets`."""
    view = state.copy()
    hide_secrets(view, tables, seat)
    return view


@compiled
def _hide_seat(view: State, other: int) -> None:
    """Hide the cards and tickets of another seat, and while opening tickets are chosen their number."""
    view.hand[other].fill(0)
    view.blind[other].fill(0)
    if view.phase == KEEP_START:
        view.n_offer[other] = 0
        view.n_held[other] = 0
    for i in range(MAX_OFFER):
        view.offer[other, i] = UNKNOWN_TICKET if i < view.n_offer[other] else NOBODY
    for i in range(MAX_TICKETS):
        view.held[other, i] = UNKNOWN_TICKET if i < view.n_held[other] else 0


@compiled
def _hide_queue(view: State, seat: int) -> None:
    """Hide the tickets under the pile, but those that the seat put there; at the start not even how many is known."""
    n_seen = 0 if view.phase == KEEP_START else view.n_queued
    for i in range(MAX_TICKETS):
        at = (view.queue_head + i) % MAX_TICKETS
        ticket = view.queue[at]
        if i >= n_seen or ticket == UNKNOWN_TICKET or view.returned_by[ticket] != 1 + seat:
            view.queue[at] = UNKNOWN_TICKET


@compiled
def _hide_places(view: State, tables: Tables, seat: int) -> None:
    """Hide where tickets are, except the seat's own, those that it gave back, and those that lie face up."""
    shows_discards = view.phase != KEEP_START
    for ticket in range(tables.n_tickets):
        place = view.ticket_at[ticket]
        if view.returned_by[ticket] == 1 + seat and place in (AT_QUEUE, AT_DISCARDS, AT_REMOVED):
            continue
        view.returned_by[ticket] = 0
        if place != seat and not (place == AT_DISCARDS and shows_discards):
            view.ticket_at[ticket] = AT_PILE
    for i in range(view.n_offer[seat]):
        ticket = view.offer[seat, i]
        if ticket != UNKNOWN_TICKET:
            view.ticket_at[ticket] = AT_OFFER


@quickly_compiled
def fill_open(state: State, tables: Tables, seat: int, is_open: Ints) -> None:
    """
    Find the routes that nobody has and that no other track closes to a seat.

    Parameters
    ----------
    state, tables
        The game.
    seat
        Who would claim.
    is_open
        Filled with 1 for each route that is open, else 0, whatever trains,
        tokens and cards the seat has.
    """
    for route in range(tables.n_routes):
        is_open[route] = int(track_fault(state, tables, seat, route) == NONE)


class SeatView(PublicState):
    """
    What one seat can see: all that is public, its own cards and tickets.

    It is made from the state and keeps nothing else of it: what is secret from
    the seat cannot be found in it, not in its `packed` state either.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    packed
        The packed state.
    seat
        Who looks.

    Raises
    ------
    GameError
        If there is no such seat.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> view = game.view(game.new(seed=7), 1)
    >>> view
    <SeatView of P1: nordic, 2 players: P0 KEEP_START, turn 1, scores 0-0, trains 40-40>
    >>> view.hand.n_cards, view.n_hands, len(view.offer), view.tickets
    (4, (4, 4), 5, ())
    """

    __slots__ = ("_open", "_seat")

    def __init__(self, game_map: GameMap, n_players: int, packed: State, seat: int) -> None:
        super().__init__(game_map, n_players, packed)
        self._seat = seat_number(seat, n_players)
        self._packed = redact(self._packed, game_tables(game_map, n_players), self._seat)
        self._open: list[int] | None = None

    @property
    def seat(self) -> int:
        """Who looks."""
        return self._seat

    # -- its own cards and tickets ----------------------------------------------

    @property
    def hand(self) -> CardCounts:
        """The cards of this seat."""
        return self._cards("hand", self._seat)

    @property
    def tickets(self) -> tuple[Ticket | None, ...]:
        """The tickets of this seat in the order kept, None for one that a record does not know."""
        return self._held(self._seat)

    @property
    def offer(self) -> tuple[Ticket | None, ...]:
        """The tickets that this seat chooses from, in the order dealt."""
        return self._offered(self._seat)

    @property
    def given_back(self) -> tuple[Ticket, ...]:
        """The tickets that this seat gave back and of which it knows where they lie, in the order of the map."""
        returned = self._packed.returned_by[: len(self._game_map.tickets)].tolist()
        return tuple(self._game_map.tickets[i] for i, who in enumerate(returned) if who == 1 + self._seat)

    @property
    def pool(self) -> CardCounts:
        """
        The cards of which the draw pile may consist: those since the last shuffle less all that this seat saw since.

        The pile holds `n_pile` of them; the others are in the hands of the
        other seats, or were played since by a seat that may have held them
        from before the shuffle.
        """
        return self._cards("pool") - self._cards("blind", self._seat)

    def worlds(self, n: int, rng: np.random.Generator) -> tuple[GameState, ...]:
        """
        Return whole states that agree with all that this seat sees, drawn as they may be.

        Cards that it does not see are dealt anew; tickets of the others are
        drawn as its routes make them likely for each, if it is a planner.

        Parameters
        ----------
        n
            How many.
        rng
            Source of randomness; it gives a seed. Chance goes on in another
            way from each state.

        Raises
        ------
        ValueError
            If `n` is below 0.

        Notes
        -----
        `docs/winning.md` tells what is believed of tickets, and how well that
        holds. What lay face up until a shuffle of tickets, only a record
        remembers: watched from the seat, nobody holds it who has drawn none
        since.

        Examples
        --------
        >>> import numpy as np
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
        >>> view = game.view(record.state_at(30), 0)
        >>> worlds = view.worlds(3, np.random.default_rng(7))
        >>> all(game.view(world, 0) == view for world in worlds), len(set(worlds))
        (True, 3)
        """
        draw: Callable[..., tuple[GameState, ...]] = import_module(WORLDS).draw_worlds
        return draw(self, n, rng)

    # -- routes ---------------------------------------------------------------------

    @property
    def my_routes(self) -> tuple[Route, ...]:
        """The routes of this seat, in the order of the map."""
        return self.routes_of(self._seat)

    @property
    def open_routes(self) -> tuple[Route, ...]:
        """The routes that nobody has and that no other track closes to this seat, in the order of the map."""
        return tuple(route for route, is_open in zip(self.game_map.routes, self._is_open(), strict=True) if is_open)

    @property
    def closed(self) -> tuple[Route, ...]:
        """The routes that this seat neither has nor can claim any more, as `paths` and `tickets` take them."""
        mine = {route.id for route in self.my_routes}
        routes = zip(self.game_map.routes, self._is_open(), strict=True)
        return tuple(route for route, is_open in routes if not is_open and route.id not in mine)

    def is_open(self, route: RouteLike) -> bool:
        """
        Return whether a route is open to this seat, whatever trains, tokens and cards it has.

        Parameters
        ----------
        route
            A route, a route id, or a pair of cities: then whether any track
            between them is open.

        Raises
        ------
        UnknownNameError
            If there is no such route on the map.
        """
        wanted = {r.id for r in self.game_map.resolve_routes([route])}
        return any(r.id in wanted for r in self.open_routes)

    def _is_open(self) -> list[int]:
        """Return 1 for each route that is open, found at the first call."""
        if self._open is None:
            is_open = np.zeros(MAX_ROUTES, dtype=np.int64)
            fill_open(self._packed, game_tables(self.game_map, self.n_players), self._seat, is_open)
            self._open = is_open[: len(self.game_map.routes)].tolist()
        return self._open

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._seat

    def __repr__(self) -> str:
        return f"<SeatView of P{self._seat}: {self._summary()}>"
