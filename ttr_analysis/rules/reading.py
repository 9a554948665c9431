"""
The *reading* of a payment: the one form, of all those that its cards fit, by which it is named.

The rules do not say which cards of a payment make up its sets. Here as many locomotives as
possible count as single cards, then cards of the most frequent color, or the first of several.
So every payment has one form, and two with the same reading differ only in the cards of their
sets.
"""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, form_sets, most_locomotives, payment_sets


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
