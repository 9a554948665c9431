"""Worlds that are filled in from what a seat can know: whole, lawful, and the same whatever is hidden."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.engine.conformance import (
    COLLECTOR,
    HOARDER,
    UNIFORM,
    Combination,
    Ints,
    every_combination,
    play,
)
from tests.engine.invariants import Law, broken_law
from tests.engine.test_hidden_information import scrambled
from ttr_analysis import Game, GameRecord
from ttr_analysis.engine.layout import HELD, KEEP_START, N_HELD, OVER, PHASE, UNKNOWN_TICKET, Phase
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.view import redact
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies.winning.knowledge import Knowledge, Watcher, knowledge_of
from ttr_analysis.studies.winning.rollouts import Table
from ttr_analysis.tables.games import MAX_TICKETS, game_tables

N_WORLDS = 3
PLAYERS = (UNIFORM, HOARDER, COLLECTOR)


def table_of(known: Knowledge) -> Table:
    """Return a table of players that choose fast."""
    return Table(known.game_map, known.n_players, [Random()] * known.n_players)


def some_states(combination: Combination) -> Iterator[Ints]:
    """Yield states of games of players who come to the ends of piles: each phase, and each thirtieth."""
    for game in range(len(PLAYERS)):
        players = [PLAYERS[(game + seat) % len(PLAYERS)] for seat in range(combination.n_players)]
        seen: set[int] = set()
        for at, state in enumerate(play(combination, players, 7, game, checked=False).states):
            if state[PHASE] != OVER and (at % 30 == 0 or int(state[PHASE]) not in seen):
                seen.add(int(state[PHASE]))
                yield state


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", every_combination(), ids=str)
def test_a_world_keeps_all_laws_and_looks_the_same(combination: Combination) -> None:
    tables = game_tables(combination.game_map, combination.n_players)
    phases: set[int] = set()
    for state in some_states(combination):
        phases.add(int(state[PHASE]))
        whole = GameState(combination.game_map, combination.n_players, state)
        for looker in range(combination.n_players):
            known = knowledge_of(whole, looker)
            for world in table_of(known).worlds(known, N_WORLDS):
                assert Law(broken_law(world, tables)) == Law.NONE
                if state[PHASE] != KEEP_START:
                    assert np.array_equal(redact(world, tables, looker), known.vector)
    assert {Phase.KEEP_START, Phase.TURN, Phase.SECOND_DRAW} <= phases


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", every_combination(), ids=str)
def test_what_is_hidden_does_not_change_a_world(combination: Combination) -> None:
    tables = game_tables(combination.game_map, combination.n_players)
    rng = np.random.default_rng(7)
    for state in some_states(combination):
        looker = int(state[1])
        other = scrambled(state, tables, looker, rng)
        worlds = []
        for seen in (state, other):
            known = knowledge_of(GameState(combination.game_map, combination.n_players, seen), looker)
            worlds.append(table_of(known).worlds(known, N_WORLDS))
        assert np.array_equal(worlds[0], worlds[1])


def a_record(name: str, n_players: int) -> GameRecord:
    """Return a game of players that draw many cards and tickets."""
    return Game(Combination(name, "", n_players).game_map, n_players).play([Random()] * n_players, seed=5)


@pytest.mark.compiled_only
@pytest.mark.parametrize(("name", "n_players"), [("nordic", 3), ("usa", 2), ("nederland", 3), ("switzerland", 3)])
def test_a_watcher_of_a_record_knows_what_it_gave_back(name: str, n_players: int) -> None:
    record = a_record(name, n_players)
    tables = game_tables(record.map, n_players)
    for looker in range(n_players):
        watcher = Watcher(record, looker)
        own = {ticket for state in record.states() for ticket in state.tickets[looker]}
        back = {ticket for state in record.states() for ticket in state.offers[looker]} - own
        for step in range(0, len(record.steps) - 1, 25):
            known = watcher.at(step)
            for world in table_of(known).worlds(known, N_WORLDS):
                assert Law(broken_law(world, tables)) == Law.NONE
        assert back, "the seat gave nothing back, so that this shows nothing"


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["nordic", "usa"])
def test_others_never_hold_what_a_seat_gave_back(name: str) -> None:
    record = a_record(name, 2)
    own = {ticket for state in record.states()[:4] for ticket in state.tickets[0]}
    back = {ticket for ticket in record.states()[0].offers[0] if ticket not in own}
    known = Watcher(record, 0).at(3)
    worlds = table_of(known).worlds(known, 200)
    held = {int(t) for world in worlds for t in world[HELD + MAX_TICKETS : HELD + MAX_TICKETS + world[N_HELD + 1]]}
    assert back
    assert not {record.map.tickets[number] for number in held} & back


@pytest.mark.compiled_only
def test_a_record_watched_by_another_is_filled_in_as_well() -> None:
    record = a_record("nordic", 3)
    watched = record.watched_from(2, shown=False)
    tables = game_tables(record.map, 3)
    for seat in (None, 0, 2):
        watcher = Watcher(watched, seat)
        for step in range(3, len(watched.steps), 20):
            known = watcher.at(step)
            for world in table_of(known).worlds(known, N_WORLDS):
                assert Law(broken_law(world, tables)) == Law.NONE
                assert UNKNOWN_TICKET not in world[HELD : HELD + world[N_HELD]]


def test_somebody_who_sees_all_hands_has_one_world_but_for_the_order_of_piles() -> None:
    state = a_record("nordic", 2).states()[50]
    known = knowledge_of(state, None)
    for world in table_of(known).worlds(known, N_WORLDS):
        differs = np.flatnonzero(world != state.vector)
        assert set(differs.tolist()) <= set(range(24, 28))


@pytest.mark.compiled_only
def test_a_planner_is_believed_to_hold_what_it_builds_for() -> None:
    """The tickets that a planner holds are drawn far more often than others."""
    record = Game(Combination("nordic", "", 2).game_map, 2).play([Planner(), Greedy()], seed=3)
    state = record.states()[len(record.steps) // 2]
    known = knowledge_of(state, 1)
    held = [record.map.tickets.index(ticket) for ticket in state.tickets[0] if ticket is not None]
    worlds = table_of(known).worlds(known, 300)
    hits = np.mean([np.isin(world[HELD : HELD + world[N_HELD]], held).mean() for world in worlds])
    assert hits > 3 * len(held) / (len(record.map.tickets) - len(state.tickets[1]))
