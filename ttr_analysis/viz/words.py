"""A game in sentences, one for each step of a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ttr_analysis._words import counted, isolate, listed, with_names
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine import actions
from ttr_analysis.engine.events import Chance, Correction, Event, Move, StartPosition, TicketsShown
from ttr_analysis.engine.scores import Score, StationScore, score_state
from ttr_analysis.engine.state import GameState, Owner, PendingTunnel
from ttr_analysis.maps.model import Route, Ticket
from ttr_analysis.maps.names import name_route, name_ticket
from ttr_analysis.records.record import GameRecord

Cards: TypeAlias = tuple[str | None, ...]
"""Kinds of cards, one for each card; None for unknown ones."""

Parts: TypeAlias = list[tuple[str, int | None]]
"""The parts of a score; None if unknown."""


@dataclass(frozen=True, slots=True)
class Narration:
    """
    One step of a record in words.

    `seat` is None for the setup; `text` follows the name of the player: "draws a blue
    card". `cards` are the cards that moved, grouped by what became of them; `stamp` is the
    place in the source of the record, "" if unknown: "move 7, 20:15:01". `slots` are
    the market slots that changed: where a card was taken, if any, and those refilled.
    """

    seat: int | None
    text: str
    cards: tuple[tuple[str, Cards], ...] = ()
    route: Route | None = None
    player: str = ""
    stamp: str = ""
    slots: tuple[int | None, ...] = ()

    def __str__(self) -> str:
        return self.text if self.seat is None else f"{self.player or f'P{self.seat}'} {self.text}"


def tell(record: GameRecord) -> Iterator[Narration]:
    """
    Yield the steps of a record in words, one for each of its states.

    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7)
    >>> told = list(tell(record))
    >>> len(told) == len(record.states())
    True
    >>> print(told[3])
    P0 claims Atlanta – Nashville (gray, 1) with 1 purple for 1 point
    """
    states = record.states()
    before: GameState | None = None
    for events, after, stamp in zip(record.steps, states, record.stamps, strict=True):
        narration = tell_step(events, before, after, record.header.players)
        yield narration if stamp is None else replace(narration, stamp=str(stamp))
        before = after


def final_parts(score: Score) -> Parts:
    """
    Return the parts of a seat's points, as if the game ended here; parts of 0 points are left out, except routes.

    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> sum(points for _, points in final_parts(record.score()[0])) == record.scores[0]
    True
    """
    points = [scored.points or 0 for scored in score.tickets]
    unknown: Parts = [("unknown tickets", None)] if score.n_unknown else []
    return without_zeros(
        ("start", score.start),
        ("routes", score.route_points),
        ("tickets", sum(p for p in points if p > 0)),
        ("lost tickets", sum(p for p in points if p < 0)),
        *unknown,
        *((bonus.measure.replace("_", " "), bonus.points) for bonus in score.bonuses),
        ("loans", score.loan_points),
        ("stations", score.station_points),
    )


def tell_station(use: StationScore) -> str:
    """
    Describe the route that a station borrows at the end of a game.

    >>> europe = ttr.load_map("europe")
    >>> tell_station(StationScore(europe.city("Wien"), europe.route("Budapest", "Wien", track=0)))
    'Wien borrows Budapest – Wien (red, 1)'
    """
    return f"{isolate(use.city.name)} borrows {'nothing' if use.route is None else name_route(use.route)}"


def without_zeros(*parts: tuple[str, int | None]) -> Parts:
    """Return parts without those of 0 points, except routes."""
    return [(what, points) for what, points in parts if points != 0 or what == "routes"]


def tell_step(
    events: Sequence[Event], before: GameState | None, after: GameState, names: Sequence[str] = ()
) -> Narration:
    """Describe one step: its events, and the states `before` (None for the setup) and `after` it."""
    first = events[0] if events else None
    if isinstance(first, TicketsShown):
        return Narration(first.seat, f"shows {_list_tickets(first.tickets)}", player=_given(names, first.seat))
    if isinstance(first, StartPosition):
        return Narration(None, _tell_start(after))
    if isinstance(first, Correction):
        return Narration(None, _tell_correction(first, names))
    if before is None or not isinstance(first, Move):
        return Narration(None, _tell_setup(events, after))
    outcomes = [event for event in events if isinstance(event, Chance)]
    move = _tell_move(first, outcomes, before, after)
    text = "; ".join([move.text, *_tell_rest(outcomes, before, after, names)])
    refills = [event for event in outcomes if event.kind == "market_card"]
    cards = (*move.cards, ("to the market", tuple(event.card for event in refills))) if refills else move.cards
    slots = (*move.slots, *(event.slot for event in refills))
    route = move.route or next(iter(_new_routes(before, after)), None)
    return Narration(move.seat, text, cards, route, _given(names, first.seat), slots=slots)


def _given(names: Sequence[str], seat: int) -> str:
    """Return the name given to a player, "" if none was."""
    return isolate(names[seat]) if seat < len(names) else ""


def _tell_start(state: GameState) -> str:
    there = [f"{counted(len(state.claimed), 'route')} taken"]
    if state.stations:
        there.append(f"{counted(len(state.stations), 'station')} built")
    return f"The game begins from a position, with {listed(there)}"


def _tell_correction(event: Correction, names: Sequence[str]) -> str:
    """Describe a correction, using the players' names."""
    text = with_names(str(event), [_given(names, seat) for seat in range(len(names))])
    return f"{text[0].upper()}{text[1:]}"


