"""
Positions and corrections in files, and as they are told from Python.

On its line, or as arguments of `Game.position`, each part of a position stands
by its name:

===================  ===========================================================
key                  what is told
===================  ===========================================================
owners               {route: seat, "neutral", or null for a route that is free}
hands                for each seat {kind of card: how many, "?": how many}, or
                     how many cards it holds
tickets              for each seat a list of tickets, "?" for one that is not
                     known, or how many it has
market               a list of cards, "?" for one that is not known, null for an
                     empty slot
discards             {kind of card: how many, "?": how many}
pile                 how many cards are in the draw pile
ticket_pile          how many tickets are in the pile
ticket_discards      a list of tickets that lie face up
tickets_out          a list of tickets that are out of the game
trains, scores       for each seat a number: it must be what the routes make it
tokens, loans        for each seat a number
stations             {city: seat, or null where none stands any more}
to_move              the seat whose turn it is
turns                turns that are complete, of all seats together
turns_left           turns left in the last round; 0 if the game is over
marker, neutral      who holds the marker of the neutral player; 1 if that still
                     plays, else 0
===================  ===========================================================

A seat of which nothing is told has null in a list for each seat.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

from ttr_analysis._errors import AmbiguousNameError, Fault, GameError, PositionError, UnknownNameError, nearest
from ttr_analysis._words import with_names
from ttr_analysis.cards import CARD_KINDS, N_KINDS, CardCounts, is_count, kind_name
from ttr_analysis.engine.layout import NEUTRAL_OWNER, NOBODY, OVER, TURN, UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.engine.position import PARTS, Counts, Position, position_of, state_of
from ttr_analysis.engine.state import GameState
from ttr_analysis.engine.unknowns import unknown_words
from ttr_analysis.maps.loading import as_map
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.maps.names import fold
from ttr_analysis.records.lines import FaultList, as_json
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream, seed_key
from ttr_analysis.tables import MAX_TICKETS, check_size, game_tables

T = TypeVar("T")
UNKNOWN: Final = "?"
_MOST: Final = 9_999
"""No number in a position is larger."""


class Refuse(Protocol):
    """Takes note of a fault: in which part, what stands there, and what was expected."""

    def __call__(self, part: str, value: object, expected: str, /) -> None:
        """Take note of a fault."""


# -- from JSON -----------------------------------------------------------------------------------------------------


class PositionReader:
    """
    Reads what is told of a position, or of a part of one.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    refuse
        Called for all that is wrong.
    """

    def __init__(self, game_map: GameMap, n_players: int, refuse: Refuse) -> None:
        self._map = game_map
        self._n_players = n_players
        self._refuse = refuse
        number, numbers = self._number, self._numbers
        self._parsers: Mapping[str, Callable[[str, object], Any]] = {
            "owners": self._owners,
            "hands": lambda part, value: self._each_seat(part, value, self._hand),
            "tickets": lambda part, value: self._each_seat(part, value, self._held),
            "market": self._market,
            "discards": self._counts,
            **dict.fromkeys(("ticket_discards", "tickets_out"), self._ticket_list),
            "to_move": lambda part, value: number(part, value, n_players - 1),
            "marker": lambda part, value: number(part, value, n_players - 1),
            "neutral": lambda part, value: number(part, value, 1),
            **dict.fromkeys(("pile", "ticket_pile", "turns", "turns_left"), number),
            **dict.fromkeys(("trains", "scores", "tokens", "loans"), numbers),
            "stations": self._stations,
        }

    def read(self, data: Mapping[str, object], reason: str = "") -> Position:
        """Return what is told; a part that is wrong is left out, with faults."""
        parsed = {part: self._parsers[part](part, data[part]) for part in PARTS if part in data}
        return Position(**parsed, reason=reason)

    def _number(self, part: str, value: object, most: int = _MOST) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most:
            return value
        self._refuse(part, value, f"expected a whole number from 0 to {most}")
        return None

    def _signed(self, part: str, value: object) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST:
            return value
        self._refuse(part, value, f"expected a whole number from {-_MOST} to {_MOST}")
        return None

    def _numbers(self, part: str, value: object) -> tuple[int | None, ...] | None:
        return self._each_seat(part, value, self._signed if part == "scores" else self._number)

    def _each_seat(
        self, part: str, value: object, parse: Callable[[str, object], T | None]
    ) -> tuple[T | None, ...] | None:
        if not isinstance(value, list) or len(value) != self._n_players:
            self._refuse(part, value, f"expected a list with one item for each of {self._n_players} seats")
            return None
        return tuple(None if item is None else parse(part, item) for item in value)

    def _owners(self, part: str, value: object) -> tuple[tuple[int, int], ...] | None:
        if not isinstance(value, dict):
            self._refuse(part, value, f"expected owners by route, such as {as_json({self._map.routes[0].id: 0})}")
            return None
        words: dict[str | None, int] = {None: NOBODY, "neutral": NEUTRAL_OWNER}
        return self._owned(part, value, self._map.route_numbers, "the id of a route", words)

    def _stations(self, part: str, value: object) -> tuple[tuple[int, int], ...] | None:
        if not isinstance(value, dict):
            self._refuse(part, value, f"expected seats by city, such as {as_json({self._map.cities[0].name: 0})}")
            return None
        return self._owned(part, value, self._map.city_numbers, "the name of a city", {None: NOBODY})

    def _owned(
        self,
        part: str,
        value: Mapping[str, object],
        numbers: Mapping[str, int],
        what: str,
        words: dict[str | None, int],
    ) -> tuple[tuple[int, int], ...]:
        """Return whose each of the places is; words are what may stand for a seat."""
        found = []
        for name, owner in value.items():
            place = self._name(part, name, numbers, what)
            seat: int | None = None
            if owner is None or isinstance(owner, str):
                seat = words.get(owner)
            elif isinstance(owner, int) and not isinstance(owner, bool) and 0 <= owner < self._n_players:
                seat = owner
            if seat is None:
                others = " or ".join("null" if word is None else f'"{word}"' for word in reversed(words))
                sign = "," if len(words) > 1 else " or"
                self._refuse(part, owner, f"expected a seat from 0 to {self._n_players - 1}{sign} {others}")
            elif place is not None:
                found.append((place, seat))
        return tuple(found)

    def _hand(self, part: str, value: object) -> Counts | None:
        if isinstance(value, int):
            n = self._number(part, value)
            return None if n is None else (*(0,) * N_KINDS, n)
        return self._counts(part, value)

    def _counts(self, part: str, value: object) -> Counts | None:
        if not isinstance(value, dict):
            self._refuse(part, value, 'expected counts by kind of card, such as {"red":2,"?":1}')
            return None
        kinds = (*CARD_KINDS, UNKNOWN)
        counts = [0] * len(kinds)
        for kind, n in value.items():
            if kind not in kinds:
                hint = nearest(kind, CARD_KINDS, 1) or [f"one of {', '.join(kinds)}"]
                self._refuse(part, kind, f"expected {hint[0]}")
            else:
                counts[kinds.index(kind)] = self._number(part, n) or 0
        return tuple(counts)

    def _market(self, part: str, value: object) -> tuple[int, ...] | None:
        if not isinstance(value, list):
            self._refuse(part, value, 'expected a list of cards, such as ["red","?",null]')
            return None
        kinds = {kind: i for i, kind in enumerate(CARD_KINDS)} | {UNKNOWN: UNKNOWN_CARD}
        found = []
        for item in value:
            if item is None:
                found.append(NOBODY)
            elif isinstance(item, str) and item in kinds:
                found.append(kinds[item])
            else:
                hint = nearest(item, CARD_KINDS, 1) if isinstance(item, str) else []
                kind = hint[0] if hint else f"one of {', '.join(CARD_KINDS)}"
                self._refuse(part, item, f'expected {kind}, "?" or null')
        return tuple(found)

    def _held(self, part: str, value: object) -> tuple[int, ...] | None:
        if isinstance(value, int):
            n = self._number(part, value, MAX_TICKETS)
            return None if n is None else (UNKNOWN_TICKET,) * n
        return self._ticket_list(part, value)

    def _ticket_list(self, part: str, value: object) -> tuple[int, ...] | None:
        if not isinstance(value, list) or len(value) > MAX_TICKETS:
            self._refuse(part, value, 'expected a list of tickets, "?" for one that is not known')
            return None
        numbers = self._map.ticket_numbers
        found = [
            UNKNOWN_TICKET if item == UNKNOWN else self._name(part, item, numbers, "the id of a ticket")
            for item in value
        ]
        return tuple(ticket for ticket in found if ticket is not None)

    def _name(self, part: str, value: object, numbers: Mapping[str, int], what: str) -> int | None:
        if isinstance(value, str) and value in numbers:
            return numbers[value]
        hint = nearest(value, numbers) if isinstance(value, str) else []
        expected = " or ".join(hint) if hint else f"{what} of {self._map.title}"
        self._refuse(part, value, f"expected {expected}")
        return None


# -- to JSON -------------------------------------------------------------------------------------------------------


def position_data(position: Position, game_map: GameMap) -> dict[str, object]:
    """
    Return what is told of a position as it stands in a file.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> position_data(Position(hands=((1,) + (0,) * 8 + (2,), None), to_move=1), ttr.load_map("usa"))
    {'hands': [{'purple': 1, '?': 2}, None], 'to_move': 1}
    """
    return {part: _WRITERS.get(part, _plain)(getattr(position, part), game_map) for part in position.told}


def _plain(value: object, _: GameMap) -> object:
    return list(value) if isinstance(value, tuple) else value


def _owner_data(owners: Iterable[tuple[int, int]], game_map: GameMap) -> dict[str, object]:
    names: dict[int, object] = {NOBODY: None, NEUTRAL_OWNER: "neutral"}
    return {game_map.routes[route].id: names.get(owner, owner) for route, owner in owners}


def _count_data(counts: Counts | None) -> dict[str, int] | None:
    if counts is None:
        return None
    return {kind: n for kind, n in zip((*CARD_KINDS, UNKNOWN), counts, strict=True) if n}


def _ticket_data(tickets: Iterable[int] | None, game_map: GameMap) -> list[str] | None:
    if tickets is None:
        return None
    return [UNKNOWN if ticket == UNKNOWN_TICKET else game_map.tickets[ticket].id for ticket in tickets]


def _station_data(stations: Iterable[tuple[int, int]], game_map: GameMap) -> dict[str, int | None]:
    return {game_map.cities[city].name: None if seat == NOBODY else seat for city, seat in stations}


_MARKET: Final = {NOBODY: None, UNKNOWN_CARD: UNKNOWN, **dict(enumerate(CARD_KINDS))}
_WRITERS: Final[Mapping[str, Callable[[Any, GameMap], object]]] = {
    "owners": _owner_data,
    "hands": lambda hands, _: [_count_data(hand) for hand in hands],
    "tickets": lambda tickets, game_map: [_ticket_data(held, game_map) for held in tickets],
    "market": lambda market, _: [_MARKET[kind] for kind in market],
    "discards": lambda counts, _: _count_data(counts),
    **dict.fromkeys(("ticket_discards", "tickets_out"), _ticket_data),
    "stations": _station_data,
}


# -- as it is told from Python -------------------------------------------------------------------------------------


def told_state(game_map: GameMap, n_players: int, told: Mapping[str, object], players: Sequence[str] = ()) -> GameState:
    """
    Return the state of a position that is told from Python: see `Game.position`.

    Parameters
    ----------
    game_map, n_players
        The game.
    told
        The parts of the position.
    players
        Names of the players, by which faults call them.

    Raises
    ------
    PositionError
        With all that is wrong.
    """
    faults = FaultList("position", game_map.name)

    def refuse(part: str, value: object, expected: str) -> None:
        faults.add(0, part, value if isinstance(value, str) else _shown(value), with_names(expected, players))

    data = _Spoken(game_map, refuse).data(told)
    position = PositionReader(game_map, n_players, refuse).read(data)
    if not faults.faults:
        state, problems = state_of(position, game_map, n_players)
        for problem in problems:
            refuse(*problem)
    if faults.faults:
        raise PositionError(game_map.title, faults.faults)
    return GameState(game_map, n_players, state)


_BY_SEAT: Final = ("hands", "tickets", "trains", "scores", "tokens", "loans")
_OWNED: Final = ("owners", "stations")
_SEATS: Final = ("to_move", "marker")


def read_position(content: str, source: str) -> tuple[GameState, tuple[str, ...]]:
    """
    Return the state of a position that is written down as a JSON object, and the names of its players.

    Besides the parts of a position it has `map`, perhaps `variant`, and
    `players`: their names, which may stand for their seats.

    Raises
    ------
    PositionError
        With all that is wrong.
    UnknownNameError, MapError
        If there is no such map or variant, or it has faults.

    Examples
    --------
    >>> state, names = read_position('''
    ... {"map": "usa", "players": ["Ann", "Bo"], "owners": {"Boston-New York/0": "Bo"}, "tickets": {"Ann": 2, "Bo": []}}
    ... ''', "table")
    >>> names, state.scores, state.n_tickets
    (('Ann', 'Bo'), (0, 2), (2, 0))
    """
    faults = FaultList(source, source)
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
    if faults.faults:
        raise PositionError(source, faults.faults)
    assert isinstance(names, list)  # noqa: S101 - else there was a fault
    game_map = as_map(str(data["map"])).with_variant(str(data.get("variant", "")) or None)
    try:
        check_size(game_map, len(names))
    except ValueError as error:
        raise PositionError(source, [Fault(source, 0, "players", as_json(names), str(error))]) from None
    seated = _Seated(names, faults)
    told = {part: seated.part(part, data[part]) for part in PARTS if part in data}
    if faults.faults:  # a seat that is not known would make the other seats look wrong
        raise PositionError(source, faults.faults)
    return told_state(game_map, len(names), told, names), tuple(names)


def _object(content: str, faults: FaultList) -> dict[str, object]:
    """Return the object that a text is."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        data = None
        faults.add(0, "", "something else", f"expected a JSON object ({error})")
    if data is not None and not isinstance(data, dict):
        faults.add(0, "", type(data).__name__, "expected a JSON object")
    if faults.faults:
        raise PositionError(faults.source, faults.faults)
    found: dict[str, object] = data
    return found


