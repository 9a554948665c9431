"""Payments for one or several routes, and the reasons why cards do not pay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis._words import counted
from ttr_analysis.cards import (
    COLORS,
    GRAY,
    LOCOMOTIVE,
    LOCOMOTIVE_INDEX,
    N_COLORS,
    N_KINDS,
    ROUTE_COLORS,
    CardCounts,
    kind_name,
)
from ttr_analysis.maps.model import Route, check_route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.market import count_cards
from ttr_analysis.rules.payment import GRAY_INDEX, PaymentFault, Spaces, read_form
from ttr_analysis.tables import spaces_of

Cards = CardCounts | Mapping[str, int] | Iterable[str]
"""Cards as users write them: counts, a mapping from kind to count, or the kinds one by one."""


@dataclass(frozen=True, slots=True)
class Payment:
    """
    Cards laid down for a route, and the role of each.

    Parameters
    ----------
    color
        Color of the cards outside sets; None if there are none.
    own
        Cards of that color outside sets.
    locomotives
        Locomotives outside sets.
    sets
        Cards of all sets, each of which replaces one card.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If a number is below 0, or there is a color without cards or the reverse.

    Examples
    --------
    >>> payment = Payment("green", 7, 0, CardCounts.of(red=5, black=3))
    >>> payment.n_cards, payment.form
    (15, ('green', 7, 0))
    >>> print(payment)
    7 green, and 3 black, 5 red in sets
    """

    color: str | None
    own: int
    locomotives: int
    sets: CardCounts = field(default_factory=CardCounts)

    def __post_init__(self) -> None:
        if self.color is not None and self.color not in COLORS:
            object.__setattr__(self, "color", kind_name("color of cards", self.color, COLORS))
        check_counts(self.own, self.locomotives)
        if (self.color is None) != (self.own == 0):
            raise ValueError(f"expected a color with cards outside sets, or neither, got {self.color} and {self.own}")

    @property
    def form(self) -> tuple[str | None, int, int]:
        """Color, color cards and locomotives outside sets, that is, all but the cards of sets."""
        return self.color, self.own, self.locomotives

    @property
    def cards(self) -> CardCounts:
        """All cards laid down."""
        counts = list(self.sets.counts)
        counts[LOCOMOTIVE_INDEX] += self.locomotives
        if self.color is not None:
            counts[COLORS.index(self.color)] += self.own
        return CardCounts(tuple(counts))

    @property
    def n_cards(self) -> int:
        """Number of cards laid down."""
        return self.own + self.locomotives + self.sets.n_cards

    def __str__(self) -> str:
        single = []
        if self.color is not None:
            single.append(f"{self.own} {self.color}")
        if self.locomotives:
            single.append(counted(self.locomotives, LOCOMOTIVE))
        if self.sets.n_cards:
            single.append(f"{'and ' if single else ''}{self.sets} in sets")
        return ", ".join(single) or "no cards"


def check_counts(own: int, locomotives: int) -> None:
    """Raise a ValueError if a count is negative."""
    for name, n in (("own", own), ("locomotives", locomotives)):
        if n < 0:
            raise ValueError(f"{name} must be 0 or more cards, got {n}")


def color_index(route: Route) -> int:
    """Return the color of a route as a number."""
    return ROUTE_COLORS.index(route.color)


def colors_of(route: Route) -> Sequence[int]:
    """Return the colors that may pay for a route."""
    return range(N_COLORS) if route.color == GRAY else (color_index(route),)


def cards_wanted(routes: Iterable[Route]) -> CardCounts:
    """Return the cards by kind that routes need: their colors for plain spaces, locomotives for symbols."""
    counts = [0] * N_KINDS
    for route in routes:
        spaces = spaces_of(route)
        counts[LOCOMOTIVE_INDEX] += spaces.symbols
        if route.color != GRAY:
            counts[color_index(route)] += spaces.plain
    return CardCounts(tuple(counts))


def as_array(cards: CardCounts) -> Ints:
    """Return cards as an array for the rules."""
    return np.array(cards.counts, dtype=np.int64)


def as_counts(cards: Ints) -> CardCounts:
    """Return cards from an array."""
    return CardCounts(tuple(int(n) for n in cards))


def can_pay(route: Route, hand: Cards) -> bool:
    """
    Return whether a hand pays for a route; for a tunnel, without any surcharge.

    Examples
    --------
    >>> ferry = ttr.load_map("nordic").route("Stavanger", "Kristiansand", color="orange")
    >>> can_pay(ferry, {"orange": 2, "locomotive": 1}), can_pay(ferry, {"orange": 3})
    (True, False)
    >>> can_pay(ferry, {"orange": 2, "red": 1, "green": 2})
    True
    """
    spaces = spaces_of(route)
    return bool(rule.can_pay(as_array(CardCounts.coerce(hand)), color_index(route), spaces))


def why_not(route: Route, hand: Cards) -> str | None:
    """
    Return why a hand does not pay for a route, None if it does.

    The reason names the color with the fewest cards missing, and how many
    well-chosen cards would be enough.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(why_not(route, {"green": 7, "red": 6}))
    Lieksa-Murmansk (gray, 9) needs 15 cards with 7 green, got 13: at least 1 more card is needed
    """
    hand, spaces = CardCounts.coerce(hand), spaces_of(route)
    if can_pay(route, hand):
        return None
    color = COLORS[best_color(route, hand)]
    own, locomotives = hand[color], hand.locomotives
    needed = rule.cards_needed(spaces, own, locomotives)
    missing = rule.cards_missing(spaces, own, locomotives, hand.n_cards)
    held = f"{own} {color}"
    if route.locomotives or route.locomotives_allowed:
        held += f" and {counted(locomotives, LOCOMOTIVE)}"
    if needed < 0:
        plain, symbols = f"{spaces.plain} {color}", counted(spaces.symbols, LOCOMOTIVE)
        singles = " and ".join(text for text, n in ((plain, spaces.plain), (symbols, spaces.symbols)) if n)
        note = " (locomotives are not wild here)" if locomotives and not spaces.jokers else ""
        needs = f"needs {singles}, got {held}{note}"
    else:
        needs = f"needs {needed} cards with {held}, got {hand.n_cards}"
    return f"{route} {needs}: at least {counted(missing, 'more card')} {'are' if missing > 1 else 'is'} needed"


def best_color(route: Route, hand: CardCounts) -> int:
    """Return the color with the fewest cards missing, then with the most cards held."""
    spaces = spaces_of(route)

    def badness(c: int) -> tuple[int, int]:
        own = hand.counts[c]
        return int(rule.cards_missing(spaces, own, hand.locomotives, hand.n_cards)), -own

    return min(colors_of(route), key=badness)


def is_legal(route: Route, cards: Cards | Payment) -> bool:
    """
    Return whether exactly these cards pay for a route.

    They must split into single cards and sets with nothing left over; a
    `Payment` must split as it states.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> is_legal(route, {"green": 7, "red": 3, "black": 4, "locomotive": 1})
    True
    """
    return why_illegal(route, cards) is None


def why_illegal(route: Route, cards: Cards | Payment) -> str | None:
    """
    Return why cards, or a `Payment`, do not pay for a route; None if they do.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(why_illegal(route, {"green": 8, "locomotive": 1}))
    Lieksa-Murmansk (gray, 9): locomotives are not wild on this route
    """
    spaces = spaces_of(route)
    laid = cards.cards if isinstance(cards, Payment) else CardCounts.coerce(cards)
    fault = PaymentFault(rule.payment_fault(as_array(laid), color_index(route), spaces))
    if fault is not PaymentFault.NONE:
        return f"{route}: {_fault_text(fault, route, laid)}"
    if isinstance(cards, Payment) and not _split_holds(route, spaces, cards):
        return f"{route}: the cards pay for it, but not split as in this payment ({cards})"
    return None


def from_cards(route: Route, cards: Cards) -> Payment:
    """
    Return how these cards pay for a route.

    The rules do not record which cards form the sets. As many locomotives as possible count
    outside sets, then cards of the most frequent color.

    Raises
    ------
    ValueError
        If the cards do not pay for the route; the message gives the reason.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(from_cards(route, {"green": 9, "red": 5, "locomotive": 1}))
    7 green, and 2 green, 5 red, 1 locomotive in sets
    """
    laid = CardCounts.coerce(cards)
    reason = why_illegal(route, laid)
    if reason is not None:
        raise ValueError(reason)
    return split(route, laid.counts)


def split(route: Route, counts: tuple[int, ...]) -> Payment:
    """Return how legal cards pay for a route: see `from_cards`."""
    cards = np.array(counts, dtype=np.int64)
    c, own, locomotives = map(int, read_form(cards, color_index(route), spaces_of(route)))
    left = list(counts)
    left[LOCOMOTIVE_INDEX] -= locomotives
    if own:
        left[c] -= own
    return Payment(COLORS[c] if own else None, own, locomotives, CardCounts(tuple(left)))


def _split_holds(route: Route, spaces: Spaces, payment: Payment) -> bool:
    n_sets = int(rule.form_sets(spaces, payment.own, payment.locomotives))
    return (
        n_sets >= 0
        and payment.sets.n_cards == n_sets * route.swap_size
        and (payment.color is None or route.color in (GRAY, payment.color))
    )


def _fault_text(fault: PaymentFault, route: Route, cards: CardCounts) -> str:
    n, size = cards.n_cards, route.swap_size
    most = route.length + max(0, size - 1) * int(rule.most_sets(spaces_of(route)))
    outside = " outside sets" if size else ""
    stand_in = f" or {size} cards for it" if size else ""
    texts = {
        PaymentFault.TOO_FEW: f"it takes {'at least' if size else 'exactly'} {route.length} cards, got {n}",
        PaymentFault.TOO_MANY: f"it takes {'at most' if size else 'exactly'} {most} cards, got {n}",
        PaymentFault.BROKEN_SET: (
            f"{n} cards are not {route.length} plus complete sets: each set of {size} for one card adds {size - 1}"
        ),
        PaymentFault.MISSING_LOCOMOTIVE: (
            f"each of its {route.locomotives} locomotive symbols needs a locomotive{stand_in}"
        ),
        PaymentFault.LOCOMOTIVE: "locomotives are not wild on this route",
        PaymentFault.COLOR: f"cards{outside} must be {route.color}, got {cards}",
        PaymentFault.TWO_COLORS: f"cards{outside} must be of one color, got {cards}",
    }
    return texts[fault]


# -- one hand for several routes -----------------------------------------------------------------------------------


class RouteColumns(NamedTuple):
    """The colors of several routes, and their `Spaces` by column."""

    color: Ints
    plain: Ints
    symbols: Ints
    jokers: Ints
    swap_size: Ints
    swap_any: Ints


def can_pay_all(routes: Iterable[Route], hand: Cards) -> bool:
    """
    Return whether one hand pays for several routes (tunnels without surcharge).

    Notes
    -----
    Exact. The search tries the colors for gray routes and for cards that several
    routes need, so the time grows quickly with the number of gray routes that the
    hand can barely pay.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> routes = [nordic.route("Oslo", "Bergen", color="red"), nordic.route("Aalborg", "Kristiansand")]
    >>> can_pay_all(routes, {"red": 5, "locomotive": 1}), can_pay_all(routes, {"red": 4, "locomotive": 1})
    (True, False)
    """
    return pay_all(routes, hand) is not None


def pay_all(routes: Iterable[Route], hand: Cards) -> tuple[Payment, ...] | None:
    """
    Return payments for several routes (tunnels without surcharge) from one hand.

    Returns
    -------
    payments
        One for each route, in the order given, not always the cheapest; None if
        the hand does not pay for all.

    Examples
    --------
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
    return tuple(payment for _, payment in sorted(zip(order, found, strict=True), key=itemgetter(0)))


