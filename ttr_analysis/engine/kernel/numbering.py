"""
Number every action of a map, independently of the number of players.

A claim or station has a number for each route or city, color, and number of locomotives
outside sets. Payments with the same reading (`rules.payment`) share a number; `to_action`
picks the one with the most cards of the color, whose sets use the cards that the hand has
most of. A surcharge is paid with cards of the color first. Tickets kept are numbered by their
positions in the offer, one bit each. `to_index` accepts every legal action but `AttemptTunnel`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Flags, Ints, compiled, quickly_compiled
from ttr_analysis._words import counted, listed
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions.building import n_surcharges, surcharge_cards
from ttr_analysis.engine.actions.table import DUE
from ttr_analysis.engine.codes import argument_of, kind_of, make_action, pack_single, unpack_cards
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import city_fault, claim_cards, next_station_spaces, route_fault
from ttr_analysis.engine.kernel.step import action_fault
from ttr_analysis.engine.kernel.turns import count_bits, fewest_kept, has_tickets, may_choose
from ttr_analysis.engine.layout import KEEP, KEEP_START, NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, can_read, form_sets, read_form
from ttr_analysis.tables import Tables, game_tables, spaces_at, spaces_of

_NO_COLOR: Final = N_COLORS
"""Stands for the color if no colored card is used outside sets."""


class Numbering(NamedTuple):
    """
    The numbers of the actions on a map.

    `rows` has the kind, argument (slot, route, city, tickets kept or track), color and
    locomotives of each action, `first` the first number of each kind. `claims` and
    `stations` have numbers by route or city, color and locomotives. -1 means none.
    """

    rows: Ints
    first: Ints
    claims: Ints
    stations: Ints


@lru_cache(maxsize=64)
def numbering_of(game_map: GameMap) -> Numbering:
    """Return the numbers of the actions on a map; do not modify them, they are cached."""
    rows = [*_plain_rows(game_map)]
    longest = max(route.length for route in game_map.routes)
    stations = game_map.rules.stations
    costs = stations.costs[: stations.number]
    jokers = "plain" in game_map.rules.claims.locomotives_on
    claims = np.full((len(game_map.routes), N_KINDS, longest + 1), -1, dtype=np.int64)
    for i, route in enumerate(game_map.routes):
        for color, locomotives in product(range(N_KINDS), range(longest + 1)):
            fits = color == _NO_COLOR or route.color in (GRAY, COLORS[color])
            if fits and _has_payment(spaces_of(route), color, locomotives):
                claims[i, color, locomotives] = len(rows)
                rows.append((codes.CLAIM_ROUTE, i, color, locomotives))
    built = np.full((len(game_map.cities), N_KINDS, max(costs, default=0) + 1), -1, dtype=np.int64)
    for i, color, locomotives in product(*map(range, built.shape)):
        if any(_has_payment(Spaces(cost, jokers=int(jokers)), color, locomotives) for cost in costs):
            built[i, color, locomotives] = len(rows)
            rows.append((codes.BUILD_STATION, i, color, locomotives))
    kinds = [row[0] for row in rows]
    first = [kinds.index(kind) if kind in kinds else -1 for kind in range(codes.N_ACTIONS)]
    return Numbering(np.array(rows, dtype=np.int64), np.array(first, dtype=np.int64), claims, built)


def _plain_rows(game_map: GameMap) -> Iterator[tuple[int, int, int, int]]:
    """Yield the actions that take no payment."""
    rules, tables = game_map.rules, game_tables(game_map, game_map.rules.players[0])
    yield codes.DRAW_CARD, 0, 0, 0
    for slot in range(rules.market.size):
        yield codes.DRAW_FACE_UP, slot, 0, 0
    for kind in (codes.DRAW_TICKETS, codes.PASS, codes.PAY_TUNNEL, codes.DECLINE_TUNNEL):
        yield kind, 0, 0, 0
    for track in range(2 if rules.neutral.trains else 0):
        yield codes.CHOOSE_NEUTRAL, track, 0, 0
    for kept in range(1 << max(int(tables.deck_deal.sum()), rules.tickets.draw)):
        yield codes.KEEP_TICKETS, kept, 0, 0


def _has_payment(spaces: Spaces, color: int, locomotives: int) -> bool:
    """Return whether any hand could pay with this color (or none) and number of locomotives."""
    own = (0,) if color == _NO_COLOR else range(1, spaces.plain + 1)
    return any(form_sets(spaces, n, locomotives) >= 0 for n in own)


# -- legal actions -----------------------------------------------------------------------------------------------------


@quickly_compiled
def fill_mask(state: State, tables: Tables, numbers: Numbering, mask: Flags) -> None:
    """Set the mask to 1 for each legal action of the acting seat, and to 0 elsewhere."""
    mask.fill(0)
    seat, phase, first = state.seat, state.phase, numbers.first
    if phase in (KEEP_START, KEEP):
        fewest = fewest_kept(state, tables, seat)
        for kept in range(1 << state.n_offer[seat]):
            mask[first[codes.KEEP_TICKETS] + kept] = int(count_bits(kept) >= fewest)
    elif phase == TUNNEL_PHASE:
        mask[first[codes.PAY_TUNNEL]] = int(n_surcharges(state, tables, seat) > 0)
        mask[first[codes.DECLINE_TUNNEL]] = 1
    elif phase == NEUTRAL:
        for track in range(2):
            mask[first[codes.CHOOSE_NEUTRAL] + track] = int(
                may_choose(state, tables, _neutral_route(state, tables, track))
            )
    elif phase in (TURN, SECOND_DRAW):
        n = int(has_cards(state))
        mask[first[codes.DRAW_CARD]] = n
        for slot in range(tables.market_size):
            takes = int(may_take(state, tables, slot))
            mask[first[codes.DRAW_FACE_UP] + slot] = takes
            n += takes
        if phase == TURN:
            draws = int(has_tickets(state))
            mask[first[codes.DRAW_TICKETS]] = draws
            n += draws + _mark_claims(state, tables, numbers, mask) + _mark_stations(state, tables, numbers, mask)
            mask[first[codes.PASS]] = int(n == 0)


@compiled
def _mark_claims(state: State, tables: Tables, numbers: Numbering, mask: Flags) -> int:
    """Mark the acting seat's legal claims; return their number."""
    seat, n = state.seat, 0
    hand, n_locomotives, most = state.hand[seat], state.hand[seat, LOCOMOTIVE_INDEX], 0
    for color in range(N_COLORS):
        most = max(most, hand[color])
    for route in range(tables.n_routes):
        # A cheap test first: most routes need more cards than the hand has.
        if tables.swap_size[route] == 0 and most + n_locomotives < tables.length[route]:
            continue
        if route_fault(state, tables, seat, route) != codes.NONE:
            continue
        spaces, route_color = spaces_at(tables, route), tables.color[route]
        n += _mark_in_color(hand, spaces, route_color, _NO_COLOR, numbers.claims[route, _NO_COLOR], mask)
        if route_color != GRAY_INDEX:
            n += _mark_in_color(hand, spaces, route_color, route_color, numbers.claims[route, route_color], mask)
            continue
        for color in range(N_COLORS):
            n += _mark_in_color(hand, spaces, route_color, color, numbers.claims[route, color], mask)
    return n


