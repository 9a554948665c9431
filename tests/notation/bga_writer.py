"""Logs of Board Game Arena for the tests: with the names of players, and offers as somebody may note them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ttr_analysis as ttr
from ttr_analysis.engine import actions
from ttr_analysis.engine.events import Move
from ttr_analysis.maps.model import Ticket

if TYPE_CHECKING:
    import numpy as np

NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve")


def log_text(record: ttr.GameRecord, rng: np.random.Generator, *, seer: int | None = None) -> str:
    """Return a whole game as its log, cards and cities in any order; `seer` is whose hidden cards it tells."""
    return ttr.write_bga(record, seat=seer, rng=rng)


def ticket_notes(record: ttr.GameRecord, rng: np.random.Generator) -> dict[str, list[tuple[list[str], list[str]]]]:
    """Return what was offered to whom and kept, as somebody at the table may note it: in any order."""
    notes: dict[str, list[tuple[list[str], list[str]]]] = {name: [] for name in NAMES[: record.header.n_players]}
    states = record.states()
    for step, events in enumerate(record.steps):
        for event in events:
            if isinstance(event, Move) and isinstance(event.action, actions.KeepTickets):
                offer = [_name(ticket) for ticket in states[step - 1].offers[event.seat] if ticket is not None]
                kept = [_name(ticket) for ticket in event.action.tickets if ticket is not None]
                notes[NAMES[event.seat]].append((list(rng.permutation(offer)), kept))
    return notes


def _name(ticket: Ticket) -> str:
    return ticket.id.partition("/")[0].replace("-", " - ", 1)
