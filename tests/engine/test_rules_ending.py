"""
The rules of the end of a game: the last round, passing, and games without an end.

The rules, section 1, "End", and 7, "End". Rule book: Nordic Countries, end of the
game.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.positions import DECLINE, DRAW, PASS, TICKETS, Action, Position, changed, face_up, pay, revealed
from tests.fixtures import EVERY_MAP
from ttr_analysis import GameMap
from ttr_analysis.engine.codes import CHOOSE_NEUTRAL, KEEP_TICKETS, ActionFault
from ttr_analysis.engine.layout import Ending, Phase
from ttr_analysis.engine.state import GameState

SHORT = "Boden-Tornio/0"
"""One green space."""
TUNNEL = "Lillehammer-Oslo/0"
BLANK = "Amsterdam-Antwerpen"
CLOSED = changed("nordic", market={"open_without_piles": False})


def play_out(table: Position, most: int = 20) -> list[int]:
    """Let everyone draw cards until the game is over; return the seats that had a turn."""
    seats: list[int] = []
    while table.phase != Phase.OVER and len(seats) < most:
        seats.append(table.seat)
        table.do_by_chance(DRAW, DRAW)
    return seats


# -- the last round is set off -----------------------------------------------------


@pytest.mark.parametrize(
    ("left", "triggers"),
    [
        pytest.param(3, False, id="three trains left"),
        pytest.param(2, True, id="two trains left"),
        pytest.param(1, True, id="one train left"),
        pytest.param(0, True, id="no train left"),
    ],
)
def test_the_last_round_is_set_off_at_two_trains_or_fewer(left: int, triggers: bool) -> None:  # noqa: FBT001
    table = Position("nordic").hand(0, green=1).put("trains", left + 1).claims(SHORT, green=1)

    assert table.number("trains") == left
    assert table.number("last_left") == (2 if triggers else -1)
    assert table.number("last_seat") == (0 if triggers else -1)


def test_every_player_then_has_one_turn_the_trigger_last() -> None:
    table = Position("nordic", 3).hand(1, green=1).put("trains", 3, 1).after_turns(1).claims(SHORT, green=1)

    assert play_out(table) == [2, 0, 1]
    assert table.number("ending") == Ending.TRAINS
    assert table.number("n_turns") == 5


@pytest.mark.parametrize(("name", "n_players"), [("nordic", 2), ("switzerland", 3), ("nederland", 5), ("usa", 4)])
def test_the_last_round_on_every_map(name: str, n_players: int) -> None:
    table = Position(name, n_players).put("trains", 2)

    assert play_out(table) == [0, *range(1, n_players), 0]
    assert table.number("ending") == Ending.TRAINS


def test_the_game_is_not_over_before_the_trigger_had_its_last_turn() -> None:
    table = Position("nordic").put("trains", 2).do_by_chance(DRAW, DRAW).do_by_chance(DRAW, DRAW)

    assert (table.phase, table.seat) == (Phase.TURN, 0)
    table.do_by_chance(DRAW)
    assert table.number("phase") == Phase.SECOND_DRAW


def test_it_is_set_off_once() -> None:
    table = Position("nordic").hand(1, green=1).put("trains", 2).put("trains", 3, 1).do_by_chance(DRAW, DRAW)
    table.claims(SHORT, green=1)

    assert table.number("trains", 1) == 2
    assert table.number("last_seat") == 0
    assert play_out(table) == [0]


def test_only_the_trains_of_the_seat_whose_turn_ends_set_it_off() -> None:
    table = Position("nordic").put("trains", 0, 1).do_by_chance(DRAW, DRAW)

    assert table.number("last_left") == -1
    assert table.do_by_chance(DRAW, DRAW).number("last_left") == 2


# -- by a turn of any kind ----------------------------------------------------------


def poor(game_map: str | GameMap = "nordic") -> Position:
    """Return a table where seat 0 has two trains at the start of its turn."""
    return Position(game_map).put("trains", 2)


def in_a_tunnel() -> Position:
    """Return the same in a tunnel that asks for one more green card, which seat 0 has."""
    return poor().hand(0, green=3).claims("Kristiansand-Stavanger/0", revealed("green", "red", "red"), green=2)


def stuck(game_map: str | GameMap = "nordic", n_players: int = 2) -> Position:
    """Return a table where no card and no ticket is left and the last seat holds all cards."""
    return Position(game_map, n_players).market().ticket_pile().pile()


@pytest.mark.parametrize(
    ("before", "last"),
    [
        pytest.param(lambda: poor().draws("red"), DRAW, id="drawing cards"),
        pytest.param(lambda: poor("usa").market("locomotive", *["red"] * 4), face_up(0), id="a face-up locomotive"),
        pytest.param(lambda: poor().do_by_chance(TICKETS), (KEEP_TICKETS, 1), id="drawing tickets"),
        pytest.param(in_a_tunnel, pay(green=1), id="a tunnel that is paid"),
        pytest.param(in_a_tunnel, DECLINE, id="a tunnel that is declined"),
        pytest.param(lambda: stuck().put("trains", 2), PASS, id="passing"),
    ],
)
def test_set_off_when_a_turn_of_any_kind_ends(before: Callable[[], Position], last: Action) -> None:
    table = before()
    assert table.number("last_left") == -1
    table.do_by_chance(last)

    assert (table.number("last_seat"), table.seat) == (0, 1)


# -- passing ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_MAP)
def test_passing_is_illegal_while_a_card_can_be_drawn(name: str) -> None:
    table = Position(name)

    assert table.fault(PASS) == ActionFault.NOT_STUCK
    assert PASS not in table.legal()


def test_passing_is_legal_with_no_other_legal_action() -> None:
    table = stuck()

    assert table.fault(PASS) == ActionFault.NONE
    assert table.legal() == [PASS]


def bare(game_map: str | GameMap = "nordic", *market: str, tickets: tuple[str, ...] = ()) -> Position:
    """Return a table with few cards face up and few tickets in the pile; its draw pile is still to be emptied."""
    return Position(game_map).market(*market, *[None] * (5 - len(market))).ticket_pile(*tickets)


@pytest.mark.parametrize(
    ("table", "may_pass"),
    [
        pytest.param(lambda: bare().pile(red=1), False, id="a card in the draw pile"),
        pytest.param(lambda: bare().discards(red=1).pile(), False, id="a card in the discards"),
        pytest.param(lambda: bare("nordic", "red").pile(), False, id="a face-up card"),
        pytest.param(lambda: bare(CLOSED, "red").pile(), True, id="a face-up card that may not be taken"),
        pytest.param(lambda: bare(tickets=("Bergen-Narvik",)).pile(), False, id="a ticket"),
        pytest.param(
            lambda: bare("nederland", tickets=(BLANK,)).ticket_discards(BLANK).pile(), False, id="a ticket discard"
        ),
        pytest.param(lambda: bare().hand(0, green=1).pile(), False, id="a route that can be claimed"),
        pytest.param(lambda: bare().hand(0, green=1).pile().own(1, SHORT), True, id="a route that is taken"),
        pytest.param(lambda: bare().hand(0, purple=2).pile().own_all(TUNNEL), False, id="a tunnel"),
        pytest.param(lambda: bare().hand(0, green=9).pile().put("trains", 0), True, id="a route without trains for it"),
    ],
)
def test_what_forbids_passing(table: Callable[[], Position], may_pass: bool) -> None:  # noqa: FBT001
    assert table().fault(PASS) == (ActionFault.NONE if may_pass else ActionFault.NOT_STUCK)


def test_one_full_round_of_passes_ends_the_game() -> None:
    table = stuck(n_players=3).own_all().do(PASS).do(PASS)

    assert (table.phase, table.number("n_passes")) == (Phase.TURN, 2)
    table.do(PASS)
    assert (table.number("phase"), table.number("ending")) == (Phase.OVER, Ending.PASSES)


def test_passes_of_a_full_round_may_begin_with_any_seat() -> None:
    table = stuck(n_players=3).own_all().after_turns(2).do(PASS).do(PASS).do(PASS)

    assert table.number("ending") == Ending.PASSES


def test_passes_count_only_in_a_row() -> None:
    table = stuck().own_all(SHORT).do(PASS)  # seat 1 holds all cards
    table.do_by_chance(table.claim(SHORT, green=1))

    assert table.number("n_passes") == 0
    assert table.phase == Phase.TURN


def test_a_round_of_passes_ends_the_last_round_too() -> None:
    table = stuck(n_players=3).own_all().put("last_left", 3).do(PASS).do(PASS).do(PASS)

    assert table.number("phase") == Phase.OVER


def test_passing_ends_no_second_draw() -> None:
    table = Position("nordic").draws("red")

    assert table.fault(PASS) == ActionFault.PHASE


# -- the game is over -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [DRAW, TICKETS, PASS, DECLINE, face_up(0), pay(green=1), (KEEP_TICKETS, 1), (CHOOSE_NEUTRAL, 0)],
    ids=["draw", "tickets", "pass", "decline", "face up", "pay", "keep", "choose"],
)
def test_nothing_is_legal_when_the_game_is_over(action: Action) -> None:
    table = Position("nordic").put("last_left", 1).do_by_chance(DRAW, DRAW)

    assert table.phase == Phase.OVER
    assert table.fault(action) == ActionFault.OVER
    assert table.legal() == []


def test_points_and_tickets_are_scored_however_the_game_ends() -> None:
    table = stuck().own(1, "Bergen-Oslo/0").own_all().do(PASS).do(PASS)

    assert table.scores() == [10, 17]  # nobody completed a ticket: a tie at zero


@pytest.mark.parametrize(
    ("ending", "name"),
    [(Ending.NOT_OVER, None), (Ending.TRAINS, "trains"), (Ending.PASSES, "passes"), (Ending.TRUNCATED, "truncated")],
)
def test_each_ending_is_told_by_its_own_name(ending: Ending, name: str | None) -> None:
    table = Position("nordic").put("ending", ending)

    assert GameState(table.map, table.n_players, table.state).ending == name


# -- games without an end ---------------------------------------------------------------------


def test_a_cap_on_turns_ends_an_endless_game() -> None:
    table = Position(changed("nordic", trains={"max_turns": 10}))

    assert play_out(table) == [0, 1] * 5
    assert table.number("ending") == Ending.TRUNCATED


def test_declining_tunnels_for_ever_is_truncated() -> None:
    tunnel = "Brig-Interlaken/0"
    table = Position(changed("switzerland", trains={"max_turns": 10})).hand(0, white=2).hand(1, white=2)
    table.market("red", "red", "red", "red", "red").discards(white=8).pile(locomotive=10, red=2)
    for _ in range(10):
        table.do_by_chance(table.claim(tunnel, white=2))
        table.do_by_chance(DECLINE)

    assert table.number("ending") == Ending.TRUNCATED


def test_the_cap_is_2000_turns() -> None:
    table = Position("nordic").after_turns(1998).do_by_chance(DRAW, DRAW)

    assert table.phase == Phase.TURN
    assert table.do_by_chance(DRAW, DRAW).number("ending") == Ending.TRUNCATED


def test_a_game_whose_last_turn_is_at_the_cap_is_not_truncated() -> None:
    table = Position("nordic").after_turns(1999).put("last_left", 1).do_by_chance(DRAW, DRAW)

    assert table.number("ending") == Ending.TRAINS


# -- fields -------------------------------------------------------------------------------------


def test_more_last_turns() -> None:
    table = Position(changed("nordic", trains={"last_turns": 2})).put("trains", 2)

    assert play_out(table) == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("at", [0, 5])
def test_at_how_many_trains_the_last_round_begins(at: int) -> None:
    for left in (at, at + 1):
        table = Position(changed("nordic", trains={"last_round_at": at})).put("trains", left).do_by_chance(DRAW, DRAW)

        assert (table.number("last_left") == 2) == (left == at)


def test_more_rounds_of_passes() -> None:
    table = stuck(changed("nordic", claims={"pass_rounds": 2})).own_all().do(PASS).do(PASS).do(PASS)

    assert table.phase == Phase.TURN
    assert table.do(PASS).number("ending") == Ending.PASSES
