"""
Tunnels: the surcharge, the odds of a claim, and spare cards.

Odds are exact, counted in whole numbers; simulations carry their standard errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis.analysis.payments import Cards, Payment, from_cards, options, why_illegal
from ttr_analysis.analysis.payments.expected import pile_size
from ttr_analysis.analysis.payments.model import as_array
from ttr_analysis.analysis.tunnel_path import PathSimulation, simulate_path
from ttr_analysis.analysis.waiting import Estimate, check_samples, hypergeometric
from ttr_analysis.cards import COLORS, FULL_DECK, GRAY, LOCOMOTIVE, LOCOMOTIVE_INDEX, CardCounts, card_index, kind_name
from ttr_analysis.maps.model import Route, check_route
from ttr_analysis.rules import tunnel as rule

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ClaimOdds",
    "PathSimulation",
    "best_payment",
    "claim_odds",
    "odds_table",
    "pool_from_seen",
    "simulate_claim",
    "simulate_path",
    "simulate_surcharges",
    "spare_cards",
    "spare_needed",
    "surcharge_distribution",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True, repr=False)
class ClaimOdds:
    """
    The odds of one payment for a tunnel.

    Parameters
    ----------
    payment
        Cards laid down for the route's spaces.
    plays
        Color played, or "locomotive" for locomotives alone.
    spare
        Cards left that could pay a surcharge.
    distribution
        `distribution[k]`: probability of a surcharge of `k` cards.
    probability
        Probability that the spare cards pay it.
    expected_surcharge
        Mean surcharge, payable or not.
    expected_cards
        Mean number of cards spent on a successful claim; 0 if it cannot succeed.
    """

    payment: Payment
    plays: str
    spare: int
    distribution: tuple[float, ...]
    probability: float
    expected_surcharge: float
    expected_cards: float

    def __str__(self) -> str:
        return f"{self.payment}: {self.probability:.1%} with {self.spare} spare, exact"

    def __repr__(self) -> str:
        return f"<ClaimOdds {self}>"


def surcharge_distribution(matching: int, unseen: int, *, revealed: int = 3) -> tuple[float, ...]:
    """
    Return the probability of each tunnel surcharge. Exact.

    A player who claims a tunnel turns over the top `revealed` cards of the
    draw pile and must add one card for each *matching* one: a card of the
    color played, or a locomotive. The order of an unseen pile is uniform, so
    the number of matches is hypergeometric [1]_.

    Parameters
    ----------
    matching
        Unseen cards that match, locomotives included; locomotives only if you
        pay with locomotives alone.
    unseen
        Cards not seen since the last shuffle, even if other players hold some.
    revealed
        Cards turned over, or all unseen ones if fewer.

    Returns
    -------
    distribution
        `distribution[k]` is the probability that exactly `k` cards match.

    Raises
    ------
    ValueError
        If `matching` is not between 0 and `unseen`, or `revealed` below 0.

    References
    ----------
    .. [1] Feller, W. "An Introduction to Probability Theory and Its
       Applications", vol. 1, 3rd ed., section II.6. Wiley, 1968.

    Examples
    --------
    A fresh deck has 12 cards of each of 8 colors and 14 locomotives, so 26
    of its 110 cards match any one color:

    >>> [round(p, 4) for p in surcharge_distribution(26, 110)]
    [0.4415, 0.42, 0.1265, 0.012]
    """
    _check_matching(matching, unseen, revealed)
    return tuple(map(float, hypergeometric(matching, unseen, min(revealed, unseen))))


def pool_from_seen(*seen: Cards, deck: CardCounts = FULL_DECK) -> CardCounts:
    """
    Return the cards that the draw pile may hold: all cards not seen.

    After a reshuffle, that is the discard pile at that moment minus the cards seen
    since.

    Parameters
    ----------
    *seen
        Your hand, the market, the discards, and cards that others took openly
        and still hold.
    deck
        All cards of the game: `game_map.rules.deck`.

    Raises
    ------
    ValueError
        If more cards of a kind were seen than exist.

    Examples
    --------
    >>> pool = pool_from_seen({"green": 3, "red": 1}, ["green", "blue", "white", "red", "locomotive"])
    >>> pool["green"], pool.locomotives, pool.n_cards
    (8, 13, 101)
    """
    total = CardCounts()
    for cards in seen:
        total += CardCounts.coerce(cards)
    return deck - total


def claim_odds(
    route: Route,
    hand: Cards,
    *,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    unseen_discards: int = 0,
    revealed: int = 3,
) -> tuple[ClaimOdds, ...]:
    """
    Return the odds of claiming a tunnel with each payment. Exact.

    Parameters
    ----------
    pool
        Cards the draw pile may hold (see `pool_from_seen`); by default the deck
        without the hand and the discards.
    n_pile
        Cards in the draw pile; by default all of the pool.
    discards
        Discard pile before the claim. Needed if the pile is smaller than
        `revealed`: the discards, without the cards laid down, are shuffled to
        turn over the rest.
    unseen_discards
        Additional discards of kinds that nobody saw (a log may not show them): any cards
        of the pool that are not in the pile.
    revealed
        Cards turned over: `game_map.rules.tunnel.revealed`, or fewer if pile and
        discards run out.

    Returns
    -------
    odds
        One for each payment, best first: highest probability, then fewest locomotives,
        then smallest surcharge. Empty if the hand cannot pay for its spaces.

    Raises
    ------
    ValueError
        If the route is not a tunnel, pile and unseen discards exceed the pool, or
        `discards` is needed but not given.

    Notes
    -----
    Locomotives laid down beside color cards do not change the odds. Locomotives
    alone do: then only locomotives match.

    Examples
    --------
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> for odds in claim_odds(tunnel, {"purple": 2, "locomotive": 2}):
    ...     print(odds)
    2 purple: 99.2% with 2 spare, exact
    1 purple, 1 locomotive: 99.2% with 2 spare, exact
    2 locomotives: 69.5% with 0 spare, exact
    """
    hand, pool, n_pile, discards = _known_cards(route, hand, pool, n_pile, discards, revealed)
    if not 0 <= unseen_discards <= pool.n_cards - n_pile:
        left = pool.n_cards - n_pile
        raise ValueError(f"the pool has {left} cards outside the pile, got {unseen_discards} unseen discards")
    piles = _Piles(pool, n_pile, discards, unseen_discards)
    found = [_odds_of(route, hand, payment, piles, revealed) for payment in options(route, hand)]
    return tuple(sorted(found, key=lambda o: (-o.probability, o.payment.locomotives, o.expected_surcharge, -o.spare)))


def best_payment(
    route: Route,
    hand: Cards,
    *,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    unseen_discards: int = 0,
    revealed: int = 3,
) -> ClaimOdds | None:
    """
    Return the first of `claim_odds`, with the same parameters; None if the hand does not pay.

    Examples
    --------
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> print(best_payment(tunnel, {"purple": 2, "locomotive": 2}))
    2 purple: 99.2% with 2 spare, exact
    """
    odds = claim_odds(
        route, hand, pool=pool, n_pile=n_pile, discards=discards, unseen_discards=unseen_discards, revealed=revealed
    )
    return odds[0] if odds else None


def odds_table(odds: Sequence[ClaimOdds]) -> pd.DataFrame:
    """
    Return the odds of payments, from `claim_odds`, as a table in the same order.

    Returns
    -------
    table
        `plays` (color or "locomotive"), `own` and `locomotives` (cards laid
        down), `spare` (cards), `probability`, `expected_surcharge` and
        `expected_cards` (cards), and `p0`, `p1`, ..., the probability of each
        surcharge.

    Examples
    --------
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> table = odds_table(claim_odds(tunnel, {"purple": 2, "locomotive": 2}))
    >>> print(table[["plays", "own", "locomotives", "spare"]].to_string(index=False))
         plays  own  locomotives  spare
        purple    2            0      2
        purple    1            1      2
    locomotive    0            2      0
    """
    import pandas as pd

    facts = ["spare", "probability", "expected_surcharge", "expected_cards"]
    rows = [[o.plays, o.payment.own, o.payment.locomotives, *(getattr(o, fact) for fact in facts)] for o in odds]
    table = pd.DataFrame(rows, columns=["plays", "own", "locomotives", *facts])
    chances = pd.DataFrame([o.distribution for o in odds]).add_prefix("p").fillna(0.0)
    return table.join(chances)


def _spare(route: Route, hand: CardCounts, payment: Payment) -> tuple[str, int]:
    """Return the kind of card played, and the cards left that could pay a surcharge."""
    plays = payment.color or LOCOMOTIVE
    left = as_array(hand - payment.cards)
    return plays, int(rule.spare_cards(left, card_index(plays), int(route.locomotives_allowed)))


class _Piles(NamedTuple):
    """The cards that may be turned over: the pool that the pile is part of, the pile's size, and the discards."""

    pool: CardCounts
    n_pile: int
    discards: CardCounts
    n_unseen: int = 0
    """Discards of unknown kinds, which belong to the pool."""


