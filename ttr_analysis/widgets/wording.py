"""Numbers, cards and routes in words, and the checks that all answers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ttr_analysis._words import counted, listed
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.maps.names import describe_route
from ttr_analysis.viz.svg import live_sheet

if TYPE_CHECKING:
    from ttr_analysis.studies.reviews import Advice

Json: TypeAlias = dict[str, Any]
"""What goes to the browser."""

_ROUND, _FINE = 0.01, 0.001


class ImpossibleError(ValueError):
    """What is asked cannot be; the message says why, in a sentence for people."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


def percent(probability: float) -> str:
    """
    Return a probability in words: nothing that may fail is called certain.

    Examples
    --------
    >>> percent(0.857), percent(0.9921), percent(0.99999), percent(1.0), percent(0.0004)
    ('86%', '99.2%', 'over 99.9%', '100%', 'under 0.1%')
    """
    if probability in {0.0, 1.0}:
        return f"{probability:.0%}"
    if probability > 1 - _FINE:
        return "over 99.9%"
    if probability < _FINE:
        return "under 0.1%"
    return f"{probability:.{0 if _ROUND <= probability < 1 - _ROUND else 1}%}"


def best_in_words(advice: Advice) -> str:
    """Return the action that is best by some advice, its win probability and the reason, in words."""
    best = advice.table.iloc[0]
    reason = f" – {best['reason']}" if best["reason"] else ""
    return f"{best['move']}, {percent(best['win'])} to win{reason}"


def cards_in_words(cards: CardCounts) -> str:
    """
    Return cards in words, most of a kind first, locomotives last.

    Examples
    --------
    >>> cards_in_words(CardCounts.of(red=3, blue=4, locomotive=2)), cards_in_words(CardCounts())
    ('4 blue, 3 red and 2 locomotives', 'no cards')
    """
    held = sorted(cards.as_dict().items(), key=lambda item: (item[0] == LOCOMOTIVE, -item[1]))
    return listed([counted(n, kind) if kind == LOCOMOTIVE else f"{n} {kind}" for kind, n in held]) or "no cards"


def route_in_words(route: Route) -> str:
    """
    Return a route in words: its ends, what it is, and which cards stand in for one.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route_in_words(ttr.load_map("nordic").route("Murmansk", "Lieksa"))
    'Lieksa – Murmansk, 9 gray, any 4 cards for one'
    """
    return describe_route(route)


def card_facts(game_map: GameMap) -> Json:
    """Return how cards look, and how many of each kind the deck has."""
    return {
        "sheet": {"cards": live_sheet(game_map)["cards"]},
        "kinds": list(CARD_KINDS),
        "deck": list(game_map.rules.deck),
    }


def deck_less(deck: CardCounts, seen: Mapping[str, CardCounts]) -> CardCounts:
    """
    Return the cards of the deck that are not seen.

    Examples
    --------
    >>> deck_less(CardCounts.of(red=12), {"in hand": CardCounts.of(red=10), "discarded": CardCounts.of(red=3)})
    Traceback (most recent call last):
    ttr_analysis.widgets.wording.ImpossibleError: The deck has 12 red cards, not 13: 10 in hand, 3 discarded.
    """
    for kind in CARD_KINDS:
        where = {place: cards[kind] for place, cards in seen.items() if cards[kind]}
        if sum(where.values()) > deck[kind]:
            places = ", ".join(f"{n} {place}" for place, n in where.items())
            n_cards = counted(deck[kind], kind) if kind == LOCOMOTIVE else counted(deck[kind], f"{kind} card")
            msg = f"The deck has {n_cards}, not {sum(where.values())}: {places}."
            raise ImpossibleError(msg, kind)
    return deck - sum(seen.values(), CardCounts())
