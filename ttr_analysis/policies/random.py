"""
The policy that plays at random.

A claim is chosen uniformly from all pairs of route and form of payment, beside
the other legal actions; then the cards of its sets, each card left in hand
being equally likely. Routes that cost alike, but for their color, are of one
*shape*: forms are looked up by shape, color cards and locomotives, and open
routes are counted by shape and color as claims are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.codes import (
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    PASS,
    PAY_TUNNEL,
    make_code,
    pack_cards,
    pack_single,
)
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.legal import NONE, count_bits, fewest_kept, route_fault
from ttr_analysis.engine.kernel.listing import n_surcharges, surcharge_cards
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.layout import NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.engine.protocol import Chooser
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import MEMORY_START, Floats, Ints, neutral_track, random_number
from ttr_analysis.rules.forms import count_in_color, count_without_color, find_in_color, find_without_color
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.tables.games import MAX_ROUTES, Tables, game_tables

# -- lore: the shapes of the routes of a map -----------------------------------

_N_SHAPES: Final = 0
_N_WITHOUT_SETS: Final = 1
"""The first so many shapes have no sets."""
_LONGEST: Final = 2
"""Length of the longest route."""
_SHAPE_OF: Final = 3
"""The shape of each route."""
_START: Final = _SHAPE_OF + MAX_ROUTES
"""Where the routes of each shape begin in the next one, and one more cell for the end."""
_MEMBERS: Final = _START + MAX_ROUTES + 1
_ALL_OPEN: Final = _MEMBERS + MAX_ROUTES
"""What `_N_OPEN` is at the start of a game."""
_ENOUGH: Final = _ALL_OPEN + N_KINDS * MAX_ROUTES
"""For each shape, the number of cards in hand from which on it limits no set; ascending."""
_FACTS: Final = _ENOUGH + MAX_ROUTES
"""For each shape `_N_FACTS` cells: what its routes cost."""
_N_FACTS: Final = 5
_FORMS: Final = _FACTS + _N_FACTS * MAX_ROUTES
"""
Rows with the number of forms for each shape, if the hand has enough cards for the sets: first, for each number of
color cards and of locomotives, those in this color; then, for each number of locomotives, those without a color.
"""
_FACT_CELLS: Final = ("plain", "symbols", "jokers", "swap_size", "swap_any")

# -- memory: what is open to the seat -----------------------------------------

_READY: Final = MEMORY_START
_N_SEEN: Final = _READY + 1
"""Claims taken into account."""
_TRAINS_SEEN: Final = _N_SEEN + 1
_N_FREE: Final = _TRAINS_SEEN + 1
"""So many shapes count in `_FREE_TOTAL`."""
_ROW: Final = _N_FREE + 1
"""The row of forms with which it was found, for each color and without one; 0: none."""
_FREE_TOTAL: Final = _ROW + N_KINDS
"""Claims in each color, and without one, of shapes for whose sets the hand is large enough."""
_KIND_TOTAL: Final = _FREE_TOTAL + N_KINDS
"""The same of all shapes."""
_CARDS: Final = _KIND_TOTAL + N_KINDS
"""Nine cells to lay cards down, and nine for the rest of the hand."""
_CLOSED: Final = _CARDS + 2 * N_KINDS
"""1 for each route that is not open to the seat."""
_N_OPEN: Final = _CLOSED + MAX_ROUTES
"""Open routes of each shape that may be paid for in each color, and without one; a row for each color."""
MEMORY_SIZE: Final = _N_OPEN + N_KINDS * MAX_ROUTES

_NO_COLOR: Final = LOCOMOTIVE_INDEX
"""The kind of a form that uses no color cards singly."""


@dataclass(frozen=True, slots=True)
class Random:
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
    memory_size: ClassVar[int] = MEMORY_SIZE

    @property
    def params(self) -> Floats:
        """Nothing can be set."""
        return np.zeros(1)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the shapes of the routes of a map: see `random_lore`."""
        return random_lore(game_map)

    @property
    def chooser(self) -> Chooser:
        """The function that plays: `choose_at_random`."""
        return choose_at_random

    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """Return the action chosen."""
        return choose_at_random(state, tables, lore, seat, params, memory)


