"""Positions made by hand, for named cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.oracles.referee.driver import random_event
from tests.oracles.referee.due import Chance, Decision, Due, Event
from tests.oracles.referee.judging import Referee
from ttr_analysis.maps.model import GameMap

Hand = Mapping[str, int]

FIVE = ("red", "blue", "yellow", "black", "white")
"""Face-up cards without a locomotive."""


def begin(game_map: GameMap, n_players: int) -> Referee:
    """Return a game that is set up: seat 0 has the first turn."""
    referee = Referee(game_map, n_players)
    rng = np.random.default_rng(0)
    while referee.due != Decision("turn", 0):
        referee.apply(random_event(referee, rng))
    return referee


def arrange(
    referee: Referee,
    *hands: Hand,
    market: Sequence[str | None] = FIVE,
    pile: Hand | None = None,
    discards: Hand | None = None,
) -> None:
    """
    Lay out the cards.

    Cards that are not named are in the pile; if the pile is given, the last
    seat holds them.
    """
    table = referee.table
    rest: Counter[str] = Counter(table.rules.deck.as_dict())
    table.hands = [Counter(hand) for hand in (*hands, *({},) * (table.n_players - len(hands)))]
    table.market = list(market)
    table.discards = Counter(discards or {})
    for cards in (*table.hands, Counter(card for card in market if card is not None), table.discards):
        assert cards <= rest, f"there are only {rest} left, not {cards}"
        rest -= cards
    if pile is None:
        table.pile = rest
    else:
        assert Counter(pile) <= rest, f"there are only {rest} left, not {pile}"
        table.pile = Counter(pile)
        table.hands[-1] += rest - table.pile
    referee.conserved()


def own(referee: Referee, seat: int, *routes: str) -> None:
    """Give routes to a seat, with trains and points, before the next move."""
    table = referee.table
    for name in routes:
        table.owners[name] = seat
        table.trains[seat] -= table.routes[name].length
        table.scores[seat] += table.rules.points_for(table.routes[name].length)
    referee.conserved()


def move(name: str, seat: int, **said: Any) -> Event:  # noqa: ANN401 - slots, cards, tickets
    """Return a move as a record has it."""
    return {"event": name, "seat": seat, **said}


def market_card(slot: int, card: str) -> Event:
    """Return the event of a face-up card."""
    return {"event": "market_card", "slot": slot, "card": card}


def revealed(card: str) -> Event:
    """Return the event of a card turned over for a tunnel."""
    return {"event": "card_revealed", "card": card}


def follow(referee: Referee, *events: Event) -> Due | None:
    """Apply events, check the position after each, and return what is due then."""
    for event in events:
        referee.apply(event)
        referee.conserved()
    return referee.due


def settle(referee: Referee) -> list[Event]:
    """Let chance run to the next decision, and return what happened."""
    rng = np.random.default_rng(1)
    events = []
    while referee.due is not None and not isinstance(referee.due, Decision):
        events.append(random_event(referee, rng))
        referee.apply(events[-1])
        referee.conserved()
    return events


def names(events: Sequence[Event]) -> list[str]:
    """Return the names of events."""
    return [event["event"] for event in events]


def with_rules(game_map: GameMap, subject: str, **fields: Any) -> GameMap:  # noqa: ANN401 - fields of the rules
    """Return a map with some fields of its rules changed."""
    part = replace(getattr(game_map.rules, subject), **fields)
    return replace(game_map, rules=replace(game_map.rules, **{subject: part}))


def fault_of(referee: Referee, event: Event) -> str:
    """Return why an event cannot come now; there must be a reason."""
    fault = referee.fault(event)
    assert fault, f"{dict(event)} is legal"
    return fault


def draw_twice(referee: Referee, seat: int) -> None:
    """Let a seat draw two cards, unseen."""
    rng = np.random.default_rng(referee.n_events)
    for _ in range(2):
        referee.apply(move("draw_card", seat))
        while isinstance(referee.due, Chance) and referee.due.fixed["event"] == "card_drawn":
            referee.apply(random_event(referee, rng))


def park_tickets(referee: Referee, *, pile: int, discards: int = 0) -> None:
    """Leave so many tickets in the pile and on the discards; the last seat holds the others."""
    table = referee.table
    everything = [*table.ticket_pile, *table.ticket_queue, *table.ticket_discards, *table.removed]
    table.ticket_pile, rest = everything[:pile], everything[pile:]
    table.ticket_discards, table.ticket_queue, table.removed = rest[:discards], [], []
    table.held[-1] += rest[discards:]
    referee.conserved()


def follow_and_settle(referee: Referee, event: Event) -> list[Event]:
    """Apply an event, let chance run to the next decision, and return what happened."""
    follow(referee, event)
    return settle(referee)
