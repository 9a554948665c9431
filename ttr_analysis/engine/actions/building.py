"""Actions that build: claims, tunnel surcharges, choices for the neutral player, and stations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments.model import Payment, split
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.actions.handler import (
    Handler,
    MapIndex,
    Refused,
    add_row,
    card_faults,
    missing_cards,
    owner_name,
)
from ttr_analysis.engine.codes import NONE, ActionFault, packed, unpacked
from ttr_analysis.engine.kernel import claims
from ttr_analysis.engine.kernel.cards import discard, make_drawable, play_cards, take_back, turn_over
from ttr_analysis.engine.kernel.turns import end_turn, may_choose, resume_turn
from ttr_analysis.engine.layout import TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.model import City, Route
from ttr_analysis.rules.payment import GRAY_INDEX, PaymentFault, find_form, payment_fault
from ttr_analysis.rules.tunnel import color_played, matching_cards, pays_surcharge, spare_cards
from ttr_analysis.tables import Tables, spaces_at

# -- claim a route -----------------------------------------------------------------------------------------------------


_CACHE_SIZE: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class ClaimRoute:
    """
    Claim a route with cards.

    Parameters
    ----------
    payment
        The cards, without the surcharge of a tunnel.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Oslo", "Bergen", track=1)
    >>> print(ClaimRoute(route, ttr.payments.from_cards(route, {"red": 4})))
    claim Bergen-Oslo (red, 4) with 4 red
    """

    route: Route
    payment: Payment

    def __str__(self) -> str:
        return f"claim {self.route} with {self.payment}"


@compiled
def _claim_fault(state: State, tables: Tables, seat: int, route: int, value: int) -> int:
    if route < 0 or route >= tables.n_routes:
        return ActionFault.ROUTE
    closed = claims.route_fault(state, tables, seat, route)
    if closed != codes.NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    codes.unpack_cards(value, cards)
    if not claims.holds(state, seat, cards):
        return ActionFault.CARDS
    unpaid = payment_fault(cards, tables.color[route], spaces_at(tables, route))
    return codes.NONE if unpaid == 0 else ActionFault.PAYMENT


@compiled
def _list_claim(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    for route in range(tables.n_routes):
        if claims.route_fault(state, tables, seat, route) != codes.NONE:
            continue
        spaces = spaces_at(tables, route)
        for number in range(claims.n_forms(state, tables, seat, route)):
            color, own, locomotives = find_form(
                state.hand[seat], state.n_hand[seat], tables.color[route], spaces, number
            )
            cards = claims.claim_cards(state, tables, seat, route, color, own, locomotives)
            if cards >= 0:
                n = add_row(out, n, codes.make_action(codes.CLAIM_ROUTE, route), cards)
    return n


@compiled
def _apply_claim(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    laid = state.laid
    codes.unpack_cards(value, laid)
    play_cards(state, seat, laid)
    if tables.tunnel[route] and turn_over_cards(state, tables, tape, color_played(laid)) > 0:
        state.pending = route
        state.phase = layout.TUNNEL_PHASE
    else:
        claims.take_route(state, tables, tape, seat, route)
        end_turn(state, tables, tape)


@compiled
def turn_over_cards(state: State, tables: Tables, tape: Ints, color: int) -> int:
    """Turn over the cards for a tunnel played in a color, discard them, and return how many match."""
    revealed = state.revealed
    revealed[:] = 0
    n_unknown = n_matching = 0
    for _ in range(tables.n_revealed):
        if make_drawable(state, tables, tape):
            kind = turn_over(state, tables, tape, codes.CARD_REVEALED)
            if kind < layout.UNKNOWN_CARD:
                revealed[kind] += 1
            else:
                n_unknown += 1
                n_matching += kind == layout.UNKNOWN_MATCH
    if n_unknown > 0:
        state.n_swept += n_unknown
        state.swept_match[color] += n_matching
        state.swept_other[color] += n_unknown - n_matching
    discard(state, tables, tape, revealed)
    state.pending_color = color
    state.surcharge = matching_cards(revealed, color) + n_matching
    return int(state.surcharge)


def _encode_claim(index: MapIndex, action: ClaimRoute, _state: State) -> tuple[int, int]:
    if not isinstance(action.payment, Payment):
        raise IllegalActionError(f"expected a Payment for {action.route}, got {action.payment!r}")
    return index.route_index(action.route), packed(action.payment.cards)


@lru_cache(maxsize=_CACHE_SIZE)
def _claim(route: Route, value: int) -> ClaimRoute:
    """Return the claim paid with some packed cards; cached, since splitting a payment is slow."""
    return ClaimRoute(route, split(route, unpacked(value).counts))


def _claim_taken(refused: Refused) -> str:
    return f"{refused.route} is taken by {owner_name(int(refused.state.owner[refused.number]), refused.names)}"


def _twin_closed(refused: Refused) -> str:
    twin = int(refused.tables.twin[refused.number])
    owner = owner_name(int(refused.state.owner[twin]), refused.names)
    n = int(refused.tables.n_seats)
    return f"{owner} has the other track of {refused.route}, which closes this one in a {n}-player game"


def _too_few_trains(refused: Refused) -> str:
    trains = int(refused.state.trains[refused.seat])
    length = int(refused.tables.length[refused.number])
    return f"{refused.who} has {counted(trains, 'train')}, but {refused.route} needs {length}"


def _no_loan_left(refused: Refused) -> str:
    tokens = int(refused.state.tokens[refused.seat])
    toll = int(refused.tables.toll[refused.number])
    return f"{refused.who} has tokens worth {tokens}, but {refused.route} has a toll of {toll}, and no loan is left"


CLAIM_HANDLER: Final = Handler(
    kind=codes.CLAIM_ROUTE,
    name="claim_route",
    action=ClaimRoute,
    phases=(layout.TURN,),
    fault=_claim_fault,
    list_legal=_list_claim,
    apply=_apply_claim,
    verb="claim a route",
    encode=_encode_claim,
    decode=lambda index, route, value, _: _claim(index.game_map.routes[route], value),
    keys=("route", "cards"),
    faults={
        ActionFault.ROUTE: lambda refused: f"{refused.game_map.title} has no route number {refused.number}",
        ActionFault.TAKEN: _claim_taken,
        ActionFault.TWIN_OWN: lambda refused: f"{refused.who} has the other track of {refused.route}",
        ActionFault.TWIN_CLOSED: _twin_closed,
        ActionFault.TRAINS: _too_few_trains,
        **card_faults(lambda refused: payments.why_illegal(refused.route, refused.cards) or ""),
        ActionFault.LOANS: _no_loan_left,
    },
)


# -- pay the surcharge of a tunnel -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PayTunnel:
    """
    Pay the surcharge of a tunnel.

    Parameters
    ----------
    cards
        Cards that pay the surcharge exactly.
    """

    cards: CardCounts

    def __str__(self) -> str:
        return f"pay a surcharge of {self.cards}"


@compiled
def _pay_tunnel_fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    cards = np.zeros(N_KINDS, dtype=np.int64)
    codes.unpack_cards(value, cards)
    if not claims.holds(state, seat, cards):
        return ActionFault.CARDS
    jokers = tables.jokers[state.pending]
    return codes.NONE if pays_surcharge(cards, state.pending_color, jokers, state.surcharge) else ActionFault.SURCHARGE


@compiled
def _list_pay_tunnel(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    for number in range(n_surcharges(state, tables, seat)):
        n = add_row(out, n, codes.PAY_TUNNEL, surcharge_cards(state, seat, number))
    return n


@compiled
def _apply_pay_tunnel(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    cards = state.paid
    codes.unpack_cards(value, cards)
    play_cards(state, seat, cards)
    discard(state, tables, tape, cards)
    claims.take_route(state, tables, tape, seat, state.pending)
    end_turn(state, tables, tape)


# -- forms of payment for the surcharge, also for policies -----------------------


@compiled
def can_pay_surcharge(state: State, tables: Tables) -> bool:
    """Return whether the acting seat can pay the surcharge of its tunnel."""
    hand = state.hand[state.seat]
    jokers = tables.jokers[state.pending]
    return bool(spare_cards(hand, state.pending_color, jokers) >= state.surcharge)


@compiled
def n_surcharges(state: State, tables: Tables, seat: int) -> int:
    """Count the forms in which a seat can pay its surcharge: mixes of the color and locomotives."""
    own = _most_own(state, seat)
    surcharge = state.surcharge
    only_locomotives = state.pending_color == LOCOMOTIVE_INDEX
    jokers = tables.jokers[state.pending] or only_locomotives
    locomotives = state.hand[seat, LOCOMOTIVE_INDEX] if jokers else 0
    return int(max(0, own - max(0, surcharge - locomotives) + 1))


@compiled
def surcharge_cards(state: State, seat: int, number: int) -> int:
    """Return the packed cards of one form of payment for the surcharge; form 0 uses the most cards of the color."""
    own = _most_own(state, seat) - number
    return codes.pack_single(state.pending_color, own, state.surcharge - own)


@compiled
def _most_own(state: State, seat: int) -> int:
    """Return the most cards of the color played that a seat can put toward its surcharge."""
    color = state.pending_color
    if color == LOCOMOTIVE_INDEX:
        return 0
    return int(min(state.hand[seat, color], state.surcharge))


def _wrong_surcharge(refused: Refused) -> str:
    color, n = int(refused.state.pending_color), counted(int(refused.state.surcharge), "card")
    if color == N_COLORS:
        wanted = "locomotives"
    else:
        jokers = refused.tables.jokers[int(refused.state.pending)]
        wanted = f"{COLORS[color]} or locomotives" if jokers else COLORS[color]
    return f"the tunnel requires a surcharge of {n} ({wanted}), got {refused.cards}"


PAY_TUNNEL_HANDLER: Final = Handler(
    kind=codes.PAY_TUNNEL,
    name="pay_tunnel",
    action=PayTunnel,
    phases=(layout.TUNNEL_PHASE,),
    fault=_pay_tunnel_fault,
    list_legal=_list_pay_tunnel,
    apply=_apply_pay_tunnel,
    verb="pay for a tunnel",
    encode=lambda _, action, _state: (0, packed(action.cards)),
    decode=lambda _, _argument, value, _state: PayTunnel(unpacked(value)),
    keys=("cards",),
    faults={ActionFault.CARDS: missing_cards, ActionFault.SURCHARGE: _wrong_surcharge},
)


# -- decline a tunnel --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeclineTunnel:
    """Take back the cards laid down for a tunnel."""

    def __str__(self) -> str:
        return "take back the cards for the tunnel"


@compiled
def _decline_tunnel_fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    return codes.NONE


@compiled
def _list_decline_tunnel(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return add_row(out, n, codes.DECLINE_TUNNEL, 0)


@compiled
def _apply_decline_tunnel(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    take_back(state, seat, state.laid)
    claims.end_attempt(state)
    end_turn(state, tables, tape)


DECLINE_TUNNEL_HANDLER: Final = Handler(
    kind=codes.DECLINE_TUNNEL,
    name="decline_tunnel",
    action=DeclineTunnel,
    phases=(layout.TUNNEL_PHASE,),
    fault=_decline_tunnel_fault,
    list_legal=_list_decline_tunnel,
    apply=_apply_decline_tunnel,
    verb="decline a tunnel",
)


# -- choose a track for the neutral player -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChooseNeutralRoute:
    """
    Choose a track for the neutral player.

    Parameters
    ----------
    route
        One of the two tracks that the neutral player's ticket names.
    """

    route: Route

    def __str__(self) -> str:
        return f"give {self.route} to the neutral player"


@compiled
def _choose_neutral_fault(state: State, tables: Tables, seat: int, route: int, value: int) -> int:
    ticket = state.neutral_ticket
    if route < 0 or route not in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        return ActionFault.NEUTRAL_ROUTE
    return codes.NONE if may_choose(state, tables, route) else ActionFault.NEUTRAL_ROUTE


@compiled
def _list_choose_neutral(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    ticket = state.neutral_ticket
    for route in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        if may_choose(state, tables, route):
            n = add_row(out, n, codes.make_action(codes.CHOOSE_NEUTRAL, route), 0)
    return n


@compiled
def _apply_choose_neutral(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    claims.mark_owner(state, tables, layout.NEUTRAL_OWNER, route)
    state.marker = (state.marker + 1) % tables.n_seats
    resume_turn(state)


def _neutral_route(refused: Refused) -> str:
    ticket = int(refused.state.neutral_ticket)
    tracks = (int(refused.tables.neutral_a[ticket]), int(refused.tables.neutral_b[ticket]))
    free = [str(refused.game_map.routes[i]) for i in tracks if may_choose(refused.state, refused.tables, i)]
    n_routes = len(refused.game_map.routes)
    got = str(refused.route) if 0 <= refused.number < n_routes else "no route of the map"
    return f"the neutral player must take {' or '.join(free)} now, got {got}"


CHOOSE_NEUTRAL_HANDLER: Final = Handler(
    kind=codes.CHOOSE_NEUTRAL,
    name="choose_neutral_route",
    action=ChooseNeutralRoute,
    phases=(layout.NEUTRAL,),
    fault=_choose_neutral_fault,
    list_legal=_list_choose_neutral,
    apply=_apply_choose_neutral,
    verb="choose a track for the neutral player",
    encode=lambda index, action, _: (index.route_index(action.route), 0),
    decode=lambda index, route, _value, _state: ChooseNeutralRoute(index.game_map.routes[route]),
    keys=("route",),
    faults={ActionFault.NEUTRAL_ROUTE: _neutral_route},
)


# -- build a station in a city -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BuildStation:
    """
    Build a station in a city.

    Parameters
    ----------
    city
        A city without a station; you need no route there.

    Examples
    --------
    >>> from ttr_analysis.analysis.payments import Payment
    >>> print(BuildStation(ttr.load_map("europe").city("Wien"), Payment("red", 1, 1)))
    build a station in Wien with 1 red, 1 locomotive
    """

    city: City
    payment: Payment

    def __str__(self) -> str:
        return f"build a station in {self.city.name} with {self.payment}"


@compiled
def _station_fault(state: State, tables: Tables, seat: int, city: int, value: int) -> int:
    closed = claims.city_fault(state, tables, seat, city)
    if closed != codes.NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    codes.unpack_cards(value, cards)
    if not claims.holds(state, seat, cards):
        return ActionFault.CARDS
    unpaid = payment_fault(cards, GRAY_INDEX, claims.next_station_spaces(state, tables, seat))
    return codes.NONE if unpaid == 0 else ActionFault.PAYMENT


@compiled
def _list_station(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    n_forms = claims.n_station_forms(state, tables, seat)
    if n_forms == 0:
        return n
    for city in range(tables.n_cities):
        if state.station_at[city] == 0:
            for number in range(n_forms):
                cards = claims.station_cards(state, tables, seat, number)
                n = add_row(out, n, codes.make_action(codes.BUILD_STATION, city), cards)
    return n


@compiled
def _apply_station(state: State, tables: Tables, tape: Ints, seat: int, city: int, value: int) -> None:
    laid = state.laid
    codes.unpack_cards(value, laid)
    play_cards(state, seat, laid)
    claims.build_station(state, tables, tape, seat, city)
    end_turn(state, tables, tape)


def as_route(state: State, tables: Tables, seat: int) -> Route:
    """Return a gray route at the cost of a seat's next station, for functions that take a route to pay for."""
    spaces = claims.next_station_spaces(state, tables, seat)
    length, jokers = int(spaces.plain), bool(spaces.jokers)
    return Route("station", ("", ""), track=0, length=length, color=GRAY, locomotives_allowed=jokers)


