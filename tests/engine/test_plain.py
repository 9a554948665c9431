"""The same sources as machine code and as plain Python: every policy plays the same games, event by event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import blake2b
from typing import Final

import pytest

from tests.engine.conformance import Combination, built_in_players, every_combination
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.engine.game import Game

SEED: Final = 11


def digests(combinations: list[Combination]) -> dict[str, str]:
    """Return a name for all that happens in a game of each policy on each table."""
    found = {}
    for combination in combinations:
        game = Game(combination.game_map, combination.n_players)
        for player in built_in_players():
            rows = game.play_rows([player] * combination.n_players, SEED)
            found[f"{combination} {player.name}"] = blake2b(rows.tobytes(), digest_size=8).hexdigest()
    return found


@pytest.mark.skipif(is_plain(), reason="compares with plain Python, which this is")
@pytest.mark.parametrize("part", range(4))
def test_plain_python_plays_the_same_games(part: int) -> None:
    script = f"""
import json
from tests.engine.test_plain import digests, every_combination
print(json.dumps(digests(every_combination()[{part}::4])))
"""

    plain = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TTR_PLAIN": "1"},
        check=True,
        capture_output=True,
        text=True,
    )

    assert json.loads(plain.stdout) == digests(every_combination()[part::4])
