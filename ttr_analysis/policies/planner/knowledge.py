"""
A planner's knowledge of a map and a game, and the cheapest networks on the current board.

`analysis.tickets` computes networks from the distances between all cities, which suits
many questions about one board. A planner asks one question per board. So the cities
connected by its own routes become one *node*, closed routes are left out, and, for few
tickets, paths are followed only from their ends. The algorithm is that of
`analysis.tickets.steiner`, which also splits the tickets among trees. Trees that touch
sets of *groups* of nodes are grown here, in int32, which a processor adds twice as fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, Narrow, Record, block, cell, compiled
from ttr_analysis.analysis.tickets.steiner import first_tree, forest_cost
from ttr_analysis.cards import N_COLORS, N_KINDS
from ttr_analysis.engine.codes import NONE
from ttr_analysis.engine.kernel.claims import track_fault
from ttr_analysis.engine.kernel.scoring import join_ends
from ttr_analysis.engine.layout import NOBODY, State
from ttr_analysis.maps.toml_files import DECIMALS, NUMBERS
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.tables import MAX_CITIES, MAX_GOALS, MAX_ROUTES, MAX_SEATS, MAX_TICKETS, MEASURE_TOKENS, Tables


class Memory(Record):
    """What a planner remembers of a game and of its plan."""

    stream = block(KEY_SIZE)
    """The seat's random stream."""
    is_awake = cell()
    """0 before the planner first sees the game."""
    degree = block(MAX_CITIES)
    """Number of own routes at each city."""
    rivals = block(MAX_CITIES)
    """1 for each city with routes of other players."""
    n_seen = cell()
    """Claims seen so far."""
    n_tickets_planned = cell()
    """Tickets held when the plan was made."""
    is_stale = cell()
    """1 if the plan must be remade."""
    n_planned = cell()
    """Number of routes of the plan still to claim."""
    gain_planned = cell()
    """Points expected from completing the tickets in the plan, compared with now."""
    left_planned = cell()
    """Turns left when the plan was made."""
    board_foreseen = cell()
    """A hash of the board for which `foreseen` was computed."""
    foreseen = cell()
    """What tickets in the pile add to the value of a draw, in fractions of a point."""
    label = block(MAX_CITIES)
    """A label for each city, equal for cities connected by the seat's own routes."""
    plan = block(MAX_ROUTES)
    """The routes of the plan."""
    is_planned = block(MAX_ROUTES)
    """1 for each route of the plan."""
    was_offered = block(MAX_TICKETS)
    """1 for each ticket that the seat was ever offered."""
    wanted = block(N_KINDS)
    """Cards of each kind that the plan needs."""
    free = block(N_KINDS)
    """Cards of each color beyond those needed, and all locomotives."""
    n_spare = cell()
    """Free cards of all colors together."""
    top_color = cell()
    """The color with the most free cards."""
    most_held = cell()
    """The most cards held of one color."""
    cards = block(N_KINDS)
    """Work space for a payment."""


class Params(Record, dtype=np.float64, names=NUMBERS):
    """The parameters of a `Strategy`, in its order."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> float: ...


class MapFacts(Record):
    """A planner's knowledge of a map before the first game."""

    goal_trains = block(MAX_GOALS)
    """Fewest trains from a ticket's origin to each destination, in the order of the tables."""
    danger = block(MAX_ROUTES)
    """Trains of the detour around each route times the share of tickets that may use it, in thousandths."""
    numbers = block(Params.n_cells)
    """The planners' parameters on the map, in the order of `Params`, in millionths."""


DANGER_UNIT: Final = 1000
NUMBER_UNIT: Final = 10**DECIMALS
_CALMEST: Final = 0.05
"""Minimum factor by which `token_calm` scales the spread of tokens."""
UNTOLD: Final = -1e12
"""Stands for a parameter that the map provides."""


class Turn(NamedTuple):
    """
    A decision to make: the game as a seat sees it, with its strategy and memory.

    `left` is the turns it expects to have, `others_left` those if another player ends the game.
    """

    state: State
    tables: Tables
    facts: MapFacts
    seat: int
    params: Params
    memory: Memory
    left: float
    others_left: float


# -- the board -----------------------------------------------------------------------------------------------------


@compiled
def is_open(state: State, tables: Tables, seat: int, route: int) -> bool:
    """Return whether a route is free for a seat, regardless of trains and tolls."""
    return track_fault(state, tables, seat, route) == NONE


