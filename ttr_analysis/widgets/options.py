"""A seat's options and their costs as plain data for a page, from the seat's view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from ttr_analysis._errors import UnknownNameError
from ttr_analysis._words import counted, percent, seat_names
from ttr_analysis.analysis.payments.choice import cards_missing, cheapest, cheapest_color
from ttr_analysis.analysis.payments.model import Payment
from ttr_analysis.analysis.tunnels import best_payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.building import BuildStation, ChooseNeutralRoute, ClaimRoute, DeclineTunnel, PayTunnel
from ttr_analysis.engine.actions.drawing import DrawCard, DrawFaceUp, DrawTickets, KeepTickets
from ttr_analysis.engine.actions.table import Pass, duty
from ttr_analysis.engine.state import GameState, SeatView
from ttr_analysis.maps.model import Route
from ttr_analysis.maps.names import describe_route
from ttr_analysis.notation import move_text
from ttr_analysis.notation.writer import payment_text
from ttr_analysis.records.record import Game
from ttr_analysis.widgets.base import cards_in_words

_UNPAYABLE: Final = "take your cards back: the tunnel takes {}, which you cannot pay"
_GIVE: Final = "Give {} to the neutral player"


class Options:
    """
    The options of a deciding seat.

    Examples
    --------
    >>> game = ttr.Game("nordic")
    >>> state = game.new(seed=7)
    >>> Options(game, state, 0).data()["keep"]["fewest"]
    2
    """

    def __init__(self, game: Game, state: GameState, seat: int) -> None:
        self._game = game
        self._state = state
        self._seat = seat

    def data(self) -> dict[str, Any]:
        """Return the seat's options."""
        state = self._state
        legal: defaultdict[type, list[Any]] = defaultdict(list)
        for action in self._game.legal_actions(state):
            legal[type(action)].append(action)
        pays = sorted(legal[PayTunnel], key=lambda pay: (pay.cards.n_cards, pay.cards.locomotives))
        task = duty(state.phase, "your")
        if state.pending and not pays:
            task = _UNPAYABLE.format(counted(state.pending.surcharge, "more card"))
        return {
            "task": task,
            "draw": "draw" if legal[DrawCard] else "",
            "market": {draw.slot: f"take {state.market[draw.slot]}/{draw.slot}" for draw in legal[DrawFaceUp]},
            "tickets": "tickets" if legal[DrawTickets] else "",
            "claims": {
                route.id: self._claim(route, [claim.payment for claim in claims])
                for route, claims in groupby(legal[ClaimRoute], attrgetter("route"))
            },
            "station": self._station(legal[BuildStation]),
            "pays": [_shown_cards(self._line(pay), pay.cards) for pay in pays],
            "moves": [
                *(self._move("Take the cards back", decline) for decline in legal[DeclineTunnel]),
                *(self._move(_GIVE.format(describe_route(gift.route)), gift) for gift in legal[ChooseNeutralRoute]),
                *(self._move("Pass", pass_) for pass_ in legal[Pass]),
            ],
            "keep": self._keep(legal[KeepTickets]),
        }

    def _line(self, action: Action) -> str:
        return move_text(action, self._game, self._state)

    def _move(self, words: str, action: Action) -> dict[str, Any]:
        """Return a move with its own button, and the route that it is about."""
        route = action.route.id if isinstance(action, ChooseNeutralRoute) else None
        return {"line": self._line(action), "words": words, "route": route}

    def _keep(self, choices: Sequence[KeepTickets]) -> dict[str, Any] | None:
        """Return the tickets to choose from, and how many must be kept."""
        offer = [ticket.id for ticket in self._state.offers[self._seat] if ticket is not None]
        return {"offer": offer, "fewest": min(len(one.tickets) for one in choices)} if choices else None

    def _station(self, builds: Sequence[BuildStation]) -> dict[str, Any] | None:
        """Return where a station can be built, and how it is paid for: in the same ways everywhere."""
        cities = list(dict.fromkeys(build.city.name for build in builds))
        payments = [build.payment for build in builds if build.city.name == cities[0]]
        return {"cities": cities, "payments": self._shown(payments)} if cities else None

    def _claim(self, route: Route, payments: list[Payment]) -> dict[str, Any]:
        """Return the ways to pay for a route, with a note."""
        stands_for = "one card" if route.swap_fills == "any" else "one locomotive"
        return {
            "loan": bool(route.toll > self._state.tokens[self._seat]),
            "sets": f"Cards in brackets: any {route.swap_size} stand for {stands_for}." if route.swap_size else "",
            "payments": self._shown(payments, f"{route.id} "),
        }

    def _shown(self, payments: list[Payment], before: str = "") -> list[dict[str, Any]]:
        """Return payments, cheapest first, with the lines of notation that make them."""
        hand = self._state.hands[self._seat]
        return [
            _shown_cards(before + payment_text(one), one.cards - one.sets) | {"sets": one.sets.as_dict()}
            for one in sorted(payments, key=partial(spending, hand))
        ]

    def why(self, what: Mapping[Any, object], names: Sequence[str] = ()) -> str:
        """Explain why the seat cannot do what a message asks about: claim a route, or build a station in a city."""
        for kind, preview in (("route", self._game.preview), ("city", self._game.preview_station)):
            if isinstance(name := what.get(kind), str):
                with suppress(UnknownNameError):
                    return preview(self._state, name, names=seat_names(names)).reason or ""
        return ""

    def about(self, route_id: str) -> str:
        """Return the cost of a route for the seat in a sentence or two; "" if there is no such route."""
        game_map, state = self._game.game_map, self._state
        number = game_map.route_numbers.get(route_id)
        if number is None:
            return ""
        route = game_map.routes[number]
        words = f"{describe_route(route)}: {counted(route.points, 'point')}"
        view = SeatView(game_map, state.n_players, state.packed, self._seat)
        if route_id in state.owners or route in view.closed:
            return f"{words}."
        best = cheapest(route, view.hand)
        if best is None:
            missing = cards_missing(route, view.hand)
            return f"{words}. {counted(missing, 'card')} missing; {cheapest_color(route, view.hand)} is the closest."
        cost = f"{words}. You can pay {counted(best.n_cards, 'card')}: {cards_in_words(best.cards)}"
        if not route.tunnel:
            return f"{cost}."
        revealed = game_map.rules.tunnel.revealed
        odds = best_payment(
            route, view.hand, pool=view.pool, n_pile=view.n_pile, discards=view.discards, revealed=revealed
        )
        return f"{cost}. The tunnel holds with {percent(odds.probability, None)}." if odds else f"{cost}."


def spending(hand: CardCounts, payment: Payment) -> tuple[int, ...]:
    """
    Return a key for comparing payments: cards, then locomotives, then scarce cards of the hand.

    Examples
    --------
    >>> hand = CardCounts.of(red=3, blue=2, locomotive=1)
    >>> spending(hand, Payment("red", 2, 0)) < spending(hand, Payment("blue", 2, 0))
    True
    """
    held = hand[payment.color] if payment.color else 0
    return payment.n_cards, payment.cards.locomotives, -held, -payment.own


def _shown_cards(line: str, cards: CardCounts) -> dict[str, Any]:
    """Return cards to lay down: the line that does it, those outside sets by kind, and those of sets."""
    return {"line": line, "cards": cards.as_dict(), "sets": {}}
