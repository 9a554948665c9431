"""
Which cards pay for a route: the definition, on integers and small arrays.

A route has `plain` spaces, which need cards of one color, and `symbols`, which
need locomotives. Each space takes one card, or a *set*: `swap_size` cards of any
kind that replace one. A payment is legal if its cards split exactly into single
cards and sets that fill all spaces. Every set adds `swap_size - 1` cards, so the
number of cards determines the number of sets.

`Spaces` has everything about a route that matters for a payment, except its
color. Colors are numbered as in `ROUTE_COLORS`; cards are nine counts, as in
`CARD_KINDS`.

A *form* of payment is a color and the numbers of color cards and locomotives used outside
sets; sets fill the other spaces, with any cards. Forms have a fixed order: by color, those
without a color last; within a color by locomotives, then by color cards, most first. For
given locomotives, every number of color cards between a minimum and a maximum is possible,
so forms are counted by subtraction.

The *reading* of a payment is the one form, of all those that its cards fit, by which it is
named. The rules do not say which cards of a payment make up its sets. Here as many
locomotives as possible count as single cards, then cards of the most frequent color, or the
first of several. So every payment has one form, and two with the same reading differ only in
the cards of their sets.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS

GRAY_INDEX: Final = N_COLORS
"""The color of a route that any one color of cards may pay."""


class Spaces(NamedTuple):
    """
    The spaces of a route, and what may fill them.

    Parameters
    ----------
    plain, symbols
        Spaces for color cards, and for locomotives.
    jokers
        1 if a locomotive may fill a plain space, else 0.
    swap_size
        Cards in a set, 2 or more; 0 if sets are not allowed.
    swap_any
        1 if a set may fill any space, 0 if it may fill symbols only.
    """

    plain: int
    symbols: int = 0
    jokers: int = 0
    swap_size: int = 0
    swap_any: int = 0


@compiled
def station_spaces(cost: int, jokers: int) -> Spaces:
    """
    Return the spaces of a station, those of a plain gray route of `cost` cards.

    >>> station_spaces(2, 1)
    Spaces(plain=2, symbols=0, jokers=1, swap_size=0, swap_any=0)
    """
    return Spaces(cost, 0, jokers, 0, 0)


class PaymentFault(IntEnum):
    """Why cards do not pay for a route."""

    NONE = 0
    """The cards pay."""
    TOO_FEW = 1
    """Fewer cards than spaces."""
    TOO_MANY = 2
    """More cards than the spaces and the allowed sets can take."""
    BROKEN_SET = 3
    """More cards than spaces, but not by whole sets."""
    MISSING_LOCOMOTIVE = 4
    """A symbol gets neither a locomotive nor a set."""
    LOCOMOTIVE = 5
    """A locomotive would have to be wild, which it is not here."""
    COLOR = 6
    """Cards outside sets are not of the color of the route."""
    TWO_COLORS = 7
    """Cards outside sets are of different colors."""


@quickly_compiled
def most_sets(spaces: Spaces) -> int:
    """
    Return the largest number of sets in a payment.

    A ferry of three spaces, one of them a symbol, where sets fill symbols only:

    >>> int(most_sets(Spaces(2, 1, swap_size=3)))
    1
    """
    if spaces.swap_size == 0:
        return 0
    return spaces.plain + spaces.symbols if spaces.swap_any else spaces.symbols


@quickly_compiled
def fewest_locomotives(spaces: Spaces, n_sets: int) -> int:
    """Return how many single locomotives a payment with `n_sets` sets must have."""
    return max(0, spaces.symbols - n_sets)


@quickly_compiled
def most_locomotives(spaces: Spaces, n_sets: int) -> int:
    """
    Return how many single locomotives a payment with `n_sets` sets can have.

    Every number from `fewest_locomotives` to this one is possible.

    A tunnel of three can be paid with locomotives alone; a plain route where they
    are not wild cannot:

    >>> int(most_locomotives(Spaces(3, jokers=1), 0)), int(most_locomotives(Spaces(3), 0))
    (3, 0)
    """
    unfilled = spaces.plain + spaces.symbols - n_sets
    if spaces.jokers:
        return unfilled
    if spaces.swap_any:
        return min(spaces.symbols, unfilled)
    return spaces.symbols - n_sets


@quickly_compiled
def form_sets(spaces: Spaces, own: int, locomotives: int) -> int:
    """
    Return the number of sets that complete `own` color cards and `locomotives` used singly, -1 if none does.

    Length 9, no wild locomotives, four cards for one, with seven cards of a color:

    >>> int(form_sets(Spaces(9, swap_size=4, swap_any=1), 7, 0))
    2
    """
    n_sets = spaces.plain + spaces.symbols - own - locomotives
    if own < 0 or own > spaces.plain or n_sets < 0 or n_sets > most_sets(spaces):
        return -1
    if locomotives < fewest_locomotives(spaces, n_sets) or locomotives > most_locomotives(spaces, n_sets):
        return -1
    return n_sets


@quickly_compiled
def sets_needed(spaces: Spaces, own: int, locomotives: int) -> int:
    """
    Return the fewest sets that pay for a route, -1 if the cards never do.

    `own` and `locomotives` are the cards held of the color played and the
    locomotives held; the cards for the sets are assumed.

    A ferry with one symbol and two plain spaces, three cards for a locomotive, and
    two cards of the color:

    >>> int(sets_needed(Spaces(2, 1, jokers=1, swap_size=3, swap_any=1), 2, 0))
    1
    """
    symbols, jokers = spaces.symbols, spaces.jokers
    missing = max(0, spaces.plain - own)
    if spaces.swap_any:
        n_sets = max(0, missing + symbols - locomotives) if jokers else missing + max(0, symbols - locomotives)
    else:
        if missing > (locomotives if jokers else 0):
            return -1
        n_sets = max(0, symbols - (locomotives - missing))
    if n_sets > 0 and spaces.swap_size == 0:
        return -1
    return n_sets


@quickly_compiled
def cards_needed(spaces: Spaces, own: int, locomotives: int) -> int:
    """
    Return the fewest cards that pay for a route, -1 if it cannot be paid with these: see `sets_needed`.

    Examples
    --------
    Length 9, no wild locomotives, four cards for one: 36 - 3k cards with k of a color.

    >>> spaces = Spaces(9, swap_size=4, swap_any=1)
    >>> [int(cards_needed(spaces, k, 0)) for k in range(10)]
    [36, 33, 30, 27, 24, 21, 18, 15, 12, 9]
    """
    n_sets = sets_needed(spaces, own, locomotives)
    if n_sets < 0:
        return -1
    return spaces.plain + spaces.symbols + max(0, spaces.swap_size - 1) * n_sets


@quickly_compiled
def can_pay_with(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> bool:
    """
    Return whether a hand of `n_cards` pays in one color, of which it holds `own`.

    >>> spaces = Spaces(9, swap_size=4, swap_any=1)
    >>> bool(can_pay_with(spaces, 7, 0, 15)), bool(can_pay_with(spaces, 7, 0, 14))
    (True, False)
    """
    needed = cards_needed(spaces, own, locomotives)
    return 0 <= needed <= n_cards


@quickly_compiled
def can_pay(hand: Ints, color: int, spaces: Spaces) -> bool:
    """
    Return whether a hand pays for a route of a color, `GRAY_INDEX` for any one color.

    Examples
    --------
    A gray route of length 2, where locomotives are not wild:

    >>> bool(can_pay(np.array([1, 0, 2, 0, 0, 0, 0, 0, 0]), 8, Spaces(2)))
    True
    >>> bool(can_pay(np.array([1, 0, 1, 0, 0, 0, 0, 0, 9]), 8, Spaces(2)))
    False
    """
    own = 0
    if color == GRAY_INDEX:
        for c in range(N_COLORS):
            own = max(own, hand[c])
    else:
        own = hand[color]
    return can_pay_with(spaces, own, hand[LOCOMOTIVE_INDEX], hand.sum())


@quickly_compiled
def cards_missing(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> int:
    """
    Return how many more cards, chosen well, a hand needs to pay in one color: see `can_pay_with`.

    Examples
    --------
    With seven green cards and six others, one more green card is enough:

    >>> int(cards_missing(Spaces(9, swap_size=4, swap_any=1), 7, 0, 13))
    1
    """
    fewest = spaces.plain + spaces.symbols + 1
    for more_own in range(max(0, spaces.plain - own) + 1):
        for more_locomotives in range(spaces.plain + spaces.symbols + 1):
            needed = cards_needed(spaces, own + more_own, locomotives + more_locomotives)
            if needed >= 0:
                fewest = min(fewest, max(more_own + more_locomotives, needed - n_cards))
    return fewest


@quickly_compiled
def payment_sets(spaces: Spaces, n_cards: int) -> int:
    """
    Return the number of sets in a payment of `n_cards`, or minus a `PaymentFault`: too few, too many, a broken set.

    >>> int(payment_sets(Spaces(9, swap_size=4, swap_any=1), 15))
    2
    """
    extra = n_cards - spaces.plain - spaces.symbols
    if extra < 0:
        return -PaymentFault.TOO_FEW.value
    if extra == 0:
        return 0
    if extra > (spaces.swap_size - 1) * most_sets(spaces):
        return -PaymentFault.TOO_MANY.value
    if extra % (spaces.swap_size - 1) != 0:
        return -PaymentFault.BROKEN_SET.value
    return extra // (spaces.swap_size - 1)


@quickly_compiled
def payment_fault(cards: Ints, color: int, spaces: Spaces) -> int:
    """
    Return the `PaymentFault` of cards for a route of a color, 0 if they pay for it.

    No card may be left over. For a tunnel these are the cards for its spaces,
    without the surcharge. `GRAY_INDEX` stands for any one color.

    Seven green cards and eight others, on length 9 with four cards for one; then
    one card less:

    >>> spaces = Spaces(9, swap_size=4, swap_any=1)
    >>> int(payment_fault(np.array([0, 3, 0, 2, 7, 0, 0, 2, 1]), 8, spaces))
    0
    >>> PaymentFault(payment_fault(np.array([0, 3, 0, 2, 7, 0, 0, 2, 0]), 8, spaces)).name
    'BROKEN_SET'
    """
    n_sets = payment_sets(spaces, cards.sum())
    if n_sets < 0:
        return -n_sets
    # A locomotive used singly is never worse than one in a set.
    held = cards[LOCOMOTIVE_INDEX]
    locomotives = min(held, most_locomotives(spaces, n_sets))
    if locomotives < fewest_locomotives(spaces, n_sets):
        return PaymentFault.MISSING_LOCOMOTIVE.value
    own = spaces.plain + spaces.symbols - n_sets - locomotives
    most = 0
    for c in range(N_COLORS):
        if color in (c, GRAY_INDEX):
            most = max(most, cards[c])
    if most >= own:
        return PaymentFault.NONE.value
    if most + held - locomotives >= own:
        return PaymentFault.LOCOMOTIVE.value
    return PaymentFault.TWO_COLORS.value if color == GRAY_INDEX else PaymentFault.COLOR.value


@quickly_compiled
def fill_sets(left: Ints, n_cards: int, rank: Ints, wanted: Ints, taken: Ints) -> None:
    """
    Move `n_cards` cards for sets from `left` to `taken`, one at a time, each the one missed least.

    First come cards beyond those `wanted` of their kind, then those of the lowest
    `rank`, then those of the kind with most cards left, then those of the first kind.
    A kind becomes more valuable as it runs out, so this greedy order is best for the
    sets as a whole.

    >>> taken = np.zeros(9, dtype=np.int64)
    >>> rank = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    >>> fill_sets(np.array([3, 2, 0, 0, 0, 0, 0, 0, 6]), 3, rank, np.zeros(9, dtype=np.int64), taken)
    >>> taken.tolist()
    [2, 1, 0, 0, 0, 0, 0, 0, 0]
    """
    taken[:] = 0
    for _ in range(n_cards):
        best = -1
        for kind in range(N_KINDS):
            if left[kind] > 0 and (best < 0 or _is_missed_less(left, rank, wanted, kind, best)):
                best = kind
        left[best] -= 1
        taken[best] += 1


@compiled
def _is_missed_less(left: Ints, rank: Ints, wanted: Ints, a: int, b: int) -> bool:
    """Return whether a card of kind `a` is spent before one of kind `b`."""
    a_wanted = left[a] <= wanted[a]
    b_wanted = left[b] <= wanted[b]
    if a_wanted != b_wanted:
        return bool(b_wanted)
    if rank[a] != rank[b]:
        return bool(rank[a] < rank[b])
    return bool(left[a] > left[b])


@compiled
def lay_cards(hand: Ints, color: int, own: int, locomotives: int, n_set_cards: int, wanted: Ints, cards: Ints) -> None:
    """Fill in the cards of a form of payment; sets take the cards missed least, locomotives last: see `fill_sets`."""
    cards.fill(0)
    if n_set_cards > 0:
        left = hand.copy()
        if own > 0:
            left[color] -= own
        left[LOCOMOTIVE_INDEX] -= locomotives
        rank = np.zeros(N_KINDS, dtype=np.int64)
        rank[LOCOMOTIVE_INDEX] = 1
        fill_sets(left, n_set_cards, rank, wanted, cards)
    if own > 0:
        cards[color] += own
    cards[LOCOMOTIVE_INDEX] += locomotives


# -- forms of payment in one color, or without one ---------------------------------


@compiled
def count_in_color(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> int:
    """
    Return the number of forms with at least one card of a color.

    With `own=0`, count the forms without a color. `n_cards` is the size of the hand.

    Three red and one locomotive on length 3: with and without the locomotive.

    >>> int(count_in_color(Spaces(3, jokers=1), 3, 1, 4)), int(count_in_color(Spaces(3, jokers=1), 0, 1, 4))
    (2, 0)
    """
    total = 0
    for used in range(min(locomotives, spaces.plain + spaces.symbols if spaces.jokers else spaces.symbols) + 1):
        fewest, most = _color_cards(spaces, own, used, n_cards)
        total += max(0, most - fewest + 1)
    return total


@compiled
def find_in_color(spaces: Spaces, own: int, n_cards: int, number: int) -> tuple[int, int]:
    """Return the color cards and locomotives of a form counted by `count_in_color`."""
    used = 0
    fewest, most = _color_cards(spaces, own, used, n_cards)
    while number > most - fewest:
        number -= max(0, most - fewest + 1)
        used += 1
        fewest, most = _color_cards(spaces, own, used, n_cards)
    return most - number, used


@compiled
def _color_cards(spaces: Spaces, own: int, used: int, n_cards: int) -> tuple[int, int]:
    """Return the fewest and the most color cards of forms with a given number of locomotives."""
    length = spaces.plain + spaces.symbols
    fewest = max(min(own, 1), length - used - most_sets(spaces))
    if not spaces.jokers and not spaces.swap_any:  # neither locomotives nor sets fill plain spaces
        fewest = max(fewest, spaces.plain)
    if spaces.swap_size > 0:
        # One color card fewer means one set more, for which the hand must have the cards.
        short = length * spaces.swap_size - (spaces.swap_size - 1) * used - n_cards
        fewest = max(fewest, -(-short // (spaces.swap_size - 1)))
    return fewest, min(own, spaces.plain, length - used)


# -- forms of payment in all colors -------------------------------------------------


@compiled
def count_forms(hand: Ints, n_cards: int, color: int, spaces: Spaces) -> int:
    """
    Return the number of forms in which a hand of `n_cards` pays for a route of a color.

    A gray route of length 2 where locomotives are wild: two red, a red card and a
    locomotive, a blue one and a locomotive, two locomotives.

    >>> hand = np.array([0, 1, 0, 0, 0, 0, 0, 2, 2])
    >>> int(count_forms(hand, 5, 8, Spaces(2, jokers=1)))
    4
    """
    total = 0
    locomotives = hand[LOCOMOTIVE_INDEX]
    for c in range(N_COLORS):
        if color in (c, GRAY_INDEX) and hand[c] > 0:
            total += count_in_color(spaces, hand[c], locomotives, n_cards)
    return total + count_in_color(spaces, 0, locomotives, n_cards)


@compiled
def find_form(hand: Ints, n_cards: int, color: int, spaces: Spaces, number: int) -> tuple[int, int, int]:
    """
    Return the color (-1: none), color cards and locomotives of a form counted by `count_forms`.

    >>> hand = np.array([0, 1, 0, 0, 0, 0, 0, 2, 2])
    >>> [tuple(map(int, find_form(hand, 5, 8, Spaces(2, jokers=1), i))) for i in range(4)]
    [(1, 1, 1), (7, 2, 0), (7, 1, 1), (-1, 0, 2)]
    """
    locomotives = hand[LOCOMOTIVE_INDEX]
    found = -1
    for c in range(N_COLORS):
        if color in (c, GRAY_INDEX) and hand[c] > 0:
            n = count_in_color(spaces, hand[c], locomotives, n_cards)
            if number < n:
                found = c
                break
            number -= n
    held = hand[found] if found >= 0 else 0
    own, used = find_in_color(spaces, held, n_cards, number)
    return found, own, used


# -- the reading of a payment --------------------------------------------------------------------------------------


@quickly_compiled
def read_form(cards: Ints, color: int, spaces: Spaces) -> tuple[int, int, int]:
    """
    Return the reading of cards that pay for a route: the color (-1: none), color cards and locomotives.

    Seven green cards, and eight others in two sets of four:

    >>> spaces = Spaces(9, swap_size=4, swap_any=1)
    >>> tuple(map(int, read_form(np.array([0, 3, 0, 2, 7, 0, 0, 2, 1]), 8, spaces)))
    (4, 7, 0)
    """
    n_sets = payment_sets(spaces, cards.sum())
    locomotives = min(cards[LOCOMOTIVE_INDEX], most_locomotives(spaces, n_sets))
    own = spaces.plain + spaces.symbols - n_sets - locomotives
    if own == 0:
        return -1, 0, locomotives
    found = color
    if color == GRAY_INDEX:
        found = 0
        for c in range(1, N_COLORS):
            if cards[c] > cards[found]:
                found = c
    return found, own, locomotives


@compiled
def can_read(hand: Ints, color: int, spaces: Spaces, found: int, own: int, locomotives: int) -> bool:
    """
    Return whether some cards of a hand pay for a route of a color, with a form as their reading.

    With one blue and nine red cards, two sets of four and a single card always have a red
    reading:

    >>> hand, spaces = np.array([0, 1, 0, 0, 0, 0, 0, 9, 0]), Spaces(3, swap_size=4, swap_any=1)
    >>> bool(can_read(hand, 8, spaces, 7, 1, 0)), bool(can_read(hand, 8, spaces, 1, 1, 0))
    (True, False)
    """
    n_sets = form_sets(spaces, own, locomotives)
    if n_sets < 0 or locomotives > hand[LOCOMOTIVE_INDEX] or (own > 0 and own > hand[found]):
        return False
    n_left = n_sets * spaces.swap_size
    most = min(hand[found], own + n_left) if own > 0 else 0
    for kind in range(N_KINDS):
        n_left -= _most_in_sets(hand, color, spaces, found, own, locomotives, most, kind)
    return n_left <= 0


@compiled
def fill_reading(hand: Ints, color: int, spaces: Spaces, found: int, own: int, locomotives: int, cards: Ints) -> None:
    """
    Fill in cards of a hand whose reading is a given form, which must be possible.

    Sets take the cards that the hand has most of, locomotives last, unless that would
    change the reading.

    >>> cards = np.zeros(9, dtype=np.int64)
    >>> hand, spaces = np.array([0, 3, 0, 0, 0, 0, 0, 9, 0]), Spaces(3, swap_size=4, swap_any=1)
    >>> fill_reading(hand, 8, spaces, 7, 2, 0, cards)
    >>> cards.tolist()
    [0, 0, 0, 0, 0, 0, 0, 6, 0]
    """
    cards.fill(0)
    if own > 0:
        cards[found] = own
    cards[LOCOMOTIVE_INDEX] = locomotives
    for _ in range(form_sets(spaces, own, locomotives) * spaces.swap_size):
        best = -1
        most = cards[found] if own > 0 else 0
        for kind in range(N_KINDS):
            single = own if own > 0 and kind == found else locomotives if kind == LOCOMOTIVE_INDEX else 0
            if cards[kind] - single >= _most_in_sets(hand, color, spaces, found, own, locomotives, most, kind):
                continue
            left = hand[kind] - cards[kind]
            if best < 0 or (kind != LOCOMOTIVE_INDEX and left > hand[best] - cards[best]):
                best = kind
        cards[best] += 1


@compiled
def _most_in_sets(
    hand: Ints, color: int, spaces: Spaces, found: int, own: int, locomotives: int, most: int, kind: int
) -> int:
    """Return how many cards of a kind the sets of a form may contain, if `most` cards of its color are laid down."""
    if kind == LOCOMOTIVE_INDEX:
        # Those in sets could count as single cards, unless there are already as many of these as possible.
        n_sets = form_sets(spaces, own, locomotives)
        return int(hand[kind] - locomotives) if locomotives == most_locomotives(spaces, n_sets) else 0
    if own == 0:
        return int(hand[kind])
    if kind == found:
        return int(hand[kind] - own)
    return int(min(hand[kind], most - int(kind < found)) if color == GRAY_INDEX else hand[kind])
