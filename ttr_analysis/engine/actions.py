"""
What a seat can do, in the words of the game, and as the two numbers that the kernel takes.

An action does not say who acts: the state does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from typing import Final, overload

import numpy as np

from ttr_analysis._errors import IllegalActionError
from ttr_analysis.analysis.payments.model import Payment, split
from ttr_analysis.cards import N_KINDS, CardCounts
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import Ints, argument_of, kind_of, make_action, pack_cards, unpack_cards, without_seat
from ttr_analysis.engine.layout import UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap, Route, Ticket


@dataclass(frozen=True, slots=True)
class DrawCard:
    """Draw the top card of the draw pile, unseen by the others."""

    def __str__(self) -> str:
        return "draw a card from the pile"


@dataclass(frozen=True, slots=True)
class DrawFaceUp:
    """
    Take a card of the market.

    Parameters
    ----------
    slot
        Where it lies, from 0.
    """

    slot: int

    def __str__(self) -> str:
        return f"take the card in market slot {self.slot}"


@dataclass(frozen=True, slots=True)
class ClaimRoute:
    """
    Lay down cards for a route.

    Parameters
    ----------
    route
        The route.
    payment
        The cards; without the surcharge of a tunnel.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Oslo", "Bergen", track=1)
    >>> print(ClaimRoute(route, ttr.payments.from_cards(route, {"red": 4})))
    claim Bergen-Oslo (red, 4) with 4 red
    """

    route: Route
    payment: Payment

    def __str__(self) -> str:
        return f"claim {self.route} with {self.payment}"


@dataclass(frozen=True, slots=True)
class PayTunnel:
    """
    Pay the surcharge of a tunnel.

    Parameters
    ----------
    cards
        Exactly the cards that it demands.
    """

    cards: CardCounts

    def __str__(self) -> str:
        return f"pay {self.cards} more for the tunnel"


@dataclass(frozen=True, slots=True)
class DeclineTunnel:
    """Take the cards laid down for a tunnel back."""

    def __str__(self) -> str:
        return "take the cards for the tunnel back"


@dataclass(frozen=True, slots=True)
class DrawTickets:
    """Draw tickets, some of which must be kept."""

    def __str__(self) -> str:
        return "draw tickets"


@dataclass(frozen=True, slots=True)
class KeepTickets:
    """
    Keep some of the tickets offered.

    Parameters
    ----------
    tickets
        Those kept; None for one that the record of a game does not know.
    """

    tickets: tuple[Ticket | None, ...]

    def __str__(self) -> str:
        names = ["an unknown ticket" if ticket is None else str(ticket) for ticket in self.tickets]
        return f"keep {'; '.join(names) or 'no ticket'}"


@dataclass(frozen=True, slots=True)
class ChooseNeutralRoute:
    """
    Choose the track that the neutral player takes.

    Parameters
    ----------
    route
        One of the two tracks between the cities of its ticket.
    """

    route: Route

    def __str__(self) -> str:
        return f"give {self.route} to the neutral player"


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing; legal only for a seat that can do nothing else."""

    def __str__(self) -> str:
        return "pass"


Action = (
    DrawCard
    | DrawFaceUp
    | ClaimRoute
    | PayTunnel
    | DeclineTunnel
    | DrawTickets
    | KeepTickets
    | ChooseNeutralRoute
    | Pass
)
"""Anything that a seat can do."""

KIND_OF_ACTION: Final[dict[type, int]] = {
    DrawCard: codes.DRAW_CARD,
    DrawFaceUp: codes.DRAW_FACE_UP,
    ClaimRoute: codes.CLAIM_ROUTE,
    PayTunnel: codes.PAY_TUNNEL,
    DeclineTunnel: codes.DECLINE_TUNNEL,
    DrawTickets: codes.DRAW_TICKETS,
    KeepTickets: codes.KEEP_TICKETS,
    ChooseNeutralRoute: codes.CHOOSE_NEUTRAL,
    Pass: codes.PASS,
}
"""The kind that a code has, by the type of the action."""

_MAX_ARGUMENT: Final = 1 << 40
_CACHE_SIZE: Final = 1 << 17


