"""Whole games at random by the referee's own rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from tests.oracles.referee.due import Chance, Decision, Event, Notice
from tests.oracles.referee.judging import Referee
from tests.oracles.referee.moves import fault, legal_moves, route_fault, station_fault, station_payments
from tests.oracles.referee.payment import Cards, affordable, forms
from tests.oracles.referee.table import Table
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.maps.model import GameMap, Route

T = TypeVar("T")

EVEN: Mapping[str, float] = {}
HOARDING: Mapping[str, float] = {"claim_route": 0.02, "draw_tickets": 0.2}
"""Cards and tickets are drawn until there are hardly any left."""
CURIOUS: Mapping[str, float] = {"draw_tickets": 5.0}
"""Tickets are drawn until there are none left."""


def play_at_random(
    game_map: GameMap, n_players: int, rng: np.random.Generator, *, likes: Mapping[str, float] = EVEN
) -> list[Event]:
    """
    Play a whole game at random and return its events.

    Parameters
    ----------
    likes
        How much each kind of move is liked; 1 where nothing is said.
    """
    referee = Referee(game_map, n_players)
    events = []
    while referee.due is not None:
        event = random_event(referee, rng, likes)
        events.append(event)
        referee.apply(event)
    return events


def random_event(referee: Referee, rng: np.random.Generator, likes: Mapping[str, float] = EVEN) -> Event:
    """Return one event that may come next."""
    match referee.due:
        case Notice(name):
            return {"event": name}
        case Chance(fixed, what, possible):
            return {**fixed, what: pick(rng, list(possible), list(possible.values()))}
        case Decision() as decision:
            moves = sample_moves(referee.table, decision, rng)
            return pick(rng, moves, [likes.get(move["event"], 1.0) for move in moves])
        case None:
            raise AssertionError("the game is over")


def pick(rng: np.random.Generator, items: Sequence[T], weights: Sequence[float]) -> T:
    """Return one of some items, each as likely as its weight."""
    return items[int(rng.choice(len(items), p=np.array(weights) / sum(weights)))]


def sample_moves(table: Table, due: Decision, rng: np.random.Generator) -> list[Event]:
    """Return legal moves: all of those without a choice of cards, and one payment for each route that can be paid."""
    if due.phase == "tunnel":
        return _tunnel_moves(table, due)
    hand, table.hands[due.seat] = table.hands[due.seat], Counter()
    moves = legal_moves(table, due)  # with an empty hand: no claims
    table.hands[due.seat] = hand
    if due.phase == "turn":
        claims: list[Event] = [
            {"event": "claim_route", "seat": due.seat, "route": route.id, "cards": dict(cards)}
            for route in table.map.routes
            if not route_fault(table, due.seat, route)
            for cards in random_payments(route, hand, rng)
        ]
        stations: list[Event] = [
            {"event": "build_station", "seat": due.seat, "city": str(rng.choice(free)), "cards": dict(cards)}
            for free in [[c.name for c in table.map.cities if not station_fault(table, due.seat, c.name)]]
            for cards in station_payments(table, due.seat)
            if free
        ]
        claims += stations
        moves = [move for move in moves if move["event"] != "pass" or not claims] + claims
    return moves


def random_payments(route: Route, hand: Cards, rng: np.random.Generator) -> list[Cards]:
    """Return one payment for a route, of any form, or none."""
    payable = [form for form in forms(route) if affordable(route, form, hand)]
    if not payable:
        return []
    form = payable[int(rng.integers(len(payable)))]
    cards: Cards = Counter()
    cards[form.color] += form.own
    cards[LOCOMOTIVE] += form.locomotives
    rest = sorted((hand - cards).elements())
    cards.update(str(card) for card in rng.permutation(np.array(rest, dtype=str))[: form.sets * route.swap_size])
    return [+cards]


def _tunnel_moves(table: Table, due: Decision) -> list[Event]:
    moves: list[Event] = [{"event": "decline_tunnel", "seat": due.seat}]
    for own in range(table.surcharge + 1):
        cards = Counter({table.pending_color: own})
        cards[LOCOMOTIVE] += table.surcharge - own
        moves.append({"event": "pay_tunnel", "seat": due.seat, "cards": dict(+cards)})
    return [move for move in moves if not fault(table, due, move)]
