"""
The course of a game, told from set-up to the last turn.

Each function is a piece of the game. Where a player moves, chance decides or
something is announced, it yields what is due and goes on with the event. That
the event fits has been seen to before it comes here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator

from tests.oracles.referee.due import Chance, Decision, Event, Notice, Script
from tests.oracles.referee.moves import second_draw_is_possible
from tests.oracles.referee.payment import color_of
from tests.oracles.referee.table import BANK, NEUTRAL, Table
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.ruleset import DeckRules


def whole_game(table: Table) -> Script:
    """Play from the deal to the end."""
    yield from set_up(table)
    yield from rest_of_game(table)


def rest_of_game(table: Table) -> Script:
    """Play from the beginning of a turn to the end."""
    while not table.ending:
        yield from take_turn(table, table.n_turns % table.n_players)
        note_the_end(table)
        if neutral_phase_is_due(table):
            yield from neutral_phase(table)


def set_up(table: Table) -> Script:
    rules = table.rules
    for seat in table.seats:
        for _ in range(rules.cards.opening_hand):
            yield from turn_up_card(table, {"event": "card_dealt", "seat": seat}, into(table.hands[seat]))
    yield from fill_market(table, range(rules.market.size))
    for seat in table.seats:
        if not rules.tickets.decks:
            yield from offer_tickets(table, seat, rules.tickets.opening_deal)
        for deck in rules.tickets.decks:
            yield from deal_from_deck(table, seat, deck)
    for deck in rules.tickets.decks:
        if deck.undealt == "removed":
            table.remove_rest_of_deck(deck.name)
    for seat in table.seats:
        table.must_keep = min(rules.tickets.opening_keep, len(table.offers[seat]))
        keep_tickets(table, (yield Decision("keep_start", seat)), opening=True)


def take_turn(table: Table, seat: int) -> Script:
    table.turn_seat = seat
    table.cards_discarded = False
    table.draws_taken = 0
    event = yield Decision("turn", seat)
    match event["event"]:
        case "draw_card" | "draw_face_up":
            yield from draw_cards(table, seat, event)
        case "claim_route":
            yield from claim(table, seat, table.routes[event["route"]], Counter(event["cards"]))
        case "draw_tickets":
            yield from draw_tickets(table, seat)
        case "build_station":
            cards: Counter[str] = Counter(event["cards"])
            table.hands[seat] -= cards
            table.stations[event["city"]] = seat
            yield from discard(table, cards)
    table.n_passes = table.n_passes + 1 if event["event"] == "pass" else 0
    if table.cards_discarded:
        yield from fill_market(table, [slot for slot, card in enumerate(table.market) if card is None])


def note_the_end(table: Table) -> None:
    """Count the turn that has ended, and see whether the game ends with it."""
    table.n_turns += 1
    if table.turns_left is not None:
        table.turns_left -= 1
    elif table.trains[table.turn_seat] <= table.rules.trains.last_round_at:
        table.turns_left = table.n_players * table.rules.trains.last_turns
    if table.turns_left == 0:
        table.ending = "trains"
    elif table.n_passes >= table.n_players * table.rules.claims.pass_rounds:
        table.ending = "passes"
    elif table.n_turns >= table.rules.trains.max_turns:
        table.ending = "truncated"


# -- cards ----------------------------------------------------------------------


def into(cards: Counter[str]) -> Callable[[str], None]:
    """Return what puts a card among others."""

    def put(card: str) -> None:
        cards[card] += 1

    return put


def turn_up_card(table: Table, fixed: Event, put: Callable[[str], None]) -> Script:
    """Take the top card of the draw pile, if there is any, and put it where it belongs."""
    if not table.pile.total():
        yield from shuffle_cards(table)
    if not table.pile.total():
        return
    event = yield Chance(fixed, "card", +table.pile)
    table.pile[event["card"]] -= 1
    put(event["card"])
    yield from shuffle_at_once(table)


def shuffle_cards(table: Table) -> Script:
    """Make the discards, if there are any, the new draw pile."""
    if table.discards.total():
        yield Notice("cards_shuffled")
        table.pile, table.discards = table.discards, Counter()


def shuffle_at_once(table: Table) -> Script:
    """Where the rules want it, shuffle the discards as soon as the draw pile has run out."""
    if table.rules.cards.reshuffle == "at_once" and not table.pile.total():
        yield from shuffle_cards(table)


def discard(table: Table, cards: Counter[str]) -> Script:
    table.discard(cards)
    yield from shuffle_at_once(table)


def fill_market(table: Table, slots: range | list[int]) -> Script:
    """Turn up cards for some slots, then replace the face-up cards as long as the rules say so."""
    if not slots:
        return
    for slot in slots:
        yield from fill_slot(table, slot)
    for _ in range(table.rules.market.max_resets):
        if not table.reset_is_due():
            break
        yield Notice("market_replaced")
        face_up = Counter(card for card in table.market if card is not None)
        table.market = [None] * len(table.market)
        yield from discard(table, face_up)
        for slot in range(len(table.market)):
            yield from fill_slot(table, slot)


def fill_slot(table: Table, slot: int) -> Script:
    def put(card: str) -> None:
        table.market[slot] = card

    yield from turn_up_card(table, {"event": "market_card", "slot": slot}, put)


def draw_cards(table: Table, seat: int, first: Event) -> Script:
    event = first
    while True:
        if event["event"] == "draw_card":
            yield from turn_up_card(table, {"event": "card_drawn", "seat": seat}, into(table.hands[seat]))
            table.draws_taken += 1
        else:
            card = table.market[event["slot"]]
            assert card is not None
            table.market[event["slot"]] = None
            table.hands[seat][card] += 1
            table.draws_taken += table.rules.market.locomotive_cost if card == LOCOMOTIVE else 1
            yield from fill_market(table, [event["slot"]])
        if not second_draw_is_possible(table):
            return
        event = yield Decision("second_draw", seat)


# -- routes -----------------------------------------------------------------------


def claim(table: Table, seat: int, route: Route, cards: Counter[str]) -> Script:
    table.hands[seat] -= cards
    if not route.tunnel:
        take_route(table, seat, route)
        yield from discard(table, cards)
        return
    table.laid = Counter(cards)
    table.pending, table.pending_color = route, color_of(cards)
    for _ in range(table.rules.tunnel.revealed):
        yield from turn_up_card(table, {"event": "card_revealed"}, table.revealed.append)
    matching = {table.pending_color, LOCOMOTIVE}
    table.surcharge = sum(card in matching for card in table.revealed)
    turned_up, table.revealed = Counter(table.revealed), []
    yield from discard(table, turned_up)
    pays = True
    extra: Counter[str] = Counter()
    if table.surcharge:
        event = yield Decision("tunnel", seat)
        pays = event["event"] == "pay_tunnel"
        extra = Counter(event["cards"]) if pays else extra
    laid, table.laid = table.laid, Counter()
    table.pending, table.pending_color, table.surcharge = None, "", 0
    if pays:
        table.hands[seat] -= extra
        take_route(table, seat, route)
        yield from discard(table, laid + extra)
    else:
        table.hands[seat] += laid


def take_route(table: Table, seat: int, route: Route) -> None:
    """Put a player's trains on a route, score it and settle the toll."""
    toll, payee = table.toll(route), table.toll_payee(route)
    table.owners[route.id] = seat
    table.trains[seat] -= route.length
    table.scores[seat] += table.rules.points_for(route.length)
    if not toll:
        return
    if table.tokens[seat] >= toll:
        table.transfer(seat, payee, toll)
        return
    table.loans[seat] += 1
    if payee != BANK:
        table.transfer(BANK, payee, toll)


