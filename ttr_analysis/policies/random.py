"""
The policy that plays at random.

A claim is chosen uniformly from all pairs of route and form of payment, beside
the other legal actions; then the cards of its sets, each card left in hand
being equally likely.

Claims are counted without a look at each route: routes that cost alike, but
for their color, are of one *shape*. Beforehand it is listed, for every hand
there can be, in how many forms it pays for each shape in one color (or without
one); the hand counts by its cards of the color, its locomotives and its size,
which limits sets. In a game the open routes of each shape and color are
counted as they are taken, and the claims are the sum of products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import Record, block, cell, compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine.actions.pay_tunnel import n_surcharges, surcharge_cards
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
    make_action,
    pack_cards,
    pack_single,
)
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import route_fault
from ttr_analysis.engine.kernel.faults import NONE
from ttr_analysis.engine.kernel.tickets import count_bits, fewest_kept, has_tickets
from ttr_analysis.engine.layout import NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.engine.protocol import Chooser
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import neutral_track, random_number
from ttr_analysis.rules.chance import KEY_SIZE, below
from ttr_analysis.rules.forms import count_in_color, count_without_color, find_in_color, find_without_color
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces
from ttr_analysis.tables import MAX_ROUTES, Tables, game_tables, spaces_at, spaces_of

_NO_COLOR: Final = LOCOMOTIVE_INDEX
"""The kind of a form that uses no color cards singly."""


class RandomLore(Record):
    """What a player at random knows of a map. The forms follow: where the list of each hand begins, and the lists."""

    n_shapes = cell()
    longest = cell()
    """Length of the longest route: more cards of one kind make no further forms."""
    largest = cell()
    """The largest hand whose number of cards matters; 0 if there are no sets."""
    shape = block(MAX_ROUTES)
    """The shape of each route."""
    start = block(MAX_ROUTES + 1)
    """Where the routes of each shape begin in `member`, and one more cell for the end."""
    member = block(MAX_ROUTES)


class RandomMemory(Record):
    """What a player at random remembers of a game: the routes that are open to it."""

    stream = block(KEY_SIZE)
    """The seat's stream of chance."""
    is_awake = cell()
    """0 before the first look at a game."""
    n_seen = cell()
    """Claims taken into account."""
    trains_seen = cell()
    """Trains left at the last look at all routes, at most as many as the longest one wants."""
    is_open = block(MAX_ROUTES)
    """1 for each route that is open to the seat."""
    n_open = block(MAX_ROUTES, N_KINDS)
    """Open routes of each shape that may be paid for in each color, and without one."""
    payable = block(N_KINDS)
    """Where the list of shapes begins that the hand pays for in each color, and without one."""
    n_claims = block(N_KINDS)
    """Claims in each color, and without one."""
    cards = block(N_KINDS)
    """Room to lay cards down."""
    left = block(N_KINDS)
    """Room for the rest of the hand."""


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
    memory_size: ClassVar[int] = RandomMemory.n_cells

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
    members: dict[Spaces, list[int]] = {}
    for number, route in enumerate(game_map.routes):
        members.setdefault(spaces_of(route), []).append(number)
    shapes = sorted(members, key=lambda shape: (_cards_of_sets(shape), shape))
    lore = RandomLore()
    lore.n_shapes = len(shapes)
    lore.longest = max(route.length for route in game_map.routes)
    lore.largest = min(max(_cards_of_sets(shape) for shape in shapes), tables.deck.sum())
    at = 0
    for s, shape in enumerate(shapes):
        for number in members[shape]:
            lore.shape[number] = s
            lore.member[at] = number
            at += 1
        lore.start[s + 1] = at
    return np.concatenate([lore.cells, _list_forms(lore, tables)])


def _list_forms(lore: RandomLore, tables: Tables) -> Ints:
    """
    Return the shapes that hands pay for.

    First where the list of each hand begins: see `_place_of`. Then the lists:
    how many shapes, and for each its number and in how many forms. Most hands
    share theirs with others.
    """
    table = np.zeros((_place_of(lore, lore.largest + 1, 0, 0), lore.n_shapes), dtype=np.int64)
    _count_forms(lore, tables, table)
    begins, lists = np.zeros(len(table), dtype=np.int64), dict[tuple[int, ...], int]()
    end = len(table)
    for place, row in enumerate(table.tolist()):
        payable = [(s, n) for s, n in enumerate(row) if n > 0]
        listed = (len(payable), *chain.from_iterable(payable))
        if listed not in lists:
            lists[listed] = end
            end += len(listed)
        begins[place] = lists[listed]
    return np.concatenate([begins, *map(np.array, lists)])


