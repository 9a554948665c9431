"""What one seat can see of a game."""

from __future__ import annotations

import numpy as np

from ttr_analysis._jit import compiled
from ttr_analysis.cards import N_KINDS, CardCounts
from ttr_analysis.engine.codes import Ints
from ttr_analysis.engine.kernel.legal import NONE, track_fault
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    BLIND,
    DRAW_PILE,
    HAND,
    HELD,
    KEEP_START,
    N_HELD,
    N_OFFER,
    N_QUEUED,
    N_TICKET_DISCARDS,
    NOBODY,
    OFFER,
    PHASE,
    POOL,
    QUEUE,
    STREAM,
    TICKET_AT,
    UNKNOWN_TICKET,
)
from ttr_analysis.engine.state import PublicState, seat_number
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket
from ttr_analysis.rules.chance import N_WORDS
from ttr_analysis.tables import game_tables
from ttr_analysis.tables.games import MAX_OFFER, MAX_ROUTES, MAX_TICKETS, N_ROUTES, N_SEATS, N_TICKETS


@compiled
def redact(state: Ints, tables: Ints, seat: int) -> Ints:
    """
    Return what a seat can see of a state, in the same layout.

    Cells that are secret from the seat say nothing: no cards, unknown tickets,
    places as if a ticket were in the pile. Where the state does not tell who
    gave tickets back, they are secret from everyone. While opening tickets are
    chosen, the choices of the others are secret too.

    Parameters
    ----------
    state
        The packed state; not changed.
    tables
        The map, its rules and the number of players.
    seat
        Who looks.
    """
    view = state.copy()
    for cell in range(STREAM, STREAM + N_WORDS):
        view[cell] = 0
    for cell in range(DRAW_PILE, DRAW_PILE + N_KINDS):
        view[cell] = 0
    for cell in range(QUEUE, QUEUE + MAX_TICKETS):
        view[cell] = UNKNOWN_TICKET
    for other in range(tables[N_SEATS]):
        if other != seat:
            _hide_seat(view, other)
    _hide_places(view, tables, seat)
    if view[PHASE] == KEEP_START:
        view[N_QUEUED] = 0
        view[N_TICKET_DISCARDS] = 0
    return view


@compiled
def _hide_seat(view: Ints, other: int) -> None:
    """Hide the cards and tickets of another seat, and while opening tickets are chosen their number."""
    for cell in range(other * N_KINDS, (other + 1) * N_KINDS):
        view[HAND + cell] = 0
        view[BLIND + cell] = 0
    if view[PHASE] == KEEP_START:
        view[N_OFFER + other] = 0
        view[N_HELD + other] = 0
    for i in range(MAX_OFFER):
        view[OFFER + other * MAX_OFFER + i] = UNKNOWN_TICKET if i < view[N_OFFER + other] else NOBODY
    for i in range(MAX_TICKETS):
        view[HELD + other * MAX_TICKETS + i] = UNKNOWN_TICKET if i < view[N_HELD + other] else 0


@compiled
def _hide_places(view: Ints, tables: Ints, seat: int) -> None:
    """Hide where tickets are, except the seat's own and those that lie face up."""
    shows_discards = view[PHASE] != KEEP_START
    for ticket in range(tables[N_TICKETS]):
        place = view[TICKET_AT + ticket]
        if place != seat and not (place == AT_DISCARDS and shows_discards):
            view[TICKET_AT + ticket] = AT_PILE
    for i in range(view[N_OFFER + seat]):
        ticket = view[OFFER + seat * MAX_OFFER + i]
        if ticket != UNKNOWN_TICKET:
            view[TICKET_AT + ticket] = AT_OFFER


@compiled
def fill_open(state: Ints, tables: Ints, seat: int, is_open: Ints) -> None:
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
    for route in range(tables[N_ROUTES]):
        is_open[route] = int(track_fault(state, tables, seat, route) == NONE)


class SeatView(PublicState):
    """
    What one seat can see: all that is public, its own cards and tickets.

    It is made from the state and keeps nothing else of it: what is secret from
    the seat cannot be found in it, not in its packed `vector` either.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    vector
        The packed state (`engine.layout`).
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

    def __init__(self, game_map: GameMap, n_players: int, vector: Ints, seat: int) -> None:
        super().__init__(game_map, n_players, vector)
        self._seat = seat_number(seat, n_players)
        self._vector = redact(self._vector, game_tables(game_map, n_players), self._seat)
        self._open: list[int] | None = None

    @property
    def seat(self) -> int:
        """Who looks."""
        return self._seat

    # -- its own cards and tickets ----------------------------------------------

    @property
    def hand(self) -> CardCounts:
        """The cards of this seat."""
        return self._cards(HAND + self._seat * N_KINDS)

    @property
    def tickets(self) -> tuple[Ticket | None, ...]:
        """The tickets of this seat in the order kept, None for one that a record does not know."""
        return self._held(self._seat)

    @property
    def offer(self) -> tuple[Ticket | None, ...]:
        """The tickets that this seat chooses from, in the order dealt."""
        return self._offered(self._seat)

    @property
    def pool(self) -> CardCounts:
        """
        The cards of which the draw pile may consist: those since the last shuffle less all that this seat saw since.

        The pile holds `n_pile` of them; the others are in the hands of the
        other seats, or were played since by a seat that may have held them
        from before the shuffle.
        """
        return self._cards(POOL) - self._cards(BLIND + self._seat * N_KINDS)

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
            fill_open(self._vector, game_tables(self.game_map, self.n_players), self._seat, is_open)
            self._open = is_open[: len(self.game_map.routes)].tolist()
        return self._open

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._seat

    def __repr__(self) -> str:
        return f"<SeatView of P{self._seat}: {self._summary()}>"
