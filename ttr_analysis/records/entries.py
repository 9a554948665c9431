"""
Events of a record, as numbers and as lines of its file.

An `Entry` is an event in numbers, the common form of files, event objects and the
kernel. Kept tickets are listed by number, so an entry makes sense without a state.
In the file, each event is a JSON object on its own line:

======================  ======================  ===============================
event                   other keys
======================  ======================  ===============================
card_dealt              seat, card              setup, seat by seat
market_card             slot, card              whenever a slot is filled
ticket_offered          seat, ticket            dealt or drawn
keep_tickets            seat, tickets
draw_card               seat                    its card_drawn follows
card_drawn              seat, card
draw_face_up            seat, slot              its market_card follows;
                                                with the card *taken* if the
                                                slot's was "?"
claim_route             seat, route, cards      card_revealed follows for a tunnel
attempt_tunnel          seat, route, color      the same, if its cards are not known
card_revealed           card                    "match" or "other" if only that is
                                                known
pay_tunnel              seat, cards             the surcharge; after attempt_tunnel
                                                plus the cards for the spaces
build_station           seat, city, cards
decline_tunnel          seat
draw_tickets            seat                    its ticket_offered events follow
neutral_ticket          ticket
choose_neutral_route    seat, route
pass                    seat
cards_shuffled                                  the discards become the pile
tickets_shuffled
market_replaced                                 all market_card events follow
tickets_shown           seat, tickets           at the end, if some are unknown
position                see `positions`         in place of the setup
correction              reason; `positions`     between two turns
======================  ======================  ===============================

Seats and slots are counted from 0. Cards are counts by kind, routes and tickets are ids,
cities are names. A card drawn, dealt or face up, and a ticket offered or kept, may
be "?"; an unknown face-up card becomes known when it is taken. Actions, tickets_shown
and corrections may also have a `move` and a `time`, their place in the source of the
record, and some actions the tickets `completed` by them.

`seen_entries` hides from the events of a game what one seat cannot see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._decoding import Decoder, FaultList, Range, Text, shown
from ttr_analysis._errors import GameError, nearest
from ttr_analysis.cards import CARD_KINDS, COLORS, N_KINDS
from ttr_analysis.engine import codes, events
from ttr_analysis.engine.actions import KeepTickets
from ttr_analysis.engine.actions.table import HANDLERS, Codec
from ttr_analysis.engine.codes import argument_of, kind_of, pack_cards, pack_single, seat_of, unpacked
from ttr_analysis.engine.layout import UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.engine.position import PARTS, Position, state_of, words_of
from ttr_analysis.engine.state import seat_number
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.file import Line, RecordHeader, as_json, parse_lines, read_header, resolve_map
from ttr_analysis.records.positions import UNKNOWN, PositionReader, hidden, near_kind, position_data, ticket_name
from ttr_analysis.rules.ruleset import TicketRules
from ttr_analysis.tables import MAX_SEATS, MAX_SLOTS, MAX_TICKETS

MATCHES: Final = ("other", "match")
"""Unknown cards turned over for a tunnel, by whether they match: `UNKNOWN_CARD` and `UNKNOWN_MATCH`."""

SHOWN: Final = codes.SHUFFLED + 1
"""Kind of the tickets shown at the end; the kernel has no such kind."""
START: Final = codes.SHUFFLED + 2
"""Kind of an initial position."""
CORRECTED: Final = codes.SHUFFLED + 3
"""Kind of a correction."""

COMPLETING: Final = (
    codes.KEEP_TICKETS,
    codes.CLAIM_ROUTE,
    codes.ATTEMPT_TUNNEL,
    codes.PAY_TUNNEL,
    codes.BUILD_STATION,
)
"""Kinds of event that may complete a ticket."""

_NO_STATE: Final = State()
_REASON: Final = Text(200, least=1)
_MOVE: Final = Range(0, 999_999)
_COUNT: Final = Range(1, codes.MOST_OF_A_KIND)
MAX_TIME: Final = 40
"""Maximum length of a time, in characters."""
_TIME: Final = Text(MAX_TIME, least=1)


class Stamp(NamedTuple):
    """
    The place of a step in the source of a record, such as the log of another site.

    Parameters
    ----------
    move
        Move number in the source, None if it has none.
    time
        Time as written in the source, "" if it has none.
    completed
        Ids of the tickets that this step completed, according to the source. They
        prove that a ticket known only from the end of the game was held by then.

    Examples
    --------
    >>> print(Stamp(7, "20:15:01"))
    move 7, 20:15:01
    """

    move: int | None = None
    time: str = ""
    completed: tuple[str, ...] = ()

    def __str__(self) -> str:
        move = "" if self.move is None else f"move {self.move}"
        return ", ".join(filter(None, [move, self.time]))


def _or_none(stamp: Stamp) -> Stamp | None:
    """Return a stamp, or None if it is empty."""
    return None if stamp == Stamp() else stamp


class Entry(NamedTuple):
    """
    An event as numbers: its kind as in `engine.codes`, or `SHOWN`, `START` or `CORRECTED`.

    Parameters
    ----------
    kind
        The kind of an action or outcome of chance, or one of those three.
    seat
        The seat that acts, or gets a card or ticket; else 0.
    argument
        Slot, route, city or one of `SHUFFLED_*`.
    value
        A kind of card (1 more for an unknown card taken face up), packed cards, or a ticket.
    tickets
        Tickets kept, or shown.
    stamp
        Its place in the source of the record.
    position
        A position or a correction.
    """

    kind: int
    seat: int = 0
    argument: int = 0
    value: int = 0
    tickets: tuple[int, ...] = ()
    stamp: Stamp | None = None
    position: Position | None = None

    @classmethod
    def of(cls, code: int, value: int = 0) -> Self:
        """Return the event for a kernel code."""
        return cls(kind_of(code), seat_of(code), argument_of(code), value)

    @property
    def code(self) -> int:
        """The kernel code of the event."""
        # Same as make_event; calling compiled code from here would be slower than the sum.
        return self.kind | self.seat << codes.SEAT_SHIFT | self.argument << codes.ARGUMENT_SHIFT

    @property
    def is_chance(self) -> bool:
        """Whether it is an outcome of chance."""
        return codes.CARD_DEALT <= self.kind <= codes.SHUFFLED


@dataclass(frozen=True)
class _Shape:
    """The format of a line: the kind of event and its keys, in order."""

    kind: int
    keys: tuple[str, ...]
    argument: int = 0
    optional: tuple[str, ...] = ()

    @cached_property
    def required(self) -> AbstractSet[str]:
        """The keys that a line must have."""
        return {"event", *self.keys}

    @cached_property
    def may_have(self) -> tuple[str, ...]:
        """Optional keys; outcomes of chance and initial positions have no place in the source."""
        if codes.CARD_DEALT <= self.kind <= codes.SHUFFLED or self.kind == START:
            return self.optional
        return (*self.optional, *(_STAMP_KEYS if self.kind in COMPLETING else _STAMP_KEYS[:2]))


_STAMP_KEYS: Final = ("move", "time", "completed")
_SHAPES: Final[dict[str, _Shape]] = {
    **{handler.name: _Shape(handler.kind, ("seat", *handler.keys), 0, handler.optional_keys) for handler in HANDLERS},
    "card_dealt": _Shape(codes.CARD_DEALT, ("seat", "card")),
    "card_drawn": _Shape(codes.CARD_DRAWN, ("seat", "card")),
    "market_card": _Shape(codes.MARKET_CARD, ("slot", "card")),
    "card_revealed": _Shape(codes.CARD_REVEALED, ("card",)),
    "ticket_offered": _Shape(codes.TICKET_OFFERED, ("seat", "ticket")),
    "neutral_ticket": _Shape(codes.NEUTRAL_TICKET, ("ticket",)),
    "tickets_shown": _Shape(SHOWN, ("seat", "tickets")),
    "position": _Shape(START, (), optional=PARTS),
    "correction": _Shape(CORRECTED, ("reason",), optional=PARTS),
    **{name: _Shape(codes.SHUFFLED, (), argument) for argument, name in enumerate(events.NOTICES)},
}
_PART_OF: Final = {
    **dict.fromkeys(("slot", "route", "city"), "argument"),
    **dict.fromkeys(("card", "taken", "cards", "color", "ticket"), "value"),
    **{part: part for part in ("seat", "tickets")},
}
"""The field of an entry for each key of a line."""
_NAMES: Final = {(shape.kind, shape.argument): name for name, shape in _SHAPES.items()}
_MAY_BE_UNKNOWN: Final = (
    codes.CARD_DEALT,
    codes.CARD_DRAWN,
    codes.MARKET_CARD,
    codes.TICKET_OFFERED,
    codes.KEEP_TICKETS,
)
"""Kinds of event whose card or tickets may be unknown."""


def entry_name(entry: Entry) -> str:
    """
    Return the name of an entry's kind in files.

    >>> entry_name(Entry(codes.SHUFFLED, argument=codes.SHUFFLED_MARKET))
    'market_replaced'
    """
    return _NAMES[entry.kind, entry.argument if entry.kind == codes.SHUFFLED else 0]


# -- to lines -------------------------------------------------------------------


def entry_data(entry: Entry, game_map: GameMap) -> dict[str, object]:
    """
    Return the JSON object for an event.

    >>> entry_data(Entry(codes.CARD_DRAWN, seat=1, value=UNKNOWN_CARD), ttr.load_map("nordic"))
    {'event': 'card_drawn', 'seat': 1, 'card': '?'}
    """
    name = entry_name(entry)
    shape = _SHAPES[name]
    if entry.position is not None:
        reason: dict[str, object] = {"reason": entry.position.reason} if shape.keys else {}
        return {"event": name, **reason, **position_data(entry.position, game_map), **_stamp_data(entry.stamp)}
    keys = shape.keys + shape.optional if entry.value else shape.keys
    return {"event": name, **{key: _WRITERS[key](entry, game_map) for key in keys}, **_stamp_data(entry.stamp)}


def _stamp_data(stamp: Stamp | None) -> dict[str, object]:
    if stamp is None:
        return {}
    parts = {"move": stamp.move, "time": stamp.time or None, "completed": [*stamp.completed] or None}
    return {key: part for key, part in parts.items() if part is not None}


def entry_text(entry: Entry, game_map: GameMap) -> str:
    """Return the line for an event."""
    return as_json(entry_data(entry, game_map))


def card_text(entry: Entry) -> str:
    """Return the card of an event: its kind, "?", or whether it matches if unknown and turned over for a tunnel."""
    if entry.kind == codes.CARD_REVEALED and entry.value >= UNKNOWN_CARD:
        return MATCHES[entry.value - UNKNOWN_CARD]
    return UNKNOWN if entry.value == UNKNOWN_CARD else CARD_KINDS[entry.value]


_WRITERS: Final[dict[str, Callable[[Entry, GameMap], object]]] = {
    "seat": lambda entry, _: entry.seat,
    "slot": lambda entry, _: entry.argument,
    "route": lambda entry, game_map: game_map.routes[entry.argument].id,
    "city": lambda entry, game_map: game_map.cities[entry.argument].name,
    "card": lambda entry, _: card_text(entry),
    "taken": lambda entry, _: CARD_KINDS[entry.value - 1],
    "cards": lambda entry, _: unpacked(entry.value).as_dict(),
    "color": lambda entry, _: next(iter(unpacked(entry.value).as_dict())),
    "ticket": lambda entry, game_map: ticket_name(entry.value, game_map),
    "tickets": lambda entry, game_map: [ticket_name(ticket, game_map) for ticket in entry.tickets],
}


# -- from lines -----------------------------------------------------------------


class EntryReader:
    """
    Reads events from lines, adding all faults to a list.

    Map and number of players are None if the header is wrong; names of routes, cities
    and tickets are then not checked.
    """

    def __init__(self, game_map: GameMap | None, n_players: int | None, faults: FaultList) -> None:
        self._map = game_map
        self._n_players = n_players
        self._faults = faults
        self._line = 0
        self._decoder = Decoder(lambda path, text, expected: self._report(path[0], text, expected))
        check = self._decoder.check
        seats = Range(0, (n_players or MAX_SEATS) - 1)
        slots = Range(0, (game_map.rules.market.size if game_map else MAX_SLOTS) - 1)
        self._parsers: dict[str, Callable[[int, Any], int | tuple[int, ...] | None]] = {
            "seat": lambda _, value: check(("seat",), value, seats),
            "slot": lambda _, value: check(("slot",), value, slots),
            "route": lambda _, value: self._name("route", value),
            "city": lambda _, value: self._name("city", value),
            "card": self._card,
            "taken": lambda kind, value: None if (card := self._card(kind, value)) is None else card + 1,
            "cards": self._cards,
            "color": self._color,
            "ticket": lambda kind, value: self._ticket("ticket", kind, value),
            "tickets": self._tickets,
        }

    def _report(self, key: str, text: str, expected: str) -> None:
        self._faults.add(self._line, key, text, expected)

    def read(self, line: Line) -> Entry | None:
        """Return the event on a line, or None with faults."""
        self._line, data = line
        name = data.get("event")
        shape = _SHAPES.get(name) if isinstance(name, str) else None
        if shape is None:
            hint = nearest(name, _SHAPES) if isinstance(name, str) else []
            expected = f"expected {' or '.join(hint)}" if hint else f"expected one of {', '.join(_SHAPES)}"
            self._faults.add(self._line, "event", data.get("event", "nothing"), expected)
            return None
        if not self._has_keys(line, shape):
            return None
        n_faults = len(self._faults.faults)
        stamp = self._stamp(data)
        if shape.kind in (START, CORRECTED):
            return self._position(data, shape.kind, stamp) if len(self._faults.faults) == n_faults else None
        keys = [key for key in shape.keys + shape.optional if key in data]
        parts: dict[str, Any] = {_PART_OF[key]: self._parsers[key](shape.kind, data[key]) for key in keys}
        if len(self._faults.faults) > n_faults:
            return None
        return Entry(shape.kind, stamp=stamp, **(parts or {"argument": shape.argument}))

    def _position(self, data: dict[str, object], kind: int, stamp: Stamp | None) -> Entry | None:
        """Return a position or correction; None with faults, or if it cannot be checked."""
        n_faults = len(self._faults.faults)

        def report(part: str, value: object, expected: str) -> None:
            self._report(part, value if isinstance(value, str) else shown(value), expected)

        reason = data.get("reason", "")
        if kind == CORRECTED:
            self._decoder.check(("reason",), reason, _REASON)
        if self._map is None or self._n_players is None:
            return None
        position = PositionReader(self._map, self._n_players, report, is_strict=True).read(data, str(reason))
        if kind == CORRECTED and not set(PARTS) & data.keys():
            report("", "nothing", f"expected at least one corrected part: {', '.join(PARTS)}")
        if kind == START and len(self._faults.faults) == n_faults:
            for problem in state_of(position, self._map, self._n_players)[1]:
                report(*problem)
        return None if len(self._faults.faults) > n_faults else Entry(kind, stamp=stamp, position=position)

    def _has_keys(self, line: Line, shape: _Shape) -> bool:
        """Return whether a line has exactly the keys of its event."""
        keys = line.data.keys()
        if keys == shape.required or keys - shape.may_have == shape.required:
            return True
        for key in shape.keys:
            if key not in line.data:
                self._report(key, "nothing", "expected this key")
        for key in sorted(keys - shape.required - set(shape.may_have)):
            known = ", ".join(("event", *shape.keys, *shape.may_have))
            self._report(key, key, f"unknown key, expected {known}")
        return False

    def _stamp(self, data: dict[str, Any]) -> Stamp | None:
        """Return a line's place in the source, adding faults."""
        if data.keys().isdisjoint(_STAMP_KEYS):
            return None
        for key, allowed in (("move", _MOVE), ("time", _TIME)):
            if key in data:
                self._decoder.check((key,), data[key], allowed)
        completed = self._tickets(codes.CLAIM_ROUTE, data["completed"], "completed") if "completed" in data else ()
        ids = tuple(ticket_name(ticket, self._map) for ticket in completed) if self._map else ()
        return _or_none(Stamp(data.get("move"), str(data.get("time", "")), ids))

    def _name(self, key: str, value: object) -> int | None:
        """Return the number of a route, city or ticket; 0 if the map is unknown."""
        kind, game_map = "ticket" if key == "completed" else key.removesuffix("s"), self._map
        numbers: dict[str, int] = getattr(game_map, f"{kind}_numbers") if game_map else {}
        if isinstance(value, str) and (game_map is None or value in numbers):
            return numbers.get(value, 0)
        of = f" of {game_map.title}" if game_map else ""
        return self._decoder.name((key,), value, numbers, f"the {'name' if kind == 'city' else 'id'} of a {kind}{of}")

    def _card(self, kind: int, value: object) -> int | None:
        if value == UNKNOWN and kind in _MAY_BE_UNKNOWN:
            return UNKNOWN_CARD
        if kind == codes.CARD_REVEALED and value in MATCHES:
            return UNKNOWN_CARD + MATCHES.index(str(value))
        if isinstance(value, str) and value in CARD_KINDS:
            return CARD_KINDS.index(value)
        unknown = ' or "?"' if kind in _MAY_BE_UNKNOWN else ", which everyone sees"
        self._report("card", shown(value), f"expected {near_kind(value, CARD_KINDS)}{unknown}")
        return None

    def _color(self, _kind: int, value: object) -> int | None:
        if isinstance(value, str) and value in COLORS:
            return int(pack_single(COLORS.index(value), 1, 0))
        self._report("color", shown(value), f"expected {near_kind(value, COLORS)}")
        return None

    def _cards(self, _kind: int, value: object) -> int | None:
        if not isinstance(value, dict) or not 0 < len(value) <= N_KINDS:
            self._report("cards", shown(value), 'expected counts by kind, such as {"red":2}')
            return None
        counts = np.zeros(N_KINDS, dtype=np.int64)
        for kind, count in value.items():
            if kind not in CARD_KINDS:
                self._report("cards", shown(kind), f"expected {near_kind(kind, CARD_KINDS)}")
            elif count not in _COUNT:
                expected = f"expected a whole number of {kind} cards from 1 to {codes.MOST_OF_A_KIND}"
                self._report("cards", shown(count), expected)
            else:
                counts[CARD_KINDS.index(kind)] = count
        return int(pack_cards(counts))

    def _ticket(self, key: str, kind: int, value: object) -> int | None:
        return UNKNOWN_TICKET if value == UNKNOWN and kind in _MAY_BE_UNKNOWN else self._name(key, value)

    def _tickets(self, kind: int, value: object, key: str = "tickets") -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) > MAX_TICKETS:
            self._report(key, shown(value), "expected a list of tickets")
            return ()
        found = [self._ticket(key, kind, item) for item in value]
        numbers = tuple(ticket for ticket in found if ticket is not None)
        twice = [ticket for ticket in numbers if ticket != UNKNOWN_TICKET and numbers.count(ticket) > 1]
        if twice and self._map and len(numbers) == len(found):
            self._report(key, ticket_name(twice[0], self._map), "expected each ticket once")
        return numbers


