"""`Planner`: the player, its parameters, its knowledge of a map, and its choice in every phase of a game."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar, Final, Self

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled, quickly_compiled
from ttr_analysis._decoding import Amount, allowed_in
from ttr_analysis.analysis.tickets.steiner import all_distances
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import argument_of, make_action, pack_cards
from ttr_analysis.engine.kernel.cards import can_draw, has_cards, may_take, unseen_cards
from ttr_analysis.engine.kernel.claims import route_fault, tunnel_odds
from ttr_analysis.engine.kernel.turns import has_tickets, may_choose
from ttr_analysis.engine.layout import KEEP, KEEP_START, NEUTRAL, SECOND_DRAW, TUNNEL_PHASE, TURN, State
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.toml_files import NUMBERS, Fitted, Strategy, strategy_for
from ttr_analysis.policies.greedy import station_or_pass
from ttr_analysis.policies.planner import claims
from ttr_analysis.policies.planner.knowledge import (
    DANGER_UNIT,
    NUMBER_UNIT,
    UNTOLD,
    MapFacts,
    Memory,
    Params,
    Turn,
    observe,
    turns_left,
)
from ttr_analysis.policies.planner.tickets import consider_tickets, ticket_gain
from ttr_analysis.policies.playout import OneFunction
from ttr_analysis.rules.market import must_be_first
from ttr_analysis.rules.tunnel import spare_cards
from ttr_analysis.tables import MAX_ROUTES, Tables, game_tables

# -- what is known of a map before the first game: ends of tickets, and contested routes -------------------------------

_FAR: Final = 1 << 40
_LONG_WAY: Final = 8
"""Detours longer than this cost no more."""
_GENERAL: Final = "general"


def planner_facts(game_map: GameMap, n_players: int) -> Ints:
    """
    Return the cells of `MapFacts` for a map, cached by map, number of players and parameters.

    >>> nordic = ttr.load_map("nordic")
    >>> int(MapFacts(planner_facts(nordic, 2)).goal_trains[0]), nordic.tickets[0].id
    (5, 'Aalborg-Norrköping')
    """
    return _facts_with(game_map, n_players, strategy_on(game_map, n_players))


@lru_cache(maxsize=64)
def _facts_with(game_map: GameMap, n_players: int, strategy: Strategy) -> Ints:
    facts = MapFacts(_map_facts(game_map, n_players).copy())
    facts.numbers[:] = [round(getattr(strategy, number) * NUMBER_UNIT) for number in NUMBERS]
    return facts.cells


@lru_cache(maxsize=64)
def _map_facts(game_map: GameMap, n_players: int) -> Ints:
    tables = game_tables(game_map, n_players)
    n = tables.n_cities
    weight = np.full((n, n), _FAR, dtype=np.int64)
    for r in range(tables.n_routes):
        a, b = tables.city_a[r], tables.city_b[r]
        weight[a, b] = weight[b, a] = min(weight[a, b], tables.length[r])
    distance = np.empty((n, n), dtype=np.int64)
    all_distances(weight, distance)
    facts = MapFacts()
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            facts.goal_trains[goal] = distance[np.ix_(origin, there)].min()
    share = _shares(tables, distance)
    for r in range(tables.n_routes):
        a, b, twin = tables.city_a[r], tables.city_b[r], tables.twin[r]
        others = weight.copy()
        others[a, b] = others[b, a] = tables.length[twin] if twin >= 0 and tables.both_open else _FAR
        detour = min(_LONG_WAY, _distances_from(a, others)[b] - distance[a, b])
        facts.danger[r] = round(DANGER_UNIT * share[r] * detour)
    return facts.cells


def _distances_from(city: int, weight: Ints) -> Ints:
    """Return the cost of the cheapest path from a city to each other one; NumPy is faster than compiled all pairs."""
    distance: Ints = weight[city]
    while True:
        nearer = np.minimum(distance, (distance[:, np.newaxis] + weight).min(axis=0))
        if np.array_equal(nearer, distance):
            return distance
        distance = nearer


def _shares(tables: Tables, distance: Ints) -> Floats:
    """Return for each route the share of all tickets, by points, whose paths may include it."""
    share = np.zeros(tables.n_routes)
    a, b, length = (block[: tables.n_routes] for block in (tables.city_a, tables.city_b, tables.length))
    total = 0
    for ticket in range(tables.n_tickets):
        origin = _cities_of(tables, tables.origin[ticket])
        paths = []
        for goal in range(tables.goal_start[ticket], tables.goal_start[ticket + 1]):
            there = _cities_of(tables, tables.goal_place[goal])
            between = distance[np.ix_(origin, there)]
            i, j = np.unravel_index(between.argmin(), between.shape)
            paths.append((tables.goal_points[goal] - between.min(), origin[i], there[j], tables.goal_points[goal]))
        _, start, end, points = max(paths, key=lambda path: path[0])
        via = length + np.minimum(distance[start, a] + distance[b, end], distance[start, b] + distance[a, end])
        share += np.where(via <= distance[start, end] + 1, points, 0)
        total += int(points)
    return share / max(1, total)


def _cities_of(tables: Tables, place: int) -> Ints:
    """Return the cities of a place."""
    return tables.place_city[tables.place_start[place] : tables.place_start[place + 1]]


# -- the parameters: those of a map, of a fixed player, or the general ones --------------------------------------------


@cache
def kept_strategies() -> dict[str, Strategy]:
    """Return the strategies of fixed players by name, and the general one."""
    text = Path(__file__).with_name("players.toml").read_text(encoding="utf-8")
    return {name: Strategy(**numbers) for name, numbers in tomllib.loads(text).items()}


def strategy_on(game_map: GameMap, n_players: int) -> Strategy:
    """
    Return the parameters of planners on a map: its own, from the most similar game, or else the general ones.

    >>> strategy_on(ttr.load_map("usa"), 2).care
    1.0
    """
    return _completed(strategy_for(game_map.strategies, game_map.rules.variant, n_players))


@lru_cache(maxsize=64)
def _completed(fitted: Fitted | None) -> Strategy:
    general = asdict(kept_strategies()[_GENERAL])
    own = {} if fitted is None else {name: getattr(fitted, name) for name in NUMBERS}
    return Strategy(**general | {name: float(number) for name, number in own.items() if number is not None})


@cache
def allowed_numbers() -> dict[str, Amount]:
    """Return the allowed values of each parameter."""
    return allowed_in(Strategy)


# -- the choice in every phase -----------------------------------------------------------------------------------------

_SOON: Final = 8.0
"""Number of turns left below which the plan is updated every turn, and stations are built."""


@quickly_compiled
def choose(state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints) -> tuple[int, int]:
    """Return a planner's action; `lore` holds its `MapFacts`, `params` its `Params`, `memory` its `Memory`."""
    facts = MapFacts(lore[: MapFacts.n_cells])
    numbers = np.empty(Params.n_cells, dtype=np.float64)
    for i in range(Params.n_cells):
        numbers[i] = params[i] if params[i] > UNTOLD else facts.numbers[i] / NUMBER_UNIT
    return _decide(state, tables, facts, seat, Params(numbers), Memory(memory[: Memory.n_cells]))


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
    left, others_left = turns_left(state, tables, seat, params)
    if phase in (SECOND_DRAW, KEEP):
        left, others_left = max(1.0, left - 1.0), max(1.0, others_left - 1.0)
    turn = Turn(state, tables, facts, seat, params, memory, left, others_left)
    if phase == TURN and claims.is_last_turn(turn):
        code, value = claims.score_last(turn)
        if code >= 0:
            return code, value
    is_offer = phase in (KEEP_START, KEEP)
    if memory.n_planned > 0 and left < _SOON and int(left) < memory.left_planned:
        memory.is_stale = 1
    if is_offer or memory.is_stale:
        kept = consider_tickets(turn)
        if is_offer:
            return codes.KEEP_TICKETS, kept
    return _take_turn(turn)


