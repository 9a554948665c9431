"""
The forms of payment of a hand for a route: counted, and listed one by one.

A *form* is a color, how many cards of it and how many locomotives are used
singly; sets fill the other spaces. The cards of the sets are left open. The
route is given by its `Spaces`: see `rules.payment`.

Forms count in a fixed order: by color; in a color by locomotives, then by
color cards, the most first; last those without a color, by locomotives. They
are found through the number of locomotives: without sets the number of color
cards follows from it.
"""

from __future__ import annotations

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, cards_needed, form_sets, most_sets


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
    if color == GRAY_INDEX:
        for c in range(N_COLORS):
            if hand[c] > 0:
                total += count_in_color(spaces, hand[c], locomotives, n_cards)
    elif hand[color] > 0:
        total += count_in_color(spaces, hand[color], locomotives, n_cards)
    return total + count_without_color(spaces, locomotives, n_cards)


@compiled
def count_in_color(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> int:
    """
    Return the number of forms with at least one card of a color.

    Parameters
    ----------
    spaces
        Those of the route.
    own, locomotives, n_cards
        Cards held of the color, locomotives, and cards of all kinds.
    """
    if spaces.swap_size == 0:
        return count_singles(spaces, own, locomotives)
    if cards_needed(spaces, own, locomotives) > n_cards:
        return 0
    length = spaces.plain + spaces.symbols
    extra = spaces.swap_size - 1
    total = 0
    for n_locomotives in range(min(locomotives, length if spaces.jokers else spaces.symbols) + 1):
        # Each color card less is a set more: of these there may be only so many, and the hand must have their cards.
        fewest = max(1, length - n_locomotives - most_sets(spaces))
        if not spaces.jokers and not spaces.swap_any:
            fewest = max(fewest, spaces.plain)
        short = length * spaces.swap_size - extra * n_locomotives - n_cards
        if short > 0:
            fewest = max(fewest, (short + extra - 1) // extra)
        total += max(0, min(own, spaces.plain, length - n_locomotives) - fewest + 1)
    return total


@compiled
def count_singles(spaces: Spaces, own: int, locomotives: int) -> int:
    """
    Return the number of forms with at least one card of a color, on a route without sets.

    Parameters
    ----------
    spaces
        Those of the route.
    own, locomotives
        Cards held of the color, and locomotives.

    Examples
    --------
    Three red and one locomotive on length 3: with and without the locomotive.

    >>> int(count_singles(Spaces(3, jokers=1), 3, 1))
    2
    """
    plain, length = spaces.plain, spaces.plain + spaces.symbols
    if own + locomotives < length:
        return 0
    if spaces.jokers:
        # The spaces that locomotives do not fill want color cards.
        return max(0, min(own, plain) - max(1, length - locomotives) + 1)
    return int(0 < plain <= own and locomotives >= spaces.symbols)


@compiled
def count_locomotives(spaces: Spaces, locomotives: int) -> int:
    """
    Return the number of forms of locomotives alone, on a route without sets: 1 or 0.

    Parameters
    ----------
    spaces
        Those of the route.
    locomotives
        Locomotives held.

    Examples
    --------
    >>> int(count_locomotives(Spaces(3, jokers=1), 3)), int(count_locomotives(Spaces(3), 3))
    (1, 0)
    """
    return int((spaces.jokers or spaces.plain == 0) and locomotives >= spaces.plain + spaces.symbols)


@compiled
def count_without_color(spaces: Spaces, locomotives: int, n_cards: int) -> int:
    """
    Return the number of forms without color cards used singly.

    Parameters
    ----------
    spaces
        Those of the route.
    locomotives, n_cards
        Locomotives held, and cards of all kinds.
    """
    if spaces.swap_size == 0:
        return count_locomotives(spaces, locomotives)
    total = 0
    for n_locomotives in range(min(locomotives, spaces.plain + spaces.symbols) + 1):
        if fits(spaces, 0, n_locomotives, n_cards):
            total += 1
    return total


@compiled
def fits(spaces: Spaces, own: int, locomotives: int, n_cards: int) -> bool:
    """
    Return whether single cards, with sets from the rest of the hand, pay for a route.

    Parameters
    ----------
    own, locomotives
        Color cards and locomotives used singly, all of them held.
    n_cards
        Cards held of all kinds.
    spaces
        Those of the route.
    """
    n_sets = form_sets(spaces, own, locomotives)
    return n_sets >= 0 and n_cards - own - locomotives >= n_sets * spaces.swap_size


@compiled
def find_form(
    hand: Ints,
    n_cards: int,
    color: int,
    spaces: Spaces,
    number: int,
) -> tuple[int, int, int]:
    """
    Return one form: its color, color cards and locomotives.

    Parameters
    ----------
    hand, n_cards, color, spaces
        As for `count_forms`.
    number
        Which form, from 0.

    Returns
    -------
    form
        Color (-1: none), color cards and locomotives used singly; the color
        is -2 if there are not so many forms.

    Examples
    --------
    >>> import numpy as np
    >>> hand = np.array([0, 1, 0, 0, 0, 0, 0, 2, 2])
    >>> [tuple(map(int, find_form(hand, 5, 8, Spaces(2, jokers=1), i))) for i in range(4)]
    [(1, 1, 1), (7, 2, 0), (7, 1, 1), (-1, 0, 2)]
    """
    locomotives = hand[LOCOMOTIVE_INDEX]
    for c in range(N_COLORS):
        if color not in (c, GRAY_INDEX) or hand[c] == 0:
            continue
        n = count_in_color(spaces, hand[c], locomotives, n_cards)
        if number < n:
            own, used = find_in_color(spaces, hand[c], locomotives, n_cards, number)
            return c, own, used
        number -= n
    used = find_without_color(spaces, locomotives, n_cards, number)
    return (-1, 0, used) if used >= 0 else (-2, 0, 0)


@compiled
def find_in_color(spaces: Spaces, own: int, locomotives: int, n_cards: int, number: int) -> tuple[int, int]:
    """
    Return one of the forms with at least one card of a color: its color cards and locomotives.

    Parameters
    ----------
    spaces, own, locomotives, n_cards
        As for `count_in_color`.
    number
        Which form, from 0; there are so many.
    """
    length = spaces.plain + spaces.symbols
    for used in range(min(locomotives, length) + 1):
        most = min(own, spaces.plain, length - used)
        # Without sets the color cards fill what the locomotives leave.
        fewest = length - used if spaces.swap_size == 0 else 1
        for single in range(most, max(fewest, 1) - 1, -1):
            if fits(spaces, single, used, n_cards):
                if number == 0:
                    return single, used
                number -= 1
    return 0, 0


@compiled
def find_without_color(spaces: Spaces, locomotives: int, n_cards: int, number: int) -> int:
    """
    Return the locomotives of one of the forms without color cards used singly; -1 if there are not so many.

    Parameters
    ----------
    spaces, locomotives, n_cards
        As for `count_without_color`.
    number
        Which form, from 0.
    """
    for used in range(min(locomotives, spaces.plain + spaces.symbols) + 1):
        if fits(spaces, 0, used, n_cards):
            if number == 0:
                return used
            number -= 1
    return -1
