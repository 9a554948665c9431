"""
A map, its rules and a number of players as one record: everything that a game looks up.

The record has the same fields for every map, so that compiled code knows their positions;
the limits below apply to maps that can be played. `MapTables` is a map alone, for
`analysis`. Code that uses the record treats all maps alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, Record, block, cell, compiled
from ttr_analysis.cards import N_KINDS, ROUTE_COLORS
from ttr_analysis.maps import rows
from ttr_analysis.maps.model import GameMap, Route, check_route
from ttr_analysis.rules.market import FaceUpRules
from ttr_analysis.rules.payment import Spaces
from ttr_analysis.rules.ruleset import DeckRules, RuleSet

MAX_SEATS: Final = 6
MAX_CITIES: Final = 64
MAX_ROUTES: Final = rows.MAX_ROUTES
MAX_TICKETS: Final = rows.MAX_TICKETS
MAX_SLOTS: Final = 10
MAX_OFFER: Final = 20
"""Tickets offered at once."""
MAX_DECKS: Final = 4
MAX_BONUSES: Final = 3
MAX_STATIONS: Final = 3
"""Stations of each player."""
MAX_TIE_BREAKS: Final = 4
MAX_GOALS: Final = 1024
"""Destinations of all tickets together, and cities of all places together."""

UNKEPT_REMOVED: Final = 0
UNKEPT_UNDER_PILE: Final = 1
UNKEPT_DISCARDED: Final = 2

MEASURE_TRAIL: Final = 0
MEASURE_COMPLETED: Final = 1
MEASURE_TOKENS: Final = 2
BREAK_PATH_BONUS: Final = 3
"""Not a measure but a tie-break: who has a bonus for the longest trail."""
BREAK_STATIONS: Final = 4
"""Not a measure but a tie-break: who has the most stations left."""

_MEASURES: Final = {
    "longest_trail": MEASURE_TRAIL,
    "completed_tickets": MEASURE_COMPLETED,
    "tokens": MEASURE_TOKENS,
    "path_bonus": BREAK_PATH_BONUS,
    "fewest_stations": BREAK_STATIONS,
}
N_MEASURES: Final = len(_MEASURES)
"""Measures and tie-breaks together; each has a column in the scores, in the order of their numbers."""
_UNKEPT: Final = {
    "removed": UNKEPT_REMOVED,
    "under_pile": UNKEPT_UNDER_PILE,
    "discard_pile": UNKEPT_DISCARDED,
}

_RULES: Final[dict[object, Callable[[RuleSet], int]]] = {}
"""How to read each field of `Tables` that is a rule."""


def _rule(read: Callable[[RuleSet], int]) -> int:
    """Declare a field that holds a rule."""
    field = cell()
    _RULES[field] = read
    return field


class Tables(Record):
    """What a game needs from its map, its rules and the number of players."""

    n_seats = cell()
    n_cities = cell()
    n_routes = cell()
    n_tickets = cell()
    opening_hand = _rule(lambda rules: rules.cards.opening_hand)
    draws = _rule(lambda rules: rules.cards.draws_per_turn)
    """Draws in a turn of drawing cards."""
    shuffle_at_once = _rule(lambda rules: rules.cards.reshuffle == "at_once")
    market_size = _rule(lambda rules: rules.market.size)
    locomotive_cost = _rule(lambda rules: rules.market.locomotive_cost)
    reset_at = _rule(lambda rules: rules.market.reset_at)
    max_resets = _rule(lambda rules: rules.market.max_resets)
    reset_needs_full = _rule(lambda rules: rules.market.reset_needs_full)
    reset_needs_colored = _rule(lambda rules: rules.market.reset_needs_colored)
    open_without_piles = _rule(lambda rules: rules.market.open_without_piles)
    trains_each = _rule(lambda rules: rules.trains.per_player)
    last_round_at = _rule(lambda rules: rules.trains.last_round_at)
    last_turns = _rule(lambda rules: rules.trains.last_turns)
    max_turns = _rule(lambda rules: rules.trains.max_turns)
    both_open = cell()
    """1 if both tracks of a double route may be claimed."""
    pass_rounds = _rule(lambda rules: rules.claims.pass_rounds)
    n_revealed = _rule(lambda rules: rules.tunnel.revealed)
    opening_deal = _rule(lambda rules: rules.tickets.opening_deal)
    opening_keep = _rule(lambda rules: rules.tickets.opening_keep)
    ticket_draw = _rule(lambda rules: rules.tickets.draw)
    ticket_keep = _rule(lambda rules: rules.tickets.keep)
    unkept = _rule(lambda rules: _UNKEPT[rules.tickets.unkept])
    """Where tickets that are not kept go: one of `UNKEPT_*`."""
    opening_unkept = _rule(lambda rules: _UNKEPT[rules.tickets.unkept_at(opening=True)])
    """The same for opening tickets."""
    n_decks = cell()
    """Decks of tickets: 1 unless the rules name several."""
    zero_ties = _rule(lambda rules: rules.scoring.zero_ties)
    tokens_each = _rule(lambda rules: rules.money.tokens)
    pays_owner = _rule(lambda rules: rules.money.second_track_pays == "owner")
    """1 if the toll of a second track goes to the owner of the first."""
    loan_penalty = _rule(lambda rules: rules.money.loan.penalty)
    loan_limit = _rule(lambda rules: rules.money.loan.limit)
    neutral_trains = _rule(lambda rules: rules.neutral.trains)
    neutral_from = _rule(lambda rules: rules.neutral.first_round)
    marker_seat = _rule(lambda rules: rules.neutral.marker_seat)
    neutral_after_last = _rule(lambda rules: rules.neutral.after_last_turn)
    stations_each = _rule(lambda rules: rules.stations.number)
    station_jokers = _rule(lambda rules: "plain" in rules.claims.locomotives_on)
    """1 if locomotives are wild in payments for stations."""
    station_points = _rule(lambda rules: rules.stations.points_left)
    """Points for each station not built."""
    lends_neutral = _rule(lambda rules: rules.stations.lends_from == "anyone")
    """1 if stations may borrow routes of the neutral player."""
    station_cost = block(MAX_STATIONS)
    """The cost in cards of the first station, the second and so on."""
    n_bonuses = _rule(lambda rules: len(rules.bonus))
    n_tie_breaks = _rule(lambda rules: len(rules.scoring.tie_breaks))
    tie_break = block(MAX_TIE_BREAKS)
    """Numbers of measures or tie-breaks, as in `_MEASURES`."""
    start_score = block(MAX_SEATS)
    deck = block(N_KINDS)
    deck_deal = block(MAX_DECKS)
    """Opening tickets of each deck for each seat."""
    deck_leaves = block(MAX_DECKS)
    """1 if the tickets of a deck that are not dealt at the start leave the game."""
    deck_size = block(MAX_DECKS)
    """Tickets of each deck."""
    bonus_measure = block(MAX_BONUSES)
    """What each bonus compares: one of `MEASURE_*`."""
    bonus_without_loans = block(MAX_BONUSES)
    """1 if players with loans do not take part in it."""
    bonus_points = block(MAX_BONUSES, MAX_SEATS)
    """Its points by rank."""

    city_a = block(MAX_ROUTES)
    city_b = block(MAX_ROUTES)
    length = block(MAX_ROUTES)
    color = block(MAX_ROUTES)
    plain = block(MAX_ROUTES)
    symbols = block(MAX_ROUTES)
    jokers = block(MAX_ROUTES)
    swap_size = block(MAX_ROUTES)
    swap_any = block(MAX_ROUTES)
    tunnel = block(MAX_ROUTES)
    toll = block(MAX_ROUTES)
    points = block(MAX_ROUTES)
    twin = block(MAX_ROUTES)
    """The other track of a double route, or -1."""
    neutral_a = block(MAX_TICKETS)
    """For each ticket, the tracks between the cities at its bottom, -1 where there is none."""
    neutral_b = block(MAX_TICKETS)
    ticket_deck = block(MAX_TICKETS)
    """The deck of each ticket."""
    penalty = block(MAX_TICKETS)
    """Points lost by not completing each ticket."""
    origin = block(MAX_TICKETS)
    """The place at which each ticket begins."""
    goal_start = block(MAX_TICKETS + 1)
    """Where each ticket's destinations, best first, begin in `goal_place` and `goal_points`, and a cell for the end."""
    goal_place = block(MAX_GOALS)
    goal_points = block(MAX_GOALS)
    place_start = block(MAX_GOALS + 1)
    """Where the cities of each place begin in `place_city`, and one more cell for the end."""
    place_city = block(MAX_GOALS)


