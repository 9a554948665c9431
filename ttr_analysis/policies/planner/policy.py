"""`Planner`: the player, the numbers that make its strategy, and its choice in every phase of a game."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine.codes import (
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    DECLINE_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    DRAW_TICKETS,
    KEEP_TICKETS,
    NONE,
    PAY_TUNNEL,
    argument_of,
    make_action,
    pack_cards,
)
from ttr_analysis.engine.kernel.cards import can_draw, has_cards, may_take, unseen_cards
from ttr_analysis.engine.kernel.claims import route_fault, tunnel_odds
from ttr_analysis.engine.kernel.turns import has_tickets, may_choose
from ttr_analysis.engine.layout import KEEP, KEEP_START, NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.greedy import station_or_pass
from ttr_analysis.policies.planner.claims import (
    NO_ROUTE,
    NO_STATION,
    Values,
    cards_of_form,
    find_form,
    is_last_turn,
    judge_routes,
    saving_station,
    score_last,
    want_cards,
)
from ttr_analysis.policies.planner.knowledge import MapFacts, Memory, Params, Turn, observe, planner_facts, turns_left
from ttr_analysis.policies.planner.tickets import consider_tickets, ticket_gain
from ttr_analysis.policies.playout import OneFunction
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.tunnel import spare_cards
from ttr_analysis.tables import MAX_ROUTES, Tables

_SOON: Final = 8.0
"""Turns left from which the plan is looked at again every turn."""


@quickly_compiled
def choose(state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return a planner's action: `lore` is its `MapFacts`, `params` its `Params`, `memory` its `Memory`."""
    facts = MapFacts(lore[: MapFacts.n_cells])
    return _decide(state, tables, facts, seat, Params(params[: Params.n_cells]), Memory(memory[: Memory.n_cells]))


@compiled
def _decide(
    state: State, tables: Tables, facts: MapFacts, seat: int, params: Params, memory: Memory
) -> tuple[int, int]:
    phase = state.phase
    if phase == TUNNEL_PHASE:
        return _answer_tunnel(state, tables, seat, params, memory)
    observe(state, tables, seat, memory)
    if phase == NEUTRAL:
        return _choose_neutral(state, tables, memory)
    left = turns_left(state, tables, seat, params)
    if phase in (SECOND_DRAW, KEEP):
        left = max(1.0, left - 1.0)
    turn = Turn(state, tables, facts, seat, params, memory, left)
    if phase == TURN and is_last_turn(turn):
        code, value = score_last(turn)
        if code >= 0:
            return code, value
    is_offer = phase in (KEEP_START, KEEP)
    if memory.n_planned > 0 and left < _SOON and int(left) < memory.left_planned:
        memory.is_stale = 1
    if is_offer or memory.is_stale:
        kept = consider_tickets(turn)
        if is_offer:
            return KEEP_TICKETS, kept
    return _take_turn(turn)


@compiled
def _take_turn(turn: Turn) -> tuple[int, int]:
    """Return the action of a turn, or the second draw of one: a claim, a card, tickets, or a station."""
    state, tables, seat, params = turn.state, turn.tables, turn.seat, turn.params
    n_trains = want_cards(turn)
    is_stuck = not can_draw(state, tables)
    if is_stuck:
        n_trains = state.trains[seat]  # none are saved for a plan that cannot be paid any more
    best, total = np.zeros(N_KINDS, dtype=np.float64), np.zeros(N_KINDS, dtype=np.float64)
    route, worth = np.empty(2 * MAX_ROUTES, dtype=np.int64), np.empty(2 * MAX_ROUTES, dtype=np.float64)
    values = Values(best, total, route, worth)
    n_ready = judge_routes(turn, n_trains, is_stuck, values)
    draw, rate = _best_draw(turn, values)
    if state.phase == SECOND_DRAW:
        return draw, 0
    if is_last_turn(turn) and not is_stuck:
        n_ready = 0  # no claim adds to the score
    code, cards = _best_claim(turn, is_stuck, rate, values, n_ready)
    if state.stations[seat] > 0 and turn.left < _SOON:
        station, paid = saving_station(turn, argument_of(code) if code >= 0 else NO_ROUTE)
        if station != NO_STATION:
            return station, paid
    if code >= 0 and turn.memory.is_planned[argument_of(code)]:
        return code, cards
    may_draw = has_tickets(state) and n_trains >= params.ticket_trains and turn.left >= params.ticket_turns
    if may_draw and ticket_gain(turn, n_trains) >= 0.0:
        return DRAW_TICKETS, 0
    if code >= 0:
        return code, cards
    if draw >= 0:
        return draw, 0
    return (DRAW_TICKETS, 0) if has_tickets(state) else station_or_pass(state, tables, seat)


