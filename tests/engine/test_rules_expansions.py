"""
The games of the expansions: other tickets on the same board, dealt and drawn otherwise, and other bonuses.

Facts of USA 1910 and Europa 1912, from public lists of their tickets.
"""

from __future__ import annotations

import pytest

from tests.engine.positions import changed
from tests.engine.test_rules_setup import offer_of, start
from tests.fixtures import load
from ttr_analysis import Game
from ttr_analysis.policies import Greedy

TRAIL, GLOBETROTTER = ("longest_trail", 10), ("completed_tickets", 15)
EXPANSIONS = {
    # tickets, long ones among them, and their points; dealt and kept at the start, drawn and kept later; bonuses
    ("usa", ""): (30, 0, 349, (3, 2), (3, 1), [TRAIL]),
    ("usa", "1910"): (35, 0, 391, (3, 2), (3, 1), [GLOBETROTTER]),
    ("usa", "mega"): (69, 0, 754, (5, 3), (4, 1), [TRAIL, GLOBETROTTER]),
    ("usa", "big_cities"): (35, 0, 389, (4, 2), (4, 1), []),
    ("europe", ""): (46, 6, 444, (4, 2), (3, 1), [TRAIL]),
    ("europe", "extended"): (65, 6, 607, (4, 2), (3, 1), [TRAIL]),
    ("europe", "mega"): (101, 12, 1087, (7, 3), (3, 1), [TRAIL]),
    ("europe", "big_cities"): (45, 0, 502, (5, 2), (4, 1), [TRAIL]),
}
each = pytest.mark.parametrize(("name", "variant"), EXPANSIONS)


@each
def test_tickets_deals_and_bonuses(name: str, variant: str) -> None:
    game_map = load(name).with_variant(variant)
    tickets, rules = game_map.tickets, game_map.rules

    assert (
        len(tickets),
        sum(ticket.deck == "long" for ticket in tickets),
        sum(ticket.points for ticket in tickets),
        (rules.tickets.opening_deal, rules.tickets.opening_keep),
        (rules.tickets.draw, rules.tickets.keep),
        [(bonus.measure, *bonus.ranked_points(4)) for bonus in rules.bonus],
    ) == EXPANSIONS[name, variant]
    assert len({ticket.id for ticket in tickets}) == len(tickets)
    assert (game_map.routes, game_map.cities) == (load(name).routes, load(name).cities)


@each
@pytest.mark.parametrize("n_players", [2, 5])
def test_so_many_tickets_are_offered(name: str, variant: str, n_players: int) -> None:
    game_map = load(name).with_variant(variant)
    state, _, _ = start(game_map, n_players)

    n_tickets, n_long, _, (n_dealt, _), _, _ = EXPANSIONS[name, variant]
    n_dealt_long = {0: 0, 6: 1, 12: 2}[n_long]
    for seat in range(n_players):
        offered = [game_map.tickets[number].deck for number in offer_of(state, seat)]
        assert (len(offered), offered.count("long")) == (n_dealt, n_dealt_long)
    assert state.n_ticket_pile == n_tickets - n_long - n_players * (n_dealt - n_dealt_long)


@pytest.mark.compiled_only
@each
def test_the_game_ends_with_its_bonuses(name: str, variant: str) -> None:
    scores = Game(name, 3, variant).play([Greedy()] * 3, seed=7).score()
    for score in scores:
        won = {bonus.measure: bonus.points for bonus in score.bonuses}
        best = {"longest_trail": score.trail == max(s.trail for s in scores)}
        best["completed_tickets"] = score.n_completed == max(s.n_completed for s in scores)
        assert won == {measure: points * best[measure] for measure, points in EXPANSIONS[name, variant][-1]}


def test_four_tickets_of_the_base_game_have_fewer_points_in_the_mega_game() -> None:
    base, mega = ({t.id: t.points for t in load("usa").with_variant(name).tickets} for name in ("", "mega"))

    assert {id_: (points, mega[id_]) for id_, points in base.items() if mega[id_] != points} == {
        "Los Angeles-Miami": (20, 19),
        "Los Angeles-New York": (21, 20),
        "Sault Ste. Marie-Oklahoma City": (9, 8),
        "Seattle-New York": (22, 20),
    }


def test_the_big_cities_are_on_every_ticket_of_their_game() -> None:
    big = {
        "usa": {"Chicago", "Dallas", "Houston", "Los Angeles", "Miami", "New York", "Seattle"},
        "europe": {"Angora", "Athina", "Berlin", "London", "Madrid", "Moskva", "Paris", "Roma", "Wien"},
    }
    for name, cities in big.items():
        mega, some = (load(name).with_variant(variant).tickets for variant in ("mega", "big_cities"))
        ends = {t.id: {t.origin.name, *(place.name for place, _ in t.destinations)} for t in mega}
        assert {t.id for t in some} == {t.id for t in mega if ends[t.id] & cities and t.deck != "long"}


def test_another_set_of_tickets() -> None:
    game_map = changed("usa", tickets={"set": "1910"})

    assert game_map.tickets == load("usa").with_variant("1910").tickets
