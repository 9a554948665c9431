"""
Positions and corrections in files, and as arguments of `Game.position`.

Each part of a position has a name; a list by seat has null for a seat about which nothing
is known.

===================  ===========================================================
key                  value
===================  ===========================================================
owners               {route: seat, "neutral", or null for a route that is free}
hands                for each seat {kind of card: how many, "?": how many}, or
                     how many cards it holds
tickets              for each seat a list of tickets, "?" for an unknown one, or
                     how many it has
market               a list of cards, "?" for an unknown one, null for an empty
                     slot
discards             {kind of card: how many, "?": how many}
pile                 how many cards are in the draw pile
ticket_pile          how many tickets are in the pile
ticket_discards      a list of tickets that are face up
tickets_out          a list of tickets that are out of the game
trains, scores       for each seat a number, which must agree with the routes
tokens, loans        for each seat a number
stations             {city: seat, or null for one that was removed}
to_move              the seat whose turn it is
turns                completed turns of all seats together
turns_left           turns left in the last round; 0 if the game is over
marker, neutral      the seat with the neutral player's marker; 1 if the neutral
                     player is still in the game, else 0
===================  ===========================================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

from ttr_analysis._decoding import FaultList, Range, shown
from ttr_analysis._errors import AmbiguousNameError, GameError, PositionError, UnknownNameError, nearest
from ttr_analysis._words import with_names
from ttr_analysis.cards import CARD_KINDS, N_KINDS, CardCounts, kind_name
from ttr_analysis.engine import layout
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.position import PARTS, Counts, Position, position_of, state_of
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.loading import as_map
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.maps.names import fold
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, seed_key
from ttr_analysis.tables import MAX_TICKETS, check_size, game_tables

T = TypeVar("T")
UNKNOWN: Final = "?"
_MOST: Final = 9_999
"""Largest number in a position."""
_COUNTED: Final = (*CARD_KINDS, UNKNOWN)
_MARKET: Final = {layout.NOBODY: None, layout.UNKNOWN_CARD: UNKNOWN, **dict(enumerate(CARD_KINDS))}


class Report(Protocol):
    """A callback for faults: the part, the wrong value, and what was expected."""

    def __call__(self, part: str, value: object, expected: str, /) -> None:
        """Report a fault."""


# -- reading -------------------------------------------------------------------------------------------------------


class PositionReader:
    """
    Reads a position, or a part of one.

    In strict mode, names are as in records; otherwise routes, cities, tickets and cards may
    be objects or have any of their names. `report` is called for each fault. Players' names,
    if given, can be used instead of seats.
    """

    def __init__(
        self,
        game_map: GameMap,
        n_players: int,
        report: Report,
        *,
        is_strict: bool = False,
        players: Sequence[str] = (),
    ) -> None:
        self._map = game_map
        self._n_players = n_players
        self._report = report
        self._is_strict = is_strict
        self._players = players
        self._parsers: Mapping[str, Callable[[str, Any], Any]] = {
            **dict.fromkeys(("owners", "stations"), self._owned),
            "hands": lambda part, value: self._each_seat(part, value, self._hand),
            "tickets": lambda part, value: self._each_seat(part, value, self._held),
            "market": self._market,
            "discards": self._counts,
            **dict.fromkeys(("ticket_discards", "tickets_out"), self._tickets),
            **dict.fromkeys(("to_move", "marker"), self._seat),
            "neutral": lambda part, value: self._number(part, value, Range(0, 1)),
            **dict.fromkeys(("pile", "ticket_pile", "turns", "turns_left"), self._number),
            **dict.fromkeys(("trains", "tokens", "loans"), self._numbers),
            "scores": lambda part, value: self._each_seat(part, value, self._points),
        }

    def read(self, data: Mapping[str, object], reason: str = "") -> Position:
        """Return a position without the faulty parts, reporting faults."""
        given = {part: data[part] for part in PARTS if part in data and (self._is_strict or data[part] is not None)}
        return Position(**{part: self._parsers[part](part, value) for part, value in given.items()}, reason=reason)

    # -- numbers and seats --------------------------------------------------------

    def _number(self, part: str, value: object, allowed: Range = Range(0, _MOST)) -> int | None:  # noqa: B008
        if value in allowed:
            return value  # type: ignore[return-value] # an int, as it is in the range
        self._report(part, value, f"expected {allowed}")
        return None

    def _numbers(self, part: str, value: object) -> tuple[int | None, ...] | None:
        return self._each_seat(part, value, self._number)

    def _points(self, part: str, value: object) -> int | None:
        return self._number(part, value, Range(-_MOST, _MOST))

    def _seat(self, part: str, value: object) -> int | None:
        if self._players and isinstance(value, str):
            return self._player(part, value)
        return self._number(part, value, Range(0, self._n_players - 1))

    def _player(self, part: str, name: str) -> int | None:
        alike = [name] if name in self._players else [one for one in self._players if fold(one) == fold(name)]
        if len(alike) == 1:
            return self._players.index(alike[0])
        error: LookupError = UnknownNameError.among("player", name, self._players)
        if alike:
            error = AmbiguousNameError("player", name, alike)
        self._report(part, "", str(error))
        return None

    def _each_seat(
        self, part: str, value: object, parse: Callable[[str, Any], T | None]
    ) -> tuple[T | None, ...] | None:
        items = self._by_seat(part, value) if self._players and isinstance(value, dict) else self._items(value)
        if items is None or len(items) != self._n_players:
            self._report(part, value, f"expected a list with one item for each of {self._n_players} seats")
            return None
        return tuple(None if item is None else parse(part, item) for item in items)

    def _by_seat(self, part: str, by_player: Mapping[str, object]) -> list[object]:
        """Return values by player name in seat order."""
        found: dict[int | None, object] = {}
        for name, value in by_player.items():
            seat = self._player(part, name)
            if seat is not None and seat in found:
                self._report(part, name, "expected each player once")
            found[seat] = value
        return [found.get(seat) for seat in range(self._n_players)]

    def _items(self, value: object) -> list[Any] | None:
        """Return the items of a list or any Python sequence; None for anything else."""
        if isinstance(value, list):
            return value
        is_like = isinstance(value, Iterable) and not isinstance(value, str | Mapping | CardCounts)
        return list(value) if is_like and not self._is_strict else None  # type: ignore[call-overload]

    # -- places -------------------------------------------------------------------

    def _owned(self, part: str, value: object) -> tuple[tuple[int, int], ...] | None:
        if not isinstance(value, Mapping):
            what = f"owners by route, such as {shown({self._map.routes[0].id: 0})}"
            if part == "stations":
                what = f"seats by city, such as {shown({self._map.cities[0].name: 0})}"
            self._report(part, value, f"expected {what}")
            return None
        found: dict[int, int] = {}
        for name, owner in value.items():
            place, seat = self._place(part, name), self._owner(part, owner)
            if place is not None and seat is not None and found.setdefault(place, seat) != seat:
                self._report(part, name, "expected it only once")
        return tuple(found.items())

    def _owner(self, part: str, owner: object) -> int | None:
        words = {"neutral": layout.NEUTRAL_OWNER} if part == "owners" else {}
        if owner is None:
            return layout.NOBODY
        if isinstance(owner, str) and self._players and (owner in self._players or owner not in words):
            return self._player(part, owner)
        if isinstance(owner, str) and owner in words:
            return words[owner]
        if owner in Range(0, self._n_players - 1):
            return owner  # type: ignore[return-value] # an int, as it is in the range
        others = ', "neutral" or null' if words else " or null"
        self._report(part, owner, f"expected a seat from 0 to {self._n_players - 1}{others}")
        return None

    def _place(self, part: str, name: object) -> int | None:
        """Return the number of a route, a city or a ticket."""
        game_map = self._map
        find: Callable[..., Route | City | Ticket] = game_map.ticket
        numbers, what = game_map.ticket_numbers, "the id of a ticket"
        if part == "owners":
            find, numbers, what = game_map.route, game_map.route_numbers, "the id of a route"
        elif part == "stations":
            find, numbers, what = game_map.city, game_map.city_numbers, "the name of a city"
        try:
            if not self._is_strict:
                words = name if isinstance(name, tuple) else (name,)
                found = name if isinstance(name, Route | Ticket | City) else find(*words)
                name = found.name if isinstance(found, City) else found.id
        except (UnknownNameError, AmbiguousNameError) as error:
            self._report(part, "", str(error))
            return None
        except (TypeError, AttributeError):
            self._report(part, str(name), "expected a name, or a pair of cities")
            return None
        if isinstance(name, str) and name in numbers:
            return numbers[name]
        hint = nearest(name, numbers) if isinstance(name, str) else []
        self._report(part, name, f"expected {' or '.join(hint) or f'{what} of {game_map.title}'}")
        return None

    # -- cards and tickets ----------------------------------------------------------

    def _hand(self, part: str, value: object) -> Counts | None:
        if isinstance(value, int):
            n = self._number(part, value)
            return None if n is None else (*(0,) * N_KINDS, n)
        return self._counts(part, value)

    def _counts(self, part: str, value: object) -> Counts | None:
        if isinstance(value, CardCounts):
            value = value.as_dict()
        cards = None if isinstance(value, Mapping) else self._items(value)
        if not isinstance(value, Mapping) and (cards is None or self._is_strict):
            self._report(part, value, 'expected counts by kind of card, such as {"red":2,"?":1}')
            return None
        by_kind = value if isinstance(value, Mapping) else Counter(map(str, cards or ()))
        counts = [0] * len(_COUNTED)
        for name, n in by_kind.items():
            kind = self._kind(name)
            if kind not in _COUNTED:
                self._report(part, kind, f"expected {near_kind(kind, _COUNTED)}")
            else:
                counts[_COUNTED.index(kind)] += self._number(part, n) or 0
        return tuple(counts)

    def _kind(self, card: object) -> Any:  # noqa: ANN401 - other objects are returned unchanged
        """Return the canonical name of a kind of card."""
        try:
            return card if self._is_strict else kind_name("kind of card", card)
        except UnknownNameError:
            return card

    def _market(self, part: str, value: object) -> tuple[int, ...] | None:
        cards = self._items(value)
        if cards is None:
            self._report(part, value, 'expected a list of cards, such as ["red","?",null]')
            return None
        numbers = {kind: number for number, kind in _MARKET.items()}
        found = []
        for card in map(self._kind, cards):
            if card is None or (isinstance(card, str) and card in numbers):
                found.append(numbers[card])
            else:
                self._report(part, card, f'expected {near_kind(card, CARD_KINDS)}, "?" or null')
        return tuple(found)

    def _held(self, part: str, value: object) -> tuple[int, ...] | None:
        if isinstance(value, int):
            n = self._number(part, value, Range(0, MAX_TICKETS))
            return None if n is None else (layout.UNKNOWN_TICKET,) * n
        return self._tickets(part, value)

    def _tickets(self, part: str, value: object) -> tuple[int, ...] | None:
        items = self._items(value)
        if items is None or len(items) > MAX_TICKETS:
            self._report(part, value, 'expected a list of tickets, "?" for an unknown one')
            return None
        unknown = (UNKNOWN,) if self._is_strict else (UNKNOWN, None)
        found = [layout.UNKNOWN_TICKET if item in unknown else self._place(part, item) for item in items]
        return tuple(ticket for ticket in found if ticket is not None)


def near_kind(card: object, kinds: Sequence[str]) -> str:
    """Return the kind of card that was probably meant, or all kinds."""
    hint = nearest(card, CARD_KINDS, 1) if isinstance(card, str) else []
    return hint[0] if hint else f"one of {', '.join(kinds)}"


def state_of_parts(
    game_map: GameMap,
    n_players: int,
    parts: Mapping[str, object],
    players: Sequence[str] = (),
    faults: FaultList | None = None,
) -> GameState:
    """Return the state of a user's position: see `Game.position`; a `PositionError` lists all faults."""
    faults = faults or FaultList(game_map.title, "position", PositionError)

    def report(part: str, value: object, expected: str) -> None:
        faults.add(0, part, value, with_names(expected, players))

    position = PositionReader(game_map, n_players, report, players=players).read(parts)
    faults.raise_if_any()
    state, problems = state_of(position, game_map, n_players)
    for problem in problems:
        report(*problem)
    faults.raise_if_any()
    return GameState(game_map, n_players, state)


