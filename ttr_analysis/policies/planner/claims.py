"""Claims: what routes and cards are worth to a planner, how it pays, its stations, and its last turn."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
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
from ttr_analysis.rules.money import settle_toll, toll_payee
from ttr_analysis.rules.payment import (
    GRAY_INDEX,
    fewest_locomotives,
    fill_sets,
    most_locomotives,
    most_sets,
    sets_needed,
)
from ttr_analysis.rules.scoring import ticket_score
from ttr_analysis.rules.stations import is_lent
from ttr_analysis.rules.trails import walked_trail
from ttr_analysis.tables import MAX_CITIES, MAX_ROUTES, MAX_SEATS, MEASURE_TOKENS, MEASURE_TRAIL, Tables, spaces_at

_LONG: Final = 3
"""Shorter routes outside the plan are left for the end."""
_LATE: Final = 6.0
"""Turns left at which it is near."""
_CALM: Final = 0.3
"""How likely a route is wanted at which nobody builds, in the same unit as the ends at which somebody does."""
_BOTH: Final = 2
"""Ends of a route."""


class Values(NamedTuple):
    """
    What cards and routes are worth.

    `best` and `total` have the highest value of a card of each kind for one route,
    and its sum over routes; `route` and `worth` the routes that the hand may pay
    for, those of the plan first.
    """

    best: Floats
    total: Floats
    route: Ints
    worth: Floats


@compiled
def want_cards(turn: Turn) -> int:
    """
    Note the cards that the plan needs and those that it leaves free; return the trains that it leaves.

    Of a double route the track is planned of whose color fewer cards are missing.
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
        if tables.color[route] != GRAY_INDEX:
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
    """Return roughly how many cards of a hand a route needs, in quarters; a toll counts a little."""
    color = tables.color[route]
    need = tables.plain[route] * 4
    if color == GRAY_INDEX:
        need -= 6
    else:
        need -= 4 * min(tables.plain[route], max(0, hand[color] - memory.wanted[color]))
    return int(need + 6 * tables.symbols[route] + 3 * tables.tunnel[route] + tables.toll[route])


@compiled
def judge_routes(turn: Turn, n_trains: int, is_stuck: bool, values: Values) -> int:
    """
    Fill in values, from 0 on, for the plan and other routes; return how many the hand may pay for.

    If no card can be drawn every route counts, else those that the trains beyond
    the plan suffice for.
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
        if color == GRAY_INDEX:
            first = 0 if is_plan else memory.top_color
            last = N_COLORS if is_plan else first + 1
            own = memory.most_held
        for c in range(first, last):
            held = own if is_plan and color != GRAY_INDEX else free[c]
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
    Note what cards are worth for one route, paid in one color with `own` cards of it.

    A route is worth more the fewer draws it still needs: its points, shared out
    over the draws and the turn of claiming, which counts as two. A tunnel
    needs one card more than its length.
    """
    free, best, total = turn.memory.free, values.best, values.total
    spaces = spaces_at(turn.tables, route)
    size = spaces.swap_size
    locomotives = free[LOCOMOTIVE_INDEX]
    no_symbols = max(0, spaces.symbols - locomotives)
    no_color = max(0, spaces.plain + turn.tables.tunnel[route] - own)
    if spaces.jokers:
        no_color = max(0, no_color - max(0, locomotives - spaces.symbols))
    missing = float(no_symbols + no_color)
    if size > 0 and missing > 0.0:
        spare = turn.memory.n_spare - min(own, free[color])
        missing = max(1.0, missing - min(missing if spaces.swap_any else float(no_symbols), spare / size))
    turns = turn.left
    if turn.memory.is_planned[route]:
        turns += turn.params.patience * (turn.others_left - turns)
    if missing > 2.0 * turns - 1.0:
        return
    share = worth / (missing + 2.0)
    if no_color > 0:
        best[color] = max(best[color], share)
        total[color] += share
    if no_symbols > 0 or (spaces.jokers and no_color > 0):
        best[LOCOMOTIVE_INDEX] = max(best[LOCOMOTIVE_INDEX], share)
        total[LOCOMOTIVE_INDEX] += share
    if size > 0 and missing > 0.0:
        for kind in range(N_COLORS):
            best[kind] = max(best[kind], share / size)


@compiled
def danger(turn: Turn, route: int) -> float:
    """Return trains that it costs to lose a route, by how likely somebody wants it who builds at one of its ends."""
    rivals = turn.memory.rivals[turn.tables.city_a[route]] + turn.memory.rivals[turn.tables.city_b[route]]
    return float(turn.facts.danger[route] * (_CALM + rivals) / DANGER_UNIT)


