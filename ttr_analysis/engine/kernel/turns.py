"""The set-up of a game, the end of a turn, of a round and of the game, and the neutral player."""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import CARD_DEALT, make_event
from ttr_analysis.engine.codes import NEUTRAL_TICKET as NEUTRAL_TICKET_EVENT
from ttr_analysis.engine.kernel.cards import can_draw, draw_unseen, fill_market, make_drawable
from ttr_analysis.engine.kernel.claims import mark_owner
from ttr_analysis.engine.kernel.tickets import deal_opening, discard_ticket, find_ticket_pile, next_ticket
from ttr_analysis.engine.layout import (
    AT_PILE,
    KEEP_START,
    NEUTRAL,
    NEUTRAL_OWNER,
    NOBODY,
    OVER,
    SECOND_DRAW,
    TURN,
    UNKNOWN_TICKET,
    Ending,
    State,
)
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream
from ttr_analysis.rules.money import BANK, toll_payee, transfer
from ttr_analysis.tables import MAX_ROUTES, MAX_SEATS, MAX_SLOTS, MAX_TICKETS, Tables


@compiled
def after_draw(state: State, tables: Tables, tape: Ints, cost: int) -> None:
    """
    Count the draws of a turn, which ends when there are enough.

    Decision: a second card that cannot be had is skipped. The books speak of
    none, only the Nordic one of a turn in which no card can be drawn at all.
    """
    state.n_taken += cost
    if state.n_taken < tables.draws and can_draw(state, tables):
        state.phase = SECOND_DRAW
    else:
        end_turn(state, tables, tape)


@compiled
def end_turn(state: State, tables: Tables, tape: Ints) -> None:
    """End the turn of the seat whose turn it is, and begin what comes next."""
    if state.added_discards:
        fill_market(state, tables, tape)
    state.added_discards = 0
    state.n_taken = 0
    state.n_turns += 1
    _look_for_the_end(state, tables)
    state.turn_seat = (state.turn_seat + 1) % tables.n_seats
    go_on(state)
    if state.neutral_in and _is_neutral_due(state, tables):
        play_neutral(state, tables, tape)


@compiled
def go_on(state: State) -> None:
    """Let the seat whose turn it is act, unless the game is over."""
    state.seat = state.turn_seat
    state.phase = OVER if state.ending else TURN


@compiled
def _look_for_the_end(state: State, tables: Tables) -> None:
    """Count the last turns, or set off the last round; the game may be over."""
    seat = state.turn_seat
    if state.last_left > 0:
        state.last_left -= 1
        if state.last_left == 0:
            state.ending = Ending.TRAINS
            return
    elif state.trains[seat] <= tables.last_round_at:
        state.last_left = tables.n_seats * tables.last_turns
        state.last_seat = seat
    if state.n_passes >= tables.n_seats * tables.pass_rounds:
        state.ending = Ending.PASSES
    elif state.n_turns >= tables.max_turns:
        state.ending = Ending.TRUNCATED


# -- the neutral player --------------------------------------------------------------------------------------------


@compiled
def play_neutral(state: State, tables: Tables, tape: Ints) -> None:
    """
    Play the neutral player's phase.

    If the holder of the marker must choose between two tracks, the phase
    stops there: that seat acts next.
    """
    state.neutral_ticket = NOBODY
    find_ticket_pile(state, tables, tape)
    if not state.neutral_in:
        return
    ticket = next_ticket(state, tables, tape, NEUTRAL_TICKET_EVENT)
    discard_ticket(state, ticket)
    state.neutral_ticket = ticket
    if ticket == UNKNOWN_TICKET:
        return
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if a < 0:
        return
    owner_a = state.owner[a]
    owner_b = NOBODY if b < 0 else state.owner[b]
    if NEUTRAL_OWNER in (owner_a, owner_b):
        return
    n_free = int(owner_a == NOBODY) + int(b >= 0 and owner_b == NOBODY)
    n_tracks = 1 + int(b >= 0)
    if n_free == n_tracks:
        if may_choose(state, tables, a) or may_choose(state, tables, b):
            state.phase = NEUTRAL
            state.seat = state.marker
        else:
            state.neutral_in = 0
    elif n_free == 1:
        _take_other(state, tables, a if owner_a == NOBODY else b, owner_b if owner_a == NOBODY else owner_a)


