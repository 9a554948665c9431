"""
The rules of the score at the end of a game.

The rules, section 1, "Tickets", "Longest continuous path" and "Ties for the win",
sections 2 to 5, "Bonus" and "Countries", and 7, "Scoring". Rule books: Nordic
Countries, end of the game; Switzerland, the board and destination tickets;
Nederland, points at the end. Loans and the toll bonus are tested with money.
"""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest

from tests.engine.positions import Position, changed

DENVER = ("Denver-Santa Fe/0", "El Paso-Santa Fe/0")
"""Two gray routes of length 2, which complete Denver-El Paso."""
AUSTRIA, ITALY = "Austria via Davos-Davos/0", "Davos-Italy via Davos/0"
LUGANO = "Italy via Lugano-Lugano/0"


# -- tickets --------------------------------------------------------------------------


def test_a_completed_ticket_scores_its_points() -> None:
    table = Position(changed("usa", scoring={"zero_ties": False})).tickets(0, "Denver-El Paso").own(0, *DENVER)

    assert table.scores() == [2 + 2 + 4 + 10, 0]


def test_a_ticket_that_is_not_completed_loses_its_points() -> None:
    table = Position(changed("usa", scoring={"zero_ties": False})).tickets(1, "Denver-El Paso", "Seattle-New York")

    assert table.scores() == [0, -4 - 22]


def test_a_ticket_wants_a_connected_network() -> None:
    table = Position("usa").tickets(0, "Denver-El Paso").own(0, DENVER[0], "El Paso-Phoenix/0")

    assert table.n_completed() == [0, 0]


def test_tickets_count_by_the_players_own_network_only() -> None:
    table = Position("usa").tickets(0, "Denver-El Paso").own(0, DENVER[0]).own(1, DENVER[1])

    assert table.n_completed() == [0, 0]


def test_a_detour_completes_a_ticket_too() -> None:
    table = Position("usa").tickets(0, "Denver-El Paso")
    table.own(0, "Denver-Phoenix/0", "El Paso-Phoenix/0")

    assert table.n_completed() == [1, 0]


# -- countries --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ticket", "routes", "points"),
    [
        pytest.param("Lugano-countries", (LUGANO,), 2, id="a city joined to a listed country"),
        pytest.param("Lugano-countries", (), -2, id="with none, the lowest value is lost"),
        pytest.param("Lugano-countries", (AUSTRIA, ITALY), -2, id="a country is no city"),
        pytest.param("Lugano-countries", (LUGANO, ITALY, AUSTRIA), 2, id="nothing passes through a country"),
        pytest.param("Italy-countries/0", (AUSTRIA, ITALY), 6, id="a country joined to a country"),
        pytest.param("Italy-countries/0", (AUSTRIA, LUGANO), -6, id="each by itself is not joined"),
        pytest.param("Italy-countries/0", (LUGANO, ITALY), -6, id="border points of one country do not count"),
        pytest.param("Austria-countries/1", (AUSTRIA, ITALY), 6, id="the other way round, by another ticket"),
        pytest.param("Austria-countries/1", (), -5, id="the lowest value of a ticket between countries"),
        pytest.param(
            "Bern-countries",
            ("Bern-Solothurn/0", "Delémont-Solothurn/0", "Basel-Delémont/0", "Basel-Germany via Basel/0"),
            6,
            id="through cities to a country",
        ),
        pytest.param(
            "Bern-countries",
            (
                "Bern-Solothurn/0",
                "Delémont-Solothurn/0",
                "Delémont-France via Delémont/0",
                "Basel-Delémont/0",
                "Basel-Germany via Basel/0",
            ),
            6,
            id="the best country reached counts, once",
        ),
    ],
)
def test_tickets_with_countries(ticket: str, routes: tuple[str, ...], points: int) -> None:
    table = Position(changed("switzerland", bonus=())).tickets(0, ticket).own(0, *routes)

    assert table.scores()[0] - table.number("score") == points
    assert table.n_completed()[0] == (points > 0)


def test_border_points_of_one_country_are_not_connected_by_it() -> None:
    lugano = "Bellinzona-Lugano/0"
    table = Position("switzerland").own(0, LUGANO, lugano, "Italy via Locarno-Locarno/0")
    longest = Position("switzerland").own(0, LUGANO, lugano).own(1, "Bern-Interlaken/0")

    assert longest.bonuses() == [10, 10]  # 2 + 1 cars against 3
    assert table.own(1, "Bern-Luzern/0").bonuses() == [0, 10]  # Italy does not join 3 and 2 cars to 5


# -- bonuses ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["switzerland", "usa"])
def test_ten_points_for_the_longest_continuous_path(name: str) -> None:
    routes = {"switzerland": ("Bern-Interlaken/0", "Bern-Luzern/0"), "usa": DENVER}[name]
    table = Position(name).own(0, *routes)

    assert table.bonuses() == [10, 0]


def test_the_path_is_measured_in_cars() -> None:
    table = Position("usa").own(0, "Calgary-Winnipeg/0")
    table.own(1, "Dallas-Houston/0", "Kansas City-Omaha/0", *DENVER)

    assert table.bonuses() == [10, 0]  # 6 cars on one route against 4 on two


