"""Searcher: lawful on every map and in every phase, the same for a seed, and stronger than Planner."""

from __future__ import annotations

from collections import Counter
from itertools import chain, permutations
from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination
from tests.fixtures import load
from tests.policies.moments import COMBINATIONS, some_states
from ttr_analysis import Game, GameError, GameMap
from ttr_analysis.engine.codes import (
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    FIRST_EVENT,
    NONE,
    PAY_TUNNEL,
    argument_of,
    kind_of,
    make_action,
    seat_of,
    without_seat,
)
from ttr_analysis.engine.game import GameEngine
from ttr_analysis.engine.kernel.step import action_fault, step
from ttr_analysis.engine.layout import TURN, Phase, State
from ttr_analysis.engine.state import GameState
from ttr_analysis.policies import Planner, Searcher
from ttr_analysis.policies.planner.knowledge import Memory, is_open
from ttr_analysis.policies.playout import Players, choose, first_look, is_compiled
from ttr_analysis.policies.search.knowledge import knowledge_of
from ttr_analysis.policies.search.rollouts import NO_ACTION, Rollouts, _share_plan
from ttr_analysis.policies.search.searcher import Search, candidates
from ttr_analysis.tables import Tables, game_tables
from ttr_analysis.widgets.human_game import HumanGame

STREAM = np.array([7, 8, 9, 10])


# -- what is considered --------------------------------------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_candidates_are_legal_and_each_comes_once(combination: Combination) -> None:
    game = GameEngine(combination.game_map, combination.n_players)
    tables = game_tables(combination.game_map, combination.n_players)
    for state in some_states(combination):
        view = game.view(state, state.acting)
        own = first_look(Planner(), view, STREAM)[0]

        found = candidates(view, own, 4)

        assert found[0] == own
        assert max(Counter(found).values()) == 1
        assert {action_fault(state.packed, tables, *row) for row in found} == {NONE}
        kinds = [int(state.packed.market[argument_of(code)]) for code, _ in found if kind_of(code) == DRAW_FACE_UP]
        assert len(set(kinds)) == len(kinds)
        assert sum(kind_of(code) == CLAIM_ROUTE for code, _ in found[1:]) <= 4


@pytest.mark.compiled_only
def test_the_dearest_routes_come_first_and_each_route_before_other_payments(nordic: GameMap) -> None:
    state = next(
        state
        for state in some_states(Combination("nordic", "", 2), 1)
        if len({claim.route.id for claim in claims_of(state)}) > 4 and len(claims_of(state)) > 8
    )
    view = Game(nordic).view(state, state.acting)
    points = {i: route.points for i, route in enumerate(nordic.routes)}

    found = [row for row in candidates(view, (0, 0), 10**6) if kind_of(row[0]) == CLAIM_ROUTE]

    routes = [argument_of(code) for code, _ in found]
    n_routes = len(set(routes))
    assert len(found) == len(claims_of(state))
    assert len(set(routes[:n_routes])) == n_routes
    assert [points[route] for route in routes[:n_routes]] == sorted(map(points.get, set(routes)), reverse=True)  # type: ignore[type-var]


def claims_of(state: GameState) -> list[Any]:
    """Return the legal claims of a state."""
    actions = GameEngine(state.game_map, state.n_players).legal_actions(state)
    return [action for action in actions if isinstance(action, ttr.actions.ClaimRoute)]


# -- what is chosen ------------------------------------------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_it_is_legal_in_every_phase(combination: Combination) -> None:
    game = GameEngine(combination.game_map, combination.n_players)
    searcher = Searcher(rollouts=8, candidates=3)
    first = {state.phase: state for state in reversed(some_states(combination))}
    for state in first.values():
        view, actions = game.view(state, state.acting), game.legal_actions(state)

        action = searcher.choose(view, actions, np.random.default_rng(7))

        assert game.why_illegal(state, action) is None
    assert len(first) >= 3


@pytest.mark.compiled_only
def test_a_seed_decides_however_many_cores(nordic: GameMap) -> None:
    game = Game(nordic, 3)
    record = game.play(["Planner"] * 3, seed=7)
    chosen = []
    for at in (1, 30):  # whose last rounds have worlds for two threads
        state = record.state_at(at)
        view, actions = game.view(state, state.acting), game.legal_actions(state)
        for threads in (1, 3):
            searcher = Searcher(rollouts=30, threads=threads)
            chosen.append([searcher.choose(view, actions, np.random.default_rng(7)) for _ in range(2)])
            assert chosen[-1][0] == chosen[-1][1]
        assert chosen[-1] == chosen[-2]
    players: list[Any] = [Searcher(rollouts=20), Planner()]
    small = Game(load("invented"), 2)
    assert small.play(players, seed=7) == small.play(players, seed=7)


