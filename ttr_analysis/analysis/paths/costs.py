"""What a route costs: trains, tokens, one route, expected cards, or what the user says."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, isfinite
from numbers import Rational
from typing import TYPE_CHECKING, Literal, TypeGuard, get_args

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.cards import GRAY, N_COLORS
from ttr_analysis.maps.model import GameMap, Route

if TYPE_CHECKING:
    from ttr_analysis.rules.ruleset import RuleSet

Measure = Literal["length", "toll", "hops", "cards"]
Weight = Measure | Callable[[Route], float]
"""
What a path is measured by: "length" (trains), "toll" (tokens), "hops" (number
of routes), "cards" (see `expected_cards`), or a function that gives each route
a number of 0 or more.
"""


def route_costs(game_map: GameMap, weight: Weight) -> dict[str, Fraction]:
    """
    Return the cost of every route, by its id.

    Costs are exact, so that sums in any order are equal: a float counts as
    the decimal that it prints as.

    Parameters
    ----------
    game_map
        The map.
    weight
        The measure, or a function of the route.

    Raises
    ------
    UnknownNameError
        If there is no such measure.
    ValueError
        If the function gives a route something other than a finite number of
        0 or more.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route_costs(ttr.load_map("nordic"), lambda route: 0.1)["Bergen-Oslo/0"]
    Fraction(1, 10)
    """
    if callable(weight):
        return {route.id: _checked(route, weight(route)) for route in game_map.routes}
    if not _is_measure(weight):
        measures = get_args(Measure)
        raise UnknownNameError("weight", weight, nearest(str(weight), measures), measures)
    costs: dict[Measure, Callable[[Route], float]] = {
        "length": lambda route: route.length,
        "toll": lambda route: route.toll,
        "hops": lambda _: 1,
        "cards": lambda route: expected_cards(game_map, route),
    }
    return {route.id: _exact(costs[weight](route)) for route in game_map.routes}


def expected_cards(game_map: GameMap, route: Route | str) -> float:
    """
    Return how many cards a route takes on average, by a neutral measure.

    "Neutral" means that nothing is known of hands and piles: all cards come
    from a fresh deck, and the right color is at hand, one card a space. Two
    things make a route dearer than its length:

    - *Tunnel*: the expected surcharge when it is paid in a color, of which
      the whole deck is unseen (26 of 110 cards match).
    - *Sets*: where any `k` cards may stand in for one that is wanted. On a
      route with locomotive symbols these are the locomotives of the symbols,
      on any other route the card of every space. For each such space the
      player keeps `k` random cards of the deck; a wanted card among all of
      them then pays for a space by itself, and each space left over takes a
      set of `k`. On a gray route the color is wanted of which most turn up.

    Parameters
    ----------
    game_map
        The map, for its deck and rules.
    route
        A route of it, or its id.

    Returns
    -------
    cards
        Expected number of cards paid, at least the length.

    Raises
    ------
    UnknownNameError
        If the route is not on the map.

    Examples
    --------
    A tunnel of two spaces, a ferry with one symbol among its two spaces (a
    locomotive turns up among three cards in 34% of all cases), and four for
    one on nine spaces:

    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> ids = "Kristiansand-Stavanger/0", "Aalborg-Göteborg/0", "Lieksa-Murmansk/0"
    >>> [round(expected_cards(nordic, id), 2) for id in ids]
    [2.71, 3.32, 17.12]
    """
    (route,) = game_map.resolve_routes([route])
    rules = game_map.rules
    return float(route.length + _expected_surcharge(rules, route) + _expected_swaps(rules, route))


def _expected_surcharge(rules: RuleSet, route: Route) -> float:
    """Return the mean surcharge of a tunnel paid in a color, nothing of the deck seen."""
    if not route.tunnel:
        return 0
    from ttr_analysis.analysis.tunnels import surcharge_distribution

    matching = rules.cards.per_color + rules.cards.locomotives
    distribution = surcharge_distribution(matching, rules.deck.n_cards, revealed=rules.tunnel.revealed)
    return sum(k * p for k, p in enumerate(distribution))


def _expected_swaps(rules: RuleSet, route: Route) -> Fraction:
    """Return the expected number of cards beyond one a space that sets take."""
    if not route.swap_size:
        return Fraction(0)
    n_spaces = route.locomotives or route.length
    n_kept = min(n_spaces * route.swap_size, rules.deck.n_cards)
    if route.locomotives:
        at_most = _chances_of_kind(rules.cards.locomotives, rules.deck.n_cards, n_kept)
    else:
        jokers = rules.cards.locomotives if route.locomotives_allowed else 0
        if route.color == GRAY:
            at_most = _chances_of_best_color(rules.cards.per_color, rules.cards.locomotives, bool(jokers), n_kept)
        else:
            at_most = _chances_of_kind(rules.cards.per_color + jokers, rules.deck.n_cards, n_kept)
    # The mean of min(wanted, n) is the sum of the chances of more than 0, 1, ..., n - 1 wanted cards.
    single = sum((1 - at_most[k] for k in range(min(n_spaces, len(at_most)))), Fraction(0))
    return (route.swap_size - 1) * (n_spaces - single)


@lru_cache(maxsize=256)
def _chances_of_kind(n_kind: int, n_cards: int, n_drawn: int) -> tuple[Fraction, ...]:
    """Return the chances that at most 0, 1, ... cards drawn are of a kind."""
    ways = [comb(n_kind, k) * comb(n_cards - n_kind, n_drawn - k) for k in range(min(n_kind, n_drawn) + 1)]
    return tuple(Fraction(w, comb(n_cards, n_drawn)) for w in accumulate(ways))


@lru_cache(maxsize=256)
def _chances_of_best_color(per_color: int, n_locomotives: int, jokers: bool, n_drawn: int) -> tuple[Fraction, ...]:
    """Return the chances that at most 0, 1, ... cards drawn are of the color with most, with locomotives if jokers."""
    n_cards = N_COLORS * per_color + n_locomotives
    most = min(n_drawn, per_color + (n_locomotives if jokers else 0))
    chances = []
    for limit in range(most + 1):
        ways = 0
        for n_jokers in range(min(n_locomotives, n_drawn) + 1):
            of_color = limit - n_jokers if jokers else limit
            colored = _ways_with_at_most(per_color, of_color, n_drawn - n_jokers)
            ways += comb(n_locomotives, n_jokers) * colored
        chances.append(Fraction(ways, comb(n_cards, n_drawn)))
    return tuple(chances)


@lru_cache(maxsize=4096)
def _ways_with_at_most(per_color: int, limit: int, n_drawn: int) -> int:
    """Return the number of ways to draw colored cards with no more than `limit` of each color."""
    if limit < 0:
        return 0
    ways = [1] + [0] * n_drawn
    for _ in range(N_COLORS):
        ways = [
            sum(ways[n - k] * comb(per_color, k) for k in range(min(limit, per_color, n) + 1))
            for n in range(n_drawn + 1)
        ]
    return ways[n_drawn]


def _is_measure(weight: object) -> TypeGuard[Measure]:
    return weight in get_args(Measure)


def _checked(route: Route, cost: object) -> Fraction:
    """Return the cost that a user's function gave a route, or say what is wrong with it."""
    try:
        number = float(cost)  # type: ignore[arg-type]  # whatever it is: that is the question
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(cost, str) or not isfinite(number) or number < 0:
        msg = f"the weight of route {route.id} must be a finite number of 0 or more, got {cost!r}"
        raise ValueError(msg)
    return _exact(cost if isinstance(cost, Rational) else number)


def _exact(cost: float | Rational) -> Fraction:
    """Return a number exactly; a float as the decimal that it prints as."""
    if isinstance(cost, Rational):
        return Fraction(int(cost.numerator), int(cost.denominator))
    return Fraction(repr(float(cost)))
