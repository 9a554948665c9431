"""By which numbers a planner plays: those of a map, those of a player that stays as it is, or the general ones."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from ttr_analysis._decoding import Amount, allowed_in
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.strategy import Fitted, Strategy, strategy_for

NUMBERS: Final = tuple(field.name for field in fields(Strategy))
"""The numbers of a strategy, in the order of `knowledge.Params`."""
_GENERAL: Final = "general"


@cache
def kept_strategies() -> dict[str, Strategy]:
    """Return the strategies of players that stay as they are, by their names, and the general one."""
    text = Path(__file__).with_name("players.toml").read_text(encoding="utf-8")
    return {name: Strategy(**numbers) for name, numbers in tomllib.loads(text).items()}


def strategy_on(game_map: GameMap, n_players: int) -> Strategy:
    """
    Return by what numbers planners play on a map: its own, of the game most like it, or else the general ones.

    Examples
    --------
    >>> strategy_on(ttr.load_map("usa"), 2).care
    1.0
    """
    return _completed(strategy_for(game_map.strategies, game_map.rules.variant, n_players))


@lru_cache(maxsize=64)
def _completed(told: Fitted | None) -> Strategy:
    general = asdict(kept_strategies()[_GENERAL])
    own = {} if told is None else {name: getattr(told, name) for name in NUMBERS}
    return Strategy(**general | {name: float(number) for name, number in own.items() if number is not None})


@cache
def allowed_numbers() -> dict[str, Amount]:
    """Return what each number of a strategy may be."""
    return allowed_in(Strategy)