@compiled
def _mark_in_color(hand: Ints, spaces: Spaces, route_color: int, color: int, numbers: Ints, mask: Flags) -> int:
    """Mark the legal claims of a route in one color, or without one; return their number."""
    n, length = 0, spaces.plain + spaces.symbols
    if color != _NO_COLOR and hand[color] == 0:
        return 0
    fewest = 0
    if spaces.swap_size == 0:
        fewest = length if color == _NO_COLOR else max(0, length - hand[color])
    for locomotives in range(fewest, min(hand[LOCOMOTIVE_INDEX], length) + 1):
        at = numbers[locomotives]
        if at >= 0 and _most_own(hand, route_color, spaces, color, locomotives) >= 0:
            mask[at] = 1
            n += 1
    return n


@compiled
def _most_own(hand: Ints, route_color: int, spaces: Spaces, color: int, locomotives: int) -> int:
    """Return the most cards of a color in a payment with this number of locomotives, -1 if none is possible."""
    length = spaces.plain + spaces.symbols
    if spaces.swap_size == 0:  # the usual case; `claims` has only payments that fit the spaces
        own = 0 if color == _NO_COLOR else length - locomotives
        return own if color == _NO_COLOR or own <= hand[color] else -1
    if color == _NO_COLOR:
        return 0 if can_read(hand, route_color, spaces, -1, 0, locomotives) else -1
    own = min(hand[color], spaces.plain, length - locomotives)
    while own > 0 and not can_read(hand, route_color, spaces, color, own, locomotives):
        own -= 1
    return own if own > 0 else -1


@compiled
def _mark_stations(state: State, tables: Tables, numbers: Numbering, mask: Flags) -> int:
    """Mark the stations that the acting seat can build; return their number."""
    if state.stations[state.seat] == 0:
        return 0
    hand, spaces, n = state.hand[state.seat], next_station_spaces(state, tables, state.seat), 0
    last = min(hand[LOCOMOTIVE_INDEX], spaces.plain if spaces.jokers else 0)
    for color in range(N_KINDS):
        for locomotives in range(last + 1):
            if not _pays_station(hand, spaces, color, locomotives):
                continue
            for city in range(tables.n_cities):
                if state.station_at[city] == 0:
                    mask[numbers.stations[city, color, locomotives]] = 1
                    n += 1
    return n


@compiled
def _pays_station(hand: Ints, spaces: Spaces, color: int, locomotives: int) -> bool:
    """Return whether a hand can pay for a station with this color (or none) and number of locomotives."""
    own = spaces.plain - locomotives
    return own == 0 if color == _NO_COLOR else 0 < own <= hand[color]


@compiled
def _neutral_route(state: State, tables: Tables, track: int) -> int:
    """Return a track for the neutral player's ticket (0 or 1), -1 if it does not exist."""
    ticket = state.neutral_ticket
    return int(tables.neutral_a[ticket] if track == 0 else tables.neutral_b[ticket])