def read_record(
    content: bytes, given: GameMap | None, faults: FaultList
) -> tuple[RecordHeader, tuple[Entry, ...], GameMap, int]:
    """
    Return the header, events and map of a record, and the number of a truncated last line, else 0.

    Maps that are not built in must be given. A `RecordError` lists all faults.
    """
    lines, cut = parse_lines(content, faults)
    if not lines or lines[0].number > 1:
        if not faults.faults:
            faults.add(1, "", "nothing", "expected the header of a record")
        faults.raise_if_any()
    header = read_header(lines[0], faults)
    game_map = resolve_map(header, given, faults) if header else None
    reader = EntryReader(game_map, header.n_players if header else None, faults)
    entries = tuple(in_offer_order(entry for line in lines[1:] if (entry := reader.read(line)) is not None))
    faults.raise_if_any()
    assert header is not None  # noqa: S101 - else there was a fault
    assert game_map is not None  # noqa: S101
    return header, entries, game_map, cut


# -- from and to events ---------------------------------------------------------


def entry_of(event: events.Event, codec: Codec) -> Entry:
    """Return an event as numbers; raise a `GameError` if it is malformed, such as a route of another map."""
    match event:
        case events.Move(seat, KeepTickets(tickets)):
            return Entry(
                codes.KEEP_TICKETS, seat_number(seat, MAX_SEATS), tickets=tuple(map(codec.ticket_index, tickets))
            )
        case events.Move(seat, action):
            code, value = codec.encode(action, _NO_STATE)
            return Entry(kind_of(code), seat_number(seat, MAX_SEATS), argument_of(code), value)
        case events.TicketsShown(seat, shown):
            return Entry(SHOWN, seat_number(seat, MAX_SEATS), tickets=tuple(map(codec.ticket_index, shown)))
        case events.StartPosition(position) | events.Correction(position):
            return Entry(START if isinstance(event, events.StartPosition) else CORRECTED, position=position)
        case events.Chance(kind) if kind in events.NOTICES:
            return Entry(codes.SHUFFLED, argument=events.NOTICES.index(kind))
        case events.Chance():
            code, value = events.encode_chance(codec, event)
            entry = Entry.of(code, value)
            if entry.kind == codes.NEUTRAL_TICKET and event.ticket is None:
                raise GameError(f"{event.kind} needs a ticket, since everyone sees it: got {event!r}")
            return entry
        case _:
            raise GameError(f"expected a Move, Chance, TicketsShown, StartPosition or Correction, got {event!r}")


