"""Edge cases of tolls, the neutral player and the end of a game, as the referee judges them."""

from __future__ import annotations

import pytest

from tests.fixtures import load
from tests.oracles.referee import Decision, Event, Referee
from tests.oracles.referee.scoring import award, final, longest_trail, reached, ticket_points, winners
from tests.oracles.referee.staging import (
    arrange,
    begin,
    draw_twice,
    fault_of,
    follow,
    follow_and_settle,
    move,
    names,
    own,
    park_tickets,
    with_rules,
)
from ttr_analysis.cards import COLORS

# -- money ---------------------------------------------------------------------------


def toll_case(*, tokens: int) -> Referee:
    """Let seat 0, with so many tokens, claim the second track Breda-Rotterdam beside seat 1."""
    referee = begin(load("nederland"), 2)
    arrange(referee, {"purple": 2})
    own(referee, 1, "Breda-Rotterdam/1")
    referee.table.transfer(0, "bank", 30 - tokens)
    follow(referee, move("claim_route", 0, route="Breda-Rotterdam/0", cards={"purple": 2}))
    return referee


@pytest.mark.parametrize(
    ("tokens", "left", "n_loans"),
    [
        pytest.param(5, 1, 0, id="paid to the owner of the first track"),
        pytest.param(4, 0, 0, id="tokens that just suffice are paid"),
        pytest.param(2, 2, 1, id="a loan: nothing paid, not even in part"),
    ],
)
def test_toll_of_a_second_track(tokens: int, left: int, n_loans: int) -> None:
    table = toll_case(tokens=tokens).table
    assert table.tokens == [left, 34]
    assert table.loans == [n_loans, 0]


def test_the_toll_of_a_first_track_goes_to_the_bank() -> None:
    referee = begin(load("nederland"), 2)
    arrange(referee, {"purple": 2})
    follow(referee, move("claim_route", 0, route="Breda-Rotterdam/0", cards={"purple": 2}))
    assert referee.table.tokens == [26, 30]


def test_a_toll_owed_to_the_neutral_player_goes_to_the_bank() -> None:
    referee = begin(load("nederland").with_variant("neutral"), 2)
    arrange(referee, {"purple": 2})
    referee.table.owners["Breda-Rotterdam/1"] = "neutral"
    referee.table.neutral_trains -= 2
    follow(referee, move("claim_route", 0, route="Breda-Rotterdam/0", cards={"purple": 2}))
    assert referee.table.tokens == [26, 30]


# -- the neutral player ----------------------------------------------------------------


def neutral_case(ticket: str, *, variant: str = "neutral") -> Referee:
    """Return a game in which the neutral player turns up a ticket after the sixth round."""
    referee = begin(load("nederland").with_variant(variant), 2)
    arrange(referee, {"red": 2}, {"red": 2})
    table = referee.table
    for place in (*table.held, table.ticket_discards):
        table.ticket_pile += place
        place.clear()
    table.n_turns = 10
    draw_twice(referee, 0)
    table.ticket_pile.remove(ticket)
    table.ticket_pile.insert(0, ticket)
    return referee


TURNED_UP: Event = {"event": "neutral_ticket", "ticket": "Antwerpen-Nijmegen"}
"""It names Breda and Rotterdam."""


def test_the_holder_of_the_marker_chooses_between_two_free_tracks() -> None:
    referee = neutral_case("Antwerpen-Nijmegen")
    draw_twice(referee, 1)
    assert follow(referee, TURNED_UP) == Decision("neutral", 1)
    assert referee.table.ticket_discards == ["Antwerpen-Nijmegen"]
    fault_of(referee, move("choose_neutral_route", 1, route="Breda-Turnhout/0"))
    choice = move("choose_neutral_route", 1, route="Breda-Rotterdam/1")
    assert follow(referee, choice) == Decision("turn", 0)
    assert referee.table.marker == 0
    assert referee.table.neutral_trains == 38


@pytest.mark.parametrize("seat", [0, 1])
def test_the_neutral_player_takes_the_track_beside_a_player_whom_the_bank_pays(seat: int) -> None:
    referee = neutral_case("Antwerpen-Nijmegen")
    own(referee, seat, "Breda-Rotterdam/0")
    draw_twice(referee, 1)
    assert follow(referee, TURNED_UP) == Decision("turn", 0)
    assert referee.table.owners["Breda-Rotterdam/1"] == "neutral"
    assert referee.table.tokens[seat] == 34
    assert referee.table.marker == 1


