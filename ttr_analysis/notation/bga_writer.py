"""Write a record as a Board Game Arena log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from ttr_analysis._errors import GameError
from ttr_analysis.cards import LOCOMOTIVE, CardCounts
from ttr_analysis.engine import actions
from ttr_analysis.engine.actions.table import HANDLER_OF
from ttr_analysis.engine.events import Chance, Correction, Event, Move, StartPosition
from ttr_analysis.engine.scores import Scores, score_state
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.model import Route, Ticket
from ttr_analysis.notation.bga_lines import COLOR_CODES
from ttr_analysis.notation.bga_names import COUNTRIES
from ttr_analysis.records.entries import COMPLETING
from ttr_analysis.records.record import GameRecord

if TYPE_CHECKING:
    import numpy as np

_NAMES: Final = ("Ann", "Bo", "Cleo", "Dan", "Eve", "Fay")
_NOTICES: Final = {
    "market_replaced": "Three locomotives have been revealed, visible train cards are replaced",
    "cards_shuffled": "The train car deck has been reshuffled",
}
_STAYS: Final = "Three locomotives have been revealed multiples times in a row, they will stay visible"


def write_bga(record: GameRecord, *, seat: int | None = None, rng: np.random.Generator | None = None) -> str:
    r"""
    Return a record as the lines of a Board Game Arena log, which `read_bga` can read.

    A log has less information than a record: no market, opening hands or ticket offers, and
    not the cards laid down and turned over for a tunnel. Actions on maps that the site does
    not offer have lines of our own.

    Parameters
    ----------
    record
        The record; players without a name get one.
    seat
        The viewing seat, which sees its own hidden cards and completed tickets; None for
        a log that shows everybody's, such as that of a replay.
    rng
        Random generator for the order in which players keep opening tickets, and of
        cards and cities on a line; None keeps the order of the record.

    Raises
    ------
    GameError
        If the record begins from a position.

    Examples
    --------
    >>> record = ttr.Game("usa").play(["Greedy", "Random"], seed=7)
    >>> print(*ttr.write_bga(record).splitlines()[6:10], sep="\n")
    Move 4 :00:00:00
    Ann gains 1 point(s) by claiming route from Atlanta to Nashville with 1 train car(s) : 1
    Move 5 :00:00:00
    Bo gains 2 point(s) by claiming route from Kansas City to Oklahoma City with 2 train car(s) : 2,0
    """
    return "\n".join(_Writer(record, seat, rng).lines()) + "\n"


class _Writer:
    def __init__(self, record: GameRecord, seat: int | None, rng: np.random.Generator | None) -> None:
        self._record = record
        self._map = record.map
        self._seat = seat
        self._rng = rng
        n_players = record.header.n_players
        self._done: list[set[Ticket]] = [set() for _ in range(n_players)]
        """Tickets of each seat that were reported as completed."""
        self._names = record.header.players or _NAMES[:n_players]

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        record, states, numbers = self._record, self._record.states(), count(2)
        if any(isinstance(event, StartPosition) for event in record.steps[0]):
            raise GameError("a log begins with the opening, not from a position")
        n_players = record.header.n_players
        yield from self._notices(record.steps[0], states[0])
        openings = list(range(1, min(1 + n_players, len(record.steps))))
        order = openings if self._rng is None else self._rng.permutation(openings).tolist()
        for step in [*order, *range(1 + n_players, len(record.steps))]:
            lines = [*self._of_step(record.steps[step], states[step - 1], states[step])]
            if lines:
                yield f"Move {next(numbers)} :00:00:00"
                yield from self._completes(record.steps[step][0], states[step])
                yield from lines
        if record.is_complete:
            yield from self._scoring(record.score())

    def _of_step(self, events: Sequence[Event], before: GameState, after: GameState) -> Iterator[str]:
        first = events[0]
        if isinstance(first, Correction):
            yield first.reason
        if not isinstance(first, Move):
            return
        yield from self._act(first.seat, first.action, events, before, after)
        for event in events:
            if isinstance(event, Chance) and event.kind == "neutral_ticket" and event.ticket is not None:
                yield f"Neutral destination : {self._ticket(event.ticket)}"
        yield from self._notices(events, after)
        if after.is_last_round and not before.is_last_round:
            n = self._map.rules.trains.last_round_at
            yield f"{self._names[first.seat]} has {n} train cars or less, starting final turn !"

    def _completes(self, event: Event, after: GameState) -> Iterator[str]:
        """Yield the private lines of tickets that a move completes."""
        if not isinstance(event, Move) or self._seat not in (None, event.seat):
            return
        if HANDLER_OF[type(event.action)].kind not in COMPLETING:
            return
        done = {
            scored.ticket
            for scored in score_state(self._map, after.packed, len(self._names))[event.seat].tickets
            if scored.ticket and scored.reached
        }
        new = done - self._done[event.seat]
        self._done[event.seat] |= new
        yield from (
            f"You completed a new destination : {self._ticket(ticket)}" for ticket in self._map.tickets if ticket in new
        )

    def _notices(self, events: Sequence[Event], after: GameState) -> Iterator[str]:
        """Yield the lines on piles and market."""
        kinds = [event.kind for event in events if isinstance(event, Chance) and event.kind in _NOTICES]
        yield from (_NOTICES[kind] for kind in kinds)
        reset_at = self._map.rules.market.reset_at
        if "market_replaced" in kinds and 0 < reset_at <= after.market.count(LOCOMOTIVE):
            yield _STAYS

    # -- actions ------------------------------------------------------------------------

    def _act(
        self, seat: int, action: actions.Action, events: Sequence[Event], before: GameState, after: GameState
    ) -> Iterator[str]:
        """Yield the lines of an action; drawing tickets and passing have none."""
        name = self._names[seat]
        match action:
            case actions.DrawCard():
                cards = [event.card for event in events if isinstance(event, Chance) and event.kind == "card_drawn"]
                if self._seat in (None, seat) and cards[0] is not None:
                    yield f"You take hidden train car card(s) {COLOR_CODES.index(cards[0])}"
                yield f"{name} takes 1 hidden train car card(s)"
            case actions.DrawFaceUp(slot, card):
                yield f"{name} takes {COLOR_CODES.index(card or before.market[slot] or '')}"
            case actions.ClaimRoute(route, payment):
                if route.tunnel:
                    yield from self._tries(seat, route, payment.color, events, after)
                if after.pending is None:
                    yield self._gains(seat, route, payment.cards)
            case actions.AttemptTunnel(route, color):
                yield from self._tries(seat, route, color, events, after)
            case actions.PayTunnel(paid) if before.pending is not None:
                yield self._gains(seat, before.pending.route, before.pending.laid + paid)
            case actions.DeclineTunnel():
                yield f"{name} skip tunnel claim"
            case actions.KeepTickets(tickets):
                yield from [f"{name} keeps {len(tickets)} destination(s)"] * 2
                if self._map.rules.tickets.unkept == "discard_pile":
                    left = list(before.offers[seat])
                    for ticket in tickets:
                        left.remove(ticket)
                    yield from (f"{name} lays {self._ticket(t)} destination on the discards" for t in left if t)
            case actions.BuildStation(city, payment):
                where, codes = self._city(city.name), self._codes(payment.cards)
                yield f"{name} builds a Train Station on {where} with {payment.n_cards} train car(s) : {codes}"
            case actions.ChooseNeutralRoute(route):
                a, b = self._cities(route)
                yield f"{name} gives the neutral player the route from {a} to {b}"

    def _tries(
        self, seat: int, route: Route, color: str | None, events: Sequence[Event], after: GameState
    ) -> Iterator[str]:
        a, b = self._cities(route)
        code = 0 if color is None else COLOR_CODES.index(color)
        yield f"{self._names[seat]} tries to build a tunnel from {a} to {b} with color {code}"
        turned = [event for event in events if isinstance(event, Chance) and event.kind == "card_revealed"]
        if not turned:
            yield "No train car card in deck or discard, tunnel is free"
            return
        pending = after.pending
        n = 0 if pending is None else pending.surcharge - (0 if pending.laid.n_cards else route.length)
        yield (
            f"{n} extra cards over the {len(turned)} train car cards revealed from the deck "
            "are needed to claim the route"
        )

    def _gains(self, seat: int, route: Route, cards: CardCounts) -> str:
        a, b = self._cities(route)
        n = cards.n_cards if route.tunnel else route.length
        return (
            f"{self._names[seat]} gains {route.points} point(s) by claiming route from {a} to {b} "
            f"with {n} train car(s) : {self._codes(cards)}"
        )

    # -- names --------------------------------------------------------------------------

    def _codes(self, cards: CardCounts) -> str:
        """Return cards as the numbers of their kinds."""
        kinds = [kind for kind, n in cards.as_dict().items() for _ in range(n)]
        order = kinds if self._rng is None else self._rng.permutation(kinds).tolist()
        return ",".join(str(COLOR_CODES.index(kind)) for kind in order)

    def _cities(self, route: Route) -> tuple[str, str]:
        a, b = route.cities if self._rng is None else self._rng.permutation(route.cities).tolist()
        return self._end(a), self._end(b)

    def _end(self, name: str) -> str:
        """Return an end of a route; for a border point, its country."""
        country = next((place.name for place in self._map.places if place.is_country and name in place.cities), None)
        return self._city(name) if country is None else _country(country)

    def _city(self, name: str) -> str:
        """Return a city by one of its names."""
        names = [name, *self._map.city(name).also]
        return name if self._rng is None else str(self._rng.choice(names))

    def _ticket(self, ticket: Ticket) -> str:
        ends = " / ".join(_country(place.name) for place, _ in ticket.destinations)
        return f"{_country(ticket.origin.name)} to {ends}"

    # -- final scoring --------------------------------------------------------------------

    def _scoring(self, scores: Scores) -> Iterator[str]:
        for score in scores:
            name = self._names[score.seat]
            for scored in score.tickets:
                if scored.ticket is not None and scored.points is not None:
                    ticket, verb = self._ticket(scored.ticket), "gains" if scored.points > 0 else "loses"
                    yield f"{name} reveals {ticket} destination"
                    yield f"{name} {verb} {abs(scored.points)} points with {ticket} destination"
        for score in scores:
            if self._map.rules.stations.number:
                n = self._record.states()[-1].n_stations[score.seat]
                yield f"{self._names[score.seat]} gains {score.station_points} points with {n} remaining station(s)"
        for score in scores:
            yield f"{self._names[score.seat]} longest continuous path is {score.trail} train-cars long"
        for score in scores:
            for measure, points in score.bonuses:
                if points and measure in _BONUSES:
                    n_completed = sum(scored.points is not None and scored.points > 0 for scored in score.tickets)
                    n = score.trail if measure == "longest_trail" else n_completed
                    yield f"{self._names[score.seat]} gains {points} points with {_BONUSES[measure].format(n)}"
        yield "End of game"


_BONUSES: Final = {
    "longest_trail": "longest continuous path : {} train cars",
    "completed_tickets": "Globetrotter : {} completed destinations",
}


def _country(name: str) -> str:
    return COUNTRIES.get(name, (name,))[0]
