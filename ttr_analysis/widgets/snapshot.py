"""Snapshots of a game, complete or as one seat sees it, and a seat's options, as plain data for all widgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias, TypedDict

import numpy as np

from ttr_analysis._errors import UnknownNameError
from ttr_analysis._words import counted, isolate, percent, seat_names
from ttr_analysis.analysis.payments.choice import cards_missing, cheapest, cheapest_color
from ttr_analysis.analysis.payments.model import Payment
from ttr_analysis.analysis.tickets.feasibility import may_borrow
from ttr_analysis.analysis.tickets.network import ForestSolver, trains_of
from ttr_analysis.analysis.tunnels import best_payment
from ttr_analysis.cards import CARD_KINDS, CardCounts
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.building import BuildStation, ChooseNeutralRoute, ClaimRoute, DeclineTunnel, PayTunnel
from ttr_analysis.engine.actions.drawing import DrawCard, DrawFaceUp, DrawTickets, KeepTickets
from ttr_analysis.engine.actions.table import Pass, duty, places_of
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.scores import Score, Scores, TicketScore
from ttr_analysis.engine.state import GameState, Owner, PublicState, SeatView
from ttr_analysis.maps.model import GameMap, Route, Ticket
from ttr_analysis.maps.names import describe_route
from ttr_analysis.notation import move_text
from ttr_analysis.notation.writer import payment_text
from ttr_analysis.records.record import Game
from ttr_analysis.viz.svg import live_sheet
from ttr_analysis.viz.words import Narration, Parts, final_parts, tell_station, without_zeros
from ttr_analysis.widgets.base import cards_in_words

# -- a moment ------------------------------------------------------------------------------------------------------

Status: TypeAlias = Literal["done", "possible", "borrowing", "lost", "unknown"]
Marked: TypeAlias = tuple[int, Status, int | None]
"""
A ticket: its number, its status, and the fewest trains still needed.

