"""A payment, and what pays for a route, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ttr_analysis._arrays import Ints
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
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.payment import PaymentFault, Spaces
from ttr_analysis.tables import spaces_of

Cards = CardCounts | Mapping[str, int] | Iterable[str]
"""Cards as people write them: counts, a mapping of kind to count, or the kinds one by one."""


@dataclass(frozen=True, slots=True)
class Payment:
    """
    Cards laid down for a route, and what each of them does.

    Parameters
    ----------
    color
        The color of the cards used singly; None if there are none, so that
        only locomotives and sets are laid down.
    own
        Cards of that color used singly: each fills one space.
    locomotives
        Locomotives used singly.
    sets
        The cards of all sets, several of which stand in for one card.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If a number is below 0, or a color stands without cards or cards
        without a color.

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
        for name, n in (("own", self.own), ("locomotives", self.locomotives)):
            if n < 0:
                msg = f"{name} must be 0 or more cards, got {n}"
                raise ValueError(msg)
        if (self.color is None) != (self.own == 0):
            msg = f"a color goes with cards used singly, and none with none: got {self.color} and {self.own}"
            raise ValueError(msg)

    @property
    def form(self) -> tuple[str | None, int, int]:
        """Color, color cards and locomotives used singly: the payment but for the cards of its sets."""
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
        """Return the payment in words."""
        single = []
        if self.color is not None:
            single.append(f"{self.own} {self.color}")
        if self.locomotives:
            single.append(counted(self.locomotives, LOCOMOTIVE))
        if self.sets.n_cards:
            single.append(f"{'and ' if single else ''}{self.sets} in sets")
        return ", ".join(single) or "no cards"


def color_index(route: Route) -> int:
    """Return the color of a route as the rules count them."""
    return ROUTE_COLORS.index(route.color)


def cards_wanted(routes: Iterable[Route]) -> CardCounts:
    """Return the cards that routes want whatever is held: of their colors for plain spaces, locomotives for symbols."""
    counts = [0] * N_KINDS
    for route in routes:
        spaces = spaces_of(route)
        counts[LOCOMOTIVE_INDEX] += spaces.symbols
        if route.color != GRAY:
            counts[color_index(route)] += spaces.plain
    return CardCounts(tuple(counts))


def as_array(cards: CardCounts) -> Ints:
    """Return cards as the rules take them."""
    return np.array(cards.counts, dtype=np.int64)


def as_counts(cards: Ints) -> CardCounts:
    """Return cards from an array."""
    return CardCounts(tuple(int(n) for n in cards))


def can_pay(route: Route, hand: Cards) -> bool:
    """
    Return whether a hand pays for a route.

    For a tunnel that is its length, without any surcharge.

    Parameters
    ----------
    route
        Any route of any map.
    hand
        Cards held.

    Examples
    --------
    >>> import ttr_analysis as ttr
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

    The reason names the color with which the fewest cards are missing, and
    how many well-chosen cards would do.

    Parameters
    ----------
    route
        Any route of any map.
    hand
        Cards held.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(why_not(route, {"green": 7, "red": 6}))
    Lieksa-Murmansk (gray, 9) needs 15 cards with 7 green, got 13: at least 1 more card is missing
    """
    hand = CardCounts.coerce(hand)
    if can_pay(route, hand):
        return None
    spaces = spaces_of(route)
    color = COLORS[best_color(route, hand)]
    own, locomotives = hand[color], hand.locomotives
    needed = rule.cards_needed(spaces, own, locomotives)
    missing = rule.cards_missing(spaces, own, locomotives, hand.n_cards)
    held = f"{own} {color}"
    if route.locomotives or route.locomotives_allowed:
        held += f" and {counted(locomotives, LOCOMOTIVE)}"
    if needed < 0:
        needs = f"needs {_needs(route, color)}, got {held}{_joker_note(route, hand)}"
    else:
        needs = f"needs {needed} cards with {held}, got {hand.n_cards}"
    are = "s are" if missing > 1 else " is"
    return f"{route} {needs}: at least {missing} more card{are} missing"


def best_color(route: Route, hand: CardCounts) -> int:
    """Return the index of the color with which the fewest cards are missing, then of which most are held."""
    spaces = spaces_of(route)
    colors = range(N_COLORS) if route.color == GRAY else [COLORS.index(route.color)]

    def badness(c: int) -> tuple[int, int]:
        own = hand.counts[c]
        return int(rule.cards_missing(spaces, own, hand.locomotives, hand.n_cards)), -own

    return min(colors, key=badness)