@compiled
def _take_turn(turn: Turn) -> tuple[int, int]:
    """Return the action of a turn, or the second draw: a claim, a card, tickets or a station."""
    state, tables, seat, params = turn.state, turn.tables, turn.seat, turn.params
    n_trains = claims.want_cards(turn)
    is_stuck = not can_draw(state, tables)
    if is_stuck:
        n_trains = state.trains[seat]  # none are saved for a plan that can no longer be paid
    best, total = np.zeros(N_KINDS, dtype=np.float64), np.zeros(N_KINDS, dtype=np.float64)
    route, worth = np.empty(2 * MAX_ROUTES, dtype=np.int64), np.empty(2 * MAX_ROUTES, dtype=np.float64)
    values = claims.Values(best, total, route, worth)
    n_ready = claims.judge_routes(turn, n_trains, is_stuck, values)
    draw, rate = _best_draw(turn, values)
    if state.phase == SECOND_DRAW:
        return (draw if draw >= 0 else codes.PASS), 0  # if a record does not show the market
    if claims.is_last_turn(turn) and not is_stuck:
        n_ready = 0  # no claim adds to the score
    code, cards = _best_claim(turn, is_stuck, rate, values, n_ready)
    if state.stations[seat] > 0 and turn.left < _SOON:
        station, paid = claims.saving_station(turn, argument_of(code) if code >= 0 else claims.NO_ROUTE)
        if station != claims.NO_STATION:
            return station, paid
    if code >= 0 and turn.memory.is_planned[argument_of(code)]:
        return code, cards
    may_draw = has_tickets(state) and n_trains >= params.ticket_trains and turn.left >= params.ticket_turns
    if may_draw and ticket_gain(turn, n_trains) >= 0.0:
        return codes.DRAW_TICKETS, 0
    if code >= 0:
        return code, cards
    if draw >= 0:
        return draw, 0
    return (codes.DRAW_TICKETS, 0) if has_tickets(state) else station_or_pass(state, tables, seat)


