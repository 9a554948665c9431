"""Drawing with a face-up market, by simulation: the stated greedy rule, and each rule of the market."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.oracles.draws import enumerate_market
from tests.oracles.payment import Counts, make_route, spread
from tests.oracles.strategies import GREEN, RED, some_cards
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import LOCOMOTIVE_INDEX, CardCounts
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.market import EMPTY, FaceUpRules, is_reset_due, refill
from ttr_analysis.rules.ruleset import MarketRules, RuleSet

PLAIN = make_route(2, "green")
FERRY = make_route(2, "green", symbols=1, swap_size=3)
TWO_FOR_ONE = make_route(3, "green", jokers=False, swap_size=2)
CHEAP = {"locomotive_cost": 1, "reset_at": 0}


def ruled(**market: Any) -> RuleSet:  # noqa: ANN401 - fields of `MarketRules`
    return RuleSet("a market of its own", market=MarketRules(**market))


def drawn(route: Route, rules: RuleSet, pool: dict[str, int], face_up: dict[str, int]) -> WaitingTime:
    rng = np.random.default_rng(1)
    return ttr.payments.simulate_draws(route, rng=rng, rules=rules, pool=pool, face_up=face_up, n=50)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("route", "hand", "pool", "market"),
    [
        pytest.param(PLAIN, {}, {GREEN: 2, RED: 3, 8: 1}, CHEAP, id="locomotives cost one"),
        pytest.param(PLAIN, {}, {GREEN: 1, RED: 3, 8: 2}, {"reset_at": 0}, id="locomotives cost two"),
        pytest.param(make_route(2, "green", jokers=False), {}, {GREEN: 2, RED: 2, 8: 2}, CHEAP, id="no jokers"),
        pytest.param(FERRY, {GREEN: 1}, {GREEN: 1, RED: 4, 8: 1}, {"size": 1, **CHEAP}, id="ferry"),
        pytest.param(TWO_FOR_ONE, {}, {GREEN: 2, RED: 4, 8: 1}, CHEAP, id="two for one"),
        pytest.param(PLAIN, {}, {GREEN: 3, RED: 1, 8: 3}, {}, id="reset at two"),
        pytest.param(PLAIN, {}, {GREEN: 3, RED: 1, 8: 3}, {"max_resets": 0}, id="no reset"),
        pytest.param(PLAIN, {}, {GREEN: 3, 8: 4}, {"max_resets": 2}, id="two resets"),
        pytest.param(PLAIN, {}, {GREEN: 2, 8: 4}, {"reset_needs_colored": 2}, id="enough colored cards"),
        pytest.param(PLAIN, {}, {GREEN: 2, 8: 4}, {"reset_needs_colored": 3}, id="too few colored cards"),
    ],
)
def test_drawing_from_a_market_follows_the_stated_rule(
    route: Route, hand: dict[int, int], pool: dict[int, int], market: dict[str, int]
) -> None:
    """Against the same rule, written again and played through every order of a small pool."""
    rules = ruled(**{"size": 2, "reset_at": 2, "max_resets": 1, "reset_needs_colored": 1, **market})
    exact = enumerate_market(route, spread(hand), spread(pool), rules.market, 2)

    waiting = ttr.payments.simulate_draws(
        route,
        CardCounts(spread(hand)),
        rng=np.random.default_rng(1),
        rules=rules,
        pool=CardCounts(spread(pool)),
        n=6_000,
    )

    for simulated, which in ((waiting.cards, 0), (waiting.turns, 1)):
        for n, share in enumerate(simulated):
            p = float(sum(q for result, q in exact.items() if result[which] == n))
            assert abs(share - p) < 4 * math.sqrt((p * (1 - p) + 1e-4) / 6_000)
    assert not waiting.expected_cards.is_exact


def test_a_market_is_given_or_dealt(nordic: GameMap) -> None:
    route = make_route(3, "green")
    rng = np.random.default_rng(1)

    open_cards = ttr.payments.simulate_draws(route, rng=rng, rules=nordic.rules, face_up={"green": 4, "red": 1}, n=100)

    assert open_cards.expected_cards.value == 3
    assert open_cards.expected_turns.value == 2
    with pytest.raises(ValueError, match="at most 5 cards can be face up"):
        ttr.payments.simulate_draws(route, rng=rng, face_up={"green": 6})
    with pytest.raises(ValueError, match="samples must be 1 or more"):
        ttr.payments.simulate_draws(route, rng=rng, n=0)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("ends", "hand"),
    [
        pytest.param(("Murmansk", "Lieksa"), {"green": 3}, id="sets for any space"),
        pytest.param(("Helsinki", "Stockholm"), {"purple": 1}, id="ferry"),
        pytest.param(("Oslo", "Lillehammer"), {}, id="tunnel"),
        pytest.param(("Oslo", "Göteborg"), {}, id="a color"),
    ],
)
def test_without_a_market_simulated_draws_are_those_expected(
    nordic: GameMap, ends: tuple[str, str], hand: dict[str, int]
) -> None:
    route, rng = nordic.routes_between(*ends)[0], np.random.default_rng(7)

    exact = ttr.payments.expected_draws(route, hand, rules=nordic, spare=1)
    found = ttr.payments.simulate_draws(route, hand, rng=rng, rules=nordic, spare=1, market=False, n=2_000)
    greedy = ttr.payments.simulate_draws(route, hand, rng=rng, rules=nordic, spare=1, n=2_000)

    for mine, expected in ((found.expected_cards, exact.expected_cards), (found.expected_turns, exact.expected_turns)):
        assert abs(mine.value - expected.value) < 4 * mine.standard_error
    within = found.within(12)
    assert abs(within.value - exact.within(12).value) < 4 * within.standard_error
    assert greedy.expected_cards.value + 4 * greedy.expected_cards.standard_error < exact.expected_cards.value


def test_without_a_market_an_open_card_is_only_seen(nordic: GameMap) -> None:
    route, rng = make_route(1, "green", jokers=False), np.random.default_rng(1)

    def blind(pool: dict[str, int], face_up: dict[str, int]) -> WaitingTime:
        return ttr.payments.simulate_draws(route, rng=rng, rules=nordic, pool=pool, face_up=face_up, market=False, n=20)

    assert blind({"red": 2, "green": 1}, {}).never == 0
    assert blind({"red": 5}, {"green": 5}).never == 1


def test_a_market_that_never_stops_being_all_locomotives_ends() -> None:
    """With nothing but locomotives left, no reset is made, and a route that takes none is never paid."""
    route = make_route(2, "green", jokers=False)

    waiting = ttr.payments.simulate_draws(route, rng=np.random.default_rng(1), pool={"locomotive": 12}, n=10)

    assert waiting.never == 1
    assert math.isinf(waiting.expected_cards.value)


# -- each rule of the market ----------------------------------------------


def test_a_full_market_is_not_replaced_before_a_card_is_taken() -> None:
    """It lies as it was left; three locomotives may, after the last reset allowed."""
    face_up = {"green": 2, "locomotive": 3}

    waiting = drawn(make_route(1, "green"), ruled(), {"red": 20}, face_up)

    assert (waiting.expected_cards.value, waiting.expected_turns.value) == (1, 1)


@pytest.mark.parametrize("max_resets", [0, 1])
def test_a_market_is_replaced_when_a_card_was_taken_and_its_slot_filled(max_resets: int) -> None:
    """A green card is taken; then the other one is gone with the locomotives, or is there yet."""
    face_up = {"green": 2, "locomotive": 3}
    rules = ruled(max_resets=max_resets)

    waiting = drawn(make_route(2, "green", jokers=False), rules, {"red": 20}, face_up)

    assert (waiting.expected_cards.value == 2) == (max_resets == 0)


@pytest.mark.parametrize("needed", [4, 5])
def test_a_reset_needs_so_many_colored_cards_in_market_and_piles(needed: int) -> None:
    """A green card is taken, and four colored ones are left: one face up, three in the pile."""
    rules = ruled(size=3, locomotive_cost=1, reset_at=2, max_resets=1, reset_needs_colored=needed)
    face_up = {"green": 1, "locomotive": 2}

    waiting = drawn(make_route(2, "green"), rules, {"red": 4}, face_up)

    # The second card is to be a locomotive: one lies there, or went with the market.
    assert (waiting.expected_cards.value == 2) == (needed == 5)


@pytest.mark.parametrize(("open_without_piles", "never"), [(True, 0), (False, 1)])
def test_whether_face_up_cards_may_be_taken_when_both_piles_are_empty(
    open_without_piles: bool,  # noqa: FBT001
    never: int,
) -> None:
    rules = ruled(open_without_piles=open_without_piles)

    assert drawn(make_route(2, "green"), rules, {}, {"green": 2}).never == never
    # With the last card of the pile the market closes.
    assert drawn(make_route(2, "green"), rules, {"red": 1}, {"green": 5}).never == never
    assert drawn(make_route(1, "green"), rules, {"red": 1}, {"green": 5}).never == 0
    # Cards for a set are not to be had either.
    ferry = make_route(1, "green", symbols=1, swap_size=3)
    assert drawn(ferry, rules, {}, {"red": 3}).never == never


@pytest.mark.parametrize(("needs_full", "n_resets"), [(True, 0), (False, 1)])
def test_whether_a_reset_needs_a_full_market(needs_full: bool, n_resets: int) -> None:  # noqa: FBT001
    """Two locomotives and a slot for which there is no card; the same cards come back."""
    rules = FaceUpRules(2, 2, 1, int(needs_full), 0, 1)
    market = np.array([LOCOMOTIVE_INDEX, LOCOMOTIVE_INDEX, EMPTY])
    pile, discards = (np.zeros(9, dtype=np.int64) for _ in range(2))

    assert refill(stream_from(np.random.default_rng(1)), market, pile, discards, rules) == n_resets
    assert market.tolist() == [LOCOMOTIVE_INDEX, LOCOMOTIVE_INDEX, EMPTY]
    assert pile.sum() + discards.sum() == 0


@given(
    st.lists(st.sampled_from([EMPTY, GREEN, RED, LOCOMOTIVE_INDEX]), min_size=1, max_size=5),
    some_cards(3),
    some_cards(3),
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3)),
    st.integers(0, 2**32),
)
def test_a_refill_ends_where_the_rules_say(
    slots: list[int], pile: Counts, discards: Counts, resets: tuple[int, int, int, int], seed: int
) -> None:
    rules = FaceUpRules(2, *resets, 1)
    market, left, thrown = np.array(slots), np.array(pile), np.array(discards)
    before = left + thrown + np.bincount(market[market != EMPTY], minlength=9)

    n_resets = refill(stream_from(np.random.default_rng(seed)), market, left, thrown, rules)

    assert (left + thrown + np.bincount(market[market != EMPTY], minlength=9) == before).all()
    if EMPTY not in slots:
        assert (market.tolist(), n_resets) == (slots, 0)
        return
    # A slot is empty only if no card is left, and then it is one of the last of those filled.
    assert EMPTY not in market or left.sum() + thrown.sum() == 0
    assert n_resets <= rules.max_resets
    n_colored = int(left[:8].sum() + thrown[:8].sum())
    assert not is_reset_due(market, n_colored, n_resets, rules)
