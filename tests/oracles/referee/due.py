"""What the referee waits for: a player's decision, an outcome of chance, or an announcement."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Event = Mapping[str, Any]
"""One line of a record: `{"event": "draw_card", "seat": 0}` and the like."""

Phase = Literal["keep_start", "turn", "second_draw", "tunnel", "keep", "neutral"]

MOVES: dict[Phase, tuple[str, ...]] = {
    "keep_start": ("keep_tickets",),
    "turn": ("draw_card", "draw_face_up", "claim_route", "draw_tickets", "build_station", "pass"),
    "second_draw": ("draw_card", "draw_face_up"),
    "tunnel": ("pay_tunnel", "decline_tunnel"),
    "keep": ("keep_tickets",),
    "neutral": ("choose_neutral_route",),
}
"""The moves of each phase."""

FIELDS: dict[str, tuple[str, ...]] = {
    "draw_card": ("seat",),
    "draw_face_up": ("seat", "slot"),
    "claim_route": ("seat", "route", "cards"),
    "draw_tickets": ("seat",),
    "build_station": ("seat", "city", "cards"),
    "pass": ("seat",),
    "pay_tunnel": ("seat", "cards"),
    "decline_tunnel": ("seat",),
    "keep_tickets": ("seat", "tickets"),
    "choose_neutral_route": ("seat", "route"),
}
"""What each move says."""


@dataclass(frozen=True)
class Decision:
    """A seat has to move."""

    phase: Phase
    seat: int


@dataclass(frozen=True)
class Chance:
    """A card or ticket is turned up: one of those possible, each as likely as its number."""

    fixed: Event
    what: Literal["card", "ticket"]
    possible: Mapping[str, int]


@dataclass(frozen=True)
class Notice:
    """Something happens by itself."""

    event: str


Due = Decision | Chance | Notice

Script = Generator[Due, Event, None]
"""A piece of the game: it yields what is due and is sent the event."""
