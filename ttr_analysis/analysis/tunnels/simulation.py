"""Monte Carlo for tunnels: one surcharge, one claim, and several routes in a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis._arrays import Ints, same_fields
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import add_cards, copy_cards, count_cards, draw_card, remove_cards
from ttr_analysis.analysis.payments import Cards, Payment, from_cards, why_illegal
from ttr_analysis.analysis.payments.expected import BASE_RULES
from ttr_analysis.analysis.payments.model import RouteColumns, as_array, cards_wanted, route_columns, spaces_in
from ttr_analysis.analysis.tunnels.odds import check_matching, known_cards
from ttr_analysis.analysis.waiting import Estimate
from ttr_analysis.cards import LOCOMOTIVE, LOCOMOTIVE_INDEX, N_KINDS, CardCounts, card_index
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, fill_sets, form_sets
from ttr_analysis.rules.tunnel import (
    claim_probability,
    matching_cards,
    spare_cards,
)

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


@dataclass(frozen=True, slots=True, eq=False)
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

    def __eq__(self, other: object) -> bool:
        """Return whether all is the same, tables too."""
        return same_fields(self, other)

    __hash__ = None  # type: ignore[assignment] # tables can change

    @property
    def success(self) -> Estimate:
        """Probability that all routes are claimed."""
        return self.n_claimed[-1]

    def __str__(self) -> str:
        """Return the odds of all routes."""
        n = len(self.table)
        return f"{f'all {n} routes' if n > 1 else 'the route'}: {self.success}"

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
    rules: RulesLike = BASE_RULES,
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
        not given. Give the map, or `game_map.rules`.
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
    later routes need (the color of a colored route for its plain spaces,
    locomotives for its symbols), then takes the fewest locomotives, then the
    fewest cards. A surcharge is paid whenever it can be, with color cards
    rather than locomotives unless later routes need them. The first route that
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
    routes, rules = list(routes), as_rules(rules)
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
    path = Path(
        route_columns(routes),
        np.array([r.tunnel * rules.tunnel.revealed for r in routes], dtype=np.int64),
        np.array([cards_wanted(routes[i + 1 :]).counts for i in range(len(routes))], dtype=np.int64),
        attempts,
        int(rules.cards.reshuffle == "at_once"),
    )
    cards = HandAndPiles(as_array(hand), as_array(pool), n_pile, as_array(discards))
    simulate_paths(stream_from(rng), path, cards, results)
    return _summary(routes, results)


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


# -- compiled play of several routes claimed one after another -----------------------------------------------------

N_RESULTS = 3
"""Columns of the results before those of the routes: routes claimed, turns, cards spent."""

_NO_PAYMENT = -1


class Path(NamedTuple):
    """
    What the player is up to.

    Parameters
    ----------
    routes
        The routes in order, as by `route_columns`.
    revealed
        Cards turned over for each: 0 unless it is a tunnel.
    wanted
        Cards to keep for later routes, one row for each route.
    attempts
        How often a tunnel is tried.
    at_once
        1 if the discards are shuffled as soon as the pile runs out.
    """

    routes: RouteColumns
    revealed: Ints
    wanted: Ints
    attempts: int
    at_once: int


class HandAndPiles(NamedTuple):
    """Cards held, those that the pile may hold, how many it holds, and those of the discard pile."""

    hand: Ints
    pool: Ints
    n_pile: int
    discards: Ints


@compiled
def simulate_paths(stream: Ints, path: Path, start: HandAndPiles, results: Ints) -> None:
    """
    Claim the routes in order, once for each row of the results.

    Parameters
    ----------
    stream
        Random stream, as in `ttr_analysis.rules.chance`; moved on.
    path
        The routes.
    start
        The cards before the first claim.
    results
        Filled, one row for each game: routes claimed, turns, cards spent, and
        for each route its attempts and its surcharge.
    """
    for game in range(results.shape[0]):
        cards = HandAndPiles(start.hand.copy(), start.pool.copy(), start.n_pile, start.discards.copy())
        _play(stream, path, cards, results[game])


@compiled
def _play(stream: Ints, path: Path, cards: HandAndPiles, result: Ints) -> None:
    hand, discards = cards.hand, cards.discards
    laid = np.zeros(N_KINDS, dtype=np.int64)
    turned = np.zeros(N_KINDS, dtype=np.int64)
    paid = np.zeros(N_KINDS, dtype=np.int64)
    for i in range(path.routes.color.size):
        at = N_RESULTS + 2 * i
        spaces, wanted, revealed = spaces_in(path.routes, i), path.wanted[i], path.revealed[i]
        claimed = False
        while not claimed and result[at] < path.attempts:
            color = choose_payment(path.routes.color[i], spaces, wanted, revealed, cards, laid)
            if color == _NO_PAYMENT:
                return
            result[1] += 1
            result[at] += 1
            remove_cards(laid, hand)
            n_pile = _turn_over(stream, cards, revealed, path.at_once, turned)
            cards = HandAndPiles(hand, cards.pool, n_pile, discards)
            surcharge = matching_cards(turned, color)
            claimed = surcharge <= spare_cards(hand, color, spaces.jokers)
            if claimed:
                _pay(hand, color, spaces.jokers, surcharge, wanted, paid)
                add_cards(laid, discards)
                add_cards(paid, discards)
                result[0] += 1
                result[2] += count_cards(laid) + surcharge
                result[at + 1] = surcharge
            else:
                add_cards(laid, hand)
            add_cards(turned, discards)
        if not claimed:
            return


@compiled
def _turn_over(stream: Ints, cards: HandAndPiles, revealed: int, at_once: int, turned: Ints) -> int:
    """
    Turn over cards of the pile; return how many the pile then holds.

    Each card is a random one of the pool, as the pile is a random part of it.
    After a reshuffle the pool is what was in the discard pile.
    """
    n_pile = cards.n_pile
    turned.fill(0)
    for _ in range(revealed):
        if n_pile == 0:
            n_pile = _reshuffle(cards.pool, cards.discards)
        if n_pile == 0:
            return 0
        turned[draw_card(cards.pool, stream)] += 1
        n_pile -= 1
        if n_pile == 0 and at_once:
            n_pile = _reshuffle(cards.pool, cards.discards)
    return n_pile


@compiled
def _reshuffle(pool: Ints, discards: Ints) -> int:
    copy_cards(discards, pool)
    discards.fill(0)
    return int(count_cards(pool))


@compiled
def _pay(hand: Ints, color: int, jokers: int, surcharge: int, wanted: Ints, paid: Ints) -> None:
    """Pay a surcharge from the hand: color cards first, but rather what later routes do not need."""
    usable = np.zeros(N_KINDS, dtype=np.int64)
    usable[color] = hand[color]
    if jokers:
        usable[LOCOMOTIVE_INDEX] = hand[LOCOMOTIVE_INDEX]
    rank = np.zeros(N_KINDS, dtype=np.int64)
    rank[LOCOMOTIVE_INDEX] = 1
    fill_sets(usable, surcharge, rank, wanted, paid)
    remove_cards(paid, hand)


@compiled
def choose_payment(
    route_color: int, spaces: Spaces, wanted: Ints, revealed: int, held: HandAndPiles, laid: Ints
) -> int:
    """
    Choose the cards for a route; return the color played, -1 if none pay.

    Parameters
    ----------
    route_color, spaces
        The route.
    wanted
        Cards to keep if possible.
    revealed
        Cards that are then turned over: 0 unless it is a tunnel.
    held
        The hand, and the piles, which the odds of a tunnel depend on.
    laid
        Filled with the cards to lay down.

    Notes
    -----
    Best odds first, then the fewest wanted cards broken into, then the fewest
    locomotives, then the fewest cards, then the first color.
    """
    hand = held.hand
    best = _NO_PAYMENT
    best_odds = -1.0
    best_cost = np.zeros(3, dtype=np.int64)
    cost = np.zeros(3, dtype=np.int64)
    cards = np.zeros(N_KINDS, dtype=np.int64)
    n_cards = count_cards(hand)
    for kind in range(N_KINDS):
        # The last kind stands for no color cards at all.
        alone = kind == LOCOMOTIVE_INDEX
        if not alone and route_color not in (kind, GRAY_INDEX):
            continue
        for own in range(0 if alone else 1, (0 if alone else min(hand[kind], spaces.plain)) + 1):
            for locomotives in range(min(hand[LOCOMOTIVE_INDEX], spaces.plain + spaces.symbols - own) + 1):
                n_sets = form_sets(spaces, own, locomotives)
                if n_sets < 0 or n_sets * spaces.swap_size > n_cards - own - locomotives:
                    continue
                _lay_out(hand, kind, own, locomotives, n_sets * spaces.swap_size, wanted, cards)
                odds = 1.0
                if revealed > 0:
                    odds = _odds(held, cards, kind, spaces.jokers, revealed)
                _cost(hand, cards, wanted, cost)
                if odds > best_odds + 1e-12 or (odds > best_odds - 1e-12 and _is_less(cost, best_cost)):
                    best = kind
                    best_odds = odds
                    for part in range(cost.size):
                        best_cost[part] = cost[part]
                    copy_cards(cards, laid)
    return best


@compiled
def _lay_out(hand: Ints, kind: int, own: int, locomotives: int, in_sets: int, wanted: Ints, cards: Ints) -> None:
    """Fill `cards` with single cards and the cards of the sets."""
    left = hand.copy()
    left[kind] -= own
    left[LOCOMOTIVE_INDEX] -= locomotives
    rank = np.zeros(N_KINDS, dtype=np.int64)
    rank[LOCOMOTIVE_INDEX] = 1
    fill_sets(left, in_sets, rank, wanted, cards)
    cards[kind] += own
    cards[LOCOMOTIVE_INDEX] += locomotives


@compiled
def _odds(held: HandAndPiles, laid: Ints, color: int, jokers: int, revealed: int) -> float:
    left = held.hand.copy()
    remove_cards(laid, left)
    return claim_probability(
        spare_cards(left, color, jokers),
        matching_cards(held.pool, color),
        count_cards(held.pool),
        held.n_pile,
        matching_cards(held.discards, color),
        count_cards(held.discards),
        revealed,
    )


@compiled
def _cost(hand: Ints, cards: Ints, wanted: Ints, cost: Ints) -> None:
    cost.fill(0)
    for kind in range(N_KINDS):
        cost[0] += max(0, min(wanted[kind], hand[kind]) - (hand[kind] - cards[kind]))
    cost[1] = cards[LOCOMOTIVE_INDEX]
    cost[2] = count_cards(cards)


@compiled
def _is_less(a: Ints, b: Ints) -> bool:
    for i in range(a.size):
        if a[i] != b[i]:
            return bool(a[i] < b[i])
    return False
