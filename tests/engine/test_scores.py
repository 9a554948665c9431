"""
The score of a game: against independent code on made-up positions, and what it says in words.

The rules themselves, one by one, are tested in `test_rules_scoring` and
`test_rules_money`; here all of them come together.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import some_combinations
from tests.engine.judged import score_by_the_referee
from tests.engine.positions import Position
from tests.fixtures import BUILT_IN, EVERY_MAP, load
from tests.oracles.referee.scoring import reached
from tests.oracles.trails import grow_network
from ttr_analysis import GameState
from ttr_analysis.engine.kernel.scoring import N_COLUMNS, TRAIL_COLUMN, fill_trails, score_games
from ttr_analysis.engine.layout import UNKNOWN_TICKET
from ttr_analysis.engine.scores import (
    BonusScore,
    RouteScore,
    Scores,
    StationScore,
    TicketScore,
    score_state,
    tie_break_of,
)
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.ruleset import BonusRules
from ttr_analysis.rules.trails import NOT_WALKED
from ttr_analysis.tables import MAX_TICKETS

GAMES = some_combinations(start=1)


def changed_bonuses(name: str, *bonuses: BonusRules) -> GameMap:
    """Return a map with other bonuses."""
    game_map = load(name)
    return replace(game_map, rules=replace(game_map.rules, bonus=bonuses))


def scores_of(table: Position) -> Scores:
    """Return the score of a position."""
    return score_state(table.map, table.state, table.n_players)


def trails_of(table: Position) -> list[int]:
    """Return the trails that the kernel found."""
    result = np.zeros((table.n_players, N_COLUMNS), dtype=np.int64)
    score_games(table.state.cells[None], table.tables, result[None])
    return [int(trail) for trail in result[:, TRAIL_COLUMN]]


# -- all rules together, against independent code --------------------------------------


def made_up(game_map: GameMap, n_players: int, rng: np.random.Generator) -> Position:
    """Return a position with small networks, tickets that often fit them, and numbers that are often tied."""
    table = Position(game_map, n_players)
    for seat in range(n_players):
        grown = np.flatnonzero(grow_network(table.map, int(rng.integers(6, 16)), rng))
        routes = [table.map.routes[r] for r in grown if table.state.owner[r] < 0]
        table.own(seat, *(route.id for route in routes))
        here = [t.id for t in table.map.tickets if table.ticket_at(t.id) > n_players]
        fitting = [name for name in here if reached(table.map.ticket(name), routes)]
        table.tickets(seat, *dict.fromkeys([*fitting[: int(rng.integers(4))], str(rng.choice(here))]))
        if table.map.rules.money.tokens:
            table.put("tokens", int(rng.integers(4)), seat).put("loans", max(0, int(rng.integers(-2, 3))), seat)
    if table.map.rules.neutral.trains:
        free = [r.id for r in table.map.routes if table.owner(r.id) < 0]
        table.own("neutral", *(str(name) for name in rng.choice(free, 3, replace=False)))
    return table


@pytest.mark.compiled_only
@pytest.mark.parametrize(("name", "variant", "n_players"), GAMES)
def test_equals_the_referee(name: str, variant: str, n_players: int) -> None:
    rng = np.random.default_rng(n_players)
    game_map = load(name).with_variant(variant)
    start = Position(game_map, n_players).numbers("score")
    for i in range(8):
        table = made_up(game_map, n_players, rng)
        if i % 2:  # so that everything depends on the tie-breaks
            totals = table.scores()
            for seat, total in enumerate(totals):
                table.put("score", table.number("score", seat) + max(totals) - total, seat)

        scores = scores_of(table)
        expected = score_by_the_referee(GameState(game_map, n_players, table.state))

        assert expected is not None
        assert list(scores.winners) == expected.winners == table.winners()
        assert [score.total for score in scores] == expected.scores == table.scores()
        assert [score.start for score in scores] == start
        for score, other in zip(scores, expected.seats, strict=True):
            assert [bonus.points for bonus in score.bonuses] == other.bonuses
            assert {t.ticket.id: t.points for t in score.tickets if t.ticket} == other.tickets
            assert score.route_points == other.routes
            assert (score.n_completed, score.trail, score.tokens, score.n_loans, score.loan_points) == (
                other.n_completed,
                other.longest_trail,
                other.tokens,
                other.n_loans,
                -other.loans,
            )
            assert score.won is (score.seat in expected.winners)


@pytest.mark.parametrize("name", EVERY_MAP)
def test_points_for_routes_are_those_collected_in_the_game(name: str) -> None:
    table = made_up(load(name), 2, np.random.default_rng(1))
    for score in scores_of(table):
        assert score.start + score.route_points == table.number("score", score.seat)
        assert all(low.length < high.length for low, high in pairwise(score.routes))


# -- trails ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_MAP)
def test_trails_are_found_whether_the_rules_ask_for_them_or_not(name: str) -> None:
    table = Position(name)
    assert trails_of(table.own(1, table.map.routes[0].id)) == [0, table.map.routes[0].length]


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_seat_with_too_many_routes_to_walk_has_its_trail_too(name: str) -> None:
    table = Position(name)
    most, last = table.map.routes[:-1], table.map.routes[-1]
    table.own(0, *(route.id for route in most)).own(1, last.id)
    result = np.zeros((1, 2, N_COLUMNS), dtype=np.int64)
    fill_trails(table.state.cells[None], table.tables, result)
    assert result[0, :, TRAIL_COLUMN].tolist() == [NOT_WALKED, last.length]
    assert trails_of(table) == [ttr.paths.longest_trail(table.map, most).length, last.length]


def test_the_facade_always_tells_the_trails() -> None:
    table = Position("nordic").own(0, "Bergen-Oslo/0").own(1, "Boden-Kiruna/0", "Kiruna-Narvik/0")
    assert [score.trail for score in scores_of(table)] == [4, 4]


# -- in words ------------------------------------------------------------------------------


@pytest.fixture
def table() -> Position:
    """Return a position with a bit of everything."""
    table = Position("nederland").put("tokens", 3).put("loans", 2).put("tokens", 1, 1)
    table.own(0, "Breda-Rotterdam/0", "Amsterdam-Rotterdam/0", "Amsterdam-Utrecht/0", "Antwerpen-Rotterdam/0")
    return table.tickets(0, "Amsterdam-Antwerpen", "Antwerpen-Rotterdam", "Amsterdam-Maastricht")


def forget(table: Position, seat: int, which: int) -> Position:
    """Make a ticket of a seat unknown."""
    return table.put("held", UNKNOWN_TICKET, seat * MAX_TICKETS + which)


def test_the_parts_of_a_score(table: Position) -> None:
    score = scores_of(table)[0]
    points = {ticket.id: ticket.points for ticket in table.map.tickets}

    assert score.routes == (RouteScore(1, 1, 1), RouteScore(2, 1, 2), RouteScore(4, 1, 7), RouteScore(5, 1, 10))
    assert score.tickets == (
        TicketScore(table.map.ticket("Amsterdam-Antwerpen"), points["Amsterdam-Antwerpen"], "Antwerpen"),
        TicketScore(table.map.ticket("Antwerpen-Rotterdam"), points["Antwerpen-Rotterdam"], "Rotterdam"),
        TicketScore(table.map.ticket("Amsterdam-Maastricht"), -points["Amsterdam-Maastricht"], ""),
    )
    assert (score.n_completed, score.n_unknown, score.trail) == (2, 0, 10)
    assert score.total == score.route_points + score.ticket_points - 10 == table.scores()[0]


def test_the_destination_that_scores_is_told() -> None:
    table = Position("switzerland").tickets(0, "France-countries/0", "Germany-countries/0")
    table.own(0, "Delémont-France via Delémont/0", "Basel-Delémont/0", "Basel-Germany via Basel/0")

    assert [(t.points, t.reached) for t in scores_of(table)[0].tickets] == [(5, "Germany"), (5, "France")]


def test_the_table_adds_up(table: Position) -> None:
    frame = scores_of(table).table

    parts = frame[["start", "routes", "gained", "lost", "bonus_tokens", "loans"]].sum(axis=1)
    assert parts.tolist() == frame["total"].tolist() == table.scores()
    counts = frame[["n_routes", "n_completed", "n_failed", "n_unknown", "trail", "tokens", "n_loans"]]
    assert counts.to_numpy()[0].tolist() == [4, 2, 1, 0, 10, 3, 2]
    assert frame["won"].tolist() == [score.won for score in scores_of(table)]


def test_a_repr_says_where_the_points_come_from(table: Position) -> None:
    score = scores_of(table)[0]
    sign = "-" if score.ticket_points < 0 else "+"
    lost = -sum(min(scored.points or 0, 0) for scored in score.tickets)

    assert repr(score) == (
        f"<Score of P0: {score.total} points: 20 routes {sign} {abs(score.ticket_points)} tickets "
        f"(2 of 3, {lost} lost) + 0 tokens - 10 loans>"
    )
    (missed,) = [scored for scored in score.tickets if not scored.reached]
    assert str(missed).endswith(f": missed, {lost} points lost")


def test_a_repr_names_the_winners() -> None:
    table = Position("nordic", 3)
    assert repr(scores_of(table)).splitlines()[0] == "<Scores of 3 seats, won by P0, P1 and P2>"
    assert "<td>10</td>" in scores_of(table)._repr_html_()


@pytest.mark.parametrize("name", EVERY_MAP)
def test_what_broke_a_tie_is_told(name: str) -> None:
    game = ttr.Game(load(name), 2)
    n_broken = 0
    for seed in range(3):
        for state in game.play([ttr.policies.Random()] * 2, seed).states()[5:60:2]:
            scores = game.score(state)
            totals = [score.total for score in scores]
            most = [score.seat for score in scores if score.total == max(filter(None, totals), default=0)]
            assert (scores.tie_break != "") == (len(scores.winners) < len(most))
            assert (scores.tie != "") == (scores.tie_break != "")
            assert scores.tie in repr(scores).splitlines()[0]
            assert set(scores.winners) < set(scores.tied) <= set(most) or not scores.tied
            n_broken += scores.tie_break != ""
    assert n_broken > 0 or name != "usa"


def test_who_is_left_behind_by_one_tie_break_is_not_told_of_the_next() -> None:
    nordic = load("nordic")
    assert nordic.rules.scoring.tie_breaks == ("completed_tickets", "longest_trail")
    ticket = nordic.tickets[0]
    done = TicketScore(ticket, ticket.points, ticket.destinations[0][0].name)
    first, second, third = scores_of(Position("nordic", 3))
    seats = (
        replace(first, total=90, tickets=(done,), trail=20, won=False),
        replace(second, total=90, tickets=(done,), trail=21, won=True),
        replace(third, total=90, tickets=(), trail=35, won=False),
    )

    scores = Scores(seats, (1,), *tie_break_of(nordic, seats))

    assert scores.tie == "P0, P1 and P2 have 90 points each: between P0 and P1 the longer trail decides (21 to 20)"


def test_who_built_more_stations_is_left_behind_by_that_tie_break() -> None:
    europe = load("europe")
    assert europe.rules.scoring.tie_breaks == ("completed_tickets", "fewest_stations", "path_bonus")
    built = StationScore(europe.cities[0], None)
    first, second, third = scores_of(Position("europe", 3))
    seats = (
        replace(first, total=90, stations=(built,), bonuses=(BonusScore("longest_trail", 10),), won=True),
        replace(second, total=90, stations=(built,), bonuses=(BonusScore("longest_trail", 0),), won=False),
        replace(third, total=90, stations=(built, built), bonuses=(BonusScore("longest_trail", 10),), won=False),
    )

    assert tie_break_of(europe, seats) == ("path_bonus", (0, 1))
    assert tie_break_of(europe, seats[1:]) == ("fewest_stations", (1, 2))


def test_two_bonuses_of_one_measure_have_a_column_each() -> None:
    (bonus,) = load("usa").rules.bonus
    frame = scores_of(Position(changed_bonuses("usa", bonus, bonus))).table

    assert frame["bonus_longest_trail"].tolist() == frame["bonus_longest_trail_2"].tolist() == [10, 10]


def test_a_ticket_that_is_not_known_leaves_the_total_open(table: Position) -> None:
    before = table.scores()
    scores = scores_of(forget(table, 0, 2))

    assert scores[0].tickets[2] == TicketScore(None, None, "")
    assert (scores[0].total, scores[1].total) == (None, before[1])
    assert (scores[0].n_unknown, scores[0].n_completed) == (1, 2)
    assert scores.winners == ()
    assert [score.won for score in scores] == [None, None]
    assert "known" in repr(scores)
    assert scores.table["total"].isna().tolist() == [True, False]
    assert scores.table["n_failed"].tolist() == [0, 0]


def test_a_bonus_for_tickets_depends_on_all_of_them() -> None:
    table = forget(Position("nordic").tickets(1, "Bergen-Narvik"), 1, 0)

    scores = scores_of(table)

    assert [score.total for score in scores] == [None, None]
    assert [score.bonuses[0].points for score in scores] == [None, None]


def test_a_bonus_for_the_trail_does_not_depend_on_tickets() -> None:
    table = forget(Position("usa").tickets(1, "Denver-El Paso"), 1, 0)

    scores = scores_of(table)

    assert [score.bonuses[0].points for score in scores] == [10, 10]
    assert [score.total for score in scores] == [10, None]


def test_scoring_changes_nothing(table: Position) -> None:
    before = table.state.copy()
    scores_of(table)
    assert np.array_equal(table.state.cells, before.cells)


def test_a_number_of_players_that_the_map_does_not_allow_is_refused() -> None:
    with pytest.raises(ValueError, match="is for 2 to 3 players, got 4"):
        score_state(load("nordic"), Position("nordic").state, 4)


def test_a_game_in_words_scores_as_its_state() -> None:
    game = ttr.Game(load("usa"), n_players=2)
    assert game.score(game.new(seed=1)).winners == (0, 1)
