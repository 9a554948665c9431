"""The state of a game as an immutable object, and one seat's view of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from ttr_analysis import _upward
from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis._errors import GameError
from ttr_analysis._upward import render_html
from ttr_analysis.cards import CARD_KINDS, COLORS, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.engine import layout
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.layout import Phase, State
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket
from ttr_analysis.tables import MAX_OFFER, MAX_ROUTES, MAX_TICKETS, Tables, game_tables

Owner = int | Literal["neutral"]
"""A seat, or the neutral player."""

EndingName = Literal["trains", "passes", "truncated"]
"""Why a game is over: last turns taken, everyone passed, or turn limit reached."""

_ENDINGS: Final[tuple[EndingName | None, ...]] = (None, *get_args(EndingName))


@dataclass(frozen=True, slots=True)
class PendingTunnel:
    """
    A tunnel whose surcharge is not yet paid.

    Parameters
    ----------
    color
        The color played; None for locomotives alone.
    laid
        The cards laid down; none if unknown to the record (`AttemptTunnel`).
    revealed
        The known cards among those turned over.
    surcharge
        Number of cards to add, including those for the spaces if none were laid down.
    """

    route: Route
    color: str | None
    laid: CardCounts
    revealed: CardCounts
    surcharge: int


def seat_number(seat: object, n_seats: int) -> int:
    """Return a valid seat number; raise a `GameError` otherwise."""
    if isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < n_seats:
        return int(seat)
    raise GameError(f"expected a seat from 0 to {n_seats - 1}, got {seat!r}")


class PublicState:
    """
    What everyone at the table sees; tuples with one item for each seat are in seat order.

    Parameters
    ----------
    game_map
        The map, in the variant that is played.
    packed
        The packed state (`engine.layout`), which is copied.
    """

    __slots__ = ("_counted", "_game_map", "_n_players", "_packed")

    def __init__(self, game_map: GameMap, n_players: int, packed: State) -> None:
        if not isinstance(packed, State):
            raise GameError(f"expected a packed state, got {packed!r}")
        self._game_map = game_map
        self._n_players = n_players
        self._packed = packed.copy()
        self._counted: dict[tuple[str, int | None], CardCounts] = {}

    @property
    def game_map(self) -> GameMap:
        """The map, in the variant that is played."""
        return self._game_map

    @property
    def n_players(self) -> int:
        """Number of players, not counting the neutral player."""
        return self._n_players

    @property
    def packed(self) -> State:
        """A copy of the packed state, as used by compiled code: see `engine.layout`."""
        return self._packed.copy()

    # -- the course of the game -----------------------------------------------

    @property
    def phase(self) -> Phase:
        """The decision of the acting seat."""
        return Phase(self._packed.phase)

    @property
    def acting(self) -> int:
        """The acting seat."""
        return self._packed.seat

    @property
    def turn_seat(self) -> int:
        """The seat whose turn it is, which does not act while another chooses for the neutral player."""
        return self._packed.turn_seat

    @property
    def turn(self) -> int:
        """Alias of `turn_seat`: a seat, not a turn number, which is `n_turns`."""
        return self.turn_seat

    @property
    def n_turns(self) -> int:
        """Completed turns of all seats together."""
        return self._packed.n_turns

    @property
    def is_last_round(self) -> bool:
        """Whether the last turns have begun."""
        return self._packed.last_left != layout.NOBODY

    @property
    def turns_left(self) -> int | None:
        """Turns left for all seats together; None before the last round."""
        return self._packed.last_left if self.is_last_round else None

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._packed.phase == layout.OVER

    @property
    def ending(self) -> EndingName | None:
        """Why the game is over: "trains", "passes" or "truncated"; None before."""
        return _ENDINGS[self._packed.ending]

    # -- train cards ------------------------------------------------------------

    @property
    def market(self) -> tuple[str | None, ...]:
        """The card in each slot; None if empty, "?" if unknown to a record."""
        kinds = self._packed.market[: self._game_map.rules.market.size].tolist()
        return tuple(None if kind == layout.NOBODY else CARD_KINDS[kind] if kind < N_KINDS else "?" for kind in kinds)

    @property
    def n_pile(self) -> int:
        """Cards in the draw pile."""
        return self._packed.n_pile

    @property
    def discards(self) -> CardCounts:
        """The known cards of the discard pile."""
        return self._cards("discards")

    @property
    def n_hands(self) -> tuple[int, ...]:
        """Number of cards of each seat."""
        return self._seats(self._packed.n_hand)

    @property
    def known(self) -> tuple[CardCounts, ...]:
        """Cards that each seat is publicly known to hold; it may hold more."""
        return tuple(self._cards("known", seat) for seat in range(self._n_players))

    @property
    def pending(self) -> PendingTunnel | None:
        """The tunnel whose surcharge must now be paid or declined."""
        route = self._packed.pending
        if route == layout.NOBODY:
            return None
        color = self._packed.pending_color
        return PendingTunnel(
            self._game_map.routes[route],
            COLORS[color] if color < N_COLORS else None,
            self._cards("laid"),
            self._cards("revealed"),
            self._packed.surcharge,
        )

    # -- trains, points, money ----------------------------------------------------

    @property
    def trains(self) -> tuple[int, ...]:
        """Trains left, by seat."""
        return self._seats(self._packed.trains)

    @property
    def scores(self) -> tuple[int, ...]:
        """Score of each seat so far: its start score and its routes; tickets and bonuses count at the end."""
        return self._seats(self._packed.score)

    @property
    def tokens(self) -> tuple[int, ...]:
        """Value of the toll tokens, by seat."""
        return self._seats(self._packed.tokens)

    @property
    def loans(self) -> tuple[int, ...]:
        """Loans, by seat."""
        return self._seats(self._packed.loans)

    # -- routes ---------------------------------------------------------------------

    @property
    def owners(self) -> dict[str, Owner]:
        """The owner of each taken route by id, in the order taken."""
        owner = self._packed.owner[: len(self._game_map.routes)].tolist()
        return {
            self._game_map.routes[route].id: "neutral" if owner[route] == layout.NEUTRAL_OWNER else owner[route]
            for route in self._packed.claimed[: self._packed.n_claims].tolist()
        }

    @property
    def claimed(self) -> tuple[Route, ...]:
        """The taken routes, in the order taken."""
        return tuple(self._game_map.routes[i] for i in self._packed.claimed[: self._packed.n_claims].tolist())

    def routes_of(self, owner: Owner) -> tuple[Route, ...]:
        """
        Return the routes of a seat, or of the neutral player, in map order.

        Parameters
        ----------
        owner
            A seat, or "neutral".
        """
        number = layout.NEUTRAL_OWNER if owner == "neutral" else owner
        owners = self._packed.owner[: len(self._game_map.routes)].tolist()
        return tuple(self._game_map.routes[i] for i, who in enumerate(owners) if who == number)

    # -- stations -----------------------------------------------------------------------

    @property
    def stations(self) -> dict[str, int]:
        """The owner of each station, by city name, in map order."""
        seats = self._packed.station_at[: len(self._game_map.cities)].tolist()
        return {city.name: seat - 1 for city, seat in zip(self._game_map.cities, seats, strict=True) if seat}

    @property
    def n_stations(self) -> tuple[int, ...]:
        """Stations left, by seat."""
        return self._seats(self._packed.stations)

    # -- tickets ----------------------------------------------------------------------

    @property
    def n_ticket_pile(self) -> int:
        """Tickets in the pile."""
        return self._packed.n_ticket_pile + self._packed.n_queued

    @property
    def ticket_discards(self) -> tuple[Ticket, ...]:
        """Known tickets in the face-up discard pile, in map order."""
        places = self._packed.ticket_at[: len(self._game_map.tickets)].tolist()
        return tuple(self._game_map.tickets[i] for i, place in enumerate(places) if place == layout.AT_DISCARDS)

    @property
    def n_ticket_discards(self) -> int:
        """Number of tickets on the discard pile, including unknown ones."""
        return self._packed.n_ticket_discards

    @property
    def n_tickets(self) -> tuple[int, ...]:
        """Number of tickets kept, by seat."""
        return self._seats(self._packed.n_held)

    @property
    def n_offers(self) -> tuple[int, ...]:
        """Number of tickets on offer, by seat."""
        return self._seats(self._packed.n_offer)

    # -- the neutral player -----------------------------------------------------------

    @property
    def has_neutral(self) -> bool:
        """Whether the neutral player is in the game."""
        return bool(self._packed.neutral_in)

    @property
    def neutral_trains(self) -> int:
        """The neutral player's trains left."""
        return int(self._packed.trains[layout.NEUTRAL_OWNER])

    @property
    def marker(self) -> int | None:
        """The seat with the neutral player's marker; None if there is no neutral player."""
        seat = self._packed.marker
        return None if seat == layout.NOBODY else seat

    @property
    def neutral_ticket(self) -> Ticket | None:
        """The ticket last turned up for the neutral player, if known."""
        number = self._packed.neutral_ticket
        return None if number == layout.NOBODY else self._ticket(number)

    # -- internals ----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Return whether two states, or two views from the same seat, are equal in every respect."""
        if not isinstance(other, PublicState):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return type(self), self._n_players, self._packed.cells.tobytes(), self._game_map

    def _seats(self, numbers: Ints) -> tuple[int, ...]:
        return tuple(numbers[: self._n_players].tolist())

    def _cards(self, field: str, seat: int | None = None) -> CardCounts:
        cards = self._counted.get((field, seat))
        if cards is None:
            counts = getattr(self._packed, field)
            counts = counts if seat is None else counts[seat]
            cards = self._counted[field, seat] = CardCounts(tuple(counts.tolist()))
        return cards

    def _ticket(self, number: int) -> Ticket | None:
        return None if number == layout.UNKNOWN_TICKET else self._game_map.tickets[number]

    def _held(self, seat: int) -> tuple[Ticket | None, ...]:
        return tuple(map(self._ticket, self._packed.held[seat, : self._packed.n_held[seat]].tolist()))

    def _offered(self, seat: int) -> tuple[Ticket | None, ...]:
        return tuple(map(self._ticket, self._packed.offer[seat, : self._packed.n_offer[seat]].tolist()))

    _repr_html_ = render_html

    def _summary(self) -> str:
        now = f"over ({self.ending})" if self.is_over else f"P{self.acting} {self.phase.name}, turn {self.n_turns + 1}"
        scores, trains = ("-".join(map(str, numbers)) for numbers in (self.scores, self.trains))
        variant = self._game_map.rules.variant
        name = f"{self._game_map.name} {variant}" if variant else self._game_map.name
        return f"{name}, {self._n_players} players: {now}, scores {scores}, trains {trains}"


