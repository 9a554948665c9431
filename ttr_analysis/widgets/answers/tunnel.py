"""The odds of a tunnel, for a hand and what was seen."""

from __future__ import annotations

from ttr_analysis.analysis import payments, tunnels
from ttr_analysis.cards import GRAY, LOCOMOTIVE, CardCounts
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.widgets.answers.words import (
    ImpossibleError,
    Json,
    cards_in_words,
    deck_less,
    percent,
    plural,
    route_in_words,
)

MOST_SHOWN = 12
"""So many payments are shown; more are counted."""
_USUAL_LENGTHS = range(1, 7)
"""Of tunnels, where a map has none."""


def tunnels_to_ask(game_map: GameMap) -> dict[str, Route]:
    """
    Return the tunnels that can be asked about: one of each length in no place, and those of the map.

    Parameters
    ----------
    game_map
        Any map, also one without tunnels.

    Returns
    -------
    routes
        By id. The tunnels in no place are gray: any color pays for them.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> list(tunnels_to_ask(ttr.load_map("nordic")))[3:5]
    ['length 4', 'length 5']
    """
    real = [route for route in game_map.routes if route.tunnel]
    lengths = sorted({route.length for route in real} or set(_USUAL_LENGTHS))
    jokers = "tunnel" in game_map.rules.claims.locomotives_on
    anywhere = [
        Route(
            id=f"length {length}",
            cities=("Anywhere", "anywhere"),
            track=0,
            length=length,
            color=GRAY,
            tunnel=True,
            locomotives=0,
            locomotives_allowed=jokers,
            swap_size=0,
            swap_fills="any",
            toll=0,
            points=0,
        )
        for length in lengths
    ]
    return {route.id: route for route in (*anywhere, *real)}


def tunnel_in_words(route: Route) -> str:
    """Return a tunnel in words, also one in no place."""
    return route_in_words(route) if "-" in route.id else f"Any tunnel of {plural(route.length, 'space')}"


def first_hand(game_map: GameMap, route: Route) -> CardCounts:
    """Return a hand to begin with: the cards for a tunnel and a locomotive, as far as the deck goes."""
    deck = game_map.rules.deck
    color = "red" if route.color == GRAY else route.color
    return CardCounts.coerce({color: min(route.length, deck[color]), LOCOMOTIVE: min(1, deck.locomotives)})


def tunnel_odds(
    game_map: GameMap, route: Route, hand: CardCounts, seen: CardCounts, discards: CardCounts, pile: int | None
) -> Json:
    """
    Return the odds of every payment for a tunnel, best first, with words.

    Parameters
    ----------
    game_map
        The map: its deck, and how many cards are turned over.
    route
        A tunnel.
    hand, seen, discards
        Cards held; seen elsewhere, as in the market; and discarded.
    pile
        Cards of the draw pile; None for all that are unseen.

    Returns
    -------
    answer
        `said` in words; `unseen`, by kind; `n_unseen`; `payments`, the best
        ones, each with its `words`, `spare` cards, `odds` of each surcharge,
        `chance` to succeed and mean `cards`; `n_payments` in all; and `bare`,
        what a full pile demands in the nearest color, where the hand pays
        nothing yet.

    Raises
    ------
    ImpossibleError
        If there are not so many cards.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nordic = ttr.load_map("nordic")
    >>> tunnel, hand = nordic.route("Oslo", "Lillehammer"), CardCounts.of(purple=2, locomotive=1)
    >>> print(tunnel_odds(nordic, tunnel, hand, CardCounts(), CardCounts(), None)["said"])
    With 2 purple and 1 locomotive: 88% if you lay down 2 purple and keep 1 card for the surcharge.
    """
    unseen = deck_less(game_map.rules.deck, {"in hand": hand, "seen elsewhere": seen, "discarded": discards})
    n_pile = unseen.n_cards if pile is None else pile
    if n_pile > unseen.n_cards:
        msg = f"The pile cannot have {plural(n_pile, 'card')}: only {unseen.n_cards} are unseen."
        raise ImpossibleError(msg)
    revealed = game_map.rules.tunnel.revealed
    odds = tunnels.claim_odds(route, hand, pool=unseen, n_pile=n_pile, discards=discards, revealed=revealed)
    return {
        "said": _said(route, hand, odds),
        "unseen": unseen.as_dict(),
        "n_unseen": unseen.n_cards,
        "pile": n_pile,
        "reshuffled": n_pile < revealed,
        "revealed": revealed,
        "payments": [_payment(found) for found in odds[:MOST_SHOWN]],
        "bare": None if odds or n_pile < revealed else _bare(route, hand, unseen, revealed),
        "n_payments": len(odds),
    }


def _said(route: Route, hand: CardCounts, odds: tuple[tunnels.ClaimOdds, ...]) -> str:
    if not odds:
        missing = plural(payments.cards_missing(route, hand), "card")
        return f"With {cards_in_words(hand)}: {missing} short of the {route.length} to lay down."
    best = odds[0]
    spare = f"keep {plural(best.spare, 'card')} for the surcharge" if best.spare else "have none for a surcharge"
    laid = cards_in_words(best.payment.cards)
    return f"With {cards_in_words(hand)}: {percent(best.probability)} if you lay down {laid} and {spare}."


def _bare(route: Route, hand: CardCounts, unseen: CardCounts, revealed: int) -> Json:
    """Return the odds of each surcharge if the tunnel were paid in the color that is nearest."""
    color = payments.cheapest_color(route, hand)
    odds = tunnels.surcharge_distribution(unseen[color] + unseen.locomotives, unseen.n_cards, revealed=revealed)
    return {"color": color, "odds": list(odds), "percent": percent(odds[0])}


def _payment(odds: tunnels.ClaimOdds) -> Json:
    return {
        "words": cards_in_words(odds.payment.cards),
        "held": odds.payment.cards.as_dict(),
        "plays": odds.plays,
        "spare": odds.spare,
        "odds": list(odds.distribution),
        "chance": odds.probability,
        "percent": percent(odds.probability),
        "surcharge": odds.expected_surcharge,
        "cards": odds.expected_cards,
    }
