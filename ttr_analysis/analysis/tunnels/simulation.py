"""Monte Carlo for tunnels: one surcharge, one claim, and several routes in a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ttr_analysis.analysis.payments import Cards, Payment, from_cards, why_illegal
from ttr_analysis.analysis.payments.expected import BASE_RULES
from ttr_analysis.analysis.payments.joint import routes_table
from ttr_analysis.analysis.payments.model import as_array
from ttr_analysis.analysis.tunnels.odds import check_matching, known_cards
from ttr_analysis.analysis.tunnels.path import N_RESULTS, simulate_paths
from ttr_analysis.analysis.waiting import Estimate
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE, LOCOMOTIVE_INDEX, N_KINDS, CardCounts, card_index
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd


def simulate_surcharges(
    matching: int, unseen: int, n: int, rng: np.random.Generator, *, revealed: int = 3
) -> tuple[Estimate, ...]:
    """
    Return the share of each tunnel surcharge in simulated claims.

    Parameters
    ----------
    matching, unseen, revealed
        As of `surcharge_distribution`.
    n
        Number of simulated claims.
    rng
        Source of randomness.

    Returns
    -------
    shares
        `shares[k]`: probability that exactly `k` cards match, with its
        standard error.

    Raises
    ------
    ValueError
        If `matching` is not between 0 and `unseen`, or `n` below 1.

    Notes
    -----
    Monte Carlo: the cards are turned over one after another, each a random one
    of those left.

    Examples
    --------
    >>> shares = simulate_surcharges(26, 110, 100_000, np.random.default_rng(7))
    >>> abs(shares[0].value - 0.4415) < 4 * shares[0].standard_error
    True
    """
    check_matching(matching, unseen, revealed)
    _check_n(n)
    n_cards = min(revealed, unseen)
    matches = np.zeros(n, dtype=np.int64)
    for i in range(n_cards):
        matches += rng.random(n) * (unseen - i) < matching - matches
    counts = np.bincount(matches, minlength=n_cards + 1)
    return tuple(Estimate.of_share(int(count), n) for count in counts)


def simulate_claim(
    route: Route,
    payment: Payment | Cards,
    hand: Cards,
    n: int,
    rng: np.random.Generator,
    *,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
) -> Estimate:
    """
    Return the share of simulated claims of a tunnel that succeed.

    Parameters
    ----------
    route
        A tunnel of any map.
    payment
        The cards laid down for its length.
    hand
        Cards held, those laid down included.
    n
        Number of simulated claims.
    rng
        Source of randomness.
    pool, n_pile, discards, revealed
        As of `claim_odds`.

    Raises
    ------
    ValueError
        If the cards do not pay for the length, or the hand does not hold
        them; or as for `claim_odds`.

    Notes
    -----
    Monte Carlo: whole cards are dealt from pile and discards, and paid for
    from the hand.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> share = simulate_claim(tunnel, {"purple": 2}, {"purple": 3}, 100_000, np.random.default_rng(7))
    >>> abs(share.value - ttr.tunnels.best_payment(tunnel, {"purple": 3}).probability) < 4 * share.standard_error
    True
    """
    hand, pool, n_pile, discards = known_cards(route, hand, pool, n_pile, discards, revealed)
    _check_n(n)
    reason = why_illegal(route, payment)
    if reason is not None:
        raise ValueError(reason)
    payment = payment if isinstance(payment, Payment) else from_cards(route, payment)
    left = hand - payment.cards
    plays = payment.color or LOCOMOTIVE
    pays = [card_index(plays)] if plays != LOCOMOTIVE else []
    if plays == LOCOMOTIVE or route.locomotives_allowed:
        pays.append(LOCOMOTIVE_INDEX)
    spare = sum(left.counts[kind] for kind in pays)
    matching = sorted({card_index(plays), LOCOMOTIVE_INDEX})
    from_pile = min(revealed, n_pile)
    turned = rng.multivariate_hypergeometric(pool.counts, from_pile, size=n, method="count")
    more = min(revealed - from_pile, discards.n_cards)
    turned = turned + rng.multivariate_hypergeometric(discards.counts, more, size=n, method="count")
    return Estimate.of_share(int((turned[:, matching].sum(axis=1) <= spare).sum()), n)


@dataclass(frozen=True, slots=True)
class PathSimulation:
    """
    What became of several routes claimed one after another, in many games.

    Parameters
    ----------
    table
        One row for each route in order: `route`, `claimed` (probability, with
        all before it) and `claimed_se`, `first_try` (probability that it is
        claimed at the first attempt) and `first_try_se`, `surcharge` (mean
        cards, where it is claimed) and `surcharge_se`.
    n_claimed
        `n_claimed[k]`: probability that exactly the first `k` routes are
        claimed.
    turns
        Mean number of claims attempted, each a turn.
    cards
        Mean number of cards spent.
    """

    table: pd.DataFrame
    n_claimed: tuple[Estimate, ...]
    turns: Estimate
    cards: Estimate

    @property
    def success(self) -> Estimate:
        """Probability that all routes are claimed."""
        return self.n_claimed[-1]

    def __str__(self) -> str:
        """Return the odds of all routes."""
        return f"all {len(self.table)} routes: {self.success}"

    def __repr__(self) -> str:
        """Return the odds of all routes."""
        return f"<PathSimulation: {self}>"


def simulate_path(
    routes: Iterable[Route],
    hand: Cards,
    n: int,
    rng: np.random.Generator,
    *,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards = (),
    rules: RuleSet = BASE_RULES,
    attempts: int = 1,
) -> PathSimulation:
    """
    Return how often a hand claims several routes in a row, tunnels among them.

    Parameters
    ----------
    routes
        Routes of any map, in the order in which they are claimed.
    hand
        Cards held at the start.
    n
        Number of simulated games.
    rng
        Source of randomness.
    pool
        The cards that the draw pile may hold. The deck without hand and
        discards if not given.
    n_pile
        Cards in the draw pile; all of the pool if not given. The others are
        in hands that do not change.
    discards
        Cards of the discard pile at the start.
    rules
        Their deck, tunnels and reshuffle are used; those of the base game if
        not given. Give `game_map.rules`.
    attempts
        How often a tunnel is tried before the player gives up.

    Raises
    ------
    ValueError
        If no route is given, or `n` or `attempts` is below 1.

    Notes
    -----
    Monte Carlo; there is no closed form, as each claim changes hand, pile and
    discards for the next. The model: nobody draws or claims in between; the
    pile is reshuffled from the discards, without the cards laid down, when it
    runs out. The player pays for each route in the way with the best odds, as
    far as the cards seen tell; of equal ones that which breaks least into what
    later routes want (the color of a colored route for its plain spaces,
    locomotives for its symbols), then takes the fewest locomotives, then the
    fewest cards. A surcharge is paid whenever it can be, with color cards
    rather than locomotives unless later routes want them. The first route that
    is not claimed ends the path.

    Examples
    --------
    Two tunnels of two with one spare card for each:

    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> tunnels = [nordic.route("Oslo", "Lillehammer"), nordic.route("Lillehammer", "Åndalsnes")]
    >>> hand = {"purple": 3, "yellow": 3}
    >>> path = simulate_path(tunnels, hand, 20_000, np.random.default_rng(7), rules=nordic.rules)
    >>> 0.74 < path.success.value < 0.80
    True
    """
    routes = list(routes)
    hand, discards = CardCounts.coerce(hand), CardCounts.coerce(discards)
    pool = rules.deck - hand - discards if pool is None else CardCounts.coerce(pool)
    n_pile = pool.n_cards if n_pile is None else n_pile
    if not routes:
        msg = "expected at least one route"
        raise ValueError(msg)
    _check_n(n)
    if attempts < 1:
        msg = f"the number of attempts must be 1 or more, got {attempts}"
        raise ValueError(msg)
    if not 0 <= n_pile <= pool.n_cards:
        msg = f"the pile holds from 0 to the {pool.n_cards} cards of the pool, got {n_pile}"
        raise ValueError(msg)
    results = np.zeros((n, N_RESULTS + 2 * len(routes)), dtype=np.int64)
    simulate_paths(
        stream_from(rng),
        routes_table(routes),
        np.array([r.tunnel for r in routes], dtype=np.int64),
        _wanted_later(routes),
        as_array(hand),
        as_array(pool),
        n_pile,
        as_array(discards),
        rules.tunnel.revealed,
        attempts,
        int(rules.cards.reshuffle == "at_once"),
        results,
    )
    return _summary(routes, results)


def _wanted_later(routes: list[Route]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the cards that the routes after each one want, as rows of counts."""
    wanted = np.zeros((len(routes), N_KINDS), dtype=np.int64)
    for i in range(len(routes) - 2, -1, -1):
        later = routes[i + 1]
        wanted[i] = wanted[i + 1]
        wanted[i, LOCOMOTIVE_INDEX] += later.locomotives
        if later.color != GRAY:
            wanted[i, COLORS.index(later.color)] += later.length - later.locomotives
    return wanted