class GameState(PublicState):
    """
    A whole game at one moment, including hidden information.

    A state is immutable; two states are equal if all their contents are, including future
    random numbers. `Game` makes states; `Game.view` returns what a seat can see.

    Examples
    --------
    >>> state = ttr.Game(ttr.load_map("nordic")).new(seed=7)
    >>> state
    <GameState nordic, 2 players: P0 KEEP_START, turn 1, scores 0-0, trains 40-40>
    >>> [hand.n_cards for hand in state.hands], state.n_pile
    ([4, 4], 97)
    """

    __slots__ = ()

    @property
    def hands(self) -> tuple[CardCounts, ...]:
        """The cards of each seat, as far as the record knows them."""
        return tuple(self._cards("hand", seat) for seat in range(self._n_players))

    @property
    def pile(self) -> CardCounts:
        """The cards of the draw pile, and all others that the record does not show."""
        return self._cards("draw_pile")

    @property
    def tickets(self) -> tuple[tuple[Ticket | None, ...], ...]:
        """The tickets of each seat in the order kept; None for unknown ones."""
        return tuple(map(self._held, range(self._n_players)))

    @property
    def offers(self) -> tuple[tuple[Ticket | None, ...], ...]:
        """The tickets on offer to each seat in the order dealt; None for unknown ones."""
        return tuple(map(self._offered, range(self._n_players)))

    def __repr__(self) -> str:
        return f"<GameState {self._summary()}>"