class _Seated:
    """
    Puts seats in place of the names of players.

    Parameters
    ----------
    players
        The names, seat by seat.
    faults
        Takes what is wrong: names that no player has, or several.
    """

    def __init__(self, players: Sequence[str], faults: FaultList) -> None:
        self._players = players
        self._faults = faults

    def part(self, part: str, value: object) -> object:
        """Return a part of a position with seats in place of names."""
        if part in _OWNED and isinstance(value, dict):
            return {place: self._owner(part, owner) for place, owner in value.items()}
        if part in _BY_SEAT and isinstance(value, dict):
            by_seat: dict[int | None, object] = {}
            for name, told in value.items():
                seat = self._seat(part, name)
                if seat is not None and seat in by_seat:
                    self._faults.add(0, part, name, "expected each player once")
                by_seat[seat] = told
            return [by_seat.get(seat) for seat in range(len(self._players))]
        return self._seat(part, value) if part in _SEATS and isinstance(value, str) else value

    def _owner(self, part: str, owner: object) -> object:
        is_name = isinstance(owner, str) and (owner in self._players or (part, owner) != ("owners", "neutral"))
        return self._seat(part, str(owner)) if is_name else owner

    def _seat(self, part: str, name: str) -> int | None:
        alike = [player for player in self._players if fold(player) == fold(name)]
        if name in alike:
            alike = [name]
        if len(alike) == 1:
            return self._players.index(alike[0])
        error: LookupError = UnknownNameError.among("player", name, self._players)
        if alike:
            error = AmbiguousNameError("player", name, alike)
        self._faults.add(0, part, "", str(error))
        return None