def _odds_of(route: Route, hand: CardCounts, payment: Payment, piles: _Piles, revealed: int) -> ClaimOdds:
    plays, spare = _spare(route, hand, payment)
    distribution = _exact_surcharge(card_index(plays), piles, revealed)
    success = sum(distribution[: spare + 1])
    weighted = [k * p for k, p in enumerate(distribution)]
    mean, paid = sum(weighted), sum(weighted[: spare + 1])
    return ClaimOdds(
        payment=payment,
        plays=plays,
        spare=spare,
        distribution=tuple(float(p) for p in distribution),
        probability=float(success),
        expected_surcharge=float(mean),
        expected_cards=float(payment.n_cards + paid / success) if success else 0.0,
    )


def _exact_surcharge(color: int, piles: _Piles, revealed: int) -> list[Fraction]:
    """Return the distribution of the surcharge, including a reshuffle if the pile is too small."""
    pool, n_pile, discards, n_unseen = piles
    n_discards = discards.n_cards + n_unseen
    from_pile = min(revealed, n_pile)
    more = int(rule.n_turned_over(n_pile, n_discards, revealed)) - from_pile
    matching, matching_discards = (int(rule.matching_cards(as_array(cards), color)) for cards in (pool, discards))
    total = [Fraction(0)] * (revealed + 1)
    # Unseen discards that are turned over are a random choice from the pool, like more cards of the pile.
    for unseen, chance in enumerate(hypergeometric(n_unseen, n_discards, more)):
        if not chance:
            continue
        pool_odds = hypergeometric(matching, pool.n_cards, from_pile + unseen)
        discard_odds = hypergeometric(matching_discards, discards.n_cards, more - unseen)
        for i, p in enumerate(pool_odds):
            for j, q in enumerate(discard_odds):
                total[i + j] += chance * p * q
    return total[: from_pile + more + 1]


