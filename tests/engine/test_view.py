"""What a seat can see, and that it sees nothing else."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.engine.positions import Position, revealed
from tests.engine.test_hidden_information import scrambled
from tests.engine.walks import on_each_walk, some_states
from tests.fixtures import load
from ttr_analysis import CardCounts, Game, GameError, GameMap, GameState, SeatView, UnknownNameError
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.engine.state import PublicState
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.random import Random
from ttr_analysis.rules.chance import KEY_SIZE, open_stream, seed_key
from ttr_analysis.tables import game_tables


@on_each_walk
def test_a_view_is_the_same_whatever_is_hidden_from_the_seat(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    rng, tables = np.random.default_rng(7), game_tables(game.game_map, game.n_players)
    for state, seat in product(states, range(game.n_players)):
        other = GameState(game.game_map, game.n_players, scrambled(state.packed, tables, seat, rng))

        assert other != state
        assert np.array_equal(game.view(state, seat).packed.cells, game.view(other, seat).packed.cells)


@on_each_walk
def test_a_view_shows_all_that_is_public_and_the_seats_own(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    choosing = {"n_tickets", "n_offers", "n_ticket_pile", "ticket_discards", "n_ticket_discards"}
    public = {name for name, value in vars(PublicState).items() if isinstance(value, property)} - {"packed"}
    for state, seat in product(states, range(game.n_players)):
        view = game.view(state, seat)
        hidden = choosing if state.phase.name == "KEEP_START" else set()
        for what in public - hidden:
            assert getattr(view, what) == getattr(state, what), what
        assert view.hand == state.hands[seat]
        assert view.tickets == state.tickets[seat]
        assert view.offer == state.offers[seat]
        assert state.pile <= view.pool
        if seat == state.acting:
            assert list(game.legal_actions(_as_state(view))) == list(game.legal_actions(state))


@on_each_walk
@pytest.mark.parametrize("policy", [Random(), Greedy()])
def test_built_in_policies_look_only_at_what_their_seat_can_see(
    policy: CompiledPolicy, name: str, variant: str | None
) -> None:
    game, states = some_states(name, variant)
    tables = game_tables(game.game_map, game.n_players)
    lore = policy.lore(game.game_map, game.n_players)
    for number, state in enumerate(states):
        seat = state.acting
        memories = np.zeros((2, policy.memory_size), dtype=np.int64)
        for memory in memories:
            open_stream(seed_key(7), number, 1 + seat, memory[:KEY_SIZE])
        sights = (state.packed.copy(), game.view(state, seat).packed.copy())
        chosen = [
            policy.decide(sight, tables, lore, seat, policy.params, memory)
            for sight, memory in zip(sights, memories, strict=True)
        ]

        assert chosen[0] == chosen[1]
        assert np.array_equal(*memories)


def _as_state(view: SeatView) -> GameState:
    """Return the state that a seat could take for the real one."""
    return GameState(view.game_map, view.n_players, view.packed)


@pytest.mark.parametrize("name", ["nordic", "nederland", "usa"])
def test_opening_tickets_are_chosen_in_secret(name: str) -> None:
    game = Game(load(name), n_players=2)
    start = game.new(seed=7)
    choices = [game.apply(start, keep) for keep in game.legal_actions(start)]

    assert len({game.view(state, 1).packed.cells.tobytes() for state in choices}) == 1
    assert len({game.view(state, 0).packed.cells.tobytes() for state in choices}) == len(choices)
    view = game.view(choices[-1], 1)
    assert (view.n_tickets, view.n_ticket_discards) == ((0, 0), 0)
    assert view.n_ticket_pile == len(game.game_map.tickets) - 2 * len(view.offer)


def test_once_all_have_chosen_their_numbers_are_known() -> None:
    game = Game(load("usa"), n_players=2)
    state = game.new(seed=7)
    for _ in range(2):
        state = game.apply(state, max(game.legal_actions(state), key=lambda keep: -len(keep.tickets)))  # type: ignore[union-attr]

    for seat in range(2):
        view = game.view(state, seat)
        assert (view.n_tickets, view.n_ticket_pile) == ((2, 2), 26)
        assert len(view.tickets) == 2


def test_ticket_discards_lie_open() -> None:
    game = Game(load("nederland"), n_players=2)
    state = game.new(seed=7)
    rejected = set()
    for _ in range(2):
        keep = game.legal_actions(state)[0]
        rejected |= set(state.offers[state.acting]) - set(keep.tickets)  # type: ignore[union-attr]
        state = game.apply(state, keep)

    assert len(rejected) == 4
    assert set(game.view(state, 0).ticket_discards) == rejected == set(game.view(state, 1).ticket_discards)


def test_the_pool_is_what_the_pile_may_hold() -> None:
    table = Position("nordic").hand(0, red=2).hand(1, blue=3).discards(green=1)
    table.market("locomotive", "red", "white", "white", "black")
    view = SeatView(table.map, 2, table.state, 0)

    seen = CardCounts.of(red=3, green=1, locomotive=1, white=2, black=1)
    assert view.pool == table.map.rules.deck - seen
    assert view.pool.n_cards == view.n_pile + view.n_hands[1]
    assert view.known == (CardCounts(), CardCounts())


def test_a_pending_tunnel_is_public() -> None:
    table = Position("nordic").hand(0, blue=4, locomotive=1)
    tunnel = table.map.route("Bergen-Oslo/0")
    table.claims(tunnel.id, revealed("blue", "red", "locomotive"), blue=3, locomotive=1)
    view = SeatView(table.map, 2, table.state, 1)

    pending = view.pending
    assert pending is not None
    assert (pending.route, pending.color, pending.surcharge) == (tunnel, "blue", 2)
    assert pending.laid == CardCounts.of(blue=3, locomotive=1)
    assert pending.revealed == CardCounts.of(blue=1, red=1, locomotive=1)
    assert (view.seat, view.acting, view.turn_seat) == (1, 0, 0)
    assert view.turn == view.turn_seat  # its name before


def test_a_tunnel_in_locomotives_alone_has_no_color() -> None:
    table = Position("nordic").hand(0, locomotive=3)
    tunnel = next(r for r in table.map.routes if r.tunnel and r.length == 2)
    table.claims(tunnel.id, revealed("green", "red", "locomotive"), locomotive=2)

    pending = SeatView(table.map, 2, table.state, 0).pending
    assert pending is not None
    assert (pending.color, pending.surcharge) == (None, 1)


def test_routes_that_are_open_closed_and_owned(nordic: GameMap) -> None:
    table = Position("nordic").own(0, "Bergen-Oslo/0").own(1, "Göteborg-Oslo/0", "Helsinki-Turku/0")
    mine, theirs = (SeatView(table.map, 2, table.state, seat) for seat in (0, 1))
    track = nordic.route("Bergen-Oslo/0")
    twin = nordic.route("Bergen-Oslo/1")

    assert mine.my_routes == (track,) == theirs.routes_of(0)
    assert [route.id for route in mine.claimed] == ["Bergen-Oslo/0", "Göteborg-Oslo/0", "Helsinki-Turku/0"]
    assert mine.owners == {"Bergen-Oslo/0": 0, "Göteborg-Oslo/0": 1, "Helsinki-Turku/0": 1}
    assert not mine.is_open(track)
    assert not mine.is_open("Bergen-Oslo/1")
    assert not mine.is_open(("Oslo", "Bergen"))
    assert mine.is_open(("Lieksa", "Murmansk"))
    assert twin in mine.closed
    assert track not in mine.closed
    assert {track, twin} <= set(theirs.closed)
    for view in (mine, theirs):
        assert len(view.open_routes) + len(view.closed) + len(view.my_routes) == len(nordic.routes)
    with pytest.raises(UnknownNameError, match="Lieksa"):
        mine.is_open("Lieksa-Narvik")


def test_with_three_players_the_twin_stays_open_to_the_others() -> None:
    table = Position("nordic", 3).own(0, "Bergen-Oslo/0")
    views = [SeatView(table.map, 3, table.state, seat) for seat in range(3)]
    assert [view.is_open("Bergen-Oslo/1") for view in views] == [False, True, True]


def test_too_few_trains_do_not_close_a_route() -> None:
    table = Position("nordic")
    table.own_all("Lieksa-Murmansk/0")
    state = GameState(table.map, 2, table.state)
    assert [route.id for route in Game(table.map).view(state, 1).open_routes] == ["Lieksa-Murmansk/0"]


def test_the_neutral_player_is_an_owner_by_name() -> None:
    table = Position("nederland", 2, "neutral")
    route = table.map.routes[0]
    view = SeatView(table.map, 2, table.own("neutral", route.id).state, 0)

    assert view.owners == {route.id: "neutral"}
    assert view.routes_of("neutral") == (route,)
    assert (view.has_neutral, view.marker, view.neutral_trains) == (True, 1, 40 - route.length)
    assert view.neutral_ticket is None


def test_views_are_equal_if_a_seat_sees_the_same(nordic: GameMap) -> None:
    game = Game(nordic)
    state = game.new(seed=7)
    other = GameState(nordic, 2, scrambled(state.packed, game_tables(nordic, 2), 0, np.random.default_rng(1)))

    assert other != state
    assert game.view(other, 0) == game.view(state, 0)
    assert hash(game.view(other, 0)) == hash(game.view(state, 0))
    assert game.view(other, 1) != game.view(state, 1)
    assert game.view(state, 0) != SeatView(nordic, 2, game.view(state, 0).packed, 1)
    assert game.view(state, 0) != state
    assert game.view(state, 0) != "a view"


def test_a_view_is_of_a_seat_that_exists(nordic: GameMap) -> None:
    game = Game(nordic)
    for seat in (-1, 2):
        with pytest.raises(GameError, match="expected a seat from 0 to 1"):
            game.view(game.new(seed=7), seat)


def test_what_is_written_in_the_packed_state_of_a_view_does_not_change_it(nordic: GameMap) -> None:
    game = Game(nordic)
    view = game.view(game.new(seed=7), 0)
    view.packed.seat = 1
    assert view.acting == 0