def _tell_setup(events: Iterable[Event], state: GameState) -> str:
    dealt = Counter(event.kind for event in events if isinstance(event, Chance))
    n_cards, n_tickets = dealt["card_dealt"] // state.n_players, dealt["ticket_offered"] // state.n_players
    return f"Everyone is dealt {counted(n_cards, 'card')} and {counted(n_tickets, 'ticket')} to choose from"


def _tell_move(move: Move, outcomes: Sequence[Chance], before: GameState, after: GameState) -> Narration:  # noqa: C901, PLR0911 - one for each action
    seat, action = move.seat, move.action
    match action:
        case actions.DrawCard():
            drawn = tuple(event.card for event in outcomes if event.kind == "card_drawn")
            return Narration(seat, f"draws {_name_cards(drawn)}", (("drawn", drawn),))
        case actions.DrawFaceUp(slot, card):
            taken = (card or before.market[slot],)
            return Narration(seat, f"takes {_name_cards(taken)} from the market", (("taken", taken),), slots=(slot,))
        case actions.ClaimRoute(route, payment):
            return _tell_claim(seat, route, payment.cards, outcomes, after)
        case actions.AttemptTunnel(route, color):
            return _tell_attempt(seat, route, color, outcomes, after)
        case actions.PayTunnel() | actions.DeclineTunnel():
            return _tell_tunnel(seat, action, before.pending)
        case actions.DrawTickets():
            offered = [event.ticket for event in outcomes if event.kind == "ticket_offered"]
            return Narration(seat, f"draws {_list_tickets(offered)}")
        case actions.KeepTickets(tickets):
            n_back = before.n_offers[seat] - len(tickets)
            back_words = f", and puts {n_back} back" if n_back > 0 else ""
            return Narration(seat, f"keeps {_list_tickets(tickets)}{back_words}")
        case actions.ChooseNeutralRoute(route):
            return Narration(seat, f"gives {name_route(route)} to the neutral player", (), route)
        case actions.BuildStation(city, payment):
            text = f"builds a station in {isolate(city.name)} with {payment.cards}"
            return Narration(seat, text, (("laid down", _spread(payment.cards)),))
        case actions.Pass():
            return Narration(seat, "passes")


