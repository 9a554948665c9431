"""How long it takes to gather cards of a color, of any one color, or for several routes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import copy_cards, count_cards, draw_card
from ttr_analysis.analysis.payments import Cards, expected_draws
from ttr_analysis.analysis.payments.expected import BASE_RULES, hand_and_pool, unpaid_odds
from ttr_analysis.analysis.payments.model import RouteColumns, as_array, find_singles, route_columns, search_order
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import CARD_KINDS, COLORS, GRAY, LOCOMOTIVE, N_COLORS, N_KINDS, CardCounts, kind_name
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.payment import Spaces
from ttr_analysis.tables import spaces_of

if TYPE_CHECKING:
    import pandas as pd


def draws_to_gather(
    k: int,
    color: str,
    *,
    locomotives: bool = False,
    hand: Cards = (),
    pool: Cards | None = None,
    rules: RulesLike = BASE_RULES,
) -> WaitingTime:
    """
    Return how many blind draws it takes to hold `k` cards of a color. Exact.

    Parameters
    ----------
    k
        Cards wanted, those in the hand included.
    color
        A color, "locomotive", or "gray" for any one color: the first of which
        there are enough.
    locomotives
        Whether locomotives count as cards of the color.
    hand
        Cards held at the start.
    pool
        The cards that the pile may hold: those not seen. The deck without the
        hand if not given.
    rules
        Their deck and draws per turn are used; those of the base game if not
        given. A map gives its own.

    Returns
    -------
    waiting
        Distribution and mean of the number of cards to draw, and of turns in
        which nothing else is done.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If `k` is below 0.

    Notes
    -----
    The number of cards is negative hypergeometric: with `m` cards that count
    in a pool of `N`, its mean is k (N + 1) / (m + 1), so (111/13) k from a
    full deck, and (111/27) k with locomotives [1]_. For gray, all choices in
    which no color has enough are counted.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride". FDG 2020.

    Examples
    --------
    >>> print(draws_to_gather(3, "red").expected_cards)
    25.6154 (exact)
    >>> print(draws_to_gather(3, "red", locomotives=True).expected_cards)
    12.3333 (exact)
    >>> print(draws_to_gather(3, "gray", locomotives=True).expected_cards)
    6.4876 (exact)
    """
    if k < 0:
        msg = f"the number of cards to gather must be 0 or more, got {k}"
        raise ValueError(msg)
    color = kind_name("color", color, (*CARD_KINDS, GRAY))
    rules = as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    if color == GRAY:
        spaces = Spaces(k, jokers=int(locomotives))
        unpaid = unpaid_odds(spaces, range(N_COLORS), hand, pool)
    else:
        unpaid = _one_color_unpaid(k - _count(hand, color, locomotives), _count(pool, color, locomotives), pool)
    return WaitingTime.from_unpaid(unpaid, rules.cards.draws_per_turn)


def gather_table(
    counts: Sequence[int] = range(1, 7),
    *,
    hand: Cards = (),
    pool: Cards | None = None,
    rules: RulesLike = BASE_RULES,
) -> pd.DataFrame:
    """
    Return what it takes to gather cards of one given color, and of any. Exact.

    Parameters
    ----------
    counts
        Numbers of cards to gather.
    hand, pool, rules
        As of `draws_to_gather`. The given color is the one of which most are
        held, and of equal ones the first.

    Returns
    -------
    table
        One row for each number of cards, color or gray, and whether
        locomotives count: `n_cards`, `color` ("gray" for any one color),
        `locomotives`, `cards` (mean number drawn), `turns` (mean), and the
        fewest turns that suffice with a probability of one half and of nine
        tenths, `turns_50` and `turns_90`.

    Examples
    --------
    >>> table = gather_table([4])
    >>> print(table.round(2).to_string(index=False))
     n_cards  color  locomotives  cards  turns  turns_50  turns_90
           4 purple        False  34.15  17.33        17        26
           4 purple         True  16.44   8.47         8        13
           4   gray        False  16.37   8.44         8        11
           4   gray         True   9.69   5.10         5         7
    """
    import pandas as pd

    held = CardCounts.coerce(hand)
    first = max(CARD_KINDS[:N_COLORS], key=lambda color: held[color])
    rows = []
    for k in counts:
        for color in (first, GRAY):
            for locomotives in (False, True):
                waiting = draws_to_gather(k, color, locomotives=locomotives, hand=hand, pool=pool, rules=rules)
                means = (waiting.expected_cards.value, waiting.expected_turns.value)
                quantiles = (waiting.turns_quantile(0.5), waiting.turns_quantile(0.9))
                rows.append((k, color, locomotives, *means, *quantiles))
    columns = ["n_cards", "color", "locomotives", "cards", "turns", "turns_50", "turns_90"]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({"turns_50": "Int64", "turns_90": "Int64"})


def _count(cards: CardCounts, color: str, locomotives: bool) -> int:
    return cards[color] + (cards.locomotives if locomotives and color != LOCOMOTIVE else 0)


def _one_color_unpaid(k: int, matching: int, pool: CardCounts) -> list[Fraction]:
    """Return for each number of cards drawn the probability that fewer than `k` of them match."""
    n_pool = pool.n_cards
    others = n_pool - matching
    return [
        Fraction(sum(comb(matching, i) * comb(others, n - i) for i in range(min(k, n + 1))), comb(n_pool, n))
        for n in range(n_pool + 1)
    ]


# -- how long it takes until one hand pays for several routes ------------------------------------------------------

Method = Literal["auto", "exact", "monte_carlo"]

_MAX_STATES = 4_000
"""States of the exact count beyond which it gives up: some seconds."""

_MAX_GRAY = 4
"""Gray routes beyond which it does not begin: each triples the time."""

_SHIFT = 512
"""Bits of a coefficient in a polynomial packed into one whole number."""


class TooManyStatesError(ValueError):
    """The exact count is out of reach; a simulation is not."""


def draws_for_routes(
    routes: Iterable[Route],
    hand: Cards = (),
    *,
    rules: RulesLike = BASE_RULES,
    pool: Cards | None = None,
    method: Method = "auto",
    n: int = 10_000,
    rng: np.random.Generator | None = None,
) -> WaitingTime:
    """
    Return how many blind draws it takes until a hand pays for several routes.

    Parameters
    ----------
    routes
        Routes of any map, each to be paid with cards of its own. For tunnels:
        their length.
    hand
        Cards held.
    rules
        Their deck and draws per turn are used; those of the base game if not
        given. Give the map, or `game_map.rules`.
    pool
        The cards that the pile may hold: those not seen. The deck without the
        hand if not given.
    method
        "exact"; "monte_carlo"; or "auto": exact if that is within reach.
    n, rng
        Number of simulated games and source of randomness, for Monte Carlo.

    Returns
    -------
    waiting
        Distribution and mean of the number of cards to draw, and of turns in
        which nothing else is done. It says whether it is exact.

    Raises
    ------
    ValueError
        If it takes Monte Carlo and no `rng` is given, or "exact" is asked for
        and out of reach.

    Notes
    -----
    Exact for a single route, and for any routes without sets of cards (ferries
    with three for a locomotive, say) as long as few of them are gray: the ways
    to draw are counted color by color, remembering for each set of gray routes
    built so far how many locomotives must help out. Else Monte Carlo: the pool
    is shuffled, and the first card found after which the hand pays.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> usa = ttr.load_map("usa")
    >>> routes = [usa.route("Miami", "Atlanta"), usa.route("Chicago", "Toronto")]
    >>> print(draws_for_routes(routes, {"blue": 3}, rules=usa.rules).expected_cards)
    18.7560 (exact)
    """
    routes, rules = list(routes), as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    if method not in ("auto", "exact", "monte_carlo"):
        msg = f"method must be 'auto', 'exact' or 'monte_carlo', got {method!r}"
        raise ValueError(msg)
    if method != "monte_carlo":
        if len(routes) == 1:
            return expected_draws(routes[0], hand, rules=rules, pool=pool)
        try:
            unpaid = _exact_unpaid(routes, hand, pool)
        except TooManyStatesError as error:
            if method == "exact" or rng is None:
                msg = f"{error}: use Monte Carlo, with a `rng`"
                raise TooManyStatesError(msg) from None
        else:
            return WaitingTime.from_unpaid(unpaid, rules.cards.draws_per_turn)
    if rng is None:
        msg = "Monte Carlo needs a source of randomness, such as rng=numpy.random.default_rng(7)"
        raise ValueError(msg)
    if n < 1:
        msg = f"the number of simulated games must be 1 or more, got {n}"
        raise ValueError(msg)
    cards = simulated_draws(routes, hand, pool, n, rng)
    turns = -(-cards // rules.cards.draws_per_turn)
    return WaitingTime.from_samples(cards.tolist(), np.where(cards < 0, -1, turns).tolist())


def simulated_draws(
    routes: Sequence[Route], hand: CardCounts, pool: CardCounts, n: int, rng: np.random.Generator
) -> Ints:
    """Return the cards to draw in each of `n` simulated games; -1 where the pool does not suffice."""
    found = np.empty(n, dtype=np.int64)
    columns = route_columns([routes[i] for i in search_order(list(routes))])
    _simulate(stream_from(rng), columns, as_array(hand), as_array(pool), found)
    return found


@compiled
def _simulate(stream: Ints, routes: RouteColumns, hand: Ints, pool: Ints, found: Ints) -> None:
    n_pool = count_cards(pool)
    own = np.zeros(routes.color.size, dtype=np.int64)
    color = np.zeros(routes.color.size, dtype=np.int64)
    after = np.empty((n_pool + 1, N_KINDS), dtype=np.int64)
    copy_cards(hand, after[0])
    for game in range(found.size):
        pile = pool.copy()
        for i in range(n_pool):
            copy_cards(after[i], after[i + 1])
            after[i + 1, draw_card(pile, stream)] += 1
        found[game] = -1
        # More cards never pay for less: the first hand that pays is found by halving.
        low = 0
        high = n_pool + 1
        while low < high:
            middle = (low + high) // 2
            if middle == n_pool + 1 or find_singles(routes, after[middle], own, color):
                high = middle
            else:
                low = middle + 1
        if low <= n_pool:
            found[game] = low


@dataclass(frozen=True, slots=True)
class _Needs:
    """What several routes without sets need."""

    strict: tuple[int, ...]
    """Cards of each color that must be of it."""
    loose: tuple[int, ...]
    """Cards of each color for which locomotives may stand in."""
    grays: tuple[tuple[int, bool], ...]
    """For each gray route its cards, and whether locomotives may stand in."""
    symbols: int
    """Locomotives."""


def _exact_unpaid(routes: Sequence[Route], hand: CardCounts, pool: CardCounts) -> list[Fraction]:
    """
    Return for each number of cards drawn the probability that they do not pay.

    A state is a tuple: for each set of gray routes, the fewest locomotives
    that must help out if these gray routes are built in the colors counted so
    far. To each state belong the ways to draw those colors, as a polynomial in
    the number of cards, packed into one whole number.
    """
    needs = _read_needs(routes)
    most = hand.locomotives + pool.locomotives - needs.symbols
    if most < 0:
        return [Fraction(1)] * (pool.n_cards + 1)
    n_sets = 1 << len(needs.grays)
    states: dict[tuple[int, ...], int] = {(0, *[most + 1] * (n_sets - 1)): 1}
    if len(needs.grays) > _MAX_GRAY:
        msg = f"{len(routes)} routes, {len(needs.grays)} of them gray, are too many to count exactly"
        raise TooManyStatesError(msg)
    for c in range(N_COLORS):
        moves = _moves(needs, c, hand.counts[c], pool.counts[c], most)
        after: dict[tuple[int, ...], int] = {}
        for (state, ways), (move, factor) in product(states.items(), moves.items()):
            reached = _combine(state, move, most)
            if reached[0] > most:
                continue
            after[reached] = after.get(reached, 0) + ways * factor
        if len(after) > _MAX_STATES:
            msg = f"{len(routes)} routes, {len(needs.grays)} of them gray, are too many to count exactly"
            raise TooManyStatesError(msg)
        states = after
    paid = [0] * (pool.n_cards + 1)
    for state, ways in states.items():
        if state[-1] > most:
            continue
        fewest = max(0, state[-1] + needs.symbols - hand.locomotives)
        for b in range(fewest, pool.locomotives + 1):
            factor = comb(pool.locomotives, b)
            for n, coefficient in enumerate(_coefficients(ways)):
                paid[n + b] += coefficient * factor
    return [1 - Fraction(ways, comb(pool.n_cards, n)) for n, ways in enumerate(paid)]


def _moves(needs: _Needs, c: int, held: int, n_pool: int, most: int) -> dict[tuple[int, ...], int]:
    """
    Return what the draws of one color may do, each with the ways to draw it.

    For each set of gray routes: the locomotives that must help out if they are
    all built in this color, `most` + 1 if that does not go.
    """
    moves: dict[tuple[int, ...], int] = {}
    for drawn in range(n_pool + 1):
        move = []
        for built in range(1 << len(needs.grays)):
            strict, loose = needs.strict[c], needs.loose[c]
            for g, (n, jokers) in enumerate(needs.grays):
                if built >> g & 1:
                    strict, loose = (strict, loose + n) if jokers else (strict + n, loose)
            short = max(0, strict + loose - held - drawn)
            move.append(min(short, most + 1) if strict <= held + drawn else most + 1)
        key = tuple(move)
        moves[key] = moves.get(key, 0) + (comb(n_pool, drawn) << (_SHIFT * drawn))
    return moves


def _combine(state: tuple[int, ...], move: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the fewest locomotives for each set of gray routes, some of them built in the new color."""
    combined = []
    for built in range(len(state)):
        fewest = most + 1
        here = built
        while True:
            fewest = min(fewest, state[built ^ here] + move[here])
            if here == 0:
                break
            here = (here - 1) & built
        combined.append(fewest)
    return tuple(combined)


def _coefficients(packed: int) -> list[int]:
    mask = (1 << _SHIFT) - 1
    coefficients = []
    while packed:
        coefficients.append(packed & mask)
        packed >>= _SHIFT
    return coefficients


def _read_needs(routes: Sequence[Route]) -> _Needs:
    strict, loose = [0] * N_COLORS, [0] * N_COLORS
    grays = []
    symbols = 0
    for route in routes:
        spaces = spaces_of(route)
        if spaces.swap_size and (spaces.swap_any or spaces.symbols):
            msg = f"{route} may be paid with sets of cards, which are not counted exactly for several routes"
            raise TooManyStatesError(msg)
        symbols += spaces.symbols
        if route.color == GRAY:
            grays.append((spaces.plain, bool(spaces.jokers)))
        else:
            colored = loose if spaces.jokers else strict
            colored[COLORS.index(route.color)] += spaces.plain
    return _Needs(tuple(strict), tuple(loose), tuple(grays), symbols)
