"""
Drawing cards: how long it takes to collect them, and what to draw or spend.

Each result shows whether it is exact or simulated, with its standard error.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.analysis.payments import Cards, Payment, cheapest, expected_draws, model, options
from ttr_analysis.analysis.payments.expected import BASE_RULES, hand_and_pool, unpaid_odds
from ttr_analysis.analysis.waiting import (
    Estimate,
    WaitingTime,
    check_samples,
    coefficients_of,
    hypergeometric,
    polynomial,
)
from ttr_analysis.cards import (
    CARD_KINDS,
    COLORS,
    GRAY,
    LOCOMOTIVE,
    N_COLORS,
    N_KINDS,
    CardCounts,
    card_index,
    kind_name,
)
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.market import count_cards, draw_card
from ttr_analysis.rules.payment import Spaces
from ttr_analysis.tables import spaces_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Estimate",
    "LocomotiveChoice",
    "TooManyStatesError",
    "WaitingTime",
    "draws_for_routes",
    "draws_to_gather",
    "gather_table",
    "locomotive_or_blind",
    "locomotive_table",
    "which_color_to_burn",
]


def __dir__() -> list[str]:
    return __all__


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
        Cards needed, including those in the hand.
    color
        A color, "locomotive", or "gray": the first color with enough cards.
    locomotives
        Whether locomotives count as cards of the color.
    pool
        Cards that the pile may hold; by default the deck without the hand.
    rules
        Map or rule set: its deck and its draws per turn.

    Returns
    -------
    waiting
        Distribution of cards to draw, and of turns spent only on drawing.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If `k` is below 0.

    Notes
    -----
    The number of cards is negative hypergeometric: with `m` cards that count in a pool of
    `N`, its mean is k (N + 1) / (m + 1), so (111/13) k from a full deck, and (111/27) k
    with locomotives [1]_. For gray, the draws that leave every color short are
    counted.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride". FDG 2020.

    Examples
    --------
    >>> print(draws_to_gather(3, "red").expected_cards)
    25.6154 (exact)
    >>> print(draws_to_gather(3, "gray", locomotives=True).expected_cards)
    6.4876 (exact)
    """
    if k < 0:
        raise ValueError(f"k must be 0 or more, got {k}")
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
    Return the cards and turns needed to collect cards of one given color, and of any color. Exact.

    Parameters
    ----------
    counts
        Numbers of cards to gather.
    hand, pool, rules
        As for `draws_to_gather`. The given color is the one held most.

    Returns
    -------
    table
        One row for each number of cards, color or gray, with and without
        locomotives: `n_cards`, `color` ("gray" for any one color),
        `locomotives`, `cards` and `turns` (means), and `turns_50` and
        `turns_90`, the fewest turns that are enough with probability 50% and 90%.

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
    """Return the probability of fewer than `k` matching cards after 0, 1, ... draws, up to the whole pool."""
    n_pool = pool.n_cards
    others = n_pool - matching
    return [
        Fraction(sum(comb(matching, i) * comb(others, n - i) for i in range(min(k, n + 1))), comb(n_pool, n))
        for n in range(n_pool + 1)
    ]


# -- several routes ------------------------------------------------------------------------------------------------

Method = Literal["auto", "exact", "monte_carlo"]

_MAX_STATES = 4_000
"""Maximum number of states for the exact count, which takes a few seconds to reach it."""

_MAX_GRAY = 4
"""Maximum number of gray routes for the exact count, since each triples the time."""


