"""Players from outside: they end every game by the rules, see only what their seat sees, and do what they care for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.records import EACH_VARIANT, Table
from tests.fixtures import load
from ttr_analysis import Game, GameMap, simulate
from ttr_analysis.engine.kernel.scoring import TOTAL_COLUMN
from ttr_analysis.engine.protocol import RIVALS, find_policy
from ttr_analysis.policies import Greedy, Hungry, LongRoutes, OneStep, Paths, play_games
from ttr_analysis.policies.planner.fitting import win_share

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
def test_each_plays_by_the_rules_on_what_its_seat_sees(name: str, table: Table) -> None:
    # `Game.play` shows a player what its seat sees, and refuses what is illegal; the compiled loop shows it all.
    game_map = load(table.name).with_variant(table.variant or None)
    players = [find_policy(name), *["Greedy"] * (table.n_players - 1)]
    record = Game(game_map, table.n_players).play(players, seed=7)
    results, _, _ = play_games(game_map, players, 1, seed=7)

    assert record.state_at(-1).is_over
    assert [*record.scores] == results[0, :, TOTAL_COLUMN].tolist()


def test_each_does_what_it_cares_for(usa: GameMap) -> None:
    players = [OneStep(), LongRoutes(), Paths(), Hungry()]
    result = simulate(usa, players, 200, seed=7, progress=False)
    of_each = result.seats.groupby("policy", observed=True)
    tickets = of_each["tickets"].mean()
    claimed = result.routes.merge(result.seats[["game", "seat", "policy"]], on=["game", "seat"])
    lengths = claimed.assign(length=claimed["route"].map({route.id: route.length for route in usa.routes}).astype(int))

    assert tickets.idxmax() == "Hungry"
    assert tickets["OneStep"] >= usa.rules.tickets.opening_deal == tickets["Paths"] > tickets["LongRoutes"]
    mean = lengths.groupby("policy", observed=True)["length"].mean()
    assert mean["LongRoutes"] > mean["Hungry"] + 0.3  # who judges by trains takes short routes


@pytest.mark.parametrize("rival", [OneStep(), LongRoutes(), Paths(), Hungry()], ids=lambda rival: rival.name)
def test_each_beats_who_has_no_plan(rival: OneStep) -> None:
    assert win_share(load("usa"), rival, Greedy(), 2, 100, seed=7) > 0.7
    assert np.isfinite(rival.params).all()
