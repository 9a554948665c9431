"""Tickets in worlds are like those that planners hold: in many games; `make test` runs this without checks."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.engine.conformance import Combination
from tests.policies.test_worlds import beliefs_of
from ttr_analysis import Game, GameRecord
from ttr_analysis._compile import Ints
from ttr_analysis.engine.layout import State
from ttr_analysis.policies import Planner, Planner2
from ttr_analysis.policies.search.beliefs import FITTED, alone_on, fill_on_way
from ttr_analysis.policies.search.knowledge import knowledge_of
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.tables import MAX_TICKETS

PLANNERS = Planner(), Planner2()
"""One is fitted to each map, and hoards on some; the other has the same parameters on all."""


@cache
def of_planners(name: str, n_players: int, seed: int = 7, number: int = 0, player: Planner = PLANNERS[0]) -> GameRecord:
    """Return a game of planners."""
    return Game(Combination(name, "", n_players).game_map, n_players).play([player] * n_players, seed, number)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("player", "part", "error"),
    [(PLANNERS[0], 0.0, 0.3), (PLANNERS[0], 0.5, 0.2), (PLANNERS[1], 0.5, 0.2), (PLANNERS[1], 0.95, 0.08)],
)
def test_planners_hold_long_tickets_as_often_as_worlds_say(player: Planner, part: float, error: float) -> None:
    """After the opening, in the middle and at the end of games: on average, and game by game (Brier score)."""
    is_long = np.array([ticket.deck == "long" for ticket in Combination("europe", "", 2).game_map.tickets])
    believed, true = np.zeros(60), np.zeros(60)
    for seed in range(60):
        states = of_planners("europe", 2, seed, player=player).states()
        state = states[2 + int(part * (len(states) - 3))]
        known, table = knowledge_of(state, 0), Rollouts(states[0].game_map, 2, [player] * 2, seed=seed)
        held = State.across(table.worlds(known, beliefs_of(known, player), 30), "held")
        believed[seed] = is_long[held[:, 1, : known.packed.n_held[1]]].any(axis=1).mean()
        true[seed] = any(ticket is not None and ticket.deck == "long" for ticket in state.tickets[1])

    assert believed.mean() == pytest.approx(true.mean(), abs=0.15)
    assert np.square(believed - true).mean() < error


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["nordic", "nederland", "usa"])
def test_tickets_in_worlds_go_together_as_those_of_planners_do(name: str) -> None:
    """How many routes tickets have in common after the opening: nearer to the truth than if choices told nothing."""
    game_map = Combination(name, "", 2).game_map
    shared = alone_on(game_map, 2).shared
    found: dict[str, list[float]] = {"real": [], "chosen": [], "any": []}
    for number in range(150):  # the mean of 40 is off by some 15%
        state = of_planners(name, 2, number=number).state_at(2)
        held = [game_map.tickets.index(ticket) for ticket in state.tickets[1] if ticket is not None]
        found["real"].append(shared[np.ix_(held, held)].sum())
        known, table = knowledge_of(state, 0), Rollouts(game_map, 2, [Planner()] * 2, seed=number)
        beliefs = beliefs_of(known, Planner())
        for what, asked in ("chosen", beliefs), ("any", beliefs._replace(chosen=np.zeros(2))):
            for world in map(State, table.worlds(known, asked, 4)):
                tickets = world.held[1, : world.n_held[1]]
                found[what].append(shared[np.ix_(tickets, tickets)].sum())
    real, chosen, other = map(np.mean, found.values())
    assert abs(chosen - real) < 0.15 * real
    assert other < 0.85 * real


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("name", "player"),
    [
        *(("nordic", player) for player in PLANNERS),
        ("nederland", PLANNERS[0]),
        # Where it hoards, `Planner` takes long routes for their points, too, which no ticket explains.
        ("usa", PLANNERS[1]),
    ],
)
def test_tickets_in_worlds_explain_as_many_routes_as_those_of_planners_do(name: str, player: Planner) -> None:
    """
    How many routes of a seat lie on the way of none of its tickets: few, and more if that term is left out.

    With two thirds of its trains left, however long it hoarded before.
    """
    game_map = Combination(name, "", 3).game_map
    on_way = np.zeros(MAX_TICKETS, dtype=np.int64)
    found: dict[str, list[float]] = {"real": [], "explained": [], "any": []}

    def left_over(state: State, tickets: Ints) -> int:
        owned = int((state.owner[: len(game_map.routes)] == 1).sum())
        return owned - int(np.bitwise_or.reduce(on_way[tickets])).bit_count()

    trains = game_map.rules.trains.per_player
    for number in range(40):
        record = of_planners(name, 3, number=number, player=player)
        state = next(state for state in record.states() if state.trains[1] <= 2 * trains // 3)
        known, table = knowledge_of(state, 0), Rollouts(game_map, 3, [player] * 3, seed=number)
        fill_on_way(known.packed, known.tables, 1, on_way)
        held = [game_map.tickets.index(ticket) for ticket in state.tickets[1] if ticket is not None]
        found["real"].append(left_over(state.packed, np.array(held)))
        for what, model in ("explained", FITTED), ("any", FITTED._replace(way_fit=np.zeros(2))):
            for world in map(State, table.worlds(known, beliefs_of(known, player, model), 6)):
                found[what].append(left_over(world, world.held[1, : world.n_held[1]]))
    real, explained, other = map(np.mean, found.values())
    assert abs(explained - real) < 0.35 < other - real, (real, explained, other)
