"""`RouteCosts` and `TunnelOdds`: what a route costs, and the odds of a tunnel, interactively."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from ttr_analysis._decoding import Range
from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis._words import counted, percent
from ttr_analysis.analysis import payments, tunnels
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE, CardCounts
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

if TYPE_CHECKING:
    import pandas as pd


class RouteCosts(QueryWidget):
    """
    What a hand can pay for a route; you can change the route and the hand. Exact.

    Every change is answered at once, by `ttr.payments`. The routes that may
    take the most cards come first.

    Parameters
    ----------
    route
        The route: a `Route`, its id, or its two cities where one track joins
        them. By default, the route that may take the most cards.
    hand
        Cards held; a few for the route if not given.
    worth
        The value of pursuing the route, from `ttr.studies.route_worth`, shown beside what
        the hand pays.

    Attributes
    ----------
    route, hand
        The inputs; read them, or set them from Python.
    answer
        The answer, as a dict: `said` in words, `cheapest`, `payments`, `colors` with what
        each lacks, `curve` and `draws`; or `problem`, a sentence on why the hand is
        impossible.

    Examples
    --------
    >>> costs = RouteCosts(ttr.load_map("nordic"), hand={"green": 7, "red": 4, "blue": 4})
    >>> print(costs.route, costs.answer["said"])
    Lieksa-Murmansk/0 You can pay with 15 cards: 7 green, 4 blue and 4 red.
    >>> costs.hand = {"green": 7}
    >>> print(costs.answer["said"])
    2 cards short; green is the closest.
    """

    _esm = esm("answers", "costs")
    _css = css("answers")
    inputs = ("route", "hand")

    route = Checked(lambda self, value: self._route_of(value).id).tag(sync=True)
    hand = Checked(cards).tag(sync=True)

    def __init__(
        self,
        game_map: MapLike,
        route: RouteLike | None = None,
        *,
        hand: Cards | None = None,
        worth: pd.DataFrame | None = None,
    ) -> None:
        game_map = as_map(game_map)
        self.game_map = game_map
        self.routes = special_first(game_map)
        first = self.routes[0] if route is None else self._route_of(route)
        self._worth = {} if worth is None else {first.id: worth}
        super().__init__(route=first.id, hand=initial_hand(game_map, first) if hand is None else hand)

    def _route_of(self, value: object) -> Route:
        return self.game_map.route(value)  # type: ignore[arg-type] # raises for anything else

    def _facts(self) -> Json:
        return card_facts(self.game_map) | {
            "title": self.game_map.title,
            "routes": [
                {"id": route.id, "words": describe_route(route), "special": most_cards(route) > route.length}
                for route in self.routes
            ],
        }

    def _answer_now(self) -> Json:
        route, hand = self.game_map.route(self.route), CardCounts.coerce(self.hand)
        answer = route_costs(self.game_map, route, hand)
        if route.id in self._worth:
            from ttr_analysis.studies.findings import worth_in_words  # studies are heavy, and few widgets need them

            colors = COLORS if route.color == GRAY else (route.color,)
            own = max(hand[color] for color in colors) + (hand.locomotives if route.locomotives_allowed else 0)
            answer["said"] += f" {worth_in_words(route, self._worth[route.id], own)}"
        return answer


# -- what a route costs --------------------------------------------------------------------------------------------

MOST_SHOWN = 8
"""Maximum number of payments to show; the others are counted."""
FEW_TO_COUNT = 40
"""Largest hand whose payments are counted, which takes time."""


def most_cards(route: Route) -> int:
    """Return the most cards that a route may take, including sets."""
    return int(payments.cards_table(route)["cards"].max())


def special_first(game_map: GameMap) -> tuple[Route, ...]:
    """Return the routes of a map: those that may take the most cards first, then tunnels, then by name."""
    return tuple(sorted(game_map.routes, key=lambda r: (-most_cards(r), not r.tunnel, r.cities, r.track)))


def initial_hand(game_map: GameMap, route: Route) -> CardCounts:
    """Return an initial hand: one color, two cards short of the route, and one each of some others, if in the deck."""
    deck = game_map.rules.deck
    color = "green" if route.color == GRAY else route.color
    wanted = {kind: 1 for kind in COLORS[:6] if kind != color} | {color: max(1, route.length - 2)}
    return CardCounts.coerce({kind: min(n, deck[kind]) for kind, n in wanted.items()})


def route_costs(game_map: GameMap, route: Route, hand: CardCounts) -> Json:
    """
    Return the payments for a route, what is missing, and how long that takes to draw.

    `n_payments` is None if there are too many to count.

    >>> nordic = ttr.load_map("nordic")
    >>> answer = route_costs(nordic, nordic.route("Murmansk", "Lieksa"), CardCounts.of(green=7, red=6))
    >>> answer["said"], [point["cards"] for point in answer["curve"]["points"]][:3]
    ('1 card short; green is the closest.', [36, 33, 30])
    """
    unseen = deck_less(game_map.rules.deck, {"in hand": hand})
    colors = _colors(route, hand)
    cheapest = payments.cheapest(route, hand)
    sparing = payments.cheapest(route, hand, keep="locomotives")
    forms = payments.options(route, hand)
    is_counted = hand.n_cards <= FEW_TO_COUNT
    return {
        "said": _said(route, colors, cheapest),
        "unseen": unseen.as_dict(),
        "missing": colors[0]["missing"],
        "cheapest": None if cheapest is None else _payment(cheapest),
        "sparing": None if sparing in {None, cheapest} else _payment(sparing),
        "payments": [_payment(form) for form in forms[:MOST_SHOWN]],
        "n_payments": payments.options(route, hand, sets="all").n_options if is_counted else None,
        "colors": colors,
        "curve": _curve(route, hand, colors[0]["color"]),
        "draws": _draws(game_map, route, hand) if cheapest is None else None,
        "tunnel": _tunnel(game_map, route, hand) if route.tunnel else None,
    }


def _colors(route: Route, hand: CardCounts) -> list[Json]:
    """Return the cards missing in each allowed color, fewest first."""
    table = payments.color_table(route, hand).reset_index()[["color", "own", "missing", "cards_needed"]].astype(object)
    rows = table.where(table.notna(), None).itertuples(index=False, name=None)
    return [dict(zip(("color", "own", "missing", "cards"), row, strict=True)) for row in rows]


def _said(route: Route, colors: list[Json], cheapest: payments.Payment | None) -> str:
    if cheapest is not None:
        return f"You can pay with {counted(cheapest.n_cards, 'card')}: {cards_in_words(cheapest.cards)}."
    nearest = f"; {colors[0]['color']} is the closest" if route.color == GRAY else ""
    return f"{counted(colors[0]['missing'], 'card')} short{nearest}."


def _payment(payment: payments.Payment) -> Json:
    words = cards_in_words(payment.cards - payment.sets)
    if payment.sets.n_cards:
        sets = f"in sets {cards_in_words(payment.sets)}"
        words = sets if payment.sets == payment.cards else f"{words}; {sets}"
    return {"words": words, "held": payment.cards.as_dict(), "n_cards": payment.n_cards}


def _curve(route: Route, hand: CardCounts, color: str) -> Json:
    """Return the cards needed for each number of cards of the color, with the locomotives in the hand."""
    locomotives = hand.locomotives if route.locomotives_allowed or route.locomotives else 0
    points: list[Json] = []
    for own in range(route.length - route.locomotives + 1):
        try:
            n_cards: int | None = payments.cards_needed(route, own=own, locomotives=locomotives)
        except ValueError:
            n_cards = None
        points.append({"own": own, "cards": n_cards})
    return {
        "color": color,
        "held": hand[color],
        "locomotives": locomotives,
        "points": points,
        "said": _formula(points),
    }


def _formula(points: list[Json]) -> str:
    """Return the cards needed as a formula if they form a straight line; else ""."""
    cards = [point["cards"] for point in points]
    if None in cards or len(cards) < 2:  # noqa: PLR2004 - a line needs two points
        return ""
    steps = {a - b for a, b in pairwise(cards)}
    if len(steps) != 1 or steps == {0}:
        return ""
    (step,) = steps
    return f"{cards[0]} − {'' if step == 1 else step}k cards, with k of the color"


def _draws(game_map: GameMap, route: Route, hand: CardCounts) -> Json:
    waiting = payments.expected_draws(route, hand, rules=game_map.rules)
    cards, turns = waiting.expected_cards.value, waiting.expected_turns.value
    if math.isinf(cards):
        return {"said": "The deck may run out before you can pay.", "cards": None, "turns": None, "likely": None}
    likely = waiting.turns_quantile(0.9)
    said = f"Drawing blind: {counted(f'{cards:.1f}', 'card')} or {counted(f'{turns:.1f}', 'turn')} on average"
    return {
        "said": f"{said}; at most {counted(likely or 0, 'turn')} nine times in ten.",
        "cards": cards,
        "turns": turns,
        "likely": likely,
    }


def _tunnel(game_map: GameMap, route: Route, hand: CardCounts) -> Json:
    revealed = game_map.rules.tunnel.revealed
    unseen = game_map.rules.deck - hand
    best = tunnels.best_payment(route, hand, pool=unseen, discards=(), revealed=revealed)
    surcharge = float(payments.expected_cards(game_map, route)) - route.length
    said = f"Tunnel: {counted(f'{surcharge:.1f}', 'extra card')} on average"
    if best is not None:
        said += (
            f"; {percent(best.probability, None)} chance of success with {cards_in_words(best.payment.cards)} laid down"
        )
    return {"said": f"{said}.", "chance": None if best is None else best.probability, "surcharge": surcharge}


# -- the odds of a tunnel, interactively ------------------------------------------------------------------------------


class TunnelOdds(QueryWidget):
    """
    The odds of every payment for a tunnel; you can change the hand, the seen cards and the pile. Exact.

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
        Cards seen elsewhere, which are not in the pile: the market, and face-up cards
        that others took.
    pile
        Size of the draw pile; None for all unseen cards. It matters if it is smaller than
        the number turned over, since the discards are then shuffled.

    Attributes
    ----------
    route, hand, seen, discards, pile
        The inputs; read them, or set them from Python. Cards are mappings from
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
        self.tunnels = tunnel_choices(game_map)
        chosen = max(self.tunnels.values(), key=lambda r: ("-" in r.id, r.length)) if route is None else route
        first = self.tunnels[self._tunnel_id(chosen)]
        super().__init__(
            route=first.id,
            hand=initial_tunnel_hand(game_map, first) if hand is None else hand,
            seen=seen,
            discards=discards,
            pile=pile,
        )

    def _tunnel_id(self, value: object) -> str:
        if isinstance(value, str) and value in self.tunnels:
            return value
        route = value if isinstance(value, Route) else self.game_map.route(value)  # type: ignore[arg-type] # raises
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