The trains are None if it is impossible. "borrowing" means possible only with stations; its
trains are then those needed without them.
"""

UNKNOWN: Final = -1
"""The number of an unknown card or ticket."""
_LOG_LENGTH: Final = 100
_UNKNOWN_TICKET: Final[Marked] = (UNKNOWN, "unknown", None)

PHASES: Final = {
    Phase.KEEP_START: "chooses its opening tickets",
    Phase.TURN: "is to move",
    Phase.SECOND_DRAW: "draws another card",
    Phase.TUNNEL: "pays for the tunnel or takes the cards back",
    Phase.KEEP: "chooses tickets",
    Phase.NEUTRAL: "builds for the neutral player",
}
ENDINGS: Final = {
    "trains": "The game is over: the last turns have been taken",
    "passes": "The game is over: nobody could move",
    "truncated": "The game is over: the turn limit was reached",
}


class SeatMoment(TypedDict):
    """
    One seat's part of a snapshot.

    `hand` counts cards by kind, unknown cards last. `score` is on the scoring track; `points`
    are those already certain, itemized in `parts`. `stations` is the number left; `built`
    lists the built ones and, once the game is over, the routes that they borrow.
    """

    hand: list[int]
    trains: int
    score: int
    tokens: int
    loans: int
    stations: int
    built: list[str]
    tickets: list[Marked]
    offer: list[int]
    parts: Parts
    points: int | None


class Moment(TypedDict):
    """
    A snapshot of a game.

    `turn` is a phrase to put after the acting player's name, or a full sentence if `acting` is
    None; `left` counts the turns left in the last round; `winners` is empty before the end.
    """

    owners: dict[str, Owner]
    stations: dict[str, int]
    market: list[str | None]
    pile: int
    discards: list[int]
    ticketPile: int
    ticketDiscards: int
    acting: int | None
    turn: str
    left: int | None
    tunnel: dict[str, Any] | None
    neutral: dict[str, Any] | None
    winners: list[int]
    seats: list[SeatMoment]


def fixed_facts(game_map: GameMap, names: Sequence[str]) -> dict[str, Any]:
    """Return the facts that do not change during a game."""
    rules = game_map.rules
    return {
        "sheet": live_sheet(game_map),
        "title": rules.full_title,
        "names": seat_names(names),
        "kinds": list(CARD_KINDS),
        "money": rules.money.tokens > 0,
        "stations": rules.stations.number > 0,
        "slots": rules.market.size,
    }


class Moments:
    """Views of the states of a game; the status of tickets and the points are recomputed only when needed."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._numbers = game.game_map.ticket_numbers
        self._judged: dict[int, tuple[object, list[Marked]]] = {}
        self._scored: tuple[object, Scores] | None = None

    def number(self, ticket: Ticket | None) -> int:
        """Return the number of a ticket on the map."""
        return UNKNOWN if ticket is None else self._numbers[ticket.id]

    def whole(self, state: GameState, *, is_end: bool = False) -> Moment:
        """Return a snapshot of everything in a state."""
        is_final = is_end and state.is_over
        seats = [self._seat(state, seat, is_final=is_final) for seat in range(state.n_players)]
        return self._moment(state, state, seats)

    def seen_from(self, view: SeatView, state: GameState) -> Moment:
        """Return one seat's view; once the game is over it includes everyone's tickets and points."""
        seats = [
            self._seat(state, seat, is_final=state.is_over, view=None if seat == view.seat else view)
            for seat in range(view.n_players)
        ]
        return self._moment(view, state, seats)

    def _moment(self, shown: PublicState, state: GameState, seats: list[SeatMoment]) -> Moment:
        """Return a snapshot of `shown`: pile sizes in `state` would reveal how many opening tickets others kept."""
        return Moment(
            owners=shown.owners,
            stations=shown.stations,
            market=list(shown.market),
            pile=shown.n_pile,
            discards=list(shown.discards),
            ticketPile=shown.n_ticket_pile,
            ticketDiscards=shown.n_ticket_discards,
            acting=None if shown.is_over else shown.acting,
            turn=ENDINGS[shown.ending] if shown.ending else PHASES[shown.phase],
            left=None if shown.is_over else shown.turns_left,
            tunnel=_tunnel(shown),
            neutral=self._neutral(shown),
            winners=list(self._score(state).winners) if state.is_over else [],
            seats=seats,
        )

    def _neutral(self, state: PublicState) -> dict[str, Any] | None:
        """Return the neutral player: its trains, the seat with the marker, and the last ticket that it turned up."""
        if not state.has_neutral:
            return None
        turned = state.neutral_ticket
        ticket = None if turned is None else self.number(turned)
        return {"trains": state.neutral_trains, "marker": state.marker, "ticket": ticket}

    def _seat(self, state: GameState, seat: int, *, is_final: bool, view: SeatView | None = None) -> SeatMoment:
        """Return a seat's part of a snapshot; in another seat's `view`, its hand stays hidden even at the end."""
        known = state.hands[seat] if view is None else view.known[seat]
        score = self._score(state)[seat]
        if view is None or is_final:
            marked = self.judge(state, seat)
            offer = [self.number(ticket) for ticket in state.offers[seat]]
            judged = list(zip(score.tickets, marked, strict=True))
        else:
            marked, judged = [_UNKNOWN_TICKET] * view.n_tickets[seat], []
            offer = [UNKNOWN] * view.n_offers[seat]
        parts = final_parts(score) if is_final else _parts(score, judged)
        return SeatMoment(
            hand=[*known, state.n_hands[seat] - known.n_cards],
            trains=state.trains[seat],
            score=state.scores[seat],
            tokens=state.tokens[seat],
            loans=state.loans[seat],
            stations=state.n_stations[seat],
            built=_built(state, seat, score if is_final else None),
            tickets=marked,
            offer=offer,
            parts=parts,
            points=score.total if is_final else sum(points or 0 for _, points in parts),
        )

    def _score(self, state: GameState) -> Scores:
        # The score depends only on these.
        key = (state.owners, state.stations, state.tickets, state.tokens, state.loans)
        if self._scored is None or self._scored[0] != key:
            self._scored = key, self._game.score(state)
        return self._scored[1]

    def judge(self, state: GameState, seat: int) -> list[Marked]:
        """
        Return the number and status of each ticket, and the fewest trains it needs over own and open routes.

        The trains are None if there is no such path. A ticket is possible if its seat has
        these trains left, and "borrowing" if stations can complete it instead.
        """
        tickets = state.tickets[seat]
        key = (state.owners, state.stations, tickets, state.is_over)
        if self._judged.get(seat, (None,))[0] != key:
            self._judged[seat] = key, self._judge(state, seat, tickets)
        return self._judged[seat][1]

    def _judge(self, state: GameState, seat: int, tickets: tuple[Ticket | None, ...]) -> list[Marked]:
        known = [ticket for ticket in tickets if ticket is not None]
        trains: dict[str, int] = {}
        view = self._game.view(state, seat)
        if known:
            solver = ForestSolver(self._game.game_map, view.closed, view.my_routes)
            costs = trains_of(solver.costs(known, np.arange(len(known), dtype=np.int64)[:, None]))
            trains = {ticket.id: cost for ticket, cost in zip(known, costs.tolist(), strict=True)}
        scored = self._score(state)[seat].tickets
        marked: list[Marked] = []
        for ticket, score in zip(tickets, scored, strict=True):
            if ticket is None:
                marked.append(_UNKNOWN_TICKET)
                continue
            need = trains[ticket.id]
            if state.is_over:
                status: Status = "done" if score.reached else "lost"
            elif need == 0:
                status = "done"
            elif 0 < need <= state.trains[seat]:
                status = "possible"
            else:
                can_help = may_borrow(solver, ticket, view.trains[seat], seat, view.stations, view.n_stations[seat])
                status = "borrowing" if can_help else "lost"
            marked.append((self.number(ticket), status, need if need >= 0 else None))
        return marked


