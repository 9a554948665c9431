"""The planner's claims: the value of routes and cards, payments, stations and the last turn."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import argument_of, make_action, pack_cards, unpack_cards
from ttr_analysis.engine.kernel.claims import (
    n_forms,
    n_station_forms,
    representative,
    route_fault,
    station_cards,
    tunnel_odds,
)
from ttr_analysis.engine.kernel.scoring import award_bonus, goal_reached, join_ends
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, UNKNOWN_TICKET, State
from ttr_analysis.policies.planner.knowledge import DANGER_UNIT, Memory, Params, Turn, is_open, token_terms, toll_cost
from ttr_analysis.rules import payment
from ttr_analysis.rules.money import settle_toll, toll_payee
from ttr_analysis.rules.scoring import is_lent, ticket_score
from ttr_analysis.rules.trails import walked_trail
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, MAX_SEATS, MEASURE_TOKENS, MEASURE_TRAIL, Tables, spaces_at

_LONG: Final = 3
"""Routes outside the plan that are shorter than this wait for the end of the game."""
_LATE: Final = 6.0
"""With fewer turns left than this, the end is near."""
_BASE_RISK: Final = 0.3
"""Base risk of losing a route that no rival builds near; each of its ends that rivals touch adds 1."""
_N_ENDS: Final = 2
"""Ends of a route."""


class Values(NamedTuple):
    """
    The values of cards and routes.

    For each kind of card, `best` is its highest value for a single route and `total`
    its sum over routes. `route` and `worth` list the routes that the hand may be able
    to pay for, planned ones first.
    """

    best: Floats
    total: Floats
    route: Ints
    worth: Floats


@compiled
def want_cards(turn: Turn) -> int:
    """
    Note the cards that the plan needs and those left over; return the trains left over.

    For a double route, plan the track that lacks fewer cards.
    """
    state, tables, memory = turn.state, turn.tables, turn.memory
    hand, trains = state.hand[turn.seat], state.trains[turn.seat]
    n_trains = trains
    memory.wanted.fill(0)
    for i in range(memory.n_planned):
        route = memory.plan[i]
        twin = tables.twin[route]
        if (
            twin >= 0
            and tables.length[twin] <= trains
            and is_open(state, tables, turn.seat, twin)
            and _rough_need(tables, memory, hand, twin) < _rough_need(tables, memory, hand, route)
        ):
            memory.plan[i] = twin
            memory.is_planned[route] = 0
            memory.is_planned[twin] = 1
            route = twin
        if tables.color[route] != payment.GRAY_INDEX:
            memory.wanted[tables.color[route]] += tables.plain[route]
        memory.wanted[LOCOMOTIVE_INDEX] += tables.symbols[route]
        n_trains -= tables.length[route]
    free = memory.free
    memory.n_spare = memory.top_color = memory.most_held = 0
    for c in range(N_COLORS):
        free[c] = max(0, hand[c] - memory.wanted[c])
        memory.n_spare += free[c]
        memory.most_held = max(memory.most_held, hand[c])
        if free[c] > free[memory.top_color]:
            memory.top_color = c
    free[LOCOMOTIVE_INDEX] = hand[LOCOMOTIVE_INDEX]
    return int(n_trains)


@compiled
def _rough_need(tables: Tables, memory: Memory, hand: Ints, route: int) -> int:
    """Estimate the cards that a route takes from a hand, in quarters; a toll adds a little."""
    color = tables.color[route]
    need = tables.plain[route] * 4
    if color == payment.GRAY_INDEX:
        need -= 6
    else:
        need -= 4 * min(tables.plain[route], max(0, hand[color] - memory.wanted[color]))
    return int(need + 6 * tables.symbols[route] + 3 * tables.tunnel[route] + tables.toll[route])


@compiled
def judge_routes(turn: Turn, n_trains: int, is_stuck: bool, values: Values) -> int:
    """
    Fill in the values for planned and other routes; return the number that the hand may be able to pay for.

    Routes outside the plan count only if the trains beyond the plan are enough for
    them, or if no card can be drawn.
    """
    state, tables, seat, params, memory = turn.state, turn.tables, turn.seat, turn.params, turn.memory
    hand, free = state.hand[seat], memory.free
    share = memory.gain_planned / max(1, memory.n_planned)
    price = params.extra_train_price * min(1.0, max(0.0, (turn.left - 2.0) / 8.0))
    least = 1 if is_stuck or turn.left < _LATE else _LONG
    has_trail = False
    for i in range(tables.n_bonuses):
        has_trail = has_trail or tables.bonus_measure[i] == MEASURE_TRAIL
    token_value, at_stake = token_terms(state, tables, seat, params)
    n_planned = memory.n_planned
    n_ready = 0
    for i in range(n_planned + tables.n_routes):
        is_plan = i < n_planned
        if is_plan:
            route = memory.plan[i]
            worth = share + tables.points[route] + params.rush * danger(turn, route)
        else:
            route = i - n_planned
            length = tables.length[route]
            if length < least or length > n_trains or state.owner[route] != NOBODY or memory.is_planned[route]:
                continue
            worth = tables.points[route] - price * length + params.denial * danger(turn, route)
            if has_trail:
                worth += trail_growth(tables, params, memory, route) * length
            if tables.tokens_each > 0:
                worth -= toll_cost(turn, route, token_value, at_stake)
            if not is_open(state, tables, seat, route) or (worth <= 0.0 and not is_stuck):
                continue
        color = tables.color[route]
        first = color
        last = color + 1
        own = hand[min(color, LOCOMOTIVE_INDEX)]
        if color == payment.GRAY_INDEX:
            first = 0 if is_plan else memory.top_color
            last = N_COLORS if is_plan else first + 1
            own = memory.most_held
        for c in range(first, last):
            held = own if is_plan and color != payment.GRAY_INDEX else free[c]
            _judge_color(turn, route, c, held, worth, values)
        jokers = free[LOCOMOTIVE_INDEX] if tables.jokers[route] or tables.symbols[route] else 0
        if tables.swap_size[route] > 0:
            own = min(own, tables.plain[route])
            jokers += (state.n_hand[seat] - own - jokers) // tables.swap_size[route]
        if is_stuck or own + jokers >= tables.length[route]:
            values.route[n_ready] = route
            values.worth[n_ready] = worth
            n_ready += 1
    return n_ready


@compiled
def _judge_color(turn: Turn, route: int, color: int, own: int, worth: float, values: Values) -> None:
    """
    Add the value of cards for one route, paid in one color with `own` cards of it.

    A route's points are spread over the draws it still needs plus the turn of claiming,
    which counts as two draws. A tunnel needs one card more than its length.
    """
    free, best, total = turn.memory.free, values.best, values.total
    spaces = spaces_at(turn.tables, route)
    size = spaces.swap_size
    locomotives = free[LOCOMOTIVE_INDEX]
    missing_symbols = max(0, spaces.symbols - locomotives)
    missing_color = max(0, spaces.plain + turn.tables.tunnel[route] - own)
    if spaces.jokers:
        missing_color = max(0, missing_color - max(0, locomotives - spaces.symbols))
    missing = float(missing_symbols + missing_color)
    if size > 0 and missing > 0.0:
        spare = turn.memory.n_spare - min(own, free[color])
        missing = max(1.0, missing - min(missing if spaces.swap_any else float(missing_symbols), spare / size))
    turns = turn.left
    if turn.memory.is_planned[route]:
        turns += turn.params.patience * (turn.others_left - turns)
    if missing > 2.0 * turns - 1.0:
        return
    share = worth / (missing + 2.0)
    if missing_color > 0:
        best[color] = max(best[color], share)
        total[color] += share
    if missing_symbols > 0 or (spaces.jokers and missing_color > 0):
        best[LOCOMOTIVE_INDEX] = max(best[LOCOMOTIVE_INDEX], share)
        total[LOCOMOTIVE_INDEX] += share
    if size > 0 and missing > 0.0:
        for kind in range(N_COLORS):
            best[kind] = max(best[kind], share / size)


@compiled
def danger(turn: Turn, route: int) -> float:
    """Return the trains that losing a route costs, weighted by how many of its ends rivals touch."""
    rivals = turn.memory.rivals[turn.tables.city_a[route]] + turn.memory.rivals[turn.tables.city_b[route]]
    return float(turn.facts.danger[route] * (_BASE_RISK + rivals) / DANGER_UNIT)


@compiled
def trail_growth(tables: Tables, params: Params, memory: Memory, route: int) -> float:
    """
    Return the points that each train of a route adds by extending the longest trail.

    A trail ends in cities where an odd number of routes meet. A route from such a city
    extends the trail, and a route between two of them joins two trails into one; from
    any other city a route is only a branch.
    """
    a, b = tables.city_a[route], tables.city_b[route]
    at_a, at_b = memory.degree[a], memory.degree[b]
    n_odd = at_a % 2 + at_b % 2
    if memory.label[a] == memory.label[b]:
        return params.trail_step if n_odd == _N_ENDS else 0.0
    if at_a == 0 and at_b == 0:
        return 0.0
    growth = params.trail_weight
    if at_a > 0 and at_b > 0:
        growth += params.trail_join + params.trail_step if n_odd == _N_ENDS else 0.5 * params.trail_join
    elif n_odd > 0:
        growth += params.trail_step
    return growth


# -- payments ------------------------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A form of payment: its cards, and their price in points (below 0 if the hand cannot pay)."""

    price: float
    color: int
    own: int
    locomotives: int
    n_sets: int


