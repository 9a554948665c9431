"""
Every field of the rules: its value on the five maps, and that it makes a difference.

All sections of the rules; what a map's rules say is stated there, and each decision
is one of these fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from tests.engine.positions import Position, changed
from tests.engine.test_rules_setup import start
from tests.fixtures import BUILT_IN, load
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.kernel import scoring
from ttr_analysis.engine.kernel.turns import after_draw, find_ticket_pile
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.maps.model import GameMap
from ttr_analysis.report.method import rules_in_words
from ttr_analysis.rules import market
from ttr_analysis.rules.market import may_take_face_up
from ttr_analysis.rules.ruleset import BonusRules, DeckRules, RuleSet
from ttr_analysis.studies.columns import BONUS_COLUMNS, SEATS
from ttr_analysis.tables import game_tables

POINTS = ((1, 1), (2, 2), (3, 4), (4, 7), (5, 10), (6, 15))
ANYWHERE = ("plain", "ferry", "tunnel")

VALUES: dict[str, Any] = {
    "cards.per_color": 12,
    "cards.locomotives": 14,
    "cards.opening_hand": 4,
    "cards.draws_per_turn": 2,
    "cards.reshuffle": "when_needed",
    "market.size": 5,
    "market.locomotive_cost": (1, 1, 2, 2, 2),
    "market.reset_at": (0, 3, 3, 3, 3),
    "market.max_resets": 100,
    "market.reset_needs_full": True,
    "market.reset_needs_colored": 3,
    "market.open_without_piles": True,
    "trains.per_player": (40, 40, 40, 45, 45),
    "trains.last_round_at": 2,
    "trains.last_turns": 1,
    "trains.max_turns": 2000,
    "claims.points": ((*POINTS, (9, 27)), POINTS, POINTS, POINTS, (*POINTS[:4], (6, 15), (8, 21))),
    "claims.locomotives_on": (("ferry", "tunnel"), ("tunnel",), ANYWHERE, ANYWHERE, ANYWHERE),
    "claims.double_routes_from": (3, 3, 2, 4, 4),
    "claims.ferry_swap_size": (3, 0, 0, 0, 0),
    "claims.ferry_swap_fills": "any",
    "claims.pass_rounds": 1,
    "tunnel.revealed": 3,
    "tickets.opening_deal": (5, 5, 5, 3, 4),
    "tickets.opening_keep": (2, 2, 3, 2, 2),
    "tickets.draw": (3, 3, 4, 3, 3),
    "tickets.keep": 1,
    "tickets.unkept": ("removed", "removed", "discard_pile", "under_pile", "under_pile"),
    "tickets.opening_unkept": ("", "", "", "", "removed"),
    "tickets.decks": ((), (), (), (), (DeckRules("long", 1, "removed"), DeckRules("short", 3))),
    "tickets.set": "base",
    "scoring.start_scores": ((), (), (0, 1, 2, 3, 4), (), ()),
    "scoring.tie_breaks": (
        ("completed_tickets", "longest_trail"),
        ("completed_tickets", "path_bonus"),
        ("completed_tickets",),
        ("completed_tickets", "path_bonus"),
        ("completed_tickets", "fewest_stations", "path_bonus"),
    ),
    "scoring.zero_ties": True,
    "money.tokens": (0, 0, 30, 0, 0),
    "money.second_track_pays": "owner",
    "money.loan.penalty": 5,
    "money.loan.limit": 0,
    "neutral.trains": 0,
    "neutral.first_round": 6,
    "neutral.marker_seat": 1,
    "neutral.after_last_turn": False,
    "stations.number": (0, 0, 0, 0, 3),
    "stations.costs": (1, 2, 3),
    "stations.points_left": 4,
    "stations.lends_from": "anyone",
}
"""Value of each field on all maps; or, in a tuple, on Nordic, Switzerland, Nederland, USA and Europe."""

BONUSES = {
    "nordic": (BonusRules("completed_tickets", (10,)),),
    "switzerland": (BonusRules("longest_trail", (10,)),),
    "nederland": (
        BonusRules(
            "tokens",
            points_by_players=((2, (35, 0)), (3, (55, 35, 0)), (4, (55, 35, 20, 0)), (5, (55, 35, 20, 10, 0))),
            requires="no_loans",
        ),
    ),
    "usa": (BonusRules("longest_trail", (10,)),),
    "europe": (BonusRules("longest_trail", (10,)),),
}


def leaves(rules: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every field of the groups of rules with its value."""
    for field in fields(rules):  # type: ignore[arg-type] # a dataclass
        value = getattr(rules, field.name)
        if is_dataclass(value):
            yield from leaves(value, f"{path}{field.name}.")
        elif path:
            yield path + field.name, value


# -- values ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_field_has_the_value_that_the_rules_state(name: str) -> None:
    column = BUILT_IN.index(name)
    expected = {
        field: value[column] if isinstance(value, tuple) and len(value) == len(BUILT_IN) else value
        for field, value in VALUES.items()
    }

    assert dict(leaves(load(name).rules)) == expected


def test_what_rules_leave_out_is_as_in_usa() -> None:
    assert dict(leaves(RuleSet("Nothing said"))) == dict(leaves(load("usa").rules))


@pytest.mark.parametrize("name", BUILT_IN)
def test_bonuses(name: str) -> None:
    assert load(name).rules.bonus == BONUSES[name]


