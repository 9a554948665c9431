"""Every map with every policy, in every variant, with every number of players passes one harness."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine import conformance
from tests.engine.records import each_variant
from tests.fixtures import EVERY_MAP
from ttr_analysis.engine.kernel.cards import can_draw
from ttr_analysis.engine.kernel.scoring import GAINED_COLUMN, LOST_COLUMN
from ttr_analysis.engine.kernel.turns import has_tickets
from ttr_analysis.engine.layout import TURN, State
from ttr_analysis.policies import Greedy
from ttr_analysis.rules.chance import seed_key
from ttr_analysis.tables import game_tables

N_GAMES = 3
"""Where one is not enough; `make soak` plays a thousand of each combination."""
SEED = 2026

NORDIC = conformance.Combination("nordic", "", 3)

# As plain Python: equal games from equal seeds. For the rest it is enough that all policies play as plain Python what
# they play compiled, which `test_plain` shows.
COMBINATIONS = conformance.every_combination()
PLAYERS: list[conformance.Player] = [
    *conformance.built_in_players(),
    conformance.UNIFORM,
    conformance.HOARDER,
    conformance.COLLECTOR,
    conformance.BUILDER,
]
GAMES = [
    pytest.param(combination, player, id=f"{combination}-{player.name}")
    for combination, player in conformance.in_turn(PLAYERS)
]


# -- whole games --------------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize(("combination", "player"), GAMES)
def test_games_are_lawful_in_every_state_and_agree_with_the_referee(
    combination: conformance.Combination, player: conformance.Player
) -> None:
    conformance.check_game(combination, [player] * combination.n_players, SEED, 0)


OTHER_DEALS = [
    conformance.Combination(name, variant, 2 + (i + len(name)) % 4)
    for name in EVERY_MAP
    for i, variant in enumerate(conformance.deals_of(name)[1:])
]


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", [*COMBINATIONS, *OTHER_DEALS], ids=str)
def test_games_of_different_players_are_lawful(combination: conformance.Combination) -> None:
    everyone: list[conformance.Player] = [*conformance.built_in_players(), conformance.HOARDER, conformance.COLLECTOR]
    seated = [everyone[seat % len(everyone)] for seat in range(combination.n_players)]

    conformance.check_game(combination, seated, SEED, 0)


@pytest.mark.compiled_only
def test_of_ways_to_use_stations_that_bring_the_same_the_one_that_gains_more_is_taken() -> None:
    """At the end of this game a seat gains 14 points and loses 31, or gains 11 and loses 28."""
    played = conformance.check_game(conformance.Combination("invented", "", 5), [Greedy()] * 5, 1, 490)
    assert played.scores[2, [GAINED_COLUMN, LOST_COLUMN]].tolist() == [14, -31]


@each_variant
def test_equal_seeds_give_equal_games(table: conformance.Combination) -> None:
    seated = [conformance.UNIFORM] * table.n_players
    first, again, other = (conformance.play(table, seated, SEED, game, checked=False) for game in (4, 4, 5))

    assert np.array_equal(first.tape, again.tape)
    assert np.array_equal(first.states, again.states)
    assert np.array_equal(first.scores, again.scores)
    assert not np.array_equal(first.tape, other.tape)


@pytest.mark.compiled_only
def test_what_a_player_draws_from_its_stream_does_not_shift_the_cards() -> None:
    games = [
        conformance.play(NORDIC, [player] * 3, SEED, 0, checked=False)
        for player in (conformance.UNIFORM, conformance.HOARDER)
    ]
    deals = [[row for row in game.tape.tolist() if not conformance.is_move(row[0])][:26] for game in games]

    assert deals[0] == deals[1]


@pytest.mark.compiled_only
@pytest.mark.parametrize("player", conformance.built_in_players(), ids=lambda player: player.name)
def test_where_nothing_can_be_drawn_a_player_claims_or_passes(player: conformance.Player) -> None:
    combination = conformance.Combination("switzerland", "", 3)
    tables = game_tables(combination.game_map, 3)
    lore = player.lore(combination.game_map, 3)
    miser = conformance.Whim("Miser", (10**6, 10**6, 1, 1, 1, 10**6, 1, 1, 1, 1))
    n_positions = 0
    for game in range(N_GAMES):
        for state in map(State, conformance.play(combination, [miser] * 3, SEED, game, checked=False).states):
            if state.phase == TURN and not has_tickets(state) and not can_draw(state, tables):
                n_positions += 1
                memory = conformance.open_memories([player], seed_key(SEED), game)[0]
                conformance.check_action(
                    state, tables, *player.decide(state, tables, lore, state.seat, player.params, memory)
                )
    assert n_positions > 0
