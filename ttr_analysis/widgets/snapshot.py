"""
A moment of a game as plain data, the same for all widgets: from a state, or from what one seat can see of it.

The stepper gets all moments of a game at once, each but the first as what is
different from the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

import numpy as np

from ttr_analysis._words import isolate, seat_names
from ttr_analysis.analysis.tickets.borrowing import may_borrow
from ttr_analysis.analysis.tickets.network import ForestSolver, trains_of
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import places_of
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.scores import Score, Scores, TicketScore
from ttr_analysis.engine.state import GameState, Owner, PublicState, SeatView
from ttr_analysis.maps.model import GameMap, Ticket
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.viz.svg import live_sheet
from ttr_analysis.viz.words import Narration, Parts, final_parts, tell, tell_station, without_zeros

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.studies.reviews import Review


# -- a moment ------------------------------------------------------------------------------------------------------

Status: TypeAlias = Literal["done", "possible", "borrowing", "lost", "unknown"]
Marked: TypeAlias = tuple[int, Status, int | None]
"""
A ticket: its number, how it stands, and the fewest trains that it still takes.

They are None if there is no way. "borrowing" is possible with stations only;
its trains are those without them.
"""

UNKNOWN: Final = -1
"""In place of the number of a card or ticket that is not known."""
_UNKNOWN_TICKET: Final[Marked] = (UNKNOWN, "unknown", None)

PHASES: Final = {
    Phase.KEEP_START: "chooses its opening tickets",
    Phase.TURN: "is to move",
    Phase.SECOND_DRAW: "draws a further card",
    Phase.TUNNEL: "pays for the tunnel or gives it up",
    Phase.KEEP: "chooses tickets",
    Phase.NEUTRAL: "builds for the neutral player",
}
ENDINGS: Final = {
    "trains": "The game is over: the last turns are taken",
    "passes": "The game is over: nobody could do anything",
    "truncated": "The game is over: the limit of turns is reached",
}


class SeatMoment(TypedDict):
    """
    What lies before a seat.

    `hand` is by kind of card, with unknown ones last; `score` is that of the
    track, `points` what the seat has for sure, made of `parts`; `stations` are
    those left, `built` says where the others stand, and at the end what each
    lends.
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


class TunnelMoment(TypedDict):
    """A tunnel that was tried: its route, the cards laid down and turned over by kind, and how many more it takes."""

    route: str
    laid: list[int]
    shown: list[int]
    surcharge: int


class NeutralMoment(TypedDict):
    """The neutral player: its trains, the seat with the marker, and the number of the last ticket turned up."""

    trains: int
    marker: int | None
    ticket: int | None