def is_legal(route: Route, cards: Cards | Payment) -> bool:
    """
    Return whether exactly these cards pay for a route.

    Parameters
    ----------
    route
        Any route of any map.
    cards
        The cards laid down. They must split, nothing left over, into single
        cards and sets; of a `Payment` the split must be as it says.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> is_legal(route, {"green": 7, "red": 3, "black": 4, "locomotive": 1})
    True
    """
    return why_illegal(route, cards) is None


def why_illegal(route: Route, cards: Cards | Payment) -> str | None:
    """
    Return why cards do not pay for a route, None if they do.

    Parameters
    ----------
    route
        Any route of any map.
    cards
        The cards laid down, or a `Payment`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(why_illegal(route, {"green": 8, "locomotive": 1}))
    Lieksa-Murmansk (gray, 9): a locomotive is no joker on this route
    """
    spaces = spaces_of(route)
    laid = cards.cards if isinstance(cards, Payment) else CardCounts.coerce(cards)
    fault = PaymentFault(rule.payment_fault(as_array(laid), color_index(route), spaces))
    if fault is not PaymentFault.NONE:
        return f"{route}: {_fault_text(fault, route, laid)}"
    if isinstance(cards, Payment) and not _split_holds(route, spaces, cards):
        return f"{route}: the cards pay for it, but not in the way given ({cards})"
    return None


def from_cards(route: Route, cards: Cards) -> Payment:
    """
    Return the payment that some cards make for a route.

    The rules do not record which cards form the sets. Here as many
    locomotives as may are taken for single ones, then cards of the color of
    which most are laid down.

    Parameters
    ----------
    route
        Any route of any map.
    cards
        The cards laid down.

    Raises
    ------
    ValueError
        If the cards do not pay for the route; the message says why.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    """Return the payment that legal cards make: see `from_cards`."""
    spaces = spaces_of(route)
    n_sets = int(rule.payment_sets(spaces, sum(counts)))
    locomotives = min(counts[LOCOMOTIVE_INDEX], int(rule.most_locomotives(spaces, n_sets)))
    own = route.length - n_sets - locomotives
    left = list(counts)
    left[LOCOMOTIVE_INDEX] -= locomotives
    if own == 0:
        return Payment(None, 0, locomotives, CardCounts(tuple(left)))
    c = color_index(route) if route.color != GRAY else max(range(N_COLORS), key=lambda i: counts[i])
    left[c] -= own
    return Payment(COLORS[c], own, locomotives, CardCounts(tuple(left)))


def _split_holds(route: Route, spaces: Spaces, payment: Payment) -> bool:
    n_sets = int(rule.form_sets(spaces, payment.own, payment.locomotives))
    return (
        n_sets >= 0
        and payment.sets.n_cards == n_sets * route.swap_size
        and (payment.color is None or route.color in (GRAY, payment.color))
    )


def _needs(route: Route, color: str) -> str:
    """Return what a route without enough sets needs."""
    plain = spaces_of(route).plain
    needs = [f"{plain} {color}"] if plain else []
    if route.locomotives:
        needs.append(counted(route.locomotives, LOCOMOTIVE))
    return " and ".join(needs)


def _joker_note(route: Route, hand: CardCounts) -> str:
    return " (locomotives are no jokers here)" if hand.locomotives and not route.locomotives_allowed else ""


def _fault_text(fault: PaymentFault, route: Route, cards: CardCounts) -> str:
    n, size = cards.n_cards, route.swap_size
    most = route.length + max(0, size - 1) * int(rule.most_sets(spaces_of(route)))
    outside = " outside sets" if size else ""
    stand_in = f" or {size} cards for it" if size else ""
    texts = {
        PaymentFault.TOO_FEW: f"it takes {'at least' if size else 'exactly'} {route.length} cards, got {n}",
        PaymentFault.TOO_MANY: f"it takes {'at most' if size else 'exactly'} {most} cards, got {n}",
        PaymentFault.BROKEN_SET: (
            f"{n} cards are not {route.length} and whole sets: each set of {size} for one card adds {size - 1}"
        ),
        PaymentFault.MISSING_LOCOMOTIVE: (
            f"each of its {route.locomotives} locomotive symbols needs a locomotive{stand_in}"
        ),
        PaymentFault.LOCOMOTIVE: "a locomotive is no joker on this route",
        PaymentFault.COLOR: f"cards{outside} must be {route.color}, got {cards}",
        PaymentFault.TWO_COLORS: f"cards{outside} must be of one color, got {cards}",
    }
    return texts[fault]