@lru_cache(maxsize=32)
def random_lore(game_map: GameMap) -> Ints:
    """Return the shapes of the routes of a map, and in how many forms hands pay for them."""
    tables = game_tables(game_map, game_map.rules.players[0])
    members: dict[tuple[int, ...], list[int]] = {}
    for route in range(len(game_map.routes)):
        members.setdefault(tuple(int(getattr(tables, field)[route]) for field in _FACT_CELLS), []).append(route)
    shapes = sorted(members, key=lambda shape: (_enough(*shape), shape))
    longest = max(route.length for route in game_map.routes)
    lore = np.zeros(_FORMS + (longest + 1) * (longest + 2) * len(shapes), dtype=np.int64)
    lore[_N_SHAPES], lore[_LONGEST] = len(shapes), longest
    lore[_N_WITHOUT_SETS] = sum(_enough(*shape) == 0 for shape in shapes)
    at = 0
    for s, shape in enumerate(shapes):
        lore[_START + s] = at
        lore[_ENOUGH + s] = _enough(*shape)
        lore[_FACTS + s * _N_FACTS : _FACTS + (s + 1) * _N_FACTS] = shape
        for route in members[shape]:
            lore[_SHAPE_OF + route] = s
            lore[_MEMBERS + at] = route
            at += 1
            for kind in _kinds_for(int(tables.color[route])):
                lore[_ALL_OPEN + kind * len(shapes) + s] += 1
    lore[_START + len(shapes)] = at
    for locomotives in range(longest + 1):
        for own in range(longest + 1):
            row = _forms_row(lore, own, locomotives)
            for s, shape in enumerate(shapes):
                lore[row + s] = count_in_color(own, locomotives, _enough(*shape) + longest, *shape) if own else 0
        row = _forms_row(lore, longest + 1, locomotives)
        for s, shape in enumerate(shapes):
            lore[row + s] = count_without_color(locomotives, _enough(*shape) + longest, *shape)
    return lore


def _enough(plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int) -> int:  # noqa: ARG001
    """Return the number of cards from which on their number limits no set; 0 if there are no sets."""
    return (plain + symbols) * swap_size


def _kinds_for(color: int) -> list[int]:
    """Return the colors that may pay for a route, and the kind for no color."""
    return [kind for kind in range(N_KINDS) if kind == _NO_COLOR or color in (kind, GRAY_INDEX)]


@compiled
def _forms_row(lore: Ints, own: int, locomotives: int) -> int:
    """Return where the row of the forms with so many cards begins; `own` beyond the longest route: without a color."""
    longest = lore[_LONGEST]
    return int(_FORMS + (locomotives * (longest + 2) + own) * lore[_N_SHAPES])


@compiled
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
        return make_code(CHOOSE_NEUTRAL, neutral_track(state, tables, random_number(memory, n))), 0
    fewest = fewest_kept(state, tables, seat)
    while True:
        kept = random_number(memory, 1 << state.n_offer[seat])
        if count_bits(kept) >= fewest:
            return KEEP_TICKETS, kept


@compiled
def _choose_turn(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints, is_turn: bool) -> tuple[int, int]:
    can_draw_unseen = int(has_cards(state))
    n_draws = can_draw_unseen
    takeable = 0
    for slot in range(tables.market_size):
        if may_take(state, tables, slot):
            takeable |= 1 << slot
            n_draws += 1
    n_claims = _count_claims(state, tables, lore, seat, memory) if is_turn else 0
    n = n_draws + n_claims + int(is_turn and has_tickets(state))
    if n == 0:
        return PASS, 0
    number = random_number(memory, n)
    if number < can_draw_unseen:
        return DRAW_CARD, 0
    if number < n_draws:
        return make_code(DRAW_FACE_UP, _nth_bit(takeable, number - can_draw_unseen)), 0
    if number - n_draws < n_claims:
        return _nth_claim(state, tables, lore, seat, memory, number - n_draws)
    return DRAW_TICKETS, 0


@compiled
def _nth_bit(bits: int, number: int) -> int:
    """Return the position of one of the bits that are set, counted from the lowest."""
    at = 0
    while number > 0 or not bits >> at & 1:
        number -= bits >> at & 1
        at += 1
    return at


