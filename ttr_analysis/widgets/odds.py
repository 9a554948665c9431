"""The odds of a tunnel, played with in the notebook."""

from __future__ import annotations

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.cards import CardCounts
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.widgets._answering import AnsweringWidget
from ttr_analysis.widgets._esm import css, esm
from ttr_analysis.widgets._traits import Checked, cards, count
from ttr_analysis.widgets.answers.tunnel import first_hand, tunnel_in_words, tunnel_odds, tunnels_to_ask
from ttr_analysis.widgets.answers.words import Json, card_facts


class TunnelOdds(AnsweringWidget):
    """
    The odds of every payment for a tunnel: hand, seen cards and pile are yours to change. Exact.

    Every change is answered at once, by `ttr.tunnels.claim_odds`.

    Parameters
    ----------
    game_map
        Any map. One without tunnels answers for tunnels in no place.
    route
        The tunnel: a `Route`, or its id; "length 3" is any tunnel of that
        length, paid in any color. The longest real one if not given.
    hand
        Cards held; those for the tunnel and a locomotive if not given.
    seen
        Cards seen elsewhere, which are not in the pile: the market, and what
        others took openly.
    discards
        Cards of the discard pile.
    pile
        Cards of the draw pile; None for all that are unseen. It matters when
        fewer are left than are turned over: then the discards are shuffled.

    Attributes
    ----------
    route, hand, seen, discards, pile
        The inputs: read them, or set them from Python. Cards are mappings of
        kind to count.
    answer
        What is shown, as a dict: `said` in words, `payments` with their
        `chance`, best first; or `problem`, the sentence that says why the
        cards cannot be so.

    Examples
    --------
    >>> import ttr_analysis as ttr
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
    pile = Checked(count).tag(sync=True)

    def __init__(
        self,
        game_map: GameMap,
        route: Route | str | None = None,
        *,
        hand: Cards | None = None,
        seen: Cards = (),
        discards: Cards = (),
        pile: int | None = None,
    ) -> None:
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
        id_ = value.id if isinstance(value, Route) else value
        if not isinstance(id_, str) or id_ not in self.tunnels:
            raise UnknownNameError("tunnel", id_, nearest(str(id_), self.tunnels))
        return id_

    def _facts(self) -> Json:
        rules = self.game_map.rules
        return card_facts(self.game_map) | {
            "title": self.game_map.title,
            "revealed": rules.tunnel.revealed,
            "routes": [{"id": id_, "words": tunnel_in_words(route)} for id_, route in self.tunnels.items()],
            "n_anywhere": sum("-" not in id_ for id_ in self.tunnels),
        }

    def _answer_now(self) -> Json:
        hand, seen, discards = (CardCounts.coerce(cards) for cards in (self.hand, self.seen, self.discards))
        return tunnel_odds(self.game_map, self.tunnels[self.route], hand, seen, discards, self.pile)
