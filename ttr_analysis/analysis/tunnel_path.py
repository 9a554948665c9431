"""Simulate claiming several routes in a row, including tunnels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttr_analysis._compile import Ints, compiled
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.analysis.payments.expected import BASE_RULES, hand_and_pool, pile_size
from ttr_analysis.analysis.payments.model import RouteColumns, as_array, cards_wanted, route_columns, spaces_in
from ttr_analysis.analysis.waiting import Estimate, check_samples
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS, CardCounts
from ttr_analysis.maps.loading import RulesLike, as_rules
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import tunnel as rule
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.market import add_cards, count_cards, draw_card, remove_cards
from ttr_analysis.rules.payment import GRAY_INDEX, Spaces, fill_sets, form_sets, lay_cards

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class PathSimulation:
    """
    Results of claiming several routes in a row, over many games.

    Parameters
    ----------
    table
        One row for each route in order: `route`, `claimed` (probability, with
        all before it), `first_try` (probability at the first attempt) and
        `surcharge` (mean cards, if claimed), each with its standard error
        (`claimed_se` and so on).
    n_claimed
        `n_claimed[k]`: probability of exactly the first `k` routes.
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
        from ttr_analysis._notebook import same_fields  # it loads pandas

        return same_fields(self, other)

    __hash__ = None  # type: ignore[assignment] # tables can change

    @property
    def success(self) -> Estimate:
        """Probability that all routes are claimed."""
        return self.n_claimed[-1]

    def __str__(self) -> str:
        n = len(self.table)
        return f"{f'all {n} routes' if n > 1 else 'the route'}: {self.success}"

    def __repr__(self) -> str:
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
    Return how often a hand can claim several routes in a row, including tunnels.

    Parameters
    ----------
    routes
        Routes of any map, in the order of claiming.
    pool
        Cards that the draw pile may hold; by default the deck without hand and
        discards.
    n_pile
        Cards in the draw pile; by default the whole pool. The other cards of the pool are
        in hands that do not change.
    discards
        Discard pile at the start.
    rules
        Map or rule set, for its deck, tunnels and reshuffle.
    attempts
        Attempts at a tunnel before giving up.

    Raises
    ------
    ValueError
        If no route is given, or `n` or `attempts` is below 1.

    Notes
    -----
    Monte Carlo, since each claim changes hand, pile and discards for the next. Nobody draws
    or claims in between; an empty pile is refilled from the discards, without the cards laid
    down. The player chooses the payment with the best odds, given the cards seen; ties go to
    the fewest cards that later routes need (their color for plain spaces, locomotives for
    symbols), then the fewest locomotives, then the fewest cards. A surcharge is paid
    whenever possible, with color cards before locomotives unless later routes need them. The
    path ends with the first route that is not claimed.

    Examples
    --------
    Two tunnels of length 2, with one spare card for each:

    >>> nordic = ttr.load_map("nordic")
    >>> tunnels = [nordic.route("Oslo", "Lillehammer"), nordic.route("Lillehammer", "Åndalsnes")]
    >>> hand = {"purple": 3, "yellow": 3}
    >>> path = simulate_path(tunnels, hand, 20_000, np.random.default_rng(7), rules=nordic.rules)
    >>> 0.74 < path.success.value < 0.80
    True
    """
    routes, rules = list(routes), as_rules(rules)
    discards = CardCounts.coerce(discards)
    hand, pool = hand_and_pool(hand, pool, rules, discards)
    if not routes:
        raise ValueError("expected at least one route")
    check_samples(n)
    if attempts < 1:
        raise ValueError(f"the number of attempts must be 1 or more, got {attempts}")
    results = np.zeros((n, _N_RESULTS + 2 * len(routes)), dtype=np.int64)
    path = _Path(
        route_columns(routes),
        np.array([r.tunnel * rules.tunnel.revealed for r in routes], dtype=np.int64),
        np.array([cards_wanted(routes[i + 1 :]).counts for i in range(len(routes))], dtype=np.int64),
        attempts,
        int(rules.cards.reshuffle == "at_once"),
    )
    cards = _Cards(as_array(hand), as_array(pool), pile_size(n_pile, pool), as_array(discards))
    _simulate(stream_from(rng), path, cards, results)
    return _summary(routes, results)


def _summary(routes: list[Route], results: Ints) -> PathSimulation:
    import pandas as pd

    n = len(results)
    claimed, turns, cards = results[:, 0], results[:, 1], results[:, 2]
    rows = []
    for i, route in enumerate(routes):
        attempts, surcharge = results[:, _N_RESULTS + 2 * i], results[:, _N_RESULTS + 2 * i + 1]
        done = claimed > i
        estimates = (
            Estimate.of_share(int(done.sum()), n),
            Estimate.of_share(int((done & (attempts == 1)).sum()), n),
            _mean(surcharge[done]),
        )
        rows.append((str(route), *(x for e in estimates for x in (e.value, e.standard_error))))
    columns = ["route", "claimed", "claimed_se", "first_try", "first_try_se", "surcharge", "surcharge_se"]
    counts = np.bincount(claimed, minlength=len(routes) + 1)
    return PathSimulation(
        pd.DataFrame(rows, columns=columns),
        tuple(Estimate.of_share(int(count), n) for count in counts),
        _mean(turns),
        _mean(cards),
    )


def _mean(values: Ints) -> Estimate:
    if not values.size:
        return Estimate(float("nan"), float("nan"), 0)
    error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")
    return Estimate(float(values.mean()), error, int(values.size))


# -- compiled simulation -------------------------------------------------------------------------------------------

_N_RESULTS = 3
"""Columns before those of the routes: routes claimed, turns, cards spent."""

_NO_PAYMENT = -1


class _Path(NamedTuple):
    """The routes to claim, with their rules."""

    routes: RouteColumns
    revealed: Ints
    """Cards turned over for each route, 0 unless it is a tunnel."""
    wanted: Ints
    """Cards to keep for later routes, a row for each route."""
    attempts: int
    at_once: int
    """1 if the discards are shuffled as soon as the pile runs out."""


class _Cards(NamedTuple):
    """Cards held, cards that the pile may hold, size of the pile, and discards."""

    hand: Ints
    pool: Ints
    n_pile: int
    discards: Ints


@compiled
def _simulate(stream: Ints, path: _Path, start: _Cards, results: Ints) -> None:
    """Fill each row of the results: routes claimed, turns, cards spent, then attempts and surcharge of each route."""
    for game in range(results.shape[0]):
        cards = _Cards(start.hand.copy(), start.pool.copy(), start.n_pile, start.discards.copy())
        _play(stream, path, cards, results[game])


@compiled
def _play(stream: Ints, path: _Path, cards: _Cards, result: Ints) -> None:
    hand, discards = cards.hand, cards.discards
    laid = np.zeros(N_KINDS, dtype=np.int64)
    turned = np.zeros(N_KINDS, dtype=np.int64)
    paid = np.zeros(N_KINDS, dtype=np.int64)
    for i in range(path.routes.color.size):
        at = _N_RESULTS + 2 * i
        spaces, wanted, revealed = spaces_in(path.routes, i), path.wanted[i], path.revealed[i]
        claimed = False
        while not claimed and result[at] < path.attempts:
            color = _choose_payment(path.routes.color[i], spaces, wanted, revealed, cards, laid)
            if color == _NO_PAYMENT:
                return
            result[1] += 1
            result[at] += 1
            remove_cards(laid, hand)
            n_pile = _turn_over(stream, cards, revealed, path.at_once, turned)
            cards = _Cards(hand, cards.pool, n_pile, discards)
            surcharge = rule.matching_cards(turned, color)
            claimed = surcharge <= rule.spare_cards(hand, color, spaces.jokers)
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
def _turn_over(stream: Ints, cards: _Cards, revealed: int, at_once: int, turned: Ints) -> int:
    """Turn over random cards of the pool, part of which is the pile; return the size of the pile afterward."""
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
    pool[:] = discards
    discards.fill(0)
    return int(count_cards(pool))


@compiled
def _pay(hand: Ints, color: int, jokers: int, surcharge: int, wanted: Ints, paid: Ints) -> None:
    """Pay a surcharge from the hand: first with cards that later routes do not need, then with color cards."""
    usable = np.zeros(N_KINDS, dtype=np.int64)
    usable[color] = hand[color]
    if jokers:
        usable[LOCOMOTIVE_INDEX] = hand[LOCOMOTIVE_INDEX]
    rank = np.zeros(N_KINDS, dtype=np.int64)
    rank[LOCOMOTIVE_INDEX] = 1
    fill_sets(usable, surcharge, rank, wanted, paid)
    remove_cards(paid, hand)


@compiled
def _choose_payment(route_color: int, spaces: Spaces, wanted: Ints, revealed: int, held: _Cards, laid: Ints) -> int:
    """Fill in the payment with the best odds, then lowest `_cost`, then first color; return its color, or -1."""
    hand = held.hand
    best = _NO_PAYMENT
    best_odds = -1.0
    best_cost = 0
    cards = np.zeros(N_KINDS, dtype=np.int64)
    n_cards = count_cards(hand)
    for kind in range(N_KINDS):
        # The last kind means no color cards at all.
        alone = kind == LOCOMOTIVE_INDEX
        if not alone and route_color not in (kind, GRAY_INDEX):
            continue
        for own in range(0 if alone else 1, (0 if alone else min(hand[kind], spaces.plain)) + 1):
            for locomotives in range(min(hand[LOCOMOTIVE_INDEX], spaces.plain + spaces.symbols - own) + 1):
                n_sets = form_sets(spaces, own, locomotives)
                if n_sets < 0 or n_sets * spaces.swap_size > n_cards - own - locomotives:
                    continue
                lay_cards(hand, kind, own, locomotives, n_sets * spaces.swap_size, wanted, cards)
                odds = 1.0
                if revealed > 0:
                    odds = _odds(held, cards, kind, spaces.jokers, revealed)
                cost = _cost(hand, cards, wanted)
                if odds > best_odds + 1e-12 or (odds > best_odds - 1e-12 and cost < best_cost):
                    best = kind
                    best_odds = odds
                    best_cost = cost
                    laid[:] = cards
    return best


@compiled
def _odds(held: _Cards, laid: Ints, color: int, jokers: int, revealed: int) -> float:
    left = held.hand.copy()
    remove_cards(laid, left)
    return rule.claim_probability(
        rule.spare_cards(left, color, jokers),
        rule.matching_cards(held.pool, color),
        count_cards(held.pool),
        held.n_pile,
        rule.matching_cards(held.discards, color),
        count_cards(held.discards),
        revealed,
    )


@compiled
def _cost(hand: Ints, cards: Ints, wanted: Ints) -> int:
    """Return a number that orders payments by cards needed later, then by locomotives, then by all cards."""
    n_needed_later = 0
    for kind in range(N_KINDS):
        n_needed_later += max(0, min(wanted[kind], hand[kind]) - (hand[kind] - cards[kind]))
    return int((n_needed_later << 20) + (cards[LOCOMOTIVE_INDEX] << 10) + count_cards(cards))
