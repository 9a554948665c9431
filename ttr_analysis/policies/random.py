"""
The policy that plays at random.

A claim is chosen uniformly from all pairs of route and form of payment, beside
the other legal actions; then the cards of its sets, each card left in hand
being equally likely. Routes that cost alike form a *class*: the forms of a
class are counted once, and its open routes are counted as claims are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._jit import inlined, lean
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
)
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.legal import count_bits, fewest_kept
from ttr_analysis.engine.kernel.listing import lay_form, n_surcharges, surcharge_cards
from ttr_analysis.engine.kernel.tickets import has_tickets
from ttr_analysis.engine.layout import (
    CLAIMED,
    HAND,
    LOANS,
    N_CLAIMS,
    N_HAND,
    N_OFFER,
    NEUTRAL,
    OWNER,
    PHASE,
    SECOND_DRAW,
    TOKENS,
    TRAINS,
    TUNNEL_PHASE,
    TURN,
)
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import MEMORY_START, Floats, Ints, neutral_track, random_number
from ttr_analysis.rules.forms import count_in_color, count_locomotives, count_singles, count_without_color
from ttr_analysis.rules.money import can_settle
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.tables.games import (
    BOTH_OPEN,
    COLOR,
    JOKERS,
    LENGTH,
    LOAN_LIMIT,
    MARKET_SIZE,
    MAX_ROUTES,
    MAX_SEATS,
    N_ROUTES,
    PLAIN,
    SWAP_ANY,
    SWAP_SIZE,
    SYMBOLS,
    TOKENS_EACH,
    TOLL,
    TWIN,
    game_tables,
)

# -- lore: the classes of the routes of a map ----------------------------------

_N_CLASSES: Final = 0
_LONGEST: Final = 1
"""Length of the longest route."""
_CLASS_OF: Final = 2
_START: Final = _CLASS_OF + MAX_ROUTES
"""Where the routes of each class begin in the next one, and one more cell for the end."""
_MEMBERS: Final = _START + MAX_ROUTES + 1
_GROUP_START: Final = _MEMBERS + MAX_ROUTES
"""Where the classes without sets begin, color by color and gray, and then those with sets."""
_WITH_SETS: Final = GRAY_INDEX + 1
_FACTS: Final = _GROUP_START + _WITH_SETS + 1
"""For each class `_N_FACTS` cells: what its routes cost."""
_N_FACTS: Final = 8
_LORE_SIZE: Final = _FACTS + _N_FACTS * MAX_ROUTES

_COLOR: Final = 0
_LENGTH: Final = 1
_PLAIN: Final = 2
_SYMBOLS: Final = 3
_JOKERS: Final = 4
_SWAP_SIZE: Final = 5
_SWAP_ANY: Final = 6
_TOLL: Final = 7
"""Tolls are told apart only where loans are limited."""
_FACT_CELLS: Final = (COLOR, LENGTH, PLAIN, SYMBOLS, JOKERS, SWAP_SIZE, SWAP_ANY)

# -- memory: what is open to the seat -----------------------------------------

_READY: Final = MEMORY_START
_N_SEEN: Final = _READY + 1
"""Claims taken into account."""
_SEEN_HAND: Final = _N_SEEN + 1
"""The hand for which the forms were counted."""
_SEEN_CARDS: Final = _SEEN_HAND + N_KINDS
_TOTAL: Final = _SEEN_CARDS + 1
"""Forms of all classes, each as often as it has open routes."""
_CARDS: Final = _TOTAL + 1
"""Nine cells to lay cards down, and nine for the rest of the hand."""
_N_OPEN: Final = _CARDS + 2 * N_KINDS
"""Open routes of each class."""
_FORMS: Final = _N_OPEN + MAX_ROUTES
"""Forms in which the hand pays for a route of each class."""
_CLOSED: Final = _FORMS + MAX_ROUTES
"""1 for each route that is not open to the seat."""
_KIND_FORMS: Final = _CLOSED + MAX_ROUTES
"""Forms of each class in each color, and without one."""
MEMORY_SIZE: Final = _KIND_FORMS + N_KINDS * MAX_ROUTES


_ALL_KINDS: Final = (1 << N_KINDS) - 1


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
    code: ClassVar[int] = 0
    memory_size: ClassVar[int] = MEMORY_SIZE

    @property
    def params(self) -> Floats:
        """Nothing can be set."""
        return np.zeros(1)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the classes of the routes of a map."""
        return random_lore(game_map)

    def decide(self, state: Ints, tables: Ints, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
        """Return the action chosen: see `choose_at_random`."""
        return choose_at_random(state, tables, lore, seat, params, memory)


@lru_cache(maxsize=32)
def random_lore(game_map: GameMap) -> Ints:
    """Return the classes of the routes of a map: of one class are routes that cost the same."""
    tables = game_tables(game_map, game_map.rules.players[0])
    has_few_loans = game_map.rules.money.loan.limit > 0
    members: dict[tuple[int, ...], list[int]] = {}
    for route in range(len(game_map.routes)):
        facts = [int(tables[cell + route]) for cell in _FACT_CELLS]
        members.setdefault((*facts, int(tables[TOLL + route]) * has_few_loans), []).append(route)
    lore = np.zeros(_LORE_SIZE, dtype=np.int64)
    lore[_N_CLASSES] = len(members)
    lore[_LONGEST] = max(route.length for route in game_map.routes)
    classes = sorted(members, key=lambda facts: (facts[_SWAP_SIZE] > 0, facts))
    at = 0
    for c, facts_of_class in enumerate(classes):
        lore[_START + c] = at
        lore[_FACTS + c * _N_FACTS : _FACTS + (c + 1) * _N_FACTS] = facts_of_class
        for route in members[facts_of_class]:
            lore[_CLASS_OF + route] = c
            lore[_MEMBERS + at] = route
            at += 1
    lore[_START + len(members)] = at
    groups = [_WITH_SETS if facts[_SWAP_SIZE] else facts[_COLOR] for facts in classes]
    for group in range(_WITH_SETS + 1):
        lore[_GROUP_START + group] = sum(other < group for other in groups)
    return lore


@lean
def choose_at_random(
    state: Ints,
    tables: Ints,
    lore: Ints,
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,
) -> tuple[int, int]:
    """Return a random legal action of the seat that acts: its code and value."""
    phase = state[PHASE]
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
        kept = random_number(memory, 1 << state[N_OFFER + seat])
        if count_bits(kept) >= fewest:
            return KEEP_TICKETS, kept


@lean
def _choose_turn(state: Ints, tables: Ints, lore: Ints, seat: int, memory: Ints, is_turn: bool) -> tuple[int, int]:
    can_draw_unseen = int(has_cards(state))
    n_draws = can_draw_unseen
    takeable = 0
    for slot in range(tables[MARKET_SIZE]):
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


@lean
def _nth_bit(bits: int, number: int) -> int:
    """Return the position of one of the bits that are set, counted from the lowest."""
    at = 0
    while number > 0 or not bits >> at & 1:
        number -= bits >> at & 1
        at += 1
    return at


@lean
def _count_claims(state: Ints, tables: Ints, lore: Ints, seat: int, memory: Ints) -> int:
    """Return the number of claims."""
    _look_at_board(state, tables, lore, seat, memory)
    _count_forms(state, lore, seat, memory)
    if state[TRAINS + seat] >= lore[_LONGEST] and (tables[LOAN_LIMIT] == 0 or tables[TOKENS_EACH] == 0):
        return int(memory[_TOTAL])
    total = 0
    for c in range(lore[_N_CLASSES]):
        total += _n_claims(state, tables, lore, seat, memory, c)
    return total


@lean
def _n_claims(state: Ints, tables: Ints, lore: Ints, seat: int, memory: Ints, c: int) -> int:
    """Return the number of claims in a class."""
    n = memory[_FORMS + c] * memory[_N_OPEN + c]
    at = _FACTS + c * _N_FACTS
    if n == 0 or lore[at + _LENGTH] > state[TRAINS + seat]:
        return 0
    if tables[LOAN_LIMIT] > 0 and tables[TOKENS_EACH] > 0 and not _can_settle(state, tables, seat, lore[at + _TOLL]):
        return 0
    return int(n)


@lean
def _can_settle(state: Ints, tables: Ints, seat: int, toll: int) -> bool:
    tokens, loans = state[TOKENS : TOKENS + MAX_SEATS], state[LOANS : LOANS + MAX_SEATS]
    return can_settle(tokens, loans, seat, toll, tables[LOAN_LIMIT])


@lean
def _count_forms(state: Ints, lore: Ints, seat: int, memory: Ints) -> None:
    """Count the forms of the classes that the changes of the hand since the last time bear on."""
    hand = HAND + seat * N_KINDS
    n_cards = state[N_HAND + seat]
    locomotives = state[hand + LOCOMOTIVE_INDEX]
    is_all_new = locomotives != memory[_SEEN_HAND + LOCOMOTIVE_INDEX]
    changed = 0
    for kind in range(N_KINDS):
        if is_all_new or state[hand + kind] != memory[_SEEN_HAND + kind]:
            changed |= 1 << kind
            memory[_SEEN_HAND + kind] = state[hand + kind]
    for color in range(N_COLORS):
        if changed >> color & 1:
            own = state[hand + color]
            _count_without_sets(lore, memory, color, color, own, locomotives)
            _count_without_sets(lore, memory, GRAY_INDEX, color, own, locomotives)
    if is_all_new:
        _count_without_sets(lore, memory, GRAY_INDEX, LOCOMOTIVE_INDEX, 0, locomotives)
        for color in range(N_COLORS):
            _count_without_sets(lore, memory, color, LOCOMOTIVE_INDEX, 0, locomotives)
    for c in range(lore[_GROUP_START + _WITH_SETS], lore[_N_CLASSES]):
        if memory[_N_OPEN + c] > 0:
            _count_with_sets(state[hand : hand + N_KINDS], n_cards, lore, memory, c, changed)
    memory[_SEEN_CARDS] = n_cards


@inlined
def _count_without_sets(lore: Ints, memory: Ints, group: int, kind: int, own: int, locomotives: int) -> None:
    """Count anew the forms with one kind of card, of all classes of a group."""
    for c in range(lore[_GROUP_START + group], lore[_GROUP_START + group + 1]):
        at = _FACTS + c * _N_FACTS
        plain, symbols, jokers = lore[at + _PLAIN], lore[at + _SYMBOLS], lore[at + _JOKERS]
        if kind == LOCOMOTIVE_INDEX:
            n = count_locomotives(locomotives, plain, symbols, jokers)
        else:
            n = count_singles(own, locomotives, plain, symbols, jokers)
        _set_forms(memory, c, kind, n)


@lean
def _count_with_sets(hand: Ints, n_cards: int, lore: Ints, memory: Ints, c: int, changed: int) -> None:
    """Count anew the forms of a class with sets; the number of cards matters only as far as it bounds the sets."""
    at = _FACTS + c * _N_FACTS
    color, swap_size, swap_any = lore[at + _COLOR], lore[at + _SWAP_SIZE], lore[at + _SWAP_ANY]
    plain, symbols, jokers = lore[at + _PLAIN], lore[at + _SYMBOLS], lore[at + _JOKERS]
    most = (plain + symbols) * swap_size
    if min(n_cards, most) != min(memory[_SEEN_CARDS], most):
        changed = _ALL_KINDS
    locomotives = hand[LOCOMOTIVE_INDEX]
    for kind in range(N_KINDS):
        if not changed >> kind & 1 or (kind < N_COLORS and color not in (kind, GRAY_INDEX)):
            continue
        if kind == LOCOMOTIVE_INDEX:
            n = count_without_color(locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
        elif hand[kind] == 0:
            n = 0
        else:
            n = count_in_color(hand[kind], locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
        _set_forms(memory, c, kind, n)


@inlined
def _set_forms(memory: Ints, c: int, kind: int, n: int) -> None:
    """Note the forms of a class with one kind of card."""
    cell = _KIND_FORMS + c * N_KINDS + kind
    more = n - memory[cell]
    memory[cell] = n
    memory[_FORMS + c] += more
    memory[_TOTAL] += more * memory[_N_OPEN + c]


@lean
def _look_at_board(state: Ints, tables: Ints, lore: Ints, seat: int, memory: Ints) -> None:
    """Take the claims into account that were made since the last time."""
    if not memory[_READY]:
        memory[_READY] = 1
        for route in range(tables[N_ROUTES]):
            memory[_N_OPEN + lore[_CLASS_OF + route]] += 1
    for i in range(memory[_N_SEEN], state[N_CLAIMS]):
        route = state[CLAIMED + i]
        _close(lore, memory, route)
        twin = tables[TWIN + route]
        if twin >= 0 and (state[OWNER + route] == seat or not tables[BOTH_OPEN]):
            _close(lore, memory, twin)
    memory[_N_SEEN] = state[N_CLAIMS]


@lean
def _close(lore: Ints, memory: Ints, route: int) -> None:
    if not memory[_CLOSED + route]:
        memory[_CLOSED + route] = 1
        memory[_N_OPEN + lore[_CLASS_OF + route]] -= 1
        memory[_TOTAL] -= memory[_FORMS + lore[_CLASS_OF + route]]


@lean
def _nth_claim(state: Ints, tables: Ints, lore: Ints, seat: int, memory: Ints, number: int) -> tuple[int, int]:
    c = 0
    n = _n_claims(state, tables, lore, seat, memory, c)
    while number >= n:
        number -= n
        c += 1
        n = _n_claims(state, tables, lore, seat, memory, c)
    skip = number // memory[_FORMS + c]
    at = lore[_START + c]
    while skip > 0 or memory[_CLOSED + lore[_MEMBERS + at]]:
        skip -= 1 - memory[_CLOSED + lore[_MEMBERS + at]]
        at += 1
    route = lore[_MEMBERS + at]
    return make_code(CLAIM_ROUTE, route), _lay(state, tables, seat, route, number % memory[_FORMS + c], memory)


@lean
def _lay(state: Ints, tables: Ints, seat: int, route: int, number: int, memory: Ints) -> int:
    """Return the packed cards of a form of payment, those of its sets drawn from the rest of the hand."""
    cards = memory[_CARDS : _CARDS + N_KINDS]
    left = memory[_CARDS + N_KINDS : _CARDS + 2 * N_KINDS]
    for kind in range(N_KINDS):
        cards[kind] = 0
    n_set_cards = lay_form(state, tables, seat, route, number, cards, left)
    n_left = 0
    for kind in range(N_KINDS):
        n_left += left[kind]
    for i in range(n_set_cards):
        chosen = random_number(memory, n_left - i)
        kind = 0
        while chosen >= left[kind]:
            chosen -= left[kind]
            kind += 1
        left[kind] -= 1
        cards[kind] += 1
    return pack_cards(cards)