@compiled
def find_form(turn: Turn, route: int) -> Form:
    """Return the cheapest form of payment for a route."""
    state, params, memory = turn.state, turn.params, turn.memory
    spaces = spaces_at(turn.tables, route)
    own_want = spaces.plain if memory.is_planned[route] else 0
    length, color = turn.tables.length[route], turn.tables.color[route]
    hand, n_hand = state.hand[turn.seat], state.n_hand[turn.seat]
    locomotives = hand[LOCOMOTIVE_INDEX]
    best = Form(-1.0, 0, 0, 0, 0)
    for c in range(N_COLORS):
        if color not in (payment.GRAY_INDEX, c):
            continue
        held = min(hand[c], spaces.plain)
        fewest = payment.sets_needed(spaces, held, locomotives)
        if fewest < 0:
            continue
        most = min(fewest + 1, payment.most_sets(spaces))
        for n_sets in range(fewest, max(fewest, most) + 1):
            n_locomotives = max(payment.fewest_locomotives(spaces, n_sets), length - n_sets - held)
            if n_locomotives > min(locomotives, payment.most_locomotives(spaces, n_sets)):
                continue
            own = length - n_sets - n_locomotives
            if own < 0 or n_hand - own - n_locomotives < n_sets * spaces.swap_size:
                continue
            wanted = memory.wanted[c] - (own_want if color == c else 0)
            price = n_locomotives * params.locomotive_price + _price_cards(params, hand[c], wanted, own)
            if n_sets > 0:
                price += _price_sets(params, memory, hand, c, own, n_sets * spaces.swap_size)
            if best.price < 0.0 or price < best.price:
                best = Form(price, c, own, n_locomotives, n_sets)
    return best


