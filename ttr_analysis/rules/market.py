"""
Piles of cards and the face-up cards: the definition of their rules, on integers and small arrays.

Cards are nine counts, as in `CARD_KINDS`. The market is an array with the kind
of the card in each slot, or `EMPTY`. A refill goes like this:

1. The empty slots are filled in order, each the `next_empty_slot`, with the top
   card; they stay empty if the draw and discard piles are.
2. As long as `is_reset_due`, `sweep_market` puts all face-up cards on the
   discard pile, and the slots are filled again in the same order.

`refill` does this with random cards. The engine does it with a draw pile that
can also follow a record.

If no slot was empty there is no refill, and no reset either. Decision: a claim
may fill the piles and make a reset possible, but the reset waits for the next
refill; by the rule sheet of Switzerland it would be immediate.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.rules.chance import below

EMPTY: Final = -1
"""A slot without a card."""


class FaceUpRules(NamedTuple):
    """The fields of a rule set's `market`, as numbers."""

    locomotive_cost: int
    reset_at: int
    max_resets: int
    reset_needs_full: int
    reset_needs_colored: int
    open_without_piles: int


# -- piles of cards -----------------------------------------------------------


@compiled
def count_cards(cards: Ints) -> int:
    """Return the number of cards."""
    total = 0
    for kind in range(N_KINDS):
        total += cards[kind]
    return total


@compiled
def count_colored(cards: Ints) -> int:
    """
    Return the number of cards that are not locomotives.

    >>> int(count_colored(np.array([2, 0, 0, 0, 0, 0, 0, 0, 1])))
    2
    """
    return int(count_cards(cards) - cards[LOCOMOTIVE_INDEX])


@compiled
def add_cards(cards: Ints, to: Ints) -> None:
    """Add cards to others."""
    for kind in range(N_KINDS):
        to[kind] += cards[kind]


@compiled
def remove_cards(cards: Ints, pile: Ints) -> None:
    """Subtract cards from others, which must include them."""
    for kind in range(N_KINDS):
        pile[kind] -= cards[kind]


@compiled
def kind_at(pile: Ints, number: int) -> int:
    """
    Return the kind of a card of a pile whose cards are numbered by kind, from 0.

    >>> pile = np.array([2, 0, 1, 0, 0, 0, 0, 0, 1])
    >>> [int(kind_at(pile, number)) for number in range(4)]
    [0, 0, 2, 8]
    """
    kind = 0
    n = 0
    for k in range(N_COLORS):  # without an early exit: a branch that cannot be predicted costs more
        n += pile[k]
        kind += int(number >= n)
    return kind


@compiled
def draw_card(pile: Ints, stream: Ints) -> int:
    """
    Remove a random card from a pile, which is not empty, and return its kind.

    >>> pile = np.array([0, 0, 3, 0, 0, 0, 0, 0, 0])
    >>> int(draw_card(pile, np.array([1, 2, 3, 4]))), pile.tolist()
    (2, [0, 0, 2, 0, 0, 0, 0, 0, 0])
    """
    kind = kind_at(pile, below(stream, count_cards(pile)))
    pile[kind] -= 1
    return kind


# -- filling the slots --------------------------------------------------------


@compiled
def next_empty_slot(market: Ints, start: int) -> int:
    """
    Return the first empty slot from `start` on; the number of slots if there is none.

    >>> market = np.array([3, EMPTY, 8, EMPTY, 0])
    >>> int(next_empty_slot(market, 0)), int(next_empty_slot(market, 2)), int(next_empty_slot(market, 4))
    (1, 3, 5)
    """
    slot = start
    while slot < market.size and market[slot] != EMPTY:
        slot += 1
    return slot


@compiled
def refill(stream: Ints, market: Ints, pile: Ints, discards: Ints, rules: FaceUpRules) -> int:
    """Fill the empty slots with random cards; if there were any, make the resets due and return their number."""
    if next_empty_slot(market, 0) == market.size:
        return 0
    _fill_slots(stream, market, pile, discards)
    n_resets = 0
    while is_reset_due(market, count_colored(pile) + count_colored(discards), n_resets, rules):
        sweep_market(market, discards)
        _fill_slots(stream, market, pile, discards)
        n_resets += 1
    return n_resets


@compiled
def _fill_slots(stream: Ints, market: Ints, pile: Ints, discards: Ints) -> None:
    n_cards = count_cards(pile) + count_cards(discards)
    slot = next_empty_slot(market, 0)
    while slot < market.size and n_cards > 0:
        market[slot] = turn_up(stream, pile, discards)
        n_cards -= 1
        slot = next_empty_slot(market, slot + 1)