def _known_cards(
    route: Route, hand: Cards, pool: Cards | None, n_pile: int | None, discards: Cards | None, revealed: int
) -> tuple[CardCounts, CardCounts, int, CardCounts]:
    """Return hand, pool, size of the pile and discards, checked."""
    _check_tunnel(route)
    hand = CardCounts.coerce(hand)
    discarded = CardCounts.coerce(discards if discards is not None else ())
    pool = pool_from_seen(hand, discarded) if pool is None else CardCounts.coerce(pool)
    n_pile = pile_size(n_pile, pool)
    _check_revealed(revealed)
    if discards is None and n_pile < revealed:
        raise ValueError(
            f"the pile has {n_pile} cards, fewer than the {revealed} to turn over: "
            "the discards are shuffled, so give `discards` (() if there are none)"
        )
    return hand, pool, n_pile, discarded


def _check_tunnel(route: Route) -> None:
    check_route(route)
    if not route.tunnel:
        raise ValueError(f"{route} is not a tunnel: there is no surcharge, so any claim that you can pay for succeeds")


def _check_matching(matching: int, unseen: int, revealed: int) -> None:
    if not 0 <= matching <= unseen:
        raise ValueError(f"matching must be between 0 and unseen ({unseen}), got {matching}")
    _check_revealed(revealed)


def _check_revealed(revealed: int) -> None:
    if revealed < 0:
        raise ValueError(f"the number of cards turned over must be 0 or more, got {revealed}")


# -- how many spare cards to hold before trying a tunnel -----------------------------------------------------------


def spare_cards(
    route: Route,
    *,
    plays: str | None = None,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
    deck: CardCounts = FULL_DECK,
) -> pd.DataFrame:
    """
    Return the odds of claiming a tunnel by the number of spare cards held. Exact.

    Parameters
    ----------
    plays
        Color played (by default the route's), or "locomotive".
    pool
        Cards the draw pile may hold; by default the deck without the discards
        and the cards held, which are all of the kind played.
    n_pile, discards, revealed
        As for `claim_odds`.
    deck
        All cards of the game: `game_map.rules.deck`.

    Returns
    -------
    table
        Indexed by `spare` (cards), from 0 to `revealed` or the most that the deck allows:
        `probability` of a successful claim, and `gain`, what the last spare card adds.

    Raises
    ------
    ValueError
        If the route is not a tunnel, the color does not pay for it, or the color is
        missing (a gray route with a pool given).

    Examples
    --------
    >>> table = spare_cards(ttr.load_map("nordic").route("Oslo", "Lillehammer"))
    >>> print(table.round(3).reset_index().to_string(index=False))
     spare  probability  gain
         0        0.467 0.467
         1        0.884 0.417
         2        0.992 0.108
         3        1.000 0.008
    """
    import pandas as pd

    _check_tunnel(route)
    plays = _color_played(route, plays, symmetric=pool is None)
    discarded = CardCounts.coerce(discards or ())
    rows = []
    before = 0.0
    for spare in range(revealed + 1):
        held = CardCounts.coerce({plays: route.length + spare})
        if pool is None and not held + discarded <= deck:
            break  # nobody can hold more
        seen = CardCounts.coerce(pool) if pool is not None else pool_from_seen(held, discarded, deck=deck)
        _, seen, n, _ = _known_cards(route, held, seen, n_pile, discards, revealed)
        p = float(sum(_exact_surcharge(card_index(plays), _Piles(seen, n, discarded), revealed)[: spare + 1]))
        rows.append((spare, p, p - before))
        before = p
    return pd.DataFrame(rows, columns=["spare", "probability", "gain"]).set_index("spare")