@compiled
def _price_cards(params: Params, held: int, wanted: int, n: int) -> float:
    """Return the price in points of `n` cards of a color, given the numbers held and needed elsewhere."""
    n_wanted = min(n, max(0, n - max(0, held - wanted)))
    return float(n_wanted * params.wanted_price + (n - n_wanted) * params.spare_price)


@compiled
def _price_sets(params: Params, memory: Memory, hand: Ints, color: int, own: int, n: int) -> float:
    """Return the price in points of the cards in sets, starting with those that nothing needs."""
    spare = 0
    for c in range(N_COLORS):
        spare += max(0, hand[c] - memory.wanted[c] - (own if c == color else 0))
    n_spare = min(n, spare)
    return float(n_spare * params.spare_price + (n - n_spare) * params.wanted_price)


@compiled
def cards_of_form(turn: Turn, route: int, form: Form) -> int:
    """Return the packed cards of a form of payment; sets use the cheapest cards."""
    hand, cards = turn.state.hand[turn.seat], turn.memory.cards
    n_set_cards = form.n_sets * turn.tables.swap_size[route]
    payment.lay_cards(hand, form.color, form.own, form.locomotives, n_set_cards, turn.memory.wanted, cards)
    return pack_cards(cards)


# -- stations ------------------------------------------------------------------------------------------------------
#
# Toward the end of the game, the plan lists the tickets that claims can still complete. The others are lost unless a
# station borrows a route for them. The best route to borrow is found given the routes that existing stations borrow.
# In the last turn the plan no longer counts, and a station is compared with the best claim.

NO_ROUTE: Final = -1
NO_STATION: Final = -1
ANY_CITY: Final = -1
_LAST: Final = 2.0
"""With fewer turns left than this, it is the last turn."""


