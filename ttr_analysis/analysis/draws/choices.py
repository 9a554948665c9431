"""Two choices that every player meets: the face-up locomotive, and the color for a gray route."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis.analysis.draws.gather import Method, TooManyStatesError, draws_for_routes, simulated_draws
from ttr_analysis.analysis.payments import Cards, Payment, cheapest, options
from ttr_analysis.analysis.payments.expected import BASE_RULES, hand_and_pool
from ttr_analysis.analysis.payments.model import cards_wanted
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE, N_COLORS, N_KINDS, CardCounts, card_index
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class LocomotiveChoice:
    """
    A face-up locomotive against the blind cards that it costs. Exact.

    Parameters
    ----------
    useful_share
        Probability that a blind card is useful.
    n_blind
        Blind cards for the same draws: what the locomotive costs.
    expected_blind
        Mean number of useful cards among them.
    expected_locomotive
        1 if the locomotive is useful, else 0.
    n_useful
        `n_useful[k]`: probability that exactly `k` of the blind cards are
        useful.
    """

    useful_share: float
    n_blind: int
    expected_blind: float
    expected_locomotive: float
    n_useful: tuple[float, ...]

    @property
    def better(self) -> str:
        """What brings more useful cards on average: "locomotive", "blind" or "equal"."""
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
    Return whether to take a face-up locomotive, or draw blind instead. Exact.

    Parameters
    ----------
    useful
        The colors that are useful, or how many there are.
    rules
        Their deck and the cost of a face-up locomotive are used; those of the
        base game if not given, where it takes both draws. Give the map, or
        `game_map.rules`.
    pool
        The cards that the pile may hold: those not seen. The deck if not
        given; then one color is as good as another.
    locomotive_useful
        Whether a locomotive is useful: not so, say, where the routes still
        wanted take none.

    Raises
    ------
    UnknownNameError
        If there is no such color.
    ValueError
        If the number of colors is not from 0 to 8, or only a number is given
        with a pool; or if the pool is empty.

    Notes
    -----
    With `c` useful colors a blind card from a full deck is useful with
    probability (12c + 14) / 110. Where a locomotive takes two draws, two blind
    cards bring more from four colors on; where it costs one, a useful
    locomotive is always worth at least the blind card.

    Examples
    --------
    >>> locomotive_or_blind(3).better, locomotive_or_blind(4).better
    ('locomotive', 'blind')
    """
    if not isinstance(useful, int):
        indices = {card_index(color) for color in useful} - {N_KINDS - 1}
    elif pool is not None:
        msg = "with a pool the colors matter: give them by name"
        raise ValueError(msg)
    elif not 0 <= useful <= N_COLORS:
        msg = f"the number of useful colors is from 0 to {N_COLORS}, got {useful}"
        raise ValueError(msg)
    else:
        indices = set(range(useful))
    rules = as_rules(rules)
    cards = rules.deck if pool is None else CardCounts.coerce(pool)
    n, cost = cards.n_cards, rules.market.locomotive_cost
    if n == 0:
        msg = "there is no blind card in an empty pool"
        raise ValueError(msg)
    m = sum(cards.counts[i] for i in indices) + (cards.locomotives if locomotive_useful else 0)
    n_blind = min(cost, n)
    shares = [Fraction(comb(m, k) * comb(n - m, n_blind - k), comb(n, n_blind)) for k in range(n_blind + 1)]
    return LocomotiveChoice(m / n, n_blind, n_blind * m / n, float(locomotive_useful), tuple(map(float, shares)))


