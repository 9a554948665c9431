"""The course of a game: setup, tickets, the end of a turn, of a round and of the game, and the neutral player."""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.codes import kind_of, make_event
from ttr_analysis.engine.kernel import cards
from ttr_analysis.engine.kernel.claims import mark_owner
from ttr_analysis.engine.layout import Ending, State
from ttr_analysis.rules.chance import TABLE_STREAM, open_stream
from ttr_analysis.rules.money import BANK, toll_payee, transfer
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, UNKEPT_UNDER_PILE, Tables

# -- tickets: drawing, keeping and returning ---------------------------------------------------------------------------

ANY_DECK: Final = -1
"""In place of a deck: the pile for draws after the opening."""


@compiled
def has_tickets(state: State) -> bool:
    """Return whether a ticket can be drawn, after a shuffle if needed."""
    return bool(state.n_ticket_pile + state.n_queued + state.n_ticket_discards > 0)


@compiled
def find_ticket_pile(state: State, tables: Tables, tape: Ints) -> bool:
    """
    Shuffle the ticket discards into a new pile if the pile is empty; return whether there is a ticket to draw.

    A neutral player leaves when the pile is found empty. Decision: therefore the discards
    are shuffled only when a ticket is needed; the Nederland rule sheets define when the pile
    has run out.
    """
    if state.n_ticket_pile + state.n_queued > 0:
        return True
    state.neutral_in = 0
    if state.n_ticket_discards == 0:
        return False
    for ticket in range(tables.n_tickets):
        if state.ticket_at[ticket] == layout.AT_DISCARDS:
            state.ticket_at[ticket] = layout.AT_PILE
    state.n_ticket_pile = state.n_ticket_discards
    state.n_ticket_discards = 0
    cards.write_event(tape, make_event(codes.SHUFFLED, 0, codes.SHUFFLED_TICKETS), 0)
    return True


@compiled
def next_ticket(state: State, tables: Tables, tape: Ints, code: int, deck: int = ANY_DECK) -> int:
    """Take the top ticket of the pile (at the start, of a deck), which must not be empty; return its number."""
    if state.n_ticket_pile > 0:
        scripted = cards.is_scripted(tape)
        ticket = _scripted_ticket(state, tables, tape, code, deck) if scripted else _random_ticket(state, tables, deck)
        state.n_ticket_pile -= 1
    else:
        ticket = state.queue[state.queue_head]
        if cards.is_scripted(tape):
            ticket = _scripted_from_queue(state, tables, tape, code, ticket)
        state.queue_head = (state.queue_head + 1) % MAX_TICKETS
        state.n_queued -= 1
    cards.write_event(tape, code, ticket)
    return ticket


@compiled
def _random_ticket(state: State, tables: Tables, deck: int) -> int:
    if deck == ANY_DECK or tables.n_decks == 1:
        number = cards.random_below(state, state.n_ticket_pile)
        ticket = 0
        n = 0  # no early exit from the loop: an unpredictable branch would be slower
        for t in range(tables.n_tickets):
            n += int(state.ticket_at[t] == layout.AT_PILE)
            ticket += int(number >= n)
        return ticket
    n = 0
    for t in range(tables.n_tickets):
        n += int(state.ticket_at[t] == layout.AT_PILE and tables.ticket_deck[t] == deck)
    left = cards.random_below(state, n)
    ticket = -1
    while left >= 0:
        ticket += 1
        left -= int(state.ticket_at[ticket] == layout.AT_PILE and tables.ticket_deck[ticket] == deck)
    return ticket


@compiled
def _scripted_ticket(state: State, tables: Tables, tape: Ints, code: int, deck: int) -> int:
    ticket = cards.read_outcome(state, tape, code)
    if ticket == layout.UNKNOWN_TICKET and kind_of(code) == codes.TICKET_OFFERED:
        return ticket
    if _may_be_unknown(state, tables, ticket, deck):
        return ticket
    state.fault = 1
    return layout.UNKNOWN_TICKET


