"""Worlds: whole states that agree with what is known, drawn at random."""

from __future__ import annotations

from typing import Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import count_cards
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.kernel.tickets import ANY_DECK, count_bits
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import (
    AT_DISCARDS,
    AT_OFFER,
    AT_PILE,
    AT_QUEUE,
    AT_REMOVED,
    KEEP_START,
    OLD_UNKNOWN_CARD,
    UNKNOWN_CARD,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.policies.playout import NO_TAPE_CELLS, Players, choose
from ttr_analysis.policies.search.beliefs import Beliefs
from ttr_analysis.policies.search.knowledge import EVERYBODY
from ttr_analysis.rules.chance import KEY_SIZE, TABLE_STREAM, below, open_stream
from ttr_analysis.rules.market import has_too_many_locomotives
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, UNKEPT_REMOVED, UNKEPT_UNDER_PILE, Tables

# -- worlds --------------------------------------------------------------------------------------------------------
#
# What is known is a packed state with unknowns, as a record that was watched
# from one seat has them: cards of hands that are missing from `HAND` lie in the
# draw pile, and tickets in hands, offers and under the pile are
# `UNKNOWN_TICKET`. A world fills them in. Cards that must be from before the
# last shuffle go to seats that may hold such cards; all others are dealt
# uniformly among the gaps and the pile, of which each order is as likely. (That
# is an approximation: what somebody has played says a little of what is left in
# the hand, and of how much of it is from before the shuffle.) The tickets of
# seats are drawn by Gibbs sampling, one given all others (Geman and Geman, IEEE
# Transactions on Pattern Analysis and Machine Intelligence 6 (1984), 721-741),
# from what can be believed of them: see `beliefs`.


_WORLD_STREAM: Final = 64
"""Purpose of the stream that fills worlds; those of the table and of policies are below."""
_N_MARKETS: Final = 100
"""How many markets are tried for one that would not have been replaced."""


@compiled
def fill_worlds(
    known: State,
    tables: Tables,
    beliefs: Beliefs,
    players: Players,
    looker: int,
    key: Ints,
    first: int,
    worlds: Ints,
) -> None:
    """
    Fill worlds that agree with what is known.

    Parameters
    ----------
    known
        The packed state with unknowns; not changed.
    tables
        The map, its rules and the number of players.
    beliefs
        How likely the tickets of each seat are.
    players
        Who plays; their memory is used.
    looker
        The seat whose knowledge it is, or `EVERYBODY`. While opening tickets
        are chosen, what the others are offered is filled in as well, and they
        have chosen none.
    key
        Words of the seed.
    first
        Number of the first world: each depends on what is known, the seed
        and its number alone.
    worlds
        Filled, one a row.
    """
    stream = np.empty(KEY_SIZE, dtype=np.int64)
    opening = State()
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    free = np.empty(MAX_TICKETS, dtype=np.int64)
    chances = np.empty(MAX_TICKETS, dtype=np.float64)
    kept = np.empty(tables.n_seats, dtype=np.float64)
    fill_kept(known, tables, looker, kept)
    is_any_chosen = False
    for seat in range(tables.n_seats):
        is_any_chosen = is_any_chosen or beliefs.chosen[seat] > 0.0
    for i in range(len(worlds)):
        state = State(worlds[i])
        state.cells[:] = known.cells
        open_stream(key, first + i, _WORLD_STREAM, stream)
        open_stream(key, first + i, TABLE_STREAM, state.stream)
        _fill_cards(state, tables, looker, stream)
        if state.phase == KEEP_START and looker != EVERYBODY:
            count_opening(state, tables, looker)
        if is_any_chosen:
            new_game(tables, stream, first + i, opening, tape)  # of numbers of its own: those of a key are mixed
        fill_tickets(state, tables, beliefs, players, opening, kept, stream, free, chances)


# -- cards ----------------------------------------------------------------------------


@compiled
def _fill_cards(state: State, tables: Tables, looker: int, stream: Ints) -> None:
    """Deal the cards that are not seen among the gaps in hands and the draw pile."""
    fresh = np.empty(N_KINDS, dtype=np.int64)
    stale = np.empty(N_KINDS, dtype=np.int64)
    n_seats = tables.n_seats
    drawer = _least_known(state, n_seats, looker)
    is_seen = True
    for slot in range(tables.market_size):
        is_seen = is_seen and state.market[slot] < UNKNOWN_CARD
    for kind in range(N_KINDS):
        unseen = tables.deck[kind] - state.discards[kind] - state.laid[kind]
        for slot in range(tables.market_size):
            unseen -= state.market[slot] == kind
        of_pool = state.pool[kind]
        for seat in range(n_seats):
            state.hand[seat, kind] = max(state.hand[seat, kind], state.known[seat, kind])
            unseen -= state.hand[seat, kind]
            of_pool -= state.blind[seat, kind]
        # Cards of the pool that were shown since are unseen no more; what is unseen but not in it is from before.
        fresh[kind] = min(unseen, of_pool)
        stale[kind] = unseen - fresh[kind]
        if is_seen:
            # The pool goes on counting cards that were shown, as drawn by somebody whose draws were not seen.
            state.blind[drawer, kind] += of_pool - fresh[kind]
        else:
            state.pool[kind] -= of_pool - fresh[kind]  # which without the market is no more than a bound
    _fill_face_up(state, tables, fresh, stale, stream)
    _deal_stale(state, n_seats, stale, stream)
    n_fresh = 0
    for kind in range(N_KINDS):
        n_fresh += fresh[kind] + stale[kind]  # of which none is left, unless what is known cannot be
        fresh[kind] += stale[kind]
    for seat in range(n_seats):
        for _ in range(n_missing(state, seat)):
            kind = _draw(fresh, n_fresh, stream)
            n_fresh -= 1
            state.hand[seat, kind] += 1
            state.blind[seat, kind] += 1
    for kind in range(N_KINDS):
        state.draw_pile[kind] = fresh[kind]


@compiled
def _fill_face_up(state: State, tables: Tables, fresh: Ints, stale: Ints, stream: Ints) -> None:
    """Put cards into the slots of the market, and on the discard pile, that a record does not know."""
    market = state.market[: tables.market_size]
    unknown = market.copy()
    pool = state.pool.copy()
    all_fresh = fresh.copy()
    all_stale = stale.copy()
    for _ in range(_N_MARKETS):
        state.pool[:] = pool
        fresh[:] = all_fresh
        stale[:] = all_stale
        for slot in range(tables.market_size):
            if unknown[slot] >= UNKNOWN_CARD:
                market[slot] = _draw_seen(state, fresh, stale, unknown[slot], stream)
        if not has_too_many_locomotives(market, tables.reset_at):
            break  # else it would have been replaced; where that could not be, the last one stays
    for _ in range(state.n_swept):
        state.discards[_draw_seen(state, fresh, stale, UNKNOWN_CARD, stream)] += 1
    state.n_swept = 0


@compiled
def _draw_seen(state: State, fresh: Ints, stale: Ints, unknown: int, stream: Ints) -> int:
    """Draw a card that everyone has seen, from before the last shuffle if it is an old one; return its kind."""
    n_fresh = count_cards(fresh)
    n_stale = count_cards(stale)
    if n_fresh == 0 or (unknown == OLD_UNKNOWN_CARD and n_stale > 0):
        return _draw(stale, n_stale, stream)
    kind = _draw(fresh, n_fresh, stream)
    state.pool[kind] -= 1
    return kind


@compiled
def _least_known(state: State, n_seats: int, looker: int) -> int:
    """Return the seat, not that of the looker, of whose hand most is not known."""
    found = 1 if looker == 0 else 0
    for seat in range(n_seats):
        if seat != looker and n_missing(state, seat) > n_missing(state, found):
            found = seat
    return found


@compiled
def _deal_stale(state: State, n_seats: int, stale: Ints, stream: Ints) -> None:
    """Deal the cards from before the last shuffle among the gaps in hands that may hold such cards."""
    n_stale = 0
    n_places = 0
    for kind in range(N_KINDS):
        n_stale += stale[kind]
    for seat in range(n_seats):
        n_places += min(state.old[seat], n_missing(state, seat))
    places = np.empty(n_places, dtype=np.int64)
    at = 0
    for seat in range(n_seats):
        for _ in range(min(state.old[seat], n_missing(state, seat))):
            places[at] = seat
            at += 1
    for _ in range(min(n_stale, n_places)):
        kind = _draw(stale, n_stale, stream)
        at = below(stream, n_places)
        state.hand[places[at], kind] += 1
        n_stale -= 1
        n_places -= 1
        places[at] = places[n_places]


@compiled
def n_missing(state: State, seat: int) -> int:
    """Return how many cards of a hand are not known."""
    n = state.n_hand[seat]
    for kind in range(N_KINDS):
        n -= state.hand[seat, kind]
    return int(n)


@compiled
def _draw(cards: Ints, n: int, stream: Ints) -> int:
    """Draw one of `n` cards, given as nine counts; return its kind."""
    left = below(stream, n)
    kind = 0
    while left >= cards[kind]:
        left -= cards[kind]
        kind += 1
    cards[kind] -= 1
    return kind


_FINE: Final = 1 << 31
"""A random number is one of so many."""
_N_SWEEPS: Final = 6
"""How often each unknown ticket is drawn again, given the others: more of it changes nothing."""
_N_CHOICES: Final = 40
"""How often a set is drawn anew for one that a player would have chosen; else the last one stays."""
_CHOOSER_STREAM: Final = 65
"""Purpose of the stream of a player who is asked what it would choose: see `worlds`."""
_SURE: Final = 0.01
"""In place of no way to hold only tickets of decks that stay: a hand has to be drawn for any number that was kept."""


# -- what lies where ------------------------------------------------------------------


@compiled
def count_opening(state: State, tables: Tables, looker: int) -> None:
    """Note how many opening tickets the others are offered, and where those lie that the looker gave back."""
    left = tables.n_tickets
    for seat in range(tables.n_seats):
        n = min(tables.opening_deal, left)
        left -= n
        if seat != looker:
            state.n_offer[seat] = n
            for i in range(n):
                state.offer[seat, i] = UNKNOWN_TICKET
        elif looker < state.seat:
            n -= state.n_held[looker]
            if tables.opening_unkept == UNKEPT_UNDER_PILE:
                _queue_given_back(state, tables, n)
            elif tables.opening_unkept == UNKEPT_DISCARDED:
                state.n_ticket_discards = n


@compiled
def _queue_given_back(state: State, tables: Tables, n: int) -> None:
    """Put tickets under the pile, those first of which it is known; no others lie there yet."""
    state.queue_head = 0
    state.n_queued = n
    at = 0
    for ticket in range(tables.n_tickets):
        if state.ticket_at[ticket] == AT_QUEUE:
            state.queue[at] = ticket
            at += 1
    for i in range(at, n):
        state.queue[i] = UNKNOWN_TICKET


@compiled
def fill_kept(state: State, tables: Tables, looker: int, kept: Floats) -> None:
    """
    Fill in how many tickets each seat kept at the opening, as far as that can be told.

    Of all seats together it is what was dealt without what has left the game.
    The looker knows its own part; the rest is split in parts of what each hand
    has room for, which is exact for one other seat. In a position that was told
    without what has left the game each may have kept no more than it had to.
    """
    is_told = True
    n_spare = n_room = 0
    if tables.opening_unkept == UNKEPT_REMOVED and tables.unkept != UNKEPT_REMOVED:
        n_spare = tables.n_seats * tables.opening_deal - _n_returned(state, tables)
    for seat in range(tables.n_seats):
        kept[seat] = least = min(tables.opening_keep, state.n_held[seat])
        most = min(tables.opening_deal, state.n_held[seat])
        if seat == looker:
            own = tables.opening_deal
            for ticket in range(tables.n_tickets):
                own -= int(state.returned_by[ticket] == 1 + seat and state.ticket_at[ticket] == AT_REMOVED)
            is_told = own <= most
            kept[seat] = least = most = max(least, min(most, own))
        n_spare -= least
        n_room += most - least
    if is_told and n_spare > 0 and n_room > 0:
        for seat in range(tables.n_seats):
            if seat != looker:
                most = min(tables.opening_deal, state.n_held[seat])
                kept[seat] += (most - kept[seat]) * min(1.0, n_spare / n_room)


@compiled
def _n_returned(state: State, tables: Tables) -> int:
    """Return how many tickets have left the game that were dealt to somebody."""
    n = tables.n_tickets - state.n_ticket_pile - state.n_queued - state.n_ticket_discards
    for seat in range(tables.n_seats):
        n -= state.n_held[seat] + state.n_offer[seat]
    for deck in range(tables.n_decks):
        if tables.deck_leaves[deck]:
            n -= max(0, tables.deck_size[deck] - tables.n_seats * tables.deck_deal[deck])
    return int(n)


@compiled
def fill_tickets(
    state: State,
    tables: Tables,
    beliefs: Beliefs,
    players: Players,
    opening: State,
    kept: Floats,
    stream: Ints,
    free: Ints,
    chances: Floats,
) -> None:
    """Fill in the tickets that are not known."""
    n_free = 0
    n_discards = state.n_ticket_discards
    for ticket in range(tables.n_tickets):
        n_discards -= state.ticket_at[ticket] == AT_DISCARDS
        if state.ticket_at[ticket] == AT_PILE:
            free[n_free] = ticket
            n_free += 1
    n_free = _fill_held(state, tables, beliefs, players, opening, kept, stream, free, n_free, chances)
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            deck = _opening_deck(tables, i) if state.phase == KEEP_START else ANY_DECK
            n_free = _fill_unknown(state, tables, state.offer[seat][i : i + 1], AT_OFFER, deck, stream, free, n_free)
    for i in range(state.n_queued):
        at = (state.queue_head + i) % MAX_TICKETS
        n_free = _fill_unknown(state, tables, state.queue[at : at + 1], AT_QUEUE, ANY_DECK, stream, free, n_free)
    n_removed = n_free - n_discards - state.n_ticket_pile
    for i in range(n_free - 1, -1, -1):
        if tables.deck_leaves[tables.ticket_deck[free[i]]]:  # it was not dealt, or not kept
            state.ticket_at[free[i]] = AT_REMOVED
            n_free -= 1
            n_removed -= 1
            free[i] = free[n_free]
    for i in range(n_discards + n_removed):
        _take(state, tables, free, n_free, AT_DISCARDS if i < n_discards else AT_REMOVED, ANY_DECK, stream)
        n_free -= 1


@compiled
def _opening_deck(tables: Tables, at: int) -> int:
    """Return the deck from which a place of an opening offer was dealt."""
    deck = 0
    while deck < tables.n_decks - 1 and at >= tables.deck_deal[deck]:
        at -= tables.deck_deal[deck]
        deck += 1
    return deck


@compiled
def _is_from(tables: Tables, ticket: int, deck: int) -> bool:
    """Return whether a ticket is of a deck, or of any from which tickets are drawn after the opening."""
    of = tables.ticket_deck[ticket]
    return bool(of == deck or (deck == ANY_DECK and tables.deck_leaves[of] == 0))


@compiled
def _may_hold(state: State, tables: Tables, seat: int, place: int, ticket: int) -> bool:
    """Return whether a seat may hold a ticket in a place: one of a deck that left the game is from its opening."""
    deck = tables.ticket_deck[ticket]
    if tables.deck_leaves[deck] == 0:
        return True
    n_before = n_same = 0
    for earlier in range(deck + 1):
        n_before += tables.deck_deal[earlier]
    for other in range(state.n_held[seat]):
        held = state.held[seat, other]
        n_same += int(other != place and held != UNKNOWN_TICKET and tables.ticket_deck[held] == deck)
    return bool(place < n_before and n_same < tables.deck_deal[deck])


@compiled
def _fill_unknown(
    state: State, tables: Tables, cells: Ints, place: int, deck: int, stream: Ints, free: Ints, n_free: int
) -> int:
    """Fill in the unknown tickets of some cells, which came from a deck; return how many tickets are still free."""
    for i in range(len(cells)):
        if cells[i] == UNKNOWN_TICKET:
            cells[i] = _take(state, tables, free, n_free, place, deck, stream)
            n_free -= 1
    return n_free


@compiled
def _take(state: State, tables: Tables, free: Ints, n_free: int, place: int, deck: int, stream: Ints) -> int:
    """Put one of the free tickets of a deck in a place; return its number."""
    n_fitting = 0
    for i in range(n_free):
        n_fitting += int(_is_from(tables, free[i], deck))
    left = below(stream, n_fitting)
    at = 0
    while left > 0 or not _is_from(tables, free[at], deck):
        left -= int(_is_from(tables, free[at], deck))
        at += 1
    ticket = free[at]
    free[at] = free[n_free - 1]
    state.ticket_at[ticket] = place
    return int(ticket)


# -- what seats hold ------------------------------------------------------------------


@compiled
def _fill_held(
    state: State,
    tables: Tables,
    beliefs: Beliefs,
    players: Players,
    opening: State,
    kept: Floats,
    stream: Ints,
    free: Ints,
    n_free: int,
    chances: Floats,
) -> int:
    """Fill in the unknown tickets of all seats; return how many tickets are still free."""
    seats = np.empty(MAX_TICKETS, dtype=np.int64)
    places = np.empty(MAX_TICKETS, dtype=np.int64)
    n_places = 0
    for seat in range(tables.n_seats):
        for i in range(state.n_held[seat]):
            if state.held[seat, i] == UNKNOWN_TICKET:
                seats[n_places] = seat
                places[n_places] = i
                n_places += 1
    for k in range(n_places):
        seat, place = seats[k], places[k]
        n_free -= 1
        at = _draw_ticket(state, tables, beliefs, kept, seat, place, stream, free, n_free + 1, chances)
        state.held[seat, place] = free[at]
        free[at] = free[n_free]
    for _ in range(_N_SWEEPS):
        for k in range(n_places):
            _draw_again(state, tables, beliefs, kept, seats[k], places[k], stream, free, n_free, chances)
    for seat in range(tables.n_seats):
        part = beliefs.chosen[seat]
        n_tries = _N_CHOICES if part > 0.0 and below(stream, _FINE) / _FINE < part else 0
        while n_tries > 0 and not _would_choose(state, tables, players, opening, seat, stream, free, n_free):
            for _ in range(_N_SWEEPS):
                for k in range(n_places):
                    if seats[k] == seat:
                        _draw_again(state, tables, beliefs, kept, seat, places[k], stream, free, n_free, chances)
            n_tries -= 1
    for _ in range(_n_staying_lacking(state, tables, free, n_free)):
        _hold_leaving(state, tables, beliefs, kept, seats, places, n_places, stream, free, n_free, chances)
    for k in range(n_places):
        state.ticket_at[state.held[seats[k], places[k]]] = seats[k]
    return n_free


@compiled
def _draw_again(
    state: State,
    tables: Tables,
    beliefs: Beliefs,
    kept: Floats,
    seat: int,
    place: int,
    stream: Ints,
    free: Ints,
    n_free: int,
    chances: Floats,
) -> None:
    """Draw the ticket in a place of a seat anew, given all others: one of the free ones or itself."""
    free[n_free] = state.held[seat, place]
    at = _draw_ticket(state, tables, beliefs, kept, seat, place, stream, free, n_free + 1, chances)
    state.held[seat, place] = free[at]
    free[at] = free[n_free]


@compiled
def _would_choose(
    state: State, tables: Tables, players: Players, opening: State, seat: int, stream: Ints, free: Ints, n_free: int
) -> bool:
    """
    Return whether a player would choose the tickets of its seat of an opening offer, in which others lie beside them.

    Of tickets that cannot all have been offered, some were drawn later: of those nothing is asked.

    Parameters
    ----------
    state, tables
        The world, with the tickets of the seat.
    players
        Who plays; the memory of the seat is used.
    opening
        A game that begins, in which nothing of tickets but the offer of the
        seat is looked at.
    seat
        The seat.
    stream
        Random stream; moved on.
    free
        Tickets of which the others are drawn; their order changes.
    n_free
        How many they are.
    """
    n_offer = n_left = wanted = 0
    offer = opening.offer[seat]
    for deck in range(tables.n_decks):
        n_more = tables.deck_deal[deck]
        for place in range(state.n_held[seat]):
            ticket = state.held[seat, place]
            if tables.ticket_deck[ticket] == deck:
                offer[n_offer] = ticket
                wanted |= 1 << n_offer
                n_offer += 1
                n_more -= 1
                if n_more < 0:
                    return True
        # The others are drawn from the free tickets of the deck, which are gathered behind those drawn before.
        n_of_deck = n_left
        for i in range(n_left, n_free):
            if tables.ticket_deck[free[i]] == deck:
                free[i], free[n_of_deck] = free[n_of_deck], free[i]
                n_of_deck += 1
        for _ in range(n_more):
            if n_left < n_of_deck:
                at = n_left + below(stream, n_of_deck - n_left)
                free[at], free[n_left] = free[n_left], free[at]
                offer[n_offer] = free[n_left]
                n_offer += 1
                n_left += 1
        n_left = n_of_deck
    opening.n_offer[seat] = n_offer
    opening.seat = seat
    memory = players.memory[seat]
    memory[KEY_SIZE:].fill(0)
    open_stream(stream, n_free, _CHOOSER_STREAM, memory[:KEY_SIZE])  # numbers of its own, not those of the world
    _, kept = choose(opening, tables, players, seat)
    return bool(kept == wanted)


@compiled
def _n_staying_lacking(state: State, tables: Tables, free: Ints, n_free: int) -> int:
    """Return how many free tickets too few are of decks that stay, for all places where only such may lie."""
    n = state.n_ticket_pile + state.n_ticket_discards
    for ticket in range(tables.n_tickets):
        n -= int(state.ticket_at[ticket] == AT_DISCARDS)
    for i in range(state.n_queued):
        n += int(state.queue[(state.queue_head + i) % MAX_TICKETS] == UNKNOWN_TICKET)
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            deck = _opening_deck(tables, i) if state.phase == KEEP_START else ANY_DECK
            leaves = deck != ANY_DECK and tables.deck_leaves[deck] == 1
            n += int(state.offer[seat, i] == UNKNOWN_TICKET and not leaves)
    for i in range(n_free):
        n -= int(_is_from(tables, free[i], ANY_DECK))
    return max(0, n)


@compiled
def _hold_leaving(
    state: State,
    tables: Tables,
    beliefs: Beliefs,
    kept: Floats,
    seats: Ints,
    places: Ints,
    n_places: int,
    stream: Ints,
    free: Ints,
    n_free: int,
    chances: Floats,
) -> None:
    """Let one of the places, any that may, hold a ticket of a deck that left the game instead of one that stays."""
    n_leaving = _leaving_first(tables, free, n_free)
    fitting = np.empty(MAX_TICKETS, dtype=np.int64)
    n = 0
    for k in range(n_places):
        n_new = 0
        for i in range(n_leaving):
            n_new += int(_may_hold(state, tables, seats[k], places[k], free[i]))
        if n_new > 0 and _is_from(tables, state.held[seats[k], places[k]], ANY_DECK):
            fitting[n] = k
            n += 1
    if n == 0:
        return
    k = fitting[below(stream, n)]
    at = _draw_ticket(state, tables, beliefs, kept, seats[k], places[k], stream, free, n_leaving, chances)
    ticket = free[at]
    free[at] = state.held[seats[k], places[k]]
    state.held[seats[k], places[k]] = ticket


@compiled
def _leaving_first(tables: Tables, free: Ints, n_free: int) -> int:
    """Put the tickets of decks that left the game before the others; return how many they are."""
    n = 0
    for i in range(n_free):
        ticket = free[i]
        if not _is_from(tables, ticket, ANY_DECK):
            free[i] = free[n]
            free[n] = ticket
            n += 1
    return n


@compiled
def _odds_of_leaving(
    state: State, tables: Tables, kept: float, seat: int, place: int, ticket: int, free: Ints, n_free: int
) -> float:
    """
    Return by how much more likely a place is to hold a ticket that is dealt at the opening only than one that stays.

    The deck is decided first: each set of what a seat was dealt is as likely to
    have been kept. Each free ticket of a deck is then as likely, which also
    takes back that a larger deck offers more ways to fill a place.
    """
    deck = tables.ticket_deck[ticket]
    n_staying_dealt = 0
    n_before = 0
    for other in range(tables.n_decks):
        n_staying_dealt += 0 if tables.deck_leaves[other] else tables.deck_deal[other]
        n_before += tables.deck_deal[other] if other <= deck else 0
    n_same = 0
    staying_kept = kept
    for other in range(state.n_held[seat]):
        held = state.held[seat, other]
        if other != place and held != UNKNOWN_TICKET:
            n_same += int(tables.ticket_deck[held] == deck)
            staying_kept -= tables.deck_leaves[tables.ticket_deck[held]]
    n_free_same = n_free_staying = 0
    for i in range(n_free):
        n_free_same += int(tables.ticket_deck[free[i]] == deck)
        n_free_staying += int(_is_from(tables, free[i], ANY_DECK))
    n_places = min(n_before, state.n_held[seat])
    of_place = (tables.deck_deal[deck] - n_same) / max(1, n_places - n_same)
    of_staying = staying_kept / max(_SURE, n_staying_dealt - staying_kept + 1.0)
    return float(of_place * of_staying * max(1, n_free_staying) / max(1, n_free_same))


@compiled
def _draw_ticket(
    state: State,
    tables: Tables,
    beliefs: Beliefs,
    kept: Floats,
    seat: int,
    place: int,
    stream: Ints,
    free: Ints,
    n_free: int,
    chances: Floats,
) -> int:
    """Draw one of the free tickets for a place of a seat, given its other tickets; return where among the free."""
    others = np.empty(MAX_TICKETS, dtype=np.int64)
    nearest = np.empty(MAX_TICKETS, dtype=np.float64)
    n_others = 0
    explained = 0
    for other in range(state.n_held[seat]):
        if other != place and state.held[seat, other] != UNKNOWN_TICKET:
            others[n_others] = state.held[seat, other]
            explained |= beliefs.on_way[seat, others[n_others]]
            n_others += 1
    total = 0.0
    for i in range(n_free):
        chance = 0.0
        if _may_hold(state, tables, seat, place, free[i]):
            chance = beliefs.weights[seat, free[i]]
            if tables.deck_leaves[tables.ticket_deck[free[i]]]:
                chance *= _odds_of_leaving(state, tables, kept[seat], seat, place, free[i], free, n_free)
        if chance > 0.0:
            for _ in range(count_bits(beliefs.on_way[seat, free[i]] & ~explained)):
                chance *= beliefs.per_route[seat]
            if beliefs.is_tree:
                chance *= weight_together(beliefs.pairs[seat], others[:n_others], free[i], nearest)
            else:
                for other in range(n_others):
                    chance *= beliefs.pairs[seat, free[i], others[other]]
        total += chance
        chances[i] = total
    aim = below(stream, _FINE) / _FINE * total
    at = 0
    while at < n_free - 1 and chances[at] <= aim:
        at += 1
    return at


@compiled
def weight_together(pairs: Floats, others: Ints, ticket: int, nearest: Floats) -> float:
    """
    Return the largest product of the weights of pairs that join a ticket and others to one tree.

    Each ticket counts with those that it goes best together with. If all pairs
    counted, any cluster of tickets close to each other would be believed in,
    once a seat held enough of them.
    """
    product = 1.0
    n = len(others)
    for i in range(n):
        nearest[i] = pairs[ticket, others[i]]
    for _ in range(n):
        best = -1
        for i in range(n):
            if nearest[i] >= 0.0 and (best < 0 or nearest[i] > nearest[best]):
                best = i
        product *= nearest[best]
        nearest[best] = -1.0
        for i in range(n):
            if nearest[i] >= 0.0:
                nearest[i] = max(nearest[i], pairs[others[best], others[i]])
    return product
