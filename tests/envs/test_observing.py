"""What an encoder gives a seat depends on nothing that the seat cannot see."""

from __future__ import annotations

import pytest

from tests.engine.records import EACH_VARIANT, Table
from tests.envs.encoders import count_kept, foresee, peek
from ttr_analysis import GameError
from ttr_analysis.envs import Encoder, check_encoder
from ttr_analysis.envs.observing import EncodeFunction

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
def test_ours_does_not_leak(table: Table) -> None:
    check_encoder(game_map=table.game_map, n_players=table.n_players, n_states=20, seed=3)


@pytest.mark.parametrize("leak", [peek, foresee, count_kept])
def test_a_leak_is_found(leak: EncodeFunction) -> None:
    with pytest.raises(GameError, match=r"feature 0 \(leak\) depends on what P\d cannot see"):
        check_encoder(Encoder(leak, lambda _map, _n: ["leak"]), "nordic", 3, n_states=300)
