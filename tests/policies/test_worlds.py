"""Worlds that are filled in from what a seat can know: whole, lawful, and the same whatever is hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination
from tests.engine.invariants import Law, broken_law
from tests.engine.test_hidden_information import scrambled
from tests.fixtures import BUILT_IN
from tests.policies.moments import COMBINATIONS, some_states
from ttr_analysis import Game, GameMap, GameRecord
from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine.codes import KEEP_TICKETS, SHUFFLED, SHUFFLED_TICKETS, TICKET_OFFERED
from ttr_analysis.engine.game import GameEngine
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP_START,
    UNKNOWN_TICKET,
    Phase,
    State,
    unknown_words,
)
from ttr_analysis.engine.state import GameState, redact
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.policies.search.beliefs import FITTED, Beliefs, Model, believe
from ttr_analysis.policies.search.knowledge import Knowledge, knowledge_of
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.tables import MAX_TICKETS, Tables, game_tables

N_WORLDS = 3


def table_of(known: Knowledge) -> Rollouts:
    """Return a table of players that choose fast."""
    return Rollouts(known.game_map, known.n_players, [Random()] * known.n_players)


def even(weights: Floats | None = None, chosen: Floats | None = None) -> Beliefs:
    """Return that all tickets of two seats are as likely, and that nobody is asked what it would choose."""
    all_even, pairs = np.ones((2, MAX_TICKETS)), np.ones((2, MAX_TICKETS, MAX_TICKETS))
    on_way, per_route = np.zeros((2, MAX_TICKETS), dtype=np.int64), np.ones(2)
    weights, chosen = all_even if weights is None else weights, np.zeros(2) if chosen is None else chosen
    return Beliefs(weights, pairs, on_way, per_route, chosen)


def beliefs_of(known: Knowledge, player: Planner | Random | None = None, model: Model = FITTED) -> Beliefs:
    """Return what is believed of the tickets of players of one kind."""
    return believe(known, [player or Greedy()] * known.n_players, model)


def worlds_of(known: Knowledge, n: int = N_WORLDS) -> Iterator[State]:
    """Yield worlds, whoever plays."""
    yield from map(State, table_of(known).worlds(known, beliefs_of(known), n))


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_a_world_keeps_all_laws_and_looks_the_same(combination: Combination) -> None:
    tables = game_tables(combination.game_map, combination.n_players)
    for whole in some_states(combination):
        state = whole.packed
        for looker in range(combination.n_players):
            known = knowledge_of(whole, looker)
            for world in worlds_of(known):
                assert Law(broken_law(world, tables)) == Law.NONE
                if state.phase != KEEP_START:
                    assert np.array_equal(redact(world, tables, looker).cells, known.packed.cells)
    assert {Phase.KEEP_START, Phase.TURN, Phase.SECOND_DRAW} <= {state.phase for state in some_states(combination)}


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_what_is_hidden_does_not_change_a_world(combination: Combination) -> None:
    tables = game_tables(combination.game_map, combination.n_players)
    rng = np.random.default_rng(7)
    for state in [whole.packed for whole in some_states(combination)]:
        looker = int(state.seat)
        other = scrambled(state, tables, looker, rng)
        worlds = []
        for seen in (state, other):
            known = knowledge_of(GameState(combination.game_map, combination.n_players, seen), looker)
            worlds.append(table_of(known).worlds(known, beliefs_of(known), N_WORLDS))
        assert np.array_equal(worlds[0], worlds[1])


def a_record(name: str, n_players: int) -> GameRecord:
    """Return a game of players that draw many cards and tickets."""
    return Game(Combination(name, "", n_players).game_map, n_players).play([Random()] * n_players, seed=5)


def given_back(record: GameRecord, seat: int, step: int) -> set[int]:
    """Return the tickets that a seat had given back before it drew any after the opening."""
    numbers = {ticket.id: number for number, ticket in enumerate(record.map.tickets)}
    kept = {ticket for ticket in record.state_at(step).tickets[seat] if ticket}
    return {numbers[ticket.id] for ticket in record.states()[0].offers[seat] if ticket and ticket not in kept}


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", BUILT_IN)
def test_what_a_seat_gave_back_is_where_it_put_it(name: str) -> None:
    """After its own choice, while others choose, and after all have; also if the record breaks off there."""
    record = a_record(name, 3)
    place = {"removed": AT_REMOVED, "under_pile": AT_QUEUE, "discard_pile": AT_DISCARDS}
    for step in (1, 2, 3):
        back = given_back(record, 0, step)
        short = Game(record.map, 3).play([Random()] * 3, seed=5)
        n_entries = sum(len(events) for events in record.steps[: step + 1])
        short = replace(record, entries=record.entries[:n_entries])
        assert back
        view = Game(record.map, 3).view(record.state_at(step), 0)
        assert {record.map.tickets.index(ticket) for ticket in view.given_back} == back
        for known in (Watcher(record, 0).at(step), Watcher(short, 0).at(step), knowledge_of(view, 0)):
            for world in worlds_of(known, 20):
                places = world.ticket_at[sorted(back)]
                assert set(places.tolist()) == {place[record.map.rules.tickets.unkept_at(opening=True)]}
                assert Law(broken_law(world, game_tables(record.map, 3))) == Law.NONE


@pytest.mark.compiled_only
def test_worlds_hold_long_tickets_only_where_the_opening_put_them() -> None:
    record = a_record("europe", 3)
    is_long = np.array([ticket.deck == "long" for ticket in record.map.tickets])
    for step in (0, 1, 3, 40, 90):
        for world in worlds_of(Watcher(record, 0).at(step), 20):
            places = world.ticket_at[: len(is_long)]
            assert not (is_long & np.isin(places, [AT_PILE, AT_QUEUE])).any()
            for seat in range(3):
                held = world.held[seat, : world.n_held[seat]]
                assert is_long[held].sum() <= 1
                assert not is_long[held[1:]].any()
            assert Law(broken_law(world, game_tables(record.map, 3))) == Law.NONE


@pytest.mark.compiled_only
@pytest.mark.parametrize("n_players", [2, 3, 5])
def test_who_kept_all_opening_tickets_holds_a_long_one_in_each_world(n_players: int) -> None:
    """Else one ticket more would be in the pile than there are: it may only be drawn as one that there is not."""
    game = Game("europe", n_players)
    state, _ = game.deal(seed=1)
    for _ in range(n_players):
        kept = max(game.legal_actions(state), key=lambda action: len(getattr(action, "tickets", ())))
        state, _ = game.step(state, kept)

    for world in game.view(state, 0).worlds(8, np.random.default_rng(1)):
        assert [[ticket.deck == "long" for ticket in held if ticket] for held in world.tickets] == [
            [True, False, False, False]
        ] * n_players
        assert Law(broken_law(world.packed, game_tables(game.game_map, n_players))) == Law.NONE


@pytest.mark.compiled_only
@pytest.mark.parametrize("n_kept", [2, 3])
def test_of_four_tickets_a_part_is_kept_and_the_long_one_as_often(n_kept: int) -> None:
    """Before anything was built, and whichever tickets are liked: one of the four is long."""
    game = Game("europe", 2)
    state, _ = game.deal(seed=1)
    for n in (2, n_kept):
        kept = next(action for action in game.legal_actions(state) if len(getattr(action, "tickets", ())) == n)
        state, _ = game.step(state, kept)
    known = knowledge_of(state, 0)
    is_long = np.array([ticket.deck == "long" for ticket in game.game_map.tickets])
    for player in (Random(), Planner()):
        held = State.across(table_of(known).worlds(known, beliefs_of(known, player), 400), "held")[:, 1, :n_kept]
        assert is_long[held].sum(axis=1).mean() == pytest.approx(n_kept / 4, abs=0.12)


@pytest.mark.compiled_only
@pytest.mark.parametrize("told", [{}, {"ticket_pile": 36}, {"tickets_out": ["?"] * 5}], ids=str)
def test_worlds_of_a_position_have_no_long_tickets_in_the_pile(told: dict[str, Any]) -> None:
    game = Game("europe")
    state = game.position(hands=[4, 4], tickets=[["London-Wien", "?"], ["?"] * 3], to_move=0, **told)

    for world in game.view(state, 0).worlds(8, np.random.default_rng(1)):
        assert Law(broken_law(world.packed, game_tables(game.game_map, 2))) == Law.NONE


def shuffles_of_tickets(record: GameRecord) -> Iterator[tuple[int, list[set[int]]]]:
    """Yield steps in which ticket discards became the pile, and what lay open before such, since each seat drew any."""
    numbers = {ticket.id: number for number, ticket in enumerate(record.map.tickets)}
    lay_open: list[set[int]] = [set() for _ in range(record.header.n_players)]
    entries = iter(record.entries)
    for step, events in enumerate(record.steps):
        for entry in list(islice(entries, len(events))):
            if entry.kind == TICKET_OFFERED:
                lay_open[entry.seat] = set()
            elif entry.kind == SHUFFLED and entry.argument == SHUFFLED_TICKETS:
                discards = {numbers[ticket.id] for ticket in record.state_at(step - 1).ticket_discards}
                lay_open = [tickets | discards for tickets in lay_open]
                yield step, lay_open


@pytest.mark.compiled_only
def test_nobody_holds_what_lay_face_up_until_a_shuffle_and_was_not_drawn_since() -> None:
    game_map = Combination("nederland", "", 3).game_map
    n_of_two = 0
    for number in range(6):
        record = Game(game_map, 3).play([Random()] * 3, 5, number)
        for step, lay_open in shuffles_of_tickets(record):
            looker = (record.state_at(step).acting + 1) % 3
            others = [seat for seat in range(3) if seat not in (looker, record.state_at(step).acting)]
            n_of_two += any(len(lay_open[seat]) > min(map(len, lay_open)) for seat in others)
            known = Watcher(record, looker).at(step)
            for world in (record.state_at(step).packed, *worlds_of(known, 20)):
                for seat in others:
                    held = world.held[seat, : world.n_held[seat]]
                    assert not lay_open[seat] & set(held.tolist())
    assert n_of_two > 0


@pytest.mark.compiled_only
@pytest.mark.parametrize(("name", "n_players"), [("nordic", 3), ("usa", 2), ("nederland", 3)])
def test_what_a_watcher_cannot_see_changes_no_world(name: str, n_players: int) -> None:
    """What a record that was watched from a seat tells is what the watcher knows from the whole record."""
    record = a_record(name, n_players)
    looker = n_players - 1
    whole, watched = Watcher(record, looker), Watcher(record.watched_from(looker, shown=False), looker)
    for step in range(n_players, len(record.steps) - 1, 25):
        one, other = whole.at(step), watched.at(step)
        assert one.excluded == other.excluded
        assert np.array_equal(one.packed.cells, other.packed.cells)
        for world in worlds_of(one):
            assert Law(broken_law(world, game_tables(record.map, n_players))) == Law.NONE


@pytest.mark.compiled_only
def test_a_record_watched_by_another_is_filled_in_as_well() -> None:
    record = a_record("nordic", 3)
    watched = record.watched_from(2, shown=False)
    tables = game_tables(record.map, 3)
    for seat in (None, 0, 2):
        watcher = Watcher(watched, seat)
        for step in range(3, len(watched.steps), 20):
            known = watcher.at(step)
            for world in worlds_of(known):
                assert Law(broken_law(world, tables)) == Law.NONE
                assert UNKNOWN_TICKET not in world.held[0, : world.n_held[0]]


@pytest.mark.compiled_only
def test_what_a_seat_drew_unseen_is_as_it_is_recorded() -> None:
    """In a watched record, cards that the pool counts too much were drawn by others than the one who watched."""
    record = Game(Combination("usa", "", 5).game_map, 5).play([Random()] * 5, seed=5)
    watcher = Watcher(record.watched_from(0, shown=False), None)
    for step in range(5, len(record.steps), 10):
        known = watcher.at(step)
        for world in worlds_of(known):
            assert world.blind[0].tolist() == record.state_at(step).packed.blind[0].tolist()


def test_somebody_who_sees_all_hands_has_one_world_but_for_the_order_of_piles() -> None:
    state = a_record("nordic", 2).states()[50]
    known = knowledge_of(state, None)
    for world in worlds_of(known):
        world.stream[:] = state.packed.stream
        assert np.array_equal(world.cells, state.packed.cells)


@pytest.mark.compiled_only
def test_a_planner_is_believed_to_hold_what_it_builds_for() -> None:
    """The tickets that a planner holds are drawn far more often than others."""
    record = Game(Combination("nordic", "", 2).game_map, 2).play([Planner(), Greedy()], seed=3)
    state = record.states()[len(record.steps) // 2]
    known = knowledge_of(state, 1)
    held = [record.map.tickets.index(ticket) for ticket in state.tickets[0] if ticket is not None]
    worlds = map(State, table_of(known).worlds(known, beliefs_of(known, Planner()), 300))
    hits = np.mean([np.isin(world.held[0, : world.n_held[0]], held).mean() for world in worlds])
    assert hits > 3 * len(held) / (len(record.map.tickets) - len(state.tickets[1]))


# -- how often what is drawn ------------------------------------------------------------


@pytest.mark.compiled_only
def test_tickets_are_drawn_as_often_as_their_sets_are_likely() -> None:
    """Two seats with two and three tickets of seven: the sampler against all ways to deal them."""
    rng = np.random.default_rng(7)
    record = a_record("usa", 2)
    known = knowledge_of(record.state_at(2), None)
    state = known.packed
    free = np.arange(7)
    state.ticket_at[:] = AT_REMOVED
    state.ticket_at[free] = AT_PILE
    state.n_queued, state.n_ticket_pile = 0, 2
    state.n_held[:2] = 2, 3
    state.held[0, :2] = state.held[1, :3] = UNKNOWN_TICKET
    weights = np.exp(rng.normal(size=(2, MAX_TICKETS)))
    pairs = np.exp(rng.normal(size=(2, MAX_TICKETS, MAX_TICKETS)))
    pairs = np.sqrt(pairs * pairs.transpose(0, 2, 1))
    on_way, per_route = rng.integers(16, size=(2, MAX_TICKETS)), np.array([2.0, 0.5])
    n_worlds = 8_000
    beliefs = Beliefs(weights, pairs, on_way, per_route, np.zeros(2))
    worlds = table_of(known).worlds(known, beliefs, n_worlds)

    chances: dict[tuple[frozenset[int], frozenset[int]], float] = {}
    for one in combinations(free.tolist(), 2):
        for two in combinations(sorted(set(free.tolist()) - set(one)), 3):
            joint = sorted(pairs[1, a, b] for a, b in combinations(two, 2))
            counting = [pairs[0, one[0], one[1]], *joint[1:]]  # a tree has two of the three pairs
            single = [*weights[0, one], *weights[1, two]]
            ways = [np.bitwise_or.reduce(on_way[seat, tickets]) for seat, tickets in ((0, one), (1, two))]
            n_routes = [int(way).bit_count() for way in ways]
            chances[frozenset(one), frozenset(two)] = float(np.prod([*single, *counting, *per_route**n_routes]))
    total = sum(chances.values())
    held = State.across(worlds, "held")[:, :2, :3].tolist()
    drawn = Counter((frozenset(one[:2]), frozenset(two)) for one, two in held)
    for hands, chance in chances.items():
        expected = chance / total
        assert abs(drawn[hands] / n_worlds - expected) < 5 * np.sqrt(expected / n_worlds) + 0.004


@ttr.compiled
def keep_lowest(
    state: State,
    tables: Tables,  # noqa: ARG001
    lore: Ints,  # noqa: ARG001
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,  # noqa: ARG001
) -> tuple[int, int]:
    """Return the choice of the two tickets of the lowest numbers."""
    best = 0
    lowest = 10_000
    for i in range(state.n_offer[seat]):
        for j in range(i):
            if state.offer[seat, i] + state.offer[seat, j] < lowest:
                lowest = state.offer[seat, i] + state.offer[seat, j]
                best = (1 << i) | (1 << j)
    return KEEP_TICKETS, best


class Lowest(Greedy):
    """Keeps the two tickets of an offer with the lowest numbers."""

    chooser = staticmethod(keep_lowest)


@pytest.mark.compiled_only
def test_tickets_of_the_opening_are_those_that_its_player_would_choose() -> None:
    """Two tickets of six, each pair by how many offers of three there are in which it is the lowest."""
    record = a_record("usa", 2)
    known = knowledge_of(record.state_at(2), None)
    state = known.packed
    state.ticket_at[:] = AT_REMOVED
    state.ticket_at[:6] = AT_PILE
    state.n_queued, state.n_ticket_pile = 0, 4
    state.n_held[:2] = 2, 0
    state.held[0, :2] = UNKNOWN_TICKET
    weights = np.exp(np.random.default_rng(7).normal(size=(2, MAX_TICKETS)))
    table = Rollouts(known.game_map, 2, [Lowest(), Lowest()], seed=5)
    n_worlds = 2_000
    worlds = table.worlds(known, even(weights=weights, chosen=np.array([1.0, 0.0])), n_worlds)

    chances = {pair: weights[0, pair[0]] * weights[0, pair[1]] * (5 - max(pair)) for pair in combinations(range(6), 2)}
    total = sum(chances.values())
    drawn = Counter(tuple(sorted(pair)) for pair in State.across(worlds, "held")[:, 0, :2].tolist())
    for pair, chance in chances.items():
        # Some worlds keep the last of all sets that were tried.
        assert abs(drawn[pair] / n_worlds - chance / total) < 5 * np.sqrt(chance / total / n_worlds) + 0.01


@pytest.mark.compiled_only
def test_of_hands_that_no_offer_of_decks_can_have_been_nothing_is_asked() -> None:
    """On Europe one long ticket and three short ones are offered: who holds four short ones has drawn some."""
    game_map = Combination("europe", "", 2).game_map
    game, policies = Game(game_map, 2), [Lowest(), Lowest()]
    known = knowledge_of(game.play([Planner(), Planner()], seed=7).state_at(2), 0)
    known.packed.n_held[1] = 4
    known.packed.held[1, :4] = UNKNOWN_TICKET
    known.packed.n_ticket_pile -= 2
    short = np.array([ticket.deck == game_map.tickets[-1].deck for ticket in game_map.tickets])
    beliefs = even(chosen=np.array([0.0, 1.0]))
    beliefs.weights[:, : len(short)][:, ~short] = 0.0
    held = State.across(Rollouts(game_map, 2, policies).worlds(known, beliefs, 200), "held")[:, 1, :4]

    assert short.sum() == 40
    assert short[held].all()
    assert len(set(held.ravel().tolist())) > 30  # of them all, not those that are chosen first


@pytest.mark.compiled_only
def test_cards_are_dealt_uniformly() -> None:
    """Without a shuffle, the unknown cards of another hand are a random part of those not seen."""
    state = Game(Combination("nordic", "", 2).game_map, 2).new(seed=7)
    known = knowledge_of(state, 0)
    n_worlds = 5_000
    worlds = table_of(known).worlds(known, beliefs_of(known), n_worlds)
    hands = State.across(worlds, "hand")[:, 1]
    unseen = np.array(state.pile.counts) + np.array(state.hands[1].counts)
    n, size = int(unseen.sum()), int(state.n_hands[1])
    share = unseen / n
    variance = size * share * (1 - share) * (n - size) / (n - 1)

    assert (hands.sum(axis=1) == size).all()
    assert np.abs(hands.mean(axis=0) - size * share).max() < 5 * np.sqrt(variance.max() / n_worlds)
    assert hands.var(axis=0) == pytest.approx(variance, rel=0.15)


@pytest.mark.compiled_only
def test_the_states_tried_come_to_the_ends_of_piles() -> None:
    tried = [state.packed for combination in COMBINATIONS for state in some_states(combination)]

    assert {int(state.phase) for state in tried} == set(Phase) - {Phase.OVER}
    assert max(int(state.n_shuffles) for state in tried) > 0


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_a_view_gives_whole_states_that_look_like_it(combination: Combination) -> None:
    game = GameEngine(combination.game_map, combination.n_players)
    for state in some_states(combination, every=150):
        seat = int(state.packed.n_turns) % combination.n_players
        view = game.view(state, seat)
        worlds = view.worlds(2, np.random.default_rng(7))

        assert worlds == view.worlds(2, np.random.default_rng(7))
        assert [game.view(world, seat) for world in worlds] == [view] * 2
        assert {unknown_words(world.packed, combination.n_players) for world in worlds} == {""}


def test_fewer_worlds_than_none_are_refused(nordic: GameMap) -> None:
    game = Game(nordic)
    view = game.view(game.new(seed=7), 0)

    assert view.worlds(0, np.random.default_rng(7)) == ()
    with pytest.raises(ValueError, match="a number of worlds of 0 or more, got -1"):
        view.worlds(-1, np.random.default_rng(7))
