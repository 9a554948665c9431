"""
Whole games by other rules: whatever a field says, the engine and the independent referee agree.

Each decision is a field that a reader can change. Single sentences about
fields are in the other tests of the rules; here fields meet each other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.engine.conformance import BUILDER, COLLECTOR, HOARDER, Combination, Whim, check_game
from tests.engine.positions import changed
from tests.fixtures import load
from ttr_analysis import GameMap
from ttr_analysis.rules.ruleset import BonusRules, LoanRules

Groups = dict[str, Any]

FEW = {"max_resets": 3}
"""For rules by which resets hardly ever help: a tape does not hold hundreds."""

ONE_FIELD: dict[str, tuple[str, Groups]] = {
    "fewer cards": ("usa", {"cards": {"per_color": 4, "locomotives": 3}}),
    "hardly any cards": ("usa", {"cards": {"per_color": 1, "locomotives": 2}}),
    "no locomotives": ("usa", {"cards": {"locomotives": 0}}),
    "many locomotives": ("usa", {"cards": {"per_color": 2, "locomotives": 40}, "market": FEW}),
    "an empty opening hand": ("usa", {"cards": {"opening_hand": 0}}),
    "one draw": ("usa", {"cards": {"draws_per_turn": 1}}),
    "three draws": ("usa", {"cards": {"draws_per_turn": 3}}),
    "shuffled at once": ("nordic", {"cards": {"reshuffle": "at_once"}}),
    "few cards shuffled at once": ("switzerland", {"cards": {"reshuffle": "at_once", "per_color": 5}}),
    "a small market": ("usa", {"market": {"size": 2, "reset_at": 2}}),
    "a large market": ("usa", {"market": {"size": 10, "reset_at": 4, **FEW}}),
    "locomotives cost one": ("usa", {"market": {"locomotive_cost": 1}}),
    "locomotives cost two": ("nordic", {"market": {"locomotive_cost": 2}}),
    "reset at one": ("usa", {"market": {"reset_at": 1, **FEW}}),
    "few resets": ("usa", {"market": {"reset_at": 2, "max_resets": 1}}),
    "no resets": ("usa", {"market": {"max_resets": 0}}),
    "resets of a market with gaps": ("usa", {"market": {"reset_needs_full": False}, "cards": {"per_color": 3}}),
    "resets however few colors": ("usa", {"market": {"reset_needs_colored": 0, **FEW}, "cards": {"per_color": 3}}),
    "a market closed without piles": ("nordic", {"market": {"open_without_piles": False}}),
    "few trains": ("usa", {"trains": {"per_player": 9}}),
    "played to the last train": ("usa", {"trains": {"last_round_at": 0}}),
    "three last turns": ("usa", {"trains": {"last_turns": 3}}),
    "no jokers": ("nordic", {"claims": {"locomotives_on": ()}}),
    "jokers everywhere": ("nordic", {"claims": {"locomotives_on": ("plain", "ferry", "tunnel")}}),
    "double routes open to all": ("usa", {"claims": {"double_routes_from": 0}}),
    "double routes open to nobody": ("nederland", {"claims": {"double_routes_from": 7}}),
    "sets of two": ("nordic", {"claims": {"ferry_swap_size": 2}}),
    "no sets": ("nordic", {"claims": {"ferry_swap_size": 0}}),
    "sets for symbols": ("nordic", {"claims": {"ferry_swap_fills": "symbols"}}),
    "two rounds of passes": ("nordic", {"claims": {"pass_rounds": 2}, "cards": {"per_color": 2}}),
    "nothing turned over": ("switzerland", {"tunnel": {"revealed": 0}}),
    "nine turned over": ("switzerland", {"tunnel": {"revealed": 9}}),
    "all tickets offered": ("usa", {"tickets": {"opening_deal": 8, "opening_keep": 8, "draw": 8, "keep": 5}}),
    "one ticket at a time": ("usa", {"tickets": {"draw": 1}}),
    "tickets removed": ("nederland", {"tickets": {"unkept": "removed"}}),
    "tickets under the pile": ("nederland", {"tickets": {"unkept": "under_pile"}}),
    "tickets on the discards": ("nordic", {"tickets": {"unkept": "discard_pile"}}),
    "the longest trail decides": ("nederland", {"scoring": {"tie_breaks": ("longest_trail",)}}),
    "nothing for zero": ("nordic", {"scoring": {"zero_ties": False}}),
    "few tokens": ("nederland", {"money": {"tokens": 5}}),
    "second tracks pay the bank": ("nederland", {"money": {"second_track_pays": "bank"}}),
    "one loan": ("nederland", {"money": {"tokens": 9, "loan": LoanRules(penalty=50, limit=1)}}),
    "three bonuses": (
        "nederland",
        {
            "bonus": (
                BonusRules("longest_trail", (9, 5, 1)),
                BonusRules("completed_tickets", (7,), requires="no_loans"),
                BonusRules("tokens", (3, 2)),
            )
        },
    ),
    "a neutral player at once": ("neutral", {"neutral": {"first_round": 1}}),
    "a small neutral player": ("neutral", {"neutral": {"trains": 6, "first_round": 1, "marker_seat": 0}}),
    "a neutral phase at the very end": ("neutral", {"neutral": {"after_last_turn": True}}),
    "a neutral player and the bank": (
        "neutral",
        {"neutral": {"first_round": 2}, "money": {"second_track_pays": "bank", "tokens": 12}},
    ),
    "a neutral player and tickets under the pile": (
        "neutral",
        {"neutral": {"first_round": 1, "trains": 99}, "tickets": {"unkept": "under_pile"}},
    ),
}
"""By what is different: the map, and the fields of its rules that are other ones."""

N_MIXTURES = 12


@cache
def map_of(name: str) -> GameMap:
    """Return the map with one change, or with many: "mixture 7"."""
    if name.startswith("mixture"):
        rng = np.random.default_rng(int(name.split()[1]))
        return with_variant(str(rng.choice(["nordic", "switzerland", "invented", "neutral"])), mixed(rng))
    return with_variant(*ONE_FIELD[name])


def with_variant(name: str, groups: Groups) -> GameMap:
    before = load("invented").with_variant("neutral") if name == "neutral" else load(name)
    return changed(before, **groups)


def mixed(rng: np.random.Generator) -> Groups:
    """Return many fields at random."""

    def one_of(*values: Any) -> Any:  # noqa: ANN401 - values of any field
        return values[int(rng.integers(len(values)))]

    either = (True, False)
    return {
        "cards": {
            "per_color": one_of(2, 4, 12),
            "locomotives": one_of(0, 5, 14, 30),
            "draws_per_turn": one_of(1, 2, 2, 3),
            "reshuffle": one_of("when_needed", "at_once"),
        },
        "market": {
            "size": one_of(1, 3, 5, 7),
            "locomotive_cost": one_of(1, 2),
            "reset_at": one_of(0, 1, 2, 3),
            "max_resets": one_of(0, 1, 3),
            "reset_needs_full": one_of(*either),
            "reset_needs_colored": one_of(0, 1, 3),
            "open_without_piles": one_of(*either),
        },
        "trains": {"per_player": one_of(10, 20, 40), "last_turns": one_of(1, 2), "max_turns": 500},
        "claims": {
            "locomotives_on": one_of((), ("plain", "ferry", "tunnel"), ("tunnel",)),
            "double_routes_from": one_of(0, 7),
            "ferry_swap_size": one_of(0, 2, 3),
            "ferry_swap_fills": one_of("any", "symbols"),
            "pass_rounds": one_of(1, 2),
        },
        "tunnel": {"revealed": one_of(1, 3, 6)},
        "tickets": {
            "draw": one_of(1, 3, 5),
            "keep": one_of(1, 2),
            "unkept": one_of("removed", "under_pile", "discard_pile"),
        },
        "scoring": {"zero_ties": one_of(*either)},
        "money": {
            "tokens": one_of(0, 6, 20),
            "second_track_pays": one_of("owner", "bank"),
            "loan": LoanRules(limit=one_of(0, 1, 2)),
        },
    }


class OtherRules(Combination):
    """A map with other rules, by its name in this module."""

    @property
    def game_map(self) -> GameMap:
        """The map."""
        return map_of(self.name)


SEATINGS = ((HOARDER, HOARDER), (BUILDER, COLLECTOR, BUILDER))
GAMES = [
    *((name, SEATINGS[i % 2]) for i, name in enumerate(ONE_FIELD)),
    *((f"mixture {i}", players) for i in range(N_MIXTURES) for players in SEATINGS),
]
"""Each field with one seating or the other, in turn; fields that meet, with both."""


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("name", "players"), [pytest.param(*game, id=f"{game[0]}-{game[1][0].name}") for game in GAMES]
)
def test_engine_and_referee_agree_by_other_rules(name: str, players: tuple[Whim, ...]) -> None:
    seated = players[: map_of(name).rules.players[1]]

    check_game(OtherRules(name, "", len(seated)), seated, seed=41, game=0)
