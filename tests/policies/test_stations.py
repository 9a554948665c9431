"""Stations that planners build and searchers consider: for a ticket that the own routes will not complete."""

from __future__ import annotations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.positions import Position, changed
from tests.engine.walks import state_of
from tests.policies.choosing import choice
from ttr_analysis import simulate
from ttr_analysis.engine.actions import BuildStation, ClaimRoute
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import BUILD_STATION, argument_of, kind_of
from ttr_analysis.engine.kernel.scoring import label_cities
from ttr_analysis.engine.layout import NOBODY
from ttr_analysis.policies import Greedy, Planner, Planner2
from ttr_analysis.policies.planner.claims import borrow_for_stations
from ttr_analysis.policies.search.searcher import Candidate, candidates
from ttr_analysis.tables import MAX_CITIES
from ttr_analysis.viz.style import BOARD
from ttr_analysis.viz.summaries import advice_html
from ttr_analysis.widgets.snapshot import place_of

pytestmark = pytest.mark.compiled_only

ENDS = {"Edinburgh", "London"}
"""The only neighbor of Edinburgh is London."""


def cut_off() -> Position:
    """Return the last turn of a seat that joined London to Paris, but not to Edinburgh, where another has the way."""
    position = Position("europe").own(0, "Dieppe-London/0", "Dieppe-Paris/0").own(1, "Edinburgh-London/0")
    return position.tickets(0, "Edinburgh-Paris").put("last_left", 1)


def built(position: Position) -> str | None:
    """Return the city in which the planner builds a station."""
    action = choice(Planner(), position)
    return action.city.name if isinstance(action, BuildStation) else None


def test_the_last_turn_saves_a_ticket_by_a_station() -> None:
    action = choice(Planner(), cut_off().hand(0, red=2, locomotive=1))

    assert isinstance(action, BuildStation)
    assert action.city.name in ENDS
    assert action.payment.locomotives == 0, "a locomotive is worth more"


def test_advice_to_build_a_station_shows_it_in_its_city() -> None:
    _, state = state_of(cut_off().hand(0, red=1).hand(1, blue=3))

    advice = ttr.studies.advise(state, rollouts=8)

    assert str(advice.best) == "build a station in Edinburgh with 1 red"
    assert place_of(advice.best) == {"city": "Edinburgh"}
    board = advice_html(advice)
    assert board.count("<title>Edinburgh: station of P0</title>") == 1
    assert board.count(f"fill='{BOARD.glow}'") == 1


def test_where_a_station_stands_the_other_end_will_do() -> None:
    position = cut_off().hand(0, red=2)
    first = position.map.city(built(position) or "")
    position.state.station_at[position.map.cities.index(first)] = 2
    position.state.stations[1] -= 1

    assert built(position) in ENDS - {first.name}


def test_no_station_is_built_early_or_without_a_route_to_lend_or_a_card_or_a_ticket() -> None:
    early = cut_off().hand(0, red=2).put("last_left", -1)
    alone = Position("europe").own(0, "Dieppe-London/0", "Dieppe-Paris/0").tickets(0, "Edinburgh-Paris")
    no_ticket = Position("europe").own(0, "Dieppe-London/0").own(1, "Edinburgh-London/0").put("last_left", 1)

    assert built(early) is None
    assert built(alone.hand(0, red=2).put("last_left", 1)) is None
    assert built(no_ticket.hand(0, red=2)) is None
    assert built(cut_off()) is None


def test_a_claim_that_scores_more_comes_first() -> None:
    position = cut_off().hand(0, red=6, locomotive=2)
    state, routes = position.state, position.map.routes
    for i, route in enumerate(routes):
        if state.owner[i] == NOBODY and route.id != "Palermo-Smyrna/0":
            state.owner[i] = 1
            state.claimed[state.n_claims] = i
            state.n_claims += 1

    action = choice(Planner(), position)  # the claim scores 15 points, the ticket twice 7, less 4

    assert isinstance(action, ClaimRoute)
    assert action.route.id == "Palermo-Smyrna/0"


def test_a_station_that_costs_more_than_the_ticket_brings_is_not_built() -> None:
    for left, is_built in ((4, True), (13, False)):
        position = Position(changed("europe", stations={"points_left": left}))
        position.own(0, "Dieppe-London/0", "Dieppe-Paris/0").own(1, "Edinburgh-London/0")
        position.tickets(0, "Edinburgh-Paris").put("last_left", 1).hand(0, red=2)

        assert (built(position) is not None) == is_built


def test_what_a_station_lends_already_is_not_lent_again() -> None:
    position = cut_off().hand(0, red=5)
    city = position.map.cities.index(position.map.city("Edinburgh"))
    position.state.station_at[city] = 1
    position.state.stations[0] -= 1

    label = np.zeros(MAX_CITIES, dtype=np.int64)
    label_cities(position.state, position.tables, 0, label)
    assert borrow_for_stations(position.state, position.tables, 0, label) == 7
    assert built(position) is None


def test_a_searcher_considers_the_stations_that_add_to_tickets_and_no_others() -> None:
    position = cut_off().hand(0, red=2, locomotive=1)
    own = codec_of(position.map).encode(choice(Planner(), position), position.state)

    def stations(position: Position, own: Candidate) -> list[str]:
        game, state = state_of(position)
        found = candidates(game.view(state, 0), own, 3)
        return sorted(position.map.cities[argument_of(c)].name for c, _ in found if kind_of(c) == BUILD_STATION)

    assert stations(position, own) == sorted(ENDS)
    assert stations(Position("europe").own(1, "Edinburgh-London/0").hand(0, red=2), (0, 0)) == []


def test_stations_gain_points_and_a_planner_beats_a_greedy_player_with_them(europe: ttr.GameMap) -> None:
    without = changed(
        europe, stations={"number": 0, "costs": (), "points_left": 0}, scoring={"tie_breaks": ("completed_tickets",)}
    )
    ours, theirs = (
        simulate(game_map, [Planner2()] * 5, 200, 7, progress=False).seats for game_map in (europe, without)
    )
    gain = ours["points"].astype(int) - theirs["points"] - 12
    is_built = ours["stations"] > 0

    assert is_built.mean() > 0.01
    assert gain[is_built].mean() > 5
    seats = simulate(europe, [Planner(), Greedy()], 200, 7, progress=False).seats
    assert seats.groupby("policy", observed=True)["won"].mean()["Planner"] >= 0.9
