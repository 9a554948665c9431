"""Edge cases of the score as the referee counts it; its moves are judged beside those of `positions.Position`."""

from __future__ import annotations

import pytest

from tests.fixtures import load
from tests.oracles.referee import Referee
from tests.oracles.referee.scoring import award, final, longest_trail, reached, ticket_points, winners


def test_a_ticket_scores_by_the_players_own_network() -> None:
    game_map = load("invented")
    ticket = game_map.ticket("Dunmore", "Lomond")
    path = [game_map.route("Dunmore-Hollow/1"), game_map.route("Hollow-Lomond/0")]
    assert ticket_points(ticket, path) == 4
    assert ticket_points(ticket, path[:1]) == -4
    assert ticket_points(ticket, []) == -4


def test_a_ticket_to_countries_scores_the_best_reached_or_loses_the_lowest() -> None:
    game_map = load("invented")
    ticket = game_map.ticket("Jarlsby-countries")
    network = [game_map.route(a, b, track=0) for a, b in [("Jarlsby", "Hollow"), ("Hollow", "Lomond")]]
    assert ticket_points(ticket, network) == -8
    network.append(game_map.route("Farland ferry", "Lomond"))
    assert ticket_points(ticket, network) == 8
    network += [game_map.route(a, b, track=0) for a, b in [("Hollow", "Gdynka & Söhne"), ("Gdynka & Söhne", "Farrow")]]
    network.append(game_map.route("Farrow", "Outland (south)"))
    assert reached(ticket, network) == [14, 8]
    assert ticket_points(ticket, network) == 14


def test_nothing_passes_through_a_country() -> None:
    game_map = load("invented")
    network = [game_map.route("Kråke", "Outland (north)"), game_map.route("Farrow", "Outland (south)")]
    assert ticket_points(game_map.ticket("Ærø Havn-Farrow"), network) == -9
    assert longest_trail(network) == 3


def test_the_longest_trail_counts_cars_and_may_pass_a_city_again() -> None:
    game_map = load("usa")
    loop = [
        ("Dallas", "Houston"),
        ("Houston", "New Orleans"),
        ("New Orleans", "Little Rock"),
        ("Little Rock", "Dallas"),
    ]
    routes = [game_map.route(a, b, track=0) for a, b in [*loop, ("Dallas", "El Paso")]]
    assert longest_trail(routes) == 1 + 2 + 3 + 2 + 4


def scored(name: str, n_players: int, *, tokens: list[int], loans: list[int]) -> list[int]:
    """Return the points of the toll bonus."""
    referee = Referee(load(name), n_players)
    referee.table.tokens, referee.table.loans = tokens, loans
    game = final(referee.table)
    assert [seat.loans for seat in game.seats] == [5 * n for n in loans]
    return [seat.bonuses[0] for seat in game.seats]


@pytest.mark.parametrize(
    ("tokens", "loans", "points"),
    [
        pytest.param([9, 3, 9, 1], [0, 1, 0, 0], [55, 0, 55, 20], id="the book's example"),
        pytest.param([0, 0, 0, 0], [0, 0, 0, 0], [55, 55, 55, 55], id="a tie at zero"),
        pytest.param([5, 4, 3, 0], [0, 0, 0, 0], [55, 35, 20, 0], id="no tie"),
        pytest.param([0, 9], [0, 1], [35, 0], id="no tokens, but no loan"),
        pytest.param([2, 1, 0], [0, 0, 0], [55, 35, 0], id="three players"),
        pytest.param([5, 4, 3, 2, 1], [0, 0, 0, 0, 0], [55, 35, 20, 10, 0], id="five players"),
    ],
)
def test_toll_bonus(tokens: list[int], loans: list[int], points: list[int]) -> None:
    assert scored("nederland", len(tokens), tokens=tokens, loans=loans) == points


def test_players_tied_for_most_tickets_all_get_the_globetrotter() -> None:
    referee = Referee(load("nordic"), 3)
    game = final(referee.table)
    assert [seat.bonuses for seat in game.seats] == [[10]] * 3
    bonus = referee.table.rules.bonus[0]
    game.seats[1].n_completed = 2
    assert award(bonus, game.seats, zero_ties=True) == [0, 10, 0]


@pytest.mark.parametrize(
    ("name", "n_completed", "trails", "path_bonus", "won_by"),
    [
        pytest.param("usa", [3, 2, 3], [9, 9, 4], [10, 10, 0], [0], id="tickets, then who has the path bonus"),
        pytest.param("usa", [3, 3, 1], [9, 9, 4], [10, 10, 0], [0, 1], id="both have it: a shared win"),
        pytest.param("usa", [3, 3, 1], [4, 5, 9], [0, 0, 10], [0, 1], id="none of the tied has it: a shared win"),
        pytest.param("nordic", [3, 3, 3], [4, 9, 5], [0, 0, 0], [1], id="the longer trail"),
        pytest.param("nederland", [3, 3, 2], [4, 9, 5], [0, 0, 0], [0, 1], id="nothing further"),
    ],
)
def test_ties(name: str, n_completed: list[int], trails: list[int], path_bonus: list[int], won_by: list[int]) -> None:
    table = Referee(load(name), 3).table
    seats = final(table).seats
    for seat in seats:
        seat.tickets, seat.start, seat.routes = {}, 100 - path_bonus[seat.seat], 0
        seat.n_completed, seat.longest_trail = n_completed[seat.seat], trails[seat.seat]
        seat.bonuses = [path_bonus[seat.seat]]
    assert winners(table, seats) == won_by