@lru_cache(maxsize=64)
def game_tables(game_map: GameMap, n_players: int) -> Tables:
    """
    Return everything that a game on a map needs as one record, which must not be changed.

    A ValueError is raised if the map does not allow this number of players, or exceeds the
    limits of this module.

    >>> nordic = ttr.load_map("nordic")
    >>> tables = game_tables(nordic, 2)
    >>> tables.trains_each, int(tables.length.sum())
    (40, 207)
    """
    check_size(game_map, n_players)
    tables = Tables()
    _put_rules(tables, game_map, n_players)
    _put_routes(tables, game_map)
    _put_tickets(tables, game_map)
    return tables


def check_players(game_map: GameMap, n_players: int) -> None:
    """Raise a ValueError for a number of players that the map does not allow."""
    rules = game_map.rules
    low, high = rules.players
    if not low <= n_players <= high:
        variant = f", variant {rules.variant!r}," if rules.variant else ""
        raise ValueError(f"{game_map.title}{variant} is for {low} to {high} players, got {n_players}")


def check_size(game_map: GameMap, n_players: int) -> None:
    """Raise a ValueError for a map that is too large to be played, or does not allow this number of players."""
    check_players(game_map, n_players)
    rules = game_map.rules
    if rules.neutral.trains and rules.neutral.marker_seat >= n_players:
        raise ValueError(
            f"{game_map.title}: seat {rules.neutral.marker_seat} cannot hold the marker with {n_players} players"
        )
    place_cities = sum(len(place.cities) for place in game_map.places)
    goals = sum(len(ticket.destinations) for ticket in game_map.tickets)
    sizes = [
        ("cities", len(game_map.cities), MAX_CITIES),
        ("routes", len(game_map.routes), MAX_ROUTES),
        ("tickets", len(game_map.tickets), MAX_TICKETS),
        ("decks of tickets", len(rules.tickets.decks), MAX_DECKS),
        ("bonuses", len(rules.bonus), MAX_BONUSES),
        ("tie breaks", len(rules.scoring.tie_breaks), MAX_TIE_BREAKS),
        ("destinations of tickets", goals, MAX_GOALS),
        ("cities of places", place_cities, MAX_GOALS),
    ]
    beyond = [f"{n} {what} (at most {most})" for what, n, most in sizes if n > most]
    if beyond:
        raise ValueError(f"{game_map.title} is too large for a game: {', '.join(beyond)}")