def _cards_of_sets(shape: Spaces) -> int:
    """Return the number of cards from which on their number limits no set; 0 if there are no sets."""
    return (shape.plain + shape.symbols) * shape.swap_size


@compiled
def _place_of(lore: RandomLore, n_cards: int, locomotives: int, own: int) -> int:
    """Return the place of a hand; that without a color has one card more than the longest route wants."""
    return (n_cards * (lore.longest + 1) + locomotives) * (lore.longest + 2) + own


@compiled
def _count_forms(lore: RandomLore, tables: Tables, table: Ints) -> None:
    """Fill in the numbers of forms, a row for each place of a hand and a column for each shape."""
    longest = lore.longest
    for s in range(lore.n_shapes):
        spaces = spaces_at(tables, lore.member[lore.start[s]])
        for n in range(lore.largest + 1):
            for locomotives in range(longest + 1):
                place = _place_of(lore, n, locomotives, longest + 1)
                table[place, s] = count_without_color(spaces, locomotives, n)
                for own in range(1, longest + 1):
                    place = _place_of(lore, n, locomotives, own)
                    table[place, s] = count_in_color(spaces, own, locomotives, n)


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
        return make_action(CHOOSE_NEUTRAL, neutral_track(state, tables, random_number(memory, n))), 0
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
    known, remembered = RandomLore(lore[: RandomLore.n_cells]), RandomMemory(memory[: RandomMemory.n_cells])
    forms = lore[RandomLore.n_cells :]
    n_claims = _count_claims(state, tables, known, forms, seat, remembered) if is_turn else 0
    n = n_draws + n_claims + int(is_turn and has_tickets(state))
    if n == 0:
        return PASS, 0
    number = random_number(memory, n)
    if number < can_draw_unseen:
        return DRAW_CARD, 0
    if number < n_draws:
        return make_action(DRAW_FACE_UP, _nth_bit(takeable, number - can_draw_unseen)), 0
    if number - n_draws < n_claims:
        return _nth_claim(state, tables, known, forms, seat, remembered, number - n_draws)
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
def _count_claims(state: State, tables: Tables, lore: RandomLore, forms: Ints, seat: int, memory: RandomMemory) -> int:
    """Return the number of claims: of pairs of a route and a form."""
    _look_at_board(state, tables, lore, seat, memory)
    longest, hand = lore.longest, state.hand[seat]
    place = _place_of(lore, min(state.n_hand[seat], lore.largest), min(hand[LOCOMOTIVE_INDEX], longest), 0)
    total = 0
    for kind in range(N_KINDS):
        at = forms[place + (longest + 1 if kind == _NO_COLOR else min(hand[kind], longest))]
        memory.payable[kind] = at
        n = 0
        for i in range(at + 1, at + 1 + 2 * forms[at], 2):
            n += forms[i + 1] * memory.n_open[forms[i], kind]
        memory.n_claims[kind] = n
        total += n
    return total


@compiled
def _look_at_board(state: State, tables: Tables, lore: RandomLore, seat: int, memory: RandomMemory) -> None:
    """
    Bring what is open to the seat up to date.

    Few claims since the last look close few routes. Too few trains close more,
    and money may open some again if loans are limited: then all are looked at.
    """
    trains = min(state.trains[seat], lore.longest)
    if not memory.is_awake or trains != memory.trains_seen or (tables.loan_limit > 0 and tables.tokens_each > 0):
        memory.is_awake = 1
        memory.trains_seen = trains
        _look_at_all(state, tables, lore, seat, memory)
    for i in range(memory.n_seen, state.n_claims):
        route = state.claimed[i]
        _close(tables, lore, memory, route)
        twin = tables.twin[route]
        if twin >= 0 and route_fault(state, tables, seat, twin) != NONE:
            _close(tables, lore, memory, twin)
    memory.n_seen = state.n_claims


