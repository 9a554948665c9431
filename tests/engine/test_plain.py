"""
The same sources as machine code and as plain Python: every policy plays the same games, event by event.

On every map, in every variant, `Random` and `Greedy` in turn with every other
number of players. On every map and with a neutral player, one `Planner` among
others, which takes ten times as long as plain Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import blake2b
from typing import Final

import pytest

from tests.engine.conformance import Combination, Player, some_combinations
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.records.record import Game

SEED: Final = 11


def digests(combinations: list[Combination]) -> dict[str, str]:
    """Return a name for all that happens in the games on each table."""
    found = {}
    for combination in combinations:
        game = Game(combination.game_map, combination.n_players)
        for seated in seatings_of(combination):
            rows = game.play_rows(seated, SEED)
            found[f"{combination} {seated[0].name}"] = blake2b(rows.tobytes(), digest_size=8).hexdigest()
    return found


def seatings_of(combination: Combination) -> list[list[Player]]:
    """Return who plays on a table."""
    plans = combination.variant in ("", "neutral") and (combination.n_players < 4 or combination.name == "usa")
    others = combination.n_players - 1
    both: list[Player] = [Random(), Greedy()]
    in_turn = [both[(seat + combination.n_players) % 2] for seat in range(1 + others)]
    return [in_turn, [Planner(), *[Greedy()] * others]] if plans else [in_turn]


@pytest.mark.skipif(is_plain(), reason="compares with plain Python, which this is")
def test_plain_python_plays_the_same_games() -> None:
    script = """
import json
from tests.engine.test_plain import digests, some_combinations
print(json.dumps(digests(some_combinations())))
"""

    environment = {**os.environ, "TTR_PLAIN": "1"}
    plain = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True)

    assert json.loads(plain.stdout) == digests(some_combinations())