def _encode_station(index: MapIndex, action: BuildStation, _state: State) -> tuple[int, int]:
    if not isinstance(action.payment, Payment):
        raise IllegalActionError(f"expected a Payment for a station, got {action.payment!r}")
    if action.payment.sets.n_cards:
        raise IllegalActionError(f"sets cannot pay for a station, got {action.payment}")
    return index.city_index(action.city), packed(action.payment.cards)


def _decode_station(index: MapIndex, city: int, value: int, _state: State) -> BuildStation:
    cards = unpacked(value)
    color = next((c for c in range(N_COLORS) if cards.counts[c]), None)
    own = 0 if color is None else cards.counts[color]
    payment = Payment(None if color is None else COLORS[color], own, cards.counts[LOCOMOTIVE_INDEX])
    return BuildStation(index.game_map.cities[city], payment)


def _station_taken(refused: Refused) -> str:
    owner = owner_name(int(refused.state.station_at[refused.number]) - 1, refused.names)
    return f"{owner} has a station in {refused.game_map.cities[refused.number].name}"


def _none_left(refused: Refused) -> str:
    each = int(refused.tables.stations_each)
    if each == 0:
        return f"{refused.game_map.title} is played without stations"
    return f"{refused.who} has built all of its {counted(each, 'station')}"