def spare_needed(
    route: Route,
    probability: float = 0.9,
    *,
    plays: str | None = None,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
    deck: CardCounts = FULL_DECK,
) -> int:
    """
    Return how many spare cards to hold for a desired probability. Exact.

    Parameters
    ----------
    route, plays, pool, n_pile, discards, revealed, deck
        As for `spare_cards`.
    probability
        Desired probability, 0 to 1.

    Raises
    ------
    ValueError
        Also if the deck has too few cards for this probability.

    Examples
    --------
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> spare_needed(tunnel), spare_needed(tunnel, plays="locomotive")
    (2, 1)
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability must be from 0 to 1, got {probability}")
    table = spare_cards(route, plays=plays, pool=pool, n_pile=n_pile, discards=discards, revealed=revealed, deck=deck)
    if not (enough := table.index[table["probability"] >= probability - 1e-12].tolist()):
        highest = max(table["probability"], default=0)
        raise ValueError(f"the deck has too few cards for a probability of {probability}: the highest is {highest:.3g}")
    return int(enough[0])


def _color_played(route: Route, plays: str | None, *, symmetric: bool) -> str:
    if plays is None:
        if route.color != GRAY:
            return route.color
        if symmetric:
            # Without any knowledge, all colors are equivalent.
            return COLORS[0]
        raise ValueError(f"{route} may be paid in any color: choose one with `plays`")
    plays = kind_name("kind of card", plays)
    if plays != LOCOMOTIVE and route.color not in (GRAY, plays):
        raise ValueError(f"{route} is paid in {route.color} or locomotives, not in {plays}")
    if plays == LOCOMOTIVE and not route.locomotives_allowed:
        raise ValueError(f"{route} cannot be paid with locomotives alone: they are not wild on it")
    return plays


def simulate_surcharges(
    matching: int, unseen: int, n: int, rng: np.random.Generator, *, revealed: int = 3
) -> tuple[Estimate, ...]:
    """
    Estimate the probability of each tunnel surcharge by simulating claims card by card.

    Parameters
    ----------
    matching, unseen, revealed
        As for `surcharge_distribution`.

    Returns
    -------
    shares
        `shares[k]`: probability that exactly `k` cards match.

    Raises
    ------
    ValueError
        If `matching` is not between 0 and `unseen`, or `n` below 1.

    Examples
    --------
    >>> shares = simulate_surcharges(26, 110, 100_000, np.random.default_rng(7))
    >>> abs(shares[0].value - 0.4415) < 4 * shares[0].standard_error
    True
    """
    _check_matching(matching, unseen, revealed)
    check_samples(n)
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
    Estimate the probability of claiming a tunnel by simulation.

    Parameters
    ----------
    payment
        Cards laid down for the route's spaces, part of the hand.
    route, hand, pool, n_pile, discards, revealed
        As for `claim_odds`.

    Raises
    ------
    ValueError
        If the payment is illegal or not in the hand; or as for `claim_odds`.

    Examples
    --------
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> share = simulate_claim(tunnel, {"purple": 2}, {"purple": 3}, 100_000, np.random.default_rng(7))
    >>> abs(share.value - ttr.tunnels.best_payment(tunnel, {"purple": 3}).probability) < 4 * share.standard_error
    True
    """
    hand, pool, n_pile, discards = _known_cards(route, hand, pool, n_pile, discards, revealed)
    check_samples(n)
    reason = why_illegal(route, payment)
    if reason is not None:
        raise ValueError(reason)
    payment = payment if isinstance(payment, Payment) else from_cards(route, payment)
    plays, spare = _spare(route, hand, payment)
    matching = sorted({card_index(plays), LOCOMOTIVE_INDEX})
    from_pile = min(revealed, n_pile)
    turned = rng.multivariate_hypergeometric(pool.counts, from_pile, size=n, method="count")
    more = min(revealed - from_pile, discards.n_cards)
    turned = turned + rng.multivariate_hypergeometric(discards.counts, more, size=n, method="count")
    return Estimate.of_share(int((turned[:, matching].sum(axis=1) <= spare).sum()), n)
