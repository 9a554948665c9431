"""
The packed state of a game: one layout for all maps and numbers of players.

Card counts are in the order of `CARD_KINDS`. SECRET fields must not influence a
seat that cannot see them; `engine.state` blanks them. All other fields are public.

A state may hold cards and tickets unknown to a record. A card drawn unseen then counts in
`n_hand` but stays in `draw_pile`, which holds all cards that whoever kept the record did
not see. When a seat shows cards, they are *identified*: moved from there to its hand. The
same happens to an unknown market card when it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from ttr_analysis._compile import Ints, Record, block, cell, short
from ttr_analysis._words import counted, listed
from ttr_analysis.cards import CARD_KINDS, N_KINDS, CardCounts
from ttr_analysis.rules.chance import KEY_SIZE
from ttr_analysis.tables import MAX_CITIES, MAX_OFFER, MAX_ROUTES, MAX_SEATS, MAX_SLOTS, MAX_TICKETS, Tables


class Phase(IntEnum):
    """The decision of the acting seat."""

    KEEP_START = 0
    """Which opening tickets to keep."""
    TURN = 1
    """What to do with the turn."""
    SECOND_DRAW = 2
    """Which card to draw next."""
    TUNNEL = 3
    """Whether and how to pay the surcharge of a tunnel."""
    KEEP = 4
    """Which of the drawn tickets to keep."""
    NEUTRAL = 5
    """Which track the neutral player gets; decided outside the seat's own turn."""
    OVER = 6
    """No further decision."""


class Ending(IntEnum):
    """Why a game is over."""

    NOT_OVER = 0
    TRAINS = 1
    """Every player has taken its last turn."""
    PASSES = 2
    """Everyone passed."""
    TRUNCATED = 3
    """The turn limit was reached."""


# Phases as plain integers, which plain Python compares faster.
KEEP_START: Final = 0
TURN: Final = 1
SECOND_DRAW: Final = 2
TUNNEL_PHASE: Final = 3
KEEP: Final = 4
NEUTRAL: Final = 5
OVER: Final = 6

NOBODY: Final = -1
"""Owner of a free route; also marks an empty market slot or no pending route."""
NEUTRAL_OWNER: Final = MAX_SEATS
"""Owner of the routes of the neutral player."""
UNKNOWN_CARD: Final = N_KINDS
"""Kind of a card unknown to the record."""
OLD_UNKNOWN_CARD: Final = UNKNOWN_CARD + 1
"""The same, for a market card that has been there since before the last shuffle."""
UNKNOWN_MATCH: Final = UNKNOWN_CARD + 1
"""Kind of an unknown card turned over for a tunnel if it matches; if not, it is `UNKNOWN_CARD`."""
UNKNOWN_TICKET: Final = MAX_TICKETS
"""Number of a ticket unknown to the record."""

AT_PILE: Final = 8
"""A ticket in the shuffled pile, or one unknown to the record."""
AT_QUEUE: Final = 9
"""A ticket under the pile."""
AT_OFFER: Final = 10
"""A ticket in a seat's offer."""
AT_DISCARDS: Final = 11
"""A ticket on the face-up discard pile."""
AT_REMOVED: Final = 12
"""A ticket out of the game."""


