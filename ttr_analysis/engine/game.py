"""A game on a map, asked and stepped in words, and what a claim or a station would cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Final, SupportsIndex

from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.actions import Action, LegalActions
from ttr_analysis.engine.actions.build_station import as_route
from ttr_analysis.engine.actions.handler import owner_name
from ttr_analysis.engine.codes import BUILD_STATION, CLAIM_ROUTE, NONE, make_action, packed
from ttr_analysis.engine.events import Chance
from ttr_analysis.engine.kernel.claims import route_fault
from ttr_analysis.engine.kernel.stations import city_fault, next_spaces
from ttr_analysis.engine.layout import OVER, TURN, State
from ttr_analysis.engine.packed import Happened, PackedGame
from ttr_analysis.engine.scores import Scores, score_state
from ttr_analysis.engine.state import GameState, seat_number
from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import City, GameMap, Route, RouteLike
from ttr_analysis.rules.money import BANK, toll_payee

# -- what a move would cost, before it is made ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    """What is told of every move before it is made; for the fields see the previews."""

    seat: int
    reason: str | None
    payment: Payment | None
    names: tuple[str, ...] = ()

    @property
    def is_legal(self) -> bool:
        """Whether the seat may do it."""
        return self.reason is None

    @property
    def _who(self) -> str:
        return owner_name(self.seat, self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPreview(_Preview):
    """
    Whether a seat may claim a route, and what that would cost.

    Parameters
    ----------
    seat
        Who would claim.
    route
        The route.
    reason
        Why it may not; None if it may.
    payment
        The payment that costs the fewest cards; None if the hand has none.
    payee
        The seat that would get the toll; None for the bank, or without a toll.
    takes_loan
        Whether the tokens do not suffice for the toll, so that a loan is taken.
    names
        What the players are called, seat by seat; none for P0, P1, ...
    """

    route: Route
    payee: int | None
    takes_loan: bool

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.reason is not None:
            return f"{self._who} may not: {self.reason}"
        words = [f"{self._who} may claim {self.route} with {self.payment} for {counted(self.route.points, 'point')}"]
        if self.route.tunnel:
            words.append("a surcharge may come on top")
        if self.route.toll:
            payee = "the bank" if self.payee is None else owner_name(self.payee, self.names)
            loan = ", by a loan" if self.takes_loan else ""
            words.append(f"toll {self.route.toll} to {payee}{loan}")
        return "; ".join(words)


def preview_claim(game: PackedGame, state: State, route: Route, names: Sequence[str] = ()) -> ClaimPreview:
    """
    Return whether the seat that acts may claim a route, and what that would cost.

    Parameters
    ----------
    game
        The game.
    state
        The packed state.
    route
        A route of its map.
    names
        What the players are called, seat by seat.
    """
    tables, seat, number = game.tables, int(state.seat), game.codec.route_index(route)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = payments.cheapest(route, hand)
    twin = int(tables.twin[number])
    payee = toll_payee(int(state.owner[twin]) if twin >= 0 else BANK, game.n_players, int(tables.pays_owner))
    reason = _reason(game, state, route, payment, names)
    return ClaimPreview(
        seat=seat,
        route=route,
        reason=reason,
        payment=payment,
        payee=payee if route.toll and payee != BANK else None,
        takes_loan=reason is None and int(state.tokens[seat]) < route.toll,
        names=tuple(names),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StationPreview(_Preview):
    """
    Whether a seat may build a station in a city, and what that would cost.

    Parameters
    ----------
    seat
        Who would build it.
    city
        The city.
    reason
        Why it may not; None if it may.
    payment
        The payment that takes fewest locomotives; None if the hand has none,
        or no station is left.
    names
        What the players are called, seat by seat; none for P0, P1, ...
    """

    city: City

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.reason is not None:
            return f"{self._who} may not: {self.reason}"
        return f"{self._who} may build a station in {self.city.name} with {self.payment}"


def preview_station(game: PackedGame, state: State, city: City, names: Sequence[str] = ()) -> StationPreview:
    """
    Return whether the seat that acts may build a station in a city, and what that would cost.

    Parameters
    ----------
    game
        The game.
    state
        The packed state.
    city
        A city of its map.
    names
        What the players are called, seat by seat.
    """
    tables, seat, number = game.tables, int(state.seat), game.codec.city_index(city)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = None
    if state.stations[seat]:
        route = as_route(state, tables, seat)
        payment = payments.cheapest(route, hand)
    code = make_action(BUILD_STATION, number)
    reason = game.why_illegal(state, code, 0 if payment is None else packed(payment.cards), names)
    if payment is None and state.stations[seat] and city_fault(state, tables, seat, number) == NONE:
        cost = int(next_spaces(state, tables, seat).plain)
        lacks = f"{owner_name(seat, names)} does not hold {counted(cost, 'card')} of one color"
        reason = lacks if state.phase == TURN else reason
    return StationPreview(seat=seat, city=city, reason=reason, payment=payment, names=tuple(names))


def _reason(game: PackedGame, state: State, route: Route, payment: Payment | None, names: Sequence[str]) -> str | None:
    """Return why a claim is illegal: what is wrong with the moment or the route before what is wrong with the hand."""
    code = make_action(CLAIM_ROUTE, game.codec.route_index(route))
    if payment is not None:
        return game.why_illegal(state, code, packed(payment.cards), names)
    if route_fault(state, game.tables, int(state.seat), game.codec.route_index(route)) != NONE:
        return game.why_illegal(state, code, 0, names)
    return payments.why_not(route, CardCounts(tuple(state.hand[int(state.seat)].tolist())))


# -- the game ------------------------------------------------------------------------------------------------------

_TOO_LARGE: Final = 1 << 62


class GameEngine:
    """
    What `Game` knows of the game on a map: all but how it is recorded.

    Parameters
    ----------
    game_map, n_players, variant
        As for `Game`.
    """

    __slots__ = ("_packed",)

    def __init__(self, game_map: MapLike, n_players: int = 2, variant: str | None = None) -> None:
        game_map = as_map(game_map)
        played = game_map if variant is None else game_map.with_variant(variant)
        try:
            self._packed = PackedGame(played, whole_number(n_players, "number of players"))
        except ValueError as error:
            raise GameError(str(error)) from None

    @property
    def game_map(self) -> GameMap:
        """The map, as the variant that is played."""
        return self._packed.game_map

    @property
    def n_players(self) -> int:
        """Number of players, without the neutral one."""
        return self._packed.n_players

    # -- asking -----------------------------------------------------------------

    def legal_actions(self, state: GameState) -> LegalActions:
        """
        Return the legal actions of the seat that acts; none if the game is over.

        Claims come once for each route and form of payment; `is_legal` accepts
        every choice of cards.

        Parameters
        ----------
        state
            A state of this game.

        Raises
        ------
        GameError
            If the state is of another game.
        """
        vector = self._vector(state)
        return LegalActions(self._packed.rows(vector), self._packed.codec, vector)

    def is_legal(self, state: GameState, action: Action) -> bool:
        """
        Return whether an action is legal.

        Parameters
        ----------
        state
            A state of this game.
        action
            Any action of the seat that acts.

        Raises
        ------
        GameError
            If the state is of another game.
        """
        return self.why_illegal(state, action) is None

    def why_illegal(
        self, state: GameState, action: Action, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> str | None:
        """
        Return why an action is illegal, None if it is legal.

        Parameters
        ----------
        state
            A state of this game.
        action
            Any action.
        seat
            Who would act; None for the seat that does. Another seat is asked
            about as if its turn began now.
        names
            What the answer calls the players, seat by seat; none for P0, P1, ...

        Raises
        ------
        GameError
            If the state is of another game, or there is no such seat.
        """
        try:
            self._packed.encode(self._as_if(state, seat), action, names)
        except IllegalActionError as error:
            return str(error)
        return None

    def preview(
        self, state: GameState, route: RouteLike, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> ClaimPreview:
        """
        Return whether a seat may claim a route, and what that would cost.

        Parameters
        ----------
        state
            A state of this game.
        route
            A route of the map, or what names one.
        seat, names
            Who would claim, and what players are called, as in `why_illegal`.

        Raises
        ------
        GameError
            If the state is of another game, or there is no such seat.
        UnknownNameError, AmbiguousNameError
            If there is no such route, or two tracks fit.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game("nordic")
        >>> state = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7).state_at(40)
        >>> print(game.preview(state, "Oslo-Göteborg", seat=1))
        P1 may not: Göteborg-Oslo (orange, 2) is taken by P0
        >>> print(game.preview(state, "Oslo-Göteborg", seat=1, names=["Ida", "Bo"]))
        Bo may not: Göteborg-Oslo (orange, 2) is taken by Ida
        """
        return preview_claim(self._packed, self._as_if(state, seat), self.game_map.route(route), names)

    def preview_station(
        self, state: GameState, city: str, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> StationPreview:
        """
        Return whether a seat may build a station in a city, and what that would cost.

        Parameters
        ----------
        state
            A state of this game.
        city
            Name of a city of the map.
        seat, names
            Who would build it, and what players are called, as in `why_illegal`.

        Raises
        ------
        GameError
            If the state is of another game, or there is no such seat.
        UnknownNameError
            If there is no such city.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game("europe")
        >>> state = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7).state_at(40)
        >>> print(game.preview_station(state, "Wien", seat=1))
        P1 may build a station in Wien with 1 green
        """
        return preview_station(self._packed, self._as_if(state, seat), self.game_map.city(city), names)

    def view(self, state: GameState, seat: int) -> SeatView:
        """
        Return what a seat can see of a state.

        Parameters
        ----------
        state
            A state of this game.
        seat
            Who looks.

        Raises
        ------
        GameError
            If the state is of another game, or there is no such seat.
        """
        return SeatView(self.game_map, self.n_players, self._vector(state), seat)

    def score(self, state: GameState) -> Scores:
        """
        Return the score of every seat, as if the game ended here.

        Parameters
        ----------
        state
            A state of this game.

        Raises
        ------
        GameError
            If the state is of another game.
        """
        return score_state(self.game_map, self._vector(state), self.n_players)

    # -- playing ------------------------------------------------------------------

    def new(self, seed: int, game: int = 0) -> GameState:
        """
        Return a new game: cards, market and tickets are dealt, and seat 0 chooses its tickets.

        Parameters
        ----------
        seed, game
            A run of games and the number of this one in it. Both decide all
            that chance does in the game.

        Raises
        ------
        ValueError
            If one of them is no whole number of 0 or more.
        """
        return self.deal(seed, game)[0]

    def deal(
        self, seed: int = 0, game: int = 0, outcomes: Iterable[Chance] | None = None
    ) -> tuple[GameState, Happened]:
        """
        Return a new game, and what was dealt.

        Parameters
        ----------
        seed, game
            As in `new`.
        outcomes
            All that is dealt, in order; None to deal at random.

        Returns
        -------
        state, events
            The first state, and what chance did before it.

        Raises
        ------
        GameError
            If the outcomes do not fit; the message names the first that does
            not.
        """
        vector, rows = self._packed.deal(seed, whole_number(game, "number of the game"), outcomes)
        return self._state(vector), self._packed.events(rows, vector)

    def apply(self, state: GameState, action: Action) -> GameState:
        """
        Return the state after an action, and after all that chance does until a seat must decide again.

        Parameters
        ----------
        state
            A state of this game; not changed.
        action
            A legal action of the seat that acts.

        Raises
        ------
        IllegalActionError
            If the action is illegal; the message says why.
        GameError
            If the state is of another game.
        """
        return self.step(state, action)[0]

    def step(
        self, state: GameState, action: Action, outcomes: Iterable[Chance] | None = None
    ) -> tuple[GameState, Happened]:
        """
        Return the state after an action, and what happened.

        Parameters
        ----------
        state
            A state of this game; not changed.
        action
            A legal action of the seat that acts.
        outcomes
            What chance does, in order; None for the random numbers that the
            state holds. Shuffles may be left out.

        Returns
        -------
        state, events
            The next state, and the move with the outcomes of chance after it.

        Raises
        ------
        IllegalActionError
            If the action is illegal; the message says why.
        GameError
            If the outcomes do not fit (the message names the first that does
            not), or the state is of another game.

        Examples
        --------
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> state = game.new(seed=7)
        >>> for _ in range(2):
        ...     state, events = game.step(state, game.legal_actions(state)[0])
        >>> state, events = game.step(state, ttr.actions.DrawCard())
        >>> [str(event) for event in events]
        ['P0: draw a card from the pile', 'P0 draws green']
        """
        before = self._vector(state)
        code, value = self._packed.encode(before, action)
        vector, rows = self._packed.step(before, code, value, outcomes)
        return self._state(vector), self._packed.events(rows, before)

    # -- plumbing -----------------------------------------------------------------

    def _state(self, vector: State) -> GameState:
        return GameState(self.game_map, self.n_players, vector)

    def _as_if(self, state: GameState, seat: int | None) -> State:
        """Return the packed state, as if the turn of a seat began; as it is for the seat that acts."""
        vector = self._vector(state)
        if seat is None or seat_number(seat, self.n_players) == vector.seat or vector.phase == OVER:
            return vector
        vector = vector.copy()
        vector.seat = vector.turn_seat = int(seat)
        vector.phase = TURN
        return vector

    def _vector(self, state: GameState) -> State:
        """Return the packed state itself, which nobody may change, after a check that it is of this game."""
        if not isinstance(state, GameState):
            raise GameError(f"expected a GameState, as Game.new gives it, got {state!r}")
        if state.n_players != self.n_players or state.game_map != self.game_map:
            raise GameError(f"{state} is no state of {self}")
        return state._packed  # noqa: SLF001 - its other half

    def __eq__(self, other: object) -> bool:
        """Return whether two games are on equal maps with the same number of players."""
        if not isinstance(other, GameEngine):
            return NotImplemented
        return self.n_players == other.n_players and self.game_map == other.game_map

    def __hash__(self) -> int:
        return hash((self.game_map, self.n_players))

    def __reduce__(self) -> tuple[type[GameEngine], tuple[GameMap, int]]:
        return type(self), (self.game_map, self.n_players)

    def __repr__(self) -> str:
        variant = self.game_map.rules.variant
        return f"<Game {self.game_map.name}{f' {variant}' if variant else ''}, {self.n_players} players>"


def whole_number(number: object, what: str) -> int:
    """Return a number that a user gave; `what` says in the error of which it is."""
    if isinstance(number, bool) or not isinstance(number, SupportsIndex) or index(number) < 0:
        raise GameError(f"the {what} is a whole number of 0 or more, got {number!r}")
    if index(number) >= _TOO_LARGE:
        raise GameError(f"the {what} is below 2**62, got one of {index(number).bit_length()} bits")
    return index(number)
