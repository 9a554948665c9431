"""A tape of the kernel as the events of a record and back, by code of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ttr_analysis._compile import Ints
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.maps.model import GameMap

Event = dict[str, Any]

MOVES = (
    "draw_card",
    "draw_face_up",
    "claim_route",
    "pay_tunnel",
    "decline_tunnel",
    "draw_tickets",
    "keep_tickets",
    "choose_neutral_route",
    "build_station",
    "pass",
)
OUTCOMES = ("card_dealt", "card_drawn", "market_card", "card_revealed", "ticket_offered", "neutral_ticket")
SHUFFLES = ("cards_shuffled", "tickets_shuffled", "market_replaced")


def decode(game_map: GameMap, tape: Ints) -> list[Event]:
    """Return the events of a tape, rows of code and value."""
    offers: dict[int, list[str]] = {}
    events = []
    for code, value in tape.tolist():
        event = _decode_one(game_map, code, value)
        if event["event"] == "ticket_offered":
            offers.setdefault(event["seat"], []).append(event["ticket"])
        elif event["event"] == "keep_tickets":
            offer = offers.pop(event["seat"], [])
            event["tickets"] = [ticket for i, ticket in enumerate(offer) if value >> i & 1]
        events.append(event)
    return events


def _decode_one(game_map: GameMap, code: int, value: int) -> Event:
    kind, seat, argument = code & 63, code >> 6 & 7, code >> 9
    if kind < len(MOVES):
        return {"event": MOVES[kind], "seat": seat, **_said_with_move(game_map, MOVES[kind], argument, value)}
    if kind - 32 == len(OUTCOMES):
        return {"event": SHUFFLES[argument]}
    name = OUTCOMES[kind - 32]
    event: Event = {"event": name}
    if name in {"card_dealt", "card_drawn", "ticket_offered"}:
        event["seat"] = seat
    if name == "market_card":
        event["slot"] = argument
    if name in {"ticket_offered", "neutral_ticket"}:
        event["ticket"] = game_map.tickets[value].id
    else:
        event["card"] = CARD_KINDS[value]
    return event


def _said_with_move(game_map: GameMap, name: str, argument: int, value: int) -> Event:
    said: Event = {}
    if name == "draw_face_up":
        said["slot"] = argument
    if name in {"claim_route", "choose_neutral_route"}:
        said["route"] = game_map.routes[argument].id
    if name == "build_station":
        said["city"] = game_map.cities[argument].name
    if name in {"claim_route", "pay_tunnel", "build_station"}:
        said["cards"] = _cards(value)
    return said


def _cards(packed: int) -> dict[str, int]:
    counts = {kind: packed >> 6 * i & 63 for i, kind in enumerate(CARD_KINDS)}
    return {kind: n for kind, n in counts.items() if n}


def encode_move(game_map: GameMap, event: Mapping[str, Any], offer: Sequence[str]) -> tuple[int, int]:
    """Return the code, its seat left out, and the value of a move; `offer` are the tickets its seat chooses from."""
    argument = event.get("slot", 0)
    if "route" in event:
        argument = [route.id for route in game_map.routes].index(event["route"])
    if "city" in event:
        argument = [city.name for city in game_map.cities].index(event["city"])
    value = sum(n << 6 * CARD_KINDS.index(kind) for kind, n in event.get("cards", {}).items())
    value += sum(1 << offer.index(ticket) for ticket in event.get("tickets", []))
    return MOVES.index(event["event"]) + 512 * argument, value
