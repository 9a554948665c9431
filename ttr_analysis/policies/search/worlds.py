"""
Worlds: complete states drawn at random, consistent with the known facts.

The known facts are a packed state with unknowns: unknown cards of hands are in the draw
pile, and unknown tickets in hands, offers and under the pile are `UNKNOWN_TICKET`.
Cards that must be older than the last shuffle go to seats that may hold such cards; all
others are dealt uniformly to the unknown places and the pile. This is an approximation,
since what players have played reveals a little about the rest of their hands. The
tickets of seats are drawn by Gibbs sampling [1]_, one given all others, from the odds in
`beliefs`.

References
----------
.. [1] Geman, S. and Geman, D. IEEE Transactions on Pattern Analysis and
   Machine Intelligence 6 (1984), 721-741.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints, Record, block, cell, compiled
from ttr_analysis.engine import layout
from ttr_analysis.engine.kernel.turns import ANY_DECK, count_bits, new_game
from ttr_analysis.engine.layout import State
from ttr_analysis.policies.playout import NO_TAPE_CELLS, Players, choose
from ttr_analysis.policies.search.beliefs import Beliefs
from ttr_analysis.policies.search.hidden_cards import fill_cards
from ttr_analysis.policies.search.knowledge import EVERYBODY
from ttr_analysis.rules.chance import KEY_SIZE, TABLE_STREAM, below, open_stream
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, UNKEPT_REMOVED, UNKEPT_UNDER_PILE, Tables

_WORLD_STREAM: Final = 64
"""Purpose of the random stream that fills worlds; those of the game and of policies are below."""
_CHOOSER_STREAM: Final = 65
"""Purpose of the random stream of a player that makes an opening choice."""
_N_SWEEPS: Final = 6
"""How often each unknown ticket is redrawn given the others; more changes nothing."""
_N_CHOICES: Final = 150
"""Attempts to find tickets that the player would have kept; after these, the last draw stays."""
_FINE: Final = 1 << 31
"""Resolution of random numbers for probabilities."""
_LEAST_DIVISOR: Final = 0.01
"""Least value of a divisor, which an impossible number of tickets kept would make 0 or negative."""
_ANY_SEAT: Final = -1


class _FreeTickets(Record):
    """Tickets that have no place yet."""

    n = cell()
    tickets = block(MAX_TICKETS)


class _World(NamedTuple):
    """A world whose tickets are being filled in, with the odds and work space."""

    state: State
    tables: Tables
    beliefs: Beliefs
    players: Players
    opening: State
    """The start of a game, where players are asked for their choice."""
    kept: Floats
    """Number of tickets that each seat kept at the opening, as far as known."""
    stream: Ints
    free: _FreeTickets
    chances: Floats


@compiled
def fill_worlds(
    known: State, tables: Tables, beliefs: Beliefs, players: Players, viewer: int, key: Ints, first: int, worlds: Ints
) -> None:
    """
    Fill worlds, one per row, consistent with a viewer's knowledge.

    Each depends only on the knowledge, the seed and its number. While opening tickets are
    being chosen, other seats' offers are filled in too, and they have not chosen. The
    memory of `players` is overwritten.
    """
    stream = np.empty(KEY_SIZE, dtype=np.int64)
    opening, free = State(), _FreeTickets()
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    chances = np.empty(MAX_TICKETS, dtype=np.float64)
    kept = np.empty(tables.n_seats, dtype=np.float64)
    _fill_kept(known, tables, viewer, kept)
    is_any_chosen = False
    for seat in range(tables.n_seats):
        is_any_chosen = is_any_chosen or beliefs.chosen[seat] > 0.0
    for i in range(len(worlds)):
        state = State(worlds[i])
        state.cells[:] = known.cells
        open_stream(key, first + i, _WORLD_STREAM, stream)
        open_stream(key, first + i, TABLE_STREAM, state.stream)
        fill_cards(state, tables, viewer, stream)
        if state.phase == layout.KEEP_START and viewer != EVERYBODY:
            _count_opening(state, tables, viewer)
        if is_any_chosen:
            new_game(tables, stream, first + i, opening, tape)  # a separate stream of numbers, since keys are mixed
        _fill_tickets(_World(state, tables, beliefs, players, opening, kept, stream, free, chances))


# -- tickets: places ---------------------------------------------------------------------------------------------


@compiled
def _count_opening(state: State, tables: Tables, viewer: int) -> None:
    """Note how many opening tickets the others are offered, and the places of those that the viewer returned."""
    left = tables.n_tickets
    for seat in range(tables.n_seats):
        n = min(tables.opening_deal, left)
        left -= n
        if seat != viewer:
            state.n_offer[seat] = n
            for i in range(n):
                state.offer[seat, i] = layout.UNKNOWN_TICKET
        elif viewer < state.seat:
            n -= state.n_held[viewer]
            if tables.opening_unkept == UNKEPT_UNDER_PILE:
                _queue_returned(state, tables, n)
            elif tables.opening_unkept == UNKEPT_DISCARDED:
                state.n_ticket_discards = n


@compiled
def _queue_returned(state: State, tables: Tables, n: int) -> None:
    """Put tickets under the pile, known ones first; the pile has no others yet."""
    state.queue_head = 0
    state.n_queued = n
    at = 0
    for ticket in range(tables.n_tickets):
        if state.ticket_at[ticket] == layout.AT_QUEUE:
            state.queue[at] = ticket
            at += 1
    for i in range(at, n):
        state.queue[i] = layout.UNKNOWN_TICKET


@compiled
def _fill_kept(state: State, tables: Tables, viewer: int, kept: Floats) -> None:
    """
    Fill in how many tickets each seat kept at the opening, as far as known.

    All seats together kept the tickets dealt minus those that left the game. The viewer
    knows its own share; the rest is split by the room in each hand, which is exact for one
    other seat. In a position entered without the tickets that left the game, each seat may
    have kept only as many as required.
    """
    is_complete = True
    n_spare = n_room = 0
    if tables.opening_unkept == UNKEPT_REMOVED and tables.unkept != UNKEPT_REMOVED:
        n_spare = tables.n_seats * tables.opening_deal - _n_returned(state, tables)
    for seat in range(tables.n_seats):
        kept[seat] = least = min(tables.opening_keep, state.n_held[seat])
        most = min(tables.opening_deal, state.n_held[seat])
        if seat == viewer:
            own = tables.opening_deal
            for ticket in range(tables.n_tickets):
                own -= int(state.returned_by[ticket] == 1 + seat and state.ticket_at[ticket] == layout.AT_REMOVED)
            is_complete = own <= most
            kept[seat] = least = most = max(least, min(most, own))
        n_spare -= least
        n_room += most - least
    if is_complete and n_spare > 0 and n_room > 0:
        for seat in range(tables.n_seats):
            if seat != viewer:
                most = min(tables.opening_deal, state.n_held[seat])
                kept[seat] += (most - kept[seat]) * min(1.0, n_spare / n_room)


@compiled
def _n_returned(state: State, tables: Tables) -> int:
    """Return the number of tickets that were dealt and have left the game."""
    n = tables.n_tickets - state.n_ticket_pile - state.n_queued - state.n_ticket_discards
    for seat in range(tables.n_seats):
        n -= state.n_held[seat] + state.n_offer[seat]
    for deck in range(tables.n_decks):
        if tables.deck_leaves[deck]:
            n -= max(0, tables.deck_size[deck] - tables.n_seats * tables.deck_deal[deck])
    return int(n)


@compiled
def _fill_tickets(world: _World) -> None:
    """Fill in the unknown tickets."""
    state, tables, free = world.state, world.tables, world.free
    free.n = 0
    n_discards = state.n_ticket_discards
    for ticket in range(tables.n_tickets):
        n_discards -= state.ticket_at[ticket] == layout.AT_DISCARDS
        if state.ticket_at[ticket] == layout.AT_PILE:
            free.tickets[free.n] = ticket
            free.n += 1
    _fill_held(world)
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            if state.offer[seat, i] == layout.UNKNOWN_TICKET:
                deck = _opening_deck(tables, i) if state.phase == layout.KEEP_START else ANY_DECK
                state.offer[seat, i] = _take(world, layout.AT_OFFER, deck)
    for i in range(state.n_queued):
        at = (state.queue_head + i) % MAX_TICKETS
        if state.queue[at] == layout.UNKNOWN_TICKET:
            state.queue[at] = _take(world, layout.AT_QUEUE, ANY_DECK)
    n_removed = free.n - n_discards - state.n_ticket_pile
    for i in range(free.n - 1, -1, -1):
        ticket = free.tickets[i]
        if tables.deck_leaves[tables.ticket_deck[ticket]]:  # not dealt, or not kept
            state.ticket_at[ticket] = layout.AT_REMOVED
            n_removed -= 1
            free.n -= 1
            free.tickets[i] = free.tickets[free.n]
    for i in range(n_discards + n_removed):
        _take(world, layout.AT_DISCARDS if i < n_discards else layout.AT_REMOVED, ANY_DECK)


@compiled
def _opening_deck(tables: Tables, at: int) -> int:
    """Return the deck of a position in an opening offer."""
    deck = 0
    while deck < tables.n_decks - 1 and at >= tables.deck_deal[deck]:
        at -= tables.deck_deal[deck]
        deck += 1
    return deck


@compiled
def _is_from(tables: Tables, ticket: int, deck: int) -> bool:
    """Return whether a ticket is from a deck, or from any that is drawn from after the opening."""
    of = tables.ticket_deck[ticket]
    return bool(of == deck or (deck == ANY_DECK and tables.deck_leaves[of] == 0))


@compiled
def _take(world: _World, place: int, deck: int) -> int:
    """Put one of the free tickets of a deck in a place; return its number."""
    tables, free = world.tables, world.free
    n_fitting = 0
    for i in range(free.n):
        n_fitting += int(_is_from(tables, free.tickets[i], deck))
    left = below(world.stream, n_fitting)
    at = 0
    while left > 0 or not _is_from(tables, free.tickets[at], deck):
        left -= int(_is_from(tables, free.tickets[at], deck))
        at += 1
    ticket = free.tickets[at]
    free.n -= 1
    free.tickets[at] = free.tickets[free.n]
    world.state.ticket_at[ticket] = place
    return int(ticket)


# -- tickets: hands ----------------------------------------------------------------------------------------------


@compiled
def _fill_held(world: _World) -> None:
    """Fill in the unknown tickets of all seats."""
    state, tables, free = world.state, world.tables, world.free
    seats, places = _unknown_places(state, tables)
    _sweep(world, seats, places, _ANY_SEAT, 1 + _N_SWEEPS)
    for seat in range(tables.n_seats):
        part = world.beliefs.chosen[seat]
        n_tries = _N_CHOICES if part > 0.0 and below(world.stream, _FINE) / _FINE < part else 0
        while n_tries > 0 and not _would_choose(world, seat):
            _sweep(world, seats, places, seat, 1)
            n_tries -= 1
    for _ in range(_n_staying_lacking(state, tables, free)):
        _hold_leaving(world, seats, places)
    for k in range(len(seats)):
        state.ticket_at[state.held[seats[k], places[k]]] = seats[k]


@compiled
def _unknown_places(state: State, tables: Tables) -> tuple[Ints, Ints]:
    """Return the seats and places of unknown tickets in hands."""
    seats = np.empty(MAX_TICKETS, dtype=np.int64)
    places = np.empty(MAX_TICKETS, dtype=np.int64)
    n = 0
    for seat in range(tables.n_seats):
        for i in range(state.n_held[seat]):
            if state.held[seat, i] == layout.UNKNOWN_TICKET:
                seats[n] = seat
                places[n] = i
                n += 1
    return seats[:n], places[:n]


@compiled
def _sweep(world: _World, seats: Ints, places: Ints, of_seat: int, n: int) -> None:
    """Draw the tickets in a seat's places, or all, one after another given all others; `n` times."""
    held, free = world.state.held, world.free
    for _ in range(n):
        for k in range(len(seats)):
            seat, place = seats[k], places[k]
            if of_seat not in (_ANY_SEAT, seat):
                continue
            if held[seat, place] != layout.UNKNOWN_TICKET:
                free.tickets[free.n] = held[seat, place]
                free.n += 1
            at = _draw_ticket(world, seat, place, free.n)
            free.n -= 1
            held[seat, place] = free.tickets[at]
            free.tickets[at] = free.tickets[free.n]