def _put_rules(tables: Tables, game_map: GameMap, n_players: int) -> None:
    rules = game_map.rules
    tables.n_seats = n_players
    tables.n_cities = len(game_map.cities)
    tables.n_routes = len(game_map.routes)
    tables.n_tickets = len(game_map.tickets)
    for name, field in Tables.fields.items():
        if field in _RULES:
            setattr(tables, name, _RULES[field](rules))
    tables.both_open = rules.both_tracks_open(n_players)
    tables.deck[:] = rules.deck.counts
    _fill(tables.tie_break, [_MEASURES[measure] for measure in rules.scoring.tie_breaks])
    _fill(tables.start_score, rules.scoring.start_scores[:n_players])
    _fill(tables.station_cost, rules.stations.costs[: rules.stations.number])
    for i, bonus in enumerate(rules.bonus):
        points = bonus.ranked_points(n_players)[:MAX_SEATS]
        tables.bonus_measure[i] = _MEASURES[bonus.measure]
        tables.bonus_without_loans[i] = bonus.requires == "no_loans"
        tables.bonus_points[i, : len(points)] = points


def face_up_rules_of(rules: RuleSet) -> FaceUpRules:
    """Return the rules of the face-up cards as numbers."""
    return FaceUpRules(*(int(getattr(rules.market, fact)) for fact in FaceUpRules._fields))