class Codec:
    """
    Turns actions on one map into codes and values, and back.

    Use `codec_of`, which keeps one for each map: what was decoded once is
    found again.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> from ttr_analysis.engine.layout import STATE_SIZE
    >>> nordic = ttr.load_map("nordic")
    >>> state = np.zeros(STATE_SIZE, dtype=np.int64)
    >>> codec = codec_of(nordic)
    >>> code, value = codec.encode(DrawFaceUp(3), state)
    >>> codec.decode(code, value, state)
    DrawFaceUp(slot=3)
    """

    def __init__(self, game_map: GameMap) -> None:
        self.game_map = game_map
        self._route_index = {route.id: i for i, route in enumerate(game_map.routes)}
        self._ticket_index = {ticket.id: i for i, ticket in enumerate(game_map.tickets)}
        self._decoded: dict[tuple[int, int], Action] = {}

    def route_index(self, route: Route) -> int:
        """
        Return the number of a route.

        Raises
        ------
        IllegalActionError
            If it is no route of this map.
        """
        if not isinstance(route, Route):
            raise IllegalActionError(f"expected a Route of {self.game_map.title}, got {route!r}")
        i = self._route_index.get(route.id)
        if i is None:
            raise IllegalActionError(f"{route} is no route of {self.game_map.title}")
        if self.game_map.routes[i] is not route and self.game_map.routes[i] != route:
            raise IllegalActionError(f"{route} is the route of another map or variant of {self.game_map.title}")
        return i

    def ticket_index(self, ticket: Ticket | None) -> int:
        """
        Return the number of a ticket; that of an unknown one for None.

        Raises
        ------
        IllegalActionError
            If it is no ticket of this map.
        """
        if ticket is None:
            return UNKNOWN_TICKET
        if not isinstance(ticket, Ticket):
            raise IllegalActionError(f"expected a Ticket of {self.game_map.title}, got {ticket!r}")
        i = self._ticket_index.get(ticket.id)
        if i is None or (self.game_map.tickets[i] is not ticket and self.game_map.tickets[i] != ticket):
            raise IllegalActionError(f"{ticket} is no ticket of {self.game_map.title}")
        return i

    def ticket(self, number: int) -> Ticket | None:
        """Return a ticket by number; None for an unknown one."""
        return None if number == UNKNOWN_TICKET else self.game_map.tickets[number]

    def encode(self, action: Action, state: State) -> tuple[int, int]:
        """
        Return the code and value of an action of the seat that acts.

        Parameters
        ----------
        action
            Any action; it need not be legal.
        state
            The packed state.

        Raises
        ------
        IllegalActionError
            If the action has no code: a route of another map, a ticket that
            is not offered, what is no action at all.
        """
        match action:
            case DrawFaceUp(slot):
                return make_action(codes.DRAW_FACE_UP, _argument(slot, "market slot")), 0
            case ClaimRoute(route, payment):
                if not isinstance(payment, Payment):
                    raise IllegalActionError(f"expected a Payment for {route}, got {payment!r}")
                return make_action(codes.CLAIM_ROUTE, self.route_index(route)), packed(payment.cards)
            case PayTunnel(cards):
                return codes.PAY_TUNNEL, packed(cards)
            case KeepTickets(tickets):
                return codes.KEEP_TICKETS, self._kept(tickets, state)
            case ChooseNeutralRoute(route):
                return make_action(codes.CHOOSE_NEUTRAL, self.route_index(route)), 0
            case DrawCard() | DeclineTunnel() | DrawTickets() | Pass():
                return KIND_OF_ACTION[type(action)], 0
            case _:
                raise IllegalActionError(f"expected an action such as DrawCard(), got {action!r}")

    def decode(self, code: int, value: int, state: State) -> Action:
        """
        Return the action of a code and value.

        Parameters
        ----------
        code, value
            A well-formed action of the seat that acts; a seat in the code is
            not looked at.
        state
            The packed state in which it is taken.
        """
        if kind_of(code) == codes.KEEP_TICKETS:
            return KeepTickets(tuple(self.ticket(t) for i, t in enumerate(_offer(state)) if value >> i & 1))
        key = (without_seat(code), value)
        action = self._decoded.get(key)
        if action is None:
            if len(self._decoded) >= _CACHE_SIZE:
                self._decoded.clear()
            action = self._decoded[key] = self._decode(code, value)
        return action

    def decode_all(self, rows: Sequence[tuple[int, int]], state: State) -> tuple[Action, ...]:
        """Return the actions of codes without seats and their values, as `decode` does one by one."""
        decoded = self._decoded
        return tuple([decoded.get(row) or self.decode(*row, state) for row in rows])

    def is_decoded(self, action: Action, code: int, value: int) -> bool:
        """Return whether a claim is the very object that `decode` gives, here or elsewhere, for a code and value."""
        return self._decode(code, value) is action

    def _decode(self, code: int, value: int) -> Action:
        argument = argument_of(code)
        match kind_of(code):
            case codes.DRAW_FACE_UP:
                return DrawFaceUp(argument)
            case codes.CLAIM_ROUTE:
                return _claim(self.game_map.routes[argument], value)
            case codes.PAY_TUNNEL:
                return PayTunnel(unpacked(value))
            case codes.CHOOSE_NEUTRAL:
                return ChooseNeutralRoute(self.game_map.routes[argument])
            case kind:
                return _PLAIN[kind]

    def _kept(self, tickets: tuple[Ticket | None, ...], state: State) -> int:
        """Return the bits of the tickets of an offer that are kept."""
        offer = _offer(state)
        kept = 0
        for ticket in tickets:
            number = self.ticket_index(ticket)
            places = [i for i, t in enumerate(offer) if t == number]
            left = [i for i in places if not kept >> i & 1]
            if not left:
                what = "an unknown ticket" if ticket is None else str(ticket)
                raise IllegalActionError(f"{what} is {'kept twice' if places else 'not offered'}")
            kept |= 1 << left[0]
        return kept