def _tell_tunnel(
    seat: int, action: actions.PayTunnel | actions.DeclineTunnel, pending: PendingTunnel | None
) -> Narration:
    """Describe how a tunnel attempt ends; `pending` has the cards turned over."""
    if pending is None:
        return Narration(seat, str(action))
    route, shown = pending.route, ("turned over", _spread(pending.revealed))
    if isinstance(action, actions.DeclineTunnel):
        groups = (shown, ("taken back", _spread(pending.laid))) if pending.laid.n_cards else ()
        return Narration(seat, f"takes the cards back from {name_route(route)}", groups, route)
    more = " more" if pending.laid.n_cards else ""
    text = f"pays {action.cards}{more} and claims {name_route(route)} for {counted(route.points, 'point')}"
    return Narration(seat, text, (shown, ("paid", _spread(action.cards))), route)


def _tell_claim(seat: int, route: Route, cards: CardCounts, outcomes: Iterable[Chance], after: GameState) -> Narration:
    laid = ("laid down", _spread(cards))
    claimed = f"claims {name_route(route)} with {cards} for {counted(route.points, 'point')}"
    if not route.tunnel:
        return Narration(seat, claimed, (laid,), route)
    shown = tuple(event.card for event in outcomes if event.kind == "card_revealed")
    turned = ", ".join(card or "an unknown card" for card in shown) or "no card"
    groups = (laid, ("turned over", shown)) if shown else (laid,)
    if after.pending is None:
        return Narration(seat, f"{claimed}; the tunnel shows {turned}: nothing more to pay", groups, route)
    wanted = counted(after.pending.surcharge, "card")
    return Narration(
        seat,
        f"tries the tunnel {name_route(route)} with {cards}; it shows {turned}: {wanted} more to pay",
        groups,
        route,
    )


def _tell_attempt(seat: int, route: Route, color: str, outcomes: Iterable[Chance], after: GameState) -> Narration:
    """Describe an attempt with cards unknown to the record."""
    n_turned = sum(event.kind == "card_revealed" for event in outcomes)
    demanded = 0 if after.pending is None else after.pending.surcharge - route.length
    text = (
        f"tries the tunnel {name_route(route)} with {color} or locomotives; "
        f"of {counted(n_turned, 'card')} turned over, {demanded or 'none'} must be paid for"
    )
    return Narration(seat, text, (), route)


def _tell_rest(outcomes: Iterable[Chance], before: GameState, after: GameState, names: Sequence[str]) -> Iterator[str]:
    """Yield the other consequences of a move."""
    yield from _tell_money(before, after, before.acting, names)
    notices = {
        "cards_shuffled": "the discards become the draw pile",
        "tickets_shuffled": "the ticket discards become the ticket pile",
        "market_replaced": "the market is replaced",
    }
    for event in outcomes:
        if event.kind in notices:
            yield notices[event.kind]
        elif event.kind == "neutral_ticket":
            yield f"{name_ticket(event.ticket)} is turned up for the neutral player"
            # If only one of its tracks is free, nobody chooses.
            yield from (f"it takes {name_route(route)}" for route in _new_routes(before, after, "neutral"))
            for seat, toll in _paid_for_neutral(before, after).items():
                yield f"the bank pays the toll of {toll} to {_given(names, seat) or f'P{seat}'}"
    if after.is_over and not before.is_over:
        yield "the game is over"
        scores = score_state(after.game_map, after.packed, after.n_players)
        named = tuple(replace(score, name=_given(names, score.seat)) for score in scores)
        yield from filter(None, [replace(scores, seats=named).tie])
    elif after.is_last_round and not before.is_last_round:
        yield f"the last round begins: {counted(after.turns_left or 0, 'turn')} left"


def _new_routes(before: GameState, after: GameState, *owners: Owner) -> list[Route]:
    """Return the routes taken in a step, by given owners or anybody."""
    new = after.claimed[len(before.claimed) :]
    return [route for route in new if not owners or after.owners[route.id] in owners]