@compiled
def _best_claim(turn: Turn, is_stuck: bool, rate: float, values: claims.Values, n_ready: int) -> tuple[int, int]:
    """
    Return the best planned claim, else another, and its cards; -1 if none is worth its bar in draws of `rate`.

    If no card can be drawn, any claim will do.
    """
    state, tables, seat, params, memory = turn.state, turn.tables, turn.seat, turn.params, turn.memory
    best = 0.0
    code = -1
    cards = 0
    missed = min(1.0, (turn.left - 1.0) / params.late_cards) if params.late_cards > 0.0 else 1.0
    hoard = params.hoard_cards
    if params.hoard_turns > 0.0:
        hoard *= min(1.0, (turn.left - 1.0) / params.hoard_turns)
    is_hoarding = not is_stuck and state.n_hand[seat] < hoard
    for i in range(n_ready):
        route = values.route[i]
        is_plan = memory.is_planned[route]
        if code >= 0 and not is_plan and (params.care <= 0.0 or memory.is_planned[argument_of(code)]):
            break  # planned routes come first
        if is_plan and is_hoarding and not (0.0 < params.hoard_danger <= claims.danger(turn, route)):
            continue
        bar = max(best, 2.0 * (params.plan_bar if is_plan else params.extra_bar) * rate)
        if values.worth[i] <= bar and not (is_stuck and code < 0):
            continue
        form = claims.find_form(turn, route)
        worth = values.worth[i] - missed * form.price
        if form.price < 0.0 or not (worth > bar or (is_stuck and code < 0)):
            continue
        payment = claims.cards_of_form(turn, route, form)
        odds = tunnel_odds(state, tables, seat, route, payment)
        if odds < params.tunnel_odds and not is_stuck and not (state.last_left >= 0 and odds > 0.0):
            continue
        if route_fault(state, tables, seat, route) == codes.NONE:
            best = worth
            code = make_action(codes.CLAIM_ROUTE, route)
            cards = payment
    return code, cards


@compiled
def _best_draw(turn: Turn, values: claims.Values) -> tuple[int, float]:
    """Return the best draw, -1 if there is none, and the best value of a card that costs only one draw."""
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
        code = codes.DRAW_CARD
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
            code = make_action(codes.DRAW_FACE_UP, slot)
        else:
            second = max(second, value[kind])
    if locomotive >= 0 and (code < 0 or value[LOCOMOTIVE_INDEX] > best + second):
        return make_action(codes.DRAW_FACE_UP, locomotive), max(best, 0.0)
    return code, max(best, 0.0)


