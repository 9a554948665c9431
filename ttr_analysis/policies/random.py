"""
The policy that plays at random.

Every legal action is equally likely, a claim with sets by its route and form of
payment: the cards of its sets are drawn from what is left of the hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.analysis._counts import draw_card
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.actions.pay_tunnel import n_surcharges, surcharge_cards
from ttr_analysis.engine.codes import (
    BUILD_STATION,
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    PASS,
    PAY_TUNNEL,
    make_action,
    pack_cards,
    pack_single,
)
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.stations import n_free_cities, n_station_forms, station_cards
from ttr_analysis.engine.kernel.tickets import count_bits, fewest_kept, has_tickets
from ttr_analysis.engine.layout import NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.engine.protocol import Chooser
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import OneMove, neutral_track, nth_free_city, random_number
from ttr_analysis.policies.claim_counts import OpenRoutes, count_claims, nth_claim, route_shapes
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import MAX_SLOTS, Tables


@dataclass(frozen=True, slots=True)
class Random(OneMove):
    """
    A player that chooses at random.

    Uniform over the legal actions, claims counted once for each route and form
    of payment (color, color cards and locomotives used singly); the cards of
    sets are then drawn from the rest of the hand.

    Examples
    --------
    >>> Random()
    Random()
    """

    name: ClassVar[str] = "Random"
    memory_size: ClassVar[int] = KEY_SIZE + OpenRoutes.n_cells

    @property
    def params(self) -> Floats:
        """Nothing can be set."""
        return np.zeros(1)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the shapes of the routes of a map: see `route_shapes`."""
        return route_shapes(game_map)

    @property
    def chooser(self) -> Chooser:
        """The function that plays: `choose_at_random`."""
        return choose_at_random

    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """Return the action chosen."""
        return choose_at_random(state, tables, lore, seat, params, memory)


@quickly_compiled
def choose_at_random(
    state: State,
    tables: Tables,
    lore: Ints,
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,
) -> tuple[int, int]:
    """Return a random legal action of the seat that acts: its code and value."""
    phase = state.phase
    if phase in (TURN, SECOND_DRAW):
        return _choose_turn(state, tables, lore, seat, memory, phase == TURN)
    if phase == TUNNEL_PHASE:
        n = n_surcharges(state, tables, seat)
        number = random_number(memory, n + 1)
        if number == n:
            return DECLINE_TUNNEL, 0
        return PAY_TUNNEL, surcharge_cards(state, seat, number)
    if phase == NEUTRAL:
        n = 1 if neutral_track(state, tables, 1) < 0 else 2
        return make_action(CHOOSE_NEUTRAL, neutral_track(state, tables, random_number(memory, n))), 0
    fewest = fewest_kept(state, tables, seat)
    while True:
        kept = random_number(memory, 1 << state.n_offer[seat])
        if count_bits(kept) >= fewest:
            return KEEP_TICKETS, kept


@compiled
def _choose_turn(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints, is_turn: bool) -> tuple[int, int]:
    """Return a random action of a turn, or a further card to draw."""
    n_unseen, n_face_up = int(has_cards(state)), 0
    slots = np.empty(MAX_SLOTS, dtype=np.int64)
    for slot in range(tables.market_size):
        slots[n_face_up] = slot
        n_face_up += int(may_take(state, tables, slot))
    routes = OpenRoutes(memory[KEY_SIZE : KEY_SIZE + OpenRoutes.n_cells])
    n_claims = count_claims(state, tables, lore, seat, routes) if is_turn else 0
    n_forms = n_station_forms(state, tables, seat) if is_turn else 0
    n_builds = n_forms * n_free_cities(state, tables) if n_forms > 0 else 0
    n = n_unseen + n_face_up + n_claims + n_builds + int(is_turn and has_tickets(state))
    if n == 0:
        return PASS, 0
    number = random_number(memory, n)
    if number < n_unseen:
        return DRAW_CARD, 0
    number -= n_unseen
    if number < n_face_up:
        return make_action(DRAW_FACE_UP, slots[number]), 0
    number -= n_face_up
    if number >= n_claims + n_builds:
        return DRAW_TICKETS, 0
    if number >= n_claims:
        number -= n_claims
        city = nth_free_city(state, number // n_forms)
        return make_action(BUILD_STATION, city), station_cards(state, tables, seat, number % n_forms)
    route, kind, own, locomotives = nth_claim(state, tables, lore, seat, routes, number)
    n_sets = tables.length[route] - own - locomotives
    n_set_cards = n_sets * tables.swap_size[route]
    if n_set_cards == 0:
        return make_action(CLAIM_ROUTE, route), pack_single(kind, own, locomotives)
    return make_action(CLAIM_ROUTE, route), _with_sets(state.hand[seat], kind, own, locomotives, n_set_cards, memory)


@compiled
def _with_sets(hand: Ints, kind: int, own: int, locomotives: int, n_set_cards: int, memory: Ints) -> int:
    """Return the packed cards of a payment with sets, whose cards are drawn from the rest of the hand."""
    cards, left = np.zeros(N_KINDS, dtype=np.int64), hand.copy()
    cards[kind] += own
    cards[LOCOMOTIVE_INDEX] += locomotives
    left[kind] -= own
    left[LOCOMOTIVE_INDEX] -= locomotives
    for _ in range(n_set_cards):
        drawn = draw_card(left, memory[:KEY_SIZE])
        cards[drawn] += 1
    return pack_cards(cards)