@compiled
def _best_claim(turn: Turn, is_stuck: bool, rate: float, values: Values, n_ready: int) -> tuple[int, int]:
    """
    Return the best claim of the plan, or else of other routes, and its cards; -1 if none is worth two draws of `rate`.

    If no card can be drawn, any claim will do.
    """
    state, tables, seat, params, memory = turn.state, turn.tables, turn.seat, turn.params, turn.memory
    best = 0.0
    code = -1
    cards = 0
    missed = min(1.0, (turn.left - 1.0) / params.late_cards) if params.late_cards > 0.0 else 1.0
    for i in range(n_ready):
        route = values.route[i]
        is_plan = memory.is_planned[route]
        if code >= 0 and not is_plan and (params.care <= 0.0 or memory.is_planned[argument_of(code)]):
            break  # routes of the plan come first
        bar = max(best, 2.0 * (params.plan_bar if is_plan else params.extra_bar) * rate)
        if values.worth[i] <= bar and not (is_stuck and code < 0):
            continue
        form = find_form(turn, route)
        worth = values.worth[i] - missed * form.price
        if form.price < 0.0 or not (worth > bar or (is_stuck and code < 0)):
            continue
        payment = cards_of_form(turn, route, form)
        odds = tunnel_odds(state, tables, seat, route, payment)
        if odds < params.tunnel_odds and not is_stuck and not (state.last_left >= 0 and odds > 0.0):
            continue
        if route_fault(state, tables, seat, route) == NONE:
            best = worth
            code = make_action(CLAIM_ROUTE, route)
            cards = payment
    return code, cards


@compiled
def _best_draw(turn: Turn, values: Values) -> tuple[int, float]:
    """Return the best draw, -1 if there is none, and what its card is worth."""
    state, tables = turn.state, turn.tables
    value = values.best.copy()
    total = 0
    blind = 0.0
    for kind in range(N_KINDS):
        value[kind] += turn.params.breadth * (values.total[kind] - value[kind])
        n = unseen_cards(state, turn.seat, kind)
        total += n
        blind += n * value[kind]
    code = -1
    best = -1.0
    second = 0.0
    if has_cards(state):
        code = DRAW_CARD
        best = second = blind / max(1, total)
    locomotive = -1
    for slot in range(tables.market_size):
        kind = state.market[slot]
        if not may_take(state, tables, slot):
            continue
        if must_be_first(kind, tables.locomotive_cost) and state.n_taken + 1 < tables.draws:
            locomotive = slot
        elif value[kind] > best:
            second = best
            best = value[kind]
            code = make_action(DRAW_FACE_UP, slot)
        else:
            second = max(second, value[kind])
    if locomotive >= 0 and (code < 0 or value[LOCOMOTIVE_INDEX] > best + second):
        return make_action(DRAW_FACE_UP, locomotive), max(best, 0.0)
    return code, max(best, 0.0)


