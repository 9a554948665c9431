"""What an action consists of: all that the engine, records and messages must know about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, Final, NamedTuple

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis.cards import CARD_KINDS, CardCounts
from ttr_analysis.engine.codes import ActionFault, argument_of, unpacked
from ttr_analysis.engine.layout import NEUTRAL_OWNER, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.tables import Tables

_MAX_ARGUMENT: Final = 1 << 40
_ARGUMENT_KEYS: Final = {"slot", "route", "city"}
_VALUE_KEYS: Final = {"cards", "color", "tickets", "taken"}


class Refused(NamedTuple):
    """An action that the rules refuse; players may have names."""

    game_map: GameMap
    tables: Tables
    state: State
    code: int
    value: int
    names: Sequence[str] = ()

    @property
    def seat(self) -> int:
        """The seat that acts."""
        return int(self.state.seat)

    @property
    def who(self) -> str:
        """Its name in messages."""
        return owner_name(self.seat, self.names)

    @property
    def number(self) -> int:
        """The slot, route or city."""
        return argument_of(self.code)

    @property
    def route(self) -> Route:
        """The route."""
        return self.game_map.routes[self.number]

    @property
    def cards(self) -> CardCounts:
        """The cards laid down or paid."""
        return unpacked(self.value)


class MapIndex:
    """Turns routes, cities and tickets of a map, as the variant that is played, into their numbers, and back."""

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map

    def route_index(self, route: Route) -> int:
        """Return the number of a route; an `IllegalActionError` says that it is none of this map."""
        return self._number(route, Route, self.game_map.routes, self.game_map.route_numbers)

    def city_index(self, city: City) -> int:
        """Return the number of a city, likewise."""
        return self._number(city, City, self.game_map.cities, self.game_map.city_numbers)

    def ticket_index(self, ticket: Ticket | None) -> int:
        """Return the number of a ticket, likewise; that of an unknown one for None."""
        if ticket is None:
            return UNKNOWN_TICKET
        return self._number(ticket, Ticket, self.game_map.tickets, self.game_map.ticket_numbers)

    def ticket(self, number: int) -> Ticket | None:
        """Return a ticket by number; None for an unknown one."""
        return None if number == UNKNOWN_TICKET else self.game_map.tickets[number]

    def _number(
        self,
        part: Route | City | Ticket,
        kind: type[Route | City | Ticket],
        parts: Sequence[Route | City | Ticket],
        numbers: Mapping[str, int],
    ) -> int:
        title, what = self.game_map.title, kind.__name__
        if not isinstance(part, kind):
            raise IllegalActionError(f"expected a {what} of {title}, got {part!r}")
        i = numbers.get(part.name if isinstance(part, City) else part.id)
        if i is None:
            raise IllegalActionError(f"{part} is no {what.lower()} of {title}")
        if parts[i] is not part and parts[i] != part:
            raise IllegalActionError(f"{part} is the {what.lower()} of another map or variant of {title}")
        return i


def _nothing(_index: MapIndex, _action: Any, _state: State) -> tuple[int, int]:  # noqa: ANN401 - any action
    return 0, 0


@dataclass(frozen=True, slots=True)
class Handler:
    """All that is particular to an action; its compiled functions are called only in its phases."""

    kind: int
    """Its number in codes; also its place among the legal actions that are listed."""
    name: str
    """Its name in files."""
    action: type
    """The class of its objects."""
    phases: tuple[int, ...]
    """When it can be taken, as numbers of `Phase`."""
    fault: Callable[[State, Tables, int, int, int], int]
    """Of state, tables, seat, argument and value: returns why it is illegal, an `ActionFault`; 0 if it is legal."""
    list_legal: Callable[[State, Tables, int, Ints, int], int]
    """Of state, tables, seat, rows and a number: adds the legal actions to the rows from that number on; returns how
    many rows there are then."""
    apply: Callable[[State, Tables, Ints, int, int, int], None]
    """Of state, tables, tape, seat, argument and value: changes the state, until a seat must decide again."""
    verb: str
    """What a seat does, after "cannot"."""
    encode: Callable[[MapIndex, Any, State], tuple[int, int]] = _nothing
    """Of an action and the packed state: returns argument and value."""
    decode: Callable[[MapIndex, int, int, State], Any] | None = None
    """Of argument, value and the packed state: returns the action. None if all actions of the kind are alike."""
    keys: tuple[str, ...] = ()
    """What is on its line in a file besides its name and seat: see `records.entries`."""
    optional_keys: tuple[str, ...] = ()
    """What may be on its line besides; its value is then not 0."""
    faults: dict[ActionFault, Callable[[Refused], str]] = field(default_factory=dict)
    """The words of its faults."""
    is_of_state: bool = False
    """Whether its value means something only together with the state."""

    @property
    def has_argument(self) -> bool:
        """Whether its code has an argument."""
        return not _ARGUMENT_KEYS.isdisjoint(self.keys)

    @property
    def has_value(self) -> bool:
        """Whether it has a value."""
        return not _VALUE_KEYS.isdisjoint(self.keys + self.optional_keys)


# -- what several of them need ---------------------------------------------------


@compiled
def add_row(out: Ints, n: int, code: int, value: int) -> int:
    """Write an action into the rows if there is room; return how many there are now."""
    if n < len(out):
        out[n, 0] = code
        out[n, 1] = value
    return n + 1


def number_of(number: object, what: str) -> int:
    """Return a number that a code can hold; whether it means anything is for the rules."""
    try:
        whole = index(number)  # type: ignore[arg-type]
    except TypeError:
        raise IllegalActionError(f"expected the number of a {what}, got {number!r}") from None
    if abs(whole) >= _MAX_ARGUMENT:
        raise IllegalActionError(f"there is no {what} {whole}")
    return whole


def owner_name(owner: int, names: Sequence[str] = ()) -> str:
    """
    Return the name of a seat, or of the owner of a route, in messages.

    >>> owner_name(1), owner_name(1, ["Ida", "Bo"]), owner_name(NEUTRAL_OWNER)
    ('P1', 'Bo', 'the neutral player')
    """
    if owner == NEUTRAL_OWNER:
        return "the neutral player"
    return names[owner] if owner < len(names) else f"P{owner}"


def missing_cards(refused: Refused) -> str:
    """Return which of the cards laid down or paid the seat does not hold."""
    hand = refused.state.hand[refused.seat].tolist()
    counts = zip(CARD_KINDS, hand, refused.cards, strict=True)
    return f"{refused.who} holds {', '.join(f'{held} of the {n} {kind}' for kind, held, n in counts if n > held)}"


def card_faults(why_no_payment: Callable[[Refused], str]) -> dict[ActionFault, Callable[[Refused], str]]:
    """Return the words of faults of cards, given what says why cards do not pay ("" if they would in another hand)."""
    return {
        ActionFault.CARDS: lambda refused: why_no_payment(refused) or missing_cards(refused),
        ActionFault.PAYMENT: why_no_payment,
    }