@compiled
def _count_claims(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints) -> int:
    """Return the number of claims: of pairs of a route and a form."""
    _look_at_board(state, tables, lore, seat, memory)
    hand = state.hand[seat]
    n_cards, locomotives = state.n_hand[seat], hand[LOCOMOTIVE_INDEX]
    n_shapes, longest = lore[_N_SHAPES], lore[_LONGEST]
    # Of the shapes with sets, those for which the hand is large enough.
    n_free = lore[_N_WITHOUT_SETS]
    while n_free < n_shapes and lore[_ENOUGH + n_free] <= n_cards:
        n_free += 1
    if n_free != memory[_N_FREE]:
        memory[_N_FREE] = n_free
        _forget_totals(memory)
    total = 0
    for kind in range(N_KINDS):
        own = longest + 1 if kind == _NO_COLOR else min(hand[kind], longest)
        row = _forms_row(lore, own, min(locomotives, longest))
        if row != memory[_ROW + kind]:
            memory[_ROW + kind] = row
            memory[_FREE_TOTAL + kind] = _count_free(lore, memory, kind, row, n_free)
        n = memory[_FREE_TOTAL + kind]
        for s in range(n_free, n_shapes):
            n_open = memory[_N_OPEN + kind * n_shapes + s]
            if n_open > 0 and own > 0:
                n += _n_forms(lore, kind, s, hand[kind], locomotives, n_cards) * n_open
        memory[_KIND_TOTAL + kind] = n
        total += n
    return total


@compiled
def _count_free(lore: Ints, memory: Ints, kind: int, row: int, n_free: int) -> int:
    """Return the number of claims in one color, or without one, of the shapes for which the hand is large enough."""
    n_open = _N_OPEN + kind * lore[_N_SHAPES]
    n = 0
    for s in range(n_free):
        n += lore[row + s] * memory[n_open + s]
    return n


@compiled
def _forget_totals(memory: Ints) -> None:
    for kind in range(N_KINDS):
        memory[_ROW + kind] = 0