@compiled
def _answer_tunnel(state: State, tables: Tables, seat: int, params: Params, memory: Memory) -> tuple[int, int]:
    """Return the payment of a surcharge with the cards missed least, or decline it if they are missed too much."""
    color = state.pending_color
    hand = state.hand[seat]
    jokers = tables.jokers[state.pending]
    surcharge = state.surcharge
    if spare_cards(hand, color, jokers) < surcharge:
        return DECLINE_TUNNEL, 0
    cards = memory.cards[:N_KINDS]
    cards.fill(0)
    price = 0.0
    for _ in range(surcharge):
        takes_color = color != LOCOMOTIVE_INDEX and hand[color] > cards[color]
        takes_joker = (jokers or color == LOCOMOTIVE_INDEX) and hand[LOCOMOTIVE_INDEX] > cards[LOCOMOTIVE_INDEX]
        is_wanted = hand[color] - cards[color] <= memory.wanted[color]
        own = params.wanted_price if is_wanted else params.spare_price
        if takes_color and (own <= params.locomotive_price or not takes_joker):
            cards[color] += 1
            price += own
        else:
            cards[LOCOMOTIVE_INDEX] += 1
            price += params.locomotive_price
    if price > params.decline_bar and state.last_left < 0:
        return DECLINE_TUNNEL, 0
    return PAY_TUNNEL, pack_cards(cards)


@compiled
def _choose_neutral(state: State, tables: Tables, memory: Memory) -> tuple[int, int]:
    """Return the track that the neutral player takes: one that is not planned, if there is."""
    one = tables.neutral_a[state.neutral_ticket]
    other = tables.neutral_b[state.neutral_ticket]
    takes_other = one < 0 or memory.is_planned[one] or not may_choose(state, tables, one)
    if takes_other and may_choose(state, tables, other):
        return make_action(CHOOSE_NEUTRAL, other), 0
    return make_action(CHOOSE_NEUTRAL, one), 0


# -- the player ----------------------------------------------------------------------------------------------------

_DIVISORS: Final = frozenset({"cards_per_turn", "trains_per_claim", "token_spread"})
_MAY_BE_NEGATIVE: Final = frozenset({"ticket_bar", "opening_bar", "decline_bar"})