@compiled
def _may_be_unknown(state: State, tables: Tables, ticket: int, deck: int) -> bool:
    """Return whether a ticket may still be in the pile and belongs to the deck."""
    if not (0 <= ticket < tables.n_tickets and state.ticket_at[ticket] == layout.AT_PILE):
        return False
    of = tables.ticket_deck[ticket]
    # If it is unknown which were dealt, the tickets of a deck that left the game still appear to be in the pile.
    return bool(of == deck or (deck == ANY_DECK and tables.deck_leaves[of] == 0))


@compiled
def _scripted_from_queue(state: State, tables: Tables, tape: Ints, code: int, ticket: int) -> int:
    """Return the ticket given by the script; if the tickets under the pile are known, it must be one of them."""
    drawn = cards.read_outcome(state, tape, code)
    if drawn not in (ticket, layout.UNKNOWN_TICKET):
        _bring_up(state, tables, drawn)
        ticket = state.queue[state.queue_head]
    if drawn == layout.UNKNOWN_TICKET and ticket != layout.UNKNOWN_TICKET:
        state.ticket_at[ticket] = layout.AT_PILE  # the seat that got it may have returned it unseen
    if drawn in (ticket, layout.UNKNOWN_TICKET):
        return drawn
    if ticket == layout.UNKNOWN_TICKET and _may_be_unknown(state, tables, drawn, ANY_DECK):
        return drawn
    state.fault = 1
    return layout.UNKNOWN_TICKET


@compiled
def _bring_up(state: State, tables: Tables, ticket: int) -> None:
    """Move a ticket to the top if it, or an unknown one, was put under the pile in the same turn as the top one."""
    head = state.queue_head
    for i in range(1, state.n_queued):
        at = (head + i) % MAX_TICKETS
        if state.queued_at[at] != state.queued_at[head]:
            return
        is_unknown = state.queue[at] == layout.UNKNOWN_TICKET and _may_be_unknown(state, tables, ticket, ANY_DECK)
        if state.queue[at] == ticket or is_unknown:
            state.queue[at] = state.queue[head]
            state.queue[head] = ticket
            return


@compiled
def offer_tickets(state: State, tables: Tables, tape: Ints, seat: int, n: int) -> None:
    """Offer a seat `n` tickets, or fewer if there are not enough."""
    for _ in range(n):
        if not find_ticket_pile(state, tables, tape):
            return
        _offer(state, seat, next_ticket(state, tables, tape, make_event(codes.TICKET_OFFERED, seat)))


@compiled
def deal_opening(state: State, tables: Tables, tape: Ints) -> None:
    """Deal all seats their opening tickets, deck by deck; the rest of a deck goes where the rules say."""
    for seat in range(tables.n_seats):
        for deck in range(tables.n_decks):
            n_left = tables.deck_size[deck] - seat * tables.deck_deal[deck]
            for _ in range(min(tables.deck_deal[deck], n_left)):
                _offer(state, seat, next_ticket(state, tables, tape, make_event(codes.TICKET_OFFERED, seat), deck))
    for deck in range(tables.n_decks):
        if tables.deck_leaves[deck]:
            _remove_deck(state, tables, deck)


@compiled
def _offer(state: State, seat: int, ticket: int) -> None:
    state.offer[seat, state.n_offer[seat]] = ticket
    state.n_offer[seat] += 1
    _put(state, ticket, layout.AT_OFFER)


@compiled
def _remove_deck(state: State, tables: Tables, deck: int) -> None:
    """Remove a deck's undealt tickets from the game; which ones they are is known only if every dealt ticket is."""
    n_left = max(0, tables.deck_size[deck] - tables.n_seats * tables.deck_deal[deck])
    n_found = 0
    for ticket in range(tables.n_tickets):
        n_found += int(tables.ticket_deck[ticket] == deck and state.ticket_at[ticket] == layout.AT_PILE)
    state.n_ticket_pile -= n_left
    for ticket in range(tables.n_tickets):
        if n_found == n_left and tables.ticket_deck[ticket] == deck and state.ticket_at[ticket] == layout.AT_PILE:
            state.ticket_at[ticket] = layout.AT_REMOVED