class State(Record):
    """
    A game at one moment: the fields that compiled code reads and changes.

    >>> state = State()
    >>> state.trains[1] = 40
    >>> state.copy().trains[1], state.phase
    (np.int64(40), 0)
    """

    phase = cell()
    """A `Phase`."""
    seat = cell()
    """The seat that acts now."""
    turn_seat = cell()
    """The seat whose turn it is; not always the one that acts."""
    n_turns = cell()
    """Completed turns."""
    n_taken = cell()
    """Draws used in this turn."""
    last_left = cell()
    """Turns left once the last round has begun, else -1."""
    last_seat = cell()
    """The seat that set off the last round, else -1."""
    n_passes = cell()
    """Passes in a row."""
    ending = cell()
    """An `Ending`."""
    n_claims = cell()
    """Routes taken so far, including the neutral player's."""
    n_pile = cell()
    """Cards in the draw pile."""
    added_discards = cell()
    """1 if cards were discarded in this turn."""
    n_swept = cell()
    """Unknown cards on the discard pile: from a replaced market, or turned over for tunnels."""
    n_shuffles = cell()
    """Number of times that the discards became the draw pile."""
    pending = cell()
    """The tunnel being attempted, else -1."""
    pending_color = cell()
    """The color played for it; 8 for locomotives alone."""
    surcharge = cell()
    """Its surcharge in cards; after `ATTEMPT_TUNNEL`, which lays no cards down, plus the cards for its spaces."""
    n_ticket_pile = cell()
    """Tickets in the shuffled pile, drawn before the queue."""
    n_queued = cell()
    """Tickets under the pile, in known order; SECRET while opening tickets are chosen."""
    queue_head = cell()
    """Index of the top ticket in `queue`."""
    n_ticket_discards = cell()
    """Tickets on the discard pile; SECRET while opening tickets are chosen."""
    neutral_in = cell()
    """1 while the neutral player is in the game."""
    marker = cell()
    """The seat that holds the neutral player's marker."""
    neutral_ticket = cell()
    """The ticket last turned up for the neutral player, else -1."""
    fault = cell()
    """1 if a script of outcomes did not fit; the state is then invalid."""
    stream = block(KEY_SIZE)
    """SECRET: the random stream."""

    draw_pile = block(N_KINDS)
    """SECRET: cards in the draw pile by kind, including the unknown cards of hands, market and discard pile."""
    discards = block(N_KINDS)
    market = block(MAX_SLOTS)
    """Kind of the card in each slot, -1 if empty; `UNKNOWN_CARD` or `OLD_UNKNOWN_CARD` if unknown to the record."""
    laid = block(N_KINDS)
    """Cards laid down for the pending tunnel."""
    revealed = block(N_KINDS)
    """Cards turned over for it, which count as discards too."""
    paid = block(N_KINDS)
    """Cards last paid as a surcharge, which count as discards too."""
    pool = block(N_KINDS)
    """Cards in the pile at the last shuffle, minus those seen by all since; for a seat, also minus its blind draws."""
    hand = block(MAX_SEATS, N_KINDS)
    """SECRET: cards of each seat."""
    blind = block(MAX_SEATS, N_KINDS)
    """SECRET: each seat's blind draws since the last shuffle, minus those it has certainly shown since."""
    known = block(MAX_SEATS, N_KINDS)
    """Cards that everyone knows each seat holds, at least."""
    n_hand = block(MAX_SEATS)
    """Number of cards of each seat."""
    old = block(MAX_SEATS)
    """Upper bound on each seat's cards that are hidden from the others and older than the last shuffle."""
    swept_match = block(N_KINDS)
    """Unknown discards that match a color (of that color, or locomotives), by color."""
    swept_other = block(N_KINDS)
    """Unknown discards that do not match a color, by color; index 8: those that are not locomotives."""
    shown_color = block(MAX_SEATS)
    """The color of each seat's last tunnel attempt with cards unknown to the record."""
    n_shown = block(MAX_SEATS)
    """Cards of that color, or locomotives, that each seat must therefore hold, at least."""
    trains = block(MAX_SEATS + 1)
    """Trains left, for each seat and the neutral player."""
    score = block(MAX_SEATS)
    """Each seat's starting score plus points for routes."""
    tokens = block(MAX_SEATS)
    loans = block(MAX_SEATS)
    n_held = block(MAX_SEATS)
    """Number of tickets of each seat; SECRET for the other seats while opening tickets are chosen."""
    n_offer = block(MAX_SEATS)
    """Number of tickets in each seat's offer; SECRET for the other seats while opening tickets are chosen."""
    offer = block(MAX_SEATS, MAX_OFFER)
    """SECRET: each seat's offer, in the order dealt."""
    held = block(MAX_SEATS, MAX_TICKETS)
    """SECRET: tickets of each seat, in the order kept."""
    ticket_at = block(MAX_TICKETS)
    """Partly SECRET: the place of each ticket: the seat that holds it, or one of `AT_*`."""
    returned_by = block(MAX_TICKETS)
    """SECRET for other seats: 1 + the seat that last returned each ticket; the ticket may have moved since."""
    queue = block(MAX_TICKETS)
    """SECRET: tickets under the pile, a ring buffer that begins at `queue_head`."""
    queued_at = block(MAX_TICKETS)
    """Completed turns when each was put there; only the seat that returned tickets knows their order within a turn."""
    owner = block(MAX_ROUTES)
    """Owner of each route: a seat, `NEUTRAL_OWNER` or -1."""
    claimed = block(MAX_ROUTES)
    """Routes in the order in which they were taken."""
    stations = block(MAX_SEATS)
    """Stations left, for each seat."""
    station_at = block(MAX_CITIES)
    """1 + the seat that has a station in each city; 0 where there is none."""


# -- cards and tickets unknown to a record -------------------------------------------------------------------------


@short
def n_unknown_cards(state: State, seat: int) -> int:
    """Return the number of unknown cards of a hand."""
    return int(state.n_hand[seat] - state.hand[seat].sum())


@short
def has_unknown_tickets(state: State, seat: int) -> bool:
    """Return whether any ticket held by or offered to a seat is unknown."""
    n_unknown = 0
    for i in range(state.n_held[seat]):
        n_unknown += int(state.held[seat, i] == UNKNOWN_TICKET)
    for i in range(state.n_offer[seat]):
        n_unknown += int(state.offer[seat, i] == UNKNOWN_TICKET)
    return n_unknown > 0


@short
def show_tickets(state: State, seat: int, order: Ints) -> None:
    """Fill in a seat's unknown tickets from `order`, all that it keeps in the game; do nothing if `order` is empty."""
    for i in range(min(state.n_held[seat], len(order))):
        if state.held[seat, i] == UNKNOWN_TICKET:
            state.ticket_at[order[i]] = seat
            state.held[seat, i] = order[i]


