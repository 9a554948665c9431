"""
A map, its rules and a number of players as one vector: all that a game asks.

Compiled code reads `tables[TOLL + route]` and the like. The vector has the same
layout for every map, so that its offsets are constants of the compiled code;
the limits below bound what a map may hold to be played.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ttr_analysis.cards import N_KINDS
from ttr_analysis.maps.model import GameMap
from ttr_analysis.tables.maps import Ints, map_tables

MAX_SEATS: Final = 6
MAX_CITIES: Final = 64
MAX_ROUTES: Final = 128
MAX_TICKETS: Final = 128
MAX_SLOTS: Final = 10
MAX_OFFER: Final = 20
"""Tickets offered at once."""
MAX_BONUSES: Final = 4
MAX_TIE_BREAKS: Final = 4
MAX_GOALS: Final = 1024
"""Destinations of all tickets together, and cities of all places together."""

# -- numbers of the rules, one cell each --------------------------------------

N_SEATS: Final = 0
N_CITIES: Final = 1
N_ROUTES: Final = 2
N_TICKETS: Final = 3
OPENING_HAND: Final = 4
DRAWS: Final = 5
"""Draws in a turn of drawing cards."""
SHUFFLE_AT_ONCE: Final = 6
MARKET_SIZE: Final = 7
LOCOMOTIVE_COST: Final = 8
RESET_AT: Final = 9
MAX_RESETS: Final = 10
RESET_NEEDS_FULL: Final = 11
RESET_NEEDS_COLORED: Final = 12
OPEN_WITHOUT_PILES: Final = 13
TRAINS_EACH: Final = 14
LAST_ROUND_AT: Final = 15
LAST_TURNS: Final = 16
MAX_TURNS: Final = 17
BOTH_OPEN: Final = 18
"""1 if both tracks of a double route may be claimed."""
PASS_ROUNDS: Final = 19
N_REVEALED: Final = 20
OPENING_DEAL: Final = 21
OPENING_KEEP: Final = 22
TICKET_DRAW: Final = 23
TICKET_KEEP: Final = 24
UNKEPT: Final = 25
"""Where tickets go that are not kept: one of the next three."""
ZERO_TIES: Final = 26
TOKENS_EACH: Final = 27
PAYS_OWNER: Final = 28
"""1 if the toll of a second track goes to the owner of the first."""
LOAN_PENALTY: Final = 29
LOAN_LIMIT: Final = 30
NEUTRAL_TRAINS: Final = 31
NEUTRAL_FROM: Final = 32
MARKER_SEAT: Final = 33
NEUTRAL_AFTER_LAST: Final = 34
N_BONUSES: Final = 35
N_TIE_BREAKS: Final = 36
TIE_BREAK: Final = 37
START_SCORE: Final = TIE_BREAK + MAX_TIE_BREAKS
DECK: Final = START_SCORE + MAX_SEATS
BONUS: Final = DECK + N_KINDS
"""For each bonus `BONUS_CELLS` cells: its measure, whether loans exclude, and its points by rank."""
BONUS_CELLS: Final = 2 + MAX_SEATS

UNKEPT_REMOVED: Final = 0
UNKEPT_UNDER_PILE: Final = 1
UNKEPT_DISCARDED: Final = 2

MEASURE_TRAIL: Final = 0
MEASURE_COMPLETED: Final = 1
MEASURE_TOKENS: Final = 2
BREAK_PATH_BONUS: Final = 3
"""Tie-breaks are a measure, or who has a bonus for the longest trail."""

# -- the board, one cell for each route or ticket -----------------------------

CITY_A: Final = BONUS + MAX_BONUSES * BONUS_CELLS
CITY_B: Final = CITY_A + MAX_ROUTES
LENGTH: Final = CITY_B + MAX_ROUTES
COLOR: Final = LENGTH + MAX_ROUTES
PLAIN: Final = COLOR + MAX_ROUTES
SYMBOLS: Final = PLAIN + MAX_ROUTES
JOKERS: Final = SYMBOLS + MAX_ROUTES
SWAP_SIZE: Final = JOKERS + MAX_ROUTES
SWAP_ANY: Final = SWAP_SIZE + MAX_ROUTES
TUNNEL: Final = SWAP_ANY + MAX_ROUTES
TOLL: Final = TUNNEL + MAX_ROUTES
POINTS: Final = TOLL + MAX_ROUTES
TWIN: Final = POINTS + MAX_ROUTES
"""The other track of a double route, or -1."""
NEUTRAL_A: Final = TWIN + MAX_ROUTES
"""For each ticket the tracks between the cities at its foot, -1 where there is none."""
NEUTRAL_B: Final = NEUTRAL_A + MAX_TICKETS
PENALTY: Final = NEUTRAL_B + MAX_TICKETS
"""Points that each ticket loses."""
ORIGIN: Final = PENALTY + MAX_TICKETS
"""The place at which each ticket begins."""
GOAL_START: Final = ORIGIN + MAX_TICKETS
"""Where the destinations of each ticket begin in the next two, best first, and one more cell for the end."""
GOAL_PLACE: Final = GOAL_START + MAX_TICKETS + 1
GOAL_POINTS: Final = GOAL_PLACE + MAX_GOALS
PLACE_START: Final = GOAL_POINTS + MAX_GOALS
"""Where the cities of each place begin in the next one, and one more cell for the end."""
PLACE_CITY: Final = PLACE_START + MAX_GOALS + 1
TABLES_SIZE: Final = PLACE_CITY + MAX_GOALS

_MEASURES: Final = {
    "longest_trail": MEASURE_TRAIL,
    "completed_tickets": MEASURE_COMPLETED,
    "tokens": MEASURE_TOKENS,
    "path_bonus": BREAK_PATH_BONUS,
}
_UNKEPT: Final = {
    "removed": UNKEPT_REMOVED,
    "under_pile": UNKEPT_UNDER_PILE,
    "discard_pile": UNKEPT_DISCARDED,
}


@lru_cache(maxsize=64)
def game_tables(game_map: GameMap, n_players: int) -> Ints:
    """
    Return all that a game on a map asks, as one vector.

    Parameters
    ----------
    game_map
        The map, with the rules of the variant that is played.
    n_players
        Number of players, without the neutral one.

    Raises
    ------
    ValueError
        If the map does not allow so many players, or is larger than the
        limits of this module.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> tables = game_tables(nordic, 2)
    >>> [int(tables[TRAINS_EACH]), int(tables[LENGTH : LENGTH + MAX_ROUTES].sum())]
    [40, 207]
    """
    check_size(game_map, n_players)
    tables = np.zeros(TABLES_SIZE, dtype=np.int64)
    _put_rules(tables, game_map, n_players)
    _put_routes(tables, game_map)
    _put_tickets(tables, game_map)
    return tables


def check_size(game_map: GameMap, n_players: int) -> None:
    """Raise a ValueError if the map is not for so many players, or too large to be played."""
    rules = game_map.rules
    low, high = rules.players
    if not low <= n_players <= high:
        variant = f", variant {rules.variant!r}," if rules.variant else ""
        raise ValueError(f"{game_map.title}{variant} is for {low} to {high} players, got {n_players}")
    if rules.neutral.trains and rules.neutral.marker_seat >= n_players:
        raise ValueError(f"{game_map.title}: seat {rules.neutral.marker_seat} cannot hold the marker of {n_players}")
    place_cities = sum(len(place.cities) for place in game_map.places)
    goals = sum(len(ticket.destinations) for ticket in game_map.tickets)
    sizes = [
        ("cities", len(game_map.cities), MAX_CITIES),
        ("routes", len(game_map.routes), MAX_ROUTES),
        ("tickets", len(game_map.tickets), MAX_TICKETS),
        ("bonuses", len(rules.bonus), MAX_BONUSES),
        ("tie breaks", len(rules.scoring.tie_breaks), MAX_TIE_BREAKS),
        ("destinations of tickets", goals, MAX_GOALS),
        ("cities of places", place_cities, MAX_GOALS),
    ]
    beyond = [f"{n} {what} (at most {most})" for what, n, most in sizes if n > most]
    if beyond:
        raise ValueError(f"{game_map.title} is too large for a game: {', '.join(beyond)}")


def _put_rules(tables: Ints, game_map: GameMap, n_players: int) -> None:
    rules = game_map.rules
    numbers = {
        N_SEATS: n_players,
        N_CITIES: len(game_map.cities),
        N_ROUTES: len(game_map.routes),
        N_TICKETS: len(game_map.tickets),
        OPENING_HAND: rules.cards.opening_hand,
        DRAWS: rules.cards.draws_per_turn,
        SHUFFLE_AT_ONCE: rules.cards.reshuffle == "at_once",
        MARKET_SIZE: rules.market.size,
        LOCOMOTIVE_COST: rules.market.locomotive_cost,
        RESET_AT: rules.market.reset_at,
        MAX_RESETS: rules.market.max_resets,
        RESET_NEEDS_FULL: rules.market.reset_needs_full,
        RESET_NEEDS_COLORED: rules.market.reset_needs_colored,
        OPEN_WITHOUT_PILES: rules.market.open_without_piles,
        TRAINS_EACH: rules.trains.per_player,
        LAST_ROUND_AT: rules.trains.last_round_at,
        LAST_TURNS: rules.trains.last_turns,
        MAX_TURNS: rules.trains.max_turns,
        BOTH_OPEN: rules.both_tracks_open(n_players),
        PASS_ROUNDS: rules.claims.pass_rounds,
        N_REVEALED: rules.tunnel.revealed,
        OPENING_DEAL: rules.tickets.opening_deal,
        OPENING_KEEP: rules.tickets.opening_keep,
        TICKET_DRAW: rules.tickets.draw,
        TICKET_KEEP: rules.tickets.keep,
        UNKEPT: _UNKEPT[rules.tickets.unkept],
        ZERO_TIES: rules.scoring.zero_ties,
        TOKENS_EACH: rules.money.tokens,
        PAYS_OWNER: rules.money.second_track_pays == "owner",
        LOAN_PENALTY: rules.money.loan.penalty,
        LOAN_LIMIT: rules.money.loan.limit,
        NEUTRAL_TRAINS: rules.neutral.trains,
        NEUTRAL_FROM: rules.neutral.first_round,
        MARKER_SEAT: rules.neutral.marker_seat,
        NEUTRAL_AFTER_LAST: rules.neutral.after_last_turn,
        N_BONUSES: len(rules.bonus),
        N_TIE_BREAKS: len(rules.scoring.tie_breaks),
    }
    for cell, number in numbers.items():
        tables[cell] = number
    for i, measure in enumerate(rules.scoring.tie_breaks):
        tables[TIE_BREAK + i] = _MEASURES[measure]
    for seat, score in enumerate(rules.scoring.start_scores[:n_players]):
        tables[START_SCORE + seat] = score
    tables[DECK : DECK + N_KINDS] = rules.deck.counts
    for i, bonus in enumerate(rules.bonus):
        at = BONUS + i * BONUS_CELLS
        points = bonus.ranked_points(n_players)[:MAX_SEATS]
        tables[at] = _MEASURES[bonus.measure]
        tables[at + 1] = bonus.requires == "no_loans"
        tables[at + 2 : at + 2 + len(points)] = points


def _put_routes(tables: Ints, game_map: GameMap) -> None:
    arrays = map_tables(game_map)
    n = len(game_map.routes)
    columns = {
        CITY_A: arrays.ends[:, 0],
        CITY_B: arrays.ends[:, 1],
        LENGTH: arrays.length,
        COLOR: arrays.color,
        PLAIN: arrays.length - arrays.locomotives,
        SYMBOLS: arrays.locomotives,
        JOKERS: arrays.locomotives_allowed,
        SWAP_SIZE: arrays.swap_size,
        SWAP_ANY: arrays.swap_any,
        TUNNEL: arrays.tunnel,
        TOLL: arrays.toll,
        POINTS: arrays.points,
        TWIN: arrays.twin,
    }
    for cell, column in columns.items():
        tables[cell : cell + n] = column


def _put_tickets(tables: Ints, game_map: GameMap) -> None:
    route = {r.id: i for i, r in enumerate(game_map.routes)}
    city = {c.name: i for i, c in enumerate(game_map.cities)}
    place = {p.name: i for i, p in enumerate(game_map.places)}
    n_goals = 0
    for t, ticket in enumerate(game_map.tickets):
        tracks = [route[r.id] for r in game_map.routes_between(*ticket.neutral)] if ticket.neutral else []
        tables[NEUTRAL_A + t], tables[NEUTRAL_B + t] = (*tracks, -1, -1)[:2]
        tables[PENALTY + t] = ticket.penalty
        tables[ORIGIN + t] = place[ticket.origin.name]
        tables[GOAL_START + t] = n_goals
        for goal, points in sorted(ticket.destinations, key=lambda pair: -pair[1]):
            tables[GOAL_PLACE + n_goals] = place[goal.name]
            tables[GOAL_POINTS + n_goals] = points
            n_goals += 1
    tables[GOAL_START + len(game_map.tickets)] = n_goals
    n_cities = 0
    for p, where in enumerate(game_map.places):
        tables[PLACE_START + p] = n_cities
        for name in where.cities:
            tables[PLACE_CITY + n_cities] = city[name]
            n_cities += 1
    tables[PLACE_START + len(game_map.places)] = n_cities