def _why_no_station_payment(refused: Refused) -> str:
    spaces = claims.next_station_spaces(refused.state, refused.tables, refused.seat)
    unpaid = PaymentFault(payment_fault(np.array(refused.cards.counts, dtype=np.int64), GRAY_INDEX, spaces))
    if unpaid is PaymentFault.NONE:
        return ""
    number = int(claims.n_built(refused.state, refused.tables, refused.seat)) + 1
    words = {
        PaymentFault.LOCOMOTIVE: "locomotives are not wild there",
        PaymentFault.TWO_COLORS: f"its cards must be of one color, got {refused.cards}",
    }
    takes = f"it takes exactly {counted(int(spaces.plain), 'card')}, got {refused.cards.n_cards}"
    return f"station {number} of {refused.who}: {words.get(unpaid, takes)}"


STATION_HANDLER: Final = Handler(
    kind=codes.BUILD_STATION,
    name="build_station",
    action=BuildStation,
    phases=(layout.TURN,),
    fault=_station_fault,
    list_legal=_list_station,
    apply=_apply_station,
    verb="build a station",
    encode=_encode_station,
    decode=_decode_station,
    keys=("city", "cards"),
    faults={
        ActionFault.CITY: lambda refused: f"{refused.game_map.title} has no city number {refused.number}",
        ActionFault.STATION_TAKEN: _station_taken,
        ActionFault.NO_STATIONS: _none_left,
        **card_faults(_why_no_station_payment),
    },
)