@compiled
def _is_neutral_due(state: State, tables: Tables) -> bool:
    """Return whether a round has just ended after which the neutral player plays."""
    if state.phase == OVER and not tables.neutral_after_last:
        return False
    n_seats = tables.n_seats
    return bool(state.n_turns % n_seats == 0 and state.n_turns >= n_seats * tables.neutral_from)


@compiled
def may_choose(state: State, tables: Tables, route: int) -> bool:
    """Return whether the neutral player can take a track (-1: there is none)."""
    return route >= 0 and state.owner[route] == NOBODY and tables.length[route] <= state.trains[NEUTRAL_OWNER]


@compiled
def _take_other(state: State, tables: Tables, route: int, player: int) -> None:
    """Take the track beside a player's; the bank pays the toll to whom a second track pays it."""
    if not may_choose(state, tables, route):
        state.neutral_in = 0
        return
    mark_owner(state, tables, NEUTRAL_OWNER, route)
    if tables.tokens_each > 0:
        payee = toll_payee(player, tables.n_seats, tables.pays_owner)
        transfer(state.tokens, BANK, payee, tables.toll[route])


# -- the set-up of a game ------------------------------------------------------------------------------------------


@quickly_compiled
def new_game(tables: Tables, key: Ints, game: int, state: State, tape: Ints) -> None:
    """
    Set a game up: hands, market and tickets are dealt, and seat 0 chooses its tickets.

    Parameters
    ----------
    tables
        The map, its rules and the number of players: `tables.game_tables`.
    key
        Words of the seed.
    game
        Number of the game in its run.
    state
        Filled.
    tape
        Script of outcomes, and where events are written.
    """
    state.cells.fill(0)
    put_pieces(tables, state)
    open_stream(key, game, TABLE_STREAM, state.stream)
    for seat in range(tables.n_seats):
        for _ in range(tables.opening_hand):
            if make_drawable(state, tables, tape):
                draw_unseen(state, tables, tape, seat, make_event(CARD_DEALT, seat))
    fill_market(state, tables, tape)
    state.added_discards = 0
    deal_opening(state, tables, tape)
    state.phase = KEEP_START


@quickly_compiled
def put_pieces(tables: Tables, state: State) -> None:
    """Lay out what does not depend on chance."""
    state.last_left = state.last_seat = state.pending = state.neutral_ticket = NOBODY
    for kind in range(N_KINDS):
        state.draw_pile[kind] = state.pool[kind] = tables.deck[kind]
        state.n_pile += tables.deck[kind]
    for slot in range(MAX_SLOTS):
        state.market[slot] = NOBODY
    for seat in range(MAX_SEATS):
        state.offer[seat].fill(NOBODY)
    for route in range(MAX_ROUTES):
        state.owner[route] = NOBODY
    for ticket in range(MAX_TICKETS):
        state.ticket_at[ticket] = AT_PILE if ticket < tables.n_tickets else NOBODY
    state.n_ticket_pile = tables.n_tickets
    for seat in range(tables.n_seats):
        state.trains[seat] = tables.trains_each
        state.score[seat] = tables.start_score[seat]
        state.tokens[seat] = tables.tokens_each
        state.stations[seat] = tables.stations_each
    state.trains[NEUTRAL_OWNER] = tables.neutral_trains
    state.neutral_in = tables.neutral_trains > 0
    state.marker = tables.marker_seat if tables.neutral_trains > 0 else NOBODY