def _shown(value: object) -> str:
    """Return a value as a message has it."""
    try:
        return as_json(value)
    except (TypeError, ValueError):
        return repr(value)


class _Spoken:
    """
    Says in the words of files what is told in those of Python: routes and tickets as objects, cards as counts.

    Parameters
    ----------
    game_map
        The map.
    refuse
        Called for names that there are not.
    """

    def __init__(self, game_map: GameMap, refuse: Refuse) -> None:
        self._map = game_map
        self._refuse = refuse

    def data(self, told: Mapping[str, object]) -> dict[str, object]:
        """Return the parts that are told."""
        words: Mapping[str, Callable[[Any], object]] = {
            "owners": lambda owners: self._owned("owners", owners, self._map.route),
            "stations": lambda stations: self._owned("stations", stations, self._map.city),
            "hands": lambda hands: [_cards(hand) for hand in hands],
            "market": _kinds,
            "tickets": lambda tickets: [self._tickets("tickets", held) for held in tickets],
            "discards": _cards,
            "ticket_discards": lambda tickets: self._tickets("ticket_discards", tickets),
            "tickets_out": lambda tickets: self._tickets("tickets_out", tickets),
        }
        found: dict[str, object] = {}
        for part, value in told.items():
            if value is None:
                continue
            try:
                found[part] = words.get(part, _as_list)(value)
            except (AttributeError, TypeError, ValueError):
                found[part] = value  # which the reader refuses
        return found

    def _owned(self, part: str, owners: Mapping[Any, object], find: Callable[..., Route | City]) -> object:
        found: dict[str, object] = {}
        for key, owner in owners.items():
            name = self._name(part, key, find)
            if name is not None and found.setdefault(name, owner) != owner:
                self._refuse(part, name, "expected it once")
        return found

    def _tickets(self, part: str, tickets: object) -> object:
        if not isinstance(tickets, Iterable) or isinstance(tickets, str):
            return tickets
        names = [UNKNOWN if item in (UNKNOWN, None) else self._name(part, item, self._map.ticket) for item in tickets]
        return [name for name in names if name is not None]

    def _name(self, part: str, name: object, find: Callable[..., Route | Ticket | City]) -> str | None:
        """Return the id of a route or ticket, or the name of a city."""
        try:
            if not isinstance(name, Route | Ticket | City):
                name = find(*name) if isinstance(name, tuple) else find(name)
            return name.name if isinstance(name, City) else name.id
        except (UnknownNameError, AmbiguousNameError) as error:
            self._refuse(part, "", str(error))
        except TypeError:
            self._refuse(part, str(name), "expected a name, or a pair of cities")
        return None