# -- tickets ------------------------------------------------------------------------


def turn_up_ticket(table: Table, fixed: Event) -> Generator[Chance, Event, str]:
    """Take the top ticket: one of the pile, and only then those under it, in their order."""
    pile = table.ticket_pile or table.ticket_queue[:1]
    event = yield Chance(fixed, "ticket", dict.fromkeys(pile, 1))
    ticket: str = event["ticket"]
    (table.ticket_pile or table.ticket_queue).remove(ticket)
    return ticket


def shuffle_tickets(table: Table) -> Script:
    """Make the ticket discards, if there are any, the new pile."""
    if table.ticket_discards:
        yield Notice("tickets_shuffled")
        table.ticket_pile, table.ticket_discards = table.ticket_discards, []


def offer_tickets(table: Table, seat: int, number: int) -> Script:
    for _ in range(number):
        if not table.ticket_pile and not table.ticket_queue:
            table.neutral_in = False
            yield from shuffle_tickets(table)
        if table.no_tickets_left():
            break
        ticket = yield from turn_up_ticket(table, {"event": "ticket_offered", "seat": seat})
        table.offers[seat].append(ticket)


def deal_from_deck(table: Table, seat: int, deck: DeckRules) -> Script:
    """Deal a seat the opening tickets that come from one of the decks."""
    for _ in range(deck.opening_deal):
        here = [ticket for ticket in table.ticket_pile if table.tickets[ticket].deck == deck.name]
        event = yield Chance({"event": "ticket_offered", "seat": seat}, "ticket", dict.fromkeys(here, 1))
        table.ticket_pile.remove(event["ticket"])
        table.offers[seat].append(event["ticket"])