# -- the view of one seat ----------------------------------------------------------------------------------------------


@quickly_compiled
def hide_secrets(view: State, tables: Tables, seat: int) -> None:
    """Hide in place what a seat cannot see of a packed state: remove cards, and make tickets unknown."""
    view.stream.fill(0)
    view.draw_pile.fill(0)
    _hide_queue(view, seat)
    for other in range(tables.n_seats):
        if other != seat:
            _hide_seat(view, other)
    _hide_places(view, tables, seat)
    if view.phase == layout.KEEP_START:
        view.n_queued = 0
        view.n_ticket_discards = 0


def redact(state: State, tables: Tables, seat: int) -> State:
    """Return what a seat can see of a state: see `hide_secrets`."""
    view = state.copy()
    hide_secrets(view, tables, seat)
    return view


@compiled
def _hide_seat(view: State, other: int) -> None:
    view.hand[other].fill(0)
    view.blind[other].fill(0)
    if view.phase == layout.KEEP_START:
        view.n_offer[other] = 0
        view.n_held[other] = 0
    for i in range(MAX_OFFER):
        view.offer[other, i] = layout.UNKNOWN_TICKET if i < view.n_offer[other] else layout.NOBODY
    for i in range(MAX_TICKETS):
        view.held[other, i] = layout.UNKNOWN_TICKET if i < view.n_held[other] else 0


