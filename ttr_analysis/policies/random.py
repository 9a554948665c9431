"""
Random: the policy that plays at random.

Every legal action is equally likely. Claims are counted by route and form of payment; the
cards of sets are drawn at random from the rest of the hand.

Claims are counted by shape. Routes with the same cost, apart from color, share a
*shape*, and there are few shapes. The number of forms of payment that a hand has in one
color (or without one) depends only on the shape, its cards of the color, its
locomotives and, because of sets, its size; these numbers are tabulated in advance. The
open routes are counted by color and shape as routes are taken. The number of claims in
a color is then a sum of products over shapes, without looking at single routes. Counting
the forms of each route every turn would make Random five to ten times slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis._compile import Floats, Ints, Record, block, cell, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.building import n_surcharges, surcharge_cards
from ttr_analysis.engine.codes import make_action, pack_cards, pack_single
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import n_free_cities, n_station_forms, route_fault, station_cards
from ttr_analysis.engine.kernel.turns import count_bits, fewest_kept, has_tickets
from ttr_analysis.engine.layout import NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.greedy import neutral_track, nth_free_city
from ttr_analysis.policies.playout import OneFunction, random_number
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.market import draw_card
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, count_in_color, find_in_color
from ttr_analysis.tables import MAX_ROUTES, MAX_SLOTS, Tables, game_tables, spaces_at, spaces_of

_NO_COLOR: Final = LOCOMOTIVE_INDEX
"""The kind of a form without colored cards outside sets."""
_LANES: Final = 8
"""Rows are padded to a multiple of this, for vector instructions."""


class Shapes(Record):
    """
    The routes of a map by shape.

    After the record, the array lists the start of a row for each size of hand, number of
    locomotives and number of cards of a color; then the rows follow, each with the number
    of forms for every shape. Without cards of a color there are no forms in it; the last
    number of cards, one more than the longest route takes, stands for payments without a color.
    """

    n_shapes = cell()
    width = cell()
    """Numbers in a row: one for each shape, then zeros up to a multiple of `_LANES`."""
    longest = cell()
    """Length of the longest route; more cards of a kind add no forms."""
    largest = cell()
    """The largest size of hand that matters; 0 without sets."""
    shape = block(MAX_ROUTES)
    """The shape of each route."""
    start = block(MAX_ROUTES + 1)
    """First route of each shape in `member`, plus one cell for the end."""
    member = block(MAX_ROUTES)
    n_routes = block(N_KINDS, MAX_ROUTES)
    """Routes of each shape that can be paid in each color, and without one."""


class OpenRoutes(Record):
    """The routes open to a seat when it last looked; all zeros before the first time."""

    n_seen = cell()
    """Claims seen so far."""
    reach = cell()
    """Trains left when all routes were last checked, at most the length of the longest."""
    is_closed = block(MAX_ROUTES)
    """1 for each route that is not open."""
    n_open = block(N_KINDS, MAX_ROUTES)
    """Open routes of each shape that can be paid in each color, and without one."""
    row = block(N_KINDS)
    """The hand's row for each color, and without one, when claims were last counted."""
    n_claims = block(N_KINDS)
    """Claims in each color, and without one, at that time."""


# -- tables computed in advance ---------------------------------------------------