def draw_tickets(table: Table, seat: int) -> Script:
    yield from offer_tickets(table, seat, table.rules.tickets.draw)
    table.must_keep = min(table.rules.tickets.keep, len(table.offers[seat]))
    keep_tickets(table, (yield Decision("keep", seat)))


def keep_tickets(table: Table, event: Event, *, opening: bool = False) -> None:
    """Move the tickets that a seat keeps to its hand, and put the others away in the order offered."""
    offer, table.offers[event["seat"]] = table.offers[event["seat"]], []
    for ticket in offer:
        if ticket in event["tickets"]:
            table.held[event["seat"]].append(ticket)
        else:
            table.put_away(ticket, opening=opening)
    table.must_keep = 0


# -- the neutral player -----------------------------------------------------------


def neutral_phase_is_due(table: Table) -> bool:
    """Return whether a round has just ended after which the neutral player moves."""
    rules = table.rules.neutral
    rounds, rest = divmod(table.n_turns, table.n_players)
    return (
        table.neutral_in and rest == 0 and rounds >= rules.first_round and (not table.ending or rules.after_last_turn)
    )


def neutral_phase(table: Table) -> Script:
    if not table.ticket_pile and not table.ticket_queue:
        table.neutral_in = False
        yield from shuffle_tickets(table)
        return
    ticket = yield from turn_up_ticket(table, {"event": "neutral_ticket"})
    table.ticket_discards.append(ticket)
    pair = table.tickets[ticket].neutral
    tracks = table.tracks_between(pair) if pair else []
    free = [route for route in tracks if route.id not in table.owners]
    if not free or any(table.owners.get(route.id) == NEUTRAL for route in tracks):
        return
    fitting = [route for route in free if route.length <= table.neutral_trains]
    if not fitting:
        table.neutral_in = False
    elif len(free) < len(tracks):
        take_for_neutral(table, free[0])
    else:
        table.neutral_choice = fitting
        event = yield Decision("neutral", table.marker)
        table.neutral_choice = []
        take_for_neutral(table, table.routes[event["route"]])
        table.marker = (table.marker + 1) % table.n_players


def take_for_neutral(table: Table, route: Route) -> None:
    """Put neutral trains on a route; for a second track the bank pays the owner of the first."""
    payee, toll = table.toll_payee(route), table.toll(route)
    table.owners[route.id] = NEUTRAL
    table.neutral_trains -= route.length
    if payee != BANK and toll:
        table.transfer(BANK, payee, toll)
