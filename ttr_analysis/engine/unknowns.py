"""
Cards and tickets unknown to a record, and what is learned about them.

A card drawn unseen counts in `n_hand` but stays in `draw_pile`, which then holds all
cards not seen by the keepers of the record. When a seat shows cards, they are
*identified*: moved from there to its hand. The same happens to an unknown market card
when it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import short
from ttr_analysis._words import counted, listed
from ttr_analysis.cards import CARD_KINDS, CardCounts
from ttr_analysis.engine.layout import AT_PILE, UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.tables import MAX_TICKETS, Tables


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
    """Fill in a seat's unknown tickets, given all that it got in the end, in order; none if `order` is empty."""
    for i in range(min(state.n_held[seat], len(order))):
        if state.held[seat, i] == UNKNOWN_TICKET:
            state.ticket_at[order[i]] = seat
            state.held[seat, i] = order[i]


def has_unknown_cards(state: State) -> bool:
    """Return whether any card in a hand, face up or on the discard pile is unknown."""
    return bool(state.draw_pile.sum() > state.n_pile)


def unknown_words(state: State, n_players: int) -> str:
    """Describe the unknown cards and tickets; "" if there are none."""
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
    """Identify unknown cards of a hand that shows cards (nine counts); return "", or why it cannot hold them."""
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
                f"it is known to hold {hand[kind]}, and {unseen} more are unseen"
            )
    for kind, n in enumerate(missing):
        hand[kind] += n
        state.draw_pile[kind] -= n
    return ""


def impossible_kind(state: State, tables: Tables) -> int | None:
    """Return a kind of which more cards left the draw pile than were shuffled into it, if any."""
    return next((kind for kind, left in enumerate(_left_of_shuffle(state, tables)) if left < 0), None)


def n_short_in_pile(state: State, tables: Tables) -> int:
    """Return how many cards of the draw pile cannot be of any unseen kind that was shuffled into it."""
    unseen: list[int] = state.draw_pile.tolist()
    n_possible = sum(map(min, unseen, _left_of_shuffle(state, tables)))
    return max(0, int(state.n_pile) - n_possible)


def _left_of_shuffle(state: State, tables: Tables) -> list[int]:
    """Return for each kind how many cards shuffled into the draw pile are not known to have left it."""
    left: list[int] = (state.pool - state.blind[: tables.n_seats].sum(axis=0)).tolist()
    return left


def n_of_leaving_decks(tables: Tables, tickets: Sequence[int]) -> list[int]:
    """Return how many of some tickets, known or not, are from each deck that leaves the game after the opening."""
    decks = [int(tables.ticket_deck[ticket]) for ticket in tickets if ticket != UNKNOWN_TICKET]
    return [decks.count(deck) if tables.deck_leaves[deck] else 0 for deck in range(tables.n_decks)]


def identify_tickets(state: State, tables: Tables, seat: int, tickets: Sequence[int]) -> str:
    """Fill in the unknown tickets of a seat that shows all its tickets; return "", or why they are impossible."""
    held = state.held[seat, : state.n_held[seat]]
    if len(tickets) != len(held):
        return f"P{seat} holds {len(held)} tickets, not {len(tickets)}"
    known = [ticket for ticket in held.tolist() if ticket != UNKNOWN_TICKET]
    if len(known) == len(held):
        return f"the tickets of P{seat} are known"
    if len(set(tickets)) < len(tickets) or UNKNOWN_TICKET in tickets:
        return f"P{seat} shows a ticket twice, or one that is not named"
    if not set(known) <= set(tickets):
        return f"P{seat} is known to hold another ticket"
    new = [ticket for ticket in tickets if ticket not in known]
    if any(state.ticket_at[ticket] != AT_PILE for ticket in new):
        return f"P{seat} cannot hold one of these tickets: it is seen elsewhere"
    decks = zip(n_of_leaving_decks(tables, tickets), tables.deck_deal.tolist(), strict=False)
    many = [f"{n} tickets of a deck of which it was dealt {dealt}" for n, dealt in decks if n > dealt]
    if not many:
        held[held == UNKNOWN_TICKET] = new
        state.ticket_at[new] = seat
    return f"P{seat} cannot hold {many[0]}" if many else ""
