"""What a widget shows of a game at one moment, as plain data: from a state, or from what one seat can see of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from ttr_analysis.analysis.tickets.network import ForestSolver, trains_of
from ttr_analysis.cards import CARD_KINDS, CardCounts
from ttr_analysis.engine.reasons import DUE
from ttr_analysis.engine.scores import Score
from ttr_analysis.engine.state import GameState, PublicState
from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.model import GameMap, Ticket
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.viz.naming import isolate
from ttr_analysis.viz.sheet import board_sheet
from ttr_analysis.viz.words import Narration, Parts, final_parts, tell, without_zeros

if TYPE_CHECKING:
    import pandas as pd


def fixed_facts(game_map: GameMap, names: Sequence[str]) -> dict[str, Any]:
    """
    Return what does not change in a game.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    names
        What each seat is called, from seat 0 on; "" for a seat without a
        name.
    """
    rules = game_map.rules
    variant = rules.variant.replace("_", " ")
    return {
        "sheet": board_sheet(game_map),
        "title": f"{game_map.title}, {variant}" if variant else game_map.title,
        "names": list(names),
        "kinds": list(CARD_KINDS),
        "money": rules.money.tokens > 0,
        "slots": rules.market.size,
    }


def seen_by(view: SeatView) -> dict[str, Any]:
    """Return what one seat can see: cards of others as far as everyone knows them."""
    numbers = _numbers(view.game_map)
    seats = []
    for seat, n_cards in enumerate(view.n_hands):
        own = seat == view.seat
        tickets = view.tickets if own else (None,) * view.n_tickets[seat]
        seats.append(_seat(view, seat, view.hand if own else view.known[seat], n_cards, tickets, numbers))
    return _table(view) | {"seats": seats}


def seen_by_record(state: GameState) -> dict[str, Any]:
    """Return all that a record knows: hands and tickets of every seat, as far as they were seen."""
    numbers = _numbers(state.game_map)
    seats = [
        _seat(state, seat, state.hands[seat], n_cards, state.tickets[seat], numbers)
        for seat, n_cards in enumerate(state.n_hands)
    ]
    return _table(state) | {"seats": seats}


def _numbers(game_map: GameMap) -> dict[str, int]:
    return {ticket.id: i for i, ticket in enumerate(game_map.tickets)}


def _id(ticket: Ticket | None) -> str:
    return "" if ticket is None else ticket.id


def _seat(
    state: PublicState,
    seat: int,
    hand: CardCounts,
    n_cards: int,
    tickets: Sequence[Ticket | None],
    numbers: dict[str, int],
) -> dict[str, Any]:
    return {
        "hand": [*hand, n_cards - hand.n_cards],
        "trains": state.trains[seat],
        "score": state.scores[seat],
        "tokens": state.tokens[seat],
        "loans": state.loans[seat],
        "tickets": [numbers.get(_id(ticket), UNKNOWN) for ticket in tickets],
    }


def _table(state: PublicState) -> dict[str, Any]:
    """Return what belongs to no seat."""
    pending, neutral = state.pending, None
    if state.has_neutral:
        turned = state.neutral_ticket
        neutral = {
            "trains": state.neutral_trains,
            "marker": state.marker,
            "ticket": None if turned is None else _numbers(state.game_map)[turned.id],
        }
    return {
        "owners": state.owners,
        "market": list(state.market),
        "pile": state.n_pile,
        "discards": state.discards.n_cards,
        "ticketPile": state.n_ticket_pile,
        "acting": None if state.is_over else state.acting,
        "due": "" if state.is_over else DUE[state.phase].replace("its", "your"),
        "turn": _turn_words(state),
        "left": None if state.is_over else state.turns_left,
        "tunnel": None
        if pending is None
        else {
            "route": pending.route.id,
            "laid": list(pending.laid),
            "shown": list(pending.revealed),
            "surcharge": pending.surcharge,
        },
        "neutral": neutral,
    }


def _turn_words(state: PublicState) -> str:
    return ENDINGS[state.ending] if state.ending else f"P{state.acting} is to {DUE[state.phase]}"


# -- what a stepper shows at each step of a record -----------------------------------------------------------------
#
# A frame is a flat dict; the data of a step has only what differs from the
# step before, so that a whole game takes little more room than its board. What
# belongs to a seat has its number in the key: "hand:0".

Frame: TypeAlias = dict[str, Any]
Status: TypeAlias = Literal["done", "possible", "lost", "unknown"]
Marked: TypeAlias = tuple[int, Status, int | None]
"""A ticket: its number, how it stands, and the fewest trains that it still takes, None if there is no way."""

UNKNOWN: Final = -1
"""In place of the number of a card or ticket that the record does not know."""

ENDINGS: Final = {
    "trains": "The game is over: the last turns are taken",
    "passes": "The game is over: nobody could do anything",
    "truncated": "The game is over: the limit of turns is reached",
}


def game_data(record: GameRecord) -> dict[str, Any]:
    """
    Return all that a stepper shows of a record, ready for JSON.

    Parameters
    ----------
    record
        Any record that has begun, cards unknown or not.

    Returns
    -------
    data
        `sheet`: the drawing of the board. `game`: what does not change.
        `claims`: route and owner of each claim, in order. `moves`: seat,
        text, cards moved and route of each step. `frames`: what each step
        shows, the first one whole, the others as differences.

    Raises
    ------
    GameError
        If the record breaks off before the game begins.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Random(), ttr.policies.Random()], seed=7)
    >>> data = game_data(record)
    >>> len(data["frames"]) == len(record.states())
    True
    >>> data["frames"][1]
    {'turn': [1, 'P1 is to choose its opening tickets'], 'offer:0': [],
     'tickets:0': [[32, 'possible', 8], [3, 'possible', 8], [34, 'possible', 10]]}
    """
    record.score()  # refuses a record that has not begun
    n_routes = {route.id: i for i, route in enumerate(record.map.routes)}
    last = record.states()[-1]
    frames = list(_whole_frames(record))
    return {
        "sheet": board_sheet(record.map),
        "game": _game(record),
        "claims": [[n_routes[route], owner] for route, owner in last.owners.items()],
        "moves": [_move(told, n_routes) for told in tell(record)],
        "frames": [frames[0], *(_difference(a, b) for a, b in pairwise(frames))],
    }


def _game(record: GameRecord) -> dict[str, Any]:
    """Return what does not change."""
    header, rules = record.header, record.map.rules
    names = header.players or header.policies or ("",) * header.n_players
    parts = [record.map.title if header.title else "", rules.variant.replace("_", " "), f"{header.n_players} players"]
    return {
        "title": header.title or record.map.title,
        "about": ", ".join(isolate(part) for part in parts if part),
        "note": header.note,
        "players": list(names),
        "kinds": list(CARD_KINDS),
        "money": rules.money.tokens > 0,
        "winners": list(record.winners),
    }


def _move(told: Narration, n_routes: dict[str, int]) -> list[Any]:
    cards = [[what, list(map(_card, kinds))] for what, kinds in told.cards]
    return [told.seat, told.text, cards, None if told.route is None else n_routes[told.route.id]]


def _card(kind: str | None) -> int:
    return UNKNOWN if kind is None else CARD_KINDS.index(kind)


def _difference(before: Frame, after: Frame) -> Frame:
    return {key: value for key, value in after.items() if value != before[key]}


# -- frames ---------------------------------------------------------------------------


def _whole_frames(record: GameRecord) -> Iterator[Frame]:
    states = record.states()
    game = Game(record.map, record.header.n_players)
    tickets = TicketJudge(game)
    scores: list[Score] = []
    scored_for: object = None
    for step, state in enumerate(states):
        # What is scored changes with these alone.
        key = (len(state.owners), state.tickets, state.tokens, state.loans)
        if key != scored_for:
            scores, scored_for = list(game.score(state)), key
        frame = _table_frame(state, tickets)
        for score in scores:
            marked = tickets.judge(state, score.seat)
            is_end = state.is_over and step == len(states) - 1
            parts = final_parts(score) if is_end else _parts(score, marked)
            values = {
                **_seat_frame(state, score.seat, tickets),
                "tickets": [list(one) for one in marked],
                "parts": [list(part) for part in parts],
                "points": score.total if is_end else sum(points or 0 for _, points in parts),
            }
            frame.update({f"{name}:{score.seat}": value for name, value in values.items()})
        yield frame


def _seat_frame(state: GameState, seat: int, tickets: TicketJudge) -> Frame:
    """Return what lies before a seat."""
    hand = state.hands[seat]
    return {
        "hand": [*hand, state.n_hands[seat] - hand.n_cards],
        "trains": state.trains[seat],
        "score": state.scores[seat],
        "tokens": state.tokens[seat],
        "loans": state.loans[seat],
        "offer": [tickets.number(ticket) for ticket in state.offers[seat]],
    }


def _table_frame(state: GameState, tickets: TicketJudge) -> Frame:
    """Return what belongs to no seat."""
    neutral = None
    if state.has_neutral:
        turned = state.neutral_ticket
        neutral = [None if turned is None else tickets.number(turned), state.neutral_trains, state.marker]
    return {
        "claims": len(state.owners),
        "turn": [None if state.is_over else state.acting, _turn_words(state)],
        "left": None if state.is_over else state.turns_left,
        "market": [None if kind is None else (*CARD_KINDS, "?").index(kind) for kind in state.market],
        "pile": state.n_pile,
        "discards": list(state.discards),
        "ticketPile": state.n_ticket_pile,
        "ticketDiscards": state.n_ticket_discards,
        "neutral": neutral,
    }


def _parts(score: Score, marked: list[Marked]) -> Parts:
    """Return what points a seat has for sure: no bonuses yet, and no tickets that are still possible."""
    judged = list(zip(score.tickets, marked, strict=True))
    gained = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "done")
    lost = sum(scored.points or 0 for scored, (_, status, _) in judged if status == "lost")
    return without_zeros(
        ("start", score.start),
        ("routes", score.route_points),
        ("tickets", gained),
        ("lost tickets", lost),
        ("loans", score.loan_points),
    )


class TicketJudge:
    """
    How the tickets of each seat stand, judged anew only when the board or the tickets changed.

    Parameters
    ----------
    game
        The game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._numbers = {ticket.id: i for i, ticket in enumerate(game.game_map.tickets)}
        self._judged: dict[int, tuple[object, list[Marked]]] = {}

    def number(self, ticket: Ticket | None) -> int:
        """Return the place of a ticket on the map."""
        return UNKNOWN if ticket is None else self._numbers[ticket.id]

    def judge(self, state: GameState, seat: int) -> list[Marked]:
        """
        Return number and status of each ticket, and the fewest trains that it still takes.

        A ticket is possible if the seat could join its ends with the trains
        that it has left, over its own routes and those open to it; None
        trains if there is no such way.
        """
        tickets = state.tickets[seat]
        key = (len(state.owners), tickets, state.is_over)
        if self._judged.get(seat, (None,))[0] != key:
            self._judged[seat] = key, self._judge(state, seat, tickets)
        return self._judged[seat][1]

    def _judge(self, state: GameState, seat: int, tickets: tuple[Ticket | None, ...]) -> list[Marked]:
        known = [ticket for ticket in tickets if ticket is not None]
        trains: dict[str, int] = {}
        if known:
            view = self._game.view(state, seat)
            solver = ForestSolver(self._game.game_map, view.closed, view.my_routes)
            costs = trains_of(solver.costs(known, np.arange(len(known), dtype=np.int64)[:, None]))
            trains = {ticket.id: cost for ticket, cost in zip(known, costs.tolist(), strict=True)}
        marked: list[Marked] = []
        for ticket in tickets:
            if ticket is None:
                marked.append((UNKNOWN, "unknown", None))
                continue
            need = trains[ticket.id]
            possible = 0 < need <= state.trains[seat] and not state.is_over
            status: Status = "done" if need == 0 else "possible" if possible else "lost"
            marked.append((self.number(ticket), status, need if need >= 0 else None))
        return marked


def replay_frames(data: dict[str, Any]) -> Iterator[Frame]:
    """Yield the frames of `game_data` whole, as the browser makes them."""
    frame: Frame = {}
    for difference in data["frames"]:
        frame = {**frame, **difference}
        yield frame


# -- win probabilities as a stepper shows them ---------------------------------------------------------------------

_COLUMNS = ["step", "seat", "win"]


def chance_data(curve: pd.DataFrame, acting: Sequence[int], n_seats: int, seat: int | None = None) -> dict[str, Any]:
    """
    Return a curve of win probabilities, ready for JSON.

    Parameters
    ----------
    curve
        From `studies.win_curve`, of this game. At a step that it leaves out
        the one before counts, up to its last one.
    acting
        Who moved in each step of the game; -1 where nobody did. It is
        compared if the curve says it too.
    n_seats
        Seats of the game.
    seat
        Whose view the stepper shows; None for all hands.

    Returns
    -------
    data
        `about`: from whose view, "" if the curve does not say. `percent`: for each seat a value a step;
        None before the first step of the curve and after its last one.

    Raises
    ------
    TypeError
        If it is no table.
    ValueError
        If it lacks a column, is of another game or of several, or may tell a
        seat more than it could know.

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
