"""Lay down cards for a route."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments.model import Payment, split
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row, card_faults, owner_name
from ttr_analysis.engine.codes import (
    CARD_REVEALED,
    CLAIM_ROUTE,
    NONE,
    ActionFault,
    make_action,
    packed,
    unpack_cards,
    unpacked,
)
from ttr_analysis.engine.kernel.cards import discard, make_drawable, play_cards, turn_over
from ttr_analysis.engine.kernel.claims import holds, n_forms, representative, route_fault, take_route
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import TUNNEL_PHASE, TURN, UNKNOWN_CARD, State
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.payment import payment_fault
from ttr_analysis.rules.tunnel import color_played, matching_cards
from ttr_analysis.tables import Tables, spaces_at

_CACHE_SIZE: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class ClaimRoute:
    """
    Lay down cards for a route.

    Parameters
    ----------
    route
        The route.
    payment
        The cards; without the surcharge of a tunnel.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Oslo", "Bergen", track=1)
    >>> print(ClaimRoute(route, ttr.payments.from_cards(route, {"red": 4})))
    claim Bergen-Oslo (red, 4) with 4 red
    """

    route: Route
    payment: Payment

    def __str__(self) -> str:
        return f"claim {self.route} with {self.payment}"


# -- is it legal, and why not ----------------------------------------------------


@compiled
def fault(state: State, tables: Tables, seat: int, route: int, value: int) -> int:
    """Return why the seat may not claim the route with these cards."""
    if route < 0 or route >= tables.n_routes:
        return ActionFault.ROUTE
    closed = route_fault(state, tables, seat, route)
    if closed != NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    if not holds(state, seat, cards):
        return ActionFault.CARDS
    unpaid = payment_fault(cards, tables.color[route], spaces_at(tables, route))
    return NONE if unpaid == 0 else ActionFault.PAYMENT


# -- what is legal -------------------------------------------------------------------------------------------------


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List the routes in the order of the map, each with one payment of every form."""
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) != NONE:
            continue
        first = n
        for number in range(n_forms(state, tables, seat, route)):
            cards = representative(state, tables, seat, route, number)
            if tables.swap_size[route] == 0 or not _is_listed(out, first, n, cards):
                n = add_row(out, n, make_action(CLAIM_ROUTE, route), cards)
    return n


@compiled
def _is_listed(out: Ints, first: int, n: int, value: int) -> bool:
    """Return whether a value stands in the rows from `first` to `n`: two forms with sets can be the same cards."""
    for i in range(first, min(n, len(out))):
        if out[i, 1] == value:
            return True
    return False


# -- what happens ----------------------------------------------------------------


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    """Lay the cards down; the route is taken, unless it is a tunnel that demands more."""
    laid = state.laid
    unpack_cards(value, laid)
    play_cards(state, seat, laid)
    if tables.tunnel[route] and _turn_over_cards(state, tables, tape) > 0:
        state.pending = route
        state.phase = TUNNEL_PHASE
    else:
        take_route(state, tables, tape, seat, route)
        end_turn(state, tables, tape)


@compiled
def _turn_over_cards(state: State, tables: Tables, tape: Ints) -> int:
    """Turn over the cards of a tunnel, discard them, and return how many match."""
    color = color_played(state.laid)
    revealed = state.revealed
    for kind in range(N_KINDS):
        revealed[kind] = 0
    for _ in range(tables.n_revealed):
        if make_drawable(state, tables, tape):
            kind = turn_over(state, tables, tape, CARD_REVEALED)
            if kind != UNKNOWN_CARD:
                revealed[kind] += 1
    discard(state, tables, tape, revealed)
    state.pending_color = color
    state.surcharge = matching_cards(revealed, color)
    return int(state.surcharge)


# -- as an object, and in words --------------------------------------------------


def _encode(index: MapIndex, action: ClaimRoute, _state: State) -> tuple[int, int]:
    if not isinstance(action.payment, Payment):
        raise IllegalActionError(f"expected a Payment for {action.route}, got {action.payment!r}")
    return index.route_index(action.route), packed(action.payment.cards)


def _decode(index: MapIndex, route: int, value: int, _state: State) -> ClaimRoute:
    return _claim(index.game_map.routes[route], value)


@lru_cache(maxsize=_CACHE_SIZE)
def _claim(route: Route, value: int) -> ClaimRoute:
    """Return a claim with packed cards that pay for the route; the same one in all games, since it takes a while."""
    return ClaimRoute(route, split(route, unpacked(value).counts))


def _taken(refused: Refused) -> str:
    return f"{refused.route} is taken by {owner_name(int(refused.state.owner[refused.number]), refused.names)}"


def _twin_closed(refused: Refused) -> str:
    twin = int(refused.tables.twin[refused.number])
    owner = owner_name(int(refused.state.owner[twin]), refused.names)
    n = int(refused.tables.n_seats)
    return f"{owner} has the other track of {refused.route}, which closes this one with {n} players"


def _trains(refused: Refused) -> str:
    trains = int(refused.state.trains[refused.seat])
    length = int(refused.tables.length[refused.number])
    return f"{refused.who} has {counted(trains, 'train')}, {refused.route} needs {length}"


def _payment(refused: Refused) -> str:
    """Return what is wrong with the cards themselves, if anything is."""
    return payments.why_illegal(refused.route, refused.cards) or ""


def _loans(refused: Refused) -> str:
    tokens = int(refused.state.tokens[refused.seat])
    toll = int(refused.tables.toll[refused.number])
    return f"{refused.who} has tokens worth {tokens}, {refused.route} has a toll of {toll}, and no loan is left"


HANDLER: Final = Handler(
    kind=CLAIM_ROUTE,
    name="claim_route",
    action=ClaimRoute,
    phases=(TURN,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="claim a route",
    encode=_encode,
    decode=_decode,
    keys=("route", "cards"),
    faults={
        ActionFault.ROUTE: lambda refused: f"{refused.game_map.title} has no route number {refused.number}",
        ActionFault.TAKEN: _taken,
        ActionFault.TWIN_OWN: lambda refused: f"{refused.who} has the other track of {refused.route}",
        ActionFault.TWIN_CLOSED: _twin_closed,
        ActionFault.TRAINS: _trains,
        **card_faults(_payment),
        ActionFault.LOANS: _loans,
    },
)
