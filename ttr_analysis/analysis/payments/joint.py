"""Whether one hand pays for several routes at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import count_cards
from ttr_analysis.analysis.payments.model import Cards, Payment, RouteFacts, as_array, as_counts, color_index
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.payment import GRAY_INDEX

# Columns of the array that describes several routes.
_COLOR, _PLAIN, _SYMBOLS, _JOKERS, _SWAP_SIZE, _SWAP_ANY = range(6)


def can_pay_all(routes: Iterable[Route], hand: Cards) -> bool:
    """
    Return whether a hand pays for several routes, each with cards of its own.

    Parameters
    ----------
    routes
        Any routes of any map. For tunnels: their length.
    hand
        Cards held.

    Notes
    -----
    Exact. Colors for the gray routes and the cards of a color that several
    routes want are tried out, the rest follows; so the time grows quickly with
    the number of gray routes that the hand might just pay.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> routes = [nordic.route("Oslo", "Bergen", color="red"), nordic.route("Aalborg", "Kristiansand")]
    >>> can_pay_all(routes, {"red": 5, "locomotive": 1}), can_pay_all(routes, {"red": 4, "locomotive": 1})
    (True, False)
    """
    return pay_all(routes, hand) is not None


def pay_all(routes: Iterable[Route], hand: Cards) -> tuple[Payment, ...] | None:
    """
    Return payments for several routes from one hand.

    Parameters
    ----------
    routes
        Any routes of any map. For tunnels: their length.
    hand
        Cards held.

    Returns
    -------
    payments
        One for each route, in the order given; None if the hand does not pay
        for all of them. They are some that go, with as few cards in sets as
        the way found allows; not the cheapest of all.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> routes = [nordic.route("Oslo", "Bergen", color="red"), nordic.route("Aalborg", "Kristiansand")]
    >>> for payment in pay_all(routes, {"red": 4, "blue": 3, "locomotive": 1}):
    ...     print(payment)
    4 red
    1 locomotive, and 3 blue in sets
    """
    routes = list(routes)
    hand = CardCounts.coerce(hand)
    order = search_order(routes)
    table = routes_table([routes[i] for i in order])
    own = np.zeros(len(routes), dtype=np.int64)
    color = np.zeros(len(routes), dtype=np.int64)
    if not find_singles(table, as_array(hand), own, color):
        return None
    found = _share_out(table, hand, own, color)
    payments = dict(zip(order, found, strict=True))
    return tuple(payments[i] for i in range(len(routes)))


def search_order(routes: list[Route]) -> list[int]:
    """Return the order in which the search takes routes: colored ones first, then the longest, equals together."""
    return sorted(range(len(routes)), key=lambda i: (routes[i].color == GRAY, -routes[i].length, _row(routes[i])))


def routes_table(routes: list[Route]) -> Ints:
    """Return routes as the rows that the search wants."""
    return np.array([_row(route) for route in routes], dtype=np.int64).reshape(-1, 6)


def _row(route: Route) -> tuple[int, ...]:
    facts = RouteFacts.of(route)
    # Without sets, no space may be filled by one.
    return (color_index(route), *facts[:4], facts.swap_any if facts.swap_size else 0)


@compiled
def find_singles(routes: Ints, hand: Ints, own: Ints, color: Ints) -> bool:
    """
    Return whether a hand pays for all routes, and find the color cards used singly.

    Parameters
    ----------
    routes
        One row for each: color, plain, symbols, jokers, swap_size, swap_any.
    hand
        Cards held.
    own, color
        Filled with the cards used singly for each route, and their color.
    """
    n_cards = count_cards(hand)
    n_spaces = 0
    for r in range(routes.shape[0]):
        n_spaces += routes[r, _PLAIN] + routes[r, _SYMBOLS]
    if n_spaces > n_cards:
        return False
    return _search(routes, hand.copy(), hand[LOCOMOTIVE_INDEX], n_cards, own, color)


@compiled
def _search(routes: Ints, left: Ints, locomotives: int, n_cards: int, own: Ints, color: Ints) -> bool:
    """Return whether all routes can be paid, with `left` of each color; depth first, route by route."""
    n_routes = routes.shape[0]
    if n_routes == 0 or not _rest_pays(routes, left, locomotives, n_cards, 0, own):
        return bool(n_routes == 0)
    fewest = np.zeros(n_routes, dtype=np.int64)
    i = 0
    color[0] = -1
    while i >= 0:
        if color[i] >= 0:
            left[color[i]] += own[i]
        if color[i] >= 0 and own[i] > fewest[i]:
            own[i] -= 1
        else:
            following, most, least = _next_color(routes, left, i, color[i] + 1, own)
            color[i] = following
            own[i] = most
            fewest[i] = least
        if color[i] == N_COLORS:
            i -= 1
            continue
        left[color[i]] -= own[i]
        if _rest_pays(routes, left, locomotives, n_cards, i + 1, own):
            i += 1
            if i == n_routes:
                return True
            color[i] = -1
    return False


@compiled
def _next_color(routes: Ints, left: Ints, i: int, first: int, own: Ints) -> tuple[int, int, int]:
    """Return the next color to try for a route, and the most and fewest of its cards; `N_COLORS` after the last."""
    wanted = routes[i, _COLOR]
    for c in range(first, N_COLORS):
        if wanted not in (c, GRAY_INDEX):
            continue
        most = min(left[c], routes[i, _PLAIN])
        fewest = 0 if _is_wanted_later(routes, i, c) else most
        if wanted == GRAY_INDEX:
            # Now all routes to come are gray: colors with equally many cards left are as good as each other.
            if _is_left_before(left, c):
                continue
            # A gray route without a single colored card is tried once, as that of the first color.
            if c > 0:
                fewest = max(fewest, 1)
            # Of routes that are all the same, the earlier ones get no fewer color cards.
            if i > 0 and _are_equal(routes[i], routes[i - 1]):
                most = min(most, own[i - 1])
        if fewest <= most:
            return c, most, fewest
    return N_COLORS, 0, 0


@compiled
def _is_wanted_later(routes: Ints, i: int, c: int) -> bool:
    for later in range(i + 1, routes.shape[0]):
        if routes[later, _COLOR] == c or routes[later, _COLOR] == GRAY_INDEX:
            return True
    return False


@compiled
def _is_left_before(left: Ints, c: int) -> bool:
    """Return whether an earlier color has as many cards left."""
    earlier = 0
    while left[earlier] != left[c]:
        earlier += 1
    return earlier < c


@compiled
def _are_equal(route: Ints, other: Ints) -> bool:
    """Return whether two routes are the same in all that the search asks about."""
    column = 0
    while column < route.size and route[column] == other[column]:
        column += 1
    return column == route.size


@compiled
def _rest_pays(routes: Ints, left: Ints, locomotives: int, n_cards: int, i: int, own: Ints) -> bool:
    """
    Return whether locomotives and sets make up for what is missing.

    The routes before `i` have their color cards in `own`; each later one is
    given all that is left of its best color, as if it were the only one. So
    with `i` routes still to come this may be too hopeful, never too strict.
    """
    must = 0
    for r in range(routes.shape[0]):
        missing = _missing(routes, left, i, own, r)
        if missing > 0 and not routes[r, _JOKERS] and not routes[r, _SWAP_ANY]:
            return False
        if not routes[r, _SWAP_ANY] and routes[r, _JOKERS]:
            must += missing
        if not routes[r, _SWAP_SIZE]:
            must += routes[r, _SYMBOLS]
    if must > locomotives:
        return False
    free = locomotives - must
    needed = 0
    # What locomotives may fill and sets too: locomotives go where sets are largest.
    largest = 0
    for r in range(routes.shape[0]):
        largest = max(largest, routes[r, _SWAP_SIZE])
    by_size = np.zeros(largest + 1, dtype=np.int64)
    for r in range(routes.shape[0]):
        missing = _missing(routes, left, i, own, r)
        needed += routes[r, _PLAIN] + routes[r, _SYMBOLS]
        if routes[r, _SWAP_ANY]:
            if routes[r, _JOKERS]:
                by_size[routes[r, _SWAP_SIZE]] += missing
            else:
                needed += missing * (routes[r, _SWAP_SIZE] - 1)
        if routes[r, _SWAP_SIZE]:
            by_size[routes[r, _SWAP_SIZE]] += routes[r, _SYMBOLS]
    for size in range(largest, 0, -1):
        n_locomotives = min(free, by_size[size])
        free -= n_locomotives
        needed += (by_size[size] - n_locomotives) * (size - 1)
    return bool(needed <= n_cards)


@compiled
def _missing(routes: Ints, left: Ints, i: int, own: Ints, r: int) -> int:
    """Return how many plain spaces of a route lack a color card."""
    if r < i:
        return int(routes[r, _PLAIN] - own[r])
    if routes[r, _COLOR] != GRAY_INDEX:
        return int(max(0, routes[r, _PLAIN] - left[routes[r, _COLOR]]))
    most = 0
    for c in range(N_COLORS):
        most = max(most, left[c])
    return int(max(0, routes[r, _PLAIN] - most))


def _share_out(table: Ints, hand: CardCounts, own: Ints, color: Ints) -> list[Payment]:
    """Return the payments that go with the color cards found: locomotives first where sets are largest."""
    plain, symbols = table[:, _PLAIN], table[:, _SYMBOLS]
    missing = plain - own
    n = len(table)
    only = np.where((table[:, _JOKERS] == 1) & (table[:, _SWAP_ANY] == 0), missing, 0)
    only += np.where(table[:, _SWAP_SIZE] == 0, symbols, 0)
    either = np.where((table[:, _JOKERS] == 1) & (table[:, _SWAP_ANY] == 1), missing, 0)
    either += np.where(table[:, _SWAP_SIZE] > 0, symbols, 0)
    locomotives = only.copy()
    free = hand.locomotives - int(only.sum())
    for r in sorted(range(n), key=lambda r: -int(table[r, _SWAP_SIZE])):
        given = min(free, int(either[r]))
        locomotives[r] += given
        free -= given
    left = as_array(hand)
    left[LOCOMOTIVE_INDEX] -= locomotives.sum()
    for r in range(n):
        left[color[r]] -= own[r]
    rank = np.array([0] * N_COLORS + [1], dtype=np.int64)
    payments = []
    for r in range(n):
        n_sets = int(plain[r] + symbols[r] - own[r] - locomotives[r])
        taken = np.zeros(N_KINDS, dtype=np.int64)
        rule.fill_sets(left, n_sets * int(table[r, _SWAP_SIZE]), rank, np.zeros(N_KINDS, dtype=np.int64), taken)
        name = COLORS[color[r]] if own[r] else None
        payments.append(Payment(name, int(own[r]), int(locomotives[r]), as_counts(taken)))
    return payments
