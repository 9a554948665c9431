"""The states of a record are what the independent referee sees on the table, step by step."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.engine.records import TABLES, Table, played
from tests.oracles.referee import Decision, Referee
from ttr_analysis import CardCounts, GameState
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import Owner

SMALL = [Table("nordic", "", 3), Table("nederland", "neutral", 2), Table("invented", "", 5)]

every_table = pytest.mark.parametrize("table", TABLES, ids=str)


@every_table
def test_every_state_lies_as_on_the_table_of_the_referee(table: Table) -> None:
    check(table, "even")


@pytest.mark.parametrize("mood", [pytest.param("hoarding", marks=pytest.mark.compiled_only), "curious"])
@pytest.mark.parametrize("table", SMALL, ids=str)
def test_piles_that_run_out_lie_as_on_the_table_of_the_referee(table: Table, mood: str) -> None:
    check(table, mood)


def check(table: Table, mood: str) -> None:
    """Let the referee follow a record, and compare after each step."""
    record = played(table, mood)
    lines = [json.loads(line) for line in record.dumps().splitlines()[1:]]
    referee = Referee(table.game_map, table.n_players)
    at = 0
    for events, state in zip(record.steps, record.states(), strict=True):
        step, at = lines[at : at + len(events)], at + len(events)
        for line in step:
            referee.apply(line)
        assert on_the_table(state) == as_the_referee_has_it(referee), f"after event {at}"
        if state.pending:
            revealed = [line["card"] for line in step if line["event"] == "card_revealed"]
            assert counts(state.pending.revealed) == Counter(revealed)
    assert referee.due is None


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