def test_cities_may_repeat_on_the_path_and_routes_may_not() -> None:
    loop = ("Denver-Santa Fe/0", "El Paso-Santa Fe/0", "El Paso-Phoenix/0", "Denver-Phoenix/0", "Denver-Helena/0")
    table = Position("usa").own(0, *loop).own(1, "Duluth-Toronto/0", "Calgary-Winnipeg/0", "Duluth-Winnipeg/0")

    assert table.bonuses() == [10, 10]  # the loop of 12 and 4 more against 6 + 4 + 6


def test_all_tied_players_get_the_path_bonus() -> None:
    table = Position("usa", 3).own(0, "Calgary-Winnipeg/0").own(2, "Duluth-Toronto/0")

    assert table.bonuses() == [10, 0, 10]


def test_a_tie_at_zero_is_a_tie_too() -> None:
    assert Position("usa", 3).bonuses() == [10, 10, 10]
    assert Position("nordic", 3).bonuses() == [10, 10, 10]


def test_without_zero_ties_nobody_gets_a_bonus_for_nothing() -> None:
    for name in ("usa", "nordic", "switzerland"):
        assert Position(changed(name, scoring={"zero_ties": False})).bonuses() == [0, 0]


def test_globetrotter_is_for_the_most_completed_tickets() -> None:
    table = Position("nordic", 3).tickets(0, "Oslo-Stockholm").own(0, "Oslo-Örebro/0", "Stockholm-Örebro/0")
    table.tickets(1, "Oslo-København", "Tampere-Tallinn").own(1, "Göteborg-Oslo/0", "Göteborg-København/0")

    assert table.bonuses() == [10, 10, 0]
    assert table.own(1, "Helsinki-Tampere/0", "Helsinki-Tallinn/0").bonuses() == [0, 10, 0]


def test_nordic_has_no_bonus_for_the_longest_path() -> None:
    table = Position("nordic").own(0, "Boden-Kiruna/0")

    assert table.scores() == [4 + 10, 10]


def test_nederland_has_no_bonus_for_path_or_tickets() -> None:
    table = Position("nederland").own(0, "'s-Gravenhage-Middelburg/0")

    assert table.scores() == [15 + 35, 1 + 35]


# -- ties for the win ------------------------------------------------------------------------


def level(table: Position) -> Position:
    """Give all players the same total."""
    best = max(table.scores())
    for seat, score in enumerate(table.scores()):
        table.put("score", table.number("score", seat) + best - score, seat)
    assert len(set(table.scores())) == 1
    return table


def test_most_points_win() -> None:
    assert Position("usa").put("score", 1, 1).winners() == [1]


@pytest.mark.parametrize("name", ["nordic", "switzerland", "nederland", "usa"])
def test_completed_tickets_decide_first(name: str) -> None:
    table = Position(name)
    ticket = min(table.map.tickets, key=lambda ticket: ticket.penalty)
    graph = nx.Graph(route.cities for route in table.map.routes)
    way = nx.shortest_path(graph, ticket.origin.cities[0], ticket.destinations[0][0].cities[0])
    routes = [table.map.routes_between(a, b)[0].id for a, b in pairwise(way)]
    table.tickets(1, ticket.id).own(1, *routes)

    assert level(table).winners() == [1]


@pytest.mark.parametrize("name", ["nordic", "nederland", "usa"])
def test_a_full_tie_is_a_shared_win(name: str) -> None:
    assert level(Position(name)).winners() == [0, 1]


def test_nordic_then_the_longer_trail_decides() -> None:
    assert level(Position("nordic").own(0, "Boden-Kiruna/0").own(1, "Oslo-Örebro/0")).winners() == [0]


def test_nordic_only_the_trails_of_tied_players_count() -> None:
    table = level(Position("nordic", 3).own(0, "Boden-Kiruna/0").own(1, "Oslo-Örebro/0").own(2, "Lieksa-Murmansk/0"))
    table.put("score", 0, 2)

    assert table.winners() == [0]


@pytest.mark.parametrize(("name", "long"), [("usa", "Calgary-Winnipeg/0"), ("switzerland", "Genève-Yverdon/0")])
def test_then_who_has_the_path_bonus_wins(name: str, long: str) -> None:
    assert level(Position(name).own(1, long)).winners() == [1]


def test_a_path_bonus_of_a_player_who_is_not_tied_decides_nothing() -> None:
    table = level(Position("usa", 3).own(0, "Calgary-Winnipeg/0").own(1, "Chicago-Duluth/0"))
    table.put("score", -50)

    assert table.winners() == [1, 2]


def test_nederland_has_nothing_further() -> None:
    assert level(Position("nederland").own(0, "'s-Gravenhage-Middelburg/0")).winners() == [0, 1]


def test_other_tie_breaks() -> None:
    for breaks, winners in (((), [0, 1]), (("longest_trail",), [1])):
        table = Position(changed("nederland", scoring={"tie_breaks": breaks}))
        assert level(table.own(1, "'s-Gravenhage-Middelburg/0")).winners() == winners


def test_other_start_scores() -> None:
    table = Position(changed("usa", scoring={"start_scores": (7, 8, 9)}), 3)

    assert table.numbers("score") == [7, 8, 9]
    assert table.scores() == [17, 18, 19]