@compiled
def _answer_tunnel(state: State, tables: Tables, seat: int, params: Params, memory: Memory) -> tuple[int, int]:
    """Pay a surcharge with the cheapest cards, or decline it if they are worth too much."""
    color = state.pending_color
    hand = state.hand[seat]
    jokers = tables.jokers[state.pending]
    surcharge = state.surcharge
    if spare_cards(hand, color, jokers) < surcharge:
        return codes.DECLINE_TUNNEL, 0
    cards = memory.cards
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
        return codes.DECLINE_TUNNEL, 0
    return codes.PAY_TUNNEL, pack_cards(cards)


@compiled
def _choose_neutral(state: State, tables: Tables, memory: Memory) -> tuple[int, int]:
    """Return a track for the neutral player, if possible one outside the plan."""
    one = tables.neutral_a[state.neutral_ticket]
    other = tables.neutral_b[state.neutral_ticket]
    takes_other = one < 0 or memory.is_planned[one] or not may_choose(state, tables, one)
    if takes_other and may_choose(state, tables, other):
        return make_action(codes.CHOOSE_NEUTRAL, other), 0
    return make_action(codes.CHOOSE_NEUTRAL, one), 0


# -- the player ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Planner(OneFunction, Strategy):
    """
    A player that keeps good tickets, builds the cheapest network for them, and adds long routes.

    With stations in play, it builds one in its last turns if that saves a ticket that its
    own routes will not complete.

    Its parameters are fitted to each map, variant and number of players. They are in
    `planner.toml` beside the rules of the map; `fit` finds them for your own map.
    Parameters that you give apply everywhere; all others are None and come from the map.

    Parameters
    ----------
    train_price, route_price
        Points that a train, or a turn of claiming, would earn elsewhere.
    point_weight
        Share of the points for routes that is subtracted from the cost of a network.
    tunnel_price, symbol_price
        Extra points that a tunnel, and each locomotive symbol, costs.
    faith
        Share of a ticket's points that counts when deciding to keep it.
    late_price
        Points for each turn by which a plan is longer than the game.
    cards_per_turn, trains_per_claim
        Speed at which players draw and build, for predicting the end of the game.
    extra_train_price
        Points per train that a route outside the plan must bring.
    extra_bar
        Value, in draws of a whole turn, from which such a route is claimed.
    wanted_price, spare_price, locomotive_price
        Points for spending a card that is needed elsewhere, one that is not, and a
        locomotive.
    breadth
        How much it counts that a card serves several routes.
    tunnel_odds
        Odds from which a tunnel is attempted.
    ticket_bar
        Expected points of tickets from which they are drawn.
    ticket_trains, ticket_turns
        Trains beyond the plan, and turns, that must be left to draw tickets.
    token_spread
        Difference in tokens at which a rank in the bonus for tokens becomes likely.
    trail_weight
        Points per train for a route that extends the seat's network, if the longest
        trail has a bonus.
    opening_bar
        Net points from which one more ticket of an offer is kept.
    plan_bar
        Value of a planned claim, in draws of a whole turn, from which it is made.
    decline_bar
        Highest value in points of cards to pay as a surcharge.
    crowd_price, crowd_part
        Points for each train beyond this share of the trains left in a network: long
        networks are completed less often.
    rush, denial
        Weight of the danger to a planned route, and to any other: the trains of the
        detour around it, where others build, times the share of all tickets that may use
        it.
    trail_step, trail_join
        Points per train for a route that extends the seat's trail at its end, or connects
        two parts of its network, if the longest trail has a bonus.
    foresight
        Above 0, a draw of tickets is valued as if the plan were built, with constants
        from games; else from the largest part of the seat's network.
    bonus_pull
        Points by which the threshold for drawing tickets drops, for each point of a
        seat's share in bonuses for completed tickets.
    seat_spread
        Increase of `token_spread` for each player beyond two.
    care
        Above 0, the last turn makes the claim that adds most to the final score, and the
        best route outside the plan is claimed; else the first good enough.
    late_cards
        Turns before the last one over which spent cards lose their value, in proportion;
        at 0 they keep it until the end.
    hoard_cards, hoard_turns
        Cards in hand from which planned routes are claimed, decreasing in proportion over
        the last turns.
    hoard_danger
        Danger to a planned route, as for `rush`, from which it is claimed whatever the
        hand; at 0 never.
    least_part
        A route costs at least this part of the price of its trains, however many points
        it brings.
    hand_part
        Points by which each card in hand of its color lowers a route's cost.
    patience
        From 0 to 1, how far the value of cards for the plan lasts until other players end
        the game, instead of the seat's own trains.
    owner_price
        Extra weight of tokens that go to the owner of the other track.
    token_calm
        From 0 to 1, how far `token_spread` shrinks as the seat's trains run out, since
        leads late in the game last.

    Raises
    ------
    ValueError
        If a parameter is not finite, or is below 0, or 0, where that makes no sense.

    Examples
    --------
    >>> Planner(tunnel_odds=0.5).tunnel_odds
    0.5
    """

    def __post_init__(self) -> None:
        if self.kept:
            for number, value in asdict(kept_strategies()[self.kept]).items():
                if getattr(self, number) is None:
                    object.__setattr__(self, number, value)
        faults = [
            f"{number} must be {allowed}, got {value!r}"
            for number, allowed in allowed_numbers().items()
            if (value := getattr(self, number)) is not None and value not in allowed
        ]
        if faults:
            raise ValueError("; ".join(faults))

    kept: ClassVar[str] = ""
    """Name of the fixed player whose parameters it has, if they do not depend on the map."""
    name = "Planner"
    memory_size = Memory.n_cells
    chooser = staticmethod(choose)

    @property
    def params(self) -> Floats:
        """Its parameters in the order of `Params`; `UNTOLD` for those that the map provides."""
        values = [getattr(self, number) for number in NUMBERS]
        return np.array([UNTOLD if value is None else value for value in values], dtype=np.float64)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        """Return a planner's knowledge of a map: the cells of `MapFacts`."""
        return planner_facts(game_map, n_players)

    def on(self, game_map: MapLike, n_players: int) -> Self:
        """
        Return the player with the parameters that it uses on a map filled in.

        Examples
        --------
        >>> Planner(tunnel_odds=0.5).on("nordic", 2).tunnel_odds
        0.5
        """
        strategy = strategy_on(as_map(game_map), n_players)
        missing = [number for number in NUMBERS if getattr(self, number) is None]
        return replace(self, **{number: getattr(strategy, number) for number in missing})

    def __repr__(self) -> str:
        usual = kept_strategies()[self.kept] if self.kept else Strategy()
        values = {number: getattr(self, number) for number in NUMBERS}
        own = [f"{number}={value!r}" for number, value in values.items() if value != getattr(usual, number)]
        return f"{type(self).__name__}({', '.join(own)})"


@dataclass(frozen=True, slots=True, repr=False)
class Planner1(Planner):
    """
    `Planner` with its first parameters: a fixed opponent for comparisons.

    Examples
    --------
    >>> Planner1().ticket_bar, isinstance(Planner1(), Planner)
    (14.0, True)
    """

    kept = name = "Planner1"
    chooser = staticmethod(choose)


@dataclass(frozen=True, slots=True, repr=False)
class Planner2(Planner):
    """
    `Planner` with the parameters that it had on all maps before it was fitted to each.

    Examples
    --------
    >>> Planner2(tunnel_odds=0.5)
    Planner2(tunnel_odds=0.5)
    """

    kept = name = "Planner2"
    chooser = staticmethod(choose)


@dataclass(frozen=True, slots=True, repr=False)
class Racer(Planner):
    """
    `Planner` that hides its plan until it holds 44 cards, then claims route after route.

    A strategy against earlier planners: with two players it wins about 70% of games against
    `Planner2` on usa and europe, but about half on switzerland and nederland, and a third
    on nordic.

    Examples
    --------
    >>> Racer(hoard_cards=27)
    Racer(hoard_cards=27)
    """

    kept = name = "Racer"
    chooser = staticmethod(choose)