@compiled
def trail_growth(tables: Tables, params: Params, memory: Memory, route: int) -> float:
    """
    Return what each train of a route adds to the trail through the own network, in points.

    A trail ends where an odd number of routes meet. From there a route leads
    it on, and a route between two such cities makes one trail of two parts;
    from any other city it would be a branch.
    """
    a, b = tables.city_a[route], tables.city_b[route]
    at_a, at_b = memory.degree[a], memory.degree[b]
    n_odd = at_a % 2 + at_b % 2
    if memory.label[a] == memory.label[b]:
        return params.trail_step if n_odd == _BOTH else 0.0
    if at_a == 0 and at_b == 0:
        return 0.0
    growth = params.trail_weight
    if at_a > 0 and at_b > 0:
        growth += params.trail_join + params.trail_step if n_odd == _BOTH else 0.5 * params.trail_join
    elif n_odd > 0:
        growth += params.trail_step
    return growth


# -- payments ------------------------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A form of payment: the points that its cards are missed, below 0 if the hand does not pay, and what they are."""

    price: float
    color: int
    own: int
    locomotives: int
    n_sets: int


@compiled
def find_form(turn: Turn, route: int) -> Form:
    """Return the form of payment for a route whose cards are missed least."""
    state, params, memory = turn.state, turn.params, turn.memory
    spaces = spaces_at(turn.tables, route)
    own_want = spaces.plain if memory.is_planned[route] else 0
    length, color = turn.tables.length[route], turn.tables.color[route]
    hand, n_hand = state.hand[turn.seat], state.n_hand[turn.seat]
    locomotives = hand[LOCOMOTIVE_INDEX]
    best = Form(-1.0, 0, 0, 0, 0)
    for c in range(N_COLORS):
        if color not in (GRAY_INDEX, c):
            continue
        held = min(hand[c], spaces.plain)
        fewest = sets_needed(spaces, held, locomotives)
        if fewest < 0:
            continue
        most = min(fewest + 1, most_sets(spaces))
        for n_sets in range(fewest, max(fewest, most) + 1):
            n_locomotives = max(fewest_locomotives(spaces, n_sets), length - n_sets - held)
            if n_locomotives > min(locomotives, most_locomotives(spaces, n_sets)):
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
    """Return the points that `n` of the cards held of a color are missed, when some are wanted elsewhere."""
    n_wanted = min(n, max(0, n - max(0, held - wanted)))
    return float(n_wanted * params.wanted_price + (n - n_wanted) * params.spare_price)


@compiled
def _price_sets(params: Params, memory: Memory, hand: Ints, color: int, own: int, n: int) -> float:
    """Return the points that the cards of sets are missed: first those that nothing needs."""
    spare = 0
    for c in range(N_COLORS):
        spare += max(0, hand[c] - memory.wanted[c] - (own if c == color else 0))
    n_spare = min(n, spare)
    return float(n_spare * params.spare_price + (n - n_spare) * params.wanted_price)


@compiled
def cards_of_form(turn: Turn, route: int, form: Form) -> int:
    """Return the cards of a form of payment, packed; those of sets are the ones that are least missed."""
    memory = turn.memory
    n_set_cards = form.n_sets * turn.tables.swap_size[route]
    cards = memory.cards[:N_KINDS]
    cards.fill(0)
    if n_set_cards > 0:
        left = memory.cards[N_KINDS : 2 * N_KINDS]
        rank = memory.cards[2 * N_KINDS : 3 * N_KINDS]
        left[:] = turn.state.hand[turn.seat]
        left[form.color] -= form.own
        left[LOCOMOTIVE_INDEX] -= form.locomotives
        rank[LOCOMOTIVE_INDEX] = 1
        fill_sets(left, n_set_cards, rank, memory.wanted, cards)
    cards[form.color] += form.own
    cards[LOCOMOTIVE_INDEX] += form.locomotives
    return pack_cards(cards)


# -- stations ------------------------------------------------------------------------------------------------------
#
# Toward the end of the game the plan says which tickets are still to be completed by claims. The others are lost,
# unless a station lends a route of another. The best such route is looked for beside those that the stations already
# built lend. In the last turn the plan counts for nothing, and a station is weighed against the claim.

NO_ROUTE: Final = -1
NO_STATION: Final = -1
ANY_CITY: Final = -1
_LAST: Final = 2.0
"""Fewer turns left are the last one."""


@compiled
def saving_station(turn: Turn, claim: int) -> tuple[int, int]:
    """Return the station worth building now in place of a claim (or `NO_ROUTE`), and its cards, or `NO_STATION`."""
    state, tables, seat, memory = turn.state, turn.tables, turn.seat, turn.memory
    label = memory.label.copy()
    if turn.left >= _LAST:
        for i in range(memory.n_planned):
            join_ends(tables, memory.plan[i], label)
    points = lend_to_stations(state, tables, seat, label)
    route, most = best_lent(state, tables, seat, ANY_CITY, label)
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
def lend_to_stations(state: State, tables: Tables, seat: int, label: Ints) -> int:
    """Join what a seat's stations lend, each in turn what is best; return the points of its tickets."""
    for city in range(tables.n_cities):
        if state.station_at[city] == 1 + seat:
            route, _ = best_lent(state, tables, seat, city, label)
            if route != NO_ROUTE:
                join_ends(tables, route, label)
    return ticket_points(state, tables, seat, label)