def search_order(routes: list[Route]) -> list[int]:
    """Return the order in which the search takes routes: colored first, then longest, equal ones together."""
    for route in routes:
        check_route(route)
    return sorted(range(len(routes)), key=lambda i: (routes[i].color == GRAY, -routes[i].length, _row(routes[i])))


def route_columns(routes: list[Route]) -> RouteColumns:
    """Return routes in the form that the search needs."""
    rows = np.array([_row(route) for route in routes], dtype=np.int64).reshape(-1, len(RouteColumns._fields))
    return RouteColumns(*np.ascontiguousarray(rows.T))


def _row(route: Route) -> tuple[int, ...]:
    spaces = spaces_of(route)
    # Without sets, no space can be paid with one.
    return (color_index(route), *spaces._replace(swap_any=spaces.swap_any if spaces.swap_size else 0))


@compiled
def spaces_in(routes: RouteColumns, r: int) -> Spaces:
    """Return the spaces of one of the routes."""
    return Spaces(routes.plain[r], routes.symbols[r], routes.jokers[r], routes.swap_size[r], routes.swap_any[r])


@compiled
def find_singles(routes: RouteColumns, hand: Ints, own: Ints, color: Ints) -> bool:
    """Return whether a hand pays for all routes; fill in the cards used outside sets for each, and their color."""
    n_cards = count_cards(hand)
    n_spaces = 0
    for r in range(routes.color.size):
        n_spaces += routes.plain[r] + routes.symbols[r]
    if n_spaces > n_cards:
        return False
    return _search(routes, hand.copy(), hand[LOCOMOTIVE_INDEX], n_cards, own, color)