class TooManyStatesError(ValueError):
    """The exact count is too large; simulate instead."""


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
        Routes of any map, each paid with its own cards; tunnels without surcharge.
    hand, pool, rules
        As for `draws_to_gather`.
    method
        "exact", "monte_carlo", or "auto": exact when feasible.
    rng
        Source of randomness, for Monte Carlo.

    Raises
    ------
    ValueError
        If Monte Carlo is needed without `rng`, or "exact" is infeasible.

    Notes
    -----
    Exact for a single route. For several, exact if none can be paid with sets of cards (such
    as three cards for a locomotive) and few are gray: draws are counted color by color, with
    the locomotives needed for each set of gray routes built so far. Otherwise Monte Carlo:
    shuffle the pool, and find the first card after which the hand pays.

    Examples
    --------
    >>> usa = ttr.load_map("usa")
    >>> routes = [usa.route("Miami", "Atlanta"), usa.route("Chicago", "Toronto")]
    >>> print(draws_for_routes(routes, {"blue": 3}, rules=usa.rules).expected_cards)
    18.7560 (exact)
    """
    routes, rules = list(routes), as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    _check_method(method)
    if method != "monte_carlo":
        if len(routes) == 1:
            return expected_draws(routes[0], hand, rules=rules, pool=pool)
        try:
            unpaid = _exact_unpaid(routes, hand, pool)
        except TooManyStatesError as error:
            if method == "exact" or rng is None:
                raise TooManyStatesError(f"{error}: use Monte Carlo, with an `rng`") from None
        else:
            return WaitingTime.from_unpaid(unpaid, rules.cards.draws_per_turn)
    cards = _simulated_draws(routes, hand, pool, n, _require_rng(rng))
    turns = -(-cards // rules.cards.draws_per_turn)
    return WaitingTime.from_samples(cards.tolist(), np.where(cards < 0, -1, turns).tolist())


def _check_method(method: str) -> None:
    if method not in get_args(Method):
        raise ValueError(f"method must be 'auto', 'exact' or 'monte_carlo', got {method!r}")


def _require_rng(rng: np.random.Generator | None) -> np.random.Generator:
    if rng is None:
        raise ValueError("Monte Carlo needs a source of randomness, such as rng=numpy.random.default_rng(7)")
    return rng


def _simulated_draws(
    routes: Sequence[Route], hand: CardCounts, pool: CardCounts, n: int, rng: np.random.Generator
) -> Ints:
    """Return the cards drawn in each of `n` simulated games; -1 where the pool is not enough."""
    check_samples(n)
    found = np.empty(n, dtype=np.int64)
    columns = model.route_columns([routes[i] for i in model.search_order(list(routes))])
    _simulate(stream_from(rng), columns, model.as_array(hand), model.as_array(pool), found)
    return found


@compiled
def _simulate(stream: Ints, routes: model.RouteColumns, hand: Ints, pool: Ints, found: Ints) -> None:
    n_pool = count_cards(pool)
    own = np.zeros(routes.color.size, dtype=np.int64)
    color = np.zeros(routes.color.size, dtype=np.int64)
    after = np.empty((n_pool + 1, N_KINDS), dtype=np.int64)
    after[0] = hand
    for game in range(found.size):
        pile = pool.copy()
        for i in range(n_pool):
            after[i + 1] = after[i]
            after[i + 1, draw_card(pile, stream)] += 1
        found[game] = -1
        # A larger hand never pays for less, so the first hand that pays is found by bisection.
        low = 0
        high = n_pool + 1
        while low < high:
            middle = (low + high) // 2
            if middle == n_pool + 1 or model.find_singles(routes, after[middle], own, color):
                high = middle
            else:
                low = middle + 1
        if low <= n_pool:
            found[game] = low


@dataclass(frozen=True, slots=True)
class _Needs:
    strict: tuple[int, ...]
    """Cards of each color that locomotives cannot replace."""
    loose: tuple[int, ...]
    """Cards of each color that locomotives can replace."""
    grays: tuple[tuple[int, bool], ...]
    """The cards of each gray route, and whether locomotives can replace them."""
    symbols: int
    """Locomotives for symbols."""


def _exact_unpaid(routes: Sequence[Route], hand: CardCounts, pool: CardCounts) -> list[Fraction]:
    """Return the probability that the hand cannot pay after 0, 1, ... draws, up to the whole pool."""
    needs = _read_needs(routes)
    most = hand.locomotives + pool.locomotives - needs.symbols
    if most < 0:
        return [Fraction(1)] * (pool.n_cards + 1)
    too_many = f"{len(routes)} routes, {len(needs.grays)} of them gray, are too many for an exact count"
    if len(needs.grays) > _MAX_GRAY:
        raise TooManyStatesError(too_many)
    n_sets = 1 << len(needs.grays)
    # A state is the fewest locomotives needed for each set of gray routes, if they are built in the colors counted
    # so far. Its value counts the draws of those colors that lead to it.
    states: dict[tuple[int, ...], int] = {(0, *[most + 1] * (n_sets - 1)): 1}
    for c in range(N_COLORS):
        moves = _moves(needs, c, hand.counts[c], pool.counts[c], most)
        after: dict[tuple[int, ...], int] = {}
        for (state, ways), (move, factor) in product(states.items(), moves.items()):
            reached = _combine(state, move, most)
            if reached[0] <= most:
                after[reached] = after.get(reached, 0) + ways * factor
        if len(after) > _MAX_STATES:
            raise TooManyStatesError(too_many)
        states = after
    paid = 0
    for state, ways in states.items():
        if state[-1] <= most:
            fewest = state[-1] + needs.symbols - hand.locomotives
            drawn = range(pool.locomotives + 1)
            paid += ways * polynomial([comb(pool.locomotives, b) if b >= fewest else 0 for b in drawn])
    counts = coefficients_of(paid, pool.n_cards + 1)
    return [1 - Fraction(ways, comb(pool.n_cards, n)) for n, ways in enumerate(counts)]


def _moves(needs: _Needs, c: int, held: int, n_pool: int, most: int) -> dict[tuple[int, ...], int]:
    """Map the locomotives that each set of gray routes needs in color `c` to the number of draws that lead there."""
    moves: dict[tuple[int, ...], list[int]] = {}
    for drawn in range(n_pool + 1):
        move = []
        for built in range(1 << len(needs.grays)):
            strict, loose = needs.strict[c], needs.loose[c]
            for g, (n, jokers) in enumerate(needs.grays):
                if built >> g & 1:
                    strict, loose = (strict, loose + n) if jokers else (strict + n, loose)
            short = max(0, strict + loose - held - drawn)
            move.append(min(short, most + 1) if strict <= held + drawn else most + 1)
        moves.setdefault(tuple(move), [0] * (n_pool + 1))[drawn] = comb(n_pool, drawn)
    return {move: polynomial(ways) for move, ways in moves.items()}


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


def _read_needs(routes: Sequence[Route]) -> _Needs:
    strict, loose = [0] * N_COLORS, [0] * N_COLORS
    grays = []
    symbols = 0
    for route in routes:
        spaces = spaces_of(route)
        if spaces.swap_size and (spaces.swap_any or spaces.symbols):
            raise TooManyStatesError(
                f"{route} may be paid with sets of cards, which are not counted exactly for several routes"
            )
        symbols += spaces.symbols
        if route.color == GRAY:
            grays.append((spaces.plain, bool(spaces.jokers)))
        else:
            colored = loose if spaces.jokers else strict
            colored[COLORS.index(route.color)] += spaces.plain
    return _Needs(tuple(strict), tuple(loose), tuple(grays), symbols)


@dataclass(frozen=True, slots=True, repr=False)
class LocomotiveChoice:
    """
    A face-up locomotive compared with the blind cards that it costs. Exact.

    Parameters
    ----------
    useful_share
        Probability that a blind card is useful.
    n_blind
        Blind cards that the locomotive costs.
    expected_blind
        Mean number of useful ones among them.
    expected_locomotive
        1 if the locomotive is useful, else 0.
    n_useful
        `n_useful[k]`: probability of exactly `k` useful blind cards.
    """

    useful_share: float
    n_blind: int
    expected_blind: float
    expected_locomotive: float
    n_useful: tuple[float, ...]

    @property
    def better(self) -> str:
        """The better choice on average: "locomotive", "blind" or "equal"."""
        if self.expected_blind == self.expected_locomotive:
            return "equal"
        return "blind" if self.expected_blind > self.expected_locomotive else "locomotive"

    def __repr__(self) -> str:
        blind = f"{self.expected_blind:.2f} useful among {self.n_blind} blind"
        return f"<LocomotiveChoice {self.better}: {self.expected_locomotive:g} for the locomotive, {blind}>"


def locomotive_or_blind(
    useful: int | Collection[str],
    *,
    rules: RulesLike = BASE_RULES,
    pool: Cards | None = None,
    locomotive_useful: bool = True,
) -> LocomotiveChoice:
    """
    Return whether to take a face-up locomotive or draw blind. Exact.

    Parameters
    ----------
    useful
        The useful colors, or their number.
    rules
        Map or rule set: its deck and the cost of a face-up locomotive.
    pool
        Cards the pile may hold; by default the deck.
    locomotive_useful
        False if locomotives are not wild on the routes you want.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If the number of colors is not 0 to 8, or is given with a pool instead of
        their names; or if the pool is empty.

    Notes
    -----
    With `c` useful colors a blind card from a full deck is useful with
    probability (12c + 14) / 110. Where a locomotive takes two draws, two blind
    cards are better with four or more useful colors; where it takes one, a useful
    locomotive is never worse than the blind card.

    Examples
    --------
    >>> locomotive_or_blind(3).better, locomotive_or_blind(4).better
    ('locomotive', 'blind')
    """
    if not isinstance(useful, int):
        indices = {card_index(color) for color in useful} - {N_KINDS - 1}
    elif pool is not None:
        raise ValueError("with a pool the colors matter: give them by name")
    elif not 0 <= useful <= N_COLORS:
        raise ValueError(f"the number of useful colors must be from 0 to {N_COLORS}, got {useful}")
    else:
        indices = set(range(useful))
    rules = as_rules(rules)
    cards = rules.deck if pool is None else CardCounts.coerce(pool)
    n, cost = cards.n_cards, rules.market.locomotive_cost
    if n == 0:
        raise ValueError("there is no blind card in an empty pool")
    m = sum(cards.counts[i] for i in indices) + (cards.locomotives if locomotive_useful else 0)
    n_blind = min(cost, n)
    n_useful = tuple(map(float, hypergeometric(m, n, n_blind)))
    return LocomotiveChoice(m / n, n_blind, n_blind * m / n, float(locomotive_useful), n_useful)


def locomotive_table(*, rules: RulesLike = BASE_RULES, locomotive_useful: bool = True) -> pd.DataFrame:
    """
    Return the results of `locomotive_or_blind` for every number of useful colors. Exact.

    Returns
    -------
    table
        Indexed by `colors`, the number of useful ones: `useful_share`
        (probability), `expected_blind` and `expected_locomotive` (useful
        cards), `none` (probability of no useful blind card) and `better`.

    Examples
    --------
    >>> table = locomotive_table()
    >>> print(table[["expected_blind", "better"]].round(3).reset_index().iloc[3:5].to_string(index=False))
     colors  expected_blind     better
          3           0.909 locomotive
          4           1.127      blind
    """
    import pandas as pd

    rows = []
    for c in range(N_COLORS + 1):
        choice = locomotive_or_blind(c, rules=rules, locomotive_useful=locomotive_useful)
        means = (choice.expected_blind, choice.expected_locomotive)
        rows.append((c, choice.useful_share, *means, choice.n_useful[0], choice.better))
    columns = ["colors", "useful_share", "expected_blind", "expected_locomotive", "none", "better"]
    return pd.DataFrame(rows, columns=columns).set_index("colors")


def which_color_to_burn(
    route: Route,
    hand: Cards,
    wanted: Iterable[Route],
    *,
    rules: RulesLike = BASE_RULES,
    pool: Cards | None = None,
    method: Method = "auto",
    n: int = 10_000,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """
    Compare the colors that can pay for a route by how much each delays other routes.

    Parameters
    ----------
    route
        Route to pay now, usually a gray one.
    wanted
        Routes to build later.
    rules, pool, method, n, rng
        As for `draws_for_routes`. All payments are simulated with the same shuffles, so
        differences are more precise than means.

    Returns
    -------
    table
        Indexed by `color` ("locomotive" for locomotives or sets alone), best first:
        `payment`, `cards` (laid down), `draws` (mean number of cards still to draw for
        the other routes), `loss` (`draws` minus what it would be without paying),
        `draws_se` and `loss_se` (standard errors; 0 if exact), and `method`. Empty if
        the hand cannot pay.

    Notes
    -----
    All payments without sets are compared, and in each color the one that uses the fewest
    cards of the colors of the other routes (see `ttr.payments.cheapest`). The table shows
    the best of each color. Cards laid down do not come back.

    Examples
    --------
    >>> usa = ttr.load_map("usa")
    >>> gray = usa.route("Boston", "Montréal", track=0)
    >>> hand = {"red": 3, "blue": 3, "green": 2}
    >>> table = which_color_to_burn(gray, hand, [usa.route("Miami", "Atlanta")], rules=usa.rules)
    >>> table["loss"].round(2).to_dict()
    {'green': 0.0, 'red': 0.0, 'blue': 8.58}
    """
    _check_method(method)
    wanted, rules = list(wanted), as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    payments = _payments_to_compare(route, hand, wanted)
    if method != "monte_carlo":
        hands = [hand, *(hand - payment.cards for payment in payments)]
        try:
            exact = [draws_for_routes(wanted, left, rules=rules, pool=pool, method="exact") for left in hands]
        except TooManyStatesError:
            if method == "exact" or rng is None:
                raise
        else:
            before, *after = (waiting.expected_cards.value for waiting in exact)
            means = [_Mean(mean, 0.0, math.nan if math.isinf(before) else mean - before, 0.0) for mean in after]
            return _burn_table(payments, means, "exact")
    seed = int(_require_rng(rng).integers(2**62))

    def draws(left: CardCounts) -> Ints:
        return _simulated_draws(wanted, left, pool, n, np.random.default_rng(seed))

    without = draws(hand)
    return _burn_table(payments, [_sample_mean(draws(hand - p.cards), without) for p in payments], "Monte Carlo")


class _Mean(NamedTuple):
    draws: float
    draws_se: float
    loss: float
    loss_se: float


def _payments_to_compare(route: Route, hand: CardCounts, wanted: list[Route]) -> list[Payment]:
    """Return all payments without sets, and the one in each color that costs the other routes least."""
    keep = model.cards_wanted(wanted)
    found = {payment.cards: payment for payment in options(route, hand) if not payment.sets.n_cards}
    for color in model.colors_of(route):
        payment = cheapest(replace(route, color=COLORS[color]), hand, keep=keep)
        if payment is not None:
            found.setdefault(payment.cards, payment)
    return list(found.values())


def _sample_mean(after: Ints, before: Ints) -> _Mean:
    """Return means and standard errors; infinite if the cards are not always enough."""
    if (after < 0).any():
        return _Mean(math.inf, math.nan, math.nan if (before < 0).any() else math.inf, math.nan)
    root = math.sqrt(max(1, after.size - 1))
    loss = after - before
    return _Mean(float(after.mean()), float(after.std() / root), float(loss.mean()), float(loss.std() / root))


def _burn_table(payments: list[Payment], means: list[_Mean], method: str) -> pd.DataFrame:
    import pandas as pd

    best: dict[str, tuple[Payment, _Mean]] = {}
    for p, m in zip(payments, means, strict=True):
        color = p.color or LOCOMOTIVE
        if color not in best or (m.draws, p.n_cards) < (best[color][1].draws, best[color][0].n_cards):
            best[color] = p, m
    rows = [
        (color, str(p), p.n_cards, m.draws, m.loss, m.draws_se, m.loss_se, method) for color, (p, m) in best.items()
    ]
    columns = ["color", "payment", "cards", "draws", "loss", "draws_se", "loss_se", "method"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values(["draws", "cards"], kind="stable").set_index("color")