@compiled
def saving_station(turn: Turn, claim: int) -> tuple[int, int]:
    """Return a station worth building now rather than a claim (`NO_ROUTE` if none), and its cards, or `NO_STATION`."""
    state, tables, seat, memory = turn.state, turn.tables, turn.seat, turn.memory
    label = memory.label.copy()
    if turn.left >= _LAST:
        for i in range(memory.n_planned):
            join_ends(tables, memory.plan[i], label)
    points = borrow_for_stations(state, tables, seat, label)
    route, most = best_borrowed(state, tables, seat, ANY_CITY, label)
    if route == NO_ROUTE or most - points <= tables.station_points:
        return NO_STATION, 0
    instead = turn.params.route_price
    if turn.left < _LAST and claim != NO_ROUTE:
        join_ends(tables, claim, label)
        instead = float(tables.points[claim] + ticket_points(state, tables, seat, label) - points)
    price, cards = _cheapest_station(turn)
    if cards == 0 or most - points - tables.station_points - price <= instead:
        return NO_STATION, 0
    city = tables.city_a[route]
    if state.station_at[city] > 0:
        city = tables.city_b[route]
    return make_action(codes.BUILD_STATION, city), cards


@quickly_compiled
def borrow_for_stations(state: State, tables: Tables, seat: int, label: Ints) -> int:
    """Let each of a seat's stations borrow its best route in turn; return the points of its tickets."""
    for city in range(tables.n_cities):
        if state.station_at[city] == 1 + seat:
            route, _ = best_borrowed(state, tables, seat, city, label)
            if route != NO_ROUTE:
                join_ends(tables, route, label)
    return ticket_points(state, tables, seat, label)


@quickly_compiled
def best_borrowed(state: State, tables: Tables, seat: int, city: int, label: Ints) -> tuple[int, int]:
    """
    Return the best route to borrow for a seat's tickets, and the points of all tickets with it.

    The station is in `city`, or not built yet (`ANY_CITY`). The route is `NO_ROUTE` if
    none adds points.
    """
    joined = np.empty(MAX_CITIES, dtype=np.int64)
    best = NO_ROUTE
    most = ticket_points(state, tables, seat, label)
    for route in range(tables.n_routes):
        a, b = tables.city_a[route], tables.city_b[route]
        if label[a] == label[b] or not is_lent(state.owner[route], seat, NEUTRAL_OWNER, tables.lends_neutral):
            continue
        is_near = city in (a, b) or (city == ANY_CITY and (state.station_at[a] == 0 or state.station_at[b] == 0))
        if is_near:
            for other in range(tables.n_cities):
                joined[other] = label[other]
            join_ends(tables, route, joined)
            points = ticket_points(state, tables, seat, joined)
            if points > most:
                best, most = route, points
    return best, most


@compiled
def ticket_points(state: State, tables: Tables, seat: int, label: Ints) -> int:
    """Return the points that a seat's tickets would score."""
    points = 0
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET:
            points += ticket_score(goal_reached(tables, ticket, label), tables.goal_points, tables.penalty[ticket])
    return points


@compiled
def _cheapest_station(turn: Turn) -> tuple[float, int]:
    """Return the price and the packed cards of the cheapest station, 0 cards if there is none."""
    state, tables, seat, params = turn.state, turn.tables, turn.seat, turn.params
    cards = turn.memory.cards
    least = 0.0
    best = 0
    for number in range(n_station_forms(state, tables, seat)):
        form = station_cards(state, tables, seat, number)
        unpack_cards(form, cards)
        price = params.locomotive_price * cards[LOCOMOTIVE_INDEX]
        for color in range(LOCOMOTIVE_INDEX):
            is_wanted = state.hand[seat, color] - cards[color] < turn.memory.wanted[color]
            price += cards[color] * (params.wanted_price if is_wanted else params.spare_price)
        if best == 0 or price < least:
            least, best = price, form
    return least, best


# -- the last turn -------------------------------------------------------------------------------------------------
#
# Cards, trains and the plan no longer count. A claim is worth the points that it adds to the final score on the current
# board, times the probability that it succeeds.

_STEPS: Final = 1_000
"""Limit on steps in the search for the longest trail; beyond it, the search gives up."""


@compiled
def is_last_turn(turn: Turn) -> bool:
    """Return whether this is certainly the acting seat's last turn, and its parameters take that into account."""
    return turn.params.care > 0.0 and 0 <= turn.state.last_left <= turn.tables.n_seats


@compiled
def score_last(turn: Turn) -> tuple[int, int]:
    """Return the best claim or station of the last turn, and its cards; -1 if none adds points."""
    code, cards = _last_claim(turn)
    if turn.state.stations[turn.seat] > 0:
        station, paid = saving_station(turn, argument_of(code) if code >= 0 else NO_ROUTE)
        if station != NO_STATION:
            return station, paid
    return code, cards


