"""Stations: where a seat may build one, the forms in which it can pay, and building it."""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.codes import NONE, ActionFault, pack_single
from ttr_analysis.engine.kernel.cards import discard
from ttr_analysis.engine.kernel.claims import end_attempt
from ttr_analysis.engine.layout import State
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, count_forms, find_form
from ttr_analysis.rules.stations import station_spaces
from ttr_analysis.tables import Tables


@compiled
def city_fault(state: State, tables: Tables, seat: int, city: int) -> int:
    """Return why a seat may not build a station in a city with any cards, 0 if it may: an `ActionFault`."""
    if state.stations[seat] == 0:
        return ActionFault.NO_STATIONS
    if city < 0 or city >= tables.n_cities:
        return ActionFault.CITY
    return NONE if state.station_at[city] == 0 else ActionFault.STATION_TAKEN


@compiled
def n_built(state: State, tables: Tables, seat: int) -> int:
    """Return how many stations a seat has built."""
    return int(tables.stations_each - state.stations[seat])


@compiled
def next_spaces(state: State, tables: Tables, seat: int) -> Spaces:
    """Return what a payment asks for the next station of a seat, which has one left."""
    return station_spaces(tables.station_cost[n_built(state, tables, seat)], tables.station_jokers)


# -- what is legal -------------------------------------------------------------------------------------------------


@compiled
def n_free_cities(state: State, tables: Tables) -> int:
    """Return in how many cities no station stands."""
    n = tables.n_cities
    for seat in range(tables.n_seats):
        n -= n_built(state, tables, seat)
    return n


@compiled
def n_station_forms(state: State, tables: Tables, seat: int) -> int:
    """Return in how many forms a seat can pay for a station now; 0 if it may build none."""
    if state.stations[seat] == 0 or n_free_cities(state, tables) == 0:
        return 0
    return count_forms(state.hand[seat], state.n_hand[seat], GRAY_INDEX, next_spaces(state, tables, seat))


@compiled
def station_cards(state: State, tables: Tables, seat: int, number: int) -> int:
    """Return the packed cards of one form of payment, below `n_station_forms`."""
    spaces = next_spaces(state, tables, seat)
    color, own, locomotives = find_form(state.hand[seat], state.n_hand[seat], GRAY_INDEX, spaces, number)
    return pack_single(color, own, locomotives)


# -- building it ---------------------------------------------------------------------------------------------------


@compiled
def build_station(state: State, tables: Tables, tape: Ints, seat: int, city: int) -> None:
    """Put a station of a seat, whose cards are laid down, into a city."""
    discard(state, tables, tape, state.laid)
    end_attempt(state)
    state.station_at[city] = 1 + seat
    state.stations[seat] -= 1
