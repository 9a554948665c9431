"""
Hand-made positions for tests of the rules, and moves with outcomes of chance chosen by the test.

A position begins as a table in the turn of seat 0: empty hands, five different
colors face up, all other cards and all tickets in their piles. Its methods move
things about; nothing is lost, so that cards are conserved from then on. The
independent referee judges each action from the same table, what follows, and scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from tests.engine.judged import as_the_referee_has_it, event_of, on_the_table, referee_at, score_by_the_referee
from tests.fixtures import load
from tests.oracles.referee import Referee
from ttr_analysis import GameMap, GameState
from ttr_analysis._compile import Ints
from ttr_analysis.cards import CARD_KINDS, CardCounts, card_index
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import ActionFault, argument_of, kind_of, make_action, make_event, pack_cards
from ttr_analysis.engine.kernel import scoring, turns
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.layout import AT_DISCARDS, AT_PILE, AT_QUEUE, AT_REMOVED, NEUTRAL_OWNER, NOBODY, Phase, State
from ttr_analysis.maps.rows import build_board, map_rows
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, seed_key
from ttr_analysis.rules.ruleset import BonusRules
from ttr_analysis.tables import game_tables

Action = tuple[int, int]
"""Code and value."""
Outcome = tuple[int, int, str]
"""Kind of event, slot, and card or ticket; whose it is follows from the turn."""

Fields = dict[str, Any]
"""Fields of a group of rules."""

DRAW: Action = (codes.DRAW_CARD, 0)
DECLINE: Action = (codes.DECLINE_TUNNEL, 0)
TICKETS: Action = (codes.DRAW_TICKETS, 0)
PASS: Action = (codes.PASS, 0)

_TAPE_SIZE = 4000
_NAMES = {
    codes.CARD_DEALT: "card_dealt",
    codes.CARD_DRAWN: "card_drawn",
    codes.MARKET_CARD: "market_card",
    codes.CARD_REVEALED: "card_revealed",
    codes.TICKET_OFFERED: "ticket_offered",
    codes.NEUTRAL_TICKET: "neutral_ticket",
}
_SHUFFLED = ("cards_shuffled", "tickets_shuffled", "market_replaced")
_OF_TICKETS = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)
_OF_A_SEAT = (codes.CARD_DRAWN, codes.TICKET_OFFERED)


# -- actions and outcomes -------------------------------------------------------


def face_up(slot: int) -> Action:
    """Take the card in a market slot."""
    return make_action(codes.DRAW_FACE_UP, slot), 0


def pay(**cards: int) -> Action:
    """Pay the surcharge of a tunnel."""
    return codes.PAY_TUNNEL, _packed(cards)


def drawn(card: str) -> Outcome:
    """Say what the acting seat draws unseen."""
    return codes.CARD_DRAWN, 0, card


def turned(slot: int, card: str) -> Outcome:
    """Say what is turned up for a market slot."""
    return codes.MARKET_CARD, slot, card


def whole_market(*cards: str) -> list[Outcome]:
    """Say what is turned up for all slots."""
    return [turned(slot, card) for slot, card in enumerate(cards)]


def revealed(*cards: str) -> list[Outcome]:
    """Say what is turned over for a tunnel."""
    return [(codes.CARD_REVEALED, 0, card) for card in cards]


def offered(*tickets: str) -> list[Outcome]:
    """Say which tickets the acting seat draws."""
    return [(codes.TICKET_OFFERED, 0, ticket) for ticket in tickets]


def neutral(ticket: str) -> Outcome:
    """Say which ticket is turned up for the neutral player."""
    return codes.NEUTRAL_TICKET, 0, ticket


def _packed(cards: dict[str, int]) -> int:
    return int(pack_cards(np.array(CardCounts.of(**cards).counts, dtype=np.int64)))


# -- maps with other rules --------------------------------------------------------


def changed(game_map: str | GameMap, *, bonus: tuple[BonusRules, ...] | None = None, **groups: Fields) -> GameMap:
    """
    Return a map with some fields of its rules changed.

    `changed("usa", market={"reset_at": 0})`; what a map makes of its rules is
    made anew.
    """
    before = load(game_map) if isinstance(game_map, str) else game_map
    groups_after = {name: replace(getattr(before.rules, name), **fields) for name, fields in groups.items()}
    if bonus is not None:
        groups_after["bonus"] = bonus
    tickets = before.all_tickets or tuple((ticket, ()) for ticket in before.tickets)
    rows = map_rows(before.cities, before.places, before.routes, tickets, before.rules)
    rules = replace(before.rules, **groups_after)
    return GameMap(name=before.name, title=rules.title, rules=rules, **build_board(rows, rules))


# -- positions ----------------------------------------------------------------------


class Position:
    """A table in the turn of seat 0: see the module."""

    def __init__(self, game_map: str | GameMap, n_players: int = 2, variant: str | None = None) -> None:
        self.map = (load(game_map) if isinstance(game_map, str) else game_map).with_variant(variant)
        self.tables = game_tables(self.map, n_players)
        self.n_players = n_players
        self.state = State()
        turns.put_pieces(self.tables, self.state)
        open_stream(seed_key(7), 0, TABLE_STREAM, self.state.stream)
        self.state.phase = Phase.TURN
        self.referee: Referee | None = None
        self.events: list[str] = []
        """Events of the last move, as by `_text`."""
        self._routes = {route.id: i for i, route in enumerate(self.map.routes)}
        self._tickets = {ticket.id: i for i, ticket in enumerate(self.map.tickets)}
        self._cities = {city.name: i for i, city in enumerate(self.map.cities)}
        size = int(self.tables.market_size)
        self.market(*[CARD_KINDS[slot % 5] for slot in range(size)])

    # -- cards ------------------------------------------------------------------

    def hand(self, seat: int, **cards: int) -> Self:
        """Give a seat more cards, drawn unseen."""
        for kind, n in cards.items():
            self._draw(kind, n)
            self.state.hand[seat, card_index(kind)] += n
            self.state.blind[seat, card_index(kind)] += n
            self.state.n_hand[seat] += n
        return self

    def market(self, *cards: str | None) -> Self:
        """Lay these cards face up, instead of those that are; None for an empty slot."""
        for slot in range(int(self.tables.market_size)):
            card = int(self.state.market[slot])
            if card != NOBODY:
                self._draw(CARD_KINDS[card], -1)
                self.state.pool[card] += 1
            self.state.market[slot] = NOBODY
        for slot, name in enumerate(cards):
            if name is not None:
                self._draw(name, 1)
                self.state.pool[card_index(name)] -= 1
                self.state.market[slot] = card_index(name)
        return self

    def discards(self, **cards: int) -> Self:
        """Put more cards on the discard pile."""
        for kind, n in cards.items():
            self._draw(kind, n)
            self.state.pool[card_index(kind)] -= n
            self.state.discards[card_index(kind)] += n
        return self

    def pile(self, **cards: int) -> Self:
        """Leave only these cards in the draw pile; the last seat gets the others. To be called last."""
        rest = CardCounts(tuple(self.state.draw_pile.tolist())) - CardCounts.of(**cards)
        return self.hand(self.n_players - 1, **rest.as_dict())

    def _draw(self, kind: str, n: int) -> None:
        self.state.draw_pile[card_index(kind)] -= n
        self.state.n_pile -= n
        assert self.state.draw_pile[card_index(kind)] >= 0, f"not so many {kind} cards"

    # -- the board, trains, money -----------------------------------------------

    def own(self, owner: int | str, *routes: str) -> Self:
        """Give routes to a seat or to "neutral"; trains and points follow, cards and tolls do not."""
        for name in routes:
            route = self._routes[name]
            seat = owner if isinstance(owner, int) else NEUTRAL_OWNER
            self.state.owner[route] = seat
            self.state.claimed[self.state.n_claims] = route
            self.state.n_claims += 1
            self.state.trains[seat] -= self.tables.length[route]
            if isinstance(owner, int):
                self.state.score[owner] += self.tables.points[route]
        return self

    def own_all(self, *but: str) -> Self:
        """Take every route but some from the game: seat 0 owns them without trains or points."""
        for name, route in self._routes.items():
            if name not in but and self.state.owner[route] == NOBODY:
                self.state.owner[route] = 0
                self.state.claimed[self.state.n_claims] = route
                self.state.n_claims += 1
        return self

    def station(self, seat: int, *cities: str) -> Self:
        """Put stations of a seat into cities; cards are not paid."""
        for name in cities:
            self.state.station_at[self._cities[name]] = 1 + seat
            self.state.stations[seat] -= 1
        return self

    def put(self, field: str, number: int, at: int = 0) -> Self:
        """Set a number of the state: `put("trains", 3, seat)`."""
        self.state.cells[cell(field, at)] = number
        return self

    def after_turns(self, n: int) -> Self:
        """Say that `n` turns are complete."""
        self.state.n_turns = n
        self.state.seat = self.state.turn_seat = n % self.n_players
        return self

    # -- tickets --------------------------------------------------------------------

    def tickets(self, seat: int, *tickets: str) -> Self:
        """Give a seat tickets of the pile."""
        for name in tickets:
            self.state.held[seat, self.state.n_held[seat]] = self._tickets[name]
            self.state.n_held[seat] += 1
            self._move_ticket(name, seat)
        return self

    def ticket_pile(self, *tickets: str) -> Self:
        """Leave only these tickets in the pile; the others leave the game."""
        for name in self._tickets:
            if name not in tickets and self.ticket_at(name) == AT_PILE:
                self._move_ticket(name, AT_REMOVED)
        return self

    def ticket_discards(self, *tickets: str) -> Self:
        """Put tickets of the pile on the discards."""
        for name in tickets:
            self._move_ticket(name, AT_DISCARDS)
            self.state.n_ticket_discards += 1
        return self

    def under_pile(self, *tickets: str) -> Self:
        """Put tickets of the pile under it, in this order."""
        for name in tickets:
            self.state.queue[self.state.n_queued] = self._tickets[name]
            self.state.n_queued += 1
            self._move_ticket(name, AT_QUEUE)
        return self

    def _move_ticket(self, name: str, place: int) -> None:
        assert self.ticket_at(name) == AT_PILE, f"{name} is not in the pile"
        self.state.ticket_at[self._tickets[name]] = place
        self.state.n_ticket_pile -= 1

    # -- actions that ask the map -----------------------------------------------

    def claim(self, route: str, **cards: int) -> Action:
        """Claim a route with cards."""
        return make_action(codes.CLAIM_ROUTE, self._routes[route]), _packed(cards)

    def build(self, city: str, **cards: int) -> Action:
        """Build a station in a city with cards."""
        return make_action(codes.BUILD_STATION, self._cities[city]), _packed(cards)

    def keep(self, *tickets: str) -> Action:
        """Keep some tickets of the offer."""
        offer = self.offer()
        return codes.KEEP_TICKETS, sum(1 << offer.index(ticket) for ticket in tickets)

    def buildable(self) -> set[str]:
        """Return the cities in which a station can be built."""
        names = list(self._cities)
        return {names[argument_of(code)] for code, _ in self.legal() if kind_of(code) == codes.BUILD_STATION}

    def choose(self, route: str) -> Action:
        """Choose a track for the neutral player."""
        return make_action(codes.CHOOSE_NEUTRAL, self._routes[route]), 0

    def fault(self, action: Action) -> ActionFault:
        """Return why an action is illegal."""
        fault = ActionFault(action_fault(self.state, self.tables, *action))
        if kind_of(action[0]) != codes.CLAIM_ROUTE:  # of payments only one of each form is listed
            assert (action in self.legal()) == (fault == ActionFault.NONE)
        state = GameState(self.map, self.n_players, self.state)
        self.referee = referee_at(state, self.referee)
        if self.referee is not None and fault != ActionFault.ROUTE:
            event = event_of(state, action[0] | make_event(0, self.seat), action[1])
            assert (self.referee.fault(event) == "") == (fault == ActionFault.NONE), (event, fault)
        return fault

    def legal(self) -> list[Action]:
        """Return the legal actions, of payments one of each form."""
        out = np.zeros((5000, 2), dtype=np.int64)
        n = int(list_actions(self.state, self.tables, out))
        return [(int(code), int(value)) for code, value in out[:n]]

    def claimable(self) -> set[str]:
        """Return the routes that can be claimed."""
        names = list(self._routes)
        return {names[argument_of(code)] for code, _ in self.legal() if kind_of(code) == codes.CLAIM_ROUTE}

    # -- play -------------------------------------------------------------------------

    def do(self, action: Action, *outcomes: Outcome | list[Outcome]) -> Self:
        """Do a legal action; chance turns out as told, in this order, and is asked for nothing else."""
        script: list[int] = []
        for item in outcomes:
            for kind, slot, name in [item] if isinstance(item, tuple) else item:
                seat = int(self.state.seat) if kind in _OF_A_SEAT else 0
                script += [make_event(kind, seat, slot), self._number(kind, name)]
        tape = np.zeros(_TAPE_SIZE, dtype=np.int64)
        tape[codes.READ_AT] = codes.TAPE_START
        tape[codes.TAPE_START : codes.TAPE_START + len(script)] = script
        tape[codes.READ_END] = tape[codes.WRITE_AT] = codes.TAPE_START + len(script)
        self._step(action, tape)
        assert not self.state.fault, f"chance was asked for something else: {self.events}"
        assert tape[codes.READ_AT] == tape[codes.READ_END], f"chance was asked for less: {self.events}"
        return self

    def draws(self, *cards: str) -> Self:
        """Draw these cards unseen, each as a move of its own."""
        for card in cards:
            self.do(DRAW, drawn(card))
        return self

    def takes(self, slot: int, refill: str) -> Self:
        """Take the card of a market slot, which this one refills."""
        return self.do(face_up(slot), turned(slot, refill))

    def claims(self, route: str, *outcomes: Outcome | list[Outcome], **cards: int) -> Self:
        """Take the action `claim`."""
        return self.do(self.claim(route, **cards), *outcomes)

    def keeps(self, *tickets: str) -> Self:
        """Take the action `keep`."""
        return self.do(self.keep(*tickets))

    def chooses(self, route: str) -> Self:
        """Take the action `choose`."""
        return self.do(self.choose(route))

    def do_by_chance(self, *actions: Action) -> Self:
        """Do legal actions, one after the other; chance turns out at random."""
        for action in actions:
            tape = np.zeros(_TAPE_SIZE, dtype=np.int64)
            tape[codes.WRITE_AT] = codes.TAPE_START
            self._step(action, tape)
        return self

    def _step(self, action: Action, tape: Ints) -> None:
        assert self.fault(action) == ActionFault.NONE
        before = GameState(self.map, self.n_players, self.state)
        tape[codes.WRITE_END] = tape.size
        start = int(tape[codes.WRITE_AT])
        step(self.state, self.tables, *action, tape)
        end = int(tape[codes.WRITE_AT])
        assert end <= tape.size, "the tape is too short for the test"
        pairs = tape[start:end].reshape(-1, 2).tolist()
        self.events = [self._text(code, value) for code, value in pairs[1:]]
        self._check_cards()
        if self.referee is not None and not self.state.fault:
            for code, value in pairs:
                self.referee.apply(event_of(before, code, value))
            after = GameState(self.map, self.n_players, self.state)
            assert on_the_table(after) == as_the_referee_has_it(self.referee)

    def _number(self, kind: int, name: str) -> int:
        return self._tickets[name] if kind in _OF_TICKETS else card_index(name)

    def _text(self, code: int, value: int) -> str:
        """Return an event in words: "card_drawn red", "market_card 2 blue", "cards_shuffled"."""
        kind = kind_of(code)
        if kind == codes.SHUFFLED:
            return _SHUFFLED[argument_of(code)]
        names = tuple(self._tickets) if kind in _OF_TICKETS else CARD_KINDS
        what = names[value] if value < len(names) else "?"  # after a fault
        return f"{_NAMES[kind]} {argument_of(code)} {what}" if kind == codes.MARKET_CARD else f"{_NAMES[kind]} {what}"

    def _check_cards(self) -> None:
        """Assert that all cards are there, and that the pool has room for the draw pile."""
        state = self.state
        counts = state.draw_pile + state.discards + state.laid + state.hand[: self.n_players].sum(axis=0)
        for card in filter(None, self.market_cards()):
            counts[card_index(card)] += 1
        assert counts.tolist() == list(self.map.rules.deck.counts)
        assert self.state.n_pile == sum(self.state.draw_pile.tolist())
        assert (self.state.pool >= self.state.draw_pile).all()

    # -- questions ---------------------------------------------------------------

    def number(self, field: str, at: int = 0) -> int:
        """Return a number of the state: `number("trains", 1)`."""
        return int(self.state.cells[cell(field, at)])

    def numbers(self, field: str) -> list[int]:
        """Return a number of each seat."""
        return [self.number(field, seat) for seat in range(self.n_players)]

    @property
    def phase(self) -> Phase:
        """What is decided now."""
        return Phase(self.state.phase)

    @property
    def seat(self) -> int:
        """Who acts now."""
        return int(self.state.seat)

    def hand_of(self, seat: int) -> dict[str, int]:
        """Return the cards of a seat."""
        return _named(self.state.hand[seat])

    def draw_pile(self) -> dict[str, int]:
        """Return the cards of the draw pile."""
        return _named(self.state.draw_pile)

    def discard_pile(self) -> dict[str, int]:
        """Return the cards of the discard pile."""
        return _named(self.state.discards)

    def market_cards(self) -> list[str]:
        """Return the face-up cards, "" for an empty slot."""
        size = int(self.tables.market_size)
        return ["" if card == NOBODY else CARD_KINDS[card] for card in self.state.market[:size]]

    def owner(self, route: str) -> int:
        """Return the owner of a route."""
        return int(self.state.owner[self._routes[route]])

    def ticket_at(self, ticket: str) -> int:
        """Return where a ticket is."""
        return int(self.state.ticket_at[self._tickets[ticket]])

    def held(self, seat: int) -> list[str]:
        """Return the tickets of a seat."""
        return self._ticket_names(self.state.held[seat, : self.state.n_held[seat]])

    def offer(self) -> list[str]:
        """Return the tickets that the acting seat chooses from."""
        return self._ticket_names(self.state.offer[self.seat, : self.state.n_offer[self.seat]])

    def scores(self) -> list[int]:
        """Return the final score of each seat."""
        return [int(n) for n in self._result()[:, scoring.TOTAL_COLUMN]]

    def bonuses(self, which: int = 0) -> list[int]:
        """Return what each seat gets of a bonus of the rules."""
        return [int(n) for n in self._result()[:, scoring.BONUS_COLUMN + which]]

    def n_completed(self) -> list[int]:
        """Return how many tickets each seat completed."""
        return [int(n) for n in self._result()[:, scoring.COMPLETED_COLUMN]]

    def winners(self) -> list[int]:
        """Return the seats that win."""
        return [seat for seat, won in enumerate(self._result()[:, scoring.WON_COLUMN]) if won]

    def _result(self) -> Ints:
        result = np.zeros((self.n_players, scoring.N_COLUMNS), dtype=np.int64)
        scoring.score_games(self.state.cells[None], self.tables, result[None])
        score = score_by_the_referee(GameState(self.map, self.n_players, self.state))
        if score is not None:
            assert score.scores == result[:, scoring.TOTAL_COLUMN].tolist()
            assert score.winners == np.flatnonzero(result[:, scoring.WON_COLUMN]).tolist()
        return result

    def _ticket_names(self, numbers: Ints) -> list[str]:
        return [self.map.tickets[ticket].id for ticket in numbers]


def cell(field: str, at: int = 0) -> int:
    """Return which cell of a state a field begins with, or one further on in it."""
    return State.fields[field].offset + at


def _named(counts: Ints) -> dict[str, int]:
    return CardCounts(tuple(counts.tolist())).as_dict()
