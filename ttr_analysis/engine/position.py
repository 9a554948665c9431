"""
A position: everything on the table between two turns, without the moves that led to it.

A state built from a position adds no information: whatever is not given is unknown. Players
do not know each other's cards, tickets in the pile may be in any order, and the draw pile
consists of all cards not seen elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple, TypeVar

from ttr_analysis._words import counted, listed
from ttr_analysis.cards import CARD_KINDS, N_KINDS, each_kind
from ttr_analysis.engine import layout
from ttr_analysis.engine.actions.handler import owner_name
from ttr_analysis.engine.kernel.turns import put_pieces
from ttr_analysis.engine.layout import Ending, State, n_of_leaving_decks
from ttr_analysis.maps.model import GameMap
from ttr_analysis.tables import Tables, game_tables

T = TypeVar("T")
N_COUNTS: Final = N_KINDS + 1
"""Length of `Counts`."""

Counts = tuple[int, ...]
"""Numbers of cards: nine by kind, then the number of unknown ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """
    A position, or part of one, as numbers; None where not given.

    Tuples with one item per seat are in seat order.

    Parameters
    ----------
    owners
        Routes with their owners, in the order taken: a seat, `NEUTRAL_OWNER`, or `NOBODY`
        for a route that is free again.
    hands
        Counts of each seat's cards.
    tickets
        Each seat's tickets, `UNKNOWN_TICKET` for unknown ones.
    market
        The kind in each slot, `UNKNOWN_CARD` or `NOBODY`.
    discards
        Counts of the discard pile.
    pile, ticket_pile
        Number of cards, or tickets, in the pile.
    ticket_discards, tickets_out
        Tickets discarded face up, and tickets out of the game.
    trains, scores
        Trains left and points on the scoring track for each seat. They follow from the
        routes; given numbers are only checked against those.
    tokens, loans
        Value of the toll tokens, and number of loans, of each seat.
    stations
        Cities with the seat that has a station there, or `NOBODY` if it was removed.
        They determine the number of stations left.
    to_move
        The seat to move; in a complete position, None if the game is over.
    turns
        Completed turns of all seats together.
    turns_left
        Turns left in the last round, for all seats; 0 if the game is over.
    marker
        The seat with the neutral player's marker.
    neutral
        1 if the neutral player is still in the game, else 0.
    reason
        The reason for a correction; "" for a position.
    """

    owners: tuple[tuple[int, int], ...] | None = None
    hands: tuple[Counts | None, ...] | None = None
    tickets: tuple[tuple[int, ...] | None, ...] | None = None
    market: tuple[int, ...] | None = None
    discards: Counts | None = None
    pile: int | None = None
    ticket_pile: int | None = None
    ticket_discards: tuple[int, ...] | None = None
    tickets_out: tuple[int, ...] | None = None
    trains: tuple[int | None, ...] | None = None
    scores: tuple[int | None, ...] | None = None
    tokens: tuple[int | None, ...] | None = None
    loans: tuple[int | None, ...] | None = None
    stations: tuple[tuple[int, int], ...] | None = None
    to_move: int | None = None
    turns: int | None = None
    turns_left: int | None = None
    marker: int | None = None
    neutral: int | None = None
    reason: str = ""

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the given parts, in order."""
        return tuple(name for name in PARTS if getattr(self, name) is not None)


PARTS: Final = tuple(field.name for field in fields(Position) if field.name != "reason")
"""The parts of a position."""


class Problem(NamedTuple):
    """An impossible part of a position: its name, its value, and what was expected."""

    part: str
    value: object
    expected: str


def state_of(position: Position, game_map: GameMap, n_players: int) -> tuple[State, list[Problem]]:
    """
    Return the packed state of a position and its faults; the state is valid only if there are none.

    >>> usa = ttr.load_map("usa")
    >>> state, problems = state_of(Position(owners=((0, 1),), tickets=((), (4, layout.UNKNOWN_TICKET))), usa, 2)
    >>> problems, state.score[:2].tolist(), state.trains[:2].tolist()
    ([], [0, 2], [45, 43])
    """
    builder = _Builder(position, game_map, n_players)
    builder.build()
    return builder.state, builder.problems


def position_of(state: State, tables: Tables) -> Position:
    """Return everything on the table in a state between two turns."""
    seats = range(tables.n_seats)
    claimed: list[int] = state.claimed[: state.n_claims].tolist()
    discarded = [ticket for ticket in range(tables.n_tickets) if state.ticket_at[ticket] == layout.AT_DISCARDS]
    n_unknown = int(state.n_ticket_discards) - len(discarded)
    out = [ticket for ticket in range(tables.n_tickets) if state.ticket_at[ticket] == layout.AT_REMOVED]
    n_left = int(tables.n_tickets - state.n_held[: tables.n_seats].sum() - state.n_ticket_discards)
    n_out = n_left - int(state.n_ticket_pile + state.n_queued)
    has_neutral = tables.neutral_trains > 0
    at = state.station_at[: tables.n_cities].tolist()
    stations = tuple((city, who - 1) for city, who in enumerate(at) if who)
    return Position(
        owners=tuple((route, int(state.owner[route])) for route in claimed),
        hands=tuple((*state.hand[seat].tolist(), int(state.n_hand[seat] - state.hand[seat].sum())) for seat in seats),
        tickets=tuple(tuple(state.held[seat, : state.n_held[seat]].tolist()) for seat in seats),
        market=tuple(min(kind, layout.UNKNOWN_CARD) for kind in state.market[: tables.market_size].tolist()),
        discards=(*state.discards.tolist(), int(state.n_swept)),
        ticket_pile=int(state.n_ticket_pile + state.n_queued),
        ticket_discards=(*discarded, *[layout.UNKNOWN_TICKET] * n_unknown),
        tickets_out=(*out, *[layout.UNKNOWN_TICKET] * (n_out - len(out))),
        tokens=tuple(state.tokens[: tables.n_seats].tolist()),
        loans=tuple(state.loans[: tables.n_seats].tolist()),
        stations=stations or None,
        to_move=int(state.turn_seat),
        turns=int(state.n_turns),
        turns_left=0
        if state.phase == layout.OVER
        else None
        if state.last_left == layout.NOBODY
        else int(state.last_left),
        marker=int(state.marker) if has_neutral else None,
        neutral=int(state.neutral_in) if has_neutral else None,
    )


# -- corrections ---------------------------------------------------------------------------------------------------

_CARDS: Final = ("hands", "market", "discards", "pile")
_TICKETS: Final = ("tickets", "ticket_pile", "ticket_discards", "tickets_out")
_BOARD: Final = ("owners", "trains", "scores")
_MONEY: Final = ("tokens", "loans")
_STATIONS: Final = ("stations",)
_TURNS: Final = ("to_move", "turns", "turns_left")
_NEUTRAL: Final = ("marker", "neutral")
_FIELDS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    _CARDS: (
        *("draw_pile", "discards", "market", "pool", "hand", "blind", "known", "n_hand", "old"),
        *("n_pile", "n_swept", "swept_match", "swept_other", "n_shuffles", "shown_color", "n_shown"),
    ),
    _TICKETS: (
        *("n_ticket_pile", "n_queued", "queue_head", "n_ticket_discards", "n_held", "held"),
        *("ticket_at", "returned_by", "queue", "queued_at"),
    ),
    _BOARD: ("owner", "claimed", "n_claims", "trains", "score"),
    _MONEY: ("tokens", "loans"),
    _STATIONS: ("stations", "station_at"),
    _TURNS: ("phase", "seat", "turn_seat", "n_turns", "last_left", "last_seat", "ending", "n_passes"),
    _NEUTRAL: ("neutral_in", "marker", "neutral_ticket"),
}
"""The fields of a state that parts of a position affect; a correction leaves all others unchanged."""


def corrected(state: State, correction: Position, game_map: GameMap, n_players: int) -> tuple[State, list[Problem]]:
    """Return a packed state with a part of it corrected, and the faults."""
    before = position_of(state, game_tables(game_map, n_players))
    if correction.to_move is not None and correction.turns is None:
        before = replace(before, turns=_next_turn(int(state.n_turns), correction.to_move, n_players))
    rebuilt, problems = state_of(_with_corrections(before, correction), game_map, n_players)
    after = state.copy()
    for parts, names in _FIELDS.items():
        if any(getattr(correction, part) is not None for part in parts):
            for field in map(State.fields.__getitem__, names):
                span = slice(field.offset, field.offset + field.size)
                after.cells[span] = rebuilt.cells[span]
    return after, problems


def _next_turn(n_turns: int, seat: int, n_players: int) -> int:
    """Return the fewest completed turns, at least the given number, after which a seat moves."""
    return n_turns + (seat - n_turns) % n_players


def _with_corrections(before: Position, correction: Position) -> Position:
    """Return a position with the corrected parts replaced."""
    new: dict[str, object] = {name: getattr(correction, name) for name in correction.given}
    for name in ("owners", "stations"):
        if getattr(correction, name) is not None:
            owners = {**dict(getattr(before, name) or ()), **dict(getattr(correction, name))}
            new[name] = tuple((place, owner) for place, owner in owners.items() if owner != layout.NOBODY)
    for name in ("hands", "tickets", "tokens", "loans"):
        given, old = getattr(correction, name), getattr(before, name)
        if given is not None:
            new[name] = tuple(was if now is None else now for now, was in zip(given, old, strict=True))
    if correction.pile is not None and correction.discards is None:
        new["discards"] = None
    if correction.tickets is not None and correction.ticket_pile is None:
        new["ticket_pile"] = None
    return replace(before, **new)  # type: ignore[arg-type]


# -- from a position to a state ------------------------------------------------------------------------------------


class _Builder:
    """Builds the state of a position, and finds its faults."""

    def __init__(self, position: Position, game_map: GameMap, n_players: int) -> None:
        self.position = position
        self.map = game_map
        self.n_players = n_players
        self.tables = game_tables(game_map, n_players)
        self.state = State()
        self.problems: list[Problem] = []
        put_pieces(self.tables, self.state)

    def build(self) -> None:
        self._set_routes()
        self._set_stations()
        self._set_money()
        self._set_turn()
        self._set_cards()
        self._set_tickets()

    def _report(self, part: str, value: object, expected: str) -> None:
        self.problems.append(Problem(part, value, expected))

    @property
    def is_over(self) -> bool:
        """Whether the game is over: nobody is to move, or no turn is left."""
        return self.position.to_move is None or self.position.turns_left == 0

    # -- routes ---------------------------------------------------------------------

    def _set_routes(self) -> None:
        state, tables = self.state, self.tables
        for route, owner in self.position.owners or ():
            if owner == layout.NOBODY:
                continue
            self._check_track(route, owner)
            state.owner[route] = owner
            state.claimed[state.n_claims] = route
            state.n_claims += 1
            state.trains[owner] -= tables.length[route]
            if owner != layout.NEUTRAL_OWNER:
                state.score[owner] += tables.points[route]
        for owner in (*range(self.n_players), layout.NEUTRAL_OWNER):
            if state.trains[owner] < 0:
                most = tables.neutral_trains if owner == layout.NEUTRAL_OWNER else tables.trains_each
                taken = most - int(state.trains[owner])
                who = owner_name(owner)
                self._report("owners", f"{taken} trains", f"expected routes of at most {most} trains for {who}")
        for part, found in (("trains", state.trains), ("scores", state.score)):
            for seat, given in enumerate(getattr(self.position, part) or ()):
                if given is not None and given != found[seat]:
                    self._report(part, given, f"expected {found[seat]} for P{seat}, which follows from its routes")

    def _check_track(self, route: int, owner: int) -> None:
        state, twin = self.state, int(self.tables.twin[route])
        name = self.map.routes[route].id
        if owner == layout.NEUTRAL_OWNER and not self.tables.neutral_trains:
            self._report("owners", f"{name} of the neutral player", "expected a seat: the rules have no neutral player")
        if twin < 0 or state.owner[twin] == layout.NOBODY:
            return
        other = f"{self.map.routes[twin].id} belongs to {owner_name(int(state.owner[twin]))}"
        if state.owner[twin] == owner:
            self._report(
                "owners",
                name,
                f"expected an owner other than {owner_name(owner)}, who also has {self.map.routes[twin].id}",
            )
        elif not self.tables.both_open and layout.NEUTRAL_OWNER not in (owner, state.owner[twin]):
            self._report("owners", name, f"expected a free track in a {self.n_players}-player game: {other}")

    # -- stations -------------------------------------------------------------------

    def _set_stations(self) -> None:
        state, tables = self.state, self.tables
        for city, seat in self.position.stations or ():
            if seat != layout.NOBODY:
                state.station_at[city] = 1 + seat
                state.stations[seat] -= 1
        for seat in range(self.n_players):
            if state.stations[seat] < 0:
                each = int(tables.stations_each)
                most = f"at most {each}" if each else "none"
                why = "" if each else ": the rules have no stations"
                self._report("stations", each - int(state.stations[seat]), f"expected {most} for P{seat}{why}")

    # -- money, turns ---------------------------------------------------------------

    def _set_money(self) -> None:
        state, tables = self.state, self.tables
        tolls = any(tables.toll[route] for route, _ in self.position.owners or ())
        for seat in range(self.n_players):
            tokens = _at(self.position.tokens, seat)
            loans = _at(self.position.loans, seat) or 0
            if not tables.tokens_each:
                if tokens or loans:
                    part = "tokens" if tokens else "loans"
                    self._report(part, tokens or loans, f"expected none for P{seat}: the rules have no tolls")
                continue
            if tokens is None:
                if tolls:
                    self._report("tokens", "nothing", f"expected the value of the tokens of P{seat}")
                continue
            state.tokens[seat], state.loans[seat] = tokens, loans
        bank = tables.tokens_each * self.n_players
        if state.tokens.sum() > bank + sum(tables.toll[route] for route, _ in self.position.owners or ()):
            self._report("tokens", int(state.tokens.sum()), f"expected at most {bank} in all, plus tolls paid by loan")
        if 0 < tables.loan_limit < state.loans.sum():
            self._report("loans", int(state.loans.sum()), f"expected at most {tables.loan_limit} in all")

    def _set_turn(self) -> None:
        state, tables, given = self.state, self.tables, self.position
        low = [seat for seat in range(self.n_players) if state.trains[seat] <= tables.last_round_at]
        seat = 0 if given.to_move is None else given.to_move
        taken = [owner for _, owner in (*(given.owners or ()), *(given.stations or ()))]
        least = self.n_players * max(taken.count(other) for other in range(self.n_players))
        state.n_turns = _next_turn(least, seat, self.n_players) if given.turns is None else given.turns
        if given.to_move is not None and state.n_turns % self.n_players != seat:
            n_turns = int(state.n_turns)
            fits = _next_turn(n_turns, seat, self.n_players)
            self._report("turns", n_turns, f"expected a number after which P{seat} moves, such as {fits}")
        if state.n_turns >= tables.max_turns:
            self._report("turns", int(state.n_turns), f"expected fewer than {tables.max_turns}")
        state.seat = state.turn_seat = seat
        state.phase = layout.OVER if self.is_over else layout.TURN
        if self.is_over:
            state.ending = Ending.TRAINS
            state.last_left = 0
            return
        most = self.n_players * tables.last_turns
        if given.turns_left is None:
            if low:
                few = listed(f"P{other} has {counted(int(state.trains[other]), 'train')}" for other in low)
                self._report("turns_left", "nothing", f"expected the number of turns left, since {few}")
            return
        state.last_left = given.turns_left
        state.last_seat = (seat + given.turns_left - 1) % self.n_players
        if given.turns_left > most:
            self._report("turns_left", given.turns_left, f"expected at most {most}")
        elif int(state.last_seat) not in low:
            expected = f"expected P{state.last_seat}, who moves last, to have at most {tables.last_round_at} trains"
            self._report("turns_left", given.turns_left, expected)

    # -- cards ----------------------------------------------------------------------

    def _set_cards(self) -> None:
        state, tables, given = self.state, self.tables, self.position
        n_deck = int(tables.deck.sum())
        for seat in range(self.n_players):
            hand = _at(given.hands, seat)
            if hand is None:
                if not self.is_over:
                    self._report("hands", "nothing", f"expected the cards of P{seat}, or their number")
                continue
            state.hand[seat] = state.blind[seat] = hand[:N_KINDS]
            state.n_hand[seat] = sum(hand)
        state.discards[:] = (given.discards or (0,) * N_COUNTS)[:N_KINDS]
        state.n_swept = (given.discards or (0,) * N_COUNTS)[N_KINDS]
        n_seen = int(state.n_hand.sum() + state.discards.sum() + state.n_swept)
        self._set_market(n_deck - n_seen)
        face_up = state.market[: tables.market_size].tolist()
        n_seen += sum(kind != layout.NOBODY for kind in face_up)
        for kind in range(N_KINDS):
            n_face_up = face_up.count(kind)
            n = int(state.hand[:, kind].sum() + state.discards[kind]) + n_face_up
            if n > tables.deck[kind]:
                expected = (
                    f"expected at most {tables.deck[kind]} {CARD_KINDS[kind]} cards in hands, market and discards"
                )
                self._report("hands" if state.hand[:, kind].any() else "discards", n, expected)
            state.draw_pile[kind] = tables.deck[kind] - n
            state.pool[kind] = tables.deck[kind] - state.discards[kind] - n_face_up
        self._set_pile(n_deck - n_seen, n_deck)

    def _set_market(self, n_left: int) -> None:
        """Fill the market; if it is not given, with unknown cards as long as there are any left."""
        size = int(self.tables.market_size)
        given = self.position.market
        if given is not None and len(given) > size:
            self._report("market", len(given), f"expected at most {counted(size, 'card')}")
        face_up = (layout.UNKNOWN_CARD,) * n_left if given is None else given
        self.state.market[:size] = [*face_up, *[layout.NOBODY] * size][:size]

    def _set_pile(self, n_left: int, n_deck: int) -> None:
        """Put all remaining cards into the pile; if its size is given, the rest are unknown discards."""
        pile = self.position.pile
        if n_left < 0:
            self._report("hands", n_deck - n_left, f"expected at most {n_deck} cards in hands, market and discards")
        elif pile is not None and pile > n_left:
            self._report("pile", pile, f"expected at most {n_left}, given the cards elsewhere")
        elif pile is not None and self.position.discards is not None and pile != n_left:
            self._report("pile", pile, f"expected {n_left}, given the cards elsewhere")
        self.state.n_pile = n_left if pile is None else pile
        self.state.n_swept += n_left - self.state.n_pile

    # -- tickets --------------------------------------------------------------------

    def _set_tickets(self) -> None:
        state, tables, given = self.state, self.tables, self.position
        seen: dict[int, str] = {}
        n_left = int(tables.n_tickets)
        for seat in range(self.n_players):
            held = _at(given.tickets, seat)
            if held is None:
                self._report("tickets", "nothing", f"expected the tickets of P{seat}, or their number")
                continue
            n_left -= len(held)
            if n_left < 0:
                continue
            state.n_held[seat] = len(held)
            state.held[seat, : len(held)] = self._in_order(held)
            for deck, n in enumerate(n_of_leaving_decks(tables, held)):
                dealt = int(tables.deck_deal[deck])
                if n > dealt:
                    name = self.map.rules.tickets.decks[deck].name
                    self._report("tickets", n, f"expected at most {dealt} for P{seat} from the deck {name}")
            self._put_tickets("tickets", held, seat, f"P{seat}", seen)
        discarded, out = given.ticket_discards or (), given.tickets_out or ()
        n_left -= len(discarded) + len(out)
        self._put_tickets("ticket_discards", discarded, layout.AT_DISCARDS, "the ticket discards", seen)
        self._put_tickets("tickets_out", out, layout.AT_REMOVED, "the tickets out of the game", seen)
        state.n_ticket_discards = len(discarded)
        if n_left < 0:
            self._report("tickets", tables.n_tickets - n_left, f"expected at most {tables.n_tickets} tickets in all")
        n_gone, n_places = self._find_leaving(out, seen)
        most = max(0, n_left - max(0, n_gone - n_places))
        if given.ticket_pile is not None and given.ticket_pile > most:
            self._report("ticket_pile", given.ticket_pile, f"expected at most {most}, given the tickets elsewhere")
        state.n_ticket_pile = max(0, n_left - n_gone) if given.ticket_pile is None else given.ticket_pile
        if tables.neutral_trains:
            state.marker = tables.marker_seat if given.marker is None else given.marker
            state.neutral_in = 1 if given.neutral is None else given.neutral
        elif given.marker is not None or given.neutral:
            self._report("marker", given.marker, "expected nothing: the rules have no neutral player")

    def _find_leaving(self, out: Sequence[int], seen: Mapping[int, str]) -> tuple[int, int]:
        """Return how many tickets of removed decks are not named anywhere, and how many of them seats may hold."""
        state, tables = self.state, self.tables
        leaving = [t for t in range(tables.n_tickets) if tables.deck_leaves[tables.ticket_deck[t]] and t not in seen]
        hands = [state.held[seat, : state.n_held[seat]].tolist() for seat in range(self.n_players)]
        n_places = 0
        for hand in hands:
            for deck, n_known in enumerate(n_of_leaving_decks(tables, hand)):
                if tables.deck_leaves[deck]:
                    n_before = int(tables.deck_deal[: deck + 1].sum())
                    n_places += min(int(tables.deck_deal[deck]) - n_known, hand[:n_before].count(layout.UNKNOWN_TICKET))
        if not any(layout.UNKNOWN_TICKET in hand for hand in hands):
            state.ticket_at[leaving] = layout.AT_REMOVED
        return max(0, len(leaving) - out.count(layout.UNKNOWN_TICKET)), n_places

    def _in_order(self, held: Sequence[int]) -> Sequence[int]:
        """Return tickets with unknown ones first, if these may be from a deck dealt only at the opening."""
        tables = self.tables
        if not any(tables.deck_leaves[: tables.n_decks]) or any(n_of_leaving_decks(tables, held)):
            return held
        return sorted(held, key=lambda ticket: ticket != layout.UNKNOWN_TICKET)

    def _put_tickets(self, part: str, tickets: Sequence[int], place: int, where: str, seen: dict[int, str]) -> None:
        for ticket in tickets:
            if ticket == layout.UNKNOWN_TICKET:
                continue
            if ticket in seen:
                name = self.map.tickets[ticket].id
                self._report(part, name, f"expected each ticket once: it is also listed for {seen[ticket]}")
            seen[ticket] = where
            self.state.ticket_at[ticket] = place


def _at(items: Sequence[T | None] | None, seat: int) -> T | None:
    return None if items is None else items[seat]


# -- words ---------------------------------------------------------------------------------------------------------


def words_of(position: Position, game_map: GameMap) -> Iterator[str]:
    """Yield the parts of a position in words."""
    for route, owner in position.owners or ():
        whose = "is free" if owner == layout.NOBODY else f"belongs to {owner_name(owner)}"
        yield f"{game_map.routes[route].id} {whose}"
    for seat, hand in enumerate(position.hands or ()):
        if hand is not None:
            yield f"P{seat} holds {_cards_words(hand)}"
    for seat, held in enumerate(position.tickets or ()):
        if held is not None:
            yield f"P{seat} has {_tickets_words(held, game_map)}"
    if position.market is not None:
        names = {layout.NOBODY: "nothing", layout.UNKNOWN_CARD: "?", **dict(enumerate(CARD_KINDS))}
        yield f"the market is {', '.join(names[kind] for kind in position.market)}"
    if position.discards is not None:
        yield f"the discards are {_cards_words(position.discards)}"
    if position.ticket_discards is not None:
        yield f"the ticket discards are {_tickets_words(position.ticket_discards, game_map)}"
    if position.tickets_out is not None:
        yield f"out of the game are {_tickets_words(position.tickets_out, game_map)}"
    for part in ("trains", "scores", "tokens", "loans"):
        for seat, number in enumerate(getattr(position, part) or ()):
            if number is not None:
                yield f"P{seat} has {counted(number, 'point' if part == 'scores' else part.removesuffix('s'))}"
    for city, seat in position.stations or ():
        whose = "there is no station" if seat == layout.NOBODY else f"P{seat} has a station"
        yield f"{whose} in {game_map.cities[city].name}"
    for part, words in _SINGLE.items():
        number = getattr(position, part)
        if number is not None:
            yield words(number)


_SINGLE: Final[Mapping[str, Callable[[int], str]]] = {
    "pile": lambda n: f"the pile has {counted(n, 'card')}",
    "ticket_pile": lambda n: f"the ticket pile has {counted(n, 'ticket')}",
    "turns": lambda n: f"{counted(n, 'turn')} completed",
    "turns_left": lambda n: f"{counted(n, 'turn')} left",
    "to_move": "P{} is to move".format,
    "marker": "P{} has the marker".format,
    "neutral": lambda n: f"the neutral player is {'in' if n else 'out of'} the game",
}


def _cards_words(counts: Counts) -> str:
    return ", ".join(each_kind(counts)) or "no cards"


def _tickets_words(tickets: Sequence[int], game_map: GameMap) -> str:
    known = [game_map.tickets[ticket].id for ticket in tickets if ticket != layout.UNKNOWN_TICKET]
    n_unknown = len(tickets) - len(known)
    unknown = [counted(n_unknown, "unknown ticket")] if n_unknown else []
    return ", ".join([*known, *unknown]) or "no tickets"
