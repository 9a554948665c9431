"""Tunnel attempts of which only the color of the cards is known, as in some logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis.cards import COLORS, LOCOMOTIVE_INDEX, N_KINDS, CardCounts
from ttr_analysis.engine.actions.building import CLAIM_HANDLER, turn_over_cards
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused
from ttr_analysis.engine.codes import ATTEMPT_TUNNEL, NONE, ActionFault, pack_single, unpack_cards, unpacked
from ttr_analysis.engine.kernel.claims import holds, route_fault
from ttr_analysis.engine.layout import TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.rules.tunnel import color_played, spare_cards
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class AttemptTunnel:
    """
    Attempt a tunnel with cards of which only the color is known.

    No cards are laid down: they stay in the hand, and the later payment covers both the
    spaces and the surcharge. It is never listed among the legal actions, since players lay
    cards down: see `ClaimRoute`.

    Parameters
    ----------
    color
        The color played: at least one card of it; the others may be locomotives.

    Examples
    --------
    >>> print(AttemptTunnel(ttr.load_map("nordic").route("Narvik", "Kiruna", track=0), "purple"))
    attempt Kiruna-Narvik (purple, 1) in purple
    """

    route: Route
    color: str

    def __str__(self) -> str:
        return f"attempt {self.route} in {self.color}"


@compiled
def _attempt_fault(state: State, tables: Tables, seat: int, route: int, value: int) -> int:
    if route < 0 or route >= tables.n_routes:
        return ActionFault.ROUTE
    closed = route_fault(state, tables, seat, route)
    if closed != NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    color = color_played(cards)
    if not tables.tunnel[route] or color == LOCOMOTIVE_INDEX or cards.sum() != 1:
        return ActionFault.PAYMENT
    if tables.color[route] not in (color, GRAY_INDEX):
        return ActionFault.PAYMENT
    hand = state.hand[seat]
    n_unknown = state.n_hand[seat] - hand.sum()
    n_most = spare_cards(hand, color, tables.jokers[route]) + n_unknown
    return NONE if holds(state, seat, cards) and n_most >= tables.length[route] else ActionFault.CARDS


@compiled
def _list_attempt(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return n


@compiled
def _apply_attempt(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    color = color_played(cards)
    state.known[seat, color] = max(1, state.known[seat, color])
    state.shown_color[seat] = color
    state.n_shown[seat] = tables.length[route]
    turn_over_cards(state, tables, tape, color)
    state.surcharge += tables.length[route]
    state.pending = route
    state.phase = TUNNEL_PHASE


def _encode_attempt(index: MapIndex, action: AttemptTunnel, _state: State) -> tuple[int, int]:
    if action.color not in COLORS:
        raise IllegalActionError(f"expected one of {', '.join(COLORS)}, got {action.color!r}")
    return index.route_index(action.route), int(pack_single(COLORS.index(action.color), 1, 0))


def _color(cards: CardCounts) -> str:
    return next(iter(cards.as_dict()))


def _why_no_attempt(refused: Refused) -> str:
    route = refused.route
    return f"{route} takes one color, got {refused.cards}" if route.tunnel else f"{route} is not a tunnel"


def _too_few_to_attempt(refused: Refused) -> str:
    color, route = _color(refused.cards), refused.route
    return f"{refused.who} cannot hold {route.length} {color} cards or locomotives for {route}"


ATTEMPT_HANDLER: Final = Handler(
    kind=ATTEMPT_TUNNEL,
    name="attempt_tunnel",
    action=AttemptTunnel,
    phases=(TURN,),
    fault=_attempt_fault,
    list_legal=_list_attempt,
    apply=_apply_attempt,
    verb="attempt a tunnel",
    encode=_encode_attempt,
    decode=lambda index, route, value, _: AttemptTunnel(index.game_map.routes[route], _color(unpacked(value))),
    keys=("route", "color"),
    faults={
        **CLAIM_HANDLER.faults,
        ActionFault.PAYMENT: _why_no_attempt,
        ActionFault.CARDS: _too_few_to_attempt,
    },
)