# -- attempt a tunnel with cards known only by color, as in some logs --------------------------------------------------


@dataclass(frozen=True, slots=True)
class AttemptTunnel:
    """
    Attempt a tunnel with cards known only by color.

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
    closed = claims.route_fault(state, tables, seat, route)
    if closed != NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    codes.unpack_cards(value, cards)
    color = color_played(cards)
    if not tables.tunnel[route] or color == LOCOMOTIVE_INDEX or cards.sum() != 1:
        return ActionFault.PAYMENT
    if tables.color[route] not in (color, GRAY_INDEX):
        return ActionFault.PAYMENT
    hand = state.hand[seat]
    n_unknown = state.n_hand[seat] - hand.sum()
    n_most = spare_cards(hand, color, tables.jokers[route]) + n_unknown
    return NONE if claims.holds(state, seat, cards) and n_most >= tables.length[route] else ActionFault.CARDS


@compiled
def _list_attempt(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    return n


@compiled
def _apply_attempt(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    cards = np.zeros(N_KINDS, dtype=np.int64)
    codes.unpack_cards(value, cards)
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
    return index.route_index(action.route), int(codes.pack_single(COLORS.index(action.color), 1, 0))


def _color(cards: CardCounts) -> str:
    return next(iter(cards.as_dict()))


def _why_no_attempt(refused: Refused) -> str:
    what = f"cannot be paid in {listed(refused.cards.as_dict())}" if refused.route.tunnel else "is not a tunnel"
    return f"{refused.route} {what}"


def _too_few_to_attempt(refused: Refused) -> str:
    route, wild = refused.route, " or locomotives" if refused.route.locomotives_allowed else ""
    return f"{refused.who} cannot hold {route.length} {_color(refused.cards)} cards{wild} for {route}"


ATTEMPT_HANDLER: Final = Handler(
    kind=codes.ATTEMPT_TUNNEL,
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