@compiled
def _would_choose(world: _World, seat: int) -> bool:
    """
    Return whether a seat's player would keep exactly its tickets from an opening offer that has more.

    True if they cannot all have been offered, since some were then drawn later. The rest
    of the offer is drawn from the free tickets, which are reordered.
    """
    state, tables, opening = world.state, world.tables, world.opening
    free, n_free = world.free.tickets, world.free.n
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
        # The rest is drawn from the free tickets of the deck, which are gathered behind those drawn before.
        n_of_deck = n_left
        for i in range(n_left, n_free):
            if tables.ticket_deck[free[i]] == deck:
                free[i], free[n_of_deck] = free[n_of_deck], free[i]
                n_of_deck += 1
        for _ in range(n_more):
            if n_left < n_of_deck:
                at = n_left + below(world.stream, n_of_deck - n_left)
                free[at], free[n_left] = free[n_left], free[at]
                offer[n_offer] = free[n_left]
                n_offer += 1
                n_left += 1
        n_left = n_of_deck
    opening.n_offer[seat] = n_offer
    opening.seat = seat
    memory = world.players.memory[seat]
    memory[KEY_SIZE:].fill(0)
    # A separate random stream, not that of the world.
    open_stream(world.stream, n_free, _CHOOSER_STREAM, memory[:KEY_SIZE])
    _, kept = choose(opening, tables, world.players, seat)
    return bool(kept == wanted)


