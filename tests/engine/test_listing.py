"""The list of legal actions against every action there is, judged by the referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from tests.engine.conformance import BUILDER, IS_COMPILED, Combination, is_move, play, some_combinations
from tests.engine.decoding import decode, encode_move
from tests.engine.listing import ListingLaw, _finds_unlisted, broken_listing_law
from tests.oracles.referee import Decision, Referee
from tests.oracles.referee.moves import _candidates, fault, route_fault
from tests.oracles.referee.payment import Cards, Form, affordable, forms, n_sub_multisets
from ttr_analysis._compile import Ints
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_TICKETS, make_action
from ttr_analysis.engine.kernel.step import action_fault, list_actions
from ttr_analysis.engine.layout import TURN, State
from ttr_analysis.maps.model import Route
from ttr_analysis.tables import Tables, game_tables

SEED = 2026
MAX_CHOICES = 120
N_POSITIONS = 6 if IS_COMPILED else 2
COMBINATIONS = some_combinations(start=1)
WITH_SETS = [Combination("nordic", "", 2), Combination("invented", "", 2)]

Action = tuple[int, int]


@pytest.mark.parametrize(
    "combination",
    [
        pytest.param(combination, id=str(combination), marks=() if i % 5 == 0 else pytest.mark.compiled_only)
        for i, combination in enumerate(COMBINATIONS)
    ],
)
def test_what_is_legal_in_small_positions_is_what_the_referee_says(combination: Combination) -> None:
    for state, referee in islice(small_positions(combination), N_POSITIONS):
        listed, legal = judge(combination, state, referee)
        with_sets = {
            make_action(CLAIM_ROUTE, i) for i, route in enumerate(combination.game_map.routes) if route.swap_size
        }

        assert listed <= legal
        assert {action for action in legal - listed if action[0] not in with_sets} == set()


@pytest.mark.parametrize("combination", WITH_SETS, ids=str)
def test_each_form_of_payment_with_sets_is_listed_once(combination: Combination) -> None:
    positions = (pair for pair in small_positions(combination) if pair[0].phase == TURN)
    for state, referee in islice(positions, 5 * N_POSITIONS):
        listed, _ = judge(combination, state, referee)
        seat = int(state.seat)
        for i, route in enumerate(combination.game_map.routes):
            if route.swap_size and not route_fault(referee.table, seat, route):
                payments = [cards_of(value) for code, value in listed if code == make_action(CLAIM_ROUTE, i)]
                for form in forms(route):
                    has_form = any(
                        cards.total() == n_cards(route, form) and affordable(route, form, cards) for cards in payments
                    )
                    assert has_form == affordable(route, form, referee.table.hands[seat]), (route, form)


def small_positions(combination: Combination) -> Iterator[tuple[State, Referee]]:
    """Yield positions of a game in which a hand has few choices of cards: every third turn, and all that is no turn."""
    played = play(combination, [BUILDER] * combination.n_players, SEED, 7, checked=False)
    referee = Referee(combination.game_map, combination.n_players)
    n_moves = 0
    for row, event in zip(played.tape.tolist(), decode(combination.game_map, played.tape), strict=True):
        if is_move(row[0]):
            state = State(played.states[n_moves])
            is_small = n_sub_multisets(referee.table.hands[int(state.seat)]) <= MAX_CHOICES
            if is_small and (state.phase != TURN or n_moves % 3 == 0):
                yield state, referee
            n_moves += 1
        referee.apply(event)


def judge(combination: Combination, state: State, referee: Referee) -> tuple[set[Action], set[Action]]:
    """Return the listed and the legal actions; kernel and referee must agree on each action there is."""
    game_map, table, due = combination.game_map, referee.table, referee.due
    tables = game_tables(game_map, combination.n_players)
    assert isinstance(due, Decision)
    actions = np.zeros((5_000, 2), dtype=np.int64)
    listed = {(code, value) for code, value in actions[: list_actions(state, tables, actions)].tolist()}
    legal = set()
    for event in _candidates(table, due):
        code, value = encode_move(game_map, event, table.offers[due.seat])
        is_legal = not fault(table, due, event)
        assert is_legal == (action_fault(state, tables, code, value) == 0), (event, table.hands[due.seat])
        if is_legal:
            legal.add((code, value))
    return listed, legal


def cards_of(value: int) -> Cards:
    return Counter({kind: value >> 6 * i & 63 for i, kind in enumerate(CARD_KINDS)})


def n_cards(route: Route, form: Form) -> int:
    return form.own + form.locomotives + form.sets * route.swap_size


# -- the law itself ---------------------------------------------------------------


@pytest.fixture
def position() -> tuple[State, Tables, Ints, int]:
    """Return a turn in the middle of a game, its tables and its list of actions with their number."""
    played = play(WITH_SETS[0], [BUILDER] * 2, SEED, 7, checked=False)
    state = next(state for state in map(State, played.states[len(played.states) // 2 :]) if state.phase == TURN)
    tables = game_tables(WITH_SETS[0].game_map, 2)
    actions = np.zeros((5_000, 2), dtype=np.int64)
    return state, tables, actions, int(list_actions(state, tables, actions))


def test_a_legal_action_that_is_not_listed_is_noticed(position: tuple[State, Tables, Ints, int]) -> None:
    state, tables, actions, n = position
    assert actions[n - 1, 0] == DRAW_TICKETS

    assert not _finds_unlisted(state, tables, actions, n)
    assert _finds_unlisted(state, tables, actions, n - 1)


def test_a_list_that_is_too_short_is_noticed(position: tuple[State, Tables, Ints, int]) -> None:
    state, tables, actions, n = position
    stream = np.ones(4, dtype=np.int64)

    assert broken_listing_law(state, tables, actions[:n], stream, 3) == ListingLaw.NONE
    assert broken_listing_law(state, tables, actions[: n - 1], stream, 3) == ListingLaw.ALL_FIT_IN_THE_LIST
