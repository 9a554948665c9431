"""What a route costs in cards, by what one holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttr_analysis.analysis.payments.model import Cards, RouteFacts, best_color
from ttr_analysis.cards import COLORS, GRAY, CardCounts
from ttr_analysis.maps.model import Route
from ttr_analysis.rules import payment as rule

if TYPE_CHECKING:
    import pandas as pd


def cards_needed(route: Route, *, own: int, locomotives: int = 0) -> int:
    """
    Return how many cards pay for a route, with some cards of its color held.

    Cards that fill a space by themselves are used first; what is missing is
    filled by sets of any cards, where the route allows them.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    own
        Cards held of the color that is played. More than the route has spaces
        do not help.
    locomotives
        Locomotives held; they serve where they are allowed.

    Returns
    -------
    n_cards
        Fewest cards of the payment, those of the sets included.

    Raises
    ------
    ValueError
        If the route cannot be paid so, however many other cards there are; or
        if a number is below 0.

    Examples
    --------
    Four cards for any one on Lieksa-Murmansk, of length 9:

    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> cards_needed(route, own=7)
    15
    """
    for name, n in (("own", own), ("locomotives", locomotives)):
        if n < 0:
            msg = f"{name} must be 0 or more cards, got {n}"
            raise ValueError(msg)
    needed = int(rule.cards_needed(*RouteFacts.of(route), own, locomotives))
    if needed < 0:
        held = f"{own} of its color and {locomotives} locomotives"
        msg = f"{route} cannot be paid with {held}: its spaces take no sets of other cards"
        if not route.locomotives_allowed:
            msg += ", and no locomotives as jokers"
        raise ValueError(msg)
    return needed


def cards_table(route: Route) -> pd.DataFrame:
    """
    Return how many cards pay for a route, for all that one may hold.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.

    Returns
    -------
    table
        One row for each number of color cards and locomotives used singly
        that goes: `own` and `locomotives` (cards), `sets` (number of sets),
        `set_cards` (cards in them) and `cards` (all cards laid down), those
        with the most single cards first.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> print(cards_table(ferry).to_string(index=False))
     own  locomotives  sets  set_cards  cards
       1            1     0          0      2
       0            2     0          0      2
       1            0     1          3      4
       0            1     1          3      4
       0            0     2          6      6
    """
    import pandas as pd

    facts = RouteFacts.of(route)
    rows = []
    for own in range(facts.plain + 1):
        for locomotives in range(route.length - own + 1):
            n_sets = int(rule.form_sets(*facts, own, locomotives))
            if n_sets >= 0:
                in_sets = n_sets * route.swap_size
                rows.append((own, locomotives, n_sets, in_sets, own + locomotives + in_sets))
    table = pd.DataFrame(rows, columns=["own", "locomotives", "sets", "set_cards", "cards"])
    return table.sort_values(["cards", "locomotives"], ignore_index=True)


def color_table(route: Route, hand: Cards) -> pd.DataFrame:
    """
    Return what a route costs in each color, with a given hand.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    hand
        Cards held.

    Returns
    -------
    table
        Indexed by the colors that may pay, the cheapest first: `own` (cards
        of that color held), `cards_needed` (fewest cards of the payment, with
        the locomotives held; missing where no set helps), `missing` (fewest
        further cards, well chosen; 0 if the hand pays) and `can_pay`.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(color_table(route, {"green": 7, "red": 4, "blue": 4}).reset_index().head(2).to_string(index=False))
    color  own  cards_needed  missing  can_pay
    green    7            15        0     True
     blue    4            24        3    False
    """
    import pandas as pd

    hand = CardCounts.coerce(hand)
    facts = RouteFacts.of(route)
    rows = []
    for color in COLORS if route.color == GRAY else [route.color]:
        own = hand[color]
        needed = int(rule.cards_needed(*facts, own, hand.locomotives))
        missing = int(rule.cards_missing(*facts, own, hand.locomotives, hand.n_cards))
        rows.append((color, own, needed if needed >= 0 else pd.NA, missing, missing == 0))
    table = pd.DataFrame(rows, columns=["color", "own", "cards_needed", "missing", "can_pay"])
    table = table.astype({"cards_needed": "Int64"})
    table = table.sort_values(["missing", "cards_needed", "own"], ascending=[True, True, False], kind="stable")
    return table.set_index("color")


def cards_missing(route: Route, hand: Cards) -> int:
    """
    Return how many further cards a hand needs to pay for a route, if they are well chosen.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    hand
        Cards held.

    Returns
    -------
    n_cards
        Fewest further cards, in the best color; 0 if the hand pays.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> cards_missing(ttr.load_map("nordic").route("Murmansk", "Lieksa"), {"green": 6, "red": 4})
    2
    """
    hand = CardCounts.coerce(hand)
    own = hand.counts[best_color(route, hand)]
    return int(rule.cards_missing(*RouteFacts.of(route), own, hand.locomotives, hand.n_cards))


def cheapest_color(route: Route, hand: Cards) -> str:
    """
    Return the color in which a hand comes nearest to paying for a route.

    Parameters
    ----------
    route
        Any route of any map. For a tunnel: the cards for its length.
    hand
        Cards held.

    Returns
    -------
    color
        The one with the fewest cards missing, of these the one of which most
        are held.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> cheapest_color(ttr.load_map("nordic").route("Murmansk", "Lieksa"), {"green": 4, "red": 6})
    'red'
    """
    return COLORS[best_color(route, CardCounts.coerce(hand))]