def _summary(routes: list[Route], results: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> PathSimulation:
    import pandas as pd

    n = len(results)
    claimed, turns, cards = results[:, 0], results[:, 1], results[:, 2]
    rows = []
    for i, route in enumerate(routes):
        attempts, surcharge = results[:, N_RESULTS + 2 * i], results[:, N_RESULTS + 2 * i + 1]
        done = claimed > i
        share = Estimate.of_share(int(done.sum()), n)
        first = Estimate.of_share(int((done & (attempts == 1)).sum()), n)
        mean = _mean(surcharge[done])
        rows.append(
            (
                str(route),
                share.value,
                share.standard_error,
                first.value,
                first.standard_error,
                mean.value,
                mean.standard_error,
            )
        )
    columns = ["route", "claimed", "claimed_se", "first_try", "first_try_se", "surcharge", "surcharge_se"]
    counts = np.bincount(claimed, minlength=len(routes) + 1)
    return PathSimulation(
        pd.DataFrame(rows, columns=columns),
        tuple(Estimate.of_share(int(count), n) for count in counts),
        _mean(turns),
        _mean(cards),
    )


def _mean(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Estimate:
    if not values.size:
        return Estimate(float("nan"), float("nan"), 0)
    error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")
    return Estimate(float(values.mean()), error, int(values.size))


def _check_n(n: int) -> None:
    if n < 1:
        msg = f"the number of simulated games must be 1 or more, got {n}"
        raise ValueError(msg)