def test_nothing_happens_where_both_tracks_are_taken_or_one_is_neutral() -> None:
    for owners in ((0, 1), ("neutral", 1), (0, "neutral"), ("neutral", None)):
        referee = neutral_case("Antwerpen-Nijmegen")
        for track, owner in enumerate(owners):
            if owner == "neutral":
                referee.table.neutral_trains -= 2
                referee.table.owners[f"Breda-Rotterdam/{track}"] = "neutral"
            elif isinstance(owner, int):
                own(referee, owner, f"Breda-Rotterdam/{track}")
        before = dict(referee.table.owners)
        draw_twice(referee, 1)
        assert follow(referee, TURNED_UP) == Decision("turn", 0)
        assert referee.table.owners == before
        assert referee.table.neutral_in


def test_the_neutral_player_leaves_when_it_has_too_few_trains() -> None:
    referee = neutral_case("Antwerpen-Nijmegen")
    referee.table.neutral_trains -= 39
    draw_twice(referee, 1)
    referee.apply(TURNED_UP)
    assert referee.due == Decision("turn", 0)
    assert not referee.table.neutral_in
    assert referee.table.ticket_discards == ["Antwerpen-Nijmegen"]


def test_the_neutral_player_leaves_when_the_ticket_pile_is_empty() -> None:
    referee = neutral_case("Antwerpen-Nijmegen")
    table = referee.table
    table.ticket_pile, table.ticket_discards = [], table.ticket_pile
    draw_twice(referee, 1)
    assert follow(referee, {"event": "tickets_shuffled"}) == Decision("turn", 0)
    assert not table.neutral_in
    assert table.ticket_pile


def test_a_draw_that_finds_the_ticket_pile_empty_makes_the_neutral_player_leave() -> None:
    referee = begin(load("nederland").with_variant("neutral"), 2)
    park_tickets(referee, pile=3, discards=5)
    drawn = follow_and_settle(referee, move("draw_tickets", 0))
    assert names(drawn)[3] == "tickets_shuffled"
    assert not referee.table.neutral_in


def test_the_first_five_rounds_are_without_the_neutral_player() -> None:
    referee = neutral_case("Antwerpen-Nijmegen")
    referee.table.n_turns = 9
    draw_twice(referee, 1)
    assert referee.due == Decision("turn", 0)


# -- the end -----------------------------------------------------------------------------


def test_the_last_round_gives_everyone_one_turn_the_trigger_last() -> None:
    referee = begin(load("usa"), 3)
    arrange(referee)
    draw_twice(referee, 0)
    referee.table.trains[1] = 2
    draw_twice(referee, 1)
    assert referee.table.turns_left == 3
    for seat in (2, 0, 1):
        assert referee.due == Decision("turn", seat)
        draw_twice(referee, seat)
    assert referee.due is None
    assert referee.table.ending == "trains"


def test_passing_is_legal_only_when_stuck() -> None:
    referee = begin(load("usa"), 2)
    park_tickets(referee, pile=0)
    hand = dict.fromkeys(COLORS, 1)
    arrange(referee, hand, market=(None,) * 5, pile={})
    assert "another legal move" in fault_of(referee, move("pass", 0))  # a route of length 1 can be paid
    referee.table.trains = [0, 0]
    assert not referee.fault(move("pass", 0))


def test_a_round_of_passes_ends_the_game_before_the_last_round() -> None:
    referee = begin(load("nordic"), 2)
    park_tickets(referee, pile=0)
    arrange(referee, market=(None,) * 5, pile={})
    table = referee.table
    table.trains = [3, 3]
    table.owners = {route.id: "neutral" for route in table.map.routes if route.length <= 3}
    referee.apply(move("pass", 0))
    referee.apply(move("pass", 1))
    assert referee.due is None
    assert table.ending == "passes"


def test_a_tunnel_attempt_is_a_legal_move_that_forbids_passing() -> None:
    referee = begin(load("nordic"), 2)
    park_tickets(referee, pile=0)
    arrange(referee, {"green": 2}, market=(None,) * 5, pile={})
    assert "another legal move" in fault_of(referee, move("pass", 0))


def test_a_game_that_reaches_the_limit_of_turns_is_truncated() -> None:
    referee = begin(with_rules(load("usa"), "trains", max_turns=10), 2)
    arrange(referee)
    for turn in range(10):
        draw_twice(referee, turn % 2)
    assert referee.due is None
    assert referee.final().truncated


# -- the score ---------------------------------------------------------------------------


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
    referee = begin(load(name), n_players)
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
    referee = begin(load("nordic"), 3)
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
    table = begin(load(name), 3).table
    seats = final(table).seats
    for seat in seats:
        seat.tickets, seat.start, seat.routes = {}, 100 - path_bonus[seat.seat], 0
        seat.n_completed, seat.longest_trail = n_completed[seat.seat], trails[seat.seat]
        seat.bonuses = [path_bonus[seat.seat]]
    assert winners(table, seats) == won_by
