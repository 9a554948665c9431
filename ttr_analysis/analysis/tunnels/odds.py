"""Exact odds of tunnels: the surcharge, whether a claim succeeds, and how many spare cards to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from ttr_analysis.analysis.payments import Cards, Payment, options
from ttr_analysis.analysis.payments.model import as_array
from ttr_analysis.cards import COLORS, FULL_DECK, GRAY, LOCOMOTIVE, CardCounts, card_index, kind_name
from ttr_analysis.maps.model import Route, check_route
from ttr_analysis.rules import tunnel as rule

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class ClaimOdds:
    """
    The odds of one payment for a tunnel.

    Parameters
    ----------
    payment
        The cards laid down for the length.
    plays
        The color played; "locomotive" if only locomotives are laid down.
    spare
        Cards of the hand that could pay a surcharge.
    distribution
        `distribution[k]`: probability that the surcharge is `k` cards.
    probability
        Probability that the spare cards pay it.
    expected_surcharge
        Mean surcharge, whether it can be paid or not.
    expected_cards
        Mean number of cards spent if the claim succeeds, the surcharge
        included; 0 if it cannot succeed.
    """

    payment: Payment
    plays: str
    spare: int
    distribution: tuple[float, ...]
    probability: float
    expected_surcharge: float
    expected_cards: float

    def __str__(self) -> str:
        """Return the payment with its odds."""
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
        Unseen cards that match, locomotives included. Count the locomotives
        only if the tunnel is paid with locomotives alone.
    unseen
        Cards that the draw pile may hold: all that were not seen since the
        last shuffle. The pile itself may be smaller, as others hold some.
    revealed
        Cards turned over. Fewer are turned over if fewer are unseen.

    Returns
    -------
    distribution
        `distribution[k]` is the probability that exactly `k` cards match.

    Raises
    ------
    ValueError
        If `matching` is not between 0 and `unseen`, or `revealed` below 0.

    Notes
    -----
    In time linear in `revealed`.

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
    check_matching(matching, unseen, revealed)
    return tuple(float(p) for p in _exact_distribution(matching, unseen, min(revealed, unseen)))


def pool_from_seen(*seen: Cards, deck: CardCounts = FULL_DECK) -> CardCounts:
    """
    Return the cards that the draw pile may hold: those not seen.

    Parameters
    ----------
    *seen
        Cards seen: the own hand, the market, the discards, and what others
        took openly and still hold.
    deck
        All cards of the game: `game_map.rules.deck`.

    Raises
    ------
    ValueError
        If more cards of a kind were seen than there are.

    Notes
    -----
    After a reshuffle the pile consists of the discards of that moment: then
    they, less the cards seen since, are the pool.

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
    revealed: int = 3,
) -> tuple[ClaimOdds, ...]:
    """
    Return the odds that a tunnel is claimed, for every payment. Exact.

    Parameters
    ----------
    route
        A tunnel of any map.
    hand
        Cards held.
    pool
        The cards that the draw pile may hold: see `pool_from_seen`. If not
        given, the deck without the hand, and without the discards if these
        are given.
    n_pile
        Cards in the draw pile; all of the pool if not given.
    discards
        Cards of the discard pile, before the claim. Wanted if the pile is
        smaller than `revealed`: then they are shuffled, without the cards
        laid down, and the rest is turned over from them.
    revealed
        Cards turned over: `game_map.rules.tunnel.revealed`. If pile and
        discards together hold fewer, all of them are turned over.

    Returns
    -------
    odds
        One for each payment, the best first: the most probable, then the one
        with the fewest locomotives, then with the smallest surcharge. None if
        the hand does not pay for the length.

    Raises
    ------
    ValueError
        If the route is no tunnel, the pile larger than the pool, or the pile
        too small and `discards` not given.

    Notes
    -----
    Locomotives laid down beside color cards change nothing about the odds:
    what is laid down is not spare, whichever it is. Locomotives alone do:
    then only locomotives match.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> for odds in claim_odds(tunnel, {"purple": 2, "locomotive": 2}):
    ...     print(odds)
    2 purple: 99.2% with 2 spare, exact
    1 purple, 1 locomotive: 99.2% with 2 spare, exact
    2 locomotives: 69.5% with 0 spare, exact
    """
    hand, pool, n_pile, discards = known_cards(route, hand, pool, n_pile, discards, revealed)
    found = [_odds_of(route, hand, payment, pool, n_pile, discards, revealed) for payment in options(route, hand)]
    return tuple(sorted(found, key=_worse))


