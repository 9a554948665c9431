"""Which moves are legal, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from tests.oracles.referee.due import FIELDS, MOVES, Decision, Event
from tests.oracles.referee.payment import Cards, can_pay, n_sub_multisets, pays, pays_surcharge, sub_multisets
from tests.oracles.referee.table import Table
from ttr_analysis.cards import CARD_KINDS, COLORS, LOCOMOTIVE
from ttr_analysis.maps.model import Route

MAX_CHOICES = 20_000
"""A hand with more choices of cards than this is too large to try them all."""


def fault(table: Table, due: Decision, event: Event) -> str:
    """Return why an event is not a legal move of the seat that decides, or nothing if it is one."""
    name = event.get("event")
    if name not in MOVES[due.phase]:
        return f"{name!r} is no move of the phase {due.phase!r}"
    if set(event) != {"event", *FIELDS[name]}:
        return f"{name} says {FIELDS[name]}, not {set(event) - {'event'}}"
    if not _is_number(event["seat"]) or event["seat"] != due.seat:
        return f"seat {due.seat} decides, not {event['seat']!r}"
    return _FAULTS[name](table, due.seat, event)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# -- drawing ----------------------------------------------------------------------


def face_up_fault(table: Table, slot: Any) -> str:  # noqa: ANN401 - as it stands in a record
    rules = table.rules
    if not _is_number(slot) or not 0 <= slot < len(table.market):
        return f"there is no slot {slot!r}"
    card = table.market[slot]
    if card is None:
        return f"slot {slot} is empty"
    if table.both_piles_empty() and not rules.market.open_without_piles:
        return "face-up cards stay while both piles are empty"
    if card == LOCOMOTIVE and rules.market.locomotive_cost > 1 and table.draws_taken:
        return "a face-up locomotive may only be the first card of a turn"
    return ""


def draw_is_possible(table: Table) -> bool:
    """Return whether the seat may draw a card now, unseen or face up."""
    face_up = any(not face_up_fault(table, slot) for slot in range(len(table.market)))
    return face_up or not table.both_piles_empty()


def second_draw_is_possible(table: Table) -> bool:
    """Return whether a seat that has drawn may draw again in this turn."""
    return table.draws_taken < table.rules.cards.draws_per_turn and draw_is_possible(table)


# -- claiming -----------------------------------------------------------------------


def route_fault(table: Table, seat: int, route: Route) -> str:
    """Return why a seat may not claim a route, whatever its cards."""
    twin = table.twins.get(route.id)
    first = table.owners.get(twin.id) if twin else None
    if route.id in table.owners:
        return f"{route.id} belongs to {table.owners[route.id]}"
    if first == seat:
        return f"seat {seat} has the other track of {route.id}"
    if first is not None and not table.rules.both_tracks_open(table.n_players):
        return f"{route.id} is closed since {first} has the other track"
    if table.trains[seat] < route.length:
        return f"{route.id} needs {route.length} trains, seat {seat} has {table.trains[seat]}"
    if table.toll(route) > table.tokens[seat] and not table.loan_is_left():
        return f"the toll of {route.id} is {table.toll(route)}, seat {seat} has {table.tokens[seat]}, no loan is left"
    return ""


def claim_fault(table: Table, seat: int, route: Route, cards: Cards) -> str:
    """Return why a seat may not claim a route with exactly these cards."""
    reason = route_fault(table, seat, route)
    if reason:
        return reason
    if not cards <= table.hands[seat]:
        return f"seat {seat} has {dict(table.hands[seat])}, not {dict(cards)}"
    return "" if pays(route, cards) else f"{dict(cards)} do not pay for {route}"


# -- stations -----------------------------------------------------------------------


def station_fault(table: Table, seat: int, city: str) -> str:
    """Return why a seat may not build a station in a city, whatever its cards."""
    if len(table.stations_of(seat)) == table.rules.stations.number:
        return f"seat {seat} has no station left"
    if city in table.stations:
        return f"seat {table.stations[city]} has a station in {city}"
    return ""


def station_is_paid(table: Table, seat: int, cards: Cards) -> bool:
    """Return whether exactly these cards pay for the next station of a seat."""
    cost = table.rules.stations.costs[len(table.stations_of(seat))]
    colors = {kind for kind in cards if cards[kind] and kind != LOCOMOTIVE}
    has_jokers = cards[LOCOMOTIVE] > 0
    return (
        cards.total() == cost and len(colors) <= 1 and (not has_jokers or "plain" in table.rules.claims.locomotives_on)
    )


def station_payments(table: Table, seat: int) -> list[Cards]:
    """Return all choices of cards with which a seat could pay for its next station."""
    if len(table.stations_of(seat)) == table.rules.stations.number:
        return []
    cost, hand = table.rules.stations.costs[len(table.stations_of(seat))], table.hands[seat]
    ways = {kind: [Counter({kind: cost - n, LOCOMOTIVE: n}) for n in range(cost)] for kind in COLORS}
    every = [way for kind in ways for way in ways[kind]] + [Counter({LOCOMOTIVE: cost})]
    return [+way for way in every if way <= hand and station_is_paid(table, seat, way)]


def _station_event_fault(table: Table, seat: int, event: Event) -> str:
    if event["city"] not in {city.name for city in table.map.cities}:
        return f"there is no city {event['city']!r}"
    reason = _cards_fault(event["cards"]) or station_fault(table, seat, event["city"])
    if reason:
        return reason
    cards: Cards = Counter(event["cards"])
    if not cards <= table.hands[seat]:
        return f"seat {seat} has {dict(table.hands[seat])}, not {dict(cards)}"
    return "" if station_is_paid(table, seat, cards) else f"{dict(cards)} do not pay for a station"


def can_build(table: Table, seat: int) -> bool:
    """Return whether a seat can build a station anywhere."""
    is_free = any(not station_fault(table, seat, city.name) for city in table.map.cities)
    return is_free and bool(station_payments(table, seat))


# -- claiming, as an event ----------------------------------------------------------


def _claim_event_fault(table: Table, seat: int, event: Event) -> str:
    if event["route"] not in table.routes:
        return f"there is no route {event['route']!r}"
    return _cards_fault(event["cards"]) or claim_fault(
        table, seat, table.routes[event["route"]], Counter(event["cards"])
    )


def _cards_fault(cards: Any) -> str:  # noqa: ANN401 - as they stand in a record
    fits = isinstance(cards, dict) and all(
        kind in CARD_KINDS and _is_number(number) and number > 0 for kind, number in cards.items()
    )
    return "" if fits else f"no cards: {cards!r}"


def _surcharge_fault(table: Table, seat: int, event: Event) -> str:
    said = event["cards"]
    if _cards_fault(said):
        return _cards_fault(said)
    cards: Cards = Counter(said)
    if not cards <= table.hands[seat]:
        return f"seat {seat} has {dict(table.hands[seat])} left, not {said}"
    assert table.pending is not None
    fits = pays_surcharge(table.pending, cards, table.pending_color, table.surcharge)
    return "" if fits else f"{said} are not {table.surcharge} cards of {table.pending_color} or locomotives"


# -- tickets ------------------------------------------------------------------------


def keep_fault(table: Table, seat: int, kept: Any) -> str:  # noqa: ANN401 - as they stand in a record
    offer = table.offers[seat]
    if not isinstance(kept, list) or len(set(kept)) != len(kept) or not set(kept) <= set(offer):
        return f"{kept!r} are not some of the tickets offered, {offer}"
    return "" if len(kept) >= table.must_keep else f"{len(kept)} tickets kept, at least {table.must_keep} must be"


def _keep_event_fault(table: Table, seat: int, event: Event) -> str:
    return keep_fault(table, seat, event["tickets"])


# -- all of them ----------------------------------------------------------------------


def moves_besides_passing(table: Table, seat: int) -> bool:
    """Return whether a seat can do anything with its turn."""
    return (
        draw_is_possible(table)
        or not table.no_tickets_left()
        or any(not route_fault(table, seat, route) and can_pay(route, table.hands[seat]) for route in table.map.routes)
        or can_build(table, seat)
    )


def legal_moves(table: Table, due: Decision) -> list[Event]:
    """Return every legal move, each choice of cards tried; only for hands with few choices."""
    return [event for event in _candidates(table, due) if not fault(table, due, event)]


def _candidates(table: Table, due: Decision) -> Iterator[Event]:
    """Yield all that the seat might do, legal or not."""
    for name in MOVES[due.phase]:
        for said in _all_to_say(table, due.seat, name):
            yield {"event": name, "seat": due.seat, **said}


def _all_to_say(table: Table, seat: int, name: str) -> Iterator[Event]:
    """Yield all that might be said with a move: slots, routes, cards, tickets."""
    routes = [route.id for route in table.map.routes]
    match name:
        case "draw_face_up":
            yield from ({"slot": slot} for slot in range(len(table.market)))
        case "claim_route":
            hand = _choices(table.hands[seat])
            yield from ({"route": route, "cards": dict(cards)} for cards in hand for route in routes)
        case "build_station":
            cities = [city.name for city in table.map.cities]
            hand = _choices(table.hands[seat])
            yield from ({"city": city, "cards": dict(cards)} for cards in hand for city in cities)
        case "pay_tunnel":
            yield from ({"cards": dict(cards)} for cards in _choices(table.hands[seat]))
        case "keep_tickets":
            offer = table.offers[seat]
            numbers = range(len(offer) + 1)
            yield from ({"tickets": list(kept)} for n in numbers for kept in combinations(offer, n))
        case "choose_neutral_route":
            yield from ({"route": route} for route in routes)
        case _:
            yield {}


def _choices(hand: Cards) -> Iterator[Cards]:
    """Yield every choice of one or more cards."""
    n_choices = n_sub_multisets(hand)
    assert n_choices <= MAX_CHOICES, f"a hand with {n_choices} choices of cards is too large to try them all"
    return (cards for cards in sub_multisets(hand) if cards)


# -- by the name of the move --------------------------------------------------------------


def _draw_card_fault(table: Table, _seat: int, _event: Event) -> str:
    return "no cards in draw and discard piles" if table.both_piles_empty() else ""


def _draw_face_up_fault(table: Table, _seat: int, event: Event) -> str:
    return face_up_fault(table, event["slot"])


def _draw_tickets_fault(table: Table, _seat: int, _event: Event) -> str:
    return "no tickets are left" if table.no_tickets_left() else ""


def _pass_fault(table: Table, seat: int, _event: Event) -> str:
    return "there is another legal move" if moves_besides_passing(table, seat) else ""


def _decline_fault(_table: Table, _seat: int, _event: Event) -> str:
    return ""


def _neutral_fault(table: Table, _seat: int, event: Event) -> str:
    names = [route.id for route in table.neutral_choice]
    return "" if event["route"] in names else f"the neutral player may take {names}, not {event['route']!r}"


_FAULTS: dict[str, Callable[[Table, int, Event], str]] = {
    "draw_card": _draw_card_fault,
    "draw_face_up": _draw_face_up_fault,
    "claim_route": _claim_event_fault,
    "draw_tickets": _draw_tickets_fault,
    "build_station": _station_event_fault,
    "pass": _pass_fault,
    "pay_tunnel": _surcharge_fault,
    "decline_tunnel": _decline_fault,
    "keep_tickets": _keep_event_fault,
    "choose_neutral_route": _neutral_fault,
}
