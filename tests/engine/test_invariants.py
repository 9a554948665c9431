"""The laws of every state notice what they are there for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.engine import conformance
from tests.engine.invariants import Law, broken_law
from tests.engine.positions import cell
from ttr_analysis.cards import LOCOMOTIVE_INDEX
from ttr_analysis.engine.codes import MARKET_CARD, make_event
from ttr_analysis.engine.layout import TURN, Ending, State
from ttr_analysis.tables import game_tables

NEDERLAND = conformance.Combination("nederland", "", 3)
N_PLAYERS = 3


@pytest.fixture(scope="module")
def played() -> conformance.Played:
    return conformance.play(NEDERLAND, [conformance.UNIFORM] * N_PLAYERS, 1, 0, checked=False)


@pytest.fixture
def state(played: conformance.Played) -> State:
    """Return a turn in the middle of a game, with both tracks of a double route taken."""
    middle = map(State, played.states[2 * len(played.states) // 3 :])
    return next(state for state in middle if state.phase == TURN).copy()


def move_card(state: State) -> None:
    kind = int(np.argmax(state.draw_pile[:9]))
    state.draw_pile[kind] -= 1
    state.pool[kind] -= 1
    state.discards[kind] += 1


def claim_twin(state: State) -> None:
    tables = game_tables(NEDERLAND.game_map, N_PLAYERS)
    route = next(r for r in state.claimed[: state.n_claims] if state.owner[tables.twin[r]] >= 0)
    state.owner[route] = state.owner[tables.twin[route]]


def change(field: str, by: int, at: int = 0) -> Callable[[State], None]:
    def tamper(state: State) -> None:
        state.cells[cell(field, at)] += by

    return tamper


def put(field: str, number: int, at: int = 0) -> Callable[[State], None]:
    def tamper(state: State) -> None:
        state.cells[cell(field, at)] = number

    return tamper


@pytest.mark.parametrize(
    ("tamper", "law"),
    [
        pytest.param(change("discards", 1), Law.CARDS_ARE_CONSERVED, id="a card too many"),
        pytest.param(put("draw_pile", -1), Law.NO_COUNT_IS_NEGATIVE, id="less than no cards in the pile"),
        pytest.param(put("tokens", -1), Law.NO_COUNT_IS_NEGATIVE, id="less than no tokens"),
        pytest.param(move_card, Law.PILE_IS_COUNTED, id="a card gone from the pile"),
        pytest.param(change("n_hand", 1), Law.HANDS_ARE_COUNTED, id="a hand of another size"),
        pytest.param(change("n_pile", -1), Law.PILE_IS_COUNTED, id="a pile of another size"),
        pytest.param(change("known", 20, 3), Law.KNOWN_CARDS_ARE_HELD, id="a card known that is not held"),
        pytest.param(change("pool", 1), Law.POOL_HOLDS_THE_PILE, id="a card thought to be in the pile"),
        pytest.param(change("blind", 1, 8), Law.POOL_HOLDS_THE_PILE, id="a card drawn from nowhere"),
        pytest.param(put("old", 50), Law.OLD_CARDS_ARE_UNKNOWN, id="more old cards than unknown ones"),
        pytest.param(change("trains", 1), Law.TRAINS_ARE_CONSERVED, id="a train too many"),
        pytest.param(change("n_claims", -1), Law.ROUTES_HAVE_ONE_OWNER, id="a claim forgotten"),
        pytest.param(put("claimed", 0, 1), Law.ROUTES_HAVE_ONE_OWNER, id="a claim of another route"),
        pytest.param(claim_twin, Law.TWINS_ARE_CLOSED, id="both tracks of one player"),
        pytest.param(change("score", 1), Law.SCORES_FOLLOW_FROM_ROUTES, id="a point too many"),
        pytest.param(change("tokens", 1, 1), Law.TOKENS_FOLLOW_FROM_CLAIMS, id="a token too many"),
        pytest.param(change("loans", 1), Law.TOKENS_FOLLOW_FROM_CLAIMS, id="a loan too many"),
        pytest.param(put("held", 127), Law.TICKETS_ARE_IN_ONE_PLACE, id="a ticket that is not in the game"),
        pytest.param(change("n_held", -1), Law.TICKETS_ARE_COUNTED, id="a ticket lost"),
        pytest.param(change("n_ticket_discards", 1), Law.TICKETS_ARE_COUNTED, id="a ticket thought to be discarded"),
        pytest.param(put("ticket_at", -1, 1), Law.TICKETS_ARE_IN_ONE_PLACE, id="a ticket nowhere"),
        pytest.param(change("n_turns", 1), Law.PHASES_FIT, id="another seat's turn"),
        pytest.param(put("n_taken", 1), Law.PHASES_FIT, id="a card drawn in no turn"),
        pytest.param(put("pending", 0), Law.PHASES_FIT, id="a tunnel that nobody attempts"),
        pytest.param(put("ending", int(Ending.TRAINS)), Law.PHASES_FIT, id="over and not over"),
        pytest.param(put("fault", 1), Law.PHASES_FIT, id="a script that did not fit"),
        pytest.param(put("last_left", 2), Law.LAST_ROUND_FITS, id="a last round too early"),
        pytest.param(put("n_passes", 3), Law.GAMES_END_BY_THEMSELVES, id="passes without an end"),
    ],
)
def test_what_is_wrong_is_noticed(tamper: Callable[[State], None], law: Law, state: State) -> None:
    tables = game_tables(NEDERLAND.game_map, N_PLAYERS)
    assert broken_law(state, tables) == Law.NONE

    tamper(state)

    assert Law(broken_law(state, tables)) is law


def test_an_empty_slot_beside_a_full_pile_is_noticed(state: State) -> None:
    state.discards[state.market[0]] += 1
    state.market[0] = -1

    assert broken_law(state, game_tables(NEDERLAND.game_map, N_PLAYERS)) == Law.MARKET_IS_FILLED


def test_three_locomotives_that_stay_after_a_refill_are_noticed(state: State) -> None:
    tables = game_tables(NEDERLAND.game_map, N_PLAYERS)
    refill = np.array([[make_event(MARKET_CARD, 0, 4), LOCOMOTIVE_INDEX]])
    state.market[:3] = LOCOMOTIVE_INDEX

    conformance.check_market(state, tables, refill[:0])
    with pytest.raises(conformance.BrokenLawError, match="should be replaced"):
        conformance.check_market(state, tables, refill)


def test_a_truncated_game_is_noticed(played: conformance.Played) -> None:
    state = State(played.states[-1]).copy()
    state.ending = int(Ending.TRUNCATED)

    assert broken_law(state, game_tables(NEDERLAND.game_map, N_PLAYERS)) == Law.GAMES_END_BY_THEMSELVES


def test_a_replay_that_differs_is_noticed(played: conformance.Played) -> None:
    states = played.states.copy()
    states[17, cell("score")] += 1

    with pytest.raises(conformance.BrokenLawError, match="the replay differs after 17 moves"):
        conformance.check_replay(replace(played, states=states))


def test_a_score_that_differs_from_the_referees_is_noticed(played: conformance.Played) -> None:
    scores = played.scores.copy()
    scores[0, 1] += 1

    with pytest.raises(conformance.BrokenLawError, match="the referee says"):
        conformance.check_by_referee(replace(played, scores=scores))
