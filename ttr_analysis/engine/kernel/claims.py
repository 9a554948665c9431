"""Claims and stations: where they are allowed, the forms of payment, and their effects."""

from __future__ import annotations

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import NONE, ActionFault, pack_cards, pack_single, unpack_cards
from ttr_analysis.engine.kernel.cards import discard, unseen_cards
from ttr_analysis.engine.layout import NOBODY, State
from ttr_analysis.rules import payment
from ttr_analysis.rules.market import count_cards
from ttr_analysis.rules.money import can_settle, settle_toll, toll_payee
from ttr_analysis.rules.tunnel import claim_probability, color_played, matching_cards, spare_cards
from ttr_analysis.tables import Tables, spaces_at

# -- open routes ---------------------------------------------------------------


@compiled
def track_fault(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return why a route is closed to a seat, apart from payment: an `ActionFault`, 0 if it is open."""
    if state.owner[route] != NOBODY:
        return ActionFault.TAKEN
    twin = tables.twin[route]
    if twin >= 0 and state.owner[twin] != NOBODY:
        if state.owner[twin] == seat:
            return ActionFault.TWIN_OWN
        if not tables.both_open:
            return ActionFault.TWIN_CLOSED
    return NONE


@compiled
def route_fault(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return why a seat may not claim a route, whatever cards it holds: an `ActionFault`, 0 if it may."""
    fault = track_fault(state, tables, seat, route)
    if fault != NONE:
        return fault
    if tables.length[route] > state.trains[seat]:
        return ActionFault.TRAINS
    if tables.tokens_each == 0 or tables.loan_limit == 0:
        return NONE
    can_pay = can_settle(state.tokens, state.loans, seat, tables.toll[route], tables.loan_limit)
    return NONE if can_pay else ActionFault.LOANS


@compiled
def can_claim(state: State, tables: Tables, seat: int) -> bool:
    """Return whether a seat can claim any route."""
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) == NONE and n_forms(state, tables, seat, route) > 0:
            return True
    return False


# -- payment -------------------------------------------------------------------


@compiled
def holds(state: State, seat: int, cards: Ints) -> bool:
    """Return whether a seat holds these cards."""
    for kind in range(N_KINDS):
        if cards[kind] > state.hand[seat, kind]:
            return False
    return True


