"""How many draws it takes until a hand pays for a route."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ttr_analysis.analysis.payments.blind import unpaid_odds
from ttr_analysis.analysis.payments.market import DrawingRules, simulate_drawing
from ttr_analysis.analysis.payments.model import Cards, RouteFacts, as_array, color_index
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import CARD_KINDS, GRAY, N_COLORS, CardCounts
from ttr_analysis.maps.model import Route
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.rules.market import EMPTY
from ttr_analysis.rules.ruleset import RuleSet

BASE_RULES = RuleSet("base game")
"""The rules where none are given."""


def expected_draws(
    route: Route,
    hand: Cards = (),
    *,
    rules: RuleSet = BASE_RULES,
    pool: Cards | None = None,
    spare: int = 0,
) -> WaitingTime:
    """
    Return how many blind draws it takes until a hand pays for a route. Exact.

    Parameters
    ----------
    route
        Any route of any map.
    hand
        Cards held.
    rules
        Their deck and draws per turn are used; those of the base game if not
        given. Give `game_map.rules`.
    pool
        The cards that the pile may hold: those not seen. The deck without the
        hand if not given.
    spare
        Cards wanted beyond the length, as for a surcharge: of the same color,
        or locomotives where they are jokers.

    Returns
    -------
    waiting
        Distribution and mean of the number of cards to draw, and of turns in
        which nothing else is done.

    Raises
    ------
    ValueError
        If hand and pool hold more cards than the deck, and no pool is given.

    Notes
    -----
    Each card drawn is a random one of the pool: other players' draws change
    nothing about that as long as they are not seen. The pile is taken to go
    on to the end of the pool, and nothing comes back from the discards. For a
    gray route any color that pays first will do.

    References
    ----------
    .. [1] Witter, R. T. and Lyford, A. "Applications of Graph Theory and
       Probability in the Board Game Ticket to Ride". FDG 2020.

    Examples
    --------
    Five blue cards from a fresh deck, where locomotives are jokers: 5 x 111/27
    [1]_; and Lieksa-Murmansk with four green cards held.

    >>> import ttr_analysis as ttr
    >>> usa, nordic = ttr.load_map("usa"), ttr.load_map("nordic")
    >>> print(expected_draws(usa.route("Miami", "Atlanta"), rules=usa.rules).expected_cards)
    20.5556 (exact)
    >>> print(expected_draws(nordic.route("Murmansk", "Lieksa"), {"green": 4}, rules=nordic.rules).expected_cards)
    16.3445 (exact)
    """
    hand, pool = hand_and_pool(hand, pool, rules)
    facts = RouteFacts.of(_longer(route, spare))
    colors = range(N_COLORS) if route.color == GRAY else [color_index(route)]
    return WaitingTime.from_unpaid(unpaid_odds(facts, colors, hand, pool), rules.cards.draws_per_turn)


def simulate_draws(
    route: Route,
    hand: Cards = (),
    *,
    rng: np.random.Generator,
    rules: RuleSet = BASE_RULES,
    pool: Cards | None = None,
    face_up: Cards | None = None,
    spare: int = 0,
    n: int = 10_000,
) -> WaitingTime:
    """
    Return how many draws it takes with a market, by simulation.

    Parameters
    ----------
    route
        Any route of any map.
    hand
        Cards held.
    rng
        Source of randomness.
    rules
        Their deck, market and draws per turn are used; those of the base game
        if not given. Give `game_map.rules`.
    pool
        The cards of the draw pile. The deck without hand and market if not
        given.
    face_up
        The face-up cards at the start; slots that they leave are dealt from
        the pool. A full market stays as it is until a card is taken.
    spare
        Cards wanted beyond the length, as for a surcharge.
    n
        Number of simulated games.

    Returns
    -------
    waiting
        Shares, means and their standard errors. A face-up locomotive counts
        as one card, whatever it costs in draws.

    Raises
    ------
    ValueError
        If `n` is below 1, or more cards lie face up than the rules allow.

    Notes
    -----
    The greedy rule. The player aims at the color with which the fewest
    further cards would do, of several at the one with the most cards in pile
    and market. A face-up card of that color is taken if it helps; else a
    face-up locomotive if it helps more than any card would and the rules let
    it be taken (where it costs two draws: as the first card); else a blind
    card. Nobody else draws.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> usa = ttr.load_map("usa")
    >>> route = usa.route("Miami", "Atlanta")
    >>> waiting = simulate_draws(route, {"blue": 2}, rng=np.random.default_rng(1), rules=usa.rules, n=2000)
    >>> waiting.expected_turns.value < expected_draws(route, {"blue": 2}, rules=usa.rules).expected_turns.value
    True
    """
    if n < 1:
        msg = f"the number of simulated games must be 1 or more, got {n}"
        raise ValueError(msg)
    open_cards = CardCounts.coerce(face_up if face_up is not None else ())
    size = rules.market.size
    if open_cards.n_cards > size:
        msg = f"at most {size} cards lie face up, got {open_cards}"
        raise ValueError(msg)
    hand, pool = hand_and_pool(hand, pool, rules, open_cards)
    kinds = [i for i, _ in enumerate(CARD_KINDS) for _ in range(open_cards.counts[i])]
    market = np.array(kinds + [EMPTY] * (size - len(kinds)), dtype=np.int64)
    cards = np.empty(n, dtype=np.int64)
    turns = np.empty(n, dtype=np.int64)
    simulate_drawing(
        stream_from(rng),
        as_array(hand),
        color_index(route),
        np.array(RouteFacts.of(_longer(route, spare)), dtype=np.int64),
        market,
        as_array(pool),
        _drawing_rules(rules),
        cards,
        turns,
    )
    return WaitingTime.from_samples(cards.tolist(), turns.tolist())


def hand_and_pool(
    hand: Cards, pool: Cards | None, rules: RuleSet, open_cards: CardCounts | None = None
) -> tuple[CardCounts, CardCounts]:
    """Return the hand, and the pool: what is not seen, if it is not given."""
    hand = CardCounts.coerce(hand)
    if pool is None:
        return hand, rules.deck - hand - (open_cards or CardCounts())
    return hand, CardCounts.coerce(pool)


def _drawing_rules(rules: RuleSet) -> DrawingRules:
    market = rules.market
    return DrawingRules(
        rules.cards.draws_per_turn,
        market.locomotive_cost,
        market.reset_at,
        market.max_resets,
        int(market.reset_needs_full),
        market.reset_needs_colored,
        int(market.open_without_piles),
    )


def _longer(route: Route, spare: int) -> Route:
    if spare < 0:
        msg = f"the number of spare cards must be 0 or more, got {spare}"
        raise ValueError(msg)
    return replace(route, length=route.length + spare) if spare else route