@compiled
def fewest_kept(state: State, tables: Tables, seat: int) -> int:
    """Return the minimum number of offered tickets that a seat must keep."""
    at_least = tables.opening_keep if state.phase == layout.KEEP_START else tables.ticket_keep
    return int(min(at_least, state.n_offer[seat]))


@compiled
def count_bits(number: int) -> int:
    """Return the number of bits set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@quickly_compiled
def where_unkept(state: State, tables: Tables) -> int:
    """Return where returned tickets go now: one of `UNKEPT_*`."""
    return int(tables.opening_unkept if state.phase == layout.KEEP_START else tables.unkept)


@quickly_compiled
def keep_tickets(state: State, tables: Tables, seat: int, kept: int) -> None:
    """Keep the tickets of an offer whose bits are set; put the others, in order, where the rules say."""
    unkept = where_unkept(state, tables)
    for i in range(state.n_offer[seat]):
        ticket = state.offer[seat, i]
        state.offer[seat, i] = layout.NOBODY
        if kept >> i & 1:
            state.held[seat, state.n_held[seat]] = ticket
            state.n_held[seat] += 1
            _put(state, ticket, seat)
            continue
        if ticket != layout.UNKNOWN_TICKET:
            state.returned_by[ticket] = 1 + seat
        if unkept == UNKEPT_UNDER_PILE:
            last = (state.queue_head + state.n_queued) % MAX_TICKETS
            state.queue[last] = ticket
            state.queued_at[last] = state.n_turns
            state.n_queued += 1
            _put(state, ticket, layout.AT_QUEUE)
        elif unkept == UNKEPT_DISCARDED:
            discard_ticket(state, ticket)
        else:
            _put(state, ticket, layout.AT_REMOVED)
    state.n_offer[seat] = 0


@compiled
def discard_ticket(state: State, ticket: int) -> None:
    """Put a ticket face up on the ticket discards."""
    state.n_ticket_discards += 1
    _put(state, ticket, layout.AT_DISCARDS)


@compiled
def _put(state: State, ticket: int, place: int) -> None:
    if ticket != layout.UNKNOWN_TICKET:
        state.ticket_at[ticket] = place


# -- turns -------------------------------------------------------------------------------------------------------------


@compiled
def after_draw(state: State, tables: Tables, tape: Ints, cost: int) -> None:
    """
    Add `cost` to the draws used this turn, and end the turn once all are used.

    Decision: a second card that cannot be drawn is skipped. Of the rule books, only the
    Nordic one covers a turn in which no card can be drawn at all.
    """
    state.n_taken += cost
    if state.n_taken < tables.draws and cards.can_draw(state, tables):
        state.phase = layout.SECOND_DRAW
    else:
        end_turn(state, tables, tape)


@compiled
def end_turn(state: State, tables: Tables, tape: Ints) -> None:
    """End the current turn, and start the next turn or the neutral player's phase."""
    if state.added_discards:
        cards.fill_market(state, tables, tape)
    state.added_discards = 0
    state.n_turns += 1
    _look_for_the_end(state, tables)
    state.turn_seat = (state.turn_seat + 1) % tables.n_seats
    resume_turn(state)
    if state.neutral_in and _is_neutral_due(state, tables):
        play_neutral(state, tables, tape)


@compiled
def resume_turn(state: State) -> None:
    """Make the seat whose turn it is the acting one, unless the game is over."""
    state.seat = state.turn_seat
    state.n_taken = 0
    state.phase = layout.OVER if state.ending else layout.TURN


