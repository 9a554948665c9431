"""`TunnelOdds`: the odds of a tunnel, interactively."""

from __future__ import annotations

from ttr_analysis._decoding import Range
from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis._words import counted, percent
from ttr_analysis.analysis import payments, tunnels
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.cards import GRAY, LOCOMOTIVE, CardCounts
from ttr_analysis.maps.board import imaginary_route
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike
from ttr_analysis.maps.names import describe_route
from ttr_analysis.widgets.base import (
    Checked,
    ImpossibleError,
    Json,
    QueryWidget,
    card_facts,
    cards,
    cards_in_words,
    css,
    deck_less,
    esm,
    optional_number,
)


class TunnelOdds(QueryWidget):
    """
    The odds of every payment for a tunnel; you can change hand, seen cards and pile. Exact.

    Every change is answered at once, by `ttr.tunnels.claim_odds`.

    Parameters
    ----------
    game_map
        Any map. If it has no tunnels, the widget shows imaginary ones.
    route
        The tunnel: a `Route`, or its id; "length 3" is an imaginary tunnel of that
        length, paid in any color. By default the longest real one.
    hand
        Cards held; by default those for the tunnel and a locomotive.
    seen
        Cards seen elsewhere, which are not in the pile: the market, and cards that others
        took openly.
    pile
        Size of the draw pile; None for all unseen cards. It matters if it is smaller than
        the number turned over, since the discards are then shuffled.

    Attributes
    ----------
    route, hand, seen, discards, pile
        The inputs; read them, or set them from Python. Cards are mappings of
        kind to count.
    answer
        The answer, as a dict: `said` in words, `payments` with their `chance`, best
        first; or `problem`, a sentence on why the cards are impossible.

    Examples
    --------
    >>> odds = TunnelOdds(ttr.load_map("nordic"), "Lillehammer-Oslo/0", hand={"purple": 2})
    >>> print(odds.answer["said"])
    With 2 purple: 47% if you lay down 2 purple and have none for a surcharge.
    >>> odds.hand = {"purple": 2, "locomotive": 1}
    >>> round(odds.answer["payments"][0]["chance"], 3)
    0.884
    """

    _esm = esm("answers", "odds")
    _css = css("answers")
    inputs = ("route", "hand", "seen", "discards", "pile")

    route = Checked(lambda self, value: self._tunnel_id(value)).tag(sync=True)
    hand = Checked(cards).tag(sync=True)
    seen = Checked(cards).tag(sync=True)
    discards = Checked(cards).tag(sync=True)
    pile = Checked(lambda _, value: optional_number(value, Range())).tag(sync=True)

    def __init__(
        self,
        game_map: MapLike,
        route: RouteLike | None = None,
        *,
        hand: Cards | None = None,
        seen: Cards = (),
        discards: Cards = (),
        pile: int | None = None,
    ) -> None:
        game_map = as_map(game_map)
        self.game_map = game_map
        self.tunnels = tunnels_to_ask(game_map)
        chosen = max(self.tunnels.values(), key=lambda r: ("-" in r.id, r.length)) if route is None else route
        first = self.tunnels[self._tunnel_id(chosen)]
        super().__init__(
            route=first.id,
            hand=first_hand(game_map, first) if hand is None else hand,
            seen=seen,
            discards=discards,
            pile=pile,
        )

    def _tunnel_id(self, value: object) -> str:
        if isinstance(value, str) and value in self.tunnels:
            return value
        route = value if isinstance(value, Route) else self.game_map.route(value)  # type: ignore[arg-type] # it tells
        if route.id not in self.tunnels:
            raise UnknownNameError("tunnel", route.id, nearest(route.id, self.tunnels))
        return route.id

    def _facts(self) -> Json:
        rules = self.game_map.rules
        has_tunnels = any(route.tunnel for route in self.game_map.routes)
        return card_facts(self.game_map) | {
            "title": self.game_map.title if has_tunnels else f"{self.game_map.title}, which has no tunnels",
            "revealed": rules.tunnel.revealed,
            "routes": [{"id": id_, "words": tunnel_in_words(route)} for id_, route in self.tunnels.items()],
            "n_anywhere": sum("-" not in id_ for id_ in self.tunnels),
        }

    def _answer_now(self) -> Json:
        hand, seen, discards = (CardCounts.coerce(cards) for cards in (self.hand, self.seen, self.discards))
        return tunnel_odds(self.game_map, self.tunnels[self.route], hand, seen, discards, self.pile)


