"""What a route costs, played with in the notebook."""

from __future__ import annotations

from ttr_analysis.analysis.payments import Cards
from ttr_analysis.cards import CardCounts
from ttr_analysis.maps.model import GameMap, Route, RouteLike
from ttr_analysis.widgets._answering import AnsweringWidget
from ttr_analysis.widgets._esm import css, esm
from ttr_analysis.widgets._traits import Checked, cards
from ttr_analysis.widgets.answers.cost import first_hand, most_cards, route_costs, special_first
from ttr_analysis.widgets.answers.words import Json, card_facts, route_in_words


class RouteCosts(AnsweringWidget):
    """
    What a hand pays for a route: route and hand are yours to change. Exact.

    Every change is answered at once, by `ttr.payments`. The routes that may
    take the most cards come first.

    Parameters
    ----------
    game_map
        Any map.
    route
        The route: a `Route`, its id, or its two cities where one track joins
        them. The most special one if not given.
    hand
        Cards held; a few for the route if not given.

    Attributes
    ----------
    route, hand
        The inputs: read them, or set them from Python.
    answer
        What is shown, as a dict: `said` in words, `cheapest`, `payments`,
        `colors` with what each lacks, `curve` and `draws`; or `problem`, the
        sentence that says why the hand cannot be.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> costs = RouteCosts(ttr.load_map("nordic"), hand={"green": 7, "red": 4, "blue": 4})
    >>> print(costs.route, costs.answer["said"])
    Lieksa-Murmansk/0 Your hand pays: 15 cards, 7 green, 4 blue and 4 red.
    >>> costs.hand = {"green": 7}
    >>> print(costs.answer["said"])
    2 cards short, the nearest with green.
    """

    _esm = esm("answers", "costs")
    _css = css("answers")
    inputs = ("route", "hand")

    route = Checked(lambda self, value: self._route_of(value).id).tag(sync=True)
    hand = Checked(cards).tag(sync=True)

    def __init__(self, game_map: GameMap, route: RouteLike | None = None, *, hand: Cards | None = None) -> None:
        self.game_map = game_map
        self.routes = special_first(game_map)
        first = self.routes[0] if route is None else self._route_of(route)
        super().__init__(route=first.id, hand=first_hand(game_map, first) if hand is None else hand)

    def _route_of(self, value: object) -> Route:
        match value:
            case (str(a), str(b)):
                return self.game_map.route(a, b)
            case _:
                (found,) = self.game_map.resolve_routes([value])  # type: ignore[list-item] # it tells what else comes
                return found

    def _facts(self) -> Json:
        return card_facts(self.game_map) | {
            "title": self.game_map.title,
            "routes": [
                {"id": route.id, "words": route_in_words(route), "special": most_cards(route) > route.length}
                for route in self.routes
            ],
        }

    def _answer_now(self) -> Json:
        return route_costs(self.game_map, self.game_map.route(self.route), CardCounts.coerce(self.hand))
