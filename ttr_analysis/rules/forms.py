"""
The forms of payment of a hand for a route: counted, and listed one by one.

A *form* is a color, how many cards of it and how many locomotives are used
singly; sets fill the other spaces. The cards of the sets are left open. The
route is given by its `Spaces`: see `rules.payment`.

Forms count in a fixed order: by color, and last those without a color; in a
color by locomotives, then by color cards, the most first. With given
locomotives the color cards may be any number from the fewest that will do to
the most that are held or fit, so that forms are counted by subtraction.
"""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, most_sets

# -- in one color, or without one -------------------------------------------------


@compiled
def count_in_color(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> int:
    """
    Return the number of forms with at least one card of a color, or of those without a color.

    Parameters
    ----------
    spaces
        Those of the route.
    own, locomotives, n_cards
        Cards held of the color, locomotives, and cards of all kinds. 0 of the
        color asks for the forms without one.

    Examples
    --------
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
    """
    Return one of the forms with at least one card of a color, or without a color: its color cards and locomotives.

    Parameters
    ----------
    spaces, own, n_cards
        As for `count_in_color`.
    number
        Which form, from 0, below `count_in_color`, which knows how many locomotives are held.
    """
    used = 0
    fewest, most = _color_cards(spaces, own, used, n_cards)
    while number > most - fewest:
        number -= max(0, most - fewest + 1)
        used += 1
        fewest, most = _color_cards(spaces, own, used, n_cards)
    return most - number, used


@compiled
def _color_cards(spaces: Spaces, own: int, used: int, n_cards: int) -> tuple[int, int]:
    """Return the fewest and the most color cards of forms with so many locomotives, not more than may be used."""
    length = spaces.plain + spaces.symbols
    fewest = max(min(own, 1), length - used - most_sets(spaces))
    if not spaces.jokers and not spaces.swap_any:  # neither locomotives nor sets fill plain spaces
        fewest = max(fewest, spaces.plain)
    if spaces.swap_size > 0:
        # Each color card less is a set more, and the hand must have its cards.
        short = length * spaces.swap_size - (spaces.swap_size - 1) * used - n_cards
        fewest = max(fewest, -(-short // (spaces.swap_size - 1)))
    return fewest, min(own, spaces.plain, length - used)


# -- in all colors ----------------------------------------------------------------


@compiled
def count_forms(hand: Ints, n_cards: int, color: int, spaces: Spaces) -> int:
    """
    Return the number of forms in which a hand pays for a route.

    Parameters
    ----------
    hand
        Cards held.
    n_cards
        Their number.
    color
        Color of the route; `GRAY_INDEX` for any one color.
    spaces
        Those of the route.

    Examples
    --------
    A gray route of length 2 where locomotives are jokers: two red, a red card
    and a locomotive, a blue one and a locomotive, two locomotives.

    >>> import numpy as np
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
    Return one form: its color (-1: none), color cards and locomotives.

    Parameters
    ----------
    hand, n_cards, color, spaces
        As for `count_forms`.
    number
        Which form, from 0, below `count_forms`.

    Examples
    --------
    >>> import numpy as np
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