@pytest.mark.compiled_only
def test_it_plays_on_in_the_worlds_of_win_probabilities(nordic: GameMap) -> None:
    state = Game(nordic, 2).play(["Planner"] * 2, seed=7).state_at(60)
    known, table = knowledge_of(state, state.acting), Rollouts(nordic, 2, seed=7)
    actions = np.array([first_look(Planner(), Game(nordic, 2).view(state, state.acting), STREAM)[0]])
    results = Search(known, 7).results(actions, 20)
    worlds = table.worlds_to_play(known, table.believe(known), 20, 0)

    assert np.array_equal(results.points, table.try_out(worlds, 0, actions).points)


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["nordic", "europe", "nederland"])
def test_a_seat_may_take_an_action_on_its_next_turn(name: str) -> None:
    """As soon as it is legal: a face-up card, if it is still there, in the same turn; without one, planners play on."""
    game = Game(name, 3)
    n_made, n_cards = Counter[int](), 0
    states = [state for state in game.play(["Planner"] * 3, seed=7).states() if claims_of(state)]
    for state in states[4:12:4]:
        known, table = knowledge_of(state, state.acting), Rollouts(game.game_map, 3, seed=7)
        worlds, seat = table.worlds(known, table.believe(known), 12), known.viewer
        draw = (make_action(DRAW_CARD, 0), 0)
        claims = [row for row in candidates(game.view(state, seat), draw, 3) if kind_of(row[0]) == CLAIM_ROUTE]
        cards = [(make_action(DRAW_FACE_UP, slot), 0) for slot in range(5) if state.market[slot] != "locomotive"]
        n_cards += len(cards)
        laters = [NO_ACTION, (make_action(DRAW_TICKETS, 0), 0), *claims, *cards]
        lines = np.array([(*draw, *later, 1) for later in laters])

        played = [table.follow(world, i, line[np.newaxis]) for line in lines for i, world in enumerate(worlds)]
        found = table.ends(worlds, 0, lines)

        assert np.array_equal(found[:12], table.ends(worlds, 0, lines[:1, :2]))
        assert np.array_equal(found, [end.cells for end, _ in played])
        for line, (_, events) in zip(np.repeat(lines, 12, axis=0).tolist(), played, strict=True):
            acts = [(code, value) for code, value in events.tolist() if kind_of(code) < FIRST_EVENT]
            turns = [acts[i] for i in range(1, len(acts)) if seat_of(acts[i][0]) == seat != seat_of(acts[i - 1][0])]
            assert (without_seat(acts[0][0]), acts[0][1]) == tuple(line[:2])
            follower = acts[1] if kind_of(line[2]) == DRAW_FACE_UP else turns[0]
            n_made[kind_of(line[2])] += (without_seat(follower[0]), follower[1]) == tuple(line[2:4])
    assert n_made[DRAW_TICKETS] == 24
    assert n_made[CLAIM_ROUTE] > 24
    assert n_made[DRAW_FACE_UP] == 12 * n_cards > 0


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["nordic", "usa", "switzerland"])
def test_a_seat_may_follow_the_plan_of_another_action(name: str) -> None:
    """The plan of a planner who took that one, with its route, without own routes, and remade if it cannot be built."""
    game, n_others = Game(name, 3), 0
    tables = game_tables(game.game_map, 3)
    players = Rollouts(game.game_map, 3, seed=7)._players
    for state in [state for state in game.play(["Planner"] * 3, seed=7).states() if claims_of(state)][3:30:3]:
        seat, draw = state.acting, (make_action(DRAW_CARD, 0), 0)
        tried = [row for row in candidates(game.view(state, seat), draw, 3) if kind_of(row[0]) != DRAW_TICKETS]
        for played, other in permutations(tried[:4], 2):
            after, mind = shared(state, played, other, tables, players)
            alone, imagined = (memory_after(state, action, tables, players) for action in (played, other))
            wanted = plan_of(imagined)
            if kind_of(other[0]) == CLAIM_ROUTE and tables.twin[argument_of(other[0])] not in wanted:
                wanted.add(argument_of(other[0]))
            assert plan_of(mind) == {i for i in wanted if is_open(after, tables, seat, i)}
            assert len(plan_of(mind)) == mind.n_planned
            assert mind.is_stale == (tables.length[sorted(plan_of(mind))].sum() > after.trains[seat])
            assert mind.n_seen == after.n_claims
            assert mind.left_planned == 0  # however few turns are left
            n_others += plan_of(mind) != plan_of(alone)
    assert n_others > 5


@pytest.mark.compiled_only
def test_a_tunnel_given_up_stays_in_the_plan_of_one_that_was_paid() -> None:
    game = Game("switzerland", 3)
    tables, n_paid = game_tables(game.game_map, 3), 0
    players = Rollouts(game.game_map, 3, seed=7)._players
    for state in chain.from_iterable(game.play(["Planner"] * 3, seed=seed).states() for seed in range(4)):
        rows = candidates(game.view(state, state.acting), (0, 0), 3)[1:] if state.phase is Phase.TUNNEL else []
        for paid in [row for row in rows if kind_of(row[0]) == PAY_TUNNEL]:
            _, mind = shared(state, (make_action(DECLINE_TUNNEL, 0), 0), paid, tables, players)
            if mind.n_tickets_planned == memory_after(state, paid, tables, players).n_tickets_planned:
                assert mind.is_planned[state.packed.pending]
                n_paid += 1  # not in the last round, in which planners plan no longer
    assert n_paid