@compiled
def _hide_queue(view: State, seat: int) -> None:
    """Hide the tickets under the pile, except those that the seat put there; at the start, those too."""
    n_seen = 0 if view.phase == layout.KEEP_START else view.n_queued
    for i in range(MAX_TICKETS):
        at = (view.queue_head + i) % MAX_TICKETS
        ticket = view.queue[at]
        if i >= n_seen or ticket == layout.UNKNOWN_TICKET or view.returned_by[ticket] != 1 + seat:
            view.queue[at] = layout.UNKNOWN_TICKET


@compiled
def _hide_places(view: State, tables: Tables, seat: int) -> None:
    """Hide the places of tickets, except the seat's own, those that it returned, and face-up ones."""
    shows_discards = view.phase != layout.KEEP_START
    for ticket in range(tables.n_tickets):
        place = view.ticket_at[ticket]
        if view.returned_by[ticket] == 1 + seat and place in (layout.AT_QUEUE, layout.AT_DISCARDS, layout.AT_REMOVED):
            continue
        view.returned_by[ticket] = 0
        if place != seat and not (place == layout.AT_DISCARDS and shows_discards):
            view.ticket_at[ticket] = layout.AT_PILE
    for i in range(view.n_offer[seat]):
        ticket = view.offer[seat, i]
        if ticket != layout.UNKNOWN_TICKET:
            view.ticket_at[ticket] = layout.AT_OFFER


@quickly_compiled
def fill_open(state: State, tables: Tables, seat: int, is_open: Ints) -> None:
    """Mark with 1 the free routes that no other track closes to a seat, whether or not it can pay."""
    for route in range(tables.n_routes):
        is_open[route] = int(track_fault(state, tables, seat, route) == NONE)


