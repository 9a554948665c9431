"""The game as packed numbers for the kernel and as objects for callers; previews of claims and stations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._decoding import Range
from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action, ClaimRoute, LegalActions
from ttr_analysis.engine.actions.building import as_route
from ttr_analysis.engine.actions.handler import Refused, owner_name
from ttr_analysis.engine.actions.table import HANDLER_OF, codec_of, explain, shows_cards
from ttr_analysis.engine.codes import ActionFault, kind_of, make_action, packed, unpacked
from ttr_analysis.engine.events import Chance, Move, Rows, decode_event, list_chances, outcome_error, script_of, tape_of
from ttr_analysis.engine.kernel.claims import city_fault, next_station_spaces, route_fault
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.kernel.turns import new_game, resume_turn
from ttr_analysis.engine.layout import OVER, TURN, State, identify_cards, n_unknown_cards, unknown_words
from ttr_analysis.engine.scores import Scores, score_state
from ttr_analysis.engine.state import GameState, SeatView, seat_number
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import City, GameMap, Route, RouteLike
from ttr_analysis.rules.chance import KEY_SIZE, seed_key
from ttr_analysis.rules.money import BANK, toll_payee
from ttr_analysis.tables import game_tables

Events = tuple[Move | Chance, ...]
"""A move, if there was one, and the outcomes of chance after it."""

_TAPE_EVENTS: Final = 128
_N_ROWS: Final = 512
NO_KEY: Final = np.zeros(KEY_SIZE, dtype=np.int64)


class StepResult(NamedTuple):
    """The state after a step, its events, and whether the script was read completely and fits."""

    state: State
    rows: Rows
    fits: bool


class KernelGame:
    """The kernel bound to one map's tables; it never modifies the packed states that it is given."""

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self.game_map = game_map
        self.n_players = n_players
        self.tables = game_tables(game_map, n_players)
        self.codec = codec_of(game_map)

    def rows(self, state: State) -> Ints:
        """Return the codes and values of the legal actions, one row each."""
        rows = np.empty((_N_ROWS, 2), dtype=np.int64)
        n = int(list_actions(state, self.tables, rows))
        if n > len(rows):
            rows = np.empty((n, 2), dtype=np.int64)
            list_actions(state, self.tables, rows)
        return rows[:n]

    def why_illegal(self, state: State, code: int, value: int, names: Sequence[str] = ()) -> str | None:
        """Explain why an action is illegal; None if it is legal. `names` replaces P0, P1, ..."""
        known, reason = _identified(state, code, value)
        fault = ActionFault(action_fault(known, self.tables, code, value))
        if fault is ActionFault.CARDS and reason:
            return reason
        return explain(fault, Refused(self.game_map, self.tables, state, code, value, names)) if fault else None

    def encode(self, state: State, action: Action, names: Sequence[str] = ()) -> tuple[int, int]:
        """Return the code and value of a legal action; raise an `IllegalActionError` with the reason otherwise."""
        try:
            code, value = self.codec.encode(action, state)
        except IllegalActionError:
            handler = HANDLER_OF.get(type(action))
            if handler and action_fault(state, self.tables, handler.kind, 0) in (ActionFault.OVER, ActionFault.PHASE):
                raise IllegalActionError(self.why_illegal(state, handler.kind, 0, names)) from None
            raise
        reason = self.why_illegal(state, code, value, names)
        if reason is None and isinstance(action, ClaimRoute) and not self.codec.is_decoded(action, code, value, state):
            reason = payments.why_illegal(action.route, action.payment)
        if reason is not None:
            raise IllegalActionError(reason)
        return code, value

    def deal(self, seed: int, game: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the first state and the events of the deal, random or given by outcomes."""
        script = None if outcomes is None else script_of(self.codec, outcomes)
        return self._checked(self.run(None, 0, 0, script, key=seed_key(seed), game=game), script)

    def step(self, state: State, code: int, value: int, outcomes: Iterable[Chance] | None = None) -> tuple[State, Rows]:
        """Return the state and events after a legal action; chance is random unless outcomes are given."""
        script = None if outcomes is None else script_of(self.codec, outcomes)
        after, rows = self._checked(self.run(state, code, value, script), script)
        if outcomes is None and any(codes.CARD_DEALT <= kind_of(code) <= codes.NEUTRAL_TICKET for code, _ in rows):
            self._check_chance(after)
        return after, rows

    def play_on(self, state: State, code: int, value: int) -> tuple[State, Rows]:
        """Return the same as `step` with random outcomes, from a state without unknowns."""
        return _run_with_tape(state, lambda new, tape: step(new, self.tables, code, value, tape), None)[:2]

    def run(
        self, state: State | None, code: int, value: int, script: Rows | None, *, key: Ints = NO_KEY, game: int = 0
    ) -> StepResult:
        """
        Run one kernel step, or the setup if `state` is None.

        Outcomes come from the script, or are random without one. If an outcome is missing or
        does not fit, the kernel continues with an unknown one.
        """
        if state is None:
            return _run_with_tape(State(), lambda new, tape: new_game(self.tables, key, game, new, tape), script)
        before, _ = _identified(state, code, value)
        return _run_with_tape(before, lambda new, tape: step(new, self.tables, code, value, tape), script)

    def events(self, rows: Rows, before: State) -> Events:
        """Return the events as objects, given the state before them."""
        return tuple(decode_event(self.codec, code, value, before) for code, value in rows)

    def _checked(self, result: StepResult, script: Rows | None) -> tuple[State, Rows]:
        if script is not None and not result.fits:
            raise GameError(outcome_error(self.codec, script, result.rows))
        return result.state, result.rows

    def _check_chance(self, state: State) -> None:
        if unknown := unknown_words(state, self.n_players):
            raise GameError(f"cannot continue from a state with {unknown}: give the outcomes")
        if not state.stream.any():
            raise GameError(
                "a position, or a state of a record, has no random numbers: give outcomes, or continue from "
                "GameRecord.from_position(state).resume(0, seed) or record.resume(step, seed)"
            )


def _run_with_tape(state: State, run: Callable[[State, Ints], None], script: Rows | None) -> StepResult:
    n_events = _TAPE_EVENTS
    while True:
        after = state.copy()
        tape = tape_of(script, n_events)
        start = int(tape[codes.WRITE_AT])
        run(after, tape)
        n_written = (int(tape[codes.WRITE_AT]) - start) // 2
        if n_written <= n_events:
            break
        n_events = n_written
    written = tape[start : start + 2 * n_written].tolist()
    is_read = bool(tape[codes.READ_AT] >= tape[codes.READ_END])
    return StepResult(after, list(zip(written[::2], written[1::2], strict=True)), is_read and not after.fault)


def _identified(state: State, code: int, value: int) -> tuple[State, str]:
    """Return a state in which the acting seat holds the cards it plays, and ""; else the same state and why not."""
    seat = int(state.seat)
    if not shows_cards(code) or n_unknown_cards(state, seat) == 0:
        return state, ""
    identified = state.copy()
    reason = identify_cards(identified, seat, unpacked(value).counts)
    return (state if reason else identified), reason


# -- previews of moves ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    """Common fields of previews."""

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
    Whether a seat may claim a route, and the cost.

    Parameters
    ----------
    reason
        The reason if it may not, else None.
    payment
        The payment with the fewest cards; None if the hand cannot pay.
    payee
        The seat that would get the toll; None for the bank, or without a toll.
    takes_loan
        Whether paying the toll would take a loan.
    names
        Names of the players by seat; if empty, P0, P1, ...
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
            words.append("plus a possible tunnel surcharge")
        if self.route.toll:
            payee = "the bank" if self.payee is None else owner_name(self.payee, self.names)
            loan = ", with a loan" if self.takes_loan else ""
            words.append(f"toll {self.route.toll} to {payee}{loan}")
        return "; ".join(words)


def _preview_claim(game: KernelGame, state: State, route: Route, names: Sequence[str] = ()) -> ClaimPreview:
    tables, seat, number = game.tables, int(state.seat), game.codec.route_index(route)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = payments.cheapest(route, hand)
    twin = int(tables.twin[number])
    payee = toll_payee(int(state.owner[twin]) if twin >= 0 else BANK, game.n_players, int(tables.pays_owner))
    # Report a wrong phase or route before a problem with the hand.
    code = make_action(codes.CLAIM_ROUTE, number)
    reason = game.why_illegal(state, code, 0 if payment is None else packed(payment.cards), names)
    if payment is None and state.phase == TURN and route_fault(state, tables, seat, number) == codes.NONE:
        reason = payments.why_not(route, hand)
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
    Whether a seat may build a station in a city, and the cost.

    Parameters
    ----------
    reason
        The reason if it may not, else None.
    payment
        The payment with the fewest locomotives, if there is one.
    names
        Names of the players by seat; if empty, P0, P1, ...
    """

    city: City

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.reason is not None:
            return f"{self._who} may not: {self.reason}"
        return f"{self._who} may build a station in {self.city.name} with {self.payment}"


def _preview_station(game: KernelGame, state: State, city: City, names: Sequence[str] = ()) -> StationPreview:
    tables, seat, number = game.tables, int(state.seat), game.codec.city_index(city)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = payments.cheapest(as_route(state, tables, seat), hand) if state.stations[seat] else None
    code = make_action(codes.BUILD_STATION, number)
    reason = game.why_illegal(state, code, 0 if payment is None else packed(payment.cards), names)
    if payment is None and state.stations[seat] and city_fault(state, tables, seat, number) == codes.NONE:
        cost = int(next_station_spaces(state, tables, seat).plain)
        lacks = f"{owner_name(seat, names)} does not hold {counted(cost, 'card')} of one color"
        reason = lacks if state.phase == TURN else reason
    return StationPreview(seat=seat, city=city, reason=reason, payment=payment, names=tuple(names))


# -- the game as objects -------------------------------------------------------------------------------------------

GAME_NUMBERS: Final = Range(0, (1 << 62) - 1)


class GameEngine:
    """The game as objects: all of `Game` except recording."""

    __slots__ = ("_kernel",)

    def __init__(self, game_map: MapLike, n_players: int = 2, variant: str | None = None) -> None:
        game_map = as_map(game_map)
        played = game_map if variant is None else game_map.with_variant(variant)
        try:
            self._kernel = KernelGame(played, GAME_NUMBERS.check(n_players, "n_players", GameError))
        except ValueError as error:
            raise GameError(str(error)) from None

    @property
    def game_map(self) -> GameMap:
        """The map, in the variant that is played."""
        return self._kernel.game_map

    @property
    def n_players(self) -> int:
        """Number of players, not counting the neutral player."""
        return self._kernel.n_players

    def legal_actions(self, state: GameState) -> LegalActions:
        """
        Return the legal actions of the acting seat; none if the game is over.

        Claims are listed once for each route and form of payment; `is_legal` accepts every
        legal choice of cards.
        """
        vector = self._vector(state)
        return LegalActions(self._kernel.rows(vector), self._kernel.codec, vector)

    def is_legal(self, state: GameState, action: Action) -> bool:
        """
        Return whether an action is legal.

        Parameters
        ----------
        action
            Any action of the acting seat.
        """
        return self.why_illegal(state, action) is None

    def why_illegal(
        self, state: GameState, action: Action, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> str | None:
        """
        Return why an action is illegal; None if it is legal.

        Parameters
        ----------
        action
            Any action.
        seat
            The seat to act, by default the acting one. For another seat, the answer is as if
            its turn began now.
        names
            Names of the players to use instead of P0, P1, ...

        Raises
        ------
        GameError
            If there is no such seat.
        """
        try:
            self._kernel.encode(self._as_if(state, seat), action, names)
        except IllegalActionError as error:
            return str(error)
        return None

    def preview(
        self, state: GameState, route: RouteLike, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> ClaimPreview:
        """
        Return whether a seat may claim a route, and the cost.

        Parameters
        ----------
        seat, names
            As for `why_illegal`.

        Raises
        ------
        GameError
            If there is no such seat.
        UnknownNameError, AmbiguousNameError
            If there is no such route, or two tracks match.

        Examples
        --------
        >>> game = ttr.Game("nordic")
        >>> state = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7).state_at(40)
        >>> print(game.preview(state, "Oslo-Göteborg", seat=1))
        P1 may not: Göteborg-Oslo (orange, 2) is taken by P0
        >>> print(game.preview(state, "Oslo-Göteborg", seat=1, names=["Ida", "Bo"]))
        Bo may not: Göteborg-Oslo (orange, 2) is taken by Ida
        """
        return _preview_claim(self._kernel, self._as_if(state, seat), self.game_map.route(route), names)

    def preview_station(
        self, state: GameState, city: str, seat: int | None = None, *, names: Sequence[str] = ()
    ) -> StationPreview:
        """
        Return whether a seat may build a station in a city, and the cost.

        Parameters
        ----------
        seat, names
            As for `why_illegal`.

        Raises
        ------
        GameError
            If there is no such seat.
        UnknownNameError
            If there is no such city.

        Examples
        --------
        >>> game = ttr.Game("europe")
        >>> state = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7).state_at(40)
        >>> print(game.preview_station(state, "Wien", seat=1))
        P1 may build a station in Wien with 1 green
        """
        return _preview_station(self._kernel, self._as_if(state, seat), self.game_map.city(city), names)

    def view(self, state: GameState, seat: int) -> SeatView:
        """
        Return what a seat can see of a state.

        Raises
        ------
        GameError
            If there is no such seat.
        """
        return SeatView(self.game_map, self.n_players, self._vector(state), seat)

    def score(self, state: GameState) -> Scores:
        """Return the score of every seat, as if the game ended here."""
        return score_state(self.game_map, self._vector(state), self.n_players)

    def new(self, seed: int, game: int = 0) -> GameState:
        """
        Return a new game: cards, market and tickets are dealt, and seat 0 must choose its tickets.

        Raises
        ------
        ValueError
            If `seed` or `game` is negative or not an integer.
        """
        return self.deal(seed, game)[0]

    def deal(self, seed: int = 0, game: int = 0, outcomes: Iterable[Chance] | None = None) -> tuple[GameState, Events]:
        """
        Return a new game, and the events of the deal.

        Parameters
        ----------
        seed, game
            As for `new`.
        outcomes
            All outcomes of the deal, in order; None to deal at random.

        Returns
        -------
        state, events
            The first state, and the outcomes of chance before it.

        Raises
        ------
        GameError
            If the outcomes do not fit; the message names the first that does not.
        """
        vector, rows = self._kernel.deal(seed, GAME_NUMBERS.check(game, "game", GameError), outcomes)
        return self._state(vector), self._kernel.events(rows, vector)

    def apply(self, state: GameState, action: Action) -> GameState:
        """
        Return the state after an action and all chance events, when a seat must decide again.

        Parameters
        ----------
        state
            A state of this game; not modified.
        action
            A legal action of the acting seat.

        Raises
        ------
        IllegalActionError
            If the action is illegal; the message gives the reason.
        """
        return self.step(state, action)[0]

    def step(
        self, state: GameState, action: Action, outcomes: Iterable[Chance] | None = None
    ) -> tuple[GameState, Events]:
        """
        Return the state and the events after an action.

        Parameters
        ----------
        state
            A state of this game; not modified.
        action
            A legal action of the acting seat.
        outcomes
            Outcomes of chance, in order; None to use the state's random numbers. Shuffles may
            be omitted.

        Returns
        -------
        state, events
            The next state, and the move with the outcomes of chance after it.

        Raises
        ------
        IllegalActionError
            If the action is illegal; the message gives the reason.
        GameError
            If the outcomes do not fit; the message names the first that does not.

        Examples
        --------
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> state = game.new(seed=7)
        >>> for _ in range(2):
        ...     state, events = game.step(state, game.legal_actions(state)[0])
        >>> state, events = game.step(state, ttr.actions.DrawCard())
        >>> [str(event) for event in events]
        ['P0: draw a card from the pile', 'P0 draws green']
        """
        before = self._vector(state)
        code, value = self._kernel.encode(before, action)
        vector, rows = self._kernel.step(before, code, value, outcomes)
        return self._state(vector), self._kernel.events(rows, before)

    def chance_outcomes(
        self, state: GameState, action: Action, *, most: int = 1_000
    ) -> tuple[tuple[tuple[Chance, ...], float], ...]:
        """
        Return all outcomes of chance after an action, such as a drawn card, with their probabilities.

        Parameters
        ----------
        action
            A legal action of the acting seat.
        most
            Maximum number of sequences of outcomes to list.

        Returns
        -------
        outcomes
            The outcomes, in order, in the form that `step` takes, and their probability.

        Raises
        ------
        IllegalActionError
            If the action is illegal.
        GameError
            If there are more than `most`, or part of the state is unknown.

        Examples
        --------
        >>> game = ttr.Game("usa")
        >>> state = game.play(["Greedy", "Greedy"], seed=7).state_at(12)
        >>> chances = game.chance_outcomes(state, ttr.actions.DrawCard())
        >>> print(*chances[0][0], round(chances[0][1], 3), len(chances))
        P0 draws purple 0.097 9
        """
        before, kernel = self._vector(state), self._kernel
        code, value = kernel.encode(before, action)
        return list_chances(before, lambda script: kernel.run(before, code, value, script), kernel.codec, most)

    def _state(self, vector: State) -> GameState:
        return GameState(self.game_map, self.n_players, vector)

    def _as_if(self, state: GameState, seat: int | None) -> State:
        """Return the packed state as if the turn of a seat began; unchanged for the acting seat."""
        vector = self._vector(state)
        if seat is None or seat_number(seat, self.n_players) == vector.seat or vector.phase == OVER:
            return vector
        vector = vector.copy()
        vector.turn_seat = int(seat)
        resume_turn(vector)
        return vector

    def _vector(self, state: GameState) -> State:
        """Return the packed state itself, not to be modified, after checking that it belongs to this game."""
        if not isinstance(state, GameState):
            raise GameError(f"expected a GameState, such as Game.new returns, got {state!r}")
        if state.n_players != self.n_players or state.game_map != self.game_map:
            raise GameError(f"{state} is not a state of {self}")
        return state._packed  # noqa: SLF001 - the engine and GameState share it

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