@quickly_compiled
def best_lent(state: State, tables: Tables, seat: int, city: int, label: Ints) -> tuple[int, int]:
    """
    Return the route of another that adds most to a seat's tickets, and the points of all of them with it.

    Its station is in `city`, or is yet to be built (`ANY_CITY`). The route is
    `NO_ROUTE` if none adds any.
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
    """Return what the tickets of a seat would score."""
    points = 0
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET:
            points += ticket_score(goal_reached(tables, ticket, label), tables.goal_points, tables.penalty[ticket])
    return points


@compiled
def _cheapest_station(turn: Turn) -> tuple[float, int]:
    """Return what the cards of a station that are missed least are worth, and these cards; 0 cards for none."""
    state, tables, seat, params = turn.state, turn.tables, turn.seat, turn.params
    cards = turn.memory.cards[:N_KINDS]
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
# Cards, trains and the plan are worth nothing then. A claim is worth what it adds to the final score if the others'
# claims are done, times the odds that it succeeds.

_STEPS: Final = 1_000
"""Steps of the search for a trail, after which it is taken for none."""


@compiled
def is_last_turn(turn: Turn) -> bool:
    """Return whether the seat that acts is known to have no turn after this one, and minds it."""
    return turn.params.care > 0.0 and 0 <= turn.state.last_left <= turn.tables.n_seats


@compiled
def score_last(turn: Turn) -> tuple[int, int]:
    """Return the best claim or station of a last turn, and its cards; -1 if none adds points."""
    code, cards = _last_claim(turn)
    if turn.state.stations[turn.seat] > 0:
        station, paid = saving_station(turn, argument_of(code) if code >= 0 else NO_ROUTE)
        if station != NO_STATION:
            return station, paid
    return code, cards


@compiled
def _last_claim(turn: Turn) -> tuple[int, int]:
    """Return the claim that adds most to a seat's final score, and its cards; -1 if none adds any."""
    state, tables, seat, memory = turn.state, turn.tables, turn.seat, turn.memory
    label = memory.label.copy()
    tickets = lend_to_stations(state, tables, seat, label)
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
            gain += lend_to_stations(state, tables, seat, label) - tickets
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
    """Return the odds that a claim succeeds, and the cards with which they are best."""
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
    """Return the points of a seat in the bonuses for one measure, of which each seat has an amount."""
    bonus = np.empty(tables.n_seats, dtype=np.int64)
    points = 0
    for i in range(tables.n_bonuses):
        if tables.bonus_measure[i] == measure:
            award_bonus(tables, i, amounts[: tables.n_seats], loans, bonus)
            points += int(bonus[seat])
    return points


@compiled
def _exact_toll_cost(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the points that the toll of a route costs a seat at the end: in loans, and in bonuses for tokens."""
    tokens, loans = state.tokens.copy(), state.loans.copy()
    before = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    twin = tables.twin[route]
    payee = toll_payee(NOBODY if twin < 0 else state.owner[twin], tables.n_seats, tables.pays_owner)
    settle_toll(tokens, loans, seat, payee, tables.toll[route])
    after = _bonus(tables, seat, MEASURE_TOKENS, tokens, loans) - tables.loan_penalty * loans[seat]
    return int(before - after)


@compiled
def _measure_trails(state: State, tables: Tables, seat: int, trails: Ints) -> int:
    """Fill in the longest trail of each seat, and return how many points more that of one might score."""
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
    """Return whether a route may bring the longest trail up to that of another; a branch adds its length at most."""
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
    """Return the points that a route adds to the bonuses for the longest trail."""
    owner = state.owner.copy()
    owner[route] = seat
    longer = trails.copy()
    longer[seat] = _longest_trail(tables, owner, seat)
    before = _bonus(tables, seat, MEASURE_TRAIL, trails, state.loans)
    return _bonus(tables, seat, MEASURE_TRAIL, longer, state.loans) - before


@compiled
def _longest_trail(tables: Tables, owner: Ints, seat: int) -> int:
    """Return the longest trail of a seat; below 0 if it is not found at once."""
    n = tables.n_routes
    trail = np.empty(MAX_ROUTES, dtype=np.int8)
    return walked_trail(
        tables.city_a[:n], tables.city_b[:n], tables.length[:n], owner[:n], seat, tables.n_cities, _STEPS, trail
    )
