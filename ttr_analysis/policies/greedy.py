"""Greedy: always claims the longest route that it can pay for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.building import can_pay_surcharge, surcharge_cards
from ttr_analysis.engine.codes import make_action, pack_cards
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import n_station_forms, route_fault, station_cards
from ttr_analysis.engine.kernel.turns import fewest_kept, has_tickets, may_choose
from ttr_analysis.engine.layout import NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import OneFunction
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.payment import GRAY_INDEX, can_pay, can_pay_with, fewest_locomotives, lay_cards, sets_needed
from ttr_analysis.tables import Tables, spaces_at


@lru_cache(maxsize=32)
def greedy_lore(game_map: GameMap) -> Ints:
    """Return the routes of a map, longest first; ties in map order."""
    lengths = np.array([route.length for route in game_map.routes])
    return np.argsort(-lengths, kind="stable").astype(np.int64)


@quickly_compiled
def choose_greedily(
    state: State,
    tables: Tables,
    lore: Ints,
    seat: int,
    params: Floats,  # noqa: ARG001
    memory: Ints,  # noqa: ARG001
) -> tuple[int, int]:
    """Return the code and value of Greedy's action."""
    phase = state.phase
    if phase == TURN:
        for i in range(tables.n_routes):
            route = lore[i]
            if can_claim(state, tables, seat, route):
                return make_action(codes.CLAIM_ROUTE, route), cheapest_cards(state, tables, seat, route)
    if phase in (TURN, SECOND_DRAW):
        code = _draw(state, tables, seat)
        return station_or_pass(state, tables, seat) if code == codes.PASS else (code, 0)
    if phase == TUNNEL_PHASE:
        if can_pay_surcharge(state, tables):
            return codes.PAY_TUNNEL, surcharge_cards(state, seat, 0)
        return codes.DECLINE_TUNNEL, 0
    if phase == NEUTRAL:
        return make_action(codes.CHOOSE_NEUTRAL, neutral_track(state, tables, 0)), 0
    return codes.KEEP_TICKETS, _lowest_penalties(state, tables, seat)


@dataclass(frozen=True, slots=True)
class Greedy(OneFunction):
    """
    A player that claims the longest route it can pay for.

    - It keeps as few tickets as allowed: those with the lowest penalties, then those
      dealt first.
    - It claims the longest route that it can pay for (ties: the first on the map), with
      the fewest cards, then the fewest locomotives, then in the color it holds most of
      (ties: the first color). Sets use the cards it has most of, locomotives last.
    - Otherwise it takes the face-up card of the kind it holds most of (ties: the first
      slot), if it holds any; else a card from the pile; else the card in the last slot.
      It takes a face-up locomotive that costs two draws only if there is no other card.
    - It draws tickets only if it can neither claim nor draw cards; without any, it builds
      a station. It pays every surcharge it can, with as few locomotives as possible, and
      gives the neutral player the first of two tracks.

    Examples
    --------
    >>> Greedy()
    Greedy()
    """

    name = "Greedy"
    memory_size = KEY_SIZE
    chooser = staticmethod(choose_greedily)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:  # noqa: ARG002
        """Return the routes of a map, longest first."""
        return greedy_lore(game_map)


@compiled
def can_claim(state: State, tables: Tables, seat: int, route: int) -> bool:
    """Return whether a route is open to a seat, and the seat can pay for it."""
    if tables.length[route] > state.n_hand[seat] or route_fault(state, tables, seat, route) != codes.NONE:
        return False
    return can_pay(state.hand[seat], tables.color[route], spaces_at(tables, route))


