"""
The forms of payment of a hand for a route: counted, and listed one by one.

A *form* is a color, how many cards of it and how many locomotives are used
singly; sets fill the other spaces. The cards of the sets are left open. The
arguments that describe a route are the `Spaces` of `rules.payment`.

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
def count_forms(
    hand: Ints, n_cards: int, color: int, plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int
) -> int:
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
    plain, symbols, jokers, swap_size, swap_any
        The route: see `rules.payment`.

    Examples
    --------
    A gray route of length 2 where locomotives are jokers: two red, a red card
    and a locomotive, a blue one and a locomotive, two locomotives.

    >>> import numpy as np
    >>> hand = np.array([0, 1, 0, 0, 0, 0, 0, 2, 2])
    >>> int(count_forms(hand, 5, 8, 2, 0, 1, 0, 0))
    4
    """
    total = 0
    locomotives = hand[LOCOMOTIVE_INDEX]
    if color == GRAY_INDEX:
        for c in range(N_COLORS):
            if hand[c] > 0:
                total += count_in_color(hand[c], locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
    elif hand[color] > 0:
        total += count_in_color(hand[color], locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
    return total + count_without_color(locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)


@compiled
def count_in_color(
    own: int, locomotives: int, n_cards: int, plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int
) -> int:
    """
    Return the number of forms with at least one card of a color.

    Parameters
    ----------
    own, locomotives, n_cards
        Cards held of the color, locomotives, and cards of all kinds.
    plain, symbols, jokers, swap_size, swap_any
        The route: see `rules.payment`.
    """
    if swap_size == 0:
        return count_singles(own, locomotives, plain, symbols, jokers)
    spaces = Spaces(plain, symbols, jokers, swap_size, swap_any)
    if cards_needed(spaces, own, locomotives) > n_cards:
        return 0
    length = plain + symbols
    extra = swap_size - 1
    total = 0
    for n_locomotives in range(min(locomotives, length if jokers else symbols) + 1):
        # Each color card less is a set more: of these there may be only so many, and the hand must have their cards.
        fewest = max(1, length - n_locomotives - most_sets(spaces))
        if not jokers and not swap_any:
            fewest = max(fewest, plain)
        short = length * swap_size - extra * n_locomotives - n_cards
        if short > 0:
            fewest = max(fewest, (short + extra - 1) // extra)
        total += max(0, min(own, plain, length - n_locomotives) - fewest + 1)
    return total


@compiled
def count_singles(own: int, locomotives: int, plain: int, symbols: int, jokers: int) -> int:
    """
    Return the number of forms with at least one card of a color, on a route without sets.

    Parameters
    ----------
    own, locomotives
        Cards held of the color, and locomotives.
    plain, symbols, jokers
        The route: see `rules.payment`.

    Examples
    --------
    Three red and one locomotive on length 3: with and without the locomotive.

    >>> int(count_singles(3, 1, 3, 0, 1))
    2
    """
    if own + locomotives < plain + symbols:
        return 0
    if jokers:
        # The spaces that locomotives do not fill want color cards.
        return max(0, min(own, plain) - max(1, plain + symbols - locomotives) + 1)
    return int(0 < plain <= own and locomotives >= symbols)


@compiled
def count_locomotives(locomotives: int, plain: int, symbols: int, jokers: int) -> int:
    """
    Return the number of forms of locomotives alone, on a route without sets: 1 or 0.

    Parameters
    ----------
    locomotives
        Locomotives held.
    plain, symbols, jokers
        The route: see `rules.payment`.

    Examples
    --------
    >>> int(count_locomotives(3, 3, 0, 1)), int(count_locomotives(3, 3, 0, 0))
    (1, 0)
    """
    return int((jokers or plain == 0) and locomotives >= plain + symbols)


@compiled
def count_without_color(
    locomotives: int, n_cards: int, plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int
) -> int:
    """
    Return the number of forms without color cards used singly.

    Parameters
    ----------
    locomotives, n_cards
        Locomotives held, and cards of all kinds.
    plain, symbols, jokers, swap_size, swap_any
        The route: see `rules.payment`.
    """
    if swap_size == 0:
        return count_locomotives(locomotives, plain, symbols, jokers)
    total = 0
    for n_locomotives in range(min(locomotives, plain + symbols) + 1):
        if fits(0, n_locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any):
            total += 1
    return total


@compiled
def fits(
    own: int, locomotives: int, n_cards: int, plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int
) -> bool:
    """
    Return whether single cards, with sets from the rest of the hand, pay for a route.

    Parameters
    ----------
    own, locomotives
        Color cards and locomotives used singly, all of them held.
    n_cards
        Cards held of all kinds.
    plain, symbols, jokers, swap_size, swap_any
        The route: see `rules.payment`.
    """
    n_sets = form_sets(Spaces(plain, symbols, jokers, swap_size, swap_any), own, locomotives)
    return n_sets >= 0 and n_cards - own - locomotives >= n_sets * swap_size


@compiled
def find_form(
    hand: Ints,
    n_cards: int,
    color: int,
    plain: int,
    symbols: int,
    jokers: int,
    swap_size: int,
    swap_any: int,
    number: int,
) -> tuple[int, int, int]:
    """
    Return one form: its color, color cards and locomotives.

    Parameters
    ----------
    hand, n_cards, color, plain, symbols, jokers, swap_size, swap_any
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
    >>> [tuple(map(int, find_form(hand, 5, 8, 2, 0, 1, 0, 0, i))) for i in range(4)]
    [(1, 1, 1), (7, 2, 0), (7, 1, 1), (-1, 0, 2)]
    """
    locomotives = hand[LOCOMOTIVE_INDEX]
    for c in range(N_COLORS):
        if color not in (c, GRAY_INDEX) or hand[c] == 0:
            continue
        n = count_in_color(hand[c], locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any)
        if number < n:
            own, used = find_in_color(
                hand[c], locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any, number
            )
            return c, own, used
        number -= n
    used = find_without_color(locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any, number)
    return (-1, 0, used) if used >= 0 else (-2, 0, 0)


@compiled
def find_in_color(
    own: int,
    locomotives: int,
    n_cards: int,
    plain: int,
    symbols: int,
    jokers: int,
    swap_size: int,
    swap_any: int,
    number: int,
) -> tuple[int, int]:
    """
    Return one of the forms with at least one card of a color: its color cards and locomotives.

    Parameters
    ----------
    own, locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any
        As for `count_in_color`.
    number
        Which form, from 0; there are so many.
    """
    length = plain + symbols
    for used in range(min(locomotives, length) + 1):
        most = min(own, plain, length - used)
        # Without sets the color cards fill what the locomotives leave.
        fewest = length - used if swap_size == 0 else 1
        for single in range(most, max(fewest, 1) - 1, -1):
            if fits(single, used, n_cards, plain, symbols, jokers, swap_size, swap_any):
                if number == 0:
                    return single, used
                number -= 1
    return 0, 0


@compiled
def find_without_color(
    locomotives: int, n_cards: int, plain: int, symbols: int, jokers: int, swap_size: int, swap_any: int, number: int
) -> int:
    """
    Return the locomotives of one of the forms without color cards used singly; -1 if there are not so many.

    Parameters
    ----------
    locomotives, n_cards, plain, symbols, jokers, swap_size, swap_any
        As for `count_without_color`.
    number
        Which form, from 0.
    """
    for used in range(min(locomotives, plain + symbols) + 1):
        if fits(0, used, n_cards, plain, symbols, jokers, swap_size, swap_any):
            if number == 0:
                return used
            number -= 1
    return -1
