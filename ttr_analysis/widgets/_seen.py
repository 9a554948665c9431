"""What a widget shows of a game at one moment, as plain data: from a state, or from what one seat can see of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttr_analysis.cards import CARD_KINDS, CardCounts
from ttr_analysis.engine.state import GameState, PublicState
from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.model import GameMap, Ticket
from ttr_analysis.viz.sheet import board_sheet
from ttr_analysis.widgets._frames import ENDINGS, PHASES, UNKNOWN


def fixed_facts(game_map: GameMap, names: Sequence[str]) -> dict[str, Any]:
    """
    Return what does not change in a game.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    names
        What each seat is called, from seat 0 on; "" for a seat without a
        name.
    """
    rules = game_map.rules
    variant = rules.variant.replace("_", " ")
    return {
        "sheet": board_sheet(game_map),
        "title": f"{game_map.title}, {variant}" if variant else game_map.title,
        "names": list(names),
        "kinds": list(CARD_KINDS),
        "money": rules.money.tokens > 0,
        "slots": rules.market.size,
    }


def seen_by(view: SeatView) -> dict[str, Any]:
    """Return what one seat can see: cards of others as far as everyone knows them."""
    numbers = _numbers(view.game_map)
    seats = []
    for seat, n_cards in enumerate(view.n_hands):
        own = seat == view.seat
        tickets = view.tickets if own else (None,) * view.n_tickets[seat]
        seats.append(_seat(view, seat, view.hand if own else view.known[seat], n_cards, tickets, numbers))
    return _table(view) | {"seats": seats}


def seen_by_record(state: GameState) -> dict[str, Any]:
    """Return all that a record knows: hands and tickets of every seat, as far as they were seen."""
    numbers = _numbers(state.game_map)
    seats = [
        _seat(state, seat, state.hands[seat], n_cards, state.tickets[seat], numbers)
        for seat, n_cards in enumerate(state.n_hands)
    ]
    return _table(state) | {"seats": seats}


def _numbers(game_map: GameMap) -> dict[str, int]:
    return {ticket.id: i for i, ticket in enumerate(game_map.tickets)}


def _id(ticket: Ticket | None) -> str:
    return "" if ticket is None else ticket.id


def _seat(
    state: PublicState,
    seat: int,
    hand: CardCounts,
    n_cards: int,
    tickets: Sequence[Ticket | None],
    numbers: dict[str, int],
) -> dict[str, Any]:
    return {
        "hand": [*hand, n_cards - hand.n_cards],
        "trains": state.trains[seat],
        "score": state.scores[seat],
        "tokens": state.tokens[seat],
        "loans": state.loans[seat],
        "tickets": [numbers.get(_id(ticket), UNKNOWN) for ticket in tickets],
    }


def _table(state: PublicState) -> dict[str, Any]:
    """Return what belongs to no seat."""
    pending, neutral = state.pending, None
    if state.has_neutral:
        turned = state.neutral_ticket
        neutral = {
            "trains": state.neutral_trains,
            "marker": state.marker,
            "ticket": None if turned is None else _numbers(state.game_map)[turned.id],
        }
    return {
        "owners": state.owners,
        "market": list(state.market),
        "pile": state.n_pile,
        "discards": state.discards.n_cards,
        "ticketPile": state.n_ticket_pile,
        "acting": None if state.is_over else state.acting,
        "phase": state.phase.name,
        "turn": ENDINGS[state.ending] if state.ending else f"P{state.acting} {PHASES[state.phase]}",
        "left": None if state.is_over else state.turns_left,
        "tunnel": None
        if pending is None
        else {
            "route": pending.route.id,
            "laid": list(pending.laid),
            "shown": list(pending.revealed),
            "surcharge": pending.surcharge,
        },
        "neutral": neutral,
    }
