"""Passing, and the table of all actions, on which rules, records and messages are based."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, overload

from ttr_analysis._compile import Ints, compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import building, drawing
from ttr_analysis.engine.actions.building import BuildStation, ClaimRoute
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row
from ttr_analysis.engine.codes import ActionFault, argument_of, kind_of, make_action, seat_of
from ttr_analysis.engine.kernel.cards import can_draw
from ttr_analysis.engine.kernel.claims import can_claim, n_station_forms
from ttr_analysis.engine.kernel.turns import end_turn, has_tickets
from ttr_analysis.engine.layout import SECOND_DRAW, TURN, Phase, State
from ttr_analysis.maps.model import City, GameMap, Route
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class Pass:
    """
    Do nothing; legal only for a seat that can do nothing else.

    If the market is unknown in a record, a turn may end this way after one card.
    """

    def __str__(self) -> str:
        return "pass"


@compiled
def _pass_fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    if state.phase == SECOND_DRAW:
        return ActionFault.PHASE if can_draw(state, tables, known_only=True) else codes.NONE
    if can_draw(state, tables) or has_tickets(state) or can_claim(state, tables, seat):
        return ActionFault.NOT_STUCK
    return codes.NONE if n_station_forms(state, tables, seat) == 0 else ActionFault.NOT_STUCK


@compiled
def _list_pass(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return add_row(out, n, codes.PASS, 0) if n == 0 else n


@compiled
def _apply_pass(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    end_turn(state, tables, tape)


_PASS_HANDLER: Final = Handler(
    kind=codes.PASS,
    name="pass",
    action=Pass,
    phases=(TURN, SECOND_DRAW),
    fault=_pass_fault,
    list_legal=_list_pass,
    apply=_apply_pass,
    verb="pass",
    faults={
        ActionFault.NOT_STUCK: lambda refused: f"{refused.who} can do something else, so it may not pass",
    },
)


# -- the table ---------------------------------------------------------------------------------------------------------

Action = (
    drawing.DrawCard
    | drawing.DrawFaceUp
    | ClaimRoute
    | building.PayTunnel
    | building.DeclineTunnel
    | drawing.DrawTickets
    | drawing.KeepTickets
    | building.ChooseNeutralRoute
    | BuildStation
    | Pass
    | building.AttemptTunnel
)
"""Anything that a seat can do."""

HANDLERS: Final[tuple[Handler, ...]] = (
    drawing.DRAW_CARD_HANDLER,
    drawing.DRAW_FACE_UP_HANDLER,
    building.CLAIM_HANDLER,
    building.PAY_TUNNEL_HANDLER,
    building.DECLINE_TUNNEL_HANDLER,
    drawing.DRAW_TICKETS_HANDLER,
    drawing.KEEP_TICKETS_HANDLER,
    building.CHOOSE_NEUTRAL_HANDLER,
    building.STATION_HANDLER,
    _PASS_HANDLER,
    building.ATTEMPT_HANDLER,
)
"""Handlers by kind, in the order of the list of legal actions; passing is last, then actions that are never listed."""

HANDLER_OF: Final[dict[type, Handler]] = {handler.action: handler for handler in HANDLERS}
"""Handlers by the class of their actions."""

# Functions for compiled code, by kind.
FAULTS: Final = tuple(handler.fault for handler in HANDLERS)
LISTERS: Final = tuple(handler.list_legal for handler in HANDLERS)
APPLIERS: Final = tuple(handler.apply for handler in HANDLERS)
DUE: Final = tuple((phase, handler.kind) for handler in HANDLERS for phase in handler.phases)
"""Pairs of a phase and a kind allowed in it."""


_SHOW_CARDS: Final = frozenset(handler.kind for handler in HANDLERS if {"cards", "color"} & set(handler.keys))


def shows_cards(code: int) -> bool:
    """Return whether an action shows cards of the hand."""
    return kind_of(code) in _SHOW_CARDS


@compiled
def is_well_formed(code: int, value: int) -> bool:
    """Return whether a code and value are in range for an action, without a seat."""
    return 0 <= code < 1 << codes.CODE_BITS and seat_of(code) == 0 and 0 <= value < 1 << codes.CARD_BITS * N_KINDS


def is_canonical(code: int, value: int) -> bool:
    """
    Return whether a code and value are exactly those of an action.

    >>> from ttr_analysis.engine.codes import DRAW_CARD, make_action
    >>> is_canonical(DRAW_CARD, 0), is_canonical(DRAW_CARD, 3), is_canonical(make_action(DRAW_CARD, 1), 0)
    (True, False, False)
    """
    kind = kind_of(code)
    handler = HANDLERS[kind] if kind < len(HANDLERS) else None
    has_argument, has_value = (handler.has_argument, handler.has_value) if handler else (False, False)
    return (
        0 <= code < 1 << codes.CODE_BITS
        and seat_of(code) == 0
        and (has_argument or argument_of(code) == 0)
        and 0 <= value < (1 << codes.CARD_BITS * N_KINDS if has_value else 1)
    )


# -- conversion to the kernel's numbers ----------------------------------------------------------------------------

_CACHE_SIZE: Final = 1 << 17


class Codec(MapIndex):
    """
    Converts actions on a map to codes and values, and back; `codec_of` caches one per map.

    >>> from ttr_analysis.engine.actions import DrawFaceUp
    >>> codec = codec_of(ttr.load_map("nordic"))
    >>> codec.decode(*codec.encode(DrawFaceUp(3), State()), State())
    DrawFaceUp(slot=3)
    """

    def __init__(self, game_map: GameMap) -> None:
        super().__init__(game_map)
        self._decoded: dict[tuple[int, int], Action] = {}

    def encode(self, action: Action, state: State) -> tuple[int, int]:
        """Return the code and value of an action of the acting seat, legal or not; reject other objects."""
        handler = HANDLER_OF.get(type(action))
        if handler is None:
            raise IllegalActionError(f"expected an action such as DrawCard(), got {action!r}")
        argument, value = handler.encode(self, action, state)
        return make_action(handler.kind, argument), value

    def decode(self, code: int, value: int, state: State) -> Action:
        """Return the action for a code, with any seat, and a value, in the state in which it is taken."""
        key = (code & codes.NO_SEAT, value)
        action = self._decoded.get(key)
        if action is None:
            action = self._decode(code, value, state)
            if not HANDLERS[kind_of(code)].needs_state:
                if len(self._decoded) >= _CACHE_SIZE:
                    self._decoded.clear()
                self._decoded[key] = action
        return action

    def decode_all(self, rows: Sequence[tuple[int, int]], state: State) -> tuple[Action, ...]:
        """Return the actions for codes without seats and their values, as `decode` does for one."""
        decoded = self._decoded
        return tuple([decoded.get(row) or self.decode(*row, state) for row in rows])

    def is_decoded(self, action: Action, code: int, value: int, state: State) -> bool:
        """Return whether a claim is the object that `decode` returns for a code and value."""
        return self._decode(code, value, state) is action

    def _decode(self, code: int, value: int, state: State) -> Action:
        handler = HANDLERS[kind_of(code)]
        make = handler.decode
        action: Action = make(self, argument_of(code), value, state) if make else handler.action()
        return action


@lru_cache(maxsize=64)
def codec_of(game_map: GameMap) -> Codec:
    """Return the cached codec of a map."""
    return Codec(game_map)


class LegalActions(Sequence[Action]):
    """
    The legal actions of the acting seat, decoded on demand.

    Claims are listed once for each route and form of payment. A route with sets of cards
    has many more: `action in actions` checks only those listed, `Game.is_legal` all.

    Parameters
    ----------
    rows
        Codes and values, one row for each action.
    codec
        The codec of the map.
    state
        The packed state, which must not change later.
    """

    __slots__ = ("_actions", "_codec", "_rows", "_state")

    def __init__(self, rows: Ints, codec: Codec, state: State) -> None:
        self._rows = list(zip(rows[:, 0].tolist(), rows[:, 1].tolist(), strict=True))
        self._codec = codec
        self._state = state
        self._actions: tuple[Action, ...] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Action: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, at: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(at, slice):
            return self._codec.decode_all(self._rows[at], self._state)
        return self._codec.decode(*self._rows[at], self._state)

    def __iter__(self) -> Iterator[Action]:
        if self._actions is None:
            self._actions = self._codec.decode_all(self._rows, self._state)
        return iter(self._actions)

    def __contains__(self, action: object) -> bool:
        """Return whether an action is listed, with exactly these cards."""
        try:
            return self._codec.encode(action, self._state) in self._rows  # type: ignore[arg-type]
        except IllegalActionError:
            return False

    def __repr__(self) -> str:
        return f"<{len(self)} legal actions: {'; '.join(map(str, self[:3]))}{'; ...' if len(self) > 3 else ''}>"  # noqa: PLR2004


class Places(NamedTuple):
    """The routes that a seat claims, and the cities where it builds stations."""

    routes: tuple[Route, ...] = ()
    cities: tuple[City, ...] = ()


def places_of(action: Action | None) -> Places:
    """Return what an action takes on the board; nothing unless it claims or builds."""
    match action:
        case ClaimRoute(route) | building.AttemptTunnel(route):
            return Places(routes=(route,))
        case BuildStation(city):
            return Places(cities=(city,))
    return Places()


# -- why an action is illegal ------------------------------------------------------------------------------

_DUTIES: Final = {
    Phase.KEEP_START: "choose {own} opening tickets",
    Phase.TURN: "take {own} turn",
    Phase.SECOND_DRAW: "draw another card",
    Phase.TUNNEL: "pay the surcharge or take {own} cards back",
    Phase.KEEP: "choose which tickets to keep",
    Phase.NEUTRAL: "choose a track for the neutral player",
}
"""What a seat must do in each phase."""


def duty(phase: Phase, own: str = "its") -> str:
    """
    Return what a seat must do in a phase, in words about "its" or "your" turn.

    >>> duty(Phase.TURN), duty(Phase.TURN, "your")
    ('take its turn', 'take your turn')
    """
    return _DUTIES[phase].format(own=own)


def explain(fault: ActionFault, refused: Refused) -> str:
    """Explain why an action is illegal, given the result of `action_fault`."""
    kind = kind_of(refused.code)
    if fault is ActionFault.OVER:
        return "the game is over"
    if fault is not ActionFault.PHASE:
        return HANDLERS[kind].faults[fault](refused)
    verb = HANDLERS[kind].verb if kind < len(HANDLERS) else "do that"
    return f"{refused.who} must {duty(Phase(int(refused.state.phase)))} now; it cannot {verb}"