class Moment(TypedDict):
    """
    A moment of a game.

    `turn` says what is due, to follow upon the name of `acting`, or a whole
    sentence where that is None; `left` counts the turns of a last round;
    `winners` is empty before the end.
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
    tunnel: TunnelMoment | None
    neutral: NeutralMoment | None
    winners: list[int]
    seats: list[SeatMoment]


def fixed_facts(game_map: GameMap, names: Sequence[str]) -> dict[str, Any]:
    """Return what does not change in a game."""
    rules = game_map.rules
    variant = rules.variant.replace("_", " ")
    return {
        "sheet": live_sheet(game_map),
        "title": f"{game_map.title}, {variant}" if variant else game_map.title,
        "names": seat_names(names),
        "kinds": list(CARD_KINDS),
        "money": rules.money.tokens > 0,
        "stations": rules.stations.number > 0,
        "slots": rules.market.size,
    }


class Moments:
    """What widgets show of the states of a game: tickets are judged, and points counted, only when they may change."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._numbers = game.game_map.ticket_numbers
        self._judged: dict[int, tuple[object, list[Marked]]] = {}
        self._scored: tuple[object, Scores] | None = None

    def number(self, ticket: Ticket | None) -> int:
        """Return the place of a ticket on the map."""
        return UNKNOWN if ticket is None else self._numbers[ticket.id]

    def whole(self, state: GameState, *, is_end: bool = False) -> Moment:
        """Return all that a state knows."""
        is_final = is_end and state.is_over
        return self._moment(state, [self._open_seat(state, seat, is_final=is_final) for seat in range(state.n_players)])

    def seen_from(self, view: SeatView, state: GameState) -> Moment:
        """Return what one seat can see, and at the end the tickets and points of all."""
        return self._moment(state, [self._seen_seat(view, state, seat) for seat in range(view.n_players)])

    def _moment(self, state: GameState, seats: list[SeatMoment]) -> Moment:
        """Return a moment with what belongs to no seat."""
        return Moment(
            owners=state.owners,
            stations=state.stations,
            market=list(state.market),
            pile=state.n_pile,
            discards=list(state.discards),
            ticketPile=state.n_ticket_pile,
            ticketDiscards=state.n_ticket_discards,
            acting=None if state.is_over else state.acting,
            turn=ENDINGS[state.ending] if state.ending else PHASES[state.phase],
            left=None if state.is_over else state.turns_left,
            tunnel=_tunnel(state),
            neutral=self._neutral(state),
            winners=list(self._score(state).winners) if state.is_over else [],
            seats=seats,
        )

    def _neutral(self, state: PublicState) -> NeutralMoment | None:
        if not state.has_neutral:
            return None
        turned = state.neutral_ticket
        ticket = None if turned is None else self.number(turned)
        return NeutralMoment(trains=state.neutral_trains, marker=state.marker, ticket=ticket)

    def _open_seat(self, state: GameState, seat: int, *, is_final: bool) -> SeatMoment:
        """Return what lies before a seat, all of it open."""
        hand, marked, score = state.hands[seat], self.judge(state, seat), self._score(state)[seat]
        parts = final_parts(score) if is_final else _parts(score, list(zip(score.tickets, marked, strict=True)))
        return SeatMoment(
            hand=[*hand, state.n_hands[seat] - hand.n_cards],
            trains=state.trains[seat],
            score=state.scores[seat],
            tokens=state.tokens[seat],
            loans=state.loans[seat],
            stations=state.n_stations[seat],
            built=_built(state, seat, score if is_final else None),
            tickets=marked,
            offer=[self.number(ticket) for ticket in state.offers[seat]],
            parts=parts,
            points=score.total if is_final else sum(points or 0 for _, points in parts),
        )

    def _seen_seat(self, view: SeatView, state: GameState, seat: int) -> SeatMoment:
        """Return what one seat sees of another: hands stay hidden to the end."""
        if seat == view.seat:
            return self._open_seat(state, seat, is_final=state.is_over)
        known = view.known[seat]
        hand = [*known, view.n_hands[seat] - known.n_cards]
        if state.is_over:
            return {**self._open_seat(state, seat, is_final=True), "hand": hand}
        parts = _parts(self._score(state)[seat], [])
        return SeatMoment(
            hand=hand,
            trains=view.trains[seat],
            score=view.scores[seat],
            tokens=view.tokens[seat],
            loans=view.loans[seat],
            stations=view.n_stations[seat],
            built=_built(view, seat, None),
            tickets=[_UNKNOWN_TICKET] * view.n_tickets[seat],
            offer=[UNKNOWN] * view.n_offers[seat],
            parts=parts,
            points=sum(points or 0 for _, points in parts),
        )

    def _score(self, state: GameState) -> Scores:
        # What is scored changes with these alone.
        key = (len(state.owners), state.tickets, state.tokens, state.loans, state.n_stations)
        if self._scored is None or self._scored[0] != key:
            self._scored = key, self._game.score(state)
        return self._scored[1]

    def judge(self, state: GameState, seat: int) -> list[Marked]:
        """
        Return number and status of each ticket, and the fewest trains that it still takes.

        A ticket is possible if the seat could join its ends with the trains
        that it has left, over its own routes and those open to it; None
        trains if there is no such way. With stations it may borrow the rest.
        """
        tickets = state.tickets[seat]
        key = (len(state.owners), tickets, state.is_over, state.n_stations)
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


def _tunnel(state: PublicState) -> TunnelMoment | None:
    pending = state.pending
    if pending is None:
        return None
    return TunnelMoment(
        route=pending.route.id,
        laid=list(pending.laid),
        shown=list(pending.revealed),
        surcharge=pending.surcharge,
    )


def _built(state: PublicState, seat: int, final: Score | None) -> list[str]:
    """Return where a seat has stations, and what they lend if it is over and all tickets are known."""
    if final is not None and not final.n_unknown:
        return [tell_station(use) for use in final.stations]
    return [isolate(city) for city, owner in state.stations.items() if owner == seat]