MOST_SHOWN_ODDS = 12
"""Maximum number of payments to show; the others are counted."""
_USUAL_LENGTHS = range(1, 7)
"""Lengths of imaginary tunnels, for maps without tunnels."""


def tunnel_choices(game_map: GameMap) -> dict[str, Route]:
    """Return the tunnels of a map by id, and imaginary ones, such as "length 3", that any color pays for."""
    real = [route for route in game_map.routes if route.tunnel]
    lengths = sorted({route.length for route in real} or set(_USUAL_LENGTHS))
    allowed = "tunnel" in game_map.rules.claims.locomotives_on
    places = ("Anywhere", "anywhere")
    anywhere = [
        Route(f"length {n}", places, track=0, length=n, color=GRAY, tunnel=True, locomotives_allowed=allowed)
        for n in lengths
    ]
    return {route.id: route for route in (*anywhere, *real)}


def tunnel_in_words(route: Route) -> str:
    """Return a tunnel in words, including an imaginary one."""
    return describe_route(route) if "-" in route.id else f"Any tunnel of {counted(route.length, 'space')}"


def initial_tunnel_hand(game_map: GameMap, route: Route) -> CardCounts:
    """Return an initial hand: the cards for a tunnel and a locomotive, if the deck has them."""
    deck = game_map.rules.deck
    color = "red" if route.color == GRAY else route.color
    return CardCounts.coerce({color: min(route.length, deck[color]), LOCOMOTIVE: min(1, deck.locomotives)})


def tunnel_odds(
    game_map: GameMap, route: Route, hand: CardCounts, seen: CardCounts, discards: CardCounts, pile: int | None
) -> Json:
    """
    Return the odds of every payment for a tunnel, best first; if the hand cannot pay, `bare` has surcharge odds.

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
        "said": _odds_in_words(route, hand, odds),
        "unseen": unseen.as_dict(),
        "n_unseen": unseen.n_cards,
        "reshuffled": n_pile < revealed,
        "payments": [_odds_of(found) for found in odds[:MOST_SHOWN_ODDS]],
        "bare": None if odds or n_pile < revealed else _bare(route, hand, unseen, revealed),
        "n_payments": len(odds),
    }


def _odds_in_words(route: Route, hand: CardCounts, odds: tuple[tunnels.ClaimOdds, ...]) -> str:
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


def _odds_of(odds: tunnels.ClaimOdds) -> Json:
    return {
        "held": odds.payment.cards.as_dict(),
        "spare": odds.spare,
        "odds": list(odds.distribution),
        "chance": odds.probability,
        "percent": percent(odds.probability, None),
        "cards": odds.expected_cards,
    }
