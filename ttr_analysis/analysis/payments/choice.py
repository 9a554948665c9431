"""All payments of a hand for a route, and the cheapest of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, overload

import numpy as np

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis.payments.model import (
    Cards,
    Payment,
    RouteFacts,
    as_array,
    as_counts,
    color_index,
    split,
)
from ttr_analysis.cards import CARD_KINDS, COLORS, GRAY, LOCOMOTIVE, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.payment import Ints

Keep = Literal["cards", "locomotives"] | Sequence[str] | CardCounts | Mapping[str, int]
"""What a payment should spare: see `cheapest`."""


class PaymentOptions:
    """
    Every payment of a hand for a route, listed only as far as asked for.

    Iterating gives each choice of cards once, by number of cards, split as
    `from_cards` does. There may be millions of them; `n_options` counts them
    without listing.

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
    >>> everything = PaymentOptions(route, CardCounts((4,) * 8 + (8,)))
    >>> everything
    <PaymentOptions: 344,088 payments for Lieksa-Murmansk (gray, 9)>
    >>> print(next(iter(everything)))
    4 purple, and 4 blue, 4 orange, 4 white, 4 green, 4 yellow in sets
    """

    def __init__(self, route: Route, hand: Cards) -> None:
        self.route = route
        self.hand = CardCounts.coerce(hand)
        self._facts = RouteFacts.of(route)

    @cached_property
    def n_options(self) -> int:
        """Number of payments."""
        held = self.hand.counts[:N_COLORS]
        total = 0
        for colored, own in self._splits():
            total += _count_choices(held, colored)
            if own > 0:
                few = [min(h, own - 1) if self._may_pay(c) else h for c, h in enumerate(held)]
                total -= _count_choices(few, colored)
        return total

    def __iter__(self) -> Iterator[Payment]:
        """Iterate over the payments, those with the fewest cards first."""
        held = self.hand.counts[:N_COLORS]
        payable = [self._may_pay(c) for c in range(N_COLORS)]
        for n_cards, locomotives, own in self._splits_in_full():
            for colors in _choices(held, payable, n_cards - locomotives, own):
                yield split(self.route, (*colors, locomotives))

    def __len__(self) -> int:
        """Return the number of payments."""
        return self.n_options

    def __repr__(self) -> str:
        """Return the number and the route."""
        return f"<PaymentOptions: {self.n_options:,} payments for {self.route}>"

    def _may_pay(self, c: int) -> bool:
        return self.route.color in (GRAY, COLORS[c])

    def _splits(self) -> Iterator[tuple[int, int]]:
        """Yield the color cards laid down, and how many must be of one color used singly."""
        for n_cards, locomotives, own in self._splits_in_full():
            yield n_cards - locomotives, own

    def _splits_in_full(self) -> Iterator[tuple[int, int, int]]:
        """Yield cards and locomotives laid down, and how many cards must be of one color used singly."""
        plain, symbols, jokers, swap_size, swap_any = self._facts
        for n_sets in range(rule.most_sets(plain, symbols, swap_size, swap_any) + 1):
            n_cards = plain + symbols + (swap_size - 1) * n_sets if n_sets else plain + symbols
            low = rule.fewest_locomotives(symbols, n_sets)
            high = rule.most_locomotives(plain, symbols, jokers, swap_any, n_sets)
            for locomotives in range(low, min(self.hand.locomotives, n_cards) + 1):
                yield n_cards, locomotives, plain + symbols - n_sets - min(locomotives, high)


@overload
def options(route: Route, hand: Cards, sets: Literal["representative"] = ...) -> tuple[Payment, ...]: ...
@overload
def options(route: Route, hand: Cards, sets: Literal["all"]) -> PaymentOptions: ...
def options(
    route: Route, hand: Cards, sets: Literal["representative", "all"] = "representative"
) -> tuple[Payment, ...] | PaymentOptions:
    """
    Return the payments of a hand for a route.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    hand
        Cards held.
    sets
        "representative" gives one payment for each form, that is for each
        color, number of color cards and number of locomotives used singly;
        its sets take the cards of which most are left, locomotives last.
        "all" gives every choice of cards: see `PaymentOptions`.

    Returns
    -------
    options
        The payments, those with the fewest cards first, then those with the
        fewest locomotives. None if the hand does not pay for the route.

    Raises
    ------
    ValueError
        If `sets` is neither of the two.

    Examples
    --------
    A ferry of length 2 with one locomotive symbol:

    >>> import ttr_analysis as ttr
    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> for payment in options(ferry, {"red": 1, "blue": 3, "locomotive": 1}):
    ...     print(payment)
    1 red, 1 locomotive
    1 red, and 3 blue in sets
    1 locomotive, and 3 blue in sets
    """
    hand = CardCounts.coerce(hand)
    if sets not in ("representative", "all"):
        msg = f"sets must be 'representative' or 'all', got {sets!r}"
        raise ValueError(msg)
    if sets == "all":
        return PaymentOptions(route, hand)
    rank = np.array([0] * N_COLORS + [1], dtype=np.int64)
    payments = _representatives(route, hand, rank, np.zeros(N_KINDS, dtype=np.int64))
    return tuple(sorted(payments, key=lambda p: (p.n_cards, p.cards.locomotives, -p.own)))


def cheapest(route: Route, hand: Cards, *, keep: Keep = "cards") -> Payment | None:
    """
    Return the payment that costs the least, by a stated order.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    hand
        Cards held.
    keep
        What the payment should spare, first of all:

        - "cards": the number of cards, then locomotives;
        - "locomotives": locomotives, those in sets included, then cards;
        - some kinds of card, dearest first: as few as possible of the first,
          then of the second and so on, then cards, then locomotives;
        - numbers of cards still wanted (card counts or a mapping): breaks
          into as few of them as possible, then spares cards, then
          locomotives.

        What is then still equal goes to the color of which most are held.

    Returns
    -------
    payment
        The best of all payments, not only of those that `options` lists; None
        if the hand does not pay for the route.

    Raises
    ------
    UnknownNameError
        If `keep` names a kind of card that does not exist.

    Examples
    --------
    A ferry of length 2 with one locomotive symbol:

    >>> import ttr_analysis as ttr
    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> hand = {"red": 1, "blue": 3, "green": 2, "locomotive": 1}
    >>> print(cheapest(ferry, hand))
    1 red, 1 locomotive
    >>> print(cheapest(ferry, hand, keep="locomotives"))
    1 red, and 2 blue, 1 green in sets
    >>> print(cheapest(ferry, hand, keep={"blue": 2, "locomotive": 1}))
    1 red, and 1 blue, 2 green in sets
    """
    hand = CardCounts.coerce(hand)
    order, wanted = _read_keep(keep)
    # Kinds to keep rank above the others, the dearest highest; of the others locomotives.
    rank = np.array([0] * N_COLORS + [1], dtype=np.int64)
    for i, kind in enumerate(reversed(order)):
        rank[CARD_KINDS.index(kind)] = 2 + i

    def cost(payment: Payment) -> tuple[int, ...]:
        cards = payment.cards
        broken = sum(max(0, min(w, h) - (h - c)) for w, h, c in zip(wanted, hand, cards, strict=True))
        held = hand[payment.color] if payment.color else 0
        return (broken, *(cards[kind] for kind in order), cards.n_cards, cards.locomotives, -held, -payment.own)

    payments = _representatives(route, hand, rank, np.array(wanted.counts, dtype=np.int64))
    return min(payments, key=cost, default=None)


def _representatives(route: Route, hand: CardCounts, rank: Ints, wanted: Ints) -> list[Payment]:
    """Return one payment for each form, with the sets filled as `rules.payment.fill_sets` says."""
    facts = RouteFacts.of(route)
    colors = range(N_COLORS) if route.color == GRAY else [color_index(route)]
    singles = [(c, own) for c in colors for own in range(1, min(facts.plain, hand.counts[c]) + 1)]
    payments = []
    taken = np.zeros(N_KINDS, dtype=np.int64)
    for c, own in [(-1, 0), *singles]:
        for locomotives in range(min(hand.locomotives, route.length - own) + 1):
            n_sets = int(rule.form_sets(*facts, own, locomotives))
            n_taken = n_sets * route.swap_size
            if n_sets < 0 or n_taken > hand.n_cards - own - locomotives:
                continue
            left = as_array(hand)
            left[LOCOMOTIVE_INDEX] -= locomotives
            if own:
                left[c] -= own
            rule.fill_sets(left, n_taken, rank, wanted, taken)
            payments.append(Payment(COLORS[c] if own else None, own, locomotives, as_counts(taken)))
    return payments


def _read_keep(keep: Keep) -> tuple[tuple[str, ...], CardCounts]:
    """Return the kinds to keep, dearest first, and the numbers of cards wanted."""
    if isinstance(keep, str):
        if keep == "cards":
            return (), CardCounts()
        if keep == "locomotives":
            return (LOCOMOTIVE,), CardCounts()
        choices = ("cards", "locomotives")
        raise UnknownNameError("order of payments", keep, nearest(keep, choices), choices)
    if isinstance(keep, CardCounts | Mapping):
        return (), CardCounts.coerce(keep)
    order = tuple(dict.fromkeys(keep))
    for kind in order:
        if kind not in CARD_KINDS:
            raise UnknownNameError("kind of card", kind, nearest(str(kind), CARD_KINDS), CARD_KINDS)
    return order, CardCounts()


def _count_choices(held: Sequence[int], n_cards: int) -> int:
    """Return how many ways there are to take `n_cards`, at most `held` of each kind."""
    ways = [1] + [0] * n_cards
    for h in held:
        ways = [sum(ways[max(0, n - h) : n + 1]) for n in range(n_cards + 1)]
    return ways[n_cards]


def _choices(held: Sequence[int], payable: Sequence[bool], n_cards: int, own: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take `n_cards` so that some payable color has at least `own`."""

    def choose(c: int, left: int, found: bool) -> Iterator[tuple[int, ...]]:
        if c == len(held):
            yield ()
            return
        rest = sum(held[c + 1 :])
        later = max((min(h, left) for h, p in zip(held[c + 1 :], payable[c + 1 :], strict=True) if p), default=0)
        for n in range(min(held[c], left), max(0, left - rest) - 1, -1):
            now = found or (payable[c] and n >= own)
            if now or later >= own:
                for others in choose(c + 1, left - n, now):
                    yield (n, *others)

    if n_cards <= sum(held):
        yield from choose(0, n_cards, own == 0)