@compiled
def observe(state: State, tables: Tables, seat: int, memory: Memory) -> None:
    """Process new claims, and mark the plan as stale if they affect it."""
    if not memory.is_awake:
        memory.is_awake = 1
        for city in range(tables.n_cities):
            memory.label[city] = city
    for i in range(memory.n_seen, state.n_claims):
        route = state.claimed[i]
        if state.owner[route] == seat:
            join_ends(tables, route, memory.label)
            memory.degree[tables.city_a[route]] += 1
            memory.degree[tables.city_b[route]] += 1
            if not drop_planned(tables, route, memory) and memory.n_planned > 0:
                memory.is_stale = 1
        else:
            memory.rivals[tables.city_a[route]] = memory.rivals[tables.city_b[route]] = 1
            _lose_route(state, tables, seat, route, memory)
    memory.n_seen = state.n_claims
    if memory.n_tickets_planned != state.n_held[seat]:
        memory.is_stale = 1


@compiled
def drop_planned(tables: Tables, route: int, memory: Memory) -> bool:
    """Remove a route, or its twin, from the plan; return whether it was there."""
    if not memory.is_planned[route]:
        twin = tables.twin[route]
        if twin < 0 or not memory.is_planned[twin]:
            return False
        route = twin
    memory.is_planned[route] = 0
    memory.n_planned -= 1
    last = memory.plan[memory.n_planned]
    at = 0
    while memory.plan[at] != route:
        at += 1
    memory.plan[at] = last
    return True


@compiled
def _lose_route(state: State, tables: Tables, seat: int, route: int, memory: Memory) -> None:
    """Note another player's claim; the twin may replace the route in the plan."""
    twin = tables.twin[route]
    if memory.is_planned[route]:
        drop_planned(tables, route, memory)
        if twin >= 0 and is_open(state, tables, seat, twin):
            add_planned(twin, memory)
        else:
            memory.is_stale = 1
    elif twin >= 0 and memory.is_planned[twin] and not is_open(state, tables, seat, twin):
        drop_planned(tables, twin, memory)
        memory.is_stale = 1


@compiled
def add_planned(route: int, memory: Memory) -> None:
    """Add a route to the plan."""
    memory.plan[memory.n_planned] = route
    memory.n_planned += 1
    memory.is_planned[route] = 1


@compiled
def take_plan(state: State, tables: Tables, seat: int, memory: Memory, other: Memory, route: int) -> None:
    """
    Replace a plan with that of another memory for the same number of tickets, and add `route` unless below 0.

    Routes that the seat has by now are left out. Few turns left do not make the plan stale; a route that is no longer
    free does, and so do too few trains for all.
    """
    if other.n_tickets_planned != memory.n_tickets_planned:
        return
    for i in range(memory.n_planned):
        memory.is_planned[memory.plan[i]] = 0
    memory.n_planned = 0
    n_trains = 0
    for i in range(other.n_planned + 1):
        planned = other.plan[i] if i < other.n_planned else route
        if planned < 0 or memory.is_planned[planned]:
            continue
        twin = tables.twin[planned]
        if twin >= 0 and (memory.is_planned[twin] or state.owner[twin] == seat):
            continue  # one track is enough
        if is_open(state, tables, seat, planned):
            add_planned(planned, memory)
            n_trains += tables.length[planned]
        elif state.owner[planned] != seat:
            memory.is_stale = 1
    if n_trains > state.trains[seat]:
        memory.is_stale = 1
    memory.gain_planned = other.gain_planned
    memory.left_planned = 0  # so that it is not remade because few turns are left
    memory.board_foreseen = 0