@compiled
def _search(routes: RouteColumns, left: Ints, locomotives: int, n_cards: int, own: Ints, color: Ints) -> bool:
    """Search depth first, route by route, with `left` cards of each color."""
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
            # From here on all routes are gray: colors with equally many cards left are equivalent.
            if _has_equal_earlier_color(left, c):
                continue
            # A gray route without colored cards is tried only once, with the first color.
            if c > 0:
                fewest = max(fewest, 1)
            # Among equal routes, the earlier ones get at least as many color cards.
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
def _has_equal_earlier_color(left: Ints, c: int) -> bool:
    """Return whether an earlier color has the same number of cards left."""
    earlier = 0
    while left[earlier] != left[c]:
        earlier += 1
    return earlier < c


@compiled
def _are_equal(routes: RouteColumns, r: int, other: int) -> bool:
    return bool(routes.color[r] == routes.color[other] and spaces_in(routes, r) == spaces_in(routes, other))


@compiled
def _rest_pays(routes: RouteColumns, left: Ints, locomotives: int, n_cards: int, i: int, own: Ints) -> bool:
    """Return whether locomotives and sets may cover what is missing; "no" is certain, "yes" is not."""
    # Each route from `i` on gets all remaining cards of its best color, as if it were the only one.
    n_required = 0
    for r in range(routes.color.size):
        missing = _missing(routes, left, i, own, r)
        if missing > 0 and not routes.jokers[r] and not routes.swap_any[r]:
            return False
        if not routes.swap_any[r] and routes.jokers[r]:
            n_required += missing
        if not routes.swap_size[r]:
            n_required += routes.symbols[r]
    if n_required > locomotives:
        return False
    free = locomotives - n_required
    needed = 0
    # Spaces that locomotives and sets can both fill: locomotives go where sets are largest.
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
    if r < i:
        return int(routes.plain[r] - own[r])
    if routes.color[r] != GRAY_INDEX:
        return int(max(0, routes.plain[r] - left[routes.color[r]]))
    most = 0
    for c in range(N_COLORS):
        most = max(most, left[c])
    return int(max(0, routes.plain[r] - most))


def _share_out(routes: RouteColumns, hand: CardCounts, own: Ints, color: Ints) -> list[Payment]:
    """Return the payments for the color cards found, with locomotives where sets are largest."""
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
