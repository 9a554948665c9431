"""
The rules of tolls and loans.

The rules, section 4, "Tolls" and "Toll bonus", and 7, "Money". Rule book: Nederland,
double lines, tolls and loans, with the example of Breda-Rotterdam; the points
at the end, with the example of four players.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.positions import DECLINE, DRAW, PASS, Position, changed, pay, revealed
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.layout import Phase
from ttr_analysis.rules.ruleset import LoanRules

FIRST, SECOND = "Breda-Rotterdam/0", "Breda-Rotterdam/1"
"""Two purple and two yellow spaces, toll 4."""
SINGLE = "Rotterdam-Utrecht/0"
"""Three gray spaces, toll 3."""


def money(table: Position) -> tuple[list[int], list[int]]:
    """Return tokens and loans of each seat."""
    return table.numbers("tokens"), table.numbers("loans")


@pytest.fixture
def table() -> Position:
    """Return a table where both players can pay for Breda-Rotterdam and for Rotterdam-Utrecht."""
    return Position("nederland").hand(0, purple=2, red=3).hand(1, yellow=2, blue=3)


# -- tolls and loans -----------------------------------------------------------------

CARDS = {FIRST: {"purple": 2}, SECOND: {"yellow": 2}, SINGLE: {"red": 3}}


@pytest.mark.parametrize(
    ("before", "routes", "tokens", "loans"),
    [
        pytest.param(lambda t: t, [FIRST], [26, 30], [0, 0], id="the book: the first track pays the bank"),
        pytest.param(lambda t: t, [FIRST, SECOND], [30, 26], [0, 0], id="the book: the second pays its owner"),
        pytest.param(lambda t: t.put("tokens", 2, 1), [FIRST, SECOND], [30, 2], [0, 1], id="the book: the bank pays"),
        pytest.param(lambda t: t, [SINGLE], [27, 30], [0, 0], id="a single route pays the bank"),
        pytest.param(lambda t: t.own(1, "Antwerpen-Rotterdam/0"), [FIRST], [26, 30], [0, 0], id="of another pair"),
        pytest.param(lambda t: t.own(1, SECOND), [FIRST], [26, 34], [0, 0], id="the first track, whatever its number"),
        pytest.param(lambda t: t.put("tokens", 4), [FIRST], [0, 30], [0, 0], id="equal to the tokens left: paid"),
        pytest.param(lambda t: t.put("tokens", 3), [FIRST], [3, 30], [1, 0], id="a loan: nothing paid, even in part"),
        pytest.param(lambda t: t.put("tokens", 0), [SINGLE], [0, 30], [1, 0], id="a loan without any token"),
        pytest.param(lambda t: t.put("tokens", 0).put("loans", 50), [SINGLE], [0, 30], [51, 0], id="no end of loans"),
        pytest.param(lambda t: t.put("loans", 1), [FIRST], [26, 30], [1, 0], id="tokens that suffice: no loan"),
    ],
)
def test_a_claim_pays_its_toll_or_takes_a_loan(
    table: Position, before: Callable[[Position], Position], routes: list[str], tokens: list[int], loans: list[int]
) -> None:
    before(table)
    for seat, route in enumerate(routes):
        table.claims(route, **CARDS[route])
        assert table.owner(route) == seat

    assert money(table) == (tokens, loans)


def test_a_loan_is_never_repaid(table: Position) -> None:
    table.put("tokens", 3).put("loans", 1).own(0, SECOND).hand(1, purple=2).after_turns(1)
    table.claims(FIRST, purple=2)

    assert money(table) == ([7, 26], [1, 0])


def test_money_taken_in_pays_later_tolls(table: Position) -> None:
    table.put("tokens", 0).own(0, SECOND).hand(1, purple=2).after_turns(1)
    table.claims(FIRST, purple=2).claims(SINGLE, red=3)

    assert money(table) == ([1, 26], [0, 0])


def test_every_route_has_a_toll_of_1_to_4() -> None:
    assert {route.toll for route in Position("nederland").map.routes} == {1, 2, 3, 4}


def test_among_five_players_the_owner_is_paid() -> None:
    table = Position("nederland", 5).own(3, SECOND).hand(0, purple=2).claims(FIRST, purple=2)

    assert money(table) == ([26, 30, 30, 34, 30], [0] * 5)


def test_drawing_costs_nothing(table: Position) -> None:
    assert money(table.do_by_chance(DRAW, DRAW)) == ([30, 30], [0, 0])


# -- a toll is settled with the claim -----------------------------------------------------


def test_a_tunnel_that_is_declined_costs_no_toll() -> None:
    table = Position("invented").hand(0, red=4).claims("Ærø Havn-Brindle/1", revealed("red", "blue", "blue"), red=4)

    assert money(table) == ([20, 20], [0, 0])
    assert money(table.do(DECLINE)) == ([20, 20], [0, 0])


def test_a_tunnel_that_is_paid_costs_its_toll() -> None:
    table = Position("invented").hand(0, red=5)
    table.claims("Ærø Havn-Brindle/1", revealed("red", "blue", "blue"), red=4).do(pay(red=1))

    assert money(table) == ([19, 20], [0, 0])


# -- the neutral player's track ------------------------------------------------------------


def test_a_toll_owed_to_the_neutral_player_goes_to_the_bank() -> None:
    table = Position("nederland", variant="neutral").own("neutral", SECOND).hand(0, purple=2).claims(FIRST, purple=2)

    assert money(table) == ([26, 30], [0, 0])


def test_a_loan_beside_the_neutral_player_is_paid_to_nobody() -> None:
    table = Position("nederland", variant="neutral").own("neutral", SECOND).hand(0, purple=2).put("tokens", 3)
    table.claims(FIRST, purple=2)

    assert money(table) == ([3, 30], [1, 0])


# -- without tolls -----------------------------------------------------------------------------


def test_without_tolls_there_are_no_tokens_and_no_loans() -> None:
    table = Position("nederland", 4, "no_tolls").own(1, SECOND).hand(0, purple=2).claims(FIRST, purple=2)

    assert money(table) == ([0] * 4, [0] * 4)


@pytest.mark.parametrize("name", ["nordic", "switzerland", "usa"])
def test_other_maps_have_no_tolls(name: str) -> None:
    assert {route.toll for route in Position(name).map.routes} == {0}
    assert money(Position(name)) == ([0, 0], [0, 0])


# -- at the end -----------------------------------------------------------------------------


def test_each_loan_costs_five_points() -> None:
    table = Position("nederland", 3).put("loans", 3, 1)

    assert table.scores() == [0 + 55, 1 - 15, 2 + 55]


@pytest.mark.parametrize(
    ("tokens", "loans", "bonuses"),
    [
        pytest.param([9, 9, 3, 1], [0, 0, 1, 0], [55, 55, 0, 20], id="Nederland, points at the end: the example"),
        pytest.param([4, 3, 2, 1, 0], [0] * 5, [55, 35, 20, 10, 0], id="5 players"),
        pytest.param([4, 3, 2, 1], [0] * 4, [55, 35, 20, 0], id="4 players"),
        pytest.param([4, 3, 2], [0] * 3, [55, 35, 0], id="3 players"),
        pytest.param([4, 3], [0] * 2, [35, 0], id="2 players"),
        pytest.param([5, 5], [0] * 2, [35, 35], id="2 players, tied"),
        pytest.param([9, 1, 0], [1, 0, 0], [0, 55, 35], id="the column is that of all players, loans or not"),
        pytest.param([9, 8, 0], [1, 1, 0], [0, 0, 55], id="no tokens without a loan still rank"),
        pytest.param([9, 8, 7], [1, 2, 3], [0, 0, 0], id="everyone has a loan"),
        pytest.param([0, 0, 0], [0] * 3, [55, 55, 55], id="decision: a tie at zero is a tie"),
        pytest.param([9, 8, 8, 8, 7], [0] * 5, [55, 35, 35, 35, 0], id="three tied for the second rank"),
        pytest.param([5, 5, 4, 4, 1], [0, 1, 0, 0, 0], [55, 0, 35, 35, 10], id="a tie below one who has a loan"),
        pytest.param([7, 5], [1, 0], [0, 35], id="2 players, the richer one with a loan"),
    ],
)
def test_toll_bonus(tokens: list[int], loans: list[int], bonuses: list[int]) -> None:
    table = Position("nederland", len(tokens))
    for seat, (n_tokens, n_loans) in enumerate(zip(tokens, loans, strict=True)):
        table.put("tokens", n_tokens, seat).put("loans", n_loans, seat)

    assert table.bonuses() == bonuses


def test_tokens_have_no_other_value() -> None:
    rich, poor = Position("nederland").put("tokens", 60), Position("nederland").put("tokens", 31)

    assert rich.scores() == poor.scores() == [35, 1]


def test_the_neutral_player_ranks_nowhere() -> None:
    table = Position("nederland", variant="neutral").own("neutral", FIRST)

    assert table.bonuses() == [35, 35]


def test_there_is_no_toll_bonus_without_tolls() -> None:
    assert Position("nederland", variant="no_tolls").scores() == [0, 1]


# -- fields -------------------------------------------------------------------------------------


def test_the_second_track_may_pay_the_bank() -> None:
    table = Position(changed("nederland", money={"second_track_pays": "bank"})).own(1, SECOND).hand(0, purple=2)
    table.claims(FIRST, purple=2)

    assert money(table) == ([26, 30], [0, 0])


def test_a_loan_beside_a_first_track_is_paid_to_nobody_where_the_bank_gets_tolls() -> None:
    table = Position(changed("nederland", money={"second_track_pays": "bank"})).own(1, SECOND).hand(0, purple=2)
    table.put("tokens", 1).claims(FIRST, purple=2)

    assert money(table) == ([1, 30], [1, 0])


def one_loan() -> Position:
    """Return a table with one loan card."""
    return Position(changed("nederland", money={"loan": LoanRules(limit=1)})).hand(0, purple=2, red=3)


def test_with_a_limit_the_last_loan_card_may_be_taken() -> None:
    table = one_loan().put("tokens", 0)

    assert money(table.claims(FIRST, purple=2)) == ([0, 30], [1, 0])


def test_with_no_loan_left_a_route_beyond_ones_tokens_cannot_be_claimed() -> None:
    table = one_loan().put("tokens", 3).put("loans", 1, 1)

    assert table.fault(table.claim(FIRST, purple=2)) == ActionFault.LOANS
    assert table.fault(table.claim(SINGLE, red=3)) == ActionFault.NONE
    assert FIRST not in table.claimable()


def test_who_can_neither_pay_nor_borrow_may_pass() -> None:
    table = one_loan().market().ticket_pile().pile()
    table.put("tokens", 0).put("loans", 1, 1)

    assert table.fault(PASS) == ActionFault.NONE
    assert table.do(PASS).phase == Phase.TURN


@pytest.mark.parametrize("penalty", [0, 7])
def test_points_that_a_loan_costs(penalty: int) -> None:
    rules = changed("nederland", money={"loan": LoanRules(penalty=penalty)})

    assert Position(rules).put("loans", 2).scores() == [-2 * penalty, 36]


def test_tokens_at_the_start() -> None:
    assert money(Position(changed("nederland", money={"tokens": 12})))[0] == [12, 12]