@pytest.mark.compiled_only
def test_a_plan_is_remade_if_the_neutral_player_got_a_route_of_it() -> None:
    game = Game(ttr.load_map("nederland", variant="neutral"), 2)
    tables, n_lost = game_tables(game.game_map, 2), 0
    players = Rollouts(game.game_map, 2, seed=7)._players
    for state in chain.from_iterable(game.play(["Planner"] * 2, seed=seed).states() for seed in range(6)):
        rows = candidates(game.view(state, state.acting), (0, 0), 3)[1:] if state.phase is Phase.NEUTRAL else []
        for played, other in permutations(rows, 2):
            _, mind = shared(state, played, other, tables, players)
            lost = plan_of(memory_after(state, other, tables, players)) - plan_of(mind)
            assert mind.is_stale or not lost
            n_lost += bool(lost)
    assert n_lost


@pytest.mark.compiled_only
def test_only_planners_follow_the_plan_of_another_action(nordic: GameMap) -> None:
    table = Rollouts(nordic, 2, ["Greedy", "Greedy"], seed=7)
    with pytest.raises(ValueError, match="only planners"):
        table.ends(np.zeros((1, 1), dtype=np.int64), 0, np.zeros((1, 5), dtype=np.int64))


def shared(
    state: GameState, played: tuple[int, int], other: tuple[int, int], tables: Tables, players: Players
) -> tuple[State, Memory]:
    """Return the state after an action, and the memory of its planner who follows the plan of another one."""
    before, after = state.packed.copy(), state.packed.copy()
    step(after, tables, *played, np.zeros(4, dtype=np.int64))
    players.memory[:] = 0
    _share_plan(tables, players, before, after, state.acting, *other)
    return after, Memory(players.memory[state.acting, : Memory.n_cells].copy())


def memory_after(state: GameState, action: tuple[int, int], tables: Tables, players: Players) -> Memory:
    """Return the memory of a planner who took an action and has another turn."""
    after, seat = state.packed.copy(), state.acting
    step(after, tables, *action, np.zeros(4, dtype=np.int64))
    after.seat, after.turn_seat, after.phase, after.n_taken = seat, seat, TURN, 0
    players.memory[:] = 0
    choose(after, tables, players, seat)
    return Memory(players.memory[seat, : Memory.n_cells].copy())


def plan_of(memory: Memory) -> set[int]:
    """Return the routes of a planner's plan."""
    return set(memory.plan[: memory.n_planned].tolist())


@pytest.mark.compiled_only
def test_a_little_time_suffices(nordic: GameMap) -> None:
    game = Game(nordic)
    state = game.new(seed=7)
    searcher = Searcher(seconds=0.01, threads=2)

    action = searcher.choose(game.view(state, 0), game.legal_actions(state), np.random.default_rng(7))

    assert game.is_legal(state, action)


@pytest.mark.compiled_only
def test_it_wins_of_planners() -> None:
    game = Game(load("invented"), 2)
    wins = 0.0
    for deal in range(3):
        for seat in (0, 1):
            players: list[Any] = ["Planner", "Planner"]
            players[seat] = Searcher(rollouts=20)
            record = game.play(players, seed=7, game=deal)
            wins += (seat in record.winners) / len(record.winners)
    assert wins >= 5  # docs/studies.md has the figures of longer matches


# -- where it plays ------------------------------------------------------------------------------------------------


@pytest.mark.compiled_only
def test_it_plays_wherever_players_do() -> None:
    few, small = Searcher(rollouts=1, candidates=1), load("invented")

    seats = ttr.simulate(small, [few, "Greedy"], 1, seed=7, progress=False).seats
    assert set(seats["policy"]) == {"Searcher", "Greedy"}
    rated = ttr.studies.tournament(small, [few, "Random"], 1, progress=False)
    assert rated.table.index.tolist() == ["Searcher", "Random"]
    assert few not in ttr.studies.built_in()
    table = HumanGame(Game(small), [few], seed=7)
    assert table.names == ("Person", "Searcher")


def test_it_is_not_compiled(nordic: GameMap) -> None:
    assert not is_compiled(Searcher())
    with pytest.raises(TypeError, match="P1 must be played by a compiled policy such as Planner"):
        ttr.policies.play_games(nordic, ["Planner", "Searcher"], 1, seed=7)


def test_what_cannot_be_searched_is_refused(nordic: GameMap) -> None:
    cases: list[dict[str, Any]] = [
        {"rollouts": 0},
        {"candidates": 1.5},
        {"threads": True},
        {"seconds": 0.0},
        {"seconds": np.inf},
    ]
    for wrong in cases:
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be a "):
            Searcher(**wrong)
    game = Game(nordic)
    with pytest.raises(GameError, match="P0 acts: pass its view"):
        Searcher().choose(game.view(game.new(seed=7), 1), [], np.random.default_rng(7))
