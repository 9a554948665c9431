"""Compiled play of several routes claimed one after another."""

from __future__ import annotations

import numpy as np

from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import add_cards, copy_cards, count_cards, draw_card, remove_cards
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_KINDS
from ttr_analysis.rules.payment import GRAY_INDEX, Ints, fill_sets, form_sets
from ttr_analysis.rules.tunnel import (
    claim_probability,
    matching_cards,
    spare_cards,
)

N_RESULTS = 3
"""Columns of the results before those of the routes: routes claimed, turns, cards spent."""

_NO_PAYMENT = -1


@compiled
def simulate_paths(
    stream: Ints,
    routes: Ints,
    tunnel: Ints,
    wanted: Ints,
    hand: Ints,
    pool: Ints,
    n_pile: int,
    discards: Ints,
    revealed: int,
    attempts: int,
    at_once: int,
    results: Ints,
) -> None:
    """
    Claim the routes in order, once for each row of the results.

    Parameters
    ----------
    stream
        Random stream, as in `ttr_analysis.rules.chance`; moved on.
    routes
        One row for each: color, plain, symbols, jokers, swap_size, swap_any.
    tunnel
        1 for the tunnels among them.
    wanted
        Cards to keep for later routes, one row for each route.
    hand, pool, n_pile, discards
        Cards held, those that the pile may hold, how many it holds, and those
        of the discard pile.
    revealed
        Cards turned over for a tunnel.
    attempts
        How often a tunnel is tried.
    at_once
        1 if the discards are shuffled as soon as the pile runs out.
    results
        Filled, one row for each game: routes claimed, turns, cards spent, and
        for each route its attempts and its surcharge.
    """
    for game in range(results.shape[0]):
        _play(
            stream,
            routes,
            tunnel,
            wanted,
            hand.copy(),
            pool.copy(),
            n_pile,
            discards.copy(),
            revealed,
            attempts,
            at_once,
            results[game],
        )


@compiled
def _play(
    stream: Ints,
    routes: Ints,
    tunnel: Ints,
    wanted: Ints,
    hand: Ints,
    pool: Ints,
    n_pile: int,
    discards: Ints,
    revealed: int,
    attempts: int,
    at_once: int,
    result: Ints,
) -> None:
    laid = np.zeros(N_KINDS, dtype=np.int64)
    turned = np.zeros(N_KINDS, dtype=np.int64)
    paid = np.zeros(N_KINDS, dtype=np.int64)
    for i in range(routes.shape[0]):
        at = N_RESULTS + 2 * i
        claimed = False
        while not claimed and result[at] < attempts:
            n_revealed = revealed if tunnel[i] else 0
            color = choose_payment(hand, routes[i], wanted[i], pool, n_pile, discards, n_revealed, laid)
            if color == _NO_PAYMENT:
                return
            result[1] += 1
            result[at] += 1
            remove_cards(laid, hand)
            n_pile = _turn_over(stream, pool, n_pile, discards, n_revealed, at_once, turned)
            surcharge = matching_cards(turned, color) if tunnel[i] else 0
            jokers = routes[i, 3]
            claimed = surcharge <= spare_cards(hand, color, jokers)
            if claimed:
                _pay(hand, color, jokers, surcharge, wanted[i], paid)
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
def _turn_over(stream: Ints, pool: Ints, n_pile: int, discards: Ints, revealed: int, at_once: int, turned: Ints) -> int:
    """
    Turn over cards of the pile; return how many the pile then holds.

    Each card is a random one of the pool, as the pile is a random part of it.
    After a reshuffle the pool is what was in the discard pile.
    """
    turned.fill(0)
    for _ in range(revealed):
        if n_pile == 0:
            n_pile = _reshuffle(pool, discards)
        if n_pile == 0:
            return 0
        turned[draw_card(pool, stream)] += 1
        n_pile -= 1
        if n_pile == 0 and at_once:
            n_pile = _reshuffle(pool, discards)
    return n_pile


@compiled
def _reshuffle(pool: Ints, discards: Ints) -> int:
    copy_cards(discards, pool)
    discards.fill(0)
    return int(count_cards(pool))


@compiled
def _pay(hand: Ints, color: int, jokers: int, surcharge: int, wanted: Ints, paid: Ints) -> None:
    """Pay a surcharge from the hand: color cards first, but rather what later routes do not want."""
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
    hand: Ints, route: Ints, wanted: Ints, pool: Ints, n_pile: int, discards: Ints, revealed: int, laid: Ints
) -> int:
    """
    Choose the cards for a route; return the color played, -1 if none pay.

    Parameters
    ----------
    hand
        Cards held.
    route
        Color, plain, symbols, jokers, swap_size, swap_any.
    wanted
        Cards to keep if possible.
    pool, n_pile, discards, revealed
        What the odds of a tunnel depend on; `revealed` is 0 for other routes.
    laid
        Filled with the cards to lay down.

    Notes
    -----
    Best odds first, then the fewest wanted cards broken into, then the fewest
    locomotives, then the fewest cards, then the first color.
    """
    best = _NO_PAYMENT
    best_odds = -1.0
    best_cost = np.zeros(3, dtype=np.int64)
    cost = np.zeros(3, dtype=np.int64)
    cards = np.zeros(N_KINDS, dtype=np.int64)
    n_cards = count_cards(hand)
    for kind in range(N_KINDS):
        # The last kind stands for no color cards at all.
        alone = kind == LOCOMOTIVE_INDEX
        if not alone and route[0] not in (kind, GRAY_INDEX):
            continue
        for own in range(0 if alone else 1, (0 if alone else min(hand[kind], route[1])) + 1):
            for locomotives in range(min(hand[LOCOMOTIVE_INDEX], route[1] + route[2] - own) + 1):
                n_sets = form_sets(route[1], route[2], route[3], route[4], route[5], own, locomotives)
                if n_sets < 0 or n_sets * route[4] > n_cards - own - locomotives:
                    continue
                _lay_out(hand, kind, own, locomotives, n_sets * route[4], wanted, cards)
                odds = 1.0
                if revealed > 0:
                    odds = _odds(hand, cards, kind, route[3], pool, n_pile, discards, revealed)
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
def _odds(
    hand: Ints, cards: Ints, color: int, jokers: int, pool: Ints, n_pile: int, discards: Ints, revealed: int
) -> float:
    left = hand.copy()
    remove_cards(cards, left)
    return claim_probability(
        spare_cards(left, color, jokers),
        matching_cards(pool, color),
        count_cards(pool),
        n_pile,
        matching_cards(discards, color),
        count_cards(discards),
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