def event_of(entry: Entry, codec: Codec) -> events.Event:
    """Return an event as an object; the cards of a claim must pay for its route."""
    if entry.kind == codes.KEEP_TICKETS:
        return events.Move(entry.seat, KeepTickets(tuple(map(codec.ticket, entry.tickets))))
    if entry.kind == SHOWN:
        return events.TicketsShown(entry.seat, tuple(codec.game_map.tickets[ticket] for ticket in entry.tickets))
    if entry.position is not None:
        words = tuple(words_of(entry.position, codec.game_map))
        return (events.StartPosition if entry.kind == START else events.Correction)(entry.position, words)
    return events.decode_event(codec, entry.code, entry.value, _NO_STATE)


def entries_of_tape(rows: Ints | Iterable[tuple[int, int]], before: Sequence[Entry] = ()) -> Iterator[Entry]:
    """Yield the events that the kernel wrote as codes and values, given the events before."""
    made = (Entry.of(code, value) for code, value in (rows.tolist() if isinstance(rows, np.ndarray) else rows))
    for entry, offer in islice(_with_offers(chain(before, made)), len(before), None):
        if entry.kind == codes.KEEP_TICKETS:
            kept = tuple(ticket for i, ticket in enumerate(offer) if entry.value >> i & 1)
            yield entry._replace(value=0, tickets=kept)
        else:
            yield entry


