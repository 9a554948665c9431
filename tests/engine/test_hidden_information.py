"""What a seat cannot see never changes what its policy does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine import conformance
from ttr_analysis._compile import Ints
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import TAPE_START
from ttr_analysis.engine.kernel.step import list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import AT_OFFER, AT_PILE, AT_QUEUE, AT_REMOVED, KEEP_START, OVER, State
from ttr_analysis.engine.state import redact
from ttr_analysis.policies import Planner
from ttr_analysis.rules.chance import KEY_SIZE, seed_key
from ttr_analysis.tables import Tables, game_tables

N_EXAMPLES = 8 if conformance.IS_COMPILED else 2


@pytest.mark.parametrize(
    "player",
    [
        pytest.param(player, id=player.name, marks=pytest.mark.compiled_only if isinstance(player, Planner) else ())
        for player in conformance.built_in_players()
    ],
)
@settings(max_examples=N_EXAMPLES)
@given(combination=st.sampled_from(conformance.every_combination()), seed=st.integers(0, 2**32))
def test_hidden_things_do_not_change_a_choice(
    player: conformance.Player, combination: conformance.Combination, seed: int
) -> None:
    check_choices(player, combination, seed)


SECRETS: dict[str, Callable[[State, int], Ints | int]] = {
    "the draw pile": lambda state, _: state.draw_pile,
    "another hand": lambda state, other: state.hand[other],
    "what another has seen of the pile": lambda state, other: state.blind[other],
    "what another is offered": lambda state, other: state.offer[other],
    "how many tickets another has kept": lambda state, other: state.n_held[other],
    "the tickets of another": lambda state, other: state.held[other],
    "the tickets that were put back": lambda state, _: state.queue,
    "how many were put back": lambda state, _: state.n_queued,
    "who put tickets back": lambda state, _: state.returned_by,
    "where each ticket is": lambda state, _: state.ticket_at,
    "the random numbers to come": lambda state, _: state.stream,
}
"""What is hidden from a seat, by name: the numbers, given another seat."""


@dataclass(frozen=True)
class Peeker(conformance.Whim):
    """Takes one legal action or another by what it must not look at."""

    def decide(self, state: State, tables: Tables, *_: object) -> tuple[int, int]:
        actions = np.empty((500, 2), dtype=np.int64)
        n = int(list_actions(state, tables, actions))
        secret = np.ravel(SECRETS[self.name](state, 1 - int(state.seat))).tolist()
        seen = sum(i * number for i, number in enumerate(secret, start=1))
        return int(actions[seen % n, 0]), int(actions[seen % n, 1])


@pytest.mark.parametrize("secret", SECRETS)
def test_a_player_that_looks_at_a_secret_is_found_out(secret: str) -> None:
    with pytest.raises(AssertionError, match="what is hidden changed a choice"):
        check_choices(Peeker(secret), conformance.Combination("nordic", "", 2), 1)


def check_choices(player: conformance.Player, combination: conformance.Combination, seed: int) -> None:
    """Play a game; each choice is also made on the seat's view, and with all that is hidden dealt anew."""
    game_map, n_players = combination.game_map, combination.n_players
    tables = game_tables(game_map, n_players)
    rng = np.random.default_rng(seed)
    lore, params = player.lore(game_map, n_players), player.params
    memories = conformance.open_memories([player] * n_players, seed_key(seed), 0)
    state = State()
    tape = np.zeros(TAPE_START, dtype=np.int64)
    new_game(tables, seed_key(seed), 0, state, tape)
    while state.phase != OVER:
        seat = int(state.seat)
        other = scrambled(state, tables, seat, rng)
        view = redact(state, tables, seat)
        choices = []
        for seen in (view, other, state):
            memory = memories[seat].copy()
            choices.append((*player.decide(seen, tables, lore, seat, params, memory), memory.tolist()))

        assert np.array_equal(redact(other, tables, seat).cells, view.cells)
        assert choices[0] == choices[1] == choices[2], "what is hidden changed a choice"

        memories[seat][:] = memory
        step(state, tables, choices[-1][0], choices[-1][1], tape)


def scrambled(state: State, tables: Tables, seat: int, rng: np.random.Generator) -> State:
    """Return a state that looks the same to a seat, with all that it cannot see dealt anew."""
    other = state.copy()
    others = [s for s in range(tables.n_seats) if s != seat]
    other.stream[:] = rng.integers(1, 2**32, size=KEY_SIZE)
    _deal_cards_anew(other, others, rng)
    _deal_tickets_anew(other, tables, seat, rng)
    if state.phase == KEEP_START:
        # How many tickets the others keep is secret until all have chosen.
        for s in others:
            other.n_held[s] = rng.integers(6)
            other.n_offer[s] = rng.integers(6)
        other.n_queued = int(rng.integers(6))
        other.n_ticket_discards = int(rng.integers(6))
    return other


def _deal_cards_anew(state: State, others: list[int], rng: np.random.Generator) -> None:
    """Shuffle the draw pile and the cards of other hands that are not known to all."""
    hidden = [state.draw_pile]
    for s in others:
        state.hand[s] -= state.known[s]
        hidden.append(state.hand[s])
        state.blind[s] = rng.permutation(state.blind[s])
    cards = rng.permutation(np.repeat(np.tile(np.arange(N_KINDS), len(hidden)), np.concatenate(hidden)))
    for place in hidden:
        n = int(place.sum())
        place[:] = np.bincount(cards[:n], minlength=N_KINDS)
        cards = cards[n:]
    for s in others:
        state.hand[s] += state.known[s]


def _deal_tickets_anew(state: State, tables: Tables, seat: int, rng: np.random.Generator) -> None:
    """Shuffle the tickets in the pile, under it, out of the game, and with the other seats."""
    n_tickets = int(tables.n_tickets)
    others = [s for s in range(tables.n_seats) if s != seat]
    own_offer = set(state.offer[seat, : state.n_offer[seat]].tolist())
    places = state.ticket_at[:n_tickets]
    is_hidden = np.isin(places, [AT_PILE, AT_QUEUE, AT_REMOVED, AT_OFFER, *others])
    # Where tickets lie that the seat gave back, it knows.
    is_hidden &= ~((state.returned_by[:n_tickets] == 1 + seat) & np.isin(places, [AT_QUEUE, AT_REMOVED]))
    hidden = [ticket for ticket in np.flatnonzero(is_hidden).tolist() if ticket not in own_offer]
    new = dict(zip(hidden, rng.permutation(hidden).tolist(), strict=True))
    before, returned = places.copy(), state.returned_by.copy()
    for ticket, its_new in new.items():
        places[its_new] = before[ticket]
        state.returned_by[its_new] = returned[ticket]
    lists = [state.queue]
    for s in others:
        lists += [state.offer[s], state.held[s, : state.n_held[s]]]
    for tickets in lists:
        tickets[:] = [new.get(ticket, ticket) for ticket in tickets.tolist()]