@compiled
def _look_at_all(state: State, tables: Tables, lore: RandomLore, seat: int, memory: RandomMemory) -> None:
    """Count all open routes."""
    memory.n_open[: lore.n_shapes].fill(0)
    for route in range(tables.n_routes):
        memory.is_open[route] = route_fault(state, tables, seat, route) == NONE
        if memory.is_open[route]:
            _count(tables, lore, memory, route, 1)
    memory.n_seen = state.n_claims


@compiled
def _close(tables: Tables, lore: RandomLore, memory: RandomMemory, route: int) -> None:
    """Count a route no more."""
    if memory.is_open[route]:
        memory.is_open[route] = 0
        _count(tables, lore, memory, route, -1)


@compiled
def _count(tables: Tables, lore: RandomLore, memory: RandomMemory, route: int, change: int) -> None:
    """Count one open route more, or less, in each color that may pay for it, and without one."""
    n_open, color = memory.n_open[lore.shape[route]], tables.color[route]
    n_open[_NO_COLOR] += change
    if color != GRAY_INDEX:
        n_open[color] += change
        return
    for kind in range(N_COLORS):
        n_open[kind] += change


@compiled
def _pays(tables: Tables, kind: int, route: int) -> bool:
    """Return whether a color, or no color, may pay for a route."""
    color = tables.color[route]
    return color in (kind, GRAY_INDEX) or kind == _NO_COLOR


@compiled
def _nth_claim(
    state: State, tables: Tables, lore: RandomLore, forms: Ints, seat: int, memory: RandomMemory, number: int
) -> tuple[int, int]:
    """Return one of the claims that were counted: its code and value."""
    kind = 0
    while number >= memory.n_claims[kind]:
        number -= memory.n_claims[kind]
        kind += 1
    at = memory.payable[kind] + 1
    n = forms[at + 1] * memory.n_open[forms[at], kind]
    while number >= n:
        number -= n
        at += 2
        n = forms[at + 1] * memory.n_open[forms[at], kind]
    route = _nth_open(tables, lore, memory, kind, forms[at], number // forms[at + 1])
    return make_action(CLAIM_ROUTE, route), _lay(state, tables, seat, kind, route, number % forms[at + 1], memory)


@compiled
def _nth_open(tables: Tables, lore: RandomLore, memory: RandomMemory, kind: int, s: int, number: int) -> int:
    """Return one of the open routes of a shape that may be paid for in a color, or without one."""
    at = lore.start[s]
    while True:
        route = lore.member[at]
        if memory.is_open[route] and _pays(tables, kind, route):
            if number == 0:
                return int(route)
            number -= 1
        at += 1


@compiled
def _lay(state: State, tables: Tables, seat: int, kind: int, route: int, number: int, memory: RandomMemory) -> int:
    """Return the packed cards of a form of payment, those of its sets drawn from the rest of the hand."""
    hand = state.hand[seat]
    n_cards, held = state.n_hand[seat], hand[LOCOMOTIVE_INDEX]
    spaces = spaces_at(tables, route)
    own = 0
    if kind == _NO_COLOR:
        locomotives = find_without_color(spaces, held, n_cards, number)
    else:
        own, locomotives = find_in_color(spaces, hand[kind], held, n_cards, number)
    n_set_cards = spaces.swap_size * (tables.length[route] - own - locomotives)
    if n_set_cards == 0:
        return pack_single(kind, own, locomotives)
    return _add_random_cards(hand, kind, own, locomotives, n_set_cards, memory)


@compiled
def _add_random_cards(hand: Ints, kind: int, own: int, locomotives: int, n_set_cards: int, memory: RandomMemory) -> int:
    """Return the packed cards of a payment with sets, whose cards are drawn from the rest of the hand."""
    cards, left = memory.cards, memory.left
    n_left = 0
    for k in range(N_KINDS):
        cards[k] = (own if k == kind else 0) + (locomotives if k == LOCOMOTIVE_INDEX else 0)
        left[k] = hand[k] - cards[k]
        n_left += left[k]
    for i in range(n_set_cards):
        chosen = below(memory.stream, n_left - i)
        k = 0
        while chosen >= left[k]:
            chosen -= left[k]
            k += 1
        left[k] -= 1
        cards[k] += 1
    return pack_cards(cards)