@dataclass(frozen=True, slots=True)
class Planner(OneFunction):
    """
    A player who keeps good tickets, builds the cheapest network for them, and fills up with long routes.

    Where stations are played, it builds one in its last turns if that saves a
    ticket which its own routes will not complete.

    Parameters
    ----------
    train_price, route_price
        Points that a train, and a turn of claiming, would bring elsewhere.
    point_weight
        Part of the points for routes that is taken off the cost of a network.
    tunnel_price, symbol_price
        Points that a tunnel, and each locomotive symbol, costs on top.
    faith
        Part of a ticket's points that counts when it is kept.
    late_price
        Points for each turn by which a plan is longer than the game.
    cards_per_turn, trains_per_claim
        How fast players draw and build: to foresee the end of the game.
    extra_train_price
        Points that a route outside the plan must bring for each train.
    extra_bar
        Its worth, in draws of a whole turn, from which it is claimed.
    wanted_price, spare_price, locomotive_price
        Points for spending a card that is wanted elsewhere, one that is not, and
        a locomotive.
    breadth
        How much it counts that a card serves several routes.
    tunnel_odds
        Odds from which a tunnel is attempted.
    ticket_bar
        Points that tickets must be expected to bring to be drawn.
    ticket_trains, ticket_turns
        Trains beyond the plan, and turns, that must be left for it.
    token_spread
        Difference in tokens that makes a rank for the most tokens likely.
    trail_weight
        Points per train for a route that makes the own network longer, where the
        longest trail has a bonus.
    opening_bar
        Net points from which one more ticket of an offer is kept.
    plan_bar
        Worth of a claim of the plan, in draws of a whole turn, from which it is
        made.
    decline_bar
        Most points that the cards of a surcharge may be missed.
    crowd_price, crowd_part
        Points for each train by which a network takes more than this part of
        those left: long networks are completed less often.
    rush, denial
        Weight of the danger to a route of the plan, and to any other one: the
        trains that it costs to go around it, where others build, times the share
        of all tickets that may use it.
    trail_step, trail_join
        Points per train for a route that leads the own trail on at its end, or
        joins two parts of the own network, where the longest trail has a bonus.
    foresight
        Above 0, a draw of tickets is foreseen as if the plan were built, with
        constants from games; else from the largest part of the own network.
    bonus_pull
        Points off the bar for drawing tickets, for each point of a seat's share
        in bonuses for completed tickets.
    seat_spread
        Addition to `token_spread` for each player beyond two.
    care
        Above 0, the last turn claims what adds most to the final score, and the
        best route outside the plan is claimed; else the first good enough.
    late_cards
        Turns before the last one from which spent cards are missed less, in
        proportion; at 0 they are missed until the end.

    Raises
    ------
    ValueError
        If a number is not finite, or below 0 where that means nothing.

    Examples
    --------
    >>> Planner(tunnel_odds=0.5).tunnel_odds
    0.5
    """

    train_price: float = 1.1
    route_price: float = 1.1
    point_weight: float = 0.42
    tunnel_price: float = 1.0
    symbol_price: float = 0.58
    faith: float = 0.81
    late_price: float = 3.0
    cards_per_turn: float = 1.8
    trains_per_claim: float = 2.4
    extra_train_price: float = 1.5
    extra_bar: float = 0.95
    wanted_price: float = 1.5
    spare_price: float = 0.34
    locomotive_price: float = 1.1
    breadth: float = 0.085
    tunnel_odds: float = 0.65
    ticket_bar: float = 4.0
    ticket_trains: float = 12.0
    ticket_turns: float = 4.0
    token_spread: float = 5.8
    trail_weight: float = 0.05
    opening_bar: float = 0.71
    plan_bar: float = 1.6
    decline_bar: float = 6.2
    crowd_price: float = 1.6
    crowd_part: float = 0.72
    rush: float = 0.5
    denial: float = 0.27
    trail_step: float = 0.41
    trail_join: float = 1.3
    foresight: float = 1.0
    bonus_pull: float = 0.78
    seat_spread: float = 5.0
    care: float = 1.0
    late_cards: float = 3.0

    def __post_init__(self) -> None:
        faults = []
        for field in fields(self):
            number: object = getattr(self, field.name)
            if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
                faults.append(f"{field.name} is a number, got {number!r}")
            elif field.name in _DIVISORS and number <= 0:
                faults.append(f"{field.name} is above 0, got {number}")
            elif field.name not in _MAY_BE_NEGATIVE and number < 0:
                faults.append(f"{field.name} is 0 or more, got {number}")
        if faults:
            raise ValueError("; ".join(faults))

    name = "Planner"
    memory_size = Memory.n_cells
    chooser = staticmethod(choose)

    @property
    def params(self) -> Floats:
        """Its numbers, as `Params` has them."""
        return np.array([getattr(self, field.name) for field in fields(self)], dtype=np.float64)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        """Return what a planner knows of a map: the cells of `MapFacts`."""
        return planner_facts(game_map, n_players)


@dataclass(frozen=True, slots=True)
class Planner1(Planner):
    """
    `Planner` with its first numbers: a fixed player to measure others against.

    Examples
    --------
    >>> Planner1().ticket_bar, isinstance(Planner1(), Planner)
    (14.0, True)
    """

    train_price: float = 1.2
    route_price: float = 1.2
    point_weight: float = 0.5
    tunnel_price: float = 1.0
    symbol_price: float = 0.7
    faith: float = 0.85
    late_price: float = 3.0
    cards_per_turn: float = 1.8
    trains_per_claim: float = 2.8
    extra_train_price: float = 0.7
    extra_bar: float = 1.0
    wanted_price: float = 1.5
    spare_price: float = 0.2
    locomotive_price: float = 1.5
    breadth: float = 0.1
    tunnel_odds: float = 0.6
    ticket_bar: float = 14.0
    ticket_trains: float = 10.0
    ticket_turns: float = 6.0
    token_spread: float = 10.0
    trail_weight: float = 0.3
    opening_bar: float = 1.0
    plan_bar: float = 0.5
    decline_bar: float = 4.0
    crowd_price: float = 0.0
    crowd_part: float = 0.6
    rush: float = 0.0
    denial: float = 0.0
    trail_step: float = 0.0
    trail_join: float = 0.0
    foresight: float = 0.0
    bonus_pull: float = 0.0
    seat_spread: float = 0.0
    care: float = 0.0
    late_cards: float = 0.0

    name = "Planner1"
    chooser = staticmethod(choose)