@compiled
def _n_staying_lacking(state: State, tables: Tables, free: _FreeTickets) -> int:
    """Return how many free tickets of decks that stay are missing for places that only they may fill."""
    n = state.n_ticket_pile + state.n_ticket_discards
    for ticket in range(tables.n_tickets):
        n -= int(state.ticket_at[ticket] == layout.AT_DISCARDS)
    for i in range(state.n_queued):
        n += int(state.queue[(state.queue_head + i) % MAX_TICKETS] == layout.UNKNOWN_TICKET)
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            deck = _opening_deck(tables, i) if state.phase == layout.KEEP_START else ANY_DECK
            leaves = deck != ANY_DECK and tables.deck_leaves[deck] == 1
            n += int(state.offer[seat, i] == layout.UNKNOWN_TICKET and not leaves)
    for i in range(free.n):
        n -= int(_is_from(tables, free.tickets[i], ANY_DECK))
    return max(0, n)


@compiled
def _hold_leaving(world: _World, seats: Ints, places: Ints) -> None:
    """Let a random suitable place hold a ticket of a deck that left the game instead of one that stays."""
    state, tables, free = world.state, world.tables, world.free.tickets
    n_leaving = 0
    for i in range(world.free.n):
        if not _is_from(tables, free[i], ANY_DECK):
            free[i], free[n_leaving] = free[n_leaving], free[i]
            n_leaving += 1
    fitting = np.empty(MAX_TICKETS, dtype=np.int64)
    n = 0
    for k in range(len(seats)):
        n_new = 0
        for i in range(n_leaving):
            n_new += int(_may_hold(state, tables, seats[k], places[k], free[i]))
        if n_new > 0 and _is_from(tables, state.held[seats[k], places[k]], ANY_DECK):
            fitting[n] = k
            n += 1
    if n == 0:
        return
    k = fitting[below(world.stream, n)]
    at = _draw_ticket(world, seats[k], places[k], n_leaving)
    free[at], state.held[seats[k], places[k]] = state.held[seats[k], places[k]], free[at]


