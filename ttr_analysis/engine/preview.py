"""What a claim or a station would cost, before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ttr_analysis._words import counted
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.actions.build_station import as_route
from ttr_analysis.engine.actions.handler import owner_name
from ttr_analysis.engine.codes import BUILD_STATION, CLAIM_ROUTE, make_action, packed
from ttr_analysis.engine.kernel.claims import route_fault
from ttr_analysis.engine.kernel.faults import NONE
from ttr_analysis.engine.kernel.stations import city_fault, next_spaces
from ttr_analysis.engine.layout import TURN, State
from ttr_analysis.engine.packed import PackedGame
from ttr_analysis.maps.model import City, Route
from ttr_analysis.rules.money import BANK, toll_payee


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    """What is told of every move before it is made; for the fields see the previews."""

    seat: int
    reason: str | None
    payment: Payment | None
    names: tuple[str, ...] = ()

    @property
    def is_legal(self) -> bool:
        """Whether the seat may do it."""
        return self.reason is None

    @property
    def _who(self) -> str:
        return owner_name(self.seat, self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPreview(_Preview):
    """
    Whether a seat may claim a route, and what that would cost.

    Parameters
    ----------
    seat
        Who would claim.
    route
        The route.
    reason
        Why it may not; None if it may.
    payment
        The payment that costs the fewest cards; None if the hand has none.
    payee
        The seat that would get the toll; None for the bank, or without a toll.
    takes_loan
        Whether the tokens do not suffice for the toll, so that a loan is taken.
    names
        What the players are called, seat by seat; none for P0, P1, ...
    """

    route: Route
    payee: int | None
    takes_loan: bool

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.reason is not None:
            return f"{self._who} may not: {self.reason}"
        words = [f"{self._who} may claim {self.route} with {self.payment} for {counted(self.route.points, 'point')}"]
        if self.route.tunnel:
            words.append("a surcharge may come on top")
        if self.route.toll:
            payee = "the bank" if self.payee is None else owner_name(self.payee, self.names)
            loan = ", by a loan" if self.takes_loan else ""
            words.append(f"toll {self.route.toll} to {payee}{loan}")
        return "; ".join(words)


def preview_claim(game: PackedGame, state: State, route: Route, names: Sequence[str] = ()) -> ClaimPreview:
    """
    Return whether the seat that acts may claim a route, and what that would cost.

    Parameters
    ----------
    game
        The game.
    state
        The packed state.
    route
        A route of its map.
    names
        What the players are called, seat by seat.
    """
    tables, seat, number = game.tables, int(state.seat), game.codec.route_index(route)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = payments.cheapest(route, hand)
    twin = int(tables.twin[number])
    payee = toll_payee(int(state.owner[twin]) if twin >= 0 else BANK, game.n_players, int(tables.pays_owner))
    reason = _reason(game, state, route, payment, names)
    return ClaimPreview(
        seat=seat,
        route=route,
        reason=reason,
        payment=payment,
        payee=payee if route.toll and payee != BANK else None,
        takes_loan=reason is None and int(state.tokens[seat]) < route.toll,
        names=tuple(names),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StationPreview(_Preview):
    """
    Whether a seat may build a station in a city, and what that would cost.

    Parameters
    ----------
    seat
        Who would build it.
    city
        The city.
    reason
        Why it may not; None if it may.
    payment
        The payment that takes fewest locomotives; None if the hand has none,
        or no station is left.
    names
        What the players are called, seat by seat; none for P0, P1, ...
    """

    city: City

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.reason is not None:
            return f"{self._who} may not: {self.reason}"
        return f"{self._who} may build a station in {self.city.name} with {self.payment}"


def preview_station(game: PackedGame, state: State, city: City, names: Sequence[str] = ()) -> StationPreview:
    """
    Return whether the seat that acts may build a station in a city, and what that would cost.

    Parameters
    ----------
    game
        The game.
    state
        The packed state.
    city
        A city of its map.
    names
        What the players are called, seat by seat.
    """
    tables, seat, number = game.tables, int(state.seat), game.codec.city_index(city)
    hand = CardCounts(tuple(state.hand[seat].tolist()))
    payment = None
    if state.stations[seat]:
        route = as_route(state, tables, seat)
        payment = payments.cheapest(route, hand)
    code = make_action(BUILD_STATION, number)
    reason = game.why_illegal(state, code, 0 if payment is None else packed(payment.cards), names)
    if payment is None and state.stations[seat] and city_fault(state, tables, seat, number) == NONE:
        cost = int(next_spaces(state, tables, seat).plain)
        lacks = f"{owner_name(seat, names)} does not hold {counted(cost, 'card')} of one color"
        reason = lacks if state.phase == TURN else reason
    return StationPreview(seat=seat, city=city, reason=reason, payment=payment, names=tuple(names))


def _reason(game: PackedGame, state: State, route: Route, payment: Payment | None, names: Sequence[str]) -> str | None:
    """Return why a claim is illegal: what is wrong with the moment or the route before what is wrong with the hand."""
    code = make_action(CLAIM_ROUTE, game.codec.route_index(route))
    if payment is not None:
        return game.why_illegal(state, code, packed(payment.cards), names)
    if route_fault(state, game.tables, int(state.seat), game.codec.route_index(route)) != NONE:
        return game.why_illegal(state, code, 0, names)
    return payments.why_not(route, CardCounts(tuple(state.hand[int(state.seat)].tolist())))
