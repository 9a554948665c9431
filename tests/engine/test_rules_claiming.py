"""
The rules of claiming routes.

The rules, section 1, "Claiming" and "Double routes", sections 2 to 5, and 7,
"Claiming". Rule books: Nordic Countries, controlling a line, with the examples
of the yellow, the gray and the orange line; Switzerland, introduction and
locomotive cards; Nederland, double lines, and the variant without tolls. What
pays for a ferry or for Murmansk-Lieksa, and tunnels, have tests of their own.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.positions import DRAW, PASS, Position, changed, face_up
from tests.fixtures import EVERY_MAP
from ttr_analysis.engine.codes import CLAIM_ROUTE, ActionFault, kind_of, make_action
from ttr_analysis.engine.layout import NOBODY, Phase

WINNIPEG = "Calgary-Winnipeg/0"
"""Six white spaces."""
BREDA = "Breda-Rotterdam"

# -- one route a turn -----------------------------------------------------------------


def test_a_claim_is_a_turn() -> None:
    table = Position("usa").hand(0, red=4).claims("Boston-New York/0", red=2)

    assert (table.phase, table.seat) == (Phase.TURN, 1)
    assert table.owner("Boston-New York/0") == 0


def test_the_cards_go_to_the_discard_pile() -> None:
    table = Position("usa").hand(0, red=3, blue=1).claims("Boston-New York/0", red=2)

    assert table.discard_pile() == {"red": 2}
    assert table.hand_of(0) == {"blue": 1, "red": 1}
    assert table.number("n_hand") == 2


def test_the_trains_go_to_the_route() -> None:
    table = Position("usa").hand(0, white=6).claims(WINNIPEG, white=6)

    assert table.numbers("trains") == [39, 45]


@pytest.mark.parametrize(
    ("name", "route", "cards", "points"),
    [
        pytest.param("usa", "Atlanta-Nashville/0", {"red": 1}, 1, id="length 1"),
        pytest.param("usa", "Boston-New York/0", {"red": 2}, 2, id="length 2"),
        pytest.param("usa", "Chicago-Duluth/0", {"red": 3}, 4, id="length 3"),
        pytest.param("usa", "Dallas-El Paso/0", {"red": 4}, 7, id="length 4"),
        pytest.param("usa", "Atlanta-Miami/0", {"blue": 5}, 10, id="length 5"),
        pytest.param("usa", "Calgary-Winnipeg/0", {"white": 6}, 15, id="length 6"),
        pytest.param("nordic", "Lieksa-Murmansk/0", {"green": 9}, 27, id="length 9: Nordic, table of points"),
        pytest.param("switzerland", "Genève-Yverdon/0", {"red": 6}, 15, id="Switzerland: the same table"),
        pytest.param("nederland", "'s-Gravenhage-Middelburg/0", {"red": 6}, 15, id="Nederland: the same table"),
    ],
)
def test_points_are_scored_at_once(name: str, route: str, cards: dict[str, int], points: int) -> None:
    table = Position(name).hand(0, **cards)
    before = table.number("score")
    table.claims(route, **cards)

    assert table.number("score") == before + points


def test_no_second_route_in_a_turn() -> None:
    table = Position("usa").hand(0, red=4, yellow=2).claims("Boston-New York/0", red=2)

    assert table.seat == 1
    assert table.fault(table.claim("Chicago-Duluth/0", red=3)) == ActionFault.CARDS  # seat 1 has none


def test_no_route_after_a_card_was_drawn() -> None:
    table = Position("usa").hand(0, red=4).do_by_chance(DRAW)

    assert table.fault(table.claim("Boston-New York/0", red=2)) == ActionFault.PHASE


# -- what pays for a plain route ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "route", "cards", "legal"),
    [
        pytest.param("nordic", "Oslo-Örebro/1", {"yellow": 2}, True, id="Nordic, example 1: two yellow on yellow"),
        pytest.param("nordic", "Oslo-Örebro/1", {"green": 2}, False, id="a colored route needs its color"),
        pytest.param("nordic", "Norrköping-Örebro/0", {"blue": 2}, True, id="Nordic, example 2: any color on gray"),
        pytest.param("nordic", "Norrköping-Örebro/0", {"red": 1, "blue": 1}, False, id="two colors on gray"),
        pytest.param("nordic", "Oslo-Örebro/1", {"yellow": 1}, False, id="too few cards"),
        pytest.param("nordic", "Oslo-Örebro/1", {"yellow": 3}, False, id="too many cards"),
        pytest.param("nordic", "Oslo-Örebro/1", {}, False, id="no cards"),
        pytest.param("nordic", "Oslo-Örebro/1", {"yellow": 1, "locomotive": 1}, False, id="Nordic: no joker on plain"),
        pytest.param("nordic", "Norrköping-Örebro/0", {"locomotive": 2}, False, id="Nordic: nor on gray"),
        pytest.param("switzerland", "Bern-Neuchâtel/0", {"red": 2}, True, id="Switzerland: the color"),
        pytest.param("switzerland", "Bern-Neuchâtel/0", {"red": 1, "locomotive": 1}, False, id="Switzerland: no joker"),
        pytest.param("switzerland", "Bern-Luzern/0", {"locomotive": 4}, False, id="Switzerland: nor on gray"),
        pytest.param("usa", "Boston-New York/0", {"red": 1, "locomotive": 1}, True, id="base game: a joker"),
        pytest.param("usa", "Boston-New York/0", {"locomotive": 2}, True, id="base game: locomotives alone"),
        pytest.param("usa", "Atlanta-Charleston/0", {"locomotive": 2}, True, id="base game: locomotives on gray"),
        pytest.param("nederland", "Breda-Rotterdam/0", {"purple": 1, "locomotive": 1}, True, id="Nederland: a joker"),
        pytest.param("nederland", "Hasselt-Liège/0", {"locomotive": 2}, True, id="Nederland: locomotives on gray"),
    ],
)
def test_what_pays_for_a_plain_route(name: str, route: str, cards: dict[str, int], legal: bool) -> None:  # noqa: FBT001
    table = Position(name).hand(0, yellow=4, green=4, blue=4, red=4, purple=4, locomotive=4)

    assert table.fault(table.claim(route, **cards)) == (ActionFault.NONE if legal else ActionFault.PAYMENT)


def test_cards_that_are_not_held_pay_for_nothing() -> None:
    table = Position("usa").hand(0, red=1).hand(1, red=5)

    assert table.fault(table.claim("Boston-New York/0", red=2)) == ActionFault.CARDS


# -- which routes are open ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        pytest.param(lambda t: t.own(1, WINNIPEG), ActionFault.TAKEN, id="it belongs to another player"),
        pytest.param(lambda t: t.own(0, WINNIPEG), ActionFault.TAKEN, id="it is one's own"),
        pytest.param(lambda t: t.own(0, "Atlanta-Miami/0"), ActionFault.NONE, id="it is not connected to others"),
        pytest.param(lambda t: t.put("trains", 5), ActionFault.TRAINS, id="it is longer than the trains left"),
        pytest.param(lambda t: t.put("trains", 6), ActionFault.NONE, id="it takes all trains"),
        pytest.param(lambda t: t.put("trains", 0, 1), ActionFault.NONE, id="the trains of others do not matter"),
    ],
)
def test_whether_a_route_of_six_is_open(before: Callable[[Position], Position], fault: ActionFault) -> None:
    table = before(Position("usa").hand(0, white=6))

    assert table.fault(table.claim(WINNIPEG, white=6)) == fault


def test_there_is_no_such_route() -> None:
    table = Position("usa").hand(0, white=6)

    for route in (-1, 100, 127):
        assert table.fault((make_action(CLAIM_ROUTE, route), 0)) == ActionFault.ROUTE


# -- double routes --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variant", "pair", "cards", "twin_cards", "open_from"),
    [
        pytest.param("nordic", None, "Oslo-Örebro", {"green": 2}, {"yellow": 2}, 3, id="Nordic: from 3"),
        pytest.param("switzerland", None, "Zug-Zürich", {"green": 1}, {"red": 1}, 3, id="Switzerland: from 3"),
        pytest.param("nederland", None, BREDA, {"purple": 2}, {"yellow": 2}, 2, id="Nederland: always"),
        pytest.param("nederland", "no_tolls", BREDA, {"purple": 2}, {"yellow": 2}, 4, id="without tolls: from 4"),
        pytest.param("usa", None, "Boston-New York", {"red": 2}, {"yellow": 2}, 4, id="base game: from 4"),
    ],
)
def test_the_second_track_is_open_from_some_number_of_players(
    name: str, variant: str | None, pair: str, cards: dict[str, int], twin_cards: dict[str, int], open_from: int
) -> None:
    twin = f"{pair}/1"
    fewest, most = Position(name).map.rules.players
    for n_players in range(fewest, most + 1):
        table = Position(name, n_players, variant).hand(0, **cards).hand(1, **twin_cards)
        table.claims(f"{pair}/0", **cards)

        is_open = n_players >= open_from
        fault = ActionFault.NONE if is_open else ActionFault.TWIN_CLOSED
        assert table.fault(table.claim(twin, **twin_cards)) == fault
        assert (twin in table.claimable()) == is_open


@pytest.mark.parametrize(("name", "n_players"), [("nordic", 2), ("nordic", 3), ("nederland", 2), ("nederland", 5)])
def test_no_player_claims_both_tracks(name: str, n_players: int) -> None:
    a, b = {"nordic": ("Oslo-Örebro/0", "Oslo-Örebro/1"), "nederland": ("Breda-Rotterdam/1", "Breda-Rotterdam/0")}[name]
    table = Position(name, n_players).own(0, a).hand(0, yellow=2, purple=2)

    assert table.fault(table.claim(b, yellow=2)) == ActionFault.TWIN_OWN


def test_the_first_claim_closes_the_other_track_at_once_for_both() -> None:
    table = Position("nordic").hand(0, green=2, yellow=2).hand(1, green=2, yellow=2)
    assert {"Oslo-Örebro/0", "Oslo-Örebro/1"} <= table.claimable()
    table.claims("Oslo-Örebro/1", yellow=2)

    assert not {"Oslo-Örebro/0", "Oslo-Örebro/1"} & table.claimable()
    assert table.fault(table.claim("Oslo-Örebro/0", green=2)) == ActionFault.TWIN_CLOSED
    table.do_by_chance(DRAW, DRAW)
    assert table.fault(table.claim("Oslo-Örebro/0", green=2)) == ActionFault.TWIN_OWN


@pytest.mark.parametrize(
    ("first", "cards", "second", "second_cards"),
    [
        pytest.param("Mo i Rana-Trondheim/0", {"green": 5}, "Mo i Rana-Trondheim/1", {"red": 4}, id="tunnel, ferry"),
        pytest.param(
            "Kristiansand-Stavanger/0", {"green": 2}, "Kristiansand-Stavanger/1", {"orange": 2}, id="tunnel 2, ferry 3"
        ),
        pytest.param("Helsinki-Stockholm/1", {"yellow": 3}, "Helsinki-Stockholm/0", {"white": 2}, id="1, 2 symbols"),
    ],
)
@pytest.mark.parametrize("n_players", [2, 3])
def test_tracks_of_different_kinds_are_a_double_route(
    first: str, cards: dict[str, int], second: str, second_cards: dict[str, int], n_players: int
) -> None:
    table = Position("nordic", n_players).own(0, first).hand(0, locomotive=2, **second_cards)
    table.hand(1, locomotive=2, **second_cards)
    claim = table.claim(second, locomotive=1 if cards == {"green": 2} else 2, **second_cards)

    assert table.fault(claim) == ActionFault.TWIN_OWN
    table.do_by_chance(DRAW, DRAW)
    assert table.fault(claim) == (ActionFault.TWIN_CLOSED if n_players == 2 else ActionFault.NONE)


def test_two_routes_from_one_city_to_a_country_are_no_double_route() -> None:
    east, west = "Germany via Kreuzlingen (east)-Kreuzlingen/0", "Germany via Kreuzlingen (west)-Kreuzlingen/0"
    table = Position("switzerland").own(0, east).hand(0, orange=1)

    assert table.fault(table.claim(west, orange=1)) == ActionFault.NONE


# -- what is listed ---------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_MAP)
def test_every_action_that_is_listed_is_legal(name: str) -> None:
    table = Position(name).hand(0, purple=1, blue=3, red=1, locomotive=1)
    actions = table.legal()

    assert len(set(actions)) == len(actions)
    assert {table.fault(action) for action in actions} == {ActionFault.NONE}
    assert {kind_of(code) for code, _ in actions} >= {kind_of(DRAW[0]), kind_of(face_up(0)[0]), CLAIM_ROUTE}
    assert PASS not in actions


def test_routes_that_nobody_can_pay_are_not_listed() -> None:
    table = Position("usa").hand(0, blue=1)

    assert table.claimable() == {r.id for r in table.map.routes if r.length == 1 and r.color in ("gray", "blue")}


def test_nobody_owns_a_route_at_the_start() -> None:
    table = Position("nordic")

    assert {table.owner(route.id) for route in table.map.routes} == {NOBODY}


# -- fields -----------------------------------------------------------------------------


def test_other_points_by_length() -> None:
    points = tuple((length, 10 * length) for length in range(1, 7))
    table = Position(changed("usa", claims={"points": points})).hand(0, red=2)

    assert table.claims("Boston-New York/0", red=2).number("score") == 20


@pytest.mark.parametrize("open_from", [0, 2, 3, 7])
def test_from_how_many_players_double_routes_are_open(open_from: int) -> None:
    table = Position(changed("usa", claims={"double_routes_from": open_from})).hand(0, red=2)
    table.own(1, "Boston-New York/1")

    expected = ActionFault.NONE if open_from <= 2 else ActionFault.TWIN_CLOSED
    assert table.fault(table.claim("Boston-New York/0", red=2)) == expected


def test_kinds_of_route_on_which_a_locomotive_is_a_joker() -> None:
    table = Position(changed("nordic", claims={"locomotives_on": ("plain",)})).hand(0, green=1, locomotive=2)

    assert table.fault(table.claim("Oslo-Örebro/0", green=1, locomotive=1)) == ActionFault.NONE
    assert table.fault(table.claim("Kristiansand-Stavanger/0", locomotive=2)) == ActionFault.PAYMENT