@lru_cache(maxsize=_CACHE_SIZE)
def _claim(route: Route, value: int) -> ClaimRoute:
    """Return a claim with packed cards that pay for the route; the same one in all games, since it takes a while."""
    return ClaimRoute(route, split(route, unpacked(value).counts))


_PLAIN: Final[dict[int, Action]] = {
    codes.DRAW_CARD: DrawCard(),
    codes.DECLINE_TUNNEL: DeclineTunnel(),
    codes.DRAW_TICKETS: DrawTickets(),
    codes.PASS: Pass(),
}


@lru_cache(maxsize=64)
def codec_of(game_map: GameMap) -> Codec:
    """Return the codec of a map, always the same one."""
    return Codec(game_map)


class LegalActions(Sequence[Action]):
    """
    The legal actions of the seat that acts, decoded as they are asked for.

    Claims come once for each route and form of payment. A route on which sets
    of cards stand in for one has many more: `action in actions` looks among
    those listed, `Game.is_legal` knows all.

    Parameters
    ----------
    rows
        Codes and values, one row for each action.
    codec
        The codec of the map.
    state
        The packed state, which must not change any more.
    """

    __slots__ = ("_actions", "_codec", "_rows", "_state")

    def __init__(self, rows: Ints, codec: Codec, state: State) -> None:
        self._rows = list(zip(rows[:, 0].tolist(), rows[:, 1].tolist(), strict=True))
        self._codec = codec
        self._state = state
        self._actions: tuple[Action, ...] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Action: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, at: int | slice) -> Action | tuple[Action, ...]:
        """Return an action, or several as a tuple."""
        if isinstance(at, slice):
            return self._codec.decode_all(self._rows[at], self._state)
        return self._codec.decode(*self._rows[at], self._state)

    def __iter__(self) -> Iterator[Action]:
        if self._actions is None:
            self._actions = self._codec.decode_all(self._rows, self._state)
        return iter(self._actions)

    def __contains__(self, action: object) -> bool:
        """Return whether an action is listed, by its cards and not by how they are split."""
        try:
            return self._codec.encode(action, self._state) in self._rows  # type: ignore[arg-type]
        except IllegalActionError:
            return False

    def __repr__(self) -> str:
        return f"<{len(self)} legal actions: {'; '.join(map(str, self[:3]))}{'; ...' if len(self) > 3 else ''}>"  # noqa: PLR2004


def unpacked(value: int) -> CardCounts:
    """
    Return packed cards as counts.

    Examples
    --------
    >>> unpacked(codes.pack_cards(np.array([0, 3, 0, 0, 0, 0, 0, 0, 1])))
    CardCounts.of(blue=3, locomotive=1)
    """
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    return CardCounts(tuple(cards.tolist()))


def packed(cards: CardCounts) -> int:
    """
    Return counts as packed cards.

    Raises
    ------
    IllegalActionError
        If they are no counts, or more of a kind than can be packed.

    Examples
    --------
    >>> unpacked(packed(CardCounts.of(blue=3, locomotive=1)))
    CardCounts.of(blue=3, locomotive=1)
    """
    if not isinstance(cards, CardCounts):
        raise IllegalActionError(f"expected CardCounts such as CardCounts.of(red=2), got {cards!r}")
    if max(cards) > codes.MOST_OF_A_KIND:
        raise IllegalActionError(f"nobody holds {cards}")
    return int(pack_cards(np.array(cards.counts, dtype=np.int64)))


def _argument(number: object, what: str) -> int:
    """Return a number that a code can hold; whether it means anything is for the rules."""
    try:
        whole = index(number)  # type: ignore[arg-type]
    except TypeError:
        raise IllegalActionError(f"expected the number of a {what}, got {number!r}") from None
    if abs(whole) >= _MAX_ARGUMENT:
        raise IllegalActionError(f"there is no {what} {whole}")
    return whole


def _offer(state: State) -> list[int]:
    """Return the tickets offered to the seat that acts, as numbers."""
    seat = state.seat
    offer: list[int] = state.offer[seat, : state.n_offer[seat]].tolist()
    return offer