@compiled
def _may_hold(state: State, tables: Tables, seat: int, place: int, ticket: int) -> bool:
    """Return whether a seat may hold a ticket in a place: tickets of a deck that left the game are from its opening."""
    deck = tables.ticket_deck[ticket]
    if tables.deck_leaves[deck] == 0:
        return True
    n_before = n_same = 0
    for earlier in range(deck + 1):
        n_before += tables.deck_deal[earlier]
    for other in range(state.n_held[seat]):
        held = state.held[seat, other]
        n_same += int(other != place and held != layout.UNKNOWN_TICKET and tables.ticket_deck[held] == deck)
    return bool(place < n_before and n_same < tables.deck_deal[deck])


@compiled
def _odds_of_leaving(world: _World, seat: int, place: int, ticket: int, n_free: int) -> float:
    """
    Return how much more likely a place holds a ticket of an opening deck than one of a deck that stays.

    The deck is decided first, assuming that all choices from what a seat was dealt were
    equally likely. The free tickets of a deck are then equally likely, which also corrects
    for the fact that a larger deck can fill a place with more tickets.
    """
    state, tables, free = world.state, world.tables, world.free.tickets
    deck = tables.ticket_deck[ticket]
    n_staying_dealt = 0
    n_before = 0
    for other in range(tables.n_decks):
        n_staying_dealt += 0 if tables.deck_leaves[other] else tables.deck_deal[other]
        n_before += tables.deck_deal[other] if other <= deck else 0
    n_same = 0
    staying_kept = world.kept[seat]
    for other in range(state.n_held[seat]):
        held = state.held[seat, other]
        if other != place and held != layout.UNKNOWN_TICKET:
            n_same += int(tables.ticket_deck[held] == deck)
            staying_kept -= tables.deck_leaves[tables.ticket_deck[held]]
    n_free_same = n_free_staying = 0
    for i in range(n_free):
        n_free_same += int(tables.ticket_deck[free[i]] == deck)
        n_free_staying += int(_is_from(tables, free[i], ANY_DECK))
    n_places = min(n_before, state.n_held[seat])
    of_place = (tables.deck_deal[deck] - n_same) / max(1, n_places - n_same)
    of_staying = staying_kept / max(_LEAST_DIVISOR, n_staying_dealt - staying_kept + 1.0)
    return float(of_place * of_staying * max(1, n_free_staying) / max(1, n_free_same))