def table_frame(moment: Moment, view: SeatView, steps: Sequence[Narration]) -> dict[str, Any]:
    """Return what the page shows a seat: the snapshot, the recent log and the closed routes."""
    return {
        "moment": moment,
        "log": [[step.seat, step.text, step.route.id if step.route else None] for step in steps[-_LOG_LENGTH:]],
        "closed": [route.id for route in view.closed if route.id not in moment["owners"]],
    }


def moved_cards(step: Narration) -> list[list[Any]]:
    """Return the cards that moved in a step, grouped by what became of them; unknown ones are "?"."""
    return [[what, [kind or "?" for kind in kinds]] for what, kinds in step.cards]


def _tunnel(state: PublicState) -> dict[str, Any] | None:
    """Return the tunnel that a seat is trying to claim: the cards turned over by kind, and the surcharge."""
    if (tried := state.pending) is None:
        return None
    return {"route": tried.route.id, "shown": list(tried.revealed), "surcharge": tried.surcharge}


def _built(state: PublicState, seat: int, final: Score | None) -> list[str]:
    """Return a seat's stations, and the routes they borrow if the game is over and all tickets are known."""
    if final is not None and not final.n_unknown:
        return [tell_station(use) for use in final.stations]
    return [isolate(city) for city, owner in state.stations.items() if owner == seat]


def _parts(score: Score, judged: Sequence[tuple[TicketScore, Marked]]) -> Parts:
    """Return the points that a seat has for certain: no bonuses yet, and no tickets that are still possible."""
    gained = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "done")
    lost = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "lost")
    return without_zeros(
        ("start", score.start),
        ("routes", score.route_points),
        ("tickets", gained),
        ("lost tickets", lost),
        ("loans", score.loan_points),
    )


def place_of(action: Action | None) -> dict[str, str] | None:
    """Return the route that an action claims, or the city where it builds, keyed by kind; None for other actions."""
    routes, cities = places_of(action)
    if routes:
        return {"route": routes[0].id}
    return {"city": cities[0].name} if cities else None


# -- a seat's options -----------------------------------------------------------------------------------------------

