"""What an action consists of: all that the engine, records and messages have to know about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, index
from typing import Any, Final, Generic, NamedTuple, TypeVar

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
_VALUE_KEYS: Final = {"cards", "tickets", "taken"}


class Refused(NamedTuple):
    """
    An action that the rules refuse.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    tables
        The map, its rules and the number of players.
    state
        The packed state.
    code, value
        The action: see `engine.codes`.
    names
        What the players are called, seat by seat; none for P0, P1, ...
    """

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
        """What the seat that acts is called."""
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


_Part = TypeVar("_Part", bound=Route | City | Ticket)


class _Numbers(Generic[_Part]):
    """The numbers of the routes, cities or tickets of a map, each found by its key."""

    def __init__(self, title: str, kind: type[_Part], parts: Sequence[_Part], key: Callable[[_Part], str]) -> None:
        self._title = title
        self._kind = kind
        self._parts = parts
        self._key = key
        self._numbers = {key(part): i for i, part in enumerate(parts)}

    def number(self, part: _Part) -> int:
        """Return the number of a part of this map; raise an error if it is none."""
        kind = self._kind.__name__
        if not isinstance(part, self._kind):
            raise IllegalActionError(f"expected a {kind} of {self._title}, got {part!r}")
        i = self._numbers.get(self._key(part))
        if i is None:
            raise IllegalActionError(f"{part} is no {kind.lower()} of {self._title}")
        if self._parts[i] is not part and self._parts[i] != part:
            raise IllegalActionError(f"{part} is the {kind.lower()} of another map or variant of {self._title}")
        return i


class MapIndex:
    """
    Turns routes, tickets and cities of a map into their numbers, and back.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    """

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map
        self._routes = _Numbers(game_map.title, Route, game_map.routes, attrgetter("id"))
        self._cities = _Numbers(game_map.title, City, game_map.cities, attrgetter("name"))
        self._tickets = _Numbers(game_map.title, Ticket, game_map.tickets, attrgetter("id"))

    def route_index(self, route: Route) -> int:
        """
        Return the number of a route.

        Raises
        ------
        IllegalActionError
            If it is no route of this map.
        """
        return self._routes.number(route)

    def city_index(self, city: City) -> int:
        """
        Return the number of a city.

        Raises
        ------
        IllegalActionError
            If it is no city of this map.
        """
        return self._cities.number(city)

    def ticket_index(self, ticket: Ticket | None) -> int:
        """
        Return the number of a ticket; that of an unknown one for None.

        Raises
        ------
        IllegalActionError
            If it is no ticket of this map.
        """
        return UNKNOWN_TICKET if ticket is None else self._tickets.number(ticket)

    def ticket(self, number: int) -> Ticket | None:
        """Return a ticket by number; None for an unknown one."""
        return None if number == UNKNOWN_TICKET else self.game_map.tickets[number]


def _nothing(_index: MapIndex, _action: Any, _state: State) -> tuple[int, int]:  # noqa: ANN401 - any action
    """Return argument and value of an action that has neither."""
    return 0, 0


@dataclass(frozen=True, slots=True)
class Handler:
    """
    All that is particular to an action.

    The first three functions are compiled, take an argument and a value as
    `engine.codes` says, and are called only when the action is due.

    Parameters
    ----------
    kind
        Its number in codes; also its place among the legal actions that are
        listed.
    name
        What it is called in files.
    action
        The class of its objects.
    phases
        When it is due, as numbers of `Phase`.
    fault
        Of state, tables, seat, argument and value: returns why it is illegal,
        an `ActionFault`; 0 if it is legal.
    list_legal
        Of state, tables, seat, rows and a number: writes the legal actions of
        the kind into the rows from that number on, with `add_row`; returns
        the number of rows after it.
    apply
        Of state, tables, tape, seat, argument and value, when it is legal:
        changes the state, until a seat must decide again.
    verb
        What a seat does, after "cannot".
    encode
        Of a `MapIndex`, an action and the packed state: returns argument and
        value.
    decode
        Of a `MapIndex`, an argument, a value and the packed state: returns the
        action. None if all actions of the kind are alike.
    keys
        What stands on its line in a file besides its name and seat; each is
        written and read in `records.entries`.
    optional_keys
        What may stand there besides; its value is then not 0.
    faults
        The words of its faults.
    is_of_state
        Whether its value means something only together with the state.
    """

    kind: int
    name: str
    action: type
    phases: tuple[int, ...]
    fault: Callable[[State, Tables, int, int, int], int]
    list_legal: Callable[[State, Tables, int, Ints, int], int]
    apply: Callable[[State, Tables, Ints, int, int, int], None]
    verb: str
    encode: Callable[[MapIndex, Any, State], tuple[int, int]] = _nothing
    decode: Callable[[MapIndex, int, int, State], Any] | None = None
    keys: tuple[str, ...] = ()
    optional_keys: tuple[str, ...] = ()
    faults: dict[ActionFault, Callable[[Refused], str]] = field(default_factory=dict)
    is_of_state: bool = False

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
    """Write an action down if there is room; return how many there are now."""
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
    Return how messages call a seat, or the owner of a route.

    Examples
    --------
    >>> owner_name(1), owner_name(1, ["Ida", "Bo"]), owner_name(NEUTRAL_OWNER)
    ('P1', 'Bo', 'the neutral player')
    """
    if owner == NEUTRAL_OWNER:
        return "the neutral player"
    return names[owner] if owner < len(names) else f"P{owner}"


def missing_cards(refused: Refused) -> str:
    """Return which of the cards laid down or paid a seat does not hold."""
    hand = refused.state.hand[refused.seat].tolist()
    counts = zip(CARD_KINDS, hand, refused.cards, strict=True)
    return f"{refused.who} holds {', '.join(f'{held} of the {n} {kind}' for kind, held, n in counts if n > held)}"


def card_faults(why_no_payment: Callable[[Refused], str]) -> dict[ActionFault, Callable[[Refused], str]]:
    """
    Return the words of the faults of cards that are laid down.

    Parameters
    ----------
    why_no_payment
        Returns what is wrong with the cards themselves; nothing if they would
        do in a hand that has them.
    """
    return {
        ActionFault.CARDS: lambda refused: why_no_payment(refused) or missing_cards(refused),
        ActionFault.PAYMENT: why_no_payment,
    }