def _cards(cards: object) -> object:
    """Return cards as counts by kind."""
    if isinstance(cards, CardCounts):
        return cards.as_dict()
    if isinstance(cards, Sequence) and not isinstance(cards, str):
        return dict(Counter(map(str, map(_kind, cards))))
    if not isinstance(cards, Mapping):
        return cards
    counts: dict[object, Any] = {}
    for card, n in cards.items():
        kind = _kind(card)
        before = counts.get(kind, 0)
        if is_count(before):  # else the reader refuses what came before
            counts[kind] = before + n if is_count(n) else n
    return counts


def _kinds(cards: object) -> object:
    """Return the cards of a market as a list."""
    return cards if isinstance(cards, str) or not isinstance(cards, Iterable) else [_kind(card) for card in cards]


def _kind(card: object) -> object:
    """Return the name of a kind of card, whatever people call it; what is no kind as it is."""
    try:
        return kind_name("kind of card", card)
    except UnknownNameError:
        return card


def _as_list(value: object) -> object:
    """Return a sequence as a list."""
    return list(value) if isinstance(value, tuple) else value


def hidden(position: Position, seat: int) -> Position:
    """Return a position with the cards and tickets of other seats than one unknown."""
    hands, tickets = position.hands, position.tickets
    if hands is not None:
        hidden_hands = [hand and (*(0,) * N_KINDS, sum(hand)) for hand in hands]
        hands = tuple(hand if at == seat else hidden_hands[at] for at, hand in enumerate(hands))
    if tickets is not None:
        hidden_tickets = [held and (UNKNOWN_TICKET,) * len(held) for held in tickets]
        tickets = tuple(held if at == seat else hidden_tickets[at] for at, held in enumerate(tickets))
    out = position.tickets_out and (UNKNOWN_TICKET,) * len(position.tickets_out)
    return replace(position, hands=hands, tickets=tickets, tickets_out=out)


# -- a state as a position -----------------------------------------------------------------------------------------


def laid_out(state: GameState) -> tuple[Position, State]:
    """Return a state between two turns as a position, and what is left of it as a packed state."""
    packed = state.packed
    if packed.phase not in (TURN, OVER):
        raise GameError(f"a record begins between two turns, not where P{state.acting} must decide: {state!r}")
    position = position_of(packed, game_tables(state.game_map, state.n_players))
    laid, problems = state_of(position, state.game_map, state.n_players)
    if problems:
        raise GameError(f"no record can begin from {state!r}: {problems[0].expected}")
    return position, laid


def playable(state: GameState, seed: int, number: int) -> tuple[Position, State]:
    """Return a state between two turns as a position, and as a packed state with random numbers to come."""
    position, laid = laid_out(state)
    if unknown := unknown_words(laid, state.n_players):
        raise GameError(f"nobody can play on from a position with {unknown}: `SeatView.worlds` fills such in")
    open_stream(seed_key(seed), number, TABLE_STREAM, laid.stream)
    return position, laid