class SeatView(PublicState):
    """
    One seat's view: everything public, plus its own cards and tickets.

    Hidden information is removed: it cannot be found in the view or in its `packed` state.

    Parameters
    ----------
    game_map
        The map, in the variant that is played.
    packed
        The packed state.

    Raises
    ------
    GameError
        If there is no such seat.

    Examples
    --------
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
        hide_secrets(self._packed, game_tables(game_map, n_players), self._seat)
        self._open: list[int] | None = None

    @property
    def seat(self) -> int:
        """The viewing seat."""
        return self._seat

    # -- its own cards and tickets ----------------------------------------------

    @property
    def hand(self) -> CardCounts:
        """The cards of this seat."""
        return self._cards("hand", self._seat)

    @property
    def tickets(self) -> tuple[Ticket | None, ...]:
        """The tickets of this seat in the order kept; None for unknown ones."""
        return self._held(self._seat)

    @property
    def offer(self) -> tuple[Ticket | None, ...]:
        """The tickets on offer to this seat, in the order dealt."""
        return self._offered(self._seat)

    @property
    def given_back(self) -> tuple[Ticket, ...]:
        """The tickets that this seat returned and whose place it knows, in map order."""
        returned = self._packed.returned_by[: len(self._game_map.tickets)].tolist()
        return tuple(self._game_map.tickets[i] for i, who in enumerate(returned) if who == 1 + self._seat)

    @property
    def pool(self) -> CardCounts:
        """
        The cards that may be in the draw pile: those there at the last shuffle, minus all seen by this seat since.

        The pile holds `n_pile` of them; the others are in other seats' hands, or were played
        since by a seat that may have held them at the shuffle.
        """
        return self._cards("pool") - self._cards("blind", self._seat)

    def worlds(self, n: int, rng: np.random.Generator) -> tuple[GameState, ...]:
        """
        Sample complete states that are consistent with what this seat sees, according to their probability.

        Unseen cards are dealt again; other seats' tickets are sampled according to their
        probability given their routes, assuming players who plan.

        Parameters
        ----------
        rng
            Random generator. Each state gets its own random numbers for later events.

        Raises
        ------
        ValueError
            If `n` is below 0.

        Notes
        -----
        `docs/winning.md` explains the beliefs about tickets and their accuracy. A view
        forgets which tickets were face up before the last ticket shuffle; a record does not. In
        worlds drawn from a record, players who have drawn no tickets since hold none of them.

        Examples
        --------
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
        >>> view = game.view(record.state_at(30), 0)
        >>> worlds = view.worlds(3, np.random.default_rng(7))
        >>> all(game.view(world, 0) == view for world in worlds), len(set(worlds))
        (True, 3)
        """
        worlds: tuple[GameState, ...] = _upward.draw_worlds(self, n, rng)
        return worlds

    # -- routes ---------------------------------------------------------------------

    @property
    def my_routes(self) -> tuple[Route, ...]:
        """The routes of this seat, in map order."""
        return self.routes_of(self._seat)

    @property
    def open_routes(self) -> tuple[Route, ...]:
        """The free routes that no other track closes to this seat, in map order."""
        return tuple(route for route, is_open in zip(self.game_map.routes, self._open_flags(), strict=True) if is_open)

    @property
    def closed(self) -> tuple[Route, ...]:
        """The routes that this seat neither has nor can still claim, for use as `closed` in `paths` and `tickets`."""
        mine = {route.id for route in self.my_routes}
        routes = zip(self.game_map.routes, self._open_flags(), strict=True)
        return tuple(route for route, is_open in routes if not is_open and route.id not in mine)

    def is_open(self, route: RouteLike) -> bool:
        """
        Return whether a route is open to this seat, regardless of trains, tokens and cards.

        Parameters
        ----------
        route
            A route, its id, or a pair of cities, for any track between them.

        Raises
        ------
        UnknownNameError
            If there is no such route on the map.
        """
        wanted = {r.id for r in self.game_map.resolve_routes([route])}
        return any(r.id in wanted for r in self.open_routes)

    def _open_flags(self) -> list[int]:
        if self._open is None:
            is_open = np.zeros(MAX_ROUTES, dtype=np.int64)
            fill_open(self._packed, game_tables(self.game_map, self.n_players), self._seat, is_open)
            self._open = is_open[: len(self.game_map.routes)].tolist()
        return self._open

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._seat

    def __repr__(self) -> str:
        return f"<SeatView of P{self._seat}: {self._summary()}>"