@compiled
def _draw_ticket(world: _World, seat: int, place: int, n_free: int) -> int:
    """Draw one of the first free tickets for a seat's place, given its other tickets; return its index."""
    state, tables, beliefs, free = world.state, world.tables, world.beliefs, world.free.tickets
    others = np.empty(MAX_TICKETS, dtype=np.int64)
    nearest = np.empty(MAX_TICKETS, dtype=np.float64)
    n_others = 0
    explained = 0
    for other in range(state.n_held[seat]):
        if other != place and state.held[seat, other] != layout.UNKNOWN_TICKET:
            others[n_others] = state.held[seat, other]
            explained |= beliefs.on_way[seat, others[n_others]]
            n_others += 1
    total = 0.0
    for i in range(n_free):
        chance = 0.0
        if _may_hold(state, tables, seat, place, free[i]):
            chance = beliefs.weights[seat, free[i]]
            if tables.deck_leaves[tables.ticket_deck[free[i]]]:
                chance *= _odds_of_leaving(world, seat, place, free[i], n_free)
        if chance > 0.0:
            for _ in range(count_bits(beliefs.on_way[seat, free[i]] & ~explained)):
                chance *= beliefs.per_route[seat]
            chance *= weight_together(beliefs.pairs[seat], others[:n_others], free[i], nearest)
        total += chance
        world.chances[i] = total
    aim = below(world.stream, _FINE) / _FINE * total
    at = 0
    while at < n_free - 1 and world.chances[at] <= aim:
        at += 1
    return at


@compiled
def weight_together(pairs: Floats, others: Ints, ticket: int, nearest: Floats) -> float:
    """
    Return the largest product of the weights of pairs that connect a ticket and others to one tree.

    Each ticket counts only with its best partners. If all pairs counted, any cluster of
    nearby tickets would seem likely for a seat with enough tickets.
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
