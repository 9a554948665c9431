"""
Collect the numbers that studies store from games, compiled.

Each `step` of a game is observed from the state before and after it. So this module
contains no rules, and treats compiled policies, Python policies and people alike.
Decisions have one row each: what the seat had, what it could do, and what it did.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import Flags, Floats, Ints, Narrow, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.kernel.claims import tunnel_odds
from ttr_analysis.engine.kernel.numbering import Numbering, index_of, numbering_of
from ttr_analysis.engine.kernel.numbering import fill_mask as fill_legal
from ttr_analysis.engine.kernel.scoring import goal_reached, join_ends, label_at_end, label_cities, margins
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import KEEP_START, NEUTRAL_OWNER, NOBODY, OVER, UNKNOWN_TICKET, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import Players, choose, wake_players
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.rules.market import count_cards
from ttr_analysis.rules.scoring import NO_GOAL, ticket_score
from ttr_analysis.studies.ticket_paths import NEVER
from ttr_analysis.tables import MAX_CITIES, MAX_OFFER, MAX_ROUTES, MAX_STATIONS, Tables, game_tables

NEUTRAL_SEAT: Final = -1
"""The seat number of the neutral player."""
NO_ROUTE: Final = -1
"""The route of a station that borrows none."""

# -- noted for each ticket offered ---------------------------------------------

TICKET_SEAT: Final = 0
TICKET: Final = 1
OFFERED: Final = 2
"""The seat's turn in which it was offered; 0 at the start."""
IS_KEPT: Final = 3
TRAINS_THEN: Final = 4
"""The seat's trains when it was offered."""
N_TICKET_NOTES: Final = 5

# -- outcome of each ticket offered --------------------------------------------

COMPLETED: Final = 0
"""The seat's turn after which it was first completed, else `NEVER`."""
GOAL: Final = 1
"""The destination that counted in the end, from 0, else `NO_GOAL`."""
TICKET_POINTS: Final = 2
N_TICKET_ENDS: Final = 3

# -- noted for each attempt to claim a route -----------------------------------

CLAIM_SEAT: Final = 0
ROUTE: Final = 1
CLAIM_TURN: Final = 2
IS_TAKEN: Final = 3
DEMANDED: Final = 4
"""Surcharge of a tunnel (cards)."""
NEW_LOANS: Final = 5
N_CLAIM_NOTES: Final = 6

# -- packed cards of each attempt, none for the neutral player -----------------

LAID: Final = 0
"""The cards laid down."""
PAID_MORE: Final = 1
"""The cards paid as the surcharge of a tunnel."""
N_PAYMENTS: Final = 2

# -- noted for each seat: moves by kind, then the result -----------------------

N_MOVE_KINDS: Final = codes.N_ACTIONS
TICKETS_HELD: Final = N_MOVE_KINDS
TRAINS_LEFT: Final = N_MOVE_KINDS + 1
CARDS_LEFT: Final = N_MOVE_KINDS + 2
N_SEAT_NOTES: Final = N_MOVE_KINDS + 3

# -- numbers of rows -----------------------------------------------------------

TICKETS: Final = 0
CLAIMS: Final = 1
N_COUNTS: Final = 2


class Notes(NamedTuple):
    """
    Notes of tickets and claims of many games.

    `tickets`, `claims` and `payments` have a row for each kind of note and a column for each
    ticket or claim, game by game, including the neutral player's. `odds` are the probabilities of
    paying for a tunnel, given what the seat could see. `counts` are the columns in use.
    """

    tickets: Narrow
    claims: Narrow
    payments: Ints
    odds: Floats
    counts: Ints


def new_notes(room: int) -> Notes:
    """Return empty notes with room for at least `room` tickets and as many claims."""
    room = max(room, MAX_OFFER, 1 + MAX_ROUTES)
    return Notes(
        tickets=np.empty((N_TICKET_NOTES, room), dtype=np.int32),
        claims=np.empty((N_CLAIM_NOTES, room), dtype=np.int32),
        payments=np.empty((N_PAYMENTS, room), dtype=np.int64),
        odds=np.empty(room),
        counts=np.zeros(N_COUNTS, dtype=np.int64),
    )


def with_more_room(notes: Notes) -> Notes:
    """Return the same notes with twice the room."""
    more = new_notes(2 * len(notes.odds))
    parts: Any = zip(more, without_room(notes), strict=True)
    for room, used in parts:
        room[..., : used.shape[-1]] = used
    return more