@compiled
def _last_claim(turn: Turn) -> tuple[int, int]:
    """Return the claim that adds the most to a seat's final score, and its cards; -1 if none adds points."""
    state, tables, seat, memory = turn.state, turn.tables, turn.seat, turn.memory
    label = memory.label.copy()
    tickets = borrow_for_stations(state, tables, seat, label)
    trails = np.empty(MAX_SEATS, dtype=np.int64)
    hope = _measure_trails(state, tables, seat, trails)
    most = 0.0
    code = -1
    cards = 0
    for route in range(tables.n_routes):
        if route_fault(state, tables, seat, route) != codes.NONE or n_forms(state, tables, seat, route) == 0:
            continue
        gain = float(tables.points[route])
        for city in range(tables.n_cities):
            label[city] = memory.label[city]
        if join_ends(tables, route, label):
            gain += borrow_for_stations(state, tables, seat, label) - tickets
        if tables.toll[route] > 0:
            gain -= _exact_toll_cost(state, tables, seat, route)
        if gain + hope <= most:
            continue
        if hope > 0 and _may_overtake(turn, route, trails):
            gain += _trail_gain(state, tables, seat, route, trails)
        odds, form = _likeliest_form(state, tables, seat, route)
        if odds * gain > most:
            most = odds * gain
            code = make_action(codes.CLAIM_ROUTE, route)
            cards = form
    return code, cards


@compiled
def _likeliest_form(state: State, tables: Tables, seat: int, route: int) -> tuple[float, int]:
    """Return the payment most likely to succeed: the probability, and its cards."""
    if not tables.tunnel[route]:
        return 1.0, representative(state, tables, seat, route, 0)
    best = -1.0
    cards = 0
    for number in range(n_forms(state, tables, seat, route)):
        form = representative(state, tables, seat, route, number)
        odds = tunnel_odds(state, tables, seat, route, form)
        if odds > best:
            best, cards = odds, form
    return best, cards


@compiled
def _bonus(tables: Tables, seat: int, measure: int, amounts: Ints, loans: Ints) -> int:
    """Return a seat's points from the bonuses for one measure, given each seat's amount."""
    bonus = np.empty(tables.n_seats, dtype=np.int64)
    points = 0
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == measure:
            award_bonus(tables, i, amounts[: tables.n_seats], loans, bonus)
            points += int(bonus[seat])
    return points


@compiled
def _exact_toll_cost(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the points that a route's toll costs a seat at the end, in loans and in bonuses for tokens."""
    tokens, loans = state.tokens.copy(), state.loans.copy()
    before = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    twin = tables.twin[route]
    payee = toll_payee(NOBODY if twin < 0 else state.owner[twin], tables.n_seats, tables.pays_owner)
    settle_toll(tokens, loans, seat, payee, tables.toll[route])
    after = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    return int(before - after)


@compiled
def _measure_trails(state: State, tables: Tables, seat: int, trails: Ints) -> int:
    """Fill in each seat's longest trail; return the most points that a longer trail could add for this seat."""
    most = 0
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == MEASURE_TRAIL:
            most += tables.bonus_points[i, 0]
    if most > 0:
        for other in range(tables.n_seats):
            trails[other] = _longest_trail(tables, state.owner, other)
        most -= _bonus(tables, seat, MEASURE_TRAIL, trails, state.loans)
    return int(most)


@compiled
def _may_overtake(turn: Turn, route: int, trails: Ints) -> bool:
    """Return whether a route could bring a seat's longest trail level with a rival's."""
    tables, degree = turn.tables, turn.memory.degree
    if degree[tables.city_a[route]] > 0 and degree[tables.city_b[route]] > 0:
        return True
    longer = trails[turn.seat] + tables.length[route]
    for other in range(tables.n_seats):
        if trails[turn.seat] < trails[other] <= longer:
            return True
    return False


@compiled
def _trail_gain(state: State, tables: Tables, seat: int, route: int, trails: Ints) -> int:
    """Return the points that a route adds in bonuses for the longest trail."""
    owner = state.owner.copy()
    owner[route] = seat
    longer = trails.copy()
    longer[seat] = _longest_trail(tables, owner, seat)
    before = _bonus(tables, seat, MEASURE_TRAIL, trails, state.loans)
    return _bonus(tables, seat, MEASURE_TRAIL, longer, state.loans) - before


@compiled
def _longest_trail(tables: Tables, owner: Ints, seat: int) -> int:
    """Return the longest trail of a seat, below 0 if the search gives up."""
    n = tables.n_routes
    trail = np.empty(MAX_ROUTES, dtype=np.int8)
    return walked_trail(
        tables.city_a[:n], tables.city_b[:n], tables.length[:n], owner[:n], seat, tables.n_cities, _STEPS, trail
    )
