"""Actions by number: masks, lists of legal actions and the decisions of players agree, on every map."""

from __future__ import annotations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine import conformance
from tests.envs.numbered import by_number, check_numbers
from tests.fixtures import load
from ttr_analysis import IllegalActionError, actions
from ttr_analysis.engine.protocol import BUILT_IN, find_policy
from ttr_analysis.envs import random_actions

SEED = 2026
COMBINATIONS = conformance.plain_with_fewest()
PLAYERS: list[conformance.Player] = [
    *(find_policy(name) for name in BUILT_IN if name != "Searcher"),  # type: ignore[list-item]
    conformance.UNIFORM,
    conformance.HOARDER,
    conformance.COLLECTOR,
    conformance.BUILDER,
]
GAMES = [
    pytest.param(combination, player, id=f"{combination}-{player.name}")
    for combination, player in conformance.in_turn(PLAYERS)
]
NORDIC = load("nordic")


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS)
def test_games_by_number_are_lawful_and_masks_are_what_is_listed(combination: conformance.Combination) -> None:
    for game in range(3):
        check_numbers(conformance.play(combination, by_number(combination), SEED, game, checked=game == 0))


@pytest.mark.compiled_only
@pytest.mark.parametrize(("combination", "player"), GAMES)
def test_whatever_a_player_does_has_a_number_in_the_mask(
    combination: conformance.Combination, player: conformance.Player
) -> None:
    check_numbers(conformance.play(combination, [player] * combination.n_players, SEED, 1, checked=False))


@pytest.mark.compiled_only
def test_what_searchers_do_has_a_number_in_the_mask() -> None:
    record = ttr.Game(load("invented")).play([ttr.policies.Searcher(10)] * 2, seed=3)
    assert {type(move.action) for move in record.moves} >= {actions.ClaimRoute, actions.PayTunnel, actions.DrawFaceUp}
    for state, move in zip(record.states(), record.moves, strict=False):
        assert ttr.envs.action_mask(state)[ttr.envs.to_index(move.action, state)]


@pytest.mark.parametrize("name", ["nordic", "usa", "europe", "switzerland", "nederland", "invented"])
def test_objects_and_numbers_agree(name: str) -> None:
    game_map = load(name)
    game, words = ttr.Game(game_map), ttr.envs.action_words(game_map)
    assert len(set(words)) == len(words)
    record = game.play(["Greedy", "Random"], seed=3)
    for state in record.states()[:-1:7]:
        view = game.view(state, state.acting)
        mask = ttr.envs.action_mask(state)
        assert np.array_equal(mask, ttr.envs.action_mask(view))
        listed = game.legal_actions(state)
        assert {ttr.envs.to_index(action, state) for action in listed} == set(np.flatnonzero(mask).tolist())
        claims = [action for action in listed if isinstance(action, actions.ClaimRoute)]
        assert len({(claim.route.id, str(claim)) for claim in claims}) == len(claims)
        for index in np.flatnonzero(mask).tolist():
            action = ttr.envs.to_action(index, view)
            assert game.is_legal(state, action)
            assert ttr.envs.to_index(action, view) == index
    assert not ttr.envs.action_mask(record.states()[-1]).any()


def test_payments_that_read_alike_have_one_number() -> None:
    game = ttr.Game(NORDIC)
    route = NORDIC.route("Murmansk", "Lieksa")
    packed = game.play(["Greedy", "Greedy"], seed=3).state_at(20).packed
    packed.owner[NORDIC.routes.index(route)] = -1
    packed.hand[packed.seat] = [0, 5, 0, 0, 7, 0, 0, 5, 1]
    packed.n_hand[packed.seat] = 18
    rich = ttr.GameState(NORDIC, 2, packed)
    words = ttr.envs.action_words(NORDIC)

    numbers = []
    for sets in ({"blue": 4, "red": 4}, {"blue": 5, "red": 2, "locomotive": 1}):
        action = actions.ClaimRoute(route, ttr.payments.from_cards(route, {"green": 7, **sets}))
        assert game.is_legal(rich, action)
        numbers.append(ttr.envs.to_index(action, rich))
    assert [words[i] for i in numbers] == ["claim Lieksa-Murmansk (gray, 9) with green"] * 2
    assert str(ttr.envs.to_action(numbers[0], rich)).endswith("with 7 green, and 4 blue, 4 red in sets")


def test_what_is_illegal_or_has_no_number_is_refused() -> None:
    game = ttr.Game(NORDIC)
    state = game.new(seed=7)
    words = ttr.envs.action_words(NORDIC)
    with pytest.raises(IllegalActionError, match=r"P0 may not do this now: draw a card from the pile \(action 0\)"):
        ttr.envs.to_action(0, state)
    for index in (-1, len(words)):
        with pytest.raises(IllegalActionError, match=f"from 0 to {len(words) - 1}, got {index}"):
            ttr.envs.to_action(index, state)
    with pytest.raises(IllegalActionError, match="P0 must choose its opening tickets"):
        ttr.envs.to_index(actions.DrawCard(), state)


def test_actions_are_drawn_among_more_than_a_mask_can_count() -> None:
    drawn = random_actions(np.ones((40, 300), dtype=np.int8), np.random.default_rng(7))
    assert drawn.min() >= 0
    assert 127 < drawn.max() < 300