def best_payment(
    route: Route,
    hand: Cards,
    *,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
) -> ClaimOdds | None:
    """
    Return the payment with the best odds to claim a tunnel; None if there is none.

    Parameters
    ----------
    route, hand, pool, n_pile, discards, revealed
        As of `claim_odds`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> print(best_payment(tunnel, {"purple": 2, "locomotive": 2}))
    2 purple: 99.2% with 2 spare, exact
    """
    odds = claim_odds(route, hand, pool=pool, n_pile=n_pile, discards=discards, revealed=revealed)
    return odds[0] if odds else None


def odds_table(odds: Sequence[ClaimOdds]) -> pd.DataFrame:
    """
    Return the odds of payments as a table.

    Parameters
    ----------
    odds
        From `claim_odds`.

    Returns
    -------
    table
        In the order given: `plays` (color or "locomotive"), `own` and
        `locomotives` (cards laid down), `spare` (cards), `probability`,
        `expected_surcharge` and `expected_cards` (cards), and `p0`, `p1` and
        so on, the probability of each surcharge. All exact.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> table = odds_table(claim_odds(tunnel, {"purple": 2, "locomotive": 2}))
    >>> print(table[["plays", "own", "locomotives", "spare"]].to_string(index=False))
         plays  own  locomotives  spare
        purple    2            0      2
        purple    1            1      2
    locomotive    0            2      0
    """
    import pandas as pd

    n = max((len(o.distribution) for o in odds), default=0)
    columns = ["plays", "own", "locomotives", "spare", "probability", "expected_surcharge", "expected_cards"]
    rows = [
        (
            o.plays,
            o.payment.own,
            o.payment.locomotives,
            o.spare,
            o.probability,
            o.expected_surcharge,
            o.expected_cards,
            *o.distribution,
            *[0.0] * (n - len(o.distribution)),
        )
        for o in odds
    ]
    return pd.DataFrame(rows, columns=[*columns, *(f"p{k}" for k in range(n))])


def _odds_of(
    route: Route,
    hand: CardCounts,
    payment: Payment,
    pool: CardCounts,
    n_pile: int,
    discards: CardCounts,
    revealed: int,
) -> ClaimOdds:
    plays = payment.color or LOCOMOTIVE
    left = as_array(hand - payment.cards)
    spare = int(rule.spare_cards(left, card_index(plays), int(route.locomotives_allowed)))
    distribution = exact_surcharge(card_index(plays), pool, n_pile, discards, revealed)
    success = sum(distribution[: spare + 1])
    mean = sum(k * p for k, p in enumerate(distribution))
    paid = sum(k * p for k, p in enumerate(distribution[: spare + 1]))
    return ClaimOdds(
        payment=payment,
        plays=plays,
        spare=spare,
        distribution=tuple(float(p) for p in distribution),
        probability=float(success),
        expected_surcharge=float(mean),
        expected_cards=float(payment.n_cards + paid / success) if success else 0.0,
    )


def _worse(odds: ClaimOdds) -> tuple[float, int, float, int]:
    return -odds.probability, odds.payment.locomotives, odds.expected_surcharge, -odds.spare


def exact_surcharge(color: int, pool: CardCounts, n_pile: int, discards: CardCounts, revealed: int) -> list[Fraction]:
    """Return the distribution of the surcharge, through a reshuffle if the pile is too small."""
    from_pile = min(revealed, n_pile)
    from_discards = int(rule.n_turned_over(n_pile, discards.n_cards, revealed)) - from_pile
    first = _exact_distribution(int(rule.matching_cards(as_array(pool), color)), pool.n_cards, from_pile)
    second = _exact_distribution(int(rule.matching_cards(as_array(discards), color)), discards.n_cards, from_discards)
    total = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            total[i + j] += p * q
    return total


def _exact_distribution(matching: int, unseen: int, n: int) -> list[Fraction]:
    ways = comb(unseen, n)
    return [Fraction(comb(matching, k) * comb(unseen - matching, n - k), ways) for k in range(n + 1)]


def known_cards(
    route: Route, hand: Cards, pool: Cards | None, n_pile: int | None, discards: Cards | None, revealed: int
) -> tuple[CardCounts, CardCounts, int, CardCounts]:
    """Return hand, pool, size of the pile and discards, checked."""
    check_tunnel(route)
    hand = CardCounts.coerce(hand)
    thrown = CardCounts.coerce(discards if discards is not None else ())
    pool = pool_from_seen(hand, thrown) if pool is None else CardCounts.coerce(pool)
    n_pile = pool.n_cards if n_pile is None else n_pile
    if not 0 <= n_pile <= pool.n_cards:
        msg = f"the pile holds from 0 to the {pool.n_cards} cards of the pool, got {n_pile}"
        raise ValueError(msg)
    if revealed < 0:
        msg = f"the number of cards turned over must be 0 or more, got {revealed}"
        raise ValueError(msg)
    if discards is None and n_pile < revealed:
        msg = (
            f"the pile has {n_pile} cards, fewer than the {revealed} to turn over: "
            "the discards are shuffled, so give `discards` (() if there are none)"
        )
        raise ValueError(msg)
    return hand, pool, n_pile, thrown