def read_position(content: str, source: str) -> tuple[GameState, tuple[str, ...]]:
    """
    Return the state of a position in a JSON object, and the names of its players.

    The object also has `map`, perhaps `variant`, and `players`, whose names can be used instead
    of seats. A `PositionError` lists all faults; an unknown map or variant is an `UnknownNameError`.

    >>> state, names = read_position('''
    ... {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Bo"}, "tickets": {"Ann": 2, "Bo": []}}
    ... ''', "table")
    >>> names, state.scores, state.n_tickets
    (('Ann', 'Bo'), (0, 2), (2, 0))
    """
    faults = FaultList(source, source, PositionError)
    data = _object(content, faults)
    names, known = data.get("players"), ("map", "variant", "players", *PARTS)
    for key in sorted(data.keys() - set(known)):
        faults.add(0, key, key, f"unknown key, expected {' or '.join(nearest(key, known) or known)}")
    if not isinstance(data.get("map"), str):
        faults.add(0, "map", data.get("map"), "expected the name of a map")
    if not isinstance(data.get("variant", ""), str):
        faults.add(0, "variant", data["variant"], "expected the name of a variant")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        faults.add(0, "players", names, "expected the names of the players, each once")
    faults.raise_if_any()
    assert isinstance(names, list)  # noqa: S101 - else there was a fault
    game_map = as_map(str(data["map"])).with_variant(str(data.get("variant", "")) or None)
    try:
        check_size(game_map, len(names))
    except ValueError as error:
        faults.add(0, "players", names, str(error))
    faults.raise_if_any()
    return state_of_parts(game_map, len(names), data, names, faults), tuple(names)