@compiled
def face_up_rules(tables: Tables) -> FaceUpRules:
    """Return the rules of the face-up cards in a game."""
    return FaceUpRules(
        locomotive_cost=tables.locomotive_cost,
        reset_at=tables.reset_at,
        max_resets=tables.max_resets,
        reset_needs_full=tables.reset_needs_full,
        reset_needs_colored=tables.reset_needs_colored,
        open_without_piles=tables.open_without_piles,
    )


def _put_routes(tables: Tables, game_map: GameMap) -> None:
    for i, route in enumerate(game_map.routes):
        tables.city_a[i], tables.city_b[i] = (game_map.city_numbers[name] for name in route.cities)
        tables.length[i] = route.length
        tables.tunnel[i] = route.tunnel
        tables.toll[i] = route.toll
        tables.points[i] = route.points
        tables.color[i] = ROUTE_COLORS.index(route.color)
        for fact, value in spaces_of(route)._asdict().items():
            getattr(tables, fact)[i] = value
        twin = game_map.twin(route)
        tables.twin[i] = -1 if twin is None else game_map.route_numbers[twin.id]


def spaces_of(route: Route) -> Spaces:
    """
    Return the facts about a route that a payment depends on, except its color.

    >>> spaces_of(ttr.load_map("nordic").route("Aalborg", "Kristiansand"))
    Spaces(plain=1, symbols=1, jokers=1, swap_size=3, swap_any=1)
    """
    check_route(route)
    return Spaces(
        plain=route.length - route.locomotives,
        symbols=route.locomotives,
        jokers=int(route.locomotives_allowed),
        swap_size=route.swap_size,
        swap_any=int(route.swap_fills == "any"),
    )


@compiled
def spaces_at(tables: Tables, route: int) -> Spaces:
    """Return the `Spaces` of a route, by its number."""
    return Spaces(
        tables.plain[route],
        tables.symbols[route],
        tables.jokers[route],
        tables.swap_size[route],
        tables.swap_any[route],
    )


def _put_tickets(tables: Tables, game_map: GameMap) -> None:
    place = {p.name: i for i, p in enumerate(game_map.places)}
    decks = game_map.rules.tickets.decks or (DeckRules("", game_map.rules.tickets.opening_deal),)
    deck = {rule.name: d for d, rule in enumerate(decks)}
    tables.n_decks = len(decks)
    for d, rule in enumerate(decks):
        tables.deck_deal[d] = rule.opening_deal
        tables.deck_leaves[d] = rule.undealt == "removed"
    for t, ticket in enumerate(game_map.tickets):
        tracks = (
            [game_map.route_numbers[r.id] for r in game_map.routes_between(*ticket.neutral)] if ticket.neutral else []
        )
        tables.neutral_a[t], tables.neutral_b[t] = (*tracks, -1, -1)[:2]
        tables.ticket_deck[t] = deck[ticket.deck]
        tables.deck_size[deck[ticket.deck]] += 1
        tables.penalty[t] = ticket.penalty
        tables.origin[t] = place[ticket.origin.name]
    goals = [sorted(ticket.destinations, key=lambda pair: -pair[1]) for ticket in game_map.tickets]
    _fill(tables.goal_start, np.cumsum([0, *map(len, goals)]))
    _fill(tables.goal_place, [place[goal.name] for of_ticket in goals for goal, _ in of_ticket])
    _fill(tables.goal_points, [points for of_ticket in goals for _, points in of_ticket])
    _fill(tables.place_start, np.cumsum([0, *(len(p.cities) for p in game_map.places)]))
    _fill(tables.place_city, [game_map.city_numbers[name] for p in game_map.places for name in p.cities])


def _fill(numbers: Ints, values: Sequence[int] | Ints) -> None:
    """Put values at the start of a block."""
    numbers[: len(values)] = values


# -- a map as flat arrays ------------------------------------------------------------------------------------------


class MapTables(NamedTuple):
    """The cities at the two ends of each route, shape (routes, 2), and its length."""

    ends: Ints
    length: Ints


@lru_cache(maxsize=32)
def map_tables(game_map: GameMap) -> MapTables:
    """Return the arrays of a map; made once for each map."""
    city = game_map.city_numbers
    return MapTables(
        ends=np.array([[city[a], city[b]] for a, b in (r.cities for r in game_map.routes)], dtype=np.int64),
        length=np.array([r.length for r in game_map.routes], dtype=np.int64),
    )
