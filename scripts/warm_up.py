"""
Compile what most tests use, so that processes that start together find it in the cache instead of all compiling it.

`TTR_CHECKS=1 python -m scripts.warm_up`
"""

from __future__ import annotations

import ttr_analysis as ttr
from tests.engine.conformance import Combination, check_game


def main() -> None:
    """Play by each way there is, check the states of a game, and solve for tickets."""
    nordic = ttr.load_map("nordic")
    players = (ttr.policies.Planner(), ttr.policies.Greedy(), ttr.policies.Random())
    ttr.simulate(nordic, players, 3, seed=7, progress=False)
    ttr.Game(nordic, 3).play(players, seed=7).score()
    check_game(Combination("nordic", "", 3), players, 7, 0)
    ttr.tickets.value_table(nordic, n_deals=2)
    ttr.structure.route_table(nordic)
    ttr.paths.longest_trail(nordic, nordic.routes)


if __name__ == "__main__":
    main()