def _object(content: str, faults: FaultList) -> dict[str, Any]:
    """Parse a JSON object."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        data = None
        faults.add(0, "", "something else", f"expected a JSON object ({error})")
    if data is not None and not isinstance(data, dict):
        faults.add(0, "", type(data).__name__, "expected a JSON object")
    faults.raise_if_any()
    found: dict[str, Any] = data
    return found


# -- writing ---------------------------------------------------------------------------------------------------------


def position_data(position: Position, game_map: GameMap) -> dict[str, object]:
    """
    Return a position in the form of a file.

    >>> position_data(Position(hands=((1,) + (0,) * 8 + (2,), None), to_move=1), ttr.load_map("usa"))
    {'hands': [{'purple': 1, '?': 2}, None], 'to_move': 1}
    """
    return {part: _WRITERS.get(part, _plain)(getattr(position, part), game_map) for part in position.given}


def _plain(value: object, _: GameMap) -> object:
    return list(value) if isinstance(value, tuple) else value


def _owner(owner: int) -> object:
    return {layout.NOBODY: None, layout.NEUTRAL_OWNER: "neutral"}.get(owner, owner)


def _count_data(counts: Counts | None) -> dict[str, int] | None:
    return None if counts is None else {kind: n for kind, n in zip(_COUNTED, counts, strict=True) if n}


def ticket_name(ticket: int, game_map: GameMap) -> str:
    """Return the id of a ticket by its number, "?" if it is not known."""
    return UNKNOWN if ticket == layout.UNKNOWN_TICKET else game_map.tickets[ticket].id


def _ticket_data(tickets: Iterable[int] | None, game_map: GameMap) -> list[str] | None:
    return None if tickets is None else [ticket_name(ticket, game_map) for ticket in tickets]


_WRITERS: Final[Mapping[str, Callable[[Any, GameMap], object]]] = {
    "owners": lambda owners, game_map: {game_map.routes[route].id: _owner(owner) for route, owner in owners},
    "hands": lambda hands, _: [_count_data(hand) for hand in hands],
    "tickets": lambda tickets, game_map: [_ticket_data(held, game_map) for held in tickets],
    "market": lambda market, _: [_MARKET[kind] for kind in market],
    "discards": lambda counts, _: _count_data(counts),
    **dict.fromkeys(("ticket_discards", "tickets_out"), _ticket_data),
    "stations": lambda stations, game_map: {game_map.cities[city].name: _owner(seat) for city, seat in stations},
}


def hidden(position: Position, seat: int) -> Position:
    """Return a position with the cards and tickets of all other seats, and tickets out of the game, unknown."""
    hands, tickets = position.hands, position.tickets
    if hands is not None:
        hidden_hands = [hand and (*(0,) * N_KINDS, sum(hand)) for hand in hands]
        hands = tuple(hand if at == seat else hidden_hands[at] for at, hand in enumerate(hands))
    if tickets is not None:
        hidden_tickets = [held and (layout.UNKNOWN_TICKET,) * len(held) for held in tickets]
        tickets = tuple(held if at == seat else hidden_tickets[at] for at, held in enumerate(tickets))
    out = position.tickets_out and (layout.UNKNOWN_TICKET,) * len(position.tickets_out)
    return replace(position, hands=hands, tickets=tickets, tickets_out=out)


# -- a state as a position -----------------------------------------------------------------------------------------


def laid_out(state: GameState) -> tuple[Position, State]:
    """Return a state between two turns as a position, and the packed state made from it."""
    packed = state.packed
    if packed.phase not in (layout.TURN, layout.OVER):
        raise GameError(f"a record begins between two turns, not where P{state.acting} must decide: {state!r}")
    position = position_of(packed, game_tables(state.game_map, state.n_players))
    laid, problems = state_of(position, state.game_map, state.n_players)
    if problems:
        raise GameError(f"no record can begin from {state!r}: {problems[0].expected}")
    return position, laid


def playable(state: GameState, seed: int, number: int) -> tuple[Position, State]:
    """Return a state between two turns as a position, and as a packed state with new random numbers."""
    position, laid = laid_out(state)
    if unknown := layout.unknown_words(laid, state.n_players):
        raise GameError(f"cannot play on from a position with {unknown}: `SeatView.worlds` fills them in")
    open_stream(seed_key(seed), number, TABLE_STREAM, laid.stream)
    return position, laid
