"""Build a station in a city."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.analysis.payments.model import Payment
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row, card_faults, owner_name
from ttr_analysis.engine.codes import BUILD_STATION, NONE, ActionFault, make_action, packed, unpack_cards, unpacked
from ttr_analysis.engine.kernel.cards import play_cards
from ttr_analysis.engine.kernel.claims import holds
from ttr_analysis.engine.kernel.stations import (
    build_station,
    city_fault,
    n_built,
    n_station_forms,
    next_spaces,
    station_cards,
)
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import TURN, State
from ttr_analysis.maps.model import City, Route
from ttr_analysis.rules.payment import GRAY_INDEX, PaymentFault, payment_fault
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class BuildStation:
    """
    Build a station in a city.

    Parameters
    ----------
    city
        A city without a station; routes there are not needed.
    payment
        The cards.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> from ttr_analysis.analysis.payments import Payment
    >>> print(BuildStation(ttr.load_map("europe").city("Wien"), Payment("red", 1, 1)))
    build a station in Wien with 1 red, 1 locomotive
    """

    city: City
    payment: Payment

    def __str__(self) -> str:
        return f"build a station in {self.city.name} with {self.payment}"


@compiled
def fault(state: State, tables: Tables, seat: int, city: int, value: int) -> int:
    """Return why the seat may not build a station in the city with these cards."""
    closed = city_fault(state, tables, seat, city)
    if closed != NONE:
        return closed
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    if not holds(state, seat, cards):
        return ActionFault.CARDS
    unpaid = payment_fault(cards, GRAY_INDEX, next_spaces(state, tables, seat))
    return NONE if unpaid == 0 else ActionFault.PAYMENT


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List the cities in the order of the map, each with one payment of every form."""
    n_forms = n_station_forms(state, tables, seat)
    if n_forms == 0:
        return n
    for city in range(tables.n_cities):
        if state.station_at[city] == 0:
            for number in range(n_forms):
                cards = station_cards(state, tables, seat, number)
                n = add_row(out, n, make_action(BUILD_STATION, city), cards)
    return n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, city: int, value: int) -> None:
    """Lay the cards down and build the station."""
    laid = state.laid
    unpack_cards(value, laid)
    play_cards(state, seat, laid)
    build_station(state, tables, tape, seat, city)
    end_turn(state, tables, tape)


# -- as an object, and in words ------------------------------------------------------------------------------------


def as_route(state: State, tables: Tables, seat: int) -> Route:
    """Return a gray route that costs as much as the next station of a seat, for what is asked about payments."""
    spaces = next_spaces(state, tables, seat)
    return Route(
        id="station",
        cities=("", ""),
        track=0,
        length=int(spaces.plain),
        color=GRAY,
        tunnel=False,
        locomotives=0,
        locomotives_allowed=bool(spaces.jokers),
        swap_size=0,
        swap_fills="any",
        toll=0,
        points=0,
    )


def _encode(index: MapIndex, action: BuildStation, _state: State) -> tuple[int, int]:
    if not isinstance(action.payment, Payment):
        raise IllegalActionError(f"expected a Payment for a station, got {action.payment!r}")
    if action.payment.sets.n_cards:
        raise IllegalActionError(f"no sets stand in for a card of a station, got {action.payment}")
    return index.city_index(action.city), packed(action.payment.cards)


def _decode(index: MapIndex, city: int, value: int, _state: State) -> BuildStation:
    cards = unpacked(value)
    color = next((c for c in range(N_COLORS) if cards.counts[c]), None)
    own = 0 if color is None else cards.counts[color]
    payment = Payment(None if color is None else COLORS[color], own, cards.counts[LOCOMOTIVE_INDEX])
    return BuildStation(index.game_map.cities[city], payment)


def _taken(refused: Refused) -> str:
    owner = owner_name(int(refused.state.station_at[refused.number]) - 1, refused.names)
    return f"{owner} has a station in {refused.game_map.cities[refused.number].name}"


def _none_left(refused: Refused) -> str:
    each = int(refused.tables.stations_each)
    if each == 0:
        return f"{refused.game_map.title} is played without stations"
    return f"{refused.who} has built all of its {counted(each, 'station')}"


def _payment(refused: Refused) -> str:
    """Return what is wrong with the cards themselves, if anything is."""
    spaces = next_spaces(refused.state, refused.tables, refused.seat)
    unpaid = PaymentFault(payment_fault(np.array(refused.cards.counts, dtype=np.int64), GRAY_INDEX, spaces))
    if unpaid is PaymentFault.NONE:
        return ""
    number = int(n_built(refused.state, refused.tables, refused.seat)) + 1
    words = {
        PaymentFault.LOCOMOTIVE: "a locomotive is no joker there",
        PaymentFault.TWO_COLORS: f"its cards must be of one color, got {refused.cards}",
    }
    takes = f"it takes exactly {counted(int(spaces.plain), 'card')}, got {refused.cards.n_cards}"
    return f"station {number} of {refused.who}: {words.get(unpaid, takes)}"


HANDLER: Final = Handler(
    kind=BUILD_STATION,
    name="build_station",
    action=BuildStation,
    phases=(TURN,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="build a station",
    encode=_encode,
    decode=_decode,
    keys=("city", "cards"),
    faults={
        ActionFault.CITY: lambda refused: f"{refused.game_map.title} has no city number {refused.number}",
        ActionFault.STATION_TAKEN: _taken,
        ActionFault.NO_STATIONS: _none_left,
        **card_faults(_payment),
    },
)
