"""
The rules of stations.

The rules, section 5a, "Stations": building them and what they score. That the
best use of them is found is tested against all ways there are.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.positions import PASS, Position, changed
from tests.engine.walks import state_of
from tests.fixtures import examples, load
from tests.oracles.referee.scoring import ticket_points, with_stations
from tests.oracles.referee.table import NEUTRAL, Table
from ttr_analysis import GameMap, IllegalActionError
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.actions import BuildStation
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.kernel.scoring import TRAIL_COLUMN
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, UNKNOWN_TICKET, Phase
from ttr_analysis.engine.scores import score_state
from ttr_analysis.rules.ruleset import StationRules

NO_BONUS = changed("europe", bonus=())
"""Europe without the bonus for the longest path, which two players without routes share."""


def without_points(**stations: object) -> GameMap:
    """Return Europe without bonus, and nothing for stations left."""
    return changed(NO_BONUS, stations={"points_left": 0, **stations})


# -- building -------------------------------------------------------------------------


def test_a_player_has_three_stations() -> None:
    table = Position("europe", 5)

    assert table.state.stations[:5].tolist() == [3] * 5
    table.station(0, "Wien", "Roma", "Riga").hand(0, red=9)
    assert table.fault(table.build("Paris", red=1)) == ActionFault.NO_STATIONS


def test_a_station_is_a_turn_of_its_own() -> None:
    table = Position("europe").hand(0, red=1)
    table.do(table.build("Wien", red=1))

    assert (table.phase, table.seat, table.state.n_turns) == (Phase.TURN, 1, 1)
    assert table.fault(PASS) == ActionFault.NOT_STUCK


@pytest.mark.parametrize("phase", [Phase.SECOND_DRAW, Phase.KEEP, Phase.KEEP_START, Phase.OVER])
def test_a_station_is_built_in_no_other_phase(phase: Phase) -> None:
    table = Position("europe").hand(0, red=1)
    table.state.phase = int(phase)

    assert table.fault(table.build("Wien", red=1)) in {ActionFault.PHASE, ActionFault.OVER}


def test_a_station_may_be_built_in_any_city_that_has_none_routes_there_are_not_needed() -> None:
    table = Position("europe").hand(0, red=1).station(1, "Wien")

    assert table.buildable() == {city.name for city in table.map.cities} - {"Wien"}


def test_one_station_in_a_city_for_good() -> None:
    table = Position("europe").hand(0, red=1).hand(1, red=1)
    table.do(table.build("Wien", red=1))

    assert table.fault(table.build("Wien", red=1)) == ActionFault.STATION_TAKEN
    assert state_of(table)[1].stations == {"Wien": 0}


@pytest.mark.parametrize("built", [0, 1, 2])
def test_the_first_costs_one_card_the_second_two_the_third_three_of_one_color(built: int) -> None:
    table = Position("europe").station(0, *["Wien", "Roma", "Riga"][:built]).hand(0, red=4, blue=4)
    cost = built + 1

    assert table.fault(table.build("Paris", red=cost)) == ActionFault.NONE
    assert table.fault(table.build("Paris", red=cost + 1)) == ActionFault.PAYMENT
    assert table.fault(table.build("Paris", red=cost - 1)) == ActionFault.PAYMENT
    if cost > 1:
        assert table.fault(table.build("Paris", red=cost - 1, blue=1)) == ActionFault.PAYMENT


def test_locomotives_are_jokers_for_stations() -> None:
    table = Position("europe").station(0, "Wien").hand(0, red=1, locomotive=2)

    assert table.fault(table.build("Paris", red=1, locomotive=1)) == ActionFault.NONE
    assert table.fault(table.build("Paris", locomotive=2)) == ActionFault.NONE


def test_where_locomotives_are_no_jokers_on_plain_routes_they_pay_for_no_station() -> None:
    table = Position(changed("europe", claims={"locomotives_on": ("ferry", "tunnel")})).hand(0, locomotive=1)

    assert table.fault(table.build("Paris", locomotive=1)) == ActionFault.PAYMENT
    assert table.buildable() == set()


def test_cards_that_are_not_held_do_not_pay() -> None:
    table = Position("europe").hand(0, red=1)

    assert table.fault(table.build("Paris", blue=1)) == ActionFault.CARDS


def test_the_cards_go_to_the_discard_pile_trains_and_points_stay() -> None:
    table = Position("europe").hand(0, red=3)
    table.do(table.build("Wien", red=1))

    assert table.hand_of(0) == {"red": 2}
    assert table.discard_pile() == {"red": 1}
    assert table.state.trains[:2].tolist() == [45, 45]
    assert table.state.score[:2].tolist() == [0, 0]
    assert table.state.stations[:2].tolist() == [2, 3]


def test_who_can_build_a_station_may_not_pass() -> None:
    table = Position("europe").own_all().hand(0, red=1).market().ticket_pile().pile()

    assert table.fault(PASS) == ActionFault.NOT_STUCK
    assert table.buildable()
    assert table.station(0, "Wien", "Roma", "Riga").fault(PASS) == ActionFault.NONE


def test_a_map_without_stations_knows_none() -> None:
    table = Position("usa").hand(0, red=3)

    assert table.fault(table.build("Miami", red=1)) == ActionFault.NO_STATIONS
    assert table.buildable() == set()
    assert state_of(table)[1].n_stations == (0, 0)


def test_other_numbers_and_costs() -> None:
    table = Position(changed("europe", stations={"number": 2, "costs": (2, 4)})).hand(0, red=4)

    assert table.fault(table.build("Wien", red=1)) == ActionFault.PAYMENT
    assert table.fault(table.build("Wien", red=2)) == ActionFault.NONE
    assert table.station(0, "Roma").fault(table.build("Wien", red=4)) == ActionFault.NONE
    assert table.station(0, "Riga").fault(table.build("Wien", red=4)) == ActionFault.NO_STATIONS


# -- what it scores -------------------------------------------------------------------


def test_each_station_not_built_scores_four_points() -> None:
    assert Position(NO_BONUS).station(0, "Wien").station(1, "Roma", "Riga", "Paris").scores() == [8, 0]
    assert Position(changed(NO_BONUS, stations={"points_left": 7})).station(0, "Wien").scores() == [14, 21]


def lent_network(game_map: GameMap) -> Position:
    """Return a ticket Budapest-Sofia, of which player 0 has Budapest-Sarajevo and player 1 Sarajevo-Sofia."""
    return Position(game_map).own(0, "Budapest-Sarajevo/0").own(1, "Sarajevo-Sofia/0").tickets(0, "Budapest-Sofia")


@pytest.mark.parametrize("city", ["Sarajevo", "Sofia"])
def test_a_station_lends_a_route_of_another_that_ends_in_its_city(city: str) -> None:
    table = lent_network(without_points())
    assert table.scores()[0] == 4 - 5
    assert table.station(0, city).scores()[0] == 4 + 5


def test_a_station_lends_no_route_that_ends_elsewhere() -> None:
    assert lent_network(without_points()).station(0, "Budapest").scores()[0] == 4 - 5


def test_a_station_lends_only_its_owner() -> None:
    assert lent_network(without_points()).station(1, "Sofia").scores()[0] == 4 - 5


def test_a_route_that_nobody_has_is_not_lent() -> None:
    table = Position(without_points()).own(0, "Budapest-Sarajevo/0").tickets(0, "Budapest-Sofia").station(0, "Sofia")

    assert table.scores()[0] == 4 - 5


def test_a_station_lends_one_route_the_same_for_all_tickets() -> None:
    table = Position(without_points()).own(0, "Budapest-Zagrab/0", "Roma-Venezia/0", "Brindisi-Roma/0")
    table.own(1, "Venezia-Zagrab/0", "Budapest-Sarajevo/0", "Sarajevo-Sofia/0")
    table.tickets(0, "Zagrab-Brindisi", "Budapest-Sofia").station(0, "Sarajevo")
    assert table.n_completed() == [0, 0]
    assert table.station(0, "Zagrab").n_completed() == [1, 0]
    assert table.station(0, "Sofia").n_completed() == [2, 0]


def test_the_choice_is_made_to_the_owners_best() -> None:
    table = Position(without_points())
    table.own(1, "Frankfurt-München/0", "Amsterdam-Frankfurt/0", "Berlin-Frankfurt/0")
    table.own(0, "München-Wien/0", "Budapest-Wien/0")
    table.tickets(0, "Barcelona-München").station(0, "Frankfurt")
    lent = score_state(table.map, table.state, 2)[0].stations
    assert [use.route for use in lent] == [None], "no route of use: none is lent"


def test_the_best_is_most_points_for_tickets() -> None:
    # One station in Wien: a way north completes one ticket of 11 points, a way west two of 8 and 10.
    table = Position(without_points()).tickets(0, "Stockholm-Wien", "Paris-Wien", "London-Wien").station(0, "Wien")
    table.own(1, "Berlin-Wien/0", "München-Wien/0").own(0, "Berlin-Danzig/0", "Danzig-Riga/0", "Petrograd-Riga/0")
    table.own(0, "Petrograd-Stockholm/0")
    table.own(0, "Frankfurt-München/0", "Frankfurt-Paris/0", "Dieppe-Paris/0", "Dieppe-London/0")
    score = score_state(table.map, table.state, 2)[0]
    assert [use.route.id for use in score.stations if use.route] == ["München-Wien/0"]
    assert [scored.points for scored in score.tickets] == [-11, 8, 10]


def test_stations_are_not_for_the_longest_path() -> None:
    table = lent_network(without_points()).station(0, "Sofia")

    assert table._result()[0, TRAIL_COLUMN] == 3


def test_a_station_may_lend_a_route_of_the_neutral_player_or_not() -> None:
    for lends_from, points in (("anyone", 4 + 5), ("players", 4 - 5)):
        table = Position(without_points(lends_from=lends_from)).own(0, "Budapest-Sarajevo/0")
        table.own("neutral", "Sarajevo-Sofia/0").tickets(0, "Budapest-Sofia").station(0, "Sofia")
        assert table.scores()[0] == points


def test_ties_are_broken_by_tickets_then_by_fewer_stations_then_by_the_path_bonus() -> None:
    table = Position(without_points())
    assert table.winners() == [0, 1]
    assert table.station(0, "Wien").winners() == [1]
    assert table.station(1, "Roma").winners() == [0, 1]
    # A ticket more goes before fewer stations: 4 + 5 points against 15 - 6, both with none or one completed.
    table = Position(without_points()).own(0, "Budapest-Sarajevo/0", "Sarajevo-Sofia/0").tickets(0, "Budapest-Sofia")
    table.own(1, "Palermo-Smyrna/0").tickets(1, "Zagrab-Brindisi").own(1, "Dieppe-Paris/0", "Budapest-Wien/0")
    assert table.scores() == [4 + 2 + 5, 15 + 1 + 1 - 6]
    assert table.station(0, "Wien").winners() == [0]
    assert score_state(table.map, table.state, 2).tie_break == "completed_tickets"


def test_scores_tell_what_stations_lend_and_left() -> None:
    table = lent_network(load("europe")).station(0, "Sofia", "Lisboa")
    score = score_state(table.map, table.state, 2)[0]

    uses = ["Lisboa: borrows nothing", "Sofia: borrows Sarajevo-Sofia (gray, 2)"]
    assert list(map(str, score.stations)) == uses
    assert score.station_points == 4
    assert score.n_completed == 1
    assert "4 stations (2 built)" in repr(score)
    table_of_scores = score_state(table.map, table.state, 2).table
    assert table_of_scores["stations"].tolist() == [4, 12]
    assert table_of_scores["n_stations"].tolist() == [2, 0]


def test_unknown_tickets_leave_the_best_use_to_those_known() -> None:
    table = lent_network(without_points()).station(0, "Sofia")
    table.state.held[0, 1] = UNKNOWN_TICKET
    table.state.n_held[0] = 2

    assert score_state(table.map, table.state, 2)[0].n_completed == 1


# -- the best use, against all ways ---------------------------------------------------


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 2**32), lends_from=st.sampled_from(["anyone", "players"]), n_stations=st.integers(1, 3))
def test_the_best_use_of_stations_is_that_of_all_ways(seed: int, lends_from: str, n_stations: int) -> None:
    rng = np.random.default_rng(seed)
    game_map = changed("europe", stations={"lends_from": lends_from})
    position = Position(game_map, 3)
    state = position.state
    n_routes = len(game_map.routes)
    owners = rng.choice([NOBODY, 0, 1, 2, NEUTRAL_OWNER], size=n_routes, p=[0.15, 0.25, 0.25, 0.2, 0.15])
    state.owner[:n_routes] = owners
    held = rng.choice(len(game_map.tickets), size=int(rng.integers(1, 9)), replace=False)
    state.held[0, : len(held)] = held
    state.n_held[0] = len(held)
    cities = [game_map.cities[i].name for i in rng.choice(len(game_map.cities), size=n_stations, replace=False)]
    position.station(0, *cities)
    table = Table(game_map, 3)
    table.owners = {
        route.id: NEUTRAL if owner == NEUTRAL_OWNER else int(owner)
        for route, owner in zip(game_map.routes, owners, strict=True)
        if owner != NOBODY
    }
    table.stations = dict.fromkeys(cities, 0)
    tickets = [game_map.tickets[i] for i in held]
    network = with_stations(table, 0, tickets)
    score = score_state(game_map, state, 3)[0]
    n_own = int((owners == 0).sum())

    assert score.ticket_points == sum(ticket_points(ticket, network) for ticket in tickets)
    assert score.n_completed == sum(ticket_points(ticket, network) > 0 for ticket in tickets)
    gained = [max(0, ticket_points(ticket, network)) for ticket in tickets]
    assert sum(max(0, ticket.points or 0) for ticket in score.tickets) == sum(gained)
    lent = [use.route for use in score.stations if use.route is not None]
    assert len(lent) == len(network) - n_own
    for use in score.stations:
        assert use.route is None or use.city.name in use.route.cities


# -- as an object -----------------------------------------------------------------------


def test_a_station_as_an_action() -> None:
    table = Position("europe").hand(0, red=1, locomotive=1)
    game, state = state_of(table)
    action = BuildStation(table.map.city("Wien"), Payment("red", 1, 0))

    assert str(action) == "build a station in Wien with 1 red"
    assert action in game.legal_actions(state)
    after = game.apply(state, action)
    assert (after.stations, after.n_stations) == ({"Wien": 0}, (2, 3))
    assert game.view(after, 1).stations == {"Wien": 0}
    assert after.discards == CardCounts.of(red=1)
    with pytest.raises(IllegalActionError, match="sets cannot pay for a station"):
        game.apply(state, BuildStation(table.map.city("Wien"), Payment(None, 0, 0, CardCounts.of(red=1))))
    with pytest.raises(IllegalActionError, match="expected a City of Europe, got 'Wien'"):
        game.apply(state, BuildStation("Wien", Payment("red", 1, 0)))  # type: ignore[arg-type]
    with pytest.raises(IllegalActionError, match="Oslo is not a city on the map Europe"):
        game.apply(state, BuildStation(load("nordic").city("Oslo"), Payment("red", 1, 0)))


def test_a_preview_of_a_station() -> None:
    table = Position("europe").hand(0, red=2, locomotive=1).station(0, "Wien").station(1, "Roma")
    game, state = state_of(table)

    preview = game.preview_station(state, "Paris")
    assert (preview.is_legal, preview.payment) == (True, Payment("red", 2, 0))
    assert str(preview) == "P0 may build a station in Paris with 2 red"
    assert str(game.preview_station(state, "Roma")) == "P0 may not: P1 has a station in Roma"
    assert str(game.preview_station(state, "Paris", seat=1)) == "P1 may not: P1 does not hold 2 cards of one color"


def test_the_rules_have_a_cost_for_each_station() -> None:
    assert StationRules() == StationRules(number=0, costs=(1, 2, 3), points_left=4, lends_from="anyone")