@compiled
def _look_for_the_end(state: State, tables: Tables) -> None:
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
    """Play the neutral player's phase; a seat acts next if the holder of the marker must choose a track."""
    state.neutral_ticket = layout.NOBODY
    find_ticket_pile(state, tables, tape)
    if not state.neutral_in:
        return
    ticket = next_ticket(state, tables, tape, codes.NEUTRAL_TICKET)
    discard_ticket(state, ticket)
    state.neutral_ticket = ticket
    if ticket == layout.UNKNOWN_TICKET:
        return
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if a < 0:
        return
    owner_a = state.owner[a]
    owner_b = layout.NOBODY if b < 0 else state.owner[b]
    if layout.NEUTRAL_OWNER in (owner_a, owner_b):
        return
    n_free = int(owner_a == layout.NOBODY) + int(b >= 0 and owner_b == layout.NOBODY)
    n_tracks = 1 + int(b >= 0)
    if n_free == n_tracks:
        if may_choose(state, tables, a) or may_choose(state, tables, b):
            state.phase = layout.NEUTRAL
            state.seat = state.marker
        else:
            state.neutral_in = 0
    elif n_free == 1:
        _take_other(
            state, tables, a if owner_a == layout.NOBODY else b, owner_b if owner_a == layout.NOBODY else owner_a
        )


@compiled
def _is_neutral_due(state: State, tables: Tables) -> bool:
    """Return whether a round has just ended after which the neutral player acts."""
    if state.phase == layout.OVER and not tables.neutral_after_last:
        return False
    n_seats = tables.n_seats
    return bool(state.n_turns % n_seats == 0 and state.n_turns >= n_seats * tables.neutral_from)


@compiled
def may_choose(state: State, tables: Tables, route: int) -> bool:
    """Return whether the neutral player can take a track (-1 is none)."""
    return (
        route >= 0
        and state.owner[route] == layout.NOBODY
        and tables.length[route] <= state.trains[layout.NEUTRAL_OWNER]
    )


@compiled
def _take_other(state: State, tables: Tables, route: int, player: int) -> None:
    """Take the track beside a player's; the bank pays the toll to the player who earns it."""
    if not may_choose(state, tables, route):
        state.neutral_in = 0
        return
    mark_owner(state, tables, layout.NEUTRAL_OWNER, route)
    if tables.tokens_each > 0:
        payee = toll_payee(player, tables.n_seats, tables.pays_owner)
        transfer(state.tokens, BANK, payee, tables.toll[route])


# -- setup ---------------------------------------------------------------------------------------------------------


@quickly_compiled
def new_game(tables: Tables, key: Ints, game: int, state: State, tape: Ints) -> None:
    """Set up game number `game` of a run, given the key of the run's seed: deal, and let seat 0 choose its tickets."""
    state.cells.fill(0)
    put_pieces(tables, state)
    open_stream(key, game, TABLE_STREAM, state.stream)
    for seat in range(tables.n_seats):
        for _ in range(tables.opening_hand):
            if cards.make_drawable(state, tables, tape):
                cards.draw_unseen(state, tables, tape, seat, make_event(codes.CARD_DEALT, seat))
    cards.fill_market(state, tables, tape)
    state.added_discards = 0
    deal_opening(state, tables, tape)
    state.phase = layout.KEEP_START


@quickly_compiled
def put_pieces(tables: Tables, state: State) -> None:
    """Set up everything that does not depend on chance."""
    state.last_left = state.last_seat = state.pending = state.neutral_ticket = layout.NOBODY
    for kind in range(N_KINDS):
        state.draw_pile[kind] = state.pool[kind] = tables.deck[kind]
        state.n_pile += tables.deck[kind]
    state.market[:] = layout.NOBODY
    state.offer[:] = layout.NOBODY
    state.owner[:] = layout.NOBODY
    for ticket in range(MAX_TICKETS):
        state.ticket_at[ticket] = layout.AT_PILE if ticket < tables.n_tickets else layout.NOBODY
    state.n_ticket_pile = tables.n_tickets
    for seat in range(tables.n_seats):
        state.trains[seat] = tables.trains_each
        state.score[seat] = tables.start_score[seat]
        state.tokens[seat] = tables.tokens_each
        state.stations[seat] = tables.stations_each
    state.trains[layout.NEUTRAL_OWNER] = tables.neutral_trains
    state.neutral_in = tables.neutral_trains > 0
    state.marker = tables.marker_seat if tables.neutral_trains > 0 else layout.NOBODY
