"""Whether one hand pays for several routes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import count_cards
from ttr_analysis.analysis.payments.model import Cards, Payment, as_array, as_counts, color_index
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces
from ttr_analysis.tables import spaces_of


class RouteColumns(NamedTuple):
    """The colors of several routes, and the columns of their `Spaces`."""

    color: Ints
    plain: Ints
    symbols: Ints
    jokers: Ints
    swap_size: Ints
    swap_any: Ints


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
    columns = route_columns([routes[i] for i in order])
    own = np.zeros(len(routes), dtype=np.int64)
    color = np.zeros(len(routes), dtype=np.int64)
    if not find_singles(columns, as_array(hand), own, color):
        return None
    found = _share_out(columns, hand, own, color)
    payments = dict(zip(order, found, strict=True))
    return tuple(payments[i] for i in range(len(routes)))


def search_order(routes: list[Route]) -> list[int]:
    """Return the order in which the search takes routes: colored ones first, then the longest, equals together."""
    return sorted(range(len(routes)), key=lambda i: (routes[i].color == GRAY, -routes[i].length, _row(routes[i])))


def route_columns(routes: list[Route]) -> RouteColumns:
    """Return routes as the search wants them."""
    rows = np.array([_row(route) for route in routes], dtype=np.int64).reshape(-1, len(RouteColumns._fields))
    return RouteColumns(*np.ascontiguousarray(rows.T))


def _row(route: Route) -> tuple[int, ...]:
    spaces = spaces_of(route)
    # Without sets, no space may be filled by one.
    return (color_index(route), *spaces._replace(swap_any=spaces.swap_any if spaces.swap_size else 0))


@compiled
def spaces_in(routes: RouteColumns, r: int) -> Spaces:
    """Return the spaces of one of the routes."""
    return Spaces(routes.plain[r], routes.symbols[r], routes.jokers[r], routes.swap_size[r], routes.swap_any[r])


@compiled
def find_singles(routes: RouteColumns, hand: Ints, own: Ints, color: Ints) -> bool:
    """
    Return whether a hand pays for all routes, and find the color cards used singly.

    Parameters
    ----------
    routes
        As `route_columns` gives them.
    hand
        Cards held.
    own, color
        Filled with the cards used singly for each route, and their color.
    """
    n_cards = count_cards(hand)
    n_spaces = 0
    for r in range(routes.color.size):
        n_spaces += routes.plain[r] + routes.symbols[r]
    if n_spaces > n_cards:
        return False
    return _search(routes, hand.copy(), hand[LOCOMOTIVE_INDEX], n_cards, own, color)


@compiled
def _search(routes: RouteColumns, left: Ints, locomotives: int, n_cards: int, own: Ints, color: Ints) -> bool:
    """Return whether all routes can be paid, with `left` of each color; depth first, route by route."""
    n_routes = routes.color.size
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
def _next_color(routes: RouteColumns, left: Ints, i: int, first: int, own: Ints) -> tuple[int, int, int]:
    """Return the next color to try for a route, and the most and fewest of its cards; `N_COLORS` after the last."""
    wanted = routes.color[i]
    for c in range(first, N_COLORS):
        if wanted not in (c, GRAY_INDEX):
            continue
        most = min(left[c], routes.plain[i])
        fewest = 0 if _is_wanted_later(routes, i, c) else most
        if wanted == GRAY_INDEX:
            # Now all routes to come are gray: colors with equally many cards left are as good as each other.
            if _is_left_before(left, c):
                continue
            # A gray route without a single colored card is tried once, as that of the first color.
            if c > 0:
                fewest = max(fewest, 1)
            # Of routes that are all the same, the earlier ones get no fewer color cards.
            if i > 0 and _are_equal(routes, i, i - 1):
                most = min(most, own[i - 1])
        if fewest <= most:
            return c, most, fewest
    return N_COLORS, 0, 0


@compiled
def _is_wanted_later(routes: RouteColumns, i: int, c: int) -> bool:
    for later in range(i + 1, routes.color.size):
        if routes.color[later] == c or routes.color[later] == GRAY_INDEX:
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
def _are_equal(routes: RouteColumns, r: int, other: int) -> bool:
    """Return whether two routes are the same in all that the search asks about."""
    return bool(routes.color[r] == routes.color[other] and spaces_in(routes, r) == spaces_in(routes, other))


@compiled
def _rest_pays(routes: RouteColumns, left: Ints, locomotives: int, n_cards: int, i: int, own: Ints) -> bool:
    """
    Return whether locomotives and sets make up for what is missing.

    The routes before `i` have their color cards in `own`; each later one is
    given all that is left of its best color, as if it were the only one. So
    with `i` routes still to come this may be too hopeful, never too strict.
    """
    must = 0
    for r in range(routes.color.size):
        missing = _missing(routes, left, i, own, r)
        if missing > 0 and not routes.jokers[r] and not routes.swap_any[r]:
            return False
        if not routes.swap_any[r] and routes.jokers[r]:
            must += missing
        if not routes.swap_size[r]:
            must += routes.symbols[r]
    if must > locomotives:
        return False
    free = locomotives - must
    needed = 0
    # What locomotives may fill and sets too: locomotives go where sets are largest.
    largest = 0
    for r in range(routes.color.size):
        largest = max(largest, routes.swap_size[r])
    by_size = np.zeros(largest + 1, dtype=np.int64)
    for r in range(routes.color.size):
        missing = _missing(routes, left, i, own, r)
        needed += routes.plain[r] + routes.symbols[r]
        if routes.swap_any[r]:
            if routes.jokers[r]:
                by_size[routes.swap_size[r]] += missing
            else:
                needed += missing * (routes.swap_size[r] - 1)
        if routes.swap_size[r]:
            by_size[routes.swap_size[r]] += routes.symbols[r]
    for size in range(largest, 0, -1):
        n_locomotives = min(free, by_size[size])
        free -= n_locomotives
        needed += (by_size[size] - n_locomotives) * (size - 1)
    return bool(needed <= n_cards)


@compiled
def _missing(routes: RouteColumns, left: Ints, i: int, own: Ints, r: int) -> int:
    """Return how many plain spaces of a route lack a color card."""
    if r < i:
        return int(routes.plain[r] - own[r])
    if routes.color[r] != GRAY_INDEX:
        return int(max(0, routes.plain[r] - left[routes.color[r]]))
    most = 0
    for c in range(N_COLORS):
        most = max(most, left[c])
    return int(max(0, routes.plain[r] - most))


def _share_out(routes: RouteColumns, hand: CardCounts, own: Ints, color: Ints) -> list[Payment]:
    """Return the payments that go with the color cards found: locomotives first where sets are largest."""
    missing = routes.plain - own
    n = routes.color.size
    only = np.where((routes.jokers == 1) & (routes.swap_any == 0), missing, 0)
    only += np.where(routes.swap_size == 0, routes.symbols, 0)
    either = np.where((routes.jokers == 1) & (routes.swap_any == 1), missing, 0)
    either += np.where(routes.swap_size > 0, routes.symbols, 0)
    locomotives = only.copy()
    free = hand.locomotives - int(only.sum())
    for r in sorted(range(n), key=lambda r: -int(routes.swap_size[r])):
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
        n_sets = int(routes.plain[r] + routes.symbols[r] - own[r] - locomotives[r])
        taken = np.zeros(N_KINDS, dtype=np.int64)
        rule.fill_sets(left, n_sets * int(routes.swap_size[r]), rank, np.zeros(N_KINDS, dtype=np.int64), taken)
        name = COLORS[color[r]] if own[r] else None
        payments.append(Payment(name, int(own[r]), int(locomotives[r]), as_counts(taken)))
    return payments