def check_tunnel(route: Route) -> None:
    """Refuse a route that is no tunnel, and what is no route."""
    check_route(route)
    if not route.tunnel:
        msg = f"{route} is no tunnel: no surcharge, and a claim that is paid succeeds"
        raise ValueError(msg)


def check_matching(matching: int, unseen: int, revealed: int) -> None:
    """Refuse numbers of cards that cannot be."""
    if not 0 <= matching <= unseen:
        msg = f"matching must be between 0 and unseen ({unseen}), got {matching}"
        raise ValueError(msg)
    if revealed < 0:
        msg = f"the number of cards turned over must be 0 or more, got {revealed}"
        raise ValueError(msg)


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
    Return the odds to claim a tunnel, by the number of spare cards held. Exact.

    Parameters
    ----------
    route
        A tunnel of any map.
    plays
        The color played, or "locomotive" for locomotives alone; the color of
        the route if not given.
    pool
        The cards that the draw pile may hold. If not given, the deck without
        the cards for the length and the spare cards, all of the kind played,
        and without the discards, if they are given: nothing else is known.
    n_pile, discards, revealed
        As of `claim_odds`.
    deck
        All cards of the game: `game_map.rules.deck`.

    Returns
    -------
    table
        Indexed by `spare` (cards), 0 to `revealed`: `probability` that the
        claim succeeds, and `gain`, what the last of the spare cards adds.

    Raises
    ------
    ValueError
        If the route is no tunnel, or a color does not pay for it; if the
        color is wanted (a gray route with a pool given) and not said.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> table = spare_cards(ttr.load_map("nordic").route("Oslo", "Lillehammer"))
    >>> print(table.round(3).reset_index().to_string(index=False))
     spare  probability  gain
         0        0.467 0.467
         1        0.884 0.417
         2        0.992 0.108
         3        1.000 0.008
    """
    import pandas as pd

    check_tunnel(route)
    plays = _color_played(route, plays, symmetric=pool is None)
    thrown_before = CardCounts.coerce(discards or ())
    rows = []
    before = 0.0
    for spare in range(revealed + 1):
        held = CardCounts.coerce({plays: route.length + spare})
        if pool is None and not held + thrown_before <= deck:
            break  # nobody can hold so many
        seen = CardCounts.coerce(pool) if pool is not None else pool_from_seen(held, thrown_before, deck=deck)
        _, seen, n, thrown = known_cards(route, held, seen, n_pile, discards, revealed)
        p = float(sum(exact_surcharge(card_index(plays), seen, n, thrown, revealed)[: spare + 1]))
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
    Return how many spare cards to hold before trying a tunnel. Exact.

    Parameters
    ----------
    route
        A tunnel of any map.
    probability
        The odds wanted.
    plays, pool, n_pile, discards, revealed, deck
        As of `spare_cards`.

    Raises
    ------
    ValueError
        If `probability` is not between 0 and 1.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> spare_needed(tunnel), spare_needed(tunnel, plays="locomotive")
    (2, 1)
    """
    if not 0 <= probability <= 1:
        msg = f"a probability is from 0 to 1, got {probability}"
        raise ValueError(msg)
    table = spare_cards(route, plays=plays, pool=pool, n_pile=n_pile, discards=discards, revealed=revealed, deck=deck)
    return int((table["probability"] >= probability - 1e-12).to_numpy().argmax())


def _color_played(route: Route, plays: str | None, *, symmetric: bool) -> str:
    """Return the color played, checked against the route."""
    if plays is None:
        if route.color != GRAY:
            return route.color
        if symmetric:
            # Without any knowledge one color is as good as another.
            return COLORS[0]
        msg = f"{route} may be played in any color: say which with `plays`"
        raise ValueError(msg)
    plays = kind_name("kind of card", plays)
    if plays != LOCOMOTIVE and route.color not in (GRAY, plays):
        msg = f"{route} is paid in {route.color} or locomotives, not in {plays}"
        raise ValueError(msg)
    if plays == LOCOMOTIVE and not route.locomotives_allowed:
        msg = f"{route} cannot be paid with locomotives alone: they are no jokers on it"
        raise ValueError(msg)
    return plays
