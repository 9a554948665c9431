"""All that chance may do after an action, against the piles, the odds of tunnels, and what chance does."""

from __future__ import annotations

from collections import Counter
from math import isclose

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination, some_combinations
from tests.fixtures import load
from ttr_analysis import GameError, GameState, IllegalActionError, actions
from ttr_analysis.cards import CARD_KINDS

SEED = 2026


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", some_combinations(start=1), ids=str)
def test_what_happens_is_among_the_chances_and_they_add_up_to_one(combination: Combination) -> None:
    game = ttr.Game(combination.game_map, combination.n_players)
    record = game.play(["Random"] * combination.n_players, seed=SEED)
    n_listed = 0
    for state, move in list(zip(record.states(), record.moves, strict=False))[::9]:
        try:
            chances = game.chance_outcomes(state, move.action, most=900)
        except GameError as error:
            assert "more than 900 chance outcomes" in str(error) or "shuffled" in str(error)  # noqa: PT017
            continue
        n_listed += 1
        assert isclose(sum(odds for _, odds in chances), 1)
        assert len({outcomes for outcomes, _ in chances}) == len(chances)
        happened = [event for event in game.step(live(state), move.action)[1][1:] if not hasattr(event, "action")]
        kinds = {"cards_shuffled", "tickets_shuffled", "market_replaced"}
        outcomes = tuple(event for event in happened if event.kind not in kinds)
        assert outcomes in {one for one, _ in chances}
        for one, _ in chances[:3]:
            game.step(state, move.action, one)
    assert n_listed >= 8


def live(state: GameState) -> GameState:
    """Return a state with random numbers to come."""
    packed = state.packed
    packed.stream[:] = np.random.default_rng(5).integers(1, 2**32, 4)
    return GameState(state.game_map, state.n_players, packed)


def test_a_blind_card_is_as_likely_as_the_pile_says() -> None:
    game = ttr.Game("usa")
    state = game.play(["Greedy", "Greedy"], seed=7).state_at(12)
    chances = game.chance_outcomes(state, actions.DrawCard())
    assert {outcomes[0].card: odds for outcomes, odds in chances} == pytest.approx(
        {kind: state.pile[kind] / state.n_pile for kind in CARD_KINDS if state.pile[kind]}
    )


def test_a_reveal_is_as_likely_as_the_odds_of_tunnels_say() -> None:
    nordic = load("nordic")
    game = ttr.Game(nordic)
    states = game.play(["Greedy", "Greedy"], seed=3).states()
    for state in states:
        claims = [
            action
            for action in game.legal_actions(state)
            if isinstance(action, actions.ClaimRoute) and action.route.tunnel and action.payment.color
        ]
        if claims and state.n_pile > 8:
            break
    color = str(claims[0].payment.color)
    surcharges: Counter[int] = Counter()
    for outcomes, odds in game.chance_outcomes(state, claims[0], most=10_000):
        turned = [one for one in outcomes if one.kind == "card_revealed"]
        surcharges[sum(one.card in (color, "locomotive") for one in turned)] += odds  # type: ignore[assignment]
    matching = state.pile[color] + state.pile.locomotives
    exact = ttr.tunnels.surcharge_distribution(matching, state.n_pile)
    assert [surcharges[n] for n in range(4)] == pytest.approx(exact)


def test_what_cannot_be_listed_is_refused() -> None:
    game = ttr.Game("usa")
    state = game.play(["Greedy", "Greedy"], seed=7).state_at(12)
    with pytest.raises(GameError, match="more than 1000 chance outcomes"):
        game.chance_outcomes(state, actions.DrawTickets())
    with pytest.raises(IllegalActionError):
        game.chance_outcomes(state, actions.Pass())
