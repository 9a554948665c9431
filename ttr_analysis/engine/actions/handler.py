"""The definition of an action: everything that the engine, records and messages need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, Final, NamedTuple

from ttr_analysis._compile import Ints, compiled
from ttr_analysis._errors import IllegalActionError
from ttr_analysis._words import counted
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine.codes import ActionFault, argument_of, unpacked
from ttr_analysis.engine.layout import NEUTRAL_OWNER, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import City, GameMap, Route, Ticket
from ttr_analysis.tables import Tables

_MAX_ARGUMENT: Final = 1 << 40
_ARGUMENT_KEYS: Final = {"slot", "route", "city"}
_VALUE_KEYS: Final = {"cards", "color", "tickets", "taken"}


class Refused(NamedTuple):
    """An illegal action with everything that its message needs; `names` replaces P0, P1, ..."""

    game_map: GameMap
    tables: Tables
    state: State
    code: int
    value: int
    names: Sequence[str] = ()

    @property
    def seat(self) -> int:
        """The acting seat."""
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
    """Converts routes, cities and tickets of a map to numbers and back."""

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map

    def route_index(self, route: Route) -> int:
        """Return the number of a route; raise an `IllegalActionError` if it is not on this map."""
        return self._number(route, Route, self.game_map.routes, self.game_map.route_numbers)

    def city_index(self, city: City) -> int:
        """Return the number of a city, with the same error."""
        return self._number(city, City, self.game_map.cities, self.game_map.city_numbers)

    def ticket_index(self, ticket: Ticket | None) -> int:
        """Return the number of a ticket, with the same error; None stands for an unknown one."""
        if ticket is None:
            return UNKNOWN_TICKET
        return self._number(ticket, Ticket, self.game_map.tickets, self.game_map.ticket_numbers)

    def ticket(self, number: int) -> Ticket | None:
        """Return a ticket by number, None for an unknown one."""
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
            raise IllegalActionError(f"{part} is not a {what.lower()} on the map {title}")
        if parts[i] is not part and parts[i] != part:
            raise IllegalActionError(f"{part} belongs to another map or another variant of {title}")
        return i


def _nothing(_index: MapIndex, _action: Any, _state: State) -> tuple[int, int]:  # noqa: ANN401 - any action
    return 0, 0


@dataclass(frozen=True, slots=True)
class Handler:
    """Everything specific to an action; its compiled functions are called only in its phases."""

    kind: int
    """Its number in codes, which also orders the list of legal actions."""
    name: str
    """Its name in files."""
    action: type
    """The class of its objects."""
    phases: tuple[int, ...]
    """The phases in which it can be taken, as numbers of `Phase`."""
    fault: Callable[[State, Tables, int, int, int], int]
    """Takes state, tables, seat, argument and value; returns an `ActionFault`, 0 if legal."""
    list_legal: Callable[[State, Tables, int, Ints, int], int]
    """Takes state, tables, seat, rows and their number; adds legal actions after those rows, returns the new number."""
    apply: Callable[[State, Tables, Ints, int, int, int], None]
    """Takes state, tables, tape, seat, argument and value; advances the state until a seat must decide again."""
    verb: str
    """The verb after "cannot" in messages."""
    encode: Callable[[MapIndex, Any, State], tuple[int, int]] = _nothing
    """Takes an action and the packed state; returns argument and value."""
    decode: Callable[[MapIndex, int, int, State], Any] | None = None
    """Takes argument, value and the packed state; returns the action. None if all actions of the kind are equal."""
    keys: tuple[str, ...] = ()
    """Further keys on its line in a file, after name and seat: see `records.entries`."""
    optional_keys: tuple[str, ...] = ()
    """Optional keys on its line; the value is 0 if and only if they are absent."""
    faults: dict[ActionFault, Callable[[Refused], str]] = field(default_factory=dict)
    """Messages by fault."""
    needs_state: bool = False
    """Whether its value can be interpreted only with the state."""

    @property
    def has_argument(self) -> bool:
        """Whether its code has an argument."""
        return not _ARGUMENT_KEYS.isdisjoint(self.keys)

    @property
    def has_value(self) -> bool:
        """Whether it has a value."""
        return not _VALUE_KEYS.isdisjoint(self.keys + self.optional_keys)


# -- shared helpers --------------------------------------------------------------


@compiled
def add_row(out: Ints, n: int, code: int, value: int) -> int:
    """Write an action into the rows if there is room; return the new number of rows."""
    if n < len(out):
        out[n, 0] = code
        out[n, 1] = value
    return n + 1


def number_of(number: object, what: str) -> int:
    """Return a number that fits into a code; whether it is legal is checked later."""
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
    """List the cards laid down or paid that the seat does not hold."""
    hand = refused.state.hand[refused.seat].tolist()
    counts = zip(CARD_KINDS, hand, refused.cards, strict=True)
    missing = [
        f"{held} of the {counted(n, kind if kind == LOCOMOTIVE else f'{kind} card')}"
        for kind, held, n in counts
        if n > held
    ]
    return f"{refused.who} holds {', '.join(missing)}"


def card_faults(why_no_payment: Callable[[Refused], str]) -> dict[ActionFault, Callable[[Refused], str]]:
    """Return the messages for payments, given the function that explains why cards do not pay ("" if they would)."""
    return {
        ActionFault.CARDS: lambda refused: why_no_payment(refused) or missing_cards(refused),
        ActionFault.PAYMENT: why_no_payment,
    }