@compiled
def _n_forms(lore: Ints, kind: int, s: int, own: int, locomotives: int, n_cards: int) -> int:
    """Return the number of forms for a shape in one color, or without one."""
    if n_cards >= lore[_ENOUGH + s]:
        longest = lore[_LONGEST]
        column = longest + 1 if kind == _NO_COLOR else min(own, longest)
        return int(lore[_forms_row(lore, column, min(locomotives, longest)) + s])
    at = _FACTS + s * _N_FACTS
    plain, symbols, jokers, swap_size, swap_any = lore[at], lore[at + 1], lore[at + 2], lore[at + 3], lore[at + 4]
    if kind == _NO_COLOR:
        return count_without_color(locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
    return count_in_color(own, locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)


@compiled
def _look_at_board(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints) -> None:
    """Count what is open to the seat: only money ever opens a route again, if loans are limited."""
    if not memory[_READY] or (tables.loan_limit > 0 and tables.tokens_each > 0):
        _open_all(lore, memory)
        for route in range(tables.n_routes):
            _close_if_at_fault(state, tables, lore, seat, memory, route)
    for i in range(memory[_N_SEEN], state.n_claims):
        route = state.claimed[i]
        _close_if_at_fault(state, tables, lore, seat, memory, route)
        if tables.twin[route] >= 0:
            _close_if_at_fault(state, tables, lore, seat, memory, tables.twin[route])
    memory[_N_SEEN] = state.n_claims
    if state.trains[seat] < memory[_TRAINS_SEEN]:
        _close_long(state, tables, lore, seat, memory)


@compiled
def _open_all(lore: Ints, memory: Ints) -> None:
    memory[_READY] = 1
    memory[_TRAINS_SEEN] = lore[_LONGEST]
    _forget_totals(memory)
    for route in range(lore[_START + lore[_N_SHAPES]]):
        memory[_CLOSED + route] = 0
    for cell in range(N_KINDS * lore[_N_SHAPES]):
        memory[_N_OPEN + cell] = lore[_ALL_OPEN + cell]


@compiled
def _close_long(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints) -> None:
    """Close the routes for which the trains were enough so far."""
    for s in range(lore[_N_SHAPES]):
        at = _FACTS + s * _N_FACTS
        if state.trains[seat] < lore[at] + lore[at + 1] <= memory[_TRAINS_SEEN]:
            for i in range(lore[_START + s], lore[_START + s + 1]):
                _close_if_at_fault(state, tables, lore, seat, memory, lore[_MEMBERS + i])
    memory[_TRAINS_SEEN] = state.trains[seat]


@compiled
def _close_if_at_fault(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints, route: int) -> None:
    if memory[_CLOSED + route] or route_fault(state, tables, seat, route) == NONE:
        return
    memory[_CLOSED + route] = 1
    color, s = tables.color[route], lore[_SHAPE_OF + route]
    _close_in(lore, memory, _NO_COLOR, s)
    if color != GRAY_INDEX:
        _close_in(lore, memory, color, s)
        return
    for kind in range(N_COLORS):
        _close_in(lore, memory, kind, s)


@compiled
def _close_in(lore: Ints, memory: Ints, kind: int, s: int) -> None:
    """Count one open route less of a shape in one color, or without one."""
    memory[_N_OPEN + kind * lore[_N_SHAPES] + s] -= 1
    if s < memory[_N_FREE] and memory[_ROW + kind] > 0:
        memory[_FREE_TOTAL + kind] -= lore[memory[_ROW + kind] + s]


@compiled
def _nth_claim(state: State, tables: Tables, lore: Ints, seat: int, memory: Ints, number: int) -> tuple[int, int]:
    """Return one of the claims that were counted: its code and value."""
    kind = 0
    while number >= memory[_KIND_TOTAL + kind]:
        number -= memory[_KIND_TOTAL + kind]
        kind += 1
    n_cards = state.n_hand[seat]
    own, locomotives = state.hand[seat, kind], state.hand[seat, LOCOMOTIVE_INDEX]
    n_open = _N_OPEN + kind * lore[_N_SHAPES]
    s = 0
    n_forms = 0
    while True:
        if memory[n_open + s] > 0:
            n_forms = _n_forms(lore, kind, s, own, locomotives, n_cards)
            if number < n_forms * memory[n_open + s]:
                break
            number -= n_forms * memory[n_open + s]
        s += 1
    route = _nth_open(tables, lore, memory, kind, s, number // n_forms)
    return make_code(CLAIM_ROUTE, route), _lay(state, lore, seat, kind, s, number % n_forms, memory)


@compiled
def _nth_open(tables: Tables, lore: Ints, memory: Ints, kind: int, s: int, number: int) -> int:
    """Return one of the open routes of a shape that may be paid for in a color, or without one."""
    at = lore[_START + s]
    while True:
        route = lore[_MEMBERS + at]
        if not memory[_CLOSED + route] and (kind == _NO_COLOR or tables.color[route] in (kind, GRAY_INDEX)):
            if number == 0:
                return int(route)
            number -= 1
        at += 1


@compiled
def _lay(state: State, lore: Ints, seat: int, kind: int, s: int, number: int, memory: Ints) -> int:
    """Return the packed cards of a form of payment, those of its sets drawn from the rest of the hand."""
    hand = state.hand[seat]
    n_cards, held = state.n_hand[seat], hand[LOCOMOTIVE_INDEX]
    at = _FACTS + s * _N_FACTS
    plain, symbols, jokers, swap_size, swap_any = lore[at], lore[at + 1], lore[at + 2], lore[at + 3], lore[at + 4]
    own = 0
    if kind == _NO_COLOR:
        locomotives = find_without_color(held, n_cards, plain, symbols, jokers, swap_size, swap_any, number)
    else:
        own, locomotives = find_in_color(hand[kind], held, n_cards, plain, symbols, jokers, swap_size, swap_any, number)
    n_set_cards = swap_size * (plain + symbols - own - locomotives)
    if n_set_cards == 0:
        return pack_single(kind, own, locomotives)
    return _add_random_cards(hand, kind, own, locomotives, n_set_cards, memory)


@compiled
def _add_random_cards(hand: Ints, kind: int, own: int, locomotives: int, n_set_cards: int, memory: Ints) -> int:
    """Return the packed cards of a payment with sets, whose cards are drawn from the rest of the hand."""
    cards = memory[_CARDS : _CARDS + N_KINDS]
    left = memory[_CARDS + N_KINDS : _CARDS + 2 * N_KINDS]
    n_left = 0
    for k in range(N_KINDS):
        cards[k] = (own if k == kind else 0) + (locomotives if k == LOCOMOTIVE_INDEX else 0)
        left[k] = hand[k] - cards[k]
        n_left += left[k]
    for i in range(n_set_cards):
        chosen = random_number(memory, n_left - i)
        k = 0
        while chosen >= left[k]:
            chosen -= left[k]
            k += 1
        left[k] -= 1
        cards[k] += 1
    return pack_cards(cards)