def without_room(notes: Notes) -> Notes:
    """Return the same notes without spare room."""
    n_tickets, n_claims = notes.counts
    return Notes(
        tickets=notes.tickets[:, :n_tickets].copy(),
        claims=notes.claims[:, :n_claims].copy(),
        payments=notes.payments[:, :n_claims].copy(),
        odds=notes.odds[:n_claims].copy(),
        counts=notes.counts,
    )


@compiled
def play_noted(
    tables: Tables,
    players: Players,
    keys: Ints,
    first: int,
    n_rotations: int,
    states: Ints,
    notes: Notes,
    ends: Ints,
    seats: Narrow,
    tape: Ints,
) -> int:
    """
    Play games of a run to the end, take notes, and return the number of games for which there was room.

    Players are listed as seated in game 0; they move by one seat each game. `states` gets
    the last states, `ends` the tickets and claims noted up to the end of each game, and
    `seats` the notes of each seat. Events are written on `tape`.
    """
    for i in range(len(states)):
        game = first + i
        state = State(states[i])
        new_game(tables, keys[0], game // n_rotations, state, tape)
        shift = game % tables.n_seats
        wake_players(tables, players, shift, keys, game // n_rotations)
        seats[i] = 0
        n_tickets, n_claims = notes.counts[TICKETS], notes.counts[CLAIMS]
        while state.phase != OVER:
            if not _has_room(notes):
                notes.counts[TICKETS], notes.counts[CLAIMS] = n_tickets, n_claims
                return i
            player = state.seat + shift
            if player >= tables.n_seats:
                player -= tables.n_seats
            code, value = choose(state, tables, players, player)
            _noted_step(state, tables, code, value, tape, notes, seats[i])
        note_end(state, tables, seats[i])
        ends[i] = notes.counts
    return len(states)


@quickly_compiled
def script_game(rows: Ints, tape: Ints) -> None:
    """Write a game's chance outcomes on a tape with at least `TAPE_START` cells more than its events."""
    at = codes.TAPE_START
    for i in range(len(rows)):
        if codes.CARD_DEALT <= codes.kind_of(rows[i, 0]) <= codes.NEUTRAL_TICKET:
            tape[at] = rows[i, 0]
            tape[at + 1] = rows[i, 1]
            at += 2
    tape[codes.READ_AT] = codes.TAPE_START
    tape[codes.READ_END] = tape[codes.WRITE_AT] = tape[codes.WRITE_END] = at


@quickly_compiled
def collect_game(
    tables: Tables,
    rows: Ints,
    state: State,
    tape: Ints,
    notes: Notes,
    seats: Narrow,
) -> bool:
    """
    Replay all events of a game and take notes; return False, with nothing added, if there is no room.

    `state` gets the last state, with a fault if the events do not fit the map, and `seats`
    the notes of each seat.
    """
    script_game(rows, tape)
    new_game(tables, np.zeros(KEY_SIZE, dtype=np.int64), 0, state, tape)
    seats[:] = 0
    n_tickets, n_claims = notes.counts[TICKETS], notes.counts[CLAIMS]
    for i in range(len(rows)):
        if codes.kind_of(rows[i, 0]) >= codes.FIRST_EVENT:
            continue
        if not _has_room(notes):
            notes.counts[TICKETS], notes.counts[CLAIMS] = n_tickets, n_claims
            return False
        code = codes.without_seat(rows[i, 0])
        _noted_step(state, tables, code, rows[i, 1], tape, notes, seats)
    note_end(state, tables, seats)
    return True


@quickly_compiled
def collect_step(state: State, tables: Tables, code: int, value: int, tape: Ints, notes: Notes, seats: Narrow) -> bool:
    """Make a step of a game and take notes; return False, with nothing done, if there is no room."""
    if not _has_room(notes):
        return False
    _noted_step(state, tables, code, value, tape, notes, seats)
    return True


# -- notes around a step -----------------------------------------------------------


@compiled
def _has_room(notes: Notes) -> bool:
    room = notes.odds.size
    return bool(notes.counts[TICKETS] + MAX_OFFER <= room and notes.counts[CLAIMS] + 1 + MAX_ROUTES <= room)


@compiled
def _noted_step(state: State, tables: Tables, code: int, value: int, tape: Ints, notes: Notes, seats: Narrow) -> None:
    """Apply the acting seat's action, as `step` does, and note the action and its outcome."""
    kind, seat = codes.kind_of(code), state.seat
    seats[seat, kind] += 1
    n_routes, loans = state.n_claims, state.loans[seat]
    if kind == codes.KEEP_TICKETS:
        _note_offer(state, tables, value, notes)
    elif kind in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL):
        _note_claim(state, tables, codes.argument_of(code), value, notes)
    claim = notes.counts[CLAIMS] - 1
    if kind == codes.PAY_TUNNEL:
        notes.payments[PAID_MORE, claim] = value
        if count_cards(state.laid) == 0:
            _part_payment(tables.length[state.pending], claim, notes)
    step(state, tables, code, value, tape)
    if kind == codes.ATTEMPT_TUNNEL:
        notes.claims[DEMANDED, claim] = state.surcharge - tables.length[state.pending]
    elif kind == codes.CLAIM_ROUTE and state.pending >= 0:
        notes.claims[DEMANDED, claim] = state.surcharge
    elif kind in (codes.CLAIM_ROUTE, codes.PAY_TUNNEL):
        notes.claims[IS_TAKEN, claim] = 1
        notes.claims[NEW_LOANS, claim] = state.loans[seat] - loans
    if state.n_claims > n_routes:
        _note_neutral(state, tables, n_routes, notes)


@compiled
def _part_payment(length: int, claim: int, notes: Notes) -> None:
    """Split a tunnel paid at once into cards laid down, as many of its color as possible, and the rest."""
    cards = np.empty(N_KINDS, dtype=np.int64)
    codes.unpack_cards(notes.payments[PAID_MORE, claim], cards)
    left = length
    for kind in range(N_KINDS):
        n = min(left, cards[kind])
        left -= n
        cards[kind] -= n
    more = codes.pack_cards(cards)
    notes.payments[LAID, claim] = notes.payments[PAID_MORE, claim] - more
    notes.payments[PAID_MORE, claim] = more


@compiled
def _turn(state: State, tables: Tables) -> int:
    return 0 if state.phase == KEEP_START else int(state.n_turns // tables.n_seats + 1)


@compiled
def _note_offer(state: State, tables: Tables, kept: int, notes: Notes) -> None:
    seat, tickets, n = state.seat, notes.tickets, notes.counts[TICKETS]
    turn = _turn(state, tables)
    for i in range(state.n_offer[seat]):
        tickets[TICKET_SEAT, n] = seat
        tickets[TICKET, n] = state.offer[seat, i]
        tickets[OFFERED, n] = turn
        tickets[IS_KEPT, n] = kept >> i & 1
        tickets[TRAINS_THEN, n] = state.trains[seat]
        n += 1
    notes.counts[TICKETS] = n


@compiled
def _add_claim(seat: int, route: int, turn: int, laid: int, notes: Notes) -> int:
    """Add a claim with the cards laid down; return its number."""
    n = notes.counts[CLAIMS]
    for row in range(N_CLAIM_NOTES):
        notes.claims[row, n] = 0
    notes.claims[CLAIM_SEAT, n] = seat
    notes.claims[ROUTE, n] = route
    notes.claims[CLAIM_TURN, n] = turn
    notes.payments[LAID, n] = laid
    notes.payments[PAID_MORE, n] = 0
    notes.odds[n] = 1.0
    notes.counts[CLAIMS] = n + 1
    return int(n)


@compiled
def _note_claim(state: State, tables: Tables, route: int, packed: int, notes: Notes) -> None:
    """Note what the acting seat lays down for a route, and the odds of success."""
    seat = state.seat
    claim = _add_claim(seat, route, _turn(state, tables), packed, notes)
    if tables.tunnel[route]:
        notes.odds[claim] = tunnel_odds(state, tables, seat, route, packed)


@compiled
def _note_neutral(state: State, tables: Tables, first: int, notes: Notes) -> None:
    """Note the routes that the neutral player took during a round."""
    n_rounds = state.n_turns // tables.n_seats
    for i in range(first, state.n_claims):
        route = state.claimed[i]
        if state.owner[route] == NEUTRAL_OWNER:
            claim = _add_claim(NEUTRAL_SEAT, route, n_rounds, 0, notes)
            notes.claims[IS_TAKEN, claim] = 1


@compiled
def note_end(state: State, tables: Tables, seats: Narrow) -> None:
    """Note each seat's result at the end of a game."""
    for seat in range(tables.n_seats):
        seats[seat, TICKETS_HELD] = state.n_held[seat]
        seats[seat, TRAINS_LEFT] = state.trains[seat]
        seats[seat, CARDS_LEFT] = state.n_hand[seat]


# -- outcomes of tickets, from the notes -------------------------------------------


@compiled
def fill_borrowed(states: Ints, tables: Tables, borrowed: Ints) -> None:
    """Find the routes borrowed by stations at the end of games: a row for each seat, with `NO_ROUTE` for none."""
    label = np.empty(MAX_CITIES, dtype=np.int64)
    for i in range(len(states)):
        state = State(states[i])
        for seat in range(tables.n_seats):
            label_at_end(state, tables, seat, label, borrowed[i, seat])


@compiled
def fill_ticket_ends(tables: Tables, notes: Notes, ends: Ints, borrowed: Ints, turns: Ints, found: Narrow) -> None:
    """
    Fill `found` with tickets' points and completion turns: rows by `COMPLETED`, `GOAL`, `TICKET_POINTS`.

    `borrowed` are the routes borrowed by stations, `turns` the turns of each seat of each game.
    """
    label = np.empty(MAX_CITIES, dtype=np.int64)
    for i in range(found.shape[1]):
        found[COMPLETED, i] = NEVER
        found[GOAL, i] = NO_GOAL
        found[TICKET_POINTS, i] = 0
    for game in range(len(ends) - 1):
        for seat in range(tables.n_seats):
            if _fill_points(tables, notes, ends, game, seat, borrowed[game, seat], label, found):
                _fill_completed(tables, notes, ends, game, seat, turns[game, seat], label, found)


@compiled
def _fill_points(
    tables: Tables, notes: Notes, ends: Ints, game: int, seat: int, borrowed: Ints, label: Ints, found: Narrow
) -> bool:
    """Find the final points of a seat's tickets; return whether some are completed."""
    for city in range(tables.n_cities):
        label[city] = city
    for i in range(ends[game, CLAIMS], ends[game + 1, CLAIMS]):
        if _is_taken(notes, i, seat):
            join_ends(tables, notes.claims[ROUTE, i], label)
    for station in range(MAX_STATIONS):
        if borrowed[station] != NO_ROUTE:
            join_ends(tables, borrowed[station], label)
    is_any_reached = False
    for i in range(ends[game, TICKETS], ends[game + 1, TICKETS]):
        ticket = notes.tickets[TICKET, i]
        if notes.tickets[TICKET_SEAT, i] == seat and notes.tickets[IS_KEPT, i] and ticket != UNKNOWN_TICKET:
            goal = goal_reached(tables, ticket, label)
            found[TICKET_POINTS, i] = ticket_score(goal, tables.goal_points, tables.penalty[ticket])
            if goal != NO_GOAL:
                found[GOAL, i] = goal - tables.goal_start[ticket]
                is_any_reached = True
    return is_any_reached


@compiled
def _fill_completed(
    tables: Tables, notes: Notes, ends: Ints, game: int, seat: int, last_turn: int, label: Ints, found: Narrow
) -> None:
    """Find when completed tickets were first complete: after the seat's last turn, if only stations complete them."""
    for city in range(tables.n_cities):
        label[city] = city
    _fill_joined(tables, notes, ends, game, seat, 0, label, found)
    for i in range(ends[game, CLAIMS], ends[game + 1, CLAIMS]):
        if _is_taken(notes, i, seat) and join_ends(tables, notes.claims[ROUTE, i], label):
            _fill_joined(tables, notes, ends, game, seat, notes.claims[CLAIM_TURN, i], label, found)
    for i in range(ends[game, TICKETS], ends[game + 1, TICKETS]):
        is_reached = notes.tickets[TICKET_SEAT, i] == seat and found[GOAL, i] != NO_GOAL
        if is_reached and found[COMPLETED, i] == NEVER:
            found[COMPLETED, i] = last_turn


@compiled
def _fill_joined(
    tables: Tables, notes: Notes, ends: Ints, game: int, seat: int, turn: int, label: Ints, found: Narrow
) -> None:
    """Find a seat's tickets that its routes complete in a turn, or before they were offered."""
    tickets = notes.tickets
    for i in range(ends[game, TICKETS], ends[game + 1, TICKETS]):
        is_open = tickets[TICKET_SEAT, i] == seat and found[GOAL, i] != NO_GOAL and found[COMPLETED, i] == NEVER
        if is_open and goal_reached(tables, tickets[TICKET, i], label) != NO_GOAL:
            found[COMPLETED, i] = max(turn, tickets[OFFERED, i])


@compiled
def _is_taken(notes: Notes, claim: int, seat: int) -> bool:
    """Return whether a claim is the seat's, and succeeded."""
    return bool(notes.claims[CLAIM_SEAT, claim] == seat and notes.claims[IS_TAKEN, claim])


# -- noted for each decision -------------------------------------------------------

NOTED: Final = (
    "seat",
    "turn",
    "phase",
    "cards",
    "locomotives",
    "most_of_a_color",
    "trains",
    "points",
    "tickets",
    "connected",
    "rival_trains",
    "rival_points",
    "pile",
    "is_last",
    "action",
)
"""What is noted about each decision, in this order."""


@compiled
def _note(state: State, tables: Tables, numbers: Numbering, code: int, value: int, noted: Narrow, legal: Flags) -> None:
    fill_legal(state, tables, numbers, legal)
    seat, n_seats = state.seat, tables.n_seats
    most, connected, label = 0, 0, np.empty(MAX_CITIES, dtype=np.int64)
    for color in range(N_COLORS):
        most = max(most, state.hand[seat, color])
    label_cities(state, tables, seat, label)
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET and goal_reached(tables, ticket, label) != NO_GOAL:
            connected += 1
    rival = (seat + 1) % n_seats
    fewest, best = state.trains[rival], state.score[rival]
    for other in range(n_seats):
        if other != seat:
            fewest, best = min(fewest, state.trains[other]), max(best, state.score[other])
    noted[0] = seat
    noted[1] = 0 if state.phase == KEEP_START else state.n_turns // n_seats + 1
    noted[2] = state.phase
    noted[3] = state.n_hand[seat]
    noted[4] = state.hand[seat, LOCOMOTIVE_INDEX]
    noted[5] = most
    noted[6] = state.trains[seat]
    noted[7] = state.score[seat]
    noted[8] = state.n_held[seat]
    noted[9] = connected
    noted[10] = fewest
    noted[11] = best
    noted[12] = state.n_pile
    noted[13] = int(state.last_left != NOBODY)
    noted[14] = index_of(state, tables, numbers, code, value)


@quickly_compiled
def note_decision(
    state: State, tables: Tables, numbers: Numbering, code: int, value: int, noted: Narrow, legal: Flags
) -> None:
    """Note a decision of the seat that acts, and mark which actions were legal."""
    _note(state, tables, numbers, code, value, noted, legal)


@quickly_compiled
def _follow(
    tables: Tables, numbers: Numbering, events: Ints, state: State, tape: Ints, noted: Narrow, legal: Flags
) -> None:
    """Follow the events of a game from its beginning, and note its decisions, one per row."""
    script_game(events, tape)
    new_game(tables, np.zeros(KEY_SIZE, dtype=np.int64), 0, state, tape)
    n = 0
    for i in range(len(events)):
        if codes.kind_of(events[i, 0]) < codes.FIRST_EVENT:
            code, value = codes.without_seat(events[i, 0]), events[i, 1]
            _note(state, tables, numbers, code, value, noted[n], legal[n])
            step(state, tables, code, value, tape)
            n += 1


def outcomes(points: Narrow, won: Narrow) -> dict[str, npt.NDArray[Any]]:
    """Return how games ended for each seat, shape (games, seats), from final points and 1 for each winner."""
    return {
        "final_points": points,
        "margin": margins(points),
        "won": won / np.maximum(1, won.sum(axis=1, keepdims=True)),
    }


class DecisionNotes:
    """Notes of the decisions of some games: `game` and `step` number them, and `n_legal` cuts `legal` into rows."""

    def __init__(self, game_map: GameMap, n_players: int) -> None:
        self.tables, self.numbers = game_tables(game_map, n_players), numbering_of(game_map)
        self._parts: list[dict[str, npt.NDArray[Any]]] = []

    def follow(self, game: int, events: Ints) -> None:
        """Add the decisions of a game, from all its events."""
        noted, legal = self.room(int(((events[:, 0] & codes.KIND_MASK) < codes.FIRST_EVENT).sum()))
        tape = np.zeros(codes.TAPE_START + events.size, dtype=np.int64)
        _follow(self.tables, self.numbers, events, State(), tape, noted, legal)
        self.add(game, np.arange(1, 1 + len(noted)), noted, legal)

    def room(self, n: int) -> tuple[Narrow, Flags]:
        """Return arrays for the notes and legal actions of n decisions."""
        return np.zeros((n, len(NOTED)), dtype=np.int32), np.zeros((n, len(self.numbers.rows)), dtype=np.int8)

    def add(self, game: int, steps: Ints, noted: Narrow, legal: Flags) -> None:
        """Add noted decisions; `steps` are the steps of the record that they make."""
        marked = np.flatnonzero(legal.view(np.bool_))
        self._parts.append(
            {
                "game": np.full(len(steps), game),
                "step": steps,
                "n_legal": legal.sum(axis=1),
                "legal": (marked % legal.shape[1]).astype(np.int16),
                **dict(zip(NOTED, noted.T, strict=True)),
            }
        )

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the notes of all games."""
        names = ("game", "step", "n_legal", "legal", *NOTED)
        parts = self._parts or [dict.fromkeys(names, np.zeros(0, dtype=np.int64))]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
