"""Which cards pay for a route, by trying every way to fill its spaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from ttr_analysis.cards import CARD_KINDS, COLORS, GRAY, LOCOMOTIVE
from ttr_analysis.maps.model import Route

Cards = Counter[str]


class Form(NamedTuple):
    """So many spaces filled by single cards of one color, by single locomotives, and by sets of any cards."""

    color: str
    own: int
    locomotives: int
    sets: int


@cache
def forms(route: Route) -> tuple[Form, ...]:
    """Return every way to fill the spaces of a route."""
    colors = COLORS if route.color == GRAY else (route.color,)
    spaces = range(route.length + 1)
    every = (
        Form(color, own, locomotives, route.length - own - locomotives)
        for color, own, locomotives in product(colors, spaces, spaces)
    )
    return tuple(form for form in every if form.sets >= 0 and can_fill(route, form))


def can_fill(route: Route, form: Form) -> bool:
    """Return whether single cards and sets can lie on the spaces of a route, one for each space."""
    if form.sets and not route.swap_size:
        return False
    for symbols_by_locomotive in range(form.locomotives + 1):
        symbols_by_set = route.locomotives - symbols_by_locomotive
        jokers = form.locomotives - symbols_by_locomotive
        plain_by_set = form.sets - symbols_by_set
        if (
            symbols_by_set >= 0
            and plain_by_set >= 0
            and (jokers == 0 or route.locomotives_allowed)
            and (plain_by_set == 0 or route.swap_fills == "any")
        ):
            return True
    return False


def pays(route: Route, cards: Cards) -> bool:
    """Return whether exactly these cards, none left over, pay for a route."""
    return any(
        cards[form.color] >= form.own
        and cards[LOCOMOTIVE] >= form.locomotives
        and cards.total() == form.own + form.locomotives + form.sets * route.swap_size
        for form in forms(route)
    )


def can_pay(route: Route, hand: Cards) -> bool:
    """Return whether some cards of a hand pay for a route."""
    return any(affordable(route, form, hand) for form in forms(route))


def affordable(route: Route, form: Form, hand: Cards) -> bool:
    """Return whether a hand has the cards for one way to fill the spaces."""
    return (
        hand[form.color] >= form.own
        and hand[LOCOMOTIVE] >= form.locomotives
        and hand.total() >= form.own + form.locomotives + form.sets * route.swap_size
    )


def sub_multisets(hand: Cards) -> Iterator[Cards]:
    """Yield every choice of cards from a hand, no cards included."""
    kinds = [kind for kind in CARD_KINDS if hand[kind]]
    for counts in product(*(range(hand[kind] + 1) for kind in kinds)):
        yield Counter({kind: n for kind, n in zip(kinds, counts, strict=True) if n})


def n_sub_multisets(hand: Cards) -> int:
    """Return how many choices of cards there are from a hand."""
    number = 1
    for kind in CARD_KINDS:
        number *= hand[kind] + 1
    return number


def color_of(cards: Cards) -> str:
    """Return the color in which cards attempt a tunnel: that of any card, or locomotives alone."""
    colors = {kind for kind in CARD_KINDS if cards[kind] and kind != LOCOMOTIVE}
    assert len(colors) <= 1, f"a tunnel is attempted in several colors: {colors}"
    return colors.pop() if colors else LOCOMOTIVE


def pays_surcharge(route: Route, cards: Cards, color: str, surcharge: int) -> bool:
    """Return whether cards are the surcharge of a tunnel attempted in a color, or by locomotives alone."""
    jokers = cards[LOCOMOTIVE] if color != LOCOMOTIVE and route.locomotives_allowed else 0
    return cards.total() == surcharge == cards[color] + jokers