def locomotive_table(*, rules: RulesLike = BASE_RULES, locomotive_useful: bool = True) -> pd.DataFrame:
    """
    Return `locomotive_or_blind` for every number of useful colors. Exact.

    Parameters
    ----------
    rules, locomotive_useful
        As of `locomotive_or_blind`.

    Returns
    -------
    table
        Indexed by `colors`, the number of useful ones: `useful_share`
        (probability), `expected_blind` and `expected_locomotive` (useful
        cards), `none` (probability that no blind card is useful) and `better`.

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
    Return in which color to pay for a route, by what it delays.

    Parameters
    ----------
    route
        The route to be paid now: gray, or it has but one color.
    hand
        Cards held.
    wanted
        The routes that are still to be built afterwards.
    rules
        Their deck and draws per turn are used; those of the base game if not
        given. Give the map, or `game_map.rules`.
    pool
        The cards that the pile may hold: those not seen. The deck without the
        hand if not given.
    method, n, rng
        As of `draws_for_routes`. In a simulation all colors meet the same
        cards, so that their differences are more precise than the means.

    Returns
    -------
    table
        Indexed by `color` ("locomotive" for locomotives, or sets, alone), the
        best first: `payment`, `cards` (laid down), `draws` (mean number of
        cards still to draw for the wanted routes after it), `loss` (`draws`
        less what it would be without paying), `draws_se` and `loss_se` (standard
        errors; 0 if exact), and `method`. Empty if the hand does not pay.

    Raises
    ------
    ValueError
        As of `draws_for_routes`.

    Notes
    -----
    The model: blind draws only, until one hand pays for all the wanted routes;
    what was laid down does not come back. Every payment without sets is
    weighed, with any number of locomotives, and the one in each color that
    breaks least into the cards that the wanted routes name (see
    `ttr.payments.cheapest`); the best in each color is shown.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> usa = ttr.load_map("usa")
    >>> gray = usa.route("Boston", "Montréal", track=0)
    >>> hand = {"red": 3, "blue": 3, "green": 2}
    >>> table = which_color_to_burn(gray, hand, [usa.route("Miami", "Atlanta")], rules=usa.rules)
    >>> table["loss"].round(2).to_dict()
    {'green': 0.0, 'red': 0.0, 'blue': 8.58}
    """
    wanted, rules = list(wanted), as_rules(rules)
    hand, pool = hand_and_pool(hand, pool, rules)
    payments = _payments_to_weigh(route, hand, wanted)
    if method != "monte_carlo":
        try:
            before = draws_for_routes(wanted, hand, rules=rules, pool=pool, method="exact").expected_cards.value
            after = [
                draws_for_routes(wanted, hand - p.cards, rules=rules, pool=pool, method="exact").expected_cards.value
                for p in payments
            ]
        except TooManyStatesError:
            if method == "exact" or rng is None:
                raise
        else:
            means = [_Mean(a, 0.0, _difference(a, before), 0.0) for a in after]
            return _burn_table(payments, means, "exact")
    if rng is None:
        msg = "Monte Carlo needs a source of randomness, such as rng=numpy.random.default_rng(7)"
        raise ValueError(msg)
    seed = int(rng.integers(2**62))

    def draws(left: CardCounts) -> Ints:
        return simulated_draws(wanted, left, pool, n, np.random.default_rng(seed))

    without = draws(hand)
    return _burn_table(payments, [_sample_mean(draws(hand - p.cards), without) for p in payments], "Monte Carlo")


class _Mean(NamedTuple):
    draws: float
    draws_se: float
    loss: float
    loss_se: float


def _payments_to_weigh(route: Route, hand: CardCounts, wanted: list[Route]) -> list[Payment]:
    """Return all payments without sets, and in each color the one that the wanted routes miss least."""
    keep = cards_wanted(wanted)
    colors = COLORS if route.color == GRAY else (route.color,)
    found = {payment.cards: payment for payment in options(route, hand) if not payment.sets.n_cards}
    for color in colors:
        payment = cheapest(replace(route, color=color), hand, keep=keep)
        if payment is not None:
            found.setdefault(payment.cards, payment)
    return list(found.values())


def _difference(after: float, before: float) -> float:
    return math.nan if math.isinf(before) else after - before


def _sample_mean(after: Ints, before: Ints) -> _Mean:
    """Return means and standard errors; infinite if the cards do not always suffice."""
    n = max(1, after.size - 1)
    if (after < 0).any():
        return _Mean(math.inf, math.nan, math.nan if (before < 0).any() else math.inf, math.nan)
    loss = after - before
    return _Mean(
        float(after.mean()), float(after.std() / math.sqrt(n)), float(loss.mean()), float(loss.std() / math.sqrt(n))
    )


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
