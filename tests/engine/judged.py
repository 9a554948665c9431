"""States beside the table of the independent referee: what both say in plain values, and a referee who takes over."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.oracles.referee import Decision, Event, Referee
from tests.oracles.referee import Table as RefereeTable
from tests.oracles.referee.scoring import Final, final
from ttr_analysis import CardCounts, GameState
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import kind_of
from ttr_analysis.engine.layout import AT_PILE, AT_REMOVED, Phase, unknown_words
from ttr_analysis.engine.state import Owner
from ttr_analysis.records.entries import Entry, entry_data

_MOST_TO_WALK = 16
"""Routes of a seat; the referee walks every trail over them."""


def table_of(state: GameState) -> RefereeTable | None:
    """Return a state as the referee lays it on its table; None if something is unknown."""
    packed, game_map = state.packed, state.game_map
    if unknown_words(packed, state.n_players):
        return None
    table = RefereeTable(game_map, state.n_players)
    table.pile, table.discards, table.market = counts(state.pile), counts(state.discards), list(state.market)
    table.hands = list(map(counts, state.hands))
    table.trains, table.neutral_trains = list(state.trains), state.neutral_trains
    table.owners, table.stations, table.scores = dict(state.owners), dict(state.stations), list(state.scores)
    table.tokens, table.loans = list(state.tokens), list(state.loans)
    table.held, table.offers = (list(map(ids, places)) for places in (state.tickets, state.offers))
    place = dict(zip(table.tickets, packed.ticket_at.tolist(), strict=False))
    table.ticket_pile, table.removed = ([t for t in place if place[t] == at] for at in (AT_PILE, AT_REMOVED))
    ring = packed.queue.tolist()
    queued = [ring[(packed.queue_head + i) % len(ring)] for i in range(packed.n_queued)]
    table.ticket_queue = [game_map.tickets[ticket].id for ticket in queued]
    table.ticket_discards = ids(state.ticket_discards)
    table.n_turns, table.n_passes, table.turns_left = state.n_turns, int(packed.n_passes), state.turns_left
    table.neutral_in = state.has_neutral
    table.marker = table.marker if state.marker is None else state.marker
    return table


def referee_at(state: GameState, before: Referee | None) -> Referee | None:
    """Return a referee of a state: the one before if it has followed so far, a new one at a turn, or else none."""
    if before is not None and on_the_table(state) == as_the_referee_has_it(before):
        return before
    is_turn = state.phase == Phase.TURN and state.acting == state.n_turns % state.n_players
    table = table_of(state) if is_turn else None
    return None if table is None else Referee.at(table)


def score_by_the_referee(state: GameState) -> Final | None:
    """Return the score of a state; None if something is unknown, or the trails are too many to walk."""
    table = table_of(state)
    if table is None or max(len(table.routes_of(seat)) for seat in table.seats) > _MOST_TO_WALK:
        return None
    for seat in table.seats:  # points that no route gave count as points at the start
        by_routes = sum(table.rules.points_for(route.length) for route in table.routes_of(seat))
        table.start_scores[seat] = table.scores[seat] - by_routes
    return final(table)


def event_of(state: GameState, code: int, value: int) -> Event:
    """Return an event of the kernel, before which a state was, as a record has it."""
    entry = Entry.of(code, value)
    if kind_of(code) == codes.KEEP_TICKETS:
        offer = state.packed.offer[entry.seat, : state.n_offers[entry.seat]].tolist()
        entry = entry._replace(tickets=tuple(ticket for i, ticket in enumerate(offer) if value >> i & 1))
    return entry_data(entry, state.game_map)


def on_the_table(state: GameState) -> dict[str, object]:
    """Return all that a state says, in plain values."""
    pending = state.pending
    return {
        "decides": None if state.is_over else (state.phase.name.lower(), state.acting),
        "turn": None if state.is_over or state.phase == Phase.NEUTRAL else state.turn,
        "turns": (state.n_turns, state.turns_left, state.ending),
        "market": list(state.market),
        "pile": counts(state.pile),
        "discards": counts(state.discards),
        "hands": list(map(counts, state.hands)),
        "n_hands": list(state.n_hands),
        "trains": list(state.trains),
        "scores": list(state.scores),
        "tokens": list(state.tokens),
        "loans": list(state.loans),
        "owners": list(state.owners.items()),
        "stations": (state.stations, list(state.n_stations)),
        "tickets": [ids(tickets) for tickets in state.tickets],
        "offers": [ids(tickets) for tickets in state.offers],
        "ticket_discards": sorted(ids(state.ticket_discards)),
        "n_ticket_pile": state.n_ticket_pile,
        "tunnel": pending and (pending.route.id, pending.color, counts(pending.laid), pending.surcharge),
        "neutral": (state.has_neutral, state.neutral_trains, state.marker),
    }


def as_the_referee_has_it(referee: Referee) -> dict[str, object]:
    """Return the same from the referee's table."""
    table, due = referee.table, referee.due
    assert due is None or isinstance(due, Decision)
    owners: list[tuple[str, Owner]] = list(table.owners.items())
    return {
        "decides": due and (due.phase, due.seat),
        # What the neutral player does comes before the turn, which the referee notes when it begins.
        "turn": None if due is None or due.phase == "neutral" else table.turn_seat,
        "turns": (table.n_turns, table.turns_left, table.ending or None),
        "market": table.market,
        "pile": +table.pile,
        "discards": +table.discards,
        "hands": [+hand for hand in table.hands],
        "n_hands": [hand.total() for hand in table.hands],
        "trains": table.trains,
        "scores": table.scores,
        "tokens": table.tokens,
        "loans": table.loans,
        "owners": owners,
        "stations": (
            table.stations,
            [table.rules.stations.number - len(table.stations_of(seat)) for seat in table.seats],
        ),
        "tickets": table.held,
        "offers": table.offers,
        "ticket_discards": sorted(table.ticket_discards),
        "n_ticket_pile": len(table.ticket_pile) + len(table.ticket_queue),
        "tunnel": table.pending
        and (
            table.pending.id,
            None if table.pending_color == LOCOMOTIVE else table.pending_color,
            +table.laid,
            table.surcharge,
        ),
        "neutral": (table.neutral_in, table.neutral_trains, table.marker if table.rules.neutral.trains else None),
    }


def counts(cards: CardCounts) -> Counter[str]:
    return Counter(cards.as_dict())


def ids(tickets: Any) -> list[str]:  # noqa: ANN401 - of any sequence of tickets, all known
    return [ticket.id for ticket in tickets]