@compiled
def cheapest_cards(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the packed payment with the fewest cards, then fewest locomotives, then in the color held most."""
    hand = state.hand[seat]
    n_cards = state.n_hand[seat]
    locomotives = hand[LOCOMOTIVE_INDEX]
    length, spaces = tables.length[route], spaces_at(tables, route)
    best = -1
    best_sets = best_locomotives = 0
    for c in range(N_COLORS):
        if tables.color[route] not in (c, GRAY_INDEX):
            continue
        if not can_pay_with(spaces, hand[c], locomotives, n_cards):
            continue
        n_sets = sets_needed(spaces, hand[c], locomotives)
        singles = max(length - n_sets - min(hand[c], spaces.plain), fewest_locomotives(spaces, n_sets))
        if best < 0 or (n_sets, singles, -hand[c]) < (best_sets, best_locomotives, -hand[best]):
            best, best_sets, best_locomotives = c, n_sets, singles
    own = length - best_sets - best_locomotives
    cards = np.empty(N_KINDS, dtype=np.int64)
    wanted = np.zeros(N_KINDS, dtype=np.int64)
    lay_cards(hand, best, own, best_locomotives, best_sets * spaces.swap_size, wanted, cards)
    return pack_cards(cards)


@compiled
def _draw(state: State, tables: Tables, seat: int) -> int:
    """Return the code of a draw: the face-up kind held most, else the pile, any face-up card, tickets or a pass."""
    best = -1
    most = 0
    any_slot = -1
    costly_slot = -1
    for slot in range(tables.market_size):
        if not may_take(state, tables, slot):
            continue
        kind = state.market[slot]
        is_costly = must_be_first(kind, tables.locomotive_cost)
        if is_costly:
            costly_slot = slot
        else:
            any_slot = slot
        held = state.hand[seat, kind]
        if held > most and not is_costly:
            best, most = slot, held
    if best >= 0:
        return make_action(codes.DRAW_FACE_UP, best)
    if has_cards(state):
        return codes.DRAW_CARD
    if max(any_slot, costly_slot) >= 0:
        return make_action(codes.DRAW_FACE_UP, any_slot if any_slot >= 0 else costly_slot)
    if state.phase == TURN and has_tickets(state):
        return codes.DRAW_TICKETS
    return codes.PASS


@compiled
def _lowest_penalties(state: State, tables: Tables, seat: int) -> int:
    """Return the fewest tickets that may be kept, those with the lowest penalties, as bits."""
    kept = 0
    for _ in range(fewest_kept(state, tables, seat)):
        best = -1
        for i in range(state.n_offer[seat]):
            is_kept = kept >> i & 1
            if not is_kept and (best < 0 or _penalty(state, tables, seat, i) < _penalty(state, tables, seat, best)):
                best = i
        kept |= 1 << best
    return kept


@compiled
def _penalty(state: State, tables: Tables, seat: int, i: int) -> int:
    """Return the penalty of the i-th ticket offered, 0 if unknown."""
    ticket = state.offer[seat, i]
    return 0 if ticket == UNKNOWN_TICKET else int(tables.penalty[ticket])


# -- simple choices, shared with other policies ---------------------------------------------------------------------


@compiled
def neutral_track(state: State, tables: Tables, number: int) -> int:
    """Return the first (0) or second (1) free track for the neutral player, -1 if none is free."""
    ticket = state.neutral_ticket
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if not may_choose(state, tables, a):
        a = b
        b = -1
    elif not may_choose(state, tables, b):
        b = -1
    if number == 0:
        return int(a)
    return int(b)


@compiled
def nth_free_city(state: State, number: int) -> int:
    """Return the city at this position among those without a station."""
    city = 0
    while number > 0 or state.station_at[city] > 0:
        number -= int(state.station_at[city] == 0)
        city += 1
    return city


@compiled
def station_or_pass(state: State, tables: Tables, seat: int) -> tuple[int, int]:
    """Return the forced action of a seat that can neither draw nor claim: a station if possible, else a pass."""
    if n_station_forms(state, tables, seat) == 0:
        return codes.PASS, 0
    return make_action(codes.BUILD_STATION, nth_free_city(state, 0)), station_cards(state, tables, seat, 0)