def _paid_for_neutral(before: GameState, after: GameState) -> dict[int, int]:
    """Return the toll that the bank pays to each owner of a track whose twin the neutral player took."""
    game_map = after.game_map
    if game_map.rules.money.second_track_pays != "owner" or not game_map.rules.money.tokens:
        return {}
    taken = _new_routes(before, after, "neutral")
    twins = [(route, game_map.twin(route)) for route in taken]
    owners = [(route, after.owners.get(twin.id)) for route, twin in twins if twin is not None]
    return {owner: route.toll for route, owner in owners if isinstance(owner, int)}


def _tell_money(before: GameState, after: GameState, payer: int, names: Sequence[str]) -> Iterator[str]:
    """Yield who pays a toll to whom, and whether by loan; other movements of money are for the neutral player."""
    seats, other = range(after.n_players), _paid_for_neutral(before, after)
    moved = [after.tokens[seat] - before.tokens[seat] - other.get(seat, 0) for seat in seats]
    owner = next((seat for seat in seats if moved[seat] > 0), None)
    to_whom = "to the bank" if owner is None else f"to {_given(names, owner) or f'P{owner}'}"
    who = _given(names, payer) or f"P{payer}"
    if n_loans := after.loans[payer] - before.loans[payer]:
        paid = "" if owner is None else f"; the bank pays the toll of {moved[owner]} {to_whom}"
        yield f"{who} takes {counted(n_loans, 'loan')} for the toll{paid}"
    elif moved[payer] < 0:
        yield f"{who} pays a toll of {-moved[payer]} {to_whom}"


# -- moves without their consequences ------------------------------------------------------------------------------

_PAST = {
    "build": "built",
    "claim": "claimed",
    "draw": "drew",
    "give": "gave",
    "keep": "kept",
    "pass": "passed",
    "pay": "paid",
    "take": "took",
    "try": "tried",
}


def move_words(action: actions.Action, market: Sequence[str | None], *, past: bool = False) -> str:
    """
    Describe a move, given the face-up cards before it.

    >>> move_words(actions.DrawTickets(), ()), move_words(actions.DrawTickets(), (), past=True)
    ('draw tickets', 'drew tickets')
    >>> move_words(actions.DrawFaceUp(0), ["orange"], past=True)
    'took an orange card'
    """
    match action:
        case actions.DrawFaceUp(slot, card):
            words = f"take {_name_card(card or market[slot])}"
        case actions.ClaimRoute(route, payment):
            words = f"claim {name_route(route)} with {payment.cards}"
        case actions.AttemptTunnel(route, color):
            words = f"try the tunnel {name_route(route)} with {color} or locomotives"
        case actions.KeepTickets(tickets):
            words = f"keep {_list_tickets(tickets)}"
        case _:
            words = str(action)
    verb, *rest = words.split(" ", 1)
    return " ".join([_PAST[verb] if past else verb, *rest])


# -- lists ------------------------------------------------------------------------


def _spread(cards: CardCounts) -> tuple[str, ...]:
    """Return counted cards one by one."""
    return tuple(kind for kind, count in zip(CARD_KINDS, cards, strict=True) for _ in range(count))


def _name_cards(cards: Sequence[str | None]) -> str:
    """Return drawn cards in words."""
    return " and ".join(_name_card(card) for card in cards) or "no card"


def _name_card(card: str | None) -> str:
    if card is None:
        return "an unknown card"
    if card == LOCOMOTIVE:
        return "a locomotive"
    return f"{'an' if card[0] in 'aeiou' else 'a'} {card} card"


def _list_tickets(tickets: Sequence[Ticket | None]) -> str:
    """Return tickets in words; those that are not known are counted."""
    known = [name_ticket(ticket) for ticket in tickets if ticket is not None]
    n_unknown = len(tickets) - len(known)
    unknown = [counted(n_unknown, "unknown ticket")] if n_unknown else []
    return "; ".join([*known, *unknown]) or "no ticket"