# -- from numbers to codes, and back -----------------------------------------------------------------------------------


@quickly_compiled
def code_of(state: State, tables: Tables, numbers: Numbering, index: int) -> tuple[int, int]:
    """Return the code and value of an action by number; the code is -1 if it is illegal for the acting seat."""
    if index < 0 or index >= len(numbers.rows):
        return -1, 0
    kind, argument, color = numbers.rows[index, 0], numbers.rows[index, 1], numbers.rows[index, 2]
    if (state.phase, kind) not in DUE:
        return -1, 0
    seat, locomotives = state.seat, numbers.rows[index, 3]
    hand, code, value = state.hand[seat], make_action(kind, argument), 0
    if kind == codes.CLAIM_ROUTE:
        if route_fault(state, tables, seat, argument) != codes.NONE or locomotives > hand[LOCOMOTIVE_INDEX]:
            return -1, 0
        own = _most_own(hand, tables.color[argument], spaces_at(tables, argument), color, locomotives)
        if own < 0:
            return -1, 0
        return code, claim_cards(state, tables, seat, argument, color if own > 0 else -1, own, locomotives)
    if kind == codes.BUILD_STATION:
        if city_fault(state, tables, seat, argument) != codes.NONE:
            return -1, 0
        spaces = next_station_spaces(state, tables, seat)
        if not _pays_station(hand, spaces, color, locomotives):
            return -1, 0
        value = pack_single(color, spaces.plain - locomotives, locomotives)
    elif kind == codes.KEEP_TICKETS:
        code, value = codes.KEEP_TICKETS, argument
    elif kind == codes.PAY_TUNNEL:
        if n_surcharges(state, tables, seat) == 0:
            return -1, 0
        value = surcharge_cards(state, seat, 0)
    elif kind == codes.CHOOSE_NEUTRAL:
        route = _neutral_route(state, tables, argument)
        if route < 0:
            return -1, 0
        code = make_action(codes.CHOOSE_NEUTRAL, route)
    return (code, value) if action_fault(state, tables, code, value) == codes.NONE else (-1, 0)


@quickly_compiled
def index_of(state: State, tables: Tables, numbers: Numbering, code: int, value: int) -> int:
    """Return the number of a legal action, -1 if it has none."""
    kind, argument = kind_of(code), argument_of(code)
    if kind in (codes.CLAIM_ROUTE, codes.BUILD_STATION):
        cards = np.empty(N_KINDS, dtype=np.int64)
        unpack_cards(value, cards)
        if kind == codes.CLAIM_ROUTE:
            color, _, locomotives = read_form(cards, tables.color[argument], spaces_at(tables, argument))
            return int(numbers.claims[argument, color if color >= 0 else _NO_COLOR, locomotives])
        color, _, locomotives = read_form(cards, GRAY_INDEX, next_station_spaces(state, tables, state.seat))
        return int(numbers.stations[argument, color if color >= 0 else _NO_COLOR, locomotives])
    if kind >= codes.N_ACTIONS or numbers.first[kind] < 0:
        return -1
    if kind == codes.KEEP_TICKETS:
        return int(numbers.first[kind] + value)
    if kind == codes.CHOOSE_NEUTRAL:
        return int(numbers.first[kind]) + int(argument != tables.neutral_a[state.neutral_ticket])
    return int(numbers.first[kind] + argument)


# -- in words --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def words_of(game_map: GameMap) -> tuple[str, ...]:
    """Describe each action number of a map in words."""
    return tuple(_in_words(game_map, *row) for row in numbering_of(game_map).rows.tolist())


def _in_words(game_map: GameMap, kind: int, argument: int, color: int, locomotives: int) -> str:
    if kind in (codes.CLAIM_ROUTE, codes.BUILD_STATION):
        parts = [] if color == _NO_COLOR else [COLORS[color]]
        parts += [counted(locomotives, LOCOMOTIVE)] if locomotives else []
        paid = " and ".join(parts) or "sets alone"
        if kind == codes.CLAIM_ROUTE:
            route = game_map.routes[argument]
            is_alike = [str(other) for other in game_map.routes].count(str(route)) > 1
            return f"claim {route}{f', track {route.track},' if is_alike else ''} with {paid}"
        return f"build a station in {game_map.cities[argument].name} with {paid}"
    if kind == codes.KEEP_TICKETS:
        places = [str(i) for i in range(argument.bit_length()) if argument >> i & 1]
        many = "ticket" if len(places) == 1 else "tickets"
        return f"keep {many} {listed(places)} of the offer" if places else "keep no ticket"
    return {
        codes.DRAW_CARD: "draw a card from the pile",
        codes.DRAW_FACE_UP: f"take the card in market slot {argument}",
        codes.DRAW_TICKETS: "draw tickets",
        codes.PASS: "pass",
        codes.PAY_TUNNEL: "pay the surcharge of the tunnel",
        codes.DECLINE_TUNNEL: "take back the cards for the tunnel",
        codes.CHOOSE_NEUTRAL: f"give track {argument} of its ticket to the neutral player",
    }[kind]