def in_offer_order(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield events with kept tickets in the order of the offer, a canonical order."""
    for entry, offer in _with_offers(entries):
        if entry.kind == codes.KEEP_TICKETS:
            order = [*offer, *entry.tickets]
            yield entry._replace(tickets=tuple(sorted(entry.tickets, key=order.index)))
        else:
            yield entry


def _with_offers(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Sequence[int]]]:
    """Yield each event with the tickets on offer."""
    offers: dict[int, list[int]] = {}
    for entry in entries:
        if entry.kind == codes.TICKET_OFFERED:
            offers.setdefault(entry.seat, []).append(entry.value)
        yield entry, offers.pop(entry.seat, ()) if entry.kind == codes.KEEP_TICKETS else ()


# -- what one seat can see -----------------------------------------------------------------------------------------

_CARDS = (codes.CARD_DEALT, codes.CARD_DRAWN)


def seen_entries(entries: Sequence[Entry], seat: int, n_players: int, rules: TicketRules) -> Iterator[Entry]:
    """
    Yield the events of a game as one seat sees them, the rest unknown.

    The number of opening tickets that others keep is revealed only when all have
    chosen; until then, the events end before the first of their choices. The rules
    decide whether tickets that others do not keep are face up.
    """
    is_open = bool(entries) and entries[0].kind == START
    keeps = [at for at, entry in enumerate(entries) if entry.kind == codes.KEEP_TICKETS]
    if len(keeps) < n_players and not is_open:
        entries = entries[: min((at for at in keeps if entries[at].seat != seat), default=len(entries))]
    face_up = _face_up(entries, 0 if is_open else n_players, rules)
    for at, whole in enumerate(entries):
        entry = whole
        if entry.stamp is not None and entry.seat != seat:  # which tickets others completed is hidden
            entry = whole._replace(stamp=_or_none(entry.stamp._replace(completed=())))
        if entry.position is not None:
            yield entry._replace(position=hidden(entry.position, seat))
        elif entry.seat == seat:
            yield entry
        elif entry.kind in _CARDS:
            yield entry._replace(value=UNKNOWN_CARD)
        elif entry.kind == codes.TICKET_OFFERED and at not in face_up:
            yield entry._replace(value=UNKNOWN_TICKET)
        elif entry.kind == codes.KEEP_TICKETS:
            yield entry._replace(tickets=(UNKNOWN_TICKET,) * len(entry.tickets))
        else:
            yield entry


def seen_event(event: events.Event, seat: int, game_map: GameMap) -> events.Event:
    """Return an event as one seat sees it while the game is played."""
    match event:
        case events.Chance("card_dealt" | "card_drawn" | "ticket_offered", seat=whose) if whose != seat:
            return replace(event, card=None, ticket=None)
        case events.Move(whose, KeepTickets(tickets)) if whose != seat:
            return events.Move(whose, KeepTickets((None,) * len(tickets)))
        case events.StartPosition(position) | events.Correction(position):
            shown = hidden(position, seat)
            return replace(event, position=shown, words=tuple(words_of(shown, game_map)))
        case _:
            return event


def _face_up(entries: Sequence[Entry], n_openings: int, rules: TicketRules) -> frozenset[int]:
    """Return the positions of offered tickets returned face up; the first `n_openings` choices are opening ones."""
    offered: dict[int, list[int]] = {}
    unkept: set[int] = set()
    n_keeps = 0
    for at, entry in enumerate(entries):
        if entry.kind == codes.TICKET_OFFERED:
            offered.setdefault(entry.seat, []).append(at)
        elif entry.kind == codes.KEEP_TICKETS:
            offers = offered.pop(entry.seat, [])
            if rules.unkept_at(opening=n_keeps < n_openings) == "discard_pile":
                unkept.update(offer for offer in offers if entries[offer].value not in entry.tickets)
            n_keeps += 1
    return frozenset(unkept)


def shown_entries(entries: Sequence[Entry], state: State, others: Sequence[int]) -> Iterator[Entry]:
    """Yield the tickets that other seats show at the end, if known and not shown yet."""
    already = {entry.seat for entry in entries if entry.kind == SHOWN}
    for seat in others:
        tickets = tuple(state.held[seat, : state.n_held[seat]].tolist())
        if tickets and seat not in already and UNKNOWN_TICKET not in tickets:
            yield Entry(SHOWN, seat, tickets=tickets)