@pytest.mark.parametrize(
    ("name", "differences", "has_bonus", "players"),
    [
        ("no_tolls", {"money.tokens": 0, "claims.double_routes_from": 4}, False, (2, 5)),
        ("neutral", {"neutral.trains": 40, "scoring.start_scores": (0, 1)}, True, (2, 2)),
    ],
)
def test_a_variant_differs_in_three_things(
    name: str,
    differences: dict[str, Any],
    has_bonus: bool,  # noqa: FBT001
    players: tuple[int, int],
) -> None:
    rules = load("nederland").rules
    variant = rules.with_variant(name)

    before, after = dict(leaves(rules)), dict(leaves(variant))
    assert {name: value for name, value in after.items() if value != before[name]} == differences
    assert variant.bonus == (rules.bonus if has_bonus else ())
    assert variant.players == players


# -- decisions ---------------------------------------------------------------------------

DECISIONS = {
    "face-up cards without piles": ("open_without_piles", BUILT_IN, may_take_face_up, "Nordic"),
    "the reset after a claim": ("reset_at", ("switzerland", "nederland", "usa"), market, "immediate"),
    "the reshuffle of tickets": ("unkept", ("nederland",), find_ticket_pile, "run out"),
    "the second card": ("draws_per_turn", BUILT_IN, after_draw, "Nordic"),
    "ties": ("tie_breaks", ("nederland",), scoring._mark_winners, "do not cover ties"),
    "Kreuzlingen and Germany": ("double_routes_from", ("switzerland",), GameMap.twin, "count"),
}
"""For each: the field beside which it is marked, the maps, where the rule is, and a bit of the books' word there."""

WORD = re.compile(r"\b(books?|sheets?|rules|letter)\b")


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_is_marked_in_the_data_and_at_the_rule_with_the_word_of_the_book(decision: str) -> None:
    field, maps, rule, word = DECISIONS[decision]

    for name in maps:
        lines = (data_folder() / name / "rules.toml").read_text(encoding="utf-8").splitlines()
        comments = [line.partition("#")[2] for line in lines if line.startswith(f"{field} = ")]
        assert comments[0].startswith(" Decision"), name
        assert WORD.search(comments[0]), name
    marked = " ".join(str(rule.__doc__).split()).partition("Decision: ")[2]
    assert word in marked
    assert WORD.search(marked)


# -- a difference -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(VALUES))
def test_every_field_is_changed_by_some_test_of_the_rules(name: str) -> None:
    field = name.rpartition(".")[2]
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_rules_*.py")]
    is_changed = re.compile(rf'changed\([^()]*"{field}":|= {{[^}}]*"{field}":|(?:LoanRules|with_neutral)\({field}=')

    assert any(is_changed.search(source) for source in sources)


def test_another_deck() -> None:
    usa = changed("usa", cards={"per_color": 3, "locomotives": 2})
    state, _, _ = start(usa, 2)

    assert state.n_pile <= 26 - 8 - 5
    assert Position(usa).draw_pile() == dict.fromkeys(CARD_KINDS, 3) | dict.fromkeys(CARD_KINDS[:5], 2) | {
        "locomotive": 2
    }


def test_a_deck_too_small_for_the_deal_deals_what_there_is() -> None:
    state, _, _ = start(changed("usa", cards={"per_color": 1, "locomotives": 0, "opening_hand": 5}), 2)

    assert state.n_hand[:2].tolist() == [5, 3]
    assert state.n_pile == 0


@pytest.mark.parametrize("n", [0, 7])
def test_another_opening_hand(n: int) -> None:
    state, _, _ = start(changed("usa", cards={"opening_hand": n}), 3)

    assert state.n_hand[:3].tolist() == [n] * 3


def test_another_number_of_trains() -> None:
    assert Position(changed("usa", trains={"per_player": 12})).numbers("trains") == [12, 12]


def test_other_bonuses() -> None:
    both = (BonusRules("longest_trail", (8, 3)), BonusRules("completed_tickets", points_by_players=((2, (4,)),)))
    table = Position(changed("usa", bonus=both)).own(0, "Calgary-Winnipeg/0")

    assert table.bonuses(0) == [8, 3]
    assert table.bonuses(1) == [4, 4]
    assert table.scores() == [15 + 8 + 4, 3 + 4]


def test_what_a_bonus_compares_has_a_column_points_and_words_of_its_own() -> None:
    """A measure that is forgotten somewhere must not pass for another one."""
    measures = get_args(get_type_hints(BonusRules)["measure"])
    maps = [changed("usa", bonus=(BonusRules(measure, (7,)),)) for measure in measures]
    numbers = [game_tables(game_map, 2).bonus_measure[0] for game_map in maps]

    assert len({int(number) for number in numbers}) == len(measures)
    assert len({BONUS_COLUMNS[measure] for measure in measures} & SEATS.keys()) == len(measures)
    told = [rules_in_words(game_map.rules, ferries=False, tunnels=False, doubles=False) for game_map in maps]
    assert len({dict(words)["Bonus"] for words in told}) == len(measures)


@pytest.mark.parametrize(
    ("rules", "bonuses"),
    [(BonusRules("tokens", (9,), requires="no_loans"), [0, 9]), (BonusRules("tokens", (9,)), [9, 9])],
    ids=["for players without loans", "for everyone"],
)
def test_a_bonus_that_loans_forbid_or_not(rules: BonusRules, bonuses: list[int]) -> None:
    assert Position(changed("nederland", bonus=(rules,))).put("loans", 1).bonuses() == bonuses