@compiled
def n_forms(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the number of forms in which a seat's hand pays for a route."""
    return payment.count_forms(state.hand[seat], state.n_hand[seat], tables.color[route], spaces_at(tables, route))


@compiled
def representative(state: State, tables: Tables, seat: int, route: int, number: int) -> int:
    """Return the packed cards of one form of payment; sets use the cards that the hand has most of."""
    hand, spaces = state.hand[seat], spaces_at(tables, route)
    color, own, locomotives = payment.find_form(hand, state.n_hand[seat], tables.color[route], spaces, number)
    n_set_cards = spaces.swap_size * payment.form_sets(spaces, own, locomotives)
    cards = np.empty(N_KINDS, dtype=np.int64)
    payment.lay_cards(hand, color, own, locomotives, n_set_cards, np.zeros(N_KINDS, dtype=np.int64), cards)
    return pack_cards(cards)


@compiled
def claim_cards(state: State, tables: Tables, seat: int, route: int, color: int, own: int, locomotives: int) -> int:
    """Return packed cards of a seat that pay for a route in a form (`rules.payment`), -1 if none do."""
    hand, spaces = state.hand[seat], spaces_at(tables, route)
    if not payment.can_read(hand, tables.color[route], spaces, color, own, locomotives):
        return -1
    if own + locomotives == spaces.plain + spaces.symbols:
        return pack_single(color, own, locomotives)
    cards = np.empty(N_KINDS, dtype=np.int64)
    payment.fill_reading(hand, tables.color[route], spaces, color, own, locomotives, cards)
    return pack_cards(cards)


@compiled
def tunnel_odds(state: State, tables: Tables, seat: int, route: int, packed: int) -> float:
    """Return the probability that a seat can pay the surcharge after laying down packed cards; 1 if not a tunnel."""
    if not tables.tunnel[route]:
        return 1.0
    laid = np.empty(N_KINDS, dtype=np.int64)
    left = np.empty(N_KINDS, dtype=np.int64)
    unseen = np.empty(N_KINDS, dtype=np.int64)
    unpack_cards(packed, laid)
    for kind in range(N_KINDS):
        left[kind] = state.hand[seat, kind] - laid[kind]
        unseen[kind] = unseen_cards(state, seat, kind)
    color, n_unseen = color_played(laid), count_cards(unseen)
    return claim_probability(
        spare=spare_cards(left, color, tables.jokers[route]),
        matching=matching_cards(unseen, color),
        unseen=n_unseen,
        n_pile=min(state.n_pile, n_unseen),
        matching_discards=matching_cards(state.discards, color),
        n_discards=count_cards(state.discards),
        revealed=tables.n_revealed,
    )


# -- effects -------------------------------------------------------------------


@compiled
def take_route(state: State, tables: Tables, tape: Ints, seat: int, route: int) -> None:
    """Give a route to a seat that has laid down cards, and settle its discards, trains, points and toll."""
    discard(state, tables, tape, state.laid)
    end_attempt(state)
    state.score[seat] += tables.points[route]
    if tables.tokens_each > 0:
        twin = tables.twin[route]
        payee = toll_payee(NOBODY if twin < 0 else state.owner[twin], tables.n_seats, tables.pays_owner)
        settle_toll(state.tokens, state.loans, seat, payee, tables.toll[route])
    mark_owner(state, tables, seat, route)


@compiled
def mark_owner(state: State, tables: Tables, owner: int, route: int) -> None:
    """Put the trains of a seat or the neutral player on a route."""
    state.owner[route] = owner
    state.trains[owner] -= tables.length[route]
    state.claimed[state.n_claims] = route
    state.n_claims += 1


@compiled
def end_attempt(state: State) -> None:
    """Clear the cards laid down, and the tunnel that was attempted, if any."""
    state.laid[:] = 0
    state.pending = NOBODY
    state.surcharge = 0


# -- stations ----------------------------------------------------------------------------------------------------------


@compiled
def city_fault(state: State, tables: Tables, seat: int, city: int) -> int:
    """Return why a seat may not build a station in a city, whatever cards it holds: an `ActionFault`, 0 if it may."""
    if state.stations[seat] == 0:
        return ActionFault.NO_STATIONS
    if city < 0 or city >= tables.n_cities:
        return ActionFault.CITY
    return NONE if state.station_at[city] == 0 else ActionFault.STATION_TAKEN


@compiled
def n_built(state: State, tables: Tables, seat: int) -> int:
    """Return the number of stations that a seat has built."""
    return int(tables.stations_each - state.stations[seat])


@compiled
def next_station_spaces(state: State, tables: Tables, seat: int) -> payment.Spaces:
    """Return the cost of a seat's next station, which must exist."""
    return payment.station_spaces(tables.station_cost[n_built(state, tables, seat)], tables.station_jokers)


@compiled
def n_free_cities(state: State, tables: Tables) -> int:
    """Return the number of cities without a station."""
    n = tables.n_cities
    for seat in range(tables.n_seats):
        n -= n_built(state, tables, seat)
    return n


@compiled
def n_station_forms(state: State, tables: Tables, seat: int) -> int:
    """Return the number of forms in which a seat can pay for a station now; 0 if it may build none."""
    if state.stations[seat] == 0 or n_free_cities(state, tables) == 0:
        return 0
    return payment.count_forms(
        state.hand[seat], state.n_hand[seat], payment.GRAY_INDEX, next_station_spaces(state, tables, seat)
    )


@compiled
def station_cards(state: State, tables: Tables, seat: int, number: int) -> int:
    """Return the packed cards of a form of payment, numbered below `n_station_forms`."""
    spaces = next_station_spaces(state, tables, seat)
    color, own, locomotives = payment.find_form(
        state.hand[seat], state.n_hand[seat], payment.GRAY_INDEX, spaces, number
    )
    return pack_single(color, own, locomotives)


@compiled
def build_station(state: State, tables: Tables, tape: Ints, seat: int, city: int) -> None:
    """Place a station in a city for a seat that has laid down cards."""
    discard(state, tables, tape, state.laid)
    end_attempt(state)
    state.station_at[city] = 1 + seat
    state.stations[seat] -= 1