@lru_cache(maxsize=32)
def route_shapes(game_map: GameMap) -> Ints:
    """Return the shapes of a map's routes, and the number of forms in which hands pay for them."""
    tables = game_tables(game_map, game_map.rules.players[0])
    members: dict[tuple[int, Spaces], list[int]] = {}
    for number, track in enumerate(game_map.routes):
        spaces = spaces_of(track)
        # First, the hand size above which sets are not limited; 0 without sets.
        members.setdefault((track.length * spaces.swap_size, spaces), []).append(number)
    shapes = Shapes()
    shapes.n_shapes = len(members)
    shapes.longest = max(route.length for route in game_map.routes)
    shapes.largest = min(max(members)[0], tables.deck.sum())
    at = 0
    for s, shape in enumerate(sorted(members)):
        for route in members[shape]:
            shapes.shape[route] = s
            for kind in range(N_KINDS):
                shapes.n_routes[kind, s] += kind == _NO_COLOR or tables.color[route] in (kind, GRAY_INDEX)
            shapes.member[at] = route
            at += 1
        shapes.start[s + 1] = at
    shapes.width = -(-shapes.n_shapes // _LANES) * _LANES
    forms = np.zeros((shapes.largest + 1, shapes.longest + 1, shapes.longest + 2, shapes.width), dtype=np.int64)
    for s, shape in enumerate(sorted(members)):
        enough = min(shape[0], shapes.largest)
        counts = np.zeros((enough + 1, shapes.longest + 1, shapes.longest + 1), dtype=np.int64)
        _count_forms(counts, shape[1])
        counts_by_size = counts[np.minimum(range(shapes.largest + 1), enough)]
        forms[:, :, 1:-1, s] = counts_by_size[:, :, 1:]
        forms[:, :, -1, s] = counts_by_size[:, :, 0]
    # Most hands share their numbers with others.
    rows, which = np.unique(forms.reshape(-1, shapes.width), axis=0, return_inverse=True)
    starts = Shapes.n_cells + which.size + which.ravel() * shapes.width
    return np.concatenate([shapes.cells, starts, rows.ravel()])


@compiled
def _count_forms(counts: Ints, spaces: Spaces) -> None:
    """Count the forms of a shape by hand size, locomotives, and cards of the color (0: without)."""
    for n_cards in range(counts.shape[0]):
        for locomotives in range(counts.shape[1]):
            for own in range(counts.shape[2]):
                counts[n_cards, locomotives, own] = count_in_color(spaces, own, locomotives, n_cards)


# -- counting and choosing claims -------------------------------------------------


@compiled
def count_claims(state: State, tables: Tables, lore: Ints, seat: int, routes: OpenRoutes) -> int:
    """Return the number of claims that a seat can make."""
    shapes = Shapes(lore[: Shapes.n_cells])
    _look_at_board(state, tables, shapes, seat, routes)
    hand, longest = state.hand[seat], shapes.longest
    n_cards, locomotives = min(state.n_hand[seat], shapes.largest), min(hand[LOCOMOTIVE_INDEX], longest)
    first = Shapes.n_cells + (n_cards * (longest + 1) + locomotives) * (longest + 2)
    total = 0
    for kind in range(N_KINDS):
        row = lore[first + (longest + 1 if kind == _NO_COLOR else min(hand[kind], longest))]
        n = 0
        for s in range(shapes.width):
            n += lore[row + s] * routes.n_open[kind, s]
        routes.row[kind] = row
        routes.n_claims[kind] = n
        total += n
    return total


@compiled
def nth_claim(
    state: State, tables: Tables, lore: Ints, seat: int, routes: OpenRoutes, number: int
) -> tuple[int, int, int, int]:
    """Return one of the claims just counted: route, color, color cards and locomotives."""
    shapes = Shapes(lore[: Shapes.n_cells])
    kind = 0
    while number >= routes.n_claims[kind]:
        number -= routes.n_claims[kind]
        kind += 1
    forms, n_open = lore[routes.row[kind] : routes.row[kind] + shapes.n_shapes], routes.n_open[kind]
    s = 0
    while number >= forms[s] * n_open[s]:
        number -= forms[s] * n_open[s]
        s += 1
    route = _nth_open(tables, shapes, routes, kind, s, number // forms[s])
    held = 0 if kind == _NO_COLOR else state.hand[seat, kind]
    own, locomotives = find_in_color(spaces_at(tables, route), held, state.n_hand[seat], number % forms[s])
    return route, kind, own, locomotives


@compiled
def _nth_open(tables: Tables, shapes: Shapes, routes: OpenRoutes, kind: int, s: int, number: int) -> int:
    """Return one of the open routes of a shape that can be paid in a color, or without one."""
    at = shapes.start[s] - 1
    while number >= 0:
        at += 1
        route = shapes.member[at]
        pays = kind == _NO_COLOR or tables.color[route] in (kind, GRAY_INDEX)
        number -= int(pays and not routes.is_closed[route])
    return int(shapes.member[at])


# -- open routes ------------------------------------------------------------------


@compiled
def _look_at_board(state: State, tables: Tables, shapes: Shapes, seat: int, routes: OpenRoutes) -> None:
    """Update the routes open to the seat."""
    # New claims close few routes. Too few trains close more, so then all are checked. With limited loans, money may
    # reopen routes, so every update starts from scratch.
    reach = min(state.trains[seat], shapes.longest)
    may_reopen = tables.loan_limit > 0 and tables.tokens_each > 0
    if routes.reach == 0 or may_reopen:
        routes.reach = shapes.longest
        routes.n_seen = 0
        routes.is_closed.fill(0)
        for kind in range(N_KINDS):
            for s in range(shapes.n_shapes):
                routes.n_open[kind, s] = shapes.n_routes[kind, s]
    for i in range(routes.n_seen, state.n_claims):
        route = state.claimed[i]
        twin = tables.twin[route]
        _close(tables, shapes, routes, route)
        if twin >= 0 and route_fault(state, tables, seat, twin) != codes.NONE:
            _close(tables, shapes, routes, twin)
    routes.n_seen = state.n_claims
    if reach < routes.reach or may_reopen:
        routes.reach = reach
        for route in range(tables.n_routes):
            if not routes.is_closed[route] and route_fault(state, tables, seat, route) != codes.NONE:
                _close(tables, shapes, routes, route)


@compiled
def _close(tables: Tables, shapes: Shapes, routes: OpenRoutes, route: int) -> None:
    """Stop counting a route."""
    if routes.is_closed[route]:
        return
    routes.is_closed[route] = 1
    s, color = shapes.shape[route], tables.color[route]
    routes.n_open[_NO_COLOR, s] -= 1
    if color != GRAY_INDEX:
        routes.n_open[color, s] -= 1
        return
    for kind in range(N_COLORS):
        routes.n_open[kind, s] -= 1


# -- the policy ----------------------------------------------------------------------------------------------------


@quickly_compiled
def choose_at_random(
    state: State,
    tables: Tables,
    lore: Ints,
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,
) -> tuple[int, int]:
    """Return the code and value of a random legal action."""
    phase = state.phase
    if phase in (TURN, SECOND_DRAW):
        return _choose_turn(state, tables, lore, seat, memory, phase == TURN)
    if phase == TUNNEL_PHASE:
        n = n_surcharges(state, tables, seat)
        number = random_number(memory, n + 1)
        if number == n:
            return codes.DECLINE_TUNNEL, 0
        return codes.PAY_TUNNEL, surcharge_cards(state, seat, number)
    if phase == NEUTRAL:
        n = 1 if neutral_track(state, tables, 1) < 0 else 2
        return make_action(codes.CHOOSE_NEUTRAL, neutral_track(state, tables, random_number(memory, n))), 0
    fewest = fewest_kept(state, tables, seat)
    while True:
        kept = random_number(memory, 1 << state.n_offer[seat])
        if count_bits(kept) >= fewest:
            return codes.KEEP_TICKETS, kept


@compiled
def _choose_turn(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints, is_turn: bool) -> tuple[int, int]:
    """Return a random action of a turn, or a random further draw."""
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
        return codes.PASS, 0
    number = random_number(memory, n)
    if number < n_unseen:
        return codes.DRAW_CARD, 0
    number -= n_unseen
    if number < n_face_up:
        return make_action(codes.DRAW_FACE_UP, slots[number]), 0
    number -= n_face_up
    if number >= n_claims + n_builds:
        return codes.DRAW_TICKETS, 0
    if number >= n_claims:
        number -= n_claims
        city = nth_free_city(state, number // n_forms)
        return make_action(codes.BUILD_STATION, city), station_cards(state, tables, seat, number % n_forms)
    route, kind, own, locomotives = nth_claim(state, tables, lore, seat, routes, number)
    n_sets = tables.length[route] - own - locomotives
    n_set_cards = n_sets * tables.swap_size[route]
    if n_set_cards == 0:
        return make_action(codes.CLAIM_ROUTE, route), pack_single(kind, own, locomotives)
    return make_action(codes.CLAIM_ROUTE, route), _with_sets(
        state.hand[seat], kind, own, locomotives, n_set_cards, memory
    )


@compiled
def _with_sets(hand: Ints, kind: int, own: int, locomotives: int, n_set_cards: int, memory: Ints) -> int:
    """Return the packed cards of a payment with sets, drawn at random from the rest of the hand."""
    cards, left = np.zeros(N_KINDS, dtype=np.int64), hand.copy()
    cards[kind] += own
    cards[LOCOMOTIVE_INDEX] += locomotives
    left[kind] -= own
    left[LOCOMOTIVE_INDEX] -= locomotives
    for _ in range(n_set_cards):
        drawn = draw_card(left, memory[:KEY_SIZE])
        cards[drawn] += 1
    return pack_cards(cards)


@dataclass(frozen=True, slots=True)
class Random(OneFunction):
    """
    A player that chooses at random.

    Uniform over the legal actions, with claims counted once for each route and form of
    payment (color, color cards and locomotives outside sets). The cards of sets are drawn
    from the rest of the hand.

    Examples
    --------
    >>> Random()
    Random()
    """

    name = "Random"
    memory_size = KEY_SIZE + OpenRoutes.n_cells
    chooser = staticmethod(choose_at_random)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the shapes of a map's routes: see `route_shapes`."""
        return route_shapes(game_map)
