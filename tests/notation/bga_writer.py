"""Games as the logs of Board Game Arena: written from records, to be read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

import ttr_analysis as ttr
from ttr_analysis.engine import actions
from ttr_analysis.engine.events import Chance, Event, Move
from ttr_analysis.maps.model import Ticket
from ttr_analysis.notation.bga_lines import COLOR_CODES

if TYPE_CHECKING:
    import numpy as np

NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve")


def log_text(record: ttr.GameRecord, rng: np.random.Generator, *, seer: int | None = None) -> str:
    """
    Return a whole game as its log.

    Parameters
    ----------
    record
        The game.
    rng
        The order in which players choose opening tickets, and of cards.
    seer
        Whose hidden cards the log tells; None for those of everybody.
    """
    return "\n".join([*_moves(record, rng, seer), *_end(record)]) + "\n"


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


def _moves(record: ttr.GameRecord, rng: np.random.Generator, seer: int | None) -> Iterator[str]:
    numbers = count(2)
    states = record.states()
    n_players = record.header.n_players
    yield from _notices(record.steps[0])
    for step in 1 + rng.permutation(n_players):
        yield f"Move {next(numbers)} :00:00:00"
        yield from _move_lines(record.steps[step], states[step - 1], states[step], rng, seer)
    for step in range(1 + n_players, len(record.steps)):
        yield f"Move {next(numbers)} :00:00:00"
        yield from _move_lines(record.steps[step], states[step - 1], states[step], rng, seer)


def _notices(events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        if isinstance(event, Chance) and event.kind == "market_replaced":
            yield "Three locomotives have been revealed, visible train cards are replaced"
        if isinstance(event, Chance) and event.kind == "cards_shuffled":
            yield "The train car deck has been reshuffled"


def _move_lines(  # noqa: C901, PLR0912 - a case for each action
    events: tuple[Event, ...], before: ttr.GameState, after: ttr.GameState, rng: np.random.Generator, seer: int | None
) -> Iterator[str]:
    move = events[0]
    assert isinstance(move, Move)
    name = NAMES[move.seat]
    match move.action:
        case actions.DrawCard():
            card = next(event.card for event in events if isinstance(event, Chance) and event.kind == "card_drawn")
            if seer in (None, move.seat):
                assert card is not None
                yield f"You take hidden train car card(s) {COLOR_CODES.index(card)}"
            yield f"{name} takes 1 hidden train car card(s)"
        case actions.DrawFaceUp(slot):
            card = before.market[slot]
            assert card is not None
            yield f"{name} takes {COLOR_CODES.index(card)}"
        case actions.ClaimRoute(route, payment):
            turned = [event.card for event in events if isinstance(event, Chance) and event.kind == "card_revealed"]
            yield _claim(name, route, payment.cards, rng, is_attempt=bool(turned))
            if turned:
                yield f"Tunnel cards : {','.join(str(COLOR_CODES.index(card)) for card in turned if card)}"
            if turned and after.pending is None:
                yield _claim(name, route, payment.cards, rng)
        case actions.PayTunnel(payment):
            assert before.pending is not None
            yield _claim(name, before.pending.route, before.pending.laid + payment, rng)
        case actions.DeclineTunnel():
            yield f"{name} gives up the tunnel"
        case actions.KeepTickets(tickets):
            yield from [f"{name} keeps {len(tickets)} destination(s)"] * 2
            if before.game_map.rules.tickets.unkept == "discard_pile":
                yield from _laid_open(name, before.offers[move.seat], tickets)
        case actions.BuildStation(city, payment):
            laid = _codes(payment.cards, rng)
            yield f"{name} builds a station in {city.name} with {payment.n_cards} train car(s) : {laid}"
        case actions.ChooseNeutralRoute(route):
            yield f"{name} gives the neutral player the route from {route.cities[0]} to {route.cities[1]}"
        case actions.Pass():
            yield f"{name} passes"
        case actions.DrawTickets():
            pass
    for event in events:
        if isinstance(event, Chance) and event.kind == "neutral_ticket" and event.ticket is not None:
            yield f"Neutral destination : {_ends(event.ticket)}"
    yield from _notices(events)


def _laid_open(name: str, offer: Sequence[Ticket | None], kept: Sequence[Ticket | None]) -> Iterator[str]:
    left = list(offer)
    for ticket in kept:
        left.remove(ticket)
    for ticket in left:
        assert ticket is not None
        yield f"{name} lays {_ends(ticket)} destination on the discards"


def _claim(
    name: str, route: ttr.Route, cards: ttr.CardCounts, rng: np.random.Generator, *, is_attempt: bool = False
) -> str:
    laid = _codes(cards, rng)
    a, b = rng.permutation(route.cities)
    if is_attempt:
        return f"{name} attempts the tunnel from {a} to {b} with {route.length} train car(s) : {laid}"
    return (
        f"{name} gains {route.points} point(s) by claiming route from {a} to {b} "
        f"with {route.length} train car(s) : {laid}"
    )


def _codes(cards: ttr.CardCounts, rng: np.random.Generator) -> str:
    """Return cards by the numbers that stand for their kinds, in any order."""
    kinds = [kind for kind, n in cards.as_dict().items() for _ in range(n)]
    return ",".join(str(COLOR_CODES.index(kind)) for kind in rng.permutation(kinds))


def _end(record: ttr.GameRecord) -> Iterator[str]:
    if not record.is_complete:
        return
    for score in record.score():
        name = NAMES[score.seat]
        for scored in score.tickets:
            if scored.ticket is None or scored.points is None:
                continue
            yield f"{name} reveals {_ends(scored.ticket)} destination"
            verb = "gains" if scored.points > 0 else "loses"
            yield f"{name} {verb} {abs(scored.points)} points with {_ends(scored.ticket)} destination"
    for score in record.score():
        yield f"{NAMES[score.seat]} longest continuous path is {score.trail} train-cars long"
    yield "End of game"


def _name(ticket: Ticket) -> str:
    return ticket.id.partition("/")[0].replace("-", " - ", 1)


def _ends(ticket: Ticket) -> str:
    a, b = ticket.origin, ticket.id.partition("/")[0].removeprefix(f"{ticket.origin}-")
    return f"{a} to {b}"