def _parts(score: Score, judged: Sequence[tuple[TicketScore, Marked]]) -> Parts:
    """Return what points a seat has for sure: no bonuses yet, and no tickets that are still possible."""
    gained = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "done")
    lost = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "lost")
    return without_zeros(
        ("start", score.start),
        ("routes", score.route_points),
        ("tickets", gained),
        ("lost tickets", lost),
        ("loans", score.loan_points),
    )


# -- what a stepper shows at each step of a record -----------------------------------------------------------------


def game_data(record: GameRecord) -> dict[str, Any]:
    """
    Return all that a stepper shows of a record, ready for JSON.

    Returns
    -------
    data
        `facts`: what does not change. `moves`: seat, text, cards moved and
        route of each step, and where it stood in the source if that is known.
        `moments`: what each step shows, the first one whole, the others as
        what is different: see `replay_moments`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Random(), ttr.policies.Random()], seed=7)
    >>> data = game_data(record)
    >>> len(data["moments"]) == len(record.states())
    True
    >>> data["moments"][1]
    {'acting': 1, 'seats': {'0': {'tickets': [(32, 'possible', 8), (3, 'possible', 8), (34, 'possible', 10)],
     'offer': []}}}
    """
    record.score()  # refuses a record that has not begun
    states, moments = record.states(), Moments(Game(record.map, record.header.n_players))
    whole = [moments.whole(state, is_end=step == len(states) - 1) for step, state in enumerate(states)]
    return {
        "facts": _game_facts(record),
        "moves": [_move(told) for told in tell(record)],
        "moments": [whole[0], *(_difference(a, b) for a, b in pairwise(whole))],
    }


def _game_facts(record: GameRecord) -> dict[str, Any]:
    """Return what does not change."""
    header, rules = record.header, record.map.rules
    names = header.players or header.policies or ("",) * header.n_players
    parts = [record.map.title if header.title else "", rules.variant.replace("_", " "), f"{header.n_players} players"]
    parts.append(header.date)
    return fixed_facts(record.map, names) | {
        "title": header.title or record.map.title,
        "about": ", ".join(isolate(part) for part in parts if part),
        "note": header.note,
    }


def _move(told: Narration) -> list[Any]:
    cards = [[what, [kind or "?" for kind in kinds]] for what, kinds in told.cards]
    route = None if told.route is None else told.route.id
    return [told.seat, told.text, cards, route, *([told.stamp] if told.stamp else [])]


def _difference(before: Moment, after: Moment) -> dict[str, Any]:
    """Return what is different: owners, None of what is free again, seats by number, and all else that changed."""
    change = _changed(before, after)
    if "owners" in change:
        old, new = before["owners"], after["owners"]
        freed = dict.fromkeys(route for route in old if route not in new)  # by a correction
        change["owners"] = {route: owner for route, owner in new.items() if old.get(route) != owner} | freed
    if "seats" in change:
        pairs = enumerate(zip(before["seats"], after["seats"], strict=True))
        change["seats"] = {str(seat): changed for seat, (old, new) in pairs if (changed := _changed(old, new))}
    return change


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, Any]:
    return {key: value for key, value in after.items() if value != before[key]}


def replay_moments(data: dict[str, Any]) -> Iterator[Moment]:
    """Yield the moments of `game_data` whole, as the browser makes them."""
    now: Any
    now, *changes = data["moments"]
    yield now
    for change in changes:
        seats = change.get("seats", {})
        owners = {**now["owners"], **change.get("owners", {})}
        now = {
            **now,
            **change,
            "owners": {route: owner for route, owner in owners.items() if owner is not None},
            "seats": [{**old, **seats.get(str(seat), {})} for seat, old in enumerate(now["seats"])],
        }
        yield now


# -- win probabilities as a stepper shows them ---------------------------------------------------------------------

_COLUMNS = ["step", "seat", "win"]