@compiled
def turn_up(stream: Ints, pile: Ints, discards: Ints) -> int:
    """Remove the top card and return its kind; an empty pile is first made from the discards."""
    if count_cards(pile) == 0:
        add_cards(discards, pile)
        discards.fill(0)
    return draw_card(pile, stream)


# -- resets -------------------------------------------------------------------


@compiled
def has_too_many_locomotives(market: Ints, reset_at: int) -> bool:
    """
    Return whether enough locomotives are face up for a reset, whether or not it is allowed.

    >>> market = np.array([3, EMPTY, 8, 8, 8])
    >>> bool(has_too_many_locomotives(market, 3)), bool(has_too_many_locomotives(market, 4))
    (True, False)
    """
    n_locomotives = 0
    for slot in range(market.size):
        n_locomotives += market[slot] == LOCOMOTIVE_INDEX
    return 0 < reset_at <= n_locomotives


@quickly_compiled
def is_reset_due(market: Ints, n_colored_in_piles: int, n_resets: int, rules: FaceUpRules) -> bool:
    """
    Return whether all face-up cards must be replaced.

    `n_colored_in_piles` are the cards in draw and discard piles that are not
    locomotives, `n_resets` the resets since the slots were refilled.

    Three locomotives among five cards: at first, with too few colored cards
    left for a better market, and after the maximum number of resets.

    >>> market = np.array([8, 2, 8, 0, 8])
    >>> rules = FaceUpRules(2, 3, 100, reset_needs_full=1, reset_needs_colored=3, open_without_piles=1)
    >>> bool(is_reset_due(market, 58, 0, rules))
    True
    >>> bool(is_reset_due(market, 0, 0, rules)), bool(is_reset_due(market, 58, 100, rules))
    (False, False)

    An empty slot, where the market must be full and where it need not:

    >>> market[1] = EMPTY
    >>> bool(is_reset_due(market, 58, 0, rules)), bool(is_reset_due(market, 58, 0, rules._replace(reset_needs_full=0)))
    (False, True)
    """
    if n_resets >= rules.max_resets or not has_too_many_locomotives(market, rules.reset_at):
        return False
    n_colored = n_colored_in_piles
    for slot in range(market.size):
        if market[slot] == EMPTY:
            if rules.reset_needs_full:
                return False
        elif market[slot] != LOCOMOTIVE_INDEX:
            n_colored += 1
    return n_colored >= rules.reset_needs_colored


@compiled
def sweep_market(market: Ints, discards: Ints) -> None:
    """
    Put all face-up cards on the discard pile.

    >>> market, discards = np.array([3, EMPTY, 8]), np.zeros(9, dtype=np.int64)
    >>> sweep_market(market, discards)
    >>> market.tolist(), discards.tolist()
    ([-1, -1, -1], [0, 0, 0, 1, 0, 0, 0, 0, 1])
    """
    for slot in range(market.size):
        kind = market[slot]
        if kind != EMPTY:
            discards[kind] += 1
            market[slot] = EMPTY


# -- taking a card ------------------------------------------------------------


@compiled
def draws_for_face_up(kind: int, locomotive_cost: int) -> int:
    """Return how many draws of a turn a face-up card costs."""
    if kind == LOCOMOTIVE_INDEX:
        return locomotive_cost
    return 1


@compiled
def must_be_first(kind: int, locomotive_cost: int) -> bool:
    """
    Return whether a face-up card may be taken only as the first card of a turn.

    >>> bool(must_be_first(8, 2)), bool(must_be_first(8, 1)), bool(must_be_first(0, 2))
    (True, False, False)
    """
    return draws_for_face_up(kind, locomotive_cost) > 1


@compiled
def may_take_face_up(kind: int, n_taken: int, has_piles: bool, rules: FaceUpRules) -> bool:
    """
    Return whether a face-up card may be taken now, after `n_taken` others in this turn.

    Decision: it may be taken even if both piles are empty. The book of the Nordic
    Countries lets nobody draw cards then; set `open_without_piles = false` for that.

    A locomotive as the second card, where it costs two draws and where it costs one:

    >>> rules = FaceUpRules(2, 3, 100, reset_needs_full=1, reset_needs_colored=3, open_without_piles=1)
    >>> bool(may_take_face_up(8, 1, True, rules)), bool(may_take_face_up(8, 1, True, rules._replace(locomotive_cost=1)))
    (False, True)

    A red card when both piles are empty:

    >>> closed = rules._replace(open_without_piles=0)
    >>> bool(may_take_face_up(7, 0, False, rules)), bool(may_take_face_up(7, 0, False, closed))
    (True, False)
    """
    if kind == EMPTY or (n_taken > 0 and must_be_first(kind, rules.locomotive_cost)):
        return False
    return has_piles or rules.open_without_piles != 0
