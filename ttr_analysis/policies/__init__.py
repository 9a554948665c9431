"""
Players: what chooses among the legal actions of a seat.

>>> import ttr_analysis as ttr
>>> game = ttr.Game(ttr.load_map("usa"))
>>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
>>> record.header.policies
('Greedy', 'Random')

A player of one's own is a short class: see `Policy`. Nothing heavy is imported
before it is used: the names below are looked up at their first use (PEP 562).
"""

from typing import TYPE_CHECKING

from ttr_analysis._lazy import late_names

if TYPE_CHECKING:
    from ttr_analysis.engine.protocol import CompiledPolicy as CompiledPolicy
    from ttr_analysis.engine.protocol import Policy as Policy
    from ttr_analysis.policies.greedy import Greedy as Greedy
    from ttr_analysis.policies.planner.policy import Planner as Planner
    from ttr_analysis.policies.playout import play_games as play_games
    from ttr_analysis.policies.random import Random as Random

# Where each public name lives. What type checkers read above must say the same (tested).
_HOMES = {
    "CompiledPolicy": "engine.protocol",
    "Greedy": "policies.greedy",
    "Planner": "policies.planner.policy",
    "Policy": "engine.protocol",
    "Random": "policies.random",
    "play_games": "policies.playout",
}


if not TYPE_CHECKING:  # which would accept any name
    __getattr__, __dir__ = late_names(__name__, _HOMES)