def has_unknown_cards(state: State) -> bool:
    """Return whether any card in a hand, face up or on the discard pile is unknown."""
    return bool(state.draw_pile.sum() > state.n_pile)


def unknown_words(state: State, n_players: int) -> str:
    """Describe the unknown cards, or without any the unknown tickets; "" if there are none."""
    if has_unknown_cards(state):
        unknown = [(n_unknown_cards(state, seat), f"of P{seat}") for seat in range(n_players)]
        unknown.append((int((state.market >= UNKNOWN_CARD).sum()), "in the market"))
        unknown.append((int(state.n_swept), "on the discard pile"))
        return listed(f"{counted(n, 'unknown card')} {where}" for n, where in unknown if n)
    n_left = int((state.ticket_at == AT_PILE).sum())
    queued = [int(state.queue[(state.queue_head + i) % MAX_TICKETS]) for i in range(int(state.n_queued))]
    n_unknown = n_left - int(state.n_ticket_pile)
    return counted(n_unknown, "unknown ticket") if n_unknown or UNKNOWN_TICKET in queued else ""


def identify_cards(state: State, seat: int, cards: Sequence[int]) -> str:
    """Identify unknown cards of a hand that shows `cards` (nine counts); return "", or why it cannot hold them."""
    hand = state.hand[seat]
    missing = [max(0, shown - held) for shown, held in zip(cards, hand.tolist(), strict=True)]
    n_unknown = n_unknown_cards(state, seat)
    if sum(missing) > n_unknown:
        held = f"{CardCounts(tuple(hand.tolist()))} and {counted(n_unknown, 'unknown card')}"
        return f"P{seat} holds {held}, so it cannot play {CardCounts(tuple(cards))}"
    for kind, n in enumerate(missing):
        unseen = int(state.draw_pile[kind])
        if n > unseen:
            return (
                f"P{seat} cannot hold {cards[kind]} {CARD_KINDS[kind]}: "
                f"it is known to hold {hand[kind]}, with only {unseen} more unseen"
            )
    for kind, n in enumerate(missing):
        hand[kind] += n
        state.draw_pile[kind] -= n
    return ""


def impossible_kind(state: State, tables: Tables) -> int | None:
    """Return a kind of which more cards left the draw pile than were shuffled into it, if any."""
    return next((kind for kind, left in enumerate(_left_of_shuffle(state, tables)) if left < 0), None)


def n_short_in_pile(state: State, tables: Tables) -> int:
    """Return by how much the draw pile exceeds the unseen cards that were shuffled into it."""
    unseen: list[int] = state.draw_pile.tolist()
    n_possible = sum(map(min, unseen, _left_of_shuffle(state, tables)))
    return max(0, int(state.n_pile) - n_possible)


def _left_of_shuffle(state: State, tables: Tables) -> list[int]:
    """Return for each kind how many cards shuffled into the draw pile are not known to have left it."""
    left: list[int] = (state.pool - state.blind[: tables.n_seats].sum(axis=0)).tolist()
    return left


def n_of_leaving_decks(tables: Tables, tickets: Sequence[int]) -> list[int]:
    """Count the known tickets by deck; 0 for decks that stay in the game after the opening."""
    decks = [int(tables.ticket_deck[ticket]) for ticket in tickets if ticket != UNKNOWN_TICKET]
    return [decks.count(deck) if tables.deck_leaves[deck] else 0 for deck in range(tables.n_decks)]


def identify_tickets(state: State, tables: Tables, seat: int, tickets: Sequence[int]) -> str:
    """Fill in the unknown tickets of a seat that shows all its tickets; return "", or why they are impossible."""
    held = state.held[seat, : state.n_held[seat]]
    if len(tickets) != len(held):
        return f"P{seat} holds {counted(len(held), 'ticket')}, not {len(tickets)}"
    known = [ticket for ticket in held.tolist() if ticket != UNKNOWN_TICKET]
    if len(known) == len(held):
        return f"the tickets of P{seat} are known"
    if len(set(tickets)) < len(tickets) or UNKNOWN_TICKET in tickets:
        return f"P{seat} shows the same ticket twice, or an unknown one"
    if not set(known) <= set(tickets):
        return f"P{seat} is known to hold a ticket that is not among these"
    new = [ticket for ticket in tickets if ticket not in known]
    if any(state.ticket_at[ticket] != AT_PILE for ticket in new):
        return f"P{seat} cannot hold all these tickets: one is known to be elsewhere"
    decks = zip(n_of_leaving_decks(tables, tickets), tables.deck_deal.tolist(), strict=False)
    many = [f"{n} tickets from a deck that dealt it only {dealt}" for n, dealt in decks if n > dealt]
    if not many:
        held[held == UNKNOWN_TICKET] = new
        state.ticket_at[new] = seat
    return f"P{seat} cannot hold {many[0]}" if many else ""