def chance_data(curve: pd.DataFrame, acting: Sequence[int], n_seats: int, seat: int | None = None) -> dict[str, Any]:
    """
    Return a curve of win probabilities, ready for JSON.

    Returns
    -------
    data
        `about`: from whose view, "" if the curve does not say. `percent`: for each seat a value a step;
        None before the first step of the curve and after its last one.

    Examples
    --------
    >>> import pandas as pd
    >>> curve = pd.DataFrame({"step": [1, 1, 3, 3], "seat": [0, 1, 0, 1], "win": [0.5, 0.5, 0.125, 0.875]})
    >>> chance_data(curve, [-1, 0, 1, 0, 1], 2)["percent"]
    [[None, 50.0, 50.0, 12.5, None], [None, 50.0, 50.0, 87.5, None]]
    """
    import pandas as pd

    if not isinstance(curve, pd.DataFrame):
        raise TypeError(f"expected a table of win probabilities, as win_curve gives it, got {curve!r}")
    if missing := [column for column in _COLUMNS if column not in curve]:
        raise ValueError(f"win probabilities stand in the columns {', '.join(_COLUMNS)}; there is no {missing[0]!r}")
    _check_game(curve, acting, n_seats)
    looker = curve.attrs.get("looker")
    if seat is not None and looker != seat:
        unsaid = "a table whose attrs do not say who looked"
        seen = {None: unsaid, "all": "all hands"}.get(looker, f"P{looker}")
        raise ValueError(f"win probabilities in the view of P{seat} are from win_curve(record, {seat}), got {seen}")
    by_step = curve.astype({"step": int}).pivot_table(index="step", columns="seat", values="win")
    # An interrupted curve ends early: what came after is not known, and may well be the contrary.
    filled = by_step.reindex(range(by_step.index.max() + 1)).ffill().reindex(range(len(acting)))
    percent = 100 * filled.to_numpy().T  # not rounded: 0 and 100 say that it is decided
    return {
        "about": {None: "", "all": "with all hands in view"}.get(looker, f"from what P{looker} could know"),
        "percent": [[None if np.isnan(value) else float(value) for value in row] for row in percent],
    }


def review_data(review: Review, record: GameRecord, seat: int | None = None) -> dict[str, Any]:
    """
    Return what a review says of each step, ready for JSON.

    Returns
    -------
    data
        By step: `label`, `loss` with its ends in percent, and of what was
        better `best`, its `reason` and its `place`; "" and None where nothing
        was.
    """
    from ttr_analysis.studies.reviews.whole_game import BOUNDS, Review

    if not isinstance(review, Review):
        raise TypeError(f"expected a review, as studies.review gives it, got {review!r}")
    if review.record != record:
        raise ValueError("the review is of another game")
    if seat is not None and review.seat != seat:
        seen = "all seats" if review.seat is None else f"P{review.seat}"
        raise ValueError(f"a review in the view of P{seat} is from review(record, {seat}), got one of {seen}")
    data = {}
    for step, label, loss, low, high in review.table[["label", "loss", "loss_low", "loss_high"]].itertuples():
        is_worse = label in BOUNDS
        action = review.action(step)
        data[str(step)] = {
            "label": label,
            "loss": [100 * loss, 100 * low, 100 * high],
            "best": review.best_move(step) if is_worse else "",
            "reason": review.reason(step) if is_worse else "",
            "place": place_of(action) if is_worse else None,
        }
    return data


def place_of(action: Action | None) -> dict[str, str] | None:
    """Return the route that an action claims, or the city in which it builds, by its kind; None for any other."""
    routes, cities = places_of(action)
    if routes:
        return {"route": routes[0].id}
    return {"city": cities[0].name} if cities else None


def _check_game(curve: pd.DataFrame, acting: Sequence[int], n_seats: int) -> None:
    """Check that a curve is of this game and of no other, as far as it can be known."""
    n_steps = len(acting)
    if set(curve["seat"]) != set(range(n_seats)) or not curve["step"].isin(range(n_steps)).all():
        raise ValueError(f"expected win probabilities of steps 0 to {n_steps - 1} and seats 0 to {n_seats - 1}")
    if not curve["win"].between(0, 1).all():
        raise ValueError("win probabilities are between 0 and 1")
    if curve.duplicated(["step", "seat"]).any():
        raise ValueError("expected one win probability for each step and seat, got several: two curves in one table?")
    if "acting" in curve:
        others = curve.loc[curve["acting"] != np.take(acting, curve["step"].astype(int)), "step"]
        if len(others):
            raise ValueError(
                f"the win probabilities are of another game: at step {int(others.min())} another seat moved"
            )