_UNPAYABLE: Final = "take your cards back, since you cannot pay the {} that the tunnel costs"
_GIVE: Final = "Give {} to the neutral player"


class Options:
    """
    The options of the seat that must decide.

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
        task = "" if state.phase is Phase.TURN else duty(state.phase, "your")
        if state.pending and not pays:
            task = _UNPAYABLE.format(counted(state.pending.surcharge, "extra card"))
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
        """Return a move that has its own button, with the route concerned."""
        route = action.route.id if isinstance(action, ChooseNeutralRoute) else None
        return {"line": self._line(action), "words": words, "route": route}

    def _keep(self, choices: Sequence[KeepTickets]) -> dict[str, Any] | None:
        """Return the tickets to choose from, and how many must be kept."""
        offer = [ticket.id for ticket in self._state.offers[self._seat] if ticket is not None]
        return {"offer": offer, "fewest": min(len(choice.tickets) for choice in choices)} if choices else None

    def _station(self, builds: Sequence[BuildStation]) -> dict[str, Any] | None:
        """Return where a station can be built, and the payments for it, which are the same in every city."""
        cities = list(dict.fromkeys(build.city.name for build in builds))
        payments = [build.payment for build in builds if build.city.name == cities[0]]
        return {"cities": cities, "payments": self._shown(payments)} if cities else None

    def _claim(self, route: Route, payments: list[Payment]) -> dict[str, Any]:
        """Return the payments for a route, whether it needs a loan, and a note on sets."""
        stands_for = "one card" if route.swap_fills == "any" else "one locomotive"
        return {
            "loan": bool(route.toll > self._state.tokens[self._seat]),
            "sets": f"Cards in parentheses: any {route.swap_size} stand for {stands_for}." if route.swap_size else "",
            "payments": self._shown(payments, f"{route.id} "),
        }

    def _shown(self, payments: list[Payment], prefix: str = "") -> list[dict[str, Any]]:
        """Return payments, cheapest first, with the lines of notation that make them."""
        hand = self._state.hands[self._seat]
        return [
            _shown_cards(prefix + payment_text(payment), payment.cards - payment.sets)
            | {"sets": payment.sets.as_dict()}
            for payment in sorted(payments, key=partial(spending, hand))
        ]

    def why(self, what: Mapping[Any, object], names: Sequence[str] = ()) -> str:
        """Explain why the seat cannot claim the route, or build in the city, that `what` names."""
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
        view = self._game.view(state, self._seat)
        if route_id in state.owners or route in view.closed:
            return f"{words}."
        payment, chance = cheapest(route, view.hand), ""
        if payment is None:
            missing = cards_missing(route, view.hand)
            return f"{words}. {counted(missing, 'card')} missing; {cheapest_color(route, view.hand)} is the closest."
        seen: dict[str, Any] = {"pool": view.pool, "n_pile": view.n_pile, "discards": view.discards}
        if route.tunnel and (odds := best_payment(route, view.hand, **seen, revealed=game_map.rules.tunnel.revealed)):
            payment, chance = odds.payment, f" Chance of success: {percent(odds.probability, None)}."
        cards = f"{counted(payment.n_cards, 'card')}: {cards_in_words(payment.cards)}"
        return f"{words}. You can pay with {cards}.{chance}"


def spending(hand: CardCounts, payment: Payment) -> tuple[int, ...]:
    """
    Return a sort key for payments: fewest cards, then fewest locomotives, then the color held most.

    >>> hand = CardCounts.of(red=3, blue=2, locomotive=1)
    >>> spending(hand, Payment("red", 2, 0)) < spending(hand, Payment("blue", 2, 0))
    True
    """
    held = hand[payment.color] if payment.color else 0
    return payment.n_cards, payment.cards.locomotives, -held, -payment.own


def _shown_cards(line: str, cards: CardCounts) -> dict[str, Any]:
    """Return a payment for the page: its line of notation, its cards outside sets, and no sets."""
    return {"line": line, "cards": cards.as_dict(), "sets": {}}