# -- the odds of a tunnel ------------------------------------------------------------------------------------------

MOST_SHOWN = 12
"""Maximum number of payments to show; the others are counted."""
_USUAL_LENGTHS = range(1, 7)
"""Lengths of imaginary tunnels, for maps without tunnels."""


def tunnels_to_ask(game_map: GameMap) -> dict[str, Route]:
    """Return the tunnels of a map by id, and imaginary gray ones, which any color pays for, such as "length 3"."""
    real = [route for route in game_map.routes if route.tunnel]
    lengths = sorted({route.length for route in real} or set(_USUAL_LENGTHS))
    jokers = "tunnel" in game_map.rules.claims.locomotives_on
    anywhere = [
        imaginary_route(f"length {length}", ("Anywhere", "anywhere"), length, tunnel=True, jokers=jokers)
        for length in lengths
    ]
    return {route.id: route for route in (*anywhere, *real)}


def tunnel_in_words(route: Route) -> str:
    """Return a tunnel in words, including an imaginary one."""
    return describe_route(route) if "-" in route.id else f"Any tunnel of {counted(route.length, 'space')}"


def first_hand(game_map: GameMap, route: Route) -> CardCounts:
    """Return an initial hand: the cards for a tunnel and a locomotive, as far as the deck goes."""
    deck = game_map.rules.deck
    color = "red" if route.color == GRAY else route.color
    return CardCounts.coerce({color: min(route.length, deck[color]), LOCOMOTIVE: min(1, deck.locomotives)})


def tunnel_odds(
    game_map: GameMap, route: Route, hand: CardCounts, seen: CardCounts, discards: CardCounts, pile: int | None
) -> Json:
    """
    Return the odds of every payment for a tunnel, best first, with words; `bare` ones if the hand cannot pay yet.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> tunnel, hand = nordic.route("Oslo", "Lillehammer"), CardCounts.of(purple=2, locomotive=1)
    >>> print(tunnel_odds(nordic, tunnel, hand, CardCounts(), CardCounts(), None)["said"])
    With 2 purple and 1 locomotive: 88% if you lay down 2 purple and keep 1 card for the surcharge.
    """
    unseen = deck_less(game_map.rules.deck, {"in hand": hand, "seen elsewhere": seen, "discarded": discards})
    n_pile = unseen.n_cards if pile is None else pile
    if n_pile > unseen.n_cards:
        raise ImpossibleError(f"The pile cannot have {counted(n_pile, 'card')}: only {unseen.n_cards} are unseen.")
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
        missing = counted(payments.cards_missing(route, hand), "card")
        return f"With {cards_in_words(hand)}: {missing} short of the {route.length} to lay down."
    best = odds[0]
    spare = f"keep {counted(best.spare, 'card')} for the surcharge" if best.spare else "have none for a surcharge"
    laid = cards_in_words(best.payment.cards)
    return f"With {cards_in_words(hand)}: {percent(best.probability, None)} if you lay down {laid} and {spare}."


def _bare(route: Route, hand: CardCounts, unseen: CardCounts, revealed: int) -> Json:
    """Return the odds of each surcharge if the tunnel were paid in the color with the fewest cards missing."""
    color = payments.cheapest_color(route, hand)
    odds = tunnels.surcharge_distribution(unseen[color] + unseen.locomotives, unseen.n_cards, revealed=revealed)
    return {"color": color, "odds": list(odds), "percent": percent(odds[0], None)}


def _payment(odds: tunnels.ClaimOdds) -> Json:
    return {
        "words": cards_in_words(odds.payment.cards),
        "held": odds.payment.cards.as_dict(),
        "plays": odds.plays,
        "spare": odds.spare,
        "odds": list(odds.distribution),
        "chance": odds.probability,
        "percent": percent(odds.probability, None),
        "surcharge": odds.expected_surcharge,
        "cards": odds.expected_cards,
    }