@compiled
def turns_left(state: State, tables: Tables, seat: int, params: Params) -> tuple[float, float]:
    """
    Estimate the turns a seat will still have, including this one, and how many if others end the game.

    Both are exact in the last round.
    """
    n_seats = tables.n_seats
    if state.last_left >= 0:
        last = float(1.0 + (state.last_left - 1) // n_seats)
        return last, last
    own = fewest = 1e9
    for other in range(n_seats):
        trains = max(0, state.trains[other] - tables.last_round_at)
        cards = max(0.0, trains - 0.7 * state.n_hand[other])
        turns = cards / params.cards_per_turn + trains / params.trains_per_claim
        if other == seat:
            own = turns
        else:
            fewest = min(fewest, turns + 0.5)
    return float(max(1.0, min(own, fewest)) + tables.last_turns), float(max(1.0, fewest) + tables.last_turns)


@compiled
def token_terms(state: State, tables: Tables, seat: int, params: Params) -> tuple[float, float]:
    """Return the expected bonus for one more token, and the expected bonus, which a loan may forfeit."""
    token_value = 0.0
    at_stake = 0.0
    if tables.tokens_each == 0:
        return token_value, at_stake
    spread = params.token_spread + params.seat_spread * (tables.n_seats - 2)
    spread *= max(_CALMEST, 1.0 - params.token_calm * (1.0 - state.trains[seat] / tables.trains_each))
    for i in range(tables.n_bonuses):
        points = tables.bonus_points[i]
        without_loans = tables.bonus_without_loans[i]
        if tables.bonus_measure[i] != MEASURE_TOKENS or (without_loans and state.loans[seat] > 0):
            continue
        rank = 0.0
        slope = 0.0
        for other in range(tables.n_seats):
            if other != seat and not (without_loans and state.loans[other] > 0):
                behind = (state.tokens[other] - state.tokens[seat]) / spread
                share = 1.0 + abs(behind)
                rank += 0.5 + 0.5 * behind / share
                slope += 0.5 / (share * share * spread)
        whole = int(rank)
        step = points[whole] - points[whole + 1] if whole + 1 < MAX_SEATS else 0
        token_value += float(slope * step)
        at_stake += points[whole] - (rank - whole) * step
    return token_value, at_stake


@compiled
def toll_cost(turn: Turn, route: int, token_value: float, at_stake: float) -> float:
    """Return the points that a route's toll costs a seat: tokens, or a loan and a forfeited bonus."""
    state, tables, seat = turn.state, turn.tables, turn.seat
    toll, twin = tables.toll[route], tables.twin[route]
    if toll <= state.tokens[seat]:
        is_paid_to_rival = tables.pays_owner and twin >= 0 and state.owner[twin] != NOBODY
        return float(toll * token_value * (1.0 + (turn.params.owner_price if is_paid_to_rival else 0.0)))
    return float(tables.loan_penalty + at_stake)


# -- the cheapest networks -----------------------------------------------------------------------------------------

UNREACHABLE: Final = 1 << 29
"""The cost of an impossible network; two of them still add up within int32."""
ROUTE_BITS: Final = (1 << 6) - 1
TRAIN_SHIFT: Final = 6
TRAIN_BITS: Final = (1 << 8) - 1
POINT_SHIFT: Final = 14
"""Costs are 16ths of points << 14, plus trains << 6, plus routes, so comparing costs compares these in order."""
POINT_UNIT: Final = 16.0
_MAX_POINTS: Final = 40.0
"""The highest cost of a route; networks stay far below `UNREACHABLE`."""

HEAD: Final = 0
COST: Final = 1
ROUTE: Final = 2
"""Columns of `Board.arcs`: the node the arc leads to, its cost, and its route."""

_LANES: Final = 16
"""Rows of costs are padded to a multiple of this length, for vector instructions."""
_FEW_SETS: Final = 8
"""Maximum number of sets of groups for which paths are followed one by one, without computing all distances first."""


class Board(NamedTuple):
    """
    The free routes that a seat has trains for, between the nodes formed by its own routes.

    `start` has the first row of each node in `arcs`, plus one cell for the end.
    """

    node: Ints
    start: Ints
    arcs: Ints


class Networks(NamedTuple):
    """
    The cheapest networks for all sets of some tickets.

    `members` is 1 where a group has a node; `grown` is the cost of the cheapest tree that
    touches a node and a set of groups, without the last group; `touch`, `tree` and
    `forest` are the groups at the ends of each set of tickets, and the costs of their best
    tree and network.
    """

    board: Board
    members: Ints
    grown: Narrow
    touch: Ints
    tree: Ints
    forest: Ints


@compiled
def lay_board(turn: Turn, label: Ints) -> Board:
    """Return the board of a seat, with one node for all cities of the same label."""
    state, tables, params = turn.state, turn.tables, turn.params
    token_value, at_stake = token_terms(state, tables, turn.seat, params)
    node, number = np.empty(MAX_CITIES, dtype=np.int64), np.full(MAX_CITIES, -1, dtype=np.int64)
    n = 0
    for city in range(tables.n_cities):
        part = label[city]
        if number[part] < 0:
            number[part] = n
            n += 1
        node[city] = number[part]
    start, cost = np.zeros(MAX_CITIES + 1, dtype=np.int64), np.zeros(MAX_ROUTES, dtype=np.int64)
    arcs = np.empty((2 * MAX_ROUTES, 3), dtype=np.int64)
    for r in range(tables.n_routes):
        length = tables.length[r]
        a = node[tables.city_a[r]]
        b = node[tables.city_b[r]]
        if a == b or length > state.trains[turn.seat] or not is_open(state, tables, turn.seat, r):
            continue
        points = params.train_price * length + params.route_price + params.symbol_price * tables.symbols[r]
        points += params.tunnel_price * tables.tunnel[r] - params.point_weight * tables.points[r]
        if params.hand_part > 0.0:
            points -= params.hand_part * _cards_for(state, tables, turn.seat, r)
        points = max(points, params.least_part * params.train_price * length)
        if tables.tokens_each > 0:
            points += toll_cost(turn, r, token_value, at_stake)
        points = min(points, _MAX_POINTS)
        cost[r] = (int(points * POINT_UNIT) << POINT_SHIFT) + (length << TRAIN_SHIFT) + 1
        start[a] += 1
        start[b] += 1
    for a in range(n):
        start[a + 1] += start[a]
    for r in range(tables.n_routes):
        if cost[r] > 0:
            for end in range(2):
                a = node[tables.city_a[r]]
                b = node[tables.city_b[r]]
                if end:
                    a, b = b, a
                start[a] -= 1
                arcs[start[a], HEAD] = b
                arcs[start[a], COST] = cost[r]
                arcs[start[a], ROUTE] = r
    return Board(node, start[: n + 1], arcs)


@compiled
def _cards_for(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the cards in hand of a route's color (for gray, the color held most), at most its plain spaces."""
    most = 0
    for color in range(N_COLORS):
        if tables.color[route] in (GRAY_INDEX, color):
            most = max(most, state.hand[seat, color])
    return int(min(most, tables.plain[route]))


@compiled
def spread(board: Board, row: Narrow) -> None:
    """Lower a row's costs to those of the cheapest paths from its nodes."""
    start, arcs = board.start, board.arcs
    n = row.size
    queue, waiting = np.empty(MAX_CITIES, dtype=np.int64), np.zeros(MAX_CITIES, dtype=np.int64)
    n_queue = 0
    for v in range(n):
        if row[v] < UNREACHABLE:
            queue[n_queue] = v
            waiting[v] = 1
            n_queue += 1
    at = 0
    while n_queue:
        u = queue[at]
        at = at + 1 if at + 1 < n else 0
        n_queue -= 1
        waiting[u] = 0
        for arc in range(start[u], start[u + 1]):
            v = arcs[arc, HEAD]
            onward = row[u] + arcs[arc, COST]
            if onward < row[v]:
                row[v] = onward
                if not waiting[v]:
                    waiting[v] = 1
                    end = at + n_queue
                    queue[end if end < n else end - n] = v
                    n_queue += 1


@compiled
def all_costs(board: Board, n: int) -> Narrow:
    """Return the costs of the cheapest paths between all `n` nodes, in padded rows; none for 0 nodes."""
    distance = np.full((n, (n + _LANES - 1) // _LANES * _LANES), UNREACHABLE, dtype=np.int32)
    _shorten(board, distance)
    return distance


@compiled
def _shorten(board: Board, distance: Narrow) -> None:
    """Lower the costs between nodes to those of the cheapest paths."""
    n, width = distance.shape
    for u in range(n):
        row = distance[u]
        row[u] = 0
        for arc in range(board.start[u], board.start[u + 1]):
            v = board.arcs[arc, HEAD]
            row[v] = min(row[v], board.arcs[arc, COST])
    onward = np.empty(MAX_CITIES, dtype=np.int32)
    for middle in range(n):
        onward[:width] = distance[middle]
        for u in range(n):
            near = onward[u]
            if near >= UNREACHABLE:
                continue
            row = distance[u]
            for first in range(0, width, _LANES):
                for lane in range(_LANES):
                    v = first + lane
                    both = np.int32(near + onward[v])
                    row[v] = both if both < row[v] else row[v]  # noqa: FURB136 - `min` would widen both


@compiled
def solve(board: Board, members: Ints, ends: Ints, n_tickets: int) -> Networks:
    """
    Return the cheapest networks for all sets of the first tickets.

    The last group is the root of the trees that touch it; `ends` has the groups at the
    ends of each ticket, as bits.
    """
    n = members.shape[1]
    grown = np.empty((1 << max(0, len(members) - 1), (n + _LANES - 1) // _LANES * _LANES), dtype=np.int32)
    _grow_trees(board, members, all_costs(board, n if len(grown) > _FEW_SETS else 0), grown)
    touch = np.zeros(1 << n_tickets, dtype=np.int64)
    networks = Networks(board, members, grown, touch, touch.copy(), touch.copy())
    _split_tickets(networks, ends)
    return networks


@compiled
def _grow_trees(board: Board, members: Ints, distance: Narrow, grown: Narrow) -> None:
    """
    Fill in the cost of the cheapest tree that touches each set of groups and each node.

    Rows are processed in blocks of `_LANES`, each of which stays in registers. Without
    distances, paths are followed.
    """
    n, width = members.shape[1], grown.shape[1]
    merged = np.empty(MAX_CITIES, dtype=np.int32)
    costs = np.empty(_LANES, dtype=np.int32)
    group = 0
    for mask in range(1, grown.shape[0]):
        low = mask & -mask
        rest = mask ^ low
        if rest == 0:
            for v in range(width):
                merged[v] = 0 if v < n and members[group, v] else UNREACHABLE
            group += 1
        else:
            for first in range(0, width, _LANES):
                costs.fill(UNREACHABLE)
                part = rest
                while part:
                    # Two smaller trees meet in a node; the one with the lowest group is `low | part`.
                    part = (part - 1) & rest
                    one = grown[low | part, first : first + _LANES]
                    other = grown[rest ^ part, first : first + _LANES]
                    for lane in range(_LANES):
                        both = np.int32(one[lane] + other[lane])
                        costs[lane] = both if both < costs[lane] else costs[lane]  # noqa: FURB136 - as above
                merged[first : first + _LANES] = costs
        if distance.shape[0] == 0:
            grown[mask] = merged[:width]
            spread(board, grown[mask, :n])
            continue
        for first in range(0, width, _LANES):
            # From where two trees meet, or from an end, the tree continues to all other nodes.
            costs.fill(UNREACHABLE)
            for u in range(n):
                onward = distance[u, first : first + _LANES]
                near = merged[u]
                for lane in range(_LANES):
                    both = np.int32(near + onward[lane])
                    costs[lane] = both if both < costs[lane] else costs[lane]  # noqa: FURB136 - as above
            grown[mask, first : first + _LANES] = costs


@compiled
def _split_tickets(networks: Networks, ends: Ints) -> None:
    """Fill in the cheapest networks for each set of tickets, given the trees that touch sets of groups."""
    members, grown = networks.members, networks.grown
    touch, tree, forest = networks.touch, networks.tree, networks.forest
    root = members[len(members) - 1]
    ticket = 0
    for subset in range(1, tree.size):
        if subset == 1 << (ticket + 1):
            ticket += 1
        mask = touch[subset ^ (1 << ticket)] | ends[ticket]
        rest = mask & (grown.shape[0] - 1)
        cost = UNREACHABLE
        for v in range(members.shape[1]):
            if rest == mask or root[v]:
                cost = min(cost, grown[rest, v])
        touch[subset] = mask
        tree[subset] = cost
        forest[subset] = forest_cost(tree, forest, subset)


@compiled
def plan_network(networks: Networks, tickets: int, memory: Memory) -> None:
    """Add the routes of the cheapest network for a set of tickets to the plan."""
    start, arcs, grown = networks.board.start, networks.board.arcs, networks.grown
    root = networks.members[len(networks.members) - 1]
    todo = np.empty((MAX_CITIES, 2), dtype=np.int64)
    n_todo = 0
    while tickets or n_todo:
        if n_todo == 0:
            # One tree after another.
            first = first_tree(networks.tree, networks.forest, tickets)
            tickets ^= first
            mask = networks.touch[first]
            rest = mask & (grown.shape[0] - 1)
            v = 0
            while v < grown.shape[1] and (grown[rest, v] != networks.tree[first] or (rest != mask and not root[v])):
                v += 1
            todo[0, 0], todo[0, 1] = rest, v
            n_todo = 1
        n_todo -= 1
        mask, v = todo[n_todo, 0], todo[n_todo, 1]
        low = mask & -mask
        rest = mask ^ low
        while grown[mask, v] > 0:
            split = -1
            part = rest
            while part and split < 0:
                part = (part - 1) & rest
                if grown[low | part, v] + grown[rest ^ part, v] == grown[mask, v]:
                    split = part
            if split >= 0:
                todo[n_todo, 0], todo[n_todo, 1] = low | split, v
                todo[n_todo + 1, 0], todo[n_todo + 1, 1] = rest ^ split, v
                n_todo += 2
                break
            # No trees meet here, so the tree arrives along an arc. Costs are positive, so this terminates.
            arc = start[v]
            while grown[mask, arcs[arc, HEAD]] + arcs[arc, COST] != grown[mask, v]:
                arc += 1
            if not memory.is_planned[arcs[arc, ROUTE]]:
                add_planned(arcs[arc, ROUTE], memory)
            v = arcs[arc, HEAD]
