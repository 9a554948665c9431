"""Payments by trying everything: fill the spaces of a route one by one. Slow, and obviously right."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX, N_COLORS
from ttr_analysis.maps.model import Route

Counts = tuple[int, ...]


def make_route(
    length: int,
    color: str = GRAY,
    *,
    symbols: int = 0,
    jokers: bool = True,
    swap_size: int = 0,
    swap_any: bool = True,
    tunnel: bool = False,
) -> Route:
    """Return a route by hand."""
    return Route(
        id="Here-There/0",
        cities=("Here", "There"),
        track=0,
        length=length,
        color=color,
        tunnel=tunnel,
        locomotives=symbols,
        locomotives_allowed=jokers,
        swap_size=swap_size,
        swap_fills="any" if swap_any else "symbols",
        toll=0,
        points=0,
    )


def pays(route: Route, cards: Counts) -> bool:
    """Return whether exactly these cards pay for a route."""
    plain = route.length - route.locomotives
    return any(
        _fills(cards, c, plain, route.locomotives, route.locomotives_allowed, route.swap_size, route.swap_fills)
        for c in playable(route)
    )


def playable(route: Route) -> list[int]:
    """Return the colors that may pay for a route."""
    return list(range(N_COLORS)) if route.color == GRAY else [COLORS.index(route.color)]


@cache
def _fills(cards: Counts, c: int, plain: int, symbols: int, jokers: bool, size: int, fills: str) -> bool:  # noqa: FBT001
    """Return whether cards fill all spaces in color `c`, nothing left over: every way for the next space."""
    if plain == symbols == 0:
        return sum(cards) == 0
    singles = [LOCOMOTIVE_INDEX] if symbols else [c, LOCOMOTIVE_INDEX] if jokers else [c]
    ways = [_less(cards, kind) for kind in singles if cards[kind] > 0]
    if size and (symbols or fills == "any"):
        ways += [tuple(a - b for a, b in zip(cards, chosen, strict=True)) for chosen in choices(cards, size)]
    rest = (plain, symbols - 1) if symbols else (plain - 1, symbols)
    return any(_fills(left, c, *rest, jokers, size, fills) for left in ways)


def _less(cards: Counts, kind: int) -> Counts:
    return tuple(n - (k == kind) for k, n in enumerate(cards))


def choices(cards: Counts, n: int) -> list[Counts]:
    """Return all ways to choose `n` of some cards."""
    return [chosen for chosen in parts(cards) if sum(chosen) == n]


@cache
def parts(cards: Counts) -> list[Counts]:
    """Return all parts of some cards."""
    return list(product(*(range(n + 1) for n in cards)))


def all_payments(route: Route, hand: Counts) -> set[Counts]:
    """Return every choice of cards of a hand that pays for a route."""
    return {cards for cards in parts(hand) if pays(route, cards)}


def all_forms(route: Route, hand: Counts) -> set[tuple[str | None, int, int]]:
    """Return color, color cards and locomotives used singly in all payments: every way to fill each space."""
    plain = route.length - route.locomotives
    in_plain = ["own"] + ["locomotive"] * route.locomotives_allowed
    in_plain += ["set"] * (route.swap_size > 0 and route.swap_fills == "any")
    in_symbols = ["locomotive"] + ["set"] * (route.swap_size > 0)
    forms: set[tuple[str | None, int, int]] = set()
    for fillings in product(product(in_plain, repeat=plain), product(in_symbols, repeat=route.locomotives)):
        flat = [*fillings[0], *fillings[1]]
        own, locomotives, n_sets = flat.count("own"), flat.count("locomotive"), flat.count("set")
        enough = sum(hand) >= own + locomotives + n_sets * route.swap_size
        if not enough or hand[LOCOMOTIVE_INDEX] < locomotives:
            continue
        forms |= {(COLORS[c] if own else None, own, locomotives) for c in playable(route) if hand[c] >= own}
    return forms


@cache
def payable(route: Route, hand: Counts) -> bool:
    """Return whether some cards of a hand pay for a route."""
    return bool(all_payments(route, hand))


@cache
def fewest_more(route: Route, hand: Counts, most: int) -> int | None:
    """Return how many more cards, well chosen, a hand wants to pay; None if more than `most`."""
    hands = {hand}
    for n in range(most + 1):
        if any(payable(route, h) for h in hands):
            return n
        hands = {tuple(a + (k == kind) for k, a in enumerate(h)) for h in hands for kind in range(len(hand))}
    return None


def pays_all(routes: list[Route], hand: Counts) -> bool:
    """Return whether a hand pays for several routes: every payment for the first, then the others."""
    return _pays_all(tuple(routes), hand)


@cache
def _pays_all(routes: tuple[Route, ...], hand: Counts) -> bool:
    if not routes:
        return True
    return any(
        _pays_all(routes[1:], tuple(a - b for a, b in zip(hand, cards, strict=True)))
        for cards in all_payments(routes[0], hand)
    )


def spread(counts: dict[int, int]) -> Counts:
    """Return nine counts of which some are given."""
    return tuple(counts.get(kind, 0) for kind in range(N_COLORS + 1))


def each_kind(cards: Counts) -> Iterator[int]:
    """Yield the kind of each card."""
    for kind, n in enumerate(cards):
        yield from [kind] * n
